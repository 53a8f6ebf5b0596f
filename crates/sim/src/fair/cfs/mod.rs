//! CFS: the completely fair scheduler, in the generations 2.6.36 (spec ch. 2) and 6.1 (ch. 3.1).
//!
//! Functions are named after the kernel's. `G` is the generation; where the generations differ, an
//! `if G::V6_1` says so. Here is what queues and charges; `pick` chooses and preempts, `change`
//! changes attributes, `latency` is latency-nice of October 2022, and `start_nice` a proposal of
//! 2010.

mod change;
pub(crate) mod latency;
mod pick;
mod start_nice;

use super::reason::{Dequeue, Dequeued, Enqueue, Resched};
use super::tree::ByVruntime;
use super::{Entities, Entity, FairCx, FairQueue, weight};
use crate::kernel::Feature;
use crate::run_queue::RunQueue;
use crate::units::{Span, TaskId, Vtime};

pub(crate) use change::{reweight, set_attr, set_latency_nice, set_user_nice};
pub(crate) use pick::{
    attempt, keeps_curr_outside, latency_offset, near_tests, pick_next_task, preempt_threshold,
    prepare_pick, task_tick, wakeup_preempt,
};

/// A generation of CFS.
pub(crate) trait Generation {
    /// Whether the rules of 6.1 hold.
    const V6_1: bool;
    /// Whether the rules of latency-nice, version 7, hold on top of them.
    const LATENCY_NICE: bool = false;
}

/// Linux 2.6.36.
pub(crate) struct V2_6_36;
/// Linux 6.1.
pub(crate) struct V6_1;
/// Linux 6.1 with latency-nice, version 7 of October 2022.
pub(crate) struct V6_1LatencyNice;

impl Generation for V2_6_36 {
    const V6_1: bool = false;
}

impl Generation for V6_1 {
    const V6_1: bool = true;
}

impl Generation for V6_1LatencyNice {
    const V6_1: bool = true;
    const LATENCY_NICE: bool = true;
}

/// CPU time as virtual time of an entity (R1.3.3, R1.4.3).
fn virtual_time<G: Generation>(entity: &Entity, span: Span) -> i64 {
    if G::V6_1 {
        entity.virtual_time(span)
    } else {
        let (weight, inverse) = (entity.weight(), entity.inverse());
        weight::calc_delta_fair_2_6_36(span.0, weight, inverse) as i64
    }
}

/// Charges the running task for the time since it was last charged (R2.3.2).
pub(crate) fn update_curr<G: Generation>(rq: &mut RunQueue, entities: &mut Entities, cx: FairCx) {
    let Some(curr) = rq.fair.curr else { return };
    let entity = &mut entities[curr];
    if cx.now <= entity.exec_start {
        return;
    }
    let delta = cx.now.since(entity.exec_start);
    entity.exec_start = cx.now;
    let speed = start_nice::speed(entity, cx);
    entity.sum_exec += delta;
    entity.vruntime = entity.vruntime.plus(speed * virtual_time::<G>(entity, delta));
    update_min_vruntime::<G>(&mut rq.fair, entities);
}

/// Moves `min_vruntime` forward to the smallest vruntime (R2.4.1). In 2.6.36 the running task
/// counts even when it just blocked (R3.1.5).
fn update_min_vruntime<G: Generation>(queue: &mut FairQueue, entities: &Entities) {
    let curr = if G::V6_1 { queue.queued_curr(entities) } else { queue.curr };
    let vruntime = |task: TaskId| entities[task].vruntime;
    match (curr.map(vruntime), queue.tree.first().map(vruntime)) {
        (Some(curr), Some(first)) => queue.advance_min(curr.min(first)),
        (Some(least), None) | (None, Some(least)) => queue.advance_min(least),
        (None, None) => {}
    }
}

/// The time in which each of `running` entities should run once (R2.5.1).
fn period_of(cx: FairCx, running: u32) -> Span {
    let cfs = &cx.kernel.cfs;
    if running > cfs.nr_latency {
        Span(u64::from(running) * cfs.min_granularity.0)
    } else {
        cfs.latency
    }
}

/// How many count for the period: all tasks of the CPU with ALT_PERIOD, otherwise the entities of
/// this queue (R2.5.2, R3.1.2).
fn running<G: Generation>(queue: &FairQueue, cx: FairCx) -> u32 {
    match queue.hierarchy {
        Some(hierarchy) if G::V6_1 && cx.has(Feature::AltPeriod) => hierarchy.tasks,
        _ => queue.nr_running,
    }
}

/// The time in which everybody queued should run once (R2.5.1).
pub(crate) fn period<G: Generation>(queue: &FairQueue, cx: FairCx) -> Option<Span> {
    Some(period_of(cx, running::<G>(queue, cx)))
}

