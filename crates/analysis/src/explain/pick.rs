//! Why a task runs next: V, the running task, its protection, the search through the tree.

use schedscope_sim::fair::Totals;
use schedscope_sim::fair::evidence::{EntityEvidence, PickEvidence, QueueEvidence};
use schedscope_sim::fair::reason::{PickReason, Visit};
use schedscope_sim::kernel::Feature;
use schedscope_sim::units::{CpuId, TaskId, Vtime};

use super::{Check, Cx, Mark, Told};
use crate::words::{self, NBSP};

/// What the record of a pick says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    pub(super) cpu: CpuId,
    pub(super) prev: Option<TaskId>,
    pub(super) next: Option<TaskId>,
    pub(super) reason: PickReason,
}

/// A queue as a pick sees it; entities leave it when the pick completes their dequeue. Figures stay
/// relative to the V before that, as in the picture; who is eligible follows V as it moves.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    rows: Vec<EntityEvidence>,
    totals: Totals,
    v: Vtime,
}

impl Queue {
    pub(super) fn new(queue: &QueueEvidence) -> Queue {
        let totals = Totals { origin: queue.min_vruntime, sum: queue.sum, load: queue.load };
        Queue { rows: queue.rows.clone(), totals, v: queue.average }
    }

    /// An entity leaves: V and who is eligible follow. Gives how far V moves, ns.
    fn leave(&mut self, task: TaskId) -> i64 {
        let Some(i) = self.rows.iter().position(|row| row.task == task) else { return 0 };
        let before = self.totals.average();
        let row = self.rows.remove(i);
        let key = row.vruntime.since(self.totals.origin);
        self.totals.sum = self.totals.sum.wrapping_sub(key.wrapping_mul(i64::from(row.weight)));
        self.totals.load -= u64::from(row.weight);
        let totals = self.totals;
        for row in &mut self.rows {
            row.eligible = totals.eligible(row.vruntime);
        }
        if self.rows.is_empty() { 0 } else { totals.average().since(before) }
    }

    /// V before any entity left.
    pub(super) fn v(&self) -> Vtime {
        self.v
    }

    pub(super) fn row(&self, task: TaskId) -> Option<&EntityEvidence> {
        self.rows.iter().find(|row| row.task == task)
    }

    /// A virtual time relative to V.
    pub(super) fn relative(&self, time: Vtime) -> String {
        words::from_v(time.since(self.v()))
    }

    /// `its vruntime is V − 0.31 ms` or `0.31 ms past V`, as a phrase behind "is".
    pub(super) fn vruntime(&self, row: &EntityEvidence) -> String {
        let past = row.vruntime.since(self.v());
        if row.eligible != (past <= 0) {
            // V has moved since the figures were taken, by an entity that left.
            let past = row.vruntime.since(self.totals.average());
            let ahead = if row.eligible { "before" } else { "past" };
            return format!("{} {ahead}{NBSP}V as it is now", words::time(past.unsigned_abs()));
        }
        if row.eligible {
            self.relative(row.vruntime)
        } else {
            format!("{} past{NBSP}V", words::time(past.unsigned_abs()))
        }
    }

    /// `lag +0.31 ms`.
    fn lag(&self, row: &EntityEvidence) -> String {
        if row.eligible == (row.lag >= 0) {
            return lag(row);
        }
        let now = self.totals.average().since(row.vruntime);
        format!("lag{NBSP}{} now", words::signed_time(now))
    }

    fn eligible(&self) -> usize {
        self.rows.iter().filter(|row| row.eligible).count()
    }

    /// Who has an earlier deadline than `row` but is not eligible, in order of deadlines.
    fn earlier_not_eligible(&self, row: &EntityEvidence) -> Vec<TaskId> {
        let mut earlier: Vec<&EntityEvidence> = self
            .rows
            .iter()
            .filter(|other| !other.eligible && other.deadline.before(row.deadline))
            .collect();
        earlier.sort_by_key(|other| other.deadline.since(row.deadline));
        earlier.into_iter().map(|other| other.task).collect()
    }

