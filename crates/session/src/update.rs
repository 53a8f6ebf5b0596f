//! What the session answers: plain data in the interface's terms, ready to be sent and shown.
//!
//! Figures are exact integers: times in ns since the start of the run, virtual times relative to
//! the queue's V where they say so. Sentences are made by `analysis::explain` from the same
//! decision record that the figures come from.

use serde::{Deserialize, Serialize};

/// A CPU's number.
pub type Cpu = u16;
/// A task's number; forked children get new ones.
pub type Task = u32;
/// A row of the task list; all instances and children of what the user added share it.
pub type Row = u16;
/// A group of tasks, by its place in the document's list.
pub type Group = u16;

/// An answer of [`crate::Session::handle`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Update {
    /// A document was accepted; the run is at its first step.
    Loaded(Box<Loaded>),
    /// A document, link or file was refused; nothing changed. All problems at once.
    Rejected(Vec<Problem>),
    /// The run was simulated further.
    Advanced(Progress),
    /// The moment asked for.
    Moment(Box<Moment>),
    /// Where the moves of a lesson lead.
    Walked {
        /// The moment.
        moment: Box<Moment>,
        /// Which of its decisions the last move looked for, if it looked for one.
        decision: Option<u32>,
    },
    /// A stretch of the timeline.
    Window(Box<Window>),
    /// The document as it now is (after an edit): its text form, and what the edit did to the run.
    Edited(Box<Edited>),
    /// Figures over the run so far.
    Metrics(Box<Metrics>),
    /// A moment as it would be.
    WhatIf(Box<Moment>),
    /// What runs beside the first run now; `None` if nothing does.
    Beside(Option<Box<Beside>>),
    /// Where the two runs differ.
    Difference(Box<Difference>),
    /// An answer of the second run.
    Second(Box<Update>),
    /// A file to save: name and contents.
    File {
        /// A file name with its ending.
        name: String,
        /// The contents, UTF-8.
        text: String,
    },
}

/// Something wrong with what came in: what, where, and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Where: "line 12", "tasks.editor.nice", "link", …
    pub place: String,
    /// One sentence that says what is wrong and how to mend it.
    pub sentence: String,
    /// The line in the text, 1-based, where there is one.
    pub line: Option<u32>,
}

/// What the interface needs to know of an accepted document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loaded {
    /// The document's title.
    pub title: String,
    /// Lesson prose in Markdown, if the document has any.
    pub about: String,
    /// The document as TOML text, normal form: what a link and a saved file hold.
    pub text: String,
    /// The document packed for a link (postcard, not compressed): what
    /// [`Command::LoadPacked`](crate::Command::LoadPacked) takes.
    pub packed: Vec<u8>,
    /// The machine.
    pub machine: Machine,
    /// The kernel.
    pub kernel: KernelView,
    /// The task list.
    pub rows: Vec<RowView>,
    /// The groups of tasks.
    pub groups: Vec<TaskGroup>,
    /// Row of each task that exists at the start, by task number.
    pub task_rows: Vec<Row>,
    /// Seed of the run.
    pub seed: u64,
    /// Where the run ends, ns.
    pub end: u64,
    /// Things that no longer apply under this kernel ("slice on 6.6"), as sentences.
    pub notes: Vec<String>,
}

/// The machine as it is drawn and listed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Stable id of a preset ("zen3-nps4"), or empty for one of the document's own.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// By CPU number.
    pub cpus: Vec<CpuPlace>,
    /// CPUs of each LLC, ascending, by LLC number.
    pub llcs: Vec<Vec<Cpu>>,
    /// Name of each LLC for people ("LLC 4"), by LLC number.
    pub llc_names: Vec<String>,
    /// How many threads a core has at most.
    pub threads_per_core: u16,
    /// How many NUMA nodes.
    pub nodes: u16,
    /// How many packages (sockets).
    pub packages: u16,
    /// Sched domains of CPU 0 from the smallest up, for the machine's tooltip and the About page.
    pub domains: Vec<DomainView>,
}

