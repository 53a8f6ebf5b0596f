//! One run, one answer, on every target: natively and in wasm the same digests of states and
//! records.
//!
//! `cargo xtask test targets` runs this file twice: natively, where it writes what it found to the
//! file named by `DIGESTS_TO`, and then as wasm under Node, compiled with that text in `DIGESTS`.

use schedscope_sim::{
    kernel::{Frequency, Governor, Preset, Turbo},
    machines::Machine,
    program::{ChannelId, Dist, Op, Program, SpecId},
    report::Report,
    setup::{Edit, GroupSpec, Input, Setup, Start, TaskSpec},
    simulation::{Outcome, Simulation},
    units::{LatencyNice, Nice, Span, TaskGroupId, TaskId, Time},
};
use std::{
    fmt::Write,
    hash::{Hash, Hasher},
};

const STEPS: u32 = 3000;
const GOVERNORS: [Governor; 3] = [Governor::Performance, Governor::Schedutil, Governor::Hwp];

#[cfg(not(target_arch = "wasm32"))]
#[test]
fn a_run_repeated_is_the_same_run() {
    let found = digests();
    assert_eq!(found, digests());
    if let Some(file) = std::env::var_os("DIGESTS_TO") {
        std::fs::write(file, found).expect("DIGESTS_TO can be written");
    }
}

#[cfg(target_arch = "wasm32")]
#[wasm_bindgen_test::wasm_bindgen_test]
fn wasm_gives_the_native_digests() {
    let native = option_env!("DIGESTS").expect("compiled by `cargo xtask test targets`");
    for (wasm, native) in digests().lines().zip(native.lines()) {
        assert_eq!(wasm, native);
    }
    assert_eq!(digests().lines().count(), native.lines().count());
}

/// A line for every machine and kernel: names, time reached, digests of the state and of all
/// records.
fn digests() -> String {
    let mut lines = String::new();
    for machine in Machine::ALL {
        for preset in Preset::ALL {
            line(&mut lines, "", machine, preset, scene(machine, preset));
        }
    }
    for (preset, governor) in Preset::ALL.into_iter().zip(GOVERNORS.into_iter().cycle()) {
        let mut setup = scene(Machine::Intel2x20, preset);
        let turbo = Turbo::new(&[(3, 3_100_000), (9, 2_700_000), (20, 1_900_000)]);
        setup.kernel.frequency = Frequency { governor, smt: 60, turbo, ..Frequency::default() };
        line(&mut lines, "clocks ", Machine::Intel2x20, preset, setup);
    }
    for machine in [Machine::Cpu1, Machine::Desktop16, Machine::Zen3Nps4] {
        for preset in Preset::ALL {
            line(&mut lines, "groups ", machine, preset, scene_with_groups(machine, preset));
        }
    }
    lines
}

fn line(lines: &mut String, what: &str, machine: Machine, preset: Preset, setup: Setup) {
    let mut simulation = Simulation::new(setup);
    let mut report = Report::new();
    let mut records = Fold::default();
    for _ in 0..STEPS {
        if simulation.step(&mut report) == Outcome::Ended {
            break;
        }
        report.records.hash(&mut records);
    }
    let state = simulation.state();
    let (now, digest, records) = (state.now.0, state.digest(), records.finish());
    let (machine, preset) = (machine.id(), preset.name());
    writeln!(lines, "{what}{machine} {preset} {now} {digest:016x} {records:016x}")
        .expect("a string takes all");
}

