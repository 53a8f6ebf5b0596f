//! One node of the tree: chip, key, colour, gauge; or the triangle of a folded subtree.

use super::shape::{Form, Item, Kind, TreeShape};
use super::walk::{Walk, by_deadline};
use crate::format;
use crate::geometry::{Point, Rect};
use crate::scene::{Anchor, Ink, Target};
use crate::view::Roster;
use crate::view::pen::{ChipForm, Pen, TaskInk, chip, flag, number, plain, stroke, width};
use crate::view::pick::Rule;
use schedscope_session::update::{PickPicture, PickRow};

/// What nodes are drawn from.
pub(super) struct Nodes<'a> {
    pub(super) picture: &'a PickPicture,
    pub(super) shape: &'a TreeShape,
    pub(super) walk: &'a Walk,
    pub(super) roster: &'a Roster<'a>,
    /// What the gauge reaches to on both sides of V, ns.
    pub(super) reach: i64,
    /// The algorithm.
    pub(super) rule: Rule,
    /// The pick, once it is made.
    pub(super) picked: Option<u32>,
}

impl Nodes<'_> {
    /// Draws a node or a folded subtree.
    pub(super) fn draw(&self, pen: &mut Pen, item: &Item) {
        match item.kind {
            Kind::Node(node) => self.node(pen, item, node),
            Kind::Fold { from, to, .. } => self.fold(pen, item, from, to),
        }
    }

    fn node(&self, pen: &mut Pen, item: &Item, node: usize) {
        let tree_node = &self.picture.tree[node];
        let task = tree_node.task;
        let row = self.picture.rows.iter().find(|row| row.task == task);
        let (w, h, unit) = (self.shape.node_width, self.shape.node_height, self.shape.unit);
        let rect = Rect::new(item.x - w / 2.0, item.y, w, h);
        let key = format!("tree/{task}");
        let picked = self.picked == Some(task);
        let visited = self.walk.number[node].is_some() || self.walk.taken[node];
        let lit = picked || self.walk.current == Some(node);
        let edge = match (picked, visited) {
            (true, _) => stroke(Ink::Accent, 3.0 * unit),
            (_, true) => stroke(Ink::Accent, 2.0 * unit),
            _ => stroke(Ink::LineStrong, 1.0),
        };
        let faint = self.walk.skipped[node] && !lit;
        pen.faded(if faint { 0.5 } else { 1.0 }, |pen| {
            let fill = if lit { Ink::AccentTint } else { Ink::Plot };
            pen.rect(key.clone(), rect, 3.0, fill, edge);
            self.head(pen, &key, rect, node, row);
            if let Some(row) = row {
                self.gauge(pen, &key, rect, row, tree_node.kept);
            }
        });
        self.below(pen, &key, rect, node, faint);
        if let Some(count) = self.walk.number[node] {
            let right = item.parent.is_some() && !item.left;
            let at = Point::new(if right { rect.right() } else { rect.x }, rect.y);
            let r = 10.0 * unit;
            pen.circle(format!("{key}/visit"), at, r, Ink::Accent, None);
            let style = plain(12.0 * self.font_unit(), Ink::OnAccent).weight(650);
            let style = style.anchor(Anchor::Middle);
            pen.text(format!("{key}/visit/number"), at.x, at.y, count.to_string(), style);
        }
        pen.hit(rect, Target::Task(task), self.spoken(node, row));
    }

    fn font(&self) -> f32 {
        if self.shape.unit > 1.0 { 20.0 } else { 12.0 }
    }

    fn font_unit(&self) -> f32 {
        self.font() / 12.0
    }

    /// Chip, key and colour.
    fn head(&self, pen: &mut Pen, key: &str, rect: Rect, node: usize, row: Option<&PickRow>) {
        let tree_node = &self.picture.tree[node];
        let (unit, font) = (self.shape.unit, self.font());
        let side = 20.0 * unit;
        let label = self.roster.label(tree_node.task);
        let form =
            if row.is_some_and(|row| row.delayed) { ChipForm::Hollow } else { ChipForm::Solid };
        let ink = TaskInk::of(self.roster, tree_node.task);
        let compact = self.shape.form == Form::Compact;
        let most = rect.w - 6.0;
        let chip_w = crate::view::pen::chip_width_from(&label, side, font).min(most);
        let at = if compact {
            Rect::new(rect.centre().x - chip_w / 2.0, rect.y + 4.0 * unit, chip_w, side)
        } else {
            Rect::new(rect.x + 7.0 * unit, rect.y + 6.0 * unit, chip_w, side)
        };
        chip(pen, &format!("{key}/chip"), at, &label, ink, form);
        let Some(row) = row.filter(|_| !compact) else { return };
        let (letter, value) =
            if by_deadline(self.picture) { ("d", row.deadline) } else { ("v", row.vruntime) };
        let value = format::signed_ms(value);
        let y = at.centre().y;
        let style = number(font, Ink::Text);
        if self.shape.form == Form::Full {
            let faint = plain(font, Ink::TextFaint);
            let start = at.right() + 7.0 * unit;
            let gap = width(letter, faint) + 5.0 * unit;
            let square = rect.right() - 14.0 * unit;
            let room = square - 6.0 * unit - start;
            let start_style = style.anchor(Anchor::Start);
            if width(&value, style) + gap <= room {
                pen.text(format!("{key}/letter"), start, y, letter, faint);
                pen.text(format!("{key}/key"), start + gap, y, value, start_style);
            } else if width(&value, style) <= room {
                pen.text(format!("{key}/key"), start, y, value, start_style);
            }
            let colour = Rect::new(square, rect.y + 7.0 * unit, 8.0 * unit, 8.0 * unit);
            let fill = if tree_node.red { Ink::Plot } else { Ink::TextSoft };
            pen.rect(format!("{key}/colour"), colour, 0.0, fill, stroke(Ink::TextSoft, 1.0));
            return;
        }
        let room = (at.right() + 4.0, rect.right() - 6.0 * unit);
        pen.text_if_fits(format!("{key}/key"), room, y, &value, style);
    }

    /// The gauge: V in the middle, what the node has itself and what its subtree has at least.
    fn gauge(&self, pen: &mut Pen, key: &str, rect: Rect, row: &PickRow, kept: i64) {
        let unit = self.shape.unit;
        let inset = if self.shape.form == Form::Compact { 5.0 } else { 10.0 * unit };
        let (x0, x1) = (rect.x + inset, rect.right() - inset);
        let (middle, half) = ((x0 + x1) / 2.0, (x1 - x0) / 2.0);
        let y = rect.bottom() - 15.0 * unit;
        let x = |at: i64| {
            let share = (at as f64 / self.reach as f64).clamp(-1.0, 1.0);
            middle + share as f32 * half
        };
        let axis = stroke(Ink::Axis, 1.0);
        if self.rule == Rule::Cfs {
            // From min_vruntime on the left: there is no V to be before or behind.
            let share = (row.vruntime as f64 / self.reach as f64).clamp(0.0, 1.0) as f32;
            let at = Point::new(x0 + share * (x1 - x0), y);
            pen.level(format!("{key}/gauge"), x0, x1, y, axis);
            pen.upright(format!("{key}/v"), x0, y - 6.0 * unit, y + 6.0 * unit, axis);
            pen.circle(format!("{key}/own"), at, 4.0 * unit, Ink::Text, None);
            return;
        }
        let deadline_tree = by_deadline(self.picture);
        let tint = Rect::new(x0, y - 6.0 * unit, half, 12.0 * unit);
        pen.fill(format!("{key}/tint"), tint, Ink::Eligible);
        pen.level(format!("{key}/gauge"), x0, x1, y, axis);
        let v = stroke(Ink::Text, 1.5);
        pen.upright(format!("{key}/v"), middle, y - 8.0 * unit, y + 8.0 * unit, v);
        let (at, d) = (x(kept), 4.5 * unit);
        let triangle = vec![
            Point::new(at, y + 1.0),
            Point::new(at - d, y + 1.0 + 8.0 * unit),
            Point::new(at + d, y + 1.0 + 8.0 * unit),
        ];
        pen.polygon(format!("{key}/kept"), triangle, Ink::TextSoft, None);
        if deadline_tree {
            let fill = if row.eligible { Ink::Text } else { Ink::Plot };
            let edge = Some(stroke(Ink::Text, 1.5));
            pen.circle(
                format!("{key}/own"),
                Point::new(x(row.vruntime), y),
                4.0 * unit,
                fill,
                edge,
            );
        } else {
            let at = Point::new(x(row.deadline), y - 2.0 * unit);
            flag(pen, &format!("{key}/own"), at, 6.0 * unit, 6.0 * unit, Ink::Text);
        }
    }

    /// The words below a node.
    fn below(&self, pen: &mut Pen, key: &str, rect: Rect, node: usize, skipped: bool) {
        let font = self.font();
        let soft = plain(font, Ink::TextSoft).anchor(Anchor::Middle);
        let task = self.picture.tree[node].task;
        let (words, style) = match self.walk.verdict[node] {
            _ if self.walk.left[node] => ("asleep: leaves", soft.weight(600)),
            _ if self.picked == Some(task) => {
                let group = self.roster.group(task).is_some();
                (if group { "its turn" } else { "runs next" }, TextAccent::of(soft))
            }
            Some(true) => ("eligible", TextAccent::of(soft)),
            Some(false) => ("not eligible", soft.weight(600)),
            None if self.walk.forgotten[node] => ("forgotten", soft.weight(600)),
            None if skipped && self.walk.is_skipped_root(self.picture, node) => ("skipped", soft),
            None => return,
        };
        // Never meets the link to a child, a neighbour's box or the words of a neighbour.
        let shape = self.shape;
        let tall = shape.pitch >= shape.node_height + font + 8.0;
        let box_side = if tall { 0.0 } else { shape.node_width };
        let room = (2.0 * shape.column - box_side - 10.0).min(shape.apart - 8.0);
        let edge = (rect.centre().x - 2.0).min(self.shape.width - rect.centre().x - 2.0) * 2.0;
        if width(words, style) <= room.min(edge) {
            let y = rect.bottom() + font * 0.5 + 5.0;
            pen.text(format!("{key}/verdict"), rect.centre().x, y, words, style);
        }
    }

    fn fold(&self, pen: &mut Pen, item: &Item, from: usize, to: usize) {
        let count = to - from;
        let unit = self.shape.unit;
        let key = format!("tree/fold/{from}");
        let (w, h) = (self.shape.node_width.min(40.0 * unit), self.shape.node_height * 0.72);
        let points = vec![
            Point::new(item.x, item.y),
            Point::new(item.x - w / 2.0, item.y + h),
            Point::new(item.x + w / 2.0, item.y + h),
        ];
        let skipped = (from..to).all(|i| self.walk.skipped[i]);
        pen.faded(if skipped { 0.5 } else { 1.0 }, |pen| {
            let edge = Some(stroke(Ink::LineStrong, 1.0));
            pen.polygon(key.clone(), points, Ink::Plot, edge);
        });
        let font = self.font();
        let style = number(font, Ink::TextSoft).anchor(Anchor::Middle);
        let y = item.y + h + font * 0.5 + 4.0;
        pen.text(format!("{key}/count"), item.x, y, count.to_string(), style);
        let names = (from..to).take(12).map(|i| self.roster.name(self.picture.tree[i].task));
        let names = names.collect::<Vec<_>>().join(", ");
        let more = if count > 12 { ", …" } else { "" };
        let rect = Rect::new(item.x - w / 2.0, item.y, w, h + font + 6.0);
        let skipped = if skipped { ", skipped" } else { "" };
        pen.hit(rect, Target::Named(super::FOLD), format!("{count} nodes{skipped}: {names}{more}"));
    }

    fn spoken(&self, node: usize, row: Option<&PickRow>) -> String {
        let tree_node = &self.picture.tree[node];
        let name = self.roster.name(tree_node.task);
        let mut text = format!("{name}: {}", if tree_node.red { "red" } else { "black" });
        if let Some(row) = row.filter(|_| self.rule == Rule::Cfs) {
            let at = format::signed_exact(row.vruntime);
            text.push_str(&format!(", vruntime {at} from min_vruntime"));
        } else if let Some(row) = row {
            text.push_str(&format!(
                ", deadline {}, vruntime {}",
                format::relative_exact(row.deadline),
                format::relative_exact(row.vruntime)
            ));
        }
        if !self.picture.tree_kept.is_empty() {
            let kept = format::relative_exact(tree_node.kept);
            text.push_str(&format!(", {} of the subtree {kept}", self.picture.tree_kept));
        }
        if let Some(number) = self.walk.number[node] {
            text.push_str(&format!(", visited as number {number}"));
        }
        text
    }
}

/// The accent on a text style.
struct TextAccent;

impl TextAccent {
    fn of(style: crate::scene::TextStyle) -> crate::scene::TextStyle {
        crate::scene::TextStyle { ink: Ink::Accent, weight: 600, ..style }
    }
}
