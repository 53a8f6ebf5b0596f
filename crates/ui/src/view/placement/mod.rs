//! A wakeup placement, drawn on the machine: where the search looked, in which order, what it found
//! and what it did not reach.
//!
//! The machine is drawn as it stood before the decision. From [`LENS_CPUS`] CPUs, or where cells
//! are too small for badges, the LLC that is searched is drawn large below the machine.

mod marks;
mod path;
pub mod progress;
pub mod rows;

use std::collections::BTreeMap;

use schedscope_session::update::{Cpu, Decision, Machine, Moment, Picture, PlacePicture};

pub use progress::{Progress, Stride, Visit};
pub use rows::{CheckRow, Glyph, Reveal, rows};

use self::marks::{Marks, badge, badge_lift, forbid, quiet, roles, tag, tag_width};
use super::lens::{self, Lens};
use super::machine::{
    Cells, Detail, MachineGeometry, MachineLayout, Room, cells_scene, overlay, stage,
};
use super::pen::{Pen, plain, stroke};
use super::{Look, Roster};
use crate::format;
use crate::geometry::{Point, Rect};
use crate::scene::{Anchor, Ink, Scene, Target};
use crate::text;

/// A machine from which number of CPUs the LLC that is searched is drawn large.
pub const LENS_CPUS: usize = 64;

/// Geometry of a placement: of the machine and, on large machines, of the lens.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacementGeometry {
    /// The machine's.
    pub machine: MachineGeometry,
    /// The lens on the LLC that is searched, with its LLC.
    pub lens: Option<(u16, Lens)>,
}

impl PlacementGeometry {
    /// The machine in this room, with a lens on an LLC if its cells are too small for badges.
    #[must_use]
    pub fn new(machine: &Machine, room: Room, llc: u16) -> PlacementGeometry {
        // Below the queues is room for role tags and badges.
        let room = Room { depth: room.depth + 3, ..room };
        let whole = MachineGeometry::new(machine, room);
        if machine.cpus.len() < LENS_CPUS && takes_badges(&whole) {
            return PlacementGeometry { machine: whole, lens: None };
        }
        // All that the lens wants, if the machine's cells can still be told apart.
        let with = |share: f32| {
            let high = Lens::height(machine, llc, room, share);
            let rest = (room.height - high - lens::GAP).max(0.3 * room.height);
            (high, MachineGeometry::new(machine, Room { height: rest, ..room }))
        };
        let roomy = Some(with(0.72)).filter(|(_, map)| map.detail > Detail::Mass);
        let (high, whole) = roomy.unwrap_or_else(|| with(0.56));
        // A machine that takes more than its part takes it from the lens, not from what is below.
        let left = room.height - whole.height - lens::GAP;
        let high = high.min(left.max(Lens::height(machine, llc, room, 0.0)));
        let frame = Rect::new(1.0, whole.height + lens::GAP, room.width - 2.0, high);
        let lens = Lens::new(machine, llc, frame, room.present);
        PlacementGeometry { machine: whole, lens: Some((llc, lens)) }
    }

    /// Height of the picture.
    #[must_use]
    pub fn height(&self) -> f32 {
        self.lens.as_ref().map_or(self.machine.height, |(_, lens)| lens.frame.bottom() + 1.0)
    }
}

/// Whether cells have room for a number, a label and a badge.
fn takes_badges(geometry: &MachineGeometry) -> bool {
    let text = geometry.small() / 12.0;
    match geometry.detail {
        Detail::Queue => true,
        Detail::Card => geometry
            .cells
            .iter()
            .all(|cell| cell.h >= 54.0 * text || (cell.h >= 36.0 * text && cell.w >= 62.0 * text)),
        Detail::Task | Detail::Cell | Detail::Mass => false,
    }
}

/// The decision looked at, in two layers; the plain machine if it is no placement.
#[must_use]
pub fn layout(
    decision: &Decision,
    machine: &Machine,
    moment: &Moment,
    roster: Roster,
    look: &Look,
) -> MachineLayout {
    let Picture::Place(place) = &decision.picture else {
        // A wakeup without a search: the task is still queued, or may run on one CPU only.
        let geometry = MachineGeometry::new(machine, Room::of(look, roster));
        let look = Look { focus_cpu: decision.cpu, ..look.clone() };
        return super::machine::draw(&geometry, machine, moment, roster, &look);
    };
    let geometry = PlacementGeometry::new(machine, Room::of(look, roster), place.llc);
    draw(&geometry, decision, place, machine, moment, roster, look)
}

