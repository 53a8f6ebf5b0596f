//! How far a placement has come: what has been examined and visited up to the check looked at.
//!
//! Everything the picture and the list show comes from here, so neither can show a check that has
//! not been made.

use std::collections::BTreeMap;

use schedscope_session::update::{Check, Cpu, Decision, Machine, PlacePicture, Probe};

use crate::view::machine::is_over;

/// A CPU whose turn it was in a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The CPU.
    pub cpu: Cpu,
    /// Whether it was idle.
    pub idle: bool,
    /// Whether it was kept: as a fallback, or as the answer.
    pub kept: bool,
    /// How the scan goes on from here.
    pub stride: Stride,
}

/// How a scan goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stride {
    /// CPU by CPU, in the order of their numbers, wrapping.
    #[default]
    Cpu,
    /// Core by core, in the order of their numbers, wrapping.
    Core,
    /// Group by group of a sched domain (before 4.8).
    Group,
}

/// What has happened by now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// CPUs tested for being idle, with the answer.
    pub examined: BTreeMap<Cpu, bool>,
    /// CPUs visited by scans, in order.
    pub visits: Vec<Visit>,
    /// Whether the target is known.
    pub target: bool,
    /// Whether a scan has begun, so that its budget is known.
    pub scanning: bool,
    /// Whether the last check has been made.
    pub over: bool,
}

impl Progress {
    /// Up to `probe` probes of check number `check`.
    #[must_use]
    pub fn new(
        decision: &Decision,
        place: &PlacePicture,
        machine: &Machine,
        (check, probe): (usize, usize),
    ) -> Progress {
        let mut progress = Progress { over: is_over(decision, check), ..Progress::default() };
        progress.target = progress.over || knows_target(decision, check, probe);
        for (i, made) in decision.checks.iter().enumerate().take(check.saturating_add(1)) {
            let probes = if i == check { probe.min(made.probes.len()) } else { made.probes.len() };
            progress.scanning |= is_scan(made) || progress.over;
            for probe in &made.probes[..probes] {
                progress.examine(probe);
            }
            progress.visits.extend(visits(made, probes, place, machine));
        }
        progress
    }

    fn examine(&mut self, probe: &Probe) {
        if probe.code.starts_with("wa.") || probe.code.ends_with('?') {
            // wake_affine only compares, and membership of a mask is no test of the CPU.
            return;
        }
        let idle = self.examined.entry(probe.cpu).or_default();
        *idle |= probe.idle;
    }

    /// The visits of the current pass: after a scan by core, the scan by CPU begins anew.
    #[must_use]
    pub fn pass(&self) -> &[Visit] {
        let Some(last) = self.visits.last() else { return &[] };
        let before = self.visits.iter().rposition(|visit| visit.stride != last.stride);
        &self.visits[before.map_or(0, |i| i + 1)..]
    }

    /// Whether a budget limits the pass: a search for an idle core has none.
    #[must_use]
    pub fn limited(&self) -> bool {
        self.scanning && self.pass().iter().all(|visit| visit.stride == Stride::Cpu)
    }

    /// Order of a CPU in the current pass, from 1.
    #[must_use]
    pub fn order(&self, cpu: Cpu) -> Option<usize> {
        self.pass().iter().position(|visit| visit.cpu == cpu).map(|i| i + 1)
    }
}

/// Whether the target is known: a check has named it, or one of the target's tests has come.
fn knows_target(decision: &Decision, check: usize, probe: usize) -> bool {
    decision.checks.iter().enumerate().take(check.saturating_add(1)).any(|(i, made)| {
        let complete = i < check || probe >= made.probes.len();
        (complete && made.result.contains("target CPU"))
            || made.title.starts_with("Is target CPU")
            || made.probes.iter().any(|probe| probe.code.starts_with("target"))
    })
}

/// Whether a check walks over CPUs.
#[must_use]
pub fn is_scan(check: &Check) -> bool {
    check.probes.iter().any(|probe| scan_code(&probe.code).is_some())
        || check.kernel.contains("select_idle_cpu")
        || check.kernel.contains("select_idle_core")
        || check.kernel.contains("nr_idle_scan")
}

