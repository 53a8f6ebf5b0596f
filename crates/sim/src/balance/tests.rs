//! Tests of whole passes on small machines.

use super::schedule::{CpuBalance, NewIdle, Periodic, Ticks, WhyNoNewIdle, newidle_cost};
use super::*;
use crate::machines::Machine;
use crate::place::Unseen;

/// Tasks by CPU, the tail of the list first; the last one runs.
struct World {
    domains: Domains,
    tasks: Vec<Vec<u32>>,
    allowed: Vec<(u32, CpuSet)>,
    load: u64,
    exec_start: u64,
}

impl World {
    fn new(machine: Machine, generation: PlaceGeneration, tasks: &[(u16, u32)]) -> World {
        let topology = machine.topology();
        let mut lists = vec![Vec::new(); topology.len()];
        let mut next = 0;
        for &(cpu, count) in tasks {
            for _ in 0..count {
                lists[usize::from(cpu)].push(next);
                next += 1;
            }
        }
        World {
            domains: Domains::build(&topology, generation),
            tasks: lists,
            allowed: Vec::new(),
            load: 1024,
            exec_start: 0,
        }
    }

    fn count(&self, cpu: CpuId) -> u64 {
        self.tasks[cpu.index()].len() as u64
    }

    fn pass(&self, cpu: u16, level: usize, idle: IdleType) -> (Outcome, Vec<Move>, DomainState) {
        self.pass_after(cpu, level, idle, 0)
    }

    fn pass_after(
        &self,
        cpu: u16,
        level: usize,
        idle: IdleType,
        failed: u32,
    ) -> (Outcome, Vec<Move>, DomainState) {
        let cpu = CpuId(cpu);
        let mut state = CpuBalance::new(&self.domains, cpu, 0).domains[level];
        state.nr_balance_failed = failed;
        let mut scratch = Scratch::default();
        let pass = Pass { cpu, level, idle };
        let out = load_balance(&self.domains, self, pass, &mut state, &mut scratch, &mut Unseen);
        assert_eq!(out.moved as usize, scratch.moves.len());
        (out, scratch.moves, state)
    }
}

impl GroupView for World {
    fn load(&self, cpu: CpuId) -> u64 {
        self.load * self.count(cpu)
    }
    fn util(&self, cpu: CpuId) -> u64 {
        if self.count(cpu) > 0 { 1024 } else { 0 }
    }
    fn runnable(&self, cpu: CpuId) -> u64 {
        1024 * self.count(cpu)
    }
    fn nr_running(&self, cpu: CpuId) -> u32 {
        self.count(cpu) as u32
    }
    fn h_nr_running(&self, cpu: CpuId) -> u32 {
        self.count(cpu) as u32
    }
    fn idle(&self, cpu: CpuId) -> bool {
        self.count(cpu) == 0
    }
}

impl BalanceView for World {
    fn tasks(&self, cpu: CpuId, into: &mut Vec<TaskId>) {
        into.extend(self.tasks[cpu.index()].iter().map(|task| TaskId(*task)));
    }
    fn current(&self, cpu: CpuId) -> Option<TaskId> {
        self.tasks[cpu.index()].last().map(|task| TaskId(*task))
    }
    fn allowed(&self, task: TaskId, cpu: CpuId) -> bool {
        self.allowed.iter().all(|(of, mask)| *of != task.0 || mask.contains(cpu))
    }
    fn running(&self, task: TaskId) -> bool {
        self.tasks.iter().any(|list| list.last() == Some(&task.0))
    }
    fn exec_start(&self, _task: TaskId) -> u64 {
        self.exec_start
    }
    fn clock_task(&self, _cpu: CpuId) -> u64 {
        10_000_000
    }
    fn h_load(&self, _task: TaskId) -> u64 {
        self.load
    }
    fn util_est(&self, _task: TaskId) -> u64 {
        512
    }
    fn wake_pending(&self, _cpu: CpuId) -> bool {
        false
    }
}

const GENERATIONS: [PlaceGeneration; 2] = [PlaceGeneration::V6_6, PlaceGeneration::V6_12];

#[test]
fn an_idle_cpu_pulls_half_the_difference() {
    for generation in GENERATIONS {
        let world = World::new(Machine::Cpu4, generation, &[(0, 6)]);
        let (out, moves, state) = world.pass(1, 0, IdleType::Idle);
        assert_eq!(out.verdict, Verdict::Pulled);
        // (6 − 0) >> 1, from the tail, never the running one.
        let tasks: Vec<u32> = moves.iter().map(|one| one.task.0).collect();
        assert_eq!(tasks, [0, 1, 2]);
        assert_eq!(state.nr_balance_failed, 0);
        assert_eq!(out.overload, Some(true));
        // A newly idle CPU takes one.
        assert_eq!(world.pass(1, 0, IdleType::NewlyIdle).0.moved, 1);
        // Somebody else's turn: CPU 1 is the first idle one.
        assert_eq!(world.pass(2, 0, IdleType::Idle).0.verdict, Verdict::Pulled);
    }
}

