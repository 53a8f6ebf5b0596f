//! Load balancing: how queued tasks come to other CPUs (spec 5.7, 5.8).
//!
//! [`load_balance`] is one pass of one CPU over one of its domains: is it this CPU's turn, which
//! group is busiest, is that too much, which queue, how much, which tasks. It decides; the caller
//! moves ([`Scratch::moves`]) and writes down ([`Outcome`]). When passes are due is in
//! [`schedule`]. The rules are those of 5.15 to 6.12 (5.7); kernels up to 5.4 compare loads (5.9).

mod busiest;
mod by_load;
mod detach;
pub mod schedule;
pub mod stats;

use crate::cpu_set::CpuSet;
use crate::domains::{DomainFlags, DomainId, Domains, GroupId};
use crate::kernel::PlaceGeneration;
use crate::place::idle::{nr_idle_scan, renews_nr_idle_scan};
use crate::topology::LlcId;
use crate::units::{CpuId, TaskId};
use schedule::DomainState;
use stats::{GroupStats, GroupView};

pub use busiest::{Amount, Measure};
pub use detach::{MIGRATION_COST, NR_MIGRATE};

/// What balancing reads besides the groups.
pub trait BalanceView: GroupView {
    /// Appends the fair tasks of a CPU, the tail of its task list first: the order in which they
    /// are looked at (R5.7.10, R5.7.20). The running task is among them.
    fn tasks(&self, cpu: CpuId, into: &mut Vec<TaskId>);
    /// The fair task that a CPU runs.
    fn current(&self, cpu: CpuId) -> Option<TaskId>;
    /// Whether the task may run there.
    fn allowed(&self, task: TaskId, cpu: CpuId) -> bool;
    /// Whether the task runs right now.
    fn running(&self, task: TaskId) -> bool;
    /// When the task was last charged, ns of its CPU's clock; 0 after a migration (R5.7.11).
    fn exec_start(&self, task: TaskId) -> u64;
    /// `rq_clock_task` of a CPU, ns.
    fn clock_task(&self, cpu: CpuId) -> u64;
    /// `task_h_load` (R7.1.15).
    fn h_load(&self, task: TaskId) -> u64;
    /// `task_util_est` (R7.2.4).
    fn util_est(&self, task: TaskId) -> u64;
    /// Whether a wakeup is on its way to the CPU (`ttwu_pending`).
    fn wake_pending(&self, cpu: CpuId) -> bool;
    /// A kernel thread bound to its CPU.
    fn per_cpu_kthread(&self, _task: TaskId) -> bool {
        false
    }
    /// Whether the task is of SCHED_IDLE policy.
    fn sched_idle_task(&self, _task: TaskId) -> bool {
        false
    }
    /// Whether the task is the next (or, in older kernels, last) buddy of its queue.
    fn buddy(&self, _task: TaskId) -> bool {
        false
    }
    /// Whether the core of the CPU may take the task by its cookie (spec 8.3).
    fn cookie_matches(&self, _task: TaskId, _cpu: CpuId) -> bool {
        true
    }
}

/// What the balancing CPU is doing (`enum cpu_idle_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdleType {
    /// It runs a task.
    NotIdle,
    /// It is idle.
    Idle,
    /// It is about to be.
    NewlyIdle,
}

/// A pass: who balances which of its domains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pass {
    /// The CPU that pulls.
    pub cpu: CpuId,
    /// Which of its domains, 0 the smallest.
    pub level: usize,
    /// What it is doing.
    pub idle: IdleType,
}

/// A task that is to be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// Which.
    pub task: TaskId,
    /// From here …
    pub from: CpuId,
    /// … to here.
    pub to: CpuId,
    /// Tasks of one pull, 0 the first, are taken off `from` all at once, in this order, and then
    /// put on `to` in *reverse* order (R5.7.18).
    pub pull: u16,
}

