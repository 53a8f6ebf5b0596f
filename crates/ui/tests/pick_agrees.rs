//! Picture, table, checks and sentence of a pick say the same at each check, in every EEVDF pick of
//! the lessons and of random runs: who is eligible, where V is, and that the chosen one has the
//! earliest eligible deadline; also when a delayed task leaves on the way.

mod pick_sound;

use pick_sound::{mark, sound, words};
use schedscope_session::update::{
    Check, Decision, DecisionKind, Loaded, Moment, PickPicture, Picture,
};
use schedscope_session::{Command, Goto, Session, Stride, Update};
use schedscope_ui::format;
use schedscope_ui::scene::Scene;
use schedscope_ui::view::{Look, Roster, machine, pick, tree};
use std::collections::BTreeSet;

/// How many picks of a lesson are looked at.
const PICKS: usize = 250;

#[derive(Default)]
struct Met {
    picks: usize,
    counted: usize,
    departures: usize,
}

fn open(text: String) -> Option<(Session, Loaded)> {
    let mut session = Session::new();
    match session.handle(Command::Load { text }) {
        Update::Loaded(loaded) => Some((session, *loaded)),
        _ => None,
    }
}

fn show(session: &mut Session, goto: Goto) -> Moment {
    match session.handle(Command::Show { goto, focus: 0 }) {
        Update::Moment(moment) => *moment,
        other => panic!("{other:?}"),
    }
}

fn walk(mut session: Session, loaded: &Loaded, what: &str, met: &mut Met) {
    let mut step = 0;
    for _ in 0..PICKS {
        let goto = Goto::Next(Stride::Kind(DecisionKind::Pick), step);
        let moment = show(&mut session, goto);
        if moment.step == step {
            break;
        }
        step = moment.step;
        let roster = Roster { loaded, moment: &moment };
        for decision in moment.decisions.iter().filter(|d| d.kind == DecisionKind::Pick) {
            machine_agrees(&moment, what);
            if let Picture::Pick(picture) = &decision.picture
                && pick::Rule::of(picture) == pick::Rule::Eevdf
            {
                agree(picture, decision, &roster, &format!("{what}, step {step}"), met);
            }
        }
    }
}

/// At each check of a pick or preemption test the machine has the queue that the picture has, and
/// nobody in two places.
fn machine_agrees(moment: &Moment, what: &str) {
    for (decision, made) in moment.decisions.iter().enumerate() {
        let Picture::Pick(picture) = &made.picture else { continue };
        for check in 0..made.checks.len() {
            let look = Look { decision, check, ..Look::new(400.0, 400.0) };
            let cpus = machine::stage(moment, &look);
            let cpu = &cpus[usize::from(picture.cpu)];
            let here = cpu.curr.into_iter().chain(cpu.waiting.iter().copied());
            let here: BTreeSet<u32> = here.collect();
            let queued = picture.at(check).rows.iter().filter(|row| !row.gone);
            for row in queued {
                let what = format!("{what}, step {}, check {check}", moment.step);
                assert!(here.contains(&row.task), "{what}: {row:?} is not on the machine");
                let places = cpus.iter().flat_map(|cpu| cpu.curr.iter().chain(&cpu.waiting));
                assert_eq!(places.filter(|task| **task == row.task).count(), 1, "{what}: {row:?}");
            }
        }
    }
}

/// The number before these words, if the text has them.
fn number_before(text: &str, words: &str) -> Option<usize> {
    let text = text.replace('\u{a0}', " ");
    let head = &text[..text.find(words)?];
    head.trim_end().rsplit(' ').next()?.parse().ok()
}

fn agree(picture: &PickPicture, decision: &Decision, roster: &Roster, what: &str, met: &mut Met) {
    met.picks += 1;
    met.departures += picture.later.len();
    let checks = Some(decision.checks.as_slice());
    for (check, said) in decision.checks.iter().enumerate() {
        let now = picture.at(check);
        if said.title.starts_with("What is V") {
            let v = format::exact_ms(now.v).replace('+', "");
            assert!(
                said.result.ends_with(&format!("\u{a0}{v}\u{a0}ms")),
                "{what}, check {check}: {} not {v}",
                said.result
            );
            let queued = now.rows.iter().filter(|row| !row.gone).count();
            let of = number_before(&said.sentence, " queued task");
            assert_eq!(of, Some(queued), "{what}, check {check}: {}", said.sentence);
        }
        for row in &now.rows {
            assert!(!(row.gone && row.eligible), "{what}: {row:?} has left");
            assert_eq!(row.lag, -row.vruntime, "{what}: {row:?}");
        }
        // Whoever left is there before and gone after.
        let gone = picture.later.iter().filter(|later| usize::from(later.since) <= check).count();
        assert_eq!(now.rows.iter().filter(|row| row.gone).count(), gone, "{what}, check {check}");
        assert_eq!(now.rows.len(), picture.rows.len(), "{what}, check {check}");
        let table = pick::table(picture, checks, check, roster);
        let yes = table.iter().filter(|row| row.eligible == "yes").count();
        let eligible = now.rows.iter().filter(|row| row.eligible).count();
        assert_eq!(yes, eligible, "{what}, check {check}");
        assert_eq!(table.iter().filter(|row| row.state == "left").count(), gone);
    }
    if !picture.later.is_empty() {
        draw(picture, checks, roster, what);
    }
    let last = picture.at(decision.checks.len() - 1);
    let eligible: Vec<_> = last.rows.iter().filter(|row| row.eligible).collect();
    let said = &decision.sentence;
    if let Some(n) = number_before(said, " eligible tasks,") {
        assert_eq!(n, eligible.len(), "{what}: {said}");
        met.counted += 1;
    }
    if said.contains("is the only eligible one of") {
        assert_eq!(eligible.len(), 1, "{what}: {said}");
        met.counted += 1;
    }
    let flawed = picture.reason == "search missed";
    let by_deadline = ["earliest eligible deadline", "running task has the earliest deadline"]
        .contains(&picture.reason.as_str());
    if by_deadline || flawed {
        let earliest = eligible.iter().map(|row| row.deadline).min().expect("somebody is");
        let chosen = eligible.iter().find(|row| Some(row.task) == picture.chosen);
        let chosen = chosen.unwrap_or_else(|| panic!("{what}: {:?}", picture.chosen)).deadline;
        assert_eq!(chosen == earliest, !flawed, "{what}: {said}");
    }
}

