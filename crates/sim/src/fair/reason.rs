//! The small reasons that decisions of the fair class carry, and the hook for what a search visits.

use crate::units::TaskId;

/// How an entity comes onto a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Enqueue {
    /// A new task (`wake_up_new_task`).
    Fork,
    /// A sleeper woke on the CPU where it slept.
    Wakeup,
    /// A sleeper woke and was placed on another CPU; see
    /// [`crate::run_queue::RunQueue::migrate_task_rq`].
    WakeupMigrated,
    /// It was queued elsewhere, or is put back after a change of its attributes.
    Move,
}

/// Why an entity leaves a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dequeue {
    /// It sleeps. 6.12 may delay this (R4.C.5).
    Sleep,
    /// It exits, stops or is frozen: a special state, never delayed.
    Special,
    /// It goes to another queue, or is put back after a change of its attributes.
    Move,
    /// As `Move` for a change of nice, after which it comes back at once ("save"): `min_vruntime`
    /// does not follow its departure (R4.B.4).
    Save,
}

/// Whether a dequeue took place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dequeued {
    /// The entity is off the queue.
    Done,
    /// It sleeps but stays queued, until a pick chooses it or it wakes (R4.C.5).
    Delayed,
}

/// How the preemption test was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wake {
    /// A sleeper woke, or a task came from another CPU.
    Wakeup,
    /// A new task.
    Fork,
}

/// What a pick chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pick {
    /// The task that has the CPU now; `None` leaves it idle.
    pub next: Option<TaskId>,
    /// Why that one.
    pub reason: PickReason,
}

/// Why a task was picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PickReason {
    /// Nothing is queued.
    Idle,
    /// Nothing else is queued.
    OnlyOne,
    /// The running task is eligible and still in the request it was picked for (RUN_TO_PARITY).
    Parity,
    /// The next buddy, and it is eligible (in CFS: not too far ahead of the leftmost).
    NextBuddy,
    /// The earliest deadline of all eligible tasks, and it was waiting.
    EarliestEligible,
    /// The running task: eligible, and its deadline is earlier than that of every eligible waiter
    /// (6.6: or equal to the earliest).
    CurrEarlier,
    /// The running task: eligible, and no waiter is.
    CurrOnlyEligible,
    /// CFS: the smallest vruntime of all waiting tasks.
    Leftmost,
    /// CFS: the running task, whose vruntime is smaller than that of every waiting one.
    CurrLeftmost,
    /// CFS: the last buddy, preempted by a wakeup, and not too far ahead of the leftmost.
    LastBuddy,
    /// CFS of 6.1: the second, as the first has just yielded.
    FirstYielded,
    /// CFS with latency-nice: the first of the second tree, and not too far ahead of whom the rest
    /// of the rules chose (R3.2.10).
    LatencyFirst,
    /// The proposals of March 2023: the search took a wrong turn and missed the eligible task with
    /// the earliest deadline (R4.A.8).
    FlawedSearch {
        /// The task that should have been picked.
        missed: TaskId,
    },
    /// Nobody is eligible, which only an overflow of the sums can bring about: the first of the
    /// tree.
    Fallback,
}

/// Which rule of a CFS pick lets a task go before the one found so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NearRule {
    /// The leftmost has yielded; the second may go first (R2.12, R3.1.11).
    Second,
    /// The next buddy (R2.10.2).
    Next,
    /// The last buddy (R2.10.3).
    Last,
    /// Latency-nice: the first of the second tree (R3.2.10).
    Latency,
}

/// A test of a CFS pick: whether a task is near enough to go before another
/// (`wakeup_preempt_entity()` < 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NearTest {
    /// By which rule.
    pub rule: NearRule,
    /// Who wants to go first.
    pub task: TaskId,
    /// Before whom.
    pub against: TaskId,
    /// By how much `task` is ahead of `against`, ns of virtual time.
    pub ahead: i64,
    /// Latency-nice: the offset from which on it counts as ahead, ns of virtual time (R3.2.5).
    pub offset: Option<i64>,
    /// By how much it may be ahead at most, ns of virtual time (R2.8.7, R3.2.6).
    pub threshold: i64,
    /// What came of it.
    pub near: bool,
}

/// Why a reschedule of the CPU was requested: the first cause since the last pick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resched {
    /// The CPU was idle and something came.
    Idle,
    /// The running task used up its request: a new deadline, and others wait (R4.B.10).
    RequestDone,
    /// The running task is past its protected request and not eligible (R4.C.10).
    NotEligible,
    /// 6.17: the running task's protection has run out (R4.C.20).
    Unprotected,
    /// The proposals of March 2023: at a tick, another task than the running one would be picked
    /// (R4.A.9).
    PickedAtTick,
    /// A woken or new task would be picked instead of the running one.
    Preempted,
    /// The running task was made less important.
    NiceGrew,
    /// 2.6.36: a queued task was made more important.
    NiceShrank,
    /// CFS: the running task used up its slice of the period (R2.9.2a).
    SliceDone,
    /// CFS: the running task is more than a slice ahead of the leftmost; in 2.6.36 also whenever it
    /// is behind it (R2.9.2c).
    AheadOfLeftmost,
    /// CFS: a new task is to run before its parent (R2.11.3).
    ChildRunsFirst,
    /// A task of a higher class came.
    HigherClass,
    /// Requested by something outside the fair class.
    Other,
}

