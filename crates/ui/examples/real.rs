//! Draws real runs: loads a lesson, walks to decisions and writes pick, tree, timeline and metrics
//! as SVG files.
//!
//! `cargo run -p schedscope-ui --example real -- out-dir lessons/eight-on-one-cpu.md [cpu] [ms]
//! [kernel]`: also each check of the first pick after that, at the size of the page and of a phone.

use schedscope_session::update::{
    Decision, DecisionKind, Loaded, Metrics, Moment, PickPicture, Picture, Window,
};
use schedscope_session::{Command, Goto, Session, Stride, Update};
use schedscope_ui::paint;
use schedscope_ui::scene::Scene;
use schedscope_ui::theme::Theme;
use schedscope_ui::time_scale::Stretch;
use schedscope_ui::view::timeline::{self, Timeline, Wish};
use schedscope_ui::view::{Look, Roster, metrics, pick, tree};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [dir, path, rest @ ..] = args.as_slice() else { panic!("usage: real out-dir lesson.md") };
    let focus: u16 = rest.first().map_or(0, |cpu| cpu.parse().expect("a CPU"));
    let at: u64 = rest.get(1).map_or(20, |ms| ms.parse().expect("ms")) * 1_000_000;
    let stem = std::path::Path::new(path).file_stem().unwrap().to_string_lossy().to_string();
    let mut session = Session::new();
    let mut text = std::fs::read_to_string(path).expect("a lesson");
    if let Some(kernel) = rest.get(2) {
        let from = text.find("kernel = \"").expect("a kernel") + 10;
        let to = from + text[from..].find('"').expect("an end");
        text.replace_range(from..to, kernel);
    }
    let loaded = match session.handle(Command::Load { text }) {
        Update::Loaded(loaded) => *loaded,
        other => panic!("{other:?}"),
    };
    session.handle(Command::Run { steps: 2_000_000 });
    if rest.len() > 2 {
        preemptions(&mut session, focus, at);
    }
    let mut shown = 0;
    let mut moment = show(&mut session, Goto::Time(at), focus);
    for _ in 0..4000 {
        let kind = Stride::Kind(DecisionKind::Pick);
        let next = show(&mut session, Goto::Next(kind, moment.step), focus);
        if next.step == moment.step {
            break;
        }
        moment = next;
        let found = moment.decisions.iter().position(|decision| wanted(decision, focus, shown));
        let Some(number) = found else { continue };
        let name = format!("{dir}/{stem}-{shown}");
        picks(&name, &loaded, &moment, number);
        shown += 1;
        if shown == 3 {
            break;
        }
    }
    println!("{stem}: {shown} picks, {} tasks, ends at step {}", moment.tasks.len(), moment.steps);
    whole(&format!("{dir}/{stem}"), &mut session, &loaded, &moment, focus);
}

/// The first preemption tests from a time on, in words.
fn preemptions(session: &mut Session, focus: u16, at: u64) {
    let mut step = show(session, Goto::Time(at), focus).step;
    for _ in 0..8 {
        let kind = Stride::Kind(DecisionKind::Preemption);
        let moment = show(session, Goto::Next(kind, step), focus);
        step = moment.step;
        for made in moment.decisions.iter().filter(|d| d.kind == DecisionKind::Preemption) {
            println!("step {step}: {} | {} | {}", made.cause, made.heading, made.sentence);
            for check in &made.checks {
                println!("  {} -> {}\n      {}", check.title, check.result, check.sentence);
            }
        }
    }
}

/// Picks that are worth a look: several tasks, more each time.
fn wanted(decision: &Decision, focus: u16, shown: usize) -> bool {
    let Picture::Pick(picture) = &decision.picture else { return false };
    decision.cpu == focus && picture.rows.len() > shown && decision.kind == DecisionKind::Pick
}

fn show(session: &mut Session, goto: Goto, focus: u16) -> Moment {
    match session.handle(Command::Show { goto, focus }) {
        Update::Moment(moment) => *moment,
        other => panic!("{other:?}"),
    }
}

fn write(path: &str, scene: &Scene) {
    for (theme, word) in [(Theme::light(), "light"), (Theme::dark(), "dark")] {
        let svg = paint::svg(scene, &theme, path);
        std::fs::write(format!("{path}-{word}.svg"), svg).expect("out-dir must exist");
    }
}

fn picks(name: &str, loaded: &Loaded, moment: &Moment, number: usize) {
    let roster = Roster { loaded, moment };
    let decision = &moment.decisions[number];
    let Picture::Pick(picture) = &decision.picture else { return };
    println!("{name}: {} | {}", decision.heading, decision.sentence);
    for (i, check) in decision.checks.iter().enumerate() {
        println!("  {i} {:?} {} -> {} {:?}", check.mark, check.title, check.result, check.tasks);
        println!("      {} [{}]", check.sentence, check.kernel);
    }
    println!("  walk {:?}", turns(picture));
    let look = Look { decision: number, ..Look::new(704.0, 330.0) };
    let checks = Some(decision.checks.as_slice());
    write(&format!("{name}-pick"), &pick::layout(picture, checks, &roster, &look));
    write(&format!("{name}-tree"), &tree::layout(picture, checks, &roster, &look));
    if name.ends_with("-0") {
        each_check(name, loaded, moment, number);
    }
    let half = Look { check: decision.checks.len() / 2, ..look };
    write(&format!("{name}-pick-half"), &pick::layout(picture, checks, &roster, &half));
    write(&format!("{name}-tree-half"), &tree::layout(picture, checks, &roster, &half));
}