    /// Who else has exactly this deadline and is eligible.
    fn ties(&self, row: &EntityEvidence) -> Vec<TaskId> {
        self.rows
            .iter()
            .filter(|other| {
                other.task != row.task && other.eligible && other.deadline == row.deadline
            })
            .map(|other| other.task)
            .collect()
    }
}

fn is_6_12(cx: &Cx<'_>) -> bool {
    cx.setup.kernel.fair.sorts_by_deadline()
}

/// Puts a pick into words. `blocked` is whether the running task just went to sleep.
pub(super) fn tell(
    cx: &Cx<'_>,
    facts: &Facts,
    figures: Option<&PickEvidence>,
    blocked: bool,
) -> Told {
    let mut told = Told { cpu: facts.cpu, task: facts.next.or(facts.prev), ..Told::default() };
    told.heading = heading(cx, facts);
    // After a newidle pull, the figures are those of the queue before it: nothing to show.
    let figures = figures.filter(|figures| figures.pick.next == facts.next);
    let Some(figures) = figures else {
        told.sentence = match facts.next {
            Some(next) => format!("{} was pulled from another CPU just now.", cx.name(next)),
            None => format!("Nothing is queued on CPU {}.", facts.cpu),
        };
        told.checks.push(last_check(cx, facts, &told));
        return told;
    };
    let mut queue = Queue::new(&figures.queue);
    told.checks = checks(cx, facts, figures, &mut queue, blocked);
    told.sentence = sentence(cx, facts, figures, &queue);
    let last = last_check(cx, facts, &told);
    told.checks.push(last);
    told
}

fn heading(cx: &Cx<'_>, facts: &Facts) -> String {
    match facts.next {
        Some(next) if facts.prev == Some(next) => format!("{} keeps the CPU", cx.name(next)),
        Some(next) => format!("{} runs next", cx.name(next)),
        None => format!("CPU {} goes idle", facts.cpu),
    }
}

/// The last check says what was picked.
fn last_check(cx: &Cx<'_>, facts: &Facts, told: &Told) -> Check {
    Check {
        title: "Pick".to_owned(),
        result: facts.next.map_or_else(|| "idle".to_owned(), |next| cx.name(next)),
        sentence: format!("{}. {}", told.heading, told.sentence),
        kernel: match facts.next {
            Some(_) => "set_next_entity(cfs_rq, se)".to_owned(),
            None => "pick_next_task_idle(rq)".to_owned(),
        },
        mark: Mark::Chosen,
        tasks: facts.next.into_iter().collect(),
        ..Check::default()
    }
}

/// Why this one, with the numbers. `queue` is what was left when the choice was made.
fn sentence(cx: &Cx<'_>, facts: &Facts, figures: &PickEvidence, queue: &Queue) -> String {
    let mut out = match facts.next.and_then(|next| queue.row(next)) {
        Some(row) => reason(cx, facts.reason, row, queue),
        None => format!("Nothing is queued on CPU {}.", facts.cpu),
    };
    match figures.completed.as_slice() {
        [] => {}
        [one] => {
            out.push_str(&format!(" {} sleeps: its lag is paid and it leaves.", cx.name(*one)));
        }
        many => {
            let names = words::list(&cx.names(many), 4);
            out.push_str(&format!(" {names} sleep: their lag is paid and they leave."));
        }
    }
    out
}

