//! What a row of the task list opens into: sliders and numbers, slice, CPUs, program.

use crate::ctx::use_page;
use crate::icons::icon;
use schedscope_session::{Edit, Who};
use schedscope_ui::action::{Action, Load};
use schedscope_ui::format;
use schedscope_ui::state::{Changes, Field};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Properties of the [`TaskEditor`].
#[derive(Properties, PartialEq)]
pub struct EditorProps {
    /// The row.
    pub index: u16,
}

/// The editor of a row.
#[component]
pub fn TaskEditor(props: &EditorProps) -> Html {
    let ctx = use_page(Changes::DOC.and(Changes::MOMENT).and(Changes::ROWS).and(Changes::PROBLEMS));
    let index = props.index;
    let node = use_node_ref();
    {
        // The list keeps the editor in view.
        let node = node.clone();
        use_effect_with(index, move |_| {
            if let Some(element) = node.cast::<web_sys::Element>() {
                crate::dom::reveal(&element);
            }
        });
    }
    let Some(doc) = ctx.doc.clone() else { return html! {} };
    let Some(row) = doc.rows.get(usize::from(index)) else { return html! {} };
    let who = Who::Row(index);
    let kernel = &doc.kernel;
    let edit = |make: fn(Who, f64) -> Edit| {
        let ctx = ctx.clone();
        Callback::from(move |v: f64| ctx.edit(make(who, v)))
    };
    let suppose = |make: fn(Who, f64) -> Edit| {
        let ctx = ctx.clone();
        Callback::from(move |v: Option<f64>| ctx.act(Action::WhatIf(v.map(|v| make(who, v)))))
    };
    let nice = |w, v| Edit::Nice(w, v as i8);
    let latency_nice = |w, v| Edit::LatencyNice(w, v as i8);
    let slice = |w, v: f64| Edit::Slice(w, Some((v * 1e6).round() as u64));
    let weight = ctx
        .moment
        .as_ref()
        .and_then(|m| m.tasks.iter().find(|t| t.row == index).map(|t| t.weight))
        .filter(|&w| w > 0);
    let now = ctx.row_now(index);
    let slice_ms = now.slice.unwrap_or(kernel.base_slice) as f64 / 1e6;
    let affinity = {
        let (ctx, old) = (ctx.clone(), now.affinity.clone());
        Callback::from(move |text: String| {
            let text = text.trim().to_string();
            if text != old {
                let list = ctx.cpu_list(&text).unwrap_or(text);
                ctx.edit(Edit::Affinity(who, list));
            }
        })
    };
    let rename = {
        let (ctx, old) = (ctx.clone(), row.name.clone());
        Callback::from(move |text: String| {
            if text.trim() != old && !text.trim().is_empty() {
                ctx.edit(Edit::Rename(index, text.trim().to_string()));
            }
        })
    };
    let program = {
        let (ctx, old) = (ctx.clone(), row.program.clone());
        Callback::from(move |text: String| {
            if text.trim_end() != old.trim_end() {
                ctx.edit(Edit::Program(index, text));
            }
        })
    };
    let move_to = ctx.on::<MouseEvent>(Action::PickUp { load: Load::Row(index), keys: true });
    let duplicate = ctx.on::<MouseEvent>(Action::Edit(Edit::Duplicate(index)));
    let remove = ctx.on::<MouseEvent>(Action::Edit(Edit::Remove(index)));
    let here = ctx.moment.as_ref().and_then(|m| m.tasks.iter().find(|t| t.row == index));
    let pinned = now.affinity.parse::<u16>().is_ok();
    let pin = {
        let cpu = here.map_or(ctx.focus, |t| t.cpu);
        let list = if pinned { String::new() } else { cpu.to_string() };
        ctx.on::<MouseEvent>(Action::Edit(Edit::Affinity(who, list)))
    };
    let custom = kernel.custom_slice;
    let wrong = |field: Field| ctx.refusal(field).map(|why| AttrValue::from(why.to_string()));
    html! {
        <div ref={node} class="ed" role="group" aria-label={format!("Edit {}", row.name)}>
            if !row.notes.is_empty() {
                <ul class="rownotes">
                    { for row.notes.iter().map(|note| html! { <li key={note.clone()}>{ note.clone() }</li> }) }
                </ul>
            }
            <Slider id={format!("nice-{index}")} label="nice" value={f64::from(now.nice)} least={-20.0}
                most=19.0 on_change={edit(nice)} on_try={suppose(nice)} />
            <Slider id={format!("latency-{index}")} label="latency-nice" value={f64::from(now.latency_nice)}
                least={-20.0} most=19.0 on_change={edit(latency_nice)} on_try={suppose(latency_nice)} />
            <Slider id={format!("slice-{index}")} label="slice, ms" value={slice_ms} least=0.1 most=100.0
                log=true on_change={edit(slice)} on_try={suppose(slice)} enabled={custom} />
            if now.slice.is_some() {
                <button type="button" class="btn out small" onclick={
                    ctx.on::<MouseEvent>(Action::Edit(Edit::Slice(who, None)))
                }>{ "Use the kernel's slice" }</button>
            }
            <div class="line">
                <label for={format!("cpus-{index}")}>{ "CPUs" }</label>
                <Text id={format!("cpus-{index}")} value={now.affinity.clone()} hint="any"
                    on_change={affinity} mono=true wrong={wrong(Field::Cpus(index))} />
            </div>
            <div class="line">
                <label for={format!("name-{index}")}>{ "name" }</label>
                <Text id={format!("name-{index}")} value={row.name.clone()} hint="" on_change={rename}
                    wrong={wrong(Field::Name(index))} />
            </div>
            <div class="line">
                <label for={format!("group-{index}")}>{ "group" }</label>
                <super::task_groups::OfGroup {index} />
            </div>
            <super::face::Face {index} />
            <label class="over" for={format!("program-{index}")}>{ "program, one operation a line" }</label>
            <Program id={format!("program-{index}")} value={row.program.clone()} on_change={program}
                wrong={wrong(Field::Program(index))} />
            <dl class="facts">
                if let Some(weight) = weight {
                    <dt>{ "weight" }</dt><dd class="num">{ format::count(weight.into()) }</dd>
                }
                if let Some(task) = here {
                    <dt>{ "ran" }</dt><dd class="num">{ format!("{} ms", format::ms(task.ran, 3)) }</dd>
                }
                if !kernel.latency_nice.is_empty() {
                    <dt>{ "latency-nice" }</dt><dd>{ kernel.latency_nice.clone() }</dd>
                }
            </dl>
            <div class="tools">
                <button type="button" class="btn out" title="Move to CPUs (M)" onclick={move_to}>
                    { "Move to …" }
                </button>
                <button type="button" class="btn out" aria-pressed={pinned.to_string()} onclick={pin}
                    title={if pinned { "Let it run anywhere" } else { "Pin it to the CPU it is on" }}>
                    { icon("pin", 14) }{ if pinned { "Unpin" } else { "Pin here" } }
                </button>
                <button type="button" class="btn" title="Duplicate" aria-label="Duplicate" onclick={duplicate}>
                    { icon("copy", 16) }
                </button>
                <button type="button" class="btn" title="Remove (Del)" aria-label="Remove" onclick={remove}>
                    { icon("trash", 16) }
                </button>
            </div>
        </div>
    }
}

