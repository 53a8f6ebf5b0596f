//! Opening documents, changing them, and going back in the stack of edits.

use super::requests::{Field, Purpose, Rewind, Then};
use super::{AppState, ByStep, Cursor, Landing, Phase, moves};
use crate::action::{Source, Start};
use schedscope_scenario::topology_file;
use schedscope_session::update::{DecisionKind, Edited, Loaded, Moment, Problem, Progress};
use schedscope_session::{Command, Edit, Format, Goto, Who};
use std::rc::Rc;

/// How many edits can be taken back.
pub const UNDO_MAX: usize = 200;

/// A document to go back to, and the edit that led away from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Past {
    /// The document, packed.
    pub packed: Rc<Vec<u8>>,
    /// What the edit did ("nice of hash −10").
    pub done: String,
    /// The step on the screen at the time.
    pub step: u64,
}

impl AppState {
    pub(super) fn open(&mut self, source: Source, start: Start) {
        let mut lesson = None;
        let source = match source {
            Source::Lab(id) => {
                let text = crate::labs::find(id).map_or("", |lab| lab.text).to_owned();
                Source::Text { text, name: String::new() }
            }
            source => source,
        };
        let (command, start, what) = match source {
            Source::Lab(_) => return,
            // A machine for the tasks that are there is a change like any other.
            Source::Text { text, .. }
                if self.doc.is_some() && topology_file::recognise(&text).is_some() =>
            {
                self.dialog = None;
                return self.edit(Edit::Machine(text));
            }
            Source::Text { text, .. } => {
                lesson = super::Lesson::of(&text, &start).map(Box::new);
                self.wanted_beside = None;
                (Command::Load { text }, start, "This scenario could not be opened")
            }
            Source::Link(link) => {
                let from_link = AppState::start_of(&link);
                self.wanted_beside = link.beside.clone();
                if link.from < link.to {
                    self.span = super::Span { from: link.from, to: link.to };
                }
                let start = if start == Start::default() { from_link } else { start };
                (
                    Command::LoadPacked { packed: link.doc },
                    start,
                    "The link's scenario could not be opened",
                )
            }
        };
        if self.doc.is_none() {
            self.phase = Phase::Opening;
        }
        self.dialog = None;
        self.problems = None;
        self.requests.ask(command, Purpose::Open { start, what, lesson });
    }

    /// A document was accepted.
    pub(super) fn loaded(&mut self, loaded: Loaded, purpose: Purpose) {
        self.requests.drop_views();
        self.crash = None;
        let scene = matches!(purpose, Purpose::Scene);
        let opened = matches!(purpose, Purpose::Open { .. });
        let (goto, landing) = match purpose {
            Purpose::Open { start, lesson, .. } => {
                // A lesson has its own way on; after anything else the last one is a step back.
                match &self.doc {
                    Some(old) if lesson.is_none() && self.lesson.is_none() => {
                        let past = Past {
                            packed: Rc::new(old.packed.clone()),
                            done: is_open(&loaded),
                            step: self.cursor.step,
                        };
                        self.remember(past);
                    }
                    _ => self.undo.clear(),
                }
                self.redo.clear();
                self.queued.clear();
                self.metrics = None;
                self.window = None;
                self.beside = self.wanted_beside.take().map(super::Second::new);
                self.carry = None;
                self.check_start(start, &loaded);
                let cpus = loaded.machine.cpus.len();
                let focus = start.focus.filter(|&cpu| usize::from(cpu) < cpus);
                self.focus = focus.unwrap_or(0);
                self.focus_held = focus.is_some();
                self.selected = start.select.filter(|&r| usize::from(r) < loaded.rows.len());
                if let Some(tab) = start.tab {
                    self.tab = tab;
                }
                if self.span.to > loaded.end || self.span.is_empty() || self.doc.is_some() {
                    self.span = super::Span::first(loaded.end);
                }
                self.status = is_open(&loaded);
                self.seeking = start.seek;
                self.lesson = lesson.map(|lesson| *lesson);
                self.seeking &= self.lesson.is_none();
                AppState::beginning(start)
            }
            Purpose::Rewind(way) => {
                let step = self.rewound(way);
                (Goto::Step(step), Landing::Last)
            }
            Purpose::Reopen { step } => {
                self.status = "The engine runs again".into();
                (Goto::Step(step), Landing::Last)
            }
            _ => (Goto::Step(0), Landing::First),
        };
        let paged = scene || opened && self.lesson.is_some();
        self.take_in(loaded);
        if paged {
            self.show_page();
        } else {
            self.ask_moment(goto, landing);
        }
        self.open_beside();
        self.run_on();
    }

