//! Random lives of tasks on three CPUs, in every generation: what must hold after every operation.

use super::*;
use crate::fair::evidence::pick_evidence;
use crate::fair::reason::{PickReason, Visit};
use crate::fair::{Entity, tree};
use crate::kernel::{FairGeneration, Feature, Kernel, LatencyNiceRule, Preset};
use crate::rng::Rng;
use crate::setup::GroupSpec;
use crate::units::{CpuId, TaskGroupId, Vtime};

trait Dice {
    /// A value below `sides`.
    fn below(&mut self, sides: u64) -> u64;
}

impl Dice for Rng {
    fn below(&mut self, sides: u64) -> u64 {
        self.range(0, sides - 1)
    }
}

const CPUS: usize = 3;
/// Whose tasks are in groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Groups {
    /// There are none.
    None,
    /// There are two, and all tasks are in the root group.
    Unused,
    /// There is one more, and all tasks are in it.
    One,
    /// Every task is in the root group or one of two others.
    Mixed,
}

struct World {
    kernel: Kernel,
    now: Time,
    entities: Entities,
    queues: [RunQueue; CPUS],
    /// The CPU each task is or was on; `None` once it exited.
    homes: Vec<Option<usize>>,
    completed: Vec<TaskId>,
    dice: Rng,
    /// How often a search missed the right task.
    flaws: u32,
    groups: Groups,
    /// Every pick: the CPU and who it chose.
    picks: Vec<(usize, Option<TaskId>)>,
}

/// As if everything had been queued for long.
pub(super) fn settle_averages(rq: &mut RunQueue) {
    for group in &mut rq.groups {
        group.avg.queue.avg.load_avg = group.queue.load;
    }
}

impl World {
    fn new(fair: FairGeneration, seed: u64, groups: Groups) -> World {
        let mut kernel = Preset::V6_12.kernel(8);
        kernel.fair = fair;
        let mut dice = Rng::new(seed);
        for feature in Feature::ALL {
            if dice.below(4) == 0 {
                kernel.features = kernel.features.with(feature, dice.below(2) == 0);
            }
        }
        kernel.group_sched = dice.below(2) == 0;
        kernel.cfs.child_runs_first = dice.below(2) == 0;
        kernel.cfs.compat_yield = dice.below(2) == 0;
        kernel.latency_nice = match fair {
            FairGeneration::Cfs6_1LatencyNice => LatencyNiceRule::Offset,
            _ if dice.below(2) == 0 => LatencyNiceRule::RequestSize,
            _ => LatencyNiceRule::Absent,
        };
        let shares = match groups {
            Groups::None => &[][..],
            Groups::One => &[1024],
            Groups::Unused | Groups::Mixed => &[512, 3000],
        };
        let latency_nice = LatencyNice::new(-5).unwrap();
        let given: Vec<GroupSpec> =
            shares.iter().map(|&shares| GroupSpec { shares, latency_nice }).collect();
        let entities = Entities::with_groups(&given, CPUS, &kernel);
        let queue = |cpu| RunQueue::with_groups(&entities, CPUS, CpuId(cpu));
        World {
            kernel,
            now: Time(1_000_000_000),
            queues: [queue(0), queue(1), queue(2)],
            entities,
            groups,
            picks: Vec::new(),
            homes: Vec::new(),
            completed: Vec::new(),
            dice,
            flaws: 0,
        }
    }

    fn roll(&mut self, sides: u64) -> u64 {
        self.dice.below(sides)
    }

    fn nice(&mut self) -> Nice {
        Nice::new(self.roll(40) as i8 - 20).unwrap()
    }

    fn latency_nice(&mut self) -> LatencyNice {
        LatencyNice::new(self.roll(40) as i8 - 20).unwrap()
    }

