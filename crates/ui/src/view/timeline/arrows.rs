//! Arrows above the bars: wakes and forks curved and solid, moves by the balancer dashed with an
//! open head, and the mark of a preemption.

use super::Timeline;
use super::plan::{LaneForm, LaneRow};
use crate::format;
use crate::geometry::{Point, Rect};
use crate::scene::{Dash, Ink, Shape, Target};
use crate::view::pen::{Pen, dashed, stroke};
use schedscope_session::update::{Arrow, ArrowKind};

/// With more arrows than this in view, only those of the selected row and of the current decision
/// are drawn.
pub(super) const MOST: usize = 40;

/// Draws all arrows; those of the current step last, in accent.
pub(super) fn draw(pen: &mut Pen, timeline: &Timeline) {
    let drawn: Vec<&Arrow> =
        timeline.window.arrows.iter().filter(|arrow| in_view(timeline, arrow)).collect();
    let few = drawn.len() <= MOST;
    let mine = |arrow: &Arrow| {
        let look = timeline.look;
        [look.selected, look.hover].iter().any(|row| timeline.belongs(arrow.task, *row))
    };
    let current = |arrow: &Arrow| arrow.step == timeline.step();
    for arrow in drawn.iter().filter(|arrow| !current(arrow) && (few || mine(arrow))) {
        one(pen, timeline, arrow, false);
    }
    for arrow in drawn.iter().filter(|arrow| current(arrow)) {
        one(pen, timeline, arrow, true);
    }
}

/// Both ends have a lane and its time is seen.
fn in_view(timeline: &Timeline, arrow: &Arrow) -> bool {
    let stretch = timeline.scale().stretch;
    let hidden = timeline.hide_after.is_some_and(|end| arrow.at > end);
    let lanes = [arrow.from_cpu, arrow.to_cpu].map(|cpu| timeline.plan.lane(cpu));
    // Waking on the same CPU is an everyday thing: only worth an arrow while it is looked at.
    let news = arrow.from_cpu != arrow.to_cpu || arrow.step == timeline.step();
    news && !hidden && stretch.contains(arrow.at) && lanes.iter().all(Option::is_some)
}

fn one(pen: &mut Pen, timeline: &Timeline, arrow: &Arrow, current: bool) {
    let plan = timeline.plan;
    let (Some(from), Some(to)) = (plan.lane(arrow.from_cpu), plan.lane(arrow.to_cpu)) else {
        return;
    };
    let scale = timeline.scale();
    let until = timeline.hide_after.map_or(arrow.until, |end| arrow.until.min(end));
    let (xa, xb) = (scale.x(arrow.at), scale.x_inside(until.max(arrow.at)));
    let run = if plan.second { "second/" } else { "" };
    let key = format!("{run}arrow/{}/{}/{}", arrow.step, arrow.task, arrow.to_cpu);
    if arrow.kind == ArrowKind::Migrate {
        migration(pen, &key, xa, from, to, current);
    } else {
        let arrives = scale.stretch.contains(until);
        wake(pen, &key, (xa, xb), from, to, current, arrives);
    }
    let words = match arrow.kind {
        ArrowKind::Wake => "is woken",
        ArrowKind::Fork => "starts",
        ArrowKind::Migrate => "moves",
    };
    let name = timeline.name(arrow.task);
    let label = format!(
        "{name} {words}: CPU {} to CPU {}, {} ms",
        arrow.from_cpu,
        arrow.to_cpu,
        format::absolute(arrow.at)
    );
    if plan.second {
        // Its steps are not those one goes to.
        return;
    }
    let rect = Rect::new(xa - 5.0, from.y + from.height / 2.0 - 5.0, 10.0, 10.0);
    pen.hit(rect, Target::Step(arrow.step), label);
}

