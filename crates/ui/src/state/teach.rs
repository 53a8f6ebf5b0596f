//! Going through a lesson: one step after the other, predicting before it is told.

use super::{AppState, Landing, moves};
use crate::action::Way;
use crate::labs::LABS;
use crate::lesson::{self, Go, LessonStep};
use schedscope_session::update::Moment;
use schedscope_session::{Goto, Stride};
use std::rc::Rc;

/// How many steps of a kind are looked at in search of one about a task.
const TRIES: u32 = 300;

/// Where one is in a lesson.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// Its number in [`LABS`].
    pub lab: usize,
    /// Its steps.
    pub steps: Rc<Vec<LessonStep>>,
    /// The step that is shown.
    pub step: usize,
    /// What was answered to the step's question.
    pub given: Option<String>,
    /// Moves still to make before the step is reached.
    ahead: Vec<Go>,
    /// Whether the step is not reached yet.
    going: bool,
    tries: u32,
}

impl Lesson {
    /// A prepared scene as a lesson, if it has steps.
    #[must_use]
    pub fn of(lab: usize) -> Option<Lesson> {
        Lesson::new(lab, lesson::steps(LABS.get(lab)?.text))
    }

    /// These steps, from the first on.
    pub(super) fn new(lab: usize, steps: Vec<LessonStep>) -> Option<Lesson> {
        let ahead = steps.first()?.moves.clone().into_iter().rev().collect();
        Some(Lesson {
            lab,
            steps: Rc::new(steps),
            step: 0,
            given: None,
            ahead,
            going: true,
            tries: 0,
        })
    }

    /// The step that is shown.
    #[must_use]
    pub fn now(&self) -> Option<&LessonStep> {
        self.steps.get(self.step)
    }

    /// Whether something is still to be predicted.
    #[must_use]
    pub fn asks(&self) -> bool {
        self.given.is_none() && self.now().is_some_and(|s| s.question.is_some())
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
        if to >= lesson.steps.len() || to == lesson.step {
            return;
        }
        // A step is where the moves of all steps up to it lead, from the start of the run on.
        let start = Go::To(Goto::Step(0));
        lesson.step = to;
        lesson.given = None;
        lesson.tries = 0;
        let moves = lesson.steps.iter().take(to + 1).flat_map(|s| s.moves.clone());
        let moves: Vec<Go> = std::iter::once(start).chain(moves).collect();
        lesson.ahead = moves.into_iter().rev().collect();
        lesson.going = true;
        self.status = self.lesson_title();
        self.walk_on();
    }

    fn lesson_title(&self) -> String {
        let Some(lesson) = &self.lesson else { return String::new() };
        let title = lesson.now().map_or("", |s| s.title.as_str());
        format!("Step {} of {}: {title}", lesson.step + 1, lesson.steps.len())
    }

    pub(super) fn predict(&mut self, given: String) {
        let Some(lesson) = &mut self.lesson else { return };
        let reply = lesson.now().and_then(|s| s.question.as_ref()).map(|q| q.reply(&given));
        lesson.given = Some(given);
        self.status = reply.unwrap_or_default();
        self.land_in_lesson();
    }

    /// Where the cursor rests in a step: before the outcome while something is asked.
    fn land_in_lesson(&mut self) {
        if let Some(lesson) = &mut self.lesson {
            lesson.going = false;
        }
        let landing = if self.predicting() { Landing::First } else { Landing::Last };
        if let Some(moment) = self.moment.clone() {
            self.cursor = moves::land(&moment, self.tab, self.only(), landing);
        }
        self.follow_focus();
    }

    /// Makes the next move of a lesson's step; false if there is none left.
    pub(super) fn walk_on(&mut self) -> bool {
        let Some(go) = self.lesson.as_mut().and_then(|l| l.ahead.pop()) else { return false };
        let here = self.moment.as_ref().map_or(0, |m| m.step);
        match go {
            Go::Cpu(cpu) => {
                self.look_at(cpu, true);
                self.walk_on() || self.landed()
            }
            Go::Tab(tab) => {
                self.tab = tab;
                self.walk_on() || self.landed()
            }
            Go::To(goto) => {
                self.ask_moment(goto, Landing::Last);
                true
            }
            Go::Seek { forward, stride, of } => {
                let goto = match forward {
                    true => Goto::Next(stride, here),
                    false => Goto::Previous(stride, here),
                };
                if of.is_some()
                    && let Some(lesson) = &mut self.lesson
                {
                    lesson.tries += 1;
                    lesson.ahead.push(Go::Seek { forward, stride, of });
                }
                self.ask_moment(goto, Landing::Last);
                true
            }
        }
    }

    fn landed(&mut self) -> bool {
        self.land_in_lesson();
        true
    }

    /// A moment came while a lesson is on its way: is it the one?
    pub(super) fn in_lesson(&mut self, moment: &Moment) {
        let Some(lesson) = &self.lesson else { return };
        if !lesson.going {
            return;
        }
        if let Some(Go::Seek { stride, of: Some(name), .. }) = lesson.ahead.last() {
            let found = self.about(moment, *stride, name);
            if (found || lesson.tries > TRIES)
                && let Some(lesson) = &mut self.lesson
            {
                lesson.ahead.pop();
                lesson.tries = 0;
            }
        }
        if !self.walk_on() {
            self.land_in_lesson();
        }
    }

    /// Whether a decision of the moment is about a task of this row.
    fn about(&self, moment: &Moment, stride: Stride, name: &str) -> bool {
        moment.decisions.iter().any(|d| {
            let kind = match stride {
                Stride::Kind(kind) => d.kind == kind,
                _ => true,
            };
            let row = d.task.and_then(|t| moment.tasks.get(t as usize)).map(|t| t.row);
            kind && row.is_some_and(|row| self.row_name(row) == name)
        })
    }
}
