//! Colours and patterns: one table that scenes, exports and the page's CSS share.
//!
//! Scenes name inks by role ([`Ink`]); a [`Theme`] turns roles into colours and patterns.
//! [`tokens_css`] writes the same table as CSS custom properties, so that a mark in a picture and a
//! chip in a list never differ. Dark mode, projector and high contrast are tables, not code.

use core::fmt::{self, Write as _};

use crate::scene::Ink;

/// A colour, sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rgb(
    /// Red.
    pub u8,
    /// Green.
    pub u8,
    /// Blue.
    pub u8,
);

/// What an ink is painted with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// Nothing.
    None,
    /// One colour.
    Solid(Rgb),
    /// Lines that fall to the right, [`HATCH_WIDTH`] wide every [`HATCH_GAP`] px, over a ground.
    /// Without a ground they rise, [`OPEN_HATCH_WIDTH`] wide every [`OPEN_HATCH_GAP`] px; that
    /// means "not eligible".
    Hatch {
        /// The ground; `None` lets what is below show.
        ground: Option<Rgb>,
        /// The lines.
        line: Rgb,
    },
    /// Dots of [`DOT_RADIUS`] px, two in each square of [`HATCH_GAP`] px.
    Dots {
        /// The ground.
        ground: Rgb,
        /// The dots.
        dot: Rgb,
    },
}

/// Side of the square that a pattern repeats, px.
pub const HATCH_GAP: f32 = 6.0;
/// Width of a hatch line, px.
pub const HATCH_WIDTH: f32 = 1.6;
/// Side of the square that a hatch without a ground repeats, px.
pub const OPEN_HATCH_GAP: f32 = 7.0;
/// Width of a line of a hatch without a ground, px.
pub const OPEN_HATCH_WIDTH: f32 = 1.0;
/// Radius of a dot, px.
pub const DOT_RADIUS: f32 = 1.1;

/// How many hues tasks have.
pub const HUES: usize = 8;
/// Names of the hues, speakable.
pub const HUE_NAMES: [&str; HUES] =
    ["sky", "orange", "teal", "pink", "gold", "purple", "lime", "brown"];

const fn rgb(hex: u32) -> Rgb {
    Rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

const INK: Rgb = rgb(0x0015_171C);
const WHITE: Rgb = rgb(0x00FF_FFFF);

/// Fills of the hues; the same in both themes, so that a task keeps its colour.
const FILLS: [Rgb; HUES] = [
    rgb(0x75_D1FD),
    rgb(0xD4_6B06),
    rgb(0x0F_9479),
    rgb(0xE0_86BB),
    rgb(0xED_B838),
    rgb(0x94_5CB4),
    rgb(0xAD_D296),
    rgb(0x74_5248),
];
/// Letters on the fills.
const LETTERS: [Rgb; HUES] = [INK, INK, INK, INK, INK, WHITE, INK, WHITE];
/// Lines of the textures on the fills: light on dark fills, dark on light ones, as strong as the
/// letter on top still allows.
const TEXTURES: [Rgb; HUES] = [
    rgb(0x56_95B5),
    rgb(0xE5_A66A),
    rgb(0x6F_BFAF),
    rgb(0xB3_6E98),
    rgb(0xA8_842F),
    rgb(0x5F_3F74),
    rgb(0x7C_966F),
    rgb(0x8A_6E65),
];

/// The colours of one theme by role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Whether it is the dark one.
    pub dark: bool,
    /// Whether hairlines and captions are strengthened (`prefers-contrast: more`, projectors).
    pub contrast: bool,
    background: Rgb,
    plot: Rgb,
    sunken: Rgb,
    line: Rgb,
    line_strong: Rgb,
    axis: Rgb,
    text: Rgb,
    text_soft: Rgb,
    text_faint: Rgb,
    accent: Rgb,
    accent_tint: Rgb,
    on_accent: Rgb,
    eligible: Rgb,
    idle: Rgb,
    idle_edge: Rgb,
    busy: Rgb,
    busy_edge: Rgb,
    heat: Rgb,
    error: Rgb,
    error_tint: Rgb,
    edges: [Rgb; HUES],
}

