//! Groups of tasks in a run: the averages of their queues and entities, and what is changed of them
//! from outside.

use super::Engine;
use crate::pelt::{GroupFeed, Moved, QueueAvg, TaskAvg};
use crate::report::Change;
use crate::setup::GROUPS_MAX;
use crate::state::{Cpu, State};
use crate::units::{CpuId, LatencyNice, TaskGroupId, TaskId};

impl State {
    /// The averages of a task, and of the queue that it is part of on a CPU: its group's or the
    /// root's.
    pub(crate) fn averages_of(
        &mut self,
        cpu: CpuId,
        task: TaskId,
    ) -> (&mut TaskAvg, &mut QueueAvg) {
        let Cpu { rq, avg, .. } = &mut self.cpus[cpu.index()];
        let group = rq.group_of(&self.entities, task);
        let queue = group.map_or(avg, |group| &mut rq.groups[group.index()].avg.queue);
        (&mut self.tasks[task.index()].avg, queue)
    }

    /// `task_h_load()` as last stored (R5.3.5, R7.1.15).
    pub(crate) fn task_h_load(&self, task: TaskId, group_sched: bool) -> u64 {
        let own = &self.tasks[task.index()];
        let Cpu { rq, avg: root, .. } = &self.cpus[own.cpu.index()];
        match rq.group_of(&self.entities, task) {
            None => own.avg.h_load(root, group_sched),
            Some(group) => rq.groups[group.index()].avg.h_load(own.avg.avg.load_avg, root),
        }
    }
}

impl Engine<'_> {
    /// Brings all queues of a CPU with groups up to its clock, groups before the root; what its
    /// groups count for in their loads follows.
    #[cold]
    pub(super) fn group_avgs_up_to_now(&mut self, cpu: CpuId) {
        let cx = self.cx();
        let Cpu { rq, avg: root, pelt, .. } = &mut self.state.cpus[cpu.index()];
        let entities = &mut self.state.entities;
        let (now, busy) = (pelt.now(), rq.curr.is_some());
        let mut left = [false; GROUPS_MAX];
        for (group, left) in rq.groups.iter_mut().zip(&mut left) {
            let feed = GroupFeed {
                weight: group.queue.load,
                tasks: group.queue.nr_running.into(),
                queued: entities[group.entity].on_rq,
                running: busy && rq.fair.curr == Some(group.entity),
            };
            *left = group.avg.update(now, feed);
        }
        root.update(now, rq.fair.load, rq.nr_running.into(), busy);
        for (group, _) in rq.groups.iter_mut().zip(left).filter(|(_, left)| *left) {
            group.avg.carry(root, Moved::Left, group.queue.load);
        }
        for group in 0..rq.groups.len() {
            rq.contribute(entities, cx, TaskGroupId(group as u16));
        }
    }

    /// A task came to the queues of a CPU, or left them at once: its group's entity and the root
    /// queue hear of it.
    #[inline]
    pub(super) fn carry_averages(&mut self, cpu: CpuId, task: TaskId, moved: Moved) {
        if !self.state.entities.groups.is_empty() {
            self.carry(cpu, task, moved);
        }
    }

    #[cold]
    fn carry(&mut self, cpu: CpuId, task: TaskId, moved: Moved) {
        let cx = self.cx();
        let Cpu { rq, avg: root, .. } = &mut self.state.cpus[cpu.index()];
        if let Some(group) = rq.group_of(&self.state.entities, task) {
            let queue = &mut rq.groups[group.index()];
            queue.avg.carry(root, moved, queue.queue.load);
            rq.contribute(&mut self.state.entities, cx, group);
        }
    }

    /// What groups' entities weigh on a CPU may have changed. A glance is the caller's.
    #[inline]
    pub(super) fn reweigh_groups(&mut self, cpu: CpuId) {
        if !self.state.entities.groups.is_empty() {
            self.reweigh(cpu);
        }
    }

    #[cold]
    fn reweigh(&mut self, cpu: CpuId) {
        let Cpu { rq, avg: root, .. } = &mut self.state.cpus[cpu.index()];
        for group in &mut rq.groups {
            let weight = self.state.entities[group.entity].weight();
            group.avg.reweight(root, weight.into());
        }
    }

    /// `cpu.shares`: the group's entities weigh accordingly on all CPUs at once.
    pub(super) fn set_shares(&mut self, group: TaskGroupId, shares: u32) {
        let Some(given) = self.state.entities.groups.get_mut(group.index()) else { return };
        given.shares = shares;
        let cx = self.cx();
        for cpu in self.world.setup.topology.cpu_ids() {
            self.update_queue_avg(cpu);
            let rq = &mut self.state.cpus[cpu.index()].rq;
            rq.update_group(&mut self.state.entities, cx, group);
            self.reweigh_groups(cpu);
            self.glance(cpu);
            self.kick(cpu, None);
        }
    }

    /// `cpu.latency.nice`.
    pub(super) fn set_group_latency_nice(&mut self, group: TaskGroupId, latency_nice: LatencyNice) {
        let Some(given) = self.state.entities.groups.get_mut(group.index()) else { return };
        given.latency_nice = latency_nice;
        let cx = self.cx();
        for cpu in &mut self.state.cpus {
            cpu.rq.set_group_latency_nice(&mut self.state.entities, cx, group, latency_nice);
        }
    }

    /// A task goes to another group, on the CPU where it is: off the one queue and onto the other,
    /// as from CPU to CPU (model).
    pub(super) fn set_group(&mut self, task: TaskId, group: Option<TaskGroupId>) {
        let groups = self.state.entities.groups.len();
        let same = self.state.entities[task].group == group;
        if same || group.is_some_and(|group| group.index() >= groups) {
            return;
        }
        let cpu = self.state.tasks[task.index()].cpu;
        self.update_averages(cpu, task);
        let weight = u64::from(self.state.entities[task].weight());
        let cx = self.cx();
        let rq = &mut self.state.cpus[cpu.index()].rq;
        let was = rq.leave_group(&mut self.state.entities, cx, task);
        self.reweigh_groups(cpu);
        let (own, queue) = self.state.averages_of(cpu, task);
        let attached = own.attached;
        own.detach(queue, weight);
        if attached {
            self.carry_averages(cpu, task, Moved::Left);
        }
        self.state.entities[task].group = group;
        if attached {
            self.attach_averages(cpu, task);
        }
        let rq = &mut self.state.cpus[cpu.index()].rq;
        rq.join_group(&mut self.state.entities, cx, task, was);
        self.reweigh_groups(cpu);
        self.glance(cpu);
        self.report.changed(Change::Attributes(task));
        self.kick(cpu, None);
    }
}
