//! The kernel of a run as the interface shows it: features with their defaults and a line on each.

use schedscope_scenario::document::KernelChoice;
use schedscope_scenario::kernels::words;
use schedscope_sim::kernel::{Feature, FeaturePart, Kernel, LatencyNiceRule, Preset};

use crate::update::{FeatureView, KernelView};

/// What people call a preset.
#[must_use]
pub fn preset_name(preset: Preset) -> &'static str {
    words(preset).title
}

/// What a feature does while it is on, in one line.
#[must_use]
pub fn about(feature: Feature) -> &'static str {
    match feature {
        Feature::PlaceLag => "A task keeps its lag over a sleep: it is placed at V minus its lag.",
        Feature::PlaceDeadlineInitial => "A new task gets half a slice as its first request.",
        Feature::PlaceRelDeadline => {
            "A task that is moved while runnable keeps what is left of its request."
        }
        Feature::RunToParity => "A picked task runs until it is not eligible or its slice is used.",
        Feature::PreemptShort => {
            "A woken task with a shorter slice and an earlier deadline may cut the running request \
             short."
        }
        Feature::DelayDequeue => {
            "A task that sleeps with negative lag stays queued until the lag is paid."
        }
        Feature::DelayZero => "Lag of a delayed task that turns positive is cut to zero.",
        Feature::NextBuddy => "A task that was just woken is preferred while it is eligible.",
        Feature::WakeupPreemption => "A woken task may preempt the running one.",
        Feature::PickBuddy => "A preferred (buddy) task is picked first while it is eligible.",
        Feature::StartDebit => "A new task starts one slice behind the others.",
        Feature::StartNice => {
            "Instead of START_DEBIT: for one slice after a fork, time counts double for parent and \
             child. A proposal of 2010, reconstructed."
        }
        Feature::GentleFairSleepers => {
            "A sleeper is placed half a latency period before the others, not a whole one."
        }
        Feature::LastBuddy => "Whom a wakeup preempted is preferred when the CPU is free again.",
        Feature::AltPeriod => {
            "The period grows with all tasks of the CPU, not with those of a group."
        }
        Feature::BaseSlice => "No slice is shorter than the minimum granularity.",
        Feature::FairSleepers => "A sleeper gets credit on top of its lag, as in CFS.",
        Feature::PreserveLag => "A task keeps its lag over a sleep, as it is.",
        Feature::PlaceFudge => {
            "Who asks for less than the average and owes little is placed without debt."
        }
        Feature::PlaceBonus => {
            "Who wakes is placed half a request earlier, but no earlier than it was."
        }
        Feature::MinimalVa => "min_vruntime follows V instead of the smallest vruntime.",
        Feature::SisUtil => "The search for an idle CPU is shorter the busier the LLC is.",
        Feature::WaIdle => {
            "Of the waker's CPU and the previous one, wake_affine takes an idle one."
        }
        Feature::WaWeight => "Otherwise wake_affine compares the loads of the two CPUs.",
        Feature::WaBias => "That comparison favours the waker's CPU by half the imbalance margin.",
        Feature::TtwuQueue => "A wakeup on a CPU of another LLC is handed over by an IPI.",
        Feature::RecentUsedCpu => {
            "4.16: a task remembers the CPU it used before, and the idle search tries it before it \
             scans."
        }
        Feature::WaIdleSharedCache => {
            "4.16: an idle waker's CPU pulls only what shares its LLC, so an interrupt drags no task \
             to another cache."
        }
        Feature::WaIdlePrev => {
            "4.16: wake_affine returns a CPU; if the waker's CPU and the previous one are both idle, \
             it is the previous one."
        }
        Feature::WaWeightStrict => {
            "4.19: equal loads no longer pull, but for a synchronous wakeup."
        }
        Feature::ForkLocalNode => {
            "4.19: a fork stays in its node unless another has clearly less load."
        }
    }
}

/// Whether the kernel has the feature at all.
#[must_use]
pub fn has(kernel: &Kernel, feature: Feature) -> bool {
    feature.exists_in(kernel)
}

/// Whether a task's own slice has an effect (R4.C.2).
#[must_use]
pub fn custom_slice(kernel: &Kernel) -> bool {
    kernel.fair.has_custom_slices()
}

/// What latency-nice does, in a sentence.
#[must_use]
pub fn latency_nice(kernel: &Kernel) -> &'static str {
    match (kernel.latency_nice, custom_slice(kernel)) {
        (LatencyNiceRule::Absent, true) => {
            "Mainline has no latency-nice: the value is kept and has no effect. In this kernel a task \
             asks for shorter turns by its own slice."
        }
        (LatencyNiceRule::Absent, false) => {
            "Mainline has no latency-nice: the value is kept and has no effect."
        }
        (LatencyNiceRule::Offset, _) => {
            "A proposal of 2022, never mainline: an offset of vruntime where tasks are compared, so a \
             negative one preempts sooner and is picked first after a wakeup. It does not change the \
             share."
        }
        (LatencyNiceRule::RequestSize, _) => {
            "A proposal of 2023, never mainline: the request is base slice × 1024 ÷ \
             weight[latency-nice], so −20 asks for the shortest turns and 19 for the longest. It does \
             not change the share."
        }
    }
}

/// The kernel as it is shown; `choice` is what it was made of.
#[must_use]
pub fn view(kernel: &Kernel, choice: &KernelChoice) -> KernelView {
    let preset = Preset::from_name(&choice.preset).unwrap_or(Preset::V6_12);
    let default = choice.default_features().unwrap_or(kernel.features);
    KernelView {
        preset: preset.name().to_owned(),
        name: preset_name(preset).to_owned(),
        placement: choice.placement.clone(),
        features: Feature::ALL
            .into_iter()
            .map(|feature| FeatureView {
                name: feature.name().to_owned(),
                on: kernel.features.has(feature),
                default: default.has(feature),
                exists: has(kernel, feature),
                about: about(feature).to_owned(),
                part: match feature.part() {
                    FeaturePart::Fair => "Fair class",
                    FeaturePart::Wakeup => "Wakeups",
                    FeaturePart::Series4_16 => "Placement, 4.16 to 4.19, change by change",
                }
                .to_owned(),
            })
            .collect(),
        base_slice: kernel.base_slice.0,
        hz: kernel.hz,
        latency_nice: latency_nice(kernel).to_owned(),
        custom_slice: custom_slice(kernel),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_the_presets() {
        for preset in Preset::ALL {
            let kernel = preset.kernel(16);
            let mut choice =
                KernelChoice { preset: preset.name().to_owned(), ..KernelChoice::default() };
            choice.set_placement(Some("4.19"));
            let mut elsewhere = kernel.clone();
            elsewhere.take_placement(Preset::V4_19);
            let other = super::view(&elsewhere, &choice);
            assert!(other.features.iter().all(|feature| feature.on == feature.default));
            choice.set_placement(None);
            let view = view(&kernel, &choice);
            for feature in &view.features {
                assert_eq!(feature.on, feature.default, "{}", feature.name);
                assert!(feature.exists || !feature.on, "{} is on but not there", feature.name);
                assert!(feature.about.ends_with('.'));
            }
        }
    }
}
