//! The averages of a group of tasks on a CPU: of its queue, which its tasks are part of, and of its
//! entity, which is part of the root queue.
//!
//! Time passes for each by what it is fed (table after R7.1.6). What a task brings along or takes
//! away is carried up to the root: utilisation and runnable time as they are, load as what the
//! group's entity weighs for the time that its tasks make it runnable.

use super::{Avg, Feed, MIN_DIVIDER, QueueAvg, Removed};

/// The averages of a group on one CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GroupAvg {
    /// Of the group's queue; nothing is estimated here.
    pub queue: QueueAvg,
    /// Of the group's entity.
    pub entity: Avg,
    /// The weight with which the entity is part of the root queue's averages.
    weight: u64,
}

/// What a group's queue on a CPU has been since it was last brought up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupFeed {
    /// The total weight of its tasks (1024 at nice 0).
    pub weight: u64,
    /// How many tasks it has.
    pub tasks: u64,
    /// Whether the group's entity is queued.
    pub queued: bool,
    /// Whether one of its tasks runs.
    pub running: bool,
}

/// A change of the tasks that a group's queue consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// A task came: with this sum of time runnable.
    Came(u64),
    /// A task left.
    Left,
}

impl GroupAvg {
    /// Brings queue and entity up to date; `true` if tasks that left before are subtracted now,
    /// which [`GroupAvg::carry`] must tell the root queue once that is up to date too.
    pub fn update(&mut self, now: u64, feed: GroupFeed) -> bool {
        let left = self.queue.removed != Removed::default();
        let GroupFeed { weight, tasks, queued, running } = feed;
        self.queue.update(now, weight, tasks, running);
        self.entity.update(
            now,
            Feed { load: queued.into(), runnable: tasks, running },
            self.weight,
        );
        left
    }

    /// The entity weighs this now.
    pub fn reweight(&mut self, root: &mut QueueAvg, weight: u64) {
        if weight != self.weight {
            self.set_load(root, self.entity.load_sum, weight);
        }
    }

    /// Carries a change of the group's queue up to its entity and the root queue, all up to date.
    /// `weight` is the total of the group's queue.
    pub fn carry(&mut self, root: &mut QueueAvg, moved: Moved, weight: u64) {
        let divider = self.entity.divider();
        let (own, inner) = (&mut self.entity, &self.queue.avg);
        for (avg, sum, inner, root_avg, root_sum) in [
            (
                &mut own.util_avg,
                &mut own.util_sum,
                inner.util_avg,
                &mut root.avg.util_avg,
                &mut root.avg.util_sum,
            ),
            (
                &mut own.runnable_avg,
                &mut own.runnable_sum,
                inner.runnable_avg,
                &mut root.avg.runnable_avg,
                &mut root.avg.runnable_sum,
            ),
        ] {
            let new = inner * divider;
            *root_avg = (*root_avg + inner).saturating_sub(*avg);
            *root_sum = (*root_sum + new).saturating_sub(*sum).max(*root_avg * MIN_DIVIDER);
            (*avg, *sum) = (inner, new);
        }
        // For how long the entity counts as runnable: longer by what the task was, at most always;
        // or as long as those that remain were, as if all of them were at once. Never less than it
        // ran.
        let runnable = match moved {
            Moved::Came(sum) => (own.load_sum + sum).min(divider),
            Moved::Left => own.load_sum.min(inner.load_sum.checked_div(weight).unwrap_or(0)),
        };
        let runnable = runnable.max(own.util_sum >> 10);
        self.set_load(root, runnable, self.weight);
    }

    /// `task_h_load` of a task of the group that has this load_avg (R7.1.15): its part of the
    /// group's, and the group's part of the root queue's.
    #[must_use]
    pub fn h_load(&self, load_avg: u64, root: &QueueAvg) -> u64 {
        let group = self.entity.load_avg * root.avg.load_avg / (root.avg.load_avg + 1);
        load_avg * group / (self.queue.avg.load_avg + 1)
    }

    /// The entity's load changes, and that of the root queue by as much.
    fn set_load(&mut self, root: &mut QueueAvg, sum: u64, weight: u64) {
        let (own, root) = (&mut self.entity, &mut root.avg);
        let old_avg = own.load_avg;
        let old_sum = self.weight * own.load_sum;
        (self.weight, own.load_sum) = (weight, sum);
        own.load_avg = weight * sum / own.divider();
        root.load_avg = (root.load_avg + own.load_avg).saturating_sub(old_avg);
        let root_sum = (root.load_sum + weight * sum).saturating_sub(old_sum);
        root.load_sum = root_sum.max(root.load_avg * MIN_DIVIDER);
    }
}
