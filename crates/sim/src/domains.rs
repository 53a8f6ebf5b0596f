//! Scheduling domains: what a kernel makes of a machine (spec ch. 6).
//!
//! A domain is a set of CPUs among which a kernel balances and searches. Every CPU has a chain of
//! them, from its core up to the machine; domains are flat here, by index, and shared by the CPUs
//! of a span. [`Domains`] also carries what wakeup placement asks of the machine (siblings,
//! caches), so that placement needs nothing else.

use crate::order;
use std::collections::BTreeMap;

use crate::cpu_set::CpuSet;
use crate::kernel::PlaceGeneration;
use crate::topology::{LlcId, NodeId, Topology, id};
use crate::units::CpuId;

id! {
    /// A domain: an index into [`Domains`]. Bottom-up within a chain is not ascending in general.
    DomainId
}

/// A group: an index into the groups of all domains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub u32);

impl GroupId {
    /// As an index of a table.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Flags of a domain, as the kernel's `SD_*`.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DomainFlags(u16);

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident = $bit:literal;)*) => {
        impl DomainFlags {
            $($(#[$doc])* pub const $name: DomainFlags = DomainFlags(1 << $bit);)*

            /// Every flag with its kernel name (without `SD_`).
            pub const NAMES: &[(DomainFlags, &'static str)] =
                &[$((DomainFlags::$name, stringify!($name)),)*];
        }
    };
}

flags! {
    /// Balance when about to become idle.
    BALANCE_NEWIDLE = 0;
    /// Place an exec'ing task anywhere in the span.
    BALANCE_EXEC = 1;
    /// Place a forked task anywhere in the span.
    BALANCE_FORK = 2;
    /// Consider pulling a wakee to the waker.
    WAKE_AFFINE = 3;
    /// The CPUs are threads of one core.
    SHARE_CPUCAPACITY = 4;
    /// The CPUs share the last-level cache (`SD_SHARE_PKG_RESOURCES` up to 6.6).
    SHARE_LLC = 5;
    /// The CPUs share a cache below the last level (5.16 on).
    CLUSTER = 6;
    /// One balancing pass at a time, machine-wide.
    SERIALIZE = 7;
    /// Groups of this level may overlap.
    OVERLAP = 8;
    /// A NUMA level.
    NUMA = 9;
    /// Spread tasks over the groups of the parent.
    PREFER_SIBLING = 10;
    /// Balances at all (a flag up to 5.4; always so later).
    LOAD_BALANCE = 11;
}

impl DomainFlags {
    /// No flag.
    pub const NONE: DomainFlags = DomainFlags(0);

    /// Whether all flags of `other` are set.
    #[must_use]
    pub const fn has(self, other: DomainFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// The flags of both.
    #[must_use]
    pub const fn or(self, other: DomainFlags) -> DomainFlags {
        DomainFlags(self.0 | other.0)
    }

    /// These flags without those of `other`.
    #[must_use]
    pub const fn without(self, other: DomainFlags) -> DomainFlags {
        DomainFlags(self.0 & !other.0)
    }

    /// The kernel names of the flags that are set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.iter().filter(move |(flag, _)| self.has(*flag)).map(|(_, name)| *name)
    }
}

impl core::fmt::Debug for DomainFlags {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

/// What a level is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LevelName {
    /// Threads of a core.
    Smt,
    /// Cores that share a cache below the last level; from 5.16 on.
    Cls,
    /// CPUs that share the last-level cache on a machine with coregroups (powerpc).
    Cache,
    /// CPUs that share the last-level cache; with coregroups, those of a coregroup.
    Mc,
    /// The node, in 2.6.36.
    Cpu,
    /// The node, up to 6.6.
    Die,
    /// The node, from 6.7 on.
    Pkg,
    /// The node again, from 4.15 on.
    Node,
    /// The nodes up to some distance.
    Numa,
}

impl LevelName {
    /// The kernel's name. All NUMA levels are called `NUMA` (R6.1.11).
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            LevelName::Smt => "SMT",
            LevelName::Cls => "CLS",
            LevelName::Cache => "CACHE",
            LevelName::Mc => "MC",
            LevelName::Cpu => "CPU",
            LevelName::Die => "DIE",
            LevelName::Pkg => "PKG",
            LevelName::Node => "NODE",
            LevelName::Numa => "NUMA",
        }
    }
}

/// A scheduling domain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Domain {
    /// What its level is called.
    pub name: LevelName,
    /// Up to which distance a NUMA level reaches.
    pub distance: Option<u16>,
    /// Its CPUs.
    pub span: CpuSet,
    /// How many they are.
    pub weight: u32,
    /// Its flags.
    pub flags: DomainFlags,
    /// How unequal is unbalanced, percent: 110, 117 or 125 (R6.1.5).
    pub imbalance_pct: u32,
    /// How many failed passes until hot tasks are moved too, 0 … 2.
    pub cache_nice_tries: u32,
    /// By what the interval is multiplied on a busy CPU: 16; 32 up to 5.4, 64 in 2.6.36.
    pub busy_factor: u32,
    /// The shortest balance interval, ms: the weight (R6.1.5), but in 2.6.36.
    pub min_interval: u32,
    /// The longest balance interval, ms: twice the weight, but in 2.6.36.
    pub max_interval: u32,
    /// How many tasks may run in a node before NUMA imbalance counts (R6.1.10); 0 before 5.18.
    pub imb_numa_nr: u32,
    groups: (u32, u32),
}

