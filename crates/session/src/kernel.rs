//! The kernel of a run as the interface shows it: features with their defaults and a line on each.

use schedscope_sim::kernel::{FairGeneration, Feature, Kernel, LatencyNiceRule, Preset};

use crate::update::{FeatureView, KernelView};

/// What people call a preset.
#[must_use]
pub fn preset_name(preset: Preset) -> &'static str {
    match preset {
        Preset::V6_6 => "Linux 6.6, EEVDF",
        Preset::V6_12 => "Linux 6.12, EEVDF",
        Preset::V6_6LatencyNice => "Linux 6.6, EEVDF, with the latency-nice proposal of 2023",
        Preset::V6_12LatencyNice => "Linux 6.12, EEVDF, with the latency-nice proposal of 2023",
    }
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
        Feature::SisUtil => "The search for an idle CPU is shorter the busier the LLC is.",
        Feature::WaIdle => {
            "Of the waker's CPU and the previous one, wake_affine takes an idle one."
        }
        Feature::WaWeight => "Otherwise wake_affine compares the loads of the two CPUs.",
        Feature::WaBias => "That comparison favours the waker's CPU by half the imbalance margin.",
        Feature::TtwuQueue => "A wakeup on a CPU of another LLC is handed over by an IPI.",
    }
}

/// Whether the kernel has the feature at all.
#[must_use]
pub fn has(kernel: &Kernel, feature: Feature) -> bool {
    match feature {
        Feature::PlaceRelDeadline
        | Feature::PreemptShort
        | Feature::DelayDequeue
        | Feature::DelayZero => kernel.fair >= FairGeneration::Eevdf6_12,
        _ => true,
    }
}

/// Whether a task's own slice has an effect (R4.C.2).
#[must_use]
pub fn custom_slice(kernel: &Kernel) -> bool {
    kernel.fair >= FairGeneration::Eevdf6_12
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
        (LatencyNiceRule::RequestSize, _) => {
            "A proposal of 2023, never mainline: the request is base slice × 1024 ÷ \
             weight[latency-nice], so −20 asks for the shortest turns and 19 for the longest. It does \
             not change the share."
        }
    }
}

/// The kernel as it is shown; `preset` is where it started from, on a machine of `cpus` CPUs.
#[must_use]
pub fn view(kernel: &Kernel, preset: Preset, cpus: usize) -> KernelView {
    let default = preset.kernel(cpus);
    KernelView {
        preset: preset.name().to_owned(),
        name: preset_name(preset).to_owned(),
        features: Feature::ALL
            .into_iter()
            .map(|feature| FeatureView {
                name: feature.name().to_owned(),
                on: kernel.features.has(feature),
                default: default.features.has(feature),
                exists: has(kernel, feature),
                about: about(feature).to_owned(),
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
            let view = view(&kernel, preset, 16);
            for feature in &view.features {
                assert_eq!(feature.on, feature.default, "{}", feature.name);
                assert!(feature.exists || !feature.on, "{} is on but not there", feature.name);
                assert!(feature.about.ends_with('.'));
            }
        }
    }
}
