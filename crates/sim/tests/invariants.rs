//! Whatever happens, after every step the state hangs together. Seeds are printed on failure; set
//! `SEEDS=first..last` to look at others.

use schedscope_sim::cpu_set::CpuSet;
use schedscope_sim::cpufreq;
use schedscope_sim::event::Event;
use schedscope_sim::history::History;
use schedscope_sim::kernel::{
    Costs, FairGeneration, Frequency, Governor, PlaceGeneration, Preset, Turbo,
};
use schedscope_sim::machines::Machine;
use schedscope_sim::program::{ChannelId, Dist, Op, Program, SpecId};
use schedscope_sim::report::{Record, Report};
use schedscope_sim::rng::Rng;
use schedscope_sim::setup::{Edit, GroupSpec, Input, Interrupt, Setup, Start, TaskSpec};
use schedscope_sim::simulation::{Outcome, Simulation, World};
use schedscope_sim::state::{Cpu, Glance, State, TaskState, WaitsFor};
use schedscope_sim::units::{CpuId, LatencyNice, Nice, Span, TaskGroupId, TaskId, Time};

fn pick<T: Copy>(rng: &mut Rng, list: &[T]) -> T {
    list[rng.range(0, list.len() as u64 - 1) as usize]
}

fn dist(rng: &mut Rng) -> Dist {
    let lo = Span(rng.range(1, 3_000_000));
    match rng.range(0, 2) {
        0 => Dist::Fixed(lo),
        1 => Dist::Uniform { lo, hi: lo + Span(rng.range(0, 2_000_000)) },
        _ => Dist::Exponential { mean: lo },
    }
}

fn mask(rng: &mut Rng, cpus: usize) -> CpuSet {
    let mut set = CpuSet::one(CpuId(rng.range(0, cpus as u64 - 1) as u16));
    for _ in 0..rng.range(0, 6) {
        set.insert(CpuId(rng.range(0, cpus as u64 - 1) as u16));
    }
    set
}

fn program(rng: &mut Rng, tasks: u64) -> Program {
    let mut ops = vec![Op::Run(dist(rng))];
    for _ in 0..rng.range(0, 5) {
        let channel = ChannelId(rng.range(0, 2) as u16);
        ops.push(match rng.range(0, 10) {
            0 | 1 => Op::Run(dist(rng)),
            2 | 3 => Op::Sleep(dist(rng)),
            4 => Op::Timer(Span(rng.range(100_000, 5_000_000))),
            5 => Op::Wait(channel),
            6 | 7 => {
                Op::Wake { channel, count: rng.range(1, 3) as u32, sync: rng.range(0, 1) == 1 }
            }
            8 => Op::Yield,
            9 => Op::Exec,
            _ => Op::Run(Dist::Fixed(Span(1))),
        });
    }
    if rng.range(0, 7) == 0 {
        // A child at most once in a while: its spec is the last, which forks nobody.
        ops.push(Op::Fork(SpecId(tasks as u32)));
        ops.push(Op::Sleep(Dist::Fixed(Span::ms(20))));
    }
    if rng.range(0, 5) > 0 {
        ops.push(Op::Repeat { to: 0, times: None, slot: 0 });
    }
    Program { ops }
}

