//! `schedscope`: the session in a terminal.

mod args;
mod bench;
mod explain;
mod lanes;
mod lesson;
mod topology;
mod vectors;

use std::path::Path;
use std::process::ExitCode;
use std::{fs, io};

use args::Task;
use schedscope_session::update::{Loaded, Problem};
use schedscope_session::{Command, Format, Goto, Session, Update};

fn main() -> ExitCode {
    let task = match args::parse() {
        Ok(task) => task,
        Err(error) => {
            eprintln!("schedscope: {error}\nTry: schedscope --help");
            return ExitCode::from(2);
        }
    };
    let done = match task {
        Task::Help(text) => {
            print!("{text}");
            Ok(())
        }
        Task::Run { file, until, cpus, width, beside } => {
            lanes::run(&file, until, cpus, width, beside)
        }
        Task::Explain { file, at, check, markdown } => explain::explain(&file, at, check, markdown),
        Task::Lesson { file, quiet } => lesson::check(&file, quiet),
        Task::CheckVectors { files } => return vectors::check(&files),
        Task::Topology { machine } => topology::show(&machine),
        Task::Export { file, format, until, out } => export(&file, format, until, out.as_deref()),
        Task::Bench { events, seek, json, machine, tasks } => {
            bench::run(events, seek, json, machine.as_deref(), tasks)
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// A file's contents, or a sentence.
fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| {
        let what = match error.kind() {
            io::ErrorKind::NotFound => "there is no such file".to_owned(),
            io::ErrorKind::InvalidData => "it is not text (UTF-8)".to_owned(),
            _ => error.to_string(),
        };
        format!("{}: {what}", file.display())
    })
}

/// A session with this scenario.
fn load(file: &Path) -> Result<(Session, Loaded), String> {
    let mut session = Session::new();
    match session.handle(Command::Load { text: read(file)? }) {
        Update::Loaded(loaded) => Ok((session, *loaded)),
        Update::Rejected(problems) => Err(told(file, &problems)),
        other => Err(format!("{}: unexpected answer {other:?}", file.display())),
    }
}

/// All problems, a line each, as compilers write them.
fn told(file: &Path, problems: &[Problem]) -> String {
    let lines: Vec<String> = problems
        .iter()
        .map(|problem| {
            let line = problem.line.map_or_else(String::new, |line| format!("{line}: "));
            format!("{}:{line}{}: {}", file.display(), problem.place, problem.sentence)
        })
        .collect();
    lines.join("\n")
}

/// Takes the run to a time, or to its end.
fn take_to(session: &mut Session, until: Option<u64>) {
    let goto = until.map_or(Goto::End, Goto::Time);
    session.handle(Command::Show { goto, focus: 0 });
}

fn export(
    file: &Path,
    format: Format,
    until: Option<u64>,
    out: Option<&Path>,
) -> Result<(), String> {
    let (mut session, _) = load(file)?;
    take_to(&mut session, until);
    match session.handle(Command::Export { format }) {
        Update::File { name, text } => match out {
            Some(path) => {
                fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
                eprintln!("{name} written to {}", path.display());
                Ok(())
            }
            None => {
                print!("{text}");
                Ok(())
            }
        },
        Update::Rejected(problems) => Err(told(file, &problems)),
        other => Err(format!("unexpected answer {other:?}")),
    }
}
