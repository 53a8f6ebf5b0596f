//! When a CPU balances, and what moves.

use super::Engine;
use crate::domains::Domains;
use crate::units::CpuId;

/// placeholder
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CpuBalance {
    /// `max_idle_balance_cost`, ns.
    pub max_idle_balance_cost: u64,
}

impl CpuBalance {
    /// placeholder
    pub fn new(_domains: &Domains, _cpu: CpuId) -> CpuBalance {
        CpuBalance { max_idle_balance_cost: 500_000 }
    }
}

/// placeholder
#[derive(Clone, Debug)]
pub struct Move;

impl Engine<'_> {
    pub(super) fn newidle_balance(&mut self, cpu: CpuId) -> bool {
        self.state.cpus[cpu.index()].idle_stamp = Some(self.now());
        false
    }
    pub(super) fn tick_balance(&mut self, _cpu: CpuId) {}
    pub(super) fn idle_balance(&mut self, _cpu: CpuId) {}
}
