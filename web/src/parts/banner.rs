//! What went wrong: problems of something that came in, or a dead worker. The screen below stays.

use crate::ctx::use_page;
use crate::dom;
use crate::icons::icon;
use crate::layout::LayoutProps;
use schedscope_ui::action::Action;
use schedscope_ui::state::Changes;
use yew::prelude::*;

/// How many problems are shown at once.
const MOST: usize = 6;

/// The banner below the top bar.
#[component]
pub fn Banner(props: &LayoutProps) -> Html {
    let ctx = use_page(Changes::PROBLEMS.and(Changes::DOC));
    html! {
        <div class="banners">
            if let Some(crash) = &ctx.crash {
                <div class="ban" role="alert" id="crash">
                    <span class="sign">{ icon("warn", 18) }</span>
                    <div>
                        <h2 class="hd">{ format!("The simulator stopped at step {}", crash.step) }</h2>
                        <p class="tx">
                            { format!("The engine met a state that must not be: {} Your scenario is safe: “{}”, {}, seed {}. The picture \
                                below is the last good one.", sentence(&crash.message), crash.title,
                                crash.kernel, crash.seed) }
                        </p>
                    </div>
                    <div class="acts">
                        <button type="button" class="btn pri" onclick={
                            let restart = props.restart.clone();
                            Callback::from(move |_: MouseEvent| restart.emit(()))
                        }>{ "Start the engine again" }</button>
                        <button type="button" class="btn out" onclick={
                            let report = crash.report();
                            Callback::from(move |_: MouseEvent| dom::copy(&report))
                        }>{ "Copy report" }</button>
                    </div>
                </div>
            }
            if let Some(problems) = &ctx.problems {
                <div class="ban" role="alert" id="problems">
                    <span class="sign">{ icon("warn", 18) }</span>
                    <div>
                        <h2 class="hd">{ problems.title.clone() }</h2>
                        <ul class="tx">
                            { for problems.list.iter().take(MOST).enumerate().map(|(i, p)| html! {
                                <li key={i}>
                                    <b>{ match p.line {
                                        Some(line) if !p.place.starts_with("line") =>
                                            format!("Line {line}, {}: ", p.place),
                                        _ => format!("{}: ", p.place),
                                    } }</b>
                                    { p.sentence.clone() }
                                </li>
                            }) }
                            if problems.list.len() > MOST {
                                <li key="more">{ format!("… and {} more", problems.list.len() - MOST) }</li>
                            }
                        </ul>
                        if ctx.doc.is_some() && !problems.title.contains("the rest") {
                            <p class="note">{ "Nothing on the screen was changed." }</p>
                        }
                    </div>
                    <div class="acts">
                        <button type="button" class="btn out" onclick={ctx.on(Action::Dismiss)}>
                            { "Close" }
                        </button>
                    </div>
                </div>
            }
        </div>
    }
}

/// The last words of a worker, short enough for a banner.
fn sentence(message: &str) -> String {
    let line =
        message.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or("It gave no reason");
    let line = match message.lines().nth(1) {
        Some(next) if line.starts_with("panicked at") && !next.trim().is_empty() => {
            format!("{} ({})", next.trim(), line.trim_end_matches(':'))
        }
        _ => line.to_string(),
    };
    let short: String = line.chars().take(220).collect();
    if short.ends_with('.') { short } else { format!("{short}.") }
}
