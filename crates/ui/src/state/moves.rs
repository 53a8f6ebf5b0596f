//! Where a step goes: pure functions of the moment shown, the cursor in it, and the unit.

use super::{ByStep, Cursor, Tab};
use crate::action::Way;
use crate::view::placement::progress::is_scan;
use schedscope_session::update::{Decision, DecisionKind, Moment};
use schedscope_session::{Goto, Stride};

/// Where a step leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// To another place in the same moment.
    Within(Cursor),
    /// To another moment; there, land like this.
    Away(Goto, Landing),
    /// Nowhere: this is the first or the last place.
    Nowhere,
}

/// Where in a moment the cursor comes to rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landing {
    /// On the first check of the first decision.
    First,
    /// On the last check of the last decision.
    Last,
    /// On the last check of the first decision.
    FirstOutcome,
    /// On this decision and check, as far as they exist, after so many probes.
    At(usize, usize, usize),
}

/// Whether a tab is about decisions of this kind.
#[must_use]
pub fn suits(tab: Tab, kind: DecisionKind) -> bool {
    match tab {
        Tab::Pick | Tab::Tree => matches!(kind, DecisionKind::Pick | DecisionKind::Preemption),
        Tab::Placement => !matches!(kind, DecisionKind::Pick | DecisionKind::Preemption),
        Tab::Metrics | Tab::Machine | Tab::Tasks => true,
    }
}

/// The decisions of a moment that a tab is about, in order; if `only` is given, only those of a
/// CPU.
fn shown(moment: &Moment, tab: Tab, only: Option<u16>) -> Vec<usize> {
    let suit = |d: &Decision| {
        suits(tab, d.kind)
            && (only.is_none_or(|cpu| d.cpu == cpu) || !matches!(tab, Tab::Pick | Tab::Tree))
    };
    (0..moment.decisions.len()).filter(|&i| suit(&moment.decisions[i])).collect()
}

/// All places of a moment in the order in which stepping by check visits them. A scan is visited
/// CPU by CPU.
#[must_use]
pub fn stops(moment: &Moment, tab: Tab, only: Option<u16>) -> Vec<Cursor> {
    let mut stops = Vec::new();
    for decision in shown(moment, tab, only) {
        let checks = &moment.decisions[decision].checks;
        if checks.is_empty() {
            stops.push(Cursor { step: moment.step, decision, check: 0, probe: usize::MAX });
        }
        for (check, it) in checks.iter().enumerate() {
            let at = Cursor { step: moment.step, decision, check, probe: usize::MAX };
            if it.probes.len() > 1 && !it.skipped && is_scan(it) {
                stops.extend((1..it.probes.len()).map(|probe| Cursor { probe, ..at }));
            }
            stops.push(at);
        }
    }
    stops
}

/// Where the cursor rests in a moment that has just come.
#[must_use]
pub fn land(moment: &Moment, tab: Tab, only: Option<u16>, landing: Landing) -> Cursor {
    let stops = stops(moment, tab, only);
    let here = Cursor { step: moment.step, ..Cursor::default() };
    let last_of = |decision: usize| stops.iter().rfind(|s| s.decision == decision).copied();
    let found = match landing {
        Landing::First => stops.first().copied(),
        Landing::Last => stops.last().copied(),
        Landing::FirstOutcome => stops.first().and_then(|s| last_of(s.decision)),
        Landing::At(decision, check, probe) => {
            let at = moment.decisions.get(decision).map(|d| {
                let check = check.min(d.checks.len().saturating_sub(1));
                Cursor { step: moment.step, decision, check, probe }
            });
            at.or(stops.last().copied())
        }
    };
    found.unwrap_or(here)
}

/// The stride between moments that belongs to a unit on a tab.
pub(super) fn stride(by: ByStep, tab: Tab, only: Option<u16>) -> Stride {
    match (by, tab, only) {
        (ByStep::Event, ..) => Stride::Event,
        (ByStep::Tick, ..) => Stride::Tick,
        (_, Tab::Pick | Tab::Tree, Some(cpu)) => Stride::Switch(cpu),
        (_, Tab::Pick | Tab::Tree, None) => Stride::Kind(DecisionKind::Pick),
        (_, Tab::Placement, _) => Stride::Kind(DecisionKind::Placement),
        _ => Stride::Decision,
    }
}

/// What to say where no further step of this kind is.
pub(super) fn none_left(by: ByStep, tab: Tab, only: Option<u16>) -> String {
    let what = match stride(by, tab, only) {
        Stride::Event => return "This is the end of the run".into(),
        Stride::Tick => "tick".to_string(),
        Stride::Switch(cpu) => format!("pick on CPU {cpu}"),
        Stride::Kind(DecisionKind::Pick) => "pick".to_string(),
        Stride::Kind(DecisionKind::Placement) => "placement".to_string(),
        Stride::Kind(_) | Stride::Decision => "decision".to_string(),
    };
    format!("There is no further {what} in this run")
}

/// One step.
#[must_use]
pub fn step(
    moment: &Moment,
    cursor: Cursor,
    way: Way,
    by: ByStep,
    tab: Tab,
    only: Option<u16>,
) -> Move {
    let stops = stops(moment, tab, only);
    let order = |c: &Cursor| (c.decision, c.check, c.probe);
    let within = match (by, way) {
        (ByStep::Check, Way::Forward) => stops.iter().find(|s| order(s) > order(&cursor)),
        (ByStep::Check, Way::Back) => stops.iter().rfind(|s| order(s) < order(&cursor)),
        (ByStep::Decision, Way::Forward) => {
            // First to the outcome of the decision one is in, then to the next decision's.
            let ahead = stops.iter().find(|s| order(s) > order(&cursor));
            ahead.and_then(|a| stops.iter().rfind(|s| s.decision == a.decision))
        }
        (ByStep::Decision, Way::Back) => stops.iter().rfind(|s| s.decision < cursor.decision),
        (ByStep::Event | ByStep::Tick, _) => None,
    };
    if let Some(&there) = within {
        return Move::Within(there);
    }
    let stride = stride(by, tab, only);
    match way {
        Way::Forward => {
            let landing = match by {
                ByStep::Check => Landing::First,
                ByStep::Decision => Landing::FirstOutcome,
                ByStep::Event | ByStep::Tick => Landing::Last,
            };
            Move::Away(Goto::Next(stride, moment.step), landing)
        }
        Way::Back if moment.step == 0 => Move::Nowhere,
        Way::Back => Move::Away(Goto::Previous(stride, moment.step), Landing::Last),
    }
}
