//! The link to this screen.

use crate::ctx::use_page;
use crate::{dom, places};
use schedscope_session::Format;
use schedscope_ui::action::Action;
use schedscope_ui::format;
use schedscope_ui::state::Changes;
use schedscope_ui::url::LINK_LONG;
use yew::prelude::*;

/// The link, and what it holds.
#[component]
pub fn Share() -> Html {
    let ctx = use_page(Changes::ALL);
    let copied = use_state_eq(|| false);
    let Some(link) = places::address_of(&ctx) else {
        return html! { <p>{ "Open a scenario first." }</p> };
    };
    let long = link.len() > LINK_LONG;
    let copy = {
        let (link, copied) = (link.clone(), copied.clone());
        Callback::from(move |_: MouseEvent| {
            dom::copy(&link);
            copied.set(true);
        })
    };
    let embed = {
        let mut parts = link.splitn(2, '#');
        let (base, fragment) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        format!(
            "<iframe src=\"{base}?embed#{fragment}\" width=\"760\" height=\"440\" title=\"schedscope\"></iframe>"
        )
    };
    html! {
        <>
            <p>
                { format!("The link holds the scenario with its changes, the kernel, the seed, the moment \
                    ({} ms) and the view. Nothing is stored anywhere else.", format::clock(ctx.now())) }
            </p>
            <label class="over" for="share-link">{ format!("Link, {} characters", format::count(link.len() as u64)) }</label>
            <textarea id="share-link" class="field num" readonly=true rows="4" value={link.clone()} />
            if long {
                <p class="note">{ "Some programs cut links of this length. A file is safer." }</p>
            }
            <div class="tools">
                <button type="button" class="btn pri" onclick={copy}>{ if *copied { "Copied" } else { "Copy link" } }</button>
                <button type="button" class="btn out" onclick={ctx.on::<MouseEvent>(Action::Export(Format::Scenario))}>
                    { "Save as a file" }
                </button>
            </div>
            <label class="over" for="share-embed">{ "To embed it in a page" }</label>
            <textarea id="share-embed" class="field num" readonly=true rows="3" value={embed} />
        </>
    }
}
