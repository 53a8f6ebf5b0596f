//! Keys and glossary.

use crate::ctx::use_page;
use crate::dialogs::markdown;
use crate::dom;
use schedscope_ui::action::Action;
use schedscope_ui::keys::TABLE;
use schedscope_ui::state::Changes;
use yew::prelude::*;

/// The key table, the switch for single letters, and the glossary.
#[component]
pub fn Help() -> Html {
    let ctx = use_page(Changes::FRAME);
    let letters = {
        let ctx = ctx.clone();
        Callback::from(move |_: Event| {
            let on = !ctx.letter_keys;
            dom::keep("letters", if on { "on" } else { "off" });
            ctx.act(Action::LetterKeys(on));
        })
    };
    html! {
        <>
            <dl class="keys">
                { for TABLE.iter().map(|b| html! {
                    <div key={b.does}>
                        <dt>{ for b.keys.iter().map(|k| html! { <kbd key={*k}>{ *k }</kbd> }) }</dt>
                        <dd>{ b.does }</dd>
                    </div>
                }) }
            </dl>
            <p class="line">
                <input id="letters" type="checkbox" checked={ctx.letter_keys} onchange={letters} />
                <label for="letters">{ "single letters are keys (outside text fields)" }</label>
            </p>
            <h3>{ "Glossary" }</h3>
            // Its first words are for its authors.
            <div class="prose"><markdown::File address="docs/glossary.md" from="\n## " /></div>
        </>
    }
}
