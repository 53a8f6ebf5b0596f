//! The bar at the top: what runs on what, and what can be done with all of it.

use super::IconButton;
use super::choices::{BesideChoice, Choice, Item, KernelChoice, ScenarioChoice};
use crate::ctx::{Ctx, use_page};
use crate::icons::mark;
use crate::{dom, places};
use gloo::events::{EventListener, EventListenerOptions, EventListenerPhase};
use schedscope_session::Edit;
use schedscope_ui::action::Action;
use schedscope_ui::state::{Changes, Dialog, Frame, Mode, Theme};
use wasm_bindgen::JsCast;
use yew::prelude::*;

/// Machines that can be chosen: id and name.
pub const MACHINES: &[(&str, &str)] = &[
    ("cpu1", "1 CPU"),
    ("cpu2", "2 CPUs"),
    ("cpu4", "4 CPUs"),
    ("q6600", "Core 2 Quad Q6600"),
    ("desktop16", "8C/16T desktop"),
    ("intel-2x20", "2 × 20-core Intel"),
    ("zen3-nps1", "2 × EPYC Zen 3, NPS1"),
    ("zen3-nps2", "2 × EPYC Zen 3, NPS2"),
    ("zen3-nps4", "2 × EPYC Zen 3, NPS4"),
    ("power10", "Power10, SMT8"),
    ("kunpeng920-48", "Kunpeng 920, clusters"),
];

/// Stands for a machine of one's own.
const OWN: &str = "-own";

/// The heading of the page, for screen readers.
const HEADING: &str = "schedscope, a playground of the Linux CPU scheduler";

