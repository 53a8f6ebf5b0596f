//! Whether a task that comes takes the CPU: where it is placed, then the preemption test, rule by
//! rule.

mod cfs;

use schedscope_sim::fair::evidence::{EntityEvidence, PreemptEvidence};
use schedscope_sim::fair::reason::{PickReason, Preempt};
use schedscope_sim::kernel::{FairGeneration, Feature};
use schedscope_sim::units::{CpuId, TaskId};

use super::pick::{Queue, lag, visit};
use super::{Check, Cx, Mark, Told, placed};
use crate::words;

/// What the record of a preemption test says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    pub(super) cpu: CpuId,
    pub(super) curr: Option<TaskId>,
    pub(super) woken: TaskId,
    pub(super) verdict: Preempt,
}

/// Puts a preemption test into words.
pub(super) fn tell(cx: &Cx<'_>, facts: &Facts, figures: Option<&PreemptEvidence>) -> Told {
    let queue = figures.map(|figures| Queue::new(&figures.queue));
    let rows = figures.and_then(|figures| Some((figures.curr?, figures.woken?)));
    // In different groups, their groups are compared.
    let stands = |task: TaskId, row: Option<EntityEvidence>| {
        row.filter(|row| row.group.is_some()).map_or(task, |row| row.task)
    };
    let rivals = figures.map_or(*facts, |figures| Facts {
        curr: facts.curr.map(|curr| stands(curr, figures.curr)),
        woken: stands(facts.woken, figures.woken),
        ..*facts
    });
    let mut told = Told {
        cpu: facts.cpu,
        task: Some(facts.woken),
        heading: heading(cx, facts),
        sentence: stand_ins(cx, facts, &rivals) + &sentence(cx, &rivals, figures, queue, rows),
        cause: format!("{} comes to CPU {}", cx.name(facts.woken), facts.cpu),
        ..Told::default()
    };
    if changed_nice(facts.verdict) {
        told.cause = "a change of nice".to_owned();
    }
    if let Some(figures) = figures
        && let (Some(placed), 2..) = (&figures.placed, figures.queue.rows.len())
    {
        told.checks.push(placed::check(cx, facts.woken, placed));
    }
    told.checks.extend(checks(cx, &rivals, figures, queue, rows));
    told.checks.push(Check {
        title: "Reschedule?".to_owned(),
        result: if facts.verdict.reschedules() { "yes" } else { "no" }.to_owned(),
        sentence: format!("{}. {}", told.heading, told.sentence),
        kernel: "resched_curr(rq)".to_owned(),
        mark: Mark::Chosen,
        tasks: vec![facts.woken],
        ..Check::default()
    });
    told
}

/// Which groups are compared in the place of their tasks: `Between groups, web stands for E. `.
fn stand_ins(cx: &Cx<'_>, facts: &Facts, rivals: &Facts) -> String {
    let woken = (facts.woken != rivals.woken).then_some((rivals.woken, facts.woken));
    let curr = rivals.curr.zip(facts.curr).filter(|(group, task)| group != task);
    let pairs: Vec<String> = woken
        .into_iter()
        .chain(curr)
        .map(|(group, task)| format!("{} stands for {}", cx.name(group), cx.name(task)))
        .collect();
    match pairs.is_empty() || facts.verdict == Preempt::Idle {
        true => String::new(),
        false => format!("Between groups, {}. ", words::list(&pairs, 2)),
    }
}

/// Whether the verdict is that of a change of nice, not of a wakeup.
fn changed_nice(verdict: Preempt) -> bool {
    use Preempt::{NiceGrew, NiceNotGrown, NiceShrank, NoTest};
    matches!(verdict, NoTest | NiceGrew | NiceNotGrown | NiceShrank)
}

fn curr_name(cx: &Cx<'_>, facts: &Facts) -> String {
    facts.curr.map_or_else(|| "the idle task".to_owned(), |curr| cx.name(curr))
}

fn heading(cx: &Cx<'_>, facts: &Facts) -> String {
    let (woken, curr) = (cx.name(facts.woken), curr_name(cx, facts));
    match facts.verdict {
        Preempt::Idle => format!("{woken} gets idle CPU {}", facts.cpu),
        Preempt::Itself => format!("{woken} is already running"),
        Preempt::Picked { .. } | Preempt::FarBehind => format!("{woken} preempts {curr}"),
        Preempt::NotPicked { .. } | Preempt::NearBehind | Preempt::NotBehind => {
            format!("{woken} does not preempt {curr}")
        }
        Preempt::HigherClass | Preempt::Pending | Preempt::FeatureOff => format!("{woken} waits"),
        Preempt::NoTest => format!("{woken} changes nothing"),
        Preempt::NiceGrew | Preempt::NiceShrank => format!("CPU {} picks again", facts.cpu),
        Preempt::NiceNotGrown => format!("{curr} keeps the CPU"),
    }
}