/// A group of a domain: what its children balance against one another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    /// Its CPUs.
    pub span: CpuSet,
    /// How many they are.
    pub weight: u32,
    /// How many cores they belong to.
    pub cores: u32,
    /// The CPUs whose own child domain is this group, of which one balances for it (R5.7.4).
    pub balance_mask: CpuSet,
    /// The flags of that child domain; none for a single CPU.
    pub flags: DomainFlags,
}

/// Everything a kernel derives from a machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Domains {
    generation: PlaceGeneration,
    domains: Vec<Domain>,
    groups: Vec<Group>,
    chains: Vec<DomainId>,
    chain_of: Vec<(u32, u32)>,
    /// Beside `chains`: the CPU's own group of that domain.
    local_groups: Vec<GroupId>,
    llc_domain: Vec<Option<DomainId>>,
    llc: Vec<LlcId>,
    llc_sizes: Vec<u32>,
    share_id: Vec<u16>,
    node: Vec<NodeId>,
    core: Vec<u16>,
    cores: Vec<CpuSet>,
    nodes: Vec<CpuSet>,
    clusters_active: bool,
    smt: bool,
}

/// A level before it is instantiated.
struct Level {
    name: LevelName,
    distance: Option<u16>,
    flags: DomainFlags,
    imbalance_pct: u32,
    cache_nice_tries: u32,
    /// Shortest and longest balance interval, ms, where they do not follow from the weight.
    intervals: Option<(u32, u32)>,
    /// By CPU.
    spans: Vec<CpuSet>,
}

/// A domain of one CPU's chain, while degenerate ones are removed.
#[derive(Clone, Copy)]
struct Link {
    level: usize,
    flags: DomainFlags,
    imb_numa_nr: u32,
}

impl Domains {
    /// The domains that a kernel of this generation makes of the machine.
    #[must_use]
    pub fn build(topology: &Topology, generation: PlaceGeneration) -> Domains {
        let levels = levels(topology, generation);
        let all = topology.all();
        let mut built = Domains {
            generation,
            domains: Vec::new(),
            groups: Vec::new(),
            chains: Vec::new(),
            chain_of: Vec::with_capacity(topology.len()),
            local_groups: Vec::new(),
            llc_domain: Vec::with_capacity(topology.len()),
            llc: topology.cpus().iter().map(|cpu| cpu.llc).collect(),
            llc_sizes: Vec::new(),
            share_id: Vec::with_capacity(topology.len()),
            node: topology.cpus().iter().map(|cpu| cpu.node).collect(),
            core: topology.cpus().iter().map(|cpu| cpu.core.0).collect(),
            cores: topology.cores().to_vec(),
            nodes: topology.nodes().to_vec(),
            clusters_active: false,
            smt: topology.smt(),
        };
        // Domains made so far, by level and span: one, unless NUMA groups overlap.
        let mut known: BTreeMap<(usize, CpuSet), Vec<DomainId>> = BTreeMap::new();
        for cpu in topology.cpu_ids() {
            let top = levels.iter().position(|level| level.spans[cpu.index()] == all);
            let mut chain = full_chain(&levels[..top.map_or(levels.len(), |top| top + 1)], cpu);
            if generation >= PlaceGeneration::V6_1 {
                set_imb_numa_nr(&mut chain, &levels, cpu);
            }
            degenerate(&mut chain, &levels, cpu);
            let start = built.chains.len();
            for link in &chain {
                let spans = group_spans(&levels, link.level, cpu);
                let key = (link.level, levels[link.level].spans[cpu.index()]);
                let same = known.entry(key).or_default();
                let found = same.iter().copied().find(|id| {
                    let groups = built.groups(*id);
                    groups.len() == spans.len()
                        && groups.iter().zip(&spans).all(|(group, span)| group.span == *span)
                });
                let id = found.unwrap_or_else(|| {
                    let id = built.add(&levels, link, cpu, &spans);
                    same.push(id);
                    id
                });
                built.chains.push(id);
            }
            built.chain_of.push((start as u32, built.chains.len() as u32));
        }
        built.set_group_flags();
        built.set_caches();
        built
    }

