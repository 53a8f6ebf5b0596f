//! A stretch of the timeline, decimated to what can be drawn on so many columns.
//!
//! The cost depends on what is shown, not on how long the run is: lanes with more bars than four a
//! column look at a few bars of each column only.

use schedscope_sim::order;
use schedscope_sim::units::{CpuId, TaskId};

use super::{Arrow, ArrowKind, Busy, DecisionAt, IDLE, Place, Spans, Step, TASK};
use crate::index::{Index, Kinds};

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// From, ns.
    pub from: u64,
    /// To, ns.
    pub to: u64,
    /// On how many pixel columns it is drawn.
    pub columns: u32,
    /// CPUs whose bars are wanted.
    pub lanes: Vec<CpuId>,
    /// Whether the busy share of each LLC is wanted.
    pub heat: bool,
    /// Up to when the run has come, ns.
    pub now: u64,
    /// The end of the run, ns, for the overview.
    pub end: u64,
}

/// A task on a CPU for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// Who.
    pub task: TaskId,
    /// From, ns.
    pub from: u64,
    /// To, ns.
    pub to: u64,
    /// More than one task was here, too short to draw apart; this one was here longest.
    pub merged: bool,
    /// It ended although the task still wanted to run.
    pub preempted: bool,
    /// The CPU's clock meanwhile, on average, kHz.
    pub khz: u32,
}

/// The bars and waits of a CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// Which CPU.
    pub cpu: CpuId,
    /// In order of time.
    pub bars: Vec<Bar>,
    /// Who waited here, from and to, ns; at most [`WAITS`].
    pub waits: Vec<(TaskId, u64, u64)>,
    /// The CPU's clock: from when, ns, and how fast, kHz; at most one change a column. Empty if it
    /// is always the highest.
    pub clock: Vec<(u64, u32)>,
}

/// A stretch of the timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The lanes asked for.
    pub lanes: Vec<Lane>,
    /// Busy share of each LLC in each bin, 0 … 255.
    pub heat: Vec<Vec<u8>>,
    /// Length of a bin of the heat, ns.
    pub bin: u64,
    /// Arrows with an end in the stretch, at most [`ARROWS`].
    pub arrows: Vec<Arrow>,
    /// Decisions in the stretch, at most one a column and kind.
    pub decisions: Vec<DecisionAt>,
    /// Busy share of the machine from 0 to the end of the run, 0 … 255, in [`OVERVIEW`] bins.
    pub overview: Vec<u8>,
}

/// At most so many arrows in a window.
pub const ARROWS: usize = 400;
/// At most so many waits a lane.
pub const WAITS: usize = 2000;
/// Bins of the overview.
pub const OVERVIEW: usize = 512;
/// At most so many bars of a column are looked at when there are too many to look at all.
const LOOK: usize = 16;
/// At most so many columns.
const COLUMNS: u64 = 8192;

impl Spans {
    /// A stretch of the timeline.
    #[must_use]
    pub fn window(&self, index: &Index, query: &Query) -> Window {
        let (from, to) = (query.from, query.to.max(query.from + 1));
        let columns = u64::from(query.columns).clamp(1, COLUMNS);
        let bin = (to - from).div_ceil(columns);
        let grid = Grid::new(index, from, to, bin, query.now);
        let lanes = query.lanes.iter().filter(|cpu| cpu.index() < self.cpus());
        Window {
            lanes: lanes.map(|&cpu| self.lane(index, &grid, cpu)).collect(),
            heat: if query.heat { self.heat(index, &grid) } else { Vec::new() },
            bin,
            arrows: self.window_arrows(&grid, &query.lanes),
            decisions: self.window_decisions(index, &grid, &query.lanes),
            overview: self.overview(query.end.max(1), query.now),
        }
    }

