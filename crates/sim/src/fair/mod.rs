//! The fair scheduling class: entities, their queue, and the rules of each kernel generation.
//!
//! What a queue *stores* is the same for all generations ([`Entity`], [`FairQueue`]); what it
//! *does* is in a module each: `cfs` (2.6.36 … 6.1) and `eevdf` (2023 … 6.17). The way in is
//! [`crate::run_queue::RunQueue`].

pub(crate) mod cfs;
pub(crate) mod eevdf;
pub mod evidence;
pub mod reason;
#[cfg(test)]
pub(crate) mod stage;
pub mod tree;
pub mod weight;

use core::ops::{Index, IndexMut};

use crate::kernel::{FairGeneration, Feature, Kernel, LatencyNiceRule};
use crate::setup::GroupSpec;
use crate::units::{LatencyNice, Nice, Span, TaskGroupId, TaskId, Time, Vtime};
use tree::{ByDeadlineWithSlices, ByLatency, Link, Node, Tree};

/// What the rules need to know besides the queue: the kernel and the time.
#[derive(Clone, Copy, Debug)]
pub struct FairCx<'a> {
    /// The kernel's choices.
    pub kernel: &'a Kernel,
    /// The run queue's clock, ns.
    pub now: Time,
}

impl FairCx<'_> {
    /// Whether a scheduler feature is on.
    #[must_use]
    pub fn has(self, feature: Feature) -> bool {
        self.kernel.features.has(feature)
    }
}

/// The least custom slice (R4.C.2).
pub const CUSTOM_SLICE_MIN: Span = Span::us(100);
/// The greatest custom slice (R4.C.2).
pub const CUSTOM_SLICE_MAX: Span = Span::ms(100);

/// A scheduling entity: what the fair class knows of a task.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entity {
    /// Virtual run time. While off a queue: a dead value in EEVDF (R4.D.1).
    pub vruntime: Vtime,
    /// Virtual deadline; while [`Entity::rel_deadline`], relative to vruntime.
    pub deadline: Vtime,
    /// Off the queue: the virtual lag kept from the last departure, ns. Running: a copy of the
    /// deadline made when it was picked, which protects it under RUN_TO_PARITY (R4.B.11).
    pub vlag: i64,
    /// The request: how much CPU time it asks for at a time.
    pub slice: Span,
    /// When it was last charged (or last picked).
    pub exec_start: Time,
    /// CPU time charged so far.
    pub sum_exec: Span,
    /// `sum_exec` when it was last picked.
    pub prev_sum_exec: Span,
    /// CFS latency-nice: by how much its vruntime counts as earlier (negative) or later where it is
    /// compared, ns (R3.2.4). Set with its latency-nice, and not rescaled later.
    pub latency_offset: i64,
    /// START_NICE: up to this [`Entity::sum_exec`] its time counts double (R2.13.2).
    pub penalty_end: Span,
    /// 6.17: the point of virtual time up to which it is protected (R4.C.20). Of meaning only for
    /// the running entity.
    pub vprot: Vtime,
    /// The group that a task is in, or whose entity this is; `None` is the root group.
    pub group: Option<TaskGroupId>,
    pub(crate) node: Node,
    /// Its place in the tree of latency-nice, if [`Entity::in_latency_tree`].
    pub(crate) latency_node: Node,
    /// Neighbours in the queue's task list: towards the head, towards the tail.
    pub(crate) list: [Link; 2],
    weight: u32,
    inverse: u32,
    nice: Nice,
    /// Latency-nice; of effect only where the kernel has it.
    pub latency_nice: LatencyNice,
    /// Whether it is queued; the running task is.
    pub on_rq: bool,
    /// Whether it sleeps but is still queued, to work off its negative lag (R4.C.5).
    pub delayed: bool,
    /// Whether [`Entity::slice`] was set by its user (R4.C.2).
    pub custom_slice: bool,
    /// Whether [`Entity::deadline`] is relative (R4.C.4).
    pub rel_deadline: bool,
    /// CFS: whether [`Entity::vruntime`] is relative to a queue's `min_vruntime`, on the way from
    /// one queue to another (R2.7).
    pub rel_vruntime: bool,
    /// CFS latency-nice: whether it is in the queue's second tree (R3.2.9).
    pub in_latency_tree: bool,
}

