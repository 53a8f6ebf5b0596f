//! Where everything of a machine is: computed once for a machine and a size, drawn for any moment.
//!
//! Across are cores, down are the SMT threads, so that CPU numbers read like text and a scan is a
//! line of text. How many cores, LLCs, nodes and packages stand side by side is found by trying:
//! every arrangement is measured at every detail, and the one with the most to read wins.

use schedscope_session::update::{Cpu, Machine};

use super::metrics::{Detail, Metrics};
use super::plan::{Llc, Node, Plan};
use crate::geometry::Rect;

/// Where everything of a machine is.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineGeometry {
    /// Width of the picture.
    pub width: f32,
    /// Height of the picture: what is used, at most what there is.
    pub height: f32,
    /// What the cells have room for.
    pub detail: Detail,
    /// Present mode.
    pub present: bool,
    /// By CPU number.
    pub cells: Vec<Rect>,
    /// Boxes of cores of several threads.
    pub cores: Vec<Rect>,
    /// Boxes of clusters.
    pub clusters: Vec<Rect>,
    /// Boxes of LLCs, by LLC number.
    pub llcs: Vec<Rect>,
    /// Height of the heading in an LLC's box; 0 if it has none.
    pub header: f32,
    /// Labels of packages and nodes.
    pub labels: Vec<Label>,
    /// Whether every LLC is a single core.
    pub flat: bool,
    /// Whether pairs of LLCs are the halves of a big core (Power, SMT8).
    pub paired: bool,
}

/// A place for the label of a node or package, above it.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Where its text may be.
    pub rect: Rect,
    /// What it names.
    pub what: Labelled,
    /// The CPUs it stands for.
    pub cpus: Vec<Cpu>,
}

/// What a label names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labelled {
    /// A package with several nodes.
    Package(u16),
    /// A node of such a package.
    Node(u16),
    /// A node that is a package of its own: node, package.
    Both(u16, u16),
}

/// What of each stands side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Columns {
    cores: usize,
    llcs: usize,
    nodes: usize,
    packages: usize,
}

/// An arrangement at a detail, with the size its cells get.
struct Choice {
    columns: Columns,
    detail: Detail,
    cell: (f32, f32),
    score: f32,
}

/// What a geometry is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    /// Width there is.
    pub width: f32,
    /// Height there is.
    pub height: f32,
    /// Present mode.
    pub present: bool,
    /// Touch: cells of 40 px are worth wrapping for.
    pub coarse: bool,
    /// How many tasks may wait on a CPU: rows are reserved for so many.
    pub depth: usize,
}

impl MachineGeometry {
    /// The machine in this room.
    #[must_use]
    pub fn new(machine: &Machine, room: Room) -> MachineGeometry {
        let plan = Plan::new(machine);
        let choice = best(&plan, room);
        let metrics = Metrics::new(choice.detail, plan.flat(), room.present);
        let mut placer = Placer {
            plan: &plan,
            metrics,
            columns: choice.columns,
            cell: choice.cell,
            geometry: MachineGeometry {
                width: room.width,
                height: 0.0,
                detail: choice.detail,
                present: room.present,
                cells: vec![Rect::default(); machine.cpus.len()],
                cores: Vec::new(),
                clusters: Vec::new(),
                llcs: vec![Rect::default(); machine.llcs.len()],
                header: metrics.header,
                labels: Vec::new(),
                flat: plan.flat(),
                paired: plan.paired,
            },
        };
        placer.machine();
        placer.geometry
    }

    /// The CPU at a point of the picture.
    #[must_use]
    pub fn cpu_at(&self, at: crate::geometry::Point) -> Option<Cpu> {
        (0..).zip(&self.cells).find(|(_, cell)| cell.contains(at)).map(|(cpu, _)| cpu)
    }

    /// What must be cleared before a CPU's cell is drawn anew: the cell and its edge.
    #[must_use]
    pub fn dirty(&self, cpu: Cpu) -> Rect {
        self.cells.get(usize::from(cpu)).map_or_else(Rect::default, |cell| cell.inset(-1.0))
    }

    /// Font size of captions.
    #[must_use]
    pub fn small(&self) -> f32 {
        if self.present { 20.0 } else { 12.0 }
    }
}

