//! lscpu's tables (`-e`, `-p`, `-e -J`), and its summary (`lscpu`, `lscpu -J`).

use super::{Found, Kind, LEVELS, Listing, Row, USUAL, USUAL_ZEN, are, hwloc};
use crate::cpu_list;
use crate::duration::clip;
use crate::problem::{Problem, list};
use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::order;
use schedscope_sim::units::{CPUS_MAX, CpuId};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn recognise(text: &str) -> Option<Kind> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next()?;
    if first.split_whitespace().any(|word| word == "CPU")
        && !first.starts_with('#')
        && !first.contains(':')
        || is_header(first)
    {
        return Some(Kind::LscpuTable);
    }
    let header =
        |line: &str| line.starts_with("# ") && line.to_ascii_uppercase().starts_with("# CPU,");
    if text.lines().take(20).any(header) {
        return Some(Kind::LscpuParsable);
    }
    text.lines()
        .take(100)
        .any(|line| line.trim_start().starts_with("CPU(s):"))
        .then_some(Kind::LscpuSummary)
}

/// A line of column names of `lscpu -e`.
fn is_header(line: &str) -> bool {
    let known = ["CPU", "CORE", "SOCKET", "NODE", "ONLINE", "CLUSTER"];
    let words: Vec<&str> = line.split_whitespace().collect();
    words.iter().filter(|word| known.contains(word)).count() >= 2
}

/// One CPU: what each column says.
struct Line {
    number: Option<u32>,
    /// Which entry of the list it is, from 1, where there are no lines.
    entry: Option<usize>,
    cells: Vec<String>,
}

impl Line {
    fn place(&self) -> String {
        self.entry.map_or_else(|| "file".to_string(), |entry| format!("file, entry {entry}"))
    }
}

pub(super) fn read_table(text: &str) -> Result<Found, Vec<Problem>> {
    let mut lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let Some((header, _)) = lines.next() else { return Err(no_rows()) };
    let columns: Vec<String> = header.split_whitespace().map(str::to_uppercase).collect();
    let mut problems = Vec::new();
    let mut rows = Vec::new();
    for (line, number) in lines.take(CPUS_MAX + 1) {
        let mut cells: Vec<String> = line.split_whitespace().map(str::to_string).collect();
        // A model name is the only cell with spaces in it.
        if let Some(model) = columns.iter().position(|name| name == "MODELNAME")
            && cells.len() > columns.len()
        {
            let last = model + cells.len() - columns.len();
            let joined = cells[model..=last].join(" ");
            cells.splice(model..=last, [joined]);
        }
        if cells.len() != columns.len() {
            let sentence =
                format!("this row has {} cells for {} columns.", cells.len(), columns.len());
            problems.push(Problem::new("file", sentence).on_line(number));
            continue;
        }
        rows.push(Line { number: Some(number), entry: None, cells });
    }
    read_lines(Kind::LscpuTable, &columns, rows, problems)
}

pub(super) fn read_parsable(text: &str) -> Result<Found, Vec<Problem>> {
    let is_header =
        |line: &&str| line.starts_with("# ") && line.to_ascii_uppercase().starts_with("# CPU,");
    let header = text.lines().find(is_header).unwrap_or("# CPU");
    let columns: Vec<String> =
        header[2..].split(',').map(|name| name.trim().to_ascii_uppercase()).collect();
    let mut problems = Vec::new();
    let mut rows = Vec::new();
    let lines = text.lines().zip(1..);
    let lines = lines.filter(|(line, _)| !line.trim().is_empty() && !line.starts_with('#'));
    for (line, number) in lines.take(CPUS_MAX + 1) {
        let cells: Vec<String> = line.split(',').map(|cell| cell.trim().to_string()).collect();
        if cells.len() != columns.len() {
            let sentence =
                format!("this row has {} cells for {} columns.", cells.len(), columns.len());
            problems.push(Problem::new("file", sentence).on_line(number));
            continue;
        }
        rows.push(Line { number: Some(number), entry: None, cells });
    }
    read_lines(Kind::LscpuParsable, &columns, rows, problems)
}

