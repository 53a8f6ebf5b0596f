//! Random scenarios through the session: what the page shows hangs together, whatever happens.
//!
//! Seeds are printed on failure; `SEEDS=first..last` looks at others. What holds of the state
//! itself is in `crates/sim/tests/invariants.rs`.

use std::collections::{BTreeMap, BTreeSet};

use schedscope_scenario::Document;
use schedscope_scenario::document::{Cpus, KernelChoice, MachineChoice, Row, Start};
use schedscope_scenario::program::Program;
use schedscope_session::update::{
    Bar, DecisionKind, Metrics, Moment, Picture, Progress, TaskState, Window,
};
use schedscope_session::{Command, Edit, Format, Goto, Session, Update, Who, wire};
use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::kernel::{Feature, Preset};
use schedscope_sim::machines::Machine;
use schedscope_sim::rng::Rng;
use schedscope_sim::units::CpuId;

/// How many scenarios by default.
const SEEDS: std::ops::Range<u64> = 0..100;

fn seeds() -> std::ops::Range<u64> {
    let Ok(text) = std::env::var("SEEDS") else { return SEEDS };
    let (first, last) = text.split_once("..").expect("SEEDS=first..last");
    first.parse().expect("a number")..last.parse().expect("a number")
}

fn pick<T: Copy>(rng: &mut Rng, list: &[T]) -> T {
    list[rng.range(0, list.len() as u64 - 1) as usize]
}

const PROGRAMS: [&str; 8] = [
    "loop\nrun 10ms\nend",
    "loop\nrun 200us..2ms\nsleep 300us..4ms\nend",
    "loop\nrun ~500us\nsleep ~1ms\nend",
    "loop\ntimer 4ms\nrun 1ms\nend",
    "loop\nrun 100us..600us\nwake pipe\nwait answer\nend",
    "loop\nwait pipe\nrun 50us..300us\nwake answer 1 sync\nend",
    "loop 3\nrun 2ms\nyield\nend\nrun 1ms\nexit",
    "loop\nrun 3ms\nyield\nend",
];

fn document(seed: u64) -> Document {
    let mut rng = Rng::new(seed);
    let machine = pick(
        &mut rng,
        &[
            Machine::Cpu1,
            Machine::Cpu2,
            Machine::Cpu4,
            Machine::Q6600,
            Machine::Desktop16,
            Machine::Kunpeng920,
            Machine::Zen3Nps4,
        ],
    );
    let cpus = machine.topology().len() as u64;
    let mut kernel =
        KernelChoice { preset: pick(&mut rng, &Preset::ALL).name().into(), ..Default::default() };
    for _ in 0..rng.range(0, 2) {
        let feature = pick(&mut rng, &Feature::ALL);
        kernel.set_feature(feature.name(), rng.range(0, 1) == 1);
    }
    if rng.range(0, 1) == 1 {
        kernel.costs = schedscope_scenario::document::Costs::Typical;
    }
    let rows = (0..rng.range(1, 6))
        .map(|i| {
            let some = |rng: &mut Rng| CpuId(rng.range(0, cpus - 1) as u16);
            let mask = (rng.range(0, 4) == 0).then(|| {
                Cpus((0..4).map(|_| some(&mut rng)).chain([CpuId(0)]).collect::<CpuSet>())
            });
            let cpu = match mask {
                None if rng.range(0, 1) == 1 => vec![some(&mut rng).0],
                _ => Vec::new(),
            };
            Row {
                name: format!("r{i}"),
                count: rng.range(1, 5) as u32,
                nice: rng.range(0, 39) as i8 - 20,
                latency_nice: rng.range(0, 39) as i8 - 20,
                slice: (rng.range(0, 3) == 0).then(|| rng.range(100_000, 10_000_000)),
                affinity: mask,
                start: Start::At { at: rng.range(0, 2_000_000), every: 100_000, cpus: cpu },
                program: Program::parse(pick(&mut rng, &PROGRAMS)).expect("ours"),
                ..Row::default()
            }
        })
        .collect();
    Document {
        title: format!("seed {seed}"),
        machine: MachineChoice::Preset(machine.id().into()),
        kernel,
        seed,
        end: 30_000_000,
        rows,
        ..Document::default()
    }
}

