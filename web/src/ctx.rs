//! What every part of the page is given.

use schedscope_session::Edit;
use schedscope_ui::action::Action;
use schedscope_ui::state::{AppState, Changes, Request};
use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::rc::Rc;
use yew::prelude::*;

/// The state, and who shows what of it.
///
/// The state changes at once; the page is drawn anew once a frame, and of it only the parts that
/// show something that has changed.
pub struct Store {
    state: RefCell<Rc<AppState>>,
    /// The state as it was last drawn.
    drawn: RefCell<Rc<AppState>>,
    dispatch: Callback<Action>,
    watchers: RefCell<Vec<Rc<Watcher>>>,
}

/// A part of the page.
struct Watcher {
    reads: Changes,
    draw: Callback<()>,
    gone: Cell<bool>,
}

impl Store {
    /// A store of this state, which `dispatch` changes.
    #[must_use]
    pub fn new(state: AppState, dispatch: Callback<Action>) -> Store {
        let state = Rc::new(state);
        Store {
            drawn: RefCell::new(state.clone()),
            state: RefCell::new(state),
            dispatch,
            watchers: RefCell::default(),
        }
    }

    /// The state as it is now, drawn or not.
    #[must_use]
    pub fn now(&self) -> Rc<AppState> {
        self.state.borrow().clone()
    }

    /// Changes the state; returns what has to be asked of the worker.
    pub fn apply(&self, action: Action) -> Vec<Request> {
        Rc::make_mut(&mut *self.state.borrow_mut()).apply(action)
    }

    /// Whether there is something to draw.
    #[must_use]
    pub fn stale(&self) -> bool {
        !Rc::ptr_eq(&self.state.borrow(), &self.drawn.borrow())
    }

    /// Has the parts drawn that show something that has changed; whether anything has.
    pub fn draw(&self) -> bool {
        let now = self.now();
        let changes = now.changes(&self.drawn.borrow());
        self.drawn.replace(now);
        // A part may come or go while others are drawn.
        let watchers = self.watchers.borrow().clone();
        for watcher in watchers {
            if watcher.reads.touches(changes) && !watcher.gone.get() {
                watcher.draw.emit(());
            }
        }
        changes != Changes::NONE
    }

    fn watch(&self, reads: Changes, draw: Callback<()>) -> Rc<Watcher> {
        let watcher = Rc::new(Watcher { reads, draw, gone: Cell::new(false) });
        self.watchers.borrow_mut().push(watcher.clone());
        watcher
    }

    fn unwatch(&self, watcher: &Rc<Watcher>) {
        watcher.gone.set(true);
        self.watchers.borrow_mut().retain(|w| !Rc::ptr_eq(w, watcher));
    }
}

/// The state, and the way to change it.
#[derive(Clone)]
pub struct Ctx {
    /// The state when this part was drawn.
    pub state: Rc<AppState>,
    /// Changes it.
    pub dispatch: Callback<Action>,
    store: Rc<Store>,
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

/// The store as the page's parts get it: it is always the same one.
#[derive(Clone)]
pub struct Shared(pub Rc<Store>);

impl PartialEq for Shared {
    fn eq(&self, other: &Shared) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Ctx {
    /// The store's state as it is now.
    #[must_use]
    pub fn of(store: &Rc<Store>) -> Ctx {
        let dispatch = store.dispatch.clone();
        Ctx { state: store.now(), dispatch, store: store.clone() }
    }

    /// The state as it is now. What happens to a part that reads little may come long after it was
    /// drawn: callbacks ask with this, not with what was drawn.
    #[must_use]
    pub fn latest(&self) -> Rc<AppState> {
        self.store.now()
    }

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

/// Something shared, compared by identity. (Comparing addresses is not enough: what has been freed
/// leaves its place to the next.)
#[derive(Clone)]
pub struct Same<T>(pub Option<Rc<T>>);

impl<T> PartialEq for Same<T> {
    fn eq(&self, other: &Same<T>) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

/// The page, for a part that shows these parts of the state: it is drawn anew when they change.
///
/// # Panics
/// Outside the page.
#[hook]
pub fn use_page(reads: Changes) -> Ctx {
    let Shared(store) = use_context::<Shared>().expect("parts of the page lie inside it");
    let update = use_force_update();
    {
        let store = store.clone();
        use_effect_with((), move |()| {
            let watcher = store.watch(reads, Callback::from(move |()| update.force_update()));
            move || store.unwatch(&watcher)
        });
    }
    Ctx::of(&store)
}
