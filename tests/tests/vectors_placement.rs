//! Every placement vector, whole files, against the engine.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use schedscope_vectors::Outcome;
use schedscope_vectors::placement::{self, sequence};
use serde_json::Value;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/placement").join(name)
}

/// All lines of the file pass, and there are so many.
#[track_caller]
fn check(name: &str, lines: usize) {
    let report = schedscope_vectors::check_file(&path(name)).expect("the file is here");
    let shown: Vec<String> = report.failures.iter().take(5).map(ToString::to_string).collect();
    assert_eq!(report.failed, 0, "{name}: {} passed\n{}", report.passed, shown.join("\n"));
    assert_eq!(report.passed, lines, "{name}");
}

#[test]
fn wakeups_of_4_7() {
    check("sis-v4.7.jsonl.gz", 1000);
}

#[test]
fn wakeups_of_4_15() {
    check("sis-v4.15.jsonl.gz", 1000);
}

#[test]
fn wakeups_of_4_19() {
    check("sis-v4.19.jsonl.gz", 1000);
}

#[test]
fn wakeups_of_5_15() {
    check("sis-v5.15.jsonl.gz", 1000);
}

#[test]
fn wakeups_of_6_6() {
    check("sis-v6.6.jsonl.gz", 1000);
}

#[test]
fn wakeups_of_6_12() {
    check("sis-v6.12.jsonl.gz", 1000);
}

/// The rules between 4.15 and 4.19 one by one are switches: either kernel with those of the other
/// places as the other does, in every case recorded.
#[test]
fn rules_between_4_15_and_4_19() {
    for name in ["sis-v4.15.jsonl.gz", "sis-v4.19.jsonl.gz"] {
        let file = File::open(path(name)).expect("the file is here");
        let mut checked = 0;
        for line in BufReader::new(MultiGzDecoder::new(file)).lines() {
            let line: Value = serde_json::from_str(&line.expect("gzip")).expect("JSON");
            match placement::check_by_rules(line).expect("a wakeup") {
                None => {}
                Some(Outcome::Passed { .. }) => checked += 1,
                Some(Outcome::Failed(failure)) => panic!("{name}: {failure}"),
            }
        }
        assert!(checked > 900, "{name}: {checked}");
    }
}

#[test]
fn nr_idle_scan() {
    check("nr-idle-scan.jsonl.gz", 2549);
}

#[test]
fn idle_entries() {
    check("update-idle-core.jsonl.gz", 375);
}

/// The specification's table: LLC size, utilisation in percent, sum, result.
#[test]
fn nr_idle_scan_by_utilisation() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sis_util.json");
    let table: Value =
        serde_json::from_reader(File::open(path).expect("the file is here")).expect("JSON");
    let rows: Vec<[u64; 4]> = serde_json::from_value(table["rows"].clone()).expect("rows");
    let pct = table["imbalance_pct"].as_u64().expect("a figure") as u32;
    for [llc, percent, util, expected] in rows {
        let got = schedscope_sim::place::idle::nr_idle_scan(util, llc as u32, pct);
        assert_eq!(u64::from(got), expected, "LLC {llc} at {percent} %");
    }
}

/// Each step alone, and each summary by simulating its sequence.
#[test]
fn sequences_line_by_line() {
    check("pingpong.jsonl.gz", 3854);
}

/// Whole sequences with the carried state: every recorded field before and after every step.
#[test]
fn sequences_with_carried_state() {
    let file = File::open(path("pingpong.jsonl.gz")).expect("the file is here");
    let mut runs = BTreeMap::new();
    let mut checked = 0;
    for line in BufReader::new(MultiGzDecoder::new(file)).lines() {
        let line: Value = serde_json::from_str(&line.expect("gzip")).expect("JSON");
        if line["type"] != "step" {
            continue;
        }
        let name = line["seq"].as_str().expect("a name").to_owned();
        let index = line["step"].as_u64().expect("an index") as usize;
        let run = runs
            .entry(name.clone())
            .or_insert_with(|| sequence::simulate(&name).expect("a known sequence"));
        let step = &run.steps[index];
        assert_eq!(
            (step.waker, step.wakee),
            (
                line["waker"].as_str().unwrap_or_default(),
                line["wakee"].as_str().unwrap_or_default()
            )
        );
        for (part, ours) in [("in", &step.before), ("out", &step.out)] {
            for (field, expected) in line[part].as_object().expect("fields") {
                // A label of the generator.
                if field != "ctx" {
                    assert_eq!(&ours[field], expected, "{name} step {index}: {part}.{field}");
                    checked += 1;
                }
            }
        }
    }
    assert_eq!(runs.len(), 94);
    assert!(checked > 100_000, "{checked} fields");
}