/// The decision looked at, on a geometry that was computed before.
#[must_use]
pub fn draw(
    geometry: &PlacementGeometry,
    decision: &Decision,
    place: &PlacePicture,
    machine: &Machine,
    moment: &Moment,
    roster: Roster,
    look: &Look,
) -> MachineLayout {
    let progress = Progress::new(decision, place, machine, (look.check, look.probe));
    let cpus = stage(moment, look);
    let whole = &geometry.machine;
    let present = whole.present;
    let roles = roles(place, &progress);
    let cells = Cells {
        examined: schedscope_sim::order::tree(progress.examined.keys().copied()),
        faded: schedscope_sim::order::tree(place.forbidden.iter().copied()),
        foot: if geometry.lens.is_none() { 2.0 * badge_lift(present) } else { 0.0 },
        tags: schedscope_sim::order::tree(roles.iter().map(|(&cpu, roles)| (cpu, roles.len()))),
        ..Cells::new(whole, roster, &cpus, look)
    };
    let mut lower = cells_scene(&cells, machine);
    lower.height = geometry.height();
    let mut pen = Pen::new(whole.width, geometry.height());
    overlay::labels(&mut pen, whole, machine, &cpus, geometry.lens.is_none().then_some(place.llc));
    overlay::hits(&mut pen, whole, machine, &cells);
    let everyone: Vec<Cpu> = (0..machine.cpus.len() as u16).collect();
    match &geometry.lens {
        None => {
            let box_ = whole.llcs.get(usize::from(place.llc)).copied().unwrap_or_default();
            if machine.llcs.len() > 1 {
                let edge = stroke(Ink::TextSoft, 1.5);
                pen.rect("searched", box_, 4.0, Ink::None, edge);
            }
            let heading = Rect::new(box_.x, box_.y + 3.0, box_.w, whole.header + 4.0);
            let size = whole.small();
            let mut line = heading.inset_x(10.0);
            let name = if box_.w < overlay::BUDGET_BESIDE * size { 9.0 } else { 20.0 } * size;
            (line.x, line.w) = (line.x + name, line.w - name);
            let cpus = machine.llcs.get(usize::from(place.llc)).map_or(0, Vec::len);
            // Small cells leave no heading to write it in.
            if whole.header > 0.0 {
                budget(&mut pen, line, place, &progress, cpus, size, 0.35 * line.w);
            }
            let marks =
                Marks { cells: &cells, place, progress: &progress, cpus: &everyone, prefix: "" };
            marks.draw(&mut pen, (box_.x + 2.0, box_.right() - 7.0));
        }
        Some((llc, lens)) => {
            spots(&mut pen, whole, machine, place, &progress);
            lens::tie(&mut pen, whole, *llc, lens);
            far_tags(&mut pen, &lower, whole, lens, &roles);
            let mut inner = Cells {
                geometry: &lens.geometry,
                foot: 2.0 * badge_lift(present),
                prefix: "lens/",
                ..cells.clone()
            };
            inner.quiet = quiet(&inner, &progress, &lens.cpus);
            lens_frame(&mut pen, lens, *llc, machine, place, &progress);
            for &cpu in &lens.cpus {
                inner.draw(&mut pen, cpu);
            }
            let marks = Marks {
                cells: &inner,
                place,
                progress: &progress,
                cpus: &lens.cpus,
                prefix: "lens/",
            };
            marks.draw(&mut pen, lens.row);
            overlay::cell_hits(&mut pen, machine, &inner, &lens.cpus);
        }
    }
    overlay::drag(&mut pen, whole, roster, look);
    MachineLayout { cells: lower, overlay: pen.done() }
}

/// The picture as one scene.
#[must_use]
pub fn scene(
    decision: &Decision,
    machine: &Machine,
    moment: &Moment,
    roster: Roster,
    look: &Look,
) -> Scene {
    layout(decision, machine, moment, roster, look).merged()
}

/// What the marks mean, for the line below the picture.
#[must_use]
pub fn key(look: &Look) -> Scene {
    let size = if look.present { 20.0 } else { 12.0 };
    let high = if look.present { 40.0 } else { 24.0 };
    let mut pen = Pen::new(look.width, high);
    let mid = high / 2.0;
    let half = size * 10.0 / 12.0;
    let style = plain(size, Ink::TextSoft);
    let mut x = 2.0;
    let visit = |idle| Visit { cpu: 0, idle, kept: false, stride: Stride::Cpu };
    type Draw = Box<dyn Fn(&mut Pen, Point)>;
    let entries: [(&str, Draw); 4] = [
        (
            "checked, busy",
            Box::new(move |pen, at| badge(pen, "key/busy", at, 1, visit(false), size)),
        ),
        (
            "checked, idle",
            Box::new(move |pen, at| badge(pen, "key/idle", at, 2, visit(true), size)),
        ),
        (
            "chosen",
            Box::new(move |pen, at| {
                let rect = Rect::new(at.x - half, at.y - half, 2.0 * half, 2.0 * half);
                let width = size * 3.5 / 12.0;
                pen.rect("key/chosen", rect.inset(2.0), 3.0, Ink::None, stroke(Ink::Accent, width));
            }),
        ),
        (
            "not checked",
            Box::new(move |pen, at| {
                let rect = Rect::new(at.x - half, at.y - half, 2.0 * half, 2.0 * half).inset(3.0);
                pen.rect("key/rest", rect, 2.0, Ink::Idle, stroke(Ink::IdleEdge, 1.0));
            }),
        ),
    ];
    for (word, draw) in entries {
        let wide = 2.0 * half + 6.0 + text::width(word, style);
        if x + wide > look.width {
            break;
        }
        draw(&mut pen, Point::new(x + half, mid));
        pen.text(format!("key/{word}"), x + 2.0 * half + 6.0, mid, word, style);
        x += wide + size * 1.4;
    }
    pen.done()
}

