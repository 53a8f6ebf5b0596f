//! The key to the tree: what dot, triangle, gauge and squares mean, in one line.

use super::{by_deadline, gauge_reach};
use crate::format;
use crate::geometry::{Point, Rect};
use crate::scene::{Ink, Scene};
use crate::view::Look;
use crate::view::pen::{Pen, flag, plain, stroke, width};
use schedscope_session::update::PickPicture;

/// The key as a scene one line high; what does not fit is left out.
#[must_use]
pub fn key(picture: &PickPicture, look: &Look) -> Scene {
    let font = if look.present { 20.0 } else { 12.0 };
    let (height, unit) = (font * 1.6, font / 12.0);
    let mut pen = Pen::new(look.width, height);
    let style = plain(font, Ink::TextSoft);
    let cy = height / 2.0;
    let swapped = !by_deadline(picture);
    let keeps = !picture.tree_kept.is_empty();
    let reach = format::duration(gauge_reach(picture) as u64);
    let entries: [(&str, f32, String); 5] = [
        ("own", 10.0, if swapped && keeps { "own deadline" } else { "own vruntime" }.to_string()),
        (
            "kept",
            10.0,
            if swapped { "earliest deadline in subtree" } else { "smallest vruntime in subtree" }
                .to_string(),
        ),
        ("gauge", 12.0, format!("V ± {reach}")),
        ("black", 8.0, "black".to_string()),
        ("red", 8.0, "red".to_string()),
    ];
    let mut x = 0.0;
    for (name, mark, words) in entries {
        if (name == "kept" || name == "gauge") && !keeps {
            continue;
        }
        let mark = mark * unit;
        let end = x + mark + 6.0 + width(&words, style);
        if end > look.width {
            break;
        }
        let key = format!("key/{name}");
        match name {
            "own" if swapped && keeps => {
                flag(&mut pen, &key, Point::new(x + 2.0, cy), 6.0 * unit, 6.0 * unit, Ink::Text);
            }
            "own" => {
                pen.circle(key, Point::new(x + mark / 2.0, cy), 4.0 * unit, Ink::Text, None);
            }
            "kept" => {
                let (at, d) = (x + mark / 2.0, 4.5 * unit);
                let points = vec![
                    Point::new(at, cy - d),
                    Point::new(at - d, cy + d),
                    Point::new(at + d, cy + d),
                ];
                pen.polygon(key, points, Ink::TextSoft, None);
            }
            "gauge" => {
                let tint = Rect::new(x, cy - 6.0 * unit, mark - 1.0, 12.0 * unit);
                pen.fill(key, tint, Ink::Eligible);
                let line = stroke(Ink::Text, 1.5);
                pen.upright("key/v", x + mark - 1.0, cy - 8.0 * unit, cy + 8.0 * unit, line);
            }
            _ => {
                let square = Rect::new(x, cy - mark / 2.0, mark, mark);
                let fill = if name == "red" { Ink::None } else { Ink::TextSoft };
                pen.rect(key, square, 0.0, fill, stroke(Ink::TextSoft, 1.0));
            }
        }
        pen.text(format!("key/{name}/words"), x + mark + 6.0, cy, words, style);
        x = end + 16.0;
    }
    pen.done()
}
