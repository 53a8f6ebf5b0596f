//! EEVDF: earliest eligible virtual deadline first, from the proposals of March 2023 (spec ch. 4A)
//! over
//! 6.6 (4B) and 6.12 (4C.1) to 6.17 (4C.2).
//!
//! Functions are named after the kernel's. `G` is the generation; where the generations differ, an
//! `if G::since(…)` says so. Here is what queues and charges; `pick` chooses, `preempt` is the test
//! of a wakeup, and `change` changes attributes.

mod change;
mod pick;
mod preempt;

use super::reason::{Dequeue, Dequeued, Enqueue, NoTrace, Resched};
use super::tree::{self, ByDeadline, ByDeadlineWithSlices, ByVruntime, Order};
use super::{Entities, Entity, FairCx, FairQueue, Totals};
use crate::kernel::FairGeneration::{
    self, Eevdf6_6, Eevdf6_8, Eevdf6_11, Eevdf6_12, Eevdf6_17, Eevdf2023_03, Eevdf2023_03v2,
};
use crate::kernel::Feature;
use crate::run_queue::RunQueue;
use crate::units::{Span, TaskId, Vtime};

pub(crate) use change::{reweight, set_attr, set_latency_nice, set_user_nice};
pub(crate) use pick::{attempt, keeps_curr_outside, pick_next_task, prepare_pick};
pub(crate) use preempt::wakeup_preempt;

/// A generation of EEVDF.
pub(crate) trait Generation {
    /// What the tree is sorted by, and what it keeps the minimum of.
    type Order: Order;
    /// Which one it is.
    const IS: FairGeneration;
    /// Whether it has what came with `generation`.
    fn since(generation: FairGeneration) -> bool {
        Self::IS as u8 >= generation as u8
    }
}

/// Declares the generations.
macro_rules! generations {
    ($($(#[$doc:meta])* $name:ident = $is:ident, $order:ident;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;
        impl Generation for $name {
            type Order = $order;
            const IS: FairGeneration = $is;
        }
    )*};
}

generations! {
    /// The proposal of 6 March 2023.
    V2023_03 = Eevdf2023_03, ByVruntime;
    /// The proposal of 28 March 2023.
    V2023_03v2 = Eevdf2023_03v2, ByVruntime;
    /// Linux 6.6.
    V6_6 = Eevdf6_6, ByVruntime;
    /// Linux 6.8.
    V6_8 = Eevdf6_8, ByDeadline;
    /// Linux 6.11.
    V6_11 = Eevdf6_11, ByDeadline;
    /// Linux 6.12.
    V6_12 = Eevdf6_12, ByDeadline;
    /// Linux 6.17.
    V6_17 = Eevdf6_17, ByDeadlineWithSlices;
}

/// Charges the running task for the time since it was last charged (R4.B.10, R4.C.10, R4.C.20).
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
    // The first proposal waits until the deadline has passed (R4.A.6, R4.A.24).
    let renewed = if G::since(Eevdf2023_03v2) {
        !entity.vruntime.before(entity.deadline)
    } else {
        entity.deadline.before(entity.vruntime)
    };
    if renewed {
        set_slice::<G>(entity, cx);
        entity.deadline = entity.vruntime.plus(entity.virtual_time(entity.slice));
    }
    if G::since(Eevdf6_6) && !G::since(Eevdf6_12) && renewed && rq.fair.nr_running > 1 {
        rq.resched_curr(Resched::RequestDone);
        rq.fair.clear_buddies(curr);
    }
    update_min_vruntime::<G>(&mut rq.fair, entities, cx);
    if G::since(Eevdf6_12) && rq.fair.nr_running != 1 {
        let why = if renewed {
            Some(Resched::RequestDone)
        } else if G::since(Eevdf6_17) {
            (!protected::<G>(&entities[curr], cx)).then_some(Resched::Unprotected)
        } else {
            (cx.has(Feature::PreemptShort)
                && !entities[curr].protected()
                && !eligible::<G>(&rq.fair, entities, curr))
            .then_some(Resched::NotEligible)
        };
        if let Some(why) = why {
            rq.resched_curr(why);
            rq.fair.clear_buddies(curr);
        }
    }
}

/// Whether the running entity is protected while it is eligible: up to 6.12 with RUN_TO_PARITY
/// while it has the marker (R4.B.11), from 6.17 on before its point (R4.C.20). The proposals
/// protect nobody.
pub(crate) fn protected<G: Generation>(entity: &Entity, cx: FairCx) -> bool {
    if G::since(Eevdf6_17) {
        entity.vruntime.before(entity.vprot)
    } else {
        G::since(Eevdf6_6) && cx.has(Feature::RunToParity) && entity.protected()
    }
}