pub(super) fn read_json(text: &str) -> Result<Found, Vec<Problem>> {
    let json = parse_json(text)?;
    let problem = |sentence: &str| vec![Problem::new("file", sentence)];
    let Some(cpus) = json.get("cpus").and_then(Value::as_array) else {
        return Err(problem(
            "it is JSON, but not lscpu's: it has no list of \"cpus\"; make it by \"lscpu -e -J\".",
        ));
    };
    let mut columns: Vec<String> = Vec::new();
    for cpu in cpus.iter().take(CPUS_MAX + 1) {
        for name in cpu.as_object().into_iter().flat_map(|cpu| cpu.keys()) {
            let name = name.to_ascii_uppercase();
            if !columns.contains(&name) && columns.len() < 64 {
                columns.push(name);
            }
        }
    }
    let mut problems = Vec::new();
    let mut rows = Vec::new();
    for (at, cpu) in cpus.iter().enumerate().take(CPUS_MAX + 1) {
        let Some(cpu) = cpu.as_object() else {
            problems.push(Problem::new("file", format!("entry {} is no CPU.", at + 1)));
            continue;
        };
        let mut cells = vec!["-".to_string(); columns.len()];
        for (name, value) in cpu {
            if let Some(column) =
                columns.iter().position(|other| *other == name.to_ascii_uppercase())
            {
                cells[column] = match value {
                    Value::String(text) => text.clone(),
                    Value::Null => "-".to_string(),
                    value => value.to_string(),
                };
            }
        }
        rows.push(Line { number: None, entry: Some(at + 1), cells });
    }
    read_lines(Kind::LscpuJson, &columns, rows, problems)
}

fn parse_json(text: &str) -> Result<Value, Vec<Problem>> {
    serde_json::from_str(text).map_err(|error| {
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or(&what).to_string();
        let line = u32::try_from(error.line()).unwrap_or(1).max(1);
        vec![Problem::new("file", format!("this is not JSON: {what}.")).on_line(line)]
    })
}

fn no_rows() -> Vec<Problem> {
    vec![Problem::new("file", "it lists no CPU.")]
}

/// What a column is about.
enum Column {
    Cpu,
    Core,
    Socket,
    Cluster,
    Node,
    Online,
    Model,
    /// A cache of one level, from 1.
    Cache(usize),
    /// Several caches in one cell, divided by colons.
    Caches(Vec<Option<usize>>),
    Other,
}

impl Column {
    fn of(name: &str) -> Column {
        match name {
            "CPU" => Column::Cpu,
            "CORE" => Column::Core,
            "SOCKET" => Column::Socket,
            "CLUSTER" => Column::Cluster,
            "NODE" => Column::Node,
            "ONLINE" => Column::Online,
            "MODELNAME" => Column::Model,
            name if name.contains(':') => Column::Caches(name.split(':').map(level_of).collect()),
            name => level_of(name).map_or(Column::Other, Column::Cache),
        }
    }
}

/// "L2" is 2, "L1D" is 1; "L1I" holds no data.
fn level_of(name: &str) -> Option<usize> {
    let level = name.strip_prefix('L')?.trim_end_matches('D');
    level.parse().ok().filter(|level| (1..=LEVELS).contains(level))
}