struct Player(Session);

impl Player {
    fn load(document: &Document) -> Player {
        let mut session = Session::new();
        match session.handle(Command::LoadPacked { packed: document.pack() }) {
            Update::Loaded(_) => Player(session),
            other => panic!("{other:?}"),
        }
    }

    fn show(&mut self, step: u64) -> Moment {
        match self.0.handle(Command::Show { goto: Goto::Step(step), focus: 0 }) {
            Update::Moment(moment) => *moment,
            other => panic!("{other:?}"),
        }
    }

    fn run(&mut self, steps: u32) -> Progress {
        match self.0.handle(Command::Run { steps }) {
            Update::Advanced(progress) => progress,
            other => panic!("{other:?}"),
        }
    }

    fn window(&mut self, from: u64, to: u64, columns: u32, cpus: u16) -> Window {
        let lanes = (0..cpus).collect();
        match self.0.handle(Command::Window { from, to, columns, lanes, heat: true }) {
            Update::Window(window) => *window,
            other => panic!("{other:?}"),
        }
    }

    fn metrics(&mut self) -> Metrics {
        match self.0.handle(Command::Metrics { upto: None }) {
            Update::Metrics(metrics) => *metrics,
            other => panic!("{other:?}"),
        }
    }
}

/// Runs a check for each seed and says which one failed.
fn for_seeds(check: impl Fn(u64, &Document) + std::panic::RefUnwindSafe) {
    for seed in seeds() {
        let document = document(seed);
        let result = std::panic::catch_unwind(|| check(seed, &document));
        if let Err(panic) = result {
            eprintln!("seed {seed}:\n{}", document.to_toml());
            std::panic::resume_unwind(panic);
        }
    }
}

/// Some steps of a run: all of a short one, else some of each part.
fn some_steps(steps: u64, most: u64) -> Vec<u64> {
    let stride = steps.div_ceil(most).max(1);
    (0..=steps).step_by(stride as usize).collect()
}

#[test]
fn a_run_is_the_same_twice_and_going_back_changes_nothing() {
    for_seeds(|_, document| {
        let end = Player::load(document).run(u32::MAX);
        let mut again = Player::load(document);
        // In pieces, with looks back in between.
        for _ in 0..5 {
            let so_far = again.run(97);
            again.show(so_far.steps / 2);
        }
        assert_eq!(again.run(u32::MAX), end);
        for step in some_steps(end.steps, 25).into_iter().rev() {
            let moment = again.show(step);
            assert_eq!((moment.step, moment.steps), (step, end.steps));
            let mut fresh = Player::load(document);
            fresh.run(step as u32);
            assert_eq!(fresh.show(step), Moment { steps: step, ..moment }, "step {step}");
        }
        assert_eq!(again.run(0), end);
    });
}

#[test]
fn texts_are_sentences_and_their_figures_those_of_the_pictures() {
    for_seeds(|_, document| {
        let mut player = Player::load(document);
        let end = player.run(u32::MAX);
        for step in some_steps(end.steps, 150) {
            let moment = player.show(step);
            assert!(moment.event.ends_with('.') && moment.event.len() > 10, "{}", moment.event);
            for decision in &moment.decisions {
                let texts = decision
                    .checks
                    .iter()
                    .flat_map(|c| [&c.sentence, &c.title, &c.result])
                    .chain([&decision.heading, &decision.sentence, &decision.cause]);
                for text in texts {
                    assert!(!text.is_empty() && !text.contains("  "), "{decision:#?}");
                    assert!(!text.contains('{') && !text.contains('?') || text.ends_with('?'));
                    assert_eq!(text.trim(), text);
                }
                assert!(decision.sentence.ends_with('.'), "{}", decision.sentence);
                assert!(decision.checks.iter().all(|check| check.sentence.ends_with('.')));
                if let (DecisionKind::Pick, Picture::Pick(picture)) =
                    (decision.kind, &decision.picture)
                {
                    // The sentence is about the queue that the last check sees.
                    let picture = picture.at(decision.checks.len());
                    let chosen = picture.rows.iter().find(|row| Some(row.task) == picture.chosen);
                    let by_deadline = picture.reason == "earliest eligible deadline";
                    if let (Some(row), true) = (chosen, by_deadline) {
                        assert!(row.eligible, "{decision:#?}");
                        let text = schedscope_analysis_from_v(row.deadline);
                        assert!(decision.sentence.contains(&text), "{text}: {decision:#?}");
                    }
                }
            }
            let update = Update::Moment(Box::new(moment));
            assert_eq!(wire::decode::<Update>(&wire::encode(&update)).as_ref(), Ok(&update));
        }
    });
}

