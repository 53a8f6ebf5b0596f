//! `?bench`: the engine's own benchmark, run in the worker.

/// How many events are counted.
const EVENTS: u64 = 200_000;

/// Runs it and says what came out.
#[must_use]
pub fn run() -> String {
    let clock = || {
        let scope: web_sys::DedicatedWorkerGlobalScope =
            wasm_bindgen::JsCast::unchecked_into(js_sys::global());
        scope.performance().map_or(0, |p| (p.now() * 1e6) as u64)
    };
    let document = schedscope_session::bench::document();
    let report = schedscope_session::bench::bench(&document, EVENTS, clock);
    let ratio = report.ratio_hundredths();
    format!(
        "{} events on {} CPUs with {} tasks, in WebAssembly\n\
         engine with records   {:>9.2} ms   {} events/s\n\
         with timeline, index  {:>9.2} ms   {} events/s\n\
         baseline (heap of {}) {:>9.2} ms\n\
         an event costs {}.{:02} baselines\n\
         digest {:016x}",
        report.events,
        report.cpus,
        report.tasks,
        report.engine as f64 / 1e6,
        report.events_per_second(),
        report.folded as f64 / 1e6,
        report.folded_per_second(),
        report.pending,
        report.baseline as f64 / 1e6,
        ratio / 100,
        ratio % 100,
        report.digest
    )
}
