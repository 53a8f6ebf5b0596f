//! `schedscope`: the session in a terminal.

mod args;
mod vectors;

use std::process::ExitCode;

use args::Task;

fn main() -> ExitCode {
    match args::parse() {
        Ok(Task::Help(text)) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Ok(Task::CheckVectors { files }) => vectors::check(&files),
        Err(error) => {
            eprintln!("schedscope: {error}\nTry: schedscope --help");
            ExitCode::from(2)
        }
    }
}
