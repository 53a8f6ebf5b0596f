//! One CPU's run queue: the running task, the pending reschedule, and the fair queue with its
//! operations, named after the kernel's.
//!
//! Every operation asks once for the generation ([`crate::kernel::Kernel::fair`]) and goes on in
//! that generation's module.

use crate::fair::reason::{
    Dequeue, Dequeued, Enqueue, NearTest, NoTrace, Pick, PickTrace, Preempt, Resched, Wake,
};
use crate::fair::{Entities, FairCx, FairQueue, cfs, eevdf};
use crate::kernel::FairGeneration;
use crate::units::{LatencyNice, Nice, Span, TaskId, Time};

/// One CPU's run queue (`rq`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RunQueue {
    /// The task that has the CPU, of whatever class; `None` is idle. After a block or exit still
    /// the task that went: the pick changes it.
    pub curr: Option<TaskId>,
    /// Whether a reschedule is pending, and its first cause. Sticky: cleared only by a pick
    /// (R0.5.1).
    pub need_resched: Option<Resched>,
    /// How many tasks of all classes are queued, running and delayed ones included (R0.7.1).
    pub nr_running: u32,
    /// The fair class's part.
    pub fair: FairQueue,
}

/// Calls the function of that name in the module of the kernel's fair generation.
macro_rules! dispatch {
    ($cx:expr, $function:ident($($argument:expr),* $(,)?)) => {
        match $cx.kernel.fair {
            FairGeneration::Cfs2_6_36 => cfs::$function::<cfs::V2_6_36>($($argument),*),
            FairGeneration::Cfs6_1 => cfs::$function::<cfs::V6_1>($($argument),*),
            FairGeneration::Cfs6_1LatencyNice => {
                cfs::$function::<cfs::V6_1LatencyNice>($($argument),*)
            }
            FairGeneration::Eevdf2023_03 => eevdf::$function::<eevdf::V2023_03>($($argument),*),
            FairGeneration::Eevdf2023_03v2 => {
                eevdf::$function::<eevdf::V2023_03v2>($($argument),*)
            }
            FairGeneration::Eevdf6_6 => eevdf::$function::<eevdf::V6_6>($($argument),*),
            FairGeneration::Eevdf6_8 => eevdf::$function::<eevdf::V6_8>($($argument),*),
            FairGeneration::Eevdf6_11 => eevdf::$function::<eevdf::V6_11>($($argument),*),
            FairGeneration::Eevdf6_12 => eevdf::$function::<eevdf::V6_12>($($argument),*),
            FairGeneration::Eevdf6_17 => eevdf::$function::<eevdf::V6_17>($($argument),*),
        }
    };
}

impl RunQueue {
    /// An idle CPU with nothing queued.
    #[must_use]
    pub fn new() -> RunQueue {
        RunQueue::default()
    }

    /// Requests a reschedule; the first cause is kept.
    pub fn resched_curr(&mut self, why: Resched) {
        self.need_resched.get_or_insert(why);
    }

    /// Charges the running fair task up to now. May request a reschedule.
    pub fn update_curr(&mut self, entities: &mut Entities, cx: FairCx) {
        dispatch!(cx, update_curr(self, entities, cx));
    }

    /// What `fork()` does to a new task on its parent's queue (`task_fork_fair`). Then follow the
    /// choice of a CPU, [`RunQueue::enqueue_task`] with [`Enqueue::Fork`] on that CPU's queue, and
    /// [`RunQueue::wakeup_preempt`] with [`Wake::Fork`].
    pub fn task_fork(&mut self, entities: &mut Entities, cx: FairCx, child: TaskId) {
        dispatch!(cx, task_fork(self, entities, cx, child));
    }

    /// The same for a task whose parent is not modelled: it gets a child's place, but nobody pays
    /// for it.
    pub fn task_start(&mut self, entities: &mut Entities, cx: FairCx, task: TaskId) {
        dispatch!(cx, task_start(self, entities, cx, task));
    }

