//! A task's chip in lists and sentences: the same mark as in the pictures.

use schedscope_session::update::RowView;
use yew::prelude::*;

/// Fill, edge and text of a row's chips.
#[must_use]
pub fn inks(row: &RowView) -> (String, String, String) {
    if row.muted {
        return ("var(--busy)".into(), "var(--busy-edge)".into(), "var(--ink)".into());
    }
    let hue = row.hue;
    let fill = match row.texture {
        0 => format!("var(--h-{hue})"),
        texture => format!("url(#x{texture}-{hue})"),
    };
    (fill, format!("var(--e-{hue})"), format!("var(--o-{hue})"))
}

/// A chip of this height with this label.
pub fn chip(row: &RowView, label: &str, size: f32) -> Html {
    let (fill, edge, ink) = inks(row);
    let letter = (size * 0.56).clamp(12.0, 22.0);
    let width = size.max(label.chars().count() as f32 * letter * 0.62 + 6.0);
    let (w, h) = (width + 1.0, size + 1.0);
    // For tools that check contrast: the colour under a pattern.
    let ground = if row.muted { "--busy".to_string() } else { format!("--h-{}", row.hue) };
    html! {
        <svg class="cp" width={w.to_string()} height={h.to_string()}
            viewBox={format!("-0.5 -0.5 {w} {h}")} aria-hidden="true">
            <rect width={width.to_string()} height={size.to_string()} rx="3" data-bg={ground}
                style={format!("fill:{fill};stroke:{edge}")} />
            <text x={(width / 2.0).to_string()} y={(size / 2.0 + letter * 0.36).to_string()}
                font-size={letter.to_string()} font-weight="650" text-anchor="middle"
                style={format!("fill:{ink}")}>{ label.to_string() }</text>
        </svg>
    }
}

/// The patterns of the textures, once in the page.
pub fn patterns() -> Html {
    let hatch =
        |id: String, ground: Html, line: String, width: &'static str, turn: &'static str| {
            html! {
                <pattern key={id.clone()} id={id} width="6" height="6" patternUnits="userSpaceOnUse"
                    patternTransform={turn}>
                    { ground }
                    <rect width={width} height="6" style={format!("fill:{line}")} />
                </pattern>
            }
        };
    let ground = |hue: u8| {
        html! { <rect width="6" height="6" style={format!("fill:var(--h-{hue})")} /> }
    };
    let line = |h: u8| format!("var(--x-{h})");
    let lined = (0..8).map(|h| hatch(format!("x2-{h}"), ground(h), line(h), "1.6", "rotate(-45)"));
    let edge = |h: u8| format!("var(--e-{h})");
    let outlined = (0..8).map(|h| hatch(format!("inel-{h}"), html! {}, edge(h), "1", "rotate(45)"));
    let dotted = (0..8).map(|h| {
        let dot = format!("fill:var(--x-{h})");
        html! {
            <pattern id={format!("x1-{h}")} key={format!("x1-{h}")} width="6" height="6"
                patternUnits="userSpaceOnUse">
                { ground(h) }
                <circle cx="1.5" cy="1.5" r="1.1" style={dot.clone()} />
                <circle cx="4.5" cy="4.5" r="1.1" style={dot} />
            </pattern>
        }
    });
    html! {
        <svg width="0" height="0" style="position:absolute" aria-hidden="true">
            <defs>{ for lined }{ for outlined }{ for dotted }</defs>
        </svg>
    }
}
