//! Vectors of the wakeup placement.

use serde_json::Value;

use crate::Outcome;

/// Whether a line is a placement vector.
#[must_use]
pub fn recognises(_line: &Value) -> bool {
    false
}

/// Replays one line.
///
/// # Errors
/// If the line misses fields.
pub fn check(_line: Value) -> Result<Outcome, serde_json::Error> {
    todo!()
}
