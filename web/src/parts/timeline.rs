//! The timeline: bars on a canvas, marks and playhead as SVG above, labels on the left.

use super::views;
use crate::canvas;
use crate::ctx::{Ctx, Same, use_page};
use crate::measure::use_size;
use crate::svg::{Picture, act_on, light_up, use_drawn};
use gloo::events::{EventListener, EventListenerOptions};
use schedscope_session::Goto;
use schedscope_session::update::{Loaded, Window};
use schedscope_ui::action::Action;
use schedscope_ui::format;
use schedscope_ui::geometry::Point;
use schedscope_ui::scene::{Scene, Target};
use schedscope_ui::state::{Changes, Frame};
use schedscope_ui::time_scale::Stretch;
use schedscope_ui::view::strip;
use schedscope_ui::view::timeline::{self, LanePlan, Place};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

/// Properties of the [`Timeline`].
#[derive(Properties, PartialEq)]
pub struct TimelineProps {
    /// Just one lane, for a phone.
    #[prop_or_default]
    pub strip: bool,
}

/// What a pointer is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Grip {
    /// Moving the stretch: where it began, px, and the stretch then.
    Pan(f64, Stretch),
    /// Moving the playhead.
    Scrub,
    /// Choosing a range: where it began, ns.
    Range(u64),
    /// Moving the brush of the overview: the stretch then, and the time under the pointer.
    Brush(Stretch, u64),
    /// Moving its left end.
    BrushFrom(Stretch),
    /// Moving its right end.
    BrushTo(Stretch),
}

/// Runs `with` on the timeline of this state, if there is one.
fn with<R>(
    ctx: &Ctx,
    plan: &LanePlan,
    stretch: Stretch,
    size: (f32, f32),
    with: impl FnOnce(&timeline::Timeline) -> R,
) -> Option<R> {
    let roster = views::roster(ctx)?;
    let window = ctx.window.as_ref()?;
    if size.0 < 120.0 {
        // Not measured yet.
        return None;
    }
    let look = views::look(ctx, size.0, size.1);
    let labels = timeline::label_width(ctx.viewport.width);
    Some(with(&timeline::Timeline {
        plan,
        window,
        beside: ctx.second_window(),
        stretch,
        labels,
        roster,
        look: &look,
        hide_after: ctx.predicting().then(|| ctx.now()),
    }))
}

/// What the bars are drawn from; while it is the same, they are.
#[derive(PartialEq)]
struct BarsFrom {
    window: Same<Window>,
    beside: Same<Window>,
    doc: Same<Loaded>,
    plan: LanePlan,
    stretch: Stretch,
    size: (f32, f32),
    labels: f32,
    hover: Option<u16>,
    hide_after: Option<u64>,
}

/// What the timeline shows of the state.
const READS: Changes = Changes::WINDOW
    .and(Changes::MOMENT)
    .and(Changes::TAB)
    .and(Changes::DOC)
    .and(Changes::FRAME)
    .and(Changes::SELECTED)
    .and(Changes::HOVER)
    .and(Changes::THEME)
    .and(Changes::LESSON)
    .and(Changes::BESIDE);

