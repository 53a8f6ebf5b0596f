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

impl Pattern {
    /// Whether its tasks are bound to one CPU, which then has to be named.
    #[must_use]
    pub fn bound(&self) -> bool {
        self.rows.iter().any(|(_, fields)| fields.contains("kthread = true"))
    }
}

/// The palette.
pub const PATTERNS: &[Pattern] = &[
    Pattern {
        label: "CPU hog",
        about: "always wants to run",
        icon: "M0 4h48v8H0z",
        rows: &[("hog", "program = \"\"\"\nloop\nrun 10ms\nend\n\"\"\"")],
    },
    Pattern {
        label: "Periodic",
        about: "runs 2 ms every 10 ms",
        icon: "M0 4h6v8H0zM14 4h6v8h-6zM28 4h6v8h-6zM42 4h6v8h-6z",
        rows: &[("periodic", "program = \"\"\"\nloop\nrun 2ms\ntimer 10ms\nend\n\"\"\"")],
    },
    Pattern {
        label: "Interactive",
        about: "short runs, sleeps of varying length",
        icon: "M0 4h4v8H0zM9 4h10v8H9zM31 4h3v8h-3zM38 4h7v8h-7z",
        rows: &[(
            "interactive",
            "program = \"\"\"\nloop\nrun 500us..2ms\nsleep 3ms..12ms\nend\n\"\"\"",
        )],
    },
    Pattern {
        label: "Pipe pair",
        about: "two tasks that wake each other in turn",
        icon: "M0 1h8v5H0zM9 9h8v5H9zM18 1h8v5h-8zM27 9h8v5h-8zM36 1h8v5h-8z",
        rows: &[
            (
                "ping",
                "program = \"\"\"\nloop\nrun 300us\nwake pipe-b sync\nwait pipe-a\nend\n\"\"\"",
            ),
            (
                "pong",
                "program = \"\"\"\nloop\nwait pipe-b\nrun 300us\nwake pipe-a sync\nend\n\"\"\"",
            ),
        ],
    },
    Pattern {
        label: "kthread",
        about: "a per-CPU kernel thread: very short runs",
        icon: "M2 4h2v8H2zM20 4h2v8h-2zM38 4h2v8h-2z",
        rows: &[(
            "kthread",
            "kthread = true\nprogram = \"\"\"\nloop\nrun 20us\nsleep 4ms\nend\n\"\"\"",
        )],
    },
    Pattern {
        label: "Fork burst",
        about: "a task that forks three workers",
        icon: "M0 1h20v3H0zM2 5.5h22v3H2zM4 10h26v3H4z",
        rows: &[
            ("worker", "start = \"fork\"\nprogram = \"run 5ms\""),
            (
                "burst",
                "program = \"\"\"\nloop\nloop 3\nfork worker\nend\n\
                 run 1ms\nsleep 20ms\nend\n\"\"\"",
            ),
        ],
    },
];
