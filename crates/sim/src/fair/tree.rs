//! The queue's tree: an augmented red-black tree, intrusive in the arena of entities.
//!
//! Insertion and deletion are the textbook's (a node with two children is replaced by its
//! successor), so that the *shape* equals that of the kernel's rbtree: in 6.6 the choice among equal
//! deadlines depends on it (R4.B.12). Equal keys go behind their equals.

use super::{Entities, Entity};
use crate::units::{TaskId, Vtime};

/// What a tree is sorted by and what it keeps the minimum of; one per kernel generation.
pub trait Order {
    /// The sort key of an entity.
    fn key(entity: &Entity) -> Vtime;
    /// The value whose minimum over each subtree is kept.
    fn value(entity: &Entity) -> Vtime;
}

/// Sorted by vruntime, keeping the minimum deadline: EEVDF of 6.6, and CFS (which never looks at
/// the minimum).
#[derive(Clone, Copy, Debug)]
pub struct ByVruntime;

/// Sorted by deadline, keeping the minimum vruntime: EEVDF of 6.8 and later.
#[derive(Clone, Copy, Debug)]
pub struct ByDeadline;

impl Order for ByVruntime {
    fn key(entity: &Entity) -> Vtime {
        entity.vruntime
    }
    fn value(entity: &Entity) -> Vtime {
        entity.deadline
    }
}

impl Order for ByDeadline {
    fn key(entity: &Entity) -> Vtime {
        entity.deadline
    }
    fn value(entity: &Entity) -> Vtime {
        entity.vruntime
    }
}

/// A nullable index of the arena in four bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Link(u32);

impl Link {
    pub(crate) const NONE: Link = Link(u32::MAX);

    pub(crate) fn to(task: TaskId) -> Link {
        Link(task.0)
    }

    pub(crate) fn get(self) -> Option<TaskId> {
        (self != Link::NONE).then_some(TaskId(self.0))
    }

    pub(crate) fn is_none(self) -> bool {
        self == Link::NONE
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

impl core::fmt::Debug for Link {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.get().fmt(f)
    }
}

/// The part of an entity that belongs to the tree. Meaningless while the entity is not in one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Node {
    /// The minimum of [`Order::value`] over this node and all below.
    min: Vtime,
    parent: Link,
    children: [Link; 2],
    red: bool,
}

impl Default for Node {
    fn default() -> Node {
        Node { min: Vtime(0), parent: Link::NONE, children: [Link::NONE; 2], red: false }
    }
}

const LEFT: usize = 0;
const RIGHT: usize = 1;

/// The root of a tree, with its first node cached.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tree {
    root: Link,
    leftmost: Link,
}

impl Default for Tree {
    fn default() -> Tree {
        Tree { root: Link::NONE, leftmost: Link::NONE }
    }
}

impl Tree {
    /// Whether nothing is in the tree.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// The root.
    #[must_use]
    pub fn root(&self) -> Option<TaskId> {
        self.root.get()
    }

    /// The entity with the smallest key; of equals, the one longest in the tree.
    #[must_use]
    pub fn first(&self) -> Option<TaskId> {
        self.leftmost.get()
    }

    /// The entity with the greatest key; of equals, the newest.
    #[must_use]
    pub fn last(&self, entities: &Entities) -> Option<TaskId> {
        let mut at = self.root.get()?;
        while let Some(right) = right(entities, at) {
            at = right;
        }
        Some(at)
    }