/// The timeline.
#[component]
pub fn Timeline(props: &TimelineProps) -> Html {
    let ctx = use_page(READS);
    let node = use_node_ref();
    let canvas_node = use_node_ref();
    let size = use_size(node.clone());
    let grip = use_mut_ref(|| None::<Grip>);
    let moved = use_mut_ref(|| false);
    let tip = use_state_eq(|| None::<(f32, f32, String)>);
    // A gesture changes the stretch here first; the state hears of it when it ends or rests.
    let held = use_state_eq(|| None::<Stretch>);
    {
        let dispatch = ctx.dispatch.clone();
        use_effect_with((size.0.to_bits(), size.1.to_bits()), move |_| {
            if size.0 > 0.0 {
                dispatch.emit(Action::Dock { width: size.0, height: size.1 });
            }
        });
    }
    let plan = ctx.lane_plan();
    let span = if props.strip {
        let half = timeline::PHONE_STRETCH / 2;
        Stretch::around(ctx.now().saturating_sub(half), ctx.now() + half, ctx.end())
    } else {
        Stretch::new(ctx.span.from, ctx.span.to)
    };
    let stretch = held.unwrap_or(span);
    let head = with(&ctx, &plan, stretch, size, |t| timeline::playhead(t, ctx.now())).map(Rc::new);
    let bars = use_memo(
        BarsFrom {
            window: Same(ctx.window.clone()),
            beside: Same(ctx.beside.as_ref().and_then(|second| second.window.clone())),
            doc: Same(ctx.doc.clone()),
            plan: plan.clone(),
            stretch,
            size,
            labels: timeline::label_width(ctx.viewport.width),
            hover: ctx.hover,
            hide_after: ctx.predicting().then(|| ctx.now()),
        },
        |_| with(&ctx, &plan, stretch, size, timeline::bars).map(Rc::new),
    );
    canvas::use_painted(canvas_node.clone(), (*bars).clone(), ctx.theme);
    let head_node = use_node_ref();
    use_drawn(head_node.clone(), head.clone());
    let layers = with(&ctx, &plan, stretch, size, |t| (timeline::marks(t), timeline::labels(t)));
    // The marks change with each step: they are painted; as elements there is what can be pointed at.
    let marks_node = use_node_ref();
    let (marks, points, beside) = match layers {
        None => (None, None, None),
        Some((Scene { width, height, marks, hits }, beside)) => {
            let part = |marks, hits| Some(Rc::new(Scene { width, height, marks, hits }));
            (part(marks, Vec::new()), part(Vec::new(), hits), Some(Rc::new(beside)))
        }
    };
    canvas::use_painted(marks_node.clone(), marks, ctx.theme);
    let wheel_state = use_mut_ref(|| None::<Seen>);
    wheel_state.replace(Some((ctx.clone(), plan.clone(), stretch, size)));
    use_wheel(node.clone(), wheel_state, held.clone());
    let (Some(points), Some(beside)) = (points, beside) else {
        return html! { <div class="tline" ref={node} /> };
    };

    let events = Pointers { ctx: &ctx, plan: &plan, stretch, size, node: &node };
    let (down, movement, up, leave) = events.callbacks(&grip, &moved, &held, &tip);
    let hit = {
        let (ctx, moved) = (ctx.clone(), moved.clone());
        Callback::from(move |target: Target| {
            if !*moved.borrow() {
                act_on(&ctx, &target);
            }
        })
    };
    let over = {
        let ctx = ctx.clone();
        Callback::from(move |target: Option<Target>| light_up(&ctx, target.as_ref()))
    };
    let double = {
        let (ctx, plan, node) = (ctx.clone(), plan.clone(), node.clone());
        Callback::from(move |event: MouseEvent| {
            let rect = node.cast::<HtmlElement>().map(|e| e.get_bounding_client_rect());
            let (left, top) = rect.map_or((0.0, 0.0), |r| (r.left(), r.top()));
            let x = f64::from(event.client_x()) - left;
            let p = Point::new(x as f32, (f64::from(event.client_y()) - top) as f32);
            if let Some(to) = with(&ctx, &plan, stretch, size, |t| t.fit(p)).flatten() {
                ctx.act(Action::Follow(false));
                ctx.act(Action::Show { from: to.from, to: to.to });
            }
        })
    };
    let style = format!("height:{}px", points.height);
    let now = ctx.now();
    let phone = ctx.viewport.frame() == Frame::Phone;
    html! {
        <div class="tline" ref={node} style={props.strip.then_some("height:56px")}
            onpointerdown={down} onpointermove={movement} onpointerup={up.clone()}
            onpointercancel={up} onpointerleave={leave} ondblclick={double}>
            <canvas ref={canvas_node} style={style.clone()} aria-hidden="true" />
            <canvas ref={marks_node} class="layer" {style} aria-hidden="true" />
            <div class="layer"><Picture scene={points} label="Decisions, wakes and migrations"
                on_hit={hit.clone()} on_over={over.clone()} moves=false /></div>
            if !phone {
                <div class="layer labels"><Picture scene={beside} label="Lanes"
                    on_hit={hit} on_over={over} moves=false /></div>
            }
            if let Some(head) = head {
                <svg ref={head_node} class="layer head" width={head.width.to_string()} height={head.height.to_string()}
                    tabindex="0" role="slider" aria-label="Playhead" aria-valuemin="0"
                    aria-valuemax={ctx.end().to_string()} aria-valuenow={now.to_string()}
                    aria-valuetext={format!("{} ms", format::clock(now))} />
            }
            if ctx.panels.tables && !props.strip { { segments(&ctx, &plan, stretch, size) } }
            if let Some((x, y, text)) = &*tip {
                <div class="tip" style={format!("left:{x}px;top:{y}px")}>{ text.clone() }</div>
            }
        </div>
    }
}

/// At most so many bars are listed.
const LISTED: usize = 300;