/// Rows of columns, whatever they were written in.
fn read_lines(
    kind: Kind,
    columns: &[String],
    lines: Vec<Line>,
    mut problems: Vec<Problem>,
) -> Result<Found, Vec<Problem>> {
    let has = |name: &str| columns.iter().any(|column| column == name);
    let missing: Vec<&str> = ["CPU", "CORE"].into_iter().filter(|name| !has(name)).collect();
    if !missing.is_empty() {
        let (columns, are) = match missing.len() {
            1 => ("column", "is"),
            _ => ("columns", "are"),
        };
        return Err(vec![Problem::new(
            "file",
            format!(
                "the {columns} {} {are} missing; make it by \"lscpu \
                 -e=CPU,CORE,SOCKET,NODE,CACHE,ONLINE\".",
                list(&missing)
            ),
        )]);
    }
    let kinds: Vec<Column> = columns.iter().map(|name| Column::of(name)).collect();
    let (mut rows, mut offline, mut model) = (Vec::new(), BTreeSet::new(), String::new());
    for line in &lines {
        match row(&kinds, columns, line) {
            Ok((row, true)) => rows.push(row),
            Ok((row, false)) => {
                offline.insert(row.cpu);
            }
            Err(sentence) => {
                problems.push(Problem { line: line.number, ..Problem::new(line.place(), sentence) })
            }
        }
        let cell = kinds.iter().position(|kind| matches!(kind, Column::Model));
        if let Some(cell) = cell.filter(|_| model.is_empty()) {
            model.clone_from(&line.cells[cell]);
        }
    }
    if lines.len() > CPUS_MAX {
        problems.push(Problem::new("file", format!("it has more than {CPUS_MAX} CPUs.")));
    }
    if rows.is_empty() && problems.is_empty() {
        return Err(no_rows());
    }
    if !problems.is_empty() {
        order::sort_by_key(&mut problems, |problem| problem.line);
        return Err(problems);
    }
    let mut notes = Vec::new();
    if !offline.is_empty() {
        notes.push(format!("{} offline and left out.", are(&offline)));
    }
    for (column, what) in [
        ("SOCKET", "all CPUs are taken to be in one package"),
        ("NODE", "each package is taken to be a node"),
    ] {
        let said =
            if column == "NODE" { rows.iter().any(|row| row.node.is_some()) } else { has(column) };
        if !said && (column == "SOCKET" || has("SOCKET")) {
            notes.push(format!("The table has no {column} column, so {what}."));
        }
    }
    if rows.iter().all(|row| row.node.is_none()) {
        rows.iter_mut().for_each(|row| row.node = Some(row.package));
    }
    let packages = order::tree::<_, BTreeSet<_>>(rows.iter().map(|row| row.package)).len();
    if model == "-" {
        model.clear();
    }
    let zen = ["AMD EPYC", "AMD Ryzen"].iter().any(|zen| model.starts_with(zen));
    let nodes = order::tree::<_, BTreeSet<_>>(rows.iter().filter_map(|row| row.node)).len();
    if nodes > 1 {
        notes.push(unknown_distances(zen));
    }
    let name = hwloc::name(&model, packages, "lscpu");
    let distances = if zen { USUAL_ZEN } else { USUAL };
    Listing { kind, name, rows, distances, reclaim: zen.then_some(32), notes }.finish()
}

fn unknown_distances(zen: bool) -> String {
    format!(
        "lscpu does not say how far the nodes are from one another; taken are 10 within a node, 12 \
         within a package and {} between packages. A file of lstopo says it.",
        if zen { 32 } else { 21 }
    )
}

/// A row, and whether the CPU is online.
fn row(kinds: &[Column], columns: &[String], line: &Line) -> Result<(Row, bool), String> {
    let mut row = Row { line: line.number, ..Row::default() };
    let (mut online, mut core) = (true, None);
    for ((kind, column), cell) in kinds.iter().zip(columns).zip(&line.cells) {
        let number = || match cell.as_str() {
            "" | "-" => Ok(None),
            cell => cell.parse::<u32>().map(Some).map_err(|_| {
                format!("\"{}\" is no number; the column {column} holds one.", clip(cell))
            }),
        };
        match kind {
            Column::Cpu => {
                row.cpu = number()?.ok_or("this row does not say which CPU it is about.")?;
            }
            Column::Core => core = number()?,
            Column::Socket => row.package = number()?.unwrap_or(0),
            Column::Cluster => row.cluster = number()?,
            Column::Node => row.node = number()?,
            Column::Online => match cell.to_ascii_lowercase().as_str() {
                "yes" | "y" | "true" | "1" => {}
                "no" | "n" | "false" | "0" => online = false,
                _ => {
                    return Err(format!(
                        "\"{}\" is neither yes nor no; the column ONLINE holds one of them.",
                        clip(cell)
                    ));
                }
            },
            Column::Cache(level) => row.caches[level - 1] = number()?,
            Column::Caches(levels) => {
                let parts: Vec<&str> = cell.split(':').collect();
                if cell != "-" && parts.len() != levels.len() {
                    return Err(format!(
                        "\"{}\" does not fit the column {column}: it needs {} numbers.",
                        clip(cell),
                        levels.len()
                    ));
                }
                for (level, part) in levels.iter().zip(parts) {
                    let Some(level) = level else { continue };
                    row.caches[level - 1] = match part {
                        "" | "-" => None,
                        part => Some(part.parse().map_err(|_| {
                            format!("\"{}\" is no list of caches such as 0:0:0:0.", clip(cell))
                        })?),
                    };
                }
            }
            Column::Model | Column::Other => {}
        }
    }
    match core {
        Some(core) => row.core = core,
        // lscpu knows nothing of a CPU that is offline.
        None => online = false,
    }
    Ok((row, online))
}

