//! Groups compared: a fork and a balance pass.

use schedscope_session::update::{
    Decision, DecisionKind, GroupLevel, GroupView, GroupsPicture, Mark, Picture,
};

use super::{World, check, zen3};

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
