//! Why a task runs next: the reason with its numbers, and the checks in the kernel's order.
//!
//! `eevdf` and `cfs` are the two pictures of the world, `walk` is the search through the tree, and
//! `queue` has the figures. Each check and the sentence speak of the queue as it was when they were
//! made: when a delayed task leaves (R4.C.6), V moves and later figures are relative to the new V.
//! With groups of tasks a pick has two levels: the same code tells of each.

mod cfs;
mod eevdf;
mod queue;
mod walk;

use schedscope_sim::fair::evidence::PickEvidence;
use schedscope_sim::fair::reason::{PickReason, Resched};
use schedscope_sim::report::PickCause;
use schedscope_sim::units::{CpuId, TaskGroupId, TaskId};

use super::{Check, Cx, Mark, Told};
use crate::words;

pub(super) use queue::{Queue, lag};
pub(super) use walk::visit;
pub use walk::walk;

/// What the record of a pick says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    pub(super) cpu: CpuId,
    pub(super) prev: Option<TaskId>,
    pub(super) next: Option<TaskId>,
    pub(super) reason: PickReason,
    pub(super) cause: PickCause,
}

/// Puts a pick into words.
pub(super) fn tell(cx: &Cx<'_>, facts: &Facts, figures: Option<&PickEvidence>) -> Told {
    let mut told = Told { cpu: facts.cpu, task: facts.next.or(facts.prev), ..Told::default() };
    told.heading = heading(cx, facts);
    // After a newidle pull, the figures are those of the queue before it: nothing to show.
    let figures = figures.filter(|figures| figures.pick.next == facts.next);
    let Some(figures) = figures else {
        told.sentence = match facts.next {
            Some(next) => format!("{} was pulled from another CPU just now.", cx.name(next)),
            None => format!("Nothing is queued on CPU {}.", facts.cpu),
        };
        told.checks.push(last_check(cx, facts, &told));
        return told;
    };
    told.sentence = levels(cx, facts, figures, &mut told);
    let last = last_check(cx, facts, &told);
    told.checks.push(last);
    told
}

/// The checks of a pick, and the sentence: where there are groups of tasks, of the root queue, and
/// then of the queue of the group that was chosen there.
fn levels(cx: &Cx<'_>, facts: &Facts, figures: &PickEvidence, told: &mut Told) -> String {
    let Some(inner) = &figures.inner else {
        let prev = figures.queue.rows.iter().find(|row| row.running && row.group.is_some());
        let facts = Facts { prev: prev.map_or(facts.prev, |row| Some(row.task)), ..*facts };
        return one(cx, &facts, figures, told);
    };
    let group = cx.setup.group_entity(facts.cpu, inner.group);
    let queue = Queue::new(&figures.queue);
    let running = queue.running().filter(|row| row.group.is_some());
    let prev = running.map_or(facts.prev, |row| Some(row.task));
    // The tick may have asked for this at either level.
    let none = PickCause::Resched(Resched::Other);
    let (above, below) = match cfs::tick_fits(facts.cause, prev, queue) {
        true => (facts.cause, none),
        false => (none, facts.cause),
    };
    let outer = Facts { prev, next: Some(group), reason: inner.reason, cause: above, ..*facts };
    let mut root = figures.clone();
    root.walk.pop();
    let first = one(cx, &outer, &root, told);
    let name = cx.name(group);
    told.checks.push(Check {
        title: format!("Is {name} a task?"),
        result: "no: a group".to_owned(),
        sentence: format!("{name} is a group of tasks, so one of its own queue is picked now."),
        kernel: "cfs_rq = group_cfs_rq(se)".to_owned(),
        mark: Mark::Yes,
        tasks: vec![group],
        ..Check::default()
    });
    told.stages.push(told.checks.len());
    let stays = running.is_some_and(|row| row.group == Some(inner.group));
    let facts = Facts { prev: facts.prev.filter(|_| stays), cause: below, ..*facts };
    let inside = PickEvidence {
        queue: inner.queue.clone(),
        walk: inner.walk.clone(),
        inner: None,
        completed: Vec::new(),
        after: Vec::new(),
        pick: figures.pick,
    };
    let mut deeper = Told::default();
    let second = one(cx, &facts, &inside, &mut deeper);
    told.checks.append(&mut deeper.checks);
    format!("First the group {name}: {first} Then inside it: {second}")
}

