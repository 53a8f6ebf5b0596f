//! The CPUs as they stood when the check looked at was made.
//!
//! A [`Moment`] holds the state *after* its step. A picture must not show what comes of a decision
//! before its last check is made, nor of the decisions that follow it in the same step: they are
//! taken back, the last one first.

use schedscope_session::update::{CpuView, Decision, DecisionKind, Moment, Picture};

use crate::view::Look;

/// The CPUs as they stood.
#[must_use]
pub fn stage(moment: &Moment, look: &Look) -> Vec<CpuView> {
    let mut cpus = moment.cpus.clone();
    for (i, decision) in moment.decisions.iter().enumerate().rev() {
        let over = i == look.decision && is_over(decision, look.check);
        if i >= look.decision && !over {
            take_back(&mut cpus, decision);
        }
    }
    cpus
}

/// Whether the last check of a decision is the current one, so that its outcome is known.
#[must_use]
pub fn is_over(decision: &Decision, check: usize) -> bool {
    check.saturating_add(1) >= decision.checks.len()
}

/// CPUs that look different; only their cells need to be drawn anew.
#[must_use]
pub fn changed(a: &[CpuView], b: &[CpuView]) -> Vec<u16> {
    let longest = a.len().max(b.len());
    let seen = |cpu: &CpuView| (cpu.curr, cpu.waiting.clone(), cpu.delayed, cpu.khz);
    (0..longest)
        .filter(|&i| match (a.get(i), b.get(i)) {
            (Some(a), Some(b)) => a != b && seen(a) != seen(b),
            _ => true,
        })
        .map(|i| i as u16)
        .collect()
}

fn take_back(cpus: &mut [CpuView], decision: &Decision) {
    match (&decision.picture, decision.kind) {
        (Picture::Pick(pick), DecisionKind::Pick) if pick.decided => {
            if let Some(cpu) = cpus.get_mut(usize::from(pick.cpu)) {
                cpu.curr = pick.curr;
                let queued = pick.rows.iter().filter(|row| Some(row.task) != pick.curr);
                cpu.delayed = queued.clone().filter(|row| row.delayed).count() as u16;
                cpu.waiting = queued.map(|row| row.task).collect();
            }
        }
        (Picture::Place(place), _) => {
            let was_idle = place.idle.get(usize::from(place.chosen)).copied().unwrap_or(false);
            if let Some(cpu) = cpus.get_mut(usize::from(place.chosen)) {
                remove(cpu, place.wakee, was_idle);
            }
        }
        (Picture::Groups(groups), DecisionKind::ForkPlacement) => {
            let chosen = groups.chosen.and_then(|cpu| cpus.get_mut(usize::from(cpu)));
            if let (Some(cpu), Some(task)) = (chosen, decision.task) {
                remove(cpu, task, false);
            }
        }
        (Picture::Groups(groups), DecisionKind::Balance) => {
            for &task in &groups.moved {
                if let Some(cpu) = cpus.get_mut(usize::from(groups.this_cpu)) {
                    remove(cpu, task, false);
                }
                if let Some(cpu) = groups.chosen.and_then(|cpu| cpus.get_mut(usize::from(cpu))) {
                    cpu.waiting.push(task);
                }
            }
        }
        _ => {}
    }
}

/// Takes a task off a CPU. What it displaced is the first of those that wait.
fn remove(cpu: &mut CpuView, task: u32, was_idle: bool) {
    cpu.waiting.retain(|&waiting| waiting != task);
    if cpu.curr == Some(task) {
        let displaced = !was_idle && !cpu.waiting.is_empty();
        cpu.curr = displaced.then(|| cpu.waiting.remove(0));
    }
}