impl Entity {
    /// A new task that is on no queue.
    #[must_use]
    pub fn new(nice: Nice) -> Entity {
        Entity {
            vruntime: Vtime(0),
            deadline: Vtime(0),
            vlag: 0,
            slice: Span(0),
            exec_start: Time(0),
            sum_exec: Span(0),
            prev_sum_exec: Span(0),
            latency_offset: 0,
            penalty_end: Span(0),
            vprot: Vtime(0),
            group: None,
            node: Node::default(),
            latency_node: Node::default(),
            list: [Link::NONE; 2],
            weight: weight::weight(nice),
            inverse: weight::inverse(nice),
            nice,
            latency_nice: LatencyNice::default(),
            on_rq: false,
            delayed: false,
            custom_slice: false,
            rel_deadline: false,
            rel_vruntime: false,
            in_latency_tree: false,
        }
    }

    /// The same with a custom slice, limited as the kernel limits it; 0 for none (R4.C.2).
    #[must_use]
    pub fn with_slice(mut self, raw: Span) -> Entity {
        if raw != Span(0) {
            self.custom_slice = true;
            self.slice = raw.clamp(CUSTOM_SLICE_MIN, CUSTOM_SLICE_MAX);
        }
        self
    }

    /// The nice value.
    #[must_use]
    pub fn nice(&self) -> Nice {
        self.nice
    }

    /// The load weight, 1024 at nice 0.
    #[must_use]
    pub fn weight(&self) -> u32 {
        self.weight
    }

    /// 2^32 / weight, as the kernel's table has it.
    #[must_use]
    pub fn inverse(&self) -> u32 {
        self.inverse
    }

    /// Sets a weight and nothing else.
    pub(crate) fn set_weight(&mut self, weight: NewWeight) {
        match weight {
            NewWeight::Nice(nice) => self.set_load(nice),
            NewWeight::Shares(weight) => {
                self.weight = weight;
                self.inverse = match weight {
                    weight::NICE_0 => weight::inverse(Nice::default()),
                    _ => weight::inverse_of(u64::from(weight)),
                };
            }
        }
    }

    /// Sets the weight of a nice value and nothing else. For an entity that may be queued, use
    /// [`crate::run_queue::RunQueue::set_user_nice`].
    pub fn set_load(&mut self, nice: Nice) {
        self.nice = nice;
        self.weight = weight::weight(nice);
        self.inverse = weight::inverse(nice);
    }

    /// CPU time as this entity's virtual time (R1.3.3), ns.
    #[must_use]
    pub fn virtual_time(&self, span: Span) -> i64 {
        weight::calc_delta_fair(span.0, self.weight, self.inverse) as i64
    }

    /// By how much its vruntime may differ from V when it leaves: two requests or a tick (R4.B.9),
    /// ns of virtual time.
    #[must_use]
    pub fn lag_limit(&self, cx: FairCx) -> i64 {
        self.virtual_time(Span((2 * self.slice.0).max(cx.kernel.tick().0)))
    }

    /// Whether the marker that RUN_TO_PARITY looks for is in place (R4.B.11). Of meaning only for
    /// the running entity.
    #[must_use]
    pub fn protected(&self) -> bool {
        self.vlag == self.deadline.signed()
    }

    /// The request of an entity without a custom slice: the base slice, or what latency-nice makes
    /// of it (R4.A.1).
    #[must_use]
    pub fn default_slice(&self, kernel: &Kernel) -> Span {
        match kernel.latency_nice {
            LatencyNiceRule::Absent | LatencyNiceRule::Offset => kernel.base_slice,
            LatencyNiceRule::RequestSize => {
                weight::latency_nice_slice(kernel.base_slice, self.latency_nice)
            }
        }
    }
}

