//! What can lie over the page.

mod about;
mod export;
mod help;
mod kernel;
mod labs;
mod machine;
pub(crate) mod markdown;
mod share;

use crate::ctx::use_page;
use crate::icons::icon;
use schedscope_ui::action::Action;
use schedscope_ui::state::{Changes, Dialog};
use web_sys::HtmlDialogElement;
use yew::prelude::*;

/// The open dialog, if one is.
#[component]
pub fn Dialogs() -> Html {
    let ctx = use_page(Changes::DIALOG);
    match ctx.dialog {
        None => html! {},
        Some(Dialog::About) => {
            html! { <Sheet title="About the model" wide=true><about::About /></Sheet> }
        }
        Some(Dialog::Help) => {
            html! { <Sheet title="Keys and glossary" wide=true><help::Help /></Sheet> }
        }
        Some(Dialog::Share) => html! { <Sheet title="Share this screen"><share::Share /></Sheet> },
        Some(Dialog::Export) => html! { <Sheet title="Export"><export::Export /></Sheet> },
        Some(Dialog::Labs) => html! { <Sheet title="Labs" wide=true><labs::Labs /></Sheet> },
        Some(Dialog::Machine) => {
            html! { <Sheet title="Build a machine"><machine::OwnMachine /></Sheet> }
        }
        Some(Dialog::Kernel) => {
            html! { <Sheet title="Kernel" wide=true><kernel::Kernel /></Sheet> }
        }
    }
}

#[derive(Properties, PartialEq)]
struct SheetProps {
    title: AttrValue,
    #[prop_or_default]
    wide: bool,
    children: Html,
}

/// A modal dialog: the browser keeps the focus inside and gives it back.
#[component]
fn Sheet(props: &SheetProps) -> Html {
    let ctx = use_page(Changes::NONE);
    let node = use_node_ref();
    {
        let node = node.clone();
        use_effect_with((), move |()| {
            if let Some(dialog) = node.cast::<HtmlDialogElement>() {
                _ = dialog.show_modal();
            }
        });
    }
    let close = ctx.on::<MouseEvent>(Action::Dialog(None));
    let cancelled = ctx.on::<Event>(Action::Dialog(None));
    let outside = {
        let (ctx, node) = (ctx.clone(), node.clone());
        Callback::from(move |event: MouseEvent| {
            let target = event.target_dyn_into::<HtmlDialogElement>();
            let dialog = node.cast::<HtmlDialogElement>();
            // A click that began inside and ended beside is the dialog's too, but not outside of it.
            let beside = dialog.as_ref().is_some_and(|dialog| {
                let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
                let on = dialog.get_bounding_client_rect();
                x < on.left() || x > on.right() || y < on.top() || y > on.bottom()
            });
            if target.is_some() && target == dialog && beside {
                ctx.act(Action::Dialog(None));
            }
        })
    };
    html! {
        <dialog ref={node} class={classes!("sheetbox", props.wide.then_some("wide"))}
            aria-label={props.title.clone()} oncancel={cancelled} onclick={outside}>
            <div class="sheetin">
                <div class="sheethead">
                    <h2>{ props.title.clone() }</h2>
                    <button type="button" class="btn" aria-label="Close" onclick={close}>{ icon("close", 16) }</button>
                </div>
                <div class="sheetbody" tabindex="0">{ props.children.clone() }</div>
            </div>
        </dialog>
    }
}
