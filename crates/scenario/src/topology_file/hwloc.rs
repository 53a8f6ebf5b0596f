//! hwloc's XML, of version 1 and 2: `lstopo --of xml`.

use super::{Found, Kind, LEVELS, Listing, Row, USUAL, USUAL_ZEN};
use crate::problem::Problem;
use roxmltree::{Document, Node, ParsingOptions};
use schedscope_sim::order;
use schedscope_sim::topology::Distances;
use schedscope_sim::units::CPUS_MAX;
use std::collections::{BTreeMap, BTreeSet};

/// More elements than any machine of [`CPUS_MAX`] CPUs has.
const ELEMENTS_MAX: u32 = 400_000;

pub(super) fn read(text: &str) -> Result<Found, Vec<Problem>> {
    let options =
        ParsingOptions { allow_dtd: true, nodes_limit: ELEMENTS_MAX, entity_resolver: None };
    let xml = Document::parse_with_options(text, options).map_err(|error| {
        let line = match error {
            roxmltree::Error::UnexpectedEndOfStream => text.lines().count().max(1) as u32,
            _ => error.pos().row,
        };
        let what = error.to_string();
        // The position comes as the line of the problem.
        let what = what.split(" at ").next().unwrap_or(&what).trim_end_matches('.').to_string();
        vec![Problem::new("file", format!("this is not XML: {what}.")).on_line(line)]
    })?;
    let root = xml.root_element();
    if !root.has_tag_name("topology") {
        let sentence = format!(
            "it is XML, but not hwloc's: it begins with <{}>, not with <topology>; make it by \
             \"lstopo --of xml\".",
            root.tag_name().name()
        );
        return Err(vec![Problem::new("file", sentence).on_line(line_of(root))]);
    }
    let mut problems = Vec::new();
    let mut rows = rows(root, &mut problems);
    if rows.is_empty() && problems.is_empty() {
        problems.push(Problem::new(
            "file",
            "it has no PU, hwloc's word for a CPU; make it by \"lstopo --of xml\" without a \
             filter.",
        ));
    }
    if rows.len() > CPUS_MAX {
        let sentence = format!("it has {} CPUs; the most is {CPUS_MAX}.", rows.len());
        problems.push(Problem::new("file", sentence));
    }
    let nodes: BTreeSet<u32> = order::tree(rows.iter().filter_map(|row| row.node));
    let infos = infos(root);
    let info = |name: &str| infos.get(name).map_or("", String::as_str);
    let zen = matches!(info("CPUVendor"), "AuthenticAMD" | "HygonGenuine")
        && info("CPUFamilyNumber").parse().is_ok_and(|family: u32| family >= 0x17);
    let power = info("Architecture").starts_with("ppc64");
    let mut notes = Vec::new();
    if power && cut_cores(&mut rows) {
        notes.push(
            "The threads of a core have several last-level caches, so the core counts as several, as \
             the kernel's scheduler sees it on POWER."
                .to_string(),
        );
    }
    let usual = if zen { USUAL_ZEN } else { USUAL };
    let distances = match distances(root, &nodes, &mut problems) {
        Some(table) => Distances::Table(table),
        None => {
            if nodes.len() > 1 {
                notes.push(format!(
                    "The file has no distances between its nodes; taken are 10 within a node, 12 \
                     within a package and {} between packages.",
                    if zen { 32 } else { 21 }
                ));
            }
            usual
        }
    };
    if !problems.is_empty() {
        return Err(problems);
    }
    let packages = order::tree::<_, BTreeSet<_>>(rows.iter().map(|row| row.package)).len();
    let name = name(info("CPUModel"), packages, "hwloc");
    let reclaim = if zen { Some(32) } else { power.then_some(10) };
    Listing { kind: Kind::HwlocXml, name, rows, distances, reclaim, notes }.finish()
}

/// "2 × AMD EPYC 7763 64-Core Processor", or "machine from lscpu".
pub(super) fn name(model: &str, packages: usize, tool: &str) -> String {
    let model: String = model.split_whitespace().collect::<Vec<_>>().join(" ");
    let model: String = model.replace("(R)", "").replace("(TM)", "").chars().take(80).collect();
    match (model.is_empty(), packages) {
        (true, _) => format!("machine from {tool}"),
        (false, 1) => model,
        (false, _) => format!("{packages} × {model}"),
    }
}

fn line_of(node: Node<'_, '_>) -> u32 {
    node.document().text_pos_at(node.range().start).row
}

