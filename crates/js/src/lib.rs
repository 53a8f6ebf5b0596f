//! The engine for JavaScript users: one session behind wasm-bindgen.
//!
//! Values cross as plain objects with the names of `schedscope_session::update`; 64-bit figures
//! (times in ns, steps, digests) are `BigInt`. Types for TypeScript are in [`types`].

mod types;

use schedscope_session::update::{Moment, Problem};
use schedscope_session::{Command, Edit, Format, Goto, Update};
use schedscope_sim::kernel::Preset;
use schedscope_sim::machines::Machine;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

/// A scenario and its run.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Session {
    session: schedscope_session::Session,
    /// The step shown last.
    at: u64,
}

/// A value for JavaScript.
fn give<T: Serialize>(value: &T) -> Result<JsValue, JsValue> {
    let serializer = serde_wasm_bindgen::Serializer::new()
        .serialize_large_number_types_as_bigints(true)
        .serialize_maps_as_objects(true);
    value.serialize(&serializer).map_err(|error| js_sys::Error::new(&error.to_string()).into())
}

/// An `Error` whose `problems` are the given ones.
fn refuse(problems: &[Problem]) -> JsValue {
    let lines: Vec<String> = problems
        .iter()
        .map(|problem| {
            let line = problem.line.map_or_else(String::new, |line| format!("line {line}: "));
            format!("{line}{}: {}", problem.place, problem.sentence)
        })
        .collect();
    let error = js_sys::Error::new(&lines.join("\n"));
    if let Ok(problems) = give(&problems) {
        // A plain object takes any property.
        let _ = js_sys::Reflect::set(&error, &JsValue::from_str("problems"), &problems);
    }
    error.into()
}

fn complain(message: &str) -> JsValue {
    js_sys::Error::new(message).into()
}

/// A whole number that is not negative: a `number` or a `BigInt`.
fn whole(value: &JsValue, what: &str) -> Result<u64, JsValue> {
    if let Ok(big) = u64::try_from(value.clone()) {
        return Ok(big);
    }
    match value.as_f64() {
        // Beyond 2^53 a number is not exact; a BigInt is.
        Some(number) if number >= 0.0 && number.fract() == 0.0 && number <= 9e15 => {
            Ok(number as u64)
        }
        _ => Err(complain(&format!("{what} must be a whole number or a BigInt, not negative"))),
    }
}

