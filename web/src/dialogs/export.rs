//! Files to save.

use crate::ctx::use_page;
use crate::parts::views;
use crate::{canvas, dom};
use schedscope_session::Format;
use schedscope_ui::action::Action;
use schedscope_ui::paint;
use schedscope_ui::state::Changes;
use yew::prelude::*;

const FORMATS: [(Format, &str, &str); 6] = [
    (Format::Scenario, "Scenario", "the document with its changes, TOML: opens here again"),
    (Format::Perfetto, "Perfetto trace", "Chrome JSON, for ui.perfetto.dev"),
    (Format::EventsCsv, "Events, CSV", "one line an event"),
    (Format::EventsJson, "Events, JSON", "one line an event"),
    (Format::MetricsCsv, "Metrics, CSV", "waiting times and counts by task"),
    (Format::MetricsJson, "Metrics, JSON", "the same, with what each CPU did"),
];

/// What can be saved.
#[component]
pub fn Export() -> Html {
    let ctx = use_page(Changes::DOC.and(Changes::MOMENT).and(Changes::TAB));
    let picture = {
        let ctx = ctx.clone();
        Callback::from(move |_: MouseEvent| {
            let Some(scene) = views::export_scene(&ctx, 960.0, 560.0) else { return };
            let title = views::export_title(&ctx);
            dom::save(
                "schedscope.svg",
                &paint::svg(&scene, &canvas::theme_now(), &title),
                "image/svg+xml",
            );
        })
    };
    html! {
        <ul class="choices">
            <li key="svg">
                <button type="button" class="btn out" onclick={picture}>{ "Picture, SVG" }</button>
                <span class="note">{ "the picture of this tab" }</span>
            </li>
            { for FORMATS.iter().map(|(format, name, about)| html! {
                <li key={*name}>
                    <button type="button" class="btn out" onclick={ctx.on::<MouseEvent>(Action::Export(*format))}>{ *name }</button>
                    <span class="note">{ *about }</span>
                </li>
            }) }
        </ul>
    }
}
