//! The whole of a scenario as plain data: what a file, a lesson and a link hold.

use crate::cpu_list;
use crate::problem::Problem;
use crate::program::{Length, Program};
use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::kernel::{Feature, Features, Preset};
use schedscope_sim::order;
use serde::{Deserialize, Serialize};

/// A scenario.
///
/// Read from TOML ([`Document::from_toml`]) or from a link ([`Document::unpack`]), written by
/// [`Document::to_toml`] and [`Document::pack`], made into what the engine runs by
/// [`Document::setup`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Its title.
    pub title: String,
    /// Prose about it, Markdown.
    pub about: String,
    /// The machine.
    pub machine: MachineChoice,
    /// The kernel.
    pub kernel: KernelChoice,
    /// Seed of every draw.
    pub seed: u64,
    /// Where the run ends, ns.
    pub end: u64,
    /// The groups that tasks can be in.
    pub groups: Vec<Group>,
    /// The task list.
    pub rows: Vec<Row>,
    /// Devices that wake tasks.
    pub interrupts: Vec<Interrupt>,
    /// Changes made during the run.
    pub inputs: Vec<Input>,
}

/// Where a run ends if the document does not say, ns.
pub const DEFAULT_END: u64 = 100_000_000;
/// The seed if the document does not say.
pub const DEFAULT_SEED: u64 = 1;
/// The id of the machine of a new document.
pub const DEFAULT_MACHINE: &str = "desktop16";
/// The name of the kernel of a new document.
pub const DEFAULT_KERNEL: &str = "6.12";
/// The most rows of a document: as many as there are names of one or two letters.
pub const ROWS_MAX: usize = 600;

impl Default for Document {
    /// No task on a desktop with the newest kernel.
    fn default() -> Document {
        Document {
            title: String::new(),
            about: String::new(),
            machine: MachineChoice::default(),
            kernel: KernelChoice::default(),
            seed: DEFAULT_SEED,
            end: DEFAULT_END,
            groups: Vec::new(),
            rows: Vec::new(),
            interrupts: Vec::new(),
            inputs: Vec::new(),
        }
    }
}

/// Which machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MachineChoice {
    /// One with a name ([`schedscope_sim::machines::Machine::id`]).
    Preset(String),
    /// A regular one.
    Shape(Shape),
    /// One described CPU by CPU, as a file of lscpu or hwloc does.
    Cpus(CpuTable),
}

impl Default for MachineChoice {
    fn default() -> MachineChoice {
        MachineChoice::Preset(DEFAULT_MACHINE.to_string())
    }
}

/// A regular machine; every field counts what lies directly inside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// A name for people.
    pub name: String,
    /// Packages.
    pub sockets: u16,
    /// NUMA nodes of a socket.
    pub nodes: u16,
    /// Last-level caches of a node.
    pub llcs: u16,
    /// Cores at a last-level cache.
    pub cores: u16,
    /// Threads of a core.
    pub threads: u16,
    /// Cores that share a cache below the last level, if any do.
    pub cluster: Option<u16>,
    /// Whether the threads of a core have adjacent numbers; otherwise all first threads come first.
    pub siblings_adjacent: bool,
    /// Distance between the nodes of a socket.
    pub node_distance: u16,
    /// Distance between sockets.
    pub socket_distance: u16,
    /// Up to which distance tasks are spread, if not the usual 30.
    pub reclaim_distance: Option<u16>,
}

impl Default for Shape {
    /// One core of one thread.
    fn default() -> Shape {
        Shape {
            name: String::new(),
            sockets: 1,
            nodes: 1,
            llcs: 1,
            cores: 1,
            threads: 1,
            cluster: None,
            siblings_adjacent: false,
            node_distance: 12,
            socket_distance: 21,
            reclaim_distance: None,
        }
    }
}

/// A machine described CPU by CPU. Each list of groups has one CPU list for each group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuTable {
    /// A name for people.
    pub name: String,
    /// How many CPUs there are.
    pub cpus: u16,
    /// Packages; none is one of all CPUs.
    pub packages: Vec<Cpus>,
    /// NUMA nodes; none is one for each package.
    pub nodes: Vec<Cpus>,
    /// Coregroups (powerpc), if any.
    pub coregroups: Vec<Cpus>,
    /// Last-level caches; a CPU in none has one of its own.
    pub llcs: Vec<Cpus>,
    /// Clusters, if any.
    pub clusters: Vec<Cpus>,
    /// Cores; a CPU in none is one of its own.
    pub cores: Vec<Cpus>,
    /// The distances between the nodes, one row a node; empty for 10, 12 and 21.
    pub distances: Vec<Vec<u16>>,
    /// Up to which distance tasks are spread, if not the usual 30.
    pub reclaim_distance: Option<u16>,
}