fn reason(cx: &Cx<'_>, reason: PickReason, row: &EntityEvidence, queue: &Queue) -> String {
    let name = cx.name(row.task);
    let deadline = queue.relative(row.deadline);
    let waiting = queue.rows.iter().filter(|row| !row.running).count() as u64;
    match reason {
        PickReason::Idle => "Nothing is queued.".to_owned(),
        PickReason::OnlyOne => format!("{name} is the only queued task."),
        PickReason::Parity => format!(
            "RUN_TO_PARITY: {name} is eligible ({}) and still in the request it was picked for, \
             which ends at {deadline}.",
            queue.lag(row)
        ),
        PickReason::NextBuddy if cx.setup.kernel.fair.is_cfs() => {
            format!("{name} is the next buddy and not too far ahead of the first.")
        }
        PickReason::NextBuddy => format!(
            "NEXT_BUDDY: {name} woke last and is eligible ({}), so it goes first whatever the \
             deadlines are.",
            queue.lag(row)
        ),
        PickReason::EarliestEligible => {
            let eligible = queue.eligible() as u64;
            let mut out = if eligible == 1 {
                format!(
                    "{name} is the only eligible one of {}: its vruntime is {}, its deadline \
                     {deadline}.",
                    words::plural(queue.rows.len() as u64, "task", "tasks"),
                    queue.vruntime(row)
                )
            } else {
                format!(
                    "Of the {}, {name} has the earliest virtual deadline: {deadline}.",
                    words::plural(eligible, "eligible task", "eligible tasks")
                )
            };
            let ties = queue.ties(row);
            if !ties.is_empty() {
                let names = words::list(&cx.names(&ties), 3);
                let have = if ties.len() == 1 { "has" } else { "have" };
                out.push_str(&format!(
                    " {names} {have} the same deadline; the tree's order decides."
                ));
            }
            out.push_str(&earlier(cx, row, queue));
            out
        }
        PickReason::CurrEarlier => {
            let best = queue
                .rows
                .iter()
                .filter(|other| !other.running && other.eligible)
                .min_by_key(|other| other.deadline.since(row.deadline));
            let mut out = match best {
                Some(best) if best.deadline == row.deadline => format!(
                    "{name} is eligible, and no eligible waiting task has an earlier deadline than \
                     {deadline}; {} has the same.",
                    cx.name(best.task)
                ),
                Some(best) => format!(
                    "{name} is eligible, and its deadline {deadline} is earlier than that of every \
                     eligible waiting task ({}: {}).",
                    cx.name(best.task),
                    queue.relative(best.deadline)
                ),
                None => format!("{name} is eligible and has the earliest deadline, {deadline}."),
            };
            out.push_str(&earlier(cx, row, queue));
            out
        }
        PickReason::CurrOnlyEligible => {
            let rest = match waiting {
                1 => "the waiting task is not".to_owned(),
                n => {
                    format!("none of the {} is", words::plural(n, "waiting task", "waiting tasks"))
                }
            };
            format!("{name} is eligible ({}); {rest}.", queue.lag(row))
        }
        PickReason::Leftmost => {
            format!("{name} has the smallest vruntime of all waiting tasks.")
        }
        PickReason::CurrLeftmost => {
            format!("{name} runs, and its vruntime is smaller than that of every waiting task.")
        }
        PickReason::LastBuddy => format!(
            "{name} was preempted by a wakeup just now (last buddy) and is not too far ahead of the \
             first."
        ),
        PickReason::FirstYielded => {
            format!("The first of the tree has just yielded, so {name}, the second, runs.")
        }
        PickReason::LatencyFirst => format!(
            "{name} is the first of those who ask to be served soon by their latency-nice, and is not \
             too far ahead of the task that would run otherwise."
        ),
        PickReason::FlawedSearch { missed } => format!(
            "The search of this proposal went right and forgot the left subtree: it missed {}, which \
             is eligible and has an earlier deadline. It found {name}, with deadline {deadline}.",
            cx.name(missed)
        ),
        PickReason::Fallback => format!(
            "No task counts as eligible, which only an overflow of the sums brings about. {name} is \
             the first of the tree."
        ),
    }
}

/// ` C has an earlier deadline but is not eligible.`, or nothing.
fn earlier(cx: &Cx<'_>, row: &EntityEvidence, queue: &Queue) -> String {
    let before = queue.earlier_not_eligible(row);
    match before.as_slice() {
        [] => String::new(),
        [one] => format!(" {} has an earlier deadline but is not eligible.", cx.name(*one)),
        many => format!(
            " {} have earlier deadlines but are not eligible.",
            words::list(&cx.names(many), 4)
        ),
    }
}

/// `lag +0.31 ms`.
pub(super) fn lag(row: &EntityEvidence) -> String {
    format!("lag{NBSP}{}", words::signed_time(row.lag))
}

