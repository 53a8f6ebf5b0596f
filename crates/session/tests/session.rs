//! The session as the page uses it: load, run, show, edit, go back.

mod support;

use schedscope_session::update::{DecisionKind, Loaded, Moment, Picture, RowMetrics, Window};
use schedscope_session::{Command, Edit, Goto, Session, Stride, Update, Who, wire};
use support::{load, show};

const THREE: &str = r#"
schedscope = 1
title = "Three tasks"
machine = "cpu1"
kernel = "6.12"
end = "60ms"

[[task]]
name = "A"
cpu = 0
program = "loop\nrun 30ms\nend"

[[task]]
name = "B"
cpu = 0
program = "loop\nrun 2ms\nsleep 1ms..3ms\nend"

[[task]]
name = "C"
cpu = 0
nice = 5
slice = "1ms"
program = "loop\nrun 0.4ms\nsleep 2ms\nend"
"#;

fn steps(session: &mut Session) -> u64 {
    match session.handle(Command::Run { steps: 0 }) {
        Update::Advanced(progress) => progress.steps,
        other => panic!("not advanced: {other:?}"),
    }
}

#[test]
fn everything_is_rejected_before_a_load() {
    let mut session = Session::new();
    for command in [
        Command::Run { steps: 1 },
        Command::Show { goto: Goto::End, focus: 9 },
        Command::Metrics { upto: None },
        Command::Edit { step: 3, edit: Edit::Seed(1) },
    ] {
        assert!(matches!(session.handle(command), Update::Rejected(_)));
    }
    let bad = session.handle(Command::Load { text: "machine = 5\nnope = 1".to_owned() });
    let Update::Rejected(problems) = bad else { panic!("{bad:?}") };
    assert!(problems.len() >= 2, "all problems at once: {problems:?}");
    assert!(problems.iter().all(|problem| problem.line.is_some()));
}

#[test]
fn shows_every_step_and_goes_back() {
    let (mut session, loaded) = load(THREE);
    assert_eq!(loaded.rows.len(), 3);
    assert_eq!(loaded.task_rows, [0, 1, 2]);
    let end = show(&mut session, Goto::End);
    assert_eq!(end.step, end.steps);
    assert!(end.steps > 50, "{} steps", end.steps);
    let forward: Vec<Moment> =
        (0..=end.steps).map(|step| show(&mut session, Goto::Step(step))).collect();
    for (step, moment) in forward.iter().enumerate().rev() {
        assert_eq!(moment, &show(&mut session, Goto::Step(step as u64)), "step {step}");
    }
    for moment in &forward {
        assert!(moment.event.ends_with('.'), "{}", moment.event);
        let bytes = wire::encode(&Update::Moment(Box::new(moment.clone())));
        let back = wire::decode::<Update>(&bytes).expect("it was encoded just now");
        assert_eq!(back, Update::Moment(Box::new(moment.clone())));
        for decision in &moment.decisions {
            assert!(decision.sentence.ends_with('.'), "{}", decision.sentence);
            assert!(!decision.checks.is_empty(), "{}", decision.heading);
        }
    }
}

#[test]
fn a_worker_for_each_cpu() {
    let text = r#"
schedscope = 1
machine = "cpu4"
[[task]]
name = "client"
cpu = 2
program = "run 1ms\nwake work%\nwait done"
[[task]]
name = "worker"
count = 4
cpu = "0-3"
kthread = true
program = "loop\nwait work%\nrun 1ms\nwake done\nend"
"#;
    let (mut session, _) = load(text);
    let moment = show(&mut session, Goto::Time(1_500_000));
    assert_eq!(moment.rows[1].affinity, "0-3");
    // The client's work is done by the worker of its CPU: the third.
    let runs: Vec<_> = moment.cpus.iter().map(|cpu| cpu.curr).collect();
    assert_eq!(runs, [None, None, Some(3), None]);
}

