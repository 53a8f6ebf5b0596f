//! Groups of tasks, one level below the root: a group has an entity on every CPU, which waits in
//! the root queue like a task, and a queue of its own behind it.
//!
//! An operation on a task of a group works on the group's queue first, with the same code as on the
//! root queue, and then on the group's entity. What the group's entity weighs follows from its
//! shares and from how much of the group's load is on this CPU (spec 1.5).

use super::RunQueue;
use crate::fair::reason::{
    Dequeue, Dequeued, Enqueue, Pick, PickReason, PickTrace, Preempt, Resched, Visit, Wake,
};
use crate::fair::{Entities, FairCx, FairQueue, Group, Hierarchy, NewWeight};
use crate::kernel::FairGeneration;
use crate::pelt::GroupAvg;
use crate::units::{CpuId, LatencyNice, TaskGroupId, TaskId};

/// The least that a group's entity weighs (`MIN_SHARES`).
const WEIGHT_MIN: u64 = 2;

/// A group's part of a CPU's run queue.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GroupQueue {
    /// The group's tasks on this CPU.
    pub queue: FairQueue,
    /// The group's entity on this CPU.
    pub entity: TaskId,
    /// Its averages, which the simulation keeps up to date.
    pub avg: GroupAvg,
    /// What this CPU counts for in the group's load.
    contribution: u64,
}

/// Where a task was when it left its group's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Membership {
    queued: bool,
    running: bool,
}

impl GroupQueue {
    /// What this CPU counts for in the group's load (spec 1.5).
    #[must_use]
    pub fn contribution(&self) -> u64 {
        self.contribution
    }

    /// What it loads its CPU with, lately.
    fn load_avg(&self, cx: FairCx) -> u64 {
        if weighs_averages(cx) { self.avg.queue.avg.load_avg } else { self.queue.load }
    }
}

/// Whether groups weigh what they loaded CPUs with lately: with PELT, which 2.6.36 has not.
fn weighs_averages(cx: FairCx) -> bool {
    cx.kernel.fair > FairGeneration::Cfs2_6_36
}

impl RunQueue {
    /// A CPU, one of so many, idle, of a system with the groups of `entities`.
    #[must_use]
    pub fn with_groups(entities: &Entities, cpus: usize, cpu: CpuId) -> RunQueue {
        let count = entities.groups.len();
        let groups = (0..count).map(|group| GroupQueue {
            queue: FairQueue::default(),
            entity: TaskId::of_group(count, cpus, cpu, TaskGroupId(group as u16)),
            avg: GroupAvg::default(),
            contribution: 0,
        });
        RunQueue { groups: groups.collect(), ..RunQueue::default() }
    }

    /// The group that a task is in; `None` is the root group.
    #[inline]
    pub(crate) fn group_of(&self, entities: &Entities, task: TaskId) -> Option<TaskGroupId> {
        if self.groups.is_empty() { None } else { entities[task].group }
    }

    /// The queue that an entity waits in: its group's, or the root's.
    pub(crate) fn queue_of(&self, entities: &Entities, entity: TaskId) -> &FairQueue {
        match self.group_of(entities, entity) {
            Some(group) if !entity.is_group() => &self.groups[group.index()].queue,
            _ => &self.fair,
        }
    }

    /// What stands for a task in the root queue: its group's entity, or the task itself.
    fn root_entity(&self, entities: &Entities, task: TaskId) -> TaskId {
        let group = self.group_of(entities, task);
        group.map_or(task, |group| self.groups[group.index()].entity)
    }

    /// The group whose entity this is.
    fn group_behind(entities: &Entities, entity: TaskId) -> Option<TaskGroupId> {
        if entity.is_group() { entities[entity].group } else { None }
    }

    /// Does something with the root queue, or with that of a group in its place.
    pub(crate) fn at<R>(
        &mut self,
        entities: &mut Entities,
        group: Option<TaskGroupId>,
        action: impl FnOnce(&mut RunQueue, &mut Entities) -> R,
    ) -> R {
        let tasks = self.nr_running;
        self.fair.hierarchy = Some(Hierarchy { tasks, above: None });
        let Some(group) = group else { return action(self, entities) };
        let entity = &entities[self.groups[group.index()].entity];
        let waits = if entity.on_rq { 0 } else { u64::from(entity.weight()) };
        let above = Some((entity.weight(), self.fair.load + waits));
        self.groups[group.index()].queue.hierarchy = Some(Hierarchy { tasks, above });
        core::mem::swap(&mut self.fair, &mut self.groups[group.index()].queue);
        let result = action(self, entities);
        core::mem::swap(&mut self.fair, &mut self.groups[group.index()].queue);
        result
    }