fn checks(
    cx: &Cx<'_>,
    facts: &Facts,
    figures: &PickEvidence,
    queue: &mut Queue,
    blocked: bool,
) -> Vec<Check> {
    let mut checks = Vec::new();
    if queue.rows.is_empty() {
        checks.push(Check {
            title: format!("Is a task queued on CPU {}?", facts.cpu),
            result: "no".to_owned(),
            sentence: format!("The queue of CPU {} is empty.", facts.cpu),
            kernel: "cfs_rq->nr_running".to_owned(),
            mark: Mark::No,
            ..Check::default()
        });
        return checks;
    }
    if cx.setup.kernel.fair.is_cfs() {
        cfs_checks(cx, facts, figures, queue, &mut checks);
        return checks;
    }
    if queue.rows.len() > 1 || !is_6_12(cx) {
        checks.push(average(queue));
    }
    if cx.setup.kernel.features.has(Feature::NextBuddy)
        && let Some(next) = figures.queue.next
    {
        checks.push(buddy(cx, next, queue));
    }
    if facts.reason != PickReason::NextBuddy || !figures.completed.is_empty() {
        one_round(cx, facts, figures, queue, blocked, &mut checks);
    }
    checks
}

/// CFS knows no eligibility: the smallest vruntime, unless a buddy is not too far from it.
fn cfs_checks(
    cx: &Cx<'_>,
    facts: &Facts,
    figures: &PickEvidence,
    queue: &Queue,
    checks: &mut Vec<Check>,
) {
    let from_min =
        |row: &EntityEvidence| words::signed_time(row.vruntime.since(figures.queue.min_vruntime));
    let waiting = queue.rows.iter().filter(|row| !row.running);
    let first = waiting.min_by_key(|row| row.vruntime.since(figures.queue.min_vruntime));
    if let Some(first) = first {
        let name = cx.name(first.task);
        checks.push(Check {
            title: "Which waiting task has the smallest vruntime?".to_owned(),
            result: name.clone(),
            sentence: format!("{name} is at min_vruntime {}.", from_min(first)),
            kernel: "__pick_first_entity(cfs_rq)".to_owned(),
            mark: Mark::Yes,
            tasks: vec![first.task],
            ..Check::default()
        });
    }
    if let Some(curr) = queue.rows.iter().find(|row| row.running) {
        let name = cx.name(curr.task);
        let smaller = first.is_none_or(|first| curr.vruntime.before(first.vruntime));
        checks.push(Check {
            title: format!("Is the vruntime of {name}, which is running, smaller?"),
            result: if smaller { "yes" } else { "no" }.to_owned(),
            sentence: format!("{name} is at min_vruntime {}.", from_min(curr)),
            kernel: "entity_before(curr, left)".to_owned(),
            mark: if smaller { Mark::Yes } else { Mark::No },
            tasks: vec![curr.task],
            ..Check::default()
        });
    }
    let rule = match facts.reason {
        PickReason::NextBuddy => Some(("next buddy", "cfs_rq->next")),
        PickReason::LastBuddy => Some(("last buddy", "cfs_rq->last")),
        PickReason::FirstYielded => Some(("skip buddy", "cfs_rq->skip == se")),
        PickReason::LatencyFirst => Some(("latency order", "latency_tree")),
        _ => None,
    };
    if let (Some((rule, kernel)), Some(next)) = (rule, facts.next) {
        checks.push(Check {
            title: format!("Does the {rule} change that?"),
            result: format!("yes: {}", cx.name(next)),
            sentence: match queue.row(next) {
                Some(row) => reason(cx, facts.reason, row, queue),
                None => format!("{} is taken.", cx.name(next)),
            },
            kernel: kernel.to_owned(),
            mark: Mark::Yes,
            tasks: vec![next],
            ..Check::default()
        });
    }
}

fn average(queue: &Queue) -> Check {
    let n = queue.rows.len() as u64;
    Check {
        title: "What is V?".to_owned(),
        result: format!("V{NBSP}={NBSP}{}", words::exact(queue.v().signed())),
        sentence: format!(
            "V is the average vruntime of the {}, weighted by load weight. A task is eligible while \
             its vruntime is at or before V.",
            words::plural(n, "queued task", "queued tasks")
        ),
        kernel: "avg_vruntime(cfs_rq)".to_owned(),
        tasks: queue.rows.iter().map(|row| row.task).collect(),
        ..Check::default()
    }
}

