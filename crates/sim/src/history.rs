//! Going back: sparse snapshots of a run, and the way from one to any step.
//!
//! A run is a function of its setup, so the past need not be kept: a copy of the state every so
//! many steps is enough, and the rest is taken again. The spacing doubles whenever there are too
//! many copies, so a run of any length keeps at most [`SNAPSHOTS_MAX`].

use std::sync::Arc;

use crate::report::Report;
use crate::setup::Input;
use crate::simulation::{Outcome, Simulation, World};
use crate::state::State;

/// The most snapshots that are kept.
pub const SNAPSHOTS_MAX: usize = 96;
/// Steps between snapshots at first.
const SPACING_MIN: u64 = 512;

/// A run with the means to go back in it.
#[derive(Clone, Debug)]
pub struct History {
    /// How far the run has been taken.
    frontier: Simulation,
    /// Where somebody looked last: the next look is often one step further.
    cursor: Simulation,
    /// By step, ascending; the first is the start.
    snapshots: Vec<(u64, State)>,
    spacing: u64,
    ended: bool,
}

impl History {
    /// A run at its very start.
    #[must_use]
    pub fn new(start: Simulation) -> History {
        let snapshots = vec![(start.state().step, start.state().clone())];
        let cursor = start.clone();
        History { frontier: start, cursor, snapshots, spacing: SPACING_MIN, ended: false }
    }

    /// The run as far as it was taken.
    #[must_use]
    pub fn frontier(&self) -> &Simulation {
        &self.frontier
    }

    /// What the run started from.
    #[must_use]
    pub fn world(&self) -> &Arc<World> {
        self.frontier.world()
    }

    /// Whether the run has reached its end.
    #[must_use]
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// Takes the run one step further and tells the report of it.
    pub fn advance(&mut self, report: &mut Report) -> Outcome {
        let outcome = self.frontier.step(report);
        match outcome {
            Outcome::Ended => self.ended = true,
            Outcome::Stepped => self.keep(),
        }
        outcome
    }

    fn keep(&mut self) {
        let step = self.frontier.state().step;
        let last = self.snapshots.last().expect("the start is kept").0;
        if step < last + self.spacing {
            return;
        }
        self.snapshots.push((step, self.frontier.state().clone()));
        if self.snapshots.len() > SNAPSHOTS_MAX {
            self.spacing *= 2;
            let mut i = 0;
            self.snapshots.retain(|_| {
                i += 1;
                i % 2 == 1
            });
        }
    }

    /// The run at a step that was already taken.
    ///
    /// # Panics
    /// If the run was not taken that far.
    pub fn seek(&mut self, step: u64) -> &Simulation {
        self.go(step, &mut Report::new());
        &self.cursor
    }

    /// What a step told, with evidence, and the run after it. Step 0 told nothing.
    ///
    /// # Panics
    /// If the run was not taken that far.
    pub fn explain(&mut self, step: u64, report: &mut Report) -> &Simulation {
        report.clear();
        if step == 0 {
            return self.seek(0);
        }
        self.go(step - 1, &mut Report::new());
        let outcome = self.cursor.step(report);
        assert_eq!(outcome, Outcome::Stepped, "step {step} was taken before");
        &self.cursor
    }

    fn go(&mut self, step: u64, quiet: &mut Report) {
        let taken = self.frontier.state().step;
        assert!(step <= taken, "step {step} of a run taken to {taken}");
        let here = self.cursor.state().step;
        let nearest = self.snapshots.partition_point(|(at, _)| *at <= step) - 1;
        let (at, state) = &self.snapshots[nearest];
        if here > step || here < *at {
            self.cursor = Simulation::at(self.frontier.world().clone(), state.clone());
        }
        while self.cursor.state().step < step {
            let outcome = self.cursor.step(quiet);
            assert_eq!(outcome, Outcome::Stepped, "step {step} was taken before");
        }
    }

    /// The run as it is when `inputs` take the place of the setup's: what came after the first
    /// difference is gone, what came before need not be taken again. The run is at that point
    /// afterwards; returns its step.
    pub fn fork(&mut self, inputs: Vec<Input>) -> u64 {
        let old = &self.world().setup.inputs;
        let same = old.iter().zip(&inputs).take_while(|(a, b)| a == b).count();
        let first = |list: &[Input]| list.get(same).map_or(u64::MAX, |input| input.after_step);
        let keep = first(old).min(first(&inputs)).min(self.frontier.state().step);
        self.seek(keep);
        let mut world = World::clone(self.world());
        world.setup.inputs = inputs;
        self.frontier = Simulation::at(Arc::new(world), self.cursor.state().clone());
        self.cursor = self.frontier.clone();
        self.snapshots.retain(|(at, _)| *at <= keep);
        self.ended = false;
        keep
    }
}