/// What the preemption test said, and which of its rules decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Preempt {
    /// The CPU is idle: reschedule.
    Idle,
    /// The woken task is the running one: nothing.
    Itself,
    /// A task of a higher class runs: nothing.
    HigherClass,
    /// A reschedule is already pending: no test.
    Pending,
    /// WAKEUP_PREEMPTION is off: no test.
    FeatureOff,
    /// A pick would choose the woken task: reschedule.
    Picked {
        /// PREEMPT_SHORT ended the running task's protection first (R4.C.11).
        short: bool,
    },
    /// A pick would choose another: nothing.
    NotPicked {
        /// Why that one.
        reason: PickReason,
        /// PREEMPT_SHORT ended the running task's protection all the same (R4.C.11).
        short: bool,
    },
    /// CFS: the woken task's vruntime is behind the running one's by more than the granularity:
    /// reschedule (R2.8.7).
    FarBehind,
    /// CFS: behind, but not by more than the granularity: nothing.
    NearBehind,
    /// CFS: not behind: nothing.
    NotBehind,
    /// No test was due: nothing changed, or the task is not queued, or it is alone.
    NoTest,
    /// The running task was made less important: reschedule.
    NiceGrew,
    /// The running task was made more important, or just as important: nothing.
    NiceNotGrown,
    /// 2.6.36: a queued task was made more important: reschedule, whoever runs.
    NiceShrank,
}

impl Preempt {
    /// Whether the verdict requests a reschedule (one may have been pending before).
    #[must_use]
    pub fn reschedules(self) -> bool {
        use Preempt::*;
        matches!(self, Idle | Picked { .. } | FarBehind | NiceGrew | NiceShrank)
    }
}

/// What a search did at a node of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visit {
    /// 6.12: the first of the tree (earliest deadline) is eligible: taken at once.
    FirstEligible,
    /// 6.12: the first of the tree is not eligible: search from the root.
    FirstNotEligible,
    /// 6.12: an eligible entity lies to the left (its minimum vruntime is eligible): go left.
    EligibleToTheLeft,
    /// 6.12: nothing eligible to the left, but this one is: taken.
    Eligible,
    /// 6.12: neither this nor anything to the left is eligible: go right.
    NotEligible,
    /// 6.6: not eligible, and nothing to the right can be: go left.
    NotEligibleGoLeft,
    /// 6.6: eligible. Its left subtree, all eligible, may hold an earlier deadline and is kept in
    /// mind; go right.
    EligibleGoRight {
        /// Its own deadline is the earliest on the path so far.
        best: bool,
    },
    /// The proposals of March 2023: eligible, and the earliest deadline below is in its left
    /// subtree: go left.
    EligibleGoLeft {
        /// Its own deadline is the earliest on the path so far.
        best: bool,
    },
    /// The proposals of March 2023: eligible, but the earliest deadline below is not in its left
    /// subtree: go right, and forget the left subtree (R4.A.8).
    EligibleForgetLeft {
        /// Its own deadline is the earliest on the path so far.
        best: bool,
    },
    /// 6.6: eligible, and the earliest deadline below is in its left subtree: stop.
    MinimumToTheLeft {
        /// Its own deadline is the earliest on the path so far.
        best: bool,
    },
    /// 6.6: eligible, and no deadline below is earlier than its own: stop.
    OwnMinimum {
        /// Its own deadline is the earliest on the path so far.
        best: bool,
    },
    /// 6.6, second search for the earliest deadline in the subtree kept in mind: here it is.
    HeapFound,
    /// 6.6, second search: it lies to the left.
    HeapLeft,
    /// 6.6, second search: it lies to the right.
    HeapRight,
    /// The chosen one is a group's entity: the search goes on in the group's queue.
    IntoGroup {
        /// Why that one.
        reason: PickReason,
    },
    /// 6.12: the chosen one is delayed; its dequeue is completed and the search starts anew
    /// (R4.C.6).
    Completed,
}

/// Hears of every node that a search visits, in order.
pub trait PickTrace {
    /// The search was at `node` and did `why`.
    fn visit(&mut self, node: TaskId, why: Visit);
}

/// Hears of nothing; compiles to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTrace;

impl PickTrace for NoTrace {
    fn visit(&mut self, _: TaskId, _: Visit) {}
}

impl PickTrace for Vec<(TaskId, Visit)> {
    fn visit(&mut self, node: TaskId, why: Visit) {
        self.push((node, why));
    }
}
