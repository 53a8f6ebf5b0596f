//! Prepared scenes.

use crate::ctx::use_page;
use crate::dialogs::markdown;
use crate::parts::start::scenes;
use schedscope_ui::state::Changes;
use yew::prelude::*;

/// The list of labs, and the prose of the one that is open.
#[component]
pub fn Labs() -> Html {
    let ctx = use_page(Changes::DOC);
    let wanted = use_state_eq(String::new);
    let about = ctx.doc.as_ref().map(|d| d.about.clone()).unwrap_or_default();
    let typed = {
        let wanted = wanted.clone();
        Callback::from(move |event: InputEvent| {
            let input: web_sys::HtmlInputElement = event.target_unchecked_into();
            wanted.set(input.value());
        })
    };
    html! {
        <>
            if !about.trim().is_empty() {
                <details class="prose" open=true>
                    <summary>{ "The one that is open" }</summary>
                    { markdown::show(&about) }
                </details>
            }
            <input class="field" type="search" autocomplete="off" placeholder="Find: 4.19, latency-nice, LLC …"
                aria-label="Find a lab" value={(*wanted).clone()} oninput={typed} />
            { scenes(&ctx, &wanted, true) }
        </>
    }
}