fn schedscope_analysis_from_v(ns: i64) -> String {
    schedscope_analysis::words::from_v(ns)
}

#[test]
fn no_cpu_idles_while_its_own_tasks_wait() {
    for_seeds(|_, document| {
        let costs = document.kernel.costs != schedscope_scenario::document::Costs::Ideal;
        let mut player = Player::load(document);
        let end = player.run(u32::MAX);
        for step in some_steps(end.steps, 300) {
            let moment = player.show(step);
            for (cpu, view) in moment.cpus.iter().enumerate() {
                let waiting = view.waiting.len() - usize::from(view.delayed);
                // With an IPI that takes time, the CPU may not have heard of its task yet.
                assert!(
                    view.curr.is_some() || waiting == 0 || costs,
                    "CPU {cpu} idles at step {step}: {view:?}"
                );
                assert_eq!(view.curr.is_none(), view.idle_since.is_some(), "CPU {cpu}");
            }
            // Runs on one CPU, waits on one queue.
            for (task, view) in moment.tasks.iter().enumerate() {
                let on = |v: &schedscope_session::update::CpuView| v.curr == Some(task as u32);
                let runs = moment.cpus.iter().filter(|cpu| on(cpu)).count();
                assert_eq!(runs, usize::from(view.state == TaskState::Running), "task {task}");
                let waits =
                    moment.cpus.iter().filter(|cpu| cpu.waiting.contains(&(task as u32))).count();
                let queued = matches!(view.state, TaskState::Runnable | TaskState::Delayed);
                assert_eq!(waits, usize::from(queued), "task {task} at step {step}");
            }
        }
    });
}

#[test]
fn cpu_time_adds_up() {
    for_seeds(|_, document| {
        let mut player = Player::load(document);
        let end = player.run(u32::MAX);
        let last = player.show(end.steps);
        let cpus = last.cpus.len() as u16;
        let metrics = player.metrics();
        let all = metrics.rows.last().expect("one for all");
        let window = player.window(0, document.end, 8_000, cpus);
        let length = |bar: &Bar| bar.to - bar.from;
        let bars: u64 = window.lanes.iter().flat_map(|lane| &lane.bars).map(length).sum();
        let merged = window.lanes.iter().flat_map(|lane| &lane.bars).any(|bar| bar.merged);
        if !merged {
            // A bar may stand for several of one task, with what lies between.
            assert!(bars >= all.ran, "{bars} {}", all.ran);
        }
        let rows: u64 = metrics.rows[..metrics.rows.len() - 1].iter().map(|row| row.ran).sum();
        assert_eq!(rows, all.ran);
        // Charged by the engine, and what has run since the last step.
        let charged: u64 = last.tasks.iter().map(|task| task.ran).sum();
        let running = last.cpus.iter().filter(|cpu| cpu.curr.is_some()).count() as u64;
        assert_eq!(all.ran, charged + running * (document.end - last.now));
        let busy = u128::from(all.ran) * 10_000 / (u128::from(document.end) * u128::from(cpus));
        assert_eq!(u128::from(metrics.utilisation), busy);
        for lane in &window.lanes {
            assert!(lane.bars.windows(2).all(|pair| pair[0].to <= pair[1].from), "{lane:?}");
        }
    });
}

