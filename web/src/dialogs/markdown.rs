//! The little Markdown that our own documents use: headings, paragraphs, lists, tables, code,
//! emphasis. Text is text: nothing in it can become markup.

use crate::dom;
use yew::prelude::*;

/// Properties of a [`File`].
#[derive(Properties, PartialEq)]
pub(crate) struct FileProps {
    /// Its address.
    pub address: AttrValue,
    /// What the part to show begins with, if not all is shown.
    #[prop_or_default]
    pub from: AttrValue,
}

/// A document that is fetched when it is read: the first load of the page does without.
#[component]
pub(crate) fn File(props: &FileProps) -> Html {
    let text = use_state_eq(|| None::<Result<String, String>>);
    {
        let text = text.clone();
        use_effect_with(props.address.clone(), move |address| {
            dom::fetch_text(address.to_string(), move |found| text.set(Some(found)));
        });
    }
    match &*text {
        // As high as a long text, so that nothing above it moves when the text comes.
        None => html! { <p class="note fetching" role="status">{ "Fetching …" }</p> },
        Some(Ok(text)) => show(&text[text.find(&*props.from).unwrap_or(0)..]),
        Some(Err(why)) => html! {
            <p class="note" role="alert">{ format!("This text could not be fetched: {why}. Is this computer offline?") }</p>
        },
    }
}

/// Shows a document.
pub(crate) fn show(text: &str) -> Html {
    let lines: Vec<&str> = text.lines().collect();
    let mut out: Vec<Html> = Vec::new();
    let mut i = 0;
    while i < lines.len() {
        let line = lines[i].trim_end();
        let from = i;
        let starts = |p: &str| line.trim_start().starts_with(p);
        if line.trim().is_empty() {
            i += 1;
        } else if starts("```") {
            i += 1;
            while i < lines.len() && !lines[i].trim_start().starts_with("```") {
                i += 1;
            }
            let code = lines[from + 1..i.min(lines.len())].join("\n");
            out.push(html! { <pre class="num">{ code }</pre> });
            i += 1;
        } else if starts("#") {
            let text = inline(line.trim_start_matches('#').trim());
            let level = line.chars().take_while(|&c| c == '#').count();
            out.push(if level <= 2 {
                html! { <h3>{ text }</h3> }
            } else {
                html! { <h4>{ text }</h4> }
            });
            i += 1;
        } else if starts("|") {
            while i < lines.len() && lines[i].trim_start().starts_with('|') {
                i += 1;
            }
            out.push(table(&lines[from..i], from + 1));
        } else if starts("- ") || starts("* ") {
            let mut items: Vec<String> = Vec::new();
            while i < lines.len() && !lines[i].trim().is_empty() {
                let item = lines[i].trim();
                match (item.strip_prefix("- ").or(item.strip_prefix("* ")), items.last_mut()) {
                    (Some(new), _) => items.push(new.to_string()),
                    (None, Some(last)) => {
                        last.push(' ');
                        last.push_str(item);
                    }
                    (None, None) => {}
                }
                i += 1;
            }
            out.push(html! {
                <ul>{ for items.iter().enumerate().map(|(k, t)| html! { <li key={k}>{ inline(t) }</li> }) }</ul>
            });
        } else {
            while i < lines.len() {
                let l = lines[i].trim();
                if l.is_empty()
                    || ["#", "|", "```", "- "].iter().any(|p| i > from && l.starts_with(p))
                {
                    break;
                }
                i += 1;
            }
            out.push(html! { <p>{ inline(&lines[from..i].join(" ")) }</p> });
        }
    }
    html! { <>{ for out }</> }
}

fn table(lines: &[&str], number: usize) -> Html {
    let cells = |line: &str| -> Vec<String> {
        let line = line.trim().trim_matches('|').replace("\\|", "\u{1}");
        line.split('|').map(|c| c.trim().replace('\u{1}', "|")).collect()
    };
    let head = lines.first().map(|l| cells(l)).unwrap_or_default();
    let rule = |l: &&&str| !l.chars().all(|c| "|-: ".contains(c));
    html! {
        <div class="scroll" tabindex="0" role="region"
            aria-label={format!("Table at line {number}")}>
            <table class="tb prosetable">
                <thead><tr>{ for head.iter().enumerate().map(|(k, c)| html! { <th key={k} scope="col">{ inline(c) }</th> }) }</tr></thead>
                <tbody>
                    { for lines.iter().skip(1).filter(rule).enumerate().map(|(r, line)| html! {
                        <tr key={r}>{ for cells(line).iter().enumerate().map(|(k, c)| html! { <td key={k}>{ inline(c) }</td> }) }</tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}

/// Code, strong, emphasis and the text of links.
fn inline(text: &str) -> Html {
    let mut out: Vec<Html> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '*', '[']) {
        let (before, from) = rest.split_at(at);
        let found = ["`", "**", "*"].iter().find_map(|mark| {
            let inner = from.strip_prefix(mark)?;
            let end = inner.find(mark).filter(|&e| e > 0)?;
            Some((*mark, &inner[..end], &inner[end + mark.len()..]))
        });
        let link = from.strip_prefix('[').and_then(|inner| {
            let (text, after) = inner.split_once("](")?;
            let (_, after) = after.split_once(')')?;
            Some((text, after))
        });
        out.push(html! { { before.to_string() } });
        match (found, link) {
            (Some(("`", inner, after)), _) => {
                out.push(html! { <code>{ inner.to_string() }</code> });
                rest = after;
            }
            (Some(("**", inner, after)), _) => {
                out.push(html! { <b>{ inline(inner) }</b> });
                rest = after;
            }
            (Some((_, inner, after)), _) => {
                out.push(html! { <em>{ inline(inner) }</em> });
                rest = after;
            }
            (None, Some((inner, after))) => {
                out.push(inline(inner));
                rest = after;
            }
            (None, None) => {
                let next = from.chars().next().map_or(1, char::len_utf8);
                out.push(html! { { from[..next].to_string() } });
                rest = &from[next..];
            }
        }
    }
    out.push(html! { { rest.to_string() } });
    html! { <>{ for out }</> }
}