impl Theme {
    /// The light theme.
    #[must_use]
    pub const fn light() -> Theme {
        Theme {
            dark: false,
            contrast: false,
            background: rgb(0xFB_FAF7),
            plot: WHITE,
            sunken: rgb(0xF3_F1EC),
            line: rgb(0xDF_DBD2),
            line_strong: rgb(0xBD_B8AC),
            axis: rgb(0x8F_8A7E),
            text: INK,
            text_soft: rgb(0x47_4B54),
            text_faint: rgb(0x62_666F),
            accent: rgb(0x2B_36D9),
            accent_tint: rgb(0xE8_E9FB),
            on_accent: WHITE,
            eligible: rgb(0xE1_F0E8),
            idle: rgb(0xF3_F1EC),
            idle_edge: rgb(0xD5_D0C5),
            busy: rgb(0xC6_C1B6),
            busy_edge: rgb(0xA8_A295),
            heat: rgb(0x8F_8A7E),
            error: rgb(0xB3_261E),
            error_tint: rgb(0xFB_E9E7),
            edges: [
                rgb(0x42_7791),
                rgb(0xB1_5910),
                rgb(0x11_7B65),
                rgb(0x9F_5F85),
                rgb(0x8B_6C27),
                rgb(0x79_4C94),
                rgb(0x62_7856),
                rgb(0x5A_4039),
            ],
        }
    }

    /// The dark theme.
    #[must_use]
    pub const fn dark() -> Theme {
        Theme {
            dark: true,
            contrast: false,
            background: rgb(0x12_1419),
            plot: rgb(0x17_1A20),
            sunken: rgb(0x0D_0F13),
            line: rgb(0x2A_2E37),
            line_strong: rgb(0x46_4C58),
            axis: rgb(0x6A_707C),
            text: rgb(0xEC_EAE4),
            text_soft: rgb(0xBF_C1C7),
            text_faint: rgb(0x96_9BA5),
            accent: rgb(0x9A_A6FF),
            accent_tint: rgb(0x1E_2342),
            on_accent: rgb(0x12_1419),
            eligible: rgb(0x15_291F),
            idle: rgb(0x1B_1E25),
            idle_edge: rgb(0x36_3C47),
            busy: rgb(0x4A_505C),
            busy_edge: rgb(0x66_6D7A),
            heat: rgb(0x5F_6571),
            error: rgb(0xFF_897D),
            error_tint: rgb(0x33_191A),
            edges: [
                rgb(0xB7_E3FE),
                rgb(0xD9_845A),
                rgb(0x5B_A38E),
                rgb(0xE6_A5CA),
                rgb(0xF3_D29F),
                rgb(0xA0_75BB),
                rgb(0xD1_E4C7),
                rgb(0x96_8480),
            ],
        }
    }

    /// The same with hairlines and captions strengthened.
    #[must_use]
    pub const fn with_contrast(self) -> Theme {
        Theme {
            contrast: true,
            line: self.axis,
            line_strong: self.axis,
            idle_edge: self.axis,
            text_faint: self.text_soft,
            ..self
        }
    }

    /// The main colour of an ink; `None` for [`Ink::None`]. Patterns give their ground.
    #[must_use]
    pub fn colour(&self, ink: Ink) -> Option<Rgb> {
        match self.paint(ink) {
            Paint::None => None,
            Paint::Solid(colour) | Paint::Dots { ground: colour, .. } => Some(colour),
            Paint::Hatch { ground, line } => Some(ground.unwrap_or(line)),
        }
    }

    /// What an ink is painted with.
    #[must_use]
    pub fn paint(&self, ink: Ink) -> Paint {
        let hue = |hue: u8| usize::from(hue) % HUES;
        Paint::Solid(match ink {
            Ink::Background | Ink::Halo => self.background,
            Ink::Plot => self.plot,
            Ink::Sunken => self.sunken,
            Ink::Line => self.line,
            Ink::LineStrong => self.line_strong,
            Ink::Axis => self.axis,
            Ink::Text => self.text,
            Ink::TextSoft => self.text_soft,
            Ink::TextFaint => self.text_faint,
            Ink::Accent => self.accent,
            Ink::AccentTint => self.accent_tint,
            Ink::OnAccent => self.on_accent,
            Ink::Eligible => self.eligible,
            Ink::Idle => self.idle,
            Ink::IdleEdge => self.idle_edge,
            Ink::Busy => self.busy,
            Ink::BusyEdge => self.busy_edge,
            Ink::Error => self.error,
            Ink::Task { hue: h, texture } => {
                let (ground, mark) = (FILLS[hue(h)], TEXTURES[hue(h)]);
                match texture {
                    0 => ground,
                    1 => return Paint::Dots { ground, dot: mark },
                    _ => return Paint::Hatch { ground: Some(ground), line: mark },
                }
            }
            Ink::TaskEdge(h) => self.edges[hue(h)],
            Ink::TaskText(h) => LETTERS[hue(h)],
            Ink::TaskHatch(h) => {
                // Lighter than any filled bar: half of the edge.
                let line = self.background.towards(self.edges[hue(h)], 150);
                return Paint::Hatch { ground: None, line };
            }
            Ink::Heat(share) => self.background.towards(self.heat, share),
            Ink::None => return Paint::None,
        })
    }

