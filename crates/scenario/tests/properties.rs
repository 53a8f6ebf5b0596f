//! Whatever the document: it is read as it was written, unpacked as it was packed, and no text and
//! no bytes make anything panic.

use proptest::prelude::*;
use schedscope_scenario::document::{
    CfsChoice, ClockChoice, Costs, CpuTable, Cpus, Document, Edit, Group, Input, Interrupt,
    KernelChoice, MachineChoice, Row, Shape, Start, Who,
};
use schedscope_scenario::program::{Channel, Length, Op, Program, Scope};
use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::kernel::{Feature, Preset};
use schedscope_sim::machines::Machine;
use schedscope_sim::units::CpuId;

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-zA-Z \"\\\\\n\t'#é🦀]{0,30}", "\\PC{0,20}", "[\\x00-\\x1f\"]{0,8}"]
}

fn length() -> impl Strategy<Value = Length> {
    prop_oneof![
        (1..5_000_000_u64).prop_map(Length::Fixed),
        (1..5_000_000_u64, 0..5_000_000_u64).prop_map(|(lo, more)| Length::Uniform(lo, lo + more)),
        (1..5_000_000_u64).prop_map(Length::Exponential),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    let channel =
        || prop_oneof!["pipe", "queue"].prop_map(|name| Channel { name, scope: Scope::All });
    prop_oneof![
        length().prop_map(Op::Run),
        length().prop_map(Op::Sleep),
        (1_000..1_000_000_000_u64).prop_map(Op::Timer),
        channel().prop_map(Op::Wait),
        (channel(), 1..9_u32, any::<bool>()).prop_map(|(channel, count, sync)| Op::Wake {
            channel,
            count,
            sync
        }),
        Just(Op::Yield),
        Just(Op::Exec),
        Just(Op::Exit),
    ]
}

fn program() -> impl Strategy<Value = Program> {
    let body = || prop::collection::vec(op(), 0..5);
    (body(), body(), prop::option::of(1..9_u32), any::<bool>()).prop_map(
        |(mut ops, inner, times, looped)| {
            if looped {
                ops.push(Op::Loop(times));
                ops.extend(inner);
                ops.push(Op::Run(Length::Fixed(1_000)));
                ops.push(Op::Fork(Channel { name: "t0".into(), scope: Scope::All }));
                ops.push(Op::End);
            }
            Program { ops }
        },
    )
}

fn cpus(most: u16) -> impl Strategy<Value = Cpus> {
    prop::collection::btree_set(0..most, 1..=usize::from(most.min(9)))
        .prop_map(|cpus| Cpus(cpus.into_iter().map(CpuId).collect()))
}

fn machine() -> impl Strategy<Value = MachineChoice> {
    let shape = (
        text(),
        prop::array::uniform5(1..3_u16),
        prop::option::of(1..4_u16),
        any::<bool>(),
        11..256_u16,
        prop::option::of(10..256_u16),
    )
        .prop_map(|(name, counts, cluster, siblings_adjacent, distance, reclaim_distance)| {
            let [sockets, nodes, llcs, cores, threads] = counts;
            // At least 16 CPUs, so that every list below fits.
            MachineChoice::Shape(Shape {
                name,
                sockets,
                nodes,
                llcs,
                cores: cores + 15,
                threads,
                cluster,
                siblings_adjacent,
                node_distance: distance,
                socket_distance: 266 - distance.max(11),
                reclaim_distance,
            })
        });
    let preset = prop::sample::select(Machine::ALL.to_vec());
    prop_oneof![
        prop::sample::select(vec!["desktop16", "zen3-nps4", "power10"])
            .prop_map(|id| MachineChoice::Preset(id.into())),
        preset
            .prop_filter("16 CPUs", |machine| machine.topology().len() >= 16)
            .prop_map(|machine| MachineChoice::Cpus(CpuTable::of(&machine.topology()))),
        shape,
    ]
}

fn kernel() -> impl Strategy<Value = KernelChoice> {
    let costs = prop_oneof![
        Just(Costs::Ideal),
        Just(Costs::Typical),
        prop::array::uniform4(0..10_000_u64).prop_map(|[a, b, c, d]| Costs::Own {
            context_switch: a,
            wake_ipi: b,
            wakeup: c,
            migrate_llc: d
        }),
    ];
    let features =
        prop::collection::vec((prop::sample::select(Feature::ALL.to_vec()), any::<bool>()), 0..5);
    let cfs = (
        prop::array::uniform3(prop::option::of(100_000..1_000_000_000_u64)),
        prop::option::of(any::<bool>()),
    )
        .prop_map(|([latency, min_granularity, wakeup_granularity], on)| CfsChoice {
            latency,
            min_granularity,
            wakeup_granularity,
            child_runs_first: on,
            compat_yield: on,
        });
    let clock = (
        prop::option::of(prop::sample::select(vec!["performance", "schedutil", "hwp"])),
        prop::option::of((100_000..3_500_000_u32, 3_500_000..10_000_000_u32)),
        prop::option::of(50..=100_u8),
        prop::collection::btree_map(1..2000_u16, Just(3_500_000_u32), 0..4),
        prop::option::of(prop::sample::select(Preset::ALL.to_vec())),
    );
    (
        prop::sample::select(Preset::ALL.to_vec()),
        prop::option::of(100_000..100_000_000_u64),
        prop::option::of(prop::sample::select(vec![100_u32, 250, 300, 1000])),
        prop::option::of(any::<bool>()),
        features,
        costs,
        (cfs, clock),
    )
        .prop_map(|(preset, base_slice, hz, group_sched, features, costs, (cfs, clock))| {
            let (governor, khz, smt, turbo, placement) = clock;
            let preset = preset.name().to_string();
            let mut kernel = KernelChoice {
                preset,
                base_slice,
                hz,
                group_sched,
                costs,
                cfs,
                clock: ClockChoice {
                    governor: governor.map(Into::into),
                    khz,
                    smt,
                    turbo: turbo.into_iter().collect(),
                },
                placement: placement.map(|preset| preset.name().to_string()),
                ..KernelChoice::default()
            };
            for (feature, on) in features {
                kernel.set_feature(feature.name(), on);
            }
            kernel
        })
}

fn row() -> impl Strategy<Value = Row> {
    let start = prop_oneof![
        Just(Start::Fork),
        (0..1_000_000_u64, 0..1_000_u64, prop::collection::vec(0..16_u16, 0..6))
            .prop_map(|(at, every, cpus)| Start::At { at, every, cpus }),
    ];
    (
        (1..20_u32, -20..20_i8, -20..20_i8, prop::option::of(100_000..100_000_000_u64)),
        prop::option::of(cpus(16)),
        start,
        (prop::option::of(any::<bool>()), prop::option::of(1..25_u8)),
        program(),
    )
        .prop_map(
            |(
                (count, nice, latency_nice, slice),
                affinity,
                mut start,
                (muted, colour),
                program,
            )| {
                if let (Some(Cpus(allowed)), Start::At { cpus, .. }) = (affinity, &mut start) {
                    cpus.retain(|&cpu| allowed.contains(CpuId(cpu)));
                }
                let kthread = affinity.is_some_and(|Cpus(cpus)| cpus.len() == 1);
                Row {
                    count,
                    nice,
                    latency_nice,
                    slice,
                    affinity,
                    start,
                    kthread,
                    muted,
                    colour,
                    program,
                    ..Row::default()
                }
            },
        )
}

fn interrupt() -> impl Strategy<Value = Interrupt> {
    (0..9_000_u64, 1_000..9_000_u64, 0..9_u64, cpus(16), 1..5_u32).prop_map(
        |(at, lo, more, cpus, count)| Interrupt {
            at,
            every: Length::Uniform(lo, lo + more),
            cpus,
            wakes: "pipe".into(),
            count,
        },
    )
}

fn input() -> impl Strategy<Value = Input> {
    let who = prop_oneof![
        Just(Who::Row("t0".into())),
        Just(Who::Instance("t0".into(), 1)),
        Just(Who::Task(0)),
    ];
    let edit = prop_oneof![
        (who.clone(), -20..20_i8).prop_map(|(who, nice)| Edit::Nice(who, nice)),
        (who.clone(), -20..20_i8).prop_map(|(who, nice)| Edit::LatencyNice(who, nice)),
        (who.clone(), prop::option::of(100_000..100_000_000_u64))
            .prop_map(|(who, slice)| Edit::Slice(who, slice)),
        (who.clone(), prop::option::of(cpus(16))).prop_map(|(who, to)| Edit::Affinity(who, to)),
        (who.clone(), 0..16_u16).prop_map(|(who, cpu)| Edit::Move(who, cpu)),
        prop::option::of(0..16_u16).prop_map(|cpu| Edit::Spawn("t0".into(), cpu)),
        (who.clone(), prop::option::of(Just("g0".to_string())))
            .prop_map(|(who, to)| Edit::Group(who, to)),
        (2..=262_144_u32).prop_map(|shares| Edit::Shares("g0".into(), shares)),
        (-20..20_i8).prop_map(|nice| Edit::GroupLatencyNice("g0".into(), nice)),
        who.prop_map(Edit::Kill),
    ];
    (any::<u64>(), edit).prop_map(|(after, edit)| Input { after, edit })
}

prop_compose! {
    fn document()(
        (title, about) in (text(), text()),
        machine in machine(),
        kernel in kernel(),
        seed in any::<u64>(),
        end in 1_000..3_600_000_000_000_u64,
        groups in prop::collection::vec((2..=262_144_u32, -20..20_i8), 0..3),
        mut rows in prop::collection::vec(row(), 1..5),
        interrupts in prop::collection::vec(interrupt(), 0..3),
        mut inputs in prop::collection::vec(input(), 0..4),
    ) -> Document {
        let mut kernel = kernel;
        let group = |(at, (shares, latency_nice)): (usize, (u32, i8))| Group {
            name: format!("g{at}"),
            shares,
            latency_nice,
        };
        let groups: Vec<Group> = groups.into_iter().enumerate().map(group).collect();
        if groups.is_empty() {
            inputs.retain(|input| input.edit.group().is_none());
        } else {
            kernel.group_sched = None;
        }
        for (at, row) in rows.iter_mut().enumerate() {
            row.name = format!("t{at}");
            row.group = (at % 2 < groups.len()).then(|| format!("g{}", at % 2));
            if at == 0 && row.start == Start::Fork {
                row.start = Start::default();
            }
        }
        Document { title, about, machine, kernel, seed, end, groups, rows, interrupts, inputs }
    }
}

/// A text with a few bytes changed, so that it is nearly right.
fn mutated(text: &str) -> impl Strategy<Value = String> + use<> {
    let text = text.to_string();
    let pieces = prop::sample::select(vec![
        "",
        "\"",
        "=",
        "[",
        "]",
        "\n",
        "[[task]]\n",
        "-",
        "99999999999999999999",
        "end",
        "loop\n",
        "#",
        "\u{0}",
        "é",
        "0",
        "..",
        "{",
        "}",
        "'''",
        "\"\"\"",
        ",",
        "name = \"t0\"\n",
        "~",
        "e9",
        "0x",
    ]);
    prop::collection::vec((any::<prop::sample::Index>(), 0..12_usize, pieces), 1..6).prop_map(
        move |edits| {
            let mut chars: Vec<char> = text.chars().collect();
            for (at, cut, piece) in edits {
                let at = at.index(chars.len().max(1)).min(chars.len());
                let end = (at + cut).min(chars.len());
                chars.splice(at..end, piece.chars());
            }
            chars.into_iter().collect()
        },
    )
}

/// Quick by default; PROPTEST_CASES asks for more.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() }
}

