//! The visible bars as a table, for screen readers.

use super::Timeline;
use crate::format;

/// One bar in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// "CPU 2".
    pub cpu: String,
    /// The task's name.
    pub task: String,
    /// From, ms.
    pub from: String,
    /// To, ms.
    pub to: String,
    /// Length with its unit.
    pub length: String,
    /// The clock in GHz, on average; nothing where it always is the highest.
    pub clock: String,
    /// "preempted", "several tasks", or nothing.
    pub note: String,
}

/// Titles of the table's columns.
pub const SEGMENT_TITLES: [&str; 7] =
    ["CPU", "task", "from, ms", "to, ms", "length", "clock", "ends"];

impl Segment {
    /// Its cells, in the order of [`SEGMENT_TITLES`].
    #[must_use]
    pub fn cells(&self) -> [&str; 7] {
        [&self.cpu, &self.task, &self.from, &self.to, &self.length, &self.clock, &self.note]
    }
}

/// The bars in view, by CPU and time, at most `most` of them.
#[must_use]
pub fn segments(timeline: &Timeline, most: usize) -> Vec<Segment> {
    let stretch = timeline.scale().stretch;
    let lanes = timeline.plan.lanes.iter();
    let lanes =
        lanes.filter_map(|row| timeline.window.lanes.iter().find(|lane| lane.cpu == row.cpu));
    let bars = lanes.flat_map(|lane| lane.bars.iter().map(move |bar| (lane, bar)));
    let seen = bars.filter(|(_, bar)| {
        let hidden = timeline.hide_after.is_some_and(|end| bar.from >= end);
        !hidden && bar.from < stretch.to && bar.to > stretch.from
    });
    let rows = seen.take(most).map(|(lane, bar)| {
        let to = timeline.hide_after.map_or(bar.to, |end| bar.to.min(end));
        Segment {
            cpu: format!("CPU {}", lane.cpu),
            task: timeline.name(bar.task),
            from: format::absolute(bar.from),
            to: format::absolute(to),
            length: format::duration(to - bar.from),
            clock: match lane.clock.is_empty() {
                true => String::new(),
                false => format!("{} GHz", format::ghz(bar.khz)),
            },
            note: match (bar.merged, bar.preempted && to == bar.to) {
                (true, _) => "several tasks".to_string(),
                (false, true) => "preempted".to_string(),
                _ => String::new(),
            },
        }
    });
    rows.collect()
}
