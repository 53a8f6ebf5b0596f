//! What has been asked of the worker: each request has a number, and an answer counts only if it
//! is the one still waited for.

use super::Lesson;
use super::moves::Landing;
use crate::action::Start;
use schedscope_session::Command;

/// A command on its way to the worker.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Its number; the answer carries it.
    pub id: u32,
    /// The command.
    pub command: Command,
}

/// Why something was asked.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Purpose {
    /// To open a document.
    Open { start: Start, what: &'static str, lesson: Option<Box<Lesson>> },
    /// To open the scenario of a lesson's page.
    Scene,
    /// To go back or forward in the stack of edits; stands for how to change the stacks.
    Rewind(Rewind),
    /// To open the same document again after a crash, at this step.
    Reopen { step: u64 },
    /// To change something; what to show then, whether it is undone together with the edit before,
    /// and in which field it was typed.
    Edit { then: Then, joined: bool, typed: Option<Field> },
    /// To show a moment and come to rest there.
    Show(Landing),
    /// To show the same moment with the queue of another CPU.
    Refocus,
    /// To simulate further.
    Run,
    /// A stretch of the timeline.
    Window,
    /// Figures.
    Metrics,
    /// A file.
    Export,
    /// To show the moment as it would be.
    WhatIf,
    /// To open or close a second run.
    Beside,
    /// Where the two runs differ.
    Difference,
    /// To simulate it further.
    SecondRun,
    /// A stretch of its timeline.
    SecondWindow,
    /// Its figures.
    SecondMetrics,
}

/// A field of text in a row of the task list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The CPUs of this row.
    Cpus(u16),
    /// Its name.
    Name(u16),
    /// Its program.
    Program(u16),
}

/// What to show after an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// The step after: past the start an edit is a step of its own.
    Next,
    /// The same time: the run has started again and has other steps.
    Again,
    /// The same place: nothing in the run changes.
    Stay,
}

/// Which way along the stack of edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rewind {
    Undo,
    Redo,
}

/// Kinds of requests of which only the latest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Document,
    Edit,
    Show,
    Run,
    Window,
    Metrics,
    Export,
    WhatIf,
    Beside,
    Difference,
    SecondRun,
    SecondWindow,
    SecondMetrics,
}

impl Purpose {
    fn kind(&self) -> Kind {
        match self {
            Purpose::Open { .. } | Purpose::Scene | Purpose::Rewind(_) | Purpose::Reopen { .. } => {
                Kind::Document
            }
            Purpose::Edit { .. } => Kind::Edit,
            Purpose::Show(_) | Purpose::Refocus => Kind::Show,
            Purpose::Run => Kind::Run,
            Purpose::Window => Kind::Window,
            Purpose::Metrics => Kind::Metrics,
            Purpose::Export => Kind::Export,
            Purpose::WhatIf => Kind::WhatIf,
            Purpose::Beside => Kind::Beside,
            Purpose::Difference => Kind::Difference,
            Purpose::SecondRun => Kind::SecondRun,
            Purpose::SecondWindow => Kind::SecondWindow,
            Purpose::SecondMetrics => Kind::SecondMetrics,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    next: u32,
    ready: bool,
    /// What is waited for: number and purpose.
    open: Vec<(u32, Purpose)>,
    /// What has to be sent.
    outbox: Vec<Request>,
}

impl Requests {
    /// Asks. An earlier question of the same kind is no longer waited for, save edits: each of
    /// them counts.
    pub(super) fn ask(&mut self, command: Command, purpose: Purpose) {
        let kind = purpose.kind();
        if kind != Kind::Edit {
            self.open.retain(|(_, p)| p.kind() != kind);
        }
        self.next += 1;
        self.open.push((self.next, purpose));
        self.outbox.push(Request { id: self.next, command });
    }

    /// What an answer was for, if it is still waited for.
    pub(super) fn answered(&mut self, id: u32) -> Option<Purpose> {
        let at = self.open.iter().position(|(i, _)| *i == id)?;
        Some(self.open.remove(at).1)
    }

    /// Whether another moment is on its way (not just the queue of another CPU).
    pub(super) fn showing(&self) -> bool {
        self.open.iter().any(|(_, p)| matches!(p, Purpose::Show(_)))
    }

    /// Whether a piece of the run is on its way.
    pub(super) fn running(&self) -> bool {
        self.waits(Kind::Run)
    }

    /// Whether a stretch of the timeline is on its way.
    pub(super) fn windowing(&self) -> bool {
        self.waits(Kind::Window)
    }

    /// Whether figures are on their way.
    pub(super) fn measuring(&self) -> bool {
        self.waits(Kind::Metrics)
    }

    /// Whether the second run is asked for this already.
    pub(super) fn second_waits(&self, purpose: Purpose) -> bool {
        self.waits(purpose.kind())
    }

    /// What was asked for these purposes is no longer waited for.
    pub(super) fn forget_these(&mut self, purposes: &[Purpose]) {
        self.open.retain(|(_, p)| !purposes.contains(p));
    }

    fn waits(&self, kind: Kind) -> bool {
        self.open.iter().any(|(_, p)| p.kind() == kind)
    }

    /// The document has changed: what was asked about the old one no longer matters.
    pub(super) fn drop_views(&mut self) {
        self.open.retain(|(_, p)| matches!(p.kind(), Kind::Document | Kind::Edit | Kind::Export));
    }

    /// Nothing that was asked will be answered.
    pub(super) fn forget(&mut self) {
        self.open.clear();
        self.outbox.clear();
        self.ready = false;
    }

    pub(super) fn engine_ready(&mut self) {
        self.ready = true;
    }

    /// What has to be sent now; nothing before the engine is there.
    pub(super) fn take(&mut self) -> Vec<Request> {
        if self.ready { std::mem::take(&mut self.outbox) } else { Vec::new() }
    }
}
