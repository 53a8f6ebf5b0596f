//! `schedscope run`: a lane of letters for each CPU, and the metrics.

use std::io::{self, Write};
use std::path::Path;

use schedscope_analysis::words;
use schedscope_session::update::{Bar, Loaded, Metrics, Window};
use schedscope_session::{Command, Session, Update};

use crate::{load, take_to};

/// Runs a scenario and prints it.
pub(crate) fn run(
    file: &Path,
    until: Option<u64>,
    cpus: Option<Vec<u16>>,
    width: u32,
) -> Result<(), String> {
    let (mut session, loaded) = load(file)?;
    take_to(&mut session, until);
    let to = until.unwrap_or(loaded.end).min(loaded.end).max(1);
    let all = loaded.machine.cpus.len() as u16;
    let mut lanes = cpus.unwrap_or_else(|| (0..all).collect());
    lanes.retain(|&cpu| cpu < all);
    let window = Command::Window { from: 0, to, columns: width, lanes, heat: false };
    let Update::Window(window) = session.handle(window) else {
        return Err("the timeline was refused".to_owned());
    };
    let Update::Metrics(metrics) = session.handle(Command::Metrics { upto: None }) else {
        return Err("the metrics were refused".to_owned());
    };
    let _ = print(&loaded, &session, &window, &metrics, width);
    Ok(())
}

fn print(
    loaded: &Loaded,
    session: &Session,
    window: &Window,
    metrics: &Metrics,
    width: u32,
) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let title = if loaded.title.is_empty() { "scenario" } else { &loaded.title };
    writeln!(
        out,
        "{title}: {}, {}, seed {}",
        loaded.machine.name, loaded.kernel.name, loaded.seed
    )?;
    for note in &loaded.notes {
        writeln!(out, "note: {note}")?;
    }
    for row in &loaded.rows {
        let count = if row.count == 1 { String::new() } else { format!(" × {}", row.count) };
        writeln!(
            out,
            "  {} {}{count}, nice {}{}",
            row.letter,
            row.name,
            words::signed(row.nice.into()),
            row.slice.map_or_else(String::new, |ns| format!(", slice {}", words::time(ns)))
        )?;
    }
    let progress = &metrics.progress;
    writeln!(
        out,
        "\n{} events up to {}{}; a column is {}",
        words::count(progress.steps),
        words::exact(progress.time as i64),
        if progress.done { " (the end)" } else { "" },
        words::time(window.bin)
    )?;
    let digits = window.lanes.iter().map(|lane| lane.cpu).max().unwrap_or(0).to_string().len();
    for lane in &window.lanes {
        let text = letters(session, &lane.bars, window, width);
        writeln!(out, "CPU {:>digits$} |{text}|", lane.cpu)?;
    }
    writeln!(out)?;
    writeln!(
        out,
        "{:<16} {:>12} {:>11} {:>12} {:>8} {:>11} {:>11} {:>11} {:>9} {:>9}  migrations",
        "", "ran", "work per s", "waited", "wakeups", "p50", "p99", "max", "voluntary", "preempted"
    )?;
    for row in &metrics.rows {
        let name = match row.row.and_then(|row| loaded.rows.get(usize::from(row))) {
            Some(row) => format!("{} {}", row.letter, row.name),
            None => "all".to_owned(),
        };
        let latency = |parts| {
            let value = row.latency.iter().find(|(p, _)| *p == parts);
            value.map_or_else(|| "–".to_owned(), |(_, ns)| words::time(*ns))
        };
        let work = u128::from(row.work) * 1_000_000_000 / u128::from(metrics.upto.max(1));
        writeln!(
            out,
            "{:<16} {:>12} {:>11} {:>12} {:>8} {:>11} {:>11} {:>11} {:>9} {:>9}  {}",
            name,
            words::time(row.ran),
            words::time(work as u64),
            words::time(row.waited),
            row.wakeups,
            latency(5_000),
            latency(9_900),
            latency(10_000),
            row.voluntary,
            row.involuntary,
            row.migrations.map(|n| n.to_string()).join(" / ")
        )?;
    }
    writeln!(
        out,
        "\nutilisation {}, {} of {} CPUs used, a CPU idle that might have run a waiting task: {}",
        words::percent(metrics.utilisation),
        metrics.cpus_used,
        loaded.machine.cpus.len(),
        words::time(metrics.idle_while_overloaded)
    )?;
    if metrics.clocks_vary {
        let busy: u64 = metrics.cpus.iter().map(|cpu| cpu.busy).sum();
        let work: u64 = metrics.cpus.iter().map(|cpu| cpu.work).sum();
        let khz = u128::from(work) * u128::from(metrics.top_khz) / u128::from(busy.max(1));
        writeln!(
            out,
            "clock of busy CPUs on average {} MHz of {} MHz",
            khz / 1000,
            metrics.top_khz / 1000
        )?;
    }
    writeln!(
        out,
        "work is CPU time at the highest clock; wakeup latencies p50, p99 and longest; migrations\n\
         within a core / an LLC / a node / a package / beyond\ndigest {:016x}",
        progress.digest
    )
}

/// A letter for each column: who had the CPU longest there; `.` is idle, `'` not simulated.
fn letters(session: &Session, bars: &[Bar], window: &Window, width: u32) -> String {
    let width = width as usize;
    let mut most = vec![(0u64, '.'); width];
    for bar in bars {
        let letter = session.task_name(bar.task).chars().next().unwrap_or('?');
        let first = (bar.from.saturating_sub(window.from) / window.bin) as usize;
        let last = (bar.to.saturating_sub(window.from) / window.bin) as usize;
        for (column, best) in most.iter_mut().enumerate().take(last + 1).skip(first) {
            let start = window.from + column as u64 * window.bin;
            let overlap = bar.to.min(start + window.bin).saturating_sub(bar.from.max(start));
            if overlap > best.0 {
                *best = (overlap, letter);
            }
        }
    }
    let known = window.progress.time;
    most.iter()
        .enumerate()
        .map(|(column, &(_, letter))| {
            let start = window.from + column as u64 * window.bin;
            if start > known && !window.progress.done { '\'' } else { letter }
        })
        .collect()
}