/// What ran in view, as a table instead of the picture.
fn segments(ctx: &Ctx, plan: &LanePlan, stretch: Stretch, size: (f32, f32)) -> Html {
    let rows =
        with(ctx, plan, stretch, size, |t| timeline::segments(t, LISTED)).unwrap_or_default();
    let stop = Callback::from(|event: PointerEvent| event.stop_propagation());
    html! {
        <div class="scroll" tabindex="0" role="region" aria-label="What ran, as a table" onpointerdown={stop}
            style="position:absolute;inset:0;overflow:auto;background:var(--bg)">
            <table class="tb">
                <thead><tr>{ for timeline::SEGMENT_TITLES.iter().map(|t| html! { <th key={*t} scope="col">{ *t }</th> }) }</tr></thead>
                <tbody>
                    { for rows.iter().enumerate().map(|(i, row)| html! {
                        <tr key={i}>{ for row.cells().iter().enumerate().map(|(k, cell)| html! { <td key={k}>{ (*cell).to_string() }</td> }) }</tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}

/// What is drawn: the state, its lanes, the stretch and the size.
type Seen = (Ctx, LanePlan, Stretch, (f32, f32));

/// Wheel: pans time; with Control zooms at the pointer. Listened to by hand, because it must keep
/// the page from scrolling.
#[hook]
fn use_wheel(
    node: NodeRef,
    state: Rc<RefCell<Option<Seen>>>,
    held: UseStateHandle<Option<Stretch>>,
) {
    let rest = use_mut_ref(|| None::<gloo::timers::callback::Timeout>);
    use_effect_with((), move |()| {
        let element = node.cast::<HtmlElement>();
        let listener = element.map(|element| {
            let options = EventListenerOptions::enable_prevent_default();
            let target = element.clone();
            EventListener::new_with_options(&element, "wheel", options, move |event| {
                let Some(event) = event.dyn_ref::<web_sys::WheelEvent>() else { return };
                event.prevent_default();
                let mut now = state.borrow_mut();
                let Some((ctx, plan, stretch, size)) = &mut *now else { return };
                let x = f64::from(event.client_x()) - target.get_bounding_client_rect().left();
                let scale = with(ctx, plan, *stretch, *size, |t| t.scale());
                let Some(scale) = scale else { return };
                let end = ctx.end();
                *stretch = if event.ctrl_key() || event.meta_key() {
                    let factor = (-event.delta_y() / 240.0).exp();
                    stretch.zoomed(factor, scale.time(x as f32), end)
                } else {
                    let by = if event.delta_x().abs() > event.delta_y().abs() {
                        event.delta_x()
                    } else {
                        event.delta_y()
                    };
                    stretch.panned((by * scale.per_pixel()) as i64, end)
                };
                held.set(Some(*stretch));
                let (to, dispatch, held) = (*stretch, ctx.dispatch.clone(), held.clone());
                rest.replace(Some(gloo::timers::callback::Timeout::new(120, move || {
                    dispatch.emit(Action::Follow(false));
                    dispatch.emit(Action::Show { from: to.from, to: to.to });
                    held.set(None);
                })));
            })
        });
        move || drop(listener)
    });
}

type On = Callback<PointerEvent>;
type Tip = Option<(f32, f32, String)>;

/// What the pointer callbacks need.
struct Pointers<'a> {
    ctx: &'a Ctx,
    plan: &'a LanePlan,
    stretch: Stretch,
    size: (f32, f32),
    node: &'a NodeRef,
}

impl Pointers<'_> {
    fn callbacks(
        &self,
        grip: &Rc<RefCell<Option<Grip>>>,
        moved: &Rc<RefCell<bool>>,
        held: &UseStateHandle<Option<Stretch>>,
        tip: &UseStateHandle<Tip>,
    ) -> (On, On, On, On) {
        let (stretch, size, end) = (self.stretch, self.size, self.ctx.end());
        let at = {
            let node = self.node.clone();
            move |event: &PointerEvent| {
                let rect = node.cast::<HtmlElement>().map(|e| e.get_bounding_client_rect());
                let (left, top) = rect.map_or((0.0, 0.0), |r| (r.left(), r.top()));
                let x = f64::from(event.client_x()) - left;
                Point::new(x as f32, (f64::from(event.client_y()) - top) as f32)
            }
        };
        let scale = with(self.ctx, self.plan, stretch, size, |t| t.scale());
        let overview = with(self.ctx, self.plan, stretch, size, |t| t.overview_scale());
        let ruler = self.plan.ruler;
        let down = {
            let (grip, moved, at) = (grip.clone(), moved.clone(), at.clone());
            Callback::from(move |event: PointerEvent| {
                moved.replace(false);
                let (Some(scale), Some(overview)) = (scale, overview) else { return };
                if event.button() != 0 {
                    return;
                }
                let p = at(&event);
                let x = f64::from(event.client_x());
                let named = event
                    .target()
                    .and_then(|t| t.dyn_into::<web_sys::Element>().ok())
                    .and_then(|e| e.get_attribute("data-target"))
                    .unwrap_or_default();
                let new = match named.as_str() {
                    n if n == strip::BRUSH => Grip::Brush(stretch, overview.time(p.x)),
                    n if n == strip::BRUSH_FROM => Grip::BrushFrom(stretch),
                    n if n == strip::BRUSH_TO => Grip::BrushTo(stretch),
                    n if n == strip::OVERVIEW => {
                        Grip::Brush(stretch, (stretch.from + stretch.to) / 2)
                    }
                    _ if p.x < scale.left => return,
                    _ if event.shift_key() => Grip::Range(scale.time(p.x)),
                    _ if p.y <= ruler => Grip::Scrub,
                    _ => Grip::Pan(x, stretch),
                };
                grip.replace(Some(new));
            })
        };
        let movement = {
            let (ctx, grip, moved, held, tip, at) = (
                self.ctx.clone(),
                grip.clone(),
                moved.clone(),
                held.clone(),
                tip.clone(),
                at.clone(),
            );
            let (plan, node) = (self.plan.clone(), self.node.clone());
            Callback::from(move |event: PointerEvent| {
                let (Some(scale), Some(overview)) = (scale, overview) else { return };
                let p = at(&event);
                let Some(now) = *grip.borrow() else {
                    if event.pointer_type() != "touch" {
                        let place = with(&ctx, &plan, stretch, size, |t| t.at(p)).flatten();
                        tip.set(place.map(|place: Place| tip_at(p, size, place.label)));
                    }
                    return;
                };
                tip.set(None);
                let began = !*moved.borrow();
                if began {
                    if let Grip::Pan(x, _) = now
                        && (f64::from(event.client_x()) - x).abs() < 4.0
                    {
                        return;
                    }
                    if let Some(element) = node.cast::<web_sys::Element>() {
                        _ = element.set_pointer_capture(event.pointer_id());
                    }
                    moved.replace(true);
                }
                match now {
                    Grip::Pan(x, from) => {
                        let by = (x - f64::from(event.client_x())) * scale.per_pixel();
                        held.set(Some(from.panned(by as i64, end)));
                    }
                    Grip::Scrub => ctx.act(Action::Goto(Goto::Time(scale.time(p.x).min(end)))),
                    Grip::Range(from) => {
                        let to = scale.time(p.x);
                        tip.set(Some(tip_at(
                            p,
                            size,
                            format::span_ms(from.min(to), from.max(to)) + " ms",
                        )));
                    }
                    Grip::Brush(from, time) => {
                        let by = overview.time(p.x) as i64 - time as i64;
                        held.set(Some(from.panned(by, end)));
                    }
                    Grip::BrushFrom(old) => {
                        let from = overview.time(p.x).min(old.to.saturating_sub(2_000));
                        held.set(Some(Stretch::new(from, old.to)));
                    }
                    Grip::BrushTo(old) => {
                        let to = overview.time(p.x).min(end);
                        held.set(Some(Stretch::new(old.from, to.max(old.from + 2_000))));
                    }
                }
            })
        };
        let up = {
            let (ctx, grip, moved, held, tip) =
                (self.ctx.clone(), grip.clone(), moved.clone(), held.clone(), tip.clone());
            let plan = self.plan.clone();
            Callback::from(move |event: PointerEvent| {
                let Some(now) = grip.take() else { return };
                let Some(scale) = scale else { return };
                let p = at(&event);
                if let Grip::Range(from) = now {
                    let to = scale.time(p.x);
                    tip.set(None);
                    if *moved.borrow() {
                        ctx.act(Action::Follow(false));
                        ctx.act(Action::Show { from: from.min(to), to: from.max(to) });
                    }
                } else if let Some(to) = *held {
                    ctx.act(Action::Follow(false));
                    ctx.act(Action::Show { from: to.from, to: to.to });
                    held.set(None);
                } else if !*moved.borrow() {
                    let on_mark = event
                        .target()
                        .and_then(|t| t.dyn_into::<web_sys::Element>().ok())
                        .is_some_and(|e| e.has_attribute("data-target"));
                    let place = with(&ctx, &plan, stretch, size, |t| t.at(p)).flatten();
                    let mark = with(&ctx, &plan, stretch, size, |t| t.mark_near(p)).flatten();
                    if let Some(step) = mark.filter(|_| !on_mark) {
                        ctx.act(Action::Goto(Goto::Step(step)));
                    } else if let Some(place) = place
                        && !on_mark
                    {
                        ctx.act(Action::Goto(Goto::Time(place.time)));
                    } else if now == Grip::Scrub {
                        ctx.act(Action::Goto(Goto::Time(scale.time(p.x).min(end))));
                    }
                }
            })
        };
        let leave = {
            let tip = tip.clone();
            Callback::from(move |_: PointerEvent| tip.set(None))
        };
        (down, movement, up, leave)
    }
}

/// Where a tooltip of a point goes: beside the pointer, inside the panel.
fn tip_at(p: Point, size: (f32, f32), text: String) -> (f32, f32, String) {
    let x = (p.x + 12.0).min(size.0 - 290.0).max(4.0);
    let y = if p.y > size.1 - 60.0 { p.y - 44.0 } else { p.y + 14.0 };
    (x, y, text)
}
