//! The figures behind a decision of the fair class, made only when somebody asks.
//!
//! Evidence is taken by making the same decision with the same code on a copy, with a trace: it
//! cannot disagree with the engine. Nothing here changes the queue it is asked about.

use super::reason::{Enqueue, NearTest, Pick, PickReason, Preempt, Resched, Visit, Wake};
use super::tree::{ByLatency, Order};
use super::{Entities, FairCx, Totals, cfs, tree};
use crate::kernel::FairGeneration;
use crate::run_queue::RunQueue;
use crate::units::{Span, TaskGroupId, TaskId, Time, Vtime};

/// What a fair queue looked like to a decision.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueEvidence {
    /// When.
    pub now: Time,
    /// V, the load-weighted average vruntime: who is at or before it is eligible (R4.B.3).
    pub average: Vtime,
    /// The queue's reference point.
    pub min_vruntime: Vtime,
    /// Σ weight of all queued entities, the running one included.
    pub load: u64,
    /// Σ (vruntime − `min_vruntime`) · weight of the same entities.
    pub sum: i64,
    /// The running entity, if it stayed outside the tree and is queued.
    pub curr: Option<TaskId>,
    /// The next buddy.
    pub next: Option<TaskId>,
    /// CFS: the last buddy.
    pub last: Option<TaskId>,
    /// CFS of 6.1: who yielded.
    pub skip: Option<TaskId>,
    /// CFS: who a pick lets go before the leftmost, and whom not, in the order of its rules.
    pub near: Vec<NearTest>,
    /// Of a group's queue: what the group's entity weighs in the root queue, and the load there
    /// with it (R2.5.2).
    pub above: Option<(u32, u64)>,
    /// CFS: the period in which each should run once (R2.5.1).
    pub period: Option<Span>,
    /// CFS latency-nice: the nodes of the second tree, by vruntime + offset, in ascending order
    /// (R3.2.9); `min` is that sum of the node itself and is relative to nothing.
    pub latency: Vec<NodeEvidence>,
    /// Every queued entity: the running one first, then in tree order.
    pub rows: Vec<EntityEvidence>,
    /// The root of the tree.
    pub root: Option<TaskId>,
    /// The tree's nodes in ascending order.
    pub nodes: Vec<NodeEvidence>,
}

/// One queued entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntityEvidence {
    /// The entity: a task, or a group's entity ([`TaskId::is_group`]).
    pub task: TaskId,
    /// The group whose entity this is, if it is one.
    pub group: Option<TaskGroupId>,
    /// Its weight, 1024 at nice 0.
    pub weight: u32,
    /// Its virtual run time.
    pub vruntime: Vtime,
    /// V − vruntime, not limited, ns of virtual time; negative: it ran ahead.
    pub lag: i64,
    /// Its virtual deadline.
    pub deadline: Vtime,
    /// Its request; in CFS its share of the period (R2.5.2).
    pub slice: Span,
    /// Whether it is eligible; CFS does not ask.
    pub eligible: bool,
    /// Whether it sleeps and is queued only to work off its lag (R4.C.5).
    pub delayed: bool,
    /// Whether it is the running one.
    pub running: bool,
    /// Whether it is the running one, and keeps the CPU while it is eligible (R4.B.11, R4.C.20).
    pub protected: bool,
    /// Up to where in virtual time, if so.
    pub protected_until: Option<Vtime>,
    /// How long it has run since it was last picked (charged so far). CFS holds that against its
    /// slice (R2.9.2).
    pub ran: Span,
    /// CFS latency-nice: its offset, ns of virtual time; 0 elsewhere (R3.2.4).
    pub latency_offset: i64,
    /// START_NICE: how much more CPU time counts double (R2.13.2).
    pub penalty: Span,
}

/// One node of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeEvidence {
    /// The entity.
    pub task: TaskId,
    /// Its parent; `None` for the root.
    pub parent: Option<TaskId>,
    /// Its left child.
    pub left: Option<TaskId>,
    /// Its right child.
    pub right: Option<TaskId>,
    /// Whether it is red; black otherwise.
    pub red: bool,
    /// The minimum over it and all below: of the deadlines up to 6.6, of the vruntimes from 6.8 on;
    /// meaningless in CFS.
    pub min: Vtime,
}

