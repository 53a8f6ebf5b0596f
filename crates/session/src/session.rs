//! The session: one document, its run, and an answer to every command.

use schedscope_analysis::export;
use schedscope_analysis::index::Kinds;
use schedscope_scenario::document::Start;
use schedscope_scenario::lesson::TaskName;
use schedscope_scenario::{Document, duration};
use schedscope_sim::units::CpuId;

use crate::edit;
use crate::run::{Run, problems};
use crate::update::{DecisionKind, Edited, Loaded, Problem, RowView, TaskGroup, Update};
use crate::{Command, Edit, Format, Goto, Stride};
use crate::{beside, figures, kernel, lesson, machine, moment, walk};

/// One document and its run. Made empty; [`Session::handle`] does everything.
#[derive(Clone, Debug, Default)]
pub struct Session {
    run: Option<Run>,
    beside: Option<beside::Second>,
}

/// Where a session is: enough to make a bug report that can be replayed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Whereabouts {
    /// The document's title.
    pub title: String,
    /// Seed of the run.
    pub seed: u64,
    /// Steps taken so far; a panic happened in the next one, or in showing one of these.
    pub step: u64,
}

impl Session {
    /// A session without a document.
    #[must_use]
    pub fn new() -> Session {
        Session::default()
    }

    /// Where the session is. Ask before each command: after a panic nobody can.
    #[must_use]
    pub fn whereabouts(&self) -> Whereabouts {
        self.run.as_ref().map_or_else(Whereabouts::default, |run| Whereabouts {
            title: run.document.title.clone(),
            seed: run.document.seed,
            step: run.steps(),
        })
    }

    /// How far the run was taken, ns; 0 without a document.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.run.as_ref().map_or(0, |run| run.state().now.0)
    }

    /// The document as TOML; empty without one.
    #[must_use]
    pub fn text(&self) -> String {
        self.run.as_ref().map(|run| run.document.to_toml()).unwrap_or_default()
    }

    /// The run's setup and names, for tools that go on from here; `None` without a document.
    #[must_use]
    pub fn setup(&self) -> Option<&schedscope_sim::setup::Setup> {
        self.run.as_ref().map(Run::setup)
    }

    /// Answers a command. Bad input is answered with [`Update::Rejected`]; nothing changes then.
    pub fn handle(&mut self, command: Command) -> Update {
        match self.answer(command) {
            Ok(update) => update,
            Err(problems) => Update::Rejected(problems),
        }
    }

    fn answer(&mut self, command: Command) -> Result<Update, Vec<Problem>> {
        match command {
            Command::Load { text } => {
                let current = self.run.as_ref().map(|run| &run.document);
                let (document, notes) = lesson::document(&text, current)?;
                self.load(document, notes)
            }
            Command::LoadPacked { packed } => {
                self.load(Document::unpack(&packed).map_err(problems)?, Vec::new())
            }
            Command::Edit { step, edit } => self.edit(step, edit),
            Command::WhatIf { step, edit, focus } => {
                let run = self.run()?;
                let step = find(run, Goto::Step(step)).max(1);
                run.advance_to(step);
                let (input, _) = edit::attribute(run, &edit)?;
                Ok(Update::WhatIf(Box::new(moment::what_if(run, step, input, focus)?)))
            }
            Command::Beside { with } => self.open_beside(with),
            Command::Second(command) => {
                let (first, second) = self.two()?;
                let mut update = ask(&mut second.run, *command)?;
                if let Update::Window(window) = &mut update {
                    let (from, to) = (window.from, window.to);
                    (window.apart, window.apart_until) = second.apart(first, from, to, window.bin);
                }
                Ok(Update::Second(Box::new(update)))
            }
            Command::Difference { after } => {
                let (first, second) = self.two()?;
                Ok(Update::Difference(Box::new(second.difference(first, after))))
            }
            command => ask(self.run()?, command),
        }
    }

    fn open_beside(&mut self, with: Option<String>) -> Result<Update, Vec<Problem>> {
        self.beside = None;
        let Some(with) = with else { return Ok(Update::Beside(None)) };
        let (run, mut told) = beside::open(self.run()?, &with)?;
        told.progress = run.progress();
        self.beside = Some(beside::Second::new(run, &with));
        Ok(Update::Beside(Some(Box::new(told))))
    }

    /// Both runs.
    fn two(&mut self) -> Result<(&mut Run, &mut beside::Second), Vec<Problem>> {
        match (&mut self.run, &mut self.beside) {
            (Some(first), Some(second)) => Ok((first, second)),
            _ => Err(problem("Nothing runs beside it.")),
        }
    }

    fn run(&mut self) -> Result<&mut Run, Vec<Problem>> {
        self.run.as_mut().ok_or_else(|| problem("No scenario is loaded yet; load one first."))
    }

    fn load(&mut self, document: Document, notes: Vec<Problem>) -> Result<Update, Vec<Problem>> {
        let mut run = Run::new(document)?;
        run.notes.extend(notes);
        let loaded = run.loaded();
        self.run = Some(run);
        self.beside = None;
        Ok(Update::Loaded(Box::new(loaded)))
    }

    fn edit(&mut self, step: u64, edit: Edit) -> Result<Update, Vec<Problem>> {
        let run = self.run()?;
        let edited = edit::apply(run, step, edit)?;
        let loaded = run.loaded();
        self.beside = None;
        Ok(Update::Edited(Box::new(Edited { loaded, done: edited.done, forked: edited.forked })))
    }

    /// The step of a moment as a table in Markdown: what was decided, check by check.
    ///
    /// # Errors
    /// If nothing is loaded.
    pub fn worked_table(&mut self, step: u64) -> Result<String, Vec<Problem>> {
        let run = self.run()?;
        let step = find(run, Goto::Step(step));
        Ok(crate::table::markdown(&moment::show(run, step, 0), &run.names))
    }

    /// The task of that name in the document (a lesson's `worker#3`), once it has come to be.
    #[must_use]
    pub fn task_named(&self, name: &TaskName) -> Option<crate::update::Task> {
        walk::task(self.run.as_ref()?, name).map(|task| task.0)
    }

    /// What people call a task: `D`, `J41`.
    #[must_use]
    pub fn task_name(&self, task: crate::update::Task) -> String {
        let id = schedscope_sim::units::TaskId(task);
        self.run.as_ref().map_or_else(|| format!("task {task}"), |run| run.names.name(id))
    }
}

