//! Writes the pictures of the views as SVG files, to be looked at: `cargo run -p schedscope-ui
//! --example pictures -- DIRECTORY [FILTER [LESSONS]]`. With a directory of lessons, decisions of
//! real runs are drawn.

#[path = "../tests/support/mod.rs"]
mod support;

use std::fs;
use std::path::Path;

use schedscope_session::update::DecisionKind;
use schedscope_session::{Command, Goto, Session, Stride, Update};
use schedscope_sim::machines::Machine as Preset;
use schedscope_ui::paint::svg;
use schedscope_ui::scene::Scene;
use schedscope_ui::theme::Theme;
use schedscope_ui::view::{Drag, Look, Roster, groups as compared, machine, placement};
use support::World;

fn main() {
    let mut args = std::env::args().skip(1);
    let out = args.next().expect("a directory to write to");
    let filter = args.next().unwrap_or_default();
    let lesson_dir = args.next();
    fs::create_dir_all(&out).expect("can make the directory");
    let mut gallery = Gallery { out, filter };
    if let Some(dir) = lesson_dir {
        return lessons(&mut gallery, &dir);
    }
    machines(&mut gallery);
    placements(&mut gallery);
    groups(&mut gallery);
}

struct Gallery {
    out: String,
    filter: String,
}

impl Gallery {
    fn show(&mut self, name: &str, draw: impl FnOnce() -> Scene) {
        if !name.contains(&self.filter) {
            return;
        }
        let scene = draw();
        for (suffix, theme) in [("light", Theme::light()), ("dark", Theme::dark())] {
            let path = Path::new(&self.out).join(format!("{name}-{suffix}.svg"));
            fs::write(path, svg(&scene, &theme, name)).expect("can write");
        }
    }
}

fn machine_scene(world: &World, look: &Look) -> Scene {
    let roster = Roster { loaded: &world.loaded, moment: &world.moment };
    machine::layout(&world.loaded.machine, &world.moment, roster, look)
}

fn machines(gallery: &mut Gallery) {
    for preset in Preset::ALL {
        let world = support::filled(support::preset(preset));
        for (w, h) in [(376.0, 460.0), (688.0, 460.0), (1344.0, 800.0), (358.0, 480.0)] {
            let coarse = w == 358.0;
            let name = format!("machine-{}-{w}x{h}", preset.id());
            let look = Look { coarse, ..Look::new(w, h) };
            gallery.show(&name, || machine_scene(&world, &look));
        }
        let look = Look { load: true, ..Look::new(688.0, 460.0) };
        gallery.show(&format!("load-{}", preset.id()), || machine_scene(&world, &look));
        let look = Look { present: true, ..Look::new(1328.0, 560.0) };
        gallery.show(&format!("present-{}", preset.id()), || machine_scene(&world, &look));
    }
    for (word, machine) in [("hybrid", support::hybrid()), ("uneven", support::uneven())] {
        let world = support::filled(machine);
        for (w, h) in [(376.0, 460.0), (688.0, 460.0), (358.0, 300.0)] {
            let look = Look { coarse: w == 358.0, ..Look::new(w, h) };
            gallery.show(&format!("machine-{word}-{w}x{h}"), || machine_scene(&world, &look));
        }
    }
    let world = support::desktop();
    let look = Look {
        focus_cpu: 2,
        drag: Some(Drag { row: 3, over: Some(12), pin: true }),
        ..Look::new(376.0, 460.0)
    };
    gallery.show("drag-desktop16", || machine_scene(&world, &look));
    let world = support::zen3();
    let drag = Some(Drag { row: 2, over: Some(75), pin: true });
    for (word, lens) in [("plain", None), ("lens", Some(9)), ("lens2", Some(2))] {
        let look = Look { focus_cpu: 33, drag, lens, ..Look::new(376.0, 400.0) };
        gallery.show(&format!("drag-zen3-{word}"), || machine_scene(&world, &look));
    }
}

