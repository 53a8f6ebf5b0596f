//! The pick picture: golden transcripts, what it shows when, and properties over random queues.

mod pick_fixtures;
mod pick_sound;

use expect_test::expect_file;
use pick_fixtures::{Fixture, board, cfs, forty, lwn, nobody, random, sole, two};
use pick_sound::{bounds, mark, sound, words};
use proptest::prelude::*;
use schedscope_ui::paint;
use schedscope_ui::scene::{Scene, Target};
use schedscope_ui::view::axis::{AxisMemory, Domain, VirtualAxis};
use schedscope_ui::view::{Look, Roster, pick};

fn draw(fixture: &Fixture, look: &Look) -> Scene {
    pick::layout(&fixture.picture, Some(&fixture.checks), &roster(fixture), look)
}

fn roster(fixture: &Fixture) -> Roster<'_> {
    Roster { loaded: &fixture.loaded, moment: &fixture.moment }
}

fn main_panel() -> Look {
    Look::new(704.0, 330.0)
}

#[test]
fn golden() {
    let phone = Look { coarse: true, ..Look::new(358.0, 420.0) };
    let present = Look { present: true, ..Look::new(1328.0, 580.0) };
    for (name, fixture, look) in [
        ("two", two(), main_panel()),
        ("lwn", lwn(), main_panel()),
        ("board", board(), main_panel()),
        ("board-check-3", board(), Look { check: 2, ..main_panel() }),
        ("board-phone", board(), phone),
        ("board-present", board(), present),
        ("cfs", cfs(), main_panel()),
        ("forty", forty(), main_panel()),
        ("nobody", nobody(), main_panel()),
        ("sole", sole(), main_panel()),
    ] {
        let scene = draw(&fixture, &look);
        let path = format!("{}/tests/pick_golden/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        expect_file![path].assert_eq(&paint::transcript(&scene));
    }
}

#[test]
fn nothing_is_chosen_before_its_check() {
    let fixture = board();
    let last = fixture.checks.len() - 1;
    for check in 0..=last {
        let scene = draw(&fixture, &Look { check, ..main_panel() });
        let said = words(&scene, "pick/3/note");
        assert_eq!(said == Some("runs next"), check == last, "check {check}: {said:?}");
        let earlier = words(&scene, "pick/6/note") == Some("earlier, but not eligible");
        assert_eq!(earlier, check == last);
    }
}

#[test]
fn a_check_lights_its_own_lane() {
    let fixture = board();
    let scene = draw(&fixture, &Look { check: 2, ..main_panel() });
    let lit: Vec<_> = scene.marks.iter().filter(|mark| mark.key.ends_with("/current")).collect();
    assert_eq!(lit.len(), 1);
    assert_eq!(lit[0].key, "pick/2/current");
    assert_eq!(words(&scene, "pick/2/note"), Some("earliest, but not eligible"));
    // V concerns everybody: nobody is pointed at.
    let scene = draw(&fixture, &Look { check: 0, ..main_panel() });
    assert!(!scene.marks.iter().any(|mark| mark.key.ends_with("/current")));
}

#[test]
fn stepping_moves_no_lane() {
    let fixture = board();
    let bars = |check| {
        let scene = draw(&fixture, &Look { check, ..main_panel() });
        let bars = scene.marks.iter().filter(|mark| mark.key.ends_with("/bar"));
        bars.map(|mark| (mark.key.clone(), mark.shape.clone())).collect::<Vec<_>>()
    };
    assert!((1..8).all(|check| bars(check) == bars(0)));
}

#[test]
fn text_is_dropped_not_shrunk() {
    let fixture = board();
    let titles = |width: f32| {
        let scene = draw(&fixture, &Look::new(width, 330.0));
        let titles = ["weight", "lag, ms", "deadline, ms", "deadline", "task"];
        let has = |t: &&str| words(&scene, &format!("pick/title/{t}")).is_some();
        titles.into_iter().filter(has).collect::<Vec<_>>()
    };
    assert_eq!(titles(704.0), ["weight", "lag, ms", "deadline, ms", "task"]);
    assert_eq!(titles(520.0), ["lag, ms", "deadline, ms", "task"]);
    assert_eq!(titles(340.0), ["deadline"]);
}

#[test]
fn the_rest_folds_and_opens() {
    let fixture = forty();
    let folded = draw(&fixture, &main_panel());
    let lanes = |scene: &Scene| {
        scene.hits.iter().filter(|hit| matches!(hit.target, Target::Task(_))).count()
    };
    let said = words(&folded, "pick/fold/text").unwrap();
    let hidden: usize = said.split(' ').next().unwrap().parse().unwrap();
    assert_eq!(lanes(&folded) + hidden, 40);
    let path = fixture.picture.walk.iter().map(|step| step.task);
    for task in path.chain(fixture.picture.chosen).chain(fixture.picture.curr) {
        let has = folded.hits.iter().any(|hit| hit.target == Target::Task(task));
        assert!(has, "task {task} is on the path and keeps its lane");
    }
    let extra = pick::Extra { open: true, ..pick::Extra::default() };
    let open = pick::layout_with(&fixture.picture, &extra, &roster(&fixture), &main_panel());
    assert_eq!(lanes(&open), 40);
    assert_eq!(words(&open, "pick/fold/text"), Some("show fewer"));
    assert!(open.height > 40.0 * 24.0);
    sound(&open, 12.0, "open");
}

#[test]
fn a_flag_out_of_reach_is_an_open_arrow_and_its_number_stays() {
    let scene = draw(&board(), &main_panel());
    assert!(mark(&scene, "pick/5/later").is_some());
    assert!(mark(&scene, "pick/5/flag/pole").is_none());
    assert_eq!(words(&scene, "pick/5/deadline"), Some("+28.59"));
}

#[test]
fn cfs_has_neither_v_nor_deadlines() {
    let scene = draw(&cfs(), &main_panel());
    sound(&scene, 12.0, "cfs");
    assert!(mark(&scene, "pick/eligible").is_none());
    assert!(
        !scene.marks.iter().any(|mark| mark.key.contains("/flag") || mark.key.contains("/lag"))
    );
    assert_eq!(words(&scene, "pick/tick/0/label"), Some("min"));
    assert_eq!(words(&scene, "pick/7/vruntime"), Some("0.00"));
    assert_eq!(words(&scene, "pick/7/note"), Some("runs next"));
    let first = draw(&cfs(), &Look { check: 0, ..main_panel() });
    assert_eq!(words(&first, "pick/7/note"), Some("smallest vruntime"));
}

#[test]
fn what_if_keeps_the_old_bar_dashed() {
    let fixture = board();
    let old = fixture.picture.rows.iter().find(|row| row.task == 7).copied();
    let mut picture = fixture.picture.clone();
    for row in picture.rows.iter_mut().filter(|row| row.task == 7) {
        (row.weight, row.vruntime, row.deadline) = (9548, -210_000, 750_000);
    }
    picture.chosen = Some(7);
    let domain = Some(Domain::of(&fixture.picture.rows));
    let extra = pick::Extra { what_if: old, domain, ..pick::Extra::default() };
    let scene = pick::layout_with(&picture, &extra, &roster(&fixture), &main_panel());
    assert!(mark(&scene, "pick/7/ghost").is_some());
    assert!(words(&scene, "pick/7/before").is_some());
    sound(&scene, 12.0, "what if");
}

#[test]
fn a_learner_sees_the_own_answer_and_why_it_fails() {
    let fixture = board();
    let extra = |checks| pick::Extra { checks, answer: Some(2), ..pick::Extra::default() };
    let draw = |checks, check| {
        let look = Look { check, ..main_panel() };
        pick::layout_with(&fixture.picture, &extra(checks), &roster(&fixture), &look)
    };
    let checks = Some(fixture.checks.as_slice());
    let before = draw(checks, 0);
    assert_eq!(words(&before, "pick/2/note"), Some("your answer so far"));
    let after = draw(checks, usize::MAX);
    let said = words(&after, "pick/2/note").unwrap();
    assert!(said.starts_with("your answer"), "{said}");
    assert_eq!(words(&after, "pick/3/note"), Some("runs next"));
}

#[test]
fn a_frozen_axis_stays_where_it_is() {
    let fixture = board();
    let mut memory = AxisMemory::default();
    let frozen = memory.domain(7, 0, &fixture.picture);
    let tint = |domain| {
        let extra = pick::Extra { domain, ..pick::Extra::default() };
        let scene = pick::layout_with(&fixture.picture, &extra, &roster(&fixture), &main_panel());
        bounds(mark(&scene, "pick/eligible").unwrap())
    };
    assert_eq!(tint(Some(frozen)), tint(None), "remembered is as if fresh");
    let near = tint(Some(frozen.zoomed(2.0)));
    assert_eq!(near.x, tint(None).x);
}

#[test]
fn the_table_has_the_same_figures() {
    let fixture = board();
    let (checks, last) = (Some(fixture.checks.as_slice()), fixture.checks.len() - 1);
    let table = pick::table(&fixture.picture, checks, last, &roster(&fixture));
    let first = table[0].cells().map(|cell| cell.replace(['\u{a0}', '\u{202f}'], " "));
    assert_eq!((table[0].name.as_str(), table[0].label.as_str()), ("compositor", "C"));
    // V is the floor of the mean, so the last digits may differ by the rounding of the fixture.
    assert!(first[2].starts_with("+0.3") && first[3].starts_with("−0.3"), "{first:?}");
    assert_eq!(
        ["", "1 586", "3.00", "no"],
        [&first[0], &first[1], &first[4], &first[6]].map(|s| s.as_str())
    );
    assert!(table[2].state == "runs next" && table[2].picked);
    let before = pick::table(&fixture.picture, checks, 0, &roster(&fixture));
    assert!(before.iter().all(|row| !row.picked && row.state != "runs next"));
}

fn check_all(fixture: &Fixture, look: &Look) {
    let what = format!("{} tasks on {look:?}", fixture.picture.rows.len());
    let scene = draw(fixture, look);
    sound(&scene, if look.present { 20.0 } else { 12.0 }, &what);
    if fixture.picture.rows.is_empty() {
        return;
    }
    // Every task in exactly one lane, or in the summary.
    let mut lanes: Vec<u32> = Vec::new();
    for hit in &scene.hits {
        if let Target::Task(task) = hit.target {
            lanes.push(task);
        }
    }
    let hidden = words(&scene, "pick/fold/text")
        .map_or(0, |said| said.split(' ').next().unwrap().parse::<usize>().unwrap());
    assert_eq!(lanes.len() + hidden, fixture.picture.rows.len(), "{what}");
    // In deadline order.
    let deadline =
        |task: &u32| fixture.picture.rows.iter().find(|row| row.task == *task).unwrap().deadline;
    assert!(lanes.is_sorted_by_key(deadline), "{what}");
    // The tint ends exactly at V.
    let tint = bounds(mark(&scene, "pick/eligible").unwrap());
    let v = bounds(mark(&scene, "pick/v").unwrap());
    assert_eq!(tint.right(), v.x, "{what}");
    // The picked one is lit, and only that.
    let lit: Vec<&str> = scene
        .marks
        .iter()
        .filter(|mark| mark.key.ends_with("/current"))
        .map(|mark| mark.key.as_str())
        .collect();
    let chosen = fixture.picture.chosen.map(|task| format!("pick/{task}/current"));
    assert_eq!(lit, chosen.iter().map(String::as_str).collect::<Vec<_>>(), "{what}");
    // Filled means eligible, and an eligible dot is never right of V.
    for row in fixture.picture.rows.iter().filter(|row| lanes.contains(&row.task)) {
        let ground = mark(&scene, &format!("pick/{}/bar/ground", row.task)).is_some();
        let beyond = mark(&scene, &format!("pick/{}/bar", row.task)).is_none();
        assert!(beyond || ground != row.eligible, "{what}");
        if let Some(dot) = mark(&scene, &format!("pick/{}/dot", row.task)) {
            let x = bounds(dot).centre().x;
            assert!(if row.eligible { x <= v.x + 0.01 } else { x >= v.x - 0.01 }, "{what}");
        }
    }
}

fn looks() -> impl Strategy<Value = Look> {
    prop_oneof![
        (340.0f32..1000.0, 300.0f32..700.0).prop_map(|(w, h)| Look::new(w, h)),
        (288.0f32..420.0, 260.0f32..500.0)
            .prop_map(|(w, h)| Look { coarse: true, ..Look::new(w, h) }),
        (900.0f32..1800.0, 420.0f32..900.0)
            .prop_map(|(w, h)| Look { present: true, ..Look::new(w, h) }),
    ]
}

/// So many cases, and no file of failures: a failing one prints its input.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn any_queue_in_any_room(seed in any::<u64>(), n in 0usize..60, look in looks()) {
        check_all(&random(seed, n), &look);
    }

    #[test]
    fn any_check_of_any_queue(
        seed in any::<u64>(),
        n in 0usize..24,
        check in 0usize..20,
        look in looks(),
    ) {
        let fixture = random(seed, n);
        let look = Look { check, hover: Some(2), selected: Some(1), ..look };
        sound(&draw(&fixture, &look), 12.0, "a check");
    }

    #[test]
    fn any_values_at_all(
        values in prop::collection::vec((any::<i64>(), any::<i64>(), 0u32..), 1..20),
    ) {
        let mut fixture = random(1, values.len());
        for (row, (vruntime, deadline, weight)) in fixture.picture.rows.iter_mut().zip(values) {
            row.vruntime = vruntime >> 2;
            row.deadline = deadline >> 2;
            row.lag = -row.vruntime;
            row.weight = weight;
            row.eligible = row.vruntime <= 0;
        }
        sound(&draw(&fixture, &main_panel()), 12.0, "any values");
    }

    #[test]
    fn x_grows_with_virtual_time(
        low in -1i64 << 50..-1,
        high in 1i64..1 << 50,
        a in any::<i64>(),
        b in any::<i64>(),
    ) {
        let axis = VirtualAxis { domain: Domain { low, high, step: 1 }, left: 100.0, right: 500.0 };
        prop_assert!(axis.x_inside(a.min(b)) <= axis.x_inside(a.max(b)));
    }
}
