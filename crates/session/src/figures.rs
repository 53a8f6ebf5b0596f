//! What is drawn of a run and counted over it: a stretch of the timeline, the metrics.

use schedscope_analysis::export;
use schedscope_analysis::metrics::{self, Figures};
use schedscope_analysis::spans::{ArrowKind as SpanArrow, Query};
use schedscope_sim::units::{CpuId, TaskId};

use crate::moment;
use crate::run::Run;
use crate::update::{
    Arrow, ArrowKind, Bar, Cpu, CpuMetrics, DecisionMark, Lane, Metrics, RowMetrics, Window,
};

/// A stretch of the timeline.
pub(crate) fn window(
    run: &Run,
    from: u64,
    to: u64,
    columns: u32,
    lanes: &[Cpu],
    heat: bool,
) -> Window {
    // Far beyond any run, and far from what a sum could overflow.
    let (from, to) = (from.min(1 << 60), to.min(1 << 60));
    let query = Query {
        from,
        to,
        columns,
        lanes: lanes.iter().map(|&cpu| CpuId(cpu)).collect(),
        heat,
        now: run.drawn_until(),
        end: run.setup().end.0,
    };
    let window = run.spans.window(&run.index, &query);
    let time = |step: u64| run.index.time(step);
    let lanes = window.lanes.iter();
    let mut tasks: Vec<TaskId> = lanes
        .flat_map(|lane| {
            let bars = lane.bars.iter().map(|bar| bar.task);
            bars.chain(lane.waits.iter().map(|(task, ..)| *task))
        })
        .chain(window.arrows.iter().map(|arrow| arrow.task))
        .collect();
    schedscope_sim::order::sort(&mut tasks);
    tasks.dedup();
    Window {
        from,
        to: to.max(from.saturating_add(1)),
        lanes: window
            .lanes
            .into_iter()
            .map(|lane| Lane {
                cpu: lane.cpu.0,
                bars: lane
                    .bars
                    .into_iter()
                    .map(|bar| Bar {
                        task: bar.task.0,
                        from: bar.from,
                        to: bar.to,
                        merged: bar.merged,
                        preempted: bar.preempted,
                        khz: bar.khz,
                    })
                    .collect(),
                waits: lane.waits.into_iter().map(|(task, a, b)| (task.0, a, b)).collect(),
                clock: lane.clock,
            })
            .collect(),
        heat: window.heat,
        bin: window.bin,
        arrows: window
            .arrows
            .into_iter()
            .map(|arrow| Arrow {
                kind: match arrow.kind {
                    SpanArrow::Wake => ArrowKind::Wake,
                    SpanArrow::Fork => ArrowKind::Fork,
                    SpanArrow::Migrate => ArrowKind::Migrate,
                },
                task: arrow.task.0,
                from_cpu: arrow.from.0,
                to_cpu: arrow.to.0,
                at: time(arrow.step),
                until: arrow.until.map_or_else(|| run.drawn_until(), time),
                step: arrow.step,
            })
            .collect(),
        decisions: window
            .decisions
            .iter()
            .map(|decision| DecisionMark {
                at: time(decision.step()),
                step: decision.step(),
                kind: moment::kind(decision.kind),
                cpu: decision.cpu.0,
            })
            .collect(),
        overview: window.overview,
        tasks: tasks
            .into_iter()
            .map(|task| (task.0, run.names.row(task), run.names.instance(task)))
            .collect(),
        top_khz: run.spans.top_khz(),
        progress: run.progress(),
        apart: Vec::new(),
        apart_until: 0,
    }
}

/// The figures up to and with a step and on to a time, ns; of all that was simulated without.
fn fold(run: &Run, upto: Option<(u64, u64)>) -> metrics::Metrics {
    let (upto, now) = upto.unwrap_or_else(|| (run.steps(), run.drawn_until()));
    let (topology, tasks) = (&run.setup().topology, run.names.tasks());
    metrics::metrics(topology, &run.spans, &run.index, upto, now, tasks)
}

