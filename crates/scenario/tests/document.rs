//! Documents: read, written, packed, built; what is wrong with them is said with its line.

use expect_test::{Expect, expect};
use schedscope_scenario::Document;

fn read(text: &str) -> Document {
    Document::from_toml(text).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

#[track_caller]
fn check_problems(text: &str, expect: Expect) {
    let problems = Document::from_toml(text).expect_err("there are problems");
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    expect.assert_eq(&lines.join("\n"));
}

#[track_caller]
fn check_normal(text: &str, expect: Expect) {
    let document = read(text);
    let normal = document.to_toml();
    expect.assert_eq(&normal);
    assert_eq!(read(&normal), document);
    assert_eq!(Document::unpack(&document.pack()), Ok(document));
}

const EVERYTHING: &str = r#"
schedscope = 1
title = "A waker on another LLC"
about = """
Two paragraphs with "quotes".

And a \\ backslash.
"""
machine = "zen3-nps4"
kernel = { preset = "6.12", base_slice = "30ms", hz = 250, features = { RUN_TO_PARITY = false, PLACE_LAG = true }, costs = { context_switch = "1us" } }
seed = 7
end = "200 ms"

[[task]]
name = "editor"
nice = -5
latency_nice = 3
slice = "0.5ms"
affinity = "0-15,128-143"
cpu = 3
at = "2ms"
program = ["loop", "  run 1ms", "  sleep 2ms..4ms", "  wake pipe", "end"]

[[task]]
name = "worker"
letter = "H"
count = 4
cpu = "4-7"
every = "10us"
muted = true
program = """
loop
  wait pipe   // until the editor says so
  run ~1ms
  loop 3
    run 1us
    fork child#
  end
end
"""

[[task]]
name = "child"
count = 4
start = "fork"
program = "run 20us"

[[input]]
after = 37
nice = { task = "editor", to = -10 }
[[input]]
after = 40
affinity = { task = "worker#2", to = "5" }
[[input]]
after = 41
slice = { task = 12, to = "default" }
[[input]]
after = 41
spawn = { task = "child", cpu = 9 }
[[input]]
after = 50
kill = { task = "worker" }
"#;

#[test]
fn normal_form() {
    check_normal(EVERYTHING, expect![[r#"
        schedscope = 1
        title = "A waker on another LLC"
        about = """
        Two paragraphs with \"quotes\".

        And a \\ backslash.
        """
        machine = "zen3-nps4"
        seed = 7
        end = "200ms"

        [kernel]
        preset = "6.12"
        base_slice = "30ms"
        hz = 250
        features = { RUN_TO_PARITY = false }
        costs = { context_switch = "1us" }

        [[task]]
        name = "editor"
        nice = -5
        latency_nice = 3
        slice = "500us"
        affinity = "0-15,128-143"
        cpu = 3
        at = "2ms"
        program = """
        loop
          run 1ms
          sleep 2ms..4ms
          wake pipe
        end
        """

        [[task]]
        name = "worker"
        letter = "H"
        count = 4
        cpu = "4-7"
        every = "10us"
        muted = true
        program = """
        loop
          wait pipe
          run ~1ms
          loop 3
            run 1us
            fork child#
          end
        end
        """

        [[task]]
        name = "child"
        count = 4
        start = "fork"
        program = """
        run 20us
        """

        [[input]]
        after = 37
        nice = { task = "editor", to = -10 }

        [[input]]
        after = 40
        affinity = { task = "worker#2", to = "5" }

        [[input]]
        after = 41
        slice = { task = 12, to = "default" }

        [[input]]
        after = 41
        spawn = { task = "child", cpu = 9 }

        [[input]]
        after = 50
        kill = { task = "worker" }
    "#]]);
    check_normal("schedscope = 1", expect![[r#"
        schedscope = 1
        machine = "desktop16"
        kernel = "6.12"
    "#]]);
}

#[test]
fn built() {
    let built = read(EVERYTHING).setup().expect("runs");
    expect![[r#"
        Built {
            setup: Setup {
                topology: Topology {
                    name: "zen3-nps4",
                    cpus: [
                        Cpu {
                            core: CoreId(
                                0,
                            ),
                            cluster: None,
                            llc: LlcId(
                                0,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                1,
                            ),
                            cluster: None,
                            llc: LlcId(
                                0,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                2,
                            ),
                            cluster: None,
                            llc: LlcId(
                                0,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                3,
                            ),
                            cluster: None,
                            llc: LlcId(
                                0,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                4,
                            ),
                            cluster: None,
                            llc: LlcId(
                                0,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                5,
                            ),
                            cluster: None,
                            llc: LlcId(
                                0,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                6,
                            ),
                            cluster: None,
                            llc: LlcId(
                                0,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                7,
                            ),
                            cluster: None,
                            llc: LlcId(
                                0,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                8,
                            ),
                            cluster: None,
                            llc: LlcId(
                                1,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                9,
                            ),
                            cluster: None,
                            llc: LlcId(
                                1,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                10,
                            ),
                            cluster: None,
                            llc: LlcId(
                                1,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                11,
                            ),
                            cluster: None,
                            llc: LlcId(
                                1,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                12,
                            ),
                            cluster: None,
                            llc: LlcId(
                                1,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                13,
                            ),
                            cluster: None,
                            llc: LlcId(
                                1,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                14,
                            ),
                            cluster: None,
                            llc: LlcId(
                                1,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                15,
                            ),
                            cluster: None,
                            llc: LlcId(
                                1,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                16,
                            ),
                            cluster: None,
                            llc: LlcId(
                                2,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                17,
                            ),
                            cluster: None,
                            llc: LlcId(
                                2,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                18,
                            ),
                            cluster: None,
                            llc: LlcId(
                                2,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                19,
                            ),
                            cluster: None,
                            llc: LlcId(
                                2,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                20,
                            ),
                            cluster: None,
                            llc: LlcId(
                                2,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                21,
                            ),
                            cluster: None,
                            llc: LlcId(
                                2,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                22,
                            ),
                            cluster: None,
                            llc: LlcId(
                                2,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                23,
                            ),
                            cluster: None,
                            llc: LlcId(
                                2,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                24,
                            ),
                            cluster: None,
                            llc: LlcId(
                                3,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                25,
                            ),
                            cluster: None,
                            llc: LlcId(
                                3,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                26,
                            ),
                            cluster: None,
                            llc: LlcId(
                                3,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                27,
                            ),
                            cluster: None,
                            llc: LlcId(
                                3,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                28,
                            ),
                            cluster: None,
                            llc: LlcId(
                                3,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                29,
                            ),
                            cluster: None,
                            llc: LlcId(
                                3,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                30,
                            ),
                            cluster: None,
                            llc: LlcId(
                                3,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                31,
                            ),
                            cluster: None,
                            llc: LlcId(
                                3,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                32,
                            ),
                            cluster: None,
                            llc: LlcId(
                                4,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                33,
                            ),
                            cluster: None,
                            llc: LlcId(
                                4,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                34,
                            ),
                            cluster: None,
                            llc: LlcId(
                                4,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                35,
                            ),
                            cluster: None,
                            llc: LlcId(
                                4,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                36,
                            ),
                            cluster: None,
                            llc: LlcId(
                                4,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                37,
                            ),
                            cluster: None,
                            llc: LlcId(
                                4,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                38,
                            ),
                            cluster: None,
                            llc: LlcId(
                                4,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                39,
                            ),
                            cluster: None,
                            llc: LlcId(
                                4,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                40,
                            ),
                            cluster: None,
                            llc: LlcId(
                                5,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                41,
                            ),
                            cluster: None,
                            llc: LlcId(
                                5,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                42,
                            ),
                            cluster: None,
                            llc: LlcId(
                                5,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                43,
                            ),
                            cluster: None,
                            llc: LlcId(
                                5,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                44,
                            ),
                            cluster: None,
                            llc: LlcId(
                                5,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                45,
                            ),
                            cluster: None,
                            llc: LlcId(
                                5,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                46,
                            ),
                            cluster: None,
                            llc: LlcId(
                                5,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                47,
                            ),
                            cluster: None,
                            llc: LlcId(
                                5,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                48,
                            ),
                            cluster: None,
                            llc: LlcId(
                                6,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                49,
                            ),
                            cluster: None,
                            llc: LlcId(
                                6,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                50,
                            ),
                            cluster: None,
                            llc: LlcId(
                                6,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                51,
                            ),
                            cluster: None,
                            llc: LlcId(
                                6,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                52,
                            ),
                            cluster: None,
                            llc: LlcId(
                                6,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                53,
                            ),
                            cluster: None,
                            llc: LlcId(
                                6,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                54,
                            ),
                            cluster: None,
                            llc: LlcId(
                                6,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                55,
                            ),
                            cluster: None,
                            llc: LlcId(
                                6,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                56,
                            ),
                            cluster: None,
                            llc: LlcId(
                                7,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                57,
                            ),
                            cluster: None,
                            llc: LlcId(
                                7,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                58,
                            ),
                            cluster: None,
                            llc: LlcId(
                                7,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                59,
                            ),
                            cluster: None,
                            llc: LlcId(
                                7,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                60,
                            ),
                            cluster: None,
                            llc: LlcId(
                                7,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                61,
                            ),
                            cluster: None,
                            llc: LlcId(
                                7,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                62,
                            ),
                            cluster: None,
                            llc: LlcId(
                                7,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                63,
                            ),
                            cluster: None,
                            llc: LlcId(
                                7,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                64,
                            ),
                            cluster: None,
                            llc: LlcId(
                                8,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                65,
                            ),
                            cluster: None,
                            llc: LlcId(
                                8,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                66,
                            ),
                            cluster: None,
                            llc: LlcId(
                                8,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                67,
                            ),
                            cluster: None,
                            llc: LlcId(
                                8,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                68,
                            ),
                            cluster: None,
                            llc: LlcId(
                                8,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                69,
                            ),
                            cluster: None,
                            llc: LlcId(
                                8,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                70,
                            ),
                            cluster: None,
                            llc: LlcId(
                                8,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                71,
                            ),
                            cluster: None,
                            llc: LlcId(
                                8,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                72,
                            ),
                            cluster: None,
                            llc: LlcId(
                                9,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                73,
                            ),
                            cluster: None,
                            llc: LlcId(
                                9,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                74,
                            ),
                            cluster: None,
                            llc: LlcId(
                                9,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                75,
                            ),
                            cluster: None,
                            llc: LlcId(
                                9,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                76,
                            ),
                            cluster: None,
                            llc: LlcId(
                                9,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                77,
                            ),
                            cluster: None,
                            llc: LlcId(
                                9,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                78,
                            ),
                            cluster: None,
                            llc: LlcId(
                                9,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                79,
                            ),
                            cluster: None,
                            llc: LlcId(
                                9,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                80,
                            ),
                            cluster: None,
                            llc: LlcId(
                                10,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                81,
                            ),
                            cluster: None,
                            llc: LlcId(
                                10,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                82,
                            ),
                            cluster: None,
                            llc: LlcId(
                                10,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                83,
                            ),
                            cluster: None,
                            llc: LlcId(
                                10,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                84,
                            ),
                            cluster: None,
                            llc: LlcId(
                                10,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                85,
                            ),
                            cluster: None,
                            llc: LlcId(
                                10,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                86,
                            ),
                            cluster: None,
                            llc: LlcId(
                                10,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                87,
                            ),
                            cluster: None,
                            llc: LlcId(
                                10,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                88,
                            ),
                            cluster: None,
                            llc: LlcId(
                                11,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                89,
                            ),
                            cluster: None,
                            llc: LlcId(
                                11,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                90,
                            ),
                            cluster: None,
                            llc: LlcId(
                                11,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                91,
                            ),
                            cluster: None,
                            llc: LlcId(
                                11,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                92,
                            ),
                            cluster: None,
                            llc: LlcId(
                                11,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                93,
                            ),
                            cluster: None,
                            llc: LlcId(
                                11,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                94,
                            ),
                            cluster: None,
                            llc: LlcId(
                                11,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                95,
                            ),
                            cluster: None,
                            llc: LlcId(
                                11,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                96,
                            ),
                            cluster: None,
                            llc: LlcId(
                                12,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                97,
                            ),
                            cluster: None,
                            llc: LlcId(
                                12,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                98,
                            ),
                            cluster: None,
                            llc: LlcId(
                                12,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                99,
                            ),
                            cluster: None,
                            llc: LlcId(
                                12,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                100,
                            ),
                            cluster: None,
                            llc: LlcId(
                                12,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                101,
                            ),
                            cluster: None,
                            llc: LlcId(
                                12,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                102,
                            ),
                            cluster: None,
                            llc: LlcId(
                                12,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                103,
                            ),
                            cluster: None,
                            llc: LlcId(
                                12,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                104,
                            ),
                            cluster: None,
                            llc: LlcId(
                                13,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                105,
                            ),
                            cluster: None,
                            llc: LlcId(
                                13,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                106,
                            ),
                            cluster: None,
                            llc: LlcId(
                                13,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                107,
                            ),
                            cluster: None,
                            llc: LlcId(
                                13,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                108,
                            ),
                            cluster: None,
                            llc: LlcId(
                                13,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                109,
                            ),
                            cluster: None,
                            llc: LlcId(
                                13,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                110,
                            ),
                            cluster: None,
                            llc: LlcId(
                                13,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                111,
                            ),
                            cluster: None,
                            llc: LlcId(
                                13,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                112,
                            ),
                            cluster: None,
                            llc: LlcId(
                                14,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                113,
                            ),
                            cluster: None,
                            llc: LlcId(
                                14,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                114,
                            ),
                            cluster: None,
                            llc: LlcId(
                                14,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                115,
                            ),
                            cluster: None,
                            llc: LlcId(
                                14,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                116,
                            ),
                            cluster: None,
                            llc: LlcId(
                                14,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                117,
                            ),
                            cluster: None,
                            llc: LlcId(
                                14,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                118,
                            ),
                            cluster: None,
                            llc: LlcId(
                                14,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                119,
                            ),
                            cluster: None,
                            llc: LlcId(
                                14,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                120,
                            ),
                            cluster: None,
                            llc: LlcId(
                                15,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                121,
                            ),
                            cluster: None,
                            llc: LlcId(
                                15,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                122,
                            ),
                            cluster: None,
                            llc: LlcId(
                                15,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                123,
                            ),
                            cluster: None,
                            llc: LlcId(
                                15,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                124,
                            ),
                            cluster: None,
                            llc: LlcId(
                                15,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                125,
                            ),
                            cluster: None,
                            llc: LlcId(
                                15,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                126,
                            ),
                            cluster: None,
                            llc: LlcId(
                                15,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                127,
                            ),
                            cluster: None,
                            llc: LlcId(
                                15,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                0,
                            ),
                            cluster: None,
                            llc: LlcId(
                                0,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                1,
                            ),
                            cluster: None,
                            llc: LlcId(
                                0,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                2,
                            ),
                            cluster: None,
                            llc: LlcId(
                                0,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                3,
                            ),
                            cluster: None,
                            llc: LlcId(
                                0,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                4,
                            ),
                            cluster: None,
                            llc: LlcId(
                                0,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                5,
                            ),
                            cluster: None,
                            llc: LlcId(
                                0,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                6,
                            ),
                            cluster: None,
                            llc: LlcId(
                                0,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                7,
                            ),
                            cluster: None,
                            llc: LlcId(
                                0,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                8,
                            ),
                            cluster: None,
                            llc: LlcId(
                                1,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                9,
                            ),
                            cluster: None,
                            llc: LlcId(
                                1,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                10,
                            ),
                            cluster: None,
                            llc: LlcId(
                                1,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                11,
                            ),
                            cluster: None,
                            llc: LlcId(
                                1,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                12,
                            ),
                            cluster: None,
                            llc: LlcId(
                                1,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                13,
                            ),
                            cluster: None,
                            llc: LlcId(
                                1,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                14,
                            ),
                            cluster: None,
                            llc: LlcId(
                                1,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                15,
                            ),
                            cluster: None,
                            llc: LlcId(
                                1,
                            ),
                            coregroup: None,
                            node: NodeId(
                                0,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                16,
                            ),
                            cluster: None,
                            llc: LlcId(
                                2,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                17,
                            ),
                            cluster: None,
                            llc: LlcId(
                                2,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                18,
                            ),
                            cluster: None,
                            llc: LlcId(
                                2,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                19,
                            ),
                            cluster: None,
                            llc: LlcId(
                                2,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                20,
                            ),
                            cluster: None,
                            llc: LlcId(
                                2,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                21,
                            ),
                            cluster: None,
                            llc: LlcId(
                                2,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                22,
                            ),
                            cluster: None,
                            llc: LlcId(
                                2,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                23,
                            ),
                            cluster: None,
                            llc: LlcId(
                                2,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                24,
                            ),
                            cluster: None,
                            llc: LlcId(
                                3,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                25,
                            ),
                            cluster: None,
                            llc: LlcId(
                                3,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                26,
                            ),
                            cluster: None,
                            llc: LlcId(
                                3,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                27,
                            ),
                            cluster: None,
                            llc: LlcId(
                                3,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                28,
                            ),
                            cluster: None,
                            llc: LlcId(
                                3,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                29,
                            ),
                            cluster: None,
                            llc: LlcId(
                                3,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                30,
                            ),
                            cluster: None,
                            llc: LlcId(
                                3,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                31,
                            ),
                            cluster: None,
                            llc: LlcId(
                                3,
                            ),
                            coregroup: None,
                            node: NodeId(
                                1,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                32,
                            ),
                            cluster: None,
                            llc: LlcId(
                                4,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                33,
                            ),
                            cluster: None,
                            llc: LlcId(
                                4,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                34,
                            ),
                            cluster: None,
                            llc: LlcId(
                                4,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                35,
                            ),
                            cluster: None,
                            llc: LlcId(
                                4,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                36,
                            ),
                            cluster: None,
                            llc: LlcId(
                                4,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                37,
                            ),
                            cluster: None,
                            llc: LlcId(
                                4,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                38,
                            ),
                            cluster: None,
                            llc: LlcId(
                                4,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                39,
                            ),
                            cluster: None,
                            llc: LlcId(
                                4,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                40,
                            ),
                            cluster: None,
                            llc: LlcId(
                                5,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                41,
                            ),
                            cluster: None,
                            llc: LlcId(
                                5,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                42,
                            ),
                            cluster: None,
                            llc: LlcId(
                                5,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                43,
                            ),
                            cluster: None,
                            llc: LlcId(
                                5,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                44,
                            ),
                            cluster: None,
                            llc: LlcId(
                                5,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                45,
                            ),
                            cluster: None,
                            llc: LlcId(
                                5,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                46,
                            ),
                            cluster: None,
                            llc: LlcId(
                                5,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                47,
                            ),
                            cluster: None,
                            llc: LlcId(
                                5,
                            ),
                            coregroup: None,
                            node: NodeId(
                                2,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                48,
                            ),
                            cluster: None,
                            llc: LlcId(
                                6,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                49,
                            ),
                            cluster: None,
                            llc: LlcId(
                                6,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                50,
                            ),
                            cluster: None,
                            llc: LlcId(
                                6,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                51,
                            ),
                            cluster: None,
                            llc: LlcId(
                                6,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                52,
                            ),
                            cluster: None,
                            llc: LlcId(
                                6,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                53,
                            ),
                            cluster: None,
                            llc: LlcId(
                                6,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                54,
                            ),
                            cluster: None,
                            llc: LlcId(
                                6,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                55,
                            ),
                            cluster: None,
                            llc: LlcId(
                                6,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                56,
                            ),
                            cluster: None,
                            llc: LlcId(
                                7,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                57,
                            ),
                            cluster: None,
                            llc: LlcId(
                                7,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                58,
                            ),
                            cluster: None,
                            llc: LlcId(
                                7,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                59,
                            ),
                            cluster: None,
                            llc: LlcId(
                                7,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                60,
                            ),
                            cluster: None,
                            llc: LlcId(
                                7,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                61,
                            ),
                            cluster: None,
                            llc: LlcId(
                                7,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                62,
                            ),
                            cluster: None,
                            llc: LlcId(
                                7,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                63,
                            ),
                            cluster: None,
                            llc: LlcId(
                                7,
                            ),
                            coregroup: None,
                            node: NodeId(
                                3,
                            ),
                            package: PackageId(
                                0,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                64,
                            ),
                            cluster: None,
                            llc: LlcId(
                                8,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                65,
                            ),
                            cluster: None,
                            llc: LlcId(
                                8,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                66,
                            ),
                            cluster: None,
                            llc: LlcId(
                                8,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                67,
                            ),
                            cluster: None,
                            llc: LlcId(
                                8,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                68,
                            ),
                            cluster: None,
                            llc: LlcId(
                                8,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                69,
                            ),
                            cluster: None,
                            llc: LlcId(
                                8,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                70,
                            ),
                            cluster: None,
                            llc: LlcId(
                                8,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                71,
                            ),
                            cluster: None,
                            llc: LlcId(
                                8,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                72,
                            ),
                            cluster: None,
                            llc: LlcId(
                                9,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                73,
                            ),
                            cluster: None,
                            llc: LlcId(
                                9,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                74,
                            ),
                            cluster: None,
                            llc: LlcId(
                                9,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                75,
                            ),
                            cluster: None,
                            llc: LlcId(
                                9,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                76,
                            ),
                            cluster: None,
                            llc: LlcId(
                                9,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                77,
                            ),
                            cluster: None,
                            llc: LlcId(
                                9,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                78,
                            ),
                            cluster: None,
                            llc: LlcId(
                                9,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                79,
                            ),
                            cluster: None,
                            llc: LlcId(
                                9,
                            ),
                            coregroup: None,
                            node: NodeId(
                                4,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                80,
                            ),
                            cluster: None,
                            llc: LlcId(
                                10,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                81,
                            ),
                            cluster: None,
                            llc: LlcId(
                                10,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                82,
                            ),
                            cluster: None,
                            llc: LlcId(
                                10,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                83,
                            ),
                            cluster: None,
                            llc: LlcId(
                                10,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                84,
                            ),
                            cluster: None,
                            llc: LlcId(
                                10,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                85,
                            ),
                            cluster: None,
                            llc: LlcId(
                                10,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                86,
                            ),
                            cluster: None,
                            llc: LlcId(
                                10,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                87,
                            ),
                            cluster: None,
                            llc: LlcId(
                                10,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                88,
                            ),
                            cluster: None,
                            llc: LlcId(
                                11,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                89,
                            ),
                            cluster: None,
                            llc: LlcId(
                                11,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                90,
                            ),
                            cluster: None,
                            llc: LlcId(
                                11,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                91,
                            ),
                            cluster: None,
                            llc: LlcId(
                                11,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                92,
                            ),
                            cluster: None,
                            llc: LlcId(
                                11,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                93,
                            ),
                            cluster: None,
                            llc: LlcId(
                                11,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                94,
                            ),
                            cluster: None,
                            llc: LlcId(
                                11,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                95,
                            ),
                            cluster: None,
                            llc: LlcId(
                                11,
                            ),
                            coregroup: None,
                            node: NodeId(
                                5,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                96,
                            ),
                            cluster: None,
                            llc: LlcId(
                                12,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                97,
                            ),
                            cluster: None,
                            llc: LlcId(
                                12,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                98,
                            ),
                            cluster: None,
                            llc: LlcId(
                                12,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                99,
                            ),
                            cluster: None,
                            llc: LlcId(
                                12,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                100,
                            ),
                            cluster: None,
                            llc: LlcId(
                                12,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                101,
                            ),
                            cluster: None,
                            llc: LlcId(
                                12,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                102,
                            ),
                            cluster: None,
                            llc: LlcId(
                                12,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                103,
                            ),
                            cluster: None,
                            llc: LlcId(
                                12,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                104,
                            ),
                            cluster: None,
                            llc: LlcId(
                                13,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                105,
                            ),
                            cluster: None,
                            llc: LlcId(
                                13,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                106,
                            ),
                            cluster: None,
                            llc: LlcId(
                                13,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                107,
                            ),
                            cluster: None,
                            llc: LlcId(
                                13,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                108,
                            ),
                            cluster: None,
                            llc: LlcId(
                                13,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                109,
                            ),
                            cluster: None,
                            llc: LlcId(
                                13,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                110,
                            ),
                            cluster: None,
                            llc: LlcId(
                                13,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                111,
                            ),
                            cluster: None,
                            llc: LlcId(
                                13,
                            ),
                            coregroup: None,
                            node: NodeId(
                                6,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                112,
                            ),
                            cluster: None,
                            llc: LlcId(
                                14,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                113,
                            ),
                            cluster: None,
                            llc: LlcId(
                                14,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                114,
                            ),
                            cluster: None,
                            llc: LlcId(
                                14,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                115,
                            ),
                            cluster: None,
                            llc: LlcId(
                                14,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                116,
                            ),
                            cluster: None,
                            llc: LlcId(
                                14,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                117,
                            ),
                            cluster: None,
                            llc: LlcId(
                                14,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                118,
                            ),
                            cluster: None,
                            llc: LlcId(
                                14,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                119,
                            ),
                            cluster: None,
                            llc: LlcId(
                                14,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                120,
                            ),
                            cluster: None,
                            llc: LlcId(
                                15,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                121,
                            ),
                            cluster: None,
                            llc: LlcId(
                                15,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                122,
                            ),
                            cluster: None,
                            llc: LlcId(
                                15,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                123,
                            ),
                            cluster: None,
                            llc: LlcId(
                                15,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                124,
                            ),
                            cluster: None,
                            llc: LlcId(
                                15,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                125,
                            ),
                            cluster: None,
                            llc: LlcId(
                                15,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                126,
                            ),
                            cluster: None,
                            llc: LlcId(
                                15,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                        Cpu {
                            core: CoreId(
                                127,
                            ),
                            cluster: None,
                            llc: LlcId(
                                15,
                            ),
                            coregroup: None,
                            node: NodeId(
                                7,
                            ),
                            package: PackageId(
                                1,
                            ),
                        },
                    ],
                    cores: [
                        {
                            0,
                            128,
                        },
                        {
                            1,
                            129,
                        },
                        {
                            2,
                            130,
                        },
                        {
                            3,
                            131,
                        },
                        {
                            4,
                            132,
                        },
                        {
                            5,
                            133,
                        },
                        {
                            6,
                            134,
                        },
                        {
                            7,
                            135,
                        },
                        {
                            8,
                            136,
                        },
                        {
                            9,
                            137,
                        },
                        {
                            10,
                            138,
                        },
                        {
                            11,
                            139,
                        },
                        {
                            12,
                            140,
                        },
                        {
                            13,
                            141,
                        },
                        {
                            14,
                            142,
                        },
                        {
                            15,
                            143,
                        },
                        {
                            16,
                            144,
                        },
                        {
                            17,
                            145,
                        },
                        {
                            18,
                            146,
                        },
                        {
                            19,
                            147,
                        },
                        {
                            20,
                            148,
                        },
                        {
                            21,
                            149,
                        },
                        {
                            22,
                            150,
                        },
                        {
                            23,
                            151,
                        },
                        {
                            24,
                            152,
                        },
                        {
                            25,
                            153,
                        },
                        {
                            26,
                            154,
                        },
                        {
                            27,
                            155,
                        },
                        {
                            28,
                            156,
                        },
                        {
                            29,
                            157,
                        },
                        {
                            30,
                            158,
                        },
                        {
                            31,
                            159,
                        },
                        {
                            32,
                            160,
                        },
                        {
                            33,
                            161,
                        },
                        {
                            34,
                            162,
                        },
                        {
                            35,
                            163,
                        },
                        {
                            36,
                            164,
                        },
                        {
                            37,
                            165,
                        },
                        {
                            38,
                            166,
                        },
                        {
                            39,
                            167,
                        },
                        {
                            40,
                            168,
                        },
                        {
                            41,
                            169,
                        },
                        {
                            42,
                            170,
                        },
                        {
                            43,
                            171,
                        },
                        {
                            44,
                            172,
                        },
                        {
                            45,
                            173,
                        },
                        {
                            46,
                            174,
                        },
                        {
                            47,
                            175,
                        },
                        {
                            48,
                            176,
                        },
                        {
                            49,
                            177,
                        },
                        {
                            50,
                            178,
                        },
                        {
                            51,
                            179,
                        },
                        {
                            52,
                            180,
                        },
                        {
                            53,
                            181,
                        },
                        {
                            54,
                            182,
                        },
                        {
                            55,
                            183,
                        },
                        {
                            56,
                            184,
                        },
                        {
                            57,
                            185,
                        },
                        {
                            58,
                            186,
                        },
                        {
                            59,
                            187,
                        },
                        {
                            60,
                            188,
                        },
                        {
                            61,
                            189,
                        },
                        {
                            62,
                            190,
                        },
                        {
                            63,
                            191,
                        },
                        {
                            64,
                            192,
                        },
                        {
                            65,
                            193,
                        },
                        {
                            66,
                            194,
                        },
                        {
                            67,
                            195,
                        },
                        {
                            68,
                            196,
                        },
                        {
                            69,
                            197,
                        },
                        {
                            70,
                            198,
                        },
                        {
                            71,
                            199,
                        },
                        {
                            72,
                            200,
                        },
                        {
                            73,
                            201,
                        },
                        {
                            74,
                            202,
                        },
                        {
                            75,
                            203,
                        },
                        {
                            76,
                            204,
                        },
                        {
                            77,
                            205,
                        },
                        {
                            78,
                            206,
                        },
                        {
                            79,
                            207,
                        },
                        {
                            80,
                            208,
                        },
                        {
                            81,
                            209,
                        },
                        {
                            82,
                            210,
                        },
                        {
                            83,
                            211,
                        },
                        {
                            84,
                            212,
                        },
                        {
                            85,
                            213,
                        },
                        {
                            86,
                            214,
                        },
                        {
                            87,
                            215,
                        },
                        {
                            88,
                            216,
                        },
                        {
                            89,
                            217,
                        },
                        {
                            90,
                            218,
                        },
                        {
                            91,
                            219,
                        },
                        {
                            92,
                            220,
                        },
                        {
                            93,
                            221,
                        },
                        {
                            94,
                            222,
                        },
                        {
                            95,
                            223,
                        },
                        {
                            96,
                            224,
                        },
                        {
                            97,
                            225,
                        },
                        {
                            98,
                            226,
                        },
                        {
                            99,
                            227,
                        },
                        {
                            100,
                            228,
                        },
                        {
                            101,
                            229,
                        },
                        {
                            102,
                            230,
                        },
                        {
                            103,
                            231,
                        },
                        {
                            104,
                            232,
                        },
                        {
                            105,
                            233,
                        },
                        {
                            106,
                            234,
                        },
                        {
                            107,
                            235,
                        },
                        {
                            108,
                            236,
                        },
                        {
                            109,
                            237,
                        },
                        {
                            110,
                            238,
                        },
                        {
                            111,
                            239,
                        },
                        {
                            112,
                            240,
                        },
                        {
                            113,
                            241,
                        },
                        {
                            114,
                            242,
                        },
                        {
                            115,
                            243,
                        },
                        {
                            116,
                            244,
                        },
                        {
                            117,
                            245,
                        },
                        {
                            118,
                            246,
                        },
                        {
                            119,
                            247,
                        },
                        {
                            120,
                            248,
                        },
                        {
                            121,
                            249,
                        },
                        {
                            122,
                            250,
                        },
                        {
                            123,
                            251,
                        },
                        {
                            124,
                            252,
                        },
                        {
                            125,
                            253,
                        },
                        {
                            126,
                            254,
                        },
                        {
                            127,
                            255,
                        },
                    ],
                    clusters: [],
                    llcs: [
                        {
                            0,
                            1,
                            2,
                            3,
                            4,
                            5,
                            6,
                            7,
                            128,
                            129,
                            130,
                            131,
                            132,
                            133,
                            134,
                            135,
                        },
                        {
                            8,
                            9,
                            10,
                            11,
                            12,
                            13,
                            14,
                            15,
                            136,
                            137,
                            138,
                            139,
                            140,
                            141,
                            142,
                            143,
                        },
                        {
                            16,
                            17,
                            18,
                            19,
                            20,
                            21,
                            22,
                            23,
                            144,
                            145,
                            146,
                            147,
                            148,
                            149,
                            150,
                            151,
                        },
                        {
                            24,
                            25,
                            26,
                            27,
                            28,
                            29,
                            30,
                            31,
                            152,
                            153,
                            154,
                            155,
                            156,
                            157,
                            158,
                            159,
                        },
                        {
                            32,
                            33,
                            34,
                            35,
                            36,
                            37,
                            38,
                            39,
                            160,
                            161,
                            162,
                            163,
                            164,
                            165,
                            166,
                            167,
                        },
                        {
                            40,
                            41,
                            42,
                            43,
                            44,
                            45,
                            46,
                            47,
                            168,
                            169,
                            170,
                            171,
                            172,
                            173,
                            174,
                            175,
                        },
                        {
                            48,
                            49,
                            50,
                            51,
                            52,
                            53,
                            54,
                            55,
                            176,
                            177,
                            178,
                            179,
                            180,
                            181,
                            182,
                            183,
                        },
                        {
                            56,
                            57,
                            58,
                            59,
                            60,
                            61,
                            62,
                            63,
                            184,
                            185,
                            186,
                            187,
                            188,
                            189,
                            190,
                            191,
                        },
                        {
                            64,
                            65,
                            66,
                            67,
                            68,
                            69,
                            70,
                            71,
                            192,
                            193,
                            194,
                            195,
                            196,
                            197,
                            198,
                            199,
                        },
                        {
                            72,
                            73,
                            74,
                            75,
                            76,
                            77,
                            78,
                            79,
                            200,
                            201,
                            202,
                            203,
                            204,
                            205,
                            206,
                            207,
                        },
                        {
                            80,
                            81,
                            82,
                            83,
                            84,
                            85,
                            86,
                            87,
                            208,
                            209,
                            210,
                            211,
                            212,
                            213,
                            214,
                            215,
                        },
                        {
                            88,
                            89,
                            90,
                            91,
                            92,
                            93,
                            94,
                            95,
                            216,
                            217,
                            218,
                            219,
                            220,
                            221,
                            222,
                            223,
                        },
                        {
                            96,
                            97,
                            98,
                            99,
                            100,
                            101,
                            102,
                            103,
                            224,
                            225,
                            226,
                            227,
                            228,
                            229,
                            230,
                            231,
                        },
                        {
                            104,
                            105,
                            106,
                            107,
                            108,
                            109,
                            110,
                            111,
                            232,
                            233,
                            234,
                            235,
                            236,
                            237,
                            238,
                            239,
                        },
                        {
                            112,
                            113,
                            114,
                            115,
                            116,
                            117,
                            118,
                            119,
                            240,
                            241,
                            242,
                            243,
                            244,
                            245,
                            246,
                            247,
                        },
                        {
                            120,
                            121,
                            122,
                            123,
                            124,
                            125,
                            126,
                            127,
                            248,
                            249,
                            250,
                            251,
                            252,
                            253,
                            254,
                            255,
                        },
                    ],
                    coregroups: [],
                    nodes: [
                        {
                            0,
                            1,
                            2,
                            3,
                            4,
                            5,
                            6,
                            7,
                            8,
                            9,
                            10,
                            11,
                            12,
                            13,
                            14,
                            15,
                            128,
                            129,
                            130,
                            131,
                            132,
                            133,
                            134,
                            135,
                            136,
                            137,
                            138,
                            139,
                            140,
                            141,
                            142,
                            143,
                        },
                        {
                            16,
                            17,
                            18,
                            19,
                            20,
                            21,
                            22,
                            23,
                            24,
                            25,
                            26,
                            27,
                            28,
                            29,
                            30,
                            31,
                            144,
                            145,
                            146,
                            147,
                            148,
                            149,
                            150,
                            151,
                            152,
                            153,
                            154,
                            155,
                            156,
                            157,
                            158,
                            159,
                        },
                        {
                            32,
                            33,
                            34,
                            35,
                            36,
                            37,
                            38,
                            39,
                            40,
                            41,
                            42,
                            43,
                            44,
                            45,
                            46,
                            47,
                            160,
                            161,
                            162,
                            163,
                            164,
                            165,
                            166,
                            167,
                            168,
                            169,
                            170,
                            171,
                            172,
                            173,
                            174,
                            175,
                        },
                        {
                            48,
                            49,
                            50,
                            51,
                            52,
                            53,
                            54,
                            55,
                            56,
                            57,
                            58,
                            59,
                            60,
                            61,
                            62,
                            63,
                            176,
                            177,
                            178,
                            179,
                            180,
                            181,
                            182,
                            183,
                            184,
                            185,
                            186,
                            187,
                            188,
                            189,
                            190,
                            191,
                        },
                        {
                            64,
                            65,
                            66,
                            67,
                            68,
                            69,
                            70,
                            71,
                            72,
                            73,
                            74,
                            75,
                            76,
                            77,
                            78,
                            79,
                            192,
                            193,
                            194,
                            195,
                            196,
                            197,
                            198,
                            199,
                            200,
                            201,
                            202,
                            203,
                            204,
                            205,
                            206,
                            207,
                        },
                        {
                            80,
                            81,
                            82,
                            83,
                            84,
                            85,
                            86,
                            87,
                            88,
                            89,
                            90,
                            91,
                            92,
                            93,
                            94,
                            95,
                            208,
                            209,
                            210,
                            211,
                            212,
                            213,
                            214,
                            215,
                            216,
                            217,
                            218,
                            219,
                            220,
                            221,
                            222,
                            223,
                        },
                        {
                            96,
                            97,
                            98,
                            99,
                            100,
                            101,
                            102,
                            103,
                            104,
                            105,
                            106,
                            107,
                            108,
                            109,
                            110,
                            111,
                            224,
                            225,
                            226,
                            227,
                            228,
                            229,
                            230,
                            231,
                            232,
                            233,
                            234,
                            235,
                            236,
                            237,
                            238,
                            239,
                        },
                        {
                            112,
                            113,
                            114,
                            115,
                            116,
                            117,
                            118,
                            119,
                            120,
                            121,
                            122,
                            123,
                            124,
                            125,
                            126,
                            127,
                            240,
                            241,
                            242,
                            243,
                            244,
                            245,
                            246,
                            247,
                            248,
                            249,
                            250,
                            251,
                            252,
                            253,
                            254,
                            255,
                        },
                    ],
                    packages: [
                        {
                            0,
                            1,
                            2,
                            3,
                            4,
                            5,
                            6,
                            7,
                            8,
                            9,
                            10,
                            11,
                            12,
                            13,
                            14,
                            15,
                            16,
                            17,
                            18,
                            19,
                            20,
                            21,
                            22,
                            23,
                            24,
                            25,
                            26,
                            27,
                            28,
                            29,
                            30,
                            31,
                            32,
                            33,
                            34,
                            35,
                            36,
                            37,
                            38,
                            39,
                            40,
                            41,
                            42,
                            43,
                            44,
                            45,
                            46,
                            47,
                            48,
                            49,
                            50,
                            51,
                            52,
                            53,
                            54,
                            55,
                            56,
                            57,
                            58,
                            59,
                            60,
                            61,
                            62,
                            63,
                            128,
                            129,
                            130,
                            131,
                            132,
                            133,
                            134,
                            135,
                            136,
                            137,
                            138,
                            139,
                            140,
                            141,
                            142,
                            143,
                            144,
                            145,
                            146,
                            147,
                            148,
                            149,
                            150,
                            151,
                            152,
                            153,
                            154,
                            155,
                            156,
                            157,
                            158,
                            159,
                            160,
                            161,
                            162,
                            163,
                            164,
                            165,
                            166,
                            167,
                            168,
                            169,
                            170,
                            171,
                            172,
                            173,
                            174,
                            175,
                            176,
                            177,
                            178,
                            179,
                            180,
                            181,
                            182,
                            183,
                            184,
                            185,
                            186,
                            187,
                            188,
                            189,
                            190,
                            191,
                        },
                        {
                            64,
                            65,
                            66,
                            67,
                            68,
                            69,
                            70,
                            71,
                            72,
                            73,
                            74,
                            75,
                            76,
                            77,
                            78,
                            79,
                            80,
                            81,
                            82,
                            83,
                            84,
                            85,
                            86,
                            87,
                            88,
                            89,
                            90,
                            91,
                            92,
                            93,
                            94,
                            95,
                            96,
                            97,
                            98,
                            99,
                            100,
                            101,
                            102,
                            103,
                            104,
                            105,
                            106,
                            107,
                            108,
                            109,
                            110,
                            111,
                            112,
                            113,
                            114,
                            115,
                            116,
                            117,
                            118,
                            119,
                            120,
                            121,
                            122,
                            123,
                            124,
                            125,
                            126,
                            127,
                            192,
                            193,
                            194,
                            195,
                            196,
                            197,
                            198,
                            199,
                            200,
                            201,
                            202,
                            203,
                            204,
                            205,
                            206,
                            207,
                            208,
                            209,
                            210,
                            211,
                            212,
                            213,
                            214,
                            215,
                            216,
                            217,
                            218,
                            219,
                            220,
                            221,
                            222,
                            223,
                            224,
                            225,
                            226,
                            227,
                            228,
                            229,
                            230,
                            231,
                            232,
                            233,
                            234,
                            235,
                            236,
                            237,
                            238,
                            239,
                            240,
                            241,
                            242,
                            243,
                            244,
                            245,
                            246,
                            247,
                            248,
                            249,
                            250,
                            251,
                            252,
                            253,
                            254,
                            255,
                        },
                    ],
                    distances: [
                        10,
                        12,
                        12,
                        12,
                        32,
                        32,
                        32,
                        32,
                        12,
                        10,
                        12,
                        12,
                        32,
                        32,
                        32,
                        32,
                        12,
                        12,
                        10,
                        12,
                        32,
                        32,
                        32,
                        32,
                        12,
                        12,
                        12,
                        10,
                        32,
                        32,
                        32,
                        32,
                        32,
                        32,
                        32,
                        32,
                        10,
                        12,
                        12,
                        12,
                        32,
                        32,
                        32,
                        32,
                        12,
                        10,
                        12,
                        12,
                        32,
                        32,
                        32,
                        32,
                        12,
                        12,
                        10,
                        12,
                        32,
                        32,
                        32,
                        32,
                        12,
                        12,
                        12,
                        10,
                    ],
                    reclaim_distance: 30,
                    node_reclaim_distance: 32,
                    smt: true,
                    numa_in_package: true,
                },
                kernel: Kernel {
                    fair: Eevdf6_12,
                    place: V6_12,
                    features: Features(
                        16247,
                    ),
                    base_slice: Span(
                        30000000,
                    ),
                    cfs: CfsTunables {
                        latency: Span(
                            24000000,
                        ),
                        min_granularity: Span(
                            3000000,
                        ),
                        wakeup_granularity: Span(
                            4000000,
                        ),
                        nr_latency: 8,
                        child_runs_first: false,
                        compat_yield: false,
                        gentle_fair_sleepers: true,
                        start_debit: true,
                        last_buddy: true,
                        base_slice: true,
                    },
                    hz: 250,
                    group_sched: true,
                    latency_nice: Absent,
                    costs: Costs {
                        context_switch: Span(
                            1000,
                        ),
                        wake_ipi: Span(
                            0,
                        ),
                        wakeup: Span(
                            0,
                        ),
                        migrate_llc: Span(
                            0,
                        ),
                    },
                    frequency: Frequency {
                        governor: Performance,
                        min_khz: 800000,
                        max_khz: 3500000,
                    },
                },
                tasks: [
                    TaskSpec {
                        nice: Nice(
                            -5,
                        ),
                        latency_nice: LatencyNice(
                            3,
                        ),
                        slice: Some(
                            Span(
                                500000,
                            ),
                        ),
                        affinity: Some(
                            {
                                0,
                                1,
                                2,
                                3,
                                4,
                                5,
                                6,
                                7,
                                8,
                                9,
                                10,
                                11,
                                12,
                                13,
                                14,
                                15,
                                128,
                                129,
                                130,
                                131,
                                132,
                                133,
                                134,
                                135,
                                136,
                                137,
                                138,
                                139,
                                140,
                                141,
                                142,
                                143,
                            },
                        ),
                        start: Some(
                            Start {
                                at: Time(
                                    2000000,
                                ),
                                cpu: Some(
                                    CpuId(
                                        3,
                                    ),
                                ),
                            },
                        ),
                        per_cpu_kthread: false,
                        program: Program {
                            ops: [
                                Run(
                                    Fixed(
                                        Span(
                                            1000000,
                                        ),
                                    ),
                                ),
                                Sleep(
                                    Uniform {
                                        lo: Span(
                                            2000000,
                                        ),
                                        hi: Span(
                                            4000000,
                                        ),
                                    },
                                ),
                                Wake {
                                    channel: ChannelId(
                                        0,
                                    ),
                                    count: 1,
                                    sync: false,
                                },
                                Repeat {
                                    to: 0,
                                    times: None,
                                    slot: 0,
                                },
                            ],
                        },
                    },
                    TaskSpec {
                        nice: Nice(
                            0,
                        ),
                        latency_nice: LatencyNice(
                            0,
                        ),
                        slice: None,
                        affinity: None,
                        start: Some(
                            Start {
                                at: Time(
                                    0,
                                ),
                                cpu: Some(
                                    CpuId(
                                        4,
                                    ),
                                ),
                            },
                        ),
                        per_cpu_kthread: false,
                        program: Program {
                            ops: [
                                Wait(
                                    ChannelId(
                                        0,
                                    ),
                                ),
                                Run(
                                    Exponential {
                                        mean: Span(
                                            1000000,
                                        ),
                                    },
                                ),
                                Run(
                                    Fixed(
                                        Span(
                                            1000,
                                        ),
                                    ),
                                ),
                                Fork(
                                    SpecId(
                                        5,
                                    ),
                                ),
                                Repeat {
                                    to: 2,
                                    times: Some(
                                        2,
                                    ),
                                    slot: 0,
                                },
                                Repeat {
                                    to: 0,
                                    times: None,
                                    slot: 0,
                                },
                            ],
                        },
                    },
                    TaskSpec {
                        nice: Nice(
                            0,
                        ),
                        latency_nice: LatencyNice(
                            0,
                        ),
                        slice: None,
                        affinity: None,
                        start: Some(
                            Start {
                                at: Time(
                                    10000,
                                ),
                                cpu: Some(
                                    CpuId(
                                        5,
                                    ),
                                ),
                            },
                        ),
                        per_cpu_kthread: false,
                        program: Program {
                            ops: [
                                Wait(
                                    ChannelId(
                                        0,
                                    ),
                                ),
                                Run(
                                    Exponential {
                                        mean: Span(
                                            1000000,
                                        ),
                                    },
                                ),
                                Run(
                                    Fixed(
                                        Span(
                                            1000,
                                        ),
                                    ),
                                ),
                                Fork(
                                    SpecId(
                                        6,
                                    ),
                                ),
                                Repeat {
                                    to: 2,
                                    times: Some(
                                        2,
                                    ),
                                    slot: 0,
                                },
                                Repeat {
                                    to: 0,
                                    times: None,
                                    slot: 0,
                                },
                            ],
                        },
                    },
                    TaskSpec {
                        nice: Nice(
                            0,
                        ),
                        latency_nice: LatencyNice(
                            0,
                        ),
                        slice: None,
                        affinity: None,
                        start: Some(
                            Start {
                                at: Time(
                                    20000,
                                ),
                                cpu: Some(
                                    CpuId(
                                        6,
                                    ),
                                ),
                            },
                        ),
                        per_cpu_kthread: false,
                        program: Program {
                            ops: [
                                Wait(
                                    ChannelId(
                                        0,
                                    ),
                                ),
                                Run(
                                    Exponential {
                                        mean: Span(
                                            1000000,
                                        ),
                                    },
                                ),
                                Run(
                                    Fixed(
                                        Span(
                                            1000,
                                        ),
                                    ),
                                ),
                                Fork(
                                    SpecId(
                                        7,
                                    ),
                                ),
                                Repeat {
                                    to: 2,
                                    times: Some(
                                        2,
                                    ),
                                    slot: 0,
                                },
                                Repeat {
                                    to: 0,
                                    times: None,
                                    slot: 0,
                                },
                            ],
                        },
                    },
                    TaskSpec {
                        nice: Nice(
                            0,
                        ),
                        latency_nice: LatencyNice(
                            0,
                        ),
                        slice: None,
                        affinity: None,
                        start: Some(
                            Start {
                                at: Time(
                                    30000,
                                ),
                                cpu: Some(
                                    CpuId(
                                        7,
                                    ),
                                ),
                            },
                        ),
                        per_cpu_kthread: false,
                        program: Program {
                            ops: [
                                Wait(
                                    ChannelId(
                                        0,
                                    ),
                                ),
                                Run(
                                    Exponential {
                                        mean: Span(
                                            1000000,
                                        ),
                                    },
                                ),
                                Run(
                                    Fixed(
                                        Span(
                                            1000,
                                        ),
                                    ),
                                ),
                                Fork(
                                    SpecId(
                                        8,
                                    ),
                                ),
                                Repeat {
                                    to: 2,
                                    times: Some(
                                        2,
                                    ),
                                    slot: 0,
                                },
                                Repeat {
                                    to: 0,
                                    times: None,
                                    slot: 0,
                                },
                            ],
                        },
                    },
                    TaskSpec {
                        nice: Nice(
                            0,
                        ),
                        latency_nice: LatencyNice(
                            0,
                        ),
                        slice: None,
                        affinity: None,
                        start: None,
                        per_cpu_kthread: false,
                        program: Program {
                            ops: [
                                Run(
                                    Fixed(
                                        Span(
                                            20000,
                                        ),
                                    ),
                                ),
                            ],
                        },
                    },
                    TaskSpec {
                        nice: Nice(
                            0,
                        ),
                        latency_nice: LatencyNice(
                            0,
                        ),
                        slice: None,
                        affinity: None,
                        start: None,
                        per_cpu_kthread: false,
                        program: Program {
                            ops: [
                                Run(
                                    Fixed(
                                        Span(
                                            20000,
                                        ),
                                    ),
                                ),
                            ],
                        },
                    },
                    TaskSpec {
                        nice: Nice(
                            0,
                        ),
                        latency_nice: LatencyNice(
                            0,
                        ),
                        slice: None,
                        affinity: None,
                        start: None,
                        per_cpu_kthread: false,
                        program: Program {
                            ops: [
                                Run(
                                    Fixed(
                                        Span(
                                            20000,
                                        ),
                                    ),
                                ),
                            ],
                        },
                    },
                    TaskSpec {
                        nice: Nice(
                            0,
                        ),
                        latency_nice: LatencyNice(
                            0,
                        ),
                        slice: None,
                        affinity: None,
                        start: None,
                        per_cpu_kthread: false,
                        program: Program {
                            ops: [
                                Run(
                                    Fixed(
                                        Span(
                                            20000,
                                        ),
                                    ),
                                ),
                            ],
                        },
                    },
                ],
                interrupts: [],
                end: Time(
                    200000000,
                ),
                seed: 7,
                inputs: [
                    Input {
                        after_step: 37,
                        edit: Nice(
                            TaskId(
                                0,
                            ),
                            Nice(
                                -10,
                            ),
                        ),
                    },
                    Input {
                        after_step: 40,
                        edit: Affinity(
                            TaskId(
                                2,
                            ),
                            Some(
                                {
                                    5,
                                },
                            ),
                        ),
                    },
                    Input {
                        after_step: 41,
                        edit: Slice(
                            TaskId(
                                12,
                            ),
                            None,
                        ),
                    },
                    Input {
                        after_step: 41,
                        edit: Spawn(
                            SpecId(
                                5,
                            ),
                            Some(
                                CpuId(
                                    9,
                                ),
                            ),
                        ),
                    },
                    Input {
                        after_step: 50,
                        edit: Kill(
                            TaskId(
                                1,
                            ),
                        ),
                    },
                    Input {
                        after_step: 50,
                        edit: Kill(
                            TaskId(
                                2,
                            ),
                        ),
                    },
                    Input {
                        after_step: 50,
                        edit: Kill(
                            TaskId(
                                3,
                            ),
                        ),
                    },
                    Input {
                        after_step: 50,
                        edit: Kill(
                            TaskId(
                                4,
                            ),
                        ),
                    },
                ],
                channels: 1,
            },
            faces: [
                Face {
                    name: "editor",
                    letter: "A",
                    hue: 0,
                    texture: 0,
                    count: 1,
                    muted: false,
                },
                Face {
                    name: "worker",
                    letter: "H",
                    hue: 7,
                    texture: 0,
                    count: 4,
                    muted: true,
                },
                Face {
                    name: "child",
                    letter: "B",
                    hue: 1,
                    texture: 0,
                    count: 4,
                    muted: false,
                },
            ],
            spec_rows: [
                0,
                1,
                1,
                1,
                1,
                2,
                2,
                2,
                2,
            ],
            spec_instances: [
                1,
                1,
                2,
                3,
                4,
                1,
                2,
                3,
                4,
            ],
            started: 5,
            notes: [
                Problem {
                    place: "task.editor.latency_nice",
                    sentence: "Linux 6.12 has no latency-nice, so it has no effect.",
                    line: None,
                },
            ],
        }
    "#]].assert_debug_eq(&built);
}

#[test]
fn problems_come_all_at_once() {
    check_problems(
        r#"schedscop = 1
machine = "zen3-nsp4"
end = 100
kernel = { preset = "6.13", hz = 200, features = { RUN_TO_PARTY = false } }
[[task]]
name = "a"
nice = -21
slcie = "1ms"
slice = "1s"
affinity = "0-300"
program = """
loop
  rum 1ms
end
"""
[[task]]
name = "a"
nice = "low"
affinity = "0-3"
cpu = 7
program = ["loop", "end", "run 3ms..1ms"]
[[task]]
program = ["run 1ms", "fork b"]
[[input]]
nice = { task = "c", to = 1 }
[[input]]
after = 4
nise = { task = "c", to = 1 }
"#,
        expect![[r#"
            line 1: document: there is no key "schedscop" here; did you mean "schedscope"?
            line 1: schedscope: the file does not say which format it has; begin it with "schedscope = 1".
            line 2: machine: there is no machine "zen3-nsp4"; did you mean "zen3-nps4"?
            line 3: end: write a unit, and in quotes, such as "100ms".
            line 4: kernel.hz: hz is one of 100, 250, 300 and 1000.
            line 4: kernel.preset: there is no kernel "6.13"; did you mean "6.12"?
            line 4: kernel.features.RUN_TO_PARTY: there is no feature "RUN_TO_PARTY" in this model; did you mean "RUN_TO_PARITY"?
            line 7: task.a.nice: nice goes from -20 (most weight) to 19 (least).
            line 8: task.a: there is no key "slcie" here; did you mean "slice"?
            line 9: task.a.slice: a slice is 0.1ms to 100ms long.
            line 13: task.a.program: "rum" is no operation; did you mean "run"?
            line 17: task.a.name: task 1 is called "a" already; names are unique.
            line 18: task.a.nice: write a whole number, without quotes.
            line 20: task.a.cpu: it starts on CPU 7, where its affinity 0-3 does not let it run.
            line 21: task.a.program: this range runs backwards; write 1ms..3ms.
            line 22: task 3: it needs a name, such as name = "editor".
            line 23: task 3.program, operation 2: there is no task "b" to fork; did you mean ""?
            line 24: input 1: it needs the step after which it happens, such as after = 37.
            line 26: input 2: it changes nothing; add one of nice, latency_nice, slice, affinity, move, spawn and kill.
            line 28: input 2: there is no key "nise" here; did you mean "nice"?"#]],
    );
}
