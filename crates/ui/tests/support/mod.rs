//! Machines, task lists and decisions built in code: what the tests of the pictures draw.

#![allow(dead_code)]

use schedscope_session::machine::view;
use schedscope_session::update::{
    Check, CpuView, Decision, DecisionKind, GroupLevel, GroupView, GroupsPicture, KernelView,
    Loaded, Machine, Mark, Moment, Picture, PlacePicture, Probe, RowView, TaskState, TaskView,
};
use schedscope_sim::domains::Domains;
use schedscope_sim::kernel::PlaceGeneration;
use schedscope_sim::machines::Machine as Preset;
use schedscope_sim::topology::{Shape, Topology};

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
            nice: 0,
            latency_nice: 0,
            slice: None,
            affinity: String::new(),
            cpu: None,
            at: 0,
            program: String::new(),
            muted,
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
    }
}

fn probe(code: &str, cpu: u16, idle: bool) -> Probe {
    Probe { cpu, idle, code: code.into() }
}

/// Zen 3 at NPS4: P on CPU 33 wakes Q, the scan may check 3 CPUs, and CPU 38 is not reached.
pub(crate) fn zen3() -> World {
    let mut w = World::new(preset(Preset::Zen3Nps4));
    let j = w.row('J', "mysqld", 132, true);
    let p = w.row('P', "producer", 1, false);
    let q = w.row('Q', "consumer", 1, false);
    w.run(p, 33);
    let llc: Vec<u16> = (32..40).chain(160..168).collect();
    for (i, &cpu) in llc.iter().enumerate() {
        if cpu != 33 && cpu != 38 {
            w.run(j + 39 + i as u32, cpu);
        }
    }
    let spare: Vec<u16> = llc.clone();
    w.fill(j, 42, 7, &spare);
    let idle = w.idle();
    w.land(q, 33, false);
    let elsewhere = idle.iter().filter(|&&idle| idle).count() as u32 - 1;
    let checks = vec![
        check(
            "Waker's CPU or prev: which is the target?",
            "target CPU 33",
            Mark::Plain,
            "wake_affine()",
            vec![probe("wa.this", 33, false), probe("wa.prev", 35, false)],
        ),
        check(
            "Is target CPU 33 idle?",
            "busy: P",
            Mark::Busy,
            "available_idle_cpu(33)",
            vec![probe("target", 33, false)],
        ),
        check(
            "Is prev CPU 35 idle, same LLC?",
            "busy: J43",
            Mark::Busy,
            "cpus_share_cache(35, 33)",
            vec![probe("prev", 35, false)],
        ),
        check(
            "Is the waker a per-CPU kthread?",
            "no",
            Mark::No,
            "is_per_cpu_kthread(current)",
            vec![],
        ),
        check(
            "Is recently used CPU 163 idle?",
            "busy: J51",
            Mark::Busy,
            "p->recent_used_cpu",
            vec![probe("recent", 163, false)],
        ),
        check("Does this LLC claim an idle core?", "no", Mark::No, "test_idle_cores(33)", vec![]),
        check(
            "Is an SMT sibling of prev CPU 35 idle?",
            "163 busy",
            Mark::Busy,
            "select_idle_smt(p, sd, 35)",
            vec![probe("smt", 163, false)],
        ),
        check(
            "Scan for an idle CPU from CPU 34, wrapping",
            "3 of 3",
            Mark::Plain,
            "__select_idle_cpu()",
            vec![probe("scan", 34, false), probe("scan", 35, false), probe("scan", 36, false)],
        ),
        check(
            "Scan budget spent",
            "stay on CPU 33",
            Mark::Chosen,
            "sd_share->nr_idle_scan = 3",
            vec![],
        ),
    ];
    w.moment.decisions = vec![Decision {
        cpu: 33,
        kind: DecisionKind::Placement,
        task: Some(q),
        heading: "Q stays on target CPU 33".into(),
        sentence: "The scan may check 3 CPUs in this LLC, and all of them were busy.".into(),
        cause: "P on CPU 33 wakes Q".into(),
        checks,
        picture: Picture::Place(PlacePicture {
            wakee: q,
            waker: Some(p),
            this_cpu: 33,
            prev_cpu: 35,
            target: 33,
            recent: Some(163),
            chosen: 33,
            branch: "fallback_target".into(),
            scan_exit: "limit".into(),
            llc: 4,
            budget: Some(3),
            idle_in_llc: 1,
            idle_elsewhere: elsewhere,
            not_reached: vec![37, 38, 39, 160, 161, 162, 163, 164, 165, 166, 167, 32, 33],
            forbidden: vec![],
            idle,
        }),
    }];
    w
}

