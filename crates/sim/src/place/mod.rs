//! Wakeup placement: on which CPU a woken task is enqueued (spec ch. 5.1 … 5.5).
//!
//! [`place`] is `select_task_rq_fair()` for a wakeup, from the waker's bookkeeping to the idle
//! search, for every [`PlaceGeneration`]. It is a pure function of a [`View`] of the machine and a
//! [`Wake`]; it changes nothing and allocates nothing. What it would change is in
//! [`Placement::effects`]. What it looked at, in order, goes to an [`Evidence`] sink, which costs
//! nothing when it is [`Unseen`].
//!
//! Measured against the kernel's own functions: `vectors/placement`.

pub mod fork;
mod fork_by_load;
pub mod idle;
mod older;
mod select_idle;
mod wake_affine;

use crate::cpu_set::CpuSet;
use crate::domains::{DomainFlags, DomainId, Domains};
use crate::kernel::{Feature, Features, PlaceGeneration};
use crate::topology::LlcId;
use crate::units::CpuId;

/// What placement reads of the machine at the moment of the wakeup. Nothing is decayed at read
/// (R5.3.5): the view gives averages as last stored.
pub trait View {
    /// Whether the CPU runs its idle task, has nothing queued and no wakeup pending (spec 0.7).
    fn idle(&self, cpu: CpuId) -> bool;
    /// Whether the CPU has tasks and all of them are SCHED_IDLE.
    fn sched_idle(&self, cpu: CpuId) -> bool;
    /// `rq.nr_running`: tasks of all classes, delayed ones included (R0.7.1).
    fn nr_running(&self, cpu: CpuId) -> u32;
    /// The load compared by WA_WEIGHT: `load_avg` from 5.10 on, `runnable_load_avg` in 4.x, the sum
    /// of the queued weights in 2.6.36.
    fn load(&self, cpu: CpuId) -> u64;
    /// `capacity_of`, 1 … 1024 (R5.3.4).
    fn capacity(&self, cpu: CpuId) -> u64;
    /// The idle-core hint of an LLC (R5.4.8a).
    fn has_idle_cores(&self, llc: LlcId) -> bool;
    /// `nr_idle_scan` of an LLC (R5.5.4).
    fn nr_idle_scan(&self, llc: LlcId) -> u32;
    /// Whether the core of the CPU may take the wakee by its cookie (spec 8.3).
    fn cookie_matches(&self, _cpu: CpuId) -> bool {
        true
    }
    /// `avg_idle` of a run queue, ns. Read by 4.15 and 4.19.
    fn avg_idle(&self, _cpu: CpuId) -> u64 {
        0
    }
    /// `wake_avg_idle` of a run queue, ns. Read by 5.15.
    fn wake_avg_idle(&self, _cpu: CpuId) -> u64 {
        0
    }
    /// `wake_stamp` of a run queue, jiffies. Read by 5.15.
    fn wake_stamp(&self, _cpu: CpuId) -> u64 {
        0
    }
    /// `avg_scan_cost` of the CPU's own LLC domain, ns. Read by 4.15 … 5.15.
    fn avg_scan_cost(&self, _cpu: CpuId) -> u64 {
        0
    }
    /// How long an idle search takes that looks at so many CPUs, ns (R5.8.16: 50 ns each).
    fn scan_time(&self, visited: u32) -> u64 {
        50 * u64::from(visited)
    }
}

/// What placement knows of the waker: the task that runs on `this_cpu`, even in an interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Waker {
    /// `wakee_flips`: how often it changed its wakee lately.
    pub flips: u32,
    /// `wakee_flip_decay_ts`, jiffies.
    pub decay_ts: u64,
    /// Whether its last wakee was this wakee.
    pub last_wakee_is_same: bool,
    /// `task_h_load`, 0 … (R7.1.15); the weight in 2.6.36.
    pub load: u64,
    /// Whether it is exiting: `sync` then says nothing (4.19 on).
    pub exiting: bool,
    /// A kernel thread that may run on one CPU only; also the idle task.
    pub per_cpu_kthread: bool,
    /// Task context; `false` in an interrupt.
    pub in_task: bool,
}

