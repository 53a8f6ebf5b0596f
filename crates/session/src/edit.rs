//! What an edit does: at the start it changes the document, later it becomes an input of the run.

use schedscope_analysis::words;
use schedscope_scenario::document::{Cpus, Edit as Input, MachineChoice, Start, Who as InputWho};
use schedscope_scenario::face::{COLOURS, faces};
use schedscope_scenario::{
    Document, cpu_list, document, duration, program, read_machine, read_row, topology_file,
};
use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::kernel::{Feature, Preset};
use schedscope_sim::state::TaskState;
use schedscope_sim::units::{CpuId, NICE_RANGE, TaskId};

use crate::kernel;
use crate::run::{Run, problems};
use crate::update::{Cpu, Group, Problem, Row, Task};
use crate::{Edit, Who};

/// What an edit did.
pub(crate) struct Done {
    /// For people.
    pub(crate) done: String,
    /// Whether it cut off steps that had been taken.
    pub(crate) forked: bool,
}

fn problem(place: &str, sentence: impl Into<String>) -> Vec<Problem> {
    vec![Problem { place: place.to_owned(), sentence: sentence.into(), line: None }]
}

/// Makes the edit, or leaves everything as it is.
pub(crate) fn apply(run: &mut Run, step: u64, edit: Edit) -> Result<Done, Vec<Problem>> {
    run.advance_to(step);
    let step = step.min(run.steps());
    match structural(run, &edit)? {
        Some((document, done)) => {
            let before = std::mem::take(&mut run.notes);
            let made = again(run, document, done);
            match made {
                Ok(mut made) => {
                    made.done.push_str(&without_effect(&before, &run.notes));
                    Ok(made)
                }
                Err(found) => {
                    run.notes = before;
                    Err(found)
                }
            }
        }
        None => match face(run, &edit)? {
            Some(done) => Ok(Done { done, forked: false }),
            None if step == 0 => at_start(run, edit),
            None => later(run, step, edit),
        },
    }
}

/// An edit that always changes the document itself: the document with it, and what it did.
fn structural(run: &Run, edit: &Edit) -> Result<Option<(Document, String)>, Vec<Problem>> {
    let mut document = run.document.clone();
    let done = match edit {
        Edit::Program(row, text) => {
            let program = program::Program::parse(text).map_err(|found| {
                found
                    .into_iter()
                    .map(|(line, sentence)| Problem {
                        place: "program".to_owned(),
                        sentence,
                        line: Some(line as u32 + 1),
                    })
                    .collect::<Vec<_>>()
            })?;
            let row = row_mut(&mut document, *row)?;
            row.program = program;
            format!("program of {}", row.name)
        }
        Edit::AddGroup(name) => {
            let group = document::Group { name: name.clone(), ..document::Group::default() };
            let group = document.add_group(group);
            format!("the group {} is added", document.groups[group].name)
        }
        Edit::RemoveGroup(group) => {
            let name = group_mut(&mut document, *group)?.name.clone();
            document.remove_group(usize::from(*group));
            format!("the group {name} is taken away")
        }
        Edit::Machine(text) => {
            document.machine = if topology_file::recognise(text).is_some() {
                MachineChoice::Cpus(topology_file::read(text).map_err(problems)?.table)
            } else {
                read_machine(text).map_err(problems)?
            };
            let topology = document.machine.topology().map_err(problems)?;
            let dropped = fit(&mut document, &topology.all());
            let mut done = format!("machine {}", topology.name());
            if !dropped.is_empty() {
                done.push_str(&format!("; {}", words::list(&dropped, 4)));
            }
            done
        }
        Edit::Kernel(name) => {
            let Some(preset) = Preset::from_name(name) else {
                let known: Vec<String> = Preset::ALL.iter().map(|p| p.name().to_owned()).collect();
                let known = words::list(&known, usize::MAX);
                return Err(problem(
                    "kernel",
                    format!("there is no kernel \"{name}\"; there are {known}."),
                ));
            };
            document.kernel.set_preset(name);
            kernel::preset_name(preset).to_owned()
        }
        Edit::Placement(name) => {
            if let Some(name) = name.as_ref().filter(|name| Preset::from_name(name).is_none()) {
                return Err(problem("kernel", format!("there is no kernel \"{name}\".")));
            }
            document.kernel.set_placement(name.as_deref());
            match name {
                Some(name) => format!("wakeup placement of {name}"),
                None => "the kernel's own wakeup placement".to_owned(),
            }
        }
        Edit::Feature(name, on) => {
            if Feature::from_name(name).is_none() {
                return Err(problem("kernel", format!("there is no feature \"{name}\".")));
            }
            document.kernel.set_feature(name, *on);
            format!("{name} {}", if *on { "on" } else { "off" })
        }
        Edit::BaseSlice(ns) => {
            document.kernel.base_slice = Some(*ns);
            format!("base slice {}", words::time(*ns))
        }
        Edit::Hz(hz) => {
            document.kernel.hz = Some(*hz);
            format!("{hz} ticks per second")
        }
        Edit::Seed(seed) => {
            document.seed = *seed;
            format!("seed {seed}")
        }
        Edit::End(ns) => {
            document.end = *ns;
            format!("end at {}", words::time(*ns))
        }
        _ => return Ok(None),
    };
    Ok(Some((document, done)))
}

