//! A scene as a standalone SVG file.
//!
//! Colours are written out, so the file looks the same wherever it is opened. Patterns are defined
//! once and only if used. Everything that can be pointed at becomes a transparent rectangle with a
//! `<title>`, which browsers show as a tooltip.

use core::fmt::Write as _;
use std::collections::BTreeSet;

use crate::geometry::Point;
use crate::scene::{Anchor, Dash, Hit, Ink, Mark, Painter, Scene, Shape, Stroke};
use crate::theme::{
    DOT_RADIUS, HATCH_GAP, HATCH_WIDTH, OPEN_HATCH_GAP, OPEN_HATCH_WIDTH, Paint, Theme,
};

/// Fonts of texts.
const FONT_UI: &str =
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif";
/// Fonts of measured values.
const FONT_MONO: &str = "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, \
                         'Noto Sans Mono', 'Liberation Mono', monospace";

/// The scene as an SVG file with this title.
#[must_use]
pub fn svg(scene: &Scene, theme: &Theme, title: &str) -> String {
    let mut writer = Writer { theme, body: String::new(), patterns: BTreeSet::new() };
    scene.paint(&mut writer);
    for hit in &scene.hits {
        writer.hit(hit);
    }
    let (w, h) = (number(scene.width), number(scene.height));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" \
         viewBox=\"0 0 {w} {h}\" role=\"img\" font-family=\"{FONT_UI}\">\n<title>{}</title>\n\
         <style>.m{{font-family:{FONT_MONO};font-variant-ligatures:none}}\
         text{{font-variant-numeric:tabular-nums}}</style>\n",
        escape(title)
    );
    if !writer.patterns.is_empty() {
        out.push_str("<defs>\n");
        for &ink in &writer.patterns {
            pattern(&mut out, theme, ink);
        }
        out.push_str("</defs>\n");
    }
    if let Some(ground) = theme.colour(Ink::Background) {
        _ = writeln!(out, "<rect width=\"{w}\" height=\"{h}\" fill=\"{ground}\"/>");
    }
    out.push_str(&writer.body);
    out.push_str("</svg>\n");
    out
}

/// The id of an ink's pattern in a file of ours: hue and kind.
fn pattern_id(ink: Ink) -> String {
    match ink {
        Ink::Task { hue, texture } => format!("x{texture}-{hue}"),
        Ink::TaskHatch(hue) => format!("inel-{hue}"),
        _ => unreachable!("only tasks have patterns"),
    }
}

fn pattern(out: &mut String, theme: &Theme, ink: Ink) {
    let id = pattern_id(ink);
    let g = number(HATCH_GAP);
    match theme.paint(ink) {
        Paint::Hatch { ground, line } => {
            let (g, width, turn) = match ground {
                Some(_) => (g, number(HATCH_WIDTH), -45),
                None => (number(OPEN_HATCH_GAP), number(OPEN_HATCH_WIDTH), 45),
            };
            _ = write!(
                out,
                "<pattern id=\"{id}\" width=\"{g}\" height=\"{g}\" patternUnits=\"userSpaceOnUse\" \
                 patternTransform=\"rotate({turn})\">"
            );
            if let Some(ground) = ground {
                _ = write!(out, "<rect width=\"{g}\" height=\"{g}\" fill=\"{ground}\"/>");
            }
            _ = writeln!(out, "<rect width=\"{width}\" height=\"{g}\" fill=\"{line}\"/></pattern>");
        }
        Paint::Dots { ground, dot } => {
            let (near, far) = (number(HATCH_GAP * 0.25), number(HATCH_GAP * 0.75));
            let r = number(DOT_RADIUS);
            _ = writeln!(
                out,
                "<pattern id=\"{id}\" width=\"{g}\" height=\"{g}\" patternUnits=\"userSpaceOnUse\">\
                 <rect width=\"{g}\" height=\"{g}\" fill=\"{ground}\"/>\
                 <circle cx=\"{near}\" cy=\"{near}\" r=\"{r}\" fill=\"{dot}\"/>\
                 <circle cx=\"{far}\" cy=\"{far}\" r=\"{r}\" fill=\"{dot}\"/></pattern>"
            );
        }
        Paint::None | Paint::Solid(_) => {}
    }
}

struct Writer<'a> {
    theme: &'a Theme,
    body: String,
    patterns: BTreeSet<Ink>,
}

