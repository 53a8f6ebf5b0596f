//! Writes the views as SVG files, in both themes, to be looked at.
//!
//! `cargo run -p schedscope-ui --example views -- out-dir [name-part]`

#[path = "../tests/pick_fixtures/mod.rs"]
mod fixtures;

use fixtures::Fixture;
use fixtures::run::Run;
use schedscope_ui::paint;
use schedscope_ui::scene::Scene;
use schedscope_ui::theme::Theme;
use schedscope_ui::time_scale::Stretch;
use schedscope_ui::view::timeline::{self, CpuRole, Timeline, Wish};
use schedscope_ui::view::{Look, Roster, metrics, pick, tree};

/// Where the files go and which are wanted.
struct Out {
    dir: String,
    part: String,
}

impl Out {
    fn write(&self, name: &str, draw: impl Fn() -> Scene) {
        if !name.contains(&self.part) {
            return;
        }
        let scene = draw();
        for (theme, word) in [(Theme::light(), "light"), (Theme::dark(), "dark")] {
            let path = format!("{}/{name}-{word}.svg", self.dir);
            std::fs::write(path, paint::svg(&scene, &theme, name)).expect("out-dir must exist");
        }
    }
}

fn roster(fixture: &Fixture) -> Roster<'_> {
    Roster { loaded: &fixture.loaded, moment: &fixture.moment }
}

fn picks(out: &Out) {
    let draw = |fixture: &Fixture, look: &Look| {
        pick::layout(&fixture.picture, Some(&fixture.checks), &roster(fixture), look)
    };
    let main = Look::new(704.0, 330.0);
    let board = fixtures::board();
    out.write("pick-board", || draw(&board, &main));
    out.write("pick-board-step3", || draw(&board, &Look { check: 2, ..main.clone() }));
    out.write("pick-board-wide", || draw(&board, &Look::new(1000.0, 700.0)));
    let phone = Look { coarse: true, ..Look::new(358.0, 420.0) };
    out.write("pick-board-phone", || draw(&board, &phone));
    out.write("pick-board-panel", || draw(&board, &Look::new(340.0, 300.0)));
    let present = Look { present: true, ..Look::new(1328.0, 580.0) };
    out.write("pick-board-present", || draw(&board, &present));
    let what_if = board.picture.rows.iter().find(|row| row.task == 7).copied();
    out.write("pick-board-whatif", || {
        let mut picture = board.picture.clone();
        for row in picture.rows.iter_mut().filter(|row| row.task == 7) {
            row.weight = 9548;
            row.vruntime = row.vruntime * 1024 / 9548;
            row.lag = -row.vruntime;
            row.deadline = row.deadline * 1024 / 9548;
        }
        picture.chosen = Some(7);
        let extra = pick::Extra { what_if, ..pick::Extra::default() };
        pick::layout_with(&picture, &extra, &roster(&board), &main)
    });
    for (name, fixture) in [
        ("pick-two", fixtures::two()),
        ("pick-lwn", fixtures::lwn()),
        ("pick-sole", fixtures::sole()),
        ("pick-nobody", fixtures::nobody()),
        ("pick-forty", fixtures::forty()),
        ("pick-random-9", fixtures::random(5, 9)),
        ("pick-random-14", fixtures::random(2, 14)),
    ] {
        out.write(name, || draw(&fixture, &main));
    }
    let lit = Look { hover: Some(4), selected: Some(7), ..main.clone() };
    out.write("pick-board-hover", || draw(&board, &lit));
    let extra = pick::Extra { answer: Some(2), ..pick::Extra::default() };
    let answer = || pick::layout_with(&board.picture, &extra, &roster(&board), &main);
    out.write("pick-board-answer", answer);
    let cfs = fixtures::cfs();
    out.write("pick-cfs", || draw(&cfs, &main));
    out.write("pick-cfs-phone", || draw(&cfs, &phone));
    out.write("tree-cfs", || tree::layout(&cfs.picture, None, &roster(&cfs), &main));
    let random = fixtures::random(3, 7);
    let (from, to) = (draw(&board, &main), draw(&random, &main));
    for part in [25u8, 50, 75] {
        let between = || paint::tween(&from, &to, f32::from(part) / 100.0);
        out.write(&format!("pick-tween-{part}"), between);
    }
    out.write("pick-key", || pick::key(&main));
}

fn trees(out: &Out) {
    let draw = |fixture: &Fixture, look: &Look| {
        tree::layout(&fixture.picture, Some(&fixture.checks), &roster(fixture), look)
    };
    let main = Look::new(704.0, 300.0);
    let board = fixtures::board();
    out.write("tree-board", || draw(&board, &main));
    for check in 0..board.checks.len() {
        let look = Look { check, ..main.clone() };
        out.write(&format!("tree-step-{check}"), || draw(&board, &look));
    }
    out.write("tree-board-phone", || draw(&board, &Look::new(358.0, 330.0)));
    let present = Look { present: true, ..Look::new(1328.0, 560.0) };
    out.write("tree-board-present", || draw(&board, &present));
    for (name, fixture) in [
        ("tree-two", fixtures::two()),
        ("tree-sole", fixtures::sole()),
        ("tree-lwn", fixtures::lwn()),
        ("tree-12", fixtures::random(2, 12)),
        ("tree-20", fixtures::random(9, 20)),
        ("tree-31", fixtures::random(5, 31)),
        ("tree-40", fixtures::forty()),
        ("tree-200", fixtures::random(8, 200)),
    ] {
        out.write(name, || draw(&fixture, &main));
        out.write(&format!("{name}-phone"), || draw(&fixture, &Look::new(358.0, 330.0)));
    }
    out.write("tree-key", || tree::key(&board.picture, &main));
}

