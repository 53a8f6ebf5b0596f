//! Short words for what is asked of the browser.

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Document, Element, HtmlElement, Window};

/// The window.
///
/// # Panics
/// In a worker, where this module is not used.
#[must_use]
pub fn window() -> Window {
    web_sys::window().expect("the page runs in a window")
}

/// The document.
///
/// # Panics
/// Never in a page.
#[must_use]
pub fn document() -> Document {
    window().document().expect("a window has a document")
}

/// `<html>`.
#[must_use]
pub fn root() -> Option<HtmlElement> {
    document().document_element()?.dyn_into().ok()
}

/// Milliseconds since the page was opened.
#[must_use]
pub fn now() -> f64 {
    window().performance().map_or(0.0, |p| p.now())
}

/// Address of the script that loaded the page (see boot.js).
#[must_use]
pub fn loader() -> Option<String> {
    document().query_selector("script[src*='boot.js']").ok()??.get_attribute("src")
}

/// Whether boot.js has seen this page kept in the browser.
#[must_use]
pub fn is_kept() -> bool {
    root().is_some_and(|root| root.dataset().get("offline").is_some())
}

/// Whether a media query holds.
#[must_use]
pub fn media(query: &str) -> bool {
    window().match_media(query).ok().flatten().is_some_and(|m| m.matches())
}

/// Pixels of the screen to a px of the page.
#[must_use]
pub fn pixel_ratio() -> f64 {
    window().device_pixel_ratio().clamp(1.0, 4.0)
}

/// Sets `data-…` on `<html>`, or takes it away.
pub fn set_data(name: &str, value: &str) {
    if let Some(root) = root() {
        if value.is_empty() {
            root.dataset().delete(name);
        } else {
            _ = root.dataset().set(name, value);
        }
    }
}

/// The store of this browser; there is none in a private frame.
#[must_use]
pub fn store() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

/// Something kept in this browser.
#[must_use]
pub fn recall(key: &str) -> Option<String> {
    store()?.get_item(&format!("schedscope.{key}")).ok().flatten()
}

/// Keeps something in this browser.
pub fn keep(key: &str, value: &str) {
    if let Some(store) = store() {
        _ = store.set_item(&format!("schedscope.{key}"), value);
    }
}

/// Fetches a text that lies beside the page, of the page's own build (see offline.js).
pub fn fetch_text(mut address: String, then: impl FnOnce(Result<String, String>) + 'static) {
    let told = |error: JsValue| {
        let error = error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message()));
        error.unwrap_or_else(|| "no answer".into())
    };
    if let Some((_, build)) = loader().as_deref().and_then(|src| src.split_once("&build=")) {
        address = format!("{address}?build={build}");
    }
    wasm_bindgen_futures::spawn_local(async move {
        let text = async {
            let response = JsFuture::from(window().fetch_with_str(&address)).await?;
            let response: web_sys::Response = response.dyn_into()?;
            if !response.ok() {
                return Err(js_sys::Error::new(&format!("status {}", response.status())).into());
            }
            JsFuture::from(response.text()?).await
        };
        let text = text.await.map(|text| text.as_string().unwrap_or_default());
        then(text.map_err(told));
    });
}

/// Hands a file to the user.
pub fn save(name: &str, text: &str, kind: &str) {
    let parts = js_sys::Array::of1(&text.into());
    let bag = web_sys::BlobPropertyBag::new();
    bag.set_type(kind);
    let Ok(blob) = web_sys::Blob::new_with_str_sequence_and_options(&parts, &bag) else { return };
    let Ok(url) = web_sys::Url::create_object_url_with_blob(&blob) else { return };
    if let Ok(link) = document().create_element("a")
        && let Ok(link) = link.dyn_into::<web_sys::HtmlAnchorElement>()
    {
        link.set_href(&url);
        link.set_download(name);
        link.click();
    }
    gloo::timers::callback::Timeout::new(10_000, move || {
        _ = web_sys::Url::revoke_object_url(&url);
    })
    .forget();
}

/// Puts a text on the clipboard.
pub fn copy(text: &str) {
    _ = window().navigator().clipboard().write_text(text);
}

/// The first element of a selector.
#[must_use]
pub fn find(selector: &str) -> Option<HtmlElement> {
    document().query_selector(selector).ok()??.dyn_into().ok()
}