#[test]
fn a_fork_in_the_past_is_the_run_of_its_document() {
    for_seeds(|seed, document| {
        let mut player = Player::load(document);
        let end = player.run(u32::MAX);
        let mut rng = Rng::new(seed ^ 0xF0);
        let step = rng.range(0, end.steps);
        let tasks = player.show(step).tasks.len() as u64;
        let who = Who::Task(rng.range(0, tasks - 1) as u32);
        let cpus = player.show(0).cpus.len() as u64;
        let edit = match rng.range(0, 3) {
            0 => Edit::Nice(who, rng.range(0, 39) as i8 - 20),
            1 => Edit::Slice(who, Some(1_500_000)),
            2 => Edit::Move(who, rng.range(0, cpus - 1) as u16),
            _ => Edit::Affinity(who, "0".to_owned()),
        };
        let update = player.0.handle(Command::Edit { step, edit });
        let edited = match update {
            Update::Edited(edited) => edited,
            // It may ask for what cannot be: a move of who has exited or has not started.
            Update::Rejected(_) => return,
            other => panic!("{other:?}"),
        };
        let forked = player.run(u32::MAX);
        let mut fresh = Session::new();
        fresh.handle(Command::LoadPacked { packed: edited.loaded.packed });
        let mut fresh = Player(fresh);
        assert_eq!(fresh.run(u32::MAX), forked);
        // Also what is derived: the timeline was cut and went on, and is that of a fresh run.
        let cpus = cpus as u16;
        for columns in [50, 3_000] {
            assert_eq!(
                fresh.window(0, document.end, columns, cpus),
                player.window(0, document.end, columns, cpus)
            );
        }
        let middle = document.end / 2;
        assert_eq!(
            fresh.window(middle, middle + 200_000, 800, cpus),
            player.window(middle, middle + 200_000, 800, cpus)
        );
        assert_eq!(fresh.metrics(), player.metrics());
        for step in some_steps(forked.steps, 10) {
            assert_eq!(fresh.show(step), player.show(step));
        }
    });
}

#[test]
fn equal_weights_get_equal_time() {
    for preset in Preset::ALL {
        for count in [2, 3, 8] {
            let document = Document {
                machine: MachineChoice::Preset("cpu1".into()),
                kernel: KernelChoice { preset: preset.name().into(), ..Default::default() },
                end: 2_000_000_000,
                rows: vec![Row {
                    name: "hog".into(),
                    count,
                    program: Program::parse(PROGRAMS[0]).expect("ours"),
                    ..Row::default()
                }],
                ..Document::default()
            };
            let mut player = Player::load(&document);
            let end = player.run(u32::MAX);
            let ran: Vec<u64> = player.show(end.steps).tasks.iter().map(|task| task.ran).collect();
            let (least, most) = (ran.iter().min(), ran.iter().max());
            let apart = most.expect("some") - least.expect("some");
            // A request or a period, and a tick.
            assert!(apart <= 16_000_000, "{}, {count} tasks: {ran:?}", preset.name());
        }
    }
}

#[test]
fn lag_stays_within_its_bound() {
    for_seeds(|seed, document| {
        if !document.kernel.preset.starts_with("6.6") && !document.kernel.preset.starts_with("6.12")
        {
            return;
        }
        let mut player = Player::load(document);
        let end = player.run(u32::MAX);
        let tick = 1_000_000i64;
        for step in some_steps(end.steps, 200) {
            let Some(queue) = player.show(step).queue else { continue };
            let sum: i128 =
                queue.rows.iter().map(|row| i128::from(row.lag) * i128::from(row.weight)).sum();
            // Σ weight · lag is 0 but for the rounding of V.
            assert!(
                sum.unsigned_abs() <= u128::from(queue.load),
                "seed {seed} step {step}: {sum} of {}",
                queue.load
            );
            // No more than the longest request of the queue, or what a tick lets pass (theorem of
            // EEVDF), in real time; joining and leaving may double it.
            let longest =
                queue.rows.iter().map(|row| row.slice as i64).max().unwrap_or(0).max(tick) + tick;
            for row in &queue.rows {
                let real = row.lag.saturating_mul(i64::from(row.weight)) / 1024;
                assert!(
                    real.abs() <= 4 * longest,
                    "seed {seed} step {step}: {real} of {longest}\n{queue:#?}"
                );
            }
        }
    });
}

