//! What a group of CPUs is like: sums, and the type they amount to (R5.6.4, R5.6.5).

use crate::cpu_set::CpuSet;
use crate::domains::{Domain, Group, GroupId};
use crate::kernel::PlaceGeneration;
use crate::units::CpuId;

/// What is read of each CPU. Averages are as last stored; nothing decays at read (R7.1.16).
pub trait GroupView {
    /// `cpu_load`: load_avg of the fair queue.
    fn load(&self, cpu: CpuId) -> u64;
    /// `cpu_util_cfs`: the larger of utilisation and its estimate, at most the capacity (R7.2.4).
    fn util(&self, cpu: CpuId) -> u64;
    /// `cpu_runnable`: runnable_avg of the fair queue.
    fn runnable(&self, cpu: CpuId) -> u64;
    /// `rq.nr_running`: tasks of all classes, delayed ones included (R0.7.1).
    fn nr_running(&self, cpu: CpuId) -> u32;
    /// `cfs.h_nr_running`: fair tasks, delayed ones included.
    fn h_nr_running(&self, cpu: CpuId) -> u32;
    /// `idle_cpu` (spec 0.7).
    fn idle(&self, cpu: CpuId) -> bool;
    /// Whether the CPU has tasks and all of them are SCHED_IDLE.
    fn sched_idle(&self, _cpu: CpuId) -> bool {
        false
    }
    /// `capacity_of`, 1 … 1024 (R5.7.9).
    fn capacity(&self, _cpu: CpuId) -> u64 {
        1024
    }
    /// What the CPUs of a group amount to, where the view keeps count of it: the same as adding
    /// them up.
    fn sums(&self, _group: GroupId) -> Option<Sums> {
        None
    }
    /// The CPUs with a fair task or more and those with two or more, where the view keeps them.
    fn queues(&self) -> Option<(&CpuSet, &CpuSet)> {
        None
    }
    /// The "imbalanced" flag of a group (R5.7.16).
    fn imbalanced(&self, _group: GroupId) -> bool {
        false
    }
}

/// The kinds of groups, the best first (R5.6.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroupType {
    /// It could take more tasks.
    #[default]
    HasSpare,
    /// It is used up, but its tasks do not compete for it.
    FullyBusy,
    /// The threads of a core share it among several tasks (6.5 on).
    SmtBalance,
    /// Affinity kept a balance from being reached here.
    Imbalanced,
    /// Its tasks compete for it.
    Overloaded,
}

/// The sums over a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GroupStats {
    /// Σ load.
    pub load: u64,
    /// Σ utilisation.
    pub util: u64,
    /// Σ runnable.
    pub runnable: u64,
    /// Σ capacity of the whole group.
    pub capacity: u64,
    /// Σ tasks of all classes.
    pub nr_running: u32,
    /// Σ fair tasks.
    pub h_nr_running: u32,
    /// CPUs that are idle and have no task.
    pub idle_cpus: u32,
    /// How many CPUs the group has.
    pub weight: u32,
    /// How many cores.
    pub cores: u32,
    /// What it amounts to.
    pub kind: GroupType,
    /// Load per 1024 of capacity; 0 where the kernel does not compute it.
    pub avg_load: u64,
    /// Whether some CPU has two tasks or more.
    pub overload: bool,
}

/// What several CPUs amount to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sums {
    /// Σ capacity.
    pub capacity: u32,
    /// Σ load.
    pub load: u32,
    /// Σ utilisation.
    pub util: u32,
    /// Σ runnable_avg.
    pub runnable: u32,
    /// Tasks of all classes.
    pub nr_running: u32,
    /// Fair tasks.
    pub h_nr_running: u32,
    /// CPUs that are idle and have nothing queued.
    pub idle_cpus: u32,
    /// CPUs with two tasks or more.
    pub crowded: u32,
}

impl Sums {
    /// Adds what is read of a CPU, but for its capacity.
    fn add<V: GroupView>(&mut self, view: &V, cpu: CpuId) {
        // 640 CPUs of 2000 tasks at the greatest weight stay far below 2^32.
        self.load += view.load(cpu) as u32;
        self.util += view.util(cpu) as u32;
        self.runnable += view.runnable(cpu) as u32;
        let running = view.nr_running(cpu);
        self.nr_running += running;
        self.h_nr_running += view.h_nr_running(cpu);
        self.crowded += u32::from(running > 1);
        self.idle_cpus += u32::from(running == 0 && view.idle(cpu));
    }
}

