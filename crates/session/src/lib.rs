//! The API boundary: [`Command`] in, [`Update`] out. Owns the simulation and its history.

pub mod bench;
mod beside;
pub mod command;
mod edit;
mod figures;
pub mod kernel;
mod lesson;
pub mod machine;
mod moment;
mod names;
mod picture;
pub mod rehearse;
mod run;
mod session;
mod table;
pub mod update;
mod walk;
pub mod wire;

pub use command::{Command, Edit, Format, Goto, Stride, Who};
pub use schedscope_sim::order;
pub use session::{Session, Whereabouts};
pub use update::Update;
