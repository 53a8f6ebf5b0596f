//! The root: owns the state, the worker and the frame loop; everything else is drawn from the
//! state.

use crate::bridge::Bridge;
use crate::ctx::{Shared, Store};
use crate::message::{Ask, Reply};
use crate::places::{self, Opening};
use crate::{dom, gesture, layout};
use gloo::events::{EventListener, EventListenerOptions};
use schedscope_ui::action::{Action, Source, Start};
use schedscope_ui::clock::Clock;
use schedscope_ui::keys::{self, Key, Region, Wish};
use schedscope_ui::state::{AppState, Request, Viewport};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use yew::prelude::*;

/// What comes to the root.
#[derive(Debug)]
pub enum Message {
    /// Something that changes the state.
    Act(Action),
    /// The text of a prepared scene came, or why it did not; where to begin; its number.
    Text(Result<String, String>, Start, u32),
    /// The worker said something.
    Heard(Reply),
    /// A frame began; its time, ms.
    Frame(f64),
    /// A key was pressed.
    Key(web_sys::KeyboardEvent),
    /// The worker shall be started again.
    Restart,
    /// The address was changed by hand.
    Address,
}

/// The page.
pub struct App {
    store: Rc<Store>,
    bridge: Option<Bridge>,
    clock: Clock,
    opening: Opening,
    address: places::Address,
    bench: Option<String>,
    after_crash: bool,
    _listeners: Vec<EventListener>,
    frames: Closure<dyn FnMut(f64)>,
    /// Whether a frame has been asked for.
    awaited: bool,
    /// Whether what was drawn last has still to be followed (address, title, readiness).
    followed: bool,
    /// Whether the last frame was left out.
    held: bool,
    /// How many texts of prepared scenes have been fetched: only the last one counts.
    fetches: u32,
    /// Whether a text is on its way, and what shall be done once its scene is open.
    awaits_text: bool,
    later: Vec<Action>,
}

/// Mounts the page.
pub fn start() {
    crate::svg::keep_names();
    yew::Renderer::<App>::new().render();
}

impl Component for App {
    type Message = Message;
    type Properties = ();

    fn create(ctx: &Context<App>) -> App {
        if let Some(boot) = dom::find("#boot") {
            boot.remove();
        }
        let opening = Opening::of_address();
        let mut state = AppState::new();
        opening.prepare(&mut state);
        _ = state.apply(Action::Viewport(viewport()));
        let link = ctx.link().clone();
        let dispatch = Callback::from(move |action| link.send_message(Message::Act(action)));
        let frames = {
            let link = ctx.link().clone();
            Closure::new(move |now| link.send_message(Message::Frame(now)))
        };
        let mut app = App {
            store: Rc::new(Store::new(state, dispatch)),
            bridge: None,
            clock: Clock::default(),
            address: places::Address::default(),
            bench: opening.query.bench.then(|| "The benchmark runs …".to_string()),
            opening,
            after_crash: false,
            _listeners: listeners(ctx),
            frames,
            awaited: false,
            followed: false,
            held: false,
            fetches: 0,
            awaits_text: false,
            later: Vec::new(),
        };
        app.start_worker(ctx);
        app
    }

    fn update(&mut self, ctx: &Context<App>, message: Message) -> bool {
        match message {
            Message::Act(Action::Open(Source::Lab(id), start)) => self.fetch(ctx, id, start),
            Message::Act(action) => self.act(action),
            Message::Text(text, start, number) if number == self.fetches => {
                self.awaits_text = false;
                self.act(match text {
                    Ok(text) => Action::Open(Source::Text { text, name: String::new() }, start),
                    Err(why) => places::unread(why),
                });
                std::mem::take(&mut self.later).into_iter().for_each(|action| self.act(action));
            }
            Message::Text(..) => {}
            Message::Heard(reply) => return self.heard(ctx, reply),
            Message::Frame(now) => self.frame(now),
            Message::Key(event) => self.key(&event),
            Message::Restart => {
                self.after_crash = true;
                self.start_worker(ctx);
            }
            Message::Address => {
                for action in self.address.changed().into_iter().flatten() {
                    self.act(action);
                }
            }
        }
        // The parts of the page are drawn by the store, at the next frame.
        false
    }

