//! Per-entity load tracking: what a task and a queue were like lately, as integers that decay by
//! half in 32 ms (spec 7.1), and the estimate of a task's utilisation over its activations (7.2).
//!
//! Plain values and the arithmetic on them. *When* a queue is brought up to date is the caller's
//! business (R7.1.21); nothing decays at read (R7.1.16).

mod group;

pub use group::{GroupAvg, GroupFeed, Moved};

/// Length of a period, in units of 1024 ns (R7.1.1).
const PERIOD: u64 = 1024;
/// LOAD_AVG_PERIOD: after so many periods a sum has halved.
const HALF_LIFE: u64 = 32;
/// LOAD_AVG_MAX: what a sum of ones converges to.
const LOAD_AVG_MAX: u64 = 47_742;
/// PELT_MIN_DIVIDER: the divider at the very start of a period.
const MIN_DIVIDER: u64 = LOAD_AVG_MAX - PERIOD;

/// SCHED_CAPACITY_SCALE: the capacity and the full utilisation of a CPU.
pub const CAPACITY: u64 = 1024;

/// y^n · 2^32 for n = 0 … 31, where y^32 = 1/2 (R7.1.2).
const INVERSE: [u32; HALF_LIFE as usize] = [
    0xffff_ffff,
    0xfa83_b2da,
    0xf525_7d14,
    0xefe4_b99a,
    0xeac0_c6e6,
    0xe5b9_06e6,
    0xe0cc_deeb,
    0xdbfb_b796,
    0xd744_fcc9,
    0xd2a8_1d91,
    0xce24_8c14,
    0xc9b9_bd85,
    0xc567_2a10,
    0xc12c_4cc9,
    0xbd08_a39e,
    0xb8fb_af46,
    0xb504_f333,
    0xb123_f581,
    0xad58_3ee9,
    0xa9a1_5ab4,
    0xa5fe_d6a9,
    0xa270_4302,
    0x9ef5_325f,
    0x9b8d_39b9,
    0x9837_f050,
    0x94f4_efa8,
    0x91c3_d373,
    0x8ea4_398a,
    0x8b95_c1e3,
    0x8898_0e80,
    0x85aa_c367,
    0x82cd_8698,
];

/// `v` after `periods` periods (R7.1.2).
#[must_use]
pub fn decay(mut v: u64, mut periods: u64) -> u64 {
    if periods > HALF_LIFE * 63 {
        return 0;
    }
    v >>= periods / HALF_LIFE;
    periods %= HALF_LIFE;
    ((u128::from(v) * u128::from(INVERSE[periods as usize])) >> 32) as u64
}

/// The sums of a task or a queue and the averages made of them (`struct sched_avg`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Avg {
    /// Up to when it is summed, ns of PELT time.
    pub last_update: u64,
    /// How much of the period that is still open has passed, 0 … 1023 units.
    pub period_contrib: u32,
    /// Of a task: time runnable; of a queue: weight · time.
    pub load_sum: u64,
    /// Time runnable, times how many were, · 1024.
    pub runnable_sum: u64,
    /// Time running · 1024.
    pub util_sum: u64,
    /// Load: the weight of who was runnable.
    pub load_avg: u64,
    /// How many were runnable · 1024.
    pub runnable_avg: u64,
    /// Utilisation, 0 … 1024; for a moment more (R7.1.11).
    pub util_avg: u64,
}

/// What counts while time passes (table after R7.1.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Feed {
    /// Of a task: 1 while queued or running; of a queue: the total weight (1024 at nice 0).
    pub load: u64,
    /// Of a task: 1 while queued or running; of a queue: how many fair tasks it has.
    pub runnable: u64,
    /// Whether it, or one of it, runs.
    pub running: bool,
}

impl Avg {
    /// What the averages are divided by at this point of the period.
    #[must_use]
    pub fn divider(&self) -> u64 {
        MIN_DIVIDER + u64::from(self.period_contrib)
    }

    /// Sums up to `now`; `true` if a period ended (R7.1.3 … R7.1.5).
    fn accumulate(&mut self, now: u64, feed: Feed) -> bool {
        let Some(delta) = now.checked_sub(self.last_update) else {
            self.last_update = now;
            return false;
        };
        let delta = delta >> 10;
        if delta == 0 {
            return false;
        }
        self.last_update += delta << 10;
        let Feed { load, mut runnable, mut running } = feed;
        if load == 0 {
            (runnable, running) = (0, false);
        }

        let open = u64::from(self.period_contrib);
        let (periods, rest) = ((delta + open) / PERIOD, (delta + open) % PERIOD);
        let mut contrib = delta;
        if periods > 0 {
            for sum in [&mut self.load_sum, &mut self.runnable_sum, &mut self.util_sum] {
                *sum = decay(*sum, periods);
            }
            let first = decay(PERIOD - open, periods);
            let whole = LOAD_AVG_MAX - decay(LOAD_AVG_MAX, periods) - PERIOD;
            contrib = first + whole + rest;
        }
        self.period_contrib = rest as u32;
        self.load_sum += load * contrib;
        self.runnable_sum += (runnable * contrib) << 10;
        if running {
            self.util_sum += contrib << 10;
        }
        periods > 0
    }

