//! What the page does, without a page.

use super::testing::{Bench, document, pick_and_place, quiet};
use super::*;
use crate::action::{Load, Source, Way};
use schedscope_session::update::{
    Beside, DecisionKind, Difference, Edited, Moment, Parting, Problem, Window,
};
use schedscope_session::{Command, Edit, Goto, Stride, Who};

fn cursor(bench: &Bench) -> (usize, usize, usize) {
    let c = bench.state.cursor;
    (c.decision, c.check, c.probe)
}

const ALL: usize = usize::MAX;

fn shown(bench: &Bench) -> Option<Goto> {
    bench.last("Show").map(|r| match r.command {
        Command::Show { goto, .. } => goto,
        other => panic!("{other:?}"),
    })
}

fn edited(title: &str, done: &str, forked: bool) -> Update {
    Update::Edited(Box::new(Edited { loaded: document(title), done: done.into(), forked }))
}

fn title(bench: &Bench) -> String {
    bench.state.doc.as_ref().unwrap().title.clone()
}

#[test]
fn a_step_by_check_walks_a_scan_cpu_by_cpu() {
    let mut bench = Bench::with(pick_and_place());
    bench.act(Action::Tab(Tab::Placement));
    bench.state.cursor = Cursor { step: 10, decision: 0, check: 0, probe: ALL };
    let mut seen = vec![cursor(&bench)];
    for _ in 0..3 {
        bench.act(Action::Step(Way::Forward));
        seen.push(cursor(&bench));
    }
    assert_eq!(seen, [(0, 0, ALL), (0, 1, 1), (0, 1, 2), (0, 1, ALL)]);
    bench.act(Action::Step(Way::Back));
    assert_eq!(cursor(&bench), (0, 1, 2));
}

#[test]
fn past_the_last_check_comes_the_next_decision_of_the_tab() {
    let mut bench = Bench::with(pick_and_place());
    bench.act(Action::Tab(Tab::Pick));
    assert_eq!(cursor(&bench), (1, 0, ALL));
    bench.act(Action::Step(Way::Forward));
    assert_eq!(cursor(&bench), (1, 1, ALL));
    bench.act(Action::Step(Way::Forward));
    assert_eq!(shown(&bench), Some(Goto::Next(Stride::Kind(DecisionKind::Pick), 10)));
    let next = Moment { step: 14, ..pick_and_place() };
    bench.answer("Show", Update::Moment(Box::new(next)));
    assert_eq!(bench.state.cursor, Cursor { step: 14, decision: 1, check: 0, probe: ALL });
}

#[test]
fn stepping_back_over_a_decision_lands_on_its_last_check() {
    let mut bench = Bench::with(Moment { step: 14, ..pick_and_place() });
    bench.act(Action::Tab(Tab::Pick));
    bench.act(Action::ToCheck(0));
    bench.act(Action::Step(Way::Back));
    assert_eq!(shown(&bench), Some(Goto::Previous(Stride::Kind(DecisionKind::Pick), 14)));
    bench.answer("Show", Update::Moment(Box::new(pick_and_place())));
    assert_eq!(bench.state.cursor, Cursor { step: 10, decision: 1, check: 1, probe: ALL });
}

#[test]
fn with_a_cpu_held_picks_are_stepped_on_that_cpu() {
    let mut bench = Bench::with(pick_and_place());
    bench.act(Action::Tab(Tab::Pick));
    bench.act(Action::Focus(3));
    bench.answer("Show", Update::Moment(Box::new(pick_and_place())));
    bench.act(Action::Step(Way::Forward));
    assert_eq!(shown(&bench), Some(Goto::Next(Stride::Switch(3), 10)));
}

#[test]
fn by_decision_one_sees_the_outcome() {
    let mut bench = Bench::with(pick_and_place());
    bench.act(Action::Tab(Tab::Metrics));
    bench.state.cursor = Cursor { step: 10, decision: 0, check: 0, probe: ALL };
    bench.act(Action::StepBy(Way::Forward, ByStep::Decision));
    assert_eq!(cursor(&bench), (0, 1, ALL));
    bench.act(Action::StepBy(Way::Forward, ByStep::Decision));
    assert_eq!(cursor(&bench), (1, 1, ALL));
    bench.act(Action::StepBy(Way::Back, ByStep::Decision));
    assert_eq!(cursor(&bench), (0, 1, ALL));
}

