//! EEVDF: earliest eligible virtual deadline first, in the generations 6.6 (spec ch. 4B) and 6.12
//! (ch. 4C.1).
//!
//! Functions are named after the kernel's. `G` is the generation; where the generations differ, an
//! `if G::V6_12` says so.

use super::reason::{
    Dequeue, Dequeued, Enqueue, NoTrace, Pick, PickReason, PickTrace, Preempt, Resched, Visit, Wake,
};
use super::tree::{self, ByDeadline, ByVruntime, Order};
use super::{
    CUSTOM_SLICE_MAX, CUSTOM_SLICE_MIN, Entities, FairCx, FairQueue, Totals, scale_to_weight,
};
use crate::kernel::Feature;
use crate::run_queue::RunQueue;
use crate::units::{Nice, Span, TaskId, Vtime};

/// A generation of EEVDF.
pub(crate) trait Generation {
    /// What the tree is sorted by.
    type Order: Order;
    /// Whether the rules of 6.12 (delayed dequeue, short slices, custom slices) hold.
    const V6_12: bool;
}

/// Linux 6.6.
pub(crate) struct V6_6;
/// Linux 6.12.
pub(crate) struct V6_12;

impl Generation for V6_6 {
    type Order = ByVruntime;
    const V6_12: bool = false;
}

impl Generation for V6_12 {
    type Order = ByDeadline;
    const V6_12: bool = true;
}

/// Charges the running task for the time since it was last charged (R4.B.10, R4.C.10).
pub(crate) fn update_curr<G: Generation>(rq: &mut RunQueue, entities: &mut Entities, cx: FairCx) {
    let Some(curr) = rq.fair.curr else { return };
    let entity = &mut entities[curr];
    if cx.now <= entity.exec_start {
        return;
    }
    let delta = cx.now.since(entity.exec_start);
    entity.exec_start = cx.now;
    entity.sum_exec += delta;
    entity.vruntime = entity.vruntime.plus(entity.virtual_time(delta));
    let renewed = !entity.vruntime.before(entity.deadline);
    if renewed {
        if !(G::V6_12 && entity.custom_slice) {
            entity.slice = entity.default_slice(cx.kernel);
        }
        entity.deadline = entity.vruntime.plus(entity.virtual_time(entity.slice));
    }
    if !G::V6_12 && renewed && rq.fair.nr_running > 1 {
        rq.resched_curr(Resched::RequestDone);
        rq.fair.clear_buddies(curr);
    }
    update_min_vruntime::<G>(&mut rq.fair, entities);
    if G::V6_12 && rq.fair.nr_running != 1 {
        if renewed {
            rq.resched_curr(Resched::RequestDone);
            rq.fair.clear_buddies(curr);
        } else if cx.has(Feature::PreemptShort)
            && !entities[curr].protected()
            && !rq.fair.eligible(entities, curr)
        {
            rq.resched_curr(Resched::NotEligible);
            rq.fair.clear_buddies(curr);
        }
    }
}

/// Moves `min_vruntime` forward to the smallest vruntime queued (R4.B.4).
fn update_min_vruntime<G: Generation>(queue: &mut FairQueue, entities: &Entities) {
    let curr = queue.queued_curr(entities).map(|curr| entities[curr].vruntime);
    let waiting = if G::V6_12 {
        queue.tree.root().map(|root| tree::subtree_min(entities, root))
    } else {
        queue.tree.first().map(|first| entities[first].vruntime)
    };
    match (curr, waiting) {
        (Some(curr), Some(waiting)) => queue.advance_min(curr.min(waiting)),
        (Some(least), None) | (None, Some(least)) => queue.advance_min(least),
        (None, None) => {}
    }
}

/// The request of an entity.
pub(crate) fn sched_slice<G: Generation>(
    _: &FairQueue,
    entities: &Entities,
    _: FairCx,
    task: TaskId,
) -> Span {
    entities[task].slice
}

