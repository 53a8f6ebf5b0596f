//! The size of an element, kept current by a ResizeObserver.

use wasm_bindgen::prelude::*;
use web_sys::Element;
use yew::prelude::*;

/// The inner size of the element that the reference names, px; (0, 0) before it is known.
#[hook]
pub fn use_size(node: NodeRef) -> (f32, f32) {
    let size = use_state_eq(|| (0.0_f32, 0.0_f32));
    {
        let size = size.clone();
        use_effect_with(node, move |node| {
            let element = node.cast::<Element>();
            let watch = element.map(|element| {
                let measure = {
                    let element = element.clone();
                    move || {
                        size.set((element.client_width() as f32, element.client_height() as f32))
                    }
                };
                measure();
                let changed = Closure::<dyn FnMut()>::new(measure);
                let observer = web_sys::ResizeObserver::new(changed.as_ref().unchecked_ref());
                if let Ok(observer) = &observer {
                    observer.observe(&element);
                }
                (observer, changed)
            });
            move || {
                if let Some((Ok(observer), changed)) = watch {
                    observer.disconnect();
                    drop(changed);
                }
            }
        });
    }
    *size
}