    /// One operation, then the checks.
    fn step(&mut self) {
        self.now = Time(self.now.0 + self.dice.below(2_000_000));
        let kernel = self.kernel.clone();
        let cx = FairCx { kernel: &kernel, now: self.now };
        self.queues.iter_mut().for_each(settle_averages);
        let cpu = self.roll(CPUS as u64) as usize;
        let kind = self.roll(10);
        let rq = &mut self.queues[cpu];
        let entities = &mut self.entities;
        match (kind, rq.curr) {
            (0, _) if self.homes.len() < 30 => {
                let nice = self.nice();
                let slice = Span(self.dice.below(3) * 700_000);
                let mut entity = Entity::new(nice);
                if kernel.fair.has_custom_slices() {
                    entity = entity.with_slice(slice);
                }
                entity.latency_nice = self.latency_nice();
                let dice = self.dice.below(3) as u16;
                entity.group = match self.groups {
                    Groups::None | Groups::Unused => None,
                    Groups::One => Some(TaskGroupId(0)),
                    Groups::Mixed => dice.checked_sub(1).map(TaskGroupId),
                };
                let task = self.entities.push(entity);
                let to = self.roll(CPUS as u64) as usize;
                self.homes.push(Some(to));
                self.queues[cpu].task_fork(&mut self.entities, cx, task);
                self.queues[cpu].migrate_task_rq(&mut self.entities, cx, task, Enqueue::Fork);
                self.queues[to].enqueue_task(&mut self.entities, cx, task, Enqueue::Fork);
                self.queues[to].wakeup_preempt(&mut self.entities, cx, task, Wake::Fork);
            }
            (1 | 2, Some(curr)) => {
                rq.dequeue_task(entities, cx, curr, Dequeue::Sleep);
                self.pick(cpu, cx);
            }
            (3, Some(curr)) if self.dice.below(4) == 0 => {
                rq.dequeue_task(entities, cx, curr, Dequeue::Special);
                self.homes[curr.index()] = None;
                self.pick(cpu, cx);
            }
            (4, Some(_)) => {
                rq.yield_task(entities, cx);
                self.pick(cpu, cx);
            }
            (5, _) => self.renice(cx),
            (6, _) => self.balance(cpu, cx),
            (7 | 8, _) => self.wake(cpu, cx),
            _ => {
                rq.task_tick(entities, cx);
                if rq.need_resched.is_some() {
                    self.pick(cpu, cx);
                }
            }
        }
        self.check(cx);
    }

    fn pick(&mut self, cpu: usize, cx: FairCx) {
        let evidence = pick_evidence(&self.queues[cpu], &self.entities, cx);
        self.completed.clear();
        let pick = self.queues[cpu].pick(&mut self.entities, cx, &mut self.completed);
        // The evidence tells of groups that left, too.
        let left = evidence.completed.iter().filter(|entity| !entity.is_group());
        assert_eq!(evidence.pick, pick);
        assert!(left.eq(&self.completed));
        self.picks.push((cpu, pick.next));
        let group = pick.next.and_then(|next| self.entities[next].group);
        assert_eq!(evidence.inner.as_ref().map(|inner| inner.group), group);
        assert_eq!(self.queues[cpu].curr, pick.next);
        assert_eq!(pick.next.is_none(), self.queues[cpu].nr_running == 0);
        let by_deadline = matches!(
            pick.reason,
            PickReason::EarliestEligible | PickReason::CurrEarlier | PickReason::CurrOnlyEligible
        );
        // Those of groups are completed too.
        let inner = evidence.inner.iter().flat_map(|inner| &inner.walk);
        let mut walk = evidence.walk.iter().chain(inner);
        let gone = walk.any(|(_, visit)| *visit == Visit::Completed);
        if by_deadline && !gone {
            let queue = evidence.inner.as_ref().map_or(&evidence.queue, |inner| &inner.queue);
            let rows = &queue.rows;
            let eligible = rows.iter().filter(|row| row.eligible);
            let earliest = eligible.map(|row| row.deadline).reduce(Vtime::min);
            let chosen = rows.iter().find(|row| Some(row.task) == pick.next);
            assert_eq!(chosen.map(|row| row.deadline), earliest, "the search missed one");
        }
        if let PickReason::FlawedSearch { missed } = pick.reason {
            let queue = evidence.inner.as_ref().map_or(&evidence.queue, |inner| &inner.queue);
            let row = |task| queue.rows.iter().find(|row| row.task == task).unwrap();
            let (missed, chosen) = (row(missed), row(pick.next.unwrap()));
            assert!(missed.eligible && missed.deadline.before(chosen.deadline));
            self.flaws += 1;
        }
    }

    fn any(&mut self, wanted: impl Fn(&Entity) -> bool) -> Option<(TaskId, usize)> {
        let alive: Vec<_> = self
            .entities
            .iter()
            .filter_map(|(task, entity)| Some((task, self.homes[task.index()]?, entity)))
            .filter(|(_, _, entity)| wanted(entity))
            .map(|(task, home, _)| (task, home))
            .collect();
        (!alive.is_empty()).then(|| alive[self.dice.below(alive.len() as u64) as usize])
    }

