//! Reads a document from TOML: every problem at once, each with its line.

use crate::check::{self, At, check};
use crate::cpu_list;
use crate::document::{
    Costs, CpuTable, Cpus, Document, Edit, GROUPS_MAX, Group, Input, Interrupt, KernelChoice,
    MachineChoice, ROOT, ROWS_MAX, Row, Shape, Start, Who,
};
use crate::duration::{self, clip};
use crate::problem::{Problem, did_you_mean};
use crate::program::{Length, Program};
use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::machines::Machine;
use schedscope_sim::order;
use schedscope_sim::units::TASKS_MAX;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Range, RangeInclusive};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The longest text that is read, in bytes.
pub const TEXT_MAX: usize = 1 << 20;
/// The most problems that are said; of further ones only the number.
const PROBLEMS_MAX: usize = 200;
/// The version of the format.
pub const VERSION: u32 = 1;

impl Document {
    /// Reads a document from TOML.
    ///
    /// # Errors
    /// All that is wrong with it, in the order of the lines. A document that is given back has no
    /// problem that would stop [`Document::setup`].
    pub fn from_toml(text: &str) -> Result<Document, Vec<Problem>> {
        read(text, 1)
    }
}

/// Reads a document that starts on this line of a larger text.
pub(crate) fn read(text: &str, first_line: u32) -> Result<Document, Vec<Problem>> {
    if text.len() > TEXT_MAX {
        let sentence = format!("it has {} bytes; the most is {TEXT_MAX}.", text.len());
        return Err(vec![Problem::new("document", sentence)]);
    }
    let mut reader = Reader::new(text, first_line);
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        reader.syntax(error);
    }
    let document = reader.document(table.get_ref());
    reader.finish(document)
}

/// Reads one task as the TOML of its table, with or without the line `[[task]]`.
///
/// # Errors
/// All that is wrong with it. What depends on the rest of the document is found later.
pub fn read_row(text: &str) -> Result<Row, Vec<Problem>> {
    if text.len() > TEXT_MAX {
        return Err(vec![Problem::new("task", "it is too long.")]);
    }
    let mut reader = Reader::new(text, 1);
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        reader.syntax(error);
    }
    let row = match table.get_ref().get("task").map(|task| task.get_ref()) {
        Some(DeValue::Array(tasks)) if tasks.len() == 1 => match tasks[0].get_ref() {
            DeValue::Table(task) => reader.row(0, task),
            _ => Row::default(),
        },
        Some(_) => {
            reader.problem(None, "task".to_string(), "there must be one task table.".to_string());
            Row::default()
        }
        None => reader.row(0, table.get_ref()),
    };
    let document = Document { rows: vec![row.clone()], ..Document::default() };
    for (op, sentence) in row.program.check() {
        reader.found(&document, At::Op(0, op), sentence);
    }
    if reader.problems.is_empty() { Ok(row) } else { Err(reader.sorted()) }
}

/// Reads a machine: the id of one with a name, or the TOML of its table.
///
/// # Errors
/// All that is wrong with it.
pub fn read_machine(text: &str) -> Result<MachineChoice, Vec<Problem>> {
    if Machine::from_id(text.trim()).is_some() {
        return Ok(MachineChoice::Preset(text.trim().to_string()));
    }
    let is_id = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if text.trim().chars().all(is_id) {
        return Err(vec![Problem::new("machine", check::unknown_machine(text.trim()))]);
    }
    if text.len() > TEXT_MAX {
        return Err(vec![Problem::new("machine", "it is too long.")]);
    }
    let mut reader = Reader::new(text, 1);
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        reader.syntax(error);
    }
    let table = match table.get_ref().get("machine").map(|machine| machine.get_ref()) {
        Some(DeValue::Table(machine)) => reader.machine_table(machine),
        _ => reader.machine_table(table.get_ref()),
    };
    if !reader.problems.is_empty() {
        return Err(reader.sorted());
    }
    table.topology()?;
    Ok(table)
}

type Value<'i> = Spanned<DeValue<'i>>;
type Table<'i> = DeTable<'i>;

struct Reader<'i> {
    text: &'i str,
    /// Where each line starts.
    starts: Vec<usize>,
    first_line: u32,
    /// Line, place, sentence.
    problems: Vec<(Option<u32>, String, String)>,
    /// Where each value is.
    lines: BTreeMap<At, u32>,
    /// Values that could not be read: what is found about them later is not said twice.
    broken: BTreeSet<At>,
}

/// Wrong value: the sentence says what is expected.
type Read<T> = Result<T, String>;

