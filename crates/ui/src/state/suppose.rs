//! What if: the moment as it would be with a value that is being chosen, before it is.

use super::AppState;
use super::requests::Purpose;
use schedscope_session::update::{Decision, Moment};
use schedscope_session::{Command, Edit};
use std::rc::Rc;

impl AppState {
    /// Asks for the moment with this change, or forgets it. While one is on its way only the latest
    /// wish is kept.
    pub(super) fn suppose(&mut self, edit: Option<Edit>) {
        if edit.is_none() {
            self.forget_supposed();
            return;
        }
        self.supposing = edit;
        if !self.requests.second_waits(Purpose::WhatIf) {
            self.ask_supposed();
        }
    }

    fn ask_supposed(&mut self) {
        let (step, focus) = (self.cursor.step, self.focus);
        // Before the first step nothing is decided that could be otherwise.
        if step == 0 || self.doc.is_none() {
            return;
        }
        if let Some(edit) = self.supposing.take() {
            self.requests.ask(Command::WhatIf { step, edit, focus }, Purpose::WhatIf);
        }
    }

    /// The moment as it would be; unless another step is shown by now, or nothing is supposed.
    pub(super) fn supposed(&mut self, moment: Moment) {
        if moment.step == self.cursor.step {
            self.what_if = Some(Rc::new(moment));
        }
        self.ask_supposed();
    }

    /// Nothing is supposed any longer: the moment has changed.
    pub(super) fn forget_supposed(&mut self) {
        (self.what_if, self.supposing) = (None, None);
        self.requests.forget_these(&[Purpose::WhatIf]);
    }

    /// The decision on the screen as it would be: of the same kind on the same CPU.
    #[must_use]
    pub fn supposed_decision(&self) -> Option<&Decision> {
        let (now, moment) = (self.decision()?, self.what_if.as_ref()?);
        moment.decisions.iter().find(|d| d.kind == now.kind && d.cpu == now.cpu)
    }
}
