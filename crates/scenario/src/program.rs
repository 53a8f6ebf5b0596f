//! The program language: what a task does, one operation a line.

use crate::duration::{self, clip};
use crate::problem::did_you_mean;
use schedscope_sim::order;
use schedscope_sim::program::LOOPS_MAX;
use schedscope_sim::units::TASKS_MAX;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a task does from its start to its end; past the last operation it exits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Program {
    /// The operations in order; a loop is an [`Op::Loop`] with its [`Op::End`].
    pub ops: Vec<Op>,
}

/// One operation, one line.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Op {
    /// `run 1ms`: needs this much CPU time.
    Run(Length),
    /// `sleep 2ms..4ms`: sleeps.
    Sleep(Length),
    /// `timer 10ms`: sleeps until the next multiple of the period since the task's start.
    Timer(u64),
    /// `wait pipe`: waits until it is woken through the channel.
    Wait(Channel),
    /// `wake pipe 3 sync`: wakes waiters of the channel.
    Wake {
        /// Where the waiters are.
        channel: Channel,
        /// How many to wake.
        count: u32,
        /// Whether the waker says that it is about to sleep (WF_SYNC).
        sync: bool,
    },
    /// `fork child` or `fork child#`: starts a task of another row.
    Fork(Channel),
    /// `exec`: exec(), at which it may be moved.
    Exec,
    /// `yield`: sched_yield().
    Yield,
    /// `exit`: ends the task.
    Exit,
    /// `loop` or `loop 10`: repeats what follows up to its [`Op::End`].
    Loop(Option<u32>),
    /// `end` of a loop.
    End,
}

/// A name, with or without a mark that says which of several is meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Channel {
    /// The name of a channel, or of a row to fork.
    pub name: String,
    /// Whose it is.
    pub scope: Scope,
}

/// Whose a channel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Scope {
    /// `pipe`: everybody's.
    All,
    /// `pipe#`: one for each instance of the row.
    Instance,
    /// `work%`: one for each CPU; meant is that of the CPU where the operation is carried out.
    Cpu,
}

/// A length of time, fixed or drawn. All figures in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Length {
    /// `1ms`.
    Fixed(u64),
    /// `1ms..3ms`: each value equally likely.
    Uniform(u64, u64),
    /// `~2ms`: exponential with this mean.
    Exponential(u64),
}

/// The most operations of one program.
pub const OPS_MAX: usize = 2_000;
/// The most characters of a name.
pub const NAME_MAX: usize = 40;
/// How many operations a task may carry out at one instant, in a loop that takes no time.
const AT_ONCE_MAX: u64 = 10_000;

const OPERATIONS: [&str; 11] =
    ["run", "sleep", "timer", "wait", "wake", "fork", "exec", "yield", "exit", "loop", "end"];

impl Program {
    /// Reads a program, one operation a line; empty lines and comments (from `//`, or from a `#`
    /// that stands apart) are passed over.
    ///
    /// # Errors
    /// A sentence for each wrong line, with the number of the line, from 0.
    pub fn parse(text: &str) -> Result<Program, Vec<(usize, String)>> {
        let (program, lines, mut problems) = Program::parse_lines(text);
        for (op, line) in program.ops.iter().zip(lines) {
            problems.extend(op.check().err().map(|sentence| (line, sentence)));
        }
        order::sort(&mut problems);
        if problems.is_empty() { Ok(program) } else { Err(problems) }
    }

    /// Reads what can be read, with the line of each operation and the problems. Whether the
    /// figures are in their ranges is left to [`Program::check`].
    pub(crate) fn parse_lines(text: &str) -> (Program, Vec<usize>, Vec<(usize, String)>) {
        let (mut program, mut lines, mut problems) = (Program::default(), Vec::new(), Vec::new());
        for (number, line) in text.lines().enumerate() {
            let line = without_comment(line).trim();
            if line.is_empty() {
                continue;
            }
            if program.ops.len() == OPS_MAX {
                problems.push((number, format!("a program has at most {OPS_MAX} operations.")));
                break;
            }
            match Op::read(line) {
                Ok(op) => {
                    program.ops.push(op);
                    lines.push(number);
                }
                Err(sentence) => problems.push((number, sentence)),
            }
        }
        (program, lines, problems)
    }

