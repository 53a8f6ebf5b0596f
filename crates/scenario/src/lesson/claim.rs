//! What a lesson says must be true at a moment: one claim a line.

use crate::duration::{self, clip};
use crate::problem::did_you_mean;
use crate::program::check_name;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// One line of an `expect` fence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Claim {
    /// `time 30ms`: the time of the moment.
    Time(Amount),
    /// `cpu 0 runs B` or `cpu 0 idle`.
    Runs(u16, Option<TaskName>),
    /// `cpu 0 waits B C`: in the order of the queue; `cpu 0 waits nobody`.
    Waits(u16, Vec<TaskName>),
    /// `B lag -20ms`: a figure of a task.
    Figure(TaskName, Figure, Amount),
    /// `B eligible` or `B not eligible`, as of the queue of the CPU that it is on.
    Eligible(TaskName, bool),
    /// `B sleeping`: what it is doing.
    State(TaskName, State),
    /// `B on cpu 3`: where it is, or was last.
    On(TaskName, u16),
    /// `picks B` or `picks nobody`: a pick of the step.
    Picks(Option<TaskName>),
    /// `places B on cpu 3 by idle_core`: a placement of the step, and its branch.
    Places(TaskName, u16, Option<String>),
    /// `target cpu 3`: a CPU of the placement of the step.
    Cpu(Role, u16),
    /// `scan 4 5 6` or `scan nothing`: the CPUs that the placement's scan looked at, in order.
    Scan(Vec<u16>),
    /// `reason run to parity`: the rule that decided, or the placement's branch.
    Reason(String),
    /// `says "…"`: a sentence of a decision of the step, or of a check of it, contains this.
    Says(String),
    /// `cpu 3 at 0.8GHz`: its clock, kHz.
    Clock(u16, Amount),
    /// `beside client wakeups 52`: it holds at the same time in the run beside it.
    Beside(Box<Claim>),
}

/// A task of a scenario: the only one of a row, or one of several as in "worker#3".
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TaskName {
    /// The row.
    pub row: String,
    /// Which of its tasks, from 1.
    pub instance: u32,
}

/// A figure of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Figure {
    /// `lag`: V − vruntime, ns.
    Lag,
    /// `vruntime` relative to V, ns.
    Vruntime,
    /// `deadline` relative to V, ns.
    Deadline,
    /// `slice`: its request, ns.
    Slice,
    /// `ran`: CPU time so far, ns.
    Ran,
    /// `weight`.
    Weight,
    /// `nice`.
    Nice,
    /// `work`: what all tasks of the row have done so far, ns at the highest clock.
    Work,
    /// `waited`: for how long all tasks of the row waited for a CPU so far, ns.
    Waited,
    /// `wakeups` of all tasks of the row so far.
    Wakeups,
    /// `migrations` of all tasks of the row so far.
    Migrations,
    /// `cpus`: on how many CPUs tasks of the row have run so far.
    Cpus,
}

/// What a task is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum State {
    /// `new`: not started yet.
    New,
    /// `running`.
    Running,
    /// `runnable`: on a run queue.
    Runnable,
    /// `sleeping`.
    Sleeping,
    /// `delayed`: asleep but still queued.
    Delayed,
    /// `waking`: on its way by IPI.
    Waking,
    /// `exited`.
    Exited,
}

/// A CPU of a placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Role {
    /// `waker`: the CPU of the waker.
    Waker,
    /// `prev`: where the wakee ran last.
    Prev,
    /// `target`: where the search starts.
    Target,
}

/// A length of time or a count, as exact as it is written: −20ms is anything that rounds to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Amount {
    /// The value, ns or plain.
    pub value: i64,
    /// The value of one unit of the last written digit.
    pub precision: i64,
    /// Whether it has a unit of time.
    pub time: bool,
}

impl Amount {
    /// Whether the figure is this, as exactly as this was written.
    #[must_use]
    pub fn matches(&self, figure: i64) -> bool {
        i128::from(figure).abs_diff(i128::from(self.value)) * 2 <= self.precision as u128
            && (self.precision > 1 || figure == self.value)
    }
}

