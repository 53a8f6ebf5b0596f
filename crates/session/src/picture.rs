//! The figures of a decision as the views draw them.

use schedscope_analysis::explain;
use schedscope_sim::balance::stats::GroupStats;
use schedscope_sim::domains::{DomainId, GroupId};
use schedscope_sim::fair::evidence::{NodeEvidence, PickEvidence, PreemptEvidence, QueueEvidence};
use schedscope_sim::fair::reason::{PickReason, Preempt, Visit};
use schedscope_sim::order;
use schedscope_sim::place::ScanExit;
use schedscope_sim::place::fork::SlowSeen;
use schedscope_sim::report::{BalanceEvidence, PlaceEvidence};
use schedscope_sim::simulation::World;
use schedscope_sim::state::State;
use schedscope_sim::units::{CpuId, TaskGroupId, TaskId, Vtime};

use crate::moment::cpu_list;
use crate::update::{
    GroupLevel, GroupView, GroupsPicture, PickPicture, PickRow, PlacePicture, TreeNode, WalkStep,
};

/// A queue as it stands.
fn queue(world: &World, state: &State, cpu: CpuId, figures: &QueueEvidence) -> PickPicture {
    let v = figures.average;
    let by_deadline = world.setup.kernel.fair.sorts_by_deadline();
    let mut rows: Vec<PickRow> = figures
        .rows
        .iter()
        .map(|row| PickRow {
            task: row.task.0,
            group: row.group.map(|group| group.0),
            weight: row.weight,
            vruntime: row.vruntime.since(v),
            deadline: row.deadline.since(v),
            lag: row.lag,
            slice: row.slice.0,
            vslice: state.entities[row.task].virtual_time(row.slice).unsigned_abs(),
            eligible: row.eligible,
            delayed: row.delayed,
            // Nothing protects a running task that is not eligible (R4.B.11).
            protected: row.protected && row.eligible,
            curr: row.running,
            gone: false,
            offset: row.latency_offset,
        })
        .collect();
    let cfs = world.setup.kernel.fair.is_cfs();
    order::sort_by_key(&mut rows, |row| (if cfs { row.vruntime } else { row.deadline }, row.task));
    PickPicture {
        cpu: cpu.0,
        v: v.signed(),
        min_vruntime: figures.min_vruntime.signed(),
        load: figures.load,
        curr: figures.curr.map(|task| task.0),
        rows,
        tree: tree(&figures.nodes, v),
        second: tree(&figures.latency, v),
        tree_key: if by_deadline { "deadline" } else { "vruntime" }.to_owned(),
        tree_kept: match (cfs, by_deadline) {
            (true, _) => "",
            (false, true) => "min vruntime",
            (false, false) => "min deadline",
        }
        .to_owned(),
        ..PickPicture::default()
    }
}

/// The queue of a group of tasks as it stands, or the root's, with a title if there are groups.
pub(crate) fn level(
    cx: &explain::Cx<'_>,
    world: &World,
    state: &State,
    cpu: CpuId,
    group: Option<TaskGroupId>,
    figures: &QueueEvidence,
) -> PickPicture {
    PickPicture {
        title: explain::level(cx, group),
        group: group.map(|group| group.0),
        ..queue(world, state, cpu, figures)
    }
}

/// A tree in order, each node with its depth and the index of its parent.
fn tree(nodes: &[NodeEvidence], v: Vtime) -> Vec<TreeNode> {
    let place = |task: TaskId| nodes.iter().position(|node| node.task == task);
    let depth = |mut task: TaskId| {
        let mut depth = 0;
        while let Some(parent) = place(task).and_then(|i| nodes[i].parent) {
            depth += 1;
            task = parent;
        }
        depth
    };
    nodes
        .iter()
        .map(|node| TreeNode {
            task: node.task.0,
            depth: depth(node.task),
            parent: node.parent.and_then(place).map(|i| i as u16),
            red: node.red,
            kept: node.min.since(v),
        })
        .collect()
}