/// A set of CPUs, written as a list with ranges.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Cpus(#[serde(with = "cpu_list::as_text")] pub CpuSet);

/// Which kernel: a preset, and what differs from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelChoice {
    /// The preset's name ([`schedscope_sim::kernel::Preset::name`]).
    pub preset: String,
    /// The name of another preset, whose wakeup placement is taken.
    pub placement: Option<String>,
    /// Another base slice, ns.
    pub base_slice: Option<u64>,
    /// Other ticks per second.
    pub hz: Option<u32>,
    /// Another answer to whether group scheduling is built in.
    pub group_sched: Option<bool>,
    /// Features that differ from the preset, by kernel name, ascending.
    pub features: Vec<(String, bool)>,
    /// Other tunables of CFS.
    pub cfs: CfsChoice,
    /// Another governor, and other clocks.
    pub clock: ClockChoice,
    /// What the hardware costs.
    pub costs: Costs,
}

/// Tunables that only CFS reads; `None` leaves the kernel's default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CfsChoice {
    /// `sched_latency`, ns, after scaling.
    pub latency: Option<u64>,
    /// `sched_min_granularity`, ns, after scaling.
    pub min_granularity: Option<u64>,
    /// `sched_wakeup_granularity`, ns, after scaling.
    pub wakeup_granularity: Option<u64>,
    /// `sched_child_runs_first`.
    pub child_runs_first: Option<bool>,
    /// `sched_compat_yield`, 2.6.36 only.
    pub compat_yield: Option<bool>,
}

/// Who sets the clocks, and their range; `None` leaves the default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockChoice {
    /// "performance", "schedutil" or "hwp".
    pub governor: Option<String>,
    /// The lowest and the highest clock, kHz.
    pub khz: Option<(u32, u32)>,
    /// How fast a thread works while another of its core does, percent (model).
    pub smt: Option<u8>,
    /// From so many busy cores of a package on, clocks are at most this high, kHz: rising.
    pub turbo: Vec<(u16, u32)>,
}

impl Default for KernelChoice {
    fn default() -> KernelChoice {
        KernelChoice {
            preset: DEFAULT_KERNEL.to_string(),
            placement: None,
            base_slice: None,
            hz: None,
            group_sched: None,
            features: Vec::new(),
            cfs: CfsChoice::default(),
            clock: ClockChoice::default(),
            costs: Costs::Ideal,
        }
    }
}

impl KernelChoice {
    /// Turns a feature on or off; what the preset says anyway is not kept.
    pub fn set_feature(&mut self, name: &str, on: bool) {
        // Some features had another name once.
        let name = match Feature::from_name(name) {
            Some(feature) => feature.name(),
            None => name,
        };
        self.features.retain(|(other, _)| other != name);
        let default = self.default_features().zip(Feature::from_name(name));
        let default = default.map(|(features, feature)| features.has(feature));
        if default != Some(on) {
            self.features.push((name.to_string(), on));
            order::sort(&mut self.features);
        }
    }

    /// The features that are on unless it says otherwise; `None` if a preset is unknown.
    #[must_use]
    pub fn default_features(&self) -> Option<Features> {
        let features = Preset::from_name(&self.preset)?.features();
        match &self.placement {
            None => Some(features),
            Some(name) => {
                Some(features.with_placement_of(Preset::from_name(name)?.place().features()))
            }
        }
    }

    /// Takes the wakeup placement of another preset; `None` takes the kernel's own. Features that
    /// were changed stay changed, as far as they still differ.
    pub fn set_placement(&mut self, name: Option<&str>) {
        self.placement = name.filter(|name| *name != self.preset).map(str::to_string);
        for (feature, on) in std::mem::take(&mut self.features) {
            self.set_feature(&feature, on);
        }
    }

    /// Takes another preset. Features, base slice and ticks that were changed stay changed, as far
    /// as they still differ.
    pub fn set_preset(&mut self, name: &str) {
        self.preset = name.to_string();
        for (feature, on) in std::mem::take(&mut self.features) {
            self.set_feature(&feature, on);
        }
    }
}