/// Gives an element the focus.
pub fn focus(selector: &str) {
    if let Some(element) = find(selector) {
        _ = element.focus();
    }
}

/// The nearest element around a point that has this attribute, and its value.
#[must_use]
pub fn under(x: f64, y: f64, attribute: &str) -> Option<String> {
    let at: Element = document().element_from_point(x as f32, y as f32)?;
    at.closest(&format!("[{attribute}]")).ok()??.get_attribute(attribute)
}

/// Whether keys typed here are text.
#[must_use]
pub fn types_text(target: Option<web_sys::EventTarget>) -> bool {
    let Some(element) = target.and_then(|t| t.dyn_into::<Element>().ok()) else { return false };
    match element.tag_name().as_str() {
        "TEXTAREA" | "SELECT" => true,
        "INPUT" => element.get_attribute("type").is_none_or(|t| t != "range" && t != "checkbox"),
        _ => false,
    }
}

/// Whether this is inside an element that suits the selector.
#[must_use]
pub fn is_within(target: Option<web_sys::EventTarget>, selector: &str) -> bool {
    let element = target.and_then(|t| t.dyn_into::<Element>().ok());
    element.is_some_and(|element| element.closest(selector).ok().flatten().is_some())
}

/// Whether the element takes arrow keys for itself.
#[must_use]
pub fn takes_arrows(target: Option<web_sys::EventTarget>) -> bool {
    let Some(element) = target.and_then(|t| t.dyn_into::<Element>().ok()) else { return false };
    element.closest("[data-arrows],input[type=range]").ok().flatten().is_some()
}

/// Whether the space bar and Enter press something here.
#[must_use]
pub fn is_button(target: Option<web_sys::EventTarget>) -> bool {
    let Some(element) = target.and_then(|t| t.dyn_into::<Element>().ok()) else { return false };
    let selector = "button,a,summary,input,[role=button],[role=row]";
    element.closest(selector).ok().flatten().is_some()
}

/// Whether a press here belongs to a control of its own.
#[must_use]
pub fn is_control(target: Option<web_sys::EventTarget>) -> bool {
    let Some(element) = target.and_then(|t| t.dyn_into::<Element>().ok()) else { return false };
    element.closest("input,select,textarea,[data-own-press]").ok().flatten().is_some()
}

/// Scrolls the nearest scroller, never the page, so that the first element inside `list` that suits
/// the selector is in view: once the page is drawn, when asking for places costs nothing. With
/// `top` a phone's panel stays at its top.
pub fn reveal_soon(list: Element, selector: &'static str, top: bool) {
    gloo::timers::callback::Timeout::new(0, move || {
        if let Ok(Some(element)) = list.query_selector(selector) {
            reveal(&element);
        }
        if let (true, Ok(Some(panel))) = (top, list.closest(".phone-body, .stagehand")) {
            panel.set_scroll_top(0);
        }
    })
    .forget();
}

/// Scrolls the nearest scroller, never the page, so that an element is in view.
pub fn reveal(element: &Element) {
    let mut up = element.parent_element();
    while let Some(parent) = up {
        let high = parent.scroll_height() > parent.client_height() + 1;
        let wide = parent.scroll_width() > parent.client_width() + 1;
        let style = window().get_computed_style(&parent).ok().flatten();
        let scrolls = style.is_some_and(|s| {
            let flow = |p: &str| s.get_property_value(p).unwrap_or_default();
            let is = |f: String| f == "auto" || f == "scroll";
            (high && is(flow("overflow-y"))) || (wide && is(flow("overflow-x")))
        });
        if scrolls {
            let (e, p) = (element.get_bounding_client_rect(), parent.get_bounding_client_rect());
            if e.bottom() > p.bottom() {
                let by = (e.bottom() - p.bottom()).min(e.top() - p.top() - 64.0).max(0.0);
                parent.set_scroll_top(parent.scroll_top() + by as i32);
            } else if e.top() < p.top() {
                parent.set_scroll_top(parent.scroll_top() - (p.top() - e.top()) as i32);
            }
            if e.left() < p.left() || e.right() > p.right() {
                let by = e.left() - p.left() - (p.width() - e.width()) / 2.0;
                parent.set_scroll_left(parent.scroll_left() + by as i32);
            }
            return;
        }
        up = parent.parent_element();
    }
}