    /// The table as the declarations of a CSS rule.
    fn declarations(&self, out: &mut String) {
        let roles = [
            ("bg", self.background),
            ("plot", self.plot),
            ("sunken", self.sunken),
            ("line", self.line),
            ("line-2", self.line_strong),
            ("axis", self.axis),
            ("ink", self.text),
            ("ink-2", self.text_soft),
            ("ink-3", self.text_faint),
            ("accent", self.accent),
            ("accent-tint", self.accent_tint),
            ("on-accent", self.on_accent),
            ("elig", self.eligible),
            ("idle", self.idle),
            ("idle-edge", self.idle_edge),
            ("busy", self.busy),
            ("busy-edge", self.busy_edge),
            ("heat", self.heat),
            ("error", self.error),
            ("error-tint", self.error_tint),
            ("halo", self.background),
        ];
        let scheme = if self.dark { "dark" } else { "light" };
        _ = writeln!(out, "  color-scheme: {scheme};");
        for (name, colour) in roles {
            _ = writeln!(out, "  --{name}: {colour};");
        }
        for (hue, edge) in self.edges.iter().enumerate() {
            _ = writeln!(out, "  --e-{hue}: {edge};");
        }
    }
}

impl Rgb {
    /// The colour `share` of 255 on the way to another.
    #[must_use]
    pub fn towards(self, other: Rgb, share: u8) -> Rgb {
        let mix = |a: u8, b: u8| {
            let (a, b, share) = (u32::from(a), u32::from(b), u32::from(share));
            ((a * (255 - share) + b * share + 127) / 255) as u8
        };
        Rgb(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }

    /// Relative luminance, WCAG.
    #[must_use]
    pub fn luminance(self) -> f32 {
        let linear = |c: u8| {
            let c = f32::from(c) / 255.0;
            if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    /// Contrast ratio between two colours, WCAG: 1 … 21.
    #[must_use]
    pub fn contrast(self, other: Rgb) -> f32 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }
}

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02X}{:02X}{:02X}", self.0, self.1, self.2)
    }
}

/// Sizes, spacing and times that do not depend on the theme.
const MEASURES: &str = r#"  --font-ui: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  --font-num: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Noto Sans Mono", "Liberation Mono", monospace;
  --fs-s: 12px;
  --fs-m: 14px;
  --fs-l: 16px;
  --fs-xl: 20px;
  --fs-2xl: 28px;
  --lh-s: 16px;
  --lh-m: 20px;
  --lh-l: 24px;
  --s1: 4px;
  --s2: 8px;
  --s3: 12px;
  --s4: 16px;
  --s5: 20px;
  --s6: 24px;
  --s8: 32px;
  --r: 3px;
  --hit: 32px;
  --t-fast: 150ms;
  --t-mid: 220ms;
  --t-slow: 300ms;
  --ease: cubic-bezier(0.2, 0.7, 0.2, 1);
"#;

const MODES: &str = "[data-mode=\"present\"] {
  --fs-s: 20px;
  --fs-m: 20px;
  --fs-l: 24px;
  --fs-xl: 32px;
  --fs-2xl: 40px;
  --lh-s: 26px;
  --lh-m: 28px;
  --lh-l: 32px;
  --hit: 56px;
}
@media (pointer: coarse) {
  :root {
    --hit: 44px;
  }
}
@media (prefers-reduced-motion: reduce) {
  :root {
    --t-fast: 0ms;
    --t-mid: 0ms;
    --t-slow: 0ms;
  }
}
";

/// The CSS custom properties of both themes: the content of `web/style/tokens.css`.
///
/// Light is the default; `data-theme="dark"` on the root chooses the dark one, and without
/// `data-theme` the reader's system does.
#[must_use]
pub fn tokens_css() -> String {
    let mut css = String::from(
        "/* Made from crates/ui/src/theme.rs by `cargo xtask bless`; edit there. */\n:root {\n",
    );
    css.push_str(MEASURES);
    for hue in 0..HUES {
        _ = writeln!(css, "  --h-{hue}: {};", FILLS[hue]);
        _ = writeln!(css, "  --o-{hue}: {};", LETTERS[hue]);
        _ = writeln!(css, "  --x-{hue}: {};", TEXTURES[hue]);
    }
    let rule = |css: &mut String, selector: &str, theme: Theme| {
        let mut body = String::new();
        theme.declarations(&mut body);
        if let Some(media) = selector.strip_prefix('@') {
            let (query, selector) = media.split_once('|').expect("query|selector");
            let body = body.replace("\n  ", "\n    ");
            _ = write!(
                css,
                "@media ({query}) {{\n  {selector} {{\n  {}\n  }}\n}}\n",
                body.trim_end()
            );
        } else {
            _ = write!(css, "{selector} {{\n{body}}}\n");
        }
    };
    let mut light = String::new();
    Theme::light().declarations(&mut light);
    css.push_str(&light);
    css.push_str("}\n");
    rule(&mut css, "@prefers-color-scheme: dark|:root:not([data-theme=\"light\"])", Theme::dark());
    rule(&mut css, "[data-theme=\"dark\"]", Theme::dark());
    for (selector, theme) in [
        ("@prefers-contrast: more|:root:not([data-theme=\"dark\"])", Theme::light()),
        ("@prefers-contrast: more|[data-theme=\"dark\"]", Theme::dark()),
    ] {
        rule(&mut css, selector, theme.with_contrast());
    }
    css.push_str(MODES);
    css
}