impl<'i> Reader<'i> {
    fn new(text: &'i str, first_line: u32) -> Reader<'i> {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Reader {
            text,
            starts: std::iter::once(0).chain(newlines.map(|(at, _)| at + 1)).collect(),
            first_line,
            problems: Vec::new(),
            lines: BTreeMap::new(),
            broken: BTreeSet::new(),
        }
    }

    fn line(&self, offset: usize) -> u32 {
        self.first_line + self.starts.partition_point(|&start| start <= offset).max(1) as u32 - 1
    }

    fn problem(&mut self, line: Option<u32>, place: String, sentence: String) {
        self.problems.push((line, place, sentence));
    }

    fn syntax(&mut self, error: &toml::de::Error) {
        let line = error.span().map(|span| self.line(span.start.min(self.text.len())));
        let sentence = format!("this is not TOML: {}.", error.message().trim_end_matches('.'));
        self.problem(line, "document".to_string(), sentence);
    }

    /// A problem of the document as a whole, on the line of its place.
    fn found(&mut self, document: &Document, at: At, sentence: String) {
        let mut outer = Some(at.clone());
        let mut line = None;
        while let Some(place) = outer {
            if self.broken.contains(&place) {
                return;
            }
            line = line.or_else(|| self.lines.get(&place).copied());
            outer = place.outer();
        }
        self.problem(line, at.place(document), sentence);
    }

    fn finish(mut self, document: Document) -> Result<Document, Vec<Problem>> {
        for (at, sentence) in check(&document).problems {
            self.found(&document, at, sentence);
        }
        if self.problems.is_empty() { Ok(document) } else { Err(self.sorted()) }
    }

    fn sorted(mut self) -> Vec<Problem> {
        order::sort_by_key(&mut self.problems, |(line, _, _)| *line);
        self.problems.dedup();
        let more = self.problems.len().saturating_sub(PROBLEMS_MAX);
        self.problems.truncate(PROBLEMS_MAX);
        let problem = |(line, place, sentence)| Problem { place, sentence, line };
        let mut problems: Vec<Problem> = self.problems.into_iter().map(problem).collect();
        if more > 0 {
            problems.push(Problem::new("document", format!("there are {more} more problems.")));
        }
        problems
    }

    /// Reads the value of a key, if it is there; says what is wrong with it.
    fn field<T>(
        &mut self,
        table: &Table<'_>,
        key: &str,
        at: At,
        place: &str,
        read: impl FnOnce(&DeValue<'_>) -> Read<T>,
    ) -> Option<T> {
        let value = table.get(key)?;
        self.value(value, at, &format!("{place}{key}"), read)
    }

    fn value<T>(
        &mut self,
        value: &Value<'_>,
        at: At,
        place: &str,
        read: impl FnOnce(&DeValue<'_>) -> Read<T>,
    ) -> Option<T> {
        let line = self.line(value.span().start);
        self.lines.insert(at.clone(), line);
        match read(value.get_ref()) {
            Ok(read) => Some(read),
            Err(sentence) => {
                self.broken.insert(at);
                self.problem(Some(line), place.to_string(), sentence);
                None
            }
        }
    }

    /// Says which keys are unknown.
    fn known(&mut self, table: &Table<'_>, place: &str, keys: &[&str]) {
        for key in table.keys() {
            let name = key.get_ref();
            if !keys.contains(&name.as_ref()) {
                let line = self.line(key.span().start);
                let hint = did_you_mean(name, keys.iter().copied());
                let sentence = format!("there is no key \"{}\" here; {hint}", clip(name));
                self.problem(Some(line), place.to_string(), sentence);
            }
        }
    }

    fn document(&mut self, table: &Table<'_>) -> Document {
        let keys = [
            "schedscope",
            "title",
            "about",
            "machine",
            "kernel",
            "seed",
            "end",
            "group",
            "task",
            "interrupt",
            "input",
        ];
        self.known(table, "document", &keys);
        let mut document = Document::default();
        match table.get("schedscope") {
            None => {
                let sentence = format!(
                    "the file does not say which format it has; begin it with \"schedscope = \
                     {VERSION}\"."
                );
                self.problem(Some(self.first_line), "schedscope".to_string(), sentence);
            }
            Some(version) => {
                self.value(version, At::Field("schedscope"), "schedscope", |value| {
                    match integer(value) {
                        Ok(1) => Ok(()),
                        Ok(version) if version > 1 => Err(format!(
                            "this file has format {version}; this schedscope reads format \
                             {VERSION}, so take a newer one."
                        )),
                        _ => Err(format!("write \"schedscope = {VERSION}\".")),
                    }
                });
            }
        }
        let text = |most: usize| move |value: &DeValue<'_>| text(value, most);
        if let Some(title) = self.field(table, "title", At::Field("title"), "", text(200)) {
            document.title = title;
        }
        if let Some(about) = self.field(table, "about", At::Field("about"), "", text(20_000)) {
            document.about = about;
        }
        if let Some(seed) = self.field(table, "seed", At::Field("seed"), "", seed) {
            document.seed = seed;
        }
        let end = |value: &DeValue<'_>| {
            length_in(value, check::END_MIN..=duration::LONGEST, check::END_SENTENCE)
        };
        if let Some(end) = self.field(table, "end", At::Field("end"), "", end) {
            document.end = end;
        }
        if let Some(machine) = table.get("machine") {
            document.machine = self.machine(machine);
        }
        if let Some(kernel) = table.get("kernel") {
            document.kernel = self.kernel(kernel);
        }
        for (at, group) in self.tables(table, "group").into_iter().enumerate() {
            if at > GROUPS_MAX {
                break;
            }
            self.lines.insert(At::Group(at, ""), group.1);
            let group = self.group(at, group.0);
            document.groups.push(group);
        }
        for (at, task) in self.tables(table, "task").into_iter().enumerate() {
            if at > ROWS_MAX {
                break;
            }
            self.lines.insert(At::Row(at, ""), task.1);
            let row = self.row(at, task.0);
            document.rows.push(row);
        }
        for (at, interrupt) in self.tables(table, "interrupt").into_iter().enumerate() {
            self.lines.insert(At::Interrupt(at, ""), interrupt.1);
            let interrupt = self.interrupt(at, interrupt.0);
            document.interrupts.push(interrupt);
        }
        for (at, input) in self.tables(table, "input").into_iter().enumerate() {
            self.lines.insert(At::Input(at, ""), input.1);
            let input = self.input(at, input.0).unwrap_or_else(|| {
                // Keeps the place of the one that could not be read.
                self.broken.insert(At::Input(at, ""));
                Input { after: 0, edit: Edit::Kill(Who::Task(0)) }
            });
            document.inputs.push(input);
        }
        document
    }

    /// The tables of an array of tables, each with its line.
    fn tables<'t, 'v>(&mut self, table: &'t Table<'v>, key: &str) -> Vec<(&'t Table<'v>, u32)> {
        let Some(value) = table.get(key) else { return Vec::new() };
        let line = self.line(value.span().start);
        let field = ["group", "task", "interrupt", "input"].into_iter().find(|field| *field == key);
        self.lines.insert(At::Field(field.unwrap_or("input")), line);
        let wrong = format!("write each as a table of its own, under the line [[{key}]].");
        let DeValue::Array(array) = value.get_ref() else {
            self.problem(Some(line), key.to_string(), wrong);
            return Vec::new();
        };
        let mut tables = Vec::new();
        for value in array.iter() {
            let line = self.line(value.span().start);
            match value.get_ref() {
                DeValue::Table(table) => tables.push((table, line)),
                _ => self.problem(Some(line), key.to_string(), wrong.clone()),
            }
        }
        tables
    }

    fn machine(&mut self, value: &Value<'_>) -> MachineChoice {
        let line = self.line(value.span().start);
        self.lines.insert(At::Machine(""), line);
        match value.get_ref() {
            DeValue::String(id) => MachineChoice::Preset(id.to_string()),
            DeValue::Table(table) => self.machine_table(table),
            _ => {
                let sentence = "name a machine, or describe one under the line [machine].";
                self.broken.insert(At::Machine(""));
                self.problem(Some(line), "machine".to_string(), sentence.to_string());
                MachineChoice::default()
            }
        }
    }

    fn machine_table(&mut self, table: &Table<'_>) -> MachineChoice {
        let place = "machine.";
        if table.contains_key("preset") {
            self.known(table, "machine", &["preset"]);
            let preset =
                self.field(table, "preset", At::Machine(""), place, |value| text(value, 100));
            return preset.map_or_else(MachineChoice::default, MachineChoice::Preset);
        }
        if table.contains_key("cpus") {
            return self.cpu_table(table);
        }
        let keys = [
            "name",
            "sockets",
            "nodes",
            "llcs",
            "cores",
            "threads",
            "cluster",
            "numbering",
            "node_distance",
            "socket_distance",
            "reclaim_distance",
        ];
        self.known(table, "machine", &keys);
        let mut shape = Shape::default();
        let mut count = |key: &'static str, default: u16| {
            self.field(table, key, At::Machine(key), place, |value| {
                number(value, 1..=1024, "it is a count from 1 to 1024.")
            })
            .unwrap_or(default)
        };
        shape.sockets = count("sockets", 1);
        shape.nodes = count("nodes", 1);
        shape.llcs = count("llcs", 1);
        shape.cores = count("cores", 1);
        shape.threads = count("threads", 1);
        shape.cluster = match count("cluster", 0) {
            0 => None,
            cores => Some(cores),
        };
        let mut distance = |key: &'static str| {
            self.field(table, key, At::Machine(key), place, |value| {
                number(value, 10..=255, "a distance is 11 to 255; 10 is local.")
            })
        };
        shape.node_distance = distance("node_distance").unwrap_or(shape.node_distance);
        shape.socket_distance = distance("socket_distance").unwrap_or(shape.socket_distance);
        shape.reclaim_distance = distance("reclaim_distance");
        let name = self.field(table, "name", At::Machine("name"), place, |value| text(value, 100));
        shape.name = name.unwrap_or_default();
        let numbering = self.field(table, "numbering", At::Machine("numbering"), place, |value| {
            match value.as_str() {
                Some("siblings last") => Ok(false),
                Some("siblings adjacent") => Ok(true),
                _ => Err("write \"siblings last\" or \"siblings adjacent\".".to_string()),
            }
        });
        shape.siblings_adjacent = numbering.unwrap_or(false);
        MachineChoice::Shape(shape)
    }

