//! From evidence to words: what happened in a step, what was decided, and why, check by check.
//!
//! Plain words in the present tense, the task as the subject, numbers with their units. Every
//! sentence is made from the record and its figures only, so it cannot say anything the engine did
//! not do.

mod balance;
mod event;
mod groups;
mod pick;
mod place;
mod placed;
mod preempt;

use schedscope_sim::domains::Domains;
use schedscope_sim::fair::reason::Resched;
use schedscope_sim::report::{Change, Decision, Evidence, PickCause, Record};
use schedscope_sim::setup::Setup;
use schedscope_sim::units::{CpuId, TaskGroupId, TaskId};

use crate::index::Kinds;

pub use balance::{fold, is_folded};
pub use event::edit;
pub use groups::kind_name;
pub use pick::{level, walk};
pub use place::{code, idle_counts, not_reached};

/// What the sentences need besides the records.
#[derive(Clone, Copy)]
pub struct Cx<'a> {
    /// What the run started from.
    pub setup: &'a Setup,
    /// The sched domains of its machine under its kernel.
    pub domains: &'a Domains,
    /// What people call a task: `D`, `J41`; or, by its entity on any CPU, a group.
    pub name: &'a dyn Fn(TaskId) -> String,
    /// What people call one of the setup's tasks: `D` (a row).
    pub spec_name: &'a dyn Fn(u32) -> String,
}

impl Cx<'_> {
    fn name(&self, task: TaskId) -> String {
        (self.name)(task)
    }

    /// The name of a group of tasks, as its entities have it too.
    fn group_name(&self, group: TaskGroupId) -> String {
        self.name(self.setup.group_entity(CpuId(0), group))
    }

    fn names(&self, tasks: &[TaskId]) -> Vec<String> {
        tasks.iter().map(|&task| self.name(task)).collect()
    }
}

/// One step in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// What happened, as a sentence.
    pub event: String,
    /// The CPU it happened on, if on one.
    pub cpu: Option<CpuId>,
    /// What was decided, in causal order.
    pub decisions: Vec<Told>,
}

/// One decision in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Of which kind; exactly one.
    pub kind: Kinds,
    /// The CPU it was made on or for.
    pub cpu: CpuId,
    /// Whom it is about.
    pub task: Option<TaskId>,
    /// A few words: `D runs next`.
    pub heading: String,
    /// One or two sentences with the numbers.
    pub sentence: String,
    /// What led to it.
    pub cause: String,
    /// The checks in the kernel's order.
    pub checks: Vec<Check>,
    /// The checks from which on the queue is that of [`PickEvidence::after`], in that order: a
    /// delayed task has left.
    ///
    /// [`PickEvidence::after`]: schedscope_sim::fair::evidence::PickEvidence::after
    pub stages: Vec<usize>,
}

/// One check of a decision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// The question, which does not give the answer away.
    pub title: String,
    /// The answer in a few words.
    pub result: String,
    /// The sentence.
    pub sentence: String,
    /// The kernel's expression or function.
    pub kernel: String,
    /// How the answer looks.
    pub mark: Mark,
    /// The CPUs it looked at, in order: the CPU, whether the test held, the vectors' name of the
    /// test.
    pub probes: Vec<(CpuId, bool, String)>,
    /// Tasks it is about.
    pub tasks: Vec<TaskId>,
    /// Whether it was passed over; the result says why.
    pub skipped: bool,
    /// Up to where in virtual time the answer is yes for the first of `tasks`, relative to V, ns.
    pub limit: Option<i64>,
}

/// How the answer of a check looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// Nothing special.
    #[default]
    Plain,
    /// A CPU was found busy.
    Busy,
    /// A CPU was found idle.
    Idle,
    /// It ended the decision.
    Chosen,
    /// Its answer is remembered as a fallback.
    Kept,
    /// No.
    No,
    /// Yes.
    Yes,
}

/// Puts a step into words. `running` is who had each CPU before the step; the evidence is that of
/// the step's decisions, in order (missing evidence means fewer words).
#[must_use]
pub fn step(
    cx: &Cx<'_>,
    records: &[Record],
    evidence: &[Evidence],
    mut running: Vec<Option<TaskId>>,
) -> Step {
    let (event, cpu) = event::sentence(cx, records, &running);
    let mut decisions = Vec::new();
    let mut evidence = evidence.iter();
    // Who came to which CPU in this step, for the cause of a pick.
    let mut came: Vec<(CpuId, TaskId)> = Vec::new();
    for record in records {
        match *record {
            Record::Decided(decision) => {
                if let Decision::Preempt { cpu, woken, verdict, .. } = decision
                    && verdict.reschedules()
                {
                    came.push((cpu, woken));
                }
                let figures = evidence.next().unwrap_or(&Evidence::None);
                decisions.push(decide(cx, &decision, figures, &running, &came));
            }
            Record::Changed(Change::Switched { cpu, next, .. }) => {
                if let Some(slot) = running.get_mut(cpu.index()) {
                    *slot = next;
                }
            }
            Record::Changed(_) | Record::Happened(..) | Record::Edited(..) => {}
        }
    }
    Step { event, cpu, decisions }
}

