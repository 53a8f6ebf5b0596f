//! The pick picture: who runs next, read off one axis of virtual time.
//!
//! Origin is V. Each runnable task has a lane, in deadline order: its request is a bar from its
//! vruntime to its virtual deadline, filled if it is eligible (vruntime ≤ V, the tinted side),
//! hatched if not; the line between dot and V is its lag. The pick is the first flag among the
//! filled ones, and what has an earlier flag says why it is not.

mod frame;
mod key;
mod lane;
pub(super) mod levels;
mod plan;
mod rule;
mod table;

pub use frame::Column;
pub use key::key;
pub use lane::spoken;
pub use plan::{MANY, Plan};
pub use rule::Rule;
pub use table::{TITLES, TableRow, caption, table};

use super::axis::{Domain, VirtualAxis};
use super::beam::{self, BeamRoom};
use super::pen::{Pen, dashed, number, plain, stroke, width};
use super::{Look, Roster};
use crate::format;
use crate::geometry::{Point, Rect};
use crate::scene::{Anchor, Dash, Ink, Scene, Target};
use frame::Frame;
use lane::Standing;
use schedscope_session::update::{Check, Mark, PickPicture, PickRow};

/// What a picture may be drawn with besides its figures.
#[derive(Clone, Debug, Default)]
pub struct Extra<'a> {
    /// The checks of the decision; without them it is shown decided.
    pub checks: Option<&'a [Check]>,
    /// The domain of the axis, frozen inside a decision (see
    /// [`AxisMemory`](super::axis::AxisMemory)) or zoomed.
    pub domain: Option<Domain>,
    /// The figures of one task before a change that is only tried: shown dashed.
    pub what_if: Option<PickRow>,
    /// Whether the summary lane is open.
    pub open: bool,
    /// The lane a learner chose.
    pub answer: Option<u32>,
}

/// What can be pointed at besides tasks: the last line, which opens or closes the rest.
pub const FOLD: &str = "pick.fold";

/// Draws the picture of a pick as far as it has happened at `look.check`.
#[must_use]
pub fn layout(
    picture: &PickPicture,
    checks: Option<&[Check]>,
    roster: &Roster,
    look: &Look,
) -> Scene {
    layout_with(picture, &Extra { checks, ..Extra::default() }, roster, look)
}

/// Draws the picture of a pick with everything there is to it; of one in groups of tasks, both
/// levels, the root queue above.
#[must_use]
pub fn layout_with(picture: &PickPicture, extra: &Extra, roster: &Roster, look: &Look) -> Scene {
    if picture.title.is_empty() {
        return one(picture, extra, roster, look);
    }
    levels::stack(picture, extra.checks, look, |level, checks, look| {
        let root = level.group == picture.group;
        let domain = extra.domain.filter(|_| root);
        one(level, &Extra { checks, domain, ..extra.clone() }, roster, look)
    })
}