/// What placement knows of the wakee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wakee {
    /// `wakee_flips`.
    pub flips: u32,
    /// `task_h_load` as stored when it was last dequeued; the weight in 2.6.36.
    pub load: u64,
    /// `recent_used_cpu`.
    pub recent: CpuId,
}

/// A wakeup.
#[derive(Clone, Copy, Debug)]
pub struct Wake<'a> {
    /// The CPU whose code wakes.
    pub this_cpu: CpuId,
    /// The CPU the wakee last ran on.
    pub prev_cpu: CpuId,
    /// WF_SYNC: the waker says it will sleep soon.
    pub sync: bool,
    /// WF_CURRENT_CPU: the waker wants it here (6.6 on).
    pub current_cpu: bool,
    /// Where the wakee may run; at least two CPUs, else the hook is not called (R5.0.1).
    pub allowed: &'a CpuSet,
    /// The tick counter.
    pub jiffies: u64,
    /// Ticks per second.
    pub hz: u64,
    /// The waker.
    pub waker: Waker,
    /// The wakee.
    pub wakee: Wakee,
}

/// Which exit gave the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Branch {
    /// The target is idle.
    TargetIdle,
    /// The previous CPU is idle and near.
    PrevIdle,
    /// Stacked on the per-CPU kernel thread that wakes it and is about to sleep.
    PerCpuKthread,
    /// The recently used CPU is idle and near.
    RecentIdle,
    /// A core of which all threads are idle.
    IdleCore,
    /// An idle CPU of the LLC.
    IdleCpu,
    /// An idle thread of the core of the previous CPU (of the target, up to 4.19).
    IdleSmt,
    /// 4.7: an idle group below the LLC level.
    IdleSmtSibling,
    /// No idle core; the first idle thread met on the way.
    IdleThreadFromCoreScan,
    /// An idle core of the target's cluster.
    ClusterIdleCore,
    /// An idle CPU of the target's cluster.
    ClusterIdleCpu,
    /// The idle previous CPU outside the target's cluster, for want of better.
    PrevFallback,
    /// The idle recently used CPU outside the target's cluster, for want of better.
    RecentFallback,
    /// The target has no LLC to search.
    NoLlc,
    /// Nothing idle was found: the target, busy as it is. In 2.6.36 also a wakeup that is not
    /// affine: the previous CPU, without a search ([`Placement::target`] is `None`).
    FallbackTarget,
    /// The waker's own CPU, as it asked.
    WfCurrentCpu,
}

/// How the search for an idle CPU ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScanExit {
    /// There was no search.
    #[default]
    NotRun,
    /// With an idle CPU.
    Found,
    /// With every CPU looked at in vain.
    Exhausted,
    /// With the budget used up.
    Limit,
    /// At once: the LLC is so busy that searching is not worth it (`nr_idle_scan` 0).
    Overloaded,
    /// With an idle core.
    Core,
    /// With an idle core of the cluster.
    ClsCore,
    /// With an idle CPU of the cluster.
    ClsFound,
    /// With the budget used up within the cluster.
    ClsLimit,
}

/// One side of the choice between the waker's CPU and the wakee's previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The CPU that wakes.
    This,
    /// The CPU the wakee last ran on.
    Prev,
}

/// The opinion of a rule that may have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Opinion {
    /// The CPU that wakes.
    This,
    /// The CPU the wakee last ran on.
    Prev,
    /// No opinion.
    None,
}

/// What the wakeup changes besides the wakee's CPU. `None` is "unchanged".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Effects {
    /// The waker's flips; its last wakee is now this wakee.
    pub waker_flips: u32,
    /// The waker's decay stamp, jiffies.
    pub waker_decay_ts: u64,
    /// The wakee's `recent_used_cpu`.
    pub wakee_recent: Option<CpuId>,
    /// The waker's `recent_used_cpu` (4.19).
    pub waker_recent: Option<CpuId>,
    /// This LLC's idle-core hint is withdrawn: a search for a core failed.
    pub idle_cores_cleared: Option<LlcId>,
    /// `avg_scan_cost` of `this_cpu`, ns (4.15 … 5.15).
    pub avg_scan_cost: Option<u64>,
    /// `wake_avg_idle` of `this_cpu`, ns (5.15).
    pub wake_avg_idle: Option<u64>,
    /// `wake_stamp` of `this_cpu`, jiffies (5.15).
    pub wake_stamp: Option<u64>,
}

