//! What the views draw with: a builder of scenes, the width of texts, and the chip, the one mark
//! that stands for a task everywhere.

use super::Roster;
use crate::geometry::{Point, Rect};
use crate::scene::{Anchor, Dash, Hit, Ink, Mark, Scene, Shape, Stroke, Target, TextStyle};
use schedscope_session::update::RowView;

/// A scene in the making.
#[derive(Clone, Debug)]
pub struct Pen {
    scene: Scene,
    alpha: f32,
    /// No letter on a chip is smaller, px.
    floor: f32,
}

/// A stroke in one line.
#[must_use]
pub const fn stroke(ink: Ink, width: f32) -> Stroke {
    Stroke { ink, width, dash: Dash::Solid }
}

/// A stroke with a dash pattern.
#[must_use]
pub const fn dashed(ink: Ink, width: f32, dash: Dash) -> Stroke {
    Stroke { ink, width, dash }
}

/// Plain text of a size.
#[must_use]
pub const fn plain(size: f32, ink: Ink) -> TextStyle {
    TextStyle { size, weight: 400, mono: false, anchor: Anchor::Start, ink }
}

/// A measured value of a size.
#[must_use]
pub const fn number(size: f32, ink: Ink) -> TextStyle {
    TextStyle { size, weight: 400, mono: true, anchor: Anchor::End, ink }
}

impl TextStyle {
    /// The same, semibold or bolder.
    #[must_use]
    pub const fn weight(mut self, weight: u16) -> TextStyle {
        self.weight = weight;
        self
    }

    /// The same, anchored elsewhere.
    #[must_use]
    pub const fn anchor(mut self, anchor: Anchor) -> TextStyle {
        self.anchor = anchor;
        self
    }
}

impl Pen {
    /// An empty scene of this size.
    #[must_use]
    pub fn new(width: f32, height: f32) -> Pen {
        Pen { scene: Scene::new(width, height), alpha: 1.0, floor: 12.0 }
    }

    /// The same with another least size of letters (20 px in present mode).
    #[must_use]
    pub fn floor(mut self, px: f32) -> Pen {
        self.floor = px;
        self
    }

    /// The finished scene.
    #[must_use]
    pub fn done(self) -> Scene {
        self.scene
    }

    /// The scene so far.
    #[must_use]
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Draws what `draw` draws, with this alpha.
    pub fn faded(&mut self, alpha: f32, draw: impl FnOnce(&mut Pen)) {
        let before = std::mem::replace(&mut self.alpha, alpha);
        draw(self);
        self.alpha = before;
    }

    /// Any shape.
    pub fn mark(&mut self, key: impl Into<String>, shape: Shape, fill: Ink, edge: Option<Stroke>) {
        let alpha = self.alpha;
        self.scene.marks.push(Mark { key: key.into(), shape, fill, stroke: edge, alpha });
    }

    /// A filled rectangle without an edge.
    pub fn fill(&mut self, key: impl Into<String>, rect: Rect, ink: Ink) {
        self.mark(key, Shape::Rect(rect, 0.0), ink, None);
    }

    /// A rectangle with rounded corners and an edge.
    pub fn rect(&mut self, key: impl Into<String>, rect: Rect, r: f32, fill: Ink, edge: Stroke) {
        self.mark(key, Shape::Rect(rect, r), fill, Some(edge));
    }

    /// A circle.
    pub fn circle(
        &mut self,
        key: impl Into<String>,
        at: Point,
        r: f32,
        fill: Ink,
        edge: Option<Stroke>,
    ) {
        self.mark(key, Shape::Circle(at, r), fill, edge);
    }

    /// A line through points.
    pub fn path(&mut self, key: impl Into<String>, points: Vec<Point>, with: Stroke) {
        self.mark(key, Shape::Line(points), Ink::None, Some(with));
    }

    /// A level line.
    pub fn level(&mut self, key: impl Into<String>, x0: f32, x1: f32, y: f32, with: Stroke) {
        self.path(key, vec![Point::new(x0, y), Point::new(x1, y)], with);
    }

    /// An upright line.
    pub fn upright(&mut self, key: impl Into<String>, x: f32, y0: f32, y1: f32, with: Stroke) {
        self.path(key, vec![Point::new(x, y0), Point::new(x, y1)], with);
    }

    /// A closed polygon.
    pub fn polygon(
        &mut self,
        key: impl Into<String>,
        points: Vec<Point>,
        fill: Ink,
        edge: Option<Stroke>,
    ) {
        self.mark(key, Shape::Polygon(points), fill, edge);
    }

    /// A text; `y` is its middle, not its baseline. Nothing is drawn if it says nothing.
    pub fn text(
        &mut self,
        key: impl Into<String>,
        x: f32,
        y: f32,
        text: impl Into<String>,
        style: TextStyle,
    ) {
        let text = text.into();
        if !text.is_empty() {
            let at = Point::new(x, y + style.size * 0.36);
            self.mark(key, Shape::Text(at, text, style), Ink::None, None);
        }
    }

