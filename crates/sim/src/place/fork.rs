//! The slow path: where a forked or exec'ed task starts (spec 5.6).
//!
//! From the widest domain that spreads new tasks, the search descends: in each domain the idlest
//! group, in it the idlest CPU, from there on in the next smaller domain of that CPU.

use super::fork_by_load;
use crate::balance::stats::{GroupStats, GroupType, GroupView, adjust_numa_imbalance};
use crate::cpu_set::CpuSet;
use crate::domains::{DomainFlags, DomainId, Domains, GroupId};
use crate::kernel::{Features, PlaceGeneration};
use crate::units::CpuId;

/// What the slow path reads besides the groups. For an exec the view leaves the task itself out of
/// everything, also out of "idle" (R5.6.10).
pub trait IdlestView: GroupView {
    /// `idle_stamp`: when an idle CPU went idle, ns, never 0 (R5.6.11).
    fn idle_stamp(&self, cpu: CpuId) -> u64;
    /// Load of who is runnable: `runnable_load_avg` in 4.x, the sum of the queued weights in
    /// 2.6.36; not read later.
    fn runnable_load(&self, cpu: CpuId) -> u64 {
        self.load(cpu)
    }
    /// Utilisation of an exec'ed task; read by 4.x.
    fn task_util(&self) -> u64 {
        0
    }
    /// Whether the core of the CPU may take the task by its cookie (spec 8.3).
    fn cookie_matches(&self, _cpu: CpuId) -> bool {
        true
    }
}

/// A new task to be placed.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// The parent's CPU; for an exec the task's own.
    pub this_cpu: CpuId,
    /// Where it may run.
    pub allowed: &'a CpuSet,
    /// BALANCE_FORK or BALANCE_EXEC.
    pub flag: DomainFlags,
    /// Of which FORK_LOCAL_NODE matters, up to 4.19.
    pub features: Features,
}

/// Why a domain was left for its child, or for a group of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WhyGroup {
    /// The domain does not spread new tasks.
    NoFlag,
    /// No other group may be used.
    NoOther,
    /// The local group may not be used.
    LocalNotAllowed,
    /// The local group is of a better type.
    LocalBetterType,
    /// The other group is of a better type.
    OtherBetterType,
    /// The loads are too close, or the local one is lower.
    LoadsClose,
    /// The other group has clearly less load.
    OtherLessLoad,
    /// 4.x, exec: the local group has room for it.
    LocalHasRoom,
    /// 4.x, exec: the other group has room for it.
    OtherHasRoom,
    /// Neither is to be given more ("imbalanced").
    LocalImbalanced,
    /// The node may have a few more tasks than the other (NUMA allowance).
    NumaAllowance,
    /// The local group has as many idle CPUs.
    LocalAsIdle,
    /// The other group has more idle CPUs.
    OtherMoreIdle,
}

/// Why a CPU of a group was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WhyCpu {
    /// The group has no other.
    OnlyOne,
    /// It runs only SCHED_IDLE tasks.
    SchedIdle,
    /// It is idle, and went idle last.
    LatestIdle,
    /// None is idle; it has the least load.
    LeastLoad,
    /// None may be used.
    NoneAllowed,
}

/// One step of the descent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Descent {
    /// Seen from this CPU …
    pub from: CpuId,
    /// … in this domain …
    pub domain: DomainId,
    /// … this group was entered; `None`: stay in the local one.
    pub group: Option<GroupId>,
    /// Why.
    pub why: WhyGroup,
    /// The CPU taken of the group, and why.
    pub cpu: Option<(CpuId, WhyCpu)>,
}

/// Takes what the slow path compares. Every method does nothing unless it is overridden.
pub trait SlowEvidence {
    /// A group was summed up.
    fn group(&mut self, _domain: DomainId, _group: GroupId, _local: bool, _stats: &GroupStats) {}
    /// A step was decided.
    fn descent(&mut self, _descent: Descent) {}
}

impl SlowEvidence for super::Unseen {}

/// A group as it was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroupSeen {
    /// In which domain.
    pub domain: DomainId,
    /// Which.
    pub group: GroupId,
    /// Whether it is the one of the CPU that looks.
    pub local: bool,
    /// Its sums.
    pub stats: GroupStats,
}

/// Keeps everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SlowSeen {
    /// The groups compared, in order.
    pub groups: Vec<GroupSeen>,
    /// The steps, from the widest domain down.
    pub descents: Vec<Descent>,
}

