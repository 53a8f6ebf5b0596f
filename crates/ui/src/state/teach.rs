//! Going through a lesson: one page after the other, predicting before it is told.
//!
//! A page is a step of the lesson. Its moment is found by the worker, from the moves of all steps
//! that share its run; the scenario is that of the lesson under the kernel that the step names.

use super::requests::Purpose;
use super::{AppState, Landing, Past, Tab, moves};
use crate::action::{Start, Way};
use schedscope_scenario::lesson::{self, Step};
use schedscope_scenario::{Document, Text, read_any};
use schedscope_session::Command;
use schedscope_session::update::Moment;
use std::rc::Rc;

/// Where one is in a lesson.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    script: Rc<lesson::Lesson>,
    /// The page that is shown, from 0.
    pub step: usize,
    /// What was answered to the page's question.
    pub given: Option<String>,
    /// The page's step of the run, once it is there, and which of its decisions it is about.
    place: Option<(u64, Option<usize>)>,
    /// The packed scenario that the lesson last opened.
    scene: Vec<u8>,
}

impl Lesson {
    /// The text as a lesson, unless it has no steps or the address leads somewhere else in it.
    #[must_use]
    pub fn of(text: &str, start: &Start) -> Option<Lesson> {
        if start.step.is_some() || start.time.is_some() {
            return None;
        }
        let script = match read_any(text) {
            Ok(Text::Lesson(script)) if !script.steps.is_empty() => Rc::new(script),
            _ => return None,
        };
        let step = start.page.unwrap_or(0).min(script.steps.len() - 1);
        Some(Lesson { script, step, given: None, place: None, scene: Vec::new() })
    }

    /// All its pages.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.script.steps
    }

    /// The page that is shown.
    #[must_use]
    pub fn now(&self) -> Option<&Step> {
        self.steps().get(self.step)
    }

    /// What is said of a page when it is opened.
    fn heading(&self) -> String {
        let title = self.now().map_or("", |step| step.heading.as_str());
        format!("Step {} of {}: {title}", self.step + 1, self.steps().len())
    }

    /// What can be chosen as an answer to the page's question; empty if it has to be written.
    #[must_use]
    pub fn options(&self) -> Vec<String> {
        let question = self.now().and_then(|step| step.question.as_ref());
        question.map_or_else(Vec::new, |question| question.options(&self.script.document))
    }

    /// What would have to be written, if this is no answer of the kind that is asked for.
    fn misses(&self, given: &str) -> Option<&'static str> {
        let question = self.now()?.question.as_ref()?;
        (!question.answers(given, &self.script.document)).then(|| question.hint())
    }

    /// What to say to the answer that was given.
    #[must_use]
    pub fn reply(&self) -> Option<String> {
        let question = self.now()?.question.as_ref()?;
        Some(question.reply(self.given.as_deref()?, &self.script.document))
    }

    /// Whether something is still to be predicted.
    #[must_use]
    pub fn asks(&self) -> bool {
        self.given.is_none() && self.now().is_some_and(|step| step.question.is_some())
    }

    /// What the pages up to this one look at: the CPU and the tab last named.
    fn looks_at(&self) -> (Option<u16>, Option<Tab>) {
        let pages = || self.steps().iter().take(self.step + 1).rev();
        (pages().find_map(|step| step.focus), pages().find_map(|step| step.tab).map(Tab::of))
    }

    /// The stretch of the timeline that the pages up to this one last named, ns.
    fn stretch(&self) -> Option<(u64, u64)> {
        self.steps().iter().take(self.step + 1).rev().find_map(|step| step.stretch)
    }

    /// The document of the page.
    fn document(&self) -> Document {
        self.script.document_at(self.step)
    }
}

impl AppState {
    /// Whether outcomes are held back until a prediction is made.
    #[must_use]
    pub fn predicting(&self) -> bool {
        self.lesson.as_ref().is_some_and(Lesson::asks)
    }