#[test]
fn at_the_start_there_is_no_step_back() {
    let mut bench = Bench::with(quiet(0));
    assert!(bench.state.at_start());
    let sent = bench.sent.len();
    bench.act(Action::Step(Way::Back));
    assert_eq!(bench.sent.len(), sent);
}

#[test]
fn no_step_is_lost_while_a_moment_is_on_its_way() {
    let mut bench = Bench::with(quiet(3));
    for way in [Way::Forward, Way::Forward, Way::Forward, Way::Back] {
        bench.act(Action::StepBy(way, ByStep::Event));
    }
    assert!(bench.state.awaits_moment());
    assert_eq!(shown(&bench), Some(Goto::Next(Stride::Event, 3)));
    bench.answer("Show", Update::Moment(Box::new(quiet(4))));
    assert_eq!(shown(&bench), Some(Goto::Next(Stride::Event, 4)));
    bench.answer("Show", Update::Moment(Box::new(quiet(5))));
    assert_eq!(shown(&bench), Some(Goto::Next(Stride::Event, 5)));
    bench.answer("Show", Update::Moment(Box::new(quiet(6))));
    assert_eq!(shown(&bench), Some(Goto::Previous(Stride::Event, 6)));
    let sent = bench.sent.len();
    bench.answer("Show", Update::Moment(Box::new(quiet(5))));
    assert_eq!(bench.state.cursor.step, 5);
    let shows = bench.sent[sent..].iter().filter(|r| matches!(r.command, Command::Show { .. }));
    assert_eq!(shows.count(), 0);
}

#[test]
fn stale_answers_are_ignored() {
    let mut bench = Bench::with(quiet(3));
    bench.act(Action::Goto(Goto::Step(7)));
    let old = bench.last("Show").unwrap().id;
    bench.act(Action::Goto(Goto::Step(9)));
    bench.answer_to(old, Update::Moment(Box::new(quiet(7))));
    assert_eq!(bench.state.cursor.step, 3);
    bench.answer("Show", Update::Moment(Box::new(quiet(9))));
    assert_eq!(bench.state.cursor.step, 9);
    bench.answer_to(999, Update::Moment(Box::new(quiet(1))));
    assert_eq!(bench.state.cursor.step, 9);
}

#[test]
fn a_refused_document_leaves_the_screen_as_it_was() {
    let mut bench = Bench::with(pick_and_place());
    let before = (title(&bench), bench.state.cursor, bench.state.tab);
    let source = Source::Text { text: "nonsense".into(), name: "bad.toml".into() };
    bench.act(Action::Open(source, Start::default()));
    let problem = Problem { place: "line 1".into(), sentence: "No.".into(), line: Some(1) };
    bench.answer("Load", Update::Rejected(vec![problem.clone()]));
    assert_eq!((title(&bench), bench.state.cursor, bench.state.tab), before);
    assert_eq!(bench.state.phase, Phase::Ready);
    let problems = bench.state.problems.clone().unwrap();
    assert_eq!(
        (problems.title.as_str(), &problems.list),
        ("This scenario could not be opened", &vec![problem])
    );
    bench.act(Action::Dismiss);
    assert!(bench.state.problems.is_none());
    bench.act(Action::Step(Way::Forward));
    assert!(bench.last("Show").is_some());
}

