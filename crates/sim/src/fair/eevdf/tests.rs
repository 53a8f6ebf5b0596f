//! The worked examples of spec chapter 4, and the rules that no recording checks: the proposals of
//! 2023,
//! 6.8, 6.11 and 6.17.

use super::{V6_6, V2023_03, V2023_03v2, average, lag, update_min_vruntime};
use crate::fair::evidence::{pick_evidence, queue_evidence};
use crate::fair::reason::{Dequeue, Dequeued, Enqueue, PickReason, Preempt, Resched, Visit};
use crate::fair::stage::{MS, Stage, nice};
use crate::fair::{Entity, FairCx, Totals};
use crate::kernel::{Feature, Preset};
use crate::units::{LatencyNice, Span, TaskId, Vtime};

/// A request of one's own, also where no user could ask for it.
fn with_slice(mut entity: Entity, ns: u64) -> Entity {
    entity.custom_slice = true;
    entity.slice = Span(ns);
    entity
}

impl Stage {
    /// Puts a task into the tree with these figures, whatever the placement rules would say.
    fn put(&mut self, level: i8, vruntime: i64, deadline: i64) -> TaskId {
        let task = self.task(level);
        self.put_entity(task, vruntime, deadline)
    }

    fn put_entity(&mut self, task: TaskId, vruntime: i64, deadline: i64) -> TaskId {
        let cx = FairCx { kernel: &self.kernel, now: self.now };
        // It goes first into an own place, then its figures are set outside the tree.
        self.rq.enqueue_task(&mut self.entities, cx, task, Enqueue::Fork);
        let fair = &mut self.rq.fair;
        macro_rules! reinsert {
            ($g:ty) => {{
                super::tree_remove::<$g>(fair, &mut self.entities, task);
                self.entities[task].vruntime = Vtime(vruntime as u64);
                self.entities[task].deadline = Vtime(deadline as u64);
                super::tree_insert::<$g>(fair, &mut self.entities, task);
            }};
        }
        use crate::kernel::FairGeneration::*;
        match self.kernel.fair {
            Eevdf2023_03 => reinsert!(super::V2023_03),
            Eevdf2023_03v2 => reinsert!(super::V2023_03v2),
            Eevdf6_6 => reinsert!(super::V6_6),
            Eevdf6_8 => reinsert!(super::V6_8),
            Eevdf6_11 => reinsert!(super::V6_11),
            Eevdf6_12 => reinsert!(super::V6_12),
            Eevdf6_17 => reinsert!(super::V6_17),
            _ => panic!("not EEVDF"),
        }
        task
    }

    fn cx(&self) -> FairCx<'_> {
        FairCx { kernel: &self.kernel, now: self.now }
    }
}

/// Queue-less sums.
fn totals(origin: i64, sum: i64, load: u64) -> Totals {
    Totals { origin: Vtime(origin as u64), sum, load }
}

/// R4.B.3 against R4.A.2: 6.6 rounds V down, the proposals toward zero.
#[test]
fn rounding_of_v() {
    let totals = totals(10, -2048, 3072);
    assert_eq!(average::<V6_6>(totals), Vtime(9));
    assert_eq!(average::<V2023_03>(totals), Vtime(10));
    assert_eq!(average::<V2023_03v2>(totals), Vtime(10));
}

/// Spec 4B, worked V: of three tasks only A is eligible.
#[test]
fn worked_average() {
    for preset in [Preset::V6_6, Preset::V6_8, Preset::Eevdf2023_03] {
        let mut stage = Stage::new(preset, 8);
        for (level, vruntime) in [(0, 2 * MS), (0, 5 * MS), (5, 4 * MS)] {
            stage.put(level, vruntime, vruntime + 3 * MS);
        }
        stage.rq.fair.advance_min(Vtime(2_000_000));
        let figures = queue_evidence(&stage.rq, &stage.entities, stage.cx());
        assert_eq!((figures.sum, figures.load), (3_742_000_000, 2383));
        assert_eq!(figures.average, Vtime(3_570_289));
        let eligible: Vec<bool> = (0..3)
            .map(|task| figures.rows.iter().find(|row| row.task == TaskId(task)).unwrap().eligible)
            .collect();
        assert_eq!(eligible, [true, false, false]);
    }
}

