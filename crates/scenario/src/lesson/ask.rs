//! What people answer to a lesson's question: whether it is right, and what to say to it.

use super::claim::{Amount, TaskName};
use super::{Answer, Question};
use crate::document::Document;
use crate::face;

/// The most tasks among which one is offered as an answer.
const OFFERED_MAX: u32 = 8;

impl Question {
    /// What can be chosen as an answer; empty if it has to be written.
    #[must_use]
    pub fn options(&self, document: &Document) -> Vec<String> {
        match &self.answer {
            Answer::Choice { options, .. } => options.clone(),
            Answer::Task(_)
                if document.rows.iter().map(|row| row.count).sum::<u32>() <= OFFERED_MAX =>
            {
                let tasks = document.rows.iter().flat_map(|row| {
                    (1..=row.count).map(|instance| TaskName { row: row.name.clone(), instance })
                });
                tasks.map(|name| name.to_string()).collect()
            }
            Answer::Task(_) | Answer::Cpu(_) | Answer::Number(_) => Vec::new(),
        }
    }

    /// What kind of answer is to be written, in a few words.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match &self.answer {
            Answer::Task(_) => "a task",
            Answer::Cpu(_) => "a CPU",
            Answer::Number(amount) if amount.time => "a time, as in 1.5 ms",
            Answer::Number(_) => "a number",
            Answer::Choice { .. } => "one of these",
        }
    }

    /// The right answer as it is written.
    #[must_use]
    pub fn right(&self) -> String {
        match &self.answer {
            Answer::Task(name) => name.to_string(),
            Answer::Cpu(cpu) => format!("CPU {cpu}"),
            Answer::Number(amount) => amount.to_string(),
            Answer::Choice { options, right } => {
                options.get(*right as usize).cloned().unwrap_or_default()
            }
        }
    }

    /// Whether an answer is right, as people write it: a task by its name or letter, a time in any
    /// unit, with or without "CPU".
    #[must_use]
    pub fn accepts(&self, given: &str, document: &Document) -> bool {
        if let Answer::Number(amount) = &self.answer {
            return number(given, amount).is_some_and(|found| amount.matches(found.value));
        }
        self.same(given, &self.right(), document)
    }

    /// Whether a text is an answer of the kind that is asked for, right or wrong.
    #[must_use]
    pub fn answers(&self, given: &str, document: &Document) -> bool {
        match &self.answer {
            Answer::Number(amount) => number(given, amount).is_some(),
            Answer::Cpu(_) => plain(given).parse::<u16>().is_ok(),
            Answer::Task(_) => {
                let meant = task(given, document);
                let row = meant.split_once('#').map_or(meant.as_str(), |(row, _)| row);
                document.rows.iter().any(|known| known.name.to_ascii_lowercase() == row)
            }
            Answer::Choice { .. } => true,
        }
    }

    /// What to say to an answer.
    #[must_use]
    pub fn reply(&self, given: &str, document: &Document) -> String {
        if self.accepts(given, document) {
            return format!("Yes. {}", self.because);
        }
        let known = self.wrong.iter().find(|(wrong, _)| self.same(given, wrong, document));
        let why = known.map_or(String::new(), |(_, why)| format!(" {why}"));
        let right = self.right();
        match &self.answer {
            Answer::Choice { .. } => {
                format!("No. The answer is \u{201c}{right}\u{201d}.{why} {}", self.because)
            }
            _ => format!("No, it is {right}.{why} {}", self.because),
        }
    }

    /// Whether two answers mean the same.
    fn same(&self, a: &str, b: &str, document: &Document) -> bool {
        match &self.answer {
            Answer::Task(_) => task(a, document) == task(b, document),
            _ => plain(a) == plain(b),
        }
    }
}

/// A number as people write it: spaces are passed over, a missing unit is that of the answer.
fn number(given: &str, answer: &Amount) -> Option<Amount> {
    let bare: String = given.chars().filter(|c| !c.is_whitespace()).collect();
    let bare = bare.replace(',', ".");
    let unit: String = answer.to_string().chars().filter(|c| c.is_alphabetic()).collect();
    let with_unit = format!("{bare}{unit}");
    let read = |text: &str| text.parse::<Amount>().ok().filter(|a| a.time == answer.time);
    read(&bare).or_else(|| read(&with_unit))
}

