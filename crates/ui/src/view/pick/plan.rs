//! Which tasks of a queue get a lane, and which are told in one line.

use super::rule::Rule;
use schedscope_session::update::{PickPicture, PickRow};

/// With more tasks than this, some are folded away.
pub const MANY: usize = 14;
/// How many lanes the earliest deadlines get then.
const FIRST: usize = 12;

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
}

impl Plan {
    /// The plan of a picture. Beyond [`MANY`] tasks, those with the first deadlines and all on the
    /// path of the search keep their lane, unless the rest was opened.
    #[must_use]
    pub fn of(picture: &PickPicture, open: bool) -> Plan {
        let rule = Rule::of(picture);
        let rows = rule.rows(picture);
        if rows.len() <= MANY || open {
            return Plan { folds: rows.len() > MANY, lanes: rows, hidden: Vec::new(), rule };
        }
        let on_path = |row: &PickRow| {
            row.curr
                || picture.chosen == Some(row.task)
                || picture.walk.iter().any(|step| step.task == row.task)
        };
        let mut plan = Plan { folds: true, rule, ..Plan::default() };
        for (i, row) in rows.into_iter().enumerate() {
            let shown = i < FIRST || on_path(&row);
            if shown { plan.lanes.push(row) } else { plan.hidden.push(row) }
        }
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
