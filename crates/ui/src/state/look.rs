//! What of the run is looked at: the stretch of the timeline, its lanes, the figures.

use super::requests::Purpose;
use super::{AppState, Frame, Mode, Tab};
use crate::view::timeline::{self, LanePlan};
use schedscope_session::update::{Picture, Window};
use schedscope_session::{Command, Goto};
use std::rc::Rc;

/// The shortest stretch that can be shown, ns.
pub const ZOOM_MIN: u64 = 2_000;
/// How much of the run is shown at first, ns.
const FIRST: u64 = 24_000_000;

/// A stretch of time, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// From.
    pub from: u64,
    /// To.
    pub to: u64,
}

impl Span {
    /// What is shown of a run at first.
    #[must_use]
    pub fn first(end: u64) -> Span {
        Span { from: 0, to: end.clamp(1, FIRST) }
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.to <= self.from
    }

    /// How long it is.
    #[must_use]
    pub fn len(self) -> u64 {
        self.to.saturating_sub(self.from)
    }

    /// The same length, moved so that it starts at `from` but stays within the run.
    fn moved(self, from: i128, end: u64) -> Span {
        let len = self.len();
        let last = i128::from(end.max(len)) - i128::from(len);
        let from = from.clamp(0, last) as u64;
        Span { from, to: from + len }
    }
}

impl AppState {
    /// Where the run ends, ns.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.doc.as_ref().map_or(0, |d| d.end)
    }

    pub(super) fn show(&mut self, from: u64, to: u64) {
        let end = self.end();
        let to = to.min(end.max(1));
        let len = to.saturating_sub(from).max(ZOOM_MIN.min(end.max(1)));
        self.span = Span { from: 0, to: len }.moved(i128::from(from), end);
        self.want_window();
    }

    pub(super) fn zoom(&mut self, factor: f64, about: Option<u64>) {
        let about = about.unwrap_or_else(|| {
            let now = self.now();
            if (self.span.from..=self.span.to).contains(&now) {
                now
            } else {
                self.span.from + self.span.len() / 2
            }
        });
        let end = self.end().max(1);
        let len = self.span.len().max(1);
        let new = (len as f64 / factor.clamp(0.01, 100.0)) as u64;
        let new = new.clamp(ZOOM_MIN.min(end), end);
        let before = about.saturating_sub(self.span.from) as f64 / len as f64;
        let from = i128::from(about) - (before * new as f64) as i128;
        self.span = Span { from: 0, to: new }.moved(from, end);
        self.want_window();
    }

    pub(super) fn pan(&mut self, by: i64) {
        self.follow = false;
        self.span = self.span.moved(i128::from(self.span.from) + i128::from(by), self.end());
        self.want_window();
    }

    pub(super) fn fit(&mut self) {
        self.span = Span { from: 0, to: self.end().max(1) };
        self.want_window();
    }

    /// Moves the stretch so that the playhead is in it.
    pub(super) fn keep_in_view(&mut self) {
        let now = self.now();
        let len = self.span.len();
        let room = len / 12;
        let inside = now >= self.span.from && now + room <= self.span.to;
        if !inside {
            let from = i128::from(now) - i128::from(len / 2);
            self.span = self.span.moved(from, self.end());
        }
    }

    pub(super) fn set_dock(&mut self, width: f32, height: f32) {
        if width > 0.0 && height > 0.0 && (width, height) != self.dock {
            self.dock = (width, height);
            self.want_window();
        }
    }

    /// The lanes of the timeline.
    #[must_use]
    pub fn lane_plan(&self) -> LanePlan {
        let (Some(doc), Some(moment)) = (&self.doc, &self.moment) else {
            return LanePlan::default();
        };
        let phone = self.viewport.frame() == Frame::Phone;
        let decision = self.decision();
        let roles = match decision {
            Some(decision) if self.tab == Tab::Placement => timeline::roles(decision),
            _ => Vec::new(),
        };
        // What the checks find is not told before the decision has come so far.
        let told = self.outcome_shown();
        let early = |role: &&str| told || matches!(*role, "waker" | "prev");
        let roles: Vec<_> = roles
            .into_iter()
            .map(|r| timeline::CpuRole {
                cpu: r.cpu,
                role: r.role.split(", ").filter(early).collect::<Vec<_>>().join(", "),
            })
            .filter(|r| !r.role.is_empty())
            .collect();
        let low = self.viewport.height < 820.0;
        let tasks = if phone || low || self.tab == Tab::Placement {
            Vec::new()
        } else {
            timeline::focus_tasks(doc, moment, self.focus)
        };
        let second = self.beside.as_ref().and_then(|second| second.told.as_deref());
        let searched = match decision.map(|d| &d.picture) {
            Some(Picture::Place(place)) if self.tab == Tab::Placement => Some(place.llc),
            _ => None,
        };
        timeline::lane_plan(&timeline::Wish {
            machine: &doc.machine,
            focus: self.focus,
            roles: &roles,
            tasks: &tasks,
            searched,
            height: self.dock.1,
            present: self.mode == Mode::Present,
            decisions: !phone,
            overview: !phone && !low,
            beside: second.map(|second| [doc.kernel.name.as_str(), second.name.as_str()]),
        })
    }

    /// Asks for what the timeline needs and does not have.
    pub(super) fn want_window(&mut self) {
        self.want_first_window();
        self.want_second_window();
    }

    fn want_first_window(&mut self) {
        if self.moment.is_none() || self.doc.is_none() || self.requests.windowing() {
            return;
        }
        let margin = self.span.len() / 2;
        let from = self.span.from.saturating_sub(margin);
        let to = (self.span.to + margin).min(self.end()).max(from + 1);
        let plan = self.lane_plan();
        let lanes = plan.cpus();
        let columns = (f64::from(self.dock.0) * (to - from) as f64 / self.span.len().max(1) as f64)
            .clamp(16.0, 8192.0) as u32;
        let wanted = (from, to, columns, lanes.clone());
        let grown = self.window.as_ref().is_none_or(|w| {
            let seen = w.progress;
            // New steps matter if they are in view, and for the strip of the whole run in
            // stretches.
            let in_view = seen.time < to && self.progress.steps > seen.steps;
            let overall = self.progress.done && !seen.done
                || self.progress.time > seen.time + self.end() / 50;
            in_view || overall
        });
        if self.windowed.as_ref() == Some(&wanted) && !grown {
            return;
        }
        self.windowed = Some(wanted);
        let heat = plan.wants_heat();
        self.requests.ask(Command::Window { from, to, columns, lanes, heat }, Purpose::Window);
    }

    pub(super) fn got_window(&mut self, window: Window) {
        self.window = Some(Rc::new(window));
        self.want_window();
    }

    /// Asks for figures while they are looked at and have grown.
    pub(super) fn want_metrics(&mut self) {
        if self.tab != Tab::Metrics || self.doc.is_none() {
            return;
        }
        self.want_second_metrics();
        if self.requests.measuring() {
            return;
        }
        // Up to the playhead, what is simulated later makes no difference.
        let upto = (!self.whole_run).then_some(Goto::Step(self.cursor.step));
        let wanted = (upto, if self.whole_run { self.progress.steps } else { 0 });
        if self.metrics.is_none() || self.measured != Some(wanted) {
            self.measured = Some(wanted);
            self.requests.ask(Command::Metrics { upto }, Purpose::Metrics);
        }
    }
}
