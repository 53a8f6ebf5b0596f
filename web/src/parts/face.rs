//! Letter and colour of a row: a small palette that opens in the row's editor.

use super::task_editor::Text;
use crate::chip::chip;
use crate::ctx::use_page;
use crate::dom;
use crate::icons::icon;
use schedscope_session::Edit;
use schedscope_session::update::RowView;
use schedscope_ui::action::Action;
use schedscope_ui::state::Changes;
use schedscope_ui::theme::{HUE_NAMES, HUES};
use yew::prelude::*;

/// The textures, as they are called.
const TEXTURES: [&str; 3] = ["solid", "dotted", "striped"];

/// How many colours there are.
const COLOURS: usize = HUES * TEXTURES.len();

/// Properties of a [`Face`].
#[derive(Properties, PartialEq)]
pub struct FaceProps {
    /// The row.
    pub index: u16,
}

/// The row's chip, which opens the palette.
#[component]
pub fn Face(props: &FaceProps) -> Html {
    let ctx = use_page(Changes::DOC);
    let index = props.index;
    let open = use_state_eq(|| false);
    let Some(doc) = ctx.doc.clone() else { return html! {} };
    let Some(row) = doc.rows.get(usize::from(index)) else { return html! {} };
    let toggle = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    let escape = {
        let open = open.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" && *open {
                event.stop_propagation();
                event.prevent_default();
                open.set(false);
                dom::focus(&format!("#face-{index}"));
            }
        })
    };
    html! {
        <div class="face" onkeydown={escape}>
            <div class="line">
                <span>{ "chip" }</span>
                <button id={format!("face-{index}")} type="button" class="btn out facebtn" aria-expanded={open.to_string()}
                    aria-label={format!("Letter and colour of {}: {}, {}", row.name, row.letter, name_of(row))}
                    onclick={toggle}>
                    { chip(row, &row.letter, 20.0) }
                    <span>{ name_of(row) }</span>
                    { icon("down", 12) }
                </button>
            </div>
            if *open { <Palette {index} /> }
        </div>
    }
}

/// "orange, dotted", or "grey".
fn name_of(row: &RowView) -> String {
    if row.muted {
        return "grey".into();
    }
    called(usize::from(row.hue) + HUES * usize::from(row.texture))
}

/// What a colour of the palette is called, by its number from 0.
fn called(number: usize) -> String {
    match TEXTURES[number / HUES % TEXTURES.len()] {
        "solid" => HUE_NAMES[number % HUES].to_string(),
        texture => format!("{}, {texture}", HUE_NAMES[number % HUES]),
    }
}

/// Letter, colours, grey.
#[component]
fn Palette(props: &FaceProps) -> Html {
    let ctx = use_page(Changes::DOC);
    let index = props.index;
    let node = use_node_ref();
    {
        let node = node.clone();
        use_effect_with((), move |()| {
            if let Some(element) = node.cast::<web_sys::Element>() {
                dom::reveal(&element);
            }
        });
    }
    let Some(doc) = ctx.doc.clone() else { return html! {} };
    let Some(row) = doc.rows.get(usize::from(index)) else { return html! {} };
    let now = usize::from(row.hue) + HUES * usize::from(row.texture);
    let letter = {
        let (ctx, old) = (ctx.clone(), row.letter.clone());
        Callback::from(move |text: String| {
            let text = text.trim().to_string();
            if text != old {
                ctx.edit(Edit::Letter(index, (!text.is_empty()).then_some(text)));
            }
        })
    };
    let key = Callback::from(move |event: KeyboardEvent| {
        let by: i32 = match event.key().as_str() {
            "ArrowRight" => 1,
            "ArrowLeft" => -1,
            "ArrowDown" => HUES as i32,
            "ArrowUp" => -(HUES as i32),
            _ => return,
        };
        let target = event.target_dyn_into::<web_sys::HtmlElement>();
        let Some(at) = target.and_then(|t| t.dataset().get("colour")?.parse::<i32>().ok()) else {
            return;
        };
        event.prevent_default();
        event.stop_propagation();
        let to = (at + by).rem_euclid(COLOURS as i32);
        dom::focus(&format!("#swatch-{index}-{to}"));
    });
    let muted = ctx.on::<Event>(Action::Edit(Edit::Muted(index, Some(!row.muted))));
    let id = format!("letter-{index}");
    html! {
        <div ref={node} class="palettebox" role="group" aria-label={format!("Letter and colour of {}", row.name)}>
            <div class="line">
                <label for={id.clone()}>{ "letter" }</label>
                <Text {id} value={row.letter.clone()} hint="next free" on_change={letter} />
            </div>
            <div class="swatches" role="radiogroup" aria-label="Colour" data-arrows="1" onkeydown={key}>
                { for (0..COLOURS).map(|number| {
                    let on = number == now && !row.muted;
                    let stop = if number == now { "0" } else { "-1" };
                    let like = RowView {
                        hue: (number % HUES) as u8,
                        texture: (number / HUES) as u8,
                        ..RowView::default()
                    };
                    let take = {
                        let (ctx, muted) = (ctx.clone(), row.muted);
                        Callback::from(move |_: MouseEvent| {
                            if muted {
                                ctx.edit(Edit::Muted(index, Some(false)));
                            }
                            ctx.edit(Edit::Colour(index, Some(number as u8 + 1)));
                        })
                    };
                    html! {
                        <button key={number} id={format!("swatch-{index}-{number}")} type="button" class="swatch"
                            role="radio" aria-checked={on.to_string()} aria-label={called(number)} title={called(number)}
                            data-colour={number.to_string()} tabindex={stop} onclick={take}>
                            { chip(&like, if on { row.letter.as_str() } else { "" }, 20.0) }
                        </button>
                    }
                }) }
            </div>
            <p class="tick">
                <input id={format!("grey-{index}")} type="checkbox" checked={row.muted} onchange={muted} />
                <label for={format!("grey-{index}")}>{ "grey: part of the background" }</label>
            </p>
            if row.colour.is_some() {
                <button type="button" class="btn out small"
                    onclick={ctx.on::<MouseEvent>(Action::Edit(Edit::Colour(index, None)))}>
                    { "Colour of its letter" }
                </button>
            }
        </div>
    }
}