    fn lane(&self, index: &Index, grid: &Grid, cpu: CpuId) -> Lane {
        let list = &self.switches[cpu.index()];
        let first = list.partition_point(|s| s.step < grid.first()).saturating_sub(1);
        let end = list.partition_point(|s| s.step < grid.end());
        let mut bars = Bars { grid, out: Vec::new(), run: Vec::new(), column: 0 };
        let bar = |i: usize| -> Option<Bar> {
            let task = list[i].task()?;
            let next = list.get(i + 1);
            let from = index.time(u64::from(list[i].step));
            let to = next.map_or(grid.now, |next| index.time(u64::from(next.step)));
            Some(Bar {
                task,
                from,
                to,
                khz: self.mean_khz(index, cpu, list[i].step.into(), to),
                merged: false,
                preempted: next.is_some_and(|next| next.task & TASK != next.task),
            })
        };
        if end.saturating_sub(first) <= 4 * grid.steps.len() {
            (first..end).filter_map(bar).for_each(|bar| bars.add(bar));
        } else {
            // Too many to look at all: the first few that begin in each column, and the last.
            let mut at = first;
            for &column_end in &grid.steps[1..] {
                let stop = at + list[at..end].partition_point(|s| s.step < column_end);
                let look = (stop - at).min(LOOK);
                (at..at + look).filter_map(bar).for_each(|bar| bars.add(bar));
                if stop - at > LOOK {
                    bar(stop - 1).into_iter().for_each(|bar| bars.add(bar));
                }
                at = stop;
            }
        }
        Lane {
            cpu,
            bars: bars.finish(),
            waits: self.lane_waits(index, grid, cpu),
            clock: self.lane_clock(index, grid, cpu),
        }
    }

    /// A CPU's clock on average from a step to a time, kHz.
    fn mean_khz(&self, index: &Index, cpu: CpuId, from_step: u64, to: u64) -> u32 {
        let (mut cycles, mut time, mut last) = (0u128, 0u128, self.first_khz);
        self.each_clock(index, cpu, from_step, to, |khz, _, length| {
            cycles += u128::from(khz) * u128::from(length);
            time += u128::from(length);
            last = khz;
        });
        cycles.checked_div(time).map_or(last, |khz| khz as u32)
    }

    fn lane_clock(&self, index: &Index, grid: &Grid, cpu: CpuId) -> Vec<(u64, u32)> {
        let clocks = &self.clocks[cpu.index()];
        if clocks.is_empty() && self.first_khz == self.top_khz {
            return Vec::new();
        }
        let first = clocks.partition_point(|c| c.step < grid.first());
        let before = if first == 0 { self.first_khz } else { clocks[first - 1].khz };
        let mut out = vec![(grid.from, before)];
        let mut at = first;
        for &column_end in &grid.steps[1..] {
            let stop = at + clocks[at..].partition_point(|c| c.step < column_end);
            if stop > at {
                let last = clocks[stop - 1];
                out.push((index.time(last.step.into()), last.khz));
            }
            at = stop;
        }
        out
    }

    fn lane_waits(&self, index: &Index, grid: &Grid, cpu: CpuId) -> Vec<(TaskId, u64, u64)> {
        let visible = |from: u64, to: u64| to - from >= grid.bin / 2 && to > from;
        let mut waits: Vec<(TaskId, u64, u64)> = self.waits[cpu.index()]
            .meeting(grid.first(), grid.end())
            .take(4 * WAITS)
            .map(|w| (TaskId(w.task), index.time(w.from.into()), index.time(w.to.into())))
            .filter(|&(_, from, to)| visible(from, to))
            .take(WAITS)
            .collect();
        for (i, task) in self.tasks.iter().enumerate() {
            if let Place::Waits(there, since) = task.place
                && there == cpu
                && since < grid.end()
            {
                let since = index.time(u64::from(since));
                if grid.now > grid.from && visible(since, grid.now) {
                    waits.push((TaskId(i as u32), since, grid.now));
                }
            }
        }
        order::sort_by_key(&mut waits, |&(task, from, _)| (from, task));
        waits
    }

    /// Arrows that touch one of the lanes; all if there are no lanes. Too many are thinned evenly.
    fn window_arrows(&self, grid: &Grid, lanes: &[CpuId]) -> Vec<Arrow> {
        // An arrow may begin before the stretch and end in it: look a little further back.
        let first = self.arrows.partition_point(|a| a.step < grid.first());
        let end = self.arrows.partition_point(|a| a.step < grid.end());
        let back = first.saturating_sub(256);
        let touches = |arrow: &Arrow| {
            let ends = arrow.until.is_none_or(|until| until >= u64::from(grid.first()));
            let shown =
                lanes.is_empty() || lanes.contains(&arrow.from) || lanes.contains(&arrow.to);
            ends && shown
        };
        let stride = (end - back).div_ceil(16 * ARROWS).max(1);
        let some: Vec<Arrow> = self.arrows[back..end]
            .iter()
            .step_by(stride)
            .map(|arrow| arrow.arrow())
            .filter(touches)
            .collect();
        let stride = some.len().div_ceil(ARROWS).max(1);
        some.into_iter().step_by(stride).collect()
    }

