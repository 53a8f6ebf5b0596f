//! From one state to the next: one event a step, with all that follows from it at that instant.

mod averages;
mod balancing;
mod edit;
mod groups;
mod placing;
mod program;
mod schedule;
mod tick;
mod wake;

use std::sync::Arc;

use crate::cpu_set::CpuSet;
use crate::domains::{Domains, GroupId};
use crate::event::Event;
use crate::fair::FairCx;
use crate::fair::evidence::{EnqueueEvidence, ForkEvidence};
use crate::report::{Record, Report};
use crate::setup::Setup;
use crate::state::State;
use crate::units::{CpuId, TaskId, Time};

/// A setup and what follows from it, once and for all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct World {
    /// What was given.
    pub setup: Setup,
    /// The sched domains of the machine under this kernel.
    pub domains: Domains,
    /// CPUs of each LLC, by number.
    pub llc_sizes: Vec<u32>,
    /// All CPUs.
    pub all: CpuSet,
    /// By CPU number: the groups of several CPUs that it is in, of all domains.
    groups_of: Lists<GroupId>,
    /// By [`crate::program::SpecId`]: the operations, side by side.
    programs: Lists<crate::program::Op>,
}

impl World {
    /// Builds the sched domains of the setup's machine.
    #[must_use]
    pub fn new(setup: Setup) -> World {
        let domains = Domains::build(&setup.topology, setup.kernel.place);
        let mut llc_sizes = vec![0; domains.llcs()];
        for cpu in setup.topology.cpu_ids() {
            llc_sizes[domains.llc(cpu).0 as usize] += 1;
        }
        let all = CpuSet::first(setup.topology.len());
        let mut groups_of = vec![Vec::new(); setup.topology.len()];
        for (i, group) in domains.all_groups().iter().enumerate() {
            for cpu in group.span.iter().filter(|_| group.weight > 1) {
                groups_of[cpu.index()].push(GroupId(i as u32));
            }
        }
        let groups_of = Lists::new(groups_of.iter().map(Vec::as_slice));
        let programs = Lists::new(setup.tasks.iter().map(|task| task.program.ops.as_slice()));
        World { setup, domains, llc_sizes, all, groups_of, programs }
    }

    /// The groups of several CPUs that a CPU is in, of all domains.
    #[must_use]
    pub fn groups_of(&self, cpu: CpuId) -> &[GroupId] {
        self.groups_of.get(cpu.index())
    }

    /// The operations of the tasks of a spec.
    #[must_use]
    pub(crate) fn program(&self, spec: crate::program::SpecId) -> &[crate::program::Op] {
        self.programs.get(spec.0 as usize)
    }
}

/// Lists side by side in one, so that reading any touches little memory. Equal neighbours are one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Lists<T> {
    all: Vec<T>,
    /// Of each list: where it begins and ends.
    parts: Vec<(u32, u32)>,
}

impl<T: Copy + PartialEq> Lists<T> {
    fn new<'a>(lists: impl Iterator<Item = &'a [T]>) -> Lists<T>
    where
        T: 'a,
    {
        let mut built = Lists { all: Vec::new(), parts: Vec::<(u32, u32)>::new() };
        for list in lists {
            let part = match built.parts.last() {
                Some(&same) if built.all[same.0 as usize..] == *list => same,
                _ => {
                    let start = built.all.len() as u32;
                    built.all.extend_from_slice(list);
                    (start, built.all.len() as u32)
                }
            };
            built.parts.push(part);
        }
        built
    }

    fn get(&self, i: usize) -> &[T] {
        let (start, end) = self.parts[i];
        &self.all[start as usize..end as usize]
    }
}

/// A run at some point.
#[derive(Clone, Debug)]
pub struct Simulation {
    world: Arc<World>,
    state: State,
    scratch: Scratch,
}

/// Buffers used within a step and empty between steps: not part of the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// CPUs that have to look whether to reschedule or to go on with a program.
    attention: Vec<CpuId>,
    /// Delayed tasks that a pick dequeued.
    completed: Vec<TaskId>,
    /// With evidence: what the last fork gave its child, until that is queued.
    forked: Option<ForkEvidence>,
    /// With evidence: how the task queued last got its place, until its preemption test.
    placed: Option<(TaskId, EnqueueEvidence)>,
    /// What a balance pass writes.
    balance: crate::balance::Scratch,
    /// The tick counter of the last step, with when it began and when it ends.
    jiffy: (u64, Time, Time),
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Something happened.
    Stepped,
    /// The run is over: its end is reached, or nothing can happen any more.
    Ended,
}

impl Simulation {
    /// A run at its very start.
    #[must_use]
    pub fn new(setup: Setup) -> Simulation {
        let world = Arc::new(World::new(setup));
        let state = State::new(&world);
        Simulation { world, state, scratch: Scratch::default() }
    }

    /// The run of this world at this state.
    #[must_use]
    pub fn at(world: Arc<World>, state: State) -> Simulation {
        Simulation { world, state, scratch: Scratch::default() }
    }