#[cfg(test)]
mod tests {
    use super::*;

    fn themes() -> [Theme; 4] {
        let (light, dark) = (Theme::light(), Theme::dark());
        [light, dark, light.with_contrast(), dark.with_contrast()]
    }

    fn contrast(theme: &Theme, a: Ink, b: Ink) -> f32 {
        theme.colour(a).unwrap().contrast(theme.colour(b).unwrap())
    }

    #[test]
    fn text_can_be_read_on_its_ground() {
        let grounds = [Ink::Background, Ink::Plot, Ink::Sunken, Ink::Idle, Ink::AccentTint];
        for theme in themes() {
            for ground in grounds {
                for text in [Ink::Text, Ink::TextSoft, Ink::TextFaint, Ink::Accent] {
                    let found = contrast(&theme, text, ground);
                    assert!(found >= 4.5, "{text:?} on {ground:?}: {found}, dark {}", theme.dark);
                }
            }
            assert!(contrast(&theme, Ink::OnAccent, Ink::Accent) >= 4.5);
            assert!(contrast(&theme, Ink::Background, Ink::Text) >= 7.0);
            assert!(contrast(&theme, Ink::Text, Ink::Busy) >= 4.5);
            assert!(contrast(&theme, Ink::Error, Ink::Background) >= 4.5);
            for share in 0..=255 {
                let found = contrast(&theme, Ink::Text, Ink::Heat(share));
                assert!(found >= 4.5, "heat {share}: {found}, dark {}", theme.dark);
            }
        }
    }

    #[test]
    fn letters_can_be_read_on_tasks_and_their_patterns() {
        for theme in themes() {
            for hue in 0..HUES as u8 {
                for texture in 0..3 {
                    let letter = theme.colour(Ink::TaskText(hue)).unwrap();
                    let (ground, mark) = match theme.paint(Ink::Task { hue, texture }) {
                        Paint::Solid(ground) => (ground, ground),
                        Paint::Hatch { ground: Some(ground), line } => (ground, line),
                        Paint::Dots { ground, dot } => (ground, dot),
                        other => panic!("{other:?}"),
                    };
                    let name = HUE_NAMES[usize::from(hue)];
                    assert!(letter.contrast(ground) >= 4.5, "{name}: {}", letter.contrast(ground));
                    assert!(letter.contrast(mark) >= 4.5, "{name} {}", letter.contrast(mark));
                }
            }
        }
    }

    #[test]
    fn marks_stand_out_by_their_edge() {
        for theme in themes() {
            let background = theme.background;
            assert!(theme.axis.contrast(background) >= 3.0);
            assert!(theme.accent.contrast(background) >= 4.5);
            for hue in 0..HUES as u8 {
                let edge = theme.colour(Ink::TaskEdge(hue)).unwrap();
                assert!(edge.contrast(background) >= 4.5, "{hue}: {}", edge.contrast(background));
            }
        }
    }

    #[test]
    fn fills_stay_apart() {
        for (i, a) in FILLS.iter().enumerate() {
            for b in &FILLS[..i] {
                let far = [(a.0, b.0), (a.1, b.1), (a.2, b.2)]
                    .iter()
                    .map(|&(a, b)| (f32::from(a) - f32::from(b)).powi(2))
                    .sum::<f32>();
                assert!(far.sqrt() > 50.0, "{a} {b}");
            }
        }
    }

    #[test]
    fn the_css_has_every_token_once_a_theme() {
        let css = tokens_css();
        assert_eq!(css.matches("--accent: #2B36D9").count(), 2);
        assert_eq!(css.matches("--accent: #9AA6FF").count(), 3);
        assert_eq!(css.matches('{').count(), css.matches('}').count());
        assert!(css.contains("--e-7: #5A4039;"), "{css}");
    }
}