impl SlowEvidence for SlowSeen {
    fn group(&mut self, domain: DomainId, group: GroupId, local: bool, stats: &GroupStats) {
        self.groups.push(GroupSeen { domain, group, local, stats: *stats });
    }
    fn descent(&mut self, descent: Descent) {
        self.descents.push(descent);
    }
}

/// Where the task starts (R5.6.1 … R5.6.3).
pub fn place_new<V: IdlestView, E: SlowEvidence>(
    domains: &Domains,
    view: &V,
    start: &Start<'_>,
    evidence: &mut E,
) -> CpuId {
    let mut cpu = start.this_cpu;
    let mut domain = super::idle::slow_path_domain(domains, cpu, start.flag);
    if let Some(id) = domain
        && !domains.domain(id).span.intersects(start.allowed)
    {
        return cpu;
    }
    while let Some(id) = domain {
        let mut descent =
            Descent { from: cpu, domain: id, group: None, why: WhyGroup::NoFlag, cpu: None };
        let by_load = domains.generation() < PlaceGeneration::V5_15;
        if domains.domain(id).flags.has(start.flag) {
            (descent.group, descent.why) = if by_load {
                fork_by_load::idlest_group(domains, view, start, id, cpu, evidence)
            } else {
                idlest_group(domains, view, start, id, cpu, evidence)
            };
        }
        if let Some(group) = descent.group {
            descent.cpu = Some(if by_load {
                fork_by_load::idlest_cpu(domains, view, start, group, cpu)
            } else {
                idlest_cpu(domains, view, start, group, cpu)
            });
        }
        evidence.descent(descent);
        domain = match descent.cpu {
            Some((next, _)) if next != cpu => {
                cpu = next;
                let weight = domains.domain(id).weight;
                let smaller = |id: &&DomainId| domains.domain(**id).weight < weight;
                let chain = domains.chain(cpu).iter().take_while(smaller);
                chain.copied().filter(|id| domains.domain(*id).flags.has(start.flag)).last()
            }
            _ => domains.child(id, cpu),
        };
    }
    cpu
}

/// `find_idlest_group` (R5.6.6, R5.6.7).
fn idlest_group<V: IdlestView, E: SlowEvidence>(
    domains: &Domains,
    view: &V,
    start: &Start<'_>,
    id: DomainId,
    this: CpuId,
    evidence: &mut E,
) -> (Option<GroupId>, WhyGroup) {
    let domain = domains.domain(id);
    let mut local: Option<(GroupId, GroupStats)> = None;
    let mut idlest: Option<(GroupId, GroupStats)> = None;
    for group_id in domains.ring(id, this) {
        let group = domains.group(group_id);
        let allowed = group.span.and(start.allowed);
        if !allowed.iter().any(|cpu| view.cookie_matches(cpu)) {
            continue;
        }
        let is_local = group.span.contains(this);
        let mut stats = GroupStats::sum(view, group_id, group, None);
        stats.classify(domain.imbalance_pct, view.imbalanced(group_id), false);
        if matches!(stats.kind, GroupType::FullyBusy | GroupType::Overloaded) {
            stats.avg_load = stats.load_per_capacity();
        }
        evidence.group(id, group_id, is_local, &stats);
        if is_local {
            local = Some((group_id, stats));
        } else if idlest.is_none_or(|(_, best)| is_idler(&stats, &best)) {
            idlest = Some((group_id, stats));
        }
    }

    let Some((group, idlest)) = idlest else {
        return (None, WhyGroup::NoOther);
    };
    let Some((local_id, local)) = local else {
        return (Some(group), WhyGroup::LocalNotAllowed);
    };
    if local.kind < idlest.kind {
        return (None, WhyGroup::LocalBetterType);
    }
    if local.kind > idlest.kind {
        return (Some(group), WhyGroup::OtherBetterType);
    }
    let numa = domain.flags.has(DomainFlags::NUMA);
    match local.kind {
        GroupType::FullyBusy | GroupType::Overloaded => {
            let pct = u64::from(domain.imbalance_pct);
            let margin = 1024 * (pct - 100) / 100;
            if (numa && idlest.avg_load + margin >= local.avg_load)
                || idlest.avg_load >= local.avg_load + margin
                || 100 * local.avg_load <= pct * idlest.avg_load
            {
                (None, WhyGroup::LoadsClose)
            } else {
                (Some(group), WhyGroup::OtherLessLoad)
            }
        }
        GroupType::Imbalanced | GroupType::SmtBalance => (None, WhyGroup::LocalImbalanced),
        GroupType::HasSpare => {
            if numa && numa_allowance(domains, start, id, local_id, &local, &idlest) {
                (None, WhyGroup::NumaAllowance)
            } else if local.idle_cpus >= idlest.idle_cpus {
                (None, WhyGroup::LocalAsIdle)
            } else {
                (Some(group), WhyGroup::OtherMoreIdle)
            }
        }
    }
}