    /// Brings sums up to date, and the averages if a period ended; `true` if so (R7.1.6).
    pub fn update(&mut self, now: u64, feed: Feed, weight: u64) -> bool {
        let ended = self.accumulate(now, feed);
        if ended {
            let divider = self.divider();
            self.load_avg = weight * self.load_sum / divider;
            self.runnable_avg = self.runnable_sum / divider;
            self.util_avg = self.util_sum / divider;
        }
        ended
    }
}

/// The averages of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TaskAvg {
    /// The averages. `last_update` counts only while [`TaskAvg::attached`].
    pub avg: Avg,
    /// Whether it is part of its queue's averages: from its first enqueue until it migrates. A
    /// sleeper stays (R7.1.8).
    pub attached: bool,
    /// The estimate of its utilisation.
    pub est: UtilEst,
}

/// The averages of a CPU's fair queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct QueueAvg {
    /// The averages, blocked tasks included (R7.1.8).
    pub avg: Avg,
    /// Σ of the estimates of the queued tasks (R7.2.1).
    pub util_est: u64,
    /// Averages of sleepers that left for another CPU: subtracted at the next update (R7.1.18).
    pub removed: Removed,
}

/// Averages that left a queue but are not yet subtracted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Removed {
    /// Load.
    pub load: u64,
    /// Runnable.
    pub runnable: u64,
    /// Utilisation.
    pub util: u64,
}

/// How a kernel scales the weight by which a new task's utilisation is guessed (R7.1.13).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InitWeight {
    /// 1024 at nice 0: from 6.11 on.
    Small,
    /// 2^20 at nice 0, so that the guess is always the cap: 4.7 … 6.8.
    Large,
}

impl TaskAvg {
    /// A new task: as if it had always been runnable (R7.1.13). `weight` is 1024 at nice 0.
    #[must_use]
    pub fn new(weight: u64) -> TaskAvg {
        TaskAvg { avg: Avg { load_avg: weight, ..Avg::default() }, ..TaskAvg::default() }
    }

    /// The guess at a new task's utilisation, before its first enqueue on this queue
    /// (`post_init_entity_util_avg`, R7.1.13): half of what the CPU has left, or its share of what
    /// the queue uses. `capacity` is the CPU's.
    pub fn init(&mut self, queue: &QueueAvg, weight: u64, scale: InitWeight, capacity: u64) {
        let cap = (capacity as i64 - queue.avg.util_avg as i64) / 2;
        if cap > 0 {
            let cap = cap as u64;
            let weight = match scale {
                InitWeight::Small => weight,
                InitWeight::Large => weight << 10,
            };
            self.avg.util_avg = match queue.avg.util_avg {
                0 => cap,
                util => (util * weight / (queue.avg.load_avg + 1)).min(cap),
            };
        }
        self.avg.runnable_avg = self.avg.util_avg;
    }

    /// Brings a task up to date: `queued` while on a queue or running, `running` while it runs.
    /// Nothing happens to one that is not attached.
    pub fn update(&mut self, now: u64, weight: u64, queued: bool, running: bool) {
        if !self.attached {
            return;
        }
        let on = u64::from(queued);
        if self.avg.update(now, Feed { load: on, runnable: on, running }, weight) {
            self.est.unchanged = false;
        }
    }

    /// Makes the task part of a queue that is up to date (R7.1.19). Nothing if it is already.
    pub fn attach(&mut self, queue: &mut QueueAvg, weight: u64) {
        if self.attached {
            return;
        }
        self.attached = true;
        let (own, sum) = (&mut self.avg, &mut queue.avg);
        (own.last_update, own.period_contrib) = (sum.last_update, sum.period_contrib);
        let divider = own.divider();
        own.util_sum = own.util_avg * divider;
        own.runnable_sum = own.runnable_avg * divider;
        let load = own.load_avg * divider;
        own.load_sum = if load > weight { load / weight } else { 1 };

        sum.util_avg += own.util_avg;
        sum.util_sum += own.util_sum;
        sum.runnable_avg += own.runnable_avg;
        sum.runnable_sum += own.runnable_sum;
        sum.load_avg += own.load_avg;
        sum.load_sum += weight * own.load_sum;
    }