/// An edit that may make sense.
fn any_edit(rng: &mut Rng) -> Edit {
    let who = match rng.range(0, 1) {
        0 => Who::Row(rng.range(0, 6) as u16),
        _ => Who::Task(rng.range(0, 30) as u32),
    };
    let row = rng.range(0, 6) as u16;
    match rng.range(0, 17) {
        0 | 1 => Edit::Nice(who, rng.range(0, 60) as i8 - 30),
        2 => Edit::LatencyNice(who, rng.range(0, 60) as i8 - 30),
        3 => Edit::Slice(who, (rng.range(0, 2) > 0).then(|| rng.range(0, 200_000_000))),
        4 => Edit::Affinity(who, pick(rng, &["0", "0-3", "", "all", "7-2", "300", "x"]).into()),
        5 | 6 => Edit::Move(who, rng.range(0, 20) as u16),
        7 => Edit::Add(
            format!("name = \"new\"\ncount = {}\nprogram = \"run 3ms\"", rng.range(0, 4)),
            (rng.range(0, 1) == 0).then(|| rng.range(0, 20) as u16),
        ),
        8 => Edit::Duplicate(row),
        9 => Edit::Remove(row),
        10 => Edit::Program(row, pick(rng, &PROGRAMS).into()),
        11 => Edit::Program(row, pick(rng, &["", "jump", "loop\nend", "fork r0"]).into()),
        12 => Edit::Rename(row, pick(rng, &["r0", "other", "", "a b"]).into()),
        13 => Edit::Machine(
            pick(rng, &["cpu1", "cpu4", "desktop16", "toaster", "sockets = 2"]).into(),
        ),
        14 => Edit::Kernel(pick(rng, &Preset::ALL).name().into()),
        15 => Edit::Feature(pick(rng, &Feature::ALL).name().into(), rng.range(0, 1) == 1),
        16 => match rng.range(0, 3) {
            0 => Edit::BaseSlice(rng.range(0, 20_000_000)),
            1 => Edit::Hz(pick(rng, &[0, 100, 1000, 77])),
            2 => Edit::Seed(rng.range(0, 9)),
            _ => Edit::End(rng.range(0, 40_000_000)),
        },
        _ => Edit::Kernel("no such".into()),
    }
}

#[test]
fn whatever_is_edited_the_document_tells_the_run() {
    for_seeds(|seed, document| {
        let mut player = Player::load(document);
        let mut rng = Rng::new(seed ^ 0xED17);
        for _ in 0..12 {
            let so_far = player.run(rng.range(0, 400) as u32);
            let step = if rng.range(0, 3) == 0 { 0 } else { rng.range(0, so_far.steps + 3) };
            let edit = any_edit(&mut rng);
            let before = player.run(0);
            match player.0.handle(Command::Edit { step, edit: edit.clone() }) {
                Update::Edited(edited) => {
                    assert!(!edited.done.is_empty());
                    // The text and the packed form are the same document.
                    let mut session = Session::new();
                    let update = session.handle(Command::Load { text: edited.loaded.text.clone() });
                    let Update::Loaded(loaded) = update else { panic!("{edit:?}: {update:?}") };
                    assert_eq!(loaded.packed, edited.loaded.packed, "{edit:?}");
                    assert_eq!(loaded.rows, edited.loaded.rows, "{edit:?}");
                    let mut fresh = Player(session);
                    let here = player.run(0);
                    assert_eq!(fresh.run(here.steps as u32).digest, here.digest, "{edit:?}");
                }
                Update::Rejected(problems) => {
                    assert!(!problems.is_empty());
                    for problem in problems {
                        assert!(problem.sentence.len() > 5, "{problem:?}");
                    }
                    // Looking for the step may have taken the run further; nothing else changed.
                    assert!(player.run(0).steps >= before.steps);
                }
                other => panic!("{other:?}"),
            }
        }
        let end = player.run(u32::MAX);
        player.show(end.steps);
    });
}

/// Who has each CPU from when on, by the events as they are exported.
fn switches(file: Update, cpus: u16) -> Vec<BTreeMap<u64, String>> {
    let Update::File { text, .. } = file else { panic!("{file:?}") };
    let mut out = vec![BTreeMap::from([(0, String::new())]); usize::from(cpus)];
    for line in text.lines() {
        let cells: Vec<&str> = line.split(',').collect();
        if cells[2] == "switched" {
            let (time, cpu) = (cells[1].parse().expect("ns"), cells[3].parse::<usize>());
            out[cpu.expect("a CPU")].insert(time, cells[4].to_owned());
        }
    }
    out
}