/// The best arrangement. Where none fits the room, the picture gets higher and is scrolled.
fn best(plan: &Plan, room: Room) -> Choice {
    let candidates = candidates(plan);
    let mut room = room;
    loop {
        let mut best: Option<Choice> = None;
        for &columns in &candidates {
            let choice = Detail::ALL.iter().find_map(|&detail| fit(plan, room, columns, detail));
            let better =
                |choice: &Choice| best.as_ref().is_none_or(|best| choice.score > best.score);
            if let Some(choice) = choice.filter(better) {
                best = Some(choice);
            }
        }
        if let Some(best) = best {
            return best;
        }
        room.height = (1.4 * room.height).max(100.0);
        room.width = room.width.max(120.0);
        if room.height > 100_000.0 {
            room.width *= 2.0;
        }
    }
}

/// Arrangements worth measuring.
fn candidates(plan: &Plan) -> Vec<Columns> {
    let unit = plan.cluster.unwrap_or(1);
    let group = if plan.paired { 2 } else { 1 };
    let mut all = Vec::new();
    for cores in splits(plan.cores, unit, 8) {
        for llcs in splits(plan.llcs, group, 16) {
            for nodes in splits(plan.nodes, 1, 8) {
                for packages in splits(plan.packages.len(), 1, 4) {
                    all.push(Columns { cores, llcs, nodes, packages });
                }
            }
        }
    }
    all
}

/// Ways to break `n` things into up to `lines` lines of equal length, in multiples of `unit`.
fn splits(n: usize, unit: usize, lines: usize) -> Vec<usize> {
    let mut ways: Vec<usize> =
        (1..=lines.min(n)).map(|lines| n.div_ceil(lines).next_multiple_of(unit).min(n)).collect();
    ways.dedup();
    ways
}

/// The arrangement at a detail, if its cells come out large enough for it.
fn fit(plan: &Plan, room: Room, columns: Columns, detail: Detail) -> Option<Choice> {
    let metrics = Metrics::new(detail, plan.flat(), room.present);
    let ((fixed_w, across), (fixed_h, down)) = measure(plan, metrics, columns);
    let least = detail.least(room.present);
    let greatest = detail.greatest(room.present, room.depth);
    let w = ((room.width - fixed_w) / across as f32).min(greatest.0);
    let h = ((room.height - fixed_h) / down as f32).min(greatest.1);
    if w < least.0 || h < least.1 {
        return None;
    }
    let aspect = detail.aspect();
    let (w, h) = (w.min(h * aspect.0), h.min(w * aspect.1));
    let score = score(plan, room, columns, detail, (w, h));
    Some(Choice { columns, detail, cell: (w, h), score })
}

/// How good it is to read: size and detail, less what breaks the order of the CPU numbers.
fn score(plan: &Plan, room: Room, columns: Columns, detail: Detail, (w, h): (f32, f32)) -> f32 {
    let size = w.min(h).min(64.0) + 0.15 * w.max(h).min(120.0);
    let bonus = match detail {
        Detail::Queue => 40.0,
        Detail::Card => 26.0,
        Detail::Task => 10.0,
        Detail::Cell => 0.0,
        Detail::Mass => -10.0,
    };
    let broken = |n: usize, columns: usize, lines: f32, ragged: f32| {
        let count = n.div_ceil(columns);
        let uneven = if n.is_multiple_of(columns) { 0.0 } else { ragged };
        (count - 1) as f32 * lines + uneven
    };
    let cores = broken(plan.cores, columns.cores, 8.0, 10.0)
        + if columns.cores < plan.cores { 16.0 } else { 0.0 };
    let llcs = if plan.flat() {
        let half = plan.half.unwrap_or(plan.llcs);
        broken(plan.llcs, columns.llcs, 4.0, 24.0)
            + if columns.llcs.is_multiple_of(half) { 0.0 } else { 6.0 }
    } else {
        broken(plan.llcs, columns.llcs, 0.5, 24.0)
    };
    let nodes = broken(plan.nodes, columns.nodes, 1.0, 24.0);
    let packages = 3.0 * (columns.packages - 1) as f32;
    let fingers = if room.coarse && w < 40.0 { 24.0 } else { 0.0 };
    size + bonus - cores - llcs - nodes - packages - fingers
}

