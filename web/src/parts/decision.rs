//! The decision: tabs, the answer, its picture and its checks.

use super::checks::{CheckChips, CheckList};
use super::figures::MetricsView;
use super::lesson_bar::LessonBar;
use super::{IconButton, start, views};
use crate::chip::chip;
use crate::ctx::{Ctx, use_page};
use crate::measure::use_size;
use crate::svg::{Picture, act_on, light_up};
use schedscope_session::Goto;
use schedscope_session::update::DecisionKind;
use schedscope_ui::action::{Action, Way};
use schedscope_ui::narrate::{self, Answer as Answered};
use schedscope_ui::scene::Target;
use schedscope_ui::state::{ByStep, Changes, Frame, Phase, Tab, suits};
use schedscope_ui::view::axis::AxisMemory;
use schedscope_ui::{format, view};
use std::rc::Rc;
use yew::prelude::*;

/// Properties of the [`Tabs`].
#[derive(Properties, PartialEq)]
pub struct TabsProps {
    /// Whether panels are tabs too.
    #[prop_or_default]
    pub phone: bool,
}

/// The questions.
#[component]
pub fn Tabs(props: &TabsProps) -> Html {
    let ctx = use_page(Changes::TAB);
    let all: &[Tab] = if props.phone { &Tab::PHONE } else { &Tab::DECISION };
    let shown = if !props.phone && !all.contains(&ctx.tab) { Tab::Pick } else { ctx.tab };
    let key = {
        let (ctx, all) = (ctx.clone(), all.to_vec());
        Callback::from(move |event: KeyboardEvent| {
            let by: i32 = match event.key().as_str() {
                "ArrowRight" => 1,
                "ArrowLeft" => -1,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            let at = all.iter().position(|&t| t == shown).unwrap_or(0) as i32;
            let to = all[(at + by).rem_euclid(all.len() as i32) as usize];
            ctx.act(Action::Tab(to));
            crate::dom::focus(&format!("#tab-{}", to.id()));
        })
    };
    html! {
        <div class="tabs" role="tablist" aria-label="Decision" data-arrows="1" onkeydown={key}>
            { for all.iter().map(|&tab| {
                let on = tab == shown;
                html! {
                    <button key={tab.id()} id={format!("tab-{}", tab.id())} type="button" class="tab" role="tab"
                        aria-selected={on.to_string()} tabindex={if on { "0" } else { "-1" }}
                        aria-controls="panel" onclick={ctx.on::<MouseEvent>(Action::Tab(tab))}>
                        { tab.label(props.phone) }
                    </button>
                }
            }) }
        </div>
    }
}

/// Properties of an [`Answer`].
#[derive(Properties, PartialEq)]
pub struct AnswerProps {
    /// How many lines the sentence has room for: the block has a fixed height, so that the picture
    /// below never moves.
    #[prop_or(2)]
    pub lines: u8,
}

/// The answer: a heading and a sentence.
#[component]
pub fn Answer(props: &AnswerProps) -> Html {
    let ctx = use_page(Changes::MOMENT.and(Changes::TAB).and(Changes::DOC));
    let supposed = ctx.supposed_decision();
    let answer = supposed.map_or_else(
        || narrate::answer(&ctx),
        |d| Answered {
            heading: format!("What if: {}", d.heading),
            sentence: format!("{} Let go to make it so, from here on.", d.sentence),
            task: d.task,
        },
    );
    let face = views::roster(&ctx).zip(answer.task).and_then(|(roster, task)| {
        let row = roster.row(task)?;
        Some(chip(row, &roster.label(task), 24.0))
    });
    html! {
        <div class={classes!("ans", format!("lines-{}", props.lines))}>
            <h2 class="hd" title={answer.heading.clone()}>{ face }<span>{ answer.heading.clone() }</span></h2>
            <p class="tx" title={answer.sentence.clone()}>{ answer.sentence.clone() }</p>
        </div>
    }
}

/// One line above the answer: what is decided, when, why.
fn meta(ctx: &Ctx) -> Html {
    let Some(moment) = &ctx.moment else { return html! { <div class="meta" /> } };
    let decision = ctx.decision();
    let roster = views::roster(ctx);
    if ctx.tab == Tab::Metrics {
        return super::figures::meta(ctx);
    }
    let what = match decision {
        Some(d) => match (d.kind, roster.zip(d.task)) {
            (DecisionKind::Pick, _) => format!("Pick on CPU {}", d.cpu),
            (DecisionKind::Preemption, Some((r, t))) => {
                format!("{} woke on CPU {}: preempt?", r.label(t), d.cpu)
            }
            (DecisionKind::Placement, Some((r, t))) => format!("{} wakes", r.label(t)),
            (DecisionKind::ForkPlacement, Some((r, t))) => format!("{} starts", r.label(t)),
            (DecisionKind::Balance, _) => format!("Balancing for CPU {}", d.cpu),
            (_, None) => format!("CPU {}", d.cpu),
        },
        None => format!("Queue of CPU {}", ctx.focus),
    };
    let cause = decision.map(|d| d.cause.clone()).filter(|c| !c.is_empty());
    let others = moment.decisions.len();
    html! {
        <div class="meta">
            <span>{ what }</span>
            <span class="num">{ format!("t = {} ms", format::absolute(moment.now)) }</span>
            if let Some(cause) = cause { <span class="cut">{ format!("cause: {cause}") }</span> }
            if others > 1 { <OfStep /> }
        </div>
    }
}

/// How many decisions of a step are shown at once.
const SHOWN: usize = 4;

/// The decisions of the step, to go from one to the other.
#[component]
fn OfStep() -> Html {
    let ctx = use_page(Changes::MOMENT.and(Changes::TAB));
    let Some(moment) = ctx.moment.clone() else { return html! {} };
    let all = moment.decisions.len();
    let first = ctx.cursor.decision.saturating_sub(SHOWN / 2).min(all.saturating_sub(SHOWN));
    html! {
        <span class="ofstep" role="group" aria-label="Decisions of this step">
            if first > 0 { <span aria-hidden="true">{ "…" }</span> }
            { for moment.decisions.iter().enumerate().skip(first).take(SHOWN).map(|(i, d)| {
                let here = i == ctx.cursor.decision && ctx.decision().is_some();
                let (sign, word) = match d.kind {
                    DecisionKind::Pick => ("●", "pick"),
                    DecisionKind::Preemption => ("▾", "preemption"),
                    DecisionKind::Placement | DecisionKind::ForkPlacement => ("◆", "placement"),
                    DecisionKind::Balance => ("⇄", "balancing"),
                };
                let label = format!("Decision {} of {all}: {word} on CPU {}", i + 1, d.cpu);
                html! {
                    <button key={i} type="button" aria-pressed={here.to_string()} title={label.clone()}
                        aria-label={label} onclick={ctx.on::<MouseEvent>(Action::ToDecision(i))}>{ sign }</button>
                }
            }) }
            if first + SHOWN < all { <span aria-hidden="true">{ "…" }</span> }
        </span>
    }
}

/// The panel on the right.
#[component]
pub fn DecisionPanel() -> Html {
    let ctx = use_page(
        Changes::MOMENT
            .and(Changes::TAB)
            .and(Changes::DOC)
            .and(Changes::FRAME)
            .and(Changes::METRICS),
    );
    let tab = if Tab::DECISION.contains(&ctx.tab) { ctx.tab } else { Tab::Pick };
    let phone = ctx.viewport.frame() == Frame::Phone;
    let body = match ctx.phase {
        Phase::Starting | Phase::Opening => start::loading(&ctx),
        Phase::Empty => html! { <start::Questions /> },
        Phase::Ready if ctx.doc.as_ref().is_some_and(|d| d.rows.is_empty()) => {
            html! { <start::Questions /> }
        }
        Phase::Ready => content(&ctx, tab),
    };
    html! {
        <section id={(!phone).then_some("decision")} class="panel" aria-label="Decision">
            if !phone {
                <div class="tabline">
                    <Tabs />
                    <span class="sp" />
                    <IconButton icon="table" label="Tables instead of pictures" title="Tables instead of pictures (Alt T)"
                        pressed={Some(ctx.panels.tables)} act={Some(Action::Tables(!ctx.panels.tables))} />
                </div>
                <LessonBar />
            }
            if phone {
                <div class="insp">{ body }</div>
            } else {
                <div id="panel" class="insp" role="tabpanel" aria-labelledby={format!("tab-{}", tab.id())}>
                    { body }
                </div>
            }
        </section>
    }
}

fn content(ctx: &Ctx, tab: Tab) -> Html {
    match tab {
        Tab::Placement => html! {
            <>
                { meta(ctx) }
                <Answer lines=3 />
                if ctx.decision().is_some() {
                    if groups(ctx) { <DecisionPicture /> }
                    <CheckList />
                } else {
                    { nearest(ctx) }
                }
            </>
        },
        Tab::Metrics => html! { <>{ meta(ctx) }<MetricsView /></> },
        _ => html! {
            <>
                { meta(ctx) }
                <Answer lines={if ctx.viewport.width < 1330.0 { 3 } else { 2 }} />
                <DecisionPicture />
                if ctx.decision().is_some() { <CheckChips /> } else { { nearest(ctx) } }
            </>
        },
    }
}

/// Whether groups of CPUs were compared.
fn groups(ctx: &Ctx) -> bool {
    use schedscope_session::update::Picture as Figures;
    matches!(ctx.decision().map(|d| &d.picture), Some(Figures::Groups(_)))
}

/// Where this tab has no decision: the way to the nearest ones.
fn nearest(ctx: &Ctx) -> Html {
    let word = match ctx.tab {
        Tab::Pick | Tab::Tree => "pick",
        _ => "placement",
    };
    let here = ctx.moment.as_ref().and_then(|m| {
        m.decisions.iter().position(|d| !suits(ctx.tab, d.kind)).map(|i| (i, m.decisions[i].kind))
    });
    let step = |way| ctx.on::<MouseEvent>(Action::StepBy(way, ByStep::Decision));
    html! {
        <div class="nearest">
            <button type="button" class="btn out" disabled={ctx.at_start()} onclick={step(Way::Back)}>
                { format!("Previous {word}") }
            </button>
            <button type="button" class="btn out" onclick={step(Way::Forward)}>
                { format!("Next {word}") }
            </button>
            if let Some((i, kind)) = here {
                <button type="button" class="btn" onclick={ctx.on::<MouseEvent>(Action::ToDecision(i))}>
                    { match kind {
                        DecisionKind::Pick => "See the pick of this step",
                        DecisionKind::Preemption => "See the preemption test of this step",
                        DecisionKind::Placement => "See the placement of this step",
                        DecisionKind::ForkPlacement => "See where the new task goes",
                        DecisionKind::Balance => "See the balancing of this step",
                    } }
                </button>
            }
        </div>
    }
}

/// What the picture shows of the state.
const PICTURE: Changes = Changes::MOMENT
    .and(Changes::TAB)
    .and(Changes::DOC)
    .and(Changes::FRAME)
    .and(Changes::METRICS)
    .and(Changes::BESIDE)
    .and(Changes::SELECTED)
    .and(Changes::HOVER);

/// The picture, as large as there is room.
#[component]
pub fn DecisionPicture() -> Html {
    let ctx = use_page(PICTURE);
    let node = use_node_ref();
    let (width, height) = use_size(node.clone());
    let axis = use_mut_ref(AxisMemory::default);
    let open = use_state_eq(|| false);
    if ctx.panels.tables {
        return html! { <div class="pic" ref={node}><PickTable /></div> };
    }
    let scene = (width > 0.0)
        .then(|| views::decision_scene(&ctx, &mut axis.borrow_mut(), *open, width, height))
        .flatten();
    let hit = {
        let (ctx, open) = (ctx.clone(), open.clone());
        Callback::from(move |target: Target| match target {
            Target::Named(view::pick::FOLD) => open.set(!*open),
            target => act_on(&ctx, &target),
        })
    };
    let over = {
        let ctx = ctx.clone();
        Callback::from(move |target: Option<Target>| light_up(&ctx, target.as_ref()))
    };
    html! {
        <div class={classes!("pic", groups(&ctx).then_some("groups"))} ref={node}>
            if let Some(scene) = scene {
                <Picture scene={Rc::new(scene)} label={narrate::answer(&ctx).heading} on_hit={hit} on_over={over} />
            }
        </div>
    }
}

/// The same figures as a table.
#[component]
fn PickTable() -> Html {
    use schedscope_session::update::Picture as Figures;
    let ctx = use_page(Changes::MOMENT.and(Changes::TAB).and(Changes::DOC));
    let Some(roster) = views::roster(&ctx) else { return html! {} };
    let decision = ctx.decision();
    let checks = decision.map(|d| d.checks.as_slice());
    let picture = match decision.map(|d| &d.picture) {
        Some(Figures::Pick(picture)) => picture,
        _ => match &roster.moment.queue {
            Some(queue) => queue,
            None => return html! {},
        },
    };
    let rows = view::pick::table(picture, checks, ctx.cursor.check, &roster);
    html! {
        <div class="scroll" tabindex="0" role="region" aria-label="Figures of the queue">
            <table class="tb">
                <caption>{ view::pick::caption(picture) }</caption>
                <thead><tr>
                    <th scope="col">{ "task" }</th>
                    { for view::pick::TITLES.iter().map(|t| html! { <th key={*t} scope="col">{ *t }</th> }) }
                </tr></thead>
                <tbody>
                    { for rows.iter().enumerate().map(|(i, row)| html! {
                        <>
                        if let Some(section) = &row.section {
                            <tr><th class="section" scope="rowgroup" colspan="8">{ section.clone() }</th></tr>
                        }
                        <tr key={i} class={classes!(row.picked.then_some("chosen"))}>
                            <td class="who">
                                { roster.row(row.task).map(|known| chip(known, &row.label, 20.0)) }
                                { row.name.clone() }
                            </td>
                            { for row.cells().iter().enumerate().map(|(k, cell)| html! {
                                <td key={k}>{ (*cell).to_string() }</td>
                            }) }
                        </tr>
                        </>
                    }) }
                </tbody>
            </table>
        </div>
    }
}

/// Answer, picture and checks on a phone.
#[component]
pub fn PhonePanel() -> Html {
    let ctx = use_page(Changes::MOMENT.and(Changes::TAB).and(Changes::DOC).and(Changes::FRAME));
    html! { <><LessonBar />{ phone_content(&ctx) }</> }
}

fn phone_content(ctx: &Ctx) -> Html {
    match ctx.tab {
        Tab::Placement => html! {
            <>
                <Answer lines=3 />
                <div class="phone-machine"><super::machine::MachinePanel /></div>
                if ctx.decision().is_some() { <CheckList /> } else { { nearest(ctx) } }
            </>
        },
        Tab::Metrics => html! { <MetricsView /> },
        _ => html! {
            <>
                <Answer lines=3 />
                <DecisionPicture />
                if ctx.decision().is_some() { <CheckChips /> } else { { nearest(ctx) } }
            </>
        },
    }
}

/// Goes to a step.
pub fn go_to(ctx: &Ctx, step: u64) {
    ctx.act(Action::Goto(Goto::Step(step)));
}