/// A note with whom it is about: "compiler, slice: Linux 6.6 has …".
pub(crate) fn said(note: &Problem) -> String {
    match note.place.strip_prefix("task.") {
        Some(place) => format!("{}: {}", place.replacen('.', ", ", 1), note.sentence),
        None => note.sentence.clone(),
    }
}

fn problem(sentence: &str) -> Vec<Problem> {
    vec![Problem { place: "session".to_owned(), sentence: sentence.to_owned(), line: None }]
}

/// What can be asked of either run.
fn ask(run: &mut Run, command: Command) -> Result<Update, Vec<Problem>> {
    Ok(match command {
        Command::Run { steps } => {
            run.advance_to(run.steps().saturating_add(u64::from(steps)));
            Update::Advanced(run.progress())
        }
        Command::Show { goto, focus } => {
            let step = find(run, goto);
            Update::Moment(Box::new(moment::show(run, step, focus)))
        }
        Command::Walk { moves, from, focus } => {
            let lost =
                |sentence| vec![Problem { place: "lesson".to_owned(), sentence, line: None }];
            let (step, sought) = walk::walk(run, &moves, from).map_err(lost)?;
            let moment = Box::new(moment::show(run, step, focus));
            let decision = sought.and_then(|stop| walk::decision(run, &moment, stop));
            Update::Walked { moment, decision: decision.map(|at| at as u32) }
        }
        Command::Window { from, to, columns, lanes, heat } => {
            Update::Window(Box::new(figures::window(run, from, to, columns, &lanes, heat)))
        }
        Command::Metrics { upto } => {
            let upto = upto.map(|goto| {
                let step = find(run, goto);
                let time = run.index.time(step);
                let until = run.drawn_until();
                (step, if let Goto::Time(at) = goto { at.min(until).max(time) } else { time })
            });
            Update::Metrics(Box::new(figures::metrics(run, upto)))
        }
        Command::Export { format } => export(run, format),
        _ => return Err(problem("This is asked of the first run only.")),
    })
}

fn export(run: &mut Run, format: Format) -> Update {
    let stem = file_stem(&run.document.title);
    let file = |ending: &str, text| Update::File { name: format!("{stem}.{ending}"), text };
    match format {
        Format::Scenario => file("toml", run.document.to_toml()),
        Format::EventsCsv => file("events.csv", run.event_log(export::Csv)),
        Format::EventsJson => file("events.jsonl", run.event_log(export::JsonLines)),
        Format::Perfetto => file("trace.json", run.perfetto()),
        Format::MetricsCsv => file("metrics.csv", figures::csv(run)),
        Format::MetricsJson => file("metrics.json", figures::json(run)),
    }
}

/// The step that is meant; the run is taken further if need be.
pub(crate) fn find(run: &mut Run, goto: Goto) -> u64 {
    match goto {
        Goto::Step(step) => {
            run.advance_to(step);
            step.min(run.steps())
        }
        Goto::Time(time) => {
            run.advance_past(time);
            run.index.last_at(time)
        }
        Goto::End => {
            run.advance_to(u64::MAX);
            run.steps()
        }
        Goto::Next(stride, step) => {
            if let Some(found) = next(run, stride, step) {
                return found;
            }
            // It is not among the steps taken so far: look at each further one.
            while run.advance() {
                let taken = run.steps();
                if taken > step && next(run, stride, taken - 1).is_some() {
                    return taken;
                }
            }
            // There is none: one stays where one is.
            step.min(run.steps())
        }
        Goto::Previous(stride, step) => match stride {
            Stride::Switch(cpu) => run.spans.previous_switch(CpuId(cpu), step),
            stride => run.index.previous(kinds(stride), step),
        },
    }
}