fn setup(seed: u64) -> Setup {
    let mut rng = Rng::new(seed);
    let machine = pick(
        &mut rng,
        &[
            Machine::Cpu1,
            Machine::Cpu2,
            Machine::Cpu4,
            Machine::Q6600,
            Machine::Desktop16,
            Machine::Zen3Nps4,
        ],
    );
    let topology = machine.topology();
    let cpus = topology.len();
    let mut kernel = pick(&mut rng, &Preset::ALL).kernel(cpus);
    kernel.fair = pick(&mut rng, &FairGeneration::ALL);
    kernel.place = pick(
        &mut rng,
        &[
            PlaceGeneration::V2_6_36,
            PlaceGeneration::V4_7,
            PlaceGeneration::V4_15,
            PlaceGeneration::V6_1,
            PlaceGeneration::V4_19,
            PlaceGeneration::V5_15,
            PlaceGeneration::V6_6,
            PlaceGeneration::V6_12,
        ],
    );
    kernel.hz = pick(&mut rng, &[100, 250, 300, 1000]);
    kernel.group_sched = rng.range(0, 3) > 0;
    if rng.range(0, 1) == 1 {
        let us = |rng: &mut Rng| Span(rng.range(0, 4_000));
        kernel.costs = Costs {
            context_switch: us(&mut rng),
            wake_ipi: us(&mut rng),
            wakeup: us(&mut rng),
            migrate_llc: us(&mut rng),
        };
    }
    kernel.frequency = Frequency {
        governor: pick(&mut rng, &[Governor::Performance, Governor::Schedutil, Governor::Hwp]),
        smt: pick(&mut rng, &[100, 60]),
        turbo: match rng.range(0, 2) {
            0 => Turbo::new(&[(2, 3_000_000), (3, 2_900_001), (5, 2_500_000), (9, 1_700_000)]),
            _ => Turbo::NONE,
        },
        ..Frequency::default()
    };
    let count = rng.range(1, (cpus as u64 * 3).min(40));
    let mut tasks: Vec<TaskSpec> = (0..=count)
        .map(|i| TaskSpec {
            nice: Nice::new(rng.range(0, 39) as i8 - 20).expect("in range"),
            latency_nice: LatencyNice::new(rng.range(0, 39) as i8 - 20).expect("in range"),
            slice: (rng.range(0, 3) == 0).then(|| Span(rng.range(100_000, 20_000_000))),
            affinity: (rng.range(0, 4) == 0).then(|| mask(&mut rng, cpus)),
            start: (i < count).then(|| Start {
                at: Time(rng.range(0, 5_000_000)),
                cpu: (rng.range(0, 1) == 0).then(|| CpuId(rng.range(0, cpus as u64 - 1) as u16)),
            }),
            per_cpu_kthread: rng.range(0, 9) == 0,
            group: None,
            program: program(&mut rng, count),
        })
        .collect();
    tasks[count as usize].program =
        Program { ops: vec![Op::Run(Dist::Fixed(Span::ms(2))), Op::Yield, Op::Exit] };
    let mut after_step = 0;
    let inputs = (0..rng.range(0, 25))
        .map(|_| {
            after_step += rng.range(0, 60);
            // Some name a child that may never be forked.
            let task = TaskId(rng.range(0, count + 2) as u32);
            let cpu = CpuId(rng.range(0, cpus as u64 - 1) as u16);
            let edit = match rng.range(0, 8) {
                0 | 1 => {
                    Edit::Nice(task, Nice::new(rng.range(0, 39) as i8 - 20).expect("in range"))
                }
                2 => Edit::Slice(task, Some(Span(rng.range(100_000, 50_000_000)))),
                3 => Edit::Affinity(task, Some(mask(&mut rng, cpus))),
                4 | 5 => Edit::Move(task, cpu),
                6 => Edit::LatencyNice(
                    task,
                    LatencyNice::new(rng.range(0, 39) as i8 - 20).expect("in range"),
                ),
                7 => Edit::Spawn(SpecId(count as u32), Some(cpu)),
                _ => Edit::Kill(task),
            };
            Input { after_step, edit }
        })
        .collect();
    let interrupts = (0..rng.range(0, 1))
        .map(|_| Interrupt {
            at: Time(1_000_000),
            every: dist(&mut rng),
            cpus: mask(&mut rng, cpus),
            channel: ChannelId(0),
            count: 2,
        })
        .collect();
    Setup {
        topology,
        kernel,
        tasks,
        interrupts,
        end: Time(60_000_000),
        seed,
        inputs,
        channels: 3,
        groups: Vec::new(),
    }
}