/// Where the wakee goes and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    /// The CPU. May lie outside `allowed`: see [`idle::fallback`] (R5.0.1).
    pub cpu: CpuId,
    /// The CPU handed to the idle search; `None` if there was none.
    pub target: Option<CpuId>,
    /// Which exit gave the CPU.
    pub branch: Branch,
    /// How the search for an idle CPU ended.
    pub scan_exit: ScanExit,
    /// Whether waker and wakee form a one-to-many relation (R5.2.2); `None` if not asked.
    pub wide: Option<bool>,
    /// Whether pulling to the waker was considered; `None` if not asked.
    pub want_affine: Option<bool>,
    /// The smallest domain that holds both CPUs and allows pulling, with its place in the chain of
    /// `this_cpu`.
    pub affine_domain: Option<(DomainId, u8)>,
    /// What `wake_affine()` chose; `None` if it was not called.
    pub wake_affine: Option<Side>,
    /// What WA_IDLE said (4.15 on); `None` if it was not asked.
    pub wa_idle: Option<Opinion>,
    /// What WA_WEIGHT said (4.15 on), never [`Opinion::Prev`]; `None` if it was not asked.
    pub wa_weight: Option<Opinion>,
    /// What else changes.
    pub effects: Effects,
    /// How often the search read the clock: 0, 1 (it ran out of budget) or 2 (4.15 … 5.15).
    pub clock_reads: u8,
}

/// In which part of placement a CPU was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProbeAt {
    /// WA_IDLE, the waker's CPU.
    WaThis,
    /// WA_IDLE, the previous CPU.
    WaPrev,
    /// The target.
    Target,
    /// The previous CPU.
    Prev,
    /// The recently used CPU.
    Recent,
    /// 4.7: a CPU of a group.
    Group,
    /// A thread of a core that may be idle as a whole.
    Core,
    /// A CPU of the LLC.
    Scan,
    /// A sibling of the previous CPU (up to 4.19: of the target).
    Smt,
    /// The same, whether it is in the target's LLC.
    SmtLlc,
    /// As [`ProbeAt::Core`], within the cluster.
    ClsCore,
    /// As [`ProbeAt::Scan`], within the cluster.
    ClsScan,
    /// A CPU of the cluster, whether it is among those to be searched.
    Cls,
}

/// What was asked of a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Test {
    /// Is it idle?
    Idle,
    /// Does it run only SCHED_IDLE tasks? Asked right after "idle?" was answered no.
    SchedIdle,
    /// Is it in a mask: the wakee's, or that of the CPUs still to be searched?
    Member,
}

/// One look at one CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Probe {
    /// In which part.
    pub at: ProbeAt,
    /// What was asked.
    pub test: Test,
    /// Of which CPU.
    pub cpu: CpuId,
    /// The answer.
    pub yes: bool,
}

/// The two sides of the comparison by load, scaled by capacity and bias (R5.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Weighing {
    /// The load of the waker's CPU after the wakeup; `None` if the waker alone outweighs its CPU.
    pub this: Option<i64>,
    /// The load of the previous CPU, without the wakee.
    pub prev: i64,
    /// Whether equal is good enough for pulling (up to 4.15).
    pub equal_pulls: bool,
}

/// Takes what placement looks at, in order. Every method does nothing unless it is overridden.
pub trait Evidence {
    /// A domain was asked whether it holds the previous CPU.
    fn domain(&mut self, _domain: DomainId, _holds_prev: bool) {}
    /// Loads were compared.
    fn weighing(&mut self, _weighing: Weighing) {}
    /// The idle search may look at so many CPUs.
    fn budget(&mut self, _cpus: u32) {}
    /// A CPU was looked at.
    fn probe(&mut self, _probe: Probe) {}
}

/// Nobody looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unseen;

impl Evidence for Unseen {}

