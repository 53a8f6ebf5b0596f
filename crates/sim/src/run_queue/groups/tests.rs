//! Shares of groups, their weights, their latency-nice, and what is told of both levels.

use super::super::tests::settle_averages;
use super::*;
use crate::fair::Entity;
use crate::fair::evidence::{pick_evidence, preempt_evidence};
use crate::fair::reason::PickReason;
use crate::kernel::{Kernel, Preset};
use crate::setup::GroupSpec;
use crate::units::{Nice, Time, Vtime};

const MS: u64 = 1_000_000;

/// One CPU or more with groups of these shares.
struct Scene {
    kernel: Kernel,
    now: Time,
    entities: Entities,
    queues: Vec<RunQueue>,
    completed: Vec<TaskId>,
}

fn latency(value: i8) -> LatencyNice {
    LatencyNice::new(value).expect("a latency-nice")
}

impl Scene {
    fn new(preset: Preset, cpus: u16, groups: &[(u32, i8)]) -> Scene {
        let kernel = preset.kernel(8);
        let spec = |&(shares, nice)| GroupSpec { shares, latency_nice: latency(nice) };
        let groups: Vec<GroupSpec> = groups.iter().map(spec).collect();
        let entities = Entities::with_groups(&groups, usize::from(cpus), &kernel);
        let queues = (0..cpus)
            .map(|cpu| RunQueue::with_groups(&entities, cpus.into(), CpuId(cpu)))
            .collect();
        Scene { kernel, now: Time(1_000 * MS), entities, queues, completed: Vec::new() }
    }

    fn hog(&mut self, cpu: usize, group: Option<u16>, level: i8) -> TaskId {
        let cx = FairCx { kernel: &self.kernel, now: self.now };
        let mut entity = Entity::new(Nice::new(level).expect("a nice value"));
        entity.group = group.map(TaskGroupId);
        let task = self.entities.push(entity);
        self.queues[cpu].task_start(&mut self.entities, cx, task);
        self.queues[cpu].enqueue_task(&mut self.entities, cx, task, Enqueue::Fork);
        self.queues[cpu].wakeup_preempt(&mut self.entities, cx, task, Wake::Fork);
        task
    }

    fn pick(&mut self, cpu: usize) -> Pick {
        let cx = FairCx { kernel: &self.kernel, now: self.now };
        self.completed.clear();
        self.queues[cpu].pick(&mut self.entities, cx, &mut self.completed)
    }

    fn run(&mut self, ms: u64) {
        for _ in 0..ms {
            self.now = Time(self.now.0 + MS);
            for cpu in 0..self.queues.len() {
                let cx = FairCx { kernel: &self.kernel, now: self.now };
                if self.queues[cpu].curr.is_some() {
                    self.queues[cpu].task_tick(&mut self.entities, cx);
                }
                if self.queues[cpu].need_resched.is_some() {
                    self.pick(cpu);
                }
            }
        }
    }

    fn ran(&self, task: TaskId) -> u64 {
        self.entities[task].sum_exec.0
    }
}

/// Three hogs in one group, one in another, one in none; shares 1024, 512 and nice 0: two fifths,
/// one fifth, two fifths, however many tasks there are in each.
#[test]
fn groups_get_what_their_shares_give() {
    for preset in Preset::ALL {
        let mut scene = Scene::new(preset, 1, &[(1024, 0), (512, 0)]);
        let many: Vec<TaskId> = (0..3).map(|_| scene.hog(0, Some(0), 0)).collect();
        let one = scene.hog(0, Some(1), 0);
        let free = scene.hog(0, None, 0);
        scene.run(500);
        let before: Vec<u64> = (0..5).map(|task| scene.ran(TaskId(task))).collect();
        scene.run(2_500);
        let got = |task: TaskId| scene.ran(task) - before[task.index()];
        let close = |ns: u64, ms: u64| ns.abs_diff(ms * MS) <= 40 * MS;
        let together: u64 = many.iter().map(|&task| got(task)).sum();
        let name = preset.name();
        assert!(close(together, 1_000), "{name}: {together}");
        assert!(close(got(one), 500), "{name}: {}", got(one));
        assert!(close(got(free), 1_000), "{name}: {}", got(free));
        for &task in &many {
            assert!(close(got(task), 333), "{name}: {}", got(task));
        }
        let total: u64 = (0..5).map(|task| scene.ran(TaskId(task))).sum();
        assert!(3_000 * MS - total < 30 * MS, "{name}: work is conserved");
    }
}

