//! What the page asks for, measured: `cargo bench -p schedscope-session`.

#![allow(missing_docs, reason = "criterion's macro makes an undocumented function")]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use schedscope_analysis::index::Index;
use schedscope_analysis::spans::Spans;
use schedscope_session::bench::{baseline, document, simulation};
use schedscope_session::{Command, Goto, Session};
use schedscope_sim::report::Report;
use schedscope_sim::simulation::Outcome;

/// Events of one measurement.
const EVENTS: u64 = 20_000;

fn assert_stepped(outcome: Outcome) {
    assert_eq!(outcome, Outcome::Stepped);
}

fn engine(c: &mut Criterion) {
    let mut group = c.benchmark_group("events");
    group.throughput(Throughput::Elements(EVENTS)).sample_size(10);
    let mut warm = simulation(&document());
    let mut report = Report::new();
    for _ in 0..50_000 {
        warm.step(&mut report);
    }
    group.bench_function("engine", |b| {
        b.iter_batched_ref(
            || warm.clone(),
            |simulation| (0..EVENTS).for_each(|_| assert_stepped(simulation.step(&mut report))),
            BatchSize::LargeInput,
        );
    });
    let mut evidence = Report::with_evidence();
    group.bench_function("engine with evidence", |b| {
        b.iter_batched_ref(
            || warm.clone(),
            |simulation| {
                (0..EVENTS / 20).for_each(|_| assert_stepped(simulation.step(&mut evidence)));
            },
            BatchSize::LargeInput,
        );
    });
    group.bench_function("engine and timeline, from the start", |b| {
        b.iter_batched_ref(
            || {
                let start = simulation(&document());
                let spans = Spans::new(start.setup());
                (start, spans, Index::new())
            },
            |(simulation, spans, index)| {
                for _ in 0..EVENTS {
                    simulation.step(&mut report);
                    index.push(simulation.state().now, &report.records);
                    spans.push(simulation.state(), &report.records);
                }
            },
            BatchSize::LargeInput,
        );
    });
    group.bench_function("baseline", |b| b.iter(|| baseline(EVENTS, 700)));
    group.finish();
}

fn page(c: &mut Criterion) {
    let mut session = Session::new();
    session.handle(Command::LoadPacked { packed: document().pack() });
    session.handle(Command::Run { steps: 300_000 });
    let to = session.now();
    let mut group = c.benchmark_group("page, 300 000 steps on 256 CPUs");
    group.sample_size(10);
    let mut step = 1;
    group.bench_function("moment, anywhere", |b| {
        b.iter(|| {
            step = (step * 48_271 + 11) % 300_000;
            session.handle(Command::Show { goto: Goto::Step(step), focus: 0 })
        });
    });
    group.bench_function("moment, next", |b| {
        step = 150_000;
        b.iter(|| {
            step += 1;
            session.handle(Command::Show { goto: Goto::Step(step), focus: 0 })
        });
    });
    for (name, from, to, heat) in [
        ("window, whole run with heat", 0, to, true),
        ("window, whole run", 0, to, false),
        ("window, 1 ms with heat", to / 2, to / 2 + 1_000_000, true),
    ] {
        group.bench_function(name, |b| {
            let lanes: Vec<u16> = (0..8).collect();
            b.iter(|| {
                let lanes = lanes.clone();
                session.handle(Command::Window { from, to, columns: 1_200, lanes, heat })
            });
        });
    }
    group.bench_function("metrics", |b| b.iter(|| session.handle(Command::Metrics { upto: None })));
    group.finish();
}

criterion_group!(benches, engine, page);
criterion_main!(benches);
