//! The document in the bytes that a link holds: short, and readable for years.
//!
//! The format is a list of tagged items, defaults left out. It grows by new tags at the end of an
//! enum and new items in a list; what is here is never changed, removed or reordered. A golden test
//! holds it. Programs are kept as text, because the language must be readable for years anyway.

use crate::cpu_list;
use crate::document::{
    Costs, CpuTable, Cpus, DEFAULT_END, DEFAULT_SEED, Document, Edit, Group, Input, Interrupt,
    KernelChoice, MachineChoice, Row, Shape, Start, Who,
};
use crate::problem::Problem;
use crate::program::Program;
use schedscope_sim::cpu_set::CpuSet;
use serde::{Deserialize, Serialize};

/// The most bytes that are unpacked.
pub const PACKED_MAX: usize = 1 << 18;

#[derive(Serialize, Deserialize)]
enum Packed {
    V1(Vec<Item>),
}

#[derive(Serialize, Deserialize)]
enum Item {
    Title(String),
    About(String),
    Machine(String),
    Shape(Vec<ShapeItem>),
    Cpus(Vec<CpusItem>),
    Kernel(Vec<KernelItem>),
    Seed(u64),
    End(u64),
    Row(Vec<RowItem>),
    Input(u64, EditItem),
    /// When first, from one to the next (as text), the CPUs, the channel, how many it wakes.
    Interrupt(u64, String, String, String, u32),
    Group(Vec<GroupItem>),
}

#[derive(Serialize, Deserialize)]
enum GroupItem {
    Name(String),
    Shares(u32),
    LatencyNice(i8),
}

#[derive(Serialize, Deserialize)]
enum ShapeItem {
    Name(String),
    Sockets(u16),
    Nodes(u16),
    Llcs(u16),
    Cores(u16),
    Threads(u16),
    Cluster(u16),
    SiblingsAdjacent,
    NodeDistance(u16),
    SocketDistance(u16),
    ReclaimDistance(u16),
}

#[derive(Serialize, Deserialize)]
enum CpusItem {
    Name(String),
    Count(u16),
    Packages(Vec<String>),
    Nodes(Vec<String>),
    Coregroups(Vec<String>),
    Llcs(Vec<String>),
    Clusters(Vec<String>),
    Cores(Vec<String>),
    Distances(Vec<Vec<u16>>),
    ReclaimDistance(u16),
}

#[derive(Serialize, Deserialize)]
enum KernelItem {
    Preset(String),
    BaseSlice(u64),
    Hz(u32),
    GroupSched(bool),
    Feature(String, bool),
    TypicalCosts,
    /// Context switch, wake IPI, wakeup, migration to another LLC.
    Costs(u64, u64, u64, u64),
    Placement(String),
    Latency(u64),
    MinGranularity(u64),
    WakeupGranularity(u64),
    ChildRunsFirst(bool),
    CompatYield(bool),
    Governor(String),
    /// The lowest and the highest, kHz.
    Clock(u32, u32),
    /// Percent.
    Smt(u8),
    /// Busy cores and kHz.
    Turbo(Vec<(u16, u32)>),
}

#[derive(Serialize, Deserialize)]
enum RowItem {
    Name(String),
    Letter(String),
    Count(u32),
    Nice(i8),
    LatencyNice(i8),
    Slice(u64),
    Affinity(String),
    At(u64),
    Every(u64),
    Cpus(String),
    OnFork,
    Kthread,
    Muted(bool),
    Program(String),
    /// Its number in the palette, from 1.
    Colour(u8),
    Group(String),
}

#[derive(Serialize, Deserialize)]
enum EditItem {
    Nice(WhoItem, i8),
    LatencyNice(WhoItem, i8),
    Slice(WhoItem, Option<u64>),
    Affinity(WhoItem, Option<String>),
    Move(WhoItem, u16),
    Spawn(String, Option<u16>),
    Kill(WhoItem),
    Group(WhoItem, Option<String>),
    Shares(String, u32),
    GroupLatencyNice(String, i8),
}

#[derive(Serialize, Deserialize)]
enum WhoItem {
    Row(String),
    Instance(String, u32),
    Task(u32),
}

impl Document {
    /// The document in bytes, for a link; not compressed.
    #[must_use]
    pub fn pack(&self) -> Vec<u8> {
        // Serialising plain data into memory cannot fail.
        postcard::to_allocvec(&Packed::V1(items(self))).unwrap_or_default()
    }