/// Spec 1.5: a group that is spread weighs on each CPU what its load there is of all its load.
#[test]
fn weight_follows_the_load() {
    let mut scene = Scene::new(Preset::V6_12, 2, &[(1024, 0)]);
    let weight =
        |scene: &Scene, cpu: usize| scene.entities[scene.queues[cpu].groups[0].entity].weight();
    let refresh = |scene: &mut Scene| {
        for cpu in 0..2 {
            let cx = FairCx { kernel: &scene.kernel, now: scene.now };
            scene.queues[cpu].update_group(&mut scene.entities, cx, TaskGroupId(0));
        }
    };
    let first = scene.hog(0, Some(0), 0);
    assert_eq!(weight(&scene, 0), 1024);
    scene.hog(1, Some(0), 0);
    scene.hog(1, Some(0), 0);
    // Nobody has run yet: of the other CPU's load nothing is known.
    assert_eq!((weight(&scene, 0), weight(&scene, 1)), (1024, 1024));
    scene.queues.iter_mut().for_each(settle_averages);
    refresh(&mut scene);
    // CPU 0 did not know yet of CPU 1; its next tick tells it.
    assert_eq!((weight(&scene, 0), weight(&scene, 1)), (1024, 682));
    refresh(&mut scene);
    assert_eq!((weight(&scene, 0), weight(&scene, 1)), (341, 682));
    scene.pick(0);
    let cx = FairCx { kernel: &scene.kernel, now: scene.now };
    scene.queues[0].dequeue_task(&mut scene.entities, cx, first, Dequeue::Special);
    refresh(&mut scene);
    // It is gone, but its load fades only slowly.
    assert_eq!((weight(&scene, 0), weight(&scene, 1)), (341, 682));
    scene.queues.iter_mut().for_each(settle_averages);
    refresh(&mut scene);
    refresh(&mut scene);
    assert_eq!((weight(&scene, 0), weight(&scene, 1)), (341, 1024));
    scene.hog(0, Some(0), 19);
    scene.queues.iter_mut().for_each(settle_averages);
    refresh(&mut scene);
    refresh(&mut scene);
    // 15 and 2 · 1024 of 2063; the least is 2.
    assert_eq!((weight(&scene, 0), weight(&scene, 1)), (7, 1016));
}

/// CFS: the slice of a task in a group is its part of the group's part of the period (R2.5.2), and
/// with ALT_PERIOD the period grows with all tasks of the CPU (R3.1.2).
#[test]
fn slices_are_shares_of_shares() {
    let slices = |alt_period: bool| {
        let mut scene = Scene::new(Preset::V6_1, 1, &[(1024, 0)]);
        let features = scene.kernel.features;
        scene.kernel.features = features
            .with(crate::kernel::Feature::AltPeriod, alt_period)
            .with(crate::kernel::Feature::BaseSlice, false);
        let inside: Vec<TaskId> = (0..9).map(|_| scene.hog(0, Some(0), 0)).collect();
        let outside = scene.hog(0, None, 0);
        scene.pick(0);
        let cx = FairCx { kernel: &scene.kernel, now: scene.now };
        let rq = &mut scene.queues[0];
        let slice = |rq: &RunQueue, entities: &Entities, task| rq.sched_slice(entities, cx, task);
        rq.at(&mut scene.entities, Some(TaskGroupId(0)), |_, _| ());
        rq.at(&mut scene.entities, None, |_, _| ());
        (slice(rq, &scene.entities, inside[0]).0, slice(rq, &scene.entities, outside).0)
    };
    // Ten tasks of 3 ms: 30 ms, half of it for the group, a ninth of that for each; without
    // ALT_PERIOD nine entities of 3 ms in the group, and two of 24 ms outside.
    let near = |ns: u64, expect: u64| expect - ns < 30;
    let (inside, outside) = slices(true);
    assert!(near(inside, 1_666_666) && near(outside, 15_000_000), "{inside} {outside}");
    let (inside, outside) = slices(false);
    assert!(near(inside, 1_500_000) && near(outside, 12_000_000), "{inside} {outside}");
}

