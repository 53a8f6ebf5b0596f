//! CFS: changes of nice and latency-nice, and of a weight in place.

use super::{
    Generation, dequeue_task, enqueue_task, latency, put_prev_task, set_next_task, update_curr,
};
use crate::fair::reason::{Dequeue, Enqueue, Preempt, Resched};
use crate::fair::{Entities, FairCx, NewWeight};
use crate::run_queue::RunQueue;
use crate::units::{LatencyNice, Nice, Span, TaskId};

/// A change of nice (R2.14.1, R3.1.15).
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
) -> Option<Preempt> {
    if entities[task].nice() == nice {
        return Some(Preempt::NoTest);
    }
    change::<G>(rq, entities, cx, task, Dequeue::Move, nice)
}

/// A change of latency-nice: off the queue, a new offset, and back on it (R3.2.17).
pub(crate) fn set_latency_nice<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    latency_nice: LatencyNice,
) {
    if !G::LATENCY_NICE {
        entities[task].latency_nice = latency_nice;
        return;
    }
    let queued = entities[task].on_rq;
    let running = rq.fair.curr == Some(task);
    if queued {
        dequeue_task::<G>(rq, entities, cx, task, Dequeue::Move);
    }
    if running {
        put_prev_task::<G>(rq, entities, cx);
    }
    entities[task].latency_nice = latency_nice;
    latency::set_offset(&mut entities[task], cx);
    if queued {
        enqueue_task::<G>(rq, entities, cx, task, Enqueue::Move);
    }
    if running {
        set_next_task::<G>(rq, entities, cx, task);
    }
}

/// Off the queue, new weight, and back on it. `None` asks for the preemption test for the task.
fn change<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    why: Dequeue,
    nice: Nice,
) -> Option<Preempt> {
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
    if !queued || (G::V6_1 && rq.nr_running == 1) {
        Some(Preempt::NoTest)
    } else if running && grew {
        rq.resched_curr(Resched::NiceGrew);
        Some(Preempt::NiceGrew)
    } else if !G::V6_1 && !grew {
        rq.resched_curr(Resched::NiceShrank);
        Some(Preempt::NiceShrank)
    } else if running {
        Some(Preempt::NiceNotGrown)
    } else if G::V6_1 {
        None
    } else {
        Some(Preempt::NoTest)
    }
}

/// Changes the weight of an entity where it is, as group shares do (R3.1.15).
pub(crate) fn reweight<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    task: TaskId,
    weight: NewWeight,
) {
    if !entities[task].on_rq {
        entities[task].set_weight(weight);
        return;
    }
    let running = rq.fair.curr == Some(task);
    if running {
        update_curr::<G>(rq, entities, cx);
    } else {
        rq.fair.sub_average(&entities[task]);
    }
    rq.fair.load -= u64::from(entities[task].weight());
    entities[task].set_weight(weight);
    rq.fair.load += u64::from(entities[task].weight());
    if !running {
        rq.fair.add_average(&entities[task]);
    }
}
