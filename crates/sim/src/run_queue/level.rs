//! The operations of one queue: every one asks once for the generation
//! ([`crate::kernel::Kernel::fair`]) and goes on in that generation's module.
//!
//! "The queue" is [`RunQueue::fair`]: the root group's, or that of a group while
//! `RunQueue::at_group` has put it there. What is queued is a task or the entity of a group.

use super::{HEAD, RunQueue, TAIL};
use crate::fair::reason::{Dequeue, Dequeued, Enqueue, NearTest, Pick, PickTrace, Preempt, Wake};
use crate::fair::tree::Link;
use crate::fair::{Entities, FairCx, FairQueue, NewWeight, cfs, eevdf};
use crate::kernel::FairGeneration;
use crate::units::{LatencyNice, Nice, Span, TaskId};

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
    #[inline]
    pub(super) fn charge(&mut self, entities: &mut Entities, cx: FairCx) {
        dispatch!(cx, update_curr(self, entities, cx));
    }

    #[inline]
    pub(super) fn fork_entity(&mut self, entities: &mut Entities, cx: FairCx, child: TaskId) {
        dispatch!(cx, task_fork(self, entities, cx, child));
    }

    #[inline]
    pub(super) fn start_entity(&mut self, entities: &mut Entities, cx: FairCx, task: TaskId) {
        dispatch!(cx, task_start(self, entities, cx, task));
    }

    #[inline]
    pub(super) fn enqueue_entity(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        entity: TaskId,
        how: Enqueue,
    ) {
        dispatch!(cx, enqueue_task(self, entities, cx, entity, how));
    }

    #[inline]
    pub(super) fn dequeue_entity(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        entity: TaskId,
        why: Dequeue,
    ) -> Dequeued {
        dispatch!(cx, dequeue_task(self, entities, cx, entity, why))
    }

    #[inline]
    pub(super) fn requeue_entity(&mut self, entities: &mut Entities, cx: FairCx, entity: TaskId) {
        dispatch!(cx, requeue_delayed(self, entities, cx, entity));
    }

    #[inline]
    pub(super) fn complete_entity(&mut self, entities: &mut Entities, cx: FairCx, entity: TaskId) {
        dispatch!(cx, complete_dequeue(self, entities, cx, entity));
    }

    #[inline]
    pub(super) fn preempt_entity(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        woken: TaskId,
        how: Wake,
        trace: &mut impl PickTrace,
    ) -> Preempt {
        dispatch!(cx, wakeup_preempt(self, entities, cx, woken, how, trace))
    }

    #[inline]
    pub(super) fn keeps_curr_outside(&self, cx: FairCx) -> bool {
        dispatch!(cx, keeps_curr_outside(&self.fair, cx))
    }

    #[inline]
    pub(super) fn prepare_entity_pick(&mut self, entities: &mut Entities, cx: FairCx) {
        dispatch!(cx, prepare_pick(self, entities, cx));
    }

    #[inline]
    pub(super) fn pick_entity(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        completed: &mut Vec<TaskId>,
        trace: &mut impl PickTrace,
    ) -> Pick {
        dispatch!(cx, pick_next_task(self, entities, cx, completed, trace))
    }

    #[inline]
    pub(super) fn attempt_entity(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        trace: &mut impl PickTrace,
    ) -> Pick {
        dispatch!(cx, attempt(self, entities, cx, trace))
    }

    #[inline]
    pub(super) fn set_next_entity(&mut self, entities: &mut Entities, cx: FairCx, next: TaskId) {
        dispatch!(cx, set_next_task(self, entities, cx, next));
    }

    #[inline]
    pub(super) fn put_prev_entity(&mut self, entities: &mut Entities, cx: FairCx) {
        dispatch!(cx, put_prev_task(self, entities, cx));
    }

    #[inline]
    pub(super) fn tick_entity(&mut self, entities: &mut Entities, cx: FairCx) {
        dispatch!(cx, task_tick(self, entities, cx));
    }

    #[inline]
    pub(super) fn yield_entity(&mut self, entities: &mut Entities, cx: FairCx) {
        dispatch!(cx, yield_task(self, entities, cx));
    }

    #[inline]
    pub(super) fn renice_entity(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        task: TaskId,
        nice: Nice,
    ) -> Option<Preempt> {
        dispatch!(cx, set_user_nice(self, entities, cx, task, nice))
    }

    #[inline]
    pub(super) fn set_entity_attr(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        task: TaskId,
        nice: Nice,
        raw: Span,
    ) -> Option<Preempt> {
        dispatch!(cx, set_attr(self, entities, cx, task, nice, raw))
    }

    #[inline]
    pub(super) fn set_entity_latency_nice(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        entity: TaskId,
        latency_nice: LatencyNice,
    ) {
        dispatch!(cx, set_latency_nice(self, entities, cx, entity, latency_nice));
    }

    #[inline]
    pub(super) fn reweight_entity(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        entity: TaskId,
        weight: NewWeight,
    ) {
        dispatch!(cx, reweight(self, entities, cx, entity, weight));
    }

    pub(crate) fn entity_slice(
        queue: &FairQueue,
        entities: &Entities,
        cx: FairCx,
        entity: TaskId,
    ) -> Span {
        dispatch!(cx, sched_slice(queue, entities, cx, entity))
    }

    /// Adjusts an entity that leaves `queue` for another CPU (R3.1.6, R4.D.2).
    #[inline]
    pub(super) fn migrate_entity(
        queue: &FairQueue,
        entities: &mut Entities,
        cx: FairCx,
        entity: TaskId,
        how: Enqueue,
    ) {
        dispatch!(cx, migrate_task_rq(queue, entities, entity, how));
    }

    /// CFS: the time in which everybody queued here should run once (R2.5.1).
    #[must_use]
    pub fn period(&self, cx: FairCx) -> Option<Span> {
        dispatch!(cx, period(&self.fair, cx))
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

    /// A picked task goes to the head of the task list.
    pub(crate) fn list_to_head(&mut self, entities: &mut Entities, task: TaskId) {
        if self.list[HEAD] != Link::to(task) && !task.is_group() {
            self.list_remove(entities, task);
            self.list_push(entities, task);
        }
    }

    /// Counts an entity as queued; a task goes to the head of the task list.
    pub(crate) fn account_enqueue(&mut self, entities: &mut Entities, entity: TaskId) {
        self.fair.load += u64::from(entities[entity].weight());
        self.fair.nr_running += 1;
        if !entity.is_group() {
            self.nr_running += 1;
            self.list_push(entities, entity);
        }
    }

    /// Counts an entity as queued no more.
    pub(crate) fn account_dequeue(&mut self, entities: &mut Entities, entity: TaskId) {
        self.fair.load -= u64::from(entities[entity].weight());
        self.fair.nr_running -= 1;
        if !entity.is_group() {
            self.nr_running -= 1;
            self.list_remove(entities, entity);
        }
    }

    fn list_push(&mut self, entities: &mut Entities, task: TaskId) {
        let (link, head) = (Link::to(task), self.list[HEAD]);
        entities[task].list = [Link::NONE, head];
        match head.get() {
            Some(head) => entities[head].list[HEAD] = link,
            None => self.list[TAIL] = link,
        }
        self.list[HEAD] = link;
    }

    fn list_remove(&mut self, entities: &mut Entities, task: TaskId) {
        let [before, after] = core::mem::replace(&mut entities[task].list, [Link::NONE; 2]);
        match before.get() {
            Some(before) => entities[before].list[TAIL] = after,
            None => self.list[HEAD] = after,
        }
        match after.get() {
            Some(after) => entities[after].list[HEAD] = before,
            None => self.list[TAIL] = before,
        }
    }
}