/// Where a CPU is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuPlace {
    /// Its core.
    pub core: u16,
    /// Which thread of its core, from 0.
    pub thread: u16,
    /// Its cluster, if the machine has any.
    pub cluster: Option<u16>,
    /// Its LLC.
    pub llc: u16,
    /// Its NUMA node.
    pub node: u16,
    /// Its package.
    pub package: u16,
}

/// A sched domain, for people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DomainView {
    /// SMT, CLS, MC, PKG, NODE, NUMA.
    pub name: String,
    /// The span as a CPU list with ranges.
    pub span: String,
    /// The flags' names.
    pub flags: Vec<String>,
}

/// The kernel of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KernelView {
    /// Name of the preset it starts from ("6.12").
    pub preset: String,
    /// Name for people ("Linux 6.12, EEVDF").
    pub name: String,
    /// Name of another preset whose wakeup placement it has.
    pub placement: Option<String>,
    /// Features with their state, the kernel's default and one line each.
    pub features: Vec<FeatureView>,
    /// Base slice, ns.
    pub base_slice: u64,
    /// Ticks per second.
    pub hz: u32,
    /// Whether latency-nice has an effect, and what it is, in a sentence.
    pub latency_nice: String,
    /// Whether a per-task slice has an effect.
    pub custom_slice: bool,
}

/// One scheduler feature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeatureView {
    /// The kernel's name.
    pub name: String,
    /// Whether it is on.
    pub on: bool,
    /// The default in this kernel.
    pub default: bool,
    /// Whether this kernel has it at all.
    pub exists: bool,
    /// One line on what it does.
    pub about: String,
    /// The heading that it belongs under.
    pub part: String,
}

/// One row of the task list: what the user added.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowView {
    /// Its id in the document ("editor").
    pub name: String,
    /// One letter, or two from the 25th row on.
    pub letter: String,
    /// 0 … 7, the hue of its chips.
    pub hue: u8,
    /// 0 solid, 1 hatched, 2 dotted.
    pub texture: u8,
    /// How many tasks it starts.
    pub count: u32,
    /// −20 … 19.
    pub nice: i8,
    /// −20 … 19.
    pub latency_nice: i8,
    /// Its own slice, ns, if it asks for one.
    pub slice: Option<u64>,
    /// Affinity as a CPU list with ranges; empty is everywhere.
    pub affinity: String,
    /// The group that it is in.
    pub group: Option<Group>,
    /// Start CPU, if one is named.
    pub cpu: Option<Cpu>,
    /// When it starts, ns.
    pub at: u64,
    /// Its program as text, one operation a line.
    pub program: String,
    /// Grey: part of the background.
    pub muted: bool,
    /// Its number in the palette, 1 … 24, if it asks for one; otherwise that of its letter.
    pub colour: Option<u8>,
    /// Whether its tasks carry their number from the first on ("J1"), as there are more to come.
    pub numbered: bool,
    /// What of it has no effect or is odd, as sentences ("Linux 6.6 has no slice of a task's own,
    /// so it has no effect.").
    pub notes: Vec<String>,
}

/// A group of tasks as the document has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskGroup {
    /// Its id in the document ("batch").
    pub name: String,
    /// 2 … 262144; 1024 weigh as much as a task of nice 0.
    pub shares: u32,
    /// −20 … 19.
    pub latency_nice: i8,
    /// What has no effect under this kernel, as sentences.
    pub notes: Vec<String>,
}

/// A group of tasks at a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskGroupNow {
    /// 2 … 262144.
    pub shares: u32,
    /// −20 … 19.
    pub latency_nice: i8,
    /// The sum of what the CPUs contribute to its load.
    pub load: u64,
    /// The CPUs on which it has tasks, ascending.
    pub on: Vec<GroupOn>,
}

/// A group of tasks on a CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupOn {
    /// The CPU.
    pub cpu: Cpu,
    /// What the group weighs there: its shares, or the part of them that its load there gives.
    pub weight: u32,
    /// load_avg of its queue there.
    pub load: u64,
    /// How many of its tasks are queued there, running and delayed ones included.
    pub tasks: u32,
}

