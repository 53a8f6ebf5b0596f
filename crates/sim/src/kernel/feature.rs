//! The `sched_features` that this model honours, and which kernel has which.

use super::{FairGeneration, Kernel, PlaceGeneration};

/// One of the kernel's `sched_features` that this model honours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Feature {
    /// EEVDF: a task keeps its lag over a sleep (R4.B.6).
    PlaceLag,
    /// EEVDF: the first request of a new task is half a request (R4.B.6, R4.C.3).
    PlaceDeadlineInitial,
    /// 6.12: what is left of a request is carried along when a runnable task moves (R4.C.4).
    PlaceRelDeadline,
    /// EEVDF from 6.6: a picked task is protected while it is eligible, up to the deadline it was
    /// picked with (R4.B.11).
    RunToParity,
    /// 6.12: a shorter request may end that protection (R4.C.11).
    PreemptShort,
    /// 6.12: who sleeps without being eligible stays queued (R4.C.5).
    DelayDequeue,
    /// 6.12: what a delayed task gains meanwhile is cut to zero (R4.C.7).
    DelayZero,
    /// Prefer who was just woken (R2.8.2, R4.B.14).
    NextBuddy,
    /// 6.13 and later: a pick honours the next buddy, whoever set it (ch. 4C.2).
    PickBuddy,
    /// Woken tasks may preempt. `WAKEUP_PREEMPT` in 2.6.36.
    WakeupPreemption,
    /// CFS: a new task starts one slice behind (R2.6.2).
    StartDebit,
    /// Proposal of 2010, reconstructed: instead, time counts double after a fork (R2.13).
    StartNice,
    /// CFS: a sleeper's credit is half the latency, not all of it (R2.6.3).
    GentleFairSleepers,
    /// CFS: prefer to go back to whom a wakeup preempted (R2.8.8).
    LastBuddy,
    /// CFS from 5.14: the period grows with the tasks of the whole CPU, not of one group (R3.1.2).
    AltPeriod,
    /// CFS from 5.14: no slice is shorter than the minimum granularity (R3.1.3).
    BaseSlice,
    /// First EEVDF proposal: sleepers get credit, as in CFS (R4.A.4).
    FairSleepers,
    /// First EEVDF proposal: a task keeps its lag over a sleep (R4.A.5).
    PreserveLag,
    /// Second EEVDF proposal: who asks for less than the average is forgiven debt of up to one
    /// request when placed (R4.A.25).
    PlaceFudge,
    /// Second EEVDF proposal: half a request of credit to who wakes (R4.A.26).
    PlaceBonus,
    /// Second EEVDF proposal: `min_vruntime` follows V (R4.A.27).
    MinimalVa,
    /// The search for an idle CPU is limited by the LLC's utilisation (R5.5).
    SisUtil,
    /// `wake_affine()` looks for an idle CPU (R5.3.2).
    WaIdle,
    /// `wake_affine()` compares loads (R5.3.2).
    WaWeight,
    /// With a bias towards the waker's CPU (R5.3.2).
    WaBias,
    /// Remote wakeups go through a wake list and an IPI (R0.6.6).
    TtwuQueue,
    /// Rule of 4.16: a task remembers the CPU it used before, and the idle search tries it (5.4.3).
    RecentUsedCpu,
    /// Rule of 4.16: WA_IDLE counts the waker's CPU as idle only if the previous one shares its
    /// cache, so that an interrupt on an idle CPU drags nobody to another LLC (R5.3.2).
    WaIdleSharedCache,
    /// Rule of 4.16: `wake_affine()` returns a CPU, so that of two idle ones it can be the previous
    /// (R5.3.2).
    WaIdlePrev,
    /// Rule of 4.19: equal loads do not pull, but for a synchronous wakeup (R5.3.2).
    WaWeightStrict,
    /// Rule of 4.19: on a NUMA level a fork stays in its group unless another has clearly less load
    /// (table after R5.6.3).
    ForkLocalNode,
}