    /// Puts a task onto the queue. It must not be on one (a delayed task is: see
    /// [`RunQueue::requeue_delayed`]).
    pub fn enqueue_task(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        task: TaskId,
        how: Enqueue,
    ) {
        assert!(!entities[task].on_rq, "task {task} is queued already");
        dispatch!(cx, enqueue_task(self, entities, cx, task, how));
    }

    /// Takes a task off this queue; [`Dequeue::Sleep`] may leave it there, delayed (R4.C.5). The
    /// running task stays [`RunQueue::curr`] until the pick.
    pub fn dequeue_task(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        task: TaskId,
        why: Dequeue,
    ) -> Dequeued {
        assert!(entities[task].on_rq, "task {task} is not queued");
        dispatch!(cx, dequeue_task(self, entities, cx, task, why))
    }

    /// A delayed task wakes on the queue where it still is (R4.C.8). The preemption test is the
    /// caller's.
    pub fn requeue_delayed(&mut self, entities: &mut Entities, cx: FairCx, task: TaskId) {
        assert!(entities[task].delayed, "task {task} is not delayed");
        dispatch!(cx, requeue_delayed(self, entities, cx, task));
    }

    /// Finishes the dequeue of a delayed task for good, as a change of its class does first
    /// (R4.C.9). Picks do it by themselves.
    pub fn complete_dequeue(&mut self, entities: &mut Entities, cx: FairCx, task: TaskId) {
        assert!(entities[task].delayed, "task {task} is not delayed");
        dispatch!(cx, complete_dequeue(self, entities, cx, task));
    }

    /// Adjusts a task that goes to another CPU: a sleeper that wakes there
    /// ([`Enqueue::WakeupMigrated`]), a new one, or one just dequeued to be moved. Call it on the
    /// old queue, then enqueue on the new one with the same `how` (R3.1.6, R4.D.2).
    pub fn migrate_task_rq(&self, entities: &mut Entities, cx: FairCx, task: TaskId, how: Enqueue) {
        dispatch!(cx, migrate_task_rq(&self.fair, entities, task, how));
        entities[task].exec_start = Time(0);
    }

    /// Whether `woken`, just enqueued here, should take the CPU; requests the reschedule if so.
    pub fn wakeup_preempt(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        woken: TaskId,
        how: Wake,
    ) -> Preempt {
        self.wakeup_preempt_traced(entities, cx, woken, how, &mut NoTrace)
    }

    /// [`RunQueue::wakeup_preempt`], telling `trace` what its search visits.
    pub fn wakeup_preempt_traced(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        woken: TaskId,
        how: Wake,
        trace: &mut impl PickTrace,
    ) -> Preempt {
        dispatch!(cx, wakeup_preempt(self, entities, cx, woken, how, trace))
    }

    /// What a pick does before it chooses; doing it twice is doing it once.
    pub(crate) fn prepare_pick(&mut self, entities: &mut Entities, cx: FairCx) {
        dispatch!(cx, prepare_pick(self, entities, cx));
    }

    /// The second half of `__schedule()` when no higher class has a task: puts the previous fair
    /// task, picks, sets the next, and clears the pending reschedule. Delayed tasks whose dequeue
    /// it completed are appended to `completed`; the search tells `trace` what it visits.
    pub fn pick_next_task(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        completed: &mut Vec<TaskId>,
        trace: &mut impl PickTrace,
    ) -> Pick {
        let pick = dispatch!(cx, pick_next_task(self, entities, cx, completed, trace));
        self.curr = pick.next;
        self.need_resched = None;
        pick
    }

    /// [`RunQueue::pick_next_task`] without a trace.
    pub fn pick(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        completed: &mut Vec<TaskId>,
    ) -> Pick {
        self.pick_next_task(entities, cx, completed, &mut NoTrace)
    }

    /// Takes the CPU from the running fair task for a task of a higher class: it goes back into the
    /// tree if it is queued. [`RunQueue::curr`] is the caller's to set.
    pub fn put_prev_task(&mut self, entities: &mut Entities, cx: FairCx) {
        dispatch!(cx, put_prev_task(self, entities, cx));
    }

