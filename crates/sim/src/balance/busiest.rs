//! Which group is busiest, by how much, and which of its queues (R5.7.5 … R5.7.8, R5.7.12).

use super::stats::{GroupStats, GroupType, adjust_numa_imbalance};
use super::{BalanceEvidence, BalanceView, Env, IdleType, WhyBalanced};
use crate::domains::{DomainFlags, GroupId};
use crate::kernel::PlaceGeneration;
use crate::units::CpuId;

/// By what an amount is measured (`enum migration_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// By load.
    Load,
    /// By utilisation.
    Util,
    /// By number of tasks.
    Tasks,
}

/// How much is to be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Amount {
    /// By what measure.
    pub measure: Measure,
    /// How much of it, at least 1.
    pub amount: i64,
}

/// What the groups of a domain amount to.
#[derive(Default)]
pub(super) struct Found {
    pub(super) local: GroupStats,
    /// The busiest of the others that have a fair task.
    pub(super) busiest: Option<(GroupId, GroupStats)>,
    /// Some other group has a fair task.
    pub(super) tasks_elsewhere: bool,
    load: u64,
    capacity: u64,
    /// Σ utilisation.
    pub(super) util: u64,
    /// Some CPU has two tasks or more.
    pub(super) overload: bool,
}

impl Found {
    /// Load per 1024 of capacity of the whole domain.
    pub(super) fn avg_load(&self) -> u64 {
        self.load * 1024 / self.capacity
    }
}

/// The sums over a domain.
struct DomainStats {
    local: GroupStats,
    busiest: GroupStats,
    avg_load: u64,
    prefer_sibling: bool,
}