#[wasm_bindgen]
impl Session {
    /// A session without a scenario.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Session {
        Session::default()
    }

    /// Loads a scenario (TOML), a lesson (Markdown) or a machine (hwloc or lscpu).
    ///
    /// # Errors
    /// An `Error` with all `problems`.
    #[wasm_bindgen(unchecked_return_type = "Loaded")]
    pub fn load(&mut self, text: &str) -> Result<JsValue, JsValue> {
        self.at = 0;
        self.answer(Command::Load { text: text.to_owned() })
    }

    /// Simulates so many steps further.
    ///
    /// # Errors
    /// If nothing is loaded.
    #[wasm_bindgen(unchecked_return_type = "Progress")]
    pub fn run(&mut self, steps: u32) -> Result<JsValue, JsValue> {
        self.answer(Command::Run { steps })
    }

    /// Goes one step on from the moment shown last.
    ///
    /// # Errors
    /// If nothing is loaded.
    #[wasm_bindgen(unchecked_return_type = "Moment")]
    pub fn step(&mut self) -> Result<JsValue, JsValue> {
        let next = self.at.saturating_add(1);
        give(&self.show(Goto::Step(next), 0)?)
    }

    /// Goes to a step, or to the last step at or before a time: `seek(12)`, `seek({ time: 5000n
    /// })`.
    ///
    /// # Errors
    /// If nothing is loaded, or `to` is neither.
    #[wasm_bindgen(unchecked_return_type = "Moment")]
    pub fn seek(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "number | bigint | { time: number | bigint }")]
        to: JsValue,
        focus: Option<u16>,
    ) -> Result<JsValue, JsValue> {
        let goto = if to.is_object() {
            let time = js_sys::Reflect::get(&to, &JsValue::from_str("time"))?;
            Goto::Time(whole(&time, "time")?)
        } else {
            Goto::Step(whole(&to, "step")?)
        };
        give(&self.show(goto, focus.unwrap_or(0))?)
    }

    /// What was decided in a step, and why. The moment shown last stays.
    ///
    /// # Errors
    /// If nothing is loaded.
    #[wasm_bindgen(unchecked_return_type = "Decision[]")]
    pub fn explain(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "number | bigint")] step: JsValue,
    ) -> Result<JsValue, JsValue> {
        let here = self.at;
        let shown = self.show(Goto::Step(whole(&step, "step")?), 0);
        self.at = here;
        give(&shown?.decisions)
    }

    /// Figures over the run so far, or up to and with a step.
    ///
    /// # Errors
    /// If nothing is loaded, or the step is no whole number.
    #[wasm_bindgen(unchecked_return_type = "Metrics")]
    pub fn metrics(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "number | bigint | undefined")] upto: JsValue,
    ) -> Result<JsValue, JsValue> {
        let step = if upto.is_undefined() { None } else { Some(whole(&upto, "step")?) };
        self.answer(Command::Metrics { upto: step.map(Goto::Step) })
    }

    /// Runs the scenario a second time, beside the first: `beside("4.19")` or `beside("WA_IDLE
    /// off")`; `undefined` closes it. Edits and loads close it too.
    ///
    /// # Errors
    /// An `Error` with all `problems`.
    #[wasm_bindgen(unchecked_return_type = "Beside | undefined")]
    pub fn beside(&mut self, with: Option<String>) -> Result<JsValue, JsValue> {
        self.answer(Command::Beside { with })
    }

    /// The first time at which a CPU has another task in the second run, or the first after a time,
    /// ns; both are simulated so far.
    ///
    /// # Errors
    /// If there is no second run, or the time is no whole number.
    #[wasm_bindgen(unchecked_return_type = "Difference", js_name = besideDifference)]
    pub fn beside_difference(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "number | bigint | undefined")] after: JsValue,
    ) -> Result<JsValue, JsValue> {
        let after = if after.is_undefined() { None } else { Some(whole(&after, "after")?) };
        self.answer(Command::Difference { after })
    }

    /// Figures of the second run up to a time, ns, simulating it so far.
    ///
    /// # Errors
    /// If there is no second run, or the time is no whole number.
    #[wasm_bindgen(unchecked_return_type = "Metrics", js_name = besideMetrics)]
    pub fn beside_metrics(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "number | bigint")] upto: JsValue,
    ) -> Result<JsValue, JsValue> {
        let upto = Some(Goto::Time(whole(&upto, "upto")?));
        self.answer(Command::Second(Box::new(Command::Metrics { upto })))
    }

    /// A stretch of the timeline, decimated to so many columns.
    ///
    /// # Errors
    /// If nothing is loaded, or a time is no whole number.
    #[wasm_bindgen(unchecked_return_type = "Window")]
    pub fn window(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "number | bigint")] from: JsValue,
        #[wasm_bindgen(unchecked_param_type = "number | bigint")] to: JsValue,
        columns: u32,
        lanes: Vec<u16>,
    ) -> Result<JsValue, JsValue> {
        let (from, to) = (whole(&from, "from")?, whole(&to, "to")?);
        self.answer(Command::Window { from, to, columns, lanes, heat: true })
    }

    /// Changes the scenario (after step 0) or the run (after a later step): `edit(0, { Seed: 7n
    /// })`.
    ///
    /// # Errors
    /// An `Error` with all `problems`.
    #[wasm_bindgen(unchecked_return_type = "Edited")]
    pub fn edit(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "number | bigint")] step: JsValue,
        #[wasm_bindgen(unchecked_param_type = "Edit")] edit: JsValue,
    ) -> Result<JsValue, JsValue> {
        let step = whole(&step, "step")?;
        let edit: Edit = take(edit)?;
        self.answer(Command::Edit { step, edit })
    }

    /// A file of the run: "scenario", "events.csv", "events.jsonl", "perfetto", "metrics.csv" or
    /// "metrics.json".
    ///
    /// # Errors
    /// If nothing is loaded, or there is no such format.
    pub fn export(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Format")] format: &str,
    ) -> Result<String, JsValue> {
        let format = match format {
            "scenario" => Format::Scenario,
            "events.csv" => Format::EventsCsv,
            "events.jsonl" => Format::EventsJson,
            "perfetto" => Format::Perfetto,
            "metrics.csv" => Format::MetricsCsv,
            "metrics.json" => Format::MetricsJson,
            other => return Err(complain(&format!("there is no format {other:?}"))),
        };
        match self.session.handle(Command::Export { format }) {
            Update::File { text, .. } => Ok(text),
            Update::Rejected(problems) => Err(refuse(&problems)),
            other => Err(complain(&format!("unexpected answer {other:?}"))),
        }
    }

    /// What people call a task: "D", "J41".
    #[wasm_bindgen(js_name = taskName)]
    #[must_use]
    pub fn task_name(&self, task: u32) -> String {
        self.session.task_name(task)
    }

    fn show(&mut self, goto: Goto, focus: u16) -> Result<Moment, JsValue> {
        match self.session.handle(Command::Show { goto, focus }) {
            Update::Moment(moment) => {
                self.at = moment.step;
                Ok(*moment)
            }
            Update::Rejected(problems) => Err(refuse(&problems)),
            other => Err(complain(&format!("unexpected answer {other:?}"))),
        }
    }

    fn answer(&mut self, command: Command) -> Result<JsValue, JsValue> {
        tell(self.session.handle(command))
    }
}