/// The CPU time an entity should get in a period: its part of that of its group, if it is in one
/// (R2.5.2, R3.1.3).
pub(crate) fn sched_slice<G: Generation>(
    queue: &FairQueue,
    entities: &Entities,
    cx: FairCx,
    task: TaskId,
) -> Span {
    let entity = &entities[task];
    let (mut running, mut load) = (running::<G>(queue, cx), queue.load);
    if !entity.on_rq {
        running += 1;
        load += u64::from(entity.weight());
    }
    let mut slice = share::<G>(period_of(cx, running), entity.weight(), load);
    if let Some((weight, load)) = queue.hierarchy.and_then(|hierarchy| hierarchy.above) {
        slice = share::<G>(slice, weight, load);
    }
    let floor = G::V6_1 && cx.has(Feature::BaseSlice);
    if floor { slice.max(cx.kernel.cfs.min_granularity) } else { slice }
}

/// The part of a time that a weight has in a load.
fn share<G: Generation>(time: Span, weight: u32, load: u64) -> Span {
    if G::V6_1 {
        Span(weight::calc_delta(time.0, weight, load))
    } else {
        let inverse = weight::inverse_of_2_6_36(load);
        Span(weight::calc_delta_2_6_36(time.0, weight, inverse))
    }
}

/// By how much a sleeper is placed before `min_vruntime` (R2.6.3), ns of virtual time.
pub(super) fn sleeper_credit(cx: FairCx) -> i64 {
    (cx.kernel.cfs.latency.0 >> u32::from(cx.has(Feature::GentleFairSleepers))) as i64
}

/// Gives a new or woken entity its vruntime; never backwards (R2.6, R3.1.4).
fn place_entity<G: Generation>(
    queue: &FairQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    initial: bool,
) {
    let mut place = queue.min_vruntime;
    if !initial {
        place = place.plus(-sleeper_credit(cx));
    } else if cx.has(Feature::StartDebit) && !cx.has(Feature::StartNice) {
        let slice = sched_slice::<G>(queue, entities, cx, task);
        place = place.plus(virtual_time::<G>(&entities[task], slice));
    }
    let entity = &mut entities[task];
    entity.vruntime = entity.vruntime.max(place);
}

/// Puts an entity into the tree and its sums.
fn tree_insert(queue: &mut FairQueue, entities: &mut Entities, task: TaskId) {
    queue.add_average(&entities[task]);
    queue.tree.insert::<ByVruntime>(entities, task);
}

/// Takes an entity out of the tree and its sums.
fn tree_remove(queue: &mut FairQueue, entities: &mut Entities, task: TaskId) {
    queue.tree.remove::<ByVruntime>(entities, task);
    queue.sub_average(&entities[task]);
}

/// Puts a task onto the queue (R2.7). The preemption test is the caller's.
pub(crate) fn enqueue_task<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    how: Enqueue,
) {
    let is_curr = rq.fair.curr == Some(task);
    if G::V6_1 && !is_curr {
        update_curr::<G>(rq, entities, cx);
        make_absolute(&rq.fair, &mut entities[task]);
    } else {
        make_absolute(&rq.fair, &mut entities[task]);
        update_curr::<G>(rq, entities, cx);
    }
    if G::LATENCY_NICE && how == Enqueue::Fork {
        latency::set_offset(&mut entities[task], cx);
    }
    let wakes = matches!(how, Enqueue::Wakeup | Enqueue::WakeupMigrated);
    if wakes {
        place_entity::<G>(&rq.fair, entities, cx, task, false);
    }
    rq.account_enqueue(entities, task);
    if !is_curr {
        tree_insert(&mut rq.fair, entities, task);
        if G::LATENCY_NICE {
            latency::insert(&mut rq.fair, entities, cx, task, wakes);
        }
    }
    entities[task].on_rq = true;
}

/// Takes a task off the queue (R2.7.3, R3.1.7).
pub(crate) fn dequeue_task<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    why: Dequeue,
) -> Dequeued {
    update_curr::<G>(rq, entities, cx);
    rq.fair.clear_buddies(task);
    if rq.fair.curr != Some(task) {
        tree_remove(&mut rq.fair, entities, task);
        latency::remove::<G>(&mut rq.fair, entities, task);
    }
    entities[task].on_rq = false;
    rq.account_dequeue(entities, task);
    let moves = matches!(why, Dequeue::Move | Dequeue::Save);
    if !G::V6_1 {
        update_min_vruntime::<G>(&mut rq.fair, entities);
    }
    if moves {
        make_relative(&rq.fair, &mut entities[task]);
    }
    if G::V6_1 && why != Dequeue::Save {
        update_min_vruntime::<G>(&mut rq.fair, entities);
    }
    Dequeued::Done
}

/// Gives the CPU to a task: out of the tree, its slice starts anew (R2.10.4).
pub(crate) fn set_next_task<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
) {
    if G::V6_1 {
        rq.fair.clear_buddies(task);
    }
    if entities[task].on_rq {
        tree_remove(&mut rq.fair, entities, task);
        latency::remove::<G>(&mut rq.fair, entities, task);
        rq.list_to_head(entities, task);
    }
    let entity = &mut entities[task];
    entity.exec_start = cx.now;
    entity.prev_sum_exec = entity.sum_exec;
    rq.fair.curr = Some(task);
}