    fn add(&mut self, levels: &[Level], link: &Link, cpu: CpuId, spans: &[CpuSet]) -> DomainId {
        let level = &levels[link.level];
        let span = level.spans[cpu.index()];
        let weight = span.len() as u32;
        let start = self.groups.len() as u32;
        for group in spans {
            let child_is_group = |cpu: &CpuId| match link.level.checked_sub(1) {
                Some(child) => levels[child].spans[cpu.index()] == *group,
                None => true,
            };
            let mut cores: Vec<u16> = group.iter().map(|cpu| self.core[cpu.index()]).collect();
            order::sort(&mut cores);
            cores.dedup();
            let mask: CpuSet = group.iter().filter(child_is_group).collect();
            self.groups.push(Group {
                span: *group,
                weight: group.len() as u32,
                cores: cores.len() as u32,
                balance_mask: if mask.is_empty() { *group } else { mask },
                flags: DomainFlags::NONE,
            });
        }
        let id = DomainId(u16::try_from(self.domains.len()).expect("a few domains a CPU at most"));
        self.domains.push(Domain {
            name: level.name,
            distance: level.distance,
            span,
            weight,
            flags: link.flags,
            imbalance_pct: level.imbalance_pct,
            cache_nice_tries: level.cache_nice_tries,
            busy_factor: busy_factor(self.generation),
            min_interval: level.intervals.map_or(weight, |(min, _)| min),
            max_interval: level.intervals.map_or(2 * weight, |(_, max)| max),
            imb_numa_nr: link.imb_numa_nr,
            groups: (start, self.groups.len() as u32),
        });
        id
    }

    /// A group carries the flags of the domain that has its span, below its own.
    fn set_group_flags(&mut self) {
        for cpu in 0..self.chain_of.len() {
            let (start, end) = self.chain_of[cpu];
            for i in start + 1..end {
                let id = self.chains[i as usize];
                let child = self.domains[self.chains[i as usize - 1].index()].flags;
                let local = self.local_group(id, CpuId(cpu as u16));
                self.groups[local.index()].flags = child;
            }
        }
    }

    fn set_caches(&mut self) {
        self.llc_sizes = vec![1; self.llc.iter().map(|llc| llc.index() + 1).max().unwrap_or(0)];
        for cpu in 0..self.chain_of.len() {
            let id = CpuId(cpu as u16);
            let chain = self.chain(id);
            let flags = |domain: &DomainId| self.domains[domain.index()].flags;
            let shared = chain.iter().take_while(|d| flags(d).has(DomainFlags::SHARE_LLC)).last();
            let llc = shared.copied();
            let cluster = chain.iter().find(|d| flags(d).has(DomainFlags::CLUSTER)).copied();
            let first = |domain: DomainId| self.domains[domain.index()].span.lowest();
            let share = cluster.or(llc).and_then(first).unwrap_or(id);
            if let Some(llc) = llc {
                self.llc_sizes[self.llc[cpu].index()] = self.domains[llc.index()].weight;
            }
            self.clusters_active |= self.generation >= PlaceGeneration::V6_12 && cluster.is_some();
            self.llc_domain.push(llc);
            self.share_id.push(share.0);
        }
        let mut own = Vec::with_capacity(self.chains.len());
        for cpu in (0..self.chain_of.len() as u16).map(CpuId) {
            own.extend(self.chain(cpu).iter().map(|domain| self.find_local_group(*domain, cpu)));
        }
        self.local_groups = own;
    }