    /// What is wrong with the program as a whole: the operation, and a sentence.
    pub(crate) fn check(&self) -> Vec<(usize, String)> {
        let mut problems = Vec::new();
        if self.ops.len() > OPS_MAX {
            problems.push((OPS_MAX, format!("a program has at most {OPS_MAX} operations.")));
        }
        for (at, op) in self.ops.iter().enumerate() {
            if let Err(sentence) = op.check() {
                problems.push((at, sentence));
            }
        }
        self.check_loops(&mut problems);
        order::sort(&mut problems);
        problems
    }

    fn check_loops(&self, problems: &mut Vec<(usize, String)>) {
        struct Open {
            at: usize,
            times: Option<u32>,
            /// Operations carried out at one instant by a pass.
            instant: u64,
            takes_time: bool,
            empty: bool,
        }
        let mut open: Vec<Open> = Vec::new();
        for (at, op) in self.ops.iter().enumerate() {
            match op {
                Op::Loop(times) => {
                    open.push(Open {
                        at,
                        times: *times,
                        instant: 0,
                        takes_time: false,
                        empty: true,
                    });
                    let counted = open.iter().filter(|open| open.times.is_some()).count();
                    if times.is_some() && counted > LOOPS_MAX {
                        problems
                            .push((at, format!("counted loops nest at most {LOOPS_MAX} deep.")));
                    }
                }
                Op::End => {
                    let Some(closed) = open.pop() else {
                        problems.push((at, "this end has no loop; take it out.".to_string()));
                        continue;
                    };
                    let instant = match closed.times {
                        Some(times) => closed.instant.saturating_mul(u64::from(times)),
                        None => u64::MAX,
                    };
                    if closed.empty {
                        problems.push((
                            closed.at,
                            "this loop is empty; put a run and a sleep into it.".to_string(),
                        ));
                    } else if !closed.takes_time && instant > AT_ONCE_MAX {
                        problems.push((
                            closed.at,
                            "a pass through this loop takes no time, so it would never let the \
                             clock go on; put a run, sleep or timer into it."
                                .to_string(),
                        ));
                    }
                    if let Some(outer) = open.last_mut() {
                        outer.empty = false;
                        outer.takes_time |= closed.takes_time;
                        outer.instant = outer.instant.saturating_add(instant);
                    }
                }
                op => {
                    if let Some(inner) = open.last_mut() {
                        inner.empty = false;
                        inner.takes_time |= matches!(op, Op::Run(_) | Op::Sleep(_) | Op::Timer(_));
                        inner.instant += 1;
                    }
                }
            }
        }
        for open in open {
            problems.push((open.at, "this loop has no end; add the line \"end\".".to_string()));
        }
    }

    /// The first operation that can never be reached, if any.
    pub(crate) fn unreachable(&self) -> Option<usize> {
        let (mut open, mut done) = (Vec::new(), false);
        for (at, op) in self.ops.iter().enumerate() {
            if done && !matches!(op, Op::End) {
                return Some(at);
            }
            match op {
                Op::Loop(times) => open.push(times.is_none()),
                Op::End => done |= open.pop().unwrap_or(false),
                Op::Exit => done = true,
                _ => {}
            }
        }
        None
    }

    /// Whether it could run or block at all.
    pub(crate) fn takes_time(&self) -> bool {
        self.ops
            .iter()
            .any(|op| matches!(op, Op::Run(_) | Op::Sleep(_) | Op::Timer(_) | Op::Wait(_)))
    }
}

impl fmt::Display for Program {
    /// The normal form: one operation a line, loops indented by two, no newline at the end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut depth = 0_usize;
        for (at, op) in self.ops.iter().enumerate() {
            if at > 0 {
                writeln!(f)?;
            }
            if matches!(op, Op::End) {
                depth = depth.saturating_sub(1);
            }
            // Deep nesting must not make a text of quadratic size.
            write!(f, "{:width$}{op}", "", width = 2 * depth.min(12))?;
            if matches!(op, Op::Loop(_)) {
                depth += 1;
            }
        }
        Ok(())
    }
}

