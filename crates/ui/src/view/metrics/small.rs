//! The small multiples of the metrics: the lag of each row over time, and of each LLC the busy time
//! by clock.

use super::Line;
use super::table::{mean_khz, sum};
use crate::format;
use crate::geometry::{Point, Rect};
use crate::scene::{Ink, Target};
use crate::view::Roster;
use crate::view::pen::{Pen, TaskInk, plain, shortened, stroke};
use schedscope_session::update::{Metrics, RowMetrics};

/// The column of lags: one scale for all rows.
pub(super) struct Lags {
    pub(super) left: f32,
    right: f32,
    upto: u64,
    /// What reaches the edge of a row, ns.
    most: u64,
}

impl Lags {
    /// The column, if there is a lag to show and room for it right in the plot.
    pub(super) fn of(rows: &[Line], upto: u64, left: f32, right: f32, font: f32) -> Option<Lags> {
        let lags = rows.iter().flat_map(|line| &line.row.lag);
        let ends = lags.flat_map(|(_, least, most)| [least.unsigned_abs(), most.unsigned_abs()]);
        let most = ends.max().filter(|most| *most > 0)?;
        let room = right - left;
        (room >= font * 20.0).then_some(Lags {
            left: right - room * 0.4,
            right,
            upto: upto.max(1),
            most,
        })
    }

    pub(super) fn title(&self, pen: &mut Pen, y: f32, font: f32) {
        let most = format::duration(self.most);
        for words in [format!("lag over time, ± {most}"), format!("lag, ± {most}"), "lag".into()]
        {
            let style = plain(font, Ink::TextFaint);
            if pen.text_if_fits("metrics/title/lag", (self.left, self.right), y, &words, style) {
                break;
            }
        }
    }

    /// A row: a line where its tasks have one lag, a band where they differ.
    pub(super) fn row(
        &self,
        pen: &mut Pen,
        key: &str,
        row: &RowMetrics,
        ink: TaskInk,
        (y, pitch): (f32, f32),
    ) {
        let middle = y + pitch / 2.0;
        let half = pitch / 2.0 - 3.0;
        pen.level(format!("{key}/lag/0"), self.left, self.right, middle, stroke(Ink::Line, 1.0));
        let x = |at: u64| {
            self.left + (self.right - self.left) * (at as f64 / self.upto as f64).min(1.0) as f32
        };
        // Below the line it owes, above it is owed.
        let height = |lag: i64| middle - half * (lag as f64 / self.most as f64) as f32;
        let edge = if ink.muted { Ink::TextFaint } else { ink.edge };
        let mut gaps: Vec<u64> = row.lag.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
        gaps.sort_unstable();
        let usual = gaps.get(gaps.len() / 2).copied().unwrap_or(0).max(1);
        let stretches = row.lag.chunk_by(|a, b| b.0 - a.0 <= 4 * usual);
        for (i, stretch) in stretches.enumerate() {
            let upper = stretch.iter().map(|(at, _, most)| Point::new(x(*at), height(*most)));
            let mut points: Vec<Point> = upper.collect();
            if stretch.iter().any(|(_, least, most)| least != most) {
                let lower = stretch.iter().rev();
                points.extend(lower.map(|(at, least, _)| Point::new(x(*at), height(*least))));
                pen.faded(0.5, |pen| {
                    pen.polygon(format!("{key}/lag/band/{i}"), points.clone(), edge, None);
                });
            } else if points.len() > 1 {
                pen.path(format!("{key}/lag/line/{i}"), points, stroke(edge, 1.25));
            } else {
                pen.circle(format!("{key}/lag/dot/{i}"), points[0], 1.0, edge, None);
            }
        }
    }
}

/// At most so many panels.
const PANELS: usize = 16;

/// Busy time by clock, a panel an LLC, or a few LLCs.
pub(super) struct Clocks {
    pub(super) height: f32,
    font: f32,
    columns: usize,
    /// Width and height of a panel.
    size: (f32, f32),
    panels: Vec<Panel>,
    title: String,
}

struct Panel {
    llc: u16,
    name: String,
    spoken: String,
    clock: String,
    /// Of the busy time, at each tenth of the highest clock.
    shares: Vec<f32>,
}

