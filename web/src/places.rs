//! The address of the page, what it opens, and what this browser remembers.

use crate::dom;
use schedscope_session::update::Problem;
use schedscope_ui::action::{Action, Source, Start};
use schedscope_ui::labs::{self, LABS};
use schedscope_ui::state::{AppState, Mode, Phase, Theme};
use schedscope_ui::url::{self, Link, Query};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// What the address asked for when the page was opened.
#[derive(Default)]
pub struct Opening {
    /// Parameters for people.
    pub query: Query,
    link: Option<Result<Link, Problem>>,
}

impl Opening {
    /// Reads the address.
    #[must_use]
    pub fn of_address() -> Opening {
        let location = dom::window().location();
        let ids: Vec<&str> = LABS.iter().map(|lab| lab.id).collect();
        let query = url::parse(&location.search().unwrap_or_default(), &ids);
        let link = url::read(&location.hash().unwrap_or_default());
        Opening { query, link }
    }

    /// Sets what holds from the first frame on.
    pub fn prepare(&self, state: &mut AppState) {
        state.mode = self.query.mode;
        state.theme = self.query.theme.unwrap_or_else(|| match dom::recall("theme").as_deref() {
            Some("dark") => Theme::Dark,
            Some("light") => Theme::Light,
            _ => Theme::System,
        });
        state.letter_keys = dom::recall("letters").as_deref() != Some("off");
        if let Some(tab) = self.query.tab {
            state.tab = tab;
        }
    }

    /// What to do once the engine is there.
    #[must_use]
    pub fn actions(&self) -> Vec<Action> {
        let q = &self.query;
        let asked = Start {
            time: q.time,
            step: q.step,
            tab: q.tab,
            decision: q.decision,
            check: q.check,
            probe: None,
            focus: q.cpu,
            select: q.row,
            seek: false,
            page: q.page,
        };
        let mut problems = q.problems.clone();
        let mut actions = Vec::new();
        match &self.link {
            Some(Ok(link)) => {
                let source = Source::Link(Box::new(link.clone()));
                actions.push(Action::Open(source, asked));
            }
            Some(Err(problem)) => problems.push(problem.clone()),
            None => {}
        }
        if actions.is_empty() && q.empty {
            actions.push(labs::empty());
        }
        if actions.is_empty() {
            let lab = q.lab.as_deref().and_then(labs::find).or(labs::find(labs::FIRST));
            if let Some(lab) = lab {
                actions.push(lab.open(asked));
            }
        }
        if q.beside.is_some() {
            actions.push(Action::Beside(q.beside.clone()));
        }
        if !problems.is_empty() {
            actions.push(Action::Problem(problems));
        }
        actions
    }
}

/// Whether the picture that was asked for is on the screen.
#[must_use]
pub fn settled(state: &AppState, opening: &Opening) -> bool {
    if opening.query.loading || state.crash.is_some() {
        return true;
    }
    match state.phase {
        Phase::Starting | Phase::Opening => false,
        Phase::Empty => true,
        Phase::Ready => {
            let metrics =
                state.tab != schedscope_ui::state::Tab::Metrics || state.metrics.is_some();
            let seen = state.window.as_ref().is_some_and(|w| {
                // A heavy run need not be drawn to its end before the page counts as drawn.
                let patient = dom::now() < 6_000.0;
                let far = if patient { state.span.to } else { state.now() };
                state.progress.done || w.progress.time >= far.min(state.end())
            });
            state.moment.is_some() && metrics && (seen || state.mode != Mode::Main)
        }
    }
}

/// Puts theme and mode on `<html>`, and remembers the theme.
pub fn show_theme(state: &AppState) {
    let theme = match state.theme {
        Theme::System => "",
        Theme::Light => "light",
        Theme::Dark => "dark",
    };
    dom::set_data("theme", theme);
    dom::set_data("mode", if state.mode == Mode::Present { "present" } else { "" });
    let title = match &state.doc {
        Some(doc) if !doc.title.is_empty() => format!("{} · schedscope", doc.title),
        _ => "schedscope: watch the Linux scheduler decide".into(),
    };
    if dom::document().title() != title {
        dom::document().set_title(&title);
    }
}

/// Remembers the choice of a theme.
pub fn keep_theme(theme: Theme) {
    dom::keep(
        "theme",
        match theme {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        },
    );
}

/// Keeps the fragment of the address current.
#[derive(Default)]
pub struct Address {
    written: Rc<std::cell::RefCell<String>>,
    last: Option<Link>,
    timer: Option<gloo::timers::callback::Timeout>,
}

impl Address {
    /// Writes the link to this screen into the address, some time after the last change.
    pub fn follow(&mut self, state: &AppState) {
        if state.mode == Mode::Embed {
            return;
        }
        let link = state.link();
        if link == self.last {
            return;
        }
        self.last.clone_from(&link);
        let Some(link) = link else { return };
        let written = self.written.clone();
        self.timer = Some(gloo::timers::callback::Timeout::new(250, move || {
            let fragment = format!("#{}", url::write(&link));
            written.replace(fragment.clone());
            if let Ok(history) = dom::window().history() {
                _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&fragment));
            }
        }));
    }

    /// What to do when the fragment was changed by hand or by a link.
    #[must_use]
    pub fn changed(&self) -> Option<Vec<Action>> {
        let now = dom::window().location().hash().unwrap_or_default();
        if now == *self.written.borrow() {
            return None;
        }
        Some(match url::read(&now)? {
            Ok(link) => vec![Action::Open(Source::Link(Box::new(link)), Start::default())],
            Err(problem) => vec![Action::Problem(vec![problem])],
        })
    }
}

/// The whole address of this screen.
#[must_use]
pub fn address_of(state: &AppState) -> Option<String> {
    let link = state.link()?;
    let location = dom::window().location();
    let base = format!(
        "{}{}",
        location.origin().unwrap_or_default(),
        location.pathname().unwrap_or_default()
    );
    Some(format!("{base}#{}", url::write(&link)))
}

/// What to say if a text of the page's own could not be fetched.
#[must_use]
pub fn unread(why: String) -> Action {
    let sentence = format!("It could not be fetched: {why}. Is this computer offline?");
    Action::Problem(vec![Problem { place: "lesson".into(), sentence, line: None }])
}

/// Reads a file that was dropped or chosen, and opens it.
pub fn open_file(file: &web_sys::File, act: impl Fn(Action) + 'static) {
    const LONGEST: f64 = 4e6;
    let name = file.name();
    let problem = |sentence: &str| {
        Action::Problem(vec![Problem {
            place: name.clone(),
            sentence: sentence.into(),
            line: None,
        }])
    };
    if file.size() > LONGEST {
        act(problem("This file has more than 4 MB; no scenario or topology is that long."));
        return;
    }
    let unreadable = problem("This file could not be read as text.");
    let text = file.text();
    let name = name.clone();
    let act = Rc::new(act);
    let read = {
        let act = act.clone();
        Closure::once(move |text: JsValue| {
            let text = text.as_string().unwrap_or_default();
            act(Action::Open(Source::Text { text, name }, Start::default()));
        })
    };
    let failed = Closure::once(move |_: JsValue| act(unreadable));
    _ = text.then2(&read, &failed);
    read.forget();
    failed.forget();
}
