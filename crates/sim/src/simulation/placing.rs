//! What placement reads of the state, and what it changes there.

use super::Engine;
use super::World;
use crate::balance::stats::{GroupView, Sums};
use crate::cpu_set::CpuSet;
use crate::domains::DomainFlags;
use crate::domains::GroupId;
use crate::kernel::{Kernel, PlaceGeneration};
use crate::place::fork::{IdlestView, SlowSeen, Start, place_new};
use crate::place::idle::{fallback, update_idle_core};
use crate::place::{self, Placement, Seen, Unseen, View, Wake, Wakee, Waker};
use crate::report::{Decision, Evidence, PlaceEvidence};
use crate::state::State;
use crate::topology::LlcId;
use crate::units::{CpuId, TaskId};

/// The state as placement sees it.
#[derive(Clone, Copy)]
pub(super) struct Machine<'a> {
    pub(super) state: &'a State,
    pub(super) world: &'a World,
    pub(super) kernel: &'a Kernel,
    /// Whether the state's sums over groups are what this view adds up to: not in kernels that
    /// weigh runnable load, nor while a task is thought away.
    pub(super) sums_kept: bool,
    /// A CPU in a newidle balance: it does not run its idle task yet.
    pub(super) newly_idle: Option<CpuId>,
    /// A CPU whose running task was preempted by the stopper.
    pub(super) stopped: Option<CpuId>,
    /// A task that is to be thought away: the one that calls `exec()` (R5.6.10).
    pub(super) without: Option<TaskId>,
}

impl Machine<'_> {
    /// What the task that is thought away adds to this CPU.
    fn own(&self, cpu: CpuId) -> Option<&crate::state::Task> {
        let task = &self.state.tasks[self.without?.index()];
        (task.cpu == cpu).then_some(task)
    }

    /// A kernel thread that may run on one CPU only.
    pub(super) fn is_per_cpu_kthread(&self, task: TaskId) -> bool {
        let task = &self.state.tasks[task.index()];
        let bound = task.allowed.as_deref().is_some_and(|mask| mask.len() == 1);
        bound && self.world.setup.tasks[task.spec.0 as usize].per_cpu_kthread
    }
}

impl View for Machine<'_> {
    fn idle(&self, cpu: CpuId) -> bool {
        self.state.glances[cpu.index()].idle
    }

    fn sched_idle(&self, _cpu: CpuId) -> bool {
        // No task of the model has the SCHED_IDLE policy (docs/model.md).
        false
    }

    fn nr_running(&self, cpu: CpuId) -> u32 {
        self.state.glances[cpu.index()].nr_running.into()
    }

    fn load(&self, cpu: CpuId) -> u64 {
        if self.kernel.place > PlaceGeneration::V4_19 {
            return self.state.glances[cpu.index()].load.into();
        }
        let cpu = &self.state.cpus[cpu.index()];
        if self.kernel.place == PlaceGeneration::V2_6_36 {
            // Before PELT: the sum of the queued weights.
            return cpu.rq.fair.load;
        }
        // `runnable_load_avg`: of those on the queue only. Summed here from the tasks' own
        // averages, as each was last stored (model); a group counts by its entity's.
        let tasks = cpu.rq.tasks_from_tail(&self.state.entities);
        let own = tasks.filter(|&task| cpu.rq.group_of(&self.state.entities, task).is_none());
        let own: u64 = own.map(|task| self.state.tasks[task.index()].avg.avg.load_avg).sum();
        let queued = cpu.rq.groups.iter().filter(|group| self.state.entities[group.entity].on_rq);
        own + queued.map(|group| group.avg.entity.load_avg).sum::<u64>()
    }

    fn capacity(&self, _cpu: CpuId) -> u64 {
        // No interrupt, real-time or deadline pressure in the model (R5.7.9).
        1024
    }

    fn has_idle_cores(&self, llc: LlcId) -> bool {
        self.state.llcs[llc.0 as usize].has_idle_cores
    }

    fn nr_idle_scan(&self, llc: LlcId) -> u32 {
        self.state.llcs[llc.0 as usize].nr_idle_scan
    }

    fn avg_idle(&self, cpu: CpuId) -> u64 {
        self.state.cpus[cpu.index()].avg_idle
    }

    fn wake_avg_idle(&self, cpu: CpuId) -> u64 {
        self.state.cpus[cpu.index()].wake_avg_idle
    }

    fn wake_stamp(&self, cpu: CpuId) -> u64 {
        self.state.cpus[cpu.index()].wake_stamp
    }

    fn avg_scan_cost(&self, cpu: CpuId) -> u64 {
        self.state.cpus[cpu.index()].avg_scan_cost
    }
}

