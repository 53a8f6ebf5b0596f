//! Picture, table, checks and sentence of a pick say the same at each check, in every EEVDF pick of
//! the lessons and of random runs: who is eligible, where V is, and that the chosen one has the
//! earliest eligible deadline; also when a delayed task leaves on the way.

mod pick_sound;

use pick_sound::{mark, sound, words};
use schedscope_session::command::{Edit, Who};
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
            let rows =
                picture.at(check).rows.iter().chain(picture.inside.iter().flat_map(|i| &i.rows));
            let queued = rows.filter(|row| !row.gone && row.group.is_none());
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
            let inside = picture.inside.iter().find(|inside| usize::from(inside.since) <= check);
            let v = format::exact_ms(inside.unwrap_or(now).v).replace('+', "");
            assert!(
                said.result.ends_with(&format!("\u{a0}{v}\u{a0}ms")),
                "{what}, check {check}: {} not {v}",
                said.result
            );
            let queued = now.rows.iter().filter(|row| !row.gone).count();
            let of = number_before(&said.sentence, " queued task");
            let inside = picture.inside.iter().any(|inside| usize::from(inside.since) <= check);
            assert!(of == Some(queued) || inside, "{what}, check {check}: {}", said.sentence);
        }
        for row in &now.rows {
            assert!(!(row.gone && row.eligible), "{what}: {row:?} has left");
            assert_eq!(row.lag, -row.vruntime, "{what}: {row:?}");
        }
        // Whoever left is there before and gone after.
        let gone = picture.later.iter().filter(|later| usize::from(later.since) <= check).count();
        assert_eq!(now.rows.iter().filter(|row| row.gone).count(), gone, "{what}, check {check}");
        assert_eq!(now.rows.len(), picture.rows.len(), "{what}, check {check}");
        let table = pick::table(now, checks, check, roster);
        let table = &table[..now.rows.len()];
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
    // In groups the sentence speaks of two queues.
    let said = if picture.title.is_empty() { said } else { &String::new() };
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