/// The pick as it is at each check.
fn each_check(name: &str, loaded: &Loaded, moment: &Moment, number: usize) {
    let roster = Roster { loaded, moment };
    let decision = &moment.decisions[number];
    let Picture::Pick(picture) = &decision.picture else { return };
    let checks = Some(decision.checks.as_slice());
    for check in 0..decision.checks.len() {
        let page = Look { check, ..Look::new(704.0, 330.0) };
        let phone = Look { check, coarse: true, ..Look::new(358.0, 420.0) };
        for (look, word) in [(&page, "page"), (&phone, "phone")] {
            let to = format!("{name}-check-{check}-{word}");
            write(&format!("{to}-pick"), &pick::layout(picture, checks, &roster, look));
            write(&format!("{to}-tree"), &tree::layout(picture, checks, &roster, look));
        }
    }
}

fn turns(picture: &PickPicture) -> Vec<(u32, &str)> {
    picture.walk.iter().map(|step| (step.task, step.turn.as_str())).collect()
}

fn whole(name: &str, session: &mut Session, loaded: &Loaded, moment: &Moment, focus: u16) {
    let roster = Roster { loaded, moment };
    let tasks = timeline::focus_tasks(loaded, moment, focus);
    let place = moment.decisions.iter().find_map(|decision| match &decision.picture {
        Picture::Place(place) => Some((timeline::roles(decision), Some(place.llc))),
        _ => None,
    });
    let (roles, searched) = place.unwrap_or_default();
    let look = Look { focus_cpu: focus, ..Look::new(1440.0, 290.0) };
    let wish = Wish {
        machine: &loaded.machine,
        focus,
        roles: &roles,
        tasks: &tasks,
        searched,
        height: look.height,
        present: false,
        decisions: true,
        overview: true,
        beside: None,
    };
    let plan = timeline::lane_plan(&wish);
    let stretch = Stretch::new(moment.now.saturating_sub(12_000_000), moment.now + 12_000_000);
    let window = window(session, stretch, &plan);
    let warm: Vec<u8> =
        window.heat.iter().map(|row| row.iter().copied().max().unwrap_or(0)).collect();
    println!(
        "arrows {}, decisions {}, warmest {warm:?}",
        window.arrows.len(),
        window.decisions.len()
    );
    let second = session.handle(Command::Beside { with: Some(BESIDE.to_string()) });
    let Update::Beside(Some(second)) = second else { panic!("{second:?}") };
    let plan = timeline::lane_plan(&Wish {
        beside: Some([&loaded.kernel.name, &second.name]),
        height: 420.0,
        ..wish
    });
    session.handle(second_of(Command::Run { steps: 2_000_000 }));
    let other = second_of(window_of(stretch, &plan));
    let Update::Second(other) = session.handle(other) else { panic!("it is open") };
    let Update::Window(other) = *other else { panic!("{other:?}") };
    let look = Look { height: 420.0, ..look };
    let timeline = Timeline {
        plan: &plan,
        window: &window,
        beside: Some(&other),
        stretch,
        labels: 280.0,
        roster,
        look: &look,
        hide_after: None,
    };
    let layout = timeline::layout(&timeline);
    let mut scene = Scene::new(look.width, look.height);
    for part in
        [layout.bars, layout.labels, layout.marks, timeline::playhead(&timeline, moment.now)]
    {
        scene.marks.extend(part.marks);
    }
    write(&format!("{name}-timeline"), &scene);
    let figures: Metrics = match session.handle(Command::Metrics { upto: None }) {
        Update::Metrics(metrics) => *metrics,
        other => panic!("{other:?}"),
    };
    let panel = Look::new(752.0, 420.0);
    write(&format!("{name}-metrics"), &metrics::layout(&figures, &roster, &panel));
}

/// What runs beside the run on the timeline.
const BESIDE: &str = "6.1";

fn second_of(command: Command) -> Command {
    Command::Second(Box::new(command))
}

fn window_of(stretch: Stretch, plan: &timeline::LanePlan) -> Command {
    Command::Window {
        from: stretch.from,
        to: stretch.to,
        columns: 1144,
        lanes: plan.cpus(),
        heat: plan.wants_heat(),
    }
}

fn window(session: &mut Session, stretch: Stretch, plan: &timeline::LanePlan) -> Window {
    match session.handle(window_of(stretch, plan)) {
        Update::Window(window) => *window,
        other => panic!("{other:?}"),
    }
}