    fn view(&self, ctx: &Context<App>) -> Html {
        if let Some(text) = &self.bench {
            return html! { <main class="bench"><h1>{ "Benchmark" }</h1><pre>{ text }</pre></main> };
        }
        let restart = ctx.link().callback(|()| Message::Restart);
        html! {
            <ContextProvider<Shared> context={Shared(self.store.clone())}>
                <layout::Layout {restart} />
            </ContextProvider<Shared>>
        }
    }

    fn rendered(&mut self, _: &Context<App>, _: bool) {
        self.followed = false;
        self.await_frame();
    }
}

impl App {
    fn start_worker(&mut self, ctx: &Context<App>) {
        let link = ctx.link().clone();
        // The old one, if there is one, ends when it is dropped.
        self.bridge = None;
        match Bridge::start(move |reply| link.send_message(Message::Heard(reply))) {
            Ok(bridge) => self.bridge = Some(bridge),
            Err(error) => {
                self.act(Action::Crashed(error));
            }
        }
    }

    /// Fetches the text of a prepared scene, then opens it.
    fn fetch(&mut self, ctx: &Context<App>, id: &str, start: Start) {
        self.fetches += 1;
        self.awaits_text = true;
        self.later.clear();
        let (link, number) = (ctx.link().clone(), self.fetches);
        dom::fetch_text(format!("lessons/{id}.md"), move |text| {
            link.send_message(Message::Text(text, start, number));
        });
    }

    fn act(&mut self, action: Action) {
        let requests = self.store.apply(action);
        self.send(requests);
        self.await_frame();
    }

    /// A frame begins: what is due is done, then what has changed is drawn. What follows from that
    /// waits for the frame after, when it is on the screen.
    fn frame(&mut self, now: f64) {
        self.awaited = false;
        let state = self.store.now();
        let due = self.clock.due(now, state.playing, state.by, state.pace);
        drop(state);
        if let Some(span) = due {
            self.act(Action::Due { span });
        }
        // A moment without its stretch of the timeline would be drawn twice: one frame is waited.
        self.held = !self.held && self.store.stale() && self.store.now().awaits_window();
        if self.held {
            self.await_frame();
        } else if self.store.stale() && self.store.draw() {
            self.followed = false;
        } else if !self.followed {
            self.followed = true;
            self.follow();
        }
        if !self.followed || self.store.now().playing {
            self.await_frame();
        }
    }

    fn await_frame(&mut self) {
        if !std::mem::replace(&mut self.awaited, true) {
            let frames = self.frames.as_ref().unchecked_ref();
            _ = dom::window().request_animation_frame(frames);
        }
    }

    /// What follows from what is on the screen: theme, title, address, files to save.
    fn follow(&mut self) {
        let state = self.store.now();
        places::show_theme(&state);
        self.address.follow(&state);
        if let Some(file) = &state.file {
            let kind = if file.0.ends_with(".json") { "application/json" } else { "text/plain" };
            dom::save(&file.0, &file.1, kind);
            self.act(Action::Saved);
        }
        let settled = !self.awaits_text && places::settled(&state, &self.opening);
        if self.opening.query.panic
            && settled
            && let Some(bridge) = &self.bridge
        {
            self.opening.query.panic = false;
            bridge.ask(&Ask::Panic);
        } else if settled || self.bench.is_some() {
            dom::set_data("ready", "1");
        }
    }

    fn send(&mut self, requests: Vec<Request>) {
        if let Some(bridge) = &mut self.bridge {
            requests.into_iter().for_each(|request| bridge.send(request));
        }
    }

