//! The machine: which CPUs share a core, a cluster, a last-level cache, a node, a package.
//!
//! A [`Topology`] is a value, never read from the machine the simulator runs on. It knows nothing
//! of a kernel; [`crate::domains`] makes a kernel's scheduling domains of it. It comes from a table
//! ([`crate::machines`]), from a regular [`Shape`], or from one row per CPU
//! ([`Topology::from_rows`]), as lscpu or hwloc list them.

use crate::cpu_set::CpuSet;
use crate::order;
use crate::units::{CPUS_MAX, CpuId};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u16);

        impl $name {
            /// As an index of a table.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}
pub(crate) use id;

id! {
    /// A core: the CPUs (hardware threads) that share execution units. Numbered by first CPU.
    CoreId
}
id! {
    /// A cluster: cores that share a cache below the last level, on x86 the L2. Numbered by first
    /// CPU.
    ClusterId
}
id! {
    /// The CPUs that share a last-level cache. Numbered by first CPU.
    LlcId
}
id! {
    /// A coregroup of powerpc (a hemisphere of the chip): wider than the LLC, without sharing it
    /// (R6.6.3). Numbered by first CPU.
    CoregroupId
}
id! {
    /// A NUMA node: a row of the distance table.
    NodeId
}
id! {
    /// A package (socket).
    PackageId
}

/// The local distance in every SLIT.
pub const LOCAL_DISTANCE: u16 = 10;
/// RECLAIM_DISTANCE of every architecture but powerpc (R6.1.6).
pub const RECLAIM_DISTANCE: u16 = 30;

/// Where a CPU sits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cpu {
    /// Its core.
    pub core: CoreId,
    /// Its cluster, if the machine has caches shared below the last level.
    pub cluster: Option<ClusterId>,
    /// Its last-level cache; a CPU that shares none has one of its own.
    pub llc: LlcId,
    /// Its coregroup, on machines with such a level.
    pub coregroup: Option<CoregroupId>,
    /// Its NUMA node.
    pub node: NodeId,
    /// Its package.
    pub package: PackageId,
}

/// One CPU as a tool lists it. The labels are any numbers; equal label, same thing.
///
/// Labels of cores, clusters and caches need only be unique within their package: a core 0 in each
/// of two packages is two cores. An LLC that spans nodes is cut at the node, as the kernel cuts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CpuRow {
    /// The CPU's number. The rows of a machine number its CPUs from 0 without a gap, in any order.
    pub cpu: u32,
    /// Its core.
    pub core: u32,
    /// Its cluster (on x86 the L2), if known. A cluster equal to the core changes nothing.
    pub cluster: Option<u32>,
    /// Its last-level cache; `None` if it shares none.
    pub llc: Option<u32>,
    /// Its coregroup (powerpc), if any.
    pub coregroup: Option<u32>,
    /// Its node. Nodes are numbered by ascending label.
    pub node: u32,
    /// Its package.
    pub package: u32,
}

/// How far the nodes are from one another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Distances {
    /// The SLIT, one row a node, in ascending order of the nodes' labels. 10 is local.
    Table(Vec<Vec<u16>>),
    /// 10 within a node, one figure between nodes of a package, one between packages.
    Regular {
        /// Between nodes of one package.
        package: u16,
        /// Between packages.
        remote: u16,
    },
}

/// Why rows make no machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TopologyProblem {
    /// There is no row.
    NoCpus,
    /// More CPUs than [`CPUS_MAX`].
    TooManyCpus {
        /// How many there are.
        cpus: usize,
    },
    /// Two rows have the same CPU.
    DuplicateCpu {
        /// Which.
        cpu: u32,
    },
    /// A number below the largest has no row.
    MissingCpu {
        /// Which; the first such.
        cpu: u32,
    },
    /// The CPUs of a core differ in cluster, cache, coregroup or node.
    CoreNotWithin {
        /// A CPU of the core.
        cpu: u32,
        /// A CPU of the same core that sits elsewhere.
        other: u32,
        /// What they differ in.
        what: Level,
    },
    /// The CPUs of a cluster differ in cache, coregroup or node.
    ClusterNotWithin {
        /// A CPU of the cluster.
        cpu: u32,
        /// A CPU of the same cluster that sits elsewhere.
        other: u32,
        /// What they differ in.
        what: Level,
    },
    /// The CPUs of a cache differ in coregroup.
    LlcNotWithin {
        /// A CPU of the cache.
        cpu: u32,
        /// A CPU of the same cache that sits elsewhere.
        other: u32,
        /// What they differ in.
        what: Level,
    },
    /// The CPUs of a coregroup differ in node.
    CoregroupNotWithin {
        /// A CPU of the coregroup.
        cpu: u32,
        /// A CPU of the same coregroup that sits elsewhere.
        other: u32,
        /// What they differ in.
        what: Level,
    },
    /// The distance table has not one row and one column a node.
    DistanceShape {
        /// How many nodes the CPUs name.
        nodes: usize,
        /// The number of rows, or the length of the first row that is wrong.
        found: usize,
    },
    /// The distance of a node to itself is not 10.
    DistanceNotLocal {
        /// Which node.
        node: usize,
        /// What the table says.
        distance: u16,
    },
    /// A distance between nodes is not above 10 or not at most 255.
    DistanceOutOfRange {
        /// From.
        from: usize,
        /// To.
        to: usize,
        /// What the table says.
        distance: u16,
    },
    /// There is another distance than here.
    DistanceAsymmetric {
        /// From.
        from: usize,
        /// To.
        to: usize,
    },
}