#[test]
fn edits_are_undone_and_done_again() {
    let mut bench = Bench::with(quiet(6));
    bench.act(Action::Edit(Edit::Nice(Who::Row(0), -10)));
    let sent = bench.last("Edit").unwrap().command;
    assert_eq!(sent, Command::Edit { step: 6, edit: Edit::Nice(Who::Row(0), -10) });
    bench.answer("Edit", edited("two", "nice of audio −10", true));
    assert_eq!(title(&bench), "two");
    assert_eq!(bench.state.undo.len(), 1);
    assert!(bench.state.status.contains("is gone"), "{}", bench.state.status);
    assert_eq!(shown(&bench), Some(Goto::Step(7)));

    bench.answer("Show", Update::Moment(Box::new(quiet(7))));
    bench.act(Action::Undo);
    assert_eq!(
        bench.last("LoadPacked").unwrap().command,
        Command::LoadPacked { packed: b"one".to_vec() }
    );
    bench.answer("LoadPacked", Update::Loaded(Box::new(document("one"))));
    assert_eq!(
        (title(&bench).as_str(), bench.state.undo.len(), bench.state.redo.len()),
        ("one", 0, 1)
    );
    assert_eq!(shown(&bench), Some(Goto::Step(6)));
    assert_eq!(bench.state.status, "Undone: nice of audio −10");

    bench.act(Action::Redo);
    assert_eq!(
        bench.last("LoadPacked").unwrap().command,
        Command::LoadPacked { packed: b"two".to_vec() }
    );
    bench.answer("LoadPacked", Update::Loaded(Box::new(document("two"))));
    assert_eq!(
        (title(&bench).as_str(), bench.state.undo.len(), bench.state.redo.len()),
        ("two", 1, 0)
    );
}

#[test]
fn a_new_edit_clears_what_could_be_done_again() {
    let mut bench = Bench::with(quiet(0));
    bench.act(Action::Edit(Edit::Nice(Who::Row(0), 1)));
    bench.answer("Edit", edited("two", "a", false));
    bench.act(Action::Undo);
    bench.answer("LoadPacked", Update::Loaded(Box::new(document("one"))));
    bench.act(Action::Edit(Edit::Nice(Who::Row(0), 2)));
    bench.answer("Edit", edited("three", "b", false));
    assert_eq!((bench.state.undo.len(), bench.state.redo.len()), (1, 0));
    bench.act(Action::Redo);
    assert_eq!(title(&bench), "three");
}

#[test]
fn a_refused_edit_changes_nothing() {
    let mut bench = Bench::with(quiet(6));
    bench.act(Action::Edit(Edit::Kernel("9.9".into())));
    bench.answer("Edit", Update::Rejected(vec![]));
    assert_eq!((title(&bench).as_str(), bench.state.undo.len()), ("one", 0));
    assert_eq!(bench.state.problems.clone().unwrap().title, "This change is not possible");
}

#[test]
fn refused_text_is_told_at_its_field_until_it_is_taken() {
    let mut bench = Bench::with(quiet(6));
    let cpus = |list: &str| Action::Edit(Edit::Affinity(Who::Row(0), list.into()));
    let sentence = "There is no CPU 99.".to_string();
    bench.act(cpus("99"));
    let problem = Problem { place: "affinity".into(), sentence: sentence.clone(), line: None };
    bench.answer("Edit", Update::Rejected(vec![problem]));
    assert_eq!(bench.state.refusal(Field::Cpus(0)), Some(sentence.as_str()));
    assert_eq!((bench.state.refusal(Field::Name(0)), &bench.state.problems), (None, &None));
    bench.act(cpus("3"));
    bench.answer("Edit", edited("two", "CPUs 3", false));
    assert_eq!(bench.state.refusal(Field::Cpus(0)), None);
}

#[test]
fn another_kernel_shows_the_same_time_of_the_new_run() {
    let mut bench = Bench::with(quiet(6));
    bench.act(Action::Edit(Edit::Kernel("6.6".into())));
    bench.answer("Edit", edited("two", "kernel 6.6", true));
    assert_eq!(shown(&bench), Some(Goto::Time(3_000_000)));
}

#[test]
fn undo_is_named_and_no_deeper_than_its_limit() {
    let mut bench = Bench::with(quiet(0));
    for n in 0..UNDO_MAX + 5 {
        bench.act(Action::Edit(Edit::Seed(n as u64)));
        bench.answer("Edit", edited("x", &format!("seed {n}"), false));
    }
    assert_eq!(bench.state.undo.len(), UNDO_MAX);
    assert_eq!(bench.state.undo.last().unwrap().done, format!("seed {}", UNDO_MAX + 4));
}

