//! What a step tells: one stream of small records in causal order, and evidence for those who ask.
//!
//! Reasons are always given; the figures behind them are made only if the report has a list for
//! them, from the state as it was when the decision was made.

use crate::balance::{BalanceSeen, Move, Outcome, Pass, Verdict};
use crate::cpu_set::CpuSet;
use crate::event::Event;
use crate::fair::evidence::{PickEvidence, PreemptEvidence};
use crate::fair::reason::{PickReason, Preempt, Resched};
use crate::place::fork::SlowSeen;
use crate::place::{Branch, Placement, Seen, Wakee, Waker};
use crate::units::{CpuId, TaskId, Time};

/// One line of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Record {
    /// An event, and when: the first record of every step.
    Happened(Time, Event),
    /// A change made from outside, after the step of the event before: its number among
    /// [`crate::setup::Setup::inputs`].
    Edited(Time, u32),
    /// A decision of the scheduler.
    Decided(Decision),
    /// Something that became different.
    Changed(Change),
}

/// A decision with its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Which task runs next on a CPU (`pick_next_task`).
    Pick {
        /// The CPU.
        cpu: CpuId,
        /// Who had it; `None` was idle.
        prev: Option<TaskId>,
        /// Who has it now; `None` is idle.
        next: Option<TaskId>,
        /// Why this one.
        reason: PickReason,
        /// Why a pick was due.
        cause: PickCause,
    },
    /// Whether a newly queued task preempts the running one (`wakeup_preempt`).
    Preempt {
        /// The CPU.
        cpu: CpuId,
        /// Who runs there; `None` is idle.
        curr: Option<TaskId>,
        /// Who came.
        woken: TaskId,
        /// What was decided and by which rule.
        verdict: Preempt,
    },
    /// On which CPU a woken task goes (`select_task_rq_fair`).
    Place {
        /// The woken task.
        wakee: TaskId,
        /// The waking task; `None` for an interrupt on an idle CPU.
        waker: Option<TaskId>,
        /// The CPU of the waker.
        this_cpu: CpuId,
        /// The CPU the wakee last ran on.
        prev_cpu: CpuId,
        /// The CPU chosen.
        cpu: CpuId,
        /// The exit taken.
        branch: Branch,
    },
    /// A delayed task was woken where it is queued: no placement (R4.D.5).
    WokenInPlace {
        /// The woken task.
        wakee: TaskId,
        /// Its CPU.
        cpu: CpuId,
        /// Whether it was placed anew because its lag had become positive (R4.C.8).
        replaced: bool,
    },
    /// On which CPU a new task starts, or one that calls `exec()` goes on (slow path).
    ForkPlace {
        /// The new task.
        task: TaskId,
        /// The parent's CPU; for an exec the task's own.
        this_cpu: CpuId,
        /// The CPU chosen.
        cpu: CpuId,
        /// It is an exec.
        exec: bool,
    },
    /// Whether tasks are pulled to a CPU (`load_balance`). Not recorded when it is another CPU's
    /// turn; newidle passes in vain are recorded only together with evidence.
    Balance {
        /// The CPU that pulls.
        cpu: CpuId,
        /// Which of its sched domains, 0 the smallest.
        level: u8,
        /// What triggered it.
        kind: BalanceKind,
        /// How it ended.
        verdict: Verdict,
        /// The CPU pulled from, if one was found busiest.
        from: Option<CpuId>,
        /// How many tasks moved.
        moved: u16,
        /// The stopper of `from` is to move a task, even the running one (R5.7.14).
        active: bool,
    },
}

/// Why a pick was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PickCause {
    /// The running task went to sleep.
    Block,
    /// The running task exited.
    Exit,
    /// The running task yielded.
    Yield,
    /// A reschedule had been requested, for this reason.
    Resched(Resched),
    /// The running task was moved to another CPU.
    MovedAway,
}

/// What triggered a balance pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BalanceKind {
    /// The tick of a busy CPU.
    Periodic,
    /// On behalf of an idle CPU.
    Idle,
    /// A CPU about to go idle.
    NewIdle,
}

