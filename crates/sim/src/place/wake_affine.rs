//! `wake_affine()`: the waker's CPU or the previous one (spec 5.3).

use super::{Evidence, Opinion, Placement, Probe, ProbeAt, Side, Test, View, Wake, Weighing};
use crate::domains::Domains;
use crate::kernel::{Feature, Features, PlaceGeneration};

/// Decides, and notes in the placement which rule did. `pct` is the imbalance_pct of the smallest
/// domain that holds both.
pub(super) fn wake_affine<V: View, E: Evidence>(
    domains: &Domains,
    features: Features,
    view: &V,
    wake: &Wake<'_>,
    pct: u32,
    evidence: &mut E,
    placement: &mut Placement,
) -> Side {
    let generation = domains.generation();
    let bias = 100 + (i64::from(pct) - 100) / 2;
    let sync = wake.sync && !(generation >= PlaceGeneration::V4_19 && wake.waker.exiting);
    if generation == PlaceGeneration::V4_7 {
        let weighing = weigh_4_7(view, wake, bias, sync);
        evidence.weighing(weighing);
        return if weighing.pulls() { Side::This } else { Side::Prev };
    }

    if features.has(Feature::WaIdle) {
        let opinion = wa_idle(domains, features, view, wake, sync, evidence);
        placement.wa_idle = Some(opinion);
        match opinion {
            Opinion::This => return Side::This,
            Opinion::Prev => return Side::Prev,
            Opinion::None => {}
        }
    }
    if features.has(Feature::WaWeight) {
        let scale = if features.has(Feature::WaBias) { (100, bias) } else { (1, 1) };
        let strict = generation > PlaceGeneration::V4_19 || features.has(Feature::WaWeightStrict);
        let weighing = weigh(strict, view, wake, scale, sync);
        evidence.weighing(weighing);
        let opinion = if weighing.pulls() { Opinion::This } else { Opinion::None };
        placement.wa_weight = Some(opinion);
        if opinion == Opinion::This {
            return Side::This;
        }
    }
    Side::Prev
}

impl Weighing {
    /// Whether the waker's CPU is light enough.
    #[must_use]
    pub fn pulls(&self) -> bool {
        match self.this {
            None => true,
            Some(this) => this < self.prev || (self.equal_pulls && this == self.prev),
        }
    }
}

/// `wake_affine()` of 2.6.36 (5.3.1), by weights: whether to pull.
pub(super) fn pulls_2_6_36<V: View, E: Evidence>(
    view: &V,
    wake: &Wake<'_>,
    pct: u32,
    evidence: &mut E,
) -> bool {
    let prev_load = view.load(wake.prev_cpu) as i64;
    let mut load = view.load(wake.this_cpu) as i64;
    if wake.sync {
        load -= wake.waker.load as i64;
    }
    let this = 100 * view.capacity(wake.prev_cpu) as i64 * (load + wake.wakee.load as i64);
    let bias = 100 + (i64::from(pct) - 100) / 2;
    let prev = bias * view.capacity(wake.this_cpu) as i64 * prev_load;
    let this = if load > 0 { Some(this) } else { None };
    let weighing = Weighing { this, prev, equal_pulls: true };
    evidence.weighing(weighing);
    let running = i64::from(view.nr_running(wake.this_cpu)).max(1);
    let per_task = view.load(wake.this_cpu) as i64 / running;
    weighing.pulls() || (load <= prev_load && load + prev_load <= per_task)
}

/// WA_IDLE (R5.3.2, first table). Up to 4.19 its rules of 4.16 are features.
fn wa_idle<V: View, E: Evidence>(
    domains: &Domains,
    features: Features,
    view: &V,
    wake: &Wake<'_>,
    sync: bool,
    evidence: &mut E,
) -> Opinion {
    let generation = domains.generation();
    let mut idle = |at, cpu| {
        let yes = view.idle(cpu);
        evidence.probe(Probe { at, test: Test::Idle, cpu, yes });
        yes
    };
    let this_idle = idle(ProbeAt::WaThis, wake.this_cpu);
    let has = |rule| generation > PlaceGeneration::V4_19 || features.has(rule);
    let near = || domains.share_cache(wake.this_cpu, wake.prev_cpu);
    if this_idle && (!has(Feature::WaIdleSharedCache) || near()) {
        let prev = has(Feature::WaIdlePrev) && idle(ProbeAt::WaPrev, wake.prev_cpu);
        return if prev { Opinion::Prev } else { Opinion::This };
    }
    if sync && view.nr_running(wake.this_cpu) == 1 {
        return Opinion::This;
    }
    if generation >= PlaceGeneration::V5_15 && idle(ProbeAt::WaPrev, wake.prev_cpu) {
        return Opinion::Prev;
    }
    Opinion::None
}

/// WA_WEIGHT (R5.3.2, second table). `scale` is what either side is multiplied by for the bias.
/// `strict` is whether equal loads do not pull.
fn weigh<V: View>(
    strict: bool,
    view: &V,
    wake: &Wake<'_>,
    scale: (i64, i64),
    sync: bool,
) -> Weighing {
    let equal_pulls = !strict;
    let mut this = view.load(wake.this_cpu) as i64;
    if sync {
        let waker = wake.waker.load as i64;
        if waker > this {
            return Weighing { this: None, prev: 0, equal_pulls };
        }
        this -= waker;
    }
    let task = wake.wakee.load as i64;
    let this = (this + task) * scale.0 * view.capacity(wake.prev_cpu) as i64;
    let mut prev = view.load(wake.prev_cpu) as i64 - task;
    prev *= scale.1 * view.capacity(wake.this_cpu) as i64;
    if sync && !equal_pulls {
        prev += 1;
    }
    Weighing { this: Some(this), prev, equal_pulls }
}

/// The comparison of 4.7 (5.3.1), which leaves the loads out when the waker's CPU has none.
fn weigh_4_7<V: View>(view: &V, wake: &Wake<'_>, bias: i64, sync: bool) -> Weighing {
    let waker = if sync { wake.waker.load as i64 } else { 0 };
    let load = view.load(wake.this_cpu) as i64 - waker;
    let mut this = 100 * view.capacity(wake.prev_cpu) as i64;
    let mut prev = bias * view.capacity(wake.this_cpu) as i64;
    if load > 0 {
        this *= load + wake.wakee.load as i64;
        prev *= view.load(wake.prev_cpu) as i64;
    }
    Weighing { this: Some(this), prev, equal_pulls: true }
}