/// What a pass writes besides its outcome; kept to be used again.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// The tasks to be moved.
    pub moves: Vec<Move>,
    /// After the moves: tasks to be put at the head of their CPU's task list, one by one in this
    /// order, because they were looked at in vain (R5.7.10).
    pub rotated: Vec<TaskId>,
    list: Vec<TaskId>,
}

/// Why a pass found that all is well (R5.7.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WhyBalanced {
    /// No other group has a fair task.
    NoBusiest,
    /// 2.6.36: no other group has more tasks than cores.
    NoneOverCapacity,
    /// The local group is of a worse type.
    LocalWorse,
    /// Both overloaded: the local group has as much load.
    LocalAsLoaded,
    /// Both overloaded: the local group is above the average.
    LocalAboveAverage,
    /// Both overloaded: the difference is within the domain's tolerance.
    WithinTolerance,
    /// The busiest group is not overloaded, and this CPU has work.
    CpuBusy,
    /// The local group has at most one idle CPU more.
    IdleAlike,
    /// The busiest group has only one task.
    OneTask,
    /// There is a difference, but it rounds to nothing.
    NothingToMove,
}

/// How a pass ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It is another CPU's turn to balance for this group; wider domains are not tried either.
    NotOurs,
    /// All is well.
    Balanced(WhyBalanced),
    /// The busiest group has no queue to pull from.
    NoQueue,
    /// Tasks are moved.
    Pulled,
    /// There was something to pull, but no task could be moved.
    Failed,
    /// No task of the busiest CPUs may run here.
    AllPinned,
}

/// The running task of a CPU is to be moved by its stopper (R5.7.14, R5.7.19).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ActiveBalance {
    /// From here …
    pub from: CpuId,
    /// … to here.
    pub to: CpuId,
}

/// What came of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// How it ended.
    pub verdict: Verdict,
    /// The busiest group, if one was found.
    pub group: Option<GroupId>,
    /// The busiest CPU, if one was found.
    pub from: Option<CpuId>,
    /// How many tasks move.
    pub moved: u32,
    /// Whether an active balance is to be started, unless one from there is under way.
    pub active: Option<ActiveBalance>,
    /// The new scan budget of an LLC (R5.5.4).
    pub nr_idle_scan: Option<(LlcId, u32)>,
    /// The new overload flag of the root domain (R5.8.15).
    pub overload: Option<bool>,
    /// A group's "imbalanced" flag is to be set or cleared (R5.7.16).
    pub imbalanced: Option<(GroupId, bool)>,
}

/// What became of a task that was looked at (R5.7.10, R5.7.11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskVerdict {
    /// It is moved.
    Moved,
    /// It is a kernel thread of its CPU.
    PerCpuKthread,
    /// It may not run on the destination.
    NotAllowed,
    /// It is running.
    Running,
    /// It ran a moment ago: its cache is warm.
    CacheHot,
    /// It is more than is to be moved.
    TooLarge,
}

/// Takes what a pass looks at, in order. Every method does nothing unless it is overridden.
pub trait BalanceEvidence {
    /// A group was summed up.
    fn group(&mut self, _group: GroupId, _local: bool, _stats: &GroupStats) {}
    /// So much is to be moved.
    fn amount(&mut self, _amount: Amount) {}
    /// A task was looked at.
    fn task(&mut self, _task: TaskId, _to: CpuId, _verdict: TaskVerdict) {}
}

impl BalanceEvidence for crate::place::Unseen {}

/// Keeps everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BalanceSeen {
    /// The groups, the local one first.
    pub groups: Vec<(GroupId, GroupStats)>,
    /// How much was to be moved, and by what measure.
    pub amount: Option<Amount>,
    /// The tasks looked at, with the destination.
    pub tasks: Vec<(TaskId, CpuId, TaskVerdict)>,
}