/// V. The proposals round toward zero instead of down (R4.A.2, R4.B.3).
fn average<G: Generation>(totals: Totals) -> Vtime {
    if G::since(Eevdf6_6) { totals.average() } else { totals.average_toward_zero() }
}

/// Whether a queued entity has received no more than its share so far (R4.B.5).
fn eligible<G: Generation>(queue: &FairQueue, entities: &Entities, task: TaskId) -> bool {
    queue.totals(entities).eligible(entities[task].vruntime)
}

/// V − vruntime (R4.A.5), from the second proposal on limited (R4.A.21, R4.B.9).
fn lag<G: Generation>(queue: &FairQueue, entities: &Entities, cx: FairCx, task: TaskId) -> i64 {
    let entity = &entities[task];
    let lag = average::<G>(queue.totals(entities)).since(entity.vruntime);
    if !G::since(Eevdf2023_03v2) {
        return lag;
    }
    let limit = entity.lag_limit(cx);
    lag.clamp(-limit, limit)
}

/// Moves `min_vruntime` forward to the smallest vruntime queued (R4.B.4), or to V (R4.A.27).
fn update_min_vruntime<G: Generation>(queue: &mut FairQueue, entities: &Entities, cx: FairCx) {
    if G::IS == Eevdf2023_03v2 && cx.has(Feature::MinimalVa) {
        let average = average::<G>(queue.totals(entities));
        return queue.advance_min(average);
    }
    let curr = queue.queued_curr(entities).map(|curr| entities[curr].vruntime);
    let waiting = if G::since(Eevdf6_8) {
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

/// EEVDF has no period.
pub(crate) fn period<G: Generation>(_: &FairQueue, _: FairCx) -> Option<Span> {
    None
}

/// EEVDF has no wakeup granularity.
pub(crate) fn preempt_threshold<G: Generation>(
    _: &Entities,
    _: FairCx,
    _: TaskId,
    _: TaskId,
) -> Option<i64> {
    None
}

/// EEVDF has no latency offset.
pub(crate) fn latency_offset<G: Generation>(
    _: &Entities,
    _: FairCx,
    _: TaskId,
    _: TaskId,
) -> Option<i64> {
    None
}

/// In EEVDF nobody needs to be near another.
pub(crate) fn near_tests<G: Generation>(
    _: &FairQueue,
    _: &Entities,
    _: FairCx,
) -> Vec<crate::fair::reason::NearTest> {
    Vec::new()
}

/// The request becomes the default one, unless it is the user's own.
fn set_slice<G: Generation>(entity: &mut Entity, cx: FairCx) {
    if !(G::since(Eevdf6_12) && entity.custom_slice) {
        entity.slice = entity.default_slice(cx.kernel);
    }
}

/// How an entity comes to be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// It is new.
    Initial,
    /// It woke where it slept.
    Wakeup,
    /// Everything else.
    Other,
}

/// Gives an entity that comes onto the queue its vruntime and deadline (R4.A.5, R4.A.22, R4.B.6,
/// R4.C.4).
fn place_entity<G: Generation>(
    queue: &FairQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    how: Place,
) {
    let totals = queue.totals(entities);
    // PLACE_FUDGE: whether others ask for more, weighted (R4.A.25).
    let fudge = G::IS == Eevdf2023_03v2 && cx.has(Feature::PlaceFudge) && {
        let slice = entities[task].default_slice(cx.kernel).0;
        let waiting = queue.tree.iter(entities).map(|other| &entities[other]);
        let asked: u64 = waiting.map(|other| u64::from(other.weight()) * other.slice.0).sum();
        asked > slice * queue.avg_load
    };
    let entity = &mut entities[task];
    set_slice::<G>(entity, cx);
    let mut request = entity.virtual_time(entity.slice);
    let mut lag = 0;
    if !G::since(Eevdf2023_03v2) {
        if cx.has(Feature::PreserveLag) && how != Place::Initial {
            lag = entity.vlag;
        }
        if cx.has(Feature::FairSleepers) && how != Place::Initial {
            lag += super::cfs::sleeper_credit(cx);
        }
    } else if cx.has(Feature::PlaceLag) && queue.nr_running > 0 {
        lag = entity.vlag;
        if fudge {
            lag = (lag + request).min(0);
        }
        let load = (totals.load as i64).max(1);
        lag = lag.wrapping_mul(load + i64::from(entity.weight())) / load;
    }
    let before = entity.vruntime;
    let placed = average::<G>(totals).plus(-lag);
    entity.vruntime = placed;
    let carried = G::since(Eevdf6_12) && core::mem::take(&mut entity.rel_deadline);
    if carried && cx.has(Feature::PlaceRelDeadline) {
        entity.deadline = entity.vruntime.plus(entity.deadline.signed());
        return;
    }
    let halves = G::since(Eevdf2023_03v2) && cx.has(Feature::PlaceDeadlineInitial);
    if how == Place::Initial && halves {
        request /= 2;
    }
    entity.deadline = placed.plus(request);
    // Half a request of credit to who wakes; never further back than it was (R4.A.26).
    let bonus = G::IS == Eevdf2023_03v2 && cx.has(Feature::PlaceBonus) && how == Place::Wakeup;
    if bonus && before.before(placed) {
        entity.vruntime = before.max(placed.plus(-(entity.slice.0 as i64 / 2)));
    }
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
    // The first proposal places at fork and wakeup only; all else is moved as in CFS (R4.A.5).
    let wakes = matches!(how, Enqueue::Wakeup | Enqueue::WakeupMigrated);
    if !G::since(Eevdf2023_03v2) && !wakes {
        make_absolute(&rq.fair, &mut entities[task]);
    } else {
        let how = match how {
            // In 6.6 … 6.11 the placement at fork was the initial one; this one overwrites it
            // (R4.B.8).
            Enqueue::Fork if G::since(Eevdf6_12) || !G::since(Eevdf6_6) => Place::Initial,
            Enqueue::Wakeup => Place::Wakeup,
            _ => Place::Other,
        };
        entities[task].rel_vruntime = false;
        place_entity::<G>(&rq.fair, entities, cx, task, how);
    }
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
    if G::since(Eevdf6_12)
        && why == Dequeue::Sleep
        && cx.has(Feature::DelayDequeue)
        && !eligible::<G>(&rq.fair, entities, task)
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
    let moves = matches!(why, Dequeue::Move | Dequeue::Save);
    if G::since(Eevdf2023_03v2) || !moves {
        entities[task].vlag = lag::<G>(&rq.fair, entities, cx, task);
    }
    if rq.fair.curr != Some(task) {
        tree_remove::<G>(&mut rq.fair, entities, task);
    }
    if moves {
        leave_for_another_place::<G>(&rq.fair, &mut entities[task], cx);
    }
    entities[task].on_rq = false;
    rq.account_dequeue(entities, task);
    if why != Dequeue::Save {
        update_min_vruntime::<G>(&mut rq.fair, entities, cx);
    }
}

/// What an entity that is only moved carries along: in 6.12 the rest of its request (R4.C.4),
/// always in
/// 6.17; in the first proposal its place relative to `min_vruntime`, as in CFS.
fn leave_for_another_place<G: Generation>(queue: &FairQueue, entity: &mut Entity, cx: FairCx) {
    if G::since(Eevdf6_17) || (G::since(Eevdf6_12) && cx.has(Feature::PlaceRelDeadline)) {
        entity.deadline = Vtime(entity.deadline.0.wrapping_sub(entity.vruntime.0));
        entity.rel_deadline = true;
    }
    if !G::since(Eevdf2023_03v2) {
        make_relative(queue, entity);
    }
}

/// First proposal: vruntime, and with it the deadline, becomes relative to `min_vruntime` (R4.A.5;
/// that the deadline goes along is the model's choice).
fn make_relative(queue: &FairQueue, entity: &mut Entity) {
    let by = 0i64.wrapping_sub(queue.min_vruntime.signed());
    entity.vruntime = entity.vruntime.plus(by);
    entity.deadline = entity.deadline.plus(by);
    entity.rel_vruntime = true;
}

/// First proposal: back from relative, if it is.
fn make_absolute(queue: &FairQueue, entity: &mut Entity) {
    if core::mem::take(&mut entity.rel_vruntime) {
        let by = queue.min_vruntime.signed();
        entity.vruntime = entity.vruntime.plus(by);
        entity.deadline = entity.deadline.plus(by);
    }
}

/// Gives the CPU to a task: out of the tree, and protected (R4.B.11, R4.C.20).
pub(crate) fn set_next_task<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
) {
    rq.fair.clear_buddies(task);
    if entities[task].on_rq {
        tree_remove::<G>(&mut rq.fair, entities, task);
        protect::<G>(&rq.fair, entities, cx, task);
        rq.list_to_head(entities, task);
    }
    let entity = &mut entities[task];
    entity.exec_start = cx.now;
    entity.prev_sum_exec = entity.sum_exec;
    rq.fair.curr = Some(task);
}

