//! Load, utilisation and clock: when they are brought up to date and moved (R7.1.10, R7.1.21).

use super::Engine;
use crate::cpufreq::{self, Clock, HWP_WINDOW, RATE_LIMIT};
use crate::event::Event;
use crate::kernel::{FairGeneration, Governor};
use crate::pelt::{CAPACITY, EstRule, InitWeight, Moved};
use crate::report::Change;
use crate::units::{CpuId, Span, TaskId, Time};

impl Engine<'_> {
    /// Brings a CPU's queue up to now, as it has been since the last time. Call it *before* what
    /// the queue consists of, or who runs, changes.
    pub(super) fn update_queue_avg(&mut self, cpu: CpuId) {
        self.queue_avg_up_to_now(cpu);
        self.glance(cpu);
    }

    /// The same without a glance: for those who take one when they are done.
    pub(super) fn queue_avg_up_to_now(&mut self, cpu: CpuId) {
        let now = self.now().0;
        let speed = self.speed(cpu);
        let id = cpu;
        let cpu = &mut self.state.cpus[cpu.index()];
        let idle = cpu.rq.curr.is_none();
        cpu.pelt.advance(now, idle, speed, CAPACITY);
        if cpu.rq.groups.is_empty() {
            cpu.avg.update(cpu.pelt.now(), cpu.rq.fair.load, cpu.rq.nr_running.into(), !idle);
        } else {
            self.group_avgs_up_to_now(id);
        }
    }

    /// Brings a task up to now, as it has been since the last time.
    pub(super) fn update_task_avg(&mut self, cpu: CpuId, task: TaskId, was: Was) {
        let now = self.state.cpus[cpu.index()].pelt.now();
        let weight = self.weight(task);
        let avg = &mut self.state.tasks[task.index()].avg;
        avg.update(now, weight, was != Was::Asleep, was == Was::Running);
    }

    /// Both, for a task that is on the CPU's queue or was last there.
    pub(super) fn update_averages(&mut self, cpu: CpuId, task: TaskId) {
        self.averages_up_to_now(cpu, task);
        self.glance(cpu);
    }

    /// The same without a glance.
    pub(super) fn averages_up_to_now(&mut self, cpu: CpuId, task: TaskId) {
        self.queue_avg_up_to_now(cpu);
        let running = self.state.cpus[cpu.index()].rq.curr == Some(task);
        let was = match self.state.entities[task].on_rq {
            true if running => Was::Running,
            true => Was::Waiting,
            false => Was::Asleep,
        };
        self.update_task_avg(cpu, task, was);
    }

    /// The task comes onto the queue of a CPU: from sleep there, or new to it (R7.1.19). A glance
    /// is the caller's to take.
    pub(super) fn attach_averages(&mut self, cpu: CpuId, task: TaskId) {
        self.queue_avg_up_to_now(cpu);
        self.update_task_avg(cpu, task, Was::Asleep);
        let weight = self.weight(task);
        let (avg, queue) = self.state.averages_of(cpu, task);
        if !avg.attached {
            avg.attach(queue, weight);
            let came = Moved::Came(avg.avg.load_sum);
            self.carry_averages(cpu, task, came);
        }
    }

    /// The task, on no queue, goes from this CPU to another. A sleeper's part is forgotten by the
    /// old queue at its next update (R7.1.18); that of a task that was queued, at once (R7.1.20).
    pub(super) fn detach_averages(&mut self, cpu: CpuId, task: TaskId, slept: bool) {
        let weight = self.weight(task);
        let now = self.now().0;
        let old = &mut self.state.cpus[cpu.index()];
        let present = old.idle().then(|| {
            old.pelt.advance(now, true, CAPACITY, CAPACITY);
            old.pelt.now()
        });
        let (avg, queue) = self.state.averages_of(cpu, task);
        if slept {
            avg.remove(queue, weight, present);
        } else if avg.attached {
            avg.detach(queue, weight);
            self.carry_averages(cpu, task, Moved::Left);
            self.glance(cpu);
        }
    }

    /// A new task on its first queue (R7.1.13).
    pub(super) fn init_averages(&mut self, cpu: CpuId, task: TaskId) {
        self.update_queue_avg(cpu);
        let fixed = self.world.setup.kernel.fair >= FairGeneration::Eevdf6_11;
        let scale = if fixed { InitWeight::Small } else { InitWeight::Large };
        let weight = self.weight(task);
        let (avg, queue) = self.state.averages_of(cpu, task);
        avg.init(queue, weight, scale, CAPACITY);
    }

    /// A task's weight changed from `old`; both averages are up to date.
    pub(super) fn reweigh_averages(&mut self, cpu: CpuId, task: TaskId, old: u64) {
        let new = self.weight(task);
        let (avg, queue) = self.state.averages_of(cpu, task);
        avg.reweight(queue, old, new);
        self.reweigh_groups(cpu);
        self.glance(cpu);
    }

    /// The task counts in the estimate of its CPU's utilisation (R7.2.1). A glance is the caller's.
    pub(super) fn add_util_est(&mut self, cpu: CpuId, task: TaskId) {
        let avg = &self.state.tasks[task.index()].avg;
        self.state.cpus[cpu.index()].avg.enqueue_est(avg);
    }

    /// The task counts no more; one that goes to sleep leaves a new estimate (R7.2.2).
    pub(super) fn drop_util_est(&mut self, cpu: CpuId, task: TaskId, sleeps: bool) {
        let average = self.world.setup.kernel.fair >= FairGeneration::Eevdf6_8;
        let rule = if average { EstRule::Average } else { EstRule::LastAndAverage };
        let task = &mut self.state.tasks[task.index()].avg;
        self.state.cpus[cpu.index()].avg.dequeue_est(task);
        if sleeps {
            task.est.update(rule, task.avg.util_avg, task.avg.runnable_avg, CAPACITY);
        }
    }

    /// `task_h_load()` as last stored (R5.3.5, R7.1.15).
    pub(super) fn task_h_load(&self, task: TaskId) -> u64 {
        self.state.task_h_load(task, self.world.setup.kernel.group_sched)
    }

    fn weight(&self, task: TaskId) -> u64 {
        self.state.entities[task].weight().into()
    }

    /// A CPU's clock as a part of 1024 of the highest.
    fn speed(&self, cpu: CpuId) -> u64 {
        let range = self.world.setup.kernel.frequency;
        if !range.varies() {
            return CAPACITY;
        }
        let khz = self.state.cpus[cpu.index()].clock.khz;
        CAPACITY * u64::from(khz) / u64::from(range.max_khz)
    }

    /// The clock as it is felt: less while other threads of the core are busy, kHz. `None` if it is
    /// always the highest.
    fn pace(&self, cpu: CpuId) -> Option<u32> {
        let range = self.world.setup.kernel.frequency;
        if range.smt == 100 && !range.varies() {
            return None;
        }
        let clock = self.state.cpus[cpu.index()].clock;
        Some((u64::from(clock.khz) * u64::from(clock.share) / 100).max(1) as u32)
    }

    /// A CPU went idle or has something to run: the threads of its core share it anew (model). Its
    /// own task neither works off nor plans anything right now.
    pub(super) fn share_core(&mut self, cpu: CpuId) {
        let range = self.world.setup.kernel.frequency;
        if range.smt == 100 {
            return;
        }
        let threads = self.world.domains.smt_siblings(cpu);
        let busy = |cpu: &CpuId| self.state.cpus[cpu.index()].rq.curr.is_some();
        let percent = cpufreq::share(range, threads.iter().filter(busy).count());
        for thread in threads.iter() {
            if self.state.cpus[thread.index()].clock.share == percent {
                continue;
            }
            if thread != cpu {
                self.settle_work(thread);
            }
            self.state.cpus[thread.index()].clock.share = percent;
            self.report.changed(Change::Shared { cpu: thread, percent });
            if thread != cpu {
                self.plan_burst(thread);
            }
        }
    }

    /// A CPU went idle or has something to run: the limit of its package's clocks may be another
    /// (R7.4.4). Its own task neither works off nor plans anything right now.
    pub(super) fn share_package(&mut self, cpu: CpuId) {
        if self.state.busy_cores.is_empty() {
            return;
        }
        let topology = &self.world.setup.topology;
        let package = topology.cpu(cpu).package.0 as usize;
        let before = self.clock_limit(cpu);
        let runs = |cpu: CpuId| self.state.cpus[cpu.index()].rq.curr.is_some();
        let busy = runs(cpu);
        if !topology.smt_siblings(cpu).iter().any(|thread| thread != cpu && runs(thread)) {
            let cores = &mut self.state.busy_cores[package];
            *cores = if busy { *cores + 1 } else { *cores - 1 };
        }
        let limit = self.clock_limit(cpu);
        let clock = &mut self.state.cpus[cpu.index()].clock;
        let khz = clock.asked.min(limit);
        if busy && clock.khz != khz {
            clock.khz = khz;
            self.report.changed(Change::Clock { cpu, khz });
        }
        if limit == before {
            return;
        }
        for other in topology.packages()[package].iter().filter(|other| *other != cpu) {
            let state = &self.state.cpus[other.index()];
            if state.rq.curr.is_some() {
                let khz = state.clock.asked.min(limit);
                self.set_clock(other, Clock { khz, ..state.clock });
            }
        }
    }

    /// What the clocks of a CPU's package are limited to, kHz.
    fn clock_limit(&self, cpu: CpuId) -> u32 {
        let package = self.world.setup.topology.cpu(cpu).package.0 as usize;
        let busy = self.state.busy_cores.get(package);
        busy.map_or(u32::MAX, |busy| self.world.setup.kernel.frequency.turbo.limit(*busy))
    }

    /// How much work a CPU does in a time.
    pub(super) fn work_done(&self, cpu: CpuId, time: Span) -> Span {
        let range = self.world.setup.kernel.frequency;
        self.pace(cpu).map_or(time, |khz| cpufreq::work_done(range, khz, time))
    }

    /// How long a CPU needs for so much work.
    pub(super) fn time_for(&self, cpu: CpuId, work: Span) -> Span {
        let range = self.world.setup.kernel.frequency;
        self.pace(cpu).map_or(work, |khz| cpufreq::time_for(range, khz, work))
    }

    /// The CPU's utilisation, or whether it is busy, has changed or is about to: its clock may too.
    pub(super) fn update_clock(&mut self, cpu: CpuId) {
        let range = self.world.setup.kernel.frequency;
        let now = self.now();
        let at = cpu.index();
        let mut clock = match range.governor {
            Governor::Performance => return,
            Governor::Schedutil => {
                let mut clock = self.state.cpus[at].clock;
                if clock.changed.0 != 0 && now.since(clock.changed) < RATE_LIMIT {
                    return;
                }
                let queue = &self.state.cpus[at].avg;
                let (util, runnable) = (queue.util(CAPACITY), queue.avg.runnable_avg);
                let fair = self.world.setup.kernel.fair;
                let wanted = cpufreq::schedutil(fair, range, util as u32, runnable as u32);
                let idled = std::mem::take(&mut clock.idled);
                // One that has been busy all the time keeps its clock (R7.3.7).
                if wanted == clock.asked || wanted < clock.asked && !idled {
                    self.state.cpus[at].clock = clock;
                    return;
                }
                clock.asked = wanted;
                clock.changed = now;
                clock
            }
            Governor::Hwp => {
                let busy = self.state.cpus[at].rq.curr.is_some();
                hwp_up_to(self.state.cpus[at].clock, now, busy, |khz, busy| {
                    cpufreq::hwp(range, khz, busy)
                })
            }
        };
        clock.khz = clock.asked.min(self.clock_limit(cpu));
        self.set_clock(cpu, clock);
    }

    fn set_clock(&mut self, cpu: CpuId, clock: Clock) {
        let at = cpu.index();
        if clock.khz != self.state.cpus[at].clock.khz {
            // What was done so far was done at the old clock.
            self.update_queue_avg(cpu);
            self.settle_work(cpu);
            self.state.cpus[at].clock = clock;
            self.report.changed(Change::Clock { cpu, khz: clock.khz });
            self.plan_burst(cpu);
        } else {
            self.state.cpus[at].clock = clock;
        }
    }

    /// Writes down how much of its operation the running task has done up to now.
    pub(super) fn settle_work(&mut self, cpu: CpuId) {
        let Some(task) = self.state.cpus[cpu.index()].rq.curr else { return };
        let now = self.now();
        let worked = now.since(self.state.tasks[task.index()].run_from);
        let done = self.work_done(cpu, worked);
        let task = &mut self.state.tasks[task.index()];
        task.remaining = task.remaining - done.min(task.remaining);
        task.run_from = now;
    }

    /// Sets the end of the running task's operation, if it needs time.
    pub(super) fn plan_burst(&mut self, cpu: CpuId) {
        let Some(task) = self.state.cpus[cpu.index()].rq.curr else { return };
        let remaining = self.state.tasks[task.index()].remaining;
        if remaining.0 > 0 {
            let until = self.now() + self.time_for(cpu, remaining);
            self.state.events.set(until, Event::BurstEnd(cpu));
        }
    }
}

/// What a task was doing since it was last brought up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Was {
    /// Off the queue.
    Asleep,
    /// Queued, not running.
    Waiting,
    /// Running.
    Running,
}

/// The HWP model's clock brought up to now: each window that ended moves it (R7.4.1). An idle
/// stretch of more than 64 windows changes nothing more.
fn hwp_up_to(mut clock: Clock, now: Time, busy: bool, next: impl Fn(u32, Span) -> u32) -> Clock {
    let mut windows = 0;
    while now.since(clock.window) >= HWP_WINDOW {
        let end = clock.window + HWP_WINDOW;
        if busy {
            clock.busy += end.since(clock.counted.max(clock.window));
        }
        clock.asked = next(clock.asked, clock.busy);
        (clock.busy, clock.window, clock.counted) = (Span(0), end, end);
        windows += 1;
        if windows > 64 {
            let whole = now.since(end).0 / HWP_WINDOW.0 * HWP_WINDOW.0;
            clock.window = end + Span(whole);
            clock.counted = clock.window;
        }
    }
    if busy {
        clock.busy += now.since(clock.counted);
    }
    clock.counted = now;
    clock
}
