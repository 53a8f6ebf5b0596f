//! `schedscope lesson`: goes through a lesson, and says what of it is not true.

use std::path::Path;

use schedscope_scenario::{Lesson, Problem};
use schedscope_session::rehearse::{Page, rehearse};
use schedscope_session::update::Problem as Told;

use crate::{explain, read, told};

/// Shows every step, or only those that are not as the lesson says.
pub(crate) fn check(file: &Path, quiet: bool) -> Result<(), String> {
    let lesson = Lesson::from_markdown(&read(file)?).map_err(|found| told(file, &plain(found)))?;
    let mut wrong = 0;
    let played = rehearse(&lesson, |session, step, Page { moment, wrong: found, .. }| {
        wrong += found.len();
        if quiet && found.is_empty() {
            return;
        }
        println!("## {}", step.heading);
        let _ = explain::print(session, &moment, None);
        for (line, sentence) in &found {
            println!("  ✗ {}:{line}: {sentence}", file.display());
        }
        println!();
    });
    played.map_err(|found| told(file, &found))?;
    match wrong {
        0 => Ok(()),
        n => Err(format!("{}: {n} expectations do not hold", file.display())),
    }
}

fn plain(problems: Vec<Problem>) -> Vec<Told> {
    let told = problems.into_iter();
    told.map(|Problem { place, sentence, line }| Told { place, sentence, line }).collect()
}
