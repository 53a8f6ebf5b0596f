//! Groups of CPUs compared: their figures in words, and where a new task starts.

use schedscope_sim::balance::stats::{GroupStats, GroupType};
use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::domains::DomainId;
use schedscope_sim::place::fork::{Descent, GroupSeen, WhyCpu, WhyGroup};
use schedscope_sim::report::Evidence;
use schedscope_sim::units::{CpuId, TaskId};

use super::{Check, Cx, Mark, Told};
use crate::words;

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

pub(super) fn domain_name(cx: &Cx<'_>, domain: DomainId) -> &'static str {
    cx.domains.domain(domain).name.name()
}

/// `CPU 3` or `CPUs 0-7,128-135`.
pub(super) fn cpus(set: &CpuSet) -> String {
    let list = words::cpu_list(set);
    if set.len() == 1 { format!("CPU {list}") } else { format!("CPUs {list}") }
}

/// `3 tasks, 5 idle CPUs, load 2 048`
pub(super) fn figures(stats: &GroupStats) -> String {
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
            let stays = if exec { "it stays on" } else { "it starts on its parent's" };
            format!("No other group of CPUs is clearly less busy, so {stays} CPU {cpu}.")
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
