//! Who ran, waited, woke and moved, and when: built step by step, cut back when the past is
//! changed, and shown as a window decimated to what can be drawn.
//!
//! Everything is stored by step, not by time ([`crate::index::Index`] knows the times), which
//! halves the store and makes cutting back exact: about 8 bytes a context switch, 12 a wait, 20 an
//! arrow.

use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::kernel::Governor;
use schedscope_sim::report::{Change, Decision, Migration, Off, Record};
use schedscope_sim::setup::Setup;
use schedscope_sim::state::State;
use schedscope_sim::units::{CpuId, TaskId};

use crate::index::{Index, Kinds};

/// A step number as stored. Runs are far shorter than 2^32 steps.
type Step = u32;

/// No task, no step.
const NONE: u32 = u32::MAX;
const PREEMPTED: u32 = 1 << 31;
const TASK: u32 = PREEMPTED - 1;
const IDLE: u32 = TASK;

/// The CPU has another task from this step on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Switch {
    step: Step,
    /// The task ([`IDLE`] for none), with [`PREEMPTED`] if the one before still wanted to run.
    task: u32,
}

impl Switch {
    fn task(self) -> Option<TaskId> {
        (self.task & TASK != IDLE).then_some(TaskId(self.task & TASK))
    }
}

/// A task waited on a CPU's queue; stored when the wait ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wait {
    from: Step,
    to: Step,
    task: u32,
}

/// How many waits share a summary.
const BLOCK: usize = 64;

/// The waits of a CPU in the order in which they ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Waits {
    list: Vec<Wait>,
    /// For each full block of the list, its earliest start.
    earliest: Vec<Step>,
}

impl Waits {
    fn push(&mut self, wait: Wait) {
        self.list.push(wait);
        if self.list.len().is_multiple_of(BLOCK) {
            let block = &self.list[self.list.len() - BLOCK..];
            self.earliest.push(block.iter().map(|wait| wait.from).min().unwrap_or(0));
        }
    }

    /// The waits that ended at or after step `from` and began before step `to`.
    fn meeting(&self, from: Step, to: Step) -> impl Iterator<Item = Wait> + '_ {
        let mut i = self.list.partition_point(|wait| wait.to < from);
        core::iter::from_fn(move || {
            loop {
                let wait = *self.list.get(i)?;
                if i.is_multiple_of(BLOCK) && self.earliest.get(i / BLOCK).is_some_and(|&e| e >= to)
                {
                    i += BLOCK;
                    continue;
                }
                i += 1;
                if wait.from < to {
                    return Some(wait);
                }
            }
        })
    }

    /// Forgets all after `step`; gives back the waits that then were still going on.
    fn truncate(&mut self, step: Step) -> Vec<Wait> {
        let kept = self.list.partition_point(|wait| wait.to <= step);
        let open = self.list[kept..].iter().copied().filter(|wait| wait.from <= step).collect();
        self.list.truncate(kept);
        self.earliest.truncate(kept / BLOCK);
        open
    }
}

/// What an arrow is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ArrowKind {
    /// A wakeup.
    Wake,
    /// The start of a new task.
    Fork,
    /// A move by the balancer or by a change of affinity.
    Migrate,
}

/// A wakeup, a start or a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// What it is about.
    pub kind: ArrowKind,
    /// Who was woken, started or moved.
    pub task: TaskId,
    /// Where it was decided, or where the task was.
    pub from: CpuId,
    /// Where the task went.
    pub to: CpuId,
    /// The step in which it was decided.
    pub step: u64,
    /// The step in which the task first ran after it; `None` if it has not yet.
    pub until: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StoredArrow {
    step: Step,
    until: Step,
    task: u32,
    from: u16,
    to: u16,
    kind: ArrowKind,
}

impl StoredArrow {
    fn arrow(self) -> Arrow {
        Arrow {
            kind: self.kind,
            task: TaskId(self.task),
            from: CpuId(self.from),
            to: CpuId(self.to),
            step: u64::from(self.step),
            until: (self.until != NONE).then_some(u64::from(self.until)),
        }
    }
}