impl Op {
    fn check(&self) -> Result<(), String> {
        match self {
            Op::Run(length) | Op::Sleep(length) => length.check(),
            Op::Timer(period) if *period < 1_000 => {
                Err("the period of a timer is at least 1us.".to_string())
            }
            Op::Timer(period) if *period > duration::LONGEST => {
                Err("the period of a timer is at most one hour.".to_string())
            }
            Op::Loop(Some(0)) => {
                Err("a loop runs at least once; take it out, or count from 1.".to_string())
            }
            Op::Fork(child) if child.scope == Scope::Cpu => {
                Err(format!("a fork is of a row, not of a CPU; write \"fork {}\".", child.name))
            }
            Op::Wait(channel) | Op::Fork(channel) => check_name(&channel.name),
            Op::Wake { channel, count, .. } if channel.scope == Scope::Cpu && *count != 1 => {
                Err(format!("\"{channel}\" wakes one; take out the {count}."))
            }
            Op::Wake { channel, count, .. } => {
                check_name(&channel.name)?;
                if (1..=TASKS_MAX as u32).contains(count) {
                    Ok(())
                } else {
                    Err(format!("a wake is for 1 to {TASKS_MAX} waiters."))
                }
            }
            _ => Ok(()),
        }
    }
}

/// Whether a name of a row or channel can be written in a program.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let fine = |c: char| c.is_alphanumeric() || "-_./:+@".contains(c);
    if name.is_empty() {
        Err("a name must not be empty.".to_string())
    } else if name.chars().count() > NAME_MAX {
        Err(format!("\"{}\" is too long for a name; it has at most {NAME_MAX}.", clip(name)))
    } else if !name.chars().all(fine) || name.contains("//") {
        Err(format!(
            "\"{}\" is no name; use letters, digits and - _ . / : + @, without spaces.",
            clip(name)
        ))
    } else {
        Ok(())
    }
}

impl std::str::FromStr for Op {
    type Err = String;

    fn from_str(line: &str) -> Result<Op, String> {
        let op = Op::read(line)?;
        op.check()?;
        Ok(op)
    }
}

impl Op {
    /// Reads one line, whatever its figures are.
    fn read(line: &str) -> Result<Op, String> {
        let (word, rest) = match line.trim().split_once(char::is_whitespace) {
            Some((word, rest)) => (word, rest.trim()),
            None => (line.trim(), ""),
        };
        let alone = |op: Op| match rest {
            "" => Ok(op),
            _ => Err(format!("\"{word}\" stands alone; take out \"{}\".", clip(rest))),
        };
        let needs = |what: &str, example: &str| match rest {
            "" => Err(format!("{word} needs {what}, such as \"{example}\".")),
            _ => Ok(()),
        };
        let op = match word {
            "run" | "sleep" => {
                needs("a length of time", &format!("{word} 1ms"))?;
                let length = rest.parse()?;
                if word == "run" { Op::Run(length) } else { Op::Sleep(length) }
            }
            "timer" => {
                needs("a period", "timer 10ms")?;
                Op::Timer(duration::parse(rest)?)
            }
            "wait" => {
                needs("a channel", "wait pipe")?;
                Op::Wait(one(word, rest)?)
            }
            "fork" => {
                needs("the name of a task", "fork child")?;
                Op::Fork(one(word, rest)?)
            }
            "wake" => {
                needs("a channel", "wake pipe")?;
                wake(rest)?
            }
            "exec" => alone(Op::Exec)?,
            "yield" => alone(Op::Yield)?,
            "exit" => alone(Op::Exit)?,
            "end" => alone(Op::End)?,
            "loop" if rest.is_empty() => Op::Loop(None),
            "loop" => {
                let times = rest.parse().map_err(|_| {
                    format!("\"{}\" is no count; write \"loop 10\" or just \"loop\".", clip(rest))
                })?;
                Op::Loop(Some(times))
            }
            _ => {
                let hint = did_you_mean(word, OPERATIONS);
                return Err(format!("\"{}\" is no operation; {hint}", clip(word)));
            }
        };
        Ok(op)
    }
}