/// Draws one level.
fn one(picture: &PickPicture, extra: &Extra, roster: &Roster, look: &Look) -> Scene {
    let plan = Plan::of(picture, look.check, extra.open);
    if plan.lanes.is_empty() {
        return empty(picture, look);
    }
    let whole = domain(picture);
    let leaves =
        picture.later.iter().any(|later| usize::from(later.since) == look.check.saturating_add(1));
    let (whole_picture, picture) = (picture, picture.at(look.check));
    let base = extra.domain.unwrap_or(whole);
    // A zoomed axis is left alone; any other makes room for the words.
    let zoomed = base != whole && extra.what_if.is_none();
    let last = whole_picture.at(usize::MAX);
    let (frame, axis) = frame_and_axis(last, &plan, base, zoomed, roster, look);
    let mut pen = Pen::new(frame.width, frame.height).floor(frame.font);
    let limit = extra.checks.and_then(|checks| checks.get(look.check)?.limit);
    let origin = frame.rule.origin(picture);
    let limit = limit.map(|limit| limit.saturating_sub(origin));
    let moment = Progress { leaves, limit, ..Progress::of(picture, extra.checks, look.check) };
    ground(&mut pen, &frame, &axis);
    if frame.beam > 0.0 {
        let room = BeamRoom { height: frame.beam, font: frame.font };
        beam::draw(&mut pen, room, frame.left, &axis, roster, &queued(picture));
    }
    header(&mut pen, &frame, &axis, plan.lanes.iter().any(|row| row.offset != 0));
    for (line, row) in plan.lanes.iter().enumerate() {
        let standing = moment.standing(row, picture, extra, roster, look);
        lane::draw(&mut pen, &frame, &axis, roster, line, row, &standing);
    }
    if plan.folds {
        fold(&mut pen, &frame, &axis, &plan);
    }
    let v = axis.v();
    let top = match frame.rule {
        Rule::Cfs => frame.top,
        Rule::Eevdf if frame.beam > 0.0 => frame.beam - 24.0,
        Rule::Eevdf => 2.0,
    };
    let weight = if frame.large() { 2.5 } else { 1.75 };
    let weight = if frame.rule == Rule::Cfs { 1.0 } else { weight };
    if let Some(at) = limit.filter(|at| (axis.domain.low..=axis.domain.high).contains(at)) {
        let line = dashed(Ink::Accent, 2.0, Dash::Dashed);
        pen.upright("pick/limit", axis.x(at), frame.top + 1.0, frame.bottom, line);
    }
    pen.upright("pick/v", v, top, frame.bottom + 6.0, stroke(Ink::Text, weight));
    ticks(&mut pen, &frame, &axis);
    pen.done()
}

/// The domain of a picture's axis, at all its checks.
#[must_use]
pub fn domain(picture: &PickPicture) -> Domain {
    let mut rows = Rule::of(picture).rows(picture);
    rows.extend(picture.later.iter().flat_map(queued));
    let offset = rows.iter().filter(|row| row.offset != 0);
    let offset: Vec<PickRow> =
        offset.map(|row| PickRow { vruntime: row.vruntime + row.offset, ..*row }).collect();
    rows.extend(offset);
    Domain::of(&rows)
}

/// The rows that count: those that have not left.
fn queued(picture: &PickPicture) -> Vec<PickRow> {
    picture.rows.iter().filter(|row| !row.gone).copied().collect()
}

/// Whether the decision is over at this check.
#[must_use]
pub fn finished(picture: &PickPicture, checks: Option<&[Check]>, check: usize) -> bool {
    let over = checks.is_none_or(|checks| {
        let made = check.saturating_add(1);
        made >= checks.len() || checks.iter().take(made).any(|check| check.mark == Mark::Chosen)
    });
    picture.decided && over
}

/// What becomes of the one that is picked.
#[must_use]
pub fn verdict(row: &PickRow) -> &'static str {
    if row.group.is_some() {
        return "its turn: see inside";
    }
    match (row.curr, row.delayed) {
        (_, true) => "picked, but it sleeps: it leaves",
        (true, false) => "keeps the CPU",
        (false, false) => "runs next",
    }
}

/// How far the decision has come.
struct Progress {
    finished: bool,
    current: Vec<u32>,
    /// At this check, the current one leaves.
    leaves: bool,
    /// Up to where on the axis this check lets its task be.
    limit: Option<i64>,
}

impl Progress {
    fn of(picture: &PickPicture, checks: Option<&[Check]>, check: usize) -> Progress {
        let finished = finished(picture, checks, check);
        let tasks = checks
            .and_then(|checks| checks.get(check.min(checks.len().saturating_sub(1))))
            .map_or(&[][..], |check| check.tasks.as_slice());
        // A check about everybody points at nobody.
        let everybody = tasks.len() > 1 && tasks.len() >= queued(picture).len();
        let current = if everybody || finished { Vec::new() } else { tasks.to_vec() };
        Progress { finished, current, leaves: false, limit: None }
    }