    fn cpu_table(&mut self, table: &Table<'_>) -> MachineChoice {
        let place = "machine.";
        let keys = [
            "name",
            "cpus",
            "packages",
            "nodes",
            "coregroups",
            "llcs",
            "clusters",
            "cores",
            "distances",
            "reclaim_distance",
        ];
        self.known(table, "machine", &keys);
        let name = self.field(table, "name", At::Machine("name"), place, |value| text(value, 100));
        let cpus = self.field(table, "cpus", At::Machine("cpus"), place, |value| {
            number(value, 1..=1024, "a machine has 1 to 1024 CPUs.")
        });
        let mut lists = |key: &'static str| {
            self.field(table, key, At::Machine(key), place, cpu_lists).unwrap_or_default()
        };
        let mut machine = CpuTable {
            name: name.unwrap_or_default(),
            cpus: cpus.unwrap_or(1),
            packages: lists("packages"),
            nodes: lists("nodes"),
            coregroups: lists("coregroups"),
            llcs: lists("llcs"),
            clusters: lists("clusters"),
            cores: lists("cores"),
            ..CpuTable::default()
        };
        let distances = self.field(table, "distances", At::Machine("distances"), place, distances);
        machine.distances = distances.unwrap_or_default();
        machine.reclaim_distance = self.field(
            table,
            "reclaim_distance",
            At::Machine("reclaim_distance"),
            place,
            |value| number(value, 10..=255, "reclaim_distance is 10 to 255."),
        );
        if cpus.is_none() {
            // The CPUs of the lists would all seem to be wrong.
            self.broken.insert(At::Machine(""));
        }
        MachineChoice::Cpus(machine)
    }

    fn kernel(&mut self, value: &Value<'_>) -> KernelChoice {
        let line = self.line(value.span().start);
        self.lines.insert(At::Kernel(""), line);
        let mut kernel = KernelChoice::default();
        let table = match value.get_ref() {
            DeValue::String(preset) => {
                kernel.preset = preset.to_string();
                return kernel;
            }
            DeValue::Table(table) => table,
            _ => {
                self.broken.insert(At::Kernel(""));
                let hint = check::unknown_kernel("");
                let names = hint.split_once("; ").map_or("", |(_, names)| names);
                let sentence = format!("name a kernel in quotes; {names}");
                self.problem(Some(line), "kernel".to_string(), sentence);
                return kernel;
            }
        };
        let place = "kernel.";
        let keys = [
            "preset",
            "placement",
            "base_slice",
            "hz",
            "group_sched",
            "features",
            "latency",
            "min_granularity",
            "wakeup_granularity",
            "child_runs_first",
            "compat_yield",
            "governor",
            "clock",
            "smt",
            "turbo",
            "costs",
        ];
        self.known(table, "kernel", &keys);
        let preset =
            self.field(table, "preset", At::Kernel("preset"), place, |value| text(value, 100));
        kernel.preset = preset.unwrap_or(kernel.preset);
        kernel.placement =
            self.field(table, "placement", At::Kernel("placement"), place, |value| {
                text(value, 100)
            });
        let mut tunable = |key: &'static str| {
            self.field(table, key, At::Kernel(key), place, |value| {
                length_in(value, check::CFS_LENGTHS, check::CFS_SENTENCE)
            })
        };
        kernel.cfs.latency = tunable("latency");
        kernel.cfs.min_granularity = tunable("min_granularity");
        kernel.cfs.wakeup_granularity = tunable("wakeup_granularity");
        let mut switch =
            |key: &'static str| self.field(table, key, At::Kernel(key), place, yes_or_no);
        kernel.cfs.child_runs_first = switch("child_runs_first");
        kernel.cfs.compat_yield = switch("compat_yield");
        kernel.clock.governor =
            self.field(table, "governor", At::Kernel("governor"), place, |value| text(value, 100));
        kernel.clock.khz = self.field(table, "clock", At::Kernel("clock"), place, clocks);
        kernel.clock.smt =
            self.field(table, "smt", At::Kernel("smt"), place, |value| {
                match integer(value).ok().and_then(|smt| u8::try_from(smt).ok()) {
                    Some(smt) if check::SMT.contains(&smt) => Ok(smt),
                    _ => Err(check::SMT_SENTENCE.to_string()),
                }
            });
        kernel.clock.turbo =
            self.field(table, "turbo", At::Kernel("turbo"), place, turbo).unwrap_or_default();
        kernel.base_slice =
            self.field(table, "base_slice", At::Kernel("base_slice"), place, |value| {
                length_in(value, check::SLICES, check::BASE_SLICE_SENTENCE)
            });
        kernel.hz = self.field(table, "hz", At::Kernel("hz"), place, |value| {
            match integer(value).ok().and_then(|hz| u32::try_from(hz).ok()) {
                Some(hz) if check::HZ.contains(&hz) => Ok(hz),
                _ => Err(check::HZ_SENTENCE.to_string()),
            }
        });
        kernel.group_sched =
            self.field(table, "group_sched", At::Kernel("group_sched"), place, yes_or_no);
        if let Some(features) = table.get("features") {
            for (name, on) in self.features(features) {
                kernel.set_feature(&name, on);
            }
        }
        if let Some(costs) = table.get("costs") {
            kernel.costs = self.costs(costs);
        }
        kernel
    }

    fn features(&mut self, value: &Value<'_>) -> Vec<(String, bool)> {
        let line = self.line(value.span().start);
        self.lines.insert(At::Kernel("features"), line);
        let DeValue::Table(table) = value.get_ref() else {
            let sentence = "write it as { RUN_TO_PARITY = false }.".to_string();
            self.problem(Some(line), "kernel.features".to_string(), sentence);
            return Vec::new();
        };
        let mut features = Vec::new();
        for (key, value) in table {
            let name = key.get_ref().to_string();
            let place = format!("kernel.features.{}", clip(&name));
            if let Some(on) = self.value(value, At::Feature(name.clone()), &place, yes_or_no) {
                features.push((name, on));
            }
        }
        features
    }

    fn costs(&mut self, value: &Value<'_>) -> Costs {
        let line = self.line(value.span().start);
        self.lines.insert(At::Kernel("costs"), line);
        let table = match value.get_ref() {
            DeValue::Table(table) => table,
            DeValue::String(name) if name == "typical" => return Costs::Typical,
            DeValue::String(name) if name == "ideal" => return Costs::Ideal,
            _ => {
                let sentence = "write \"ideal\", \"typical\" or { context_switch = \"1us\" }.";
                self.problem(Some(line), "kernel.costs".to_string(), sentence.to_string());
                return Costs::Ideal;
            }
        };
        self.known(table, "kernel.costs", &["context_switch", "wake_ipi", "wakeup", "migrate_llc"]);
        let mut cost = |key: &'static str| {
            self.field(table, key, At::Kernel(key), "kernel.costs.", |value| {
                length_in(value, 0..=check::COST_MAX, check::COST_SENTENCE)
            })
            .unwrap_or(0)
        };
        Costs::Own {
            context_switch: cost("context_switch"),
            wake_ipi: cost("wake_ipi"),
            wakeup: cost("wakeup"),
            migrate_llc: cost("migrate_llc"),
        }
    }

    fn group(&mut self, at: usize, table: &Table<'_>) -> Group {
        let name = table.get("name").and_then(|name| name.get_ref().as_str());
        let base = match name {
            Some(name) if !name.is_empty() => format!("group.{}", clip(name)),
            _ => format!("group {}", at + 1),
        };
        self.known(table, &base, &["name", "shares", "latency_nice"]);
        if !table.contains_key("name") {
            self.broken.insert(At::Group(at, "name"));
            let line = self.lines.get(&At::Group(at, "")).copied();
            self.problem(line, base.clone(), "it needs a name, such as name = \"batch\".".into());
        }
        let place = format!("{base}.");
        let plain = Group::default();
        let name =
            self.field(table, "name", At::Group(at, "name"), &place, |value| text(value, 200));
        let shares = self.field(table, "shares", At::Group(at, "shares"), &place, |value| {
            number(value, check::SHARES, check::SHARES_SENTENCE)
        });
        let nice =
            self.field(table, "latency_nice", At::Group(at, "latency_nice"), &place, |value| {
                number(value, -20..=19, check::LATENCY_NICE_SENTENCE)
            });
        Group {
            name: name.unwrap_or_default(),
            shares: shares.unwrap_or(plain.shares),
            latency_nice: nice.unwrap_or(plain.latency_nice),
        }
    }

    fn row(&mut self, at: usize, table: &Table<'_>) -> Row {
        let name = table.get("name").and_then(|name| name.get_ref().as_str());
        let base = match name {
            Some(name) if !name.is_empty() => format!("task.{}", clip(name)),
            _ => format!("task {}", at + 1),
        };
        let place = format!("{base}.");
        let keys = [
            "name",
            "count",
            "nice",
            "latency_nice",
            "slice",
            "affinity",
            "group",
            "cpu",
            "at",
            "every",
            "start",
            "kthread",
            "letter",
            "colour",
            "muted",
            "program",
        ];
        self.known(table, &base, &keys);
        let mut row = Row::default();
        if !table.contains_key("name") {
            self.broken.insert(At::Row(at, "name"));
            let line = self.lines.get(&At::Row(at, "")).copied();
            self.problem(line, base.clone(), "it needs a name, such as name = \"editor\".".into());
        }
        let place = place.as_str();
        let text = |value: &DeValue<'_>| text(value, 200);
        row.name = self.field(table, "name", At::Row(at, "name"), place, text).unwrap_or_default();
        row.letter = self.field(table, "letter", At::Row(at, "letter"), place, text);
        row.colour = self.field(table, "colour", At::Row(at, "colour"), place, |value| {
            number(value, crate::face::COLOURS, check::COLOUR_SENTENCE)
        });
        let count = self.field(table, "count", At::Row(at, "count"), place, |value| {
            number(value, 1..=TASKS_MAX as u32, &format!("a count is 1 to {TASKS_MAX}."))
        });
        row.count = count.unwrap_or(1);
        let nice = self.field(table, "nice", At::Row(at, "nice"), place, |value| {
            number(value, -20..=19, check::NICE_SENTENCE)
        });
        row.nice = nice.unwrap_or(0);
        let nice = self.field(table, "latency_nice", At::Row(at, "latency_nice"), place, |value| {
            number(value, -20..=19, check::LATENCY_NICE_SENTENCE)
        });
        row.latency_nice = nice.unwrap_or(0);
        row.slice = self.field(table, "slice", At::Row(at, "slice"), place, |value| {
            length_in(value, check::SLICES, check::SLICE_SENTENCE)
        });
        row.affinity = self.field(table, "affinity", At::Row(at, "affinity"), place, cpus);
        row.group = self.field(table, "group", At::Row(at, "group"), place, text);
        row.group = row.group.filter(|group| group != ROOT);
        row.kthread =
            self.field(table, "kthread", At::Row(at, "kthread"), place, yes_or_no).unwrap_or(false);
        row.muted = self.field(table, "muted", At::Row(at, "muted"), place, yes_or_no);
        row.start = self.start(at, table, place);
        row.program = self.program(at, table, place);
        row
    }

    fn start(&mut self, at: usize, table: &Table<'_>, place: &str) -> Start {
        let on_fork =
            self.field(table, "start", At::Row(at, "start"), place, |value| match value.as_str() {
                Some("fork") => Ok(true),
                _ => Err("write start = \"fork\" for a task that only comes to be by a fork; \
                          otherwise leave it out, and say when with at."
                    .to_string()),
            });
        if on_fork == Some(true) {
            for key in ["at", "every", "cpu"] {
                if let Some(value) = table.get(key) {
                    let line = self.line(value.span().start);
                    let sentence = "a task that only comes to be by a fork starts where and when \
                                    it is forked; take this out."
                        .to_string();
                    self.problem(Some(line), format!("{place}{key}"), sentence);
                }
            }
            return Start::Fork;
        }
        let first = self.field(table, "at", At::Row(at, "at"), place, length);
        let every = self.field(table, "every", At::Row(at, "every"), place, length);
        let cpus = self.field(table, "cpu", At::Row(at, "cpu"), place, |value| {
            let wrong = "write a CPU, or a list such as \"0-7\" for the tasks to take in turn.";
            match value {
                DeValue::Integer(_) => number(value, 0..=1023, wrong).map(|cpu| vec![cpu]),
                DeValue::String(list) => cpu_list::parse_order(list),
                _ => Err(wrong.to_string()),
            }
        });
        Start::At {
            at: first.unwrap_or(0),
            every: every.unwrap_or(0),
            cpus: cpus.unwrap_or_default(),
        }
    }

    fn program(&mut self, at: usize, table: &Table<'_>, place: &str) -> Program {
        let Some(value) = table.get("program") else { return Program::default() };
        let here = At::Row(at, "program");
        let line = self.line(value.span().start);
        self.lines.insert(here.clone(), line);
        let wrong = "write the operations as one text of several lines, or as a list of texts.";
        // The text, and the line of each of its lines.
        let (mut text, mut lines) = (String::new(), Vec::new());
        match value.get_ref() {
            DeValue::String(program) => {
                let first = self.first_line_of(value.span());
                lines.extend((0..program.lines().count() as u32).map(|n| first + n));
                text = program.to_string();
            }
            DeValue::Array(items) => {
                for item in items.iter() {
                    let line = self.line(item.span().start);
                    let Some(operations) = item.get_ref().as_str() else {
                        self.broken.insert(here.clone());
                        self.problem(Some(line), format!("{place}program"), wrong.to_string());
                        continue;
                    };
                    for operation in operations.lines() {
                        text.push_str(operation);
                        text.push('\n');
                        lines.push(line);
                    }
                }
            }
            _ => {
                self.broken.insert(here.clone());
                self.problem(Some(line), format!("{place}program"), wrong.to_string());
            }
        }
        let line_of = |n: usize| lines.get(n).copied().unwrap_or(line);
        let (program, op_lines, problems) = Program::parse_lines(&text);
        for (op, n) in op_lines.into_iter().enumerate() {
            self.lines.insert(At::Op(at, op), line_of(n));
        }
        for (n, sentence) in problems {
            // What is said of the whole would be said of a program with holes.
            self.broken.insert(here.clone());
            self.problem(Some(line_of(n)), format!("{place}program"), sentence);
        }
        program
    }

    /// The line on which the content of a string starts: a multi-line one starts after its quotes.
    fn first_line_of(&self, span: Range<usize>) -> u32 {
        let raw = self.text.get(span.clone()).unwrap_or_default();
        let after = raw.strip_prefix("\"\"\"").or_else(|| raw.strip_prefix("'''"));
        let skipped = after.is_some_and(|text| text.starts_with('\n') || text.starts_with("\r\n"));
        self.line(span.start) + u32::from(skipped)
    }

    fn interrupt(&mut self, at: usize, table: &Table<'_>) -> Interrupt {
        let base = format!("interrupt {}", at + 1);
        let place = format!("{base}.");
        let place = place.as_str();
        self.known(table, &base, &["at", "every", "cpus", "wakes", "count"]);
        let line = self.lines.get(&At::Interrupt(at, "")).copied();
        for (key, example) in [("every", "\"1ms..2ms\""), ("wakes", "\"pipe\"")] {
            if !table.contains_key(key) {
                self.broken.insert(At::Interrupt(at, key));
                let sentence = format!("it needs {key}, such as {key} = {example}.");
                self.problem(line, base.clone(), sentence);
            }
        }
        let first = self.field(table, "at", At::Interrupt(at, "at"), place, length);
        let every = self.field(table, "every", At::Interrupt(at, "every"), place, |value| {
            text(value, 200)?.parse::<Length>()
        });
        let on = self.field(table, "cpus", At::Interrupt(at, "cpus"), place, cpus);
        let wakes =
            self.field(table, "wakes", At::Interrupt(at, "wakes"), place, |value| text(value, 200));
        let count = self.field(table, "count", At::Interrupt(at, "count"), place, |value| {
            number(value, 1..=TASKS_MAX as u32, check::COUNT_SENTENCE)
        });
        Interrupt {
            at: first.unwrap_or(0),
            every: every.unwrap_or(Length::Fixed(1_000_000)),
            cpus: on.unwrap_or(Cpus(CpuSet::one(schedscope_sim::units::CpuId(0)))),
            wakes: wakes.unwrap_or_default(),
            count: count.unwrap_or(1),
        }
    }

    fn input(&mut self, at: usize, table: &Table<'_>) -> Option<Input> {
        let base = format!("input {}", at + 1);
        let place = format!("{base}.");
        let mut keys = vec!["after"];
        keys.extend(INPUT_EDITS);
        self.known(table, &base, &keys);
        let line = self.lines.get(&At::Input(at, "")).copied();
        let after = self.field(table, "after", At::Input(at, "after"), &place, |value| {
            integer(value).ok().and_then(|n| u64::try_from(n).ok()).ok_or_else(|| {
                "it is the number of the step after which the change happens.".to_string()
            })
        });
        if !table.contains_key("after") {
            let sentence = "it needs the step after which it happens, such as after = 37.";
            self.problem(line, base.clone(), sentence.to_string());
        }
        let present: Vec<&str> =
            INPUT_EDITS.into_iter().filter(|key| table.contains_key(*key)).collect();
        let [key] = present[..] else {
            let edits = crate::problem::list(&INPUT_EDITS);
            let sentence = match present.len() {
                0 => format!("it changes nothing; add one of {edits}."),
                _ => "it changes several things; make an [[input]] of each.".to_string(),
            };
            self.problem(line, base, sentence);
            return None;
        };
        let value = table.get(key)?;
        let line = self.line(value.span().start);
        let place = format!("{base}.{key}");
        let of_group = key == "shares" || key == "group_latency_nice";
        for field in [if of_group { "group" } else { "task" }, key] {
            self.lines.insert(At::Input(at, static_key(field)), line);
        }
        let DeValue::Table(table) = value.get_ref() else {
            let example = if key == "kill" || key == "spawn" { "" } else { ", to = …" };
            let subject = if of_group { "group = \"batch\"" } else { "task = \"editor\"" };
            let sentence = format!("write it as {{ {subject}{example} }}.");
            self.problem(Some(line), place, sentence);
            return None;
        };
        let edit = self.edit(at, key, table, &place)?;
        Some(Input { after: after.unwrap_or(0), edit })
    }

    fn edit(&mut self, at: usize, key: &str, table: &Table<'_>, place: &str) -> Option<Edit> {
        if key == "shares" || key == "group_latency_nice" {
            return self.group_edit(at, key, table, place);
        }
        let keys: &[&str] = match key {
            "spawn" => &["task", "cpu"],
            "kill" => &["task"],
            _ => &["task", "to"],
        };
        self.known(table, place, keys);
        let line = self.lines.get(&At::Input(at, "task")).copied();
        let inner = format!("{place}.");
        let needs = |reader: &mut Self, key: &str| {
            if !table.contains_key(key) {
                let sentence = format!("it needs {key}, as in {{ task = \"editor\", to = … }}.");
                reader.problem(line, place.to_string(), sentence);
            }
        };
        needs(self, "task");
        let to = At::Input(at, static_key(key));
        let wrong_cpu = "write the number of a CPU.";
        if key == "spawn" {
            let name =
                self.field(table, "task", At::Input(at, "task"), &inner, |value| text(value, 100));
            let cpu =
                self.field(table, "cpu", to, &inner, |value| number(value, 0..=1023, wrong_cpu));
            return Some(Edit::Spawn(name?, cpu));
        }
        let who = self.field(table, "task", At::Input(at, "task"), &inner, who);
        if key == "kill" {
            return Some(Edit::Kill(who?));
        }
        needs(self, "to");
        let edit = match key {
            "nice" => Edit::Nice(
                who?,
                self.field(table, "to", to, &inner, |value| {
                    number(value, -20..=19, check::NICE_SENTENCE)
                })?,
            ),
            "latency_nice" => Edit::LatencyNice(
                who?,
                self.field(table, "to", to, &inner, |value| {
                    number(value, -20..=19, check::LATENCY_NICE_SENTENCE)
                })?,
            ),
            "slice" => Edit::Slice(
                who?,
                self.field(table, "to", to, &inner, |value| match value.as_str() {
                    Some("default") => Ok(None),
                    _ => length_in(value, check::SLICES, check::SLICE_SENTENCE).map(Some),
                })?,
            ),
            "affinity" => Edit::Affinity(
                who?,
                self.field(table, "to", to, &inner, |value| match value.as_str() {
                    Some("all") => Ok(None),
                    _ => cpus(value).map(Some),
                })?,
            ),
            "group" => Edit::Group(
                who?,
                self.field(table, "to", to, &inner, |value| {
                    let name = text(value, 200)?;
                    Ok((name != ROOT).then_some(name))
                })?,
            ),
            _ => Edit::Move(
                who?,
                self.field(table, "to", to, &inner, |value| number(value, 0..=1023, wrong_cpu))?,
            ),
        };
        Some(edit)
    }

    /// A change of a group.
    fn group_edit(&mut self, at: usize, key: &str, table: &Table<'_>, place: &str) -> Option<Edit> {
        self.known(table, place, &["group", "to"]);
        let line = self.lines.get(&At::Input(at, "group")).copied();
        for key in ["group", "to"] {
            if !table.contains_key(key) {
                let sentence = format!("it needs {key}, as in {{ group = \"batch\", to = … }}.");
                self.problem(line, place.to_string(), sentence);
            }
        }
        let inner = format!("{place}.");
        let group =
            self.field(table, "group", At::Input(at, "group"), &inner, |value| text(value, 200));
        let to = At::Input(at, static_key(key));
        Some(match key {
            "shares" => {
                let shares = self.field(table, "to", to, &inner, |value| {
                    number(value, check::SHARES, check::SHARES_SENTENCE)
                });
                Edit::Shares(group?, shares?)
            }
            _ => {
                let nice = self.field(table, "to", to, &inner, |value| {
                    number(value, -20..=19, check::LATENCY_NICE_SENTENCE)
                });
                Edit::GroupLatencyNice(group?, nice?)
            }
        })
    }
}

