//! The metrics as tables: by task, by LLC, and of two runs beside each other.

use super::{length, maximum, median, per_second, percentile};
use crate::format;
use crate::view::Roster;
use schedscope_session::update::{CpuMetrics, Metrics, RowMetrics};

/// A row of the table: name and figures as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricsRow {
    /// The row of the task list; `None` is all together.
    pub row: Option<u16>,
    /// Its name; of a single task of a row with several, "worker 3".
    pub name: String,
    /// Figures, in the order of [`TITLES`] after the name.
    pub cells: Vec<String>,
}

/// Titles of the table's columns.
pub const TITLES: [&str; 18] = [
    "task",
    "CPU time",
    "work a second",
    "waited",
    "wakeups",
    "p50",
    "p90",
    "p99",
    "p99.9",
    "max",
    "voluntary switches",
    "preemptions",
    "CPUs used",
    "moves within a core",
    "within an LLC",
    "across LLCs",
    "across nodes",
    "across sockets",
];
/// At most so many single tasks are listed below their rows.
const TASKS: usize = 400;

/// All rows as a table, the tasks of rows that have several below theirs; a figure without enough
/// samples is empty.
#[must_use]
pub fn table(metrics: &Metrics, roster: &Roster) -> Vec<MetricsRow> {
    let few = metrics.tasks.len() <= TASKS;
    let mut rows = Vec::new();
    let groups = roster.loaded.groups.iter().zip(&metrics.groups);
    let groups: Vec<MetricsRow> = groups
        .map(|(group, figures)| MetricsRow {
            row: None,
            name: format!("group {}", group.name),
            cells: cells(figures, metrics.upto),
        })
        .collect();
    for row in &metrics.rows {
        if row.row.is_none() {
            rows.extend_from_slice(&groups);
        }
        let view = row.row.and_then(|row| roster.loaded.rows.get(usize::from(row)));
        let name = match (row.row, view) {
            (None, _) => "all".to_string(),
            (Some(_), Some(view)) => view.name.clone(),
            (Some(number), None) => format!("row {number}"),
        };
        let cells = cells(row, metrics.upto);
        rows.push(MetricsRow { row: row.row, name, cells });
        if row.row.is_some() && few {
            let mine = metrics.tasks.iter().filter(|(_, task)| task.row == row.row);
            rows.extend(mine.map(|(task, figures)| MetricsRow {
                row: row.row,
                name: roster.name(*task),
                cells: self::cells(figures, metrics.upto),
            }));
        }
    }
    rows
}

fn cells(row: &RowMetrics, upto: u64) -> Vec<String> {
    let latency = |ns: Option<u64>| ns.map(length).unwrap_or_default();
    let mut cells = vec![
        length(row.ran),
        length(per_second(row.work, upto)),
        length(row.waited),
        format::count(row.wakeups),
        latency(median(row)),
        latency(percentile(row, 9000)),
        latency(percentile(row, 9900)),
        latency(percentile(row, 9990)),
        latency(maximum(row)),
        format::count(row.voluntary),
        format::count(row.involuntary),
        format::count(row.cpus.into()),
    ];
    cells.extend(row.migrations.map(format::count));
    cells
}

/// Titles of the machine's columns.
pub const MACHINE_TITLES: [&str; 6] =
    ["LLC", "CPUs used", "CPU time used", "mean clock while busy", "work a second", "switches"];

/// The machine by LLC.
#[must_use]
pub fn machine_table(metrics: &Metrics, roster: &Roster) -> Vec<[String; 6]> {
    let machine = &roster.loaded.machine;
    let name =
        |llc: usize| machine.llc_names.get(llc).cloned().unwrap_or_else(|| format!("LLC {llc}"));
    let line = |(llc, cpus): (usize, &Vec<u16>)| {
        let of = || cpus.iter().filter_map(|cpu| metrics.cpus.get(usize::from(*cpu)));
        let sum = sum(of());
        let used = of().filter(|cpu| cpu.busy > 0).count();
        let there_was = u128::from(metrics.upto) * cpus.len().max(1) as u128;
        let share = (u128::from(sum.busy) * 10_000).checked_div(there_was).unwrap_or(0);
        let clock = mean_khz(&sum, metrics.top_khz);
        [
            name(llc),
            format::count(used as u64),
            format::percent(share as u32),
            clock.map(|khz| format!("{} GHz", format::ghz(khz))).unwrap_or_default(),
            length(per_second(sum.work, metrics.upto)),
            format::count(sum.switches),
        ]
    };
    machine.llcs.iter().enumerate().map(line).collect()
}

/// Several CPUs together.
pub(super) fn sum<'a>(cpus: impl Iterator<Item = &'a CpuMetrics>) -> CpuMetrics {
    cpus.fold(CpuMetrics::default(), |mut sum, cpu| {
        sum.busy += cpu.busy;
        sum.work += cpu.work;
        sum.switches += cpu.switches;
        for (sum, ns) in sum.residency.iter_mut().zip(cpu.residency) {
            *sum += ns;
        }
        sum
    })
}