    /// The document of such bytes.
    ///
    /// # Errors
    /// If these are no bytes of [`Document::pack`], or of a later one that knows more.
    pub fn unpack(bytes: &[u8]) -> Result<Document, Vec<Problem>> {
        let problem = |sentence: &str| vec![Problem::new("link", sentence)];
        if bytes.len() > PACKED_MAX {
            return Err(problem("it holds more than a scenario can be; is it cut or changed?"));
        }
        let damaged = "it is damaged, or made by a newer schedscope; ask for it again, or reload \
                       the page.";
        match postcard::take_from_bytes::<Packed>(bytes) {
            Ok((Packed::V1(items), [])) => document(items),
            _ => Err(problem(damaged)),
        }
    }
}

fn items(document: &Document) -> Vec<Item> {
    let mut items = Vec::new();
    if !document.title.is_empty() {
        items.push(Item::Title(document.title.clone()));
    }
    if !document.about.is_empty() {
        items.push(Item::About(document.about.clone()));
    }
    items.push(match &document.machine {
        MachineChoice::Preset(id) => Item::Machine(id.clone()),
        MachineChoice::Shape(shape) => Item::Shape(shape_items(shape)),
        MachineChoice::Cpus(table) => Item::Cpus(table_items(table)),
    });
    items.push(Item::Kernel(kernel_items(&document.kernel)));
    if document.seed != DEFAULT_SEED {
        items.push(Item::Seed(document.seed));
    }
    if document.end != DEFAULT_END {
        items.push(Item::End(document.end));
    }
    items.extend(document.groups.iter().map(|group| Item::Group(group_items(group))));
    items.extend(document.rows.iter().map(|row| Item::Row(row_items(row))));
    items.extend(document.interrupts.iter().map(|interrupt| {
        Item::Interrupt(
            interrupt.at,
            interrupt.every.to_string(),
            cpu_list::format(&interrupt.cpus.0),
            interrupt.wakes.clone(),
            interrupt.count,
        )
    }));
    items.extend(
        document.inputs.iter().map(|input| Item::Input(input.after, edit_item(&input.edit))),
    );
    items
}

fn shape_items(shape: &Shape) -> Vec<ShapeItem> {
    let plain = Shape::default();
    let mut items = vec![
        ShapeItem::Sockets(shape.sockets),
        ShapeItem::Nodes(shape.nodes),
        ShapeItem::Llcs(shape.llcs),
        ShapeItem::Cores(shape.cores),
        ShapeItem::Threads(shape.threads),
    ];
    if !shape.name.is_empty() {
        items.push(ShapeItem::Name(shape.name.clone()));
    }
    items.extend(shape.cluster.map(ShapeItem::Cluster));
    if shape.siblings_adjacent {
        items.push(ShapeItem::SiblingsAdjacent);
    }
    if shape.node_distance != plain.node_distance {
        items.push(ShapeItem::NodeDistance(shape.node_distance));
    }
    if shape.socket_distance != plain.socket_distance {
        items.push(ShapeItem::SocketDistance(shape.socket_distance));
    }
    items.extend(shape.reclaim_distance.map(ShapeItem::ReclaimDistance));
    items
}

fn table_items(table: &CpuTable) -> Vec<CpusItem> {
    let list = |Cpus(set): &Cpus| cpu_list::format(set);
    let mut items = vec![CpusItem::Count(table.cpus)];
    if !table.name.is_empty() {
        items.push(CpusItem::Name(table.name.clone()));
    }
    type Make = fn(Vec<String>) -> CpusItem;
    let groups: [(&Vec<Cpus>, Make); 6] = [
        (&table.packages, CpusItem::Packages),
        (&table.nodes, CpusItem::Nodes),
        (&table.coregroups, CpusItem::Coregroups),
        (&table.llcs, CpusItem::Llcs),
        (&table.clusters, CpusItem::Clusters),
        (&table.cores, CpusItem::Cores),
    ];
    for (groups, item) in groups {
        if !groups.is_empty() {
            items.push(item(groups.iter().map(list).collect()));
        }
    }
    if !table.distances.is_empty() {
        items.push(CpusItem::Distances(table.distances.clone()));
    }
    items.extend(table.reclaim_distance.map(CpusItem::ReclaimDistance));
    items
}