    /// The periodic tick on the running fair task. May request a reschedule.
    pub fn task_tick(&mut self, entities: &mut Entities, cx: FairCx) {
        dispatch!(cx, task_tick(self, entities, cx));
    }

    /// `sched_yield()` of the running fair task. A pick must follow.
    pub fn yield_task(&mut self, entities: &mut Entities, cx: FairCx) {
        dispatch!(cx, yield_task(self, entities, cx));
    }

    /// `set_user_nice()` of a task that is on this queue, or sleeps and was last here.
    pub fn set_user_nice(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        task: TaskId,
        nice: Nice,
    ) -> Preempt {
        dispatch!(cx, set_user_nice(self, entities, cx, task, nice))
    }

    /// `sched_setattr()` of nice and request; `raw` is `sched_runtime`, 0 for the default request
    /// (R4.C.16).
    pub fn set_attr(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        task: TaskId,
        nice: Nice,
        raw: Span,
    ) -> Preempt {
        dispatch!(cx, set_attr(self, entities, cx, task, nice, raw))
    }

    /// Changes a weight in place, as group shares do (R4.B.16); a change of a task's nice is
    /// [`RunQueue::set_user_nice`].
    pub fn reweight(&mut self, entities: &mut Entities, cx: FairCx, task: TaskId, nice: Nice) {
        dispatch!(cx, reweight(self, entities, cx, task, nice));
    }

    /// How long a task of this queue may run at a time: its request in EEVDF, its share of the
    /// period in CFS (R2.5.2).
    #[must_use]
    pub fn sched_slice(&self, entities: &Entities, cx: FairCx, task: TaskId) -> Span {
        dispatch!(cx, sched_slice(&self.fair, entities, cx, task))
    }

    /// Changes a task's latency-nice, where the kernel has one; the value is kept in any case. The
    /// offset of CFS changes at once (R3.2.17), a request when it is next renewed (R4.A.6).
    pub fn set_latency_nice(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        task: TaskId,
        latency_nice: LatencyNice,
    ) {
        dispatch!(cx, set_latency_nice(self, entities, cx, task, latency_nice));
    }

    /// Whether the running task keeps the CPU while it is eligible, whoever else is (R4.B.11,
    /// R4.C.20).
    #[must_use]
    pub fn protected(entities: &Entities, cx: FairCx, task: TaskId) -> bool {
        dispatch!(cx, protected(&entities[task], cx))
    }

    /// By how much `curr` must be ahead of `other` to be preempted by it, ns of virtual time
    /// (R2.8.7, R3.2.6); `None` in EEVDF, which has no such thing.
    #[must_use]
    pub fn preempt_threshold(
        entities: &Entities,
        cx: FairCx,
        curr: TaskId,
        other: TaskId,
    ) -> Option<i64> {
        dispatch!(cx, preempt_threshold(entities, cx, curr, other))
    }

    /// CFS: who a pick of this queue lets go before the leftmost, and whom not, in the order of its
    /// rules; empty in EEVDF.
    #[must_use]
    pub fn near_tests(queue: &FairQueue, entities: &Entities, cx: FairCx) -> Vec<NearTest> {
        dispatch!(cx, near_tests(queue, entities, cx))
    }

    /// CFS latency-nice: the offset between two tasks, part of [`RunQueue::preempt_threshold`]:
    /// `curr` counts as ahead of `other` from there on, ns of virtual time (R3.2.5).
    #[must_use]
    pub fn latency_offset(
        entities: &Entities,
        cx: FairCx,
        curr: TaskId,
        other: TaskId,
    ) -> Option<i64> {
        dispatch!(cx, latency_offset(entities, cx, curr, other))
    }

    /// Counts a fair task as queued.
    pub(crate) fn account_enqueue(&mut self, entities: &mut Entities, task: TaskId) {
        self.nr_running += 1;
        self.fair.account_enqueue(entities, task);
    }

    /// Counts a fair task as queued no more.
    pub(crate) fn account_dequeue(&mut self, entities: &mut Entities, task: TaskId) {
        self.nr_running -= 1;
        self.fair.account_dequeue(entities, task);
    }
}

#[cfg(test)]
mod tests;
