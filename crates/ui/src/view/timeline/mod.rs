//! The timeline: bars are tasks on CPUs, time runs to the right.
//!
//! It comes as four scenes of the same size, one above the other, because they change at different
//! times: `labels` (the column on the left), `bars` (on a canvas, when the window changes), `marks`
//! (SVG, when the step changes) and the playhead (SVG, every frame while playing).

mod apart;
mod arrows;
mod bars;
mod plan;
mod playhead;
mod table;

pub use apart::DIFFERENCE;
pub use plan::{
    CpuRole, FOLD_ABOVE, HeatRow, LETTERS, LabelRow, LaneForm, LanePlan, LaneRow, TASK_ROWS, Wish,
    focus_tasks, lane_plan, roles,
};
pub use playhead::playhead;
pub use table::{SEGMENT_TITLES, Segment, segments};

use super::pen::{Pen, TaskInk, number, plain, shortened, stroke, width};
use super::{Look, Roster, numbered, strip};
use crate::format;
use crate::geometry::{Point, Rect};
use crate::scene::{Anchor, Ink, Scene, Target};
use crate::time_scale::{Stretch, TimeScale};
use schedscope_session::update::{Bar, Cpu, RowView, Task, Window};

/// Width of the label column where there is one: as wide as the task list.
pub const LABELS: f32 = 280.0;
/// The same where the page is narrow.
pub const LABELS_NARROW: f32 = 136.0;
/// A click on the strip of decisions so near to a mark is meant for it, px.
const NEAR: f32 = 24.0;
/// Room right of the plot.
const RIGHT: f32 = 16.0;

/// Width of the label column for a page of this width.
#[must_use]
pub fn label_width(page: f32) -> f32 {
    match page {
        page if page >= 1330.0 => LABELS,
        page if page >= 1024.0 => 216.0,
        page if page >= 720.0 => LABELS_NARROW,
        _ => 0.0,
    }
}

/// How much of the run the strip of a phone shows, ns.
pub const PHONE_STRETCH: u64 = 9_000_000;

/// Everything the timeline is drawn from.
#[derive(Clone, Copy, Debug)]
pub struct Timeline<'a> {
    /// The lanes.
    pub plan: &'a LanePlan,
    /// What ran; may cover more than is shown.
    pub window: &'a Window,
    /// What ran in the second run, if there is one and its lanes are in the plan.
    pub beside: Option<&'a Window>,
    /// What is shown.
    pub stretch: Stretch,
    /// Width of the label column, 0 without.
    pub labels: f32,
    /// Who is who, and the moment.
    pub roster: Roster<'a>,
    /// Sizes, focus, selection.
    pub look: &'a Look,
    /// Never show the future: nothing after this time.
    pub hide_after: Option<u64>,
}

/// The finished timeline without its playhead.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineLayout {
    /// Labels and hairlines on the left.
    pub labels: Scene,
    /// For the canvas.
    pub bars: Scene,
    /// Above the bars.
    pub marks: Scene,
}

/// What lies under a point of the plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The time there, ns.
    pub time: u64,
    /// The CPU of the lane there.
    pub cpu: Option<Cpu>,
    /// The bar there.
    pub bar: Option<Bar>,
    /// What a tooltip says.
    pub label: String,
}

