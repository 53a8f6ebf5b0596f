//! What of the state differs between two drawings, so that each part of the page is drawn anew only
//! if something that it reads has changed.

use super::{AppState, Second};
use schedscope_session::update::{TaskGroupNow, TaskState};
use std::rc::Rc;

/// A set of parts of the state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes(u32);

impl Changes {
    /// Nothing.
    pub const NONE: Changes = Changes(0);
    /// The document, and whether there is one.
    pub const DOC: Changes = Changes(1);
    /// The moment on the screen, the cursor in it and the CPU in focus; and the moment as it would
    /// be with a value that is being chosen.
    pub const MOMENT: Changes = Changes(1 << 1);
    /// The stretch of the timeline and what was fetched for it.
    pub const WINDOW: Changes = Changes(1 << 2);
    /// The figures.
    pub const METRICS: Changes = Changes(1 << 3);
    /// How far the run has been simulated.
    pub const PROGRESS: Changes = Changes(1 << 4);
    /// What holds of the rows of the task list at the moment: figures, CPUs, who runs.
    pub const ROWS: Changes = Changes(1 << 5);
    /// The tab.
    pub const TAB: Changes = Changes(1 << 6);
    /// Playing: whether, by what unit, how fast; whether the timeline follows.
    pub const PLAY: Changes = Changes(1 << 7);
    /// The selected row.
    pub const SELECTED: Changes = Changes(1 << 8);
    /// The row under the pointer.
    pub const HOVER: Changes = Changes(1 << 9);
    /// What is being carried.
    pub const CARRY: Changes = Changes(1 << 10);
    /// How the machine is drawn.
    pub const LOOK: Changes = Changes(1 << 11);
    /// The lesson.
    pub const LESSON: Changes = Changes(1 << 12);
    /// Size of the window, mode, panels, phase.
    pub const FRAME: Changes = Changes(1 << 13);
    /// Theme.
    pub const THEME: Changes = Changes(1 << 14);
    /// The open dialog.
    pub const DIALOG: Changes = Changes(1 << 15);
    /// What can be undone and done again.
    pub const UNDO: Changes = Changes(1 << 16);
    /// The status line.
    pub const STATUS: Changes = Changes(1 << 17);
    /// Problems and crashes.
    pub const PROBLEMS: Changes = Changes(1 << 18);
    /// A file to hand over.
    pub const FILE: Changes = Changes(1 << 19);
    /// The run beside the first.
    pub const BESIDE: Changes = Changes(1 << 20);
    /// Everything.
    pub const ALL: Changes = Changes(u32::MAX);

    /// Both sets together.
    #[must_use]
    pub const fn and(self, other: Changes) -> Changes {
        Changes(self.0 | other.0)
    }

    /// Whether the sets have something in common.
    #[must_use]
    pub const fn touches(self, other: Changes) -> bool {
        self.0 & other.0 != 0
    }

    fn note(&mut self, part: Changes, differs: bool) {
        if differs {
            self.0 |= part.0;
        }
    }
}

/// Whether two parts are not one and the same.
fn other<T>(a: Option<&Rc<T>>, b: Option<&Rc<T>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => !Rc::ptr_eq(a, b),
        (None, None) => false,
        _ => true,
    }
}

/// Whether the second runs differ in something that is shown.
fn beside(a: Option<&Second>, b: Option<&Second>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => {
            (&a.with, a.progress) != (&b.with, b.progress)
                || other(a.told.as_ref(), b.told.as_ref())
                || other(a.window.as_ref(), b.window.as_ref())
                || other(a.metrics.as_ref(), b.metrics.as_ref())
                || other(a.difference.as_ref(), b.difference.as_ref())
        }
        (None, None) => false,
        _ => true,
    }
}

