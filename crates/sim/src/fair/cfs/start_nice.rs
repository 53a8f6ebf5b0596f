//! START_NICE, proposed by Mathieu Desnoyers in September 2010: a reconstruction (R2.13).
//!
//! Instead of starting a new task one slice behind, CPU time counts double for parent and child
//! during their first slice after the fork. The text of the proposal is lost; the rules are the
//! model's own.

use crate::fair::{Entities, Entity, FairCx};
use crate::kernel::Feature;
use crate::units::{Span, TaskId};

/// How many times its CPU time counts: twice while it is penalised (R2.13.4).
pub(super) fn speed(entity: &Entity, cx: FairCx) -> i64 {
    if cx.has(Feature::StartNice) && entity.sum_exec < entity.penalty_end { 2 } else { 1 }
}

/// A fork: the parent's penalty starts, or grows, by its `slice`; the child inherits what is left
/// of it (R2.13.3).
pub(super) fn fork(entities: &mut Entities, slice: Span, parent: TaskId, child: TaskId) {
    let Entity { sum_exec, ref mut penalty_end, .. } = entities[parent];
    *penalty_end = (*penalty_end).max(sum_exec) + slice;
    let left = *penalty_end - sum_exec;
    let child = &mut entities[child];
    child.penalty_end = child.sum_exec + left;
}