impl Timeline<'_> {
    /// Where times are.
    #[must_use]
    pub fn scale(&self) -> TimeScale {
        let left = if self.labels > 0.0 { self.labels } else { 0.0 };
        let right = self.look.width - if self.labels > 0.0 { RIGHT } else { 0.0 };
        TimeScale::new(self.stretch, left, right)
    }

    /// Where times of the whole run are on the overview.
    #[must_use]
    pub fn overview_scale(&self) -> TimeScale {
        TimeScale { stretch: Stretch::whole(self.roster.loaded.end), ..self.scale() }
    }

    /// The second run's lanes as a timeline of their own.
    #[must_use]
    pub fn second(&self) -> Option<Timeline<'_>> {
        let plan = self.plan.beside.as_deref()?;
        Some(Timeline { plan, window: self.beside?, beside: None, ..*self })
    }

    /// The CPU in focus.
    #[must_use]
    pub fn focus(&self) -> Cpu {
        self.look.focus_cpu
    }

    /// The step shown; none of the second run's.
    #[must_use]
    pub fn step(&self) -> u64 {
        if self.plan.second { u64::MAX } else { self.roster.moment.step }
    }

    /// The row of a task and its number there. The window also knows tasks that are only started
    /// after the moment shown.
    #[must_use]
    pub fn row(&self, task: Task) -> Option<(&RowView, u32)> {
        let tasks = &self.window.tasks;
        let known = tasks.binary_search_by_key(&task, |(number, ..)| *number).ok();
        let (row, instance) = match known {
            Some(at) => (tasks[at].1, tasks[at].2),
            None => {
                let view = self.roster.moment.tasks.get(task as usize)?;
                (view.row, view.instance)
            }
        };
        self.roster.loaded.rows.get(usize::from(row)).map(|view| (view, instance))
    }

    /// The label on a task's bar, if it is known.
    #[must_use]
    pub fn label(&self, task: Task) -> Option<String> {
        let (row, instance) = self.row(task)?;
        Some(if numbered(row, instance) {
            format!("{}{instance}", row.letter)
        } else {
            row.letter.clone()
        })
    }

    /// A task's name for sentences.
    #[must_use]
    pub fn name(&self, task: Task) -> String {
        match self.row(task) {
            Some((row, n)) if numbered(row, n) => format!("{} {n}", row.name),
            Some((row, _)) => row.name.clone(),
            None => format!("task {task}"),
        }
    }

    /// How a task is drawn.
    #[must_use]
    pub fn ink(&self, task: Task) -> TaskInk {
        self.row(task).map_or_else(TaskInk::grey, |(row, _)| TaskInk::of_row(row))
    }

    /// Whether a task belongs to this row of the task list.
    #[must_use]
    pub fn belongs(&self, task: Task, row: Option<u16>) -> bool {
        let rows = &self.roster.loaded.rows;
        let wanted = row.and_then(|row| rows.get(usize::from(row)));
        wanted
            .is_some_and(|wanted| self.row(task).is_some_and(|(row, _)| std::ptr::eq(row, wanted)))
    }

    /// What lies under a point.
    #[must_use]
    pub fn at(&self, point: Point) -> Option<Place> {
        let scale = self.scale();
        if !(scale.left..=scale.right).contains(&point.x) || point.y > self.plan.bottom {
            return None;
        }
        let time = scale.time(point.x);
        if self.hide_after.is_some_and(|end| time > end) {
            return None;
        }
        if let Some(second) = self.second() {
            let on_band =
                second.plan.band.is_some_and(|(y, height)| (y..y + height).contains(&point.y));
            if on_band {
                let label = apart::at(&second, time);
                return Some(Place { time, cpu: None, bar: None, label });
            }
            if second.plan.lane_at(point.y).is_some() {
                return second.at(point);
            }
        }
        let cpu = self.plan.lane_at(point.y).map(|lane| lane.cpu);
        let lane = self.window.lanes.iter().find(|lane| Some(lane.cpu) == cpu);
        let near = (scale.per_pixel() * 1.5) as u64;
        let distance = |bar: &&Bar| bar.from.saturating_sub(time).max(time.saturating_sub(bar.to));
        let bar = lane.and_then(|lane| lane.bars.iter().min_by_key(distance));
        let bar = bar.filter(|bar| distance(bar) <= near).copied();
        let label = self.place_label(time, cpu, bar.as_ref());
        Some(Place { time, cpu, bar, label })
    }

    /// The stretch that fits the bar under a point, with some room around it.
    #[must_use]
    pub fn fit(&self, point: Point) -> Option<Stretch> {
        let bar = self.at(point)?.bar?;
        let room = (bar.to - bar.from) / 8;
        Some(Stretch::new(bar.from.saturating_sub(room), bar.to + room.max(1)))
    }

    /// The step of the decision whose mark on the strip is nearest to a point on it, if one is
    /// near.
    #[must_use]
    pub fn mark_near(&self, point: Point) -> Option<u64> {
        let (top, height) = self.plan.decisions?;
        if !(top..top + height).contains(&point.y) {
            return None;
        }
        let scale = self.scale();
        let away = |at: u64| (scale.x(at) - point.x).abs();
        let near = strip::shown(self).filter(|mark| away(mark.at) <= NEAR);
        near.min_by(|a, b| away(a.at).total_cmp(&away(b.at))).map(|mark| mark.step)
    }

    fn place_label(&self, time: u64, cpu: Option<Cpu>, bar: Option<&Bar>) -> String {
        let at = format!("{} ms", format::absolute(time));
        match (cpu, bar) {
            (Some(cpu), Some(bar)) => {
                let name = self.name(bar.task);
                let more = if bar.merged { " and others" } else { "" };
                let length = format::duration(bar.to - bar.from);
                let clock = match bar.khz {
                    khz if khz < self.window.top_khz => format!(" at {} GHz", format::ghz(khz)),
                    _ => String::new(),
                };
                format!("{name}{more} on CPU {cpu} for {length}{clock}, {at}")
            }
            (Some(cpu), None) => format!("CPU {cpu} idle, {at}"),
            (None, _) => at,
        }
    }
}