/// What an input can change; the keys of its table.
const INPUT_EDITS: [&str; 10] = [
    "nice",
    "latency_nice",
    "slice",
    "affinity",
    "move",
    "spawn",
    "kill",
    "group",
    "shares",
    "group_latency_nice",
];

/// The same key, living for ever.
fn static_key(key: &str) -> &'static str {
    ["task"].into_iter().chain(INPUT_EDITS).find(|known| *known == key).unwrap_or("")
}

fn text(value: &DeValue<'_>, most: usize) -> Read<String> {
    match value.as_str() {
        Some(text) if text.chars().count() <= most => Ok(text.to_string()),
        Some(_) => Err(format!("it is too long; the most is {most} characters.")),
        None => Err("write it as a text, in quotes.".to_string()),
    }
}

fn yes_or_no(value: &DeValue<'_>) -> Read<bool> {
    value.as_bool().ok_or_else(|| "write true or false, without quotes.".to_string())
}

fn integer(value: &DeValue<'_>) -> Read<i128> {
    let wrong = || "write a whole number, without quotes.".to_string();
    let integer = value.as_integer().ok_or_else(wrong)?;
    i128::from_str_radix(integer.as_str(), integer.radix()).map_err(|_| wrong())
}

fn number<T: TryFrom<i128> + PartialOrd>(
    value: &DeValue<'_>,
    range: RangeInclusive<T>,
    sentence: &str,
) -> Read<T> {
    match T::try_from(integer(value)?) {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(sentence.to_string()),
    }
}

