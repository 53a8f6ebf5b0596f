//! The outcome of a placement: why this CPU, with the numbers.

use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::place::{Branch, ProbeAt, ScanExit, Test};
use schedscope_sim::units::CpuId;

use super::{Tale, idle_counts, not_reached, scans};
use crate::words;

impl Tale<'_> {
    pub(super) fn heading(&self) -> String {
        let (wakee, cpu) = (self.wakee(), self.facts.cpu);
        let idle = self.figures.idle.get(cpu.index()).copied().unwrap_or(false);
        if idle {
            format!("{wakee} goes to CPU {cpu}")
        } else if self.facts.branch == Branch::PerCpuKthread {
            format!("{wakee} goes to CPU {cpu}, behind {}", self.waker())
        } else {
            format!("{wakee} goes to busy CPU {cpu}")
        }
    }

    pub(super) fn kernel_of_result(&self) -> &'static str {
        match self.facts.branch {
            Branch::TargetIdle | Branch::NoLlc | Branch::FallbackTarget => "return target",
            Branch::PrevIdle | Branch::PerCpuKthread => "return prev",
            Branch::RecentIdle => "return recent_used_cpu",
            Branch::IdleCore | Branch::ClusterIdleCore => "return select_idle_core(…)",
            Branch::IdleCpu | Branch::ClusterIdleCpu => "return select_idle_cpu(…)",
            Branch::IdleSmt | Branch::IdleSmtSibling => "return select_idle_smt(…)",
            Branch::IdleThreadFromCoreScan => "set_idle_cores(target, false); return idle_cpu",
            Branch::PrevFallback => "return prev_aff",
            Branch::RecentFallback => "return recent_used_cpu",
            Branch::WfCurrentCpu => "return cpu",
        }
    }

    /// Why this CPU, with the numbers.
    pub(super) fn sentence(&self) -> String {
        let placement = &self.figures.placement;
        let (cpu, target, prev) = (placement.cpu, self.target(), self.facts.prev_cpu);
        let wakee = self.wakee();
        let mut out = match self.facts.branch {
            Branch::TargetIdle if cpu == prev => {
                format!("CPU {cpu}, where {wakee} ran last, is the target and idle.")
            }
            Branch::TargetIdle => format!("Target CPU {cpu} is idle, which ends the search."),
            Branch::PrevIdle => format!(
                "CPU {cpu}, where {wakee} ran last, is idle and shares the LLC with target CPU \
                 {target}, which is not."
            ),
            Branch::PerCpuKthread => format!(
                "{} is a kernel thread bound to CPU {cpu} and about to be done with its work for \
                 {wakee}, so {wakee} stays.",
                self.waker()
            ),
            Branch::RecentIdle => format!(
                "CPU {cpu}, where {wakee} ran before CPU {prev}, is idle and shares the LLC with \
                 target CPU {target}."
            ),
            Branch::IdleCore | Branch::ClusterIdleCore => {
                let where_ = match self.facts.branch {
                    Branch::ClusterIdleCore => " in the target's cluster",
                    _ => "",
                };
                format!(
                    "All threads of the core of CPU {cpu} are idle. The scan looked at {}{where_}.",
                    words::plural(self.cores_scanned(), "core", "cores")
                )
            }
            Branch::IdleCpu | Branch::ClusterIdleCpu => {
                let where_ = match self.facts.branch {
                    Branch::ClusterIdleCpu => " in the target's cluster",
                    _ => "",
                };
                let n = self.cpus_scanned();
                format!(
                    "CPU {cpu} is idle. The scan looked at {}{where_}{}.",
                    words::plural(n, "CPU", "CPUs"),
                    self.of_budget()
                )
            }
            Branch::IdleSmt => {
                let core = if self.modern() { prev } else { target };
                format!("CPU {cpu} is idle and shares a core with CPU {core}.")
            }
            Branch::IdleSmtSibling => {
                format!("CPU {cpu} is idle and shares a core with target CPU {target}.")
            }
            Branch::IdleThreadFromCoreScan => {
                let shares: Vec<String> = self
                    .domains()
                    .smt_siblings(cpu)
                    .iter()
                    .filter(|&sibling| sibling != cpu)
                    .map(|sibling| match self.who(sibling) {
                        Some(who) => format!("{who} on CPU {sibling}"),
                        None => format!("CPU {sibling}"),
                    })
                    .collect();
                format!(
                    "No core is fully idle: the hint was stale and is cleared. CPU {cpu} was the \
                     first idle CPU seen. It shares its core with {}.",
                    words::list(&shares, 4)
                )
            }
            Branch::PrevFallback => format!(
                "The scan found nothing. CPU {cpu}, where {wakee} ran last, is idle but outside the \
                 target's cluster: better than busy target CPU {target}."
            ),
            Branch::RecentFallback => format!(
                "The scan found nothing. CPU {cpu}, where {wakee} ran before CPU {prev}, is idle but \
                 outside the target's cluster: better than busy target CPU {target}."
            ),
            Branch::NoLlc => format!(
                "CPU {target} shares its last-level cache with no other CPU, so there is nothing to \
                 search. {}",
                self.elsewhere()
            ),
            Branch::FallbackTarget => self.nothing_found(),
            Branch::WfCurrentCpu => {
                format!("{} asked for its own CPU (WF_CURRENT_CPU).", self.waker())
            }
        };
        if self.facts.cpu != cpu {
            out.push_str(&format!(
                " But {wakee} may not run on CPU {cpu}: it goes to CPU {}, which it may use.",
                self.facts.cpu
            ));
        }
        out
    }

    pub(super) fn of_budget(&self) -> String {
        match self.figures.seen.budget {
            Some(budget) => format!(" of the {budget} it may look at"),
            None => String::new(),
        }
    }

    pub(super) fn nothing_found(&self) -> String {
        let placement = &self.figures.placement;
        let left = not_reached(self.domains(), self.figures);
        let idle_left = left.iter().find(|cpu| self.figures.idle[cpu.index()]);
        let budget = self.figures.seen.budget.unwrap_or(0);
        if placement.target.is_none() {
            return format!(
                "No domain draws {} to the waker, so it stays on CPU {} without a search.",
                self.wakee(),
                placement.cpu
            );
        }
        let mut out = match placement.scan_exit {
            ScanExit::Overloaded => "The LLC is so busy that it is not scanned at all \
                                     (nr_idle_scan is 0)."
                .to_owned(),
            ScanExit::Limit | ScanExit::ClsLimit => format!(
                "The scan may look at {} of this LLC, and {}.",
                words::plural(u64::from(budget), "CPU", "CPUs"),
                if self.cpus_scanned() == 1 { "it was busy" } else { "all of them were busy" }
            ),
            ScanExit::Exhausted => match self.cpus_scanned() {
                0 => format!("There is no other CPU in the LLC that {} may use.", self.wakee()),
                n => format!(
                    "The scan looked at {} and found no idle one.",
                    words::plural(n, "CPU", "CPUs")
                ),
            },
            ScanExit::NotRun
            | ScanExit::Found
            | ScanExit::Core
            | ScanExit::ClsCore
            | ScanExit::ClsFound => "Nothing idle was found.".to_owned(),
        };
        if let Some(cpu) = idle_left {
            out.push_str(&format!(" CPU {cpu} is idle but was not reached."));
        }
        let elsewhere = self.elsewhere();
        if !elsewhere.is_empty() {
            out.push(' ');
            out.push_str(&elsewhere);
        }
        out
    }

    /// How many CPUs are idle in other LLCs, which no scan reaches.
    pub(super) fn elsewhere(&self) -> String {
        let (_, outside) = idle_counts(self.domains(), self.figures);
        let all = self.figures.idle.len() as u64;
        match outside {
            0 => "No CPU of another LLC is idle.".to_owned(),
            1 => {
                format!("1 of {all} CPUs is idle in another LLC: the search never leaves this one.")
            }
            n => format!(
                "{n} of {all} CPUs are idle in other LLCs: the search never leaves this one."
            ),
        }
    }

    pub(super) fn cpus_scanned(&self) -> u64 {
        let mut seen = CpuSet::EMPTY;
        for probe in self.probes(scans) {
            if probe.test == Test::Idle {
                seen.insert(probe.cpu);
            }
        }
        seen.len() as u64
    }

    pub(super) fn cores_scanned(&self) -> u64 {
        let mut cores: Vec<CpuId> = self
            .probes(|at| matches!(at, ProbeAt::Core | ProbeAt::ClsCore))
            .iter()
            .filter(|probe| probe.test == Test::Idle)
            .filter_map(|probe| self.domains().smt_siblings(probe.cpu).lowest())
            .collect();
        schedscope_sim::order::sort(&mut cores);
        cores.dedup();
        cores.len() as u64
    }
}
