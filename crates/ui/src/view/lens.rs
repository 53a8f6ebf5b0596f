//! One LLC drawn large, below the machine, tied to its place there.

use schedscope_session::order;
use schedscope_session::update::{Cpu, Machine};

use crate::geometry::{Point, Rect};
use crate::scene::Ink;
use crate::text::text_bounds;
use crate::view::machine::{Detail, MachineGeometry, Room};
use crate::view::pen::{Pen, stroke};

/// Between the machine and the lens.
pub(crate) const GAP: f32 = 14.0;

/// Between cores side by side, the threads of a core, and lines of cores.
const CORE_GAP: f32 = 6.0;
const THREAD_GAP: f32 = 5.0;
const LINE_GAP: f32 = 12.0;

/// An LLC drawn large.
#[derive(Clone, Debug, PartialEq)]
pub struct Lens {
    /// The whole lens.
    pub frame: Rect,
    /// Height of its heading.
    pub header: f32,
    /// Its CPUs, ascending.
    pub cpus: Vec<Cpu>,
    /// Where its cells are, as a machine of which the other CPUs are nowhere.
    pub geometry: MachineGeometry,
    /// Left and right end of its rows.
    pub row: (f32, f32),
}

/// How an LLC's CPUs stand in a lens.
struct Grid {
    columns: usize,
    lines: usize,
    threads: usize,
}

impl Lens {
    /// Height that a lens wants, at most a `share` of what there is.
    #[must_use]
    pub fn height(machine: &Machine, llc: u16, room: Room, share: f32) -> f32 {
        let present = room.present;
        let cores = cores(machine, llc);
        let grid = grid(&cores, room.width, present);
        let rows = grid.lines * grid.threads;
        let text = if present { 20.0 / 12.0 } else { 1.0 };
        let row = match rows {
            1 => 92.0,
            2 => 72.0,
            3 | 4 => 60.0,
            _ => 46.0,
        };
        let gaps = (grid.lines * (grid.threads - 1)) as f32 * THREAD_GAP
            + (grid.lines - 1) as f32 * LINE_GAP;
        let with = |row: f32| header(present) + 16.0 + gaps + rows as f32 * row;
        // Fingers need 40 px: the picture then gets higher than its room and is scrolled.
        let least = with(if room.coarse { 46.0 } else { 26.0 * text });
        with(row * text).min(share * room.height).max(least)
    }

    /// The lens of an LLC in this frame.
    #[must_use]
    pub fn new(machine: &Machine, llc: u16, frame: Rect, present: bool) -> Lens {
        let cores = cores(machine, llc);
        let grid = grid(&cores, frame.w, present);
        let header = header(present);
        let (gap, pad) = (CORE_GAP, 10.0);
        let field = Rect::new(
            frame.x + pad,
            frame.y + header + 6.0,
            frame.w - 2.0 * pad,
            frame.h - header - 16.0,
        );
        let columns = grid.columns as f32;
        let cell_w = ((field.w - (columns - 1.0) * gap) / columns).max(1.0);
        let rows = (grid.lines * grid.threads) as f32;
        let gaps = (grid.lines * (grid.threads - 1)) as f32 * THREAD_GAP
            + (grid.lines - 1) as f32 * LINE_GAP;
        let cell_h = ((field.h - gaps) / rows).max(1.0);
        let line_h = grid.threads as f32 * (cell_h + THREAD_GAP) - THREAD_GAP + LINE_GAP;
        let mut cells = vec![Rect::default(); machine.cpus.len()];
        for (i, core) in cores.iter().enumerate() {
            for (thread, &cpu) in core.iter().enumerate() {
                let (column, line, thread) = if grid.threads == 1 {
                    (thread.max(i) % grid.columns, thread.max(i) / grid.columns, 0)
                } else {
                    (i % grid.columns, i / grid.columns, thread)
                };
                cells[usize::from(cpu)] = Rect::new(
                    field.x + column as f32 * (cell_w + gap),
                    field.y + line as f32 * line_h + thread as f32 * (cell_h + THREAD_GAP),
                    cell_w,
                    cell_h,
                );
            }
        }
        let least = Detail::Card.least(present);
        let detail =
            if cell_w >= least.0 && cell_h >= 0.8 * least.1 { Detail::Card } else { Detail::Task };
        let geometry = MachineGeometry {
            width: frame.right(),
            height: frame.bottom(),
            detail,
            present,
            cells,
            cores: Vec::new(),
            clusters: Vec::new(),
            llcs: Vec::new(),
            header: 0.0,
            labels: Vec::new(),
            flat: false,
            paired: false,
        };
        let cpus = machine.llcs.get(usize::from(llc)).cloned().unwrap_or_default();
        let row = (frame.x + 1.0, frame.right() - 8.0);
        Lens { frame, header, cpus, geometry, row }
    }

    /// Where its heading is.
    #[must_use]
    pub fn heading(&self) -> Rect {
        Rect::new(self.frame.x, self.frame.y + 2.0, self.frame.w, self.header)
    }
}

fn header(present: bool) -> f32 {
    if present { 36.0 } else { 24.0 }
}

