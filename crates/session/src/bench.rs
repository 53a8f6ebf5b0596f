//! How fast the engine is, counted: the same loop in a terminal and in the page.
//!
//! Absolute figures wander with the machine, so a bare baseline runs in the same process: the same
//! number of pushes and pops of equally many pending events through the standard library's heap.
//! The clock is the caller's: this crate knows no time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;

use schedscope_analysis::index::Index;
use schedscope_analysis::spans::Spans;
use schedscope_scenario::document::{MachineChoice, Start};
use schedscope_scenario::{Document, Lesson};
use schedscope_sim::machines::Machine;
use schedscope_sim::report::{Evidence, Report};
use schedscope_sim::rng::Rng;
use schedscope_sim::simulation::Simulation;
use serde::{Deserialize, Serialize};

use crate::{Command, Goto, Session, Update};

/// The lesson whose scenario is measured: 768 tasks that sleep and wake on 256 CPUs. (The page has
/// the other lessons' texts beside it, not in it.)
const LESSON: &str = include_str!("../../../lessons/sleepers-768.md");

/// The scenario that is measured, without an end in sight.
///
/// # Panics
/// Never: the lesson is ours.
#[must_use]
pub fn document() -> Document {
    let lesson = Lesson::from_markdown(LESSON).expect("it is tested");
    Document { end: 3_600_000_000_000, ..lesson.document }
}

/// The same kinds of tasks, `tasks` in all, on another machine; `None` if there is no such machine.
#[must_use]
pub fn document_on(machine: &str, tasks: u32) -> Option<Document> {
    let cpus = Machine::from_id(machine)?.topology().len() as u16;
    let mut document = document();
    document.machine = MachineChoice::Preset(machine.to_owned());
    let third = tasks / 3;
    for (row, count) in document.rows.iter_mut().zip([tasks - 2 * third, third, third]) {
        row.count = count.max(1);
        if let Start::At { cpus: starts, .. } = &mut row.start {
            *starts = (0..cpus).collect();
        }
    }
    Some(document)
}

/// How many events a real run takes before the measurement begins.
const WARM_UP: u64 = 50_000;

/// What a measurement found. All times in ns: medians of slices, for all events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenchReport {
    /// Events measured.
    pub events: u64,
    /// CPUs of the machine.
    pub cpus: u32,
    /// Tasks.
    pub tasks: u32,
    /// Events that wait on average: what the baseline's heap holds.
    pub pending: u32,
    /// Time of the engine for all events, with records.
    pub engine: u64,
    /// Time of the engine with records and of the timeline and index made from them.
    pub folded: u64,
    /// Time of the baseline for as many pushes and pops.
    pub baseline: u64,
    /// Records of all events.
    pub records: u64,
    /// Events of which every balance pass was counted.
    pub counted: u64,
    /// Balance passes in these events, those that the engine passes over because they would change
    /// nothing included.
    pub passes: u64,
    /// Groups of CPUs that these passes compared.
    pub groups: u64,
    /// CPUs that these groups consist of.
    pub group_cpus: u64,
    /// Bytes that the timeline takes after all events.
    pub timeline_bytes: u64,
    /// Digest of the last state: equal on every machine.
    pub digest: u64,
}

impl BenchReport {
    /// How many baselines an event of the engine costs, in hundredths.
    #[must_use]
    pub fn ratio_hundredths(&self) -> u64 {
        (u128::from(self.engine) * 100 / u128::from(self.baseline.max(1))) as u64
    }

    /// Events per second of the engine with records.
    #[must_use]
    pub fn events_per_second(&self) -> u64 {
        per_second(self.events, self.engine)
    }

    /// Events per second with the timeline and the index.
    #[must_use]
    pub fn folded_per_second(&self) -> u64 {
        per_second(self.events, self.folded)
    }
}

fn per_second(events: u64, ns: u64) -> u64 {
    (u128::from(events) * 1_000_000_000 / u128::from(ns.max(1))) as u64
}

/// The run of a document, at its very start.
///
/// # Panics
/// If the document cannot be run; those of this module can.
#[must_use]
pub fn simulation(document: &Document) -> Simulation {
    Simulation::new(document.setup().expect("it can be run").setup)
}

/// Counts `events` events of the engine, with records, and as many of the baseline. `clock` gives
/// the time in ns from any start.
///
/// # Panics
/// If the document cannot be run; those of this module can.
pub fn bench(document: &Document, events: u64, mut clock: impl FnMut() -> u64) -> BenchReport {
    let mut simulation = simulation(document);
    let setup = simulation.setup().clone();
    let (mut spans, mut index) = (Spans::new(&setup), Index::new());
    let mut again = simulation.clone();
    let mut report = Report::new();
    for _ in 0..WARM_UP {
        simulation.step(&mut report);
        again.step(&mut report);
        index.push(again.state().now, &report.records);
        spans.push(again.state(), &report.records);
    }
    let mut found = BenchReport {
        events,
        cpus: setup.topology.len() as u32,
        tasks: simulation.state().tasks.len() as u32,
        ..BenchReport::default()
    };

    // In slices that take turns, so that a busy machine slows both alike; of each the median.
    let slice = (events / SLICES).max(1);
    found.events = slice * SLICES;
    let mut pending = 0u64;
    let (mut engine, mut bare, mut folded) = (Vec::new(), Vec::new(), Vec::new());
    let mut heap = Baseline::new(700);
    for _ in 0..SLICES {
        let began = clock();
        for _ in 0..slice {
            simulation.step(&mut report);
            found.records += report.records.len() as u64;
        }
        engine.push(clock() - began);
        pending += simulation.state().events.len() as u64;

        let began = clock();
        black_box(heap.turn(slice));
        bare.push(clock() - began);

        let began = clock();
        for _ in 0..slice {
            again.step(&mut report);
            index.push(again.state().now, &report.records);
            spans.push(again.state(), &report.records);
        }
        folded.push(clock() - began);
        // As many events wait in the baseline as in the engine.
        heap = Baseline::new((pending / engine.len() as u64) as u32);
    }
    found.engine = median(&mut engine) * SLICES;
    found.baseline = median(&mut bare) * SLICES;
    found.folded = median(&mut folded) * SLICES;
    found.pending = (pending / SLICES) as u32;
    found.digest = simulation.state().digest();
    count_balancing(&mut simulation, &mut found);
    found.timeline_bytes = spans.bytes() as u64;
    found
}