/// How far the run has been simulated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Steps simulated so far; the last one that can be gone to.
    pub steps: u64,
    /// Time of the last step, ns.
    pub time: u64,
    /// Whether the run has reached its end.
    pub done: bool,
    /// Digest of the state at that step.
    pub digest: u64,
}

/// One moment of the run: the state after a step and all that was decided in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// The step; 0 is before anything happened.
    pub step: u64,
    /// Steps simulated so far.
    pub steps: u64,
    /// Time of the step, ns.
    pub now: u64,
    /// What happened, as a sentence ("The timer of editor expires on CPU 2").
    pub event: String,
    /// The CPU it happened on, if on one.
    pub event_cpu: Option<Cpu>,
    /// Each CPU after the step.
    pub cpus: Vec<CpuView>,
    /// Each task after the step, by task number.
    pub tasks: Vec<TaskView>,
    /// Each row of the task list after the step: what holds now, where [`RowView`] is the
    /// document's.
    pub rows: Vec<RowNow>,
    /// Each group of tasks after the step.
    pub groups: Vec<TaskGroupNow>,
    /// The CPUs whose view changed in the step, as they were before it: what to show until the last
    /// decision is reached.
    pub before: Vec<(Cpu, CpuView)>,
    /// The decisions of the step, in causal order. Balance passes that found all well are one
    /// decision together.
    pub decisions: Vec<Decision>,
    /// The run queue of the CPU in focus as it stands after the step.
    pub queue: Option<PickPicture>,
}

/// A row of the task list at a moment: that of its first task that has not exited, else the
/// document's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowNow {
    /// −20 … 19.
    pub nice: i8,
    /// −20 … 19.
    pub latency_nice: i8,
    /// Its own slice, ns, if it asks for one.
    pub slice: Option<u64>,
    /// Affinity as a CPU list with ranges; empty is everywhere.
    pub affinity: String,
    /// The group that it is in.
    pub group: Option<Group>,
}

/// A CPU at a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuView {
    /// What runs; `None` is idle.
    pub curr: Option<Task>,
    /// What waits, in the order of the queue's tree, delayed tasks included.
    pub waiting: Vec<Task>,
    /// How many of `waiting` sleep but are still queued (delayed dequeue).
    pub delayed: u16,
    /// When it last went idle, ns, while it is idle.
    pub idle_since: Option<u64>,
    /// util_avg of the fair class, 0 … 1024.
    pub util: u16,
    /// load_avg of the fair class.
    pub load: u32,
    /// Clock in kHz, 0 while no frequency is modelled.
    pub khz: u32,
}

/// What a task is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TaskState {
    /// Not started yet.
    #[default]
    New,
    /// On a CPU.
    Running,
    /// On a run queue.
    Runnable,
    /// Asleep.
    Sleeping,
    /// Asleep but still on its queue until its lag is paid (6.12, DELAY_DEQUEUE).
    Delayed,
    /// Woken, on its way to a CPU by IPI.
    Waking,
    /// Gone.
    Exited,
}

/// A task at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskView {
    /// Its row.
    pub row: Row,
    /// 1-based number among the row's tasks.
    pub instance: u32,
    /// What it is doing.
    pub state: TaskState,
    /// The CPU it is on, or was on last.
    pub cpu: Cpu,
    /// The group that it is in.
    pub group: Option<Group>,
    /// Nice now.
    pub nice: i8,
    /// Load weight.
    pub weight: u32,
    /// Its slice (request), ns.
    pub slice: u64,
    /// CPU time so far, ns.
    pub ran: u64,
    /// Signed 64-bit virtual runtime.
    pub vruntime: i64,
    /// Stored virtual lag (meaningful while off the queue), ns of virtual time.
    pub vlag: i64,
    /// Whether an affinity mask confines it.
    pub confined: bool,
}

