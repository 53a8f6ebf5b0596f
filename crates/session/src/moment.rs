//! One moment of a run: the state after a step, and all that was decided in it.

use std::sync::Arc;

use schedscope_analysis::explain;
use schedscope_analysis::index::Kinds;
use schedscope_analysis::words;
use schedscope_scenario::{Document, document};
use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::fair::evidence::level_evidence;
use schedscope_sim::report::{Decision as SimDecision, Evidence, Record, Report};
use schedscope_sim::simulation::{Simulation, World};
use schedscope_sim::state::{State, TaskState as SimTaskState};
use schedscope_sim::units::{CpuId, TaskGroupId, TaskId};

use crate::names::Names;
use crate::picture;
use crate::run::{Run, fair_cx, problems};
use crate::update::{
    Check, Cpu, CpuView, Decision, DecisionKind, Group, GroupOn, Mark, Moment, PickPicture,
    Picture, Probe, Problem, RowNow, TaskGroupNow, TaskState, TaskView,
};

/// Shows a step that was taken already.
pub(crate) fn show(run: &mut Run, step: u64, focus: Cpu) -> Moment {
    let world = run.history.world().clone();
    let mut report = Report::with_evidence();
    let before = step.checked_sub(1).map(|before| Before::of(run.history.seek(before).state()));
    let state = run.history.explain(step, &mut report).state().clone();
    tell(run, &world, before, &state, &report, focus)
}

/// Shows a step as it would be, had the change been made just before it; the run is left as it is.
pub(crate) fn what_if(
    run: &mut Run,
    step: u64,
    edit: document::Edit,
    focus: Cpu,
) -> Result<Moment, Vec<Problem>> {
    let after = step.saturating_sub(1);
    let state = run.history.seek(after).state().clone();
    let mut document = run.document.clone();
    document.inputs = vec![document::Input { after, edit }];
    let mut world = World::clone(run.history.world());
    let made = world.setup.inputs.iter().take(state.inputs_done as usize).cloned();
    let changes = document.setup().map_err(problems)?.setup.inputs;
    let changed = changes.len();
    world.setup.inputs = made.chain(changes).collect();
    let world = Arc::new(world);
    let mut simulation = Simulation::at(world.clone(), state);
    let mut report = Report::with_evidence();
    let mut before = Before::of(simulation.state());
    // Each change is a step of its own; then comes what the step was.
    for _ in 0..changed {
        before = Before::of(simulation.state());
        simulation.step(&mut report);
    }
    let (at, now) = (run.index.time(step), simulation.state().clone());
    let mut then = simulation;
    let mut later = Report::with_evidence();
    then.step(&mut later);
    let moment = if then.state().now.0 == at {
        let between = Before::of(&now);
        tell(run, &world, Some(between), then.state(), &later, focus)
    } else {
        // The change itself has the CPU switched, and what happened then does not happen any more.
        tell(run, &world, Some(before), &now, &report, focus)
    };
    Ok(Moment { step, now: at, ..moment })
}

/// What the CPUs were before a step.
struct Before {
    running: Vec<Option<TaskId>>,
    cpus: Vec<CpuView>,
}

impl Before {
    fn of(state: &State) -> Before {
        Before {
            running: state.cpus.iter().map(|cpu| cpu.rq.curr).collect(),
            cpus: (0..state.cpus.len()).map(|cpu| cpu_view(state, cpu)).collect(),
        }
    }
}

/// A step in the interface's terms: what it was before, the state after it and what it told.
fn tell(
    run: &Run,
    world: &World,
    before: Option<Before>,
    state: &State,
    report: &Report,
    focus: Cpu,
) -> Moment {
    let cpus = world.setup.topology.len();
    let (running, before) = match before {
        Some(before) => (before.running, before.cpus),
        None => (vec![None; cpus], Vec::new()),
    };
    let names = &run.names;
    let name = |task| names.name(task);
    let spec_name = |spec| names.spec_name(spec);
    let cx = explain::Cx {
        setup: &world.setup,
        domains: &world.domains,
        name: &name,
        spec_name: &spec_name,
    };
    let evidence = report.evidence.as_deref().unwrap_or(&[]);
    let told = explain::step(&cx, &report.records, evidence, running);
    let decided = report.records.iter().filter_map(|record| match record {
        Record::Decided(decision) => Some(decision),
        _ => None,
    });
    let fold = explain::fold(&cx, &report.records);
    let mut folded = false;
    let mut decisions = Vec::new();
    let evidence = evidence.iter().map(Some).chain(std::iter::repeat(None));
    for ((decision, told), evidence) in decided.zip(told.decisions).zip(evidence) {
        match &fold {
            Some(fold) if explain::is_folded(decision) => {
                if !folded {
                    folded = true;
                    decisions.push(decision_view(fold.clone(), Picture::None));
                }
            }
            _ => {
                let picture = picture_of(&cx, world, state, decision, evidence, &told.stages);
                decisions.push(decision_view(told, picture));
            }
        }
    }
    let after: Vec<CpuView> = (0..cpus).map(|cpu| cpu_view(state, cpu)).collect();
    let changed = before.into_iter().zip(&after).enumerate();
    let before = changed
        .filter(|(_, (before, after))| before != *after)
        .map(|(cpu, (before, _))| (cpu as Cpu, before))
        .collect();
    let focused = state.cpus.get(usize::from(focus));
    let queue = focused.map(|cpu| {
        let level = |group| {
            let fair = fair_cx(&world.setup, state);
            let figures = level_evidence(&cpu.rq, &state.entities, fair, group);
            picture::level(&cx, world, state, CpuId(focus), group, &figures)
        };
        let groups = cpu.rq.groups.iter().enumerate();
        let with_tasks = groups.filter(|(_, group)| group.queue.nr_running > 0);
        let inside = with_tasks.map(|(i, _)| level(Some(TaskGroupId(i as u16)))).collect();
        PickPicture { inside, ..level(None) }
    });
    Moment {
        step: state.step,
        steps: run.steps(),
        now: state.now.0,
        event: told.event,
        event_cpu: told.cpu.map(|cpu| cpu.0),
        cpus: after,
        tasks: task_views(names, world, state),
        rows: rows_now(&run.document, names, state),
        groups: groups_now(state),
        before,
        decisions,
        queue,
    }
}

