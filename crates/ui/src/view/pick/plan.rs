//! Which tasks of a queue get a lane, and which are told in one line.

use super::rule::Rule;
use schedscope_session::update::{PickPicture, PickRow, WalkStep};

/// With more tasks than this, some are folded away.
pub const MANY: usize = 14;
/// How many lanes the earliest deadlines get then.
const FIRST: usize = 12;

/// All that the search visits, before and after a task left.
fn searched(picture: &PickPicture) -> impl Iterator<Item = &WalkStep> {
    picture.walk.iter().chain(picture.later.iter().flat_map(|later| &later.walk))
}

/// The lanes of a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Tasks with a lane, in deadline order.
    pub lanes: Vec<PickRow>,
    /// Tasks in the summary lane, in deadline order.
    pub hidden: Vec<PickRow>,
    /// Whether there is a last line that opens or closes the rest.
    pub folds: bool,
    /// What the order is.
    pub rule: Rule,
    /// All rows at all checks: what columns must have room for, so that stepping moves none.
    pub measured: Vec<PickRow>,
}

impl Plan {
    /// The plan of a picture at a check. Beyond [`MANY`] tasks, those with the first deadlines and
    /// all on the path of the search keep their lane, unless the rest was opened.
    #[must_use]
    pub fn of(picture: &PickPicture, check: usize, open: bool) -> Plan {
        let rule = Rule::of(picture);
        let rows = rule.rows(picture.at(check));
        let mut measured = rule.rows(picture);
        measured.extend(picture.later.iter().flat_map(|later| rule.rows(later)));
        if rows.len() <= MANY || open {
            let folds = rows.len() > MANY;
            return Plan { folds, lanes: rows, hidden: Vec::new(), rule, measured };
        }
        let on_path = |row: &PickRow| {
            row.curr
                || picture.chosen == Some(row.task)
                || searched(picture).any(|step| step.task == row.task)
        };
        let mut plan = Plan { folds: true, rule, measured, ..Plan::default() };
        for (i, row) in rows.into_iter().enumerate() {
            let shown = i < FIRST || on_path(&row);
            if shown { plan.lanes.push(row) } else { plan.hidden.push(row) }
        }
        let hidden = |row: &PickRow| plan.hidden.iter().any(|other| other.task == row.task);
        plan.measured.retain(|row| !hidden(row));
        plan
    }

    /// How many lines the lanes take.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.lanes.len() + usize::from(self.folds)
    }

    /// "18 more, 5 eligible".
    #[must_use]
    pub fn summary(&self) -> String {
        if self.hidden.is_empty() {
            return "show fewer".to_string();
        }
        if self.rule == Rule::Cfs {
            return format!("{} more", self.hidden.len());
        }
        let eligible = self.hidden.iter().filter(|row| row.eligible).count();
        format!("{} more, {eligible} eligible", self.hidden.len())
    }
}