    /// The entities in ascending order of their keys.
    pub fn iter<'a>(&self, entities: &'a Entities) -> impl Iterator<Item = TaskId> + use<'a> {
        core::iter::successors(self.first(), |&at| successor(entities, at))
    }

    /// Puts an entity in, behind its equals. It must not be in a tree.
    pub fn insert<O: Order>(&mut self, entities: &mut Entities, task: TaskId) {
        let (key, value) = (O::key(&entities[task]), O::value(&entities[task]));
        let (mut parent, mut side, mut at, mut leftmost) = (Link::NONE, LEFT, self.root, true);
        while let Some(there) = at.get() {
            let entity = &mut entities[there];
            entity.node.min = entity.node.min.min(value);
            side = if key.before(O::key(entity)) { LEFT } else { RIGHT };
            leftmost &= side == LEFT;
            (parent, at) = (at, entity.node.children[side]);
        }
        let link = Link::to(task);
        entities[task].node = Node { min: value, parent, children: [Link::NONE; 2], red: true };
        match parent.get() {
            Some(parent) => entities[parent].node.children[side] = link,
            None => self.root = link,
        }
        if leftmost {
            self.leftmost = link;
        }
        self.balance_after_insert::<O>(&mut entities.slots, link);
    }

    /// Takes an entity out. It must be in this tree.
    pub fn remove<O: Order>(&mut self, entities: &mut Entities, task: TaskId) {
        let link = Link::to(task);
        if self.leftmost == link {
            self.leftmost = successor(entities, task).map_or(Link::NONE, Link::to);
        }
        let slots = &mut entities.slots;
        let Node { parent, children: [left, right], red, .. } = slots[link.index()].node;
        // Where the tree became shorter by one black node, and from where minima are stale.
        let (hole, black_lost);
        if left.is_none() || right.is_none() {
            let child = if left.is_none() { right } else { left };
            self.replace(slots, parent, link, child);
            hole = parent;
            if child.is_none() {
                black_lost = !red;
            } else {
                slots[child.index()].node.parent = parent;
                slots[child.index()].node.red = red;
                black_lost = false;
            }
        } else {
            let mut heir = right;
            while !child(slots, heir, LEFT).is_none() {
                heir = child(slots, heir, LEFT);
            }
            let orphan = child(slots, heir, RIGHT);
            if heir == right {
                hole = heir;
            } else {
                hole = slots[heir.index()].node.parent;
                slots[hole.index()].node.children[LEFT] = orphan;
                slots[heir.index()].node.children[RIGHT] = right;
                slots[right.index()].node.parent = heir;
            }
            slots[heir.index()].node.children[LEFT] = left;
            slots[left.index()].node.parent = heir;
            slots[heir.index()].node.parent = parent;
            self.replace(slots, parent, link, heir);
            let heir_was_red = core::mem::replace(&mut slots[heir.index()].node.red, red);
            if orphan.is_none() {
                black_lost = !heir_was_red;
            } else {
                slots[orphan.index()].node.parent = hole;
                slots[orphan.index()].node.red = false;
                black_lost = false;
            }
        }
        refresh_upwards::<O>(slots, hole);
        if black_lost && !hole.is_none() {
            self.balance_after_remove::<O>(slots, hole);
        }
    }

    /// Brings the minima up to date after [`Order::value`] of a queued entity changed.
    pub fn refresh<O: Order>(&self, entities: &mut Entities, task: TaskId) {
        refresh_upwards::<O>(&mut entities.slots, Link::to(task));
    }

    /// Hangs `new` where `old` hung below `parent`.
    fn replace(&mut self, slots: &mut [Entity], parent: Link, old: Link, new: Link) {
        if parent.is_none() {
            self.root = new;
        } else {
            let children = &mut slots[parent.index()].node.children;
            children[usize::from(children[RIGHT] == old)] = new;
        }
    }

    /// Turns `top` down to its `side`; its child on the other side takes its place.
    fn rotate<O: Order>(&mut self, slots: &mut [Entity], top: Link, side: usize) {
        let riser = child(slots, top, 1 - side);
        let inner = child(slots, riser, side);
        let parent = slots[top.index()].node.parent;
        slots[top.index()].node.children[1 - side] = inner;
        if !inner.is_none() {
            slots[inner.index()].node.parent = top;
        }
        slots[riser.index()].node.children[side] = top;
        slots[riser.index()].node.parent = parent;
        self.replace(slots, parent, top, riser);
        slots[top.index()].node.parent = riser;
        slots[riser.index()].node.min = slots[top.index()].node.min;
        slots[top.index()].node.min = minimum::<O>(slots, top);
    }

    fn balance_after_insert<O: Order>(&mut self, slots: &mut [Entity], mut at: Link) {
        loop {
            let mut parent = slots[at.index()].node.parent;
            if parent.is_none() {
                slots[at.index()].node.red = false;
                return;
            }
            if !slots[parent.index()].node.red {
                return;
            }
            // A red node is not the root.
            let grand = slots[parent.index()].node.parent;
            let side = usize::from(child(slots, grand, RIGHT) == parent);
            let uncle = child(slots, grand, 1 - side);
            if is_red(slots, uncle) {
                slots[uncle.index()].node.red = false;
                slots[parent.index()].node.red = false;
                slots[grand.index()].node.red = true;
                at = grand;
                continue;
            }
            if child(slots, parent, 1 - side) == at {
                self.rotate::<O>(slots, parent, side);
                parent = at;
            }
            slots[parent.index()].node.red = false;
            slots[grand.index()].node.red = true;
            self.rotate::<O>(slots, grand, 1 - side);
            return;
        }
    }

    /// Below `parent`, the side of the empty place lacks a black node.
    fn balance_after_remove<O: Order>(&mut self, slots: &mut [Entity], mut parent: Link) {
        let mut at = Link::NONE;
        loop {
            let side = usize::from(child(slots, parent, LEFT) != at);
            let mut sibling = child(slots, parent, 1 - side);
            if slots[sibling.index()].node.red {
                slots[sibling.index()].node.red = false;
                slots[parent.index()].node.red = true;
                self.rotate::<O>(slots, parent, side);
                sibling = child(slots, parent, 1 - side);
            }
            let (near, far) = (child(slots, sibling, side), child(slots, sibling, 1 - side));
            if !is_red(slots, near) && !is_red(slots, far) {
                slots[sibling.index()].node.red = true;
                if slots[parent.index()].node.red {
                    slots[parent.index()].node.red = false;
                    return;
                }
                (at, parent) = (parent, slots[parent.index()].node.parent);
                if parent.is_none() {
                    return;
                }
                continue;
            }
            if !is_red(slots, far) {
                slots[near.index()].node.red = false;
                slots[sibling.index()].node.red = true;
                self.rotate::<O>(slots, sibling, 1 - side);
                sibling = near;
            }
            slots[sibling.index()].node.red = slots[parent.index()].node.red;
            slots[parent.index()].node.red = false;
            let far = child(slots, sibling, 1 - side);
            slots[far.index()].node.red = false;
            self.rotate::<O>(slots, parent, side);
            return;
        }
    }
}