/// What a search visited, in order, and what it did there.
type Visits = Vec<(TaskId, Visit)>;

/// The figures behind a pick.
#[derive(Clone, Debug, PartialEq)]
pub struct PickEvidence {
    /// The queue after the pick's first accounting, before any choice.
    pub queue: QueueEvidence,
    /// What the search visited, in order, and what it did there.
    pub walk: Vec<(TaskId, Visit)>,
    /// If that chose a group's entity: how one of its tasks was chosen.
    pub inner: Option<InnerEvidence>,
    /// Delayed tasks, and delayed groups' entities, whose dequeue the pick completed, in order
    /// (R4.C.6).
    pub completed: Vec<TaskId>,
    /// The queue after each of those dequeues: what the search that follows it sees.
    pub after: Vec<QueueEvidence>,
    /// What came of it.
    pub pick: Pick,
}

/// The figures behind a pick inside a group.
#[derive(Clone, Debug, PartialEq)]
pub struct InnerEvidence {
    /// The group.
    pub group: TaskGroupId,
    /// Why the group's entity was chosen in the root queue.
    pub reason: PickReason,
    /// The group's queue, before the choice.
    pub queue: QueueEvidence,
    /// What the search visited there, in order.
    pub walk: Vec<(TaskId, Visit)>,
}

/// The figures behind a preemption test. In groups, those of the queue where both are, or where
/// their groups' entities are.
#[derive(Clone, Debug, PartialEq)]
pub struct PreemptEvidence {
    /// The queue after accounting, the woken task (or its group's entity) in it.
    pub queue: QueueEvidence,
    /// The group whose queue that is; `None` is the root queue.
    pub group: Option<TaskGroupId>,
    /// The running task, if it is a fair one that is queued.
    pub curr: Option<EntityEvidence>,
    /// The woken task, if it is queued.
    pub woken: Option<EntityEvidence>,
    /// CFS: by how much the running task must be ahead to be preempted, ns of virtual time
    /// (R2.8.7); with latency-nice, offset and limit are in it (R3.2.6).
    pub granularity: Option<i64>,
    /// CFS latency-nice: the offset between the two, ns of virtual time (R3.2.5).
    pub latency_offset: Option<i64>,
    /// CFS latency-nice: the most that `granularity` can be (R3.2.3), ns.
    pub latency_limit: Option<i64>,
    /// How the woken or new task got its place on the queue; filled in by those who enqueued it.
    pub placed: Option<EnqueueEvidence>,
    /// What the search of the test visited, in order; empty if the test ended earlier.
    pub walk: Vec<(TaskId, Visit)>,
    /// What came of it.
    pub verdict: Preempt,
}

/// The figures behind the place that a task gets on a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnqueueEvidence {
    /// V before the task is on the queue, after accounting.
    pub average: Vtime,
    /// The queue's reference point.
    pub min_vruntime: Vtime,
    /// Σ weight of all who are queued, without the task.
    pub load: u64,
    /// The task's weight.
    pub weight: u32,
    /// The lag that it carries, from the queue that it left (R4.D.1). Meaningless in CFS.
    pub vlag: i64,
    /// V − its new vruntime: in EEVDF the carried lag, inflated so that it is right again once the
    /// task itself is counted in V (R4.B.6).
    pub lag: i64,
    /// Its new vruntime.
    pub vruntime: Vtime,
    /// Its request; in CFS its share of the period.
    pub slice: Span,
    /// Its new deadline. Meaningless in CFS.
    pub deadline: Vtime,
    /// Whether what was left of its request was carried over (R4.C.4).
    pub deadline_carried: bool,
    /// How it came.
    pub how: Enqueue,
    /// CFS: the vruntime with which it came, on this queue (R2.7). Meaningless in EEVDF.
    pub came: Vtime,
    /// CFS: by how much a sleeper may be placed before `min_vruntime` (R2.6.3), ns of virtual time.
    pub credit: i64,
    /// CFS: what the fork gave it.
    pub fork: Option<ForkEvidence>,
}

