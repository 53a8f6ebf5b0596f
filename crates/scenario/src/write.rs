//! Writes a document as TOML in its normal form: stable order, defaults left out, no comments.

use crate::cpu_list;
use crate::document::{
    Costs, CpuTable, Cpus, DEFAULT_END, DEFAULT_SEED, Document, Edit, Group, Input, Interrupt,
    KernelChoice, MachineChoice, ROOT, Row, Shape, Start, Who,
};
use crate::duration;
use crate::read::VERSION;
use std::fmt::Write as _;

impl Document {
    /// The document as TOML, normal form: [`Document::from_toml`] gives the same document back.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = format!("schedscope = {VERSION}\n");
        if !self.title.is_empty() {
            line(&mut text, "title", &quoted(&self.title));
        }
        if !self.about.is_empty() {
            line(&mut text, "about", &long(&self.about));
        }
        if let MachineChoice::Preset(id) = &self.machine {
            line(&mut text, "machine", &quoted(id));
        }
        let plain = KernelChoice { preset: self.kernel.preset.clone(), ..KernelChoice::default() };
        if self.kernel == plain {
            line(&mut text, "kernel", &quoted(&self.kernel.preset));
        }
        if self.seed != DEFAULT_SEED {
            line(&mut text, "seed", &seed(self.seed));
        }
        if self.end != DEFAULT_END {
            line(&mut text, "end", &length(self.end));
        }
        match &self.machine {
            MachineChoice::Preset(_) => {}
            MachineChoice::Shape(shape) => write_shape(&mut text, shape),
            MachineChoice::Cpus(table) => write_table(&mut text, table),
        }
        if self.kernel != plain {
            write_kernel(&mut text, &self.kernel);
        }
        for group in &self.groups {
            write_group(&mut text, group);
        }
        for row in &self.rows {
            text.push_str("\n[[task]]\n");
            write_row(&mut text, row);
        }
        for interrupt in &self.interrupts {
            write_interrupt(&mut text, interrupt);
        }
        for input in &self.inputs {
            write_input(&mut text, input);
        }
        text
    }
}

impl Row {
    /// The row as the body of a task table.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        write_row(&mut text, self);
        text
    }
}

impl MachineChoice {
    /// What [`crate::read_machine`] reads: an id, or the body of a machine table.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        match self {
            MachineChoice::Preset(id) => return id.clone(),
            MachineChoice::Shape(shape) => write_shape(&mut text, shape),
            MachineChoice::Cpus(table) => write_table(&mut text, table),
        }
        text.trim_start().to_string()
    }
}

fn line(text: &mut String, key: &str, value: &str) {
    let _ = writeln!(text, "{key} = {value}");
}

/// A number that every TOML reader takes, or its digits in quotes.
fn seed(seed: u64) -> String {
    if i64::try_from(seed).is_ok() { seed.to_string() } else { quoted(&seed.to_string()) }
}

fn length(ns: u64) -> String {
    quoted(&duration::format(ns))
}

/// A clock in the largest unit of which it has at least one, exact.
fn clock(khz: u32) -> String {
    // 1 GHz is a million kHz, as 1 ms is a million ns.
    let time = duration::format(u64::from(khz));
    let hz = |unit| match unit {
        "ms" => "GHz",
        "us" => "MHz",
        _ => "kHz",
    };
    let digits = time.trim_end_matches(char::is_alphabetic);
    format!("{digits}{}", hz(&time[digits.len()..]))
}

fn cpus(Cpus(set): &Cpus) -> String {
    quoted(&cpu_list::format(set))
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c => push_escaped(&mut quoted, c),
        }
    }
    quoted.push('"');
    quoted
}

fn push_escaped(text: &mut String, c: char) {
    match c {
        '"' => text.push_str("\\\""),
        '\\' => text.push_str("\\\\"),
        c if c.is_control() => {
            let _ = write!(text, "\\u{:04X}", u32::from(c));
        }
        c => text.push(c),
    }
}

/// A text of several lines between triple quotes.
fn long(text: &str) -> String {
    if !text.contains('\n') {
        return quoted(text);
    }
    let mut long = String::from("\"\"\"\n");
    for c in text.chars() {
        match c {
            '\n' | '\t' => long.push(c),
            c => push_escaped(&mut long, c),
        }
    }
    long.push_str("\"\"\"");
    long
}

