//! A run and all that is derived from it, kept in step: history, timeline, index, names.

use schedscope_analysis::index::Index;
use schedscope_analysis::lag::Lags;
use schedscope_analysis::spans::Spans;
use schedscope_scenario::{Built, Document};
use schedscope_sim::fair::FairCx;
use schedscope_sim::history::History;
use schedscope_sim::machines;
use schedscope_sim::report::{Record, Report};
use schedscope_sim::setup::Setup;
use schedscope_sim::simulation::{Outcome, Simulation};
use schedscope_sim::state::State;
use schedscope_sim::units::TaskId;

use crate::names::Names;
use crate::update::{Problem, Progress};

/// A run, as far as it was taken.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// What it was made from.
    pub(crate) document: Document,
    /// The preset machine, if it is one.
    pub(crate) preset: Option<machines::Machine>,
    /// What is worth saying about the document under its kernel.
    pub(crate) notes: Vec<Problem>,
    pub(crate) history: History,
    pub(crate) spans: Spans,
    pub(crate) lags: Lags,
    pub(crate) index: Index,
    pub(crate) names: Names,
    report: Report,
}

impl Run {
    /// A run of this document at its very start.
    pub(crate) fn new(document: Document) -> Result<Run, Vec<Problem>> {
        let built = document.setup().map_err(problems)?;
        let Built { setup, faces, spec_rows, spec_instances, notes, .. } = built;
        let names = Names::new(&document, faces, spec_rows, spec_instances, setup.topology.len());
        let preset = match &document.machine {
            schedscope_scenario::document::MachineChoice::Preset(id) => {
                machines::Machine::from_id(id)
            }
            _ => None,
        };
        let (spans, lags) = (Spans::new(&setup), Lags::new(setup.end.0));
        let mut run = Run {
            document,
            preset,
            notes: problems(notes),
            history: History::new(Simulation::new(setup)),
            spans,
            lags,
            index: Index::new(),
            names,
            report: Report::new(),
        };
        run.names.follow(run.history.frontier().state());
        Ok(run)
    }

    /// What the run started from.
    pub(crate) fn setup(&self) -> &Setup {
        &self.history.world().setup
    }

    /// The state as far as the run was taken.
    pub(crate) fn state(&self) -> &State {
        self.history.frontier().state()
    }

    /// How many steps were taken.
    pub(crate) fn steps(&self) -> u64 {
        self.state().step
    }

    pub(crate) fn progress(&self) -> Progress {
        let state = self.state();
        Progress {
            steps: state.step,
            time: state.now.0,
            done: self.history.ended(),
            digest: state.digest(),
        }
    }

    /// The time up to which the timeline is drawn: the end of a run that is over, ns.
    pub(crate) fn drawn_until(&self) -> u64 {
        if self.history.ended() {
            self.setup().end.0.max(self.state().now.0)
        } else {
            self.state().now.0
        }
    }

    /// Takes one step further; `false` at the end.
    pub(crate) fn advance(&mut self) -> bool {
        match self.history.advance(&mut self.report) {
            Outcome::Ended => false,
            Outcome::Stepped => {
                let state = self.history.frontier().state();
                self.index.push(state.now, &self.report.records);
                self.spans.push(state, &self.report.records);
                self.names.follow(state);
                let (setup, names) = (&self.history.world().setup, &self.names);
                let row = |task| usize::from(names.row(task));
                self.lags.push(setup, state, self.document.rows.len(), row);
                true
            }
        }
    }

    /// Takes the run to this step, or to its end.
    pub(crate) fn advance_to(&mut self, step: u64) {
        while self.steps() < step && self.advance() {}
    }

    /// Takes the run so far that no further step can happen at or before this time, ns.
    pub(crate) fn advance_past(&mut self, time: u64) {
        while self.state().now.0 <= time && self.advance() {}
    }

    /// Takes the run again from its start, as far as it was taken, and shows every step's records.
    pub(crate) fn replay(&self, mut each: impl FnMut(u64, &[Record])) {
        let mut again = Simulation::new(self.setup().clone());
        let mut report = Report::new();
        while again.state().step < self.steps() && again.step(&mut report) == Outcome::Stepped {
            each(again.state().step, &report.records);
        }
    }

    /// The run goes on with the inputs of the document as it is now; what came after the first
    /// difference is gone. Gives the step up to which it was kept.
    pub(crate) fn fork(&mut self) -> Result<u64, Vec<Problem>> {
        let built = self.document.setup().map_err(problems)?;
        self.notes = problems(built.notes);
        let keep = self.history.fork(built.setup.inputs);
        self.spans.truncate(keep, &self.index);
        self.lags.truncate(keep);
        self.index.truncate(keep);
        let state = self.history.frontier().state();
        let delayed = state.entities.iter().filter(|(_, e)| e.delayed).map(|(task, _)| task);
        self.spans.set_delayed(delayed.collect::<Vec<TaskId>>());
        self.names.truncate(state);
        Ok(keep)
    }
}

/// What the rules of the fair class need to know at a state.
pub(crate) fn fair_cx<'a>(setup: &'a Setup, state: &State) -> FairCx<'a> {
    FairCx { kernel: &setup.kernel, now: state.now }
}

/// Problems in the interface's terms.
pub(crate) fn problems(problems: Vec<schedscope_scenario::Problem>) -> Vec<Problem> {
    problems
        .into_iter()
        .map(|problem| Problem {
            place: problem.place,
            sentence: problem.sentence,
            line: problem.line,
        })
        .collect()
}