/// Properties of a [`Number`].
#[derive(Properties, PartialEq)]
pub struct NumberProps {
    /// Its spoken name.
    pub label: AttrValue,
    /// The value.
    pub value: f64,
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
    /// Takes a new value.
    pub on_change: Callback<f64>,
    /// Without an outline until the row is hovered.
    #[prop_or_default]
    pub quiet: bool,
    /// Decimals.
    #[prop_or_default]
    pub decimals: usize,
    /// Whether it can be changed.
    #[prop_or(true)]
    pub enabled: bool,
    /// Hears whether what is in the field is no such number.
    #[prop_or_default]
    pub on_bad: Callback<bool>,
    /// Hears the value while it is scrubbed; `None` if it is not taken.
    #[prop_or_default]
    pub on_try: Callback<Option<f64>>,
}

fn show(value: f64, decimals: usize) -> String {
    format!("{value:.decimals$}").replace('-', "−")
}

fn read(text: &str) -> Option<f64> {
    text.trim().replace('−', "-").replace(',', ".").parse().ok()
}

/// A number that is typed, stepped with arrows, or scrubbed sideways.
#[component]
pub fn Number(props: &NumberProps) -> Html {
    // What is being typed, or was typed and cannot be taken: it stays in the field, whatever is
    // drawn anew meanwhile.
    let draft = use_state_eq(|| None::<String>);
    let bad = use_state_eq(|| false);
    let node = use_node_ref();
    let drag = use_mut_ref(|| None::<(f64, f64, bool)>);
    let (least, most, value, decimals) = (props.least, props.most, props.value, props.decimals);
    let whole = decimals == 0;
    // A rejected edit must not leave the field out of step with the value.
    {
        let node = node.clone();
        let shown = (*draft).clone().unwrap_or_else(|| show(value, decimals));
        use_effect(move || {
            if let Some(input) = node.cast::<HtmlInputElement>()
                && crate::dom::document().active_element().as_ref() != Some(input.as_ref())
                && input.value() != shown
            {
                input.set_value(&shown);
            }
        });
    }
    let fits = move |v: f64| (least..=most).contains(&v) && (!whole || v.fract() == 0.0);
    {
        let on_bad = props.on_bad.clone();
        use_effect_with(*bad, move |&bad| on_bad.emit(bad));
    }
    let commit = {
        let (draft, bad, on) = (draft.clone(), bad.clone(), props.on_change.clone());
        move |input: &HtmlInputElement| match read(&input.value()) {
            Some(v) if fits(v) => {
                draft.set(None);
                bad.set(false);
                if (v - value).abs() > 1e-9 {
                    on.emit(v);
                }
            }
            _ => {
                draft.set(Some(input.value()));
                bad.set(true);
            }
        }
    };
    let typed = {
        let draft = draft.clone();
        Callback::from(move |event: InputEvent| {
            let input: HtmlInputElement = event.target_unchecked_into();
            draft.set(Some(input.value()));
        })
    };
    let change = {
        let commit = commit.clone();
        Callback::from(move |event: Event| commit(&event.target_unchecked_into()))
    };
    let key = {
        let (draft, bad) = (draft.clone(), bad.clone());
        Callback::from(move |event: KeyboardEvent| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let now = read(&input.value()).unwrap_or(value);
            let to = match event.key().as_str() {
                "ArrowUp" => now + 1.0,
                "ArrowDown" => now - 1.0,
                "PageUp" => now + 5.0,
                "PageDown" => now - 5.0,
                "Escape" => {
                    draft.set(None);
                    bad.set(false);
                    input.set_value(&show(value, decimals));
                    event.stop_propagation();
                    return;
                }
                "Enter" => now,
                _ => return,
            };
            event.prevent_default();
            if event.key() != "Enter" {
                input.set_value(&show(to.clamp(least, most), decimals));
            }
            commit(&input);
        })
    };
    let down = {
        let drag = drag.clone();
        Callback::from(move |event: PointerEvent| {
            if event.pointer_type() == "mouse" && event.button() == 0 {
                drag.replace(Some((f64::from(event.client_x()), value, false)));
            }
        })
    };
    let movement = {
        let (drag, draft, on_try) = (drag.clone(), draft.clone(), props.on_try.clone());
        Callback::from(move |event: PointerEvent| {
            let Some((x, from, scrubs)) = *drag.borrow() else { return };
            let way = f64::from(event.client_x()) - x;
            if !scrubs && way.abs() < 4.0 {
                return;
            }
            let input: HtmlInputElement = event.target_unchecked_into();
            if !scrubs {
                _ = input.set_pointer_capture(event.pointer_id());
                drag.replace(Some((x, from, true)));
            }
            let scale = if event.shift_key() { 10.0 } else { 1.0 };
            let to = (from + (way / 6.0).trunc() * scale).clamp(least, most);
            draft.set(Some(show(to, decimals)));
            on_try.emit(Some(to));
            event.prevent_default();
        })
    };
    let up = {
        let (on, draft, on_try) = (props.on_change.clone(), draft.clone(), props.on_try.clone());
        Callback::from(move |event: PointerEvent| {
            let input: HtmlInputElement = event.target_unchecked_into();
            if let Some((_, from, true)) = drag.take() {
                let v = read(&input.value()).filter(|&v| fits(v) && (v - from).abs() > 1e-9);
                draft.set(None);
                match v {
                    Some(v) => on.emit(v),
                    None => on_try.emit(None),
                }
            }
        })
    };
    let hint = format!("{} to {}", show(least, usize::from(least.fract() != 0.0)), show(most, 0));
    let shown = (*draft).clone().unwrap_or_else(|| show(value, decimals));
    let bad = *bad;
    html! {
        <span class={classes!("nfw", bad.then_some("bad"))}>
            <input ref={node} class={classes!("nf", (!props.quiet).then_some("box"))} type="text"
                inputmode="numeric" autocomplete="off" aria-label={props.label.clone()}
                aria-invalid={bad.to_string()} disabled={!props.enabled} value={shown}
                data-draft={draft.is_some().then_some("")} title={hint.clone()} oninput={typed} onchange={change} onkeydown={key} onpointerdown={down}
                onpointermove={movement} onpointerup={up} />
            if bad { <span class="range" role="alert">{ hint }</span> }
        </span>
    }
}

