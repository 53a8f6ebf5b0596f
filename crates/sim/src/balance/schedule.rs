//! When passes are due: at ticks (R5.7.1 … R5.7.3), on the way to idle (R5.8.1 … R5.8.5), and on
//! behalf of idle CPUs (R5.8.10, R5.8.11).
//!
//! [`Periodic`] and [`NewIdle`] walk up the domains; between two steps the caller runs the pass and
//! moves its tasks. A pass takes no time, so the lock of SERIALIZE levels is never found taken
//! (R5.7.21, R5.7.22).

use super::{IdleType, Outcome};
use crate::domains::{DomainFlags, DomainId, Domains};
use crate::kernel::PlaceGeneration;
use crate::units::CpuId;

/// The longest interval of a domain whose tasks are all pinned, ms.
const MAX_PINNED_INTERVAL: u32 = 512;

/// What a CPU remembers of one of its domains. Every CPU has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DomainState {
    /// When it last balanced, jiffies.
    pub last_balance: u64,
    /// `balance_interval`, ms.
    pub interval: u32,
    /// How many passes in a row found something to pull and moved nothing.
    pub nr_balance_failed: u32,
    /// `max_newidle_lb_cost`: how long a newidle pass takes at most, ns.
    pub newidle_cost: u64,
    /// When that was last set or decayed, jiffies.
    pub cost_decay: u64,
}

/// What a CPU remembers of balancing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CpuBalance {
    /// No tick balances before this jiffy.
    pub next_balance: u64,
    /// `max_idle_balance_cost`, ns.
    pub max_idle_balance_cost: u64,
    /// Its domains, from the smallest up.
    pub domains: Vec<DomainState>,
}

impl CpuBalance {
    /// As at boot (R0.9.3), at that jiffy.
    #[must_use]
    pub fn new(domains: &Domains, cpu: CpuId, jiffies: u64) -> CpuBalance {
        let state = |id: &DomainId| DomainState {
            last_balance: jiffies,
            interval: domains.domain(*id).min_interval,
            nr_balance_failed: 0,
            newidle_cost: 0,
            cost_decay: jiffies,
        };
        CpuBalance {
            next_balance: jiffies,
            max_idle_balance_cost: super::MIGRATION_COST,
            domains: domains.chain(cpu).iter().map(state).collect(),
        }
    }
}

/// The kernel's clock and how many CPUs it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticks {
    /// The tick counter.
    pub jiffies: u64,
    /// Ticks per second.
    pub hz: u64,
}

impl DomainState {
    /// A pass ended as balanced (R5.7.13): what it does to the counter and the interval.
    pub(super) fn balanced(
        &mut self,
        domains: &Domains,
        id: DomainId,
        idle: IdleType,
        all_pinned: bool,
    ) {
        self.nr_balance_failed = 0;
        self.tune_interval(domains, id, idle, all_pinned);
    }

    /// Doubles the interval up to its limit; newidle passes never do.
    pub(super) fn tune_interval(
        &mut self,
        domains: &Domains,
        id: DomainId,
        idle: IdleType,
        all_pinned: bool,
    ) {
        if idle == IdleType::NewlyIdle {
            return;
        }
        if (all_pinned && self.interval < MAX_PINNED_INTERVAL)
            || self.interval < domains.domain(id).max_interval
        {
            self.interval *= 2;
        }
    }

    /// The time between two passes, jiffies (R5.7.2).
    #[must_use]
    pub fn interval_jiffies(&self, domains: &Domains, id: DomainId, busy: bool, hz: u64) -> u64 {
        let factor = if busy { domains.domain(id).busy_factor } else { 1 };
        let ms = u64::from(self.interval) * u64::from(factor);
        let jiffies = (ms * hz).div_ceil(1000) - u64::from(busy);
        let most = (hz * domains.cpus() as u64 / 10).max(1);
        jiffies.clamp(1, most)
    }

    /// A newidle pass took so long; or, with 0, the cost decays if it is old (R5.8.4). `true` if it
    /// decayed.
    fn update_cost(&mut self, cost: u64, ticks: Ticks) -> bool {
        if cost > self.newidle_cost {
            (self.newidle_cost, self.cost_decay) = (cost, ticks.jiffies);
        } else if ticks.jiffies > self.cost_decay + ticks.hz {
            self.newidle_cost = self.newidle_cost * 253 / 256;
            self.cost_decay = ticks.jiffies;
            return true;
        }
        false
    }
}