fn picture_of(
    cx: &explain::Cx<'_>,
    world: &World,
    state: &State,
    decision: &SimDecision,
    evidence: Option<&Evidence>,
    stages: &[usize],
) -> Picture {
    match (evidence, decision) {
        (Some(Evidence::Pick(figures)), SimDecision::Pick { cpu, next, .. })
            if figures.pick.next == *next =>
        {
            Picture::Pick(picture::pick(cx, world, state, *cpu, figures, stages))
        }
        (Some(Evidence::Preempt(figures)), SimDecision::Preempt { cpu, curr, woken, .. }) => {
            Picture::Pick(picture::preempt(cx, world, state, *cpu, *curr, *woken, figures))
        }
        (Some(Evidence::Place(figures)), SimDecision::Place { wakee, waker, cpu, .. }) => {
            Picture::Place(picture::place(world, *wakee, *waker, *cpu, figures))
        }
        (Some(Evidence::Fork(figures)), SimDecision::ForkPlace { this_cpu, cpu, .. }) => {
            Picture::Groups(picture::fork(world, *this_cpu, *cpu, figures))
        }
        (Some(Evidence::Balance(figures)), SimDecision::Balance { cpu, from, .. }) => {
            Picture::Groups(picture::balance(world, *cpu, *from, figures))
        }
        _ => Picture::None,
    }
}

/// What kind a decision is for the interface.
pub(crate) fn kind(kinds: Kinds) -> DecisionKind {
    if kinds.meets(Kinds::PICK) {
        DecisionKind::Pick
    } else if kinds.meets(Kinds::PLACEMENT) {
        DecisionKind::Placement
    } else if kinds.meets(Kinds::FORK) {
        DecisionKind::ForkPlacement
    } else if kinds.meets(Kinds::PREEMPTION) {
        DecisionKind::Preemption
    } else {
        DecisionKind::Balance
    }
}

fn decision_view(told: explain::Told, picture: Picture) -> Decision {
    Decision {
        cpu: told.cpu.0,
        kind: kind(told.kind),
        task: told.task.map(|task| task.0),
        heading: told.heading,
        sentence: told.sentence,
        cause: told.cause,
        checks: told.checks.into_iter().map(check_view).collect(),
        picture,
    }
}

fn check_view(check: explain::Check) -> Check {
    Check {
        title: check.title,
        result: check.result,
        sentence: check.sentence,
        kernel: check.kernel,
        mark: match check.mark {
            explain::Mark::Plain => Mark::Plain,
            explain::Mark::Busy => Mark::Busy,
            explain::Mark::Idle => Mark::Idle,
            explain::Mark::Chosen => Mark::Chosen,
            explain::Mark::Kept => Mark::Kept,
            explain::Mark::No => Mark::No,
            explain::Mark::Yes => Mark::Yes,
        },
        probes: check
            .probes
            .into_iter()
            .map(|(cpu, idle, code)| Probe { cpu: cpu.0, idle, code })
            .collect(),
        tasks: check.tasks.into_iter().map(|task| task.0).collect(),
        skipped: check.skipped,
        limit: check.limit,
    }
}