#[derive(Properties, PartialEq)]
struct SliderProps {
    id: AttrValue,
    label: AttrValue,
    value: f64,
    least: f64,
    most: f64,
    on_change: Callback<f64>,
    /// Hears the value while it is being chosen; `None` if it is not taken.
    on_try: Callback<Option<f64>>,
    #[prop_or_default]
    log: bool,
    #[prop_or(true)]
    enabled: bool,
}

/// A slider and its number: both are the same value.
#[component]
fn Slider(props: &SliderProps) -> Html {
    // While it is dragged, the number follows; the edit is made on release.
    let held = use_state_eq(|| None::<f64>);
    let (least, most, log) = (props.least, props.most, props.log);
    let to_track = move |v: f64| if log { (v / least).log10() * 100.0 } else { v };
    let from_track = move |t: f64| {
        if !log {
            return t;
        }
        let v = least * 10_f64.powf(t / 100.0);
        // Two figures are enough for a slice.
        let unit = 10_f64.powf(v.log10().floor() - 1.0);
        ((v / unit).round() * unit).clamp(least, most)
    };
    {
        let held = held.clone();
        use_effect_with(props.value, move |_| held.set(None));
    }
    let node = use_node_ref();
    let input = {
        let (held, on_try) = (held.clone(), props.on_try.clone());
        Callback::from(move |event: InputEvent| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let v = from_track(input.value_as_number());
            held.set(Some(v));
            on_try.emit(Some(v));
        })
    };
    let change = {
        let (on, on_try, value) = (props.on_change.clone(), props.on_try.clone(), props.value);
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let v = from_track(input.value_as_number());
            if (v - value).abs() > 1e-9 {
                on.emit(v);
            } else {
                on_try.emit(None);
            }
        })
    };
    let value = (*held).unwrap_or(props.value);
    let (lo, hi, at) = (to_track(least), to_track(most), to_track(value));
    let zero = if log { None } else { Some((0.0 - lo) / (hi - lo)) };
    let decimals = if log { if value < 10.0 { 2 } else { 1 } } else { 0 };
    {
        let node = node.clone();
        use_effect_with(at.to_string(), move |at| {
            if let Some(input) = node.cast::<HtmlInputElement>()
                && input.value() != *at
            {
                input.set_value(at);
            }
        });
    }
    html! {
        <div class="sl">
            <label for={props.id.clone()}>{ props.label.clone() }</label>
            <span class="rng" style={zero.map(|z| format!("--z:{z}"))}>
                if zero.is_some() { <i /> }
                <input ref={node} id={props.id.clone()} type="range" min={lo.to_string()}
                    max={hi.to_string()} step={if log { "any" } else { "1" }} value={at.to_string()}
                    disabled={!props.enabled} oninput={input} onchange={change}
                    aria-valuetext={show(value, decimals)} />
            </span>
            <Number label={format!("{} value", props.label)} {value} {least} {most} {decimals}
                enabled={props.enabled} on_change={props.on_change.clone()} on_try={props.on_try.clone()} />
        </div>
    }
}

