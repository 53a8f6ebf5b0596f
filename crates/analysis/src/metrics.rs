//! Figures over a run, or its start: wakeup latencies, waits, switches, migrations, clocks, work
//! done and use of the machine.

use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::topology::Topology;
use schedscope_sim::units::{CpuId, TaskId};

use crate::index::Index;
use crate::spans::{ArrowKind, Spans};

/// Which part of the tasks is above: parts of 10 000 (median, 90 %, 99 %, 99.9 %, all), each with
/// the fewest samples from which it is given.
pub const PERCENTILES: [(u32, usize); 5] =
    [(5_000, 1), (9_000, 10), (9_900, 100), (9_990, 1_000), (10_000, 1)];
/// At most so many latencies are shown one by one.
pub const SAMPLES: usize = 2_000;
/// Into so many equal parts, from 0 to the highest, clocks are sorted.
pub const CLOCK_PARTS: usize = 10;

/// Figures over a run, or its start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// Up to when they count, ns.
    pub upto: u64,
    /// By task, as far as they have come to be.
    pub tasks: Vec<Figures>,
    /// All together.
    pub all: Figures,
    /// By CPU.
    pub cpus: Vec<CpuFigures>,
    /// Time in which some CPU was idle that might have run a task which waited on a busy one, ns.
    pub idle_while_overloaded: u64,
}

/// Figures of a task, or of several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// CPU time, ns.
    pub ran: u64,
    /// Work done, ns at the highest clock: CPU time × clock ÷ highest clock.
    pub work: u64,
    /// CPUs it ran on.
    pub on: CpuSet,
    /// Time spent waiting on a queue, ns.
    pub waited: u64,
    /// Wakeups.
    pub wakeups: u64,
    /// Wakeup latencies, ns: parts of 10 000 and value; only those with enough samples.
    pub latency: Vec<(u32, u64)>,
    /// The latencies one by one, ascending.
    pub samples: Vec<u64>,
    /// Switches away from a task that went to sleep or exited.
    pub voluntary: u64,
    /// Switches away from a task that still wanted to run.
    pub involuntary: u64,
    /// Changes of CPU within a core, across cores of an LLC, across LLCs of a node, across nodes of
    /// a package, across packages.
    pub migrations: [u64; 5],
}

/// Figures of a CPU, or of several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuFigures {
    /// Time in which a task ran, ns.
    pub busy: u64,
    /// Work done in it, ns at the highest clock.
    pub work: u64,
    /// Context switches.
    pub switches: u64,
    /// Busy time at clocks of up to 10 %, 20 %, … of the highest, ns.
    pub residency: [u64; CLOCK_PARTS],
}

/// How far apart two CPUs are: 0 same core, 1 same LLC, 2 same node, 3 same package, 4 across
/// packages.
#[must_use]
pub fn distance(topology: &Topology, a: CpuId, b: CpuId) -> usize {
    let (a, b) = (topology.cpu(a), topology.cpu(b));
    let same = [a.core == b.core, a.llc == b.llc, a.node == b.node, a.package == b.package];
    same.iter().position(|same| *same).unwrap_or(4)
}

/// The value below which `parts` of 10 000 of the ascending samples lie (nearest rank).
#[must_use]
pub fn percentile(ascending: &[u64], parts: u32) -> Option<u64> {
    let n = ascending.len() as u128;
    let rank = (n * u128::from(parts)).div_ceil(10_000).max(1) as usize;
    ascending.get(rank - 1).copied()
}

/// The figures up to and with a step, and on to `now`, ns; of `tasks` tasks.
#[must_use]
pub fn metrics(
    topology: &Topology,
    spans: &Spans,
    index: &Index,
    upto: u64,
    now: u64,
    tasks: usize,
) -> Metrics {
    let mut of = vec![Figures::default(); tasks];
    let mut cpus = Vec::with_capacity(spans.cpus());
    for cpu in (0..spans.cpus() as u16).map(CpuId) {
        let mut figures = CpuFigures::default();
        let mut before: Option<(TaskId, u64)> = None;
        let mut switches = spans.switches(cpu).take_while(|(step, ..)| *step <= upto).peekable();
        while let Some((step, task, preempted)) = switches.next() {
            figures.switches += 1;
            if let Some((prev, _)) = before {
                let figures = &mut of[prev.index()];
                *(if preempted { &mut figures.involuntary } else { &mut figures.voluntary }) += 1;
            }
            before = task.map(|task| (task, step));
            let Some(task) = task else { continue };
            let to = switches.peek().map_or(now, |(next, ..)| index.time(*next));
            let figures_of = &mut of[task.index()];
            figures_of.on.insert(cpu);
            spans.each_clock(index, cpu, step, to, |khz, percent, length| {
                let (top, khz) = (u64::from(spans.top_khz()), u64::from(khz));
                let cycles = u128::from(length) * u128::from(khz) * u128::from(percent);
                let work = (cycles / (100 * u128::from(top))) as u64;
                figures_of.ran += length;
                figures_of.work += work;
                figures.busy += length;
                figures.work += work;
                let part = (khz * CLOCK_PARTS as u64).div_ceil(top).clamp(1, CLOCK_PARTS as u64);
                figures.residency[part as usize - 1] += length;
            });
        }
        cpus.push(figures);
    }
    for (_, task, from, to) in spans.waits().filter(|(_, _, from, _)| *from <= upto) {
        let to = if to <= upto { index.time(to) } else { now };
        of[task.index()].waited += to.saturating_sub(index.time(from));
    }
    for (_, task, since) in spans.open_waits().filter(|(_, _, since)| *since <= upto) {
        of[task.index()].waited += now.saturating_sub(index.time(since));
    }
    for arrow in spans.arrows().take_while(|arrow| arrow.step <= upto) {
        of[arrow.task.index()].wakeups += u64::from(arrow.kind == ArrowKind::Wake);
    }
    for moved in spans.moves().iter().take_while(|moved| moved.step() <= upto) {
        of[moved.task.index()].migrations[distance(topology, moved.from, moved.to)] += 1;
    }
    for (task, woken, ran) in spans.latencies().take_while(|(_, _, ran)| *ran <= upto) {
        of[task.index()].samples.push(index.time(ran) - index.time(woken));
    }
    let idle_while_overloaded = spans.idle_while_overloaded(index, now);
    let all = Figures::sum(&of);
    of.iter_mut().for_each(Figures::close);
    Metrics { upto: now, tasks: of, all, cpus, idle_while_overloaded }
}

