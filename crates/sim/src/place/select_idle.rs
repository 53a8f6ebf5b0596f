//! `select_idle_sibling()` from 5.15 on: one merged scan for idle cores and idle CPUs (5.4.4,
//! 5.4.5).

use super::{Branch, Evidence, Placement, Probe, ProbeAt, ScanExit, Test, View, Wake};
use crate::cpu_set::CpuSet;
use crate::domains::Domains;
use crate::kernel::{Feature, Features, PlaceGeneration};
use crate::units::CpuId;

/// One search for an idle CPU around `target`.
pub(super) struct Search<'a, V, E> {
    pub generation: PlaceGeneration,
    pub domains: &'a Domains,
    pub features: Features,
    pub view: &'a V,
    pub wake: &'a Wake<'a>,
    pub target: CpuId,
    pub evidence: &'a mut E,
    pub placement: &'a mut Placement,
}

/// A walk over a mask that shrinks meanwhile: ascending from a start, wrapping once.
pub(super) struct Walk {
    start: usize,
    at: usize,
    wrapped: bool,
}

impl Walk {
    pub(super) fn from(start: usize) -> Walk {
        Walk { start, at: start, wrapped: false }
    }

    pub(super) fn step(&mut self, mask: &CpuSet) -> Option<CpuId> {
        loop {
            match mask.next_from(self.at) {
                Some(cpu) if !self.wrapped || cpu.index() < self.start => {
                    self.at = cpu.index() + 1;
                    return Some(cpu);
                }
                None if !self.wrapped => (self.at, self.wrapped) = (0, true),
                _ => return None,
            }
        }
    }
}

/// What is left of a scan: where to look, how often, and what was remembered.
struct Scan {
    mask: CpuSet,
    /// Whether to look for a whole core.
    cores: bool,
    /// CPUs that may still be looked at, plus one; `None` is without limit.
    budget: Option<u64>,
    /// The first idle thread met while looking for a core.
    thread: Option<CpuId>,
    visited: u32,
}

/// How a walk over a part of the mask ended.
enum Walked {
    Core(CpuId),
    Cpu(CpuId),
    OutOfBudget,
    InVain,
}