    fn standing(
        &self,
        row: &PickRow,
        picture: &PickPicture,
        extra: &Extra,
        roster: &Roster,
        look: &Look,
    ) -> Standing {
        let picked = self.finished && picture.chosen == Some(row.task);
        let current = self.current.contains(&row.task);
        let list_row = roster.row_number(row.task);
        Standing {
            current,
            picked,
            note: self.note(row, picked, current, picture, extra.answer),
            ghost: extra.what_if.filter(|old| old.task == row.task),
            hover: look.hover.is_some() && look.hover == list_row,
            selected: look.selected.is_some() && look.selected == list_row,
        }
    }

    fn note(
        &self,
        row: &PickRow,
        picked: bool,
        current: bool,
        picture: &PickPicture,
        answer: Option<u32>,
    ) -> Option<String> {
        let answered = answer == Some(row.task);
        if picked {
            let note = verdict(row);
            return Some(if answered { format!("{note}, your answer") } else { note.to_string() });
        }
        if Rule::of(picture) == Rule::Cfs {
            let first = picture.rows.iter().all(|other| {
                row.task == other.task || picture_vruntime(picture, row.task) < other.vruntime
            });
            let tested = self.limit.filter(|_| self.current.first() == Some(&row.task));
            let words = match (answered, current, first) {
                _ if tested.is_some_and(|limit| row.vruntime <= limit) => "within the limit",
                _ if tested.is_some() => "beyond the limit",
                (true, ..) if self.finished => "your answer",
                (true, ..) => "your answer so far",
                (_, true, true) => "smallest vruntime",
                _ => return None,
            };
            return Some(words.to_string());
        }
        if row.gone || (current && self.leaves) {
            let words = if row.gone { "has left" } else { "leaves the queue" };
            return Some(words.to_string());
        }
        let chosen = picture.rows.iter().find(|other| Some(other.task) == picture.chosen);
        let earlier = chosen.is_some_and(|chosen| row.deadline < chosen.deadline);
        let words = if self.finished && earlier && !row.eligible {
            "earlier, but not eligible"
        } else if self.finished && earlier && picture.reason == "search missed" {
            "missed"
        } else if self.finished && answered {
            "your answer"
        } else if answered {
            "your answer so far"
        } else if current && row.eligible {
            "eligible"
        } else if current {
            let first = picture.rows.iter().all(|other| row.deadline <= other.deadline);
            if first { "earliest, but not eligible" } else { "not eligible" }
        } else if row.protected && row.eligible {
            "protected"
        } else {
            return None;
        };
        let mine = answered && !words.starts_with("your");
        Some(if mine { format!("your answer: {words}") } else { words.to_string() })
    }
}

/// A task's vruntime as the picture has it, relative to V.
fn picture_vruntime(picture: &PickPicture, task: u32) -> i64 {
    picture.rows.iter().find(|row| row.task == task).map_or(0, |row| row.vruntime)
}

/// Measures, and a beam only if its balls fit.
fn frame_and_axis(
    picture: &PickPicture,
    plan: &Plan,
    base: Domain,
    zoomed: bool,
    roster: &Roster,
    look: &Look,
) -> (Frame, VirtualAxis) {
    let beam = plan.rule == Rule::Eevdf && !plan.folds && picture.rows.len() > 1;
    let of = |beam| {
        let frame = Frame::of(plan, roster, look, beam);
        let domain = if zoomed { base } else { roomy(picture, plan, &frame, base) };
        let axis = VirtualAxis { domain, left: frame.left, right: frame.right };
        (frame, axis)
    };
    let (frame, axis) = of(beam);
    let room = BeamRoom { height: frame.beam, font: frame.font };
    if frame.beam > 0.0 && !beam::fits(&queued(picture), &axis, room) {
        of(false)
    } else {
        (frame, axis)
    }
}

