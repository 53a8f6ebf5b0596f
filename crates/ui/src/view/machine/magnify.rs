//! An LLC drawn large over the machine, in the half where it is not, so that no cell moves under
//! the pointer: for small cells while a card is carried, and on a double click.

use schedscope_session::update::Machine;

use super::cell::Cells;
use super::geometry::{MachineGeometry, Room};
use super::metrics::Detail;
use super::overlay;
use crate::geometry::Rect;
use crate::scene::{Ink, Scene, Target};
use crate::text::{self, text_bounds};
use crate::view::Look;
use crate::view::lens::Lens;
use crate::view::pen::{Pen, plain, stroke};

/// The lens that a look asks for, where cells are small enough for one.
pub(crate) fn lens(geometry: &MachineGeometry, machine: &Machine, look: &Look) -> Option<Lens> {
    let llc = look.lens.filter(|_| geometry.detail < Detail::Card)?;
    let there = *geometry.llcs.get(usize::from(llc))?;
    let (width, height) = (geometry.width, geometry.height);
    let room = Room { width, height, present: look.present, coarse: look.coarse, depth: 3 };
    let high = Lens::height(machine, llc, room, 0.56);
    let below = there.centre().y < height / 2.0;
    let y = if below { (height - high - 1.0).max(1.0) } else { 1.0 };
    Some(Lens::new(machine, llc, Rect::new(1.0, y, width - 2.0, high), geometry.present))
}

/// Puts a scene under a lens: its texts that the lens would hide are left out.
pub(crate) fn put_under(pen: &mut Pen, scene: Scene, lens: Option<&Lens>) {
    for mark in scene.marks {
        let hidden = lens.is_some_and(|lens| {
            text_bounds(&mark.shape).is_some_and(|text| text.overlaps(lens.frame))
        });
        if !hidden {
            pen.mark(mark.key, mark.shape, mark.fill, mark.stroke);
        }
    }
}

/// Draws the lens.
pub(crate) fn draw(pen: &mut Pen, lens: &Lens, llc: u16, machine: &Machine, cells: &Cells) {
    if let Some(&there) = cells.geometry.llcs.get(usize::from(llc)) {
        pen.rect("lens/there", there, 3.0, Ink::None, stroke(Ink::Text, 2.0));
    }
    pen.rect("lens", lens.frame, 4.0, Ink::Background, stroke(Ink::Text, 1.5));
    let size = lens.geometry.small();
    let heading = lens.heading().inset_x(10.0);
    let name = machine.llc_names.get(usize::from(llc)).map_or("LLC", String::as_str);
    let bold = plain(size, Ink::Text).weight(600);
    let y = heading.centre().y;
    pen.text("lens/name", heading.x, y, name, bold);
    let from = heading.x + text::width(name, bold) + 10.0;
    let caption = format!("{} of {} busy", super::busy(cells.cpus, &lens.cpus), lens.cpus.len());
    let soft = plain(size, Ink::TextSoft);
    pen.text_if_fits("lens/caption", (from, heading.right()), y, &caption, soft);
    pen.hit(lens.frame, Target::Llc(llc), format!("{name}: {caption}"));
    let inner = Cells { geometry: &lens.geometry, prefix: "lens/", ..cells.clone() };
    for &cpu in &lens.cpus {
        inner.draw(pen, cpu);
    }
    overlay::cell_hits(pen, machine, &inner, &lens.cpus);
}
