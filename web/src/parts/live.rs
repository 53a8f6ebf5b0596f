//! The live region: reads each step, and what was just done.

use crate::ctx::use_page;
use schedscope_ui::narrate;
use schedscope_ui::state::Changes;
use yew::prelude::*;

/// Two polite regions that nobody sees: the answer, and the status.
#[component]
pub fn Live() -> Html {
    let ctx = use_page(
        Changes::MOMENT.and(Changes::TAB).and(Changes::DOC).and(Changes::PLAY).and(Changes::STATUS),
    );
    let text = narrate::moment(&ctx);
    let last = use_mut_ref(String::new);
    // While playing fast there is nothing to say: what was said stays.
    if !text.is_empty() {
        last.replace(text);
    }
    let said = last.borrow().clone();
    html! {
        <div class="sr" role="status" aria-live="polite" id="live">
            <p>{ said }</p>
            <p>{ ctx.status.clone() }</p>
        </div>
    }
}