/// The line up to a comment; the `#` of `pipe#` is none.
fn without_comment(line: &str) -> &str {
    let line = line.split("//").next().unwrap_or_default();
    let apart =
        |(at, _): &(usize, &str)| line[..*at].chars().next_back().is_none_or(char::is_whitespace);
    match line.match_indices('#').find(apart) {
        Some((at, _)) => &line[..at],
        None => line,
    }
}

/// Exactly one name.
fn one(word: &str, rest: &str) -> Result<Channel, String> {
    if rest.contains(char::is_whitespace) {
        return Err(format!("{word} takes one name, without spaces, not \"{}\".", clip(rest)));
    }
    rest.parse()
}

/// `pipe`, `pipe 3`, `pipe sync`, `pipe 3 sync`.
fn wake(rest: &str) -> Result<Op, String> {
    let mut words = rest.split_whitespace();
    let channel = words.next().unwrap_or_default().parse()?;
    let (mut count, mut sync) = (None, false);
    for word in words {
        if word == "sync" && !sync {
            sync = true;
        } else if let (Ok(n), None, false) = (word.parse::<u32>(), count, sync) {
            count = Some(n);
        } else {
            return Err(format!(
                "\"{}\" does not belong here; write \"wake pipe\", \"wake pipe 3\" or \
                 \"wake pipe 3 sync\".",
                clip(word)
            ));
        }
    }
    Ok(Op::Wake { channel, count: count.unwrap_or(1), sync })
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Op::Run(length) => write!(f, "run {length}"),
            Op::Sleep(length) => write!(f, "sleep {length}"),
            Op::Timer(period) => write!(f, "timer {}", duration::format(*period)),
            Op::Wait(channel) => write!(f, "wait {channel}"),
            Op::Wake { channel, count, sync } => {
                write!(f, "wake {channel}")?;
                if *count != 1 {
                    write!(f, " {count}")?;
                }
                if *sync { f.write_str(" sync") } else { Ok(()) }
            }
            Op::Fork(row) => write!(f, "fork {row}"),
            Op::Exec => f.write_str("exec"),
            Op::Yield => f.write_str("yield"),
            Op::Exit => f.write_str("exit"),
            Op::Loop(None) => f.write_str("loop"),
            Op::Loop(Some(times)) => write!(f, "loop {times}"),
            Op::End => f.write_str("end"),
        }
    }
}

impl std::str::FromStr for Channel {
    type Err = String;

    fn from_str(text: &str) -> Result<Channel, String> {
        let (name, scope) = if let Some(name) = text.strip_suffix('#') {
            (name, Scope::Instance)
        } else if let Some(name) = text.strip_suffix('%') {
            (name, Scope::Cpu)
        } else {
            (text, Scope::All)
        };
        Ok(Channel { name: name.to_string(), scope })
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.scope {
            Scope::All => "",
            Scope::Instance => "#",
            Scope::Cpu => "%",
        };
        write!(f, "{}{mark}", self.name)
    }
}

impl Length {
    pub(crate) fn check(self) -> Result<(), String> {
        let longest = duration::LONGEST;
        match self {
            Length::Fixed(0) | Length::Uniform(0, _) | Length::Exponential(0) => {
                Err("a length of time here is at least 1ns.".to_string())
            }
            Length::Uniform(lo, hi) if lo > hi => {
                Err(format!("this range runs backwards; write {}.", Length::Uniform(hi, lo)))
            }
            Length::Fixed(ns) | Length::Uniform(_, ns) | Length::Exponential(ns) => {
                if ns <= longest { Ok(()) } else { Err("the longest is one hour.".to_string()) }
            }
        }
    }
}

impl std::str::FromStr for Length {
    type Err = String;

