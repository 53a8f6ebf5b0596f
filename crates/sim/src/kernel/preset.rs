//! The kernels that can be chosen by name: tables of choices.

use super::{
    CfsTunables, Costs, FairGeneration, Feature, Features, Frequency, Kernel, LatencyNiceRule,
    PlaceGeneration, tunable_factor,
};
use crate::units::Span;

/// The kernels that can be chosen by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Preset {
    /// Linux 2.6.36 (2010).
    V2_6_36,
    /// 2.6.36 with START_NICE instead of START_DEBIT: a proposal, reconstructed (R2.13).
    V2_6_36StartNice,
    /// Linux 4.7 (2016). The fair class is that of 6.1, without what came in 5.14.
    V4_7,
    /// Linux 4.15 (2018). Likewise.
    V4_15,
    /// Linux 4.19 (2018). Likewise.
    V4_19,
    /// Linux 5.15 (2021). The fair class is that of 6.1.
    V5_15,
    /// Linux 6.1 (2022), the last long-lived CFS.
    V6_1,
    /// 6.1 with latency-nice as proposed in October 2022, version 7 (spec 3.2).
    V6_1LatencyNice,
    /// EEVDF as first proposed, 6 March 2023 (spec 4A.1).
    Eevdf2023_03,
    /// EEVDF as proposed for the second time, 28 March 2023 (spec 4A.2).
    Eevdf2023_03v2,
    /// Mainline 6.6 (2023).
    V6_6,
    /// Mainline 6.6 with the 2023 proposal's latency-nice → request size.
    V6_6LatencyNice,
    /// Mainline 6.8 (2024). Placement of 6.12, which has the cluster pass too.
    V6_8,
    /// Mainline 6.11 (2024). Likewise.
    V6_11,
    /// Mainline 6.12 (2024).
    V6_12,
    /// Mainline 6.12 with the 2023 proposal's latency-nice → request size.
    V6_12LatencyNice,
    /// Mainline 6.17 (2025). Placement of 6.12.
    V6_17,
}

/// What every CFS here has.
const CFS: Features = Features::of(&[
    Feature::StartDebit,
    Feature::GentleFairSleepers,
    Feature::LastBuddy,
    Feature::WakeupPreemption,
]);
/// What CFS has from 5.14 on.
const CFS_5_14: Features = CFS.plus(Features::of(&[Feature::AltPeriod, Feature::BaseSlice]));
const EEVDF_2023_03: Features =
    Features::of(&[Feature::GentleFairSleepers, Feature::PreserveLag, Feature::WakeupPreemption]);
const EEVDF_2023_03_V2: Features = Features::of(&[
    Feature::PlaceLag,
    Feature::PlaceDeadlineInitial,
    Feature::PlaceFudge,
    Feature::WakeupPreemption,
]);
const EEVDF_6_6: Features = Features::of(&[
    Feature::PlaceLag,
    Feature::PlaceDeadlineInitial,
    Feature::RunToParity,
    Feature::WakeupPreemption,
]);
const EEVDF_6_12: Features = EEVDF_6_6.plus(Features::of(&[
    Feature::PlaceRelDeadline,
    Feature::PreemptShort,
    Feature::DelayDequeue,
    Feature::DelayZero,
]));
const EEVDF_6_17: Features = EEVDF_6_12.plus(Features::of(&[Feature::PickBuddy]));

impl Preset {
    /// All presets, oldest first.
    pub const ALL: [Preset; 17] = [
        Preset::V2_6_36,
        Preset::V2_6_36StartNice,
        Preset::V4_7,
        Preset::V4_15,
        Preset::V4_19,
        Preset::V5_15,
        Preset::V6_1,
        Preset::V6_1LatencyNice,
        Preset::Eevdf2023_03,
        Preset::Eevdf2023_03v2,
        Preset::V6_6,
        Preset::V6_6LatencyNice,
        Preset::V6_8,
        Preset::V6_11,
        Preset::V6_12,
        Preset::V6_12LatencyNice,
        Preset::V6_17,
    ];

