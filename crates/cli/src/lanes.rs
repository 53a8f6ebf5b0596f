//! `schedscope run`: a lane of letters for each CPU, and the metrics.

use std::io::{self, Write};
use std::path::Path;

use schedscope_analysis::words;
use schedscope_session::update::{Bar, Difference, Loaded, Metrics, Window};
use schedscope_session::{Command, Goto, Update};

use crate::{load, take_to};

/// Runs a scenario, and another kernel beside it if one is named, and prints it.
pub(crate) fn run(
    file: &Path,
    until: Option<u64>,
    cpus: Option<Vec<u16>>,
    width: u32,
    beside: Option<String>,
) -> Result<(), String> {
    let (mut session, loaded) = load(file)?;
    take_to(&mut session, until);
    let to = until.unwrap_or(loaded.end).min(loaded.end).max(1);
    let all = loaded.machine.cpus.len() as u16;
    let mut lanes = cpus.unwrap_or_else(|| (0..all).collect());
    lanes.retain(|&cpu| cpu < all);
    let window = Command::Window { from: 0, to, columns: width, lanes, heat: false };
    let upto = beside.as_ref().map(|_| Goto::Time(to));
    let commands = [window, Command::Metrics { upto }];
    let [window, metrics] = commands.clone().map(|command| session.handle(command));
    let (Update::Window(window), Update::Metrics(metrics)) = (window, metrics) else {
        return Err("the timeline was refused".to_owned());
    };
    let first = Shown { kernel: loaded.kernel.name.clone(), window: *window, metrics: *metrics };
    let Some(with) = beside else {
        let _ = print(&loaded, &[first], width, None);
        return Ok(());
    };
    let told = match session.handle(Command::Beside { with: Some(with) }) {
        Update::Beside(Some(told)) => told,
        Update::Rejected(problems) => {
            return Err(problems.into_iter().map(|p| p.sentence).collect::<Vec<_>>().join("\n"));
        }
        other => return Err(format!("unexpected answer {other:?}")),
    };
    let goto = until.map_or(Goto::End, Goto::Time);
    let mut ask = |command| session.handle(Command::Second(Box::new(command)));
    ask(Command::Show { goto, focus: 0 });
    let [Update::Second(window), Update::Second(metrics)] = commands.map(ask) else {
        return Err("the second timeline was refused".to_owned());
    };
    let (Update::Window(window), Update::Metrics(metrics)) = (*window, *metrics) else {
        return Err("the second timeline was refused".to_owned());
    };
    let second = Shown { kernel: told.name, window: *window, metrics: *metrics };
    let Update::Difference(difference) = session.handle(Command::Difference { after: None }) else {
        return Err("the difference was refused".to_owned());
    };
    let both = [first, second];
    let _ = print(&loaded, &both, width, Some((&told.notes, &difference)));
    Ok(())
}

/// A run as it is printed.
struct Shown {
    kernel: String,
    window: Window,
    metrics: Metrics,
}

fn print(
    loaded: &Loaded,
    runs: &[Shown],
    width: u32,
    beside: Option<(&[String], &Difference)>,
) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let title = if loaded.title.is_empty() { "scenario" } else { &loaded.title };
    let kernels: Vec<&str> = runs.iter().map(|run| run.kernel.as_str()).collect();
    writeln!(
        out,
        "{title}: {}, {}, seed {}",
        loaded.machine.name,
        kernels.join(" beside "),
        loaded.seed
    )?;
    for note in loaded.notes.iter().chain(beside.iter().flat_map(|(notes, _)| *notes)) {
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
    if let Some((_, difference)) = beside {
        writeln!(out, "\nfirst difference: {}", difference.sentence)?;
        for (kernel, why) in &difference.why {
            writeln!(out, "  {kernel}: {why}")?;
        }
    }
    for run in runs {
        if runs.len() > 1 {
            writeln!(out, "\n{}", run.kernel)?;
        }
        lanes(&mut out, loaded, run, width)?;
    }
    metrics(&mut out, loaded, runs)?;
    let digests: Vec<String> =
        runs.iter().map(|run| format!("{:016x}", run.metrics.progress.digest)).collect();
    writeln!(
        out,
        "work is CPU time at the highest clock; wakeup latencies p50, p99 and longest; migrations\n\
         within a core / an LLC / a node / a package / beyond\ndigest {}",
        digests.join(", ")
    )
}

/// How far a run came, and a line for each CPU.
fn lanes(out: &mut impl Write, loaded: &Loaded, run: &Shown, width: u32) -> io::Result<()> {
    let (progress, window) = (&run.metrics.progress, &run.window);
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
        let text = letters(loaded, &lane.bars, window, width);
        writeln!(out, "CPU {:>digits$} |{text}|", lane.cpu)?;
    }
    Ok(())
}

/// The figures; those of two runs line below line.
fn metrics(out: &mut impl Write, loaded: &Loaded, runs: &[Shown]) -> io::Result<()> {
    let pad = match runs {
        [_] => 0,
        _ => runs.iter().map(|run| run.kernel.chars().count() + 1).max().unwrap_or(0),
    };
    writeln!(out)?;
    writeln!(
        out,
        "{:<16} {:pad$}{:>12} {:>11} {:>12} {:>8} {:>11} {:>11} {:>11} {:>9} {:>9}  migrations",
        "",
        "",
        "ran",
        "work per s",
        "waited",
        "wakeups",
        "p50",
        "p99",
        "max",
        "voluntary",
        "preempted"
    )?;
    for i in 0..runs[0].metrics.rows.len() {
        for (k, run) in runs.iter().enumerate() {
            let row = &run.metrics.rows[i];
            let name = match row.row.and_then(|row| loaded.rows.get(usize::from(row))) {
                _ if k > 0 => String::new(),
                Some(row) => format!("{} {}", row.letter, row.name),
                None => "all".to_owned(),
            };
            let latency = |parts| {
                let value = row.latency.iter().find(|(p, _)| *p == parts);
                value.map_or_else(|| "–".to_owned(), |(_, ns)| words::time(*ns))
            };
            let work = u128::from(row.work) * 1_000_000_000 / u128::from(run.metrics.upto.max(1));
            writeln!(
                out,
                "{:<16} {:pad$}{:>12} {:>11} {:>12} {:>8} {:>11} {:>11} {:>11} {:>9} {:>9}  {}",
                name,
                if pad > 0 { run.kernel.as_str() } else { "" },
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
    }
    writeln!(out)?;
    for Shown { kernel, metrics, .. } in runs {
        let named = if pad > 0 { format!("{kernel}: ") } else { String::new() };
        writeln!(
            out,
            "{named}utilisation {}, {} of {} CPUs used, a CPU idle that might have run a waiting task: {}",
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
                "{named}clock of busy CPUs on average {} MHz of {} MHz",
                khz / 1000,
                metrics.top_khz / 1000
            )?;
        }
    }
    Ok(())
}

/// A letter for each column: who had the CPU longest there; `.` is idle, `'` not simulated.
fn letters(loaded: &Loaded, bars: &[Bar], window: &Window, width: u32) -> String {
    let width = width as usize;
    let mut most = vec![(0u64, '.'); width];
    for bar in bars {
        let row = window.tasks.binary_search_by_key(&bar.task, |(task, ..)| *task);
        let row = row.ok().and_then(|at| loaded.rows.get(usize::from(window.tasks[at].1)));
        let letter = row.and_then(|row| row.letter.chars().next()).unwrap_or('?');
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
