//! When a CPU balances, and the moves that come of it (spec 5.7, 5.8).

use super::Engine;
use super::placing::Machine;
use crate::balance::schedule::{
    CpuBalance, NewIdle, Periodic, Ticks, kicks_idle_balancer, newidle_cost, on_behalf_of,
};
use crate::balance::{
    ActiveBalance, BalanceSeen, BalanceView, IdleType, Outcome, Pass, Verdict, active_balance_task,
    load_balance,
};
use crate::event::Event;
use crate::fair::reason::Wake;
use crate::kernel::PlaceGeneration;
use crate::place::Unseen;
use crate::report::{BalanceKind, Decision, Evidence, Migration};
use crate::units::{CpuId, Span, TaskId};

/// Blocked averages of idle CPUs are refreshed so often at most (R5.8.12).
const BLOCKED_ROUND: Span = Span::ms(32);

impl BalanceView for Machine<'_> {
    fn tasks(&self, cpu: CpuId, into: &mut Vec<TaskId>) {
        let rq = &self.state.cpus[cpu.index()].rq;
        into.extend(rq.tasks_from_tail(&self.state.entities));
    }

    fn current(&self, cpu: CpuId) -> Option<TaskId> {
        self.state.cpus[cpu.index()].rq.curr
    }

    fn allowed(&self, task: TaskId, cpu: CpuId) -> bool {
        let mask = self.state.tasks[task.index()].allowed.as_deref();
        mask.is_none_or(|mask| mask.contains(cpu))
    }

    fn running(&self, task: TaskId) -> bool {
        let cpu = self.state.tasks[task.index()].cpu;
        self.stopped != Some(cpu) && self.state.cpus[cpu.index()].rq.curr == Some(task)
    }

    fn exec_start(&self, task: TaskId) -> u64 {
        self.state.entities[task].exec_start.0
    }

    fn clock_task(&self, _cpu: CpuId) -> u64 {
        self.state.now.0
    }

    fn h_load(&self, task: TaskId) -> u64 {
        if self.kernel.place == PlaceGeneration::V2_6_36 {
            return self.state.entities[task].weight().into();
        }
        self.state.task_h_load(task, self.kernel.group_sched)
    }

    fn util_est(&self, task: TaskId) -> u64 {
        self.state.tasks[task.index()].avg.util_est()
    }

    fn wake_pending(&self, cpu: CpuId) -> bool {
        !self.state.cpus[cpu.index()].wake_list.is_empty()
    }

    fn per_cpu_kthread(&self, task: TaskId) -> bool {
        self.is_per_cpu_kthread(task)
    }

    fn buddy(&self, task: TaskId) -> bool {
        let rq = &self.state.cpus[self.state.tasks[task.index()].cpu.index()].rq;
        let queue = rq.queue_of(&self.state.entities, task);
        queue.next == Some(task) || queue.last == Some(task)
    }
}