/// Costs that the hardware adds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Costs {
    /// None: the ideal machine of the textbooks.
    #[default]
    Ideal,
    /// Usual figures (R10.0.1): [`Costs::TYPICAL`].
    Typical,
    /// These, ns.
    Own {
        /// CPU time an incoming task pays at each switch.
        context_switch: u64,
        /// From sending a wakeup IPI to the target CPU handling it.
        wake_ipi: u64,
        /// CPU time a waker pays for each wakeup.
        wakeup: u64,
        /// CPU time a task pays on its first run after it changed LLC.
        migrate_llc: u64,
    },
}

impl Costs {
    /// The figures of [`Costs::Typical`].
    pub const TYPICAL: schedscope_sim::kernel::Costs = schedscope_sim::kernel::Costs {
        context_switch: schedscope_sim::units::Span(1_000),
        wake_ipi: schedscope_sim::units::Span(1_500),
        wakeup: schedscope_sim::units::Span(1_000),
        migrate_llc: schedscope_sim::units::Span(10_000),
    };
}

/// A group of tasks: a cgroup of the cpu controller, below the root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its id, unique among the groups.
    pub name: String,
    /// `cpu.shares`, 2 … 262144; 1024 weighs as much as a task of nice 0.
    pub shares: u32,
    /// `cpu.latency.nice`, −20 … 19; of effect where the kernel offsets by it.
    pub latency_nice: i8,
}

/// What is written for the group that all others are in.
pub const ROOT: &str = "root";
/// The most groups of a document.
pub const GROUPS_MAX: usize = schedscope_sim::setup::GROUPS_MAX;

impl Default for Group {
    /// One that weighs as much as a task of nice 0, without a name.
    fn default() -> Group {
        Group { name: String::new(), shares: 1024, latency_nice: 0 }
    }
}

/// A row of the task list: what the user added. All its tasks share name, letter and parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Its id, unique in the document.
    pub name: String,
    /// The letter it wants; otherwise it gets the next free one.
    pub letter: Option<String>,
    /// Its number in the palette, from 1; otherwise that of its letter.
    pub colour: Option<u8>,
    /// How many tasks it has.
    pub count: u32,
    /// −20 … 19.
    pub nice: i8,
    /// −20 … 19.
    pub latency_nice: i8,
    /// Its own slice, ns.
    pub slice: Option<u64>,
    /// Where it may run; `None` is everywhere.
    pub affinity: Option<Cpus>,
    /// The name of the group that its tasks are in; `None` is the root.
    pub group: Option<String>,
    /// When and where its tasks start.
    pub start: Start,
    /// A kernel thread bound to one CPU.
    pub kthread: bool,
    /// Grey, part of the background; `None` lets the number of tasks decide.
    pub muted: Option<bool>,
    /// What its tasks do.
    pub program: Program,
}

impl Default for Row {
    /// A task of nice 0 that exits at once, without a name.
    fn default() -> Row {
        Row {
            name: String::new(),
            letter: None,
            colour: None,
            count: 1,
            nice: 0,
            latency_nice: 0,
            slice: None,
            affinity: None,
            group: None,
            start: Start::default(),
            kthread: false,
            muted: None,
            program: Program::default(),
        }
    }
}

/// When and where the tasks of a row start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Start {
    /// At a time.
    At {
        /// When the first starts, ns.
        at: u64,
        /// How much later each further one starts, ns.
        every: u64,
        /// The start CPUs; the tasks take them in turn. Empty lets fork placement choose.
        cpus: Vec<u16>,
    },
    /// Only when another task forks them.
    Fork,
}

impl Default for Start {
    fn default() -> Start {
        Start::At { at: 0, every: 0, cpus: Vec::new() }
    }
}

/// A device that interrupts CPUs and whose handler wakes tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interrupt {
    /// When it first happens, ns.
    pub at: u64,
    /// From one to the next.
    pub every: Length,
    /// Which CPUs take it, one after the other.
    pub cpus: Cpus,
    /// The channel whose waiters it wakes.
    pub wakes: String,
    /// How many of them.
    pub count: u32,
}

/// A change made during the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// It happens right after this step.
    pub after: u64,
    /// What changes.
    pub edit: Edit,
}

/// What an [`Input`] changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Edit {
    /// Nice.
    Nice(Who, i8),
    /// Latency-nice.
    LatencyNice(Who, i8),
    /// The task's own slice, ns; `None` gives the default back.
    Slice(Who, Option<u64>),
    /// Where it may run; `None` is everywhere.
    Affinity(Who, Option<Cpus>),
    /// To another CPU and then free again.
    Move(Who, u16),
    /// Starts one more task of a row (by name), on this CPU or where fork placement puts it.
    Spawn(String, Option<u16>),
    /// Ends it at once.
    Kill(Who),
    /// To the group of this name; `None` is the root.
    Group(Who, Option<String>),
    /// The shares of a group, by its name.
    Shares(String, u32),
    /// The latency-nice of a group, by its name.
    GroupLatencyNice(String, i8),
}