/// One decision with its explanation. The record from which sentence, picture, table, live region
/// and export are made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The CPU it was made on or for.
    pub cpu: Cpu,
    /// What kind.
    pub kind: DecisionKind,
    /// The task it is about (picked, placed, woken, …).
    pub task: Option<Task>,
    /// "D runs next".
    pub heading: String,
    /// One or two sentences with the numbers.
    pub sentence: String,
    /// What led to it: "wakeup preemption (D woke)".
    pub cause: String,
    /// The checks in the kernel's order; stepping by check walks through them.
    pub checks: Vec<Check>,
    /// The figures, by kind.
    pub picture: Picture,
}

/// Kinds of decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DecisionKind {
    /// Which task runs next.
    Pick,
    /// On which CPU a woken task goes.
    Placement,
    /// On which CPU a new task starts.
    ForkPlacement,
    /// Whether a woken task preempts.
    Preemption,
    /// Whether tasks are moved between CPUs.
    Balance,
}

/// One check of a decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// The question, true before the answer is known: "Is prev CPU 35 idle, same LLC?".
    pub title: String,
    /// The answer: "busy: J41", "target CPU 33", "no".
    pub result: String,
    /// The sentence that is read aloud when the check is the current one.
    pub sentence: String,
    /// The kernel's expression or function: "available_idle_cpu(prev)".
    pub kernel: String,
    /// How the answer looks.
    pub mark: Mark,
    /// CPUs examined by this check, in order; for a scan, the visited ones.
    pub probes: Vec<Probe>,
    /// Tasks that this check is about (rows or tree nodes to light up).
    pub tasks: Vec<Task>,
    /// Whether it was passed over, with the reason in `result`.
    pub skipped: bool,
    /// Up to where in virtual time the answer is yes for the first of `tasks`, relative to V, ns.
    pub limit: Option<i64>,
}

/// How the answer of a check looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mark {
    /// Nothing special.
    Plain,
    /// A CPU was found busy: square.
    Busy,
    /// A CPU was found idle: circle.
    Idle,
    /// This check ended the decision: filled dot.
    Chosen,
    /// Remembered as a fallback.
    Kept,
    /// No.
    No,
    /// Yes.
    Yes,
}

/// One CPU looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// The CPU.
    pub cpu: Cpu,
    /// Whether it counted as idle (or the test held).
    pub idle: bool,
    /// Which test: "target", "prev", "scan", "core", "smt", "cls.scan", … as in the vectors.
    pub code: String,
}

/// The figures of a decision, by kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Picture {
    /// Nothing to draw.
    None,
    /// A pick, or the wakeup preemption test, which picks too.
    Pick(PickPicture),
    /// A wakeup placement.
    Place(PlacePicture),
    /// A fork placement or a balance pass: groups compared.
    Groups(GroupsPicture),
}

/// A run queue with its virtual times and tree, and the walk of a pick through it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PickPicture {
    /// The CPU.
    pub cpu: Cpu,
    /// Where there are groups of tasks: whose queue this is, in words ("inside batch").
    pub title: String,
    /// The group whose queue this is; `None` is the root queue, where groups wait like tasks.
    pub group: Option<Group>,
    /// V, the weighted mean of the vruntimes, as a signed 64-bit virtual time.
    pub v: i64,
    /// min_vruntime, signed.
    pub min_vruntime: i64,
    /// Sum of the weights (running task included).
    pub load: u64,
    /// The running task at the time of the pick, if it is still queued.
    pub curr: Option<Task>,
    /// One row for each queued task, running one included, in deadline order.
    pub rows: Vec<PickRow>,
    /// The tree, in order (leftmost first); the running task is not in it.
    pub tree: Vec<TreeNode>,
    /// "deadline" (6.12) or "vruntime" (6.6): what the tree is sorted by.
    pub tree_key: String,
    /// "min vruntime" (6.12) or "min deadline" (6.6): what each node keeps of its subtree.
    pub tree_kept: String,
    /// Nodes visited by the search, in order.
    pub walk: Vec<WalkStep>,
    /// What was picked; `None` is the idle task, or nothing picked yet.
    pub chosen: Option<Task>,
    /// Whether a pick was made at all (otherwise this is just the queue as it stands).
    pub decided: bool,
    /// The rule that decided, as a short name: "run to parity", "earliest eligible deadline".
    pub reason: String,
    /// CFS latency-nice: the second tree, in order of vruntime + offset; `kept` is that sum
    /// relative to V.
    pub second: Vec<TreeNode>,
    /// The check from which on this is the queue.
    pub since: u16,
    /// The queue again each time that a delayed task has left, with the V, the tree and the part of
    /// the walk that follow; see [`PickPicture::at`].
    pub later: Vec<PickPicture>,
    /// The level below: of a pick, the queue of the group that was chosen, from the check `since`
    /// on; of a queue as it stands, that of each group that has tasks on the CPU.
    pub inside: Vec<PickPicture>,
}

