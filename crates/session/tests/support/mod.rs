//! A session with a scenario, and what it answers.

use schedscope_session::update::{Loaded, Moment};
use schedscope_session::{Command, Goto, Session, Update};

/// A session with this scenario.
pub(crate) fn load(text: &str) -> (Session, Loaded) {
    let mut session = Session::new();
    match session.handle(Command::Load { text: text.to_owned() }) {
        Update::Loaded(loaded) => (session, *loaded),
        other => panic!("not loaded: {other:?}"),
    }
}

/// The moment there, with CPU 0 in focus.
pub(crate) fn show(session: &mut Session, goto: Goto) -> Moment {
    match session.handle(Command::Show { goto, focus: 0 }) {
        Update::Moment(moment) => *moment,
        other => panic!("no moment: {other:?}"),
    }
}