#[test]
fn strides() {
    let (mut session, _) = load(THREE);
    let first = show(&mut session, Goto::Next(Stride::Kind(DecisionKind::Pick), 0));
    assert!(first.decisions.iter().any(|d| d.kind == DecisionKind::Pick));
    let tick = show(&mut session, Goto::Next(Stride::Tick, first.step));
    assert!(tick.event.starts_with("The tick"), "{}", tick.event);
    let back = show(&mut session, Goto::Previous(Stride::Kind(DecisionKind::Pick), tick.step));
    assert!(back.step < tick.step);
    let at = show(&mut session, Goto::Time(10_000_000));
    assert!(at.now <= 10_000_000);
    let next = show(&mut session, Goto::Step(at.step + 1));
    assert!(next.now > 10_000_000);
    let switch = show(&mut session, Goto::Next(Stride::Switch(0), at.step));
    assert!(switch.step > at.step);
}

#[test]
fn an_edit_in_the_past_forks_and_says_so() {
    let (mut session, _) = load(THREE);
    let end = show(&mut session, Goto::End);
    let before = show(&mut session, Goto::Step(40));
    let update = session.handle(Command::Edit { step: 40, edit: Edit::Nice(Who::Task(0), 10) });
    let Update::Edited(edited) = update else { panic!("{update:?}") };
    assert!(edited.forked);
    assert!(edited.done.contains("what came after is gone"), "{}", edited.done);
    assert_eq!(steps(&mut session), 41);
    let again = show(&mut session, Goto::Step(40));
    assert_eq!(again.tasks, before.tasks);
    let after = show(&mut session, Goto::Step(41));
    assert_eq!(after.tasks[0].nice, 10);
    assert_eq!(after.event, "The nice of A becomes 10.");
    let other = show(&mut session, Goto::End);
    assert_ne!(other.tasks, end.tasks);
    // The document alone makes the same run.
    let (mut fresh, _) = load(&edited.loaded.text);
    assert_eq!(show(&mut fresh, Goto::End), other);
    let Update::Loaded(_) =
        fresh.handle(Command::LoadPacked { packed: edited.loaded.packed.clone() })
    else {
        panic!("a packed document loads")
    };
    assert_eq!(show(&mut fresh, Goto::End), other);
}

#[test]
fn structural_edits_start_again() {
    let (mut session, _) = load(THREE);
    show(&mut session, Goto::End);
    for edit in [
        Edit::Kernel("6.6".to_owned()),
        Edit::Machine("desktop16".to_owned()),
        Edit::Feature("RUN_TO_PARITY".to_owned(), false),
        Edit::Seed(7),
        Edit::Program(2, "run 5ms".to_owned()),
    ] {
        let update = session.handle(Command::Edit { step: 9, edit });
        assert!(matches!(update, Update::Edited(_)), "{update:?}");
        assert_eq!(steps(&mut session), 0);
    }
    for edit in [
        Edit::Kernel("5.x".to_owned()),
        Edit::Machine("toaster".to_owned()),
        Edit::Affinity(Who::Row(0), "99".to_owned()),
        Edit::Nice(Who::Row(77), 3),
        Edit::Nice(Who::Task(77), 3),
        Edit::Program(0, "jump".to_owned()),
        Edit::Nice(Who::Row(0), 99),
        Edit::Move(Who::Row(0), 999),
        Edit::Add("nonsense".to_owned(), None),
    ] {
        for step in [0, 5] {
            let update = session.handle(Command::Edit { step, edit: edit.clone() });
            assert!(matches!(update, Update::Rejected(_)), "{edit:?}: {update:?}");
        }
    }
}

#[test]
fn rows_come_and_go_during_the_run() {
    let (mut session, _) = load(THREE);
    show(&mut session, Goto::Step(20));
    let add = Edit::Add("name = \"D\"\nprogram = \"run 5ms\"\ncount = 2".to_owned(), Some(0));
    let update = session.handle(Command::Edit { step: 20, edit: add });
    let Update::Edited(edited) = update else { panic!("{update:?}") };
    assert_eq!(edited.loaded.rows.len(), 4);
    let moment = show(&mut session, Goto::Step(22));
    assert_eq!(moment.tasks.len(), 5);
    let update = session.handle(Command::Edit { step: 30, edit: Edit::Remove(1) });
    assert!(matches!(update, Update::Edited(_)), "{update:?}");
    let moment = show(&mut session, Goto::Step(31));
    assert_eq!(moment.event, "B is ended.");
    let end = show(&mut session, Goto::End);
    assert_eq!(end.tasks[1].ran, moment.tasks[1].ran);
}

