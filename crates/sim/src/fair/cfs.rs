//! CFS: the completely fair scheduler, in the generations 2.6.36 (spec ch. 2) and 6.1 (ch. 3.1).
//!
//! Functions are named after the kernel's. `G` is the generation; where the generations differ, an
//! `if G::V6_1` says so.

use super::reason::{
    Dequeue, Dequeued, Enqueue, NoTrace, Pick, PickReason, PickTrace, Preempt, Resched, Wake,
};
use super::tree::{self, ByVruntime};
use super::{Entities, Entity, FairCx, FairQueue, weight};
use crate::kernel::Feature;
use crate::run_queue::RunQueue;
use crate::units::{Nice, Span, TaskId, Vtime};

/// A generation of CFS.
pub(crate) trait Generation {
    /// Whether the rules of 6.1 hold.
    const V6_1: bool;
}

/// Linux 2.6.36.
pub(crate) struct V2_6_36;
/// Linux 6.1.
pub(crate) struct V6_1;

impl Generation for V2_6_36 {
    const V6_1: bool = false;
}

impl Generation for V6_1 {
    const V6_1: bool = true;
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
    entity.sum_exec += delta;
    entity.vruntime = entity.vruntime.plus(virtual_time::<G>(entity, delta));
    update_min_vruntime::<G>(&mut rq.fair, entities);
}

/// Moves `min_vruntime` forward to the smallest vruntime (R2.4.1). In 2.6.36 the running task counts
/// even when it just blocked (R3.1.5).
fn update_min_vruntime<G: Generation>(queue: &mut FairQueue, entities: &Entities) {
    let curr = if G::V6_1 { queue.queued_curr(entities) } else { queue.curr };
    let vruntime = |task: TaskId| entities[task].vruntime;
    match (curr.map(vruntime), queue.tree.first().map(vruntime)) {
        (Some(curr), Some(first)) => queue.advance_min(curr.min(first)),
        (Some(least), None) | (None, Some(least)) => queue.advance_min(least),
        (None, None) => {}
    }
}

/// The CPU time an entity should get in a period (R2.5.2, R3.1.3).
pub(crate) fn sched_slice<G: Generation>(
    queue: &FairQueue,
    entities: &Entities,
    cx: FairCx,
    task: TaskId,
) -> Span {
    let (entity, cfs) = (&entities[task], &cx.kernel.cfs);
    let (mut running, mut load) = (queue.nr_running, queue.load);
    if !entity.on_rq {
        running += 1;
        load += u64::from(entity.weight());
    }
    let period = if running > cfs.nr_latency {
        u64::from(running) * cfs.min_granularity.0
    } else {
        cfs.latency.0
    };
    if G::V6_1 {
        let share = Span(weight::calc_delta(period, entity.weight(), load));
        if cfs.base_slice { share.max(cfs.min_granularity) } else { share }
    } else {
        let inverse = weight::inverse_of_2_6_36(load);
        Span(weight::calc_delta_2_6_36(period, entity.weight(), inverse))
    }
}

/// Gives a new or woken entity its vruntime; never backwards (R2.6, R3.1.4).
fn place_entity<G: Generation>(
    queue: &FairQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    initial: bool,
) {
    let cfs = &cx.kernel.cfs;
    let mut place = queue.min_vruntime;
    if !initial {
        let credit = cfs.latency.0 >> u32::from(cfs.gentle_fair_sleepers);
        place = place.plus(-(credit as i64));
    } else if cfs.start_debit {
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
    if matches!(how, Enqueue::Wakeup | Enqueue::WakeupMigrated) {
        place_entity::<G>(&rq.fair, entities, cx, task, false);
    }
    rq.account_enqueue(entities, task);
    if !is_curr {
        tree_insert(&mut rq.fair, entities, task);
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
        rq.fair.list_to_head(entities, task);
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
    }
    rq.fair.curr = None;
}

/// What a pick does before it chooses: charges the running task, or puts it back into the tree
/// first. Returns whether it stays outside the tree (R2.10.0, R3.1.12).
pub(crate) fn prepare_pick<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
) -> bool {
    let curr_outside =
        G::V6_1 && cx.kernel.group_sched && rq.fair.curr.is_some() && rq.fair.nr_running > 0;
    if !curr_outside {
        put_prev_task::<G>(rq, entities, cx);
    } else if rq.fair.queued_curr(entities).is_some() {
        update_curr::<G>(rq, entities, cx);
    }
    curr_outside
}

