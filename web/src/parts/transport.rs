//! The transport: stepping, playing, where one is, zoom.

use super::IconButton;
use crate::ctx::use_page;
use schedscope_ui::action::{Action, Way};
use schedscope_ui::format;
use schedscope_ui::state::{ByStep, Changes, Frame, Pace};
use yew::prelude::*;

/// The toolbar between the panels and the timeline; on a phone the bar at the bottom.
#[component]
pub fn Transport() -> Html {
    let ctx = use_page(Changes::FRAME.and(Changes::DOC).and(Changes::PLAY).and(Changes::MOMENT));
    let ready = ctx.doc.is_some();
    let phone = ctx.viewport.frame() == Frame::Phone;
    let back = ready && !ctx.at_start();
    let step = |way, by| Some(Action::StepBy(way, by));
    let size = if phone { 20 } else { 16 };
    let play = if ctx.playing { ("pause", "Pause") } else { ("play", "Play") };
    let buttons = html! {
        <>
            <IconButton icon="previous" label="Previous decision" title="Previous decision (Shift ←)"
                {size} enabled={back} act={step(Way::Back, ByStep::Decision)} />
            <IconButton icon="back" label="Step back" title="Step back (←)" {size} enabled={back}
                act={Some(Action::Step(Way::Back))} />
            <IconButton icon={play.0} label={play.1} title={format!("{} (Space)", play.1)} {size}
                enabled={ready} class={classes!((!phone).then_some("pri"))} act={Some(Action::TogglePlay)} />
            <IconButton icon="forward" label="Step forward" title="Step forward (→)" {size}
                enabled={ready} class={classes!(phone.then_some("pri"))} act={Some(Action::Step(Way::Forward))} />
            <IconButton icon="next" label="Next decision" title="Next decision (Shift →)" {size}
                enabled={ready} act={step(Way::Forward, ByStep::Decision)} />
        </>
    };
    if phone {
        return html! {
            <div class="trans" role="toolbar" aria-label="Transport">{ buttons }<Said /></div>
        };
    }
    let units = ByStep::ALL.map(|by| (by.label(), ctx.by == by, Action::By(by)));
    let paces = Pace::ALL.map(|p| (p.label(), ctx.pace == p, Action::Pace(p)));
    html! {
        <div class="trans" role="toolbar" aria-label="Transport">
            { buttons }
            if ready {
                <span class="note lbl" id="step-by">{ "step by" }</span>
                { segments(&ctx, "step-by", "Step by", &units) }
                <span class="paces">{ segments(&ctx, "", "Speed", &paces) }</span>
            }
            <span class="vr" />
            <Readout />
            <Said />
            if ready {
                <Legend />
                <IconButton icon="follow" label="Follow the playhead" title="Follow the playhead (F)"
                    pressed={Some(ctx.follow)} act={Some(Action::Follow(!ctx.follow))} />
                <span class="vr" />
                <IconButton icon="minus" label="Zoom out" title="Zoom out (−)"
                    act={Some(Action::Zoom { factor: 1.0 / 1.5, about: None })} />
                <IconButton icon="plus" label="Zoom in" title="Zoom in (+)"
                    act={Some(Action::Zoom { factor: 1.5, about: None })} />
                <IconButton icon="fit" label="Fit run" title="Fit run (0)" act={Some(Action::Fit)} />
            }
        </div>
    }
}

fn segments(
    ctx: &crate::ctx::Ctx,
    labelled_by: &'static str,
    label: &'static str,
    choices: &[(&'static str, bool, Action)],
) -> Html {
    let by = (!labelled_by.is_empty()).then_some(labelled_by);
    let name = by.is_none().then_some(label);
    html! {
        <span class="seg" role="group" aria-labelledby={by} aria-label={name}>
            { for choices.iter().map(|(text, on, action)| html! {
                <button key={*text} type="button" aria-pressed={on.to_string()}
                    onclick={ctx.on(action.clone())}>{ *text }</button>
            }) }
        </span>
    }
}

/// The time, and what happens there.
#[component]
fn Readout() -> Html {
    let reads = Changes::MOMENT.and(Changes::TAB).and(Changes::DOC).and(Changes::PROGRESS);
    let ctx = use_page(reads);
    let decision = ctx.decision();
    let what = match decision {
        Some(d) => {
            use schedscope_session::update::DecisionKind;
            match d.kind {
                DecisionKind::Pick => format!("pick on CPU {}", d.cpu),
                DecisionKind::Preemption => format!("preemption on CPU {}", d.cpu),
                DecisionKind::Balance => format!("balancing on CPU {}", d.cpu),
                DecisionKind::Placement | DecisionKind::ForkPlacement => {
                    let name = super::views::roster(&ctx)
                        .zip(d.task)
                        .map_or_else(String::new, |(r, t)| r.label(t));
                    format!("placement of {name}")
                }
            }
        }
        None => String::new(),
    };
    let check = ctx.check_of().map(|(i, n)| format!("check {i} of {n}"));
    let step = ctx.moment.as_ref().map(|m| {
        let steps = format::count(ctx.progress.steps.max(m.step));
        let more = if ctx.progress.done { "" } else { "+" };
        format!("event {} / {steps}{more}", format::count(m.step))
    });
    html! {
        <span class="read">
            <span class="t" id="clock">{ format::absolute(ctx.now()) }</span>
            <span class="note">{ "ms" }</span>
            <span class="what">{ what }</span>
            <span class="note">{ check.unwrap_or_default() }</span>
            <span class="note" id="event">{ step.unwrap_or_default() }</span>
        </span>
    }
}

/// What was just done, for the eye; the live region says it too.
#[component]
pub fn Said() -> Html {
    let ctx = use_page(Changes::STATUS);
    let status = ctx.status_to_show().to_string();
    html! {
        <span class="said" title={status.clone()} aria-hidden="true">
            <span key={status.clone()}>{ status.clone() }</span>
        </span>
    }
}

/// What the marks of the timeline mean.
#[component]
fn Legend() -> Html {
    html! {
        <span class="note tkey" aria-hidden="true">
            <span><svg width="10" height="8"><path d="M0 0h9l-4.5 6z" style="fill:var(--ink)" /></svg>{ "preempted" }</span>
            <span>
                <svg width="20" height="12">
                    <circle cx="2.5" cy="3" r="2.5" style="fill:var(--ink-3)" />
                    <path d="M3 3c8 0 12 2 12 7" style="fill:none;stroke:var(--ink-3)" />
                    <path d="M11.5 6.5l3.5 5 3.5-5z" style="fill:var(--ink-3)" />
                </svg>{ "wakes" }
            </span>
            <span>
                <svg width="10" height="14">
                    <path d="M5 0v12M1.5 8l3.5 4.5 3.5-4.5" stroke-dasharray="3 2"
                        style="fill:none;stroke:var(--ink-2)" />
                </svg>{ "migrates" }
            </span>
        </span>
    }
}
