//! A counted loop for profilers: 256 CPUs, 768 tasks that sleep and wake, records on.
//! `cargo run --release -p schedscope-sim --example counted -- 1000000`

use schedscope_sim::kernel::Preset;
use schedscope_sim::machines::Machine;
use schedscope_sim::program::{Dist, Op, Program};
use schedscope_sim::report::Report;
use schedscope_sim::setup::{Setup, Start, TaskSpec};
use schedscope_sim::simulation::{Outcome, Simulation};
use schedscope_sim::units::{CpuId, LatencyNice, Nice, Span, Time};

fn main() {
    let steps: u64 = std::env::args().nth(1).map_or(1_000_000, |n| n.parse().expect("a number"));
    let task = |i: u64| TaskSpec {
        nice: Nice::new((i % 5) as i8 - 2).expect("in range"),
        latency_nice: LatencyNice::default(),
        slice: None,
        affinity: None,
        start: Some(Start { at: Time(i * 1_000), cpu: Some(CpuId((i % 256) as u16)) }),
        per_cpu_kthread: false,
        program: Program {
            ops: vec![
                Op::Run(Dist::Uniform { lo: Span::us(50), hi: Span::us(400) }),
                Op::Sleep(Dist::Uniform { lo: Span::us(100), hi: Span::us(1000) }),
                Op::Repeat { to: 0, times: None, slot: 0 },
            ],
        },
    };
    let setup = Setup {
        topology: Machine::Zen3Nps4.topology(),
        kernel: Preset::V6_12.kernel(256),
        tasks: (0..768).map(task).collect(),
        end: Time(u64::MAX),
        seed: 1,
        interrupts: Vec::new(),
        inputs: Vec::new(),
        channels: 0,
    };
    let mut simulation = Simulation::new(setup);
    let mut report = Report::new();
    let mut records = 0;
    while simulation.state().step < steps && simulation.step(&mut report) == Outcome::Stepped {
        records += report.records.len();
    }
    let state = simulation.state();
    println!(
        "{} steps, {records} records, t = {} ns, digest {:016x}",
        state.step,
        state.now.0,
        state.digest()
    );
}
