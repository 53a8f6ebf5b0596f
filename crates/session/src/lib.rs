//! The API boundary: [`Command`] in, [`Update`] out. Owns the simulation and its history.

pub mod command;
pub mod kernel;
pub mod machine;
pub mod update;
pub mod wire;

pub use command::{Command, Edit, Format, Goto, Stride, Who};
pub use update::Update;
