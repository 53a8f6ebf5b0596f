//! On which CPU a woken task goes: the checks of `select_task_rq_fair()` in the order of the kernel
//! version, with what each looked at.

use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::domains::Domains;
use schedscope_sim::kernel::PlaceGeneration;
use schedscope_sim::place::{Branch, Opinion, Probe, ProbeAt, ScanExit, Side, Test};
use schedscope_sim::report::PlaceEvidence;
use schedscope_sim::units::{CpuId, TaskId};

use super::{Check, Cx, Mark, Told};
use crate::words;

/// What the record of a placement says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    pub(super) wakee: TaskId,
    pub(super) waker: Option<TaskId>,
    pub(super) this_cpu: CpuId,
    pub(super) prev_cpu: CpuId,
    pub(super) cpu: CpuId,
    pub(super) branch: Branch,
}

/// A delayed task woke on the queue where it still was.
pub(super) fn woken_in_place(cx: &Cx<'_>, wakee: TaskId, cpu: CpuId, replaced: bool) -> Told {
    let name = cx.name(wakee);
    let mut sentence = format!(
        "The dequeue of {name} was delayed, so it is still queued on CPU {cpu} and no CPU is chosen."
    );
    if replaced {
        sentence.push_str(" Its lag had become positive: it is placed anew at V (DELAY_ZERO).");
    } else {
        sentence.push_str(" It keeps its vruntime and deadline.");
    }
    let check = Check {
        title: format!("Is {name} still queued?"),
        result: "yes".to_owned(),
        sentence: sentence.clone(),
        kernel: "task_on_rq_queued(p) && p->se.sched_delayed".to_owned(),
        mark: Mark::Chosen,
        tasks: vec![wakee],
        ..Check::default()
    };
    Told {
        cpu,
        task: Some(wakee),
        heading: format!("{name} wakes where it is queued, on CPU {cpu}"),
        sentence,
        cause: format!("{name} wakes"),
        checks: vec![check],
        ..Told::default()
    }
}

/// A placement without its figures.
pub(super) fn tell_briefly(cx: &Cx<'_>, facts: &Facts) -> Told {
    Told {
        cpu: facts.cpu,
        task: Some(facts.wakee),
        heading: format!("{} goes to CPU {}", cx.name(facts.wakee), facts.cpu),
        sentence: format!("It ends at {}.", facts.branch.name()),
        cause: cause(cx, facts),
        ..Told::default()
    }
}

fn cause(cx: &Cx<'_>, facts: &Facts) -> String {
    match facts.waker {
        Some(waker) => {
            format!("{} wakes {} on CPU {}", cx.name(waker), cx.name(facts.wakee), facts.this_cpu)
        }
        None => format!("an interrupt on CPU {} wakes {}", facts.this_cpu, cx.name(facts.wakee)),
    }
}

/// Puts a placement into words. `running` is who has each CPU at that moment.
pub(super) fn tell(
    cx: &Cx<'_>,
    facts: &Facts,
    figures: &PlaceEvidence,
    running: &[Option<TaskId>],
) -> Told {
    let tale = Tale { cx: *cx, facts, figures, running };
    let heading = tale.heading();
    let sentence = tale.sentence();
    let mut checks = tale.checks();
    checks.push(Check {
        title: "Result".to_owned(),
        result: format!("CPU {}", facts.cpu),
        sentence: format!("{heading}. {sentence}"),
        kernel: tale.kernel_of_result().to_owned(),
        mark: Mark::Chosen,
        tasks: vec![facts.wakee],
        ..Check::default()
    });
    Told {
        cpu: facts.cpu,
        task: Some(facts.wakee),
        heading,
        sentence,
        cause: cause(cx, facts),
        checks,
        ..Told::default()
    }
}

