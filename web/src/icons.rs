//! Icons: inline SVG on a grid of 16, stroke 1.5, in the colour of the text.

use yew::prelude::*;

/// The path of an icon.
fn path(name: &str) -> &'static str {
    match name {
        "undo" => "M6 3 2.5 6.5 6 10M3 6.5h6.5a4 4 0 0 1 0 8H7",
        "redo" => "M10 3l3.5 3.5L10 10M13 6.5H6.5a4 4 0 0 0 0 8H9",
        "play" => "M4.5 3v10l8-5z",
        "pause" => "M5 3v10M11 3v10",
        "forward" => "M5 3l6 5-6 5z M13 3v10",
        "back" => "M11 3 5 8l6 5z M3 3v10",
        "previous" => "M3 3v10M13 3 8 8l5 5M8 3 3.5 8 8 13",
        "next" => "M13 3v10M3 3l5 5-5 5M8 3l4.5 5L8 13",
        "share" => "M8 10V2M5 4.5 8 1.8l3 2.7M4 7H2.5v7h11V7H12",
        "export" => "M8 2v8M5 7.5 8 10.3l3-2.8M2.5 12v2h11v-2",
        "sun" => {
            "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1\
             M13 3l-1 1M4 12l-1 1"
        }
        "moon" => "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z",
        "help" => "M5.8 6a2.2 2.2 0 1 1 3.2 2c-.7.4-1 .8-1 1.6M8 12v.6",
        "labs" => "M6 2v4L2.5 13a.7.7 0 0 0 .6 1h9.8a.7.7 0 0 0 .6-1L10 6V2M5 2h6M4.6 9.5h6.8",
        "present" => "M1.5 3h13v8h-13zM8 11v3M5 14h6",
        "pin" => "M8 9v5M5 9h6l-1-3V2H6v4z",
        "menu" => "M2 4h12M2 8h12M2 12h12",
        "rail" => "M2 3h12v10H2zM6 3v10",
        "plus" => "M8 3v10M3 8h10",
        "minus" => "M3 8h10",
        "fit" => "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4",
        "differ" => "M1.5 4h13M1.5 12H5l4-4.500h5.500M12 5l2.500 2.500L12 10",
        "down" => "M4 6l4 4 4-4",
        "warn" => "M8 2 1.5 13.5h13zM8 6.5v3.5M8 11.8v.4",
        "close" => "M4 4l8 8M12 4l-8 8",
        "ok" => "M3 8.5 6.5 12 13 4.5",
        "link" => {
            "M6.5 9.5 9.5 6.5M7 4.5 9 2.6a3 3 0 0 1 4.3 4.3L11.5 9M9 11.5 7 13.4a3 3 0 0 1-4.3-4.3\
             L4.5 7.2"
        }
        "outside" => "M6 3H3v10h10v-3M9 3h4v4M13 3 7.5 8.5",
        "about" => "M8 7v5M8 4v.5M2 8a6 6 0 1 0 12 0A6 6 0 1 0 2 8",
        "copy" => "M5.5 5.5h8v8h-8zM3 10.5h-.5v-8h8V3",
        "trash" => "M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5l.5 9h6l.5-9",
        "dice" => "M2.5 2.5h11v11h-11zM5.5 5.5v.1M10.5 5.5v.1M8 8v.1M5.5 10.5v.1M10.5 10.5v.1",
        "open" => "M2 13V3h4l1.5 2H14v8z",
        "follow" => "M8 1.5v13M4.5 5 8 1.5 11.5 5",
        "table" => "M2 3h12v10H2zM2 6.5h12M2 10h12M6.5 3v10",
        "tune" => "M2 4.5h7M13 4.5h1M2 11.5h1M7 11.5h7M11 2.500v4M5 9.500v4",
        _ => "",
    }
}

/// An icon of this size.
pub fn icon(name: &str, size: u8) -> Html {
    let size = size.to_string();
    html! {
        <svg width={size.clone()} height={size} viewBox="0 0 16 16" fill="none" stroke="currentColor"
            stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
            <path d={path(name)} />
        </svg>
    }
}

/// The mark of the product: three requests and V.
pub fn mark(size: u8) -> Html {
    let size = size.to_string();
    html! {
        <svg width={size.clone()} height={size} viewBox="0 0 20 20" aria-hidden="true">
            <path d="M3 5h9M6 10h11M2 15h7" style="stroke:var(--ink)" stroke-width="3" />
            <path d="M10.5 1v18" style="stroke:var(--accent)" stroke-width="1.5" />
        </svg>
    }
}