#[test]
fn turns() {
    // Above the single CPUs, one CPU of a group balances for it.
    let world = World::new(Machine::Q6600, PlaceGeneration::V6_12, &[(0, 4)]);
    assert_eq!(world.pass(2, 1, IdleType::Idle).0.verdict, Verdict::Pulled);
    let (out, _, _) = world.pass(3, 1, IdleType::Idle);
    assert_eq!((out.verdict, out.goes_on()), (Verdict::NotOurs, false));
    // A fully idle core goes first: core 1 has one idle thread, core 2 is idle.
    let tasks = [(0, 1), (8, 1), (1, 1), (3, 1), (4, 1), (5, 1), (6, 1), (7, 1)];
    for generation in GENERATIONS {
        let mut world = World::new(Machine::Zen3Nps1, generation, &tasks);
        world.tasks[128].push(100);
        // At the level of sockets, CPU 2 is the first on an idle core of its LLC.
        assert_ne!(world.pass(2, 2, IdleType::Idle).0.verdict, Verdict::NotOurs);
        assert_eq!(world.pass(129, 2, IdleType::Idle).0.verdict, Verdict::NotOurs);
    }
}

#[test]
fn busy_cpus_pull_only_from_the_overloaded() {
    let world = World::new(Machine::Cpu2, PlaceGeneration::V6_6, &[(0, 5), (1, 1)]);
    // 5 : 1 at nice 0: average 3072; min((5120 − 3072), (3072 − 1024)) = 2048: two tasks.
    let (out, moves, _) = world.pass(1, 0, IdleType::NotIdle);
    assert_eq!((out.verdict, moves.len()), (Verdict::Pulled, 2));
    let world = World::new(Machine::Cpu2, PlaceGeneration::V6_6, &[(0, 1), (1, 1)]);
    let (out, _, state) = world.pass(1, 0, IdleType::NotIdle);
    assert_eq!(out.verdict, Verdict::Balanced(WhyBalanced::CpuBusy));
    assert_eq!(state.interval, 4, "doubled");
}

#[test]
fn hot_tasks_stay_until_it_failed_often_enough() {
    let mut world = World::new(Machine::Cpu2, PlaceGeneration::V6_12, &[(0, 3)]);
    world.exec_start = 9_800_000;
    let (out, _, state) = world.pass(1, 0, IdleType::Idle);
    assert_eq!((out.verdict, state.nr_balance_failed), (Verdict::Failed, 1));
    let (out, _, state) = world.pass(1, 0, IdleType::NewlyIdle);
    assert_eq!((out.verdict, state.nr_balance_failed), (Verdict::Failed, 0));
    assert_eq!(world.pass_after(1, 0, IdleType::Idle, 2).0.verdict, Verdict::Pulled);
}

#[test]
fn the_running_task_is_moved_by_the_stopper() {
    // One runs, one is pinned: nothing movable, again and again.
    let mut world = World::new(Machine::Cpu2, PlaceGeneration::V6_12, &[(0, 2)]);
    world.allowed.push((0, CpuSet::one(CpuId(0))));
    let (out, _, _) = world.pass_after(1, 0, IdleType::Idle, 2);
    assert_eq!((out.verdict, out.active), (Verdict::Failed, None));
    let (out, _, _) = world.pass_after(1, 0, IdleType::Idle, 3);
    let active = out.active.expect("after four failures");
    assert_eq!(active, ActiveBalance { from: CpuId(0), to: CpuId(1) });
    // The stopper has preempted it.
    let mut scratch = Scratch::default();
    world.tasks[0].push(99);
    let found = active_balance_task(&world.domains, &world, active, &mut scratch);
    assert_eq!(found, Some((TaskId(1), 0)));
}

