//! CFS: whether the turn of the running task is over, whose vruntime is the smallest, and who may
//! go before that one: the second after a yield, the buddies, the first by latency-nice.

use schedscope_sim::fair::evidence::EntityEvidence;
use schedscope_sim::fair::reason::{NearRule, NearTest, PickReason, Resched};
use schedscope_sim::kernel::FairGeneration;
use schedscope_sim::report::PickCause;
use schedscope_sim::units::{TaskId, Vtime};

use super::super::{Check, Cx, Mark};
use super::Facts;
use super::queue::Queue;
use crate::words;

/// The checks of a pick. Where the tick asked for it, they begin with the tick's own (R2.9.2).
pub(super) fn checks(cx: &Cx<'_>, facts: &Facts, queue: Queue<'_>, checks: &mut Vec<Check>) {
    tick(cx, facts, queue, checks);
    let first = queue.waiting().next();
    if let Some(first) = first {
        let name = cx.name(first.task);
        checks.push(Check {
            title: "Which waiting task has the smallest vruntime?".to_owned(),
            result: name.clone(),
            sentence: format!(
                "{name}, at {}: it is the leftmost of the tree, which is sorted by vruntime.",
                queue.of_min(first.vruntime)
            ),
            kernel: "__pick_first_entity(cfs_rq)".to_owned(),
            mark: Mark::Yes,
            tasks: vec![first.task],
            ..Check::default()
        });
    }
    if let Some(curr) = queue.running() {
        let name = cx.name(curr.task);
        let smaller = first.is_none_or(|first| curr.vruntime.before(first.vruntime));
        checks.push(Check {
            title: format!("Is the vruntime of {name}, which is running, smaller?"),
            result: if smaller { "yes" } else { "no" }.to_owned(),
            sentence: format!("{name} is at {}.", queue.of_min(curr.vruntime)),
            kernel: "curr && entity_before(curr, left)".to_owned(),
            mark: if smaller { Mark::Yes } else { Mark::No },
            tasks: vec![curr.task],
            ..Check::default()
        });
    }
    for test in &queue.figures.near {
        checks.push(near(cx, test, queue));
    }
    if queue.figures.near.is_empty() && queue.rows().len() > 1 {
        checks.push(no_buddy(cx));
    }
    if let Some(row) =
        facts.next.and_then(|next| queue.row(next)).filter(|_| queue.rows().len() > 1)
    {
        checks.push(slice(cx, row, queue));
    }
}

/// Nobody asks to go before the leftmost.
fn no_buddy(cx: &Cx<'_>) -> Check {
    let (sentence, kernel) = match cx.setup.kernel.fair {
        FairGeneration::Cfs2_6_36 => (
            "Neither a next buddy (NEXT_BUDDY: who woke last) nor a last buddy (LAST_BUDDY: whom a \
             wakeup preempted) is set.",
            "cfs_rq->next, cfs_rq->last",
        ),
        FairGeneration::Cfs6_1LatencyNice => (
            "No next, last or skip buddy is set, and nobody else is first by latency-nice.",
            "cfs_rq->next, ->last, ->skip; latency_first",
        ),
        _ => ("No next, last or skip buddy is set.", "cfs_rq->next, ->last, ->skip"),
    };
    Check {
        title: "Does anybody ask to go first?".to_owned(),
        result: "no".to_owned(),
        sentence: sentence.to_owned(),
        kernel: kernel.to_owned(),
        mark: Mark::No,
        ..Check::default()
    }
}

/// `1 024 of 2 048 parts of the weight`; inside a group, of what the group has of its own.
fn parts(row: &EntityEvidence, queue: Queue<'_>) -> String {
    let weight = words::count(u64::from(row.weight));
    let load = words::count(queue.figures.load);
    match queue.figures.above {
        None => format!("{weight} of {load} parts of the weight"),
        Some((group, all)) => format!(
            "{weight} of {load} parts of what its group has, and that has {} of {} parts of the \
             weight",
            words::count(u64::from(group)),
            words::count(all)
        ),
    }
}

/// The slice of the period that the tick will hold against it (R2.5.2).
fn slice(cx: &Cx<'_>, row: &EntityEvidence, queue: Queue<'_>) -> Check {
    let name = cx.name(row.task);
    let tasks = queue.count(queue.rows().len(), "");
    let period = words::time(queue.figures.period.map_or(0, |period| period.0));
    Check {
        title: "How long may it run?".to_owned(),
        result: words::time(row.slice.0),
        sentence: format!(
            "In the period of {period} each of the {tasks} is to run once. {name} has {}: its slice, \
             which the tick holds against it, is {}.",
            parts(row, queue),
            words::exact(row.slice.0 as i64)
        ),
        kernel: "sched_slice(cfs_rq, se)".to_owned(),
        tasks: vec![row.task],
        ..Check::default()
    }
}

