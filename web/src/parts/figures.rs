//! Figures over the run: a picture or tables, and those of a second kernel beside them.

use super::decision::DecisionPicture;
use super::views;
use crate::ctx::{Ctx, use_page};
use schedscope_ui::action::Action;
use schedscope_ui::state::Changes;
use schedscope_ui::{format, view};
use yew::prelude::*;

/// What the figures show of the state.
const READS: Changes = Changes::METRICS.and(Changes::DOC).and(Changes::FRAME).and(Changes::BESIDE);

/// One line above the figures: up to when they count, and the choice of it.
pub fn meta(ctx: &Ctx) -> Html {
    let upto = ctx.metrics.as_ref().map_or_else(|| ctx.now(), |metrics| metrics.upto);
    let choice = |on: bool, words: &'static str| {
        let pressed = (ctx.whole_run == on).to_string();
        html! {
            <button type="button" class="btn small" aria-pressed={pressed}
                onclick={ctx.on::<MouseEvent>(Action::WholeRun(on))}>{ words }</button>
        }
    };
    html! {
        <div class="meta">
            <span>{ "Counted from 0 to" }</span>
            <span class="num">{ format!("{} ms", format::clock(upto)) }</span>
            <span class="seg" role="group" aria-label="Up to when to count">
                { choice(false, "up to the playhead") }
                { choice(true, "all that was simulated") }
            </span>
        </div>
    }
}

fn head(titles: &[String]) -> Html {
    html! {
        <thead><tr>{ for titles.iter().map(|t| html! { <th key={t.clone()} scope="col">{ t.clone() }</th> }) }</tr></thead>
    }
}

/// The same figures of two kernels, with the second's by the first's.
fn compared(ctx: &Ctx) -> Option<Html> {
    let (first, roster) = (ctx.metrics.as_ref()?, views::roster(ctx)?);
    let beside = ctx.beside.as_ref()?;
    let (second, told) = (beside.metrics.as_ref()?, beside.told.as_ref()?);
    let [figure, ratio] = view::metrics::COMPARED.map(str::to_owned);
    let titles = [figure, roster.loaded.kernel.name.clone(), told.name.clone(), ratio];
    let lines = view::metrics::compare(first, second, &roster);
    Some(html! {
        <table class="tb">
            { head(&titles) }
            <tbody>
                { for lines.into_iter().enumerate().map(|(i, line)| html! {
                    <tr key={i}>
                        <th scope="row">{ line.name }</th>
                        <td class="num">{ line.first }</td><td class="num">{ line.second }</td><td class="num">{ line.ratio }</td>
                    </tr>
                }) }
            </tbody>
        </table>
    })
}

/// Where the two kernels differ: the ways there, and what it is in a sentence.
fn difference(ctx: &Ctx) -> Option<Html> {
    let second = ctx.beside.as_ref()?;
    let found = second.difference.as_deref();
    let go = |next: bool, words: &'static str| {
        html! {
            <button type="button" class="btn out"
                onclick={ctx.on::<MouseEvent>(Action::Difference { next })}>{ words }</button>
        }
    };
    Some(html! {
        <div class="differ">
            <p class="nearest">
                { go(false, "Go to the first difference") }
                if found.is_some_and(|found| found.place.is_some()) { { go(true, "next") } }
            </p>
            if let Some(found) = found {
                <p class="tx">{ found.sentence.clone() }</p>
                <dl class="facts">
                    { for found.why.iter().map(|(kernel, why)| html! {
                        <><dt>{ kernel.clone() }</dt><dd>{ why.clone() }</dd></>
                    }) }
                </dl>
            }
        </div>
    })
}

/// The figures of the tab.
#[component]
pub fn MetricsView() -> Html {
    let ctx = use_page(READS);
    let (Some(metrics), Some(roster)) = (ctx.metrics.clone(), views::roster(&ctx)) else {
        return html! { <p class="note">{ "Counting …" }</p> };
    };
    let compared = compared(&ctx);
    if !ctx.panels.tables && compared.is_none() {
        return html! { <DecisionPicture /> };
    }
    let rows = view::metrics::table(&metrics, &roster);
    let machine = view::metrics::machine_table(&metrics, &roster);
    html! {
        <div class="scroll metrics" tabindex="0" role="region" aria-label="Figures">
            { difference(&ctx) }
            if !ctx.panels.tables { <DecisionPicture /> }
            if let Some(compared) = compared { { compared } }
            if ctx.panels.tables {
                <dl class="facts">
                    { for view::metrics::counters(&metrics).into_iter().map(|(name, value)| html! {
                        <><dt>{ name }</dt><dd class="num">{ value }</dd></>
                    }) }
                </dl>
                <table class="tb">
                    { head(&view::metrics::TITLES.map(str::to_owned)) }
                    <tbody>
                        { for rows.iter().enumerate().map(|(i, row)| html! {
                            <tr key={i}>
                                <td>{ row.name.clone() }</td>
                                { for row.cells.iter().enumerate().map(|(k, cell)| html! { <td key={k}>{ cell.clone() }</td> }) }
                            </tr>
                        }) }
                    </tbody>
                </table>
                <table class="tb">
                    { head(&view::metrics::MACHINE_TITLES.map(str::to_owned)) }
                    <tbody>
                        { for machine.iter().enumerate().map(|(i, line)| html! {
                            <tr key={i}>{ for line.iter().enumerate().map(|(k, cell)| html! { <td key={k}>{ cell.clone() }</td> }) }</tr>
                        }) }
                    </tbody>
                </table>
            }
        </div>
    }
}