fn objects<'a, 'i>(root: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    root.descendants().filter(|node| node.has_tag_name("object"))
}

fn kind<'a>(node: Node<'a, '_>) -> &'a str {
    node.attribute("type").unwrap_or_default()
}

fn os_index(node: Node<'_, '_>) -> Option<u32> {
    node.attribute("os_index")?.trim().parse().ok()
}

/// Facts about the machine, of which the first of a name counts.
fn infos(root: Node<'_, '_>) -> BTreeMap<String, String> {
    let mut infos = BTreeMap::new();
    for info in root.descendants().filter(|node| node.has_tag_name("info")) {
        if let (Some(name), Some(value)) = (info.attribute("name"), info.attribute("value")) {
            infos.entry(name.to_string()).or_insert_with(|| value.to_string());
        }
    }
    infos
}

/// One row for each PU. Ids are the order in the file, because those of the system need not be
/// unique.
fn rows(root: Node<'_, '_>, problems: &mut Vec<Problem>) -> Vec<Row> {
    let nodes = nodes(root, problems);
    let mut rows = Vec::new();
    for pu in objects(root).filter(|object| kind(*object) == "PU") {
        let line = Some(line_of(pu));
        if rows.len() > CPUS_MAX {
            break;
        }
        let Some(cpu) = os_index(pu) else {
            let sentence = "this PU has no os_index, the number of its CPU.";
            problems.push(Problem { line, ..Problem::new("file", sentence) });
            continue;
        };
        let id = |node: Node<'_, '_>| node.id().get();
        let mut row = Row { cpu, core: id(pu), line, ..Row::default() };
        let mut has_core = false;
        for object in pu.ancestors().filter(|node| node.has_tag_name("object")) {
            match kind(object) {
                "Core" if !has_core => (row.core, has_core) = (id(object), true),
                "Package" | "Socket" => row.package = id(object),
                "Group" if object.attribute("subtype") == Some("Cluster") => {
                    row.cluster.get_or_insert(id(object));
                }
                kind => {
                    if let Some(level) = cache_level(kind, object) {
                        row.caches[level - 1].get_or_insert(id(object));
                    }
                }
            }
        }
        row.node = nodes.get(&id(pu)).copied();
        rows.push(row);
    }
    rows
}

/// Cuts cores at their last-level caches (R6.6.1); says whether there was something to cut.
fn cut_cores(rows: &mut [Row]) -> bool {
    let llc = |row: &Row| row.caches[1..].iter().rev().find_map(|cache| *cache);
    let mut parts: BTreeMap<(u32, Option<u32>), u32> = BTreeMap::new();
    for row in rows.iter() {
        let next = parts.len() as u32;
        parts.entry((row.core, llc(row))).or_insert(next);
    }
    let cores: BTreeSet<u32> = order::tree(rows.iter().map(|row| row.core));
    let several = parts.len() > cores.len();
    for row in rows.iter_mut().filter(|_| several) {
        row.core = parts[&(row.core, llc(row))];
    }
    several
}

/// The level of a cache for data, from 1; `None` for anything else.
fn cache_level(kind: &str, object: Node<'_, '_>) -> Option<usize> {
    let level = match kind {
        "L1Cache" => 1,
        "L2Cache" => 2,
        "L3Cache" => 3,
        "L4Cache" => 4,
        "L5Cache" => 5,
        // Version 1; type 2 is for instructions.
        "Cache" if object.attribute("cache_type") != Some("2") => {
            object.attribute("depth")?.trim().parse().ok()?
        }
        _ => return None,
    };
    (1..=LEVELS).contains(&level).then_some(level)
}

/// The node of each PU, by the PU's id: the node it is in (version 1), or the node that is attached
/// to an object it is in (version 2). Of several the lowest, as further ones hold no CPU.
fn nodes(root: Node<'_, '_>, problems: &mut Vec<Problem>) -> BTreeMap<u32, u32> {
    let mut of = BTreeMap::new();
    // Inner nodes come last, so that they have the last word.
    let mut found: Vec<(usize, u32, Node<'_, '_>)> = Vec::new();
    for node in objects(root).filter(|object| kind(*object) == "NUMANode").take(CPUS_MAX) {
        let Some(index) = os_index(node) else {
            let sentence = "this NUMANode has no os_index, its number.";
            problems.push(Problem::new("file", sentence).on_line(line_of(node)));
            continue;
        };
        let is_pu = |object: &Node<'_, '_>| kind(*object) == "PU";
        let around = if objects(node).any(|object| is_pu(&object)) {
            Some(node)
        } else {
            // Memory-side caches stand between a node and where it is attached.
            node.ancestors().skip(1).find(|above| objects(*above).any(|object| is_pu(&object)))
        };
        if let Some(around) = around {
            found.push((around.ancestors().count(), index, around));
        }
    }
    // Outer before inner; of equals the lowest last.
    order::sort_by_key(&mut found, |(depth, index, _)| (*depth, std::cmp::Reverse(*index)));
    for (_, index, around) in found {
        for pu in objects(around).filter(|object| kind(*object) == "PU") {
            of.insert(pu.id().get(), index);
        }
    }
    of
}

