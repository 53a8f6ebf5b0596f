//! Vectors of the wakeup placement (`vectors/placement/FORMAT.md`).
//!
//! Every line can be checked alone: a wakeup, a step of a sequence, a value of `nr_idle_scan`, an
//! idle entry. The summary line of a sequence is checked by simulating the whole sequence with the
//! carried state; [`sequence::simulate`] also gives its steps, for comparison with the recorded
//! ones.

mod case;
pub mod machines;
pub mod sequence;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use schedscope_sim::domains::Domains;
use schedscope_sim::kernel::{Features, PlaceGeneration};
use schedscope_sim::place::idle;
use schedscope_sim::units::CpuId;
use serde::Deserialize;
use serde::de::Error as _;
use serde_json::Value;

use crate::{Failure, Outcome};

/// The generation that the vectors call by that name (`v6.12`).
#[must_use]
pub fn generation(name: &str) -> Option<PlaceGeneration> {
    Some(match name {
        "v4.7" => PlaceGeneration::V4_7,
        "v4.15" => PlaceGeneration::V4_15,
        "v4.19" => PlaceGeneration::V4_19,
        "v5.15" => PlaceGeneration::V5_15,
        "v6.6" => PlaceGeneration::V6_6,
        "v6.12" => PlaceGeneration::V6_12,
        _ => return None,
    })
}

/// Whether a line is a placement vector.
#[must_use]
pub fn recognises(line: &Value) -> bool {
    line.get("topo").is_some() || line.get("nr_idle_scan").is_some()
}

/// Replays one line.
///
/// # Errors
/// If the line misses fields.
pub fn check(line: Value) -> Result<Outcome, serde_json::Error> {
    match line.get("type").and_then(Value::as_str) {
        Some("formula" | "update") => check_nr_idle_scan(line),
        Some("summary") => check_summary(line),
        Some(_) => check_wakeup(line),
        None if line.get("has_idle_cores_before").is_some() => check_idle_entry(line),
        None => check_wakeup(line),
    }
}

/// The domains of a named machine under a named kernel, built once.
///
/// # Errors
/// If either name is unknown.
fn domains(topology: &str, kernel: &str) -> Result<Arc<Domains>, serde_json::Error> {
    static BUILT: Mutex<BTreeMap<(String, PlaceGeneration), Arc<Domains>>> =
        Mutex::new(BTreeMap::new());
    let generation = generation(kernel)
        .ok_or_else(|| serde_json::Error::custom(format!("unknown kernel {kernel}")))?;
    let mut built = BUILT.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(domains) = built.get(&(topology.to_owned(), generation)) {
        return Ok(domains.clone());
    }
    let machine = machines::by_name(topology)
        .ok_or_else(|| serde_json::Error::custom(format!("unknown machine {topology}")))?;
    let domains = Arc::new(Domains::build(&machine, generation));
    built.insert((topology.to_owned(), generation), domains.clone());
    Ok(domains)
}

/// The first field of `expected` in which `got` differs.
pub(crate) fn compare(case: &str, op: usize, expected: &Value, got: &Value) -> Outcome {
    let fields = expected.as_object().into_iter().flatten();
    for (field, expected) in fields {
        let got = got.get(field).unwrap_or(&Value::Null);
        if got != expected {
            return Outcome::Failed(Failure {
                case: case.to_owned(),
                op,
                field: field.clone(),
                expected: expected.to_string(),
                got: got.to_string(),
            });
        }
    }
    Outcome::Passed { ties_forced: 0 }
}

/// A wakeup or a step of a sequence.
#[derive(Deserialize)]
struct Wakeup {
    id: Option<String>,
    seq: Option<String>,
    #[serde(rename = "gen")]
    kernel: Option<String>,
    #[serde(default)]
    step: usize,
    topo: String,
    r#in: case::In,
    out: Value,
}

fn check_wakeup(line: Value) -> Result<Outcome, serde_json::Error> {
    check_wakeup_as(line, None)
}

