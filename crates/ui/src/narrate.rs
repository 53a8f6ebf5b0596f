//! The text of the live region: what a screen reader says after each step.

use crate::state::{AppState, ByStep, Pace};
use crate::view::placement::progress::{Stride, is_scan, visits};
use schedscope_session::update::Picture;

/// What is to be said now: status first if there is a new one, then where one is and what it
/// means. While playing faster than a step in 2 s, only outcomes are read.
#[must_use]
pub fn moment(state: &AppState) -> String {
    if state.playing {
        if !state.outcome_shown() && state.pace != Pace::Slow {
            return String::new();
        }
        if matches!(state.by, ByStep::Event | ByStep::Tick) {
            return String::new();
        }
    }
    let answer = answer(state);
    let place = match state.check_of() {
        Some((i, n)) if !state.outcome_shown() => format!("Check {i} of {n}. "),
        _ => String::new(),
    };
    let text = format!("{place}{}. {}", answer.heading, answer.sentence);
    text.trim().trim_end_matches(". ").to_string()
}

/// The answer block: a heading and a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// "D runs next", or the question of a check whose answer is shown.
    pub heading: String,
    /// One or two sentences with the numbers.
    pub sentence: String,
    /// The task it is about.
    pub task: Option<u32>,
}

/// What the answer block says now.
#[must_use]
pub fn answer(state: &AppState) -> Answer {
    let Some(decision) = state.decision() else { return no_decision(state) };
    if state.outcome_shown() {
        return Answer {
            heading: decision.heading.clone(),
            sentence: decision.sentence.clone(),
            task: decision.task,
        };
    }
    let Some(check) = decision.checks.get(state.cursor.check) else {
        return Answer::default();
    };
    let probes = check.probes.len();
    let probe = state.cursor.probe;
    if probe < probes {
        // In the middle of a scan: the CPU that is being looked at.
        let it = &check.probes[probe.saturating_sub(1)];
        let found = if it.idle { "idle" } else { "not idle" };
        let mut sentence = format!("CPU {} is {found}", it.cpu);
        if is_scan(check) {
            // A scan by cores looks at several CPUs of one.
            let (what, number) = match (&decision.picture, &state.doc) {
                (Picture::Place(place), Some(doc)) => {
                    let seen = visits(check, probe, place, &doc.machine);
                    let by_core = seen.last().is_some_and(|visit| visit.stride == Stride::Core);
                    (if by_core { "core" } else { "number" }, seen.len().max(1))
                }
                _ => ("number", probe),
            };
            sentence.push_str(&format!(": {what} {number} of the scan"));
        }
        return Answer {
            heading: check.title.clone(),
            sentence: format!("{sentence}."),
            task: check.tasks.first().copied().or(decision.task),
        };
    }
    let heading = if check.result.is_empty() || check.skipped {
        check.title.clone()
    } else {
        let end = check.title.ends_with(['?', '.', ':']);
        let colon = if end { "" } else { ":" };
        format!("{}{colon} {}", check.title, check.result)
    };
    Answer {
        heading,
        sentence: check.sentence.clone(),
        task: check.tasks.first().copied().or(decision.task),
    }
}

/// What is said where the tab has nothing to explain.
fn no_decision(state: &AppState) -> Answer {
    use crate::state::Tab;
    let Some(moment) = &state.moment else { return Answer::default() };
    if moment.step == 0 {
        return Answer {
            heading: "Before the first event".into(),
            sentence: "Step forward to see the first decision.".into(),
            task: None,
        };
    }
    let (heading, hint) = match state.tab {
        Tab::Pick | Tab::Tree => {
            ("No task is picked at this step", " The queue is shown as it stands.")
        }
        Tab::Placement => ("No task is placed at this step", ""),
        _ => ("Nothing is decided at this step", ""),
    };
    let event = moment.event.trim_end_matches('.');
    let event = if event.is_empty() { String::new() } else { format!("{event}.") };
    Answer { heading: heading.into(), sentence: format!("{event}{hint}"), task: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Tab;
    use crate::state::testing::{on_screen, pick_and_place};

    #[test]
    fn checks_are_counted_and_the_outcome_is_not() {
        let mut state = on_screen(pick_and_place());
        state.tab = Tab::Pick;
        state.cursor.decision = 1;
        state.cursor.check = 0;
        assert_eq!(moment(&state), "Check 1 of 2. Is curr eligible? no. It has had its share.");
        state.cursor.check = 1;
        assert_eq!(moment(&state), "A runs next. It has the earliest deadline.");
    }

    #[test]
    fn a_scan_names_its_cpus() {
        let mut state = on_screen(pick_and_place());
        state.tab = Tab::Placement;
        state.cursor.decision = 0;
        state.cursor.check = 1;
        state.cursor.probe = 1;
        assert_eq!(
            moment(&state),
            "Check 2 of 2. Scan for an idle CPU. CPU 2 is not idle: number 1 of the scan."
        );
    }

    #[test]
    fn playing_fast_says_only_outcomes() {
        let mut state = on_screen(pick_and_place());
        state.tab = Tab::Pick;
        state.cursor.decision = 1;
        state.cursor.check = 0;
        state.playing = true;
        assert_eq!(moment(&state), "");
        state.cursor.check = 1;
        assert_eq!(moment(&state), "A runs next. It has the earliest deadline.");
    }
}
