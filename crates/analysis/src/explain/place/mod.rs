//! On which CPU a woken task goes: the checks of `select_task_rq_fair()` in the order of the kernel
//! version, with what each looked at.

mod affine;
mod result;
mod search;

use schedscope_sim::domains::Domains;
use schedscope_sim::kernel::PlaceGeneration;
use schedscope_sim::place::{Branch, Probe, ProbeAt, ScanExit, Test};
use schedscope_sim::report::PlaceEvidence;
use schedscope_sim::units::{CpuId, TaskId};

use super::{Check, Cx, Mark, Told};

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
}
