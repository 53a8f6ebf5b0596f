//! The periodic tick of busy CPUs; idle ones have theirs stopped (NOHZ).

use super::Engine;
use crate::event::Event;
use crate::units::{CpuId, Time};

impl Engine<'_> {
    /// `scheduler_tick()`: charges the running task, updates the averages, then balances (R5.7.1).
    pub(super) fn tick(&mut self, cpu: CpuId) {
        let cx = self.cx();
        let curr = self.state.cpus[cpu.index()].rq.curr.expect("only busy CPUs tick");
        self.averages_up_to_now(cpu, curr);
        let rq = &mut self.state.cpus[cpu.index()].rq;
        rq.task_tick(&mut self.state.entities, cx);
        self.reweigh_groups(cpu);
        self.glance(cpu);
        self.update_clock(cpu);
        self.start_tick(cpu);
        self.tick_balance(cpu);
        self.kick(cpu, Some(cpu));
    }

    /// Makes sure that a busy CPU ticks: at the next multiple of the tick, as all CPUs do
    /// (R5.7.22).
    pub(super) fn start_tick(&mut self, cpu: CpuId) {
        if self.state.events.time_of(Event::Tick(cpu)).is_none() {
            let next = Time((self.jiffies() + 1) * self.world.setup.kernel.tick().0);
            self.state.events.set(next, Event::Tick(cpu));
        }
    }
}