    fn wake(&mut self, to: usize, cx: FairCx) {
        let Some((task, home)) = self.any(|entity| !entity.on_rq || entity.delayed) else { return };
        let entities = &mut self.entities;
        let at = if entities[task].delayed {
            self.queues[home].requeue_delayed(entities, cx, task);
            home
        } else if home == to {
            self.queues[to].enqueue_task(entities, cx, task, Enqueue::Wakeup);
            to
        } else {
            let how = Enqueue::WakeupMigrated;
            self.queues[home].migrate_task_rq(entities, cx, task, how);
            self.queues[to].enqueue_task(entities, cx, task, how);
            to
        };
        self.homes[task.index()] = Some(at);
        self.queues[at].wakeup_preempt(entities, cx, task, Wake::Wakeup);
        if self.queues[at].need_resched.is_some() {
            self.pick(at, cx);
        }
    }

    /// A waiting task, delayed or not, goes to another CPU.
    fn balance(&mut self, to: usize, cx: FairCx) {
        let Some((task, home)) = self.any(|entity| entity.on_rq) else { return };
        if home == to || self.queues[home].curr == Some(task) {
            return;
        }
        let entities = &mut self.entities;
        self.queues[home].dequeue_task(entities, cx, task, Dequeue::Move);
        self.queues[home].migrate_task_rq(entities, cx, task, Enqueue::Move);
        self.queues[to].enqueue_task(entities, cx, task, Enqueue::Move);
        self.queues[to].wakeup_preempt(entities, cx, task, Wake::Wakeup);
        self.homes[task.index()] = Some(to);
    }

    fn renice(&mut self, cx: FairCx) {
        let Some((task, home)) = self.any(|_| true) else { return };
        let (nice, latency_nice, kind) = (self.nice(), self.latency_nice(), self.roll(4));
        let (rq, entities) = (&mut self.queues[home], &mut self.entities);
        match kind {
            0 => {
                rq.set_user_nice(entities, cx, task, nice);
            }
            1 => {
                let raw = Span(self.dice.below(5) * 1_000_000);
                rq.set_attr(entities, cx, task, nice, raw);
            }
            2 => rq.set_latency_nice(entities, cx, task, latency_nice),
            _ => rq.reweight(entities, cx, task, nice),
        }
    }

    fn check(&self, cx: FairCx) {
        for (cpu, rq) in self.queues.iter().enumerate() {
            let mut tasks = self.check_queue(cx, cpu, rq, &rq.fair, None);
            for (i, group) in rq.groups.iter().enumerate() {
                let inside =
                    self.check_queue(cx, cpu, rq, &group.queue, Some(TaskGroupId(i as u16)));
                // The group waits while one of its tasks does.
                let entity = &self.entities[group.entity];
                assert!(entity.on_rq || inside.is_empty());
                assert!(!inside.is_empty() || !entity.on_rq || entity.delayed);
                assert!(entity.weight() >= 2);
                tasks.extend(inside);
            }
            tasks.retain(|task| !task.is_group());
            let mut listed: Vec<TaskId> = rq.tasks_from_tail(&self.entities).collect();
            let mut waiting: Vec<TaskId> = rq.waiting(&self.entities).collect();
            waiting.extend(rq.curr.filter(|&curr| self.entities[curr].on_rq));
            tasks.sort_unstable();
            listed.sort_unstable();
            waiting.sort_unstable();
            assert_eq!(tasks, listed);
            assert_eq!(tasks, waiting);
            assert_eq!(rq.nr_running as usize, tasks.len());
        }
        let queued = self.entities.iter().filter(|(_, entity)| entity.on_rq).count();
        let counted: u32 = self.queues.iter().map(|rq| rq.nr_running).sum();
        assert_eq!(queued, counted as usize);
        for (i, group) in self.entities.groups.iter().enumerate() {
            let loads = self.queues.iter().map(|rq| rq.groups[i].contribution());
            assert_eq!(group.load(), loads.sum::<u64>());
        }
    }

