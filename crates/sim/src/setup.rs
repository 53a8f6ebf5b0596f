//! Everything a run starts from: shared by the simulation and all its snapshots, never changed.

use crate::cpu_set::CpuSet;
use crate::kernel::Kernel;
use crate::program::{ChannelId, Dist, Program, SpecId};
use crate::topology::Topology;
use crate::units::{CpuId, LatencyNice, Nice, Span, TaskGroupId, TaskId, Time};

/// A task as it is given: its parameters and its program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskSpec {
    /// Nice.
    pub nice: Nice,
    /// Latency-nice; honoured where the kernel's [`crate::kernel::LatencyNiceRule`] says so.
    pub latency_nice: LatencyNice,
    /// `sched_runtime` of `sched_setattr()`, 0.1 … 100 ms; honoured from 6.12 on (R4.C.2).
    pub slice: Option<Span>,
    /// Where it may run; `None` is everywhere.
    pub affinity: Option<CpuSet>,
    /// When and where it starts; `None` for one that only comes to be by a fork.
    pub start: Option<Start>,
    /// A kernel thread bound to one CPU (matters for the stacking rule of placement).
    pub per_cpu_kthread: bool,
    /// The group it is in; `None` is the root group, or for a child that of its parent.
    pub group: Option<TaskGroupId>,
    /// What it does.
    pub program: Program,
}

/// A group of tasks as it is given: a cgroup of the cpu controller, below the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroupSpec {
    /// `cpu.shares`, 2 … 262144; 1024 weighs as much as a nice-0 task.
    pub shares: u32,
    /// `cpu.latency.nice`; honoured where the kernel offsets by it (R3.2.12).
    pub latency_nice: LatencyNice,
}

/// The most groups of tasks that a setup may have: each has a queue on every CPU.
pub const GROUPS_MAX: usize = 8;

/// When and where a task starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Start {
    /// When.
    pub at: Time,
    /// On which CPU; `None` lets the kernel's fork placement choose, as for a child of a task on
    /// the CPU 0.
    pub cpu: Option<CpuId>,
}

/// A device that interrupts CPUs and whose handler wakes tasks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Interrupt {
    /// When it first happens.
    pub at: Time,
    /// From one to the next.
    pub every: Dist,
    /// Which CPUs take it, one after the other; one CPU takes all.
    pub cpus: CpuSet,
    /// Whose waiters its handler wakes.
    pub channel: ChannelId,
    /// How many of them.
    pub count: u32,
}

/// A change that somebody makes during the run: data, so that a run can be repeated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Input {
    /// Happens right after this step.
    pub after_step: u64,
    /// What changes.
    pub edit: Edit,
}

/// What an [`Input`] changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Edit {
    /// `setpriority()`.
    Nice(TaskId, Nice),
    /// Latency-nice of the proposals.
    LatencyNice(TaskId, LatencyNice),
    /// `sched_setattr()` with `sched_runtime`; `None` gives the default back.
    Slice(TaskId, Option<Span>),
    /// `sched_setaffinity()`.
    Affinity(TaskId, Option<CpuSet>),
    /// To another group, as by a write to its `cgroup.procs`; `None` is the root group.
    Group(TaskId, Option<TaskGroupId>),
    /// `cpu.shares` of a group.
    Shares(TaskGroupId, u32),
    /// `cpu.latency.nice` of a group.
    GroupLatencyNice(TaskGroupId, LatencyNice),
    /// To another CPU and then free again: `sched_setaffinity()` there and back.
    Move(TaskId, CpuId),
    /// Starts a task of this spec, on this CPU or where fork placement puts it.
    Spawn(SpecId, Option<CpuId>),
    /// Ends a task at once, as by a signal.
    Kill(TaskId),
}

/// Everything a run starts from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Setup {
    /// The machine.
    pub topology: Topology,
    /// The kernel.
    pub kernel: Kernel,
    /// The tasks; those with a [`TaskSpec::start`] get the first ids, in this order.
    pub tasks: Vec<TaskSpec>,
    /// The groups of tasks, at most [`GROUPS_MAX`].
    pub groups: Vec<GroupSpec>,
    /// The devices.
    pub interrupts: Vec<Interrupt>,
    /// Where the run ends.
    pub end: Time,
    /// Seed of every draw.
    pub seed: u64,
    /// Changes made during the run, in the order of their steps.
    pub inputs: Vec<Input>,
    /// How many channels the programs use.
    pub channels: u16,
}

impl Setup {
    /// The id of a group's entity on a CPU.
    #[must_use]
    pub fn group_entity(&self, cpu: CpuId, group: TaskGroupId) -> TaskId {
        TaskId::of_group(self.groups.len(), self.topology.len(), cpu, group)
    }

    /// The group whose entity this is; `None` for a task.
    #[must_use]
    pub fn group_behind(&self, entity: TaskId) -> Option<TaskGroupId> {
        entity.group_behind(self.groups.len(), self.topology.len())
    }
}
