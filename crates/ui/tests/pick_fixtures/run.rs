//! Made-up runs for pictures of the timeline: machines, bars, waits, arrows and decisions.

use super::{Dice, MS, loaded, moment, row_view};
use schedscope_session::update::*;

/// A run to be drawn.
pub struct Run {
    pub loaded: Loaded,
    pub moment: Moment,
    pub window: Window,
    pub roles: Vec<(u16, &'static str)>,
    pub searched: Option<u16>,
    pub focus: u16,
}

/// A machine of `llcs` LLCs with so many cores of so many threads; numbers go over the cores first.
pub fn machine(llcs: u16, cores: u16, threads: u16) -> Machine {
    let all = llcs * cores;
    let place = |cpu: u16| CpuPlace {
        core: cpu % all,
        thread: cpu / all,
        cluster: None,
        llc: cpu % all / cores,
        node: cpu % all / cores / 2,
        package: 0,
    };
    let cpus: Vec<CpuPlace> = (0..all * threads).map(place).collect();
    let of = |llc| (0..all * threads).filter(|cpu| cpus[usize::from(*cpu)].llc == llc).collect();
    Machine {
        id: String::new(),
        name: "machine".into(),
        llcs: (0..llcs).map(of).collect(),
        llc_names: (0..llcs).map(|llc| format!("LLC {llc}")).collect(),
        threads_per_core: threads,
        nodes: llcs.div_ceil(2),
        packages: 1,
        domains: Vec::new(),
        cpus,
    }
}

/// The highest clock, kHz.
const TOP_KHZ: u32 = 3_500_000;
const FROM: u64 = 74_000_000;
const TO: u64 = 98_000_000;

/// Bars of one CPU: tasks of a set in turn with gaps.
fn lane(dice: &mut Dice, cpu: u16, tasks: &[u32], busy: u64, mean: u64) -> Lane {
    let mut at = FROM.saturating_sub(dice.below(mean));
    let mut lane = Lane { cpu, ..Lane::default() };
    let mut last = u32::MAX;
    while at < TO {
        let length = mean / 8 + dice.below(mean * 2);
        if dice.below(100) < busy {
            let mut task = tasks[dice.below(tasks.len() as u64) as usize];
            if task == last {
                task = tasks[dice.below(tasks.len() as u64) as usize];
            }
            last = task;
            let preempted = dice.below(5) == 0;
            let to = at + length;
            let khz = TOP_KHZ;
            lane.bars.push(Bar { task, from: at, to, merged: false, preempted, khz });
        } else {
            last = u32::MAX;
        }
        at += length;
    }
    lane
}

/// What of the time each task waits: everything between its bars, from a time on.
fn waits(lane: &mut Lane, tasks: &[u32]) {
    for task in tasks {
        let mut at = FROM;
        for bar in lane.bars.iter().filter(|bar| bar.task == *task) {
            if bar.from > at {
                lane.waits.push((*task, at, bar.from));
            }
            at = bar.to + MS as u64;
        }
        if at < TO {
            lane.waits.push((*task, at, TO));
        }
    }
}

/// A desktop: eight tasks pinned to CPU 2, a pipe pair, and a build in the background.
pub fn desktop() -> Run {
    let mut dice = Dice(7);
    let names = [
        "audio",
        "browser",
        "compositor",
        "database",
        "encoder",
        "find",
        "gcc",
        "hash",
        "make",
        "producer",
        "consumer",
    ];
    let mut rows: Vec<RowView> =
        names.iter().enumerate().map(|(i, name)| row_view(i, name)).collect();
    rows[8].muted = true;
    let mut loaded = loaded(rows);
    loaded.machine = machine(1, 8, 2);
    let mut moment = moment(11);
    moment.step = 140;
    moment.now = 85_482_842;
    for task in moment.tasks.iter_mut().take(8) {
        task.confined = true;
        task.cpu = 2;
    }
    moment.cpus = (0..16).map(|_| CpuView::default()).collect();
    moment.cpus[2] =
        CpuView { curr: Some(6), waiting: vec![2, 3, 1, 7, 4, 5], ..CpuView::default() };
    let pinned: Vec<u32> = (0..8).collect();
    let lanes = (0..16).map(|cpu| match cpu {
        2 => {
            let mut lane = lane(&mut dice, 2, &pinned, 100, 1_200_000);
            waits(&mut lane, &pinned);
            lane
        }
        11 | 12 => lane(&mut dice, cpu, &[9, 10, 8], 60, 700_000),
        _ => lane(&mut dice, cpu, &[8, 8, 8, 8, 10], 92, 1_600_000),
    });
    let lanes: Vec<Lane> = lanes.collect();
    let decisions = decisions(&mut dice, 2, 60);
    let arrow = |step, at, from_cpu, to_cpu, kind| Arrow {
        kind,
        task: 3,
        from_cpu,
        to_cpu,
        at,
        until: at + 600_000,
        step,
    };
    let arrows = vec![
        arrow(140, 85_482_842, 12, 2, ArrowKind::Wake),
        arrow(90, 79_000_000, 2, 5, ArrowKind::Wake),
        arrow(180, 92_000_000, 7, 14, ArrowKind::Migrate),
    ];
    let mut overview = Vec::new();
    for i in 0..256u64 {
        overview.push((90 + i / 3 + dice.below(40)) as u8);
    }
    Run {
        window: Window {
            apart: Vec::new(),
            apart_until: 0,
            from: FROM,
            to: TO,
            lanes,
            heat: Vec::new(),
            bin: 100_000,
            arrows,
            decisions,
            overview,
            top_khz: TOP_KHZ,
            progress: Progress { steps: 400, time: 98_000_000, ..Progress::default() },
            tasks: (0..11).map(|task| (task, task as u16, 1)).collect(),
        },
        loaded,
        moment,
        roles: vec![(2, "")],
        searched: None,
        focus: 2,
    }
}

fn decisions(dice: &mut Dice, cpu: u16, n: u64) -> Vec<DecisionMark> {
    let mut marks: Vec<DecisionMark> = (0..n)
        .map(|i| DecisionMark {
            at: FROM + dice.below(TO - FROM),
            step: 500 + i,
            kind: if dice.below(2) == 0 { DecisionKind::Pick } else { DecisionKind::Placement },
            cpu,
        })
        .collect();
    marks.push(DecisionMark { at: 85_482_842, step: 140, kind: DecisionKind::Pick, cpu });
    marks.sort_by_key(|mark| mark.at);
    marks
}

/// Four CPUs with letters on all lanes.
pub fn quad() -> Run {
    let mut run = desktop();
    let mut dice = Dice(3);
    run.loaded.machine = machine(2, 2, 1);
    run.moment.cpus.truncate(4);
    for task in &mut run.moment.tasks {
        task.confined = false;
    }
    run.window.lanes = vec![
        lane(&mut dice, 0, &[9, 10], 70, 500_000),
        lane(&mut dice, 1, &[2, 6], 80, 2_500_000),
        lane(&mut dice, 2, &[0, 1, 4, 5], 100, 1_000_000),
        lane(&mut dice, 3, &[3], 40, 1_000_000),
    ];
    run.window.arrows.clear();
    run
}

/// A server with so many LLCs of 8 cores; a search in one of them.
pub fn server(llcs: u16) -> Run {
    let mut run = desktop();
    let mut dice = Dice(11);
    run.loaded.machine = machine(llcs, 8, 2);
    run.focus = 33;
    run.searched = Some(4);
    run.roles =
        vec![(33, "waker, target"), (35, "prev"), (163, "recent"), (38, "idle, not reached")];
    run.moment.cpus = (0..llcs * 16).map(|_| CpuView::default()).collect();
    for task in &mut run.moment.tasks {
        task.confined = false;
    }
    run.window.lanes = vec![
        lane(&mut dice, 33, &[8, 9, 10], 70, 900_000),
        lane(&mut dice, 35, &[10, 8], 70, 1_300_000),
        lane(&mut dice, 163, &[8], 80, 2_500_000),
        lane(&mut dice, 38, &[8, 9], 80, 2_000_000),
    ];
    run.window.heat = (0..llcs)
        .map(|llc| {
            let mut level = 60 + i64::from(llc * 37 % 90);
            (0..240)
                .map(|_| {
                    level = (level + dice.around(12)).clamp(20, 200);
                    level as u8
                })
                .collect()
        })
        .collect();
    for mark in &mut run.window.decisions {
        mark.kind = DecisionKind::Placement;
        mark.cpu = 33;
    }
    run.window.arrows = vec![Arrow { from_cpu: 33, to_cpu: 35, step: 140, ..run.window.arrows[0] }];
    run
}

/// Made-up figures over a run.
pub fn metrics(run: &Run) -> Metrics {
    let mut dice = Dice(21);
    let mut rows = Vec::new();
    for row in 0..run.loaded.rows.len() as u16 {
        let n = [151u64, 28, 49, 50, 0, 12, 0, 4, 1200, 308, 248][usize::from(row) % 11];
        let mut samples: Vec<u64> = (0..n)
            .map(|_| match dice.below(3) {
                0 => 1_200 + dice.below(100),
                _ => 1_000 << dice.below(14),
            } + dice.below(900))
            .collect();
        let order = samples.clone();
        samples.sort_unstable();
        let at = |parts: usize| samples.get(samples.len() * parts / 10_000).copied();
        let latency = [5000, 9900, 9990].into_iter().filter_map(|p| Some((p, at(p as usize)?)));
        rows.push(RowMetrics {
            row: Some(row),
            ran: 9_000_000,
            work: 9_000_000,
            cpus: 1,
            waited: 3_000_000,
            wakeups: n,
            latency: latency.collect(),
            samples: order,
            voluntary: n,
            involuntary: n / 3,
            migrations: [0, n / 5, 0, 0, 0],
            lag: Vec::new(),
        });
    }
    rows.push(RowMetrics { row: None, voluntary: 1500, involuntary: 466, ..RowMetrics::default() });
    Metrics {
        rows,
        utilisation: 8120,
        idle_while_overloaded: 1_240_000,
        cpus_used: 16,
        ..Metrics::default()
    }
}
