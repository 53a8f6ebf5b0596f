//! A text as a document: scenario TOML, or a lesson, whose first `toml` fence is one.

use schedscope_scenario::Document;

use crate::run::problems;
use crate::update::Problem;

/// Reads either.
pub(crate) fn document(text: &str) -> Result<Document, Vec<Problem>> {
    let Some((fence, first_line)) = fence(text) else {
        return Document::from_toml(text).map_err(problems);
    };
    let mut document = Document::from_toml(fence).map_err(|found| {
        let mut found = problems(found);
        for problem in &mut found {
            problem.line = problem.line.map(|line| line + first_line);
        }
        found
    })?;
    if document.about.is_empty() {
        document.about = text.to_owned();
    }
    if document.title.is_empty() {
        let title = text.lines().find_map(|line| line.strip_prefix("# "));
        document.title = title.unwrap_or_default().trim().to_owned();
    }
    Ok(document)
}

/// The first TOML fence of a Markdown text, and how many lines are before it.
fn fence(text: &str) -> Option<(&str, u32)> {
    let mut at = 0;
    let mut start = None;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let end = at + line.len();
        let word = line.trim();
        match start {
            None if word.starts_with("```toml") => start = Some((end, number as u32 + 1)),
            Some((from, lines)) if word == "```" => return Some((&text[from..at], lines)),
            _ => {}
        }
        at = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lesson_is_its_fence() {
        let text = "# Title\n\nProse.\n\n```toml scenario\na = 1\n```\nMore.\n";
        assert_eq!(fence(text), Some(("a = 1\n", 5)));
        assert_eq!(fence("a = 1\n"), None);
        assert_eq!(fence("```toml\nno end"), None);
    }
}