fn buddy(cx: &Cx<'_>, next: TaskId, queue: &Queue) -> Check {
    let name = cx.name(next);
    let eligible = queue.row(next).is_some_and(|row| row.eligible);
    Check {
        title: format!("Is the next buddy, {name}, eligible?"),
        result: if eligible { "yes" } else { "no" }.to_owned(),
        sentence: match queue.row(next) {
            Some(row) if eligible => format!(
                "{name} woke last. Its vruntime is {}, so NEXT_BUDDY takes it.",
                queue.vruntime(row)
            ),
            Some(row) => {
                format!("{name} woke last, but its vruntime is {}.", queue.vruntime(row))
            }
            None => format!("{name} woke last, but is no longer queued."),
        },
        kernel: "cfs_rq->next && entity_eligible(cfs_rq, cfs_rq->next)".to_owned(),
        mark: if eligible { Mark::Yes } else { Mark::No },
        tasks: vec![next],
        ..Check::default()
    }
}

/// The running task, its protection, and the search; again after each completed dequeue.
fn one_round(
    cx: &Cx<'_>,
    facts: &Facts,
    figures: &PickEvidence,
    queue: &mut Queue,
    blocked: bool,
    checks: &mut Vec<Check>,
) {
    let mut walk = figures.walk.as_slice();
    // The tree as it was before the first completion: later its shape is not known.
    let mut tree = Some(&figures.queue);
    loop {
        let alone = queue.rows.len() == 1;
        if alone {
            checks.push(only_one(cx, queue));
        }
        if !(alone && is_6_12(cx)) {
            let curr = curr_checks(cx, facts, queue, blocked, checks);
            let end = walk.iter().position(|(_, visit)| *visit == Visit::Completed);
            let visits = &walk[..end.unwrap_or(walk.len())];
            for (node, visit) in visits {
                checks.push(self::visit(cx, *node, *visit, queue, tree));
            }
            if let Some(curr) = curr
                && !visits.is_empty()
            {
                checks.extend(against_curr(cx, curr, visits, queue));
            }
        }
        // Up to and with the completion that starts the next round.
        let Some(at) = walk.iter().position(|(_, visit)| *visit == Visit::Completed) else {
            return;
        };
        let task = walk[at].0;
        let mut check = completed(cx, task, queue);
        let moved = queue.leave(task);
        if moved != 0 {
            check.sentence.push_str(&format!(" V moves by {}.", words::signed_time(moved)));
        }
        checks.push(check);
        tree = None;
        walk = &walk[at + 1..];
        if queue.rows.is_empty() {
            return;
        }
    }
}

fn only_one(cx: &Cx<'_>, queue: &Queue) -> Check {
    let row = &queue.rows[0];
    Check {
        title: "Is only one task queued?".to_owned(),
        result: format!("yes: {}", cx.name(row.task)),
        sentence: "With one queued task there is nothing to choose.".to_owned(),
        kernel: "cfs_rq->nr_running == 1".to_owned(),
        mark: Mark::Yes,
        tasks: vec![row.task],
        ..Check::default()
    }
}

/// The running task's part; gives it back if it is a candidate and not protected.
fn curr_checks(
    cx: &Cx<'_>,
    facts: &Facts,
    queue: &Queue,
    blocked: bool,
    checks: &mut Vec<Check>,
) -> Option<TaskId> {
    let kernel = "curr->on_rq && entity_eligible(cfs_rq, curr)".to_owned();
    let Some(row) = queue.rows.iter().find(|row| row.running) else {
        let prev = facts.prev?;
        if queue.row(prev).is_some() {
            // It went back into the tree before the choice and is a candidate like any other.
            return None;
        }
        let name = cx.name(prev);
        checks.push(Check {
            title: format!("Is {name} still a candidate?"),
            result: "no: it left".to_owned(),
            sentence: if blocked {
                format!("{name} went to sleep and left the queue, so it is not a candidate.")
            } else {
                format!("{name} is no longer queued here, so it is not a candidate.")
            },
            kernel,
            mark: Mark::No,
            tasks: vec![prev],
            ..Check::default()
        });
        return None;
    };
    let name = cx.name(row.task);
    checks.push(Check {
        title: format!("Is {name}, which is running, eligible?"),
        result: if row.eligible { "yes" } else { "no" }.to_owned(),
        sentence: match (row.eligible, row.delayed) {
            (true, false) => {
                format!("Its vruntime is {}. It stays in the race.", queue.vruntime(row))
            }
            (false, false) => format!(
                "Its vruntime is {}: it has had more than its share and cannot be picked now.",
                queue.vruntime(row)
            ),
            (true, true) => format!(
                "{name} sleeps but is still queued. Its vruntime is {}.",
                queue.vruntime(row)
            ),
            (false, true) => format!(
                "{name} went to sleep with its vruntime {}, so its dequeue is delayed: it stays \
                 queued until its lag is paid.",
                queue.vruntime(row)
            ),
        },
        kernel,
        mark: if row.eligible { Mark::Yes } else { Mark::No },
        tasks: vec![row.task],
        ..Check::default()
    });
    if !row.eligible {
        return None;
    }
    checks.push(parity(cx, row, queue));
    (!row.protected).then_some(row.task)
}