/// Why the task of `row` was picked.
pub(super) fn reason(
    cx: &Cx<'_>,
    reason: PickReason,
    row: &EntityEvidence,
    queue: Queue<'_>,
) -> String {
    let name = cx.name(row.task);
    let at = queue.of_min(row.vruntime);
    let passed = |rule| queue.figures.near.iter().find(|test| test.near && test.rule == rule);
    let against = |rule| passed(rule).map_or_else(String::new, |test| within(cx, test));
    match reason {
        PickReason::CurrLeftmost => {
            format!("{name} runs, and its vruntime, {at}, is smaller than that of all who wait.")
        }
        PickReason::NextBuddy => {
            format!("{name} is the next buddy{}.", against(NearRule::Next))
        }
        PickReason::LastBuddy => format!(
            "{name} is the last buddy, preempted by a wakeup just now{}.",
            against(NearRule::Last)
        ),
        PickReason::FirstYielded => format!(
            "The first of the tree has yielded, so {name} runs, the second{}.",
            against(NearRule::Second)
        ),
        PickReason::LatencyFirst => format!(
            "{name} is the first of the tree of those who want low latency{}.",
            against(NearRule::Latency)
        ),
        _ => {
            let n = queue.rows().len();
            format!("{name} has the smallest vruntime, {at}, of {}.", queue.count(n, "queued"))
        }
    }
}

/// `: its vruntime is 0.40 ms larger than that of B, and up to 1.00 ms is allowed`.
fn within(cx: &Cx<'_>, test: &NearTest) -> String {
    let other = cx.name(test.against);
    match test.ahead {
        _ if test.task == test.against => ", and the leftmost as well".to_owned(),
        ..=0 => format!(", and its vruntime is not larger than that of {other}"),
        ahead => format!(
            ": its vruntime is {} larger than that of {other}, and up to {} is allowed",
            words::time(ahead.unsigned_abs()),
            words::signed_span(test.threshold)
        ),
    }
}

/// Whether a task may go before the one found so far (`wakeup_preempt_entity()` < 1).
fn near(cx: &Cx<'_>, test: &NearTest, queue: Queue<'_>) -> Check {
    let (name, other) = (cx.name(test.task), cx.name(test.against));
    let (title, who, kernel) = match test.rule {
        NearRule::Second => (
            format!("{other} has yielded. May {name}, the second, go first?"),
            format!("{other} is the skip buddy."),
            "cfs_rq->skip == se && wakeup_preempt_entity(second, left) < 1",
        ),
        NearRule::Next => (
            format!("May the next buddy, {name}, go first?"),
            match cx.setup.kernel.fair {
                FairGeneration::Cfs2_6_36 => format!("NEXT_BUDDY: {name} woke last."),
                _ => format!("{name} is to run next: it preempted by its wakeup, or woke last."),
            },
            "cfs_rq->next && wakeup_preempt_entity(cfs_rq->next, left) < 1",
        ),
        NearRule::Last => (
            format!("May the last buddy, {name}, go first?"),
            format!("LAST_BUDDY: {name} ran when a wakeup preempted it; its cache is still warm."),
            "cfs_rq->last && wakeup_preempt_entity(cfs_rq->last, left) < 1",
        ),
        NearRule::Latency => (
            format!("May {name}, the first by latency-nice, go before {other}?"),
            latency_first(cx, test, queue),
            "wakeup_preempt_entity(latency_first, se) < 1",
        ),
    };
    let sentence = format!("{who} {}", distance(cx, test, queue));
    Check {
        title,
        result: if test.near { "yes" } else { "no: too far ahead" }.to_owned(),
        sentence,
        kernel: kernel.to_owned(),
        mark: if test.near { Mark::Yes } else { Mark::No },
        limit: match test.task == test.against {
            true => None,
            false => queue
                .row(test.against)
                .map(|row| row.vruntime.plus(test.threshold).since(queue.v())),
        },
        tasks: match test.task == test.against {
            true => vec![test.task],
            false => vec![test.task, test.against],
        },
        ..Check::default()
    }
}

/// `The second tree is sorted by vruntime + offset: E, at min + 1.20 ms − 12.00 ms.`
fn latency_first(cx: &Cx<'_>, test: &NearTest, queue: Queue<'_>) -> String {
    let name = cx.name(test.task);
    match queue.row(test.task) {
        Some(row) => format!(
            "The second tree is sorted by vruntime + offset, and {name} is its first: {} with an \
             offset of {}.",
            queue.of_min(row.vruntime),
            words::signed_time(row.latency_offset)
        ),
        None => format!("{name} is the first of the second tree."),
    }
}