/// Takes CPUs that a smaller machine lacks out of affinities, start CPUs and inputs.
pub(crate) fn fit(document: &mut Document, all: &CpuSet) -> Vec<String> {
    let mut dropped = Vec::new();
    let has = |cpu: u16| all.contains(CpuId(cpu));
    for row in &mut document.rows {
        if let Some(Cpus(mask)) = row.affinity
            && !mask.is_subset(all)
        {
            let left = mask.and(all);
            row.affinity = (!left.is_empty()).then_some(Cpus(left));
            dropped.push(format!("{} is no longer bound to CPUs that are gone", row.name));
        }
        if let Start::At { cpus, .. } = &mut row.start {
            let before = cpus.len();
            cpus.retain(|&cpu| has(cpu));
            if cpus.len() < before {
                dropped.push(format!("{} starts where the kernel puts it", row.name));
            }
        }
    }
    document.inputs.retain(|input| match &input.edit {
        Input::Affinity(_, Some(Cpus(mask))) => mask.is_subset(all),
        Input::Move(_, cpu) | Input::Spawn(_, Some(cpu)) => has(*cpu),
        _ => true,
    });
    dropped
}

/// What has lost its effect, in words; nothing if nothing has.
fn without_effect(before: &[Problem], now: &[Problem]) -> String {
    let effectless = |note: &&Problem| note.sentence.ends_with("no effect.");
    let had = |place: &str| before.iter().filter(effectless).any(|note| note.place == place);
    let lost = now.iter().filter(effectless).filter(|note| !had(&note.place));
    let called = |note: &Problem| {
        let (of, what) = note.place.rsplit_once('.').unwrap_or(("", &note.place));
        let what = what.replace('_', "-");
        of.strip_prefix("task.").map_or(what.clone(), |row| format!("{what} of {row}"))
    };
    let lost: Vec<String> = lost.map(called).collect();
    if lost.is_empty() {
        return String::new();
    }
    format!("; kept, but without effect: {}", words::list(&lost, 4))
}

/// Starts the run of a changed document again.
fn again(run: &mut Run, document: Document, done: String) -> Result<Done, Vec<Problem>> {
    let had = run.steps() > 0;
    *run = Run::new(document)?;
    let done = if had { format!("{done}; the run starts again") } else { done };
    Ok(Done { done, forked: had })
}

/// An edit of what a row is called and how it looks: nothing in the run changes.
fn face(run: &mut Run, edit: &Edit) -> Result<Option<String>, Vec<Problem>> {
    let document = &mut run.document;
    let refused = |found| problems(vec![found]);
    let done = match edit {
        Edit::Rename(row, name) => {
            let old = row_mut(document, *row)?.name.clone();
            document.rename(usize::from(*row), name).map_err(refused)?;
            // What is said of the row names it by its place.
            let place = |name: &str| format!("task.{}.", duration::clip(name));
            let (was, is) = (place(&old), place(name));
            for note in &mut run.notes {
                if let Some(rest) = note.place.strip_prefix(&was) {
                    note.place = format!("{is}{rest}");
                }
            }
            format!("{old} is now called {name}")
        }
        Edit::RenameGroup(group, name) => {
            let old = group_mut(document, *group)?.name.clone();
            document.rename_group(usize::from(*group), name).map_err(refused)?;
            run.names.groups[usize::from(*group)] = name.clone();
            format!("the group {old} is now called {name}")
        }
        Edit::Letter(row, letter) => {
            let name = row_mut(document, *row)?.name.clone();
            document.set_letter(usize::from(*row), letter.as_deref()).map_err(refused)?;
            match letter {
                Some(letter) => format!("letter of {name} {letter}"),
                None => format!("{name} has the next free letter"),
            }
        }
        Edit::Colour(row, colour) => {
            if colour.is_some_and(|colour| !COLOURS.contains(&colour)) {
                return Err(problem("colour", "the palette has the colours 1 to 24."));
            }
            let row = row_mut(document, *row)?;
            row.colour = *colour;
            match colour {
                Some(colour) => format!("colour of {} {colour}", row.name),
                None => format!("{} has the colour of its letter", row.name),
            }
        }
        Edit::Muted(row, muted) => {
            let row = row_mut(document, *row)?;
            row.muted = *muted;
            match muted {
                Some(true) => format!("{} is grey", row.name),
                Some(false) => format!("{} has its colour", row.name),
                None => format!("{} is grey if it has many tasks", row.name),
            }
        }
        _ => return Ok(None),
    };
    run.names.faces = faces(&run.document.rows);
    Ok(Some(done))
}

