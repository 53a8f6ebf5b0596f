//! Prepared scenes: what the start page, the menu of scenarios and `?lab=…` offer.

use crate::action::{Action, Source, Start};
use crate::state::Tab;
use schedscope_scenario::{Kind, lessons};
use std::sync::LazyLock;

/// A prepared scene: an entry of lessons/index.toml.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lab {
    /// Its id in addresses; never changed.
    pub id: &'static str,
    /// The theme under which it is listed.
    pub section: &'static str,
    /// The title of its document.
    pub title: &'static str,
    /// The question it answers.
    pub question: &'static str,
    /// One line: how many tasks on what, which kernel.
    pub about: &'static str,
    /// The document; empty if the page has to fetch its file first.
    pub text: &'static str,
    /// Whether it has steps to go through.
    pub lesson: bool,
    /// The tab it opens on.
    pub tab: Tab,
    /// Where it begins, ns.
    pub at: u64,
    /// The CPU it looks at, if one.
    pub focus: Option<u16>,
}

impl Lab {
    /// Opens it, where it begins or where the address says. A lesson begins at its first page.
    #[must_use]
    pub fn open(&self, asked: Start) -> Action {
        let asks_where = asked.step.is_some() || asked.time.is_some();
        let start = Start {
            time: if asks_where || self.lesson { asked.time } else { Some(self.at) },
            tab: asked.tab.or(Some(self.tab)),
            focus: asked.focus.or(self.focus),
            seek: !asks_where,
            ..asked
        };
        Action::Open(Source::Lab(self.id), start)
    }

    /// The title of its document.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.title
    }
}

/// Opens a machine without tasks.
#[must_use]
pub fn empty() -> Action {
    let text = "schedscope = 1\ntitle = \"Untitled\"\nmachine = \"desktop16\"\nkernel = \"6.12\"\n";
    let source = Source::Text { text: text.into(), name: String::new() };
    Action::Open(source, Start { tab: Some(Tab::Pick), ..Start::default() })
}

/// The scene with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Lab> {
    LABS.iter().find(|lab| lab.id == id)
}

/// What the page opens with.
pub const FIRST: &str = "eight-on-one-cpu";

/// All of them, in the order of lessons/index.toml.
pub static LABS: LazyLock<Vec<Lab>> = LazyLock::new(|| {
    let labs = lessons().iter().map(|entry| Lab {
        id: entry.id,
        section: &entry.section,
        title: entry.title,
        question: &entry.question,
        about: &entry.about,
        text: entry.text,
        lesson: entry.kind == Kind::Lesson,
        tab: entry.opens.tab.map_or(Tab::Pick, Tab::of),
        at: entry.opens.at,
        focus: entry.opens.cpu,
    });
    labs.collect()
});

/// The themes under which they are listed, in order.
#[must_use]
pub fn sections() -> Vec<&'static str> {
    let mut sections: Vec<&str> = LABS.iter().map(|lab| lab.section).collect();
    sections.dedup();
    sections
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn they_can_be_listed() {
        let ids: BTreeSet<&str> = LABS.iter().map(|lab| lab.id).collect();
        assert_eq!(ids.len(), LABS.len());
        for lab in LABS.iter() {
            assert!(lab.id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{}", lab.id);
            assert!(lab.question.ends_with('?') && !lab.about.is_empty(), "{}", lab.id);
        }
        // Each theme is in one place.
        let sections = sections();
        assert_eq!(sections.iter().collect::<BTreeSet<_>>().len(), sections.len());
        assert!(find(FIRST).is_some());
    }

    #[test]
    fn the_address_may_say_where_to_begin() {
        let asked = Start { step: Some(7), tab: Some(Tab::Tree), ..Start::default() };
        let Action::Open(_, start) = LABS[0].open(asked) else { panic!() };
        assert_eq!((start.step, start.time, start.tab), (Some(7), None, Some(Tab::Tree)));
    }
}