/// EEVDF has no wakeup granularity.
pub(crate) fn wakeup_granularity<G: Generation>(_: &Entities, _: FairCx, _: TaskId) -> Option<i64> {
    None
}

/// Gives an entity that comes onto the queue its vruntime and deadline (R4.B.6, R4.C.4).
fn place_entity<G: Generation>(
    queue: &FairQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    initial: bool,
) {
    let totals = queue.totals(entities);
    let entity = &mut entities[task];
    if !(G::V6_12 && entity.custom_slice) {
        entity.slice = entity.default_slice(cx.kernel);
    }
    let mut lag = 0;
    if cx.has(Feature::PlaceLag) && queue.nr_running > 0 {
        let load = (totals.load as i64).max(1);
        lag = entity.vlag.wrapping_mul(load + i64::from(entity.weight)) / load;
    }
    entity.vruntime = totals.average().plus(-lag);
    if G::V6_12 && cx.has(Feature::PlaceRelDeadline) && entity.rel_deadline {
        entity.deadline = entity.vruntime.plus(entity.deadline.signed());
        entity.rel_deadline = false;
        return;
    }
    let mut request = entity.virtual_time(entity.slice);
    if initial && cx.has(Feature::PlaceDeadlineInitial) {
        request /= 2;
    }
    entity.deadline = entity.vruntime.plus(request);
}

/// Puts an entity into the tree and its sums.
fn tree_insert<G: Generation>(queue: &mut FairQueue, entities: &mut Entities, task: TaskId) {
    queue.add_average(&entities[task]);
    queue.tree.insert::<G::Order>(entities, task);
}

/// Takes an entity out of the tree and its sums.
fn tree_remove<G: Generation>(queue: &mut FairQueue, entities: &mut Entities, task: TaskId) {
    queue.tree.remove::<G::Order>(entities, task);
    queue.sub_average(&entities[task]);
}

/// Puts a task onto the queue (R4.B.7). The preemption test is the caller's.
pub(crate) fn enqueue_task<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    how: Enqueue,
) {
    update_curr::<G>(rq, entities, cx);
    // In 6.6 the placement at fork was the initial one, and this one overwrites it (R4.B.8).
    let initial = G::V6_12 && how == Enqueue::Fork;
    place_entity::<G>(&rq.fair, entities, cx, task, initial);
    rq.account_enqueue(entities, task);
    tree_insert::<G>(&mut rq.fair, entities, task);
    entities[task].on_rq = true;
}

/// Takes a task off the queue, or leaves it there as delayed (R4.B.9, R4.C.5).
pub(crate) fn dequeue_task<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    why: Dequeue,
) -> Dequeued {
    update_curr::<G>(rq, entities, cx);
    if G::V6_12
        && why == Dequeue::Sleep
        && cx.has(Feature::DelayDequeue)
        && !rq.fair.eligible(entities, task)
    {
        rq.fair.clear_buddies(task);
        entities[task].delayed = true;
        return Dequeued::Delayed;
    }
    dequeue_entity::<G>(rq, entities, cx, task, why);
    Dequeued::Done
}

/// Completes the dequeue of a delayed task (R4.C.6, R4.C.7).
pub(crate) fn complete_dequeue<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
) {
    update_curr::<G>(rq, entities, cx);
    dequeue_entity::<G>(rq, entities, cx, task, Dequeue::Sleep);
    let entity = &mut entities[task];
    entity.delayed = false;
    if cx.has(Feature::DelayZero) {
        entity.vlag = entity.vlag.min(0);
    }
}