/// Some of everything: hogs, sleepers, timers, pairs that wake one another, forks, draws of each
/// kind.
fn scene(machine: Machine, preset: Preset) -> Setup {
    let topology = machine.topology();
    let cpus = topology.len();
    let pairs = u16::try_from(cpus.clamp(2, 24) / 2).expect("at most 12");
    let mut tasks = Vec::new();
    for i in 0..cpus.clamp(2, 48) {
        let ops = match i % 4 {
            0 => vec![Op::Run(fixed(3_000)), forever()],
            1 => {
                let run = Dist::Exponential { mean: micros(300) };
                let sleep = Dist::Uniform { lo: micros(100), hi: micros(2_000) };
                vec![Op::Run(run), Op::Sleep(sleep), forever()]
            }
            2 => vec![Op::Run(fixed(200)), Op::Timer(micros(4_000)), Op::Yield, forever()],
            _ => vec![Op::Run(fixed(50)), Op::Sleep(fixed(500)), Op::Fork(CHILD), forever()],
        };
        tasks.push(task(i, ops));
    }
    for pair in 0..pairs {
        let (there, back) = (ChannelId(2 * pair), ChannelId(2 * pair + 1));
        let wake = |channel| Op::Wake { channel, count: 1, sync: pair % 2 == 0 };
        let run = Dist::Exponential { mean: micros(40) };
        let ping = vec![Op::Run(run), wake(there), Op::Wait(back), forever()];
        let pong = vec![Op::Wait(there), Op::Run(run), wake(back), forever()];
        tasks.extend([task(tasks.len(), ping), task(tasks.len() + 1, pong)]);
    }
    let mut child = task(1, vec![Op::Run(fixed(80)), Op::Exit]);
    child.start = None;
    tasks.insert(0, child);
    Setup {
        kernel: preset.kernel(cpus),
        topology,
        tasks,
        interrupts: Vec::new(),
        end: Time(10_000_000_000),
        seed: 0x5EED,
        inputs: Vec::new(),
        channels: 2 * pairs,
        groups: Vec::new(),
    }
}

/// The same with every third task in one of two groups, which change on the way.
fn scene_with_groups(machine: Machine, preset: Preset) -> Setup {
    let mut setup = scene(machine, preset);
    let group = |shares, level| GroupSpec {
        shares,
        latency_nice: LatencyNice::new(level).expect("in range"),
    };
    setup.groups = vec![group(512, 0), group(3_000, -12)];
    for (i, task) in setup.tasks.iter_mut().enumerate() {
        task.group = (i % 3 > 0).then(|| TaskGroupId(i as u16 % 3 - 1));
    }
    let edits = [
        Edit::Group(TaskId(1), Some(TaskGroupId(0))),
        Edit::Shares(TaskGroupId(0), 2_000),
        Edit::Group(TaskId(1), None),
        Edit::GroupLatencyNice(TaskGroupId(1), LatencyNice::new(9).expect("in range")),
    ];
    setup.inputs = edits.map(|edit| Input { after_step: 500, edit }).into();
    setup
}

/// The spec that forks start: the first of the scene.
const CHILD: SpecId = SpecId(0);

fn task(i: usize, ops: Vec<Op>) -> TaskSpec {
    let level = i8::try_from(i % 7).expect("below 7") - 3;
    TaskSpec {
        nice: Nice::new(level).expect("near zero"),
        latency_nice: LatencyNice::new(-2 * level).expect("near zero"),
        slice: i.is_multiple_of(5).then_some(micros(1_500)),
        affinity: None,
        start: Some(Start { at: Time(7_000 * i as u64), cpu: None }),
        per_cpu_kthread: false,
        group: None,
        program: Program { ops },
    }
}

fn forever() -> Op {
    Op::Repeat { to: 0, times: None, slot: 0 }
}

fn fixed(micros: u64) -> Dist {
    Dist::Fixed(Span(1_000 * micros))
}

fn micros(micros: u64) -> Span {
    Span(1_000 * micros)
}

/// FNV-1a over 64-bit words, so that targets of other word sizes agree.
struct Fold(u64);

impl Default for Fold {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl Hasher for Fold {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }

    fn write_u16(&mut self, value: u16) {
        self.write_u64(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x0000_0100_0000_01B3);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.write_u64(value as i64 as u64);
    }
}
