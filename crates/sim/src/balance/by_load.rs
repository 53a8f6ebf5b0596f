//! The busiest group and the amount by load, as before the group types of 5.5 (spec 5.9): 2.6.36,
//! and 4.7 to 5.4.

use super::busiest::Found;
use super::stats::{GroupStats, GroupType};
use super::{Amount, BalanceView, Env, IdleType, Measure, WhyBalanced};
use crate::domains::{DomainFlags, GroupId};
use crate::kernel::PlaceGeneration;

impl<V: BalanceView> Env<'_, V> {
    /// Whether groups are compared by load alone: up to 5.4.
    pub(super) fn by_load(&self) -> bool {
        self.domains.generation() < PlaceGeneration::V5_15
    }

    fn is_2_6_36(&self) -> bool {
        self.domains.generation() == PlaceGeneration::V2_6_36
    }

    /// The type of a group; `local` is the local group, unless it is this one.
    ///
    /// In 2.6.36 a group is overloaded if it has more tasks than cores. From 4.7 on it must have
    /// more tasks than CPUs, and be used up by them; also, where tasks are to be spread over the
    /// groups, if it has at least two tasks more than a local group with room (`PREFER_SIBLING`).
    pub(super) fn classify_by_load(
        &self,
        id: GroupId,
        stats: &mut GroupStats,
        local: Option<&GroupStats>,
    ) {
        stats.avg_load = stats.load_per_capacity();
        if self.is_2_6_36() {
            stats.kind = match stats.nr_running.cmp(&stats.cores) {
                core::cmp::Ordering::Less => GroupType::HasSpare,
                core::cmp::Ordering::Equal => GroupType::FullyBusy,
                core::cmp::Ordering::Greater => GroupType::Overloaded,
            };
            return;
        }
        let used = stats.util * u64::from(self.domains.domain(self.id).imbalance_pct);
        let (room, tasks) = (100 * stats.capacity, stats.nr_running);
        let spreads = self.domains.group(self.local).flags.has(DomainFlags::PREFER_SIBLING);
        let more = local.is_some_and(|local| {
            spreads && local.kind == GroupType::HasSpare && tasks > local.nr_running + 1
        });
        stats.kind = if more || (tasks > stats.weight && room < used) {
            GroupType::Overloaded
        } else if self.view.imbalanced(id) {
            GroupType::Imbalanced
        } else if tasks < stats.weight || room > used {
            GroupType::HasSpare
        } else {
            GroupType::FullyBusy
        };
    }

    /// Whether a group is busier than the busiest so far: types other, imbalanced, overloaded, then
    /// by load. In 2.6.36 only an overloaded one can be.
    pub(super) fn is_busier_by_load(&self, stats: &GroupStats, best: Option<&GroupStats>) -> bool {
        let rank = |stats: &GroupStats| match stats.kind {
            GroupType::Overloaded => 2,
            GroupType::Imbalanced => 1,
            _ => 0,
        };
        if self.is_2_6_36() && stats.kind != GroupType::Overloaded {
            return false;
        }
        best.is_none_or(|best| (rank(stats), stats.avg_load) > (rank(best), best.avg_load))
    }

    /// What is to be pulled from the busiest group, or why there is nothing to do.
    pub(super) fn find_busiest_group_by_load(
        &self,
        found: &Found,
    ) -> Result<(GroupId, Amount), WhyBalanced> {
        let none = match self.is_2_6_36() && found.tasks_elsewhere {
            true => WhyBalanced::NoneOverCapacity,
            false => WhyBalanced::NoBusiest,
        };
        let (group, busiest) = found.busiest.as_ref().ok_or(none)?;
        let (local, average) = (&found.local, found.avg_load());
        let roomy = !self.is_2_6_36()
            && self.idle != IdleType::NotIdle
            && local.kind == GroupType::HasSpare
            && busiest.kind == GroupType::Overloaded;
        if busiest.kind != GroupType::Imbalanced && !roomy {
            let pct = u64::from(self.domains.domain(self.id).imbalance_pct);
            if local.avg_load >= busiest.avg_load {
                return Err(WhyBalanced::LocalAsLoaded);
            }
            if local.avg_load >= average {
                return Err(WhyBalanced::LocalAboveAverage);
            }
            if !self.is_2_6_36() && self.idle == IdleType::Idle {
                let alike = local.idle_cpus <= busiest.idle_cpus + 1;
                if busiest.kind != GroupType::Overloaded && alike {
                    return Err(WhyBalanced::IdleAlike);
                }
            } else if 100 * busiest.avg_load <= pct * local.avg_load {
                return Err(WhyBalanced::WithinTolerance);
            }
        }
        let amount = self.amount_by_load(local, busiest, average);
        if amount == 0 {
            return Err(WhyBalanced::NothingToMove);
        }
        let amount = i64::try_from(amount).unwrap_or(i64::MAX);
        Ok((*group, Amount { measure: Measure::Load, amount }))
    }

    /// How much load is to be moved.
    fn amount_by_load(&self, local: &GroupStats, busiest: &GroupStats, average: u64) -> u64 {
        let mut task = load_per_task(busiest);
        if busiest.kind == GroupType::Imbalanced {
            task = task.min(average);
        }
        if busiest.avg_load <= average || local.avg_load >= average {
            return self.small_imbalance(local, busiest, task, 0);
        }
        let above = if self.is_2_6_36() {
            // One task a core is what the group has room for.
            let over = u64::from(busiest.nr_running.saturating_sub(busiest.cores));
            over * 1024 * 1024 / busiest.capacity
        } else if busiest.kind == GroupType::Overloaded && local.kind == GroupType::Overloaded {
            let over = (1024 * u64::from(busiest.nr_running)).checked_sub(busiest.capacity);
            over.filter(|over| *over > 0).map_or(u64::MAX, |over| over * 1024 / busiest.capacity)
        } else {
            u64::MAX
        };
        let pull = (busiest.avg_load - average).min(above) * busiest.capacity;
        let amount = pull.min((average - local.avg_load) * local.capacity) / 1024;
        if amount < task { self.small_imbalance(local, busiest, task, amount) } else { amount }
    }

    /// Less than a task is out of balance: one is moved if that makes more of the capacity used;
    /// `amount` otherwise. `task` is the load of an average task of the busiest group.
    fn small_imbalance(
        &self,
        local: &GroupStats,
        busiest: &GroupStats,
        task: u64,
        amount: u64,
    ) -> u64 {
        let (mut own_task, mut tasks) = (load_per_task(local), 2);
        if local.nr_running == 0 {
            let running = u64::from(self.view.nr_running(self.dst));
            own_task = self.view.load(self.dst).checked_div(running).unwrap_or(0);
        } else if task > own_task {
            tasks = 1;
        }
        let scaled = task * 1024 / busiest.capacity;
        if busiest.avg_load + scaled >= local.avg_load + scaled * tasks {
            return task;
        }
        // How much of the capacity is used, now and with one task moved.
        let used = |stats: &GroupStats, task: u64, load: u64| stats.capacity * task.min(load);
        let now = used(busiest, task, busiest.avg_load) + used(local, own_task, local.avg_load);
        let moved = (busiest.avg_load * busiest.capacity).min(task * 1024) / local.capacity;
        let mut then = used(local, own_task, local.avg_load + moved);
        if busiest.avg_load > scaled {
            then += used(busiest, task, busiest.avg_load - scaled);
        }
        if then / 1024 > now / 1024 { task } else { amount }
    }
}

/// The load of an average task of the group.
fn load_per_task(stats: &GroupStats) -> u64 {
    stats.load.checked_div(u64::from(stats.h_nr_running)).unwrap_or(0)
}