const FIGURES: [(&str, Figure); 12] = [
    ("lag", Figure::Lag),
    ("vruntime", Figure::Vruntime),
    ("deadline", Figure::Deadline),
    ("slice", Figure::Slice),
    ("ran", Figure::Ran),
    ("weight", Figure::Weight),
    ("nice", Figure::Nice),
    ("work", Figure::Work),
    ("waited", Figure::Waited),
    ("wakeups", Figure::Wakeups),
    ("migrations", Figure::Migrations),
    ("cpus", Figure::Cpus),
];
/// Units of clocks and the lengths of time they are read as: 1 GHz is a million kHz, as 1 ms is a
/// million ns.
const CLOCKS: [(&str, &str); 3] = [("GHz", "ms"), ("MHz", "us"), ("kHz", "ns")];
const STATES: [(&str, State); 7] = [
    ("new", State::New),
    ("running", State::Running),
    ("runnable", State::Runnable),
    ("sleeping", State::Sleeping),
    ("delayed", State::Delayed),
    ("waking", State::Waking),
    ("exited", State::Exited),
];
const ROLES: [(&str, Role); 3] =
    [("waker", Role::Waker), ("prev", Role::Prev), ("target", Role::Target)];

fn named<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table.iter().find(|(_, other)| other == value).map_or("", |(name, _)| name)
}

/// Reads a clock such as 0.8GHz, in kHz.
fn read_clock(word: &str) -> Result<Amount, String> {
    let wrong = || format!("\"{}\" is no clock; write it as in 0.8GHz.", clip(word));
    let as_time = CLOCKS.iter().find_map(|(hz, time)| Some((word.strip_suffix(hz)?, time)));
    let (digits, time) = as_time.ok_or_else(wrong)?;
    format!("{digits}{time}").parse().map_err(|_| wrong())
}

/// Reads the number of a CPU.
pub(super) fn cpu(word: &str) -> Result<u16, String> {
    match word.parse::<u16>() {
        Ok(cpu) if cpu < 1024 => Ok(cpu),
        _ => Err(format!("\"{}\" is no number of a CPU.", clip(word))),
    }
}

impl FromStr for Claim {
    type Err = String;

