//! The checks of a decision as rows of a list: what is past, what is now, and of what is to come
//! only the question.

use schedscope_session::update::{Check, Cpu, Decision, Machine, Mark, Picture};

use super::progress::{Visit, is_scan, visits};

/// When a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reveal {
    /// Made before the check looked at.
    Past,
    /// The check looked at.
    Current,
    /// Not made yet: only the question is known.
    Future,
}

/// What stands before a row's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glyph {
    /// Nothing.
    None,
    /// A CPU was found busy.
    Square,
    /// A CPU was found idle.
    Circle,
    /// This ended the decision, or was kept for its end.
    Dot,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckRow {
    /// Number of the row, from 1.
    pub number: usize,
    /// When.
    pub reveal: Reveal,
    /// The question.
    pub title: String,
    /// The answer; empty while it is not known.
    pub result: String,
    /// What stands before the answer.
    pub glyph: Glyph,
    /// The kernel's expression; only on the current row.
    pub kernel: String,
    /// Passed over, with the reason in `result`: drawn in grey.
    pub skipped: bool,
    /// CPUs visited by a scan, in order, as far as it has come.
    pub strip: Vec<Visit>,
}

/// The rows of a decision while check number `check` is looked at, with `probe` of its probes made.
#[must_use]
pub fn rows(
    decision: &Decision,
    machine: &Machine,
    (check, probe): (usize, usize),
) -> Vec<CheckRow> {
    let current = check.min(decision.checks.len().saturating_sub(1));
    decision
        .checks
        .iter()
        .enumerate()
        .map(|(i, made)| {
            let reveal = match i.cmp(&current) {
                core::cmp::Ordering::Less => Reveal::Past,
                core::cmp::Ordering::Equal => Reveal::Current,
                core::cmp::Ordering::Greater => Reveal::Future,
            };
            let probes = if i == current { probe } else { usize::MAX };
            row(decision, machine, i, made, (reveal, probes))
        })
        .collect()
}

fn row(
    decision: &Decision,
    machine: &Machine,
    index: usize,
    check: &Check,
    (reveal, probes): (Reveal, usize),
) -> CheckRow {
    let last = index + 1 == decision.checks.len();
    if reveal == Reveal::Future {
        return CheckRow {
            number: index + 1,
            reveal,
            title: if last { "Result".to_owned() } else { question(check) },
            result: String::new(),
            glyph: Glyph::None,
            kernel: String::new(),
            skipped: false,
            strip: Vec::new(),
        };
    }
    let complete = probes >= check.probes.len();
    let strip = match &decision.picture {
        Picture::Place(place) if is_scan(check) => visits(check, probes, place, machine),
        _ => Vec::new(),
    };
    let glyph = match check.mark {
        _ if !complete || check.skipped => Glyph::None,
        Mark::Busy => Glyph::Square,
        Mark::Idle => Glyph::Circle,
        Mark::Chosen | Mark::Kept => Glyph::Dot,
        Mark::Plain | Mark::No | Mark::Yes => Glyph::None,
    };
    CheckRow {
        number: index + 1,
        reveal,
        title: check.title.clone(),
        result: if complete { check.result.clone() } else { String::new() },
        glyph,
        kernel: if reveal == Reveal::Current { check.kernel.clone() } else { String::new() },
        skipped: check.skipped,
        strip,
    }
}

/// What will be asked, without what earlier checks decide about it.
fn question(check: &Check) -> String {
    let tells = check.skipped || check.mark == Mark::Kept;
    if let Some(general) = general(check).filter(|_| tells) {
        return general.to_owned();
    }
    if is_scan(check) {
        return match check.kernel.as_str() {
            kernel if kernel.contains("idle_core") => "Scan the LLC for an idle core",
            _ => "Scan the LLC for an idle CPU",
        }
        .to_owned();
    }
    without_target(&check.title)
}

/// The question of a check whose title may already tell its answer.
fn general(check: &Check) -> Option<&'static str> {
    let kernel = check.kernel.as_str();
    [
        ("prev", "Is the previous CPU idle?"),
        ("recent", "Is the recently used CPU idle?"),
        ("kthread", "Is the waker a per-CPU kthread?"),
        ("idle_cores", "Does this LLC claim an idle core?"),
        ("smt", "Is an SMT sibling idle?"),
        ("target", "Is the target CPU idle?"),
    ]
    .into_iter()
    .find(|(part, _)| kernel.contains(part))
    .map(|(_, question)| question)
}

/// "Is target CPU 33 idle?" without the number, which `wake_affine()` has yet to find.
fn without_target(title: &str) -> String {
    match title.split_once("target CPU ") {
        Some((before, after)) => {
            let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
            format!("{before}target CPU{rest}")
        }
        None => title.to_owned(),
    }
}

/// CPUs of a row as one text ("34 35 36"), for tables and screen readers.
#[must_use]
pub fn strip_text(strip: &[Visit]) -> String {
    let cpus: Vec<Cpu> = strip.iter().map(|visit| visit.cpu).collect();
    cpus.iter().map(u16::to_string).collect::<Vec<_>>().join(" ")
}
