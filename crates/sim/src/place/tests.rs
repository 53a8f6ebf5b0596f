//! The worked examples of spec ch. 5, and the switches. The kernel's own decisions are in
//! `tests/vectors/placement`.

use super::*;
use crate::kernel::Feature;
use crate::machines::Machine;

/// A machine of which nothing is busy but what is said.
struct World {
    domains: Domains,
    busy: Vec<(u16, u64)>,
    has_idle_cores: bool,
    nr_idle_scan: u32,
    avg_idle: u64,
    scan_cost: u64,
}

impl World {
    fn new(machine: Machine, generation: PlaceGeneration) -> World {
        World {
            domains: Domains::build(&machine.topology(), generation),
            busy: Vec::new(),
            has_idle_cores: true,
            nr_idle_scan: 15,
            avg_idle: 1_000_000,
            scan_cost: 0,
        }
    }

    /// These CPUs run a task each, of that load.
    fn busy(mut self, cpus: impl IntoIterator<Item = u16>, load: u64) -> World {
        self.busy.extend(cpus.into_iter().map(|cpu| (cpu, load)));
        self
    }
}

impl View for World {
    fn idle(&self, cpu: CpuId) -> bool {
        self.busy.iter().all(|(busy, _)| *busy != cpu.0)
    }
    fn sched_idle(&self, _cpu: CpuId) -> bool {
        false
    }
    fn nr_running(&self, cpu: CpuId) -> u32 {
        u32::from(!self.idle(cpu))
    }
    fn load(&self, cpu: CpuId) -> u64 {
        self.busy.iter().filter(|(busy, _)| *busy == cpu.0).map(|(_, load)| load).sum()
    }
    fn capacity(&self, _cpu: CpuId) -> u64 {
        1024
    }
    fn has_idle_cores(&self, _llc: LlcId) -> bool {
        self.has_idle_cores
    }
    fn nr_idle_scan(&self, _llc: LlcId) -> u32 {
        self.nr_idle_scan
    }
    fn avg_idle(&self, _cpu: CpuId) -> u64 {
        self.avg_idle
    }
    fn wake_avg_idle(&self, _cpu: CpuId) -> u64 {
        self.avg_idle
    }
    fn avg_scan_cost(&self, _cpu: CpuId) -> u64 {
        self.scan_cost
    }
}

/// A wakeup of a task, of load 300 unless it says otherwise, by a task of load 1024.
#[derive(Clone, Copy)]
struct Case {
    this: u16,
    prev: u16,
    recent: u16,
    sync: bool,
    interrupt: bool,
    kthread: bool,
    load: u64,
}

impl Case {
    fn task(this: u16, prev: u16) -> Case {
        Case { this, prev, recent: prev, sync: false, interrupt: false, kthread: false, load: 300 }
    }

    fn interrupt(this: u16, prev: u16) -> Case {
        Case { interrupt: true, kthread: true, ..Case::task(this, prev) }
    }

    fn place(self, world: &World, features: Features) -> (Placement, Seen) {
        let allowed = CpuSet::first(world.domains.cpus());
        let wake = Wake {
            this_cpu: CpuId(self.this),
            prev_cpu: CpuId(self.prev),
            sync: self.sync,
            current_cpu: false,
            allowed: &allowed,
            jiffies: 0,
            hz: 1000,
            waker: Waker {
                flips: 0,
                decay_ts: 0,
                last_wakee_is_same: true,
                load: if self.interrupt { 0 } else { 1024 },
                exiting: false,
                per_cpu_kthread: self.kthread,
                in_task: !self.interrupt,
            },
            wakee: Wakee { flips: 0, load: self.load, recent: CpuId(self.recent) },
        };
        let mut seen = Seen::default();
        let placement = place(&world.domains, features, world, &wake, &mut seen);
        let unseen = place(&world.domains, features, world, &wake, &mut Unseen);
        assert_eq!(placement, unseen, "looking changes nothing");
        (placement, seen)
    }

    fn cpu(self, world: &World) -> (u16, Branch) {
        let (placement, _) = self.place(world, world.domains.generation().features());
        (placement.cpu.0, placement.branch)
    }
}

