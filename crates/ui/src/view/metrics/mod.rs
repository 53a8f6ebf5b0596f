//! Metrics: every wakeup latency as a dot on a log axis, row by row, with what can be said of
//! them in numbers; beside it the lag over time, below it the clocks of busy CPUs by LLC. A
//! percentile is only printed with enough samples behind it.

mod small;
mod table;

pub use table::{
    COMPARED, Compared, MACHINE_TITLES, MetricsRow, TITLES, compare, machine_table, table,
};

use super::pen::{
    ChipForm, Pen, TaskInk, chip, chip_width_from, number, plain, shortened, stroke, width,
};
use super::{Look, Roster};
use crate::format;
use crate::geometry::{Point, Rect};
use crate::scene::{Anchor, Ink, Scene, Target};
use schedscope_session::update::{Metrics, RowMetrics, RowView};

/// Samples it takes before p99 is printed.
pub const SAMPLES_P99: usize = 100;
/// Samples it takes before p99.9 is printed.
pub const SAMPLES_P999: usize = 1000;
/// At most so many dots a row are drawn.
const DOTS: usize = 400;

/// A column of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Ran,
    Wakeups,
    Median,
    P99,
    Max,
}

impl Column {
    fn title(self) -> &'static str {
        match self {
            Column::Ran => "CPU time",
            Column::Wakeups => "wakeups",
            Column::Median => "p50",
            Column::P99 => "p99",
            Column::Max => "max",
        }
    }

    fn value(self, row: &RowMetrics) -> String {
        match self {
            Column::Ran => length(row.ran),
            Column::Wakeups => format::count(row.wakeups),
            Column::Median => median(row).map(length).unwrap_or_default(),
            Column::P99 => percentile(row, 9900).map(format::duration).unwrap_or_default(),
            Column::Max => maximum(row).map(length).unwrap_or_default(),
        }
    }
}

/// A percentile (parts of 10 000) if there are enough samples for it.
#[must_use]
pub fn percentile(row: &RowMetrics, parts: u32) -> Option<u64> {
    let needed = match parts {
        0..=5000 => 1,
        5001..=9900 => SAMPLES_P99,
        _ => SAMPLES_P999,
    };
    let enough = row.wakeups as usize >= needed && row.samples.len() >= needed.min(SAMPLES_P99);
    row.latency.iter().find(|(p, _)| *p == parts && enough).map(|(_, ns)| *ns)
}

/// The maximum: as told, or of the samples.
fn maximum(row: &RowMetrics) -> Option<u64> {
    let told = row.latency.iter().find(|(parts, _)| *parts == 10_000).map(|(_, ns)| *ns);
    told.or_else(|| row.samples.iter().max().copied())
}

/// The median: as told, or of the samples.
fn median(row: &RowMetrics) -> Option<u64> {
    percentile(row, 5000).or_else(|| {
        let mut samples = row.samples.clone();
        samples.sort_unstable();
        samples.get(samples.len() / 2).copied()
    })
}

/// The log axis: whole decades around what there is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Decades {
    low: u32,
    high: u32,
    /// Something lies below the axis and is drawn at its left end.
    below: bool,
    left: f32,
    right: f32,
}

impl Decades {
    fn of(rows: &[Line], left: f32, right: f32) -> Decades {
        let samples = || rows.iter().flat_map(|line| line.row.samples.iter());
        let least = samples().min().copied().unwrap_or(1_000).max(100);
        let most = samples().max().copied().unwrap_or(10_000_000).max(least);
        let low = least.ilog10().min(6);
        let high = (most.ilog10() + 1).max(low + 2);
        let below = samples().any(|ns| *ns < 10u64.pow(low));
        Decades { low, high, below, left, right }
    }

    fn x(&self, ns: u64) -> f32 {
        let share =
            ((ns.max(1) as f64).log10() - f64::from(self.low)) / f64::from(self.high - self.low);
        self.left + share.clamp(0.0, 1.0) as f32 * (self.right - self.left)
    }
}

/// A line of the picture: a row of the task list in one of the runs.
#[derive(Clone, Copy)]
struct Line<'a> {
    row: &'a RowMetrics,
    view: &'a RowView,
    /// Which run it is of: the first, or below it the second.
    run: usize,
}

/// Another run's figures beside the first's.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// Its figures.
    pub metrics: &'a Metrics,
    /// The names of both kernels.
    pub kernels: [&'a str; 2],
}

/// Draws the strip plots and the counters below them.
#[must_use]
pub fn layout(metrics: &Metrics, roster: &Roster, look: &Look) -> Scene {
    layout_pair(metrics, None, roster, look)
}