/// The left child of an entity in a tree.
#[must_use]
pub fn left(entities: &Entities, task: TaskId) -> Option<TaskId> {
    entities[task].node.children[LEFT].get()
}

/// The right child of an entity in a tree.
#[must_use]
pub fn right(entities: &Entities, task: TaskId) -> Option<TaskId> {
    entities[task].node.children[RIGHT].get()
}

/// The parent of an entity in a tree.
#[must_use]
pub fn parent(entities: &Entities, task: TaskId) -> Option<TaskId> {
    entities[task].node.parent.get()
}

/// Whether the node of an entity in a tree is red.
#[must_use]
pub fn is_red_node(entities: &Entities, task: TaskId) -> bool {
    entities[task].node.red
}

/// The minimum of [`Order::value`] over an entity in a tree and all below it.
#[must_use]
pub fn subtree_min(entities: &Entities, task: TaskId) -> Vtime {
    entities[task].node.min
}

/// The next entity in ascending order.
#[must_use]
pub fn successor(entities: &Entities, task: TaskId) -> Option<TaskId> {
    if let Some(mut at) = right(entities, task) {
        while let Some(left) = left(entities, at) {
            at = left;
        }
        return Some(at);
    }
    let mut at = task;
    loop {
        let above = parent(entities, at)?;
        if left(entities, above) == Some(at) {
            return Some(above);
        }
        at = above;
    }
}

fn child(slots: &[Entity], at: Link, side: usize) -> Link {
    slots[at.index()].node.children[side]
}

fn is_red(slots: &[Entity], at: Link) -> bool {
    !at.is_none() && slots[at.index()].node.red
}

fn minimum<O: Order>(slots: &[Entity], at: Link) -> Vtime {
    let entity = &slots[at.index()];
    let mut min = O::value(entity);
    for child in entity.node.children {
        if !child.is_none() {
            min = min.min(slots[child.index()].node.min);
        }
    }
    min
}

