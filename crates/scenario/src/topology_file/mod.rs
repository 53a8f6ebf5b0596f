//! Machines from files: hwloc XML, tables and summaries of lscpu.
//!
//! [`read`] looks what it has, and makes a [`Topology`] of it. Formats and what is made of them are
//! described in `docs/topology-files.md`.

mod hwloc;
mod lscpu;

use crate::cpu_list;
use crate::document::CpuTable;
use crate::problem::Problem;
use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::order;
use schedscope_sim::topology::{
    CpuRow, Distances, Level, RECLAIM_DISTANCE, Topology, TopologyProblem,
};
use schedscope_sim::units::{CPUS_MAX, CpuId};
use std::collections::{BTreeMap, BTreeSet};

/// The longest text that is read, in bytes.
pub const FILE_MAX: usize = 16 << 20;

/// What a file turned out to be, and the machine in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// What the file is.
    pub kind: Kind,
    /// The machine.
    pub topology: Topology,
    /// The machine as a document holds it.
    pub table: CpuTable,
    /// What was assumed or left out, as sentences.
    pub notes: Vec<String>,
}

/// Kinds of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `lstopo --of xml`.
    HwlocXml,
    /// `lscpu -e`.
    LscpuTable,
    /// `lscpu -p`.
    LscpuParsable,
    /// `lscpu -e -J`.
    LscpuJson,
    /// `lscpu` and `lscpu -J`: counts, without a row for each CPU.
    LscpuSummary,
}

impl Kind {
    /// The command that makes such a file.
    #[must_use]
    pub const fn command(self) -> &'static str {
        match self {
            Kind::HwlocXml => "lstopo --of xml",
            Kind::LscpuTable => "lscpu -e",
            Kind::LscpuParsable => "lscpu -p",
            Kind::LscpuJson => "lscpu -e -J",
            Kind::LscpuSummary => "lscpu",
        }
    }
}

/// What kind of file a text is; `None` if it is none of them.
#[must_use]
pub fn recognise(text: &str) -> Option<Kind> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if text.starts_with('<') {
        return Some(Kind::HwlocXml);
    }
    if text.starts_with('{') {
        let table = text.find("\"cpus\"").unwrap_or(usize::MAX);
        let summary = text.find("\"lscpu\"").unwrap_or(usize::MAX);
        return if summary < table { Some(Kind::LscpuSummary) } else { Some(Kind::LscpuJson) };
    }
    lscpu::recognise(text)
}

/// Reads a machine from a file of one of the kinds of [`Kind`].
///
/// # Errors
/// What is wrong with the file, all at once where possible.
pub fn read(text: &str) -> Result<Found, Vec<Problem>> {
    if text.len() > FILE_MAX {
        return Err(vec![Problem::new("file", format!("it is longer than {FILE_MAX} bytes."))]);
    }
    let text = text.trim_start_matches('\u{feff}');
    match recognise(text) {
        Some(Kind::HwlocXml) => hwloc::read(text),
        Some(Kind::LscpuTable) => lscpu::read_table(text),
        Some(Kind::LscpuParsable) => lscpu::read_parsable(text),
        Some(Kind::LscpuJson) => lscpu::read_json(text),
        Some(Kind::LscpuSummary) => lscpu::read_summary(text),
        None => Err(vec![Problem::new(
            "file",
            "it describes no machine; make one by \"lstopo --of xml\" or \"lscpu -e\".",
        )]),
    }
}

/// How many levels of caches are looked at.
const LEVELS: usize = 6;

/// A CPU as a file lists it.
#[derive(Clone, Debug, Default)]
struct Row {
    cpu: u32,
    core: u32,
    package: u32,
    node: Option<u32>,
    cluster: Option<u32>,
    /// The data or unified cache of each level, from 1.
    caches: [Option<u32>; LEVELS],
    line: Option<u32>,
}

/// All that a file says.
struct Listing {
    kind: Kind,
    name: String,
    rows: Vec<Row>,
    distances: Distances,
    /// `node_reclaim_distance` of such a machine, if known.
    reclaim: Option<u16>,
    notes: Vec<String>,
}

/// The distances if no file says them.
const USUAL: Distances = Distances::Regular { package: 12, remote: 21 };
/// The same on AMD's Zen.
const USUAL_ZEN: Distances = Distances::Regular { package: 12, remote: 32 };