fn parity(cx: &Cx<'_>, row: &EntityEvidence, queue: &Queue) -> Check {
    let name = cx.name(row.task);
    let on = cx.setup.kernel.features.has(Feature::RunToParity);
    let sentence = if row.protected {
        format!(
            "RUN_TO_PARITY: a picked task runs until it is not eligible or its request is used. The \
             request of {name} ends at {}.",
            queue.relative(row.deadline)
        )
    } else if !on {
        "RUN_TO_PARITY is off.".to_owned()
    } else {
        format!(
            "{name} is past the request it was picked for, or a shorter slice has cut it short \
             (PREEMPT_SHORT)."
        )
    };
    Check {
        title: format!("Does RUN_TO_PARITY protect {name}?"),
        result: if row.protected { "yes" } else { "no" }.to_owned(),
        sentence,
        kernel: "sched_feat(RUN_TO_PARITY) && curr->vlag == curr->deadline".to_owned(),
        mark: if row.protected { Mark::Yes } else { Mark::No },
        tasks: vec![row.task],
        skipped: !on,
        ..Check::default()
    }
}

/// What the search did at a node, in words: the same for the picture's walk.
pub(super) fn visit(
    cx: &Cx<'_>,
    node: TaskId,
    visit: Visit,
    queue: &Queue,
    tree: Option<&QueueEvidence>,
) -> Check {
    let name = cx.name(node);
    let vruntime = queue.row(node).map_or_else(String::new, |row| queue.vruntime(row));
    let deadline = queue.row(node).map_or_else(String::new, |row| queue.relative(row.deadline));
    let left = Left::of(node, queue, tree);
    let (title, result, sentence, kernel, mark) = match visit {
        Visit::FirstEligible => (
            format!("Is {name}, with the earliest deadline in the tree, eligible?"),
            "yes: take it".to_owned(),
            format!("Its vruntime is {vruntime}, so no search is needed."),
            "se && entity_eligible(cfs_rq, se)",
            Mark::Yes,
        ),
        Visit::FirstNotEligible => (
            format!("Is {name}, with the earliest deadline in the tree, eligible?"),
            "no".to_owned(),
            format!("Its vruntime is {vruntime}. The tree is searched from the root."),
            "se && entity_eligible(cfs_rq, se)",
            Mark::No,
        ),
        Visit::EligibleToTheLeft => (
            format!("At {name}: is somebody on the left eligible?"),
            "yes: go left".to_owned(),
            format!(
                "An eligible task is on the left{}, and all there have deadlines no later than that \
                 of {name}.",
                left.in_brackets("smallest vruntime")
            ),
            "vruntime_eligible(cfs_rq, __node_2_se(left)->min_vruntime)",
            Mark::Yes,
        ),
        Visit::Eligible => (
            format!("At {name}: is it eligible itself?"),
            "yes: take it".to_owned(),
            format!(
                "{} Its own vruntime is {vruntime}. Nothing eligible in the tree has an earlier \
                 deadline.",
                left.not_eligible()
            ),
            "entity_eligible(cfs_rq, se)",
            Mark::Yes,
        ),
        Visit::NotEligible => (
            format!("At {name}: is it eligible itself?"),
            "no: go right".to_owned(),
            format!("{} Its own vruntime is {vruntime}.", left.not_eligible()),
            "entity_eligible(cfs_rq, se)",
            Mark::No,
        ),
        Visit::NotEligibleGoLeft => (
            format!("At {name}: is it eligible?"),
            "no: go left".to_owned(),
            format!(
                "Its vruntime is {vruntime}. The tree is sorted by vruntime, so nothing on the right \
                 is eligible either."
            ),
            "!entity_eligible(cfs_rq, se)",
            Mark::No,
        ),
        Visit::EligibleGoRight { best } => (
            format!("At {name}: is it eligible?"),
            "yes: go right".to_owned(),
            format!(
                "Its vruntime is {vruntime}, so all on its left are eligible too. Its deadline \
                 {deadline} is {} far. An earlier deadline lies on the right.",
                if best { "the earliest so" } else { "not the earliest so" }
            ),
            "entity_eligible(cfs_rq, se)",
            Mark::Yes,
        ),
        Visit::EligibleGoLeft { best } => (
            format!("At {name}: where is the earliest deadline below?"),
            "left: go left".to_owned(),
            format!(
                "{name} is eligible, and the earliest deadline below it is on its left{}. Its own \
                 deadline {deadline} is {} far.",
                left.in_brackets("deadline"),
                if best { "the earliest so" } else { "not the earliest so" }
            ),
            "__node_2_se(left)->min_deadline == se->min_deadline",
            Mark::Yes,
        ),
        Visit::EligibleForgetLeft { best } => (
            format!("At {name}: where is the earliest deadline below?"),
            "not left: go right".to_owned(),
            format!(
                "{name} is eligible, and its own deadline {deadline} is {} far. The search goes right \
                 and forgets the left subtree, although all there are eligible: this is the flaw that \
                 6.6 mended.",
                if best { "the earliest so" } else { "not the earliest so" }
            ),
            "__node_2_se(left)->min_deadline == se->min_deadline",
            Mark::No,
        ),
        Visit::MinimumToTheLeft { best } => (
            format!("At {name}: where is the earliest deadline below?"),
            "left: stop".to_owned(),
            format!(
                "{name} is eligible and so are all on its left, where the earliest deadline below \
                 {name} is{}. Its own deadline {deadline} is {} far.",
                left.in_brackets("deadline"),
                if best { "the earliest so" } else { "not the earliest so" }
            ),
            "__node_2_se(left)->min_deadline == se->min_deadline",
            Mark::Yes,
        ),
        Visit::OwnMinimum { best } => (
            format!("At {name}: where is the earliest deadline below?"),
            "here: stop".to_owned(),
            format!(
                "{name} is eligible, and no deadline below is earlier than its own, {deadline}, which \
                 is {} far.",
                if best { "the earliest so" } else { "not the earliest so" }
            ),
            "se->deadline == se->min_deadline",
            Mark::Yes,
        ),
        Visit::HeapFound => (
            format!("Is the earliest deadline of the subtree at {name}?"),
            "yes: take it".to_owned(),
            format!("{name} has the earliest deadline of the eligible subtree: {deadline}."),
            "se->deadline == se->min_deadline",
            Mark::Yes,
        ),
        Visit::HeapLeft => (
            format!("Is the earliest deadline of the subtree at {name}?"),
            "no: go left".to_owned(),
            format!(
                "The earliest deadline of the subtree is on the left of {name}{}.",
                left.in_brackets("deadline")
            ),
            "__node_2_se(left)->min_deadline == se->min_deadline",
            Mark::No,
        ),
        Visit::HeapRight => (
            format!("Is the earliest deadline of the subtree at {name}?"),
            "no: go right".to_owned(),
            format!("The earliest deadline of the subtree is on the right of {name}."),
            "rb_entry(node->rb_right)",
            Mark::No,
        ),
        Visit::Completed => return completed(cx, node, queue),
    };
    Check {
        title,
        result,
        sentence,
        kernel: kernel.to_owned(),
        mark,
        tasks: vec![node],
        ..Check::default()
    }
}