fn all() -> Features {
    Features::of(&[Feature::WaIdle, Feature::WaWeight, Feature::WaBias, Feature::SisUtil])
}

/// The worked examples of R5.2.3.
#[test]
fn wide() {
    assert!(wake_wide(300, 17, 16));
    assert!(!wake_wide(300, 15, 16));
    assert!(!wake_wide(300, 20, 16));
    assert!(wake_wide(1600, 40, 40));
    assert!(!wake_wide(1599, 40, 40));
}

/// Scenarios 1 … 3 of 5.10: client on CPU 3, server last on CPU 20, in another LLC.
#[test]
fn client_and_server() {
    use PlaceGeneration::{V6_1, V6_6, V6_12};
    for generation in [V6_1, V6_6, V6_12] {
        let world = World::new(Machine::Zen3Nps1, generation).busy([3], 1024);
        let case = Case { sync: true, recent: 21, ..Case::task(3, 20) };
        let (placement, _) = case.place(&world, all());
        assert_eq!(placement.wa_idle, Some(Opinion::This));
        assert_eq!((placement.cpu.0, placement.branch), (4, Branch::IdleCore));
        assert_eq!(Case { recent: 21, ..Case::task(3, 20) }.cpu(&world), (20, Branch::TargetIdle));

        let world = world.busy([20], 1024);
        let (placement, seen) = Case::task(3, 20).place(&world, all());
        let weighing = seen.weighing.expect("WA_WEIGHT was asked");
        assert_eq!(weighing.this, Some(1324 * 102_400));
        assert_eq!(weighing.prev, 724 * 110_592);
        assert_eq!(placement.wake_affine, Some(Side::Prev));
        assert_eq!(placement.cpu.0, 21);
    }
}

/// Scenario 4: an interrupt on the idle CPU 40 wakes a task of CPU 5.
#[test]
fn interrupts() {
    use PlaceGeneration::*;
    let cpu = |generation, this| {
        Case::interrupt(this, 5).cpu(&World::new(Machine::Zen3Nps1, generation)).0
    };
    assert_eq!(cpu(V4_15, 40), 40);
    assert_eq!(cpu(V4_19, 40), 5);
    for generation in [V5_15, V6_1, V6_6, V6_12] {
        assert_eq!(cpu(generation, 40), 5);
    }
    // Up to 4.20 the other socket of a Zen is not asked at all.
    for (generation, asked) in [(V4_15, false), (V4_19, false), (V5_15, true), (V6_12, true)] {
        let world = World::new(Machine::Zen3Nps1, generation);
        let (placement, _) = Case::interrupt(64, 5).place(&world, all());
        assert_eq!((placement.cpu.0, placement.affine_domain.is_some()), (5, asked));
    }
    let world = World::new(Machine::Intel2x20, V4_15);
    assert_eq!(Case::interrupt(20, 5).cpu(&world).0, 20);
}

