//! A second run beside the first: opened, taken further, and its timeline and figures fetched.

use super::requests::Purpose;
use super::{AppState, Landing};
use schedscope_session::update::{Beside, Difference, Metrics, Progress, Update, Window};
use schedscope_session::{Command, Goto};
use std::rc::Rc;

/// The second run.
#[derive(Clone, Debug, Default)]
pub struct Second {
    /// What is different, as it was asked for ("4.19").
    pub with: String,
    /// What the session says of it, once it was open.
    pub told: Option<Rc<Beside>>,
    /// Whether it is open now.
    open: bool,
    /// The stretch of its timeline that was last fetched.
    pub window: Option<Rc<Window>>,
    /// Its figures, while the metrics are looked at.
    pub metrics: Option<Rc<Metrics>>,
    /// The difference that was last gone to.
    pub difference: Option<Rc<Difference>>,
    /// How far it was simulated.
    pub progress: Progress,
    /// The stretch last asked for.
    windowed: Option<(u64, u64, u32, Vec<u16>)>,
    /// The figures last asked for.
    measured: Option<(Option<Goto>, u64)>,
}

impl Second {
    /// One that is wanted.
    #[must_use]
    pub fn new(with: String) -> Second {
        Second { with, ..Second::default() }
    }
}

impl AppState {
    /// Opens a second run, or closes it.
    pub(super) fn set_beside(&mut self, with: Option<String>) {
        if with.is_none() {
            self.beside = None;
            let second = [
                Purpose::Difference,
                Purpose::SecondRun,
                Purpose::SecondWindow,
                Purpose::SecondMetrics,
            ];
            self.requests.forget_these(&second);
            self.requests.ask(Command::Beside { with: None }, Purpose::Beside);
            self.status = "Only one kernel is shown".into();
            self.want_window();
            return;
        }
        // A document on its way takes it along.
        self.wanted_beside.clone_from(&with);
        self.beside = with.map(Second::new);
        self.open_beside();
    }

    /// Asks for the second run, as it is wanted: also after the document has changed, which closes
    /// it.
    pub(super) fn open_beside(&mut self) {
        let Some(second) = &mut self.beside else { return };
        // What was drawn of the old run stays until the new is there.
        second.open = false;
        second.progress = Progress::default();
        (second.windowed, second.measured, second.difference) = (None, None, None);
        let with = Some(second.with.clone());
        if self.doc.is_some() {
            self.requests.ask(Command::Beside { with }, Purpose::Beside);
        }
    }

    /// It is open.
    pub(super) fn got_beside(&mut self, told: Option<Beside>) {
        let (Some(second), Some(told)) = (&mut self.beside, told) else { return };
        if second.with != told.with {
            return;
        }
        self.status = format!("Beside it: {}", told.name);
        second.progress = told.progress;
        second.told = Some(Rc::new(told));
        second.open = true;
        self.second_runs_on();
        self.want_window();
        self.want_metrics();
    }

    /// The second run answered.
    pub(super) fn second_answered(&mut self, update: Update) {
        let Some(second) = &mut self.beside else { return };
        match update {
            Update::Advanced(progress) => {
                let stuck = progress.steps == second.progress.steps;
                second.progress = progress;
                if !stuck {
                    self.second_runs_on();
                }
                self.want_window();
            }
            Update::Window(window) => {
                second.window = Some(Rc::new(*window));
                self.want_second_window();
            }
            Update::Metrics(metrics) => {
                second.metrics = Some(Rc::new(*metrics));
                self.want_second_metrics();
            }
            _ => {}
        }
    }

    /// Looks for the first time at which the two differ, or the next from here.
    pub(super) fn seek_difference(&mut self, next: bool) {
        let Some(second) = self.beside.as_ref().filter(|s| s.open) else { return };
        let last = second.difference.as_ref().and_then(|found| found.place);
        // The step gone to may be earlier than the difference, which is then the second run's.
        let here = last.filter(|place| place.step == self.cursor.step).map(|place| place.at);
        // From the start on the next is the first, which may be right there.
        let now = Some(self.now()).filter(|now| *now > 0);
        let after = if next { here.or(now) } else { None };
        self.requests.ask(Command::Difference { after }, Purpose::Difference);
    }

    /// Goes to a difference.
    pub(super) fn got_difference(&mut self, found: Difference) {
        self.status.clone_from(&found.sentence);
        let place = found.place;
        if let Some(second) = &mut self.beside {
            second.difference = Some(Rc::new(found));
        }
        if let Some(place) = place {
            self.jump(Goto::Step(place.step), Landing::Last);
            self.look_at(place.cpu, true);
        }
    }

    /// Lets the worker simulate a piece of it further.
    fn second_runs_on(&mut self) {
        let steps = self.piece.max(64);
        let open = self.beside.as_ref().is_some_and(|s| s.open && !s.progress.done);
        if open && !self.requests.second_waits(Purpose::SecondRun) {
            let run = Box::new(Command::Run { steps });
            self.requests.ask(Command::Second(run), Purpose::SecondRun);
        }
    }

    /// Asks for the same stretch of the second run as of the first.
    pub(super) fn want_second_window(&mut self) {
        let Some((from, to, columns, lanes)) = self.windowed.clone() else { return };
        let heat = self.lane_plan().wants_heat();
        let Some(second) = self.beside.as_mut().filter(|s| s.open) else { return };
        if self.requests.second_waits(Purpose::SecondWindow) {
            return;
        }
        let wanted = (from, to, columns, lanes.clone());
        let seen = second.window.as_ref().map(|w| w.progress);
        let grown = seen.is_none_or(|seen| {
            seen.time < to && second.progress.steps > seen.steps
                || second.progress.done && !seen.done
        }) || second.window.as_ref().is_some_and(|w| {
            let known = second.progress.time.min(self.progress.time);
            w.apart_until < to.min(known)
        });
        if second.windowed.as_ref() != Some(&wanted) || grown {
            second.windowed = Some(wanted);
            let window = Box::new(Command::Window { from, to, columns, lanes, heat });
            self.requests.ask(Command::Second(window), Purpose::SecondWindow);
        }
    }

    /// Asks for the same figures of the second run as of the first; up to the same time.
    pub(super) fn want_second_metrics(&mut self) {
        let upto = (!self.whole_run).then_some(Goto::Time(self.now()));
        let Some(second) = self.beside.as_mut().filter(|s| s.open) else { return };
        if self.requests.second_waits(Purpose::SecondMetrics) {
            return;
        }
        let wanted = (upto, if self.whole_run { second.progress.steps } else { 0 });
        if second.measured != Some(wanted) {
            second.measured = Some(wanted);
            let metrics = Box::new(Command::Metrics { upto });
            self.requests.ask(Command::Second(metrics), Purpose::SecondMetrics);
        }
    }

    /// The timeline of the second run, once there is one.
    #[must_use]
    pub fn second_window(&self) -> Option<&Window> {
        self.beside.as_ref()?.window.as_deref()
    }
}
