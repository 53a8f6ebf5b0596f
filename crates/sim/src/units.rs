//! Units and ids as types: what is a point in time cannot be passed for a length, or a CPU for a
//! task.

use core::fmt;
use core::ops::{Add, AddAssign, Sub};

/// A point in time: nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

/// A length of time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(pub u64);

/// A point in a run queue's virtual time: a wrapping 64-bit counter of nanoseconds at nice 0.
///
/// "Before" is the signed difference (R0.2), so this type has no `Ord`; use [`Vtime::before`] and
/// [`Vtime::since`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Vtime(pub u64);

/// The small load weight of an entity or queue: 1024 is nice 0 (R1.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Weight(pub u64);

/// A nice value, −20 (most weight) … 19 (least).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nice(i8);

/// A latency-nice value, −20 (asks to be served soonest) … 19. A proposal, never mainline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LatencyNice(i8);

/// A logical CPU: a hardware thread, in the kernel's sense.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CpuId(pub u16);

/// A task; also the index of its entity in [`crate::fair::Entities`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(pub u32);

/// A group of tasks that shares CPU time with others as one (a cgroup of the cpu controller).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskGroupId(pub u16);

/// The most CPUs a machine may have.
pub const CPUS_MAX: usize = 1024;
/// The most tasks that may exist during a run, exited ones included.
pub const TASKS_MAX: usize = 8192;

impl Time {
    /// The length of time since `earlier`.
    ///
    /// # Panics
    /// If `earlier` is later than `self`: time never runs backwards here.
    #[must_use]
    pub fn since(self, earlier: Time) -> Span {
        assert!(self.0 >= earlier.0, "time ran backwards: {} after {}", self.0, earlier.0);
        Span(self.0 - earlier.0)
    }
}

impl Add<Span> for Time {
    type Output = Time;
    fn add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Span) {
        *self = *self + other;
    }
}

impl Sub for Span {
    type Output = Span;
    fn sub(self, other: Span) -> Span {
        assert!(self.0 >= other.0, "a length of time below zero: {} - {}", self.0, other.0);
        Span(self.0 - other.0)
    }
}

impl Span {
    /// `n` microseconds.
    #[must_use]
    pub const fn us(n: u64) -> Span {
        Span(n * 1_000)
    }

    /// `n` milliseconds.
    #[must_use]
    pub const fn ms(n: u64) -> Span {
        Span(n * 1_000_000)
    }
}

impl Vtime {
    /// Where every fair queue starts: `min_vruntime` = −2^20 (R0.9.1).
    pub const START: Vtime = Vtime((-(1i64 << 20)) as u64);

    /// The signed distance from `other` to here.
    #[must_use]
    pub const fn since(self, other: Vtime) -> i64 {
        self.0.wrapping_sub(other.0) as i64
    }

    /// Whether this point lies strictly before `other`.
    #[must_use]
    pub const fn before(self, other: Vtime) -> bool {
        self.since(other) < 0
    }

    /// This point moved by a signed distance.
    #[must_use]
    pub const fn plus(self, delta: i64) -> Vtime {
        Vtime(self.0.wrapping_add(delta as u64))
    }

    /// The later of two points.
    #[must_use]
    pub const fn max(self, other: Vtime) -> Vtime {
        if self.before(other) { other } else { self }
    }

    /// The earlier of two points.
    #[must_use]
    pub const fn min(self, other: Vtime) -> Vtime {
        if other.before(self) { other } else { self }
    }

    /// As the signed number that the vectors print.
    #[must_use]
    pub const fn signed(self) -> i64 {
        self.0 as i64
    }
}

/// The values nice and latency-nice may take.
pub const NICE_RANGE: core::ops::RangeInclusive<i8> = -20..=19;

impl Nice {
    /// `None` outside −20 … 19.
    #[must_use]
    pub fn new(value: i8) -> Option<Nice> {
        NICE_RANGE.contains(&value).then_some(Nice(value))
    }

    /// The value, −20 … 19.
    #[must_use]
    pub const fn get(self) -> i8 {
        self.0
    }

    /// The row of this nice value in a 40-entry table.
    #[must_use]
    pub const fn index(self) -> usize {
        (self.0 + 20) as usize
    }
}

impl LatencyNice {
    /// `None` outside −20 … 19.
    #[must_use]
    pub fn new(value: i8) -> Option<LatencyNice> {
        NICE_RANGE.contains(&value).then_some(LatencyNice(value))
    }

    /// The value, −20 … 19.
    #[must_use]
    pub const fn get(self) -> i8 {
        self.0
    }

    /// The row of this value in a 40-entry table.
    #[must_use]
    pub const fn index(self) -> usize {
        (self.0 + 20) as usize
    }
}

impl CpuId {
    /// As an index of a per-CPU table.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl TaskGroupId {
    /// As an index of a per-group table.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl TaskId {
    /// Whether this names no task, but the entity of a group on a CPU (see
    /// [`crate::fair::Entities`]).
    #[must_use]
    pub const fn is_group(self) -> bool {
        self.0 >> 31 == 1
    }

    /// The entity of one of `groups` groups on one of `cpus` CPUs. They are just below 0, modulo
    /// 2^32; `u32::MAX` is left out.
    #[must_use]
    pub const fn of_group(groups: usize, cpus: usize, cpu: CpuId, group: TaskGroupId) -> TaskId {
        let slot = (cpu.index() * groups + group.index()) as u32;
        TaskId(slot.wrapping_sub((groups * cpus) as u32 + 1))
    }

    /// The group of `groups` whose entity this is, with so many CPUs; `None` for a task.
    #[must_use]
    pub const fn group_behind(self, groups: usize, cpus: usize) -> Option<TaskGroupId> {
        if !self.is_group() || groups == 0 {
            return None;
        }
        let first = TaskId::of_group(groups, cpus, CpuId(0), TaskGroupId(0));
        let slot = self.0.wrapping_sub(first.0);
        Some(TaskGroupId((slot % groups as u32) as u16))
    }

    /// As an index of a per-task table.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for CpuId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
