//! The metrics picture: which percentiles may be printed, and that it stays legible.

mod pick_fixtures;
mod pick_sound;

use pick_fixtures::run;
use pick_sound::{sound, words};
use proptest::prelude::*;
use schedscope_session::update::{CpuMetrics, Metrics, RowMetrics};
use schedscope_ui::view::{Look, Roster, metrics};

#[test]
fn no_percentile_without_enough_samples() {
    let row = |n: usize| RowMetrics {
        wakeups: n as u64,
        samples: vec![5; n],
        latency: vec![(5000, 5), (9900, 6), (9990, 7)],
        ..RowMetrics::default()
    };
    assert_eq!(metrics::percentile(&row(0), 5000), None);
    assert_eq!(metrics::percentile(&row(1), 5000), Some(5));
    assert_eq!(metrics::percentile(&row(99), 9900), None);
    assert_eq!(metrics::percentile(&row(100), 9900), Some(6));
    assert_eq!(metrics::percentile(&row(999), 9990), None);
    assert_eq!(metrics::percentile(&row(1000), 9990), Some(7));
}

#[test]
fn rows_without_wakeups_are_left_out() {
    let run = run::desktop();
    let figures = run::metrics(&run);
    let roster = Roster { loaded: &run.loaded, moment: &run.moment };
    let scene = metrics::layout(&figures, &roster, &Look::new(704.0, 320.0));
    let names: Vec<&str> =
        (0..11).filter_map(|i| words(&scene, &format!("metrics/{i}/name"))).collect();
    assert!(!names.contains(&"encoder") && names.contains(&"audio"), "{names:?}");
    let table = metrics::table(&figures, &roster);
    assert_eq!(table.len(), figures.rows.len());
    assert_eq!(table.last().unwrap().name, "all");
    assert!(table.iter().all(|row| row.cells.len() + 1 == metrics::TITLES.len()));
    let empty = metrics::layout(&Metrics::default(), &roster, &Look::new(340.0, 300.0));
    assert!(words(&empty, "metrics/empty/0").is_some());
}

/// So many cases, and no file of failures: a failing one prints its input.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn legible_at_any_size(w in 288.0f32..1000.0, h in 240.0f32..700.0, present in any::<bool>()) {
        let run = run::desktop();
        let figures = run::metrics(&run);
        let roster = Roster { loaded: &run.loaded, moment: &run.moment };
        let look = Look { present, ..Look::new(if present { w + 600.0 } else { w }, h) };
        let floor = if present { 20.0 } else { 12.0 };
        sound(&metrics::layout(&figures, &roster, &look), floor, &format!("{look:?}"));
    }
}

/// The figures under a governor: clocks that vary, lags of two rows.
fn varied(run: &run::Run) -> Metrics {
    let mut figures = run::metrics(run);
    figures.upto = 98_000_000;
    figures.clocks_vary = true;
    figures.top_khz = 4_000_000;
    figures.cpus = (0..run.loaded.machine.cpus.len() as u64)
        .map(|cpu| CpuMetrics {
            busy: 10_000_000 + cpu * 1_000_000,
            work: 5_000_000,
            switches: cpu,
            residency: [1_000_000; 10],
        })
        .collect();
    let lag =
        |i: i64, sign: i64| (i as u64 * 380_000, sign * i * 20_000, sign * i * 20_000 + 9_000);
    figures.rows[0].lag = (0..200).map(|i| lag(i, 1)).collect();
    figures.rows[4].lag = (20..90).map(|i| lag(i, -1)).collect();
    figures
}

#[test]
fn lags_and_clocks_are_small_multiples() {
    let run = run::desktop();
    let figures = varied(&run);
    let roster = Roster { loaded: &run.loaded, moment: &run.moment };
    let scene = metrics::layout(&figures, &roster, &Look::new(752.0, 420.0));
    sound(&scene, 12.0, "small multiples");
    assert!(words(&scene, "metrics/title/lag").is_some_and(|words| words.starts_with("lag")));
    assert!(words(&scene, "metrics/clock/0/name").is_some_and(|words| words.contains("GHz")));
    // A row that never woke is shown for its lag, and says so.
    assert!((0..11).any(|i| words(&scene, &format!("metrics/{i}/silent")).is_some()));
    let machine = metrics::machine_table(&figures, &roster);
    assert_eq!(machine.len(), run.loaded.machine.llcs.len());
    assert_eq!(machine[0][1], "16");
}

#[test]
fn two_runs_are_compared_figure_by_figure() {
    let run = run::desktop();
    let (first, mut second) = (varied(&run), varied(&run));
    let roster = Roster { loaded: &run.loaded, moment: &run.moment };
    assert!(
        metrics::compare(&first, &second, &roster)
            .iter()
            .all(|c| c.ratio == "same" || c.ratio.is_empty())
    );
    let all = second.rows.last_mut().expect("one for all");
    all.involuntary = 932;
    all.wakeups = 1;
    let lines = metrics::compare(&first, &second, &roster);
    let of = |name: &str| lines.iter().find(|line| line.name == name).expect("it is compared");
    let preemptions = of("preemptions");
    assert_eq!(
        (&*preemptions.first, &*preemptions.second, &*preemptions.ratio),
        ("466", "932", "× 2.00")
    );
    // Nothing is by nothing.
    assert_eq!(of("wakeups").ratio, "");
}

#[test]
fn two_runs_are_drawn_in_pairs_on_one_scale() {
    let run = run::desktop();
    let (first, mut second) = (varied(&run), varied(&run));
    second.rows[0].samples = vec![900_000_000];
    let roster = Roster { loaded: &run.loaded, moment: &run.moment };
    for width in [340.0, 752.0] {
        let look = Look::new(width, 420.0);
        let pair = metrics::Pair { metrics: &second, kernels: ["6.12", "4.19"] };
        let one = metrics::layout(&first, &roster, &look);
        let two = metrics::layout_pair(&first, Some(pair), &roster, &look);
        sound(&two, 12.0, &format!("a pair at {width}"));
        let tasks = |scene: &schedscope_ui::scene::Scene| {
            scene.hits.iter().filter(|hit| hit.label.contains("CPU time")).count()
        };
        assert_eq!(tasks(&two), 2 * tasks(&one));
        let labels: Vec<&str> = two.hits.iter().map(|hit| hit.label.as_str()).collect();
        assert!(labels[0].starts_with("6.12, ") && labels[1].starts_with("4.19, "), "{labels:?}");
        // A second of the second run is on the axis of both.
        let line = |scene: &schedscope_ui::scene::Scene| {
            scene.marks.iter().any(|mark| mark.key == "metrics/grid/9")
        };
        assert!(line(&two) && !line(&one), "{width}");
    }
}