/// What protects a task without RUN_TO_PARITY: the base slice before scaling by the number of CPUs
/// (R4.C.20).
const UNSCALED_BASE_SLICE: Span = Span::us(700);

/// Protects a task that is about to run.
fn protect<G: Generation>(queue: &FairQueue, entities: &mut Entities, cx: FairCx, task: TaskId) {
    if G::since(Eevdf6_17) {
        let cap = match queue.tree.root() {
            _ if !cx.has(Feature::RunToParity) => UNSCALED_BASE_SLICE,
            Some(root) => tree::subtree_min_slice(entities, root),
            None => entities[task].slice,
        };
        let entity = &mut entities[task];
        entity.vprot = entity.deadline;
        if cap < entity.slice {
            let end = entity.vruntime.plus(entity.virtual_time(cap));
            entity.vprot = entity.vprot.min(end);
        }
    } else if G::since(Eevdf6_6) {
        entities[task].vlag = entities[task].deadline.signed();
    }
}

/// The least request of all who are queued (R4.C.20).
fn shortest_request(queue: &FairQueue, entities: &Entities) -> Option<Span> {
    let waiting = queue.tree.root().map(|root| tree::subtree_min_slice(entities, root));
    let curr = queue.queued_curr(entities).map(|curr| entities[curr].slice);
    waiting.into_iter().chain(curr).min()
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

/// A delayed task wakes: it is queued already (R4.C.8). The preemption test is the caller's.
pub(crate) fn requeue_delayed<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
) {
    if cx.has(Feature::DelayZero) {
        entities[task].vlag = lag::<G>(&rq.fair, entities, cx, task);
        if entities[task].vlag > 0 {
            let waiting = rq.fair.curr != Some(task);
            rq.fair.nr_running -= 1;
            if waiting {
                tree_remove::<G>(&mut rq.fair, entities, task);
            }
            entities[task].on_rq = false;
            entities[task].vlag = 0;
            place_entity::<G>(&rq.fair, entities, cx, task, Place::Other);
            entities[task].on_rq = true;
            if waiting {
                tree_insert::<G>(&mut rq.fair, entities, task);
            }
            rq.fair.nr_running += 1;
        }
    }
    entities[task].delayed = false;
}

