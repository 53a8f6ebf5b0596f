//! How much detail a cell has room for, and the distances that go with it.

/// What a cell shows, by its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// A colour; the busy share is printed per LLC.
    Mass,
    /// A colour, and ticks for what waits.
    Cell,
    /// The letter of what runs, and ticks.
    Task,
    /// CPU number, label, and what waits as small chips.
    Card,
    /// CPU number, a block with the label, the queue below it, the clock.
    Queue,
}

impl Detail {
    /// All, the richest first.
    pub(crate) const ALL: [Detail; 5] =
        [Detail::Queue, Detail::Card, Detail::Task, Detail::Cell, Detail::Mass];

    /// The smallest cell that has this much detail.
    pub(crate) fn least(self, present: bool) -> (f32, f32) {
        let text = if present { 20.0 / 12.0 } else { 1.0 };
        let (w, h) = match self {
            Detail::Queue => (34.0, 84.0),
            Detail::Card => (27.0, 34.0),
            Detail::Task => (22.0, 22.0),
            Detail::Cell => return (10.0, 8.0),
            Detail::Mass => return (1.5, 1.5),
        };
        (w * text, h * text)
    }

    /// The largest cell that is drawn, where `depth` tasks may wait.
    pub(crate) fn greatest(self, present: bool, depth: usize) -> (f32, f32) {
        match self {
            Detail::Queue => {
                let cell = QueueCell::new(present);
                let room = cell.top + cell.block.1 + 8.0 + depth as f32 * cell.pitch();
                (if present { 300.0 } else { 180.0 }, room.max(self.least(present).1))
            }
            Detail::Card if present => (300.0, 130.0),
            Detail::Card => (180.0, 72.0),
            Detail::Task => (64.0, 44.0),
            Detail::Cell if present => (46.0, 36.0),
            Detail::Cell => (28.0, 22.0),
            Detail::Mass => (14.0, 10.0),
        }
    }

    /// How much wider than high, and higher than wide, a cell may be.
    pub(crate) fn aspect(self) -> (f32, f32) {
        match self {
            Detail::Queue | Detail::Card => (f32::INFINITY, f32::INFINITY),
            Detail::Task => (2.0, 1.4),
            Detail::Cell => (1.6, 1.15),
            Detail::Mass => (2.5, 1.3),
        }
    }
}

/// The parts of a cell at [`Detail::Queue`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct QueueCell {
    /// From the top of the cell to the block: room for the CPU number.
    pub(crate) top: f32,
    /// Least and greatest height of the block.
    pub(crate) block: (f32, f32),
    /// Height of a waiting task's chip.
    pub(crate) chip: f32,
}

impl QueueCell {
    pub(crate) fn new(present: bool) -> QueueCell {
        if present {
            QueueCell { top: 30.0, block: (52.0, 64.0), chip: 24.0 }
        } else {
            QueueCell { top: 20.0, block: (34.0, 42.0), chip: 16.0 }
        }
    }

    /// From one chip to the next.
    pub(crate) fn pitch(self) -> f32 {
        self.chip + 2.0
    }
}

/// Distances at a detail, px.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Metrics {
    /// Room at the picture's edges for outlines that run outside their cells.
    pub(crate) edge: f32,
    /// Between the edge of an LLC's box and its cells.
    pub(crate) pad: f32,
    /// The LLC's heading, above its cells.
    pub(crate) header: f32,
    /// Between cores side by side.
    pub(crate) core: f32,
    /// More between clusters.
    pub(crate) cluster: f32,
    /// Between the threads of a core.
    pub(crate) thread: f32,
    /// Between lines of cores, where they are wrapped.
    pub(crate) line: f32,
    /// Between LLCs, across and down.
    pub(crate) llc: (f32, f32),
    /// Between the halves of a big core.
    pub(crate) pair: f32,
    /// Between the halves of a node.
    pub(crate) half: f32,
    /// Between nodes, across and down.
    pub(crate) node: (f32, f32),
    /// Between packages, across and down.
    pub(crate) package: (f32, f32),
    /// A node's or package's label.
    pub(crate) label: f32,
}

impl Metrics {
    pub(crate) fn new(detail: Detail, flat: bool, present: bool) -> Metrics {
        let base = match detail {
            Detail::Queue => Metrics {
                edge: 3.0,
                pad: 10.0,
                header: 18.0,
                core: 8.0,
                cluster: 8.0,
                thread: 8.0,
                line: 16.0,
                llc: (16.0, 14.0),
                pair: 4.0,
                half: 20.0,
                node: (24.0, 14.0),
                package: (32.0, 18.0),
                label: 22.0,
            },
            Detail::Card => Metrics {
                edge: 3.0,
                pad: 8.0,
                header: 18.0,
                core: 6.0,
                cluster: 6.0,
                thread: 3.0,
                line: 9.0,
                llc: (12.0, 10.0),
                pair: 3.0,
                half: 16.0,
                node: (20.0, 10.0),
                package: (28.0, 14.0),
                label: 20.0,
            },
            Detail::Task => Metrics {
                edge: 3.0,
                pad: 4.0,
                header: 0.0,
                core: 4.0,
                cluster: 5.0,
                thread: 2.0,
                line: 7.0,
                llc: (8.0, 8.0),
                pair: 2.0,
                half: 14.0,
                node: (16.0, 8.0),
                package: (24.0, 10.0),
                label: 20.0,
            },
            Detail::Cell => Metrics {
                edge: 3.0,
                pad: 3.0,
                header: 0.0,
                core: 2.0,
                cluster: 4.0,
                thread: 1.5,
                line: 5.0,
                llc: (9.0, 5.0),
                pair: 1.5,
                half: 14.0,
                node: (14.0, 6.0),
                package: (22.0, 8.0),
                label: 20.0,
            },
            Detail::Mass => Metrics {
                edge: 3.0,
                pad: 2.0,
                header: 0.0,
                core: 1.0,
                cluster: 2.0,
                thread: 1.0,
                line: 3.0,
                llc: (5.0, 4.0),
                pair: 1.0,
                half: 8.0,
                node: (10.0, 4.0),
                package: (16.0, 6.0),
                label: 18.0,
            },
        };
        // LLCs that are single cores stand as close as cores do, and have no heading of their own.
        let base = if flat && detail <= Detail::Card {
            let close = if detail == Detail::Card { 6.0 } else { 2.0 * base.core };
            Metrics { pad: 1.0, header: 0.0, llc: (close, base.line), ..base }
        } else {
            base
        };
        if present {
            let header = if base.header > 0.0 { 28.0 } else { 0.0 };
            Metrics { edge: 6.0, header, label: 30.0, ..base }
        } else {
            base
        }
    }
}
