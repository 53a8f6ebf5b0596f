//! Writes the views as SVG files, in both themes, to be looked at.
//!
//! `cargo run -p schedscope-ui --example views -- out-dir [name-part]`

#[path = "../tests/pick_fixtures/mod.rs"]
mod fixtures;

use fixtures::Fixture;
use schedscope_ui::paint;
use schedscope_ui::scene::Scene;
use schedscope_ui::theme::Theme;
use schedscope_ui::view::{Look, Roster, pick};

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
    out.write("pick-key", || pick::key(&main));
}

fn main() {
    let mut args = std::env::args().skip(1);
    let dir = args.next().expect("usage: views out-dir [name-part]");
    let out = Out { dir, part: args.next().unwrap_or_default() };
    picks(&out);
}