/// The second half of `__schedule()`, for the fair class (FORMAT.md section 6).
pub(crate) fn pick_next_task<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    _completed: &mut Vec<TaskId>,
    _trace: &mut impl PickTrace,
) -> Pick {
    let prev = rq.fair.curr;
    let curr_outside = prepare_pick::<G>(rq, entities, cx);
    if rq.fair.nr_running == 0 {
        return Pick { next: None, reason: PickReason::Idle };
    }
    let (next, reason) = pick_next_entity::<G>(&rq.fair, entities, cx);
    let reason = if rq.fair.nr_running == 1 { PickReason::OnlyOne } else { reason };
    if !G::V6_1 {
        rq.fair.clear_buddies(next);
    }
    if curr_outside && prev == Some(next) {
        rq.fair.list_to_head(entities, next);
    } else {
        put_prev_task::<G>(rq, entities, cx);
        set_next_task::<G>(rq, entities, cx, next);
    }
    Pick { next: Some(next), reason }
}

/// The leftmost, unless a buddy is near enough (R2.10, R3.1.11). Something must be queued.
fn pick_next_entity<G: Generation>(
    queue: &FairQueue,
    entities: &Entities,
    cx: FairCx,
) -> (TaskId, PickReason) {
    let curr = queue.queued_curr(entities);
    let before = |curr: TaskId, other: Option<TaskId>| {
        other.is_none_or(|other| entities[curr].vruntime.before(entities[other].vruntime))
    };
    let first = queue.tree.first();
    let curr_first = curr.filter(|&curr| before(curr, first));
    let left = curr_first.or(first).expect("something is queued");
    let near = |buddy: Option<TaskId>| {
        buddy.filter(|&buddy| preempt_entity::<G>(entities, cx, buddy, left) < 1)
    };
    let mut chosen = match curr_first {
        Some(curr) => (curr, PickReason::CurrLeftmost),
        None => (left, PickReason::Leftmost),
    };
    if G::V6_1 {
        if queue.skip == Some(left) {
            let second = if curr == Some(left) {
                first
            } else {
                let after = tree::successor(entities, left);
                curr.filter(|&curr| before(curr, after)).or(after)
            };
            if let Some(second) = near(second) {
                chosen = (second, PickReason::FirstYielded);
            }
        }
        if let Some(next) = near(queue.next) {
            chosen = (next, PickReason::NextBuddy);
        } else if let Some(last) = near(queue.last) {
            chosen = (last, PickReason::LastBuddy);
        }
    } else {
        if let Some(next) = near(queue.next) {
            chosen = (next, PickReason::NextBuddy);
        }
        if let Some(last) = near(queue.last) {
            chosen = (last, PickReason::LastBuddy);
        }
    }
    chosen
}

/// `wakeup_preempt_entity()`: 1 if `curr` is ahead of `other` by more than the granularity, 0 if by
/// less, −1 if it is not ahead (R2.8.7). The granularity is scaled by the weight of `other`.
fn preempt_entity<G: Generation>(
    entities: &Entities,
    cx: FairCx,
    curr: TaskId,
    other: TaskId,
) -> i32 {
    let ahead = entities[curr].vruntime.since(entities[other].vruntime);
    if ahead <= 0 {
        return -1;
    }
    i32::from(ahead > wakeup_granularity::<G>(entities, cx, other).unwrap_or(0))
}

/// By how much the running entity must be ahead of a woken one to be preempted, ns of the woken one's
/// virtual time (R2.8.7).
pub(crate) fn wakeup_granularity<G: Generation>(
    entities: &Entities,
    cx: FairCx,
    woken: TaskId,
) -> Option<i64> {
    Some(virtual_time::<G>(&entities[woken], cx.kernel.cfs.wakeup_granularity))
}

