//! The marks of a placement: one grammar at every size.
//!
//! Square: visited, busy. Round: visited, idle. Solid: kept or chosen. Accent outline: examined;
//! a heavy one: chosen. Ink tag: a role. Heavy bar: where the budget ended.

use std::collections::{BTreeMap, BTreeSet};

use schedscope_session::update::{Cpu, PlacePicture};

use super::progress::{Progress, Visit};
use crate::geometry::{Point, Rect};
use crate::scene::{Anchor, Ink};
use crate::text;
use crate::view::machine::{Cells, Detail, MachineGeometry};
use crate::view::pen::{Pen, plain, stroke};

/// How far a badge's middle is above the foot of its cell.
pub(crate) fn badge_lift(present: bool) -> f32 {
    if present { 23.0 } else { 14.0 }
}

/// A badge with its order number.
pub(crate) fn badge(pen: &mut Pen, key: &str, at: Point, number: usize, visit: Visit, size: f32) {
    let half = size * 10.0 / 12.0;
    let width = if visit.idle { 2.0 } else { 1.5 };
    let (ground, ink) =
        if visit.kept { (Ink::Accent, Ink::OnAccent) } else { (Ink::Background, Ink::Accent) };
    if visit.idle {
        pen.circle(key, at, half, ground, Some(stroke(Ink::Accent, width)));
    } else {
        let square = Rect::new(at.x - half, at.y - half, 2.0 * half, 2.0 * half).inset(1.0);
        pen.rect(key, square, 0.0, ground, stroke(Ink::Accent, width));
    }
    let style = plain(size, ink).weight(650).anchor(Anchor::Middle);
    pen.text(format!("{key}/number"), at.x, at.y, number.to_string(), style);
}

/// A role tag: background letters on ink. `at` is the middle of its top.
pub(crate) fn tag(pen: &mut Pen, key: &str, at: Point, role: &str, size: f32) -> Rect {
    let style = plain(size, Ink::Background).weight(600).anchor(Anchor::Middle);
    let wide = tag_width(role, size);
    let rect = Rect::new(at.x - wide / 2.0, at.y, wide, size + 4.0);
    pen.rect(key, rect, 2.0, Ink::Text, stroke(Ink::Halo, 1.0));
    pen.text(format!("{key}/role"), at.x, rect.centre().y, role, style);
    rect
}

/// Width of a role tag.
pub(crate) fn tag_width(role: &str, size: f32) -> f32 {
    text::width(role, plain(size, Ink::Background).weight(600)) + 6.0
}

/// Who has which roles, by CPU, the most telling first.
pub(crate) fn roles(place: &PlacePicture, progress: &Progress) -> BTreeMap<Cpu, Vec<&'static str>> {
    let mut roles: BTreeMap<Cpu, Vec<&'static str>> = BTreeMap::new();
    let here = if place.waker.is_some() { "waker" } else { "irq" };
    roles.entry(place.this_cpu).or_default().push(here);
    if progress.target {
        roles.entry(place.target).or_default().push("target");
    }
    roles.entry(place.prev_cpu).or_default().push("prev");
    let named = |cpu| cpu == place.prev_cpu || (progress.target && cpu == place.target);
    if let Some(recent) = place.recent.filter(|&recent| !named(recent)) {
        roles.entry(recent).or_default().push("recent");
    }
    roles
}

