//! One lane of the pick picture: chip, name, request bar, lag line, dot, flag, note and numbers.

use super::frame::{Column, Frame, tag};
use super::rule::Rule;
use crate::format;
use crate::geometry::{Point, Rect};
use crate::scene::{Anchor, Dash, Ink, Target, TextStyle};
use crate::view::Roster;
use crate::view::axis::VirtualAxis;
use crate::view::pen::{
    ChipForm, Pen, TaskInk, chip, dashed, flag, number, plain, shortened, stroke, width,
};
use schedscope_session::update::PickRow;

/// What the moment says of a lane.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Standing {
    /// The current check is about it.
    pub current: bool,
    /// It was picked, and that has happened.
    pub picked: bool,
    /// The words beside its flag.
    pub note: Option<String>,
    /// What it looked like before a change that is only tried.
    pub ghost: Option<PickRow>,
    /// All marks of its row of the task list are lit up.
    pub hover: bool,
    /// Its row of the task list is selected.
    pub selected: bool,
}

/// Draws a lane.
pub(super) fn draw(
    pen: &mut Pen,
    frame: &Frame,
    axis: &VirtualAxis,
    roster: &Roster,
    line: usize,
    row: &PickRow,
    standing: &Standing,
) {
    let lane = Lane {
        frame,
        axis,
        row,
        standing,
        ink: TaskInk::of(roster, row.task),
        y: frame.top + line as f32 * frame.lane,
        cy: frame.middle(line),
        key: format!("pick/{}", row.task),
    };
    lane.ground(pen);
    lane.label(pen, roster);
    lane.ghost(pen);
    let end = lane.request(pen);
    lane.note(pen, end);
    lane.numbers(pen);
    let rect = Rect::new(0.0, lane.y, frame.width, frame.lane);
    let name = roster.name(row.task);
    let words = match frame.rule {
        Rule::Eevdf => spoken(&name, row, standing.picked),
        Rule::Cfs => spoken_cfs(&name, row, standing.picked),
    };
    pen.hit(rect, Target::Task(row.task), words);
}

/// A lane as a tooltip and a screen reader say it, with exact figures.
#[must_use]
pub fn spoken(name: &str, row: &PickRow, picked: bool) -> String {
    if row.gone {
        return format!("{name}: sleeps and has left, no longer counted");
    }
    let mut text = format!(
        "{name}: {}, vruntime {}, lag {}, deadline {}, weight {}",
        if row.eligible { "eligible" } else { "not eligible" },
        format::relative_exact(row.vruntime),
        format::signed_exact(row.lag),
        format::relative_exact(row.deadline),
        row.weight,
    );
    if row.curr {
        text.push_str(", running");
    }
    if row.delayed {
        text.push_str(", asleep but still queued");
    }
    if row.protected {
        text.push_str(", protected by RUN_TO_PARITY");
    }
    if picked {
        text.push_str(", ");
        text.push_str(super::verdict(row));
    }
    text
}

/// The same where there is neither lag nor deadline.
fn spoken_cfs(name: &str, row: &PickRow, picked: bool) -> String {
    format!(
        "{name}: vruntime {} from min_vruntime{}, share of the period {} ms, weight {}{}{}",
        format::signed_exact(row.vruntime),
        match row.offset {
            0 => String::new(),
            offset => format!(", latency offset {}", format::signed_exact(offset)),
        },
        format::slice_ms(row.slice),
        row.weight,
        if row.curr { ", running" } else { "" },
        if picked { format!(", {}", super::verdict(row)) } else { String::new() },
    )
}

struct Lane<'a> {
    frame: &'a Frame,
    axis: &'a VirtualAxis,
    row: &'a PickRow,
    standing: &'a Standing,
    ink: TaskInk,
    y: f32,
    cy: f32,
    key: String,
}