#[test]
fn the_run_is_pulled_piece_by_piece_until_it_ends() {
    let mut bench = Bench { state: AppState::new(), sent: Vec::new() };
    bench.act(Action::EngineReady);
    let source = Source::Text { text: "x".into(), name: String::new() };
    bench.act(Action::Open(source, Start::default()));
    bench.answer("Load", Update::Loaded(Box::new(document("one"))));
    let runs =
        |b: &Bench| b.sent.iter().filter(|r| matches!(r.command, Command::Run { .. })).count();
    assert_eq!(runs(&bench), 1);
    let part = Progress { steps: 64, time: 1_000_000, done: false, digest: 1 };
    bench.answer("Run", Update::Advanced(part));
    assert_eq!(runs(&bench), 2);
    let all = Progress { steps: 100, time: 100_000_000, done: true, digest: 2 };
    bench.answer("Run", Update::Advanced(all));
    assert_eq!(runs(&bench), 2);
    assert!(bench.state.progress.done);
}

#[test]
fn nothing_is_sent_before_the_engine_is_there() {
    let mut state = AppState::new();
    let source = Source::Text { text: "x".into(), name: String::new() };
    assert_eq!(state.apply(Action::Open(source, Start::default())), []);
    assert_eq!(state.apply(Action::EngineReady).len(), 1);
}

#[test]
fn a_crash_keeps_the_screen_and_opens_the_document_again() {
    let mut bench = Bench::with(quiet(6));
    bench.act(Action::Step(Way::Forward));
    bench.act(Action::Crashed("load is 0".into()));
    let crash = bench.state.crash.clone().unwrap();
    assert_eq!((crash.seed, crash.step, crash.title.as_str()), (7, 6, "one"));
    assert!(crash.report().contains("load is 0"));
    assert!(bench.state.moment.is_some());
    let sent = bench.sent.len();
    bench.act(Action::Step(Way::Forward));
    assert_eq!(bench.sent.len(), sent);
    bench.act(Action::Restarted);
    assert_eq!(
        bench.last("LoadPacked").unwrap().command,
        Command::LoadPacked { packed: b"one".to_vec() }
    );
    bench.answer("LoadPacked", Update::Loaded(Box::new(document("one"))));
    assert!(bench.state.crash.is_none());
    assert_eq!(shown(&bench), Some(Goto::Step(6)));
}

#[test]
fn a_card_dropped_on_a_cpu_moves_and_with_a_pin_stays() {
    let mut bench = Bench::with(quiet(6));
    bench.act(Action::PickUp { load: Load::Row(1), keys: false });
    bench.act(Action::CarryOver(Some(3)));
    assert_eq!(bench.state.carry_says(), "move to CPU 3");
    bench.act(Action::Drop);
    let sent = bench.last("Edit").unwrap().command;
    assert_eq!(sent, Command::Edit { step: 6, edit: Edit::Move(Who::Row(1), 3) });

    bench.act(Action::PickUp { load: Load::Row(1), keys: true });
    bench.act(Action::CarryPin(true));
    bench.act(Action::CarryOver(Some(2)));
    assert_eq!(bench.state.carry_says(), "pin to CPU 2");
    bench.act(Action::Drop);
    let sent = bench.last("Edit").unwrap().command;
    assert_eq!(sent, Command::Edit { step: 6, edit: Edit::Affinity(Who::Row(1), "2".into()) });
}

#[test]
fn a_typed_list_sets_the_affinity() {
    let affinity = |text: &str| {
        let mut bench = Bench::with(quiet(6));
        bench.act(Action::PickUp { load: Load::Row(0), keys: true });
        bench.act(Action::CarryText(text.into()));
        bench.act(Action::Drop);
        match bench.last("Edit").map(|r| r.command) {
            Some(Command::Edit { edit: Edit::Affinity(_, list), .. }) => list,
            Some(Command::Edit { edit: Edit::Move(_, cpu), .. }) => format!("move {cpu}"),
            other => format!("{other:?}"),
        }
    };
    assert_eq!(affinity("2-3"), "2-3");
    assert_eq!(affinity("any"), "");
    assert_eq!(affinity("llc 0"), "0,1,2,3");
    assert_eq!(affinity("core 1"), "1,3");
    assert_eq!(affinity("3"), "move 3");
}