/// Why a search turned as it did, a sentence for each node visited.
#[must_use]
pub fn walk(cx: &Cx<'_>, figures: &QueueEvidence, visits: &[(TaskId, Visit)]) -> Vec<String> {
    let mut queue = Queue::new(figures);
    let mut tree = Some(figures);
    visits
        .iter()
        .map(|&(node, why)| {
            let check = visit(cx, node, why, &queue, tree);
            if why == Visit::Completed {
                queue.leave(node);
                tree = None;
            }
            check.sentence
        })
        .collect()
}

/// What is known of the left subtree of a node.
enum Left {
    /// Nothing: the tree has changed since the figures were taken.
    Unknown,
    /// There is none.
    Empty,
    /// The minimum that its root keeps, relative to V.
    Min(String),
}

impl Left {
    fn of(node: TaskId, queue: &Queue, tree: Option<&QueueEvidence>) -> Left {
        let Some(tree) = tree else { return Left::Unknown };
        let find = |task| tree.nodes.iter().find(|n| n.task == task);
        let Some(here) = find(node) else { return Left::Unknown };
        match here.left.map(find) {
            None => Left::Empty,
            Some(None) => Left::Unknown,
            Some(Some(left)) => Left::Min(queue.relative(left.min)),
        }
    }

    fn in_brackets(&self, what: &str) -> String {
        match self {
            Left::Min(min) => format!(" ({what} {min})"),
            Left::Unknown | Left::Empty => String::new(),
        }
    }

