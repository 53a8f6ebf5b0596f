//! The worked examples of spec chapters 2 and 3, START_NICE and latency-nice.

use super::latency::{WEIGHTS, limit, offset_of};
use crate::fair::FairCx;
use crate::fair::evidence::{preempt_evidence, queue_evidence};
use crate::fair::reason::{Enqueue, PickReason, Preempt, Resched, Wake};
use crate::fair::stage::{MS, Stage, nice};
use crate::kernel::{Feature, Preset};
use crate::run_queue::RunQueue;
use crate::units::{LatencyNice, Span, TaskId, Vtime};

fn latency(value: i8) -> LatencyNice {
    LatencyNice::new(value).expect("a latency-nice")
}

/// Two hogs that start equal; the first turns in ticks.
#[track_caller]
fn check_turns(preset: Preset, cpus: usize, hz: u32, expect: &[u32]) {
    let mut stage = Stage::new(preset, cpus);
    stage.kernel.hz = hz;
    stage.queued(0, 0);
    stage.queued(0, 0);
    assert_eq!(stage.turns(expect.len()), expect, "{} at {hz} Hz", preset.name());
}

/// Spec 2.9 and 10.13.
#[test]
fn turns_of_two_hogs() {
    check_turns(Preset::V6_1, 8, 1000, &[12, 12, 12, 12]);
    check_turns(Preset::V6_1, 8, 250, &[3, 3, 3, 3]);
    check_turns(Preset::V2_6_36, 8, 1000, &[12, 21, 18, 18, 18]);
    check_turns(Preset::V2_6_36, 8, 250, &[3, 5, 4, 4, 4]);
    check_turns(Preset::V6_1, 1, 1000, &[3, 3, 3]);
    check_turns(Preset::V2_6_36, 1, 1000, &[3, 5, 4, 4]);
    check_turns(Preset::V6_1, 1, 250, &[1, 1, 1]);
    check_turns(Preset::V2_6_36, 1, 250, &[1, 1, 1]);
}

/// Spec 3.1: BASE_SLICE lifts the share of twelve tasks, and of a nice-19 one beside a nice-0 one.
#[test]
fn base_slice_lifts_small_shares() {
    let mut stage = Stage::new(Preset::V6_1, 8);
    let tasks: Vec<TaskId> = (0..12).map(|_| stage.queued(0, 0)).collect();
    let slice = |stage: &Stage, task| {
        let cx = FairCx { kernel: &stage.kernel, now: stage.now };
        stage.rq.sched_slice(&stage.entities, cx, task)
    };
    assert_eq!(slice(&stage, tasks[0]), Span(3_000_000));
    stage.kernel.features = stage.kernel.features.with(Feature::BaseSlice, false);
    assert_eq!(slice(&stage, tasks[0]), Span(2_999_997));
    let mut stage = Stage::new(Preset::V6_1, 8);
    stage.queued(0, 0);
    let low = stage.queued(19, 0);
    assert_eq!(slice(&stage, low), Span(3_000_000));
    stage.kernel.features = stage.kernel.features.with(Feature::BaseSlice, false);
    assert_eq!(slice(&stage, low), Span(346_487));
}

/// Spec 2.6: a sleeper is placed half a latency before the others, but never earlier than it was.
#[test]
fn sleepers_get_credit_once() {
    for (was, placed) in [(60 * MS, 88 * MS), (95 * MS, 95 * MS)] {
        let mut stage = Stage::new(Preset::V2_6_36, 8);
        stage.queued(0, 100 * MS);
        stage.pick();
        stage.run(1);
        stage.rq.fair.min_vruntime = Vtime(100 * MS as u64);
        let sleeper = stage.task(0);
        stage.entities[sleeper].vruntime = Vtime(was as u64);
        stage.enqueue(sleeper, Enqueue::Wakeup);
        assert_eq!(stage.vruntime(sleeper), placed);
    }
}

