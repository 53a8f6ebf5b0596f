//! Lessons: what is read from the Markdown, and what is wrong with it.

use expect_test::{Expect, expect};
use proptest::prelude::*;
use schedscope_scenario::{Lesson, lessons};

#[track_caller]
fn check(text: &str, expect: Expect) {
    let found = match Lesson::from_markdown(text) {
        Ok(lesson) => {
            let mut text = format!("{}\n{}\n", lesson.title, lesson.about);
            for step in lesson.steps {
                text += &format!("## {} (line {})\n{}\n", step.heading, step.line, step.text);
                text += &format!("{:?} {:?} {:?}\n", step.goto, step.focus, step.tab);
                text += &format!("{:?} notes {:?}\n", step.question, step.notes);
                for expected in step.expect {
                    text += &format!("{}: {}\n", expected.line, expected.claim);
                }
            }
            text
        }
        Err(problems) => problems.iter().map(|problem| format!("{problem}\n")).collect(),
    };
    expect.assert_eq(&found);
}

#[test]
fn parts() {
    check(
        r#"# Title

Some *prose*.

More.

```toml scenario
schedscope = 1
[[task]]
name = "A"
count = 3
program = ["loop", "run 1ms", "end"]
```

After the scenario.

## First

Look.

```goto
time 30ms
next pick of A#2 on cpu 0
cpu 3
tab tree
```

And `code`:

```c
int x;
```

```expect
// the second
A#2 lag -20ms
cpu 0 idle
```

## Second

```question
How many
threads?
answer: number 2
because: It is so.
wrong 3: No.
```

```notes
Wait for it.
```

## Third

```question
Which?
- one
- [x] two
```
"#,
        expect![[r#"
            Title
            Some *prose*.

            More.

            After the scenario.
            ## First (line 17)
            Look.

            And `code`:

            ```c
            int x;
            ```
            [Time(30000000), Next(Stop { stride: Pick, of: Some(TaskName { row: "A", instance: 2 }), on: Some(0) })] Some(3) Some(Tree)
            None notes ""
            36: A#2 lag -20ms
            37: cpu 0 idle
            ## Second (line 40)

            [] None None
            Some(Question { prompt: "How many threads?", answer: Number(Amount { value: 2, precision: 1, time: false }), because: "It is so.", wrong: [("3", "No.")] }) notes "Wait for it."
            ## Third (line 54)

            [] None None
            Some(Question { prompt: "Which?", answer: Choice { options: ["one", "two"], right: 1 }, because: "", wrong: [] }) notes ""
        "#]],
    );
}

const KERNELS: &str = r#"# Title

```toml
schedscope = 1
[kernel]
preset = "2.6.36"
hz = 250
features = { START_DEBIT = false }
[[task]]
name = "A"
program = ["loop", "run 1ms", "end"]
```

## Own

```goto
time 1ms
```

## Newer

```goto
kernel 6.12
placement 6.1
feature RUN_TO_PARITY off
time 2ms
```

## Later

```goto
next pick
```

## Own again

```goto
kernel own
```
"#;

#[test]
fn steps_name_kernels() {
    let lesson = Lesson::from_markdown(KERNELS).expect("a lesson");
    let kernel = |step| lesson.document_at(step).kernel;
    assert_eq!(kernel(0), lesson.document.kernel);
    assert_eq!((kernel(1).preset.as_str(), kernel(1).hz), ("6.12", Some(250)));
    assert_eq!(kernel(1).features, [("RUN_TO_PARITY".to_string(), false)]);
    assert_eq!(kernel(1).placement.as_deref(), Some("6.1"));
    assert_eq!((kernel(2), kernel(3)), (kernel(1), kernel(0)));
    let elsewhere = KERNELS.replace("kernel own", "kernel own\nmachine cpu4\ngovernor hwp");
    let document = Lesson::from_markdown(&elsewhere).expect("a lesson").document_at(3);
    assert_eq!(document.topology().expect("a machine").len(), 4);
    assert_eq!(document.kernel.clock.governor.as_deref(), Some("hwp"));
    // A run of its own begins at its start.
    let lengths = [0, 1, 2, 3].map(|step| lesson.way_to(step).len());
    assert_eq!(lengths, [1, 1, 2, 0]);
}

#[test]
fn kernels_that_cannot_be() {
    let text = KERNELS
        .replace("kernel own", "next pick\nkernel own\nkernel 6.13\nfeature LOTTERY on\nfeature");
    check(
        &text.replace("feature RUN_TO_PARITY off", "feature START_DEBIT off"),
        expect![[r#"
            line 20: lesson: the kernel 6.12 has no feature START_DEBIT.
            line 39: lesson: what changes the kernel or the machine starts the run again, so it stands before the moves.
            line 40: lesson: there is no kernel "6.13"; did you mean "6.1"?
            line 41: lesson: there is no feature "LOTTERY"; there are PLACE_LAG, PLACE_DEADLINE_INITIAL, PLACE_REL_DEADLINE, RUN_TO_PARITY, PREEMPT_SHORT, DELAY_DEQUEUE, DELAY_ZERO, START_DEBIT, START_NICE, GENTLE_FAIR_SLEEPERS, LAST_BUDDY, ALT_PERIOD and 19 more.
            line 42: lesson: write it as "kernel 6.1", "kernel own", "placement 4.19", "feature START_DEBIT off", "machine cpu1" or "governor hwp".
        "#]],
    );
}

#[test]
fn problems_come_all_at_once() {
    check(
        r#"Prose without a title.

```goto
start
```

```toml
schedscope = 1
[[task]]
name = "A"
program = ["loop", "run 1ms", "end"]
```

## Step

```goto
times 30ms
next pik
next pick by A
tab metric
cpu 16
```

```expct
x
```

```question
answer: task B
- [x] one
```

```expect
B lag 3ms
A lag 3
A#2 eligible
cpu 99 idle
```

## Long

one two three four five six seven eight nine ten one two three four five six seven eight nine ten
one two three four five six seven eight nine ten one two three four five six seven eight nine ten
one two three four five six seven eight nine ten one two three four five six seven eight nine ten
one

```toml
schedscope = 1
```

```question
What?
```
"#,
        expect![[r###"
            line 1: lesson: it has no title; begin it with a line such as "# Who runs next?".
            line 3: lesson: "goto" belongs into a step, under a line "## …".
            line 14: lesson: the machine has no CPU 16; it has CPUs 0-15.
            line 17: lesson: "times 30ms" leads nowhere; write "start", "end", "step 12", "time 30ms", "next pick of B on cpu 0", "kernel 6.1", "cpu 0" or "tab pick".
            line 18: lesson: there is nothing called "pik" to stop at; did you mean "pick"?
            line 19: lesson: write it as "next pick", "next pick of B" or "next pick of B on cpu 0".
            line 20: lesson: there is no tab "metric"; did you mean "metrics"?
            line 24: lesson: there is no fence "expct"; did you mean "expect"?
            line 28: lesson: this question asks nothing; begin it with what is asked.
            line 28: lesson: it has options and an answer; keep one of the two.
            line 34: lesson: the scenario has no task "B"; did you mean "A"?
            line 35: lesson: "3" is not how lag is written; write it as in -20ms.
            line 36: lesson: the scenario has 1 of the task "A".
            line 37: lesson: the machine has no CPU 99; it has CPUs 0-15.
            line 40: lesson: this step has 61 words; the most is 60, so that it can be read beside the picture.
            line 47: lesson: the scenario stands before the first step.
            line 51: lesson: this question has no answer; add "answer: task B", "answer: cpu 3", "answer: number 20ms", or options of which one begins "- [x]".
        "###]],
    );
    check(
        "# Title\n\n```toml\nschedscope = 1\nend = 3\n```\n",
        expect![[r#"
        line 5: end: write a unit, and in quotes, such as "3ms".
    "#]],
    );
    check(
        "# Title\n",
        expect![[r#"
        line 1: lesson: it has no scenario; add one between ```toml and ```.
    "#]],
    );
    check(
        "# Title\n```toml\nschedscope = 1\n",
        expect![[r#"
        line 1: lesson: it has no scenario; add one between ```toml and ```.
        line 2: lesson: this fence is not closed; add a line "```".
    "#]],
    );
    check(
        "",
        expect![[r##"
        line 1: lesson: it has no title; begin it with a line such as "# Who runs next?".
        line 1: lesson: it has no scenario; add one between ```toml and ```.
    "##]],
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nearly_right_lessons_never_panic(
        entry in prop::sample::select(lessons().to_vec()),
        edits in prop::collection::vec(
            (
                any::<prop::sample::Index>(),
                0..9_usize,
                prop::sample::select(vec![
                    "", "```", "\n", "## ", "# ", "```goto\n", "```expect\n", "#9", "é", "cpu 9999",
                    "99999999999999999999ms", "answer: number -", "- [x]", "of", "on",
                ]),
            ),
            1..6,
        ),
    ) {
        let mut chars: Vec<char> = entry.text.chars().collect();
        for (at, cut, piece) in edits {
            let at = at.index(chars.len());
            let end = (at + cut).min(chars.len());
            chars.splice(at..end, piece.chars());
        }
        let text: String = chars.into_iter().collect();
        match Lesson::from_markdown(&text) {
            Ok(lesson) => prop_assert!(lesson.document.setup().is_ok()),
            Err(problems) => prop_assert!(!problems.is_empty()),
        }
    }
}