fn next(run: &Run, stride: Stride, step: u64) -> Option<u64> {
    match stride {
        Stride::Switch(cpu) => run.spans.next_switch(CpuId(cpu), step),
        stride => run.index.next(kinds(stride), step),
    }
}

fn kinds(stride: Stride) -> Kinds {
    match stride {
        Stride::Event | Stride::Switch(_) => Kinds::ANY,
        Stride::Decision => Kinds::DECISION,
        Stride::Tick => Kinds::TICK,
        Stride::Kind(kind) => match kind {
            DecisionKind::Pick => Kinds::PICK,
            DecisionKind::Placement => Kinds::PLACEMENT,
            DecisionKind::ForkPlacement => Kinds::FORK,
            DecisionKind::Preemption => Kinds::PREEMPTION,
            DecisionKind::Balance => Kinds::BALANCE.or(Kinds::BALANCE_IDLE),
        },
    }
}

impl Run {
    /// What the interface needs to know of the document.
    fn loaded(&self) -> Loaded {
        let setup = self.setup();
        let domains = &self.history.world().domains;
        let started = setup.tasks.iter().filter(|task| task.start.is_some()).count();
        let mut task_rows = self.names.rows();
        task_rows.truncate(started);
        Loaded {
            title: self.document.title.clone(),
            about: self.document.about.clone(),
            text: self.document.to_toml(),
            packed: self.document.pack(),
            machine: machine::view(&setup.topology, domains, self.preset),
            kernel: kernel::view(&setup.kernel, &self.document.kernel),
            rows: self.row_views(),
            groups: self.group_views(),
            task_rows,
            seed: self.document.seed,
            end: self.document.end,
            notes: self.notes.iter().map(said).collect(),
        }
    }

    /// What is worth saying of a place: of a row, or of a group.
    fn notes_of(&self, kind: &str, name: &str) -> Vec<String> {
        let place = format!("{kind}.{}", duration::clip(name));
        let of = |note: &&Problem| match note.place.strip_prefix(&place) {
            // A name may go on with a dot where a field would.
            Some(rest) => rest.is_empty() || rest.starts_with('.') && !rest[1..].contains('.'),
            None => false,
        };
        self.notes.iter().filter(of).map(|note| note.sentence.clone()).collect()
    }

    fn group_views(&self) -> Vec<TaskGroup> {
        let groups = self.document.groups.iter();
        groups
            .map(|group| TaskGroup {
                name: group.name.clone(),
                notes: self.notes_of("group", &group.name),
                shares: group.shares,
                latency_nice: group.latency_nice,
            })
            .collect()
    }

    fn row_views(&self) -> Vec<RowView> {
        self.document
            .rows
            .iter()
            .zip(&self.names.faces)
            .enumerate()
            .map(|(at_row, (row, face))| {
                let (at, cpu) = match &row.start {
                    Start::At { at, cpus, .. } => (*at, cpus.first().copied()),
                    Start::Fork => (0, None),
                };
                RowView {
                    name: row.name.clone(),
                    letter: face.letter.clone(),
                    hue: face.hue,
                    texture: face.texture,
                    count: row.count,
                    nice: row.nice,
                    latency_nice: row.latency_nice,
                    slice: row.slice,
                    affinity: row
                        .affinity
                        .map(|cpus| moment::cpu_list(&cpus.0))
                        .unwrap_or_default(),
                    group: moment::group_named(&self.document, row),
                    cpu,
                    at,
                    program: row.program.to_string(),
                    muted: face.muted,
                    colour: row.colour,
                    numbered: self.names.numbered(at_row as u16),
                    notes: self.notes_of("task", &row.name),
                }
            })
            .collect()
    }

    /// Replays the run as far as it was taken and writes a line for each record.
    fn event_log(&mut self, mut format: impl export::Log) -> String {
        let names = self.names.clone();
        let name = |task| names.name(task);
        let mut out = format.head();
        self.replay(|step, records| format.step(&mut out, step, records, &name));
        out
    }

    fn perfetto(&self) -> String {
        let name = |task| self.names.name(task);
        export::perfetto(
            &self.setup().topology,
            &self.spans,
            &self.index,
            self.drawn_until(),
            &name,
        )
    }
}

/// A file name without its ending, from a title.
fn file_stem(title: &str) -> String {
    let mut stem = String::new();
    for c in title.chars() {
        if c.is_ascii_alphanumeric() {
            stem.push(c.to_ascii_lowercase());
        } else if !stem.is_empty() && !stem.ends_with('-') {
            stem.push('-');
        }
        if stem.len() >= 48 {
            break;
        }
    }
    let stem = stem.trim_end_matches('-');
    if stem.is_empty() { "scenario".to_owned() } else { stem.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::file_stem;

    #[test]
    fn file_names_are_plain() {
        assert_eq!(file_stem("Zen 3: who wakes whom?"), "zen-3-who-wakes-whom");
        assert_eq!(file_stem("…"), "scenario");
    }
}
