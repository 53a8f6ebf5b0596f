//! What holds of the machine and placement pictures on any machine at any size.

mod support;

use proptest::prelude::*;
use schedscope_session::update::{Machine, Picture};
use schedscope_sim::topology::Shape;
use schedscope_ui::geometry::Point;
use schedscope_ui::scene::{Scene, Target};
use schedscope_ui::view::machine::{
    Cells, Detail, MachineGeometry, MachineLayout, Room, cells_scene, changed, stage,
};
use schedscope_ui::view::pen::Pen;
use schedscope_ui::view::placement::{self, PlacementGeometry, Progress, Reveal};
use schedscope_ui::view::{Drag, Look, Roster, groups, machine};
use support::World;
use support::sound::{extent, well_set};

/// A regular machine of at most 1024 CPUs.
fn shapes() -> impl Strategy<Value = Machine> {
    let parts = (1..=4u16, 1..=4u16, 1..=8u16, 1..=24u16, prop::sample::select(vec![1, 2, 4, 8]));
    let cluster = prop::option::weighted(0.3, prop::sample::select(vec![2u16, 4]));
    (parts, cluster).prop_filter_map("at most 1024 CPUs", |(parts, cores_per_cluster)| {
        let (sockets, nodes_per_socket, llcs_per_node, cores_per_llc, threads_per_core) = parts;
        let shape = Shape {
            sockets,
            nodes_per_socket,
            llcs_per_node,
            cores_per_llc,
            cores_per_cluster: cores_per_cluster.filter(|n| cores_per_llc.is_multiple_of(*n)),
            threads_per_core,
            ..Shape::default()
        };
        if shape.cpus() <= 1024 { support::shape(shape) } else { None }
    })
}

fn presets() -> impl Strategy<Value = Machine> {
    prop::sample::select(schedscope_sim::machines::Machine::ALL.to_vec()).prop_map(support::preset)
}

fn machines() -> impl Strategy<Value = Machine> {
    let odd = prop_oneof![Just(support::hybrid()), Just(support::uneven())];
    prop_oneof![4 => shapes(), 4 => presets(), 1 => odd]
}

fn looks() -> impl Strategy<Value = Look> {
    prop_oneof![
        (340..1400u16, 300..900u16, any::<bool>(), 0..1024u16).prop_map(
            |(w, h, load, focus_cpu)| {
                Look { load, focus_cpu, ..Look::new(f32::from(w), f32::from(h)) }
            }
        ),
        (300..700u16).prop_map(|h| Look { coarse: true, ..Look::new(358.0, f32::from(h)) }),
        (1100..1900u16, 480..1000u16)
            .prop_map(|(w, h)| Look { present: true, ..Look::new(f32::from(w), f32::from(h)) }),
    ]
}

/// Every CPU can be pointed at, where it is drawn.
fn all_cpus_hit(scene: &Scene, geometry: &MachineGeometry) {
    for (cpu, cell) in (0..).zip(&geometry.cells) {
        let hit = scene.hit(cell.centre()).expect("a hit");
        assert_eq!(hit.target, Target::Cpu(cpu));
        assert!(hit.rect.w >= cell.w.min(24.0) && hit.rect.h >= cell.h.min(24.0));
    }
}

