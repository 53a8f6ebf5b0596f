//! What lies on the canvas and is painted anew only when the window changes: bars, task rows, heat
//! strips, the overview's area and the ruler's ticks.

use super::apart;
use super::plan::{HeatRow, LETTERS, LaneForm, LaneRow};
use super::{Timeline, ruler_gap};
use crate::geometry::{Point, Rect};
use crate::scene::{Anchor, Dash, Ink, Scene, Stroke};
use crate::view::pen::{Pen, dashed, plain, stroke, width};
use schedscope_session::order;
use schedscope_session::update::{Bar, Lane};

/// Marks on the canvas move with the window, not by themselves: they need no keys.
pub(super) const NO_KEY: &str = "";

/// Draws the canvas.
pub(super) fn draw(timeline: &Timeline) -> Scene {
    let mut pen = Pen::new(timeline.look.width, timeline.plan.height);
    ruler(&mut pen, timeline);
    for run in [Some(*timeline), timeline.second()].into_iter().flatten() {
        for row in &run.plan.lanes {
            let lane = run.window.lanes.iter().find(|lane| lane.cpu == row.cpu);
            lane_bars(&mut pen, &run, row, lane);
        }
        task_rows(&mut pen, &run);
        for strip in &run.plan.heat {
            heat(&mut pen, &run, strip);
        }
        apart::band(&mut pen, &run);
    }
    overview(&mut pen, timeline);
    pen.done()
}

fn ruler(pen: &mut Pen, timeline: &Timeline) {
    let scale = timeline.scale();
    let y = timeline.plan.ruler;
    pen.level(NO_KEY, scale.left, scale.right, y, stroke(Ink::Axis, 1.0));
    for at in scale.ticks(ruler_gap(timeline.plan.font)).1 {
        pen.upright(NO_KEY, scale.x(at), y - 6.0, y, stroke(Ink::Axis, 1.0));
    }
    for y in &timeline.plan.rules {
        pen.level(NO_KEY, scale.left, scale.right, *y, stroke(Ink::Line, 1.0));
    }
}

/// A stretch of px, if any of it is in view and not hidden.
pub(super) fn clipped(timeline: &Timeline, from: u64, to: u64) -> Option<(f32, f32)> {
    let scale = timeline.scale();
    let to = timeline.hide_after.map_or(to, |end| to.min(end));
    if to <= from || to < scale.stretch.from || from > scale.stretch.to {
        return None;
    }
    Some((scale.x_inside(from), scale.x_inside(to)))
}

fn lane_bars(pen: &mut Pen, timeline: &Timeline, row: &LaneRow, lane: Option<&Lane>) {
    let scale = timeline.scale();
    let ground = Rect::new(scale.left, row.y, scale.right - scale.left, row.height);
    if row.form == LaneForm::Named {
        pen.level(NO_KEY, scale.left, scale.right, ground.bottom() + 0.5, stroke(Ink::Line, 1.0));
    } else {
        pen.fill(NO_KEY, ground, Ink::Idle);
    }
    let Some(lane) = lane else { return };
    let letters = row.height >= LETTERS;
    if letters {
        clock_line(pen, timeline, row, lane);
    }
    for bar in &lane.bars {
        one_bar(pen, timeline, row, lane, bar, letters);
    }
}

/// Bars of lanes at least this high are as high as the clock is fast.
const CLOCKED: f32 = 5.0;

/// How high a bar is at a clock: at least 30 % of the lane, and high enough for its letter where
/// the lane has letters.
fn bar_height(timeline: &Timeline, row: &LaneRow, khz: u32) -> f32 {
    let share = khz as f32 / timeline.window.top_khz.max(1) as f32;
    let letter = timeline.plan.font + 2.0;
    let least = if row.height >= LETTERS { (letter / row.height).min(1.0) } else { 0.0 };
    let least = least.max(0.3);
    (row.height * (least + (1.0 - least) * share.min(1.0))).round()
}