#[test]
fn the_window_is_what_the_moments_say() {
    let (mut session, _) = load(THREE);
    let end = show(&mut session, Goto::End);
    let window = |session: &mut Session, from, to, columns| -> Window {
        let lanes = vec![0];
        match session.handle(Command::Window { from, to, columns, lanes, heat: true }) {
            Update::Window(window) => *window,
            other => panic!("{other:?}"),
        }
    };
    let whole = window(&mut session, 0, 60_000_000, 4000);
    let mut ran = [0; 3];
    for bar in &whole.lanes[0].bars {
        ran[bar.task as usize] += bar.to - bar.from;
    }
    for (task, ran) in ran.iter().enumerate() {
        // The last run goes on to the end of the run.
        assert!(ran.abs_diff(end.tasks[task].ran) <= 60_000_000 - end.now, "task {task}");
    }
    assert!(whole.lanes[0].bars.windows(2).all(|pair| pair[0].to <= pair[1].from));
    let coarse = window(&mut session, 0, 60_000_000, 10);
    assert!(coarse.lanes[0].bars.len() <= 40);
    assert_eq!(coarse.heat.len(), 1);
    assert!(coarse.heat[0].iter().all(|&share| share == 255), "{:?}", coarse.heat);
    assert!(whole.arrows.iter().all(|arrow| arrow.at <= arrow.until));
}

#[test]
fn metrics_add_up() {
    let (mut session, _) = load(THREE);
    let end = show(&mut session, Goto::End);
    let Update::Metrics(metrics) = session.handle(Command::Metrics { upto: None }) else {
        panic!()
    };
    let all = metrics.rows.last().expect("one for all");
    assert_eq!(all.row, None);
    assert_eq!(all.ran, 60_000_000);
    assert_eq!(metrics.utilisation, 10_000);
    assert_eq!(metrics.idle_while_overloaded, 0);
    assert!(all.wakeups > 5);
    assert_eq!(metrics.rows.len(), 4);
    assert!(end.tasks[0].ran <= metrics.rows[0].ran);
}

#[test]
fn pictures_belong_to_their_decisions() {
    let (mut session, _) = load(THREE);
    let end = show(&mut session, Goto::End);
    for step in 1..=end.steps {
        for decision in show(&mut session, Goto::Step(step)).decisions {
            match (decision.kind, &decision.picture) {
                (DecisionKind::Pick, Picture::Pick(picture)) => {
                    assert_eq!(
                        picture.chosen,
                        decision.task.filter(|_| { !decision.heading.contains("idle") })
                    );
                }
                (DecisionKind::Preemption, Picture::Pick(_))
                | (DecisionKind::Placement, _)
                | (DecisionKind::ForkPlacement | DecisionKind::Balance, _) => {}
                (kind, picture) => panic!("{kind:?} with {picture:?}"),
            }
        }
    }
}

#[test]
fn a_start_cpu_goes_along_with_the_affinity() {
    let (mut session, _) = load(&THREE.replace("cpu1", "cpu4"));
    let edit =
        |session: &mut Session, edit: Edit| match session.handle(Command::Edit { step: 0, edit }) {
            Update::Edited(edited) => Ok((edited.done.clone(), edited.loaded.rows[0].clone())),
            Update::Rejected(problems) => Err(problems[0].sentence.clone()),
            other => panic!("{other:?}"),
        };
    let who = Who::Row(0);
    let (done, row) = edit(&mut session, Edit::Affinity(who, "2-3".into())).expect("accepted");
    assert_eq!((&*done, row.cpu), ("A may run on CPUs 2-3 and starts on CPU 2", Some(2)));
    let no = edit(&mut session, Edit::Move(who, 0)).expect_err("outside of two");
    assert_eq!(no, "A may run on CPUs 2-3 only; let it run on CPU 0 first.");
    let (_, row) = edit(&mut session, Edit::Move(who, 3)).expect("inside");
    assert_eq!((&*row.affinity, row.cpu), ("2-3", Some(3)));
    edit(&mut session, Edit::Affinity(who, "3".into())).expect("accepted");
    let (done, row) = edit(&mut session, Edit::Move(who, 1)).expect("it was pinned");
    assert_eq!((&*done, &*row.affinity), ("A starts on CPU 1, pinned there", "1"));
}