/// The domain of the picture, with room for the words that make its point: right of the flag of
/// the pick and of those that are earlier but not eligible.
fn roomy(picture: &PickPicture, plan: &Plan, frame: &Frame, domain: Domain) -> Domain {
    let lane = |row: &PickRow| plan.lanes.iter().any(|lane| lane.task == row.task);
    let rows: Vec<PickRow> = picture.rows.iter().filter(|row| lane(row)).copied().collect();
    let chosen = rows.iter().find(|row| Some(row.task) == picture.chosen);
    let Some(chosen) = chosen.filter(|_| plan.rule == Rule::Eevdf) else { return domain };
    let style = plain(frame.font, Ink::Accent).weight(650);
    let flag = if frame.large() { 19.0 } else { 15.0 };
    let across = frame.right - frame.left;
    let wants = rows.iter().filter_map(|row| {
        let words = match row {
            row if row.task == chosen.task => verdict(row),
            row if !row.eligible && row.deadline < chosen.deadline => "earlier, but not eligible",
            _ => return None,
        };
        let room = across - width(words, style) - flag;
        let inside = row.deadline > 0 && row.deadline <= domain.high;
        (inside && room > across * 0.4).then(|| {
            let ahead = (row.deadline - domain.low) as f64;
            domain.low + (ahead * f64::from(across / room)) as i64
        })
    });
    let most = domain.low + (domain.high - domain.low) / 5 * 8;
    let high = wants.filter(|high| *high <= most).max().unwrap_or(domain.high);
    domain.reaching(high)
}

/// Eligible region and grid.
fn ground(pen: &mut Pen, frame: &Frame, axis: &VirtualAxis) {
    let top = if frame.beam > 0.0 { 4.0 } else { 6.0 };
    let tint = Rect::new(frame.left, top, axis.v() - frame.left, frame.bottom - top);
    if frame.rule == Rule::Eevdf {
        pen.fill("pick/eligible", tint, Ink::Eligible);
    }
    for at in axis.domain.ticks().filter(|at| *at != 0) {
        let key = format!("pick/grid/{at}");
        pen.upright(key, axis.x(at), frame.top, frame.bottom, stroke(Ink::Line, 1.0));
    }
}

/// The line above the lanes.
fn header(pen: &mut Pen, frame: &Frame, axis: &VirtualAxis, offsets: bool) {
    let y = frame.top - frame.font * 0.5 - 5.0;
    let soft = plain(frame.font, Ink::TextSoft);
    let faint = plain(frame.font, Ink::TextFaint);
    let v = axis.v();
    let mut from = 0.0;
    if frame.names {
        pen.text("pick/title/task", 0.0, y, "task", faint);
        from = width("task", faint) + 16.0;
    }
    let eevdf = frame.rule == Rule::Eevdf;
    for words in ["eligible: vruntime ≤ V", "eligible"].into_iter().filter(|_| eevdf) {
        let style = soft.anchor(Anchor::End);
        if pen.text_if_fits("pick/title/eligible", (from, v - 8.0), y, words, style) {
            break;
        }
    }
    let columns = frame.columns.iter().map(|(column, right)| (*column, *right));
    let alone = frame.columns.len() == 1;
    let mut to = frame.width;
    for (column, right) in columns {
        let title = column.title(alone);
        let style = faint.anchor(Anchor::End);
        to = to.min(right - width(title, style) - 12.0);
        pen.text(format!("pick/title/{title}"), right, y, title, style);
    }
    if eevdf {
        pen.text_if_fits("pick/title/not", (v + 8.0, to), y, "not eligible", faint);
    } else {
        let from = from.max(frame.left);
        let words = match offsets {
            true => [
                "dot: vruntime, diamond: + latency offset, bar: share of the period",
                "dot: vruntime, diamond: + latency offset",
                "vruntime ◇ with offset",
            ],
            false => [
                "dot: vruntime, bar: share of the period ÷ weight",
                "vruntime, share of the period",
                "vruntime",
            ],
        };
        for words in words {
            if pen.text_if_fits("pick/title/cfs", (from, to), y, words, faint) {
                break;
            }
        }
    }
    pen.level("pick/head", 0.0, frame.width, frame.top, stroke(Ink::LineStrong, 1.0));
}