/// The CPUs of an LLC by core, cores in the order of their first CPU.
fn cores(machine: &Machine, llc: u16) -> Vec<Vec<Cpu>> {
    let mut cores: Vec<(u16, Vec<Cpu>)> = Vec::new();
    for &cpu in machine.llcs.get(usize::from(llc)).into_iter().flatten() {
        let id = machine.cpus[usize::from(cpu)].core;
        match cores.iter_mut().find(|(core, _)| *core == id) {
            Some((_, cpus)) => cpus.push(cpu),
            None => cores.push((id, vec![cpu])),
        }
    }
    cores.into_iter().map(|(_, cpus)| cpus).collect()
}

/// Cores across and threads down; the threads of a single core across. Wrapped where cells would
/// get too narrow for a number.
fn grid(cores: &[Vec<Cpu>], width: f32, present: bool) -> Grid {
    // On a phone a cell is a finger wide and holds a role tag.
    let least = if present || width < 480.0 { 62.0 } else { 36.0 };
    let room = (((width - 20.0 + CORE_GAP) / (least + CORE_GAP)).floor() as usize).max(1);
    let threads = cores.iter().map(Vec::len).max().unwrap_or(1).max(1);
    let (across, threads) = match cores.len() {
        0 | 1 => (threads, 1),
        n => (n, threads),
    };
    let lines = across.div_ceil(room);
    Grid { columns: across.div_ceil(lines.max(1)), lines: lines.max(1), threads }
}

/// Ties an LLC on the machine to its lens: both have an ink outline, and a stem runs from the one
/// to the other in the gaps between the other LLCs, never across them.
pub(crate) fn tie(pen: &mut Pen, geometry: &MachineGeometry, llc: u16, lens: &Lens) {
    let Some(&at) = geometry.llcs.get(usize::from(llc)) else { return };
    let close = geometry.flat && geometry.header == 0.0;
    let rect = at.inset(if close { -1.5 } else { 0.0 });
    let stem = stroke(Ink::Text, 1.5);
    let below: Vec<Rect> = geometry
        .llcs
        .iter()
        .copied()
        .filter(|other| other.w > 0.0 && other.bottom() > rect.bottom() + 2.0)
        .collect();
    let clear =
        |x: f32, by: f32| below.iter().all(|other| x < other.x - by || x > other.right() + by);
    // In the middle if nothing is below, else the nearest gap.
    let middle = rect.centre().x;
    let mut gaps: Vec<f32> = geometry
        .llcs
        .iter()
        .filter(|other| (other.y - at.y).abs() < 1.0)
        .flat_map(|other| gap_beside(geometry, *other))
        .chain([middle])
        .filter(|&x| x > lens.frame.x && x < lens.frame.right())
        .collect();
    order::sort_by(&mut gaps, |a, b| (a - middle).abs().total_cmp(&(b - middle).abs()));
    let x = [1.4, 0.4]
        .iter()
        .find_map(|&by| gaps.iter().copied().find(|&x| clear(x, by)))
        .unwrap_or(middle);
    let inside = x > rect.x && x < rect.right();
    let start = if inside { rect.bottom() } else { rect.centre().y };
    if !inside {
        let edge = if x > rect.right() { rect.right() } else { rect.x };
        pen.path("lens/arm", vec![Point::new(edge, start), Point::new(x, start)], stem);
    }
    // Texts are not struck through.
    let mut cuts: Vec<(f32, f32)> = pen
        .scene()
        .marks
        .iter()
        .filter_map(|mark| text_bounds(&mark.shape))
        .filter(|text| text.x - 3.0 < x && x < text.right() + 3.0)
        .map(|text| (text.y - 2.0, text.bottom() + 2.0))
        .filter(|&(top, bottom)| bottom > start && top < lens.frame.y)
        .collect();
    order::sort_by(&mut cuts, |a, b| a.0.total_cmp(&b.0));
    let mut y = start;
    for (i, (top, bottom)) in cuts.into_iter().chain([(lens.frame.y, f32::INFINITY)]).enumerate() {
        if top > y {
            let piece = vec![Point::new(x, y), Point::new(x, top)];
            pen.path(format!("lens/stem/{i}"), piece, stem);
        }
        y = y.max(bottom);
    }
    pen.rect("lens/there", rect, 3.0, Ink::None, stroke(Ink::Text, 2.0));
}

/// The middles of the gaps beside an LLC's box.
fn gap_beside(geometry: &MachineGeometry, rect: Rect) -> [f32; 2] {
    let neighbour = |x: f32, sign: f32| {
        geometry
            .llcs
            .iter()
            .filter(|other| (other.y - rect.y).abs() < 1.0)
            .map(|other| if sign > 0.0 { other.x - x } else { x - other.right() })
            .filter(|&d| d > 0.0)
            .fold(f32::INFINITY, f32::min)
            .min(8.0)
    };
    let right = rect.right() + neighbour(rect.right(), 1.0) / 2.0;
    let left = rect.x - neighbour(rect.x, -1.0) / 2.0;
    [left, right]
}
