//! The engine: the Linux CPU scheduler as a deterministic discrete-event simulation.
//!
//! Pure, integer and silent: no text for people, no clock, no file, no float, no dependency. What a
//! run starts from is a [`setup::Setup`]; all that changes is a [`state::State`]; a
//! [`simulation::Simulation`] takes one to the next, one event a step.
//! Rules are cited as in `spec/kernel.md` (`R4.B.6`).

#![deny(clippy::float_arithmetic)]

pub mod balance;
pub mod cpu_set;
pub mod cpufreq;
pub mod domains;
pub mod event;
pub mod fair;
pub mod history;
pub mod kernel;
pub mod machines;
pub mod order;
pub mod pelt;
pub mod place;
pub mod program;
pub mod report;
pub mod rng;
pub mod run_queue;
pub mod setup;
pub mod simulation;
pub mod state;
pub mod topology;
pub mod units;
