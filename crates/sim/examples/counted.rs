//! A counted loop for profilers, as of the lesson *sleepers-768*: 256 CPUs, 768 tasks that sleep
//! and wake, records on. The last line is the same for two engines that do the same.
//! `cargo run --release -p schedscope-sim --example counted -- 1000000`

use std::hash::{DefaultHasher, Hash, Hasher};

use schedscope_sim::kernel::Preset;
use schedscope_sim::machines::Machine;
use schedscope_sim::program::{ChannelId, Dist, Op, Program};
use schedscope_sim::report::Report;
use schedscope_sim::setup::{Setup, Start, TaskSpec};
use schedscope_sim::simulation::{Outcome, Simulation};
use schedscope_sim::units::{CpuId, LatencyNice, Nice, Span, Time};

/// A length of time between two numbers of µs.
fn us(lo: u64, hi: u64) -> Dist {
    Dist::Uniform { lo: Span::us(lo), hi: Span::us(hi) }
}

/// The operations of the n-th task for ever.
fn program(n: u16) -> Program {
    let channel = ChannelId(n % 256);
    let mut ops = match n / 256 {
        0 => vec![Op::Run(us(50, 150)), Op::Sleep(us(100, 400))],
        1 => vec![
            Op::Run(us(20, 60)),
            Op::Wake { channel, count: 1, sync: false },
            Op::Sleep(us(200, 300)),
        ],
        _ => vec![Op::Wait(channel), Op::Run(us(30, 90))],
    };
    ops.push(Op::Repeat { to: 0, times: None, slot: 0 });
    Program { ops }
}

fn simulation() -> Simulation {
    let task = |n: u16| TaskSpec {
        nice: Nice::default(),
        latency_nice: LatencyNice::default(),
        slice: None,
        affinity: None,
        start: Some(Start { at: Time(u64::from(n % 256) * 1_000), cpu: Some(CpuId(n % 256)) }),
        per_cpu_kthread: false,
        group: None,
        program: program(n),
    };
    Simulation::new(Setup {
        topology: Machine::Zen3Nps4.topology(),
        kernel: Preset::V6_12.kernel(256),
        tasks: (0..768).map(task).collect(),
        end: Time(u64::MAX),
        seed: 1,
        interrupts: Vec::new(),
        inputs: Vec::new(),
        channels: 256,
        groups: Vec::new(),
    })
}

fn main() {
    let steps: u64 = std::env::args().nth(1).map_or(1_000_000, |n| n.parse().expect("a number"));
    let mut simulation = simulation();
    let mut report = Report::new();
    let mut records = 0;
    while simulation.state().step < steps && simulation.step(&mut report) == Outcome::Stepped {
        records += report.records.len();
    }
    let state = simulation.state();
    println!("{} steps, {records} records, t = {} ns", state.step, state.now.0);

    let mut again = self::simulation();
    let mut hasher = DefaultHasher::new();
    for _ in 0..steps.min(200_000) {
        again.step(&mut report);
        report.records.hash(&mut hasher);
    }
    println!("records {:016x}", hasher.finish());
}
