//! The playhead: a line with a time flag, and the numbers of the ruler, which make room for it.

use super::{Timeline, ruler_gap};
use crate::format;
use crate::geometry::{Point, Rect};
use crate::scene::{Anchor, Ink, Scene, Shape};
use crate::view::pen::{Pen, number, stroke, width};

/// The playhead at a time: cheap enough for every frame.
#[must_use]
pub fn playhead(timeline: &Timeline, now: u64) -> Scene {
    let plan = timeline.plan;
    let scale = timeline.scale();
    let mut pen = Pen::new(timeline.look.width, plan.height);
    let style = number(plan.font, Ink::TextFaint).anchor(Anchor::Middle);
    let bold = number(plan.font, Ink::OnAccent).anchor(Anchor::Middle).weight(600);
    let (step, times) = scale.ticks(ruler_gap(plan.font));
    let text = if step >= 10_000 { format::clock(now) } else { format::absolute(now) };
    let half = width(&text, bold) / 2.0 + 6.0;
    let seen = scale.stretch.contains(now);
    let x = scale.x_inside(now);
    // The flag stays inside the picture; its line stands where the time is.
    let middle = x.clamp(half.min(scale.left + half), timeline.look.width - half);
    let y = plan.ruler - plan.font * 0.5 - 5.0;
    for at in times {
        let label = format::ruler_tick(at, step);
        let reach = width(&label, style) / 2.0;
        let tick = scale.x(at);
        let inside = tick - reach >= scale.left - 2.0 && tick + reach <= timeline.look.width;
        let free = !seen || (tick - middle).abs() > half + reach + 6.0;
        if inside && free {
            pen.text(format!("ruler/{at}"), tick, y - 1.0, label, style);
        }
    }
    if !seen {
        return pen.done();
    }
    pen.upright("playhead", x, plan.ruler - 2.0, plan.bottom, stroke(Ink::Accent, 1.5));
    let height = plan.font + 6.0;
    let flag = Rect::new(middle - half, y - height / 2.0, half * 2.0, height);
    pen.mark("playhead/flag", Shape::Rect(flag, 2.0), Ink::Accent, None);
    pen.text("playhead/time", middle, y, text, bold);
    if let Some(lane) = plan.lane(timeline.focus()) {
        let at = Point::new(x, lane.y + lane.height / 2.0);
        let halo = Some(stroke(Ink::Halo, 1.0));
        pen.circle("playhead/dot", at, 3.5, Ink::Accent, halo);
    }
    if let Some((top, height)) = plan.overview {
        let x = timeline.overview_scale().x_inside(now);
        pen.upright("playhead/overview", x, top - 1.0, top + height, stroke(Ink::Accent, 1.5));
    }
    pen.done()
}