/// As many roles as there are lines; the waker goes first, which the sentence names anyway.
fn foremost(roles: &[&'static str], lines: usize) -> Vec<&'static str> {
    let mut kept = roles.to_vec();
    while kept.len() > lines {
        let weakest = ["irq", "waker", "recent", "prev", "target"];
        let gone = weakest.iter().find_map(|role| kept.iter().position(|kept| kept == role));
        kept.remove(gone.unwrap_or(0));
    }
    kept
}

/// A stroke through a cell that the task may not use.
pub(crate) fn forbid(pen: &mut Pen, key: &str, cell: Rect) {
    let line = vec![Point::new(cell.x, cell.bottom()), Point::new(cell.right(), cell.y)];
    pen.path(key, line, stroke(Ink::Axis, 1.0));
}

/// Whether below the texts of a cell there is room for a badge in its middle.
fn walks(cells: &Cells, cpu: Cpu) -> bool {
    let cell = cells.geometry.cells[usize::from(cpu)];
    match cells.geometry.detail {
        Detail::Queue => true,
        Detail::Card => cell.bottom() - cells.card_top(cell) >= 2.05 * cells.geometry.small(),
        Detail::Task | Detail::Cell | Detail::Mass => false,
    }
}

/// CPUs whose label gives way to their badge, because there is no room for both.
pub(crate) fn quiet(cells: &Cells, progress: &Progress, cpus: &[Cpu]) -> BTreeSet<Cpu> {
    let visited = progress.pass().iter().map(|visit| visit.cpu).filter(|cpu| cpus.contains(cpu));
    let size = cells.geometry.small();
    schedscope_sim::order::tree(visited.filter(|&cpu| !walks(cells, cpu)).filter(|&cpu| {
        let cell = cells.geometry.cells[usize::from(cpu)];
        cells.geometry.detail < Detail::Card || cell.bottom() - cells.card_top(cell) < 1.9 * size
    }))
}

/// Draws a placement's marks on cells that are large enough for them.
pub(crate) struct Marks<'a> {
    pub(crate) cells: &'a Cells<'a>,
    pub(crate) place: &'a PlacePicture,
    pub(crate) progress: &'a Progress,
    /// The CPUs that are drawn here.
    pub(crate) cpus: &'a [Cpu],
    /// What the keys begin with.
    pub(crate) prefix: &'static str,
}

impl Marks<'_> {
    pub(super) fn geometry(&self) -> &MachineGeometry {
        self.cells.geometry
    }

    pub(super) fn cell(&self, cpu: Cpu) -> Option<Rect> {
        self.cpus.contains(&cpu).then(|| self.geometry().cells[usize::from(cpu)])
    }

    /// All of them, from the bottom up.
    pub(crate) fn draw(&self, pen: &mut Pen, row: (f32, f32)) {
        self.forbidden(pen);
        self.examined(pen);
        self.path(pen, row);
        self.stop(pen);
        self.chosen(pen);
        self.tags(pen);
        self.badges(pen);
    }

    fn forbidden(&self, pen: &mut Pen) {
        let prefix = self.prefix;
        for &cpu in &self.place.forbidden {
            let Some(cell) = self.cell(cpu) else { continue };
            if self.geometry().detail == Detail::Queue {
                let size = self.geometry().small();
                let style = plain(size, Ink::TextFaint).anchor(Anchor::Middle);
                let tags = self.cells.tags.get(&cpu).copied().unwrap_or(0) as f32;
                let top = self.cells.stack_end(cpu, cell) + tags * self.cells.tag_pitch() + 2.0;
                let room = cell.bottom() - 2.0 * badge_lift(self.geometry().present) - top;
                for (i, word) in ["not", "allowed"].into_iter().enumerate() {
                    let y = top + (0.7 + 1.2 * i as f32) * size;
                    if room >= 2.4 * size {
                        let key = format!("{prefix}forbidden/{cpu}/{word}");
                        pen.text_if_fits(key, (cell.x, cell.right()), y, word, style);
                    }
                }
            } else {
                forbid(pen, &format!("{prefix}forbidden/{cpu}"), cell);
            }
        }
    }

    fn examined(&self, pen: &mut Pen) {
        let prefix = self.prefix;
        if self.geometry().detail == Detail::Queue {
            return; // The number in accent says it.
        }
        for &cpu in self.progress.examined.keys() {
            let Some(cell) = self.cell(cpu) else { continue };
            if !(self.progress.over && cpu == self.place.chosen) {
                let key = format!("{prefix}examined/{cpu}");
                pen.rect(key, cell.inset(-1.5), 4.0, Ink::None, stroke(Ink::Accent, 1.5));
            }
        }
    }

    fn chosen(&self, pen: &mut Pen) {
        let prefix = self.prefix;
        let Some(cell) = self.cell(self.place.chosen).filter(|_| self.progress.over) else {
            return;
        };
        let width = if self.geometry().present { 6.0 } else { 3.5 };
        let key = format!("{prefix}chosen");
        pen.rect(key, cell.inset(-2.0), 4.0, Ink::None, stroke(Ink::Accent, width));
    }

    /// The middle of a CPU's badge.
    pub(super) fn badge_at(&self, cell: Rect) -> Point {
        let lift = badge_lift(self.geometry().present);
        if self.walks() {
            Point::new(cell.centre().x, cell.bottom() - lift)
        } else {
            Point::new(cell.right() - lift, cell.bottom() - lift + 2.0)
        }
    }

    /// Whether cells are high enough for a line that walks along their feet.
    pub(super) fn walks(&self) -> bool {
        self.cpus.first().is_some_and(|&cpu| walks(self.cells, cpu))
    }

    fn path_begins(&self) -> bool {
        !self.progress.visits.is_empty()
    }

    fn badges(&self, pen: &mut Pen) {
        let prefix = self.prefix;
        let size = self.geometry().small();
        for (i, &visit) in self.progress.pass().iter().enumerate() {
            let Some(cell) = self.cell(visit.cpu) else { continue };
            let key = format!("{prefix}badge/{}", visit.cpu);
            let chosen = self.progress.over && visit.cpu == self.place.chosen && visit.idle;
            let visit = Visit { kept: visit.kept || chosen, ..visit };
            badge(pen, &key, self.badge_at(cell), i + 1, visit, size);
        }
    }

    /// A heavy bar before the first CPU that the budget did not reach.
    fn stop(&self, pen: &mut Pen) {
        let prefix = self.prefix;
        let ended = matches!(self.place.scan_exit.as_str(), "limit" | "cls_limit" | "overloaded");
        if !ended || !self.progress.over {
            return;
        }
        let Some(&cpu) = self.place.not_reached.first() else { return };
        let Some(cell) = self.cell(cpu) else { return };
        let width = if self.geometry().present { 5.0 } else { 3.0 };
        let x = cell.x - 3.5;
        let bar = vec![Point::new(x, cell.y - 4.0), Point::new(x, cell.bottom() + 4.0)];
        pen.path(format!("{prefix}stop/halo"), bar.clone(), stroke(Ink::Halo, width + 3.0));
        pen.path(format!("{prefix}stop"), bar, stroke(Ink::Text, width));
        // Words where nothing else is.
        let size = self.geometry().small();
        let tagged = roles(self.place, self.progress).contains_key(&cpu);
        let end = match self.geometry().detail {
            Detail::Queue => self.cells.stack_end(cpu, cell),
            _ => self.cells.card_end(cpu, cell),
        };
        let room = end <= cell.bottom() - 2.7 * size;
        let forbidden = self.place.forbidden.contains(&cpu);
        if tagged || !room || forbidden || self.progress.order(cpu).is_some() {
            return;
        }
        let ink = self.ink_on(cpu);
        let style = plain(size, ink).weight(600);
        let base = cell.bottom() - 0.8 * size;
        let words = if self.place.scan_exit == "overloaded" {
            ["scanned", "not"]
        } else {
            ["spent", "budget"]
        };
        for (i, word) in words.into_iter().enumerate() {
            let key = format!("{prefix}stop/{word}");
            let y = base - i as f32 * 1.2 * size;
            pen.text_if_fits(key, (cell.x + 5.0, cell.right()), y, word, style);
        }
    }

    /// Ink of a text at the foot of a cell.
    fn ink_on(&self, cpu: Cpu) -> Ink {
        if self.geometry().detail == Detail::Queue { Ink::Text } else { self.cells.over(cpu) }
    }

    fn tags(&self, pen: &mut Pen) {
        let prefix = self.prefix;
        let size = self.geometry().small();
        for (cpu, roles) in roles(self.place, self.progress) {
            let Some(cell) = self.cell(cpu) else { continue };
            let mut y = match self.geometry().detail {
                Detail::Queue => self.cells.stack_end(cpu, cell) + 2.0,
                _ => self.cells.card_top(cell),
            };
            let queue = self.geometry().detail == Detail::Queue;
            let visited = self.progress.order(cpu).is_some();
            let begins = cpu == self.place.target && self.path_begins();
            let foot = match (visited, begins) {
                (true, _) if self.walks() => 2.2 * size,
                (false, true) if self.walks() => 1.6 * size,
                _ => 1.0,
            };
            let pitch = self.cells.tag_pitch();
            let lines = ((cell.bottom() - foot + 2.0 + 2.0 - y) / pitch).floor().max(0.0) as usize;
            for role in foremost(&roles, lines) {
                let wide = tag_width(role, size);
                let beside_badge = !self.walks() && visited;
                let room = cell.w + 4.0 - if beside_badge { 2.0 * size } else { 0.0 };
                if y + size + 4.0 > cell.bottom() - foot + 2.0 || wide > room {
                    continue;
                }
                let x = if queue { cell.centre().x } else { cell.x + 3.0 + wide / 2.0 };
                let x = if wide > cell.w - 6.0 && !beside_badge { cell.centre().x } else { x };
                tag(pen, &format!("{prefix}role/{role}"), Point::new(x, y), role, size);
                y += pitch;
            }
        }
    }
}
