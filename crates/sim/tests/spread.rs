//! CPU hogs spread over the machine as they do on Linux: while there are no more hogs than cores,
//! each has a core of its own, and LLCs and nodes get about equally many (issue 4).

use schedscope_sim::kernel::Preset;
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
        kernel: preset.kernel(cpus),
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

fn check(machine: Machine, hogs: usize, cpu: Option<CpuId>) {
    for preset in [Preset::V6_6, Preset::V6_12] {
        let counts = run(machine, preset, hogs, cpu);
        let topology = machine.topology();
        let cores = per(machine, &counts, |cpu| topology.cpu(cpu).core.0 as usize);
        let nodes = per(machine, &counts, |cpu| topology.cpu(cpu).node.0 as usize);
        let llcs = per(machine, &counts, |cpu| topology.cpu(cpu).llc.0 as usize);
        let what = format!(
            "{machine:?} {preset:?} {hogs} hogs from {cpu:?}: nodes {nodes:?} LLCs {llcs:?} cores {cores:?}"
        );
        println!("{what}");
        assert_eq!(counts.iter().sum::<usize>(), hogs);
        assert!(cores.iter().all(|&n| n <= hogs.div_ceil(cores.len())), "{what}");
        // Nodes and LLCs of the machines here are all of one size.
        for sums in [&nodes, &llcs] {
            let (least, most) = (sums.iter().min(), sums.iter().max());
            assert!(most <= least.map(|n| n + 2).as_ref(), "{what}");
        }
    }
}

#[test]
fn one_hog_a_core() {
    for (machine, counts) in [
        (Machine::Q6600, [2, 4]),
        (Machine::Desktop16, [5, 8]),
        (Machine::Intel2x20, [20, 40]),
        (Machine::Zen3Nps1, [40, 128]),
        (Machine::Zen3Nps4, [40, 128]),
        (Machine::Kunpeng920, [24, 48]),
    ] {
        for hogs in counts {
            check(machine, hogs, None);
            // A burst on one CPU is taken apart by the balancer. Across the sockets of the large
            // machines that takes minutes: only running tasks are left, and those are moved one by
            // one, after several passes in vain each (R5.7.14).
            if machine.topology().len() <= 80 {
                check(machine, hogs, Some(CpuId(1)));
            }
        }
    }
}