impl GroupStats {
    /// Sums over the CPUs of the group that `counts` admits; the type is not set.
    #[inline]
    pub(crate) fn sum<V: GroupView>(
        view: &V,
        id: GroupId,
        group: &Group,
        counted: Option<&CpuSet>,
    ) -> GroupStats {
        let all = counted.is_none_or(|counted| group.span.is_subset(counted));
        let kept = if all { view.sums(id) } else { None };
        let sums = kept.unwrap_or_else(|| {
            let mut sums = Sums::default();
            for cpu in group.span.iter() {
                sums.capacity += view.capacity(cpu) as u32;
                if counted.is_none_or(|counted| counted.contains(cpu)) {
                    sums.add(view, cpu);
                }
            }
            sums
        });
        GroupStats {
            load: sums.load.into(),
            util: sums.util.into(),
            runnable: sums.runnable.into(),
            capacity: sums.capacity.into(),
            nr_running: sums.nr_running,
            h_nr_running: sums.h_nr_running,
            idle_cpus: sums.idle_cpus,
            weight: group.weight,
            cores: group.cores,
            overload: sums.crowded > 0,
            ..GroupStats::default()
        }
    }

    /// The type (R5.6.5). `smt_balance` is whether the group counts as a core that is shared.
    #[inline]
    pub(crate) fn classify(&mut self, pct: u32, imbalanced: bool, smt_balance: bool) {
        let pct = u64::from(pct);
        let used_up = 100 * self.capacity < self.util * pct;
        let crowded = self.capacity * pct < self.runnable * 100;
        self.kind = if self.nr_running > self.weight && (used_up || crowded) {
            GroupType::Overloaded
        } else if imbalanced {
            GroupType::Imbalanced
        } else if smt_balance {
            GroupType::SmtBalance
        } else if self.nr_running < self.weight
            || (!crowded && 100 * self.capacity > self.util * pct)
        {
            GroupType::HasSpare
        } else {
            GroupType::FullyBusy
        };
    }

    /// Load per 1024 of capacity.
    pub(crate) fn load_per_capacity(&self) -> u64 {
        self.load * 1024 / self.capacity
    }
}

/// How much of an imbalance between NUMA groups counts (R5.6.8): 0 while it is small and few run
/// at the destination.
#[must_use]
pub fn adjust_numa_imbalance(
    generation: PlaceGeneration,
    domain: &Domain,
    imbalance: u64,
    dst_running: u32,
    limit: u32,
) -> u64 {
    let many = if generation >= PlaceGeneration::V6_1 {
        dst_running > limit
    } else {
        dst_running >= domain.weight / 4
    };
    if !many && imbalance <= 2 { 0 } else { imbalance }
}

impl GroupType {
    /// The kernel's name, without `group_`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            GroupType::HasSpare => "has_spare",
            GroupType::FullyBusy => "fully_busy",
            GroupType::SmtBalance => "smt_balance",
            GroupType::Imbalanced => "imbalanced",
            GroupType::Overloaded => "overloaded",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked examples of R5.6.5: 16 CPUs, pct 117.
    #[test]
    fn types() {
        let kind = |nr_running, util, runnable| {
            let mut stats = GroupStats {
                capacity: 16_384,
                weight: 16,
                nr_running,
                util,
                runnable,
                ..GroupStats::default()
            };
            stats.classify(117, false, false);
            stats.kind
        };
        assert_ne!(kind(17, 13_000, 15_000), GroupType::Overloaded);
        assert_eq!(kind(17, 14_100, 15_000), GroupType::Overloaded);
        assert_eq!(kind(17, 10_000, 19_200), GroupType::Overloaded);
        assert_eq!(kind(16, 14_000, 0), GroupType::HasSpare);
        assert_eq!(kind(16, 14_100, 0), GroupType::FullyBusy);
    }
}