    fn from_str(line: &str) -> Result<Claim, String> {
        let line = line.trim();
        if let Some(claim) = line.strip_prefix("beside ") {
            return Ok(Claim::Beside(Box::new(claim.parse()?)));
        }
        if let Some(text) = line.strip_prefix("says ") {
            return Ok(Claim::Says(text.trim().trim_matches('"').to_string()));
        }
        if let Some(text) = line.strip_prefix("reason ") {
            return Ok(Claim::Reason(text.trim().trim_matches('"').to_string()));
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let task = |word: &str| word.parse::<TaskName>();
        Ok(match words[..] {
            ["time", time] => Claim::Time(duration::parse(time).and_then(|_| time.parse())?),
            ["cpu", n, "idle"] => Claim::Runs(cpu(n)?, None),
            ["cpu", n, "runs", name] => Claim::Runs(cpu(n)?, Some(task(name)?)),
            ["cpu", n, "waits", "nobody"] => Claim::Waits(cpu(n)?, Vec::new()),
            ["cpu", n, "waits", ref names @ ..] if !names.is_empty() => Claim::Waits(
                cpu(n)?,
                names.iter().map(|name| task(name)).collect::<Result<_, _>>()?,
            ),
            ["picks", "nobody"] => Claim::Picks(None),
            ["picks", name] => Claim::Picks(Some(task(name)?)),
            ["places", name, "on", "cpu", n] => Claim::Places(task(name)?, cpu(n)?, None),
            ["places", name, "on", "cpu", n, "by", branch] => {
                Claim::Places(task(name)?, cpu(n)?, Some(branch.to_string()))
            }
            ["scan", "nothing"] => Claim::Scan(Vec::new()),
            ["scan", ref cpus @ ..] if !cpus.is_empty() => {
                Claim::Scan(cpus.iter().map(|word| cpu(word)).collect::<Result<_, _>>()?)
            }
            ["cpu", n, "at", clock] => Claim::Clock(cpu(n)?, read_clock(clock)?),
            [role, "cpu", n] if named(&ROLES, role).is_some() => {
                Claim::Cpu(named(&ROLES, role).ok_or("no role")?, cpu(n)?)
            }
            [name, "on", "cpu", n] => Claim::On(task(name)?, cpu(n)?),
            [name, "eligible"] => Claim::Eligible(task(name)?, true),
            [name, "not", "eligible"] => Claim::Eligible(task(name)?, false),
            [name, state] if named(&STATES, state).is_some() => {
                Claim::State(task(name)?, named(&STATES, state).ok_or("no state")?)
            }
            [name, figure, amount] => match named(&FIGURES, figure) {
                Some(figure) => {
                    let amount: Amount = amount.parse()?;
                    let timed = [Figure::Lag, Figure::Vruntime, Figure::Deadline, Figure::Slice];
                    let plain = !timed.contains(&figure)
                        && !matches!(figure, Figure::Ran | Figure::Work | Figure::Waited);
                    if amount.time == plain {
                        let example = if plain { "1024" } else { "-20ms" };
                        let found = words[1];
                        return Err(format!(
                            "\"{amount}\" is not how {found} is written; write it as in {example}."
                        ));
                    }
                    Claim::Figure(task(name)?, figure, amount)
                }
                None => {
                    let hint = did_you_mean(figure, FIGURES.map(|(name, _)| name));
                    return Err(format!("\"{}\" is no figure of a task; {hint}", clip(figure)));
                }
            },
            _ => {
                return Err(format!(
                    "\"{}\" is no claim; write one such as \"time 30ms\", \"cpu 0 runs B\", \"B lag \
                     -20ms\", \"picks B\" or \"places B on cpu 3\".",
                    clip(line)
                ));
            }
        })
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claim::Time(time) => write!(f, "time {time}"),
            Claim::Runs(cpu, None) => write!(f, "cpu {cpu} idle"),
            Claim::Runs(cpu, Some(task)) => write!(f, "cpu {cpu} runs {task}"),
            Claim::Waits(cpu, tasks) if tasks.is_empty() => write!(f, "cpu {cpu} waits nobody"),
            Claim::Waits(cpu, tasks) => {
                write!(f, "cpu {cpu} waits")?;
                tasks.iter().try_for_each(|task| write!(f, " {task}"))
            }
            Claim::Figure(task, figure, amount) => {
                write!(f, "{task} {} {amount}", name_of(&FIGURES, figure))
            }
            Claim::Eligible(task, true) => write!(f, "{task} eligible"),
            Claim::Eligible(task, false) => write!(f, "{task} not eligible"),
            Claim::State(task, state) => write!(f, "{task} {}", name_of(&STATES, state)),
            Claim::On(task, cpu) => write!(f, "{task} on cpu {cpu}"),
            Claim::Picks(None) => f.write_str("picks nobody"),
            Claim::Picks(Some(task)) => write!(f, "picks {task}"),
            Claim::Places(task, cpu, None) => write!(f, "places {task} on cpu {cpu}"),
            Claim::Places(task, cpu, Some(by)) => write!(f, "places {task} on cpu {cpu} by {by}"),
            Claim::Cpu(role, cpu) => write!(f, "{} cpu {cpu}", name_of(&ROLES, role)),
            Claim::Scan(cpus) if cpus.is_empty() => f.write_str("scan nothing"),
            Claim::Scan(cpus) => {
                f.write_str("scan")?;
                cpus.iter().try_for_each(|cpu| write!(f, " {cpu}"))
            }
            Claim::Reason(text) => write!(f, "reason {text}"),
            Claim::Says(text) => write!(f, "says \"{text}\""),
            Claim::Beside(claim) => write!(f, "beside {claim}"),
            Claim::Clock(cpu, clock) => {
                let text = clock.to_string();
                let units = CLOCKS.iter();
                let hz = units.rev().find_map(|(hz, time)| Some((text.strip_suffix(time)?, hz)));
                let (digits, hz) = hz.unwrap_or((&text, &""));
                write!(f, "cpu {cpu} at {digits}{hz}")
            }
        }
    }
}