    /// Takes the task out of its queue at once: it is moved while queued, or changes its class
    /// (R7.1.20). Both must be up to date. Nothing if it is not attached.
    pub fn detach(&mut self, queue: &mut QueueAvg, weight: u64) {
        if !self.attached {
            return;
        }
        self.attached = false;
        let (own, sum) = (&self.avg, &mut queue.avg);
        sum.load_avg = sum.load_avg.saturating_sub(own.load_avg);
        sum.load_sum = sum.load_sum.saturating_sub(weight * own.load_sum);
        sum.util_avg = sum.util_avg.saturating_sub(own.util_avg);
        sum.util_sum = sum.util_sum.saturating_sub(own.util_sum).max(sum.util_avg * MIN_DIVIDER);
        sum.runnable_avg = sum.runnable_avg.saturating_sub(own.runnable_avg);
        let runnable = sum.runnable_sum.saturating_sub(own.runnable_sum);
        sum.runnable_sum = runnable.max(sum.runnable_avg * MIN_DIVIDER);
    }

    /// A sleeper woken elsewhere leaves its old queue (R7.1.18): it is decayed to when that queue
    /// was last updated, and the queue forgets it at its next update. `present` is the PELT time of
    /// the old CPU if that is idle now (5.19 on): the task, not the queue, is decayed up to it.
    /// Nothing if it is not attached.
    pub fn remove(&mut self, queue: &mut QueueAvg, weight: u64, present: Option<u64>) {
        if !self.attached {
            return;
        }
        self.update(queue.avg.last_update, weight, false, false);
        queue.removed.load += self.avg.load_avg;
        queue.removed.runnable += self.avg.runnable_avg;
        queue.removed.util += self.avg.util_avg;
        if let Some(present) = present {
            self.update(present, weight, false, false);
        }
        self.attached = false;
    }

    /// A new weight (`reweight_entity`). Both must be up to date; `queue` is where it is attached.
    pub fn reweight(&mut self, queue: &mut QueueAvg, old: u64, new: u64) {
        let (own, sum) = (&mut self.avg, &mut queue.avg);
        if self.attached {
            sum.load_avg = sum.load_avg.saturating_sub(own.load_avg);
            sum.load_sum = sum.load_sum.saturating_sub(old * own.load_sum);
        }
        own.load_avg = new * own.load_sum / own.divider();
        if self.attached {
            sum.load_avg += own.load_avg;
            sum.load_sum += new * own.load_sum;
        }
    }

    /// `task_h_load` (R7.1.15): the load as a share of its queue's. With group scheduling even a
    /// task of the root group loses a little by rounding.
    #[must_use]
    pub fn h_load(&self, queue: &QueueAvg, group_sched: bool) -> u64 {
        let load = self.avg.load_avg;
        if group_sched { load * queue.avg.load_avg / (queue.avg.load_avg + 1) } else { load }
    }

    /// `task_util_est` (R7.2.4): the larger of utilisation and its estimate.
    #[must_use]
    pub fn util_est(&self) -> u64 {
        self.avg.util_avg.max(self.est.value())
    }
}

impl QueueAvg {
    /// Brings a queue up to date (`update_cfs_rq_load_avg`): first what left is subtracted, then
    /// time passes. `weight` is the queue's total, `tasks` how many fair tasks it has (R7.1.6).
    /// `true` if anything changed that a reader can see.
    pub fn update(&mut self, now: u64, weight: u64, tasks: u64, running: bool) -> bool {
        let removed = core::mem::take(&mut self.removed);
        let mut changed = removed != Removed::default();
        if changed {
            let divider = self.avg.divider();
            let avg = &mut self.avg;
            for (value, sum, gone) in [
                (&mut avg.load_avg, &mut avg.load_sum, removed.load),
                (&mut avg.util_avg, &mut avg.util_sum, removed.util),
                (&mut avg.runnable_avg, &mut avg.runnable_sum, removed.runnable),
            ] {
                *value = value.saturating_sub(gone);
                *sum = sum.saturating_sub(gone * divider).max(*value * MIN_DIVIDER);
            }
        }
        changed |= self.avg.update(now, Feed { load: weight, runnable: tasks, running }, 1);
        changed
    }

    /// A task was queued: its estimate counts (R7.2.1).
    pub fn enqueue_est(&mut self, task: &TaskAvg) {
        self.util_est += task.est.value();
    }

