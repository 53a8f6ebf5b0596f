//! The state of the page and the one function that changes it.
//!
//! `apply` has no effects. What has to be asked of the worker is in the list that it returns;
//! whatever else must follow (address, storage, drawing) is done by those who watch the state.

mod beside;
mod carry;
mod changes;
mod edits;
mod look;
mod moves;
mod patterns;
mod requests;
mod suppose;
mod teach;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod travel;
mod types;

pub use beside::Second;
pub use carry::Carry;
pub use changes::Changes;
pub use edits::{Past, UNDO_MAX};
pub use look::{Span, ZOOM_MIN};
pub use moves::{Landing, Move, land, step, stops, suits};
pub use patterns::{PATTERNS, Pattern};
pub use requests::{Field, Request};
pub use teach::Lesson;
pub use types::*;

use crate::action::{Action, Start};
use requests::Requests;
use schedscope_session::Update;
use schedscope_session::update::{
    Decision, Loaded, Metrics, Moment, Problem, Progress, RowNow, Window,
};
use std::rc::Rc;

/// All that the page shows, and nothing that moves at sixty hertz.
#[derive(Clone, Debug, Default)]
pub struct AppState {
    /// Whether the engine is there and something is loaded.
    pub phase: Phase,
    /// The document.
    pub doc: Option<Rc<Loaded>>,
    /// The moment on the screen.
    pub moment: Option<Rc<Moment>>,
    /// The stretch of the timeline that was last fetched.
    pub window: Option<Rc<Window>>,
    /// Figures, while the metrics are looked at.
    pub metrics: Option<Rc<Metrics>>,
    /// How far the run has been simulated.
    pub progress: Progress,
    /// The moment as it would be with the value that is being chosen.
    pub what_if: Option<Rc<Moment>>,
    /// A second run beside it, if there is one.
    pub beside: Option<Second>,

    /// Where in the moment one is.
    pub cursor: Cursor,
    /// The CPU whose queue is looked at.
    pub focus: u16,
    /// Whether the user chose it; otherwise it follows the decisions.
    pub focus_held: bool,
    /// The tab.
    pub tab: Tab,
    /// The unit of a step.
    pub by: ByStep,
    /// Whether the run is being played.
    pub playing: bool,
    /// How fast.
    pub pace: Pace,
    /// The stretch of time on the timeline.
    pub span: Span,
    /// Whether the timeline keeps the playhead in view.
    pub follow: bool,

    /// The selected row of the task list.
    pub selected: Option<u16>,
    /// The row under the pointer.
    pub hover: Option<u16>,
    /// Whether the machine shows the busy share of LLCs instead of tasks.
    pub load: bool,
    /// Whether the metrics are of all that was simulated, not up to the playhead.
    pub whole_run: bool,
    /// The LLC that is drawn large.
    pub lens: Option<u16>,
    /// What is being carried.
    pub carry: Option<Carry>,

    /// The lesson one goes through.
    pub lesson: Option<Lesson>,

    /// Light, dark, or as the system has it.
    pub theme: Theme,
    /// The whole page, present, or embedded.
    pub mode: Mode,
    /// Which dialog is open.
    pub dialog: Option<Dialog>,
    /// What panels are open and how wide.
    pub panels: Panels,
    /// Whether single letters are keys.
    pub letter_keys: bool,
    /// Size and kind of the window.
    pub viewport: Viewport,

    /// Documents to go back to.
    pub undo: Vec<Past>,
    /// Documents to go forward to again.
    pub redo: Vec<Past>,

    /// What was wrong with the last thing that came in.
    pub problems: Option<Rc<Problems>>,
    /// Fields whose text was refused, and why.
    pub refused: Vec<(Field, String)>,
    /// One line on what was just done.
    pub status: String,
    /// What the worker said when it died.
    pub crash: Option<Rc<Crash>>,
    /// A file waiting to be handed to the browser.
    pub file: Option<Rc<(String, String)>>,

