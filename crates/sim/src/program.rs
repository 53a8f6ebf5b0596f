//! What a task does: a flat list of operations with jumps, so that "where it is" is one number.

use crate::rng::Rng;
use crate::units::{CpuId, Span};

/// A place where tasks wait and are woken: a counting semaphore, like a pipe's bytes or a futex
/// with a remembered wake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelId(pub u16);

impl ChannelId {
    /// The channel of a CPU, of a run of channels that begins with this one, CPU 0's.
    #[must_use]
    pub fn of_cpu(self, cpu: CpuId) -> ChannelId {
        ChannelId(self.0 + cpu.0)
    }
}

/// Which entry of [`crate::setup::Setup::tasks`] a forked child is made from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpecId(pub u32);

/// A length of time, fixed or drawn from the run's generator. All figures in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dist {
    /// Always the same.
    Fixed(Span),
    /// Each value of `lo ..= hi` equally likely.
    Uniform {
        /// The smallest value.
        lo: Span,
        /// The largest value.
        hi: Span,
    },
    /// Exponential with this mean: many short, a few long; cut at 16 means.
    Exponential {
        /// The mean.
        mean: Span,
    },
}

impl Dist {
    /// Draws a value, at least 1 ns.
    pub fn draw(self, rng: &mut Rng) -> Span {
        let span = match self {
            Dist::Fixed(span) => span,
            Dist::Uniform { lo, hi } => Span(rng.range(lo.0, hi.0)),
            Dist::Exponential { mean } => Span(rng.exponential(mean.0)),
        };
        span.max(Span(1))
    }
}

/// One operation of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Needs this much CPU time.
    Run(Dist),
    /// Sleeps for a time, by a timer armed on the CPU where it goes to sleep (A2).
    Sleep(Dist),
    /// Sleeps until the next multiple of the period since the task's start; goes on at once if it
    /// is late.
    Timer(Span),
    /// Waits until it is woken through the channel; goes on at once if a wake is stored.
    Wait(ChannelId),
    /// Wakes up to `count` waiters; wakes that find no waiter are stored (A3).
    Wake {
        /// Where the waiters are.
        channel: ChannelId,
        /// How many to wake.
        count: u32,
        /// Whether the waker says that it is about to sleep (WF_SYNC: pipes, sockets).
        sync: bool,
    },
    /// Waits on the channel of the CPU where it is carried out: the one so many after this.
    WaitHere(ChannelId),
    /// Wakes one through the channel of the waker's CPU: the one so many after `first`.
    WakeHere {
        /// The channel of CPU 0; those of the other CPUs follow.
        first: ChannelId,
        /// Whether the waker says that it is about to sleep (WF_SYNC).
        sync: bool,
    },
    /// Starts a child.
    Fork(SpecId),
    /// `exec()`: the task has no memory worth staying for and may be moved (R5.6.12).
    Exec,
    /// `sched_yield()`.
    Yield,
    /// Ends the task.
    Exit,
    /// Jumps back to `to`, `times` times (`None`: for ever), then goes on. `slot` counts.
    Repeat {
        /// The operation to jump to, before this one.
        to: u16,
        /// How often to jump in all.
        times: Option<u32>,
        /// Which of the task's loop counters this loop uses, below [`LOOPS_MAX`].
        slot: u8,
    },
}

/// How deep counted loops may nest.
pub const LOOPS_MAX: usize = 4;

/// What a task does from its start to its end; past the last operation it exits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Program {
    /// The operations in order.
    pub ops: Vec<Op>,
}