/// The CPUs of the target's LLC that the scan would have visited next, in order; empty if there was
/// no scan.
#[must_use]
pub fn not_reached(domains: &Domains, figures: &PlaceEvidence) -> Vec<CpuId> {
    let placement = &figures.placement;
    let Some(target) = placement.target else { return Vec::new() };
    if placement.scan_exit == ScanExit::NotRun {
        return Vec::new();
    }
    let Some(span) = domains.llc_span(target) else { return Vec::new() };
    let mut left = span.and(&figures.allowed);
    for probe in figures.seen.probes.iter().filter(|probe| scans(probe.at)) {
        if probe.test != Test::Idle {
            continue;
        }
        match probe.at {
            ProbeAt::Core | ProbeAt::ClsCore => {
                left = left.minus(domains.smt_siblings(probe.cpu));
            }
            _ => left.remove(probe.cpu),
        }
    }
    let start = match domains.generation() >= PlaceGeneration::V5_15 {
        true => target.index() + 1,
        false => target.index(),
    };
    left.wrap_from(start).collect()
}

/// Whether a probe belongs to the scan of the LLC.
fn scans(at: ProbeAt) -> bool {
    matches!(at, ProbeAt::Core | ProbeAt::Scan | ProbeAt::ClsCore | ProbeAt::ClsScan)
}

/// How many idle CPUs the target's LLC has, and how many all others have. On a machine without
/// LLC domains the target is alone.
#[must_use]
pub fn idle_counts(domains: &Domains, figures: &PlaceEvidence) -> (u32, u32) {
    let target = figures.placement.target.unwrap_or(figures.prev_cpu);
    let here = domains.llc(target);
    let (mut inside, mut outside) = (0, 0);
    for (cpu, &idle) in figures.idle.iter().enumerate() {
        if idle {
            if domains.llc(CpuId(cpu as u16)) == here { inside += 1 } else { outside += 1 }
        }
    }
    (inside, outside)
}

struct Tale<'a> {
    cx: Cx<'a>,
    facts: &'a Facts,
    figures: &'a PlaceEvidence,
    running: &'a [Option<TaskId>],
}

/// The name of a probe as in the vectors.
#[must_use]
pub fn code(probe: &Probe) -> String {
    format!("{}{}", probe.at.name(), probe.test.mark())
}