impl Engine<'_> {
    fn ticks(&self) -> Ticks {
        Ticks { jiffies: self.jiffies(), hz: u64::from(self.world.setup.kernel.hz) }
    }

    /// What a busy CPU's tick balances (R5.7.1), and whether it wakes an idle balancer (R5.8.10).
    pub(super) fn tick_balance(&mut self, cpu: CpuId) {
        let ticks = self.ticks();
        if Periodic::is_due(&self.state.cpus[cpu.index()].balance, ticks) {
            self.rebalance_domains(cpu, false);
        }
        let cpus = &self.state.cpus;
        let balance = ticks.jiffies >= self.state.nohz_next_balance && {
            let nr_running = cpus[cpu.index()].rq.nr_running;
            kicks_idle_balancer(&self.world.domains, cpu, nr_running, |cpu| {
                cpus[cpu.index()].idle()
            })
        };
        if !balance && self.now() < self.state.nohz_next_blocked {
            return;
        }
        let Some(idle) = cpus.iter().position(crate::state::Cpu::idle) else { return };
        if balance {
            self.state.nohz_next_balance = ticks.jiffies + 1;
        }
        let at = self.now() + self.world.setup.kernel.costs.wake_ipi;
        self.state.events.set(at, Event::IdleBalance(CpuId(idle as u16)));
    }

    /// An idle CPU balances for all idle CPUs, itself last (R5.8.11).
    pub(super) fn idle_balance(&mut self, balancer: CpuId) {
        let ticks = self.ticks();
        let refresh = self.now() >= self.state.nohz_next_blocked;
        if refresh {
            self.state.nohz_next_blocked = self.now() + BLOCKED_ROUND;
        }
        for cpu in on_behalf_of(&self.world.domains, balancer) {
            if !self.state.cpus[balancer.index()].idle() {
                // It has work of its own now.
                return;
            }
            if !self.state.cpus[cpu.index()].idle() {
                continue;
            }
            if refresh {
                self.update_queue_avg(cpu);
            }
            if Periodic::is_due(&self.state.cpus[cpu.index()].balance, ticks) {
                self.rebalance_domains(cpu, true);
            }
        }
    }

    /// `rebalance_domains()`: every domain of the CPU whose interval has passed.
    fn rebalance_domains(&mut self, cpu: CpuId, idle: bool) {
        let (domains, ticks) = (&self.world.domains, self.ticks());
        if idle {
            self.update_queue_avg(cpu);
        }
        let mut own = self.take_balance(cpu);
        let mut walk = Periodic::new(cpu, ticks, idle);
        while let Some(pass) = walk.next(domains, &mut own) {
            let outcome = self.balance_pass(pass, &mut own);
            let idle = self.state.cpus[cpu.index()].idle();
            walk.done(domains, &mut own, &outcome, idle);
        }
        walk.finish(&mut own);
        self.state.cpus[cpu.index()].balance = own;
    }

    /// `newidle_balance()` of a CPU that has nothing to run; whether it has something now.
    pub(super) fn newidle_balance(&mut self, cpu: CpuId) -> bool {
        let (domains, ticks, at) = (&self.world.domains, self.ticks(), cpu.index());
        let pending = !self.state.cpus[at].wake_list.is_empty();
        if !pending {
            self.state.cpus[at].idle_stamp = Some(self.now());
        }
        let mut own = self.take_balance(cpu);
        let (avg_idle, overload) = (self.state.cpus[at].avg_idle, self.state.overload);
        let mut walk = NewIdle::new(domains, cpu, ticks, &own, avg_idle, overload, pending);
        while let Some(pass) = walk.next(domains, &mut own) {
            let moved = match self.would_find_nothing(pass, &mut own) {
                true => 0,
                false => self.balance_pass(pass, &mut own).moved,
            };
            let weight = domains.domain(domains.chain(cpu)[pass.level]).weight;
            let has_work = self.state.cpus[at].rq.nr_running > 0;
            walk.done(&mut own, newidle_cost(weight, moved > 0), has_work);
        }
        walk.finish(&mut own);
        self.state.cpus[at].balance = own;
        let has_work = self.state.cpus[at].rq.nr_running > 0;
        if has_work {
            self.state.cpus[at].idle_stamp = None;
        }
        has_work
    }

    /// Whether a newidle pass can change nothing but the overload flag, which is then brought up to
    /// date here: no queue of another group has a second task that could be pulled, no earlier pass
    /// failed and no flag waits to be cleared. With evidence the pass is made all the same.
    ///
    /// The groups of the smallest domain are one CPU each. There, from 5.15 on and without a second
    /// task elsewhere, a pass always ends balanced; otherwise it may also end as failed, which
    /// remembers less.
    fn would_find_nothing(&mut self, pass: Pass, own: &mut CpuBalance) -> bool {
        let domains = &self.world.domains;
        let chain = domains.chain(pass.cpu);
        let domain = domains.domain(chain[pass.level]);
        let memory = &mut own.domains[pass.level];
        let wide = pass.level > 0 || domains.generation() < PlaceGeneration::V5_15;
        if self.report.wants_evidence()
            || (wide && (memory.nr_balance_failed > 0 || memory.interval != domain.min_interval))
            || !self.state.imbalanced.is_empty()
        {
            return false;
        }
        let local = domains.group(domains.local_group(chain[pass.level], pass.cpu));
        let crowded = domain.span.and(&self.state.crowded);
        if !crowded.is_subset(&local.span) {
            return false;
        }
        if pass.level + 1 == chain.len() {
            self.state.overload = !crowded.is_empty();
        }
        memory.nr_balance_failed = 0;
        true
    }

    /// A CPU's memory of balancing, out of the state while its passes run.
    fn take_balance(&mut self, cpu: CpuId) -> CpuBalance {
        let own = &mut self.state.cpus[cpu.index()].balance;
        let rest = CpuBalance { domains: Vec::new(), ..*own };
        core::mem::replace(own, rest)
    }

    /// One pass over one domain: decide, tell, move.
    fn balance_pass(&mut self, pass: Pass, own: &mut CpuBalance) -> Outcome {
        let domains = &self.world.domains;
        let mut scratch = core::mem::take(&mut self.scratch.balance);
        let state = &mut own.domains[pass.level];
        let newly_idle = (pass.idle == IdleType::NewlyIdle).then_some(pass.cpu);
        let view = Machine { newly_idle, ..self.machine() };
        let mut figures = self.report.wants_evidence().then(BalanceSeen::default);
        let outcome = match &mut figures {
            Some(seen) => load_balance(domains, &view, pass, state, &mut scratch, seen),
            None => load_balance(domains, &view, pass, state, &mut scratch, &mut Unseen),
        };
        let kind = match pass.idle {
            IdleType::NotIdle => BalanceKind::Periodic,
            IdleType::Idle => BalanceKind::Idle,
            IdleType::NewlyIdle => BalanceKind::NewIdle,
        };
        // What a CPU on its way to idle looked at in vain is told only if somebody asks.
        let quiet = pass.idle == IdleType::NewlyIdle
            && outcome.moved == 0
            && outcome.active.is_none()
            && !self.report.wants_evidence();
        if outcome.verdict != Verdict::NotOurs && !quiet {
            let decision = Decision::Balance {
                cpu: pass.cpu,
                level: pass.level as u8,
                kind,
                verdict: outcome.verdict,
                from: outcome.from,
                moved: outcome.moved as u16,
                active: outcome.active.is_some(),
            };
            self.report.decided(decision, || {
                let seen = figures.expect("figures were made");
                Evidence::Balance(Box::new(crate::report::BalanceEvidence {
                    pass,
                    outcome,
                    seen,
                    moves: scratch.moves.clone(),
                }))
            });
        }
        if let Some((llc, scan)) = outcome.nr_idle_scan {
            self.state.llcs[llc.0 as usize].nr_idle_scan = scan;
        }
        self.state.overload = outcome.overload.unwrap_or(self.state.overload);
        match outcome.imbalanced {
            Some((group, true)) => drop(self.state.imbalanced.insert(group)),
            Some((group, false)) => drop(self.state.imbalanced.remove(&group)),
            None => {}
        }
        // The tasks of one pull leave together and arrive in reverse order (R5.7.18).
        for pull in scratch.moves.chunk_by(|a, b| a.pull == b.pull) {
            for one in pull {
                self.detach(one.task, one.from);
            }
            for one in pull.iter().rev() {
                self.attach(one.task, one.to, Migration::Balance(kind));
                self.preempt_test(one.to, one.task, Wake::Wakeup, Some(pass.cpu));
            }
        }
        for &task in &scratch.rotated {
            let cpu = self.state.tasks[task.index()].cpu;
            let rq = &mut self.state.cpus[cpu.index()].rq;
            rq.list_to_head(&mut self.state.entities, task);
        }
        if let Some(active) = outcome.active {
            self.active_balance(active, own, &mut scratch, kind);
        }
        self.scratch.balance = scratch;
        outcome
    }

    /// The stopper of the busiest CPU moves one of its tasks, the running one if it comes to that
    /// (R5.7.14, R5.7.19).
    fn active_balance(
        &mut self,
        active: ActiveBalance,
        own: &mut CpuBalance,
        scratch: &mut crate::balance::Scratch,
        kind: BalanceKind,
    ) {
        let view = Machine { stopped: Some(active.from), ..self.machine() };
        let found = active_balance_task(&self.world.domains, &view, active, scratch);
        if let Some((task, level)) = found {
            self.migrate(task, active.to, Migration::Balance(kind));
            own.domains[level].nr_balance_failed = 0;
        }
    }
}
