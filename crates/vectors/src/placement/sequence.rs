//! Sequences of wakeups between two tasks on an empty machine, simulated with the carried state
//! (`FORMAT.md`, pingpong).

use std::collections::{BTreeMap, BTreeSet};

use schedscope_sim::domains::Domains;
use schedscope_sim::kernel::PlaceGeneration;
use schedscope_sim::place::{Seen, idle};
use schedscope_sim::units::CpuId;
use serde::de::Error as _;
use serde_json::{Value, json};

use super::case::{In, Machine};
use super::domains;

const STEPS: usize = 40;
const JIFFIES: u64 = 100_000;
const LOAD: u64 = 512;

/// How the wakeups of a sequence come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Model {
    /// The waker blocks right after waking.
    PromptBlock,
    /// The wakee's CPU becomes idle only after the wakeup.
    LateBlock,
    /// The wakee was moved to the waker's CPU before it blocked.
    MigratedWakee,
    /// The same waker again and again, as [`Model::LateBlock`].
    OneWayLateBlock,
    /// Interrupts on idle CPUs, round robin.
    IrqRr,
    /// Such an interrupt wakes B, then B wakes A.
    IrqRrIo,
}

/// A step of a simulated sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// `A`, `B`, `P`, `T` or `irq`.
    pub waker: &'static str,
    /// Who is woken.
    pub wakee: &'static str,
    /// The state before, with every field of every kernel.
    pub before: Value,
    /// What came out, with every field of every kernel.
    pub out: Value,
    prev: u16,
    cpu: u16,
}

/// A simulated sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its wakeups, in order.
    pub steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug)]
struct Task {
    name: &'static str,
    flips: u32,
    decay_ts: u64,
    last_wakee: Option<usize>,
    recent: CpuId,
    /// Where it last ran or runs.
    cpu: CpuId,
    running: bool,
    /// Whether it has run: only then it leaves a load.
    has_run: bool,
}

struct Sim<'a> {
    domains: &'a Domains,
    model: Model,
    sync: bool,
    tasks: Vec<Task>,
    has_idle_cores: Vec<u8>,
    avg_scan_cost: Vec<u64>,
    /// A CPU that has nothing to run but is not idle yet.
    switching: Option<CpuId>,
    steps: Vec<Step>,
}

/// Simulates a sequence by name: `late_block/desktop16/v6.12/sync0`.
///
/// # Errors
/// If the name is not one of a sequence.
pub fn simulate(name: &str) -> Result<Run, serde_json::Error> {
    let unknown = || serde_json::Error::custom(format!("unknown sequence {name}"));
    let [model, machine, kernel, sync] =
        name.split('/').collect::<Vec<_>>().try_into().map_err(|_| unknown())?;
    let model = match model {
        "prompt_block" => Model::PromptBlock,
        "late_block" => Model::LateBlock,
        "migrated_wakee" => Model::MigratedWakee,
        "one_way_late_block" => Model::OneWayLateBlock,
        "irq_rr" => Model::IrqRr,
        "irq_rr_io" => Model::IrqRrIo,
        _ => return Err(unknown()),
    };
    let domains = domains(machine, kernel)?;
    let start = |name, cpu, running| Task {
        name,
        flips: 0,
        decay_ts: JIFFIES,
        last_wakee: None,
        recent: CpuId(cpu),
        cpu: CpuId(cpu),
        running,
        has_run: running,
    };
    // The core after the first begins with CPU 1 on every machine of the sequences.
    let tasks = match model {
        Model::PromptBlock | Model::LateBlock | Model::MigratedWakee => {
            vec![start("A", 0, true), start("B", 1, false)]
        }
        Model::OneWayLateBlock => vec![start("P", 0, true), start("C", 1, false)],
        Model::IrqRr => vec![start("T", 0, false)],
        Model::IrqRrIo => vec![start("A", 0, false), start("B", 1, false)],
    };
    let smt = u8::from(domains.smt());
    let mut sim = Sim {
        domains: &domains,
        model,
        sync: sync == "sync1",
        tasks,
        has_idle_cores: vec![smt; domains.llcs()],
        avg_scan_cost: vec![0; domains.cpus()],
        switching: None,
        steps: Vec::new(),
    };
    for step in 0..STEPS {
        sim.step(step);
    }
    Ok(Run { steps: sim.steps })
}

