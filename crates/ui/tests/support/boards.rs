//! The placements of the design board.

use schedscope_session::update::{Decision, DecisionKind, Mark, Picture, PlacePicture};
use schedscope_sim::machines::Machine as Preset;

use super::{World, check, preset, probe};

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
