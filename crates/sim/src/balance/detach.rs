//! Which tasks are moved (R5.7.10, R5.7.11, R5.7.16).

use super::{
    Amount, BalanceEvidence, BalanceView, Env, IdleType, Measure, Move, Scratch, TaskVerdict,
};
use crate::domains::DomainFlags;
use crate::kernel::PlaceGeneration;
use crate::units::{CpuId, TaskId};

/// `sysctl_sched_nr_migrate`: how many tasks a pass looks at.
pub const NR_MIGRATE: u32 = 32;
/// `sysctl_sched_migration_cost`, ns: who ran less than so long ago is hot.
pub const MIGRATION_COST: u64 = 500_000;

/// What affinity prevented.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pins {
    /// Some task may not run on the destination.
    pub some: bool,
    /// No task looked at may.
    pub all: bool,
    /// Another CPU of the local group that may have one.
    other: Option<CpuId>,
}

impl<V: BalanceView> Env<'_, V> {
    /// Pulls from a CPU until enough is moved; what is left of the amount.
    pub(super) fn pull<E: BalanceEvidence>(
        &mut self,
        from: CpuId,
        amount: Amount,
        scratch: &mut Scratch,
        pins: &mut Pins,
        evidence: &mut E,
    ) -> i64 {
        let home = self.dst;
        let mut left = amount.amount;
        scratch.list.clear();
        self.view.tasks(from, &mut scratch.list);
        for pull in 0.. {
            self.detach(from, amount.measure, &mut left, pull, scratch, pins, evidence);
            match pins.other.take() {
                Some(other) if left > 0 => {
                    self.cpus.remove(self.dst);
                    self.dst = other;
                }
                _ => break,
            }
        }
        self.dst = home;
        // Looked at in vain for one destination, moved to another.
        let moves = &scratch.moves;
        scratch.rotated.retain(|task| moves.iter().all(|one| one.task != *task));
        left
    }

    /// `detach_tasks()`.
    fn detach<E: BalanceEvidence>(
        &self,
        from: CpuId,
        measure: Measure,
        left: &mut i64,
        pull: u16,
        scratch: &mut Scratch,
        pins: &mut Pins,
        evidence: &mut E,
    ) {
        let gone = |moves: &[Move]| moves.iter().filter(|one| one.from == from).count() as u32;
        let mut running = self.view.nr_running(from) - gone(&scratch.moves);
        if running <= 1 {
            pins.all = false;
            return;
        }
        let limit = running.min(NR_MIGRATE) as usize;
        // Tasks looked at in vain go to the head, so each comes up once. While all are pinned, the
        // limit does not hold.
        let mut list = core::mem::take(&mut scratch.list);
        let vain = scratch.rotated.len();
        let mut looked_at = 0;
        while looked_at < list.len() {
            let stop = (self.idle != IdleType::NotIdle && running <= 1)
                || (looked_at >= limit && !pins.all);
            if stop {
                break;
            }
            let task = list[looked_at];
            looked_at += 1;
            let mut verdict = self.can_migrate(task, from, pins);
            if verdict == TaskVerdict::Moved && !self.fits(task, measure, left) {
                verdict = TaskVerdict::TooLarge;
            }
            evidence.task(task, self.dst, verdict);
            if verdict != TaskVerdict::Moved {
                scratch.rotated.push(task);
                continue;
            }
            scratch.moves.push(Move { task, from, to: self.dst, pull });
            running -= 1;
            // A preemptible kernel lets a newly idle CPU go after one task.
            if self.idle == IdleType::NewlyIdle || *left <= 0 {
                break;
            }
        }
        list.drain(..looked_at);
        list.extend_from_slice(&scratch.rotated[vain..]);
        scratch.list = list;
    }

    /// Whether the task is small enough; if so, `left` is less by it.
    fn fits(&self, task: TaskId, measure: Measure, left: &mut i64) -> bool {
        let shrunk = |value: u64| (value >> self.failed.min(63)) as i64;
        let value = match measure {
            Measure::Tasks => 1,
            Measure::Load => {
                let load = self.view.h_load(task).max(1);
                let shown = if self.by_load() { load as i64 / 2 } else { shrunk(load).max(1) };
                if shown > *left {
                    return false;
                }
                load as i64
            }
            Measure::Util => {
                let util = self.view.util_est(task);
                let shown = if self.domains.generation() >= PlaceGeneration::V6_12 {
                    shrunk(util)
                } else {
                    util as i64
                };
                if shown > *left {
                    return false;
                }
                util as i64
            }
        };
        *left -= value;
        true
    }

    /// `can_migrate_task()`.
    fn can_migrate(&self, task: TaskId, from: CpuId, pins: &mut Pins) -> TaskVerdict {
        if self.view.per_cpu_kthread(task) {
            return TaskVerdict::PerCpuKthread;
        }
        if !self.view.allowed(task, self.dst) {
            pins.some = true;
            if self.idle != IdleType::NewlyIdle && pins.other.is_none() {
                let others = self.dst_mask.and(&self.cpus);
                pins.other = others
                    .iter()
                    .find(|other| *other != self.dst && self.view.allowed(task, *other));
            }
            return TaskVerdict::NotAllowed;
        }
        pins.all = false;
        if self.view.running(task) {
            return TaskVerdict::Running;
        }
        let tries = self.domains.domain(self.id).cache_nice_tries;
        if self.failed <= tries && self.is_hot(task, from) {
            return TaskVerdict::CacheHot;
        }
        TaskVerdict::Moved
    }

    /// `task_hot()`.
    fn is_hot(&self, task: TaskId, from: CpuId) -> bool {
        let domain = self.domains.domain(self.id);
        if self.view.sched_idle_task(task) || domain.flags.has(DomainFlags::SHARE_CPUCAPACITY) {
            return false;
        }
        if self.view.buddy(task) && self.view.nr_running(self.dst) > 0 {
            return true;
        }
        if !self.view.cookie_matches(task, self.dst) {
            return true;
        }
        let since = self.view.clock_task(from) as i64 - self.view.exec_start(task) as i64;
        since < MIGRATION_COST as i64
    }
}