impl BalanceEvidence for BalanceSeen {
    fn group(&mut self, group: GroupId, local: bool, stats: &GroupStats) {
        if local {
            // A pass that is redone (R5.7.16) looks at all groups again.
            self.groups.clear();
        }
        self.groups.push((group, *stats));
    }
    fn amount(&mut self, amount: Amount) {
        self.amount = Some(amount);
    }
    fn task(&mut self, task: TaskId, to: CpuId, verdict: TaskVerdict) {
        self.tasks.push((task, to, verdict));
    }
}

/// One pass. The machine is looked at as it is before any of the moves.
pub fn load_balance<V: BalanceView, E: BalanceEvidence>(
    domains: &Domains,
    view: &V,
    pass: Pass,
    state: &mut DomainState,
    scratch: &mut Scratch,
    evidence: &mut E,
) -> Outcome {
    let chain = domains.chain(pass.cpu);
    let id = chain[pass.level];
    let parent = chain.get(pass.level + 1).map(|parent| domains.local_group(*parent, pass.cpu));
    let local = domains.local_group(id, pass.cpu);
    let mut env = Env {
        domains,
        view,
        id,
        idle: pass.idle,
        cpus: domains.domain(id).span,
        narrowed: false,
        dst: pass.cpu,
        local,
        dst_mask: domains.group(local).balance_mask,
        failed: state.nr_balance_failed,
    };
    let mut pins = detach::Pins::default();
    let mut out = Outcome {
        verdict: Verdict::NotOurs,
        group: None,
        from: None,
        moved: 0,
        active: None,
        nr_idle_scan: None,
        overload: None,
        imbalanced: None,
    };
    scratch.moves.clear();
    scratch.rotated.clear();

    let balanced = loop {
        if !env.should_we_balance() {
            break Verdict::NotOurs;
        }
        let found = env.sum_groups(evidence);
        env.note_sums(&found, pass, parent.is_none(), &mut out);
        let (group, amount) = match env.find_busiest_group(&found) {
            Ok(found) => found,
            Err(why) => break Verdict::Balanced(why),
        };
        out.group = Some(group);
        evidence.amount(amount);
        let Some(from) = env.find_busiest_queue(group, amount) else {
            break Verdict::NoQueue;
        };
        out.from = Some(from);
        pins.all = true;
        if env.view.nr_running(from) > 1 {
            let left = env.pull(from, amount, scratch, &mut pins, evidence);
            if let Some(parent) = parent
                && pins.some
                && left > 0
            {
                out.imbalanced = Some((parent, true));
            }
            if pins.all {
                env.cpus.remove(from);
                env.narrowed = true;
                if !env.cpus.is_subset(&env.dst_mask) {
                    continue;
                }
                out.verdict = Verdict::AllPinned;
                state.balanced(domains, id, pass.idle, true);
                return out;
            }
        }
        out.moved = scratch.moves.len() as u32;
        if out.moved > 0 {
            out.verdict = Verdict::Pulled;
            state.nr_balance_failed = 0;
            state.interval = domains.domain(id).min_interval;
            return out;
        }
        out.verdict = Verdict::Failed;
        if pass.idle != IdleType::NewlyIdle {
            state.nr_balance_failed += 1;
        }
        // Even the running task should be moved (R5.7.14).
        let by_tasks = env.by_load() || amount.measure == Measure::Tasks;
        if by_tasks && state.nr_balance_failed > domains.domain(id).cache_nice_tries + 2 {
            let current = view.current(from);
            if current.is_some_and(|current| !view.allowed(current, pass.cpu)) {
                state.tune_interval(domains, id, pass.idle, pins.all);
                return out;
            }
            out.active = Some(ActiveBalance { from, to: pass.cpu });
        }
        state.interval = domains.domain(id).min_interval;
        return out;
    };

    out.verdict = balanced;
    if let Some(parent) = parent
        && !pins.all
        && view.imbalanced(parent)
    {
        out.imbalanced = Some((parent, false));
    }
    state.balanced(domains, id, pass.idle, pins.all);
    out
}