/// Counts what balancing looks at in the next events: with evidence every pass is told.
fn count_balancing(simulation: &mut Simulation, found: &mut BenchReport) {
    let domains = &simulation.world().clone().domains;
    let mut report = Report::with_evidence();
    found.counted = COUNTED.min(found.events);
    for _ in 0..found.counted {
        simulation.step(&mut report);
        for evidence in report.evidence.iter().flatten() {
            if let Evidence::Balance(pass) = evidence {
                found.passes += 1;
                found.groups += pass.seen.groups.len() as u64;
                let weights = pass.seen.groups.iter().map(|(id, _)| domains.group(*id).weight);
                found.group_cpus += weights.map(u64::from).sum::<u64>();
            }
        }
    }
}

/// In how many events balancing is counted.
const COUNTED: u64 = 20_000;

/// Into how many slices a measurement is cut.
const SLICES: u64 = 25;

fn median(times: &mut [u64]) -> u64 {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or(0)
}

/// A heap of pending events and nothing else.
struct Baseline {
    rng: Rng,
    heap: BinaryHeap<Reverse<(u64, u64)>>,
}

impl Baseline {
    fn new(pending: u32) -> Baseline {
        let mut rng = Rng::new(1);
        let heap = (0..u64::from(pending.max(1)))
            .map(|id| Reverse((rng.range(0, 1_000_000), id)))
            .collect();
        Baseline { rng, heap }
    }

    /// So many pops and pushes.
    fn turn(&mut self, events: u64) -> u64 {
        let mut sum = 0u64;
        for id in 0..events {
            let Some(Reverse((at, old))) = self.heap.pop() else { break };
            sum = sum.wrapping_add(old);
            self.heap.push(Reverse((at + self.rng.range(1, 1_000_000), id)));
        }
        sum
    }
}

/// So many pops and pushes through a heap that holds `pending` events.
#[must_use]
pub fn baseline(events: u64, pending: u32) -> u64 {
    Baseline::new(pending).turn(events)
}

/// How long it takes to go to a moment of a long run. All times in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeekReport {
    /// Steps of the run.
    pub steps: u64,
    /// Moments gone to.
    pub moments: u64,
    /// The longest, ns.
    pub longest: u64,
    /// The median, ns.
    pub median: u64,
    /// All together, ns.
    pub total: u64,
    /// Time of simulating the run with all that is derived from it, ns.
    pub run: u64,
    /// The median answer to a `Window` of the whole run, ns.
    pub window: u64,
}

/// Simulates `steps` steps and goes to `moments` moments of them in no order.
pub fn seek(
    document: &Document,
    steps: u64,
    moments: u64,
    mut clock: impl FnMut() -> u64,
) -> SeekReport {
    let mut session = Session::new();
    let loaded = session.handle(Command::LoadPacked { packed: document.pack() });
    debug_assert!(matches!(loaded, Update::Loaded(_)));
    let began = clock();
    session.handle(Command::Run { steps: u32::try_from(steps).unwrap_or(u32::MAX) });
    let run = clock() - began;
    let mut found = SeekReport { steps, moments, run, ..SeekReport::default() };
    let mut rng = Rng::new(7);
    let mut took_all = Vec::new();
    for _ in 0..moments {
        let step = rng.range(0, steps);
        let began = clock();
        black_box(session.handle(Command::Show { goto: Goto::Step(step), focus: 0 }));
        let took = clock() - began;
        found.total += took;
        took_all.push(took);
    }
    found.longest = took_all.iter().copied().max().unwrap_or(0);
    found.median = median(&mut took_all);
    let to = session.now();
    let mut windows = Vec::new();
    for columns in (100..=2_000).step_by(100) {
        let began = clock();
        let lanes = (0..8).collect();
        black_box(session.handle(Command::Window { from: 0, to, columns, lanes, heat: true }));
        windows.push(clock() - began);
    }
    found.window = median(&mut windows);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_repeats() {
        let ticking = || {
            let mut now = 0;
            move || {
                now += 1000;
                now
            }
        };
        let first = bench(&document(), 2_000, ticking());
        assert_eq!(first, bench(&document(), 2_000, ticking()));
        assert_eq!((first.events, first.cpus, first.tasks), (2_000, 256, 768));
        assert!(first.pending > 100, "{}", first.pending);
        assert!(first.records > 2_000);
        assert!(first.groups >= 2 * first.passes && first.passes > 0);
        let large = bench(&document_on("power10", 2_000).expect("a machine"), 500, ticking());
        assert_eq!((large.cpus, large.tasks), (640, 2_000));
        assert_eq!(document_on("powerful", 1), None);
        let seek = seek(&document(), 3_000, 10, ticking());
        assert_eq!((seek.moments, seek.total), (10, 10_000));
    }
}
