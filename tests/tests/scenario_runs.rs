//! Random scenarios are run: nothing panics, the same document gives the same run, a moment gone
//! back to is the moment that was there, and a scenario that was written and read runs alike.

#![cfg(not(target_arch = "wasm32"))]

use proptest::prelude::*;
use schedscope_scenario::Document;
use schedscope_scenario::document::{
    Costs, Cpus, Edit, Input, Interrupt, KernelChoice, MachineChoice, Row, Start, Who,
};
use schedscope_scenario::program::{Channel, Length, Op, Program, Scope};
use schedscope_session::update::Moment;
use schedscope_session::{Command, Goto, Session, Update};
use schedscope_sim::kernel::{Feature, Preset};
use schedscope_sim::units::CpuId;

fn length() -> impl Strategy<Value = Length> {
    prop_oneof![
        prop::sample::select(vec![1_u64, 700, 20_000, 1_000_000, 3_000_000, 25_000_000])
            .prop_map(Length::Fixed),
        (1_000..3_000_000_u64).prop_map(|hi| Length::Uniform(1_000, hi)),
        (1_000..2_000_000_u64).prop_map(Length::Exponential),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    let channel = || {
        prop::sample::select(vec!["p", "q"])
            .prop_map(|name| Channel { name: name.into(), scope: Scope::All })
    };
    let here = || Channel { name: "h".into(), scope: Scope::Cpu };
    prop_oneof![
        4 => length().prop_map(Op::Run),
        3 => length().prop_map(Op::Sleep),
        1 => (1_000..20_000_000_u64).prop_map(Op::Timer),
        2 => channel().prop_map(Op::Wait),
        3 => (channel(), 1..5_u32, any::<bool>())
            .prop_map(|(channel, count, sync)| Op::Wake { channel, count, sync }),
        1 => prop_oneof![
            Just(Op::Wait(here())),
            any::<bool>().prop_map(move |sync| Op::Wake { channel: here(), count: 1, sync }),
        ],
        1 => Just(Op::Yield),
        1 => Just(Op::Exec),
        1 => Just(Op::Exit),
    ]
}

fn program(rows: usize) -> impl Strategy<Value = Program> {
    let ops = |most| prop::collection::vec(op(), 0..most);
    let fork = prop::option::weighted(0.2, 0..rows);
    (ops(3), ops(6), prop::option::weighted(0.3, 1..6_u32), length(), fork).prop_map(
        |(before, inner, times, run, fork)| {
            let mut ops = before;
            ops.retain(|op| *op != Op::Exit);
            ops.push(Op::Loop(times));
            ops.extend(inner);
            ops.push(Op::Run(run));
            let child = |row| Channel { name: format!("t{row}"), scope: Scope::All };
            ops.extend(fork.map(|row| Op::Fork(child(row))));
            ops.push(Op::End);
            Program { ops }
        },
    )
}

fn cpus(most: u16) -> impl Strategy<Value = Cpus> {
    prop::collection::btree_set(0..most, 1..=usize::from(most.min(5)))
        .prop_map(|cpus| Cpus(cpus.into_iter().map(CpuId).collect()))
}

fn kernel() -> impl Strategy<Value = KernelChoice> {
    let features =
        prop::collection::vec((prop::sample::select(Feature::ALL.to_vec()), any::<bool>()), 0..4);
    (
        prop::sample::select(Preset::ALL.to_vec()),
        prop::option::weighted(0.3, prop::sample::select(vec![100_000_u64, 3_000_000, 30_000_000])),
        prop::option::weighted(0.4, prop::sample::select(vec![100_u32, 250, 300, 1000])),
        prop::option::weighted(0.3, any::<bool>()),
        features,
        prop::sample::select(vec![Costs::Ideal, Costs::Typical]),
        prop::option::weighted(0.3, prop::sample::select(vec!["schedutil", "hwp"])),
    )
        .prop_map(|(preset, base_slice, hz, group_sched, features, costs, governor)| {
            let mut kernel =
                KernelChoice { base_slice, hz, group_sched, costs, ..KernelChoice::default() };
            kernel.set_preset(preset.name());
            kernel.clock.governor = governor.map(Into::into);
            for (feature, on) in features {
                kernel.set_feature(feature.name(), on);
            }
            kernel
        })
}

fn row(rows: usize, most: u16) -> impl Strategy<Value = Row> {
    (
        (1..6_u32, -20..20_i8, -20..20_i8, prop::option::weighted(0.3, 100_000..50_000_000_u64)),
        prop::option::weighted(0.4, cpus(most)),
        (0..2_000_000_u64, prop::option::weighted(0.5, 0..most), prop::bool::weighted(0.2)),
        program(rows),
    )
        .prop_map(
            |((count, nice, latency_nice, slice), affinity, (at, cpu, fork), program)| {
                let allowed =
                    |cpu: &u16| affinity.is_none_or(|Cpus(cpus): Cpus| cpus.contains(CpuId(*cpu)));
                let cpus = cpu.filter(allowed).into_iter().collect();
                let start = if fork { Start::Fork } else { Start::At { at, every: at / 7, cpus } };
                Row { count, nice, latency_nice, slice, affinity, start, program, ..Row::default() }
            },
        )
}

fn input(most: u16) -> impl Strategy<Value = Input> {
    let who = || Just(Who::Task(0));
    let edit = prop_oneof![
        (who(), -20..20_i8).prop_map(|(who, nice)| Edit::Nice(who, nice)),
        (who(), -20..20_i8).prop_map(|(who, nice)| Edit::LatencyNice(who, nice)),
        (who(), prop::option::of(100_000..50_000_000_u64))
            .prop_map(|(who, slice)| Edit::Slice(who, slice)),
        (who(), prop::option::of(cpus(most))).prop_map(|(who, to)| Edit::Affinity(who, to)),
        (who(), 0..most).prop_map(|(who, cpu)| Edit::Move(who, cpu)),
        prop::option::of(0..most).prop_map(|cpu| Edit::Spawn("t0".into(), cpu)),
        who().prop_map(Edit::Kill),
    ];
    (0..400_u64, edit).prop_map(|(after, edit)| Input { after, edit })
}

fn interrupt(most: u16) -> impl Strategy<Value = Interrupt> {
    (0..2_000_000_u64, 20_000..3_000_000_u64, cpus(most), 1..4_u32).prop_map(
        |(at, every, cpus, count)| Interrupt {
            at,
            every: Length::Exponential(every),
            cpus,
            wakes: "p".into(),
            count,
        },
    )
}

fn document() -> impl Strategy<Value = Document> {
    let machines = vec![
        ("cpu1", 1_u16),
        ("cpu2", 2),
        ("cpu4", 4),
        ("q6600", 4),
        ("desktop16", 16),
        ("kunpeng920-48", 48),
        ("intel-2x20", 80),
        ("zen3-nps4", 256),
    ];
    (prop::sample::select(machines), 1..5_usize).prop_flat_map(|((id, most), rows)| {
        (
            kernel(),
            any::<u64>(),
            prop::collection::vec(row(rows, most), rows),
            prop::collection::vec(interrupt(most), 0..2),
            prop::collection::vec(input(most), 0..5),
        )
            .prop_map(move |(kernel, seed, mut rows, interrupts, mut inputs)| {
                for (at, row) in rows.iter_mut().enumerate() {
                    row.name = format!("t{at}");
                }
                // So that there is a task 0.
                if rows[0].start == Start::Fork {
                    rows[0].start = Start::default();
                }
                inputs.sort_by_key(|input| input.after);
                Document {
                    machine: MachineChoice::Preset(id.into()),
                    kernel,
                    seed,
                    end: 60_000_000,
                    rows,
                    interrupts,
                    inputs,
                    ..Document::default()
                }
            })
    })
}

/// Steps taken of each run.
const STEPS: u32 = 1_500;

fn load(command: Command) -> Result<Session, String> {
    let mut session = Session::new();
    match session.handle(command) {
        Update::Loaded(_) => Ok(session),
        other => Err(format!("not loaded: {other:?}")),
    }
}

fn run(session: &mut Session) -> Result<(u64, u64), String> {
    match session.handle(Command::Run { steps: STEPS }) {
        Update::Advanced(progress) => Ok((progress.steps, progress.digest)),
        other => Err(format!("not run: {other:?}")),
    }
}

fn show(session: &mut Session, step: u64) -> Result<Moment, String> {
    match session.handle(Command::Show { goto: Goto::Step(step), focus: 0 }) {
        Update::Moment(moment) => Ok(*moment),
        other => Err(format!("not shown: {other:?}")),
    }
}

fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 400,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn random_scenarios_run(document in document(), at in 0..u64::from(STEPS)) {
        let text = document.to_toml();
        let fail = |sentence: String| TestCaseError::fail(format!("{sentence}\n{text}"));
        let mut session = load(Command::Load { text: text.clone() }).map_err(fail)?;
        let (steps, digest) = run(&mut session).map_err(fail)?;
        // Back, and there again.
        let at = at.min(steps);
        let before = show(&mut session, at).map_err(fail)?;
        show(&mut session, 0).map_err(fail)?;
        show(&mut session, steps).map_err(fail)?;
        let after = show(&mut session, at).map_err(fail)?;
        prop_assert_eq!(before, after, "{}", text);
        // The same from the bytes of a link.
        let mut other = load(Command::LoadPacked { packed: document.pack() }).map_err(fail)?;
        prop_assert_eq!(run(&mut other).map_err(fail)?, (steps, digest), "{}", text);
    }
}