    /// Says what of the place that was asked for this document does not have.
    fn check_start(&mut self, start: Start, loaded: &Loaded) {
        let mut list = Vec::new();
        let mut lacks = |place: &str, sentence: String| {
            list.push(Problem { place: place.into(), sentence, line: None });
        };
        let cpus = loaded.machine.cpus.len();
        if let Some(cpu) = start.focus.filter(|&cpu| usize::from(cpu) >= cpus) {
            lacks("cpu", format!("There is no CPU {cpu} on this machine of {cpus} CPUs."));
        }
        let rows = loaded.rows.len();
        if let Some(row) = start.select.filter(|&row| usize::from(row) >= rows) {
            lacks(
                "row",
                format!("There is no row {}; the task list has {rows}.", u32::from(row) + 1),
            );
        }
        if let Some(time) = start.time.filter(|&time| time > loaded.end) {
            let (time, end) = (crate::format::short_ms(time), crate::format::short_ms(loaded.end));
            lacks("t", format!("The run ends at {end} ms; {time} ms is after that."));
        }
        if !list.is_empty() {
            self.refuse("The address names what is not there; the rest was opened", list);
        }
    }

    /// Where a document begins.
    fn beginning(start: Start) -> (Goto, Landing) {
        let landing = match (start.decision, start.check) {
            (None, None) => Landing::Last,
            (decision, check) => Landing::At(
                decision.unwrap_or(0),
                check.unwrap_or(usize::MAX),
                start.probe.unwrap_or(usize::MAX),
            ),
        };
        match (start.step, start.time) {
            (Some(step), _) => (Goto::Step(step), landing),
            (None, Some(time)) => (Goto::Time(time), landing),
            (None, None) => (Goto::Step(0), Landing::First),
        }
    }

    fn take_in(&mut self, loaded: Loaded) {
        self.phase = Phase::Ready;
        self.progress = Progress::default();
        let cpus = loaded.machine.cpus.len().max(1) as u16;
        self.focus = self.focus.min(cpus - 1);
        let rows = loaded.rows.len();
        self.selected = self.selected.filter(|&r| usize::from(r) < rows);
        self.hover = None;
        // What was drawn of the old run stays until the new is there, and is fetched anew.
        self.windowed = None;
        self.metrics = None;
        if self.span.to > loaded.end || self.span.is_empty() {
            self.span = super::Span::first(loaded.end);
        }
        self.doc = Some(Rc::new(loaded));
    }

    /// Changes the document or, past the start, the run from this moment on.
    pub(super) fn edit(&mut self, edit: Edit) {
        self.edit_joined(edit, false);
    }

    /// The same; `joined` to the edit before, so that both are undone together.
    pub(super) fn edit_joined(&mut self, edit: Edit, joined: bool) {
        if self.doc.is_none() {
            return;
        }
        let step = self.cursor.step;
        let then = then(&edit);
        let typed = match &edit {
            Edit::Affinity(Who::Row(row), _) => Some(Field::Cpus(*row)),
            Edit::Rename(row, _) => Some(Field::Name(*row)),
            Edit::Program(row, _) => Some(Field::Program(*row)),
            _ => None,
        };
        self.requests.ask(Command::Edit { step, edit }, Purpose::Edit { then, joined, typed });
    }

    /// Why what was typed into a field was refused.
    #[must_use]
    pub fn refusal(&self, field: Field) -> Option<&str> {
        self.refused.iter().find(|(at, _)| *at == field).map(|(_, why)| why.as_str())
    }

