//! How fast a CPU's clock runs: schedutil's request (spec 7.3) and a model of hardware that decides
//! by itself (HWP, spec 7.4).
//!
//! One CPU a policy, frequency-invariant utilisation, any frequency accepted (as intel_pstate and
//! amd-pstate do); no real-time, deadline or interrupt pressure, no uclamp, no iowait boost.

use crate::kernel::{FairGeneration, Frequency};
use crate::units::{Span, Time};

/// The least time between two changes that schedutil asks for (R7.3.2: `amd-pstate`'s).
pub const RATE_LIMIT: Span = Span::us(1000);
/// Over how long the hardware of the HWP model looks at a CPU's busy share (R7.4.1).
pub const HWP_WINDOW: Span = Span::ms(1);

/// What is remembered of a CPU's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Clock {
    /// How fast it runs, kHz. That of an idle CPU is brought up to date when it is used.
    pub khz: u32,
    /// How fast it would run if its package set no limit ([`Frequency::turbo`]).
    pub asked: u32,
    /// How much of its core it has, percent: less than 100 while other threads are busy
    /// ([`Frequency::smt`]).
    pub share: u8,
    /// schedutil: when it last changed.
    pub changed: Time,
    /// schedutil: whether the CPU has been idle since its utilisation was last looked at (R7.3.7).
    pub idled: bool,
    /// HWP: where the window in progress began.
    pub window: Time,
    /// HWP: how long the CPU was busy in that window.
    pub busy: Span,
    /// HWP: up to when `busy` has been counted.
    pub counted: Time,
}

impl Clock {
    /// A CPU that has been idle: at its lowest clock, or always at its highest.
    #[must_use]
    pub fn new(khz: u32) -> Clock {
        Clock {
            khz,
            asked: khz,
            share: 100,
            changed: Time(0),
            idled: false,
            window: Time(0),
            busy: Span(0),
            counted: Time(0),
        }
    }
}

/// The clock schedutil asks for at this utilisation, 0 … 1024, limited to the range, kHz (R7.3.4).
///
/// Up to 6.1 a quarter is added to the utilisation and the result may exceed the range before it is
/// limited; from 6.8 on the utilisation is limited first, and it is the greater of util_avg and
/// runnable_avg ("boost").
#[must_use]
pub fn schedutil(fair: FairGeneration, range: Frequency, util: u32, runnable: u32) -> u32 {
    let boost = fair >= FairGeneration::Eevdf6_8;
    let util = if boost { util.max(runnable) } else { util }.min(1024);
    let wanted = util + (util >> 2);
    let khz = u64::from(range.max_khz) * u64::from(wanted) / 1024;
    khz.clamp(range.min_khz.into(), range.max_khz.into()) as u32
}

/// The clock of the HWP model after a window in which the CPU was busy for `busy` (R7.4.1, model):
/// half the way from where it is to 1.25 · busy share · maximum.
#[must_use]
pub fn hwp(range: Frequency, khz: u32, busy: Span) -> u32 {
    let share = (busy.0 * 5 / 4).min(HWP_WINDOW.0);
    let goal = u64::from(range.max_khz) * share / HWP_WINDOW.0;
    let next = (u64::from(khz) + goal) / 2;
    next.clamp(range.min_khz.into(), range.max_khz.into()) as u32
}

/// How much of a core each of its threads has while `busy` of them are, percent (model).
#[must_use]
pub fn share(range: Frequency, busy: usize) -> u8 {
    match (range.smt, busy) {
        (100, _) | (_, 0 | 1) => 100,
        _ => (2 * usize::from(range.smt) / busy).clamp(1, 100) as u8,
    }
}

/// How much work, in ns at the highest clock, is done in a time at `khz`.
#[must_use]
pub fn work_done(range: Frequency, khz: u32, time: Span) -> Span {
    Span((u128::from(time.0) * u128::from(khz) / u128::from(range.max_khz)) as u64)
}

/// How long so much work takes at `khz`: the least time after which [`work_done`] is at least that.
#[must_use]
pub fn time_for(range: Frequency, khz: u32, work: Span) -> Span {
    let product = u128::from(work.0) * u128::from(range.max_khz);
    Span(product.div_ceil(u128::from(khz)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: Frequency = Frequency {
        smt: 60,
        governor: crate::kernel::Governor::Schedutil,
        min_khz: 400_000,
        max_khz: 3_500_000,
        turbo: crate::kernel::Turbo::NONE,
    };

    /// The worked table of 7.3.
    #[test]
    fn worked_table() {
        for fair in [FairGeneration::Cfs6_1, FairGeneration::Eevdf6_12] {
            let khz = |util| schedutil(fair, RANGE, util, 0);
            assert_eq!(khz(100), 427_246);
            assert_eq!(khz(512), 2_187_500);
            assert_eq!(khz(819), 3_496_582);
            assert_eq!(khz(900), 3_500_000);
        }
        // The worked spreading: the same work on 2, 4 and 8 CPUs.
        let khz = |util| schedutil(FairGeneration::Cfs6_1, RANGE, util, 0);
        assert_eq!([khz(409), khz(204), khz(102)], [1_746_582, 871_582, 434_082]);
    }

    #[test]
    fn hwp_settles_at_the_busy_share() {
        let mut khz = RANGE.min_khz;
        for _ in 0..40 {
            khz = hwp(RANGE, khz, Span(400_000));
        }
        assert!((1_749_990..=1_750_000).contains(&khz), "{khz}");
        for _ in 0..40 {
            khz = hwp(RANGE, khz, Span(1_000_000));
        }
        assert!((3_499_990..=3_500_000).contains(&khz), "{khz}");
    }

    /// A core does 1.2 times the work of one thread, however many of its threads are busy.
    #[test]
    fn threads_share_a_core() {
        let shares = [0, 1, 2, 3, 4, 8].map(|busy| share(RANGE, busy));
        assert_eq!(shares, [100, 100, 60, 40, 30, 15]);
        let off = Frequency { smt: 100, ..RANGE };
        assert_eq!([2, 3].map(|busy| share(off, busy)), [100, 100]);
    }

    #[test]
    fn work_and_time_agree() {
        for khz in [400_000, 800_000, 1_234_567, 3_500_000] {
            for work in [1, 999, 1_000_000, 7_654_321] {
                let time = time_for(RANGE, khz, Span(work));
                assert!(work_done(RANGE, khz, time).0 >= work);
                assert!(work_done(RANGE, khz, Span(time.0 - 1)).0 < work);
            }
        }
    }
}
