//! The boxes at the top to choose from: scenario, kernel, a second kernel beside it.

use super::IconButton;
use crate::ctx::{Ctx, use_page};
use crate::icons::icon;
use schedscope_session::Edit;
use schedscope_ui::action::{Action, Start};
use schedscope_ui::kernels;
use schedscope_ui::labs::{self, LABS};
use schedscope_ui::state::{Changes, Dialog};
use yew::prelude::*;

/// An entry of a box.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    value: AttrValue,
    name: AttrValue,
    /// The heading it stands under, if under one.
    under: AttrValue,
    about: AttrValue,
}

impl Item {
    /// One without a heading.
    #[must_use]
    pub fn new(value: impl Into<AttrValue>, name: impl Into<AttrValue>) -> Item {
        Item { value: value.into(), name: name.into(), under: "".into(), about: "".into() }
    }

    /// The same under this heading; the same headings stand together.
    #[must_use]
    pub fn under(self, heading: impl Into<AttrValue>) -> Item {
        Item { under: heading.into(), ..self }
    }

    /// The same with a line on what it is.
    #[must_use]
    pub fn about(self, about: impl Into<AttrValue>) -> Item {
        Item { about: about.into(), ..self }
    }
}

/// Properties of a [`Choice`].
#[derive(Properties, PartialEq)]
pub struct ChoiceProps {
    /// What is chosen; names the box.
    pub label: AttrValue,
    /// The value of what is chosen now.
    pub value: AttrValue,
    /// What can be chosen.
    pub options: Vec<Item>,
    /// Takes the value that was chosen.
    pub on_choose: Callback<String>,
    /// Whether there is something to choose.
    #[prop_or(true)]
    pub enabled: bool,
    /// The id of the box, if it is not that of its label.
    #[prop_or_default]
    pub id: Option<AttrValue>,
}

/// A label with a list to choose from.
#[component]
pub fn Choice(props: &ChoiceProps) -> Html {
    let change = {
        let on = props.on_choose.clone();
        let value = props.value.clone();
        Callback::from(move |event: Event| {
            let select: web_sys::HtmlSelectElement = event.target_unchecked_into();
            let chosen = select.value();
            // The choice shows what is, not what was asked for: that may be refused.
            select.set_value(&value);
            on.emit(chosen);
        })
    };
    let id = props.id.clone().unwrap_or_else(|| format!("choose-{}", props.label).into());
    let node = use_node_ref();
    {
        // The box shows what is: Yew sets the attribute of an option, which a choice by hand
        // outweighs.
        let (node, value) = (node.clone(), props.value.clone());
        use_effect(move || {
            if let Some(select) = node.cast::<web_sys::HtmlSelectElement>()
                && select.value() != *value
            {
                select.set_value(&value);
            }
        });
    }
    let option = |item: &Item| {
        html! {
            <option key={item.value.to_string()} value={item.value.clone()} title={item.about.clone()}
                selected={item.value == props.value}>{ item.name.clone() }</option>
        }
    };
    let parts = props.options.chunk_by(|a, b| a.under == b.under);
    html! {
        <span class="pick">
            <label class="dim" for={id.clone()}>{ props.label.clone() }</label>
            <select ref={node} id={id} disabled={!props.enabled} onchange={change}>
                { for parts.map(|items| {
                    let under = &items[0].under;
                    let options = items.iter().map(option);
                    if under.is_empty() {
                        html! { <>{ for options }</> }
                    } else {
                        html! { <optgroup key={under.to_string()} label={under.clone()}>{ for options }</optgroup> }
                    }
                }) }
            </select>
            { icon("down", 12) }
        </span>
    }
}

/// Which scenario.
#[component]
pub fn ScenarioChoice() -> Html {
    let ctx = use_page(Changes::DOC);
    let title = match &ctx.doc {
        Some(doc) if !doc.title.is_empty() => doc.title.clone(),
        _ => "Untitled".into(),
    };
    let mut options = vec![Item::new("", title)];
    options.extend(LABS.iter().map(|lab| Item::new(lab.id, lab.title()).under(lab.section)));
    options.push(Item::new("-new", "Empty machine"));
    options.push(Item::new("-start", "Start page"));
    let choose = {
        let ctx = ctx.clone();
        Callback::from(move |id: String| match (id.as_str(), labs::find(&id)) {
            (_, Some(lab)) => ctx.act(lab.open(Start::default())),
            ("-start", _) => ctx.act(Action::Close),
            ("-new", _) => ctx.act(labs::empty()),
            _ => {}
        })
    };
    html! { <Choice label="scenario" value="" {options} on_choose={choose} /> }
}

/// The kernels by era, each with what it changed.
#[must_use]
pub fn kernel_items() -> Vec<Item> {
    let eras = kernels::by_era();
    let of = eras.into_iter().flat_map(|(era, list)| list.into_iter().map(move |k| (era, k)));
    of.map(|(era, k)| Item::new(k.preset, k.short()).under(era).about(k.about)).collect()
}

/// Whether the kernel is not as its preset has it.
fn changed(ctx: &Ctx) -> bool {
    ctx.doc.as_ref().is_some_and(|d| {
        let features = d.kernel.features.iter().any(|f| f.exists && f.on != f.default);
        features || d.kernel.placement.is_some()
    })
}

/// Which kernel, and its features.
#[component]
pub fn KernelChoice() -> Html {
    let ctx = use_page(Changes::DOC);
    let mut options = kernel_items();
    let preset = ctx.doc.as_ref().map(|d| d.kernel.preset.clone()).unwrap_or_default();
    if ctx.doc.is_none() {
        options.insert(0, Item::new("", "–"));
    }
    let choose = {
        let ctx = ctx.clone();
        Callback::from(move |id: String| ctx.edit(Edit::Kernel(id)))
    };
    let changed = changed(&ctx);
    html! {
        <>
            <Choice label="kernel" value={preset} {options} on_choose={choose} enabled={ctx.doc.is_some()} />
            <IconButton icon="tune" label="Kernel features" enabled={ctx.doc.is_some()}
                title={if changed { "Kernel features: some are changed" } else { "Kernel features" }}
                class={classes!("tight", changed.then_some("marked"))}
                act={Some(Action::Dialog(Some(Dialog::Kernel)))} />
        </>
    }
}

/// Which kernel runs beside it, if one does.
#[component]
pub fn BesideChoice() -> Html {
    let ctx = use_page(Changes::DOC.and(Changes::BESIDE));
    let with = ctx.beside.as_ref().map(|second| second.with.clone());
    let first = if with.is_some() { "one kernel only" } else { "compare …" };
    let mut options = vec![Item::new("", first)];
    options.extend(kernel_items());
    let known = with.as_ref().is_none_or(|w| kernels::title(w) != w);
    if let Some(with) = with.as_ref().filter(|_| !known) {
        options.insert(1, Item::new(with.clone(), with.clone()));
    }
    let choose = {
        let ctx = ctx.clone();
        Callback::from(move |id: String| ctx.act(Action::Beside((!id.is_empty()).then_some(id))))
    };
    let open = with.is_some();
    html! {
        <span class={classes!("beside", open.then_some("open"))}>
            <Choice label="beside" id="choose-beside" value={with.unwrap_or_default()} {options}
                on_choose={choose} enabled={ctx.doc.is_some()} />
            if open {
                <IconButton icon="differ" label="Next difference" title="Next difference of the two kernels (D)"
                    class="tight" act={Some(Action::Difference { next: true })} />
                <IconButton icon="close" label="Close the second kernel" class="tight"
                    act={Some(Action::Beside(None))} />
            }
        </span>
    }
}