fn seed(value: &DeValue<'_>) -> Read<u64> {
    let wrong = "a seed is a whole number from 0 to 18446744073709551615.";
    match value {
        DeValue::String(text) => text.trim().parse().map_err(|_| wrong.to_string()),
        value => number(value, 0..=u64::MAX, wrong),
    }
}

/// The lowest and the highest clock in kHz, as in "0.8GHz..3.5GHz".
fn clocks(value: &DeValue<'_>) -> Read<(u32, u32)> {
    let wrong = || "write the lowest and the highest clock as in \"0.8GHz..3.5GHz\".".to_string();
    let (min, max) = value.as_str().and_then(|text| text.split_once("..")).ok_or_else(wrong)?;
    Ok((khz(min).ok_or_else(wrong)?, khz(max).ok_or_else(wrong)?))
}

/// A clock, such as `3.5GHz`.
fn khz(text: &str) -> Option<u32> {
    // The decimals of a length of time, exact: 1 GHz is a million kHz, as 1 ms is a million ns.
    let units = [("GHz", "ms"), ("MHz", "us"), ("kHz", "ns")];
    let text = text.trim();
    let (number, time) =
        units.iter().find_map(|(hz, time)| Some((text.strip_suffix(hz)?, *time)))?;
    let khz = duration::parse(&format!("{}{time}", number.trim())).ok()?;
    Some(u32::try_from(khz).unwrap_or(u32::MAX))
}

