//! CPU hogs spread over the machine as they do on Linux: while there are no more hogs than cores,
//! each has a core of its own, and LLCs and nodes get about equally many (issue 4).

use schedscope_sim::kernel::{Kernel, Preset};
use schedscope_sim::machines::Machine;
use schedscope_sim::program::{Dist, Op, Program};
use schedscope_sim::report::Report;
use schedscope_sim::setup::{Setup, Start, TaskSpec};
use schedscope_sim::simulation::{Outcome, Simulation};
use schedscope_sim::units::{CpuId, LatencyNice, Nice, Span, Time};

/// Runs `hogs` hogs for ten seconds and counts them by CPU.
fn run(machine: Machine, preset: Preset, hogs: usize, cpu: Option<CpuId>) -> Vec<usize> {
    let topology = machine.topology();
    let cpus = topology.len();
    let hog = |i: usize| TaskSpec {
        nice: Nice::default(),
        latency_nice: LatencyNice::default(),
        slice: None,
        affinity: None,
        start: Some(Start { at: Time(i as u64 * 200_000), cpu }),
        per_cpu_kthread: false,
        group: None,
        program: Program { ops: vec![Op::Run(Dist::Fixed(Span::ms(100_000)))] },
    };
    let mut simulation = Simulation::new(Setup {
        // As distributions build it: fewer ticks to simulate.
        kernel: Kernel { hz: 250, ..preset.kernel(cpus) },
        topology,
        tasks: (0..hogs).map(hog).collect(),
        interrupts: Vec::new(),
        end: Time(10_000_000_000),
        seed: 1,
        inputs: Vec::new(),
        channels: 0,
        groups: Vec::new(),
    });
    let mut report = Report::new();
    while simulation.step(&mut report) == Outcome::Stepped {}
    simulation.state().cpus.iter().map(|cpu| cpu.rq.nr_running as usize).collect()
}

fn per(machine: Machine, counts: &[usize], group: impl Fn(CpuId) -> usize) -> Vec<usize> {
    let mut sums = vec![0; counts.len()];
    let topology = machine.topology();
    for cpu in topology.cpu_ids() {
        sums[group(cpu)] += counts[cpu.index()];
    }
    let groups = topology.cpu_ids().map(group).max().expect("a CPU") + 1;
    sums.truncate(groups);
    sums
}

/// How the hogs of a run are distributed.
struct Spread {
    what: String,
    cores: Vec<usize>,
    nodes: Vec<usize>,
    llcs: Vec<usize>,
}

fn spread(machine: Machine, preset: Preset, hogs: usize, cpu: Option<CpuId>) -> Spread {
    let counts = run(machine, preset, hogs, cpu);
    assert_eq!(counts.iter().sum::<usize>(), hogs);
    let topology = machine.topology();
    let cores = per(machine, &counts, |cpu| topology.cpu(cpu).core.0 as usize);
    let nodes = per(machine, &counts, |cpu| topology.cpu(cpu).node.0 as usize);
    let llcs = per(machine, &counts, |cpu| topology.cpu(cpu).llc.0 as usize);
    let what = format!(
        "{machine:?} {preset:?} {hogs} hogs from {cpu:?}: nodes {nodes:?} LLCs {llcs:?} cores {cores:?}"
    );
    println!("{what}");
    Spread { what, cores, nodes, llcs }
}

/// No core has more than its part, and LLCs and nodes, all of one size here, have equally many.
#[track_caller]
fn is_even(found: &Spread, hogs: usize) {
    let part = hogs.div_ceil(found.cores.len());
    assert!(found.cores.iter().all(|&n| n <= part), "{}", found.what);
    for sums in [&found.nodes, &found.llcs] {
        let (least, most) = (sums.iter().min(), sums.iter().max());
        assert!(most <= least.map(|n| n + 2).as_ref(), "{}", found.what);
    }
}

const SMALL: [(Machine, [usize; 2]); 4] = [
    (Machine::Q6600, [2, 4]),
    (Machine::Desktop16, [5, 8]),
    (Machine::Intel2x20, [20, 40]),
    (Machine::Kunpeng920, [24, 48]),
];

/// Every kernel that balances by load per task or by group types spreads hogs over a machine of up
/// to 96 CPUs, also a burst on one CPU, which the balancer alone takes apart.
#[test]
fn one_hog_a_core() {
    for (machine, counts) in SMALL {
        for hogs in counts {
            for preset in [
                Preset::V4_7,
                Preset::V4_15,
                Preset::V4_19,
                Preset::V5_15,
                Preset::V6_1,
                Preset::V6_6,
                Preset::V6_12,
            ] {
                is_even(&spread(machine, preset, hogs, None), hogs);
                is_even(&spread(machine, preset, hogs, Some(CpuId(1))), hogs);
            }
        }
    }
}

/// On 256 CPUs a burst on one CPU takes minutes across the sockets: only running tasks are left,
/// and those are moved one by one, after several passes in vain each (R5.7.14). Forks spread.
#[test]
fn one_hog_a_core_of_256_cpus() {
    for machine in [Machine::Zen3Nps1, Machine::Zen3Nps4] {
        for hogs in [40, 128] {
            for preset in [Preset::V6_6, Preset::V6_12] {
                is_even(&spread(machine, preset, hogs, None), hogs);
            }
        }
    }
}

/// Up to 5.4 forks stay in the socket on a Zen (R6.1.7), and 5.15 keeps a quarter of the machine in
/// the node (R5.6.7), so that the balancer has to move the rest; within the socket they are spread.
#[test]
fn old_kernels_fill_one_socket_of_a_zen_first() {
    for preset in [Preset::V4_15, Preset::V4_19, Preset::V5_15] {
        let found = spread(Machine::Zen3Nps1, preset, 40, None);
        assert!(found.cores.iter().all(|&n| n <= 1), "{}", found.what);
        assert!(found.nodes[0] > 24 && found.nodes[1] > 0, "{}", found.what);
        let near = &found.llcs[..8];
        assert!(near.iter().max() <= near.iter().min().map(|n| n + 2).as_ref(), "{}", found.what);
    }
}

/// 2.6.36 balances a group only once it has more tasks than cores, and lets a quarter more pass
/// (imbalance_pct 125).
#[test]
fn the_year_2010_spreads_what_is_too_much() {
    for (machine, counts) in SMALL {
        for (hogs, cpu) in counts.into_iter().flat_map(|n| [(n, None), (n, Some(CpuId(1)))]) {
            let found = spread(machine, Preset::V2_6_36, hogs, cpu);
            let cores = found.cores.len() / found.nodes.len();
            let (least, most) = (found.nodes.iter().min(), found.nodes.iter().max());
            let (least, most) = (*least.expect("a node"), *most.expect("a node"));
            assert!(most <= cores || 4 * most <= 5 * least + 4, "{}", found.what);
            assert!(found.cores.iter().all(|&n| n <= 2), "{}", found.what);
        }
    }
}