/// Least distance of ruler ticks for a font size.
pub(super) fn ruler_gap(font: f32) -> f32 {
    if font > 14.0 { 120.0 } else { 72.0 }
}

/// Lays out everything but the playhead.
#[must_use]
pub fn layout(timeline: &Timeline) -> TimelineLayout {
    TimelineLayout { labels: labels(timeline), bars: bars(timeline), marks: marks(timeline) }
}

/// What lies on the canvas. It changes with the window, the stretch, the lanes, the size and the
/// row under the pointer; not with the step.
#[must_use]
pub fn bars(timeline: &Timeline) -> Scene {
    bars::draw(timeline)
}

/// Decisions, arrows, preemptions, the brush and the veil over what has not been stepped to.
#[must_use]
pub fn marks(timeline: &Timeline) -> Scene {
    let mut pen = Pen::new(timeline.look.width, timeline.plan.height);
    strip::decisions(&mut pen, timeline);
    for run in [Some(*timeline), timeline.second()].into_iter().flatten() {
        arrows::preemptions(&mut pen, &run);
        arrows::draw(&mut pen, &run);
    }
    veil(&mut pen, timeline);
    strip::brush(&mut pen, timeline);
    pen.done()
}

fn veil(pen: &mut Pen, timeline: &Timeline) {
    let Some(end) = timeline.hide_after else { return };
    let scale = timeline.scale();
    let x = scale.x_inside(end);
    if x >= scale.right {
        return;
    }
    let top = timeline.plan.ruler + 1.0;
    let rect = Rect::new(x + 1.0, top, scale.right - x - 1.0, timeline.plan.bottom - top);
    pen.fill("veil", rect, Ink::Background);
    let style = plain(timeline.plan.font, Ink::TextFaint);
    let lane = timeline.plan.lane(timeline.focus());
    let y = lane.map_or(rect.centre().y, |lane| lane.y + lane.height / 2.0);
    let room = (x + 14.0, scale.right - 4.0);
    pen.text_if_fits("veil/text", room, y, "hidden until you step", style);
}