/// What a feature is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FeaturePart {
    /// The fair class; a `sched_features` switch of some kernel or proposal.
    Fair,
    /// The path of a wakeup, likewise.
    Wakeup,
    /// Placement between 4.15 and 4.19: single changes of that time, which no kernel has a switch
    /// for. All off is 4.15, all on is 4.19.
    Series4_16,
}

impl Feature {
    /// All features, in the order in which they are shown.
    pub const ALL: [Feature; 31] = [
        Feature::PlaceLag,
        Feature::PlaceDeadlineInitial,
        Feature::PlaceRelDeadline,
        Feature::RunToParity,
        Feature::PreemptShort,
        Feature::DelayDequeue,
        Feature::DelayZero,
        Feature::StartDebit,
        Feature::StartNice,
        Feature::GentleFairSleepers,
        Feature::LastBuddy,
        Feature::AltPeriod,
        Feature::BaseSlice,
        Feature::FairSleepers,
        Feature::PreserveLag,
        Feature::PlaceFudge,
        Feature::PlaceBonus,
        Feature::MinimalVa,
        Feature::NextBuddy,
        Feature::PickBuddy,
        Feature::WakeupPreemption,
        Feature::SisUtil,
        Feature::WaIdle,
        Feature::WaWeight,
        Feature::WaBias,
        Feature::TtwuQueue,
        Feature::WaIdleSharedCache,
        Feature::WaIdlePrev,
        Feature::RecentUsedCpu,
        Feature::WaWeightStrict,
        Feature::ForkLocalNode,
    ];

    /// The name in the kernel's `features.h`, or one like it where the kernel has no switch; used
    /// in links and scenarios, never renamed.
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
            Feature::PickBuddy => "PICK_BUDDY",
            Feature::WakeupPreemption => "WAKEUP_PREEMPTION",
            Feature::StartDebit => "START_DEBIT",
            Feature::StartNice => "START_NICE",
            Feature::GentleFairSleepers => "GENTLE_FAIR_SLEEPERS",
            Feature::LastBuddy => "LAST_BUDDY",
            Feature::AltPeriod => "ALT_PERIOD",
            Feature::BaseSlice => "BASE_SLICE",
            Feature::FairSleepers => "FAIR_SLEEPERS",
            Feature::PreserveLag => "PRESERVE_LAG",
            Feature::PlaceFudge => "PLACE_FUDGE",
            Feature::PlaceBonus => "PLACE_BONUS",
            Feature::MinimalVa => "MINIMAL_VA",
            Feature::SisUtil => "SIS_UTIL",
            Feature::WaIdle => "WA_IDLE",
            Feature::WaWeight => "WA_WEIGHT",
            Feature::WaBias => "WA_BIAS",
            Feature::TtwuQueue => "TTWU_QUEUE",
            Feature::RecentUsedCpu => "RECENT_USED_CPU",
            Feature::WaIdleSharedCache => "WA_IDLE_SHARED_CACHE",
            Feature::WaIdlePrev => "WA_IDLE_PREV",
            Feature::WaWeightStrict => "WA_WEIGHT_STRICT",
            Feature::ForkLocalNode => "FORK_LOCAL_NODE",
        }
    }

    /// What it is part of.
    #[must_use]
    pub const fn part(self) -> FeaturePart {
        match self {
            Feature::SisUtil
            | Feature::WaIdle
            | Feature::WaWeight
            | Feature::WaBias
            | Feature::TtwuQueue => FeaturePart::Wakeup,
            Feature::RecentUsedCpu
            | Feature::WaIdleSharedCache
            | Feature::WaIdlePrev
            | Feature::WaWeightStrict
            | Feature::ForkLocalNode => FeaturePart::Series4_16,
            _ => FeaturePart::Fair,
        }
    }

    /// The feature of that kernel name; the name that 2.6.36 has for one counts too.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Feature> {
        let name = if name == "WAKEUP_PREEMPT" { "WAKEUP_PREEMPTION" } else { name };
        Feature::ALL.into_iter().find(|feature| feature.name() == name)
    }

    /// Whether the kernel has the feature, and it has an effect there (spec appendix B).
    #[must_use]
    pub fn exists_in(self, kernel: &Kernel) -> bool {
        use FairGeneration::{
            Cfs2_6_36, Eevdf6_6, Eevdf6_12, Eevdf6_17, Eevdf2023_03, Eevdf2023_03v2,
        };
        let (fair, place) = (kernel.fair, kernel.place);
        match self {
            Feature::PlaceLag | Feature::PlaceDeadlineInitial => fair >= Eevdf2023_03v2,
            Feature::RunToParity => fair >= Eevdf6_6,
            Feature::PlaceRelDeadline
            | Feature::PreemptShort
            | Feature::DelayDequeue
            | Feature::DelayZero => fair >= Eevdf6_12,
            Feature::NextBuddy => fair != Eevdf2023_03,
            Feature::PickBuddy => fair >= Eevdf6_17,
            Feature::WakeupPreemption => true,
            Feature::StartDebit | Feature::StartNice | Feature::LastBuddy => fair.is_cfs(),
            Feature::GentleFairSleepers => fair.is_cfs() || fair == Eevdf2023_03,
            // Of 5.14; the fair class of kernels before that is modelled as that of 6.1.
            Feature::AltPeriod | Feature::BaseSlice => {
                fair.is_cfs() && fair != Cfs2_6_36 && place >= PlaceGeneration::V5_15
            }
            Feature::FairSleepers | Feature::PreserveLag => fair == Eevdf2023_03,
            Feature::PlaceFudge | Feature::PlaceBonus | Feature::MinimalVa => {
                fair == Eevdf2023_03v2
            }
            Feature::SisUtil => place >= PlaceGeneration::V6_1,
            Feature::WaIdle | Feature::WaWeight | Feature::WaBias => {
                place >= PlaceGeneration::V4_15
            }
            Feature::TtwuQueue => fair != Cfs2_6_36,
            // What came later has them for good.
            Feature::RecentUsedCpu
            | Feature::WaIdleSharedCache
            | Feature::WaIdlePrev
            | Feature::WaWeightStrict
            | Feature::ForkLocalNode => {
                matches!(place, PlaceGeneration::V4_15 | PlaceGeneration::V4_19)
            }
        }
    }
}