/// CFS: what a fork gives a new task, on its parent's queue. Places are relative to that queue's
/// `min_vruntime`, ns of virtual time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForkEvidence {
    /// Where the parent is, if one is modelled.
    pub parent: Option<i64>,
    /// Where the child is put: the parent's place or, if later, a debit (R2.11.2).
    pub place: i64,
    /// Its slice of the period, the child counted: the debit of START_DEBIT before it is divided by
    /// the weight (R2.6.2).
    pub slice: Span,
    /// START_NICE: for how much CPU time the child pays double (R2.13.3).
    pub penalty: Span,
    /// It is to run before its parent, and has changed places with it (R2.11.3).
    pub first: bool,
}

/// Why [`RunQueue::pick_next_task`] would pick what it would pick now.
#[must_use]
pub fn pick_evidence(rq: &RunQueue, entities: &Entities, cx: FairCx) -> PickEvidence {
    let (mut rq, mut entities) = (rq.clone(), entities.clone());
    rq.prepare_pick(&mut entities, cx);
    let queue = rq.at(&mut entities, None, |rq, entities| queue_evidence(rq, entities, cx));
    let (mut left, mut remaining) = (rq.clone(), entities.clone());
    let mut visits = Vec::new();
    let pick = rq.pick_next_task(&mut entities, cx, &mut Vec::new(), &mut visits);
    // The search goes from the root into a group; a completed dequeue sends it back to the root.
    let (mut walk, mut completed, mut after) = (Vec::new(), Vec::new(), Vec::new());
    let mut inner: Option<(TaskId, PickReason, Visits)> = None;
    for (entity, visit) in visits {
        match visit {
            Visit::Completed => {
                inner = None;
                walk.push((entity, visit));
                completed.push(entity);
                left.complete_dequeue(&mut remaining, cx, entity);
                after.push(
                    left.at(&mut remaining, None, |rq, entities| queue_evidence(rq, entities, cx)),
                );
            }
            Visit::IntoGroup { reason } => {
                inner = Some((entity, reason, Vec::new()));
                walk.push((entity, visit));
            }
            _ => match &mut inner {
                Some((_, _, walk)) => walk.push((entity, visit)),
                None => walk.push((entity, visit)),
            },
        }
    }
    let inner = inner.and_then(|(entity, reason, walk)| {
        let group = remaining[entity].group?;
        let queue =
            left.at(&mut remaining, Some(group), |rq, entities| queue_evidence(rq, entities, cx));
        Some(InnerEvidence { group, reason, queue, walk })
    });
    PickEvidence { queue, walk, inner, completed, after, pick }
}

/// Why [`RunQueue::wakeup_preempt`] would say what it would say now. `woken` is enqueued already.
#[must_use]
pub fn preempt_evidence(
    rq: &RunQueue,
    entities: &Entities,
    cx: FairCx,
    woken: TaskId,
    how: Wake,
) -> PreemptEvidence {
    let (mut tested, mut entities) = (rq.clone(), entities.clone());
    let mut walk = Vec::new();
    let mut charged = entities.clone();
    let mut seen = rq.clone();
    seen.update_curr(&mut charged, cx);
    let group = seen.common_group(&charged, woken);
    let queue = seen.at(&mut charged, group, |rq, entities| queue_evidence(rq, entities, cx));
    let (curr, other) = seen.rivals(&charged, woken);
    let verdict = tested.wakeup_preempt_traced(&mut entities, cx, woken, how, &mut walk);
    let row = |task| queue.rows.iter().find(|row| row.task == task).copied();
    let between = |figure: fn(&Entities, FairCx, TaskId, TaskId) -> Option<i64>| {
        curr.filter(|_| queue.curr == curr).and_then(|curr| figure(&charged, cx, curr, other))
    };
    let granularity = between(RunQueue::preempt_threshold);
    let latency_offset = between(RunQueue::latency_offset);
    let latency_limit = latency_offset.map(|_| cfs::latency::limit(cx));
    let (curr, woken) = (queue.curr.and_then(row), row(other));
    PreemptEvidence {
        queue,
        group,
        curr,
        woken,
        granularity,
        latency_offset,
        latency_limit,
        placed: None,
        walk,
        verdict,
    }
}