/// A woken task ran for the first time after its wakeup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Latency {
    /// When it ran.
    ran: Step,
    /// When it was woken.
    woken: Step,
    task: u32,
}

/// A task came to another CPU than it last was on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    step: Step,
    /// Who.
    pub task: TaskId,
    /// From here.
    pub from: CpuId,
    /// To here.
    pub to: CpuId,
    /// Why.
    pub why: Migration,
}

/// Where a decision was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionAt {
    step: Step,
    /// Of which kind; exactly one.
    pub kind: Kinds,
    /// On or for which CPU.
    pub cpu: CpuId,
}

impl Move {
    /// In which step.
    #[must_use]
    pub fn step(&self) -> u64 {
        u64::from(self.step)
    }
}

impl DecisionAt {
    /// In which step.
    #[must_use]
    pub fn step(&self) -> u64 {
        u64::from(self.step)
    }
}

/// A CPU's clock from this step on, and its part of a core shared with other threads, percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ClockAt {
    step: Step,
    khz: u32,
    percent: u8,
}

/// Where a task is, as far as the records tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// On no queue, or delayed on one.
    Off,
    /// It waits on this CPU since this step.
    Waits(CpuId, Step),
    /// It runs.
    Runs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Now {
    place: Place,
    /// Its dequeue is delayed: on a queue, but asleep.
    delayed: bool,
    /// Where it is being woken from, until it is queued.
    woken_from: Option<CpuId>,
    /// The arrow whose end is its next run; [`NONE`] if there is none.
    arrow: u32,
    /// When it was woken, until it runs; [`NONE`] if it was not.
    woken: Step,
    /// Its place among those who wait; [`NONE`] if it does not.
    waiter: u32,
}

const NEW: Now = Now {
    place: Place::Off,
    delayed: false,
    woken_from: None,
    arrow: NONE,
    woken: NONE,
    waiter: NONE,
};

/// The store of all that the timeline and the metrics show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spans {
    llc_of: Vec<u16>,
    llc_sizes: Vec<u32>,
    switches: Vec<Vec<Switch>>,
    waits: Vec<Waits>,
    arrows: Vec<StoredArrow>,
    moves: Vec<Move>,
    latencies: Vec<Latency>,
    decisions: Vec<DecisionAt>,
    /// Steps at which "a CPU is idle that may run a task which waits on a busy one" became true,
    /// false, true …
    overload: Vec<Step>,
    tasks: Vec<Now>,
    /// Who waits now, in no order.
    waiters: Vec<u32>,
    /// Idle CPUs now.
    idle: CpuSet,
    busy: Busy,
    /// By CPU: its clock, from its first change on.
    clocks: Vec<Vec<ClockAt>>,
    /// The clock of every CPU before its first change, and the highest, kHz.
    first_khz: u32,
    top_khz: u32,
}

/// Busy time of each LLC on a grid of time whose cells double as the run grows.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Busy {
    /// Length of a cell, ns.
    cell: u64,
    /// By LLC: busy time in each cell, ns.
    cells: Vec<Vec<u64>>,
    /// By LLC: busy CPUs now.
    count: Vec<u32>,
    /// By LLC: up to when it has been counted, ns.
    until: Vec<u64>,
}

/// At most so many cells; then two become one.
const CELLS: u64 = 4096;
/// The first length of a cell, ns.
const CELL: u64 = 1 << 10;

impl Busy {
    fn new(llcs: usize) -> Busy {
        Busy {
            cell: CELL,
            cells: vec![Vec::new(); llcs],
            count: vec![0; llcs],
            until: vec![0; llcs],
        }
    }

    /// Counts an LLC up to now, and then a change of its busy CPUs.
    fn change(&mut self, llc: usize, now: u64, delta: i32) {
        self.count_to(llc, now);
        self.count[llc] = self.count[llc].checked_add_signed(delta).expect("busy CPUs are counted");
    }