    /// The worker said something; whether the page as a whole has to be drawn anew.
    fn heard(&mut self, ctx: &Context<App>, reply: Reply) -> bool {
        match reply {
            Reply::Ready if self.after_crash => {
                self.after_crash = false;
                self.act(Action::Restarted);
            }
            Reply::Ready => {
                if self.bench.is_some() {
                    if let Some(bridge) = &self.bridge {
                        bridge.ask(&Ask::Bench);
                    }
                } else if !self.opening.query.loading {
                    self.act(Action::EngineReady);
                    for action in self.opening.actions() {
                        match action {
                            Action::Open(Source::Lab(id), start) => self.fetch(ctx, id, start),
                            // What follows a scene is about that scene.
                            action if self.awaits_text => self.later.push(action),
                            action => self.act(action),
                        }
                    }
                }
            }
            Reply::Answer(id, update) => {
                let took = self.bridge.as_mut().map_or(0.0, |b| b.took(id));
                self.act(Action::Answer { id, update: Box::new(update), took });
            }
            Reply::Panic(message) if self.bench.is_some() => {
                self.bench = Some(message);
                return true;
            }
            Reply::Panic(message) => {
                // One that has died may still have an error event on its way.
                if self.store.now().crash.is_none() {
                    self.bridge = None;
                    self.act(Action::Crashed(message));
                }
            }
            Reply::Bench(text) => {
                self.bench = Some(text);
                return true;
            }
        }
        false
    }

    fn key(&mut self, event: &web_sys::KeyboardEvent) {
        if event.default_prevented() || event.is_composing() {
            return;
        }
        let state = self.store.now();
        let name = event.key();
        let ctrl = event.ctrl_key() || event.meta_key();
        let target = event.target();
        // A number that nobody is typing leaves undo to the page.
        let calm = ctrl && dom::is_within(target.clone(), "input.nf:not([data-draft])");
        if dom::types_text(target.clone()) && name != "Escape" && name != "F6" && !calm {
            return;
        }
        // In a dialog only Escape reaches the page; a slider or a list keeps its arrows.
        if state.dialog.is_some() && name != "Escape" {
            return;
        }
        let carrying = state.carry.as_ref().is_some_and(|c| c.keys);
        let moves = name.starts_with("Arrow") || name == "Home" || name == "End";
        if moves && !carrying && dom::takes_arrows(target.clone()) {
            return;
        }
        if (name == " " || name == "Enter") && !carrying && dom::is_button(target) {
            return;
        }
        let key = Key { name: &name, shift: event.shift_key(), ctrl, alt: event.alt_key() };
        let Some(wish) = keys::wish(key, &state) else { return };
        event.prevent_default();
        // A key that is held down repeats faster than moments come: those steps are left out.
        if event.repeat() && state.awaits_moment() {
            return;
        }
        drop(state);
        match wish {
            Wish::Act(action) => self.act(action),
            Wish::Focus(region) => dom::focus(match region {
                Region::Tasks => "#tasks [tabindex='0'], #tasks button",
                Region::Patterns => "#tasks .tile",
                Region::Machine => "#machine [tabindex='0']",
                Region::Timeline => "#timeline [tabindex='0']",
            }),
            Wish::Round(way) => gesture::go_round(way),
        }
    }
}

/// Size and kind of the window.
fn viewport() -> Viewport {
    let size = |v: Result<JsValue, JsValue>| v.ok().and_then(|v| v.as_f64()).unwrap_or(0.0) as f32;
    let window = dom::window();
    Viewport {
        width: size(window.inner_width()),
        height: size(window.inner_height()),
        coarse: dom::media("(pointer: coarse)"),
    }
}

/// What the page as a whole listens to.
fn listeners(ctx: &Context<App>) -> Vec<EventListener> {
    let window = dom::window();
    let on = |name: &'static str, message: fn(&Event) -> Option<Message>| {
        let link = ctx.link().clone();
        let options = EventListenerOptions::enable_prevent_default();
        EventListener::new_with_options(&window, name, options, move |event| {
            if let Some(message) = message(event) {
                link.send_message(message);
            }
        })
    };
    vec![
        on("keydown", |event| event.dyn_ref().cloned().map(Message::Key)),
        on("resize", |_| Some(Message::Act(Action::Viewport(viewport())))),
        on("hashchange", |_| Some(Message::Address)),
        on("dragover", |event| {
            event.prevent_default();
            None
        }),
        {
            let link = ctx.link().clone();
            let options = EventListenerOptions::enable_prevent_default();
            EventListener::new_with_options(&window, "drop", options, move |event| {
                event.prevent_default();
                let drag = event.dyn_ref::<web_sys::DragEvent>();
                let files = drag.and_then(|d| d.data_transfer()).and_then(|d| d.files());
                if let Some(file) = files.and_then(|f| f.get(0)) {
                    let link = link.clone();
                    places::open_file(&file, move |action| link.send_message(Message::Act(action)));
                }
            })
        },
    ]
}