impl GroupView for Machine<'_> {
    fn load(&self, cpu: CpuId) -> u64 {
        let own = self.own(cpu).zip(self.without).map_or(0, |(task, id)| {
            let in_group = !self.state.entities.groups.is_empty();
            if in_group { self.state.task_h_load(id, false) } else { task.avg.avg.load_avg }
        });
        View::load(self, cpu).saturating_sub(own)
    }

    fn util(&self, cpu: CpuId) -> u64 {
        let own = self.own(cpu).map_or(0, |task| task.avg.util_est());
        u64::from(self.state.glances[cpu.index()].util).saturating_sub(own)
    }

    fn runnable(&self, cpu: CpuId) -> u64 {
        let own = self.own(cpu).map_or(0, |task| task.avg.avg.runnable_avg);
        u64::from(self.state.glances[cpu.index()].runnable).saturating_sub(own)
    }

    fn nr_running(&self, cpu: CpuId) -> u32 {
        let own = u32::from(self.own(cpu).is_some());
        u32::from(self.state.glances[cpu.index()].nr_running) - own
    }

    fn h_nr_running(&self, cpu: CpuId) -> u32 {
        let own = u32::from(self.own(cpu).is_some());
        u32::from(self.state.glances[cpu.index()].h_nr_running) - own
    }

    fn idle(&self, cpu: CpuId) -> bool {
        let glance = &self.state.glances[cpu.index()];
        (glance.idle && self.newly_idle != Some(cpu))
            || (glance.nr_running == 1
                && self.own(cpu).is_some()
                && self.state.cpus[cpu.index()].wake_list.is_empty())
    }

    #[inline]
    fn sums(&self, group: GroupId) -> Option<Sums> {
        let group_of = self.world.domains.group(group);
        if !self.sums_kept || group_of.weight == 1 {
            return None;
        }
        let mut sums = self.state.sums[group.index()];
        if let Some(cpu) = self.newly_idle
            && group_of.span.contains(cpu)
        {
            let glance = &self.state.glances[cpu.index()];
            sums.idle_cpus -= u32::from(glance.idle && glance.nr_running == 0);
        }
        Some(sums)
    }

    fn queues(&self) -> Option<(&CpuSet, &CpuSet)> {
        Some((&self.state.occupied, &self.state.crowded))
    }

    fn imbalanced(&self, group: GroupId) -> bool {
        self.state.imbalanced.contains(&group)
    }
}

impl IdlestView for Machine<'_> {
    fn task_util(&self) -> u64 {
        self.without.map_or(0, |task| self.state.tasks[task.index()].avg.avg.util_avg)
    }

    fn idle_stamp(&self, cpu: CpuId) -> u64 {
        self.state.cpus[cpu.index()].idle_stamp.map_or(0, |stamp| stamp.0)
    }
}