/// The name of the task that is meant: a row by its name or letter, in small letters.
fn task(given: &str, document: &Document) -> String {
    let bare = plain(given);
    let (row, number) = match bare.split_once('#') {
        Some((row, number)) => (row.to_string(), format!("#{number}")),
        None => (bare.clone(), String::new()),
    };
    let faces = face::faces(&document.rows);
    let known = faces.iter().any(|face| face.name.to_ascii_lowercase() == row);
    let lettered = faces.iter().find(|face| face.letter.to_ascii_lowercase() == row);
    match lettered {
        Some(face) if !known => face.name.to_ascii_lowercase() + &number,
        _ => row + &number,
    }
}

/// An answer without what does not matter: case, spaces, "CPU", "task", a minus sign of any kind.
fn plain(text: &str) -> String {
    let lower = text.to_ascii_lowercase().replace('\u{2212}', "-");
    let bare: String = lower.chars().filter(|c| !c.is_whitespace()).collect();
    bare.trim_start_matches("cpu").trim_start_matches("task").trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Row;

    #[track_caller]
    fn check(answer: Answer, given: &str, expect: &str) {
        let row = |name: &str| Row { name: name.into(), ..Row::default() };
        let document = Document { rows: vec![row("slow"), row("quick")], ..Document::default() };
        let wrong = vec![("20".to_string(), "Too far.".to_string())];
        let because = "Because.".to_string();
        let question = Question { prompt: "Which?".into(), answer, because, wrong };
        assert_eq!(question.reply(given, &document), expect);
    }

    #[test]
    fn what_is_no_answer_is_not_taken_for_one() {
        let row = Row { name: "slow".into(), ..Row::default() };
        let document = Document { rows: vec![row], ..Document::default() };
        let answers = |answer: Answer, given: &str| {
            let question =
                Question { prompt: String::new(), answer, because: String::new(), wrong: vec![] };
            question.answers(given, &document)
        };
        let time = || Answer::Number("20ms".parse().expect("an amount"));
        let name = || Answer::Task("slow".parse().expect("a name"));
        assert_eq!(
            ["12 ms", "0,5s", "7", "soon"].map(|text| answers(time(), text)),
            [true, true, true, false]
        );
        assert_eq!(
            ["cpu 3", "300", "x"].map(|text| answers(Answer::Cpu(3), text)),
            [true, true, false]
        );
        assert_eq!(
            ["Slow", "A", "task slow#1", "fast"].map(|text| answers(name(), text)),
            [true, true, true, false]
        );
    }

    #[test]
    fn answers_are_taken_as_people_write_them() {
        let task = || Answer::Task("slow".parse().expect("a name"));
        check(task(), "Slow", "Yes. Because.");
        check(task(), "task slow", "Yes. Because.");
        check(task(), "a", "Yes. Because.");
        check(task(), "B", "No, it is slow. Because.");
        check(Answer::Cpu(3), "CPU 3", "Yes. Because.");
        check(Answer::Cpu(3), "20", "No, it is CPU 3. Too far. Because.");
        let number = |text: &str| Answer::Number(text.parse().expect("an amount"));
        check(number("20ms"), "20 ms", "Yes. Because.");
        check(number("20ms"), "0,02s", "Yes. Because.");
        check(number("20ms"), "20", "Yes. Because.");
        check(number("20ms"), "21ms", "No, it is 20ms. Because.");
        check(number("-20ms"), "\u{2212}20 ms", "Yes. Because.");
        check(number("3"), "3", "Yes. Because.");
        let options = || vec!["Yes, it sleeps".to_string(), "No".to_string()];
        check(Answer::Choice { options: options(), right: 1 }, "No", "Yes. Because.");
        check(
            Answer::Choice { options: options(), right: 1 },
            "Yes, it sleeps",
            "No. The answer is \u{201c}No\u{201d}. Because.",
        );
    }
}
