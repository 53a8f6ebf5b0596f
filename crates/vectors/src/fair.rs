//! Vectors of the fair class: one CPU, one run queue (`vectors/fair/FORMAT.md`).
//!
//! A case is replayed operation by operation; after each, everything that was recorded is compared:
//! the running task, the pending reschedule, the queue, the eligible mask and *all* tasks.

use std::collections::BTreeMap;

use schedscope_sim::fair::evidence::{pick_evidence, preempt_evidence};
use schedscope_sim::fair::reason::{Dequeue, Enqueue, Wake};
use schedscope_sim::fair::{Entities, Entity, FairCx, weight};
use schedscope_sim::kernel::{CfsTunables, FairGeneration, Feature, Kernel, Preset};
use schedscope_sim::run_queue::RunQueue;
use schedscope_sim::units::{LatencyNice, Nice, Span, TaskId, Time};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use crate::{Failure, Outcome};

/// Whether a line is a vector of the fair class.
#[must_use]
pub fn recognises(line: &Value) -> bool {
    let case = line.get("ops").is_some()
        && line.get("ver").and_then(Value::as_str).is_some_and(|ver| Version::new(ver).is_some())
        && line.pointer("/cfg/feat").is_some();
    let kind = line.get("kind").and_then(Value::as_str);
    case || matches!(kind, Some("task" | "load" | "latency_nice_rfc_2023"))
}

/// Replays one line.
///
/// # Errors
/// If the line misses fields, or has values that cannot be.
pub fn check(line: Value) -> Result<Outcome, serde_json::Error> {
    let kind = line.get("kind").and_then(Value::as_str).map(str::to_owned);
    let failed = match kind.as_deref() {
        Some("task") => check_task_weight(&serde_json::from_value(line)?),
        Some("load") => check_load(&serde_json::from_value(line)?),
        Some(_) => check_latency_nice(&serde_json::from_value(line)?),
        None => check_case(&serde_json::from_value(line)?),
    };
    Ok(failed.map_or_else(Outcome::Failed, |()| Outcome::Passed { ties_forced: 0 }))
}

/// A kernel that vectors were recorded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    V6_1,
    V6_6,
    V6_12,
    V2_6_36,
}

