//! The six patterns of the palette: tasks to drag onto a CPU.

/// A kind of task that can be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// What the tile says.
    pub label: &'static str,
    /// What it does, for tooltip and screen reader.
    pub about: &'static str,
    /// The tile's picture: when the task runs, as an SVG path in a box of 48 × 14.
    pub icon: &'static str,
    /// The names of the rows it adds, and their fields in TOML without the name.
    pub rows: &'static [(&'static str, &'static str)],
}

/// The palette.
pub const PATTERNS: &[Pattern] = &[
    Pattern {
        label: "CPU hog",
        about: "always wants to run",
        icon: "M0 4h48v8H0z",
        rows: &[("hog", "program = \"loop { run 10ms }\"")],
    },
    Pattern {
        label: "Periodic",
        about: "runs 2 ms every 10 ms",
        icon: "M0 4h6v8H0zM14 4h6v8h-6zM28 4h6v8h-6zM42 4h6v8h-6z",
        rows: &[("periodic", "program = \"loop { run 2ms; sleep 8ms }\"")],
    },
    Pattern {
        label: "Interactive",
        about: "short runs, sleeps of varying length",
        icon: "M0 4h4v8H0zM9 4h10v8H9zM31 4h3v8h-3zM38 4h7v8h-7z",
        rows: &[("interactive", "program = \"loop { run 500us..2ms; sleep 3ms..12ms }\"")],
    },
    Pattern {
        label: "Pipe pair",
        about: "two tasks that wake each other in turn",
        icon: "M0 1h8v5H0zM9 9h8v5H9zM18 1h8v5h-8zM27 9h8v5h-8zM36 1h8v5h-8z",
        rows: &[
            ("ping", "program = \"loop { run 300us; wake pipe-b; wait pipe-a }\""),
            ("pong", "program = \"loop { wait pipe-b; run 300us; wake pipe-a }\""),
        ],
    },
    Pattern {
        label: "kthread",
        about: "a per-CPU kernel thread: very short runs",
        icon: "M2 4h2v8H2zM20 4h2v8h-2zM38 4h2v8h-2z",
        rows: &[("kthread", "program = \"loop { run 20us; sleep 4ms }\"")],
    },
    Pattern {
        label: "Fork burst",
        about: "a task that forks three workers",
        icon: "M0 1h20v3H0zM2 5.5h22v3H2zM4 10h26v3H4z",
        rows: &[(
            "burst",
            "program = \"repeat 3 { fork { run 5ms } }; loop { run 1ms; sleep 20ms }\"",
        )],
    },
];
