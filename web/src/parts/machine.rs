//! The machine: SVG up to 64 CPUs; above that the cells are a canvas under the SVG.

use super::views;
use crate::canvas;
use crate::ctx::{Ctx, Same, use_page};
use crate::measure::use_size;
use crate::svg::{Picture, act_on, light_up};
use schedscope_session::update::{Decision, Picture as Figures, PlacePicture};
use schedscope_ui::action::Action;
use schedscope_ui::keys::neighbour;
use schedscope_ui::scene::Target;
use schedscope_ui::state::{Changes, Frame, Phase, Tab};
use schedscope_ui::view::machine::{self, CANVAS_CPUS, MachineGeometry, MachineLayout, Room};
use schedscope_ui::view::placement::{self, PlacementGeometry};
use std::rc::Rc;
use yew::prelude::*;

/// The panel in the middle.
#[component]
pub fn MachinePanel() -> Html {
    let ctx = use_page(Changes::DOC.and(Changes::LOOK).and(Changes::FRAME).and(Changes::TAB));
    let node = use_node_ref();
    let (width, height) = use_size(node.clone());
    let about = ctx.doc.as_ref().map(|d| summary(&d.machine)).unwrap_or_default();
    let many = ctx.doc.as_ref().is_some_and(|d| d.machine.cpus.len() >= CANVAS_CPUS);
    let wide = ctx.viewport.frame() == Frame::Wide;
    html! {
        <section id="machine" class="panel" aria-label="Machine">
            <div class="ph">
                <h2>{ "Machine" }</h2>
                <span class="sub" title={about.clone()}>{ about }</span>
                <span class="sp" />
                if many {
                    <button type="button" class="btn small" aria-pressed={ctx.load.to_string()}
                        title="Busy share of each LLC instead of tasks (U)"
                        onclick={ctx.on::<MouseEvent>(Action::LoadMode(!ctx.load))}>{ "load" }</button>
                }
            </div>
            <div class="body" ref={node}>
                if ctx.panels.tables {
                    <MachineTable />
                } else if width > 0.0 {
                    <MachinePicture {width} {height} />
                }
            </div>
            if wide { <Gutter /> }
        </section>
    }
}

/// "2 sockets, 8 nodes, 16 LLCs, 256 CPUs".
fn summary(machine: &schedscope_session::update::Machine) -> String {
    use schedscope_ui::format::plural;
    let cores = machine.cpus.iter().map(|c| c.core).max().map_or(0, |c| u64::from(c) + 1);
    let cpus = machine.cpus.len() as u64;
    let mut parts = Vec::new();
    if machine.packages > 1 {
        parts.push(plural(machine.packages.into(), "socket", "sockets"));
    }
    if machine.nodes > 1 {
        parts.push(plural(machine.nodes.into(), "node", "nodes"));
    }
    parts.push(plural(machine.llcs.len() as u64, "LLC", "LLCs"));
    // On large machines the picture says what a core is.
    if cores != cpus && machine.cpus.len() < CANVAS_CPUS {
        parts.push(plural(cores, "core", "cores"));
        parts.push(format!("SMT{}", machine.threads_per_core));
    }
    parts.push(plural(cpus, "CPU", "CPUs"));
    parts.join(", ")
}

#[derive(Properties, PartialEq)]
struct PictureProps {
    width: f32,
    height: f32,
}

/// What is computed once for a machine, a size and, in a placement, the LLC that is searched.
enum Geometry {
    Plain(MachineGeometry),
    Searched(PlacementGeometry),
}

/// The placement that is looked at, if one is.
fn placement(ctx: &Ctx) -> Option<(&Decision, &PlacePicture)> {
    let decision = ctx.decision().filter(|_| ctx.tab == Tab::Placement)?;
    match &decision.picture {
        Figures::Place(place) => Some((decision, place)),
        _ => None,
    }
}

impl Geometry {
    fn new(ctx: &Ctx, llc: Option<u16>, width: f32, height: f32) -> Option<Geometry> {
        let roster = views::roster(ctx)?;
        let look = views::look(ctx, width, height);
        let machine = &roster.loaded.machine;
        let room = Room::of(&look, roster);
        // A machine that was changed may have fewer.
        let llc = llc.filter(|&llc| usize::from(llc) < machine.llcs.len());
        Some(match llc {
            Some(llc) => Geometry::Searched(PlacementGeometry::new(machine, room, llc)),
            None => Geometry::Plain(MachineGeometry::new(machine, room)),
        })
    }

    /// Both layers for this state and size.
    fn layers(&self, ctx: &Ctx, width: f32, height: f32) -> Option<MachineLayout> {
        let roster = views::roster(ctx)?;
        let look = views::look(ctx, width, height);
        let (machine, moment) = (&roster.loaded.machine, roster.moment);
        Some(match (self, placement(ctx)) {
            (Geometry::Searched(geometry), Some((decision, place))) => {
                placement::draw(geometry, decision, place, machine, moment, roster, &look)
            }
            (Geometry::Searched(geometry), None) => {
                machine::draw(&geometry.machine, machine, moment, roster, &look)
            }
            (Geometry::Plain(geometry), _) => {
                machine::draw(geometry, machine, moment, roster, &look)
            }
        })
    }
}

