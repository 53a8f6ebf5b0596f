//! From the document to what the engine runs.

use crate::check::{self, check};
use crate::document::{
    CfsChoice, Costs, CpuTable, Cpus, Document, Edit, Group, KernelChoice, MachineChoice, Start,
    Who,
};
use crate::face::{Face, faces};
use crate::problem::Problem;
use crate::program::{Channel, Length, Op, Scope};
use crate::topology_file::sentence_of;
use schedscope_sim::kernel::{self, Feature, Kernel, Preset, Turbo};
use schedscope_sim::machines::Machine;
use schedscope_sim::order;
use schedscope_sim::program::{ChannelId, Dist, Op as SimOp, Program, SpecId};
use schedscope_sim::setup::{self, GroupSpec, Setup, TaskSpec};
use schedscope_sim::topology::{
    CpuRow, Distances, Numbering, RECLAIM_DISTANCE, Shape, Topology, TopologyProblem,
};
use schedscope_sim::units::{CPUS_MAX, CpuId, LatencyNice, Nice, Span, TaskGroupId, TaskId, Time};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// What the engine runs, and whose task is whose.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// What the engine runs. The specs of tasks that start come first, so that a task of the start
    /// has the number of its spec; those that are only forked follow.
    pub setup: Setup,
    /// For each row of the document: how it looks.
    pub faces: Vec<Face>,
    /// For each spec of the setup: its row.
    pub spec_rows: Vec<u16>,
    /// For each spec of the setup: its number among those of its row, from 1.
    pub spec_instances: Vec<u32>,
    /// How many tasks exist from the start, or start later on their own.
    pub started: u32,
    /// What is worth saying, such as a slice that this kernel does not honour.
    pub notes: Vec<Problem>,
}

impl Built {
    /// The numbers of the tasks that a row starts with; none for one that is only forked.
    #[must_use]
    pub fn tasks_of(&self, row: u16) -> std::ops::Range<u32> {
        let mut of = (0..self.started).filter(|&task| self.spec_rows[task as usize] == row);
        of.next().map_or(0..0, |first| first..of.next_back().unwrap_or(first) + 1)
    }
}

impl Document {
    /// Everything a run starts from.
    ///
    /// # Errors
    /// All that makes a run impossible. A document that came from [`Document::from_toml`] has no
    /// such problem.
    pub fn setup(&self) -> Result<Built, Vec<Problem>> {
        let found = check(self);
        if !found.problems.is_empty() {
            return Err(check::problems(self, &found.problems));
        }
        let broken = |sentence: String| vec![Problem::new("document", sentence)];
        let topology = self.topology()?;
        let kernel = kernel(&self.kernel, topology.len())
            .ok_or_else(|| broken(check::unknown_kernel(&self.kernel.preset)))?;
        let mut built = Built {
            setup: Setup {
                topology,
                kernel,
                tasks: Vec::new(),
                interrupts: Vec::new(),
                end: Time(self.end),
                seed: self.seed,
                inputs: Vec::new(),
                channels: 0,
                groups: self.groups.iter().map(group).collect(),
            },
            faces: faces(&self.rows),
            spec_rows: Vec::new(),
            spec_instances: Vec::new(),
            started: 0,
            notes: check::problems(self, &found.notes),
        };
        self.add_specs(&mut built).map_err(broken)?;
        self.add_inputs(&mut built);
        Ok(built)
    }

    /// The machine.
    ///
    /// # Errors
    /// Why there is none.
    pub fn topology(&self) -> Result<Topology, Vec<Problem>> {
        self.machine.topology()
    }