    /// One queue; returns who is queued in it.
    fn check_queue(
        &self,
        cx: FairCx,
        cpu: usize,
        rq: &RunQueue,
        queue: &FairQueue,
        group: Option<TaskGroupId>,
    ) -> Vec<TaskId> {
        let entities = &self.entities;
        let tree: Vec<TaskId> = queue.tree.iter(entities).collect();
        let (mut sum, mut load) = (0i64, 0u64);
        for &task in &tree {
            let entity = &entities[task];
            assert!(entity.on_rq);
            if task.is_group() {
                assert_eq!(group, None);
                let group = entity.group.expect("it is a group's");
                assert_eq!(rq.groups[group.index()].entity, task);
            } else {
                assert_eq!((self.homes[task.index()], entity.group), (Some(cpu), group));
            }
            let weight = u64::from(entity.weight());
            let key = entity.vruntime.since(queue.min_vruntime);
            sum = sum.wrapping_add(key.wrapping_mul(weight as i64));
            load += weight;
        }
        assert_eq!((queue.sum, queue.avg_load), (sum, load));
        let latency: Vec<TaskId> =
            queue.latency_tree.iter_in::<tree::ByLatency>(entities).collect();
        let key = |task: TaskId| {
            let entity = &entities[task];
            entity.vruntime.plus(entity.latency_offset)
        };
        assert!(latency.is_sorted_by(|&a, &b| !key(b).before(key(a))));
        for &task in &tree {
            let entity = &entities[task];
            assert_eq!(entity.in_latency_tree, latency.contains(&task));
            assert!(!entity.in_latency_tree || entity.latency_offset < 0);
        }
        assert!(latency.iter().all(|task| tree.contains(task)));
        let curr = queue.queued_curr(entities);
        assert_eq!(queue.load, load + curr.map_or(0, |c| u64::from(entities[c].weight())));
        let queued: Vec<TaskId> = tree.iter().copied().chain(curr).collect();
        assert_eq!(queue.nr_running as usize, queued.len());
        if cx.kernel.fair.is_eevdf() && !queued.is_empty() {
            assert!(queued.iter().any(|&task| queue.eligible(entities, task)));
            // The augmented minimum is that of all below.
            if let Some(root) = queue.tree.root() {
                let by_deadline = cx.kernel.fair.sorts_by_deadline();
                let value = |entity: &Entity| {
                    if by_deadline { entity.vruntime } else { entity.deadline }
                };
                let values = tree.iter().map(|&task| value(&entities[task]));
                let min = values.reduce(Vtime::min);
                assert_eq!(Some(tree::subtree_min(entities, root)), min);
                if cx.kernel.fair >= FairGeneration::Eevdf6_17 {
                    let min = tree.iter().map(|&task| entities[task].slice).min();
                    assert_eq!(Some(tree::subtree_min_slice(entities, root)), min);
                }
            }
        }
        queued
    }
}

#[test]
fn what_must_hold_after_every_operation() {
    for fair in FairGeneration::ALL {
        let mut flaws = 0;
        for seed in 0..12 {
            let mut world = World::new(fair, seed, Groups::None);
            for _ in 0..800 {
                world.step();
            }
            flaws += world.flaws;
        }
        // Only the proposals' search is flawed, and it does strike.
        let flawed = matches!(fair, FairGeneration::Eevdf2023_03 | FairGeneration::Eevdf2023_03v2);
        assert_eq!(flaws > 0, flawed, "{fair:?}: {flaws} flaws");
    }
}

/// The same with groups.
#[test]
fn what_must_hold_with_groups() {
    for fair in FairGeneration::ALL {
        for seed in 0..12 {
            let mut world = World::new(fair, seed, Groups::Mixed);
            for _ in 0..800 {
                world.step();
            }
        }
    }
}

/// Groups that nobody is in change nothing.
#[test]
fn unused_groups_change_nothing() {
    for fair in FairGeneration::ALL {
        for seed in 0..6 {
            let [mut with, mut without] =
                [Groups::Unused, Groups::None].map(|groups| World::new(fair, seed, groups));
            for step in 0..600 {
                with.step();
                without.step();
                assert_eq!(with.picks, without.picks, "{fair:?}, seed {seed}, step {step}");
            }
            let [with, without] = [with, without].map(|world| {
                world.entities.iter().map(|(_, entity)| entity.clone()).collect::<Vec<_>>()
            });
            for (with, without) in with.iter().zip(&without) {
                assert_eq!((with.vruntime, with.vlag), (without.vruntime, without.vlag));
                assert_eq!((with.sum_exec, with.deadline), (without.sum_exec, without.deadline));
            }
        }
    }
}

