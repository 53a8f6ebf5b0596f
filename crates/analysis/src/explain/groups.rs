//! Groups of CPUs compared: where a new task starts, and whether tasks are pulled.

use schedscope_sim::balance::stats::{GroupStats, GroupType};
use schedscope_sim::balance::{Measure, TaskVerdict, Verdict, WhyBalanced};
use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::domains::DomainId;
use schedscope_sim::place::fork::{Descent, GroupSeen, WhyCpu, WhyGroup};
use schedscope_sim::report::{BalanceEvidence, BalanceKind, Decision, Evidence, Record};
use schedscope_sim::units::{CpuId, TaskId};

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

/// The name of a group's type, as an adjective.
#[must_use]
pub fn kind_name(kind: GroupType) -> &'static str {
    match kind {
        GroupType::HasSpare => "has_spare",
        GroupType::FullyBusy => "fully_busy",
        GroupType::SmtBalance => "smt_balance",
        GroupType::Imbalanced => "imbalanced",
        GroupType::Overloaded => "overloaded",
    }
}

fn domain_name(cx: &Cx<'_>, domain: DomainId) -> &'static str {
    cx.domains.domain(domain).name.name()
}

/// `CPU 3` or `CPUs 0-7,128-135`.
fn cpus(set: &CpuSet) -> String {
    let list = words::cpu_list(set);
    if set.len() == 1 { format!("CPU {list}") } else { format!("CPUs {list}") }
}

/// `3 tasks, 5 idle CPUs, load 2 048`
fn figures(stats: &GroupStats) -> String {
    format!(
        "{}, {}, load {}, {}",
        words::plural(u64::from(stats.nr_running), "task", "tasks"),
        words::plural(u64::from(stats.idle_cpus), "idle CPU", "idle CPUs"),
        words::count(stats.load),
        kind_name(stats.kind)
    )
}

/// Puts a fork or exec placement into words.
pub(super) fn fork(
    cx: &Cx<'_>,
    task: TaskId,
    this_cpu: CpuId,
    cpu: CpuId,
    exec: bool,
    evidence: &Evidence,
) -> Told {
    let name = cx.name(task);
    let steps: &[Descent] = match evidence {
        Evidence::Fork(seen) => &seen.descents,
        _ => &[],
    };
    let seen: &[GroupSeen] = match evidence {
        Evidence::Fork(seen) => &seen.groups,
        _ => &[],
    };
    let heading = if exec {
        let moves = if cpu == this_cpu { "stays on" } else { "moves to" };
        format!("{name} {moves} CPU {cpu}")
    } else {
        format!("{name} starts on CPU {cpu}")
    };
    let entered = steps.iter().rev().find(|step| step.group.is_some());
    let sentence = match entered {
        Some(Descent { domain, cpu: Some((found, why)), .. }) if *found == cpu => {
            let why = why_cpu(*found, *why);
            format!(
                "In the {} domain the least busy group is taken: {why}",
                domain_name(cx, *domain)
            )
        }
        _ if cpu == this_cpu => {
            let where_ = if exec { "its own" } else { "its parent's" };
            format!("No other group of CPUs is clearly less busy, so it is {where_} CPU {cpu}.")
        }
        _ => format!("The search ends at CPU {cpu}."),
    };
    let mut checks: Vec<Check> = steps.iter().map(|step| descent_check(cx, step, seen)).collect();
    checks.push(Check {
        title: "Result".to_owned(),
        result: format!("CPU {cpu}"),
        sentence: format!("{heading}. {sentence}"),
        kernel: "sched_balance_find_dst_cpu(sd, p, cpu, prev_cpu, sd_flag)".to_owned(),
        mark: Mark::Chosen,
        tasks: vec![task],
        ..Check::default()
    });
    Told {
        cpu,
        task: Some(task),
        heading,
        sentence,
        cause: if exec {
            format!("{name} executes another program on CPU {this_cpu}")
        } else {
            format!("{name} is new, its parent's CPU is {this_cpu}")
        },
        checks,
        ..Told::default()
    }
}

fn descent_check(cx: &Cx<'_>, step: &Descent, seen: &[GroupSeen]) -> Check {
    let domain = cx.domains.domain(step.domain);
    let name = domain.name.name();
    let of_step = || seen.iter().filter(|group| group.domain == step.domain);
    let local = of_step().find(|group| group.local);
    let span = |group| cpus(&cx.domains.group(group).span);
    let (result, mut sentence) = match (step.group, step.cpu) {
        (Some(group), Some((cpu, why))) => (
            match cx.domains.group(group).weight {
                1 => format!("CPU {cpu}"),
                _ => format!("{}: CPU {cpu}", span(group)),
            },
            format!("{} {}", why_group(step.why), why_cpu(cpu, why)),
        ),
        (Some(group), None) => (span(group), why_group(step.why).to_owned()),
        (None, _) => ("stay in this group".to_owned(), why_group(step.why).to_owned()),
    };
    if let Some(local) = local {
        sentence.push_str(&format!(" The group of CPU {}: {}.", step.from, figures(&local.stats)));
    }
    let chosen =
        step.group.and_then(|group| of_step().find(|seen| seen.group == group && !seen.local));
    if let Some(chosen) = chosen {
        sentence.push_str(&format!(" The other: {}.", figures(&chosen.stats)));
    }
    Check {
        title: format!("Which group of the {name} domain is the least busy?"),
        result,
        sentence,
        kernel: "sched_balance_find_dst_group(sd, p, cpu)".to_owned(),
        mark: if step.group.is_some() { Mark::Yes } else { Mark::No },
        probes: step.cpu.map(|(cpu, _)| (cpu, true, "idlest".to_owned())).into_iter().collect(),
        skipped: step.why == WhyGroup::NoFlag,
        ..Check::default()
    }
}

fn why_group(why: WhyGroup) -> &'static str {
    match why {
        WhyGroup::NoFlag => "This domain does not spread new tasks.",
        WhyGroup::NoOther => "No other group may be used.",
        WhyGroup::LocalNotAllowed => "The local group may not be used.",
        WhyGroup::LocalBetterType => "The local group is less busy by its type.",
        WhyGroup::OtherBetterType => "The other group is less busy by its type.",
        WhyGroup::LoadsClose => "The loads are close, or the local one is lower.",
        WhyGroup::OtherLessLoad => "The other group has clearly less load.",
        WhyGroup::LocalHasRoom => "The local group has room.",
        WhyGroup::OtherHasRoom => "The other group has room.",
        WhyGroup::LocalImbalanced => "Neither group is to be given more.",
        WhyGroup::NumaAllowance => {
            "A node may have a few more tasks than another before it matters."
        }
        WhyGroup::LocalAsIdle => "The local group has as many idle CPUs.",
        WhyGroup::OtherMoreIdle => "The other group has more idle CPUs.",
    }
}