/// Spec 4B, worked placement: lag is inflated so that it is right once the task is counted; the
/// first proposal does not do that, and with two tasks half of it evaporates (R4.A.5).
#[test]
fn worked_placement() {
    let place = |preset: Preset, level: i8, vlag: i64| {
        let mut stage = Stage::new(preset, 8);
        stage.kernel.features = stage.kernel.features.with(Feature::PlaceFudge, false);
        let runner = stage.put(0, 10 * MS, 13 * MS);
        stage.pick();
        let woken = stage.task(level);
        stage.entities[woken].vlag = vlag;
        stage.enqueue(woken, Enqueue::Wakeup);
        let average = average::<V6_6>(stage.rq.fair.totals(&stage.entities)).signed();
        assert_eq!(stage.vruntime(runner), 10 * MS);
        (stage.vruntime(woken), stage.deadline(woken), average)
    };
    for preset in [Preset::V6_6, Preset::V6_8, Preset::V6_12, Preset::V6_17, Preset::Eevdf2023_03v2]
    {
        let slice = preset.kernel(8).base_slice.0 as i64;
        assert_eq!(place(preset, 0, MS), (8 * MS, 8 * MS + slice, 9 * MS), "{}", preset.name());
    }
    assert_eq!(place(Preset::V6_6, 5, -MS), (11_327_148, 20_497_297, 10_327_148));
    assert_eq!(place(Preset::Eevdf2023_03, 0, MS), (9 * MS, 12 * MS, 9_500_000));
}

/// Spec 4B, worked limits of the lag; the first proposal has none.
#[test]
fn worked_limits() {
    let kernel = Preset::V6_6.kernel(8);
    let limit = |kernel, level, slice| {
        let entity = with_slice(Entity::new(nice(level)), slice);
        entity.lag_limit(FairCx { kernel, now: crate::units::Time(0) })
    };
    let expect = [(0, 6_000_000), (5, 18_340_298), (-5, 1_968_599), (19, 409_599_999)];
    for (level, ns) in expect {
        assert_eq!(limit(&kernel, level, 3_000_000), ns, "nice {level}");
    }
    let mut kernel = Preset::V6_6.kernel(1);
    kernel.hz = 250;
    assert_eq!(limit(&kernel, 0, 750_000), 4_000_000);
    let lag_of = |preset: Preset| {
        let mut stage = Stage::new(preset, 8);
        stage.put(0, 0, MS);
        let far = stage.put(0, 100 * MS, 103 * MS);
        let (queue, cx) = (&stage.rq.fair, stage.cx());
        match preset {
            Preset::Eevdf2023_03 => lag::<V2023_03>(queue, &stage.entities, cx, far),
            _ => lag::<V2023_03v2>(queue, &stage.entities, cx, far),
        }
    };
    assert_eq!(lag_of(Preset::Eevdf2023_03), -50 * MS);
    assert_eq!(lag_of(Preset::Eevdf2023_03v2), -6 * MS);
}

/// Spec 4B, worked reweight in place from nice 0 to 5, V = 10 ms: 6.6 keeps vruntime, 6.8 and 6.11
/// keep V, 6.13 and later place anew.
#[test]
fn worked_reweight() {
    let reweigh = |preset: Preset| {
        let mut stage = Stage::new(preset, 8);
        let task = stage.put(0, 9 * MS, 12 * MS);
        stage.put(0, 11 * MS, 20 * MS);
        let cx = FairCx { kernel: &stage.kernel, now: stage.now };
        stage.rq.reweight(&mut stage.entities, cx, task, nice(5));
        assert_eq!(stage.rq.fair.load, 1024 + 335);
        (stage.vruntime(task), stage.deadline(task))
    };
    assert_eq!(reweigh(Preset::V6_6), (9 * MS, 18_170_149));
    assert_eq!(reweigh(Preset::V6_8), (6_943_284, 16_113_432));
    assert_eq!(reweigh(Preset::V6_11), (6_943_284, 16_113_432));
    assert_eq!(reweigh(Preset::V6_12), (6_943_284, 16_113_432));
    // Lag 1 ms · 1024/335 = 3 056 716 ns, inflated by (1024 + 335)/1024, before the other's 11 ms.
    let lag = 3_056_716 * (1024 + 335) / 1024;
    assert_eq!(reweigh(Preset::V6_17), (11 * MS - lag, 11 * MS - lag + 9_170_149));
}

