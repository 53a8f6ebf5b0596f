//! The strip of decisions (dots for picks, diamonds for placements) and the brush on the overview
//! of the whole run.

use super::pen::{Pen, stroke};
use super::timeline::Timeline;
use crate::format;
use crate::geometry::{Point, Rect};
use crate::scene::{Ink, Target};
use schedscope_session::update::{DecisionKind, DecisionMark};

/// Names of what can be pointed at on the brush.
pub const BRUSH: &str = "timeline.brush";
/// Its left handle.
pub const BRUSH_FROM: &str = "timeline.brush.from";
/// Its right handle.
pub const BRUSH_TO: &str = "timeline.brush.to";
/// The overview beside the brush.
pub const OVERVIEW: &str = "timeline.overview";

/// Draws the decisions that are in view: picks on the focus CPU and all placements.
pub(super) fn decisions(pen: &mut Pen, timeline: &Timeline) {
    let Some((top, height)) = timeline.plan.decisions else { return };
    let scale = timeline.scale();
    let (y, unit) = (top + height / 2.0, height / 20.0);
    let (current, others): (Vec<&DecisionMark>, Vec<&DecisionMark>) =
        shown(timeline).partition(|mark| mark.step == timeline.step());
    let mut last = f32::MIN;
    for (i, mark) in others.iter().enumerate() {
        let x = scale.x(mark.at);
        if x - last < 7.0 * unit {
            continue;
        }
        last = x;
        one(pen, &format!("decision/{}/{i}", mark.step), mark, Point::new(x, y), 3.0 * unit, false);
    }
    for (i, mark) in current.iter().enumerate() {
        let at = Point::new(scale.x(mark.at), y);
        one(pen, &format!("decision/current/{i}"), mark, at, 5.0 * unit, true);
    }
}

/// The decisions in view: picks of the focus CPU, and all others.
pub(super) fn shown<'a>(timeline: &'a Timeline) -> impl Iterator<Item = &'a DecisionMark> {
    let stretch = timeline.scale().stretch;
    timeline.window.decisions.iter().filter(move |mark| {
        let hidden = timeline.hide_after.is_some_and(|end| mark.at > end);
        let other = mark.kind == DecisionKind::Pick && mark.cpu != timeline.focus();
        !hidden && !other && stretch.contains(mark.at)
    })
}

fn one(pen: &mut Pen, key: &str, mark: &DecisionMark, at: Point, r: f32, current: bool) {
    let (fill, edge) = if current {
        (Ink::Accent, stroke(Ink::Accent, 1.25))
    } else {
        (Ink::Background, stroke(Ink::TextFaint, 1.25))
    };
    let what = match mark.kind {
        DecisionKind::Pick => "pick",
        DecisionKind::Preemption => "preemption test",
        DecisionKind::Placement => "placement",
        DecisionKind::ForkPlacement => "fork placement",
        DecisionKind::Balance => "balancing",
    };
    match mark.kind {
        DecisionKind::Pick | DecisionKind::Preemption => pen.circle(key, at, r, fill, Some(edge)),
        DecisionKind::Placement | DecisionKind::ForkPlacement => {
            let d = r + 1.0;
            let diamond = [(0.0, -d), (d, 0.0), (0.0, d), (-d, 0.0)];
            let diamond = diamond.map(|(x, y)| Point::new(at.x + x, at.y + y)).to_vec();
            pen.polygon(key, diamond, fill, Some(edge));
        }
        DecisionKind::Balance => {
            let rect = Rect::new(at.x - r, at.y - r * 0.7, r * 2.0, r * 1.4);
            pen.rect(key, rect, 0.0, fill, edge);
        }
    }
    let label = format!("{what} on CPU {}, {} ms", mark.cpu, format::absolute(mark.at));
    let rect = Rect::new(at.x - 8.0, at.y - 9.0, 16.0, 18.0);
    pen.hit(rect, Target::Step(mark.step), label);
}

/// Draws the brush: which part of the run is in view.
pub(super) fn brush(pen: &mut Pen, timeline: &Timeline) {
    let Some((y, height)) = timeline.plan.overview else { return };
    let scale = timeline.overview_scale();
    let whole = Rect::new(scale.left, y - 2.0, scale.right - scale.left, height + 4.0);
    pen.hit(whole, Target::Named(OVERVIEW), "Whole run");
    let stretch = timeline.scale().stretch;
    let (x0, x1) = (scale.x_inside(stretch.from), scale.x_inside(stretch.to));
    let rect = Rect::new(x0, y - 1.0, (x1 - x0).max(3.0), height + 2.0);
    pen.faded(0.1, |pen| pen.fill("brush/fill", rect, Ink::Accent));
    pen.rect("brush", rect, 0.0, Ink::None, stroke(Ink::Accent, 1.5));
    let span = format::span_ms(stretch.from, stretch.to);
    pen.hit(rect, Target::Named(BRUSH), format!("In view: {span}"));
    for (x, key, name, words) in [
        (rect.x, "brush/from", BRUSH_FROM, "Start of the view"),
        (rect.right(), "brush/to", BRUSH_TO, "End of the view"),
    ] {
        let handle = Rect::new(x - 2.5, y + 5.0, 5.0, (height - 10.0).max(6.0));
        pen.mark(key, crate::scene::Shape::Rect(handle, 1.0), Ink::Accent, None);
        let hit = Rect::new(x - 7.0, y - 2.0, 14.0, height + 4.0);
        pen.hit(hit, Target::Named(name), words);
    }
}