/// What the summary says, by name without its colon.
fn fields(text: &str) -> Result<BTreeMap<String, String>, Vec<Problem>> {
    let mut fields = BTreeMap::new();
    let mut add = |name: &str, value: &str| {
        let name = name.trim().trim_end_matches(':').to_string();
        fields.entry(name).or_insert_with(|| value.trim().to_string());
    };
    if !text.trim_start().starts_with('{') {
        for line in text.lines() {
            if let Some((name, value)) = line.split_once(':') {
                add(name, value);
            }
        }
        return Ok(fields);
    }
    let json = parse_json(text)?;
    let mut open: Vec<&Value> = json.get("lscpu").into_iter().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Array(values) => open.extend(values),
            Value::Object(object) => {
                let get = |key| object.get(key).and_then(Value::as_str);
                if let (Some(name), Some(data)) = (get("field"), get("data")) {
                    add(name, data);
                }
                open.extend(object.get("children"));
            }
            _ => {}
        }
    }
    Ok(fields)
}

pub(super) fn read_summary(text: &str) -> Result<Found, Vec<Problem>> {
    let fields = fields(text)?;
    let get = |name: &str| fields.get(name).map(String::as_str);
    let better = "make a table by \"lscpu -e\"";
    let mut problems = Vec::new();
    let mut count = |name: &str, default: Option<usize>| match get(name) {
        Some(text) => match text.parse::<usize>() {
            Ok(n) if (1..=CPUS_MAX).contains(&n) => n,
            _ => {
                let sentence = format!(
                    "\"{name}: {}\" is no count from 1 to {CPUS_MAX}; {better}.",
                    clip(text)
                );
                problems.push(Problem::new("file", sentence));
                1
            }
        },
        None => default.unwrap_or_else(|| {
            problems.push(Problem::new("file", format!("it does not say \"{name}\"; {better}.")));
            1
        }),
    };
    let cpus = count("CPU(s)", None);
    let threads = count("Thread(s) per core", None);
    let sockets = count("Socket(s)", Some(1));
    let per_cluster = "Core(s) per cluster";
    let per_socket = match get("Core(s) per socket") {
        Some("-") | None if get(per_cluster).is_some() => {
            count(per_cluster, None) * count("Cluster(s)", Some(1)) / sockets.max(1)
        }
        _ => count("Core(s) per socket", None),
    };
    if !problems.is_empty() {
        return Err(problems);
    }
    let problem = |sentence: String| vec![Problem::new("file", sentence)];
    let cores = sockets * per_socket;
    if cores * threads != cpus {
        return Err(problem(format!(
            "sockets × cores × threads is {sockets} × {per_socket} × {threads}, but there are {cpus} \
             CPUs, so some are offline or of another kind; {better}, which tells them apart."
        )));
    }
    let nodes = summary_nodes(&fields, cpus)?;
    let (adjacent, certain) = siblings_adjacent(&nodes, cores, threads);
    let core_of = |cpu: usize| if adjacent { cpu / threads } else { cpu % cores };
    let mut notes = vec![
        "A summary does not say which CPU is where, so this is the usual order; a table made by \
         \"lscpu -e\" says it."
            .to_string(),
    ];
    if threads > 1 && !certain {
        notes.push(match adjacent {
            true => "The threads of a core are taken to have adjacent numbers.".to_string(),
            false => format!("The threads of a core are taken to be CPU n and n + {cores}."),
        });
    }
    let caches: Vec<(usize, usize)> =
        (2..=LEVELS).filter_map(|level| Some((level, instances(&fields, level)?))).collect();
    let rows = (0..cpus).map(|cpu| {
        let core = core_of(cpu);
        let package = core / per_socket;
        let mut row = Row {
            cpu: cpu as u32,
            core: core as u32,
            package: package as u32,
            node: nodes.iter().position(|set| set.contains(CpuId(cpu as u16))).map(|n| n as u32),
            ..Row::default()
        };
        for &(level, instances) in &caches {
            // Caches without a count are one for each socket at the third level, one a core below.
            let instances = match (instances, level) {
                (0, 3..) => sockets,
                (0, _) => cores,
                (n, _) => n,
            };
            row.caches[level - 1] = Some((core * instances / cores) as u32);
        }
        if row.node.is_none() {
            row.node = Some(row.package);
        }
        row
    });
    let rows = rows.collect();
    let zen = matches!(get("Vendor ID"), Some("AuthenticAMD" | "HygonGenuine"))
        && get("CPU family").and_then(|family| family.parse().ok()).is_some_and(|f: u32| f >= 0x17);
    if nodes.len() > 1 {
        notes.push(unknown_distances(zen));
    }
    let name = hwloc::name(get("Model name").unwrap_or_default(), sockets, "lscpu");
    let distances = if zen { USUAL_ZEN } else { USUAL };
    let reclaim = zen.then_some(32);
    Listing { kind: Kind::LscpuSummary, name, rows, distances, reclaim, notes }.finish()
}