impl Version {
    fn new(name: &str) -> Option<Version> {
        Some(match name {
            "6.1" => Version::V6_1,
            "6.6" => Version::V6_6,
            "6.12" => Version::V6_12,
            "2.6.36" => Version::V2_6_36,
            _ => return None,
        })
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Version, D::Error> {
        let name = String::deserialize(deserializer)?;
        Version::new(&name).ok_or_else(|| de::Error::custom(format!("unknown version {name}")))
    }
}

fn nice<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Nice, D::Error> {
    let value = i8::deserialize(deserializer)?;
    Nice::new(value).ok_or_else(|| de::Error::custom(format!("nice {value} is out of range")))
}

/// A line of `weights.jsonl` about a nice level.
#[derive(Deserialize)]
struct TaskWeight {
    ver: Version,
    #[serde(deserialize_with = "nice")]
    nice: Nice,
    weight: u32,
    inv_weight: u32,
    v: Vec<(u64, u64)>,
}

fn check_task_weight(line: &TaskWeight) -> Result<(), Failure> {
    let mut differ = Differ::new(format!("weights {:?} nice {}", line.ver, line.nice.get()));
    let (weight, inverse) = (weight::weight(line.nice), weight::inverse(line.nice));
    differ.same("weight", line.weight, weight)?;
    differ.same("inv_weight", line.inv_weight, inverse)?;
    for (i, &(delta, expected)) in line.v.iter().enumerate() {
        differ.op = i;
        let got = match line.ver {
            Version::V2_6_36 => weight::calc_delta_fair_2_6_36(delta, weight, inverse),
            _ => weight::calc_delta_fair(delta, weight, inverse),
        };
        differ.same("v", expected, got)?;
    }
    Ok(())
}

/// A line of `weights.jsonl` about a queue's load.
#[derive(Deserialize)]
struct Load {
    ver: Version,
    delta: u64,
    weight: u32,
    load: u64,
    inv: u32,
    out: u64,
}

fn check_load(line: &Load) -> Result<(), Failure> {
    let Load { ver, delta, weight, load, .. } = *line;
    let differ = Differ::new(format!("load {ver:?} {delta} * {weight} / {load}"));
    let (inverse, out) = match ver {
        Version::V2_6_36 => {
            let inverse = weight::inverse_of_2_6_36(load);
            (inverse, weight::calc_delta_2_6_36(delta, weight, inverse))
        }
        _ => (weight::inverse_of(load), weight::calc_delta(delta, weight, load)),
    };
    differ.same("inv", line.inv, inverse)?;
    differ.same("out", line.out, out)
}

/// A line of `latnice-rfc.jsonl`.
#[derive(Deserialize)]
struct LatencyNiceSlice {
    base_slice: u64,
    latency_nice: i8,
    slice: u64,
    vslice: Vec<i64>,
}

fn check_latency_nice(line: &LatencyNiceSlice) -> Result<(), Failure> {
    let LatencyNiceSlice { base_slice, latency_nice, .. } = *line;
    let mut differ = Differ::new(format!("latency-nice {latency_nice} of {base_slice} ns"));
    let mut kernel = Preset::V6_6LatencyNice.kernel(8);
    kernel.base_slice = Span(base_slice);
    for (i, (&expected, value)) in line.vslice.iter().zip(-20..).enumerate() {
        differ.op = i;
        let mut entity = Entity::new(Nice::new(value).unwrap_or_default());
        entity.latency_nice = LatencyNice::new(latency_nice).unwrap_or_default();
        let slice = entity.default_slice(&kernel);
        differ.same("slice", line.slice, slice.0)?;
        differ.same("vslice", expected, entity.virtual_time(slice))?;
    }
    Ok(())
}

/// A recorded case.
#[derive(Deserialize)]
struct Case {
    case: String,
    ver: Version,
    cfg: Config,
    ops: Vec<Op>,
}

#[derive(Deserialize)]
struct Config {
    hz: u32,
    group_sched: u8,
    feat: BTreeMap<String, u8>,
    /// EEVDF.
    #[serde(default)]
    base_slice: u64,
    /// CFS, from here on.
    #[serde(default)]
    latency: u64,
    #[serde(default)]
    min_gran: u64,
    #[serde(default)]
    wakeup_gran: u64,
    #[serde(default)]
    nr_latency: u32,
    #[serde(default)]
    child_runs_first: u8,
    #[serde(default)]
    compat_yield: u8,
}

#[derive(Deserialize)]
struct Op {
    #[serde(flatten)]
    what: What,
    now: u64,
    cur: i64,
    rs: u8,
    pick: Option<i64>,
    rq: Vec<i64>,
    el: Option<String>,
    e: Vec<Vec<i64>>,
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum What {
    Fork {
        id: u32,
        #[serde(deserialize_with = "nice")]
        nice: Nice,
        #[serde(default)]
        slice: u64,
    },
    Wake {
        id: u32,
    },
    Block,
    Exit,
    Pick,
    Run,
    Tick,
    Yield,
    Renice {
        id: u32,
        #[serde(deserialize_with = "nice")]
        nice: Nice,
    },
    SetAttr {
        id: u32,
        #[serde(deserialize_with = "nice")]
        nice: Nice,
        slice: u64,
    },
    Reweight {
        id: u32,
        #[serde(deserialize_with = "nice")]
        nice: Nice,
    },
}

/// Where a replay is, for its failure.
struct Differ {
    case: String,
    op: usize,
}

impl Differ {
    fn new(case: String) -> Differ {
        Differ { case, op: 0 }
    }

    fn fail(&self, field: impl Into<String>, expected: String, got: String) -> Failure {
        Failure { case: self.case.clone(), op: self.op, field: field.into(), expected, got }
    }

    fn same<T: PartialEq + ToString>(
        &self,
        field: &str,
        expected: T,
        got: T,
    ) -> Result<(), Failure> {
        if expected == got {
            return Ok(());
        }
        Err(self.fail(field, expected.to_string(), got.to_string()))
    }

