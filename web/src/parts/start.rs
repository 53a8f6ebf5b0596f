//! Before there is anything to show: questions to start with, and the layout while loading.

use crate::ctx::{Ctx, use_page};
use crate::icons::icon;
use schedscope_ui::action::Start;
use schedscope_ui::labs::LABS;
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
            <ul class="questions">
                { for LABS.iter().map(|lab| {
                    let ctx = ctx.clone();
                    let open = Callback::from(move |_: MouseEvent| ctx.act(lab.open(Start::default())));
                    html! {
                        <li key={lab.id}>
                            <button type="button" class="question" onclick={open}>
                                <span class="big">{ lab.question }</span>
                                <span class="go">{ icon("forward", 16) }</span>
                                <span class="note">{ lab.about }</span>
                            </button>
                        </li>
                    }
                }) }
            </ul>
            <p class="note">
                { "Or drop a file anywhere: a scenario (" }<code>{ ".toml" }</code>{ "), a lesson (" }
                <code>{ ".md" }</code>{ "), a topology from " }<code>{ "lstopo" }</code>{ " or " }
                <code>{ "lscpu" }</code>{ "." }
            </p>
        </div>
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