/// Two hogs that start equal; the first turns in ticks.
#[track_caller]
fn check_turns(preset: Preset, hz: u32, group_sched: bool, expect: &[u32]) {
    let mut stage = Stage::new(preset, 8);
    stage.kernel.hz = hz;
    stage.kernel.group_sched = group_sched;
    for _ in 0..2 {
        let task = stage.task(0);
        stage.enqueue(task, Enqueue::Fork);
    }
    let name = preset.name();
    assert_eq!(stage.turns(expect.len()), expect, "{name} at {hz} Hz, groups {group_sched}");
}

/// Spec 4B (worked alternation) and 10.13.
#[test]
fn turns_of_two_hogs() {
    check_turns(Preset::V6_6, 1000, true, &[3, 6, 6, 6]);
    check_turns(Preset::V6_6, 250, true, &[1, 2, 2, 2]);
    check_turns(Preset::V6_6, 1000, false, &[3, 3, 3, 3]);
    for preset in [Preset::V6_8, Preset::V6_11] {
        check_turns(preset, 1000, true, &[3, 3, 3, 3]);
        check_turns(preset, 1000, false, &[3, 3, 3, 3]);
    }
    check_turns(Preset::V6_12, 1000, true, &[2, 2, 3, 3, 3]);
    check_turns(Preset::V6_12, 250, true, &[1, 1, 1, 1]);
    check_turns(Preset::V6_17, 1000, true, &[2, 2, 3, 3, 3]);
}

/// Spec 4C, worked: a shorter request ends the protection of the running one.
#[test]
fn shorter_request_preempts() {
    for preset in [Preset::V6_12, Preset::V6_17] {
        for (slice, picked) in [(500_000, true), (0, false)] {
            let mut stage = Stage::new(preset, 8);
            let runner = stage.task(0);
            stage.enqueue(runner, Enqueue::Move);
            stage.pick();
            let woken = stage.entities.push(Entity::new(nice(0)).with_slice(Span(slice)));
            let verdict = stage.wake(woken);
            let name = preset.name();
            if picked {
                assert_eq!(verdict, Preempt::Picked { short: true }, "{name}");
                assert_eq!(stage.deadline(woken) - stage.vruntime(woken), 500_000, "{name}");
            } else {
                let kept = Preempt::NotPicked { reason: PickReason::Parity, short: false };
                assert_eq!(verdict, kept, "{name}");
            }
        }
    }
}

/// Spec 4C, worked delayed dequeue: who sleeps ahead of its share stays queued until the others
/// caught up.
#[test]
fn delayed_until_the_debt_is_paid() {
    for preset in [Preset::V6_12, Preset::V6_17] {
        let mut stage = Stage::new(preset, 8);
        let a = stage.put(0, 0, 3 * MS);
        let b = stage.put(0, 0, 4 * MS);
        stage.rq.fair.advance_min(Vtime(0));
        assert_eq!(stage.pick().next, Some(a));
        stage.run(2_000_000);
        assert_eq!(stage.block(), Dequeued::Delayed);
        assert_eq!((stage.rq.curr, stage.rq.fair.nr_running), (Some(b), 2));
        stage.run(2_000_000);
        assert!(stage.rq.fair.eligible(&stage.entities, a));
        assert_eq!(stage.block(), Dequeued::Done);
        assert_eq!((stage.rq.curr, stage.rq.fair.nr_running), (None, 0));
        assert_eq!(stage.completed, [a]);
        assert_eq!(stage.entities[a].vlag, 0);
    }
}

