//! Whether tasks are pulled from one CPU to another (`load_balance`): who looked, what it saw, what
//! moved, and why the rest did not.

use schedscope_sim::balance::{Measure, TaskVerdict, Verdict, WhyBalanced};
use schedscope_sim::report::{BalanceEvidence, BalanceKind, Decision, Evidence, Record};
use schedscope_sim::units::{CpuId, TaskId};

use super::groups::{cpus, domain_name, kind_name};
use super::{Check, Cx, Mark, Told};
use crate::index::Kinds;
use crate::words;

/// What the record of a balance pass says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    pub(super) cpu: CpuId,
    pub(super) level: u8,
    pub(super) kind: BalanceKind,
    pub(super) verdict: Verdict,
    pub(super) from: Option<CpuId>,
    pub(super) moved: u16,
    pub(super) active: bool,
}

/// Puts a balance pass into words.
pub(super) fn balance(cx: &Cx<'_>, pass: &Pass, evidence: &Evidence) -> Told {
    let cpu = pass.cpu;
    let domain = cx
        .domains
        .chain(cpu)
        .get(usize::from(pass.level))
        .map_or("?", |&id| cx.domains.domain(id).name.name());
    let figures = match evidence {
        Evidence::Balance(figures) => Some(&**figures),
        _ => None,
    };
    let heading = match (pass.from, pass.moved) {
        (Some(from), 1..) => format!(
            "CPU {cpu} pulls {} from CPU {from}",
            words::plural(u64::from(pass.moved), "task", "tasks")
        ),
        _ => format!("CPU {cpu} pulls nothing"),
    };
    let sentence = balance_sentence(cx, pass, domain, figures);
    let cause = match pass.kind {
        BalanceKind::Periodic => format!("a tick of busy CPU {cpu}"),
        BalanceKind::Idle => format!("CPU {cpu} is idle"),
        BalanceKind::NewIdle => format!("CPU {cpu} is about to go idle"),
    };
    let mut checks = Vec::new();
    if let Some(figures) = figures {
        checks.extend(balance_checks(cx, pass, domain, figures));
    }
    checks.push(Check {
        title: "Result".to_owned(),
        result: match (pass.moved, pass.active) {
            (0, false) => "nothing".to_owned(),
            (0, true) => "active balance".to_owned(),
            (moved, _) => words::plural(u64::from(moved), "task", "tasks"),
        },
        sentence: format!("{heading}. {sentence}"),
        kernel: "sched_balance_rq(cpu, rq, sd, idle, &balance)".to_owned(),
        mark: Mark::Chosen,
        tasks: figures.map_or_else(Vec::new, |f| f.moves.iter().map(|m| m.task).collect()),
        ..Check::default()
    });
    let task = figures.and_then(|figures| figures.moves.first()).map(|moved| moved.task);
    Told { cpu, task, heading, sentence, cause, checks, ..Told::default() }
}

/// Whether a decision is one of those that [`fold`] puts together.
#[must_use]
pub fn is_folded(decision: &Decision) -> bool {
    matches!(decision, Decision::Balance { verdict: Verdict::Balanced(_), .. })
}

