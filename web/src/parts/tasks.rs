//! The task list: patterns to add, rows to change.

use super::task_editor::TaskEditor;
use super::task_groups::{AddGroup, GroupHead};
use crate::chip::chip;
use crate::ctx::{Ctx, use_page};
use crate::dom;
use crate::gesture::use_handle;
use crate::icons::icon;
use schedscope_session::update::RowNow;
use schedscope_session::{Edit, Who};
use schedscope_ui::action::{Action, Load};
use schedscope_ui::format;
use schedscope_ui::state::{Changes, PATTERNS, Phase};
use yew::prelude::*;

/// The panel on the left.
#[component]
pub fn TaskPanel() -> Html {
    let ctx = use_page(Changes::DOC.and(Changes::ROWS).and(Changes::FRAME));
    let count = ctx.doc.as_ref().map(|d| d.rows.iter().map(|r| u64::from(r.count)).sum::<u64>());
    html! {
        <section id="tasks" class="panel" aria-label="Tasks">
            <div class="ph">
                <h2>{ "Tasks" }</h2>
                <span class="sub">{ count.map(format::count).unwrap_or_default() }</span>
            </div>
            <div class="palette" role="group" aria-label="Task patterns: drag onto a CPU, or press to add">
                { for (0..PATTERNS.len()).map(|index| html! { <Tile key={index} {index} /> }) }
            </div>
            { list(&ctx) }
        </section>
    }
}

/// Rows by where they may run, in the order of the document.
fn groups(ctx: &Ctx, rows: impl Iterator<Item = u16>) -> Vec<(String, Vec<u16>)> {
    let mut groups: Vec<(String, Vec<u16>)> = Vec::new();
    for row in rows {
        let affinity = ctx.row_now(row).affinity;
        match groups.iter_mut().find(|(list, _)| *list == affinity) {
            Some((_, members)) => members.push(row),
            None => groups.push((affinity, vec![row])),
        }
    }
    groups
}

fn list(ctx: &Ctx) -> Html {
    if ctx.phase == Phase::Starting || ctx.phase == Phase::Opening {
        return super::start::task_ghosts();
    }
    let rows = ctx.doc.as_ref().map(|d| d.rows.as_slice()).unwrap_or_default();
    if rows.is_empty() {
        return html! {
            <div class="tl hint">
                if ctx.doc.is_some() {
                    <p>{ "Drag a pattern onto a CPU." }</p>
                    <p class="faint">
                        { "Or focus a pattern, press " }<kbd>{ "Enter" }</kbd>
                        { ", and type a CPU number." }
                    </p>
                } else {
                    <p>{ "No scenario is open." }</p>
                    <p class="faint">{ "Start with a question, or open a file." }</p>
                }
            </div>
        };
    }
    let all = 0..rows.len() as u16;
    let named = all.clone().any(|row| !ctx.row_now(row).affinity.is_empty());
    let task_groups = ctx.doc.as_ref().map_or(0, |d| d.groups.len());
    // Those of no group first, then group by group.
    let parts = std::iter::once(None).chain((0..task_groups as u16).map(Some)).map(|group| {
        let of = all.clone().filter(move |&row| {
            let known = ctx.row_now(row).group.filter(|&g| usize::from(g) < task_groups);
            known == group
        });
        (group, groups(ctx, of))
    });
    let parts: Vec<_> = parts.collect();
    html! {
        <div class="tl" role="grid" aria-label="Task list">
            <div class="tg th" role="row">
                <span role="columnheader"><span class="sr">{ "chip" }</span></span>
                <span role="columnheader">{ "task" }</span>
                <span role="columnheader">{ "nice" }</span>
                <span role="columnheader" title={ctx.doc.as_ref().map(|d| d.kernel.latency_nice.clone())}>
                    { "lat-nice" }
                </span>
                <span role="columnheader">{ "slice ms" }</span>
            </div>
            { for parts.into_iter().map(|(task_group, groups)| html! {
                <div key={format!("part {task_group:?}")} class={classes!(task_group.map(|_| "intg"))} role="presentation">
                    if let Some(index) = task_group { <GroupHead {index} /> }
                    { for groups.into_iter().map(|(affinity, members)| html! {
                        <div key={format!("group {affinity}")} role="rowgroup">
                            if named { { group(&affinity) } }
                            { for members.into_iter().map(|index| html! {
                                <TaskRow key={rows[usize::from(index)].name.clone()} {index} />
                            }) }
                        </div>
                    }) }
                </div>
            }) }
            <AddGroup />
        </div>
    }
}