/// R4.C.20, worked: with another request of 0.5 ms queued, the running task is protected for 0.5
/// ms; a request that wakes shorter, and is not picked, shortens the protection.
#[test]
fn protection_of_6_17() {
    let mut stage = Stage::new(Preset::V6_17, 8);
    let runner = stage.put(0, 0, 2_800_000);
    let short = stage.entities.push(Entity::new(nice(0)).with_slice(Span(500_000)));
    stage.put_entity(short, MS, 1_500_000);
    assert_eq!(stage.pick().next, Some(runner));
    assert_eq!(stage.entities[runner].vprot, Vtime(500_000));
    let row = queue_evidence(&stage.rq, &stage.entities, stage.cx()).rows[0];
    assert_eq!((row.protected, row.protected_until), (true, Some(Vtime(500_000))));
    stage.run(400_000);
    assert_eq!(stage.rq.need_resched, None);
    stage.run(100_000);
    assert_eq!(stage.rq.need_resched, Some(Resched::Unprotected));
    // Eligible still, and without competition it goes on; every accounting asks again.
    assert_eq!(stage.pick().next, Some(runner));
    stage.run(1);
    assert_eq!(stage.rq.need_resched, Some(Resched::Unprotected));

    let mut stage = Stage::new(Preset::V6_17, 8);
    let runner = stage.put(0, 0, 2_800_000);
    stage.put(0, 0, 2_900_000);
    stage.pick();
    assert_eq!(stage.entities[runner].vprot, Vtime(2_800_000), "all ask for the same");
    stage.run(100_000);
    // Shorter, but placed far behind V: not eligible.
    let short = stage.entities.push(Entity::new(nice(0)).with_slice(Span(500_000)));
    stage.entities[short].vlag = -5 * MS;
    let verdict = stage.wake(short);
    assert!(matches!(verdict, Preempt::NotPicked { short: true, .. }), "{verdict:?}");
    assert_eq!(stage.entities[runner].vprot, Vtime(600_000));

    // Without RUN_TO_PARITY: the unscaled base slice.
    let mut stage = Stage::new(Preset::V6_17, 8);
    stage.kernel.features = stage.kernel.features.with(Feature::RunToParity, false);
    let runner = stage.put(0, 0, 2_800_000);
    stage.put(0, 0, 2_900_000);
    stage.pick();
    assert_eq!(stage.entities[runner].vprot, Vtime(700_000));
}

/// R4.A.1: latency-nice → request, on 8 CPUs and on one.
#[test]
fn requests_of_the_proposals() {
    let table = [
        (-20, 34_609),
        (-10, 321_742),
        (-1, 2_405_638),
        (0, 3_000_000),
        (1, 3_746_341),
        (10, 27_927_272),
        (19, 204_800_000),
    ];
    for preset in [Preset::Eevdf2023_03, Preset::Eevdf2023_03v2] {
        for (value, ns) in table {
            let mut stage = Stage::new(preset, 8);
            let task = stage.task(0);
            stage.entities[task].latency_nice = LatencyNice::new(value).unwrap();
            stage.enqueue(task, Enqueue::Wakeup);
            assert_eq!(stage.entities[task].slice, Span(ns), "{} at {value}", preset.name());
            assert_eq!(stage.deadline(task) - stage.vruntime(task), ns as i64);
        }
        let kernel = preset.kernel(1);
        let slice = |value| {
            let mut entity = Entity::new(nice(0));
            entity.latency_nice = LatencyNice::new(value).unwrap();
            entity.default_slice(&kernel).0
        };
        assert_eq!([-20, 0, 19].map(slice), [8_652, 750_000, 51_200_000]);
    }
}

