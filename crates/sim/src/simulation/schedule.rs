//! `__schedule()`: who leaves a CPU, who gets it, and what a switch changes.

use super::Engine;
use super::averages::Was;
use crate::event::Event;
use crate::fair::evidence::{PickEvidence, pick_evidence};
use crate::fair::reason::{Dequeue, Dequeued};
use crate::kernel::Governor;
use crate::report::{Change, Decision, Evidence, Off, PickCause};
use crate::state::TaskState;
use crate::units::{CpuId, TaskId, Time};

impl Engine<'_> {
    /// Takes a task off its queue; a sleeper may stay there, delayed (R4.C.5). A glance is the
    /// caller's to take, as the pick that follows does.
    pub(super) fn leave(&mut self, cpu: CpuId, task: TaskId, why: Dequeue, off: Off) {
        self.averages_up_to_now(cpu, task);
        // The estimate of a delayed task was dropped when it went to sleep (R0.7.1).
        if !self.state.entities[task].delayed {
            self.drop_util_est(cpu, task, off == Off::Sleep);
        }
        let cx = self.cx();
        let rq = &mut self.state.cpus[cpu.index()].rq;
        match rq.dequeue_task(&mut self.state.entities, cx, task, why) {
            Dequeued::Done => self.dequeued(cpu, task, off),
            Dequeued::Delayed => self.dequeued(cpu, task, Off::Delayed),
        }
        self.reweigh_groups(cpu);
        if off == Off::Exit {
            // What it was leaves the queue with it.
            self.detach_averages(cpu, task, true);
        }
        self.update_clock(cpu);
        // Charging the running task may have shown that its request is done.
        self.kick(cpu, None);
    }

    /// Picks the next task of a CPU and switches to it. `cause` is `None` for a pending reschedule.
    pub(super) fn schedule(&mut self, cpu: CpuId, cause: Option<PickCause>) {
        let cx = self.cx();
        let at = cpu.index();
        let prev = self.state.cpus[at].rq.curr;
        let rq = &mut self.state.cpus[at].rq;
        let cause =
            cause.or_else(|| rq.need_resched.map(PickCause::Resched)).expect("a pick has a cause");
        rq.update_curr(&mut self.state.entities, cx);
        let mut figures = self.pick_figures(cpu);
        self.update_clock(cpu);
        self.queue_avg_up_to_now(cpu);
        if let Some(prev) = prev
            && self.state.entities[prev].on_rq
        {
            self.update_task_avg(cpu, prev, Was::Running);
        }
        let mut pick = self.pick(cpu);
        if pick.next.is_none() && self.newidle_balance(cpu) {
            figures = self.pick_figures(cpu);
            pick = self.pick(cpu);
        }
        self.report.decided(
            Decision::Pick { cpu, prev, next: pick.next, reason: pick.reason, cause },
            || Evidence::Pick(figures.expect("figures were made")),
        );
        if prev != pick.next {
            self.switch(cpu, prev, pick.next);
        }
    }

    /// The figures behind the pick that is about to be made, if they are wanted.
    fn pick_figures(&self, cpu: CpuId) -> Option<Box<PickEvidence>> {
        self.report.wants_evidence().then(|| {
            let rq = &self.state.cpus[cpu.index()].rq;
            Box::new(pick_evidence(rq, &self.state.entities, self.cx()))
        })
    }

    fn pick(&mut self, cpu: CpuId) -> crate::fair::reason::Pick {
        let cx = self.cx();
        let rq = &mut self.state.cpus[cpu.index()].rq;
        let mut completed = core::mem::take(&mut self.scratch.completed);
        completed.clear();
        let nr_before = rq.nr_running;
        let pick = rq.pick(&mut self.state.entities, cx, &mut completed);
        debug_assert_eq!(nr_before - completed.len() as u32, rq.nr_running);
        for &task in &completed {
            self.update_task_avg(cpu, task, Was::Waiting);
            self.dequeued(cpu, task, Off::DelayedDone);
        }
        self.scratch.completed = completed;
        self.reweigh_groups(cpu);
        self.glance(cpu);
        pick
    }

    /// Another task gets the CPU.
    fn switch(&mut self, cpu: CpuId, prev: Option<TaskId>, next: Option<TaskId>) {
        let now = self.now();
        let at = cpu.index();
        let mut preempted = false;
        match prev {
            Some(prev) => {
                self.stop_working(cpu, prev);
                let task = &self.state.tasks[prev.index()];
                preempted = task.state == TaskState::Runnable && task.cpu == cpu;
            }
            None => {
                self.state.cpus[at].idle_since = None;
            }
        }
        if prev.is_none() != next.is_none() {
            self.share_package(cpu);
            self.share_core(cpu);
        }
        match next {
            Some(next) => self.start_working(cpu, next),
            None => self.enter_idle(cpu, now),
        }
        self.report.changed(Change::Switched { cpu, prev, next, preempted });
    }

    /// A task loses its CPU: what it still has to do is kept.
    fn stop_working(&mut self, cpu: CpuId, task: TaskId) {
        let now = self.now();
        let worked = now.since(self.state.tasks[task.index()].run_from);
        let done = self.work_done(cpu, worked);
        let task = &mut self.state.tasks[task.index()];
        task.run_from = now;
        if task.remaining.0 > 0 {
            // A burst that ends right now is over: its operation is done.
            task.remaining = task.remaining - done.min(task.remaining);
            self.state.events.cancel(Event::BurstEnd(cpu));
        }
    }

    /// A task gets a CPU; the switch, and a cold cache, cost it time.
    fn start_working(&mut self, cpu: CpuId, task: TaskId) {
        let now = self.now();
        let costs = self.world.setup.kernel.costs;
        self.update_task_avg(cpu, task, Was::Waiting);
        let state = &mut self.state.tasks[task.index()];
        state.run_from = now;
        state.remaining += costs.context_switch;
        if core::mem::take(&mut state.cold) {
            state.remaining += costs.migrate_llc;
        }
        if state.remaining.0 > 0 {
            self.plan_burst(cpu);
        } else {
            self.attend(cpu);
        }
        self.start_tick(cpu);
    }

    fn enter_idle(&mut self, cpu: CpuId, now: Time) {
        let schedutil = self.world.setup.kernel.frequency.governor == Governor::Schedutil;
        let at = &mut self.state.cpus[cpu.index()];
        at.clock.idled |= schedutil;
        at.idle_since = Some(now);
        at.pelt.enter_idle(at.avg.avg.util_sum);
        self.state.events.cancel(Event::Tick(cpu));
        self.update_idle_core(cpu);
    }
}