/// Takes the CPU from the running task: back into the tree, if it is queued.
pub(crate) fn put_prev_task<G: Generation>(rq: &mut RunQueue, entities: &mut Entities, cx: FairCx) {
    let Some(prev) = rq.fair.curr else { return };
    if entities[prev].on_rq {
        update_curr::<G>(rq, entities, cx);
        tree_insert(&mut rq.fair, entities, prev);
        if G::LATENCY_NICE {
            latency::insert(&mut rq.fair, entities, cx, prev, false);
        }
    }
    rq.fair.curr = None;
}

/// CFS protects nobody.
pub(crate) fn protected<G: Generation>(_: &Entity, _: FairCx) -> bool {
    false
}

/// Nothing is ever delayed in CFS.
pub(crate) fn requeue_delayed<G: Generation>(
    _: &mut RunQueue,
    _: &mut Entities,
    _: FairCx,
    task: TaskId,
) {
    unreachable!("CFS delayed the dequeue of task {task}");
}

/// Nothing is ever delayed in CFS.
pub(crate) fn complete_dequeue<G: Generation>(
    _: &mut RunQueue,
    _: &mut Entities,
    _: FairCx,
    task: TaskId,
) {
    unreachable!("CFS delayed the dequeue of task {task}");
}

/// `sched_yield()` (R2.12).
pub(crate) fn yield_task<G: Generation>(rq: &mut RunQueue, entities: &mut Entities, cx: FairCx) {
    let Some(curr) = rq.fair.curr else { return };
    let running = if G::V6_1 { rq.nr_running } else { rq.fair.nr_running };
    if running == 1 {
        return;
    }
    rq.fair.clear_buddies(curr);
    if G::V6_1 {
        update_curr::<G>(rq, entities, cx);
        rq.fair.skip = Some(curr);
    } else if !cx.kernel.cfs.compat_yield {
        update_curr::<G>(rq, entities, cx);
    } else if let Some(last) = rq.fair.tree.last(entities) {
        let rightmost = entities[last].vruntime;
        let entity = &mut entities[curr];
        if !rightmost.before(entity.vruntime) {
            entity.vruntime = rightmost.plus(1);
        }
    }
}

/// What `fork()` does on the parent's queue: the child's place, relative to `min_vruntime` until it
/// is enqueued (R2.11).
pub(crate) fn task_fork<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    child: TaskId,
) {
    if let Some(curr) = rq.fair.curr
        && cx.has(Feature::StartNice)
    {
        update_curr::<G>(rq, entities, cx);
        let slice = sched_slice::<G>(&rq.fair, entities, cx, curr);
        start_nice::fork(entities, slice, curr, child);
    }
    place_new::<G>(rq, entities, cx, child);
    if let Some(curr) = rq.fair.curr
        && cx.kernel.cfs.child_runs_first
        && entities[curr].vruntime.before(entities[child].vruntime)
    {
        let parents = entities[curr].vruntime;
        entities[curr].vruntime = core::mem::replace(&mut entities[child].vruntime, parents);
        rq.resched_curr(Resched::ChildRunsFirst);
    }
    make_relative(&rq.fair, &mut entities[child]);
}

/// As [`task_fork`] for a task whose parent is not modelled: nobody pays for it.
pub(crate) fn task_start<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
) {
    place_new::<G>(rq, entities, cx, task);
    make_relative(&rq.fair, &mut entities[task]);
}

/// The place of a new task: not before the running one, and a slice behind `min_vruntime`
/// (R2.11.2).
fn place_new<G: Generation>(rq: &mut RunQueue, entities: &mut Entities, cx: FairCx, child: TaskId) {
    if let Some(curr) = rq.fair.curr {
        update_curr::<G>(rq, entities, cx);
        entities[child].vruntime = entities[curr].vruntime;
    }
    place_entity::<G>(&rq.fair, entities, cx, child, true);
}

/// A task goes to another CPU: a sleeper's vruntime becomes relative to `min_vruntime` of the queue
/// that it leaves; that of others is already (R2.7.1, R3.1.6).
pub(crate) fn migrate_task_rq<G: Generation>(
    queue: &FairQueue,
    entities: &mut Entities,
    task: TaskId,
    how: Enqueue,
) {
    if how == Enqueue::WakeupMigrated {
        make_relative(queue, &mut entities[task]);
    }
}

/// Makes a vruntime relative to `min_vruntime`.
fn make_relative(queue: &FairQueue, entity: &mut Entity) {
    entity.vruntime = Vtime(entity.vruntime.0.wrapping_sub(queue.min_vruntime.0));
    entity.rel_vruntime = true;
}

/// Makes a vruntime absolute, if it is relative.
fn make_absolute(queue: &FairQueue, entity: &mut Entity) {
    if entity.rel_vruntime {
        entity.vruntime = Vtime(entity.vruntime.0.wrapping_add(queue.min_vruntime.0));
        entity.rel_vruntime = false;
    }
}

#[cfg(test)]
mod tests;
