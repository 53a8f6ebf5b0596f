//! What happened in a step, as a sentence.

use schedscope_sim::event::Event;
use schedscope_sim::fair::reason::Resched;
use schedscope_sim::report::{Change, Decision, Off, PickCause, Record};
use schedscope_sim::setup::Edit;
use schedscope_sim::units::{CpuId, TaskId};

use super::Cx;
use crate::words;

/// How many names a sentence lists.
const NAMES: usize = 4;

/// The sentence, and the CPU it happened on.
pub(super) fn sentence(
    cx: &Cx<'_>,
    records: &[Record],
    running: &[Option<TaskId>],
) -> (String, Option<CpuId>) {
    let changes = || {
        records.iter().filter_map(|record| match record {
            Record::Changed(change) => Some(*change),
            _ => None,
        })
    };
    let enqueued = |task: Option<TaskId>| {
        changes().find_map(|change| match change {
            Change::Enqueued { task: who, cpu } | Change::WakeListed { task: who, cpu }
                if task.is_none_or(|task| task == who) =>
            {
                Some(cpu)
            }
            _ => None,
        })
    };
    match records.first() {
        Some(Record::Happened(_, event)) => match *event {
            Event::BurstEnd(cpu) => (burst_end(cx, records, running, cpu), Some(cpu)),
            Event::WakeIpi(cpu) => {
                let tasks: Vec<TaskId> = changes()
                    .filter_map(|change| match change {
                        Change::Enqueued { task, cpu: there } if there == cpu => Some(task),
                        _ => None,
                    })
                    .collect();
                let names = words::list(&cx.names(&tasks), NAMES);
                let sentence = match tasks.len() {
                    0 => format!("CPU {cpu} finds its wake list empty."),
                    1 => format!("{names} arrives on CPU {cpu} by IPI."),
                    _ => format!("{names} arrive on CPU {cpu} by IPI."),
                };
                (sentence, Some(cpu))
            }
            Event::ReschedIpi(cpu) => {
                (format!("CPU {cpu} is asked to reschedule by another CPU."), Some(cpu))
            }
            Event::Timer(task) => {
                let cpu = changes().find_map(|change| match change {
                    Change::Woken { this_cpu, .. } => Some(this_cpu),
                    _ => None,
                });
                let name = cx.name(task);
                match cpu {
                    Some(cpu) => (format!("The timer of {name} expires on CPU {cpu}."), Some(cpu)),
                    None => (format!("The timer of {name} expires."), None),
                }
            }
            Event::Interrupt(number) => {
                let cpu = changes().find_map(|change| match change {
                    Change::Woken { this_cpu, .. } => Some(this_cpu),
                    _ => None,
                });
                match cpu {
                    Some(cpu) => (format!("Interrupt {number} comes to CPU {cpu}."), Some(cpu)),
                    None => (format!("Interrupt {number} comes and wakes nobody."), None),
                }
            }
            Event::Start(task) => {
                let name = cx.name(task);
                match enqueued(Some(task)) {
                    Some(cpu) => (format!("{name} starts on CPU {cpu}."), Some(cpu)),
                    None => (format!("{name} starts."), None),
                }
            }
            Event::Tick(cpu) => (tick(cx, records, running, cpu), Some(cpu)),
            Event::IdleBalance(cpu) => {
                (format!("Idle CPU {cpu} balances for all idle CPUs."), Some(cpu))
            }
        },
        Some(&Record::Edited(_, input)) => {
            let sentence = match cx.setup.inputs.get(input as usize) {
                Some(input) => format!("{}.", self::edit(cx, &input.edit)),
                None => "Something is changed from outside.".to_owned(),
            };
            (sentence, enqueued(None))
        }
        _ => ("Nothing has happened yet.".to_owned(), None),
    }
}