#[test]
fn pinned_tasks() {
    let mut world = World::new(Machine::Cpu4, PlaceGeneration::V6_6, &[(0, 3), (2, 2)]);
    for task in 0..3 {
        world.allowed.push((task, CpuSet::one(CpuId(0))));
    }
    // All of CPU 0 are pinned: the pass is redone with CPU 2.
    let (out, moves, _) = world.pass(1, 0, IdleType::Idle);
    assert_eq!((out.verdict, out.from), (Verdict::Pulled, Some(CpuId(2))));
    assert_eq!(moves[0].task, TaskId(3));
    world.tasks[2].clear();
    let (out, _, state) = world.pass(1, 0, IdleType::Idle);
    assert_eq!(out.verdict, Verdict::Balanced(WhyBalanced::NoBusiest));
    assert_eq!(state.interval, 8);

    // A task that may run on the other CPU of the local group goes there.
    let mut world = World::new(Machine::Q6600, PlaceGeneration::V6_6, &[(0, 4)]);
    for task in 0..4 {
        world.allowed.push((task, [0, 3].map(CpuId).into_iter().collect()));
    }
    let (out, moves, _) = world.pass(2, 1, IdleType::Idle);
    assert_eq!(out.verdict, Verdict::Pulled);
    assert!(moves.iter().all(|one| one.to == CpuId(3)), "{moves:?}");
}

/// The worked intervals of 5.7: HZ 1000, NPS1 Zen 3.
#[test]
fn intervals() {
    let domains = Domains::build(&Machine::Zen3Nps1.topology(), PlaceGeneration::V6_6);
    let cpu = CpuId(0);
    let state = CpuBalance::new(&domains, cpu, 0);
    let at = |busy| {
        let jiffies = |(state, id): (&DomainState, &DomainId)| {
            state.interval_jiffies(&domains, *id, busy, 1000)
        };
        state.domains.iter().zip(domains.chain(cpu)).map(jiffies).collect::<Vec<u64>>()
    };
    assert_eq!(at(false), [2, 16, 128, 256]);
    assert_eq!(at(true), [31, 255, 2047, 4095]);
}

#[test]
fn periodic_walks_up_what_is_due() {
    let world = World::new(Machine::Q6600, PlaceGeneration::V6_6, &[]);
    let mut state = CpuBalance::new(&world.domains, CpuId(0), 0);
    let mut walk = |jiffies| {
        let ticks = Ticks { jiffies, hz: 1000 };
        if !Periodic::is_due(&state, ticks) {
            return vec![];
        }
        let mut levels = Vec::new();
        let mut walk = Periodic::new(CpuId(0), ticks, true);
        while let Some(pass) = walk.next(&world.domains, &mut state) {
            levels.push(pass.level);
            let own = &mut state.domains[pass.level];
            let mut scratch = Scratch::default();
            let out = load_balance(&world.domains, &world, pass, own, &mut scratch, &mut Unseen);
            walk.done(&world.domains, &mut state, &out, true);
        }
        walk.finish(&mut state);
        levels
    };
    // Intervals 2 and 4 ms, doubled once when balanced.
    let levels: Vec<Vec<usize>> = (0..=12).map(&mut walk).collect();
    let due: Vec<usize> = (0..=12).filter(|i| !levels[*i].is_empty()).collect();
    assert_eq!(due, [2, 4, 6, 10, 12]);
    assert_eq!((&levels[2][..], &levels[4][..]), (&[0][..], &[1][..]));
}

#[test]
fn newidle_is_skipped_when_it_does_not_pay() {
    let world = World::new(Machine::Q6600, PlaceGeneration::V6_6, &[(0, 2)]);
    let mut state = CpuBalance::new(&world.domains, CpuId(2), 0);
    let ticks = Ticks { jiffies: 1, hz: 1000 };
    let why = |state: &CpuBalance, avg_idle, overload, pending| {
        NewIdle::new(&world.domains, CpuId(2), ticks, state, avg_idle, overload, pending).skipped
    };
    assert_eq!(why(&state, 1_000_000, true, false), None);
    assert_eq!(why(&state, 1_000_000, false, false), Some(WhyNoNewIdle::NoOverload));
    assert_eq!(why(&state, 1_000_000, true, true), Some(WhyNoNewIdle::WakePending));
    let mut walk = NewIdle::new(&world.domains, CpuId(2), ticks, &state, 1_200, true, false);
    let pass = walk.next(&world.domains, &mut state).expect("the first is free");
    assert_eq!((pass.level, pass.idle), (0, IdleType::NewlyIdle));
    walk.done(&mut state, newidle_cost(2, false), false);
    assert_eq!(walk.spent(), 1_120);
    assert_eq!(walk.next(&world.domains, &mut state).map(|pass| pass.level), Some(1));
    walk.done(&mut state, newidle_cost(4, true), true);
    assert_eq!(walk.next(&world.domains, &mut state), None);
    walk.finish(&mut state);
    assert_eq!(why(&state, 1_000, true, false), Some(WhyNoNewIdle::ShortIdle));
    assert_eq!(state.next_balance, 0, "never later");
}

