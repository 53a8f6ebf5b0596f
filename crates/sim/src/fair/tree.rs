//! The queue's tree: an augmented red-black tree, intrusive in the arena of entities.
//!
//! Insertion and deletion are the textbook's (a node with two children is replaced by its
//! successor), so that the *shape* equals that of the kernel's rbtree: in 6.6 the choice among
//! equal deadlines depends on it (R4.B.12). Equal keys go behind their equals.

use super::{Entities, Entity};
use crate::units::{Span, TaskId, Vtime};

/// What a tree is sorted by and what it keeps the minimum of; one per kernel generation.
pub trait Order {
    /// The sort key of an entity.
    fn key(entity: &Entity) -> Vtime;
    /// The value whose minimum over each subtree is kept.
    fn value(entity: &Entity) -> Vtime;
    /// Whether the least request of each subtree is kept too (R4.C.12).
    const KEEPS_SLICES: bool = false;
    /// The entity's place in the tree of this order.
    #[must_use]
    fn node(entity: &Entity) -> &Node {
        &entity.node
    }
    /// [`Order::node`], to be changed.
    #[must_use]
    fn node_mut(entity: &mut Entity) -> &mut Node {
        &mut entity.node
    }
}

/// Sorted by vruntime, keeping the minimum deadline: EEVDF of 6.6, and CFS (which never looks at
/// the minimum).
#[derive(Clone, Copy, Debug)]
pub struct ByVruntime;

/// Sorted by deadline, keeping the minimum vruntime: EEVDF of 6.8 and later.
#[derive(Clone, Copy, Debug)]
pub struct ByDeadline;

/// [`ByDeadline`], keeping the least request too: 6.17, whose protection asks for it.
#[derive(Clone, Copy, Debug)]
pub struct ByDeadlineWithSlices;

/// Sorted by vruntime + latency offset: the second tree of latency-nice for CFS (R3.2.9). An entity
/// can be in this one and in the main one.
#[derive(Clone, Copy, Debug)]
pub struct ByLatency;

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

impl Order for ByDeadlineWithSlices {
    fn key(entity: &Entity) -> Vtime {
        entity.deadline
    }
    fn value(entity: &Entity) -> Vtime {
        entity.vruntime
    }
    const KEEPS_SLICES: bool = true;
}

impl Order for ByLatency {
    fn key(entity: &Entity) -> Vtime {
        entity.vruntime.plus(entity.latency_offset)
    }
    fn value(entity: &Entity) -> Vtime {
        ByLatency::key(entity)
    }
    fn node(entity: &Entity) -> &Node {
        &entity.latency_node
    }
    fn node_mut(entity: &mut Entity) -> &mut Node {
        &mut entity.latency_node
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

    /// What it points at; it must not be [`Link::NONE`].
    fn task(self) -> TaskId {
        TaskId(self.0)
    }
}

impl core::fmt::Debug for Link {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.get().fmt(f)
    }
}

/// The part of an entity that belongs to the tree. Meaningless while the entity is not in one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// The minimum of [`Order::value`] over this node and all below.
    min: Vtime,
    /// The least request of this node and all below, if [`Order::KEEPS_SLICES`].
    min_slice: Span,
    parent: Link,
    children: [Link; 2],
    red: bool,
}

impl Default for Node {
    fn default() -> Node {
        Node {
            min: Vtime(0),
            min_slice: Span(0),
            parent: Link::NONE,
            children: [Link::NONE; 2],
            red: false,
        }
    }
}

impl Node {
    /// The entity above it; `None` for the root.
    #[must_use]
    pub fn parent(&self) -> Option<TaskId> {
        self.parent.get()
    }

    /// Its left child.
    #[must_use]
    pub fn left(&self) -> Option<TaskId> {
        self.children[LEFT].get()
    }

    /// Its right child.
    #[must_use]
    pub fn right(&self) -> Option<TaskId> {
        self.children[RIGHT].get()
    }

    /// Whether it is red.
    #[must_use]
    pub fn is_red(&self) -> bool {
        self.red
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
        self.iter_in::<ByVruntime>(entities)
    }

