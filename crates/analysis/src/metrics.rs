//! Figures over a run: wakeup latencies, waits, switches, migrations, use of the machine.

use schedscope_sim::topology::Topology;
use schedscope_sim::units::{CpuId, TaskId};

use crate::index::Index;
use crate::spans::{ArrowKind, Spans};

/// Which part of the tasks is above: parts of 10 000 (median, 90 %, 99 %, 99.9 %), each with the
/// fewest samples from which it is given.
pub const PERCENTILES: [(u32, usize); 4] = [(5_000, 1), (9_000, 10), (9_900, 100), (9_990, 1_000)];
/// At most so many latencies are given one by one.
pub const SAMPLES: usize = 2_000;

/// Figures over the run so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// By row of the task list.
    pub rows: Vec<Figures>,
    /// All together.
    pub all: Figures,
    /// CPU time used of CPU time there was, in parts of 10 000.
    pub utilisation: u32,
    /// Time in which some CPU was idle while a task waited on another, ns.
    pub idle_while_overloaded: u64,
    /// CPUs that ran anything.
    pub cpus_used: u32,
}

/// Figures of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// CPU time, ns.
    pub ran: u64,
    /// Time spent waiting on a queue, ns.
    pub waited: u64,
    /// Wakeups.
    pub wakeups: u64,
    /// Wakeup latencies, ns: parts of 10 000 and value; only those with enough samples.
    pub latency: Vec<(u32, u64)>,
    /// The latencies one by one, ascending; an even choice if there are more than [`SAMPLES`].
    pub samples: Vec<u64>,
    /// Switches away from a task that went to sleep or exited.
    pub voluntary: u64,
    /// Switches away from a task that still wanted to run.
    pub involuntary: u64,
    /// Changes of CPU within an LLC, across LLCs of a node, across nodes of a package, across
    /// packages.
    pub migrations: [u64; 4],
}

/// How far apart two CPUs are: 0 same LLC, 1 same node, 2 same package, 3 across packages.
#[must_use]
pub fn distance(topology: &Topology, a: CpuId, b: CpuId) -> usize {
    let (a, b) = (topology.cpu(a), topology.cpu(b));
    if a.llc == b.llc {
        0
    } else if a.node == b.node {
        1
    } else if a.package == b.package {
        2
    } else {
        3
    }
}

/// The value below which `parts` of 10 000 of the ascending samples lie (nearest rank).
#[must_use]
pub fn percentile(ascending: &[u64], parts: u32) -> Option<u64> {
    let n = ascending.len() as u128;
    let rank = (n * u128::from(parts)).div_ceil(10_000).max(1) as usize;
    ascending.get(rank - 1).copied()
}

/// The figures up to `now`, ns. `row` says to which of the `rows` rows a task belongs.
#[must_use]
pub fn metrics(
    topology: &Topology,
    spans: &Spans,
    index: &Index,
    now: u64,
    rows: usize,
    row: impl Fn(TaskId) -> usize,
) -> Metrics {
    let mut figures = vec![Figures::default(); rows];
    let mut metrics = Metrics::default();
    let of = |task: TaskId| row(task).min(rows.saturating_sub(1));
    let mut busy = 0;
    for cpu in (0..spans.cpus() as u16).map(CpuId) {
        let mut before: Option<(TaskId, u64)> = None;
        let mut used = false;
        for (step, task, preempted) in spans.switches(cpu) {
            let at = index.time(step);
            if let Some((prev, since)) = before {
                let figures = &mut figures[of(prev)];
                figures.ran += at - since;
                busy += at - since;
                if preempted {
                    figures.involuntary += 1;
                } else {
                    figures.voluntary += 1;
                }
            }
            used |= task.is_some();
            before = task.map(|task| (task, at));
        }
        if let Some((task, since)) = before {
            figures[of(task)].ran += now.saturating_sub(since);
            busy += now.saturating_sub(since);
        }
        metrics.cpus_used += u32::from(used);
    }
    for (_, task, from, to) in spans.waits() {
        figures[of(task)].waited += index.time(to) - index.time(from);
    }
    for (_, task, since) in spans.open_waits() {
        figures[of(task)].waited += now.saturating_sub(index.time(since));
    }
    for arrow in spans.arrows() {
        figures[of(arrow.task)].wakeups += u64::from(arrow.kind == ArrowKind::Wake);
    }
    for moved in spans.moves() {
        figures[of(moved.task)].migrations[distance(topology, moved.from, moved.to)] += 1;
    }
    for (task, woken, ran) in spans.latencies() {
        figures[of(task)].samples.push(index.time(ran) - index.time(woken));
    }
    let mut all = Figures::default();
    for figures in &mut figures {
        all.ran += figures.ran;
        all.waited += figures.waited;
        all.wakeups += figures.wakeups;
        all.voluntary += figures.voluntary;
        all.involuntary += figures.involuntary;
        for (sum, n) in all.migrations.iter_mut().zip(figures.migrations) {
            *sum += n;
        }
        all.samples.extend_from_slice(&figures.samples);
        figures.close();
    }
    all.close();
    let there_was = u128::from(now) * spans.cpus() as u128;
    metrics.utilisation = (u128::from(busy) * 10_000).checked_div(there_was).unwrap_or(0) as u32;
    metrics.idle_while_overloaded = spans.idle_while_overloaded(index, now);
    metrics.rows = figures;
    metrics.all = all;
    metrics
}

impl Figures {
    /// Sorts the latencies, takes the percentiles, and keeps an even choice of samples.
    fn close(&mut self) {
        self.samples.sort_unstable();
        let n = self.samples.len();
        self.latency = PERCENTILES
            .iter()
            .filter(|(_, least)| n >= *least)
            .filter_map(|&(parts, _)| Some((parts, percentile(&self.samples, parts)?)))
            .collect();
        if n > SAMPLES {
            // Both ends stay in.
            let pick = |i: usize| self.samples[i * (n - 1) / (SAMPLES - 1)];
            self.samples = (0..SAMPLES).map(pick).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_exact_ranks() {
        let hundred: Vec<u64> = (1..=100).collect();
        assert_eq!(percentile(&hundred, 5_000), Some(50));
        assert_eq!(percentile(&hundred, 9_900), Some(99));
        assert_eq!(percentile(&hundred, 9_990), Some(100));
        assert_eq!(percentile(&[7], 5_000), Some(7));
        assert_eq!(percentile(&[], 5_000), None);
    }

    #[test]
    fn few_samples_give_few_percentiles() {
        let mut figures = Figures { samples: (0..99).rev().collect(), ..Figures::default() };
        figures.close();
        assert_eq!(figures.latency, [(5_000, 49), (9_000, 89)]);
        let mut figures = Figures { samples: (0..9_999).collect(), ..Figures::default() };
        figures.close();
        assert_eq!(figures.latency.len(), 4);
        assert_eq!(figures.samples.len(), SAMPLES);
        assert_eq!((figures.samples[0], figures.samples[SAMPLES - 1]), (0, 9_998));
    }
}
