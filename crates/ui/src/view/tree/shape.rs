//! Where the nodes go: across in key order, down by depth; what is folded, and how large a node is.

use crate::view::Look;
use schedscope_session::update::{PickPicture, TreeNode};

/// With more nodes than this, subtrees off the path fold.
pub const MOST: usize = 31;

/// How much a node can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Chip, key, colour and gauge.
    Full,
    /// Chip, key and gauge.
    Medium,
    /// Chip and gauge.
    Compact,
}

/// What a place holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The node with this index in the picture's tree.
    Node(usize),
    /// A folded subtree: its root, and the first and one past the last index in it.
    Fold {
        /// Its root.
        root: usize,
        /// First node.
        from: usize,
        /// One past the last.
        to: usize,
    },
}

/// A node or a folded subtree with its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Item {
    /// What it is.
    pub kind: Kind,
    /// Depth in the tree.
    pub depth: u16,
    /// Middle, px.
    pub x: f32,
    /// Top, px.
    pub y: f32,
    /// The item of the parent.
    pub parent: Option<usize>,
    /// It hangs on the left of its parent.
    pub left: bool,
}

/// The tree laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeShape {
    /// Items in key order.
    pub items: Vec<Item>,
    /// What nodes say.
    pub form: Form,
    /// Width of a node.
    pub node_width: f32,
    /// Height of a node.
    pub node_height: f32,
    /// Width of a column.
    pub column: f32,
    /// Least distance of two items on one level, px.
    pub apart: f32,
    /// Distance of levels.
    pub pitch: f32,
    /// Size of all.
    pub width: f32,
    /// Size of all.
    pub height: f32,
    /// 1, or more in present mode.
    pub unit: f32,
}

/// Room above the root and on both sides for the number of a visit.
const MARGIN: f32 = 12.0;

impl TreeShape {
    /// Lays a tree out in the room there is; grows beyond it rather than get illegible.
    #[must_use]
    pub fn of(picture: &PickPicture, look: &Look) -> TreeShape {
        let unit = if look.present { 1.6 } else { 1.0 };
        let tree = &picture.tree;
        let all = Folding { tree, keep: vec![true; tree.len()] }.items();
        if tree.len() <= MOST
            && let Some(shape) = TreeShape::fitted(all.clone(), look, unit, look.width)
        {
            return shape;
        }
        let folded = Folding { tree, keep: kept(picture) }.items();
        let items = if tree.len() > 7 { folded } else { all };
        let wide = (0..40).map(|n| look.width * (1.0 + n as f32 * 0.1));
        let shape = wide.clone().find_map(|w| TreeShape::fitted(items.clone(), look, unit, w));
        shape
            .unwrap_or_else(|| TreeShape::sized(items, look, unit, look.width * 5.0, Form::Compact))
    }

    /// The layout with the largest nodes for which this width has room.
    fn fitted(items: Vec<Item>, look: &Look, unit: f32, width: f32) -> Option<TreeShape> {
        let column = (width - 2.0 * MARGIN * unit) / items.len().max(1) as f32;
        let free = column - 10.0;
        let level = spacing(&items) * column - 12.0;
        let form = if free >= 100.0 * unit {
            Form::Full
        } else if free >= 66.0 * unit || (level >= 66.0 * unit && items.len() <= 15) {
            Form::Medium
        } else if level >= 30.0 * unit {
            Form::Compact
        } else {
            return None;
        };
        Some(TreeShape::sized(items, look, unit, width, form))
    }