impl<V: View, E: Evidence> Search<'_, V, E> {
    pub(super) fn note(&mut self, at: ProbeAt, test: Test, cpu: CpuId, yes: bool) -> bool {
        self.evidence.probe(Probe { at, test, cpu, yes });
        yes
    }

    pub(super) fn idle(&mut self, at: ProbeAt, cpu: CpuId) -> bool {
        let yes = self.view.idle(cpu);
        self.note(at, Test::Idle, cpu, yes)
    }

    fn sched_idle(&mut self, at: ProbeAt, cpu: CpuId) -> bool {
        let yes = self.view.sched_idle(cpu);
        self.note(at, Test::SchedIdle, cpu, yes)
    }

    /// Idle, or with nothing but SCHED_IDLE tasks.
    fn lazy_idle(&mut self, at: ProbeAt, cpu: CpuId) -> bool {
        self.idle(at, cpu) || self.sched_idle(at, cpu)
    }

    /// Whether the CPU is in the target's cluster, where that is asked at all (6.8 on).
    fn in_cluster(&self, cpu: CpuId) -> bool {
        !self.domains.clusters_active() || self.domains.share_resources(cpu, self.target)
    }

    pub(super) fn merged(&mut self) -> (CpuId, Branch) {
        let (domains, target, prev) = (self.domains, self.target, self.wake.prev_cpu);
        if self.lazy_idle(ProbeAt::Target, target) {
            return (target, Branch::TargetIdle);
        }

        let mut prev_noted = None;
        if prev != target
            && domains.share_cache(prev, target)
            && self.lazy_idle(ProbeAt::Prev, prev)
        {
            if self.in_cluster(prev) {
                return (prev, Branch::PrevIdle);
            }
            prev_noted = Some(prev);
        }

        // Stacking: the kernel thread is about to sleep.
        let waker = &self.wake.waker;
        if waker.per_cpu_kthread
            && (waker.in_task || self.generation < PlaceGeneration::V6_1)
            && prev == self.wake.this_cpu
            && self.view.nr_running(prev) <= 1
        {
            return (prev, Branch::PerCpuKthread);
        }

        let recent = self.wake.wakee.recent;
        self.placement.effects.wakee_recent = Some(prev);
        let mut recent_noted = None;
        // 5.15 and 6.1.0 ask whether *prev* is allowed: the field was already overwritten (5.4.3).
        let asked = if self.generation >= PlaceGeneration::V6_6 { recent } else { prev };
        if recent != prev
            && recent != target
            && domains.share_cache(recent, target)
            && self.lazy_idle(ProbeAt::Recent, recent)
            && self.note(ProbeAt::Recent, Test::Member, asked, self.wake.allowed.contains(asked))
        {
            if self.in_cluster(recent) {
                return (recent, Branch::RecentIdle);
            }
            recent_noted = Some(recent);
        }

        let Some(llc_span) = domains.llc_span(target) else {
            return (target, Branch::NoLlc);
        };
        let mut cores = false;
        if domains.smt() {
            cores = self.view.has_idle_cores(domains.llc(target));
            if !cores
                && domains.share_cache(prev, target)
                && let Some(cpu) = self.smt_of_prev(llc_span)
            {
                return (cpu, Branch::IdleSmt);
            }
        }
        if let Some(found) = self.scan(llc_span, cores) {
            return found;
        }
        if let Some(prev) = prev_noted {
            return (prev, Branch::PrevFallback);
        }
        if let Some(recent) = recent_noted {
            return (recent, Branch::RecentFallback);
        }
        (target, Branch::FallbackTarget)
    }

    /// An idle sibling of the previous CPU (5.4.4, row 6).
    fn smt_of_prev(&mut self, llc_span: &CpuSet) -> Option<CpuId> {
        let (prev, allowed) = (self.wake.prev_cpu, self.wake.allowed);
        let asks_mask = self.generation < PlaceGeneration::V6_1;
        for cpu in self.domains.smt_siblings(prev).iter() {
            if asks_mask {
                if !self.note(ProbeAt::Smt, Test::Member, cpu, allowed.contains(cpu)) {
                    continue;
                }
            } else if cpu == prev || !allowed.contains(cpu) {
                continue;
            }
            if !matches!(self.generation, PlaceGeneration::V6_1 | PlaceGeneration::V6_6)
                && !self.note(ProbeAt::SmtLlc, Test::Member, cpu, llc_span.contains(cpu))
            {
                continue;
            }
            if self.lazy_idle(ProbeAt::Smt, cpu) {
                return Some(cpu);
            }
        }
        None
    }

    /// `select_idle_cpu()`.
    fn scan(&mut self, llc_span: &CpuSet, cores: bool) -> Option<(CpuId, Branch)> {
        let (domains, target) = (self.domains, self.target);
        let mask = llc_span.and(self.wake.allowed);
        let mut scan = Scan { mask, cores, budget: None, thread: None, visited: 0 };
        if self.generation >= PlaceGeneration::V6_1 {
            if self.features.has(Feature::SisUtil) {
                let budget = self.view.nr_idle_scan(domains.llc(target));
                self.evidence.budget(budget);
                if budget == 0 {
                    self.placement.scan_exit = ScanExit::Overloaded;
                    return None;
                }
                scan.budget = Some(u64::from(budget) + 1);
            }
        } else {
            domains.llc_domain(self.wake.this_cpu)?;
            if !cores {
                let budget = self.budget_by_aged_idle();
                self.evidence.budget(budget as u32 - 1);
                scan.budget = Some(budget);
                self.placement.clock_reads = 1;
            }
        }

        if domains.clusters_active()
            && let Some(cluster) = domains.cluster_span(target)
        {
            match self.walk(&mut scan, Some(cluster)) {
                Walked::Core(cpu) => {
                    self.placement.scan_exit = ScanExit::ClsCore;
                    return Some((cpu, Branch::ClusterIdleCore));
                }
                Walked::Cpu(cpu) => {
                    self.placement.scan_exit = ScanExit::ClsFound;
                    return Some((cpu, Branch::ClusterIdleCpu));
                }
                Walked::OutOfBudget => {
                    self.placement.scan_exit = ScanExit::ClsLimit;
                    return None;
                }
                Walked::InVain => scan.mask = scan.mask.minus(cluster),
            }
        }
        let (exit, found) = match self.walk(&mut scan, None) {
            Walked::Core(cpu) => (ScanExit::Core, Some((cpu, Branch::IdleCore))),
            Walked::Cpu(cpu) => (ScanExit::Found, Some((cpu, Branch::IdleCpu))),
            Walked::OutOfBudget => {
                self.placement.scan_exit = ScanExit::Limit;
                return None;
            }
            Walked::InVain => match scan.thread {
                Some(cpu) => (ScanExit::Found, Some((cpu, Branch::IdleThreadFromCoreScan))),
                None => (ScanExit::Exhausted, None),
            },
        };
        self.placement.scan_exit = exit;
        if scan.cores && exit != ScanExit::Core {
            self.placement.effects.idle_cores_cleared = Some(domains.llc(target));
        }
        if self.placement.clock_reads == 1 {
            self.charge_scan(scan.visited);
        }
        found
    }

    /// Walks the mask from behind the target on; within the cluster, if one is given.
    fn walk(&mut self, scan: &mut Scan, cluster: Option<&CpuSet>) -> Walked {
        let mut walk = Walk::from(self.target.index() + 1);
        let (at_core, at_cpu) = match cluster {
            Some(_) => (ProbeAt::ClsCore, ProbeAt::ClsScan),
            None => (ProbeAt::Core, ProbeAt::Scan),
        };
        while let Some(cpu) = walk.step(cluster.unwrap_or(&scan.mask)) {
            if cluster.is_some()
                && !self.note(ProbeAt::Cls, Test::Member, cpu, scan.mask.contains(cpu))
            {
                continue;
            }
            if scan.cores {
                if self.core_is_idle(at_core, cpu, scan) {
                    return Walked::Core(cpu);
                }
                continue;
            }
            if let Some(budget) = &mut scan.budget {
                *budget -= 1;
                if *budget == 0 {
                    return Walked::OutOfBudget;
                }
            }
            scan.visited += 1;
            if self.lazy_idle(at_cpu, cpu) && self.view.cookie_matches(cpu) {
                return Walked::Cpu(cpu);
            }
        }
        Walked::InVain
    }

    /// `select_idle_core()`: whether the whole core of the CPU is idle; if not, it leaves the mask
    /// and its first idle thread is remembered.
    fn core_is_idle(&mut self, at: ProbeAt, cpu: CpuId, scan: &mut Scan) -> bool {
        let siblings = self.domains.smt_siblings(cpu);
        let mut all_idle = true;
        for sibling in siblings.iter() {
            let idle = self.idle(at, sibling);
            if !idle {
                all_idle = false;
                if scan.thread.is_some() {
                    break;
                }
                if !self.sched_idle(at, sibling) {
                    continue;
                }
            }
            if scan.thread.is_none() {
                let allowed = match self.generation {
                    PlaceGeneration::V6_12 => scan.mask.contains(sibling),
                    _ => self.wake.allowed.contains(sibling),
                };
                if self.note(at, Test::Member, sibling, allowed) {
                    scan.thread = Some(sibling);
                    if !idle {
                        break;
                    }
                }
            }
        }
        if !all_idle {
            scan.mask = scan.mask.minus(siblings);
        }
        all_idle
    }
}
