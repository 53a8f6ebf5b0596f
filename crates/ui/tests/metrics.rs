//! The metrics picture: which percentiles may be printed, and that it stays legible.

mod pick_fixtures;
mod pick_sound;

use pick_fixtures::run;
use pick_sound::{sound, words};
use proptest::prelude::*;
use schedscope_session::update::{Metrics, RowMetrics};
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
