//! The kernel of the run: features, base slice, ticks.

use crate::ctx::use_page;
use crate::parts::task_editor::Number;
use schedscope_session::Edit;
use schedscope_ui::state::Changes;
use yew::prelude::*;

/// Switches; each change starts the run again.
#[component]
pub fn Kernel() -> Html {
    let ctx = use_page(Changes::DOC);
    let Some(doc) = ctx.doc.clone() else { return html! {} };
    let kernel = &doc.kernel;
    let slice = {
        let ctx = ctx.clone();
        Callback::from(move |ms: f64| ctx.edit(Edit::BaseSlice((ms * 1e6).round() as u64)))
    };
    let hz = {
        let ctx = ctx.clone();
        Callback::from(move |hz: f64| ctx.edit(Edit::Hz(hz as u32)))
    };
    html! {
        <>
            <p>{ format!("{}. Each change runs the scenario again with the same seed.", kernel.name) }</p>
            <div class="line">
                <span>{ "base slice, ms" }</span>
                <Number label="base slice, ms" value={kernel.base_slice as f64 / 1e6} least=0.1 most=100.0
                    decimals=3 on_change={slice} />
            </div>
            <div class="line">
                <span>{ "ticks per second (HZ)" }</span>
                <Number label="ticks per second" value={f64::from(kernel.hz)} least=100.0 most=1000.0 on_change={hz} />
            </div>
            <ul class="features">
                { for kernel.features.iter().filter(|f| f.exists).map(|f| {
                    let toggle = ctx.on::<Event>(schedscope_ui::action::Action::Edit(Edit::Feature(f.name.clone(), !f.on)));
                    let id = format!("feature-{}", f.name);
                    html! {
                        <li key={f.name.clone()}>
                            <input id={id.clone()} type="checkbox" checked={f.on} onchange={toggle} />
                            <label for={id}><code>{ f.name.clone() }</code>
                                <span class="note">{ format!(" {}{}", f.about,
                                    if f.on != f.default { " (changed)" } else { "" }) }</span>
                            </label>
                        </li>
                    }
                }) }
            </ul>
            if !doc.notes.is_empty() {
                <h3>{ "Does not apply in this kernel" }</h3>
                <ul>{ for doc.notes.iter().enumerate().map(|(i, note)| html! { <li key={i}>{ note.clone() }</li> }) }</ul>
            }
        </>
    }
}