/// The balance passes of a step that found all well, as one decision with a check for each level;
/// `None` if there are fewer than two.
#[must_use]
pub fn fold(cx: &Cx<'_>, records: &[Record]) -> Option<Told> {
    struct Level {
        name: &'static str,
        passes: u64,
        whys: Vec<(WhyBalanced, u64)>,
    }
    let mut levels: Vec<Level> = Vec::new();
    let mut cpus: Vec<CpuId> = Vec::new();
    let mut all = 0;
    for record in records {
        let Record::Decided(Decision::Balance {
            cpu, level, verdict: Verdict::Balanced(why), ..
        }) = record
        else {
            continue;
        };
        all += 1;
        if !cpus.contains(cpu) {
            cpus.push(*cpu);
        }
        let domain = cx.domains.chain(*cpu).get(usize::from(*level));
        let name = domain.map_or("?", |&id| domain_name(cx, id));
        let known = levels.iter().position(|level| level.name == name);
        let at = known.unwrap_or_else(|| {
            levels.push(Level { name, passes: 0, whys: Vec::new() });
            levels.len() - 1
        });
        let level = &mut levels[at];
        level.passes += 1;
        match level.whys.iter_mut().find(|(known, _)| known == why) {
            Some((_, times)) => *times += 1,
            None => level.whys.push((*why, 1)),
        }
    }
    if all < 2 {
        return None;
    }
    let cpu = *cpus.first()?;
    let who = match cpus.len() as u64 - 1 {
        0 => format!("CPU {cpu}"),
        more => format!("CPU {cpu} and {}", words::plural(more, "more CPU", "more CPUs")),
    };
    let heading = format!("{} find nothing to pull", words::plural(all, "passes", "passes"));
    let names: Vec<String> = levels.iter().map(|level| level.name.to_owned()).collect();
    let domains = if names.len() == 1 && cpus.len() == 1 { "domain" } else { "domains" };
    let are = if domains == "domain" { "is" } else { "are" };
    let sentence = format!("The {} {domains} of {who} {are} in balance.", words::list(&names, 6));
    let mut checks: Vec<Check> = levels
        .iter()
        .map(|level| {
            let whys: Vec<String> = level
                .whys
                .iter()
                .map(|(why, times)| {
                    let why = capital(why_balanced(*why));
                    if *times == level.passes { why } else { format!("{times} times: {why}") }
                })
                .collect();
            Check {
                title: format!("Is the {} domain out of balance?", level.name),
                result: match level.passes {
                    1 => "no".to_owned(),
                    passes => format!("no, {passes} passes"),
                },
                sentence: whys.join(" "),
                kernel: "sched_balance_find_src_group(env)".to_owned(),
                mark: Mark::No,
                ..Check::default()
            }
        })
        .collect();
    checks.push(Check {
        title: "Result".to_owned(),
        result: "nothing".to_owned(),
        sentence: format!("{heading}. {sentence}"),
        kernel: "sched_balance_rq(cpu, rq, sd, idle, &balance)".to_owned(),
        mark: Mark::Chosen,
        ..Check::default()
    });
    Some(Told {
        kind: Kinds::BALANCE_IDLE,
        cpu,
        heading,
        sentence,
        cause: format!("balancing is due for {who}"),
        checks,
        ..Told::default()
    })
}

/// The same with a capital.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        [first.to_ascii_uppercase()].into_iter().chain(chars).collect()
    })
}

fn balance_sentence(
    cx: &Cx<'_>,
    pass: &Pass,
    domain: &str,
    figures: Option<&BalanceEvidence>,
) -> String {
    let busiest = figures.and_then(|figures| busiest(cx, figures));
    let mut out = match (pass.verdict, pass.from) {
        (Verdict::NotOurs, _) => "Another CPU of its group balances for it.".to_owned(),
        (Verdict::Balanced(why), _) => {
            format!("Its {domain} domain{}: {}", span(cx, pass), why_balanced(why))
        }
        (Verdict::NoQueue, _) => {
            format!("The busiest group of its {domain} domain has no queue to pull from.")
        }
        (Verdict::Pulled, Some(from)) => {
            let names: Vec<TaskId> =
                figures.map_or_else(Vec::new, |f| f.moves.iter().map(|m| m.task).collect());
            let mut out = found(domain, busiest.as_deref(), from);
            match names.as_slice() {
                [] => {}
                [one] => out.push_str(&format!(" {} moves.", cx.name(*one))),
                many => {
                    out.push_str(&format!(" {} move.", words::list(&cx.names(many), 6)));
                }
            }
            out
        }
        (Verdict::Failed, Some(from)) => {
            let why = figures.map_or_else(String::new, |figures| stay(cx, figures));
            let found = found(domain, busiest.as_deref(), from);
            match why.is_empty() {
                true => format!("{found} No task of it may move now."),
                false => format!("{found} {why}"),
            }
        }
        (Verdict::AllPinned, _) => {
            format!("No task of the busiest CPUs of its {domain} domain may run here.")
        }
        (Verdict::Pulled | Verdict::Failed, None) => {
            format!("Its {domain} domain has nothing to pull.")
        }
    };
    if pass.active
        && let Some(from) = pass.from
    {
        out.push_str(&format!(" The stopper of CPU {from} is to move a task (active balance)."));
    }
    out
}

