//! Prepared scenes: what the start page, the menu of scenarios and `?lab=…` offer.

use crate::action::{Action, Source, Start};
use crate::state::Tab;

/// A prepared scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lab {
    /// Its id in addresses; never changed.
    pub id: &'static str,
    /// The question it answers.
    pub question: &'static str,
    /// One line: how many tasks on what, which kernel.
    pub about: &'static str,
    /// The document.
    pub text: &'static str,
    /// The tab it opens on.
    pub tab: Tab,
    /// Where it begins, ns.
    pub at: u64,
    /// The CPU it looks at, if one.
    pub focus: Option<u16>,
}

impl Lab {
    /// Opens it, where it begins or where the address says.
    #[must_use]
    pub fn open(&self, asked: Start) -> Action {
        let asks_where = asked.step.is_some() || asked.time.is_some();
        let start = Start {
            time: if asks_where { asked.time } else { Some(self.at) },
            tab: asked.tab.or(Some(self.tab)),
            focus: asked.focus.or(self.focus),
            seek: !asks_where,
            lab: LABS.iter().position(|lab| lab.id == self.id).filter(|_| !asks_where),
            ..asked
        };
        Action::Open(Source::Text { text: self.text.into(), name: String::new() }, start)
    }
}

impl Lab {
    /// The title of its document.
    #[must_use]
    pub fn title(&self) -> &'static str {
        let line = self.text.lines().find_map(|l| l.strip_prefix("# "));
        line.unwrap_or(self.question)
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

/// All of them; the first is what the page opens with.
pub const LABS: &[Lab] = &[
    Lab {
        id: "eight-on-one-cpu",
        question: "Eight tasks want one CPU: who gets it?",
        about: "8 tasks bound to one CPU of a 16-CPU desktop, Linux 6.12",
        text: include_str!("../../../lessons/eight-on-one-cpu.md"),
        tab: Tab::Pick,
        at: 60_000_000,
        focus: Some(2),
    },
    Lab {
        id: "lwn-eevdf",
        question: "Three equal tasks: who runs next, and why?",
        about: "a lesson: the three tasks of the LWN article on EEVDF, Linux 6.6",
        text: include_str!("../../../lessons/lwn-eevdf.md"),
        tab: Tab::Pick,
        at: 20_000_000,
        focus: Some(0),
    },
    Lab {
        id: "zen3-another-llc",
        question: "A task slept in another LLC: where does it wake up?",
        about: "a lesson on 256 CPUs (2 × EPYC Zen 3, NPS4), Linux 6.12",
        text: include_str!("../../../lessons/zen3-another-llc.md"),
        tab: Tab::Placement,
        at: 1_000_000,
        focus: None,
    },
    Lab {
        id: "power10-640",
        question: "640 CPUs: why does a task wait next to idle ones?",
        about: "Power10 with SMT8, Linux 6.12",
        text: include_str!("../../../lessons/power10-640.md"),
        tab: Tab::Placement,
        at: 10_000_000,
        focus: None,
    },
    Lab {
        id: "two-sleepers-and-a-hog",
        question: "When does a sleeper preempt a hog?",
        about: "3 tasks on one CPU, Linux 6.12",
        text: include_str!("../../../lessons/two-sleepers-and-a-hog.md"),
        tab: Tab::Pick,
        at: 20_000_000,
        focus: None,
    },
    Lab {
        id: "q6600-compiler",
        question: "A compiler among four hogs: where do its children start?",
        about: "Core 2 Quad Q6600, Linux 6.12",
        text: include_str!("../../../lessons/q6600-compiler.md"),
        tab: Tab::Placement,
        at: 20_000_000,
        focus: None,
    },
    Lab {
        id: "pipe-pair-zen3",
        question: "A pipe between two caches: who moves to whom?",
        about: "a pipe pair on 256 CPUs, Linux 6.12",
        text: include_str!("../../../lessons/pipe-pair-zen3.md"),
        tab: Tab::Placement,
        at: 2_000_000,
        focus: None,
    },
    Lab {
        id: "mysql-256",
        question: "A database with 132 workers: are idle CPUs found?",
        about: "256 CPUs (Zen 3, NPS4), Linux 6.12",
        text: include_str!("../../../lessons/mysql-256.md"),
        tab: Tab::Placement,
        at: 10_000_000,
        focus: None,
    },
    Lab {
        id: "sleepers-768",
        question: "768 tasks that sleep and wake: what does the machine look like?",
        about: "256 CPUs, the benchmark's load, Linux 6.12",
        text: include_str!("../../../lessons/sleepers-768.md"),
        tab: Tab::Placement,
        at: 10_000_000,
        focus: None,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_unique_and_plain() {
        let ids: BTreeSet<&str> = LABS.iter().map(|lab| lab.id).collect();
        assert_eq!(ids.len(), LABS.len());
        for id in ids {
            assert!(id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{id}");
        }
    }

    #[test]
    fn the_address_may_say_where_to_begin() {
        let asked = Start { step: Some(7), tab: Some(Tab::Tree), ..Start::default() };
        let Action::Open(_, start) = LABS[0].open(asked) else { panic!() };
        assert_eq!((start.step, start.time, start.tab), (Some(7), None, Some(Tab::Tree)));
    }
}