fn why_cpu(cpu: CpuId, why: WhyCpu) -> String {
    match why {
        WhyCpu::OnlyOne => format!("CPU {cpu} is its only CPU."),
        WhyCpu::SchedIdle => format!("CPU {cpu} runs only SCHED_IDLE tasks."),
        WhyCpu::LatestIdle => format!("CPU {cpu} is idle and went idle last."),
        WhyCpu::LeastLoad => format!("None is idle, and CPU {cpu} has the least load."),
        WhyCpu::NoneAllowed => format!("None of its CPUs may be used, so it stays at CPU {cpu}."),
    }
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
    let sentence = format!("{who}: balanced in {}.", words::list(&names, 6));
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
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn balance_sentence(
    cx: &Cx<'_>,
    pass: &Pass,
    domain: &str,
    figures: Option<&BalanceEvidence>,
) -> String {
    let mut out = match (pass.verdict, pass.from) {
        (Verdict::NotOurs, _) => "Another CPU of its group balances for it.".to_owned(),
        (Verdict::Balanced(why), _) => format!("The {domain} domain: {}", why_balanced(why)),
        (Verdict::NoQueue, _) => {
            format!("The busiest group of the {domain} domain has no queue to pull from.")
        }
        (Verdict::Pulled, Some(from)) => {
            let names: Vec<TaskId> =
                figures.map_or_else(Vec::new, |f| f.moves.iter().map(|m| m.task).collect());
            let mut out = format!(
                "CPU {from} is the busiest of the busiest group of the {domain} \
                                   domain."
            );
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
            format!(
                "CPU {from} is the busiest of the {domain} domain, but no task of it may move \
                     now."
            )
        }
        (Verdict::AllPinned, _) => {
            format!("No task of the busiest CPUs of the {domain} domain may run here.")
        }
        (Verdict::Pulled | Verdict::Failed, None) => {
            format!("The {domain} domain has nothing to pull.")
        }
    };
    if pass.active
        && let Some(from) = pass.from
    {
        out.push_str(&format!(" The stopper of CPU {from} is to move a task (active balance)."));
    }
    out
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
            sentence: format!("{span}, {role}: {}.", self::figures(stats)),
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
