//! The CPUs as they stood when the check looked at was made.
//!
//! A [`Moment`] holds the state after its step and, of CPUs that changed, the state before. A
//! picture must not show what comes of a decision before its last check is made: it starts from
//! the state before the step and applies the decisions that are over, in their causal order. Of the
//! decision looked at it shows the queue that the decision saw: who came is queued already.

use schedscope_session::update::{CpuView, Decision, DecisionKind, Moment, PickPicture, Picture};

use crate::view::Look;

/// The CPUs as they stood.
#[must_use]
pub fn stage(moment: &Moment, look: &Look) -> Vec<CpuView> {
    let mut cpus = moment.cpus.clone();
    let Some(last) = moment.decisions.len().checked_sub(1) else { return cpus };
    let current = look.decision.min(last);
    let over = is_over(&moment.decisions[current], look.check);
    if current == last && over {
        // A task that is woken by IPI is on no queue yet.
        if let Picture::Place(_) = moment.decisions[current].picture {
            apply(&mut cpus, &moment.decisions[current]);
        }
        return cpus;
    }
    for (cpu, before) in &moment.before {
        if let Some(view) = cpus.get_mut(usize::from(*cpu)) {
            view.clone_from(before);
        }
    }
    let done = if over { current + 1 } else { current };
    for decision in &moment.decisions[..done] {
        apply(&mut cpus, decision);
    }
    if let (false, Picture::Pick(pick)) = (over, &moment.decisions[current].picture) {
        queue(&mut cpus, pick.at(look.check));
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
    let seen = |cpu: &CpuView| (cpu.curr, cpu.waiting.clone(), cpu.delayed, cpu.khz);
    (0..a.len().max(b.len()))
        .filter(|&i| match (a.get(i), b.get(i)) {
            (Some(a), Some(b)) => a != b && seen(a) != seen(b),
            _ => true,
        })
        .map(|i| i as u16)
        .collect()
}

/// What a decision does to the CPUs, as far as it is drawn.
fn apply(cpus: &mut [CpuView], decision: &Decision) {
    match (&decision.picture, decision.kind) {
        (Picture::Pick(whole), kind) => {
            let pick = whole.at(usize::MAX);
            if let (DecisionKind::Pick, Some(cpu)) = (kind, cpus.get_mut(usize::from(pick.cpu))) {
                // With groups, the root's part chose a group.
                cpu.curr = whole.inside.first().map_or(pick.chosen, |inside| inside.chosen);
            }
            queue(cpus, pick);
        }
        (Picture::Place(place), _) => put(cpus, Some(place.chosen), place.wakee),
        (Picture::Groups(groups), DecisionKind::Balance) => {
            for &task in &groups.moved {
                put(cpus, Some(groups.this_cpu), task);
            }
        }
        (Picture::Groups(groups), _) => {
            if let Some(task) = decision.task {
                put(cpus, groups.chosen, task);
            }
        }
        _ => {}
    }
}

/// The queue of a CPU is that of a pick or a preemption test; who runs stays.
fn queue(cpus: &mut [CpuView], pick: &PickPicture) {
    let at = usize::from(pick.cpu);
    let Some(curr) = cpus.get(at).map(|cpu| cpu.curr) else { return };
    if !pick.title.is_empty() {
        // Of groups only some queues are told of: who is told of is here, the others stay.
        let levels = pick.inside.iter().chain([pick]);
        let rows = levels.flat_map(|level| &level.rows);
        for row in rows.filter(|row| !row.gone && row.group.is_none()) {
            put(cpus, Some(pick.cpu), row.task);
        }
        cpus[at].waiting.retain(|&task| Some(task) != curr);
        return;
    }
    let queued = || pick.rows.iter().filter(|row| !row.gone);
    for (_, view) in cpus.iter_mut().enumerate().filter(|&(other, _)| other != at) {
        let here = |task: u32| queued().any(|row| row.task == task);
        view.waiting.retain(|&waiting| !here(waiting));
        view.curr = view.curr.filter(|&curr| !here(curr));
    }
    let waits = || queued().filter(|row| Some(row.task) != curr);
    cpus[at].waiting = waits().map(|row| row.task).collect();
    cpus[at].delayed = waits().filter(|row| row.delayed).count() as u16;
}

/// Queues a task on a CPU, and nowhere else.
fn put(cpus: &mut [CpuView], cpu: Option<u16>, task: u32) {
    let Some(at) = cpu.map(usize::from).filter(|&at| at < cpus.len()) else { return };
    for (_, view) in cpus.iter_mut().enumerate().filter(|&(other, _)| other != at) {
        view.waiting.retain(|&waiting| waiting != task);
    }
    if cpus[at].curr != Some(task) && !cpus[at].waiting.contains(&task) {
        cpus[at].waiting.push(task);
    }
}
