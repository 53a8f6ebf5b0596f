//! The small types of the state.

use schedscope_session::update::Problem;

/// Whether there is something to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// The engine is on its way.
    #[default]
    Starting,
    /// It is there; nothing is loaded: the start page.
    Empty,
    /// It is working on a document; the screen has its layout, not yet its figures.
    Opening,
    /// A run is on the screen.
    Ready,
}

/// A place inside a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The step of the run.
    pub step: u64,
    /// Which of the step's decisions.
    pub decision: usize,
    /// Which of its checks is the current one.
    pub check: usize,
    /// How many of the check's probes have been made; `usize::MAX` is all.
    pub probe: usize,
}

impl Default for Cursor {
    fn default() -> Cursor {
        Cursor { step: 0, decision: 0, check: 0, probe: usize::MAX }
    }
}

/// The questions that the page can answer; on a phone also the panels that are tabs there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tab {
    /// Who runs next?
    #[default]
    Pick,
    /// Where does it go?
    Placement,
    /// The run queue's tree.
    Tree,
    /// Figures over the run.
    Metrics,
    /// The machine (phone).
    Machine,
    /// The task list (phone).
    Tasks,
}

impl Tab {
    /// The tabs of the decision panel.
    pub const DECISION: [Tab; 4] = [Tab::Pick, Tab::Placement, Tab::Tree, Tab::Metrics];
    /// The tabs of a phone.
    pub const PHONE: [Tab; 6] =
        [Tab::Machine, Tab::Pick, Tab::Placement, Tab::Tree, Tab::Metrics, Tab::Tasks];

    /// The word for it in addresses; never changed.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Tab::Pick => "pick",
            Tab::Placement => "placement",
            Tab::Tree => "tree",
            Tab::Metrics => "metrics",
            Tab::Machine => "machine",
            Tab::Tasks => "tasks",
        }
    }

    /// The tab with this word.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Tab> {
        Tab::PHONE.into_iter().find(|tab| tab.id() == id)
    }

    /// The tab that a lesson names.
    #[must_use]
    pub fn of(tab: schedscope_scenario::lesson::Tab) -> Tab {
        use schedscope_scenario::lesson::Tab as Named;
        match tab {
            Named::Pick => Tab::Pick,
            Named::Placement => Tab::Placement,
            Named::Tree => Tab::Tree,
            Named::Metrics => Tab::Metrics,
        }
    }

    /// What the tab says.
    #[must_use]
    pub fn label(self, phone: bool) -> &'static str {
        match self {
            Tab::Pick => "Pick",
            Tab::Placement => "Placement",
            Tab::Tree if phone => "Tree",
            Tab::Tree => "Queue tree",
            Tab::Metrics => "Metrics",
            Tab::Machine => "Machine",
            Tab::Tasks => "Tasks",
        }
    }

    /// The number for it in links; never changed.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Tab::Pick => 0,
            Tab::Placement => 1,
            Tab::Tree => 2,
            Tab::Metrics => 3,
            Tab::Machine => 4,
            Tab::Tasks => 5,
        }
    }

    /// The tab with this number.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Tab> {
        Tab::PHONE.into_iter().find(|tab| tab.code() == code)
    }
}

/// The unit of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByStep {
    /// One check of a decision; in a scan, one CPU.
    #[default]
    Check,
    /// One decision.
    Decision,
    /// One event.
    Event,
    /// One tick.
    Tick,
}

impl ByStep {
    /// All, finest first.
    pub const ALL: [ByStep; 4] = [ByStep::Check, ByStep::Decision, ByStep::Event, ByStep::Tick];

    /// Its name.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            ByStep::Check => "check",
            ByStep::Decision => "decision",
            ByStep::Event => "event",
            ByStep::Tick => "tick",
        }
    }
}

/// How fast a run is played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// For explaining.
    Slow,
    /// For looking.
    #[default]
    Normal,
    /// For getting on.
    Fast,
}

impl Pace {
    /// All, slowest first.
    pub const ALL: [Pace; 3] = [Pace::Slow, Pace::Normal, Pace::Fast];

