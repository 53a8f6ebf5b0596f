//! The queue's tree: across is the order of the key, down is depth.
//!
//! Each node shows its own value and the least of its subtree on a gauge around V, so one sees why
//! the search may skip what it skips: it goes left while the triangle is on the tinted side.

mod key;
mod node;
mod shape;
mod walk;

pub use key::key;
pub use shape::{Form, Item, Kind, MOST, TreeShape};
pub use walk::{Walk, by_deadline};

use super::pen::{ChipForm, Pen, TaskInk, chip, chip_width_from, dashed, plain, stroke, width};
use super::pick::{Rule, finished};
use super::{Look, Roster};
use crate::format;
use crate::geometry::{Point, Rect};
use crate::scene::{Anchor, Dash, Ink, Scene, Target};
use crate::time_scale::nice_step;
use node::Nodes;
use schedscope_session::update::{Check, PickPicture, PickRow};

/// Name of a folded subtree when it is pointed at.
pub const FOLD: &str = "tree.fold";

/// Draws the tree with the search as far as it has happened at `look.check`. Under latency-nice for
/// CFS there is a second tree, which is drawn below.
#[must_use]
pub fn layout(
    picture: &PickPicture,
    checks: Option<&[Check]>,
    roster: &Roster,
    look: &Look,
) -> Scene {
    if picture.title.is_empty() {
        return level(picture, checks, roster, look);
    }
    super::pick::levels::stack(picture, checks, look, |one, checks, look| {
        level(one, checks, roster, look)
    })
}

/// Draws the trees of one level.
fn level(picture: &PickPicture, checks: Option<&[Check]>, roster: &Roster, look: &Look) -> Scene {
    let picture = picture.at(look.check);
    if picture.second.is_empty() {
        return one(picture, checks, roster, look);
    }
    let second = second(picture);
    let deepest = |picture: &PickPicture| picture.tree.iter().map(|node| node.depth + 1).max();
    let (first, other) = (deepest(picture).unwrap_or(1), deepest(&second).unwrap_or(1));
    let size = if look.present { 20.0 } else { 12.0 };
    let heading = size * 1.8;
    let room = look.height - 2.0 * heading;
    let share = f32::from(first) / f32::from(first + other);
    let part = |height: f32| Look { height, ..look.clone() };
    let titled = |words: &str, scene: Scene| {
        let mut pen = Pen::new(look.width, heading);
        pen.text("tree/title", 0.0, heading / 2.0, words, plain(size, Ink::TextSoft).weight(600));
        pen.done().above(scene, "")
    };
    let main = one(picture, checks, roster, &part(room * share));
    let below = one(&second, checks, roster, &part(room * (1.0 - share)));
    let below = titled("Latency-nice below 0: by vruntime + offset", below);
    titled("All who wait: by vruntime", main).above(below, "second/")
}

/// The second tree as a picture of its own, of those in it: by vruntime + offset.
fn second(picture: &PickPicture) -> PickPicture {
    let inside = |row: &PickRow| picture.second.iter().any(|node| node.task == row.task);
    let rows = picture.rows.iter().filter(|row| inside(row));
    PickPicture {
        rows: rows
            .map(|row| PickRow { vruntime: row.vruntime.saturating_add(row.offset), ..*row })
            .collect(),
        tree: picture.second.clone(),
        second: Vec::new(),
        walk: Vec::new(),
        curr: None,
        ..picture.clone()
    }
}

/// One tree.
fn one(picture: &PickPicture, checks: Option<&[Check]>, roster: &Roster, look: &Look) -> Scene {
    if picture.tree.is_empty() {
        return empty(picture, roster, look);
    }
    let rule = Rule::of(picture);
    let reach = gauge_reach(picture);
    let picture = &PickPicture { rows: rule.rows(picture), ..picture.clone() };
    let shape = TreeShape::of(picture, look);
    let done = finished(picture, checks, look.check);
    let walk = Walk::of(picture, checks, look.check, done);
    let font = if look.present { 20.0 } else { 12.0 };
    let mut pen = Pen::new(shape.width, shape.height).floor(font);
    let picked = picture.chosen.filter(|_| done);
    let nodes = Nodes { picture, shape: &shape, walk: &walk, roster, reach, picked, rule };
    for (i, item) in shape.items.iter().enumerate() {
        if let Some(parent) = item.parent {
            link(&mut pen, picture, &shape, &walk, i, parent);
        }
    }
    for item in &shape.items {
        nodes.draw(&mut pen, item);
    }
    foot(&mut pen, picture, &shape, roster, done);
    pen.done()
}

/// How far the gauges reach on both sides of V: so that nearly all values are inside.
#[must_use]
pub fn gauge_reach(picture: &PickPicture) -> i64 {
    let rule = Rule::of(picture);
    let dots = by_deadline(picture) || rule == Rule::Cfs;
    let own = |row: &PickRow| if dots { row.vruntime } else { row.deadline }.unsigned_abs();
    let mut values: Vec<u64> = rule.rows(picture).iter().map(own).collect();
    values.sort_unstable();
    let most = values.get(values.len() * 4 / 5).or(values.last()).copied().unwrap_or(0);
    nice_step((most.min(1 << 60) * 5 / 4).max(1_000)) as i64
}

