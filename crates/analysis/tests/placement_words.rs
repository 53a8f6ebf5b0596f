//! Every way a placement can end has its words, and the figures in them are those of the record.

use std::collections::BTreeSet;

use schedscope_analysis::explain::{self, Check, Cx, Mark, Told};
use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::domains::Domains;
use schedscope_sim::kernel::{Feature, PlaceGeneration, Preset};
use schedscope_sim::machines::Machine;
use schedscope_sim::place::{self, Branch, ScanExit, Seen, View, Wake, Wakee, Waker};
use schedscope_sim::report::{Decision, Evidence, PlaceEvidence, Record};
use schedscope_sim::rng::Rng;
use schedscope_sim::setup::Setup;
use schedscope_sim::topology::{CpuRow, Distances, LlcId, Topology};
use schedscope_sim::units::{CpuId, TaskId, Time};

struct State {
    idle: Vec<bool>,
    sched_idle: Vec<bool>,
    nr_running: Vec<u32>,
    load: Vec<u64>,
    cores: Vec<bool>,
    budget: Vec<u32>,
}

impl View for State {
    fn idle(&self, cpu: CpuId) -> bool {
        self.idle[cpu.index()]
    }
    fn sched_idle(&self, cpu: CpuId) -> bool {
        self.sched_idle[cpu.index()]
    }
    fn nr_running(&self, cpu: CpuId) -> u32 {
        self.nr_running[cpu.index()]
    }
    fn load(&self, cpu: CpuId) -> u64 {
        self.load[cpu.index()]
    }
    fn capacity(&self, _cpu: CpuId) -> u64 {
        1024
    }
    fn has_idle_cores(&self, llc: LlcId) -> bool {
        self.cores[llc.index()]
    }
    fn nr_idle_scan(&self, llc: LlcId) -> u32 {
        self.budget[llc.index()]
    }
    fn avg_idle(&self, _cpu: CpuId) -> u64 {
        100_000
    }
    fn wake_avg_idle(&self, _cpu: CpuId) -> u64 {
        100_000
    }
}

/// Four CPUs that share no cache.
fn without_caches() -> Topology {
    let row = |cpu| CpuRow {
        cpu,
        core: cpu,
        cluster: None,
        llc: None,
        coregroup: None,
        node: 0,
        package: 0,
    };
    let rows = (0..4).map(row).collect();
    Topology::from_rows("vm4", rows, Distances::Regular { package: 12, remote: 21 }).expect("valid")
}

fn machines() -> Vec<Topology> {
    let mut machines: Vec<Topology> =
        [Machine::Desktop16, Machine::Zen3Nps4, Machine::Kunpeng920, Machine::Q6600, Machine::Cpu4]
            .map(Machine::topology)
            .to_vec();
    machines.push(without_caches());
    machines
}

