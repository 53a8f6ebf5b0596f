//! Every way a pick or a preemption test can end has its words, and they fit the figures.

use std::collections::BTreeSet;

use schedscope_analysis::explain::{self, Cx, Told};
use schedscope_analysis::words;
use schedscope_sim::domains::Domains;
use schedscope_sim::fair::reason::{NearRule, NearTest, PickReason, Preempt, Visit};
use schedscope_sim::kernel::{Feature, Preset};
use schedscope_sim::machines::Machine;
use schedscope_sim::program::{ChannelId, Dist, Op, Program};
use schedscope_sim::report::{Decision, Evidence, Record, Report};
use schedscope_sim::rng::Rng;
use schedscope_sim::setup::{Setup, Start, TaskSpec};
use schedscope_sim::simulation::{Outcome, Simulation};
use schedscope_sim::units::{CpuId, LatencyNice, Nice, Span, TaskId, Time};

fn program(rng: &mut Rng) -> Program {
    let mut span = |lo: u64, hi: u64| {
        let lo = rng.range(lo, hi);
        Dist::Uniform { lo: Span(lo), hi: Span(2 * lo) }
    };
    let (run, sleep) = (span(50_000, 3_000_000), span(50_000, 4_000_000));
    let again = Op::Repeat { to: 0, times: None, slot: 0 };
    let ops = match rng.range(0, 5) {
        0 => vec![Op::Run(run), again],
        1 => vec![Op::Run(run), Op::Yield, again],
        2 => vec![
            Op::Run(run),
            Op::Wake { channel: ChannelId(0), count: 1, sync: false },
            Op::Sleep(sleep),
            again,
        ],
        3 => vec![Op::Wait(ChannelId(0)), Op::Run(run), again],
        _ => vec![Op::Run(run), Op::Sleep(sleep), again],
    };
    Program { ops }
}

fn setup(seed: u64, preset: Preset) -> Setup {
    let mut rng = Rng::new(seed);
    let topology = [Machine::Cpu1, Machine::Cpu2][rng.range(0, 1) as usize].topology();
    let mut kernel = preset.kernel(topology.len());
    for feature in [Feature::NextBuddy, Feature::RunToParity, Feature::WakeupPreemption] {
        if rng.range(0, 2) == 0 {
            kernel.features = kernel.features.with(feature, rng.range(0, 1) == 1);
        }
    }
    let tasks = (0..rng.range(2, 9))
        .map(|_| TaskSpec {
            nice: Nice::new(rng.range(0, 20) as i8 - 10).expect("in range"),
            latency_nice: LatencyNice::new(rng.range(0, 39) as i8 - 20).expect("in range"),
            slice: (rng.range(0, 2) == 0).then(|| Span(rng.range(100_000, 5_000_000))),
            affinity: None,
            start: Some(Start { at: Time(rng.range(0, 3_000_000)), cpu: Some(CpuId(0)) }),
            per_cpu_kthread: false,
            group: None,
            program: program(&mut rng),
        })
        .collect();
    Setup {
        topology,
        kernel,
        tasks,
        interrupts: Vec::new(),
        end: Time(120_000_000),
        seed,
        inputs: Vec::new(),
        channels: 1,
        groups: Vec::new(),
    }
}

fn check_texts(told: &Told) {
    let texts = told
        .checks
        .iter()
        .flat_map(|check| [&check.title, &check.result, &check.sentence])
        .chain([&told.heading, &told.sentence, &told.cause]);
    for text in texts {
        assert!(!text.is_empty() && !text.contains("  "), "{told:#?}");
        assert!(!text.contains("()") && !text.contains(" -") && text.trim() == text, "{told:#?}");
    }
    assert!(told.sentence.ends_with('.'), "{told:#?}");
    assert!(told.checks.iter().all(|check| check.sentence.ends_with('.')), "{told:#?}");
}

#[derive(Default)]
struct Met {
    reasons: BTreeSet<PickReason>,
    visits: BTreeSet<Visit>,
    verdicts: BTreeSet<Preempt>,
}

/// The last test that lets somebody go first names the one that CFS picks.
fn near_tests_decide(tests: &[NearTest], next: TaskId, reason: PickReason) {
    let rule = match reason {
        PickReason::FirstYielded => NearRule::Second,
        PickReason::NextBuddy => NearRule::Next,
        PickReason::LastBuddy => NearRule::Last,
        PickReason::LatencyFirst => NearRule::Latency,
        _ => return assert!(tests.iter().all(|test| !test.near || test.task == next)),
    };
    if let Some(test) = tests.iter().rev().find(|test| test.near) {
        assert_eq!((test.task, test.rule), (next, rule));
    }
}

