//! One CPU's run queue: the running task, the pending reschedule, and the fair queue with its
//! operations, named after the kernel's.
//!
//! `level` are the operations of one queue, in the kernel's generation; `groups` is what follows
//! from groups of tasks. Without groups the operations here are those of `level`.

mod groups;
mod level;

use crate::fair::reason::{
    Dequeue, Dequeued, Enqueue, NoTrace, Pick, PickTrace, Preempt, Resched, Wake,
};
use crate::fair::tree::Link;
use crate::fair::{Entities, FairCx, FairQueue, NewWeight};
use crate::units::{LatencyNice, Nice, Span, TaskId, Time};

pub use groups::GroupQueue;

/// One CPU's run queue (`rq`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RunQueue {
    /// The task that has the CPU, of whatever class; `None` is idle. After a block or exit still
    /// the task that went: the pick changes it.
    pub curr: Option<TaskId>,
    /// Whether a reschedule is pending, and its first cause. Sticky: cleared only by a pick
    /// (R0.5.1).
    pub need_resched: Option<Resched>,
    /// How many tasks of all classes are queued, running and delayed ones included (R0.7.1).
    pub nr_running: u32,
    /// The fair class's part: the root group's queue.
    pub fair: FairQueue,
    /// The queues of the other groups; empty if there are none.
    pub groups: Vec<GroupQueue>,
    /// The most recently enqueued or picked task; `[head, tail]` of the task list.
    list: [Link; 2],
}