#[component]
fn MachinePicture(props: &PictureProps) -> Html {
    let ctx = use_page(
        Changes::MOMENT
            .and(Changes::DOC)
            .and(Changes::TAB)
            .and(Changes::FRAME)
            .and(Changes::SELECTED)
            .and(Changes::HOVER)
            .and(Changes::CARRY)
            .and(Changes::LOOK)
            .and(Changes::THEME),
    );
    let cells = use_node_ref();
    let legend = if props.width < 460.0 && ctx.tab == Tab::Placement { 2.0 } else { 1.0 };
    let (width, height) = (props.width, props.height - LEGEND * legend);
    let doc = ctx.doc.clone();
    // Stepping changes marks, not layout: between placements the room of the last one is kept.
    let searched = use_mut_ref(|| None::<u16>);
    let place = placement(&ctx).map(|(_, place)| place.llc);
    let llc = if ctx.tab == Tab::Placement { place.or(*searched.borrow()) } else { None };
    searched.replace(llc);
    let geometry = use_memo(
        (
            Same(doc.clone()),
            width.to_bits(),
            height.to_bits(),
            llc,
            // A queue that grows may need deeper cells.
            views::roster(&ctx).map(|r| Room::of(&views::look(&ctx, width, height), r).depth),
        ),
        |_| Geometry::new(&ctx, llc, width, height),
    );
    let layout = geometry.as_ref().as_ref().and_then(|g| g.layers(&ctx, width, height));
    let many = doc.as_ref().is_some_and(|d| d.machine.cpus.len() >= CANVAS_CPUS);
    let (under, over) = match layout {
        None => (None, None),
        Some(layout) if many => (Some(Rc::new(layout.cells)), Some(Rc::new(layout.overlay))),
        Some(layout) => (None, Some(Rc::new(layout.merged()))),
    };
    canvas::use_painted(cells.clone(), under, ctx.theme);
    let Some(scene) = over else {
        return if ctx.phase == Phase::Empty {
            html! { <p class="note">{ "The machine of a scenario is drawn here." }</p> }
        } else {
            super::start::machine_ghost(width, height)
        };
    };
    let hit = {
        let ctx = ctx.clone();
        Callback::from(move |target: Target| act_on(&ctx, &target))
    };
    let over_mark = {
        let ctx = ctx.clone();
        Callback::from(move |target: Option<Target>| light_up(&ctx, target.as_ref()))
    };
    let double = {
        let ctx = ctx.clone();
        Callback::from(move |event: MouseEvent| {
            let at = (f64::from(event.client_x()), f64::from(event.client_y()));
            let cpu = crate::dom::under(at.0, at.1, "data-cpu").and_then(|c| c.parse().ok());
            let llc = cpu.and_then(|c| ctx.lens_for(c));
            ctx.act(Action::Lens(if ctx.lens == llc { None } else { llc }));
        })
    };
    let key = arrows(&ctx);
    let label = spoken(&ctx);
    let size = format!("width:{}px;height:{}px", scene.width, scene.height);
    html! {
        <>
            <div class="stack" style={size.clone()} tabindex="0" role="application" data-arrows="1"
                aria-roledescription="machine" aria-label={label.clone()} onkeydown={key} ondblclick={double}>
                if many { <canvas ref={cells} style={size} aria-hidden="true" /> }
                <Picture {scene} label="Machine" on_hit={hit} on_over={over_mark} moves={!many} />
            </div>
            <Legend />
        </>
    }
}