/// `rebalance_domains()`: the passes of a tick, from the smallest domain up.
///
/// ```text
/// let mut walk = Periodic::new(cpu, ticks, idle);
/// while let Some(pass) = walk.next(domains, &mut state) {
///     let outcome = load_balance(domains, &view, pass, &mut state.domains[pass.level], …);
///     // perform the moves
///     walk.done(domains, &mut state, &outcome, is_idle_now);
/// }
/// walk.finish(&mut state);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Periodic {
    cpu: CpuId,
    ticks: Ticks,
    idle: bool,
    level: usize,
    goes_on: bool,
    decayed: bool,
    counted: bool,
    costs: u64,
    next_balance: u64,
    changed: bool,
}

impl Periodic {
    /// The passes of this CPU, or on behalf of it, if [`Periodic::is_due`].
    #[must_use]
    pub fn new(cpu: CpuId, ticks: Ticks, idle: bool) -> Periodic {
        Periodic {
            cpu,
            ticks,
            idle,
            level: 0,
            goes_on: true,
            decayed: false,
            counted: false,
            costs: 0,
            next_balance: ticks.jiffies + 60 * ticks.hz,
            changed: false,
        }
    }

    /// Whether a tick balances at all (R5.7.1).
    #[must_use]
    pub fn is_due(state: &CpuBalance, ticks: Ticks) -> bool {
        ticks.jiffies >= state.next_balance
    }

    /// The next pass that is due.
    pub fn next(&mut self, domains: &Domains, state: &mut CpuBalance) -> Option<super::Pass> {
        let chain = domains.chain(self.cpu);
        while self.level < chain.len() {
            let (id, own) = (chain[self.level], &mut state.domains[self.level]);
            if !self.counted {
                self.counted = true;
                let decayed = own.update_cost(0, self.ticks);
                self.decayed |= decayed;
                self.costs += own.newidle_cost;
                if !self.goes_on {
                    if decayed {
                        (self.level, self.counted) = (self.level + 1, false);
                        continue;
                    }
                    return None;
                }
            }
            let interval = own.interval_jiffies(domains, id, !self.idle, self.ticks.hz);
            if self.ticks.jiffies >= own.last_balance + interval {
                let idle = if self.idle { IdleType::Idle } else { IdleType::NotIdle };
                return Some(super::Pass { cpu: self.cpu, level: self.level, idle });
            }
            self.fold(own.last_balance + interval);
            (self.level, self.counted) = (self.level + 1, false);
        }
        None
    }

    /// The pass was run and its moves made; `idle` is whether the CPU is idle now.
    pub fn done(
        &mut self,
        domains: &Domains,
        state: &mut CpuBalance,
        outcome: &Outcome,
        idle: bool,
    ) {
        let (id, own) = (domains.chain(self.cpu)[self.level], &mut state.domains[self.level]);
        if outcome.moved > 0 {
            self.idle = idle;
        }
        self.goes_on &= outcome.goes_on();
        own.last_balance = self.ticks.jiffies;
        let interval = own.interval_jiffies(domains, id, !self.idle, self.ticks.hz);
        self.fold(own.last_balance + interval);
        (self.level, self.counted) = (self.level + 1, false);
    }

    /// After the last pass.
    pub fn finish(self, state: &mut CpuBalance) {
        if self.decayed {
            state.max_idle_balance_cost = self.costs.max(super::MIGRATION_COST);
        }
        if self.changed {
            state.next_balance = self.next_balance;
        }
    }

    fn fold(&mut self, due: u64) {
        if due < self.next_balance {
            (self.next_balance, self.changed) = (due, true);
        }
    }
}

/// `newidle_balance()`: the passes of a CPU that has nothing to run, from the smallest domain up.
/// Used as [`Periodic`] is.
#[derive(Clone, Copy, Debug)]
pub struct NewIdle {
    cpu: CpuId,
    ticks: Ticks,
    avg_idle: u64,
    level: usize,
    spent: u64,
    next_balance: u64,
    /// Why there is no pass at all.
    pub skipped: Option<WhyNoNewIdle>,
}

/// Why a CPU goes idle without looking for work (R5.8.1, R5.8.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WhyNoNewIdle {
    /// A wakeup is on its way to it.
    WakePending,
    /// No CPU has more than one task.
    NoOverload,
    /// It is not expected to be idle for long enough.
    ShortIdle,
}