impl PickPicture {
    /// The queue as it is at a check: when a delayed task has left, that without it.
    #[must_use]
    pub fn at(&self, check: usize) -> &PickPicture {
        self.later.iter().rev().find(|later| usize::from(later.since) <= check).unwrap_or(self)
    }
}

/// One queued task of a pick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PickRow {
    /// The task.
    pub task: Task,
    /// The group whose entity this is: then `task` is the number of no task.
    pub group: Option<Group>,
    /// Its weight.
    pub weight: u32,
    /// vruntime − V, ns.
    pub vruntime: i64,
    /// deadline − V, ns.
    pub deadline: i64,
    /// V − vruntime, not clamped, ns.
    pub lag: i64,
    /// Its request in wall ns.
    pub slice: u64,
    /// Its request in virtual ns (slice ÷ weight).
    pub vslice: u64,
    /// Whether vruntime ≤ V.
    pub eligible: bool,
    /// Asleep but still queued.
    pub delayed: bool,
    /// Protected by RUN_TO_PARITY: the running one, eligible, in the request it was picked for.
    pub protected: bool,
    /// The running one.
    pub curr: bool,
    /// It was delayed and has left: it is not counted, and not eligible.
    pub gone: bool,
    /// CFS latency-nice: its offset, virtual ns; 0 elsewhere.
    pub offset: i64,
}

/// A node of the tree, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeNode {
    /// The task.
    pub task: Task,
    /// Depth, root 0.
    pub depth: u16,
    /// Index of the parent in the list.
    pub parent: Option<u16>,
    /// Red or black.
    pub red: bool,
    /// The kept minimum of the subtree, relative to V, ns.
    pub kept: i64,
}

/// One visited node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WalkStep {
    /// The task of the node.
    pub task: Task,
    /// "left", "right", "forget" (right, and the left is forgotten), "take", "stop", …
    pub turn: String,
    /// Why, in a sentence.
    pub why: String,
}

/// A wakeup placement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlacePicture {
    /// The woken task.
    pub wakee: Task,
    /// The waking task; `None` for an interrupt on an idle CPU.
    pub waker: Option<Task>,
    /// The CPU of the waker.
    pub this_cpu: Cpu,
    /// The CPU the wakee last ran on.
    pub prev_cpu: Cpu,
    /// What wake_affine chose to search from.
    pub target: Cpu,
    /// recent_used_cpu of the wakee before the wakeup.
    pub recent: Option<Cpu>,
    /// The final CPU.
    pub chosen: Cpu,
    /// The exit taken ("idle_core", "prev_idle", …, as in the vectors).
    pub branch: String,
    /// How the scan ended.
    pub scan_exit: String,
    /// The LLC that was searched.
    pub llc: u16,
    /// Scan budget (nr_idle_scan), if one applied.
    pub budget: Option<u32>,
    /// Idle CPUs in the LLC at the time, the reached ones included.
    pub idle_in_llc: u32,
    /// Idle CPUs in the other LLCs.
    pub idle_elsewhere: u32,
    /// CPUs that the scan would have visited next, had it gone on, in order.
    pub not_reached: Vec<Cpu>,
    /// CPUs the wakee may not use.
    pub forbidden: Vec<Cpu>,
    /// Idle state of every CPU at the time of the decision.
    pub idle: Vec<bool>,
}