/// Whom an [`Edit`] is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Who {
    /// All tasks that a row starts with, by the row's name; not its forked children.
    Row(String),
    /// One of them, from 1.
    Instance(String, u32),
    /// The task of this number, as the run counts them; for forked children.
    Task(u32),
}

impl Document {
    /// The row of that name.
    #[must_use]
    pub fn row(&self, name: &str) -> Option<usize> {
        self.rows.iter().position(|row| row.name == name)
    }

    /// The group of that name.
    #[must_use]
    pub fn group(&self, name: &str) -> Option<usize> {
        self.groups.iter().position(|group| group.name == name)
    }

    /// A name that no row has: the wish itself, or the wish with a number.
    #[must_use]
    pub fn free_name(&self, wish: &str) -> String {
        free_name(if wish.is_empty() { "task" } else { wish }, |name| self.row(name).is_none())
    }

    /// Adds a group at the end, under its own name if that is free. Gives its index.
    pub fn add_group(&mut self, mut group: Group) -> usize {
        let wish = if group.name.is_empty() { "group" } else { &group.name };
        group.name = free_name(wish, |name| name != ROOT && self.group(name).is_none());
        self.groups.push(group);
        self.groups.len() - 1
    }

    /// Takes a group away, with the inputs about it: its tasks are in the root then.
    pub fn remove_group(&mut self, group: usize) {
        if group >= self.groups.len() {
            return;
        }
        let gone = self.groups.remove(group).name;
        self.inputs.retain(|input| input.edit.group() != Some(&gone));
        for row in self.rows.iter_mut().filter(|row| row.group.as_ref() == Some(&gone)) {
            row.group = None;
        }
    }

    /// Gives a group another name, here and wherever it is named. Nothing else changes.
    ///
    /// # Errors
    /// If the name cannot be one, or another group has it.
    pub fn rename_group(&mut self, group: usize, name: &str) -> Result<(), Problem> {
        let Some(old) = self.groups.get(group).map(|group| group.name.clone()) else {
            return Ok(());
        };
        let refused = |sentence| Problem::new(format!("group.{old}.name"), sentence);
        crate::check::group_name(name).map_err(refused)?;
        if self.group(name).is_some_and(|same| same != group) {
            return Err(refused(format!("another group is called \"{name}\"; names are unique.")));
        }
        self.groups[group].name = name.to_string();
        let named = self.inputs.iter_mut().filter_map(|input| input.edit.group_mut());
        for named in named.chain(self.rows.iter_mut().filter_map(|row| row.group.as_mut())) {
            if *named == old {
                *named = name.to_string();
            }
        }
        Ok(())
    }

    /// Adds a row at the end, under its own name if that is free. Gives its index.
    pub fn add(&mut self, mut row: Row) -> usize {
        row.name = self.free_name(&row.name);
        if row.letter.is_some() && self.rows.iter().any(|other| other.letter == row.letter) {
            row.letter = None;
        }
        self.rows.push(row);
        self.rows.len() - 1
    }

    /// Adds a copy of a row at the end, under a new name and letter. Gives its index.
    pub fn duplicate(&mut self, row: usize) -> Option<usize> {
        let mut copy = self.rows.get(row)?.clone();
        copy.letter = None;
        copy.colour = None;
        Some(self.add(copy))
    }

    /// Takes a row away, with the lines that fork it and the inputs about it or about tasks by
    /// number. The other rows keep their letters.
    pub fn remove(&mut self, row: usize) {
        if row >= self.rows.len() {
            return;
        }
        self.keep_letters();
        let gone = self.rows.remove(row).name;
        // The numbers of tasks are others now.
        let numbered = |edit: &Edit| matches!(edit.who(), Some(Who::Task(_)));
        self.inputs.retain(|input| input.edit.row() != Some(&gone) && !numbered(&input.edit));
        for row in &mut self.rows {
            row.program
                .ops
                .retain(|op| !matches!(op, crate::program::Op::Fork(child) if child.name == gone));
        }
    }

