//! Groups of tasks in the session: added, changed, shown, and both levels of a pick in words.

mod support;

use schedscope_session::update::{DecisionKind, Edited, Picture, Problem};
use schedscope_session::{Command, Edit, Goto, Session, Update, Who};
use support::show;

const TWO: &str = r#"
schedscope = 1
machine = "cpu1"
kernel = "KERNEL"
end = "200ms"

[[group]]
name = "batch"
shares = 512

[[task]]
name = "A"
cpu = 0
program = "loop\nrun 5ms\nend"

[[task]]
name = "B"
cpu = 0
count = 2
group = "batch"
program = "loop\nrun 3ms\nsleep 1ms\nend"
"#;

const KERNELS: [&str; 6] = ["2.6.36", "6.1", "6.1+latency-nice", "6.6", "6.12", "6.17"];

fn edit(session: &mut Session, step: u64, edit: Edit) -> Result<Edited, Vec<Problem>> {
    match session.handle(Command::Edit { step, edit }) {
        Update::Edited(edited) => Ok(*edited),
        Update::Rejected(problems) => Err(problems),
        other => panic!("not edited: {other:?}"),
    }
}

#[test]
fn both_levels_of_a_pick() {
    for kernel in KERNELS {
        let (mut session, loaded) = support::load(&TWO.replace("KERNEL", kernel));
        assert_eq!((loaded.groups[0].name.as_str(), loaded.groups[0].shares), ("batch", 512));
        assert_eq!((loaded.rows[0].group, loaded.rows[1].group), (None, Some(0)));
        let end = show(&mut session, Goto::End).step;
        let (mut inside, mut compared) = (0, 0);
        for step in 1..=end.min(150) {
            let moment = show(&mut session, Goto::Step(step));
            for decision in &moment.decisions {
                assert!(decision.sentence.ends_with('.'), "{}", decision.sentence);
                let Picture::Pick(picture) = &decision.picture else { continue };
                let of_groups = picture.rows.iter().filter(|row| row.group.is_some()).count();
                assert!(of_groups <= 1 || picture.group.is_some());
                if decision.kind == DecisionKind::Preemption {
                    let rows = picture.rows.iter().map(|row| row.task);
                    assert!(picture.chosen.is_none_or(|chosen| rows.clone().any(|r| r == chosen)));
                    let stands = decision.sentence.starts_with("Between groups, batch stands for ");
                    compared += u32::from(stands);
                }
                let [level] = &picture.inside[..] else { continue };
                inside += 1;
                assert_eq!(picture.title, "Root queue");
                assert_eq!((level.title.as_str(), level.group), ("Inside batch", Some(0)));
                assert_eq!(level.chosen, decision.task, "{kernel}: {}", decision.sentence);
                let group = picture.rows.iter().find(|row| row.group == Some(0));
                assert_eq!(picture.chosen, group.map(|row| row.task));
                let names = level.rows.iter().map(|row| row.task);
                assert!(names.clone().all(|task| moment.tasks[task as usize].group == Some(0)));
                let since = usize::from(level.since);
                assert!(0 < since && since < decision.checks.len(), "{since}");
                assert_eq!(decision.checks[since - 1].result, "no: a group");
                let (first, then) = ("First the group batch: ", " Then inside it: ");
                assert!(decision.sentence.starts_with(first), "{}", decision.sentence);
                assert!(decision.sentence.contains(then), "{}", decision.sentence);
            }
            let queue = moment.queue.expect("CPU 0 is in focus");
            let on = moment.groups[0].on.first().map_or(0, |on| on.tasks);
            assert_eq!(
                queue.inside.iter().map(|level| level.rows.len()).sum::<usize>(),
                on as usize
            );
        }
        assert!(inside > 10, "{kernel}: {inside} picks inside the group");
        assert!(compared > 3, "{kernel}: {compared} tests between groups");
    }
}

#[test]
fn children_are_in_the_group_of_their_parent() {
    let text = TWO.replace("KERNEL", "6.12").replace("run 3ms\\nsleep 1ms", "run 3ms\\nfork child");
    let text =
        format!("{text}\n[[task]]\nname = \"child\"\nstart = \"fork\"\nprogram = \"run 1ms\"");
    let mut session = Session::new();
    assert!(matches!(session.handle(Command::Load { text }), Update::Loaded(_)));
    let end = show(&mut session, Goto::End);
    assert!(end.tasks.len() > 5, "{} tasks", end.tasks.len());
    assert!(end.tasks[1..].iter().all(|task| task.group == Some(0)));
}

#[test]
fn groups_are_edited() {
    let (mut session, _) = support::load(&TWO.replace("KERNEL", "6.12"));
    let done = edit(&mut session, 0, Edit::AddGroup("web".into())).expect("a group");
    assert_eq!(done.done, "the group web is added");
    let groups: Vec<&str> = done.loaded.groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(groups, ["batch", "web"]);
    let done = edit(&mut session, 0, Edit::Shares(1, 2048)).expect("shares");
    assert_eq!(done.loaded.groups[1].shares, 2048);
    assert!(edit(&mut session, 0, Edit::Shares(1, 1)).is_err());
    assert!(edit(&mut session, 0, Edit::Shares(2, 5)).is_err());
    let done = edit(&mut session, 0, Edit::GroupLatencyNice(1, -5)).expect("a latency-nice");
    assert_eq!(done.loaded.groups[1].notes.len(), 1, "without effect on 6.12");
    let done = edit(&mut session, 0, Edit::Group(Who::Row(0), Some("web".into()))).expect("A");
    assert_eq!(done.loaded.rows[0].group, Some(1));
    let done = edit(&mut session, 0, Edit::RenameGroup(1, "front".into())).expect("a name");
    assert!(done.loaded.text.contains("group = \"front\""), "{}", done.loaded.text);

    // During the run: a running task leaves its group, and the shares change.
    let step = show(&mut session, Goto::Time(20_000_000)).step;
    let done = edit(&mut session, step, Edit::Group(Who::Task(1), None)).expect("B1");
    assert!(done.done.starts_with("B1 is in no group, from event"), "{}", done.done);
    let moment = show(&mut session, Goto::Step(step + 1));
    assert_eq!(moment.event, "B1 leaves its group.");
    assert_eq!([0, 1, 2].map(|task: usize| moment.tasks[task].group), [Some(1), None, Some(0)]);
    let done = edit(&mut session, step + 1, Edit::Shares(0, 100)).expect("shares");
    assert!(done.done.starts_with("shares of batch 100, from event"), "{}", done.done);
    let moment = show(&mut session, Goto::Step(step + 2));
    assert_eq!(moment.event, "The shares of batch become 100.");
    assert_eq!(moment.groups[0].shares, 100);
    let end = show(&mut session, Goto::End);
    assert!(end.step > step + 10);

    // A link takes all of it along.
    let Update::Edited(last) =
        session.handle(Command::Edit { step: 0, edit: Edit::Rename(0, "editor".into()) })
    else {
        panic!("not renamed")
    };
    let mut other = Session::new();
    match other.handle(Command::LoadPacked { packed: last.loaded.packed.clone() }) {
        Update::Loaded(again) => assert_eq!(again.text, last.loaded.text),
        refused => panic!("{refused:?}"),
    }
    let done = edit(&mut session, 0, Edit::RemoveGroup(0)).expect("it goes");
    assert_eq!(done.loaded.rows.iter().map(|row| row.group).collect::<Vec<_>>(), [Some(0), None]);
}
