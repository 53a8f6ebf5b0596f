//! Every lesson is run: each step's moment is gone to, and each line of its `expect` fence must be
//! true there. Scenarios without steps run to their end.

use schedscope_scenario::lesson::{Answer, Claim, Figure, Move, Role, State, Step, Tab, TaskName};
use schedscope_scenario::{Document, Entry, Lesson, lessons};
use schedscope_session::update::{
    Cpu, Decision, DecisionKind, Moment, PickPicture, PickRow, Picture, PlacePicture, Task,
    TaskState,
};
use schedscope_session::{Command, Goto, Session, Update};

/// The player of a lesson: a session with a place in its run.
struct Player {
    session: Session,
    step: u64,
    focus: Cpu,
}

impl Player {
    fn open(document: &Document) -> Player {
        let mut session = Session::new();
        match session.handle(Command::LoadPacked { packed: document.pack() }) {
            Update::Loaded(_) => Player { session, step: 0, focus: 0 },
            other => panic!("not loaded: {other:?}"),
        }
    }

    fn show(&mut self, goto: Goto) -> Moment {
        match self.session.handle(Command::Show { goto, focus: self.focus }) {
            Update::Moment(moment) => *moment,
            other => panic!("no moment at {goto:?}: {other:?}"),
        }
    }

    /// Makes the moves from where it is.
    fn go(&mut self, moves: &[Move]) -> Result<(), String> {
        let (from, focus) = (self.step, self.focus);
        match self.session.handle(Command::Walk { moves: moves.to_vec(), from, focus }) {
            Update::Walked { moment, .. } => {
                self.step = moment.step;
                Ok(())
            }
            Update::Rejected(problems) => Err(problems[0].sentence.clone()),
            other => panic!("{other:?}"),
        }
    }

    /// The number of a task by name.
    fn task(&self, name: &TaskName) -> Task {
        self.session.task_named(name).unwrap_or_else(|| panic!("no task {name} yet"))
    }

    fn name(&self, task: Option<Task>) -> String {
        task.map_or_else(|| "nobody".to_string(), |task| self.session.task_name(task))
    }

    /// What is said instead of the claim, if it is wrong.
    fn check(&mut self, claim: &Claim, moment: &Moment) -> Result<(), String> {
        let same = |right: bool, found: String| if right { Ok(()) } else { Err(found) };
        match claim {
            Claim::Time(time) => {
                same(time.matches(moment.now as i64), format!("{} ns", moment.now))
            }
            Claim::Runs(cpu, name) => {
                let curr = moment.cpus[usize::from(*cpu)].curr;
                let wanted = name.as_ref().map(|name| self.task(name));
                same(curr == wanted, self.name(curr))
            }
            Claim::Waits(cpu, names) => {
                let waiting = &moment.cpus[usize::from(*cpu)].waiting;
                let wanted: Vec<Task> = names.iter().map(|name| self.task(name)).collect();
                let found: Vec<String> =
                    waiting.iter().map(|task| self.name(Some(*task))).collect();
                same(*waiting == wanted, found.join(" "))
            }
            Claim::Figure(name, figure, amount) => {
                let found = self.figure(name, *figure, moment)?;
                same(amount.matches(found), found.to_string())
            }
            Claim::Eligible(name, yes) => {
                let (row, _) = self.row(name, moment)?;
                same(row.eligible == *yes, format!("eligible {}, lag {}", row.eligible, row.lag))
            }
            Claim::State(name, state) => {
                let found = moment.tasks[self.task(name) as usize].state;
                same(found == task_state(*state), format!("{found:?}"))
            }
            Claim::On(name, cpu) => {
                let found = moment.tasks[self.task(name) as usize].cpu;
                same(found == *cpu, format!("cpu {found}"))
            }
            Claim::Picks(name) => {
                let wanted = name.as_ref().map(|name| self.task(name));
                let picks = moment.decisions.iter().filter(|d| d.kind == DecisionKind::Pick);
                let chosen = picks.filter_map(|pick| match &pick.picture {
                    Picture::Pick(picture) => Some(picture.chosen),
                    _ => None,
                });
                let chosen: Vec<Option<Task>> = chosen.collect();
                let found: Vec<String> = chosen.iter().map(|task| self.name(*task)).collect();
                same(chosen.contains(&wanted), found.join(" "))
            }
            Claim::Places(name, cpu, branch) => {
                let wanted = self.task(name);
                let place = places(moment).find(|place| place.wakee == wanted);
                let place = place.ok_or_else(|| format!("{:#?}", moment.decisions))?;
                let by = branch.as_ref().is_none_or(|branch| *branch == place.branch);
                let found = format!("on cpu {} by {}", place.chosen, place.branch);
                same(place.chosen == *cpu && by, found)
            }
            Claim::Cpu(role, cpu) => {
                let of = |place: &PlacePicture| match role {
                    Role::Waker => place.this_cpu,
                    Role::Prev => place.prev_cpu,
                    Role::Target => place.target,
                };
                let found: Vec<Cpu> = places(moment).map(of).collect();
                same(found.contains(cpu), format!("{found:?}"))
            }
            Claim::Scan(cpus) => {
                let mut scans = moment.decisions.iter().filter(|d| is_placement(d)).map(scanned);
                let found = scans.next().ok_or("no placement")?;
                same(found == *cpus, format!("{found:?}"))
            }
            Claim::Reason(reason) => {
                let mut reasons = Vec::new();
                for decision in &moment.decisions {
                    match &decision.picture {
                        Picture::Pick(pick) => reasons.push(pick.reason.clone()),
                        Picture::Place(place) => reasons.push(place.branch.clone()),
                        _ => {}
                    }
                }
                same(reasons.contains(reason), format!("{reasons:?}"))
            }
            Claim::Says(text) => {
                let said: Vec<&str> =
                    moment.decisions.iter().map(|decision| decision.sentence.as_str()).collect();
                same(said.iter().any(|said| said.contains(text)), format!("{said:?}"))
            }
        }
    }