fn row_mut(document: &mut Document, row: Row) -> Result<&mut document::Row, Vec<Problem>> {
    let rows = document.rows.len();
    document
        .rows
        .get_mut(usize::from(row))
        .ok_or_else(|| problem("edit", format!("there is no row {row}; there are {rows}.")))
}

fn group_mut(document: &mut Document, group: Group) -> Result<&mut document::Group, Vec<Problem>> {
    let groups = document.groups.len();
    document
        .groups
        .get_mut(usize::from(group))
        .ok_or_else(|| problem("edit", format!("there is no group {group}; there are {groups}.")))
}

/// A group by name, if there is one of that name.
fn check_group(document: &Document, name: Option<&String>) -> Result<(), Vec<Problem>> {
    match name.filter(|name| document.group(name).is_none()) {
        Some(name) => Err(problem("group", format!("there is no group \"{name}\"."))),
        None => Ok(()),
    }
}

/// `D goes to the group batch`, or `D leaves its group`.
fn regrouped(who: &str, group: Option<&String>) -> String {
    match group {
        Some(group) => format!("{who} is in the group {group}"),
        None => format!("{who} is in no group"),
    }
}

/// A document edit: before anything has happened.
fn at_start(run: &mut Run, edit: Edit) -> Result<Done, Vec<Problem>> {
    let mut document = run.document.clone();
    let (row, instance) = match who(&edit) {
        Some(Who::Row(row)) => (Some(row), None),
        Some(Who::Task(task)) => {
            let id = known(run, task)?;
            (Some(run.names.row(id)), Some(run.names.instance(id)))
        }
        None => (None, None),
    };
    // One task of several: the row's parameters are shared, so it becomes an input at the start.
    if let (Some(row), Some(instance)) = (row, instance) {
        let several = row_mut(&mut document, row)?.count > 1;
        let placed = matches!(
            (&edit, &row_mut(&mut document, row)?.start),
            (Edit::Move(..), Start::At { cpus, .. }) if !cpus.is_empty()
        );
        if several && !placed {
            if matches!(edit, Edit::Move(..)) {
                let name = &row_mut(&mut document, row)?.name;
                return Err(problem(
                    "edit",
                    format!(
                        "{name} has several tasks and names no CPU to start on; move the whole row, \
                         or this task once it runs."
                    ),
                ));
            }
            return later(run, 0, edit);
        }
        if let (Edit::Move(_, cpu), true) = (&edit, several) {
            let row = row_mut(&mut document, row)?;
            if let Start::At { cpus, .. } = &mut row.start {
                let n = cpus.len();
                *cpus = (0..row.count as usize).map(|i| cpus[i % n]).collect();
                cpus[(instance as usize).saturating_sub(1)] = *cpu;
            }
            let done = format!("{}{instance} starts on CPU {cpu}", row.name);
            return again(run, document, done);
        }
    }
    let done = match edit {
        Edit::Nice(who, nice) => {
            let row = row_mut(&mut document, row_of(run, who)?)?;
            check_nice(nice)?;
            row.nice = nice;
            format!("nice of {} {}", row.name, words::signed(nice.into()))
        }
        Edit::LatencyNice(who, nice) => {
            let row = row_mut(&mut document, row_of(run, who)?)?;
            check_nice(nice)?;
            row.latency_nice = nice;
            format!("latency-nice of {} {}", row.name, words::signed(nice.into()))
        }
        Edit::Slice(who, slice) => {
            let row = row_mut(&mut document, row_of(run, who)?)?;
            row.slice = slice;
            match slice {
                Some(ns) => format!("slice of {} {}", row.name, words::time(ns)),
                None => format!("{} has the default slice", row.name),
            }
        }
        Edit::Affinity(who, text) => {
            let mask = affinity(run, &text)?;
            let row = row_mut(&mut document, row_of(run, who)?)?;
            row.affinity = mask.map(Cpus);
            let moved = start_within(row, mask.as_ref());
            match mask {
                Some(mask) => {
                    format!("{} may run on {}{moved}", row.name, cpus(&mask))
                }
                None => format!("{} may run on any CPU", row.name),
            }
        }
        Edit::Move(who, cpu) => {
            check_cpu(run, cpu)?;
            let row = row_mut(&mut document, row_of(run, who)?)?;
            let Start::At { cpus, .. } = &mut row.start else {
                return Err(problem(
                    "edit",
                    format!(
                        "{} is started by another task, so it has no CPU to start on; move it once \
                         it runs.",
                        row.name
                    ),
                ));
            };
            let mut pinned = "";
            if let Some(Cpus(mask)) = &row.affinity
                && !mask.contains(CpuId(cpu))
            {
                if mask.len() > 1 {
                    return Err(problem(
                        "edit",
                        format!(
                            "{} may run on CPUs {} only; let it run on CPU {cpu} first.",
                            row.name,
                            words::cpu_list(mask)
                        ),
                    ));
                }
                row.affinity = Some(Cpus(CpuSet::one(CpuId(cpu))));
                pinned = ", pinned there";
            }
            *cpus = vec![cpu];
            format!("{} starts on CPU {cpu}{pinned}", row.name)
        }
        Edit::Group(who, name) => {
            check_group(&document, name.as_ref())?;
            let row = row_mut(&mut document, row_of(run, who)?)?;
            row.group = name;
            regrouped(&row.name, row.group.as_ref())
        }
        Edit::Shares(group, shares) => {
            let group = group_mut(&mut document, group)?;
            group.shares = shares;
            format!("shares of {} {shares}", group.name)
        }
        Edit::GroupLatencyNice(group, nice) => {
            check_nice(nice)?;
            let group = group_mut(&mut document, group)?;
            group.latency_nice = nice;
            format!("latency-nice of {} {}", group.name, words::signed(nice.into()))
        }
        Edit::Add(text, cpu) => {
            let mut row = read_row(&text).map_err(problems)?;
            if let (Start::At { cpus, .. }, Some(cpu)) = (&mut row.start, cpu) {
                *cpus = vec![cpu];
            }
            let row = document.add(row);
            format!("{} is added", document.rows[row].name)
        }
        Edit::Duplicate(row) => {
            let name = row_mut(&mut document, row)?.name.clone();
            let copy = document.duplicate(usize::from(row));
            let copy = copy.map_or_else(String::new, |copy| document.rows[copy].name.clone());
            format!("{copy} is added, as {name}")
        }
        Edit::Remove(row) => {
            let name = row_mut(&mut document, row)?.name.clone();
            document.remove(usize::from(row));
            format!("{name} is taken away")
        }
        other => return Err(problem("edit", format!("nothing is known of {other:?}."))),
    };
    again(run, document, done)
}

