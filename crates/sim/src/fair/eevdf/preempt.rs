//! EEVDF: whether a woken or new task takes the CPU.

use super::pick::pick_eevdf;
use super::{Generation, eligible, shortest_request, update_curr};
use crate::fair::reason::{PickTrace, Preempt, Resched, Wake};
use crate::fair::{Entities, FairCx, FairQueue};
use crate::kernel::FairGeneration::{Eevdf6_12, Eevdf6_17, Eevdf2023_03v2};
use crate::kernel::Feature;
use crate::run_queue::RunQueue;
use crate::units::TaskId;

/// Whether a woken or new task should take the CPU (R4.A.10, R4.B.15, R4.C.11, R4.C.20).
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
    // From 6.13 on a delayed task is nobody's buddy (ch. 4C.2).
    let buddy = how == Wake::Wakeup && !(G::since(Eevdf6_17) && entities[woken].delayed);
    if G::since(Eevdf2023_03v2) && cx.has(Feature::NextBuddy) && buddy {
        rq.fair.next = Some(woken);
    }
    if rq.need_resched.is_some() {
        return Preempt::Pending;
    }
    if !cx.has(Feature::WakeupPreemption) {
        return Preempt::FeatureOff;
    }
    update_curr::<G>(rq, entities, cx);
    if G::since(Eevdf6_17) {
        return preempt_protected::<G>(rq, entities, cx, curr, woken, trace);
    }
    let short = G::since(Eevdf6_12)
        && cx.has(Feature::PreemptShort)
        && preempts_short::<G>(&rq.fair, entities, curr, woken);
    if short {
        let curr = &mut entities[curr];
        curr.vlag = curr.deadline.signed().wrapping_add(1);
    }
    let (choice, reason) = pick_eevdf::<G>(&rq.fair, entities, cx, true, trace);
    if choice == woken {
        rq.resched_curr(Resched::Preempted);
        Preempt::Picked { short }
    } else {
        Preempt::NotPicked { reason, short }
    }
}

/// The test of 6.17: a shorter request is picked without regard to protection, and ends it only if
/// it wins; if not, protection ends when the shortest request queued would (R4.C.20).
fn preempt_protected<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    curr: TaskId,
    woken: TaskId,
    trace: &mut impl PickTrace,
) -> Preempt {
    let short = cx.has(Feature::PreemptShort) && entities[woken].slice < entities[curr].slice;
    let (choice, reason) = pick_eevdf::<G>(&rq.fair, entities, cx, !short, trace);
    if choice == woken {
        if short {
            entities[curr].vprot = entities[curr].vruntime;
        }
        rq.resched_curr(Resched::Preempted);
        return Preempt::Picked { short };
    }
    if cx.has(Feature::RunToParity)
        && short
        && let Some(least) = shortest_request(&rq.fair, entities)
    {
        let entity = &mut entities[curr];
        let end = entity.vruntime.plus(entity.virtual_time(least));
        entity.vprot = entity.vprot.min(end);
    }
    Preempt::NotPicked { reason, short }
}

/// Whether a woken task with a shorter request ends the running one's protection (R4.C.11).
fn preempts_short<G: Generation>(
    queue: &FairQueue,
    entities: &Entities,
    curr: TaskId,
    woken: TaskId,
) -> bool {
    let (running, other) = (&entities[curr], &entities[woken]);
    other.slice < running.slice
        && eligible::<G>(queue, entities, woken)
        && (other.deadline.before(running.deadline) || !eligible::<G>(queue, entities, curr))
        && running.protected()
}
