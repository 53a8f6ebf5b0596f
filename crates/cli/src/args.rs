//! The command line.

use std::path::PathBuf;

use lexopt::prelude::*;
use schedscope_scenario::{cpu_list, duration};
use schedscope_session::Format;

/// What was asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Task {
    /// Print this and stop.
    Help(String),
    /// Lanes and metrics.
    Run {
        file: PathBuf,
        /// ns.
        until: Option<u64>,
        cpus: Option<Vec<u16>>,
        /// Columns of a lane.
        width: u32,
        /// What runs beside it.
        beside: Option<String>,
    },
    /// What was decided in a step.
    Explain {
        file: PathBuf,
        at: At,
        /// Only this check, from 1.
        check: Option<usize>,
        markdown: bool,
    },
    /// Go through a lesson and say what of it is not true.
    Lesson {
        file: PathBuf,
        /// Only the steps that are not as the lesson says.
        quiet: bool,
    },
    /// Replay kernel vectors.
    CheckVectors {
        /// `.jsonl` or `.jsonl.gz` files.
        files: Vec<PathBuf>,
    },
    /// A machine and its domains.
    Topology {
        /// A file, or the id of a preset.
        machine: String,
    },
    /// A file of the run.
    Export {
        file: PathBuf,
        format: Format,
        /// ns.
        until: Option<u64>,
        out: Option<PathBuf>,
    },
    /// Events per second.
    Bench { events: u64, seek: u64, json: bool, machine: Option<String>, tasks: Option<u32> },
}

/// Which step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// By number.
    Step(u64),
    /// The last at or before this time, ns.
    Time(u64),
}

const HELP: &str = "\
schedscope: the Linux CPU scheduler, decision by decision

  schedscope run FILE [--until TIME] [--cpus LIST] [--width N] [--beside KERNEL]
        lanes and metrics of a scenario (TOML, or a lesson in Markdown); with another KERNEL beside
        it those of both, and their first difference. KERNEL is a name such as 4.19, or what is
        different: \"WA_IDLE off\", \"4.19, governor schedutil\"
  schedscope explain FILE --step N [--check K] [--markdown]
        what was decided in a step, and why
  schedscope explain FILE --at TIME
        the same for the last step at or before a time
  schedscope lesson FILE [--quiet]
        every step of a lesson, and what of it is not true; exit code 1 if something is not
  schedscope check-vectors FILE...
        replay kernel vectors (.jsonl, .jsonl.gz); exit code 1 if one differs
  schedscope topology FILE|PRESET
        a machine with its sched domains; PRESET is an id such as zen3-nps4
  schedscope export FILE --as FORMAT [--until TIME] [--out PATH]
        FORMAT: scenario, events.csv, events.jsonl, perfetto, metrics.csv, metrics.json
  schedscope bench [--json] [--events N] [--seek STEPS] [--machine ID] [--tasks N]
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
    let mut given = Given::default();
    while let Some(arg) = parser.next()? {
        match arg {
            Short('h') | Long("help") => return Ok(Task::Help(HELP.to_owned())),
            Value(file) => given.files.push(PathBuf::from(file)),
            Long(name) => {
                let name = name.to_owned();
                let value = if FLAGS.contains(&name.as_str()) {
                    String::new()
                } else if OPTIONS.contains(&name.as_str()) {
                    parser.value()?.string()?
                } else {
                    return Err(format!("there is no option --{name}").into());
                };
                given.options.push((name, value));
            }
            other => return Err(other.unexpected()),
        }
    }
    given.task(&command).map_err(lexopt::Error::from)
}

const FLAGS: [&str; 3] = ["json", "markdown", "quiet"];
const OPTIONS: [&str; 14] = [
    "until", "cpus", "width", "step", "at", "check", "as", "out", "events", "seek", "columns",
    "machine", "tasks", "beside",
];

/// Arguments as given, before they are understood.
#[derive(Default)]
struct Given {
    files: Vec<PathBuf>,
    options: Vec<(String, String)>,
}

