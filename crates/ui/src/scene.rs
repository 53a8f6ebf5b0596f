//! A finished layout: marks at fixed places, in layers, with what can be pointed at.
//!
//! A view is `layout(model, look) -> Scene`. The page shows a scene as SVG or paints it on a
//! canvas, exports write it as an SVG file, and tests read it as a transcript. Marks name inks by
//! role, never colours: the theme turns roles into colours and patterns.

use crate::geometry::{Point, Rect};

/// What something is drawn with, by role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ink {
    /// Page and panels.
    Background,
    /// Inputs, tree nodes, plots.
    Plot,
    /// Strips, hovered things.
    Sunken,
    /// Hairlines.
    Line,
    /// Control outlines, LLC boxes.
    LineStrong,
    /// Axes.
    Axis,
    /// Text, the V line, flags.
    Text,
    /// Sentences, labels.
    TextSoft,
    /// Captions, axis numbers.
    TextFaint,
    /// The decision path, the playhead.
    Accent,
    /// The current row.
    AccentTint,
    /// Text on accent.
    OnAccent,
    /// The eligible region.
    Eligible,
    /// An idle CPU.
    Idle,
    /// Its edge.
    IdleEdge,
    /// A muted task.
    Busy,
    /// Its edge.
    BusyEdge,
    /// The tool itself failed.
    Error,
    /// Outline under paths and arrows.
    Halo,
    /// A task's fill: hue 0 … 7 and texture (0 solid, 1 dotted, 2 lined).
    Task {
        /// 0 … 7.
        hue: u8,
        /// 0 … 2.
        texture: u8,
    },
    /// A task's edge.
    TaskEdge(
        /// Hue 0 … 7.
        u8,
    ),
    /// A letter on a task's fill.
    TaskText(
        /// Hue 0 … 7.
        u8,
    ),
    /// Hatching in a task's edge colour on the background: a request that is not eligible.
    TaskHatch(
        /// Hue 0 … 7.
        u8,
    ),
    /// Busy share of an LLC, 0 … 255, from background to a grey that text still reads on.
    Heat(
        /// 0 … 255.
        u8,
    ),
    /// No ink at all.
    None,
}

/// A line around or along something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// With what.
    pub ink: Ink,
    /// Width in px.
    pub width: f32,
    /// Dash pattern.
    pub dash: Dash,
}

/// Dash patterns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dash {
    /// Solid.
    #[default]
    Solid,
    /// Dashed.
    Dashed,
    /// Dotted.
    Dotted,
}

/// Where a text's x is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Anchor {
    /// At its start.
    #[default]
    Start,
    /// In its middle.
    Middle,
    /// At its end.
    End,
}

/// How a text is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextStyle {
    /// Font size in px.
    pub size: f32,
    /// 400, 600 or 650.
    pub weight: u16,
    /// Monospace: measured values, code, CPU numbers.
    pub mono: bool,
    /// Where x is.
    pub anchor: Anchor,
    /// With what.
    pub ink: Ink,
}

/// The form of a mark.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A rectangle with rounded corners.
    Rect(Rect, f32),
    /// A circle: centre and radius.
    Circle(Point, f32),
    /// A polyline through the points.
    Line(Vec<Point>),
    /// A closed polygon.
    Polygon(Vec<Point>),
    /// A cubic curve: start, two control points, end.
    Curve([Point; 4]),
    /// A text; the point is on its baseline.
    Text(Point, String, TextStyle),
}

/// Something drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// The same key in two scenes is the same thing: it moves from one place to the other.
    pub key: String,
    /// Its form.
    pub shape: Shape,
    /// What fills it.
    pub fill: Ink,
    /// What runs around it.
    pub stroke: Option<Stroke>,
    /// 0 … 1.
    pub alpha: f32,
}

/// What can be pointed at.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// A CPU.
    Cpu(u16),
    /// A task.
    Task(u32),
    /// All CPUs of an LLC.
    Llc(u16),
    /// All CPUs of a node.
    Node(u16),
    /// All CPUs of a package.
    Package(u16),
    /// A check of the current decision.
    Check(usize),
    /// A step of the run.
    Step(u64),
    /// A lane of the timeline.
    Lane(u16),
    /// Something a view names itself ("more lanes").
    Named(&'static str),
}

/// A place that can be pointed at, with its tooltip and spoken name.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Where.
    pub rect: Rect,
    /// What.
    pub target: Target,
    /// What a tooltip and a screen reader say.
    pub label: String,
}

/// A finished layout.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Width in px.
    pub width: f32,
    /// Height in px.
    pub height: f32,
    /// Bottom to top.
    pub marks: Vec<Mark>,
    /// Later ones lie above earlier ones.
    pub hits: Vec<Hit>,
}

/// Draws marks; canvas, SVG text and transcript are painters.
pub trait Painter {
    /// Called once, before the first mark.
    fn begin(&mut self, width: f32, height: f32);
    /// Draws one mark above the ones before.
    fn mark(&mut self, mark: &Mark);
}

impl Scene {
    /// An empty scene of this size.
    #[must_use]
    pub fn new(width: f32, height: f32) -> Scene {
        Scene { width, height, ..Scene::default() }
    }

    /// Draws all marks.
    pub fn paint(&self, painter: &mut impl Painter) {
        painter.begin(self.width, self.height);
        self.marks.iter().for_each(|mark| painter.mark(mark));
    }

    /// The same with another scene below it, whose keys get a prefix.
    #[must_use]
    pub fn above(mut self, below: Scene, prefix: &str) -> Scene {
        let down = self.height;
        let moved = |at: &mut Point| at.y += down;
        for mut mark in below.marks {
            mark.key.insert_str(0, prefix);
            match &mut mark.shape {
                Shape::Rect(rect, _) => rect.y += down,
                Shape::Circle(at, _) | Shape::Text(at, ..) => moved(at),
                Shape::Line(points) | Shape::Polygon(points) => points.iter_mut().for_each(moved),
                Shape::Curve(points) => points.iter_mut().for_each(moved),
            }
            self.marks.push(mark);
        }
        for mut hit in below.hits {
            hit.rect.y += down;
            self.hits.push(hit);
        }
        self.width = self.width.max(below.width);
        self.height += below.height;
        self
    }

    /// The uppermost thing at a point.
    #[must_use]
    pub fn hit(&self, at: Point) -> Option<&Hit> {
        self.hits.iter().rev().find(|hit| hit.rect.contains(at))
    }
}