fn dequeue_entity<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    why: Dequeue,
) {
    rq.fair.clear_buddies(task);
    entities[task].vlag = rq.fair.entity_lag(entities, cx, task);
    if rq.fair.curr != Some(task) {
        tree_remove::<G>(&mut rq.fair, entities, task);
    }
    let moves = matches!(why, Dequeue::Move | Dequeue::Save);
    if G::V6_12 && moves && cx.has(Feature::PlaceRelDeadline) {
        let entity = &mut entities[task];
        entity.deadline = Vtime(entity.deadline.0.wrapping_sub(entity.vruntime.0));
        entity.rel_deadline = true;
    }
    entities[task].on_rq = false;
    rq.account_dequeue(entities, task);
    if why != Dequeue::Save {
        update_min_vruntime::<G>(&mut rq.fair, entities);
    }
}

/// Gives the CPU to a task: out of the tree, with the marker of RUN_TO_PARITY (R4.B.11).
pub(crate) fn set_next_task<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
) {
    rq.fair.clear_buddies(task);
    if entities[task].on_rq {
        tree_remove::<G>(&mut rq.fair, entities, task);
        entities[task].vlag = entities[task].deadline.signed();
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
        tree_insert::<G>(&mut rq.fair, entities, prev);
    }
    rq.fair.curr = None;
}

/// What a pick does before it chooses: charges the running task, or puts it back into the tree
/// first. Returns whether it stays outside the tree (R4.B.11, R4.B.14).
pub(crate) fn prepare_pick<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
) -> bool {
    let curr_outside = G::V6_12 || (cx.kernel.group_sched && rq.fair.curr.is_some());
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
    completed: &mut Vec<TaskId>,
    trace: &mut impl PickTrace,
) -> Pick {
    let prev = rq.fair.curr;
    let curr_outside = prepare_pick::<G>(rq, entities, cx);
    let pick = choose_next::<G>(rq, entities, cx, completed, trace);
    match pick.next {
        Some(next) if curr_outside && prev == Some(next) => {
            rq.fair.list_to_head(entities, next);
        }
        next => {
            put_prev_task::<G>(rq, entities, cx);
            if let Some(next) = next {
                set_next_task::<G>(rq, entities, cx, next);
            }
        }
    }
    pick
}

/// Chooses, completing delayed dequeues on the way (R4.B.14, R4.C.6).
fn choose_next<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    completed: &mut Vec<TaskId>,
    trace: &mut impl PickTrace,
) -> Pick {
    while rq.fair.nr_running > 0 {
        let buddy = rq
            .fair
            .next
            .filter(|&next| cx.has(Feature::NextBuddy) && rq.fair.eligible(entities, next));
        let (chosen, reason) = match buddy {
            Some(buddy) => (buddy, PickReason::NextBuddy),
            None => pick_eevdf::<G>(&rq.fair, entities, cx, trace),
        };
        if !(G::V6_12 && entities[chosen].delayed) {
            return Pick { next: Some(chosen), reason };
        }
        complete_dequeue::<G>(rq, entities, cx, chosen);
        trace.visit(chosen, Visit::Completed);
        completed.push(chosen);
    }
    Pick { next: None, reason: PickReason::Idle }
}

/// The earliest eligible virtual deadline (R4.B.12, R4.B.13). Something must be queued.
fn pick_eevdf<G: Generation>(
    queue: &FairQueue,
    entities: &Entities,
    cx: FairCx,
    trace: &mut impl PickTrace,
) -> (TaskId, PickReason) {
    let queued_curr = queue.queued_curr(entities);
    if G::V6_12 && queue.nr_running == 1 {
        let only = queued_curr.or(queue.tree.root()).expect("one entity is queued");
        return (only, PickReason::OnlyOne);
    }
    let totals = queue.totals(entities);
    let curr = queued_curr.filter(|&curr| totals.eligible(entities[curr].vruntime));
    if let Some(curr) = curr
        && cx.has(Feature::RunToParity)
        && entities[curr].protected()
    {
        return (curr, PickReason::Parity);
    }
    let (chosen, reason) = if G::V6_12 {
        let waiting = first_eligible(queue, entities, totals, trace);
        match (curr, waiting) {
            (Some(curr), Some(waiting))
                if entities[curr].deadline.before(entities[waiting].deadline) =>
            {
                (Some(curr), PickReason::CurrEarlier)
            }
            (_, Some(waiting)) => (Some(waiting), PickReason::EarliestEligible),
            (curr, None) => (curr, PickReason::CurrOnlyEligible),
        }
    } else {
        earliest_deadline(queue, entities, totals, curr, trace)
    };
    let Some(chosen) = chosen else {
        let first = queue.tree.first().or(queued_curr).expect("something is queued");
        return (first, PickReason::Fallback);
    };
    (chosen, if queue.nr_running == 1 { PickReason::OnlyOne } else { reason })
}