/// From the waker, when it woke, to where the task first runs; without a head if that is out of
/// view.
fn wake(
    pen: &mut Pen,
    key: &str,
    (xa, xb): (f32, f32),
    from: &LaneRow,
    to: &LaneRow,
    current: bool,
    arrives: bool,
) {
    let ink = if current { Ink::Accent } else { Ink::TextFaint };
    let (weight, dot) = if current { (2.0, 3.5) } else { (1.0, 2.0) };
    let same = from.cpu == to.cpu;
    let down = to.y > from.y || same;
    let ya = if same { from.y } else { from.y + from.height / 2.0 };
    let (tip, back) = if down { (to.y, -1.0) } else { (to.y + to.height, 1.0) };
    let end = Point::new(xb, tip + back * 5.0);
    let bend = ((xb - xa).abs() * 0.5).max(((tip - ya).abs() * 0.25).clamp(4.0, 14.0));
    let points = if same {
        [Point::new(xa, ya), Point::new(xa, ya - 9.0), Point::new(xb, ya - 9.0), end]
    } else {
        [
            Point::new(xa, ya),
            Point::new(xa + bend, ya),
            Point::new(xb - bend * 0.2, (ya + tip) / 2.0),
            end,
        ]
    };
    let halo = stroke(Ink::Halo, weight + 2.5);
    pen.mark(format!("{key}/halo"), Shape::Curve(points), Ink::None, Some(halo));
    pen.mark(key, Shape::Curve(points), Ink::None, Some(stroke(ink, weight)));
    pen.circle(format!("{key}/dot"), Point::new(xa, ya), dot, ink, None);
    if !arrives {
        return;
    }
    let head = vec![
        Point::new(xb, tip),
        Point::new(xb - 4.0, tip + back * 7.0),
        Point::new(xb + 4.0, tip + back * 7.0),
    ];
    pen.polygon(format!("{key}/head"), head, ink, None);
}

/// Straight from queue to queue, dashed, with an open head.
fn migration(pen: &mut Pen, key: &str, x: f32, from: &LaneRow, to: &LaneRow, current: bool) {
    let ink = if current { Ink::Accent } else { Ink::TextSoft };
    let weight = if current { 2.0 } else { 1.25 };
    let down = to.y > from.y;
    let (y0, y1, back) = if down {
        (from.y + from.height, to.y - 1.0, -5.0)
    } else {
        (from.y, to.y + to.height + 1.0, 5.0)
    };
    pen.upright(format!("{key}/halo"), x, y0, y1, stroke(Ink::Halo, 3.0));
    pen.upright(key, x, y0, y1, dashed(ink, weight, Dash::Dashed));
    let head =
        vec![Point::new(x - 3.5, y1 + back), Point::new(x, y1), Point::new(x + 3.5, y1 + back)];
    pen.path(format!("{key}/head"), head, stroke(ink, weight));
}

/// A mark where a wakeup took the CPU away from the task that ran.
pub(super) fn preemptions(pen: &mut Pen, timeline: &Timeline) {
    let scale = timeline.scale();
    for row in timeline.plan.lanes.iter().filter(|lane| lane.form == LaneForm::Named) {
        let Some(lane) = timeline.window.lanes.iter().find(|lane| lane.cpu == row.cpu) else {
            continue;
        };
        let mut last = f32::MIN;
        for bar in lane.bars.iter().filter(|bar| bar.preempted) {
            let hidden = timeline.hide_after.is_some_and(|end| bar.to > end);
            let x = scale.x(bar.to);
            if hidden || !scale.stretch.contains(bar.to) || x - last < 6.0 {
                continue;
            }
            last = x;
            let top = row.y - 4.5;
            let mark =
                vec![Point::new(x - 4.5, top), Point::new(x + 4.5, top), Point::new(x, top + 6.5)];
            let halo = Some(stroke(Ink::Halo, 1.0));
            let run = if timeline.plan.second { "second/" } else { "" };
            let key = format!("{run}preempted/{}/{}", row.cpu, bar.to);
            pen.polygon(key, mark, Ink::Text, halo);
        }
    }
}