fn refresh_upwards<O: Order>(slots: &mut [Entity], mut at: Link) {
    while !at.is_none() {
        slots[at.index()].node.min = minimum::<O>(slots, at);
        at = slots[at.index()].node.parent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Nice;

    /// A small generator: the tests need variety, not quality.
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, sides: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) % sides
        }
    }

    /// Red-black rules, links, minima and the cached leftmost; returns the black height.
    fn check_below<O: Order>(entities: &Entities, at: Link, above: Link) -> u32 {
        let Some(task) = at.get() else { return 1 };
        let node = &entities[task].node;
        assert_eq!(node.parent, above, "parent of {task:?}");
        if node.red {
            assert!(node.children.iter().all(|&child| !is_red(&entities.slots, child)));
        }
        assert_eq!(node.min, minimum::<O>(&entities.slots, at), "minimum of {task:?}");
        let [left, right] = node.children.map(|child| check_below::<O>(entities, child, at));
        assert_eq!(left, right, "black height below {task:?}");
        left + u32::from(!node.red)
    }

    fn check_random<O: Order>(seed: u64, spread: u64) {
        let mut dice = Dice(seed);
        let mut entities = Entities::default();
        for _ in 0..60 {
            entities.push(Entity::new(Nice::default()));
        }
        let (mut tree, mut sorted) = (Tree::default(), Vec::<TaskId>::new());
        for _ in 0..1500 {
            let task = TaskId(dice.roll(60) as u32);
            if let Some(at) = sorted.iter().position(|&other| other == task) {
                if dice.roll(3) == 0 {
                    continue;
                }
                sorted.remove(at);
                tree.remove::<O>(&mut entities, task);
            } else {
                // Around the wrap of the counter.
                entities[task].vruntime = Vtime(dice.roll(spread).wrapping_sub(spread / 2));
                entities[task].deadline = Vtime(dice.roll(spread).wrapping_sub(spread / 2));
                let key = O::key(&entities[task]);
                let at = sorted
                    .iter()
                    .position(|&other| key.before(O::key(&entities[other])))
                    .unwrap_or(sorted.len());
                sorted.insert(at, task);
                tree.insert::<O>(&mut entities, task);
            }
            assert!(!is_red(&entities.slots, tree.root), "the root is black");
            check_below::<O>(&entities, tree.root, Link::NONE);
            assert_eq!(tree.iter(&entities).collect::<Vec<_>>(), sorted);
            assert_eq!(tree.first(), sorted.first().copied());
            assert_eq!(tree.last(&entities), sorted.last().copied());
        }
    }

    #[test]
    fn equals_a_sorted_list() {
        for seed in 0..20 {
            check_random::<ByVruntime>(seed, 1_000_000);
            check_random::<ByDeadline>(seed, 1_000_000);
        }
    }

    #[test]
    fn equal_keys_keep_insertion_order() {
        for seed in 100..120 {
            check_random::<ByVruntime>(seed, 4);
            check_random::<ByDeadline>(seed, 1);
        }
    }

    /// The shape after ascending insertions is the textbook's.
    #[test]
    fn shape_of_ascending_insertions() {
        let mut entities = Entities::default();
        let mut tree = Tree::default();
        for i in 0..6u64 {
            let task = entities.push(Entity::new(Nice::default()));
            entities[task].vruntime = Vtime(i);
            tree.insert::<ByVruntime>(&mut entities, task);
        }
        let root = tree.root().unwrap();
        assert_eq!(root, TaskId(1));
        assert_eq!(left(&entities, root), Some(TaskId(0)));
        assert_eq!(right(&entities, root), Some(TaskId(3)));
        assert_eq!(right(&entities, TaskId(4)), Some(TaskId(5)));
        assert!(is_red_node(&entities, TaskId(3)) && is_red_node(&entities, TaskId(5)));
        // A node with two children is replaced by its successor.
        tree.remove::<ByVruntime>(&mut entities, TaskId(3));
        assert_eq!(right(&entities, root), Some(TaskId(4)));
        assert_eq!(left(&entities, TaskId(4)), Some(TaskId(2)));
    }
}