    /// Its name.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Pace::Slow => "slow",
            Pace::Normal => "normal",
            Pace::Fast => "fast",
        }
    }

    /// A notch faster or slower.
    #[must_use]
    pub fn shifted(self, by: i8) -> Pace {
        let at = (self as i8 + by).clamp(0, 2);
        Pace::ALL[at as usize]
    }
}

/// The theme that the user chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// What kind of page it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// All of it.
    #[default]
    Main,
    /// For a projector: one picture, one sentence.
    Present,
    /// Inside another page.
    Embed,
}

/// What can lie over the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialog {
    /// Kernels modelled, conformance, known deviations.
    About,
    /// Keys and glossary.
    Help,
    /// The link to this screen.
    Share,
    /// Files to save.
    Export,
    /// Prepared scenes.
    Labs,
    /// The kernel's features, base slice, ticks.
    Kernel,
    /// A machine of one's own.
    Machine,
}

/// Size and kind of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Width, px.
    pub width: f32,
    /// Height, px.
    pub height: f32,
    /// Touch.
    pub coarse: bool,
}

impl Default for Viewport {
    fn default() -> Viewport {
        Viewport { width: 1440.0, height: 900.0, coarse: false }
    }
}

/// How the page is laid out, by its width (DESIGN §11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Three columns.
    Wide,
    /// Two columns: machine over decision, tasks in a drawer.
    Narrow,
    /// One column with tabs.
    Phone,
}

impl Viewport {
    /// The layout for this size.
    #[must_use]
    pub fn frame(self) -> Frame {
        match self.width {
            w if w < 720.0 => Frame::Phone,
            // A phone on its side, or a page zoomed in.
            w if w < 1024.0 && self.height < 480.0 => Frame::Phone,
            w if w < 1024.0 => Frame::Narrow,
            _ => Frame::Wide,
        }
    }
}

/// What panels are open and how wide.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panels {
    /// Whether the task list is put away.
    pub rail_hidden: bool,
    /// Whether tables are shown instead of pictures.
    pub tables: bool,
    splits: [Option<f32>; 6],
}

impl Panels {
    /// Width of the machine panel that the user chose on this tab.
    #[must_use]
    pub fn split(&self, tab: Tab) -> Option<f32> {
        self.splits[usize::from(tab.code())]
    }

    pub(super) fn set_split(&mut self, tab: Tab, width: Option<f32>) {
        self.splits[usize::from(tab.code())] = width;
    }

    /// Width of the machine panel: the user's, or the design's (DESIGN §2).
    #[must_use]
    pub fn machine_width(&self, tab: Tab, viewport: Viewport) -> f32 {
        let w = viewport.width;
        let rail = if self.rail_hidden { 0.0 } else { RAIL };
        let design = match tab {
            Tab::Placement => (w - rail - 456.0).max(if w < 1330.0 { 360.0 } else { 560.0 }),
            _ if w >= 1700.0 => 560.0,
            _ if w < 1330.0 => 360.0,
            _ => 408.0,
        };
        let room = (w - rail - 320.0).max(200.0);
        self.split(tab).unwrap_or(design).clamp(200.0, room)
    }
}

/// Width of the task list and of the timeline's labels, px.
pub const RAIL: f32 = 280.0;

/// Why something was refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Problems {
    /// "This scenario could not be opened".
    pub title: String,
    /// All of it.
    pub list: Vec<Problem>,
}

/// What is known of a crash.
#[derive(Clone, Debug, PartialEq)]
pub struct Crash {
    /// What the worker said.
    pub message: String,
    /// Title of the document.
    pub title: String,
    /// Name of the kernel.
    pub kernel: String,
    /// Seed of the run.
    pub seed: u64,
    /// Step on the screen.
    pub step: u64,
    /// The document, for a report.
    pub text: String,
}

impl Crash {
    /// A report to copy.
    #[must_use]
    pub fn report(&self) -> String {
        format!(
            "schedscope {} stopped.\nmessage: {}\nscenario: {}\nkernel: {}\nseed: {}\nstep: {}\n\n{}",
            env!("CARGO_PKG_VERSION"),
            self.message,
            self.title,
            self.kernel,
            self.seed,
            self.step,
            self.text
        )
    }
}
