//! What goes between the page and its worker.

use schedscope_session::{Command, Update};
use serde::{Deserialize, Serialize};

/// From the page to the worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum Ask {
    /// A command with its number.
    Command(u32, Command),
    /// Die at once (for the test of the card that a dying worker leaves).
    Panic,
    /// Run the benchmark.
    Bench,
}

/// From the worker to the page.
#[derive(Debug, Serialize, Deserialize)]
pub enum Reply {
    /// The worker runs.
    Ready,
    /// The answer to a command.
    Answer(u32, Update),
    /// The worker dies; its last words.
    Panic(String),
    /// The result of the benchmark.
    Bench(String),
}