    fn same_row(
        &self,
        what: &str,
        names: &[&str],
        expected: &[i64],
        got: &[i64],
    ) -> Result<(), Failure> {
        if expected.len() != got.len() {
            return Err(self.fail(what, format!("{expected:?}"), format!("{got:?}")));
        }
        for (name, (expected, got)) in names.iter().zip(expected.iter().zip(got)) {
            self.same(&format!("{what}.{name}"), expected, got)?;
        }
        Ok(())
    }
}

const EEVDF_RQ: &[&str] =
    &["min_vruntime", "avg_vruntime", "avg_load", "nr_running", "sum", "next"];
const CFS_RQ: &[&str] = &["min_vruntime", "load", "nr_running", "next", "last", "skip"];
const CFS_TASK: &[&str] = &["id", "vruntime", "sum_exec", "prev_sum_exec", "on_rq"];
const EEVDF_TASK: &[&str] =
    &["id", "vruntime", "deadline", "vlag", "slice", "on_rq", "delayed", "sum_exec"];

/// A case while it is replayed.
struct Replay {
    kernel: Kernel,
    rq: RunQueue,
    entities: Entities,
}

fn check_case(case: &Case) -> Result<(), Failure> {
    let mut differ = Differ::new(format!("{:?} {}", case.ver, case.case));
    let mut replay = Replay {
        kernel: kernel(case.ver, &case.cfg).map_err(|what| {
            differ.fail("cfg", "an engine that can".to_owned(), format!("no {what}"))
        })?,
        rq: RunQueue::new(),
        entities: Entities::new(),
    };
    let mut tasks = Vec::<Vec<i64>>::new();
    for (i, op) in case.ops.iter().enumerate() {
        differ.op = i;
        replay
            .run(&op.what, Time(op.now))
            .map_err(|what| differ.fail("op", "possible".to_owned(), what))?;
        for row in &op.e {
            match tasks.iter_mut().find(|task| task[0] == row[0]) {
                Some(task) => task.clone_from(row),
                None => tasks.push(row.clone()),
            }
        }
        replay.compare(&differ, op, &tasks)?;
    }
    Ok(())
}

fn kernel(version: Version, config: &Config) -> Result<Kernel, String> {
    let mut kernel = Preset::V6_12.kernel(8);
    kernel.fair = match version {
        Version::V2_6_36 => FairGeneration::Cfs2_6_36,
        Version::V6_1 => FairGeneration::Cfs6_1,
        Version::V6_6 => FairGeneration::Eevdf6_6,
        Version::V6_12 => FairGeneration::Eevdf6_12,
    };
    kernel.hz = config.hz;
    kernel.group_sched = config.group_sched != 0;
    kernel.base_slice = Span(config.base_slice);
    kernel.cfs = CfsTunables {
        latency: Span(config.latency),
        min_granularity: Span(config.min_gran),
        wakeup_granularity: Span(config.wakeup_gran),
        nr_latency: config.nr_latency,
        child_runs_first: config.child_runs_first != 0,
        compat_yield: config.compat_yield != 0,
    };
    for (name, &on) in &config.feat {
        let feature = Feature::from_name(name).ok_or_else(|| format!("feature {name}"))?;
        kernel.features = kernel.features.with(feature, on != 0);
    }
    Ok(kernel)
}

fn id_or_none(task: Option<TaskId>) -> i64 {
    task.map_or(-1, |task| i64::from(task.0))
}

/// The preemption test, held against its evidence.
fn preempt(
    rq: &mut RunQueue,
    entities: &mut Entities,
    cx: FairCx,
    woken: TaskId,
    how: Wake,
) -> Result<(), String> {
    let evidence = preempt_evidence(rq, entities, cx, woken, how);
    let verdict = rq.wakeup_preempt(entities, cx, woken, how);
    if evidence.verdict != verdict {
        return Err(format!("evidence says {:?}, not {verdict:?}", evidence.verdict));
    }
    Ok(())
}

impl Replay {
    fn run(&mut self, what: &What, now: Time) -> Result<(), String> {
        let Replay { kernel, rq, entities } = self;
        let cx = FairCx { kernel, now };
        let running = || "nothing runs".to_owned();
        match *what {
            What::Fork { id, nice, slice } => {
                let task = entities.push(Entity::new(nice).with_slice(Span(slice)));
                if task != TaskId(id) {
                    return Err(format!("task {id} comes out of order"));
                }
                rq.task_fork(entities, cx, task);
                rq.enqueue_task(entities, cx, task, Enqueue::Fork);
                preempt(rq, entities, cx, task, Wake::Fork)?;
            }
            What::Wake { id } => {
                let task = TaskId(id);
                if entities[task].delayed {
                    rq.requeue_delayed(entities, cx, task);
                } else {
                    rq.enqueue_task(entities, cx, task, Enqueue::Wakeup);
                }
                preempt(rq, entities, cx, task, Wake::Wakeup)?;
            }
            What::Block => {
                let task = rq.curr.ok_or_else(running)?;
                rq.dequeue_task(entities, cx, task, Dequeue::Sleep);
            }
            What::Exit => {
                let task = rq.curr.ok_or_else(running)?;
                rq.dequeue_task(entities, cx, task, Dequeue::Special);
            }
            What::Pick => {
                let evidence = pick_evidence(rq, entities, cx);
                let mut completed = Vec::new();
                let pick = rq.pick(entities, cx, &mut completed);
                if (evidence.pick, evidence.completed) != (pick, completed) {
                    return Err(format!("evidence says {:?}, not {pick:?}", evidence.pick));
                }
            }
            What::Run => rq.update_curr(entities, cx),
            What::Tick => rq.task_tick(entities, cx),
            What::Yield => rq.yield_task(entities, cx),
            What::Renice { id, nice } => {
                rq.set_user_nice(entities, cx, TaskId(id), nice);
            }
            What::SetAttr { id, nice, slice } => {
                rq.set_attr(entities, cx, TaskId(id), nice, Span(slice));
            }
            What::Reweight { id, nice } => rq.reweight(entities, cx, TaskId(id), nice),
        }
        Ok(())
    }