/// A level of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "as the ids of the same name")]
pub enum Level {
    Core,
    Cluster,
    Llc,
    Coregroup,
    Node,
    Package,
}

/// A machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Topology {
    name: String,
    cpus: Vec<Cpu>,
    cores: Vec<CpuSet>,
    clusters: Vec<CpuSet>,
    llcs: Vec<CpuSet>,
    coregroups: Vec<CpuSet>,
    nodes: Vec<CpuSet>,
    packages: Vec<CpuSet>,
    distances: Vec<u16>,
    reclaim_distance: u16,
    node_reclaim_distance: u16,
    smt: bool,
    numa_in_package: bool,
}

impl Topology {
    /// A machine of one row per CPU.
    ///
    /// # Errors
    /// Every reason why the rows make no machine, in the order of the rows.
    pub fn from_rows(
        name: impl Into<String>,
        rows: Vec<CpuRow>,
        distances: Distances,
    ) -> Result<Topology, Vec<TopologyProblem>> {
        let rows = in_order(rows)?;
        let mut problems = Vec::new();

        // Labels, made unique: what lies in different packages or nodes is different.
        let package: Vec<Key> = rows.iter().map(|row| [row.package, 0, 0, 0]).collect();
        let node: Vec<Key> = rows.iter().map(|row| [row.node, 0, 0, 0]).collect();
        let group: Vec<Option<Key>> =
            rows.iter().map(|row| row.coregroup.map(|group| [row.package, group, 0, 0])).collect();
        let llc: Vec<Key> = rows
            .iter()
            .map(|row| match row.llc {
                Some(llc) => [row.package, row.node, llc, 0],
                // A cache of one's own, as a core has one.
                None => [row.package, row.node, row.core, 1],
            })
            .collect();
        let cluster: Vec<Option<Key>> = rows
            .iter()
            .map(|row| row.cluster.map(|cluster| [row.package, cluster, 0, 0]))
            .collect();
        let core: Vec<Key> = rows.iter().map(|row| [row.package, row.core, 0, 0]).collect();

        let (package_of, packages) = number(&package, true);
        let (node_of, nodes) = number(&node, true);
        let (group_of, coregroups) = number_some(&group);
        let (llc_of, llcs) = number(&llc, false);
        let (cluster_of, clusters) = number_some(&cluster);
        let (core_of, cores) = number(&core, false);

        let differ = |of: Of<'_>, spans: &[CpuSet]| {
            spans.iter().find_map(|span| {
                let first = span.lowest()?;
                let other = span.iter().find(|cpu| of(cpu.index()) != of(first.index()))?;
                Some((u32::from(first.0), u32::from(other.0)))
            })
        };
        let in_cluster = |cpu: usize| cluster_of[cpu];
        let in_llc = |cpu: usize| Some(llc_of[cpu]);
        let in_group = |cpu: usize| group_of[cpu];
        let in_node = |cpu: usize| Some(node_of[cpu]);
        let outer: [(Level, Of<'_>); 4] = [
            (Level::Cluster, &in_cluster),
            (Level::Llc, &in_llc),
            (Level::Coregroup, &in_group),
            (Level::Node, &in_node),
        ];
        for (what, of) in outer {
            if let Some((cpu, other)) = differ(of, &cores) {
                problems.push(TopologyProblem::CoreNotWithin { cpu, other, what });
            }
            if what > Level::Cluster
                && let Some((cpu, other)) = differ(of, &clusters)
            {
                problems.push(TopologyProblem::ClusterNotWithin { cpu, other, what });
            }
            if what > Level::Llc
                && let Some((cpu, other)) = differ(of, &llcs)
            {
                problems.push(TopologyProblem::LlcNotWithin { cpu, other, what });
            }
            if what > Level::Coregroup
                && let Some((cpu, other)) = differ(of, &coregroups)
            {
                problems.push(TopologyProblem::CoregroupNotWithin { cpu, other, what });
            }
        }

        let package_of_node: Vec<u16> = nodes
            .iter()
            .map(|span| span.lowest().map_or(0, |cpu| package_of[cpu.index()]))
            .collect();
        let distances = flatten(distances, &package_of_node, &mut problems);
        if !problems.is_empty() {
            return Err(problems);
        }

        let cpus = (0..rows.len())
            .map(|cpu| Cpu {
                core: CoreId(core_of[cpu]),
                cluster: cluster_of[cpu].map(ClusterId),
                llc: LlcId(llc_of[cpu]),
                coregroup: group_of[cpu].map(CoregroupId),
                node: NodeId(node_of[cpu]),
                package: PackageId(package_of[cpu]),
            })
            .collect();
        let smt = cores.iter().any(|core| core.len() > 1);
        let numa_in_package = packages
            .iter()
            .any(|package| nodes.iter().filter(|n| n.intersects(package)).count() > 1);
        Ok(Topology {
            name: name.into(),
            cpus,
            cores,
            clusters,
            llcs,
            coregroups,
            nodes,
            packages,
            distances,
            reclaim_distance: RECLAIM_DISTANCE,
            node_reclaim_distance: RECLAIM_DISTANCE,
            smt,
            numa_in_package,
        })
    }