    /// Gives a row another name, here and wherever it is named. Nothing else changes.
    ///
    /// # Errors
    /// If the name cannot be one, or another row has it.
    pub fn rename(&mut self, row: usize, name: &str) -> Result<(), Problem> {
        let Some(old) = self.rows.get(row).map(|row| row.name.clone()) else { return Ok(()) };
        let place = format!("task.{old}.name");
        crate::program::check_name(name).map_err(|sentence| Problem::new(&place, sentence))?;
        match self.row(name) {
            Some(same) if same == row => return Ok(()),
            Some(_) => {
                let sentence = format!("another task is called \"{name}\"; names are unique.");
                return Err(Problem::new(&place, sentence));
            }
            None => {}
        }
        self.keep_letters();
        self.rows[row].name = name.to_string();
        for op in self.rows.iter_mut().flat_map(|row| &mut row.program.ops) {
            if let crate::program::Op::Fork(child) = op
                && child.name == old
            {
                child.name = name.to_string();
            }
        }
        for named in self.inputs.iter_mut().filter_map(|input| input.edit.row_mut()) {
            if *named == old {
                *named = name.to_string();
            }
        }
        Ok(())
    }

    /// Gives a row this letter, or the next free one. The others keep theirs.
    ///
    /// # Errors
    /// If it cannot be a letter, or another row has it.
    pub fn set_letter(&mut self, row: usize, letter: Option<&str>) -> Result<(), Problem> {
        self.keep_letters();
        let Some(name) = self.rows.get(row).map(|row| row.name.clone()) else { return Ok(()) };
        if let Some(letter) = letter {
            let place = format!("task.{name}.letter");
            if !crate::face::is_letter(letter) {
                return Err(Problem::new(place, crate::check::letter_sentence(letter)));
            }
            let has = |other: &&Row| other.name != name && other.letter.as_deref() == Some(letter);
            if let Some(other) = self.rows.iter().find(has) {
                let sentence = format!("{} has the letter {letter} already.", other.name);
                return Err(Problem::new(place, sentence));
            }
        }
        self.rows[row].letter = letter.map(str::to_string);
        Ok(())
    }

    /// Writes down the letters that the rows have now, so that a change to the list keeps them.
    fn keep_letters(&mut self) {
        let faces = crate::face::faces(&self.rows);
        for (row, face) in self.rows.iter_mut().zip(faces) {
            if row.letter.is_none() {
                row.letter = Some(face.letter);
            }
        }
    }
}

/// The wish itself, or the wish with a number.
fn free_name(wish: &str, free: impl Fn(&str) -> bool) -> String {
    let stem = wish.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-');
    let stem = if stem.is_empty() { "task" } else { stem };
    std::iter::once(wish.to_string())
        .chain((2..).map(|n| format!("{stem}-{n}")))
        .find(|name| free(name))
        .unwrap_or_default()
}

impl Edit {
    /// Whom it is about; `None` for a new task, and for a group.
    #[must_use]
    pub fn who(&self) -> Option<&Who> {
        match self {
            Edit::Spawn(..) | Edit::Shares(..) | Edit::GroupLatencyNice(..) => None,
            Edit::Nice(who, _)
            | Edit::LatencyNice(who, _)
            | Edit::Slice(who, _)
            | Edit::Affinity(who, _)
            | Edit::Move(who, _)
            | Edit::Group(who, _)
            | Edit::Kill(who) => Some(who),
        }
    }

    /// The name of the row it is about, if it names one.
    #[must_use]
    pub fn row(&self) -> Option<&String> {
        match self {
            Edit::Spawn(row, _) => Some(row),
            _ => match self.who() {
                Some(Who::Row(row) | Who::Instance(row, _)) => Some(row),
                _ => None,
            },
        }
    }

    /// The name of the group it is about, if it names one.
    #[must_use]
    pub fn group(&self) -> Option<&String> {
        match self {
            Edit::Shares(group, _) | Edit::GroupLatencyNice(group, _) => Some(group),
            Edit::Group(_, group) => group.as_ref(),
            _ => None,
        }
    }

    fn group_mut(&mut self) -> Option<&mut String> {
        match self {
            Edit::Shares(group, _) | Edit::GroupLatencyNice(group, _) => Some(group),
            Edit::Group(_, group) => group.as_mut(),
            _ => None,
        }
    }

    fn row_mut(&mut self) -> Option<&mut String> {
        match self {
            Edit::Spawn(row, _) => Some(row),
            Edit::Shares(..) | Edit::GroupLatencyNice(..) => None,
            Edit::Nice(who, _)
            | Edit::LatencyNice(who, _)
            | Edit::Slice(who, _)
            | Edit::Affinity(who, _)
            | Edit::Move(who, _)
            | Edit::Group(who, _)
            | Edit::Kill(who) => match who {
                Who::Row(row) | Who::Instance(row, _) => Some(row),
                Who::Task(_) => None,
            },
        }
    }
}