impl NewIdle {
    /// The passes of this CPU. `avg_idle` is its own, ns; `overload` the flag of the root domain.
    #[must_use]
    pub fn new(
        domains: &Domains,
        cpu: CpuId,
        ticks: Ticks,
        state: &CpuBalance,
        avg_idle: u64,
        overload: bool,
        wake_pending: bool,
    ) -> NewIdle {
        let generation = domains.generation();
        // Up to 4.19 whatever the smallest domain costs, the migration cost must be saved.
        let least = match generation <= PlaceGeneration::V4_19 {
            true => super::MIGRATION_COST,
            false => state.domains.first().map_or(0, |lowest| lowest.newidle_cost),
        };
        let skipped = if wake_pending {
            Some(WhyNoNewIdle::WakePending)
        } else if !overload && generation != PlaceGeneration::V2_6_36 {
            Some(WhyNoNewIdle::NoOverload)
        } else if avg_idle < least {
            Some(WhyNoNewIdle::ShortIdle)
        } else {
            None
        };
        let next_balance = ticks.jiffies + ticks.hz;
        NewIdle { cpu, ticks, avg_idle, level: 0, spent: 0, next_balance, skipped }
    }

    /// The next pass.
    pub fn next(&mut self, domains: &Domains, state: &mut CpuBalance) -> Option<super::Pass> {
        let chain = domains.chain(self.cpu);
        if self.skipped == Some(WhyNoNewIdle::WakePending) {
            return None;
        }
        while self.level < chain.len() {
            let (id, own) = (chain[self.level], &state.domains[self.level]);
            let due = own.last_balance + own.interval_jiffies(domains, id, false, self.ticks.hz);
            self.next_balance = self.next_balance.min(due);
            // 2.6.36 does not ask what a pass costs (R5.8.7).
            let costs = domains.generation() > PlaceGeneration::V2_6_36;
            let dear = costs && self.avg_idle < self.spent + own.newidle_cost;
            if self.skipped.is_some() || dear {
                return None;
            }
            if domains.domain(id).flags.has(DomainFlags::BALANCE_NEWIDLE) {
                let idle = IdleType::NewlyIdle;
                return Some(super::Pass { cpu: self.cpu, level: self.level, idle });
            }
            self.level += 1;
        }
        None
    }

    /// The pass took `cost` ns ([`newidle_cost`]); `has_work` is whether the CPU has anything to
    /// run now, pulled or woken: then there is no further pass.
    pub fn done(&mut self, state: &mut CpuBalance, cost: u64, has_work: bool) {
        state.domains[self.level].update_cost(cost, self.ticks);
        self.spent += cost;
        self.level = if has_work { usize::MAX } else { self.level + 1 };
    }

    /// After the last pass (R5.8.4, R5.8.8).
    pub fn finish(self, state: &mut CpuBalance) {
        if self.skipped == Some(WhyNoNewIdle::WakePending) {
            return;
        }
        state.max_idle_balance_cost = state.max_idle_balance_cost.max(self.spent);
        state.next_balance = state.next_balance.min(self.next_balance);
    }

    /// How long all passes took, ns.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.spent
    }
}

/// How long a newidle pass takes, ns (R5.8.16, model): 1 µs, 60 ns a CPU, 2 µs for a pull.
#[must_use]
pub fn newidle_cost(domain_weight: u32, pulled: bool) -> u64 {
    1_000 + 60 * u64::from(domain_weight) + if pulled { 2_000 } else { 0 }
}

/// Whether the tick of a busy CPU wakes an idle one to balance for all idle CPUs (R5.8.10): it has
/// two tasks, or its LLC has another busy CPU.
#[must_use]
pub fn kicks_idle_balancer(
    domains: &Domains,
    cpu: CpuId,
    nr_running: u32,
    idle: impl Fn(CpuId) -> bool,
) -> bool {
    let busy = |span: &crate::cpu_set::CpuSet| span.iter().filter(|cpu| !idle(*cpu)).count();
    nr_running >= 2 || domains.llc_span(cpu).is_some_and(|span| busy(span) > 1)
}

/// For whom an idle balancer balances, in order: from itself on, wrapping, itself last (R5.8.11).
/// Those that are not idle are to be left out.
pub fn on_behalf_of(domains: &Domains, balancer: CpuId) -> impl Iterator<Item = CpuId> + use<> {
    let cpus = domains.cpus() as u16;
    (1..=cpus).map(move |offset| CpuId((balancer.0 + offset) % cpus))
}
