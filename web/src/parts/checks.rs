//! The checks of a decision: chips below a pick, a list beside a placement. Checks that have not
//! happened name the question, never the outcome.

use super::views;
use crate::ctx::{Ctx, use_page};
use schedscope_session::update::{Check, Mark};
use schedscope_ui::action::Action;
use schedscope_ui::state::Changes;
use schedscope_ui::view::placement::{self, CheckRow, Glyph, Reveal};
use yew::prelude::*;

/// How far a check has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Done,
    Current,
    ToDo,
}

fn stage(ctx: &Ctx, i: usize) -> Stage {
    match i.cmp(&ctx.cursor.check) {
        std::cmp::Ordering::Less => Stage::Done,
        std::cmp::Ordering::Equal => Stage::Current,
        std::cmp::Ordering::Greater => Stage::ToDo,
    }
}

/// Whether all probes of the current check have been made.
fn all_probed(ctx: &Ctx, check: &Check) -> bool {
    ctx.cursor.probe >= check.probes.len()
}

/// Keeps the current check in view. On a phone a new moment begins at the top, with what is said.
#[hook]
fn use_reveal(ctx: &Ctx) -> NodeRef {
    let node = use_node_ref();
    let inside = node.clone();
    let last = use_mut_ref(|| None);
    let step = ctx.moment.as_ref().map(|moment| moment.step);
    use_effect_with((step, ctx.cursor, ctx.tab), move |_| {
        let fresh = last.replace(step) != step;
        if let Some(list) = inside.cast::<web_sys::Element>() {
            crate::dom::reveal_soon(list, "[aria-current=step]", fresh);
        }
    });
    node
}

/// The sign of an answer.
fn sign(mark: Mark) -> &'static str {
    match mark {
        Mark::Yes => " ✓",
        Mark::No => " ✕",
        Mark::Plain | Mark::Busy | Mark::Idle | Mark::Chosen | Mark::Kept => "",
    }
}

/// Chips below a picture.
#[component]
pub fn CheckChips() -> Html {
    let ctx = use_page(Changes::MOMENT.and(Changes::TAB).and(Changes::DOC));
    let node = use_reveal(&ctx);
    let checks = ctx.decision().map(|d| d.checks.clone()).unwrap_or_default();
    html! {
        <div class="steps" role="list" aria-label="Checks of this decision" ref={node} tabindex="-1">
            { for checks.iter().enumerate().map(|(i, check)| {
                let stage = stage(&ctx, i);
                let told = stage == Stage::Done || (stage == Stage::Current && all_probed(&ctx, check));
                let text = short(&ctx, check, told);
                html! {
                    <span role="listitem" key={i}>
                        <button type="button" class={classes!("st", (stage == Stage::ToDo).then_some("todo"))}
                            aria-current={(stage == Stage::Current).then_some("step")}
                            title={check.title.clone()} onclick={ctx.on::<MouseEvent>(Action::ToCheck(i))}>
                            <b class="num">{ i + 1 }</b>
                            { text }
                            if told { { sign(check.mark) } }
                        </button>
                    </span>
                }
            }) }
        </div>
    }
}

/// A few words for a chip: the task and the answer; before that, what is looked at.
fn short(ctx: &Ctx, check: &Check, told: bool) -> String {
    let title = check.title.trim_end_matches(['?', '.']);
    let what = if check.kernel.is_empty() { title } else { kernel_word(&check.kernel) };
    if !told {
        return what.to_string();
    }
    let task = check.tasks.first().and_then(|&t| views::roster(ctx).map(|r| r.label(t)));
    let answer = check.result.clone();
    match task {
        Some(task) if answer.is_empty() => format!("{what} {task}"),
        Some(task) if answer.contains(&task) || answer.chars().count() > 14 => answer,
        Some(task) => format!("{task}: {answer}"),
        None if answer.is_empty() => what.to_string(),
        None => answer,
    }
}

/// The function's or variable's name in a kernel expression.
fn kernel_word(kernel: &str) -> &str {
    let end = kernel.find(['(', ' ', '=', '-']).unwrap_or(kernel.len());
    match &kernel[..end] {
        "" => kernel,
        "se" | "node" => "search",
        word => word,
    }
}

/// The list beside a placement.
#[component]
pub fn CheckList() -> Html {
    let ctx = use_page(Changes::MOMENT.and(Changes::TAB).and(Changes::DOC));
    let node = use_reveal(&ctx);
    let rows = ctx.doc.as_ref().zip(ctx.decision()).map_or_else(Vec::new, |(doc, decision)| {
        placement::rows(decision, &doc.machine, (ctx.cursor.check, ctx.cursor.probe))
    });
    html! {
        <ol class="chk" ref={node} aria-label="Checks of this decision" tabindex="0">
            { for rows.iter().map(|check| row(&ctx, check)) }
        </ol>
    }
}

fn row(ctx: &Ctx, row: &CheckRow) -> Html {
    let current = row.reveal == Reveal::Current;
    let future = row.reveal == Reveal::Future;
    let class = classes!(
        current.then_some("cur"),
        row.skipped.then_some("skip"),
        future.then_some("todo"),
    );
    let to = ctx.on::<MouseEvent>(Action::ToCheck(row.number - 1));
    html! {
        <li key={row.number} {class} aria-current={current.then_some("step")}>
            <button type="button" class="checkrow" onclick={to} data-dim={future.then_some("1")}>
                <span class="no">{ row.number }</span>
                <span class="mid">
                    <span class="q" title={row.title.clone()}>{ row.title.clone() }</span>
                    if !row.kernel.is_empty() {
                        <span class="k" title={row.kernel.clone()}>{ row.kernel.clone() }</span>
                    }
                    if !row.strip.is_empty() {
                        <span class="strip">
                            { for row.strip.iter().enumerate().map(|(k, visit)| {
                                let class = classes!(
                                    "num", "pb",
                                    visit.idle.then_some("idle"),
                                    visit.kept.then_some("kept")
                                );
                                let word = if visit.idle { "idle" } else { "busy" };
                                html! {
                                    <span key={k} {class} title={format!("CPU {} {word}", visit.cpu)}>
                                        { visit.cpu }
                                    </span>
                                }
                            }) }
                        </span>
                    }
                </span>
                <span class="r">{ badge(row.glyph) }<span>{ row.result.clone() }</span></span>
            </button>
        </li>
    }
}

/// Square: busy. Circle: idle. Filled: the end.
fn badge(glyph: Glyph) -> Html {
    let shape = match glyph {
        Glyph::Square => {
            html! { <rect x="1.2" y="1.2" width="9.6" height="9.6" class="accent-line" /> }
        }
        Glyph::Circle => html! { <circle cx="6" cy="6" r="4.8" class="accent-line" /> },
        Glyph::Dot => html! { <circle cx="6" cy="6" r="5.5" style="fill:var(--accent)" /> },
        Glyph::None => return html! {},
    };
    html! { <svg width="12" height="12" aria-hidden="true">{ shape }</svg> }
}
