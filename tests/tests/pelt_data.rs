//! Load tracking against the specification's `pelt.json`: constants, table, rise and decay.

use std::fs::File;
use std::path::Path;

use schedscope_sim::pelt::{Avg, Feed, TaskAvg, decay};
use serde_json::Value;

const MS: u64 = 1_000_000;

fn load() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/pelt.json");
    serde_json::from_reader(File::open(&path).expect("the file is here")).expect("it is JSON")
}

fn rows(value: &Value) -> Vec<Vec<u64>> {
    Value::as_array(value)
        .expect("rows")
        .iter()
        .map(|row| row.as_array().expect("a row").iter().map(|v| v.as_u64().expect("u")).collect())
        .collect()
}

#[test]
fn table_and_constants() {
    let file = load();
    // decay() by n periods of 2^32 is the table itself.
    for (n, expect) in file["yN_inv"].as_array().expect("a table").iter().enumerate() {
        let n = n as u64;
        assert_eq!(decay(1 << 32, n), expect.as_u64().expect("u"), "{n}");
    }
    assert_eq!(decay(u64::MAX, 2017), 0);
    assert_eq!(Avg::default().divider(), file["PELT_MIN_DIVIDER"]);
    // A run of many periods at once sums to LOAD_AVG_MAX, less the period that now begins.
    let mut avg = Avg::default();
    avg.update(5000 << 20, Feed { load: 1, runnable: 1, running: true }, 1);
    assert_eq!(avg.load_sum + 1024, file["LOAD_AVG_MAX"].as_u64().expect("u"));
}

#[test]
fn rise_and_decay() {
    let file = load();
    let mut task = TaskAvg { attached: true, ..TaskAvg::default() };
    for row in rows(&file["util_from_zero_always_running_ms"]) {
        task.update(row[0] * MS, 1024, true, true);
        assert_eq!([task.avg.util_avg, task.avg.load_avg], row[1..], "after {} ms", row[0]);
        // On a queue of its own it is the queue.
        assert_eq!(task.avg.runnable_avg, task.avg.util_avg);
    }
    for row in rows(&file["util_decay_after_345ms_of_running"]) {
        // One update for the whole sleep, as at the enqueue after it.
        let mut woken = task;
        woken.update((345 + row[0]) * MS, 1024, false, false);
        assert_eq!(woken.avg.util_avg, row[1], "{} ms asleep", row[0]);
    }
}