/// Heading and frame of the lens.
fn lens_frame(
    pen: &mut Pen,
    lens: &Lens,
    llc: u16,
    machine: &Machine,
    place: &PlacePicture,
    progress: &Progress,
) {
    let size = lens.geometry.small();
    pen.rect("lens", lens.frame, 4.0, Ink::Background, stroke(Ink::Text, 1.5));
    let heading = lens.heading().inset_x(10.0);
    let line = Rect { x: heading.x + 6.0 * size, w: heading.w - 6.0 * size, ..heading };
    let cpus = lens.cpus.len();
    let used = budget(pen, line, place, progress, cpus, size, heading.w * 0.3);
    let name = machine.llc_names.get(usize::from(llc)).map_or("LLC", String::as_str);
    let bold = plain(size, Ink::Text).weight(600);
    let y = heading.centre().y;
    pen.text("lens/name", heading.x, y, name, bold);
    let from = heading.x + text::width(name, bold) + 10.0;
    let soft = plain(size, Ink::TextSoft);
    let n = lens.cpus.len();
    let parts = match half_of_core(machine, &lens.cpus) {
        Some(half) => format!("{n} CPUs: {half}. The scan never leaves it."),
        None => format!("{n} CPUs. The scan never leaves it."),
    };
    let short = "The scan never leaves it.".to_owned();
    let shorter = format!("{n} CPUs");
    let room = (from, heading.right() - used - 12.0);
    _ = [parts, short, shorter]
        .iter()
        .any(|caption| pen.text_if_fits("lens/caption", room, y, caption, soft));
    pen.hit(lens.heading(), Target::Llc(llc), format!("{name}: {n} CPUs, searched"));
}

/// "even threads of core 11", where an LLC is half of a big core.
fn half_of_core(machine: &Machine, cpus: &[Cpu]) -> Option<String> {
    let (&first, &second) = (cpus.first()?, cpus.get(1)?);
    let apart = second == first + 2 && cpus.windows(2).all(|pair| pair[1] == pair[0] + 2);
    let core = machine.cpus[usize::from(first)].core;
    let alone = cpus.iter().all(|&cpu| machine.cpus[usize::from(cpu)].core == core);
    let which = if first.is_multiple_of(2) { "even" } else { "odd" };
    (apart && alone).then(|| format!("{which} threads of core {}", core / 2))
}

/// How much of the scan's budget is used, as words and ticks (one a CPU of the LLC) at the end of
/// a heading; gives the width it took.
fn budget(
    pen: &mut Pen,
    heading: Rect,
    place: &PlacePicture,
    progress: &Progress,
    cpus: usize,
    size: f32,
    room_for_ticks: f32,
) -> f32 {
    let (Some(budget), true) = (place.budget, progress.limited()) else { return 0.0 };
    let (used, all) = (progress.pass().len(), cpus.max(1));
    let limit = format::count(u64::from(budget));
    let style = plain(size, Ink::TextSoft).anchor(Anchor::End);
    let words = match budget {
        0 => ["scan budget 0: LLC overloaded", "scan budget 0", "budget 0"].map(str::to_owned),
        _ => {
            let long = format!("scan budget {used} of {limit}");
            [long, format!("budget {used} of {limit}"), format!("{used} of {limit}")]
        }
    };
    // The words first; ticks where there is room for them as well.
    let Some(words) = words.into_iter().find(|words| text::width(words, style) <= heading.w) else {
        return 0.0;
    };
    let wide = text::width(&words, style);
    let room = room_for_ticks.min(heading.w - wide - 8.0);
    let pitch = (room / all as f32).min(size);
    let mut right = heading.right();
    let y = heading.centre().y;
    if pitch >= size * 0.4 && budget > 0 {
        let high = size * 0.9;
        let left = right - all as f32 * pitch + 2.5;
        for i in 0..all {
            let tick = Rect::new(left + i as f32 * pitch, y - high / 2.0, pitch - 2.5, high);
            let fill = if i < used { Ink::Accent } else { Ink::None };
            let edge = if i < budget as usize { Ink::Accent } else { Ink::LineStrong };
            pen.rect(format!("budget/{i}"), tick, 0.0, fill, stroke(edge, 1.0));
        }
        right = left - 8.0;
    }
    pen.text("budget", right, y, words, style);
    heading.right() - right + wide
}