/// Fixed length and number of cells, across and down.
fn measure(plan: &Plan, m: Metrics, c: Columns) -> ((f32, usize), (f32, usize)) {
    let lines = |n: usize, columns: usize| n.div_ceil(columns);
    let gap = |n: usize, d: f32| n.saturating_sub(1) as f32 * d;
    // An LLC.
    let clusters = plan.cluster.map_or(0, |size| c.cores.div_ceil(size) - 1);
    let w = 2.0 * m.pad + gap(c.cores, m.core) + clusters as f32 * m.cluster;
    let core_lines = lines(plan.cores, c.cores);
    let h = 2.0 * m.pad
        + m.header
        + gap(core_lines, m.line)
        + core_lines as f32 * gap(plan.threads, m.thread);
    // A node.
    let w = c.llcs as f32 * w + (1..c.llcs).map(|i| llc_gap(plan, m, i)).sum::<f32>();
    let rows = lines(plan.llcs, c.llcs);
    let h =
        rows as f32 * h + gap(rows, m.llc.1) + if labelled_nodes(plan, m) { m.label } else { 0.0 };
    // A package.
    let w = c.nodes as f32 * w + gap(c.nodes, m.node.0);
    let node_rows = lines(plan.nodes, c.nodes);
    let h = node_rows as f32 * h
        + gap(node_rows, m.node.1)
        + if labelled_packages(plan) { m.label } else { 0.0 };
    // All.
    let w = c.packages as f32 * w + gap(c.packages, m.package.0);
    let package_rows = lines(plan.packages.len(), c.packages);
    let h = package_rows as f32 * h + gap(package_rows, m.package.1);
    let across = c.cores * c.llcs * c.nodes * c.packages;
    let down = core_lines * plan.threads * rows * node_rows * package_rows;
    ((w + 2.0 * m.edge, across), (h + 2.0 * m.edge, down))
}

/// Between LLC `i − 1` and `i` of a row of a node.
fn llc_gap(plan: &Plan, m: Metrics, i: usize) -> f32 {
    if plan.half.is_some_and(|half| i.is_multiple_of(half)) {
        m.half
    } else if plan.paired && !i.is_multiple_of(2) {
        m.pair
    } else {
        m.llc.0
    }
}

/// Nodes have labels where there are several, or a package has one of its own; but a node that is
/// one LLC shares the LLC's heading, if that has any.
fn labelled_nodes(plan: &Plan, m: Metrics) -> bool {
    let several = plan.nodes > 1 || plan.packages.len() > 1;
    several && !(plan.llcs == 1 && m.header > 0.0)
}

/// Packages have labels where there are several, each of several nodes.
fn labelled_packages(plan: &Plan) -> bool {
    plan.packages.len() > 1 && plan.nodes > 1
}

/// Walks the tree and notes where things are.
struct Placer<'a> {
    plan: &'a Plan,
    metrics: Metrics,
    columns: Columns,
    cell: (f32, f32),
    geometry: MachineGeometry,
}