/// The distances between the nodes that have CPUs, if the file has them.
fn distances(
    root: Node<'_, '_>,
    nodes: &BTreeSet<u32>,
    problems: &mut Vec<Problem>,
) -> Option<Vec<Vec<u16>>> {
    if nodes.len() < 2 {
        return None;
    }
    let second = |node: &Node<'_, '_>| {
        node.has_tag_name("distances2") && node.attribute("type") == Some("NUMANode")
    };
    // The latencies, if other kinds of distances are there too.
    let all: Vec<_> = root.descendants().filter(second).collect();
    let latency = all.iter().find(|node| node.attribute("name") == Some("NUMALatency"));
    if let Some(table) = latency.or(all.first()) {
        return version_2(*table, nodes, problems);
    }
    let first = root.descendants().find(|node| {
        node.has_tag_name("distances")
            && node.attribute("nbobjs").and_then(|n| n.parse().ok()) == Some(nodes.len())
    })?;
    version_1(first, nodes, problems)
}

fn version_2(
    table: Node<'_, '_>,
    nodes: &BTreeSet<u32>,
    problems: &mut Vec<Problem>,
) -> Option<Vec<Vec<u16>>> {
    let numbers = |tag: &str| -> Vec<u64> {
        let parts = table.children().filter(|node| node.has_tag_name(tag));
        let texts = parts.filter_map(|node| node.text());
        texts.flat_map(str::split_whitespace).filter_map(|n| n.parse().ok()).collect()
    };
    let (indexes, values) = (numbers("indexes"), numbers("u64values"));
    let n = indexes.len();
    if n == 0 || n > CPUS_MAX || values.len() != n * n {
        let sentence = format!(
            "the table of distances has {n} nodes but {} values; it needs {n} times {n}.",
            values.len()
        );
        problems.push(Problem::new("file", sentence).on_line(line_of(table)));
        return None;
    }
    let mut places = Vec::new();
    for node in nodes {
        match indexes.iter().position(|&index| index == u64::from(*node)) {
            Some(place) => places.push(place),
            None => {
                let sentence = format!("the table of distances leaves out node {node}.");
                problems.push(Problem::new("file", sentence).on_line(line_of(table)));
                return None;
            }
        }
    }
    let value = |from: usize, to: usize| u16::try_from(values[from * n + to]).unwrap_or(u16::MAX);
    Some(places.iter().map(|&from| places.iter().map(|&to| value(from, to)).collect()).collect())
}

/// Latencies of version 1 are decimals relative to a base.
fn version_1(
    table: Node<'_, '_>,
    nodes: &BTreeSet<u32>,
    problems: &mut Vec<Problem>,
) -> Option<Vec<Vec<u16>>> {
    let n = nodes.len();
    let thousandths = |text: &str| -> Option<u64> {
        let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
        let fraction = format!("{:0<3}", fraction.get(..fraction.len().min(3))?);
        let whole: u64 = whole.parse().ok()?;
        whole.checked_mul(1_000)?.checked_add(fraction.parse().ok()?)
    };
    let base = table.attribute("latency_base").and_then(thousandths).unwrap_or(1_000);
    let values: Vec<u64> = table
        .children()
        .filter(|node| node.has_tag_name("latency"))
        .filter_map(|node| node.attribute("value").and_then(thousandths))
        .map(|value| value.saturating_mul(base).saturating_add(500_000) / 1_000_000)
        .collect();
    if values.len() != n * n {
        let sentence = format!(
            "the table of distances has {} values for {n} nodes; it needs {}.",
            values.len(),
            n * n
        );
        problems.push(Problem::new("file", sentence).on_line(line_of(table)));
        return None;
    }
    let row = |row: &[u64]| row.iter().map(|&n| u16::try_from(n).unwrap_or(u16::MAX)).collect();
    Some(values.chunks(n).map(row).collect())
}