impl Given {
    fn task(mut self, command: &str) -> Result<Task, String> {
        let task = match command {
            "help" => Task::Help(HELP.to_owned()),
            "run" => Task::Run {
                until: self.time("until")?,
                cpus: self.cpus()?,
                width: self.number("width")?.unwrap_or(96).clamp(8, 4_000) as u32,
                beside: self.take("beside"),
                file: self.file(command)?,
            },
            "explain" => {
                let at = match (self.number("step")?, self.time("at")?) {
                    (Some(step), None) => At::Step(step),
                    (None, Some(time)) => At::Time(time),
                    (None, None) => return Err("explain needs --step N or --at TIME".to_owned()),
                    (Some(_), Some(_)) => {
                        return Err("explain takes --step or --at, not both".to_owned());
                    }
                };
                Task::Explain {
                    at,
                    check: self.number("check")?.map(|n| n as usize),
                    markdown: self.flag("markdown"),
                    file: self.file(command)?,
                }
            }
            "lesson" => Task::Lesson { quiet: self.flag("quiet"), file: self.file(command)? },
            "check-vectors" => {
                if self.files.is_empty() {
                    return Err("check-vectors needs at least one file".to_owned());
                }
                Task::CheckVectors { files: std::mem::take(&mut self.files) }
            }
            "topology" => {
                Task::Topology { machine: self.file(command)?.to_string_lossy().into_owned() }
            }
            "export" => Task::Export {
                format: self.format()?,
                until: self.time("until")?,
                out: self.take("out").map(PathBuf::from),
                file: self.file(command)?,
            },
            "bench" => Task::Bench {
                events: self.number("events")?.unwrap_or(1_000_000).max(1),
                seek: self.number("seek")?.unwrap_or(1_000_000),
                json: self.flag("json"),
                machine: self.take("machine"),
                tasks: self.number("tasks")?.map(|n| n.clamp(3, 8_000) as u32),
            },
            other => return Err(format!("there is no command {other:?}")),
        };
        if let Some((name, _)) = self.options.first() {
            return Err(format!("{command} does not know --{name}"));
        }
        if let Some(file) = self.files.first() {
            return Err(format!("{command} does not know what to do with {}", file.display()));
        }
        Ok(task)
    }

    fn take(&mut self, name: &str) -> Option<String> {
        let at = self.options.iter().position(|(other, _)| other == name)?;
        Some(self.options.remove(at).1)
    }

    fn flag(&mut self, name: &str) -> bool {
        self.take(name).is_some()
    }

    fn file(&mut self, command: &str) -> Result<PathBuf, String> {
        match self.files.len() {
            0 => Err(format!("{command} needs a file")),
            _ => Ok(self.files.remove(0)),
        }
    }

    fn number(&mut self, name: &str) -> Result<Option<u64>, String> {
        self.take(name)
            .map(|text| {
                text.replace('_', "")
                    .parse()
                    .map_err(|_| format!("--{name} needs a number, not {text:?}"))
            })
            .transpose()
    }

    fn time(&mut self, name: &str) -> Result<Option<u64>, String> {
        self.take(name)
            .map(|text| duration::parse(&text).map_err(|error| format!("--{name}: {error}")))
            .transpose()
    }

    fn cpus(&mut self) -> Result<Option<Vec<u16>>, String> {
        self.take("cpus")
            .map(|text| {
                let set = cpu_list::parse(&text).map_err(|error| format!("--cpus: {error}"))?;
                Ok(set.iter().map(|cpu| cpu.0).collect())
            })
            .transpose()
    }

    fn format(&mut self) -> Result<Format, String> {
        match self.take("as").as_deref() {
            Some("scenario") => Ok(Format::Scenario),
            Some("events.csv") => Ok(Format::EventsCsv),
            Some("events.jsonl") => Ok(Format::EventsJson),
            Some("perfetto") => Ok(Format::Perfetto),
            Some("metrics.csv") => Ok(Format::MetricsCsv),
            Some("metrics.json") => Ok(Format::MetricsJson),
            Some(other) => Err(format!(
                "there is no format {other:?}; there are scenario, events.csv, events.jsonl, \
                 perfetto, metrics.csv and metrics.json"
            )),
            None => Err("export needs --as FORMAT".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Task, String> {
        let args = line.split_whitespace();
        parse_from(lexopt::Parser::from_args(args)).map_err(|error| error.to_string())
    }

    #[test]
    fn commands() {
        assert_eq!(
            parse("run a.toml --until 50ms --cpus 0-2,5"),
            Ok(Task::Run {
                file: "a.toml".into(),
                until: Some(50_000_000),
                cpus: Some(vec![0, 1, 2, 5]),
                width: 96,
                beside: None,
            })
        );
        assert_eq!(
            parse("explain --step 12 a.toml --check 3"),
            Ok(Task::Explain {
                file: "a.toml".into(),
                at: At::Step(12),
                check: Some(3),
                markdown: false
            })
        );
        assert_eq!(
            parse("bench --json --events 1_000 --machine power10 --tasks 2000"),
            Ok(Task::Bench {
                events: 1_000,
                seek: 1_000_000,
                json: true,
                machine: Some("power10".into()),
                tasks: Some(2000)
            })
        );
    }

    #[track_caller]
    fn check_error(line: &str, expect: &str) {
        assert_eq!(parse(line).map_err(|error| error.to_string()), Err(expect.to_owned()));
    }

    #[test]
    fn errors_are_sentences() {
        check_error("run", "run needs a file");
        check_error("dance a", "there is no command \"dance\"");
        check_error("run a --width x", "--width needs a number, not \"x\"");
        check_error("run a --speed 3", "there is no option --speed");
        check_error("run a --step 3", "run does not know --step");
        check_error("explain a", "explain needs --step N or --at TIME");
        check_error("run a b", "run does not know what to do with b");
        check_error("check-vectors", "check-vectors needs at least one file");
    }
}
