//! The only place where nanoseconds of the run meet pixels: the scale, zoom, pan and ruler ticks.

/// The shortest stretch that can be shown, ns.
pub const SHORTEST: u64 = 2_000;

/// A stretch of the run, ns. It is never shorter than [`SHORTEST`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// From, ns.
    pub from: u64,
    /// To, ns.
    pub to: u64,
}

impl Stretch {
    /// The stretch between two times, made longer if it is too short.
    #[must_use]
    pub fn new(from: u64, to: u64) -> Stretch {
        Stretch { from, to: to.max(from.saturating_add(SHORTEST)) }
    }

    /// The whole run.
    #[must_use]
    pub fn whole(end: u64) -> Stretch {
        Stretch::new(0, end)
    }

    /// Its length, ns.
    #[must_use]
    pub fn length(self) -> u64 {
        self.to - self.from
    }

    /// Whether a time lies in it.
    #[must_use]
    pub fn contains(self, time: u64) -> bool {
        (self.from..=self.to).contains(&time)
    }

    /// This length from this start, moved to lie inside the run.
    #[must_use]
    fn placed(from: i128, length: u64, end: u64) -> Stretch {
        let length = length.clamp(SHORTEST, end.max(SHORTEST));
        let last = i128::from(end.max(length) - length);
        let from = from.clamp(0, last) as u64;
        Stretch { from, to: from + length }
    }

    /// Zoomed by a factor (2 shows half as much) so that the time `at` stays where it is.
    #[must_use]
    pub fn zoomed(self, factor: f64, at: u64, end: u64) -> Stretch {
        let length = self.length() as f64 / factor.max(1e-9);
        let length = length.clamp(SHORTEST as f64, end.max(SHORTEST) as f64).round() as u64;
        let at = at.clamp(self.from, self.to);
        let before = (at - self.from) as f64 / self.length() as f64;
        let from = i128::from(at) - (before * length as f64).round() as i128;
        Stretch::placed(from, length, end)
    }

    /// Moved by so many ns, later if positive, as far as the run goes.
    #[must_use]
    pub fn panned(self, by: i64, end: u64) -> Stretch {
        Stretch::placed(i128::from(self.from) + i128::from(by), self.length(), end)
    }

    /// Moved, if need be, so that a time is in view with some room around it: what *follow the
    /// playhead* does. Nothing happens while it is in the middle 80 %.
    #[must_use]
    pub fn following(self, time: u64, end: u64) -> Stretch {
        let margin = self.length() / 10;
        if time >= self.from + margin.min(time) && time + margin <= self.to {
            return self;
        }
        Stretch::placed(i128::from(time) - i128::from(self.length() / 3), self.length(), end)
    }

    /// A piece of the run with room around it: what a double-click on a bar shows.
    #[must_use]
    pub fn around(from: u64, to: u64, end: u64) -> Stretch {
        let length = to.saturating_sub(from).max(SHORTEST / 2);
        Stretch::placed(i128::from(from) - i128::from(length / 2), length * 2, end)
    }
}

/// A stretch of time laid over a stretch of pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeScale {
    /// The time shown.
    pub stretch: Stretch,
    /// Where it starts, px.
    pub left: f32,
    /// Where it ends, px.
    pub right: f32,
}

impl TimeScale {
    /// The scale that shows a stretch between two x.
    #[must_use]
    pub fn new(stretch: Stretch, left: f32, right: f32) -> TimeScale {
        TimeScale { stretch, left, right: right.max(left + 1.0) }
    }

    /// Where a time is; outside of the stretch it is outside of the pixels.
    #[must_use]
    pub fn x(&self, time: u64) -> f32 {
        let ahead = i128::from(time) - i128::from(self.stretch.from);
        let share = ahead as f64 / self.stretch.length() as f64;
        (f64::from(self.left) + share * f64::from(self.right - self.left)) as f32
    }

    /// Where a time is, held inside the pixels.
    #[must_use]
    pub fn x_inside(&self, time: u64) -> f32 {
        self.x(time).clamp(self.left, self.right)
    }

    /// The time at an x, held inside the stretch.
    #[must_use]
    pub fn time(&self, x: f32) -> u64 {
        let share = f64::from(x - self.left) / f64::from(self.right - self.left);
        let ahead = (share.clamp(0.0, 1.0) * self.stretch.length() as f64).round() as u64;
        (self.stretch.from + ahead).min(self.stretch.to)
    }

