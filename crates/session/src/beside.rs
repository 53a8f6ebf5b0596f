//! A second run of a document beside the first, of which one thing is different.

use schedscope_analysis::spans::{Apart, Side, parting};
use schedscope_analysis::words;
use schedscope_scenario::document::{Edit, Input, Who};
use schedscope_scenario::{Document, did_you_mean, duration, kernels};
use schedscope_sim::kernel::{Feature, Preset};
use schedscope_sim::units::{CpuId, TaskId};

use crate::run::Run;
use crate::update::{Beside, Decision, DecisionKind, Difference, Parting, Problem};
use crate::{kernel, moment};

/// The run, and how far it is from the first.
#[derive(Clone, Debug)]
pub(crate) struct Second {
    pub(crate) run: Run,
    /// What its kernel is called for short: "6.12 with RUN_TO_PARITY off".
    name: String,
    apart: Apart,
}

/// How much further both runs are taken while a difference is looked for, ns.
const AHEAD: u64 = 1_000_000;

impl Second {
    pub(crate) fn new(run: Run, with: &str) -> Second {
        let parts: Vec<&str> = with.split(',').map(str::trim).filter(|p| !p.is_empty()).collect();
        let (preset, rest) = match parts.split_first() {
            Some((name, rest)) if Preset::from_name(name).is_some() => (*name, rest),
            _ => (run.document.kernel.preset.as_str(), &*parts),
        };
        let more = if rest.is_empty() { "" } else { " with " };
        let name = format!("{preset}{more}{}", rest.join(", "));
        Second { run, name, apart: Apart::default() }
    }

    /// Up to when both runs are known, ns.
    fn known(&self, first: &Run) -> u64 {
        self.run.drawn_until().min(first.drawn_until())
    }

    /// CPU time that differs in each column of a stretch, ns, and up to when that is known.
    pub(crate) fn apart(&mut self, first: &Run, from: u64, to: u64, bin: u64) -> (Vec<u64>, u64) {
        let known = self.known(first);
        let (run, apart) = (&self.run, &mut self.apart);
        let columns = sides(first, run, |two| {
            apart.follow(two, known);
            apart.columns(two, from, to, bin)
        });
        (columns, known)
    }

    /// The first time at which a CPU comes to differ, or the first after a time.
    pub(crate) fn difference(&mut self, first: &mut Run, after: Option<u64>) -> Difference {
        let (mut from, mut fresh) = (after.unwrap_or(0), after.is_none());
        loop {
            let known = self.known(first);
            let found = sides(first, &self.run, |two| parting(two, from, known, fresh));
            if let Some((at, cpu)) = found {
                return self.told(first, at, cpu);
            }
            if first.history.ended() && self.run.history.ended() {
                let end = words::exact(known as i64);
                let sentence = match after {
                    None => {
                        format!("No CPU has another task in the one than in the other up to {end}.")
                    }
                    Some(at) => {
                        let at = words::exact(at as i64);
                        format!("After {at}, no CPU comes to differ up to {end}.")
                    }
                };
                return Difference { sentence, ..Difference::default() };
            }
            if known > from {
                (from, fresh) = (known - 1, false);
            }
            first.advance_past(known + AHEAD);
            self.run.advance_past(known + AHEAD);
        }
    }