#[test]
fn rows_say_what_holds_now() {
    let (mut session, _) = load(THREE);
    show(&mut session, Goto::Step(30));
    for edit in [Edit::Nice(Who::Row(1), 7), Edit::Slice(Who::Row(1), Some(2_000_000))] {
        let update = session.handle(Command::Edit { step: 30, edit });
        assert!(matches!(update, Update::Edited(_)), "{update:?}");
        let moment = show(&mut session, Goto::Step(31));
        let now = &moment.rows[1];
        assert!(
            (now.nice, now.slice) == (7, None) || (now.nice, now.slice) == (0, Some(2_000_000))
        );
    }
    let before = show(&mut session, Goto::Step(30));
    assert_eq!(
        (before.rows[1].nice, before.rows[1].slice, &*before.rows[1].affinity),
        (0, None, "")
    );
}

#[test]
fn nonsense_is_answered() {
    let (mut session, _) = load(THREE);
    for goto in [
        Goto::Step(u64::MAX),
        Goto::Time(u64::MAX),
        Goto::Next(Stride::Switch(999), u64::MAX),
        Goto::Next(Stride::Tick, u64::MAX),
        Goto::Previous(Stride::Switch(999), u64::MAX),
        Goto::Previous(Stride::Decision, u64::MAX),
        Goto::Previous(Stride::Event, 0),
    ] {
        let update = session.handle(Command::Show { goto, focus: u16::MAX });
        assert!(matches!(update, Update::Moment(_)), "{goto:?}: {update:?}");
    }
    for (from, to) in [(0, 0), (u64::MAX, u64::MAX), (u64::MAX, 0), (0, u64::MAX), (5, 4)] {
        for columns in [0, 1, u32::MAX] {
            let lanes = vec![0, 0, 999];
            let update =
                session.handle(Command::Window { from, to, columns, lanes, heat: columns > 0 });
            assert!(matches!(update, Update::Window(_)), "{update:?}");
        }
    }
    for text in ["", "\u{0}", "schedscope = 1", "```toml", "{}", "<topology/>"] {
        session.handle(Command::Load { text: text.to_owned() });
    }
    for packed in [vec![], vec![255; 40], vec![1, 2, 3]] {
        let update = session.handle(Command::LoadPacked { packed });
        assert!(matches!(update, Update::Rejected(_)), "{update:?}");
    }
}

#[test]
fn letters_and_colours_change_nothing_in_the_run() {
    let (mut session, _) = load(THREE);
    let before = show(&mut session, Goto::Step(40));
    let edit = |session: &mut Session, edit: Edit| match session
        .handle(Command::Edit { step: 40, edit })
    {
        Update::Edited(edited) => Ok((edited.done.clone(), edited.loaded)),
        Update::Rejected(problems) => Err(problems[0].sentence.clone()),
        other => panic!("{other:?}"),
    };
    let looks = |loaded: &Loaded| -> Vec<String> {
        let rows = loaded.rows.iter();
        rows.map(|row| format!("{}{}{}", row.letter, row.hue, row.texture)).collect()
    };
    let (done, loaded) = edit(&mut session, Edit::Letter(0, Some("Q".into()))).expect("free");
    assert_eq!(
        (&*done, looks(&loaded)),
        ("letter of A Q", ["Q71", "B10", "C20"].map(Into::into).to_vec())
    );
    let (done, loaded) = edit(&mut session, Edit::Colour(1, Some(12))).expect("in the palette");
    assert_eq!((&*done, loaded.rows[1].colour), ("colour of B 12", Some(12)));
    assert_eq!(looks(&loaded), ["Q71", "B31", "C20"]);
    let no = edit(&mut session, Edit::Letter(2, Some("Q".into()))).expect_err("taken");
    assert_eq!(no, "A has the letter Q already.");
    let no = edit(&mut session, Edit::Letter(2, Some("V".into()))).expect_err("no letter");
    assert_eq!(no, "\"V\" cannot be a letter; one is A to Z without O and V, or two of them.");
    assert!(edit(&mut session, Edit::Colour(2, Some(25))).is_err());
    let after = show(&mut session, Goto::Step(40));
    assert_eq!((after.step, &after.tasks), (40, &before.tasks));
    // Both are in the document, so a link and a file hold them.
    let (_, loaded) = edit(&mut session, Edit::Colour(2, None)).expect("that of its letter");
    let (_, again) = load(&loaded.text);
    assert_eq!(looks(&again), ["Q71", "B31", "C20"]);
    let update = session.handle(Command::LoadPacked { packed: loaded.packed });
    let Update::Loaded(again) = update else { panic!("{update:?}") };
    assert_eq!(looks(&again), ["Q71", "B31", "C20"]);
}