    fn not_eligible(&self) -> String {
        match self {
            Left::Min(min) => {
                format!("Nothing on its left is eligible (smallest vruntime {min}).")
            }
            Left::Empty => "It has no left subtree.".to_owned(),
            Left::Unknown => "Nothing on its left is eligible.".to_owned(),
        }
    }
}

fn completed(cx: &Cx<'_>, task: TaskId, queue: &Queue) -> Check {
    let name = cx.name(task);
    let vruntime = queue.row(task).map_or_else(String::new, |row| queue.vruntime(row));
    Check {
        title: format!("Does {name} want to run?"),
        result: "no: it sleeps and leaves".to_owned(),
        sentence: format!(
            "{name} sleeps and was queued only until its lag was paid. Its vruntime is {vruntime}: \
             its dequeue is completed, and the pick starts again."
        ),
        kernel: "dequeue_entities(rq, se, DEQUEUE_SLEEP | DEQUEUE_DELAYED)".to_owned(),
        mark: Mark::No,
        tasks: vec![task],
        ..Check::default()
    }
}

/// The running task against what the search found.
fn against_curr(
    cx: &Cx<'_>,
    curr: TaskId,
    visits: &[(TaskId, Visit)],
    queue: &Queue,
) -> Option<Check> {
    // In 6.6 the running task takes part in the search itself.
    if !is_6_12(cx) {
        return None;
    }
    let row = queue.row(curr)?;
    let found = visits.iter().rev().find_map(|(node, visit)| {
        matches!(visit, Visit::FirstEligible | Visit::Eligible).then_some(*node)
    });
    let name = cx.name(curr);
    let kernel = "!best || (curr && entity_before(curr, best))".to_owned();
    let tasks: Vec<TaskId> = [Some(curr), found].into_iter().flatten().collect();
    Some(match found.and_then(|found| queue.row(found)) {
        Some(other) => {
            let earlier = row.deadline.before(other.deadline);
            let found = cx.name(other.task);
            Check {
                title: format!("Is the deadline of {name}, which is running, earlier?"),
                result: if earlier { "yes" } else { "no" }.to_owned(),
                sentence: format!(
                    "{name} has {}, {found} has {}.",
                    queue.relative(row.deadline),
                    queue.relative(other.deadline)
                ),
                kernel,
                mark: if earlier { Mark::Yes } else { Mark::No },
                tasks,
                ..Check::default()
            }
        }
        None => Check {
            title: format!("Has the search found somebody to replace {name}?"),
            result: "no".to_owned(),
            sentence: format!("No waiting task is eligible, so {name} stays."),
            kernel,
            mark: Mark::No,
            tasks,
            ..Check::default()
        },
    })
}
