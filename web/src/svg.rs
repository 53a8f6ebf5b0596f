//! A scene as live SVG: one element a mark, keyed, so that a mark that is in two scenes moves from
//! one place to the other (CSS moves it).

use crate::ctx::Ctx;
use schedscope_ui::geometry::Point;
use schedscope_ui::scene::{Anchor, Dash, Hit, Ink, Mark, Scene, Shape, Stroke, Target};
use std::collections::BTreeSet;
use yew::prelude::*;
use yew::virtual_dom::{VNode, VTag};

/// An ink as a CSS value.
#[must_use]
pub fn css(ink: Ink) -> String {
    let role = match ink {
        Ink::None => return "none".into(),
        Ink::Background => "bg",
        Ink::Plot => "plot",
        Ink::Sunken => "sunken",
        Ink::Line => "line",
        Ink::LineStrong => "line-2",
        Ink::Axis => "axis",
        Ink::Text => "ink",
        Ink::TextSoft => "ink-2",
        Ink::TextFaint => "ink-3",
        Ink::Accent => "accent",
        Ink::AccentTint => "accent-tint",
        Ink::OnAccent => "on-accent",
        Ink::Eligible => "elig",
        Ink::Idle => "idle",
        Ink::IdleEdge => "idle-edge",
        Ink::Busy => "busy",
        Ink::BusyEdge => "busy-edge",
        Ink::Error => "error",
        Ink::Halo => "halo",
        Ink::Task { hue, texture: 0 } => return format!("var(--h-{hue})"),
        Ink::Task { hue, texture } => return format!("url(#x{texture}-{hue})"),
        Ink::TaskEdge(hue) => return format!("var(--e-{hue})"),
        Ink::TaskText(hue) => return format!("var(--o-{hue})"),
        Ink::TaskHatch(hue) => return format!("url(#inel-{hue})"),
        Ink::Heat(share) => {
            let percent = u32::from(share) * 100 / 255;
            return format!("color-mix(in srgb, var(--heat) {percent}%, var(--bg))");
        }
    };
    format!("var(--{role})")
}

/// The name of the plain colour under a pattern, for tools that check contrast.
fn ground(ink: Ink) -> Option<String> {
    match ink {
        Ink::Task { hue, .. } => Some(format!("--h-{hue}")),
        _ => None,
    }
}

fn number(x: f32) -> String {
    let rounded = (x * 100.0).round() / 100.0;
    format!("{rounded}")
}

fn points(points: &[Point], close: bool) -> String {
    let mut d = String::new();
    for (i, p) in points.iter().enumerate() {
        d.push(if i == 0 { 'M' } else { 'L' });
        d.push_str(&number(p.x));
        d.push(' ');
        d.push_str(&number(p.y));
    }
    if close {
        d.push('Z');
    }
    d
}

fn stroke_style(stroke: Option<Stroke>) -> String {
    let Some(stroke) = stroke else { return String::new() };
    let dash = match stroke.dash {
        Dash::Solid => "",
        Dash::Dashed => ";stroke-dasharray:5 3",
        Dash::Dotted => ";stroke-dasharray:1.5 3",
    };
    format!(";stroke:{};stroke-width:{}{dash}", css(stroke.ink), number(stroke.width))
}

