//! The keys, as data: what the page listens to and what the help sheet shows.

use crate::action::{Action, Load, Way};
use crate::state::{AppState, ByStep, Dialog, Frame, Mode, Tab};
use schedscope_session::Edit;

/// A line of the help sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The keys, as they are written.
    pub keys: &'static [&'static str],
    /// What they do.
    pub does: &'static str,
}

const fn binding(keys: &'static [&'static str], does: &'static str) -> Binding {
    Binding { keys, does }
}

/// The whole table.
pub const TABLE: &[Binding] = &[
    binding(&["→", "←"], "step, by the chosen unit (clickers: Page Down, Page Up)"),
    binding(&["Shift →", "Shift ←"], "next, previous decision"),
    binding(&["D", "Shift D"], "two kernels: next, first difference"),
    binding(&["Space"], "play, pause"),
    binding(&["Home", "End"], "start, end of the run"),
    binding(&["<", ">"], "play slower, faster"),
    binding(&["[", "]"], "previous, next CPU in focus"),
    binding(&["1", "2", "3", "4"], "Pick, Placement, Queue tree, Metrics"),
    binding(&["T", "C", "L"], "focus tasks, machine, timeline"),
    binding(&["F6"], "go round the regions of the page"),
    binding(&["F"], "follow the playhead"),
    binding(&["+", "−", "0"], "timeline: zoom in, out, fit"),
    binding(&["M"], "move the selected task to CPUs"),
    binding(&["U"], "machine: tasks, or busy share of each LLC"),
    binding(&["A"], "add a task"),
    binding(&["Del"], "remove the selected task"),
    binding(&["Ctrl Z", "Ctrl Shift Z"], "undo, redo"),
    binding(&["\\"], "show or hide the task list"),
    binding(&["Alt T"], "tables instead of pictures"),
    binding(&["P"], "present"),
    binding(&["S", "E"], "share, export"),
    binding(&["?"], "keys and glossary"),
    binding(&["Esc"], "close, put back"),
];

/// A key that was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<'a> {
    /// The browser's name of it ("ArrowRight", "a").
    pub name: &'a str,
    /// Shift is held.
    pub shift: bool,
    /// Control or Command is held.
    pub ctrl: bool,
    /// Alt is held.
    pub alt: bool,
}

/// What a key asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    /// An action of the state.
    Act(Action),
    /// The browser's focus goes to a region.
    Focus(Region),
    /// The focus goes to the next region, or the one before.
    Round(Way),
}

/// Regions of the page, in the order of focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// The task list.
    Tasks,
    /// The patterns.
    Patterns,
    /// The machine.
    Machine,
    /// The timeline.
    Timeline,
}

/// What a key means now. Keys in text fields never come here.
#[must_use]
pub fn wish(key: Key, state: &AppState) -> Option<Wish> {
    use Wish::Act;
    if state.carry.as_ref().is_some_and(|c| c.keys)
        && let Some(action) = carrying(key, state)
    {
        return Some(Act(action));
    }
    if key.ctrl {
        return match key.name {
            "z" | "Z" if key.shift => Some(Act(Action::Redo)),
            "z" => Some(Act(Action::Undo)),
            "y" => Some(Act(Action::Redo)),
            _ => None,
        };
    }
    if key.alt {
        return (key.name == "t").then_some(Act(Action::Tables(!state.panels.tables)));
    }
    if let Some(wish) = named(key, state) {
        return Some(wish);
    }
    // Single characters can be switched off (WCAG 2.1.4).
    if state.letter_keys { letter(key, state) } else { None }
}

fn named(key: Key, state: &AppState) -> Option<Wish> {
    use Wish::Act;
    let step = |way| match key.shift {
        true => Act(Action::StepBy(way, ByStep::Decision)),
        false => Act(Action::Step(way)),
    };
    match key.name {
        "ArrowRight" | "PageDown" => Some(step(Way::Forward)),
        "ArrowLeft" | "PageUp" => Some(step(Way::Back)),
        "Home" => Some(Act(Action::Home)),
        "End" => Some(Act(Action::End)),
        " " => Some(Act(Action::TogglePlay)),
        "F6" => Some(Wish::Round(if key.shift { Way::Back } else { Way::Forward })),
        "Delete" => state.selected.map(|row| Act(Action::Edit(Edit::Remove(row)))),
        "Escape" => escape(state).map(Act),
        _ => None,
    }
}

fn escape(state: &AppState) -> Option<Action> {
    if state.carry.is_some() {
        Some(Action::PutBack)
    } else if state.dialog.is_some() {
        Some(Action::Dialog(None))
    } else if state.mode == Mode::Present {
        Some(Action::Mode(Mode::Main))
    } else if state.lens.is_some() {
        Some(Action::Lens(None))
    } else if state.problems.is_some() {
        Some(Action::Dismiss)
    } else if state.focus_held {
        Some(Action::Unfocus)
    } else {
        state.selected.map(|_| Action::Select(None))
    }
}