/// What was typed and not taken yet: a refused text stays in its field.
#[hook]
fn use_draft(value: &AttrValue) -> (UseStateHandle<Option<String>>, String) {
    let draft = use_state_eq(|| None::<String>);
    {
        let draft = draft.clone();
        use_effect_with(value.clone(), move |_| draft.set(None));
    }
    let shown = (*draft).clone().unwrap_or_else(|| value.to_string());
    (draft, shown)
}

/// A line of text; Escape brings back what it was.
#[component]
pub fn Text(props: &TextProps) -> Html {
    let (draft, shown) = use_draft(&props.value);
    let input = {
        let draft = draft.clone();
        Callback::from(move |event: InputEvent| {
            let input: HtmlInputElement = event.target_unchecked_into();
            draft.set(Some(input.value()));
        })
    };
    let change = {
        let on = props.on_change.clone();
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            on.emit(input.value());
        })
    };
    let key = {
        let draft = draft.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                draft.set(None);
                event.stop_propagation();
            }
        })
    };
    let wrong = props.wrong.clone().filter(|_| draft.is_some());
    html! {
        <>
        <input id={props.id.clone()} class={classes!("field", props.mono.then_some("num"))} type="text"
            autocomplete="off" spellcheck="false" placeholder={props.hint.clone()}
            value={shown} oninput={input} onchange={change} onkeydown={key}
            aria-invalid={wrong.is_some().to_string()} />
        { why(wrong) }
        </>
    }
}