    fn count_to(&mut self, llc: usize, now: u64) {
        while now / self.cell >= CELLS {
            self.cell *= 2;
            for cells in &mut self.cells {
                *cells = cells.chunks(2).map(|pair| pair.iter().sum()).collect();
            }
        }
        let from = core::mem::replace(&mut self.until[llc], now);
        self.add(llc, from, now, u64::from(self.count[llc]));
    }

    fn add(&mut self, llc: usize, from: u64, to: u64, busy: u64) {
        if busy == 0 || from >= to {
            return;
        }
        let cells = &mut self.cells[llc];
        let last = ((to - 1) / self.cell) as usize;
        if cells.len() <= last {
            cells.resize(last + 1, 0);
        }
        let mut at = from;
        while at < to {
            let index = at / self.cell;
            let end = ((index + 1) * self.cell).min(to);
            cells[index as usize] += busy * (end - at);
            at = end;
        }
    }
}

impl Spans {
    /// Nothing yet; all CPUs idle from time 0.
    #[must_use]
    pub fn new(setup: &Setup) -> Spans {
        let (topology, range) = (&setup.topology, setup.kernel.frequency);
        let cpus = topology.len();
        let llcs = topology.llcs().len();
        Spans {
            llc_of: topology.cpus().iter().map(|cpu| cpu.llc.0).collect(),
            llc_sizes: topology.llcs().iter().map(|llc| llc.len() as u32).collect(),
            switches: vec![Vec::new(); cpus],
            waits: vec![Waits::default(); cpus],
            arrows: Vec::new(),
            moves: Vec::new(),
            latencies: Vec::new(),
            decisions: Vec::new(),
            overload: Vec::new(),
            tasks: Vec::new(),
            waiters: Vec::new(),
            idle: topology.all(),
            busy: Busy::new(llcs),
            clocks: vec![Vec::new(); cpus],
            first_khz: match range.governor {
                Governor::Performance => range.max_khz,
                Governor::Schedutil | Governor::Hwp => range.min_khz,
            },
            top_khz: range.max_khz,
        }
    }

    /// Adds the step that led to this state. The steps come in order, from 1 on.
    ///
    /// # Panics
    /// If the run is longer than 2^32 steps, or the records contradict one another.
    pub fn push(&mut self, state: &State, records: &[Record]) {
        let step = Step::try_from(state.step).expect("a run is shorter than 2^32 steps");
        for record in records {
            match *record {
                Record::Happened(..) | Record::Edited(..) => {}
                Record::Decided(decision) => self.decided(step, &decision),
                Record::Changed(change) => self.changed(step, state.now.0, change),
            }
        }
        let overloaded =
            !self.idle.is_empty() && self.waiters.iter().any(|&task| self.could_run(state, task));
        if overloaded != (self.overload.len() % 2 == 1) {
            // True and false again within one step is no time at all.
            if self.overload.last() == Some(&step) {
                self.overload.pop();
            } else {
                self.overload.push(step);
            }
        }
    }

    /// Whether a task waits on a busy CPU although an idle one may run it.
    fn could_run(&self, state: &State, task: u32) -> bool {
        let Place::Waits(cpu, _) = self.tasks[task as usize].place else { return false };
        let allowed = state.tasks[task as usize].allowed.as_deref();
        !self.idle.contains(cpu) && allowed.is_none_or(|mask| mask.intersects(&self.idle))
    }

    fn decided(&mut self, step: Step, decision: &Decision) {
        let cpu = match *decision {
            Decision::Pick { cpu, .. }
            | Decision::Preempt { cpu, .. }
            | Decision::Place { cpu, .. }
            | Decision::WokenInPlace { cpu, .. }
            | Decision::ForkPlace { cpu, .. }
            | Decision::Balance { cpu, .. } => cpu,
        };
        let kind = Kinds::of(decision);
        if kind != Kinds::BALANCE_IDLE {
            self.decisions.push(DecisionAt { step, kind, cpu });
        }
        match *decision {
            Decision::WokenInPlace { wakee, cpu, .. } => {
                self.task(wakee).delayed = false;
                self.queued(step, wakee, cpu);
            }
            Decision::ForkPlace { task, this_cpu, cpu, .. } => {
                self.arrow(step, ArrowKind::Fork, task, this_cpu, cpu);
            }
            _ => {}
        }
    }