    fn add_specs(&self, built: &mut Built) -> Result<(), String> {
        // The number of the first spec of each row.
        let mut firsts = vec![0; self.rows.len()];
        let mut next = 0;
        let starts = |at: usize| self.rows[at].start != Start::Fork;
        let order = (0..self.rows.len()).filter(|&at| starts(at));
        let order: Vec<usize> =
            order.chain((0..self.rows.len()).filter(|&at| !starts(at))).collect();
        for &at in &order {
            firsts[at] = next;
            next += self.rows[at].count;
        }
        let mut lower = Lowering {
            document: self,
            firsts: &firsts,
            channels: BTreeMap::new(),
            next_channel: 0,
            cpus: built.setup.topology.len() as u16,
        };
        for &at in &order {
            let row = &self.rows[at];
            for instance in 0..row.count {
                let start = match &row.start {
                    Start::At { at, every, cpus } => Some(setup::Start {
                        at: Time(at + every * u64::from(instance)),
                        cpu: match cpus.len() {
                            0 => None,
                            n => Some(CpuId(cpus[instance as usize % n])),
                        },
                    }),
                    Start::Fork => None,
                };
                built.started += u32::from(start.is_some());
                built.spec_rows.push(at as u16);
                built.spec_instances.push(instance + 1);
                built.setup.tasks.push(TaskSpec {
                    nice: Nice::new(row.nice).unwrap_or_default(),
                    latency_nice: LatencyNice::new(row.latency_nice).unwrap_or_default(),
                    slice: row.slice.map(Span),
                    affinity: row.affinity.map(|cpus| cpus.0).or_else(|| {
                        let cpu = start.and_then(|start| start.cpu).filter(|_| row.kthread)?;
                        Some([cpu].into_iter().collect())
                    }),
                    start,
                    per_cpu_kthread: row.kthread,
                    group: row.group.as_ref().and_then(|name| self.group_id(name)),
                    program: lower.program(at, instance)?,
                });
            }
        }
        for interrupt in &self.interrupts {
            let channel = Channel { name: interrupt.wakes.clone(), scope: Scope::All };
            built.setup.interrupts.push(setup::Interrupt {
                at: Time(interrupt.at),
                every: dist(interrupt.every),
                cpus: interrupt.cpus.0,
                channel: lower.channel(&channel, 0)?,
                count: interrupt.count,
            });
        }
        built.setup.channels = lower.next_channel;
        Ok(())
    }

    fn group_id(&self, name: &str) -> Option<TaskGroupId> {
        self.group(name).map(|group| TaskGroupId(group as u16))
    }

    fn add_inputs(&self, built: &mut Built) {
        let mut inputs: Vec<_> = self.inputs.iter().collect();
        order::sort_by_key(&mut inputs, |input| input.after);
        for input in inputs {
            let edits = self.edits(&input.edit, built);
            let with_step = |edit| setup::Input { after_step: input.after, edit };
            built.setup.inputs.extend(edits.into_iter().map(with_step));
        }
    }

    /// One change for each task that it is about.
    fn edits(&self, edit: &Edit, built: &Built) -> Vec<setup::Edit> {
        let of = |who: &Who| -> Vec<TaskId> {
            let tasks = |name: &String| match self.row(name) {
                Some(row) => built.tasks_of(row as u16),
                None => 0..0,
            };
            match who {
                Who::Row(name) => tasks(name).map(TaskId).collect(),
                Who::Instance(name, n) => {
                    tasks(name).nth(n.saturating_sub(1) as usize).map(TaskId).into_iter().collect()
                }
                Who::Task(task) => vec![TaskId(*task)],
            }
        };
        let each = |who: &Who, edit: &dyn Fn(TaskId) -> setup::Edit| -> Vec<setup::Edit> {
            of(who).into_iter().map(edit).collect()
        };
        match edit {
            Edit::Nice(who, nice) => {
                let nice = Nice::new(*nice).unwrap_or_default();
                each(who, &|task| setup::Edit::Nice(task, nice))
            }
            Edit::LatencyNice(who, nice) => {
                let nice = LatencyNice::new(*nice).unwrap_or_default();
                each(who, &|task| setup::Edit::LatencyNice(task, nice))
            }
            Edit::Slice(who, slice) => each(who, &|task| setup::Edit::Slice(task, slice.map(Span))),
            Edit::Affinity(who, cpus) => {
                let cpus = cpus.map(|Cpus(set)| set);
                each(who, &|task| setup::Edit::Affinity(task, cpus))
            }
            Edit::Move(who, cpu) => each(who, &|task| setup::Edit::Move(task, CpuId(*cpu))),
            Edit::Kill(who) => each(who, &setup::Edit::Kill),
            Edit::Group(who, name) => {
                let group = name.as_ref().and_then(|name| self.group_id(name));
                each(who, &|task| setup::Edit::Group(task, group))
            }
            Edit::Shares(name, shares) => {
                let group = self.group_id(name).into_iter();
                group.map(|group| setup::Edit::Shares(group, *shares)).collect()
            }
            Edit::GroupLatencyNice(name, nice) => {
                let nice = LatencyNice::new(*nice).unwrap_or_default();
                let group = self.group_id(name).into_iter();
                group.map(|group| setup::Edit::GroupLatencyNice(group, nice)).collect()
            }
            Edit::Spawn(name, cpu) => {
                let row = self.row(name).map(|row| row as u16);
                let spec = built.spec_rows.iter().position(|&of| Some(of) == row);
                let spawn = |spec| setup::Edit::Spawn(SpecId(spec as u32), cpu.map(CpuId));
                spec.map(spawn).into_iter().collect()
            }
        }
    }
}