/// Where [`RunQueue::enqueue_task`] would put a task now, and by which figures.
#[must_use]
pub fn enqueue_evidence(
    rq: &RunQueue,
    entities: &Entities,
    cx: FairCx,
    task: TaskId,
    how: Enqueue,
) -> EnqueueEvidence {
    let (mut rq, mut entities) = (rq.clone(), entities.clone());
    rq.update_curr(&mut entities, cx);
    let totals = rq.queue_of(&entities, task).totals(&entities);
    let average = average(cx, totals);
    let (vlag, was_relative) = (entities[task].vlag, entities[task].rel_deadline);
    let came = match entities[task].rel_vruntime {
        true => totals.origin.plus(entities[task].vruntime.signed()),
        false => entities[task].vruntime,
    };
    rq.enqueue_task(&mut entities, cx, task, how);
    let entity = &entities[task];
    EnqueueEvidence {
        average,
        min_vruntime: totals.origin,
        load: totals.load,
        weight: entity.weight(),
        vlag,
        lag: average.since(entity.vruntime),
        vruntime: entity.vruntime,
        slice: rq.sched_slice(&entities, cx, task),
        deadline: entity.deadline,
        deadline_carried: was_relative && !entity.rel_deadline,
        how,
        came,
        credit: cfs::sleeper_credit(cx),
        fork: None,
    }
}

/// What [`RunQueue::task_fork`] would give a new task now; `None` in EEVDF, which places a task
/// where it is enqueued. `parent` is whether the running task pays for it.
#[must_use]
pub fn fork_evidence(
    rq: &RunQueue,
    entities: &Entities,
    cx: FairCx,
    child: TaskId,
    parent: bool,
) -> Option<ForkEvidence> {
    if !cx.kernel.fair.is_cfs() {
        return None;
    }
    let (mut rq, mut entities) = (rq.clone(), entities.clone());
    rq.update_curr(&mut entities, cx);
    let queue = rq.queue_of(&entities, child);
    let min = queue.min_vruntime;
    let forks = queue.curr.filter(|_| parent);
    let at = forks.map(|curr| entities[curr].vruntime.since(min));
    let slice = rq.sched_slice(&entities, cx, child);
    if parent {
        rq.task_fork(&mut entities, cx, child);
    } else {
        rq.task_start(&mut entities, cx, child);
    }
    let entity = &entities[child];
    Some(ForkEvidence {
        parent: at,
        place: entity.vruntime.signed(),
        slice,
        penalty: Span(entity.penalty_end.0.saturating_sub(entity.sum_exec.0)),
        first: rq.need_resched == Some(Resched::ChildRunsFirst),
    })
}

/// The tasks queued at every level of a CPU, with the running one charged up to now: on copies of
/// queue and entities, which are changed.
#[must_use]
pub fn charged_rows(rq: &mut RunQueue, entities: &mut Entities, cx: FairCx) -> Vec<EntityEvidence> {
    rq.update_curr(entities, cx);
    if rq.groups.is_empty() {
        return queue_evidence(rq, entities, cx).rows;
    }
    let groups = 0..rq.groups.len();
    let groups = groups.filter(|&group| rq.groups[group].queue.nr_running > 0);
    let levels: Vec<Option<TaskGroupId>> =
        groups.map(|group| Some(TaskGroupId(group as u16))).chain([None]).collect();
    let mut rows = Vec::new();
    for group in levels {
        rows.extend(rq.at(entities, group, |rq, entities| queue_evidence(rq, entities, cx).rows));
    }
    rows.retain(|row| row.group.is_none());
    rows
}

/// What a CPU's queue looks like as it is: the root's, or that of a group of tasks.
#[must_use]
pub fn level_evidence(
    rq: &RunQueue,
    entities: &Entities,
    cx: FairCx,
    group: Option<TaskGroupId>,
) -> QueueEvidence {
    if rq.groups.is_empty() {
        return queue_evidence(rq, entities, cx);
    }
    let (mut rq, mut entities) = (rq.clone(), entities.clone());
    rq.at(&mut entities, group, |rq, entities| queue_evidence(rq, entities, cx))
}

