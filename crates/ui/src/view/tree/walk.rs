//! How far the search through the tree has come: visits in order, links taken, subtrees skipped.

use crate::view::pick::Rule;
use schedscope_session::update::{Check, PickPicture, WalkStep};

/// The search so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// By node: its number in the order of visits, from 1.
    pub number: Vec<Option<usize>>,
    /// By node: whether it was looked at, and found eligible.
    pub verdict: Vec<Option<bool>>,
    /// By node: whether the link to its parent was taken.
    pub taken: Vec<bool>,
    /// By node: whether its subtree cannot hold the answer, or was forgotten.
    pub skipped: Vec<bool>,
    /// By node: its subtree was forgotten, though it may hold the answer (the proposals of 2023).
    pub forgotten: Vec<bool>,
    /// By node: it left the queue when its sleep was completed.
    pub left: Vec<bool>,
    /// The node that the current check is about.
    pub current: Option<usize>,
}

impl Walk {
    /// The search as far as it has happened at a check. Where a task has left, the picture is that
    /// of the queue since then, and checks before are of another tree.
    #[must_use]
    pub fn of(picture: &PickPicture, checks: Option<&[Check]>, check: usize, done: bool) -> Walk {
        let since = usize::from(picture.since);
        let checks = checks.map(|checks| checks.get(since..).unwrap_or_default());
        let check = check.saturating_sub(since);
        let n = picture.tree.len();
        let mut walk = Walk {
            number: vec![None; n],
            verdict: vec![None; n],
            taken: vec![false; n],
            skipped: vec![false; n],
            forgotten: vec![false; n],
            left: vec![false; n],
            current: None,
        };
        let steps = steps_made(&picture.walk, checks, check, done);
        for step in &picture.walk[..steps] {
            walk.step(picture, step);
        }
        let seen = |i: &usize| walk.number[*i].is_some() || walk.taken[*i];
        let visited: Vec<usize> = (0..n).filter(seen).collect();
        // Where the first node was taken at once, nothing was searched and nothing passed over.
        if done && walk.taken.iter().any(|taken| *taken) {
            (0..n).for_each(|i| walk.skipped[i] = true);
        }
        visited.iter().for_each(|i| walk.skipped[*i] = false);
        if let Some(check) = checks.and_then(|checks| checks.get(check)) {
            let about = |task: &u32| picture.tree.iter().position(|node| node.task == *task);
            if check.tasks.len() == 1 {
                walk.current = check.tasks.first().and_then(about);
            }
        }
        walk
    }

    /// Whether a node is the root of a subtree that the search passed over.
    #[must_use]
    pub fn is_skipped_root(&self, picture: &PickPicture, node: usize) -> bool {
        let parent = picture.tree[node].parent.map(usize::from);
        self.skipped[node] && parent.is_none_or(|parent| !self.skipped[parent])
    }

    fn step(&mut self, picture: &PickPicture, step: &WalkStep) {
        let tree = &picture.tree;
        let Some(at) = tree.iter().position(|node| node.task == step.task) else { return };
        let row = picture.rows.iter().find(|row| row.task == step.task);
        let eligible = row.is_some_and(|row| row.eligible);
        let cfs = Rule::of(picture) == Rule::Cfs;
        let passing = step.turn == "left" && by_deadline(picture);
        if !cfs && !passing {
            self.verdict[at] = Some(eligible);
        }
        if step.turn == "search" {
            return;
        }
        if self.number[at].is_none() {
            self.number[at] = Some(self.number.iter().flatten().count() + 1);
        }
        let child = |left: bool| {
            (0..tree.len())
                .find(|i| tree[*i].parent.map(usize::from) == Some(at) && (*i < at) == left)
        };
        match step.turn.as_str() {
            "left" => {
                self.skip(picture, child(false));
                self.take(child(true));
            }
            "right" => {
                // In a tree by vruntime, what lies to the left of an eligible node is kept in mind.
                if by_deadline(picture) {
                    self.skip(picture, child(true));
                }
                self.take(child(false));
            }
            "forget" => {
                self.skip(picture, child(true));
                if let Some(left) = child(true) {
                    self.forgotten[left] = true;
                }
                self.take(child(false));
            }
            "leaves" => self.left[at] = true,
            _ if self.taken.iter().any(|taken| *taken) => {
                self.skip(picture, child(true));
                self.skip(picture, child(false));
            }
            _ => {}
        }
    }

    fn take(&mut self, child: Option<usize>) {
        if let Some(child) = child {
            self.taken[child] = true;
        }
    }

    fn skip(&mut self, picture: &PickPicture, root: Option<usize>) {
        let Some(root) = root else { return };
        let under = |mut i: usize| {
            while let Some(parent) = picture.tree[i].parent {
                if i == root {
                    break;
                }
                i = usize::from(parent);
            }
            i == root
        };
        for i in (0..picture.tree.len()).filter(|i| under(*i)) {
            self.skipped[i] = true;
        }
    }
}

/// Whether the tree is sorted by deadline (6.8 and later).
#[must_use]
pub fn by_deadline(picture: &PickPicture) -> bool {
    picture.tree_key != "vruntime"
}

/// How many steps of the walk have been made: each has a check of its own, about that task alone.
fn steps_made(walk: &[WalkStep], checks: Option<&[Check]>, check: usize, done: bool) -> usize {
    let Some(checks) = checks.filter(|_| !done) else { return walk.len() };
    let made = checks.iter().take(check.saturating_add(1));
    made.fold(0, |steps, check| {
        let next = walk.get(steps).map(|step| step.task);
        let about = next.is_some_and(|task| check.tasks == [task]);
        if about { steps + 1 } else { steps }
    })
}