    /// Charges the running task, and its group's entity.
    #[cold]
    pub(super) fn charge_levels(&mut self, entities: &mut Entities, cx: FairCx) {
        let group = self.fair.curr.and_then(|curr| RunQueue::group_behind(entities, curr));
        if group.is_some() {
            self.at(entities, group, |rq, entities| rq.charge(entities, cx));
        }
        self.at(entities, None, |rq, entities| rq.charge(entities, cx));
    }

    /// Puts a task onto its group's queue, and the group's entity onto the root queue if it was not
    /// there.
    #[cold]
    pub(super) fn enqueue_in_group(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        group: TaskGroupId,
        task: TaskId,
        how: Enqueue,
    ) {
        self.at(entities, Some(group), |rq, entities| rq.enqueue_entity(entities, cx, task, how));
        let entity = self.groups[group.index()].entity;
        if entities[entity].delayed {
            self.at(entities, None, |rq, entities| rq.requeue_entity(entities, cx, entity));
        }
        self.update_group(entities, cx, group);
        if !entities[entity].on_rq {
            // Whatever the task did, the group wakes.
            let how = Enqueue::Wakeup;
            self.at(entities, None, |rq, entities| rq.enqueue_entity(entities, cx, entity, how));
        }
    }

    /// Takes a task off its group's queue, and the group's entity off the root queue with the last.
    #[cold]
    pub(super) fn dequeue_from_group(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        group: TaskGroupId,
        task: TaskId,
        why: Dequeue,
    ) -> Dequeued {
        let done = self
            .at(entities, Some(group), |rq, entities| rq.dequeue_entity(entities, cx, task, why));
        if done == Dequeued::Done {
            self.left_group(entities, cx, group, why == Dequeue::Sleep);
        }
        done
    }

    /// After a task left a group's queue.
    fn left_group(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        group: TaskGroupId,
        sleeps: bool,
    ) {
        let GroupQueue { ref queue, entity, .. } = self.groups[group.index()];
        if queue.nr_running == 0 {
            // The group sleeps; its entity may be delayed like a task (R4.C.5).
            if !entities[entity].delayed {
                let why = Dequeue::Sleep;
                self.at(entities, None, |rq, entities| {
                    rq.dequeue_entity(entities, cx, entity, why)
                });
            }
        } else if sleeps && cx.kernel.fair >= FairGeneration::Eevdf6_12 {
            // Of use only where buddies are honoured (R4.C.13).
            self.fair.next = Some(entity);
        }
        self.update_group(entities, cx, group);
    }

    /// Brings what this CPU counts for in a group's load up to date (spec 1.5): the average load of
    /// the group's queue here. A change of no more than 1/64 is not told. Before PELT (2.6.36) it
    /// is the weight that is queued (model).
    pub(crate) fn contribute(&mut self, entities: &mut Entities, cx: FairCx, group: TaskGroupId) {
        let at = &mut self.groups[group.index()];
        let (old, new) = (at.contribution, at.load_avg(cx));
        if old == new || (weighs_averages(cx) && old.abs_diff(new) <= old / 64 && new > 0) {
            return;
        }
        at.contribution = new;
        let total = &mut entities.groups[group.index()].load;
        *total = *total - old + new;
    }