    fn from_str(text: &str) -> Result<Length, String> {
        if let Some(mean) = text.strip_prefix('~') {
            return Ok(Length::Exponential(duration::parse(mean)?));
        }
        match text.split_once("..") {
            Some((lo, hi)) => Ok(Length::Uniform(duration::parse(lo)?, duration::parse(hi)?)),
            None => Ok(Length::Fixed(duration::parse(text)?)),
        }
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Length::Fixed(ns) => f.write_str(&duration::format(*ns)),
            Length::Uniform(lo, hi) => {
                write!(f, "{}..{}", duration::format(*lo), duration::format(*hi))
            }
            Length::Exponential(mean) => write!(f, "~{}", duration::format(*mean)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let normal = match Program::parse(text) {
            Ok(program) => program.to_string(),
            Err(problems) => format!("{problems:?}"),
        };
        assert_eq!(normal, expect);
    }

    #[track_caller]
    fn check_op(line: &str, expect: &str) {
        assert_eq!(line.parse::<Op>(), Err(expect.to_string()));
    }

    #[track_caller]
    fn check_whole(text: &str, expect: &[(usize, &str)]) {
        let found = Program::parse(text).expect("reads").check();
        let found: Vec<(usize, &str)> = found.iter().map(|(at, s)| (*at, s.as_str())).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn normal_form() {
        check(
            "loop\nrun   1ms..3ms // work\n\n sleep ~2ms\nloop 3\nwake pipe 1\nend\nend",
            "loop\n  run 1ms..3ms\n  sleep ~2ms\n  loop 3\n    wake pipe\n  end\nend",
        );
        check(
            "wake p# 3 sync\nwait p# # pairs\n# slow\ntimer 10 ms",
            "wake p# 3 sync\nwait p#\ntimer 10ms",
        );
        check("wait  work%\nwake work% sync", "wait work%\nwake work% sync");
    }

    #[test]
    fn wrong_lines() {
        check_op("rum 1ms", "\"rum\" is no operation; did you mean \"run\"?");
        check_op("run", "run needs a length of time, such as \"run 1ms\".");
        check_op("run 3ms..1ms", "this range runs backwards; write 1ms..3ms.");
        check_op("run 0ms", "a length of time here is at least 1ns.");
        check_op("sleep 5", "\"5\" needs a unit: ns, us, ms or s.");
        check_op("loop x", "\"x\" is no count; write \"loop 10\" or just \"loop\".");
        check_op("loop 0", "a loop runs at least once; take it out, or count from 1.");
        check_op("wake pipe 0", "a wake is for 1 to 8192 waiters.");
        check_op(
            "wake pipe sync 3",
            "\"3\" does not belong here; write \"wake pipe\", \"wake pipe 3\" or \"wake pipe 3 sync\".",
        );
        check_op("fork a b", "fork takes one name, without spaces, not \"a b\".");
        check_op("fork a%", "a fork is of a row, not of a CPU; write \"fork a\".");
        check_op("wake a% 2", "\"a%\" wakes one; take out the 2.");
        check_op("exit now", "\"exit\" stands alone; take out \"now\".");
        check_op("timer 1ns", "the period of a timer is at least 1us.");
        check_op(
            "wait a*b",
            "\"a*b\" is no name; use letters, digits and - _ . / : + @, without spaces.",
        );
    }

    #[test]
    fn wrong_loops() {
        check_whole("loop\nend", &[(0, "this loop is empty; put a run and a sleep into it.")]);
        check_whole("end", &[(0, "this end has no loop; take it out.")]);
        check_whole("loop 2\nrun 1ms", &[(0, "this loop has no end; add the line \"end\".")]);
        let forever = "a pass through this loop takes no time, so it would never let the clock \
                       go on; put a run, sleep or timer into it.";
        check_whole("loop\nwait p\nwake q\nend", &[(0, forever)]);
        check_whole("loop 100000\nwake q\nend", &[(0, forever)]);
        check_whole("loop 100\nwake q\nend\nloop\nloop 3\nwake q\nrun 1ms\nend\nend", &[]);
        let deep = "loop 2\n".repeat(5) + "run 1us\n" + &"end\n".repeat(5);
        check_whole(&deep, &[(4, "counted loops nest at most 4 deep.")]);
    }

    #[test]
    fn unreachable_lines() {
        let find = |text| Program::parse(text).expect("reads").unreachable();
        assert_eq!(find("loop\nrun 1ms\nend\nexit"), Some(3));
        assert_eq!(find("loop 2\nrun 1ms\nend\nexit"), None);
        assert_eq!(find("exit\nrun 1ms"), Some(1));
    }
}