#[test]
fn a_lesson_walks_or_says_what_it_does_not_find() {
    let (mut session, _) = load(THREE);
    let mut walk = |text: &str| {
        let text = format!("# T\n```toml\n{THREE}```\n## S\n```goto\n{text}\n```\n");
        let lesson = schedscope_scenario::Lesson::from_markdown(&text).expect("a lesson");
        let moves = lesson.way_to(0);
        match session.handle(Command::Walk { moves, from: 0, focus: 0 }) {
            Update::Walked { moment, decision } => {
                let decision = decision.map(|at| moment.decisions[at as usize].clone());
                Ok((moment.now, decision.map(|d| (d.kind, d.task))))
            }
            Update::Rejected(problems) => Err(problems[0].sentence.clone()),
            other => panic!("{other:?}"),
        }
    };
    let picked = |task| Some((DecisionKind::Pick, Some(task)));
    assert_eq!(walk("time 30ms").map(|(now, _)| now), Ok(30_000_000));
    let (now, decision) = walk("time 30ms\nnext pick of C on cpu 0").expect("a pick");
    assert_eq!(decision, picked(2));
    let (before, decision) = walk("time 30ms\nprevious pick of C").expect("a pick");
    assert!(before < 30_000_000 && now > 30_000_000);
    assert_eq!(decision, picked(2));
    let mut lost =
        |text, sentence: &str| assert_eq!(walk(text), Err(sentence.replace("~", "\u{a0}")));
    lost("time 61ms", "the run ends at 60.00~ms; 61.00~ms is after that.");
    lost("start\nprevious pick", "there is no pick before 0~ns.");
    lost("end\nnext pick of B", "there is no pick of B after 60.00~ms.");
    let lost = walk("step 100000").expect_err("no such step");
    assert!(lost.ends_with("; there is no step 100000."), "{lost}");
}

#[test]
fn only_rows_with_several_tasks_number_them() {
    let (mut session, _) = load(THREE);
    let add = |session: &mut Session, text: &str| {
        let edit = Edit::Add(text.to_owned(), None);
        match session.handle(Command::Edit { step: 20, edit }) {
            Update::Edited(edited) => edited.loaded.rows.last().expect("it was added").numbered,
            other => panic!("{other:?}"),
        }
    };
    assert!(!add(&mut session, "name = \"one\"\nprogram = \"run 5ms\""));
    assert_eq!(session.task_name(3), "D");
    assert!(add(&mut session, "name = \"two\"\ncount = 2\nprogram = \"run 5ms\""));
}

#[test]
fn two_kernels_run_beside_each_other() {
    let (mut session, _) = load(THREE);
    show(&mut session, Goto::End);
    // A change during the run happens at the same time in both.
    let edit = Edit::Nice(Who::Row(0), 10);
    let update = session.handle(Command::Edit { step: 40, edit });
    assert!(matches!(update, Update::Edited(_)), "{update:?}");
    let at = show(&mut session, Goto::Step(41)).now;
    let end = show(&mut session, Goto::End);
    let with = |with: &str| Command::Beside { with: Some(with.to_owned()) };
    let Update::Beside(Some(told)) = session.handle(with("6.6, RUN_TO_PARITY off")) else {
        panic!("it opens")
    };
    assert_eq!(told.kernel.preset, "6.6");
    assert!(told.name.ends_with("RUN_TO_PARITY off"), "{}", told.name);
    assert_eq!(
        told.notes,
        ["C, slice: Linux 6.6 has no slice of a task's own, so it has no effect."]
    );
    let second = |session: &mut Session, command: Command| match session
        .handle(Command::Second(Box::new(command)))
    {
        Update::Second(update) => *update,
        other => panic!("{other:?}"),
    };
    let moment =
        |session: &mut Session, goto| match second(session, Command::Show { goto, focus: 0 }) {
            Update::Moment(moment) => *moment,
            other => panic!("{other:?}"),
        };
    let other_end = moment(&mut session, Goto::End);
    assert_ne!(other_end.tasks, end.tasks);
    assert_eq!(moment(&mut session, Goto::Time(at)).tasks[0].nice, 10);
    assert_eq!(moment(&mut session, Goto::Time(at - 1)).tasks[0].nice, 0);
    let upto = Some(Goto::Time(30_000_000));
    let Update::Metrics(figures) = second(&mut session, Command::Metrics { upto }) else {
        panic!()
    };
    assert_eq!(figures.upto, 30_000_000);
    assert_eq!(figures.rows.last().map(|all| all.ran), Some(30_000_000));
    // The same kernel beside itself is the same run.
    session.handle(with("6.12"));
    let Update::Moment(same) = second(&mut session, Command::Show { goto: Goto::End, focus: 0 })
    else {
        panic!()
    };
    assert_eq!(same.tasks, end.tasks);
    for nonsense in ["", "9.9", "SIS off", "placement x", "base_slice soon", "rubber duck"] {
        let update = session.handle(with(nonsense));
        let Update::Rejected(problems) = update else { panic!("{nonsense}: {update:?}") };
        assert!(problems[0].sentence.ends_with('.'), "{}", problems[0].sentence);
    }
    // An edit closes it.
    session.handle(with("6.6"));
    session.handle(Command::Edit { step: 0, edit: Edit::Seed(5) });
    let closed = session.handle(Command::Second(Box::new(Command::Metrics { upto: None })));
    assert!(matches!(closed, Update::Rejected(_)));
}

