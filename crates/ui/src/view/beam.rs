//! The beam: balls at the vruntimes, their area their weight, balanced on V.
//!
//! V is the weighted mean of the vruntimes, so the beam is level exactly there.

use super::Roster;
use super::axis::VirtualAxis;
use super::pen::{Pen, TaskInk, dashed, plain, stroke, width};
use crate::geometry::{Point, Rect};
use crate::scene::{Anchor, Dash, Ink};
use schedscope_session::order;
use schedscope_session::update::PickRow;

/// Room that a beam has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamRoom {
    /// Height of all, fulcrum included.
    pub height: f32,
    /// Font size.
    pub font: f32,
}

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ball {
    row: PickRow,
    at: Point,
    r: f32,
    /// Its vruntime lies beyond the axis.
    beyond: bool,
}

/// Room below the beam for the fulcrum.
const BELOW: f32 = 24.0;

/// Where the balls lie, or `None` if they do not fit above each other.
fn stack(rows: &[PickRow], axis: &VirtualAxis, room: BeamRoom) -> Option<Vec<Ball>> {
    let (beam, unit) = (room.height - BELOW - 1.0, room.font / 12.0);
    let heaviest = rows.iter().map(|row| row.weight).max()?.max(1);
    [15.0, 12.0, 9.5, 7.5].into_iter().find_map(|largest| {
        let balls = rows.iter().map(|row| {
            let share = f64::from(row.weight) / f64::from(heaviest);
            let r = (share.sqrt() as f32 * largest * unit).max(3.0 * unit);
            let x = axis.x(row.vruntime);
            let beyond = x < axis.left || x > axis.right;
            Ball { row: *row, at: Point::new(axis.x_inside(row.vruntime), beam - r), r, beyond }
        });
        let mut balls: Vec<Ball> = balls.collect();
        order::sort_by(&mut balls, |a, b| b.r.total_cmp(&a.r).then(a.row.task.cmp(&b.row.task)));
        settle(&mut balls, beam).then_some(balls)
    })
}

/// Lifts balls until none overlaps; answers whether all stay below the ceiling.
fn settle(balls: &mut [Ball], beam: f32) -> bool {
    for i in 0..balls.len() {
        let (placed, rest) = balls.split_at_mut(i);
        let ball = &mut rest[0];
        let touches = |q: &Ball, y: f32| {
            let (dx, dy) = (q.at.x - ball.at.x, q.at.y - y);
            dx.hypot(dy) < q.r + ball.r + 1.0
        };
        let mut y = beam - ball.r;
        while let Some(under) = placed.iter().find(|q| touches(q, y)) {
            let reach = under.r + ball.r + 1.05;
            let dx = under.at.x - ball.at.x;
            y = (under.at.y - (reach * reach - dx * dx).max(0.0).sqrt()).min(y - 0.1);
        }
        if y - ball.r < 2.0 {
            return false;
        }
        ball.at.y = y;
    }
    true
}

/// Draws the beam above the lanes; does nothing if the balls do not fit.
pub fn draw(
    pen: &mut Pen,
    room: BeamRoom,
    label_right: f32,
    axis: &VirtualAxis,
    roster: &Roster,
    rows: &[PickRow],
) -> bool {
    let beam = room.height - BELOW;
    let Some(balls) = stack(rows, axis, room) else { return false };
    let mut letters: Vec<Rect> = Vec::new();
    for ball in &balls {
        let key = format!("beam/{}", ball.row.task);
        let ink = TaskInk::of(roster, ball.row.task);
        let edge = dashed(ink.edge, 1.0, if ball.beyond { Dash::Dashed } else { Dash::Solid });
        let fill = if ball.beyond { Ink::Background } else { ink.fill };
        pen.circle(key.clone(), ball.at, ball.r, fill, Some(edge));
        let label = roster.label(ball.row.task);
        let letter = if ball.beyond { Ink::Text } else { ink.text };
        let inside = plain(room.font, letter).weight(650).anchor(Anchor::Middle);
        if width(&label, inside) <= ball.r * 1.75 && ball.r >= room.font * 0.62 {
            pen.text(format!("{key}/letter"), ball.at.x, ball.at.y, label, inside);
            continue;
        }
        let beside = plain(room.font, Ink::TextSoft).weight(600);
        let (w, h) = (width(&label, beside), room.font);
        let places = [ball.at.x + ball.r + 4.0, ball.at.x - ball.r - 4.0 - w];
        let y = ball.at.y.min(beam - h * 0.5 - 3.0);
        let free = places.into_iter().map(|x| Rect::new(x, y - h / 2.0, w, h)).find(|rect| {
            rect.x >= axis.left
                && rect.right() <= axis.right
                && !letters.iter().any(|other| other.overlaps(*rect))
                && !balls.iter().any(|q| q.row.task != ball.row.task && covers(q, *rect))
                && (rect.right() < axis.v() - 3.0
                    || rect.x > axis.v() + 3.0
                    || rect.bottom() < beam)
        });
        if let Some(rect) = free {
            letters.push(rect);
            pen.text(format!("{key}/letter"), rect.x, y, label, beside);
        }
    }
    pen.level("beam/board", axis.left + 6.0, axis.right, beam, stroke(Ink::TextSoft, 2.0));
    let (v, foot) = (axis.v(), beam + 18.0);
    let fulcrum =
        vec![Point::new(v, beam + 1.0), Point::new(v - 10.0, foot), Point::new(v + 10.0, foot)];
    pen.polygon("beam/fulcrum", fulcrum, Ink::Text, None);
    let style = plain(room.font, Ink::TextFaint).anchor(Anchor::End);
    if width("weight balances", style) <= label_right - 18.0 {
        let x = label_right - 18.0;
        pen.text("beam/label/1", x, beam - room.font * 1.3 - 4.0, "weight balances", style);
        pen.text("beam/label/2", x, beam - 4.0, "at V", style);
    }
    true
}

/// Whether a ball lies over any of a rectangle.
fn covers(ball: &Ball, rect: Rect) -> bool {
    let x = ball.at.x.clamp(rect.x, rect.right());
    let y = ball.at.y.clamp(rect.y, rect.bottom());
    (ball.at.x - x).hypot(ball.at.y - y) < ball.r + 1.0
}

/// Whether a beam of this height can hold these tasks.
#[must_use]
pub fn fits(rows: &[PickRow], axis: &VirtualAxis, room: BeamRoom) -> bool {
    rows.len() > 1 && stack(rows, axis, room).is_some()
}