/// The four scenes of a timeline on top of each other.
fn timeline_scene(run: &Run, look: &Look, labels: f32, hide: bool) -> Scene {
    let phone = labels == 0.0;
    let stretch = if phone {
        Stretch::new(81_000_000, 81_000_000 + timeline::PHONE_STRETCH)
    } else {
        Stretch::new(74_000_000, 98_000_000)
    };
    stretched(run, look, labels, hide, stretch)
}

/// The same for any stretch.
fn stretched(run: &Run, look: &Look, labels: f32, hide: bool, stretch: Stretch) -> Scene {
    let roles: Vec<CpuRole> =
        run.roles.iter().map(|(cpu, role)| CpuRole { cpu: *cpu, role: role.to_string() }).collect();
    let tasks = timeline::focus_tasks(&run.loaded, &run.moment, run.focus);
    let phone = labels == 0.0;
    let plan = timeline::lane_plan(&Wish {
        machine: &run.loaded.machine,
        focus: run.focus,
        roles: &roles,
        tasks: &tasks,
        searched: run.searched,
        height: look.height,
        present: look.present,
        decisions: !phone,
        overview: !phone,
        beside: None,
    });
    let timeline = Timeline {
        plan: &plan,
        window: &run.window,
        beside: None,
        stretch,
        labels,
        roster: Roster { loaded: &run.loaded, moment: &run.moment },
        look,
        hide_after: hide.then_some(run.moment.now),
    };
    let layout = timeline::layout(&timeline);
    let mut scene = Scene::new(look.width, look.height);
    for part in [layout.bars, layout.labels, layout.marks] {
        scene.marks.extend(part.marks);
    }
    scene.marks.extend(timeline::playhead(&timeline, run.moment.now).marks);
    scene
}

fn timelines(out: &Out) {
    use fixtures::run;
    let look = |focus_cpu, width, height| Look { focus_cpu, ..Look::new(width, height) };
    let desktop = run::desktop();
    let main = look(2, 1440.0, 290.0);
    out.write("timeline-desktop", || timeline_scene(&desktop, &main, 280.0, false));
    out.write("timeline-desktop-lab", || timeline_scene(&desktop, &main, 280.0, true));
    let narrow = look(2, 900.0, 230.0);
    out.write("timeline-desktop-narrow", || timeline_scene(&desktop, &narrow, 136.0, false));
    let phone = look(2, 358.0, 56.0);
    out.write("timeline-phone", || timeline_scene(&desktop, &phone, 0.0, false));
    for (name, from, to) in [
        ("timeline-zoom-ms", 85_000_000, 86_500_000),
        ("timeline-zoom-us", 85_480_000, 85_490_000),
        ("timeline-zoom-ns", 85_482_000, 85_484_000),
        ("timeline-zoom-all", 0, 100_000_000),
    ] {
        let hover = Look { hover: Some(3), ..main.clone() };
        out.write(name, || stretched(&desktop, &hover, 280.0, false, Stretch::new(from, to)));
    }
    let mut placed = run::desktop();
    placed.roles = vec![(12, "chosen, waker"), (2, "target"), (5, "prev"), (8, "recent")];
    out.write("timeline-placed", || timeline_scene(&placed, &main, 280.0, false));
    let low = look(2, 1024.0, 160.0);
    out.write("timeline-placed-low", || timeline_scene(&placed, &low, 216.0, false));
    let quad = run::quad();
    out.write("timeline-quad", || timeline_scene(&quad, &look(2, 1440.0, 190.0), 280.0, false));
    let server = run::server(16);
    out.write("timeline-256", || timeline_scene(&server, &look(33, 1440.0, 290.0), 280.0, false));
    let huge = run::server(80);
    out.write("timeline-1280", || timeline_scene(&huge, &look(33, 1440.0, 290.0), 280.0, false));
    let present = Look { present: true, ..look(2, 1328.0, 300.0) };
    out.write("timeline-present", || timeline_scene(&quad, &present, 280.0, false));
}

fn metric_pictures(out: &Out) {
    let run = fixtures::run::desktop();
    let figures = fixtures::run::metrics(&run);
    let roster = Roster { loaded: &run.loaded, moment: &run.moment };
    for (name, look) in [
        ("metrics-main", Look::new(704.0, 320.0)),
        ("metrics-phone", Look::new(358.0, 420.0)),
        ("metrics-present", Look { present: true, ..Look::new(1328.0, 620.0) }),
    ] {
        out.write(name, || metrics::layout(&figures, &roster, &look));
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let dir = args.next().expect("usage: views out-dir [name-part]");
    let out = Out { dir, part: args.next().unwrap_or_default() };
    picks(&out);
    trees(&out);
    timelines(&out);
    metric_pictures(&out);
}