    fn changed(&mut self, step: Step, now: u64, change: Change) {
        match change {
            Change::Woken { task, this_cpu, .. } => {
                let task = self.task(task);
                task.woken_from = Some(this_cpu);
                task.delayed = false;
                if task.place == Place::Off {
                    task.woken = step;
                }
            }
            Change::WakeListed { task, cpu } | Change::Enqueued { task, cpu } => {
                if !self.task(task).delayed {
                    self.queued(step, task, cpu);
                }
            }
            Change::Dequeued { task, why, .. } => {
                match why {
                    Off::Delayed => self.task(task).delayed = true,
                    Off::Migrate => {}
                    Off::Sleep | Off::DelayedDone | Off::Exit => self.task(task).delayed = false,
                }
                if let Place::Waits(..) = self.task(task).place {
                    self.wait_ends(step, task);
                    self.task(task).place = Place::Off;
                }
            }
            Change::Switched { cpu, prev, next, preempted } => {
                self.switched(step, now, cpu, prev, next, preempted);
            }
            Change::Migrated { task, from, to, why } => {
                self.moves.push(Move { step, task, from, to, why });
                if matches!(why, Migration::Balance(_) | Migration::Affinity) {
                    self.arrow(step, ArrowKind::Migrate, task, from, to);
                }
            }
            Change::Forked { child, .. } => {
                self.task(child);
            }
            Change::Attributes(_) => {}
            Change::Clock { cpu, khz } => self.clock(step, cpu).khz = khz,
            Change::Shared { cpu, percent } => self.clock(step, cpu).percent = percent,
        }
    }

    fn task(&mut self, task: TaskId) -> &mut Now {
        if self.tasks.len() <= task.index() {
            self.tasks.resize(task.index() + 1, NEW);
        }
        &mut self.tasks[task.index()]
    }

    /// The task waits on a CPU from now on, if it does not already.
    fn queued(&mut self, step: Step, task: TaskId, cpu: CpuId) {
        if let Some(from) = self.task(task).woken_from.take() {
            self.arrow(step, ArrowKind::Wake, task, from, cpu);
        }
        match self.task(task).place {
            Place::Runs => {}
            Place::Waits(there, _) if there == cpu => {}
            Place::Waits(..) => {
                self.wait_ends(step, task);
                self.wait_begins(step, task, cpu);
            }
            Place::Off => self.wait_begins(step, task, cpu),
        }
    }

    fn wait_begins(&mut self, step: Step, task: TaskId, cpu: CpuId) {
        let waiter = self.waiters.len() as u32;
        let it = self.task(task);
        it.place = Place::Waits(cpu, step);
        it.waiter = waiter;
        self.waiters.push(task.0);
    }

    fn wait_ends(&mut self, step: Step, task: TaskId) {
        let Place::Waits(cpu, from) = self.task(task).place else { return };
        self.waits[cpu.index()].push(Wait { from, to: step, task: task.0 });
        let at = core::mem::replace(&mut self.task(task).waiter, NONE) as usize;
        self.waiters.swap_remove(at);
        if let Some(&moved) = self.waiters.get(at) {
            self.tasks[moved as usize].waiter = at as u32;
        }
    }

    fn arrow(&mut self, step: Step, kind: ArrowKind, task: TaskId, from: CpuId, to: CpuId) {
        let arrow = self.arrows.len() as u32;
        let old = core::mem::replace(&mut self.task(task).arrow, arrow);
        if old != NONE {
            // It never ran there: it goes on from here.
            self.arrows[old as usize].until = step;
        }
        self.arrows.push(StoredArrow {
            step,
            until: NONE,
            task: task.0,
            from: from.0,
            to: to.0,
            kind,
        });
    }