fn kernel_items(kernel: &KernelChoice) -> Vec<KernelItem> {
    let mut items = vec![KernelItem::Preset(kernel.preset.clone())];
    items.extend(kernel.base_slice.map(KernelItem::BaseSlice));
    items.extend(kernel.hz.map(KernelItem::Hz));
    items.extend(kernel.group_sched.map(KernelItem::GroupSched));
    items.extend(kernel.features.iter().map(|(name, on)| KernelItem::Feature(name.clone(), *on)));
    match kernel.costs {
        Costs::Ideal => {}
        Costs::Typical => items.push(KernelItem::TypicalCosts),
        Costs::Own { context_switch, wake_ipi, wakeup, migrate_llc } => {
            items.push(KernelItem::Costs(context_switch, wake_ipi, wakeup, migrate_llc));
        }
    }
    items.extend(kernel.placement.clone().map(KernelItem::Placement));
    items.extend(kernel.cfs.latency.map(KernelItem::Latency));
    items.extend(kernel.cfs.min_granularity.map(KernelItem::MinGranularity));
    items.extend(kernel.cfs.wakeup_granularity.map(KernelItem::WakeupGranularity));
    items.extend(kernel.cfs.child_runs_first.map(KernelItem::ChildRunsFirst));
    items.extend(kernel.cfs.compat_yield.map(KernelItem::CompatYield));
    items.extend(kernel.clock.governor.clone().map(KernelItem::Governor));
    items.extend(kernel.clock.khz.map(|(min, max)| KernelItem::Clock(min, max)));
    items.extend(kernel.clock.smt.map(KernelItem::Smt));
    if !kernel.clock.turbo.is_empty() {
        items.push(KernelItem::Turbo(kernel.clock.turbo.clone()));
    }
    items
}

fn group_items(group: &Group) -> Vec<GroupItem> {
    let plain = Group::default();
    let mut items = vec![GroupItem::Name(group.name.clone())];
    if group.shares != plain.shares {
        items.push(GroupItem::Shares(group.shares));
    }
    if group.latency_nice != plain.latency_nice {
        items.push(GroupItem::LatencyNice(group.latency_nice));
    }
    items
}

fn row_items(row: &Row) -> Vec<RowItem> {
    let mut items = vec![RowItem::Name(row.name.clone())];
    items.extend(row.letter.clone().map(RowItem::Letter));
    if row.count != 1 {
        items.push(RowItem::Count(row.count));
    }
    if row.nice != 0 {
        items.push(RowItem::Nice(row.nice));
    }
    if row.latency_nice != 0 {
        items.push(RowItem::LatencyNice(row.latency_nice));
    }
    items.extend(row.slice.map(RowItem::Slice));
    items.extend(row.affinity.map(|Cpus(set)| RowItem::Affinity(cpu_list::format(&set))));
    match &row.start {
        Start::Fork => items.push(RowItem::OnFork),
        Start::At { at, every, cpus } => {
            if *at != 0 {
                items.push(RowItem::At(*at));
            }
            if *every != 0 {
                items.push(RowItem::Every(*every));
            }
            if !cpus.is_empty() {
                items.push(RowItem::Cpus(cpu_list::format_order(cpus)));
            }
        }
    }
    if row.kthread {
        items.push(RowItem::Kthread);
    }
    items.extend(row.muted.map(RowItem::Muted));
    if !row.program.ops.is_empty() {
        items.push(RowItem::Program(row.program.to_string()));
    }
    items.extend(row.colour.map(RowItem::Colour));
    items.extend(row.group.clone().map(RowItem::Group));
    items
}

fn edit_item(edit: &Edit) -> EditItem {
    let item = |who: &Who| match who {
        Who::Row(name) => WhoItem::Row(name.clone()),
        Who::Instance(name, instance) => WhoItem::Instance(name.clone(), *instance),
        Who::Task(task) => WhoItem::Task(*task),
    };
    match edit {
        Edit::Nice(who, nice) => EditItem::Nice(item(who), *nice),
        Edit::LatencyNice(who, nice) => EditItem::LatencyNice(item(who), *nice),
        Edit::Slice(who, slice) => EditItem::Slice(item(who), *slice),
        Edit::Affinity(who, cpus) => {
            EditItem::Affinity(item(who), cpus.map(|Cpus(set)| cpu_list::format(&set)))
        }
        Edit::Move(who, cpu) => EditItem::Move(item(who), *cpu),
        Edit::Spawn(row, cpu) => EditItem::Spawn(row.clone(), *cpu),
        Edit::Kill(who) => EditItem::Kill(item(who)),
        Edit::Group(who, group) => EditItem::Group(item(who), group.clone()),
        Edit::Shares(group, shares) => EditItem::Shares(group.clone(), *shares),
        Edit::GroupLatencyNice(group, nice) => EditItem::GroupLatencyNice(group.clone(), *nice),
    }
}

