//! The pick picture as a table: the same figures as text, for screen readers and for copying.

use super::rule::Rule;
use crate::format;
use crate::view::Roster;
use schedscope_session::update::PickPicture;

/// One row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRow {
    /// The task.
    pub task: u32,
    /// Its chip's label.
    pub label: String,
    /// Its name.
    pub name: String,
    /// "curr", "asleep", "protected", …
    pub state: String,
    /// Load weight.
    pub weight: String,
    /// vruntime relative to V, exact.
    pub vruntime: String,
    /// Virtual lag, exact.
    pub lag: String,
    /// Request in ms of CPU time.
    pub slice: String,
    /// Virtual deadline relative to V, exact.
    pub deadline: String,
    /// "yes" or "no".
    pub eligible: String,
    /// "runs next", "keeps the CPU", or nothing.
    pub verdict: String,
}

/// Titles of the columns, in the order of [`TableRow::cells`].
pub const TITLES: [&str; 9] = [
    "task",
    "state",
    "weight",
    "vruntime",
    "lag",
    "slice, ms",
    "virtual deadline",
    "eligible",
    "decision",
];

impl TableRow {
    /// The cells of the row.
    #[must_use]
    pub fn cells(&self) -> [&str; 9] {
        [
            &self.name,
            &self.state,
            &self.weight,
            &self.vruntime,
            &self.lag,
            &self.slice,
            &self.deadline,
            &self.eligible,
            &self.verdict,
        ]
    }
}

/// All tasks of the picture, in lane order; `finished` says whether the last check has happened.
///
/// CFS has no lag, deadline or eligibility: those cells are empty, and vruntimes are relative to
/// `min_vruntime`.
#[must_use]
pub fn table(picture: &PickPicture, finished: bool, roster: &Roster) -> Vec<TableRow> {
    let rule = Rule::of(picture);
    let eevdf = rule == Rule::Eevdf;
    let only = |text: String| if eevdf { text } else { String::new() };
    let table = rule.rows(picture).into_iter().map(|row| {
        let states =
            [(row.curr, "curr"), (row.delayed, "asleep, queued"), (row.protected, "protected")];
        let states = states.iter().filter(|(holds, _)| *holds).map(|(_, word)| *word);
        let picked = finished && picture.decided && picture.chosen == Some(row.task);
        TableRow {
            task: row.task,
            label: roster.label(row.task),
            name: roster.name(row.task),
            state: states.collect::<Vec<_>>().join(", "),
            weight: format::count(u64::from(row.weight)),
            vruntime: if eevdf {
                format::relative_exact(row.vruntime)
            } else {
                format::signed_exact(row.vruntime)
            },
            lag: only(format::signed_exact(row.lag)),
            slice: format::slice_ms(row.slice),
            deadline: only(format::relative_exact(row.deadline)),
            eligible: only(if row.eligible { "yes" } else { "no" }.to_string()),
            verdict: if picked { super::verdict(&row) } else { "" }.to_string(),
        }
    });
    table.collect()
}