    /// For which kernel.
    #[must_use]
    pub fn generation(&self) -> PlaceGeneration {
        self.generation
    }

    /// How many CPUs the machine has.
    #[must_use]
    pub fn cpus(&self) -> usize {
        self.chain_of.len()
    }

    /// All domains, by [`DomainId`].
    #[must_use]
    pub fn domains(&self) -> &[Domain] {
        &self.domains
    }

    /// A domain.
    #[must_use]
    pub fn domain(&self, domain: DomainId) -> &Domain {
        &self.domains[domain.index()]
    }

    /// A group.
    #[must_use]
    pub fn group(&self, group: GroupId) -> &Group {
        &self.groups[group.index()]
    }

    /// The domains of a CPU, from the innermost out, degenerate ones left out.
    #[must_use]
    pub fn chain(&self, cpu: CpuId) -> &[DomainId] {
        let (start, end) = self.chain_of[cpu.index()];
        &self.chains[start as usize..end as usize]
    }

    /// The longest chain.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.chain_of.iter().map(|(start, end)| (end - start) as usize).max().unwrap_or(0)
    }

    /// The domain of the CPU just below this one in its chain.
    #[must_use]
    pub fn child(&self, domain: DomainId, cpu: CpuId) -> Option<DomainId> {
        let chain = self.chain(cpu);
        let i = chain.iter().position(|id| *id == domain)?;
        chain[..i].last().copied()
    }

    /// The groups of a domain, ascending by first CPU.
    #[must_use]
    pub fn groups(&self, domain: DomainId) -> &[Group] {
        let (start, end) = self.domains[domain.index()].groups;
        &self.groups[start as usize..end as usize]
    }

    /// The groups of all domains, by [`GroupId`].
    #[must_use]
    pub fn all_groups(&self) -> &[Group] {
        &self.groups
    }

    /// The ids of a domain's groups, ascending by first CPU.
    pub fn group_ids(
        &self,
        domain: DomainId,
    ) -> impl DoubleEndedIterator<Item = GroupId> + ExactSizeIterator + Clone + use<> {
        let (start, end) = self.domains[domain.index()].groups;
        (start..end).map(GroupId)
    }

    /// The group of the domain that is the CPU's own child domain (R6.1.4).
    ///
    /// # Panics
    /// If the CPU is not in the domain's span.
    #[must_use]
    pub fn local_group(&self, domain: DomainId, cpu: CpuId) -> GroupId {
        let (start, end) = self.chain_of[cpu.index()];
        let mut chain = start as usize..end as usize;
        let place = chain.find(|&place| self.chains[place] == domain);
        // Not yet known while the domains are being built.
        let known = place.and_then(|place| self.local_groups.get(place)).copied();
        known.unwrap_or_else(|| self.find_local_group(domain, cpu))
    }

    fn find_local_group(&self, domain: DomainId, cpu: CpuId) -> GroupId {
        let mut of = self.group_ids(domain);
        of.clone()
            .find(|id| self.groups[id.index()].balance_mask.contains(cpu))
            .or_else(|| of.find(|id| self.groups[id.index()].span.contains(cpu)))
            .expect("a CPU of the domain")
    }

    /// The groups of a domain in ring order from the CPU's own on (R6.1.4).
    pub fn ring(&self, domain: DomainId, cpu: CpuId) -> impl Iterator<Item = GroupId> + use<> {
        let (start, end) = self.domains[domain.index()].groups;
        let local = self.local_group(domain, cpu).0;
        (local..end).chain(start..local).map(GroupId)
    }

    /// The LLC of a CPU, by which per-LLC state is kept; a CPU without a shared cache has its own.
    #[must_use]
    pub fn llc(&self, cpu: CpuId) -> LlcId {
        self.llc[cpu.index()]
    }

    /// How many LLCs there are.
    #[must_use]
    pub fn llcs(&self) -> usize {
        self.llc_sizes.len()
    }

    /// `sd_llc`: the widest domain of the CPU that shares the cache; `None` if it shares none
    /// (R6.1.9).
    #[must_use]
    pub fn llc_domain(&self, cpu: CpuId) -> Option<DomainId> {
        self.llc_domain[cpu.index()]
    }

    /// The span of [`Domains::llc_domain`].
    #[must_use]
    pub fn llc_span(&self, cpu: CpuId) -> Option<&CpuSet> {
        self.llc_domain(cpu).map(|domain| &self.domain(domain).span)
    }

    /// `sd_llc_size`: how many CPUs share the CPU's cache; 1 if none (R6.1.9).
    #[must_use]
    pub fn llc_size(&self, cpu: CpuId) -> u32 {
        self.llc_sizes[self.llc(cpu).index()]
    }

    /// Whether the CPUs share a last-level cache; a CPU shares with itself.
    #[must_use]
    pub fn share_cache(&self, a: CpuId, b: CpuId) -> bool {
        self.llc(a) == self.llc(b)
    }

    /// Whether the CPUs are in one cluster; where there are none, in one LLC (6.8 on).
    #[must_use]
    pub fn share_resources(&self, a: CpuId, b: CpuId) -> bool {
        self.share_id[a.index()] == self.share_id[b.index()]
    }

    /// Whether placement looks at clusters at all: 6.8 on, where some domain is one.
    #[must_use]
    pub fn clusters_active(&self) -> bool {
        self.clusters_active
    }

    /// The CPU's cluster, where it is a domain of its own right below the LLC.
    #[must_use]
    pub fn cluster_span(&self, cpu: CpuId) -> Option<&CpuSet> {
        let child = self.domain(self.child(self.llc_domain(cpu)?, cpu)?);
        child.flags.has(DomainFlags::CLUSTER).then_some(&child.span)
    }

    /// Whether some core of the machine has several threads.
    #[must_use]
    pub fn smt(&self) -> bool {
        self.smt
    }

    /// The CPUs of a CPU's core, itself included.
    #[must_use]
    pub fn smt_siblings(&self, cpu: CpuId) -> &CpuSet {
        &self.cores[usize::from(self.core[cpu.index()])]
    }

    /// The CPU's node.
    #[must_use]
    pub fn node(&self, cpu: CpuId) -> NodeId {
        self.node[cpu.index()]
    }

    /// The CPUs of a node.
    #[must_use]
    pub fn node_span(&self, node: NodeId) -> &CpuSet {
        &self.nodes[node.index()]
    }
}