    /// [`Tree::iter`] of a tree whose nodes may be others than the main tree's.
    pub fn iter_in<'a, O: Order>(
        &self,
        entities: &'a Entities,
    ) -> impl Iterator<Item = TaskId> + use<'a, O> {
        core::iter::successors(self.first(), |&at| successor_in::<O>(entities, at))
    }

    /// Puts an entity in, behind its equals. It must not be in a tree.
    pub fn insert<O: Order>(&mut self, entities: &mut Entities, task: TaskId) {
        let (key, value) = (O::key(&entities[task]), O::value(&entities[task]));
        let min_slice = if O::KEEPS_SLICES { entities[task].slice } else { Span(0) };
        let (mut parent, mut side, mut at, mut leftmost) = (Link::NONE, LEFT, self.root, true);
        while let Some(there) = at.get() {
            let entity = &mut entities[there];
            side = if key.before(O::key(entity)) { LEFT } else { RIGHT };
            let node = O::node_mut(entity);
            node.min = node.min.min(value);
            if O::KEEPS_SLICES {
                node.min_slice = node.min_slice.min(min_slice);
            }
            leftmost &= side == LEFT;
            (parent, at) = (at, node.children[side]);
        }
        let link = Link::to(task);
        *O::node_mut(&mut entities[task]) =
            Node { min: value, min_slice, parent, children: [Link::NONE; 2], red: true };
        match parent.get() {
            Some(parent) => O::node_mut(&mut entities[parent]).children[side] = link,
            None => self.root = link,
        }
        if leftmost {
            self.leftmost = link;
        }
        self.balance_after_insert::<O>(entities, link);
    }

    /// Takes an entity out. It must be in this tree.
    pub fn remove<O: Order>(&mut self, entities: &mut Entities, task: TaskId) {
        let link = Link::to(task);
        if self.leftmost == link {
            self.leftmost = successor_in::<O>(entities, task).map_or(Link::NONE, Link::to);
        }
        let slots = entities;
        let &Node { parent, children: [left, right], red, .. } = node::<O>(slots, link);
        // Where the tree became shorter by one black node, and from where minima are stale.
        let (hole, black_lost);
        if left.is_none() || right.is_none() {
            let child = if left.is_none() { right } else { left };
            self.replace::<O>(slots, parent, link, child);
            hole = parent;
            if child.is_none() {
                black_lost = !red;
            } else {
                node_mut::<O>(slots, child).parent = parent;
                node_mut::<O>(slots, child).red = red;
                black_lost = false;
            }
        } else {
            let mut heir = right;
            while !child::<O>(slots, heir, LEFT).is_none() {
                heir = child::<O>(slots, heir, LEFT);
            }
            let orphan = child::<O>(slots, heir, RIGHT);
            if heir == right {
                hole = heir;
            } else {
                hole = node::<O>(slots, heir).parent;
                node_mut::<O>(slots, hole).children[LEFT] = orphan;
                node_mut::<O>(slots, heir).children[RIGHT] = right;
                node_mut::<O>(slots, right).parent = heir;
            }
            node_mut::<O>(slots, heir).children[LEFT] = left;
            node_mut::<O>(slots, left).parent = heir;
            node_mut::<O>(slots, heir).parent = parent;
            self.replace::<O>(slots, parent, link, heir);
            let heir_was_red = core::mem::replace(&mut node_mut::<O>(slots, heir).red, red);
            if orphan.is_none() {
                black_lost = !heir_was_red;
            } else {
                node_mut::<O>(slots, orphan).parent = hole;
                node_mut::<O>(slots, orphan).red = false;
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
        refresh_upwards::<O>(entities, Link::to(task));
    }

    /// Hangs `new` where `old` hung below `parent`.
    fn replace<O: Order>(&mut self, slots: &mut Entities, parent: Link, old: Link, new: Link) {
        if parent.is_none() {
            self.root = new;
        } else {
            let children = &mut node_mut::<O>(slots, parent).children;
            children[usize::from(children[RIGHT] == old)] = new;
        }
    }

    /// Turns `top` down to its `side`; its child on the other side takes its place.
    fn rotate<O: Order>(&mut self, slots: &mut Entities, top: Link, side: usize) {
        let riser = child::<O>(slots, top, 1 - side);
        let inner = child::<O>(slots, riser, side);
        let parent = node::<O>(slots, top).parent;
        node_mut::<O>(slots, top).children[1 - side] = inner;
        if !inner.is_none() {
            node_mut::<O>(slots, inner).parent = top;
        }
        node_mut::<O>(slots, riser).children[side] = top;
        node_mut::<O>(slots, riser).parent = parent;
        self.replace::<O>(slots, parent, top, riser);
        node_mut::<O>(slots, top).parent = riser;
        node_mut::<O>(slots, riser).min = node::<O>(slots, top).min;
        if O::KEEPS_SLICES {
            node_mut::<O>(slots, riser).min_slice = node::<O>(slots, top).min_slice;
        }
        refresh::<O>(slots, top);
    }

    fn balance_after_insert<O: Order>(&mut self, slots: &mut Entities, mut at: Link) {
        loop {
            let mut parent = node::<O>(slots, at).parent;
            if parent.is_none() {
                node_mut::<O>(slots, at).red = false;
                return;
            }
            if !node::<O>(slots, parent).red {
                return;
            }
            // A red node is not the root.
            let grand = node::<O>(slots, parent).parent;
            let side = usize::from(child::<O>(slots, grand, RIGHT) == parent);
            let uncle = child::<O>(slots, grand, 1 - side);
            if is_red::<O>(slots, uncle) {
                node_mut::<O>(slots, uncle).red = false;
                node_mut::<O>(slots, parent).red = false;
                node_mut::<O>(slots, grand).red = true;
                at = grand;
                continue;
            }
            if child::<O>(slots, parent, 1 - side) == at {
                self.rotate::<O>(slots, parent, side);
                parent = at;
            }
            node_mut::<O>(slots, parent).red = false;
            node_mut::<O>(slots, grand).red = true;
            self.rotate::<O>(slots, grand, 1 - side);
            return;
        }
    }

    /// Below `parent`, the side of the empty place lacks a black node.
    fn balance_after_remove<O: Order>(&mut self, slots: &mut Entities, mut parent: Link) {
        let mut at = Link::NONE;
        loop {
            let side = usize::from(child::<O>(slots, parent, LEFT) != at);
            let mut sibling = child::<O>(slots, parent, 1 - side);
            if node::<O>(slots, sibling).red {
                node_mut::<O>(slots, sibling).red = false;
                node_mut::<O>(slots, parent).red = true;
                self.rotate::<O>(slots, parent, side);
                sibling = child::<O>(slots, parent, 1 - side);
            }
            let (near, far) =
                (child::<O>(slots, sibling, side), child::<O>(slots, sibling, 1 - side));
            if !is_red::<O>(slots, near) && !is_red::<O>(slots, far) {
                node_mut::<O>(slots, sibling).red = true;
                if node::<O>(slots, parent).red {
                    node_mut::<O>(slots, parent).red = false;
                    return;
                }
                (at, parent) = (parent, node::<O>(slots, parent).parent);
                if parent.is_none() {
                    return;
                }
                continue;
            }
            if !is_red::<O>(slots, far) {
                node_mut::<O>(slots, near).red = false;
                node_mut::<O>(slots, sibling).red = true;
                self.rotate::<O>(slots, sibling, 1 - side);
                sibling = near;
            }
            node_mut::<O>(slots, sibling).red = node::<O>(slots, parent).red;
            node_mut::<O>(slots, parent).red = false;
            let far = child::<O>(slots, sibling, 1 - side);
            node_mut::<O>(slots, far).red = false;
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

/// The least request of an entity in a tree and all below it, where the order keeps it.
#[must_use]
pub fn subtree_min_slice(entities: &Entities, task: TaskId) -> Span {
    entities[task].node.min_slice
}

/// The next entity in ascending order.
#[must_use]
pub fn successor(entities: &Entities, task: TaskId) -> Option<TaskId> {
    successor_in::<ByVruntime>(entities, task)
}

/// [`successor`] in a tree whose nodes may be others than the main tree's.
#[must_use]
pub fn successor_in<O: Order>(entities: &Entities, task: TaskId) -> Option<TaskId> {
    let slots = entities;
    let mut at = Link::to(task);
    let mut below = child::<O>(slots, at, RIGHT);
    if !below.is_none() {
        while !below.is_none() {
            (at, below) = (below, child::<O>(slots, below, LEFT));
        }
        return at.get();
    }
    loop {
        let above = node::<O>(slots, at).parent;
        if above.is_none() || child::<O>(slots, above, LEFT) == at {
            return above.get();
        }
        at = above;
    }
}

fn node<O: Order>(slots: &Entities, at: Link) -> &Node {
    O::node(&slots[at.task()])
}

fn node_mut<O: Order>(slots: &mut Entities, at: Link) -> &mut Node {
    O::node_mut(&mut slots[at.task()])
}

fn child<O: Order>(slots: &Entities, at: Link, side: usize) -> Link {
    node::<O>(slots, at).children[side]
}

fn is_red<O: Order>(slots: &Entities, at: Link) -> bool {
    !at.is_none() && node::<O>(slots, at).red
}

fn minimum<O: Order>(slots: &Entities, at: Link) -> Vtime {
    let entity = &slots[at.task()];
    let mut min = O::value(entity);
    for child in O::node(entity).children {
        if !child.is_none() {
            min = min.min(node::<O>(slots, child).min);
        }
    }
    min
}

fn minimum_slice<O: Order>(slots: &Entities, at: Link) -> Span {
    let entity = &slots[at.task()];
    let mut min = entity.slice;
    for child in O::node(entity).children {
        if !child.is_none() {
            min = min.min(node::<O>(slots, child).min_slice);
        }
    }
    min
}

/// Brings the minima of one node up to date with those of its children.
fn refresh<O: Order>(slots: &mut Entities, at: Link) {
    node_mut::<O>(slots, at).min = minimum::<O>(slots, at);
    if O::KEEPS_SLICES {
        node_mut::<O>(slots, at).min_slice = minimum_slice::<O>(slots, at);
    }
}

fn refresh_upwards<O: Order>(slots: &mut Entities, mut at: Link) {
    while !at.is_none() {
        refresh::<O>(slots, at);
        at = node::<O>(slots, at).parent;
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
        let node = O::node(&entities[task]);
        assert_eq!(node.parent, above, "parent of {task:?}");
        if node.red {
            assert!(node.children.iter().all(|&child| !is_red::<O>(entities, child)));
        }
        assert_eq!(node.min, minimum::<O>(entities, at), "minimum of {task:?}");
        if O::KEEPS_SLICES {
            assert_eq!(node.min_slice, minimum_slice::<O>(entities, at));
        }
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
                entities[task].slice = Span(dice.roll(spread));
                entities[task].latency_offset = -(dice.roll(spread) as i64);
                let key = O::key(&entities[task]);
                let at = sorted
                    .iter()
                    .position(|&other| key.before(O::key(&entities[other])))
                    .unwrap_or(sorted.len());
                sorted.insert(at, task);
                tree.insert::<O>(&mut entities, task);
            }
            assert!(!is_red::<O>(&entities, tree.root), "the root is black");
            check_below::<O>(&entities, tree.root, Link::NONE);
            assert_eq!(tree.iter_in::<O>(&entities).collect::<Vec<_>>(), sorted);
            assert_eq!(tree.first(), sorted.first().copied());
        }
    }

    #[test]
    fn equals_a_sorted_list() {
        for seed in 0..20 {
            check_random::<ByVruntime>(seed, 1_000_000);
            check_random::<ByDeadline>(seed, 1_000_000);
            check_random::<ByDeadlineWithSlices>(seed, 1_000_000);
            check_random::<ByLatency>(seed, 1_000_000);
        }
    }

    #[test]
    fn equal_keys_keep_insertion_order() {
        for seed in 100..120 {
            check_random::<ByVruntime>(seed, 4);
            check_random::<ByDeadline>(seed, 1);
            check_random::<ByLatency>(seed, 3);
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