impl AppState {
    /// What a page that shows `old` has to draw anew. Parts that are shared are compared by
    /// identity, so `old` must have been cloned, not made again.
    #[must_use]
    pub fn changes(&self, old: &AppState) -> Changes {
        let mut all = Changes::NONE;
        let doc = other(self.doc.as_ref(), old.doc.as_ref());
        all.note(Changes::DOC, doc);
        let moment = other(self.moment.as_ref(), old.moment.as_ref());
        let place = |s: &AppState| (s.cursor, s.focus, s.focus_held);
        let supposed = other(self.what_if.as_ref(), old.what_if.as_ref());
        all.note(Changes::MOMENT, moment || supposed || place(self) != place(old));
        let rows = moment && self.rows_shown() != old.rows_shown();
        all.note(Changes::ROWS, doc || rows);
        let window = other(self.window.as_ref(), old.window.as_ref());
        all.note(Changes::WINDOW, window || self.span != old.span || self.dock != old.dock);
        let metrics = other(self.metrics.as_ref(), old.metrics.as_ref());
        all.note(Changes::METRICS, metrics || self.whole_run != old.whole_run);
        all.note(Changes::BESIDE, beside(self.beside.as_ref(), old.beside.as_ref()));
        all.note(Changes::PROGRESS, self.progress != old.progress);
        all.note(Changes::TAB, self.tab != old.tab);
        let play = |s: &AppState| (s.playing, s.by, s.pace, s.follow);
        all.note(Changes::PLAY, play(self) != play(old));
        all.note(Changes::SELECTED, self.selected != old.selected);
        all.note(Changes::HOVER, self.hover != old.hover);
        all.note(Changes::CARRY, self.carry != old.carry);
        all.note(Changes::LOOK, (self.load, self.lens) != (old.load, old.lens));
        all.note(Changes::LESSON, self.lesson != old.lesson);
        let frame = |s: &AppState| (s.phase, s.mode, s.viewport, s.letter_keys);
        all.note(Changes::FRAME, frame(self) != frame(old) || self.panels != old.panels);
        all.note(Changes::THEME, self.theme != old.theme);
        all.note(Changes::DIALOG, self.dialog != old.dialog);
        all.note(Changes::UNDO, self.undo != old.undo || self.redo != old.redo);
        all.note(Changes::STATUS, self.status != old.status);
        let problems = other(self.problems.as_ref(), old.problems.as_ref());
        let crash = other(self.crash.as_ref(), old.crash.as_ref());
        let refused = self.refused != old.refused;
        all.note(Changes::PROBLEMS, problems || crash || refused);
        all.note(Changes::FILE, other(self.file.as_ref(), old.file.as_ref()));
        all
    }

    /// What the task list shows of the moment: what holds of the rows, and of each whether it runs
    /// and the slice of its first task; and of the groups their figures.
    fn rows_shown(&self) -> Option<impl PartialEq> {
        let moment = self.moment.as_ref()?;
        let mut rows = vec![(false, 0); self.doc.as_ref().map_or(0, |d| d.rows.len())];
        for task in &moment.tasks {
            if let Some((runs, slice)) = rows.get_mut(usize::from(task.row)) {
                *runs |= task.state == TaskState::Running;
                *slice = if *slice == 0 { task.slice } else { *slice };
            }
        }
        let group = |group: &TaskGroupNow| {
            let on: Vec<(u16, u32)> = group.on.iter().map(|on| (on.cpu, on.weight)).collect();
            (group.shares, group.latency_nice, on)
        };
        let groups: Vec<_> = moment.groups.iter().map(group).collect();
        Some((moment.rows.clone(), rows, groups))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Action;

    fn check(action: Action, expected: Changes) {
        let old = AppState::new();
        let mut new = old.clone();
        _ = new.apply(action);
        assert_eq!(new.changes(&old), expected);
    }

    #[test]
    fn changes_are_told_apart() {
        check(Action::Say(String::new()), Changes::NONE);
        check(Action::Say("done".into()), Changes::STATUS);
        check(Action::Hover(Some(1)), Changes::HOVER);
        check(Action::LoadMode(true), Changes::LOOK);
        check(Action::Tab(super::super::Tab::Tree), Changes::TAB);
        check(Action::Follow(false), Changes::PLAY);
        check(Action::Theme(super::super::Theme::Dark), Changes::THEME);
        check(Action::Rail(false), Changes::FRAME);
        check(Action::Problem(Vec::new()), Changes::PROBLEMS);
    }

    #[test]
    fn sets_touch() {
        let both = Changes::DOC.and(Changes::TAB);
        assert!(both.touches(Changes::TAB));
        assert!(!both.touches(Changes::HOVER));
        assert!(Changes::ALL.touches(Changes::FILE));
        assert!(!Changes::NONE.touches(Changes::ALL));
    }
}
