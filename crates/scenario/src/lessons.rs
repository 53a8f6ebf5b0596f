//! The lessons and scenarios that come with the program. With the feature `lessons` their texts are
//! in it; without, only what an index needs, and whoever shows one reads its file.

use crate::duration;
use crate::lesson::{Lesson, Tab};
use crate::problem::Problem;
use std::sync::OnceLock;
use toml::de::{DeTable, DeValue};

/// Id, title and text of each; the title is all that is kept of a text that is left out.
macro_rules! texts {
    ($($id:literal)*) => {
        [$({
            const TEXT: &str = include_str!(concat!("../../../lessons/", $id, ".md"));
            const TITLE: [u8; title(TEXT).1] = copied(TEXT, title(TEXT).0);
            let title = match str::from_utf8(&TITLE) {
                Ok(title) => title,
                Err(_) => panic!("a title ends within a letter"),
            };
            ($id, title, if cfg!(feature = "lessons") { TEXT } else { "" })
        }),*]
    };
}

/// Where the title of a Markdown file begins, and its length.
const fn title(text: &str) -> (usize, usize) {
    let text = text.as_bytes();
    let mut from = 0;
    while !(text[from] == b'#' && text[from + 1] == b' ' && (from == 0 || text[from - 1] == b'\n'))
    {
        from += 1;
    }
    from += 2;
    let mut to = from;
    while text[to] != b'\n' {
        to += 1;
    }
    (from, to - from)
}

const fn copied<const N: usize>(text: &str, from: usize) -> [u8; N] {
    let mut bytes = [0; N];
    let mut i = 0;
    while i < N {
        bytes[i] = text.as_bytes()[from + i];
        i += 1;
    }
    bytes
}

const INDEX: &str = include_str!("../../../lessons/index.toml");
const TEXTS: &[(&str, &str, &str)] = &texts![
    "another-llc-idle"
    "balance-hogs"
    "early-deadline"
    "eight-on-one-cpu"
    "forks-and-balance"
    "group-latency"
    "group-shares"
    "interrupts-two-sockets"
    "lag-over-sleep"
    "latency-nice-or-slice"
    "lwn-eevdf"
    "march"
    "mysql-256"
    "nice-is-a-share"
    "nice-or-latency"
    "nps-and-forks"
    "one-pool"
    "one-rule-at-a-time"
    "one-wakes-many"
    "pipe-pair-zen3"
    "power10-640"
    "q6600-compiler"
    "run-to-parity"
    "search-that-misses"
    "short-slice-preempts"
    "sis-util-budget"
    "sleep-in-debt"
    "sleeper-credit"
    "sleepers-768"
    "slice-is-no-quantum"
    "start-debit"
    "turns"
    "two-sleepers-and-a-hog"
    "v-is-weighted"
    "wake-affine"
    "zen3-another-llc"
];

/// A lesson or scenario that comes with the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its id, never renamed: `?lab=lwn-eevdf`.
    pub id: &'static str,
    /// Whether it has steps.
    pub kind: Kind,
    /// Its title.
    pub title: &'static str,
    /// The theme under which it is listed.
    pub section: String,
    /// The question it answers, for the empty page; may be empty.
    pub question: String,
    /// One line: how many tasks on what.
    pub about: String,
    /// Where it opens.
    pub opens: Opening,
    /// The Markdown file; empty without the feature `lessons`.
    pub text: &'static str,
}

/// Kinds of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A lesson with steps.
    Lesson,
    /// A scenario with prose.
    Scenario,
}

/// Where an entry opens: just before something worth seeing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// At the last step at or before this time, ns.
    pub at: u64,
    /// With this view.
    pub tab: Option<Tab>,
    /// With the run queue of this CPU.
    pub cpu: Option<u16>,
}

impl Entry {
    /// The lesson.
    ///
    /// # Errors
    /// Never, as a test reads them all.
    pub fn lesson(&self) -> Result<Lesson, Vec<Problem>> {
        Lesson::from_markdown(self.text)
    }
}

/// All entries, in the order in which they are shown.
#[must_use]
pub fn lessons() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        let (index, _) = DeTable::parse_recoverable(INDEX);
        let tables = index.get_ref().get("lesson").and_then(|list| list.get_ref().as_array());
        tables
            .into_iter()
            .flat_map(|list| list.iter())
            .filter_map(|table| entry(table.get_ref().as_table()?))
            .collect()
    })
}

/// The entry of that id.
#[must_use]
pub fn lesson(id: &str) -> Option<&'static Entry> {
    lessons().iter().find(|entry| entry.id == id)
}

fn entry(table: &DeTable<'_>) -> Option<Entry> {
    let get = |key: &str| table.get(key).map(|value| value.get_ref()).and_then(DeValue::as_str);
    let (id, title, text) = *TEXTS.iter().find(|(id, ..)| Some(*id) == get("id"))?;
    let kind = match get("kind")? {
        "lesson" => Kind::Lesson,
        _ => Kind::Scenario,
    };
    let owned = |key: &str| get(key).unwrap_or_default().to_string();
    let cpu = table.get("cpu").and_then(|cpu| cpu.get_ref().as_integer());
    let opens = Opening {
        at: get("at").and_then(|at| duration::parse(at).ok()).unwrap_or(0),
        tab: get("tab").and_then(Tab::from_name),
        cpu: cpu.and_then(|cpu| cpu.as_str().parse().ok()),
    };
    let (section, question, about) = (owned("section"), owned("question"), owned("about"));
    Some(Entry { id, kind, title, section, question, about, opens, text })
}

#[cfg(all(test, feature = "lessons"))]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_listed_and_right() {
        let mut ids: Vec<&str> = lessons().iter().map(|entry| entry.id).collect();
        ids.sort_unstable();
        assert!(ids.iter().eq(TEXTS.iter().map(|(id, ..)| id)), "{ids:?}");
        for entry in lessons() {
            let lesson =
                entry.lesson().unwrap_or_else(|problems| panic!("{}: {problems:#?}", entry.id));
            assert_eq!(lesson.title, entry.title);
            assert_eq!(lesson.steps.is_empty(), entry.kind == Kind::Scenario, "{}", entry.id);
            let built = lesson.document.setup().expect("runs");
            // Who compares kernels may ask for what one of them does not know.
            let compares = lesson.steps.iter().any(|step| !step.settings.is_empty());
            assert!(compares || built.notes.is_empty(), "{}: {:?}", entry.id, built.notes);
            assert_eq!(lesson.document.title, lesson.title);
            assert!(!entry.about.is_empty() && !entry.section.is_empty(), "{}", entry.id);
            let opens = entry.opens;
            assert_eq!(opens.tab.is_some(), entry.kind == Kind::Scenario, "{}", entry.id);
            assert!(opens.at < lesson.document.end);
            assert!(opens.cpu.is_none_or(|cpu| usize::from(cpu) < built.setup.topology.len()));
        }
        assert!(lessons().iter().filter(|entry| !entry.question.is_empty()).count() >= 4);
    }

    #[test]
    fn the_folder_holds_nothing_else() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lessons");
        let files = std::fs::read_dir(folder).expect("the folder");
        let names = files.map(|file| file.expect("a file").file_name().into_string());
        let mut names: Vec<String> = names.filter_map(Result::ok).collect();
        names.retain(|name| name != "index.toml");
        names.sort();
        assert!(
            names.iter().eq(&TEXTS.iter().map(|(id, ..)| format!("{id}.md")).collect::<Vec<_>>()),
            "{names:?}"
        );
    }
}