    /// The same machine with other distances up to which forks, execs and affine wakeups spread
    /// (R6.1.6): the architecture's RECLAIM_DISTANCE, and `node_reclaim_distance`, which kernels
    /// from 5.4 on read in its place.
    #[must_use]
    pub fn with_reclaim_distance(mut self, architecture: u16, node: u16) -> Topology {
        self.reclaim_distance = architecture;
        self.node_reclaim_distance = node;
        self
    }

    /// The machine's name; free text, not an id.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many CPUs there are, 1 … [`CPUS_MAX`].
    #[must_use]
    pub fn len(&self) -> usize {
        self.cpus.len()
    }

    /// Never: a machine has a CPU.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cpus.is_empty()
    }

    /// All CPUs, by number.
    #[must_use]
    pub fn cpus(&self) -> &[Cpu] {
        &self.cpus
    }

    /// The numbers of all CPUs.
    pub fn cpu_ids(&self) -> impl DoubleEndedIterator<Item = CpuId> + ExactSizeIterator + use<> {
        (0..self.cpus.len() as u16).map(CpuId)
    }

    /// Where a CPU sits.
    #[must_use]
    pub fn cpu(&self, cpu: CpuId) -> &Cpu {
        &self.cpus[cpu.index()]
    }

    /// The set of all CPUs.
    #[must_use]
    pub fn all(&self) -> CpuSet {
        CpuSet::first(self.cpus.len())
    }

    /// The CPUs of a CPU's core, itself included.
    #[must_use]
    pub fn smt_siblings(&self, cpu: CpuId) -> &CpuSet {
        &self.cores[self.cpu(cpu).core.index()]
    }

    /// The spans of the cores, by [`CoreId`].
    #[must_use]
    pub fn cores(&self) -> &[CpuSet] {
        &self.cores
    }

    /// The spans of the clusters, by [`ClusterId`]; empty on most machines.
    #[must_use]
    pub fn clusters(&self) -> &[CpuSet] {
        &self.clusters
    }

    /// The spans of the last-level caches, by [`LlcId`].
    #[must_use]
    pub fn llcs(&self) -> &[CpuSet] {
        &self.llcs
    }

    /// The spans of the coregroups, by [`CoregroupId`]; empty but on some powerpc machines.
    #[must_use]
    pub fn coregroups(&self) -> &[CpuSet] {
        &self.coregroups
    }

    /// The spans of the nodes, by [`NodeId`].
    #[must_use]
    pub fn nodes(&self) -> &[CpuSet] {
        &self.nodes
    }

    /// The spans of the packages, by [`PackageId`].
    #[must_use]
    pub fn packages(&self) -> &[CpuSet] {
        &self.packages
    }

    /// The SLIT's distance between two nodes; 10 is local, at most 255.
    #[must_use]
    pub fn node_distance(&self, from: NodeId, to: NodeId) -> u16 {
        self.distances[from.index() * self.nodes.len() + to.index()]
    }

    /// The architecture's RECLAIM_DISTANCE, which kernels before 5.4 read (R6.1.6).
    #[must_use]
    pub fn reclaim_distance(&self) -> u16 {
        self.reclaim_distance
    }

    /// `node_reclaim_distance`, which kernels from 5.4 on read (R6.1.6).
    #[must_use]
    pub fn node_reclaim_distance(&self) -> u16 {
        self.node_reclaim_distance
    }

    /// Whether some core has more than one thread.
    #[must_use]
    pub fn smt(&self) -> bool {
        self.smt
    }

    /// Whether a package has several nodes: the PKG level of domains is then left out (R6.1.2).
    #[must_use]
    pub fn numa_in_package(&self) -> bool {
        self.numa_in_package
    }
}

