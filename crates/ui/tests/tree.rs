//! The tree picture: golden transcripts, the search step by step, and properties over random
//! queues.

mod pick_fixtures;
mod pick_sound;

use expect_test::expect_file;
use pick_fixtures::{Fixture, board, lwn, nobody, random, sole};
use pick_sound::{mark, sound, words};
use proptest::prelude::*;
use schedscope_ui::paint;
use schedscope_ui::scene::{Scene, Target};
use schedscope_ui::view::{Look, Roster, tree};

fn roster(fixture: &Fixture) -> Roster<'_> {
    Roster { loaded: &fixture.loaded, moment: &fixture.moment }
}

fn draw(fixture: &Fixture, look: &Look) -> Scene {
    tree::layout(&fixture.picture, Some(&fixture.checks), &roster(fixture), look)
}

fn main_panel() -> Look {
    Look::new(704.0, 300.0)
}

#[test]
fn golden() {
    for (name, fixture, look) in [
        ("board", board(), main_panel()),
        ("board-check-5", board(), Look { check: 4, ..main_panel() }),
        ("board-phone", board(), Look::new(358.0, 330.0)),
        ("lwn", lwn(), main_panel()),
        ("two-hundred", random(8, 200), main_panel()),
        ("nobody", nobody(), main_panel()),
        ("sole", sole(), main_panel()),
    ] {
        let scene = draw(&fixture, &look);
        let path = format!("{}/tests/tree_golden/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        expect_file![path].assert_eq(&paint::transcript(&scene));
    }
}

#[test]
fn the_search_walks_check_by_check() {
    let fixture = board();
    // Checks: V, curr G, leftmost C, E left, B left, C right, D eligible, pick.
    let numbers = |check| {
        let scene = draw(&fixture, &Look { check, ..main_panel() });
        let number = |task: u32| {
            words(&scene, &format!("tree/{task}/visit/number")).map(|n| n.parse::<u32>().unwrap())
        };
        [4, 1, 2, 3].map(number)
    };
    assert_eq!(numbers(2), [None; 4]);
    assert_eq!(numbers(3), [Some(1), None, None, None]);
    assert_eq!(numbers(4), [Some(1), Some(2), None, None]);
    assert_eq!(numbers(5), [Some(1), Some(2), Some(3), None]);
    assert_eq!(numbers(6), [Some(1), Some(2), Some(3), Some(4)]);
    assert_eq!(numbers(7), numbers(6));
}

#[test]
fn outcomes_come_with_their_checks() {
    let fixture = board();
    let said = |check, task: u32| {
        let scene = draw(&fixture, &Look { check, ..main_panel() });
        words(&scene, &format!("tree/{task}/verdict")).map(str::to_string)
    };
    assert_eq!(said(1, 2), None);
    assert_eq!(said(2, 2).as_deref(), Some("not eligible"));
    assert_eq!(said(2, 5), None);
    assert_eq!(said(3, 5).as_deref(), Some("skipped"));
    assert_eq!(said(6, 3).as_deref(), Some("eligible"));
    assert_eq!(said(7, 3).as_deref(), Some("runs next"));
}

#[test]
fn a_link_to_the_left_says_why() {
    let scene = draw(&board(), &main_panel());
    let why = words(&scene, "tree/link/1/why").unwrap().replace('\u{a0}', " ");
    assert_eq!(why, "smallest v below: V − 1.99");
    assert!(words(&scene, "tree/link/3/why").is_none(), "only links to the left");
}

#[test]
fn in_6_6_deadlines_are_on_the_gauge() {
    let mut fixture = board();
    fixture.picture.tree_key = "vruntime".into();
    fixture.picture.tree_kept = "min deadline".into();
    let scene = draw(&fixture, &main_panel());
    assert!(mark(&scene, "tree/4/own/pole").is_some());
    assert_eq!(words(&scene, "tree/low"), Some("← smaller vruntime"));
    assert_eq!(words(&scene, "tree/4/key"), Some("−1.26"));
    sound(&scene, 12.0, "6.6");
    let key = tree::key(&fixture.picture, &main_panel());
    assert_eq!(words(&key, "key/own/words"), Some("own deadline"));
}

#[test]
fn every_node_is_drawn_or_counted() {
    for n in [1usize, 2, 3, 7, 15, 16, 31, 32, 60, 200] {
        let fixture = random(n as u64, n);
        let scene = draw(&fixture, &main_panel());
        let folded: usize = scene
            .marks
            .iter()
            .filter(|mark| mark.key.ends_with("/count"))
            .map(|mark| words(&scene, &mark.key).unwrap().parse::<usize>().unwrap())
            .sum();
        let nodes = scene.marks.iter().filter(|mark| mark.key.ends_with("/gauge")).count();
        assert_eq!(nodes + folded, fixture.picture.tree.len(), "{n}");
        let pick = fixture.picture.chosen.filter(|task| fixture.picture.curr != Some(*task));
        if let Some(task) = pick {
            let shown = scene.hits.iter().any(|hit| hit.target == Target::Task(task));
            assert!(shown, "{n}: the pick has a node of its own");
        }
    }
}

/// So many cases, and no file of failures: a failing one prints its input.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn any_tree_in_any_room(
        seed in any::<u64>(),
        n in 0usize..80,
        check in 0usize..20,
        w in 300.0f32..1200.0,
        h in 240.0f32..800.0,
        present in any::<bool>(),
    ) {
        let fixture = random(seed, n);
        let w = if present { w + 500.0 } else { w };
        let look = Look { present, check, ..Look::new(w, h) };
        let floor = if present { 20.0 } else { 12.0 };
        sound(&draw(&fixture, &look), floor, &format!("{n} nodes, {look:?}"));
    }
}