/// Groups of CPUs compared by the slow path or the balancer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupsPicture {
    /// One for each level looked at, from the widest down (slow path) or the one balanced.
    pub levels: Vec<GroupLevel>,
    /// Where the task starts, or the CPU that pulls.
    pub this_cpu: Cpu,
    /// The CPU chosen, or the one pulled from.
    pub chosen: Option<Cpu>,
    /// Tasks moved.
    pub moved: Vec<Task>,
}

/// One sched domain whose groups were compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupLevel {
    /// Name of the domain.
    pub domain: String,
    /// Its groups.
    pub groups: Vec<GroupView>,
}

/// One group of CPUs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroupView {
    /// CPU list with ranges.
    pub span: String,
    /// has_spare, fully_busy, imbalanced, overloaded.
    pub kind: String,
    /// Runnable tasks.
    pub nr_running: u32,
    /// Idle CPUs.
    pub idle_cpus: u32,
    /// Σ load_avg.
    pub load: u64,
    /// Σ util_avg.
    pub util: u64,
    /// The group of the CPU that decides.
    pub local: bool,
    /// The one chosen (idlest or busiest).
    pub chosen: bool,
}

/// A stretch of the timeline, decimated to what can be drawn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// From, ns.
    pub from: u64,
    /// To, ns.
    pub to: u64,
    /// Full lanes, for the CPUs asked for.
    pub lanes: Vec<Lane>,
    /// For each LLC, the busy share per bin, 0 … 255; empty if not asked for.
    pub heat: Vec<Vec<u8>>,
    /// Width of a bin of `heat` and `overview`, ns.
    pub bin: u64,
    /// Wakes, migrations and preemptions in the stretch, at most a few hundred.
    pub arrows: Vec<Arrow>,
    /// Decisions in the stretch: time, step, kind, CPU; thinned to one a pixel.
    pub decisions: Vec<DecisionMark>,
    /// Busy CPUs of the whole run, 0 … 255 of all, in equal bins from 0 to the end of the run.
    pub overview: Vec<u8>,
    /// Every task that occurs here: its row and its 1-based number among the row's tasks,
    /// ascending. Children that are forked later than the moment on show have no [`TaskView`] yet.
    pub tasks: Vec<(Task, Row, u32)>,
    /// The highest clock, kHz: a bar at it is as high as its lane.
    pub top_khz: u32,
    /// How far the run was simulated when this was made.
    pub progress: Progress,
    /// Of a second run: CPU time in each bin in which another task ran than in the first, ns.
    pub apart: Vec<u64>,
    /// Up to when that is known, ns.
    pub apart_until: u64,
}

/// The bars of one CPU.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// The CPU.
    pub cpu: Cpu,
    /// Bars in order of time.
    pub bars: Vec<Bar>,
    /// Rows of tasks waiting on this CPU (dotted): task, from, to.
    pub waits: Vec<(Task, u64, u64)>,
    /// The CPU's clock: from when, ns, and how fast, kHz; at most one change a column. Empty if it
    /// always is the highest.
    pub clock: Vec<(u64, u32)>,
}

/// A task on a CPU for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bar {
    /// The task.
    pub task: Task,
    /// From, ns.
    pub from: u64,
    /// To, ns.
    pub to: u64,
    /// More than one task was here, too short to draw apart.
    pub merged: bool,
    /// It ended because another task preempted it.
    pub preempted: bool,
    /// The CPU's clock meanwhile, on average, kHz.
    pub khz: u32,
}

/// A wake or a migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrow {
    /// What.
    pub kind: ArrowKind,
    /// The task that was woken or moved.
    pub task: Task,
    /// From this CPU …
    pub from_cpu: Cpu,
    /// … to this one.
    pub to_cpu: Cpu,
    /// When it was decided, ns.
    pub at: u64,
    /// When the task first ran there, ns.
    pub until: u64,
    /// The step of the decision.
    pub step: u64,
}

/// Kinds of arrows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArrowKind {
    /// A wakeup.
    Wake,
    /// A fork.
    Fork,
    /// A move by the balancer or by a change of affinity.
    Migrate,
}