/// Keeps everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Seen {
    /// The domains asked, in order, with whether they hold the previous CPU.
    pub domains: Vec<(DomainId, bool)>,
    /// The loads compared.
    pub weighing: Option<Weighing>,
    /// How many CPUs the idle search might look at.
    pub budget: Option<u32>,
    /// The CPUs looked at, in order.
    pub probes: Vec<Probe>,
}

impl Seen {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.domains.clear();
        self.probes.clear();
        (self.weighing, self.budget) = (None, None);
    }
}

impl Evidence for Seen {
    fn domain(&mut self, domain: DomainId, holds_prev: bool) {
        self.domains.push((domain, holds_prev));
    }
    fn weighing(&mut self, weighing: Weighing) {
        self.weighing = Some(weighing);
    }
    fn budget(&mut self, cpus: u32) {
        self.budget = Some(cpus);
    }
    fn probe(&mut self, probe: Probe) {
        self.probes.push(probe);
    }
}

/// Places a woken task: `select_task_rq_fair()` of a wakeup (spec 5.1).
///
/// The generation is that of `domains`. Of `features`, those of [`Features::PLACEMENT`] matter,
/// each where the generation has it.
pub fn place<V: View, E: Evidence>(
    domains: &Domains,
    features: Features,
    view: &V,
    wake: &Wake<'_>,
    evidence: &mut E,
) -> Placement {
    let generation = domains.generation();
    let (flips, decay_ts) = match generation {
        PlaceGeneration::V2_6_36 => (wake.waker.flips, wake.waker.decay_ts),
        _ => record_wakee(wake),
    };
    let mut placement = Placement {
        cpu: wake.this_cpu,
        target: None,
        branch: Branch::WfCurrentCpu,
        scan_exit: ScanExit::NotRun,
        wide: None,
        want_affine: None,
        affine_domain: None,
        wake_affine: None,
        wa_idle: None,
        wa_weight: None,
        effects: Effects {
            waker_flips: flips,
            waker_decay_ts: decay_ts,
            wakee_recent: None,
            waker_recent: None,
            idle_cores_cleared: None,
            avg_scan_cost: None,
            wake_avg_idle: None,
            wake_stamp: None,
        },
        clock_reads: 0,
    };
    if generation >= PlaceGeneration::V6_6
        && wake.current_cpu
        && wake.allowed.contains(wake.this_cpu)
    {
        return placement;
    }

    if generation == PlaceGeneration::V2_6_36 {
        older::place_2_6_36(domains, view, wake, evidence, &mut placement);
        return placement;
    }

    let wide = wake_wide(flips, wake.wakee.flips, domains.llc_size(wake.this_cpu));
    let want_affine = !wide && wake.allowed.contains(wake.this_cpu);
    (placement.wide, placement.want_affine) = (Some(wide), Some(want_affine));

    let mut target = wake.prev_cpu;
    if want_affine {
        for (level, &id) in domains.chain(wake.this_cpu).iter().enumerate() {
            let domain = domains.domain(id);
            if !domain.flags.has(DomainFlags::WAKE_AFFINE) {
                continue;
            }
            let holds_prev = domain.span.contains(wake.prev_cpu);
            evidence.domain(id, holds_prev);
            if !holds_prev {
                continue;
            }
            placement.affine_domain = Some((id, level as u8));
            if wake.this_cpu != wake.prev_cpu {
                let pct = domain.imbalance_pct;
                let side = wake_affine::wake_affine(
                    domains,
                    features,
                    view,
                    wake,
                    pct,
                    evidence,
                    &mut placement,
                );
                placement.wake_affine = Some(side);
                if side == Side::This {
                    target = wake.this_cpu;
                }
            }
            break;
        }
    }
    placement.target = Some(target);

    let mut search = select_idle::Search {
        generation,
        domains,
        features,
        view,
        wake,
        target,
        evidence,
        placement: &mut placement,
    };
    let (cpu, branch) = match generation {
        PlaceGeneration::V2_6_36 => unreachable!("placed above"),
        PlaceGeneration::V4_7 => search.groups_4_7(),
        PlaceGeneration::V4_15 | PlaceGeneration::V4_19 => search.rewrite_4_10(),
        PlaceGeneration::V5_15
        | PlaceGeneration::V6_1
        | PlaceGeneration::V6_6
        | PlaceGeneration::V6_12 => search.merged(),
    };
    (placement.cpu, placement.branch) = (cpu, branch);
    let by_waker = matches!(generation, PlaceGeneration::V4_15 | PlaceGeneration::V4_19);
    if by_waker && features.has(Feature::RecentUsedCpu) && want_affine {
        placement.effects.waker_recent = Some(wake.this_cpu);
    }
    placement
}

