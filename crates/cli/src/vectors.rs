//! `schedscope check-vectors`: replays kernel vectors and says what differs.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use schedscope_vectors::check_file;

/// Replays every file. The exit code is 1 if a case differs or a file cannot be replayed.
pub(crate) fn check(files: &[PathBuf]) -> ExitCode {
    let mut out = io::stdout().lock();
    let (mut passed, mut failed, mut broken) = (0usize, 0usize, 0usize);
    for file in files {
        match check_file(file) {
            Ok(report) => {
                passed += report.passed;
                failed += report.failed;
                for failure in &report.failures {
                    let _ = writeln!(out, "{}: {failure}", file.display());
                }
                let ties = match report.ties_forced {
                    0 => String::new(),
                    n => format!(" (recorded choice taken in {n} ties)"),
                };
                let _ = writeln!(
                    out,
                    "{}: {} passed, {} failed{ties}",
                    file.display(),
                    report.passed,
                    report.failed
                );
            }
            Err(error) => {
                broken += 1;
                let _ = writeln!(out, "{}: error: {error}", file.display());
            }
        }
    }
    if broken > 0 {
        let files = if broken == 1 { "file" } else { "files" };
        let _ = writeln!(out, "{broken} {files} could not be replayed");
    }
    let _ = writeln!(out, "{passed} passed, {failed} failed");
    if failed == 0 && broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