/// The heading of rows that may run in the same place.
fn group(affinity: &str) -> Html {
    let one = affinity.parse::<u16>().is_ok();
    let text = match affinity {
        "" => "any CPU".to_string(),
        cpu if one => format!("pinned to CPU {cpu}"),
        list => format!("CPUs {list}"),
    };
    html! {
        <div class="grp" role="row">
            <span role="gridcell" aria-colspan="5">
                if !affinity.is_empty() { { icon("pin", 12) } }
                { text }
            </span>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct TileProps {
    index: usize,
}

/// A pattern: dragged onto a CPU, or pressed to add.
#[component]
fn Tile(props: &TileProps) -> Html {
    let ctx = use_page(Changes::FRAME.and(Changes::DOC));
    let pattern = PATTERNS[props.index];
    let node = use_node_ref();
    let handle = use_handle(&ctx, Load::Pattern(props.index), node.clone());
    let press = {
        let (ctx, carried, index) = (ctx.clone(), handle.carried.clone(), props.index);
        Callback::from(move |_: MouseEvent| {
            if !carried.emit(()) {
                if ctx.doc.is_none() {
                    ctx.act(schedscope_ui::labs::empty());
                }
                ctx.act(Action::PickUp { load: Load::Pattern(index), keys: true });
            }
        })
    };
    let busy = matches!(ctx.phase, Phase::Starting | Phase::Opening);
    html! {
        <button ref={node} type="button" class="tile" disabled={busy} title={pattern.about}
            aria-label={format!("Add {}: {}", pattern.label, pattern.about)} onclick={press}
            onpointerdown={handle.down} onpointermove={handle.movement} onpointerup={handle.up}
            onpointercancel={handle.cancel}>
            <svg width="48" height="14" viewBox="0 0 48 14" aria-hidden="true">
                <path d={pattern.icon} style="fill:var(--ink-3)" />
            </svg>
            { pattern.label }
        </button>
    }
}

#[derive(Properties, PartialEq)]
struct RowProps {
    index: u16,
}

/// A row of the list; the selected one opens in place.
#[component]
fn TaskRow(props: &RowProps) -> Html {
    let ctx = use_page(
        Changes::DOC
            .and(Changes::ROWS)
            .and(Changes::SELECTED)
            .and(Changes::HOVER)
            .and(Changes::CARRY)
            .and(Changes::FRAME),
    );
    let index = props.index;
    let node = use_node_ref();
    let handle = use_handle(&ctx, Load::Row(index), node.clone());
    // The same callbacks each time, so that the fields are left alone while only the row changes.
    let dispatch = ctx.dispatch.clone();
    let nice = use_callback((index, dispatch.clone()), |v: f64, (index, dispatch)| {
        dispatch.emit(Action::Edit(Edit::Nice(Who::Row(*index), v as i8)));
    });
    let latency = use_callback((index, dispatch), |v: f64, (index, dispatch)| {
        dispatch.emit(Action::Edit(Edit::LatencyNice(Who::Row(*index), v as i8)));
    });
    let Some(doc) = ctx.doc.clone() else { return html! {} };
    let Some(row) = doc.rows.get(usize::from(index)) else { return html! {} };
    let selected = ctx.selected == Some(index);
    let first = ctx.selected.is_none() && index == 0;
    let running = ctx.moment.as_ref().is_some_and(|m| {
        use schedscope_session::update::TaskState;
        m.tasks.iter().any(|t| t.row == index && t.state == TaskState::Running)
    });
    let carried = ctx.carry.as_ref().is_some_and(|c| c.load == Load::Row(index));
    let select = {
        let (ctx, was) = (ctx.clone(), handle.carried.clone());
        Callback::from(move |event: MouseEvent| {
            if !was.emit(()) && !dom::is_control(event.target()) {
                ctx.act(Action::Select((ctx.selected != Some(index)).then_some(index)));
            }
        })
    };
    let key = {
        let ctx = ctx.clone();
        Callback::from(move |event: KeyboardEvent| {
            if dom::types_text(event.target()) {
                return;
            }
            let rows = ctx.doc.as_ref().map_or(0, |d| d.rows.len());
            let to = match event.key().as_str() {
                "Enter" | " " => {
                    event.prevent_default();
                    ctx.act(Action::Select((ctx.selected != Some(index)).then_some(index)));
                    return;
                }
                "M" if event.shift_key() && !event.ctrl_key() && ctx.letter_keys => {
                    event.prevent_default();
                    let muted = ctx
                        .doc
                        .as_ref()
                        .and_then(|d| d.rows.get(usize::from(index)))
                        .map(|r| r.muted);
                    ctx.edit(Edit::Muted(index, muted.map(|muted| !muted)));
                    return;
                }
                "m" | "M" if !event.ctrl_key() && ctx.letter_keys => {
                    event.prevent_default();
                    ctx.act(Action::PickUp { load: Load::Row(index), keys: true });
                    return;
                }
                "ArrowDown" => (usize::from(index) + 1).min(rows.saturating_sub(1)),
                "ArrowUp" => usize::from(index).saturating_sub(1),
                _ => return,
            };
            event.prevent_default();
            dom::focus(&format!("#row-{to}"));
        })
    };
    let over = ctx.on::<PointerEvent>(Action::Hover(Some(index)));
    let out = ctx.on::<PointerEvent>(Action::Hover(None));
    let class = classes!(
        "tg",
        "row",
        running.then_some("running"),
        carried.then_some("carried"),
        (ctx.hover == Some(index)).then_some("lit")
    );
    let name = row.name.clone();
    let now = ctx.row_now(index);
    let slice = shown_slice(&ctx, index, &now);
    html! {
        <>
            <div ref={node} id={format!("row-{index}")} {class} role="row" data-dim={carried.then_some("1")} aria-selected={selected.to_string()}
                data-row={index.to_string()} tabindex={if selected || first { "0" } else { "-1" }}
                onclick={select} onkeydown={key} onpointerenter={over} onpointerleave={out}
                onpointerdown={handle.down} onpointermove={handle.movement} onpointerup={handle.up}
                onpointercancel={handle.cancel}>
                <span role="gridcell">{ chip(row, &row.letter, 20.0) }</span>
                <span role="gridcell" class="nm" title={name.clone()}>
                    <span>{ name.clone() }</span>
                    if row.count > 1 { <i>{ format!("\u{a0}×{}", row.count) }</i> }
                    if !row.notes.is_empty() {
                        <b title={row.notes.join("\n")}>{ icon("about", 12) }<span class="sr">{ row.notes.join(" ") }</span></b>
                    }
                </span>
                <span role="gridcell">
                    <super::task_editor::Number label={format!("nice of {name}")} value={f64::from(now.nice)}
                        least={-20.0} most=19.0 on_change={nice} quiet=true />
                </span>
                <span role="gridcell">
                    <super::task_editor::Number label={format!("latency-nice of {name}")}
                        value={f64::from(now.latency_nice)} least={-20.0} most=19.0 on_change={latency} quiet=true />
                </span>
                <span role="gridcell" class="nf ro" aria-label={format!("slice {slice} ms")}>{ slice }</span>
            </div>
            if selected {
                <div role="row"><div role="gridcell" aria-colspan="5"><TaskEditor {index} /></div></div>
            }
        </>
    }
}

/// The slice that tasks of a row have now; what the row asks for if none is there.
fn shown_slice(ctx: &Ctx, index: u16, row: &RowNow) -> String {
    let now = ctx
        .moment
        .as_ref()
        .and_then(|m| m.tasks.iter().find(|t| t.row == index && t.slice > 0).map(|t| t.slice));
    let base = ctx.doc.as_ref().map_or(0, |d| d.kernel.base_slice);
    format::slice_ms(now.or(row.slice).unwrap_or(base))
}
