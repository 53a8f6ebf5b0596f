//! Pointers and focus that go across the page: carrying cards, going round the regions.

use crate::ctx::Ctx;
use crate::dom;
use gloo::timers::callback::Timeout;
use schedscope_ui::action::{Action, Load, Way};
use web_sys::PointerEvent;
use yew::prelude::*;

/// How far a pointer must move before it carries, px.
const SLACK: f64 = 5.0;
/// How long a finger must rest before it carries, ms.
const PRESS_MS: u32 = 350;
/// How long a card must rest on a CPU before that toggles the pin, ms.
const REST_MS: u32 = 600;
/// How long it must rest over small cells before they are drawn large, ms.
const NEAR_MS: u32 = 250;

/// Where the ghost of a card is drawn; moved without the state.
pub const GHOST: &str = "#ghost";

#[derive(Default)]
struct Hold {
    from: Option<(f64, f64)>,
    carrying: bool,
    press: Option<Timeout>,
    rest: Option<Timeout>,
    near: Option<Timeout>,
    over: Option<u16>,
    place: Option<String>,
    moved: bool,
}

/// The events of a thing that can be carried.
#[derive(Clone, PartialEq)]
pub struct Handle {
    /// For `onpointerdown`.
    pub down: Callback<PointerEvent>,
    /// For `onpointermove`.
    pub movement: Callback<PointerEvent>,
    /// For `onpointerup`.
    pub up: Callback<PointerEvent>,
    /// For `onpointercancel`.
    pub cancel: Callback<PointerEvent>,
    /// Whether the last press ended as a carry: then it was no click.
    pub carried: Callback<(), bool>,
}

