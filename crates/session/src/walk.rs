//! The moves of a lesson's step, made one after the other. A move that finds nothing is said.

use schedscope_analysis::index::Kinds;
use schedscope_analysis::words;
use schedscope_scenario::lesson::{Move, Stop, Stride as Kind, TaskName};
use schedscope_sim::event::Event;
use schedscope_sim::report::{Decision, Record, Report};
use schedscope_sim::units::{CpuId, TaskId};

use crate::run::Run;
use crate::session::find;
use crate::update::{DecisionKind, Moment};
use crate::{Goto, Stride};

/// Where the moves lead from a step; the last of them that looked for something.
///
/// # Errors
/// A sentence on the first move that finds nothing.
pub(crate) fn walk<'m>(
    run: &mut Run,
    moves: &'m [Move],
    from: u64,
) -> Result<(u64, Option<&'m Stop>), String> {
    let (mut here, mut sought) = (from, None);
    for way in moves {
        sought = None;
        here = match way {
            Move::Start => 0,
            Move::End => find(run, Goto::End),
            Move::Step(step) => {
                let there = find(run, Goto::Step(*step));
                if there < *step {
                    return Err(format!(
                        "the run ends with step {there}; there is no step {step}."
                    ));
                }
                there
            }
            Move::Time(time) => {
                let end = run.setup().end.0;
                if *time > end {
                    let (time, end) = (words::time(*time), words::time(end));
                    return Err(format!("the run ends at {end}; {time} is after that."));
                }
                find(run, Goto::Time(*time))
            }
            Move::Next(stop) | Move::Previous(stop) => {
                let forward = matches!(way, Move::Next(_));
                sought = Some(stop);
                search(run, stop, here, forward).ok_or_else(|| {
                    let side = if forward { "after" } else { "before" };
                    let time = words::time(run.index.time(here));
                    format!("there is no {} {side} {time}.", what(stop))
                })?
            }
        };
    }
    Ok((here, sought))
}

/// Which decision of the moment is the one that was looked for.
pub(crate) fn decision(run: &Run, moment: &Moment, stop: &Stop) -> Option<usize> {
    let kind = match stop.stride {
        Kind::Pick | Kind::Switch => DecisionKind::Pick,
        Kind::Placement => DecisionKind::Placement,
        Kind::Fork => DecisionKind::ForkPlacement,
        Kind::Preemption => DecisionKind::Preemption,
        Kind::Balance => DecisionKind::Balance,
        Kind::Event | Kind::Decision | Kind::Tick => return None,
    };
    let of = stop.of.as_ref().map(|name| task(run, name));
    let picks_nobody = of.is_none();
    let fits = |decision: &crate::update::Decision| {
        decision.kind == kind
            && (picks_nobody || decision.task.map(TaskId) == of.flatten())
            && stop.on.is_none_or(|cpu| decision.cpu == cpu)
    };
    match stop.stride {
        // Of a task that blocks at once, who runs after it.
        Kind::Switch => moment.decisions.iter().rposition(fits),
        _ => moment.decisions.iter().position(fits),
    }
}

/// The task of that name, once it has come to be.
pub(crate) fn task(run: &Run, name: &TaskName) -> Option<TaskId> {
    let row = run.document.row(&name.row)?;
    run.names.tasks_of(row as u16).nth(name.instance as usize - 1)
}

fn search(run: &mut Run, stop: &Stop, from: u64, forward: bool) -> Option<u64> {
    let stride = match stop.stride {
        Kind::Switch => Stride::Switch(stop.on.unwrap_or(0)),
        Kind::Pick => Stride::Kind(DecisionKind::Pick),
        Kind::Placement => Stride::Kind(DecisionKind::Placement),
        Kind::Fork => Stride::Kind(DecisionKind::ForkPlacement),
        Kind::Preemption => Stride::Kind(DecisionKind::Preemption),
        Kind::Balance => Stride::Kind(DecisionKind::Balance),
        Kind::Event => Stride::Event,
        Kind::Decision => Stride::Decision,
        Kind::Tick => Stride::Tick,
    };
    let (mut here, mut report) = (from, Report::new());
    loop {
        let there = match forward {
            true => find(run, Goto::Next(stride, here)),
            false => find(run, Goto::Previous(stride, here)),
        };
        if there == here || there == 0 {
            return None;
        }
        here = there;
        run.history.explain(here, &mut report);
        if report.records.iter().any(|record| fits(run, record, stop)) {
            return Some(here);
        }
    }
}

/// Whether a record is what is looked for.
fn fits(run: &Run, record: &Record, stop: &Stop) -> bool {
    let of = stop.of.as_ref().map(|name| task(run, name));
    let on = stop.on.map(CpuId);
    let kinds = match stop.stride {
        Kind::Event => return matches!(record, Record::Happened(..) | Record::Edited(..)),
        Kind::Tick => {
            return matches!(record, Record::Happened(_, Event::Tick(cpu))
                if on.is_none_or(|on| on == *cpu));
        }
        Kind::Decision => Kinds::DECISION,
        Kind::Pick | Kind::Switch => Kinds::PICK,
        Kind::Placement => Kinds::PLACEMENT,
        Kind::Fork => Kinds::FORK,
        Kind::Preemption => Kinds::PREEMPTION,
        Kind::Balance => Kinds::BALANCE.or(Kinds::BALANCE_IDLE),
    };
    let Record::Decided(decision) = record else { return false };
    let (task, cpus) = match *decision {
        Decision::Pick { cpu, next, .. } => (next, [cpu, cpu]),
        Decision::Preempt { cpu, woken, .. } => (Some(woken), [cpu, cpu]),
        Decision::Place { wakee, cpu, .. } | Decision::WokenInPlace { wakee, cpu, .. } => {
            (Some(wakee), [cpu, cpu])
        }
        Decision::ForkPlace { task, this_cpu, cpu, .. } => (Some(task), [this_cpu, cpu]),
        Decision::Balance { cpu, .. } => (None, [cpu, cpu]),
    };
    Kinds::of(decision).meets(kinds)
        && of.is_none_or(|of| of.is_some() && of == task)
        && on.is_none_or(|on| cpus.contains(&on))
}

/// "pick of B on CPU 0".
fn what(stop: &Stop) -> String {
    let mut what = stop.stride.name().to_owned();
    if let Some(name) = &stop.of {
        what.push_str(&format!(" of {name}"));
    }
    if let Some(cpu) = stop.on {
        what.push_str(&format!(" on CPU {cpu}"));
    }
    what
}