/// R4.A.8: the walk of the proposals goes right from X, whose earliest deadline below is Z's; Z is
/// not eligible, and W on the left, forgotten, would have been the right one. 6.6 finds it.
#[test]
fn the_walk_of_march_2023_misses_one() {
    let figures = |preset: Preset| {
        let mut stage = Stage::new(preset, 8);
        // By vruntime W < X < Z: X becomes the root. V is 4 ms.
        let w = stage.put(0, 0, 5 * MS);
        let x = stage.put(0, MS, 9 * MS);
        let z = stage.put(0, 11 * MS, 2 * MS);
        let evidence = pick_evidence(&stage.rq, &stage.entities, stage.cx());
        assert_eq!(evidence.queue.root, Some(x));
        assert_eq!(evidence.pick, stage.pick());
        (evidence, w, x, z)
    };
    for preset in [Preset::Eevdf2023_03, Preset::Eevdf2023_03v2] {
        let (evidence, w, x, z) = figures(preset);
        assert_eq!(evidence.pick.next, Some(x));
        assert_eq!(evidence.pick.reason, PickReason::FlawedSearch { missed: w });
        let walk = [(x, Visit::EligibleForgetLeft { best: true }), (z, Visit::NotEligibleGoLeft)];
        assert_eq!(evidence.walk, walk);
    }
    let (evidence, w, ..) = figures(Preset::V6_6);
    assert_eq!((evidence.pick.next, evidence.pick.reason), (Some(w), PickReason::EarliestEligible));
}

/// R4.A.9: a tick picks anew, so that a task may lose the CPU before its request is used up; 6.6
/// waits for its end.
#[test]
fn tick_of_the_proposals() {
    for (preset, ticks) in [(Preset::Eevdf2023_03, 1), (Preset::V6_6, 3)] {
        let mut stage = Stage::new(preset, 8);
        stage.put(0, 0, 3 * MS);
        stage.put(0, 0, 3 * MS);
        stage.rq.fair.advance_min(Vtime(0));
        assert_eq!(stage.turns(1), [ticks], "{}", preset.name());
    }
    let mut stage = Stage::new(Preset::Eevdf2023_03, 8);
    stage.put(0, 0, 3 * MS);
    stage.put(0, 0, 3 * MS);
    stage.pick();
    stage.now = crate::units::Time(stage.now.0 + 1_000_000);
    let cx = FairCx { kernel: &stage.kernel, now: stage.now };
    stage.rq.task_tick(&mut stage.entities, cx);
    assert_eq!(stage.rq.need_resched, Some(Resched::PickedAtTick));
}

/// R4.A.6 against R4.A.24: exactly at the deadline the first proposal does not renew yet.
#[test]
fn renewal_of_the_proposals() {
    for (preset, deadline) in [(Preset::Eevdf2023_03, 3 * MS), (Preset::Eevdf2023_03v2, 6 * MS)] {
        let mut stage = Stage::new(preset, 8);
        let task = stage.put(0, 0, 3 * MS);
        stage.pick();
        stage.run(3_000_000);
        assert_eq!(stage.deadline(task), deadline, "{}", preset.name());
    }
}

/// R4.A.5: the first proposal keeps lag over a sleep without limit, and moves all else relative to
/// `min_vruntime`.
#[test]
fn first_proposal_moves_as_cfs() {
    let mut stage = Stage::new(Preset::Eevdf2023_03, 8);
    stage.put(0, 10 * MS, 13 * MS);
    let task = stage.put(0, 30 * MS, 33 * MS);
    stage.rq.fair.advance_min(Vtime(10_000_000));
    let cx = FairCx { kernel: &stage.kernel, now: stage.now };
    stage.rq.dequeue_task(&mut stage.entities, cx, task, Dequeue::Move);
    assert_eq!(stage.vruntime(task), 20 * MS);
    let mut other = crate::run_queue::RunQueue::new();
    other.fair.min_vruntime = Vtime(500_000_000);
    other.enqueue_task(&mut stage.entities, cx, task, Enqueue::Move);
    assert_eq!((stage.vruntime(task), stage.deadline(task)), (520 * MS, 523 * MS));
    assert_eq!(stage.entities[task].vlag, 0, "no lag is taken of one that only moves");
    other.dequeue_task(&mut stage.entities, cx, task, Dequeue::Sleep);
    assert_eq!(stage.entities[task].vlag, 0);
}