fn cpu_view(state: &State, cpu: usize) -> CpuView {
    let cpu = &state.cpus[cpu];
    let waiting: Vec<TaskId> = cpu.rq.waiting(&state.entities).collect();
    let delayed = waiting.iter().filter(|&&task| state.entities[task].delayed).count();
    CpuView {
        curr: cpu.rq.curr.map(|task| task.0),
        waiting: waiting.into_iter().map(|task| task.0).collect(),
        delayed: delayed as u16,
        idle_since: cpu.idle_since.map(|since| since.0),
        util: cpu.avg.avg.util_avg.min(1024) as u16,
        load: cpu.avg.avg.load_avg.min(u64::from(u32::MAX)) as u32,
        khz: cpu.clock.khz,
    }
}

fn task_views(names: &Names, world: &World, state: &State) -> Vec<TaskView> {
    state
        .tasks
        .iter()
        .enumerate()
        .map(|(i, task)| {
            let id = TaskId(i as u32);
            let entity = &state.entities[id];
            let running = state.cpus[task.cpu.index()].rq.curr == Some(id);
            let ran = if running {
                entity.sum_exec.0 + state.now.0.saturating_sub(entity.exec_start.0)
            } else {
                entity.sum_exec.0
            };
            let slice = match entity.slice.0 {
                0 => entity.default_slice(&world.setup.kernel).0,
                slice => slice,
            };
            TaskView {
                row: names.row(id),
                instance: names.instance(id),
                state: match task.state {
                    SimTaskState::New => TaskState::New,
                    SimTaskState::Runnable if running => TaskState::Running,
                    SimTaskState::Runnable => TaskState::Runnable,
                    SimTaskState::Sleeping(_) if entity.delayed => TaskState::Delayed,
                    SimTaskState::Sleeping(_) => TaskState::Sleeping,
                    SimTaskState::Waking => TaskState::Waking,
                    SimTaskState::Exited => TaskState::Exited,
                },
                cpu: task.cpu.0,
                group: entity.group.map(|group| group.0),
                nice: entity.nice().get(),
                weight: entity.weight(),
                slice,
                ran,
                vruntime: entity.vruntime.signed(),
                vlag: entity.vlag,
                confined: task.allowed.is_some(),
            }
        })
        .collect()
}

/// What holds now of each row of the task list.
fn rows_now(document: &Document, names: &Names, state: &State) -> Vec<RowNow> {
    let mut firsts: Vec<Option<TaskId>> = vec![None; document.rows.len()];
    for (i, task) in state.tasks.iter().enumerate() {
        let id = TaskId(i as u32);
        if let Some(first) = firsts.get_mut(usize::from(names.row(id)))
            && first.is_none()
            && task.state != SimTaskState::Exited
        {
            *first = Some(id);
        }
    }
    let list = |mask: Option<&CpuSet>| mask.map(cpu_list).unwrap_or_default();
    document
        .rows
        .iter()
        .zip(firsts)
        .map(|(row, first)| match first {
            Some(task) => {
                let entity = &state.entities[task];
                RowNow {
                    nice: entity.nice().get(),
                    latency_nice: entity.latency_nice.get(),
                    slice: entity.custom_slice.then_some(entity.slice.0),
                    group: entity.group.map(|group| group.0),
                    affinity: if row.kthread {
                        // Each is bound to a CPU of its own.
                        let of = names.row(task);
                        let all = names.tasks_of(of);
                        let masks = all
                            .filter_map(|task| state.tasks.get(task.index())?.allowed.as_deref());
                        cpu_list(&masks.fold(CpuSet::EMPTY, |all, mask| all.or(mask)))
                    } else {
                        list(state.tasks[task.index()].allowed.as_deref())
                    },
                }
            }
            None => RowNow {
                nice: row.nice,
                latency_nice: row.latency_nice,
                slice: row.slice,
                affinity: list(row.affinity.as_ref().map(|cpus| &cpus.0)),
                group: group_named(document, row),
            },
        })
        .collect()
}

/// The group that a row names.
pub(crate) fn group_named(document: &Document, row: &document::Row) -> Option<Group> {
    let group = document.group(row.group.as_ref()?)?;
    Some(group as Group)
}

/// Each group of tasks, and what it weighs where it has some.
fn groups_now(state: &State) -> Vec<TaskGroupNow> {
    let on = |i: usize| {
        let there = state.cpus.iter().enumerate().map(move |(cpu, at)| (cpu, &at.rq.groups[i]));
        there.filter(|(_, group)| group.queue.nr_running > 0).map(|(cpu, group)| GroupOn {
            cpu: cpu as Cpu,
            weight: state.entities[group.entity].weight(),
            load: group.avg.queue.avg.load_avg,
            tasks: group.queue.nr_running,
        })
    };
    let groups = state.entities.groups.iter().enumerate();
    groups
        .map(|(i, group)| TaskGroupNow {
            shares: group.shares,
            latency_nice: group.latency_nice.get(),
            load: group.load(),
            on: on(i).collect(),
        })
        .collect()
}

/// A list of CPUs with ranges.
pub(crate) fn cpu_list(set: &CpuSet) -> String {
    words::cpu_list(set)
}