/// A link from a parent down to a child, with the reason if it was taken to the left.
fn link(
    pen: &mut Pen,
    picture: &PickPicture,
    shape: &TreeShape,
    walk: &Walk,
    child: usize,
    parent: usize,
) {
    let (above, below) = (&shape.items[parent], &shape.items[child]);
    let node = below.node();
    let taken = walk.taken[node];
    let unit = shape.unit;
    let side = if below.left { -1.0 } else { 1.0 };
    let x0 = above.x + side * shape.node_width / 2.0;
    let beside = (below.x - x0) * side >= 3.0;
    let tip = below.y - if taken { 7.0 * unit } else { 0.0 };
    let points = if beside {
        let y = above.y + shape.node_height / 2.0;
        vec![Point::new(x0, y), Point::new(below.x, y), Point::new(below.x, tip)]
    } else {
        let y = above.y + shape.node_height;
        let x = above.x + side * shape.node_width * 0.25;
        let middle = (y + below.y) / 2.0;
        vec![
            Point::new(x, y),
            Point::new(x, middle),
            Point::new(below.x, middle),
            Point::new(below.x, tip),
        ]
    };
    let key = format!("tree/link/{}", picture.tree[node].task);
    if !taken {
        let dash = if walk.skipped[node] { Dash::Dashed } else { Dash::Solid };
        pen.path(key, points, dashed(Ink::LineStrong, 1.5, dash));
        return;
    }
    pen.path(key.clone(), points, stroke(Ink::Accent, 3.0 * unit));
    let d = 6.0 * unit;
    let head = vec![
        Point::new(below.x - d, below.y - 9.0 * unit),
        Point::new(below.x, below.y),
        Point::new(below.x + d, below.y - 9.0 * unit),
    ];
    pen.polygon(format!("{key}/head"), head, Ink::Accent, None);
    if !below.left || !beside || picture.tree_kept.is_empty() {
        return;
    }
    let what = if by_deadline(picture) { "smallest v below" } else { "earliest d below" };
    let kept = format::relative(picture.tree[node].kept);
    let short = kept.trim_end_matches("ms").trim_end().to_string();
    let font = if unit > 1.0 { 20.0 } else { 12.0 };
    let style = plain(font, Ink::TextSoft).anchor(Anchor::End);
    // Beside the circle with the number of the visit, if the parent carries it on this side.
    let end = x0 - if walk.number[above.node()].is_some() { 13.0 * unit } else { 8.0 };
    let y = above.y + shape.node_height / 2.0 - font * 0.5 - 6.0;
    for words in [format!("{what}: {short}"), format!("min {short}"), short.clone()] {
        let key = format!("{key}/why");
        if pen.text_if_fits(key, (below.x - 20.0, end), y, &words, style) {
            break;
        }
    }
}

/// Which way the key grows, and who is not in the tree because it runs.
fn foot(pen: &mut Pen, picture: &PickPicture, shape: &TreeShape, roster: &Roster, done: bool) {
    let font = if shape.unit > 1.0 { 20.0 } else { 12.0 };
    let style = plain(font, Ink::TextFaint);
    let y = shape.height - font * 0.5 - 4.0;
    let (low, high) = if by_deadline(picture) {
        ("← earlier deadline", "later deadline →")
    } else {
        ("← smaller vruntime", "larger vruntime →")
    };
    let both = width(low, style) + width(high, style) + 24.0;
    if both > shape.width {
        return;
    }
    pen.text("tree/low", 0.0, y, low, style);
    pen.text("tree/high", shape.width, y, high, style.anchor(Anchor::End));
    let row = picture.rows.iter().find(|row| Some(row.task) == picture.curr);
    let Some((row, curr)) = row.zip(picture.curr) else { return };
    let picked = done && picture.chosen == Some(curr);
    let (words, style) = if picked {
        ("keeps the CPU; it is not in the tree", plain(font, Ink::Accent).weight(600))
    } else if row.delayed {
        ("falls asleep: not in the tree", style)
    } else {
        ("runs: not in the tree", style)
    };
    let label = roster.label(curr);
    let side = font + 6.0;
    let size = chip_width_from(&label, side, font) + 8.0 + width(words, style);
    let start = (shape.width - size) / 2.0;
    let from = width(low, style) + 20.0;
    if start < from || start + size > shape.width - width(high, style) - 20.0 {
        return;
    }
    let rect = Rect::new(start, y - side / 2.0, chip_width_from(&label, side, font), side);
    chip(pen, "tree/curr", rect, &label, TaskInk::of(roster, curr), ChipForm::Solid);
    pen.text("tree/curr/words", rect.right() + 8.0, y, words, style);
    let hit = Rect { w: size, ..rect };
    pen.hit(hit, Target::Task(curr), format!("{} runs: not in the tree", roster.name(curr)));
}

fn empty(picture: &PickPicture, roster: &Roster, look: &Look) -> Scene {
    let size = if look.present { 24.0 } else { 14.0 };
    let height = look.height.min(size * 10.0);
    let mut pen = Pen::new(look.width, height);
    let style = plain(size, Ink::TextFaint);
    let y = height / 2.0 - size * 0.75;
    pen.text("tree/empty/1", 0.0, y, format!("The tree of CPU {} is empty.", picture.cpu), style);
    let second = match picture.curr {
        Some(curr) => format!("{} runs; a running task is not in the tree.", roster.name(curr)),
        None => "The idle task runs.".to_string(),
    };
    let second = super::pen::shortened(&second, style, look.width);
    pen.text("tree/empty/2", 0.0, y + size * 1.5, second, style);
    pen.done()
}
