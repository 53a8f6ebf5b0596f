//! The run as files for other tools: event logs, a trace for Perfetto, metrics as a table.

use core::fmt::Write;

use schedscope_sim::event::Event;
use schedscope_sim::report::{Change, Decision, Record};
use schedscope_sim::topology::Topology;
use schedscope_sim::units::{CpuId, TaskId};

use crate::index::Index;
use crate::metrics::{CpuFigures, Figures, PERCENTILES};
use crate::spans::{ArrowKind, Spans};

/// An event log, one line a record.
pub trait Log {
    /// What comes before the first line.
    fn head(&self) -> String;
    /// Writes the records of a step. `name` says what people call a task.
    fn step(
        &mut self,
        out: &mut String,
        step: u64,
        records: &[Record],
        name: &dyn Fn(TaskId) -> String,
    );
}

/// Comma-separated values with a heading.
#[derive(Clone, Copy, Debug, Default)]
pub struct Csv;

/// One JSON object a line.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonLines;

/// A record as columns; empty where it says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Line {
    kind: &'static str,
    cpu: Option<CpuId>,
    task: Option<TaskId>,
    /// The other task: waker, parent, who had the CPU before.
    other: Option<TaskId>,
    from: Option<CpuId>,
    detail: String,
}

/// The time of a step's records, ns, and each as columns.
fn lines(records: &[Record]) -> (u64, Vec<Line>) {
    let mut time = 0;
    let lines = records
        .iter()
        .map(|record| match *record {
            Record::Happened(at, event) => {
                time = at.0;
                happened(event)
            }
            Record::Edited(at, input) => {
                time = at.0;
                Line { kind: "edit", detail: input.to_string(), ..Line::default() }
            }
            Record::Decided(decision) => decided(&decision),
            Record::Changed(change) => changed(change),
        })
        .collect();
    (time, lines)
}

