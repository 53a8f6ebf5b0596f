//! The kernel of the run: which, whose wakeup placement, features, base slice, ticks.

use crate::ctx::{Ctx, use_page};
use crate::parts::choices::{Choice, Item, kernel_items};
use crate::parts::task_editor::Number;
use schedscope_session::Edit;
use schedscope_session::update::{FeatureView, KernelView};
use schedscope_ui::action::Action;
use schedscope_ui::kernels;
use schedscope_ui::state::Changes;
use yew::prelude::*;

/// Each change starts the run again.
#[component]
pub fn Kernel() -> Html {
    let ctx = use_page(Changes::DOC.and(Changes::BESIDE));
    let Some(doc) = ctx.doc.clone() else { return html! {} };
    html! {
        <>
            <p>
                { format!("{}. Each change runs the scenario again with the same seed; the tasks stay, and all of it \
                           is in the link.", doc.kernel.name) }
            </p>
            if !doc.notes.is_empty() {
                <div>
                    <h3>{ "Without effect in this kernel" }</h3>
                    <ul class="rownotes">
                        { for doc.notes.iter().map(|note| html! { <li key={note.clone()}>{ note.clone() }</li> }) }
                    </ul>
                </div>
            }
            <div class="kernelbox">
                <div>{ figures(&ctx, &doc.kernel) }{ features(&ctx, &doc.kernel) }</div>
                <div>{ list(&ctx, &doc.kernel) }</div>
            </div>
        </>
    }
}

/// All kernels by era, each with what it changed.
fn list(ctx: &Ctx, kernel: &KernelView) -> Html {
    html! {
        <div role="radiogroup" aria-label="Kernel">
            { for kernels::by_era().into_iter().map(|(era, list)| html! {
                <div key={era}>
                    <h3>{ era }</h3>
                    <ul class="kernels">
                        { for list.into_iter().map(|known| {
                            let id = format!("kernel-{}", known.preset);
                            let take = ctx.on::<Event>(Action::Edit(Edit::Kernel(known.preset.into())));
                            html! {
                                <li key={known.preset}>
                                    <input id={id.clone()} type="radio" name="kernel" onchange={take}
                                        checked={known.preset == kernel.preset} />
                                    <label for={id}>
                                        <b>{ known.title }</b>{ " " }<span class="note">{ known.date }</span>
                                        <span class="note about">{ known.about }</span>
                                    </label>
                                </li>
                            }
                        }) }
                    </ul>
                </div>
            }) }
        </div>
    }
}

/// Whose placement, base slice, ticks.
fn figures(ctx: &Ctx, kernel: &KernelView) -> Html {
    let slice = {
        let ctx = ctx.clone();
        Callback::from(move |ms: f64| ctx.edit(Edit::BaseSlice((ms * 1e6).round() as u64)))
    };
    let hz = {
        let ctx = ctx.clone();
        Callback::from(move |hz: f64| ctx.edit(Edit::Hz(hz as u32)))
    };
    let placement = {
        let ctx = ctx.clone();
        Callback::from(move |id: String| ctx.edit(Edit::Placement((!id.is_empty()).then_some(id))))
    };
    let mut options = vec![Item::new("", "that of the kernel")];
    options.extend(kernel_items());
    html! {
        <>
            <div class="line placement">
                <Choice label="wakeup placement" id="choose-placement" {options} on_choose={placement}
                    value={kernel.placement.clone().unwrap_or_default()} />
            </div>
            <div class="line">
                <span>{ "base slice, ms" }</span>
                <Number label="base slice, ms" value={kernel.base_slice as f64 / 1e6} least=0.1 most=100.0
                    decimals=3 on_change={slice} />
            </div>
            <div class="line">
                <span>{ "ticks per second (HZ)" }</span>
                <Number label="ticks per second" value={f64::from(kernel.hz)} least=100.0 most=1000.0 on_change={hz} />
            </div>
        </>
    }
}

/// The switches that this kernel has, by what they are about.
fn features(ctx: &Ctx, kernel: &KernelView) -> Html {
    let there: Vec<&FeatureView> = kernel.features.iter().filter(|f| f.exists).collect();
    let mut parts: Vec<&str> = Vec::new();
    for feature in &there {
        if !parts.contains(&feature.part.as_str()) {
            parts.push(&feature.part);
        }
    }
    html! {
        <>
            { for parts.into_iter().map(|part| html! {
                <div key={part.to_string()} role="group" aria-label={part.to_string()}>
                    <h3>{ part.to_string() }</h3>
                    <ul class="features">
                        { for there.iter().filter(|f| f.part == part).map(|f| feature(ctx, f)) }
                    </ul>
                </div>
            }) }
        </>
    }
}

fn feature(ctx: &Ctx, f: &FeatureView) -> Html {
    let set = |on: bool| Action::Edit(Edit::Feature(f.name.clone(), on));
    let id = format!("feature-{}", f.name);
    let changed = f.on != f.default;
    let word = |on: bool| if on { "on" } else { "off" };
    let other = format!("{} {}", f.name, word(!f.on));
    let beside = ctx.beside.as_ref().is_some_and(|second| second.with == other);
    html! {
        <li key={f.name.clone()} class={classes!(changed.then_some("changed"))}>
            <input id={id.clone()} type="checkbox" checked={f.on} onchange={ctx.on::<Event>(set(!f.on))} />
            <div>
                <label for={id}><code>{ f.name.clone() }</code></label>
                <span class="note">{ format!(" {}", f.about) }</span>
                if changed {
                    <button type="button" class="linkish" onclick={ctx.on::<MouseEvent>(set(f.default))}>
                        { format!("changed: back to {}", word(f.default)) }
                    </button>
                }
            </div>
            <button type="button" class="btn small" aria-pressed={beside.to_string()} title={format!("Run it with {other} beside this run")}
                aria-label={format!("Compare with {other}")}
                onclick={ctx.on::<MouseEvent>(Action::Beside((!beside).then_some(other)))}>{ "compare" }</button>
        </li>
    }
}
