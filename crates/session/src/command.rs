//! What the session can be asked for.

use crate::update::{Cpu, Group, Row, Task};
use schedscope_scenario::lesson::Move;
use serde::{Deserialize, Serialize};

/// A request to [`crate::Session::handle`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// Load a document: scenario TOML, or a lesson (Markdown with a fence). Answer: `Loaded` or
    /// `Rejected`.
    Load {
        /// The text.
        text: String,
    },
    /// Load a document already packed for a link (see [`crate::link`]).
    LoadPacked {
        /// The bytes.
        packed: Vec<u8>,
    },
    /// Simulate up to so many steps further. Answer: `Advanced`.
    Run {
        /// At most so many.
        steps: u32,
    },
    /// Show a moment. Answer: `Moment`. The run is simulated further if need be.
    Show {
        /// Which.
        goto: Goto,
        /// Whose run queue to show.
        focus: Cpu,
    },
    /// Make the moves of a lesson's step, one after the other. Answer: `Walked`, or `Rejected` with
    /// a sentence on a move that finds nothing.
    Walk {
        /// The moves.
        moves: Vec<Move>,
        /// The step from which the first is made.
        from: u64,
        /// Whose run queue to show.
        focus: Cpu,
    },
    /// A stretch of the timeline. Answer: `Window`.
    Window {
        /// From, ns.
        from: u64,
        /// To, ns.
        to: u64,
        /// How many pixel columns it will be drawn on: the resolution.
        columns: u32,
        /// CPUs that want full lanes.
        lanes: Vec<Cpu>,
        /// Whether the busy share of each LLC is wanted.
        heat: bool,
    },
    /// Change the document or, past the start, the run from this step on. Answer: `Edited` or
    /// `Rejected`.
    Edit {
        /// The step after which it happens; at 0 it changes the document itself.
        step: u64,
        /// What.
        edit: Edit,
    },
    /// Figures over the run. Answer: `Metrics`.
    Metrics {
        /// Up to this moment, with all of its step; `None` is all that was simulated.
        upto: Option<Goto>,
    },
    /// Show a moment as it would be, had a task's nice, latency-nice, slice or affinity been
    /// changed just before it. Nothing is changed. Answer: `WhatIf`.
    WhatIf {
        /// The step shown, from 1 on.
        step: u64,
        /// The change.
        edit: Edit,
        /// Whose run queue to show.
        focus: Cpu,
    },
    /// Open a second run of the document beside the first, or close it. The document is the same,
    /// with its changes during the run at the same times; edits and loads close it. Answer:
    /// `Beside`, or `Rejected`.
    Beside {
        /// What is different, for example "4.19" or "placement 4.19, WA_IDLE off": parts of a
        /// kernel ("6.6"), "placement 6.6", a feature with "on" or "off", "governor schedutil",
        /// "hz 250", "base_slice 3ms". `None` closes it.
        with: Option<String>,
    },
    /// The first time at which a CPU comes to have another task in the second run than in the
    /// first; later than `after`, ns, if that is given. Both are simulated so far.
    /// Answer: `Difference`.
    Difference {
        /// Look for the next one after this time.
        after: Option<u64>,
    },
    /// Ask the second run: `Run`, `Show`, `Window`, `Metrics` or `Export`. Answer: `Second`, with
    /// what the first would answer.
    Second(Box<Command>),
    /// A file to save. Answer: `File`.
    Export {
        /// Which.
        format: Format,
    },
}

/// Which moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Goto {
    /// This step.
    Step(u64),
    /// The last step at or before this time, ns.
    Time(u64),
    /// The next step of this kind after the given one; that one if there is none.
    Next(Stride, u64),
    /// The one before.
    Previous(Stride, u64),
    /// The end of the run.
    End,
}

/// How far a step goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Stride {
    /// Any event.
    Event,
    /// One with a decision.
    Decision,
    /// A tick.
    Tick,
    /// A context switch on this CPU.
    Switch(Cpu),
    /// A decision of one kind.
    Kind(crate::update::DecisionKind),
}

/// What can be changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Edit {
    /// Nice of a row (all its tasks), or of one task.
    Nice(Who, i8),
    /// Latency-nice.
    LatencyNice(Who, i8),
    /// The task's own slice, ns.
    Slice(Who, Option<u64>),
    /// Affinity as a CPU list with ranges ("0-15,128-143"); empty is everywhere.
    Affinity(Who, String),
    /// Start there (at step 0) or move there now.
    Move(Who, Cpu),
    /// Into the group of this name; `None` is out of any.
    Group(Who, Option<String>),
    /// Add a group: this name, or one like it. Starts the run again.
    AddGroup(String),
    /// Take a group away: its tasks are in none then. Starts the run again.
    RemoveGroup(Group),
    /// Rename a group. Changes nothing in the run.
    RenameGroup(Group, String),
    /// The shares of a group, 2 … 262144.
    Shares(Group, u32),
    /// The latency-nice of a group.
    GroupLatencyNice(Group, i8),
    /// Add a row, given as the TOML of one task table; optionally on a CPU.
    Add(String, Option<Cpu>),
    /// Another row with the same parameters.
    Duplicate(Row),
    /// Take a row away (at step 0), or end its tasks (later).
    Remove(Row),
    /// The program of a row, one operation a line. Always starts the run again.
    Program(Row, String),
    /// Rename a row. Changes nothing in the run.
    Rename(Row, String),
    /// Another letter, or the next free one. Changes nothing in the run.
    Letter(Row, Option<String>),
    /// A number of the palette, 1 … 24, or that of the letter. Changes nothing in the run.
    Colour(Row, Option<u8>),
    /// Grey or not, or as the number of tasks decides. Changes nothing in the run.
    Muted(Row, Option<bool>),
    /// Another machine, by preset id or as its TOML table. Starts the run again.
    Machine(String),
    /// Another kernel, by preset name. Starts the run again.
    Kernel(String),
    /// A feature on or off. Starts the run again.
    Feature(String, bool),
    /// Takes the wakeup placement of another preset, by name; `None` takes the kernel's own back.
    Placement(Option<String>),
    /// Base slice, ns. Starts the run again.
    BaseSlice(u64),
    /// Ticks per second. Starts the run again.
    Hz(u32),
    /// Another seed. Starts the run again.
    Seed(u64),
    /// Another end of the run, ns.
    End(u64),
}

/// Whom an edit is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Who {
    /// A whole row.
    Row(Row),
    /// One task.
    Task(Task),
}

/// Files that can be saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Format {
    /// The document with its inputs, TOML.
    Scenario,
    /// One line an event, CSV.
    EventsCsv,
    /// One line an event, JSON lines.
    EventsJson,
    /// Chrome JSON trace for Perfetto.
    Perfetto,
    /// The metrics as CSV.
    MetricsCsv,
    /// The metrics as JSON.
    MetricsJson,
}
