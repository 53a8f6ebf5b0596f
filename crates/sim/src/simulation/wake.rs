//! From a wakeup or a fork to a place on a run queue (spec 0.6, R4.D.*).

use super::Engine;
use crate::event::Event;
use crate::fair::evidence::{
    EnqueueEvidence, PreemptEvidence, enqueue_evidence, fork_evidence, preempt_evidence,
};
use crate::fair::reason::{Enqueue, Wake};
use crate::kernel::{Feature, PlaceGeneration};
use crate::program::SpecId;
use crate::report::{Change, Decision, Evidence, Migration};
use crate::state::{TaskState, WakerBook};
use crate::units::{CpuId, TASKS_MAX, TaskId};

impl Engine<'_> {
    /// A sleeper's timer expires: an interrupt on the CPU where it was armed (A2).
    pub(super) fn timer(&mut self, task: TaskId) {
        let TaskState::Sleeping(crate::state::WaitsFor::Timer(cpu)) =
            self.state.tasks[task.index()].state
        else {
            unreachable!("a timer expired for a task that does not wait for one");
        };
        self.try_to_wake_up(task, cpu, None, false);
    }

    /// A device interrupts a CPU: round robin over its mask; the handler wakes (A3).
    pub(super) fn interrupt(&mut self, number: u16) {
        let at = usize::from(number);
        let interrupt = &self.world.setup.interrupts[at];
        let after = usize::from(self.state.interrupts[at].0.wrapping_add(1));
        let cpu = interrupt.cpus.wrap_from(after).next().expect("a mask has a CPU");
        self.state.interrupts[at] = cpu;
        let next = self.now() + interrupt.every.draw(&mut self.state.rng);
        self.state.events.set(next, Event::Interrupt(number));
        self.wake_waiters(interrupt.channel, interrupt.count, cpu, None, false);
    }

    /// `try_to_wake_up()`. `waker` is `None` in an interrupt.
    pub(super) fn try_to_wake_up(
        &mut self,
        wakee: TaskId,
        this_cpu: CpuId,
        waker: Option<TaskId>,
        sync: bool,
    ) {
        self.report.changed(Change::Woken { task: wakee, waker, this_cpu });
        if self.state.entities[wakee].delayed {
            self.wake_delayed(wakee, this_cpu);
            return;
        }
        let prev = self.state.tasks[wakee.index()].cpu;
        let cpu = self.place(wakee, this_cpu, waker, sync);
        if cpu != prev {
            self.set_task_cpu(wakee, cpu, Migration::Wakeup);
        }
        // Beside CPUs of other LLCs, from 6.1 on idle ones take in their tasks themselves too.
        let kernel = &self.world.setup.kernel;
        let idle_elsewhere = kernel.place >= PlaceGeneration::V6_1
            && cpu != this_cpu
            && self.state.cpus[cpu.index()].rq.nr_running == 0;
        let listed = kernel.features.has(Feature::TtwuQueue)
            && (!self.world.domains.share_cache(this_cpu, cpu) || idle_elsewhere);
        if listed {
            self.wake_list_add(wakee, cpu);
        } else {
            let how = if cpu == prev { Enqueue::Wakeup } else { Enqueue::WakeupMigrated };
            self.activate(wakee, cpu, how, Some(this_cpu));
        }
    }

    /// Puts a woken task on a CPU's wake list and sends the CPU an IPI (R0.6.6).
    pub(super) fn wake_list_add(&mut self, task: TaskId, cpu: CpuId) {
        self.state.tasks[task.index()].state = TaskState::Waking;
        self.state.cpus[cpu.index()].wake_list.push(task);
        self.glance(cpu);
        self.report.changed(Change::WakeListed { task, cpu });
        if self.state.events.time_of(Event::WakeIpi(cpu)).is_none() {
            let at = self.now() + self.world.setup.kernel.costs.wake_ipi;
            self.state.events.set(at, Event::WakeIpi(cpu));
        }
    }

    /// The CPU takes up its wake list (`sched_ttwu_pending`).
    pub(super) fn wake_ipi(&mut self, cpu: CpuId) {
        let mut list = core::mem::take(&mut self.state.cpus[cpu.index()].wake_list);
        for &task in &list {
            // Whether it migrated no longer matters: its CPU was set when it was placed.
            self.activate(task, cpu, Enqueue::Wakeup, Some(cpu));
        }
        list.clear();
        self.state.cpus[cpu.index()].wake_list = list;
    }

    /// A delayed task wakes where it is still queued: no placement (R4.D.5, R4.C.8).
    fn wake_delayed(&mut self, wakee: TaskId, this_cpu: CpuId) {
        let cpu = self.state.tasks[wakee.index()].cpu;
        self.update_averages(cpu, wakee);
        let cx = self.cx();
        let rq = &mut self.state.cpus[cpu.index()].rq;
        let before = self.state.entities[wakee].deadline;
        rq.requeue_delayed(&mut self.state.entities, cx, wakee);
        let replaced = self.state.entities[wakee].deadline != before;
        self.add_util_est(cpu, wakee);
        self.glance(cpu);
        self.state.tasks[wakee.index()].state = TaskState::Runnable;
        self.report.decided(Decision::WokenInPlace { wakee, cpu, replaced }, || Evidence::None);
        self.preempt_test(cpu, wakee, Wake::Wakeup, Some(this_cpu));
    }

    /// `ttwu_do_activate()`: enqueue, preemption test, end of the CPU's idleness.
    fn activate(&mut self, task: TaskId, cpu: CpuId, how: Enqueue, from: Option<CpuId>) {
        self.enqueue(cpu, task, how);
        let wake = if how == Enqueue::Fork { Wake::Fork } else { Wake::Wakeup };
        self.preempt_test(cpu, task, wake, from);
        if how == Enqueue::Fork {
            return;
        }
        // R0.6.8: the end of an idle period is averaged in.
        let now = self.now();
        let jiffies = self.jiffies();
        let max = 2 * self.state.cpus[cpu.index()].balance.max_idle_balance_cost;
        let cpu = &mut self.state.cpus[cpu.index()];
        if let Some(stamp) = cpu.idle_stamp.take() {
            let delta = now.0.saturating_sub(stamp.0) as i64;
            let avg = cpu.avg_idle as i64;
            cpu.avg_idle = ((avg + (delta - avg) / 8) as u64).min(max);
            cpu.wake_stamp = jiffies;
            cpu.wake_avg_idle = cpu.avg_idle / 2;
        }
    }

    /// Onto a run queue.
    pub(super) fn enqueue(&mut self, cpu: CpuId, task: TaskId, how: Enqueue) {
        self.attach_averages(cpu, task);
        let cx = self.cx();
        let rq = &mut self.state.cpus[cpu.index()].rq;
        if self.report.wants_evidence() {
            let fork = self.scratch.forked.take();
            let figures = enqueue_evidence(rq, &self.state.entities, cx, task, how);
            self.scratch.placed = Some((task, EnqueueEvidence { fork, ..figures }));
        }
        rq.enqueue_task(&mut self.state.entities, cx, task, how);
        let crowded = rq.nr_running == 2;
        self.reweigh_groups(cpu);
        self.state.overload |= crowded;
        // A delayed task that is moved stays asleep (R4.C.9).
        if !self.state.entities[task].delayed {
            self.add_util_est(cpu, task);
            self.state.tasks[task.index()].state = TaskState::Runnable;
        }
        self.glance(cpu);
        self.update_clock(cpu);
        self.report.changed(Change::Enqueued { task, cpu });
    }

    /// `wakeup_preempt()` and what follows from it.
    pub(super) fn preempt_test(
        &mut self,
        cpu: CpuId,
        task: TaskId,
        how: Wake,
        from: Option<CpuId>,
    ) {
        let cx = self.cx();
        let at = cpu.index();
        let curr = self.state.cpus[at].rq.curr;
        let placed = self.scratch.placed.take();
        let figures = self.report.wants_evidence().then(|| {
            let rq = &self.state.cpus[at].rq;
            let figures = preempt_evidence(rq, &self.state.entities, cx, task, how);
            let placed = placed.filter(|(who, _)| *who == task).map(|(_, placed)| placed);
            Box::new(PreemptEvidence { placed, ..figures })
        });
        let rq = &mut self.state.cpus[at].rq;
        let verdict = rq.wakeup_preempt(&mut self.state.entities, cx, task, how);
        self.report.decided(Decision::Preempt { cpu, curr, woken: task, verdict }, || {
            Evidence::Preempt(figures.expect("figures were made"))
        });
        self.kick(cpu, from);
    }

    /// `set_task_cpu()`: off every queue, a task belongs to another CPU from now on.
    pub(super) fn set_task_cpu(&mut self, task: TaskId, to: CpuId, why: Migration) {
        let from = self.state.tasks[task.index()].cpu;
        if from == to {
            return;
        }
        self.detach_averages(from, task, why == Migration::Wakeup);
        let cx = self.cx();
        let rq = &self.state.cpus[from.index()].rq;
        let how = match why {
            Migration::Wakeup => Enqueue::WakeupMigrated,
            Migration::Fork => Enqueue::Fork,
            Migration::Exec | Migration::Balance(_) | Migration::Affinity => Enqueue::Move,
        };
        rq.migrate_task_rq(&mut self.state.entities, cx, task, how);
        let state = &mut self.state.tasks[task.index()];
        state.cpu = to;
        state.cold |= !self.world.domains.share_cache(from, to);
        self.report.changed(Change::Migrated { task, from, to, why });
    }

    /// The running task starts a child (R4.D.4), unless there are [`TASKS_MAX`] tasks: then the
    /// fork fails, as the kernel's does (EAGAIN).
    pub(super) fn fork(&mut self, cpu: CpuId, parent: TaskId, spec: SpecId) {
        if self.state.tasks.len() >= TASKS_MAX {
            return;
        }
        let child = self.state.add_task(self.world, spec);
        // A child is in its parent's group, unless it is put into one at once.
        let group = self.state.entities[parent].group;
        self.state.entities[child].group = self.state.entities[child].group.or(group);
        self.report.changed(Change::Forked { child, parent: Some(parent) });
        let cx = self.cx();
        self.state.tasks[child.index()].cpu = cpu;
        let rq = &mut self.state.cpus[cpu.index()].rq;
        if self.report.wants_evidence() {
            self.scratch.forked = fork_evidence(rq, &self.state.entities, cx, child, true);
        }
        rq.task_fork(&mut self.state.entities, cx, child);
        let to = self.place_fork(child, cpu);
        self.wake_up_new_task(child, cpu, to);
    }

    /// A task of the scenario starts.
    pub(super) fn start(&mut self, task: TaskId) {
        let spec = self.state.tasks[task.index()].spec;
        let start = self.world.setup.tasks[spec.0 as usize].start.expect("it has a start");
        self.report.changed(Change::Forked { child: task, parent: None });
        self.begin(task, start.cpu);
    }

    /// A task without a parent in the scenario starts: where it is told to, or where fork placement
    /// puts a child of a shell on CPU 0 (model).
    pub(super) fn begin(&mut self, task: TaskId, cpu: Option<CpuId>) {
        let parent_cpu = cpu.unwrap_or(CpuId(0));
        self.state.tasks[task.index()].cpu = parent_cpu;
        let cx = self.cx();
        let rq = &mut self.state.cpus[parent_cpu.index()].rq;
        if self.report.wants_evidence() {
            self.scratch.forked = fork_evidence(rq, &self.state.entities, cx, task, false);
        }
        rq.task_start(&mut self.state.entities, cx, task);
        let told = cpu.filter(|&cpu| self.allowed(task).contains(cpu));
        let to = told.unwrap_or_else(|| self.place_fork(task, parent_cpu));
        self.wake_up_new_task(task, parent_cpu, to);
    }

    /// `wake_up_new_task()`.
    fn wake_up_new_task(&mut self, task: TaskId, parent_cpu: CpuId, to: CpuId) {
        let now = self.now();
        let state = &mut self.state.tasks[task.index()];
        state.started = now;
        state.timer_base = now;
        state.run_from = now;
        state.recent_used_cpu = parent_cpu;
        state.cpu = to;
        self.init_averages(to, task);
        self.activate(task, to, Enqueue::Fork, Some(parent_cpu));
    }

    /// Whose wakeups are counted when `waker` wakes, or an interrupt does on `cpu` (R5.2.3).
    pub(super) fn waker_book(&mut self, cpu: CpuId) -> &mut WakerBook {
        match self.state.cpus[cpu.index()].rq.curr {
            Some(curr) => &mut self.state.tasks[curr.index()].waker,
            None => &mut self.state.cpus[cpu.index()].idle_waker,
        }
    }
}