fn sentence(
    cx: &Cx<'_>,
    facts: &Facts,
    figures: Option<&PreemptEvidence>,
    queue: Option<Queue<'_>>,
    rows: Option<(EntityEvidence, EntityEvidence)>,
) -> String {
    let (woken, curr) = (cx.name(facts.woken), curr_name(cx, facts));
    match facts.verdict {
        Preempt::Idle => format!("CPU {} is idle, so it reschedules at once.", facts.cpu),
        Preempt::Itself => "A task does not preempt itself.".to_owned(),
        Preempt::HigherClass => {
            format!("A task of a higher class runs on CPU {}.", facts.cpu)
        }
        Preempt::Pending => format!(
            "A reschedule of CPU {} is pending already; the pick will see {woken} too.",
            facts.cpu
        ),
        Preempt::FeatureOff => {
            format!("WAKEUP_PREEMPTION is off: {curr} runs on until the next accounting.")
        }
        Preempt::NoTest => "There is nothing to test.".to_owned(),
        Preempt::NiceGrew => {
            format!("{woken} runs and became less important, so its CPU picks again.")
        }
        Preempt::FarBehind | Preempt::NearBehind | Preempt::NotBehind => {
            cfs::sentence(cx, facts, figures, rows)
        }
        Preempt::NiceShrank => {
            format!("{woken} became more important, so CPU {} picks again.", facts.cpu)
        }
        Preempt::NiceNotGrown => format!("{woken} runs and did not become less important."),
        Preempt::Picked { short } => {
            let mut out = String::new();
            if short {
                out.push_str(&short_slice(cx, facts, rows));
            }
            match (queue, rows) {
                (Some(queue), Some((running, other))) if running.eligible => {
                    out.push_str(&format!(
                        "A pick would choose {woken}: it is eligible ({}) and its deadline {} is {} \
                         than that of {curr} ({}).",
                        lag(&other),
                        queue.relative(other.deadline),
                        if other.deadline.before(running.deadline) {
                            "earlier"
                        } else {
                            "not later"
                        },
                        queue.relative(running.deadline)
                    ));
                }
                (Some(queue), Some((running, other))) => out.push_str(&format!(
                    "A pick would choose {woken}, with deadline {}: {curr} is not eligible ({}).",
                    queue.relative(other.deadline),
                    lag(&running)
                )),
                _ => out.push_str(&format!("A pick would choose {woken}.")),
            }
            out
        }
        Preempt::NotPicked { reason, short } => {
            let mut out = String::new();
            if short {
                out.push_str(&short_slice(cx, facts, rows));
            }
            out.push_str(&not_picked(cx, facts, reason, queue, rows));
            out
        }
    }
}

/// `E asks for 0.50 ms, less than the 3.00 ms of D, …: PREEMPT_SHORT ends the protection of D. `
fn short_slice(
    cx: &Cx<'_>,
    facts: &Facts,
    rows: Option<(EntityEvidence, EntityEvidence)>,
) -> String {
    let (woken, curr) = (cx.name(facts.woken), curr_name(cx, facts));
    match rows {
        Some((running, other)) => format!(
            "{woken} asks for {}, less than the {} of {curr}: PREEMPT_SHORT ends the protection of \
             {curr}. ",
            words::time(other.slice.0),
            words::time(running.slice.0)
        ),
        None => format!("PREEMPT_SHORT ends the protection of {curr}. "),
    }
}

fn not_picked(
    cx: &Cx<'_>,
    facts: &Facts,
    reason: PickReason,
    queue: Option<Queue<'_>>,
    rows: Option<(EntityEvidence, EntityEvidence)>,
) -> String {
    let (woken, curr) = (cx.name(facts.woken), curr_name(cx, facts));
    let (Some(queue), Some((running, other))) = (queue, rows) else {
        return format!("A pick would not choose {woken}.");
    };
    let not_eligible =
        || format!("{woken} is not eligible: its vruntime is {}.", queue.vruntime(&other));
    match reason {
        PickReason::Parity => format!(
            "RUN_TO_PARITY: {curr} is eligible ({}) and still in the request it was picked for, \
             which ends at {}.",
            lag(&running),
            queue.relative(running.deadline)
        ),
        PickReason::CurrEarlier if other.eligible => format!(
            "{curr} is eligible, and its deadline {} is {} than that of {woken} ({}).",
            queue.relative(running.deadline),
            if running.deadline.before(other.deadline) { "earlier" } else { "not later" },
            queue.relative(other.deadline)
        ),
        PickReason::EarliestEligible if other.eligible => format!(
            "Another waiting task has an earlier deadline than {woken} ({}), or the same.",
            queue.relative(other.deadline)
        ),
        PickReason::CurrEarlier | PickReason::EarliestEligible | PickReason::CurrOnlyEligible
            if !other.eligible =>
        {
            not_eligible()
        }
        _ => format!("A pick would not choose {woken}."),
    }
}

