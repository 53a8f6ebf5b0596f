//! The lag of tasks over a run, taken on a grid of time: enough for a small picture.

use schedscope_sim::fair::FairCx;
use schedscope_sim::fair::evidence::charged_rows;
use schedscope_sim::setup::Setup;
use schedscope_sim::state::State;
use schedscope_sim::units::TaskId;

/// A run has at most so many points.
pub const POINTS: u64 = 256;

/// The lag of each row's tasks at points of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lags {
    /// From one point to the next, ns.
    cell: u64,
    points: Vec<Point>,
}

/// The first step at or after a grid line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Point {
    step: u64,
    /// ns.
    at: u64,
    /// Least and most lag of the queued tasks of each row; `None` where none is queued.
    rows: Vec<Option<(i64, i64)>>,
}

impl Lags {
    /// None yet, of a run that ends then, ns.
    #[must_use]
    pub fn new(end: u64) -> Lags {
        Lags { cell: end.div_ceil(POINTS).max(1), points: Vec::new() }
    }

    /// Looks at the state if the next point is due. `row` says to which of the `rows` rows a task
    /// belongs.
    pub fn push(
        &mut self,
        setup: &Setup,
        state: &State,
        rows: usize,
        row: impl Fn(TaskId) -> usize,
    ) {
        let now = state.now.0;
        if self.points.last().is_some_and(|point| now / self.cell <= point.at / self.cell) {
            return;
        }
        let mut found: Vec<Option<(i64, i64)>> = vec![None; rows];
        let cx = FairCx { kernel: &setup.kernel, now: state.now };
        let mut entities = state.entities.clone();
        for cpu in state.cpus.iter().filter(|cpu| cpu.rq.curr.is_some()) {
            // The running task is charged up to now, on a copy.
            for entity in charged_rows(&mut cpu.rq.clone(), &mut entities, cx) {
                let lag = entity.lag;
                if let Some(range) = found.get_mut(row(entity.task)) {
                    let (least, most) = range.unwrap_or((lag, lag));
                    *range = Some((least.min(lag), most.max(lag)));
                }
            }
        }
        self.points.push(Point { step: state.step, at: now, rows: found });
    }

    /// Forgets all after `step`.
    pub fn truncate(&mut self, step: u64) {
        self.points.truncate(self.points.partition_point(|point| point.step <= step));
    }

    /// The lag of a row up to and with a step: when, ns, and the least and most lag of its queued
    /// tasks, ns.
    pub fn of(&self, row: usize, upto: u64) -> impl Iterator<Item = (u64, i64, i64)> + '_ {
        let points = self.points.iter().take_while(move |point| point.step <= upto);
        points.filter_map(move |point| {
            let (least, most) = (*point.rows.get(row)?)?;
            Some((point.at, least, most))
        })
    }
}