/// The same of two runs: each row's lines one below the other, on the same axes. Their counters are
/// in the table.
#[must_use]
pub fn layout_pair(metrics: &Metrics, beside: Option<Pair>, roster: &Roster, look: &Look) -> Scene {
    let second = beside.map(|pair| pair.metrics);
    let rows: Vec<Line> = lines(metrics, second, roster);
    if rows.is_empty() {
        return empty(look);
    }
    let font = if look.present { 20.0 } else { 12.0 };
    let name_font = if look.present { 22.0 } else { 14.0 };
    let unit = font / 12.0;
    let head = 24.0 * unit;
    let axis = 22.0 * unit;
    let counters = if second.is_some() { 0.0 } else { 48.0 * unit };
    let room = look.height - head - axis - counters;
    let least = if look.coarse { 32.0 } else { 24.0 } * unit;
    // Above a table the picture is as high as it has to be.
    let most = if second.is_some() { least } else { 40.0 * unit };
    let pitch = (room / rows.len() as f32).floor().clamp(least, most);
    let bottom = head + pitch * rows.len() as f32;
    let chip_side = (pitch - 6.0).min(20.0 * unit);
    let chips = rows.iter().map(|line| chip_width_from(&line.view.letter, chip_side, font));
    let chips = chips.fold(chip_side, f32::max);
    let names = look.width >= 480.0 * unit;
    let left = if names { chips + 10.0 + 96.0 * unit } else { chips + 14.0 };
    let columns = columns(&rows, look, font, left);
    let both = [Some(metrics), second].into_iter().flatten().enumerate();
    let clocks = |(run, m)| Some((run, small::Clocks::of(m, roster, look.width, font)?));
    let clocks: Vec<(usize, small::Clocks)> = both.filter_map(clocks).collect();
    let below: f32 = clocks.iter().map(|(_, clocks)| clocks.height).sum();
    let height = bottom + axis + counters + below;
    let mut pen = Pen::new(look.width, height).floor(font);
    let mut plot_right = columns.first().map_or(look.width - 8.0, |(_, _, start)| start - 14.0);
    let lags = small::Lags::of(&rows, metrics.upto, left, plot_right, font);
    if let Some(lags) = &lags {
        plot_right = lags.left - 14.0;
        lags.title(&mut pen, head - font * 0.5 - 6.0, font);
    }
    let scale = Decades::of(&rows, left, plot_right);
    header(&mut pen, font, left, plot_right, head, &columns, names.then_some(beside.is_some()));
    grid(&mut pen, &scale, head, bottom, font);
    for (i, Line { row, view, run }) in rows.iter().copied().enumerate() {
        let y = head + i as f32 * pitch;
        let cy = y + pitch / 2.0;
        let key = format!("metrics/{i}");
        let lit = look.hover.is_some() && look.hover == row.row;
        if lit {
            let band = Rect::new(0.0, y + 1.0, look.width, pitch - 1.0);
            pen.fill(format!("{key}/band"), band, Ink::Sunken);
        }
        if run == 0 {
            pen.level(format!("{key}/line"), 0.0, look.width, y, stroke(Ink::Line, 1.0));
        }
        let ink = TaskInk::of_row(view);
        let rect = Rect::new(0.0, cy - chip_side / 2.0, chips, chip_side);
        chip(&mut pen, &format!("{key}/chip"), rect, &view.letter, ink, ChipForm::Solid);
        let kernel = beside.map_or("", |pair| pair.kernels[run]);
        if names {
            let style = match beside {
                Some(_) => plain(font, Ink::TextSoft),
                None => plain(name_font, Ink::Text),
            };
            let start = chips + 8.0;
            let name = if beside.is_some() { kernel } else { &view.name };
            let name = shortened(name, style, left - start - 8.0);
            pen.text(format!("{key}/name"), start, cy, name, style);
        }
        if row.samples.is_empty() {
            let style = plain(font, Ink::TextFaint);
            let room = (left, plot_right);
            pen.text_if_fits(format!("{key}/silent"), room, cy, "has not woken", style);
        }
        strip(&mut pen, &key, row, ink, &scale, (y, pitch), unit);
        if let Some(lags) = &lags {
            lags.row(&mut pen, &key, row, ink, (y, pitch));
        }
        for (column, right, _) in &columns {
            let key = format!("{key}/{}", column.title());
            let style = number(font, Ink::Text);
            pen.text(key, *right, cy, column.value(row), style);
        }
        let hit = Rect::new(0.0, y, look.width, pitch);
        let named = Target::Task(first_task(roster, row.row.unwrap_or(0)));
        let spoken = spoken(view, row);
        let label = if kernel.is_empty() { spoken } else { format!("{kernel}, {spoken}") };
        pen.hit(hit, named, label);
    }
    let mut y = bottom + axis + counters;
    if beside.is_none() {
        counters_lines(&mut pen, metrics, bottom + axis + 14.0 * unit, font, look.width);
    }
    for (run, clocks) in &clocks {
        clocks.draw(&mut pen, y, *run, beside.map_or("", |pair| pair.kernels[*run]));
        y += clocks.height;
    }
    pen.done()
}