    /// One decision a column and kind at most; of picks and preemptions only those on the lanes.
    fn window_decisions(&self, index: &Index, grid: &Grid, lanes: &[CpuId]) -> Vec<DecisionAt> {
        let first = self.decisions.partition_point(|d| d.step < grid.first());
        let end = self.decisions.partition_point(|d| d.step < grid.end());
        let shown = |d: &&DecisionAt| {
            let local = d.kind.meets(Kinds::PICK.or(Kinds::PREEMPTION));
            !local || lanes.is_empty() || lanes.contains(&d.cpu)
        };
        let all = &self.decisions[first..end];
        if all.len() <= 4 * grid.steps.len() {
            let mut last: Vec<(Kinds, u64)> = Vec::new();
            let mut out = Vec::new();
            for decision in all.iter().filter(shown) {
                let column = grid.column(index.time(decision.step()));
                match last.iter_mut().find(|(kind, _)| *kind == decision.kind) {
                    Some((_, before)) if *before == column => continue,
                    Some((_, before)) => *before = column,
                    None => last.push((decision.kind, column)),
                }
                out.push(*decision);
            }
            return out;
        }
        let mut out = Vec::new();
        let mut at = 0;
        for &column_end in &grid.steps[1..] {
            let stop = at + all[at..].partition_point(|d| d.step < column_end);
            let start = out.len();
            for decision in all[at..stop].iter().take(LOOK).filter(shown) {
                if out[start..].iter().all(|d: &DecisionAt| d.kind != decision.kind) {
                    out.push(*decision);
                }
            }
            at = stop;
        }
        out
    }

    /// The busy share of each LLC in each column.
    fn heat(&self, index: &Index, grid: &Grid) -> Vec<Vec<u8>> {
        let bins = grid.steps.len() - 1;
        let mut busy = vec![vec![0u64; bins]; self.llc_sizes.len()];
        if grid.bin >= 2 * self.busy.cell {
            for (llc, bins) in busy.iter_mut().enumerate() {
                for (bin, busy) in bins.iter_mut().enumerate() {
                    let from = grid.from + bin as u64 * grid.bin;
                    *busy = self.busy.between(llc, from, from + grid.bin, grid.now);
                }
            }
        } else {
            for (cpu, list) in self.switches.iter().enumerate() {
                let bins = &mut busy[usize::from(self.llc_of[cpu])];
                let mut i = list.partition_point(|s| s.step < grid.first()).saturating_sub(1);
                let end = list.partition_point(|s| s.step < grid.end());
                while i < end {
                    let next = list.get(i + 1);
                    let to = next.map_or(grid.now, |s| index.time(s.step.into())).min(grid.to);
                    if list[i].task & TASK != IDLE {
                        grid.spread(index.time(list[i].step.into()), to, bins);
                    }
                    i += 1;
                }
            }
        }
        let share = |busy: u64, size: u32| {
            let whole = u128::from(grid.bin) * u128::from(size.max(1));
            (u128::from(busy) * 255).div_ceil(whole).min(255) as u8
        };
        busy.into_iter()
            .zip(&self.llc_sizes)
            .map(|(bins, &size)| bins.into_iter().map(|busy| share(busy, size)).collect())
            .collect()
    }

    fn overview(&self, end: u64, now: u64) -> Vec<u8> {
        let cpus = self.cpus() as u128;
        (0..OVERVIEW as u64)
            .map(|i| {
                let from = (u128::from(end) * u128::from(i) / OVERVIEW as u128) as u64;
                let to = (u128::from(end) * u128::from(i + 1) / OVERVIEW as u128) as u64;
                let to = to.max(from + 1);
                let llcs = 0..self.llc_sizes.len();
                let busy: u64 = llcs.map(|llc| self.busy.between(llc, from, to, now)).sum();
                (u128::from(busy) * 255).div_ceil(u128::from(to - from) * cpus).min(255) as u8
            })
            .collect()
    }
}