/// ` (CPUs 0-7)`: of the domain.
fn span(cx: &Cx<'_>, pass: &Pass) -> String {
    let domain = cx.domains.chain(pass.cpu).get(usize::from(pass.level));
    domain.map_or_else(String::new, |&id| format!(" ({})", cpus(&cx.domains.domain(id).span)))
}

/// `CPUs 0-3 (9 tasks, 0 idle CPUs)`: the busiest group.
fn busiest(cx: &Cx<'_>, figures: &BalanceEvidence) -> Option<String> {
    let group = figures.outcome.group?;
    let (_, stats) = figures.seen.groups.iter().find(|(id, _)| *id == group)?;
    Some(format!(
        "{} ({}, {})",
        cpus(&cx.domains.group(group).span),
        words::plural(u64::from(stats.nr_running), "task", "tasks"),
        words::plural(u64::from(stats.idle_cpus), "idle CPU", "idle CPUs")
    ))
}

/// Where the most is.
fn found(domain: &str, busiest: Option<&str>, from: CpuId) -> String {
    match busiest {
        // A group of one CPU needs no second look.
        Some(group) if group.starts_with("CPU ") => {
            format!("The busiest group of its {domain} domain is {group}.")
        }
        Some(group) => format!(
            "The busiest group of its {domain} domain is {group}, and there CPU {from} has the most."
        ),
        None => format!("CPU {from} has the most in its {domain} domain."),
    }
}

/// Why tasks stay, the same reasons together: `A is running, B and C ran just now (cache hot).`
fn stay(cx: &Cx<'_>, figures: &BalanceEvidence) -> String {
    let reasons = [
        (TaskVerdict::Running, "is running", "are running"),
        (TaskVerdict::CacheHot, "ran just now (cache hot)", "ran just now (cache hot)"),
        (TaskVerdict::NotAllowed, "may not run here", "may not run here"),
        (TaskVerdict::PerCpuKthread, "is bound to its CPU", "are bound to their CPU"),
        (TaskVerdict::TooLarge, "is more than is to move", "are each more than is to move"),
    ];
    let parts = reasons.iter().filter_map(|(verdict, one, many)| {
        let tasks = figures.seen.tasks.iter().filter(|(_, _, why)| why == verdict);
        let mut tasks: Vec<TaskId> = tasks.map(|(task, ..)| *task).collect();
        tasks.dedup();
        let are = if tasks.len() == 1 { one } else { many };
        (!tasks.is_empty()).then(|| format!("{} {are}", words::list(&cx.names(&tasks), 3)))
    });
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { String::new() } else { format!("{}.", parts.join(", ")) }
}

fn why_balanced(why: WhyBalanced) -> &'static str {
    match why {
        WhyBalanced::NoBusiest => "no other group has a task.",
        WhyBalanced::NoneOverCapacity => "no other group has more tasks than cores.",
        WhyBalanced::LocalWorse => "the local group is busier by its type.",
        WhyBalanced::LocalAsLoaded => "the local group has at least as much load as the busiest.",
        WhyBalanced::LocalAboveAverage => "the local group is above the average load.",
        WhyBalanced::WithinTolerance => "the difference in load is within the domain's tolerance.",
        WhyBalanced::CpuBusy => "no group is overloaded, and this CPU has work.",
        WhyBalanced::IdleAlike => "the local group has at most one idle CPU more than the busiest.",
        WhyBalanced::OneTask => "the busiest group has only one task.",
        WhyBalanced::NothingToMove => "the difference rounds to nothing.",
    }
}

