//! Where a task that comes is put in virtual time (`place_entity()`), with its numbers.

use schedscope_sim::fair::evidence::{EnqueueEvidence, ForkEvidence};
use schedscope_sim::fair::reason::Enqueue;
use schedscope_sim::kernel::{FairGeneration, Feature};
use schedscope_sim::units::TaskId;

use super::{Check, Cx, Mark};
use crate::words::{self, NBSP};

/// The check of a task that was put onto a queue where others are.
pub(super) fn check(cx: &Cx<'_>, task: TaskId, placed: &EnqueueEvidence) -> Check {
    let name = cx.name(task);
    let cfs = cx.setup.kernel.fair.is_cfs();
    let at = match cfs {
        true => words::from("min_vruntime", placed.vruntime.since(placed.min_vruntime)),
        false => words::from_v(placed.vruntime.since(placed.average)),
    };
    let sentence = match (cfs, placed.fork) {
        (true, Some(fork)) => forked(cx, &name, placed, &fork),
        (true, None) if is_wakeup(placed.how) => woken(cx, &name, placed),
        (true, None) => format!("{name} keeps its distance to min_vruntime: {at}."),
        (false, _) => by_lag(cx, &name, placed),
    };
    Check {
        title: format!("Where is {name} placed?"),
        result: at,
        sentence,
        kernel: "place_entity(cfs_rq, se, flags)".to_owned(),
        mark: Mark::Yes,
        tasks: vec![task],
        ..Check::default()
    }
}

fn is_wakeup(how: Enqueue) -> bool {
    matches!(how, Enqueue::Wakeup | Enqueue::WakeupMigrated)
}

/// CFS, a sleeper: its own vruntime, or the sleeper credit before `min_vruntime` (R2.6.3, R2.6.4).
fn woken(cx: &Cx<'_>, name: &str, placed: &EnqueueEvidence) -> String {
    let from_min = |time| words::from("min_vruntime", time);
    let own = placed.came.since(placed.min_vruntime);
    let credit = words::time(placed.credit.unsigned_abs());
    let gentle = match cx.setup.kernel.features.has(Feature::GentleFairSleepers) {
        true => "half the period, GENTLE_FAIR_SLEEPERS",
        false => "the whole period, GENTLE_FAIR_SLEEPERS is off",
    };
    if own >= -placed.credit {
        format!(
            "Its own vruntime, {}, is not further back than the sleeper credit of {credit} ({gentle}) \
             allows: it stays.",
            from_min(own)
        )
    } else {
        format!(
            "Its own vruntime is {}. {name} slept: it comes back {credit} before min_vruntime, the \
             sleeper credit ({gentle}), and not further.",
            from_min(own)
        )
    }
}

/// CFS, a new task: START_DEBIT, START_NICE, or neither (R2.11.2, R2.13).
fn forked(cx: &Cx<'_>, name: &str, placed: &EnqueueEvidence, fork: &ForkEvidence) -> String {
    let features = cx.setup.kernel.features;
    let from_min = |time| words::from("min_vruntime", time);
    let weight = words::count(u64::from(placed.weight));
    let parent = fork.parent.map_or_else(String::new, |parent| {
        format!(" Its parent is at {}; the later of the two counts.", from_min(parent))
    });
    let mut out = if features.has(Feature::StartNice) {
        let paid = match fork.penalty.0 {
            0 => "no parent is modelled, so nobody pays".to_owned(),
            penalty => format!(
                "for the next {} of CPU time its vruntime, and that of its parent, advances twice as \
                 fast",
                words::time(penalty)
            ),
        };
        format!("START_NICE (reconstruction): {name} pays no debit; {paid}.{parent}")
    } else if features.has(Feature::StartDebit) {
        format!(
            "START_DEBIT: a new task begins a slice late. With it the slice is {}; at weight {weight} \
             it is put at {} of its parent's queue.{parent}",
            words::time(fork.slice.0),
            from_min(fork.place)
        )
    } else {
        format!("START_DEBIT is off: {name} begins at min_vruntime.{parent}")
    };
    if fork.first {
        out.push_str(" It is to run first and changes places with its parent (child_runs_first).");
    }
    out
}

/// Whether the first request of a new task is half of one (R4.A.23, R4.C.3; without effect in 6.6
/// to 6.11, R4.B.8).
fn halves(cx: &Cx<'_>) -> bool {
    let kernel = &cx.setup.kernel;
    let effective = match kernel.fair {
        FairGeneration::Eevdf2023_03v2 => true,
        fair => fair >= FairGeneration::Eevdf6_12,
    };
    effective && kernel.features.has(Feature::PlaceDeadlineInitial)
}

/// EEVDF: the lag it carries, inflated so that it is right again once it is counted in V (R4.B.6).
fn by_lag(cx: &Cx<'_>, name: &str, placed: &EnqueueEvidence) -> String {
    let deadline = words::from_v(placed.deadline.since(placed.average));
    let request = if placed.deadline_carried {
        format!("What was left of its request goes on: its deadline is {deadline}.")
    } else if placed.how == Enqueue::Fork && halves(cx) {
        format!(
            "PLACE_DEADLINE_INITIAL: its first request is half of {} and ends at {deadline}.",
            words::time(placed.slice.0)
        )
    } else {
        format!("Its request of {} ends at {deadline}.", words::time(placed.slice.0))
    };
    let lag = |ns| format!("lag{NBSP}{}", words::signed_time(ns));
    let place = if placed.lag == 0 {
        let why = match placed.how {
            Enqueue::Fork => "a new task has no lag",
            _ if !cx.setup.kernel.features.has(Feature::PlaceLag) => "PLACE_LAG is off",
            _ if placed.load == 0 => "an empty queue forgets lag",
            _ => "it has no lag",
        };
        format!("{name} is placed at V: {why}.")
    } else if placed.lag == placed.vlag {
        format!("{name} left with {}, and is placed with it.", lag(placed.vlag))
    } else {
        format!(
            "{name} left with {}. It will move V itself by coming, so it is placed with {}, which is \
             {} again once it is counted.",
            lag(placed.vlag),
            lag(placed.lag),
            lag(placed.vlag)
        )
    };
    format!("{place} {request} V is as it was before {name} came.")
}