    fn compare(&self, differ: &Differ, op: &Op, tasks: &[Vec<i64>]) -> Result<(), Failure> {
        let cur = id_or_none(self.rq.curr);
        if let Some(pick) = op.pick {
            differ.same("pick", pick, cur)?;
        }
        differ.same("cur", op.cur, cur)?;
        differ.same("rs", op.rs, u8::from(self.rq.need_resched.is_some()))?;
        if let Some(eligible) = &op.el {
            differ.same("el", eligible.clone(), self.eligible_mask())?;
        }
        let (rq_names, task_names) =
            if self.kernel.fair.is_cfs() { (CFS_RQ, CFS_TASK) } else { (EEVDF_RQ, EEVDF_TASK) };
        differ.same_row("rq", rq_names, &op.rq, &self.queue_row())?;
        for expected in tasks {
            let task = TaskId(expected[0] as u32);
            differ.same_row(&format!("task {task}"), task_names, expected, &self.task_row(task))?;
        }
        differ.same("number of tasks", tasks.len(), self.entities.len())
    }

    fn eligible_mask(&self) -> String {
        let eligible = |&(task, _): &(TaskId, &Entity)| self.rq.fair.eligible(&self.entities, task);
        let mask = self
            .entities
            .iter()
            .filter(|(_, entity)| entity.on_rq)
            .filter(eligible)
            .fold(0u128, |mask, (task, _)| mask | 1 << task.0);
        format!("{mask:x}")
    }

    fn queue_row(&self) -> Vec<i64> {
        let queue = &self.rq.fair;
        match self.kernel.fair {
            fair if fair.is_cfs() => {
                let mut row = vec![
                    queue.min_vruntime.signed(),
                    queue.load as i64,
                    i64::from(queue.nr_running),
                    id_or_none(queue.next),
                    id_or_none(queue.last),
                ];
                if fair != FairGeneration::Cfs2_6_36 {
                    row.push(id_or_none(queue.skip));
                }
                row
            }
            _ => vec![
                queue.min_vruntime.signed(),
                queue.avg_vruntime(&self.entities).signed(),
                queue.avg_load as i64,
                i64::from(queue.nr_running),
                queue.sum,
                id_or_none(queue.next),
            ],
        }
    }

    fn task_row(&self, task: TaskId) -> Vec<i64> {
        let entity = &self.entities[task];
        match self.kernel.fair {
            fair if fair.is_cfs() => vec![
                i64::from(task.0),
                entity.vruntime.signed(),
                entity.sum_exec.0 as i64,
                entity.prev_sum_exec.0 as i64,
                i64::from(entity.on_rq),
            ],
            _ => vec![
                i64::from(task.0),
                entity.vruntime.signed(),
                entity.deadline.signed(),
                entity.vlag,
                entity.slice.0 as i64,
                i64::from(entity.on_rq),
                i64::from(entity.delayed),
                entity.sum_exec.0 as i64,
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two nice-0 tasks of 6.12; the numbers are those of the named case.
    fn case(vlag: i64) -> Value {
        serde_json::json!({"case": "made", "ver": "6.12", "cfg": {"hz": 1000, "group_sched": 1,
            "base_slice": 3_000_000, "feat": {"PLACE_DEADLINE_INITIAL": 1}},
            "ops": [
                {"op": "fork", "id": 0, "nice": 0, "slice": 0, "now": 1_000_000_000,
                 "cur": -1, "rs": 1,
                 "rq": [-1048576, -1048576, 1024, 1, 0, -1], "el": "1",
                 "e": [[0, -1048576, 451424, 0, 3000000, 1, 0, 0]]},
                {"op": "pick", "now": 1_000_000_000, "pick": 0, "cur": 0, "rs": 0,
                 "rq": [-1048576, -1048576, 0, 1, 0, -1], "el": "1",
                 "e": [[0, -1048576, 451424, vlag, 3000000, 1, 0, 0]]}]})
    }

    #[test]
    fn passes_what_was_recorded() {
        assert_eq!(check(case(451424)).unwrap(), Outcome::Passed { ties_forced: 0 });
    }

    #[test]
    fn names_the_first_difference() {
        let outcome = check(case(451425)).unwrap();
        let Outcome::Failed(failure) = outcome else { panic!("{outcome:?}") };
        assert_eq!(
            failure.to_string(),
            "V6_12 made: op 1: task 0.vlag: expected 451425, got 451424"
        );
    }

    #[test]
    fn rejects_what_is_no_case() {
        assert!(!recognises(&serde_json::json!({"ops": []})));
        assert!(check(serde_json::json!({"case": "x", "ver": "6.12", "ops": []})).is_err());
    }
}
