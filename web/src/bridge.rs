//! The way to the worker: a plain [`web_sys::Worker`] and postcard messages.

use crate::dom;
use crate::message::{Ask, Reply};
use schedscope_session::wire;
use schedscope_ui::state::Request;
use std::collections::BTreeMap;
use wasm_bindgen::prelude::*;

/// A worker, and when each request was sent to it.
pub struct Bridge {
    worker: web_sys::Worker,
    sent: BTreeMap<u32, f64>,
    _on_message: Closure<dyn FnMut(web_sys::MessageEvent)>,
    _on_error: Closure<dyn FnMut(web_sys::Event)>,
}

impl Bridge {
    /// Starts a worker; what it says goes to `hear`.
    ///
    /// # Errors
    /// If the browser starts no worker.
    pub fn start(hear: impl Fn(Reply) + Clone + 'static) -> Result<Bridge, String> {
        // The page's own loader: the worker is the same module, started a second time.
        let loader = dom::loader().unwrap_or_default();
        let options = web_sys::WorkerOptions::new();
        options.set_type(web_sys::WorkerType::Module);
        let worker = web_sys::Worker::new_with_options(&loader, &options)
            .map_err(|_| "the browser starts no worker".to_string())?;
        // It is handed the module that runs here: nothing is fetched or compiled twice.
        worker
            .post_message(&wasm_bindgen::module())
            .map_err(|_| "the browser hands no module to a worker".to_string())?;
        let on_message = {
            let hear = hear.clone();
            Closure::<dyn FnMut(web_sys::MessageEvent)>::new(move |event: web_sys::MessageEvent| {
                let Some(buffer) = event.data().dyn_ref::<js_sys::ArrayBuffer>().cloned() else {
                    return;
                };
                let bytes = js_sys::Uint8Array::new(&buffer).to_vec();
                match wire::decode::<Reply>(&bytes) {
                    Ok(reply) => hear(reply),
                    Err(error) => hear(Reply::Panic(error)),
                }
            })
        };
        let on_error = Closure::<dyn FnMut(web_sys::Event)>::new(move |event: web_sys::Event| {
            let text = event.dyn_ref::<web_sys::ErrorEvent>().map(web_sys::ErrorEvent::message);
            hear(Reply::Panic(text.unwrap_or_else(|| "the worker could not be loaded".into())));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Bridge { worker, sent: BTreeMap::new(), _on_message: on_message, _on_error: on_error })
    }

    /// Sends a request.
    pub fn send(&mut self, request: Request) {
        self.sent.insert(request.id, dom::now());
        self.ask(&Ask::Command(request.id, request.command));
    }

    /// Sends any message.
    pub fn ask(&self, ask: &Ask) {
        let bytes = js_sys::Uint8Array::from(wire::encode(ask).as_slice());
        let buffer = bytes.buffer();
        let list = js_sys::Array::of1(&buffer);
        // It only fails if the buffer was given away before, which it was not.
        _ = self.worker.post_message_with_transfer(&buffer, &list);
    }

    /// How long a request took, ms.
    pub fn took(&mut self, id: u32) -> f64 {
        self.sent.remove(&id).map_or(0.0, |at| dom::now() - at)
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}