impl<V: BalanceView> Env<'_, V> {
    /// The busiest group with what is to be pulled from it, or why there is nothing to do.
    pub(super) fn find_busiest_group(
        &self,
        found: &Found,
    ) -> Result<(GroupId, Amount), WhyBalanced> {
        if self.by_load() {
            return self.find_busiest_group_by_load(found);
        }
        let (group, busiest) = found.busiest.ok_or(WhyBalanced::NoBusiest)?;
        let sums = DomainStats {
            local: found.local,
            busiest,
            avg_load: found.avg_load(),
            prefer_sibling: self.prefer_sibling(group),
        };
        self.is_out_of_balance(&sums)?;
        let amount = self.amount(&sums);
        if amount.amount > 0 { Ok((group, amount)) } else { Err(WhyBalanced::NothingToMove) }
    }

    /// R5.7.5: the groups of the domain, the local one first.
    pub(super) fn sum_groups<E: BalanceEvidence>(&self, evidence: &mut E) -> Found {
        let mut found = Found::default();
        let pct = self.domains.domain(self.id).imbalance_pct;
        let counted = self.narrowed.then_some(&self.cpus);
        let shared_cores =
            self.domains.generation() >= PlaceGeneration::V6_6 && self.idle != IdleType::NotIdle;
        let by_load = self.by_load();
        for id in self.domains.ring(self.id, self.dst_of_ring()) {
            let group = self.domains.group(id);
            let local = id == self.local;
            let mut stats = GroupStats::sum(self.view, id, group, counted);
            if by_load {
                let local = (!local).then_some(&found.local);
                self.classify_by_load(id, &mut stats, local);
            } else {
                let shared_core = shared_cores
                    && !local
                    && group.flags.has(DomainFlags::SHARE_CPUCAPACITY)
                    && stats.h_nr_running > 1;
                stats.classify(pct, self.view.imbalanced(id), shared_core);
                if stats.kind == GroupType::Overloaded {
                    stats.avg_load = stats.load_per_capacity();
                }
            }
            evidence.group(id, local, &stats);
            found.load += stats.load;
            found.capacity += stats.capacity;
            found.util += stats.util;
            found.overload |= stats.overload;
            if local {
                found.local = stats;
                continue;
            }
            if stats.h_nr_running == 0 {
                continue;
            }
            found.tasks_elsewhere = true;
            let best = found.busiest.as_ref().map(|(_, best)| best);
            let busier = match by_load {
                true => self.is_busier_by_load(&stats, best),
                false => best.is_none_or(|best| is_busier(&stats, best)),
            };
            if busier {
                found.busiest = Some((id, stats));
            }
        }
        found
    }

    /// A CPU of the local group: where the ring begins, also while tasks are pulled to another CPU
    /// of it.
    fn dst_of_ring(&self) -> CpuId {
        if self.dst_mask.contains(self.dst) {
            self.dst
        } else {
            self.dst_mask.lowest().unwrap_or(self.dst)
        }
    }

    fn prefer_sibling(&self, busiest: GroupId) -> bool {
        let flags = if self.domains.generation() >= PlaceGeneration::V6_6 {
            self.domains.group(busiest).flags
        } else {
            self.domains.group(self.local).flags
        };
        flags.has(DomainFlags::PREFER_SIBLING)
    }

    /// R5.7.6.
    fn is_out_of_balance(&self, sums: &DomainStats) -> Result<(), WhyBalanced> {
        let DomainStats { local, busiest, prefer_sibling, .. } = sums;
        // A shared core ("smt_balance") goes on unconditionally only between cores of unlike SMT,
        // which no machine here has.
        if busiest.kind == GroupType::Imbalanced {
            return Ok(());
        }
        if local.kind > busiest.kind {
            return Err(WhyBalanced::LocalWorse);
        }
        if local.kind == GroupType::Overloaded {
            let pct = u64::from(self.domains.domain(self.id).imbalance_pct);
            if local.avg_load >= busiest.avg_load {
                return Err(WhyBalanced::LocalAsLoaded);
            }
            if local.avg_load >= sums.avg_load {
                return Err(WhyBalanced::LocalAboveAverage);
            }
            if 100 * busiest.avg_load <= pct * local.avg_load {
                return Err(WhyBalanced::WithinTolerance);
            }
        }
        if *prefer_sibling
            && local.kind == GroupType::HasSpare
            && self.sibling_imbalance(local, busiest) > 1
        {
            return Ok(());
        }
        if busiest.kind != GroupType::Overloaded {
            if self.idle == IdleType::NotIdle {
                return Err(WhyBalanced::CpuBusy);
            }
            if busiest.weight > 1 && local.idle_cpus <= busiest.idle_cpus + 1 {
                return Err(WhyBalanced::IdleAlike);
            }
            if busiest.h_nr_running == 1 {
                return Err(WhyBalanced::OneTask);
            }
        }
        Ok(())
    }

    /// R5.7.12; before 6.6 the plain difference.
    fn sibling_imbalance(&self, local: &GroupStats, busiest: &GroupStats) -> u64 {
        let plain = u64::from(busiest.nr_running.saturating_sub(local.nr_running));
        if self.domains.generation() < PlaceGeneration::V6_6 {
            return plain;
        }
        if self.idle == IdleType::NotIdle || busiest.nr_running == 0 {
            return 0;
        }
        let (cores, other_cores) = (u64::from(local.cores), u64::from(busiest.cores));
        if cores == other_cores {
            return plain;
        }
        let (own, other) = (u64::from(local.nr_running), u64::from(busiest.nr_running));
        let both = cores + other_cores;
        let scaled = (cores * other).saturating_sub(other_cores * own);
        let imbalance = (2 * scaled + both) / both;
        if imbalance <= 1 && own == 0 && other > 1 { 2 } else { imbalance }
    }

    /// R5.7.7.
    fn amount(&self, sums: &DomainStats) -> Amount {
        let DomainStats { local, busiest, prefer_sibling, .. } = sums;
        let domain = self.domains.domain(self.id);
        let of = |measure, amount: u64| Amount {
            measure,
            amount: i64::try_from(amount).unwrap_or(i64::MAX),
        };
        if matches!(busiest.kind, GroupType::Imbalanced | GroupType::SmtBalance) {
            return of(Measure::Tasks, 1);
        }
        if local.kind == GroupType::HasSpare {
            let shares_llc = domain.flags.has(DomainFlags::SHARE_LLC);
            if busiest.kind > GroupType::FullyBusy && !shares_llc {
                let spare = local.capacity.saturating_sub(local.util);
                return if spare == 0 && self.idle != IdleType::NotIdle {
                    of(Measure::Tasks, 1)
                } else {
                    of(Measure::Util, spare)
                };
            }
            let mut tasks = if busiest.weight == 1 || *prefer_sibling {
                self.sibling_imbalance(local, busiest)
            } else {
                u64::from(local.idle_cpus.saturating_sub(busiest.idle_cpus))
            };
            if domain.flags.has(DomainFlags::NUMA) {
                tasks = adjust_numa_imbalance(
                    self.domains.generation(),
                    domain,
                    tasks,
                    local.nr_running + 1,
                    domain.imb_numa_nr,
                );
            }
            return of(Measure::Tasks, tasks >> 1);
        }

        let mut own = local.avg_load;
        if local.kind < GroupType::Overloaded {
            own = local.load_per_capacity();
            let above_average =
                self.domains.generation() >= PlaceGeneration::V6_6 && own >= sums.avg_load;
            if own >= busiest.avg_load || above_average {
                return of(Measure::Load, 0);
            }
        }
        // As in the kernel, a difference below zero is no limit.
        let part = |a: u64, b: u64, capacity: u64| {
            a.checked_sub(b).map_or(u64::MAX, |difference| difference.saturating_mul(capacity))
        };
        let excess = part(busiest.avg_load, sums.avg_load, busiest.capacity);
        let room = part(sums.avg_load, own, local.capacity);
        of(Measure::Load, excess.min(room) / 1024)
    }

    /// R5.7.8.
    pub(super) fn find_busiest_queue(&self, group: GroupId, amount: Amount) -> Option<CpuId> {
        let span = self.domains.group(group).span.and(&self.cpus);
        let mut busiest: Option<CpuId> = None;
        // By number of tasks only queues with two or more can win; without any, the first with one.
        let span = match self.view.queues() {
            Some((occupied, crowded)) if amount.measure == Measure::Tasks => {
                let span_crowded = span.and(crowded);
                if span_crowded.is_empty() {
                    return span.and(occupied).lowest();
                }
                span_crowded
            }
            _ => span,
        };
        // What to beat: so much, per so much capacity.
        let (mut most, mut per) = (0, 1);
        for cpu in span.iter() {
            let tasks = self.view.h_nr_running(cpu);
            if tasks == 0 {
                continue;
            }
            let (value, capacity) = match amount.measure {
                Measure::Load => {
                    let load = self.view.load(cpu);
                    if tasks == 1 && load as i64 > amount.amount {
                        continue;
                    }
                    (load, self.view.capacity(cpu))
                }
                Measure::Util if tasks <= 1 => continue,
                Measure::Util => (self.view.util(cpu), 1),
                Measure::Tasks => (u64::from(tasks), 1),
            };
            if value * per > most * capacity {
                (busiest, most, per) = (Some(cpu), value, capacity);
            }
        }
        busiest
    }
}

/// Whether a group is busier than the busiest so far (R5.7.5).
fn is_busier(stats: &GroupStats, best: &GroupStats) -> bool {
    if stats.kind != best.kind {
        return stats.kind > best.kind;
    }
    let less_spare = stats.idle_cpus < best.idle_cpus
        || (stats.idle_cpus == best.idle_cpus && stats.nr_running > best.nr_running);
    match stats.kind {
        GroupType::Overloaded | GroupType::FullyBusy => stats.avg_load > best.avg_load,
        GroupType::Imbalanced => false,
        GroupType::SmtBalance | GroupType::HasSpare => less_spare,
    }
}
