//! What the running tasks do: the operations of their programs.

use super::Engine;
use crate::event::Event;
use crate::fair::reason::Dequeue;
use crate::program::{ChannelId, Op};
use crate::report::{Change, Migration, Off, PickCause};
use crate::state::{TaskState, WaitsFor};
use crate::units::{CpuId, Span, TaskId};

/// After so many operations at one instant, a task is charged [`BUSY_COST`]: a program that never
/// needs time would otherwise stop the clock (model).
const OPS_AT_ONCE: u32 = 1000;
/// What [`OPS_AT_ONCE`] operations cost at the least.
const BUSY_COST: Span = Span::us(1);

impl Engine<'_> {
    /// The running task of this CPU has done the work of its operation.
    pub(super) fn burst_end(&mut self, cpu: CpuId) {
        let task = self.state.cpus[cpu.index()].rq.curr.expect("a burst ends on a busy CPU");
        self.settle_work(cpu);
        assert_eq!(self.state.tasks[task.index()].remaining, Span(0), "a burst ended too early");
        self.attend(cpu);
    }

    /// Goes on with the programs of this CPU's tasks until one needs time or none can run.
    pub(super) fn run_program(&mut self, cpu: CpuId) {
        let mut ops = 0;
        while let Some(task) = self.state.cpus[cpu.index()].rq.curr {
            if self.state.tasks[task.index()].remaining.0 > 0 {
                return;
            }
            ops += 1;
            if ops > OPS_AT_ONCE {
                self.work(cpu, task, BUSY_COST);
                return;
            }
            self.operate(cpu, task);
            if self.state.cpus[cpu.index()].rq.need_resched.is_some() {
                self.schedule(cpu, None);
            }
        }
    }

    /// The running task needs CPU time before its next operation.
    fn work(&mut self, cpu: CpuId, task: TaskId, span: Span) {
        if span.0 == 0 {
            return;
        }
        let now = self.now();
        let task = &mut self.state.tasks[task.index()];
        task.remaining = span;
        task.run_from = now;
        self.plan_burst(cpu);
    }

    /// One operation of the running task.
    fn operate(&mut self, cpu: CpuId, task: TaskId) {
        let now = self.now();
        let state = &mut self.state.tasks[task.index()];
        let program = self.world.program(state.spec);
        let op = program.get(usize::from(state.pc)).copied().unwrap_or(Op::Exit);
        state.pc = state.pc.saturating_add(1);
        match op {
            Op::Run(dist) => {
                let span = dist.draw(&mut self.state.rng);
                self.work(cpu, task, span);
            }
            Op::Sleep(dist) => {
                let until = now + dist.draw(&mut self.state.rng);
                self.state.events.set(until, Event::Timer(task));
                self.block(cpu, task, WaitsFor::Timer(cpu));
            }
            Op::Timer(period) => {
                state.timer_base = state.timer_base + period;
                if state.timer_base > now {
                    self.state.events.set(state.timer_base, Event::Timer(task));
                    self.block(cpu, task, WaitsFor::Timer(cpu));
                }
            }
            Op::Wait(channel) => self.wait_channel(cpu, task, channel),
            Op::WaitHere(first) => self.wait_channel(cpu, task, first.of_cpu(cpu)),
            Op::Wake { channel, count, sync } => self.wake_channel(cpu, task, channel, count, sync),
            Op::WakeHere { first, sync } => {
                self.wake_channel(cpu, task, first.of_cpu(cpu), 1, sync);
            }
            Op::Fork(spec) => self.fork(cpu, task, spec),
            Op::Exec => {
                // Exec, not fork, first brings the task's own averages up to date (R7.1.17).
                self.update_averages(cpu, task);
                let to = self.place_exec(task, cpu);
                if to != cpu {
                    self.migrate(task, to, Migration::Exec);
                }
            }
            Op::Yield => {
                let cx = self.cx();
                let rq = &mut self.state.cpus[cpu.index()].rq;
                rq.yield_task(&mut self.state.entities, cx);
                self.schedule(cpu, Some(PickCause::Yield));
            }
            Op::Exit => self.exit(cpu, task),
            Op::Repeat { to, times, slot } => {
                let done = &mut state.loops[usize::from(slot)];
                match times {
                    Some(times) if *done >= times => *done = 0,
                    _ => {
                        *done = if times.is_some() { *done + 1 } else { 0 };
                        state.pc = to;
                    }
                }
            }
        }
    }

    fn wait_channel(&mut self, cpu: CpuId, task: TaskId, channel: ChannelId) {
        let place = &mut self.state.channels[usize::from(channel.0)];
        if place.stored > 0 {
            place.stored -= 1;
        } else {
            place.waiters.push(task);
            self.block(cpu, task, WaitsFor::Channel(channel));
        }
    }

    fn wake_channel(
        &mut self,
        cpu: CpuId,
        waker: TaskId,
        channel: ChannelId,
        count: u32,
        sync: bool,
    ) {
        let woken = self.wake_waiters(channel, count, cpu, Some(waker), sync);
        let cost = Span(self.world.setup.kernel.costs.wakeup.0 * u64::from(woken));
        self.work(cpu, waker, cost);
    }

    /// Wakes up to `count` waiters; wakes that find none are stored. Returns how many it woke.
    pub(super) fn wake_waiters(
        &mut self,
        channel: ChannelId,
        count: u32,
        this_cpu: CpuId,
        waker: Option<TaskId>,
        sync: bool,
    ) -> u32 {
        let mut woken = 0;
        while woken < count {
            let waiters = &mut self.state.channels[usize::from(channel.0)].waiters;
            if waiters.is_empty() {
                break;
            }
            let wakee = waiters.remove(0);
            self.try_to_wake_up(wakee, this_cpu, waker, sync);
            woken += 1;
        }
        let place = &mut self.state.channels[usize::from(channel.0)];
        place.stored = place.stored.saturating_add(count - woken);
        woken
    }

    /// The running task goes to sleep: the dequeue half of `__schedule()`, then the pick.
    fn block(&mut self, cpu: CpuId, task: TaskId, waits: WaitsFor) {
        self.state.tasks[task.index()].state = TaskState::Sleeping(waits);
        self.leave(cpu, task, Dequeue::Sleep, Off::Sleep);
        self.schedule(cpu, Some(PickCause::Block));
    }

    fn exit(&mut self, cpu: CpuId, task: TaskId) {
        self.state.tasks[task.index()].state = TaskState::Exited;
        self.leave(cpu, task, Dequeue::Special, Off::Exit);
        self.schedule(cpu, Some(PickCause::Exit));
    }

    /// Writes down that a task was put on a queue or taken off, as the record has it.
    pub(super) fn dequeued(&mut self, cpu: CpuId, task: TaskId, why: Off) {
        self.report.changed(Change::Dequeued { task, cpu, why });
    }
}