    /// A task left the queue, or is only delayed there (R7.2.1, R0.7.1). Call it before
    /// [`UtilEst::update`].
    pub fn dequeue_est(&mut self, task: &TaskAvg) {
        self.util_est = self.util_est.saturating_sub(task.est.value());
    }

    /// `cpu_util_cfs` (R7.2.4): at most the CPU's capacity.
    #[must_use]
    pub fn util(&self, capacity: u64) -> u64 {
        self.avg.util_avg.max(self.util_est).min(capacity)
    }
}

/// How a kernel estimates utilisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EstRule {
    /// The last value beside the moving average: 5.10 … 6.7 (R7.2.3).
    LastAndAverage,
    /// The moving average alone, which contention does not pull down: 6.8 on (R7.2.5).
    Average,
}

/// `util_est` of a task: what it used in its activations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct UtilEst {
    /// The moving average over activations, 0 … 1024.
    pub ewma: u32,
    /// Its utilisation at the last sleep; 0 where the kernel has only the average.
    pub enqueued: u32,
    /// UTIL_AVG_UNCHANGED: its utilisation was not recomputed since the last sleep.
    pub unchanged: bool,
}

impl UtilEst {
    /// Changes smaller than this, about 1 %, are ignored.
    const MARGIN: i64 = 10;

    /// The estimate, 0 … 1024.
    #[must_use]
    pub fn value(&self) -> u64 {
        u64::from(self.ewma.max(self.enqueued))
    }

    /// The task goes to sleep with this utilisation and runnable average (R7.2.2 … R7.2.5).
    /// `capacity` is its CPU's.
    pub fn update(&mut self, rule: EstRule, util: u64, runnable: u64, capacity: u64) {
        if self.unchanged {
            return;
        }
        let before = *self;
        let diff = util as i64 - i64::from(self.ewma);
        if rule == EstRule::LastAndAverage {
            self.enqueued = util as u32;
        }
        if diff >= 0 && (diff > 0 || rule == EstRule::Average) {
            self.ewma = util as u32;
        } else if -diff < UtilEst::MARGIN {
            let moved = i64::from(before.enqueued) - util as i64;
            if rule == EstRule::LastAndAverage && moved.abs() < UtilEst::MARGIN {
                *self = before;
                return;
            }
        } else if util > capacity {
            *self = before;
            return;
        } else if rule == EstRule::LastAndAverage
            || util as i64 + UtilEst::MARGIN >= runnable as i64
        {
            self.ewma = ((4 * i64::from(self.ewma) + diff) >> 2) as u32;
        }
        self.unchanged = true;
    }
}

/// The clock that PELT runs on (R7.1.12): slower while the CPU is slower, so that the same work
/// counts the same; it catches up in idle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PeltClock {
    task: u64,
    pelt: u64,
    lost_idle: u64,
}

impl PeltClock {
    /// The CPU's clock shows `now`, ns; since the last call it ran its idle task or not. `speed` is
    /// its frequency, of 1024 at most; `capacity` what it can do at full speed.
    pub fn advance(&mut self, now: u64, idle: bool, speed: u64, capacity: u64) {
        let delta = now.saturating_sub(self.task);
        self.task = now;
        if idle {
            self.pelt = now;
        } else {
            self.pelt += (((delta * capacity) >> 10) * speed) >> 10;
        }
    }

    /// The CPU goes idle with this utilisation sum, up to date: of a saturated CPU the time it is
    /// behind is lost, as it had no idle time to catch up in.
    pub fn enter_idle(&mut self, util_sum: u64) {
        if util_sum >= (MIN_DIVIDER << 10) - LOAD_AVG_MAX {
            self.lost_idle += self.task - self.pelt;
        }
        self.pelt = self.task;
    }

    /// The time for [`TaskAvg::update`] and [`QueueAvg::update`], ns.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.pelt - self.lost_idle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// R7.1.14: queues of one and of two always-running nice-0 tasks.
    #[test]
    fn queue_load_converges() {
        for (tasks, near) in [(1, 1023..=1024), (2, 2047..=2049)] {
            let mut queue = QueueAvg::default();
            (1..=2000).for_each(|ms| {
                queue.update(ms * MS, 1024 * tasks, tasks, true);
            });
            assert!(near.contains(&queue.avg.load_avg), "{tasks}: {}", queue.avg.load_avg);
            assert!(queue.util(CAPACITY) >= 1023);
        }
    }

