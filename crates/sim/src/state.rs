//! All that changes during a run, and nothing else: plain data that can be copied, compared and
//! hashed. A copy is a snapshot, `==` is "replay equals run", a hash is a digest.

use core::hash::{Hash, Hasher};
use std::collections::BTreeSet;

use crate::balance::schedule::CpuBalance;
use crate::balance::stats::Sums;
use crate::cpu_set::CpuSet;
use crate::cpufreq::Clock;
use crate::domains::GroupId;
use crate::event::{Event, EventQueue};
use crate::fair::{Entities, Entity};
use crate::kernel::{Governor, Turbo};
use crate::pelt::{CAPACITY, PeltClock, QueueAvg, TaskAvg};
use crate::program::{ChannelId, LOOPS_MAX, SpecId};
use crate::rng::Rng;
use crate::run_queue::RunQueue;
use crate::setup::TaskSpec;
use crate::simulation::World;
use crate::units::{CpuId, LatencyNice, Span, TaskId, Time};

/// The whole state of a run between two steps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The time of the last step.
    pub now: Time,
    /// How many steps were taken.
    pub step: u64,
    /// How many of [`crate::setup::Setup::inputs`] were applied.
    pub inputs_done: u32,
    /// What will happen.
    pub events: EventQueue,
    /// The only source of chance.
    pub rng: Rng,
    /// What the fair class knows of each task, by task id.
    pub entities: Entities,
    /// The rest of each task, by task id.
    pub tasks: Vec<Task>,
    /// Each CPU.
    pub cpus: Vec<Cpu>,
    /// What searches and the balancer read of each CPU, side by side: derived from `cpus`.
    pub glances: Vec<Glance>,
    /// What the CPUs of each group of several amount to, by [`GroupId`]: derived from `glances`.
    pub sums: Vec<Sums>,
    /// CPUs with a task or more: derived from `glances`.
    pub occupied: CpuSet,
    /// CPUs with two tasks or more: derived from `glances`.
    pub crowded: CpuSet,
    /// What the CPUs of an LLC share, by LLC number.
    pub llcs: Vec<Llc>,
    /// How many cores of each package are busy; empty if nothing depends on it.
    pub busy_cores: Vec<u16>,
    /// Where tasks wait for each other.
    pub channels: Vec<Channel>,
    /// The CPU that each interrupt hit last, by number.
    pub interrupts: Vec<CpuId>,
    /// Root domain: some CPU had two tasks or more (R5.8.15).
    pub overload: bool,
    /// No kick of an idle balancer before this jiffy (R5.8.10).
    pub nohz_next_balance: u64,
    /// No refresh of idle CPUs' averages before this time (R5.8.12).
    pub nohz_next_blocked: Time,
    /// Groups with tasks that could not be moved for their affinity (R5.7.16).
    pub imbalanced: BTreeSet<GroupId>,
}

/// A task, but for its entity.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Task {
    /// What it was made from.
    pub spec: SpecId,
    /// What it is doing.
    pub state: TaskState,
    /// The CPU it is on, or was on last (`task_cpu`).
    pub cpu: CpuId,
    /// Where it may run; `None` is everywhere.
    pub allowed: Option<Box<CpuSet>>,
    /// When it started.
    pub started: Time,
    /// The next operation of its program.
    pub pc: u16,
    /// Loop counters.
    pub loops: [u32; LOOPS_MAX],
    /// CPU time until its next operation, costs of switches and wakeups included.
    pub remaining: Span,
    /// While it runs: since when `remaining` has been worked on.
    pub run_from: Time,
    /// The last expiry of its periodic timer.
    pub timer_base: Time,
    /// It changed LLC and has not run since.
    pub cold: bool,
    /// Whom it wakes, as wake_wide wants to know.
    pub waker: WakerBook,
    /// `recent_used_cpu`.
    pub recent_used_cpu: CpuId,
    /// Its load and utilisation.
    pub avg: TaskAvg,
}

/// What a task is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TaskState {
    /// Not started yet.
    New,
    /// Running or on a run queue.
    Runnable,
    /// Asleep; perhaps still queued ([`Entity::delayed`]).
    Sleeping(WaitsFor),
    /// Woken and on a CPU's wake list.
    Waking,
    /// Gone.
    Exited,
}

/// What a sleeper waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaitsFor {
    /// A timer, armed on this CPU.
    Timer(CpuId),
    /// A wake through this channel.
    Channel(ChannelId),
}

/// How often somebody switches between wakees (R5.2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WakerBook {
    /// `wakee_flips`.
    pub flips: u32,
    /// `wakee_flip_decay_ts`, in jiffies.
    pub decay_stamp: u64,
    /// `last_wakee`.
    pub last_wakee: Option<TaskId>,
}