/// Moves start CPUs into a mask that does not hold them; says so.
fn start_within(row: &mut document::Row, mask: Option<&CpuSet>) -> String {
    let (Some(mask), Start::At { cpus, .. }) = (mask, &mut row.start) else {
        return String::new();
    };
    let Some(first) = mask.lowest() else { return String::new() };
    if cpus.iter().all(|&cpu| mask.contains(CpuId(cpu))) {
        return String::new();
    }
    cpus.retain(|&cpu| mask.contains(CpuId(cpu)));
    if cpus.is_empty() {
        cpus.push(first.0);
    }
    format!(" and starts on CPU {}", cpus[0])
}

/// A change of what tasks are, as an input of the run; and in words.
pub(crate) fn attribute(run: &Run, edit: &Edit) -> Result<(Input, String), Vec<Problem>> {
    Ok(match edit {
        Edit::Nice(who, nice) => {
            check_nice(*nice)?;
            let done = format!("nice of {} {}", called(run, *who), words::signed((*nice).into()));
            (Input::Nice(input_who(run, *who)?, *nice), done)
        }
        Edit::LatencyNice(who, nice) => {
            check_nice(*nice)?;
            let value = words::signed((*nice).into());
            let done = format!("latency-nice of {} {value}", called(run, *who));
            (Input::LatencyNice(input_who(run, *who)?, *nice), done)
        }
        Edit::Slice(who, slice) => {
            let done = match slice {
                Some(ns) => format!("slice of {} {}", called(run, *who), words::time(*ns)),
                None => format!("{} has the default slice", called(run, *who)),
            };
            (Input::Slice(input_who(run, *who)?, *slice), done)
        }
        Edit::Affinity(who, text) => {
            let mask = affinity(run, text)?;
            let name = called(run, *who);
            let done = match mask {
                Some(mask) => format!("{name} may run on {}", cpus(&mask)),
                None => format!("{name} may run on any CPU"),
            };
            (Input::Affinity(input_who(run, *who)?, mask.map(Cpus)), done)
        }
        other => return Err(problem("edit", format!("{other:?} is no change of a task."))),
    })
}

