//! A kernel is a set of choices: the fair algorithm, the wakeup placement, their features and
//! tunables are separate axes. Presets are tables of such choices.

use crate::units::Span;

/// The fair algorithm, in a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FairGeneration {
    /// Linux 2.6.36: CFS with next and last buddies (spec ch. 2).
    Cfs2_6_36,
    /// Linux 6.1: the last years of CFS (ch. 3.1).
    Cfs6_1,
    /// Linux 6.6: EEVDF, tree sorted by vruntime with `min_deadline` (spec ch. 4B).
    Eevdf6_6,
    /// Linux 6.12: EEVDF with delayed dequeue, short-slice preemption, custom slices (ch. 4C.1).
    Eevdf6_12,
}

/// `select_task_rq_fair()` and below, in a generation (spec ch. 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlaceGeneration {
    /// Linux 2.6.36: pulls by load alone; an idle search only for affine wakeups (5.1.1).
    V2_6_36,
    /// Linux 4.7: before the rewrite of September 2016; searches groups of domains (R5.4.1).
    V4_7,
    /// Linux 4.15: WA_IDLE, idle-core scan, SIS_PROP.
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

/// One of the kernel's `sched_features` that this model honours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "named as in the kernel's features.h; described in `describe`")]
pub enum Feature {
    PlaceLag,
    PlaceDeadlineInitial,
    PlaceRelDeadline,
    RunToParity,
    PreemptShort,
    DelayDequeue,
    DelayZero,
    NextBuddy,
    WakeupPreemption,
    SisUtil,
    WaIdle,
    WaWeight,
    WaBias,
    TtwuQueue,
}

impl Feature {
    /// All features, in the order in which they are shown.
    pub const ALL: [Feature; 14] = [
        Feature::PlaceLag,
        Feature::PlaceDeadlineInitial,
        Feature::PlaceRelDeadline,
        Feature::RunToParity,
        Feature::PreemptShort,
        Feature::DelayDequeue,
        Feature::DelayZero,
        Feature::NextBuddy,
        Feature::WakeupPreemption,
        Feature::SisUtil,
        Feature::WaIdle,
        Feature::WaWeight,
        Feature::WaBias,
        Feature::TtwuQueue,
    ];

    /// The name in the kernel's `features.h`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Feature::PlaceLag => "PLACE_LAG",
            Feature::PlaceDeadlineInitial => "PLACE_DEADLINE_INITIAL",
            Feature::PlaceRelDeadline => "PLACE_REL_DEADLINE",
            Feature::RunToParity => "RUN_TO_PARITY",
            Feature::PreemptShort => "PREEMPT_SHORT",
            Feature::DelayDequeue => "DELAY_DEQUEUE",
            Feature::DelayZero => "DELAY_ZERO",
            Feature::NextBuddy => "NEXT_BUDDY",
            Feature::WakeupPreemption => "WAKEUP_PREEMPTION",
            Feature::SisUtil => "SIS_UTIL",
            Feature::WaIdle => "WA_IDLE",
            Feature::WaWeight => "WA_WEIGHT",
            Feature::WaBias => "WA_BIAS",
            Feature::TtwuQueue => "TTWU_QUEUE",
        }
    }

    /// The feature of that kernel name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Feature> {
        Feature::ALL.into_iter().find(|feature| feature.name() == name)
    }
}

/// A set of [`Feature`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Features(u32);

impl Features {
    /// The features of the list.
    #[must_use]
    pub const fn of(list: &[Feature]) -> Features {
        let (mut bits, mut i) = (0, 0);
        while i < list.len() {
            bits |= 1 << list[i] as u8;
            i += 1;
        }
        Features(bits)
    }

    /// Whether the feature is on.
    #[must_use]
    pub const fn has(self, feature: Feature) -> bool {
        self.0 >> feature as u8 & 1 == 1
    }

    /// The same set with one feature on or off.
    #[must_use]
    pub const fn with(self, feature: Feature, on: bool) -> Features {
        let bit = 1 << feature as u8;
        Features(if on { self.0 | bit } else { self.0 & !bit })
    }
}

