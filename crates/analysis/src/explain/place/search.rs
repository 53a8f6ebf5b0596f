//! The search around the target (`select_idle_sibling()`): single CPUs first, then the scan.

use schedscope_sim::kernel::PlaceGeneration;
use schedscope_sim::place::{Branch, Probe, ProbeAt, ScanExit, Test};
use schedscope_sim::units::CpuId;

use super::super::{Check, Mark};
use super::{Tale, scans};
use crate::words;

impl Tale<'_> {
    pub(super) fn target_check(&self) -> Check {
        let target = self.target();
        let idle = self.answer(ProbeAt::Target) == Some(true);
        let probes = self.probes(|at| at == ProbeAt::Target);
        Check {
            title: format!("Is target CPU {target} idle?"),
            result: if idle { "idle: take it".to_owned() } else { self.busy(target) },
            sentence: if idle {
                "An idle target ends the search.".to_owned()
            } else {
                self.busy_sentence(target)
            },
            kernel: format!("available_idle_cpu({target})"),
            mark: if idle { Mark::Idle } else { Mark::Busy },
            probes: Self::told(&probes),
            ..Check::default()
        }
    }

    pub(super) fn prev_check(&self) -> Check {
        let (target, prev) = (self.target(), self.facts.prev_cpu);
        let wakee = self.wakee();
        let kernel = format!(
            "prev != target && cpus_share_cache({prev}, {target}) && available_idle_cpu({prev})"
        );
        let title = format!("Is prev CPU {prev} idle, same LLC?");
        if prev == target {
            return Check {
                title: "Prev is the target".to_owned(),
                result: "skipped: is target".to_owned(),
                sentence: format!("{wakee} ran last on CPU {prev}, which is the target."),
                kernel,
                skipped: true,
                ..Check::default()
            };
        }
        let probes = self.probes(|at| at == ProbeAt::Prev);
        let Some(idle) = self.answer(ProbeAt::Prev) else {
            return Check {
                title,
                result: "other LLC".to_owned(),
                sentence: format!(
                    "CPU {prev}, where {wakee} ran last, does not share the LLC with target CPU \
                     {target}."
                ),
                kernel,
                mark: Mark::No,
                ..Check::default()
            };
        };
        let taken = self.facts.branch == Branch::PrevIdle;
        let (result, sentence) = match (idle, taken) {
            (true, true) => (
                "idle: take it".to_owned(),
                format!("{wakee} ran last on CPU {prev}. It is idle and shares the LLC."),
            ),
            (true, false) => (
                "idle: kept".to_owned(),
                format!("CPU {prev} is idle but outside the target's cluster: it is kept in mind."),
            ),
            (false, _) => (
                self.busy(prev),
                format!(
                    "{wakee} ran last on CPU {prev}, which shares the LLC with the target. {}",
                    self.busy_sentence(prev)
                ),
            ),
        };
        Check {
            title,
            result,
            sentence,
            kernel,
            mark: match (idle, taken) {
                (true, true) => Mark::Idle,
                (true, false) => Mark::Kept,
                (false, _) => Mark::Busy,
            },
            probes: Self::told(&probes),
            ..Check::default()
        }
    }

    pub(super) fn kthread_check(&self) -> Check {
        let (this, prev) = (self.facts.this_cpu, self.facts.prev_cpu);
        let figures = self.figures;
        let taken = self.facts.branch == Branch::PerCpuKthread;
        let is = figures.waker.per_cpu_kthread;
        let in_task = figures.waker.in_task || self.domains().generation() < PlaceGeneration::V6_1;
        let sentence = if taken {
            format!(
                "{} is bound to CPU {prev}, where {} ran last, and is about to be done with its work \
                 for it.",
                self.waker(),
                self.wakee()
            )
        } else if !is {
            "Only a per-CPU kernel thread that has finished its work for the wakee may keep it on its \
             own CPU."
                .to_owned()
        } else if !in_task {
            "The wakeup comes from an interrupt, so the task that runs is not the waker.".to_owned()
        } else if prev != this {
            format!("The waker is one, but {} did not run last on its CPU {this}.", self.wakee())
        } else {
            format!(
                "The waker is one, but CPU {this} has {}.",
                words::plural(u64::from(figures.nr_running), "queued task", "queued tasks")
            )
        };
        Check {
            title: "Is the waker a per-CPU kthread?".to_owned(),
            result: match (taken, is && in_task) {
                (true, _) => "yes: stack on prev".to_owned(),
                (false, true) => "yes, but no".to_owned(),
                (false, false) => "no".to_owned(),
            },
            sentence,
            kernel: "is_per_cpu_kthread(current) && prev == smp_processor_id()".to_owned(),
            mark: if taken { Mark::Yes } else { Mark::No },
            skipped: !taken,
            ..Check::default()
        }
    }

    pub(super) fn recent_check(&self) -> Check {
        let (target, prev) = (self.target(), self.facts.prev_cpu);
        let recent = self.figures.wakee.recent;
        let wakee = self.wakee();
        let kernel = "p->recent_used_cpu".to_owned();
        if recent == prev || recent == target {
            let what = if recent == prev { "prev" } else { "target" };
            return Check {
                title: "Recently used CPU".to_owned(),
                result: format!("skipped: is {what}"),
                sentence: format!("CPU {recent}, which {wakee} used recently, was looked at."),
                kernel,
                skipped: true,
                ..Check::default()
            };
        }
        let title = format!("Is recently used CPU {recent} idle, same LLC?");
        let probes = self.probes(|at| at == ProbeAt::Recent);
        let Some(idle) = self.answer(ProbeAt::Recent) else {
            return Check {
                title,
                result: "other LLC".to_owned(),
                sentence: format!(
                    "CPU {recent}, where {wakee} ran before CPU {prev}, does not share the LLC with \
                     target CPU {target}."
                ),
                kernel,
                mark: Mark::No,
                ..Check::default()
            };
        };
        let allowed = probes.iter().find(|probe| probe.test == Test::Member);
        let taken = self.facts.branch == Branch::RecentIdle;
        let (result, sentence, mark) = if !idle {
            (self.busy(recent), self.busy_sentence(recent), Mark::Busy)
        } else if allowed.is_some_and(|probe| !probe.yes) {
            (
                "not allowed".to_owned(),
                format!("CPU {recent} is idle, but {wakee} may not run there."),
                Mark::No,
            )
        } else if taken {
            (
                "idle: take it".to_owned(),
                format!("{wakee} ran on CPU {recent} before CPU {prev}. It shares the LLC."),
                Mark::Idle,
            )
        } else {
            (
                "idle: kept".to_owned(),
                format!(
                    "CPU {recent} is idle but outside the target's cluster: it is kept in mind."
                ),
                Mark::Kept,
            )
        };
        Check {
            title,
            result,
            sentence,
            kernel,
            mark,
            probes: Self::told(&probes),
            ..Check::default()
        }
    }

    pub(super) fn llc_check(&self) -> Check {
        let target = self.target();
        Check {
            title: format!("Does CPU {target} share its LLC?"),
            result: "no".to_owned(),
            sentence: format!("CPU {target} has a last-level cache of its own."),
            kernel: "rcu_dereference(per_cpu(sd_llc, target))".to_owned(),
            mark: Mark::No,
            ..Check::default()
        }
    }

    pub(super) fn has_hint(&self) -> bool {
        let llc = self.domains().llc(self.target());
        self.figures.has_idle_cores.get(llc.index()).copied().unwrap_or(false)
    }

    pub(super) fn hint_check(&self) -> Check {
        let target = self.target();
        let smt = self.domains().smt();
        let hint = smt && self.has_hint();
        Check {
            title: "Does this LLC claim an idle core?".to_owned(),
            result: match (smt, hint) {
                (false, _) => "skipped: no SMT".to_owned(),
                (true, true) => "yes (hint)".to_owned(),
                (true, false) => "no".to_owned(),
            },
            sentence: match (smt, hint) {
                (false, _) => "Without SMT every CPU is a core.".to_owned(),
                (true, true) => "The flag is a hint shared by the whole LLC and may be stale. The \
                                 scan now looks for a core whose threads are all idle."
                    .to_owned(),
                (true, false) => {
                    "Without an idle core the scan looks for single idle CPUs, and its \
                                  length is limited."
                        .to_owned()
                }
            },
            kernel: format!("test_idle_cores({target})"),
            mark: if hint { Mark::Yes } else { Mark::No },
            skipped: !smt,
            ..Check::default()
        }
    }

    pub(super) fn smt_check(&self) -> Check {
        let (target, prev) = (self.target(), self.facts.prev_cpu);
        let of = if self.modern() { prev } else { target };
        let title = format!("Is an SMT sibling of CPU {of} idle?");
        let kernel = format!("select_idle_smt(p, sd, {of})");
        let probes = self.probes(|at| matches!(at, ProbeAt::Smt | ProbeAt::SmtLlc));
        let taken = self.facts.branch == Branch::IdleSmt;
        let looked: Vec<CpuId> = probes
            .iter()
            .filter(|probe| probe.at == ProbeAt::Smt && probe.test == Test::Idle)
            .map(|probe| probe.cpu)
            .collect();
        if looked.is_empty() {
            let (result, sentence) = if !self.domains().smt() {
                ("skipped: no SMT", "A core of this machine has one thread.".to_owned())
            } else if self.modern() && self.has_hint() {
                ("skipped: hint is set", "The scan for an idle core comes first.".to_owned())
            } else if self.modern() && !self.share_cache(prev, target) {
                ("skipped: other LLC", format!("CPU {prev} is not in the LLC of the target."))
            } else {
                ("none", format!("CPU {of} has no other sibling that {} may use.", self.wakee()))
            };
            return Check {
                title,
                result: result.to_owned(),
                sentence,
                kernel,
                skipped: true,
                probes: Self::told(&probes),
                ..Check::default()
            };
        }
        let list: Vec<String> = looked.iter().map(|cpu| cpu.to_string()).collect();
        let (result, sentence) = if taken {
            (
                "idle: take it".to_owned(),
                format!("CPU {} is idle and shares a core with CPU {of}.", self.facts.cpu),
            )
        } else {
            let share = if looked.len() == 1 { "shares" } else { "share" };
            (
                format!("{} busy", words::list(&list, 7)),
                format!(
                    "CPU {} {share} a core with CPU {of}; none is idle.",
                    words::list(&list, 7)
                ),
            )
        };
        Check {
            title,
            result,
            sentence,
            kernel,
            mark: if taken { Mark::Idle } else { Mark::Busy },
            probes: Self::told(&probes),
            ..Check::default()
        }
    }

    pub(super) fn scan_checks(&self, checks: &mut Vec<Check>) {
        let placement = &self.figures.placement;
        let target = self.target();
        match placement.scan_exit {
            ScanExit::Overloaded => {
                checks.push(Check {
                    title: "How many CPUs may the scan look at?".to_owned(),
                    result: "0: no scan".to_owned(),
                    sentence:
                        "SIS_UTIL: the LLC is so busy that a scan is not worth it, not even for \
                               an idle core."
                            .to_owned(),
                    kernel: "sd_share->nr_idle_scan = 0".to_owned(),
                    mark: Mark::No,
                    ..Check::default()
                });
                return;
            }
            ScanExit::NotRun if self.probes(scans).is_empty() => {
                let group = self.probes(|at| at == ProbeAt::Group);
                if !group.is_empty() {
                    checks.push(self.group_check(&group));
                }
                return;
            }
            _ => {}
        }
        let cluster =
            self.probes(|at| matches!(at, ProbeAt::ClsCore | ProbeAt::ClsScan | ProbeAt::Cls));
        if !cluster.is_empty() {
            checks.push(self.scan_check(&cluster, true));
            if matches!(
                placement.scan_exit,
                ScanExit::ClsCore | ScanExit::ClsFound | ScanExit::ClsLimit
            ) {
                return;
            }
        }
        let rest = self.probes(|at| matches!(at, ProbeAt::Core | ProbeAt::Scan));
        if rest.is_empty() {
            checks.push(Check {
                title: format!("Is another CPU of the LLC of CPU {target} idle?"),
                result: if placement.scan_exit == ScanExit::Limit {
                    "budget spent".to_owned()
                } else {
                    "none left".to_owned()
                },
                sentence: if placement.scan_exit == ScanExit::Limit {
                    "The budget is spent before the first look.".to_owned()
                } else {
                    format!("There is no other CPU in this LLC that {} may use.", self.wakee())
                },
                kernel: "select_idle_cpu(p, sd, has_idle_core, target)".to_owned(),
                mark: Mark::No,
                ..Check::default()
            });
        } else {
            checks.push(self.scan_check(&rest, false));
        }
    }

    pub(super) fn group_check(&self, probes: &[Probe]) -> Check {
        let found = matches!(
            self.facts.branch,
            Branch::IdleCore | Branch::IdleCpu | Branch::IdleSmtSibling
        );
        Check {
            title: "Is a group of the LLC idle?".to_owned(),
            result: if found {
                format!("CPU {}", self.figures.placement.cpu)
            } else {
                "no".to_owned()
            },
            sentence: "The domains from the LLC down are searched for a group whose CPUs are all \
                       idle, the target's own group first."
                .to_owned(),
            kernel: "for_each_lower_domain(sd)".to_owned(),
            mark: if found { Mark::Idle } else { Mark::Busy },
            probes: Self::told(probes),
            ..Check::default()
        }
    }

    pub(super) fn scan_check(&self, probes: &[Probe], cluster: bool) -> Check {
        let placement = &self.figures.placement;
        let target = self.target();
        let cores = probes.iter().any(|p| matches!(p.at, ProbeAt::Core | ProbeAt::ClsCore));
        let tests = probes.iter().filter(|probe| probe.test == Test::Idle);
        let mut looked: Vec<CpuId> = tests
            .map(|probe| match cores {
                true => self.domains().smt_siblings(probe.cpu).lowest().unwrap_or(probe.cpu),
                false => probe.cpu,
            })
            .collect();
        schedscope_sim::order::sort(&mut looked);
        looked.dedup();
        let n = looked.len() as u64;
        let exit = placement.scan_exit;
        let found = match cluster {
            true => matches!(exit, ScanExit::ClsCore | ScanExit::ClsFound),
            false => matches!(exit, ScanExit::Core | ScanExit::Found),
        };
        let kept = found && self.facts.branch == Branch::IdleThreadFromCoreScan;
        let where_ = if cluster { "the target's cluster" } else { "the LLC" };
        let after = if self.modern() { "after" } else { "from" };
        let what = if cores { "core" } else { "CPU" };
        let limit = matches!(exit, ScanExit::Limit) && !cluster
            || matches!(exit, ScanExit::ClsLimit) && cluster;
        let counted = words::plural(n, what, if cores { "cores" } else { "CPUs" });
        let cpu = placement.cpu;
        let result = match self.figures.seen.budget {
            Some(budget) if !cores => format!("{n} of {budget}"),
            _ => counted.clone(),
        };
        let outcome = if kept {
            format!("No core in {counted} is fully idle; CPU {cpu} was the first idle CPU seen.")
        } else if found && cores {
            format!("All threads of the core of CPU {cpu} are idle.")
        } else if found {
            format!("CPU {cpu} is idle.")
        } else if cores {
            format!("No core in {counted} is fully idle, and no idle CPU was seen.")
        } else if limit {
            format!("{counted} looked at, none idle: the budget is spent.")
        } else {
            format!("{counted} looked at, none idle.")
        };
        let rule = if cores {
            "A core counts only if all its threads are idle; the first idle CPU seen is kept as a \
             fallback."
                .to_owned()
        } else {
            match self.figures.seen.budget {
                Some(budget) => format!(
                    "The busier the LLC, the shorter the scan: it may look at {} here.",
                    words::plural(u64::from(budget), "CPU", "CPUs")
                ),
                None => String::new(),
            }
        };
        let kernel = match (cores, self.modern()) {
            (true, true) => "select_idle_core(p, cpu, cpus, &idle_cpu)",
            (true, false) => "select_idle_core(p, sd, target)",
            (false, true) => "__select_idle_cpu(cpu, p)",
            (false, false) => "select_idle_cpu(p, sd, target)",
        };
        Check {
            title: format!("Scan {where_} for an idle {what}, in order {after} CPU {target}"),
            result,
            sentence: format!("{outcome} {rule}").trim_end().to_owned(),
            kernel: kernel.to_owned(),
            mark: match (found, kept) {
                (true, true) => Mark::Kept,
                (true, false) => Mark::Idle,
                (false, _) => Mark::Busy,
            },
            probes: Self::told(probes),
            ..Check::default()
        }
    }
}