/// The search of 6.8 and later: the first eligible entity of a tree sorted by deadline (R4.B.13).
fn first_eligible(
    queue: &FairQueue,
    entities: &Entities,
    totals: Totals,
    trace: &mut impl PickTrace,
) -> Option<TaskId> {
    let first = queue.tree.first()?;
    if totals.eligible(entities[first].vruntime) {
        trace.visit(first, Visit::FirstEligible);
        return Some(first);
    }
    trace.visit(first, Visit::FirstNotEligible);
    let mut at = queue.tree.root();
    while let Some(node) = at {
        let left = tree::left(entities, node);
        if left.is_some_and(|left| totals.eligible(tree::subtree_min(entities, left))) {
            trace.visit(node, Visit::EligibleToTheLeft);
            at = left;
        } else if totals.eligible(entities[node].vruntime) {
            trace.visit(node, Visit::Eligible);
            return Some(node);
        } else {
            trace.visit(node, Visit::NotEligible);
            at = tree::right(entities, node);
        }
    }
    None
}

/// The search of 6.6: the earliest deadline among the eligible, who are the first of a tree sorted
/// by vruntime (R4.B.12). The running entity wins ties on the path, and loses them below `kept`.
fn earliest_deadline(
    queue: &FairQueue,
    entities: &Entities,
    totals: Totals,
    curr: Option<TaskId>,
    trace: &mut impl PickTrace,
) -> (Option<TaskId>, PickReason) {
    let deadline = |task: TaskId| entities[task].deadline;
    let min = |task: TaskId| tree::subtree_min(entities, task);
    let mut best = curr;
    // The left subtree, passed by on the path, with the earliest deadline in it.
    let mut kept: Option<TaskId> = None;
    let mut any_eligible = false;
    let mut at = queue.tree.root();
    while let Some(node) = at {
        if !totals.eligible(entities[node].vruntime) {
            trace.visit(node, Visit::NotEligibleGoLeft);
            at = tree::left(entities, node);
            continue;
        }
        any_eligible = true;
        let better = best.is_none_or(|best| deadline(node).before(deadline(best)));
        if better {
            best = Some(node);
        }
        if let Some(left) = tree::left(entities, node) {
            if kept.is_none_or(|kept| min(left).before(min(kept))) {
                kept = Some(left);
            }
            if min(left) == min(node) {
                trace.visit(node, Visit::MinimumToTheLeft { best: better });
                break;
            }
        }
        if deadline(node) == min(node) {
            trace.visit(node, Visit::OwnMinimum { best: better });
            break;
        }
        trace.visit(node, Visit::EligibleGoRight { best: better });
        at = tree::right(entities, node);
    }
    if let Some(kept) = kept
        && best.is_none_or(|best| !deadline(best).before(min(kept)))
    {
        let wanted = min(kept);
        let mut at = kept;
        while deadline(at) != wanted {
            let left = tree::left(entities, at).filter(|&left| min(left) == wanted);
            trace.visit(at, if left.is_some() { Visit::HeapLeft } else { Visit::HeapRight });
            at = left.or(tree::right(entities, at)).expect("a subtree holds its minimum");
        }
        trace.visit(at, Visit::HeapFound);
        best = Some(at);
    }
    let reason = match best {
        best if best != curr => PickReason::EarliestEligible,
        _ if any_eligible => PickReason::CurrEarlier,
        _ => PickReason::CurrOnlyEligible,
    };
    (best, reason)
}