    fn switched(
        &mut self,
        step: Step,
        now: u64,
        cpu: CpuId,
        prev: Option<TaskId>,
        next: Option<TaskId>,
        preempted: bool,
    ) {
        if let Some(prev) = prev {
            self.task(prev).place = Place::Off;
            if preempted {
                self.wait_begins(step, prev, cpu);
            }
        }
        if let Some(next) = next {
            self.wait_ends(step, next);
            let task = self.task(next);
            task.place = Place::Runs;
            task.woken_from = None;
            let arrow = core::mem::replace(&mut task.arrow, NONE);
            let woken = core::mem::replace(&mut task.woken, NONE);
            if woken != NONE {
                self.latencies.push(Latency { ran: step, woken, task: next.0 });
            }
            if arrow != NONE {
                self.arrows[arrow as usize].until = step;
            }
        }
        let delta = i32::from(next.is_some()) - i32::from(prev.is_some());
        if delta != 0 {
            self.idle.set(cpu, next.is_none());
            self.busy.change(usize::from(self.llc_of[cpu.index()]), now, delta);
        }
        let flag = if preempted { PREEMPTED } else { 0 };
        let task = next.map_or(IDLE, |next| next.0) | flag;
        self.switches[cpu.index()].push(Switch { step, task });
    }

    /// Forgets all after `step`, as if the run had only come so far. `index` must still know the
    /// steps that are cut off.
    pub fn truncate(&mut self, step: u64, index: &Index) {
        let last = Step::try_from(step).expect("a run is shorter than 2^32 steps");
        self.moves.truncate(self.moves.partition_point(|m| m.step <= last));
        self.decisions.truncate(self.decisions.partition_point(|d| d.step <= last));
        self.overload.truncate(self.overload.partition_point(|&s| s <= last));
        self.arrows.truncate(self.arrows.partition_point(|a| a.step <= last));
        // Who waited then: whose wait ends later, and who waits now since before.
        let mut waits: Vec<(CpuId, Wait)> = Vec::new();
        for (i, task) in self.tasks.iter().enumerate() {
            if let Place::Waits(cpu, from) = task.place
                && from <= last
            {
                waits.push((cpu, Wait { from, to: NONE, task: i as u32 }));
            }
        }
        for (cpu, list) in self.waits.iter_mut().enumerate() {
            waits.extend(list.truncate(last).into_iter().map(|w| (CpuId(cpu as u16), w)));
        }
        // Who had been woken then and had not run: who ran later, and who has not run yet.
        let mut woken: Vec<(u32, Step)> = Vec::new();
        for (i, task) in self.tasks.iter().enumerate() {
            if task.woken != NONE && task.woken <= last {
                woken.push((i as u32, task.woken));
            }
        }
        let ran = self.latencies.partition_point(|l| l.ran <= last);
        let cut = self.latencies.drain(ran..).filter(|l| l.woken <= last);
        woken.extend(cut.map(|l| (l.task, l.woken)));
        self.tasks.iter_mut().for_each(|task| *task = NEW);
        for (task, step) in woken {
            self.tasks[task as usize].woken = step;
        }
        self.waiters.clear();
        for (cpu, wait) in waits {
            self.wait_begins(wait.from, TaskId(wait.task), cpu);
        }
        for clocks in &mut self.clocks {
            clocks.truncate(clocks.partition_point(|c| c.step <= last));
        }
        self.idle = CpuSet::EMPTY;
        self.busy.count.iter_mut().for_each(|count| *count = 0);
        for (cpu, list) in self.switches.iter_mut().enumerate() {
            list.truncate(list.partition_point(|s| s.step <= last));
            match list.last().and_then(|s| s.task()) {
                Some(task) => {
                    self.tasks[task.index()].place = Place::Runs;
                    self.busy.count[usize::from(self.llc_of[cpu])] += 1;
                }
                None => self.idle.insert(CpuId(cpu as u16)),
            }
        }
        for (i, arrow) in self.arrows.iter_mut().enumerate() {
            if arrow.until != NONE && arrow.until > last {
                arrow.until = NONE;
            }
            if arrow.until == NONE {
                self.tasks[arrow.task as usize].arrow = i as u32;
            }
        }
        self.recount_busy(index);
    }

