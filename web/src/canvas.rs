//! A painter for canvases, at the resolution of the screen. Of a scene that differs little from the
//! one before, only what differs is painted.

use schedscope_ui::geometry::{Point, Rect};
use schedscope_ui::paint::{dirty, paint_within};
use schedscope_ui::scene::{Anchor, Dash, Ink, Mark, Painter, Scene, Shape, Stroke};
use schedscope_ui::theme::{DOT_RADIUS, HATCH_GAP, HATCH_WIDTH, Paint, Rgb, Theme};
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::{CanvasPattern, CanvasRenderingContext2d, HtmlCanvasElement};
use yew::prelude::{NodeRef, hook, use_effect_with, use_mut_ref};

const FONT_UI: &str = "system-ui, -apple-system, \"Segoe UI\", Roboto, \"Noto Sans\", sans-serif";
const FONT_NUM: &str = "ui-monospace, \"SF Mono\", \"Cascadia Mono\", Menlo, Consolas, monospace";

/// Paints on a canvas.
struct CanvasPainter {
    canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
    theme: Theme,
    patterns: BTreeMap<Ink, CanvasPattern>,
    /// The last fill and font, so that they are not set again.
    fill: Option<Ink>,
    font: String,
    ratio: f64,
}

impl CanvasPainter {
    /// A painter; `None` if the browser gives no context.
    fn new(canvas: &HtmlCanvasElement, theme: Theme, ratio: f64) -> Option<CanvasPainter> {
        let context = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        let (patterns, font) = (BTreeMap::new(), String::new());
        Some(CanvasPainter {
            canvas: canvas.clone(),
            context,
            theme,
            patterns,
            fill: None,
            font,
            ratio,
        })
    }

    /// Paints what differs between the scene that is on the canvas and the new one.
    fn paint(&mut self, old: Option<&Scene>, new: &Scene) {
        match old.and_then(|old| dirty(old, new)) {
            None => new.paint(self),
            Some(rects) if rects.is_empty() => {}
            Some(rects) => {
                let font = self.font.clone();
                self.context.save();
                self.context.begin_path();
                let each = |Rect { x, y, w, h }: &Rect| {
                    let (x, y, w, h) = (f64::from(*x), f64::from(*y), f64::from(*w), f64::from(*h));
                    self.context.rect(x, y, w, h);
                };
                rects.iter().for_each(each);
                self.context.clip();
                self.context.clear_rect(0.0, 0.0, new.width.into(), new.height.into());
                paint_within(new, &rects, self);
                self.context.restore();
                // With the clip, fill and font go back to what they were. (To set a font is dear:
                // the browser brings the styles of the whole page up to date for it.)
                self.fill = None;
                self.font = font;
            }
        }
    }

    fn set_fill(&mut self, ink: Ink) -> bool {
        if self.fill == Some(ink) {
            return true;
        }
        match self.theme.paint(ink) {
            Paint::None => return false,
            Paint::Solid(colour) => self.context.set_fill_style_str(&colour.to_string()),
            paint => match self.pattern(ink, paint) {
                Some(pattern) => self.context.set_fill_style_canvas_pattern(&pattern),
                None => return false,
            },
        }
        self.fill = Some(ink);
        true
    }

    fn set_stroke(&mut self, stroke: Stroke) -> bool {
        let Some(colour) = self.theme.colour(stroke.ink) else { return false };
        self.context.set_stroke_style_str(&colour.to_string());
        self.context.set_line_width(stroke.width.into());
        let dash = match stroke.dash {
            Dash::Solid => js_sys::Array::new(),
            Dash::Dashed => js_sys::Array::of2(&5.into(), &3.into()),
            Dash::Dotted => js_sys::Array::of2(&1.5.into(), &3.into()),
        };
        _ = self.context.set_line_dash(&dash);
        true
    }