/// Spec 2.5 and 2.13 on one CPU: what START_DEBIT adds, and what START_NICE does instead.
#[test]
fn start_debit_and_start_nice() {
    let child_of = |preset| {
        let mut stage = Stage::new(preset, 1);
        let parent = stage.queued(0, 0);
        stage.queued(0, 0);
        stage.pick();
        stage.run(1_000_000);
        let child = stage.fork(0);
        (stage.vruntime(parent), stage.vruntime(child))
    };
    // A third of the period of 6 ms, by the rounding of 2.6.36, behind the queue's minimum: 0.
    assert_eq!(child_of(Preset::V2_6_36), (MS, 1_999_349));
    assert_eq!(child_of(Preset::V2_6_36StartNice), (MS, MS));
    // Spec 2.5: beside a lone parent.
    let mut stage = Stage::new(Preset::V2_6_36, 1);
    stage.queued(0, 0);
    stage.pick();
    stage.run(1);
    let child = stage.fork(0);
    assert_eq!(stage.vruntime(child), 1 + 2_998_537);
}

/// The worked example of 2.13.
#[test]
fn start_nice_windows() {
    let mut stage = Stage::new(Preset::V2_6_36StartNice, 1);
    let parent = stage.queued(0, 0);
    let hog = stage.queued(0, 100 * MS);
    stage.entities[parent].sum_exec = Span(10_000_000);
    assert_eq!(stage.pick().next, Some(parent));
    let child = stage.fork(0);
    assert_eq!(stage.entities[parent].penalty_end, Span(12_998_537));
    assert_eq!(stage.entities[child].penalty_end, Span(2_998_537));
    assert_eq!(stage.vruntime(child), stage.vruntime(parent));
    let before = stage.vruntime(parent);
    stage.run(1_500_000);
    assert_eq!(stage.vruntime(parent) - before, 3_000_000);
    let second = stage.fork(0);
    assert_eq!(stage.entities[parent].penalty_end, Span(14_997_886));
    assert_eq!(stage.entities[second].penalty_end, Span(3_497_886));
    let row = |stage: &Stage, task| {
        let cx = FairCx { kernel: &stage.kernel, now: stage.now };
        let figures = queue_evidence(&stage.rq, &stage.entities, cx);
        figures.rows.into_iter().find(|row| row.task == task).expect("it is queued").penalty
    };
    assert_eq!(row(&stage, parent), Span(3_497_886));
    assert_eq!(row(&stage, hog), Span(0));
    // A step that crosses the end counts double as a whole (R2.13.4), the next one does not.
    let before = stage.vruntime(parent);
    stage.run(4_000_000);
    assert_eq!(stage.vruntime(parent) - before, 8_000_000);
    stage.run(1_000_000);
    assert_eq!(stage.vruntime(parent) - before, 9_000_000);
    // A lone parent's window is the whole period's share of one.
    let mut stage = Stage::new(Preset::V2_6_36StartNice, 1);
    let parent = stage.queued(0, 0);
    stage.pick();
    stage.fork(0);
    assert_eq!(stage.entities[parent].penalty_end, Span(5_994_146));
    // Off, nothing of it applies, even inside a window (R2.13.1).
    stage.kernel.features = stage.kernel.features.with(Feature::StartNice, false);
    let before = stage.vruntime(parent);
    stage.run(1_000_000);
    assert_eq!(stage.vruntime(parent) - before, 1_000_000);
}

/// R3.2.2: round(51.2 · n), halves away from zero.
#[test]
fn latency_weights() {
    for (row, weight) in WEIGHTS.into_iter().enumerate() {
        let n = row as i32 - 20;
        let rounded = (512 * n + 5 * n.signum()) / 10;
        assert_eq!(i32::from(weight), rounded, "latency-nice {n}");
    }
}

/// The offsets of 3.2.
#[test]
fn latency_offsets() {
    let on = |cpus: usize| {
        let kernel = Preset::V6_1LatencyNice.kernel(cpus);
        let cx = FairCx { kernel: &kernel, now: crate::units::Time(0) };
        let offsets = [-20, -10, -1, 0, 1, 10, 19].map(|n| offset_of(latency(n), cx));
        (offsets, limit(cx))
    };
    let expect = [-12_000_000, -6_000_000, -597_656, 0, 597_656, 6_000_000, 11_402_343];
    assert_eq!(on(8), (expect, 9_000_000));
    let expect = [-3_000_000, -1_500_000, -149_414, 0, 149_414, 1_500_000, 2_850_585];
    assert_eq!(on(1), (expect, 2_250_000));
}

/// A running task and one that just woke, of these latency-nices and nice 0, `ahead` ns apart.
fn pair(curr: i8, woken: i8, ahead: i64) -> (Stage, TaskId, TaskId) {
    pair_of(curr, woken, 0, ahead)
}