fn write_shape(text: &mut String, shape: &Shape) {
    let plain = Shape::default();
    text.push_str("\n[machine]\n");
    if !shape.name.is_empty() {
        line(text, "name", &quoted(&shape.name));
    }
    for (key, count) in [
        ("sockets", shape.sockets),
        ("nodes", shape.nodes),
        ("llcs", shape.llcs),
        ("cores", shape.cores),
        ("threads", shape.threads),
    ] {
        line(text, key, &count.to_string());
    }
    if let Some(cores) = shape.cluster {
        line(text, "cluster", &cores.to_string());
    }
    if shape.siblings_adjacent {
        line(text, "numbering", "\"siblings adjacent\"");
    }
    if shape.node_distance != plain.node_distance {
        line(text, "node_distance", &shape.node_distance.to_string());
    }
    if shape.socket_distance != plain.socket_distance {
        line(text, "socket_distance", &shape.socket_distance.to_string());
    }
    if let Some(distance) = shape.reclaim_distance {
        line(text, "reclaim_distance", &distance.to_string());
    }
}

fn write_table(text: &mut String, table: &CpuTable) {
    text.push_str("\n[machine]\n");
    if !table.name.is_empty() {
        line(text, "name", &quoted(&table.name));
    }
    line(text, "cpus", &table.cpus.to_string());
    for (key, groups) in [
        ("packages", &table.packages),
        ("nodes", &table.nodes),
        ("coregroups", &table.coregroups),
        ("llcs", &table.llcs),
        ("clusters", &table.clusters),
        ("cores", &table.cores),
    ] {
        if !groups.is_empty() {
            line(text, key, &array(&groups.iter().map(cpus).collect::<Vec<_>>()));
        }
    }
    if !table.distances.is_empty() {
        let row = |row: &Vec<u16>| {
            format!("[{}]", row.iter().map(u16::to_string).collect::<Vec<_>>().join(", "))
        };
        line(text, "distances", &array(&table.distances.iter().map(row).collect::<Vec<_>>()));
    }
    if let Some(distance) = table.reclaim_distance {
        line(text, "reclaim_distance", &distance.to_string());
    }
}

/// On one line, or on several of at most a hundred characters.
fn array(items: &[String]) -> String {
    let one = items.join(", ");
    if one.len() <= 80 {
        return format!("[{one}]");
    }
    let mut text = String::from("[\n");
    let mut width = 0;
    for item in items {
        if width > 0 && width + item.len() + 2 > 96 {
            text.push('\n');
            width = 0;
        }
        let lead = if width == 0 { "    " } else { " " };
        let _ = write!(text, "{lead}{item},");
        width += lead.len() + item.len() + 1;
    }
    text.push_str("\n]");
    text
}

fn write_kernel(text: &mut String, kernel: &KernelChoice) {
    text.push_str("\n[kernel]\n");
    line(text, "preset", &quoted(&kernel.preset));
    if let Some(name) = &kernel.placement {
        line(text, "placement", &quoted(name));
    }
    for (key, ns) in [
        ("base_slice", kernel.base_slice),
        ("latency", kernel.cfs.latency),
        ("min_granularity", kernel.cfs.min_granularity),
        ("wakeup_granularity", kernel.cfs.wakeup_granularity),
    ] {
        if let Some(ns) = ns {
            line(text, key, &length(ns));
        }
    }
    for (key, on) in [
        ("child_runs_first", kernel.cfs.child_runs_first),
        ("compat_yield", kernel.cfs.compat_yield),
    ] {
        if let Some(on) = on {
            line(text, key, &on.to_string());
        }
    }
    if let Some(hz) = kernel.hz {
        line(text, "hz", &hz.to_string());
    }
    if let Some(on) = kernel.group_sched {
        line(text, "group_sched", &on.to_string());
    }
    if !kernel.features.is_empty() {
        let feature = |(name, on): &(String, bool)| format!("{} = {on}", key(name));
        let features: Vec<String> = kernel.features.iter().map(feature).collect();
        line(text, "features", &format!("{{ {} }}", features.join(", ")));
    }
    if let Some(name) = &kernel.clock.governor {
        line(text, "governor", &quoted(name));
    }
    if let Some((min, max)) = kernel.clock.khz {
        line(text, "clock", &quoted(&format!("{}..{}", clock(min), clock(max))));
    }
    if let Some(percent) = kernel.clock.smt {
        line(text, "smt", &percent.to_string());
    }
    if !kernel.clock.turbo.is_empty() {
        let step = |(cores, khz): &(u16, u32)| format!("{cores} = {}", quoted(&clock(*khz)));
        let steps: Vec<String> = kernel.clock.turbo.iter().map(step).collect();
        line(text, "turbo", &format!("{{ {} }}", steps.join(", ")));
    }
    match kernel.costs {
        Costs::Ideal => {}
        Costs::Typical => line(text, "costs", "\"typical\""),
        Costs::Own { context_switch, wake_ipi, wakeup, migrate_llc } => {
            let costs = [
                ("context_switch", context_switch),
                ("wake_ipi", wake_ipi),
                ("wakeup", wakeup),
                ("migrate_llc", migrate_llc),
            ];
            let some: Vec<String> = costs
                .iter()
                .filter(|(_, ns)| *ns > 0)
                .map(|(key, ns)| format!("{key} = {}", length(*ns)))
                .collect();
            line(text, "costs", &format!("{{ {} }}", some.join(", ")));
        }
    }
}

