//! Hogs in groups get what the shares of their groups give them, in every kernel, on one CPU and on
//! several.

use schedscope_sim::kernel::Preset;
use schedscope_sim::machines::Machine;
use schedscope_sim::program::{Dist, Op, Program};
use schedscope_sim::report::Report;
use schedscope_sim::rng::Rng;
use schedscope_sim::setup::{GroupSpec, Setup, Start, TaskSpec};
use schedscope_sim::simulation::{Outcome, Simulation};
use schedscope_sim::state::State;
use schedscope_sim::units::{CpuId, LatencyNice, Nice, Span, TaskGroupId, TaskId, Time};

const SECOND: u64 = 1_000_000_000;

/// A task of this nice in this group that never sleeps, first on this CPU.
type Hog = (Option<u16>, i8, u16);

fn setup(machine: Machine, preset: Preset, shares: &[u32], hogs: &[Hog]) -> Setup {
    let topology = machine.topology();
    let hog = |&(group, nice, cpu): &Hog| TaskSpec {
        nice: Nice::new(nice).expect("a nice value"),
        latency_nice: LatencyNice::default(),
        slice: None,
        affinity: None,
        start: Some(Start { at: Time(0), cpu: Some(CpuId(cpu)) }),
        per_cpu_kthread: false,
        group: group.map(TaskGroupId),
        program: Program {
            ops: vec![
                Op::Run(Dist::Fixed(Span::ms(100))),
                Op::Repeat { to: 0, times: None, slot: 0 },
            ],
        },
    };
    let group = |&shares: &u32| GroupSpec { shares, latency_nice: LatencyNice::default() };
    Setup {
        kernel: preset.kernel(topology.len()),
        topology,
        tasks: hogs.iter().map(hog).collect(),
        interrupts: Vec::new(),
        end: Time(4 * SECOND),
        seed: 1,
        inputs: Vec::new(),
        channels: 0,
        groups: shares.iter().map(group).collect(),
    }
}

/// What each task ran from half a second on for three seconds, ns; and the state at the end.
fn ran(setup: Setup) -> (Vec<u64>, State) {
    let tasks = setup.tasks.len();
    let mut simulation = Simulation::new(setup);
    let mut report = Report::new();
    let mut upto = |time| {
        while simulation.state().now < Time(time)
            && simulation.step(&mut report) == Outcome::Stepped
        {}
        simulation.state().clone()
    };
    let (before, after) = (upto(SECOND / 2), upto(7 * SECOND / 2));
    let of = |state: &State, task| state.entities[TaskId(task as u32)].sum_exec.0;
    ((0..tasks).map(|task| of(&after, task) - of(&before, task)).collect(), after)
}

#[test]
fn on_one_cpu_to_within_a_turn() {
    for preset in Preset::ALL {
        for seed in 0..6 {
            let mut rng = Rng::new(seed);
            let shares: Vec<u32> =
                (0..3).map(|_| [512, 1024, 2048, 3000][rng.range(0, 3) as usize]).collect();
            let hogs: Vec<Hog> = (0..rng.range(4, 8))
                .map(|_| {
                    let group = rng.range(0, 3);
                    ((group > 0).then(|| group as u16 - 1), rng.range(0, 6) as i8 - 3, 0)
                })
                .collect();
            let (got, state) = ran(setup(Machine::Cpu1, preset, &shares, &hogs));
            let weight = |task: usize| f64::from(state.entities[TaskId(task as u32)].weight());
            let inside = |group: u16| -> f64 {
                let members = (0..hogs.len()).filter(|&task| hogs[task].0 == Some(group));
                members.map(weight).sum()
            };
            // At the root: tasks by their weight, groups with tasks by their shares.
            let root = |task: &usize| hogs[*task].0.is_none();
            let mut all: f64 = (0..hogs.len()).filter(root).map(weight).sum();
            for (group, &shares) in shares.iter().enumerate() {
                all += if inside(group as u16) > 0.0 { f64::from(shares) } else { 0.0 };
            }
            for (task, &got) in got.iter().enumerate() {
                let part = match hogs[task].0 {
                    None => weight(task) / all,
                    Some(group) => {
                        let shares = f64::from(shares[usize::from(group)]);
                        shares / all * weight(task) / inside(group)
                    }
                };
                let expect = (part * 3.0 * SECOND as f64) as u64;
                let turn = 30_000_000;
                assert!(
                    got.abs_diff(expect) < turn,
                    "{} seed {seed}: task {task} of {hogs:?} with {shares:?} ran {got}, not {expect}",
                    preset.name()
                );
            }
        }
    }
}

/// A group spread over two CPUs weighs half its shares on each, and so do not take more than one
/// that is as heavy and on one CPU.
#[test]
fn on_two_cpus_by_the_load_on_each() {
    for preset in Preset::ALL {
        let hogs: [Hog; 6] = [
            (Some(0), 0, 0),
            (Some(0), 0, 1),
            (Some(0), 0, 0),
            (Some(0), 0, 1),
            (None, 0, 0),
            (None, 0, 1),
        ];
        let (got, state) = ran(setup(Machine::Cpu2, preset, &[1024], &hogs));
        let name = preset.name();
        assert_eq!(got.iter().sum::<u64>() / 1_000_000, 6_000, "{name}: work is conserved");
        let group: u64 = got[..4].iter().sum();
        // Of 3 parts on each CPU, one is the group's.
        assert!(group.abs_diff(2 * SECOND) < SECOND / 5, "{name}: {group} of 6 s: {got:?}");
        let weights: Vec<u32> =
            state.cpus.iter().map(|cpu| state.entities[cpu.rq.groups[0].entity].weight()).collect();
        let sum: u32 = weights.iter().sum();
        assert!((1000..=1100).contains(&sum), "{name}: {weights:?}");
        let load = state.entities.groups[0].load();
        assert!((3_800..4_300).contains(&load), "{name}: {load}");
    }
}