/// Makes a thing that can be carried by mouse, pen or finger.
#[hook]
pub fn use_handle(ctx: &Ctx, load: Load, node: NodeRef) -> Handle {
    let hold = use_mut_ref(Hold::default);
    let dispatch = ctx.dispatch.clone();
    let start = {
        let (dispatch, load) = (dispatch.clone(), load.clone());
        move || dispatch.emit(Action::PickUp { load: load.clone(), keys: false })
    };
    let down = {
        let (hold, start, node) = (hold.clone(), start.clone(), node.clone());
        Callback::from(move |event: PointerEvent| {
            let text = dom::types_text(event.target());
            if event.button() != 0 || text || dom::is_control(event.target()) {
                return;
            }
            let at = (f64::from(event.client_x()), f64::from(event.client_y()));
            let mut h = hold.borrow_mut();
            *h = Hold { from: Some(at), ..Hold::default() };
            // The first move may be far away already.
            if event.pointer_type() != "touch" {
                capture(&node, event.pointer_id());
            }
            if event.pointer_type() == "touch" {
                let (hold, start) = (hold.clone(), start.clone());
                let node = node.clone();
                let pointer = event.pointer_id();
                h.press = Some(Timeout::new(PRESS_MS, move || {
                    capture(&node, pointer);
                    hold.borrow_mut().carrying = true;
                    place_ghost(at.0, at.1);
                    start();
                }));
            }
        })
    };
    let movement = {
        let (hold, start, dispatch, ctx) = (hold.clone(), start, dispatch.clone(), ctx.clone());
        Callback::from(move |event: PointerEvent| {
            let at = (f64::from(event.client_x()), f64::from(event.client_y()));
            let mut h = hold.borrow_mut();
            let Some(from) = h.from else { return };
            let far = (at.0 - from.0).hypot(at.1 - from.1) > SLACK;
            if !h.carrying {
                if !far {
                    return;
                }
                if event.pointer_type() == "touch" {
                    // A finger that moves at once scrolls.
                    *h = Hold::default();
                    return;
                }
                h.carrying = true;
                drop(h);
                start();
                h = hold.borrow_mut();
            }
            h.moved |= far;
            event.prevent_default();
            place_ghost(at.0, at.1);
            let over = dom::under(at.0, at.1, "data-cpu").and_then(|cpu| cpu.parse().ok());
            // On what holds CPUs (an LLC, a node, a socket) dropping sets the mask to those.
            let holds = |name: &String| {
                ["llc ", "node ", "package "].iter().any(|kind| name.starts_with(kind))
            };
            let place = dom::under(at.0, at.1, "data-target").filter(holds);
            if place != h.place {
                h.place.clone_from(&place);
                drop(h);
                dispatch.emit(Action::CarryText(place.unwrap_or_default()));
                h = hold.borrow_mut();
            }
            if over != h.over {
                h.over = over;
                let (dispatch2, hold2) = (dispatch.clone(), hold.clone());
                // Resting on a CPU is the second gesture: it pins, and resting again does not.
                h.rest = over.map(|_| {
                    Timeout::new(REST_MS, move || {
                        let carrying = hold2.borrow().carrying;
                        if carrying {
                            dispatch2.emit(Action::CarryPin(true));
                        }
                    })
                });
                let (dispatch3, hold3, ctx) = (dispatch.clone(), hold.clone(), ctx.clone());
                h.near = over.map(|cpu| {
                    Timeout::new(NEAR_MS, move || {
                        let carrying = hold3.borrow().carrying;
                        if carrying && let Some(llc) = ctx.lens_for(cpu) {
                            dispatch3.emit(Action::Lens(Some(llc)));
                        }
                    })
                });
                drop(h);
                dispatch.emit(Action::CarryOver(over));
                dispatch.emit(Action::CarryPin(event.shift_key()));
            }
        })
    };
    let ended = use_mut_ref(|| false);
    let up = {
        let (hold, dispatch, ended) = (hold.clone(), dispatch.clone(), ended.clone());
        Callback::from(move |event: PointerEvent| {
            let h = hold.take();
            *ended.borrow_mut() = h.carrying;
            if h.carrying {
                event.prevent_default();
                if event.shift_key() {
                    dispatch.emit(Action::CarryPin(true));
                }
                let there = h.over.is_some() || h.place.is_some();
                dispatch.emit(if there { Action::Drop } else { Action::PutBack });
            }
        })
    };
    let cancel = Callback::from(move |_: PointerEvent| {
        if hold.take().carrying {
            dispatch.emit(Action::PutBack);
        }
    });
    let carried = Callback::from(move |()| std::mem::take(&mut *ended.borrow_mut()));
    Handle { down, movement, up, cancel, carried }
}

/// From now on all events of this pointer go to the element. (An event's current target will not
/// do: Yew listens at the root.)
fn capture(node: &NodeRef, pointer: i32) {
    if let Some(element) = node.cast::<web_sys::Element>() {
        _ = element.set_pointer_capture(pointer);
    }
}

/// Moves the ghost; it does not go through the state.
fn place_ghost(x: f64, y: f64) {
    if let Some(root) = dom::root() {
        let style = root.style();
        _ = style.set_property("--ghost-x", &format!("{x}px"));
        _ = style.set_property("--ghost-y", &format!("{y}px"));
    }
}

/// Moves the focus to the next region of the page, or the one before.
pub fn go_round(way: Way) {
    const REGIONS: [&str; 5] = ["#banner", "#tasks", "#machine", "#decision", "#timeline"];
    let here = dom::document().active_element();
    let at = REGIONS.iter().position(|region| {
        here.as_ref().is_some_and(|h| h.closest(region).ok().flatten().is_some())
    });
    let n = REGIONS.len();
    for k in 1..=n {
        let next = match (at, way) {
            (None, Way::Forward) => k - 1,
            (None, Way::Back) => n - k,
            (Some(at), Way::Forward) => (at + k) % n,
            (Some(at), Way::Back) => (at + n - k) % n,
        };
        let inside = "[tabindex='0'],button:not([disabled]),a[href],select,input";
        let selector: Vec<String> =
            inside.split(',').map(|s| format!("{} {s}", REGIONS[next])).collect();
        if let Some(element) = dom::find(&selector.join(",")) {
            _ = element.focus();
            return;
        }
    }
}