    /// The queue that a task is on, and its row of figures.
    fn row(&mut self, name: &TaskName, moment: &Moment) -> Result<(PickRow, PickPicture), String> {
        let task = self.task(name);
        let cpu = moment.tasks[task as usize].cpu;
        let goto = Goto::Step(moment.step);
        let queue = match self.session.handle(Command::Show { goto, focus: cpu }) {
            Update::Moment(moment) => moment.queue.ok_or("no queue")?,
            other => return Err(format!("{other:?}")),
        };
        let row = queue.rows.iter().find(|row| row.task == task).copied();
        Ok((row.ok_or_else(|| format!("not queued on cpu {cpu}"))?, queue))
    }

    fn figure(&mut self, name: &TaskName, figure: Figure, moment: &Moment) -> Result<i64, String> {
        let view = moment.tasks[self.task(name) as usize];
        Ok(match figure {
            Figure::Slice => view.slice as i64,
            Figure::Ran => view.ran as i64,
            Figure::Weight => i64::from(view.weight),
            Figure::Nice => i64::from(view.nice),
            Figure::Lag => self.row(name, moment)?.0.lag,
            Figure::Vruntime => self.row(name, moment)?.0.vruntime,
            Figure::Deadline => self.row(name, moment)?.0.deadline,
        })
    }
}

fn places(moment: &Moment) -> impl Iterator<Item = &PlacePicture> {
    moment.decisions.iter().filter_map(|decision| match &decision.picture {
        Picture::Place(place) => Some(place),
        _ => None,
    })
}

fn is_placement(decision: &Decision) -> bool {
    decision.kind == DecisionKind::Placement
}

/// The CPUs that the scan of a placement looked at, in order.
fn scanned(decision: &Decision) -> Vec<Cpu> {
    let probes = decision.checks.iter().flat_map(|check| &check.probes);
    let scan = |code: &str| matches!(code, "scan" | "core" | "smt") || code.ends_with("scan");
    probes.filter(|probe| scan(&probe.code)).map(|probe| probe.cpu).collect()
}

fn task_state(state: State) -> TaskState {
    match state {
        State::New => TaskState::New,
        State::Running => TaskState::Running,
        State::Runnable => TaskState::Runnable,
        State::Sleeping => TaskState::Sleeping,
        State::Delayed => TaskState::Delayed,
        State::Waking => TaskState::Waking,
        State::Exited => TaskState::Exited,
    }
}

/// What is wrong with a step, one line each.
fn play(player: &mut Player, entry: &Entry, step: &Step) -> Vec<String> {
    let at = |line: u32| format!("lessons/{}.md:{line}", entry.id);
    let mut wrong = Vec::new();
    if let Some(focus) = step.focus {
        player.focus = focus;
    }
    if let Err(sentence) = player.go(&step.goto) {
        wrong.push(format!("{}: {sentence}", at(step.line)));
    }
    let moment = player.show(Goto::Step(player.step));
    for expected in &step.expect {
        if let Err(found) = player.check(&expected.claim, &moment) {
            let claim = &expected.claim;
            wrong.push(format!("{}: {claim}: found {found}", at(expected.line)));
        }
    }
    let asked = step.question.as_ref().map(|question| &question.answer);
    let answer = match asked {
        Some(Answer::Task(name)) => player.check(&Claim::Picks(Some(name.clone())), &moment),
        _ => Ok(()),
    };
    if let (Err(found), Some(Tab::Pick) | None) = (answer, step.tab) {
        wrong.push(format!("{}: the answer is wrong: found {found}", at(step.line)));
    }
    if !wrong.is_empty() {
        let decisions: Vec<String> =
            moment.decisions.iter().map(|d| format!("  {} {}", d.heading, d.sentence)).collect();
        wrong.push(format!(
            "  at step {}, {} ns: {}\n{}",
            moment.step,
            moment.now,
            moment.event,
            decisions.join("\n")
        ));
    }
    wrong
}

#[test]
fn lessons_are_true() {
    let mut wrong = Vec::new();
    for entry in lessons() {
        let lesson: Lesson = entry.lesson().expect("reads");
        let mut player = Player::open(&lesson.own_document());
        for (at, step) in lesson.steps.iter().enumerate() {
            if !step.settings.is_empty() {
                let focus = player.focus;
                player = Player { focus, ..Player::open(&lesson.document_at(at)) };
            }
            wrong.extend(play(&mut player, entry, step));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn scenarios_run() {
    for entry in lessons() {
        let lesson: Lesson = entry.lesson().expect("reads");
        let mut player = Player::open(&lesson.own_document());
        let mut progress = match player.session.handle(Command::Run { steps: 30_000 }) {
            Update::Advanced(progress) => progress,
            other => panic!("{}: {other:?}", entry.id),
        };
        let first = progress.time;
        while !progress.done && progress.steps < 90_000 {
            progress = match player.session.handle(Command::Run { steps: 30_000 }) {
                Update::Advanced(progress) => progress,
                other => panic!("{}: {other:?}", entry.id),
            };
        }
        assert!(progress.done || progress.time > first, "{}: time stands still", entry.id);
    }
}