#[test]
fn a_pattern_gets_a_name_that_is_free() {
    let mut bench = Bench::with(quiet(0));
    for expected in ["name = \"hog\"", "name = \"hog-2\""] {
        bench.act(Action::PickUp { load: Load::Pattern(0), keys: false });
        bench.act(Action::CarryOver(Some(1)));
        bench.act(Action::Drop);
        let Command::Edit { edit: Edit::Add(toml, cpu), .. } = bench.last("Edit").unwrap().command
        else {
            panic!()
        };
        assert!(toml.starts_with(expected), "{toml}");
        assert_eq!(cpu, Some(1));
        let mut with_hog = document("two");
        with_hog.rows[0].name = "hog".into();
        let done = Edited { loaded: with_hog, done: String::new(), forked: false };
        bench.answer("Edit", Update::Edited(Box::new(done)));
    }
}

#[test]
fn put_back_changes_nothing() {
    let mut bench = Bench::with(quiet(0));
    bench.act(Action::PickUp { load: Load::Row(0), keys: false });
    bench.act(Action::PutBack);
    assert!(bench.state.carry.is_none());
    assert!(bench.last("Edit").is_none());
}

#[test]
fn zoom_keeps_the_time_under_the_pointer() {
    let mut bench = Bench::with(quiet(0));
    bench.act(Action::Show { from: 20_000_000, to: 40_000_000 });
    bench.act(Action::Zoom { factor: 2.0, about: Some(25_000_000) });
    assert_eq!(bench.state.span, Span { from: 22_500_000, to: 32_500_000 });
    bench.act(Action::Zoom { factor: 0.01, about: None });
    assert_eq!(bench.state.span, Span { from: 0, to: 100_000_000 });
    bench.act(Action::Show { from: 50_000_000, to: 50_000_001 });
    assert_eq!(bench.state.span.len(), ZOOM_MIN);
    bench.act(Action::Pan(-1_000_000_000));
    assert_eq!(bench.state.span.from, 0);
}

#[test]
fn the_timeline_is_fetched_once_for_the_same_stretch() {
    let mut bench = Bench::with(quiet(0));
    let windows =
        |b: &Bench| b.sent.iter().filter(|r| matches!(r.command, Command::Window { .. })).count();
    let full = Window { progress: bench.state.progress, ..Window::default() };
    bench.answer("Window", Update::Window(Box::new(full.clone())));
    let before = windows(&bench);
    bench.act(Action::Pan(1_000_000));
    bench.act(Action::Pan(1_000_000));
    bench.act(Action::Pan(1_000_000));
    assert_eq!(windows(&bench), before + 1);
    bench.answer("Window", Update::Window(Box::new(full.clone())));
    assert_eq!(windows(&bench), before + 2);
    bench.answer("Window", Update::Window(Box::new(full)));
    assert_eq!(windows(&bench), before + 2);
}

#[test]
fn any_act_stops_playing() {
    let mut bench = Bench::with(pick_and_place());
    bench.act(Action::Play(true));
    bench.act(Action::Hover(Some(1)));
    assert!(bench.state.playing);
    bench.act(Action::Step(Way::Back));
    assert!(!bench.state.playing);
}

#[test]
fn playing_by_events_goes_through_a_stretch_without_any() {
    let mut bench = Bench::with(quiet(6));
    bench.act(Action::By(ByStep::Event));
    bench.act(Action::Play(true));
    let mut times = Vec::new();
    for _ in 0..3 {
        bench.act(Action::Due { span: 1_000_000 });
        times.push(shown(&bench));
        bench.answer("Show", Update::Moment(Box::new(quiet(6))));
    }
    let at = |ms: u64| Some(Goto::Time(3_000_000 + ms * 1_000_000));
    assert_eq!((times, bench.state.playing), (vec![at(1), at(2), at(3)], true));
}