impl Busy {
    /// Busy time of an LLC between two times, from the grid, ns. Cells cut by an end count in part.
    pub(super) fn between(&self, llc: usize, from: u64, to: u64, now: u64) -> u64 {
        let (cells, cell) = (&self.cells[llc], self.cell);
        let to = to.min(now);
        if from >= to {
            return 0;
        }
        let part = |index: u64| -> u64 {
            let (start, end) = (index * cell, (index + 1) * cell);
            let busy = cells.get(index as usize).copied().unwrap_or(0);
            let overlap = end.min(to) - start.max(from);
            (u128::from(busy) * u128::from(overlap) / u128::from(cell.min(now - start))) as u64
        };
        let counted: u64 = (from / cell..=(to - 1) / cell).map(part).sum();
        // What has not been counted yet: since the LLC's last change.
        let since = self.until[llc].max(from);
        counted + to.saturating_sub(since) * u64::from(self.count[llc])
    }
}

/// The columns of a window.
struct Grid {
    from: u64,
    to: u64,
    now: u64,
    /// Length of a column, ns.
    bin: u64,
    /// The first step at or after the start of each column, and of the end.
    steps: Vec<Step>,
}

impl Grid {
    fn new(index: &Index, from: u64, to: u64, bin: u64, now: u64) -> Grid {
        let columns = (to - from).div_ceil(bin);
        let steps = (0..=columns)
            .map(|column| index.first_at((from + column * bin).min(to)) as Step)
            .collect();
        Grid { from, to, now, bin, steps }
    }

    fn first(&self) -> Step {
        self.steps[0]
    }

    /// The first step beyond the window.
    fn end(&self) -> Step {
        *self.steps.last().expect("a grid has an end")
    }

    fn column(&self, time: u64) -> u64 {
        time.saturating_sub(self.from) / self.bin
    }

    /// Adds a busy stretch to the bins it covers.
    fn spread(&self, from: u64, to: u64, bins: &mut [u64]) {
        let (mut at, to) = (from.max(self.from), to.min(self.to));
        while at < to {
            let bin = self.column(at);
            let end = (self.from + (bin + 1) * self.bin).min(to);
            bins[bin as usize] += end - at;
            at = end;
        }
    }
}

/// Bars as they are found; those below half a column are merged, column by column.
struct Bars<'a> {
    grid: &'a Grid,
    out: Vec<Bar>,
    /// Short bars of the column under way.
    run: Vec<Bar>,
    column: u64,
}

impl Bars<'_> {
    fn add(&mut self, bar: Bar) {
        if bar.to <= bar.from || bar.to <= self.grid.from {
            return;
        }
        let column = self.grid.column(bar.from);
        if 2 * (bar.to - bar.from) >= self.grid.bin {
            self.flush();
            self.out.push(bar);
            return;
        }
        if column != self.column {
            self.flush();
        }
        self.column = column;
        self.run.push(bar);
    }

    fn flush(&mut self) {
        let (Some(first), Some(last)) = (self.run.first(), self.run.last()) else { return };
        let (from, to, preempted) = (first.from, last.to, last.preempted);
        order::sort_by_key(&mut self.run, |bar| bar.task);
        let mut tasks = 0;
        let (mut best, mut covered) = (self.run[0].task, 0);
        for bars in self.run.chunk_by(|a, b| a.task == b.task) {
            let sum: u64 = bars.iter().map(|bar| bar.to - bar.from).sum();
            tasks += 1;
            if sum > covered {
                (best, covered) = (bars[0].task, sum);
            }
        }
        let (cycles, time) = self.run.iter().fold((0, 0), |(cycles, time), bar| {
            let length = u128::from(bar.to - bar.from);
            (cycles + u128::from(bar.khz) * length, time + length)
        });
        let khz = (cycles / time.max(1)) as u32;
        self.out.push(Bar { task: best, from, to, merged: tasks > 1, preempted, khz });
        self.run.clear();
    }

    fn finish(mut self) -> Vec<Bar> {
        self.flush();
        self.out
    }
}

impl Window {
    /// Whether an arrow of this kind is in it.
    #[must_use]
    pub fn has_arrow(&self, kind: ArrowKind) -> bool {
        self.arrows.iter().any(|arrow| arrow.kind == kind)
    }
}