    requests: Requests,
    /// Size of the timeline, px.
    dock: (f32, f32),
    /// The change that is supposed, and whether the moment with it is on its way.
    supposing: Option<schedscope_session::Edit>,
    /// The second run that the document on its way wants.
    wanted_beside: Option<String>,
    /// Whether the moment on its way should have a decision for the tab, else the next one that
    /// has.
    seeking: bool,
    /// The unit of the step that the moment on its way is to be.
    sought: Option<ByStep>,
    /// Steps asked for while a moment was on its way.
    queued: std::collections::VecDeque<(crate::action::Way, ByStep)>,
    /// The CPU whose queue was last asked for.
    asked_focus: u16,
    /// How far playing by events has come, ns.
    play_time: u64,
    /// How many steps a piece of the run has.
    piece: u32,
    /// The figures last asked for: up to which step, and how far the run had come.
    measured: Option<(Option<schedscope_session::Goto>, u64)>,
    /// The stretch last asked for: from, to, columns, lanes.
    windowed: Option<(u64, u64, u32, Vec<u16>)>,
}

impl AppState {
    /// The page before anything has happened.
    #[must_use]
    pub fn new() -> AppState {
        AppState { letter_keys: true, follow: true, dock: (1440.0, 250.0), ..AppState::default() }
    }

    /// Changes the state; what is returned has to be sent to the worker, in this order.
    #[must_use]
    pub fn apply(&mut self, action: Action) -> Vec<Request> {
        if !matches!(action, Action::Say(_) | Action::Answer { .. } | Action::Hover(_)) {
            self.stop_playing_at(&action);
        }
        match action {
            Action::EngineReady => self.engine_ready(),
            Action::Answer { id, update, took } => self.answer(id, *update, took),
            Action::Crashed(message) => self.crashed(message),
            Action::Restarted => self.reopen(),

            Action::Open(source, start) => self.open(source, start),
            Action::Close => return self.apply(crate::labs::empty()),
            Action::Edit(edit) => self.edit(edit),
            Action::Undo => self.take_back(),
            Action::Redo => self.do_again(),
            Action::Export(format) => self.export(format),
            Action::Saved => self.file = None,

            Action::Step(way) => self.go(way, self.by),
            Action::StepBy(way, by) => self.go(way, by),
            Action::Goto(goto) => self.jump(goto, Landing::Last),
            Action::Home => self.jump(schedscope_session::Goto::Step(0), Landing::First),
            Action::End => self.jump(schedscope_session::Goto::End, Landing::Last),
            Action::ToCheck(check) => self.show_check(check),
            Action::ToDecision(decision) => self.show_decision(decision),
            Action::Play(on) => self.play(on),
            Action::TogglePlay => self.play(!self.playing),
            Action::Due { span } => self.due(span),
            Action::By(by) => self.by = by,
            Action::Pace(pace) => self.pace = pace,
            Action::PaceBy(by) => self.pace = self.pace.shifted(by),

            Action::Page(way) => self.turn_page(way),
            Action::Predict(given) => self.predict(given),
            Action::EndLesson => self.lesson = None,

            Action::Tab(tab) => self.show_tab(tab),
            Action::Focus(cpu) => self.look_at(cpu, true),
            Action::Unfocus => self.unfocus(),
            Action::FocusBy(by) => self.focus_by(by),
            Action::Select(row) => self.selected = row.filter(|&r| self.has_row(r)),
            Action::Hover(row) => self.hover = row,
            Action::Show { from, to } => self.show(from, to),
            Action::Zoom { factor, about } => self.zoom(factor, about),
            Action::Pan(by) => self.pan(by),
            Action::Fit => self.fit(),
            Action::Follow(on) => self.follow = on,
            Action::Dock { width, height } => self.set_dock(width, height),
            Action::Viewport(viewport) => self.viewport = viewport,
            Action::Theme(theme) => self.theme = theme,
            Action::Mode(mode) => self.mode = mode,
            Action::Dialog(dialog) => self.dialog = dialog,
            Action::Rail(open) => self.panels.rail_hidden = !open,
            Action::Split(width) => self.panels.set_split(self.tab, width),
            Action::Tables(on) => self.panels.tables = on,
            Action::LetterKeys(on) => self.letter_keys = on,
            Action::LoadMode(on) => self.load = on,
            Action::Lens(llc) => self.lens = llc,
            Action::WhatIf(edit) => self.suppose(edit),
            Action::Beside(with) => self.set_beside(with),
            Action::Difference { next } => self.seek_difference(next),
            Action::WholeRun(on) => {
                self.whole_run = on;
                self.want_metrics();
            }
            Action::Dismiss => self.problems = None,
            Action::Say(text) => self.status = text,
            Action::Problem(list) => self.refuse("This could not be opened", list),

            Action::PickUp { load, keys } => self.pick_up(load, keys),
            Action::CarryOver(cpu) => self.carry_over(cpu),
            Action::CarryPin(pin) => self.carry_pin(pin),
            Action::CarryText(text) => self.carry_text(text),
            Action::Drop => self.put_down(),
            Action::PutBack => self.put_back(),
        }
        self.requests.take()
    }