/// 6.1.1.
fn busy_factor(generation: PlaceGeneration) -> u32 {
    match generation {
        PlaceGeneration::V2_6_36 => 64,
        older if older < PlaceGeneration::V5_15 => 32,
        _ => 16,
    }
}

/// The levels of 2.6.36 (6.1.1 "Older defaults"). NODE is a guess at x86 (model,
/// unverified); with at most 16 nodes there is no ALLNODES level.
fn levels_2_6_36(topology: &Topology) -> Vec<Level> {
    use DomainFlags as F;
    let spread = F::LOAD_BALANCE
        .or(F::BALANCE_NEWIDLE)
        .or(F::BALANCE_EXEC)
        .or(F::BALANCE_FORK)
        .or(F::WAKE_AFFINE);
    let level = |name, flags, pct, tries, intervals, span: &dyn Fn(CpuId) -> CpuSet| Level {
        name,
        distance: None,
        flags,
        imbalance_pct: pct,
        cache_nice_tries: tries,
        intervals: Some(intervals),
        spans: topology.cpu_ids().map(span).collect(),
    };
    let llc = |cpu: CpuId| topology.llcs()[topology.cpu(cpu).llc.index()];
    let node = |cpu: CpuId| topology.nodes()[topology.cpu(cpu).node.index()];
    let smt = spread.or(F::SHARE_CPUCAPACITY).or(F::SHARE_LLC);
    let mut list = vec![
        level(LevelName::Smt, smt, 110, 0, (1, 2), &|cpu| *topology.smt_siblings(cpu)),
        level(LevelName::Mc, spread.or(F::SHARE_LLC), 125, 1, (1, 4), &llc),
        level(LevelName::Cpu, spread, 125, 1, (1, 4), &node),
    ];
    if topology.nodes().len() > 1 {
        let flags = spread.or(F::SERIALIZE).or(F::NUMA);
        list.push(level(LevelName::Node, flags, 125, 2, (8, 32), &|_| topology.all()));
    }
    list
}

