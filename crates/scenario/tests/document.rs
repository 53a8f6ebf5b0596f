//! Documents: read, written, packed, built; what is wrong with them is said with its line.

use expect_test::{Expect, expect};
use schedscope_scenario::Document;
use schedscope_scenario::document::Group;

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
colour = 9
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
    check_normal(
        EVERYTHING,
        expect![[r#"
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
        colour = 9
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
    "#]],
    );
    check_normal(
        "schedscope = 1",
        expect![[r#"
        schedscope = 1
        machine = "desktop16"
        kernel = "6.12"
    "#]],
    );
}

#[test]
fn built() {
    let built = read(EVERYTHING).setup().expect("runs");
    let mut text = String::new();
    for (at, spec) in built.setup.tasks.iter().enumerate() {
        let (row, instance) = (built.spec_rows[at], built.spec_instances[at]);
        let start = spec.start.map(|start| (start.at.0, start.cpu.map(|cpu| cpu.0)));
        text += &format!("{row}#{instance} nice {} start {start:?}\n", spec.nice.get());
        if instance == 1 || row == 2 {
            text += &format!("  {:?}\n", spec.program.ops);
        }
    }
    text += &format!("{} started, channels {}\n", built.started, built.setup.channels);
    for input in &built.setup.inputs {
        text += &format!("{} {:?}\n", input.after_step, input.edit);
    }
    for note in &built.notes {
        text += &format!("note {note}\n");
    }
    text += &format!("tasks of worker {:?}\n", built.tasks_of(1));
    expect![[r#"
        0#1 nice -5 start Some((2000000, Some(3)))
          [Run(Fixed(Span(1000000))), Sleep(Uniform { lo: Span(2000000), hi: Span(4000000) }), Wake { channel: ChannelId(0), count: 1, sync: false }, Repeat { to: 0, times: None, slot: 0 }]
        1#1 nice 0 start Some((0, Some(4)))
          [Wait(ChannelId(0)), Run(Exponential { mean: Span(1000000) }), Run(Fixed(Span(1000))), Fork(SpecId(5)), Repeat { to: 2, times: Some(2), slot: 0 }, Repeat { to: 0, times: None, slot: 0 }]
        1#2 nice 0 start Some((10000, Some(5)))
        1#3 nice 0 start Some((20000, Some(6)))
        1#4 nice 0 start Some((30000, Some(7)))
        2#1 nice 0 start None
          [Run(Fixed(Span(20000)))]
        2#2 nice 0 start None
          [Run(Fixed(Span(20000)))]
        2#3 nice 0 start None
          [Run(Fixed(Span(20000)))]
        2#4 nice 0 start None
          [Run(Fixed(Span(20000)))]
        5 started, channels 1
        37 Nice(TaskId(0), Nice(-10))
        40 Affinity(TaskId(2), Some({5}))
        41 Slice(TaskId(12), None)
        41 Spawn(SpecId(5), Some(CpuId(9)))
        50 Kill(TaskId(1))
        50 Kill(TaskId(2))
        50 Kill(TaskId(3))
        50 Kill(TaskId(4))
        note task.editor.latency_nice: Linux 6.12 has no latency-nice, so it has no effect.
        tasks of worker 1..5
    "#]].assert_eq(&text);
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
            line 4: kernel.preset: there is no kernel "6.13"; did you mean "6.1"?
            line 4: kernel.features.RUN_TO_PARTY: there is no feature "RUN_TO_PARTY" in this model; did you mean "RUN_TO_PARITY"?
            line 7: task.a.nice: nice goes from -20 (most weight) to 19 (least).
            line 8: task.a: there is no key "slcie" here; did you mean "slice"?
            line 9: task.a.slice: a slice is 0.1ms to 100ms long.
            line 13: task.a.program: "rum" is no operation; did you mean "run"?
            line 17: task.a.name: task 1 is called "a" already; names are unique.
            line 18: task.a.nice: write a whole number, without quotes.
            line 20: task.a.cpu: it starts on CPU 7, where its affinity 0-3 does not let it run.
            line 21: task.a.program, operation 1: this loop is empty; put a run and a sleep into it.
            line 21: task.a.program, operation 3: this range runs backwards; write 1ms..3ms.
            line 22: task 3: it needs a name, such as name = "editor".
            line 23: task 3.program, operation 2: there is no task "b" to fork; did you mean "a"?
            line 24: input 1: it needs the step after which it happens, such as after = 37.
            line 25: input 1.task: there is no task "c"; did you mean "a"?
            line 26: input 2: it changes nothing; add one of nice, latency_nice, slice, affinity, move, spawn, kill, group, shares and group_latency_nice.
            line 28: input 2: there is no key "nise" here; did you mean "nice"?"#]],
    );
}

#[test]
fn sizes_are_bounded() {
    let long = "run 1us\n".repeat(1_000);
    let many = "[[input]]\nafter = 1\nkill = { task = \"a\" }\n".repeat(100);
    let a = format!("name = \"a\"\ncount = 8000\nprogram = \"\"\"\n{long}\"\"\"\n");
    let b = "name = \"b\"\ncount = 200\n";
    check_problems(
        &format!("schedscope = 1\n[[task]]\n{a}[[task]]\n{b}{many}"),
        expect![[r#"
        line 2: task: there are 8200 tasks; the most is 8192, so lower some count.
        line 5: task.a.program: the programs of all tasks have 8000000 operations; the most is 1000000, so shorten this one or lower its count.
        line 1010: input: the inputs change 800000 tasks in all; the most is 100000."#]],
    );
    let wrong = "[[task]]\nnmae = 1\n".repeat(1_000);
    let problems = Document::from_toml(&format!("schedscope = 1\n{wrong}")).expect_err("wrong");
    assert_eq!(problems.len(), 201);
    assert!(Document::from_toml(&" ".repeat(2 << 20)).is_err());
}

#[test]
fn notes() {
    let text = r#"
schedscope = 1
kernel = "6.6"
end = "10ms"
[[task]]
name = "a"
slice = "1ms"
latency_nice = -3
program = ["wait for-ever", "run 1ms"]
[[task]]
name = "b"
at = "20ms"
program = ["loop", "run 1ms", "wake nobody", "end", "exit"]
[[task]]
name = "c"
start = "fork"
[[task]]
name = "d"
count = 5
every = "3ms"
program = "yield"
"#;
    let built = read(text).setup().expect("runs");
    let notes: Vec<String> = built.notes.iter().map(ToString::to_string).collect();
    expect![[r#"
        task.a.slice: Linux 6.6 has no slice of a task's own, so it has no effect.
        task.a.latency_nice: Linux 6.6 has no latency-nice, so it has no effect.
        task.b.at: it starts after the run's end, 10ms.
        task.b.program, operation 5: the program never gets here.
        task.c.program: it has no program, so it exits as soon as it runs.
        task.d.every: some of its tasks start after the run's end, 10ms.
        task.d.program: it neither runs nor sleeps, so it exits at once.
        task.a.program, operation 1: nothing wakes "for-ever", so whoever waits there waits for ever.
        task.b.program, operation 3: nothing waits for "nobody".
        task.c.start: no task forks it, so it never starts."#]].assert_eq(&notes.join("\n"));
}

#[test]
fn lines_of_programs() {
    check_problems(
        r#"schedscope = 1
[[task]]
name = 'a'
program = """loop
end"""
[[task]]
name = 'b'
program = '''
run 1ms

sleep 1
'''
[[task]]
name = 'c'
program = [
  'run 1ms',
  'sleeep 1ms',
  3,
]
[[task]]
name = 'd'
program = 3
[[task]]
name = 'e'
program = 'wait p#'
[[task]]
name = 'f'
count = 2
program = ['wake p#', 'wake q', 'wait q#', 'fork b#', 'wait q%']
"#,
        expect![[r#"
            line 4: task.a.program, operation 1: this loop is empty; put a run and a sleep into it.
            line 11: task.b.program: "1" needs a unit: ns, us, ms or s.
            line 17: task.c.program: "sleeep" is no operation; did you mean "sleep"?
            line 18: task.c.program: write the operations as one text of several lines, or as a list of texts.
            line 22: task.d.program: write the operations as one text of several lines, or as a list of texts.
            line 29: task.f.program, operation 1: "p#" is one channel for each instance, but "e" has 1 and "f" has 2; give them the same count.
            line 29: task.f.program, operation 5: "q" and "q%" are both used; write one of them everywhere.
            line 29: task.f.program, operation 4: "b#" is one child for each instance, but "f" has 2 and "b" has 1; give them the same count."#]],
    );
}

#[test]
fn kernels() {
    check_problems(
        r#"schedscope = 1
[kernel]
preset = "6.1"
placement = "6.13"
latency = "2s"
governor = "shedutil"
clock = "4 THz"
child_runs_first = 1
features = { START_DEBIT = "no" }
"#,
        expect![[r#"
            line 4: kernel.placement: there is no kernel "6.13"; did you mean "6.1"?
            line 5: kernel.latency: this tunable is 0.1ms to 1s.
            line 6: kernel.governor: there is no governor "shedutil"; did you mean "schedutil"?
            line 7: kernel.clock: write the lowest and the highest clock as in "0.8GHz..3.5GHz".
            line 8: kernel.child_runs_first: write true or false, without quotes.
            line 9: kernel.features.START_DEBIT: write true or false, without quotes."#]],
    );
    check_problems(
        "schedscope = 1\nkernel = { clock = \"3GHz..2GHz\" }\n",
        expect!["line 2: kernel.clock: the lowest clock is above the highest."],
    );
    let turbo = |steps: &str, problems| {
        check_problems(&format!("schedscope = 1\nkernel = {{ turbo = {steps} }}\n"), problems);
    };
    turbo(
        "\"3GHz\"",
        expect![[
            r#"line 2: kernel.turbo: write busy cores and a clock, in 1 to 8 steps, as in { 2 = "3.3GHz" }."#
        ]],
    );
    turbo(
        "{ two = \"3GHz\" }",
        expect![[
            r#"line 2: kernel.turbo: write busy cores and a clock, in 1 to 8 steps, as in { 2 = "3.3GHz" }."#
        ]],
    );
    turbo(
        "{ 0 = \"3GHz\" }",
        expect![[
            r#"line 2: kernel.turbo: write busy cores and a clock, in 1 to 8 steps, as in { 2 = "3.3GHz" }."#
        ]],
    );
    turbo(
        "{ 2 = \"3.6GHz\", 4 = \"3GHz\", 12 = \"3.2GHz\", 16 = \"0.7GHz\" }",
        expect![[r#"
        line 2: kernel.turbo: from 2 cores on the clock is above the highest.
        line 2: kernel.turbo: from 12 cores on the clock is above that of fewer cores.
        line 2: kernel.turbo: from 16 cores on the clock is below the lowest."#]],
    );
    let notes = |kernel: &str| {
        let built = read(&format!("schedscope = 1\nkernel = {kernel}")).setup().expect("runs");
        let notes: Vec<String> = built.notes.iter().map(ToString::to_string).collect();
        notes.join("\n")
    };
    expect![[r#"
        kernel.features.RUN_TO_PARITY: Linux 6.1 has no RUN_TO_PARITY, so it has no effect.
        kernel.base_slice: Linux 6.1 has no base slice, so it has no effect; CFS has latency and min_granularity."#]].assert_eq(&notes(
        r#"{ preset = "6.1", base_slice = "3ms", features = { RUN_TO_PARITY = true } }"#,
    ));
    expect![[r#"
        kernel.features.START_DEBIT: Linux 6.12 has no START_DEBIT, so it has no effect.
        kernel.latency: Linux 6.12 is not CFS, so the tunables of CFS have no effect."#]]
    .assert_eq(&notes(
        r#"{ preset = "6.12", latency = "24ms", features = { START_DEBIT = true } }"#,
    ));
}

#[test]
fn interrupts() {
    check_normal(
        r#"
schedscope = 1
[[interrupt]]
at = "1ms"
every = "1ms..2ms"
cpus = "4-7"
wakes = "disk"
count = 2
[[interrupt]]
every = "~500us"
wakes = "disk"
[[task]]
name = "a"
program = ["loop", "wait disk", "run 1ms", "end"]
"#,
        expect![[r#"
            schedscope = 1
            machine = "desktop16"
            kernel = "6.12"

            [[task]]
            name = "a"
            program = """
            loop
              wait disk
              run 1ms
            end
            """

            [[interrupt]]
            at = "1ms"
            every = "1ms..2ms"
            cpus = "4-7"
            wakes = "disk"
            count = 2

            [[interrupt]]
            every = "~500us"
            cpus = "0"
            wakes = "disk"
        "#]],
    );
    check_problems(
        r#"schedscope = 1
[[interrupt]]
cpus = "99"
wakse = "disk"
[[interrupt]]
every = "100ns"
wakes = "a b"
count = 0
[[interrupt]]
every = "1ms..0.5ms"
wakes = "p"
at = 3
[[task]]
name = "a"
program = "wait p#"
"#,
        expect![[r#"
            line 2: interrupt 1: it needs every, such as every = "1ms..2ms".
            line 2: interrupt 1: it needs wakes, such as wakes = "pipe".
            line 3: interrupt 1.cpus: this machine has no CPU 99; it has CPUs 0-15.
            line 4: interrupt 1: there is no key "wakse" here; did you mean "wakes"?
            line 6: interrupt 2.every: an interrupt comes at most once in 1us.
            line 7: interrupt 2.wakes: "a b" is no name; use letters, digits and - _ . / : + @, without spaces.
            line 8: interrupt 2.count: a wake is for 1 to 8192 waiters.
            line 10: interrupt 3.every: this range runs backwards; write 500us..1ms.
            line 11: interrupt 3.wakes: "p#" is one channel for each instance; an interrupt wakes through one for all.
            line 12: interrupt 3.at: write a unit, and in quotes, such as "3ms"."#]],
    );
    let built = read("schedscope = 1\n[[interrupt]]\nevery = '1ms'\nwakes = 'p'").setup();
    let built = built.expect("runs");
    expect![[r#"[Interrupt { at: Time(0), every: Fixed(Span(1000000)), cpus: {0}, channel: ChannelId(0), count: 1 }] [Problem { place: "interrupt 1.wakes", sentence: "nothing waits for \"p\".", line: None }]"#]].assert_eq(&format!("{:?} {:?}", built.setup.interrupts, built.notes));
}

#[test]
fn forks_without_end() {
    let refused = "task.a.program, operation 1: each \"a\" would fork the next at the same moment, \
                   without end; put a run before the fork.";
    let check = |programs: &[(&str, &str)], expect: Option<&str>| {
        let mut text = "schedscope = 1\n".to_string();
        for (name, program) in programs {
            text += &format!("[[task]]\nname = '{name}'\nprogram = [{program}]\n");
        }
        let problems = Document::from_toml(&text).err().unwrap_or_default();
        let found = problems.first().map(|problem| problem.to_string());
        assert_eq!(found.as_deref().map(|found| found.split_once(": ").unwrap().1), expect);
    };
    check(&[("a", "'fork a', 'sleep 1ms'")], Some(refused));
    check(&[("a", "'run 1ms', 'fork a'")], None);
    let back = "task.b.program, operation 2: each \"a\" would fork the next at the same moment, \
                without end; put a run before the fork.";
    check(&[("a", "'fork b'"), ("b", "'yield', 'fork a'")], Some(back));
    check(&[("a", "'fork b', 'fork b'"), ("b", "'run 1us', 'fork a'")], None);
}

const GROUPS: &str = r#"
schedscope = 1
[[group]]
name = "batch"
shares = 512
latency_nice = 0
[[group]]
name = "web"
latency_nice = -10
[[task]]
name = "build"
group = "batch"
program = "run 1ms"
[[task]]
name = "free"
group = "root"
program = "run 1ms"
[[input]]
after = 3
group = { task = "build", to = "web" }
[[input]]
after = 4
group = { task = "build", to = "root" }
[[input]]
after = 5
shares = { group = "web", to = 2048 }
[[input]]
after = 6
group_latency_nice = { group = "web", to = -20 }
"#;

#[test]
fn groups() {
    check_normal(
        GROUPS,
        expect![[r#"
        schedscope = 1
        machine = "desktop16"
        kernel = "6.12"

        [[group]]
        name = "batch"
        shares = 512

        [[group]]
        name = "web"
        latency_nice = -10

        [[task]]
        name = "build"
        group = "batch"
        program = """
        run 1ms
        """

        [[task]]
        name = "free"
        program = """
        run 1ms
        """

        [[input]]
        after = 3
        group = { task = "build", to = "web" }

        [[input]]
        after = 4
        group = { task = "build", to = "root" }

        [[input]]
        after = 5
        shares = { group = "web", to = 2048 }

        [[input]]
        after = 6
        group_latency_nice = { group = "web", to = -20 }
    "#]],
    );
    let built = read(GROUPS).setup().expect("a setup");
    assert_eq!(built.setup.groups.len(), 2);
    assert_eq!(built.setup.tasks[0].group.map(|group| group.0), Some(0));
    assert_eq!((built.setup.tasks[1].group, built.setup.inputs.len()), (None, 4));
    let notes: Vec<String> = built.notes.iter().map(ToString::to_string).collect();
    let note = "Linux 6.12 has no latency-nice of groups, so it has no effect.";
    assert_eq!(notes, [format!("group.web.latency_nice: {note}")]);
}

#[test]
fn problems_of_groups() {
    check_problems(
        r#"
schedscope = 1
kernel = { preset = "6.12", group_sched = false }
[[group]]
shares = 1
[[group]]
name = "root"
latency_nice = 20
[[group]]
name = "web"
weight = 100
[[group]]
name = "web"
[[task]]
name = "build"
group = "wep"
[[input]]
after = 3
group = { task = "build", to = "batch" }
[[input]]
after = 5
shares = { group = "web", to = 0 }
[[input]]
after = 6
group_latency_nice = { to = -20 }
[[input]]
after = 7
shares = 5
"#,
        expect![[r#"
            line 3: kernel.group_sched: there are groups, so group scheduling is built in; take this out, or the groups.
            line 4: group 1: it needs a name, such as name = "batch".
            line 5: group 1.shares: shares go from 2 to 262144; 1024 weigh as much as a task of nice 0.
            line 7: group.root.name: "root" is the group that all others are in; take another name.
            line 8: group.root.latency_nice: latency_nice goes from -20 (served soonest) to 19 (latest).
            line 11: group.web: there is no key "weight" here; there are name, shares and latency_nice.
            line 13: group.web.name: group 3 is called "web" already; names are unique.
            line 16: task.build.group: there is no group "wep"; did you mean "web"?
            line 19: input 1.group: there is no group "batch"; there are root, web and web.
            line 22: input 2.shares.to: shares go from 2 to 262144; 1024 weigh as much as a task of nice 0.
            line 25: input 3.group_latency_nice: it needs group, as in { group = "batch", to = … }.
            line 28: input 4.shares: write it as { group = "batch", to = … }."#]],
    );
}

#[test]
fn groups_are_renamed_and_taken_away_wherever_they_are_named() {
    let mut document = read(GROUPS);
    document.rename_group(1, "front").expect("a name");
    assert!(document.rename_group(1, "batch").is_err());
    assert!(document.rename_group(1, "root").is_err());
    assert!(document.to_toml().contains("shares = { group = \"front\", to = 2048 }"));
    assert!(!document.to_toml().contains("web"));
    document.remove_group(1);
    assert_eq!(document.inputs.len(), 1, "only the way to the root is left");
    document.remove_group(0);
    assert_eq!(document.rows[0].group, None);
    let name = |document: &mut Document, wish: &str| {
        let group = Group { name: wish.into(), ..Group::default() };
        let at = document.add_group(group);
        document.groups[at].name.clone()
    };
    let names = ["", "", "root", "batch", "batch"].map(|wish| name(&mut document, wish));
    assert_eq!(names, ["group", "group-2", "root-2", "batch", "batch-2"]);
}