/// The column on the left.
#[must_use]
pub fn labels(timeline: &Timeline) -> Scene {
    let plan = timeline.plan;
    let mut pen = Pen::new(timeline.labels, plan.height);
    if timeline.labels < 40.0 {
        return pen.done();
    }
    let faint = plain(plan.font, Ink::TextFaint);
    let right = timeline.labels - 10.0;
    pen.text("label/time", 16.0, plan.ruler - plan.font * 0.5 - 3.0, "time, ms", faint);
    for (i, y) in plan.rules.iter().enumerate() {
        pen.level(format!("label/rule/{i}"), 0.0, timeline.labels, *y, stroke(Ink::Line, 1.0));
    }
    let swatches = !plan.tasks.is_empty();
    let mut from = 0;
    for run in [Some(*timeline), timeline.second()].into_iter().flatten() {
        let plan = run.plan;
        for (i, row) in plan.labels.iter().enumerate() {
            let end = if swatches { right - 16.0 } else { right };
            label(&mut pen, &run, from + i, row, end);
        }
        for (task, y) in &plan.tasks {
            let ink = run.ink(*task);
            let swatch = Rect::new(run.labels - 22.0, y + 0.5, 14.0, plan.task_height - 1.0);
            pen.fill(format!("label/task/{from}/{task}"), swatch, ink.edge);
            let row = Rect::new(0.0, *y, run.labels, plan.task_height);
            pen.hit(row, Target::Task(*task), run.name(*task));
        }
        if let Some((y, height)) = plan.band {
            let rect = Rect::new(0.0, y, run.labels, height);
            let label = format!("Next difference. {}", apart::in_view(&run));
            pen.hit(rect, Target::Named(DIFFERENCE), label);
            let style = plain(plan.font, Ink::TextFaint).anchor(Anchor::End);
            let middle = y + height / 2.0;
            let heading = plan.labels.first().map_or("", |row| row.name.as_str());
            let room = (26.0 + width(heading, plain(14.0, Ink::Text).weight(600)), right);
            pen.text_if_fits("label/differs", room, middle, "differs", style);
        }
        from += plan.labels.len();
    }
    if let Some((y, height)) = plan.overview {
        let middle = y + height / 2.0;
        let beside = column(plan.font);
        pen.text("label/overview", 16.0, middle, "whole run", faint);
        let words = format!("busy CPUs, {}", format::span_ms(0, timeline.roster.loaded.end));
        pen.text_if_fits("label/overview/beside", (beside, right), middle, &words, faint);
    }
    pen.done()
}

/// Where the words beside a name start.
fn column(font: f32) -> f32 {
    font * 7.25
}

fn label(pen: &mut Pen, timeline: &Timeline, i: usize, row: &LabelRow, right: f32) {
    let plan = timeline.plan;
    let key = format!("label/{i}");
    let size = if row.strong && plan.font < 14.0 && !matches!(row.target, Some((_, true))) {
        14.0
    } else {
        plan.font
    };
    let ink = if row.strong { Ink::Text } else { Ink::TextFaint };
    let style = plain(size, ink).weight(if row.strong { 600 } else { 400 });
    let name = shortened(&row.name, style, right - 16.0);
    let end = 16.0 + width(&name, style) + 10.0;
    if !name.is_empty() {
        pen.text(key.clone(), 16.0, row.y, name, style);
    }
    let beside = beside_words(timeline, row);
    let style = if row.numbers {
        number(plan.font, Ink::TextFaint).anchor(Anchor::Start)
    } else {
        plain(plan.font, Ink::TextFaint)
    };
    let start = if row.name.is_empty() { column(plan.font) } else { end.max(column(plan.font)) };
    let words = shortened(&beside, style, right - start);
    // Roles may be cut, the rest is said whole or not at all.
    let roles = row.strong && words.chars().count() > 3;
    if roles || words == beside {
        pen.text(format!("{key}/beside"), start, row.y, words, style);
    }
    if let Some((number, is_llc)) = row.target {
        let rect = Rect::new(0.0, row.y - plan.font * 0.6, timeline.labels, plan.font * 1.2);
        let target = if is_llc { Target::Llc(number) } else { Target::Lane(number) };
        let label =
            if beside.is_empty() { row.name.clone() } else { format!("{}: {beside}", row.name) };
        pen.hit(rect, target, label);
    }
}

/// Roles of a CPU; for the focus CPU without any, how much is queued there.
fn beside_words(timeline: &Timeline, row: &LabelRow) -> String {
    let Some((cpu, false)) = row.target else { return row.beside.clone() };
    if !row.beside.is_empty() || cpu != timeline.focus() || timeline.plan.second {
        return row.beside.clone();
    }
    let Some(view) = timeline.roster.moment.cpus.get(usize::from(cpu)) else {
        return String::new();
    };
    let runnable = view.waiting.len() - usize::from(view.delayed).min(view.waiting.len())
        + usize::from(view.curr.is_some());
    format!("{runnable} runnable")
}

/// Tasks that have a mark in the window, for the table.
#[must_use]
pub fn tasks(window: &Window) -> Vec<Task> {
    let mut tasks: Vec<Task> =
        window.lanes.iter().flat_map(|lane| lane.bars.iter().map(|bar| bar.task)).collect();
    schedscope_sim::order::sort(&mut tasks);
    tasks.dedup();
    tasks
}