/// Where a decision is on the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionMark {
    /// When, ns.
    pub at: u64,
    /// Its step.
    pub step: u64,
    /// What kind.
    pub kind: DecisionKind,
    /// On which CPU.
    pub cpu: Cpu,
}

/// The document after an edit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edited {
    /// As for a load.
    pub loaded: Loaded,
    /// What the edit did, for people: "nice of hash −10, from event 37 on; what came after is
    /// gone".
    pub done: String,
    /// Whether it truncated a future that had been simulated.
    pub forked: bool,
}

/// A second run of the document, of which one thing is different.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Beside {
    /// What is different, as it was asked for.
    pub with: String,
    /// The same in words: "Linux 4.19, CFS".
    pub name: String,
    /// Its kernel.
    pub kernel: KernelView,
    /// What of the document does not apply to it, as sentences.
    pub notes: Vec<String>,
    /// How far it was simulated.
    pub progress: Progress,
}

/// A time at which two runs come to differ in who has a CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Where; `None` if there is no such time.
    pub place: Option<Parting>,
    /// "At 12 ms on CPU 3: 6.6 keeps A, 6.12 picks B."; also says that there is none.
    pub sentence: String,
    /// What was decided in each of the two runs that led to it: the kernel, and why.
    pub why: Vec<(String, String)>,
}

/// Where two runs come to differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parting {
    /// When, ns.
    pub at: u64,
    /// The step of the first run in which its CPU was switched then, else its last one up to then.
    pub step: u64,
    /// The lowest CPU that comes to differ then.
    pub cpu: Cpu,
}

/// Figures over the run, or its start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// How far the run was simulated.
    pub progress: Progress,
    /// Up to when the figures count, ns.
    pub upto: u64,
    /// Per row of the task list, then one for all.
    pub rows: Vec<RowMetrics>,
    /// Per task of the rows that have several, without samples.
    pub tasks: Vec<(Task, RowMetrics)>,
    /// Per group of tasks, without samples.
    pub groups: Vec<RowMetrics>,
    /// Per CPU.
    pub cpus: Vec<CpuMetrics>,
    /// The highest clock, kHz.
    pub top_khz: u32,
    /// Whether clocks can be lower than that.
    pub clocks_vary: bool,
    /// CPU time used of CPU time there was, in parts of 10 000.
    pub utilisation: u32,
    /// Time in which some CPU was idle that might have run a task which waited on a busy one, ns.
    pub idle_while_overloaded: u64,
    /// CPUs that ran anything.
    pub cpus_used: u32,
}

/// Figures of one row, of one task, or of all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowMetrics {
    /// The row; `None` is all together.
    pub row: Option<Row>,
    /// CPU time, ns.
    pub ran: u64,
    /// Work done, ns at the highest clock.
    pub work: u64,
    /// CPUs it ran on.
    pub cpus: u16,
    /// Time spent runnable but not running, ns.
    pub waited: u64,
    /// Number of wakeups.
    pub wakeups: u64,
    /// Wakeup latencies in ns: (parts of 10 000, value), the last the maximum; only those with
    /// enough samples.
    pub latency: Vec<(u32, u64)>,
    /// Every wakeup latency in ns, up to a few thousand, for a strip plot.
    pub samples: Vec<u64>,
    /// Voluntary switches.
    pub voluntary: u64,
    /// Involuntary switches.
    pub involuntary: u64,
    /// Migrations within a core, across cores of an LLC, across LLCs of a node, across nodes of a
    /// package, across packages.
    pub migrations: [u64; 5],
    /// Lag over time: when, ns, and the least and most lag of its queued tasks, ns.
    pub lag: Vec<(u64, i64, i64)>,
}

/// Figures of one CPU.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuMetrics {
    /// Time in which a task ran, ns.
    pub busy: u64,
    /// Work done in it, ns at the highest clock.
    pub work: u64,
    /// Context switches.
    pub switches: u64,
    /// Busy time at clocks of up to 10 %, 20 %, … of the highest, ns.
    pub residency: [u64; 10],
}