/// The level list of a kernel (R6.1.1, R6.1.2), lowest first.
fn levels(topology: &Topology, generation: PlaceGeneration) -> Vec<Level> {
    use DomainFlags as F;
    if generation == PlaceGeneration::V2_6_36 {
        return levels_2_6_36(topology);
    }
    let old = generation < PlaceGeneration::V5_15;
    let default_pct = if old { 125 } else { 117 };
    let base = F::BALANCE_NEWIDLE
        .or(F::BALANCE_EXEC)
        .or(F::BALANCE_FORK)
        .or(F::WAKE_AFFINE)
        .or(if old { F::LOAD_BALANCE } else { F::NONE });
    let spread = base.or(F::PREFER_SIBLING);
    // 4.7 does not spread over cores that share a cache (6.1.1).
    let mc = if generation == PlaceGeneration::V4_7 { base } else { spread };
    let by_cpu = |span: &dyn Fn(CpuId) -> CpuSet| topology.cpu_ids().map(span).collect::<Vec<_>>();
    let level = |name, flags, imbalance_pct, cache_nice_tries, spans| Level {
        name,
        distance: None,
        flags,
        imbalance_pct,
        cache_nice_tries,
        intervals: None,
        spans,
    };

    let core = |cpu: CpuId| *topology.smt_siblings(cpu);
    let llc = |cpu: CpuId| topology.llcs()[topology.cpu(cpu).llc.index()];
    let node = |cpu: CpuId| topology.nodes()[topology.cpu(cpu).node.index()];

    let mut list = Vec::new();
    let flags = spread.or(F::SHARE_CPUCAPACITY).or(F::SHARE_LLC);
    list.push(level(LevelName::Smt, flags, 110, 0, by_cpu(&core)));
    if generation >= PlaceGeneration::V6_1 {
        let cluster = |cpu: CpuId| match topology.cpu(cpu).cluster {
            Some(cluster) => topology.clusters()[cluster.index()],
            None => core(cpu),
        };
        let flags = spread.or(F::CLUSTER).or(F::SHARE_LLC);
        list.push(level(LevelName::Cls, flags, 117, 1, by_cpu(&cluster)));
    }
    let coregroups = !topology.coregroups().is_empty();
    let name = if coregroups { LevelName::Cache } else { LevelName::Mc };
    list.push(level(name, mc.or(F::SHARE_LLC), 117, 1, by_cpu(&llc)));
    if coregroups {
        let group = |cpu: CpuId| match topology.cpu(cpu).coregroup {
            Some(group) => topology.coregroups()[group.index()],
            None => llc(cpu),
        };
        list.push(level(LevelName::Mc, spread, default_pct, 1, by_cpu(&group)));
    }
    if !topology.numa_in_package() {
        let name =
            if generation >= PlaceGeneration::V6_12 { LevelName::Pkg } else { LevelName::Die };
        list.push(level(name, spread, default_pct, 1, by_cpu(&node)));
    }
    if topology.nodes().len() == 1 {
        return list;
    }

    if generation >= PlaceGeneration::V4_15 {
        list.push(level(LevelName::Node, spread, default_pct, 1, by_cpu(&node)));
    }
    let reclaim = if old { topology.reclaim_distance() } else { topology.node_reclaim_distance() };
    let ids = || (0..topology.nodes().len() as u16).map(NodeId);
    let mut distances: Vec<u16> = ids()
        .flat_map(|a| ids().map(move |b| (a, b)))
        .map(|(a, b)| topology.node_distance(a, b))
        .collect();
    order::sort(&mut distances);
    distances.dedup();
    for &distance in &distances[1..] {
        let near = |cpu: CpuId| {
            let from = topology.cpu(cpu).node;
            ids()
                .filter(|to| topology.node_distance(from, *to) <= distance)
                .fold(CpuSet::EMPTY, |set, to| set.or(&topology.nodes()[to.index()]))
        };
        let far = distance > reclaim;
        let lost = F::BALANCE_EXEC.or(F::BALANCE_FORK).or(F::WAKE_AFFINE);
        let flags = if far { base.without(lost) } else { base };
        let flags = flags.or(F::NUMA).or(F::SERIALIZE).or(F::OVERLAP);
        let mut level = level(LevelName::Numa, flags, default_pct, 2, by_cpu(&near));
        level.distance = Some(distance);
        list.push(level);
    }
    list
}

