//! The worker: a thin loop around the session. Whatever the engine does, the page stays alive.
//!
//! It is the same module as the page, started a second time: one download, one version.

use crate::bench;
use crate::message::{Ask, Reply};
use schedscope_session::{Session, wire};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

fn scope() -> web_sys::DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn say(reply: &Reply) {
    let bytes = js_sys::Uint8Array::from(wire::encode(reply).as_slice());
    let buffer = bytes.buffer();
    // It only fails if the page is gone.
    _ = scope().post_message_with_transfer(&buffer, &js_sys::Array::of1(&buffer));
}

/// Whether this is a worker's scope.
#[must_use]
pub fn is_here() -> bool {
    js_sys::global().is_instance_of::<web_sys::DedicatedWorkerGlobalScope>()
}

/// Answers what the page asks from now on.
pub fn start() {
    // A bug of the engine: the page is told, then this worker ends.
    std::panic::set_hook(Box::new(|info| say(&Reply::Panic(info.to_string()))));
    let session = Rc::new(RefCell::new(Session::new()));
    let hear =
        Closure::<dyn FnMut(web_sys::MessageEvent)>::new(move |event: web_sys::MessageEvent| {
            let Some(buffer) = event.data().dyn_ref::<js_sys::ArrayBuffer>().cloned() else {
                return;
            };
            let bytes = js_sys::Uint8Array::new(&buffer).to_vec();
            match wire::decode::<Ask>(&bytes) {
                Ok(Ask::Command(id, command)) => {
                    let update = session.borrow_mut().handle(command);
                    say(&Reply::Answer(id, update));
                }
                Ok(Ask::Panic) => panic!("asked to, for a test"),
                Ok(Ask::Bench) => say(&Reply::Bench(bench::run())),
                Err(error) => panic!("{error}"),
            }
        });
    scope().set_onmessage(Some(hear.as_ref().unchecked_ref()));
    hear.forget();
    say(&Reply::Ready);
}