/// Each rule of 4.16 to 4.19 alone, on top of 4.15, and each missing from 4.19.
#[test]
fn rules_of_the_4_16_series_one_by_one() {
    use PlaceGeneration::{V4_15, V4_19};
    let old = V4_15.features();
    let all = V4_19.features();
    let check = |case: Case, machine, busy: &[u16], with: &[(Features, u16)]| {
        for generation in [V4_15, V4_19] {
            let mut world = World::new(machine, generation).busy(busy.iter().copied(), 1024);
            world.has_idle_cores = false;
            for &(features, cpu) in with {
                let (placement, _) = case.place(&world, features);
                assert_eq!(placement.cpu.0, cpu, "{features:?}");
            }
        }
    };
    let plus = |feature| old.with(feature, true);
    let minus = |feature| all.with(feature, false);
    // An interrupt on the idle CPU 40 of another LLC wakes a task of CPU 5, which is busy, so that
    // nothing but WA_IDLE speaks for CPU 40 (the loads do so as well: weighing is off).
    let quiet = |features: Features| features.with(Feature::WaWeight, false);
    let far = Case::interrupt(40, 5);
    check(
        far,
        Machine::Zen3Nps1,
        &[5],
        &[
            (quiet(old), 40),
            (quiet(plus(Feature::WaIdlePrev)), 40),
            (quiet(plus(Feature::WaIdleSharedCache)), 6),
            (quiet(minus(Feature::WaIdleSharedCache)), 40),
        ],
    );
    // Both idle, in one LLC or not: the previous CPU.
    check(
        Case::interrupt(40, 5),
        Machine::Zen3Nps1,
        &[],
        &[
            (quiet(old), 40),
            (quiet(plus(Feature::WaIdlePrev)), 5),
            (quiet(plus(Feature::WaIdleSharedCache)), 5),
        ],
    );
    check(
        Case::interrupt(3, 5),
        Machine::Desktop16,
        &[],
        &[
            (old, 3),
            (plus(Feature::WaIdlePrev), 5),
            (plus(Feature::WaIdleSharedCache), 3),
            (minus(Feature::WaIdlePrev), 3),
        ],
    );
    // The CPU used before is tried, but only if the wakee remembers one.
    let recent = Case { recent: 3, ..Case::task(1, 1) };
    check(
        recent,
        Machine::Desktop16,
        &[1],
        &[(old, 2), (plus(Feature::RecentUsedCpu), 3), (minus(Feature::RecentUsedCpu), 2)],
    );
    for generation in [V4_15, V4_19] {
        let world = World::new(Machine::Desktop16, generation).busy([1], 1024);
        let (with, _) = recent.place(&world, all);
        let (without, _) = recent.place(&world, minus(Feature::RecentUsedCpu));
        assert_eq!(with.effects.wakee_recent, Some(CpuId(1)));
        assert_eq!(with.effects.waker_recent, Some(CpuId(1)));
        assert_eq!(without.effects.wakee_recent, None);
        assert_eq!(without.effects.waker_recent, None);
    }
    // Equal loads: none on either side for a task without load.
    let mut world = World::new(Machine::Desktop16, V4_15).busy([5], 0);
    world.has_idle_cores = false;
    for (features, sync, side) in [
        (old, false, Side::This),
        (plus(Feature::WaWeightStrict), false, Side::Prev),
        (plus(Feature::WaWeightStrict), true, Side::This),
    ] {
        let features = features.with(Feature::WaIdle, false).with(Feature::WaBias, false);
        let case = Case { sync, load: 0, ..Case::interrupt(3, 5) };
        assert_eq!(case.place(&world, features).0.wake_affine, Some(side), "{sync}");
    }
}

/// Scenario 5: a per-CPU kernel thread completes I/O.
#[test]
fn stacking() {
    use PlaceGeneration::*;
    for (generation, cpu) in [(V4_19, 8), (V5_15, 7), (V6_1, 7), (V6_6, 7), (V6_12, 7)] {
        let world = World::new(Machine::Desktop16, generation).busy([7], 1024);
        let (got, branch) = Case { kthread: true, ..Case::task(7, 7) }.cpu(&world);
        assert_eq!((got, branch == Branch::PerCpuKthread), (cpu, cpu == 7), "{generation:?}");
    }
}

/// Scenario 6: the LLC of a Q6600 is two CPUs.
#[test]
fn small_caches() {
    let world = World::new(Machine::Q6600, PlaceGeneration::V6_12).busy([0], 1024);
    assert_eq!(Case::task(0, 0).cpu(&world), (1, Branch::IdleCpu));
    let world = world.busy([1], 1024);
    assert_eq!(Case::task(0, 0).cpu(&world), (0, Branch::FallbackTarget));
}

/// 5.1.1, 5.4.1: only affine wakeups are searched for, and the lowest idle CPU wins.
#[test]
fn the_year_2010() {
    let world = World::new(Machine::Q6600, PlaceGeneration::V2_6_36).busy([1], 1024);
    // Waker on 1, wakee of 0, which is idle: the pair is within MC, by weight it is pulled or not.
    let (placement, seen) = Case { sync: true, ..Case::task(1, 0) }.place(&world, all());
    assert_eq!(placement.effects.waker_flips, 0);
    assert_eq!(placement.wide, None);
    assert_eq!(seen.weighing.expect("weighed").this, None, "the waker is all there is");
    assert_eq!((placement.cpu.0, placement.branch), (0, Branch::IdleCpu));

    // The sibling: the first domain that spans both CPUs ends the search.
    let two_nodes = World::new(Machine::Intel2x20, PlaceGeneration::V2_6_36).busy([25], 1024);
    let (placement, _) = Case::task(25, 25).place(&two_nodes, all());
    assert_eq!((placement.cpu.0, placement.branch), (65, Branch::IdleCpu));
}