/// A key, in quotes if it must be.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) { name.to_string() } else { quoted(name) }
}

fn write_group(text: &mut String, group: &Group) {
    text.push_str("\n[[group]]\n");
    line(text, "name", &quoted(&group.name));
    let plain = Group::default();
    if group.shares != plain.shares {
        line(text, "shares", &group.shares.to_string());
    }
    if group.latency_nice != plain.latency_nice {
        line(text, "latency_nice", &group.latency_nice.to_string());
    }
}

fn write_row(text: &mut String, row: &Row) {
    line(text, "name", &quoted(&row.name));
    if let Some(letter) = &row.letter {
        line(text, "letter", &quoted(letter));
    }
    if let Some(colour) = row.colour {
        line(text, "colour", &colour.to_string());
    }
    if row.count != 1 {
        line(text, "count", &row.count.to_string());
    }
    if row.nice != 0 {
        line(text, "nice", &row.nice.to_string());
    }
    if row.latency_nice != 0 {
        line(text, "latency_nice", &row.latency_nice.to_string());
    }
    if let Some(slice) = row.slice {
        line(text, "slice", &length(slice));
    }
    if let Some(affinity) = &row.affinity {
        line(text, "affinity", &cpus(affinity));
    }
    if let Some(group) = &row.group {
        line(text, "group", &quoted(group));
    }
    match &row.start {
        Start::Fork => line(text, "start", "\"fork\""),
        Start::At { at, every, cpus } => {
            match cpus[..] {
                [] => {}
                [cpu] => line(text, "cpu", &cpu.to_string()),
                _ => line(text, "cpu", &quoted(&cpu_list::format_order(cpus))),
            }
            if *at != 0 {
                line(text, "at", &length(*at));
            }
            if *every != 0 {
                line(text, "every", &length(*every));
            }
        }
    }
    if row.kthread {
        line(text, "kthread", "true");
    }
    if let Some(muted) = row.muted {
        line(text, "muted", &muted.to_string());
    }
    if !row.program.ops.is_empty() {
        line(text, "program", &long(&format!("{}\n", row.program)));
    }
}

fn write_interrupt(text: &mut String, interrupt: &Interrupt) {
    text.push_str("\n[[interrupt]]\n");
    if interrupt.at != 0 {
        line(text, "at", &length(interrupt.at));
    }
    line(text, "every", &quoted(&interrupt.every.to_string()));
    line(text, "cpus", &cpus(&interrupt.cpus));
    line(text, "wakes", &quoted(&interrupt.wakes));
    if interrupt.count != 1 {
        line(text, "count", &interrupt.count.to_string());
    }
}

fn write_input(text: &mut String, input: &Input) {
    let _ = writeln!(text, "\n[[input]]\nafter = {}", input.after);
    let set = |who: &Who, to: String| format!("{{ task = {}, to = {to} }}", whom(who));
    let of_group = |group: &str, to: String| format!("{{ group = {}, to = {to} }}", quoted(group));
    let (key, value) = match &input.edit {
        Edit::Nice(who, nice) => ("nice", set(who, nice.to_string())),
        Edit::LatencyNice(who, nice) => ("latency_nice", set(who, nice.to_string())),
        Edit::Slice(who, slice) => {
            ("slice", set(who, slice.map_or_else(|| "\"default\"".to_string(), length)))
        }
        Edit::Affinity(who, to) => {
            ("affinity", set(who, to.as_ref().map_or_else(|| "\"all\"".to_string(), cpus)))
        }
        Edit::Move(who, cpu) => ("move", set(who, cpu.to_string())),
        Edit::Group(who, group) => ("group", set(who, quoted(group.as_deref().unwrap_or(ROOT)))),
        Edit::Shares(group, shares) => ("shares", of_group(group, shares.to_string())),
        Edit::GroupLatencyNice(group, nice) => {
            ("group_latency_nice", of_group(group, nice.to_string()))
        }
        Edit::Kill(who) => ("kill", format!("{{ task = {} }}", whom(who))),
        Edit::Spawn(row, None) => ("spawn", format!("{{ task = {} }}", quoted(row))),
        Edit::Spawn(row, Some(cpu)) => {
            ("spawn", format!("{{ task = {}, cpu = {cpu} }}", quoted(row)))
        }
    };
    line(text, key, &value);
}

fn whom(who: &Who) -> String {
    match who {
        Who::Row(row) => quoted(row),
        Who::Instance(row, instance) => quoted(&format!("{row}#{instance}")),
        Who::Task(task) => task.to_string(),
    }
}