fn scan_code(code: &str) -> Option<Stride> {
    match code.trim_end_matches('~') {
        "scan" | "cls.scan" => Some(Stride::Cpu),
        "group" => Some(Stride::Group),
        "core" | "cls.core" => Some(Stride::Core),
        _ => None,
    }
}

/// The CPUs whose turn it was in the first `made` probes of a check.
#[must_use]
pub fn visits(check: &Check, made: usize, place: &PlacePicture, machine: &Machine) -> Vec<Visit> {
    let mut visits: Vec<Visit> = Vec::new();
    let mut core: Option<(u16, &str)> = None;
    let probes = &check.probes[..made.min(check.probes.len())];
    for (i, probe) in probes.iter().enumerate() {
        let Some(stride) = scan_code(&probe.code) else { continue };
        let visit = |cpu, idle| Visit { cpu, idle, kept: false, stride };
        match stride {
            Stride::Cpu | Stride::Group if probe.code.ends_with('~') => {
                // The SCHED_IDLE test of the CPU just tested.
                if let Some(last) = visits.last_mut() {
                    last.idle |= probe.idle;
                }
            }
            Stride::Cpu | Stride::Group => visits.push(visit(probe.cpu, probe.idle)),
            Stride::Core => {
                let place_of = |cpu: Cpu| machine.cpus.get(usize::from(cpu)).map(|p| p.core);
                let Some(this) = place_of(probe.cpu) else { continue };
                let code = probe.code.trim_end_matches('~');
                if core == Some((this, code)) {
                    continue;
                }
                core = Some((this, code));
                let first = visits.is_empty();
                let turn = turn(machine, place, this, first).unwrap_or(probe.cpu);
                let of_core = |p: &&Probe| {
                    place_of(p.cpu) == Some(this) && p.code.trim_end_matches('~') == code
                };
                let whole = check.probes[i..].iter().take_while(of_core);
                let group = probes[i..].iter().take_while(of_core);
                // The turn is shown once its own CPU has been tested; the kernel may leave a core
                // before that.
                let tests = |probe: &&Probe| probe.cpu == turn;
                let shown = if whole.clone().any(|probe| tests(&probe)) {
                    group.clone().any(|probe| tests(&probe))
                } else {
                    group.clone().count() == whole.count()
                };
                if shown {
                    visits.push(visit(turn, group.filter(tests).any(|probe| probe.idle)));
                }
            }
        }
    }
    keep_first(&mut visits, check);
    visits
}

/// Marks what a scan keeps: by CPU, the first idle one, which ends it; by core, the first idle
/// thread as a fallback, unless the scan then begins anew by CPU (before 5.15).
fn keep_first(visits: &mut [Visit], check: &Check) {
    let anew = check.probes.iter().any(|probe| scan_code(&probe.code) == Some(Stride::Cpu));
    for stride in [Stride::Cpu, Stride::Core, Stride::Group] {
        if !(stride == Stride::Core && anew) {
            let mut of_stride = visits.iter_mut().filter(|visit| visit.stride == stride);
            if let Some(first) = of_stride.find(|visit| visit.idle) {
                first.kept = true;
            }
        }
    }
}

/// The CPU of a core at which the walk stood: the first allowed one in `for_each_cpu_wrap` order.
/// The walk starts after the target, or at it (4.15): then the target's core comes first.
fn turn(machine: &Machine, place: &PlacePicture, core: u16, first: bool) -> Option<Cpu> {
    let target_core = machine.cpus.get(usize::from(place.target))?.core;
    let start = if first && core == target_core { place.target } else { place.target + 1 };
    let count = machine.cpus.len() as u32;
    let distance = |cpu: Cpu| (u32::from(cpu) + count - u32::from(start)) % count;
    (0..)
        .zip(&machine.cpus)
        .filter(|&(cpu, at)| at.core == core && !place.forbidden.contains(&cpu))
        .map(|(cpu, _)| cpu)
        .min_by_key(|&cpu| distance(cpu))
}