fn roster(world: &World) -> Roster<'_> {
    Roster { loaded: &world.loaded, moment: &world.moment }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 160,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_machine_is_well_set(machine in machines(), look in looks()) {
        let world = support::filled(machine);
        let roster = roster(&world);
        let geometry = MachineGeometry::new(&world.loaded.machine, Room::of(&look, roster));
        let layout = machine::draw(&geometry, &world.loaded.machine, &world.moment, roster, &look);
        let scene = layout.merged();
        well_set(&scene, &look);
        all_cpus_hit(&scene, &geometry);
        prop_assert!(scene.height <= look.height + 1.0 || geometry.detail == Detail::Mass);
        // Cells lie apart, each within its LLC's box.
        let m = &world.loaded.machine;
        for (i, a) in geometry.cells.iter().enumerate() {
            prop_assert!(a.w > 0.0 && a.h > 0.0);
            let llc = geometry.llcs[usize::from(m.cpus[i].llc)].inset(-0.1);
            prop_assert!(llc.contains(Point::new(a.x, a.y)) && llc.right() >= a.right());
            for b in &geometry.cells[..i] {
                prop_assert!(!a.inset(0.05).overlaps(*b), "CPU {i}: {a:?} {b:?}");
            }
        }
    }

    #[test]
    fn a_lens_over_the_machine_is_well_set(
        machine in machines(), look in looks(), llc in 0..200u16,
    ) {
        let world = support::filled(machine);
        let llc = llc % world.loaded.machine.llcs.len() as u16;
        let look = Look { lens: Some(llc), load: false, ..look };
        let roster = roster(&world);
        let geometry = MachineGeometry::new(&world.loaded.machine, Room::of(&look, roster));
        let m = &world.loaded.machine;
        let layout = machine::draw(&geometry, m, &world.moment, roster, &look);
        if geometry.detail < Detail::Task {
            // Larger cells have texts in the lower layer, which the lens hides.
            well_set(&layout.merged(), &look);
        } else {
            well_set(&layout.overlay, &look);
        }
    }

    #[test]
    fn a_carried_card_stays_on_the_picture(
        machine in machines(), look in looks(), over in 0..1024u16, pin in any::<bool>(),
    ) {
        let world = support::filled(machine);
        let over = over % world.moment.cpus.len() as u16;
        let look = Look { drag: Some(Drag { row: 1, over: Some(over), pin }), ..look };
        let scene = machine::layout(&world.loaded.machine, &world.moment, roster(&world), &look);
        let card = scene.marks.iter().find(|mark| mark.key == "drag/card").expect("a card");
        let rect = extent(card);
        prop_assert!(rect.x >= -0.5 && rect.y >= -0.5);
        prop_assert!(rect.right() <= scene.width + 0.5 && rect.bottom() <= scene.height + 0.5);
    }

    #[test]
    fn a_cell_is_drawn_within_what_is_cleared_for_it(machine in machines(), look in looks()) {
        let world = support::filled(machine);
        let roster = roster(&world);
        let geometry = MachineGeometry::new(&world.loaded.machine, Room::of(&look, roster));
        let cpus = stage(&world.moment, &look);
        let cells = Cells::new(&geometry, roster, &cpus, &look);
        for cpu in 0..cpus.len() as u16 {
            let mut pen = Pen::new(geometry.width, geometry.height);
            cells.draw(&mut pen, cpu);
            let dirty = geometry.dirty(cpu).inset(-0.3);
            for mark in &pen.scene().marks {
                let rect = extent(mark);
                prop_assert!(
                    rect.x >= dirty.x && rect.right() <= dirty.right()
                        && rect.y >= dirty.y && rect.bottom() <= dirty.bottom(),
                    "{} {rect:?} is outside {dirty:?}", mark.key
                );
            }
        }
        // Painting cell by cell gives what painting all gives.
        let all = cells_scene(&cells, &world.loaded.machine);
        prop_assert!(!all.marks.is_empty());
    }

    #[test]
    fn a_placement_is_well_set_and_never_shows_the_future(
        machine in machines(), look in looks(), roles in any::<[u16; 4]>(),
        budget in 0..40u32, by_core in any::<bool>(), busy in 0..100u32,
        check in 0..5usize, probe in prop_oneof![Just(usize::MAX), 0..30usize],
    ) {
        let look = Look { check, probe, load: false, ..look };
        let world = support::search(machine, roles, budget, by_core, busy);
        let (roster, m) = (roster(&world), &world.loaded.machine);
        let decision = &world.moment.decisions[0];
        let Picture::Place(place) = &decision.picture else { unreachable!() };
        let layout: MachineLayout = placement::layout(decision, m, &world.moment, roster, &look);
        let scene = layout.merged();
        well_set(&scene, &look);

        let progress = Progress::new(decision, place, m, (look.check, look.probe));
        let badges = scene
            .marks
            .iter()
            .filter(|mark| mark.key.contains("badge/") && !mark.key.ends_with("/number"))
            .count();
        prop_assert_eq!(badges, progress.pass().len());
        if !progress.over {
            prop_assert!(!scene.marks.iter().any(|mark| mark.key.ends_with("chosen")));
            prop_assert!(!scene.marks.iter().any(|mark| mark.key.contains("stop")));
            let wakee = format!("task/{}", place.wakee);
            prop_assert!(!scene.marks.iter().any(|mark| mark.key.ends_with(&wakee)));
        }
        // What is drawn does not depend on what is still to come.
        let mut other = decision.clone();
        for later in &mut other.checks[(check + 1).min(decision.checks.len())..] {
            later.probes.clear();
            later.result = "something else".into();
        }
        if !progress.over {
            let again = placement::scene(&other, m, &world.moment, roster, &look);
            prop_assert_eq!(again, scene);
            let rows = placement::rows(&other, m, (check, probe));
            let future = rows.iter().filter(|row| row.reveal == Reveal::Future);
            for row in future {
                prop_assert!(row.result.is_empty() && row.strip.is_empty());
            }
        }
        let geometry = PlacementGeometry::new(m, Room::of(&look, roster), place.llc);
        if let Some((_, lens)) = &geometry.lens {
            prop_assert!(lens.cpus.contains(&place.target));
            for &cpu in &lens.cpus {
                let cell = lens.geometry.cells[usize::from(cpu)];
                prop_assert!(lens.frame.contains(cell.centre()));
                prop_assert!(!look.coarse || cell.h >= 40.0, "{cell:?}");
            }
        }
    }
}

#[test]
fn groups_are_well_set() {
    for world in [support::fork(), support::balance()] {
        for width in [300.0, 358.0, 408.0, 560.0, 704.0, 1328.0] {
            for height in [200.0, 420.0, 700.0] {
                for present in [false, true] {
                    for check in 0..6 {
                        let look = Look { present, check, ..Look::new(width, height) };
                        let decision = &world.moment.decisions[0];
                        let scene = groups::layout(decision, roster(&world), &look);
                        well_set(&scene, &look);
                    }
                }
            }
        }
    }
}

#[test]
fn only_cpus_that_changed_are_drawn_anew() {
    let mut world = support::zen3();
    let look = Look::new(646.0, 440.0);
    let before = stage(&world.moment, &look);
    world.moment.cpus[7].curr = None;
    world.moment.cpus[9].util = 77;
    let after = stage(&world.moment, &look);
    let expected: Vec<u16> = if before[7].curr.is_none() { vec![] } else { vec![7] };
    assert_eq!(changed(&before, &after), expected);
}