impl FromStr for TaskName {
    type Err = String;

    fn from_str(word: &str) -> Result<TaskName, String> {
        let (row, instance) = match word.split_once('#') {
            None => (word, Ok(1)),
            Some((row, instance)) => (row, instance.parse::<u32>()),
        };
        check_name(row)?;
        match instance {
            Ok(instance) if instance > 0 => Ok(TaskName { row: row.to_string(), instance }),
            _ => Err(format!("\"{}\" is no task; the tasks of a row count from 1.", clip(word))),
        }
    }
}

impl fmt::Display for TaskName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.row)?;
        if self.instance == 1 { Ok(()) } else { write!(f, "#{}", self.instance) }
    }
}

impl FromStr for Amount {
    type Err = String;

    fn from_str(word: &str) -> Result<Amount, String> {
        // The minus of type, and the one of the keyboard.
        let word = word.replace('\u{2212}', "-");
        let (negative, digits) = match word.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, word.strip_prefix('+').unwrap_or(&word)),
        };
        let unit = digits.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let number = &digits[..digits.len() - unit.len()];
        let decimals = number.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let (value, precision, time) = match unit {
            "" => {
                let wrong = || format!("\"{}\" is no number.", clip(&word));
                (number.parse::<i64>().map_err(|_| wrong())?, 1, false)
            }
            unit => {
                let value = duration::parse(digits)? as i64;
                let one = duration::parse(&format!("1{unit}"))? as i64;
                let scale = 10_i64.checked_pow(decimals.min(18) as u32).unwrap_or(i64::MAX);
                (value, (one / scale).max(1), true)
            }
        };
        Ok(Amount { value: if negative { -value } else { value }, precision, time })
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.time, self.value) {
            (false, value) => write!(f, "{value}"),
            (true, value) => {
                let sign = if value < 0 { "-" } else { "" };
                write!(f, "{sign}{}", duration::format(value.unsigned_abs()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str) {
        let claim: Claim = line.parse().expect("a claim");
        assert_eq!(claim.to_string(), line);
    }

    #[test]
    fn claims() {
        for line in [
            "time 30ms",
            "cpu 0 runs B",
            "cpu 255 idle",
            "cpu 0 waits B worker#3",
            "cpu 0 waits nobody",
            "B lag -20ms",
            "B weight 1024",
            "B eligible",
            "B not eligible",
            "B delayed",
            "B on cpu 3",
            "picks B",
            "picks nobody",
            "places B on cpu 3",
            "places B on cpu 3 by idle_core",
            "target cpu 3",
            "scan 4 5 6",
            "scan nothing",
            "reason run to parity",
            "says \"earliest deadline\"",
            "B work 22ms",
            "B wakeups 112",
            "B cpus 2",
            "cpu 3 at 800MHz",
            "cpu 3 at 3.5GHz",
            "beside B wakeups 52",
        ] {
            check(line);
        }
    }

    #[test]
    fn wrong_claims() {
        let check = |line: &str, expect: &str| {
            assert_eq!(line.parse::<Claim>(), Err(expect.to_string()));
        };
        check("B lagg 3ms", "\"lagg\" is no figure of a task; did you mean \"lag\"?");
        check("B lag 3", "\"3\" is not how lag is written; write it as in -20ms.");
        check("cpu 3 at 5ms", "\"5ms\" is no clock; write it as in 0.8GHz.");
        check("cpu x idle", "\"x\" is no number of a CPU.");
        check("B#0 eligible", "\"B#0\" is no task; the tasks of a row count from 1.");
    }

    #[test]
    fn amounts_are_as_exact_as_written() {
        let amount = |text: &str| text.parse::<Amount>().expect("an amount");
        assert!(amount("-20ms").matches(-20_000_000));
        assert!(amount("-20ms").matches(-20_499_999));
        assert!(!amount("-20ms").matches(-20_500_001));
        assert!(!amount("-20.000ms").matches(-20_001_000));
        assert!(amount("−20.000ms").matches(-20_000_400));
        assert!(amount("1024").matches(1024));
        assert!(!amount("1024").matches(1025));
        assert!(!amount("5ns").matches(6));
    }
}
