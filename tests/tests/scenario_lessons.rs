//! Every lesson is run: each step's moment is gone to, and each line of its `expect` fence must be
//! true there. Scenarios without steps run to their end.

use schedscope_scenario::lessons;
use schedscope_session::rehearse::rehearse;
use schedscope_session::{Command, Session, Update};

#[test]
fn lessons_are_true() {
    let mut wrong = Vec::new();
    for entry in lessons() {
        let lesson = entry.lesson().expect("reads");
        let played = rehearse(&lesson, |_, step, page| {
            let at = |line: u32| format!("lessons/{}.md:{line}", entry.id);
            if page.wrong.is_empty() {
                return;
            }
            wrong.extend(page.wrong.iter().map(|(line, said)| format!("{}: {said}", at(*line))));
            let moment = page.moment;
            let (step, heading) = (moment.step, &step.heading);
            wrong.push(format!("  {heading}: step {step}, {} ns: {}", moment.now, moment.event));
            let told = moment.decisions.iter();
            wrong.extend(told.map(|d| format!("    {} {}", d.heading, d.sentence)));
        });
        assert_eq!(played, Ok(()), "{}", entry.id);
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn scenarios_run() {
    for entry in lessons() {
        let mut session = Session::new();
        let loaded = session.handle(Command::Load { text: entry.text.to_owned() });
        assert!(matches!(loaded, Update::Loaded(_)), "{}: {loaded:?}", entry.id);
        let mut run = || match session.handle(Command::Run { steps: 30_000 }) {
            Update::Advanced(progress) => progress,
            other => panic!("{}: {other:?}", entry.id),
        };
        let mut progress = run();
        let first = progress.time;
        while !progress.done && progress.steps < 90_000 {
            progress = run();
        }
        assert!(progress.done || progress.time > first, "{}: time stands still", entry.id);
    }
}
