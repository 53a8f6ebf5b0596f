//! Threads of a core that share it: how long work takes (model).

use schedscope_sim::kernel::{Frequency, Kernel, Preset};
use schedscope_sim::machines::Machine;
use schedscope_sim::program::{Dist, Op, Program};
use schedscope_sim::report::{Change, Off, Record, Report};
use schedscope_sim::setup::{Setup, Start, TaskSpec};
use schedscope_sim::simulation::{Outcome, Simulation};
use schedscope_sim::units::{CpuId, LatencyNice, Nice, Span, Time};

/// Tasks of 10 ms of work that start at these ms on these CPUs, where they stay: when each is done,
/// µs.
fn ends(smt: u8, tasks: &[(u64, u16)]) -> Vec<u64> {
    let task = |&(ms, cpu): &(u64, u16)| TaskSpec {
        nice: Nice::default(),
        latency_nice: LatencyNice::default(),
        slice: None,
        affinity: Some(schedscope_sim::cpu_set::CpuSet::one(CpuId(cpu))),
        start: Some(Start { at: Time(ms * 1_000_000), cpu: Some(CpuId(cpu)) }),
        per_cpu_kthread: false,
        group: None,
        program: Program { ops: vec![Op::Run(Dist::Fixed(Span::ms(10)))] },
    };
    let topology = Machine::Desktop16.topology();
    let kernel = Preset::V6_12.kernel(topology.len());
    let frequency = Frequency { smt, ..kernel.frequency };
    let mut simulation = Simulation::new(Setup {
        topology,
        kernel: Kernel { frequency, ..kernel },
        tasks: tasks.iter().map(task).collect(),
        interrupts: Vec::new(),
        end: Time(1_000_000_000),
        seed: 1,
        inputs: Vec::new(),
        channels: 0,
        groups: Vec::new(),
    });
    let mut report = Report::new();
    let mut ends = vec![0; tasks.len()];
    while simulation.step(&mut report) == Outcome::Stepped {
        for record in &report.records {
            if let Record::Changed(Change::Dequeued { task, why: Off::Exit, .. }) = record {
                ends[task.index()] = simulation.state().now.0 / 1_000;
            }
        }
    }
    ends
}

#[test]
fn two_threads_share_a_core() {
    // CPUs 0 and 8 are threads of one core, 1 is another.
    let both = [(0, 0), (0, 8), (0, 1)];
    assert_eq!(ends(100, &both), [10_000, 10_000, 10_000]);
    assert_eq!(ends(60, &both), [16_666, 16_666, 10_000]);
    assert_eq!(ends(50, &both), [20_000, 20_000, 10_000]);
    // Alone for 5 ms, then 5 ms of work at 60 %; the other then has 5 ms left for itself.
    assert_eq!(ends(60, &[(0, 0), (5, 8)]), [13_333, 18_333]);
}
