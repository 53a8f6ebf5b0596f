//! What is wrong with a text, where, and how to mend it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Something wrong with what came in: what, where, and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Problem {
    /// Where: "task.editor.nice", "kernel", "link", …
    pub place: String,
    /// One sentence that says what is wrong and how to mend it.
    pub sentence: String,
    /// The line in the text, 1-based, where there is one.
    pub line: Option<u32>,
}

impl Problem {
    /// A problem without a line.
    pub fn new(place: impl Into<String>, sentence: impl Into<String>) -> Problem {
        Problem { place: place.into(), sentence: sentence.into(), line: None }
    }

    /// The same problem on this line.
    #[must_use]
    pub fn on_line(mut self, line: u32) -> Problem {
        self.line = Some(line);
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        write!(f, "{}: {}", self.place, self.sentence)
    }
}

/// " Did you mean …?" with the nearest of the known names, or all of them if none is near.
#[must_use]
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().filter(|name| !name.is_empty()).collect();
    match nearest(name, &known) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None if known.is_empty() => "there is none.".to_string(),
        None => format!("there are {}.", list(&known)),
    }
}

/// "a, b and c", at most a dozen.
pub(crate) fn list(names: &[&str]) -> String {
    const SHOWN: usize = 12;
    let more = names.len().saturating_sub(SHOWN);
    let shown = &names[..names.len() - more];
    if more > 0 {
        return format!("{} and {more} more", shown.join(", "));
    }
    match shown {
        [] => String::new(),
        [one] => (*one).to_string(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}

fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    if name.len() > 64 {
        return None;
    }
    let wanted = name.to_ascii_lowercase();
    known
        .iter()
        .map(|known| (distance(&wanted, &known.to_ascii_lowercase()), *known))
        .min()
        .filter(|(distance, known)| *distance <= 1.max(known.chars().count().min(12) / 3))
        .map(|(_, known)| known)
}

/// How many letters must be added, taken, changed or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    rows[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = least;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_nearest() {
        let check = |name: &str, expect: &str| {
            assert_eq!(did_you_mean(name, ["nice", "latency_nice", "slice", "program"]), expect);
        };
        check("ncie", "did you mean \"nice\"?");
        check("Slice", "did you mean \"slice\"?");
        check("latency-nice", "did you mean \"latency_nice\"?");
        check("wolf", "there are nice, latency_nice, slice and program.");
    }
}
