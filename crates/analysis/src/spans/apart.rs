//! Where two runs of a document differ: which task has a CPU in the one and in the other.
//!
//! A task that is on and off a CPU at one and the same instant was not there. Tasks are the same
//! if their names are, since those forked in another order have other numbers.

use schedscope_sim::units::{CpuId, TaskId};

use super::{Busy, Spans};
use crate::index::Index;

/// One of two runs.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// Who ran.
    pub spans: &'a Spans,
    /// When the steps were.
    pub index: &'a Index,
    /// What a task is known by in both runs: its row and its number there.
    pub name: &'a dyn Fn(TaskId) -> (u16, u32),
}

impl Side<'_> {
    /// The first switch of a CPU later than a time.
    fn after(&self, cpu: CpuId, time: u64) -> usize {
        let list = &self.spans.switches[cpu.index()];
        list.partition_point(|s| self.index.time(s.step.into()) <= time)
    }

    /// When a switch was; never if there is none.
    fn time(&self, cpu: CpuId, switch: usize) -> u64 {
        let list = &self.spans.switches[cpu.index()];
        list.get(switch).map_or(u64::MAX, |s| self.index.time(s.step.into()))
    }

    /// Who has the CPU before a switch.
    fn before(&self, cpu: CpuId, switch: usize) -> Option<TaskId> {
        self.spans.switches[cpu.index()][..switch].last()?.task()
    }

    /// Who has the CPU from a time on, and whether it was switched to at that very time.
    #[must_use]
    pub fn at(&self, cpu: CpuId, time: u64) -> (Option<TaskId>, bool) {
        let switch = self.after(cpu, time);
        (self.before(cpu, switch), switch > 0 && self.time(cpu, switch - 1) == time)
    }
}

/// Goes through a stretch of time piece by piece: from, to, and whether the two differ there, until
/// `each` has enough.
fn pieces(
    two: [Side; 2],
    cpu: CpuId,
    (from, to): (u64, u64),
    mut each: impl FnMut(u64, u64, bool) -> bool,
) {
    let mut next = two.map(|side| side.after(cpu, from));
    let mut at = from;
    while at < to {
        let [a, b] = [0, 1].map(|i| two[i].before(cpu, next[i]).map(two[i].name));
        let end = two[0].time(cpu, next[0]).min(two[1].time(cpu, next[1])).min(to);
        if !each(at, end, a != b) {
            return;
        }
        at = end;
        for (side, next) in two.iter().zip(&mut next) {
            while side.time(cpu, *next) <= at {
                *next += 1;
            }
        }
    }
}

/// The first time in a stretch at which a CPU comes to differ, and the lowest such CPU. One that
/// differs at the very start counts only if the runs are `fresh` there.
#[must_use]
pub fn parting(two: [Side; 2], from: u64, to: u64, fresh: bool) -> Option<(u64, CpuId)> {
    let mut found = None;
    for cpu in (0..two[0].spans.cpus()).map(|cpu| CpuId(cpu as u16)) {
        let limit = found.map_or(to, |(at, _)| at);
        let mut before = !fresh;
        pieces(two, cpu, (from, limit), |at, _, differs| {
            let parts = differs && !before;
            before = differs;
            if parts {
                found = Some((at, cpu));
            }
            !parts
        });
    }
    found
}

/// How much of the CPUs' time differs, on a grid that is filled as the runs go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apart {
    differs: Busy,
    until: u64,
}

impl Default for Apart {
    fn default() -> Apart {
        Apart { differs: Busy::new(1), until: 0 }
    }
}

impl Apart {
    /// Takes note of both runs up to a time to which both have come.
    pub fn follow(&mut self, two: [Side; 2], until: u64) {
        if until <= self.until {
            return;
        }
        // The grid grows to hold this; what differs is added below.
        self.differs.count_to(0, until);
        for cpu in 0..two[0].spans.cpus() {
            pieces(two, CpuId(cpu as u16), (self.until, until), |from, to, differs| {
                self.differs.add(0, from, to, u64::from(differs));
                true
            });
        }
        self.until = until;
    }

    /// Up to when both runs were compared, ns.
    #[must_use]
    pub fn until(&self) -> u64 {
        self.until
    }

    /// CPU time that differs in each column of `bin` ns of a stretch, ns. Where a column is short,
    /// it is taken from the runs, else from the grid.
    #[must_use]
    pub fn columns(&self, two: [Side; 2], from: u64, to: u64, bin: u64) -> Vec<u64> {
        let bin = bin.max(1);
        let count = to.saturating_sub(from).div_ceil(bin) as usize;
        let start = |column: usize| from + column as u64 * bin;
        if bin >= 2 * self.differs.cell {
            let column = |i| self.differs.between(0, start(i), start(i + 1), self.until);
            return (0..count).map(column).collect();
        }
        let mut out = vec![0; count];
        for cpu in 0..two[0].spans.cpus() {
            let stretch = (from, to.min(self.until));
            pieces(two, CpuId(cpu as u16), stretch, |mut at, to, differs| {
                while differs && at < to {
                    let column = ((at - from) / bin) as usize;
                    let end = start(column + 1).min(to);
                    out[column] += end - at;
                    at = end;
                }
                true
            });
        }
        out
    }
}