/// Which numbers a machine gives to the threads of a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Numbering {
    /// All first threads first: core *k* of *n* has CPUs *k*, *k* + *n* … (servers).
    #[default]
    SiblingsLast,
    /// Core *k* has the CPUs *k·t* … *k·t* + *t* − 1 (many desktops).
    SiblingsAdjacent,
}

/// A regular machine. Every field counts what lies directly inside.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Packages.
    pub sockets: u16,
    /// NUMA nodes of a package; 2 and 4 are the NPS2 and NPS4 of EPYC.
    pub nodes_per_socket: u16,
    /// Last-level caches of a node.
    pub llcs_per_node: u16,
    /// Cores at a last-level cache.
    pub cores_per_llc: u16,
    /// Cores that share a cache below the last level; `None` if there is no such level. Should
    /// divide `cores_per_llc`; else the last cluster of an LLC is smaller.
    pub cores_per_cluster: Option<u16>,
    /// Threads of a core.
    pub threads_per_core: u16,
    /// The numbers of the threads.
    pub numbering: Numbering,
    /// Distance between the nodes of a package, 11 … 255; 12 on EPYC.
    pub package_distance: u16,
    /// Distance between packages, 11 … 255; 21 on Xeon, 32 on EPYC.
    pub remote_distance: u16,
}

impl Default for Shape {
    /// One core of one thread.
    fn default() -> Shape {
        Shape {
            sockets: 1,
            nodes_per_socket: 1,
            llcs_per_node: 1,
            cores_per_llc: 1,
            cores_per_cluster: None,
            threads_per_core: 1,
            numbering: Numbering::SiblingsLast,
            package_distance: 12,
            remote_distance: 21,
        }
    }
}

impl Shape {
    /// How many CPUs the machine has.
    #[must_use]
    pub fn cpus(&self) -> usize {
        self.cores().saturating_mul(usize::from(self.threads_per_core))
    }

    fn cores(&self) -> usize {
        [self.sockets, self.nodes_per_socket, self.llcs_per_node, self.cores_per_llc]
            .into_iter()
            .fold(1, |product, n| product.saturating_mul(usize::from(n)))
    }

    /// The rows of the machine, one a CPU, in order.
    ///
    /// # Errors
    /// If there is no CPU, or more than [`CPUS_MAX`].
    pub fn rows(&self) -> Result<Vec<CpuRow>, Vec<TopologyProblem>> {
        check_count(self.cpus())?;
        let per = |n: u16| u32::from(n);
        let (cores, threads) = (self.cores() as u32, per(self.threads_per_core));
        let cluster = self.cores_per_cluster.filter(|&n| n > 0).map(per);
        let clusters_per_llc = cluster.map(|n| per(self.cores_per_llc).div_ceil(n));
        let row = |cpu: u32| {
            let core = match self.numbering {
                Numbering::SiblingsLast => cpu % cores,
                Numbering::SiblingsAdjacent => cpu / threads,
            };
            let llc = core / per(self.cores_per_llc);
            let node = llc / per(self.llcs_per_node);
            let in_llc = core % per(self.cores_per_llc);
            CpuRow {
                cpu,
                core,
                cluster: cluster.zip(clusters_per_llc).map(|(n, count)| llc * count + in_llc / n),
                llc: Some(llc),
                coregroup: None,
                node,
                package: node / per(self.nodes_per_socket),
            }
        };
        Ok((0..self.cpus() as u32).map(row).collect())
    }