/// A group that everybody is in schedules its tasks as the root group would: with one CPU, EEVDF
/// makes the same choices. (CFS does not quite: a share of a share is rounded twice.)
#[test]
fn one_group_for_all_is_like_none() {
    for fair in FairGeneration::ALL.into_iter().filter(|fair| fair.is_eevdf()) {
        for seed in 0..6 {
            let [mut with, mut without] =
                [Groups::One, Groups::None].map(|groups| World::new(fair, seed, groups));
            for step in 0..600 {
                with.step();
                without.step();
                assert_eq!(with.picks, without.picks, "{fair:?}, seed {seed}, step {step}");
            }
        }
    }
}

/// Hogs of random weights that start together: after a second and a half each has what its weight
/// gives it, to within one turn of everybody; the CPU was never idle.
#[test]
fn hogs_get_what_their_weights_give() {
    for preset in Preset::ALL {
        for seed in 0..6 {
            let mut dice = Rng::new(seed);
            let kernel = preset.kernel(8);
            let (mut rq, mut entities) = (RunQueue::new(), Entities::new());
            let (mut completed, start) = (Vec::new(), 1_000_000_000);
            let cx = |ms: u64| FairCx { kernel: &kernel, now: Time(start + ms * 1_000_000) };
            for _ in 0..2 + dice.below(4) {
                let level = Nice::new(dice.below(11) as i8 - 5).unwrap();
                let task = entities.push(Entity::new(level));
                rq.task_start(&mut entities, cx(0), task);
                rq.enqueue_task(&mut entities, cx(0), task, Enqueue::Fork);
            }
            rq.pick(&mut entities, cx(0), &mut completed);
            let (warm, end) = (500, 2_000);
            let mut before = Vec::new();
            for ms in 1..=end {
                rq.task_tick(&mut entities, cx(ms));
                if rq.need_resched.is_some() {
                    rq.pick(&mut entities, cx(ms), &mut completed);
                }
                if ms == warm {
                    before = entities.iter().map(|(_, entity)| entity.sum_exec.0).collect();
                }
            }
            rq.update_curr(&mut entities, cx(end));
            let total: u64 = entities.iter().map(|(_, entity)| entity.sum_exec.0).sum();
            assert_eq!(total, end * 1_000_000, "work is conserved");
            let weights: u64 = entities.iter().map(|(_, entity)| u64::from(entity.weight())).sum();
            for (task, entity) in entities.iter() {
                let got = entity.sum_exec.0 - before[task.index()];
                let due = (end - warm) * 1_000_000 * u64::from(entity.weight()) / weights;
                // A turn ends at a tick, and in CFS whoever is far ahead waits for a period.
                let turn = if kernel.fair.is_cfs() { 24_000_000 } else { 8_000_000 };
                assert!(got.abs_diff(due) <= turn, "{}: {got} for {due}", preset.name());
            }
        }
    }
}

/// Equal tasks that never sleep get equal time, to within a few turns, in every generation.
#[test]
fn equal_weights_get_equal_time() {
    for fair in FairGeneration::ALL {
        let mut kernel = Preset::V6_12.kernel(8);
        kernel.fair = fair;
        let (mut rq, mut entities) = (RunQueue::new(), Entities::new());
        let mut completed = Vec::new();
        for tick in 0..3000u64 {
            let cx = FairCx { kernel: &kernel, now: Time(1_000_000_000 + tick * 1_000_000) };
            if tick < 5 {
                let task = entities.push(Entity::new(Nice::default()));
                rq.task_fork(&mut entities, cx, task);
                rq.enqueue_task(&mut entities, cx, task, Enqueue::Fork);
                rq.wakeup_preempt(&mut entities, cx, task, Wake::Fork);
            }
            rq.task_tick(&mut entities, cx);
            if rq.need_resched.is_some() {
                rq.pick(&mut entities, cx, &mut completed);
            }
        }
        let times = || entities.iter().map(|(_, entity)| entity.sum_exec.0);
        let (least, most) = (times().min().unwrap(), times().max().unwrap());
        assert!(most - least <= 25_000_000, "{fair:?}: {least} … {most}");
    }
}