/// Whether a woken or new task should take the CPU (R4.B.15, R4.C.11).
pub(crate) fn wakeup_preempt<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    woken: TaskId,
    how: Wake,
    trace: &mut impl PickTrace,
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
    if cx.has(Feature::NextBuddy) && how == Wake::Wakeup {
        rq.fair.next = Some(woken);
    }
    if rq.need_resched.is_some() {
        return Preempt::Pending;
    }
    if !cx.has(Feature::WakeupPreemption) {
        return Preempt::FeatureOff;
    }
    update_curr::<G>(rq, entities, cx);
    let short = G::V6_12
        && cx.has(Feature::PreemptShort)
        && preempts_short(&rq.fair, entities, curr, woken);
    if short {
        let curr = &mut entities[curr];
        curr.vlag = curr.deadline.signed().wrapping_add(1);
    }
    let (choice, reason) = pick_eevdf::<G>(&rq.fair, entities, cx, trace);
    if choice == woken {
        rq.resched_curr(Resched::Preempted);
        Preempt::Picked { short }
    } else {
        Preempt::NotPicked { reason, short }
    }
}

/// Whether a woken task with a shorter request ends the running one's protection (R4.C.11).
fn preempts_short(queue: &FairQueue, entities: &Entities, curr: TaskId, woken: TaskId) -> bool {
    let (running, other) = (&entities[curr], &entities[woken]);
    other.slice < running.slice
        && queue.eligible(entities, woken)
        && (other.deadline.before(running.deadline) || !queue.eligible(entities, curr))
        && running.protected()
}

/// A delayed task wakes: it is queued already (R4.C.8). The preemption test is the caller's.
pub(crate) fn requeue_delayed<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
) {
    if cx.has(Feature::DelayZero) {
        entities[task].vlag = rq.fair.entity_lag(entities, cx, task);
        if entities[task].vlag > 0 {
            let waiting = rq.fair.curr != Some(task);
            rq.fair.nr_running -= 1;
            if waiting {
                tree_remove::<G>(&mut rq.fair, entities, task);
            }
            entities[task].on_rq = false;
            entities[task].vlag = 0;
            place_entity::<G>(&rq.fair, entities, cx, task, false);
            entities[task].on_rq = true;
            if waiting {
                tree_insert::<G>(&mut rq.fair, entities, task);
            }
            rq.fair.nr_running += 1;
        }
    }
    entities[task].delayed = false;
}

/// The tick: only an accounting point (R4.B.10).
pub(crate) fn task_tick<G: Generation>(rq: &mut RunQueue, entities: &mut Entities, cx: FairCx) {
    update_curr::<G>(rq, entities, cx);
}

/// `sched_yield()`: the running task puts its deadline off by one request (R4.B.17).
pub(crate) fn yield_task<G: Generation>(rq: &mut RunQueue, entities: &mut Entities, cx: FairCx) {
    let Some(curr) = rq.fair.curr else { return };
    if rq.nr_running == 1 {
        return;
    }
    rq.fair.clear_buddies(curr);
    update_curr::<G>(rq, entities, cx);
    let entity = &mut entities[curr];
    entity.deadline = entity.deadline.plus(entity.virtual_time(entity.slice));
}

/// What `fork()` does on the parent's queue (R4.B.8): 6.6 charges the parent and places the child,
/// which its enqueue overwrites; 6.12 does nothing.
pub(crate) fn task_fork<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    child: TaskId,
) {
    if !G::V6_12 {
        update_curr::<G>(rq, entities, cx);
        place_entity::<G>(&rq.fair, entities, cx, child, true);
    }
}

/// A task goes to another CPU: EEVDF carries the lag over, which is in place already (R4.D.1).
pub(crate) fn migrate_task_rq<G: Generation>(
    _: &FairQueue,
    _: &mut Entities,
    _: TaskId,
    _: Enqueue,
) {
}