/// A CPU.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cpu {
    /// Its run queue.
    pub rq: RunQueue,
    /// Tasks that were woken for it and wait for its IPI (`wake_list`, `ttwu_pending`).
    pub wake_list: Vec<TaskId>,
    /// Whom its idle task wakes, in interrupts.
    pub idle_waker: WakerBook,
    /// When it last went idle; `None` while it is busy (`idle_stamp`, R0.6.8).
    pub idle_stamp: Option<Time>,
    /// Since when it has been idle, for display; `None` while it is busy.
    pub idle_since: Option<Time>,
    /// `avg_idle`, ns.
    pub avg_idle: u64,
    /// Half of `avg_idle` as of the last wakeup, worn down by searches, ns (SIS_PROP of 5.15).
    pub wake_avg_idle: u64,
    /// The jiffy of that wakeup (5.15).
    pub wake_stamp: u64,
    /// How long idle searches take here, ns (SIS_PROP, 4.15 … 5.15).
    pub avg_scan_cost: u64,
    /// Its clock.
    pub clock: Clock,
    /// Load and utilisation of its fair queue.
    pub avg: QueueAvg,
    /// The clock that those averages run on.
    pub pelt: PeltClock,
    /// What the balancer remembers.
    pub balance: CpuBalance,
}

/// What searches and the balancer read of a CPU: 256 of them fit where 16 [`Cpu`]s would.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Glance {
    /// load_avg of the fair queue.
    pub load: u32,
    /// runnable_avg of the fair queue.
    pub runnable: u32,
    /// `cpu_util_cfs` (R7.2.4).
    pub util: u16,
    /// `rq.nr_running`.
    pub nr_running: u16,
    /// `cfs.h_nr_running`.
    pub h_nr_running: u16,
    /// [`Cpu::idle`].
    pub idle: bool,
}

/// What the CPUs of an LLC share (`sd_llc_shared`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Llc {
    /// A hint that some core is wholly idle (R5.4.8).
    pub has_idle_cores: bool,
    /// How many CPUs a scan may visit (R5.5.4).
    pub nr_idle_scan: u32,
}

/// A place where tasks wait for each other: a counting semaphore.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Channel {
    /// Wakes that found no waiter.
    pub stored: u32,
    /// Who waits, first come first.
    pub waiters: Vec<TaskId>,
}

impl State {
    /// The state before the first step.
    #[must_use]
    pub fn new(world: &World) -> State {
        let setup = &world.setup;
        let domains = &world.domains;
        let entities = Entities::with_groups(&setup.groups, setup.topology.len(), &setup.kernel);
        let cpus = setup.topology.cpu_ids().map(|cpu| Cpu::new(world, &entities, cpu));
        let cpus: Vec<Cpu> = cpus.collect();
        let glances: Vec<Glance> = cpus.iter().map(Cpu::glance).collect();
        let sums = Glance::sums(world, &glances);
        let llcs = (0..domains.llcs())
            .map(|llc| Llc { has_idle_cores: domains.smt(), nr_idle_scan: world.llc_sizes[llc] })
            .collect();
        let mut state = State {
            now: Time(0),
            step: 0,
            inputs_done: 0,
            events: EventQueue::default(),
            rng: Rng::new(setup.seed),
            entities,
            tasks: Vec::new(),
            cpus,
            glances,
            sums,
            occupied: CpuSet::EMPTY,
            crowded: CpuSet::EMPTY,
            llcs,
            busy_cores: match setup.kernel.frequency.turbo {
                Turbo::NONE => Vec::new(),
                _ => vec![0; setup.topology.packages().len()],
            },
            channels: vec![Channel::default(); usize::from(setup.channels)],
            interrupts: vec![CpuId(u16::MAX); setup.interrupts.len()],
            overload: false,
            nohz_next_balance: 0,
            nohz_next_blocked: Time(0),
            imbalanced: BTreeSet::new(),
        };
        for (i, interrupt) in setup.interrupts.iter().enumerate() {
            state.events.set(interrupt.at, Event::Interrupt(i as u16));
        }
        for (i, spec) in setup.tasks.iter().enumerate() {
            if let Some(start) = spec.start {
                let task = state.add_task(world, SpecId(i as u32));
                state.tasks[task.index()].cpu = start.cpu.unwrap_or(CpuId(0));
                state.events.set(start.at, Event::Start(task));
            }
        }
        state
    }

    /// A new task of this spec, on no queue.
    pub(crate) fn add_task(&mut self, world: &World, spec: SpecId) -> TaskId {
        let given = &world.setup.tasks[spec.0 as usize];
        let id = self.entities.push(new_entity(world, given));
        self.tasks.push(Task {
            spec,
            state: TaskState::New,
            cpu: CpuId(0),
            allowed: given.affinity.map(Box::new),
            started: self.now,
            pc: 0,
            loops: [0; LOOPS_MAX],
            remaining: Span(0),
            run_from: self.now,
            timer_base: self.now,
            cold: false,
            waker: WakerBook::default(),
            recent_used_cpu: CpuId(0),
            avg: TaskAvg::new(self.entities[id].weight().into()),
        });
        id
    }

