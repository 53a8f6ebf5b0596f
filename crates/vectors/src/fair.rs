//! Vectors of the fair class: one CPU, one run queue (`vectors/fair/FORMAT.md`).

use serde_json::Value;

use crate::Outcome;

/// Whether a line is a vector of the fair class.
#[must_use]
pub fn recognises(line: &Value) -> bool {
    (line.get("ops").is_some() && line.get("ver").is_some())
        || matches!(
            line.get("kind").and_then(Value::as_str),
            Some("task" | "load" | "latency_nice_rfc_2023")
        )
}

/// Replays one line.
///
/// # Errors
/// If the line misses fields.
pub fn check(_line: Value) -> Result<Outcome, serde_json::Error> {
    todo!()
}