/// A change of nice (R4.B.19).
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
    change::<G>(rq, entities, cx, task, Dequeue::Save, nice, None)
}

/// `sched_setattr()` of nice and request (R4.C.16). `raw` is the `sched_runtime` given; 0 asks for
/// the default request. 6.6 knows no request and ignores it.
pub(crate) fn set_attr<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    nice: Nice,
    raw: Span,
) -> Preempt {
    let entity = &entities[task];
    if entity.nice() == nice && (!G::V6_12 || entity.slice == raw) {
        return Preempt::NoTest;
    }
    change::<G>(rq, entities, cx, task, Dequeue::Move, nice, Some(raw))
}

/// Off the queue, change, and back on it.
fn change<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    why: Dequeue,
    nice: Nice,
    slice: Option<Span>,
) -> Preempt {
    let queued = entities[task].on_rq;
    let running = rq.fair.curr == Some(task);
    let old_nice = entities[task].nice();
    if queued {
        dequeue_task::<G>(rq, entities, cx, task, why);
    }
    if running {
        put_prev_task::<G>(rq, entities, cx);
    }
    let entity = &mut entities[task];
    if G::V6_12
        && let Some(raw) = slice
    {
        entity.custom_slice = raw != Span(0);
        entity.slice = if entity.custom_slice {
            raw.clamp(CUSTOM_SLICE_MIN, CUSTOM_SLICE_MAX)
        } else {
            entity.default_slice(cx.kernel)
        };
    }
    let old_weight = entity.weight();
    entity.set_load(nice);
    entity.vlag = scale_to_weight(entity.vlag, old_weight, entity.weight());
    if queued {
        enqueue_task::<G>(rq, entities, cx, task, Enqueue::Move);
    }
    if running {
        set_next_task::<G>(rq, entities, cx, task);
    }
    if nice == old_nice || !queued || rq.fair.nr_running == 1 {
        Preempt::NoTest
    } else if !running {
        wakeup_preempt::<G>(rq, entities, cx, task, Wake::Wakeup, &mut NoTrace)
    } else if nice > old_nice {
        rq.resched_curr(Resched::NiceGrew);
        Preempt::NiceGrew
    } else {
        Preempt::NiceNotGrown
    }
}

/// Changes the weight of an entity where it is, as group shares do (R4.B.16). Not what a change of
/// nice does.
pub(crate) fn reweight<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    nice: Nice,
) {
    let old_weight = entities[task].weight();
    if !entities[task].on_rq {
        let entity = &mut entities[task];
        entity.set_load(nice);
        entity.vlag = scale_to_weight(entity.vlag, old_weight, entity.weight());
        return;
    }
    let waiting = rq.fair.curr != Some(task);
    if G::V6_12 || !waiting {
        update_curr::<G>(rq, entities, cx);
    }
    let average = rq.fair.avg_vruntime(entities);
    let lag = rq.fair.entity_lag(entities, cx, task);
    if waiting {
        tree_remove::<G>(&mut rq.fair, entities, task);
    }
    let entity = &mut entities[task];
    rq.fair.load -= u64::from(old_weight);
    entity.set_load(nice);
    rq.fair.load += u64::from(entity.weight());
    let scale = |value| scale_to_weight(value, old_weight, entity.weight());
    if G::V6_12 {
        let from_average = scale(entity.deadline.since(average));
        if average != entity.vruntime {
            entity.vruntime = average.plus(-scale(lag));
        }
        entity.deadline = average.plus(from_average);
    } else {
        entity.deadline = entity.vruntime.plus(scale(entity.deadline.since(entity.vruntime)));
    }
    if waiting {
        tree_insert::<G>(&mut rq.fair, entities, task);
    }
    if G::V6_12 {
        update_min_vruntime::<G>(&mut rq.fair, entities);
    }
}
