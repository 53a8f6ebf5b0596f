//! The placements of the design board as transcripts: Zen 3 at NPS4 with a scan and its budget, the
//! Q6600, Power10 and the desktop; on large machines the layer above the cells.

mod support;

use expect_test::{ExpectFile, expect, expect_file};
use schedscope_ui::paint::transcript;
use schedscope_ui::scene::Scene;
use schedscope_ui::view::placement::{self, Glyph, Reveal};
use schedscope_ui::view::{Look, Roster, groups, machine};
use support::World;

fn roster(world: &World) -> Roster<'_> {
    Roster { loaded: &world.loaded, moment: &world.moment }
}

/// Without the lines on what can be pointed at and, on a large machine, its many labels.
fn check(scene: &Scene, expected: ExpectFile) {
    let text = transcript(scene);
    let marks: Vec<&str> = text.lines().filter(|line| !line.starts_with("hit ")).collect();
    expected.assert_eq(&(marks.join("\n") + "\n"));
}

fn placement(world: &World, look: &Look) -> Scene {
    let decision = &world.moment.decisions[0];
    let layout =
        placement::layout(decision, &world.loaded.machine, &world.moment, roster(world), look);
    if world.moment.cpus.len() >= machine::CANVAS_CPUS { layout.overlay } else { layout.merged() }
}

#[test]
fn zen3_with_a_scan_and_its_budget() {
    let look = Look::new(646.0, 440.0);
    check(&placement(&support::zen3(), &look), expect_file!["transcripts/place-zen3.txt"]);
}

#[test]
fn zen3_while_the_scan_has_looked_at_one_cpu() {
    let look = Look { check: 7, probe: 1, ..Look::new(646.0, 440.0) };
    check(&placement(&support::zen3(), &look), expect_file!["transcripts/place-zen3-probe.txt"]);
}

#[test]
fn q6600_where_nothing_is_scanned() {
    let look = Look::new(646.0, 440.0);
    check(&placement(&support::q6600(), &look), expect_file!["transcripts/place-q6600.txt"]);
}

#[test]
fn power10_where_an_llc_is_half_a_core() {
    let look = Look::new(646.0, 440.0);
    check(&placement(&support::power10(), &look), expect_file!["transcripts/place-power10.txt"]);
}

#[test]
fn desktop_where_the_core_scan_wraps() {
    let look = Look::new(646.0, 440.0);
    check(&placement(&support::desktop(), &look), expect_file!["transcripts/place-desktop.txt"]);
}

#[test]
fn a_fork_from_the_sockets_down_to_a_core() {
    let world = support::fork();
    let look = Look::new(704.0, 420.0);
    let scene = groups::layout(&world.moment.decisions[0], roster(&world), &look);
    check(&scene, expect_file!["transcripts/groups-fork.txt"]);
}

#[test]
fn a_machine_in_words() {
    let world = support::zen3();
    let m = &world.loaded.machine;
    let look = Look { check: 3, ..Look::new(646.0, 440.0) };
    let table = machine::table(m, &world.moment, roster(&world), &look);
    expect!["33|33|4|2|P||0"].assert_eq(&table[33].join("|"));
    let look = Look::new(646.0, 440.0);
    let lines = machine::readout(m, &world.moment, roster(&world), &look, 33);
    let lines: Vec<String> = lines.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    expect![[r#"
        CPU: 33
        core: 33, with 161
        LLC: 4, 16 CPUs
        node: 2
        runs: P producer
        waits: Q
        util: 0 of 1024
        clock: 3.4 GHz"#]]
    .assert_eq(&lines.join("\n"));
}

/// Rows as a list shows them.
fn list(world: &World, at: (usize, usize)) -> String {
    let rows = placement::rows(&world.moment.decisions[0], &world.loaded.machine, at);
    rows.iter()
        .map(|row| {
            let when = match row.reveal {
                Reveal::Past => ' ',
                Reveal::Current => '>',
                Reveal::Future => '?',
            };
            let glyph = match row.glyph {
                Glyph::None => "",
                Glyph::Square => "□ ",
                Glyph::Circle => "○ ",
                Glyph::Dot => "● ",
            };
            let grey = if row.skipped { " (skipped)" } else { "" };
            let strip = placement::rows::strip_text(&row.strip);
            let line = format!("{when} {} {}{grey}: {glyph}{}", row.number, row.title, row.result);
            format!("{line} [{strip}] {}", row.kernel).replace(" [] ", " ").trim_end().to_owned()
        })
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn rows_name_questions_until_they_are_answered() {
    expect![[r#"
          1 Waker's CPU or prev: which is the target?: target CPU 33
        > 2 Is target CPU 33 idle?: □ busy: P available_idle_cpu(33)
        ? 3 Is prev CPU 35 idle, same LLC?:
        ? 4 Is the waker a per-CPU kthread?:
        ? 5 Is recently used CPU 163 idle?:
        ? 6 Does this LLC claim an idle core?:
        ? 7 Is an SMT sibling of prev CPU 35 idle?:
        ? 8 Scan the LLC for an idle CPU:
        ? 9 Result:"#]]
    .assert_eq(&list(&support::zen3(), (1, usize::MAX)));
    expect![[r#"
          1 Waker's CPU or prev: which is the target?: target CPU 33
          2 Is target CPU 33 idle?: □ busy: P
          3 Is prev CPU 35 idle, same LLC?: □ busy: J43
          4 Is the waker a per-CPU kthread?: no
          5 Is recently used CPU 163 idle?: □ busy: J51
          6 Does this LLC claim an idle core?: no
          7 Is an SMT sibling of prev CPU 35 idle?: □ 163 busy
        > 8 Scan for an idle CPU from CPU 34, wrapping:  [34 35] __select_idle_cpu()
        ? 9 Result:"#]]
    .assert_eq(&list(&support::zen3(), (7, 2)));
    expect![[r#"
          1 Waker's CPU or prev: which is the target?: target CPU 33
          2 Is target CPU 33 idle?: □ busy: P
          3 Is prev CPU 35 idle, same LLC?: □ busy: J43
          4 Is the waker a per-CPU kthread?: no
          5 Is recently used CPU 163 idle?: □ busy: J51
          6 Does this LLC claim an idle core?: no
          7 Is an SMT sibling of prev CPU 35 idle?: □ 163 busy
          8 Scan for an idle CPU from CPU 34, wrapping: 3 of 3 [34 35 36]
        > 9 Scan budget spent: ● stay on CPU 33 sd_share->nr_idle_scan = 3"#]]
    .assert_eq(&list(&support::zen3(), (8, usize::MAX)));
    expect![[r#"
        > 1 Waker's CPU or prev: which is the target?: target CPU 0 wake_affine()
        ? 2 Is target CPU idle?:
        ? 3 Is the previous CPU idle?:
        ? 4 Is the waker a per-CPU kthread?:
        ? 5 Result:"#]]
    .assert_eq(&list(&support::q6600(), (0, usize::MAX)));
}
