//! What is modelled, what is checked against real kernel code, and what is left out.

use crate::ctx::use_page;
use crate::dialogs::markdown;
use crate::dom;
use schedscope_ui::state::Changes;
use yew::prelude::*;

/// The page about the model.
#[component]
pub fn About() -> Html {
    let ctx = use_page(Changes::DOC);
    let domains = ctx.doc.as_ref().map(|d| d.machine.domains.clone()).unwrap_or_default();
    html! {
        <div class="prose">
            <p>
                { format!("schedscope {}. The engine is a model of the Linux scheduler in Rust. It runs in this \
                    browser, in a worker; nothing is sent anywhere.", env!("CARGO_PKG_VERSION")) }
                if dom::is_kept() {
                    { " All of it is kept in this browser: it opens without a network." }
                }
            </p>
            if !domains.is_empty() {
                <h3>{ "Sched domains of CPU 0" }</h3>
                <table class="tb">
                    <thead><tr><th scope="col">{ "domain" }</th><th scope="col">{ "CPUs" }</th><th scope="col" class="wrap">{ "flags" }</th></tr></thead>
                    <tbody>
                        { for domains.iter().map(|d| html! {
                            <tr key={d.name.clone()}><td>{ d.name.clone() }</td><td>{ d.span.clone() }</td>
                                <td class="wrap">{ d.flags.join(", ") }</td></tr>
                        }) }
                    </tbody>
                </table>
            }
            <markdown::File address="docs/model.md" />
        </div>
    }
}
