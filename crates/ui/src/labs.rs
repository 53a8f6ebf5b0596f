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
        let lesson = !asks_where && !crate::lesson::steps(self.text).is_empty();
        let start = Start {
            // A lesson plays the moves of its first step from the start of the run on.
            step: if lesson { Some(0) } else { asked.step },
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

/// What the page opens with.
pub const FIRST: &str = "eight-on-one-cpu";

/// All of them, in the order of lessons/index.toml.
pub const LABS: &[Lab] = &[
    Lab {
        id: "lwn-eevdf",
        question: "Three equal tasks: who runs next, and why?",
        about: "3 tasks on 1 CPU, Linux 6.6: the example of the LWN article",
        text: include_str!("../../../lessons/lwn-eevdf.md"),
        tab: Tab::Pick,
        at: 0,
        focus: None,
    },
    Lab {
        id: "zen3-another-llc",
        question: "A task slept in another LLC: where does it wake up?",
        about: "a client and a server on 256 CPUs (Zen 3, NPS4), Linux 6.12",
        text: include_str!("../../../lessons/zen3-another-llc.md"),
        tab: Tab::Pick,
        at: 0,
        focus: None,
    },
    Lab {
        id: "eight-on-one-cpu",
        question: "Eight tasks want one CPU: who gets it?",
        about: "8 tasks bound to a CPU of a 16-CPU desktop, Linux 6.12",
        text: include_str!("../../../lessons/eight-on-one-cpu.md"),
        tab: Tab::Pick,
        at: 28_950_000,
        focus: Some(2),
    },
    Lab {
        id: "power10-640",
        question: "640 CPUs: why does a task wait next to idle ones?",
        about: "185 tasks on 640 CPUs (Power10, SMT8), Linux 6.12",
        text: include_str!("../../../lessons/power10-640.md"),
        tab: Tab::Placement,
        at: 3_236_200,
        focus: Some(0),
    },
    Lab {
        id: "early-deadline",
        question: "Does the earliest deadline always run?",
        about: "2 hogs with slices of 1 and 10 ms on 1 CPU, Linux 6.12",
        text: include_str!("../../../lessons/early-deadline.md"),
        tab: Tab::Pick,
        at: 0,
        focus: None,
    },
    Lab {
        id: "sleep-in-debt",
        question: "Can a task sleep its debt away?",
        about: "a sleeper and a hog on 1 CPU, Linux 6.12: delayed dequeue",
        text: include_str!("../../../lessons/sleep-in-debt.md"),
        tab: Tab::Pick,
        at: 0,
        focus: None,
    },
    Lab {
        id: "nice-is-a-share",
        question: "What does nice change?",
        about: "2 hogs, nice 0 and 5, on 1 CPU, Linux 6.12",
        text: include_str!("../../../lessons/nice-is-a-share.md"),
        tab: Tab::Pick,
        at: 0,
        focus: None,
    },
    Lab {
        id: "mysql-256",
        question: "A busy LLC: why is an idle CPU not found?",
        about: "134 tasks, most of them bound to 64 of 256 CPUs (Zen 3, NPS4), Linux 6.12",
        text: include_str!("../../../lessons/mysql-256.md"),
        tab: Tab::Placement,
        at: 4_277_400,
        focus: Some(149),
    },
    Lab {
        id: "two-sleepers-and-a-hog",
        question: "When does a sleeper preempt a hog?",
        about: "3 tasks on 1 CPU, Linux 6.12",
        text: include_str!("../../../lessons/two-sleepers-and-a-hog.md"),
        tab: Tab::Pick,
        at: 74_300_000,
        focus: Some(0),
    },
    Lab {
        id: "q6600-compiler",
        question: "A compiler among four hogs: where do its children start?",
        about: "4 hogs and forks on 4 CPUs (Core 2 Quad), Linux 6.12",
        text: include_str!("../../../lessons/q6600-compiler.md"),
        tab: Tab::Placement,
        at: 9_300_000,
        focus: Some(1),
    },
    Lab {
        id: "pipe-pair-zen3",
        question: "Two tasks and a pipe: do they stay in one cache?",
        about: "2 tasks on 256 CPUs (Zen 3, NPS4), Linux 6.12, with costs",
        text: include_str!("../../../lessons/pipe-pair-zen3.md"),
        tab: Tab::Placement,
        at: 0,
        focus: Some(0),
    },
    Lab {
        id: "sleepers-768",
        question: "How much of a busy machine does a wakeup look at?",
        about: "768 tasks on 256 CPUs (Zen 3, NPS4), Linux 6.12: the benchmark",
        text: include_str!("../../../lessons/sleepers-768.md"),
        tab: Tab::Placement,
        at: 4_002_000,
        focus: Some(65),
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
    fn they_are_those_of_the_index() {
        let index = include_str!("../../../lessons/index.toml");
        let values = |key: &str| -> Vec<String> {
            let key = format!("{key} = \"");
            let lines = index.lines().filter_map(|l| l.strip_prefix(&key));
            lines.map(|l| l.trim_end_matches('"').to_string()).collect()
        };
        let ours = |f: fn(&Lab) -> &str| LABS.iter().map(|l| f(l).to_string()).collect::<Vec<_>>();
        assert_eq!(values("id"), ours(|l| l.id));
        assert_eq!(values("question"), ours(|l| l.question));
        assert_eq!(values("about"), ours(|l| l.about));
        let scenarios: Vec<u64> =
            values("at").iter().map(|t| crate::url::time_ns(t).expect("a time")).collect();
        let at = LABS.iter().filter(|l| crate::lesson::steps(l.text).is_empty()).map(|l| l.at);
        assert_eq!(scenarios, at.collect::<Vec<_>>());
        assert!(find(FIRST).is_some());
    }

    #[test]
    fn the_address_may_say_where_to_begin() {
        let asked = Start { step: Some(7), tab: Some(Tab::Tree), ..Start::default() };
        let Action::Open(_, start) = LABS[0].open(asked) else { panic!() };
        assert_eq!((start.step, start.time, start.tab), (Some(7), None, Some(Tab::Tree)));
    }
}
