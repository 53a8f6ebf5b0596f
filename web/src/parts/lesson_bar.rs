//! A lesson above the decision: its prose, its question, the way on.

use crate::ctx::use_page;
use crate::dialogs::markdown;
use schedscope_ui::action::{Action, Way};
use schedscope_ui::state::Changes;
use yew::prelude::*;

/// The step of the lesson, if one is gone through.
#[component]
pub fn LessonBar() -> Html {
    let ctx = use_page(Changes::LESSON);
    let typed = use_node_ref();
    let Some(lesson) = &ctx.lesson else { return html! {} };
    let Some(step) = lesson.now() else { return html! {} };
    let (at, of) = (lesson.step + 1, lesson.steps().len());
    let answer = {
        let (ctx, typed) = (ctx.clone(), typed.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            if let Some(input) = typed.cast::<web_sys::HtmlInputElement>()
                && !input.value().trim().is_empty()
            {
                ctx.act(Action::Predict(input.value()));
            }
        })
    };
    let options = lesson.options();
    html! {
        <section class="lesson" aria-label="Lesson">
            <div class="lessonhead">
                <h2>{ step.heading.clone() }</h2>
                <span class="note">{ format!("{at} of {of}") }</span>
                <span class="sp" />
                <button type="button" class="btn out" disabled={at == 1} onclick={ctx.on::<MouseEvent>(Action::Page(Way::Back))}>
                    { "Back" }
                </button>
                if at < of {
                    <button type="button" class="btn pri" onclick={ctx.on::<MouseEvent>(Action::Page(Way::Forward))}>
                        { "Next" }
                    </button>
                } else {
                    <button type="button" class="btn out" onclick={ctx.on::<MouseEvent>(Action::EndLesson)}>{ "Done" }</button>
                }
            </div>
            <div class="lessontext">{ markdown::show(&step.text) }</div>
            if let Some(question) = &step.question {
                if let Some(reply) = lesson.reply() {
                    <p class="reply" role="status">{ reply }</p>
                } else if !options.is_empty() {
                    <div class="ask" role="group" aria-label={question.prompt.clone()}>
                        <b>{ question.prompt.clone() }</b>
                        { for options.iter().map(|option| html! {
                            <button key={option.clone()} type="button" class="btn out"
                                onclick={ctx.on::<MouseEvent>(Action::Predict(option.clone()))}>{ option.clone() }</button>
                        }) }
                    </div>
                } else {
                    <form class="ask" onsubmit={answer}>
                        <label for="lesson-answer">{ question.prompt.clone() }</label>
                        <input id="lesson-answer" ref={typed} key={at} class="field" type="text" autocomplete="off"
                            placeholder={question.hint()} />
                        <button type="submit" class="btn out">{ "Answer" }</button>
                    </form>
                }
            }
        </section>
    }
}
