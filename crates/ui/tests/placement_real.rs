//! Machine, placement and groups pictures of real runs: every lesson, many decisions, every check.

mod support;

use schedscope_session::update::{Decision, DecisionKind, Loaded, Moment, Picture};
use schedscope_session::{Command, Goto, Session, Stride, Update};
use schedscope_ui::view::machine::stage;
use schedscope_ui::view::{Look, Roster, groups, machine, placement};
use support::sound::well_set;

/// Looks at a decision as a reader would: check by check, on a desk, a phone and a projector.
fn look_at(loaded: &Loaded, moment: &Moment, number: usize) {
    let decision = &moment.decisions[number];
    let roster = Roster { loaded, moment };
    let sizes = [
        Look::new(646.0, 440.0),
        Look { coarse: true, ..Look::new(358.0, 420.0) },
        Look { present: true, ..Look::new(1328.0, 560.0) },
    ];
    let last = decision.checks.len().saturating_sub(1);
    for (i, look) in sizes.into_iter().enumerate() {
        for check in 0..=last {
            if i > 0 && check != last {
                continue;
            }
            let look = Look { decision: number, check, ..look.clone() };
            let scene = match decision.kind {
                DecisionKind::Placement => {
                    placement::scene(decision, &loaded.machine, moment, roster, &look)
                }
                DecisionKind::ForkPlacement | DecisionKind::Balance => {
                    groups::layout(decision, roster, &look)
                }
                _ => machine::layout(&loaded.machine, moment, roster, &look),
            };
            well_set(&scene, &look);
            hides_the_outcome(decision, moment, &look, check < last);
        }
    }
}

/// Before the last check the woken task is on no CPU.
fn hides_the_outcome(decision: &Decision, moment: &Moment, look: &Look, early: bool) {
    let Picture::Place(place) = &decision.picture else { return };
    let cpus = stage(moment, look);
    let there = &cpus[usize::from(place.chosen)];
    let on_it = there.curr == Some(place.wakee) || there.waiting.contains(&place.wakee);
    assert_eq!(on_it, !early, "task {} on CPU {}", place.wakee, place.chosen);
}

#[test]
fn decisions_of_every_lesson_are_well_set() {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lessons");
    let mut seen = 0;
    for entry in std::fs::read_dir(dir).expect("lessons") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "md") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("can read");
        let mut session = Session::new();
        let Update::Loaded(loaded) = session.handle(Command::Load { text }) else {
            panic!("{} is refused", path.display());
        };
        session.handle(Command::Run { steps: 20_000 });
        for kind in [
            DecisionKind::Placement,
            DecisionKind::ForkPlacement,
            DecisionKind::Balance,
            DecisionKind::Pick,
        ] {
            let mut step = 0;
            for _ in 0..12 {
                let goto = Goto::Next(Stride::Kind(kind), step);
                let update = session.handle(Command::Show { goto, focus: 0 });
                let Update::Moment(moment) = update else { break };
                if moment.step == step {
                    break;
                }
                step = moment.step;
                for number in 0..moment.decisions.len() {
                    look_at(&loaded, &moment, number);
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 100, "only {seen} decisions");
}