/// One mark as an element.
fn element(mark: &Mark, key: String) -> VNode {
    let mut style = String::new();
    let mut attributes: Vec<(&'static str, String)> = Vec::new();
    let mut children = None;
    let tag = match &mark.shape {
        Shape::Rect(r, radius) => {
            attributes.push(("x", number(r.x)));
            attributes.push(("y", number(r.y)));
            attributes.push(("width", number(r.w.max(0.0))));
            attributes.push(("height", number(r.h.max(0.0))));
            if *radius > 0.0 {
                attributes.push(("rx", number(*radius)));
            }
            "rect"
        }
        Shape::Circle(c, radius) => {
            attributes.push(("cx", number(c.x)));
            attributes.push(("cy", number(c.y)));
            attributes.push(("r", number(radius.max(0.0))));
            "circle"
        }
        Shape::Line(list) => {
            attributes.push(("d", points(list, false)));
            "path"
        }
        Shape::Polygon(list) => {
            attributes.push(("d", points(list, true)));
            "path"
        }
        Shape::Curve([a, b, c, d]) => {
            let p = |p: &Point| format!("{} {}", number(p.x), number(p.y));
            attributes.push(("d", format!("M{}C{} {} {}", p(a), p(b), p(c), p(d))));
            "path"
        }
        Shape::Text(at, text, set) => {
            style.push_str(&format!("transform:translate({}px,{}px)", number(at.x), number(at.y)));
            style.push_str(&format!(";fill:{}", css(set.ink)));
            attributes.push(("font-size", number(set.size)));
            if set.weight != 400 {
                attributes.push(("font-weight", set.weight.to_string()));
            }
            if set.mono {
                attributes.push(("class", "num".into()));
            }
            match set.anchor {
                Anchor::Start => {}
                Anchor::Middle => attributes.push(("text-anchor", "middle".into())),
                Anchor::End => attributes.push(("text-anchor", "end".into())),
            }
            children = Some(text.clone());
            "text"
        }
    };
    if tag != "text" {
        style.push_str(&format!("fill:{}", css(mark.fill)));
        if let Some(ground) = ground(mark.fill) {
            attributes.push(("data-bg", ground));
        }
    }
    style.push_str(&stroke_style(mark.stroke));
    if tag == "text" && mark.stroke.is_some() {
        style.push_str(";paint-order:stroke");
    }
    if mark.alpha < 1.0 {
        style.push_str(&format!(";opacity:{}", number(mark.alpha)));
        if tag == "text" {
            attributes.push(("data-dim", "1".into()));
        }
    }
    let mut out = VTag::new(tag);
    out.key = Some(key.into());
    for (name, value) in attributes {
        out.add_attribute(name, value);
    }
    out.add_attribute("style", style);
    if let Some(text) = children {
        out.add_child(VNode::from(text));
    }
    out.into()
}

/// The marks of a scene as elements.
pub fn marks(scene: &Scene) -> Html {
    let mut seen = BTreeSet::new();
    let list = scene.marks.iter().map(|mark| {
        let mut key = mark.key.clone();
        let mut n = 1;
        while !seen.insert(key.clone()) {
            n += 1;
            key = format!("{} {n}", mark.key);
        }
        element(mark, key)
    });
    html! { <>{ for list }</> }
}

/// How a thing that can be pointed at is named in attributes.
#[must_use]
pub fn target_name(target: &Target) -> String {
    match target {
        Target::Cpu(n) => format!("cpu {n}"),
        Target::Task(n) => format!("task {n}"),
        Target::Llc(n) => format!("llc {n}"),
        Target::Node(n) => format!("node {n}"),
        Target::Package(n) => format!("package {n}"),
        Target::Check(n) => format!("check {n}"),
        Target::Step(n) => format!("step {n}"),
        Target::Lane(n) => format!("lane {n}"),
        Target::Named(name) => (*name).to_string(),
    }
}

/// Properties of a [`Picture`].
#[derive(Properties, PartialEq)]
pub struct PictureProps {
    /// What is shown.
    pub scene: std::rc::Rc<Scene>,
    /// What a screen reader says about all of it.
    pub label: String,
    /// What happens when a thing is clicked.
    #[prop_or_default]
    pub on_hit: Callback<Target>,
    /// What happens when the pointer comes over a thing, or leaves all.
    #[prop_or_default]
    pub on_over: Callback<Option<Target>>,
    /// Whether marks take their time to move.
    #[prop_or(true)]
    pub moves: bool,
}

/// A scene in the page.
#[component]
pub fn Picture(props: &PictureProps) -> Html {
    let scene = &props.scene;
    let hits = scene.hits.iter().enumerate().map(|(i, hit)| {
        let on = {
            let (on_hit, target) = (props.on_hit.clone(), hit.target.clone());
            Callback::from(move |_: MouseEvent| on_hit.emit(target.clone()))
        };
        let over = {
            let (on_over, target) = (props.on_over.clone(), hit.target.clone());
            Callback::from(move |_: PointerEvent| on_over.emit(Some(target.clone())))
        };
        hit_area(i, hit, on, over)
    });
    let leave = {
        let on_over = props.on_over.clone();
        Callback::from(move |_: PointerEvent| on_over.emit(None))
    };
    let (w, h) = (number(scene.width), number(scene.height));
    html! {
        <svg class={classes!("picture", props.moves.then_some("moves"))} width={w.clone()}
            height={h.clone()} viewBox={format!("0 0 {w} {h}")} role="img"
            aria-label={props.label.clone()} onpointerleave={leave}>
            { marks(scene) }
            <g class="hits">{ for hits }</g>
        </svg>
    }
}

fn hit_area(i: usize, hit: &Hit, on: Callback<MouseEvent>, over: Callback<PointerEvent>) -> Html {
    let cpu = match hit.target {
        Target::Cpu(cpu) => Some(cpu.to_string()),
        _ => None,
    };
    html! {
        <rect key={format!("{i} {}", target_name(&hit.target))} x={number(hit.rect.x)}
            y={number(hit.rect.y)} width={number(hit.rect.w.max(0.0))}
            height={number(hit.rect.h.max(0.0))} data-cpu={cpu}
            data-target={target_name(&hit.target)} onclick={on} onpointerenter={over}>
            <title>{ hit.label.clone() }</title>
        </rect>
    }
}

/// What a click on a thing does everywhere in the page.
pub fn act_on(ctx: &Ctx, target: &Target) {
    use schedscope_session::Goto;
    use schedscope_ui::action::Action;
    match target {
        Target::Cpu(cpu) | Target::Lane(cpu) => ctx.act(Action::Focus(*cpu)),
        Target::Task(task) => ctx.act(Action::Select(row_of(ctx, *task))),
        Target::Check(check) => ctx.act(Action::ToCheck(*check)),
        Target::Step(step) => ctx.act(Action::Goto(Goto::Step(*step))),
        Target::Llc(_) | Target::Node(_) | Target::Package(_) | Target::Named(_) => {}
    }
}

/// The row of a task at the moment shown.
#[must_use]
pub fn row_of(ctx: &Ctx, task: u32) -> Option<u16> {
    let moment = ctx.moment.as_ref()?;
    moment.tasks.get(task as usize).map(|t| t.row)
}

/// What lights up when the pointer is over a thing.
pub fn light_up(ctx: &Ctx, target: Option<&Target>) {
    use schedscope_ui::action::Action;
    let row = match target {
        Some(Target::Task(task)) => row_of(ctx, *task),
        _ => None,
    };
    if ctx.hover != row {
        ctx.act(Action::Hover(row));
    }
}