/// The desktop: no core is idle, the core scan keeps CPU 3 as the first idle CPU seen.
pub(crate) fn desktop() -> World {
    let mut w = World::new(preset(Preset::Desktop16));
    let a = w.row('A', "audio", 1, false);
    let b = w.row('B', "browser", 1, false);
    let c = w.row('C', "compositor", 1, false);
    let d = w.row('D', "database", 1, false);
    let e = w.row('E', "encoder", 1, false);
    let f = w.row('F', "find", 1, false);
    let g = w.row('G', "gcc", 1, false);
    let h = w.row('H', "hash", 1, false);
    let j = w.row('J', "cc1", 14, true);
    let p = w.row('P', "producer", 1, false);
    let q = w.row('Q', "consumer", 1, false);
    w.run(a, 2);
    for task in [b, g, h, e, f] {
        w.wait(task, 2);
    }
    _ = (c, d);
    let order = [8, 14, 12, 7, 6, 2, 4, 5, 11, 9, 10, 13];
    for (cpu, n) in [0, 1, 4, 6, 7, 8, 9, 10, 11, 12, 14, 15].into_iter().zip(order) {
        w.run(j + n - 1, cpu);
    }
    w.run(p, 13);
    let idle = w.idle();
    w.land(q, 3, true);
    let core = |cpu, idle| probe("core", cpu, idle);
    let checks = vec![
        check(
            "Waker's CPU or prev: which is the target?",
            "target CPU 13",
            Mark::Plain,
            "wake_affine()",
            vec![probe("wa.this", 13, false), probe("wa.prev", 0, false)],
        ),
        check(
            "Is target CPU 13 idle?",
            "busy: P",
            Mark::Busy,
            "available_idle_cpu(13)",
            vec![probe("target", 13, false)],
        ),
        check(
            "Is prev CPU 0 idle, same LLC?",
            "busy: J8",
            Mark::Busy,
            "cpus_share_cache(0, 13)",
            vec![probe("prev", 0, false)],
        ),
        check(
            "Is the waker a per-CPU kthread?",
            "no",
            Mark::No,
            "is_per_cpu_kthread(current)",
            vec![],
        ),
        check(
            "Is recently used CPU 6 idle?",
            "busy: J7",
            Mark::Busy,
            "p->recent_used_cpu",
            vec![probe("recent", 6, false)],
        ),
        check(
            "Does this LLC claim an idle core?",
            "yes (hint)",
            Mark::Yes,
            "test_idle_cores(13)",
            vec![],
        ),
        check(
            "Scan for an idle core from CPU 14, wrapping",
            "8 cores",
            Mark::Plain,
            "select_idle_core()",
            vec![
                core(6, false),
                core(14, false),
                core(7, false),
                core(15, false),
                core(0, false),
                core(8, false),
                core(1, false),
                core(9, false),
                core(3, true),
                core(11, false),
                core(4, false),
                core(12, false),
                core(5, true),
                core(13, false),
                core(2, false),
                core(10, false),
            ],
        ),
        check(
            "No idle core: use the first idle CPU seen",
            "CPU 3",
            Mark::Chosen,
            "set_idle_cores(target, false); return idle_cpu",
            vec![],
        ),
    ];
    w.moment.decisions = vec![Decision {
        cpu: 13,
        kind: DecisionKind::Placement,
        task: Some(q),
        heading: "Q goes to CPU 3".into(),
        sentence: "No core is fully idle: the hint was stale and is cleared.".into(),
        cause: "P on CPU 13 wakes Q".into(),
        checks,
        picture: Picture::Place(PlacePicture {
            wakee: q,
            waker: Some(p),
            this_cpu: 13,
            prev_cpu: 0,
            target: 13,
            recent: Some(6),
            chosen: 3,
            branch: "idle_thread_from_core_scan".into(),
            scan_exit: "found".into(),
            llc: 0,
            budget: None,
            idle_in_llc: 2,
            idle_elsewhere: 0,
            not_reached: vec![],
            forbidden: vec![2],
            idle,
        }),
    }];
    w
}

