//! What the search through the tree did, node by node.

use schedscope_sim::fair::evidence::QueueEvidence;
use schedscope_sim::fair::reason::Visit;
use schedscope_sim::units::TaskId;

use super::super::{Check, Cx, Mark};
use super::queue::Queue;

/// What the search did at a node, in words: the same for the picture's walk.
pub(in super::super) fn visit(cx: &Cx<'_>, node: TaskId, visit: Visit, queue: Queue<'_>) -> Check {
    let name = cx.name(node);
    let vruntime = queue.row(node).map_or_else(String::new, |row| queue.vruntime(row));
    let deadline = queue.row(node).map_or_else(String::new, |row| queue.relative(row.deadline));
    let left = Left::of(node, queue);
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
        Visit::IntoGroup { .. } => (
            format!("Is {name} a task?"),
            "no: a group".to_owned(),
            format!("{name} is a group of tasks: one of them is picked in its own queue."),
            "group_cfs_rq(se)",
            Mark::Yes,
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

/// Why a search turned as it did, a sentence for each node visited. All visits are of one tree:
/// those up to and with a completed dequeue, or those between two.
#[must_use]
pub fn walk(cx: &Cx<'_>, figures: &QueueEvidence, visits: &[(TaskId, Visit)]) -> Vec<String> {
    let queue = Queue::new(figures);
    visits.iter().map(|&(node, why)| visit(cx, node, why, queue).sentence).collect()
}

/// The left subtree of a node.
enum Left {
    /// There is none.
    Empty,
    /// The minimum that its root keeps, relative to V.
    Min(String),
}

impl Left {
    fn of(node: TaskId, queue: Queue<'_>) -> Left {
        let left = queue.node(node).and_then(|here| here.left);
        match left.and_then(|left| queue.node(left)) {
            None => Left::Empty,
            Some(left) => Left::Min(queue.relative(left.min)),
        }
    }

    fn in_brackets(&self, what: &str) -> String {
        match self {
            Left::Min(min) => format!(" ({what} {min})"),
            Left::Empty => String::new(),
        }
    }

    fn not_eligible(&self) -> String {
        match self {
            Left::Min(min) => {
                format!("Nothing on its left is eligible (smallest vruntime {min}).")
            }
            Left::Empty => "It has no left subtree.".to_owned(),
        }
    }
}

/// A delayed task was chosen: it leaves for good (R4.C.6).
pub(super) fn completed(cx: &Cx<'_>, task: TaskId, queue: Queue<'_>) -> Check {
    let name = cx.name(task);
    let vruntime = queue.row(task).map_or_else(String::new, |row| queue.vruntime(row));
    Check {
        title: format!("Does {name} want to run?"),
        result: "no: it sleeps and leaves".to_owned(),
        sentence: format!(
            "{name} sleeps and was queued only until its lag was paid. Its vruntime is {vruntime}: \
             its dequeue is completed, and the pick starts again without it."
        ),
        kernel: "dequeue_entities(rq, se, DEQUEUE_SLEEP | DEQUEUE_DELAYED)".to_owned(),
        mark: Mark::No,
        tasks: vec![task],
        ..Check::default()
    }
}