/// The same with tasks in groups, and with changes of the groups.
fn setup_with_groups(seed: u64) -> Setup {
    let mut setup = setup(seed);
    let mut rng = Rng::new(!seed);
    let latency_nice =
        |rng: &mut Rng| LatencyNice::new(rng.range(0, 39) as i8 - 20).expect("in range");
    let shares = |rng: &mut Rng| pick(rng, &[2, 20, 512, 1024, 3000, 262_144]);
    let count = rng.range(1, 3);
    let group = |rng: &mut Rng| {
        // Now and then one that is not there.
        let group = rng.range(0, count + 1);
        (group > 0).then(|| TaskGroupId(group as u16 - 1))
    };
    setup.groups = (0..count)
        .map(|_| GroupSpec { shares: shares(&mut rng), latency_nice: latency_nice(&mut rng) })
        .collect();
    for task in &mut setup.tasks {
        task.group = group(&mut rng).filter(|group| u64::from(group.0) < count);
    }
    for input in &mut setup.inputs {
        let one = TaskGroupId(rng.range(0, count) as u16);
        input.edit = match rng.range(0, 7) {
            0 | 1 => Edit::Group(TaskId(rng.range(0, 40) as u32), group(&mut rng)),
            2 => Edit::Shares(one, shares(&mut rng)),
            3 => Edit::GroupLatencyNice(one, latency_nice(&mut rng)),
            _ => continue,
        };
    }
    setup
}

/// The tasks of a CPU's groups, after a look at their queues.
fn check_groups(state: &State, cpu: &Cpu, at: usize) -> Vec<TaskId> {
    let (root, entities) = (&cpu.rq.fair, &state.entities);
    let mut tasks = Vec::new();
    for (i, group) in cpu.rq.groups.iter().enumerate() {
        let mut queued: Vec<TaskId> = group.queue.tree.iter(entities).collect();
        queued.extend(group.queue.queued_curr(entities));
        assert_eq!(queued.len(), group.queue.nr_running as usize, "group {i} on CPU {at}");
        let entity = &entities[group.entity];
        assert_eq!(entity.on_rq, !queued.is_empty() || entity.delayed, "group {i} on CPU {at}");
        assert!(queued.is_empty() || !entity.delayed, "group {i} is delayed with tasks");
        assert!((2..=262_144).contains(&entity.weight()));
        let runs = root.curr == Some(group.entity);
        assert_eq!(group.queue.curr, cpu.rq.curr.filter(|_| runs), "group {i} on CPU {at}");
        let weights = queued.iter().map(|&task| u64::from(entities[task].weight()));
        assert_eq!(weights.sum::<u64>(), group.queue.load, "load of group {i} on CPU {at}");
        for &task in &queued {
            assert_eq!(entities[task].group, Some(TaskGroupId(i as u16)));
        }
        tasks.extend(queued);
    }
    tasks
}