/// An edit made during the run.
fn later(run: &mut Run, step: u64, edit: Edit) -> Result<Done, Vec<Problem>> {
    let mut document = run.document.clone();
    // What was to be changed after this point belongs to the future that is cut off.
    document.inputs.retain(|input| input.after < step);
    let mut inputs = Vec::new();
    let mut new_row = false;
    let done = match edit {
        Edit::Nice(..) | Edit::LatencyNice(..) | Edit::Slice(..) | Edit::Affinity(..) => {
            let (input, done) = attribute(run, &edit)?;
            inputs.push(input);
            done
        }
        Edit::Move(who, cpu) => {
            check_cpu(run, cpu)?;
            if let Who::Task(task) = who {
                let id = known(run, task)?;
                let state = run.history.seek(step).state();
                let there = state.tasks.get(id.index()).map(|task| task.state);
                let why = match there {
                    None | Some(TaskState::New) => Some("has not started yet"),
                    Some(TaskState::Exited) => Some("has exited"),
                    Some(_) => None,
                };
                if let Some(why) = why {
                    return Err(problem("edit", format!("{} {why}.", run.names.name(id))));
                }
            }
            inputs.push(Input::Move(input_who(run, who)?, cpu));
            format!("{} moves to CPU {cpu}", called(run, who))
        }
        Edit::Group(who, name) => {
            check_group(&document, name.as_ref())?;
            let done = regrouped(&called(run, who), name.as_ref());
            inputs.push(Input::Group(input_who(run, who)?, name));
            done
        }
        Edit::Shares(group, shares) => {
            let name = group_mut(&mut document, group)?.name.clone();
            let done = format!("shares of {name} {shares}");
            inputs.push(Input::Shares(name, shares));
            done
        }
        Edit::GroupLatencyNice(group, nice) => {
            check_nice(nice)?;
            let name = group_mut(&mut document, group)?.name.clone();
            let done = format!("latency-nice of {name} {}", words::signed(nice.into()));
            inputs.push(Input::GroupLatencyNice(name, nice));
            done
        }
        Edit::Add(text, cpu) => {
            let mut row = read_row(&text).map_err(problems)?;
            let count = row.count;
            row.start = Start::Fork;
            let row = document.add(row);
            let name = document.rows[row].name.clone();
            let spawn = |_| Input::Spawn(name.clone(), cpu);
            inputs.extend((0..count).map(spawn));
            new_row = true;
            format!("{name} starts")
        }
        Edit::Duplicate(row) => {
            let name = row_mut(&mut document, row)?.name.clone();
            let copy = document.duplicate(usize::from(row)).unwrap_or(0);
            document.rows[copy].start = Start::Fork;
            let (copy, count) = (document.rows[copy].name.clone(), document.rows[copy].count);
            inputs.extend((0..count).map(|_| Input::Spawn(copy.clone(), None)));
            new_row = true;
            format!("{copy}, as {name}, starts")
        }
        Edit::Remove(row) => {
            let name = row_mut(&mut document, row)?.name.clone();
            let state = run.history.seek(step).state();
            let alive = |task: &TaskId| {
                state.tasks.get(task.index()).is_some_and(|t| t.state != TaskState::Exited)
            };
            let tasks: Vec<TaskId> = run.names.tasks_of(row).filter(alive).collect();
            if tasks.is_empty() {
                return Err(problem("edit", format!("no task of {name} is left to end.")));
            }
            inputs.extend(tasks.iter().map(|task| Input::Kill(InputWho::Task(task.0))));
            format!("{name} ends")
        }
        other => return Err(problem("edit", format!("nothing is known of {other:?}."))),
    };
    let had = run.steps();
    let after = inputs.into_iter().enumerate();
    // Each input is a step of its own, in this order.
    document.inputs.extend(after.map(|(i, edit)| document::Input { after: step + i as u64, edit }));
    if new_row {
        let mut fresh = Run::new(document)?;
        fresh.advance_to(step);
        *run = fresh;
    } else {
        let before = std::mem::replace(&mut run.document, document);
        if let Err(found) = run.fork() {
            run.document = before;
            return Err(found);
        }
    }
    let made = run.setup().inputs.iter().filter(|input| input.after_step >= step).count() as u64;
    run.advance_to(step + made);
    let forked = had > step;
    let place = if step == 0 {
        ", from the start".to_owned()
    } else {
        format!(", from event {} on", words::count(step + 1))
    };
    let gone = if forked { "; what came after is gone" } else { "" };
    Ok(Done { done: format!("{done}{place}{gone}"), forked })
}