/// A weight to give to an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewWeight {
    /// That of a nice value, with the table's inverse.
    Nice(Nice),
    /// That of a group's entity; it belongs to no nice value (R1.3.1).
    Shares(u32),
}

/// The arena of scheduling entities, indexed by [`TaskId`]. One for all CPUs: an entity moves
/// between queues by its id.
///
/// The entities of groups, one for each group and CPU, are in the same arena, as they wait in the
/// same trees. They come before the tasks; their ids are those "below" task 0
/// ([`TaskId::is_group`]), so that ids of tasks are their numbers, with groups or without.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Entities {
    slots: Vec<Entity>,
    /// The slot of task 0.
    first: u32,
    /// The groups.
    pub groups: Vec<Group>,
}

/// A group of tasks, as all CPUs see it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    /// `cpu.shares`: what it weighs if all its load is on one CPU; 1024 weighs as much as a nice-0
    /// task.
    pub shares: u32,
    /// `cpu.latency.nice`, where the kernel has it (R3.2.12).
    pub latency_nice: LatencyNice,
    /// Σ of what the CPUs contribute: the averages of its queues' loads.
    pub(crate) load: u64,
}

impl Group {
    /// A group without tasks.
    #[must_use]
    pub fn new(spec: &GroupSpec) -> Group {
        Group { shares: spec.shares, latency_nice: spec.latency_nice, load: 0 }
    }

    /// Σ over the CPUs of the load that it had there lately (spec 1.5).
    #[must_use]
    pub fn load(&self) -> u64 {
        self.load
    }
}

impl Entities {
    /// An empty arena.
    #[must_use]
    pub fn new() -> Entities {
        Entities::default()
    }

    /// An arena with the entities of these groups on `cpus` CPUs, and no task.
    #[must_use]
    pub fn with_groups(groups: &[GroupSpec], cpus: usize, kernel: &Kernel) -> Entities {
        if groups.is_empty() {
            return Entities::new();
        }
        let mut slots = Vec::new();
        for _ in 0..cpus {
            for (group, given) in groups.iter().enumerate() {
                let mut entity = Entity::new(Nice::default());
                entity.group = Some(TaskGroupId(group as u16));
                entity.latency_nice = given.latency_nice;
                if kernel.fair == FairGeneration::Cfs6_1LatencyNice {
                    cfs::latency::set_offset(&mut entity, FairCx { kernel, now: Time(0) });
                }
                slots.push(entity);
            }
        }
        // The slot that u32::MAX would name is left out: trees use it for "none".
        slots.push(Entity::new(Nice::default()));
        Entities {
            first: slots.len() as u32,
            slots,
            groups: groups.iter().map(Group::new).collect(),
        }
    }

    /// Sets the latency-nice of a group's entity, which is in no second tree (R3.2.12).
    pub(crate) fn set_group_latency_nice(
        &mut self,
        entity: TaskId,
        cx: FairCx,
        latency_nice: LatencyNice,
    ) {
        self[entity].latency_nice = latency_nice;
        if cx.kernel.fair == FairGeneration::Cfs6_1LatencyNice {
            cfs::latency::set_offset(&mut self[entity], cx);
        }
    }

    /// Adds the entity of a task; ids ascend from 0.
    pub fn push(&mut self, entity: Entity) -> TaskId {
        let task = TaskId(self.len() as u32);
        self.slots.push(entity);
        task
    }

    /// How many tasks there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len() - self.first as usize
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entities of all tasks in ascending order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (TaskId, &Entity)> {
        let tasks = self.slots[self.first as usize..].iter().enumerate();
        tasks.map(|(i, entity)| (TaskId(i as u32), entity))
    }

    fn slot(&self, task: TaskId) -> usize {
        task.0.wrapping_add(self.first) as usize
    }
}