/// Panics if the state contradicts itself.
fn check(world: &World, state: &State) {
    let mut on = vec![Vec::new(); state.cpus.len()];
    for (i, task) in state.tasks.iter().enumerate() {
        let id = TaskId(i as u32);
        let entity = &state.entities[id];
        let cpu = &state.cpus[task.cpu.index()];
        assert!(!entity.delayed || entity.on_rq, "{id} is delayed but not queued");
        match task.state {
            TaskState::Runnable => assert!(entity.on_rq && !entity.delayed, "{id} is runnable"),
            TaskState::Sleeping(waits) => {
                assert_eq!(entity.on_rq, entity.delayed, "{id} sleeps");
                if let WaitsFor::Channel(channel) = waits {
                    let waiters = &state.channels[usize::from(channel.0)].waiters;
                    assert!(waiters.contains(&id), "{id} waits");
                }
            }
            TaskState::Waking => assert!(cpu.wake_list.contains(&id) && !entity.on_rq),
            TaskState::New | TaskState::Exited => assert!(!entity.on_rq, "{id} is new or gone"),
        }
        if entity.on_rq {
            on[task.cpu.index()].push(id);
            let allowed = task.allowed.as_deref().unwrap_or(&world.all);
            assert!(allowed.contains(task.cpu), "{id} is on CPU {} outside its mask", task.cpu);
        }
    }
    for (i, group) in state.entities.groups.iter().enumerate() {
        let parts = state.cpus.iter().map(|cpu| cpu.rq.groups[i].contribution());
        assert_eq!(parts.sum::<u64>(), group.load(), "load of group {i}");
    }
    for cpu in world.all.iter() {
        let queued = state.glances[cpu.index()].nr_running;
        assert_eq!(state.occupied.contains(cpu), queued > 0, "CPU {cpu} is occupied");
        assert_eq!(state.crowded.contains(cpu), queued > 1, "CPU {cpu} is crowded");
    }
    check_clocks(world, state);
    assert_eq!(state.sums, Glance::sums(world, &state.glances), "the sums over groups");
    for (i, cpu) in state.cpus.iter().enumerate() {
        assert_eq!(state.glances[i], cpu.glance(), "the glance at CPU {i}");
        let queue = &cpu.rq.fair;
        let mut queued: Vec<TaskId> = queue.tree.iter(&state.entities).collect();
        queued.extend(queue.queued_curr(&state.entities));
        let weights = queued.iter().map(|&entity| u64::from(state.entities[entity].weight()));
        assert_eq!(weights.sum::<u64>(), queue.load, "load of CPU {i}");
        assert_eq!(queue.nr_running as usize, queued.len());
        queued.retain(|entity| !entity.is_group());
        assert!(queued.iter().all(|&task| state.entities[task].group.is_none()));
        queued.extend(check_groups(state, cpu, i));
        queued.sort_unstable();
        assert_eq!(queued, on[i], "tasks of CPU {i}");
        let mut listed: Vec<TaskId> = cpu.rq.tasks_from_tail(&state.entities).collect();
        listed.sort_unstable();
        assert_eq!(listed, on[i], "task list of CPU {i}");
        assert_eq!(cpu.rq.nr_running as usize, queued.len());
        let told = state.events.time_of(Event::ReschedIpi(CpuId(i as u16))).is_some();
        assert!(
            cpu.rq.curr.is_some() || queued.is_empty() || told,
            "CPU {i} idles with tasks queued"
        );
        let runs = cpu.rq.groups.iter().find(|group| queue.curr == Some(group.entity));
        let curr = runs.map_or(queue.curr, |group| group.queue.curr);
        assert_eq!(cpu.rq.curr, curr, "the running task of CPU {i}");
        assert_eq!(cpu.rq.curr.is_none(), cpu.idle_since.is_some());
        let tick = state.events.time_of(Event::Tick(CpuId(i as u16)));
        assert_eq!(cpu.rq.curr.is_some(), tick.is_some(), "tick of CPU {i}");
        if cpu.rq.need_resched.is_some() {
            assert!(told, "CPU {i} was never told of its pending reschedule");
        }
        let threads = world.domains.smt_siblings(CpuId(i as u16)).iter();
        let busy = threads.filter(|cpu| state.cpus[cpu.index()].rq.curr.is_some()).count();
        let share = cpufreq::share(world.setup.kernel.frequency, busy);
        assert_eq!(cpu.clock.share, share, "the part of its core that CPU {i} has");
        if let Some(curr) = cpu.rq.curr {
            assert_eq!(state.tasks[curr.index()].state, TaskState::Runnable);
            let end = state.events.time_of(Event::BurstEnd(CpuId(i as u16)));
            assert!(end.is_some(), "CPU {i} runs a task without an end in sight");
        }
        assert!(cpu.avg.avg.util_avg <= 1024 * 8, "util of CPU {i}");
    }
}