/// The same by row of the task list.
fn by_row(run: &Run, folded: &metrics::Metrics) -> Vec<Figures> {
    folded.grouped(run.document.rows.len(), |task| Some(usize::from(run.names.row(task))))
}

/// The same by group of tasks, as they are in them where the run has come to.
fn by_group(run: &Run, folded: &metrics::Metrics) -> Vec<Figures> {
    let group = |task| run.state().entities[task].group.map(|group| group.index());
    folded.grouped(run.names.groups.len(), group)
}

/// The figures for the interface.
pub(crate) fn metrics(run: &Run, upto: Option<(u64, u64)>) -> Metrics {
    let folded = fold(run, upto);
    let last = upto.map_or(u64::MAX, |(step, _)| step);
    let mut rows: Vec<RowMetrics> = by_row(run, &folded)
        .iter()
        .enumerate()
        .map(|(row, figures)| RowMetrics {
            lag: run.lags.of(row, last).collect(),
            ..view(Some(row), figures, true)
        })
        .collect();
    rows.push(view(None, &folded.all, true));
    let several = |task: &TaskId| run.names.tasks_of(run.names.row(*task)).nth(1).is_some();
    let tasks = (0..folded.tasks.len() as u32).map(TaskId).filter(several);
    let tasks = tasks.map(|task| {
        let row = usize::from(run.names.row(task));
        (task.0, view(Some(row), &folded.tasks[task.index()], false))
    });
    Metrics {
        progress: run.progress(),
        upto: folded.upto,
        rows,
        tasks: tasks.collect(),
        groups: by_group(run, &folded).iter().map(|figures| view(None, figures, false)).collect(),
        top_khz: run.spans.top_khz(),
        clocks_vary: run.setup().kernel.frequency.varies(),
        utilisation: folded.utilisation(),
        idle_while_overloaded: folded.idle_while_overloaded,
        cpus_used: folded.cpus_used(),
        cpus: folded.cpus.into_iter().map(cpu_view).collect(),
    }
}

fn view(row: Option<usize>, figures: &Figures, samples: bool) -> RowMetrics {
    RowMetrics {
        row: row.map(|row| row as u16),
        ran: figures.ran,
        work: figures.work,
        cpus: figures.on.len() as u16,
        waited: figures.waited,
        wakeups: figures.wakeups,
        latency: figures.latency.clone(),
        samples: if samples { figures.few_samples() } else { Vec::new() },
        voluntary: figures.voluntary,
        involuntary: figures.involuntary,
        migrations: figures.migrations,
        lag: Vec::new(),
    }
}

fn cpu_view(cpu: metrics::CpuFigures) -> CpuMetrics {
    CpuMetrics { busy: cpu.busy, work: cpu.work, switches: cpu.switches, residency: cpu.residency }
}

/// The figures as tables: all, by row, by task, by LLC, by CPU.
fn tables(run: &Run) -> export::Tables {
    let folded = fold(run, None);
    let rows = run.document.rows.iter().map(|row| row.name.clone()).zip(by_row(run, &folded));
    let tasks = folded.tasks.iter().enumerate();
    let tasks = tasks.map(|(i, figures)| (run.names.name(TaskId(i as u32)), figures.clone()));
    let llcs = run
        .setup()
        .topology
        .llcs()
        .iter()
        .map(|llc| metrics::CpuFigures::sum(llc.iter().map(|cpu| &folded.cpus[cpu.index()])));
    export::Tables {
        upto: folded.upto,
        top_khz: run.spans.top_khz(),
        utilisation: folded.utilisation(),
        idle_while_overloaded: folded.idle_while_overloaded,
        cpus_used: folded.cpus_used(),
        all: folded.all.clone(),
        rows: rows.collect(),
        groups: run.names.groups.iter().cloned().zip(by_group(run, &folded)).collect(),
        tasks: tasks.collect(),
        llcs: llcs.collect(),
        cpus: folded.cpus,
    }
}

/// The figures as CSV.
pub(crate) fn csv(run: &Run) -> String {
    tables(run).csv()
}

/// The figures as JSON.
pub(crate) fn json(run: &Run) -> String {
    tables(run).json()
}