/// The line that stands for the tasks without a lane.
fn fold(pen: &mut Pen, frame: &Frame, axis: &VirtualAxis, plan: &Plan) {
    let line = plan.lanes.len();
    let (y, cy) = (frame.top + line as f32 * frame.lane, frame.middle(line));
    let size = frame.font * 0.33;
    let open = plan.hidden.is_empty();
    let x = 8.0 + size;
    let chevron = if open {
        vec![(x - size, cy + size * 0.6), (x, cy - size * 0.6), (x + size, cy + size * 0.6)]
    } else {
        vec![(x - size, cy - size * 0.6), (x, cy + size * 0.6), (x + size, cy - size * 0.6)]
    };
    let chevron = chevron.into_iter().map(|(x, y)| Point::new(x, y)).collect();
    pen.path("pick/fold/chevron", chevron, stroke(Ink::Accent, 1.5));
    let start = 8.0 + frame.font + 6.0;
    let summary = plan.summary();
    pen.text("pick/fold/text", start, cy, summary.clone(), plain(frame.font, Ink::Accent));
    for row in &plan.hidden {
        let x = axis.x(row.vruntime);
        if (axis.left..=axis.right).contains(&x) {
            let fill = if row.eligible { Ink::TextSoft } else { Ink::Background };
            let edge = Some(stroke(Ink::TextSoft, 1.0));
            let key = format!("pick/fold/{}", row.task);
            pen.faded(0.7, |pen| pen.circle(key, Point::new(x, cy), 2.5, fill, edge));
        }
    }
    let hairline = stroke(Ink::Line, 1.0);
    pen.level("pick/fold/line", 0.0, frame.width, y + frame.lane, hairline);
    let rect = Rect::new(0.0, y, frame.width, frame.lane);
    let label = if open { "Show fewer tasks".to_string() } else { format!("Show {summary}") };
    pen.hit(rect, Target::Named(FOLD), label);
}

/// The axis below.
fn ticks(pen: &mut Pen, frame: &Frame, axis: &VirtualAxis) {
    let y = frame.bottom + 6.0 + frame.font * 0.5 + 4.0;
    pen.level("pick/axis", frame.left, frame.right, frame.bottom, stroke(Ink::Axis, 1.0));
    let style = number(frame.font, Ink::TextFaint).anchor(Anchor::Middle);
    let step = axis.domain.step;
    let origin = if frame.rule == Rule::Cfs { "min" } else { "V" };
    let label = |at: i64| if at == 0 { origin.to_string() } else { format::tick(at, step) };
    let widest = axis.domain.ticks().map(|at| width(&label(at), style));
    let widest = widest.fold(0.0, f32::max);
    let every = ((widest + 8.0) / axis.step_width()).ceil().max(1.0) as i64;
    let mut free = frame.left - 8.0;
    for at in axis.domain.ticks() {
        let x = axis.x(at);
        let key = format!("pick/tick/{at}");
        pen.upright(key, x, frame.bottom, frame.bottom + 4.0, stroke(Ink::Axis, 1.0));
        if at / step % every != 0 {
            continue;
        }
        let label = label(at);
        let key = format!("pick/tick/{at}/label");
        let half = width(&label, style) / 2.0;
        let style = if at == 0 {
            plain(frame.font, Ink::Text).weight(700).anchor(Anchor::Middle)
        } else {
            style
        };
        pen.text(key, x, y, label, style);
        free = x + half + 12.0;
    }
    let faint = plain(frame.font, Ink::TextFaint).anchor(Anchor::End);
    let relative = match frame.rule {
        Rule::Eevdf => "virtual time relative to V, ms",
        Rule::Cfs => "vruntime relative to min_vruntime, ms",
    };
    for words in [relative, "virtual time, ms", "ms"] {
        if pen.text_if_fits("pick/axis/title", (free, frame.width), y, words, faint) {
            break;
        }
    }
}

/// The picture of an empty queue.
fn empty(picture: &PickPicture, look: &Look) -> Scene {
    let size = if look.present { 24.0 } else { 14.0 };
    let height = look.height.min(size * 10.0);
    let mut pen = Pen::new(look.width, height);
    let style = plain(size, Ink::TextFaint);
    let y = height / 2.0 - size * 0.75;
    let first = format!("Nothing is queued on CPU {}.", picture.cpu);
    pen.text("pick/empty/1", 0.0, y, first, style);
    pen.text("pick/empty/2", 0.0, y + size * 1.5, "The idle task runs.", style);
    pen.done()
}
