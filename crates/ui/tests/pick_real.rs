//! Real runs: every pick, tree and timeline of the lessons is drawn and must be legible.

mod pick_sound;

use pick_sound::{sound, words};
use schedscope_session::update::{Decision, Loaded, Moment, PickPicture, Picture, Window};
use schedscope_session::{Command, Goto, Session, Stride, Update};
use schedscope_ui::time_scale::Stretch;
use schedscope_ui::view::timeline::{self, Timeline, Wish};
use schedscope_ui::view::{Look, Roster, metrics, pick, tree};

/// How many decisions of a lesson are looked at.
const DECISIONS: usize = 40;

fn load(name: &str, change: impl Fn(String) -> String) -> (Session, Loaded) {
    let path = format!("{}/../../lessons/{name}.md", env!("CARGO_MANIFEST_DIR"));
    let text = change(std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}")));
    let mut session = Session::new();
    match session.handle(Command::Load { text }) {
        Update::Loaded(loaded) => (session, *loaded),
        other => panic!("{name}: {other:?}"),
    }
}

fn show(session: &mut Session, goto: Goto, focus: u16) -> Moment {
    match session.handle(Command::Show { goto, focus }) {
        Update::Moment(moment) => *moment,
        other => panic!("{other:?}"),
    }
}

fn looks() -> Vec<Look> {
    vec![
        Look::new(704.0, 330.0),
        Look::new(596.0, 180.0),
        Look { coarse: true, ..Look::new(358.0, 420.0) },
        Look { present: true, ..Look::new(1328.0, 560.0) },
    ]
}

fn check_queue(picture: &PickPicture, decision: Option<&Decision>, roster: &Roster, what: &str) {
    let checks = decision.map(|decision| decision.checks.as_slice());
    for look in looks() {
        let floor = if look.present { 20.0 } else { 12.0 };
        let last = checks.map_or(0, <[_]>::len).saturating_sub(1);
        for check in [0, last / 2, last] {
            let look = Look { check, ..look.clone() };
            let scene = pick::layout(picture, checks, roster, &look);
            sound(&scene, floor, &format!("pick of {what}, check {check}"));
            let scene = tree::layout(picture, checks, roster, &look);
            sound(&scene, floor, &format!("tree of {what}, check {check}"));
        }
    }
}

/// Every visited node has its check, and at the last one the whole walk was made.
fn check_walk(picture: &PickPicture, decision: &Decision, what: &str) {
    let last = decision.checks.len() - 1;
    let checks = Some(decision.checks.as_slice());
    let stepped = tree::Walk::of(picture, checks, last, false);
    let done = tree::Walk::of(picture, checks, last, true);
    assert_eq!(stepped.number, done.number, "{what}: {:?}", picture.walk);
    assert!(pick::finished(picture, checks, last), "{what}");
    for check in 0..last {
        assert!(!pick::finished(picture, checks, check), "{what}: over at check {check}");
    }
}

fn walk_lesson(name: &str, change: impl Fn(String) -> String) {
    let (mut session, loaded) = load(name, change);
    let mut moment = show(&mut session, Goto::Step(0), 0);
    for _ in 0..DECISIONS {
        let focus = moment.decisions.first().map_or(0, |decision| decision.cpu);
        let next = show(&mut session, Goto::Next(Stride::Decision, moment.step), focus);
        if next.step == moment.step {
            break;
        }
        moment = next;
        let roster = Roster { loaded: &loaded, moment: &moment };
        for decision in &moment.decisions {
            let what = format!("{name}, step {}: {}", moment.step, decision.heading);
            if let Picture::Pick(picture) = &decision.picture {
                check_queue(picture, Some(decision), &roster, &what);
                check_walk(picture, decision, &what);
            }
        }
        if let Some(queue) = &moment.queue {
            check_queue(queue, None, &roster, &format!("{name}, queue at {}", moment.step));
        }
    }
    check_timeline(&mut session, &loaded, &moment, name);
}

fn check_timeline(session: &mut Session, loaded: &Loaded, moment: &Moment, name: &str) {
    let roster = Roster { loaded, moment };
    let focus = moment.decisions.first().map_or(0, |decision| decision.cpu);
    let roles = moment.decisions.first().map(timeline::roles).unwrap_or_default();
    let tasks = timeline::focus_tasks(loaded, moment, focus);
    for (width, height) in [(1440.0, 290.0), (1024.0, 200.0), (800.0, 160.0)] {
        let look = Look { focus_cpu: focus, ..Look::new(width, height) };
        let plan = timeline::lane_plan(&Wish {
            machine: &loaded.machine,
            focus,
            roles: &roles,
            tasks: &tasks,
            searched: None,
            height,
            present: false,
            decisions: true,
            overview: height > 250.0,
            beside: None,
        });
        for length in [24_000_000, 400_000, 20_000] {
            let stretch = Stretch::whole(loaded.end).zoomed(
                loaded.end as f64 / length as f64,
                moment.now,
                loaded.end,
            );
            let window = window(session, stretch, &plan, width as u32);
            let timeline = Timeline {
                plan: &plan,
                window: &window,
                beside: None,
                stretch,
                labels: timeline::label_width(width),
                roster,
                look: &look,
                hide_after: None,
            };
            let what = format!("{name} at {width} × {height}, {length} ns");
            let layout = timeline::layout(&timeline);
            sound(&layout.labels, 12.0, &format!("labels of {what}"));
            sound(&layout.bars, 12.0, &format!("bars of {what}"));
            sound(&layout.marks, 12.0, &format!("marks of {what}"));
            let head = timeline::playhead(&timeline, moment.now);
            sound(&head, 12.0, &format!("playhead of {what}"));
            assert!(words(&head, "playhead/time").is_some(), "{what}");
        }
    }
    match session.handle(Command::Metrics { upto: None }) {
        Update::Metrics(figures) => {
            let look = Look::new(704.0, 330.0);
            sound(&metrics::layout(&figures, &roster, &look), 12.0, &format!("metrics of {name}"));
        }
        other => panic!("{other:?}"),
    }
}

fn window(session: &mut Session, at: Stretch, plan: &timeline::LanePlan, columns: u32) -> Window {
    let command = Command::Window {
        from: at.from,
        to: at.to,
        columns,
        lanes: plan.cpus(),
        heat: plan.wants_heat(),
    };
    match session.handle(command) {
        Update::Window(window) => *window,
        other => panic!("{other:?}"),
    }
}

fn kernel(name: &'static str) -> impl Fn(String) -> String {
    move |text| text.replace("kernel = \"6.12\"", &format!("kernel = \"{name}\""))
}

#[test]
fn eight_on_one_cpu_in_four_kernels() {
    for name in ["6.12", "6.6", "6.1", "2.6.36"] {
        walk_lesson("eight-on-one-cpu", kernel(name));
    }
}

#[test]
fn all_lessons() {
    let folder = format!("{}/../../lessons", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(folder).expect("the lessons are in the repository");
    let names = files.filter_map(|file| {
        let name = file.ok()?.file_name().into_string().ok()?;
        name.strip_suffix(".md").map(str::to_owned)
    });
    let names: Vec<String> = names.collect();
    assert!(names.len() >= 5, "{names:?}");
    for name in names {
        walk_lesson(&name, |text| text);
    }
}
