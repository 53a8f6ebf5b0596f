//! The kernels in words: what people call each preset, its era, and what it changed.

use schedscope_sim::kernel::Preset;

/// A stretch of the scheduler's history, by which kernels are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Era {
    /// CFS, 2007 to 2023.
    Cfs,
    /// What was proposed between the two, and on top of them.
    Proposals,
    /// EEVDF, from 2023 on.
    Eevdf,
}

impl Era {
    /// All eras, in the order in which they are shown.
    pub const ALL: [Era; 3] = [Era::Cfs, Era::Proposals, Era::Eevdf];

    /// What it is called.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Era::Cfs => "CFS, 2007–2023",
            Era::Proposals => "Proposals",
            Era::Eevdf => "EEVDF, since 2023",
        }
    }
}

/// What a preset is, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelWords {
    /// What people call it.
    pub title: &'static str,
    /// Its era.
    pub era: Era,
    /// When it was released or posted.
    pub date: &'static str,
    /// What it changed, in one line.
    pub about: &'static str,
    /// What of it is modelled by the rules of another kernel, or reconstructed; empty if nothing
    /// is.
    pub basis: &'static str,
}

/// The words for a preset.
#[must_use]
pub const fn words(preset: Preset) -> KernelWords {
    match preset {
        Preset::V2_6_36 => KernelWords {
            title: "Linux 2.6.36, CFS",
            era: Era::Cfs,
            date: "October 2010",
            about: "CFS with a minimum granularity of 0.75 ms, so that eight tasks share a period; new \
                    tasks start one slice behind (START_DEBIT).",
            basis: "",
        },
        Preset::V2_6_36StartNice => KernelWords {
            title: "Linux 2.6.36 with START_NICE",
            era: Era::Proposals,
            date: "September 2010",
            about: "In place of START_DEBIT, CPU time counts double for parent and child during the \
                    first slice after a fork.",
            basis: "A reconstruction: the text of the proposal is lost.",
        },
        Preset::V4_7 => KernelWords {
            title: "Linux 4.7, CFS",
            era: Era::Cfs,
            date: "July 2016",
            about: "Wakeup placement walks the groups of the LLC's domains for one that is wholly idle; \
                    wake_affine compares loads only.",
            basis: "Fair class as in 6.1, without the two features of 5.14.",
        },
        Preset::V4_15 => KernelWords {
            title: "Linux 4.15, CFS",
            era: Era::Cfs,
            date: "January 2018",
            about: "Wakeup placement looks for an idle core first; wake_affine weighs idle CPUs and \
                    load (WA_IDLE, WA_WEIGHT).",
            basis: "Fair class as in 6.1, without the two features of 5.14.",
        },
        Preset::V4_19 => KernelWords {
            title: "Linux 4.19, CFS",
            era: Era::Cfs,
            date: "October 2018",
            about: "A task remembers the CPU it last used; wake_affine crosses caches less often.",
            basis: "Fair class as in 6.1, without the two features of 5.14.",
        },
        Preset::V5_15 => KernelWords {
            title: "Linux 5.15, CFS",
            era: Era::Cfs,
            date: "October 2021",
            about: "One scan finds an idle core or an idle CPU, starting after the target; no slice is \
                    shorter than the minimum granularity (BASE_SLICE).",
            basis: "Fair class as in 6.1.",
        },
        Preset::V6_1 => KernelWords {
            title: "Linux 6.1, CFS",
            era: Era::Cfs,
            date: "December 2022",
            about: "The last long-lived CFS; the search for an idle CPU is limited by how busy the LLC \
                    is (SIS_UTIL).",
            basis: "",
        },
        Preset::V6_1LatencyNice => KernelWords {
            title: "Linux 6.1 with latency-nice, version 7",
            era: Era::Proposals,
            date: "October 2022",
            about: "Latency-nice shifts a task's vruntime where tasks are compared, and a second tree \
                    holds those who ask to be served soon.",
            basis: "By the rules of the posted patches; where they are silent, the model's own.",
        },
        Preset::Eevdf2023_03 => KernelWords {
            title: "EEVDF, first proposal",
            era: Era::Proposals,
            date: "6 March 2023",
            about: "Picks the earliest deadline among the eligible; latency-nice sets the request. Its \
                    search can miss the right task, and lag kept over a sleep is not inflated.",
            basis: "By the rules of the posted patches; where they are silent, the model's own. Wakeup \
                    placement is that of 6.1.",
        },
        Preset::Eevdf2023_03v2 => KernelWords {
            title: "EEVDF, second proposal",
            era: Era::Proposals,
            date: "28 March 2023",
            about: "EEVDF replaces CFS: lag is limited, and inflated when a task is placed; a new task \
                    starts with half a request. The search still has its flaw.",
            basis: "By the rules of the posted patches; where they are silent, the model's own. Wakeup \
                    placement is that of 6.1.",
        },
        Preset::V6_6 => KernelWords {
            title: "Linux 6.6, EEVDF",
            era: Era::Eevdf,
            date: "October 2023",
            about: "EEVDF replaces CFS: the earliest deadline among those who are owed time. A picked \
                    task is protected for its first request (RUN_TO_PARITY).",
            basis: "",
        },
        Preset::V6_6LatencyNice => KernelWords {
            title: "Linux 6.6, EEVDF, with the latency-nice proposal of 2023",
            era: Era::Proposals,
            date: "2023",
            about: "6.6 with latency-nice as the size of the request, as proposed in March and May \
                    2023.",
            basis: "The request sizes are those of the proposal; all else is 6.6.",
        },
        Preset::V6_8 => KernelWords {
            title: "Linux 6.8, EEVDF",
            era: Era::Eevdf,
            date: "March 2024",
            about: "The queue is sorted by deadline: the search is shorter, and a waiting task wins \
                    against the running one when their deadlines are equal.",
            basis: "Wakeup placement is that of 6.12.",
        },
        Preset::V6_11 => KernelWords {
            title: "Linux 6.11, EEVDF",
            era: Era::Eevdf,
            date: "September 2024",
            about: "The last EEVDF without delayed dequeue; for tasks it decides as 6.8 does.",
            basis: "Wakeup placement is that of 6.12.",
        },
        Preset::V6_12 => KernelWords {
            title: "Linux 6.12, EEVDF",
            era: Era::Eevdf,
            date: "November 2024",
            about: "A task may ask for its own slice; a shorter slice may cut the running one short; who \
                    sleeps in debt stays queued until it is paid (delayed dequeue).",
            basis: "",
        },
        Preset::V6_12LatencyNice => KernelWords {
            title: "Linux 6.12, EEVDF, with the latency-nice proposal of 2023",
            era: Era::Proposals,
            date: "2023 and 2024",
            about: "6.12 with latency-nice as the size of the request, as proposed in March and May \
                    2023.",
            basis: "The request sizes are those of the proposal; all else is 6.12.",
        },
        Preset::V6_17 => KernelWords {
            title: "Linux 6.17, EEVDF",
            era: Era::Eevdf,
            date: "September 2025",
            about: "Base slice 0.70 ms; a running task is protected for the shortest request that \
                    waits, not for its own.",
            basis: "By rules read from 6.17, without recordings to check them. Wakeup placement is \
                    that of 6.12.",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_has_its_words() {
        let mut titles = std::collections::BTreeSet::new();
        for preset in Preset::ALL {
            let words = words(preset);
            assert!(titles.insert(words.title), "{} is there twice", words.title);
            assert!(words.about.ends_with('.') && !words.about.contains("  "), "{}", words.title);
            assert!(words.basis.is_empty() || words.basis.ends_with('.'), "{}", words.title);
        }
    }
}