/// A pick; `stages` are the checks with which the queues after a departure begin.
pub(crate) fn pick(
    cx: &explain::Cx<'_>,
    world: &World,
    state: &State,
    cpu: CpuId,
    figures: &PickEvidence,
    stages: &[usize],
) -> PickPicture {
    // Of a pick inside a group, the root's part chose the group's entity.
    let (chosen, why) = match &figures.inner {
        Some(inner) => (Some(world.setup.group_entity(cpu, inner.group)), inner.reason),
        None => (figures.pick.next, figures.pick.reason),
    };
    let mut rest = figures.walk.as_slice();
    let mut rounds = std::iter::once(&figures.queue).chain(&figures.after).map(|seen| {
        let end = rest.iter().position(|(_, visit)| *visit == Visit::Completed);
        let (visits, later) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
        rest = later;
        PickPicture {
            walk: walk(cx, seen, visits),
            chosen: chosen.map(|task| task.0),
            decided: true,
            reason: reason(why).to_owned(),
            ..level(cx, world, state, cpu, None, seen)
        }
    });
    let mut picture = rounds.next().expect("the first round");
    let rounds: Vec<PickPicture> = rounds.collect();
    // The last stage is the way into a group, if the pick went there.
    let (stages, inside) = match (&figures.inner, stages.split_last()) {
        (Some(inner), Some((&since, stages))) => (stages, Some((inner, since))),
        _ => (stages, None),
    };
    if let Some((inner, since)) = inside {
        picture.inside.push(PickPicture {
            walk: walk(cx, &inner.queue, &inner.walk),
            chosen: figures.pick.next.map(|task| task.0),
            decided: true,
            reason: reason(figures.pick.reason).to_owned(),
            since: since as u16,
            ..level(cx, world, state, cpu, Some(inner.group), &inner.queue)
        });
    }
    let mut gone: Vec<PickRow> = Vec::new();
    for ((mut round, &since), task) in rounds.into_iter().zip(stages).zip(&figures.completed) {
        gone.extend(picture.rows.iter().filter(|row| row.task == task.0));
        let moved = picture.v.wrapping_sub(round.v);
        round.since = since as u16;
        round.rows.extend(gone.iter().map(|row| PickRow {
            vruntime: row.vruntime.wrapping_add(moved),
            deadline: row.deadline.wrapping_add(moved),
            lag: row.lag.wrapping_sub(moved),
            eligible: false,
            curr: false,
            gone: true,
            ..*row
        }));
        order::sort_by_key(&mut round.rows, |row| (row.deadline, row.task));
        picture.later.push(round);
    }
    picture
}

/// A preemption test: it picks too, but changes nothing.
pub(crate) fn preempt(
    cx: &explain::Cx<'_>,
    world: &World,
    state: &State,
    cpu: CpuId,
    curr: Option<TaskId>,
    woken: TaskId,
    figures: &PreemptEvidence,
) -> PickPicture {
    // In different groups, their groups are compared.
    let woken = figures.woken.map_or(woken, |row| row.task);
    let curr = figures.curr.filter(|row| row.group.is_some()).map(|row| row.task).or(curr);
    let (chosen, reason) = match figures.verdict {
        // Whom the search found does not matter if it is not the woken: nothing is rescheduled.
        Preempt::NotPicked { reason: why, .. } => (curr, reason(why)),
        verdict if verdict.reschedules() => (Some(woken), "preemption"),
        _ => (curr, "no test"),
    };
    PickPicture {
        walk: walk(cx, &figures.queue, &figures.walk),
        chosen: chosen.map(|task| task.0),
        decided: true,
        reason: reason.to_owned(),
        ..level(cx, world, state, cpu, figures.group, &figures.queue)
    }
}

fn walk(cx: &explain::Cx<'_>, queue: &QueueEvidence, visits: &[(TaskId, Visit)]) -> Vec<WalkStep> {
    explain::walk(cx, queue, visits)
        .into_iter()
        .zip(visits)
        .map(|(why, (task, visit))| WalkStep { task: task.0, turn: turn(*visit).to_owned(), why })
        .collect()
}

fn turn(visit: Visit) -> &'static str {
    match visit {
        Visit::FirstEligible | Visit::Eligible | Visit::HeapFound => "take",
        Visit::FirstNotEligible => "search",
        Visit::EligibleToTheLeft
        | Visit::NotEligibleGoLeft
        | Visit::EligibleGoLeft { .. }
        | Visit::HeapLeft => "left",
        Visit::NotEligible | Visit::EligibleGoRight { .. } | Visit::HeapRight => "right",
        Visit::EligibleForgetLeft { .. } => "forget",
        Visit::MinimumToTheLeft { .. } | Visit::OwnMinimum { .. } => "stop",
        Visit::IntoGroup { .. } => "enter",
        Visit::Completed => "leaves",
    }
}