/// Panics if a CPU that runs something is faster than the busy cores of its package allow.
fn check_clocks(world: &World, state: &State) {
    let range = world.setup.kernel.frequency;
    let topology = &world.setup.topology;
    let busy = |cpu: &CpuId| state.cpus[cpu.index()].rq.curr.is_some();
    for (i, package) in topology.packages().iter().enumerate() {
        let cores = topology.cores().iter().filter(|core| core.is_subset(package));
        let cores = cores.filter(|core| core.iter().any(|cpu| busy(&cpu))).count() as u16;
        let counted = state.busy_cores.get(i);
        assert_eq!(counted.is_none(), range.turbo == Turbo::NONE);
        assert!(counted.is_none_or(|counted| *counted == cores), "busy cores of package {i}");
        for cpu in package.iter().filter(busy) {
            let clock = state.cpus[cpu.index()].clock;
            assert_eq!(clock.khz, clock.asked.min(range.turbo.limit(cores)), "clock of {cpu}");
            assert!((range.min_khz..=range.max_khz).contains(&clock.khz));
        }
    }
}

/// CPU time of all tasks: what was charged, and what is not charged yet.
fn charged(state: &State) -> u64 {
    let charged: u64 = state.entities.iter().map(|(_, entity)| entity.sum_exec.0).sum();
    let running = state.cpus.iter().filter_map(|cpu| cpu.rq.curr);
    let open = running.map(|curr| state.now.since(state.entities[curr].exec_start).0);
    charged + open.sum::<u64>()
}

fn run(setup: Setup) -> (u64, u64) {
    let seed = setup.seed;
    let mut history = History::new(Simulation::new(setup));
    let mut report = Report::new();
    check(history.world(), history.frontier().state());
    let mut busy = vec![0; history.frontier().state().cpus.len()];
    let mut last = Time(0);
    let mut digests = Vec::new();
    loop {
        let running: Vec<bool> =
            history.frontier().state().cpus.iter().map(|cpu| cpu.rq.curr.is_some()).collect();
        if history.advance(&mut report) == Outcome::Ended || digests.len() > 6000 {
            break;
        }
        let state = history.frontier().state();
        for (busy, running) in busy.iter_mut().zip(running) {
            *busy += if running { state.now.since(last).0 } else { 0 };
        }
        last = state.now;
        check(history.world(), state);
        assert_eq!(
            charged(state),
            busy.iter().sum::<u64>(),
            "CPU time charged, CPUs busy: {:?}",
            report.records
        );
        assert!(matches!(report.records[0], Record::Happened(..) | Record::Edited(..)));
        digests.push(state.digest());
    }
    // Going back, and explaining, changes nothing.
    let steps = digests.len() as u64;
    if steps > 0 {
        let mut rng = Rng::new(seed ^ 1);
        let mut evidence = Report::with_evidence();
        for _ in 0..10 {
            let step = rng.range(1, steps);
            let digest = history.explain(step, &mut evidence).state().digest();
            assert_eq!(digest, digests[step as usize - 1], "step {step} explained");
            let decisions =
                evidence.records.iter().filter(|r| matches!(r, Record::Decided(_))).count();
            assert_eq!(decisions, evidence.evidence.as_ref().expect("asked for").len());
        }
    }
    (steps, digests.last().copied().unwrap_or(0))
}

fn run_all(setup: fn(u64) -> Setup) {
    let seeds = std::env::var("SEEDS").unwrap_or("0..120".into());
    let (first, last) = seeds.split_once("..").expect("SEEDS=first..last");
    let mut steps = 0;
    for seed in first.parse::<u64>().expect("a number")..last.parse().expect("a number") {
        let outcome = std::panic::catch_unwind(|| run(setup(seed)));
        let (n, _) =
            outcome.unwrap_or_else(|_| panic!("seed {seed}; again: SEEDS={seed}..{}", seed + 1));
        steps += n;
    }
    println!("{steps} steps");
}

#[test]
fn the_state_hangs_together() {
    run_all(setup);
}

#[test]
fn the_state_hangs_together_with_groups() {
    run_all(setup_with_groups);
}
