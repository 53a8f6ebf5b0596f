//! EEVDF: the pick. Three searches of two trees, one of them with a flaw.

use super::{
    Generation, complete_dequeue, eligible, protected, put_prev_task, set_next_task, update_curr,
};
use crate::fair::reason::{NoTrace, Pick, PickReason, PickTrace, Visit};
use crate::fair::tree;
use crate::fair::{Entities, FairCx, FairQueue, Totals};
use crate::kernel::FairGeneration::{Eevdf6_6, Eevdf6_8, Eevdf6_12, Eevdf6_17, Eevdf2023_03v2};
use crate::kernel::Feature;
use crate::run_queue::RunQueue;
use crate::units::TaskId;

/// Whether the running task stays outside the tree while a pick chooses; otherwise it is put back
/// first (R4.B.11, R4.B.14).
pub(crate) fn keeps_curr_outside<G: Generation>(queue: &FairQueue, cx: FairCx) -> bool {
    G::since(Eevdf6_12) || (cx.kernel.group_sched && queue.curr.is_some())
}

/// What a pick does before it chooses: charges the running task, or puts it back into the tree
/// first. Returns whether it stays outside the tree.
pub(crate) fn prepare_pick<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
) -> bool {
    let curr_outside = keeps_curr_outside::<G>(&rq.fair, cx);
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
    let pick = choose::<G>(rq, entities, cx, completed, trace);
    match pick.next {
        Some(next) if curr_outside && prev == Some(next) => {
            rq.list_to_head(entities, next);
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
fn choose<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    completed: &mut Vec<TaskId>,
    trace: &mut impl PickTrace,
) -> Pick {
    while rq.fair.nr_running > 0 {
        let pick = attempt::<G>(rq, entities, cx, trace);
        match pick.next {
            Some(chosen) if G::since(Eevdf6_12) && entities[chosen].delayed => {
                complete_dequeue::<G>(rq, entities, cx, chosen);
                trace.visit(chosen, Visit::Completed);
                completed.push(chosen);
            }
            _ => return pick,
        }
    }
    Pick { next: None, reason: PickReason::Idle }
}

/// Chooses an entity, perhaps one whose dequeue is delayed. Something must be queued.
pub(crate) fn attempt<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    trace: &mut impl PickTrace,
) -> Pick {
    // The first proposal ignores buddies (R4.A.11, R4.A.28); 6.13 and later honour any (4C.2).
    let feature = if G::since(Eevdf6_17) { Feature::PickBuddy } else { Feature::NextBuddy };
    let honours = G::since(Eevdf2023_03v2) && cx.has(feature);
    let buddy = rq.fair.next.filter(|&next| honours && eligible::<G>(&rq.fair, entities, next));
    let (chosen, reason) = match buddy {
        Some(buddy) => (buddy, PickReason::NextBuddy),
        None => pick_eevdf::<G>(&rq.fair, entities, cx, true, trace),
    };
    Pick { next: Some(chosen), reason }
}

/// The earliest eligible virtual deadline (R4.A.8, R4.B.12, R4.B.13), unless the running task is
/// protected and `protect` says to honour that. Something must be queued.
pub(super) fn pick_eevdf<G: Generation>(
    queue: &FairQueue,
    entities: &Entities,
    cx: FairCx,
    protect: bool,
    trace: &mut impl PickTrace,
) -> (TaskId, PickReason) {
    let queued_curr = queue.queued_curr(entities);
    if G::since(Eevdf6_8) && queue.nr_running == 1 {
        let only = queued_curr.or(queue.tree.root()).expect("one entity is queued");
        return (only, PickReason::OnlyOne);
    }
    let totals = queue.totals(entities);
    let curr = queued_curr.filter(|&curr| totals.eligible(entities[curr].vruntime));
    if let Some(curr) = curr
        && protect
        && protected::<G>(&entities[curr], cx)
    {
        return (curr, PickReason::Parity);
    }
    let (chosen, reason) = if G::since(Eevdf6_8) {
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
    } else if G::since(Eevdf6_6) {
        earliest_deadline(queue, entities, totals, curr, trace)
    } else {
        flawed_walk(queue, entities, totals, curr, trace)
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

/// The walk of the proposals of March 2023 (R4.A.8). Where an eligible node's earliest deadline
/// below is not in its left subtree it goes right and forgets the left one; if that deadline then
/// turns out to belong to somebody not eligible, an earlier eligible deadline on the left is
/// missed. 6.6 keeps the left subtree in mind ([`earliest_deadline`]).
fn flawed_walk(
    queue: &FairQueue,
    entities: &Entities,
    totals: Totals,
    curr: Option<TaskId>,
    trace: &mut impl PickTrace,
) -> (Option<TaskId>, PickReason) {
    let deadline = |task: TaskId| entities[task].deadline;
    let min = |task: TaskId| tree::subtree_min(entities, task);
    let mut best: Option<TaskId> = None;
    let mut at = queue.tree.root();
    while let Some(node) = at {
        if !totals.eligible(entities[node].vruntime) {
            trace.visit(node, Visit::NotEligibleGoLeft);
            at = tree::left(entities, node);
            continue;
        }
        let better = best.is_none_or(|best| deadline(node).before(deadline(best)));
        if better {
            best = Some(node);
            if deadline(node) == min(node) {
                trace.visit(node, Visit::OwnMinimum { best: true });
                break;
            }
        }
        let left = tree::left(entities, node);
        if let Some(left) = left.filter(|&left| min(left) == min(node)) {
            trace.visit(node, Visit::EligibleGoLeft { best: better });
            at = Some(left);
        } else {
            trace.visit(node, Visit::EligibleForgetLeft { best: better });
            at = tree::right(entities, node);
        }
    }
    let (chosen, reason) = match (best, curr) {
        (Some(best), Some(curr)) if deadline(curr).before(deadline(best)) => {
            (curr, PickReason::CurrEarlier)
        }
        (Some(best), _) => (best, PickReason::EarliestEligible),
        (None, Some(curr)) => (curr, PickReason::CurrOnlyEligible),
        (None, None) => return (None, PickReason::Fallback),
    };
    let (right_one, _) = earliest_deadline(queue, entities, totals, curr, &mut NoTrace);
    match right_one.filter(|&missed| deadline(missed).before(deadline(chosen))) {
        Some(missed) => (Some(chosen), PickReason::FlawedSearch { missed }),
        None => (Some(chosen), reason),
    }
}