/// The worked amount of 5.7: half of ten tasks, between LLCs.
#[test]
fn between_llcs() {
    let tasks: Vec<(u16, u32)> = (0..8).map(|cpu| (cpu, 1)).chain([(128, 1), (129, 1)]).collect();
    let world = World::new(Machine::Zen3Nps1, PlaceGeneration::V6_6, &tasks);
    let cpu = CpuId(8);
    let mut state = CpuBalance::new(&world.domains, cpu, 0).domains[2];
    let mut seen = BalanceSeen::default();
    let pass = Pass { cpu, level: 2, idle: IdleType::Idle };
    let mut scratch = Scratch::default();
    load_balance(&world.domains, &world, pass, &mut state, &mut scratch, &mut seen);
    assert_eq!(seen.amount, Some(Amount { measure: Measure::Tasks, amount: 5 }));
    assert_eq!(seen.groups.len(), 8);
    // All of them run: none can be moved, and the pull is by number of tasks.
    assert_eq!(scratch.moves.len(), 0);
}

/// Two tasks on a core, none on another: one of them is moved, as soon as it does not run (6.5 on).
#[test]
fn a_shared_core_gives_one() {
    for (machine, sibling) in [(Machine::Desktop16, 8), (Machine::Power10, 2)] {
        let world = World::new(machine, PlaceGeneration::V6_12, &[(0, 1), (sibling, 1)]);
        let (out, _, state) = world.pass(1, 1, IdleType::Idle);
        assert_eq!((out.verdict, state.nr_balance_failed), (Verdict::Failed, 1), "{machine:?}");
        let (out, _, _) = world.pass_after(1, 1, IdleType::Idle, 3);
        assert_eq!(out.active, Some(ActiveBalance { from: CpuId(0), to: CpuId(1) }), "{machine:?}");
        // Not back and forth: a core with one task is not better off.
        let world = World::new(machine, PlaceGeneration::V6_12, &[(0, 1), (sibling, 1), (1, 1)]);
        let (out, _, _) = world.pass_after(if sibling == 8 { 9 } else { 3 }, 1, IdleType::Idle, 9);
        assert_ne!(out.verdict, Verdict::Failed, "{machine:?}");
    }
}

/// The generations that compare loads (spec 5.9).
const BY_LOAD: [PlaceGeneration; 3] =
    [PlaceGeneration::V4_7, PlaceGeneration::V4_15, PlaceGeneration::V4_19];

impl World {
    /// The amount that a pass finds.
    fn amount(&self, cpu: u16, level: usize, idle: IdleType) -> Option<i64> {
        let cpu = CpuId(cpu);
        let mut state = CpuBalance::new(&self.domains, cpu, 0).domains[level];
        let (mut scratch, mut seen) = (Scratch::default(), BalanceSeen::default());
        let pass = Pass { cpu, level, idle };
        load_balance(&self.domains, self, pass, &mut state, &mut scratch, &mut seen);
        seen.amount.map(|amount| amount.amount)
    }
}

#[test]
fn by_load_an_idle_cpu_pulls_down_to_the_average() {
    for generation in BY_LOAD {
        // Two of four CPUs' groups: 6 tasks on CPU 0, the average of four CPUs is 1536.
        let world = World::new(Machine::Cpu4, generation, &[(0, 6)]);
        // min((6144 − 1536) · 1024, (1536 − 0) · 1024) / 1024.
        assert_eq!(world.amount(1, 0, IdleType::Idle), Some(1536));
        // A task of 1024 leaves 512, of which half a task more may be taken.
        let (out, moves, _) = world.pass(1, 0, IdleType::Idle);
        assert_eq!((out.verdict, moves.len()), (Verdict::Pulled, 2));
        assert_eq!(world.pass(1, 0, IdleType::NewlyIdle).0.moved, 1);
    }
}

#[test]
fn by_load_within_the_tolerance_nothing_moves() {
    for generation in BY_LOAD {
        // 100 · 5 · 1024 > 117 · 4 · 1024 in the LLC, 125 above it.
        let why = |tasks: &[(u16, u32)], idle| {
            World::new(Machine::Q6600, generation, tasks).pass(0, 1, idle).0.verdict
        };
        let even = [(0, 2), (1, 2), (2, 3), (3, 2)];
        let within = Verdict::Balanced(WhyBalanced::WithinTolerance);
        assert_eq!(why(&even, IdleType::NotIdle), within);
        let above = [(0, 2), (1, 2), (2, 3), (3, 3)];
        assert_eq!(why(&above, IdleType::NotIdle), Verdict::Pulled);
        let more = [(0, 3), (1, 3), (2, 2), (3, 2)];
        let loaded = Verdict::Balanced(WhyBalanced::LocalAsLoaded);
        assert_eq!(why(&more, IdleType::NotIdle), loaded);
    }
}