fn decide(
    cx: &Cx<'_>,
    decision: &Decision,
    evidence: &Evidence,
    running: &[Option<TaskId>],
    came: &[(CpuId, TaskId)],
) -> Told {
    let kind = Kinds::of(decision);
    let told = match *decision {
        Decision::Pick { cpu, prev, next, reason, cause } => {
            let woken = came.iter().rev().find(|(c, _)| *c == cpu).map(|(_, task)| *task);
            let figures = match evidence {
                Evidence::Pick(figures) => Some(&**figures),
                _ => None,
            };
            let facts = pick::Facts { cpu, prev, next, reason, cause };
            let mut told = pick::tell(cx, &facts, figures);
            told.cause = pick_cause(cx, cause, prev, woken);
            told
        }
        Decision::Preempt { cpu, curr, woken, verdict } => {
            let figures = match evidence {
                Evidence::Preempt(figures) => Some(&**figures),
                _ => None,
            };
            preempt::tell(cx, &preempt::Facts { cpu, curr, woken, verdict }, figures)
        }
        Decision::Place { wakee, waker, this_cpu, prev_cpu, cpu, branch } => {
            let facts = place::Facts { wakee, waker, this_cpu, prev_cpu, cpu, branch };
            match evidence {
                Evidence::Place(figures) => place::tell(cx, &facts, figures, running),
                _ => place::tell_briefly(cx, &facts),
            }
        }
        Decision::WokenInPlace { wakee, cpu, replaced } => {
            place::woken_in_place(cx, wakee, cpu, replaced)
        }
        Decision::ForkPlace { task, this_cpu, cpu, exec } => {
            groups::fork(cx, task, this_cpu, cpu, exec, evidence)
        }
        Decision::Balance { cpu, level, kind, verdict, from, moved, active } => {
            let pass = balance::Pass { cpu, level, kind, verdict, from, moved, active };
            balance::balance(cx, &pass, evidence)
        }
    };
    Told { kind, ..told }
}

fn pick_cause(
    cx: &Cx<'_>,
    cause: PickCause,
    prev: Option<TaskId>,
    woken: Option<TaskId>,
) -> String {
    let prev = prev.map_or_else(|| "the running task".to_owned(), |prev| cx.name(prev));
    match cause {
        PickCause::Block => format!("{prev} goes to sleep"),
        PickCause::Exit => format!("{prev} exits"),
        PickCause::Yield => format!("{prev} yields"),
        PickCause::MovedAway => format!("{prev} is moved to another CPU"),
        PickCause::Resched(why) => match (why, woken) {
            (Resched::Idle, Some(woken)) => format!("{} comes to an idle CPU", cx.name(woken)),
            (Resched::Idle, None) => "a task comes to an idle CPU".to_owned(),
            (Resched::RequestDone, _) => format!("{prev} has used its slice"),
            (Resched::NotEligible, _) => {
                format!("{prev} is past its protected request and not eligible")
            }
            (Resched::Unprotected, _) => format!("the protection of {prev} has run out"),
            (Resched::PickedAtTick, _) => {
                format!("at the tick, another than {prev} would be picked")
            }
            (Resched::Preempted, Some(woken)) => {
                format!("wakeup preemption ({} comes)", cx.name(woken))
            }
            (Resched::Preempted, None) => "wakeup preemption".to_owned(),
            (Resched::NiceGrew, _) => format!("the nice of {prev} grows"),
            (Resched::NiceShrank, _) => "the nice of a queued task shrinks".to_owned(),
            (Resched::SliceDone, _) => format!("{prev} has used its slice"),
            (Resched::AheadOfLeftmost, _) => format!("{prev} is ahead of the first waiting task"),
            (Resched::ChildRunsFirst, _) => "a new task is to run before its parent".to_owned(),
            (Resched::HigherClass, _) => "a task of a higher class comes".to_owned(),
            (Resched::Other, _) => "a reschedule is requested".to_owned(),
        },
    }
}
