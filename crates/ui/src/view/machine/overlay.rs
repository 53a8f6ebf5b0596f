//! What lies above the cells of the machine: labels, the CPU in focus, a card that is being
//! carried, and what can be pointed at.

use schedscope_session::update::{CpuView, Machine};

use super::cell::Cells;
use super::geometry::{Labelled, MachineGeometry};
use super::{Detail, busy};
use crate::geometry::Rect;
use crate::scene::{Anchor, Dash, Ink, Target, TextStyle};
use crate::text;
use crate::view::pen::{Pen, TaskInk, dashed, plain, stroke};
use crate::view::{Look, Roster};

/// Width of an LLC, in font sizes, from which its heading says what it holds beside the budget of
/// the search in it.
pub(crate) const BUDGET_BESIDE: f32 = 36.0;

/// Names of nodes, packages and LLCs, each with what it holds and how busy it is; not so for the
/// LLC that is `searched`.
pub(crate) fn labels(
    pen: &mut Pen,
    geometry: &MachineGeometry,
    machine: &Machine,
    cpus: &[CpuView],
    searched: Option<u16>,
) {
    for label in &geometry.labels {
        let (key, name, weight, ink) = match label.what {
            Labelled::Package(id) => {
                (format!("package/{id}"), format!("Socket {id}"), 600, Ink::TextSoft)
            }
            Labelled::Node(id) => (format!("node/{id}"), format!("Node {id}"), 400, Ink::TextFaint),
            Labelled::Both(id, _) => {
                (format!("node/{id}"), format!("Node {id}"), 600, Ink::TextSoft)
            }
        };
        let about = match label.what {
            Labelled::Package(_) | Labelled::Node(_) => String::new(),
            Labelled::Both(_, _) => cores_and_threads(machine, &label.cpus, geometry.paired),
        };
        let line = Line { rect: label.rect, inset: 0.0, name: &name, weight, ink, about: &about };
        let busy = format!("{} of {} busy", busy(cpus, &label.cpus), label.cpus.len());
        line.draw(pen, &key, geometry.small(), &busy);
    }
    if geometry.header > 0.0 {
        let alone = machine.llcs.len() == 1;
        for (llc, (&rect, of)) in geometry.llcs.iter().zip(&machine.llcs).enumerate() {
            let head = Rect::new(rect.x, rect.y + 3.0, rect.w, geometry.header + 4.0);
            let name = llc_heading(machine, llc);
            // Where a search is shown, its budget has the end of the line.
            let searched = searched == Some(llc as u16);
            let about = if searched && rect.w < BUDGET_BESIDE * geometry.small() {
                String::new()
            } else {
                cores_and_threads(machine, of, false)
            };
            let line = Line {
                rect: head,
                inset: 10.0,
                name: &name,
                weight: 600,
                ink: Ink::Text,
                about: &about,
            };
            let share = format!("{} of {} busy", busy(cpus, of), of.len());
            let quiet = (alone && of.len() < 8) || searched;
            let share = if quiet { "" } else { &share };
            line.draw(pen, &format!("llc/{llc}"), geometry.small(), share);
        }
    }
}

/// An LLC's name, with that of its node where the two are one.
fn llc_heading(machine: &Machine, llc: usize) -> String {
    let name = machine.llc_names.get(llc).map_or("LLC", String::as_str);
    let node = machine.llcs[llc].first().map(|&cpu| machine.cpus[usize::from(cpu)].node);
    match node {
        Some(node) if machine.nodes > 1 && usize::from(machine.nodes) == machine.llcs.len() => {
            format!("Node {node}, {name}")
        }
        _ => name.to_owned(),
    }
}

/// "20 cores, SMT8" of some CPUs; `paired` counts two cores as a big one.
fn cores_and_threads(machine: &Machine, cpus: &[u16], paired: bool) -> String {
    let mut cores: Vec<u16> = cpus.iter().map(|&cpu| machine.cpus[usize::from(cpu)].core).collect();
    schedscope_sim::order::sort(&mut cores);
    cores.dedup();
    let (cpus, cores) = (cpus.len(), cores.len() / if paired { 2 } else { 1 });
    match (cores, cpus / cores.max(1)) {
        (1, 1) => "1 core".to_owned(),
        (cores, 1) => format!("{cores} cores"),
        (1, threads) => format!("1 core, SMT{threads}"),
        (cores, threads) => format!("{cores} cores, SMT{threads}"),
    }
}

