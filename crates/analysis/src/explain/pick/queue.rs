//! A queue as a decision sees it, and its figures in words: relative to V, or to `min_vruntime`.

use schedscope_sim::fair::evidence::{EntityEvidence, NodeEvidence, QueueEvidence};
use schedscope_sim::order;
use schedscope_sim::units::{TaskId, Vtime};

use crate::words::{self, NBSP};

/// A queue as a decision sees it.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Queue<'a> {
    pub(super) figures: &'a QueueEvidence,
}

impl<'a> Queue<'a> {
    pub(in super::super) fn new(figures: &'a QueueEvidence) -> Queue<'a> {
        Queue { figures }
    }

    pub(super) fn rows(self) -> &'a [EntityEvidence] {
        &self.figures.rows
    }

    /// V (R4.B.3).
    pub(super) fn v(self) -> Vtime {
        self.figures.average
    }

    pub(in super::super) fn row(self, task: TaskId) -> Option<&'a EntityEvidence> {
        self.rows().iter().find(|row| row.task == task)
    }

    /// The running entity, if it is queued outside the tree.
    pub(super) fn running(self) -> Option<&'a EntityEvidence> {
        self.rows().iter().find(|row| row.running)
    }

    /// The entities of the tree, in its order.
    pub(super) fn waiting(self) -> impl Iterator<Item = &'a EntityEvidence> {
        self.rows().iter().filter(|row| !row.running)
    }

    pub(super) fn node(self, task: TaskId) -> Option<&'a NodeEvidence> {
        self.figures.nodes.iter().find(|node| node.task == task)
    }

    /// A virtual time relative to V.
    pub(in super::super) fn relative(self, time: Vtime) -> String {
        words::from_v(time.since(self.v()))
    }

    /// A virtual time relative to `min_vruntime`: `min_vruntime + 0.31 ms`.
    pub(in super::super) fn of_min(self, time: Vtime) -> String {
        words::from("min_vruntime", time.since(self.figures.min_vruntime))
    }

    /// `V − 0.31 ms` or `0.31 ms past V`, as a phrase behind "its vruntime is".
    pub(in super::super) fn vruntime(self, row: &EntityEvidence) -> String {
        match row.vruntime.since(self.v()) {
            _ if row.eligible => self.relative(row.vruntime),
            // V is rounded (R4.A.2), eligibility is not.
            ..=0 => format!("less than 1{NBSP}ns past{NBSP}V"),
            past => format!("{} past{NBSP}V", words::time(past.unsigned_abs())),
        }
    }

    /// `1 queued task`, `4 queued tasks and groups`: so many entities of this queue.
    pub(super) fn count(self, n: usize, what: &str) -> String {
        let (one, many) = match self.rows().iter().any(|row| row.group.is_some()) {
            true => ("task or group", "tasks and groups"),
            false => ("task", "tasks"),
        };
        let space = if what.is_empty() { "" } else { " " };
        words::plural(n as u64, &format!("{what}{space}{one}"), &format!("{what}{space}{many}"))
    }

    /// How many are eligible.
    pub(super) fn eligible(self) -> usize {
        self.rows().iter().filter(|row| row.eligible).count()
    }

    /// Who has an earlier deadline than `row` but is not eligible, in order of deadlines.
    pub(super) fn earlier_not_eligible(self, row: &EntityEvidence) -> Vec<TaskId> {
        let mut earlier: Vec<&EntityEvidence> = self
            .rows()
            .iter()
            .filter(|other| !other.eligible && other.deadline.before(row.deadline))
            .collect();
        order::sort_by_key(&mut earlier, |other| other.deadline.since(row.deadline));
        earlier.into_iter().map(|other| other.task).collect()
    }

    /// Who else has exactly this deadline and is eligible.
    pub(super) fn ties(self, row: &EntityEvidence) -> Vec<TaskId> {
        self.rows()
            .iter()
            .filter(|other| {
                other.task != row.task && other.eligible && other.deadline == row.deadline
            })
            .map(|other| other.task)
            .collect()
    }
}

/// `lag +0.31 ms`.
pub(in super::super) fn lag(row: &EntityEvidence) -> String {
    format!("lag{NBSP}{}", words::signed_time(row.lag))
}