fn pair_of(curr: i8, woken: i8, level: i8, ahead: i64) -> (Stage, TaskId, TaskId) {
    let mut stage = Stage::new(Preset::V6_1LatencyNice, 8);
    stage.rq.fair.min_vruntime = Vtime(0);
    let running = stage.task(0);
    stage.entities[running].latency_nice = latency(curr);
    stage.enqueue(running, Enqueue::Fork);
    stage.entities[running].vruntime = Vtime(0);
    stage.pick();
    stage.entities[running].vruntime = Vtime(1_000 * MS as u64);
    let other = stage.task(level);
    stage.entities[other].latency_nice = latency(woken);
    stage.entities[other].vruntime = Vtime((1_000 * MS - ahead) as u64);
    stage.enqueue(other, Enqueue::Fork);
    (stage, running, other)
}

/// The worked table of 3.2: by how much the running task must be ahead.
#[test]
fn latency_preemption_table() {
    let table = [
        // curr, woken, offset, threshold in ms
        (0, 0, 0, 4 * MS),
        (0, -20, -12 * MS, -8 * MS),
        (-20, 0, 9 * MS, 9 * MS),
        (-20, -20, 0, 4 * MS),
        (0, 19, 9 * MS, 9 * MS),
        (19, 0, 0, 4 * MS),
        (19, -20, -23_402_343, -19_402_343),
    ];
    for (curr, woken, offset, threshold) in table {
        let what = format!("{curr} runs, {woken} woke");
        for (ahead, verdict) in
            [(threshold, Preempt::NearBehind), (threshold + 1, Preempt::FarBehind)]
        {
            let (mut stage, running, other) = pair(curr, woken, ahead);
            let cx = FairCx { kernel: &stage.kernel, now: stage.now };
            let evidence = preempt_evidence(&stage.rq, &stage.entities, cx, other, Wake::Wakeup);
            let figures = (evidence.latency_offset, evidence.granularity, evidence.latency_limit);
            assert_eq!(figures, (Some(offset), Some(threshold), Some(9 * MS)), "{what}");
            assert_eq!(
                RunQueue::preempt_threshold(&stage.entities, cx, running, other),
                Some(threshold)
            );
            assert_eq!(stage.test(other), verdict, "{what}, {ahead} ns ahead");
        }
        let (mut stage, _, other) = pair(curr, woken, offset - 1);
        assert_eq!(stage.test(other), Preempt::NotBehind, "{what}");
    }
}

/// Spec 3.2: the cap guarantees that a sleeper with full credit preempts, whatever its nice and
/// latency-nice. Without it nice 5 would not (2.8).
#[test]
fn full_credit_always_preempts() {
    for level in [-20, 0, 5, 19] {
        for woken in [-20, 0, 19] {
            for curr in [-20, 0, 19] {
                let (mut stage, _, other) = pair_of(curr, woken, level, 12 * MS);
                assert_eq!(stage.test(other), Preempt::FarBehind, "{level} {woken} {curr}");
            }
        }
    }
    let mut stage = Stage::new(Preset::V6_1, 8);
    stage.queued(0, 12 * MS);
    stage.pick();
    let sleeper = stage.queued(5, 0);
    assert_eq!(stage.test(sleeper), Preempt::NearBehind);
}

/// R3.2.9, R3.2.10: who asks to be served soon is picked before the leftmost, as long as it is not
/// too far ahead of it.
#[test]
fn second_tree_and_its_pick() {
    for (ahead, first) in [(8 * MS, true), (9 * MS, true), (9 * MS + 1, false)] {
        let mut stage = Stage::new(Preset::V6_1LatencyNice, 8);
        let plain = stage.queued(0, 0);
        let urgent = stage.task(0);
        stage.entities[urgent].latency_nice = latency(-20);
        stage.entities[urgent].vruntime = Vtime(ahead as u64);
        stage.enqueue(urgent, Enqueue::Fork);
        let cx = FairCx { kernel: &stage.kernel, now: stage.now };
        let figures = queue_evidence(&stage.rq, &stage.entities, cx);
        assert_eq!(figures.latency[0].task, urgent);
        let order: Vec<TaskId> = figures.rows.iter().map(|row| row.task).collect();
        assert_eq!(order, [plain, urgent]);
        let expect = if first {
            (Some(urgent), PickReason::LatencyFirst)
        } else {
            (Some(plain), PickReason::Leftmost)
        };
        let pick = stage.pick();
        assert_eq!((pick.next, pick.reason), expect, "{ahead} ns ahead");
        assert_eq!(stage.entities[urgent].in_latency_tree, !first);
    }
}