    /// The state now.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What the run started from.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.world.setup
    }

    /// What the run started from, with its sched domains.
    #[must_use]
    pub fn world(&self) -> &Arc<World> {
        &self.world
    }

    /// Takes the next step and tells the report of it.
    pub fn step(&mut self, report: &mut Report) -> Outcome {
        report.clear();
        let mut engine = Engine {
            jiffies: 0,
            world: &self.world,
            state: &mut self.state,
            scratch: &mut self.scratch,
            report,
        };
        engine.step()
    }
}

/// A step under way.
pub(crate) struct Engine<'a> {
    /// The tick counter.
    jiffies: u64,
    pub(crate) world: &'a World,
    pub(crate) state: &'a mut State,
    pub(crate) scratch: &'a mut Scratch,
    pub(crate) report: &'a mut Report,
}

impl<'a> Engine<'a> {
    fn step(&mut self) -> Outcome {
        if let Some(input) = self.world.setup.inputs.get(self.state.inputs_done as usize)
            && input.after_step <= self.state.step
        {
            self.report.records.push(Record::Edited(self.state.now, self.state.inputs_done));
            self.begin_at(self.state.now);
            self.state.inputs_done += 1;
            self.state.step += 1;
            self.edit(&input.edit);
            self.settle();
            return Outcome::Stepped;
        }
        match self.state.events.next_time() {
            Some(at) if at <= self.world.setup.end => {}
            _ => return Outcome::Ended,
        }
        let (at, event) = self.state.events.pop().expect("the queue is not empty");
        assert!(at >= self.state.now, "an event in the past: {event:?} at {at:?}");
        self.begin_at(at);
        self.state.step += 1;
        self.report.records.push(Record::Happened(at, event));
        match event {
            Event::BurstEnd(cpu) => self.burst_end(cpu),
            Event::WakeIpi(cpu) => self.wake_ipi(cpu),
            Event::ReschedIpi(cpu) => self.attend(cpu),
            Event::Timer(task) => self.timer(task),
            Event::Interrupt(number) => self.interrupt(number),
            Event::Start(task) => self.start(task),
            Event::Tick(cpu) => self.tick(cpu),
            Event::IdleBalance(cpu) => self.idle_balance(cpu),
        }
        self.settle();
        Outcome::Stepped
    }

    /// Lets every CPU that was asked for attention reschedule and go on, until all are settled.
    fn settle(&mut self) {
        while let Some(cpu) = self.scratch.attention.pop() {
            if self.state.cpus[cpu.index()].rq.need_resched.is_some() {
                self.schedule(cpu, None);
            }
            self.run_program(cpu);
        }
        (self.scratch.forked, self.scratch.placed) = (None, None);
    }

    /// Puts a CPU on the list of those that [`Engine::settle`] looks at.
    fn attend(&mut self, cpu: CpuId) {
        if !self.scratch.attention.contains(&cpu) {
            self.scratch.attention.push(cpu);
        }
    }

    /// If a reschedule of `cpu` is pending: at once when it was requested there or costs nothing to
    /// tell, otherwise by IPI (R0.5.1).
    fn kick(&mut self, cpu: CpuId, from: Option<CpuId>) {
        if self.state.cpus[cpu.index()].rq.need_resched.is_none() {
            return;
        }
        let delay = self.world.setup.kernel.costs.wake_ipi;
        if from.is_none_or(|from| from == cpu) || delay.0 == 0 {
            self.attend(cpu);
        } else if self.state.events.time_of(Event::ReschedIpi(cpu)).is_none() {
            self.state.events.set(self.state.now + delay, Event::ReschedIpi(cpu));
        }
    }

    /// What others see of a CPU at a glance is what it is now. Call it *after* what a glance shows
    /// has changed.
    pub(crate) fn glance(&mut self, cpu: CpuId) {
        let at = cpu.index();
        let (old, new) = (self.state.glances[at], self.state.cpus[at].glance());
        if old != new {
            self.state.glances[at] = new;
            self.state.occupied.set(cpu, new.nr_running > 0);
            self.state.crowded.set(cpu, new.nr_running > 1);
            for group in self.world.groups_of(cpu) {
                new.replace_in(&mut self.state.sums[group.index()], old);
            }
        }
    }

    pub(crate) fn cx(&self) -> FairCx<'a> {
        FairCx { kernel: &self.world.setup.kernel, now: self.state.now }
    }

    pub(crate) fn now(&self) -> Time {
        self.state.now
    }

    /// The tick counter.
    pub(crate) fn jiffies(&self) -> u64 {
        self.jiffies
    }

    /// It is `now` from here on.
    fn begin_at(&mut self, now: Time) {
        let (jiffies, begins, ends) = self.scratch.jiffy;
        self.jiffies = jiffies;
        if now < begins || now >= ends {
            let tick = self.world.setup.kernel.tick().0;
            self.jiffies = now.0 / tick;
            let begins = Time(self.jiffies * tick);
            self.scratch.jiffy = (self.jiffies, begins, Time(begins.0.saturating_add(tick)));
        }
        self.state.now = now;
    }

    /// Where a task may run.
    pub(crate) fn allowed(&self, task: TaskId) -> &CpuSet {
        self.state.tasks[task.index()].allowed.as_deref().unwrap_or(&self.world.all)
    }
}
