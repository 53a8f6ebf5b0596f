//! What is inside what: the machine as packages of nodes of LLCs of cores of CPUs, and the few
//! regularities the picture is built from.

use std::collections::BTreeMap;

use schedscope_session::update::{Cpu, Machine};

/// A machine as a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The packages, ascending.
    pub(crate) packages: Vec<Package>,
    /// Most nodes in a package.
    pub(crate) nodes: usize,
    /// Most LLCs in a node.
    pub(crate) llcs: usize,
    /// Most cores in an LLC.
    pub(crate) cores: usize,
    /// Most threads in a core.
    pub(crate) threads: usize,
    /// Cores of a cluster, where clusters lie strictly between core and LLC and are all alike.
    pub(crate) cluster: Option<usize>,
    /// Two LLCs next to each other share a big core: their CPU numbers interleave (Power, SMT8).
    pub(crate) paired: bool,
    /// LLCs to a half of a node, where a sched domain says that there are such.
    pub(crate) half: Option<usize>,
}

/// A package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) id: u16,
    pub(crate) nodes: Vec<Node>,
}

/// A node, or the part of it that lies in a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) id: u16,
    pub(crate) llcs: Vec<Llc>,
}

/// An LLC.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Llc {
    pub(crate) id: u16,
    pub(crate) cores: Vec<Core>,
}

/// A core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Core {
    pub(crate) cluster: Option<u16>,
    pub(crate) cpus: Vec<Cpu>,
}

impl Plan {
    /// The tree of a machine.
    pub(crate) fn new(machine: &Machine) -> Plan {
        type Cores = BTreeMap<Cpu, Core>;
        let mut tree: BTreeMap<u16, BTreeMap<u16, BTreeMap<u16, Cores>>> = BTreeMap::new();
        let mut first: BTreeMap<u16, Cpu> = BTreeMap::new();
        for (cpu, place) in (0..).zip(&machine.cpus) {
            // Cores in the order of their first CPU, whatever their own numbers are.
            let first = *first.entry(place.core).or_insert(cpu);
            let llcs = tree.entry(place.package).or_default().entry(place.node).or_default();
            let core = llcs.entry(place.llc).or_default().entry(first).or_default();
            core.cluster = place.cluster;
            core.cpus.push(cpu);
        }
        let packages: Vec<Package> = tree
            .into_iter()
            .map(|(id, nodes)| Package {
                id,
                nodes: nodes
                    .into_iter()
                    .map(|(id, llcs)| Node {
                        id,
                        llcs: llcs
                            .into_iter()
                            .map(|(id, cores)| Llc { id, cores: cores.into_values().collect() })
                            .collect(),
                    })
                    .collect(),
            })
            .collect();
        let mut plan = Plan { packages, ..Plan::default() };
        plan.nodes = most(plan.packages.iter().map(|package| package.nodes.len()));
        plan.llcs = most(plan.all_nodes().map(|node| node.llcs.len()));
        plan.cores = most(plan.all_llcs().map(|llc| llc.cores.len()));
        plan.threads = most(plan.all_llcs().flat_map(|llc| &llc.cores).map(|core| core.cpus.len()));
        plan.cluster = plan.cluster();
        plan.paired = plan.paired();
        plan.half = plan.half(machine);
        plan
    }

    /// All nodes, ascending within their packages.
    pub(crate) fn all_nodes(&self) -> impl Iterator<Item = &Node> {
        self.packages.iter().flat_map(|package| &package.nodes)
    }

    /// All LLCs, ascending within their nodes.
    pub(crate) fn all_llcs(&self) -> impl Iterator<Item = &Llc> {
        self.all_nodes().flat_map(|node| &node.llcs)
    }

    /// Every LLC is a single core, so LLCs stand side by side as cores do elsewhere.
    pub(crate) fn flat(&self) -> bool {
        self.cores == 1 && self.llcs > 1
    }

    fn cluster(&self) -> Option<usize> {
        let mut sizes: BTreeMap<(u16, Option<u16>), usize> = BTreeMap::new();
        for llc in self.all_llcs() {
            for core in &llc.cores {
                *sizes.entry((llc.id, core.cluster)).or_default() += 1;
            }
        }
        let size = *sizes.values().next()?;
        let alike = sizes.iter().all(|(key, &n)| key.1.is_some() && n == size);
        (alike && size > 1 && size < self.cores).then_some(size)
    }

    fn paired(&self) -> bool {
        let interleave = |pair: &[Llc]| match (&pair[0].cores[..], &pair[1].cores[..]) {
            ([a], [b]) => a.cpus.len() > 1 && a.cpus[0] + 1 == b.cpus[0] && a.cpus[1] > b.cpus[0],
            _ => false,
        };
        self.flat()
            && self.llcs.is_multiple_of(2)
            && self.all_nodes().all(|node| {
                let chunks = node.llcs.chunks_exact(2);
                chunks.remainder().is_empty() && node.llcs.chunks_exact(2).all(interleave)
            })
    }

    fn half(&self, machine: &Machine) -> Option<usize> {
        if !self.flat() {
            return None;
        }
        let node = self.packages.first()?.nodes.first()?;
        let cpus = |llcs: &[Llc]| llcs.iter().flat_map(|l| &l.cores).map(|c| c.cpus.len()).sum();
        let (llc, node_cpus): (usize, usize) = (cpus(&node.llcs[..1]), cpus(&node.llcs));
        let size = machine.domains.iter().find_map(|domain| {
            let last = domain.span.strip_prefix("0-")?.parse::<usize>().ok()?;
            (last + 1 > 2 * llc && last + 1 < node_cpus).then_some(last + 1)
        })?;
        size.is_multiple_of(llc).then_some(size / llc)
    }
}

fn most(counts: impl Iterator<Item = usize>) -> usize {
    counts.max().unwrap_or(0).max(1)
}