    /// The pattern of a texture, made once.
    fn pattern(&mut self, ink: Ink, paint: Paint) -> Option<CanvasPattern> {
        if let Some(pattern) = self.patterns.get(&ink) {
            return Some(pattern.clone());
        }
        let tile = crate::dom::document().create_element("canvas").ok()?;
        let tile: HtmlCanvasElement = tile.dyn_into().ok()?;
        let gap = f64::from(HATCH_GAP);
        // Hatching at 45° repeats after gap × √2 along both axes.
        let side = match paint {
            Paint::Hatch { .. } => gap * std::f64::consts::SQRT_2,
            _ => gap,
        };
        let pixels = (side * self.ratio).round().max(1.0);
        tile.set_width(pixels as u32);
        tile.set_height(pixels as u32);
        let on: CanvasRenderingContext2d = tile.get_context("2d").ok()??.dyn_into().ok()?;
        _ = on.scale(pixels / side, pixels / side);
        let fill = |colour: Rgb| on.set_fill_style_str(&colour.to_string());
        match paint {
            Paint::Hatch { ground, line } => {
                if let Some(ground) = ground {
                    fill(ground);
                    on.fill_rect(0.0, 0.0, side, side);
                }
                on.set_stroke_style_str(&line.to_string());
                on.set_line_width(HATCH_WIDTH.into());
                on.begin_path();
                // Over a ground they fall to the right, without one they rise.
                let (from, to) = match ground {
                    Some(_) => (-1.0, side + 1.0),
                    None => (side + 1.0, -1.0),
                };
                for k in [-1.0, 0.0, 1.0] {
                    on.move_to(-1.0 + k * side, from);
                    on.line_to(side + 1.0 + k * side, to);
                }
                on.stroke();
            }
            Paint::Dots { ground, dot } => {
                fill(ground);
                on.fill_rect(0.0, 0.0, side, side);
                fill(dot);
                for at in [gap * 0.25, gap * 0.75] {
                    on.begin_path();
                    _ = on.arc(at, at, DOT_RADIUS.into(), 0.0, std::f64::consts::TAU);
                    on.fill();
                }
            }
            Paint::None | Paint::Solid(_) => {}
        }
        let pattern =
            self.context.create_pattern_with_html_canvas_element(&tile, "repeat").ok()??;
        self.patterns.insert(ink, pattern.clone());
        Some(pattern)
    }

    fn trace(&self, points: &[Point], close: bool) {
        self.context.begin_path();
        for (i, p) in points.iter().enumerate() {
            let (x, y) = (f64::from(p.x), f64::from(p.y));
            if i == 0 {
                self.context.move_to(x, y);
            } else {
                self.context.line_to(x, y);
            }
        }
        if close {
            self.context.close_path();
        }
    }

    fn finish(&mut self, mark: &Mark) {
        if mark.fill != Ink::None && self.set_fill(mark.fill) {
            self.context.fill();
        }
        if let Some(stroke) = mark.stroke
            && self.set_stroke(stroke)
        {
            self.context.stroke();
        }
    }
}

impl Painter for CanvasPainter {
    fn begin(&mut self, width: f32, height: f32) {
        let (w, h) = (f64::from(width), f64::from(height));
        let (pw, ph) = ((w * self.ratio).round() as u32, (h * self.ratio).round() as u32);
        if self.canvas.width() != pw || self.canvas.height() != ph {
            self.canvas.set_width(pw);
            self.canvas.set_height(ph);
            // That sets everything back.
            self.font.clear();
        }
        _ = self.context.set_transform(self.ratio, 0.0, 0.0, self.ratio, 0.0, 0.0);
        self.context.clear_rect(0.0, 0.0, w, h);
        self.fill = None;
    }

