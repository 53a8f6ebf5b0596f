//! What holds of every scene.

use schedscope_ui::geometry::{Point, Rect};
use schedscope_ui::scene::{Mark, Scene, Shape as Form};
use schedscope_ui::text::text_bounds;
use schedscope_ui::view::Look;

/// The room a mark takes, its outline included.
pub(crate) fn extent(mark: &Mark) -> Rect {
    let out = mark.stroke.map_or(0.0, |stroke| stroke.width / 2.0);
    let around = |points: &[Point]| {
        let (mut a, mut b) = (points[0], points[0]);
        for p in points {
            (a.x, a.y, b.x, b.y) = (a.x.min(p.x), a.y.min(p.y), b.x.max(p.x), b.y.max(p.y));
        }
        Rect::new(a.x, a.y, b.x - a.x, b.y - a.y)
    };
    match &mark.shape {
        Form::Rect(rect, _) => rect.inset(-out),
        Form::Circle(c, r) => Rect::new(c.x - r, c.y - r, 2.0 * r, 2.0 * r).inset(-out),
        Form::Line(points) | Form::Polygon(points) => around(points),
        Form::Curve(points) => around(points),
        Form::Text(..) => text_bounds(&mark.shape).expect("a text"),
    }
}

/// Nothing outside, no text on a text, no text below the floor.
pub(crate) fn well_set(scene: &Scene, look: &Look) {
    let page = Rect::new(-0.6, -0.6, scene.width + 1.2, scene.height + 1.2);
    for mark in &scene.marks {
        let rect = extent(mark);
        assert!(
            rect.x >= page.x
                && rect.y >= page.y
                && rect.right() <= page.right()
                && rect.bottom() <= page.bottom(),
            "{} is outside {}x{}: {rect:?}",
            mark.key,
            scene.width,
            scene.height
        );
        assert!(rect.w.is_finite() && rect.h.is_finite(), "{}", mark.key);
        if let Form::Text(_, text, style) = &mark.shape {
            let floor = if look.present { 20.0 } else { 12.0 };
            assert!(style.size >= floor, "{} \"{text}\" is {} px", mark.key, style.size);
        }
    }
    let texts: Vec<(&str, Rect)> = scene
        .marks
        .iter()
        .filter_map(|mark| Some((mark.key.as_str(), text_bounds(&mark.shape)?.inset(0.5))))
        .collect();
    for (i, (a, ra)) in texts.iter().enumerate() {
        for (b, rb) in &texts[..i] {
            assert!(!ra.overlaps(*rb), "{a} {ra:?} is on {b} {rb:?}");
        }
    }
    // Motion goes by key: the same key twice would be two places at once.
    let mut keys: Vec<&str> = scene.marks.iter().map(|mark| mark.key.as_str()).collect();
    keys.sort_unstable();
    if let Some(twice) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
        panic!("{} is there twice", twice[0]);
    }
    for hit in &scene.hits {
        assert!(!hit.label.is_empty());
    }
}
