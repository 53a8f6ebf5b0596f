//! A scene as text, one line a mark: what golden tests read.

use core::fmt::Write as _;

use super::svg::number;
use crate::geometry::Point;
use crate::scene::{Anchor, Dash, Ink, Mark, Painter, Scene, Shape};

/// The scene as text: its size, its marks from the bottom up, then what can be pointed at.
///
/// Coordinates are rounded to half a pixel, so that a test says where things are and not how the
/// arithmetic went.
#[must_use]
pub fn transcript(scene: &Scene) -> String {
    let mut transcript = Transcript(String::new());
    scene.paint(&mut transcript);
    for hit in &scene.hits {
        let r = hit.rect;
        _ = writeln!(
            transcript.0,
            "hit {:?} {} {} {}x{} \"{}\"",
            hit.target,
            half(r.x),
            half(r.y),
            half(r.w),
            half(r.h),
            hit.label
        );
    }
    transcript.0
}

struct Transcript(String);

impl Painter for Transcript {
    fn begin(&mut self, width: f32, height: f32) {
        _ = writeln!(self.0, "scene {}x{}", half(width), half(height));
    }

    fn mark(&mut self, mark: &Mark) {
        _ = write!(self.0, "{}: ", mark.key);
        match &mark.shape {
            Shape::Rect(r, _) => {
                _ = write!(
                    self.0,
                    "rect {} {}x{}",
                    point(Point::new(r.x, r.y)),
                    half(r.w),
                    half(r.h)
                );
            }
            Shape::Circle(centre, radius) => {
                _ = write!(self.0, "circle {} r{}", point(*centre), half(*radius));
            }
            Shape::Line(points) => _ = write!(self.0, "line {}", list(points)),
            Shape::Polygon(points) => _ = write!(self.0, "polygon {}", list(points)),
            Shape::Curve(points) => _ = write!(self.0, "curve {}", list(points)),
            Shape::Text(at, text, style) => {
                let anchor = match style.anchor {
                    Anchor::Start => "",
                    Anchor::Middle => " middle",
                    Anchor::End => " end",
                };
                _ = write!(self.0, "\"{text}\" {}{anchor} {}", point(*at), half(style.size));
                if style.weight != 400 {
                    _ = write!(self.0, " {}", style.weight);
                }
                _ = write!(self.0, "{} {}", if style.mono { " mono" } else { "" }, ink(style.ink));
            }
        }
        if mark.fill != Ink::None {
            _ = write!(self.0, " {}", ink(mark.fill));
        }
        if let Some(stroke) = mark.stroke {
            let dash = match stroke.dash {
                Dash::Solid => "",
                Dash::Dashed => " dashed",
                Dash::Dotted => " dotted",
            };
            _ = write!(self.0, " | {} {}{dash}", ink(stroke.ink), number(stroke.width));
        }
        if mark.alpha < 1.0 {
            _ = write!(self.0, " alpha {}", number(mark.alpha));
        }
        self.0.push('\n');
    }
}

/// An ink's name: `Accent`, `task 6.1`.
fn ink(ink: Ink) -> String {
    match ink {
        Ink::Task { hue, texture } => format!("task {hue}.{texture}"),
        Ink::TaskEdge(hue) => format!("edge {hue}"),
        Ink::TaskText(hue) => format!("letter {hue}"),
        Ink::TaskHatch(hue) => format!("hatch {hue}"),
        Ink::Heat(share) => format!("heat {share}"),
        other => format!("{other:?}"),
    }
}

fn half(x: f32) -> String {
    number((x * 2.0).round() / 2.0)
}

fn point(p: Point) -> String {
    format!("{} {}", half(p.x), half(p.y))
}

fn list(points: &[Point]) -> String {
    points.iter().map(|&p| point(p)).collect::<Vec<_>>().join(", ")
}
