//! Kernel vectors: recorded decisions of real schedulers, replayed against the engine.
//!
//! A file holds one case a line (JSON Lines, plain or gzip). [`check_file`] recognises what each
//! line is and reports how many pass. The tests and `schedscope check-vectors` both use it.

pub mod fair;
pub mod placement;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use serde_json::Value;

/// What became of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The engine did what was recorded. `ties_forced` counts the 6.6 picks among equal deadlines
    /// for which the recorded choice had to be forced (FORMAT.md section 7); 0 elsewhere.
    Passed {
        /// How often the recorded choice had to be forced.
        ties_forced: u32,
    },
    /// The first difference.
    Failed(Failure),
}

/// The first difference between what was recorded and what the engine did.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{case}: op {op}: {field}: expected {expected}, got {got}")]
pub struct Failure {
    /// Name of the case, or a description of the line.
    pub case: String,
    /// Index of the operation in the case, from 0; 0 where a line has no operations.
    pub op: usize,
    /// Which field differs (`rq.min_vruntime`, `task 3.vlag`, `target` …).
    pub field: String,
    /// The recorded value.
    pub expected: String,
    /// The engine's value.
    pub got: String,
}

/// What became of a whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Lines that passed.
    pub passed: usize,
    /// Lines that failed.
    pub failed: usize,
    /// Sum of [`Outcome::Passed::ties_forced`].
    pub ties_forced: u32,
    /// The first difference of every failed line, in file order.
    pub failures: Vec<Failure>,
}

/// Why a file could not be checked at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read or unpacked.
    #[error("cannot read: {0}")]
    Read(#[from] io::Error),
    /// A line is not JSON or misses fields.
    #[error("line {line}: {source}")]
    Parse {
        /// Line number, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A line of no kind that is known here.
    #[error("line {line}: not a vector of a known kind")]
    UnknownKind {
        /// Line number, from 1.
        line: usize,
    },
}

impl Report {
    /// Adds what became of one line.
    pub fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Passed { ties_forced } => {
                self.passed += 1;
                self.ties_forced += ties_forced;
            }
            Outcome::Failed(failure) => {
                self.failed += 1;
                self.failures.push(failure);
            }
        }
    }
}

/// Replays every line of a `.jsonl` or `.jsonl.gz` file.
///
/// # Errors
/// If the file cannot be read, or a line is not a vector. A line that the engine does not reproduce
/// is not an error but a [`Failure`] in the report.
pub fn check_file(path: &Path) -> Result<Report, Error> {
    let file = File::open(path)?;
    if path.extension().is_some_and(|extension| extension == "gz") {
        check_lines(BufReader::new(MultiGzDecoder::new(file)))
    } else {
        check_lines(BufReader::new(file))
    }
}

/// Replays every line that the reader gives; see [`check_file`].
///
/// # Errors
/// As [`check_file`].
pub fn check_lines(reader: impl BufRead) -> Result<Report, Error> {
    let mut report = Report::default();
    for (i, text) in reader.lines().enumerate() {
        let (line, text) = (i + 1, text?);
        if text.trim().is_empty() {
            continue;
        }
        let parse = |source| Error::Parse { line, source };
        let value: Value = serde_json::from_str(&text).map_err(parse)?;
        let outcome = if fair::recognises(&value) {
            fair::check(value).map_err(parse)?
        } else if placement::recognises(&value) {
            placement::check(value).map_err(parse)?
        } else {
            return Err(Error::UnknownKind { line });
        };
        report.add(outcome);
    }
    Ok(report)
}