    /// Brings what a group's entity weighs, and asks for, up to date (spec 1.5, R4.C.12). Happens
    /// when a task of the group comes, goes or is ticked here, and when the shares change.
    pub(crate) fn update_group(&mut self, entities: &mut Entities, cx: FairCx, group: TaskGroupId) {
        self.contribute(entities, cx, group);
        let GroupQueue { ref queue, entity, contribution, .. } = self.groups[group.index()];
        // Of a group without tasks here nothing is known; its entity keeps what it weighed.
        if queue.load == 0 {
            return;
        }
        let load = queue.load.max(self.groups[group.index()].load_avg(cx));
        let shortest = if cx.kernel.fair >= FairGeneration::Eevdf6_12 {
            let queued = queue.tree.iter(entities).chain(queue.queued_curr(entities));
            queued.map(|task| entities[task].slice).min()
        } else {
            None
        };
        let Group { shares, load: total, .. } = entities.groups[group.index()];
        let shares = u64::from(shares);
        let weight = shares * load / (total - contribution + load);
        let weight = weight.clamp(WEIGHT_MIN, shares.max(WEIGHT_MIN)) as u32;
        if weight != entities[entity].weight() {
            self.at(entities, None, |rq, entities| {
                rq.reweight_entity(entities, cx, entity, NewWeight::Shares(weight));
            });
        }
        if let Some(shortest) = shortest
            && entities[entity].slice != shortest
        {
            let waits = entities[entity].on_rq && self.fair.curr != Some(entity);
            entities[entity].custom_slice = true;
            entities[entity].slice = shortest;
            if waits {
                self.fair.refresh_slices(entities, entity, cx);
            }
        }
    }

    /// Finishes the delayed dequeue of a task in a group.
    #[cold]
    pub(super) fn complete_in_group(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        group: TaskGroupId,
        task: TaskId,
    ) {
        self.at(entities, Some(group), |rq, entities| rq.complete_entity(entities, cx, task));
        self.left_group(entities, cx, group, true);
    }

    /// The preemption test where both are in one queue: in their common group's, or in the root
    /// queue between whoever stands for them there (R2.8.7).
    #[cold]
    pub(super) fn preempt_in_groups(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        woken: TaskId,
        how: Wake,
        trace: &mut impl PickTrace,
    ) -> Preempt {
        let group = self.common_group(entities, woken);
        if group.is_some() || self.curr.is_none_or(|curr| curr == woken) {
            return self.at(entities, group, |rq, entities| {
                rq.preempt_entity(entities, cx, woken, how, trace)
            });
        }
        let curr = self.curr;
        let entity = self.root_entity(entities, woken);
        self.curr = curr.map(|curr| self.root_entity(entities, curr));
        let verdict = self
            .at(entities, None, |rq, entities| rq.preempt_entity(entities, cx, entity, how, trace));
        self.curr = curr;
        verdict
    }

    /// The group that the running task and this one are both in.
    pub(crate) fn common_group(&self, entities: &Entities, task: TaskId) -> Option<TaskGroupId> {
        let group = self.group_of(entities, task)?;
        (self.group_of(entities, self.curr?) == Some(group)).then_some(group)
    }

    /// Whoever stands for the running task and for `task` where the two are compared.
    pub(crate) fn rivals(&self, entities: &Entities, task: TaskId) -> (Option<TaskId>, TaskId) {
        if self.common_group(entities, task).is_some() || self.groups.is_empty() {
            return (self.curr, task);
        }
        let curr = self.curr.map(|curr| self.root_entity(entities, curr));
        (curr, self.root_entity(entities, task))
    }

    /// What a pick does before it chooses, at both levels.
    #[cold]
    pub(super) fn prepare_levels(&mut self, entities: &mut Entities, cx: FairCx) -> bool {
        let outside = self.keeps_curr_outside(cx);
        if !outside {
            self.put_prev_levels(entities, cx);
        } else if self.fair.queued_curr(entities).is_some() {
            self.charge_levels(entities, cx);
        }
        outside
    }

    /// The pick: an entity of the root queue, and if that is a group's, one of its tasks. A delayed
    /// one, at either level, is dequeued for good, and the pick starts again at the root (R4.C.6).
    #[cold]
    pub(super) fn pick_in_groups(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        completed: &mut Vec<TaskId>,
        trace: &mut impl PickTrace,
    ) -> Pick {
        let (prev, prev_root) = (self.curr, self.fair.curr);
        let outside = self.prepare_levels(entities, cx);
        let (pick, root) = loop {
            if self.fair.nr_running == 0 {
                break (Pick { next: None, reason: PickReason::Idle }, None);
            }
            let top =
                self.at(entities, None, |rq, entities| rq.attempt_entity(entities, cx, trace));
            let root = top.next.expect("something is queued");
            let mut pick = top;
            if let Some(group) = RunQueue::group_behind(entities, root)
                && !entities[root].delayed
            {
                trace.visit(root, Visit::IntoGroup { reason: top.reason });
                pick = self.at(entities, Some(group), |rq, entities| {
                    rq.attempt_entity(entities, cx, trace)
                });
            }
            let chosen = pick.next.expect("a group that is not delayed has a task");
            if !entities[chosen].delayed {
                break (pick, Some(root));
            }
            self.complete_dequeue(entities, cx, chosen);
            trace.visit(chosen, Visit::Completed);
            if !chosen.is_group() {
                completed.push(chosen);
            }
        };
        if outside && root.is_some() && root == prev_root {
            let group = root.and_then(|root| RunQueue::group_behind(entities, root));
            match (group, pick.next) {
                (_, Some(next)) if prev == Some(next) => self.list_to_head(entities, next),
                (Some(_), Some(next)) => self.at(entities, group, |rq, entities| {
                    rq.put_prev_entity(entities, cx);
                    rq.set_next_entity(entities, cx, next);
                }),
                _ => {}
            }
            return pick;
        }
        self.put_prev_levels(entities, cx);
        if let Some(next) = pick.next {
            self.set_next_levels(entities, cx, next);
        }
        pick
    }