/// What is wrong inside: the part, and why.
type Inner<T> = Result<T, (&'static str, String)>;

fn document(items: Vec<Item>) -> Result<Document, Vec<Problem>> {
    let mut document = Document::default();
    let mut problems = Vec::new();
    let mut keep = |found: Inner<()>| {
        if let Err((part, sentence)) = found {
            problems.push(Problem::new(format!("link, {part}"), sentence));
        }
    };
    for item in items {
        match item {
            Item::Title(title) => document.title = title,
            Item::About(about) => document.about = about,
            Item::Machine(id) => document.machine = MachineChoice::Preset(id),
            Item::Shape(items) => document.machine = MachineChoice::Shape(shape(items)),
            Item::Cpus(items) => {
                keep(table(items).map(|table| document.machine = MachineChoice::Cpus(table)));
            }
            Item::Kernel(items) => document.kernel = kernel(items),
            Item::Seed(seed) => document.seed = seed,
            Item::End(end) => document.end = end,
            Item::Group(items) => document.groups.push(group(items)),
            Item::Row(items) => keep(row(items).map(|row| document.rows.push(row))),
            Item::Interrupt(at, every, cpus, wakes, count) => {
                let every = every.parse().map_err(|sentence| ("interrupt", sentence));
                keep(every.and_then(|every| {
                    let cpus = set(&cpus, "interrupt")?;
                    document.interrupts.push(Interrupt { at, every, cpus, wakes, count });
                    Ok(())
                }));
            }
            Item::Input(after, item) => {
                keep(edit(item).map(|edit| document.inputs.push(Input { after, edit })));
            }
        }
    }
    if problems.is_empty() { Ok(document) } else { Err(problems) }
}

/// The CPUs of a list; no CPU for nothing, which the check refuses.
fn set(list: &str, part: &'static str) -> Inner<Cpus> {
    if list.is_empty() {
        return Ok(Cpus(CpuSet::EMPTY));
    }
    cpu_list::parse(list).map(Cpus).map_err(|sentence| (part, sentence))
}

fn shape(items: Vec<ShapeItem>) -> Shape {
    let mut shape = Shape::default();
    for item in items {
        match item {
            ShapeItem::Name(name) => shape.name = name,
            ShapeItem::Sockets(n) => shape.sockets = n,
            ShapeItem::Nodes(n) => shape.nodes = n,
            ShapeItem::Llcs(n) => shape.llcs = n,
            ShapeItem::Cores(n) => shape.cores = n,
            ShapeItem::Threads(n) => shape.threads = n,
            ShapeItem::Cluster(n) => shape.cluster = Some(n),
            ShapeItem::SiblingsAdjacent => shape.siblings_adjacent = true,
            ShapeItem::NodeDistance(n) => shape.node_distance = n,
            ShapeItem::SocketDistance(n) => shape.socket_distance = n,
            ShapeItem::ReclaimDistance(n) => shape.reclaim_distance = Some(n),
        }
    }
    shape
}

fn table(items: Vec<CpusItem>) -> Inner<CpuTable> {
    let sets = |lists: Vec<String>| -> Inner<Vec<Cpus>> {
        lists.iter().map(|list| set(list, "machine")).collect()
    };
    let mut table = CpuTable::default();
    for item in items {
        match item {
            CpusItem::Name(name) => table.name = name,
            CpusItem::Count(n) => table.cpus = n,
            CpusItem::Packages(lists) => table.packages = sets(lists)?,
            CpusItem::Nodes(lists) => table.nodes = sets(lists)?,
            CpusItem::Coregroups(lists) => table.coregroups = sets(lists)?,
            CpusItem::Llcs(lists) => table.llcs = sets(lists)?,
            CpusItem::Clusters(lists) => table.clusters = sets(lists)?,
            CpusItem::Cores(lists) => table.cores = sets(lists)?,
            CpusItem::Distances(rows) => table.distances = rows,
            CpusItem::ReclaimDistance(n) => table.reclaim_distance = Some(n),
        }
    }
    Ok(table)
}

fn kernel(items: Vec<KernelItem>) -> KernelChoice {
    let mut kernel = KernelChoice::default();
    for item in items {
        match item {
            KernelItem::Preset(name) => kernel.preset = name,
            KernelItem::BaseSlice(ns) => kernel.base_slice = Some(ns),
            KernelItem::Hz(hz) => kernel.hz = Some(hz),
            KernelItem::GroupSched(on) => kernel.group_sched = Some(on),
            KernelItem::Feature(name, on) => kernel.features.push((name, on)),
            KernelItem::TypicalCosts => kernel.costs = Costs::Typical,
            KernelItem::Costs(context_switch, wake_ipi, wakeup, migrate_llc) => {
                kernel.costs = Costs::Own { context_switch, wake_ipi, wakeup, migrate_llc };
            }
            KernelItem::Placement(name) => kernel.placement = Some(name),
            KernelItem::Latency(ns) => kernel.cfs.latency = Some(ns),
            KernelItem::MinGranularity(ns) => kernel.cfs.min_granularity = Some(ns),
            KernelItem::WakeupGranularity(ns) => kernel.cfs.wakeup_granularity = Some(ns),
            KernelItem::ChildRunsFirst(on) => kernel.cfs.child_runs_first = Some(on),
            KernelItem::CompatYield(on) => kernel.cfs.compat_yield = Some(on),
            KernelItem::Governor(name) => kernel.clock.governor = Some(name),
            KernelItem::Clock(min, max) => kernel.clock.khz = Some((min, max)),
            KernelItem::Smt(percent) => kernel.clock.smt = Some(percent),
            KernelItem::Turbo(steps) => kernel.clock.turbo = steps,
        }
    }
    kernel
}

fn group(items: Vec<GroupItem>) -> Group {
    let mut group = Group::default();
    for item in items {
        match item {
            GroupItem::Name(name) => group.name = name,
            GroupItem::Shares(shares) => group.shares = shares,
            GroupItem::LatencyNice(nice) => group.latency_nice = nice,
        }
    }
    group
}

fn row(items: Vec<RowItem>) -> Inner<Row> {
    let mut row = Row::default();
    let (mut first, mut step, mut on, mut on_fork) = (0, 0, Vec::new(), false);
    for item in items {
        match item {
            RowItem::Name(name) => row.name = name,
            RowItem::Letter(letter) => row.letter = Some(letter),
            RowItem::Count(n) => row.count = n,
            RowItem::Nice(nice) => row.nice = nice,
            RowItem::LatencyNice(nice) => row.latency_nice = nice,
            RowItem::Slice(ns) => row.slice = Some(ns),
            RowItem::Affinity(list) => row.affinity = Some(set(&list, "affinity")?),
            RowItem::At(ns) => first = ns,
            RowItem::Every(ns) => step = ns,
            RowItem::Cpus(list) => {
                on = cpu_list::parse_order(&list).map_err(|sentence| ("start", sentence))?;
            }
            RowItem::OnFork => on_fork = true,
            RowItem::Kthread => row.kthread = true,
            RowItem::Muted(muted) => row.muted = Some(muted),
            RowItem::Colour(colour) => row.colour = Some(colour),
            RowItem::Group(group) => row.group = Some(group),
            RowItem::Program(text) => {
                row.program = Program::parse(&text).map_err(|problems| {
                    let first = problems.into_iter().next();
                    ("program", first.map_or_else(String::new, |(_, sentence)| sentence))
                })?;
            }
        }
    }
    row.start = match on_fork {
        true => Start::Fork,
        false => Start::At { at: first, every: step, cpus: on },
    };
    Ok(row)
}

fn edit(item: EditItem) -> Inner<Edit> {
    let who = |item: WhoItem| match item {
        WhoItem::Row(name) => Who::Row(name),
        WhoItem::Instance(name, instance) => Who::Instance(name, instance),
        WhoItem::Task(task) => Who::Task(task),
    };
    Ok(match item {
        EditItem::Nice(item, nice) => Edit::Nice(who(item), nice),
        EditItem::LatencyNice(item, nice) => Edit::LatencyNice(who(item), nice),
        EditItem::Slice(item, slice) => Edit::Slice(who(item), slice),
        EditItem::Affinity(item, list) => {
            Edit::Affinity(who(item), list.map(|list| set(&list, "affinity")).transpose()?)
        }
        EditItem::Move(item, cpu) => Edit::Move(who(item), cpu),
        EditItem::Spawn(row, cpu) => Edit::Spawn(row, cpu),
        EditItem::Kill(item) => Edit::Kill(who(item)),
        EditItem::Group(item, group) => Edit::Group(who(item), group),
        EditItem::Shares(group, shares) => Edit::Shares(group, shares),
        EditItem::GroupLatencyNice(group, nice) => Edit::GroupLatencyNice(group, nice),
    })
}