    fn told(&mut self, first: &mut Run, at: u64, cpu: CpuId) -> Difference {
        // Of several steps at that time the one in which the first run switched, if it did.
        let last = first.index.last_at(at);
        let switch = first.spans.previous_switch(cpu, last + 1);
        let step = if first.index.time(switch) == at { switch } else { last };
        let names = [first.document.kernel.preset.clone(), self.name.clone()];
        let cpus = first.setup().topology.len() as u16;
        // A task that has this CPU in one run and another CPU in the other: then it was placed
        // differently.
        let mut elsewhere = None;
        let does = sides(first, &self.run, |two| {
            let now = two.map(|side| side.at(cpu, at));
            for (i, other) in [(1, 0), (0, 1)] {
                let Some(task) = now[i].0.map(two[i].name) else { continue };
                let runs = |on: &CpuId| two[other].at(*on, at).0.map(two[other].name) == Some(task);
                if let Some(on) = (0..cpus).map(CpuId).find(runs) {
                    elsewhere.get_or_insert((task, other, on));
                }
            }
            now
        });
        let mut runs = [first, &mut self.run];
        let mut sentence = format!("At {} on {}: ", words::exact(at as i64), cpu_word(cpu));
        for (i, run) in runs.iter().enumerate() {
            let does = match does[i] {
                (Some(task), true) => format!("picks {}", run.names.name(task)),
                (Some(task), false) => format!("keeps {}", run.names.name(task)),
                (None, true) => "goes idle".to_owned(),
                (None, false) => "stays idle".to_owned(),
            };
            let end = if i == 0 { ", " } else { "" };
            sentence.push_str(&format!("{} {does}{end}", names[i]));
        }
        if let Some((task, other, on)) = elsewhere {
            let named =
                of_name(runs[other], task).map_or_else(String::new, |t| runs[other].names.name(t));
            sentence.push_str(&format!("; {} has {named} on {}", names[other], cpu_word(on)));
        }
        sentence.push('.');
        let why = runs.iter_mut().zip(names).filter_map(|(run, name)| {
            let task = elsewhere.and_then(|(task, ..)| of_name(run, task));
            Some((name, why(run, at, cpu, task)?))
        });
        let why = why.collect();
        Difference { place: Some(Parting { at, step, cpu: cpu.0 }), sentence, why }
    }
}

fn cpu_word(cpu: CpuId) -> String {
    format!("CPU {}", cpu.0)
}

/// Shows both runs to a fold.
fn sides<R>(first: &Run, second: &Run, fold: impl FnOnce([Side; 2]) -> R) -> R {
    let [a, b] = [first, second]
        .map(|run| move |task: TaskId| (run.names.row(task), run.names.instance(task)));
    fold([
        Side { spans: &first.spans, index: &first.index, name: &a },
        Side { spans: &second.spans, index: &second.index, name: &b },
    ])
}

/// The task of a row with this number there.
fn of_name(run: &Run, (row, instance): (u16, u32)) -> Option<TaskId> {
    run.names.tasks_of(row).nth(instance as usize - 1)
}

/// What was decided last up to a time that led to who has the CPU: where the task was placed, or
/// who was picked at that very time.
fn why(run: &mut Run, at: u64, cpu: CpuId, placed: Option<TaskId>) -> Option<String> {
    use DecisionKind::{ForkPlacement, Pick, Placement, Preemption};
    let fits = |decision: &Decision| match placed {
        Some(task) => {
            let kind = matches!(decision.kind, Placement | ForkPlacement);
            kind && decision.task == Some(task.0)
        }
        None => decision.cpu == cpu.0 && matches!(decision.kind, Pick | Preemption),
    };
    let (from, to) = match placed {
        Some(task) => {
            let mut arrows = run.spans.arrows().rev();
            let arrow = arrows.find(|a| a.task == task && run.index.time(a.step) <= at)?;
            (arrow.step, arrow.step)
        }
        None => (run.index.first_at(at), run.index.last_at(at)),
    };
    (from..=to).rev().take(8).find_map(|step| {
        let moment = moment::show(run, step, cpu.0);
        Some(moment.decisions.into_iter().rfind(fits)?.sentence)
    })
}

/// Opens it at its start, or just after the last change made during the run.
pub(crate) fn open(first: &mut Run, with: &str) -> Result<(Run, Beside), Vec<Problem>> {
    let mut document = first.document.clone();
    let name = differ(&mut document, with)
        .map_err(|sentence| vec![Problem { place: "beside".to_owned(), sentence, line: None }])?;
    let inputs = std::mem::take(&mut document.inputs);
    let mut second = Run::new(document)?;
    let mut notes: Vec<String> = second.notes.iter().map(crate::session::said).collect();
    for input in inputs {
        notes.extend(again(first, &mut second, input).err());
    }
    let setup = second.setup();
    let kernel = kernel::view(&setup.kernel, &second.document.kernel);
    Ok((second, Beside { with: with.to_owned(), name, kernel, notes, ..Beside::default() }))
}

