//! Why a task runs next: the reason with its numbers, and the checks in the kernel's order.
//!
//! `eevdf` and `cfs` are the two pictures of the world, `walk` is the search through the tree, and
//! `queue` has the figures. Each check and the sentence speak of the queue as it was when they were
//! made: when a delayed task leaves (R4.C.6), V moves and later figures are relative to the new V.

mod cfs;
mod eevdf;
mod queue;
mod walk;

use schedscope_sim::fair::evidence::PickEvidence;
use schedscope_sim::fair::reason::PickReason;
use schedscope_sim::report::PickCause;
use schedscope_sim::units::{CpuId, TaskId};

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
    if figures.queue.rows.is_empty() {
        told.checks.push(nobody(facts));
    } else if cx.setup.kernel.fair.is_cfs() {
        cfs::checks(cx, facts, Queue::new(&figures.queue), &mut told.checks);
    } else {
        told.stages = eevdf::checks(cx, facts, figures, &mut told.checks);
    }
    told.sentence = sentence(cx, facts, figures);
    let last = last_check(cx, facts, &told);
    told.checks.push(last);
    told
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
    let mut out = match facts.next.and_then(|next| queue.row(next)) {
        Some(row) if cx.setup.kernel.fair.is_cfs() => cfs::reason(cx, facts.reason, row, queue),
        Some(row) => eevdf::reason(cx, facts.reason, row, queue),
        None => format!("Nothing is queued on CPU {}.", facts.cpu),
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
