//! Everything that can happen to the page, as data.
//! [`AppState::apply`](crate::state::AppState::apply) is the only place where an action changes
//! anything.

use crate::state::{ByStep, Dialog, Mode, Pace, Tab, Theme, Viewport};
use schedscope_session::{Edit, Format, Goto, Update};

/// Forwards or backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Later.
    Forward,
    /// Earlier.
    Back,
}

/// Where a document comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// Text of a scenario or a lesson, with the name of its file if it has one.
    Text {
        /// The text.
        text: String,
        /// "my.toml", or empty.
        name: String,
    },
    /// A prepared scene, by its id. Where its text is not in the program, the page fetches it and
    /// opens that.
    Lab(&'static str),
    /// A link's content.
    Link(Box<crate::url::Link>),
}

/// Where to begin in a document, when the address says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// At this time, ns.
    pub time: Option<u64>,
    /// At this step (wins over the time).
    pub step: Option<u64>,
    /// On this tab.
    pub tab: Option<Tab>,
    /// At this decision of the step.
    pub decision: Option<usize>,
    /// At this check of the decision.
    pub check: Option<usize>,
    /// After so many probes of the check, if not all.
    pub probe: Option<usize>,
    /// Looking at this CPU.
    pub focus: Option<u16>,
    /// With this row selected.
    pub select: Option<u16>,
    /// If nothing that suits the tab is decided there: at the next step where something is.
    pub seek: bool,
    /// At this page, if it is a lesson, from 0.
    pub page: Option<usize>,
}

/// What is being carried to a CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Load {
    /// A row of the task list.
    Row(u16),
    /// A pattern, by its index in [`crate::state::PATTERNS`].
    Pattern(usize),
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The worker runs and takes commands.
    EngineReady,
    /// The worker answered request `id` after so many ms.
    Answer {
        /// The request's number.
        id: u32,
        /// The answer.
        update: Box<Update>,
        /// How long it took, ms.
        took: f64,
    },
    /// The worker died; what it said.
    Crashed(String),
    /// The worker was started again after a crash: open the last document in it.
    Restarted,

    /// Open a document.
    Open(Source, Start),
    /// Show the start page.
    Close,
    /// Change the document, or the run from this moment on.
    Edit(Edit),
    /// Take the last edit back.
    Undo,
    /// Do it again.
    Redo,
    /// Make a file to save.
    Export(Format),
    /// The file was handed to the browser.
    Saved,

    /// One step by the chosen unit.
    Step(Way),
    /// One step by this unit.
    StepBy(Way, ByStep),
    /// Go there.
    Goto(Goto),
    /// To the start of the run.
    Home,
    /// To its end.
    End,
    /// To a check of the current decision.
    ToCheck(usize),
    /// To a decision of the current step.
    ToDecision(usize),
    /// Start or stop playing.
    Play(bool),
    /// The other of the two.
    TogglePlay,
    /// The clock says that the next step of playing is due; `span` is how far a run by events
    /// should have come, ns.
    Due {
        /// Simulated time since the last one, ns.
        span: u64,
    },
    /// Choose the unit.
    By(ByStep),
    /// Choose how fast to play.
    Pace(Pace),
    /// A notch faster (+1) or slower (−1).
    PaceBy(i8),

    /// The next or previous step of a lesson.
    Page(Way),
    /// What is predicted.
    Predict(String),
    /// Leave the lesson; the scenario stays.
    EndLesson,

    /// Look at a tab.
    Tab(Tab),
    /// Look at a CPU; the choice stays until it is released.
    Focus(u16),
    /// Let the focus follow the decisions again.
    Unfocus,
    /// The next (+1) or previous (−1) CPU.
    FocusBy(i32),
    /// Select a row of the task list, or none.
    Select(Option<u16>),
    /// The pointer is over a mark of this row.
    Hover(Option<u16>),
    /// Show this stretch of time.
    Show {
        /// From, ns.
        from: u64,
        /// To, ns.
        to: u64,
    },
    /// Zoom by a factor (> 1 is closer) about a time.
    Zoom {
        /// The factor.
        factor: f64,
        /// The time that stays where it is; the playhead if none.
        about: Option<u64>,
    },
    /// Move the stretch by so many ns.
    Pan(i64),
    /// Show the whole run.
    Fit,
    /// Keep the playhead in view, or not.
    Follow(bool),
    /// The timeline has this size, px.
    Dock {
        /// Width.
        width: f32,
        /// Height.
        height: f32,
    },
    /// Size and kind of the window.
    Viewport(Viewport),
    /// Choose a theme.
    Theme(Theme),
    /// Choose a mode.
    Mode(Mode),
    /// Open a dialog, or close it.
    Dialog(Option<Dialog>),
    /// Show or hide the task list.
    Rail(bool),
    /// Width of the machine panel on this tab, px; `None` is the design's.
    Split(Option<f32>),
    /// Show tables instead of pictures, or not.
    Tables(bool),
    /// Switch single-letter keys on or off.
    LetterKeys(bool),
    /// Show the busy share of each LLC instead of tasks, or not.
    LoadMode(bool),
    /// Show the moment as it would be with this change, without making it; or as it is again.
    WhatIf(Option<Edit>),
    /// Run the document a second time beside the first, with this difference ("4.19"), or no
    /// longer.
    Beside(Option<String>),
    /// Go to the first time at which the two kernels differ, or to the next from here.
    Difference {
        /// The next.
        next: bool,
    },
    /// Metrics of all that was simulated, or up to the playhead.
    WholeRun(bool),
    /// Draw this LLC large, or none.
    Lens(Option<u16>),
    /// Close the banner with the problems.
    Dismiss,
    /// Something to tell in the status line and the live region.
    Say(String),
    /// Something that came in from outside is wrong.
    Problem(Vec<schedscope_session::update::Problem>),

    /// Pick a card up; by keyboard or by pointer.
    PickUp {
        /// What.
        load: Load,
        /// Whether the keyboard carries it.
        keys: bool,
    },
    /// It is over this CPU now.
    CarryOver(Option<u16>),
    /// Whether dropping pins.
    CarryPin(bool),
    /// The CPU list typed so far.
    CarryText(String),
    /// Put it down where it is.
    Drop,
    /// Put it back.
    PutBack,
}
