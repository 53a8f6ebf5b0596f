//! The parts of the page, one a file.

pub mod banner;
pub mod checks;
pub mod choices;
pub mod decision;
pub mod embed;
pub mod face;
pub mod figures;
pub mod lesson_bar;
pub mod live;
pub mod machine;
pub mod present;
pub mod start;
pub mod task_editor;
pub mod task_groups;
pub mod tasks;
pub mod timeline;
pub mod top_bar;
pub mod transport;
pub mod views;

use crate::chip;
use crate::ctx::use_page;
use schedscope_ui::action::{Action, Load};
use schedscope_ui::state::Changes;
use yew::prelude::*;

/// Properties of an [`IconButton`].
#[derive(Properties, PartialEq)]
pub struct IconButtonProps {
    /// Name of the icon.
    pub icon: AttrValue,
    /// What it does.
    pub label: AttrValue,
    /// Whether the label is shown.
    #[prop_or_default]
    pub text: bool,
    /// Whether it can be pressed.
    #[prop_or(true)]
    pub enabled: bool,
    /// Whether it is pressed, for one that stays.
    #[prop_or_default]
    pub pressed: Option<bool>,
    /// More classes.
    #[prop_or_default]
    pub class: Classes,
    /// What a tooltip says, if not the label.
    #[prop_or_default]
    pub title: Option<AttrValue>,
    /// What is done to the state.
    #[prop_or_default]
    pub act: Option<Action>,
    /// What else happens.
    #[prop_or_default]
    pub on_press: Option<Callback<MouseEvent>>,
    /// Size of the icon.
    #[prop_or(16)]
    pub size: u8,
}

/// A button with an icon.
#[component]
pub fn IconButton(props: &IconButtonProps) -> Html {
    let ctx = use_page(Changes::NONE);
    let press = props.on_press.clone().or_else(|| props.act.clone().map(|act| ctx.on(act)));
    let title = props.title.clone().unwrap_or_else(|| props.label.clone());
    html! {
        <button type="button" class={classes!("btn", props.class.clone())} title={title}
            aria-label={props.label.clone()} disabled={!props.enabled}
            aria-pressed={props.pressed.map(|p| p.to_string())} onclick={press}>
            { crate::icons::icon(&props.icon, props.size) }
            if props.text { <span class="lbl">{ props.label.clone() }</span> }
        </button>
    }
}

/// The card that follows the pointer while it is carried, and the field while the keyboard carries.
#[component]
pub fn Ghost() -> Html {
    let ctx = use_page(Changes::CARRY.and(Changes::DOC).and(Changes::MOMENT));
    let Some(carry) = &ctx.carry else { return html! {} };
    let face = match &carry.load {
        Load::Row(row) => ctx
            .doc
            .as_ref()
            .and_then(|d| d.rows.get(usize::from(*row)))
            .map(|row| chip::chip(row, &row.letter, 22.0)),
        Load::Pattern(_) => None,
    };
    let says = ctx.carry_says();
    if !carry.keys {
        return html! {
            <div id="ghost" class="ghost" aria-hidden="true">
                { face }
                <span>{ says }</span>
                if carry.pin { { crate::icons::icon("pin", 14) } }
            </div>
        };
    }
    let typed = {
        let dispatch = ctx.dispatch.clone();
        Callback::from(move |event: InputEvent| {
            let input: web_sys::HtmlInputElement = event.target_unchecked_into();
            dispatch.emit(Action::CarryText(input.value()));
        })
    };
    let key = {
        let ctx = ctx.clone();
        Callback::from(move |event: KeyboardEvent| {
            let arrow = event.key().starts_with("Arrow");
            let shift = |by, thread| {
                let over = ctx.carry.as_ref().and_then(|c| c.over);
                schedscope_ui::keys::neighbour(&ctx, over, by, thread)
            };
            let over = match event.key().as_str() {
                "ArrowRight" => shift(1, false),
                "ArrowLeft" => shift(-1, false),
                "ArrowDown" => shift(1, true),
                "ArrowUp" => shift(-1, true),
                _ => None,
            };
            match event.key().as_str() {
                "Enter" => ctx.act(Action::Drop),
                "Escape" => ctx.act(Action::PutBack),
                _ if arrow => {
                    ctx.act(Action::CarryText(String::new()));
                    ctx.act(Action::CarryOver(over));
                }
                _ => return,
            }
            event.prevent_default();
            event.stop_propagation();
        })
    };
    let pin = ctx.on(Action::CarryPin(!carry.pin));
    html! {
        <div class="carrying" role="dialog" aria-label={format!("Move {}", ctx.carried_name())}>
            { face }
            <label for="carry-to">{ format!("{}: ", ctx.carried_name()) }</label>
            <Focused id="carry-to" value={carry.text.clone()} on_input={typed} on_key={key}
                hint={carry.over.map_or_else(String::new, |c| c.to_string())} />
            <button type="button" class="btn out" aria-pressed={carry.pin.to_string()} onclick={pin}>
                { crate::icons::icon("pin", 14) }{ "pin" }
            </button>
            <button type="button" class="btn pri" onclick={ctx.on(Action::Drop)}>{ says }</button>
            <button type="button" class="btn" onclick={ctx.on(Action::PutBack)}>{ "Put back" }</button>
            <p class="note">
                { "Arrow keys go over the CPUs; or type a list: " }<kbd>{ "12" }</kbd>{ " " }
                <kbd>{ "8-15" }</kbd>{ " " }<kbd>{ "llc 4" }</kbd>{ " " }<kbd>{ "any" }</kbd>
            </p>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct FocusedProps {
    id: AttrValue,
    value: AttrValue,
    hint: AttrValue,
    on_input: Callback<InputEvent>,
    on_key: Callback<KeyboardEvent>,
}

/// A field that has the focus as soon as it is there.
#[component]
fn Focused(props: &FocusedProps) -> Html {
    let node = use_node_ref();
    {
        let node = node.clone();
        use_effect_with((), move |()| {
            if let Some(input) = node.cast::<web_sys::HtmlElement>() {
                _ = input.focus();
            }
        });
    }
    html! {
        <input ref={node} id={props.id.clone()} class="field" type="text" autocomplete="off"
            aria-label="CPU list" value={props.value.clone()} placeholder={props.hint.clone()}
            oninput={props.on_input.clone()} onkeydown={props.on_key.clone()} />
    }
}
