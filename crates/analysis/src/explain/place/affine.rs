//! Whether the waker's CPU may pull the task, and which of the two becomes the target
//! (`wake_affine()`).

use schedscope_sim::kernel::PlaceGeneration;
use schedscope_sim::place::{Opinion, ProbeAt, Side};

use super::super::{Check, Mark};
use super::Tale;
use crate::words;

impl Tale<'_> {
    /// wake_wide, affinity and the common domain: is pulling to the waker considered?
    pub(super) fn pull(&self) -> Check {
        let placement = &self.figures.placement;
        let (this, prev) = (self.facts.this_cpu, self.facts.prev_cpu);
        let wakee = self.wakee();
        let factor = self.domains().llc_size(this);
        let (waker_flips, wakee_flips) = (placement.effects.waker_flips, self.figures.wakee.flips);
        let (result, sentence) = if placement.wide == Some(true) {
            (
                "no: one wakes many".to_owned(),
                format!(
                    "The waker has switched wakees {waker_flips} times and {wakee} {wakee_flips} \
                     times: from {factor} and {factor} times that on, one wakes many, and they are \
                     not drawn together."
                ),
            )
        } else if placement.want_affine == Some(false) {
            (format!("no: CPU {this} not allowed"), format!("{wakee} may not run on CPU {this}."))
        } else if let Some((domain, _)) = placement.affine_domain {
            let domain = self.domains().domain(domain);
            (
                format!("yes: {} holds both", domain.name.name()),
                format!(
                    "{} is the smallest domain of CPU {this} with WAKE_AFFINE that holds CPU {prev}, \
                     where {wakee} ran last. Its CPUs are {}.",
                    domain.name.name(),
                    words::cpu_list(&domain.span)
                ),
            )
        } else {
            (
                "no: no common domain".to_owned(),
                format!(
                    "No domain of CPU {this} with WAKE_AFFINE holds CPU {prev}, where {wakee} ran \
                     last. The search starts at CPU {prev}."
                ),
            )
        };
        let yes = placement.affine_domain.is_some();
        Check {
            title: format!("May {wakee} be pulled to the waker's CPU {this}?"),
            result,
            sentence,
            kernel: "!wake_wide(p) && cpumask_test_cpu(cpu, p->cpus_ptr)".to_owned(),
            mark: if yes { Mark::Yes } else { Mark::No },
            ..Check::default()
        }
    }

    /// wake_affine: WA_IDLE, then WA_WEIGHT.
    pub(super) fn affine(&self, checks: &mut Vec<Check>) {
        let placement = &self.figures.placement;
        let (this, prev, target) = (self.facts.this_cpu, self.facts.prev_cpu, self.target());
        let title = format!("Waker's CPU {this} or prev CPU {prev}: which is the target?");
        let Some(side) = placement.wake_affine else {
            let (result, sentence) = if this == prev {
                (
                    "skipped: same CPU".to_owned(),
                    format!("Waker and wakee are both on CPU {this}; there is nothing to choose."),
                )
            } else {
                (
                    format!("skipped: target CPU {target}"),
                    format!("Without a pull, prev CPU {target} is the target."),
                )
            };
            checks.push(Check {
                title,
                result,
                sentence,
                kernel: "wake_affine(tmp, p, cpu, prev_cpu, sync)".to_owned(),
                skipped: true,
                ..Check::default()
            });
            return;
        };
        if self.domains().generation() == PlaceGeneration::V4_7 {
            checks.push(self.weight_check(side == Side::This));
            return;
        }
        checks.push(self.wa_idle_check(&title));
        match placement.wa_weight {
            Some(opinion) => checks.push(self.weight_check(opinion == Opinion::This)),
            None => {
                let decided = matches!(placement.wa_idle, Some(Opinion::This | Opinion::Prev));
                checks.push(Check {
                    title: "Which CPU would be less loaded?".to_owned(),
                    result: if decided { "skipped: decided" } else { "skipped: off" }.to_owned(),
                    sentence: if decided {
                        "WA_IDLE has decided already.".to_owned()
                    } else {
                        "WA_WEIGHT is off: prev is the target.".to_owned()
                    },
                    kernel: "wake_affine_weight(sd, p, this_cpu, prev_cpu, sync)".to_owned(),
                    skipped: true,
                    ..Check::default()
                });
            }
        }
    }

    pub(super) fn wa_idle_check(&self, title: &str) -> Check {
        let placement = &self.figures.placement;
        let (this, prev) = (self.facts.this_cpu, self.facts.prev_cpu);
        let probes = self.probes(|at| matches!(at, ProbeAt::WaThis | ProbeAt::WaPrev));
        let this_idle = self.answer(ProbeAt::WaThis) == Some(true);
        let prev_idle = self.answer(ProbeAt::WaPrev) == Some(true);
        let near = self.share_cache(this, prev);
        let (result, sentence) = match placement.wa_idle {
            None => ("skipped: off".to_owned(), "WA_IDLE is off.".to_owned()),
            Some(Opinion::This) if this_idle => (
                format!("target CPU {this}"),
                if near {
                    format!(
                        "CPU {this} is idle, shares the LLC with CPU {prev}, and CPU {prev} is busy: \
                         {}",
                        self.busy_sentence(prev)
                    )
                } else {
                    format!("CPU {this} is idle.")
                },
            ),
            Some(Opinion::This) => (
                format!("target CPU {this}"),
                format!(
                    "Sync wakeup: {} is about to sleep and is alone on CPU {this}, so its CPU \
                     becomes the target.",
                    self.waker()
                ),
            ),
            Some(Opinion::Prev) if this_idle && near => (
                format!("target CPU {prev}"),
                format!(
                    "CPU {this} and CPU {prev} are both idle and share the LLC, so {} goes back to \
                     where it ran last.",
                    self.wakee()
                ),
            ),
            Some(Opinion::Prev) => (
                format!("target CPU {prev}"),
                format!("CPU {prev}, where {} ran last, is idle.", self.wakee()),
            ),
            Some(Opinion::None) => ("no opinion".to_owned(), self.wa_idle_none(this_idle, near)),
        };
        let decided = matches!(placement.wa_idle, Some(Opinion::This | Opinion::Prev));
        Check {
            title: title.to_owned(),
            result,
            sentence,
            kernel: "wake_affine_idle(this_cpu, prev_cpu, sync)".to_owned(),
            mark: match placement.wa_idle {
                _ if decided && (this_idle || prev_idle) => Mark::Idle,
                _ if decided => Mark::Yes,
                _ => Mark::No,
            },
            probes: Self::told(&probes),
            skipped: placement.wa_idle.is_none(),
            ..Check::default()
        }
    }

    pub(super) fn wa_idle_none(&self, this_idle: bool, near: bool) -> String {
        let (this, prev) = (self.facts.this_cpu, self.facts.prev_cpu);
        let this_says = if this_idle && !near {
            format!("CPU {this} is idle but in another LLC than CPU {prev}.")
        } else if !self.figures.sync {
            format!("CPU {this} is not idle, and the wakeup is not a sync one.")
        } else {
            format!(
                "The wakeup is a sync one, but CPU {this} has {}.",
                words::plural(u64::from(self.figures.nr_running), "queued task", "queued tasks")
            )
        };
        match self.answer(ProbeAt::WaPrev) {
            Some(false) => format!("{this_says} CPU {prev} is not idle either."),
            _ => this_says,
        }
    }

    pub(super) fn weight_check(&self, pulls: bool) -> Check {
        let (this, prev) = (self.facts.this_cpu, self.facts.prev_cpu);
        let figures = self.figures;
        let (wakee, waker) = (self.wakee(), self.waker());
        let target = if pulls { this } else { prev };
        let sync = figures.sync && !figures.waker.exiting;
        let loads = format!(
            "CPU {this} has load {}{}, {wakee} brings {}; CPU {prev} has load {}.",
            words::count(figures.load[0]),
            if sync {
                format!(
                    ", of which {} of {waker}, which is about to sleep",
                    words::count(figures.waker.load)
                )
            } else {
                String::new()
            },
            words::count(figures.wakee.load),
            words::count(figures.load[1])
        );
        let (result, compare) = match figures.seen.weighing {
            Some(weighing) => match weighing.this {
                None => (
                    format!("target CPU {this}"),
                    format!("Without {waker}, nothing is left on CPU {this}."),
                ),
                Some(with) => {
                    let sign = match with.cmp(&weighing.prev) {
                        core::cmp::Ordering::Less => "<",
                        core::cmp::Ordering::Equal => "=",
                        core::cmp::Ordering::Greater => ">",
                    };
                    (
                        format!("target CPU {target}"),
                        format!(
                            "Scaled by capacity and bias: {} {sign} {}, so CPU {target} is the \
                             target.",
                            words::signed_count(with),
                            words::signed_count(weighing.prev)
                        ),
                    )
                }
            },
            None => (format!("target CPU {target}"), String::new()),
        };
        Check {
            title: "Which CPU would be less loaded?".to_owned(),
            result,
            sentence: format!("{loads} {compare}").trim_end().to_owned(),
            kernel: "wake_affine_weight(sd, p, this_cpu, prev_cpu, sync)".to_owned(),
            mark: if pulls { Mark::Yes } else { Mark::No },
            ..Check::default()
        }
    }
}