    /// The machine.
    ///
    /// # Errors
    /// If there is no CPU, or more than [`CPUS_MAX`], or a distance is out of range.
    pub fn topology(&self, name: impl Into<String>) -> Result<Topology, Vec<TopologyProblem>> {
        let distances =
            Distances::Regular { package: self.package_distance, remote: self.remote_distance };
        Topology::from_rows(name, self.rows()?, distances)
    }
}

type Key = [u32; 4];
/// What a CPU, by number, is part of.
type Of<'a> = &'a dyn Fn(usize) -> Option<u16>;

fn check_count(cpus: usize) -> Result<(), Vec<TopologyProblem>> {
    match cpus {
        0 => Err(vec![TopologyProblem::NoCpus]),
        n if n > CPUS_MAX => Err(vec![TopologyProblem::TooManyCpus { cpus: n }]),
        _ => Ok(()),
    }
}

/// The rows by CPU number, if the numbers are 0 … n − 1.
fn in_order(mut rows: Vec<CpuRow>) -> Result<Vec<CpuRow>, Vec<TopologyProblem>> {
    check_count(rows.len())?;
    order::sort_by_key(&mut rows, |row| row.cpu);
    let mut problems = Vec::new();
    for pair in rows.windows(2) {
        if pair[0].cpu == pair[1].cpu {
            problems.push(TopologyProblem::DuplicateCpu { cpu: pair[0].cpu });
        }
    }
    problems.dedup();
    rows.dedup_by_key(|row| row.cpu);
    if let Some(i) = (0..rows.len()).find(|&i| rows[i].cpu as usize != i) {
        problems.push(TopologyProblem::MissingCpu { cpu: i as u32 });
    }
    if problems.is_empty() { Ok(rows) } else { Err(problems) }
}

/// Numbers distinct keys, by first CPU or by ascending key; with the spans by number.
fn number(keys: &[Key], by_key: bool) -> (Vec<u16>, Vec<CpuSet>) {
    let mut distinct: Vec<Key> = Vec::new();
    for key in keys {
        if !distinct.contains(key) {
            distinct.push(*key);
        }
    }
    if by_key {
        order::sort(&mut distinct);
    }
    let mut spans = vec![CpuSet::EMPTY; distinct.len()];
    let of = keys
        .iter()
        .enumerate()
        .map(|(cpu, key)| {
            let id = distinct.iter().position(|other| other == key).expect("collected above");
            spans[id].insert(CpuId(cpu as u16));
            id as u16
        })
        .collect();
    (of, spans)
}

/// As [`number`] by first CPU, where some CPUs have none.
fn number_some(keys: &[Option<Key>]) -> (Vec<Option<u16>>, Vec<CpuSet>) {
    let some: Vec<(usize, Key)> =
        keys.iter().enumerate().filter_map(|(cpu, key)| Some((cpu, (*key)?))).collect();
    let (ids, _) = number(&some.iter().map(|(_, key)| *key).collect::<Vec<_>>(), false);
    let mut of = vec![None; keys.len()];
    let mut spans = vec![CpuSet::EMPTY; ids.iter().max().map_or(0, |&max| usize::from(max) + 1)];
    for ((cpu, _), id) in some.into_iter().zip(ids) {
        of[cpu] = Some(id);
        spans[usize::from(id)].insert(CpuId(cpu as u16));
    }
    (of, spans)
}