/// A heading: a name, what it holds, and at the far end how busy it is; dropped from the end.
struct Line<'a> {
    rect: Rect,
    inset: f32,
    name: &'a str,
    weight: u16,
    ink: Ink,
    about: &'a str,
}

impl Line<'_> {
    fn draw(&self, pen: &mut Pen, key: &str, size: f32, share: &str) {
        let (from, to) = (self.rect.x + self.inset, self.rect.right() - self.inset);
        let y = self.rect.centre().y;
        let name = plain(size, self.ink).weight(self.weight);
        if !pen.text_if_fits(format!("{key}/name"), (from, to), y, self.name, name) {
            return;
        }
        let faint = plain(size, Ink::TextFaint);
        let mut end = from + text::width(self.name, name) + 8.0;
        if !self.about.is_empty()
            && pen.text_if_fits(format!("{key}/about"), (end, to), y, self.about, faint)
        {
            end += text::width(self.about, faint) + 12.0;
        }
        if !share.is_empty() {
            let style = faint.anchor(Anchor::End);
            pen.text_if_fits(format!("{key}/busy"), (end, to), y, share, style);
        }
    }
}

/// The outline of the CPU in focus.
pub(crate) fn focus(pen: &mut Pen, geometry: &MachineGeometry, look: &Look) {
    if let Some(&cell) = geometry.cells.get(usize::from(look.focus_cpu)) {
        let (out, width) = match geometry.detail {
            Detail::Mass => (1.5, 1.5),
            Detail::Cell | Detail::Task => (2.0, 2.0),
            Detail::Card => (2.0, 2.5),
            Detail::Queue => (2.0, if geometry.present { 4.0 } else { 2.0 }),
        };
        let rect = cell.inset(-out);
        pen.rect("focus", rect, 3.0, Ink::None, stroke(Ink::Accent, width));
    }
}

/// Busy share of each LLC as a grey, with the figure where it fits.
pub(crate) fn heat(pen: &mut Pen, geometry: &MachineGeometry, machine: &Machine, cpus: &[CpuView]) {
    let size = geometry.small();
    for (llc, (&rect, of)) in geometry.llcs.iter().zip(&machine.llcs).enumerate() {
        let busy = busy(cpus, of);
        let share = (255 * busy / of.len().max(1)) as u8;
        let mut field = rect;
        field.y += geometry.header;
        field.h -= geometry.header;
        let field = field.inset(if geometry.header > 0.0 { 6.0 } else { 1.0 });
        let key = format!("llc/{llc}/heat");
        pen.rect(key, field, 2.0, Ink::Heat(share), stroke(Ink::LineStrong, 1.0));
        let large = if field.h >= 3.0 * size && field.w >= 6.0 * size { size * 1.5 } else { size };
        let style = plain(large, Ink::Text).weight(600).anchor(Anchor::Middle);
        let percent = format!("{} %", (100 * busy + of.len() / 2) / of.len().max(1));
        let bare = ((100 * busy + of.len() / 2) / of.len().max(1)).to_string();
        // All figures or none: widths are those of the longest one.
        for (longest, figure) in [("100 %", percent), ("100", bare)] {
            if field.h >= size + 2.0 && text::width(longest, style) <= field.w - 2.0 {
                let key = format!("llc/{llc}/share");
                pen.text(key, field.centre().x, field.centre().y, figure, style);
                break;
            }
        }
    }
}

/// What can be pointed at: packages and nodes by their labels, LLCs by their boxes, CPUs by their
/// cells.
pub(crate) fn hits(pen: &mut Pen, geometry: &MachineGeometry, machine: &Machine, cells: &Cells) {
    for label in &geometry.labels {
        let share = format!("{} of {} CPUs busy", busy(cells.cpus, &label.cpus), label.cpus.len());
        let (target, name) = match label.what {
            Labelled::Package(id) => (Target::Package(id), format!("Socket {id}")),
            Labelled::Node(id) => (Target::Node(id), format!("Node {id}")),
            Labelled::Both(id, _) => (Target::Node(id), format!("Node {id}")),
        };
        pen.hit(label.rect, target, format!("{name}: {share}"));
    }
    for (llc, (&rect, of)) in geometry.llcs.iter().zip(&machine.llcs).enumerate() {
        if rect.w > 0.0 {
            let name = machine.llc_names.get(llc).map_or("LLC", String::as_str);
            let label = format!("{name}: {} of {} CPUs busy", busy(cells.cpus, of), of.len());
            pen.hit(rect, Target::Llc(llc as u16), label);
        }
    }
    let all: Vec<u16> = (0..geometry.cells.len() as u16).collect();
    cell_hits(pen, machine, cells, &all);
}

