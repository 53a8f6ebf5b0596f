//! CFS: who runs next, who preempts, and when a turn is over.

use super::{
    Generation, latency, put_prev_task, sched_slice, set_next_task, update_curr, virtual_time,
};
use crate::fair::reason::{
    NearRule, NearTest, Pick, PickReason, PickTrace, Preempt, Resched, Wake,
};
use crate::fair::{Entities, FairCx, FairQueue, tree};
use crate::kernel::Feature;
use crate::run_queue::RunQueue;
use crate::units::TaskId;

/// Whether the running task stays outside the tree while a pick chooses; otherwise it is put back
/// first (R2.10.0, R3.1.12).
pub(crate) fn keeps_curr_outside<G: Generation>(queue: &FairQueue, cx: FairCx) -> bool {
    G::V6_1 && cx.kernel.group_sched && queue.curr.is_some() && queue.nr_running > 0
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
    _completed: &mut Vec<TaskId>,
    trace: &mut impl PickTrace,
) -> Pick {
    let prev = rq.fair.curr;
    let curr_outside = prepare_pick::<G>(rq, entities, cx);
    if rq.fair.nr_running == 0 {
        return Pick { next: None, reason: PickReason::Idle };
    }
    let pick = attempt::<G>(rq, entities, cx, trace);
    let Some(next) = pick.next else { return pick };
    if curr_outside && prev == Some(next) {
        rq.list_to_head(entities, next);
    } else {
        put_prev_task::<G>(rq, entities, cx);
        set_next_task::<G>(rq, entities, cx, next);
    }
    pick
}

/// Chooses, and changes nothing but buddies. Something must be queued.
pub(crate) fn attempt<G: Generation>(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    _trace: &mut impl PickTrace,
) -> Pick {
    let (next, reason) = pick_next_entity::<G>(&rq.fair, entities, cx);
    if !G::V6_1 {
        rq.fair.clear_buddies(next);
    }
    let reason = if rq.fair.nr_running == 1 { PickReason::OnlyOne } else { reason };
    Pick { next: Some(next), reason }
}

/// The leftmost, unless a buddy is near enough (R2.10, R3.1.11). Something must be queued.
fn pick_next_entity<G: Generation>(
    queue: &FairQueue,
    entities: &Entities,
    cx: FairCx,
) -> (TaskId, PickReason) {
    choose_near::<G>(queue, entities, cx, |_| ())
}

/// Who may go before whom in a pick, in the order in which it asks.
pub(crate) fn near_tests<G: Generation>(
    queue: &FairQueue,
    entities: &Entities,
    cx: FairCx,
) -> Vec<NearTest> {
    let mut tests = Vec::new();
    if queue.nr_running > 0 {
        choose_near::<G>(queue, entities, cx, |test| tests.push(test));
    }
    tests
}

/// [`pick_next_entity`], which tells `hear` of every test it makes.
fn choose_near<G: Generation>(
    queue: &FairQueue,
    entities: &Entities,
    cx: FairCx,
    mut hear: impl FnMut(NearTest),
) -> (TaskId, PickReason) {
    let curr = queue.queued_curr(entities);
    let before = |curr: TaskId, other: Option<TaskId>| {
        other.is_none_or(|other| entities[curr].vruntime.before(entities[other].vruntime))
    };
    let first = queue.tree.first();
    let curr_first = curr.filter(|&curr| before(curr, first));
    let left = curr_first.or(first).expect("something is queued");
    let mut near = |rule, task: Option<TaskId>, against| {
        task.filter(|&task| {
            let near = preempt_entity::<G>(entities, cx, task, against) < 1;
            let ahead = entities[task].vruntime.since(entities[against].vruntime);
            let offset = latency::offset::<G>(&entities[task], &entities[against], cx);
            let threshold = preempt_threshold::<G>(entities, cx, task, against).unwrap_or(0);
            hear(NearTest { rule, task, against, ahead, offset, threshold, near });
            near
        })
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
            if let Some(second) = near(NearRule::Second, second, left) {
                chosen = (second, PickReason::FirstYielded);
            }
        }
        if let Some(next) = near(NearRule::Next, queue.next, left) {
            chosen = (next, PickReason::NextBuddy);
        } else if let Some(last) = near(NearRule::Last, queue.last, left) {
            chosen = (last, PickReason::LastBuddy);
        }
    } else {
        if let Some(next) = near(NearRule::Next, queue.next, left) {
            chosen = (next, PickReason::NextBuddy);
        }
        if let Some(last) = near(NearRule::Last, queue.last, left) {
            chosen = (last, PickReason::LastBuddy);
        }
    }
    if G::LATENCY_NICE
        && let Some(soon) = queue.latency_tree.first().filter(|&soon| soon != chosen.0)
        && near(NearRule::Latency, Some(soon), chosen.0).is_some()
    {
        chosen = (soon, PickReason::LatencyFirst);
    }
    chosen
}