/// The clock on average while busy, kHz; `None` if it never was.
pub(super) fn mean_khz(cpu: &CpuMetrics, top_khz: u32) -> Option<u32> {
    let product = u128::from(cpu.work) * u128::from(top_khz);
    product.checked_div(cpu.busy.into()).map(|khz| khz as u32)
}

/// A figure of two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// What it is.
    pub name: String,
    /// Of the first run.
    pub first: String,
    /// Of the second.
    pub second: String,
    /// The second's by the first's: "× 0.80", "same"; empty where that says nothing.
    pub ratio: String,
}

/// Titles of the comparison beside the two kernels: of the figure, and of the ratio.
pub const COMPARED: [&str; 2] = ["figure", "second ÷ first"];
/// At most so many rows of the task list are compared one by one.
const ROWS: usize = 12;

/// The figures of two runs of one document, up to the same time.
#[must_use]
pub fn compare(first: &Metrics, second: &Metrics, roster: &Roster) -> Vec<Compared> {
    type Shown = fn(u64) -> String;
    let (count, time): (Shown, Shown) = (format::count, length);
    let mut out: Vec<Compared> = Vec::new();
    let mut line = |name: String, shown: Shown, a: Option<u64>, b: Option<u64>| {
        let text = |ns: Option<u64>| ns.map(shown).unwrap_or_default();
        let ratio = match (a, b) {
            (Some(a), Some(b)) if a == b => "same".to_string(),
            (Some(a), Some(b)) if a > 0 => format!("× {}", ratio(a, b)),
            _ => String::new(),
        };
        out.push(Compared { name, first: text(a), second: text(b), ratio });
    };
    let both = |of: &dyn Fn(&Metrics) -> Option<u64>| (of(first), of(second));
    let all = |of: &dyn Fn(&RowMetrics) -> Option<u64>| {
        both(&|m| m.rows.iter().find(|row| row.row.is_none()).and_then(of))
    };
    let (a, b) = both(&|m| Some(m.utilisation.into()));
    line("CPU time used".into(), |parts| format::percent(parts as u32), a, b);
    let (a, b) = both(&|m| {
        let all = m.rows.iter().find(|row| row.row.is_none())?;
        Some(per_second(all.work, m.upto))
    });
    line("work a second, at the highest clock".into(), time, a, b);
    if first.clocks_vary || second.clocks_vary {
        let (a, b) = both(&|m| mean_khz(&sum(m.cpus.iter()), m.top_khz).map(u64::from));
        line(
            "mean clock while busy".into(),
            |khz| format!("{} GHz", format::ghz(khz as u32)),
            a,
            b,
        );
    }
    let (a, b) = both(&|m| Some(m.cpus_used.into()));
    line("CPUs used".into(), count, a, b);
    let (a, b) = both(&|m| Some(m.idle_while_overloaded));
    line("idle while a movable task waited".into(), time, a, b);
    let (a, b) = all(&|row| Some(row.waited));
    line("waited".into(), time, a, b);
    let (a, b) = all(&|row| Some(row.wakeups));
    line("wakeups".into(), count, a, b);
    for parts in [5_000, 9_000, 9_900, 9_990] {
        let (a, b) = all(&|row| percentile(row, parts));
        if a.is_some() || b.is_some() {
            line(format!("wakeup latency {}", format::percentile(parts)), time, a, b);
        }
    }
    let (a, b) = all(&|row| maximum(row));
    line("longest wakeup latency".into(), time, a, b);
    let (a, b) = all(&|row| Some(row.voluntary));
    line("voluntary switches".into(), count, a, b);
    let (a, b) = all(&|row| Some(row.involuntary));
    line("preemptions".into(), count, a, b);
    for (i, title) in TITLES[TITLES.len() - 5..].iter().enumerate() {
        let (a, b) = all(&|row| Some(row.migrations[i]));
        if a != Some(0) || b != Some(0) {
            let title = title.strip_prefix("moves ").unwrap_or(title);
            line(format!("moves {title}"), count, a, b);
        }
    }
    for (at, row) in roster.loaded.rows.iter().enumerate().take(ROWS) {
        let of = |of: &dyn Fn(&RowMetrics) -> Option<u64>| both(&|m| m.rows.get(at).and_then(of));
        let (a, b) = of(&|row| Some(row.ran));
        line(format!("{}: CPU time", row.name), time, a, b);
        let (a, b) = of(&|row| maximum(row));
        if a.is_some() || b.is_some() {
            line(format!("{}: longest wakeup latency", row.name), time, a, b);
        }
    }
    out
}

/// Three figures: "0.801", "1.25", "12.3".
fn ratio(a: u64, b: u64) -> String {
    let thousandths = (u128::from(b) * 1_000 + u128::from(a) / 2) / u128::from(a);
    let (whole, part) = (thousandths / 1_000, thousandths % 1_000);
    match whole {
        0 => format!("0.{part:03}"),
        1..=9 => format!("{whole}.{:02}", part / 10),
        10..=99 => format!("{whole}.{}", part / 100),
        _ => whole.to_string(),
    }
}