/// Whether `stats` is idler than the best so far.
fn is_idler(stats: &GroupStats, best: &GroupStats) -> bool {
    if stats.kind != best.kind {
        return stats.kind < best.kind;
    }
    match stats.kind {
        GroupType::FullyBusy | GroupType::Overloaded => stats.avg_load < best.avg_load,
        GroupType::HasSpare => {
            stats.idle_cpus > best.idle_cpus
                || (stats.idle_cpus == best.idle_cpus && stats.util < best.util)
        }
        GroupType::Imbalanced | GroupType::SmtBalance => false,
    }
}

/// Whether the task stays on its node because few run there (table of R5.6.7).
fn numa_allowance(
    domains: &Domains,
    start: &Start<'_>,
    id: DomainId,
    local_id: GroupId,
    local: &GroupStats,
    idlest: &GroupStats,
) -> bool {
    let (domain, generation) = (domains.domain(id), domains.generation());
    if generation < PlaceGeneration::V6_1 {
        return local.nr_running < domain.weight / 4;
    }
    let mut limit = domain.imb_numa_nr;
    if start.allowed.len() < domains.cpus() {
        let usable = domains.group(local_id).span.and(start.allowed).len() as u32;
        limit = limit.min(usable);
    }
    let imbalance = u64::from(local.idle_cpus.abs_diff(idlest.idle_cpus));
    adjust_numa_imbalance(generation, domain, imbalance, local.nr_running + 1, limit) == 0
}

