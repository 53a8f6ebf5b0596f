//! The axis of virtual time with its origin at V: what it spans, its ticks, and its memory.
//!
//! It is linear, never logarithmic: lag must stay a length. A few tasks far away (nice 19 has
//! deadlines hundreds of ms off) must not flatten all others, so the span follows the middle of the
//! queue and the rest is clipped.

use crate::time_scale::nice_step;
use schedscope_session::update::{PickPicture, PickRow};

/// What an axis spans, ns relative to V. V itself always lies inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Domain {
    /// Left end, negative.
    pub low: i64,
    /// Right end, positive.
    pub high: i64,
    /// Distance of ticks.
    pub step: i64,
}

/// Values beyond this are clipped anyway; keeps sums from overflowing.
const FAR: i64 = 1 << 60;

impl Domain {
    /// The domain for these tasks: all deadlines up to 3 × their median and all vruntimes that are
    /// not further off than those, 2.5 times as far if many are.
    #[must_use]
    pub fn of(rows: &[PickRow]) -> Domain {
        let near = |value: i64| value.clamp(-FAR, FAR);
        let mut reach: Vec<i64> = rows.iter().map(|row| near(row.deadline).abs()).collect();
        schedscope_sim::order::sort(&mut reach);
        let median = reach.get(reach.len() / 2).copied().unwrap_or(0).max(1_000);
        let deadlines = rows.iter().map(|row| near(row.deadline));
        let flags = deadlines.filter(|at| (-median * 3..=median * 3).contains(at));
        let right = flags.clone().max().unwrap_or(median).max(median / 4);
        // One task that is owed very much (nice 19) must not push all others into a corner; where
        // many are, they are the picture.
        let far = rows.iter().filter(|row| near(row.vruntime) < -right).count();
        let left = if far * 4 > rows.len() { right * 5 / 2 } else { right };
        let starts = rows.iter().map(|row| near(row.vruntime));
        let starts = starts.filter(|at| *at >= -left && *at <= right * 3 / 2);
        let low = starts.clone().chain(flags).min().unwrap_or(0).min(0);
        let high = starts.max().unwrap_or(0).max(right);
        Domain::spanning(low, high)
    }

    /// The domain of whole steps around two values, with at least four ticks.
    fn spanning(low: i64, high: i64) -> Domain {
        let (low, high) = (low.min(0), high.max(1));
        let span = high - low;
        let step = nice_step((span / 7).max(1) as u64) as i64;
        let (from, to) = (low - span / 24, high + span / 40);
        // Whole steps, unless that leaves too much of the axis empty.
        let ends = [step, step / 2, step / 4].into_iter().filter(|unit| *unit > 0);
        let mut ends = ends.map(|unit| {
            let (low, high) = (from.div_euclid(unit) * unit, -(-to).div_euclid(unit) * unit);
            Domain { low, high, step }
        });
        let close = |domain: &Domain| (domain.high - domain.low) / 142 <= span / 100;
        ends.clone().find(close).or(ends.next_back()).unwrap_or(Domain {
            low: from,
            high: to,
            step,
        })
    }

    /// The same, reaching at least this far to the right.
    #[must_use]
    pub fn reaching(self, high: i64) -> Domain {
        if high <= self.high {
            return self;
        }
        let unit = (self.step / 4).max(1);
        let high = -(-high).div_euclid(unit) * unit;
        let step = nice_step(((high - self.low) / 8).max(1) as u64) as i64;
        Domain { low: self.low, high, step: step.max(self.step) }
    }

    /// Zoomed about V: 2 shows half as much on each side.
    #[must_use]
    pub fn zoomed(self, factor: f64) -> Domain {
        let factor = factor.clamp(1e-4, 1e4);
        let scaled = |value: i64| ((value as f64 / factor) as i64).clamp(-FAR, FAR);
        let (low, high) = (scaled(self.low).min(-100), scaled(self.high).max(100));
        let step = nice_step(((high - low) / 7).max(1) as u64) as i64;
        Domain { low, high, step }
    }

    /// The ticks inside, V among them.
    pub fn ticks(self) -> impl Iterator<Item = i64> {
        let first = -(-self.low / self.step);
        let last = self.high / self.step;
        (-first.abs()..=last).map(move |n| n * self.step)
    }
}

/// Keeps the domain while one steps inside a decision; a new decision gets a new one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AxisMemory {
    of: Option<((u64, usize), Domain)>,
}