/// Whom an edit is about, if it is about tasks.
fn who(edit: &Edit) -> Option<Who> {
    match edit {
        Edit::Nice(who, _)
        | Edit::LatencyNice(who, _)
        | Edit::Slice(who, _)
        | Edit::Affinity(who, _)
        | Edit::Group(who, _)
        | Edit::Move(who, _) => Some(*who),
        _ => None,
    }
}

fn known(run: &Run, task: Task) -> Result<TaskId, Vec<Problem>> {
    let tasks = run.state().tasks.len();
    if (task as usize) < tasks {
        Ok(TaskId(task))
    } else {
        Err(problem("edit", format!("there is no task {task}; there are {tasks}.")))
    }
}

fn row_of(run: &Run, who: Who) -> Result<Row, Vec<Problem>> {
    match who {
        Who::Row(row) => Ok(row),
        Who::Task(task) => Ok(run.names.row(known(run, task)?)),
    }
}

fn input_who(run: &Run, who: Who) -> Result<InputWho, Vec<Problem>> {
    match who {
        Who::Row(row) => match run.names.row_name(row) {
            Some(name) => Ok(InputWho::Row(name.to_owned())),
            None => Err(problem("edit", format!("there is no row {row}."))),
        },
        Who::Task(task) => {
            let id = known(run, task)?;
            let started = run.setup().tasks.iter().filter(|t| t.start.is_some()).count();
            let row = run.names.row(id);
            match run.names.row_name(row) {
                Some(name) if id.index() < started => {
                    let instance = run.names.spec_instance(task);
                    Ok(InputWho::Instance(name.to_owned(), instance))
                }
                _ => Ok(InputWho::Task(task)),
            }
        }
    }
}

/// What people call whom an edit is about.
fn called(run: &Run, who: Who) -> String {
    match who {
        Who::Row(row) => run.names.row_name(row).unwrap_or("?").to_owned(),
        Who::Task(task) => run.names.name(TaskId(task)),
    }
}

/// "CPU 6", "CPUs 6-7".
fn cpus(mask: &CpuSet) -> String {
    let word = if mask.len() == 1 { "CPU" } else { "CPUs" };
    format!("{word} {}", words::cpu_list(mask))
}

fn check_nice(nice: i8) -> Result<(), Vec<Problem>> {
    if NICE_RANGE.contains(&nice) {
        Ok(())
    } else {
        Err(problem("edit", format!("{} is not between −20 and 19.", words::signed(nice.into()))))
    }
}

fn check_cpu(run: &Run, cpu: Cpu) -> Result<(), Vec<Problem>> {
    let cpus = run.setup().topology.len();
    if usize::from(cpu) < cpus {
        Ok(())
    } else {
        Err(problem("edit", format!("there is no CPU {cpu}; the last one is {}.", cpus - 1)))
    }
}

/// A CPU list of the user; `None` is everywhere.
fn affinity(run: &Run, text: &str) -> Result<Option<CpuSet>, Vec<Problem>> {
    let text = text.trim();
    if text.is_empty() || text == "any" || text == "all" {
        return Ok(None);
    }
    let mask = cpu_list::parse(text).map_err(|sentence| problem("affinity", sentence))?;
    let all = run.setup().topology.all();
    if !mask.is_subset(&all) {
        let beyond = words::cpu_list(&mask.minus(&all));
        return Err(problem(
            "affinity",
            format!("there is no CPU {beyond}; the last one is {}.", all.len() - 1),
        ));
    }
    if mask.is_empty() {
        return Ok(None);
    }
    Ok(Some(mask))
}