    /// How much time a pixel is, ns.
    #[must_use]
    pub fn per_pixel(&self) -> f64 {
        self.stretch.length() as f64 / f64::from(self.right - self.left)
    }

    /// The distance of two times in px.
    #[must_use]
    pub fn width(&self, length: u64) -> f32 {
        (length as f64 / self.per_pixel()) as f32
    }

    /// Ruler ticks that are at least `gap` px apart: their step (1, 2, 4 or 5 of a power of ten)
    /// and their times.
    #[must_use]
    pub fn ticks(&self, gap: f32) -> (u64, Vec<u64>) {
        let step = nice_step((self.per_pixel() * f64::from(gap)).ceil() as u64);
        let first = self.stretch.from.div_ceil(step) * step;
        (step, (first..=self.stretch.to).step_by(step as usize).collect())
    }
}

/// The smallest of 1, 2, 4, 5, 10, 20, … that is not smaller than `least`.
#[must_use]
pub fn nice_step(least: u64) -> u64 {
    let mut power = 1u64;
    loop {
        for digit in [1, 2, 4, 5] {
            if digit * power >= least {
                return digit * power;
            }
        }
        power *= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn time_and_pixels_are_inverse() {
        let scale = TimeScale::new(Stretch::new(74 * MS, 98 * MS), 280.0, 1424.0);
        assert_eq!(scale.x(74 * MS), 280.0);
        assert_eq!(scale.x(98 * MS), 1424.0);
        assert!(scale.x(0) < 280.0);
        assert_eq!(scale.x_inside(0), 280.0);
        for time in [74 * MS, 80 * MS + 123_456, 98 * MS] {
            assert!(scale.time(scale.x(time)).abs_diff(time) < 2_000);
        }
        assert_eq!(scale.time(0.0), 74 * MS);
        assert_eq!(scale.time(9999.0), 98 * MS);
    }

    #[test]
    fn zoom_keeps_the_time_under_the_pointer() {
        let end = 100 * MS;
        let stretch = Stretch::new(20 * MS, 60 * MS);
        let at = 30 * MS;
        let near = stretch.zoomed(2.0, at, end);
        assert_eq!(near, Stretch::new(25 * MS, 45 * MS));
        assert_eq!(near.zoomed(0.5, at, end), stretch);
        assert_eq!(stretch.zoomed(1e9, at, end).length(), SHORTEST);
        assert_eq!(stretch.zoomed(1e-9, at, end), Stretch::whole(end));
    }

    #[test]
    fn pan_stops_at_both_ends() {
        let end = 100 * MS;
        let stretch = Stretch::new(20 * MS, 60 * MS);
        assert_eq!(stretch.panned(5 * MS as i64, end), Stretch::new(25 * MS, 65 * MS));
        assert_eq!(stretch.panned(i64::MIN, end), Stretch::new(0, 40 * MS));
        assert_eq!(stretch.panned(i64::MAX, end), Stretch::new(60 * MS, 100 * MS));
        assert_eq!(Stretch::whole(0), Stretch::new(0, SHORTEST));
        assert_eq!(Stretch::whole(0).panned(7, 0), Stretch::whole(0));
    }

    #[test]
    fn following_moves_only_when_the_playhead_leaves() {
        let end = 100 * MS;
        let stretch = Stretch::new(20 * MS, 60 * MS);
        assert_eq!(stretch.following(40 * MS, end), stretch);
        assert!(stretch.following(59 * MS, end).contains(59 * MS));
        assert!(stretch.following(99 * MS, end).contains(99 * MS));
        assert!(stretch.following(0, end).contains(0));
        assert_eq!(Stretch::new(0, 40 * MS).following(0, end), Stretch::new(0, 40 * MS));
        assert_eq!(Stretch::around(40 * MS, 44 * MS, end), Stretch::new(38 * MS, 46 * MS));
    }

    #[test]
    fn ticks_are_one_two_four_or_five() {
        let scale = TimeScale::new(Stretch::new(74 * MS + 1, 98 * MS), 0.0, 1144.0);
        let (step, ticks) = scale.ticks(70.0);
        assert_eq!(step, 2 * MS);
        assert_eq!((ticks[0], ticks.len()), (76 * MS, 12));
        let steps: Vec<u64> = [1, 3, 5, 6, 11, 21, 401].map(nice_step).to_vec();
        assert_eq!(steps, [1, 4, 5, 10, 20, 40, 500]);
    }
}
