//! What of a canvas has to be painted again to go from one scene to the next.

use crate::geometry::{Point, Rect};
use crate::scene::{Anchor, Mark, Painter, Scene, Shape};
use crate::text;
use schedscope_session::order;
use std::collections::BTreeMap;

/// More rectangles than this, and one around them is painted.
const MOST: usize = 48;
/// Room around a mark for the edge of its line and for blurred edges, px.
const MARGIN: f32 = 2.0;

/// The rectangles to clear and paint anew, in whole px; `None` if all of it has to be. Marks are
/// matched by their keys; they must lie in the same order. Where too many differ, or have no keys,
/// it is the rectangle around them.
#[must_use]
pub fn dirty(old: &Scene, new: &Scene) -> Option<Vec<Rect>> {
    if (old.width, old.height) != (new.width, new.height) {
        return None;
    }
    let (a, b) = (old.marks.as_slice(), new.marks.as_slice());
    let before = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[before..], &b[before..]);
    let after = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - after], &b[..b.len() - after]);
    let keyed = a.iter().chain(b).all(|mark| !mark.key.is_empty());
    let mut rects = if keyed { differing(a, b) } else { a.iter().chain(b).map(bounds).collect() };
    if rects.len() > MOST {
        let all = rects.iter().copied().reduce(Rect::around)?;
        rects = vec![all];
    }
    let area: f32 = rects.iter().map(|rect| rect.w * rect.h).sum();
    (area < 0.7 * new.width * new.height).then_some(rects)
}

/// The places of keyed marks that differ.
fn differing(a: &[Mark], b: &[Mark]) -> Vec<Rect> {
    let mut rects = Vec::new();
    let mut gone: BTreeMap<&str, &Mark> = BTreeMap::new();
    for mark in a {
        // A second mark of the same key is another one.
        if let Some(other) = gone.insert(&mark.key, mark) {
            rects.push(bounds(other));
        }
    }
    for mark in b {
        match gone.remove(mark.key.as_str()) {
            Some(same) if same == mark => {}
            Some(other) => rects.extend([bounds(other), bounds(mark)]),
            None => rects.push(bounds(mark)),
        }
    }
    rects.extend(gone.into_values().map(bounds));
    order::sort_by(&mut rects, |a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    rects.dedup();
    rects
}

/// Paints the marks of a scene that reach into one of the rectangles.
pub fn paint_within(scene: &Scene, rects: &[Rect], painter: &mut impl Painter) {
    for mark in &scene.marks {
        let bounds = bounds(mark);
        if rects.iter().any(|rect| rect.overlaps(bounds)) {
            painter.mark(mark);
        }
    }
}

/// All that a mark may colour, in whole px.
fn bounds(mark: &Mark) -> Rect {
    let line = mark.stroke.map_or(0.0, |stroke| stroke.width / 2.0);
    let rect = match &mark.shape {
        Shape::Rect(rect, _) => *rect,
        Shape::Circle(c, r) => Rect::new(c.x - r, c.y - r, 2.0 * r, 2.0 * r),
        Shape::Line(points) | Shape::Polygon(points) => around(points),
        // A curve lies within its control points.
        Shape::Curve(points) => around(points),
        Shape::Text(at, text, style) => {
            let width = text::width(text, *style) * 1.25;
            let x = match style.anchor {
                Anchor::Start => at.x,
                Anchor::Middle => at.x - width / 2.0,
                Anchor::End => at.x - width,
            };
            Rect::new(x, at.y - 1.25 * style.size, width, 1.75 * style.size)
        }
    };
    let out = grown(rect, line + MARGIN);
    let (x, y) = (out.x.floor(), out.y.floor());
    Rect::new(x, y, (out.right() - x).ceil(), (out.bottom() - y).ceil())
}

fn grown(rect: Rect, by: f32) -> Rect {
    Rect::new(rect.x - by, rect.y - by, rect.w + 2.0 * by, rect.h + 2.0 * by)
}

fn around(points: &[Point]) -> Rect {
    let least = |of: fn(&Point) -> f32| points.iter().map(of).fold(f32::INFINITY, f32::min);
    let most = |of: fn(&Point) -> f32| points.iter().map(of).fold(f32::NEG_INFINITY, f32::max);
    if points.is_empty() {
        return Rect::default();
    }
    let (x, y) = (least(|p| p.x), least(|p| p.y));
    Rect::new(x, y, most(|p| p.x) - x, most(|p| p.y) - y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Ink;
    use crate::view::pen::Pen;

    fn scene(boxes: &[(&str, f32)]) -> Scene {
        let mut pen = Pen::new(400.0, 40.0);
        for (key, x) in boxes {
            pen.fill(*key, Rect::new(*x, 10.0, 20.0, 20.0), Ink::Busy);
        }
        pen.done()
    }

    fn check(old: &[(&str, f32)], new: &[(&str, f32)], expected: Option<&[f32]>) {
        let rects = dirty(&scene(old), &scene(new));
        let lefts = rects.map(|r| r.iter().map(|r| r.x).collect::<Vec<_>>());
        assert_eq!(lefts.as_deref(), expected, "{old:?} to {new:?}");
    }

    #[test]
    fn only_what_differs_is_painted() {
        let all = [("a", 10.0), ("b", 50.0), ("c", 90.0)];
        check(&all, &all, Some(&[]));
        check(&all, &[("a", 10.0), ("b", 60.0), ("c", 90.0)], Some(&[48.0, 58.0]));
        check(&all, &[("a", 10.0), ("c", 90.0)], Some(&[48.0]));
        check(&all, &[("a", 20.0), ("b", 50.0), ("c", 91.0)], Some(&[8.0, 18.0, 88.0, 89.0]));
        let many: Vec<(&str, f32)> = (0..60).map(|i| ("", i as f32)).collect();
        check(&[], &many, Some(&[-2.0]));
        check(&[("a", 0.0)], &[("a", 600.0)], Some(&[-2.0, 598.0]));
        let mut wide = scene(&[("a", 0.0)]);
        wide.marks[0].shape = Shape::Rect(Rect::new(0.0, 0.0, 400.0, 40.0), 0.0);
        assert_eq!(dirty(&scene(&[]), &wide), None);
        assert_eq!(dirty(&Scene::new(1.0, 1.0), &wide), None);
    }

    #[test]
    fn marks_outside_are_left_alone() {
        struct Count(usize);
        impl Painter for Count {
            fn begin(&mut self, _: f32, _: f32) {}
            fn mark(&mut self, _: &Mark) {
                self.0 += 1;
            }
        }
        let mut count = Count(0);
        let three = scene(&[("a", 10.0), ("b", 50.0), ("c", 90.0)]);
        paint_within(&three, &[Rect::new(48.0, 0.0, 24.0, 40.0)], &mut count);
        assert_eq!(count.0, 1);
    }
}
