//! What every picture must keep: legible text that does not overlap, and nothing outside.
#![allow(dead_code, unreachable_pub)]

use schedscope_ui::geometry::{Point, Rect};
use schedscope_ui::scene::{Mark, Scene, Shape};
use schedscope_ui::text;
use std::collections::BTreeSet;

/// The box of a shape.
pub fn bounds(mark: &Mark) -> Rect {
    let of = |points: &[Point]| {
        let xs = points.iter().map(|p| p.x);
        let ys = points.iter().map(|p| p.y);
        let (x0, x1) = (xs.clone().fold(f32::MAX, f32::min), xs.fold(f32::MIN, f32::max));
        let (y0, y1) = (ys.clone().fold(f32::MAX, f32::min), ys.fold(f32::MIN, f32::max));
        Rect::new(x0, y0, x1 - x0, y1 - y0)
    };
    match &mark.shape {
        Shape::Rect(rect, _) => *rect,
        Shape::Circle(at, r) => Rect::new(at.x - r, at.y - r, r * 2.0, r * 2.0),
        Shape::Line(points) | Shape::Polygon(points) => of(points),
        Shape::Curve(points) => of(points),
        Shape::Text(at, words, style) => text::bounds(*at, words, *style),
    }
}

/// Panics with what is wrong with a scene, if anything is.
pub fn sound(scene: &Scene, floor: f32, what: &str) {
    let mut keys = BTreeSet::new();
    let mut texts: Vec<(Rect, &str)> = Vec::new();
    for mark in &scene.marks {
        assert!(mark.key.is_empty() || keys.insert(&mark.key), "{what}: key {} twice", mark.key);
        let rect = bounds(mark);
        let finite = [rect.x, rect.y, rect.w, rect.h].iter().all(|n| n.is_finite());
        assert!(finite && rect.w >= 0.0 && rect.h >= 0.0, "{what}: {} at {rect:?}", mark.key);
        let inside = rect.x >= -2.0
            && rect.y >= -2.0
            && rect.right() <= scene.width + 2.0
            && rect.bottom() <= scene.height + 2.0;
        assert!(
            inside,
            "{what}: {} at {rect:?} leaves {} × {}",
            mark.key, scene.width, scene.height
        );
        if let Shape::Text(_, words, style) = &mark.shape {
            assert!(style.size >= floor, "{what}: {words:?} is {} px", style.size);
            assert!(!words.is_empty(), "{what}: {} says nothing", mark.key);
            texts.push((rect.inset(0.6), words));
        }
    }
    for (i, (rect, words)) in texts.iter().enumerate() {
        for (other, others) in &texts[i + 1..] {
            assert!(!rect.overlaps(*other), "{what}: {words:?} {rect:?} over {others:?} {other:?}");
        }
    }
    for hit in &scene.hits {
        assert!(!hit.label.is_empty(), "{what}: {:?} says nothing", hit.target);
    }
}

/// A mark by its key.
pub fn mark<'a>(scene: &'a Scene, key: &str) -> Option<&'a Mark> {
    scene.marks.iter().find(|mark| mark.key == key)
}

/// Its words, if it is a text.
pub fn words<'a>(scene: &'a Scene, key: &str) -> Option<&'a str> {
    match mark(scene, key).map(|mark| &mark.shape) {
        Some(Shape::Text(_, words, _)) => Some(words),
        _ => None,
    }
}