/// The clock of a lane over time, on the scale of the bars: it goes on from bar to bar.
fn clock_line(pen: &mut Pen, timeline: &Timeline, row: &LaneRow, lane: &Lane) {
    let until = timeline.window.progress.time;
    let mut points = Vec::new();
    for (i, (from, khz)) in lane.clock.iter().enumerate() {
        let to = lane.clock.get(i + 1).map_or(until.max(*from), |(next, _)| *next);
        let Some((x0, x1)) = clipped(timeline, *from, to) else { continue };
        let y = row.y + row.height - bar_height(timeline, row, *khz) + 0.5;
        points.extend([Point::new(x0, y), Point::new(x1, y)]);
    }
    if points.len() > 1 {
        pen.path(NO_KEY, points, stroke(Ink::Axis, 1.0));
    }
}

/// The clocks of a lane in a bar: from, to, kHz.
fn clocks(lane: &Lane, bar: &Bar) -> Vec<(u64, u64, u32)> {
    let first = lane.clock.partition_point(|(from, _)| *from <= bar.from).saturating_sub(1);
    let mut out = Vec::new();
    for (i, (from, khz)) in lane.clock.iter().enumerate().skip(first) {
        if *from >= bar.to {
            break;
        }
        let to = lane.clock.get(i + 1).map_or(bar.to, |(next, _)| (*next).min(bar.to));
        if to > bar.from {
            out.push(((*from).max(bar.from), to, *khz));
        }
    }
    out
}

fn one_bar(
    pen: &mut Pen,
    timeline: &Timeline,
    row: &LaneRow,
    lane: &Lane,
    bar: &Bar,
    letters: bool,
) {
    let Some((x0, x1)) = clipped(timeline, bar.from, bar.to) else { return };
    let ink = timeline.ink(bar.task);
    // A hair of room keeps neighbours apart.
    let gap = if x1 - x0 > 3.0 && row.height >= 4.0 { 0.6 } else { 0.0 };
    let mut rect = Rect::new(x0, row.y, (x1 - x0 - gap).max(0.8), row.height);
    if lane.clock.is_empty() || row.height < CLOCKED {
        pen.fill(NO_KEY, rect, ink.fill);
    } else {
        let bottom = rect.bottom();
        let mut least = row.height;
        let pieces = match clocks(lane, bar) {
            pieces if pieces.is_empty() => vec![(bar.from, bar.to, bar.khz)],
            pieces => pieces,
        };
        for (from, to, khz) in pieces {
            let Some((from, to)) = clipped(timeline, from, to) else { continue };
            let height = bar_height(timeline, row, khz);
            let end = to.min(rect.right()).max(from + 0.8);
            pen.fill(NO_KEY, Rect::new(from, bottom - height, end - from, height), ink.fill);
            least = least.min(height);
        }
        rect = Rect::new(rect.x, bottom - least, rect.w, least);
    }
    if timeline.belongs(bar.task, timeline.look.hover) {
        pen.rect(NO_KEY, rect, 0.0, Ink::None, stroke(Ink::Text, 1.5));
    }
    if bar.merged && row.height >= 5.0 {
        pen.level(NO_KEY, rect.x, rect.right(), rect.y + 0.75, stroke(Ink::TextSoft, 1.5));
    }
    let size = timeline.plan.font;
    if !letters || rect.w < size * 0.8 || rect.h < size + 1.5 {
        return;
    }
    let style = plain(size, ink.text).weight(600).anchor(Anchor::Middle);
    let Some(label) = timeline.label(bar.task) else { return };
    if width(&label, style) + 4.0 <= rect.w {
        let at = rect.centre();
        pen.text(NO_KEY, at.x, at.y, label, style);
    }
}

/// Under the focus CPU, a row for each task: solid while it runs, dotted while it waits.
fn task_rows(pen: &mut Pen, timeline: &Timeline) {
    let focus = timeline.focus();
    let Some(lane) = timeline.window.lanes.iter().find(|lane| lane.cpu == focus) else { return };
    let height = timeline.plan.task_height;
    for (task, y) in &timeline.plan.tasks {
        let ink = timeline.ink(*task);
        let middle = y + height / 2.0;
        let waits = lane.waits.iter().filter(|(who, _, _)| who == task);
        for (_, from, to) in waits {
            if let Some((x0, x1)) = clipped(timeline, *from, *to) {
                let with: Stroke = dashed(ink.edge, 1.0, Dash::Dotted);
                pen.level(NO_KEY, x0, x1, middle, with);
            }
        }
        for bar in lane.bars.iter().filter(|bar| bar.task == *task) {
            if let Some((x0, x1)) = clipped(timeline, bar.from, bar.to) {
                let rect = Rect::new(x0, y + 0.5, (x1 - x0).max(0.8), height - 1.0);
                pen.fill(NO_KEY, rect, ink.edge);
            }
        }
    }
}

