//! A machine of one's own: counts of each level.

use crate::ctx::use_page;
use crate::parts::task_editor::Number;
use schedscope_session::Edit;
use schedscope_ui::action::Action;
use schedscope_ui::state::Changes;
use yew::prelude::*;

/// The levels, from the outside in: key of the document, words, most.
const LEVELS: [(&str, &str, f64); 5] = [
    ("sockets", "sockets", 8.0),
    ("nodes", "NUMA nodes of a socket", 8.0),
    ("llcs", "LLCs of a node", 32.0),
    ("cores", "cores at an LLC", 128.0),
    ("threads", "threads of a core", 8.0),
];

/// The form.
#[component]
pub fn OwnMachine() -> Html {
    let ctx = use_page(Changes::NONE);
    let counts = use_state_eq(|| [1.0, 1.0, 2.0, 4.0, 2.0]);
    let adjacent = use_state_eq(|| false);
    // Which fields hold what is no such number: nothing is built from the figures before.
    let bad = use_state_eq(|| [false; LEVELS.len()]);
    let bads = use_mut_ref(|| [false; LEVELS.len()]);
    let cpus: f64 = counts.iter().product();
    let fits = cpus <= 1024.0;
    let refused = bad.contains(&true);
    let build = {
        let (ctx, counts, adjacent) = (ctx.clone(), counts.clone(), *adjacent);
        Callback::from(move |_: MouseEvent| {
            let mut toml = String::from("name = \"A machine of one's own\"\n");
            for ((key, ..), count) in LEVELS.iter().zip(counts.iter()) {
                toml.push_str(&format!("{key} = {count}\n"));
            }
            if adjacent {
                toml.push_str("numbering = \"siblings adjacent\"\n");
            }
            ctx.edit(Edit::Machine(toml));
            ctx.act(Action::Dialog(None));
        })
    };
    let toggle = {
        let adjacent = adjacent.clone();
        Callback::from(move |_: Event| adjacent.set(!*adjacent))
    };
    html! {
        <>
            { for LEVELS.iter().enumerate().map(|(i, (key, words, most))| {
                let change = {
                    let counts = counts.clone();
                    Callback::from(move |v: f64| {
                        let mut new = *counts;
                        new[i] = v;
                        counts.set(new);
                    })
                };
                let refused = {
                    let (bad, bads) = (bad.clone(), bads.clone());
                    Callback::from(move |is: bool| {
                        bads.borrow_mut()[i] = is;
                        bad.set(*bads.borrow());
                    })
                };
                html! {
                    <div class="line" key={*key}>
                        <span>{ *words }</span>
                        <Number label={*words} value={counts[i]} least={1.0} most={*most} on_change={change}
                            on_bad={refused} />
                    </div>
                }
            }) }
            <p class="line">
                <input id="adjacent" type="checkbox" checked={*adjacent} onchange={toggle} />
                <label for="adjacent">{ "threads of a core have adjacent numbers (0, 1), not 0 and n" }</label>
            </p>
            <p class="note">
                { if refused { "A number above is out of its range.".to_string() }
                  else if fits { format!("{cpus} CPUs. A file of lstopo or lscpu can be dropped on the page instead.") }
                  else { format!("{cpus} CPUs are too many; the most is 1024.") } }
            </p>
            <div class="tools">
                <button type="button" class="btn pri" disabled={!fits || refused} onclick={build}>{ "Use this machine" }</button>
            </div>
        </>
    }
}