/// The distance table row after row, or its problems.
fn flatten(
    distances: Distances,
    package_of_node: &[u16],
    problems: &mut Vec<TopologyProblem>,
) -> Vec<u16> {
    let nodes = package_of_node.len();
    let table = match distances {
        Distances::Table(table) => table,
        Distances::Regular { package, remote } => {
            let between = |from: usize, to: usize| {
                if from == to {
                    LOCAL_DISTANCE
                } else if package_of_node[from] == package_of_node[to] {
                    package
                } else {
                    remote
                }
            };
            (0..nodes).map(|from| (0..nodes).map(|to| between(from, to)).collect()).collect()
        }
    };
    let bad_row = table.iter().map(Vec::len).find(|&len| len != nodes);
    if table.len() != nodes || bad_row.is_some() {
        let found = if table.len() == nodes { bad_row.unwrap_or(0) } else { table.len() };
        problems.push(TopologyProblem::DistanceShape { nodes, found });
        return Vec::new();
    }
    for (from, row) in table.iter().enumerate() {
        for (to, &distance) in row.iter().enumerate() {
            if from == to && distance != LOCAL_DISTANCE {
                problems.push(TopologyProblem::DistanceNotLocal { node: from, distance });
            } else if from != to && !(LOCAL_DISTANCE + 1..=255).contains(&distance) {
                problems.push(TopologyProblem::DistanceOutOfRange { from, to, distance });
            } else if from < to && table[to][from] != distance {
                problems.push(TopologyProblem::DistanceAsymmetric { from, to });
            }
        }
    }
    table.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cpu: u32, core: u32, llc: u32, node: u32, package: u32) -> CpuRow {
        CpuRow { cpu, core, cluster: None, llc: Some(llc), coregroup: None, node, package }
    }

    fn local() -> Distances {
        Distances::Regular { package: 12, remote: 21 }
    }

    #[test]
    fn shape_numbers_siblings_either_way() {
        let mut shape = Shape {
            sockets: 2,
            llcs_per_node: 2,
            cores_per_llc: 2,
            threads_per_core: 2,
            ..Shape::default()
        };
        let machine = shape.topology("m").expect("regular");
        assert_eq!(machine.len(), 16);
        assert!(machine.smt() && !machine.numa_in_package());
        let siblings: Vec<u16> = machine.smt_siblings(CpuId(3)).iter().map(|c| c.0).collect();
        assert_eq!(siblings, [3, 11]);
        assert_eq!(machine.cpu(CpuId(3)).llc, LlcId(1));
        assert_eq!(machine.node_distance(NodeId(0), NodeId(1)), 21);
        shape.numbering = Numbering::SiblingsAdjacent;
        let machine = shape.topology("m").expect("regular");
        let siblings: Vec<u16> = machine.smt_siblings(CpuId(3)).iter().map(|c| c.0).collect();
        assert_eq!(siblings, [2, 3]);
        assert_eq!(machine.llcs().len(), 4);
        assert_eq!(machine.packages()[1].lowest(), Some(CpuId(8)));
    }

    #[test]
    fn shape_limits() {
        let shape = Shape { sockets: 0, ..Shape::default() };
        assert_eq!(shape.topology("m"), Err(vec![TopologyProblem::NoCpus]));
        let shape = Shape { sockets: u16::MAX, cores_per_llc: u16::MAX, ..Shape::default() };
        let problems = shape.topology("m").expect_err("too many");
        assert!(matches!(problems[..], [TopologyProblem::TooManyCpus { .. }]));
        let shape = Shape { cores_per_llc: 1024, ..Shape::default() };
        assert_eq!(shape.topology("m").expect("the most").len(), CPUS_MAX);
    }

    #[test]
    fn labels_repeat_in_other_packages() {
        let rows = vec![row(1, 0, 0, 1, 1), row(0, 0, 0, 0, 0)];
        let machine = Topology::from_rows("m", rows, local()).expect("two cores");
        assert_eq!((machine.cores().len(), machine.llcs().len()), (2, 2));
    }

    #[test]
    fn an_llc_is_cut_at_the_node() {
        let rows = (0..4).map(|cpu| row(cpu, cpu, 0, cpu / 2, 0)).collect();
        let machine = Topology::from_rows("m", rows, local()).expect("sub-NUMA clustering");
        assert_eq!(machine.llcs().len(), 2);
        assert!(machine.numa_in_package());
    }

    #[test]
    fn problems_come_all_at_once() {
        let rows = vec![row(0, 0, 0, 0, 0), row(0, 0, 0, 0, 0), row(3, 0, 0, 0, 0)];
        let expect =
            vec![TopologyProblem::DuplicateCpu { cpu: 0 }, TopologyProblem::MissingCpu { cpu: 1 }];
        assert_eq!(Topology::from_rows("m", rows, local()), Err(expect));

        let rows = vec![row(0, 0, 0, 0, 0), row(1, 0, 1, 0, 0), row(2, 2, 1, 1, 0)];
        let table = Distances::Table(vec![vec![10, 9], vec![20, 11]]);
        let expect = vec![
            TopologyProblem::CoreNotWithin { cpu: 0, other: 1, what: Level::Llc },
            TopologyProblem::DistanceOutOfRange { from: 0, to: 1, distance: 9 },
            TopologyProblem::DistanceNotLocal { node: 1, distance: 11 },
        ];
        assert_eq!(Topology::from_rows("m", rows.clone(), table), Err(expect));
        let table = Distances::Table(vec![vec![10]]);
        let problems = Topology::from_rows("m", rows, table).expect_err("wrong");
        assert_eq!(problems[1], TopologyProblem::DistanceShape { nodes: 2, found: 1 });
    }
}