    /// The worked example of R7.1.13.
    #[test]
    fn new_task() {
        let mut queue = QueueAvg::default();
        let guess = |queue: &QueueAvg, scale| {
            let mut task = TaskAvg::new(1024);
            task.init(queue, 1024, scale, CAPACITY);
            task.avg.util_avg
        };
        assert_eq!(guess(&queue, InitWeight::Small), 512);
        assert_eq!(guess(&queue, InitWeight::Large), 512);
        (queue.avg.util_avg, queue.avg.load_avg) = (300, 1024);
        assert_eq!(guess(&queue, InitWeight::Small), 299);
        assert_eq!(guess(&queue, InitWeight::Large), 362);
        queue.avg.util_avg = 1100;
        assert_eq!(guess(&queue, InitWeight::Small), 0);
    }

    /// R7.1.15.
    #[test]
    fn h_load_rounds_down() {
        let task = TaskAvg::new(1024);
        let mut queue = QueueAvg::default();
        queue.avg.load_avg = 1024;
        assert_eq!(task.h_load(&queue, true), 1023);
        assert_eq!(task.h_load(&queue, false), 1024);
    }

    #[test]
    fn attach_and_detach_cancel() {
        let mut queue = QueueAvg::default();
        queue.update(5 * MS + 123_456, 0, 0, false);
        let before = queue;
        let mut task = TaskAvg::new(335);
        task.init(&queue, 335, InitWeight::Small, CAPACITY);
        task.attach(&mut queue, 335);
        assert_eq!((queue.avg.load_avg, queue.avg.util_avg), (335, 512));
        task.attach(&mut queue, 335);
        assert_eq!(queue.avg.load_avg, 335, "attached once");
        task.detach(&mut queue, 335);
        assert_eq!(queue, before);
        assert!(!task.attached);
    }

    #[test]
    fn a_sleeper_leaves_at_the_next_update() {
        let (mut old, mut new) = (QueueAvg::default(), QueueAvg::default());
        let mut task = TaskAvg::new(1024);
        task.attach(&mut old, 1024);
        for ms in 1..=100 {
            task.update(ms * MS, 1024, true, true);
            old.update(ms * MS, 1024, 1, true);
        }
        // Asleep for 32 ms, during which nobody updates the old queue.
        let load = old.avg.load_avg;
        task.remove(&mut old, 1024, Some(132 * MS));
        assert_eq!(old.avg.load_avg, load, "still there");
        assert!(task.avg.load_avg.abs_diff(load / 2) < 20, "{}", task.avg.load_avg);
        old.update(132 * MS, 0, 0, false);
        assert!(old.avg.load_avg < 5, "{}", old.avg.load_avg);
        new.update(132 * MS, 0, 0, false);
        task.attach(&mut new, 1024);
        assert_eq!(new.avg.load_avg, task.avg.load_avg);
    }

    /// The worked example of 7.2, and the rules that hold an estimate.
    #[test]
    fn estimates() {
        let sleep = |mut est: UtilEst, rule, util, runnable| {
            est.unchanged = false;
            est.update(rule, util, runnable, CAPACITY);
            est
        };
        let est = UtilEst { ewma: 400, enqueued: 400, unchanged: false };
        let est = sleep(est, EstRule::LastAndAverage, 200, 200);
        assert_eq!((est.ewma, est.enqueued), (350, 200));
        let est = sleep(est, EstRule::LastAndAverage, 500, 500);
        assert_eq!((est.ewma, est.enqueued), (500, 500));
        let held = sleep(est, EstRule::LastAndAverage, 495, 495);
        assert_eq!((held.ewma, held.enqueued, held.unchanged), (500, 500, false));

        let est = UtilEst { ewma: 400, ..UtilEst::default() };
        assert_eq!(sleep(est, EstRule::Average, 200, 205).ewma, 350);
        assert_eq!(sleep(est, EstRule::Average, 200, 211).ewma, 400, "it was contended");
        assert_eq!(sleep(est, EstRule::Average, 600, 600).ewma, 600);
        let mut same = UtilEst { unchanged: true, ..est };
        same.update(EstRule::Average, 900, 900, CAPACITY);
        assert_eq!(same.ewma, 400);
    }

    #[test]
    fn slow_time_catches_up_in_idle() {
        let mut clock = PeltClock::default();
        clock.advance(10 * MS, false, 512, CAPACITY);
        assert_eq!(clock.now(), 5 * MS);
        clock.enter_idle(0);
        assert_eq!(clock.now(), 10 * MS);
        clock.advance(20 * MS, false, 512, CAPACITY);
        clock.enter_idle(MIN_DIVIDER << 10);
        assert_eq!(clock.now(), 15 * MS, "no idle time to catch up in");
        clock.advance(30 * MS, true, 512, CAPACITY);
        assert_eq!(clock.now(), 25 * MS);
    }
}