/// 6.1.0 asks for the wrong CPU in the mask, 6.6 for the right one (5.4.3).
#[test]
fn recent_cpu_and_its_mask() {
    for (generation, cpu) in [(PlaceGeneration::V6_1, 5), (PlaceGeneration::V6_6, 2)] {
        let world = World::new(Machine::Desktop16, generation).busy([1], 1024);
        let allowed: CpuSet = [1, 2].map(CpuId).into_iter().collect();
        let wake = Wake {
            this_cpu: CpuId(1),
            prev_cpu: CpuId(1),
            sync: false,
            current_cpu: false,
            allowed: &allowed,
            jiffies: 0,
            hz: 1000,
            waker: Waker {
                flips: 0,
                decay_ts: 0,
                last_wakee_is_same: false,
                load: 1024,
                exiting: false,
                per_cpu_kthread: false,
                in_task: true,
            },
            wakee: Wakee { flips: 0, load: 300, recent: CpuId(5) },
        };
        let placement = place(&world.domains, all(), &world, &wake, &mut Unseen);
        assert_eq!(placement.cpu.0, if cpu == 5 { 5 } else { 2 }, "{generation:?}");
        let fallback = idle::fallback(&world.domains, &allowed, placement.cpu);
        assert_eq!(fallback, Some(CpuId(if cpu == 5 { 1 } else { 2 })));
    }
}

/// The table of R5.5.1: how many CPUs may be looked at, plus one.
#[test]
fn budgets() {
    for (machine, avg_idle, cost, budget) in [
        (Machine::Desktop16, 1_000_000, 500, 62),
        (Machine::Desktop16, 1_000_000, 2_000, 15),
        (Machine::Desktop16, 200_000, 500, 12),
        (Machine::Desktop16, 200_000, 2_000, 4),
        (Machine::Intel2x20, 1_000_000, 2_000, 39),
        (Machine::Intel2x20, 200_000, 500, 31),
        (Machine::Intel2x20, 50_000, 2_000, 4),
    ] {
        let mut world = World::new(machine, PlaceGeneration::V4_15).busy([0], 1024);
        (world.avg_idle, world.scan_cost, world.has_idle_cores) = (avg_idle, cost, false);
        let (_, seen) = Case::task(0, 0).place(&world, all());
        assert_eq!(seen.budget, Some(budget - 1), "{machine:?} {avg_idle} {cost}");
    }
}

#[test]
fn switches() {
    let world = World::new(Machine::Desktop16, PlaceGeneration::V6_12).busy([0, 3], 1024);
    let sync = Case { sync: true, ..Case::task(3, 0) };
    let with = |feature, on| sync.place(&world, all().with(feature, on)).0;
    assert_eq!(with(Feature::WaIdle, true).wa_idle, Some(Opinion::This));
    let without = with(Feature::WaIdle, false);
    assert_eq!(without.wa_idle, None);
    assert_eq!(without.wa_weight, Some(Opinion::This));
    let neither = sync.place(&world, Features::default()).0;
    assert_eq!((neither.wa_weight, neither.wake_affine), (None, Some(Side::Prev)));

    let mut full = World::new(Machine::Desktop16, PlaceGeneration::V6_12).busy(0..8, 1024);
    (full.has_idle_cores, full.nr_idle_scan) = (false, 0);
    let (placement, _) = Case::task(0, 0).place(&full, all());
    // The idle sibling of the previous CPU comes before any scan.
    assert_eq!((placement.cpu.0, placement.branch), (8, Branch::IdleSmt));
    full.busy.push((8, 1024));
    let (placement, _) = Case::task(0, 0).place(&full, all());
    assert_eq!(placement.scan_exit, ScanExit::Overloaded);
    let (placement, _) = Case::task(0, 0).place(&full, all().with(Feature::SisUtil, false));
    assert_eq!((placement.cpu.0, placement.scan_exit), (9, ScanExit::Found));
}