impl Painter for Writer<'_> {
    fn begin(&mut self, _width: f32, _height: f32) {}

    fn mark(&mut self, mark: &Mark) {
        let mut attributes = self.stroke(mark.stroke);
        if mark.alpha < 1.0 {
            _ = write!(attributes, " opacity=\"{}\"", number(mark.alpha));
        }
        let fill = self.fill(mark.fill);
        match &mark.shape {
            Shape::Rect(rect, radius) => {
                _ = write!(
                    self.body,
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
                    number(rect.x),
                    number(rect.y),
                    number(rect.w),
                    number(rect.h)
                );
                if *radius > 0.0 {
                    _ = write!(self.body, " rx=\"{}\"", number(*radius));
                }
            }
            Shape::Circle(centre, radius) => {
                _ = write!(
                    self.body,
                    "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"",
                    number(centre.x),
                    number(centre.y),
                    number(*radius)
                );
            }
            Shape::Line(points) => {
                _ = write!(self.body, "<path d=\"{}\"", path(points, ""));
            }
            Shape::Polygon(points) => {
                _ = write!(self.body, "<path d=\"{}\"", path(points, "Z"));
            }
            Shape::Curve([a, b, c, d]) => {
                let p = |p: &Point| format!("{} {}", number(p.x), number(p.y));
                _ = write!(self.body, "<path d=\"M{}C{} {} {}\"", p(a), p(b), p(c), p(d));
            }
            Shape::Text(at, text, style) => {
                let colour = self.fill(style.ink);
                _ = write!(
                    self.body,
                    "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{colour}\"",
                    number(at.x),
                    number(at.y),
                    number(style.size)
                );
                if style.weight != 400 {
                    _ = write!(self.body, " font-weight=\"{}\"", style.weight);
                }
                if style.mono {
                    self.body.push_str(" class=\"m\"");
                }
                match style.anchor {
                    Anchor::Start => {}
                    Anchor::Middle => self.body.push_str(" text-anchor=\"middle\""),
                    Anchor::End => self.body.push_str(" text-anchor=\"end\""),
                }
                // A stroke on a text is its halo: under the letters.
                let halo = if mark.stroke.is_some() { " paint-order=\"stroke\"" } else { "" };
                _ = writeln!(self.body, "{attributes}{halo}>{}</text>", escape(text));
                return;
            }
        }
        _ = writeln!(self.body, " fill=\"{fill}\"{attributes}/>");
    }
}

impl Writer<'_> {
    fn fill(&mut self, ink: Ink) -> String {
        match self.theme.paint(ink) {
            Paint::None => "none".to_owned(),
            Paint::Solid(colour) => colour.to_string(),
            Paint::Hatch { .. } | Paint::Dots { .. } => {
                self.patterns.insert(ink);
                format!("url(#{})", pattern_id(ink))
            }
        }
    }

    fn stroke(&mut self, stroke: Option<Stroke>) -> String {
        let Some(stroke) = stroke else { return String::new() };
        let mut out = format!(
            " stroke=\"{}\" stroke-width=\"{}\"",
            self.fill(stroke.ink),
            number(stroke.width)
        );
        match stroke.dash {
            Dash::Solid => {}
            Dash::Dashed => out.push_str(" stroke-dasharray=\"5 3\""),
            Dash::Dotted => out.push_str(" stroke-dasharray=\"1.5 3\""),
        }
        out
    }

    fn hit(&mut self, hit: &Hit) {
        _ = writeln!(
            self.body,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" \
             pointer-events=\"all\"><title>{}</title></rect>",
            number(hit.rect.x),
            number(hit.rect.y),
            number(hit.rect.w),
            number(hit.rect.h),
            escape(&hit.label)
        );
    }
}

/// A number with at most two decimals and no needless zeros.
pub(crate) fn number(x: f32) -> String {
    let rounded = (x * 100.0).round() / 100.0;
    let text = format!("{:.2}", if rounded == 0.0 { 0.0 } else { rounded });
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn path(points: &[Point], end: &str) -> String {
    let mut d = String::new();
    for (i, p) in points.iter().enumerate() {
        _ = write!(d, "{}{} {}", if i == 0 { 'M' } else { 'L' }, number(p.x), number(p.y));
    }
    d + end
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Rect;
    use crate::scene::{Target, TextStyle};

    #[test]
    fn a_scene_becomes_a_file() {
        let mut scene = Scene::new(40.0, 20.0);
        scene.marks.push(Mark {
            key: "a".into(),
            shape: Shape::Rect(Rect::new(1.0, 2.5, 10.0, 5.333_33), 2.0),
            fill: Ink::Task { hue: 6, texture: 1 },
            stroke: Some(Stroke { ink: Ink::Accent, width: 1.5, dash: Dash::Dashed }),
            alpha: 0.5,
        });
        scene.marks.push(Mark {
            key: "b".into(),
            shape: Shape::Text(
                Point::new(3.0, 9.0),
                "a < b".into(),
                TextStyle {
                    size: 12.0,
                    weight: 600,
                    mono: true,
                    anchor: Anchor::Middle,
                    ink: Ink::Text,
                },
            ),
            fill: Ink::None,
            stroke: None,
            alpha: 1.0,
        });
        scene.hits.push(Hit {
            rect: Rect::new(0.0, 0.0, 40.0, 20.0),
            target: Target::Cpu(3),
            label: "CPU 3 & more".into(),
        });
        let file = svg(&scene, &Theme::light(), "test");
        assert!(file.contains("<pattern id=\"x1-6\""), "{file}");
        assert!(file.contains("height=\"5.33\" rx=\"2\" fill=\"url(#x1-6)\" stroke=\"#2B36D9\""));
        assert!(file.contains(">a &lt; b</text>"));
        assert!(file.contains("<title>CPU 3 &amp; more</title>"));
    }
}