fn group(group: &Group) -> GroupSpec {
    let latency_nice = LatencyNice::new(group.latency_nice).unwrap_or_default();
    GroupSpec { shares: group.shares, latency_nice }
}

/// Makes programs of the engine.
struct Lowering<'a> {
    document: &'a Document,
    firsts: &'a [u32],
    channels: BTreeMap<(String, u32), ChannelId>,
    /// The first that is free.
    next_channel: u16,
    /// How many CPUs there are.
    cpus: u16,
}

impl Lowering<'_> {
    fn program(&mut self, row: usize, instance: u32) -> Result<Program, String> {
        struct Open {
            times: Option<u32>,
            to: u16,
            slot: u8,
        }
        let mut ops = Vec::new();
        let mut open: Vec<Open> = Vec::new();
        for op in &self.document.rows[row].program.ops {
            let op = match op {
                Op::Run(length) => SimOp::Run(dist(*length)),
                Op::Sleep(length) => SimOp::Sleep(dist(*length)),
                Op::Timer(period) => SimOp::Timer(Span(*period)),
                Op::Wait(channel) if channel.scope == Scope::Cpu => {
                    SimOp::WaitHere(self.channel(channel, instance)?)
                }
                Op::Wait(channel) => SimOp::Wait(self.channel(channel, instance)?),
                Op::Wake { channel, sync, .. } if channel.scope == Scope::Cpu => {
                    SimOp::WakeHere { first: self.channel(channel, instance)?, sync: *sync }
                }
                Op::Wake { channel, count, sync } => SimOp::Wake {
                    channel: self.channel(channel, instance)?,
                    count: *count,
                    sync: *sync,
                },
                Op::Fork(child) => {
                    let row = self.document.row(&child.name);
                    let first = row.map(|row| self.firsts[row]).ok_or("a fork of nothing")?;
                    SimOp::Fork(SpecId(
                        first + if child.scope == Scope::Instance { instance } else { 0 },
                    ))
                }
                Op::Exec => SimOp::Exec,
                Op::Yield => SimOp::Yield,
                Op::Exit => SimOp::Exit,
                Op::Loop(times) => {
                    let slot = open.iter().filter(|open| open.times.is_some()).count() as u8;
                    open.push(Open { times: *times, to: ops.len() as u16, slot });
                    continue;
                }
                Op::End => match open.pop().ok_or("an end without a loop")? {
                    // A pass comes before the first jump back.
                    Open { times: Some(0 | 1), .. } => continue,
                    Open { times: Some(times), to, slot } => {
                        SimOp::Repeat { to, times: Some(times - 1), slot }
                    }
                    Open { times: None, to, .. } => SimOp::Repeat { to, times: None, slot: 0 },
                },
            };
            ops.push(op);
        }
        Ok(Program { ops })
    }

    fn channel(&mut self, channel: &Channel, instance: u32) -> Result<ChannelId, String> {
        let (instance, size) = match channel.scope {
            Scope::All => (0, 1),
            Scope::Instance => (instance, 1),
            Scope::Cpu => (0, self.cpus),
        };
        let next = &mut self.next_channel;
        match self.channels.entry((channel.name.clone(), instance)) {
            Entry::Occupied(known) => Ok(*known.get()),
            Entry::Vacant(new) => {
                let first = ChannelId(*next);
                *next = next.checked_add(size).ok_or("too many channels")?;
                Ok(*new.insert(first))
            }
        }
    }
}