/// What the running task does when its work is done: wakes, forks, sleeps, exits.
fn burst_end(cx: &Cx<'_>, records: &[Record], running: &[Option<TaskId>], cpu: CpuId) -> String {
    let Some(task) = running.get(cpu.index()).copied().flatten() else {
        return format!("The running task of CPU {cpu} has done its work.");
    };
    let mut woken = Vec::new();
    let mut forked = Vec::new();
    let mut end = None;
    for record in records {
        match *record {
            Record::Changed(Change::Woken { task: wakee, waker, .. }) if waker == Some(task) => {
                woken.push(wakee);
            }
            Record::Changed(Change::Forked { child, parent }) if parent == Some(task) => {
                forked.push(child);
            }
            Record::Changed(Change::Dequeued { task: who, why, .. }) if who == task => {
                end = match why {
                    Off::Sleep => Some("goes to sleep"),
                    Off::Delayed => Some("goes to sleep but stays queued"),
                    Off::Exit => Some("exits"),
                    Off::DelayedDone | Off::Migrate => end,
                };
            }
            Record::Decided(Decision::Pick { prev, cause: PickCause::Yield, .. })
                if prev == Some(task) =>
            {
                end = end.or(Some("yields"));
            }
            // What comes after it has left the CPU is no longer its doing.
            Record::Changed(Change::Switched { prev, .. }) if prev == Some(task) => break,
            _ => {}
        }
    }
    let mut does = Vec::new();
    if !woken.is_empty() {
        does.push(format!("wakes {}", words::list(&cx.names(&woken), NAMES)));
    }
    if !forked.is_empty() {
        does.push(format!("starts {}", words::list(&cx.names(&forked), NAMES)));
    }
    does.extend(end.map(str::to_owned));
    let name = cx.name(task);
    if does.is_empty() {
        format!("{name} goes on with its next operation on CPU {cpu}.")
    } else {
        format!("{name} on CPU {cpu} {}.", words::list(&does, usize::MAX))
    }
}

fn tick(cx: &Cx<'_>, records: &[Record], running: &[Option<TaskId>], cpu: CpuId) -> String {
    let curr = running.get(cpu.index()).copied().flatten();
    let why =
        records.iter().find_map(|record| match *record {
            Record::Decided(Decision::Pick {
                cpu: there, cause: PickCause::Resched(why), ..
            }) if there == cpu => Some(why),
            _ => None,
        });
    match (curr, why) {
        (Some(curr), Some(Resched::RequestDone)) => {
            format!("The tick on CPU {cpu} finds that {} has used its slice.", cx.name(curr))
        }
        (Some(curr), Some(Resched::NotEligible)) => {
            format!("The tick on CPU {cpu} finds that {} is not eligible.", cx.name(curr))
        }
        (Some(curr), _) => format!("The tick on CPU {cpu} charges {}.", cx.name(curr)),
        (None, _) => format!("The tick on CPU {cpu}."),
    }
}

/// A change made from outside, as a clause without a full stop: `the nice of D becomes −10`, with a
/// capital.
#[must_use]
pub fn edit(cx: &Cx<'_>, edit: &Edit) -> String {
    match *edit {
        Edit::Nice(task, nice) => {
            format!("The nice of {} becomes {}", cx.name(task), words::signed(nice.get().into()))
        }
        Edit::LatencyNice(task, value) => {
            let value = words::signed(value.get().into());
            format!("The latency-nice of {} becomes {value}", cx.name(task))
        }
        Edit::Slice(task, Some(slice)) => {
            format!("The slice of {} becomes {}", cx.name(task), words::time(slice.0))
        }
        Edit::Slice(task, None) => format!("{} gets the default slice back", cx.name(task)),
        Edit::Affinity(task, Some(mask)) => {
            format!("{} may run on CPUs {} only", cx.name(task), words::cpu_list(&mask))
        }
        Edit::Affinity(task, None) => format!("{} may run on any CPU", cx.name(task)),
        Edit::Group(task, Some(group)) => {
            format!("{} goes to the group {}", cx.name(task), cx.group_name(group))
        }
        Edit::Group(task, None) => format!("{} leaves its group", cx.name(task)),
        Edit::Shares(group, shares) => {
            format!("The shares of {} become {shares}", cx.group_name(group))
        }
        Edit::GroupLatencyNice(group, value) => {
            let value = words::signed(value.get().into());
            format!("The latency-nice of {} becomes {value}", cx.group_name(group))
        }
        Edit::Move(task, cpu) => format!("{} is moved to CPU {cpu}", cx.name(task)),
        Edit::Spawn(spec, Some(cpu)) => {
            format!("A task of {} is started on CPU {cpu}", (cx.spec_name)(spec.0))
        }
        Edit::Spawn(spec, None) => format!("A task of {} is started", (cx.spec_name)(spec.0)),
        Edit::Kill(task) => format!("{} is ended", cx.name(task)),
    }
}