/// The CPUs of each node that has any.
fn summary_nodes(
    fields: &BTreeMap<String, String>,
    cpus: usize,
) -> Result<Vec<CpuSet>, Vec<Problem>> {
    let mut nodes = BTreeMap::new();
    let mut seen = CpuSet::EMPTY;
    for (name, value) in fields {
        let number = name.strip_prefix("NUMA node").and_then(|rest| rest.strip_suffix(" CPU(s)"));
        let Some(number) = number.and_then(|number| number.trim().parse::<u32>().ok()) else {
            continue;
        };
        if value.is_empty() || value == "-" {
            continue;
        }
        let wrong = |sentence: String| vec![Problem::new(format!("NUMA node{number}"), sentence)];
        let set = cpu_list::parse(value).map_err(wrong)?;
        if !set.is_subset(&CpuSet::first(cpus)) || set.intersects(&seen) {
            return Err(wrong(format!(
                "its CPUs {} are in another node too, or beyond the {cpus} CPUs of the machine.",
                clip(value)
            )));
        }
        seen = seen.or(&set);
        nodes.insert(number, set);
    }
    Ok(nodes.into_values().collect())
}

/// Which numbers the threads of a core have, and whether the nodes leave only this one.
fn siblings_adjacent(nodes: &[CpuSet], cores: usize, threads: usize) -> (bool, bool) {
    let fits = |core_of: &dyn Fn(usize) -> usize| {
        nodes.iter().all(|node| {
            let mut seen: BTreeMap<usize, usize> = BTreeMap::new();
            node.iter().for_each(|cpu| *seen.entry(core_of(cpu.index())).or_default() += 1);
            seen.values().all(|&n| n == threads)
        })
    };
    let last = fits(&|cpu| cpu % cores);
    let adjacent = fits(&|cpu| cpu / threads);
    (adjacent && !last, adjacent != last)
}

/// How many caches of a level there are; 0 if only that there are some is known.
fn instances(fields: &BTreeMap<String, String>, level: usize) -> Option<usize> {
    let value =
        fields.get(&format!("L{level} cache")).or_else(|| fields.get(&format!("L{level}")))?;
    let counted = value.split_once('(').and_then(|(_, rest)| rest.split_whitespace().next());
    let counted = counted.and_then(|n| n.parse().ok()).filter(|n| (1..=CPUS_MAX).contains(n));
    Some(counted.unwrap_or(0))
}
