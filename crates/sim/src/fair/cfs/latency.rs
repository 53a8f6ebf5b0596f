//! Latency-nice for CFS, version 7 of the series "Add latency priority for CFS class", 28 October
//! 2022 (spec 3.2). A proposal, never mainline.
//!
//! A latency-nice is an offset of vruntime that counts only where two entities are compared: at a
//! wakeup, at the tick, and at a pick, which looks into a second tree of those with a negative
//! offset.

use super::{Generation, sleeper_credit};
use crate::fair::tree::ByLatency;
use crate::fair::{Entities, Entity, FairCx, FairQueue};
use crate::units::{LatencyNice, TaskId};

/// Weight by latency-nice, row = latency-nice + 20: round(51.2 · latency-nice) (R3.2.2). The ends
/// differ.
pub(crate) const WEIGHTS: [i16; 40] = [
    -1024, -973, -922, -870, -819, -768, -717, -666, -614, -563, -512, -461, -410, -358, -307,
    -256, -205, -154, -102, -51, 0, 51, 102, 154, 205, 256, 307, 358, 410, 461, 512, 563, 614, 666,
    717, 768, 819, 870, 922, 973,
];

/// The offset of a latency-nice value: that part of a sleeper's credit, toward zero (R3.2.4), ns.
pub(crate) fn offset_of(latency_nice: LatencyNice, cx: FairCx) -> i64 {
    i64::from(WEIGHTS[latency_nice.index()]) * sleeper_credit(cx) / 1024
}

/// Computes an entity's offset from its latency-nice. The entity must not be queued.
pub(crate) fn set_offset(entity: &mut Entity, cx: FairCx) {
    entity.latency_offset = offset_of(entity.latency_nice, cx);
}

/// The most that offset and granularity may ask for: a full sleeper's credit less the minimum
/// granularity (R3.2.3), ns.
pub(crate) fn limit(cx: FairCx) -> i64 {
    sleeper_credit(cx) - cx.kernel.cfs.min_granularity.0 as i64
}

/// The offset that counts between two entities (R3.2.5), ns: that of `other`, less that of `curr`
/// if either is negative. `None` without latency-nice.
pub(super) fn offset<G: Generation>(curr: &Entity, other: &Entity, cx: FairCx) -> Option<i64> {
    if !G::LATENCY_NICE {
        return None;
    }
    let mut offset = other.latency_offset;
    if offset < 0 || curr.latency_offset < 0 {
        offset -= curr.latency_offset;
    }
    Some(offset.min(limit(cx)))
}

/// An entity was put into the main tree; one with a negative offset goes into the second tree too,
/// if it just woke, or ran for less than the minimum granularity since it was picked (R3.2.9).
pub(super) fn insert(
    queue: &mut FairQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    wakes: bool,
) {
    let entity = &entities[task];
    let short = entity.sum_exec - entity.prev_sum_exec < cx.kernel.cfs.min_granularity;
    if entity.latency_offset < 0 && (wakes || short) && !entity.in_latency_tree {
        queue.latency_tree.insert::<ByLatency>(entities, task);
        entities[task].in_latency_tree = true;
    }
}

/// Takes an entity out of the second tree, if it is in it.
pub(super) fn remove<G: Generation>(queue: &mut FairQueue, entities: &mut Entities, task: TaskId) {
    if G::LATENCY_NICE {
        queue.leave_latency_tree(entities, task);
    }
}