    /// The name used in scenario files and links; never renamed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Preset::V2_6_36 => "2.6.36",
            Preset::V2_6_36StartNice => "2.6.36+start-nice",
            Preset::V4_7 => "4.7",
            Preset::V4_15 => "4.15",
            Preset::V4_19 => "4.19",
            Preset::V5_15 => "5.15",
            Preset::V6_1 => "6.1",
            Preset::V6_1LatencyNice => "6.1+latency-nice",
            Preset::Eevdf2023_03 => "eevdf-2023-03",
            Preset::Eevdf2023_03v2 => "eevdf-2023-03-v2",
            Preset::V6_6 => "6.6",
            Preset::V6_6LatencyNice => "6.6+latency-nice",
            Preset::V6_8 => "6.8",
            Preset::V6_11 => "6.11",
            Preset::V6_12 => "6.12",
            Preset::V6_12LatencyNice => "6.12+latency-nice",
            Preset::V6_17 => "6.17",
        }
    }

    /// The preset of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Preset> {
        Preset::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// The fair algorithm.
    #[must_use]
    pub const fn fair(self) -> FairGeneration {
        match self {
            Preset::V2_6_36 | Preset::V2_6_36StartNice => FairGeneration::Cfs2_6_36,
            Preset::V4_7 | Preset::V4_15 | Preset::V4_19 | Preset::V5_15 | Preset::V6_1 => {
                FairGeneration::Cfs6_1
            }
            Preset::V6_1LatencyNice => FairGeneration::Cfs6_1LatencyNice,
            Preset::Eevdf2023_03 => FairGeneration::Eevdf2023_03,
            Preset::Eevdf2023_03v2 => FairGeneration::Eevdf2023_03v2,
            Preset::V6_6 | Preset::V6_6LatencyNice => FairGeneration::Eevdf6_6,
            Preset::V6_8 => FairGeneration::Eevdf6_8,
            Preset::V6_11 => FairGeneration::Eevdf6_11,
            Preset::V6_12 | Preset::V6_12LatencyNice => FairGeneration::Eevdf6_12,
            Preset::V6_17 => FairGeneration::Eevdf6_17,
        }
    }

    /// The wakeup placement: the kernel's own, or the nearest that is modelled.
    #[must_use]
    pub const fn place(self) -> PlaceGeneration {
        match self {
            Preset::V2_6_36 | Preset::V2_6_36StartNice => PlaceGeneration::V2_6_36,
            Preset::V4_7 => PlaceGeneration::V4_7,
            Preset::V4_15 => PlaceGeneration::V4_15,
            Preset::V4_19 => PlaceGeneration::V4_19,
            Preset::V5_15 => PlaceGeneration::V5_15,
            Preset::V6_1
            | Preset::V6_1LatencyNice
            | Preset::Eevdf2023_03
            | Preset::Eevdf2023_03v2 => PlaceGeneration::V6_1,
            Preset::V6_6 | Preset::V6_6LatencyNice => PlaceGeneration::V6_6,
            Preset::V6_8
            | Preset::V6_11
            | Preset::V6_12
            | Preset::V6_12LatencyNice
            | Preset::V6_17 => PlaceGeneration::V6_12,
        }
    }

    /// What latency-nice means there.
    #[must_use]
    pub const fn latency_nice(self) -> LatencyNiceRule {
        match self {
            Preset::V6_1LatencyNice => LatencyNiceRule::Offset,
            Preset::Eevdf2023_03
            | Preset::Eevdf2023_03v2
            | Preset::V6_6LatencyNice
            | Preset::V6_12LatencyNice => LatencyNiceRule::RequestSize,
            _ => LatencyNiceRule::Absent,
        }
    }

    /// The features that are on by default (spec appendix B).
    #[must_use]
    pub const fn features(self) -> Features {
        let fair = match self {
            Preset::V2_6_36 | Preset::V4_7 | Preset::V4_15 | Preset::V4_19 => CFS,
            // START_NICE takes START_DEBIT's place (R2.13.1).
            Preset::V2_6_36StartNice => {
                CFS.with(Feature::StartDebit, false).with(Feature::StartNice, true)
            }
            Preset::V5_15 | Preset::V6_1 | Preset::V6_1LatencyNice => CFS_5_14,
            Preset::Eevdf2023_03 => EEVDF_2023_03,
            Preset::Eevdf2023_03v2 => EEVDF_2023_03_V2,
            Preset::V6_6 | Preset::V6_6LatencyNice | Preset::V6_8 | Preset::V6_11 => EEVDF_6_6,
            Preset::V6_12 | Preset::V6_12LatencyNice => EEVDF_6_12,
            Preset::V6_17 => EEVDF_6_17,
        };
        let queues_wakeups = !matches!(self, Preset::V2_6_36 | Preset::V2_6_36StartNice);
        fair.plus(self.place().features()).with(Feature::TtwuQueue, queues_wakeups)
    }

    /// The kernel, tuned for a machine of `cpus` CPUs.
    #[must_use]
    pub fn kernel(self, cpus: usize) -> Kernel {
        // R4.B.1, ch. 4C.2. In the proposals of 2023 the minimum granularity takes its place.
        let base_slice = if self == Preset::V6_17 { 700_000 } else { 750_000 };
        Kernel {
            fair: self.fair(),
            place: self.place(),
            features: self.features(),
            base_slice: Span(base_slice * tunable_factor(cpus)),
            cfs: CfsTunables::defaults(cpus),
            hz: 1000,
            group_sched: true,
            latency_nice: self.latency_nice(),
            costs: Costs::default(),
            frequency: Frequency::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for preset in Preset::ALL {
            assert_eq!(Preset::from_name(preset.name()), Some(preset));
        }
    }

    #[test]
    fn no_feature_is_on_where_it_does_not_exist() {
        for preset in Preset::ALL {
            let kernel = preset.kernel(8);
            for feature in Feature::ALL {
                let (on, exists) = (kernel.features.has(feature), feature.exists_in(&kernel));
                assert!(exists || !on, "{} has no {}", preset.name(), feature.name());
            }
        }
    }

    /// The rows of appendix B for the fair class.
    #[test]
    fn defaults_are_those_of_the_matrix() {
        let has = |preset: Preset, feature| preset.features().has(feature);
        for preset in [Preset::V2_6_36, Preset::V4_15, Preset::V5_15, Preset::V6_1] {
            assert!(has(preset, Feature::StartDebit) && has(preset, Feature::LastBuddy));
            assert!(has(preset, Feature::GentleFairSleepers) && !has(preset, Feature::NextBuddy));
            assert_eq!(has(preset, Feature::BaseSlice), preset >= Preset::V5_15);
        }
        for preset in Preset::ALL {
            assert!(has(preset, Feature::WakeupPreemption));
            assert_eq!(has(preset, Feature::RunToParity), preset >= Preset::V6_6);
            assert_eq!(has(preset, Feature::DelayDequeue), preset >= Preset::V6_12);
        }
        assert_eq!(Preset::V6_17.kernel(8).base_slice, Span(2_800_000));
        assert_eq!(Preset::V6_12.kernel(4).base_slice, Span(2_250_000));
    }
}
