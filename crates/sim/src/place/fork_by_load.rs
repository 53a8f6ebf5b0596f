//! The slow path before the group types came in 5.5: groups are compared by load (first rows of the
//! table after R5.6.3; 2.6.36, 4.7 and 4.10 … 5.4).

use super::fork::{IdlestView, SlowEvidence, Start, WhyCpu, WhyGroup};
use crate::balance::stats::GroupStats;
use crate::domains::{DomainFlags, DomainId, Domains, GroupId};
use crate::kernel::{Feature, PlaceGeneration};
use crate::units::CpuId;

/// A group's loads per 1024 of capacity.
#[derive(Clone, Copy, Default)]
struct Loads {
    /// Of who is runnable.
    runnable: u64,
    /// Of who was runnable lately.
    average: u64,
    /// The most capacity that a CPU of it has left.
    spare: u64,
}

/// `find_idlest_group`.
pub(super) fn idlest_group<V: IdlestView, E: SlowEvidence>(
    domains: &Domains,
    view: &V,
    start: &Start<'_>,
    id: DomainId,
    this: CpuId,
    evidence: &mut E,
) -> (Option<GroupId>, WhyGroup) {
    let (domain, generation) = (domains.domain(id), domains.generation());
    let pct = u64::from(domain.imbalance_pct);
    let (scale, margin) = (100 + (pct - 100) / 2, 1024 * (pct - 100) / 100);
    let by_average = generation >= PlaceGeneration::V4_15;

    let mut local: Option<Loads> = None;
    let mut idlest: Option<(GroupId, Loads)> = None;
    let mut roomiest: Option<(GroupId, u64)> = None;
    for group_id in domains.ring(id, this) {
        let group = domains.group(group_id);
        if !group.span.intersects(start.allowed) {
            continue;
        }
        let mut stats = GroupStats::sum(view, group_id, group, None);
        let runnable: u64 = group.span.iter().map(|cpu| view.runnable_load(cpu)).sum();
        let room = |cpu: CpuId| view.capacity(cpu).saturating_sub(view.util(cpu));
        let loads = Loads {
            runnable: runnable * 1024 / stats.capacity,
            average: stats.load_per_capacity(),
            spare: group.span.iter().map(room).max().unwrap_or(0),
        };
        stats.avg_load = loads.runnable;
        let is_local = group.span.contains(this);
        evidence.group(id, group_id, is_local, &stats);
        if is_local {
            local = Some(loads);
            continue;
        }
        if roomiest.is_none_or(|(_, most)| loads.spare > most) {
            roomiest = Some((group_id, loads.spare));
        }
        idlest = match idlest {
            None => Some((group_id, loads)),
            Some((_, best)) if by_average && best.runnable > loads.runnable + margin => {
                Some((group_id, loads))
            }
            Some((_, best))
                if by_average
                    && loads.runnable < best.runnable + margin
                    && 100 * best.average > scale * loads.average =>
            {
                Some((group_id, Loads { average: loads.average, ..best }))
            }
            Some((_, best)) if !by_average && loads.runnable < best.runnable => {
                Some((group_id, loads))
            }
            kept => kept,
        };
    }

    let Some((group, best)) = idlest else {
        return (None, WhyGroup::NoOther);
    };
    let Some(local) = local else {
        return (Some(group), WhyGroup::LocalNotAllowed);
    };
    if !by_average {
        return if 100 * local.runnable < scale * best.runnable {
            (None, WhyGroup::LoadsClose)
        } else {
            (Some(group), WhyGroup::OtherLessLoad)
        };
    }
    // An exec'ed task has a utilisation, so there may be room to look for.
    if start.flag == DomainFlags::BALANCE_EXEC
        && let Some((roomiest, spare)) = roomiest
    {
        let half = view.task_util() / 2;
        if local.spare > half && scale * local.spare > 100 * spare {
            return (None, WhyGroup::LocalHasRoom);
        }
        if spare > half {
            return (Some(roomiest), WhyGroup::OtherHasRoom);
        }
    }
    let numa = domain.flags.has(DomainFlags::NUMA) && start.features.has(Feature::ForkLocalNode);
    if (numa && best.runnable + margin >= local.runnable)
        || best.runnable > local.runnable + margin
        || (local.runnable < best.runnable + margin && 100 * local.average < scale * best.average)
    {
        (None, WhyGroup::LoadsClose)
    } else {
        (Some(group), WhyGroup::OtherLessLoad)
    }
}

/// `find_idlest_group_cpu` (R5.6.9): from 4.7 on an idle CPU first; equal load is this CPU's up to
/// 4.10.
pub(super) fn idlest_cpu<V: IdlestView>(
    domains: &Domains,
    view: &V,
    start: &Start<'_>,
    group: GroupId,
    this: CpuId,
) -> (CpuId, WhyCpu) {
    let (group, generation) = (domains.group(group), domains.generation());
    if group.weight == 1 && generation >= PlaceGeneration::V4_7 {
        return (group.span.lowest().unwrap_or(this), WhyCpu::OnlyOne);
    }
    let mut latest: Option<(u64, CpuId)> = None;
    let mut least: Option<(u64, CpuId)> = None;
    for cpu in group.span.and(start.allowed).iter() {
        if generation >= PlaceGeneration::V4_7 && view.idle(cpu) {
            let stamp = view.idle_stamp(cpu);
            if stamp > latest.map_or(0, |(stamp, _)| stamp) {
                latest = Some((stamp, cpu));
            }
        } else if latest.is_none() {
            let load = view.runnable_load(cpu);
            let tie_here = generation <= PlaceGeneration::V4_7 && cpu == this;
            if least.is_none_or(|(best, _)| load < best || (load == best && tie_here)) {
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