    /// Gives the CPU to a task and to its group's entity.
    fn set_next_levels(&mut self, entities: &mut Entities, cx: FairCx, next: TaskId) {
        let group = self.group_of(entities, next);
        if group.is_some() {
            self.at(entities, group, |rq, entities| rq.set_next_entity(entities, cx, next));
        }
        let root = self.root_entity(entities, next);
        self.at(entities, None, |rq, entities| rq.set_next_entity(entities, cx, root));
    }

    /// Takes the CPU from the running task and from its group's entity.
    #[cold]
    pub(super) fn put_prev_levels(&mut self, entities: &mut Entities, cx: FairCx) {
        let group = self.fair.curr.and_then(|curr| RunQueue::group_behind(entities, curr));
        if group.is_some() {
            self.at(entities, group, |rq, entities| rq.put_prev_entity(entities, cx));
        }
        self.at(entities, None, |rq, entities| rq.put_prev_entity(entities, cx));
    }

    /// The tick, at both levels; between them the group is weighed anew.
    #[cold]
    pub(super) fn tick_levels(&mut self, entities: &mut Entities, cx: FairCx) {
        let group = self.fair.curr.and_then(|curr| RunQueue::group_behind(entities, curr));
        if let Some(group) = group {
            self.at(entities, Some(group), |rq, entities| rq.tick_entity(entities, cx));
            self.at(entities, None, |rq, entities| rq.charge(entities, cx));
            self.update_group(entities, cx, group);
        }
        self.at(entities, None, |rq, entities| rq.tick_entity(entities, cx));
    }

    /// Takes a task off the queue of its group, or of the root group, to be put onto that of
    /// another by [`RunQueue::join_group`] once [`Entity::group`] is changed. A task that sleeps,
    /// and was last here, only stops to be measured by that queue.
    pub(crate) fn leave_group(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        task: TaskId,
    ) -> Membership {
        let was = Membership {
            queued: entities[task].on_rq,
            running: self.curr == Some(task) && entities[task].on_rq,
        };
        if was.queued {
            self.dequeue_task(entities, cx, task, Dequeue::Move);
        } else if !entities[task].rel_vruntime {
            let queue = self.queue_of(entities, task);
            RunQueue::migrate_entity(queue, entities, cx, task, Enqueue::WakeupMigrated);
        }
        if was.running {
            self.put_prev_task(entities, cx);
        }
        was
    }

    /// Puts a task onto the queue of the group that it is in now.
    pub(crate) fn join_group(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        task: TaskId,
        was: Membership,
    ) {
        if was.queued {
            self.enqueue_task(entities, cx, task, Enqueue::Move);
        }
        if was.running {
            self.set_next_levels(entities, cx, task);
            self.resched_curr(Resched::Other);
        }
    }

    /// `cpu.latency.nice` of a group, for its entity on this CPU: the offset changes, and the
    /// entity leaves the second tree (R3.2.12).
    pub fn set_group_latency_nice(
        &mut self,
        entities: &mut Entities,
        cx: FairCx,
        group: TaskGroupId,
        latency_nice: LatencyNice,
    ) {
        let entity = self.groups[group.index()].entity;
        self.fair.leave_latency_tree(entities, entity);
        entities.set_group_latency_nice(entity, cx, latency_nice);
    }
}

#[cfg(test)]
mod tests;
