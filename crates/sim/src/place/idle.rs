//! The state of an LLC that idle searches read, and the fallback of a CPU that is not allowed.

use super::View;
use crate::cpu_set::CpuSet;
use crate::domains::{DomainFlags, DomainId, Domains};
use crate::kernel::PlaceGeneration;
use crate::topology::LlcId;
use crate::units::CpuId;

/// `nr_idle_scan` of an LLC of `llc_size` CPUs whose utilisations sum to `sum_util` (R5.5.4):
/// 0 … `llc_size`. `pct` is the imbalance_pct of the LLC domain.
#[must_use]
pub fn nr_idle_scan(sum_util: u64, llc_size: u32, pct: u32) -> u32 {
    let (size, pct) = (u64::from(llc_size), u64::from(pct));
    let x = sum_util / size;
    let busy = (x * x * pct * pct / (10_000 * 1024)).min(1024);
    ((1024 - busy) * size / 1024) as u32
}

/// Whether a balance pass over a domain of `span` CPUs renews `nr_idle_scan` of its LLC (R5.5.4):
/// if the domain is as large as the LLC and the pass is a periodic one.
#[must_use]
pub fn renews_nr_idle_scan(span: u32, llc_size: u32, newidle: bool) -> bool {
    !newidle && span == llc_size
}

/// As the CPU is about to run its idle task: the LLC whose idle-core hint is to be set, if any
/// (R5.4.8a). The CPU's own state is not looked at.
#[must_use]
pub fn update_idle_core(domains: &Domains, view: &impl View, cpu: CpuId) -> Option<LlcId> {
    if !domains.smt() || domains.generation() < PlaceGeneration::V4_15 {
        return None;
    }
    domains.llc_domain(cpu)?;
    let llc = domains.llc(cpu);
    if view.has_idle_cores(llc) {
        return None;
    }
    let others_idle =
        domains.smt_siblings(cpu).iter().all(|other| other == cpu || view.idle(other));
    others_idle.then_some(llc)
}

/// Where a task goes whose chosen CPU is not allowed: an allowed CPU of the same node first, else
/// any allowed one (R5.0.1).
#[must_use]
pub fn fallback(domains: &Domains, allowed: &CpuSet, cpu: CpuId) -> Option<CpuId> {
    if allowed.contains(cpu) {
        return Some(cpu);
    }
    let node = domains.node_span(domains.node(cpu));
    node.and(allowed).lowest().or_else(|| allowed.lowest())
}

/// The highest domain of the CPU, from the bottom up without a gap, that spreads forked or exec'ed
/// tasks: where the slow path begins (R5.1.2 step 2d, R5.6.1).
#[must_use]
pub fn slow_path_domain(domains: &Domains, cpu: CpuId, flag: DomainFlags) -> Option<DomainId> {
    let chain = domains.chain(cpu).iter().copied();
    chain.take_while(|id| domains.domain(*id).flags.has(flag)).last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_utilisation_without_a_scan() {
        for (size, pct, first) in
            [(2, 117, 620), (4, 117, 759), (16, 117, 848), (40, 117, 865), (4, 110, 807)]
        {
            let at = |x: u64| nr_idle_scan(x * u64::from(size), size, pct);
            assert_eq!((at(first), at(first - 1).min(1)), (0, 1), "LLC of {size}");
        }
    }
}