impl Listing {
    /// The machine.
    fn finish(mut self) -> Result<Found, Vec<Problem>> {
        let mut seen: BTreeMap<u32, Option<u32>> = BTreeMap::new();
        let mut problems = Vec::new();
        for row in &self.rows {
            if seen.insert(row.cpu, row.line).is_some() {
                problems.push(Problem {
                    line: row.line,
                    ..Problem::new("file", format!("CPU {} is there twice.", row.cpu))
                });
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        order::sort_by_key(&mut self.rows, |row| row.cpu);
        self.number_anew();
        let (llc, clusters) = (self.llc_level(), self.clusters());
        if llc.is_none() {
            self.notes.push(
                "The file names no cache above the first level, so no two cores share one."
                    .to_string(),
            );
        }
        let lowest_node = self.rows.iter().filter_map(|row| row.node).min().unwrap_or(0);
        let rows = self.rows.iter().map(|row| CpuRow {
            cpu: row.cpu,
            core: row.core,
            cluster: match clusters {
                Clusters::None => None,
                Clusters::Listed => row.cluster,
                Clusters::L2 => row.caches[1],
            },
            llc: llc.and_then(|level| row.caches[level]),
            coregroup: None,
            node: row.node.unwrap_or(lowest_node),
            package: row.package,
        });
        let topology =
            Topology::from_rows(self.name, rows.collect(), self.distances).map_err(|problems| {
                let problem = |problem| Problem::new("file", sentence_of(problem));
                problems.iter().map(problem).collect::<Vec<_>>()
            })?;
        let topology = match self.reclaim {
            Some(distance) => {
                topology.with_reclaim_distance(distance.min(RECLAIM_DISTANCE), distance)
            }
            None => topology,
        };
        let table = CpuTable::of(&topology);
        Ok(Found { kind: self.kind, topology, table, notes: self.notes })
    }

    /// Takes the gaps out of the numbers of the CPUs.
    fn number_anew(&mut self) {
        if self.rows.len() > CPUS_MAX {
            return;
        }
        let gap = self.rows.iter().enumerate().find(|(at, row)| row.cpu != *at as u32);
        if let Some((at, row)) = gap {
            let missing = match (at as u32, row.cpu - 1) {
                (one, last) if one == last => format!("CPU {one} is"),
                (first, last) => format!("CPUs {first}-{last} are"),
            };
            self.notes.push(format!(
                "{missing} not there; the CPUs after are numbered without the gap, CPU {} as {at}.",
                row.cpu
            ));
        }
        for (at, row) in self.rows.iter_mut().enumerate() {
            row.cpu = at as u32;
        }
    }

    /// The highest level, from 0, of which there is a cache above the first.
    fn llc_level(&self) -> Option<usize> {
        (1..LEVELS).rev().find(|&level| self.rows.iter().any(|row| row.caches[level].is_some()))
    }

    fn clusters(&self) -> Clusters {
        let shared = |of: &dyn Fn(&Row) -> Option<u32>| {
            let mut cores: BTreeMap<(u32, u32), BTreeSet<u32>> = BTreeMap::new();
            for row in &self.rows {
                if let Some(id) = of(row) {
                    cores.entry((row.package, id)).or_default().insert(row.core);
                }
            }
            cores.values().any(|cores| cores.len() > 1)
        };
        if shared(&|row| row.cluster) {
            Clusters::Listed
        } else if shared(&|row| row.caches[1]) {
            Clusters::L2
        } else {
            Clusters::None
        }
    }
}

/// What makes a cluster.
#[derive(Clone, Copy)]
enum Clusters {
    None,
    /// What the file calls so.
    Listed,
    /// A second-level cache that several cores share (R6.1.2).
    L2,
}

/// How a list of CPUs reads in a sentence: "CPU 3 is", "CPUs 3-5 are".
fn are(cpus: &BTreeSet<u32>) -> String {
    let few = cpus.iter().filter(|&&cpu| (cpu as usize) < CPUS_MAX);
    let set: CpuSet = few.map(|&cpu| CpuId(cpu as u16)).collect();
    match cpus.len() {
        1 => format!("CPU {} is", cpu_list::format(&set)),
        _ => format!("CPUs {} are", cpu_list::format(&set)),
    }
}

/// Why rows make no machine, for people.
#[must_use]
pub fn sentence_of(problem: &TopologyProblem) -> String {
    use TopologyProblem as P;
    let within = |inner: &str, cpu: u32, other: u32, what: Level| {
        let outer = match what {
            Level::Core => "core",
            Level::Cluster => "cluster",
            Level::Llc => "last-level cache",
            Level::Coregroup => "coregroup",
            Level::Node => "NUMA node",
            Level::Package => "package",
        };
        format!("CPUs {cpu} and {other} are in the same {inner} but not in the same {outer}.")
    };
    match *problem {
        P::NoCpus => "it has no CPU.".to_string(),
        P::TooManyCpus { cpus } => format!("it has {cpus} CPUs; the most is {CPUS_MAX}."),
        P::DuplicateCpu { cpu } => format!("CPU {cpu} is there twice."),
        P::MissingCpu { cpu } => {
            format!("CPU {cpu} is missing; the CPUs are numbered from 0 without a gap.")
        }
        P::CoreNotWithin { cpu, other, what } => within("core", cpu, other, what),
        P::ClusterNotWithin { cpu, other, what } => within("cluster", cpu, other, what),
        P::LlcNotWithin { cpu, other, what } => within("last-level cache", cpu, other, what),
        P::CoregroupNotWithin { cpu, other, what } => within("coregroup", cpu, other, what),
        P::DistanceShape { nodes, found } => format!(
            "there are {nodes} NUMA nodes, so the table of distances needs {nodes} rows of \
             {nodes}, not {found}."
        ),
        P::DistanceNotLocal { node, distance } => {
            format!("the distance of node {node} to itself is {distance}; it must be 10.")
        }
        P::DistanceOutOfRange { from, to, distance } => {
            format!("the distance from node {from} to {to} is {distance}; it must be 11 to 255.")
        }
        P::DistanceAsymmetric { from, to } => {
            format!("the distances between nodes {from} and {to} differ by direction.")
        }
    }
}