    fn mark(&mut self, mark: &Mark) {
        let faint = mark.alpha < 1.0;
        if faint {
            self.context.set_global_alpha(mark.alpha.into());
        }
        match &mark.shape {
            Shape::Rect(r, radius) if *radius <= 0.0 => {
                let (x, y, w, h) = (f64::from(r.x), f64::from(r.y), f64::from(r.w), f64::from(r.h));
                if mark.fill != Ink::None && self.set_fill(mark.fill) {
                    self.context.fill_rect(x, y, w, h);
                }
                if let Some(stroke) = mark.stroke
                    && self.set_stroke(stroke)
                {
                    self.context.stroke_rect(x, y, w, h);
                }
            }
            Shape::Rect(r, radius) => {
                self.context.begin_path();
                let radius = f64::from(radius.min(r.w / 2.0).min(r.h / 2.0).max(0.0));
                _ = self.context.round_rect_with_f64(
                    r.x.into(),
                    r.y.into(),
                    r.w.into(),
                    r.h.into(),
                    radius,
                );
                self.finish(mark);
            }
            Shape::Circle(c, radius) => {
                self.context.begin_path();
                let radius = f64::from(radius.max(0.0));
                _ = self.context.arc(c.x.into(), c.y.into(), radius, 0.0, std::f64::consts::TAU);
                self.finish(mark);
            }
            Shape::Line(points) => {
                self.trace(points, false);
                self.finish(mark);
            }
            Shape::Polygon(points) => {
                self.trace(points, true);
                self.finish(mark);
            }
            Shape::Curve([a, b, c, d]) => {
                self.context.begin_path();
                self.context.move_to(a.x.into(), a.y.into());
                self.context.bezier_curve_to(
                    b.x.into(),
                    b.y.into(),
                    c.x.into(),
                    c.y.into(),
                    d.x.into(),
                    d.y.into(),
                );
                self.finish(mark);
            }
            Shape::Text(at, text, style) => {
                let family = if style.mono { FONT_NUM } else { FONT_UI };
                let font = format!("{} {}px {family}", style.weight, style.size);
                if font != self.font {
                    self.context.set_font(&font);
                    self.font = font;
                }
                self.context.set_text_align(match style.anchor {
                    Anchor::Start => "start",
                    Anchor::Middle => "center",
                    Anchor::End => "end",
                });
                if let Some(stroke) = mark.stroke
                    && self.set_stroke(stroke)
                {
                    _ = self.context.stroke_text(text, at.x.into(), at.y.into());
                }
                if self.set_fill(style.ink) {
                    _ = self.context.fill_text(text, at.x.into(), at.y.into());
                }
            }
        }
        if faint {
            self.context.set_global_alpha(1.0);
        }
    }
}

/// What a canvas shows, and who painted it.
#[derive(Default)]
struct Painted {
    painter: Option<CanvasPainter>,
    scene: Option<Rc<Scene>>,
}

/// Keeps a canvas showing a scene. `theme` is the choice of the user: what it leads to is asked of
/// the page.
#[hook]
pub fn use_painted(node: NodeRef, scene: Option<Rc<Scene>>, theme: schedscope_ui::state::Theme) {
    let painted = use_mut_ref(Painted::default);
    use_effect_with((node, scene, theme), move |(node, scene, _)| {
        let (Some(scene), Some(canvas)) = (scene, node.cast::<HtmlCanvasElement>()) else { return };
        let (theme, ratio) = (theme_now(), crate::dom::pixel_ratio());
        let mut painted = painted.borrow_mut();
        let same = painted
            .painter
            .as_ref()
            .is_some_and(|p| p.canvas == canvas && p.theme == theme && p.ratio == ratio);
        if !same {
            *painted = Painted { painter: CanvasPainter::new(&canvas, theme, ratio), scene: None };
        }
        let old = painted.scene.replace(scene.clone());
        if let Some(painter) = &mut painted.painter {
            painter.paint(old.as_deref(), scene);
        }
    });
}

/// The theme that the page shows now.
#[must_use]
pub fn theme_now() -> Theme {
    let chosen = crate::dom::root().and_then(|r| r.get_attribute("data-theme"));
    let dark = match chosen.as_deref() {
        Some("dark") => true,
        Some("light") => false,
        _ => crate::dom::media("(prefers-color-scheme: dark)"),
    };
    let theme = if dark { Theme::dark() } else { Theme::light() };
    if crate::dom::media("(prefers-contrast: more)") { theme.with_contrast() } else { theme }
}