impl Default for RunQueue {
    fn default() -> RunQueue {
        RunQueue {
            curr: None,
            need_resched: None,
            nr_running: 0,
            fair: FairQueue::default(),
            groups: Vec::new(),
            list: [Link::NONE; 2],
        }
    }
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
        if self.groups.is_empty() {
            self.charge(entities, cx);
        } else {
            self.charge_levels(entities, cx);
        }
    }

    /// What `fork()` does to a new task on its parent's queue (`task_fork_fair`). Then follow the
    /// choice of a CPU, [`RunQueue::enqueue_task`] with [`Enqueue::Fork`] on that CPU's queue, and
    /// [`RunQueue::wakeup_preempt`] with [`Wake::Fork`].
    pub fn task_fork(&mut self, entities: &mut Entities, cx: FairCx, child: TaskId) {
        if self.groups.is_empty() {
            return self.fork_entity(entities, cx, child);
        }
        let group = entities[child].group;
        self.at(entities, group, |rq, entities| rq.fork_entity(entities, cx, child));
    }

    /// The same for a task whose parent is not modelled: it gets a child's place, but nobody pays
    /// for it.
    pub fn task_start(&mut self, entities: &mut Entities, cx: FairCx, task: TaskId) {
        if self.groups.is_empty() {
            return self.start_entity(entities, cx, task);
        }
        let group = entities[task].group;
        self.at(entities, group, |rq, entities| rq.start_entity(entities, cx, task));
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
        match self.group_of(entities, task) {
            None => self.enqueue_entity(entities, cx, task, how),
            Some(group) => self.enqueue_in_group(entities, cx, group, task, how),
        }
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
        match self.group_of(entities, task) {
            None => self.dequeue_entity(entities, cx, task, why),
            Some(group) => self.dequeue_from_group(entities, cx, group, task, why),
        }
    }

    /// A delayed task wakes on the queue where it still is (R4.C.8). The preemption test is the
    /// caller's.
    pub fn requeue_delayed(&mut self, entities: &mut Entities, cx: FairCx, task: TaskId) {
        assert!(entities[task].delayed, "task {task} is not delayed");
        match self.group_of(entities, task) {
            None => self.requeue_entity(entities, cx, task),
            group => self.at(entities, group, |rq, entities| {
                rq.requeue_entity(entities, cx, task);
            }),
        }
    }

    /// Finishes the dequeue of a delayed task for good, as a change of its class does first
    /// (R4.C.9), or of a delayed group. Picks do it by themselves.
    pub fn complete_dequeue(&mut self, entities: &mut Entities, cx: FairCx, task: TaskId) {
        assert!(entities[task].delayed, "task {task} is not delayed");
        match self.group_of(entities, task) {
            Some(_) if task.is_group() => {
                self.at(entities, None, |rq, entities| rq.complete_entity(entities, cx, task));
            }
            None => self.complete_entity(entities, cx, task),
            Some(group) => self.complete_in_group(entities, cx, group, task),
        }
    }

    /// Adjusts a task that goes to another CPU: a sleeper that wakes there
    /// ([`Enqueue::WakeupMigrated`]), a new one, or one just dequeued to be moved. Call it on the
    /// old queue, then enqueue on the new one with the same `how` (R3.1.6, R4.D.2).
    pub fn migrate_task_rq(&self, entities: &mut Entities, cx: FairCx, task: TaskId, how: Enqueue) {
        RunQueue::migrate_entity(self.queue_of(entities, task), entities, cx, task, how);
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
        if self.groups.is_empty() {
            self.preempt_entity(entities, cx, woken, how, trace)
        } else {
            self.preempt_in_groups(entities, cx, woken, how, trace)
        }
    }

    /// What a pick does before it chooses; doing it twice is doing it once.
    pub(crate) fn prepare_pick(&mut self, entities: &mut Entities, cx: FairCx) {
        if self.groups.is_empty() {
            self.prepare_entity_pick(entities, cx);
        } else {
            self.prepare_levels(entities, cx);
        }
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
        let pick = if self.groups.is_empty() {
            self.pick_entity(entities, cx, completed, trace)
        } else {
            self.pick_in_groups(entities, cx, completed, trace)
        };
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
        if self.groups.is_empty() {
            self.put_prev_entity(entities, cx);
        } else {
            self.put_prev_levels(entities, cx);
        }
    }

    /// The periodic tick on the running fair task. May request a reschedule.
    pub fn task_tick(&mut self, entities: &mut Entities, cx: FairCx) {
        if self.groups.is_empty() {
            self.tick_entity(entities, cx);
        } else {
            self.tick_levels(entities, cx);
        }
    }

    /// `sched_yield()` of the running fair task. A pick must follow.
    pub fn yield_task(&mut self, entities: &mut Entities, cx: FairCx) {
        match self.curr.and_then(|curr| self.group_of(entities, curr)) {
            None => self.yield_entity(entities, cx),
            group => self.at(entities, group, |rq, entities| rq.yield_entity(entities, cx)),
        }
    }

    /// `set_user_nice()` of a task that is on this queue, or sleeps and was last here.
    pub fn set_user_nice(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        task: TaskId,
        nice: Nice,
    ) -> Preempt {
        self.change(entities, cx, task, |rq, entities| rq.renice_entity(entities, cx, task, nice))
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
        self.change(entities, cx, task, |rq, entities| {
            rq.set_entity_attr(entities, cx, task, nice, raw)
        })
    }

    /// Changes a task in its queue; then what its group weighs, and the preemption test if asked
    /// for.
    fn change(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        task: TaskId,
        change: impl FnOnce(&mut RunQueue, &mut Entities) -> Option<Preempt>,
    ) -> Preempt {
        let verdict = match self.group_of(entities, task) {
            None => change(self, entities),
            Some(group) => {
                let verdict = self.at(entities, Some(group), change);
                self.update_group(entities, cx, group);
                verdict
            }
        };
        verdict.unwrap_or_else(|| self.wakeup_preempt(entities, cx, task, Wake::Wakeup))
    }

    /// Changes a weight in place, as group shares do (R4.B.16); a change of a task's nice is
    /// [`RunQueue::set_user_nice`].
    pub fn reweight(&mut self, entities: &mut Entities, cx: FairCx, task: TaskId, nice: Nice) {
        let group = self.group_of(entities, task);
        let weight = NewWeight::Nice(nice);
        match group {
            None => self.reweight_entity(entities, cx, task, weight),
            Some(group) => {
                self.at(entities, Some(group), |rq, entities| {
                    rq.reweight_entity(entities, cx, task, weight);
                });
                self.update_group(entities, cx, group);
            }
        }
    }

    /// How long a task of this queue may run at a time: its request in EEVDF, its share of the
    /// period in CFS (R2.5.2).
    #[must_use]
    pub fn sched_slice(&self, entities: &Entities, cx: FairCx, task: TaskId) -> Span {
        RunQueue::entity_slice(self.queue_of(entities, task), entities, cx, task)
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
        match self.group_of(entities, task) {
            None => self.set_entity_latency_nice(entities, cx, task, latency_nice),
            group => self.at(entities, group, |rq, entities| {
                rq.set_entity_latency_nice(entities, cx, task, latency_nice);
            }),
        }
    }

    /// All tasks that wait here, delayed ones included: root group first, then the others.
    pub fn waiting<'a>(&'a self, entities: &'a Entities) -> impl Iterator<Item = TaskId> + 'a {
        let groups = self.groups.iter().flat_map(|group| group.queue.tree.iter(entities));
        self.fair.tree.iter(entities).chain(groups).filter(|entity| !entity.is_group())
    }

    /// All queued tasks from the tail of the kernel's task list (longest not enqueued or picked) to
    /// its head: the order in which the balancer looks at them (R5.7.10).
    pub fn tasks_from_tail<'a>(
        &self,
        entities: &'a Entities,
    ) -> impl Iterator<Item = TaskId> + use<'a> {
        core::iter::successors(self.list[TAIL].get(), |&task| entities[task].list[HEAD].get())
    }
}

const HEAD: usize = 0;
const TAIL: usize = 1;

#[cfg(test)]
mod tests;