/// The worked table of 3.2, for groups (R3.2.12): by how much the running task's group must be
/// ahead of the woken one's, whatever the latency-nice of the tasks themselves.
#[test]
fn latency_preemption_table_of_groups() {
    let ms = MS as i64;
    let table = [
        // curr, woken, offset, threshold
        (0, 0, 0, 4 * ms),
        (0, -20, -12 * ms, -8 * ms),
        (-20, 0, 9 * ms, 9 * ms),
        (-20, -20, 0, 4 * ms),
        (0, 19, 9 * ms, 9 * ms),
        (19, 0, 0, 4 * ms),
        (19, -20, -23_402_343, -19_402_343),
    ];
    for (curr, woken, offset, threshold) in table {
        for (ahead, verdict) in
            [(threshold, Preempt::NearBehind), (threshold + 1, Preempt::FarBehind)]
        {
            let what = format!("{curr} runs, {woken} woke, {ahead} ns ahead");
            let mut scene = Scene::new(Preset::V6_1LatencyNice, 1, &[(1024, curr), (1024, woken)]);
            scene.queues[0].fair.min_vruntime = Vtime(0);
            let runs = scene.hog(0, Some(0), 0);
            scene.pick(0);
            let groups = [0, 1].map(|group| scene.queues[0].groups[group].entity);
            scene.entities[groups[0]].vruntime = Vtime(1_000 * MS);
            scene.entities[groups[1]].vruntime = Vtime((1_000 * ms - ahead) as u64);
            let mut entity = Entity::new(Nice::default());
            entity.group = Some(TaskGroupId(1));
            entity.latency_nice = latency(-curr.max(-19));
            let wakes = scene.entities.push(entity);
            let cx = FairCx { kernel: &scene.kernel, now: scene.now };
            let rq = &mut scene.queues[0];
            rq.task_start(&mut scene.entities, cx, wakes);
            rq.enqueue_task(&mut scene.entities, cx, wakes, Enqueue::Fork);
            let figures = preempt_evidence(rq, &scene.entities, cx, wakes, Wake::Wakeup);
            let rows = [figures.curr, figures.woken].map(|row| row.map(|row| row.task));
            assert_eq!((rows, figures.group), (groups.map(Some), None), "{what}");
            let figures = (figures.latency_offset, figures.granularity, figures.latency_limit);
            assert_eq!(figures, (Some(offset), Some(threshold), Some(9 * ms)), "{what}");
            let test = rq.wakeup_preempt(&mut scene.entities, cx, wakes, Wake::Wakeup);
            assert_eq!(test, verdict, "{what}");
            assert_eq!(scene.queues[0].curr, Some(runs));
        }
    }
}

/// R3.2.12: a change takes the group's entity out of the second tree, and gives it another offset.
#[test]
fn latency_nice_of_groups_changes() {
    let mut scene = Scene::new(Preset::V6_1LatencyNice, 1, &[(1024, -20), (1024, 0)]);
    scene.hog(0, Some(1), 0);
    scene.pick(0);
    scene.run(20);
    scene.hog(0, Some(0), 0);
    let rq = &mut scene.queues[0];
    let entity = rq.groups[0].entity;
    let waits = |rq: &RunQueue, entities: &Entities| {
        rq.fair.latency_tree.iter_in::<crate::fair::tree::ByLatency>(entities).collect::<Vec<_>>()
    };
    assert_eq!(waits(rq, &scene.entities), [entity]);
    let cx = FairCx { kernel: &scene.kernel, now: scene.now };
    rq.set_group_latency_nice(&mut scene.entities, cx, TaskGroupId(0), latency(0));
    assert_eq!(scene.entities[entity].latency_offset, 0);
    assert!(rq.fair.latency_tree.is_empty());
}