/// A reason's name and fields without punctuation: `NotPicked reason: Parity short: false`.
fn plain(debug: &str) -> String {
    let words = debug.split(|c: char| c.is_whitespace() || "{}(),".contains(c));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn happened(event: Event) -> Line {
    let cpu = |kind, cpu| Line { kind, cpu: Some(cpu), ..Line::default() };
    let task = |kind, task| Line { kind, task: Some(task), ..Line::default() };
    match event {
        Event::BurstEnd(at) => cpu("burst_end", at),
        Event::WakeIpi(at) => cpu("wake_ipi", at),
        Event::ReschedIpi(at) => cpu("resched_ipi", at),
        Event::Timer(who) => task("timer", who),
        Event::Interrupt(number) => {
            Line { kind: "interrupt", detail: number.to_string(), ..Line::default() }
        }
        Event::Start(who) => task("start", who),
        Event::Tick(at) => cpu("tick", at),
        Event::IdleBalance(at) => cpu("idle_balance", at),
    }
}

fn decided(decision: &Decision) -> Line {
    match *decision {
        Decision::Pick { cpu, prev, next, reason, .. } => Line {
            kind: "pick",
            cpu: Some(cpu),
            task: next,
            other: prev,
            detail: plain(&format!("{reason:?}")),
            ..Line::default()
        },
        Decision::Preempt { cpu, curr, woken, verdict } => Line {
            kind: "preempt",
            cpu: Some(cpu),
            task: Some(woken),
            other: curr,
            detail: plain(&format!("{verdict:?}")),
            ..Line::default()
        },
        Decision::Place { wakee, waker, prev_cpu, cpu, branch, .. } => Line {
            kind: "place",
            cpu: Some(cpu),
            task: Some(wakee),
            other: waker,
            from: Some(prev_cpu),
            detail: branch.name().to_owned(),
        },
        Decision::WokenInPlace { wakee, cpu, replaced } => Line {
            kind: "woken_in_place",
            cpu: Some(cpu),
            task: Some(wakee),
            detail: if replaced { "replaced" } else { "kept" }.to_owned(),
            ..Line::default()
        },
        Decision::ForkPlace { task, this_cpu, cpu, .. } => Line {
            kind: "fork_place",
            cpu: Some(cpu),
            task: Some(task),
            from: Some(this_cpu),
            ..Line::default()
        },
        Decision::Balance { cpu, level, kind, verdict, from, moved, .. } => Line {
            kind: "balance",
            cpu: Some(cpu),
            from,
            detail: plain(&format!("{kind:?} level {level} {verdict:?} moved {moved}")),
            ..Line::default()
        },
    }
}

fn changed(change: Change) -> Line {
    match change {
        Change::Woken { task, waker, this_cpu } => Line {
            kind: "woken",
            cpu: Some(this_cpu),
            task: Some(task),
            other: waker,
            ..Line::default()
        },
        Change::WakeListed { task, cpu } => {
            Line { kind: "wake_listed", cpu: Some(cpu), task: Some(task), ..Line::default() }
        }
        Change::Enqueued { task, cpu } => {
            Line { kind: "enqueued", cpu: Some(cpu), task: Some(task), ..Line::default() }
        }
        Change::Dequeued { task, cpu, why } => Line {
            kind: "dequeued",
            cpu: Some(cpu),
            task: Some(task),
            detail: plain(&format!("{why:?}")),
            ..Line::default()
        },
        Change::Switched { cpu, prev, next, preempted } => Line {
            kind: "switched",
            cpu: Some(cpu),
            task: next,
            other: prev,
            detail: if preempted { "preempted" } else { "" }.to_owned(),
            ..Line::default()
        },
        Change::Migrated { task, from, to, why } => Line {
            kind: "migrated",
            cpu: Some(to),
            task: Some(task),
            from: Some(from),
            detail: plain(&format!("{why:?}")),
            ..Line::default()
        },
        Change::Forked { child, parent } => {
            Line { kind: "forked", task: Some(child), other: parent, ..Line::default() }
        }
        Change::Attributes(task) => {
            Line { kind: "attributes", task: Some(task), ..Line::default() }
        }
        Change::Clock { cpu, khz } => {
            Line { kind: "clock", cpu: Some(cpu), detail: format!("{khz} kHz"), ..Line::default() }
        }
        Change::Shared { cpu, percent } => {
            let detail = format!("{percent} % of a core");
            Line { kind: "shared", cpu: Some(cpu), detail, ..Line::default() }
        }
    }
}

impl Log for Csv {
    fn head(&self) -> String {
        "step,time_ns,kind,cpu,task,other_task,from_cpu,detail\n".to_owned()
    }

    fn step(
        &mut self,
        out: &mut String,
        step: u64,
        records: &[Record],
        name: &dyn Fn(TaskId) -> String,
    ) {
        let (time, lines) = lines(records);
        for line in lines {
            let cpu = |cpu: Option<CpuId>| cpu.map_or_else(String::new, |cpu| cpu.to_string());
            let task = |task: Option<TaskId>| task.map_or_else(String::new, name);
            let _ = writeln!(
                out,
                "{step},{time},{},{},{},{},{},{}",
                line.kind,
                cpu(line.cpu),
                csv_field(&task(line.task)),
                csv_field(&task(line.other)),
                cpu(line.from),
                csv_field(&line.detail)
            );
        }
    }
}

impl Log for JsonLines {
    fn head(&self) -> String {
        String::new()
    }

    fn step(
        &mut self,
        out: &mut String,
        step: u64,
        records: &[Record],
        name: &dyn Fn(TaskId) -> String,
    ) {
        let (time, lines) = lines(records);
        for line in lines {
            let _ = write!(out, "{{\"step\":{step},\"time_ns\":{time},\"kind\":\"{}\"", line.kind);
            if let Some(cpu) = line.cpu {
                let _ = write!(out, ",\"cpu\":{cpu}");
            }
            if let Some(task) = line.task {
                let _ = write!(out, ",\"task\":{}", json_string(&name(task)));
            }
            if let Some(task) = line.other {
                let _ = write!(out, ",\"other_task\":{}", json_string(&name(task)));
            }
            if let Some(cpu) = line.from {
                let _ = write!(out, ",\"from_cpu\":{cpu}");
            }
            if !line.detail.is_empty() {
                let _ = write!(out, ",\"detail\":{}", json_string(&line.detail));
            }
            out.push_str("}\n");
        }
    }
}

/// A field of a CSV line, quoted if it must be.
fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// A JSON string with its quotes.
fn json_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// ns as the microseconds of a Chrome trace, exact.
fn micros(ns: u64) -> String {
    format!("{}.{:03}", ns / 1000, ns % 1000)
}

/// A Chrome JSON trace, which Perfetto opens: a track a CPU, a slice a run, arrows for wakeups and
/// migrations.
#[must_use]
pub fn perfetto(
    topology: &Topology,
    spans: &Spans,
    index: &Index,
    now: u64,
    name: &dyn Fn(TaskId) -> String,
) -> String {
    let mut out = String::from("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    let title = json_string(topology.name());
    let _ = write!(
        out,
        "{{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\",\"args\":{{\"name\":{title}}}}}"
    );
    for cpu in (0..spans.cpus() as u16).map(CpuId) {
        let _ = write!(
            out,
            ",\n{{\"ph\":\"M\",\"pid\":0,\"tid\":{cpu},\"name\":\"thread_name\",\"args\":{{\"name\":\
             \"CPU {cpu}\"}}}}"
        );
        let _ = write!(
            out,
            ",\n{{\"ph\":\"M\",\"pid\":0,\"tid\":{cpu},\"name\":\"thread_sort_index\",\"args\":{{\
             \"sort_index\":{cpu}}}}}"
        );
        let mut switches = spans.switches(cpu).peekable();
        while let Some((step, task, _)) = switches.next() {
            let Some(task) = task else { continue };
            let from = index.time(step);
            let to = switches.peek().map_or(now, |(step, _, _)| index.time(*step));
            let preempted = switches.peek().is_some_and(|(_, _, preempted)| *preempted);
            let _ = write!(
                out,
                ",\n{{\"ph\":\"X\",\"pid\":0,\"tid\":{cpu},\"ts\":{},\"dur\":{},\"name\":{},\"args\":\
                 {{\"step\":{step},\"preempted\":{preempted}}}}}",
                micros(from),
                micros(to.saturating_sub(from)),
                json_string(&name(task))
            );
        }
    }
    for (id, arrow) in spans.arrows().enumerate() {
        let Some(until) = arrow.until else { continue };
        let kind = match arrow.kind {
            ArrowKind::Wake => "wake",
            ArrowKind::Fork => "fork",
            ArrowKind::Migrate => "migrate",
        };
        let mut end = |phase: &str, cpu: CpuId, step: u64| {
            let _ = write!(
                out,
                ",\n{{\"ph\":\"{phase}\",\"pid\":0,\"tid\":{cpu},\"ts\":{},\"id\":{id},\"cat\":\
                 \"{kind}\",\"name\":\"{kind}\"{}}}",
                micros(index.time(step)),
                if phase == "f" { ",\"bp\":\"e\"" } else { "" }
            );
        };
        end("s", arrow.from, arrow.step);
        end("f", arrow.to, until);
    }
    out.push_str("\n]}\n");
    out
}

/// The metrics as tables with names.
#[derive(Clone, Debug)]
pub struct Tables {
    /// Up to when they count, ns.
    pub upto: u64,
    /// The highest clock, kHz.
    pub top_khz: u32,
    /// CPU time used of CPU time there was, in parts of 10 000.
    pub utilisation: u32,
    /// Time in which some CPU was idle that might have run a task which waited on a busy one, ns.
    pub idle_while_overloaded: u64,
    /// CPUs that ran anything.
    pub cpus_used: u32,
    /// All tasks together.
    pub all: Figures,
    /// The rows of the task list.
    pub rows: Vec<(String, Figures)>,
    /// The groups of tasks.
    pub groups: Vec<(String, Figures)>,
    /// The tasks.
    pub tasks: Vec<(String, Figures)>,
    /// The LLCs, by number.
    pub llcs: Vec<CpuFigures>,
    /// The CPUs, by number.
    pub cpus: Vec<CpuFigures>,
}

/// A line of a table: names of fields with values; no value where there are too few samples.
type Fields = Vec<(String, Option<u64>)>;

impl Tables {
    /// Comma-separated values, times in ns: a line for all, for each row of the task list, each
    /// task, each LLC and each CPU; empty where a field says nothing of such a line.
    #[must_use]
    pub fn csv(&self) -> String {
        let lines: Vec<_> = self.of_tasks().into_iter().chain(self.of_cpus()).collect();
        let mut fields: Vec<&str> = Vec::new();
        for (field, _) in lines.iter().flat_map(|(_, _, fields)| fields) {
            if !fields.contains(&field.as_str()) {
                fields.push(field);
            }
        }
        let mut out = format!("kind,name,{}\n", fields.join(","));
        for (kind, name, values) in &lines {
            let _ = write!(out, "{kind},{}", csv_field(name));
            for field in &fields {
                let value = values.iter().find(|(name, _)| name == field).and_then(|(_, v)| *v);
                let _ = write!(out, ",{}", value.map_or_else(String::new, |v| v.to_string()));
            }
            out.push('\n');
        }
        out
    }

    /// One JSON object; times in ns.
    #[must_use]
    pub fn json(&self) -> String {
        let mut out = format!(
            "{{\"upto_ns\":{},\"top_khz\":{},\"utilisation_per_10000\":{},\
             \"idle_while_overloaded_ns\":{},\"cpus_used\":{}",
            self.upto, self.top_khz, self.utilisation, self.idle_while_overloaded, self.cpus_used
        );
        for (title, lines) in [("tasks", self.of_tasks()), ("cpus", self.of_cpus())] {
            let _ = write!(out, ",\n\"{title}\":[");
            for (i, (kind, name, fields)) in lines.into_iter().enumerate() {
                let comma = if i == 0 { "" } else { "," };
                let name = json_string(&name);
                let _ = write!(out, "{comma}\n{{\"kind\":\"{kind}\",\"name\":{name}");
                for (field, value) in fields {
                    let value = value.map_or_else(|| "null".to_owned(), |value| value.to_string());
                    let _ = write!(out, ",\"{field}\":{value}");
                }
                out.push('}');
            }
            out.push(']');
        }
        out.push_str("}\n");
        out
    }

    fn of_tasks(&self) -> Vec<(&'static str, String, Fields)> {
        let line = |kind, name: &str, figures: &Figures| {
            (kind, name.to_owned(), task_fields(figures, self.upto))
        };
        let mut lines = vec![line("all", "all", &self.all)];
        lines.extend(self.rows.iter().map(|(name, figures)| line("row", name, figures)));
        lines.extend(self.groups.iter().map(|(name, figures)| line("group", name, figures)));
        lines.extend(self.tasks.iter().map(|(name, figures)| line("task", name, figures)));
        lines
    }

    fn of_cpus(&self) -> Vec<(&'static str, String, Fields)> {
        let all = CpuFigures::sum(&self.cpus);
        let line = |kind, name: String, figures: &CpuFigures| {
            (kind, name, cpu_fields(figures, self.upto, self.top_khz))
        };
        let mut lines = vec![line("machine", "machine".to_owned(), &all)];
        for (kind, list) in [("llc", &self.llcs), ("cpu", &self.cpus)] {
            lines.extend(list.iter().enumerate().map(|(i, f)| line(kind, i.to_string(), f)));
        }
        lines
    }
}

fn task_fields(figures: &Figures, upto: u64) -> Fields {
    let mut fields: Fields = [
        ("ran_ns", figures.ran),
        ("work_ns", figures.work),
        ("work_us_per_s", per_second(figures.work, upto)),
        ("cpus_used", figures.on.len() as u64),
        ("waited_ns", figures.waited),
        ("wakeups", figures.wakeups),
    ]
    .map(|(name, value)| (name.to_owned(), Some(value)))
    .to_vec();
    for (parts, _) in PERCENTILES {
        let name = match parts {
            10_000 => "latency_max_ns".to_owned(),
            parts => format!("latency_p{}_ns", percent_name(parts)),
        };
        let value = figures.latency.iter().find(|(p, _)| *p == parts).map(|(_, value)| *value);
        fields.push((name, value));
    }
    fields.extend([
        ("voluntary".to_owned(), Some(figures.voluntary)),
        ("involuntary".to_owned(), Some(figures.involuntary)),
    ]);
    let across = ["core", "llc", "node", "package", "machine"];
    let moved = across.iter().zip(figures.migrations);
    fields.extend(moved.map(|(name, n)| (format!("migrations_{name}"), Some(n))));
    fields
}

/// Work in µs a second.
fn per_second(work: u64, upto: u64) -> u64 {
    (u128::from(work) * 1_000_000 / u128::from(upto.max(1))) as u64
}

fn cpu_fields(figures: &CpuFigures, upto: u64, top_khz: u32) -> Fields {
    let mean = u128::from(figures.work) * u128::from(top_khz) / u128::from(figures.busy.max(1));
    let mut fields: Fields = vec![
        ("ran_ns".to_owned(), Some(figures.busy)),
        ("work_ns".to_owned(), Some(figures.work)),
        ("work_us_per_s".to_owned(), Some(per_second(figures.work, upto))),
        ("mean_khz".to_owned(), (figures.busy > 0).then_some(mean as u64)),
        ("switches".to_owned(), Some(figures.switches)),
    ];
    let parts = figures.residency.iter().enumerate();
    fields
        .extend(parts.map(|(i, ns)| (format!("at_up_to_{}_percent_ns", 10 * (i + 1)), Some(*ns))));
    fields
}

fn percent_name(parts: u32) -> String {
    match parts % 100 {
        0 => (parts / 100).to_string(),
        rest => format!("{}.{}", parts / 100, rest / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_when_they_must_be() {
        assert_eq!(csv_field("a"), "a");
        assert_eq!(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(json_string("a\"\\\n"), "\"a\\\"\\\\\\u000a\"");
        assert_eq!(micros(1_234_567), "1234.567");
        assert_eq!(percent_name(9_990), "99.9");
        assert_eq!(percent_name(5_000), "50");
    }
}