/// Draws a pick in which somebody left, at every check: lanes stay where they are.
fn draw(picture: &PickPicture, checks: Option<&[Check]>, roster: &Roster, what: &str) {
    let lanes = |scene: &Scene| {
        scene.hits.iter().map(|hit| (hit.rect.y, hit.target.clone())).collect::<Vec<_>>()
    };
    let at = |check| Look { check, ..Look::new(704.0, 330.0) };
    let whole = pick::layout(picture, checks, roster, &at(usize::MAX));
    for check in 0..checks.map_or(0, <[_]>::len) {
        let scene = pick::layout(picture, checks, roster, &at(check));
        sound(&scene, 12.0, &format!("{what}, check {check}"));
        assert_eq!(lanes(&scene), lanes(&whole), "{what}, check {check}");
        let gone = picture.at(check).rows.iter().filter(|row| row.gone);
        for row in gone {
            let (flag, note) = (format!("pick/{}/flag/pole", row.task), "has left");
            assert!(mark(&scene, &flag).is_none(), "{what}, check {check}: {flag}");
            let said = words(&scene, &format!("pick/{}/note", row.task));
            assert!(said.is_none_or(|said| said == note), "{what}, check {check}: {said:?}");
        }
        sound(&tree::layout(picture, checks, roster, &at(check)), 12.0, what);
    }
}

#[test]
fn in_the_lessons() {
    let folder = format!("{}/../../lessons", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(folder).expect("the lessons are in the repository");
    let mut met = Met::default();
    for path in files.map(|file| file.expect("a file").path()) {
        if path.extension().is_some_and(|ending| ending == "md") {
            let text = std::fs::read_to_string(&path).expect("can read");
            let (session, loaded) = open(text).expect("a lesson opens");
            walk(session, &loaded, &path.display().to_string(), &mut met);
        }
    }
    assert!(met.picks > 500 && met.counted > 100 && met.departures > 10, "{}", met.picks);
}

/// A scenario of tasks that run and sleep on one or two CPUs.
fn random(seed: u64, kernel: &str) -> String {
    let mut state = seed;
    let mut roll = move |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let machine = ["cpu1", "cpu2"][roll(2) as usize];
    let mut text = format!(
        "schedscope = 1\nmachine = \"{machine}\"\nkernel = \"{kernel}\"\nseed = {seed}\n\
         end = \"150ms\"\n"
    );
    for task in 0..roll(6) + 3 {
        let (nice, run) = (roll(11) as i64 - 5, 200 + roll(3000));
        let sleep = match roll(3) {
            0 => String::new(),
            _ => format!("sleep ~{}us\n", 200 + roll(3000)),
        };
        text.push_str(&format!(
            "[[task]]\nname = \"t{task}\"\nnice = {nice}\ncpu = 0\naffinity = \"0\"\n\
             latency_nice = {}\nprogram = \"\"\"\nloop\nrun ~{run}us\n{sleep}end\n\"\"\"\n",
            roll(40) as i64 - 20
        ));
    }
    text
}

#[test]
fn in_random_runs() {
    let mut met = Met::default();
    for kernel in ["6.12", "6.17", "6.8", "6.6", "eevdf-2023-03", "eevdf-2023-03-v2"] {
        for seed in 0..6 {
            let text = random(seed, kernel);
            let Some((session, loaded)) = open(text) else { panic!("{kernel} is refused") };
            walk(session, &loaded, &format!("{kernel}, seed {seed}"), &mut met);
        }
    }
    assert!(met.picks > 2_000 && met.counted > 500 && met.departures > 50, "{}", met.picks);
}

#[test]
fn pictures_of_cfs_are_sound() {
    let (mut seconds, mut tests) = (0, 0);
    for kernel in ["2.6.36", "6.1", "6.1+latency-nice"] {
        for seed in 0..4 {
            let (mut session, loaded) = open(random(seed, kernel)).expect("it opens");
            let mut step = 0;
            for _ in 0..60 {
                let goto = Goto::Next(Stride::Decision, step);
                let moment = show(&mut session, goto);
                step = moment.step;
                let roster = Roster { loaded: &loaded, moment: &moment };
                for made in &moment.decisions {
                    let Picture::Pick(picture) = &made.picture else { continue };
                    let what = format!("{kernel}, seed {seed}, step {step}");
                    seconds += usize::from(!picture.second.is_empty());
                    tests += made.checks.iter().filter(|c| c.title.starts_with("May")).count();
                    let checks = Some(made.checks.as_slice());
                    for (check, size) in [(0, 704.0), (2, 358.0), (usize::MAX, 596.0)] {
                        let look = Look { check, ..Look::new(size, 330.0) };
                        sound(&pick::layout(picture, checks, &roster, &look), 12.0, &what);
                        sound(&tree::layout(picture, checks, &roster, &look), 12.0, &what);
                    }
                }
            }
        }
    }
    assert!(seconds > 50 && tests > 50, "{seconds} second trees, {tests} tests");
}
