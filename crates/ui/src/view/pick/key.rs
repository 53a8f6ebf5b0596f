//! The key to the pick picture: dot, lag line, bar and flag with their words, in one line.

use crate::geometry::{Point, Rect};
use crate::scene::{Dash, Ink, Scene};
use crate::view::Look;
use crate::view::pen::{Pen, dashed, flag, plain, stroke, width};

/// The key as a scene one line high; what does not fit is left out.
#[must_use]
pub fn key(look: &Look) -> Scene {
    let font = if look.present { 20.0 } else { 12.0 };
    let height = font * 1.6;
    let (cy, unit) = (height / 2.0, font / 12.0);
    let mut pen = Pen::new(look.width, height);
    let style = plain(font, Ink::TextSoft);
    let entries = [
        ("vruntime", 10.0),
        ("lag owed", 22.0),
        ("overdrawn", 22.0),
        ("slice ÷ weight", 26.0),
        ("virtual deadline", 12.0),
    ];
    let mut x = 0.0;
    for (words, mark) in entries {
        let mark = mark * unit;
        let end = x + mark + 6.0 + width(words, style);
        if end > look.width {
            break;
        }
        let line = |dash| dashed(Ink::Text, 2.0, dash);
        match words {
            "vruntime" => {
                let at = Point::new(x + mark / 2.0, cy);
                pen.circle("key/dot", at, 4.0 * unit, Ink::Text, None);
            }
            "lag owed" => pen.level("key/owed", x, x + mark, cy, line(Dash::Solid)),
            "overdrawn" => pen.level("key/over", x, x + mark, cy, line(Dash::Dotted)),
            "slice ÷ weight" => {
                let bar = Rect::new(x + 0.5, cy - 5.5 * unit, mark - 1.0, 11.0 * unit);
                pen.rect("key/bar", bar, 0.0, Ink::None, stroke(Ink::TextSoft, 1.0));
            }
            _ => flag(
                &mut pen,
                "key/flag",
                Point::new(x + 2.0, cy),
                7.0 * unit,
                7.0 * unit,
                Ink::Text,
            ),
        }
        pen.text(format!("key/{words}"), x + mark + 6.0, cy, words, style);
        x = end + 16.0;
    }
    pen.done()
}
