//! Groups of CPUs compared: where a new task starts, and whether tasks are pulled.

use schedscope_sim::report::{BalanceKind, Evidence};
use schedscope_sim::units::{CpuId, TaskId};

use super::{Check, Cx, Mark, Told};
use crate::words;

/// What the record of a balance pass says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    pub(super) cpu: CpuId,
    pub(super) level: u8,
    pub(super) kind: BalanceKind,
    pub(super) from: Option<CpuId>,
    pub(super) moved: u16,
}

/// Puts a fork placement into words.
pub(super) fn fork(
    cx: &Cx<'_>,
    task: TaskId,
    this_cpu: CpuId,
    cpu: CpuId,
    _evidence: &Evidence,
) -> Told {
    let name = cx.name(task);
    let sentence = if cpu == this_cpu {
        format!("No other group of CPUs is less loaded, so {name} starts on its parent's CPU {cpu}.")
    } else {
        format!(
            "From the widest domain down, the least loaded group is taken, and in the last one the \
             least loaded CPU: CPU {cpu}."
        )
    };
    let check = Check {
        title: "Which CPU is the least loaded?".to_owned(),
        result: format!("CPU {cpu}"),
        sentence: sentence.clone(),
        kernel: "sched_balance_find_dst_cpu(sd, p, cpu, prev_cpu, sd_flag)".to_owned(),
        mark: Mark::Chosen,
        tasks: vec![task],
        ..Check::default()
    };
    Told {
        cpu,
        task: Some(task),
        heading: format!("{name} starts on CPU {cpu}"),
        sentence,
        cause: format!("{name} is new on CPU {this_cpu}"),
        checks: vec![check],
        ..Told::default()
    }
}

/// Puts a balance pass into words.
pub(super) fn balance(cx: &Cx<'_>, pass: &Pass, _evidence: &Evidence) -> Told {
    let cpu = pass.cpu;
    let domain = cx
        .domains
        .chain(cpu)
        .get(usize::from(pass.level))
        .map_or("?", |&id| cx.domains.domain(id).name.name());
    let (heading, sentence) = match (pass.from, pass.moved) {
        (Some(from), 0) => (
            format!("CPU {cpu} pulls nothing"),
            format!(
                "CPU {from} is the busiest of the {domain} domain, but none of its tasks may move \
                 now."
            ),
        ),
        (None, _) => (
            format!("CPU {cpu} pulls nothing"),
            format!("The groups of the {domain} domain are balanced."),
        ),
        (Some(from), moved) => (
            format!("CPU {cpu} pulls {} from CPU {from}", words::plural(
                u64::from(moved), "task", "tasks"
            )),
            format!("CPU {from} is the busiest of the {domain} domain."),
        ),
    };
    let cause = match pass.kind {
        BalanceKind::Periodic => format!("a tick of busy CPU {cpu}"),
        BalanceKind::Idle => format!("CPU {cpu} is idle"),
        BalanceKind::NewIdle => format!("CPU {cpu} is about to go idle"),
    };
    let check = Check {
        title: format!("Is the {domain} domain out of balance?"),
        result: match (pass.from, pass.moved) {
            (Some(from), 0) => format!("CPU {from}, nothing movable"),
            (Some(from), moved) => format!("{moved} from CPU {from}"),
            (None, _) => "no".to_owned(),
        },
        sentence: sentence.clone(),
        kernel: "sched_balance_rq(cpu, rq, sd, idle, &balance)".to_owned(),
        mark: Mark::Chosen,
        ..Check::default()
    };
    Told { cpu, heading, sentence, cause, checks: vec![check], ..Told::default() }
}
