//! Lessons: Markdown files that are lesson, golden test and preset at once.
//!
//! The grammar is in `docs/scenario-format.md`. A file has a title, prose, one `toml` fence with
//! the scenario, and steps; a step has prose and fences that say where to go, what to ask and what
//! must then be true.

mod ask;
mod claim;
mod read;

pub use claim::{Amount, Claim, Figure, Role, State, TaskName};

use crate::document::{Document, MachineChoice};
use serde::{Deserialize, Serialize};

/// The most words of a step's prose.
pub const STEP_WORDS_MAX: usize = 60;

/// A lesson, or a scenario with prose about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lesson {
    /// The title, without Markdown.
    pub title: String,
    /// The prose between the title and the scenario, Markdown.
    pub about: String,
    /// The scenario; its title is the lesson's.
    pub document: Document,
    /// The steps; none for a plain scenario.
    pub steps: Vec<Step>,
}

/// A step of a lesson.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its heading.
    pub heading: String,
    /// Its prose, Markdown, at most [`STEP_WORDS_MAX`] words.
    pub text: String,
    /// What the lecturer alone sees, Markdown.
    pub notes: String,
    /// What it changes of the kernel or the machine of the step before. Any change starts the run
    /// again.
    pub settings: Vec<Setting>,
    /// How to get to its moment from that of the step before (from the start, for the first and
    /// after [`Step::settings`]); moves made one after the other. None stays.
    pub goto: Vec<Move>,
    /// Whose run queue to show, if another than before.
    pub focus: Option<u16>,
    /// Which view to show, if another than before.
    pub tab: Option<Tab>,
    /// Which stretch of the timeline to show, if another than before, ns.
    pub stretch: Option<(u64, u64)>,
    /// What runs beside it, as the session's `Beside` takes it; nothing without it.
    pub beside: Option<String>,
    /// A question, asked before the outcome of the moment is shown.
    pub question: Option<Question>,
    /// What must be true at the moment.
    pub expect: Vec<Expected>,
    /// The line of its heading in the file.
    pub line: u32,
}

/// A change of the kernel or the machine on which the scenario runs, from a step on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Setting {
    /// `kernel 4.19`: that preset, with its own features and placement.
    Kernel(String),
    /// `kernel own`: the scenario's.
    Own,
    /// `placement 4.19`: the wakeup placement of that preset.
    Placement(String),
    /// `feature START_DEBIT off`.
    Feature(String, bool),
    /// `machine zen3-nps4`: that machine.
    Machine(String),
    /// `governor hwp`: who sets the clocks.
    Governor(String),
}

/// Something that must be true, and the line that says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    /// What must be true.
    pub claim: Claim,
    /// The line in the file.
    pub line: u32,
}

/// A move through the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Move {
    /// `start`: before anything happened.
    Start,
    /// `end` of the run.
    End,
    /// `step 12`.
    Step(u64),
    /// `time 30ms`: the last step at or before it, ns.
    Time(u64),
    /// `next pick of B on cpu 0`: the next step of the kind that is about the task and the CPU.
    Next(Stop),
    /// `previous pick of B on cpu 0`.
    Previous(Stop),
}

/// Where a [`Move::Next`] or [`Move::Previous`] stops.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// What kind of step.
    pub stride: Stride,
    /// The task that one of the step's decisions is about.
    pub of: Option<TaskName>,
    /// The CPU that one of the step's decisions was made on or for.
    pub on: Option<u16>,
}

/// Kinds of steps to stop at, as the session's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stride {
    /// `event`: any.
    Event,
    /// `decision`: one with a decision.
    Decision,
    /// `tick`.
    Tick,
    /// `switch` of the CPU that is named by `on cpu`, 0 without it.
    Switch,
    /// `pick`.
    Pick,
    /// `placement` of a woken task.
    Placement,
    /// `fork` placement.
    Fork,
    /// `preemption` test.
    Preemption,
    /// `balance`.
    Balance,
}

/// A view beside the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tab {
    /// `pick`.
    Pick,
    /// `placement`.
    Placement,
    /// `tree`.
    Tree,
    /// `metrics`.
    Metrics,
}

impl Lesson {
    /// The scenario by itself, with the lesson's prose.
    #[must_use]
    pub fn own_document(&self) -> Document {
        let mut document = self.document.clone();
        if document.about.is_empty() {
            document.about.clone_from(&self.about);
        }
        document
    }

    /// The scenario as a step has it: with the kernel and machine that this and the steps before it
    /// name.
    #[must_use]
    pub fn document_at(&self, step: usize) -> Document {
        let mut document = self.own_document();
        let settings = self.steps.iter().take(step.saturating_add(1)).flat_map(|s| &s.settings);
        settings.for_each(|setting| setting.apply(&mut document, &self.document));
        document
    }

    /// The moves to a step's moment from the start of its run: those of the steps that share it.
    #[must_use]
    pub fn way_to(&self, step: usize) -> Vec<Move> {
        let upto = &self.steps[..self.steps.len().min(step.saturating_add(1))];
        let first = upto.iter().rposition(|s| !s.settings.is_empty()).unwrap_or(0);
        upto[first..].iter().flat_map(|s| s.goto.iter().cloned()).collect()
    }
}

impl Setting {
    /// Makes the change; `own` is the scenario.
    fn apply(&self, document: &mut Document, own: &Document) {
        let kernel = &mut document.kernel;
        match self {
            Setting::Own => *kernel = own.kernel.clone(),
            Setting::Kernel(name) => {
                kernel.features.clear();
                kernel.placement = None;
                kernel.set_preset(name);
            }
            Setting::Placement(name) => kernel.placement = Some(name.clone()),
            Setting::Feature(name, on) => kernel.set_feature(name, *on),
            Setting::Governor(name) => kernel.clock.governor = Some(name.clone()),
            Setting::Machine(id) => document.machine = MachineChoice::Preset(id.clone()),
        }
    }
}

const STRIDES: [(&str, Stride); 9] = [
    ("event", Stride::Event),
    ("decision", Stride::Decision),
    ("tick", Stride::Tick),
    ("switch", Stride::Switch),
    ("pick", Stride::Pick),
    ("placement", Stride::Placement),
    ("fork", Stride::Fork),
    ("preemption", Stride::Preemption),
    ("balance", Stride::Balance),
];

impl Stride {
    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        STRIDES.iter().find(|(_, stride)| *stride == self).map_or("", |(name, _)| name)
    }
}

const TABS: [(&str, Tab); 4] = [
    ("pick", Tab::Pick),
    ("placement", Tab::Placement),
    ("tree", Tab::Tree),
    ("metrics", Tab::Metrics),
];

impl Tab {
    /// The view of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Tab> {
        TABS.iter().find(|(known, _)| *known == name).map(|(_, tab)| *tab)
    }
}

/// A question: predict, then reveal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// What is asked.
    pub prompt: String,
    /// The right answer, and what can be answered.
    pub answer: Answer,
    /// Why it is right, shown afterwards.
    pub because: String,
    /// What to say to a wrong answer: the answer as it is written in the file, and the sentence.
    pub wrong: Vec<(String, String)>,
}

/// The right answer of a [`Question`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// A task: one chooses a lane.
    Task(TaskName),
    /// A CPU: one chooses it on the machine.
    Cpu(u16),
    /// A length of time or a count.
    Number(Amount),
    /// One of these.
    Choice {
        /// All that can be chosen.
        options: Vec<String>,
        /// Which is right.
        right: u32,
    },
}