/// Whether a woken or new task should take the CPU (R2.8, R3.1.8).
pub(crate) fn wakeup_preempt<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    woken: TaskId,
    how: Wake,
    _trace: &mut impl PickTrace,
) -> Preempt {
    let Some(curr) = rq.curr else {
        rq.resched_curr(Resched::Idle);
        return Preempt::Idle;
    };
    if curr == woken {
        return Preempt::Itself;
    }
    if rq.fair.curr != Some(curr) {
        return Preempt::HigherClass;
    }
    let many = rq.fair.nr_running >= cx.kernel.cfs.nr_latency;
    if cx.has(Feature::NextBuddy) && many && how == Wake::Wakeup {
        rq.fair.next = Some(woken);
    }
    if rq.need_resched.is_some() {
        return Preempt::Pending;
    }
    if !cx.has(Feature::WakeupPreemption) {
        return Preempt::FeatureOff;
    }
    update_curr::<G>(rq, entities, cx);
    match preempt_entity::<G>(entities, cx, curr, woken) {
        1 => {
            if G::V6_1 {
                rq.fair.next = Some(woken);
            }
            rq.resched_curr(Resched::Preempted);
            if cx.kernel.cfs.last_buddy && many && entities[curr].on_rq {
                rq.fair.last = Some(curr);
            }
            Preempt::FarBehind
        }
        0 => Preempt::NearBehind,
        _ => Preempt::NotBehind,
    }
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

/// The tick: whether the running task's slice is over (R2.9, R3.1.10).
pub(crate) fn task_tick<G: Generation>(rq: &mut RunQueue, entities: &mut Entities, cx: FairCx) {
    update_curr::<G>(rq, entities, cx);
    let Some(curr) = rq.fair.curr else { return };
    let wakeup_preempt_off = !G::V6_1 && !cx.has(Feature::WakeupPreemption);
    if rq.fair.nr_running <= 1 && !wakeup_preempt_off {
        return;
    }
    let ran = entities[curr].sum_exec - entities[curr].prev_sum_exec;
    let ideal = sched_slice::<G>(&rq.fair, entities, cx, curr);
    if ran > ideal {
        rq.resched_curr(Resched::SliceDone);
        rq.fair.clear_buddies(curr);
        return;
    }
    if wakeup_preempt_off || ran < cx.kernel.cfs.min_granularity {
        return;
    }
    let Some(first) = rq.fair.tree.first() else { return };
    let ahead = entities[curr].vruntime.since(entities[first].vruntime);
    // 2.6.36 compares with an unsigned number: whoever is behind counts as far ahead.
    if ahead as u64 > ideal.0 && !(G::V6_1 && ahead < 0) {
        rq.resched_curr(Resched::AheadOfLeftmost);
    }
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
    let curr = rq.fair.curr;
    if let Some(curr) = curr {
        update_curr::<G>(rq, entities, cx);
        entities[child].vruntime = entities[curr].vruntime;
    }
    place_entity::<G>(&rq.fair, entities, cx, child, true);
    if let Some(curr) = curr
        && cx.kernel.cfs.child_runs_first
        && entities[curr].vruntime.before(entities[child].vruntime)
    {
        let parents = entities[curr].vruntime;
        entities[curr].vruntime = core::mem::replace(&mut entities[child].vruntime, parents);
        rq.resched_curr(Resched::ChildRunsFirst);
    }
    make_relative(&rq.fair, &mut entities[child]);
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

/// A change of nice (R2.14.1, R3.1.15).
pub(crate) fn set_user_nice<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    nice: Nice,
) -> Preempt {
    if entities[task].nice() == nice {
        return Preempt::NoTest;
    }
    change::<G>(rq, entities, cx, task, Dequeue::Save, nice)
}

/// `sched_setattr()` of nice. CFS knows no request: the slice given is ignored.
pub(crate) fn set_attr<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    nice: Nice,
    _raw: Span,
) -> Preempt {
    if entities[task].nice() == nice {
        return Preempt::NoTest;
    }
    change::<G>(rq, entities, cx, task, Dequeue::Move, nice)
}

/// Off the queue, new weight, and back on it.
fn change<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    why: Dequeue,
    nice: Nice,
) -> Preempt {
    let queued = entities[task].on_rq;
    let running = rq.fair.curr == Some(task);
    let old_nice = entities[task].nice();
    if queued {
        dequeue_task::<G>(rq, entities, cx, task, why);
    }
    // 2.6.36 neither puts nor sets the running task.
    if G::V6_1 && running {
        put_prev_task::<G>(rq, entities, cx);
    }
    entities[task].set_load(nice);
    if queued {
        enqueue_task::<G>(rq, entities, cx, task, Enqueue::Move);
    }
    if G::V6_1 && running {
        set_next_task::<G>(rq, entities, cx, task);
    }
    let grew = nice > old_nice;
    if !queued || (G::V6_1 && rq.fair.nr_running == 1) {
        Preempt::NoTest
    } else if running && grew {
        rq.resched_curr(Resched::NiceGrew);
        Preempt::NiceGrew
    } else if !G::V6_1 && !grew {
        rq.resched_curr(Resched::NiceShrank);
        Preempt::NiceShrank
    } else if running {
        Preempt::NiceNotGrown
    } else if G::V6_1 {
        wakeup_preempt::<G>(rq, entities, cx, task, Wake::Wakeup, &mut NoTrace)
    } else {
        Preempt::NoTest
    }
}

/// Changes the weight of an entity where it is, as group shares do (R3.1.15).
pub(crate) fn reweight<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    nice: Nice,
) {
    if !entities[task].on_rq {
        entities[task].set_load(nice);
        return;
    }
    let running = rq.fair.curr == Some(task);
    if running {
        update_curr::<G>(rq, entities, cx);
    } else {
        rq.fair.sub_average(&entities[task]);
    }
    rq.fair.load -= u64::from(entities[task].weight());
    entities[task].set_load(nice);
    rq.fair.load += u64::from(entities[task].weight());
    if !running {
        rq.fair.add_average(&entities[task]);
    }
}