/// `find_idlest_group_cpu` (R5.6.9, R5.6.11), all idle states being equal.
fn idlest_cpu<V: IdlestView>(
    domains: &Domains,
    view: &V,
    start: &Start<'_>,
    group: GroupId,
    this: CpuId,
) -> (CpuId, WhyCpu) {
    let group = domains.group(group);
    if group.weight == 1 {
        return (group.span.lowest().unwrap_or(this), WhyCpu::OnlyOne);
    }
    let mut latest: Option<(u64, CpuId)> = None;
    let mut least: Option<(u64, CpuId)> = None;
    for cpu in group.span.and(start.allowed).iter() {
        if !view.cookie_matches(cpu) {
            continue;
        }
        if view.sched_idle(cpu) {
            return (cpu, WhyCpu::SchedIdle);
        }
        if view.idle(cpu) {
            let stamp = view.idle_stamp(cpu);
            if stamp > latest.map_or(0, |(stamp, _)| stamp) {
                latest = Some((stamp, cpu));
            }
        } else if latest.is_none() {
            let load = view.load(cpu);
            if least.is_none_or(|(best, _)| load < best) {
                least = Some((load, cpu));
            }
        }
    }
    match (latest, least) {
        (Some((_, cpu)), _) => (cpu, WhyCpu::LatestIdle),
        (None, Some((_, cpu))) => (cpu, WhyCpu::LeastLoad),
        (None, None) => (this, WhyCpu::NoneAllowed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::Machine;

    struct Counts {
        tasks: Vec<u32>,
    }

    impl GroupView for Counts {
        fn load(&self, cpu: CpuId) -> u64 {
            1024 * u64::from(self.tasks[cpu.index()])
        }
        fn util(&self, cpu: CpuId) -> u64 {
            1024 * u64::from(self.tasks[cpu.index()].min(1))
        }
        fn runnable(&self, cpu: CpuId) -> u64 {
            1024 * u64::from(self.tasks[cpu.index()])
        }
        fn nr_running(&self, cpu: CpuId) -> u32 {
            self.tasks[cpu.index()]
        }
        fn h_nr_running(&self, cpu: CpuId) -> u32 {
            self.tasks[cpu.index()]
        }
        fn idle(&self, cpu: CpuId) -> bool {
            self.tasks[cpu.index()] == 0
        }
    }

    impl IdlestView for Counts {
        fn idle_stamp(&self, cpu: CpuId) -> u64 {
            1 + u64::from(cpu.0)
        }
    }

    fn place(
        machine: Machine,
        generation: PlaceGeneration,
        busy: &[u16],
        this: u16,
    ) -> (u16, SlowSeen) {
        let topology = machine.topology();
        let domains = Domains::build(&topology, generation);
        let mut view = Counts { tasks: vec![0; topology.len()] };
        busy.iter().for_each(|&cpu| view.tasks[usize::from(cpu)] += 1);
        let all = topology.all();
        let start = Start {
            this_cpu: CpuId(this),
            allowed: &all,
            flag: DomainFlags::BALANCE_FORK,
            features: generation.features(),
        };
        let mut seen = SlowSeen::default();
        (place_new(&domains, &view, &start, &mut seen).0, seen)
    }

    /// The worked example of R5.6.9: two nodes, three or two runnable on the first.
    #[test]
    fn zen_nodes() {
        let (cpu, seen) = place(Machine::Zen3Nps1, PlaceGeneration::V6_6, &[0, 8, 16], 0);
        assert!((64..128).contains(&cpu) || cpu >= 192, "{cpu}");
        assert_eq!(seen.descents[0].why, WhyGroup::OtherMoreIdle);
        let (cpu, seen) = place(Machine::Zen3Nps1, PlaceGeneration::V6_6, &[0, 8], 0);
        assert!(cpu < 64 || (128..192).contains(&cpu), "{cpu}");
        assert_eq!(seen.descents[0].why, WhyGroup::NumaAllowance);
        // 5.15 keeps a quarter of the machine local.
        let (_, seen) = place(Machine::Zen3Nps1, PlaceGeneration::V5_15, &[0, 8, 16], 0);
        assert_eq!(seen.descents[0].why, WhyGroup::NumaAllowance);
    }

    /// Kernels that compare loads still descend to an idle core.
    #[test]
    fn by_load() {
        for generation in [
            PlaceGeneration::V2_6_36,
            PlaceGeneration::V4_7,
            PlaceGeneration::V4_15,
            PlaceGeneration::V4_19,
        ] {
            let busy = [0, 1, 2, 3, 4, 6, 7];
            let (cpu, seen) = place(Machine::Desktop16, generation, &busy, 0);
            assert_eq!(cpu % 8, 5, "{generation:?}");
            assert_eq!(seen.descents[0].why, WhyGroup::OtherLessLoad, "{generation:?}");
        }
    }

    /// 4.19 keeps a fork in its node unless another has clearly less load; 4.15 does not ask.
    #[test]
    fn forks_stay_in_the_node_from_4_19_on() {
        let why = |features: Features, generation| {
            let domains = Domains::build(&Machine::Intel2x20.topology(), generation);
            let mut view = Counts { tasks: vec![0; 80] };
            view.tasks[0] = 1;
            let all = Machine::Intel2x20.topology().all();
            let flag = DomainFlags::BALANCE_FORK;
            let start = Start { this_cpu: CpuId(0), allowed: &all, flag, features };
            let mut seen = SlowSeen::default();
            place_new(&domains, &view, &start, &mut seen);
            seen.descents[0].why
        };
        let (old, new) = (PlaceGeneration::V4_15, PlaceGeneration::V4_19);
        for generation in [old, new] {
            assert_eq!(why(new.features(), generation), WhyGroup::LoadsClose);
            assert_eq!(why(old.features(), generation), WhyGroup::OtherLessLoad);
        }
    }

    /// R6.2.3: the descent on an idle NPS4 machine.
    #[test]
    fn descends_level_by_level() {
        let (_, seen) = place(Machine::Zen3Nps4, PlaceGeneration::V6_6, &[], 0);
        let domains = Domains::build(&Machine::Zen3Nps4.topology(), PlaceGeneration::V6_6);
        let names: Vec<_> =
            seen.descents.iter().map(|step| domains.domain(step.domain).name.name()).collect();
        assert_eq!(names, ["NUMA", "NUMA", "NODE", "MC", "SMT"]);
    }

    /// R5.6.13: a fork never leaves the node where the NUMA levels do not spread.
    #[test]
    fn power_forks_stay_in_the_node() {
        let busy: Vec<u16> = (0..160).collect();
        let (cpu, _) = place(Machine::Power10, PlaceGeneration::V6_12, &busy, 0);
        assert!(cpu < 160);
    }

    #[test]
    fn an_idle_core_beats_an_idle_thread() {
        // Desktop: cores 0 … 7, siblings + 8; all first threads busy but that of core 5.
        let (cpu, seen) =
            place(Machine::Desktop16, PlaceGeneration::V6_12, &[0, 1, 2, 3, 4, 6, 7], 0);
        assert_eq!(cpu % 8, 5);
        assert_eq!(seen.groups.iter().filter(|group| group.local).count(), seen.descents.len());
    }
}