fn dist(length: Length) -> Dist {
    match length {
        Length::Fixed(ns) => Dist::Fixed(Span(ns)),
        Length::Uniform(lo, hi) => Dist::Uniform { lo: Span(lo), hi: Span(hi) },
        Length::Exponential(mean) => Dist::Exponential { mean: Span(mean) },
    }
}

/// The kernel, tuned for a machine of so many CPUs; `None` if the preset is unknown.
pub(crate) fn kernel(choice: &KernelChoice, cpus: usize) -> Option<Kernel> {
    let mut kernel = Preset::from_name(&choice.preset)?.kernel(cpus);
    if let Some(name) = &choice.placement {
        kernel.take_placement(Preset::from_name(name)?);
    }
    if let Some(ns) = choice.base_slice {
        kernel.base_slice = Span(ns);
    }
    set_cfs(&mut kernel, &choice.cfs);
    let clock = &choice.clock;
    if let Some(name) = &clock.governor {
        kernel.frequency.governor = governor(name)?;
    }
    if let Some((min, max)) = clock.khz {
        (kernel.frequency.min_khz, kernel.frequency.max_khz) = (min, max);
    }
    kernel.frequency.smt = clock.smt.unwrap_or(kernel.frequency.smt);
    kernel.frequency.turbo = Turbo::new(&clock.turbo[..clock.turbo.len().min(Turbo::STEPS)]);
    kernel.hz = choice.hz.unwrap_or(kernel.hz);
    kernel.group_sched = choice.group_sched.unwrap_or(kernel.group_sched);
    for (name, on) in &choice.features {
        if let Some(feature) = Feature::from_name(name) {
            kernel.features = kernel.features.with(feature, *on);
        }
    }
    kernel.costs = match choice.costs {
        Costs::Ideal => kernel::Costs::default(),
        Costs::Typical => Costs::TYPICAL,
        Costs::Own { context_switch, wake_ipi, wakeup, migrate_llc } => kernel::Costs {
            context_switch: Span(context_switch),
            wake_ipi: Span(wake_ipi),
            wakeup: Span(wakeup),
            migrate_llc: Span(migrate_llc),
        },
    };
    Some(kernel)
}

fn set_cfs(kernel: &mut Kernel, choice: &CfsChoice) {
    let cfs = &mut kernel.cfs;
    cfs.latency = choice.latency.map_or(cfs.latency, Span);
    cfs.min_granularity = choice.min_granularity.map_or(cfs.min_granularity, Span);
    cfs.wakeup_granularity = choice.wakeup_granularity.map_or(cfs.wakeup_granularity, Span);
    if choice.latency.is_some() || choice.min_granularity.is_some() {
        // As the kernel does when one of the two is written.
        let nr = cfs.latency.0.div_ceil(cfs.min_granularity.0.max(1));
        cfs.nr_latency = u32::try_from(nr).unwrap_or(u32::MAX);
    }
    cfs.child_runs_first = choice.child_runs_first.unwrap_or(cfs.child_runs_first);
    cfs.compat_yield = choice.compat_yield.unwrap_or(cfs.compat_yield);
}

/// The governors by the names that scenarios have for them.
pub(crate) const GOVERNORS: [(&str, kernel::Governor); 3] = [
    ("performance", kernel::Governor::Performance),
    ("schedutil", kernel::Governor::Schedutil),
    ("hwp", kernel::Governor::Hwp),
];