    /// Makes the grid end where each LLC last changed, as if nothing had come after, and counts its
    /// last cell anew.
    fn recount_busy(&mut self, index: &Index) {
        self.busy.until.iter_mut().for_each(|until| *until = 0);
        for (cpu, list) in self.switches.iter().enumerate() {
            let until = &mut self.busy.until[usize::from(self.llc_of[cpu])];
            let idle = |i: usize| list[i].task().is_none();
            let changes = |&i: &usize| if i == 0 { !idle(0) } else { idle(i) != idle(i - 1) };
            if let Some(last) = (0..list.len()).rev().find(changes) {
                *until = (*until).max(index.time(u64::from(list[last].step)));
            }
        }
        let cell = self.busy.cell;
        for (llc, cells) in self.busy.cells.iter_mut().enumerate() {
            cells.truncate((self.busy.until[llc] / cell) as usize);
        }
        for (cpu, list) in self.switches.iter().enumerate() {
            let llc = usize::from(self.llc_of[cpu]);
            let until = self.busy.until[llc];
            let start = until / cell * cell;
            let first = index.first_at(start) as Step;
            let mut i = list.partition_point(|s| s.step < first).saturating_sub(1);
            while let Some(switch) = list.get(i) {
                i += 1;
                let from = index.time(u64::from(switch.step)).max(start);
                let to = list.get(i).map_or(until, |next| index.time(u64::from(next.step)));
                if switch.task().is_some() {
                    self.busy.add(llc, from, to.min(until).max(from), 1);
                }
            }
        }
    }

    /// Which delayed marks and open wakeups a cut has to restore: those that the state at the cut
    /// has. To be called after [`Spans::truncate`] with the tasks whose dequeue is delayed then.
    pub fn set_delayed(&mut self, delayed: impl IntoIterator<Item = TaskId>) {
        for task in delayed {
            self.task(task).delayed = true;
        }
    }

    /// How many CPUs the machine has.
    #[must_use]
    pub fn cpus(&self) -> usize {
        self.switches.len()
    }