/// `wakeup_preempt_entity()`: 1 if `curr` is ahead of `other` by more than the threshold, 0 if by
/// less, −1 if it is not ahead (R2.8.7); with latency-nice, "ahead" starts at its offset (R3.2.6).
fn preempt_entity<G: Generation>(
    entities: &Entities,
    cx: FairCx,
    curr: TaskId,
    other: TaskId,
) -> i32 {
    let ahead = entities[curr].vruntime.since(entities[other].vruntime);
    let behind = match latency::offset::<G>(&entities[curr], &entities[other], cx) {
        Some(offset) => ahead < offset,
        None => ahead <= 0,
    };
    if behind {
        return -1;
    }
    let threshold = preempt_threshold::<G>(entities, cx, curr, other);
    i32::from(threshold.is_some_and(|threshold| ahead > threshold))
}

/// By how much `curr` must be ahead of `other` to be preempted by it, ns of virtual time: the
/// wakeup granularity, scaled by the weight of `other` (R2.8.7); with latency-nice, plus the offset
/// between the two, and limited (R3.2.6).
pub(crate) fn preempt_threshold<G: Generation>(
    entities: &Entities,
    cx: FairCx,
    curr: TaskId,
    other: TaskId,
) -> Option<i64> {
    let granularity = virtual_time::<G>(&entities[other], cx.kernel.cfs.wakeup_granularity);
    Some(match latency::offset::<G>(&entities[curr], &entities[other], cx) {
        Some(offset) => (offset + granularity).min(latency::limit(cx)),
        None => granularity,
    })
}

/// The latency offset between two entities (R3.2.5), ns of virtual time.
pub(crate) fn latency_offset<G: Generation>(
    entities: &Entities,
    cx: FairCx,
    curr: TaskId,
    other: TaskId,
) -> Option<i64> {
    latency::offset::<G>(&entities[curr], &entities[other], cx)
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
            // In 6.1 only a task becomes the last buddy (R3.1.9).
            let may = !(G::V6_1 && curr.is_group());
            if cx.has(Feature::LastBuddy) && many && may && entities[curr].on_rq {
                rq.fair.last = Some(curr);
            }
            Preempt::FarBehind
        }
        0 => Preempt::NearBehind,
        _ => Preempt::NotBehind,
    }
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
    if let Some(offset) = latency::offset::<G>(&entities[curr], &entities[first], cx) {
        let limit = latency::limit(cx).min(ideal.0 as i64);
        if ahead >= offset && ahead > limit {
            rq.resched_curr(Resched::AheadOfLeftmost);
        }
        return;
    }
    // 2.6.36 compares with an unsigned number: whoever is behind counts as far ahead.
    if ahead as u64 > ideal.0 && !(G::V6_1 && ahead < 0) {
        rq.resched_curr(Resched::AheadOfLeftmost);
    }
}
