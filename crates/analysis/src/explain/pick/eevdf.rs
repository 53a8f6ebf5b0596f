//! EEVDF: V, the next buddy, the running task and its protection, the search; again after each
//! completed dequeue.

use schedscope_sim::fair::evidence::{EntityEvidence, PickEvidence};
use schedscope_sim::fair::reason::{PickReason, Visit};
use schedscope_sim::kernel::{FairGeneration, Feature};
use schedscope_sim::report::PickCause;
use schedscope_sim::units::TaskId;

use super::super::{Check, Cx, Mark};
use super::queue::{Queue, lag};
use super::{Facts, nobody, walk};
use crate::words::{self, NBSP};

/// Why the task of `row` was picked.
pub(super) fn reason(
    cx: &Cx<'_>,
    reason: PickReason,
    row: &EntityEvidence,
    queue: Queue<'_>,
) -> String {
    let name = cx.name(row.task);
    let deadline = queue.relative(row.deadline);
    let waiting = queue.waiting().count();
    match reason {
        PickReason::Parity => format!(
            "RUN_TO_PARITY: {name} is eligible ({}) and still in the {}, which ends at {}.",
            lag(row),
            match cx.setup.kernel.fair >= FairGeneration::Eevdf6_17 {
                true => "protected part of its slice",
                false => "request it was picked for",
            },
            queue.relative(row.protected_until.unwrap_or(row.deadline))
        ),
        PickReason::NextBuddy => format!(
            "NEXT_BUDDY: {name} woke last and is eligible ({}), so it goes first whatever the \
             deadlines are.",
            lag(row)
        ),
        PickReason::EarliestEligible => {
            let eligible = queue.eligible();
            let mut out = if eligible == 1 {
                format!(
                    "{name} is the only eligible one of {}: its vruntime is {}, its deadline \
                     {deadline}.",
                    queue.count(queue.rows().len(), ""),
                    queue.vruntime(row)
                )
            } else {
                format!(
                    "Of the {}, {name} has the earliest virtual deadline: {deadline}.",
                    queue.count(eligible, "eligible")
                )
            };
            let (ties, running): (Vec<TaskId>, Vec<TaskId>) = queue
                .ties(row)
                .into_iter()
                .partition(|task| queue.waiting().any(|other| other.task == *task));
            if !ties.is_empty() {
                let names = words::list(&cx.names(&ties), 3);
                let have = if ties.len() == 1 { "has" } else { "have" };
                out.push_str(&format!(
                    " {names} {have} the same deadline; the tree's order decides."
                ));
            }
            if let Some(curr) = running.first() {
                out.push_str(&format!(
                    " {}, which runs, has the same deadline; of equal ones the waiting task is taken.",
                    cx.name(*curr)
                ));
            }
            out.push_str(&earlier(cx, row, queue));
            out
        }
        PickReason::CurrEarlier => {
            let best = queue
                .waiting()
                .filter(|other| other.eligible)
                .min_by_key(|other| other.deadline.since(row.deadline));
            let mut out = match best {
                Some(best) if best.deadline == row.deadline => format!(
                    "{name} is eligible, and no eligible waiting task has an earlier deadline than \
                     {deadline}; {} has the same.",
                    cx.name(best.task)
                ),
                Some(best) => format!(
                    "{name} is eligible, and its deadline {deadline} is earlier than that of every \
                     eligible waiting task ({}: {}).",
                    cx.name(best.task),
                    queue.relative(best.deadline)
                ),
                None => format!("{name} is eligible and has the earliest deadline, {deadline}."),
            };
            out.push_str(&earlier(cx, row, queue));
            out
        }
        PickReason::CurrOnlyEligible => {
            let rest = match waiting {
                1 => "the waiting task is not".to_owned(),
                n => {
                    format!("none of the {} is", queue.count(n, "waiting"))
                }
            };
            format!("{name} is eligible ({}); {rest}.", lag(row))
        }
        PickReason::FlawedSearch { missed } => {
            let theirs = queue.row(missed).map(|row| queue.relative(row.deadline));
            format!(
                "The flaw of this proposal's search: it went right and forgot the left subtree, where \
                 {}, eligible, has the earliest deadline ({}). It found {name}, with {deadline}.",
                cx.name(missed),
                theirs.unwrap_or_default()
            )
        }
        PickReason::Fallback => format!(
            "No task counts as eligible, which only an overflow of the sums brings about. {name} is \
             the first of the tree."
        ),
        PickReason::Idle
        | PickReason::OnlyOne
        | PickReason::Leftmost
        | PickReason::CurrLeftmost
        | PickReason::LastBuddy
        | PickReason::FirstYielded
        | PickReason::LatencyFirst => unreachable!("a reason of CFS, or one that needs no figures"),
    }
}