    /// Any act of the user's stops playing, save those that only look.
    fn stop_playing_at(&mut self, action: &Action) {
        let acts = matches!(
            action,
            Action::Step(_)
                | Action::StepBy(..)
                | Action::Goto(_)
                | Action::Home
                | Action::End
                | Action::ToCheck(_)
                | Action::ToDecision(_)
                | Action::Edit(_)
                | Action::Undo
                | Action::Redo
                | Action::Open(..)
                | Action::Close
                | Action::PickUp { .. }
                | Action::Difference { .. }
        );
        if acts {
            self.playing = false;
        }
    }

    fn engine_ready(&mut self) {
        if self.phase == Phase::Starting {
            self.phase = Phase::Empty;
        }
        self.requests.engine_ready();
    }

    fn answer(&mut self, id: u32, update: Update, took: f64) {
        let Some(purpose) = self.requests.answered(id) else { return };
        match update {
            Update::Loaded(loaded) => self.loaded(*loaded, purpose),
            Update::Edited(edited) => self.edited(*edited, &purpose),
            Update::Rejected(problems) => self.rejected(&purpose, problems),
            Update::Moment(moment) => self.arrived(*moment, &purpose),
            Update::Walked { moment, decision } => self.walked(*moment, decision, &purpose),
            Update::Advanced(progress) => self.advanced(progress, took),
            Update::Window(window) => self.got_window(*window),
            Update::Metrics(metrics) => {
                self.metrics = Some(Rc::new(*metrics));
                self.want_metrics();
            }
            Update::WhatIf(moment) => self.supposed(*moment),
            Update::Beside(told) => self.got_beside(told.map(|told| *told)),
            Update::Difference(found) => self.got_difference(*found),
            Update::Second(update) => self.second_answered(*update),
            Update::File { name, text } => {
                self.status = format!("{name} is ready to save");
                self.file = Some(Rc::new((name, text)));
            }
        }
    }

    /// Something that came in was refused: say why, and leave the rest of the screen alone.
    fn refuse(&mut self, title: &str, list: Vec<Problem>) {
        self.problems = Some(Rc::new(Problems { title: title.into(), list }));
    }

    /// The worker died. What is on the screen stays; nothing that was asked will be answered.
    fn crashed(&mut self, message: String) {
        self.playing = false;
        self.queued.clear();
        self.requests.forget();
        let doc = self.doc.as_ref();
        self.crash = Some(Rc::new(Crash {
            message,
            title: doc.map_or_else(String::new, |d| d.title.clone()),
            kernel: doc.map_or_else(String::new, |d| d.kernel.name.clone()),
            seed: doc.map_or(0, |d| d.seed),
            step: self.cursor.step,
            text: doc.map_or_else(String::new, |d| d.text.clone()),
        }));
    }