fn full_chain(levels: &[Level], cpu: CpuId) -> Vec<Link> {
    levels
        .iter()
        .enumerate()
        // A level without this CPU's node in reach of anything new still makes a domain.
        .map(|(i, level)| {
            debug_assert!(level.spans[cpu.index()].contains(cpu));
            Link { level: i, flags: level.flags, imb_numa_nr: 0 }
        })
        .collect()
}

/// R6.1.10, on the chain before degeneration.
fn set_imb_numa_nr(chain: &mut [Link], levels: &[Level], cpu: CpuId) {
    let weight = |link: &Link| levels[link.level].spans[cpu.index()].len() as u32;
    let (mut imb, mut imb_span) = (0, 1);
    for i in 0..chain.len() {
        let own = weight(&chain[i]);
        let leaves_llc = i > 0
            && !chain[i].flags.has(DomainFlags::SHARE_LLC)
            && chain[i - 1].flags.has(DomainFlags::SHARE_LLC);
        if leaves_llc {
            let llcs = own / weight(&chain[i - 1]);
            imb = if llcs == 1 { own >> 3 } else { llcs }.max(1);
            let numa = chain[i + 1..].iter().find(|link| link.flags.has(DomainFlags::NUMA));
            imb_span = numa.map_or(own, weight);
            chain[i].imb_numa_nr = imb;
        } else {
            chain[i].imb_numa_nr = imb * (own / imb_span).max(1);
        }
    }
}

/// R6.1.8: removes the domains that add nothing.
fn degenerate(chain: &mut Vec<Link>, levels: &[Level], cpu: CpuId) {
    let span = |link: &Link| &levels[link.level].spans[cpu.index()];
    let needs_groups = |flags: DomainFlags| flags.without(DomainFlags::WAKE_AFFINE);
    let useless = |link: &Link, one_group: bool| {
        span(link).len() == 1
            || (!link.flags.has(DomainFlags::WAKE_AFFINE)
                && (one_group || needs_groups(link.flags) == DomainFlags::NONE))
    };
    let mut i = 0;
    while i + 1 < chain.len() {
        let (child, parent) = (chain[i], chain[i + 1]);
        // The groups of a domain are the spans of its child: equal spans, one group.
        let one_group = span(&child) == span(&parent);
        let extra =
            if one_group { parent.flags.without(needs_groups(parent.flags)) } else { parent.flags };
        if useless(&parent, one_group) || (one_group && child.flags.has(extra)) {
            chain[i].flags =
                child.flags.or(DomainFlags(parent.flags.0 & DomainFlags::PREFER_SIBLING.0));
            chain.remove(i + 1);
        } else {
            i += 1;
        }
    }
    if chain.first().is_some_and(|lowest| useless(lowest, span(lowest).len() == 1)) {
        chain.remove(0);
    }
}