fn placements(gallery: &mut Gallery) {
    let worlds = [
        ("zen3", support::zen3()),
        ("desktop", support::desktop()),
        ("far", support::zen3_far()),
        ("q6600", support::q6600()),
        ("power10", support::power10()),
    ];
    for (name, world) in &worlds {
        let roster = Roster { loaded: &world.loaded, moment: &world.moment };
        let (machine, decision) = (&world.loaded.machine, &world.moment.decisions[0]);
        let mut show = |name: String, look: Look| {
            gallery
                .show(&name, || placement::scene(decision, machine, &world.moment, roster, &look));
        };
        for (w, h) in [(646.0, 440.0), (358.0, 330.0), (1000.0, 620.0)] {
            let look = Look { coarse: w == 358.0, ..Look::new(w, h) };
            show(format!("place-{name}-{w}x{h}"), look);
        }
        for check in 0..decision.checks.len() {
            let look = Look { check, ..Look::new(646.0, 440.0) };
            show(format!("step-{name}-{check}"), look);
        }
        for probe in 0..4 {
            let look = Look { check: 6, probe, ..Look::new(646.0, 440.0) };
            show(format!("probe-{name}-{probe}"), look);
        }
        let look = Look { present: true, ..Look::new(1328.0, 560.0) };
        show(format!("placepresent-{name}"), look);
    }
    for by_core in [false, true] {
        let world = support::search(support::hybrid(), [1, 9, 4, 20], 14, by_core, 100);
        let roster = Roster { loaded: &world.loaded, moment: &world.moment };
        let (m, decision) = (&world.loaded.machine, &world.moment.decisions[0]);
        let look = Look::new(646.0, 460.0);
        gallery.show(&format!("place-hybrid-{by_core}"), || {
            placement::scene(decision, m, &world.moment, roster, &look)
        });
    }
    gallery.show("key", || placement::key(&Look::new(646.0, 40.0)));
}

fn groups(gallery: &mut Gallery) {
    for (name, world) in [("fork", support::fork()), ("balance", support::balance())] {
        let roster = Roster { loaded: &world.loaded, moment: &world.moment };
        let decision = &world.moment.decisions[0];
        let mut show = |name: String, look: Look| {
            gallery.show(&name, || compared::layout(decision, roster, &look));
        };
        for (w, h) in [(704.0, 420.0), (408.0, 420.0), (358.0, 420.0)] {
            show(format!("groups-{name}-{w}x{h}"), Look::new(w, h));
        }
        let look = Look { check: 1, ..Look::new(704.0, 420.0) };
        show(format!("groups-{name}-step1"), look);
        let look = Look { present: true, ..Look::new(1328.0, 600.0) };
        show(format!("groups-{name}-present"), look);
    }
}

/// Decisions of real runs: the first few of each kind in each lesson.
fn lessons(gallery: &mut Gallery, dir: &str) {
    let mut paths: Vec<_> = fs::read_dir(dir)
        .expect("lessons")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    paths.sort();
    for path in paths {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("can read");
        let mut session = Session::new();
        let Update::Loaded(loaded) = session.handle(Command::Load { text }) else {
            eprintln!("{stem}: refused");
            continue;
        };
        session.handle(Command::Run { steps: 200_000 });
        let kinds = [
            (DecisionKind::Placement, "wake", 12),
            (DecisionKind::ForkPlacement, "fork", 3),
            (DecisionKind::Balance, "balance", 3),
        ];
        for (kind, word, most) in kinds {
            let mut step = 0;
            for i in 0..most {
                let goto = Goto::Next(Stride::Kind(kind), step);
                let update = session.handle(Command::Show { goto, focus: 0 });
                let Update::Moment(moment) = update else { break };
                if moment.step == step {
                    break;
                }
                step = moment.step;
                let Some(number) = moment.decisions.iter().position(|d| d.kind == kind) else {
                    continue;
                };
                let decision = &moment.decisions[number];
                let roster = Roster { loaded: &loaded, moment: &moment };
                let look = Look { decision: number, ..Look::new(646.0, 440.0) };
                let name = format!("real-{stem}-{word}-{i}");
                println!(
                    "{name}: {} | {} | {}",
                    decision.cause, decision.heading, decision.sentence
                );
                for row in placement::rows(decision, &loaded.machine, (look.check, look.probe)) {
                    let strip = placement::rows::strip_text(&row.strip);
                    println!("    {} {} | {} {strip}", row.number, row.title, row.result);
                }
                gallery.show(&name, || match kind {
                    DecisionKind::Placement => {
                        placement::scene(decision, &loaded.machine, &moment, roster, &look)
                    }
                    _ => compared::layout(decision, roster, &look),
                });
            }
        }
    }
}