/// R4.A.25: who asks for less than the average and owes up to one request is placed without debt.
#[test]
fn fudge_of_the_second_proposal() {
    let place = |latency_nice: i8, vlag: i64, fudge: bool| {
        let mut stage = Stage::new(Preset::Eevdf2023_03v2, 8);
        stage.kernel.features = stage.kernel.features.with(Feature::PlaceFudge, fudge);
        stage.put(0, 10 * MS, 13 * MS);
        let task = stage.task(0);
        stage.entities[task].latency_nice = LatencyNice::new(latency_nice).unwrap();
        stage.entities[task].vlag = vlag;
        stage.enqueue(task, Enqueue::Wakeup);
        10 * MS - stage.vruntime(task)
    };
    // A request of 321 742 ns; lags count double beside one other task of the same weight.
    assert_eq!(place(-10, -200_000, true), 0);
    assert_eq!(place(-10, -200_000, false), -400_000);
    assert_eq!(place(-10, -421_742, true), -200_000);
    assert_eq!(place(-10, 200_000, true), 0, "a positive lag is lost");
    assert_eq!(place(10, -200_000, true), -400_000, "who asks for more gets nothing");
}

/// R4.A.23, R4.A.26, R4.A.27, R4.A.29.
#[test]
fn other_rules_of_the_second_proposal() {
    let mut stage = Stage::new(Preset::Eevdf2023_03v2, 8);
    let child = stage.fork(0);
    assert_eq!(stage.deadline(child) - stage.vruntime(child), 1_500_000);
    stage.pick();
    let before = stage.deadline(child);
    stage.put(0, 10 * MS, 13 * MS);
    let cx = FairCx { kernel: &stage.kernel, now: stage.now };
    stage.rq.yield_task(&mut stage.entities, cx);
    assert_eq!(stage.deadline(child) - before, 3 * MS);

    let bonus = |was: i64| {
        let mut stage = Stage::new(Preset::Eevdf2023_03v2, 8);
        stage.kernel.features = stage.kernel.features.with(Feature::PlaceBonus, true);
        stage.put(0, 10 * MS, 13 * MS);
        let task = stage.task(0);
        stage.entities[task].vruntime = Vtime(was as u64);
        stage.enqueue(task, Enqueue::Wakeup);
        (stage.vruntime(task), stage.deadline(task))
    };
    assert_eq!(bonus(0), (8_500_000, 13 * MS));
    assert_eq!(bonus(9 * MS), (9 * MS, 13 * MS));
    assert_eq!(bonus(20 * MS), (10 * MS, 13 * MS));

    let mut stage = Stage::new(Preset::Eevdf2023_03v2, 8);
    stage.put(0, 0, MS);
    stage.put(0, 10 * MS, 13 * MS);
    stage.kernel.features = stage.kernel.features.with(Feature::MinimalVa, true);
    let cx = FairCx { kernel: &stage.kernel, now: stage.now };
    update_min_vruntime::<V2023_03v2>(&mut stage.rq.fair, &stage.entities, cx);
    assert_eq!(stage.rq.fair.min_vruntime, Vtime(5_000_000));
}

/// R4.B.12 against R4.B.13: at equal deadlines 6.6 goes on with the running task, 6.8 takes the
/// waiting one.
#[test]
fn equal_deadlines() {
    for (preset, keeps) in [(Preset::V6_6, true), (Preset::V6_8, false), (Preset::V6_17, false)] {
        let mut stage = Stage::new(preset, 8);
        let runner = stage.put(0, 0, 10 * MS);
        let other = stage.put(0, MS, 11 * MS);
        assert_eq!(stage.pick().next, Some(runner));
        // Its protection is over, and the deadlines are equal.
        stage.entities[runner].deadline = Vtime(11_000_000);
        stage.entities[runner].vprot = Vtime(0);
        stage.run(1_000_000);
        let (next, reason) = if keeps {
            (runner, PickReason::CurrEarlier)
        } else {
            (other, PickReason::EarliestEligible)
        };
        let pick = stage.pick();
        assert_eq!((pick.next, pick.reason), (Some(next), reason), "{}", preset.name());
    }
}