/// The spans of a domain's groups: disjoint ones ascending by first CPU; overlapping ones in the
/// ring order of this CPU, turned so that the smallest comes first.
fn group_spans(levels: &[Level], level: usize, cpu: CpuId) -> Vec<CpuSet> {
    let span = levels[level].spans[cpu.index()];
    let mut covered = CpuSet::EMPTY;
    let mut groups: Vec<CpuSet> = Vec::new();
    let mut overlap = false;
    for member in span.wrap_from(cpu.index()) {
        if covered.contains(member) {
            continue;
        }
        // The widest domain of the member below this level that fits into the span.
        let mut below = levels[..level].iter().rev().map(|lower| lower.spans[member.index()]);
        let group =
            below.find(|lower| lower.is_subset(&span)).unwrap_or_else(|| CpuSet::one(member));
        overlap |= covered.intersects(&group);
        covered = covered.or(&group);
        groups.push(group);
    }
    if overlap {
        let least = (0..groups.len()).min_by_key(|&i| groups[i].lowest()).unwrap_or(0);
        groups.rotate_left(least);
    } else {
        order::sort_by_key(&mut groups, CpuSet::lowest);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::Machine;
    use crate::topology::{CpuRow, Distances};

    fn chain(machine: Machine, generation: PlaceGeneration, cpu: u16) -> String {
        let domains = Domains::build(&machine.topology(), generation);
        let names: Vec<String> = domains
            .chain(CpuId(cpu))
            .iter()
            .map(|id| format!("{}:{}", domains.domain(*id).name.name(), domains.domain(*id).weight))
            .collect();
        names.join(" ")
    }

    #[test]
    fn chains_by_generation() {
        use PlaceGeneration::*;
        assert_eq!(chain(Machine::Cpu1, V6_12, 0), "");
        assert_eq!(chain(Machine::Cpu4, V6_12, 3), "MC:4");
        assert_eq!(chain(Machine::Q6600, V2_6_36, 0), "MC:2 CPU:4");
        assert_eq!(chain(Machine::Q6600, V5_15, 0), "MC:2 DIE:4");
        assert_eq!(chain(Machine::Q6600, V6_12, 0), "CLS:2 PKG:4");
        assert_eq!(chain(Machine::Zen3Nps4, V4_7, 9), "SMT:2 MC:16 NUMA:128 NUMA:256");
        assert_eq!(chain(Machine::Zen3Nps4, V6_6, 9), "SMT:2 MC:16 NODE:32 NUMA:128 NUMA:256");
        assert_eq!(chain(Machine::Power10, V6_6, 1), "SMT:4 MC:80 DIE:160 NUMA:640");
        assert_eq!(chain(Machine::Kunpeng920, V6_12, 1), "CLS:4 MC:24 NUMA:48");
    }

    #[test]
    fn rings_start_at_the_local_group() {
        let domains = Domains::build(&Machine::Zen3Nps1.topology(), PlaceGeneration::V6_6);
        let cpu = CpuId(9);
        let llc = domains.llc_domain(cpu).expect("an LLC");
        let first: Vec<u16> = domains
            .ring(llc, cpu)
            .map(|group| domains.group(group).span.lowest().expect("not empty").0)
            .collect();
        assert_eq!(first, [9, 10, 11, 12, 13, 14, 15, 8]);
        assert!(domains.groups(llc).iter().all(|group| group.cores == 1 && group.weight == 2));
        assert!(domains.groups(llc)[0].flags.has(DomainFlags::SHARE_CPUCAPACITY));
        // 16 LLCs of 8 cores: shared by all CPUs of a span.
        let names: Vec<_> = domains.domains().iter().map(|domain| domain.name).collect();
        assert_eq!(names.iter().filter(|name| **name == LevelName::Mc).count(), 16);
        assert_eq!(domains.domains().len(), 128 + 16 + 2 + 1);
    }

    /// Four nodes in a circle: what is near differs from node to node.
    #[test]
    fn overlapping_numa_groups() {
        let rows = (0..4)
            .map(|cpu| CpuRow {
                cpu,
                core: cpu,
                cluster: None,
                llc: None,
                coregroup: None,
                node: cpu,
                package: cpu,
            })
            .collect();
        let near = |a: u16, b: u16| [10, 16, 22, 16][usize::from((b + 4 - a) % 4)];
        let table = (0..4).map(|a| (0..4).map(|b| near(a, b)).collect()).collect();
        let circle = Topology::from_rows("circle", rows, Distances::Table(table)).expect("valid");
        let domains = Domains::build(&circle, PlaceGeneration::V6_6);
        for cpu in circle.cpu_ids() {
            let chain = domains.chain(cpu);
            let weights: Vec<u32> = chain.iter().map(|id| domains.domain(*id).weight).collect();
            assert_eq!(weights, [3, 4]);
            let top = *chain.last().expect("two");
            let local = domains.group(domains.local_group(top, cpu));
            assert_eq!(local.span, domains.domain(chain[0]).span);
            assert!(local.balance_mask.contains(cpu));
            let all = domains.groups(top).iter().fold(CpuSet::EMPTY, |set, g| set.or(&g.span));
            assert_eq!(all, circle.all());
        }
    }
}