/// The first difference of a lesson's scenario beside another kernel, as it is said.
#[track_caller]
fn check_difference(lesson: &str, with: &str, expected: &[&str]) {
    let file = format!("{}/../../lessons/{lesson}.md", env!("CARGO_MANIFEST_DIR"));
    let (mut session, _) = load(&std::fs::read_to_string(file).expect("a lesson"));
    session.handle(Command::Beside { with: Some(with.to_owned()) });
    let Update::Difference(found) = session.handle(Command::Difference { after: None }) else {
        panic!("{lesson} beside {with}")
    };
    let why = found.why.iter().map(|(kernel, why)| format!("{kernel}: {why}"));
    let said: Vec<String> = std::iter::once(found.sentence.clone()).chain(why).collect();
    let said: Vec<String> = said.iter().map(|s| s.replace(['\u{a0}', '\u{202f}'], " ")).collect();
    assert_eq!(said, expected, "{lesson} beside {with}");
    assert_eq!(found.place.is_none(), found.sentence.starts_with("No CPU"), "{found:?}");
}

#[test]
fn the_first_difference_is_said_with_its_reasons() {
    check_difference(
        "march",
        "4.19",
        &[
            "At 1.944 875 ms on CPU 0: 4.15 stays idle, 4.19 picks C; 4.15 has C on CPU 2.",
            "4.15: All threads of the core of CPU 2 are idle. The scan looked at 2 cores.",
            "4.19: CPU 0, where C ran before CPU 1, is idle and shares the LLC with target CPU 1.",
        ],
    );
    check_difference(
        "run-to-parity",
        "RUN_TO_PARITY off",
        &[
            "At 0.000 000 ms on CPU 0: 6.12 picks H1, 6.12 with RUN_TO_PARITY off picks H2.",
            "6.12: RUN_TO_PARITY: H1 is eligible (lag ±0 ms) and still in the request it was \
             picked for, which ends at V + 1.50 ms.",
            "6.12 with RUN_TO_PARITY off: Of the 2 eligible tasks, H2 has the earliest virtual \
             deadline: V + 1.50 ms. H1, which runs, has the same deadline; of equal ones the \
             waiting task is taken.",
        ],
    );
    check_difference(
        "run-to-parity",
        "6.6",
        &[
            "At 2.000 000 ms on CPU 0: 6.12 picks H2, 6.6 keeps H1.",
            "6.12: H2 is the only eligible one of 2 tasks: its vruntime is V − 1.00 ms, its \
             deadline V + 0.50 ms.",
        ],
    );
    let none = ["No CPU has another task in the one than in the other up to 50.000 000 ms."];
    check_difference("march", "4.15", &none);
}

