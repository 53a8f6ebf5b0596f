//! `select_idle_sibling()` before 5.15 (5.4.1 … 5.4.4), and the scan budget by idle time (5.5).

use super::select_idle::{Search, Walk};
use super::{
    Branch, Evidence, Placement, Probe, ProbeAt, ScanExit, Side, Test, View, Wake, wake_affine,
};
use crate::cpu_set::CpuSet;
use crate::domains::{DomainFlags, Domains};
use crate::kernel::Feature;
use crate::units::CpuId;

/// 2.6.36 (5.1.1, 5.3.1, 5.4.1): an idle search only where a domain with WAKE_AFFINE holds both
/// CPUs.
pub(super) fn place_2_6_36<V: View, E: Evidence>(
    domains: &Domains,
    view: &V,
    wake: &Wake<'_>,
    evidence: &mut E,
    placement: &mut Placement,
) {
    let (this, prev) = (wake.this_cpu, wake.prev_cpu);
    let want_affine = wake.allowed.contains(this);
    placement.want_affine = Some(want_affine);
    if want_affine {
        for (level, &id) in domains.chain(this).iter().enumerate() {
            let domain = domains.domain(id);
            if !domain.flags.has(DomainFlags::WAKE_AFFINE) {
                continue;
            }
            let holds_prev = domain.span.contains(prev);
            evidence.domain(id, holds_prev);
            if holds_prev {
                placement.affine_domain = Some((id, level as u8));
                break;
            }
        }
    }
    (placement.cpu, placement.branch) = (prev, Branch::FallbackTarget);
    let Some((affine, _)) = placement.affine_domain else {
        return;
    };
    let mut start = this;
    if this != prev {
        let pct = domains.domain(affine).imbalance_pct;
        let pulls = wake_affine::pulls_2_6_36(view, wake, pct, evidence);
        placement.wake_affine = Some(if pulls { Side::This } else { Side::Prev });
        start = if pulls { this } else { prev };
    }
    placement.target = Some(start);
    (placement.cpu, placement.branch) = sibling_2_6_36(domains, view, wake, start, evidence);
}

/// `select_idle_sibling()` of 2.6.36.
fn sibling_2_6_36<V: View, E: Evidence>(
    domains: &Domains,
    view: &V,
    wake: &Wake<'_>,
    start: CpuId,
    evidence: &mut E,
) -> (CpuId, Branch) {
    let (this, prev) = (wake.this_cpu, wake.prev_cpu);
    let mut idle = |at, cpu| {
        let yes = view.idle(cpu);
        evidence.probe(Probe { at, test: Test::Idle, cpu, yes });
        yes
    };
    if idle(ProbeAt::Target, start) {
        return (start, Branch::TargetIdle);
    }
    let (mut target, mut branch) = (start, Branch::FallbackTarget);
    for &id in domains.chain(start) {
        let domain = domains.domain(id);
        if !domain.flags.has(DomainFlags::SHARE_LLC) {
            break;
        }
        // A wider domain overwrites what a smaller one found.
        let span = domain.span.and(wake.allowed);
        if let Some(cpu) = span.iter().find(|cpu| idle(ProbeAt::Scan, *cpu)) {
            (target, branch) = (cpu, Branch::IdleCpu);
        }
        if domain.span.contains(this) && domain.span.contains(prev) {
            break;
        }
    }
    (target, branch)
}