impl Index<TaskId> for Entities {
    type Output = Entity;
    fn index(&self, task: TaskId) -> &Entity {
        &self.slots[self.slot(task)]
    }
}

impl IndexMut<TaskId> for Entities {
    fn index_mut(&mut self, task: TaskId) -> &mut Entity {
        let slot = self.slot(task);
        &mut self.slots[slot]
    }
}

/// One CPU's fair queue (`cfs_rq`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FairQueue {
    /// The reference point of virtual time; never moves backwards (R4.B.4).
    pub min_vruntime: Vtime,
    /// Σ (vruntime − min_vruntime) · weight over the tree.
    pub sum: i64,
    /// Σ weight over the tree: without the running entity.
    pub avg_load: u64,
    /// Σ weight over all queued entities, the running one included.
    pub load: u64,
    /// The queued entities except the running one.
    pub tree: Tree,
    /// CFS latency-nice: the second tree, of waiting entities that ask to be served soon (R3.2.9).
    pub latency_tree: Tree,
    /// The running entity as the queue sees it; just after a block, the one that blocked.
    pub curr: Option<TaskId>,
    /// Buddy to pick next if that is fair enough.
    pub next: Option<TaskId>,
    /// CFS: the task that was last preempted by a wakeup, to pick again if that is fair enough.
    pub last: Option<TaskId>,
    /// CFS of 6.1: the task that last yielded, not to pick if another is near enough.
    pub skip: Option<TaskId>,
    /// How many entities are queued, running and delayed ones included.
    pub nr_running: u32,
    /// CFS, where there are groups: what slices depend on beyond this queue.
    pub(crate) hierarchy: Option<Hierarchy>,
}

impl Default for FairQueue {
    fn default() -> FairQueue {
        FairQueue {
            min_vruntime: Vtime::START,
            sum: 0,
            avg_load: 0,
            load: 0,
            tree: Tree::default(),
            latency_tree: Tree::default(),
            curr: None,
            next: None,
            last: None,
            skip: None,
            nr_running: 0,
            hierarchy: None,
        }
    }
}

/// What a slice of CFS depends on beyond its own queue, where there are groups; kept up to date by
/// `run_queue::groups`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Hierarchy {
    /// How many tasks the CPU has, in all groups (R3.1.2).
    pub(crate) tasks: u32,
    /// For the queue of a group, its entity in the root queue: its weight, and the load of the root
    /// queue with it (R2.5.2).
    pub(crate) above: Option<(u32, u64)>,
}

/// The load-weighted sums behind V, running entity included (spec ch. 4, common definitions).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    /// min_vruntime.
    pub origin: Vtime,
    /// Σ (vruntime − origin) · weight.
    pub sum: i64,
    /// Σ weight.
    pub load: u64,
}

impl Totals {
    /// V: the load-weighted average vruntime, rounded down (R4.B.3).
    #[must_use]
    pub fn average(&self) -> Vtime {
        match self.load as i64 {
            0 => self.origin,
            load => self.origin.plus(self.sum.div_euclid(load)),
        }
    }

    /// V as the proposals of March 2023 round it: toward the origin (R4.A.2).
    #[must_use]
    pub fn average_toward_zero(&self) -> Vtime {
        match self.load as i64 {
            0 => self.origin,
            load => self.origin.plus(self.sum / load),
        }
    }

    /// Whether a vruntime is at or before V, tested without a division (R4.B.5).
    #[must_use]
    pub fn eligible(&self, vruntime: Vtime) -> bool {
        self.sum >= vruntime.since(self.origin).wrapping_mul(self.load as i64)
    }
}

impl FairQueue {
    /// The running entity, if it is queued: just after a block it is not.
    #[must_use]
    pub fn queued_curr(&self, entities: &Entities) -> Option<TaskId> {
        self.curr.filter(|&curr| entities[curr].on_rq)
    }

