//! The three-task example of the LWN article "An EEVDF CPU scheduler for Linux".

use schedscope_sim::history::History;
use schedscope_sim::kernel::Preset;
use schedscope_sim::machines::Machine;
use schedscope_sim::program::{Dist, Op, Program};
use schedscope_sim::report::{Decision, Record, Report};
use schedscope_sim::setup::{Setup, Start, TaskSpec};
use schedscope_sim::simulation::{Outcome, Simulation};
use schedscope_sim::units::{CpuId, LatencyNice, Nice, Span, TaskId, Time};

fn hog() -> TaskSpec {
    TaskSpec {
        nice: Nice::default(),
        latency_nice: LatencyNice::default(),
        slice: None,
        affinity: None,
        start: Some(Start { at: Time(0), cpu: Some(CpuId(0)) }),
        per_cpu_kthread: false,
        group: None,
        program: Program { ops: vec![Op::Run(Dist::Fixed(Span::ms(10_000)))] },
    }
}

fn setup() -> Setup {
    let mut kernel = Preset::V6_6.kernel(1);
    kernel.base_slice = Span::ms(30);
    Setup {
        topology: Machine::Cpu1.topology(),
        kernel,
        tasks: vec![hog(), hog(), hog()],
        end: Time(300_000_000),
        seed: 1,
        interrupts: Vec::new(),
        inputs: Vec::new(),
        channels: 0,
        groups: Vec::new(),
    }
}

/// The lags of A, B, C at each pick, in ms.
fn lags(history: &History) -> [i64; 3] {
    let state = history.frontier().state();
    let queue = &state.cpus[0].rq.fair;
    let v = queue.avg_vruntime(&state.entities);
    [0, 1, 2].map(|i| v.since(state.entities[TaskId(i)].vruntime) / 1_000_000)
}

#[test]
fn lags_of_the_article() {
    let mut history = History::new(Simulation::new(setup()));
    let mut report = Report::new();
    let mut seen = Vec::new();
    while history.advance(&mut report) == Outcome::Stepped {
        for record in &report.records {
            if let Record::Decided(Decision::Pick { next, .. }) = record {
                seen.push((next.expect("three hogs").0, lags(&history)));
            }
        }
    }
    assert_eq!(
        seen[1..4],
        // At the end all deadlines are equal, and 6.6 lets the running task go on (R4.B.12).
        [(1, [-20, 10, 10]), (2, [-10, -10, 20]), (2, [0, 0, 0])]
    );
}

#[test]
fn going_back_is_the_run_again() {
    let mut history = History::new(Simulation::new(setup()));
    let mut report = Report::new();
    let mut digests = vec![history.frontier().state().digest()];
    while history.advance(&mut report) == Outcome::Stepped {
        digests.push(history.frontier().state().digest());
    }
    for step in [0, 1, 7, 250, 3, 299, 0] {
        assert_eq!(history.seek(step).state().digest(), digests[step as usize], "step {step}");
    }
    let mut report = Report::with_evidence();
    for step in 1..digests.len() as u64 {
        let after = history.explain(step, &mut report).state().digest();
        assert_eq!(after, digests[step as usize], "step {step} with evidence");
    }
}