/// Runs a scenario with evidence and reads every word.
fn read(setup: Setup, met: &mut Met) {
    let domains = Domains::build(&setup.topology, setup.kernel.place);
    let name = |task: TaskId| format!("T{task}");
    let cx =
        Cx { setup: &setup, domains: &domains, name: &name, spec_name: &|spec| spec.to_string() };
    let mut simulation = Simulation::new(setup.clone());
    let mut report = Report::with_evidence();
    loop {
        let running: Vec<Option<TaskId>> =
            simulation.state().cpus.iter().map(|cpu| cpu.rq.curr).collect();
        if simulation.step(&mut report) == Outcome::Ended {
            break;
        }
        let evidence = report.evidence.as_deref().expect("it was asked for");
        let step = explain::step(&cx, &report.records, evidence, running);
        assert!(step.event.ends_with('.'), "{}", step.event);
        let decided = report.records.iter().filter_map(|record| match record {
            Record::Decided(decision) => Some(decision),
            _ => None,
        });
        for ((decision, told), evidence) in decided.zip(&step.decisions).zip(evidence) {
            check_texts(told);
            match (decision, evidence) {
                (Decision::Pick { next, reason, .. }, Evidence::Pick(figures)) => {
                    met.reasons.insert(*reason);
                    met.visits.extend(figures.walk.iter().map(|(_, visit)| *visit));
                    let Some(next) = next else { continue };
                    assert!(told.heading.starts_with(&name(*next)), "{told:#?}");
                    // The queue in which the choice was made: the delayed ones have left.
                    let queue = figures.after.last().unwrap_or(&figures.queue);
                    assert_eq!(figures.after.len(), figures.completed.len());
                    assert_eq!(told.stages.len(), figures.completed.len(), "{told:#?}");
                    let Some(row) = queue.rows.iter().find(|row| row.task == *next) else {
                        continue;
                    };
                    let deadline = words::from_v(row.deadline.since(queue.average));
                    let says = |text: &str| told.sentence.contains(text);
                    match reason {
                        PickReason::EarliestEligible | PickReason::CurrEarlier => {
                            assert!(row.eligible, "{told:#?}");
                            assert!(says(&deadline), "{deadline}: {told:#?}");
                        }
                        PickReason::Parity => assert!(row.protected && says("RUN_TO_PARITY")),
                        PickReason::NextBuddy => assert!(says("buddy") || says("NEXT_BUDDY")),
                        PickReason::FlawedSearch { missed } => {
                            assert!(says("flaw") && told.heading.ends_with("should"), "{told:#?}");
                            assert!(says(&name(*missed)), "{told:#?}");
                        }
                        _ => {}
                    }
                    near_tests_decide(&queue.near, *next, *reason);
                    let eligible = queue.rows.iter().filter(|row| row.eligible).count();
                    if *reason == PickReason::EarliestEligible && eligible > 1 {
                        let of = words::plural(eligible as u64, "eligible task", "eligible tasks");
                        assert!(says(&of), "{of}: {told:#?}");
                    }
                    // Whoever is named as not eligible is not.
                    for row in &queue.rows {
                        let blamed = format!("{} has an earlier deadline but", name(row.task));
                        assert!(!says(&blamed) || !row.eligible, "{told:#?}");
                    }
                }
                (Decision::Preempt { verdict, woken, .. }, _) => {
                    met.verdicts.insert(*verdict);
                    assert!(told.sentence.len() > 10 && told.heading.contains(&name(*woken)));
                    let last = told.checks.last().expect("a result");
                    assert_eq!(last.result == "yes", verdict.reschedules(), "{told:#?}");
                }
                _ => {}
            }
        }
    }
}

#[test]
fn every_reason_visit_and_verdict_has_fitting_words() {
    let mut met = Met::default();
    for preset in Preset::ALL {
        for seed in 0..12 {
            read(setup(seed, preset), &mut met);
        }
    }
    use PickReason::*;
    for reason in
        [Idle, OnlyOne, Parity, NextBuddy, EarliestEligible, CurrEarlier, CurrOnlyEligible]
    {
        assert!(met.reasons.contains(&reason), "{reason:?} was not met");
    }
    for visit in [
        Visit::FirstEligible,
        Visit::FirstNotEligible,
        Visit::EligibleToTheLeft,
        Visit::Eligible,
        Visit::NotEligible,
        Visit::NotEligibleGoLeft,
        Visit::EligibleGoRight { best: true },
        Visit::MinimumToTheLeft { best: true },
        Visit::OwnMinimum { best: true },
        Visit::HeapFound,
        Visit::Completed,
    ] {
        assert!(met.visits.contains(&visit), "{visit:?} was not met");
    }
    for verdict in [
        Preempt::Idle,
        Preempt::Pending,
        Preempt::FeatureOff,
        Preempt::Picked { short: false },
        Preempt::Picked { short: true },
        Preempt::NotPicked { reason: Parity, short: false },
        Preempt::NotPicked { reason: CurrEarlier, short: false },
        Preempt::NotPicked { reason: EarliestEligible, short: false },
    ] {
        assert!(met.verdicts.contains(&verdict), "{verdict:?} was not met");
    }
}