/// Something that became different.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// A sleeper is to run again.
    Woken {
        /// Who.
        task: TaskId,
        /// Who woke it; `None` for a timer.
        waker: Option<TaskId>,
        /// Where the wakeup was made.
        this_cpu: CpuId,
    },
    /// It was put on a CPU's wake list; the CPU hears of it by IPI (R0.6.6).
    WakeListed {
        /// Who.
        task: TaskId,
        /// Where.
        cpu: CpuId,
    },
    /// It is on a CPU's run queue.
    Enqueued {
        /// Who.
        task: TaskId,
        /// Where.
        cpu: CpuId,
    },
    /// It is off a CPU's run queue.
    Dequeued {
        /// Who.
        task: TaskId,
        /// Where.
        cpu: CpuId,
        /// Why.
        why: Off,
    },
    /// Another task has the CPU.
    Switched {
        /// The CPU.
        cpu: CpuId,
        /// Who had it; `None` was idle.
        prev: Option<TaskId>,
        /// Who has it; `None` is idle.
        next: Option<TaskId>,
        /// Whether `prev` still wanted to run.
        preempted: bool,
    },
    /// It changed CPU.
    Migrated {
        /// Who.
        task: TaskId,
        /// From.
        from: CpuId,
        /// To.
        to: CpuId,
        /// Why.
        why: Migration,
    },
    /// A task came to be.
    Forked {
        /// The new one.
        child: TaskId,
        /// Its parent; `None` for a task of the scenario.
        parent: Option<TaskId>,
    },
    /// Its nice, slice or affinity changed.
    Attributes(TaskId),
    /// A CPU's clock changed. Where an idle CPU's clock is looked at only when it is needed (HWP),
    /// this is when.
    Clock {
        /// The CPU.
        cpu: CpuId,
        /// How fast it runs from now on, kHz.
        khz: u32,
    },
    /// Another thread of its core became busy or idle, where the model counts that
    /// ([`crate::kernel::Frequency::smt`]).
    Shared {
        /// The CPU.
        cpu: CpuId,
        /// How much of the work of a core it does from now on while it is busy, percent.
        percent: u8,
    },
}

/// Why a task left a run queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Off {
    /// It sleeps.
    Sleep,
    /// It sleeps but stays queued until its lag is paid (R4.C.5).
    Delayed,
    /// It had slept and was queued; now its lag is paid (R4.C.6).
    DelayedDone,
    /// It exited.
    Exit,
    /// It goes to another CPU.
    Migrate,
}

/// Why a task changed CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Migration {
    /// Wakeup placement.
    Wakeup,
    /// Fork placement.
    Fork,
    /// Exec placement.
    Exec,
    /// A balance pass.
    Balance(BalanceKind),
    /// A change of affinity or a move made from outside.
    Affinity,
}

/// The figures behind a decision; in the order of the [`Record::Decided`] of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// Behind [`Decision::Pick`].
    Pick(Box<PickEvidence>),
    /// Behind [`Decision::Preempt`].
    Preempt(Box<PreemptEvidence>),
    /// Behind [`Decision::Place`].
    Place(Box<PlaceEvidence>),
    /// Behind [`Decision::ForkPlace`].
    Fork(Box<SlowSeen>),
    /// Behind [`Decision::Balance`].
    Balance(Box<BalanceEvidence>),
    /// The reason says it all ([`Decision::WokenInPlace`], a preemption test after a renice).
    None,
}

/// The figures behind a balance pass.
#[derive(Clone, Debug, PartialEq)]
pub struct BalanceEvidence {
    /// Who balanced what.
    pub pass: Pass,
    /// What came of it.
    pub outcome: Outcome,
    /// What was looked at.
    pub seen: BalanceSeen,
    /// What was moved.
    pub moves: Vec<Move>,
}

/// The figures behind a wakeup placement.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceEvidence {
    /// What came of it.
    pub placement: Placement,
    /// What was looked at, in order.
    pub seen: Seen,
    /// The CPU of the waker.
    pub this_cpu: CpuId,
    /// The CPU the wakee last ran on.
    pub prev_cpu: CpuId,
    /// Who ran on `this_cpu`: the waker, or whom the interrupt hit; `None` is the idle task.
    pub current: Option<TaskId>,
    /// WF_SYNC.
    pub sync: bool,
    /// Where the wakee may run.
    pub allowed: CpuSet,
    /// What was known of the waker.
    pub waker: Waker,
    /// What was known of the wakee.
    pub wakee: Wakee,
    /// Which CPUs were idle, by number.
    pub idle: Vec<bool>,
    /// The idle-core hint of each LLC.
    pub has_idle_cores: Vec<bool>,
    /// load_avg of `this_cpu` and `prev_cpu`.
    pub load: [u64; 2],
    /// `nr_running` of `this_cpu`.
    pub nr_running: u32,
}

/// Where a step writes. Reused from step to step, so that silence costs no allocation.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What happened in the step.
    pub records: Vec<Record>,
    /// One entry for each decision of the step, if asked for.
    pub evidence: Option<Vec<Evidence>>,
}

impl Report {
    /// Records only.
    #[must_use]
    pub fn new() -> Report {
        Report::default()
    }

    /// Records and the evidence of every decision.
    #[must_use]
    pub fn with_evidence() -> Report {
        Report { records: Vec::new(), evidence: Some(Vec::new()) }
    }

    /// Forgets the step before.
    pub fn clear(&mut self) {
        self.records.clear();
        if let Some(list) = &mut self.evidence {
            list.clear();
        }
    }

    /// Whether evidence is wanted.
    #[must_use]
    pub fn wants_evidence(&self) -> bool {
        self.evidence.is_some()
    }

    pub(crate) fn changed(&mut self, change: Change) {
        self.records.push(Record::Changed(change));
    }

    /// Writes down a decision; the figures are made only if they are wanted.
    pub(crate) fn decided(&mut self, decision: Decision, evidence: impl FnOnce() -> Evidence) {
        self.records.push(Record::Decided(decision));
        if let Some(list) = &mut self.evidence {
            list.push(evidence());
        }
    }
}