    /// All context switches of a CPU in order: the step, who had the CPU from then on (`None` is
    /// idle), and whether the one before still wanted to run.
    pub fn switches(&self, cpu: CpuId) -> impl Iterator<Item = (u64, Option<TaskId>, bool)> + '_ {
        self.switches[cpu.index()]
            .iter()
            .map(|s| (u64::from(s.step), s.task(), s.task & PREEMPTED != 0))
    }

    /// All waits that have ended: the CPU, the task, from and to (steps).
    pub fn waits(&self) -> impl Iterator<Item = (CpuId, TaskId, u64, u64)> + '_ {
        self.waits.iter().enumerate().flat_map(|(cpu, waits)| {
            waits.list.iter().map(move |wait| {
                (CpuId(cpu as u16), TaskId(wait.task), u64::from(wait.from), u64::from(wait.to))
            })
        })
    }

    /// All waits that go on: the CPU, the task, since when (step).
    pub fn open_waits(&self) -> impl Iterator<Item = (CpuId, TaskId, u64)> + '_ {
        self.tasks.iter().enumerate().filter_map(|(i, task)| match task.place {
            Place::Waits(cpu, from) => Some((cpu, TaskId(i as u32), u64::from(from))),
            Place::Off | Place::Runs => None,
        })
    }

    /// All arrows in order.
    pub fn arrows(&self) -> impl DoubleEndedIterator<Item = Arrow> + '_ {
        self.arrows.iter().map(|arrow| arrow.arrow())
    }

    /// All wakeups that led to a run, in the order of the runs: who, when woken, when run (steps).
    pub fn latencies(&self) -> impl Iterator<Item = (TaskId, u64, u64)> + '_ {
        self.latencies.iter().map(|l| (TaskId(l.task), l.woken.into(), l.ran.into()))
    }

    /// All changes of CPU in order.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// All decisions in order, but for balance passes that found all well.
    #[must_use]
    pub fn decisions(&self) -> &[DecisionAt] {
        &self.decisions
    }

    /// Time in which some CPU was idle that might have run a task which waited on a busy one, ns,
    /// up to `now`.
    #[must_use]
    pub fn idle_while_overloaded(&self, index: &Index, now: u64) -> u64 {
        let time = |step: &Step| index.time(u64::from(*step)).min(now);
        self.overload
            .chunks(2)
            .map(|pair| pair.get(1).map_or(now, time).saturating_sub(time(&pair[0])))
            .sum()
    }

    /// The highest clock, kHz.
    #[must_use]
    pub fn top_khz(&self) -> u32 {
        self.top_khz
    }

    /// What is to be written down of a CPU's clock in this step.
    fn clock(&mut self, step: Step, cpu: CpuId) -> &mut ClockAt {
        let clocks = &mut self.clocks[cpu.index()];
        let before = ClockAt { step, khz: self.first_khz, percent: 100 };
        let last = clocks.last().copied().unwrap_or(before);
        if clocks.is_empty() || last.step != step {
            clocks.push(ClockAt { step, ..last });
        }
        let at = clocks.len() - 1;
        &mut clocks[at]
    }

    /// A CPU's clocks over a stretch of time from a step on: each clock, kHz, how much of the work
    /// of a core is done at it, percent, and for how long, ns.
    pub(crate) fn each_clock(
        &self,
        index: &Index,
        cpu: CpuId,
        from_step: u64,
        to: u64,
        mut each: impl FnMut(u32, u8, u64),
    ) {
        let clocks = &self.clocks[cpu.index()];
        let mut i = clocks.partition_point(|c| u64::from(c.step) <= from_step);
        let (mut khz, mut percent) = match i {
            0 => (self.first_khz, 100),
            _ => (clocks[i - 1].khz, clocks[i - 1].percent),
        };
        let mut at = index.time(from_step);
        while at < to {
            let next = clocks.get(i).map_or(to, |c| index.time(u64::from(c.step)).min(to));
            if next > at {
                each(khz, percent, next - at);
            }
            at = next;
            if let Some(clock) = clocks.get(i) {
                (khz, percent) = (clock.khz, clock.percent);
                i += 1;
            }
        }
    }

    /// The first context switch on a CPU after `step`.
    #[must_use]
    pub fn next_switch(&self, cpu: CpuId, step: u64) -> Option<u64> {
        let list = self.switches.get(cpu.index())?;
        let i = list.partition_point(|s| u64::from(s.step) <= step);
        list.get(i).map(|s| u64::from(s.step))
    }

    /// The last context switch on a CPU before `step`; 0 if there is none.
    #[must_use]
    pub fn previous_switch(&self, cpu: CpuId, step: u64) -> u64 {
        let Some(list) = self.switches.get(cpu.index()) else { return 0 };
        let i = list.partition_point(|s| u64::from(s.step) < step);
        if i == 0 { 0 } else { u64::from(list[i - 1].step) }
    }

    /// About how many bytes the store takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let switches: usize = self.switches.iter().map(|s| s.capacity() * 8).sum();
        let waits: usize = self.waits.iter().map(|w| w.list.capacity() * 12).sum();
        let cells: usize = self.busy.cells.iter().map(|c| c.capacity() * 8).sum();
        switches
            + waits
            + cells
            + self.arrows.capacity() * size_of::<StoredArrow>()
            + self.latencies.capacity() * size_of::<Latency>()
            + self.moves.capacity() * size_of::<Move>()
            + self.decisions.capacity() * size_of::<DecisionAt>()
            + self.clocks.iter().map(|c| c.capacity() * size_of::<ClockAt>()).sum::<usize>()
    }
}

mod apart;
mod window;
pub use apart::{Apart, Side, parting};
pub use window::{ARROWS, Bar, Lane, OVERVIEW, Query, WAITS, Window};
