//! A kernel is a set of choices: the fair algorithm, the wakeup placement, their features and
//! tunables are separate axes. Presets are tables of such choices.

mod feature;
mod preset;

use crate::units::Span;

pub use feature::{Feature, FeaturePart, Features};
pub use preset::Preset;

/// The fair algorithm, in a generation. Ordered by age: what came with a generation is there from
/// it on, CFS before EEVDF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FairGeneration {
    /// Linux 2.6.36: CFS with next and last buddies (spec ch. 2).
    Cfs2_6_36,
    /// Linux 6.1: the last years of CFS (ch. 3.1).
    Cfs6_1,
    /// 6.1 with latency-nice as an offset of vruntime, version 7 of October 2022 (ch. 3.2).
    Cfs6_1LatencyNice,
    /// EEVDF as first proposed on 6 March 2023 (ch. 4A.1).
    Eevdf2023_03,
    /// EEVDF as proposed again on 28 March 2023 (ch. 4A.2).
    Eevdf2023_03v2,
    /// Linux 6.6: EEVDF, tree sorted by vruntime with `min_deadline` (ch. 4B).
    Eevdf6_6,
    /// Linux 6.8: tree sorted by deadline with `min_vruntime` (R4.B.13).
    Eevdf6_8,
    /// Linux 6.11: the lag is limited when a weight changes in place (R4.B.16).
    Eevdf6_11,
    /// Linux 6.12: EEVDF with delayed dequeue, short-slice preemption, custom slices (ch. 4C.1).
    Eevdf6_12,
    /// Linux 6.17: protection up to an explicit point of virtual time (R4.C.20).
    Eevdf6_17,
}

impl FairGeneration {
    /// All generations, oldest first.
    pub const ALL: [FairGeneration; 10] = [
        FairGeneration::Cfs2_6_36,
        FairGeneration::Cfs6_1,
        FairGeneration::Cfs6_1LatencyNice,
        FairGeneration::Eevdf2023_03,
        FairGeneration::Eevdf2023_03v2,
        FairGeneration::Eevdf6_6,
        FairGeneration::Eevdf6_8,
        FairGeneration::Eevdf6_11,
        FairGeneration::Eevdf6_12,
        FairGeneration::Eevdf6_17,
    ];

    /// Whether it is CFS: virtual run times only, no eligibility and no deadline.
    #[must_use]
    pub const fn is_cfs(self) -> bool {
        (self as u8) < FairGeneration::Eevdf2023_03 as u8
    }

    /// Whether it is EEVDF.
    #[must_use]
    pub const fn is_eevdf(self) -> bool {
        !self.is_cfs()
    }

    /// Whether a task can have a request of its own, by `sched_setattr()` (R4.C.2).
    #[must_use]
    pub const fn has_custom_slices(self) -> bool {
        self as u8 >= FairGeneration::Eevdf6_12 as u8
    }

    /// Whether the tree is sorted by deadline; by vruntime otherwise (R4.B.13).
    #[must_use]
    pub const fn sorts_by_deadline(self) -> bool {
        self as u8 >= FairGeneration::Eevdf6_8 as u8
    }
}

/// `select_task_rq_fair()` and below, in a generation (spec ch. 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlaceGeneration {
    /// Linux 2.6.36: pulls by load alone; an idle search only for affine wakeups (5.1.1).
    V2_6_36,
    /// Linux 4.7: before the rewrite of September 2016; searches groups of domains (R5.4.1).
    V4_7,
    /// Linux 4.15: WA_IDLE, idle-core scan, SIS_PROP. What 4.16 to 4.19 changed are features
    /// ([`FeaturePart::Series4_16`]).
    V4_15,
    /// Linux 4.19: as 4.15 with `recent_used_cpu` (4.16) and cache-aware WA_IDLE.
    V4_19,
    /// Linux 5.15: merged scan from target + 1, SCHED_IDLE CPUs, per-CPU kthread stacking.
    V5_15,
    /// Linux 6.1: SIS_UTIL instead of a scan budget by idle time.
    V6_1,
    /// Linux 6.6: as 6.1, with WF_CURRENT_CPU and the right mask for `recent_used_cpu`.
    V6_6,
    /// Linux 6.12: SIS_UTIL with the cluster pass, span test in the SMT scan.
    V6_12,
}

impl PlaceGeneration {
    /// The features of placement that are on by default (spec appendix B). Those of 4.16 to 4.19
    /// are switches only where they came one by one.
    #[must_use]
    pub const fn features(self) -> Features {
        let wake_affine = Features::of(&[Feature::WaIdle, Feature::WaWeight, Feature::WaBias]);
        match self {
            PlaceGeneration::V2_6_36 | PlaceGeneration::V4_7 => Features::of(&[]),
            PlaceGeneration::V4_15 | PlaceGeneration::V5_15 => wake_affine,
            PlaceGeneration::V4_19 => wake_affine.plus(Features::SERIES_4_16),
            PlaceGeneration::V6_1 | PlaceGeneration::V6_6 | PlaceGeneration::V6_12 => {
                wake_affine.with(Feature::SisUtil, true)
            }
        }
    }
}

/// What the user's latency-nice means in this kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LatencyNiceRule {
    /// Mainline: there is no latency-nice; the value is kept and has no effect.
    Absent,
    /// CFS, version 7 of October 2022: an offset of vruntime where tasks are compared (R3.2.4).
    Offset,
    /// The proposal of March and May 2023: request = base slice · 1024 / weight\[latency-nice\]
    /// (R4.A.1).
    RequestSize,
}

