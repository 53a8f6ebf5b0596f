//! Groups of tasks: their headings in the task list, and which one a row is in.

use super::task_editor::{Number, Text};
use crate::ctx::use_page;
use crate::icons::icon;
use schedscope_session::{Edit, Who};
use schedscope_ui::action::Action;
use schedscope_ui::format;
use schedscope_ui::state::Changes;
use yew::prelude::*;

/// On at most so many CPUs the weight of a group is said in its heading.
const WEIGHTS: usize = 3;

/// Properties of a [`GroupHead`].
#[derive(Properties, PartialEq)]
pub struct GroupProps {
    /// Its place in the document's list.
    pub index: u16,
}

/// The heading of a group: its name, shares and latency-nice.
#[component]
pub fn GroupHead(props: &GroupProps) -> Html {
    let ctx = use_page(Changes::DOC.and(Changes::ROWS));
    let index = props.index;
    let Some(doc) = ctx.doc.clone() else { return html! {} };
    let Some(group) = doc.groups.get(usize::from(index)) else { return html! {} };
    let now = ctx.moment.as_ref().and_then(|m| m.groups.get(usize::from(index)));
    let (shares, latency_nice) =
        now.map_or((group.shares, group.latency_nice), |now| (now.shares, now.latency_nice));
    let rename = {
        let (ctx, old) = (ctx.clone(), group.name.clone());
        Callback::from(move |text: String| {
            let text = text.trim().to_string();
            if text != old && !text.is_empty() {
                ctx.edit(Edit::RenameGroup(index, text));
            }
        })
    };
    let share = {
        let ctx = ctx.clone();
        Callback::from(move |v: f64| ctx.edit(Edit::Shares(index, v as u32)))
    };
    let latency = {
        let ctx = ctx.clone();
        Callback::from(move |v: f64| ctx.edit(Edit::GroupLatencyNice(index, v as i8)))
    };
    let weights = now.map(|now| now.on.iter().filter(|on| on.tasks > 0).collect::<Vec<_>>());
    let weights = weights.filter(|on| !on.is_empty() && on.len() <= WEIGHTS).map(|on| {
        let each = on
            .iter()
            .map(|on| format!("{} on CPU {}", format::count(u64::from(on.weight)), on.cpu));
        format!("weighs {}", each.collect::<Vec<_>>().join(", "))
    });
    html! {
        <div class="tgroup" role="row">
            <div role="gridcell" aria-colspan="5">
                <div class="tgname">
                    <label class="sr" for={format!("groupname-{index}")}>{ "name of the group" }</label>
                    <Text id={format!("groupname-{index}")} value={group.name.clone()} hint="group" on_change={rename} />
                    <button type="button" class="btn tight" aria-label={format!("Remove the group {}", group.name)}
                        title="Remove the group; its tasks stay"
                        onclick={ctx.on::<MouseEvent>(Action::Edit(Edit::RemoveGroup(index)))}>
                        { icon("trash", 14) }
                    </button>
                </div>
                <div class="tgfigures">
                    <span>{ "shares" }</span>
                    <Number label={format!("shares of {}", group.name)} value={f64::from(shares)} least=2.0
                        most=262_144.0 on_change={share} quiet=true />
                    <span>{ "lat-nice" }</span>
                    <Number label={format!("latency-nice of {}", group.name)} value={f64::from(latency_nice)}
                        least={-20.0} most=19.0 on_change={latency} quiet=true />
                </div>
                if let Some(weights) = weights { <p class="note">{ weights }</p> }
                { for group.notes.iter().map(|note| html! { <p key={note.clone()} class="note">{ note.clone() }</p> }) }
            </div>
        </div>
    }
}

/// Adds a group.
#[component]
pub fn AddGroup() -> Html {
    let ctx = use_page(Changes::NONE);
    html! {
        <div class="addgroup" role="row">
            <span role="gridcell" aria-colspan="5">
                <button type="button" class="btn small" title="A group shares CPU time as one task would; tasks are put into it in their editors"
                    onclick={ctx.on::<MouseEvent>(Action::Edit(Edit::AddGroup("group".into())))}>
                    { icon("plus", 12) }{ "group of tasks" }
                </button>
            </span>
        </div>
    }
}

/// Which group a row is in.
#[component]
pub fn OfGroup(props: &GroupProps) -> Html {
    let ctx = use_page(Changes::DOC.and(Changes::ROWS));
    let index = props.index;
    let Some(doc) = ctx.doc.clone() else { return html! {} };
    let now = ctx.row_now(index).group;
    let change = {
        let ctx = ctx.clone();
        Callback::from(move |event: Event| {
            let select: web_sys::HtmlSelectElement = event.target_unchecked_into();
            let name = ctx.latest().doc.as_ref().and_then(|d| {
                let group = d.groups.get(select.value().parse::<usize>().ok()?)?;
                Some(group.name.clone())
            });
            ctx.edit(Edit::Group(Who::Row(index), name));
        })
    };
    html! {
        <select id={format!("group-{index}")} class="field" onchange={change}>
            <option value="" selected={now.is_none()}>{ "none" }</option>
            { for doc.groups.iter().enumerate().map(|(i, group)| html! {
                <option key={i} value={i.to_string()} selected={now.map(usize::from) == Some(i)}>{ group.name.clone() }</option>
            }) }
        </select>
    }
}
