//! A second run of a document beside the first, of which one thing is different.

use schedscope_scenario::document::{Edit, Input, Who};
use schedscope_scenario::{Document, duration, kernels};
use schedscope_sim::kernel::{Feature, Preset};

use crate::kernel;
use crate::run::Run;
use crate::update::{Beside, Problem};

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
                let known: Vec<&str> = Preset::ALL.iter().map(|preset| preset.name()).collect();
                format!("there is no kernel \"{name}\"; there are {}.", known.join(", "))
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