/// The Q6600: the LLC is overloaded, nothing is scanned, CPU 1 stays idle.
pub(crate) fn q6600() -> World {
    let mut w = World::new(preset(Preset::Q6600));
    let rows: Vec<u32> =
        ['A', 'B', 'E', 'F', 'P', 'Q'].map(|l| w.row(l, "task", 1, false)).to_vec();
    let (e, f, p, q) = (rows[2], rows[3], rows[4], rows[5]);
    w.run(p, 0);
    w.run(f, 2);
    w.wait(e, 2);
    let idle = w.idle();
    w.land(q, 0, false);
    let mut prev = check("Prev is the target", "skipped", Mark::Plain, "prev != target", vec![]);
    prev.skipped = true;
    let checks = vec![
        check(
            "Waker's CPU or prev: which is the target?",
            "target CPU 0",
            Mark::Plain,
            "wake_affine()",
            vec![],
        ),
        check(
            "Is target CPU 0 idle?",
            "busy: P",
            Mark::Busy,
            "available_idle_cpu(0)",
            vec![probe("target", 0, false)],
        ),
        prev,
        check(
            "Is the waker a per-CPU kthread?",
            "no",
            Mark::No,
            "is_per_cpu_kthread(current)",
            vec![],
        ),
        check(
            "Scan skipped: LLC overloaded",
            "stay on CPU 0",
            Mark::Chosen,
            "sd_share->nr_idle_scan = 0",
            vec![],
        ),
    ];
    w.moment.decisions = vec![Decision {
        cpu: 0,
        kind: DecisionKind::Placement,
        task: Some(q),
        heading: "Q stays on target CPU 0".into(),
        sentence: "CPU 1 is idle but was not reached. 2 of 4 CPUs are idle.".into(),
        cause: "P on CPU 0 wakes Q".into(),
        checks,
        picture: Picture::Place(PlacePicture {
            wakee: q,
            waker: Some(p),
            this_cpu: 0,
            prev_cpu: 0,
            target: 0,
            recent: Some(0),
            chosen: 0,
            branch: "fallback_target".into(),
            scan_exit: "overloaded".into(),
            llc: 0,
            budget: Some(0),
            idle_in_llc: 1,
            idle_elsewhere: 1,
            not_reached: vec![1, 0],
            forbidden: vec![],
            idle,
        }),
    }];
    w
}