/// By how much it is ahead, and how much is allowed, as a sentence.
fn distance(cx: &Cx<'_>, test: &NearTest, queue: Queue<'_>) -> String {
    let other = cx.name(test.against);
    let lead = |ahead: i64| match ahead {
        0 => format!("Its vruntime is that of {other}"),
        _ => format!(
            "Its vruntime is {} {} than that of {other}",
            words::time(ahead.unsigned_abs()),
            if ahead > 0 { "larger" } else { "smaller" }
        ),
    };
    if test.task == test.against {
        return "It is the leftmost itself.".to_owned();
    }
    let weight = queue.row(test.against).map_or(0, |row| u64::from(row.weight));
    let granularity = format!(
        "the wakeup granularity of {} at weight {} of {other}",
        words::time(cx.setup.kernel.cfs.wakeup_granularity.0),
        words::count(weight)
    );
    match test.offset {
        None if test.ahead <= 0 => format!("{}.", lead(test.ahead)),
        None => format!(
            "{}; up to {} is allowed ({granularity}).",
            lead(test.ahead),
            words::signed_span(test.threshold)
        ),
        Some(offset) => format!(
            "{}. With the offset of {} between the two and {granularity}, up to {} is allowed.",
            lead(test.ahead),
            words::signed_time(offset),
            words::signed_span(test.threshold)
        ),
    }
}

/// Whether what the tick asked this pick for is true of this queue (R2.9.2).
pub(super) fn tick_fits(cause: PickCause, prev: Option<TaskId>, queue: Queue<'_>) -> bool {
    let Some(row) = prev.and_then(|prev| queue.row(prev)) else { return false };
    match cause {
        PickCause::Resched(Resched::SliceDone) => row.ran > row.slice,
        PickCause::Resched(Resched::AheadOfLeftmost) => {
            let others = queue.rows().iter().filter(|other| other.task != row.task);
            let ahead = others.map(|other| row.vruntime.since(other.vruntime)).max();
            ahead.is_some_and(|ahead| ahead < 0 || ahead as u64 > row.slice.0)
        }
        _ => true,
    }
}

/// The tick's comparisons, if the tick asked for this pick (R2.9.2, `check_preempt_tick()`).
fn tick(cx: &Cx<'_>, facts: &Facts, queue: Queue<'_>, checks: &mut Vec<Check>) {
    let done = match facts.cause {
        PickCause::Resched(Resched::SliceDone) => true,
        PickCause::Resched(Resched::AheadOfLeftmost) => false,
        _ => return,
    };
    let Some(row) = facts.prev.and_then(|prev| queue.row(prev)) else { return };
    let name = cx.name(row.task);
    let (ran, slice) = (words::time(row.ran.0), words::time(row.slice.0));
    let n = queue.rows().len();
    let period = queue.figures.period.map_or(0, |period| period.0);
    checks.push(Check {
        title: format!("Tick: has {name} used its slice?"),
        result: if done { "yes: reschedule" } else { "no" }.to_owned(),
        sentence: format!(
            "{name} has run {} since it was picked. Of the period of {} for {}, it has {}: {}.",
            words::exact(row.ran.0 as i64),
            words::time(period),
            queue.count(n, ""),
            parts(row, queue),
            words::exact(row.slice.0 as i64)
        ),
        kernel: "delta_exec > ideal_runtime".to_owned(),
        mark: if done { Mark::Yes } else { Mark::No },
        tasks: vec![row.task],
        ..Check::default()
    });
    if done {
        return;
    }
    let granularity = cx.setup.kernel.cfs.min_granularity.0;
    checks.push(Check {
        title: format!("Tick: has {name} run for less than the minimum granularity?"),
        result: "no: go on".to_owned(),
        sentence: format!(
            "{name} has run {ran}; below {} nobody is asked.",
            words::time(granularity)
        ),
        kernel: "delta_exec < sysctl_sched_min_granularity".to_owned(),
        mark: Mark::No,
        tasks: vec![row.task],
        ..Check::default()
    });
    let others = queue.rows().iter().filter(|other| other.task != row.task);
    let Some(first) = others.min_by_key(|other| other.vruntime.since(Vtime(0))) else { return };
    let ahead = row.vruntime.since(first.vruntime);
    let leftmost = cx.name(first.task);
    let sentence = if ahead < 0 {
        format!(
            "{name} is {} behind {leftmost}, the leftmost. 2.6.36 compares that as an unsigned \
             number, so it counts as far ahead.",
            words::time(ahead.unsigned_abs())
        )
    } else {
        format!(
            "{name} is {} ahead of {leftmost}, the leftmost: more than its slice of {slice}.",
            words::time(ahead.unsigned_abs())
        )
    };
    checks.push(Check {
        title: format!("Tick: is {name} more than its slice ahead of the leftmost?"),
        result: "yes: reschedule".to_owned(),
        sentence,
        kernel: "curr->vruntime - left->vruntime > ideal_runtime".to_owned(),
        mark: Mark::Yes,
        tasks: vec![row.task, first.task],
        ..Check::default()
    });
}
