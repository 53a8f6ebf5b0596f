//! What is wrong with a document as a whole, whatever it was read from.

use crate::build::{self, machine};
use crate::document::{
    CfsChoice, Costs, Document, Edit, GROUPS_MAX, Input, Interrupt, KernelChoice, MachineChoice,
    ROOT, ROWS_MAX, Row, Start, Who,
};
use crate::duration;
use crate::face::{COLOURS, is_letter};
use crate::problem::{Problem, did_you_mean};
use crate::program::{Channel, Length, Op, Scope, check_name};
use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::kernel::{Feature, Frequency, Kernel, LatencyNiceRule, Preset, Turbo};
use schedscope_sim::machines::Machine;
use schedscope_sim::order;
use schedscope_sim::topology::Topology;
use schedscope_sim::units::{CpuId, NICE_RANGE, TASKS_MAX};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// A place in a document; a reader knows the line of each.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum At {
    /// A field of the document.
    Field(&'static str),
    /// A field of the machine.
    Machine(&'static str),
    /// A field of the kernel.
    Kernel(&'static str),
    /// A feature of the kernel.
    Feature(String),
    /// A field of a group; "" is the group itself.
    Group(usize, &'static str),
    /// A field of a row; "" is the row itself.
    Row(usize, &'static str),
    /// An operation of a row's program.
    Op(usize, usize),
    /// A field of an interrupt; "" is the interrupt itself.
    Interrupt(usize, &'static str),
    /// A field of an input; "" is the input itself.
    Input(usize, &'static str),
}

impl At {
    /// The place for people.
    pub(crate) fn place(&self, document: &Document) -> String {
        let row = |at: usize| match document.rows.get(at).map(|row| row.name.as_str()) {
            Some("") | None => format!("task {}", at + 1),
            Some(name) => format!("task.{}", duration::clip(name)),
        };
        let join = |base: String, field: &str| match field {
            "" => base,
            field => format!("{base}.{field}"),
        };
        match self {
            At::Field(field) => (*field).to_string(),
            At::Machine(field) => join("machine".to_string(), field),
            At::Kernel(field) => join("kernel".to_string(), field),
            At::Feature(name) => format!("kernel.features.{}", duration::clip(name)),
            At::Group(at, field) => {
                let name = document.groups.get(*at).map(|group| group.name.as_str());
                let base = match name {
                    Some("") | None => format!("group {}", at + 1),
                    Some(name) => format!("group.{}", duration::clip(name)),
                };
                join(base, field)
            }
            At::Row(at, field) => join(row(*at), field),
            At::Op(at, op) => format!("{}.program, operation {}", row(*at), op + 1),
            At::Interrupt(at, field) => join(format!("interrupt {}", at + 1), field),
            At::Input(at, field) => join(format!("input {}", at + 1), field),
        }
    }

    /// What this place is in, for a line when it has none of its own.
    pub(crate) fn outer(&self) -> Option<At> {
        match self {
            At::Field(_) | At::Machine("") | At::Kernel("") => None,
            At::Machine(_) => Some(At::Machine("")),
            At::Feature(_) => Some(At::Kernel("features")),
            At::Kernel(_) => Some(At::Kernel("")),
            At::Group(_, "") | At::Row(_, "") => None,
            At::Group(group, _) => Some(At::Group(*group, "")),
            At::Row(row, _) => Some(At::Row(*row, "")),
            At::Op(row, _) => Some(At::Row(*row, "program")),
            At::Interrupt(_, "") | At::Input(_, "") => None,
            At::Interrupt(at, _) => Some(At::Interrupt(*at, "")),
            At::Input(input, _) => Some(At::Input(*input, "")),
        }
    }
}

/// What was found.
#[derive(Default)]
pub(crate) struct Findings {
    /// What makes a run impossible.
    pub(crate) problems: Vec<(At, String)>,
    /// What is worth saying.
    pub(crate) notes: Vec<(At, String)>,
}

impl Findings {
    fn problem(&mut self, at: At, sentence: impl Into<String>) {
        self.problems.push((at, sentence.into()));
    }

    fn note(&mut self, at: At, sentence: impl Into<String>) {
        self.notes.push((at, sentence.into()));
    }

    fn ranged<T: PartialOrd + Copy>(
        &mut self,
        at: At,
        value: T,
        range: RangeInclusive<T>,
        sentence: &str,
    ) {
        if !range.contains(&value) {
            self.problem(at, sentence);
        }
    }
}

/// The problems, in the terms of the outside.
pub(crate) fn problems(document: &Document, found: &[(At, String)]) -> Vec<Problem> {
    found.iter().map(|(at, sentence)| Problem::new(at.place(document), sentence)).collect()
}

/// The slices a task may ask for, ns (R4.C.2).
pub(crate) const SLICES: RangeInclusive<u64> = 100_000..=100_000_000;
/// The shares that a group may have.
pub(crate) const SHARES: RangeInclusive<u32> = 2..=262_144;
/// The highest cost of the hardware, ns.
pub(crate) const COST_MAX: u64 = 10_000_000;
/// What the sysctls of CFS may be, ns (min_granularity and wakeup_granularity: R2.1.2).
pub(crate) const CFS_LENGTHS: RangeInclusive<u64> = 100_000..=1_000_000_000;
/// Clocks, kHz.
pub(crate) const CLOCKS: RangeInclusive<u32> = 100_000..=10_000_000;
/// The most devices.
pub(crate) const INTERRUPTS_MAX: usize = 256;
/// The shortest time between two interrupts of a device, ns.
const INTERRUPT_MIN: u64 = 1_000;
/// The shortest run, ns.
pub(crate) const END_MIN: u64 = 1_000;
/// What CONFIG_HZ can be.
pub(crate) const HZ: [u32; 4] = [100, 250, 300, 1000];
/// What a thread may have of a core that it shares, percent.
pub(crate) const SMT: core::ops::RangeInclusive<u8> = 50..=100;

pub(crate) const NICE_SENTENCE: &str = "nice goes from -20 (most weight) to 19 (least).";
pub(crate) const LATENCY_NICE_SENTENCE: &str =
    "latency_nice goes from -20 (served soonest) to 19 (latest).";
pub(crate) const SHARES_SENTENCE: &str =
    "shares go from 2 to 262144; 1024 weigh as much as a task of nice 0.";
pub(crate) const COLOUR_SENTENCE: &str =
    "a colour is 1 to 24: eight hues, then the same hatched, then dotted.";
pub(crate) const SLICE_SENTENCE: &str = "a slice is 0.1ms to 100ms long.";
pub(crate) const BASE_SLICE_SENTENCE: &str = "base_slice is 0.1ms to 100ms.";
pub(crate) const COUNT_SENTENCE: &str = "a wake is for 1 to 8192 waiters.";
pub(crate) const CFS_SENTENCE: &str = "this tunable is 0.1ms to 1s.";
pub(crate) const CLOCK_SENTENCE: &str = "a clock is 100MHz to 10GHz.";
pub(crate) const SMT_SENTENCE: &str = "smt is a number of percent, 50 to 100.";
pub(crate) const TURBO_SENTENCE: &str =
    "write busy cores and a clock, in 1 to 8 steps, as in { 2 = \"3.3GHz\" }.";
pub(crate) const HZ_SENTENCE: &str = "hz is one of 100, 250, 300 and 1000.";
pub(crate) const COST_SENTENCE: &str = "a cost is at most 10ms.";
pub(crate) const END_SENTENCE: &str = "a run ends between 1us and one hour.";

/// Checks the whole document.
pub(crate) fn check(document: &Document) -> Findings {
    let mut found = Findings::default();
    let topology = check_machine(&document.machine, &mut found);
    check_kernel(document, &mut found);
    found.ranged(At::Field("end"), document.end, END_MIN..=duration::LONGEST, END_SENTENCE);
    check_groups(document, &mut found);
    check_rows(document, topology.as_ref(), &mut found);
    check_channels(document, topology.as_ref().map_or(1, Topology::len), &mut found);
    check_forks(document, &mut found);
    for (at, interrupt) in document.interrupts.iter().enumerate() {
        check_interrupt(topology.as_ref(), at, interrupt, &mut found);
    }
    check_sizes(document, &mut found);
    for (at, input) in document.inputs.iter().enumerate() {
        check_input(document, topology.as_ref(), at, input, &mut found);
    }
    found
}

fn check_machine(choice: &MachineChoice, found: &mut Findings) -> Option<Topology> {
    match machine(choice) {
        Ok(topology) => Some(topology),
        Err(problems) => {
            found.problems.extend(problems.into_iter().map(|(field, s)| (At::Machine(field), s)));
            None
        }
    }
}

/// What to say of an unknown machine.
pub(crate) fn unknown_machine(id: &str) -> String {
    let hint = did_you_mean(id, Machine::ALL.map(Machine::id));
    format!("there is no machine \"{}\"; {hint}", duration::clip(id))
}

/// What to say of an unknown kernel.
pub(crate) fn unknown_kernel(name: &str) -> String {
    let hint = did_you_mean(name, Preset::ALL.map(Preset::name));
    format!("there is no kernel \"{}\"; {hint}", duration::clip(name))
}

/// What to say of an unknown feature.
pub(crate) fn unknown_feature(name: &str) -> String {
    let hint = did_you_mean(name, Feature::ALL.map(Feature::name));
    format!("there is no feature \"{}\" in this model; {hint}", duration::clip(name))
}

fn check_kernel(document: &Document, found: &mut Findings) {
    let kernel = &document.kernel;
    if Preset::from_name(&kernel.preset).is_none() {
        found.problem(At::Kernel("preset"), unknown_kernel(&kernel.preset));
    }
    if let Some(name) = kernel.placement.as_ref().filter(|name| Preset::from_name(name).is_none()) {
        found.problem(At::Kernel("placement"), unknown_kernel(name));
    }
    if let Some(ns) = kernel.base_slice {
        found.ranged(At::Kernel("base_slice"), ns, SLICES, BASE_SLICE_SENTENCE);
    }
    for (key, ns) in cfs_lengths(&kernel.cfs) {
        if let Some(ns) = ns {
            found.ranged(At::Kernel(key), ns, CFS_LENGTHS, CFS_SENTENCE);
        }
    }
    let clock = &kernel.clock;
    if let Some(name) = clock.governor.as_ref().filter(|name| build::governor(name).is_none()) {
        found.problem(At::Kernel("governor"), unknown_governor(name));
    }
    if let Some((min, max)) = clock.khz {
        if !CLOCKS.contains(&min) || !CLOCKS.contains(&max) {
            found.problem(At::Kernel("clock"), CLOCK_SENTENCE);
        } else if min > max {
            found.problem(At::Kernel("clock"), "the lowest clock is above the highest.");
        }
    }
    if clock.smt.is_some_and(|smt| !SMT.contains(&smt)) {
        found.problem(At::Kernel("smt"), SMT_SENTENCE);
    }
    check_turbo(kernel, found);
    if kernel.hz.is_some_and(|hz| !HZ.contains(&hz)) {
        found.problem(At::Kernel("hz"), HZ_SENTENCE);
    }
    for (name, _) in &kernel.features {
        if Feature::from_name(name).is_none() {
            found.problem(At::Feature(name.clone()), unknown_feature(name));
        }
    }
    if found.problems.is_empty()
        && let Some(built) = build::kernel(kernel, 8)
    {
        note_kernel(kernel, &built, found);
    }
    if let Costs::Own { context_switch, wake_ipi, wakeup, migrate_llc } = kernel.costs
        && [context_switch, wake_ipi, wakeup, migrate_llc].into_iter().any(|ns| ns > COST_MAX)
    {
        found.problem(At::Kernel("costs"), COST_SENTENCE);
    }
}

/// Steps, of which each is slower than the one before, within the range.
fn check_turbo(kernel: &KernelChoice, found: &mut Findings) {
    let steps = &kernel.clock.turbo;
    let own = Frequency::default();
    let (min, max) = kernel.clock.khz.unwrap_or((own.min_khz, own.max_khz));
    let rise = steps.is_sorted_by(|a, b| a.0 < b.0);
    if steps.len() > Turbo::STEPS || steps.iter().any(|(cores, _)| *cores == 0) || !rise {
        found.problem(At::Kernel("turbo"), TURBO_SENTENCE);
    }
    let mut before = max;
    for &(cores, khz) in steps {
        let wrong = match khz {
            _ if khz > max => "the clock is above the highest.",
            _ if khz > before => "the clock is above that of fewer cores.",
            _ if khz < min => "the clock is below the lowest.",
            _ => "",
        };
        if !wrong.is_empty() {
            found.problem(At::Kernel("turbo"), format!("from {cores} cores on {wrong}"));
        }
        before = khz;
    }
}

/// What has no effect in this kernel.
fn note_kernel(choice: &KernelChoice, kernel: &Kernel, found: &mut Findings) {
    let name = called(&choice.preset);
    for (feature_name, _) in &choice.features {
        if Feature::from_name(feature_name).is_some_and(|feature| !feature.exists_in(kernel)) {
            found.note(
                At::Feature(feature_name.clone()),
                format!("{name} has no {feature_name}, so it has no effect."),
            );
        }
    }
    if choice.base_slice.is_some() && kernel.fair.is_cfs() {
        found.note(
            At::Kernel("base_slice"),
            format!(
                "{name} has no base slice, so it has no effect; CFS has latency and \
                     min_granularity."
            ),
        );
    }
    if choice.cfs != CfsChoice::default() && kernel.fair.is_eevdf() {
        let lengths = cfs_lengths(&choice.cfs).into_iter().find(|(_, ns)| ns.is_some());
        let key = lengths.map_or("child_runs_first", |(key, _)| key);
        found.note(
            At::Kernel(key),
            format!("{name} is not CFS, so the tunables of CFS have no effect."),
        );
    }
}

/// The kernel in a sentence.
fn called(preset: &str) -> String {
    let number = preset.starts_with(|c: char| c.is_ascii_digit());
    if number { format!("Linux {preset}") } else { format!("the kernel {preset}") }
}

/// The tunables of CFS that are lengths of time.
fn cfs_lengths(cfs: &CfsChoice) -> [(&'static str, Option<u64>); 3] {
    [
        ("latency", cfs.latency),
        ("min_granularity", cfs.min_granularity),
        ("wakeup_granularity", cfs.wakeup_granularity),
    ]
}

/// What to say of an unknown governor.
pub(crate) fn unknown_governor(name: &str) -> String {
    let hint = did_you_mean(name, build::GOVERNORS.map(|(name, _)| name));
    format!("there is no governor \"{}\"; {hint}", duration::clip(name))
}

/// Why a text is no letter.
pub(crate) fn letter_sentence(text: &str) -> String {
    let text = duration::clip(text);
    format!("\"{text}\" cannot be a letter; one is A to Z without O and V, or two of them.")
}

/// Why a text is no name of a group.
pub(crate) fn group_name(name: &str) -> Result<(), String> {
    check_name(name)?;
    if name == ROOT {
        return Err(format!("\"{ROOT}\" is the group that all others are in; take another name."));
    }
    Ok(())
}

fn check_groups(document: &Document, found: &mut Findings) {
    let groups = &document.groups;
    if groups.len() > GROUPS_MAX {
        found.problem(
            At::Group(GROUPS_MAX, ""),
            format!("there are {} group tables; the most is {GROUPS_MAX}.", groups.len()),
        );
    }
    if !groups.is_empty() && document.kernel.group_sched == Some(false) {
        found.problem(
            At::Kernel("group_sched"),
            "there are groups, so group scheduling is built in; take this out, or the groups.",
        );
    }
    let kernel = build::kernel(&document.kernel, 8);
    let offsets = kernel.is_some_and(|kernel| kernel.latency_nice == LatencyNiceRule::Offset);
    let mut names = BTreeMap::new();
    for (at, group) in groups.iter().enumerate() {
        if let Err(sentence) = group_name(&group.name) {
            found.problem(At::Group(at, "name"), sentence);
        }
        if let Some(first) = names.insert(group.name.as_str(), at) {
            let name = duration::clip(&group.name);
            found.problem(
                At::Group(at, "name"),
                format!("group {} is called \"{name}\" already; names are unique.", first + 1),
            );
        }
        found.ranged(At::Group(at, "shares"), group.shares, SHARES, SHARES_SENTENCE);
        let field = At::Group(at, "latency_nice");
        found.ranged(field.clone(), group.latency_nice, NICE_RANGE, LATENCY_NICE_SENTENCE);
        if group.latency_nice != 0 && !offsets {
            let name = called(&document.kernel.preset);
            let sentence = format!("{name} has no latency-nice of groups, so it has no effect.");
            found.note(field, sentence);
        }
    }
}

fn check_group(document: &Document, name: &str, at: At, found: &mut Findings) {
    if document.group(name).is_none() {
        let hint = did_you_mean(name, document.groups.iter().map(|group| group.name.as_str()));
        found.problem(at, format!("there is no group \"{}\"; {hint}", duration::clip(name)));
    }
}

fn check_rows(document: &Document, topology: Option<&Topology>, found: &mut Findings) {
    let rows = &document.rows;
    if rows.len() > ROWS_MAX {
        found.problem(
            At::Row(ROWS_MAX, ""),
            format!("there are {} task tables; the most is {ROWS_MAX}.", rows.len()),
        );
    }
    let (mut names, mut letters) = (BTreeMap::new(), BTreeMap::new());
    for (at, row) in rows.iter().enumerate() {
        if let Some(first) = names.insert(row.name.as_str(), at) {
            found.problem(
                At::Row(at, "name"),
                format!(
                    "task {} is called \"{}\" already; names are unique.",
                    first + 1,
                    duration::clip(&row.name)
                ),
            );
        }
        if let Some(letter) = &row.letter {
            if !is_letter(letter) {
                found.problem(At::Row(at, "letter"), letter_sentence(letter));
            }
            if let Some(first) = letters.insert(letter.as_str(), at) {
                found.problem(
                    At::Row(at, "letter"),
                    format!(
                        "task {} has the letter {} already.",
                        first + 1,
                        duration::clip(letter)
                    ),
                );
            }
        }
        if row.colour.is_some_and(|colour| !COLOURS.contains(&colour)) {
            found.problem(At::Row(at, "colour"), COLOUR_SENTENCE.to_string());
        }
        check_row(document, topology, at, row, found);
    }
    let tasks: u64 = rows.iter().map(|row| u64::from(row.count)).sum();
    if tasks > TASKS_MAX as u64 {
        found.problem(
            At::Field("task"),
            format!("there are {tasks} tasks; the most is {TASKS_MAX}, so lower some count."),
        );
    }
}

/// The most operations of all programs together, each as often as it has tasks.
const OPS_IN_ALL_MAX: u64 = 1_000_000;
/// The most changes of single tasks by all inputs together.
const CHANGES_MAX: u64 = 100_000;

/// What would take too much memory.
fn check_sizes(document: &Document, found: &mut Findings) {
    let ops = |row: &Row| u64::from(row.count) * row.program.ops.len() as u64;
    let all: u64 = document.rows.iter().map(ops).sum();
    if all > OPS_IN_ALL_MAX {
        let longest = (0..document.rows.len()).max_by_key(|&at| ops(&document.rows[at]));
        found.problem(
            At::Row(longest.unwrap_or(0), "program"),
            format!(
                "the programs of all tasks have {all} operations; the most is {OPS_IN_ALL_MAX}, so \
                 shorten this one or lower its count."
            ),
        );
    }
    let counts: BTreeMap<&str, u32> =
        order::tree(document.rows.iter().map(|row| (row.name.as_str(), row.count)));
    let changes = |input: &Input| match input.edit.who() {
        Some(Who::Row(name)) => u64::from(counts.get(name.as_str()).copied().unwrap_or(1)),
        _ => 1,
    };
    let all: u64 = document.inputs.iter().map(changes).sum();
    if all > CHANGES_MAX {
        found.problem(
            At::Field("input"),
            format!("the inputs change {all} tasks in all; the most is {CHANGES_MAX}."),
        );
    }
}

fn check_row(
    document: &Document,
    topology: Option<&Topology>,
    at: usize,
    row: &Row,
    found: &mut Findings,
) {
    if let Err(sentence) = check_name(&row.name) {
        found.problem(At::Row(at, "name"), sentence);
    }
    if row.count == 0 {
        found.problem(At::Row(at, "count"), "a task table stands for at least one task.");
    }
    found.ranged(At::Row(at, "nice"), row.nice, NICE_RANGE, NICE_SENTENCE);
    found.ranged(At::Row(at, "latency_nice"), row.latency_nice, NICE_RANGE, LATENCY_NICE_SENTENCE);
    if let Some(slice) = row.slice {
        found.ranged(At::Row(at, "slice"), slice, SLICES, SLICE_SENTENCE);
    }
    if let Some(kernel) = build::kernel(&document.kernel, topology.map_or(8, Topology::len)) {
        let name = called(&document.kernel.preset);
        if row.slice.is_some() && !build::honours_slice(&kernel) {
            found.note(
                At::Row(at, "slice"),
                format!("{name} has no slice of a task's own, so it has no effect."),
            );
        }
        if row.latency_nice != 0 && kernel.latency_nice == LatencyNiceRule::Absent {
            found.note(
                At::Row(at, "latency_nice"),
                format!("{name} has no latency-nice, so it has no effect."),
            );
        }
    }
    if let Some(name) = &row.group {
        check_group(document, name, At::Row(at, "group"), found);
    }
    let allowed = row.affinity.as_ref().map(|cpus| cpus.0);
    if let Some(affinity) = &allowed {
        check_affinity(topology, affinity, At::Row(at, "affinity"), found);
    }
    // Without an affinity each is bound to the CPU where it starts.
    let starts = matches!(&row.start, Start::At { cpus, .. } if !cpus.is_empty());
    if row.kthread && allowed.map_or(!starts, |cpus| cpus.len() != 1) {
        found.problem(
            At::Row(at, "kthread"),
            "a kernel thread here is bound to one CPU; give it an affinity of that CPU.",
        );
    }
    if let Start::At { at: first, every, cpus } = &row.start {
        check_start_cpus(topology, allowed.as_ref(), cpus, at, found);
        let last = first.saturating_add(every.saturating_mul(u64::from(row.count.max(1) - 1)));
        if *first > duration::LONGEST || *every > duration::LONGEST {
            found.problem(At::Row(at, "at"), "the longest is one hour.");
        } else if last > document.end {
            let (what, field) = if *first > document.end {
                ("it starts", "at")
            } else {
                ("some of its tasks start", "every")
            };
            found.note(
                At::Row(at, field),
                format!("{what} after the run's end, {}.", duration::format(document.end)),
            );
        }
    }
    for (op, sentence) in row.program.check() {
        found.problem(At::Op(at, op), sentence);
    }
    if row.program.ops.is_empty() {
        found.note(At::Row(at, "program"), "it has no program, so it exits as soon as it runs.");
    } else if let Some(op) = row.program.unreachable() {
        found.note(At::Op(at, op), "the program never gets here.");
    } else if !row.program.takes_time() {
        found.note(At::Row(at, "program"), "it neither runs nor sleeps, so it exits at once.");
    }
}

/// Says which CPUs of a list are not there.
fn check_affinity(topology: Option<&Topology>, cpus: &CpuSet, at: At, found: &mut Findings) {
    if cpus.is_empty() {
        found.problem(at, "it names no CPU, so the task could run nowhere; leave it out for all.");
        return;
    }
    let Some(topology) = topology else { return };
    let beyond = cpus.minus(&topology.all());
    if !beyond.is_empty() {
        found.problem(
            at,
            format!(
                "this machine has no CPU {}; {}.",
                crate::cpu_list::format(&beyond),
                range_of(topology)
            ),
        );
    }
}

fn range_of(topology: &Topology) -> String {
    match topology.len() {
        1 => "it has only CPU 0".to_string(),
        n => format!("it has CPUs 0-{}", n - 1),
    }
}

fn check_start_cpus(
    topology: Option<&Topology>,
    affinity: Option<&CpuSet>,
    cpus: &[u16],
    at: usize,
    found: &mut Findings,
) {
    let set: CpuSet = match cpus.iter().find(|&&cpu| usize::from(cpu) >= 1024) {
        Some(cpu) => {
            found.problem(At::Row(at, "cpu"), format!("there is no CPU {cpu}."));
            return;
        }
        None => cpus.iter().map(|&cpu| CpuId(cpu)).collect(),
    };
    if set.is_empty() {
        return;
    }
    if let Some(topology) = topology
        && !set.is_subset(&topology.all())
    {
        check_affinity(Some(topology), &set, At::Row(at, "cpu"), found);
    } else if let Some(affinity) = affinity
        && !set.is_subset(affinity)
    {
        found.problem(
            At::Row(at, "cpu"),
            format!(
                "it starts on CPU {}, where its affinity {} does not let it run.",
                crate::cpu_list::format(&set.minus(affinity)),
                crate::cpu_list::format(affinity)
            ),
        );
    }
}

/// Waits that nobody ends, wakes that nobody waits for, channels for each instance.
fn check_channels(document: &Document, cpus: usize, found: &mut Findings) {
    #[derive(Default)]
    struct Use<'a> {
        waits: Option<(usize, usize)>,
        wakes: Option<(usize, usize)>,
        interrupts: Option<usize>,
        scopes: BTreeMap<Scope, (usize, usize)>,
        counts: BTreeMap<u32, (usize, usize, &'a str)>,
    }
    let mut uses: BTreeMap<&str, Use> = BTreeMap::new();
    for (at, row) in document.rows.iter().enumerate() {
        for (op, operation) in row.program.ops.iter().enumerate() {
            let (channel, waits): (&Channel, bool) = match operation {
                Op::Wait(channel) => (channel, true),
                Op::Wake { channel, .. } => (channel, false),
                _ => continue,
            };
            let used = uses.entry(&channel.name).or_default();
            let side = if waits { &mut used.waits } else { &mut used.wakes };
            side.get_or_insert((at, op));
            used.scopes.entry(channel.scope).or_insert((at, op));
            if channel.scope == Scope::Instance {
                used.counts.entry(row.count).or_insert((at, op, &row.name));
            }
        }
    }
    for (at, interrupt) in document.interrupts.iter().enumerate() {
        let used = uses.entry(&interrupt.wakes).or_default();
        used.interrupts.get_or_insert(at);
    }
    let mut channels = 0_u64;
    for (name, used) in uses {
        let each = used.counts.keys().max().copied().unwrap_or(0);
        channels += if used.scopes.contains_key(&Scope::Cpu) { cpus as u64 } else { 1 };
        channels += u64::from(each.max(1)) - 1;
        match (used.waits, used.wakes) {
            (Some((row, op)), None) if used.interrupts.is_none() => found.note(
                At::Op(row, op),
                format!("nothing wakes \"{name}\", so whoever waits there waits for ever."),
            ),
            (None, Some((row, op))) => {
                found.note(At::Op(row, op), format!("nothing waits for \"{name}\"."));
            }
            _ => {}
        }
        if let (None, Some(at)) = (used.waits, used.interrupts) {
            found.note(At::Interrupt(at, "wakes"), format!("nothing waits for \"{name}\"."));
        }
        let marked = used.scopes.keys().copied().find(|&scope| scope != Scope::All);
        if let (Some(at), Some(scope)) = (used.interrupts, marked) {
            let channel = Channel { name: name.to_string(), scope };
            let each = if scope == Scope::Cpu { "CPU" } else { "instance" };
            found.problem(
                At::Interrupt(at, "wakes"),
                format!(
                    "\"{channel}\" is one channel for each {each}; an interrupt wakes through one \
                     for all."
                ),
            );
        }
        if let [(first, _), .., (last, (row, op))] = &used.scopes.iter().collect::<Vec<_>>()[..] {
            let spelt = |scope: Scope| Channel { name: name.to_string(), scope };
            let (first, last) = (spelt(**first), spelt(**last));
            found.problem(
                At::Op(*row, *op),
                format!("\"{first}\" and \"{last}\" are both used; write one of them everywhere."),
            );
        }
        let mut counts = used.counts.iter();
        if let (Some((few, (_, _, first))), Some((many, (row, op, other)))) =
            (counts.next(), counts.next_back())
        {
            found.problem(
                At::Op(*row, *op),
                format!(
                    "\"{name}#\" is one channel for each instance, but \"{first}\" has {few} and \
                     \"{other}\" has {many}; give them the same count."
                ),
            );
        }
    }
    if channels > u64::from(u16::MAX) {
        found.problem(
            At::Field("task"),
            format!("the programs use {channels} channels; the most is {}.", u16::MAX),
        );
    }
}

/// Forks of rows that are not there, and rows that nobody forks.
fn check_forks(document: &Document, found: &mut Findings) {
    let mut forked = BTreeSet::new();
    for (at, row) in document.rows.iter().enumerate() {
        for (op, operation) in row.program.ops.iter().enumerate() {
            let Op::Fork(child) = operation else { continue };
            let Some(index) = document.row(&child.name) else {
                let names = document.rows.iter().map(|row| row.name.as_str());
                let hint = did_you_mean(&child.name, names);
                found.problem(
                    At::Op(at, op),
                    format!("there is no task \"{}\" to fork; {hint}", duration::clip(&child.name)),
                );
                continue;
            };
            forked.insert(index);
            let target = &document.rows[index];
            if child.scope == Scope::Instance && target.count != row.count {
                found.problem(
                    At::Op(at, op),
                    format!(
                        "\"{child}\" is one child for each instance, but \"{}\" has {} and \"{}\" \
                         has {}; give them the same count.",
                        row.name, row.count, target.name, target.count
                    ),
                );
            }
        }
    }
    check_fork_bombs(document, found);
    for (at, row) in document.rows.iter().enumerate() {
        let spawned =
            |input: &Input| matches!(&input.edit, Edit::Spawn(name, _) if *name == row.name);
        if row.start == Start::Fork && !forked.contains(&at) && !document.inputs.iter().any(spawned)
        {
            found.note(At::Row(at, "start"), "no task forks it, so it never starts.");
        }
    }
}

/// Forks that lead back to the same row before any time passes: there would be no end of them.
fn check_fork_bombs(document: &Document, found: &mut Findings) {
    let rows = &document.rows;
    let index: BTreeMap<&str, usize> =
        order::tree(rows.iter().enumerate().rev().map(|(at, row)| (row.name.as_str(), at)));
    // For each row, the forks before its first operation that takes time.
    let at_once: Vec<Vec<(usize, usize)>> = rows
        .iter()
        .map(|row| {
            let takes_time = |op: &&Op| {
                matches!(op, Op::Run(_) | Op::Sleep(_) | Op::Timer(_) | Op::Wait(_) | Op::Exit)
            };
            let before = row.program.ops.iter().take_while(|op| !takes_time(op)).enumerate();
            let child = |(op, operation): (usize, &Op)| match operation {
                Op::Fork(child) => index.get(child.name.as_str()).map(|&row| (op, row)),
                _ => None,
            };
            before.filter_map(child).collect()
        })
        .collect();
    for start in 0..rows.len() {
        let mut seen = vec![false; rows.len()];
        let mut open = vec![start];
        while let Some(row) = open.pop() {
            for &(op, child) in &at_once[row] {
                if child == start {
                    found.problem(
                        At::Op(row, op),
                        format!(
                            "each \"{}\" would fork the next at the same moment, without end; put a \
                             run before the fork.",
                            rows[start].name
                        ),
                    );
                    // Said once for the whole circle.
                    return;
                }
                if !std::mem::replace(&mut seen[child], true) {
                    open.push(child);
                }
            }
        }
    }
}

fn check_interrupt(
    topology: Option<&Topology>,
    at: usize,
    interrupt: &Interrupt,
    found: &mut Findings,
) {
    if at == INTERRUPTS_MAX {
        let sentence = format!("there are at most {INTERRUPTS_MAX} interrupts.");
        found.problem(At::Interrupt(at, ""), sentence);
    }
    if interrupt.at > duration::LONGEST {
        found.problem(At::Interrupt(at, "at"), "the longest is one hour.");
    }
    let least = match interrupt.every {
        Length::Fixed(ns) | Length::Uniform(ns, _) | Length::Exponential(ns) => ns,
    };
    if let Err(sentence) = interrupt.every.check() {
        found.problem(At::Interrupt(at, "every"), sentence);
    } else if least < INTERRUPT_MIN {
        found.problem(At::Interrupt(at, "every"), "an interrupt comes at most once in 1us.");
    }
    check_affinity(topology, &interrupt.cpus.0, At::Interrupt(at, "cpus"), found);
    if let Err(sentence) = check_name(&interrupt.wakes) {
        found.problem(At::Interrupt(at, "wakes"), sentence);
    }
    let counts = 1..=TASKS_MAX as u32;
    found.ranged(At::Interrupt(at, "count"), interrupt.count, counts, COUNT_SENTENCE);
}

fn check_input(
    document: &Document,
    topology: Option<&Topology>,
    at: usize,
    input: &Input,
    found: &mut Findings,
) {
    let cpu = |cpu: u16, field, found: &mut Findings| {
        if let Some(topology) = topology
            && usize::from(cpu) >= topology.len()
        {
            found.problem(
                At::Input(at, field),
                format!("this machine has no CPU {cpu}; {}.", range_of(topology)),
            );
        }
    };
    match &input.edit {
        Edit::Nice(_, nice) => {
            found.ranged(At::Input(at, "nice"), *nice, NICE_RANGE, NICE_SENTENCE);
        }
        Edit::LatencyNice(_, nice) => {
            let field = At::Input(at, "latency_nice");
            found.ranged(field, *nice, NICE_RANGE, LATENCY_NICE_SENTENCE);
        }
        Edit::Slice(_, Some(slice)) => {
            found.ranged(At::Input(at, "slice"), *slice, SLICES, SLICE_SENTENCE);
        }
        Edit::Affinity(_, Some(cpus)) => {
            check_affinity(topology, &cpus.0, At::Input(at, "affinity"), found);
        }
        Edit::Move(_, to) => cpu(*to, "move", found),
        Edit::Spawn(_, Some(on)) => cpu(*on, "spawn", found),
        Edit::Shares(_, shares) => {
            found.ranged(At::Input(at, "shares"), *shares, SHARES, SHARES_SENTENCE);
        }
        Edit::GroupLatencyNice(_, nice) => {
            let field = At::Input(at, "group_latency_nice");
            found.ranged(field, *nice, NICE_RANGE, LATENCY_NICE_SENTENCE);
        }
        Edit::Slice(_, None)
        | Edit::Affinity(_, None)
        | Edit::Spawn(_, None)
        | Edit::Group(..)
        | Edit::Kill(_) => {}
    }
    if let Some(name) = input.edit.group() {
        check_group(document, name, At::Input(at, "group"), found);
    }
    if let Some(Who::Task(task)) = input.edit.who() {
        let started = |row: &&Row| row.start != Start::Fork;
        let tasks: u64 = document.rows.iter().filter(started).map(|row| u64::from(row.count)).sum();
        let fork = |op: &Op| matches!(op, Op::Fork(_));
        let more = document.rows.iter().any(|row| row.program.ops.iter().any(fork))
            || document.inputs.iter().any(|input| matches!(input.edit, Edit::Spawn(..)));
        if u64::from(*task) >= tasks && !more {
            found.problem(
                At::Input(at, "task"),
                match tasks {
                    0 => "there is no task.".to_string(),
                    n => format!("there is no task {task}; they are numbered 0 to {}.", n - 1),
                },
            );
        }
    }
    let Some(name) = input.edit.row() else { return };
    let Some(row) = document.row(name) else {
        let names = document.rows.iter().map(|row| row.name.as_str());
        let hint = did_you_mean(name, names);
        let sentence = format!("there is no task \"{}\"; {hint}", duration::clip(name));
        found.problem(At::Input(at, "task"), sentence);
        return;
    };
    let row = &document.rows[row];
    if let Edit::Spawn(..) = input.edit {
        return;
    }
    if row.start == Start::Fork {
        found.problem(
            At::Input(at, "task"),
            format!(
                "\"{name}\" only comes to be by a fork; name such a task by its number, as in \
                 task = 12."
            ),
        );
    }
    if let Some(Who::Instance(_, instance)) = input.edit.who()
        && !(1..=row.count).contains(instance)
    {
        found.problem(
            At::Input(at, "task"),
            format!("there is no \"{name}#{instance}\"; \"{name}\" has {}.", row.count),
        );
    }
}
