//! Machines, task lists and decisions built in code: what the tests of the pictures draw.

#![allow(dead_code, unused_imports)]

mod boards;
mod compared;
pub(crate) mod sound;

pub(crate) use boards::{desktop, power10, q6600, zen3, zen3_far};
pub(crate) use compared::{balance, fork};

use schedscope_session::machine::view;
use schedscope_session::update::{
    Check, CpuView, Decision, DecisionKind, KernelView, Loaded, Machine, Mark, Moment, Picture,
    PlacePicture, Probe, RowView, TaskState, TaskView,
};
use schedscope_sim::domains::Domains;
use schedscope_sim::kernel::PlaceGeneration;
use schedscope_sim::machines::Machine as Preset;
use schedscope_sim::topology::{CpuRow, Distances, Shape, Topology};

/// A preset as the interface sees it.
pub(crate) fn preset(preset: Preset) -> Machine {
    let topology = preset.topology();
    let domains = Domains::build(&topology, PlaceGeneration::V6_12);
    view(&topology, &domains, Some(preset))
}

/// A machine of one's own.
pub(crate) fn shape(shape: Shape) -> Option<Machine> {
    let topology: Topology = shape.topology("own").ok()?;
    let domains = Domains::build(&topology, PlaceGeneration::V6_12);
    Some(view(&topology, &domains, None))
}

/// A hybrid desktop: 8 cores of two threads, then 8 cores of one in clusters of 4, one cache.
pub(crate) fn hybrid() -> Machine {
    let big = (0..16).map(|cpu| (cpu, cpu / 2, None));
    let small = (16..24).map(|cpu| (cpu, cpu - 8, Some(8 + (cpu - 16) / 4)));
    let rows = big
        .chain(small)
        .map(|(cpu, core, cluster)| CpuRow {
            cpu,
            core,
            cluster: cluster.or(Some(core)),
            llc: Some(0),
            coregroup: None,
            node: 0,
            package: 0,
        })
        .collect();
    from_rows(rows)
}

/// Three LLCs of 6, 4 and 2 cores in one node.
pub(crate) fn uneven() -> Machine {
    let llc = |core: u32| match core {
        0..6 => 0,
        6..10 => 1,
        _ => 2,
    };
    let rows = (0..12)
        .map(|cpu| CpuRow {
            cpu,
            core: cpu,
            cluster: None,
            llc: Some(llc(cpu)),
            coregroup: None,
            node: 0,
            package: 0,
        })
        .collect();
    from_rows(rows)
}

fn from_rows(rows: Vec<CpuRow>) -> Machine {
    let distances = Distances::Regular { package: 20, remote: 21 };
    let topology = Topology::from_rows("own", rows, distances).expect("a machine");
    let domains = Domains::build(&topology, PlaceGeneration::V6_12);
    view(&topology, &domains, None)
}

/// A world in the making: rows, tasks and who runs where.
pub(crate) struct World {
    pub(crate) loaded: Loaded,
    pub(crate) moment: Moment,
}

const LETTERS: &[u8] = b"ABCDEFGHIJKLMNPQRSTUWXYZ";

impl World {
    pub(crate) fn new(machine: Machine) -> World {
        let cpus = vec![CpuView::default(); machine.cpus.len()];
        let loaded = Loaded {
            title: "pictures".into(),
            about: String::new(),
            text: String::new(),
            packed: Vec::new(),
            machine,
            kernel: KernelView::default(),
            groups: Vec::new(),
            rows: Vec::new(),
            task_rows: Vec::new(),
            seed: 1,
            end: 1_000_000_000,
            notes: Vec::new(),
        };
        World { loaded, moment: Moment { cpus, ..Moment::default() } }
    }

    /// Adds a row by its letter; gives the number of its first task.
    pub(crate) fn row(&mut self, letter: char, name: &str, count: u32, muted: bool) -> u32 {
        let index = LETTERS.iter().position(|&l| char::from(l) == letter).unwrap();
        let row = self.loaded.rows.len() as u16;
        self.loaded.rows.push(RowView {
            name: name.into(),
            letter: letter.into(),
            hue: (index % 8) as u8,
            texture: (index / 8) as u8,
            count,
            muted,
            ..RowView::default()
        });
        let first = self.moment.tasks.len() as u32;
        for instance in 1..=count {
            self.moment.tasks.push(TaskView { row, instance, ..TaskView::default() });
            self.loaded.task_rows.push(row);
        }
        first
    }

    pub(crate) fn run(&mut self, task: u32, cpu: u16) {
        self.moment.cpus[usize::from(cpu)].curr = Some(task);
        self.moment.cpus[usize::from(cpu)].khz = 2_400_000 + 173_000 * (u32::from(cpu) * 7 % 15);
        let view = &mut self.moment.tasks[task as usize];
        (view.state, view.cpu) = (TaskState::Running, cpu);
    }

    pub(crate) fn wait(&mut self, task: u32, cpu: u16) {
        self.moment.cpus[usize::from(cpu)].waiting.push(task);
        let view = &mut self.moment.tasks[task as usize];
        (view.state, view.cpu) = (TaskState::Runnable, cpu);
    }

    /// What the decision does: the task runs or waits there, and did not before.
    pub(crate) fn land(&mut self, task: u32, cpu: u16, runs: bool) {
        self.moment.before.push((cpu, self.moment.cpus[usize::from(cpu)].clone()));
        if runs {
            self.run(task, cpu);
        } else {
            self.wait(task, cpu);
        }
    }

