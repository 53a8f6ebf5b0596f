//! What every part of the page is given.

use schedscope_session::Edit;
use schedscope_ui::action::Action;
use schedscope_ui::state::AppState;
use std::ops::Deref;
use std::rc::Rc;
use yew::prelude::*;

/// The state, and the way to change it.
#[derive(Clone)]
pub struct Ctx {
    /// The state.
    pub state: Rc<AppState>,
    /// Changes it.
    pub dispatch: Callback<Action>,
}

impl PartialEq for Ctx {
    fn eq(&self, other: &Ctx) -> bool {
        Rc::ptr_eq(&self.state, &other.state)
    }
}

impl Deref for Ctx {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        &self.state
    }
}

impl Ctx {
    /// Changes the state.
    pub fn act(&self, action: Action) {
        self.dispatch.emit(action);
    }

    /// Makes an edit.
    pub fn edit(&self, edit: Edit) {
        self.act(Action::Edit(edit));
    }

    /// A callback that does this, whatever the event is.
    #[must_use]
    pub fn on<E: 'static>(&self, action: Action) -> Callback<E> {
        let dispatch = self.dispatch.clone();
        Callback::from(move |_| dispatch.emit(action.clone()))
    }
}

/// The context of the page.
///
/// # Panics
/// Outside the page.
#[hook]
pub fn use_page() -> Ctx {
    use_context::<Ctx>().expect("parts of the page lie inside it")
}