impl Placer<'_> {
    fn machine(&mut self) {
        let plan = self.plan;
        let edge = self.metrics.edge;
        let (mut x, mut y) = (edge, edge);
        let mut bottom = y;
        for (i, package) in plan.packages.iter().enumerate() {
            if i > 0 && i.is_multiple_of(self.columns.packages) {
                (x, y) = (edge, bottom + self.metrics.package.1);
            }
            let label = labelled_packages(plan);
            let at = if label { y + self.metrics.label } else { y };
            let (right, low) = self.package(package, x, at);
            if label {
                let cpus = cpus_of(package.nodes.iter());
                let rect = Rect::new(x, y, right - x, self.metrics.label);
                let what = Labelled::Package(package.id);
                self.geometry.labels.push(Label { rect, what, cpus });
            }
            x = right + self.metrics.package.0;
            bottom = bottom.max(low);
        }
        self.geometry.height = bottom + edge;
    }

    fn package(&mut self, package: &super::plan::Package, x0: f32, y0: f32) -> (f32, f32) {
        let (mut x, mut y) = (x0, y0);
        let (mut right, mut bottom) = (x, y);
        for (i, node) in package.nodes.iter().enumerate() {
            if i > 0 && i.is_multiple_of(self.columns.nodes) {
                (x, y) = (x0, bottom + self.metrics.node.1);
            }
            let label = labelled_nodes(self.plan, self.metrics);
            let at = if label { y + self.metrics.label } else { y };
            let (node_right, low) = self.node(node, x, at);
            if label {
                let what = if labelled_packages(self.plan) || self.plan.packages.len() == 1 {
                    Labelled::Node(node.id)
                } else {
                    Labelled::Both(node.id, package.id)
                };
                let cpus = cpus_of(core::iter::once(node));
                let rect = Rect::new(x, y, node_right - x, self.metrics.label);
                self.geometry.labels.push(Label { rect, what, cpus });
            }
            right = right.max(node_right);
            bottom = bottom.max(low);
            x = node_right + self.metrics.node.0;
        }
        (right, bottom)
    }

    fn node(&mut self, node: &Node, x0: f32, y0: f32) -> (f32, f32) {
        let (mut x, mut y) = (x0, y0);
        let (mut right, mut bottom) = (x, y);
        for (i, llc) in node.llcs.iter().enumerate() {
            let column = i % self.columns.llcs;
            if i > 0 && column == 0 {
                (x, y) = (x0, bottom + self.metrics.llc.1);
            } else if i > 0 {
                x = right_of(&self.geometry, &node.llcs[i - 1])
                    + llc_gap(self.plan, self.metrics, column);
            }
            let rect = self.llc(llc, x, y);
            right = right.max(rect.right());
            bottom = bottom.max(rect.bottom());
        }
        if self.plan.paired {
            for pair in node.llcs.chunks_exact(2) {
                let (a, b) = (self.box_of(&pair[0]), self.box_of(&pair[1]));
                self.geometry.cores.push(Rect::new(a.x, a.y, b.right() - a.x, a.h).inset(-1.0));
            }
        }
        (right, bottom)
    }

    fn llc(&mut self, llc: &Llc, x: f32, y: f32) -> Rect {
        let m = self.metrics;
        let (w, h) = self.cell;
        let (left, top) = (x + m.pad, y + m.pad + m.header);
        let (mut right, mut bottom) = (left, top);
        let mut cluster: Option<(Option<u16>, Rect)> = None;
        let mut cx = left;
        let mut cy = top;
        for (i, core) in llc.cores.iter().enumerate() {
            let column = i % self.columns.cores;
            if i > 0 && column == 0 {
                cx = left;
                cy = bottom + m.line;
            } else if i > 0 {
                cx += w + m.core;
                if self.plan.cluster.is_some_and(|size| i.is_multiple_of(size)) {
                    cx += m.cluster;
                }
            }
            let mut column = Rect::new(cx, cy, w, 0.0);
            for (thread, &cpu) in core.cpus.iter().enumerate() {
                let cell = Rect::new(cx, cy + thread as f32 * (h + m.thread), w, h);
                self.geometry.cells[usize::from(cpu)] = cell;
                column.h = cell.bottom() - cy;
            }
            right = right.max(column.right());
            bottom = bottom.max(column.bottom());
            let detail = self.geometry.detail;
            let several = core.cpus.len() > 1 && !self.plan.paired && detail == Detail::Card;
            if several || detail == Detail::Queue {
                self.geometry.cores.push(column.inset(-2.0));
            }
            if self.plan.cluster.is_some() {
                match &mut cluster {
                    Some((id, rect)) if *id == core.cluster && rect.y == column.y => {
                        rect.w = column.right() - rect.x;
                    }
                    _ => {
                        if let Some((_, rect)) = cluster.replace((core.cluster, column)) {
                            self.geometry.clusters.push(rect.inset(-2.0));
                        }
                    }
                }
            }
        }
        if let Some((_, rect)) = cluster {
            self.geometry.clusters.push(rect.inset(-2.0));
        }
        let rect = Rect::new(x, y, right - x + m.pad, bottom - y + m.pad);
        if let Some(place) = self.geometry.llcs.get_mut(usize::from(llc.id)) {
            *place = rect;
        }
        rect
    }

    fn box_of(&self, llc: &Llc) -> Rect {
        self.geometry.llcs[usize::from(llc.id)]
    }
}

fn right_of(geometry: &MachineGeometry, llc: &Llc) -> f32 {
    geometry.llcs[usize::from(llc.id)].right()
}

fn cpus_of<'a>(nodes: impl Iterator<Item = &'a Node>) -> Vec<Cpu> {
    let mut cpus: Vec<Cpu> = nodes
        .flat_map(|node| &node.llcs)
        .flat_map(|llc| &llc.cores)
        .flat_map(|core| core.cpus.iter().copied())
        .collect();
    schedscope_sim::order::sort(&mut cpus);
    cpus
}
