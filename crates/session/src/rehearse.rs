//! Going through a lesson from its first step to its last, and whether what it says is true there.

use crate::update::{
    Cpu, Decision, DecisionKind, Loaded, Moment, PickRow, Picture, PlacePicture, Problem,
    RowMetrics, Task, TaskState,
};
use crate::{Command, Goto, Session, Update};
use schedscope_scenario::Lesson;
use schedscope_scenario::lesson::{Answer, Claim, Figure, Role, State, Step, TaskName};

/// A step of a lesson, gone to.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its moment.
    pub moment: Moment,
    /// The CPU whose run queue it shows.
    pub focus: Cpu,
    /// Which of the moment's decisions the step is about, if its last move looked for one.
    pub decision: Option<usize>,
    /// What is not true there: the line of the file, and a sentence.
    pub wrong: Vec<(u32, String)>,
}

/// Goes to every step of a lesson, as the page does, and hears of each in turn.
///
/// # Errors
/// What is wrong with the scenario of a step.
pub fn rehearse(
    lesson: &Lesson,
    mut each: impl FnMut(&Session, &Step, Page),
) -> Result<(), Vec<Problem>> {
    let mut player = Player { session: Session::new(), focus: 0, second: false };
    for (at, step) in lesson.steps.iter().enumerate() {
        if at == 0 || !step.settings.is_empty() {
            player.open(lesson.document_at(at).pack())?;
        }
        let page = player.page(lesson, at);
        each(&player.session, step, page);
    }
    Ok(())
}

/// The player of a lesson.
struct Player {
    session: Session,
    focus: Cpu,
    /// Whether it asks the run beside the lesson's.
    second: bool,
}

impl Player {
    fn open(&mut self, packed: Vec<u8>) -> Result<Loaded, Vec<Problem>> {
        match self.session.handle(Command::LoadPacked { packed }) {
            Update::Loaded(loaded) => Ok(*loaded),
            Update::Rejected(problems) => Err(problems),
            other => unreachable!("loading is answered with {other:?}"),
        }
    }

    /// Goes to a step and looks whether it holds what the lesson says.
    fn page(&mut self, lesson: &Lesson, at: usize) -> Page {
        let step = &lesson.steps[at];
        let mut wrong = Vec::new();
        self.focus = step.focus.unwrap_or(self.focus);
        let moves = lesson.way_to(at);
        let (moment, decision) =
            match self.session.handle(Command::Walk { moves, from: 0, focus: self.focus }) {
                Update::Walked { moment, decision } => (*moment, decision.map(|at| at as usize)),
                Update::Rejected(problems) => {
                    wrong.extend(problems.into_iter().map(|lost| (step.line, lost.sentence)));
                    (self.show(Goto::Step(0), self.focus), None)
                }
                other => unreachable!("a walk is answered with {other:?}"),
            };
        let beside = Command::Beside { with: step.beside.clone() };
        if let Update::Rejected(problems) = self.session.handle(beside) {
            wrong.extend(problems.into_iter().map(|problem| (step.line, problem.sentence)));
            return Page { moment, focus: self.focus, decision, wrong };
        }
        for expected in &step.expect {
            if let Err(found) = self.check(&expected.claim, &moment) {
                wrong.push((expected.line, format!("{}: found {found}", expected.claim)));
            }
        }
        let asked = step.question.as_ref().map(|question| &question.answer);
        if let Err(found) = asked.map_or(Ok(()), |answer| self.answer(answer, &moment)) {
            wrong.push((step.line, format!("the answer is wrong: found {found}")));
        }
        Page { moment, focus: self.focus, decision, wrong }
    }

    fn show(&mut self, goto: Goto, focus: Cpu) -> Moment {
        match self.ask(Command::Show { goto, focus }) {
            Update::Moment(moment) => *moment,
            other => unreachable!("a moment is answered with {other:?}"),
        }
    }

    /// Asks the lesson's run, or the one beside it.
    fn ask(&mut self, command: Command) -> Update {
        if !self.second {
            return self.session.handle(command);
        }
        match self.session.handle(Command::Second(Box::new(command))) {
            Update::Second(answer) => *answer,
            other => other,
        }
    }

    /// The number of a task by name.
    fn task(&self, name: &TaskName) -> Result<Task, String> {
        self.session.task_named(name).ok_or_else(|| format!("no task {name} yet"))
    }

    fn name(&self, task: Option<Task>) -> String {
        task.map_or_else(|| "nobody".to_string(), |task| self.session.task_name(task))
    }