fn balance_checks(cx: &Cx<'_>, pass: &Pass, domain: &str, figures: &BalanceEvidence) -> Vec<Check> {
    let mut checks = Vec::new();
    let busiest = figures.outcome.group;
    for (i, (group, stats)) in figures.seen.groups.iter().enumerate() {
        let span = &cx.domains.group(*group).span;
        let are = if span.len() == 1 { "is" } else { "are" };
        let span = cpus(span);
        let role = match i {
            0 => "the local group",
            _ if busiest == Some(*group) => "the busiest",
            _ => "another",
        };
        checks.push(Check {
            title: format!("How busy {are} {span}?"),
            result: kind_name(stats.kind).to_owned(),
            sentence: format!("{span}, {role}: {}.", super::groups::figures(stats)),
            kernel: "update_sg_lb_stats(env, sds, sg, sgs, &sg_overloaded)".to_owned(),
            mark: if busiest == Some(*group) { Mark::Yes } else { Mark::Plain },
            ..Check::default()
        });
    }
    let balanced = matches!(pass.verdict, Verdict::Balanced(_));
    checks.push(Check {
        title: format!("Is the {domain} domain out of balance?"),
        result: if balanced { "no" } else { "yes" }.to_owned(),
        sentence: match pass.verdict {
            Verdict::Balanced(why) => capital(why_balanced(why)),
            _ => "The busiest group has more than the local one, by more than the rules allow."
                .to_owned(),
        },
        kernel: "sched_balance_find_src_group(env)".to_owned(),
        mark: if balanced { Mark::No } else { Mark::Yes },
        ..Check::default()
    });
    if balanced {
        return checks;
    }
    if let (Some(amount), Some(from)) = (figures.seen.amount, pass.from) {
        let by = match amount.measure {
            Measure::Load => "load",
            Measure::Util => "utilisation",
            Measure::Tasks => "tasks",
        };
        checks.push(Check {
            title: "How much is to move, and from which CPU?".to_owned(),
            result: format!("{} by {by}, CPU {from}", words::signed_count(amount.amount)),
            sentence: format!(
                "Counted by {by}, {} is to move. CPU {from} has the most in its group.",
                words::signed_count(amount.amount)
            ),
            kernel: "sched_balance_find_src_rq(env, group)".to_owned(),
            mark: Mark::Yes,
            probes: vec![(from, false, "busiest".to_owned())],
            ..Check::default()
        });
    }
    for &(task, to, verdict) in &figures.seen.tasks {
        let name = cx.name(task);
        let (result, sentence) = match verdict {
            TaskVerdict::Moved => ("moves", format!("{name} goes to CPU {to}.")),
            TaskVerdict::PerCpuKthread => {
                ("stays: kthread", format!("{name} is a kernel thread of its CPU."))
            }
            TaskVerdict::NotAllowed => {
                ("stays: not allowed", format!("{name} may not run on CPU {to}."))
            }
            TaskVerdict::Running => ("stays: running", format!("{name} is running.")),
            TaskVerdict::CacheHot => {
                ("stays: cache hot", format!("{name} ran less than 0.5 ms ago."))
            }
            TaskVerdict::TooLarge => {
                ("stays: too large", format!("{name} is more than is to be moved."))
            }
        };
        checks.push(Check {
            title: format!("May {name} move to CPU {to}?"),
            result: result.to_owned(),
            sentence,
            kernel: "can_migrate_task(p, env)".to_owned(),
            mark: if verdict == TaskVerdict::Moved { Mark::Yes } else { Mark::No },
            tasks: vec![task],
            ..Check::default()
        });
    }
    checks
}