impl Sim<'_> {
    fn step(&mut self, step: usize) {
        match self.model {
            Model::PromptBlock => {
                let (waker, wakee) = (step % 2, 1 - step % 2);
                let cpu = self.wake(Some(waker), self.tasks[waker].cpu, wakee, None);
                self.block(waker);
                self.run(wakee, cpu);
            }
            Model::LateBlock => {
                let (waker, wakee) = (step % 2, 1 - step % 2);
                self.late_block(waker, wakee);
            }
            Model::OneWayLateBlock => self.late_block(0, 1),
            Model::MigratedWakee => {
                let (waker, wakee) = (step % 2, 1 - step % 2);
                let this = self.tasks[waker].cpu;
                let cpu = self.wake(Some(waker), this, wakee, Some(this));
                self.block(waker);
                self.run(wakee, cpu);
            }
            Model::IrqRr => {
                let cpu = self.wake(None, self.irq_cpu(step), 0, None);
                self.run(0, cpu);
                self.block(0);
            }
            Model::IrqRrIo if step.is_multiple_of(2) => {
                let cpu = self.wake(None, self.irq_cpu(step / 2), 1, None);
                self.run(1, cpu);
            }
            Model::IrqRrIo => {
                let cpu = self.wake(Some(1), self.tasks[1].cpu, 0, None);
                self.block(1);
                self.run(0, cpu);
                self.block(0);
            }
        }
    }

    /// The wakee's CPU is still switching away from it at the wakeup.
    fn late_block(&mut self, waker: usize, wakee: usize) {
        let old = self.tasks[wakee].cpu;
        self.tasks[wakee].running = false;
        self.switching = Some(old);
        let cpu = self.wake(Some(waker), self.tasks[waker].cpu, wakee, None);
        self.switching = None;
        if cpu != old {
            self.enter_idle(old);
        }
        self.run(wakee, cpu);
    }

    fn irq_cpu(&self, nth: usize) -> CpuId {
        let llc: Vec<CpuId> =
            self.domains.llc_span(CpuId(0)).into_iter().flat_map(|span| span.iter()).collect();
        llc[(3 + nth) % llc.len()]
    }

    fn run(&mut self, task: usize, cpu: CpuId) {
        let task = &mut self.tasks[task];
        (task.cpu, task.running, task.has_run) = (cpu, true, true);
    }

    fn block(&mut self, task: usize) {
        self.tasks[task].running = false;
        self.enter_idle(self.tasks[task].cpu);
    }

    fn idle(&self, cpu: CpuId) -> bool {
        self.switching != Some(cpu)
            && !self.tasks.iter().any(|task| task.running && task.cpu == cpu)
    }

    fn enter_idle(&mut self, cpu: CpuId) {
        if !self.idle(cpu) {
            return;
        }
        let idle = (0..self.domains.cpus() as u16).map(|cpu| self.idle(CpuId(cpu))).collect();
        let view =
            Machine { idle, has_idle_cores: self.has_idle_cores.clone(), ..Machine::default() };
        if let Some(llc) = idle::update_idle_core(self.domains, &view, cpu) {
            self.has_idle_cores[llc.index()] = 1;
        }
    }

    fn load(&self, cpu: CpuId) -> u64 {
        // A blocked task's load stays where it last ran, from 5.15 on.
        let blocked_counts = self.domains.generation() >= PlaceGeneration::V5_15;
        let loads =
            |task: &&Task| task.cpu == cpu && (task.running || (blocked_counts && task.has_run));
        self.tasks.iter().filter(loads).count() as u64 * LOAD
    }

    /// One wakeup; where to. Without a waker it is an interrupt.
    fn wake(
        &mut self,
        waker: Option<usize>,
        this: CpuId,
        wakee: usize,
        prev: Option<CpuId>,
    ) -> CpuId {
        let prev = prev.unwrap_or(self.tasks[wakee].cpu);
        let all = || (0..self.domains.cpus() as u16).map(CpuId);
        let waking = waker.map(|waker| self.tasks[waker]);
        let before = In {
            this_cpu: this.0,
            prev_cpu: prev.0,
            sync: u8::from(self.sync),
            idle: all().map(|cpu| if self.idle(cpu) { '1' } else { '0' }).collect(),
            nr_running: all()
                .map(|cpu| self.tasks.iter().filter(|t| t.running && t.cpu == cpu).count())
                .map(|n| char::from(b'0' + n as u8))
                .collect(),
            allowed: "all".to_owned(),
            jiffies: JIFFIES,
            waker_flips: waking.map_or(0, |task| task.flips),
            wakee_flips: self.tasks[wakee].flips,
            last_wakee_is_p: u8::from(waking.is_none_or(|task| task.last_wakee == Some(wakee))),
            waker_decay_ts: waking.map_or(JIFFIES, |task| task.decay_ts),
            load_this: self.load(this),
            load_prev: self.load(prev),
            cap_this: 1024,
            cap_prev: 1024,
            task_load: LOAD,
            waker_load: if waking.is_some() { LOAD } else { 0 },
            has_idle_cores: self.has_idle_cores.clone(),
            wakee_recent: self.tasks[wakee].recent.0,
            waker_recent: waking.map_or(this.0, |task| task.recent.0),
            waker_exiting: 0,
            avg_idle: 1_000_000,
            wake_avg_idle: 500_000,
            wake_stamp: JIFFIES,
            avg_scan_cost: self.avg_scan_cost[this.index()],
            clock_step: 200,
            sched_idle: "none".to_owned(),
            waker_percpu_kthread: u8::from(waking.is_none()),
            in_task: u8::from(waking.is_some()),
            nr_idle_scan: self.nr_idle_scan(),
            wf_current_cpu: 0,
        };
        let mut seen = Seen::default();
        let placement =
            before.decide(self.domains, self.domains.generation().features(), &mut seen);
        let effects = placement.effects;
        if let Some(waker) = waker {
            let task = &mut self.tasks[waker];
            (task.flips, task.decay_ts) = (effects.waker_flips, effects.waker_decay_ts);
            task.last_wakee = Some(wakee);
            task.recent = effects.waker_recent.unwrap_or(task.recent);
        }
        let task = &mut self.tasks[wakee];
        task.recent = effects.wakee_recent.unwrap_or(task.recent);
        if let Some(llc) = effects.idle_cores_cleared {
            self.has_idle_cores[llc.index()] = 0;
        }
        if let Some(cost) = effects.avg_scan_cost {
            self.avg_scan_cost[this.index()] = cost;
        }
        self.steps.push(Step {
            waker: waking.map_or("irq", |task| task.name),
            wakee: self.tasks[wakee].name,
            out: before.out(self.domains, &placement, &seen),
            before: serde_json::to_value(&before).expect("plain fields"),
            prev: prev.0,
            cpu: placement.cpu.0,
        });
        placement.cpu
    }

    fn nr_idle_scan(&self) -> Vec<u32> {
        let mut values = vec![0; self.domains.llcs()];
        for cpu in (0..self.domains.cpus() as u16).map(CpuId) {
            let Some(llc) = self.domains.llc_domain(cpu) else { continue };
            let domain = self.domains.domain(llc);
            values[self.domains.llc(cpu).index()] =
                idle::nr_idle_scan(1024, domain.weight, domain.imbalance_pct);
        }
        values
    }
}

impl Run {
    /// What the summary line of the sequence says.
    #[must_use]
    pub fn summary(&self) -> Value {
        let mut wakees: BTreeMap<&str, Vec<u16>> = BTreeMap::new();
        for step in &self.steps {
            wakees.entry(step.wakee).or_default().push(step.cpu);
        }
        let placements: Vec<u16> = self.steps.iter().map(|step| step.cpu).collect();
        let distinct: BTreeSet<u16> = placements.iter().copied().collect();
        json!({
            "wakees": wakees,
            "placements": placements,
            "distinct_cpus": distinct.len(),
            "migrations": self.steps.iter().filter(|step| step.cpu != step.prev).count(),
        })
    }
}
