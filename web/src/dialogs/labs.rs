//! Prepared scenes.

use crate::ctx::use_page;
use crate::dialogs::markdown;
use schedscope_ui::action::Start;
use schedscope_ui::labs::LABS;
use schedscope_ui::state::Changes;
use yew::prelude::*;

/// The list of labs, and the prose of the one that is open.
#[component]
pub fn Labs() -> Html {
    let ctx = use_page(Changes::DOC);
    let about = ctx.doc.as_ref().map(|d| d.about.clone()).unwrap_or_default();
    html! {
        <>
            if !about.trim().is_empty() {
                <div class="prose">{ markdown::show(&about) }</div>
            }
            <ul class="questions">
                { for LABS.iter().map(|lab| {
                    let ctx = ctx.clone();
                    let open = Callback::from(move |_: MouseEvent| ctx.act(lab.open(Start::default())));
                    html! {
                        <li key={lab.id}>
                            <button type="button" class="question" onclick={open}>
                                <span class="big">{ lab.question }</span>
                                <span class="note">{ lab.about }</span>
                            </button>
                        </li>
                    }
                }) }
            </ul>
        </>
    }
}