impl Clocks {
    /// The panels, if clocks vary and something ran.
    pub(super) fn of(metrics: &Metrics, roster: &Roster, width: f32, font: f32) -> Option<Clocks> {
        let machine = &roster.loaded.machine;
        if !metrics.clocks_vary || metrics.cpus.iter().all(|cpu| cpu.busy == 0) {
            return None;
        }
        let per = machine.llcs.len().div_ceil(PANELS).max(1);
        let panel = |(i, llcs): (usize, &[Vec<u16>])| {
            let cpus = || llcs.iter().flatten().filter_map(|c| metrics.cpus.get(usize::from(*c)));
            let sum = sum(cpus());
            let llc = i * per;
            let first = machine.llc_names.get(llc).cloned().unwrap_or_else(|| format!("LLC {llc}"));
            let last = llc + llcs.len() - 1;
            let name = if last == llc { first } else { format!("{first}–{last}") };
            let clock = mean_khz(&sum, metrics.top_khz);
            let clock =
                clock.map_or_else(|| "idle".into(), |khz| format!("{} GHz", format::ghz(khz)));
            let there_was = u128::from(metrics.upto) * cpus().count().max(1) as u128;
            let busy = (u128::from(sum.busy) * 10_000).checked_div(there_was).unwrap_or(0);
            let spoken = format!(
                "{name}: busy {} of the time, clock on average {clock}",
                format::percent(busy as u32)
            );
            let whole = sum.busy.max(1) as f32;
            let shares = sum.residency.iter().map(|ns| *ns as f32 / whole).collect();
            Panel { llc: llc as u16, name, spoken, clock, shares }
        };
        let panels: Vec<Panel> = machine.llcs.chunks(per).enumerate().map(panel).collect();
        let columns = ((width / (font * 11.0)).floor() as usize).clamp(1, panels.len());
        let size = (width / columns as f32, font * 4.4);
        let rows = panels.len().div_ceil(columns);
        let top = format::ghz(metrics.top_khz);
        let title = format!("busy time by clock, 0 to {top} GHz");
        let height = font * 2.4 + size.1 * rows as f32;
        Some(Clocks { height, font, columns, size, panels, title })
    }

    /// Draws the panels of a run; its kernel's name is said if there are two.
    pub(super) fn draw(&self, pen: &mut Pen, top: f32, run: usize, kernel: &str) {
        let (font, (width, height)) = (self.font, self.size);
        let faint = plain(font, Ink::TextFaint);
        let room = (0.0, width * self.columns as f32);
        let base = ["metrics/clock", "metrics/second"][run].to_string();
        let comma = if kernel.is_empty() { "" } else { ": " };
        let title = format!("{kernel}{comma}{}", self.title);
        pen.text_if_fits(base.clone(), room, top + font * 0.9, &title, faint);
        for (i, panel) in self.panels.iter().enumerate() {
            let (x, y) = ((i % self.columns) as f32 * width, (i / self.columns) as f32 * height);
            let y = top + font * 2.0 + y;
            let right = x + width - font;
            let key = format!("{base}/{i}");
            let words = format!("{}, {}", panel.name, panel.clock);
            let words = shortened(&words, faint, right - x);
            pen.text(format!("{key}/name"), x, y + font * 0.6, words, faint);
            let (base, full) = (y + font * 3.6, font * 2.1);
            let step = (right - x) / panel.shares.len().max(1) as f32;
            for (part, share) in panel.shares.iter().enumerate().filter(|(_, share)| **share > 0.0)
            {
                let tall = (full * share).max(1.0);
                let at = x + part as f32 * step;
                let bar = Rect::new(at, base - tall, (step - 1.0).max(1.0), tall);
                pen.fill(format!("{key}/{part}"), bar, Ink::BusyEdge);
            }
            pen.level(format!("{key}/axis"), x, right, base, stroke(Ink::Axis, 1.0));
            let hit = Rect::new(x, y, right - x, font * 3.8);
            pen.hit(hit, Target::Llc(panel.llc), panel.spoken.clone());
        }
    }
}