    /// A number that two equal states share, on any machine.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let mut hasher = Digest(0xCBF2_9CE4_8422_2325);
        self.hash(&mut hasher);
        hasher.finish()
    }

    /// The latency-nice of a task.
    #[must_use]
    pub fn latency_nice(&self, task: TaskId) -> LatencyNice {
        self.entities[task].latency_nice
    }
}

fn new_entity(world: &World, spec: &TaskSpec) -> Entity {
    let mut entity = Entity::new(spec.nice);
    entity.latency_nice = spec.latency_nice;
    entity.group = spec.group;
    if let Some(slice) = spec.slice
        && world.setup.kernel.fair.has_custom_slices()
    {
        entity = entity.with_slice(slice);
    }
    entity
}

impl Glance {
    /// The sums over every group of several CPUs, by [`GroupId`], added up afresh.
    #[must_use]
    pub fn sums(world: &World, glances: &[Glance]) -> Vec<Sums> {
        let groups = world.domains.all_groups().iter();
        let mut sums: Vec<Sums> = groups
            .map(|group| Sums { capacity: CAPACITY as u32 * group.weight, ..Sums::default() })
            .collect();
        for (cpu, glance) in glances.iter().enumerate() {
            for group in world.groups_of(CpuId(cpu as u16)) {
                glance.add_to(&mut sums[group.index()]);
            }
        }
        sums
    }

    /// In a sum, this stands where `old` stood.
    pub(crate) fn replace_in(&self, sums: &mut Sums, old: Glance) {
        sums.load -= old.load;
        sums.util -= u32::from(old.util);
        sums.runnable -= old.runnable;
        sums.nr_running -= u32::from(old.nr_running);
        sums.h_nr_running -= u32::from(old.h_nr_running);
        sums.idle_cpus -= u32::from(old.idle && old.nr_running == 0);
        sums.crowded -= u32::from(old.nr_running > 1);
        self.add_to(sums);
    }

    fn add_to(&self, sums: &mut Sums) {
        sums.load += self.load;
        sums.util += u32::from(self.util);
        sums.runnable += self.runnable;
        sums.nr_running += u32::from(self.nr_running);
        sums.h_nr_running += u32::from(self.h_nr_running);
        sums.idle_cpus += u32::from(self.idle && self.nr_running == 0);
        sums.crowded += u32::from(self.nr_running > 1);
    }
}

impl Cpu {
    fn new(world: &World, entities: &Entities, cpu: CpuId) -> Cpu {
        Cpu {
            rq: RunQueue::with_groups(entities, world.setup.topology.len(), cpu),
            wake_list: Vec::new(),
            idle_waker: WakerBook::default(),
            // Never 0: an idle CPU whose stamp is 0 is not chosen by the slow path (R5.6.11,
            // model).
            idle_stamp: Some(Time(1 + u64::from(cpu.0))),
            idle_since: Some(Time(0)),
            avg_idle: 1_000_000,
            wake_avg_idle: 500_000,
            wake_stamp: 0,
            avg_scan_cost: 0,
            clock: Clock::new(match world.setup.kernel.frequency.governor {
                Governor::Performance => world.setup.kernel.frequency.max_khz,
                Governor::Schedutil | Governor::Hwp => world.setup.kernel.frequency.min_khz,
            }),
            avg: QueueAvg::default(),
            pelt: PeltClock::default(),
            balance: CpuBalance::new(&world.domains, cpu, 0),
        }
    }

    /// The load of the fair queue.
    #[must_use]
    pub fn load_avg(&self) -> u64 {
        self.avg.avg.load_avg
    }

    /// What others see of it at a glance.
    #[must_use]
    pub fn glance(&self) -> Glance {
        let narrow = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        Glance {
            load: narrow(self.avg.avg.load_avg),
            runnable: narrow(self.avg.avg.runnable_avg),
            util: self.avg.util(CAPACITY) as u16,
            nr_running: self.rq.nr_running as u16,
            h_nr_running: self.rq.nr_running as u16,
            idle: self.idle(),
        }
    }

    /// `idle_cpu()`: the idle task runs, nothing is queued, no wakeup is pending (spec 0.7).
    #[must_use]
    pub fn idle(&self) -> bool {
        self.rq.curr.is_none() && self.rq.nr_running == 0 && self.wake_list.is_empty()
    }
}

/// FNV-1a over 64-bit words, widths fixed, so that 32-bit and 64-bit machines agree.
struct Digest(u64);

impl Hasher for Digest {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }

    fn write_u16(&mut self, value: u16) {
        self.write_u64(value.into());
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x0000_0100_0000_01B3).rotate_left(23);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.write_u64(value as i64 as u64);
    }
}