/// Costs the hardware adds; all zero is the ideal machine of the textbooks (R10.0.1, model).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Costs {
    /// CPU time an incoming task pays at each switch, ns.
    pub context_switch: Span,
    /// From sending a wakeup IPI to the target CPU handling it, ns.
    pub wake_ipi: Span,
    /// CPU time a waker pays for each wakeup, ns.
    pub wakeup: Span,
    /// CPU time a task pays on its first run after it changed LLC, ns.
    pub migrate_llc: Span,
}

/// What only CFS reads: its sysctls. Lengths are ns, after scaling by CPU count (R2.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CfsTunables {
    /// `sched_latency`: the period in which everybody runs once.
    pub latency: Span,
    /// `sched_min_granularity`: the least share of the period.
    pub min_granularity: Span,
    /// `sched_wakeup_granularity`: how far behind a woken nice-0 task must be to preempt.
    pub wakeup_granularity: Span,
    /// With more tasks than this the period grows: ⌈latency / `min_granularity`⌉.
    pub nr_latency: u32,
    /// `sched_child_runs_first`.
    pub child_runs_first: bool,
    /// `sched_compat_yield`, 2.6.36 only.
    pub compat_yield: bool,
}

impl CfsTunables {
    /// The kernel's defaults on a machine of `cpus` CPUs.
    #[must_use]
    pub fn defaults(cpus: usize) -> CfsTunables {
        let factor = tunable_factor(cpus);
        CfsTunables {
            latency: Span(6_000_000 * factor),
            min_granularity: Span(750_000 * factor),
            wakeup_granularity: Span(1_000_000 * factor),
            nr_latency: 8,
            child_runs_first: false,
            compat_yield: false,
        }
    }
}

/// Who sets a CPU's clock (spec 7.3, 7.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Governor {
    /// Every CPU always runs at its highest clock.
    #[default]
    Performance,
    /// The kernel asks for a clock that follows utilisation (R7.3.*).
    Schedutil,
    /// The hardware follows each CPU's busy share over a window (R7.4.1, model).
    Hwp,
}

/// The clock range of every CPU and who sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frequency {
    /// Who sets it.
    pub governor: Governor,
    /// The lowest clock, kHz.
    pub min_khz: u32,
    /// The highest clock, kHz: at this clock a nanosecond of CPU time is a nanosecond of work.
    pub max_khz: u32,
    /// How fast a thread of a core works while a second one does, percent of its clock, 50 … 100.
    /// At 100 every thread is a core (model). With n of them busy, each has 2/n of that.
    pub smt: u8,
    /// How much lower the highest clock is while several cores of a package are busy.
    pub turbo: Turbo,
}

/// The highest clock of a package's CPUs by how many of its cores are busy (R7.4.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Turbo([(u16, u32); Turbo::STEPS]);

impl Turbo {
    /// The most steps.
    pub const STEPS: usize = 8;
    /// The highest clock however many are busy.
    pub const NONE: Turbo = Turbo([(u16::MAX, u32::MAX); Turbo::STEPS]);

    /// Steps in rising order: from so many busy cores on, clocks are at most this high, kHz.
    #[must_use]
    pub const fn new(steps: &[(u16, u32)]) -> Turbo {
        let mut turbo = Turbo::NONE;
        turbo.0.split_at_mut(steps.len()).0.copy_from_slice(steps);
        turbo
    }

    /// The limit while so many cores of a package are busy, kHz.
    #[must_use]
    pub fn limit(&self, busy: u16) -> u32 {
        self.0.iter().rev().find(|(cores, _)| *cores <= busy).map_or(u32::MAX, |(_, khz)| *khz)
    }
}

impl Frequency {
    /// Whether a busy CPU's clock can be lower than the highest.
    #[must_use]
    pub fn varies(&self) -> bool {
        self.governor != Governor::Performance || self.turbo != Turbo::NONE
    }
}

impl Default for Frequency {
    fn default() -> Frequency {
        Frequency {
            governor: Governor::Performance,
            min_khz: 800_000,
            max_khz: 3_500_000,
            smt: 100,
            turbo: Turbo::NONE,
        }
    }
}

/// One Linux: a choice on each axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kernel {
    /// The fair algorithm.
    pub fair: FairGeneration,
    /// The wakeup placement.
    pub place: PlaceGeneration,
    /// `sched_features`.
    pub features: Features,
    /// `sysctl_sched_base_slice`, ns, after scaling by CPU count (R4.B.1).
    pub base_slice: Span,
    /// What only CFS reads.
    pub cfs: CfsTunables,
    /// Ticks per second: 100, 250, 300 or 1000.
    pub hz: u32,
    /// Built with group scheduling, as every distribution kernel is (R4.B.11).
    pub group_sched: bool,
    /// What latency-nice means.
    pub latency_nice: LatencyNiceRule,
    /// Costs of the hardware.
    pub costs: Costs,
    /// The CPUs' clocks.
    pub frequency: Frequency,
}

/// By what the CPU count scales the tunables: 1 + ⌊log2(min(cpus, 8))⌋ (R2.1.1).
#[must_use]
pub fn tunable_factor(cpus: usize) -> u64 {
    u64::from(1 + cpus.clamp(1, 8).ilog2())
}

impl Kernel {
    /// Takes the wakeup placement of another preset, with the features that belong to it.
    pub fn take_placement(&mut self, of: Preset) {
        self.place = of.place();
        self.features = self.features.with_placement_of(of.place().features());
    }

    /// TICK_NSEC: the length of a tick, rounded as the kernel rounds it (spec 0.2).
    #[must_use]
    pub fn tick(&self) -> Span {
        let hz = u64::from(self.hz);
        Span((1_000_000_000 + hz / 2) / hz)
    }
}
