//! The pick picture as a table: the same figures as text, for screen readers and for copying.

use super::rule::Rule;
use crate::format;
use crate::view::Roster;
use schedscope_session::update::{Check, PickPicture, PickRow};

/// One row of the table. Virtual times are exact, in ms, relative to V ([`caption`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRow {
    /// The task.
    pub task: u32,
    /// Its chip's label.
    pub label: String,
    /// Its name.
    pub name: String,
    /// "curr", "asleep", "protected", "left", or what was decided: "runs next".
    pub state: String,
    /// Load weight.
    pub weight: String,
    /// vruntime relative to V.
    pub vruntime: String,
    /// Virtual lag.
    pub lag: String,
    /// Request in ms of CPU time.
    pub slice: String,
    /// Virtual deadline relative to V.
    pub deadline: String,
    /// "yes" or "no"; nothing if it has left.
    pub eligible: String,
    /// It was picked, and that has happened.
    pub picked: bool,
    /// The title of the queue that begins with this row, where there are several.
    pub section: Option<String>,
}

/// Titles of the columns behind the task, in the order of [`TableRow::cells`].
pub const TITLES: [&str; 7] =
    ["state", "weight", "vruntime", "lag", "slice", "deadline", "eligible"];

/// What the figures of the table are.
#[must_use]
pub fn caption(picture: &PickPicture) -> &'static str {
    match Rule::of(picture) {
        Rule::Eevdf => "All times in ms; vruntime and virtual deadline relative to V",
        Rule::Cfs => "All times in ms; vruntime relative to min_vruntime, slice of the period",
    }
}

impl TableRow {
    /// The cells of the row behind the task.
    #[must_use]
    pub fn cells(&self) -> [&str; 7] {
        [
            &self.state,
            &self.weight,
            &self.vruntime,
            &self.lag,
            &self.slice,
            &self.deadline,
            &self.eligible,
        ]
    }
}

/// All tasks of the picture as it is at a check, in lane order.
///
/// CFS has no lag, deadline or eligibility: those cells are empty.
#[must_use]
pub fn table(
    picture: &PickPicture,
    checks: Option<&[Check]>,
    check: usize,
    roster: &Roster,
) -> Vec<TableRow> {
    let mut table = level(picture, checks, check, roster);
    for inside in picture.inside.iter().filter(|inside| usize::from(inside.since) <= check) {
        table.extend(level(inside, checks, check, roster));
    }
    table
}

/// The rows of one queue.
fn level(
    picture: &PickPicture,
    checks: Option<&[Check]>,
    check: usize,
    roster: &Roster,
) -> Vec<TableRow> {
    let finished = super::finished(picture, checks, check);
    let picture = picture.at(check);
    let rule = Rule::of(picture);
    let only = |text: String, holds: bool| if holds { text } else { String::new() };
    let eevdf = rule == Rule::Eevdf;
    let table = rule.rows(picture).into_iter().map(|row| {
        let picked = finished && picture.decided && picture.chosen == Some(row.task);
        TableRow {
            task: row.task,
            label: roster.label(row.task),
            name: roster.name(row.task),
            state: state(&row, picked),
            weight: format::count(u64::from(row.weight)),
            vruntime: format::exact_ms(row.vruntime),
            lag: only(format::exact_ms(row.lag), eevdf && !row.gone),
            slice: format::slice_ms(row.slice),
            deadline: only(format::exact_ms(row.deadline), eevdf),
            eligible: only(if row.eligible { "yes" } else { "no" }.to_string(), eevdf && !row.gone),
            picked,
            section: None,
        }
    });
    let mut table: Vec<TableRow> = table.collect();
    if let (false, Some(first)) = (picture.title.is_empty(), table.first_mut()) {
        first.section = Some(picture.title.clone());
    }
    table
}

fn state(row: &PickRow, picked: bool) -> String {
    if picked {
        return super::verdict(row).to_string();
    }
    let asleep = row.delayed && !row.gone;
    let states =
        [(row.gone, "left"), (row.curr, "curr"), (asleep, "asleep"), (row.protected, "protected")];
    let states: Vec<&str> =
        states.iter().filter(|(holds, _)| *holds).map(|(_, word)| *word).collect();
    states.join(", ")
}