    /// The worker made the change.
    pub(super) fn edited(&mut self, edited: Edited, purpose: &Purpose) {
        let Edited { loaded, done, forked } = edited;
        let joined = matches!(purpose, Purpose::Edit { joined: true, .. });
        if let (Some(old), false) = (&self.doc, joined && !self.undo.is_empty()) {
            let past = Past {
                packed: Rc::new(old.packed.clone()),
                done: done.clone(),
                step: self.cursor.step,
            };
            self.remember(past);
        }
        self.redo.clear();
        self.problems = None;
        if let Purpose::Edit { typed: Some(field), .. } = purpose {
            self.refused.retain(|(at, _)| at != field);
        }
        self.status = if forked && self.cursor.step > 0 {
            let gone = if done.contains("is gone") { "" } else { "; what came after is gone" };
            format!("{done}{gone}. Undo brings it back.")
        } else {
            done
        };
        self.requests.drop_views();
        let added = self.doc.as_ref().is_some_and(|old| loaded.rows.len() > old.rows.len());
        if added {
            self.selected = Some(loaded.rows.len() as u16 - 1);
        }
        self.take_in(loaded);
        let now = self.now();
        let Cursor { step, decision, check, probe } = self.cursor;
        let (goto, landing) = match purpose {
            Purpose::Edit { then: Then::Stay, .. } => {
                (Goto::Step(step), Landing::At(decision, check, probe))
            }
            _ if step == 0 => (Goto::Step(0), Landing::Last),
            Purpose::Edit { then: Then::Again, .. } => (Goto::Time(now), Landing::Last),
            _ => (Goto::Step(step + 1), Landing::Last),
        };
        self.ask_moment(goto, landing);
        self.open_beside();
        self.run_on();
    }

    /// Puts a document on the stack of those to go back to.
    pub(super) fn remember(&mut self, past: Past) {
        self.undo.push(past);
        if self.undo.len() > UNDO_MAX {
            self.undo.remove(0);
        }
    }

    pub(super) fn rejected(&mut self, purpose: &Purpose, problems: Vec<Problem>) {
        let title = match purpose {
            Purpose::Open { what, .. } => *what,
            Purpose::Edit { .. } => "This change is not possible",
            Purpose::Scene => "The lesson's scenario could not be opened",
            Purpose::Show(_) => "This step of the lesson leads nowhere",
            Purpose::Rewind(_) => "The earlier document could not be opened again",
            Purpose::Reopen { .. } => "The document could not be opened again",
            Purpose::Export => "The file could not be made",
            Purpose::Beside => "This cannot run beside it",
            _ => "The engine refused a request",
        };
        match purpose {
            // It is said at the field, where it can be mended.
            Purpose::Edit { typed: Some(field), .. } => {
                let list: Vec<String> = problems.iter().map(at_field).collect();
                let why = list.join(" ");
                self.status = format!("Not taken: {why}");
                self.refused.retain(|(at, _)| at != field);
                self.refused.push((*field, why));
                return;
            }
            Purpose::Beside => self.beside = None,
            // It was closed meanwhile, and will be opened again.
            Purpose::Difference
            | Purpose::SecondRun
            | Purpose::SecondWindow
            | Purpose::SecondMetrics => return,
            // The edit itself will be refused with a sentence, if it is made.
            Purpose::WhatIf => return self.forget_supposed(),
            _ => {}
        }
        if self.doc.is_none() && self.phase == Phase::Opening {
            self.phase = Phase::Empty;
        }
        self.refuse(title, problems);
    }

    pub(super) fn take_back(&mut self) {
        if let Some(past) = self.undo.last() {
            let packed = past.packed.to_vec();
            self.requests.ask(Command::LoadPacked { packed }, Purpose::Rewind(Rewind::Undo));
        }
    }

    pub(super) fn do_again(&mut self) {
        if let Some(next) = self.redo.last() {
            let packed = next.packed.to_vec();
            self.requests.ask(Command::LoadPacked { packed }, Purpose::Rewind(Rewind::Redo));
        }
    }