/// What can be shown: rows of the task list that woke, or have a lag; in one run or the other.
fn lines<'a>(
    metrics: &'a Metrics,
    second: Option<&'a Metrics>,
    roster: &Roster<'a>,
) -> Vec<Line<'a>> {
    let mut out = Vec::new();
    for (at, view) in roster.loaded.rows.iter().enumerate() {
        let of = |m: &'a Metrics| m.rows.iter().find(|row| row.row == Some(at as u16));
        let both = [Some(metrics), second].map(|m| m.and_then(of));
        if both.iter().flatten().any(|row| !row.samples.is_empty() || !row.lag.is_empty()) {
            let some = both.into_iter().enumerate();
            out.extend(some.filter_map(|(run, row)| Some(Line { row: row?, view, run })));
        }
    }
    out
}

fn first_task(roster: &Roster, row: u16) -> u32 {
    let mut tasks = roster.moment.tasks.iter();
    tasks.position(|task| task.row == row).unwrap_or(0) as u32
}

/// Columns with their right edges and starts, as many as leave room for the plot.
fn columns(rows: &[Line], look: &Look, font: f32, left: f32) -> Vec<(Column, f32, f32)> {
    let any_p99 = rows.iter().any(|line| percentile(line.row, 9900).is_some());
    let all = [Column::Ran, Column::Wakeups, Column::Median, Column::P99, Column::Max];
    let mut wanted: Vec<Column> =
        all.into_iter().filter(|column| *column != Column::P99 || any_p99).collect();
    loop {
        let mut at = look.width;
        let mut placed = Vec::new();
        for column in wanted.iter().rev() {
            let title = width(column.title(), plain(font, Ink::Text));
            let values =
                rows.iter().map(|line| width(&column.value(line.row), number(font, Ink::Text)));
            let size = values.fold(title, f32::max);
            placed.insert(0, (*column, at, at - size));
            at -= size + font * 1.3;
        }
        if at - left >= 150.0 || wanted.is_empty() {
            return placed;
        }
        // wakeups first, then from the right: the CPU time stays longest.
        let wakeups = wanted.iter().position(|column| *column == Column::Wakeups);
        wanted.remove(wakeups.unwrap_or(wanted.len() - 1));
    }
}

fn header(
    pen: &mut Pen,
    font: f32,
    left: f32,
    right: f32,
    head: f32,
    columns: &[(Column, f32, f32)],
    names: Option<bool>,
) {
    let faint = plain(font, Ink::TextFaint);
    let y = head - font * 0.5 - 6.0;
    if let Some(two) = names {
        let title = if two { "task, kernel" } else { "task" };
        pen.text("metrics/title/task", 0.0, y, title, faint);
    }
    for words in
        ["wakeup latency, each dot one wakeup (log scale)", "wakeup latency (log scale)", "latency"]
    {
        if pen.text_if_fits("metrics/title/plot", (left, right), y, words, faint) {
            break;
        }
    }
    for (column, right, _) in columns {
        let title = column.title();
        let style = faint.anchor(Anchor::End);
        pen.text(format!("metrics/title/{title}"), *right, y, title, style);
    }
}

fn grid(pen: &mut Pen, scale: &Decades, head: f32, bottom: f32, font: f32) {
    let y = bottom + font * 0.5 + 6.0;
    let style = number(font, Ink::TextFaint).anchor(Anchor::Middle);
    pen.level("metrics/axis", scale.left, scale.right, bottom, stroke(Ink::Axis, 1.0));
    let mut free = f32::MIN;
    for power in scale.low..=scale.high {
        let ns = 10u64.pow(power);
        let x = scale.x(ns);
        pen.upright(format!("metrics/grid/{power}"), x, head, bottom + 4.0, stroke(Ink::Line, 1.0));
        let first = power == scale.low && scale.below;
        let label = if first { format!("≤ {}", decade(ns)) } else { decade(ns) };
        let half = width(&label, style) / 2.0;
        let x = x.clamp(scale.left - 4.0 + half, scale.right + 4.0 - half);
        if x - half >= free {
            free = x + half + 8.0;
            pen.text(format!("metrics/tick/{power}"), x, y, label, style);
        }
    }
}

/// "1 µs", "10 ms": a power of ten without decimals.
fn decade(ns: u64) -> String {
    let (value, unit) = match ns {
        0..=999 => (ns, "ns"),
        1_000..=999_999 => (ns / 1_000, "µs"),
        1_000_000..=999_999_999 => (ns / 1_000_000, "ms"),
        _ => (ns / 1_000_000_000, "s"),
    };
    format!("{value}{}{unit}", format::NO_BREAK)
}