#[test]
fn a_link_holds_the_screen_and_opens_there() {
    let mut bench = Bench::with(pick_and_place());
    bench.act(Action::Tab(Tab::Placement));
    bench.act(Action::ToCheck(0));
    let link = bench.state.link().unwrap();
    let text = crate::url::write(&link);
    let read = crate::url::read(&text).unwrap().unwrap();

    let mut other = Bench { state: AppState::new(), sent: Vec::new() };
    other.act(Action::EngineReady);
    other.act(Action::Open(Source::Link(Box::new(read)), Start::default()));
    other.answer("LoadPacked", Update::Loaded(Box::new(document("one"))));
    assert_eq!(shown(&other), Some(Goto::Step(10)));
    other.answer("Show", Update::Moment(Box::new(pick_and_place())));
    assert_eq!(other.state.tab, Tab::Placement);
    assert_eq!(other.state.cursor, bench.state.cursor);
}

#[test]
fn the_focus_follows_the_decision_until_it_is_held() {
    let mut bench = Bench::with(pick_and_place());
    assert_eq!((bench.state.focus, bench.state.focus_held), (1, false));
    bench.act(Action::Focus(2));
    let again = bench.last("Show").unwrap();
    assert_eq!(again.command, Command::Show { goto: Goto::Step(10), focus: 2 });
    bench.answer("Show", Update::Moment(Box::new(pick_and_place())));
    assert_eq!(bench.state.focus, 2);
    bench.act(Action::Unfocus);
    assert_eq!(bench.state.focus, 1);
}

#[test]
fn frames_by_width() {
    let frame = |width| Viewport { width, ..Viewport::default() }.frame();
    assert_eq!(frame(390.0), Frame::Phone);
    assert_eq!(frame(800.0), Frame::Narrow);
    assert_eq!(frame(1024.0), Frame::Wide);
    let at = |width, tab| {
        Panels::default().machine_width(tab, Viewport { width, ..Viewport::default() })
    };
    assert_eq!(at(1440.0, Tab::Pick), 408.0);
    assert_eq!(at(1440.0, Tab::Placement), 704.0);
    assert_eq!(at(1920.0, Tab::Pick), 560.0);
    assert_eq!(at(1024.0, Tab::Pick), 360.0);
}

const LESSON: &str = r#"# Title

```toml
schedscope = 1
machine = "cpu4"
[[task]]
name = "server"
program = ["sleep 1ms", "run 1ms"]
```

## Asleep

Prose.

```goto
time 1ms
cpu 3
tab placement
```

## Awake

Prose.

```goto
beside 4.19
stretch 1ms..2ms
next placement of server
```

```question
Where?
answer: cpu 3
because: It is idle.
```

## Before

Prose.

```goto
kernel 6.1
time 1ms
```
"#;

/// What the engine makes of the lesson's scenario on a page.
fn scene(page: usize) -> Update {
    let script = schedscope_scenario::Lesson::from_markdown(LESSON).unwrap();
    let packed = script.document_at(page).pack();
    Update::Loaded(Box::new(Loaded { packed, ..document("lesson") }))
}

/// A bench with a lesson of three pages, at its first one.
fn lesson() -> Bench {
    let mut bench = Bench::with(quiet(0));
    let source = Source::Text { text: LESSON.into(), name: String::new() };
    bench.act(Action::Open(source, Start::default()));
    bench.answer("Load", scene(0));
    assert_eq!(walked(&bench).len(), 1);
    let moment = Box::new(quiet(2));
    bench.answer("Walk", Update::Walked { moment, decision: None });
    bench
}