/// CPUs can be pointed at by their cells.
pub(crate) fn cell_hits(pen: &mut Pen, machine: &Machine, cells: &Cells, cpus: &[u16]) {
    for &cpu in cpus {
        let rect = cells.geometry.cells[usize::from(cpu)];
        pen.hit(rect, Target::Cpu(cpu), describe(machine, cells, cpu));
    }
}

/// What a tooltip and a screen reader say of a CPU.
fn describe(machine: &Machine, cells: &Cells, cpu: u16) -> String {
    let mut text = format!("CPU {cpu}");
    let place = machine.cpus.get(usize::from(cpu));
    if let (Some(place), true) = (place, machine.threads_per_core > 1) {
        text += &format!(", core {}", place.core);
    }
    if let (Some(place), true) = (place, machine.llcs.len() > 1) {
        text += &format!(", LLC {}", place.llc);
    }
    if let (Some(place), true) = (place, machine.nodes > 1) {
        text += &format!(", node {}", place.node);
    }
    let Some(view) = cells.cpus.get(usize::from(cpu)) else { return text };
    match view.curr {
        Some(task) => text += &format!(": runs {}", cells.roster.name(task)),
        None => text += ": idle",
    }
    if cells.faded.contains(&cpu) {
        text += ", not allowed";
    }
    match view.waiting.len() {
        0 => {}
        n => text += &format!(", {n} waiting"),
    }
    text
}

/// Where a carried card would land.
pub(crate) fn drag(pen: &mut Pen, geometry: &MachineGeometry, roster: Roster, look: &Look) {
    let Some(drag) = look.drag else { return };
    let Some(cpu) = drag.over else { return };
    let Some(&cell) = geometry.cells.get(usize::from(cpu)) else { return };
    let around = cell.inset(-2.5);
    pen.faded(0.1, |pen| {
        pen.rect("drag/fill", around, 3.0, Ink::Accent, stroke(Ink::None, 0.0));
    });
    pen.rect("drag/edge", around, 3.0, Ink::None, dashed(Ink::Accent, 2.0, Dash::Dashed));
    let there = roster.moment.tasks.iter().any(|task| task.row == drag.row);
    let what = match (drag.pin, there) {
        (true, _) => format!("pin to CPU {cpu}"),
        (false, true) => format!("move to CPU {cpu}"),
        (false, false) => format!("start on CPU {cpu}"),
    };
    // A card that follows the cell: below it if there is room, else above.
    let size = if geometry.present { 20.0 } else { 14.0 };
    let high = size * 1.6;
    let row = roster.loaded.rows.get(usize::from(drag.row));
    let letter = row.map_or_else(String::new, |row| row.letter.clone());
    let chip_high = high - 6.0;
    let bold = plain(size, Ink::Text).weight(650).anchor(Anchor::Middle);
    let chip_wide = match row {
        Some(_) => chip_high.max(text::width(&letter, bold) + 6.0) + 6.0,
        None => 0.0,
    };
    let style = plain(size, Ink::Text);
    let wide = text::width(&what, style) + chip_wide + 14.0;
    let mut card = Rect::new(cell.centre().x + 8.0, cell.centre().y + 6.0, wide, high);
    if cell.h < 60.0 {
        card.y = around.bottom() + 6.0;
    }
    if card.bottom() > geometry.height - 1.0 {
        card.y = (around.y - 6.0 - high).max(1.0);
    }
    card.x = card.x.min(geometry.width - wide - 1.0).max(1.0);
    pen.rect("drag/card", card, 3.0, Ink::Background, stroke(Ink::Text, 1.5));
    if let Some(row) = row {
        let ink = TaskInk::coloured(row.hue, row.texture);
        let at = Rect::new(card.x + 4.0, card.y + 3.0, chip_wide - 6.0, chip_high);
        pen.rect("drag/chip", at, 3.0, ink.fill, stroke(ink.edge, 1.0));
        let bold = TextStyle { ink: ink.text, ..bold };
        pen.text("drag/chip/letter", at.centre().x, at.centre().y, letter, bold);
    }
    pen.text("drag/text", card.x + 6.0 + chip_wide, card.centre().y, what, style);
}