/// What the queue looks like as it is.
#[must_use]
pub fn queue_evidence(rq: &RunQueue, entities: &Entities, cx: FairCx) -> QueueEvidence {
    let queue = &rq.fair;
    let totals = queue.totals(entities);
    let fair = cx.kernel.fair;
    let average = average(cx, totals);
    let curr = queue.queued_curr(entities);
    let row = |task| {
        let entity = &entities[task];
        let running = curr == Some(task);
        let protected = running && RunQueue::protected(entities, cx, task);
        let until = if fair >= FairGeneration::Eevdf6_17 { entity.vprot } else { entity.deadline };
        EntityEvidence {
            task,
            group: entity.group.filter(|_| task.is_group()),
            weight: entity.weight(),
            vruntime: entity.vruntime,
            lag: average.since(entity.vruntime),
            deadline: entity.deadline,
            slice: RunQueue::entity_slice(&rq.fair, entities, cx, task),
            eligible: totals.eligible(entity.vruntime),
            delayed: entity.delayed,
            running,
            protected,
            protected_until: protected.then_some(until),
            ran: entity.sum_exec - entity.prev_sum_exec,
            latency_offset: entity.latency_offset,
            penalty: Span(entity.penalty_end.0.saturating_sub(entity.sum_exec.0)),
        }
    };
    let node = |task| NodeEvidence {
        task,
        parent: tree::parent(entities, task),
        left: tree::left(entities, task),
        right: tree::right(entities, task),
        red: tree::is_red_node(entities, task),
        min: tree::subtree_min(entities, task),
    };
    let second = |task: TaskId| {
        let (node, min) = (ByLatency::node(&entities[task]), ByLatency::key(&entities[task]));
        NodeEvidence {
            task,
            parent: node.parent(),
            left: node.left(),
            right: node.right(),
            red: node.is_red(),
            min,
        }
    };
    QueueEvidence {
        now: cx.now,
        average,
        min_vruntime: queue.min_vruntime,
        load: totals.load,
        sum: totals.sum,
        curr,
        next: queue.next,
        last: queue.last,
        skip: queue.skip,
        near: RunQueue::near_tests(queue, entities, cx),
        above: queue.hierarchy.and_then(|hierarchy| hierarchy.above),
        period: rq.period(cx),
        latency: queue.latency_tree.iter_in::<ByLatency>(entities).map(second).collect(),
        rows: curr.into_iter().chain(queue.tree.iter(entities)).map(row).collect(),
        root: queue.tree.root(),
        nodes: queue.tree.iter(entities).map(node).collect(),
    }
}

/// V as this kernel rounds it (R4.A.2, R4.B.3).
fn average(cx: FairCx, totals: Totals) -> Vtime {
    match cx.kernel.fair {
        FairGeneration::Eevdf2023_03 | FairGeneration::Eevdf2023_03v2 => {
            totals.average_toward_zero()
        }
        _ => totals.average(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fair::Entity;
    use crate::fair::reason::Dequeue;
    use crate::kernel::Preset;
    use crate::units::Nice;

    /// The worked placement of R4.B.6: beside a nice-0 runner, 1 ms of lag is placed as 2 ms.
    #[test]
    fn enqueue_inflates_lag() {
        let kernel = Preset::V6_6.kernel(8);
        let cx = |ms: u64| FairCx { kernel: &kernel, now: Time(ms * 1_000_000) };
        let (mut rq, mut entities) = (RunQueue::new(), Entities::new());
        let runner = entities.push(Entity::new(Nice::default()));
        let sleeper = entities.push(Entity::new(Nice::default()));
        for task in [runner, sleeper] {
            rq.enqueue_task(&mut entities, cx(100), task, Enqueue::Fork);
        }
        let mut completed = Vec::new();
        assert_eq!(rq.pick(&mut entities, cx(100), &mut completed).next, Some(runner));
        rq.dequeue_task(&mut entities, cx(102), sleeper, Dequeue::Sleep);
        assert_eq!(entities[sleeper].vlag, 1_000_000);
        let evidence = enqueue_evidence(&rq, &entities, cx(104), sleeper, Enqueue::Wakeup);
        assert_eq!((evidence.vlag, evidence.lag, evidence.load), (1_000_000, 2_000_000, 1024));
        assert_eq!(evidence.deadline.since(evidence.vruntime), 3_000_000);
        rq.enqueue_task(&mut entities, cx(104), sleeper, Enqueue::Wakeup);
        assert_eq!(rq.fair.entity_lag(&entities, cx(104), sleeper), 1_000_000);
        assert_eq!(entities[sleeper].vruntime, evidence.vruntime);
    }
}