    pub(super) fn turn_page(&mut self, way: Way) {
        let Some(lesson) = &mut self.lesson else { return };
        let to = match way {
            Way::Forward => lesson.step + 1,
            Way::Back => lesson.step.saturating_sub(1),
        };
        if to >= lesson.steps().len() || to == lesson.step {
            return;
        }
        (lesson.step, lesson.given, lesson.place) = (to, None, None);
        self.show_page();
    }

    /// The status for the eye, which sees already what is open and on which page.
    #[must_use]
    pub fn status_to_show(&self) -> &str {
        let page = self.lesson.as_ref().map(Lesson::heading);
        let open = self.doc.as_deref().map(super::edits::is_open);
        let seen = [page, open].contains(&Some(self.status.clone()));
        if seen { "" } else { &self.status }
    }

    /// Goes where the page is: first to its scenario, if that is not the one that is open.
    pub(super) fn show_page(&mut self) {
        let Some(lesson) = &mut self.lesson else { return };
        self.status = lesson.heading();
        let packed = lesson.document().pack();
        let last = std::mem::replace(&mut lesson.scene, packed.clone());
        if let Some(doc) = self.doc.as_ref().filter(|doc| doc.packed != packed) {
            // What was changed since the last page can be brought back.
            let done = "back to the lesson's scenario".into();
            let past = Past { packed: Rc::new(doc.packed.clone()), done, step: self.cursor.step };
            if !last.is_empty() && doc.packed != last {
                self.remember(past);
            }
            self.requests.ask(Command::LoadPacked { packed }, Purpose::Scene);
            return;
        }
        let moves = lesson.script.way_to(lesson.step);
        let (cpu, tab) = lesson.looks_at();
        let beside = lesson.now().and_then(|step| step.beside.clone());
        if self.beside.as_ref().map(|second| &second.with) != beside.as_ref() {
            let status = std::mem::take(&mut self.status);
            self.set_beside(beside);
            self.status = status;
        }
        if let Some(tab) = tab {
            self.tab = tab;
        }
        if let Some(cpu) = cpu {
            (self.focus, self.focus_held) = (cpu, true);
        }
        if self.tab == Tab::Metrics {
            self.want_metrics();
        }
        let focus = self.focus;
        self.asked_focus = focus;
        self.requests.ask(Command::Walk { moves, from: 0, focus }, Purpose::Show(Landing::Last));
    }

    pub(super) fn predict(&mut self, given: String) {
        let Some(lesson) = &mut self.lesson else { return };
        if let Some(hint) = lesson.misses(&given) {
            self.status = format!("\u{201c}{given}\u{201d} is not what is asked for: write {hint}");
            return;
        }
        lesson.given = Some(given);
        let here = self.moment.as_ref().map(|moment| moment.step);
        let there = lesson.place.map(|(step, _)| step);
        let reply = lesson.reply().unwrap_or_default();
        // Who has looked around meanwhile is taken back to what was asked about.
        if here == there {
            self.land_on_page();
        } else {
            self.show_page();
        }
        self.status = reply;
    }

    /// The moment of the page came.
    pub(super) fn walked(&mut self, moment: Moment, decision: Option<u32>, purpose: &Purpose) {
        if let Some(lesson) = &mut self.lesson {
            lesson.place = Some((moment.step, decision.map(|at| at as usize)));
        }
        self.arrived(moment, purpose);
        self.land_on_page();
        if let Some((from, to)) = self.lesson.as_ref().and_then(Lesson::stretch) {
            self.show(from, to);
        }
    }

    /// Where the cursor rests on a page: before the outcome while something is asked.
    fn land_on_page(&mut self) {
        let place = self.lesson.as_ref().and_then(|lesson| lesson.place);
        let about = place.and_then(|(_, decision)| decision);
        let landing = match (about, self.predicting()) {
            (Some(decision), true) => Landing::At(decision, 0, usize::MAX),
            (Some(decision), false) => Landing::At(decision, usize::MAX, usize::MAX),
            (None, true) => Landing::First,
            (None, false) => Landing::Last,
        };
        if let Some(moment) = self.moment.clone() {
            self.cursor = moves::land(&moment, self.tab, self.only(), landing);
        }
        self.follow_focus();
    }
}
