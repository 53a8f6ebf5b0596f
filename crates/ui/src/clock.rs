//! When the next step of playing is due. The page asks once a frame; nothing here reads a clock.

use crate::state::{ByStep, Pace};

/// How often a run by events is drawn while it plays, ms.
const REDRAW_MS: f64 = 60.0;
/// No jump is longer than this, even if the page was in the background, ms.
const LONGEST_MS: f64 = 250.0;

/// Measures playing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    last: Option<f64>,
}

/// How long a check stays on the screen while playing, ms.
#[must_use]
pub fn hold_ms(pace: Pace) -> f64 {
    match pace {
        Pace::Slow => 2_400.0,
        Pace::Normal => 1_200.0,
        Pace::Fast => 400.0,
    }
}

/// How much slower than the machine a run by events is played.
#[must_use]
pub fn slower(pace: Pace) -> f64 {
    match pace {
        Pace::Slow => 10_000.0,
        Pace::Normal => 1_000.0,
        Pace::Fast => 100.0,
    }
}

impl Clock {
    /// Whether a step is due at `now` (ms, any origin); if so, how much simulated time has passed,
    /// ns (only meant for playing by events).
    pub fn due(&mut self, now: f64, playing: bool, by: ByStep, pace: Pace) -> Option<u64> {
        if !playing {
            self.last = None;
            return None;
        }
        let Some(last) = self.last else {
            // The first step comes soon, so that one sees that something happens.
            let wait =
                if matches!(by, ByStep::Check | ByStep::Decision) { hold_ms(pace) } else { 0.0 };
            self.last = Some(now - wait * 0.7);
            return None;
        };
        let wait = match by {
            ByStep::Check | ByStep::Decision => hold_ms(pace),
            ByStep::Event | ByStep::Tick => REDRAW_MS,
        };
        if now - last < wait {
            return None;
        }
        self.last = Some(now);
        let passed = (now - last).min(LONGEST_MS);
        Some((passed * 1e6 / slower(pace)) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_held() {
        let mut clock = Clock::default();
        let mut due = |now| clock.due(now, true, ByStep::Check, Pace::Normal).is_some();
        assert!(!due(0.0));
        assert!(!due(300.0));
        assert!(due(400.0));
        assert!(!due(1_500.0));
        assert!(due(1_601.0));
    }

    #[test]
    fn events_follow_the_machine_a_thousand_times_slower() {
        let mut clock = Clock::default();
        assert_eq!(clock.due(0.0, true, ByStep::Event, Pace::Normal), None);
        assert_eq!(clock.due(100.0, true, ByStep::Event, Pace::Normal), Some(100_000));
        // A page that slept does not jump far.
        assert_eq!(clock.due(99_100.0, true, ByStep::Event, Pace::Normal), Some(250_000));
    }

    #[test]
    fn stopping_forgets() {
        let mut clock = Clock::default();
        clock.due(0.0, true, ByStep::Event, Pace::Fast);
        assert_eq!(clock.due(90.0, false, ByStep::Event, Pace::Fast), None);
        assert_eq!(clock.due(5_000.0, true, ByStep::Event, Pace::Fast), None);
    }
}
