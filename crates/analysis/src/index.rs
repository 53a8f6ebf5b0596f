//! What each step was: its time, and of which kinds. Finds the next and previous step of a kind.

use schedscope_sim::balance::Verdict;
use schedscope_sim::event::Event;
use schedscope_sim::report::{Decision, Record};
use schedscope_sim::units::Time;

/// What a step contained, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Kinds(u8);

impl Kinds {
    /// Nothing.
    pub const NONE: Kinds = Kinds(0);
    /// A pick.
    pub const PICK: Kinds = Kinds(1);
    /// A wakeup placement, or a wakeup of a delayed task where it is.
    pub const PLACEMENT: Kinds = Kinds(2);
    /// A fork placement.
    pub const FORK: Kinds = Kinds(4);
    /// A preemption test.
    pub const PREEMPTION: Kinds = Kinds(8);
    /// A balance pass that found something to pull.
    pub const BALANCE: Kinds = Kinds(16);
    /// A balance pass that found all well.
    pub const BALANCE_IDLE: Kinds = Kinds(32);
    /// A tick.
    pub const TICK: Kinds = Kinds(64);
    /// A change made from outside.
    pub const EDIT: Kinds = Kinds(128);
    /// Any decision worth stopping at: all but a balance pass that found all well.
    pub const DECISION: Kinds = Kinds(1 | 2 | 4 | 8 | 16);
    /// Anything at all.
    pub const ANY: Kinds = Kinds(0xFF);

    /// The kinds of both.
    #[must_use]
    pub const fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    /// Whether the sets share a kind.
    #[must_use]
    pub const fn meets(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    /// What a decision counts as.
    #[must_use]
    pub const fn of(decision: &Decision) -> Kinds {
        match decision {
            Decision::Pick { .. } => Kinds::PICK,
            Decision::Preempt { .. } => Kinds::PREEMPTION,
            Decision::Place { .. } | Decision::WokenInPlace { .. } => Kinds::PLACEMENT,
            Decision::ForkPlace { .. } => Kinds::FORK,
            Decision::Balance { verdict: Verdict::Balanced(_) | Verdict::NotOurs, .. } => {
                Kinds::BALANCE_IDLE
            }
            Decision::Balance { .. } => Kinds::BALANCE,
        }
    }

    fn of_record(record: &Record) -> Kinds {
        match record {
            Record::Happened(_, Event::Tick(_)) => Kinds::TICK,
            Record::Edited(..) => Kinds::EDIT,
            Record::Decided(decision) => Kinds::of(decision),
            Record::Happened(..) | Record::Changed(_) => Kinds::NONE,
        }
    }
}

/// The time and kinds of every step so far. Step 0 is before anything happened, at time 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    times: Vec<u64>,
    kinds: Vec<Kinds>,
}

impl Default for Index {
    fn default() -> Index {
        Index { times: vec![0], kinds: vec![Kinds::NONE] }
    }
}

impl Index {
    /// An index of step 0 only.
    #[must_use]
    pub fn new() -> Index {
        Index::default()
    }

    /// The last step.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.times.len() as u64 - 1
    }

    /// Adds the next step, which happened at `now`.
    pub fn push(&mut self, now: Time, records: &[Record]) {
        let kinds = records.iter().fold(Kinds::NONE, |kinds, r| kinds.or(Kinds::of_record(r)));
        self.times.push(now.0);
        self.kinds.push(kinds);
    }

    /// Forgets all after `step`.
    pub fn truncate(&mut self, step: u64) {
        self.times.truncate(step as usize + 1);
        self.kinds.truncate(step as usize + 1);
    }

    /// When a step happened, ns; the last one's time for steps beyond.
    #[must_use]
    pub fn time(&self, step: u64) -> u64 {
        let last = self.times.len() - 1;
        self.times[(step as usize).min(last)]
    }

    /// What a step contained.
    #[must_use]
    pub fn kinds(&self, step: u64) -> Kinds {
        self.kinds.get(step as usize).copied().unwrap_or(Kinds::NONE)
    }

    /// The first step at or after this time, ns; one past the last if there is none.
    #[must_use]
    pub fn first_at(&self, time: u64) -> u64 {
        self.times.partition_point(|&t| t < time) as u64
    }

    /// The last step at or before this time, ns.
    #[must_use]
    pub fn last_at(&self, time: u64) -> u64 {
        self.times.partition_point(|&t| t <= time).max(1) as u64 - 1
    }

    /// The first step after `step` that contains one of `kinds`, among those known so far.
    #[must_use]
    pub fn next(&self, kinds: Kinds, step: u64) -> Option<u64> {
        let start = usize::try_from(step).ok()?.checked_add(1)?;
        let rest = self.kinds.get(start..)?;
        if kinds == Kinds::ANY {
            return (!rest.is_empty()).then_some(start as u64);
        }
        rest.iter().position(|k| k.meets(kinds)).map(|i| (start + i) as u64)
    }

    /// The last step before `step` that contains one of `kinds`. Step 0 counts as any kind.
    #[must_use]
    pub fn previous(&self, kinds: Kinds, step: u64) -> u64 {
        let end = (step as usize).min(self.kinds.len());
        if kinds == Kinds::ANY {
            return end.saturating_sub(1) as u64;
        }
        self.kinds[..end].iter().rposition(|k| k.meets(kinds)).unwrap_or(0) as u64
    }
}
