//! The command line.

use std::path::PathBuf;

use lexopt::prelude::*;

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Print this and stop.
    Help(String),
    /// Replay kernel vectors.
    CheckVectors {
        /// `.jsonl` or `.jsonl.gz` files.
        files: Vec<PathBuf>,
    },
}

const HELP: &str = "\
schedscope: the Linux CPU scheduler, decision by decision

  schedscope run FILE [--until TIME] [--cpus LIST] [--width N]
        lanes and metrics of a scenario (TOML, or a lesson in Markdown)
  schedscope explain FILE --step N [--check K]
        what was decided in a step, and why
  schedscope explain FILE --at TIME
        the same for the last step at or before a time
  schedscope check-vectors FILE...
        replay kernel vectors (.jsonl, .jsonl.gz); exit code 1 if one differs
  schedscope topology FILE|PRESET
        the machine of a scenario, hwloc XML or lscpu file, or of a preset, with its sched domains
  schedscope export FILE --as FORMAT [--until TIME] [--out PATH]
        FORMAT: scenario, events.csv, events.jsonl, perfetto, metrics.csv, markdown
  schedscope bench [--json] [--events N]
        events per second, against a bare event queue in the same process

TIME has a unit: 50ms, 120us, 2s, 1500ns. LIST has ranges: 0-3,8.
";

/// Reads the arguments of this process.
///
/// # Errors
/// A sentence on what is wrong with them.
pub(crate) fn parse() -> Result<Task, lexopt::Error> {
    parse_from(lexopt::Parser::from_env())
}

fn parse_from(mut parser: lexopt::Parser) -> Result<Task, lexopt::Error> {
    let command = match parser.next()? {
        None | Some(Short('h') | Long("help")) => return Ok(Task::Help(HELP.to_owned())),
        Some(Short('V') | Long("version")) => {
            return Ok(Task::Help(format!("schedscope {}\n", env!("CARGO_PKG_VERSION"))));
        }
        Some(Value(command)) => command.string()?,
        Some(other) => return Err(other.unexpected()),
    };
    match command.as_str() {
        "help" => Ok(Task::Help(HELP.to_owned())),
        "check-vectors" => check_vectors(parser),
        other => Err(format!("there is no command {other:?}").into()),
    }
}

fn check_vectors(mut parser: lexopt::Parser) -> Result<Task, lexopt::Error> {
    let mut files = Vec::new();
    while let Some(arg) = parser.next()? {
        match arg {
            Value(file) => files.push(PathBuf::from(file)),
            other => return Err(other.unexpected()),
        }
    }
    if files.is_empty() {
        return Err("check-vectors needs at least one file".into());
    }
    Ok(Task::CheckVectors { files })
}
