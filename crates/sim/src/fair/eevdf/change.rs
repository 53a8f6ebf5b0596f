//! EEVDF: changes of nice, request and latency-nice, and of a weight in place.

use super::{
    Generation, Place, average, dequeue_task, enqueue_task, lag, place_entity, put_prev_task,
    set_next_task, tree_insert, tree_remove, update_curr, update_min_vruntime,
};
use crate::fair::reason::{Dequeue, Enqueue, Preempt, Resched};
use crate::fair::{
    CUSTOM_SLICE_MAX, CUSTOM_SLICE_MIN, Entities, FairCx, FairQueue, NewWeight, scale_to_weight,
};
use crate::kernel::FairGeneration::{Eevdf6_8, Eevdf6_11, Eevdf6_12, Eevdf6_17, Eevdf2023_03v2};
use crate::run_queue::RunQueue;
use crate::units::{LatencyNice, Nice, Span, TaskId, Vtime};

/// A change of nice (R4.B.19).
pub(crate) fn set_user_nice<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    nice: Nice,
) -> Option<Preempt> {
    if entities[task].nice() == nice {
        return Some(Preempt::NoTest);
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
) -> Option<Preempt> {
    let entity = &entities[task];
    if entity.nice() == nice && (!G::since(Eevdf6_12) || entity.slice == raw) {
        return Some(Preempt::NoTest);
    }
    change::<G>(rq, entities, cx, task, Dequeue::Move, nice, Some(raw))
}

/// Off the queue, change, and back on it. `None` asks for the preemption test for the task.
fn change<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    why: Dequeue,
    nice: Nice,
    slice: Option<Span>,
) -> Option<Preempt> {
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
    if G::since(Eevdf6_12)
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
    // The first proposal does not scale the lag (R4.A.5).
    if G::since(Eevdf2023_03v2) {
        entity.vlag = scale_to_weight(entity.vlag, old_weight, entity.weight());
    }
    if queued {
        enqueue_task::<G>(rq, entities, cx, task, Enqueue::Move);
    }
    if running {
        set_next_task::<G>(rq, entities, cx, task);
    }
    if nice == old_nice || !queued || rq.nr_running == 1 {
        Some(Preempt::NoTest)
    } else if !running {
        None
    } else if nice > old_nice {
        rq.resched_curr(Resched::NiceGrew);
        Some(Preempt::NiceGrew)
    } else {
        Some(Preempt::NiceNotGrown)
    }
}

/// A change of latency-nice: it shows when the request is next renewed (R4.A.6).
pub(crate) fn set_latency_nice<G: Generation>(
    _: &mut RunQueue,
    entities: &mut Entities,
    _: FairCx,
    task: TaskId,
    latency_nice: LatencyNice,
) {
    entities[task].latency_nice = latency_nice;
}

/// Changes the weight of an entity where it is, as group shares do (R4.B.16, ch. 4C.2). Not what a
/// change of nice does.
pub(crate) fn reweight<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    weight: NewWeight,
) {
    let old_weight = entities[task].weight();
    let scale = |value: i64, new| scale_to_weight(value, old_weight, new);
    if !entities[task].on_rq {
        let entity = &mut entities[task];
        entity.set_weight(weight);
        if G::since(Eevdf2023_03v2) {
            entity.vlag = scale(entity.vlag, entity.weight());
        }
        return;
    }
    let waiting = rq.fair.curr != Some(task);
    if G::since(Eevdf6_11) || !waiting {
        update_curr::<G>(rq, entities, cx);
    }
    let average = average::<G>(rq.fair.totals(entities));
    let lag = if G::since(Eevdf6_11) {
        lag::<G>(&rq.fair, entities, cx, task)
    } else {
        average.since(entities[task].vruntime)
    };
    if waiting {
        tree_remove::<G>(&mut rq.fair, entities, task);
    }
    let entity = &mut entities[task];
    rq.fair.load -= u64::from(old_weight);
    let request_left = entity.deadline.since(entity.vruntime);
    entity.set_weight(weight);
    let weight = entity.weight();
    if G::since(Eevdf6_17) {
        entity.vlag = scale(lag, weight);
        entity.deadline = Vtime(scale(request_left, weight) as u64);
        replace::<G>(&mut rq.fair, entities, cx, task);
    } else if G::since(Eevdf6_8) {
        let from_average = scale(entity.deadline.since(average), weight);
        if average != entity.vruntime {
            entity.vruntime = average.plus(-scale(lag, weight));
        }
        entity.deadline = average.plus(from_average);
    } else if G::since(Eevdf2023_03v2) {
        entity.deadline = entity.vruntime.plus(scale(request_left, weight));
    }
    rq.fair.load += u64::from(weight);
    if waiting {
        tree_insert::<G>(&mut rq.fair, entities, task);
    }
    if G::since(Eevdf6_8) {
        update_min_vruntime::<G>(&mut rq.fair, entities, cx);
    }
}

/// Places an entity anew, with its lag and its relative deadline, as if it had left (6.13 and
/// later). It is outside the tree.
fn replace<G: Generation>(
    queue: &mut FairQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
) {
    // A running one keeps no marker in vlag from 6.17 on, so that the lag may stand there.
    entities[task].rel_deadline = true;
    entities[task].on_rq = false;
    queue.nr_running -= 1;
    place_entity::<G>(queue, entities, cx, task, Place::Other);
    queue.nr_running += 1;
    entities[task].on_rq = true;
}