impl Lane<'_> {
    fn key(&self, part: &str) -> String {
        format!("{}/{part}", self.key)
    }

    /// The band behind the lane and the hairline below it.
    fn ground(&self, pen: &mut Pen) {
        let Frame { width, lane, left, .. } = *self.frame;
        let band = Rect::new(0.0, self.y + 1.0, width, lane - 1.0);
        let lit = self.standing.current || self.standing.picked;
        if lit || self.standing.hover {
            let ink = if lit { Ink::AccentTint } else { Ink::Sunken };
            pen.fill(self.key("band"), band, ink);
            let tint = Rect { x: left, w: self.axis.v() - left, ..band };
            if self.frame.rule == Rule::Eevdf {
                pen.faded(0.75, |pen| pen.fill(self.key("tint"), tint, Ink::Eligible));
            }
        }
        if lit {
            pen.fill(self.key("current"), Rect { w: 3.0, ..band }, Ink::Accent);
        }
        let hairline = stroke(Ink::Line, 1.0);
        pen.level(self.key("line"), 0.0, width, self.y + lane, hairline);
    }

    /// Chip, name and tag.
    fn label(&self, pen: &mut Pen, roster: &Roster) {
        let frame = self.frame;
        let form =
            if self.row.delayed || self.row.gone { ChipForm::Hollow } else { ChipForm::Solid };
        let label = roster.label(self.row.task);
        let at = Rect::new(8.0, self.cy - frame.chip / 2.0, frame.chip_width, frame.chip);
        chip(pen, &self.key("chip"), at, &label, self.ink, form);
        let faint = plain(frame.font, Ink::TextFaint).anchor(Anchor::End);
        let tag = tag(self.row);
        if !frame.names {
            if let (Some(tag), Some(_)) = (tag, self.plot_tag()) {
                let style = plain(frame.font, Ink::TextSoft);
                pen.text(self.key("tag"), frame.left + 6.0, self.cy, tag, style);
            }
            return;
        }
        let start = at.right() + 8.0;
        let tag_room = tag.map_or(0.0, |tag| width(tag, faint) + 8.0);
        let weight = if self.standing.selected { 600 } else { 400 };
        let style = plain(frame.name_font, Ink::Text).weight(weight);
        let room = frame.left - 10.0 - start;
        let name = roster.name(self.row.task);
        let tag_fits = tag_room + width(&name, style).min(frame.name_font * 3.2) <= room;
        let name_room = if tag_fits { room - tag_room } else { room };
        pen.text(self.key("name"), start, self.cy, shortened(&name, style, name_room), style);
        if let (Some(tag), true) = (tag, tag_fits) {
            pen.text(self.key("tag"), frame.left - 10.0, self.cy, tag, faint);
        }
    }

    /// Where bar and lag line start, with a little room.
    fn bar_start(&self) -> f32 {
        self.axis.x_inside(self.row.vruntime.min(0)) - 8.0
    }

    /// Without names, the tag stands in the tinted region if the bar leaves room; where it ends.
    fn plot_tag(&self) -> Option<f32> {
        let tag = tag(self.row).filter(|_| !self.frame.names)?;
        let end = self.frame.left + 6.0 + width(tag, plain(self.frame.font, Ink::TextSoft));
        (end <= self.bar_start()).then_some(end)
    }

    /// The bar as it was before a change that is only tried.
    fn ghost(&self, pen: &mut Pen) {
        let Some(old) = self.standing.ghost else { return };
        let half = self.frame.bar() / 2.0 + 3.0;
        let (x0, x1) = (self.axis.x_inside(old.vruntime), self.axis.x_inside(old.deadline));
        let rect = Rect::new(x0, self.cy - half, (x1 - x0).max(2.0), half * 2.0);
        let edge = dashed(Ink::TextFaint, 1.0, Dash::Dashed);
        pen.rect(self.key("ghost"), rect, 0.0, Ink::None, edge);
    }

    /// Bar, lag, dot and flag; answers where the words beside them may start.
    fn request(&self, pen: &mut Pen) -> f32 {
        let (frame, axis, row) = (self.frame, self.axis, self.row);
        let half = frame.bar() / 2.0;
        let (left, right) = (axis.left, axis.right);
        let (start, end) = (axis.x(row.vruntime), axis.x(row.deadline));
        let (cut_left, cut_right) = (start < left - 0.5, end > right + 0.5);
        let beyond = start > right + 0.5;
        let (x0, x1) = (start.clamp(left, right), end.clamp(left, right));
        let bar = Rect::new(x0, self.cy - half, (x1 - x0).max(2.0), half * 2.0);
        if !beyond {
            let picked = self.standing.picked;
            let edge = if picked {
                stroke(Ink::Accent, if frame.large() { 3.5 } else { 2.5 })
            } else {
                let dash = if row.delayed { Dash::Dashed } else { Dash::Solid };
                dashed(self.ink.edge, 1.25, dash)
            };
            if row.gone {
                pen.rect(self.key("bar"), bar, 0.0, Ink::None, edge);
            } else if row.eligible {
                pen.rect(self.key("bar"), bar, 0.0, self.ink.fill, edge);
            } else {
                pen.fill(self.key("bar/ground"), bar, Ink::Background);
                pen.rect(self.key("bar"), bar, 0.0, self.ink.hatch, edge);
            }
        }
        if row.gone {
            // Only where it was: no lag, no flag.
            return x1 + 8.0;
        }
        if frame.rule == Rule::Eevdf {
            self.lag(pen, x0, bar.right());
        }
        if cut_left {
            self.arrow(pen, "earlier", left, -1.0);
        } else if beyond {
            self.arrow(pen, "later", right, 1.0);
        } else {
            let fill = if row.eligible { Ink::Text } else { Ink::Background };
            let edge = Some(stroke(Ink::Text, 1.5));
            let r = if frame.large() { 6.0 } else { 4.0 };
            pen.circle(self.key("dot"), Point::new(x0, self.cy), r, fill, edge);
        }
        if cut_right {
            if !beyond {
                self.arrow(pen, "later", right, 1.0);
            }
            return right + half + 6.0;
        }
        let ink = if self.standing.picked { Ink::Accent } else { Ink::Text };
        let size = if frame.large() { 11.0 } else { 7.0 };
        if frame.rule == Rule::Cfs {
            let end = self.offset(pen, x0).max(x1).max(x0 + 4.0) + 10.0;
            // Words do not cross the line at min_vruntime.
            let crosses = end < axis.v() + 4.0 && end + 90.0 > axis.v();
            return if crosses { axis.v() + 8.0 } else { end };
        }
        if end >= left {
            flag(pen, &self.key("flag"), Point::new(x1, self.cy), half + 4.0, size, ink);
        }
        // A flag before V: the lag line goes on to V, the words begin behind it.
        if row.eligible { (x1 + size).max(axis.v()) + 8.0 } else { x1 + size + 8.0 }
    }

    /// From vruntime to V: solid what is owed, dotted what was overdrawn.
    fn lag(&self, pen: &mut Pen, dot: f32, bar_end: f32) {
        let (v, y) = (self.axis.v(), self.cy);
        if !self.row.eligible {
            let with = dashed(Ink::TextSoft, 2.0, Dash::Dotted);
            pen.level(self.key("lag"), v, dot, y, with);
            return;
        }
        let inside = v.min(bar_end);
        if inside > dot {
            pen.level(self.key("lag"), dot, inside, y, stroke(self.ink.text, 2.0));
        }
        if v > inside {
            pen.level(self.key("lag/rest"), inside, v, y, stroke(Ink::Text, 2.0));
        }
    }

    /// Where its latency offset puts it when it is compared (R3.2.4), as an open diamond; answers
    /// where that ends.
    fn offset(&self, pen: &mut Pen, dot: f32) -> f32 {
        if self.row.offset == 0 {
            return dot;
        }
        let x = self.axis.x_inside(self.row.vruntime.saturating_add(self.row.offset));
        let r = if self.frame.large() { 8.0 } else { 5.0 };
        let (towards, y) = (if x < dot { 1.0 } else { -1.0 }, self.cy);
        let line = dashed(Ink::TextSoft, 1.5, Dash::Dashed);
        pen.level(self.key("offset/line"), x + r * towards, dot, y, line);
        let points = vec![
            Point::new(x - r, y),
            Point::new(x, y - r),
            Point::new(x + r, y),
            Point::new(x, y + r),
        ];
        let edge = Some(stroke(Ink::Text, 1.5));
        pen.polygon(self.key("offset"), points, Ink::Background, edge);
        x + r
    }

    /// An open arrow: it goes on beyond the edge, the number is in the column.
    fn arrow(&self, pen: &mut Pen, part: &str, x: f32, towards: f32) {
        let half = self.frame.bar() / 2.0 + 1.0;
        let points = vec![
            Point::new(x - towards * 2.0, self.cy - half),
            Point::new(x + towards * (half - 1.0), self.cy),
            Point::new(x - towards * 2.0, self.cy + half),
        ];
        let edge = Some(stroke(self.ink.edge, 1.25));
        pen.polygon(self.key(part), points, Ink::Background, edge);
    }

    /// The words beside the flag: right of it, or left of the bar, or not at all.
    fn note(&self, pen: &mut Pen, start: f32) {
        let Some(note) = &self.standing.note else { return };
        let frame = self.frame;
        let note = self.shorter(note, start);
        let style = if self.standing.picked {
            plain(frame.font, Ink::Accent).weight(650)
        } else {
            plain(frame.font, Ink::TextSoft)
        };
        let size = width(note, style);
        let note = note.to_string();
        let key = self.key("note");
        let before = self.bar_start() - 2.0;
        let ghost = self.standing.ghost.map(|old| self.axis.x_inside(old.deadline));
        if start + size <= frame.right {
            pen.text(key, start, self.cy, note.clone(), style);
        } else if before - size >= self.plot_tag().map_or(frame.left + 4.0, |end| end + 8.0) {
            pen.text(key, before, self.cy, note.clone(), style.anchor(Anchor::End));
        } else if (self.standing.picked || self.standing.current) && self.row.eligible {
            // On the bar itself, behind V: what the moment is about is said if it can be.
            let x0 = self.axis.x_inside(self.row.vruntime).max(self.axis.v()) + 10.0;
            let x1 = self.axis.x_inside(self.row.deadline) - 8.0;
            let style = TextStyle { ink: self.ink.text, ..style }.anchor(Anchor::End);
            pen.text_if_fits(key, (x0, x1), self.cy, &note, style);
        }
        let Some(ghost_end) = ghost else { return };
        let weight = self.standing.ghost.map_or(0, |old| old.weight);
        let soft = plain(frame.font, Ink::TextSoft);
        let taken = start + size;
        let inside = (taken + 16.0, ghost_end - 6.0);
        let outside = (ghost_end.max(taken) + 12.0, frame.right);
        for words in [format!("before: weight {weight}"), "before".to_string()] {
            let end = soft.anchor(Anchor::End);
            if pen.text_if_fits(self.key("before"), inside, self.cy, &words, end)
                || pen.text_if_fits(self.key("before"), outside, self.cy, &words, soft)
            {
                return;
            }
        }
    }

    /// The note, or the half of it that matters if only that fits right of the flag.
    fn shorter<'n>(&self, note: &'n str, start: f32) -> &'n str {
        let style = plain(self.frame.font, Ink::TextSoft);
        let short = match note.split_once(": ") {
            Some((answer, _)) => Some(answer),
            None => note.rsplit_once("but ").map(|(_, short)| short),
        };
        match short {
            Some(short) if start + width(note, style) > self.frame.right => short,
            _ => note,
        }
    }

    fn numbers(&self, pen: &mut Pen) {
        for (column, right) in &self.frame.columns {
            // The lag that a task keeps is not where it would stand now (R4.C.7).
            if self.row.gone && *column == Column::Lag {
                continue;
            }
            let faint = self.row.gone || (*column == Column::Lag && self.row.lag < 0);
            let ink = if faint { Ink::TextFaint } else { Ink::Text };
            let bold =
                matches!(column, Column::Deadline | Column::Vruntime) && self.standing.picked;
            let style = number(self.frame.font, ink).weight(if bold { 650 } else { 400 });
            let key = self.key(column.title(true));
            pen.text(key, *right, self.cy, column.value(self.row), style);
        }
    }
}
