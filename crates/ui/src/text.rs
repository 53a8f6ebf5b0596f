//! How wide a text is, estimated without a browser.
//!
//! Layouts must not depend on the fonts of the machine they run on, or golden tests would. The
//! table below is the advance of each character in a typical interface font (in thousandths of
//! the font size, the larger of Segoe UI, Roboto and Noto Sans), and [`MARGIN`] covers what is
//! wider still.

use crate::geometry::{Point, Rect};
use crate::scene::{Anchor, Shape, TextStyle};

/// What an estimate is multiplied by: the design was checked with a 12 % wider fallback font.
pub const MARGIN: f32 = 1.12;

/// Advance of a character of a monospaced font, in thousandths of the font size.
const MONO: u16 = 602;

/// Estimated width of a text, px, margin included.
#[must_use]
pub fn width(text: &str, style: TextStyle) -> f32 {
    let advance: u32 = text.chars().map(|c| u32::from(advance(c, style.mono))).sum();
    let bold = if style.weight >= 600 && !style.mono { 1.05 } else { 1.0 };
    let margin = if style.mono { 1.0 } else { MARGIN };
    advance as f32 * style.size / 1000.0 * bold * margin
}

/// The box a text fills: its estimated width, from ascender to descender.
#[must_use]
pub fn bounds(at: Point, text: &str, style: TextStyle) -> Rect {
    let w = width(text, style);
    let x = match style.anchor {
        Anchor::Start => at.x,
        Anchor::Middle => at.x - w / 2.0,
        Anchor::End => at.x - w,
    };
    Rect::new(x, at.y - 0.78 * style.size, w, style.size)
}

/// The box of a shape, if it is a text.
#[must_use]
pub fn text_bounds(shape: &Shape) -> Option<Rect> {
    match shape {
        Shape::Text(at, text, style) => Some(bounds(*at, text, *style)),
        _ => None,
    }
}

/// The longest beginning of a text that fits, with `…` if any of it is cut; `None` if nothing does.
#[must_use]
pub fn fit(text: &str, style: TextStyle, room: f32) -> Option<String> {
    if width(text, style) <= room {
        return Some(text.to_owned());
    }
    let mut cut: Vec<char> = text.chars().collect();
    while cut.len() > 1 {
        cut.pop();
        let shorter: String = cut.iter().collect::<String>().trim_end().to_owned() + "…";
        if width(&shorter, style) <= room {
            return (cut.len() >= 2).then_some(shorter);
        }
    }
    None
}

/// Breaks a text into lines at its spaces.
#[must_use]
pub fn wrap(text: &str, style: TextStyle, room: f32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), style) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Advance of a character in thousandths of the font size.
const fn advance(c: char, mono: bool) -> u16 {
    if mono {
        return match c {
            '\u{2009}' | '\u{202F}' => 300,
            _ => MONO,
        };
    }
    match c {
        'i' | 'j' | 'l' | '\'' | '|' => 268,
        '.' | ',' | ':' | ';' | '!' | '·' | ' ' | '\u{A0}' | 'I' => 290,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' => 375,
        'c' | 's' | 'k' | 'v' | 'x' | 'y' | 'z' | 'J' => 530,
        'a' | 'b' | 'd' | 'e' | 'g' | 'h' | 'n' | 'o' | 'p' | 'q' | 'u' => 600,
        '0'..='9' | '_' | '"' | '$' => 575,
        '−' | '+' | '=' | '×' | '<' | '>' | '≤' | '≥' | '~' => 690,
        'm' | 'W' | 'M' | '%' | '@' | '—' => 930,
        'w' | '…' | 'O' | 'Q' | '&' | '→' | '←' => 790,
        'E' | 'F' | 'L' | 'S' | 'T' => 580,
        'A' | 'B' | 'C' | 'K' | 'P' | 'R' | 'V' | 'X' | 'Y' | 'Z' => 660,
        'D' | 'G' | 'H' | 'N' | 'U' => 740,
        '\u{2009}' | '\u{202F}' => 200,
        _ => 720,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Ink;

    fn style(mono: bool) -> TextStyle {
        TextStyle { size: 12.0, weight: 400, mono, anchor: Anchor::Start, ink: Ink::Text }
    }

    #[test]
    fn widths_are_those_of_real_fonts_or_a_little_more() {
        // Measured in Chromium with DejaVu Sans at 12 px: "not eligible" 70.6, "16 CPUs" 50.
        let estimate = width("not eligible", style(false));
        assert!((70.0..82.0).contains(&estimate), "{estimate}");
        let estimate = width("16 CPUs", style(false));
        assert!((46.0..56.0).contains(&estimate), "{estimate}");
        assert!((width("640", style(true)) - 21.67).abs() < 0.1);
    }

    #[test]
    fn fits_and_wraps() {
        assert_eq!(fit("even threads of core 11", style(false), 400.0).unwrap().len(), 23);
        let cut = fit("even threads of core 11", style(false), 80.0).unwrap();
        assert!(cut.ends_with('…') && width(&cut, style(false)) <= 80.0, "{cut}");
        assert_eq!(fit("even", style(false), 5.0), None);
        let lines = wrap("The scan never leaves it.", style(false), 80.0);
        assert_eq!(lines, ["The scan", "never", "leaves it."]);
    }
}