#[test]
fn figures_up_to_a_moment_do_not_know_what_comes() {
    let (mut session, _) = load(THREE);
    show(&mut session, Goto::Step(40));
    let upto = |session: &mut Session| match session
        .handle(Command::Metrics { upto: Some(Goto::Step(40)) })
    {
        Update::Metrics(metrics) => *metrics,
        other => panic!("{other:?}"),
    };
    let then = upto(&mut session);
    show(&mut session, Goto::End);
    let later = upto(&mut session);
    assert_eq!((then.rows.clone(), then.cpus), (later.rows, later.cpus));
    assert!(then.rows.iter().all(|row| row.row.is_none() || !row.lag.is_empty()));
    // On one CPU the lags of all queued tasks sum up to about nothing.
    assert!(then.rows[0].lag.iter().any(|(_, least, _)| *least < 0));
}

/// One task that always runs and one that sleeps, under a governor.
const CLOCKED: &str = r#"
schedscope = 1
machine = "cpu2"
kernel = { preset = "6.12", governor = "schedutil", clock = "1GHz..4GHz" }
end = "100ms"
[[task]]
name = "hog"
cpu = 0
affinity = "0"
program = "loop\nrun 1ms\nend"
[[task]]
name = "nap"
cpu = 1
affinity = "1"
program = "loop\nrun 0.1ms\nsleep 4ms\nend"
"#;

#[test]
fn work_follows_the_clock() {
    let (mut session, _) = load(CLOCKED);
    show(&mut session, Goto::End);
    let Update::Metrics(metrics) = session.handle(Command::Metrics { upto: None }) else {
        panic!()
    };
    assert!(metrics.clocks_vary);
    let [hog, nap, all] = &metrics.rows[..] else { panic!("{:?}", metrics.rows) };
    assert_eq!(hog.ran, 100_000_000);
    assert!((90_000_000..100_000_000).contains(&hog.work), "{}", hog.work);
    // A napper runs at a low clock: it is CPU time, not work, that it has more of.
    assert!(nap.work * 3 < nap.ran * 2, "{} of {}", nap.work, nap.ran);
    assert_eq!(all.work, metrics.cpus.iter().map(|cpu| cpu.work).sum::<u64>());
    for cpu in &metrics.cpus {
        assert_eq!(cpu.residency.iter().sum::<u64>(), cpu.busy);
    }
    assert!(metrics.cpus[0].residency[9] > 50_000_000, "{:?}", metrics.cpus[0].residency);
    // The bars know it too, and so does what the engine says of the CPU.
    let window =
        Command::Window { from: 0, to: 100_000_000, columns: 2000, lanes: vec![0, 1], heat: false };
    let Update::Window(window) = session.handle(window) else { panic!() };
    assert_eq!(window.top_khz, 4_000_000);
    for lane in &window.lanes {
        let last = lane.clock.last().expect("it varies").1;
        let moment = show(&mut session, Goto::End);
        assert_eq!(last, moment.cpus[usize::from(lane.cpu)].khz);
    }
    assert!(window.lanes[1].bars.iter().all(|bar| (1_000_000..4_000_000).contains(&bar.khz)));
    let (mut session, _) = load(&CLOCKED.replace("schedutil", "performance"));
    show(&mut session, Goto::End);
    let Update::Metrics(metrics) = session.handle(Command::Metrics { upto: None }) else {
        panic!()
    };
    assert!(!metrics.clocks_vary && metrics.rows.iter().all(|row| row.work == row.ran));
}