/// A random wakeup on a machine, placed and told.
fn told(
    rng: &mut Rng,
    topology: &Topology,
    domains: &Domains,
    preset: Preset,
) -> (PlaceEvidence, Told) {
    let n = topology.len();
    let chance = |rng: &mut Rng, of_8: u64| rng.range(0, 7) < of_8;
    let density = rng.range(0, 4);
    let idle: Vec<bool> = (0..n).map(|_| chance(rng, density)).collect();
    let some = |rng: &mut Rng| CpuId(rng.range(0, n as u64 - 1) as u16);
    let here = |rng: &mut Rng, near: CpuId| {
        // Half of the time in the same LLC.
        let llc = &topology.llcs()[topology.cpu(near).llc.index()];
        match rng.range(0, 1) {
            0 => llc.wrap_from(rng.range(0, n as u64) as usize).next().unwrap_or(near),
            _ => CpuId(rng.range(0, n as u64 - 1) as u16),
        }
    };
    let this_cpu = some(rng);
    let prev_cpu = if chance(rng, 1) { this_cpu } else { here(rng, this_cpu) };
    let recent = here(rng, prev_cpu);
    let mut allowed = topology.all();
    if chance(rng, 3) && n > 4 {
        allowed = topology.cpu_ids().filter(|_| chance(rng, 5)).collect();
        allowed.insert(prev_cpu);
        allowed.insert(some(rng));
    }
    let state = State {
        nr_running: (0..n).map(|cpu| if idle[cpu] { 0 } else { rng.range(1, 3) as u32 }).collect(),
        load: (0..n).map(|_| rng.range(0, 2048)).collect(),
        cores: topology.llcs().iter().map(|_| chance(rng, 4)).collect(),
        budget: topology
            .llcs()
            .iter()
            .map(|llc| if chance(rng, 1) { 0 } else { rng.range(1, llc.len() as u64) as u32 })
            .collect(),
        sched_idle: vec![false; n],
        idle,
    };
    let interrupt = state.idle[this_cpu.index()] || chance(rng, 1);
    let wake = Wake {
        this_cpu,
        prev_cpu,
        sync: chance(rng, 3),
        current_cpu: chance(rng, 1) && chance(rng, 1),
        allowed: &allowed,
        jiffies: 5_000,
        hz: 1_000,
        waker: Waker {
            flips: rng.range(0, 40) as u32 * u32::from(chance(rng, 2)),
            decay_ts: 4_500,
            last_wakee_is_same: chance(rng, 4),
            load: rng.range(0, 1024),
            exiting: false,
            per_cpu_kthread: chance(rng, 2),
            in_task: !interrupt,
        },
        wakee: Wakee {
            flips: rng.range(0, 400) as u32 * u32::from(chance(rng, 2)),
            load: rng.range(0, 1024),
            recent,
        },
    };
    let kernel = preset.kernel(n);
    let mut features = kernel.features;
    for feature in [Feature::WaIdle, Feature::WaWeight, Feature::SisUtil] {
        if chance(rng, 1) {
            features = features.with(feature, false);
        }
    }
    let mut seen = Seen::default();
    let placement = place::place(domains, features, &state, &wake, &mut seen);
    let figures = PlaceEvidence {
        placement,
        seen,
        this_cpu,
        prev_cpu,
        current: (!interrupt).then_some(TaskId(0)),
        sync: wake.sync,
        allowed,
        waker: wake.waker,
        wakee: wake.wakee,
        idle: state.idle.clone(),
        has_idle_cores: state.cores.clone(),
        load: [state.load[this_cpu.index()], state.load[prev_cpu.index()]],
        nr_running: state.nr_running[this_cpu.index()],
    };
    let setup = Setup {
        topology: topology.clone(),
        kernel,
        tasks: Vec::new(),
        interrupts: Vec::new(),
        end: Time(0),
        seed: 0,
        inputs: Vec::new(),
        channels: 0,
        groups: Vec::new(),
    };
    let running: Vec<Option<TaskId>> =
        (0..n).map(|cpu| (!state.idle[cpu]).then_some(TaskId(cpu as u32 + 10))).collect();
    let cpu = place::idle::fallback(domains, &allowed, placement.cpu).expect("a mask has a CPU");
    let record = Record::Decided(Decision::Place {
        wakee: TaskId(1),
        waker: figures.current,
        this_cpu,
        prev_cpu,
        cpu,
        branch: placement.branch,
    });
    let cx = Cx {
        setup: &setup,
        domains,
        name: &|task| format!("T{task}"),
        spec_name: &|spec| format!("S{spec}"),
    };
    let evidence = [Evidence::Place(Box::new(figures.clone()))];
    let mut step = explain::step(&cx, &[record], &evidence, running);
    (figures, step.decisions.remove(0))
}

/// What holds for every text.
fn check_text(text: &str, what: &str, context: &dyn std::fmt::Debug) {
    assert!(!text.is_empty(), "{what} is empty: {context:?}");
    assert!(!text.contains("  "), "two spaces in {what} {text:?}");
    assert!(!text.contains(['{', '}']), "a brace in {what} {text:?}");
    assert!(!text.contains("()"), "an empty bracket in {what} {text:?}");
    assert!(!text.contains(" -"), "a hyphen as minus in {what} {text:?}");
    assert_eq!(text.trim(), text, "{what}");
}

