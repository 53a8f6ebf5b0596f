//! The fair class against recordings of real kernels, whole files: bit by bit, after every
//! operation.

use std::path::Path;

/// Replays a file of `tests/vectors/fair`, prints how it went, and fails on any difference.
#[track_caller]
fn check(file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/fair").join(file);
    let report = schedscope_vectors::check_file(&path).unwrap_or_else(|error| panic!("{error}"));
    println!("{file}: {} passed, {} failed", report.passed, report.failed);
    for failure in report.failures.iter().take(10) {
        println!("  {failure}");
    }
    assert!(report.passed > 0, "{file} holds nothing");
    assert_eq!(report.failed, 0, "{file}");
    // The tree has the kernel's shape, so that not even a choice among equals has to be forced.
    assert_eq!(report.ties_forced, 0, "{file}");
}

#[test]
fn eevdf_6_12_named() {
    check("eevdf-6.12-named.jsonl.gz");
}

#[test]
fn eevdf_6_12() {
    check("eevdf-6.12.jsonl.gz");
}

#[test]
fn eevdf_6_6_named() {
    check("eevdf-6.6-named.jsonl.gz");
}

#[test]
fn eevdf_6_6() {
    check("eevdf-6.6.jsonl.gz");
}

#[test]
fn cfs_6_1_named() {
    check("cfs-6.1-named.jsonl.gz");
}

#[test]
fn cfs_6_1() {
    check("cfs-6.1.jsonl.gz");
}

#[test]
fn cfs_2_6_36_named() {
    check("cfs-2.6.36-named.jsonl.gz");
}

#[test]
fn cfs_2_6_36() {
    check("cfs-2.6.36.jsonl.gz");
}

#[test]
fn weights() {
    check("weights.jsonl.gz");
}

#[test]
fn latency_nice_of_2023() {
    check("latnice-rfc.jsonl.gz");
}