/// Makes a change of the first run at the same time in the second; or says why not.
fn again(first: &mut Run, second: &mut Run, input: Input) -> Result<(), String> {
    if let Some(Who::Task(task)) = input.edit.who() {
        let name = first.names.name(schedscope_sim::units::TaskId(*task));
        return Err(format!(
            "A change to {name} is left out: it was forked during the run, and here another task may \
             have its number."
        ));
    }
    first.advance_to(input.after);
    let at = first.index.time(input.after);
    second.advance_past(at);
    // Each change is a step of its own, so those of one time follow each other.
    let earliest = second.document.inputs.last().map_or(0, |last| last.after + 1);
    let after = second.index.last_at(at).max(earliest);
    let what = what(&input.edit);
    second.document.inputs.push(Input { after, edit: input.edit });
    if let Err(problems) = second.fork() {
        second.document.inputs.pop();
        let why = problems.into_iter().next().map_or_else(String::new, |p| p.sentence);
        return Err(format!("{what} is left out: {why}"));
    }
    second.advance_to(after + 1);
    Ok(())
}

fn what(edit: &Edit) -> String {
    let row = edit.row().map_or("a task", String::as_str);
    match edit {
        Edit::Nice(..) => format!("The change of nice of {row}"),
        Edit::LatencyNice(..) => format!("The change of latency-nice of {row}"),
        Edit::Slice(..) => format!("The change of slice of {row}"),
        Edit::Affinity(..) => format!("The change of affinity of {row}"),
        Edit::Group(..) => format!("The change of group of {row}"),
        Edit::Shares(group, _) => format!("The change of shares of {group}"),
        Edit::GroupLatencyNice(group, _) => format!("The change of latency-nice of {group}"),
        Edit::Move(..) => format!("The move of {row}"),
        Edit::Spawn(..) => format!("The start of {row}"),
        Edit::Kill(..) => format!("The end of {row}"),
    }
}

/// Makes the document differ as asked for; says how in words, or why it cannot be.
fn differ(document: &mut Document, with: &str) -> Result<String, String> {
    let kernel = &mut document.kernel;
    let mut said = Vec::new();
    for part in with.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let preset = |name: &str| {
            Preset::from_name(name).ok_or_else(|| {
                let known = did_you_mean(name, Preset::ALL.iter().map(|preset| preset.name()));
                format!("there is no kernel \"{name}\"; {known}")
            })
        };
        let words: Vec<&str> = part.split_whitespace().collect();
        match words[..] {
            [name] => {
                said.push(kernels::words(preset(name)?).title.to_owned());
                kernel.set_preset(name);
            }
            ["placement", name] => {
                preset(name)?;
                said.push(format!("placement of {name}"));
                kernel.placement = Some(name.to_owned());
            }
            [name, on @ ("on" | "off")] => {
                let feature = Feature::from_name(name)
                    .ok_or_else(|| format!("there is no feature \"{name}\"."))?;
                said.push(format!("{} {on}", feature.name()));
                kernel.set_feature(name, on == "on");
            }
            ["governor", name] => {
                said.push(format!("governor {name}"));
                kernel.clock.governor = Some(name.to_owned());
            }
            ["hz", hz] => {
                let ticks = hz.parse().map_err(|_| format!("\"{hz}\" is no number of ticks."))?;
                said.push(format!("{ticks} ticks per second"));
                kernel.hz = Some(ticks);
            }
            ["base_slice", length] => {
                said.push(format!("base slice {length}"));
                kernel.base_slice = Some(duration::parse(length)?);
            }
            _ => {
                return Err(format!(
                    "\"{part}\" is no difference; write a kernel such as \"4.19\", \"placement \
                     4.19\", \"WA_IDLE off\", \"governor schedutil\", \"hz 250\" or \"base_slice \
                     3ms\"."
                ));
            }
        }
    }
    if said.is_empty() {
        return Err("it says nothing that is different.".to_owned());
    }
    Ok(said.join(", "))
}