impl Engine<'_> {
    /// `select_task_rq()` for a wakeup (R0.6.4). The wakee is asleep.
    pub(super) fn place(
        &mut self,
        wakee: TaskId,
        this_cpu: CpuId,
        waker: Option<TaskId>,
        sync: bool,
    ) -> CpuId {
        let prev_cpu = self.state.tasks[wakee.index()].cpu;
        let allowed = self.allowed(wakee);
        if allowed.is_one() {
            // The class is not asked, and nothing is written down (R5.0.1).
            return allowed.lowest().expect("one CPU");
        }
        let current = self.state.cpus[this_cpu.index()].rq.curr;
        let book = match current {
            Some(current) => self.state.tasks[current.index()].waker,
            None => self.state.cpus[this_cpu.index()].idle_waker,
        };
        let wake = Wake {
            this_cpu,
            prev_cpu,
            sync,
            current_cpu: false,
            allowed,
            jiffies: self.jiffies(),
            hz: u64::from(self.world.setup.kernel.hz),
            waker: Waker {
                flips: book.flips,
                decay_ts: book.decay_stamp,
                last_wakee_is_same: book.last_wakee == Some(wakee),
                load: current.map_or(0, |current| self.load_of(current)),
                exiting: false,
                per_cpu_kthread: current
                    .is_none_or(|current| self.machine().is_per_cpu_kthread(current)),
                in_task: waker.is_some(),
            },
            wakee: Wakee {
                flips: self.state.tasks[wakee.index()].waker.flips,
                load: self.load_of(wakee),
                recent: self.state.tasks[wakee.index()].recent_used_cpu,
            },
        };
        let view = self.machine();
        let (domains, features) = (&self.world.domains, self.world.setup.kernel.features);
        let (placement, figures) = if self.report.wants_evidence() {
            let mut seen = Seen::default();
            let placement = place::place(domains, features, &view, &wake, &mut seen);
            let figures = PlaceEvidence {
                placement,
                seen,
                this_cpu,
                prev_cpu,
                current,
                sync,
                allowed: *allowed,
                waker: wake.waker,
                wakee: wake.wakee,
                idle: self
                    .world
                    .setup
                    .topology
                    .cpu_ids()
                    .map(|cpu| View::idle(&view, cpu))
                    .collect(),
                has_idle_cores: self.state.llcs.iter().map(|llc| llc.has_idle_cores).collect(),
                load: [this_cpu, prev_cpu].map(|cpu| View::load(&view, cpu)),
                nr_running: View::nr_running(&view, this_cpu),
            };
            (placement, Some(figures))
        } else {
            (place::place(domains, features, &view, &wake, &mut Unseen), None)
        };
        let cpu = fallback(domains, allowed, placement.cpu).expect("a mask has a CPU");
        self.report.decided(
            Decision::Place { wakee, waker, this_cpu, prev_cpu, cpu, branch: placement.branch },
            || Evidence::Place(Box::new(figures.expect("figures were made"))),
        );
        self.apply(&placement, wakee, this_cpu);
        cpu
    }

    /// A task's load as placement weighs it: its weight before PELT (in a group, its part of the
    /// group's), later `task_h_load()`.
    fn load_of(&self, task: TaskId) -> u64 {
        match self.world.setup.kernel.place {
            PlaceGeneration::V2_6_36 => {
                let entities = &self.state.entities;
                let weight = u64::from(entities[task].weight());
                let rq = &self.state.cpus[self.state.tasks[task.index()].cpu.index()].rq;
                rq.group_of(entities, task).map_or(weight, |group| {
                    let group = &rq.groups[group.index()];
                    let of_group = u64::from(entities[group.entity].weight());
                    weight * of_group / group.queue.load.max(weight)
                })
            }
            _ => self.task_h_load(task),
        }
    }

    /// What a placement changes besides the wakee's CPU.
    fn apply(&mut self, placement: &Placement, wakee: TaskId, this_cpu: CpuId) {
        let effects = &placement.effects;
        let book = self.waker_book(this_cpu);
        book.flips = effects.waker_flips;
        book.decay_stamp = effects.waker_decay_ts;
        book.last_wakee = Some(wakee);
        if let Some(recent) = effects.wakee_recent {
            self.state.tasks[wakee.index()].recent_used_cpu = recent;
        }
        if let (Some(recent), Some(waker)) =
            (effects.waker_recent, self.state.cpus[this_cpu.index()].rq.curr)
        {
            self.state.tasks[waker.index()].recent_used_cpu = recent;
        }
        let cpu = &mut self.state.cpus[this_cpu.index()];
        cpu.avg_scan_cost = effects.avg_scan_cost.unwrap_or(cpu.avg_scan_cost);
        cpu.wake_avg_idle = effects.wake_avg_idle.unwrap_or(cpu.wake_avg_idle);
        cpu.wake_stamp = effects.wake_stamp.unwrap_or(cpu.wake_stamp);
        if let Some(llc) = effects.idle_cores_cleared {
            self.state.llcs[llc.0 as usize].has_idle_cores = false;
        }
    }

    /// On which CPU a new task starts: the slow path (spec 5.6).
    pub(super) fn place_fork(&mut self, task: TaskId, this_cpu: CpuId) -> CpuId {
        self.slow_path(task, this_cpu, false)
    }

    /// On which CPU a task that calls `exec()` goes on.
    pub(super) fn place_exec(&mut self, task: TaskId, this_cpu: CpuId) -> CpuId {
        self.slow_path(task, this_cpu, true)
    }

    fn slow_path(&mut self, task: TaskId, this_cpu: CpuId, exec: bool) -> CpuId {
        let allowed = self.allowed(task);
        if allowed.is_one() {
            return allowed.lowest().expect("one CPU");
        }
        let flag = if exec { DomainFlags::BALANCE_EXEC } else { DomainFlags::BALANCE_FORK };
        let features = self.world.setup.kernel.features;
        let start = Start { this_cpu, allowed, flag, features };
        let view = match exec {
            true => Machine { without: Some(task), sums_kept: false, ..self.machine() },
            false => self.machine(),
        };
        let domains = &self.world.domains;
        let mut figures = self.report.wants_evidence().then(SlowSeen::default);
        let cpu = match &mut figures {
            Some(seen) => place_new(domains, &view, &start, seen),
            None => place_new(domains, &view, &start, &mut Unseen),
        };
        let cpu = fallback(domains, allowed, cpu).expect("a mask has a CPU");
        self.report.decided(Decision::ForkPlace { task, this_cpu, cpu, exec }, || {
            Evidence::Fork(Box::new(figures.expect("figures were made")))
        });
        cpu
    }

    pub(super) fn machine(&self) -> Machine<'_> {
        Machine {
            state: self.state,
            world: self.world,
            kernel: &self.world.setup.kernel,
            sums_kept: self.world.setup.kernel.place > PlaceGeneration::V4_19,
            newly_idle: None,
            stopped: None,
            without: None,
        }
    }

    /// The CPU is about to idle: perhaps its whole core is idle now (R5.4.8a).
    pub(super) fn update_idle_core(&mut self, cpu: CpuId) {
        let view = self.machine();
        if let Some(llc) = update_idle_core(&self.world.domains, &view, cpu) {
            self.state.llcs[llc.0 as usize].has_idle_cores = true;
        }
    }
}