/// Replays a wakeup of 4.15 or 4.19 on the *other* of the two with the rules between them switched:
/// 4.15 with all of them is 4.19. `None` for what no rule makes alike: an exiting waker.
///
/// # Errors
/// If the line misses fields or is of another kernel.
pub fn check_by_rules(line: Value) -> Result<Option<Outcome>, serde_json::Error> {
    let (own, other) = match line["id"].as_str().and_then(|id| id.split('/').next()) {
        Some("v4.15") => (PlaceGeneration::V4_15, "v4.19"),
        Some("v4.19") => (PlaceGeneration::V4_19, "v4.15"),
        _ => return Err(serde_json::Error::custom("neither of 4.15 nor of 4.19")),
    };
    if line["in"]["waker_exiting"] == 1 {
        return Ok(None);
    }
    check_wakeup_as(line, Some((other, own.features()))).map(Some)
}

/// As recorded, or by another kernel with other features.
fn check_wakeup_as(
    line: Value,
    other: Option<(&str, Features)>,
) -> Result<Outcome, serde_json::Error> {
    let wakeup: Wakeup = serde_json::from_value(line)?;
    let name = wakeup.id.or(wakeup.seq).ok_or_else(|| serde_json::Error::missing_field("id"))?;
    // The id begins with the kernel: "v6.12/0002".
    let kernel = match &wakeup.kernel {
        Some(kernel) => kernel.as_str(),
        None => name.split('/').next().unwrap_or_default(),
    };
    let domains = domains(&wakeup.topo, other.map_or(kernel, |(kernel, _)| kernel))?;
    let features = other.map_or(domains.generation().features(), |(_, features)| features);
    let got = wakeup.r#in.place(&domains, features);
    Ok(compare(&name, wakeup.step, &wakeup.out, &got))
}

#[derive(Deserialize)]
struct NrIdleScan {
    llc_size: u32,
    imbalance_pct: u32,
    sum_util: u64,
    balance_type: Option<String>,
    #[serde(default)]
    balanced_domain_span: u32,
    #[serde(default)]
    old: u32,
    nr_idle_scan: u32,
}

fn check_nr_idle_scan(line: Value) -> Result<Outcome, serde_json::Error> {
    let case = line.to_string();
    let line: NrIdleScan = serde_json::from_value(line)?;
    let fresh = idle::nr_idle_scan(line.sum_util, line.llc_size, line.imbalance_pct);
    let renewed = match line.balance_type.as_deref() {
        None => true,
        Some(kind) => idle::renews_nr_idle_scan(
            line.balanced_domain_span,
            line.llc_size,
            kind == "CPU_NEWLY_IDLE",
        ),
    };
    let got = if renewed { fresh } else { line.old };
    let expected = serde_json::json!({ "nr_idle_scan": line.nr_idle_scan });
    Ok(compare(&case, 0, &expected, &serde_json::json!({ "nr_idle_scan": got })))
}

#[derive(Deserialize)]
struct IdleEntry {
    #[serde(rename = "gen")]
    kernel: String,
    i: u64,
    topo: String,
    cpu: u16,
    idle: String,
    has_idle_cores_before: Vec<u8>,
    has_idle_cores_after: Vec<u8>,
}

fn check_idle_entry(line: Value) -> Result<Outcome, serde_json::Error> {
    let entry: IdleEntry = serde_json::from_value(line)?;
    let domains = domains(&entry.topo, &entry.kernel)?;
    let view = case::Machine {
        idle: case::bits(&entry.idle),
        has_idle_cores: entry.has_idle_cores_before.clone(),
        ..case::Machine::default()
    };
    let mut after = entry.has_idle_cores_before;
    if let Some(llc) = idle::update_idle_core(&domains, &view, CpuId(entry.cpu)) {
        after[llc.index()] = 1;
    }
    let case = format!("{} idle entry {}", entry.kernel, entry.i);
    let expected = serde_json::json!({ "has_idle_cores_after": entry.has_idle_cores_after });
    Ok(compare(&case, 0, &expected, &serde_json::json!({ "has_idle_cores_after": after })))
}

fn check_summary(line: Value) -> Result<Outcome, serde_json::Error> {
    let name: String = Deserialize::deserialize(&line["seq"])?;
    let run = sequence::simulate(&name)?;
    let mut expected = line;
    if let Some(fields) = expected.as_object_mut() {
        fields.retain(|field, _| {
            ["wakees", "placements", "distinct_cpus", "migrations"].contains(&field.as_str())
        });
    }
    Ok(compare(&name, 0, &expected, &run.summary()))
}