/// The bar.
#[component]
pub fn TopBar() -> Html {
    let ctx = use_page(Changes::FRAME.and(Changes::UNDO).and(Changes::THEME).and(Changes::DOC));
    let phone = ctx.viewport.frame() == Frame::Phone;
    let menu = use_state_eq(|| false);
    let undo = ctx.undo.last().map_or_else(|| "Undo".into(), |p| format!("Undo: {}", p.done));
    let redo = ctx.redo.last().map_or_else(|| "Redo".into(), |p| format!("Redo: {}", p.done));
    let dialog = |d| Some(Action::Dialog(Some(d)));
    let theme = {
        let ctx = ctx.clone();
        Callback::from(move |_: MouseEvent| {
            let next = if dark(&ctx) { Theme::Light } else { Theme::Dark };
            places::keep_theme(next);
            ctx.act(Action::Theme(next));
        })
    };
    let sun = if dark(&ctx) { "sun" } else { "moon" };
    let theme_label = if dark(&ctx) { "Light theme" } else { "Dark theme" };
    let ready = ctx.doc.is_some();
    let open_menu = {
        let menu = menu.clone();
        Callback::from(move |_: MouseEvent| menu.set(!*menu))
    };
    use_close(menu.clone());
    let narrow = ctx.viewport.frame() == Frame::Narrow;
    // What was chosen in the menu closes it; a list or a field there does not.
    let chosen = {
        let menu = menu.clone();
        Callback::from(move |event: MouseEvent| {
            if dom::is_within(event.target(), ".sheet > .btn") {
                menu.set(false);
            }
        })
    };
    let tasks = html! {
        <IconButton icon="rail" label="Tasks" text=true
            pressed={Some(ctx.panels.rail_hidden)} act={Some(Action::Rail(ctx.panels.rail_hidden))} />
    };
    // Where there is no room for all of it, the rest is in a menu.
    if phone || narrow {
        return html! {
            <header id="banner" class="top">
                <h1 class="sr">{ HEADING }</h1>
                <a class="brand" href="?empty" aria-label="schedscope, start page">{ mark(20) }</a>
                if narrow {
                    { tasks }<ScenarioChoice /><MachineChoice /><KernelChoice /><span class="sp" />
                } else {
                    <ScenarioChoice />
                }
                <IconButton icon="undo" label="Undo" title={undo} size=18
                    enabled={!ctx.undo.is_empty()} act={Some(Action::Undo)} />
                <IconButton icon="share" label="Share link" size=18 act={dialog(Dialog::Share)} />
                <IconButton icon="menu" label="Menu" size=18 pressed={Some(*menu)} on_press={open_menu} />
                if *menu {
                    <div class="sheet" role="group" aria-label="Menu" onclick={chosen}>
                        if phone { <MachineChoice /><KernelChoice /> }
                        <BesideChoice /><SeedChoice />
                        <IconButton icon="redo" label="Redo" text=true title={redo}
                            enabled={!ctx.redo.is_empty()} act={Some(Action::Redo)} />
                        <IconButton icon="labs" label="Labs" text=true act={dialog(Dialog::Labs)} />
                        <IconButton icon="tune" label="Kernel features" text=true enabled={ready}
                            act={dialog(Dialog::Kernel)} />
                        <IconButton icon="present" label="Present" text=true enabled={ready}
                            act={Some(Action::Mode(Mode::Present))} />
                        <IconButton icon="export" label="Export" text=true act={dialog(Dialog::Export)} />
                        <OpenFile text=true />
                        <IconButton icon={sun} label={theme_label} text=true on_press={theme} />
                        <IconButton icon="help" label="Keys and glossary" text=true act={dialog(Dialog::Help)} />
                        <IconButton icon="about" label="About the model" text=true act={dialog(Dialog::About)} />
                    </div>
                }
            </header>
        };
    }
    html! {
        <header id="banner" class="top">
            <h1 class="sr">{ HEADING }</h1>
            <a class="brand" href="?empty" aria-label="schedscope, start page">
                { mark(20) }<span class="lbl">{ "schedscope" }</span>
            </a>
            <ScenarioChoice /><MachineChoice /><KernelChoice /><BesideChoice /><SeedChoice />
            <span class="vr" />
            <IconButton icon="undo" label="Undo" title={undo} enabled={!ctx.undo.is_empty()}
                act={Some(Action::Undo)} />
            <IconButton icon="redo" label="Redo" title={redo} enabled={!ctx.redo.is_empty()}
                act={Some(Action::Redo)} />
            <span class="sp" />
            <IconButton icon="labs" label="Labs" text=true act={dialog(Dialog::Labs)} />
            <IconButton icon="present" label="Present" text=true enabled={ready}
                act={Some(Action::Mode(Mode::Present))} />
            <span class="vr" />
            <OpenFile text=false />
            <IconButton icon="share" label="Share link" enabled={ready} act={dialog(Dialog::Share)} />
            <IconButton icon="export" label="Export" enabled={ready} act={dialog(Dialog::Export)} />
            <IconButton icon={sun} label={theme_label} on_press={theme} />
            <IconButton icon="about" label="About the model" act={dialog(Dialog::About)} />
            <IconButton icon="help" label="Keys and glossary" act={dialog(Dialog::Help)} />
        </header>
    }
}

/// Escape and a press anywhere else close the menu.
#[hook]
fn use_close(menu: UseStateHandle<bool>) {
    use_effect_with(*menu, move |open| {
        let listeners = open.then(|| {
            let (page, by_key) = (dom::document(), menu.clone());
            // Before the page hears of the key: it has other uses for it.
            let options =
                EventListenerOptions { phase: EventListenerPhase::Capture, passive: false };
            let key = EventListener::new_with_options(&page, "keydown", options, move |event| {
                if event.dyn_ref::<KeyboardEvent>().is_some_and(|e| e.key() == "Escape") {
                    event.stop_propagation();
                    by_key.set(false);
                    dom::focus("[aria-label=Menu]");
                }
            });
            let press = EventListener::new(&page, "pointerdown", move |event| {
                if !dom::is_within(event.target(), ".sheet, [aria-label=Menu]") {
                    menu.set(false);
                }
            });
            (key, press)
        });
        move || drop(listeners)
    });
}

/// Whether the page is dark now.
fn dark(ctx: &Ctx) -> bool {
    match ctx.theme {
        Theme::Dark => true,
        Theme::Light => false,
        Theme::System => dom::media("(prefers-color-scheme: dark)"),
    }
}