    /// The sums behind V.
    #[must_use]
    pub fn totals(&self, entities: &Entities) -> Totals {
        let mut totals = Totals { origin: self.min_vruntime, sum: self.sum, load: self.avg_load };
        if let Some(curr) = self.queued_curr(entities) {
            let curr = &entities[curr];
            let key = curr.vruntime.since(self.min_vruntime);
            totals.sum = totals.sum.wrapping_add(key.wrapping_mul(i64::from(curr.weight)));
            totals.load += u64::from(curr.weight);
        }
        totals
    }

    /// V: the load-weighted average vruntime of all queued entities; `min_vruntime` of an empty
    /// queue (R4.B.3).
    #[must_use]
    pub fn avg_vruntime(&self, entities: &Entities) -> Vtime {
        self.totals(entities).average()
    }

    /// Whether a queued entity has received no more than its share so far (R4.B.5).
    #[must_use]
    pub fn eligible(&self, entities: &Entities, task: TaskId) -> bool {
        self.totals(entities).eligible(entities[task].vruntime)
    }

    /// V − vruntime, limited to two requests or a tick (R4.B.9), ns of virtual time.
    #[must_use]
    pub fn entity_lag(&self, entities: &Entities, cx: FairCx, task: TaskId) -> i64 {
        let entity = &entities[task];
        let limit = entity.lag_limit(cx);
        self.avg_vruntime(entities).since(entity.vruntime).clamp(-limit, limit)
    }

    /// Brings the least request of each subtree up to date after that of a waiting entity changed.
    pub(crate) fn refresh_slices(&self, entities: &mut Entities, entity: TaskId, cx: FairCx) {
        if cx.kernel.fair >= FairGeneration::Eevdf6_17 {
            self.tree.refresh::<ByDeadlineWithSlices>(entities, entity);
        }
    }

    /// Takes an entity out of the second tree of latency-nice, if it is in it.
    pub(crate) fn leave_latency_tree(&mut self, entities: &mut Entities, entity: TaskId) {
        if entities[entity].in_latency_tree {
            self.latency_tree.remove::<ByLatency>(entities, entity);
            entities[entity].in_latency_tree = false;
        }
    }

    /// Buddies that name the entity name nobody now.
    pub(crate) fn clear_buddies(&mut self, task: TaskId) {
        for buddy in [&mut self.next, &mut self.last, &mut self.skip] {
            if *buddy == Some(task) {
                *buddy = None;
            }
        }
    }

    /// Moves `min_vruntime` forward to `candidate`, if that is forward (R4.B.4).
    pub(crate) fn advance_min(&mut self, candidate: Vtime) {
        let delta = candidate.since(self.min_vruntime);
        if delta > 0 {
            self.sum = self.sum.wrapping_sub(delta.wrapping_mul(self.avg_load as i64));
            self.min_vruntime = candidate;
        }
    }

    /// Adds an entity to the sums over the tree.
    pub(crate) fn add_average(&mut self, entity: &Entity) {
        let key = entity.vruntime.since(self.min_vruntime);
        self.sum = self.sum.wrapping_add(key.wrapping_mul(i64::from(entity.weight)));
        self.avg_load += u64::from(entity.weight);
    }

    /// Takes an entity out of the sums over the tree.
    pub(crate) fn sub_average(&mut self, entity: &Entity) {
        let key = entity.vruntime.since(self.min_vruntime);
        self.sum = self.sum.wrapping_sub(key.wrapping_mul(i64::from(entity.weight)));
        self.avg_load -= u64::from(entity.weight);
    }
}

/// `value · old / new` as the kernel scales a lag or deadline to a new weight: the product with the
/// internal weights (1024 times ours) modulo 2^64, the quotient toward zero (R4.B.19).
pub(crate) fn scale_to_weight(value: i64, old: u32, new: u32) -> i64 {
    value.wrapping_mul(i64::from(old) << 10) / (i64::from(new) << 10)
}
