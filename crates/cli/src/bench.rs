//! `schedscope bench`: the counted loop, its baseline, and going to moments of a long run.

use std::time::Instant;

use schedscope_analysis::words;
use schedscope_session::bench::{BenchReport, SeekReport, bench, document, document_on, seek};

/// Measures and prints.
///
/// # Errors
/// If there is no machine of that id.
pub(crate) fn run(
    events: u64,
    steps: u64,
    json: bool,
    machine: Option<&str>,
    tasks: Option<u32>,
) -> Result<(), String> {
    let document = match (machine, tasks) {
        (None, None) => document(),
        (machine, tasks) => {
            let id = machine.unwrap_or("zen3-nps4");
            document_on(id, tasks.unwrap_or(768)).ok_or(format!("there is no machine {id:?}"))?
        }
    };
    let start = Instant::now();
    let on_cpu = cpu_time().is_some();
    let mut clock = || match cpu_time() {
        Some(ns) if on_cpu => ns,
        _ => start.elapsed().as_nanos() as u64,
    };
    let counted = bench(&document, events, &mut clock);
    let sought = (steps > 0).then(|| seek(&document, steps, 200, &mut clock));
    if json {
        println!("{}", as_json(&counted, sought.as_ref()));
    } else {
        let of = if on_cpu { "CPU time" } else { "wall time" };
        println!("all times are {of}");
        print(&counted, sought.as_ref());
    }
    Ok(())
}

/// CPU time of this thread, ns, where the system tells: other programs do not disturb it.
#[cfg(unix)]
fn cpu_time() -> Option<u64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(u64::try_from(time.tv_sec).ok()? * 1_000_000_000 + u64::try_from(time.tv_nsec).ok()?)
}

#[cfg(not(unix))]
fn cpu_time() -> Option<u64> {
    None
}

fn as_json(counted: &BenchReport, sought: Option<&SeekReport>) -> String {
    let value = serde_json::json!({
        "events": counted.events,
        "cpus": counted.cpus,
        "tasks": counted.tasks,
        "pending": counted.pending,
        "engine_ns": counted.engine,
        "folded_ns": counted.folded,
        "baseline_ns": counted.baseline,
        "records": counted.records,
        "timeline_bytes": counted.timeline_bytes,
        "events_per_second": counted.events_per_second(),
        "folded_per_second": counted.folded_per_second(),
        "ratio": counted.ratio_hundredths() as f64 / 100.0,
        "balance_passes": counted.passes,
        "balance_groups": counted.groups,
        "balance_cpus": counted.group_cpus,
        "balance_events": counted.counted,
        "digest": format!("{:016x}", counted.digest),
        "seek": sought.map(|sought| serde_json::json!({
            "steps": sought.steps,
            "moments": sought.moments,
            "longest_ns": sought.longest,
            "median_ns": sought.median,
            "mean_ns": sought.total / sought.moments.max(1),
            "run_ns": sought.run,
            "window_ns": sought.window,
        })),
    });
    value.to_string()
}

fn print(counted: &BenchReport, sought: Option<&SeekReport>) {
    let per_event = |ns: u64| ns / counted.events.max(1);
    println!(
        "{} events, {} CPUs, {} tasks, {} events pending on average, {} records",
        words::count(counted.events),
        counted.cpus,
        counted.tasks,
        counted.pending,
        words::count(counted.records)
    );
    println!(
        "engine with records    {:>10}/s  {} ns an event",
        words::count(counted.events_per_second()),
        per_event(counted.engine)
    );
    println!(
        "… with the timeline    {:>10}/s  {} ns an event, {} kB",
        words::count(counted.folded_per_second()),
        per_event(counted.folded),
        words::count(counted.timeline_bytes / 1000)
    );
    println!("baseline (BinaryHeap)  {} ns an event", per_event(counted.baseline));
    let ratio = counted.ratio_hundredths();
    println!("an event costs {}.{:02} baselines (goal: at most 12)", ratio / 100, ratio % 100);
    let part = |a: u64, b: u64| a as f64 / b.max(1) as f64;
    println!(
        "balancing: {:.2} passes an event, {:.1} groups a pass, of {:.1} CPUs",
        part(counted.passes, counted.counted),
        part(counted.groups, counted.passes),
        part(counted.group_cpus, counted.passes)
    );
    println!("digest {:016x}", counted.digest);
    if let Some(sought) = sought {
        println!("\n{} steps simulated in {}", words::count(sought.steps), words::time(sought.run));
        println!(
            "moment: {} as a rule (median), {} at most of {} (goal: 50 ms)",
            words::time(sought.median),
            words::time(sought.longest),
            sought.moments
        );
        println!(
            "window of the whole run, 8 lanes and heat: {} at most",
            words::time(sought.window)
        );
    }
}