/// Why what stands in the field was not taken.
fn why(wrong: Option<AttrValue>) -> Html {
    wrong.map_or_else(Html::default, |wrong| html! { <p class="why" role="alert">{ wrong }</p> })
}

#[derive(Properties, PartialEq)]
struct ProgramProps {
    id: AttrValue,
    value: AttrValue,
    on_change: Callback<String>,
    wrong: Option<AttrValue>,
}

/// The program of a row; Escape brings back what it was.
#[component]
fn Program(props: &ProgramProps) -> Html {
    let (draft, shown) = use_draft(&props.value);
    let input = {
        let draft = draft.clone();
        Callback::from(move |event: InputEvent| {
            let area: web_sys::HtmlTextAreaElement = event.target_unchecked_into();
            draft.set(Some(area.value()));
        })
    };
    let change = {
        let on = props.on_change.clone();
        Callback::from(move |event: Event| {
            let area: web_sys::HtmlTextAreaElement = event.target_unchecked_into();
            on.emit(area.value());
        })
    };
    let key = {
        let draft = draft.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                draft.set(None);
                event.stop_propagation();
            }
        })
    };
    let lines = shown.lines().count().clamp(2, 10);
    let wrong = props.wrong.clone().filter(|_| draft.is_some());
    html! {
        <>
        <textarea id={props.id.clone()} class="field num" rows={lines.to_string()} spellcheck="false"
            value={shown} oninput={input} onchange={change} onkeydown={key}
            aria-invalid={wrong.is_some().to_string()} />
        { why(wrong) }
        </>
    }
}

/// Properties of a [`Text`].
#[derive(Properties, PartialEq)]
pub struct TextProps {
    /// Its id.
    pub id: AttrValue,
    /// What it says.
    pub value: AttrValue,
    /// What it says while it is empty.
    pub hint: AttrValue,
    /// Takes what was typed.
    pub on_change: Callback<String>,
    /// Why what was typed was not taken.
    #[prop_or_default]
    pub wrong: Option<AttrValue>,
    /// Whether it is a list of numbers.
    #[prop_or_default]
    pub mono: bool,
}