fn check_told(figures: &PlaceEvidence, told: &Told, domains: &Domains) {
    let cpu = told.cpu;
    check_text(&told.heading, "heading", told);
    check_text(&told.sentence, "sentence", told);
    assert!(told.sentence.ends_with('.'), "{:?}", told.sentence);
    assert!(told.heading.contains(&format!("CPU {cpu}")), "{}", told.heading);
    for check in &told.checks {
        check_text(&check.title, "title", told);
        check_text(&check.result, "result", told);
        check_text(&check.sentence, "check sentence", told);
        assert!(!check.kernel.is_empty());
        assert!(check.sentence.ends_with('.'), "{:?}", check.sentence);
        assert_eq!(check.skipped, check.skipped && check.mark != Mark::Chosen);
    }
    let last = told.checks.last().expect("a result");
    assert_eq!((last.mark, &*last.result), (Mark::Chosen, &*format!("CPU {cpu}")));
    // Whoever is taken ends the checks.
    let taken: Vec<&Check> = told.checks.iter().filter(|c| c.result == "idle: take it").collect();
    assert!(taken.len() <= 1);
    if let [taken] = taken[..] {
        assert!(std::ptr::eq(taken, &told.checks[told.checks.len() - 2]), "{told:#?}");
        assert!(figures.idle[figures.placement.cpu.index()]);
    }
    // Nothing that was looked at is lost.
    let told_probes: usize = told.checks.iter().map(|check| check.probes.len()).sum();
    assert_eq!(told_probes, figures.seen.probes.len(), "{told:#?}\n{figures:#?}");
    // "n of m CPUs are idle in other LLCs".
    let (inside, outside) = explain::idle_counts(domains, figures);
    let all = figures.idle.iter().filter(|&&idle| idle).count();
    assert_eq!(inside as usize + outside as usize, all);
    if figures.placement.branch == Branch::FallbackTarget
        && outside > 1
        && figures.placement.target.is_some()
    {
        let n = figures.idle.len();
        let count = format!("{outside} of {n} CPUs are idle in other LLCs");
        assert!(told.sentence.contains(&count), "{}", told.sentence);
    }
    // Who is not reached was not looked at, and may be used.
    let looked: CpuSet = figures
        .seen
        .probes
        .iter()
        .filter(|p| p.at.name().contains("scan"))
        .map(|p| p.cpu)
        .collect();
    for cpu in explain::not_reached(domains, figures) {
        assert!(!looked.contains(cpu) && figures.allowed.contains(cpu));
    }
    if told.sentence.contains("is idle but was not reached") {
        let left = explain::not_reached(domains, figures);
        assert!(left.iter().any(|cpu| figures.idle[cpu.index()]));
    }
}

#[test]
fn every_branch_and_scan_exit_has_true_words() {
    let generations = [
        (PlaceGeneration::V4_7, Preset::V6_6),
        (PlaceGeneration::V4_15, Preset::V6_6),
        (PlaceGeneration::V4_19, Preset::V6_6),
        (PlaceGeneration::V5_15, Preset::V6_6),
        (PlaceGeneration::V6_6, Preset::V6_6),
        (PlaceGeneration::V6_12, Preset::V6_12),
    ];
    let mut rng = Rng::new(19);
    let (mut branches, mut exits) = (BTreeSet::new(), BTreeSet::new());
    for topology in machines() {
        for (generation, preset) in generations {
            let domains = Domains::build(&topology, generation);
            for _ in 0..1_500 {
                let (figures, told) = told(&mut rng, &topology, &domains, preset);
                branches.insert(figures.placement.branch);
                exits.insert(figures.placement.scan_exit);
                check_told(&figures, &told, &domains);
            }
        }
    }
    use Branch::*;
    let all = [
        TargetIdle,
        PrevIdle,
        PerCpuKthread,
        RecentIdle,
        IdleCore,
        IdleCpu,
        IdleSmt,
        IdleSmtSibling,
        IdleThreadFromCoreScan,
        ClusterIdleCpu,
        PrevFallback,
        RecentFallback,
        NoLlc,
        FallbackTarget,
        WfCurrentCpu,
    ];
    for branch in all {
        assert!(branches.contains(&branch), "{branch:?} was not reached");
    }
    for exit in [
        ScanExit::NotRun,
        ScanExit::Found,
        ScanExit::Exhausted,
        ScanExit::Limit,
        ScanExit::Overloaded,
        ScanExit::Core,
        ScanExit::ClsFound,
        ScanExit::ClsLimit,
    ] {
        assert!(exits.contains(&exit), "{exit:?} was not reached");
    }
}