fn turbo(value: &DeValue<'_>) -> Read<Vec<(u16, u32)>> {
    let DeValue::Table(table) = value else { return Err(check::TURBO_SENTENCE.to_string()) };
    let step = |(cores, clock): (&Spanned<Cow<'_, str>>, &Value<'_>)| {
        Some((cores.get_ref().parse().ok()?, khz(clock.get_ref().as_str()?)?))
    };
    let steps: Option<Vec<(u16, u32)>> = table.iter().map(step).collect();
    let mut steps = steps.ok_or_else(|| check::TURBO_SENTENCE.to_string())?;
    steps.sort_unstable();
    Ok(steps)
}

fn length(value: &DeValue<'_>) -> Read<u64> {
    match value {
        DeValue::String(text) => duration::parse(text),
        DeValue::Integer(number) => {
            Err(format!("write a unit, and in quotes, such as \"{number}ms\"."))
        }
        DeValue::Float(number) => {
            Err(format!("write a unit, and in quotes, such as \"{number}ms\"."))
        }
        _ => Err("write a length of time in quotes, such as \"1.5ms\".".to_string()),
    }
}

fn length_in(value: &DeValue<'_>, range: RangeInclusive<u64>, sentence: &str) -> Read<u64> {
    let ns = length(value)?;
    if range.contains(&ns) { Ok(ns) } else { Err(sentence.to_string()) }
}