impl Tale<'_> {
    fn wakee(&self) -> String {
        self.cx.name(self.facts.wakee)
    }

    /// The waker for people: the task, or the interrupt.
    fn waker(&self) -> String {
        match self.facts.waker {
            Some(waker) => self.cx.name(waker),
            None => "the interrupt".to_owned(),
        }
    }

    fn target(&self) -> CpuId {
        self.figures.placement.target.unwrap_or(self.facts.cpu)
    }

    fn domains(&self) -> &Domains {
        self.cx.domains
    }

    fn share_cache(&self, a: CpuId, b: CpuId) -> bool {
        self.domains().share_cache(a, b)
    }

    fn modern(&self) -> bool {
        self.domains().generation() >= PlaceGeneration::V5_15
    }

    fn who(&self, cpu: CpuId) -> Option<String> {
        self.running.get(cpu.index()).copied().flatten().map(|task| self.cx.name(task))
    }

    /// `busy: J41`, or `busy`.
    fn busy(&self, cpu: CpuId) -> String {
        self.who(cpu).map_or_else(|| "busy".to_owned(), |who| format!("busy: {who}"))
    }

    /// Why a CPU does not count as idle.
    fn busy_sentence(&self, cpu: CpuId) -> String {
        match self.who(cpu) {
            Some(who) => format!("{who} runs on CPU {cpu}."),
            None => format!("CPU {cpu} is about to get a task: a wakeup is pending there."),
        }
    }

    fn probes(&self, wanted: impl Fn(ProbeAt) -> bool) -> Vec<Probe> {
        self.figures.seen.probes.iter().copied().filter(|probe| wanted(probe.at)).collect()
    }

    /// The answer of a single look at a CPU: its idle test, or the SCHED_IDLE test behind it.
    fn answer(&self, at: ProbeAt) -> Option<bool> {
        let probes = self.probes(|other| other == at);
        let tests = probes.iter().filter(|probe| probe.test != Test::Member);
        tests.map(|probe| probe.yes).reduce(|a, b| a || b)
    }

    fn told(probes: &[Probe]) -> Vec<(CpuId, bool, String)> {
        probes.iter().map(|probe| (probe.cpu, probe.yes, code(probe))).collect()
    }

    fn heading(&self) -> String {
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

    fn kernel_of_result(&self) -> &'static str {
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
    fn sentence(&self) -> String {
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

    fn of_budget(&self) -> String {
        match self.figures.seen.budget {
            Some(budget) => format!(" of the {budget} it may look at"),
            None => String::new(),
        }
    }

    fn nothing_found(&self) -> String {
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
    fn elsewhere(&self) -> String {
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

    fn cpus_scanned(&self) -> u64 {
        let mut seen = CpuSet::EMPTY;
        for probe in self.probes(scans) {
            if probe.test == Test::Idle {
                seen.insert(probe.cpu);
            }
        }
        seen.len() as u64
    }

    fn cores_scanned(&self) -> u64 {
        let mut cores: Vec<CpuId> = self
            .probes(|at| matches!(at, ProbeAt::Core | ProbeAt::ClsCore))
            .iter()
            .filter(|probe| probe.test == Test::Idle)
            .filter_map(|probe| self.domains().smt_siblings(probe.cpu).lowest())
            .collect();
        cores.sort_unstable();
        cores.dedup();
        cores.len() as u64
    }

    fn checks(&self) -> Vec<Check> {
        let mut checks = Vec::new();
        if self.facts.branch == Branch::WfCurrentCpu {
            return checks;
        }
        checks.push(self.pull());
        self.affine(&mut checks);
        checks.push(self.target_check());
        if self.facts.branch == Branch::TargetIdle {
            return checks;
        }
        checks.push(self.prev_check());
        if self.facts.branch == Branch::PrevIdle {
            return checks;
        }
        if self.modern() {
            checks.push(self.kthread_check());
            if self.facts.branch == Branch::PerCpuKthread {
                return checks;
            }
        }
        if self.domains().generation() >= PlaceGeneration::V4_19 {
            checks.push(self.recent_check());
            if self.facts.branch == Branch::RecentIdle {
                return checks;
            }
        }
        if self.facts.branch == Branch::NoLlc {
            checks.push(self.llc_check());
            return checks;
        }
        if self.modern() {
            checks.push(self.hint_check());
            checks.push(self.smt_check());
            if self.facts.branch != Branch::IdleSmt {
                self.scan_checks(&mut checks);
            }
        } else {
            self.scan_checks(&mut checks);
            if !self.probes(|at| matches!(at, ProbeAt::Smt | ProbeAt::SmtLlc)).is_empty() {
                checks.push(self.smt_check());
            }
        }
        checks
    }

    /// wake_wide, affinity and the common domain: is pulling to the waker considered?
    fn pull(&self) -> Check {
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
    fn affine(&self, checks: &mut Vec<Check>) {
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

    fn wa_idle_check(&self, title: &str) -> Check {
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

    fn wa_idle_none(&self, this_idle: bool, near: bool) -> String {
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

    fn weight_check(&self, pulls: bool) -> Check {
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

    fn target_check(&self) -> Check {
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

    fn prev_check(&self) -> Check {
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

    fn kthread_check(&self) -> Check {
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

    fn recent_check(&self) -> Check {
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

    fn llc_check(&self) -> Check {
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

    fn has_hint(&self) -> bool {
        let llc = self.domains().llc(self.target());
        self.figures.has_idle_cores.get(llc.index()).copied().unwrap_or(false)
    }

    fn hint_check(&self) -> Check {
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

    fn smt_check(&self) -> Check {
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

    fn scan_checks(&self, checks: &mut Vec<Check>) {
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

    fn group_check(&self, probes: &[Probe]) -> Check {
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

    fn scan_check(&self, probes: &[Probe], cluster: bool) -> Check {
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
        looked.sort_unstable();
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
