//! Before there is anything to show: questions to start with, and the layout while loading.

use crate::ctx::{Ctx, use_page};
use schedscope_ui::action::Start;
use schedscope_ui::labs::{self, LABS, Lab};
use schedscope_ui::state::{Changes, Phase};
use yew::prelude::*;

/// The start page: each question opens a small scenario.
#[component]
pub fn Questions() -> Html {
    let ctx = use_page(Changes::NONE);
    html! {
        <div class="start">
            <h2 class="hd">{ "Start with a question" }</h2>
            <p class="tx">
                { "A scheduler only decides when tasks compete. Each of these opens a small scenario, \
                   stopped just before an interesting decision." }
            </p>
            { scenes(&ctx, "", false) }
            <p class="note">
                { "Or drop a file anywhere: a scenario (" }<code>{ ".toml" }</code>{ "), a lesson (" }
                <code>{ ".md" }</code>{ "), a topology from " }<code>{ "lstopo" }</code>{ " or " }
                <code>{ "lscpu" }</code>{ "." }
            </p>
        </div>
    }
}

/// The prepared scenes by theme; only those in which these words are found, with a line on each if
/// there is room for it.
pub fn scenes(ctx: &Ctx, words: &str, with_about: bool) -> Html {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let suits = |lab: &Lab| {
        let text = format!("{} {} {} {}", lab.section, lab.title, lab.question, lab.about);
        let text = text.to_ascii_lowercase();
        words.iter().all(|word| text.contains(word))
    };
    let sections = labs::sections().into_iter().filter_map(|section| {
        let of = |lab: &&Lab| lab.section == section && suits(lab);
        let list: Vec<&Lab> = LABS.iter().filter(of).collect();
        (!list.is_empty()).then_some((section, list))
    });
    let sections: Vec<(&str, Vec<&Lab>)> = sections.collect();
    if sections.is_empty() {
        return html! { <p class="note" role="status">{ "No lab has these words." }</p> };
    }
    html! {
        <div class={classes!("sections", with_about.then_some("long"))}>
            { for sections.into_iter().map(|(section, list)| html! {
                <section key={section} aria-label={section}>
                    <h3>{ section }</h3>
                    <ul class="questions">{ for list.into_iter().map(|lab| scene(ctx, lab, with_about)) }</ul>
                </section>
            }) }
        </div>
    }
}

fn scene(ctx: &Ctx, lab: &'static Lab, with_about: bool) -> Html {
    let open = ctx.on::<MouseEvent>(lab.open(Start::default()));
    html! {
        <li key={lab.id}>
            <button type="button" class="question" onclick={open} title={lab.about}>
                <span class="big">{ lab.question }</span>
                if with_about { <span class="note">{ lab.about }</span> }
            </button>
        </li>
    }
}

/// While the engine or a document is on its way.
pub fn loading(ctx: &Ctx) -> Html {
    let what = match ctx.phase {
        Phase::Opening => "Opening the scenario",
        _ => "Loading the simulator",
    };
    html! {
        <div class="start" role="status">
            <h2 class="hd">{ what }</h2>
            <div class="progress" role="progressbar" aria-label={what}><i /></div>
            <p class="note">{ "Nothing you do here leaves this browser." }</p>
        </div>
    }
}

/// Rows of the task list to come.
pub fn task_ghosts() -> Html {
    html! {
        <div class="tl ghosts" aria-hidden="true">
            { for [64, 72, 88, 76, 70, 36, 30, 42].iter().map(|w| html! {
                <div key={*w}><i class="sq" /><i style={format!("width:{w}px")} /></div>
            }) }
        </div>
    }
}

/// The machine to come.
pub fn machine_ghost(width: f32, height: f32) -> Html {
    let cell = (width - 20.0) / 8.0;
    html! {
        <svg width={width.to_string()} height={height.to_string()} aria-hidden="true">
            <rect x=".5" y=".5" width={(width - 1.0).to_string()} height={(height - 1.0).to_string()}
                rx="4" style="fill:none;stroke:var(--line)" />
            { for (0..16).map(|i| html! {
                <rect key={i} x={(10.0 + (i % 8) as f32 * cell).to_string()} rx="2"
                    y={(44.0 + (i / 8) as f32 * (height / 2.0)).to_string()} height="40"
                    width={(cell - 6.0).to_string()} style="fill:var(--sunken)" />
            }) }
        </svg>
    }
}

/// The timeline to come.
pub fn empty_timeline(ctx: &Ctx) -> Html {
    html! {
        <div class="no-lanes">
            <span>{ "timeline" }</span>
            if ctx.phase == Phase::Empty {
                <span>{ "Runs will be drawn here, one lane per CPU." }</span>
            }
        </div>
    }
}
