//! Changes made from outside during a run: system calls that somebody makes for a task.

use super::Engine;
use crate::cpu_set::CpuSet;
use crate::event::Event;
use crate::fair::reason::{Dequeue, Enqueue, Preempt, Wake};
use crate::program::SpecId;
use crate::report::{Change, Decision, Evidence, Migration, Off, PickCause};
use crate::setup::Edit;
use crate::state::{TaskState, WaitsFor};
use crate::units::{CpuId, Nice, Span, TASKS_MAX, TaskId};

impl Engine<'_> {
    /// Makes one change.
    pub(super) fn edit(&mut self, edit: &Edit) {
        match *edit {
            Edit::Nice(task, _)
            | Edit::LatencyNice(task, _)
            | Edit::Slice(task, _)
            | Edit::Affinity(task, _)
            | Edit::Group(task, _)
            | Edit::Move(task, _)
            | Edit::Kill(task)
                if !self.exists(task) => {}
            Edit::Nice(task, nice) => self.set_nice(task, nice),
            Edit::LatencyNice(task, latency_nice) => {
                let cpu = self.state.tasks[task.index()].cpu;
                let cx = self.cx();
                let rq = &mut self.state.cpus[cpu.index()].rq;
                rq.set_latency_nice(&mut self.state.entities, cx, task, latency_nice);
                self.report.changed(Change::Attributes(task));
            }
            Edit::Slice(task, slice) => self.set_slice(task, slice),
            Edit::Group(task, group) => self.set_group(task, group),
            Edit::Shares(group, shares) => self.set_shares(group, shares),
            Edit::GroupLatencyNice(group, latency_nice) => {
                self.set_group_latency_nice(group, latency_nice);
            }
            Edit::Affinity(task, allowed) => self.set_affinity(task, allowed),
            Edit::Move(task, cpu) => {
                let before = self.state.tasks[task.index()].allowed.as_deref().copied();
                self.set_affinity(task, Some(CpuSet::one(cpu)));
                // Free again, unless its mask does not hold the CPU: then it is pinned there.
                if before.is_none_or(|mask| mask.contains(cpu)) {
                    self.state.tasks[task.index()].allowed = before.map(Box::new);
                }
            }
            Edit::Spawn(spec, cpu) => self.spawn(spec, cpu),
            Edit::Kill(task) => self.kill(task),
        }
    }

    /// Whether the task is there to be changed: an input may name a child that was never forked, or
    /// one that is gone.
    fn exists(&self, task: TaskId) -> bool {
        let task = self.state.tasks.get(task.index());
        task.is_some_and(|task| task.state != TaskState::Exited)
    }

    fn set_nice(&mut self, task: TaskId, nice: Nice) {
        let cpu = self.state.tasks[task.index()].cpu;
        self.update_averages(cpu, task);
        let cx = self.cx();
        let old = u64::from(self.state.entities[task].weight());
        let rq = &mut self.state.cpus[cpu.index()].rq;
        let verdict = rq.set_user_nice(&mut self.state.entities, cx, task, nice);
        self.reweigh_averages(cpu, task, old);
        self.after_attributes(cpu, task, verdict);
    }

    fn set_slice(&mut self, task: TaskId, slice: Option<Span>) {
        if !self.world.setup.kernel.fair.has_custom_slices() {
            return;
        }
        let cpu = self.state.tasks[task.index()].cpu;
        self.update_averages(cpu, task);
        let cx = self.cx();
        let nice = self.state.entities[task].nice();
        let rq = &mut self.state.cpus[cpu.index()].rq;
        let raw = slice.unwrap_or(Span(0));
        let verdict = rq.set_attr(&mut self.state.entities, cx, task, nice, raw);
        self.reweigh_groups(cpu);
        self.glance(cpu);
        self.after_attributes(cpu, task, verdict);
    }

    fn after_attributes(&mut self, cpu: CpuId, task: TaskId, verdict: Preempt) {
        self.report.changed(Change::Attributes(task));
        if verdict != Preempt::NoTest {
            let curr = self.state.cpus[cpu.index()].rq.curr;
            let decision = Decision::Preempt { cpu, curr, woken: task, verdict };
            self.report.decided(decision, || Evidence::None);
        }
        self.kick(cpu, None);
    }

    /// `sched_setaffinity()`; a task that is where it may no longer be moves at once (R4.D.8).
    fn set_affinity(&mut self, task: TaskId, allowed: Option<CpuSet>) {
        self.state.tasks[task.index()].allowed = allowed.map(Box::new);
        self.report.changed(Change::Attributes(task));
        let cpu = self.state.tasks[task.index()].cpu;
        if self.allowed(task).contains(cpu)
            || self.state.tasks[task.index()].state == TaskState::New
        {
            return;
        }
        // The lowest allowed CPU of the same node, else of all (model: the kernel spreads these).
        let near = self.world.setup.topology.cpu(cpu).node;
        let near = self.world.domains.node_span(near).and(self.allowed(task));
        let to = near.lowest().or_else(|| self.allowed(task).lowest()).expect("a mask has a CPU");
        if self.state.entities[task].on_rq {
            self.migrate(task, to, Migration::Affinity);
        } else if self.state.tasks[task.index()].state == TaskState::Waking {
            // It is on the wake list of a CPU that it may no longer use; it goes to another's.
            self.state.cpus[cpu.index()].wake_list.retain(|&waking| waking != task);
            self.glance(cpu);
            self.set_task_cpu(task, to, Migration::Affinity);
            self.wake_list_add(task, to);
        }
    }

    /// Moves a queued task, running or not, to another CPU (R4.D.3).
    pub(super) fn migrate(&mut self, task: TaskId, to: CpuId, why: Migration) {
        let from = self.state.tasks[task.index()].cpu;
        let running = self.state.cpus[from.index()].rq.curr == Some(task);
        self.detach(task, from);
        if running {
            // The stopper preempts it; its queue picks without it.
            self.schedule(from, Some(PickCause::MovedAway));
        }
        self.attach(task, to, why);
        self.preempt_test(to, task, Wake::Wakeup, None);
        self.attend(from);
    }

    /// Off the queue of a CPU, to be [`Engine::attach`]ed to another.
    pub(super) fn detach(&mut self, task: TaskId, from: CpuId) {
        self.leave(from, task, Dequeue::Move, Off::Migrate);
        self.glance(from);
    }

    /// Onto the queue of another CPU.
    pub(super) fn attach(&mut self, task: TaskId, to: CpuId, why: Migration) {
        self.set_task_cpu(task, to, why);
        self.enqueue(to, task, Enqueue::Move);
    }

    fn spawn(&mut self, spec: SpecId, cpu: Option<CpuId>) {
        if self.state.tasks.len() >= TASKS_MAX {
            return;
        }
        let task = self.state.add_task(self.world, spec);
        self.report.changed(Change::Forked { child: task, parent: None });
        self.begin(task, cpu);
    }

    /// The task ends at once (model: the kernel would wake it to die).
    fn kill(&mut self, task: TaskId) {
        let state = &mut self.state.tasks[task.index()];
        let (before, cpu) = (state.state, state.cpu);
        state.state = TaskState::Exited;
        match before {
            TaskState::New => self.state.events.cancel(Event::Start(task)),
            TaskState::Waking => {
                self.state.cpus[cpu.index()].wake_list.retain(|&waking| waking != task);
                self.glance(cpu);
            }
            TaskState::Sleeping(WaitsFor::Timer(_)) => self.state.events.cancel(Event::Timer(task)),
            TaskState::Sleeping(WaitsFor::Channel(channel)) => {
                let place = &mut self.state.channels[usize::from(channel.0)];
                place.waiters.retain(|&waiter| waiter != task);
            }
            TaskState::Runnable | TaskState::Exited => {}
        }
        if self.state.entities[task].on_rq {
            let running = self.state.cpus[cpu.index()].rq.curr == Some(task);
            self.state.entities[task].delayed = false;
            self.leave(cpu, task, Dequeue::Special, Off::Exit);
            self.glance(cpu);
            if running {
                self.schedule(cpu, Some(PickCause::Exit));
                self.attend(cpu);
            }
        } else {
            self.detach_averages(cpu, task, true);
            self.dequeued(cpu, task, Off::Exit);
        }
    }
}