/// The same as a table.
#[component]
fn MachineTable() -> Html {
    let ctx = use_page(Changes::MOMENT.and(Changes::DOC).and(Changes::TAB));
    let Some(roster) = views::roster(&ctx) else { return html! {} };
    let look = views::look(&ctx, 0.0, 0.0);
    let rows = machine::table(&roster.loaded.machine, roster.moment, roster, &look);
    html! {
        <div class="scroll" style="height:100%" tabindex="0" role="region" aria-label="CPUs">
            <table class="tb">
                <thead><tr>{ for machine::TITLES.iter().map(|t| html! { <th key={*t} scope="col">{ *t }</th> }) }</tr></thead>
                <tbody>
                    { for rows.iter().enumerate().map(|(i, row)| html! {
                        <tr key={i}>{ for row.iter().enumerate().map(|(k, cell)| html! {
                            <td key={k}>{ cell.clone() }</td>
                        }) }</tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}

/// Room for the legend, px.
const LEGEND: f32 = 30.0;

/// What the focus CPU is doing, for a screen reader.
fn spoken(ctx: &Ctx) -> String {
    let Some(roster) = views::roster(ctx) else { return "Machine".into() };
    let cpu = ctx.focus;
    let Some(view) = roster.moment.cpus.get(usize::from(cpu)) else { return "Machine".into() };
    let runs = view.curr.map_or("idle".into(), |t| format!("runs {}", roster.name(t)));
    let waits =
        schedscope_ui::format::plural(view.waiting.len() as u64, "task waits", "tasks wait");
    let place = roster.loaded.machine.cpus.get(usize::from(cpu));
    let place = place.map_or_else(String::new, |p| format!(", core {}, LLC {}", p.core, p.llc));
    format!("Machine. CPU {cpu}{place}: {runs}, {waits}. Arrow keys go to other CPUs.")
}

/// Arrows go over the CPUs as they lie: by core and by thread.
fn arrows(ctx: &Ctx) -> Callback<KeyboardEvent> {
    let ctx = ctx.clone();
    Callback::from(move |event: KeyboardEvent| {
        if ctx.carry.is_some() {
            return;
        }
        let to = match event.key().as_str() {
            "ArrowRight" => neighbour(&ctx, Some(ctx.focus), 1, false),
            "ArrowLeft" => neighbour(&ctx, Some(ctx.focus), -1, false),
            "ArrowDown" => neighbour(&ctx, Some(ctx.focus), 1, true),
            "ArrowUp" => neighbour(&ctx, Some(ctx.focus), -1, true),
            _ => None,
        };
        if let Some(cpu) = to {
            event.prevent_default();
            event.stop_propagation();
            ctx.act(Action::Focus(cpu));
        }
    })
}

/// What the marks of the machine mean; and the way back to following.
#[component]
fn Legend() -> Html {
    let ctx = use_page(Changes::TAB.and(Changes::MOMENT).and(Changes::DOC));
    let background = ctx.doc.as_ref().is_some_and(|doc| doc.rows.iter().any(|row| row.muted));
    let swatch = |fill: &str, edge: &str| {
        html! {
            <svg width="14" height="14" aria-hidden="true">
                <rect x=".5" y=".5" width="13" height="13" rx="2"
                    style={format!("fill:var(--{fill});stroke:var(--{edge})")} />
            </svg>
        }
    };
    // Marks of a search where there is one.
    let placing = placement(&ctx).is_some();
    html! {
        <div class="note legend">
            if background { <span>{ swatch("busy", "busy-edge") }{ "background task" }</span> }
            <span>{ swatch("idle", "idle-edge") }{ "idle" }</span>
            if placing {
                <span>
                    <svg width="14" height="14" aria-hidden="true">
                        <rect x="1.5" y="1.5" width="11" height="11" class="accent-line" />
                    </svg>{ "checked, busy" }
                </span>
                <span>
                    <svg width="14" height="14" aria-hidden="true">
                        <circle cx="7" cy="7" r="5.5" class="accent-line" />
                    </svg>{ "checked, idle" }
                </span>
                <span>
                    <svg width="14" height="14" aria-hidden="true">
                        <rect x="1.5" y="1.5" width="11" height="11" rx="2"
                            style="fill:none;stroke:var(--accent);stroke-width:3" />
                    </svg>{ "chosen" }
                </span>
            }
            if ctx.focus_held {
                <button type="button" class="linkish" onclick={ctx.on::<MouseEvent>(Action::Unfocus)}
                    title="Follow the decisions again (Esc)">
                    { format!("CPU {} held: release", ctx.focus) }
                </button>
            }
        </div>
    }
}

/// The line between machine and decision, which can be moved.
#[component]
fn Gutter() -> Html {
    let ctx = use_page(Changes::FRAME.and(Changes::TAB));
    let from = use_mut_ref(|| None::<(f64, f32)>);
    let now = ctx.panels.machine_width(ctx.tab, ctx.viewport);
    let down = {
        let from = from.clone();
        Callback::from(move |event: PointerEvent| {
            from.replace(Some((f64::from(event.client_x()), now)));
            let element: web_sys::Element = event.target_unchecked_into();
            _ = element.set_pointer_capture(event.pointer_id());
        })
    };
    let movement = {
        let (ctx, from) = (ctx.clone(), from.clone());
        Callback::from(move |event: PointerEvent| {
            if let Some((x, width)) = *from.borrow() {
                let width = width + (f64::from(event.client_x()) - x) as f32;
                ctx.act(Action::Split(Some(width.max(200.0))));
            }
        })
    };
    let up = Callback::from(move |_: PointerEvent| {
        from.take();
    });
    let key = {
        let ctx = ctx.clone();
        Callback::from(move |event: KeyboardEvent| {
            let to = match event.key().as_str() {
                "ArrowLeft" => Some(now - 24.0),
                "ArrowRight" => Some(now + 24.0),
                "Enter" => None,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            ctx.act(Action::Split(to));
        })
    };
    let reset = ctx.on::<MouseEvent>(Action::Split(None));
    html! {
        <div class="gutter" role="separator" aria-orientation="vertical" tabindex="0" data-arrows="1"
            aria-label="Width of the machine panel" aria-valuenow={now.round().to_string()}
            aria-valuemin="200" aria-valuemax="1600" onpointerdown={down} onpointermove={movement}
            onpointerup={up.clone()} onpointercancel={up} onkeydown={key} ondblclick={reset} />
    }
}