/// The dots of a row, spread a little so that equal ones can be told apart, and the median.
fn strip(
    pen: &mut Pen,
    key: &str,
    row: &RowMetrics,
    ink: TaskInk,
    scale: &Decades,
    (y, pitch): (f32, f32),
    unit: f32,
) {
    let every = row.samples.len().div_ceil(DOTS).max(1);
    let room = pitch - 10.0 * unit;
    let ink = if ink.muted { Ink::TextFaint } else { ink.edge };
    pen.faded(0.55, |pen| {
        for (i, ns) in row.samples.iter().step_by(every).enumerate() {
            // A low-discrepancy sequence: even, and the same every time.
            let share = (i as f32 * 0.618_034).fract() - 0.5;
            let at = Point::new(scale.x(*ns), y + pitch / 2.0 + share * room);
            pen.circle(format!("{key}/dot/{i}"), at, 2.0 * unit, ink, None);
        }
    });
    if let Some(median) = median(row) {
        let x = scale.x(median);
        let with = stroke(Ink::Text, 2.0 * unit);
        pen.upright(format!("{key}/median"), x, y + 3.0, y + pitch - 3.0, with);
    }
}

fn spoken(view: &RowView, row: &RowMetrics) -> String {
    let wakeups = format::plural(row.wakeups, "wakeup", "wakeups");
    let mut text = format!("{}: CPU time {}, {wakeups}", view.name, length(row.ran));
    if let Some(median) = median(row) {
        text.push_str(&format!(", median latency {}", format::duration(median)));
    }
    for (parts, ns) in row.latency.iter().filter(|(parts, _)| (5001..10_000).contains(parts)) {
        if percentile(row, *parts).is_some() {
            let name = format::percentile(*parts);
            text.push_str(&format!(", {name} {}", format::duration(*ns)));
        }
    }
    if let Some(most) = maximum(row) {
        text.push_str(&format!(", maximum {}", format::duration(most)));
    }
    text
}

/// Counters over the whole run, each a word and a figure.
#[must_use]
pub fn counters(metrics: &Metrics) -> Vec<(&'static str, String)> {
    let all = metrics.rows.iter().find(|row| row.row.is_none());
    let mut counters = vec![
        ("CPU time used", format::percent(metrics.utilisation)),
        ("CPUs used", format::count(u64::from(metrics.cpus_used))),
        ("idle while a movable task waited", length(metrics.idle_while_overloaded)),
    ];
    if let Some(all) = all {
        if metrics.clocks_vary {
            let work = length(per_second(all.work, metrics.upto));
            counters.push(("work a second", work));
        }
        counters.push(("context switches", format::count(all.voluntary + all.involuntary)));
        counters.push(("preempted", format::count(all.involuntary)));
        counters.push(("migrations", format::count(all.migrations.iter().sum())));
    }
    counters
}

/// A length of time, with its unit also if there is none of it.
fn length(ns: u64) -> String {
    if ns == 0 { format!("0{}ms", format::NO_BREAK) } else { format::duration(ns) }
}

/// How much of it there is in a second.
fn per_second(ns: u64, upto: u64) -> u64 {
    (u128::from(ns) * 1_000_000_000 / u128::from(upto.max(1))) as u64
}

fn counters_lines(pen: &mut Pen, metrics: &Metrics, y: f32, font: f32, room: f32) {
    let soft = plain(font, Ink::TextSoft);
    let bold = number(font, Ink::Text).weight(600).anchor(Anchor::Start);
    let (mut x, mut y, bottom) = (0.0, y, y + font * 1.6);
    for (words, value) in counters(metrics) {
        let long = width(words, soft) + 6.0 + width(&value, bold);
        if x + long > room && x > 0.0 {
            (x, y) = (0.0, y + font * 1.6);
        }
        if y > bottom + 1.0 || x + long > room {
            return;
        }
        let start = x + width(words, soft) + 6.0;
        let end = x + long;
        pen.text(format!("metrics/counter/{words}"), x, y, words, soft);
        pen.text(format!("metrics/counter/{words}/value"), start, y, value, bold);
        x = end + font * 1.5;
    }
}

fn empty(look: &Look) -> Scene {
    let size = if look.present { 24.0 } else { 14.0 };
    let mut pen = Pen::new(look.width, look.height.min(size * 10.0));
    let style = plain(size, Ink::TextFaint);
    let y = pen.scene().height / 2.0 - size * 0.75;
    let lines =
        crate::text::wrap("Nothing has run yet. Step on to fill this tab.", style, look.width);
    for (i, line) in lines.into_iter().enumerate() {
        pen.text(format!("metrics/empty/{i}"), 0.0, y + i as f32 * size * 1.5, line, style);
    }
    pen.done()
}