fn letter(key: Key, state: &AppState) -> Option<Wish> {
    use Wish::{Act, Focus};
    let phone = state.viewport.frame() == Frame::Phone;
    let wish = match key.name {
        "1" => Act(Action::Tab(Tab::Pick)),
        "2" => Act(Action::Tab(Tab::Placement)),
        "3" => Act(Action::Tab(Tab::Tree)),
        "4" => Act(Action::Tab(Tab::Metrics)),
        "5" if phone => Act(Action::Tab(Tab::Machine)),
        "6" if phone => Act(Action::Tab(Tab::Tasks)),
        "<" | "," => Act(Action::PaceBy(-1)),
        ">" | "." => Act(Action::PaceBy(1)),
        "[" => Act(Action::FocusBy(-1)),
        "]" => Act(Action::FocusBy(1)),
        "+" | "=" => Act(Action::Zoom { factor: 1.5, about: None }),
        "-" | "−" => Act(Action::Zoom { factor: 1.0 / 1.5, about: None }),
        "0" => Act(Action::Fit),
        "?" => Act(Action::Dialog(Some(Dialog::Help))),
        "\\" => Act(Action::Rail(state.panels.rail_hidden)),
        other => match other.to_ascii_lowercase().as_str() {
            "t" => Focus(Region::Tasks),
            "c" => Focus(Region::Machine),
            "l" => Focus(Region::Timeline),
            "a" => Focus(Region::Patterns),
            "d" => {
                state.beside.as_ref()?;
                Act(Action::Difference { next: !key.shift })
            }
            "f" => Act(Action::Follow(!state.follow)),
            "p" if state.mode == Mode::Present => Act(Action::Mode(Mode::Main)),
            "p" => Act(Action::Mode(Mode::Present)),
            "s" => Act(Action::Dialog(Some(Dialog::Share))),
            "e" => Act(Action::Dialog(Some(Dialog::Export))),
            "u" => Act(Action::LoadMode(!state.load)),
            "m" => {
                let row = state.selected?;
                Act(Action::PickUp { load: Load::Row(row), keys: true })
            }
            _ => return None,
        },
    };
    Some(wish)
}

/// Keys while the keyboard carries a card: arrows go over the CPUs as they lie on the machine
/// (left and right by core, up and down by thread), digits type a number.
fn carrying(key: Key, state: &AppState) -> Option<Action> {
    let carry = state.carry.as_ref()?;
    let over = |cpu: Option<u16>| cpu.map(|c| Action::CarryOver(Some(c)));
    match key.name {
        "ArrowRight" => over(neighbour(state, carry.over, 1, false)),
        "ArrowLeft" => over(neighbour(state, carry.over, -1, false)),
        "ArrowDown" => over(neighbour(state, carry.over, 1, true)),
        "ArrowUp" => over(neighbour(state, carry.over, -1, true)),
        "Enter" | " " => Some(Action::Drop),
        "Escape" => Some(Action::PutBack),
        "p" | "P" => Some(Action::CarryPin(!carry.pin)),
        _ => None,
    }
}

/// The CPU beside another one: by core in the same row of threads, or the next thread of its core.
#[must_use]
pub fn neighbour(state: &AppState, cpu: Option<u16>, by: i32, thread: bool) -> Option<u16> {
    let places = &state.doc.as_ref()?.machine.cpus;
    let Some(cpu) = cpu.filter(|&c| usize::from(c) < places.len()) else {
        return (!places.is_empty()).then_some(0);
    };
    let here = places[usize::from(cpu)];
    let row: Vec<u16> = (0..places.len() as u16)
        .filter(|&c| {
            let there = places[usize::from(c)];
            if thread { there.core == here.core } else { there.thread == here.thread }
        })
        .collect();
    let at = row.iter().position(|&c| c == cpu)? as i32;
    let next = (at + by).rem_euclid(row.len() as i32);
    row.get(next as usize).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::testing::{on_screen, pick_and_place};

    fn key(name: &str) -> Key<'_> {
        Key { name, shift: false, ctrl: false, alt: false }
    }

    #[test]
    fn arrows_step_and_shift_arrows_go_by_decision() {
        let state = AppState::new();
        assert_eq!(wish(key("ArrowRight"), &state), Some(Wish::Act(Action::Step(Way::Forward))));
        let shifted = Key { shift: true, ..key("ArrowLeft") };
        let by = Action::StepBy(Way::Back, ByStep::Decision);
        assert_eq!(wish(shifted, &state), Some(Wish::Act(by)));
    }

    #[test]
    fn letters_can_be_switched_off() {
        let mut state = AppState::new();
        assert!(wish(key("p"), &state).is_some());
        state.letter_keys = false;
        assert_eq!(wish(key("p"), &state), None);
        assert!(wish(key("ArrowRight"), &state).is_some());
    }

    #[test]
    fn escape_closes_one_thing_at_a_time() {
        let mut state = on_screen(pick_and_place());
        state.selected = Some(0);
        state.dialog = Some(Dialog::Help);
        assert_eq!(wish(key("Escape"), &state), Some(Wish::Act(Action::Dialog(None))));
        state.dialog = None;
        assert_eq!(wish(key("Escape"), &state), Some(Wish::Act(Action::Select(None))));
    }

    #[test]
    fn a_carried_card_goes_over_cores_and_threads() {
        let mut state = on_screen(pick_and_place());
        let _ = state.apply(Action::PickUp { load: Load::Row(0), keys: true });
        let over = |cpu| Some(Wish::Act(Action::CarryOver(Some(cpu))));
        assert_eq!(wish(key("ArrowRight"), &state), over(0));
        assert_eq!(wish(key("ArrowDown"), &state), over(3));
        assert_eq!(wish(key("ArrowLeft"), &state), over(0));
        assert_eq!(wish(key("Enter"), &state), Some(Wish::Act(Action::Drop)));
    }
}