#[test]
fn who_is_not_preempted_keeps_the_cpu_in_the_picture_too() {
    let mut met = 0;
    for lesson in ["short-slice-preempts", "eight-on-one-cpu", "turns", "nice-or-latency"] {
        let path = format!("{}/../../lessons/{lesson}.md", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("a lesson of ours");
        for kernel in ["6.6", "6.11", "6.12", "6.1"] {
            let (mut session, _) = open(text.clone()).expect("a lesson opens");
            session.handle(Command::Edit { step: 0, edit: Edit::Kernel(kernel.into()) });
            let mut step = 0;
            loop {
                let goto = Goto::Next(Stride::Kind(DecisionKind::Preemption), step);
                let moment = show(&mut session, goto);
                if moment.step == step {
                    break;
                }
                step = moment.step;
                for decision in &moment.decisions {
                    let Picture::Pick(picture) = &decision.picture else { continue };
                    let Some(curr) = picture.rows.iter().find(|row| row.curr) else { continue };
                    if decision.heading.contains("does not preempt") {
                        met += 1;
                        let what = format!("{lesson}, {kernel}, step {step}");
                        assert_eq!(picture.chosen, Some(curr.task), "{what}");
                    }
                }
            }
        }
    }
    assert!(met > 50, "{met}");
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

/// Tasks in two groups and tasks in none.
fn grouped(kernel: &str) -> String {
    let task = |name: &str, group: &str, program: &str| {
        format!(
            "[[task]]\nname = \"{name}\"\ngroup = \"{group}\"\ncount = 2\naffinity = \"0\"\ncpu = 0\n\
             program = \"\"\"\nloop\n{program}\nend\n\"\"\"\n"
        )
    };
    let head = format!(
        "schedscope = 1\nmachine = \"cpu2\"\nkernel = \"{kernel}\"\nend = \"60ms\"\n\
         [[group]]\nname = \"batch\"\nshares = 512\n[[group]]\nname = \"web\"\nlatency_nice = -10\n"
    );
    [
        head,
        task("build", "batch", "run 3ms"),
        task("serve", "web", "run ~1ms\nsleep ~2ms"),
        task("alone", "root", "run ~2ms\nsleep ~500us"),
    ]
    .concat()
}

#[test]
fn both_levels_of_groups_are_shown() {
    let kernels =
        ["6.12", "6.17", "6.8", "6.6", "eevdf-2023-03", "2.6.36", "6.1", "6.1+latency-nice"];
    for kernel in kernels {
        let (mut session, loaded) = open(grouped(kernel)).expect("it opens");
        let (mut step, mut inner) = (0, 0);
        for _ in 0..120 {
            let moment = show(&mut session, Goto::Next(Stride::Decision, step));
            if moment.step == step {
                break;
            }
            step = moment.step;
            let roster = Roster { loaded: &loaded, moment: &moment };
            let what = format!("{kernel}, step {step}");
            machine_agrees(&moment, &what);
            for made in &moment.decisions {
                let Picture::Pick(picture) = &made.picture else { continue };
                let checks = Some(made.checks.as_slice());
                assert!(!picture.title.is_empty(), "{what}");
                for row in picture.rows.iter().filter(|row| row.group.is_some()) {
                    assert_eq!(roster.group(row.task).map(|g| g as u16), row.group, "{what}");
                }
                for size in [704.0, 358.0] {
                    for check in 0..made.checks.len() {
                        let look = Look { check, ..Look::new(size, 400.0) };
                        let scene = pick::layout(picture, checks, &roster, &look);
                        sound(&scene, 12.0, &what);
                        sound(&tree::layout(picture, checks, &roster, &look), 12.0, &what);
                        // Before the way into a group, nothing is told of what is inside.
                        let told = scene.hits.len();
                        let inside = picture.inside.first().filter(|_| picture.decided);
                        let shown = inside.filter(|inside| usize::from(inside.since) <= check);
                        let rows = picture.at(check).rows.len();
                        let lanes = rows + shown.map_or(0, |inside| inside.rows.len());
                        assert_eq!(told, lanes, "{what}, check {check}");
                    }
                }
                let Some(inside) = picture.inside.first() else { continue };
                inner += 1;
                assert_eq!(inside.chosen, made.task, "{what}");
                let table = pick::table(picture, checks, usize::MAX, &roster);
                let titles = table.iter().filter_map(|row| row.section.as_deref());
                assert_eq!(titles.collect::<Vec<_>>(), [&picture.title, &inside.title]);
                if pick::Rule::of(inside) == pick::Rule::Eevdf
                    && inside.reason == "earliest eligible deadline"
                {
                    let eligible = inside.rows.iter().filter(|row| row.eligible);
                    let first = eligible.min_by_key(|row| row.deadline).map(|row| row.deadline);
                    let chosen = inside.rows.iter().find(|row| Some(row.task) == inside.chosen);
                    assert_eq!(chosen.map(|row| row.deadline), first, "{what}");
                }
            }
        }
        assert!(inner > 10, "{kernel}: {inner} picks in groups");
    }
}

/// QA of 30 November: the task is drawn where the picture has it, from the first check of an edit.
#[test]
fn a_moved_task_is_in_one_place() {
    let path = format!("{}/../../lessons/eight-on-one-cpu.md", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("can read");
    let mut tests = 0;
    for step in [40, 96, 150, 201] {
        for (task, to) in [(4, "5"), (5, "6"), (1, "9")] {
            let (mut session, _) = open(text.clone()).expect("a lesson opens");
            session.handle(Command::Run { steps: 300 });
            let edit = Edit::Affinity(Who::Task(task), to.to_owned());
            let answer = session.handle(Command::Edit { step, edit });
            assert!(matches!(answer, Update::Edited(_)), "{answer:?}");
            let moment = show(&mut session, Goto::Step(step + 1));
            tests += moment.decisions.len();
            machine_agrees(&moment, &format!("task {task} to CPU {to} at {step}"));
        }
    }
    assert!(tests > 10, "{tests}");
}