    /// A text if it fits, without touching what is left of `from` or right of `to`.
    pub fn text_if_fits(
        &mut self,
        key: impl Into<String>,
        (from, to): (f32, f32),
        y: f32,
        text: &str,
        style: TextStyle,
    ) -> bool {
        let fits = width(text, style) <= to - from;
        if fits {
            let x = match style.anchor {
                Anchor::Start => from,
                Anchor::Middle => (from + to) / 2.0,
                Anchor::End => to,
            };
            self.text(key, x, y, text, style);
        }
        fits
    }

    /// Something that can be pointed at.
    pub fn hit(&mut self, rect: Rect, target: Target, label: impl Into<String>) {
        self.scene.hits.push(Hit { rect, target, label: label.into() });
    }
}

/// Width of a text in px, estimated.
#[must_use]
pub fn width(text: &str, style: TextStyle) -> f32 {
    crate::text::width(text, style)
}

/// A text cut with an ellipsis so that it fits.
#[must_use]
pub fn shortened(text: &str, style: TextStyle, room: f32) -> String {
    crate::text::fit(text, style, room).unwrap_or_default()
}

/// How a task is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskInk {
    /// What fills its marks.
    pub fill: Ink,
    /// What runs around them.
    pub edge: Ink,
    /// Letters on the fill.
    pub text: Ink,
    /// Hatching for a request that is not eligible.
    pub hatch: Ink,
    /// Grey: part of the background.
    pub muted: bool,
}

impl TaskInk {
    /// The inks of a task: those of its row, grey while the row is muted.
    #[must_use]
    pub fn of(roster: &Roster, task: u32) -> TaskInk {
        roster.row(task).map_or_else(TaskInk::grey, TaskInk::of_row)
    }

    /// The inks of a row.
    #[must_use]
    pub fn of_row(row: &RowView) -> TaskInk {
        let grey = TaskInk { hatch: Ink::TaskHatch(row.hue), ..TaskInk::grey() };
        if row.muted { grey } else { TaskInk::coloured(row.hue, row.texture) }
    }

    /// A colour and a texture.
    #[must_use]
    pub fn coloured(hue: u8, texture: u8) -> TaskInk {
        TaskInk {
            fill: Ink::Task { hue, texture },
            edge: Ink::TaskEdge(hue),
            text: Ink::TaskText(hue),
            hatch: Ink::TaskHatch(hue),
            muted: false,
        }
    }

    /// Grey.
    #[must_use]
    pub fn grey() -> TaskInk {
        TaskInk {
            fill: Ink::Busy,
            edge: Ink::BusyEdge,
            text: Ink::Text,
            hatch: Ink::TaskHatch(0),
            muted: true,
        }
    }
}

/// Letter size of a chip of this height.
#[must_use]
pub fn chip_letter(height: f32) -> f32 {
    (height * 0.56).clamp(12.0, 28.0)
}

/// Width that a chip of this height needs for its label: square for one letter.
#[must_use]
pub fn chip_width(label: &str, height: f32) -> f32 {
    chip_width_from(label, height, 12.0)
}

/// The same with another least size of letters, px.
#[must_use]
pub fn chip_width_from(label: &str, height: f32, floor: f32) -> f32 {
    let style = plain(chip_letter(height).max(floor), Ink::Text).weight(650);
    if label.chars().count() <= 1 { height } else { height.max(width(label, style) + 8.0) }
}

/// How a chip looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChipForm {
    /// Filled.
    #[default]
    Solid,
    /// Dashed and empty: asleep but still queued, or a ghost.
    Hollow,
}

/// Draws a task's chip.
pub fn chip(pen: &mut Pen, key: &str, rect: Rect, label: &str, ink: TaskInk, form: ChipForm) {
    let radius = (rect.h / 5.0).min(3.0);
    let (fill, edge, letter) = match form {
        ChipForm::Solid => (ink.fill, stroke(ink.edge, 1.0), ink.text),
        ChipForm::Hollow => (Ink::Background, dashed(ink.edge, 1.5, Dash::Dashed), Ink::Text),
    };
    pen.rect(key, rect, radius, fill, edge);
    let style =
        plain(chip_letter(rect.h).max(pen.floor), letter).weight(650).anchor(Anchor::Middle);
    if width(label, style) <= rect.w - 1.0 {
        let at = rect.centre();
        pen.text(format!("{key}/letter"), at.x, at.y, label, style);
    }
}

/// A flag on a pole: a virtual deadline. `at` is the middle of the pole.
pub fn flag(pen: &mut Pen, key: &str, at: Point, half: f32, size: f32, ink: Ink) {
    let top = at.y - half;
    let cloth = vec![
        Point::new(at.x, top),
        Point::new(at.x + size, top + size * 0.5),
        Point::new(at.x, top + size),
    ];
    pen.upright(format!("{key}/pole"), at.x, top, at.y + half, stroke(ink, 1.5));
    pen.polygon(format!("{key}/cloth"), cloth, ink, None);
}