/// The same of one level.
fn one(cx: &Cx<'_>, facts: &Facts, figures: &PickEvidence, told: &mut Told) -> String {
    if figures.queue.rows.is_empty() {
        told.checks.push(nobody(facts));
    } else if cx.setup.kernel.fair.is_cfs() {
        cfs::checks(cx, facts, Queue::new(&figures.queue), &mut told.checks);
    } else {
        told.stages = eevdf::checks(cx, facts, figures, &mut told.checks);
    }
    sentence(cx, facts, figures)
}

/// Whose queue it is, where there are groups of tasks; empty otherwise.
#[must_use]
pub fn level(cx: &Cx<'_>, group: Option<TaskGroupId>) -> String {
    match group {
        Some(group) => format!("Inside {}", cx.group_name(group)),
        None if cx.setup.groups.is_empty() => String::new(),
        None => "Root queue".to_owned(),
    }
}

fn heading(cx: &Cx<'_>, facts: &Facts) -> String {
    match (facts.next, facts.reason) {
        (Some(next), PickReason::FlawedSearch { missed }) => {
            format!("{} runs next, where {} should", cx.name(next), cx.name(missed))
        }
        (Some(next), _) if facts.prev == Some(next) => format!("{} keeps the CPU", cx.name(next)),
        (Some(next), _) => format!("{} runs next", cx.name(next)),
        (None, _) => format!("CPU {} goes idle", facts.cpu),
    }
}

fn nobody(facts: &Facts) -> Check {
    Check {
        title: format!("Is a task queued on CPU {}?", facts.cpu),
        result: "no".to_owned(),
        sentence: format!("The queue of CPU {} is empty.", facts.cpu),
        kernel: "cfs_rq->nr_running".to_owned(),
        mark: Mark::No,
        ..Check::default()
    }
}

/// The last check says what was picked.
fn last_check(cx: &Cx<'_>, facts: &Facts, told: &Told) -> Check {
    Check {
        title: "Pick".to_owned(),
        result: facts.next.map_or_else(|| "idle".to_owned(), |next| cx.name(next)),
        sentence: format!("{}. {}", told.heading, told.sentence),
        kernel: match facts.next {
            Some(_) => "set_next_entity(cfs_rq, se)".to_owned(),
            None => "pick_next_task_idle(rq)".to_owned(),
        },
        mark: Mark::Chosen,
        tasks: facts.next.into_iter().collect(),
        ..Check::default()
    }
}

/// Why this one, with the numbers of the queue in which the choice was made.
fn sentence(cx: &Cx<'_>, facts: &Facts, figures: &PickEvidence) -> String {
    let queue = Queue::new(figures.after.last().unwrap_or(&figures.queue));
    let cfs = cx.setup.kernel.fair.is_cfs();
    let mut out = match (facts.next.and_then(|next| queue.row(next)), facts.reason) {
        (Some(row), PickReason::OnlyOne) => match row.group {
            Some(_) => format!("{} is all that is queued.", cx.name(row.task)),
            None => format!("{} is the only queued task.", cx.name(row.task)),
        },
        (Some(row), reason) if cfs => cfs::reason(cx, reason, row, queue),
        (Some(row), reason) => eevdf::reason(cx, reason, row, queue),
        (None, _) => format!("Nothing is queued on CPU {}.", facts.cpu),
    };
    match figures.completed.as_slice() {
        [] => {}
        [one] => {
            let name = cx.name(*one);
            out.push_str(&format!(" {name} sleeps and has left: its lag is paid."));
        }
        many => {
            let names = words::list(&cx.names(many), 4);
            out.push_str(&format!(" {names} sleep and have left: their lag is paid."));
        }
    }
    out
}