/// R3.2.9: who was preempted early goes back into the second tree; who had its minimum granularity
/// does not; who wakes always does.
#[test]
fn second_tree_is_for_the_preempted_and_the_woken() {
    for (ran, back) in [(2_999_999, true), (3_000_000, false)] {
        let mut stage = Stage::new(Preset::V6_1LatencyNice, 8);
        let urgent = stage.task(0);
        stage.entities[urgent].latency_nice = latency(-5);
        stage.enqueue(urgent, Enqueue::Fork);
        stage.pick();
        stage.queued(0, 0);
        stage.run(ran);
        stage.rq.resched_curr(Resched::Other);
        let cx = FairCx { kernel: &stage.kernel, now: stage.now };
        stage.rq.put_prev_task(&mut stage.entities, cx);
        assert_eq!(stage.entities[urgent].in_latency_tree, back, "after {ran} ns");
        stage.pick();
    }
    let mut stage = Stage::new(Preset::V6_1LatencyNice, 8);
    let urgent = stage.task(0);
    stage.entities[urgent].latency_nice = latency(-5);
    stage.enqueue(urgent, Enqueue::Fork);
    stage.pick();
    stage.run(50_000_000);
    stage.block();
    stage.wake(urgent);
    assert!(stage.entities[urgent].in_latency_tree);
}

/// R3.2.17: a new value means a new offset at once, and the second tree follows.
#[test]
fn latency_nice_changes_at_once() {
    let mut stage = Stage::new(Preset::V6_1LatencyNice, 8);
    stage.queued(0, 0);
    let task = stage.queued(0, 0);
    let set = |stage: &mut Stage, value| {
        let cx = FairCx { kernel: &stage.kernel, now: stage.now };
        stage.rq.set_latency_nice(&mut stage.entities, cx, task, latency(value));
        (stage.entities[task].latency_offset, stage.entities[task].in_latency_tree)
    };
    assert_eq!(set(&mut stage, -10), (-6 * MS, true));
    assert_eq!(set(&mut stage, 10), (6 * MS, false));
    assert_eq!(set(&mut stage, 0), (0, false));
    assert_eq!(stage.rq.fair.nr_running, 2);
    assert!(stage.rq.fair.latency_tree.is_empty());
    // Other kernels keep the value, and nothing else changes.
    let mut stage = Stage::new(Preset::V6_1, 8);
    let task = stage.queued(0, 0);
    let cx = FairCx { kernel: &stage.kernel, now: stage.now };
    stage.rq.set_latency_nice(&mut stage.entities, cx, task, latency(-10));
    assert_eq!(stage.entities[task].latency_offset, 0);
    assert_eq!(stage.entities[task].latency_nice, latency(-10));
}

/// R3.2.8: at the tick, an urgent leftmost is let through earlier, and nobody may be ahead by more
/// than the limit.
#[test]
fn latency_tick() {
    for (ahead, resched) in [(9 * MS, false), (9 * MS + 1, true)] {
        let (mut stage, running, _) = pair(0, 0, ahead - 5 * MS);
        stage.rq.need_resched = None;
        stage.entities[running].prev_sum_exec = stage.entities[running].sum_exec;
        stage.now = crate::units::Time(stage.now.0 + 5_000_000);
        let cx = FairCx { kernel: &stage.kernel, now: stage.now };
        stage.rq.task_tick(&mut stage.entities, cx);
        let expect = resched.then_some(Resched::AheadOfLeftmost);
        assert_eq!(stage.rq.need_resched, expect, "{ahead} ns ahead");
    }
}

/// Weights stay what they are: latency-nice changes who goes first, not how much each gets.
#[test]
fn latency_nice_does_not_change_shares() {
    let mut stage = Stage::new(Preset::V6_1LatencyNice, 8);
    let urgent = stage.task(0);
    stage.entities[urgent].latency_nice = latency(-20);
    stage.enqueue(urgent, Enqueue::Fork);
    let plain = stage.queued(0, 0);
    stage.pick();
    for _ in 0..2_000 {
        stage.tick();
    }
    let (a, b) = (stage.entities[urgent].sum_exec, stage.entities[plain].sum_exec);
    assert!(a.0.abs_diff(b.0) <= 24_000_000, "{a:?} {b:?}");
    assert_eq!(stage.entities[plain].nice(), nice(0));
}
