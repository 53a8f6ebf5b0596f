//! Inside another page: the answer, one picture, steps, and the way to the whole page.

use super::IconButton;
use super::checks::CheckList;
use super::decision::{Answer, DecisionPicture};
use super::start;
use crate::ctx::use_page;
use crate::icons::{icon, mark};
use crate::places;
use schedscope_ui::action::{Action, Way};
use schedscope_ui::state::{Changes, Phase, Tab};
use yew::prelude::*;

/// The embedded page.
#[component]
pub fn EmbedPage() -> Html {
    let ctx = use_page(Changes::ALL);
    let title = ctx.doc.as_ref().map_or_else(String::new, |d| d.title.clone());
    let full = places::address_of(&ctx).unwrap_or_else(|| "?".into());
    let (i, n) = ctx.check_of().unwrap_or((1, 1));
    let slide = {
        let ctx = ctx.clone();
        Callback::from(move |event: InputEvent| {
            let input: web_sys::HtmlInputElement = event.target_unchecked_into();
            ctx.act(Action::ToCheck(input.value_as_number().max(1.0) as usize - 1));
        })
    };
    let play = if ctx.playing { ("pause", "Pause") } else { ("play", "Play") };
    html! {
        <>
            <header id="banner" class="etop">
                { mark(18) }<h1>{ title }</h1><span class="sp" />
                <a class="link" href={full} target="_blank" rel="noopener">{ "Open in schedscope" }{ icon("outside", 14) }</a>
            </header>
            <main id="decision" class="ebody">
                if ctx.phase == Phase::Ready {
                    <Answer />
                    if ctx.tab == Tab::Placement { <CheckList /> } else { <DecisionPicture /> }
                } else {
                    { start::loading(&ctx) }
                }
            </main>
            <footer><div class="trans" role="toolbar" aria-label="Transport">
                <IconButton icon="back" label="Step back" enabled={!ctx.at_start()}
                    act={Some(Action::Step(Way::Back))} />
                <IconButton icon={play.0} label={play.1} class="pri" act={Some(Action::TogglePlay)} />
                <IconButton icon="forward" label="Step forward" act={Some(Action::Step(Way::Forward))} />
                <input class="eslide" type="range" aria-label="Check" min="1" max={n.to_string()}
                    value={i.to_string()} oninput={slide} />
                <span class="note">{ format!("check {i} of {n}") }</span>
            </div></footer>
        </>
    }
}