    pub(crate) fn idle(&self) -> Vec<bool> {
        self.moment.cpus.iter().map(|cpu| cpu.curr.is_none()).collect()
    }

    /// Runs tasks of a row on CPUs that a small generator picks, until `busy` of 100 are busy.
    pub(crate) fn fill(&mut self, first: u32, busy: u32, seed: u32, spare: &[u16]) {
        let mut x = seed;
        let mut task = first;
        for cpu in 0..self.moment.cpus.len() as u16 {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let free = self.moment.cpus[usize::from(cpu)].curr.is_none();
            if free && !spare.contains(&cpu) && (x >> 16) % 100 < busy {
                if (task as usize) < self.moment.tasks.len() {
                    self.run(task, cpu);
                }
                task += 1;
            }
        }
    }
}

fn check(title: &str, result: &str, mark: Mark, kernel: &str, probes: Vec<Probe>) -> Check {
    Check {
        title: title.into(),
        result: result.into(),
        sentence: format!("{title} {result}."),
        kernel: kernel.into(),
        mark,
        probes,
        tasks: Vec::new(),
        skipped: false,
        limit: None,
    }
}

fn probe(code: &str, cpu: u16, idle: bool) -> Probe {
    Probe { cpu, idle, code: code.into() }
}
/// Any machine with some background on it.
pub(crate) fn filled(machine: Machine) -> World {
    let n = machine.cpus.len() as u32;
    let mut w = World::new(machine);
    let a = w.row('A', "audio", 1, false);
    let b = w.row('B', "browser", 1, false);
    let p = w.row('P', "producer", 1, false);
    let j = w.row('J', "make", n + 9, n > 4);
    w.run(a, 0);
    w.wait(b, 0);
    w.run(p, (n / 3) as u16);
    w.fill(j, 55, 3, &[]);
    w.wait(j + n, (n / 2) as u16);
    w
}

/// A search on any machine: from the LLC of `target`, CPU by CPU or core by core, with a budget.
pub(crate) fn search(
    machine: Machine,
    [waker, prev, target, recent]: [u16; 4],
    budget: u32,
    by_core: bool,
    busy: u32,
) -> World {
    let n = machine.cpus.len() as u16;
    let [waker, prev, target, recent] = [waker, prev, target, recent].map(|cpu| cpu % n);
    let mut w = World::new(machine);
    let p = w.row('P', "producer", 1, false);
    let q = w.row('Q', "consumer", 1, false);
    let j = w.row('J', "background", u32::from(n) + 8, true);
    w.run(p, waker);
    w.fill(j, busy, u32::from(target) * 31 + budget, &[]);
    for i in 0..6 {
        w.wait(j + u32::from(n) + i, if i % 2 == 0 { target } else { prev });
    }
    let idle = w.idle();
    let llc = usize::from(w.loaded.machine.cpus[usize::from(target)].llc);
    let mut order = w.loaded.machine.llcs[llc].clone();
    order.sort_by_key(|&cpu| (u32::from(cpu) + 2048 - u32::from(target) - 1) % 1024);
    let mut probes = Vec::new();
    let mut reached = 0;
    let mut chosen = target;
    let core = |cpu: u16| w.loaded.machine.cpus[usize::from(cpu)].core;
    let mut seen: Vec<u16> = Vec::new();
    for &cpu in &order {
        if reached == budget as usize || chosen != target {
            break;
        }
        reached += 1;
        if by_core {
            if seen.contains(&core(cpu)) {
                continue;
            }
            seen.push(core(cpu));
            for sibling in (0..n).filter(|&sibling| core(sibling) == core(cpu)) {
                probes.push(probe("core", sibling, idle[usize::from(sibling)]));
            }
        } else {
            probes.push(probe("scan", cpu, idle[usize::from(cpu)]));
            if idle[usize::from(cpu)] {
                chosen = cpu;
            }
        }
    }
    w.land(q, chosen, false);
    let title = "Scan for an idle CPU";
    let checks = vec![
        check("Which is the target?", "target", Mark::Plain, "wake_affine()", vec![]),
        check(
            "Is the target idle?",
            "busy",
            Mark::Busy,
            "available_idle_cpu(target)",
            vec![probe("target", target, false), probe("prev", prev, false)],
        ),
        check(title, "", Mark::Plain, "__select_idle_cpu()", probes),
        check("Result", "", Mark::Chosen, "return target", vec![]),
    ];
    let not_reached = order[reached.min(order.len())..].to_vec();
    w.moment.decisions = vec![Decision {
        cpu: waker,
        kind: DecisionKind::Placement,
        task: Some(q),
        heading: String::new(),
        sentence: String::new(),
        cause: String::new(),
        checks,
        picture: Picture::Place(PlacePicture {
            wakee: q,
            waker: Some(p),
            this_cpu: waker,
            prev_cpu: prev,
            target,
            recent: Some(recent),
            chosen,
            branch: String::new(),
            scan_exit: if not_reached.is_empty() { "exhausted" } else { "limit" }.into(),
            llc: llc as u16,
            budget: Some(budget),
            idle_in_llc: 0,
            idle_elsewhere: 0,
            not_reached,
            forbidden: (0..n).filter(|cpu| cpu % 7 == 3).collect(),
            idle,
        }),
    }];
    w
}