fn check_all(document: &Document) {
    if let Ok(built) = document.setup() {
        assert_eq!(built.spec_rows.len(), built.setup.tasks.len());
        assert_eq!(built.faces.len(), document.rows.len());
        let ends = |set: &CpuSet| set.is_subset(&built.setup.topology.all());
        assert!(built.setup.tasks.iter().all(|spec| spec.affinity.as_ref().is_none_or(ends)));
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn read_what_was_written(document in document()) {
        let text = document.to_toml();
        let again = Document::from_toml(&text);
        prop_assert_eq!(again.as_ref(), Ok(&document), "{}", text);
        prop_assert_eq!(Document::unpack(&document.pack()), Ok(document.clone()));
        prop_assert!(document.setup().is_ok());
        check_all(&document);
    }

    #[test]
    fn nearly_right_texts_never_panic(
        text in document().prop_flat_map(|document| mutated(&document.to_toml()))
    ) {
        match Document::from_toml(&text) {
            Ok(document) => {
                let normal = document.to_toml();
                prop_assert_eq!(Document::from_toml(&normal), Ok(document.clone()), "{}", normal);
                prop_assert!(document.setup().is_ok(), "{:?}", document.setup());
                check_all(&document);
            }
            Err(problems) => {
                prop_assert!(!problems.is_empty());
                for problem in problems {
                    prop_assert!(problem.sentence.ends_with(['.', '?']), "{}", problem);
                }
            }
        }
    }

    #[test]
    fn nearly_right_bytes_never_panic(
        document in document(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = document.pack();
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        for bytes in [&bytes[..], &bytes[..cut.index(bytes.len())]] {
            if let Ok(document) = Document::unpack(bytes) {
                check_all(&document);
                let _ = document.to_toml();
                let _ = Document::unpack(&document.pack());
            }
        }
    }

    #[test]
    fn edits_of_the_list_keep_it_whole(document in document(), row in 0..5_usize) {
        let mut changed = document.clone();
        let letters = |document: &Document| {
            let faces = schedscope_scenario::face::faces(&document.rows);
            faces.into_iter().map(|face| (face.name, face.letter)).collect::<Vec<_>>()
        };
        changed.duplicate(row);
        prop_assert!(changed.setup().is_ok());
        let before = letters(&changed);
        changed.remove(row);
        prop_assert!(changed.setup().is_ok(), "{:?}", changed.setup());
        for kept in letters(&changed) {
            prop_assert!(before.contains(&kept));
        }
        let mut changed = document;
        if row < changed.rows.len() {
            prop_assert_eq!(changed.rename(row, "renamed"), Ok(()));
            prop_assert!(changed.setup().is_ok());
        }
    }
}