fn tell(update: Update) -> Result<JsValue, JsValue> {
    match update {
        Update::Loaded(loaded) => give(&loaded),
        Update::Rejected(problems) => Err(refuse(&problems)),
        Update::Advanced(progress) => give(&progress),
        Update::Moment(moment) | Update::Walked { moment, .. } => give(&moment),
        Update::Window(window) => give(&window),
        Update::Edited(edited) => give(&edited),
        Update::Metrics(metrics) => give(&metrics),
        Update::File { text, .. } => Ok(JsValue::from_str(&text)),
        Update::Beside(beside) => give(&beside),
        Update::Difference(difference) => give(&difference),
        Update::WhatIf(moment) => give(&moment),
        Update::Second(update) => tell(*update),
    }
}

fn take<T: for<'a> Deserialize<'a>>(value: JsValue) -> Result<T, JsValue> {
    serde_wasm_bindgen::from_value(value).map_err(|error| complain(&error.to_string()))
}

/// The ids of all machines that can be named.
#[wasm_bindgen]
#[must_use]
pub fn machines() -> Vec<String> {
    Machine::ALL.iter().map(|machine| machine.id().to_owned()).collect()
}

/// The names of all kernels that can be named.
#[wasm_bindgen]
#[must_use]
pub fn kernels() -> Vec<String> {
    Preset::ALL.iter().map(|preset| preset.name().to_owned()).collect()
}

/// The scenarios and lessons that come along, by id: pass one to `lesson`.
#[wasm_bindgen]
#[must_use]
pub fn lessons() -> Vec<String> {
    schedscope_scenario::lessons().iter().map(|entry| entry.id.to_string()).collect()
}

/// The text of a lesson, for `load`.
#[wasm_bindgen]
#[must_use]
pub fn lesson(id: &str) -> Option<String> {
    schedscope_scenario::lesson_of(id).map(|entry| entry.text.to_string())
}
