//! The line that walks through the CPUs a scan visits.
//!
//! It starts at the target. Where CPU numbers read like text it leaves a row at its end and comes
//! back at the start of another, as a line of text does. Where the walk goes to and fro between the
//! threads of cores, or sees only a part of the LLC, it hops: a thin line, so that what it crosses
//! can still be read.

use schedscope_session::update::Cpu;

use super::marks::Marks;
use super::progress::{Stride, Visit};
use crate::geometry::Point;
use crate::scene::Ink;
use crate::view::pen::{Pen, stroke};

/// The parts of the line.
#[derive(Default)]
struct Walk {
    /// Level pieces along the rows.
    rows: Vec<Vec<Point>>,
    /// Hops from row to row.
    hops: Vec<[Point; 2]>,
    /// Where the line leaves a row at its end.
    exits: Vec<Point>,
    /// Where it comes back in.
    entries: Vec<Point>,
}

impl Marks<'_> {
    /// Draws the line; rows begin at `left` and end at `right`.
    pub(super) fn path(&self, pen: &mut Pen, (left, right): (f32, f32)) {
        if self.progress.visits.is_empty() || !self.walks() {
            return;
        }
        let walk = self.walk(left, right);
        let prefix = self.prefix;
        let present = self.geometry().present;
        let width = if present { 4.0 } else { 2.5 };
        for (i, hop) in walk.hops.iter().enumerate() {
            let key = format!("{prefix}path/hop/{i}");
            pen.path(key, hop.to_vec(), stroke(Ink::Accent, 0.5 * width));
        }
        for (i, row) in walk.rows.iter().enumerate() {
            let key = format!("{prefix}path/{i}/halo");
            pen.path(key, row.clone(), stroke(Ink::Halo, width + 3.5));
        }
        for (i, row) in walk.rows.iter().enumerate() {
            pen.path(format!("{prefix}path/{i}"), row.clone(), stroke(Ink::Accent, width));
        }
        for (i, at) in walk.entries.into_iter().enumerate() {
            let bar = vec![Point::new(at.x, at.y - 4.0), Point::new(at.x, at.y + 4.0)];
            pen.path(format!("{prefix}path/in/{i}"), bar, stroke(Ink::Accent, width));
        }
        let head = if present { 9.0 } else { 6.0 };
        for (i, at) in walk.exits.into_iter().enumerate() {
            let arrow = vec![
                Point::new(at.x - 1.0, at.y - head * 0.8),
                Point::new(at.x + head, at.y),
                Point::new(at.x - 1.0, at.y + head * 0.8),
            ];
            pen.polygon(format!("{prefix}path/out/{i}"), arrow, Ink::Accent, None);
        }
    }

    fn walk(&self, left: f32, right: f32) -> Walk {
        let pass = self.progress.pass();
        let like_text = self.like_text();
        let mut walk = Walk::default();
        let mut walked = self.place.target;
        let mut at = self.cell(self.place.target).map(|cell| self.badge_at(cell));
        let mut row: Vec<Point> = at.into_iter().collect();
        for (i, visit) in pass.iter().enumerate() {
            let Some(to) = self.cell(visit.cpu).map(|cell| self.badge_at(cell)) else { continue };
            let from = at.replace(to).unwrap_or(to);
            let level = (from.y - to.y).abs() < 1.0;
            let back = like_text || to.x < from.x - 1.0;
            if !(level && to.x >= from.x) && back && self.is_next(walked, visit, &pass[..i]) {
                let (exit, entry) = (Point::new(right, from.y), Point::new(left, to.y));
                row.push(exit);
                walk.exits.push(exit);
                walk.entries.push(entry);
                walk.rows.push(std::mem::replace(&mut row, vec![entry]));
            } else if !level {
                walk.hops.push([from, to]);
                walk.rows.push(std::mem::take(&mut row));
            }
            row.push(to);
            walked = visit.cpu;
        }
        walk.rows.push(row);
        walk.rows.retain(|row| row.len() > 1);
        walk
    }

    /// Whether CPU numbers read like text here: siblings are numbered last, so that a row is a run
    /// of numbers. Otherwise the walk goes down each core before it goes on.
    fn like_text(&self) -> bool {
        let cells = &self.geometry().cells;
        let at = |cpu: Cpu| cells[usize::from(cpu)];
        let llcs = &self.cells.roster.loaded.machine.llcs;
        llcs.get(usize::from(self.place.llc)).is_none_or(|llc| {
            llc.windows(2).all(|pair| {
                let (a, b) = (at(pair[0]), at(pair[1]));
                (b.y > a.y + 1.0 && b.x < a.x + 1.0) || ((b.y - a.y).abs() < 1.0 && b.x > a.x)
            })
        })
    }

    /// Whether a visit comes next in the order of the numbers. It does not where a scan sees only a
    /// part of the LLC: a cluster, a group, a core.
    fn is_next(&self, walked: Cpu, visit: &Visit, before: &[Visit]) -> bool {
        match visit.stride {
            Stride::Core => true,
            Stride::Group => false,
            Stride::Cpu => {
                let llcs = &self.cells.roster.loaded.machine.llcs;
                let Some(llc) = llcs.get(usize::from(self.place.llc)) else { return true };
                let open = |cpu: &Cpu| {
                    !self.place.forbidden.contains(cpu)
                        && !before.iter().any(|visit| visit.cpu == *cpu)
                };
                let after = llc.iter().copied().filter(|&cpu| cpu > walked).find(open);
                after.or_else(|| llc.iter().copied().find(open)) == Some(visit.cpu)
            }
        }
    }
}
