//! How the parts lie on the page: by mode and by the width of the window (DESIGN §2, §11).

use crate::chip;
use crate::ctx::use_page;
use crate::dialogs::Dialogs;
use crate::parts::banner::Banner;
use crate::parts::decision::{Answer, DecisionPanel, PhonePanel};
use crate::parts::embed::EmbedPage;
use crate::parts::live::Live;
use crate::parts::machine::MachinePanel;
use crate::parts::present::PresentPage;
use crate::parts::tasks::TaskPanel;
use crate::parts::timeline::Timeline;
use crate::parts::top_bar::TopBar;
use crate::parts::transport::Transport;
use crate::parts::{Ghost, start};
use schedscope_ui::state::{Changes, Frame, Mode, Phase, Tab};
use yew::prelude::*;

/// Properties of the [`Layout`].
#[derive(Properties, PartialEq)]
pub struct LayoutProps {
    /// Starts the worker again.
    pub restart: Callback<()>,
}

/// The whole page.
#[component]
pub fn Layout(props: &LayoutProps) -> Html {
    let ctx = use_page(Changes::FRAME.and(Changes::DOC).and(Changes::CARRY));
    let frame = ctx.viewport.frame();
    let shown = match ctx.mode {
        Mode::Present if ctx.doc.is_some() => html! { <PresentPage /> },
        Mode::Embed => html! { <EmbedPage /> },
        _ => match frame {
            Frame::Phone => html! { <Phone restart={props.restart.clone()} /> },
            _ => html! { <Desk restart={props.restart.clone()} /> },
        },
    };
    let mode = match (ctx.mode, frame) {
        (Mode::Present, _) => "present",
        (Mode::Embed, _) => "embed",
        (_, Frame::Phone) => "phone",
        (_, Frame::Narrow) => "narrow",
        (_, Frame::Wide) => "wide",
    };
    html! {
        <div id="app" class={mode} data-phase={format!("{:?}", ctx.phase)}
            data-carry={ctx.carry.is_some().to_string()}>
            { chip::patterns() }
            { shown }
            <Live />
            <Ghost />
            <Dialogs />
        </div>
    }
}

/// Three columns over the dock; below 1024 px two, with the tasks in a drawer.
#[component]
fn Desk(props: &LayoutProps) -> Html {
    let ctx = use_page(Changes::FRAME.and(Changes::TAB));
    let narrow = ctx.viewport.frame() == Frame::Narrow;
    let split = ctx.panels.machine_width(ctx.tab, ctx.viewport);
    // In a narrow window the rail is a drawer that is put away at first.
    let rail = ctx.panels.rail_hidden == narrow;
    let style = if narrow {
        String::new()
    } else {
        format!("--split:{split}px;--rail:{}px", if rail { 280 } else { 0 })
    };
    html! {
        <>
            <TopBar />
            <Banner restart={props.restart.clone()} />
            <main class="work" style={style}>
                <div class={classes!("slot", "rail", (!rail).then_some("away"))}>
                    if rail { <TaskPanel /> }
                </div>
                <div class="slot"><MachinePanel /></div>
                <div class="slot"><DecisionPanel /></div>
            </main>
            <section id="timeline" class="dock" aria-label="Timeline">
                <Transport />
                <div class="lanes">
                    if ctx.phase == Phase::Ready {
                        <Timeline />
                    } else {
                        { start::empty_timeline(&ctx) }
                    }
                </div>
            </section>
        </>
    }
}

/// One column with tabs.
#[component]
fn Phone(props: &LayoutProps) -> Html {
    let ctx = use_page(Changes::FRAME.and(Changes::TAB).and(Changes::DOC));
    let body = match ctx.tab {
        tab if ctx.doc.as_ref().is_none_or(|d| d.rows.is_empty() && tab != Tab::Tasks) => {
            html! { <DecisionPanel /> }
        }
        Tab::Tasks => html! { <TaskPanel /> },
        Tab::Machine => html! { <><Answer lines=3 /><MachinePanel /></> },
        _ => html! { <PhonePanel /> },
    };
    html! {
        <>
            <TopBar />
            <Banner restart={props.restart.clone()} />
            <nav aria-label="Questions and panels"><crate::parts::decision::Tabs phone=true /></nav>
            <main id="decision" class="phone-main">
                <div id="panel" class="phone-body" role="tabpanel" aria-labelledby={format!("tab-{}", ctx.tab.id())}>
                    { body }
                </div>
            </main>
            <section id="timeline" class="dock" aria-label="Timeline">
                // What the panel above cuts off lies over its ruler.
                <div class="lanes" data-overlap-ok="">
                    if ctx.phase == Phase::Ready { <Timeline strip=true /> }
                </div>
                <Transport />
            </section>
        </>
    }
}
