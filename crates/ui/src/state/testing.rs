//! A small document and moments for the tests of this crate: no engine needed.

use super::{AppState, Request};
use crate::action::{Action, Source, Start};
use schedscope_session::update::*;
use schedscope_session::{Command, Update};

/// A machine of two cores with two threads each: CPUs 0, 1 and their siblings 2, 3… by core: 0 has
/// 0 and 2, 1 has 1 and 3.
pub(crate) fn document(title: &str) -> Loaded {
    let place =
        |core, thread| CpuPlace { core, thread, cluster: None, llc: 0, node: 0, package: 0 };
    let row = |name: &str, letter: &str, hue| RowView {
        name: name.into(),
        letter: letter.into(),
        hue,
        texture: 0,
        count: 1,
        muted: false,
        ..RowView::default()
    };
    Loaded {
        title: title.into(),
        about: String::new(),
        text: String::new(),
        packed: title.as_bytes().to_vec(),
        machine: Machine {
            cpus: vec![place(0, 0), place(1, 0), place(0, 1), place(1, 1)],
            llcs: vec![vec![0, 1, 2, 3]],
            llc_names: vec!["LLC 0".into()],
            threads_per_core: 2,
            nodes: 1,
            packages: 1,
            ..Machine::default()
        },
        kernel: KernelView { name: "Linux 6.12, EEVDF".into(), ..KernelView::default() },
        groups: Vec::new(),
        rows: vec![row("audio", "A", 0), row("browser", "B", 1)],
        task_rows: vec![0, 1],
        seed: 7,
        end: 100_000_000,
        notes: Vec::new(),
    }
}

pub(crate) fn check(title: &str, result: &str, sentence: &str, probes: &[(u16, bool)]) -> Check {
    Check {
        title: title.into(),
        result: result.into(),
        sentence: sentence.into(),
        kernel: String::new(),
        mark: Mark::Plain,
        probes: probes
            .iter()
            .map(|&(cpu, idle)| Probe { cpu, idle, code: "scan".into() })
            .collect(),
        tasks: Vec::new(),
        skipped: false,
        limit: None,
    }
}

/// A moment with a placement (a question, a scan of three CPUs) and a pick (two checks).
pub(crate) fn pick_and_place() -> Moment {
    let decision = |kind, cpu, heading: &str, checks| Decision {
        cpu,
        kind,
        task: Some(0),
        heading: heading.into(),
        sentence: "It has the earliest deadline.".into(),
        cause: String::new(),
        checks,
        picture: Picture::None,
    };
    Moment {
        step: 10,
        steps: 50,
        now: 5_000_000,
        event: "The timer of audio expires on CPU 1".into(),
        event_cpu: Some(1),
        cpus: vec![CpuView::default(); 4],
        tasks: vec![TaskView::default(), TaskView { row: 1, ..TaskView::default() }],
        groups: Vec::new(),
        rows: Vec::new(),
        decisions: vec![
            decision(
                DecisionKind::Placement,
                1,
                "A goes to CPU 1",
                vec![
                    check("Is target CPU 0 idle?", "no", "It is not.", &[(0, false)]),
                    check(
                        "Scan for an idle CPU",
                        "3 of 3",
                        "CPU 1 is idle.",
                        &[(2, false), (3, false), (1, true)],
                    ),
                ],
            ),
            decision(
                DecisionKind::Pick,
                1,
                "A runs next",
                vec![
                    check("Is curr eligible?", "no", "It has had its share.", &[]),
                    check("Pick", "A", "Earliest deadline.", &[]),
                ],
            ),
        ],
        queue: None,
        before: Vec::new(),
    }
}

/// A moment without decisions.
pub(crate) fn quiet(step: u64) -> Moment {
    Moment { step, steps: 50, now: step * 500_000, decisions: Vec::new(), ..pick_and_place() }
}

/// A state and the requests that it has sent.
pub(crate) struct Bench {
    pub(crate) state: AppState,
    pub(crate) sent: Vec<Request>,
}

impl Bench {
    /// With a document open and this moment on the screen.
    pub(crate) fn with(moment: Moment) -> Bench {
        let mut bench = Bench { state: AppState::new(), sent: Vec::new() };
        bench.act(Action::EngineReady);
        let source = Source::Text { text: "x".into(), name: String::new() };
        bench.act(Action::Open(source, Start::default()));
        bench.answer("Load", Update::Loaded(Box::new(document("one"))));
        bench.answer("Show", Update::Moment(Box::new(moment)));
        bench.answer(
            "Run",
            Update::Advanced(Progress { steps: 50, done: true, ..Progress::default() }),
        );
        bench.answer("Window", Update::Window(Box::default()));
        bench
    }

    pub(crate) fn act(&mut self, action: Action) {
        let sent = self.state.apply(action);
        self.sent.extend(sent);
    }

    /// The latest request of a kind, by the name of its command.
    pub(crate) fn last(&self, kind: &str) -> Option<Request> {
        self.sent.iter().rfind(|r| name(&r.command) == kind).cloned()
    }

    /// Answers the latest request of a kind.
    pub(crate) fn answer(&mut self, kind: &str, update: Update) {
        if let Some(request) = self.last(kind) {
            self.answer_to(request.id, update);
        }
    }

    pub(crate) fn answer_to(&mut self, id: u32, update: Update) {
        self.act(Action::Answer { id, update: Box::new(update), took: 5.0 });
    }
}

fn name(command: &Command) -> &'static str {
    match command {
        Command::Load { .. } => "Load",
        Command::LoadPacked { .. } => "LoadPacked",
        Command::Run { .. } => "Run",
        Command::Show { .. } => "Show",
        Command::Walk { .. } => "Walk",
        Command::Window { .. } => "Window",
        Command::Edit { .. } => "Edit",
        Command::Metrics { .. } => "Metrics",
        Command::Export { .. } => "Export",
        Command::Beside { .. } => "Beside",
        Command::Difference { .. } => "Difference",
        Command::WhatIf { .. } => "WhatIf",
        Command::Second(command) => match **command {
            Command::Run { .. } => "SecondRun",
            Command::Window { .. } => "SecondWindow",
            _ => "SecondMetrics",
        },
    }
}

/// A state with this moment on the screen.
pub(crate) fn on_screen(moment: Moment) -> AppState {
    Bench::with(moment).state
}
