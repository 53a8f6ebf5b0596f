//! A text from a file picker or a drop, whatever it turns out to be.

use crate::document::Document;
use crate::lesson::Lesson;
use crate::problem::Problem;
use crate::topology_file::{self, Found};

/// What a text turned out to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Text {
    /// A scenario, TOML.
    Scenario(Document),
    /// A lesson, Markdown.
    Lesson(Lesson),
    /// A machine, from hwloc or lscpu.
    Machine(Box<Found>),
}

/// Reads a text of any kind that schedscope knows.
///
/// # Errors
/// What is wrong with it, as what it looks like most.
pub fn read_any(text: &str) -> Result<Text, Vec<Problem>> {
    if is_lesson(text) {
        return Lesson::from_markdown(text).map(Text::Lesson);
    }
    let says_format = text.lines().any(|line| line.trim_start().starts_with("schedscope"));
    if !says_format && topology_file::recognise(text).is_some() {
        return topology_file::read(text).map(|found| Text::Machine(Box::new(found)));
    }
    let toml = |line: &str| line.trim_start().starts_with("[[") || line.contains('=');
    if !says_format && !text.lines().any(toml) {
        return Err(vec![Problem::new(
            "file",
            "it is no scenario (TOML that begins with \"schedscope = 1\"), no lesson (Markdown with \
             a ```toml fence), and no machine (a file of lstopo or lscpu).",
        )]);
    }
    Document::from_toml(text).map(Text::Scenario)
}

/// Whether a fence comes before anything that would be TOML.
fn is_lesson(text: &str) -> bool {
    let telling = |line: &&str| line.starts_with("```toml") || line.starts_with("schedscope");
    text.lines().map(str::trim_start).find(telling).is_some_and(|line| line.starts_with('`'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let found = match read_any(text) {
            Ok(Text::Scenario(_)) => "scenario".to_string(),
            Ok(Text::Lesson(_)) => "lesson".to_string(),
            Ok(Text::Machine(_)) => "machine".to_string(),
            Err(problems) => problems[0].to_string(),
        };
        assert_eq!(found, expect);
    }

    #[test]
    fn kinds() {
        check("schedscope = 1\n", "scenario");
        check("# comment\n\n  schedscope = 1\n", "scenario");
        check("# Title\n```toml scenario\nschedscope = 1\n```\n", "lesson");
        check("CPU CORE\n0 0\n", "machine");
        check("{\"cpus\": [{\"cpu\": 0, \"core\": 0}]}", "machine");
        check(
            "machine = \"cpu1\"\n",
            "line 1: schedscope: the file does not say which format it has; begin it with \
             \"schedscope = 1\".",
        );
        check("\u{feff}CPU CORE\n0 0\n", "machine");
        check("\u{feff}schedscope = 1\n", "scenario");
        check(
            "PNG",
            "file: it is no scenario (TOML that begins with \"schedscope = 1\"), no lesson (Markdown \
             with a ```toml fence), and no machine (a file of lstopo or lscpu).",
        );
    }
}