/// Between cores of two threads: one idle core more is not enough for an idle CPU.
#[test]
fn by_load_idle_groups_alike() {
    for generation in BY_LOAD {
        let alike = World::new(Machine::Desktop16, generation, &[(0, 1)]);
        let (out, ..) = alike.pass(1, 1, IdleType::Idle);
        assert_eq!(out.verdict, Verdict::Balanced(WhyBalanced::IdleAlike));
        // Two tasks on a core: overloaded beside one with room, as tasks are spread over cores.
        let full = World::new(Machine::Desktop16, generation, &[(0, 1), (8, 1)]);
        let (out, moves, state) = full.pass_after(1, 1, IdleType::Idle, 3);
        assert_eq!((out.verdict, moves.len()), (Verdict::Failed, 0));
        // Only its running task is left to move (R5.7.14): cache_nice_tries 1, plus 2.
        assert_eq!(state.nr_balance_failed, 4);
        assert_eq!(out.active.map(|active| active.to), Some(CpuId(1)));
        assert_eq!(full.pass_after(1, 1, IdleType::Idle, 2).0.active, None);
    }
}

/// The small-imbalance rule: less than a task is missing, and one is moved all the same.
#[test]
fn by_load_a_whole_task_or_none() {
    for generation in BY_LOAD {
        let world = World::new(Machine::Cpu2, generation, &[(0, 2)]);
        // D = 1024: min(2048 − 1024, 1024 − 0) = 1024, a whole task.
        assert_eq!(world.amount(1, 0, IdleType::Idle), Some(1024));
        // 3 beside 2: 3072 + 1024 ≥ 2048 + 1024 · 2, so one task; but 3072 is beyond 125 %.
        let world = World::new(Machine::Cpu2, generation, &[(0, 3), (1, 2)]);
        assert_eq!(world.amount(1, 0, IdleType::NotIdle), Some(1024));
    }
}

#[test]
fn the_year_2010_asks_for_more_tasks_than_cores() {
    let generation = PlaceGeneration::V2_6_36;
    let within = World::new(Machine::Q6600, generation, &[(0, 1), (1, 1)]);
    let (out, ..) = within.pass(2, 1, IdleType::Idle);
    assert_eq!(out.verdict, Verdict::Balanced(WhyBalanced::NoneOverCapacity));
    let idle = World::new(Machine::Q6600, generation, &[]);
    let (out, ..) = idle.pass(2, 1, IdleType::Idle);
    assert_eq!(out.verdict, Verdict::Balanced(WhyBalanced::NoBusiest));
    // Three on two cores: one is too much.
    let above = World::new(Machine::Q6600, generation, &[(0, 2), (1, 1)]);
    let (out, moves, _) = above.pass(2, 1, IdleType::Idle);
    assert_eq!((out.verdict, moves.len()), (Verdict::Pulled, 1));
    assert_eq!(above.amount(2, 1, IdleType::Idle), Some(1024));
}

/// R5.8.2, R5.8.7: up to 4.19 half a millisecond must be saved; 2.6.36 asks for nothing else.
#[test]
fn newidle_of_older_kernels() {
    let ticks = Ticks { jiffies: 1, hz: 1000 };
    let why = |generation, avg_idle, overload| {
        let world = World::new(Machine::Q6600, generation, &[(0, 2)]);
        let mut state = CpuBalance::new(&world.domains, CpuId(2), 0);
        state.domains[0].newidle_cost = 10_000;
        state.domains[1].newidle_cost = 600_000;
        let mut walk =
            NewIdle::new(&world.domains, CpuId(2), ticks, &state, avg_idle, overload, false);
        let mut passes = 0;
        while walk.next(&world.domains, &mut state).is_some() {
            passes += 1;
            walk.done(&mut state, 1_000, false);
        }
        (walk.skipped, passes)
    };
    use PlaceGeneration::{V2_6_36, V4_7, V4_19, V5_15};
    for generation in [V2_6_36, V4_7, V4_19] {
        assert_eq!(why(generation, 499_999, true), (Some(WhyNoNewIdle::ShortIdle), 0));
    }
    assert_eq!(why(V5_15, 499_999, true), (None, 1));
    assert_eq!(why(V4_19, 500_000, true), (None, 1));
    assert_eq!(why(V4_19, 500_000, false), (Some(WhyNoNewIdle::NoOverload), 0));
    assert_eq!(why(V2_6_36, 500_000, false), (None, 2));
}