fn cpus(value: &DeValue<'_>) -> Read<Cpus> {
    match value {
        DeValue::String(list) => cpu_list::parse(list).map(Cpus),
        DeValue::Integer(_) => {
            let cpu = number(value, 0..=1023_u16, "a CPU is 0 to 1023.")?;
            Ok(Cpus(CpuSet::one(schedscope_sim::units::CpuId(cpu))))
        }
        _ => Err("write a list of CPUs in quotes, such as \"0-15,128-143\".".to_string()),
    }
}

fn cpu_lists(value: &DeValue<'_>) -> Read<Vec<Cpus>> {
    let wrong = || "write a list of CPU lists, such as [\"0-7\", \"8-15\"].".to_string();
    let array = value.as_array().ok_or_else(wrong)?;
    if array.len() > 1024 {
        return Err("there are at most 1024 of them.".to_string());
    }
    array.iter().map(|list| cpus(list.get_ref())).collect()
}

fn distances(value: &DeValue<'_>) -> Read<Vec<Vec<u16>>> {
    let wrong = || "write one row a node, such as [[10, 21], [21, 10]].".to_string();
    let rows = value.as_array().ok_or_else(wrong)?;
    if rows.len() > 1024 {
        return Err(wrong());
    }
    let row = |row: &Value<'_>| {
        let row = row.get_ref().as_array().ok_or_else(wrong)?;
        row.iter().map(|n| number(n.get_ref(), 0..=1000_u16, &wrong())).collect()
    };
    rows.iter().map(row).collect()
}

/// A task by name, by name and instance ("editor#3"), or by number.
fn who(value: &DeValue<'_>) -> Read<Who> {
    let wrong =
        "name a task, one of its instances as in \"editor#3\", or give the number of a task.";
    match value {
        DeValue::Integer(_) => number(value, 0..=TASKS_MAX as u32, wrong).map(Who::Task),
        DeValue::String(text) => match text.split_once('#') {
            None => Ok(Who::Row(text.to_string())),
            Some((name, instance)) => {
                let instance = instance.parse().map_err(|_| wrong.to_string())?;
                Ok(Who::Instance(name.to_string(), instance))
            }
        },
        _ => Err(wrong.to_string()),
    }
}