/// The rule that decided, as a short name.
fn reason(reason: PickReason) -> &'static str {
    match reason {
        PickReason::Idle => "idle",
        PickReason::OnlyOne => "only task",
        PickReason::LatencyFirst => "latency-nice",
        PickReason::FlawedSearch { .. } => "search missed",
        PickReason::Parity => "run to parity",
        PickReason::NextBuddy => "next buddy",
        PickReason::EarliestEligible => "earliest eligible deadline",
        PickReason::CurrEarlier => "running task has the earliest deadline",
        PickReason::CurrOnlyEligible => "running task is the only eligible one",
        PickReason::Leftmost => "smallest vruntime",
        PickReason::CurrLeftmost => "running task has the smallest vruntime",
        PickReason::LastBuddy => "last buddy",
        PickReason::FirstYielded => "first has yielded",
        PickReason::Fallback => "fallback",
    }
}

/// A wakeup placement.
pub(crate) fn place(
    world: &World,
    wakee: TaskId,
    waker: Option<TaskId>,
    chosen: CpuId,
    figures: &PlaceEvidence,
) -> PlacePicture {
    let placement = &figures.placement;
    let target = placement.target.unwrap_or(figures.prev_cpu);
    let (idle_in_llc, idle_elsewhere) = explain::idle_counts(&world.domains, figures);
    let forbidden = world.all.minus(&figures.allowed);
    PlacePicture {
        wakee: wakee.0,
        waker: waker.map(|task| task.0),
        this_cpu: figures.this_cpu.0,
        prev_cpu: figures.prev_cpu.0,
        target: target.0,
        recent: Some(figures.wakee.recent.0),
        chosen: chosen.0,
        branch: placement.branch.name().to_owned(),
        scan_exit: placement.scan_exit.name().to_owned(),
        llc: world.domains.llc(target).0,
        budget: figures.seen.budget.filter(|_| placement.scan_exit != ScanExit::NotRun),
        idle_in_llc,
        idle_elsewhere,
        not_reached: explain::not_reached(&world.domains, figures)
            .into_iter()
            .map(|cpu| cpu.0)
            .collect(),
        forbidden: forbidden.iter().map(|cpu| cpu.0).collect(),
        idle: figures.idle.clone(),
    }
}

/// A fork or exec placement.
pub(crate) fn fork(
    world: &World,
    this_cpu: CpuId,
    chosen: CpuId,
    figures: &SlowSeen,
) -> GroupsPicture {
    let levels = figures
        .descents
        .iter()
        .map(|step| GroupLevel {
            domain: world.domains.domain(step.domain).name.name().to_owned(),
            groups: figures
                .groups
                .iter()
                .filter(|seen| seen.domain == step.domain)
                .map(|seen| {
                    let entered = match step.group {
                        Some(group) => group == seen.group,
                        None => seen.local,
                    };
                    group(world, seen.group, &seen.stats, seen.local, entered)
                })
                .collect(),
        })
        .collect();
    GroupsPicture { levels, this_cpu: this_cpu.0, chosen: Some(chosen.0), moved: Vec::new() }
}

/// A balance pass.
pub(crate) fn balance(
    world: &World,
    cpu: CpuId,
    from: Option<CpuId>,
    figures: &BalanceEvidence,
) -> GroupsPicture {
    let domain: Option<DomainId> = world.domains.chain(cpu).get(figures.pass.level).copied();
    let groups = figures
        .seen
        .groups
        .iter()
        .enumerate()
        .map(|(i, (id, stats))| {
            group(world, *id, stats, i == 0, figures.outcome.group == Some(*id))
        })
        .collect();
    let name = domain.map_or("", |domain| world.domains.domain(domain).name.name());
    GroupsPicture {
        levels: vec![GroupLevel { domain: name.to_owned(), groups }],
        this_cpu: cpu.0,
        chosen: from.map(|cpu| cpu.0),
        moved: figures.moves.iter().map(|moved| moved.task.0).collect(),
    }
}

fn group(world: &World, id: GroupId, stats: &GroupStats, local: bool, chosen: bool) -> GroupView {
    GroupView {
        span: cpu_list(&world.domains.group(id).span),
        kind: explain::kind_name(stats.kind).to_owned(),
        nr_running: stats.nr_running,
        idle_cpus: stats.idle_cpus,
        load: stats.load,
        util: stats.util,
        local,
        chosen,
    }
}