/// Power10: an LLC of 4 threads, budget 2, the scan wraps from CPU 94 to CPU 88.
pub(crate) fn power10() -> World {
    let mut w = World::new(preset(Preset::Power10));
    let j = w.row('J', "db2", 330, true);
    let p = w.row('P', "producer", 1, false);
    let q = w.row('Q', "consumer", 1, false);
    w.run(p, 92);
    for (i, cpu) in [88, 90, 94].into_iter().enumerate() {
        w.run(j + 55 + 3 * i as u32, cpu);
    }
    w.fill(j + 66, 39, 11, &[88, 90, 92, 94]);
    let idle = w.idle();
    w.land(q, 92, false);
    let checks = vec![
        check(
            "Waker's CPU or prev: which is the target?",
            "target CPU 92",
            Mark::Plain,
            "wake_affine()",
            vec![],
        ),
        check(
            "Is target CPU 92 idle?",
            "busy: P",
            Mark::Busy,
            "available_idle_cpu(92)",
            vec![probe("target", 92, false)],
        ),
        check(
            "Is prev CPU 90 idle, same LLC?",
            "busy: J59",
            Mark::Busy,
            "cpus_share_cache(90, 92)",
            vec![probe("prev", 90, false)],
        ),
        check(
            "Is recently used CPU 88 idle?",
            "busy: J56",
            Mark::Busy,
            "p->recent_used_cpu",
            vec![probe("recent", 88, false)],
        ),
        check(
            "Scan for an idle CPU from CPU 94, wrapping",
            "2 of 2",
            Mark::Plain,
            "__select_idle_cpu()",
            vec![probe("scan", 94, false), probe("scan", 88, false)],
        ),
        check(
            "Scan budget spent",
            "stay on CPU 92",
            Mark::Chosen,
            "sd_share->nr_idle_scan = 2",
            vec![],
        ),
    ];
    let elsewhere = idle.iter().filter(|&&idle| idle).count() as u32;
    w.moment.decisions = vec![Decision {
        cpu: 92,
        kind: DecisionKind::Placement,
        task: Some(q),
        heading: "Q stays on target CPU 92".into(),
        sentence: "The scan may check 2 CPUs in this LLC, and all of them were busy.".into(),
        cause: "P on CPU 92 wakes Q".into(),
        checks,
        picture: Picture::Place(PlacePicture {
            wakee: q,
            waker: Some(p),
            this_cpu: 92,
            prev_cpu: 90,
            target: 92,
            recent: Some(88),
            chosen: 92,
            branch: "fallback_target".into(),
            scan_exit: "limit".into(),
            llc: 22,
            budget: Some(2),
            idle_in_llc: 0,
            idle_elsewhere: elsewhere,
            not_reached: vec![90, 92],
            forbidden: vec![],
            idle,
        }),
    }];
    w
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

/// As `zen3`, with the waker and the previous CPU in other LLCs, and half of the machine forbidden.
pub(crate) fn zen3_far() -> World {
    let mut w = zen3();
    if let Picture::Place(place) = &mut w.moment.decisions[0].picture {
        place.this_cpu = 203;
        place.prev_cpu = 7;
        place.recent = Some(140);
        place.forbidden = (64..128).collect();
    }
    w
}

fn group(span: &str, kind: &str, figures: [u32; 3], local: bool, chosen: bool) -> GroupView {
    let [nr_running, idle_cpus, load] = figures;
    GroupView {
        span: span.into(),
        kind: kind.into(),
        nr_running,
        idle_cpus,
        load: u64::from(load),
        util: u64::from(load) * 9 / 10,
        local,
        chosen,
    }
}

/// A fork on Zen 3: from the sockets down to a core.
pub(crate) fn fork() -> World {
    let mut w = zen3();
    let spare = "has_spare";
    let levels = vec![
        GroupLevel {
            domain: "NUMA".into(),
            groups: vec![
                group("0-63,128-191", spare, [70, 60, 61_204], true, false),
                group("64-127,192-255", spare, [44, 86, 41_822], false, true),
            ],
        },
        GroupLevel {
            domain: "NUMA".into(),
            groups: vec![
                group("64-79,192-207", spare, [14, 18, 12_100], false, false),
                group("80-95,208-223", spare, [9, 24, 8_700], false, true),
                group("96-111,224-239", spare, [11, 21, 10_032], false, false),
                group("112-127,240-255", spare, [10, 23, 9_410], false, false),
            ],
        },
        GroupLevel {
            domain: "NODE".into(),
            groups: vec![
                group("80-87,208-215", spare, [6, 10, 6_000], false, false),
                group("88-95,216-223", spare, [3, 14, 2_700], false, true),
            ],
        },
        GroupLevel {
            domain: "MC".into(),
            groups: (0..8)
                .map(|i| {
                    let span = format!("{},{}", 88 + i, 216 + i);
                    let idle = if i < 2 { 1 } else { 2 };
                    group(&span, spare, [2 - idle, idle, 900 * (2 - idle)], false, i == 2)
                })
                .collect(),
        },
    ];
    let checks = (0..5)
        .map(|i| {
            let result = if i == 4 { Mark::Chosen } else { Mark::Plain };
            check(
                "Which group is the idlest?",
                "",
                result,
                "sched_balance_find_dst_group()",
                vec![],
            )
        })
        .collect();
    let task = w.moment.decisions[0].task;
    w.moment.decisions = vec![Decision {
        cpu: 33,
        kind: DecisionKind::ForkPlacement,
        task,
        heading: "Q starts on CPU 90".into(),
        sentence: String::new(),
        cause: "P forks Q on CPU 33".into(),
        checks,
        picture: Picture::Groups(GroupsPicture {
            levels,
            this_cpu: 33,
            chosen: Some(90),
            moved: vec![],
        }),
    }];
    w
}

/// A balance pass on Zen 3: the LLC of CPU 33 is the busiest, CPU 40 pulls two tasks.
pub(crate) fn balance() -> World {
    let mut w = zen3();
    let j = 2;
    w.moment.decisions = vec![Decision {
        cpu: 40,
        kind: DecisionKind::Balance,
        task: None,
        heading: "CPU 40 pulls 2 tasks".into(),
        sentence: String::new(),
        cause: "CPU 40 goes idle".into(),
        checks: vec![check(
            "Which group is the busiest?",
            "",
            Mark::Chosen,
            "find_busiest_group()",
            vec![],
        )],
        picture: Picture::Groups(GroupsPicture {
            levels: vec![GroupLevel {
                domain: "NODE".into(),
                groups: vec![
                    group("32-39,160-167", "overloaded", [22, 1, 21_880], false, true),
                    group("40-47,168-175", "has_spare", [5, 11, 4_820], true, false),
                ],
            }],
            this_cpu: 40,
            chosen: Some(36),
            moved: vec![j, j + 7],
        }),
    }];
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