/// ` C has an earlier deadline but is not eligible.`, or nothing.
fn earlier(cx: &Cx<'_>, row: &EntityEvidence, queue: Queue<'_>) -> String {
    let before = queue.earlier_not_eligible(row);
    match before.as_slice() {
        [] => String::new(),
        [one] => format!(" {} has an earlier deadline but is not eligible.", cx.name(*one)),
        many => format!(
            " {} have earlier deadlines but are not eligible.",
            words::list(&cx.names(many), 4)
        ),
    }
}

/// Whether the tree is sorted by deadline, and a task alone needs no search (R4.B.13).
fn is_6_12(cx: &Cx<'_>) -> bool {
    cx.setup.kernel.fair.sorts_by_deadline()
}

fn average(cx: &Cx<'_>, queue: Queue<'_>, gone: Option<(TaskId, Queue<'_>)>) -> Check {
    let tasks = queue.count(queue.rows().len(), "queued");
    let (title, sentence) = match gone {
        None => (
            "What is V?".to_owned(),
            format!(
                "V is the average vruntime of the {tasks}, weighted by load weight. A task is \
                 eligible while its vruntime is at or before V."
            ),
        ),
        Some((task, before)) => {
            let moved = words::signed_time(queue.v().since(before.v()));
            (
                format!("What is V without {}?", cx.name(task)),
                format!("V is the average of the {tasks} that are left: it moves by {moved}."),
            )
        }
    };
    Check {
        title,
        result: format!("V{NBSP}={NBSP}{}", words::exact(queue.v().signed())),
        sentence,
        kernel: "avg_vruntime(cfs_rq)".to_owned(),
        tasks: queue.rows().iter().map(|row| row.task).collect(),
        ..Check::default()
    }
}

fn buddy(cx: &Cx<'_>, next: TaskId, queue: Queue<'_>) -> Check {
    let name = cx.name(next);
    let eligible = queue.row(next).is_some_and(|row| row.eligible);
    Check {
        title: format!("Is the next buddy, {name}, eligible?"),
        result: if eligible { "yes" } else { "no" }.to_owned(),
        sentence: match queue.row(next) {
            Some(row) if eligible => format!(
                "{name} woke last. Its vruntime is {}, so NEXT_BUDDY takes it.",
                queue.vruntime(row)
            ),
            Some(row) => {
                format!("{name} woke last, but its vruntime is {}.", queue.vruntime(row))
            }
            None => format!("{name} woke last, but is no longer queued."),
        },
        kernel: "cfs_rq->next && entity_eligible(cfs_rq, cfs_rq->next)".to_owned(),
        mark: if eligible { Mark::Yes } else { Mark::No },
        tasks: vec![next],
        ..Check::default()
    }
}

/// The checks of a pick, in rounds: a delayed task that is chosen leaves, and the pick starts again
/// with the queue that is left (R4.C.6). Gives the numbers of the checks with which the second
/// round and those after it begin.
pub(super) fn checks(
    cx: &Cx<'_>,
    facts: &Facts,
    figures: &PickEvidence,
    checks: &mut Vec<Check>,
) -> Vec<usize> {
    let mut stages = Vec::new();
    let mut walk = figures.walk.as_slice();
    let mut gone: Option<(TaskId, Queue<'_>)> = None;
    for queue in std::iter::once(&figures.queue).chain(&figures.after).map(Queue::new) {
        if gone.is_some() {
            stages.push(checks.len());
        }
        let end = walk.iter().position(|(_, visit)| *visit == Visit::Completed);
        let visits = &walk[..end.unwrap_or(walk.len())];
        match queue.rows().len() {
            0 => checks.push(nobody(facts)),
            1 if is_6_12(cx) => checks.push(only_one(cx, queue)),
            _ => round(cx, facts, queue, gone, visits, checks),
        }
        let Some(end) = end else { break };
        let task = walk[end].0;
        checks.push(walk::completed(cx, task, queue));
        walk = &walk[end + 1..];
        gone = Some((task, queue));
    }
    stages
}

/// V, the next buddy, the running task, its protection, and the search.
fn round(
    cx: &Cx<'_>,
    facts: &Facts,
    queue: Queue<'_>,
    gone: Option<(TaskId, Queue<'_>)>,
    visits: &[(TaskId, Visit)],
    checks: &mut Vec<Check>,
) {
    checks.push(average(cx, queue, gone));
    if let Some(next) = queue.figures.next.filter(|_| honours_buddy(cx)) {
        checks.push(buddy(cx, next, queue));
        if queue.row(next).is_some_and(|row| row.eligible) {
            return;
        }
    }
    if queue.rows().len() == 1 {
        checks.push(only_one(cx, queue));
    }
    let curr = curr_checks(cx, facts, queue, checks);
    for (node, visit) in visits {
        checks.push(walk::visit(cx, *node, *visit, queue));
    }
    if let Some(curr) = curr
        && !visits.is_empty()
    {
        checks.extend(against_curr(cx, curr, visits, queue));
    }
    if let (PickReason::FlawedSearch { missed }, Some(found)) = (facts.reason, facts.next) {
        checks.extend(flaw(cx, found, missed, queue));
    }
}

/// Whether a pick asks for the next buddy (R4.A.11, 4C.2).
fn honours_buddy(cx: &Cx<'_>) -> bool {
    let kernel = &cx.setup.kernel;
    match kernel.fair {
        FairGeneration::Eevdf2023_03 => false,
        fair if fair >= FairGeneration::Eevdf6_17 => kernel.features.has(Feature::PickBuddy),
        _ => kernel.features.has(Feature::NextBuddy),
    }
}

/// The flaw of the proposals of March 2023, when it strikes (R4.A.8).
fn flaw(cx: &Cx<'_>, found: TaskId, missed: TaskId, queue: Queue<'_>) -> Option<Check> {
    let (it, other) = (queue.row(missed)?, queue.row(found)?);
    let (found, missed) = (cx.name(found), cx.name(missed));
    Some(Check {
        title: "Is that the earliest eligible deadline?".to_owned(),
        result: format!("no: {missed} was missed"),
        sentence: format!(
            "{missed} is eligible ({}) and has the deadline {}, earlier than {} of {found}. It is in \
             a left subtree that the search forgot. 6.6 keeps such a subtree in mind.",
            lag(it),
            queue.relative(it.deadline),
            queue.relative(other.deadline)
        ),
        kernel: "pick_eevdf() of March 2023, before it was mended".to_owned(),
        mark: Mark::No,
        tasks: vec![it.task, other.task],
        ..Check::default()
    })
}

fn only_one(cx: &Cx<'_>, queue: Queue<'_>) -> Check {
    let row = &queue.rows()[0];
    Check {
        title: "Is only one task queued?".to_owned(),
        result: format!("yes: {}", cx.name(row.task)),
        sentence: "With one queued task there is nothing to choose.".to_owned(),
        kernel: "cfs_rq->nr_running == 1".to_owned(),
        mark: Mark::Yes,
        tasks: vec![row.task],
        ..Check::default()
    }
}

/// The running task's part; gives it back if it is a candidate and not protected.
fn curr_checks(
    cx: &Cx<'_>,
    facts: &Facts,
    queue: Queue<'_>,
    checks: &mut Vec<Check>,
) -> Option<TaskId> {
    let kernel = "curr->on_rq && entity_eligible(cfs_rq, curr)".to_owned();
    let Some(row) = queue.running() else {
        let prev = facts.prev?;
        if queue.row(prev).is_some() {
            // It went back into the tree before the choice and is a candidate like any other.
            return None;
        }
        let name = cx.name(prev);
        checks.push(Check {
            title: format!("Is {name} still a candidate?"),
            result: "no: it left".to_owned(),
            sentence: if facts.cause == PickCause::Block {
                format!("{name} went to sleep and left the queue, so it is not a candidate.")
            } else {
                format!("{name} is no longer queued here, so it is not a candidate.")
            },
            kernel,
            mark: Mark::No,
            tasks: vec![prev],
            ..Check::default()
        });
        return None;
    };
    let name = cx.name(row.task);
    checks.push(Check {
        title: format!("Is {name}, which is running, eligible?"),
        result: if row.eligible { "yes" } else { "no" }.to_owned(),
        sentence: match (row.eligible, row.delayed) {
            (true, false) => {
                format!("Its vruntime is {}. It stays in the race.", queue.vruntime(row))
            }
            (false, false) => format!(
                "Its vruntime is {}: it has had more than its share and cannot be picked now.",
                queue.vruntime(row)
            ),
            (true, true) => format!(
                "{name} sleeps but is still queued. Its vruntime is {}.",
                queue.vruntime(row)
            ),
            (false, true) => format!(
                "{name} went to sleep with its vruntime {}, so its dequeue is delayed: it stays \
                 queued until its lag is paid.",
                queue.vruntime(row)
            ),
        },
        kernel,
        mark: if row.eligible { Mark::Yes } else { Mark::No },
        tasks: vec![row.task],
        ..Check::default()
    });
    if !row.eligible {
        return None;
    }
    if cx.setup.kernel.fair >= FairGeneration::Eevdf6_6 {
        checks.push(parity(cx, row, queue));
    }
    (!row.protected).then_some(row.task)
}

fn parity(cx: &Cx<'_>, row: &EntityEvidence, queue: Queue<'_>) -> Check {
    let name = cx.name(row.task);
    let on = cx.setup.kernel.features.has(Feature::RunToParity);
    let until = cx.setup.kernel.fair >= FairGeneration::Eevdf6_17;
    let sentence = match row.protected_until {
        Some(end) => format!(
            "RUN_TO_PARITY: a picked task runs until it is not eligible or its {} is used. That of \
             {name} ends at {}.",
            if until { "protected slice" } else { "request" },
            queue.relative(end)
        ),
        None if !on => "RUN_TO_PARITY is off.".to_owned(),
        None => format!(
            "{name} is past the {} it was picked for, or a shorter slice has cut it short \
             (PREEMPT_SHORT).",
            if until { "protected slice" } else { "request" }
        ),
    };
    Check {
        title: format!("Does RUN_TO_PARITY protect {name}?"),
        result: if row.protected { "yes" } else { "no" }.to_owned(),
        sentence,
        kernel: match until {
            true => "sched_feat(RUN_TO_PARITY) && protect_slice(curr)",
            false => "sched_feat(RUN_TO_PARITY) && curr->vlag == curr->deadline",
        }
        .to_owned(),
        mark: if row.protected { Mark::Yes } else { Mark::No },
        limit: row.protected_until.map(|until| until.since(queue.v())),
        tasks: vec![row.task],
        skipped: !on,
        ..Check::default()
    }
}

/// The running task against what the search found.
fn against_curr(
    cx: &Cx<'_>,
    curr: TaskId,
    visits: &[(TaskId, Visit)],
    queue: Queue<'_>,
) -> Option<Check> {
    // In 6.6 the running task takes part in the search itself.
    if !is_6_12(cx) {
        return None;
    }
    let row = queue.row(curr)?;
    let found = visits.iter().rev().find_map(|(node, visit)| {
        matches!(visit, Visit::FirstEligible | Visit::Eligible).then_some(*node)
    });
    let name = cx.name(curr);
    let kernel = "!best || (curr && entity_before(curr, best))".to_owned();
    let tasks: Vec<TaskId> = [Some(curr), found].into_iter().flatten().collect();
    Some(match found.and_then(|found| queue.row(found)) {
        Some(other) => {
            let earlier = row.deadline.before(other.deadline);
            let found = cx.name(other.task);
            Check {
                title: format!("Is the deadline of {name}, which is running, earlier?"),
                result: if earlier { "yes" } else { "no" }.to_owned(),
                sentence: format!(
                    "{name} has {}, {found} has {}.",
                    queue.relative(row.deadline),
                    queue.relative(other.deadline)
                ),
                kernel,
                mark: if earlier { Mark::Yes } else { Mark::No },
                tasks,
                ..Check::default()
            }
        }
        None => Check {
            title: format!("Has the search found somebody to replace {name}?"),
            result: "no".to_owned(),
            sentence: format!("No waiting task is eligible, so {name} stays."),
            kernel,
            mark: Mark::No,
            tasks,
            ..Check::default()
        },
    })
}