/// The governor of that name.
pub(crate) fn governor(name: &str) -> Option<kernel::Governor> {
    GOVERNORS.iter().find(|(known, _)| *known == name).map(|(_, governor)| *governor)
}

/// Whether a task's own slice has an effect (from 6.12 on, R4.C.2).
pub(crate) fn honours_slice(kernel: &Kernel) -> bool {
    kernel.fair.has_custom_slices()
}

impl MachineChoice {
    /// The machine.
    ///
    /// # Errors
    /// Why there is none.
    pub fn topology(&self) -> Result<Topology, Vec<Problem>> {
        let place = |field: &str| match field {
            "" => "machine".to_string(),
            field => format!("machine.{field}"),
        };
        let problem = |(field, sentence)| Problem::new(place(field), sentence);
        machine(self).map_err(|problems| problems.into_iter().map(problem).collect())
    }
}

/// The machine, or the fields of its description that are wrong.
pub(crate) fn machine(choice: &MachineChoice) -> Result<Topology, Vec<(&'static str, String)>> {
    match choice {
        MachineChoice::Preset(id) => match Machine::from_id(id) {
            Some(machine) => Ok(machine.topology()),
            None => Err(vec![("", check::unknown_machine(id))]),
        },
        MachineChoice::Shape(shape) => regular(shape),
        MachineChoice::Cpus(table) => from_table(table),
    }
}

fn name_of(name: &str, cpus: usize) -> String {
    match name {
        "" if cpus == 1 => "1 CPU".to_string(),
        "" => format!("{cpus} CPUs"),
        name => name.to_string(),
    }
}

fn regular(shape: &crate::document::Shape) -> Result<Topology, Vec<(&'static str, String)>> {
    let counts = [
        ("sockets", shape.sockets),
        ("nodes", shape.nodes),
        ("llcs", shape.llcs),
        ("cores", shape.cores),
        ("threads", shape.threads),
        ("cluster", shape.cluster.unwrap_or(1)),
    ];
    let mut problems: Vec<_> = counts
        .iter()
        .filter(|(_, count)| *count == 0)
        .map(|(field, _)| (*field, "there is at least one.".to_string()))
        .collect();
    for (field, distance) in
        [("node_distance", shape.node_distance), ("socket_distance", shape.socket_distance)]
    {
        if !(11..=255).contains(&distance) {
            problems.push((field, "a distance is 11 to 255; 10 is local.".to_string()));
        }
    }
    if let Err(sentence) = check_reclaim(shape.reclaim_distance) {
        problems.push(("reclaim_distance", sentence));
    }
    let sim = Shape {
        sockets: shape.sockets,
        nodes_per_socket: shape.nodes,
        llcs_per_node: shape.llcs,
        cores_per_llc: shape.cores,
        cores_per_cluster: shape.cluster,
        threads_per_core: shape.threads,
        numbering: match shape.siblings_adjacent {
            true => Numbering::SiblingsAdjacent,
            false => Numbering::SiblingsLast,
        },
        package_distance: shape.node_distance,
        remote_distance: shape.socket_distance,
    };
    if !problems.is_empty() {
        return Err(problems);
    }
    let topology = sim.topology(name_of(&shape.name, sim.cpus())).map_err(of_machine)?;
    Ok(with_reclaim(topology, shape.reclaim_distance))
}

fn of_machine(problems: Vec<TopologyProblem>) -> Vec<(&'static str, String)> {
    problems.iter().map(|problem| ("", sentence_of(problem))).collect()
}

fn check_reclaim(distance: Option<u16>) -> Result<(), String> {
    match distance {
        Some(distance) if !(10..=255).contains(&distance) => {
            Err("reclaim_distance is 10 to 255; Linux has 30, on AMD 32, on POWER 10.".to_string())
        }
        _ => Ok(()),
    }
}

fn with_reclaim(topology: Topology, distance: Option<u16>) -> Topology {
    match distance {
        Some(distance) => topology.with_reclaim_distance(distance.min(RECLAIM_DISTANCE), distance),
        None => topology,
    }
}