    /// Whether there is such a row.
    fn has_row(&self, row: u16) -> bool {
        self.doc.as_ref().is_some_and(|d| usize::from(row) < d.rows.len())
    }

    /// What holds of a row at the moment shown; the document's figures before there is one.
    #[must_use]
    pub fn row_now(&self, row: u16) -> RowNow {
        let at = usize::from(row);
        if let Some(now) = self.moment.as_ref().and_then(|m| m.rows.get(at)) {
            return now.clone();
        }
        let row = self.doc.as_ref().and_then(|d| d.rows.get(at));
        row.map_or_else(RowNow::default, |row| RowNow {
            nice: row.nice,
            latency_nice: row.latency_nice,
            slice: row.slice,
            affinity: row.affinity.clone(),
            group: row.group,
        })
    }

    /// The CPU whose picks are stepped through; `None` is any.
    #[must_use]
    pub fn only(&self) -> Option<u16> {
        self.focus_held.then_some(self.focus)
    }

    /// The decision that is being looked at, if this tab has one at this moment.
    #[must_use]
    pub fn decision(&self) -> Option<&Decision> {
        let moment = self.moment.as_ref()?;
        let decision = moment.decisions.get(self.cursor.decision)?;
        suits(self.tab, decision.kind).then_some(decision)
    }

    /// "check 3 of 8": the number of the current check and how many there are.
    #[must_use]
    pub fn check_of(&self) -> Option<(usize, usize)> {
        let decision = self.decision()?;
        let n = decision.checks.len();
        (n > 0).then(|| (self.cursor.check.min(n - 1) + 1, n))
    }

    /// Whether the current check is the last of its decision, with all its probes made.
    #[must_use]
    pub fn outcome_shown(&self) -> bool {
        self.check_of().is_none_or(|(i, n)| i == n)
            && self.probe_limit().is_none_or(|limit| self.cursor.probe >= limit)
    }

    /// How many probes the current check makes.
    fn probe_limit(&self) -> Option<usize> {
        let check = self.decision()?.checks.get(self.cursor.check)?;
        Some(check.probes.len())
    }

    /// Whether stepping back leads anywhere.
    #[must_use]
    pub fn at_start(&self) -> bool {
        let Some(moment) = &self.moment else { return true };
        moment.step == 0
            && step(moment, self.cursor, crate::action::Way::Back, self.by, self.tab, self.only())
                == Move::Nowhere
    }

    /// The time on the screen, ns.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.moment.as_ref().map_or(0, |m| m.now)
    }

    /// The place that a link to this screen names.
    #[must_use]
    pub fn link(&self) -> Option<crate::url::Link> {
        let doc = self.doc.as_ref()?;
        Some(crate::url::Link {
            doc: doc.packed.clone(),
            step: self.cursor.step,
            time: self.now(),
            tab: self.tab.code(),
            focus: self.focus_held.then_some(self.focus),
            decision: self.cursor.decision.min(u16::MAX.into()) as u16,
            check: self.cursor.check.min(u16::MAX.into()) as u16,
            from: self.span.from,
            to: self.span.to,
            selected: self.selected,
            probe: u16::try_from(self.cursor.probe).ok().filter(|&probe| probe < u16::MAX),
            beside: self.beside.as_ref().map(|second| second.with.clone()),
        })
    }

    /// Where a link begins.
    fn start_of(link: &crate::url::Link) -> Start {
        Start {
            step: Some(link.step),
            time: None,
            tab: Tab::from_code(link.tab),
            decision: Some(link.decision.into()),
            check: Some(link.check.into()),
            probe: link.probe.map(usize::from),
            focus: link.focus,
            select: link.selected,
            seek: false,
            page: None,
        }
    }
}