#[test]
fn an_idle_cpu_that_may_not_run_the_waiting_is_not_held_against_it() {
    let two = |affinity: &str| {
        let row = |name| {
            format!("[[task]]\nname = \"{name}\"\ncpu = 0\n{affinity}\nprogram = \"run 9ms\"\n")
        };
        let features = "kernel = { preset = \"6.12\" }";
        format!(
            "schedscope = 1\nmachine = \"cpu2\"\n{features}\nend = \"1ms\"\n{}{}",
            row("a"),
            row("b")
        )
    };
    let idle = |text: &str| {
        let (mut session, _) = load(text);
        show(&mut session, Goto::End);
        match session.handle(Command::Metrics { upto: None }) {
            Update::Metrics(metrics) => metrics.idle_while_overloaded,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(idle(&two("affinity = \"0\"")), 0);
    assert!(idle(&two("")) > 0);
}

#[test]
fn what_a_kernel_lacks_is_kept_and_told_at_its_row() {
    let (mut session, loaded) = load(THREE);
    assert!(loaded.rows[2].notes.is_empty(), "{:?}", loaded.rows[2].notes);
    let kernel = |session: &mut Session, name: &str| {
        let edit = Edit::Kernel(name.to_owned());
        match session.handle(Command::Edit { step: 0, edit }) {
            Update::Edited(edited) => *edited,
            other => panic!("{other:?}"),
        }
    };
    let edited = kernel(&mut session, "6.6");
    assert_eq!(edited.done, "Linux 6.6, EEVDF; kept, but without effect: slice of C");
    let lost = "Linux 6.6 has no slice of a task's own, so it has no effect.";
    assert_eq!(edited.loaded.rows[2].notes, [lost]);
    assert_eq!(edited.loaded.notes, [format!("C, slice: {lost}")]);
    assert_eq!(edited.loaded.rows[2].slice, Some(1_000_000));
    // Nothing new is lost from here to the next, and all is back where it came from.
    assert!(!kernel(&mut session, "6.8").done.contains("without effect"));
    let edited = kernel(&mut session, "6.12");
    assert!(edited.loaded.notes.is_empty() && edited.loaded.rows[2].notes.is_empty());
}

#[test]
fn a_search_that_finds_nothing_does_not_move() {
    let (mut session, _) = load(THREE);
    let goto = Goto::Next(Stride::Kind(DecisionKind::ForkPlacement), 40);
    assert_eq!(show(&mut session, goto).step, 40);
}

#[test]
fn what_if_shows_the_pick_with_another_value_and_changes_nothing() {
    let (mut session, _) = load(THREE);
    let end = show(&mut session, Goto::End);
    let pick = Stride::Kind(DecisionKind::Pick);
    let mut differs = 0;
    let mut step = 0;
    loop {
        let moment = show(&mut session, Goto::Next(pick, step));
        if moment.step == step {
            break;
        }
        step = moment.step;
        for (nice, same) in [(moment.tasks[0].nice, true), (-19, false)] {
            let edit = Edit::Nice(Who::Row(0), nice);
            let update = session.handle(Command::WhatIf { step, edit, focus: 0 });
            let Update::WhatIf(supposed) = update else { panic!("{update:?}") };
            assert_eq!((supposed.step, supposed.now), (step, moment.now));
            let chosen = |moment: &Moment| moment.cpus[0].curr;
            if same {
                // The same value is the same pick.
                assert_eq!(chosen(&supposed), chosen(&moment), "step {step}");
            } else {
                assert_eq!(supposed.tasks[0].nice, -19);
                differs += u32::from(chosen(&supposed) != chosen(&moment));
            }
        }
    }
    assert!(differs > 0, "a lot of weight changes some pick");
    assert_eq!(show(&mut session, Goto::End), end);
    let edit = Edit::Nice(Who::Row(0), 99);
    assert!(matches!(
        session.handle(Command::WhatIf { step: 9, edit, focus: 0 }),
        Update::Rejected(_)
    ));
    let edit = Edit::Seed(1);
    assert!(matches!(
        session.handle(Command::WhatIf { step: 9, edit, focus: 0 }),
        Update::Rejected(_)
    ));
}

#[test]
fn figures_of_a_group_are_those_of_its_tasks() {
    let text = THREE.replace(
        "[[task]]\nname = \"B\"",
        "[[group]]\nname = \"g\"\n\n[[task]]\ngroup = \"g\"\nname = \"B\"",
    );
    let text = text.replace("name = \"C\"", "group = \"g\"\nname = \"C\"");
    let (mut session, loaded) = load(&text);
    assert_eq!(loaded.groups.len(), 1);
    show(&mut session, Goto::End);
    let Update::Metrics(metrics) = session.handle(Command::Metrics { upto: None }) else {
        panic!()
    };
    let [group] = &metrics.groups[..] else { panic!("{:?}", metrics.groups) };
    let sum = |of: fn(&RowMetrics) -> u64| of(&metrics.rows[1]) + of(&metrics.rows[2]);
    assert_eq!(group.ran, sum(|row| row.ran));
    assert_eq!(group.wakeups, sum(|row| row.wakeups));
    assert_eq!(group.involuntary, sum(|row| row.involuntary));
    // Lags inside a group are those of its own queue.
    assert!(metrics.rows[1].lag.iter().any(|(_, least, most)| *least != 0 || *most != 0));
}