    fn sized(items: Vec<Item>, look: &Look, unit: f32, width: f32, form: Form) -> TreeShape {
        let column = (width - 2.0 * MARGIN * unit) / items.len().max(1) as f32;
        let level = spacing(&items) * column - 12.0;
        let (most, height) = match form {
            Form::Full => (124.0, 54.0),
            Form::Medium => (96.0, 54.0),
            Form::Compact => (44.0, 48.0),
        };
        let (most, node_height) = (most * unit, height * unit);
        let node_width = match form {
            Form::Full => (column - 10.0).min(most),
            Form::Medium => (column - 10.0).max(level.min(88.0 * unit)).min(most),
            Form::Compact => (column - 10.0).max(level).clamp(26.0 * unit, most),
        };
        let top = MARGIN * unit;
        let deepest = items.iter().map(|item| item.depth).max().unwrap_or(0);
        let below = 20.0 * unit + 24.0 * unit;
        let room = look.height - top - node_height - below;
        let crowded = node_width > column - 4.0;
        let least = if crowded { node_height + 16.0 } else { node_height * 0.5 + 18.0 * unit };
        let pitch = (room / f32::from(deepest.max(1))).floor().clamp(least, 104.0 * unit);
        let height = top + f32::from(deepest) * pitch + node_height + below;
        let mut shape = TreeShape {
            items,
            form,
            node_width,
            node_height,
            column,
            apart: 0.0,
            pitch,
            width,
            height,
            unit,
        };
        // The outermost nodes reach to the sides; columns between them are even.
        let n = shape.items.len();
        let reach = MARGIN * unit + node_width / 2.0;
        // A small tree stays together, in the middle.
        let spread = (width - 2.0 * reach).min((n.max(1) - 1) as f32 * 170.0 * unit);
        let reach = (width - spread) / 2.0;
        for (i, item) in shape.items.iter_mut().enumerate() {
            let share = if n > 1 { i as f32 / (n - 1) as f32 } else { 0.5 };
            item.x = reach + share * (width - 2.0 * reach);
            item.y = top + f32::from(item.depth) * pitch;
        }
        if n > 1 {
            shape.column = (width - 2.0 * reach) / (n - 1) as f32;
        }
        shape.apart = spacing(&shape.items) * shape.column;
        shape
    }
}

/// Least distance, in columns, of two items on one level.
fn spacing(items: &[Item]) -> f32 {
    let mut last: Vec<Option<usize>> = Vec::new();
    let mut least = items.len().max(2);
    for (i, item) in items.iter().enumerate() {
        let depth = usize::from(item.depth);
        if last.len() <= depth {
            last.resize(depth + 1, None);
        }
        if let Some(before) = last[depth].replace(i) {
            least = least.min(i - before);
        }
    }
    least as f32
}

/// Which nodes are shown when not all can be: the path of the search and the pick; without a
/// search, the top of the tree.
fn kept(picture: &PickPicture) -> Vec<bool> {
    let on_path = |node: &TreeNode| {
        picture.chosen == Some(node.task) && picture.decided
            || picture.walk.iter().any(|step| step.task == node.task)
    };
    let path: Vec<bool> = picture.tree.iter().map(on_path).collect();
    if path.iter().any(|on| *on) {
        return path;
    }
    picture.tree.iter().map(|node| node.depth <= 2).collect()
}

/// A tree of which only some nodes must be shown.
struct Folding<'a> {
    tree: &'a [TreeNode],
    keep: Vec<bool>,
}

impl Folding<'_> {
    fn items(&self) -> Vec<Item> {
        let mut items = Vec::new();
        if let Some(root) = self.tree.iter().position(|node| node.parent.is_none()) {
            self.visit(root, (0, self.tree.len()), &mut items);
        }
        let place_of =
            |node: usize| items.iter().position(|item: &Item| item.kind == Kind::Node(node));
        let parents: Vec<(Option<usize>, bool)> = items
            .iter()
            .map(|item| {
                let node = item.node();
                let parent = self.tree[node].parent.map(usize::from);
                (parent.and_then(place_of), parent.is_some_and(|parent| node < parent))
            })
            .collect();
        for (item, (parent, left)) in items.iter_mut().zip(parents) {
            (item.parent, item.left) = (parent, left);
        }
        items
    }

    /// Adds a subtree, which spans the indices `from … to`, in key order.
    fn visit(&self, node: usize, (from, to): (usize, usize), items: &mut Vec<Item>) {
        let item = |kind| Item {
            kind,
            depth: self.tree[node].depth,
            x: 0.0,
            y: 0.0,
            parent: None,
            left: false,
        };
        let needed = (from..to).any(|i| self.keep[i]);
        if !needed && to - from > 1 {
            items.push(item(Kind::Fold { root: node, from, to }));
            return;
        }
        if let Some(left) = self.child(node, from..node) {
            self.visit(left, (from, node), items);
        }
        items.push(item(Kind::Node(node)));
        if let Some(right) = self.child(node, node + 1..to) {
            self.visit(right, (node + 1, to), items);
        }
    }

    fn child(&self, node: usize, mut within: std::ops::Range<usize>) -> Option<usize> {
        within.find(|i| self.tree[*i].parent.map(usize::from) == Some(node))
    }
}

impl Item {
    /// The node it shows, or the root of what it folds.
    #[must_use]
    pub fn node(&self) -> usize {
        match self.kind {
            Kind::Node(node) => node,
            Kind::Fold { root, .. } => root,
        }
    }
}
