//! Present mode: one picture, one sentence, nothing smaller than 20 px.

use super::IconButton;
use super::checks::CheckList;
use super::decision::{Answer, DecisionPicture};
use super::lesson_bar::LessonBar;
use super::machine::MachinePanel;
use crate::ctx::use_page;
use crate::icons::mark;
use schedscope_ui::action::{Action, Way};
use schedscope_ui::format;
use schedscope_ui::state::{Changes, Mode, Tab};
use yew::prelude::*;

/// The page for a projector.
#[component]
pub fn PresentPage() -> Html {
    let ctx = use_page(Changes::MOMENT.and(Changes::TAB).and(Changes::DOC));
    let title = ctx.doc.as_ref().map_or_else(String::new, |d| d.title.clone());
    let place = ctx.tab == Tab::Placement;
    html! {
        <>
            <header id="banner" class="hero ptop">
                { mark(24) }<h1>{ title }</h1><span class="sp" />
                <IconButton icon="close" label="End the presentation" size=20
                    act={Some(Action::Mode(Mode::Main))} />
            </header>
            <main id="decision" class="hero stagehand">
                <LessonBar />
                if ctx.tab != Tab::Metrics { <Answer /> }
                if place {
                    <div class={classes!("pplace", ctx.decision().is_none().then_some("alone"))}>
                        <MachinePanel />
                        if ctx.decision().is_some() { <CheckList /> }
                    </div>
                } else {
                    <DecisionPicture />
                }
            </main>
            <footer><div class="hero pfoot" role="toolbar" aria-label="Transport">
                <IconButton icon="back" label="Step back" size=20 class="out" enabled={!ctx.at_start()}
                    act={Some(Action::Step(Way::Back))} />
                <IconButton icon="forward" label="Step forward" size=20 class="pri"
                    act={Some(Action::Step(Way::Forward))} />
                { dots(&ctx) }
                <span class="sp" />
                <span class="num">{ format!("CPU {}, t = {} ms", ctx.focus, format::clock(ctx.now())) }</span>
            </div></footer>
        </>
    }
}

/// One dot a check.
fn dots(ctx: &crate::ctx::Ctx) -> Html {
    let Some((i, n)) = ctx.check_of() else { return html! {} };
    html! {
        <>
            if n <= 16 {
                <span class="dots" aria-hidden="true">
                    { for (1..=n).map(|k| html! {
                        <i key={k} class={classes!((k <= i).then_some("on"), (k == i).then_some("cur"))} />
                    }) }
                </span>
            }
            <span>{ format!("check {i} of {n}") }</span>
        </>
    }
}
