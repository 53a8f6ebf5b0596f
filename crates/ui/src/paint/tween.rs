//! The way from one scene to the next: marks with the same key move, others fade.

use std::collections::{BTreeMap, BTreeSet};

use crate::geometry::{Point, Rect};
use crate::scene::{Mark, Scene, Shape, Stroke};

/// The scene `t` (0 … 1) of the way from one to the other.
///
/// What is in both moves; what is new fades in, what is gone fades out below it. What can be
/// pointed at is that of the scene gone to, from the start: input never waits for motion.
#[must_use]
pub fn tween(from: &Scene, to: &Scene, t: f32) -> Scene {
    if t >= 1.0 {
        return to.clone();
    }
    let t = t.max(0.0);
    let before: BTreeMap<&str, &Mark> =
        schedscope_sim::order::tree(from.marks.iter().map(|mark| (mark.key.as_str(), mark)));
    let kept: BTreeSet<&str> =
        schedscope_sim::order::tree(to.marks.iter().map(|mark| mark.key.as_str()));
    let mut scene = Scene::new(number(from.width, to.width, t), number(from.height, to.height, t));
    scene.marks = from
        .marks
        .iter()
        .filter(|mark| !kept.contains(mark.key.as_str()))
        .map(|mark| Mark { alpha: mark.alpha * (1.0 - t), ..mark.clone() })
        .collect();
    scene.marks.extend(to.marks.iter().map(|mark| match before.get(mark.key.as_str()) {
        Some(old) => between(old, mark, t),
        None => Mark { alpha: mark.alpha * t, ..mark.clone() },
    }));
    scene.hits.clone_from(&to.hits);
    scene
}

/// A mark on its way. Inks change at once: colour is meaning, and half a meaning is none.
fn between(from: &Mark, to: &Mark, t: f32) -> Mark {
    let stroke = to.stroke.map(|stroke| match from.stroke {
        Some(old) => Stroke { width: number(old.width, stroke.width, t), ..stroke },
        None => stroke,
    });
    Mark {
        key: to.key.clone(),
        shape: shape(&from.shape, &to.shape, t),
        fill: to.fill,
        stroke,
        alpha: number(from.alpha, to.alpha, t),
    }
}

fn shape(from: &Shape, to: &Shape, t: f32) -> Shape {
    match (from, to) {
        (Shape::Rect(a, r), Shape::Rect(b, s)) => Shape::Rect(
            Rect::new(
                number(a.x, b.x, t),
                number(a.y, b.y, t),
                number(a.w, b.w, t),
                number(a.h, b.h, t),
            ),
            number(*r, *s, t),
        ),
        (Shape::Circle(a, r), Shape::Circle(b, s)) => {
            Shape::Circle(point(*a, *b, t), number(*r, *s, t))
        }
        (Shape::Line(a), Shape::Line(b)) if !a.is_empty() => Shape::Line(points(a, b, t)),
        (Shape::Polygon(a), Shape::Polygon(b)) if a.len() == b.len() => {
            Shape::Polygon(points(a, b, t))
        }
        (Shape::Curve(a), Shape::Curve(b)) => {
            Shape::Curve([0, 1, 2, 3].map(|i| point(a[i], b[i], t)))
        }
        (Shape::Text(a, ..), Shape::Text(b, text, style)) => {
            Shape::Text(point(*a, *b, t), text.clone(), *style)
        }
        _ => to.clone(),
    }
}

/// A longer line grows out of the last point of the shorter one.
fn points(from: &[Point], to: &[Point], t: f32) -> Vec<Point> {
    to.iter().enumerate().map(|(i, &p)| point(from[i.min(from.len() - 1)], p, t)).collect()
}

fn point(a: Point, b: Point, t: f32) -> Point {
    Point::new(number(a.x, b.x, t), number(a.y, b.y, t))
}

fn number(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Ink;

    fn circle(key: &str, x: f32) -> Mark {
        Mark {
            key: key.into(),
            shape: Shape::Circle(Point::new(x, 0.0), 2.0),
            fill: Ink::Text,
            stroke: None,
            alpha: 1.0,
        }
    }

    #[test]
    fn marks_move_by_key_and_others_fade() {
        let mut a = Scene::new(10.0, 10.0);
        a.marks = vec![circle("gone", 1.0), circle("kept", 0.0)];
        let mut b = Scene::new(10.0, 20.0);
        b.marks = vec![circle("kept", 8.0), circle("new", 3.0)];
        let half = tween(&a, &b, 0.5);
        assert_eq!(half.height, 15.0);
        let alpha = |key: &str| half.marks.iter().find(|m| m.key == key).unwrap().alpha;
        assert_eq!([alpha("gone"), alpha("kept"), alpha("new")], [0.5, 1.0, 0.5]);
        assert_eq!(half.marks[1].shape, Shape::Circle(Point::new(4.0, 0.0), 2.0));
        assert_eq!(tween(&a, &b, 1.0), b);
        assert_eq!(tween(&b, &b, 0.3), b);
    }
}
