//! Threads that share a core, and cores that share a package's power: how long work takes (model).

use schedscope_sim::kernel::{Frequency, Governor, Kernel, Preset, Turbo};
use schedscope_sim::machines::Machine;
use schedscope_sim::program::{Dist, Op, Program};
use schedscope_sim::report::{Change, Off, Record, Report};
use schedscope_sim::setup::{Setup, Start, TaskSpec};
use schedscope_sim::simulation::{Outcome, Simulation};
use schedscope_sim::units::{CpuId, LatencyNice, Nice, Span, Time};

/// Tasks of 10 ms of work that start at these ms on these CPUs, where they stay: when each is done,
/// µs.
fn ends(smt: u8, tasks: &[(u64, u16)]) -> Vec<u64> {
    run(Frequency { smt, ..Frequency::default() }, tasks).0
}

/// The same, and each change of a clock: at which µs, of which CPU, to how many MHz.
fn run(frequency: Frequency, tasks: &[(u64, u16)]) -> (Vec<u64>, Vec<(u64, u16, u32)>) {
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
    let (mut ends, mut clocks) = (vec![0; tasks.len()], Vec::new());
    while simulation.step(&mut report) == Outcome::Stepped {
        for record in &report.records {
            let now = simulation.state().now.0 / 1_000;
            match record {
                Record::Changed(Change::Dequeued { task, why: Off::Exit, .. }) => {
                    ends[task.index()] = now;
                }
                Record::Changed(Change::Clock { cpu, khz }) => {
                    clocks.push((now, cpu.0, khz / 1_000));
                }
                _ => {}
            }
        }
    }
    (ends, clocks)
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

/// 4 GHz; 3 GHz from two busy cores on, 2 GHz from three.
const TURBO: Frequency = Frequency {
    governor: Governor::Performance,
    min_khz: 1_000_000,
    max_khz: 4_000_000,
    smt: 100,
    turbo: TURBO_STEPS,
};
const TURBO_STEPS: Turbo = Turbo::new(&[(2, 3_000_000), (3, 2_000_000)]);

#[test]
fn busy_cores_slow_each_other_down() {
    // Two threads of one core are one busy core.
    let (ends, clocks) = run(TURBO, &[(0, 0), (0, 8)]);
    assert_eq!((ends, clocks), (vec![10_000, 10_000], vec![]));
    // 2 ms of work alone, then both at 3 GHz: 8 ms of work take 10.667 ms. The other has 2 ms left,
    // at 4 GHz again.
    let (ends, clocks) = run(TURBO, &[(0, 0), (2, 1)]);
    assert_eq!(ends, [12_666, 14_666]);
    assert_eq!(clocks, [(2_000, 1, 3_000), (2_000, 0, 3_000), (12_666, 1, 4_000)]);
    // Three: half the speed for 20 ms.
    let (ends, _) = run(TURBO, &[(0, 0), (0, 1), (0, 2)]);
    assert_eq!(ends, [20_000, 20_000, 20_000]);
    // Two threads of a core at 60 % of 3 GHz until the other core is done, then of 4 GHz.
    let (ends, _) = run(Frequency { smt: 60, ..TURBO }, &[(0, 0), (0, 8), (0, 1)]);
    assert_eq!(ends, [20_000, 20_000, 13_333]);
}

/// A governor asks for what it likes, and gets what the package allows.
#[test]
fn a_governor_is_limited_too() {
    let hwp = Frequency { governor: Governor::Hwp, ..TURBO };
    let (_, clocks) = run(hwp, &[(0, 0), (0, 1), (0, 2)]);
    assert!(clocks.iter().all(|(at, _, mhz)| *mhz <= 2_000 || *at > 20_000), "{clocks:?}");
    let (_, alone) = run(hwp, &[(0, 0)]);
    assert!(alone.iter().any(|(_, _, mhz)| *mhz > 3_900), "{alone:?}");
}

/// When the first task is gone, the queue's utilisation drops; the CPU is busy with the second one
/// and keeps its clock (R7.3.7). A CPU that has been idle does not.
#[test]
fn schedutil_lowers_no_clock_of_a_busy_cpu() {
    let schedutil = Frequency {
        governor: Governor::Schedutil,
        min_khz: 800_000,
        max_khz: 3_000_000,
        ..Frequency::default()
    };
    let mhz = |tasks: &[(u64, u16)]| -> Vec<u32> {
        run(schedutil, tasks).1.iter().map(|&(_, _, mhz)| mhz).collect()
    };
    let busy = mhz(&[(0, 0), (8, 0)]);
    assert!(busy.len() > 3 && busy.is_sorted(), "{busy:?}");
    let idle_between = mhz(&[(0, 0), (200, 0)]);
    assert!(!idle_between.is_sorted(), "{idle_between:?}");
}
