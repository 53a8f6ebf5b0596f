//! The API boundary: [`Command`] in, [`Update`] out. Owns the simulation and its history.

pub mod command;
pub mod update;

pub use command::{Command, Edit, Format, Goto, Stride, Who};
pub use update::Update;