#[derive(Properties, PartialEq)]
struct OpenFileProps {
    text: bool,
}

/// Opens a scenario, a lesson or a topology from a file.
#[component]
fn OpenFile(props: &OpenFileProps) -> Html {
    let ctx = use_page(Changes::NONE);
    let input = use_node_ref();
    let press = {
        let input = input.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(input) = input.cast::<web_sys::HtmlElement>() {
                input.click();
            }
        })
    };
    let change = Callback::from(move |event: Event| {
        let input: web_sys::HtmlInputElement = event.target_unchecked_into();
        if let Some(file) = input.files().and_then(|f| f.get(0)) {
            let ctx = ctx.clone();
            places::open_file(&file, move |action| ctx.act(action));
        }
        input.set_value("");
    });
    html! {
        <>
            <IconButton icon="open" label="Open a file" text={props.text} on_press={press}
                title="Open a scenario (.toml, .md) or a topology (lstopo XML, lscpu text); files can be dropped anywhere" />
            <input ref={input} class="sr" type="file" tabindex="-1" aria-hidden="true"
                accept=".toml,.md,.xml,.txt,.json" onchange={change} />
        </>
    }
}

/// Which machine.
#[component]
fn MachineChoice() -> Html {
    let ctx = use_page(Changes::DOC);
    let (id, name) = ctx
        .doc
        .as_ref()
        .map_or((String::new(), String::new()), |d| (d.machine.id.clone(), d.machine.name.clone()));
    let mut options: Vec<Item> = MACHINES.iter().map(|(id, name)| Item::new(*id, *name)).collect();
    if !MACHINES.iter().any(|(known, _)| *known == id) {
        let name = if name.is_empty() { "–".to_string() } else { name };
        options.insert(0, Item::new(id.clone(), name));
    }
    options.push(Item::new(OWN, "Build your own …"));
    let choose = {
        let ctx = ctx.clone();
        Callback::from(move |id: String| match id.as_str() {
            OWN => ctx.act(Action::Dialog(Some(Dialog::Machine))),
            _ => ctx.edit(Edit::Machine(id)),
        })
    };
    html! {
        <Choice label="machine" value={id} {options} on_choose={choose} enabled={ctx.doc.is_some()} />
    }
}

/// The seed of the run.
#[component]
fn SeedChoice() -> Html {
    let ctx = use_page(Changes::DOC);
    let seed = ctx.doc.as_ref().map_or(0, |d| d.seed);
    // What is being typed, whatever is drawn anew meanwhile.
    let draft = use_state_eq(|| None::<String>);
    let typed = {
        let draft = draft.clone();
        Callback::from(move |event: InputEvent| {
            let input: web_sys::HtmlInputElement = event.target_unchecked_into();
            draft.set(Some(input.value()));
        })
    };
    let change = {
        let (ctx, draft) = (ctx.clone(), draft.clone());
        Callback::from(move |event: Event| {
            let input: web_sys::HtmlInputElement = event.target_unchecked_into();
            draft.set(None);
            match input.value().trim().parse() {
                Ok(new) if new != seed => ctx.edit(Edit::Seed(new)),
                Ok(_) => {}
                Err(_) => ctx.act(Action::Say("A seed is a whole number from 0 on".into())),
            }
        })
    };
    let roll = {
        let ctx = ctx.clone();
        Callback::from(move |_: MouseEvent| {
            // Four digits: easy to say in a lecture.
            if let Ok(n) = getrandom::u32() {
                ctx.edit(Edit::Seed(u64::from(n % 9_000 + 1_000)));
            }
        })
    };
    html! {
        <span class="pick">
            <label class="dim" for="choose-seed">{ "seed" }</label>
            <input id="choose-seed" class="seed" type="text" inputmode="numeric"
                autocomplete="off" disabled={ctx.doc.is_none()} oninput={typed} onchange={change}
                value={(*draft).clone().unwrap_or_else(|| seed.to_string())} />
            <IconButton icon="dice" label="New seed" class="tight" enabled={ctx.doc.is_some()} on_press={roll} />
        </span>
    }
}