/// A set of [`Feature`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Features(u64);

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

    /// What 4.16 to 4.19 changed in placement ([`FeaturePart::Series4_16`]).
    pub const SERIES_4_16: Features = Features::of(&[
        Feature::WaIdleSharedCache,
        Feature::WaIdlePrev,
        Feature::RecentUsedCpu,
        Feature::WaWeightStrict,
        Feature::ForkLocalNode,
    ]);
    /// What belongs to placement, which goes with a choice of its own.
    pub const PLACEMENT: Features =
        Features::of(&[Feature::SisUtil, Feature::WaIdle, Feature::WaWeight, Feature::WaBias])
            .plus(Features::SERIES_4_16);

    /// This set, with what belongs to placement as in `other`.
    #[must_use]
    pub const fn with_placement_of(self, other: Features) -> Features {
        Features(self.0 & !Self::PLACEMENT.0 | other.0 & Self::PLACEMENT.0)
    }

    /// The features that are in either set.
    #[must_use]
    pub const fn plus(self, other: Features) -> Features {
        Features(self.0 | other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_is_listed_once_and_found_by_name() {
        let mut all = Features::default();
        for feature in Feature::ALL {
            assert!(!all.has(feature), "{} is listed twice", feature.name());
            all = all.with(feature, true);
            assert_eq!(Feature::from_name(feature.name()), Some(feature));
        }
        assert_eq!(Feature::from_name("WAKEUP_PREEMPT"), Some(Feature::WakeupPreemption));
        assert_eq!(Feature::from_name("HRTICK"), None);
    }
}