/// The waker's flips and decay stamp after this wakeup (R5.2.1).
fn record_wakee(wake: &Wake<'_>) -> (u32, u64) {
    let Waker { mut flips, mut decay_ts, .. } = wake.waker;
    // "After" in the kernel's sense: by the signed difference, as jiffies wrap.
    if (wake.jiffies.wrapping_sub(decay_ts.wrapping_add(wake.hz)) as i64) > 0 {
        flips >>= 1;
        decay_ts = wake.jiffies;
    }
    if !wake.waker.last_wakee_is_same {
        flips = flips.wrapping_add(1);
    }
    (flips, decay_ts)
}

/// Whether waker and wakee form a one-to-many relation that should not be pulled into one LLC of
/// `factor` CPUs (R5.2.2).
#[must_use]
pub fn wake_wide(waker_flips: u32, wakee_flips: u32, factor: u32) -> bool {
    let (less, more) = (waker_flips.min(wakee_flips), waker_flips.max(wakee_flips));
    less >= factor && more >= less.wrapping_mul(factor)
}

impl Branch {
    /// The name in the vectors.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Branch::TargetIdle => "target_idle",
            Branch::PrevIdle => "prev_idle",
            Branch::PerCpuKthread => "percpu_kthread",
            Branch::RecentIdle => "recent_idle",
            Branch::IdleCore => "idle_core",
            Branch::IdleCpu => "idle_cpu",
            Branch::IdleSmt => "idle_smt",
            Branch::IdleSmtSibling => "idle_smt_sibling",
            Branch::IdleThreadFromCoreScan => "idle_thread_from_core_scan",
            Branch::ClusterIdleCore => "cluster_idle_core",
            Branch::ClusterIdleCpu => "cluster_idle_cpu",
            Branch::PrevFallback => "prev_fallback",
            Branch::RecentFallback => "recent_fallback",
            Branch::NoLlc => "no_llc",
            Branch::FallbackTarget => "fallback_target",
            Branch::WfCurrentCpu => "wf_current_cpu",
        }
    }
}

impl ScanExit {
    /// The name in the vectors.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ScanExit::NotRun => "not_run",
            ScanExit::Found => "found",
            ScanExit::Exhausted => "exhausted",
            ScanExit::Limit => "limit",
            ScanExit::Overloaded => "overloaded",
            ScanExit::Core => "core",
            ScanExit::ClsCore => "cls_core",
            ScanExit::ClsFound => "cls_found",
            ScanExit::ClsLimit => "cls_limit",
        }
    }
}

impl Side {
    /// The name in the vectors.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Side::This => "this",
            Side::Prev => "prev",
        }
    }
}

impl Opinion {
    /// The name in the vectors.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Opinion::This => "this",
            Opinion::Prev => "prev",
            Opinion::None => "none",
        }
    }
}

impl ProbeAt {
    /// The name in the vectors, without the mark of the test.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ProbeAt::WaThis => "wa.this",
            ProbeAt::WaPrev => "wa.prev",
            ProbeAt::Target => "target",
            ProbeAt::Prev => "prev",
            ProbeAt::Recent => "recent",
            ProbeAt::Group => "group",
            ProbeAt::Core => "core",
            ProbeAt::Scan => "scan",
            ProbeAt::Smt => "smt",
            ProbeAt::SmtLlc => "smt.llc",
            ProbeAt::ClsCore => "cls.core",
            ProbeAt::ClsScan => "cls.scan",
            ProbeAt::Cls => "cls",
        }
    }
}

impl Test {
    /// The mark that the vectors put behind the name.
    #[must_use]
    pub const fn mark(self) -> &'static str {
        match self {
            Test::Idle => "",
            Test::SchedIdle => "~",
            Test::Member => "?",
        }
    }
}

#[cfg(test)]
mod tests;
