//! A scene as live SVG: one element a mark, keyed, so that a mark that is in two scenes moves from
//! one place to the other (CSS moves it).
//!
//! The elements are kept here and not in the page's virtual DOM: of a scene with a thousand marks a
//! step changes a few, and only those are touched.

use crate::ctx::Ctx;
use schedscope_session::order;
use schedscope_ui::geometry::{Point, Rect};
use schedscope_ui::scene::{Anchor, Dash, Hit, Ink, Mark, Scene, Shape, Stroke, Target};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::Element;
use yew::prelude::*;

const SVG: &str = "http://www.w3.org/2000/svg";

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

/// The name of a mark's element.
fn tag(shape: &Shape) -> &'static str {
    match shape {
        Shape::Rect(..) => "rect",
        Shape::Circle(..) => "circle",
        Shape::Line(_) | Shape::Polygon(_) | Shape::Curve(_) => "path",
        Shape::Text(..) => "text",
    }
}

fn create(tag: &str) -> Option<Element> {
    crate::dom::document().create_element_ns(Some(SVG), tag).ok()
}

/// The names of the attributes are made into strings of the browser's once, not at each use.
pub fn keep_names() {
    const NAMES: [&str; 14] = [
        "x",
        "y",
        "width",
        "height",
        "rx",
        "cx",
        "cy",
        "r",
        "d",
        "style",
        "class",
        "font-size",
        "data-target",
        "data-cpu",
    ];
    NAMES.iter().for_each(|name| _ = wasm_bindgen::intern(name));
}

fn set(element: &Element, name: &str, value: &str) {
    _ = element.set_attribute(name, value);
}

/// Sets numbers, of two sides only those that differ.
fn set_numbers<const N: usize>(
    element: &Element,
    names: [&str; N],
    old: Option<[f32; N]>,
    new: [f32; N],
) {
    for i in 0..N {
        if old.is_none_or(|old| old[i] != new[i]) {
            set(element, names[i], &number(new[i]));
        }
    }
}

/// Place and size.
fn edges(r: &Rect) -> [f32; 4] {
    [r.x, r.y, r.w.max(0.0), r.h.max(0.0)]
}

const EDGES: [&str; 4] = ["x", "y", "width", "height"];

/// Gives a mark's element its form; `old` is the one it has.
fn set_shape(element: &Element, old: Option<&Shape>, shape: &Shape) {
    match shape {
        Shape::Rect(rect, radius) => {
            let old = match old {
                Some(Shape::Rect(rect, radius)) => Some((edges(rect), [*radius])),
                _ => None,
            };
            set_numbers(element, EDGES, old.map(|o| o.0), edges(rect));
            set_numbers(element, ["rx"], Some(old.map_or([0.0], |o| o.1)), [*radius]);
        }
        Shape::Circle(c, radius) => {
            let of = |c: &Point, radius: f32| [c.x, c.y, radius.max(0.0)];
            let old = match old {
                Some(Shape::Circle(c, radius)) => Some(of(c, *radius)),
                _ => None,
            };
            set_numbers(element, ["cx", "cy", "r"], old, of(c, *radius));
        }
        Shape::Line(list) => set(element, "d", &points(list, false)),
        Shape::Polygon(list) => set(element, "d", &points(list, true)),
        Shape::Curve([a, b, c, d]) => {
            let p = |p: &Point| format!("{} {}", number(p.x), number(p.y));
            set(element, "d", &format!("M{}C{} {} {}", p(a), p(b), p(c), p(d)));
        }
        Shape::Text(_, text, style) => {
            let old = match old {
                Some(Shape::Text(_, _, style)) => Some(style),
                _ => None,
            };
            if old.is_none_or(|old| old.size != style.size) {
                set(element, "font-size", &number(style.size));
            }
            let weight = old.map_or(400, |old| old.weight);
            if weight != style.weight {
                set(element, "font-weight", &style.weight.to_string());
            }
            if old.is_some_and(|old| old.mono) != style.mono {
                set(element, "class", if style.mono { "num" } else { "" });
            }
            if old.map_or(Anchor::Start, |old| old.anchor) != style.anchor {
                let anchor = match style.anchor {
                    Anchor::Start => "start",
                    Anchor::Middle => "middle",
                    Anchor::End => "end",
                };
                set(element, "text-anchor", anchor);
            }
            element.set_text_content(Some(text));
        }
    }
}

/// Colours, line, place of a text, opacity: what goes into a style.
fn style(mark: &Mark) -> String {
    let mut style = match &mark.shape {
        Shape::Text(at, _, set) => {
            format!("transform:translate({}px,{}px);fill:", number(at.x), number(at.y))
                + &css(set.ink)
        }
        _ => format!("fill:{}", css(mark.fill)),
    };
    style.push_str(&stroke_style(mark.stroke));
    if matches!(mark.shape, Shape::Text(..)) && mark.stroke.is_some() {
        style.push_str(";paint-order:stroke");
    }
    if mark.alpha < 1.0 {
        style.push_str(&format!(";opacity:{}", number(mark.alpha)));
    }
    style
}