/// A running task that changes its group takes its place along, in every kernel: it goes on to run,
/// and both queues count it right.
#[test]
fn tasks_change_their_group() {
    for preset in Preset::ALL {
        let mut scene = Scene::new(preset, 1, &[(1024, 0), (1024, 0)]);
        let moves = scene.hog(0, Some(0), 0);
        let stays = scene.hog(0, None, 0);
        scene.run(30);
        for group in [Some(TaskGroupId(1)), None, Some(TaskGroupId(0))] {
            while scene.queues[0].curr != Some(moves) {
                scene.run(1);
            }
            let cx = FairCx { kernel: &scene.kernel, now: scene.now };
            let rq = &mut scene.queues[0];
            let was = rq.leave_group(&mut scene.entities, cx, moves);
            scene.entities[moves].group = group;
            rq.join_group(&mut scene.entities, cx, moves, was);
            assert_eq!((rq.curr, rq.nr_running), (Some(moves), 2));
            assert_eq!(rq.fair.curr, Some(rq.root_entity(&scene.entities, moves)));
            let before = [moves, stays].map(|task| scene.ran(task));
            scene.run(300);
            let after = [moves, stays].map(|task| scene.ran(task));
            let got = [after[0] - before[0], after[1] - before[1]];
            assert!(got[0].abs_diff(got[1]) < 60 * MS, "{} {group:?}: {got:?}", preset.name());
        }
    }
}

/// A pick tells of both levels: why this group, and why this task of it.
#[test]
fn evidence_of_both_levels() {
    let mut scene = Scene::new(Preset::V6_12, 1, &[(1024, 0)]);
    let inside = [scene.hog(0, Some(0), 0), scene.hog(0, Some(0), 0)];
    let outside = scene.hog(0, None, 0);
    scene.run(4);
    let entity = scene.queues[0].groups[0].entity;
    assert!(entity.is_group());
    for _ in 0..10 {
        scene.run(1);
        let cx = FairCx { kernel: &scene.kernel, now: scene.now };
        let figures = pick_evidence(&scene.queues[0], &scene.entities, cx);
        let mut roots: Vec<TaskId> = figures.queue.rows.iter().map(|row| row.task).collect();
        roots.sort_unstable();
        assert_eq!(roots, [outside, entity]);
        let next = figures.pick.next.expect("somebody runs");
        match figures.inner {
            Some(inner) => {
                assert_eq!(inner.group, TaskGroupId(0));
                assert!(inside.contains(&next));
                let mut rows: Vec<TaskId> = inner.queue.rows.iter().map(|row| row.task).collect();
                rows.sort_unstable();
                assert_eq!(rows, inside);
                assert_ne!(inner.reason, PickReason::Idle);
            }
            None => assert_eq!(next, outside),
        }
    }
}

/// A group that sleeps ahead of its share is delayed as a task would be, and comes back as one.
#[test]
fn groups_can_be_delayed() {
    let mut scene = Scene::new(Preset::V6_12, 1, &[(1024, 0)]);
    let inside = scene.hog(0, Some(0), 0);
    scene.hog(0, None, 0);
    scene.pick(0);
    let entity = scene.queues[0].groups[0].entity;
    while scene.queues[0].curr != Some(inside) {
        scene.run(1);
    }
    // The other is 2 ms ahead when the group gets its turn of 3 ms.
    scene.now = Time(scene.now.0 + 5 * MS / 2);
    let cx = FairCx { kernel: &scene.kernel, now: scene.now };
    let rq = &mut scene.queues[0];
    let done = rq.dequeue_task(&mut scene.entities, cx, inside, Dequeue::Sleep);
    assert_eq!(done, Dequeued::Done, "alone in its group it owes nobody there");
    assert!(scene.entities[entity].delayed, "but its group does");
    assert_eq!((rq.nr_running, rq.fair.nr_running), (1, 2));
    rq.pick(&mut scene.entities, cx, &mut scene.completed);
    rq.enqueue_task(&mut scene.entities, cx, inside, Enqueue::Wakeup);
    assert!(!scene.entities[entity].delayed);
    assert_eq!((rq.nr_running, rq.fair.nr_running), (2, 2));
}