    /// Changes the stacks after going along them; returns the step to show.
    fn rewound(&mut self, way: Rewind) -> u64 {
        let Some(now) = self.doc.as_ref().map(|d| Rc::new(d.packed.clone())) else { return 0 };
        let here = self.cursor.step;
        let (from, to, word) = match way {
            Rewind::Undo => (&mut self.undo, &mut self.redo, "Undone"),
            Rewind::Redo => (&mut self.redo, &mut self.undo, "Done again"),
        };
        let Some(past) = from.pop() else { return here };
        to.push(Past { packed: now, done: past.done.clone(), step: here });
        let done = past.done.split(", from event").next().unwrap_or_default();
        self.status = format!("{word}: {done}");
        past.step
    }

    /// After a crash: the last document, in a new engine.
    pub(super) fn reopen(&mut self) {
        self.requests.engine_ready();
        let Some(doc) = &self.doc else {
            self.crash = None;
            self.phase = Phase::Empty;
            return;
        };
        let packed = doc.packed.clone();
        let step = self.cursor.step;
        self.requests.ask(Command::LoadPacked { packed }, Purpose::Reopen { step });
    }

    pub(super) fn export(&mut self, format: Format) {
        if self.doc.is_some() {
            self.requests.ask(Command::Export { format }, Purpose::Export);
        }
    }

    pub(super) fn ask_moment(&mut self, goto: Goto, landing: Landing) {
        let focus = self.focus;
        self.asked_focus = focus;
        self.sought = None;
        self.requests.ask(Command::Show { goto, focus }, Purpose::Show(landing));
    }

    /// A moment came.
    pub(super) fn arrived(&mut self, moment: Moment, purpose: &Purpose) {
        if matches!(purpose, Purpose::Show(_)) {
            self.forget_supposed();
        }
        let old = self.moment.replace(Rc::new(moment));
        let moment = self.moment.clone().unwrap_or_default();
        self.progress.steps = self.progress.steps.max(moment.steps);
        if let Purpose::Show(landing) = purpose {
            let stuck = old.is_some_and(|o| o.step == moment.step);
            let sought = self.sought.take();
            if let Some(by) = sought.filter(|_| stuck) {
                // One stays where one is.
                self.status = moves::none_left(by, self.tab, self.only());
            } else {
                self.cursor = moves::land(&moment, self.tab, self.only(), *landing);
            }
            let dull = self.decision().is_none_or(|d| d.kind == DecisionKind::Balance);
            if std::mem::take(&mut self.seeking) && dull {
                let stride = moves::stride(ByStep::Decision, self.tab, self.only());
                self.ask_moment(Goto::Next(stride, moment.step), Landing::FirstOutcome);
            }
            // Playing by time goes on through stretches without events.
            let by_time = matches!(self.by, ByStep::Event | ByStep::Tick);
            if stuck && self.playing && !by_time {
                self.playing = false;
                self.status = "The run has ended".into();
            }
            self.keep_in_view();
        }
        self.follow_focus();
        if self.asked_focus != self.focus {
            self.refocus();
        }
        self.next_queued();
        self.want_window();
        self.want_metrics();
    }
}

/// What to show after an edit.
fn then(edit: &Edit) -> Then {
    match edit {
        Edit::Program(..)
        | Edit::Machine(_)
        | Edit::Kernel(_)
        | Edit::Placement(_)
        | Edit::Feature(..)
        | Edit::BaseSlice(_)
        | Edit::Hz(_)
        | Edit::Seed(_) => Then::Again,
        Edit::Rename(..) | Edit::Letter(..) | Edit::Colour(..) | Edit::Muted(..) => Then::Stay,
        _ => Then::Next,
    }
}

/// A problem where its place is seen; a program's line is told.
fn at_field(problem: &Problem) -> String {
    match problem.line {
        Some(line) => format!("Line {line}: {}", problem.sentence),
        None => problem.sentence.clone(),
    }
}

/// What is said when a scenario has been opened.
pub(super) fn is_open(loaded: &Loaded) -> String {
    format!("{} is open", title(loaded))
}

fn title(loaded: &Loaded) -> &str {
    if loaded.title.is_empty() { "The scenario" } else { &loaded.title }
}