/// Marks for tools that check contrast: the ground under a pattern, texts that are dim on purpose.
fn set_notes(element: &Element, mark: &Mark) {
    let note = |name: &str, value: Option<String>| match value {
        Some(value) => set(element, name, &value),
        None => _ = element.remove_attribute(name),
    };
    if matches!(mark.shape, Shape::Text(..)) {
        note("data-dim", (mark.alpha < 1.0).then(|| "1".into()));
    } else {
        note("data-bg", ground(mark.fill));
    }
}

/// What is kept of a scene: its marks, what can be pointed at, and their elements.
#[derive(Default)]
struct Kept {
    marks: Vec<(Mark, Element)>,
    hits: Vec<(Hit, Element)>,
    /// The group of what can be pointed at, above the marks.
    group: Option<Element>,
}

impl Kept {
    /// Makes the picture show a scene.
    fn show(&mut self, svg: &Element, scene: &Scene) {
        if self.group.is_none() {
            let Some(group) = create("g") else { return };
            set(&group, "class", "hits");
            _ = svg.append_child(&group);
            self.group = Some(group);
        }
        let aligned = self.marks.len() == scene.marks.len()
            && self.marks.iter().zip(&scene.marks).all(|((old, _), new)| alike(old, new));
        if !aligned {
            self.arrange(svg, &scene.marks);
        }
        for ((old, element), new) in self.marks.iter_mut().zip(&scene.marks) {
            if old != new {
                update(element, old, new);
                old.clone_from(new);
            }
        }
        self.point_at(&scene.hits);
    }

    /// Brings the elements into the order of these marks: those that are no longer there go, new
    /// ones come, and of the others as few as possible are moved (a moved one starts its transition
    /// again).
    fn arrange(&mut self, svg: &Element, marks: &[Mark]) {
        let mut old: Vec<Option<(Mark, Element)>> = self.marks.drain(..).map(Some).collect();
        let mut order: Vec<usize> = (0..old.len()).collect();
        let key = |i: usize, old: &[Option<(Mark, Element)>]| {
            old[i].as_ref().map_or(String::new(), |(mark, _)| mark.key.clone())
        };
        let keys: Vec<String> = (0..old.len()).map(|i| key(i, &old)).collect();
        order::sort_by(&mut order, |&a, &b| keys[a].cmp(&keys[b]).then(a.cmp(&b)));
        let found: Vec<Option<usize>> = marks
            .iter()
            .map(|mark| {
                let first = order.partition_point(|&i| keys[i] < mark.key);
                let same = order[first..].iter().take_while(|&&i| keys[i] == mark.key);
                let mut free =
                    same.filter(|&&i| old[i].as_ref().is_some_and(|o| alike(&o.0, mark)));
                let at = free.next().copied()?;
                let (kept, element) = old[at].take()?;
                self.marks.push((kept, element));
                Some(at)
            })
            .collect();
        let taken = std::mem::take(&mut self.marks);
        old.into_iter().flatten().for_each(|(_, element)| element.remove());
        // From the top down: what lies below the last one that stayed may stay.
        let mut taken = taken.into_iter().rev();
        let mut above: Option<Element> = self.group.clone();
        let mut bound = usize::MAX;
        let mut list = Vec::with_capacity(marks.len());
        for (mark, found) in marks.iter().zip(&found).rev() {
            let there = found.and_then(|at| taken.next().map(|it| (at, it)));
            let (kept, stays) = match there {
                Some((at, it)) if at < bound => {
                    bound = at;
                    (it, true)
                }
                Some((_, it)) => (it, false),
                None => {
                    let Some(element) = create(tag(&mark.shape)) else { continue };
                    set_shape(&element, None, &mark.shape);
                    set(&element, "style", &style(mark));
                    set_notes(&element, mark);
                    ((mark.clone(), element), false)
                }
            };
            if !stays {
                _ = svg.insert_before(&kept.1, above.as_ref().map(AsRef::as_ref));
            }
            above = Some(kept.1.clone());
            list.push(kept);
        }
        list.reverse();
        self.marks = list;
    }

    fn point_at(&mut self, hits: &[Hit]) {
        let Some(group) = &self.group else { return };
        self.hits.drain(hits.len().min(self.hits.len())..).for_each(|(_, rect)| rect.remove());
        for ((old, rect), new) in self.hits.iter_mut().zip(hits) {
            if old != new {
                set_hit(rect, Some(old), new);
                old.clone_from(new);
            }
        }
        for (i, hit) in hits.iter().enumerate().skip(self.hits.len()) {
            let (Some(rect), Some(title)) = (create("rect"), create("title")) else { return };
            _ = rect.append_child(&title);
            set(&rect, "data-hit", &i.to_string());
            set_hit(&rect, None, hit);
            _ = group.append_child(&rect);
            self.hits.push((hit.clone(), rect));
        }
    }
}