fn checks(
    cx: &Cx<'_>,
    facts: &Facts,
    figures: Option<&PreemptEvidence>,
    queue: Option<Queue<'_>>,
    rows: Option<(EntityEvidence, EntityEvidence)>,
) -> Vec<Check> {
    let verdict = facts.verdict;
    if changed_nice(verdict) {
        return Vec::new();
    }
    let features = cx.setup.kernel.features;
    let yes_no = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    let (woken, curr) = (cx.name(facts.woken), curr_name(cx, facts));
    let mut checks = Vec::new();
    let idle = verdict == Preempt::Idle;
    checks.push(Check {
        title: format!("Is CPU {} idle?", facts.cpu),
        result: yes_no(idle),
        sentence: if idle {
            format!("Nothing runs on CPU {}.", facts.cpu)
        } else {
            format!("{curr} runs on CPU {}.", facts.cpu)
        },
        kernel: "rq->curr->sched_class == &idle_sched_class".to_owned(),
        mark: if idle { Mark::Yes } else { Mark::No },
        ..Check::default()
    });
    if matches!(verdict, Preempt::Idle | Preempt::Itself | Preempt::HigherClass) {
        return checks;
    }
    let pending = verdict == Preempt::Pending;
    checks.push(Check {
        title: format!("Is a reschedule of CPU {} pending?", facts.cpu),
        result: yes_no(pending),
        sentence: if pending {
            "The pick that is due anyway will see all waiting tasks.".to_owned()
        } else {
            "No reschedule has been requested, so the test goes on.".to_owned()
        },
        kernel: "test_tsk_need_resched(rq->curr)".to_owned(),
        mark: if pending { Mark::Yes } else { Mark::No },
        ..Check::default()
    });
    if pending {
        return checks;
    }
    let off = verdict == Preempt::FeatureOff;
    checks.push(Check {
        title: "May a woken task preempt at all?".to_owned(),
        result: yes_no(!off),
        sentence: if off {
            "WAKEUP_PREEMPTION is off.".to_owned()
        } else {
            "WAKEUP_PREEMPTION is on.".to_owned()
        },
        kernel: "sched_feat(WAKEUP_PREEMPTION)".to_owned(),
        mark: if off { Mark::No } else { Mark::Yes },
        ..Check::default()
    });
    let (short, picked) = match verdict {
        Preempt::Picked { short } => (short, true),
        Preempt::NotPicked { short, .. } => (short, false),
        Preempt::FarBehind | Preempt::NearBehind | Preempt::NotBehind => {
            cfs::checks(cx, facts, figures, rows, &mut checks);
            return checks;
        }
        _ => return checks,
    };
    if cx.setup.kernel.fair >= FairGeneration::Eevdf6_12 {
        checks.push(short_check(cx, facts, features.has(Feature::PreemptShort), short, rows));
    }
    if let (Some(figures), Some(queue)) = (figures, queue) {
        for (node, why) in &figures.walk {
            checks.push(visit(cx, *node, *why, queue));
        }
    }
    checks.push(Check {
        title: format!("Would a pick choose {woken}?"),
        result: yes_no(picked),
        sentence: sentence(cx, facts, figures, queue, rows),
        kernel: "pick_eevdf(cfs_rq) == pse".to_owned(),
        mark: if picked { Mark::Yes } else { Mark::No },
        tasks: vec![facts.woken],
        ..Check::default()
    });
    checks
}

/// PREEMPT_SHORT (R4.C.11).
fn short_check(
    cx: &Cx<'_>,
    facts: &Facts,
    on: bool,
    short: bool,
    rows: Option<(EntityEvidence, EntityEvidence)>,
) -> Check {
    let (woken, curr) = (cx.name(facts.woken), curr_name(cx, facts));
    let sentence = match rows {
        _ if !on => "PREEMPT_SHORT is off.".to_owned(),
        _ if short => short_slice(cx, facts, rows).trim_end().to_owned(),
        Some((running, other)) if other.slice >= running.slice => format!(
            "{woken} asks for {}, not less than the {} of {curr}.",
            words::time(other.slice.0),
            words::time(running.slice.0)
        ),
        Some((_, other)) if !other.eligible => {
            format!("{woken} asks for less than {curr}, but is not eligible ({}).", lag(&other))
        }
        Some((running, other)) if running.eligible && !other.deadline.before(running.deadline) => {
            format!("{woken} asks for less than {curr}, but its deadline is not earlier.")
        }
        Some(_) => format!("{curr} has no protection left to end."),
        None => format!("{woken} does not cut {curr} short."),
    };
    Check {
        title: format!("Does {woken} ask for a shorter slice than {curr}?"),
        result: if short { "yes: protection ends" } else { "no" }.to_owned(),
        sentence,
        kernel: "sched_feat(PREEMPT_SHORT) && do_preempt_short(cfs_rq, pse, se)".to_owned(),
        mark: if short { Mark::Yes } else { Mark::No },
        tasks: vec![facts.woken],
        skipped: !on,
        ..Check::default()
    }
}
