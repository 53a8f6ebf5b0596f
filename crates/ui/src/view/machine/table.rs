//! The machine as words: a table behind the picture, and all that is known of one CPU.

use schedscope_session::update::{Cpu, Machine, Moment, TaskState};

use super::stage;
use crate::format;
use crate::view::{Look, Roster};

/// Titles of the columns of [`table`].
pub const TITLES: [&str; 7] = ["CPU", "core", "LLC", "node", "runs", "waiting", "util"];

/// One row a CPU, in the order of their numbers, as the picture shows them.
#[must_use]
pub fn table(machine: &Machine, moment: &Moment, roster: Roster, look: &Look) -> Vec<[String; 7]> {
    stage(moment, look)
        .iter()
        .zip(&machine.cpus)
        .enumerate()
        .map(|(cpu, (view, place))| {
            let runs = view.curr.map_or_else(|| "idle".to_owned(), |task| roster.label(task));
            let waiting: Vec<String> = view.waiting.iter().map(|&t| roster.label(t)).collect();
            [
                cpu.to_string(),
                place.core.to_string(),
                place.llc.to_string(),
                place.node.to_string(),
                runs,
                waiting.join(" "),
                view.util.to_string(),
            ]
        })
        .collect()
}

/// What is known of a CPU, as names and values, for a readout beside the picture.
#[must_use]
pub fn readout(
    machine: &Machine,
    moment: &Moment,
    roster: Roster,
    look: &Look,
    cpu: Cpu,
) -> Vec<(&'static str, String)> {
    let cpus = stage(moment, look);
    let at = usize::from(cpu);
    let (Some(view), Some(place)) = (cpus.get(at), machine.cpus.get(at)) else {
        return Vec::new();
    };
    let mut lines = vec![("CPU", cpu.to_string())];
    if machine.threads_per_core > 1 {
        let siblings: Vec<Cpu> = (0..)
            .zip(&machine.cpus)
            .filter(|(other, p)| p.core == place.core && *other != cpu)
            .map(|(other, _)| other)
            .collect();
        lines.push(("core", format!("{}, with {}", place.core, format::cpu_list(&siblings))));
    }
    let llc = machine.llcs.get(usize::from(place.llc)).map_or(0, Vec::len);
    lines.push(("LLC", format!("{}, {}", place.llc, format::plural(llc as u64, "CPU", "CPUs"))));
    if machine.nodes > 1 {
        lines.push(("node", place.node.to_string()));
    }
    lines.push((
        "runs",
        match (view.curr, view.idle_since) {
            (Some(task), _) => format!("{} {}", roster.label(task), roster.name(task)),
            (None, Some(since)) => {
                let for_how_long = format::duration(moment.now.saturating_sub(since));
                format!("idle for {for_how_long}")
            }
            (None, None) => "idle".to_owned(),
        },
    ));
    if !view.waiting.is_empty() {
        let waiting: Vec<String> = view
            .waiting
            .iter()
            .map(|&task| {
                let state = roster.moment.tasks.get(task as usize).map(|task| task.state);
                let asleep = if state == Some(TaskState::Delayed) { " (asleep)" } else { "" };
                roster.label(task) + asleep
            })
            .collect();
        lines.push(("waits", waiting.join(", ")));
    }
    lines.push(("util", format!("{} of 1024", view.util)));
    if view.khz > 0 {
        lines.push(("clock", format!("{} GHz", format::ghz(view.khz))));
    }
    lines
}