/// Whether one mark's element can become the other's.
fn alike(a: &Mark, b: &Mark) -> bool {
    a.key == b.key && tag(&a.shape) == tag(&b.shape)
}

fn update(element: &Element, old: &Mark, new: &Mark) {
    if old.shape != new.shape {
        match (&old.shape, &new.shape) {
            // Only its place is another: that is in the style.
            (Shape::Text(_, a, x), Shape::Text(_, b, y)) if a == b && x == y => {}
            (old, shape) => set_shape(element, Some(old), shape),
        }
    }
    let text = matches!(new.shape, Shape::Text(..));
    let (ink, line) = (old.fill != new.fill, old.stroke != new.stroke);
    let faint = old.alpha != new.alpha;
    if text || ink || line || faint {
        set(element, "style", &style(new));
        set_notes(element, new);
    }
}

fn set_hit(rect: &Element, old: Option<&Hit>, hit: &Hit) {
    set_numbers(rect, EDGES, old.map(|old| edges(&old.rect)), edges(&hit.rect));
    if old.is_none_or(|old| old.target != hit.target) {
        set(rect, "data-target", &target_name(&hit.target));
        match hit.target {
            Target::Cpu(cpu) => set(rect, "data-cpu", &cpu.to_string()),
            _ if old.is_some_and(|old| matches!(old.target, Target::Cpu(_))) => {
                _ = rect.remove_attribute("data-cpu");
            }
            _ => {}
        }
    }
    if old.is_none_or(|old| old.label != hit.label)
        && let Some(title) = rect.first_element_child()
    {
        title.set_text_content(Some(&hit.label));
    }
}

/// Keeps an `<svg>` showing a scene.
#[hook]
pub fn use_drawn(node: NodeRef, scene: Option<Rc<Scene>>) {
    let kept = use_mut_ref(|| (None::<Element>, Kept::default()));
    use_effect_with((node, scene), move |(node, scene)| {
        let mut kept = kept.borrow_mut();
        let Some(svg) = node.cast::<Element>() else { return };
        if kept.0.as_ref() != Some(&svg) {
            *kept = (Some(svg.clone()), Kept::default());
        }
        if let Some(scene) = scene {
            kept.1.show(&svg, scene);
        }
    });
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
    pub scene: Rc<Scene>,
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
    let node = use_node_ref();
    use_drawn(node.clone(), Some(scene.clone()));
    let hit = {
        let (on_hit, scene) = (props.on_hit.clone(), scene.clone());
        Callback::from(move |event: MouseEvent| {
            if let Some(hit) = hit_of(&scene, &event) {
                on_hit.emit(hit.target.clone());
            }
        })
    };
    let over = {
        let (on_over, scene) = (props.on_over.clone(), scene.clone());
        Callback::from(move |event: PointerEvent| {
            on_over.emit(hit_of(&scene, &event).map(|hit| hit.target.clone()));
        })
    };
    let leave = {
        let on_over = props.on_over.clone();
        Callback::from(move |_: PointerEvent| on_over.emit(None))
    };
    let (w, h) = (number(scene.width), number(scene.height));
    html! {
        <svg ref={node} class={classes!("picture", props.moves.then_some("moves"))} width={w.clone()}
            height={h.clone()} viewBox={format!("0 0 {w} {h}")} role="img"
            aria-label={props.label.clone()} onclick={hit} onpointerover={over} onpointerleave={leave} />
    }
}

/// What an event of the pointer is about.
fn hit_of<'a>(scene: &'a Scene, event: &Event) -> Option<&'a Hit> {
    let target: Element = event.target()?.dyn_into().ok()?;
    let at: usize = target.get_attribute("data-hit")?.parse().ok()?;
    scene.hits.get(at)
}

/// What a click on a thing does everywhere in the page.
pub fn act_on(ctx: &Ctx, target: &Target) {
    use schedscope_session::Goto;
    use schedscope_ui::action::Action;
    use schedscope_ui::view::timeline;
    match target {
        Target::Cpu(cpu) | Target::Lane(cpu) => ctx.act(Action::Focus(*cpu)),
        Target::Task(task) => ctx.act(Action::Select(row_of(ctx, *task))),
        Target::Check(check) => ctx.act(Action::ToCheck(*check)),
        Target::Step(step) => ctx.act(Action::Goto(Goto::Step(*step))),
        Target::Named(timeline::DIFFERENCE) => ctx.act(Action::Difference { next: true }),
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
    if ctx.latest().hover != row {
        ctx.act(Action::Hover(row));
    }
}
