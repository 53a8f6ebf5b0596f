//! Moving through the run.

use super::moves::{self, Landing, Move};
use super::requests::Purpose;
use super::{AppState, ByStep, Tab};
use crate::action::Way;
use schedscope_session::update::Progress;
use schedscope_session::{Command, Goto};

/// A piece of the run should take the worker about this long, ms: anything asked meanwhile waits
/// for its end.
const PIECE_MS: f64 = 12.0;

impl AppState {
    pub(super) fn go(&mut self, way: Way, by: ByStep) {
        let Some(moment) = self.moment.clone() else { return };
        if self.requests.showing() {
            // No step is lost while a moment is on its way: as many as were asked for are made.
            self.queued.push_back((way, by));
            return;
        }
        match moves::step(&moment, self.cursor, way, by, self.tab, self.only()) {
            Move::Within(cursor) => {
                self.cursor = cursor;
                self.follow_focus();
            }
            Move::Away(goto, landing) => {
                self.ask_moment(goto, landing);
                self.sought = Some(by);
            }
            Move::Nowhere => self.status = "This is the start of the run".into(),
        }
    }

    pub(super) fn jump(&mut self, goto: Goto, landing: Landing) {
        if self.doc.is_some() {
            self.queued.clear();
            self.ask_moment(goto, landing);
        }
    }

    /// Makes the steps that were asked for meanwhile, up to the next that leads to another moment.
    pub(super) fn next_queued(&mut self) {
        while !self.requests.showing()
            && let Some((way, by)) = self.queued.pop_front()
        {
            self.go(way, by);
        }
    }

    /// Whether a stretch of the timeline is on its way.
    #[must_use]
    pub fn awaits_window(&self) -> bool {
        self.requests.windowing()
    }

    /// Whether another moment is on its way.
    #[must_use]
    pub fn awaits_moment(&self) -> bool {
        self.requests.showing()
    }

    pub(super) fn play(&mut self, on: bool) {
        let over = self.progress.done && self.cursor.step >= self.progress.steps;
        self.playing = on && self.doc.is_some() && !(over && self.outcome_shown());
        if on && !self.playing {
            self.status = "The run has ended; go back to play it again".into();
        }
        self.play_time = self.now();
    }

    /// The clock says so: one step of playing.
    pub(super) fn due(&mut self, span: u64) {
        if !self.playing || self.requests.showing() {
            return;
        }
        match self.by {
            ByStep::Check | ByStep::Decision => self.go(Way::Forward, self.by),
            ByStep::Event | ByStep::Tick => {
                let now = self.now();
                let end = self.doc.as_ref().map_or(0, |d| d.end);
                let over = self.play_time.max(now) >= end;
                self.play_time = self.play_time.max(now).saturating_add(span);
                if over {
                    self.playing = false;
                    self.status = "The run has ended".into();
                    return;
                }
                let goto = Goto::Time(self.play_time.min(end));
                self.ask_moment(goto, Landing::Last);
            }
        }
    }

    pub(super) fn show_check(&mut self, check: usize) {
        let Some(decision) = self.decision() else { return };
        self.cursor.check = check.min(decision.checks.len().saturating_sub(1));
        self.cursor.probe = usize::MAX;
    }

    pub(super) fn show_decision(&mut self, decision: usize) {
        let Some(moment) = self.moment.clone() else { return };
        if let Some(it) = moment.decisions.get(decision) {
            if !moves::suits(self.tab, it.kind) {
                self.tab = match it.kind {
                    k if moves::suits(Tab::Pick, k) => Tab::Pick,
                    _ => Tab::Placement,
                };
            }
            self.cursor = moves::land(
                &moment,
                self.tab,
                self.only(),
                Landing::At(decision, usize::MAX, usize::MAX),
            );
            self.follow_focus();
        }
    }

    pub(super) fn show_tab(&mut self, tab: Tab) {
        self.tab = tab;
        if let Some(moment) = self.moment.clone() {
            let suits = self.decision().is_some();
            if !suits || tab == Tab::Metrics {
                let landing = Landing::Last;
                let there = moves::land(&moment, tab, self.only(), landing);
                if !suits {
                    self.cursor = there;
                }
            }
            self.follow_focus();
        }
        if tab == Tab::Metrics {
            self.want_metrics();
        }
    }

    pub(super) fn look_at(&mut self, cpu: u16, held: bool) {
        let cpus = self.doc.as_ref().map_or(0, |d| d.machine.cpus.len() as u16);
        if cpu >= cpus {
            return;
        }
        self.focus_held = held;
        if self.focus != cpu || self.moment.as_ref().is_some_and(|m| m.queue.is_none()) {
            self.focus = cpu;
            self.refocus();
        }
        self.want_window();
    }

    pub(super) fn unfocus(&mut self) {
        self.focus_held = false;
        self.follow_focus();
    }

    pub(super) fn focus_by(&mut self, by: i32) {
        let cpus = self.doc.as_ref().map_or(0, |d| d.machine.cpus.len() as i32);
        if cpus > 0 {
            let cpu = (i32::from(self.focus) + by).rem_euclid(cpus);
            self.look_at(cpu as u16, true);
        }
    }

    /// The focus goes where the decision is, unless the user holds it.
    pub(super) fn follow_focus(&mut self) {
        if self.focus_held {
            return;
        }
        let Some(moment) = &self.moment else { return };
        let cpu = self.decision().map(|d| d.cpu).or(moment.event_cpu);
        if let Some(cpu) = cpu.filter(|&c| c != self.focus) {
            self.focus = cpu;
        }
        if self.asked_focus != self.focus {
            self.refocus();
        }
    }

    pub(super) fn refocus(&mut self) {
        if self.moment.is_some() && !self.requests.showing() {
            let goto = Goto::Step(self.cursor.step);
            let focus = self.focus;
            self.asked_focus = focus;
            self.requests.ask(Command::Show { goto, focus }, Purpose::Refocus);
        }
    }

    /// Lets the worker simulate a piece further, until the end of the run.
    pub(super) fn run_on(&mut self) {
        if !self.progress.done && !self.requests.running() && self.doc.is_some() {
            let steps = self.piece.max(64);
            self.requests.ask(Command::Run { steps }, Purpose::Run);
        }
    }

    pub(super) fn advanced(&mut self, progress: Progress, took: f64) {
        let scale = (PIECE_MS / took.max(0.5)).clamp(0.5, 2.0);
        self.piece = ((f64::from(self.piece.max(64)) * scale) as u32).clamp(64, 200_000);
        let stuck = progress.steps == self.progress.steps && progress.time == self.progress.time;
        self.progress = progress;
        if !stuck {
            self.run_on();
        }
        self.want_window();
        if progress.done || self.metrics.is_none() {
            self.want_metrics();
        }
    }
}