impl AxisMemory {
    /// The domain of this decision of this step.
    pub fn domain(&mut self, step: u64, decision: usize, picture: &PickPicture) -> Domain {
        match self.of {
            Some((key, domain)) if key == (step, decision) => domain,
            _ => {
                let domain = super::pick::domain(picture);
                self.of = Some(((step, decision), domain));
                domain
            }
        }
    }
}

/// A domain laid over pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VirtualAxis {
    /// What it spans.
    pub domain: Domain,
    /// Where it starts, px.
    pub left: f32,
    /// Where it ends, px.
    pub right: f32,
}

impl VirtualAxis {
    /// Where a virtual time relative to V is.
    #[must_use]
    pub fn x(&self, at: i64) -> f32 {
        let ahead = i128::from(at) - i128::from(self.domain.low);
        let span = i128::from(self.domain.high) - i128::from(self.domain.low);
        let share = ahead as f64 / span as f64;
        (f64::from(self.left) + share * f64::from(self.right - self.left)) as f32
    }

    /// Where V is.
    #[must_use]
    pub fn v(&self) -> f32 {
        self.x(0)
    }

    /// Where a virtual time is, held inside the axis.
    #[must_use]
    pub fn x_inside(&self, at: i64) -> f32 {
        self.x(at).clamp(self.left, self.right)
    }

    /// Width of one step of ticks, px.
    #[must_use]
    pub fn step_width(&self) -> f32 {
        self.x(self.domain.step) - self.x(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn row(vruntime: i64, deadline: i64) -> PickRow {
        PickRow {
            group: None,
            task: 0,
            weight: 1024,
            vruntime,
            deadline,
            lag: -vruntime,
            slice: 3_000_000,
            vslice: 3_000_000,
            eligible: vruntime <= 0,
            delayed: false,
            protected: false,
            curr: false,
            gone: false,
            offset: 0,
        }
    }

    #[test]
    fn the_board_spans_minus_four_to_ten() {
        let rows = [
            row(310_000, 1_100_000),
            row(920_000, 2_000_000),
            row(-220_000, 2_780_000),
            row(770_000, 3_520_000),
            row(-1_990_000, 7_000_000),
            row(-1_260_000, 7_910_000),
            row(4_270_000, 28_590_000),
        ];
        let domain = Domain::of(&rows);
        assert_eq!(domain, Domain { low: -4 * MS, high: 10 * MS, step: 2 * MS });
        let ticks: Vec<i64> = domain.ticks().map(|at| at / MS).collect();
        assert_eq!(ticks, [-4, -2, 0, 2, 4, 6, 8, 10]);
    }

    #[test]
    fn every_domain_holds_v_and_four_ticks() {
        for scale in [1, 50, 1_000, 100_000, 3_000_000, 204_000_000, i64::MAX / 8] {
            for spread in [0i64, 1, 3, -2, -900] {
                let rows: Vec<PickRow> = (0..5)
                    .map(|i| row(spread.saturating_mul(scale / 7) / 8 * i, scale + i))
                    .collect();
                let domain = Domain::of(&rows);
                assert!(domain.low < 0 && domain.high > 0, "{domain:?}");
                assert!((4..=12).contains(&domain.ticks().count()), "{domain:?}");
                assert!(domain.ticks().any(|at| at == 0));
            }
        }
        assert!(Domain::of(&[]).ticks().count() >= 4);
    }

    #[test]
    fn memory_lasts_as_long_as_the_decision() {
        let picture = |at| PickPicture { rows: vec![row(0, at)], ..PickPicture::default() };
        let mut memory = AxisMemory::default();
        let first = memory.domain(7, 0, &picture(3 * MS));
        assert_eq!(memory.domain(7, 0, &picture(300 * MS)), first);
        assert_ne!(memory.domain(7, 1, &picture(300 * MS)), first);
    }

    #[test]
    fn zoom_is_about_v() {
        let axis = |domain| VirtualAxis { domain, left: 0.0, right: 700.0 };
        let domain = Domain { low: -4 * MS, high: 10 * MS, step: 2 * MS };
        let near = domain.zoomed(2.0);
        assert_eq!(near, Domain { low: -2 * MS, high: 5 * MS, step: MS });
        assert_eq!(axis(domain).v(), axis(near).v());
        assert_eq!(axis(domain).x(10 * MS), 700.0);
        assert_eq!(axis(domain).x_inside(i64::MAX), 700.0);
    }
}