impl Metrics {
    /// CPU time used of CPU time there was, in parts of 10 000.
    #[must_use]
    pub fn utilisation(&self) -> u32 {
        let there_was = u128::from(self.upto) * self.cpus.len() as u128;
        (u128::from(self.all.ran) * 10_000).checked_div(there_was).unwrap_or(0) as u32
    }

    /// CPUs that ran anything.
    #[must_use]
    pub fn cpus_used(&self) -> u32 {
        self.cpus.iter().filter(|cpu| cpu.busy > 0).count() as u32
    }

    /// The tasks in groups: `key` says in which of `groups` a task is, if in any.
    #[must_use]
    pub fn grouped(&self, groups: usize, key: impl Fn(TaskId) -> Option<usize>) -> Vec<Figures> {
        let mut members: Vec<Vec<&Figures>> = vec![Vec::new(); groups];
        for (task, figures) in self.tasks.iter().enumerate() {
            let group = key(TaskId(task as u32));
            if let Some(members) = group.and_then(|group| members.get_mut(group)) {
                members.push(figures);
            }
        }
        members.into_iter().map(Figures::sum).collect()
    }
}

impl CpuFigures {
    /// Several CPUs together.
    #[must_use]
    pub fn sum<'a>(all: impl IntoIterator<Item = &'a CpuFigures>) -> CpuFigures {
        let mut sum = CpuFigures::default();
        for cpu in all {
            sum.busy += cpu.busy;
            sum.work += cpu.work;
            sum.switches += cpu.switches;
            for (sum, time) in sum.residency.iter_mut().zip(cpu.residency) {
                *sum += time;
            }
        }
        sum
    }
}

impl Figures {
    /// Several tasks together.
    fn sum<'a>(all: impl IntoIterator<Item = &'a Figures>) -> Figures {
        let mut sum = Figures::default();
        for figures in all {
            sum.ran += figures.ran;
            sum.work += figures.work;
            sum.on = sum.on.or(&figures.on);
            sum.waited += figures.waited;
            sum.wakeups += figures.wakeups;
            sum.voluntary += figures.voluntary;
            sum.involuntary += figures.involuntary;
            for (sum, n) in sum.migrations.iter_mut().zip(figures.migrations) {
                *sum += n;
            }
            sum.samples.extend_from_slice(&figures.samples);
        }
        sum.close();
        sum
    }

    /// Sorts the latencies and takes the percentiles.
    fn close(&mut self) {
        self.samples.sort_unstable();
        let n = self.samples.len();
        self.latency = PERCENTILES
            .iter()
            .filter(|(_, least)| n >= *least)
            .filter_map(|&(parts, _)| Some((parts, percentile(&self.samples, parts)?)))
            .collect();
    }

    /// The latencies, at most [`SAMPLES`]: an even choice in which both ends are.
    #[must_use]
    pub fn few_samples(&self) -> Vec<u64> {
        let n = self.samples.len();
        let few = n.min(SAMPLES);
        (0..few).map(|i| self.samples[if few == n { i } else { i * (n - 1) / (few - 1) }]).collect()
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
        assert_eq!(figures.latency, [(5_000, 49), (9_000, 89), (10_000, 98)]);
        let mut figures = Figures { samples: (0..9_999).collect(), ..Figures::default() };
        figures.close();
        assert_eq!(figures.latency.len(), 5);
        let few = figures.few_samples();
        assert_eq!((few.len(), few[0], few[SAMPLES - 1]), (SAMPLES, 0, 9_998));
    }
}