    /// What happens instead of the answer to a question, as far as the moment can tell.
    fn answer(&mut self, answer: &Answer, moment: &Moment) -> Result<(), String> {
        let picks = moment.decisions.iter().any(|decision| decision.kind == DecisionKind::Pick);
        let mut chosen = places(moment).flat_map(|place| [place.target, place.chosen]).peekable();
        match answer {
            Answer::Task(name) if picks => self.check(&Claim::Picks(Some(name.clone())), moment),
            // Where a search starts, or where it ends.
            Answer::Cpu(cpu) if chosen.peek().is_some() => {
                let found: Vec<Cpu> = chosen.collect();
                if found.contains(cpu) { Ok(()) } else { Err(format!("{found:?}")) }
            }
            _ => Ok(()),
        }
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
                let wanted = name.as_ref().map(|name| self.task(name)).transpose()?;
                same(curr == wanted, self.name(curr))
            }
            Claim::Waits(cpu, names) => {
                let waiting = &moment.cpus[usize::from(*cpu)].waiting;
                let wanted: Vec<Task> =
                    names.iter().map(|name| self.task(name)).collect::<Result<_, _>>()?;
                let found: Vec<String> =
                    waiting.iter().map(|task| self.name(Some(*task))).collect();
                same(*waiting == wanted, found.join(" "))
            }
            Claim::Figure(name, figure, amount) => {
                let found = self.figure(name, *figure, moment)?;
                same(amount.matches(found), found.to_string())
            }
            Claim::Eligible(name, yes) => {
                let row = self.row(name, moment)?;
                same(row.eligible == *yes, format!("eligible {}, lag {}", row.eligible, row.lag))
            }
            Claim::State(name, state) => {
                let found = moment.tasks[self.task(name)? as usize].state;
                same(found == task_state(*state), format!("{found:?}"))
            }
            Claim::On(name, cpu) => {
                let found = moment.tasks[self.task(name)? as usize].cpu;
                same(found == *cpu, format!("cpu {found}"))
            }
            Claim::Picks(name) => {
                let wanted = name.as_ref().map(|name| self.task(name)).transpose()?;
                let picks = moment.decisions.iter().filter(|d| d.kind == DecisionKind::Pick);
                let chosen = picks.filter_map(|pick| match &pick.picture {
                    // Of a group, the task inside it.
                    Picture::Pick(picture) => {
                        Some(picture.inside.last().map_or(picture.chosen, |inner| inner.chosen))
                    }
                    _ => None,
                });
                let chosen: Vec<Option<Task>> = chosen.collect();
                let found: Vec<String> = chosen.iter().map(|task| self.name(*task)).collect();
                same(chosen.contains(&wanted), found.join(" "))
            }
            Claim::Places(name, cpu, branch) => {
                let wanted = self.task(name)?;
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
                let said = moment.decisions.iter().flat_map(|decision| {
                    let checks = decision.checks.iter().map(|check| &check.sentence);
                    checks.chain([&decision.sentence])
                });
                let said: Vec<&String> = said.collect();
                same(said.iter().any(|said| said.contains(text)), format!("{said:?}"))
            }
            Claim::Beside(claim) => {
                self.second = true;
                let moment = self.show(Goto::Time(moment.now), self.focus);
                let found = self.check(claim, &moment);
                self.second = false;
                found
            }
            Claim::Clock(cpu, clock) => {
                let found = moment.cpus[usize::from(*cpu)].khz;
                same(clock.matches(i64::from(found)), format!("{found} kHz"))
            }
        }
    }

    /// The figures of a row of the task list, up to the moment.
    fn figures(&mut self, name: &TaskName, moment: &Moment) -> Result<RowMetrics, String> {
        let row = moment.tasks[self.task(name)? as usize].row;
        match self.ask(Command::Metrics { upto: Some(Goto::Step(moment.step)) }) {
            Update::Metrics(metrics) => Ok(metrics.rows[usize::from(row)].clone()),
            other => unreachable!("figures are answered with {other:?}"),
        }
    }

    /// A task's row in the queue that it is on.
    fn row(&mut self, name: &TaskName, moment: &Moment) -> Result<PickRow, String> {
        let task = self.task(name)?;
        let cpu = moment.tasks[task as usize].cpu;
        let queue = self.show(Goto::Step(moment.step), cpu).queue.ok_or("no queue")?;
        let queues = std::iter::once(&queue).chain(&queue.inside);
        let row = queues.flat_map(|queue| &queue.rows).find(|row| row.task == task).copied();
        row.ok_or_else(|| format!("not queued on cpu {cpu}"))
    }

    fn figure(&mut self, name: &TaskName, figure: Figure, moment: &Moment) -> Result<i64, String> {
        let view = moment.tasks[self.task(name)? as usize];
        Ok(match figure {
            // In CFS the slice depends on who else is queued.
            Figure::Slice => self.row(name, moment).map_or(view.slice, |row| row.slice) as i64,
            Figure::Ran => view.ran as i64,
            Figure::Weight => i64::from(view.weight),
            Figure::Nice => i64::from(view.nice),
            Figure::Work => self.figures(name, moment)?.work as i64,
            Figure::Waited => self.figures(name, moment)?.waited as i64,
            Figure::Wakeups => self.figures(name, moment)?.wakeups as i64,
            Figure::Migrations => self.figures(name, moment)?.migrations.iter().sum::<u64>() as i64,
            Figure::Cpus => i64::from(self.figures(name, moment)?.cpus),
            Figure::Lag => self.row(name, moment)?.lag,
            Figure::Vruntime => self.row(name, moment)?.vruntime,
            Figure::Deadline => self.row(name, moment)?.deadline,
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