/// The tick: an accounting point (R4.B.10). The proposals pick anew, and reschedule if another
/// would run (R4.A.9).
pub(crate) fn task_tick<G: Generation>(rq: &mut RunQueue, entities: &mut Entities, cx: FairCx) {
    update_curr::<G>(rq, entities, cx);
    if !G::since(Eevdf6_6)
        && rq.fair.nr_running > 1
        && let Some(curr) = rq.fair.curr
    {
        let (choice, _) = pick::pick_eevdf::<G>(&rq.fair, entities, cx, true, &mut NoTrace);
        if choice != curr {
            rq.resched_curr(Resched::PickedAtTick);
            rq.fair.clear_buddies(curr);
        }
    }
}

/// `sched_yield()`: the running task puts its deadline off by one request (R4.A.29, R4.B.17).
pub(crate) fn yield_task<G: Generation>(rq: &mut RunQueue, entities: &mut Entities, cx: FairCx) {
    let Some(curr) = rq.fair.curr else { return };
    if rq.nr_running == 1 {
        return;
    }
    rq.fair.clear_buddies(curr);
    update_curr::<G>(rq, entities, cx);
    if G::since(Eevdf2023_03v2) {
        let entity = &mut entities[curr];
        entity.deadline = entity.deadline.plus(entity.virtual_time(entity.slice));
    }
}

/// What `fork()` does on the parent's queue (R4.B.8): up to 6.11 the parent is charged and the
/// child placed, which from the second proposal on its enqueue overwrites; 6.12 does nothing.
pub(crate) fn task_fork<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    child: TaskId,
) {
    if G::since(Eevdf6_12) {
        return;
    }
    update_curr::<G>(rq, entities, cx);
    place_entity::<G>(&rq.fair, entities, cx, child, Place::Initial);
    if G::since(Eevdf2023_03v2) {
        return;
    }
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

/// As [`task_fork`] for a task whose parent is not modelled: of effect only where its enqueue does
/// not place it.
pub(crate) fn task_start<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
) {
    if !G::since(Eevdf2023_03v2) {
        update_curr::<G>(rq, entities, cx);
        place_entity::<G>(&rq.fair, entities, cx, task, Place::Initial);
        make_relative(&rq.fair, &mut entities[task]);
    }
}

/// A task goes to another CPU: EEVDF carries the lag over, which is in place already (R4.D.1). What
/// the first proposal carries is relative already, or replaced when it wakes.
pub(crate) fn migrate_task_rq<G: Generation>(
    _: &FairQueue,
    _: &mut Entities,
    _: TaskId,
    _: Enqueue,
) {
}

#[cfg(test)]
mod tests;
