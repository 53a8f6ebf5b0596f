//! Vectors of the wakeup placement (`vectors/placement/FORMAT.md`).

pub mod machines;

use schedscope_sim::kernel::PlaceGeneration;
use serde_json::Value;

use crate::Outcome;

/// The generation that the vectors call by that name (`v6.12`).
#[must_use]
pub fn generation(name: &str) -> Option<PlaceGeneration> {
    Some(match name {
        "v4.7" => PlaceGeneration::V4_7,
        "v4.15" => PlaceGeneration::V4_15,
        "v4.19" => PlaceGeneration::V4_19,
        "v5.15" => PlaceGeneration::V5_15,
        "v6.6" => PlaceGeneration::V6_6,
        "v6.12" => PlaceGeneration::V6_12,
        _ => return None,
    })
}

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