#[test]
fn two_runs_differ_where_their_events_do() {
    let (mut differ, mut same) = (0, 0);
    for seed in seeds() {
        let mut document = document(seed);
        document.rows.truncate(3);
        let mut session = Player::load(&document).0;
        let mut rng = Rng::new(seed ^ 0xD1FF);
        let with = pick(&mut rng, &["4.15", "4.19", "6.6", "6.12", "hz 250", "base_slice 1ms"]);
        let update = session.handle(Command::Beside { with: Some(with.into()) });
        assert!(matches!(update, Update::Beside(Some(_))), "seed {seed}: {update:?}");
        let difference = |session: &mut Session, after| {
            let Update::Difference(found) = session.handle(Command::Difference { after }) else {
                panic!("seed {seed}")
            };
            found.place.map(|place| (place.at, place.cpu))
        };
        // What was found with the least simulated is what is found in the whole.
        let first = difference(&mut session, None);
        session.handle(Command::Show { goto: Goto::End, focus: 0 });
        let second = |command| Command::Second(Box::new(command));
        session.handle(second(Command::Show { goto: Goto::End, focus: 0 }));
        assert_eq!(difference(&mut session, None), first, "seed {seed}");

        let cpus = session.setup().expect("it is loaded").topology.len() as u16;
        let export = Command::Export { format: Format::EventsCsv };
        let a = switches(session.handle(export.clone()), cpus);
        let Update::Second(file) = session.handle(second(export)) else { panic!("seed {seed}") };
        let b = switches(*file, cpus);
        let end = document.end;
        let mut begins: Vec<(u64, u16)> = Vec::new();
        let mut apart = 0;
        for cpu in 0..usize::from(cpus) {
            let times: BTreeSet<u64> = a[cpu].keys().chain(b[cpu].keys()).copied().collect();
            let times: Vec<u64> = times.into_iter().filter(|&t| t < end).collect();
            let last = |list: &BTreeMap<u64, String>, time| {
                list.range(..=time).next_back().expect("from 0 on").1.clone()
            };
            let mut before = false;
            for (i, &time) in times.iter().enumerate() {
                let now = last(&a[cpu], time) != last(&b[cpu], time);
                if now && !before {
                    begins.push((time, cpu as u16));
                }
                if now {
                    apart += times.get(i + 1).copied().unwrap_or(end) - time;
                }
                before = now;
            }
        }
        begins.sort_unstable();
        begins.dedup_by_key(|(time, _)| *time);
        let mut found = first;
        for (i, begin) in begins.iter().enumerate().take(50) {
            assert_eq!(found, Some(*begin), "seed {seed}, difference {i} with {with}");
            found = difference(&mut session, Some(begin.0));
        }
        if begins.len() <= 50 {
            assert_eq!(found, None, "seed {seed} with {with}");
        }
        if begins.is_empty() {
            same += 1;
        } else {
            differ += 1;
        }
        // The band has all of that time, seen from near and from far.
        let band = |session: &mut Session, from, to, columns| {
            let window = Command::Window { from, to, columns, lanes: Vec::new(), heat: false };
            match session.handle(Command::Second(Box::new(window))) {
                Update::Second(update) => match *update {
                    Update::Window(window) => window.apart,
                    other => panic!("seed {seed}: {other:?}"),
                },
                other => panic!("seed {seed}: {other:?}"),
            }
        };
        for columns in [8000, 1000, 7] {
            let all: u64 = band(&mut session, 0, end, columns).iter().sum();
            assert!(all.abs_diff(apart) <= u64::from(columns), "seed {seed}: {all} of {apart}");
        }
        if let Some((at, _)) = begins.first() {
            let near = band(&mut session, at - at.min(&5_000), at + 5_000, 100);
            let first = near.iter().position(|ns| *ns > 0).map(|bin| bin as u64 * 100);
            assert!(
                first.is_some_and(|first| at.min(&5_000).abs_diff(first) <= 100),
                "seed {seed}"
            );
        }
    }
    assert!(differ > seeds().count() / 3 && same > 0, "{differ} differ, {same} do not");
}