/// What the user's latency-nice means in this kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LatencyNiceRule {
    /// Mainline: there is no latency-nice; the value is kept and has no effect.
    Absent,
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

/// What only CFS reads: its sysctls and its `sched_features`. Lengths are ns, after scaling by CPU
/// count (R2.1.1).
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
    /// GENTLE_FAIR_SLEEPERS: a sleeper's credit is half the latency.
    pub gentle_fair_sleepers: bool,
    /// START_DEBIT: a new task starts one slice behind.
    pub start_debit: bool,
    /// LAST_BUDDY: prefer to go back to whom a wakeup preempted.
    pub last_buddy: bool,
    /// BASE_SLICE: no slice is shorter than `min_granularity`; 6.1 only.
    pub base_slice: bool,
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
            gentle_fair_sleepers: true,
            start_debit: true,
            last_buddy: true,
            base_slice: true,
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
}

impl Default for Frequency {
    fn default() -> Frequency {
        Frequency { governor: Governor::Performance, min_khz: 800_000, max_khz: 3_500_000 }
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

/// The kernels that can be chosen by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Preset {
    /// Mainline 6.6.
    V6_6,
    /// Mainline 6.12.
    V6_12,
    /// Mainline 6.6 with the 2023 proposal's latency-nice → request size.
    V6_6LatencyNice,
    /// Mainline 6.12 with the 2023 proposal's latency-nice → request size.
    V6_12LatencyNice,
}

impl Preset {
    /// All presets, oldest first.
    pub const ALL: [Preset; 4] =
        [Preset::V6_6, Preset::V6_6LatencyNice, Preset::V6_12, Preset::V6_12LatencyNice];

    /// The name used in scenario files and links; never renamed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Preset::V6_6 => "6.6",
            Preset::V6_12 => "6.12",
            Preset::V6_6LatencyNice => "6.6+latency-nice",
            Preset::V6_12LatencyNice => "6.12+latency-nice",
        }
    }

    /// The preset of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Preset> {
        Preset::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// The kernel, tuned for a machine of `cpus` CPUs.
    #[must_use]
    pub fn kernel(self, cpus: usize) -> Kernel {
        use Feature::*;
        let common = [
            PlaceLag,
            PlaceDeadlineInitial,
            RunToParity,
            WakeupPreemption,
            SisUtil,
            WaIdle,
            WaWeight,
            WaBias,
            TtwuQueue,
        ];
        let mut features = Features::of(&common);
        let (fair, place) = match self {
            Preset::V6_6 | Preset::V6_6LatencyNice => {
                (FairGeneration::Eevdf6_6, PlaceGeneration::V6_6)
            }
            Preset::V6_12 | Preset::V6_12LatencyNice => {
                for feature in [PlaceRelDeadline, PreemptShort, DelayDequeue, DelayZero] {
                    features = features.with(feature, true);
                }
                (FairGeneration::Eevdf6_12, PlaceGeneration::V6_12)
            }
        };
        let latency_nice = match self {
            Preset::V6_6 | Preset::V6_12 => LatencyNiceRule::Absent,
            Preset::V6_6LatencyNice | Preset::V6_12LatencyNice => LatencyNiceRule::RequestSize,
        };
        Kernel {
            fair,
            place,
            features,
            base_slice: Span(750_000 * tunable_factor(cpus)),
            cfs: CfsTunables::defaults(cpus),
            hz: 1000,
            group_sched: true,
            latency_nice,
            costs: Costs::default(),
            frequency: Frequency::default(),
        }
    }
}

/// By what the CPU count scales the tunables: 1 + ⌊log2(min(cpus, 8))⌋ (R2.1.1).
#[must_use]
pub fn tunable_factor(cpus: usize) -> u64 {
    u64::from(1 + cpus.clamp(1, 8).ilog2())
}

impl Kernel {
    /// TICK_NSEC: the length of a tick, rounded as the kernel rounds it (spec 0.2).
    #[must_use]
    pub fn tick(&self) -> Span {
        let hz = u64::from(self.hz);
        Span((1_000_000_000 + hz / 2) / hz)
    }
}