/// Marks on cells too small for badges: outlines.
fn spots(
    pen: &mut Pen,
    geometry: &MachineGeometry,
    machine: &Machine,
    place: &PlacePicture,
    progress: &Progress,
) {
    let large = geometry.detail >= Detail::Task;
    forbidden_spots(pen, geometry, machine, place);
    for &cpu in progress.examined.keys() {
        let Some(cell) = geometry.cells.get(usize::from(cpu)) else { continue };
        if !(progress.over && cpu == place.chosen) {
            let key = format!("examined/{cpu}");
            pen.rect(key, cell.inset(-1.0), 2.5, Ink::None, stroke(Ink::Accent, 1.25));
        }
    }
    if let (Some(cell), true) = (geometry.cells.get(usize::from(place.chosen)), progress.over) {
        let width = if large { 3.5 } else { 2.5 };
        pen.rect("chosen", cell.inset(-1.5), 3.0, Ink::None, stroke(Ink::Accent, width));
    }
}

/// A stroke through each LLC that is forbidden as a whole, and through single CPUs elsewhere.
fn forbidden_spots(
    pen: &mut Pen,
    geometry: &MachineGeometry,
    machine: &Machine,
    place: &PlacePicture,
) {
    let mut forbidden = vec![false; machine.cpus.len()];
    for &cpu in &place.forbidden {
        if let Some(forbidden) = forbidden.get_mut(usize::from(cpu)) {
            *forbidden = true;
        }
    }
    for (llc, (of, &box_)) in machine.llcs.iter().zip(&geometry.llcs).enumerate() {
        if of.iter().all(|&cpu| forbidden[usize::from(cpu)]) {
            forbid(pen, &format!("forbidden/llc/{llc}"), box_);
            continue;
        }
        for &cpu in of.iter().filter(|&&cpu| forbidden[usize::from(cpu)]) {
            forbid(pen, &format!("forbidden/{cpu}"), geometry.cells[usize::from(cpu)]);
        }
    }
}

/// Roles of CPUs that are not in the lens: tags on or beside their cells on the machine, where
/// they hide no other text.
fn far_tags(
    pen: &mut Pen,
    cells: &Scene,
    geometry: &MachineGeometry,
    lens: &Lens,
    roles: &BTreeMap<Cpu, Vec<&'static str>>,
) {
    let size = geometry.small();
    let texts = |scene: &Scene| -> Vec<Rect> {
        scene.marks.iter().filter_map(|mark| text::text_bounds(&mark.shape)).collect()
    };
    let mut taken = texts(cells);
    taken.extend(texts(pen.scene()));
    for (&cpu, roles) in roles.iter().filter(|(cpu, _)| !lens.cpus.contains(cpu)) {
        let Some(cell) = geometry.cells.get(usize::from(cpu)) else { continue };
        let key = format!("far/{cpu}");
        pen.rect(key, cell.inset(-1.0), 2.5, Ink::None, stroke(Ink::Text, 2.0));
        if geometry.detail == Detail::Mass {
            continue; // A tag would hide what it stands beside.
        }
        for role in roles {
            let (wide, high) = (tag_width(role, size), size + 4.0);
            let least = wide / 2.0 + 1.0;
            let x = cell.centre().x.clamp(least, (geometry.width - least).max(least));
            let places = [
                cell.bottom() - high - 3.0,
                cell.bottom() + 3.0,
                cell.y - 3.0 - high,
                cell.bottom() + 5.0 + high,
                cell.y - 5.0 - 2.0 * high,
            ];
            // Inside only if it fits there.
            let inside = wide <= cell.w - 2.0 && cell.h >= 2.0 * high;
            let rect = places
                .into_iter()
                .skip(usize::from(!inside))
                .map(|y| Rect::new(x - wide / 2.0, y, wide, high))
                .find(|rect| {
                    rect.y > 0.0
                        && rect.bottom() < geometry.height + lens::GAP - 2.0
                        && !taken.iter().any(|other| other.overlaps(*rect))
                });
            if let Some(rect) = rect {
                taken.push(rect);
                let at = Point::new(rect.centre().x, rect.y);
                tag(pen, &format!("far/{cpu}/{role}"), at, role, size);
            }
        }
    }
}