impl<V: View, E: Evidence> Search<'_, V, E> {
    /// 4.7: a fully idle group of the LLC domain, then of the domains below it.
    pub(super) fn groups_4_7(&mut self) -> (CpuId, Branch) {
        let (domains, target, prev) = (self.domains, self.target, self.wake.prev_cpu);
        if self.idle(ProbeAt::Target, target) {
            return (target, Branch::TargetIdle);
        }
        if prev != target && domains.share_cache(prev, target) && self.idle(ProbeAt::Prev, prev) {
            return (prev, Branch::PrevIdle);
        }
        let llc = domains.llc_domain(target);
        let mut domain = llc;
        while let Some(id) = domain {
            for group in domains.ring(id, target) {
                let span = &domains.group(group).span;
                let Some(first) = span.and(self.wake.allowed).lowest() else {
                    continue;
                };
                let all_idle =
                    span.iter().all(|cpu| cpu != target && self.idle(ProbeAt::Group, cpu));
                if all_idle {
                    let branch = match (domain == llc, domains.smt()) {
                        (true, true) => Branch::IdleCore,
                        (true, false) => Branch::IdleCpu,
                        (false, _) => Branch::IdleSmtSibling,
                    };
                    return (first, branch);
                }
            }
            domain = domains.child(id, target);
        }
        (target, Branch::FallbackTarget)
    }

    /// 4.10 … 5.10: core, then CPU, then sibling.
    pub(super) fn rewrite_4_10(&mut self) -> (CpuId, Branch) {
        let (domains, target, prev) = (self.domains, self.target, self.wake.prev_cpu);
        if self.idle(ProbeAt::Target, target) {
            return (target, Branch::TargetIdle);
        }
        if prev != target && domains.share_cache(prev, target) && self.idle(ProbeAt::Prev, prev) {
            return (prev, Branch::PrevIdle);
        }
        let recent = self.wake.wakee.recent;
        if self.features.has(Feature::RecentUsedCpu)
            && recent != prev
            && recent != target
            && domains.share_cache(recent, target)
            && self.idle(ProbeAt::Recent, recent)
            && self.allowed(ProbeAt::Recent, recent)
        {
            self.placement.effects.wakee_recent = Some(prev);
            return (recent, Branch::RecentIdle);
        }
        let Some(llc_span) = domains.llc_span(target) else {
            return (target, Branch::NoLlc);
        };
        if domains.smt()
            && self.view.has_idle_cores(domains.llc(target))
            && let Some(core) = self.idle_core_4_10(llc_span)
        {
            return (core, Branch::IdleCore);
        }
        if let Some(cpu) = self.idle_cpu_4_15(llc_span) {
            return (cpu, Branch::IdleCpu);
        }
        if domains.smt()
            && let Some(cpu) = self.idle_smt_4_10()
        {
            return (cpu, Branch::IdleSmt);
        }
        (target, Branch::FallbackTarget)
    }

    fn allowed(&mut self, at: ProbeAt, cpu: CpuId) -> bool {
        self.note(at, Test::Member, cpu, self.wake.allowed.contains(cpu))
    }

    fn idle_core_4_10(&mut self, llc_span: &CpuSet) -> Option<CpuId> {
        let domains = self.domains;
        let mut mask = llc_span.and(self.wake.allowed);
        let mut walk = Walk::from(self.target.index());
        while let Some(core) = walk.step(&mask) {
            let siblings = domains.smt_siblings(core);
            let mut all_idle = true;
            for cpu in siblings.iter() {
                all_idle &= self.idle(ProbeAt::Core, cpu);
            }
            if all_idle {
                return Some(core);
            }
            mask = mask.minus(siblings);
        }
        self.placement.effects.idle_cores_cleared = Some(domains.llc(self.target));
        None
    }

    /// SIS_PROP: a CPU that is not allowed uses up budget too (R5.5.1).
    fn idle_cpu_4_15(&mut self, llc_span: &CpuSet) -> Option<CpuId> {
        let this = self.wake.this_cpu;
        self.domains.llc_domain(this)?;
        let mut budget = self.budget(self.view.avg_idle(this) / 512);
        self.evidence.budget(budget as u32 - 1);
        self.placement.clock_reads = 1;
        let (mut found, mut visited) = (None, 0);
        for cpu in llc_span.wrap_from(self.target.index()) {
            budget -= 1;
            if budget == 0 {
                self.placement.scan_exit = ScanExit::Limit;
                return None;
            }
            visited += 1;
            if self.allowed(ProbeAt::Scan, cpu) && self.idle(ProbeAt::Scan, cpu) {
                found = Some(cpu);
                break;
            }
        }
        self.placement.scan_exit =
            if found.is_some() { ScanExit::Found } else { ScanExit::Exhausted };
        self.charge_scan(visited);
        found
    }

    fn idle_smt_4_10(&mut self) -> Option<CpuId> {
        let siblings = self.domains.smt_siblings(self.target);
        siblings.iter().find(|&cpu| self.allowed(ProbeAt::Smt, cpu) && self.idle(ProbeAt::Smt, cpu))
    }

    /// How many CPUs may be looked at, plus one: as many as the expected idle time pays for, 4 at
    /// least (R5.5.1).
    fn budget(&self, idle: u64) -> u64 {
        let cost = self.view.avg_scan_cost(self.wake.this_cpu) + 1;
        let pay = u64::from(self.domains.llc_size(self.target)) * idle;
        if pay > 4 * cost { pay / cost } else { 4 }
    }

    /// 5.15: `wake_avg_idle`, halved for every jiffy since its stamp (R5.5.3).
    pub(super) fn budget_by_aged_idle(&mut self) -> u64 {
        let this = self.wake.this_cpu;
        let (mut idle, mut stamp) = (self.view.wake_avg_idle(this), self.view.wake_stamp(this));
        while stamp < self.wake.jiffies && idle != 0 {
            stamp += 1;
            idle >>= 1;
        }
        self.placement.effects.wake_avg_idle = Some(idle);
        self.placement.effects.wake_stamp = Some(stamp);
        self.budget(idle)
    }

    /// After a scan that did not run out of budget: what it cost goes into the average, and from
    /// the idle time that pays for the next (R5.5.2, R5.5.3).
    pub(super) fn charge_scan(&mut self, visited: u32) {
        self.placement.clock_reads = 2;
        let time = self.view.scan_time(visited);
        let cost = self.view.avg_scan_cost(self.wake.this_cpu) as i64;
        let effects = &mut self.placement.effects;
        effects.avg_scan_cost = Some((cost + (time as i64 - cost) / 8) as u64);
        effects.wake_avg_idle = effects.wake_avg_idle.map(|idle| idle.saturating_sub(time));
    }
}