/// The busy share of an LLC over time: shades, or an area where it was searched.
fn heat(pen: &mut Pen, timeline: &Timeline, strip: &HeatRow) {
    let scale = timeline.scale();
    let window = timeline.window;
    let ground = Rect::new(scale.left, strip.y, scale.right - scale.left, strip.height);
    pen.fill(NO_KEY, ground, Ink::Idle);
    let llcs = usize::from(strip.llc)..usize::from(strip.llc + strip.count);
    let Some(rows) = window.heat.get(llcs).filter(|rows| !rows.is_empty()) else { return };
    let bins = rows.iter().map(Vec::len).min().unwrap_or(0);
    let share = |bin: usize| {
        let sum: usize = rows.iter().map(|row| usize::from(row[bin])).sum();
        (sum / rows.len()) as u8
    };
    let span = |bin: usize, end: usize| {
        let from = window.from + bin as u64 * window.bin;
        clipped(timeline, from, window.from + end as u64 * window.bin)
    };
    if strip.strong {
        let mut points = Vec::new();
        for bin in 0..bins {
            let Some((x0, x1)) = span(bin, bin + 1) else { continue };
            let y = ground.bottom() - ground.h * f32::from(share(bin)) / 255.0;
            points.extend([Point::new(x0, y), Point::new(x1, y)]);
        }
        if let (Some(first), Some(last)) = (points.first().copied(), points.last().copied()) {
            points.push(Point::new(last.x, ground.bottom()));
            points.push(Point::new(first.x, ground.bottom()));
            pen.polygon(NO_KEY, points, Ink::TextFaint, None);
        }
        return;
    }
    // Equal neighbours are one rectangle; 32 shades are enough for the eye, and any is seen.
    let shade = |bin: usize| match share(bin) {
        0 => 0,
        share => 64 + share / 8 * 6,
    };
    let mut rects = Vec::new();
    let mut bin = 0;
    while bin < bins {
        let now = shade(bin);
        let end = (bin + 1..bins).find(|next| shade(*next) != now).unwrap_or(bins);
        if let Some((x0, x1)) = span(bin, end).filter(|_| now > 0) {
            rects.push((now, Rect::new(x0, strip.y, x1 - x0, strip.height)));
        }
        bin = end;
    }
    // Shade by shade: to change the fill costs a canvas more than to fill.
    order::sort_by_key(&mut rects, |(shade, _)| *shade);
    rects.into_iter().for_each(|(shade, rect)| pen.fill(NO_KEY, rect, Ink::Heat(shade)));
}

/// How many CPUs were busy, over the whole run.
fn overview(pen: &mut Pen, timeline: &Timeline) {
    let Some((y, height)) = timeline.plan.overview else { return };
    let scale = timeline.overview_scale();
    let base = y + height;
    let values = &timeline.window.overview;
    let end = timeline.roster.loaded.end;
    let known = timeline.window.progress.time.min(timeline.hide_after.unwrap_or(u64::MAX));
    // On its own scale: one busy CPU of 640 would not be seen.
    let most = f32::from(values.iter().copied().max().unwrap_or(0).max(1)) * 1.1;
    let mut points = vec![Point::new(scale.left, base)];
    for (i, value) in values.iter().enumerate() {
        let (i, n) = (i as u128, values.len() as u128);
        let from = (u128::from(end) * i / n) as u64;
        let to = ((u128::from(end) * (i + 1) / n) as u64).min(known);
        if from >= known {
            break;
        }
        let level = base - height * f32::from(*value) / most;
        points.extend([Point::new(scale.x(from), level), Point::new(scale.x(to), level)]);
    }
    if let Some(last) = points.last().copied().filter(|_| points.len() > 2) {
        points.push(Point::new(last.x, base));
        pen.polygon(NO_KEY, points, Ink::Busy, None);
    }
    pen.level(NO_KEY, scale.left, scale.right, base, stroke(Ink::Axis, 1.0));
}
