//! The machine: every CPU with what runs and waits there, at the detail its size allows.
//!
//! The geometry is computed once for a machine and a size ([`MachineGeometry`]), then drawn for a
//! moment as two scenes: `cells`, which a canvas repaints cell by cell where CPUs have
//! [`changed`], and `overlay`, everything above them.

mod card;
mod cell;
mod geometry;
mod magnify;
mod metrics;
pub(crate) mod overlay;
mod plan;
mod stage;
mod table;

use schedscope_session::update::{CpuView, Machine, Moment};

pub use cell::Cells;
pub use geometry::{Label, Labelled, MachineGeometry, Room};
pub use metrics::Detail;
pub use stage::{changed, is_over, stage};
pub use table::{TITLES, readout, table};

use super::pen::{Pen, stroke};
use super::{Look, Roster};
use crate::scene::{Ink, Scene};

/// A machine from which number of CPUs its cells are worth a canvas of their own.
pub const CANVAS_CPUS: usize = 65;

/// A picture of the machine in two layers of the same size.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MachineLayout {
    /// The cells: repaint those of CPUs that changed.
    pub cells: Scene,
    /// All above the cells, and everything that can be pointed at.
    pub overlay: Scene,
}

impl MachineLayout {
    /// Both layers as one scene: for exports, and for machines small enough.
    #[must_use]
    pub fn merged(mut self) -> Scene {
        self.cells.marks.append(&mut self.overlay.marks);
        self.cells.hits.append(&mut self.overlay.hits);
        self.cells.width = self.cells.width.max(self.overlay.width);
        self.cells.height = self.cells.height.max(self.overlay.height);
        self.cells
    }
}

impl Room {
    /// The room a look gives; `roster` knows how many tasks may have to wait.
    #[must_use]
    pub fn of(look: &Look, roster: Roster) -> Room {
        let tasks = roster.loaded.task_rows.len().max(roster.moment.tasks.len());
        Room {
            width: look.width,
            height: look.height,
            present: look.present,
            coarse: look.coarse,
            depth: tasks.saturating_sub(1).clamp(3, 7),
        }
    }
}

/// The machine at a moment, in one scene.
#[must_use]
pub fn layout(machine: &Machine, moment: &Moment, roster: Roster, look: &Look) -> Scene {
    let geometry = MachineGeometry::new(machine, Room::of(look, roster));
    draw(&geometry, machine, moment, roster, look).merged()
}

/// The machine at a moment, on a geometry that was computed before.
#[must_use]
pub fn draw(
    geometry: &MachineGeometry,
    machine: &Machine,
    moment: &Moment,
    roster: Roster,
    look: &Look,
) -> MachineLayout {
    let cpus = stage(moment, look);
    let cells = Cells::new(geometry, roster, &cpus, look);
    let lens = magnify::lens(geometry, machine, look);
    let mut under = Pen::new(geometry.width, geometry.height);
    overlay::labels(&mut under, geometry, machine, &cpus, None);
    let height = lens.as_ref().map_or(0.0, |lens| lens.frame.bottom() + 1.0);
    let mut over = Pen::new(geometry.width, geometry.height.max(height));
    magnify::put_under(&mut over, under.done(), lens.as_ref());
    overlay::focus(&mut over, geometry, look);
    overlay::hits(&mut over, geometry, machine, &cells);
    if let (Some(lens), Some(llc)) = (&lens, look.lens) {
        magnify::draw(&mut over, lens, llc, machine, &cells);
    }
    let drag_on = match (&lens, look.drag.and_then(|drag| drag.over)) {
        (Some(lens), Some(cpu)) if lens.cpus.contains(&cpu) => &lens.geometry,
        _ => geometry,
    };
    overlay::drag(&mut over, drag_on, roster, look);
    MachineLayout { cells: cells_scene(&cells, machine), overlay: over.done() }
}

/// The cells of a machine with the boxes around them.
#[must_use]
pub fn cells_scene(cells: &Cells, machine: &Machine) -> Scene {
    let geometry = cells.geometry;
    let mut pen = Pen::new(geometry.width, geometry.height);
    boxes(&mut pen, geometry);
    if cells.look.load {
        overlay::heat(&mut pen, geometry, machine, cells.cpus);
    } else {
        for cpu in 0..geometry.cells.len() {
            cells.draw(&mut pen, cpu as u16);
        }
    }
    pen.done()
}

/// The boxes of LLCs, clusters and cores.
fn boxes(pen: &mut Pen, geometry: &MachineGeometry) {
    for (llc, &rect) in geometry.llcs.iter().enumerate() {
        if rect.w > 0.0 && !(geometry.flat && geometry.header == 0.0) {
            let large = geometry.header > 0.0;
            let (radius, width) = if large { (4.0, 1.0) } else { (3.0, 1.0) };
            let edge = stroke(Ink::LineStrong, width);
            pen.rect(format!("llc/{llc}"), rect, radius, Ink::None, edge);
        }
    }
    for (i, &rect) in geometry.clusters.iter().enumerate() {
        pen.rect(format!("cluster/{i}"), rect, 3.0, Ink::None, stroke(Ink::Line, 1.0));
    }
    for (i, &rect) in geometry.cores.iter().enumerate() {
        // A queue stands in a slot of its own ground, so that room for more looks meant.
        let ground = if geometry.detail == Detail::Queue { Ink::Plot } else { Ink::None };
        pen.rect(format!("core/{i}"), rect, 3.0, ground, stroke(Ink::Line, 1.0));
    }
}

/// How many of these CPUs run something.
fn busy(cpus: &[CpuView], of: &[u16]) -> usize {
    of.iter()
        .filter(|&&cpu| cpus.get(usize::from(cpu)).is_some_and(|view| view.curr.is_some()))
        .count()
}