impl Outcome {
    /// Whether wider domains may be tried after this pass (R5.7.3).
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.verdict != Verdict::NotOurs
    }
}

/// The task that the stopper of `from` moves to `to` in an active balance, if any (R5.7.19), with
/// the level of the smallest domain of `to` that spans both: its `nr_balance_failed` becomes 0.
#[must_use]
pub fn active_balance_task<V: BalanceView>(
    domains: &Domains,
    view: &V,
    active: ActiveBalance,
    scratch: &mut Scratch,
) -> Option<(TaskId, usize)> {
    let spans = |id: &DomainId| domains.domain(*id).span.contains(active.from);
    let level = domains.chain(active.to).iter().position(spans)?;
    scratch.list.clear();
    view.tasks(active.from, &mut scratch.list);
    let movable = |task: &&TaskId| {
        !view.per_cpu_kthread(**task) && view.allowed(**task, active.to) && !view.running(**task)
    };
    scratch.list.iter().find(movable).map(|task| (*task, level))
}

/// A pass while it is going on.
struct Env<'a, V> {
    domains: &'a Domains,
    view: &'a V,
    id: DomainId,
    idle: IdleType,
    /// The CPUs that still count.
    cpus: CpuSet,
    /// Whether these are no longer all of the domain.
    narrowed: bool,
    /// Where tasks are pulled to.
    dst: CpuId,
    local: GroupId,
    /// The CPUs that balance for the local group.
    dst_mask: CpuSet,
    /// `nr_balance_failed` before the pass.
    failed: u32,
}

impl<V: BalanceView> Env<'_, V> {
    /// Whether it is this CPU's turn (R5.7.4).
    fn should_we_balance(&self) -> bool {
        if !self.cpus.contains(self.dst) {
            return false;
        }
        if self.idle == IdleType::NewlyIdle {
            return self.view.nr_running(self.dst) == 0 && !self.view.wake_pending(self.dst);
        }
        let generation = self.domains.generation();
        let threads = self.domains.domain(self.id).flags.has(DomainFlags::SHARE_CPUCAPACITY);
        let cores_first = generation >= PlaceGeneration::V6_6 && !threads;
        let mut mask = self.dst_mask.and(&self.cpus);
        let mut remembered = None;
        let mut at = 0;
        while let Some(cpu) = mask.next_from(at) {
            at = cpu.index() + 1;
            if !self.view.idle(cpu) {
                continue;
            }
            let siblings = self.domains.smt_siblings(cpu);
            let core_idle = || siblings.iter().all(|other| other == cpu || self.view.idle(other));
            if cores_first && !core_idle() {
                remembered = remembered.or(Some(cpu));
                mask = mask.minus(siblings);
                continue;
            }
            return cpu == self.dst;
        }
        if remembered == Some(self.dst) {
            return true;
        }
        if remembered.is_some() && generation >= PlaceGeneration::V6_12 {
            return false;
        }
        self.dst_mask.lowest() == Some(self.dst)
    }

    /// What the statistics of a pass also tell (R5.5.4, R7.1.22, R5.8.15).
    fn note_sums(&self, found: &busiest::Found, pass: Pass, top: bool, out: &mut Outcome) {
        let (domain, cpu) = (self.domains.domain(self.id), pass.cpu);
        let size = self.domains.llc_size(cpu);
        let newidle = pass.idle == IdleType::NewlyIdle;
        let has_llc = self.domains.llc_domain(cpu).is_some();
        if has_llc
            && self.domains.generation() >= PlaceGeneration::V6_1
            && renews_nr_idle_scan(domain.weight, size, newidle)
        {
            let scan = nr_idle_scan(found.util, size, domain.imbalance_pct);
            out.nr_idle_scan = Some((self.domains.llc(cpu), scan));
        }
        if top {
            out.overload = Some(found.overload);
        }
    }
}

#[cfg(test)]
mod tests;
