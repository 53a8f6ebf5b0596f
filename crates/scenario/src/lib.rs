//! Text formats: scenario TOML, lesson fences, lscpu and hwloc topologies. All problems at once.
//!
//! A scenario is a [`Document`]: plain data, read from TOML or from a link, and made into what the
//! engine runs by [`Document::setup`]. Formats are described in `docs/scenario-format.md` and
//! `docs/topology-files.md`. Nothing here panics on any input, reads a file or knows the time.

mod any;
mod build;
mod check;
pub mod cpu_list;
pub mod document;
pub mod duration;
pub mod face;
mod glossary;
pub mod kernels;
pub mod lesson;
mod lessons;
mod packed;
mod problem;
pub mod program;
mod read;
pub mod topology_file;
mod write;

pub use any::{Text, read_any};
pub use build::Built;
pub use document::Document;
pub use face::Face;
pub use glossary::{explain, glossary};
pub use lesson::Lesson;
pub use lessons::{Entry, Kind, Opening, lesson as lesson_of, lessons};
pub use packed::PACKED_MAX;
pub use problem::{Problem, did_you_mean};
pub use read::{TEXT_MAX, VERSION, read_machine, read_row};