/// The moves last asked for.
fn walked(bench: &Bench) -> Vec<schedscope_scenario::lesson::Move> {
    match bench.last("Walk").expect("a walk").command {
        Command::Walk { moves, from: 0, .. } => moves,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_lesson_goes_where_its_step_says() {
    let bench = lesson();
    assert_eq!(bench.state.lesson.as_ref().unwrap().step, 0);
    assert_eq!((bench.state.focus, bench.state.focus_held), (3, true));
    assert_eq!(bench.state.tab, Tab::Placement);
    assert!(!bench.state.predicting());
}

#[test]
fn a_question_holds_the_outcome_back() {
    let mut bench = lesson();
    bench.act(Action::Page(Way::Forward));
    assert_eq!(walked(&bench).len(), 2);
    let found = Box::new(Moment { step: 12, ..pick_and_place() });
    bench.answer("Walk", Update::Walked { moment: found, decision: Some(0) });
    assert!(bench.state.predicting());
    assert_eq!(bench.state.cursor, Cursor { step: 12, decision: 0, check: 0, probe: ALL });
    bench.act(Action::Predict("cpu 20".into()));
    assert!(bench.state.status.starts_with("No, it is CPU 3."), "{}", bench.state.status);
    assert!(!bench.state.predicting());
    assert_eq!(bench.state.cursor, Cursor { step: 12, decision: 0, check: 1, probe: ALL });
}

#[test]
fn a_page_under_another_kernel_opens_its_scenario() {
    let mut bench = lesson();
    bench.act(Action::Page(Way::Forward));
    bench.answer("Walk", Update::Walked { moment: Box::new(quiet(3)), decision: None });
    // What was changed meanwhile can be brought back.
    let mut changed = document("changed");
    changed.packed = vec![1];
    bench.act(Action::Edit(Edit::Nice(Who::Row(0), 5)));
    let edited = Edited { loaded: changed, done: "nice of server 5".into(), forked: false };
    bench.answer("Edit", Update::Edited(Box::new(edited)));
    bench.act(Action::Page(Way::Forward));
    assert_eq!(bench.state.undo.last().map(|past| past.packed.to_vec()), Some(vec![1]));
    bench.answer("LoadPacked", scene(2));
    // The page shares its run with no other.
    assert_eq!(walked(&bench).len(), 1);
    let problem = Problem { place: "lesson".into(), sentence: "None.".into(), line: None };
    bench.answer("Walk", Update::Rejected(vec![problem]));
    let title = bench.state.problems.as_ref().map(|problems| problems.title.clone());
    assert_eq!(title.as_deref(), Some("This step of the lesson leads nowhere"));
}

#[test]
fn a_page_may_have_another_kernel_beside_it() {
    let mut bench = lesson();
    let beside = |bench: &Bench| bench.state.beside.as_ref().map(|second| second.with.clone());
    assert_eq!(beside(&bench), None);
    bench.act(Action::Page(Way::Forward));
    assert_eq!(beside(&bench).as_deref(), Some("4.19"));
    bench.answer("Walk", Update::Walked { moment: Box::new(quiet(2)), decision: None });
    assert_eq!((bench.state.span.from, bench.state.span.to), (1_000_000, 2_000_000));
    bench.act(Action::Page(Way::Back));
    assert_eq!(beside(&bench), None);
}

#[test]
fn a_second_kernel_is_opened_run_drawn_and_kept_in_the_link() {
    let mut bench = Bench::with(pick_and_place());
    bench.act(Action::Beside(Some("4.19".into())));
    let told = Beside { with: "4.19".into(), name: "Linux 4.19, CFS".into(), ..Beside::default() };
    bench.answer("Beside", Update::Beside(Some(Box::new(told.clone()))));
    assert!(bench.state.lane_plan().beside.is_some());
    assert!(bench.last("SecondRun").is_some());
    let window = Window { from: 7, ..Window::default() };
    bench.answer("SecondWindow", Update::Second(Box::new(Update::Window(Box::new(window)))));
    assert_eq!(bench.state.second_window().map(|window| window.from), Some(7));
    let progress = Progress { steps: 90, done: true, ..Progress::default() };
    bench.answer("SecondRun", Update::Second(Box::new(Update::Advanced(progress))));
    // The next difference is looked for from the last one on, as long as one stays there.
    let after = |bench: &Bench| match bench.last("Difference").map(|request| request.command) {
        Some(Command::Difference { after }) => after,
        other => panic!("{other:?}"),
    };
    bench.act(Action::Difference { next: false });
    assert_eq!(after(&bench), None);
    let place = Some(Parting { at: 900, step: 3, cpu: 1 });
    let found = Difference { place, sentence: "At 900 ns …".into(), why: Vec::new() };
    bench.answer("Difference", Update::Difference(Box::new(found)));
    assert_eq!((bench.state.focus, &*bench.state.status), (1, "At 900 ns …"));
    assert!(bench.last("Show").is_some());
    bench.answer("Show", Update::Moment(Box::new(quiet(3))));
    bench.act(Action::Difference { next: true });
    assert_eq!(after(&bench), Some(900));
    let link = bench.state.link().expect("a document is open");
    assert_eq!(link.beside.as_deref(), Some("4.19"));
    // An edit closes it in the session: it is opened again, and drawn meanwhile.
    bench.act(Action::Edit(Edit::Seed(3)));
    let edited = Edited { loaded: document("two"), done: "seed 3".into(), forked: true };
    let asked = bench.last("Beside").map(|request| request.id);
    bench.answer("Edit", Update::Edited(Box::new(edited)));
    assert_ne!(bench.last("Beside").map(|request| request.id), asked);
    assert!(bench.state.second_window().is_some());
    // What was asked of the closed one does not trouble anybody.
    bench.answer("SecondWindow", Update::Rejected(Vec::new()));
    assert_eq!(bench.state.problems, None);
    bench.act(Action::Beside(None));
    assert!(bench.state.lane_plan().beside.is_none());
    // A link opens both.
    bench.act(Action::Open(Source::Link(Box::new(link)), Start::default()));
    bench.answer("LoadPacked", Update::Loaded(Box::new(document("one"))));
    assert_eq!(bench.state.beside.as_ref().map(|second| &*second.with), Some("4.19"));
}

#[test]
fn a_link_inside_a_scan_opens_there() {
    let mut bench = Bench::with(pick_and_place());
    bench.state.tab = Tab::Placement;
    bench.state.cursor = Cursor { step: 10, decision: 0, check: 1, probe: 1 };
    let link = bench.state.link().expect("a document is open");
    let text = crate::url::write(&link);
    let link = crate::url::read(&text).expect("a link").expect("a good one");
    bench.act(Action::Open(Source::Link(Box::new(link)), Start::default()));
    bench.answer("LoadPacked", Update::Loaded(Box::new(document("one"))));
    bench.answer("Show", Update::Moment(Box::new(pick_and_place())));
    assert_eq!(bench.state.cursor, Cursor { step: 10, decision: 0, check: 1, probe: 1 });
    assert!(!bench.state.outcome_shown());
}

#[test]
fn where_nothing_follows_one_stays_and_is_told() {
    let mut bench = Bench::with(pick_and_place());
    bench.state.tab = Tab::Placement;
    bench.state.cursor = Cursor { step: 10, decision: 0, check: 1, probe: ALL };
    bench.act(Action::StepBy(Way::Forward, ByStep::Decision));
    assert!(matches!(shown(&bench), Some(Goto::Next(_, 10))));
    bench.answer("Show", Update::Moment(Box::new(pick_and_place())));
    assert_eq!(bench.state.cursor, Cursor { step: 10, decision: 0, check: 1, probe: ALL });
    assert_eq!(bench.state.status, "There is no further placement in this run");
}

#[test]
fn a_value_being_chosen_is_supposed_and_not_made() {
    let mut bench = Bench::with(pick_and_place());
    let nice = |nice| Action::WhatIf(Some(Edit::Nice(Who::Row(0), nice)));
    bench.act(nice(-1));
    bench.act(nice(-2));
    bench.act(nice(-3));
    let asked = |bench: &Bench| {
        bench.sent.iter().filter(|r| matches!(r.command, Command::WhatIf { .. })).count()
    };
    assert_eq!(asked(&bench), 1, "one at a time");
    let mut with = pick_and_place();
    with.decisions[1].heading = "B runs next".into();
    bench.answer("WhatIf", Update::WhatIf(Box::new(with.clone())));
    assert_eq!(asked(&bench), 2, "then the latest");
    assert!(matches!(
        bench.last("WhatIf").map(|request| request.command),
        Some(Command::WhatIf { step: 10, edit: Edit::Nice(_, -3), .. })
    ));
    assert_eq!(bench.state.supposed_decision().map(|d| &*d.heading), Some("B runs next"));
    assert_eq!(bench.state.decision().map(|d| &*d.heading), Some("A runs next"));
    bench.act(Action::WhatIf(None));
    assert_eq!(bench.state.supposed_decision(), None);
    assert!(bench.state.undo.is_empty());
}