fn from_table(table: &CpuTable) -> Result<Topology, Vec<(&'static str, String)>> {
    let cpus = usize::from(table.cpus);
    if !(1..=CPUS_MAX).contains(&cpus) {
        return Err(vec![("cpus", format!("a machine has 1 to {CPUS_MAX} CPUs."))]);
    }
    let all = schedscope_sim::cpu_set::CpuSet::first(cpus);
    let mut problems = Vec::new();
    let mut place = |field: &'static str, groups: &[Cpus], all_covered: bool| {
        let mut of = vec![None; cpus];
        for (at, Cpus(group)) in groups.iter().enumerate() {
            let beyond = group.minus(&all);
            if !beyond.is_empty() {
                let list = crate::cpu_list::format(&beyond);
                problems.push((field, format!("there is no CPU {list}; cpus is {cpus}.")));
            }
            if group.is_empty() {
                problems.push((field, "a group without a CPU; take it out.".to_string()));
            }
            for cpu in group.and(&all).iter() {
                if of[cpu.index()].replace(at as u32).is_some() {
                    problems.push((field, format!("CPU {cpu} is in two of them.")));
                }
            }
        }
        if all_covered
            && !groups.is_empty()
            && let Some(cpu) = of.iter().position(Option::is_none)
        {
            problems.push((field, format!("CPU {cpu} is in none of them.")));
        }
        of
    };
    let packages = place("packages", &table.packages, true);
    let nodes = place("nodes", &table.nodes, true);
    let coregroups = place("coregroups", &table.coregroups, false);
    let llcs = place("llcs", &table.llcs, false);
    let clusters = place("clusters", &table.clusters, false);
    let cores = place("cores", &table.cores, false);
    if let Err(sentence) = check_reclaim(table.reclaim_distance) {
        problems.push(("reclaim_distance", sentence));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let rows = (0..cpus)
        .map(|cpu| {
            let package = packages[cpu].unwrap_or(0);
            CpuRow {
                cpu: cpu as u32,
                // A CPU in no core is one of its own, beyond the listed ones.
                core: cores[cpu].unwrap_or((table.cores.len() + cpu) as u32),
                cluster: clusters[cpu],
                llc: llcs[cpu],
                coregroup: coregroups[cpu],
                node: nodes[cpu].unwrap_or(package),
                package,
            }
        })
        .collect();
    let distances = match table.distances.is_empty() {
        true => Distances::Regular { package: 12, remote: 21 },
        false => Distances::Table(table.distances.clone()),
    };
    let topology =
        Topology::from_rows(name_of(&table.name, cpus), rows, distances).map_err(of_machine)?;
    Ok(with_reclaim(topology, table.reclaim_distance))
}

impl CpuTable {
    /// The table of a machine; [`MachineChoice::topology`] gives the machine back.
    #[must_use]
    pub fn of(topology: &Topology) -> CpuTable {
        let lists = |spans: &[schedscope_sim::cpu_set::CpuSet]| -> Vec<Cpus> {
            spans.iter().copied().map(Cpus).collect()
        };
        let node_ids = || (0..topology.nodes().len() as u16).map(schedscope_sim::topology::NodeId);
        let several = topology.nodes().len() > 1;
        let distance = |from, to| topology.node_distance(from, to);
        let reclaim = topology.node_reclaim_distance();
        CpuTable {
            name: topology.name().to_string(),
            cpus: topology.len() as u16,
            packages: lists(topology.packages()),
            nodes: lists(topology.nodes()),
            coregroups: lists(topology.coregroups()),
            llcs: lists(topology.llcs()),
            clusters: lists(topology.clusters()),
            cores: lists(topology.cores()),
            distances: match several {
                true => node_ids()
                    .map(|from| node_ids().map(|to| distance(from, to)).collect())
                    .collect(),
                false => Vec::new(),
            },
            reclaim_distance: (reclaim != RECLAIM_DISTANCE).then_some(reclaim),
        }
    }
}
