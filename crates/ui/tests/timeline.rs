//! The timeline: lane plans for machines of all sizes, hits, the hidden future, legible labels.

mod pick_fixtures;
mod pick_sound;

use pick_fixtures::run::{self, Run};
use pick_sound::{bounds, sound, words};
use proptest::prelude::*;
use schedscope_session::update::Window;
use schedscope_ui::geometry::Point;
use schedscope_ui::scene::{Ink, Shape, Target};
use schedscope_ui::time_scale::Stretch;
use schedscope_ui::view::strip;
use schedscope_ui::view::timeline::{
    self, CpuRole, LaneForm, LanePlan, Timeline, TimelineLayout, Wish,
};
use schedscope_ui::view::{Look, Roster};

fn plan(run: &Run, height: f32, present: bool) -> LanePlan {
    let roles = run.roles.iter();
    let roles: Vec<CpuRole> =
        roles.map(|(cpu, role)| CpuRole { cpu: *cpu, role: (*role).to_string() }).collect();
    let tasks = timeline::focus_tasks(&run.loaded, &run.moment, run.focus);
    timeline::lane_plan(&Wish {
        machine: &run.loaded.machine,
        focus: run.focus,
        roles: &roles,
        tasks: &tasks,
        searched: run.searched,
        height,
        present,
        decisions: true,
        overview: true,
        beside: None,
    })
}

/// Lays a run out at 24 ms and hands the timeline and its scenes to a test.
fn with(run: &Run, look: &Look, hide: Option<u64>, test: impl Fn(&Timeline, &TimelineLayout)) {
    let plan = plan(run, look.height, look.present);
    let timeline = Timeline {
        plan: &plan,
        window: &run.window,
        beside: None,
        stretch: Stretch::new(74_000_000, 98_000_000),
        labels: 280.0,
        roster: Roster { loaded: &run.loaded, moment: &run.moment },
        look,
        hide_after: hide,
    };
    test(&timeline, &timeline::layout(&timeline));
}

fn look(focus_cpu: u16, width: f32, height: f32) -> Look {
    Look { focus_cpu, ..Look::new(width, height) }
}

#[test]
fn four_cpus_all_have_letters() {
    let plan = plan(&run::quad(), 190.0, false);
    assert_eq!(plan.cpus(), [0, 1, 2, 3]);
    assert!(plan.lanes.iter().all(|lane| lane.form == LaneForm::Named && lane.height >= 14.0));
    assert!(!plan.wants_heat());
}

#[test]
fn sixteen_cpus_have_a_focus_lane_with_task_rows_and_thin_lanes() {
    let plan = plan(&run::desktop(), 290.0, false);
    assert_eq!(plan.lanes.len(), 16);
    assert_eq!(plan.lanes[0].cpu, 2);
    assert_eq!(plan.lanes.iter().filter(|lane| lane.form == LaneForm::Named).count(), 1);
    assert_eq!(plan.tasks.len(), 8);
    // Siblings lie together, cores in order; core 2 has only its other thread left.
    assert_eq!(plan.cpus()[1..6], [0, 8, 1, 9, 10]);
    assert!(!plan.wants_heat());
}

#[test]
fn many_cpus_fold_into_a_strip_per_llc() {
    let plan = plan(&run::server(16), 290.0, false);
    assert_eq!(plan.cpus(), [33, 35, 163, 38]);
    assert_eq!(plan.heat.len(), 16);
    assert!(plan.heat[4].strong);
    let mut huge = run::server(80);
    huge.searched = Some(79);
    let plan = self::plan(&huge, 290.0, false);
    let all: u16 = plan.heat.iter().map(|strip| strip.count).sum();
    assert_eq!(all, 80);
    assert!(plan.heat.last().unwrap().strong);
}

#[test]
fn lanes_never_overlap_and_stay_inside() {
    for llcs in [1u16, 2, 3, 4, 8, 16, 40] {
        for threads in [1u16, 2, 8] {
            for height in [56.0f32, 120.0, 200.0, 290.0, 500.0] {
                let mut run = run::desktop();
                run.loaded.machine = run::machine(llcs, 4, threads);
                let plan = plan(&run, height, false);
                let what = format!("{llcs} LLCs, {threads} threads, {height} px");
                let lanes = plan.lanes.iter().map(|lane| (lane.y, lane.height));
                let strips = plan.heat.iter().map(|strip| (strip.y, strip.height));
                let rows = plan.tasks.iter().map(|(_, y)| (*y, plan.task_height));
                let mut all: Vec<(f32, f32)> = lanes.chain(strips).chain(rows).collect();
                all.sort_by(|a, b| a.0.total_cmp(&b.0));
                for pair in all.windows(2) {
                    assert!(pair[0].0 + pair[0].1 <= pair[1].0 + 0.01, "{what}: {pair:?}");
                }
                let end = plan.overview.map_or(height, |(y, _)| y);
                if height >= 120.0 {
                    assert!(plan.bottom <= end + 3.0, "{what}: {} > {end}", plan.bottom);
                }
                let cpus = plan.cpus();
                let mut unique = cpus.clone();
                unique.sort_unstable();
                unique.dedup();
                assert_eq!(cpus.len(), unique.len(), "{what}");
            }
        }
    }
}

#[test]
fn points_find_bars_and_times() {
    let run = run::quad();
    with(&run, &look(2, 1440.0, 190.0), None, |timeline, _| {
        let bar = run.window.lanes[1].bars.iter().find(|bar| bar.from > 75_000_000).unwrap();
        let middle = (bar.from + bar.to.min(98_000_000)) / 2;
        let lane = timeline.plan.lane(1).unwrap();
        let place = timeline
            .at(Point::new(timeline.scale().x(middle), lane.y + lane.height / 2.0))
            .unwrap();
        assert_eq!(place.cpu, Some(1));
        assert_eq!(place.bar.as_ref(), Some(bar));
        assert!(place.time.abs_diff(middle) < 30_000);
        assert!(place.label.contains("on CPU 1 for"), "{}", place.label);
        assert!(timeline.at(Point::new(100.0, lane.y)).is_none(), "labels are not time");
    });
}

#[test]
fn decisions_and_labels_can_be_pointed_at() {
    let run = run::desktop();
    with(&run, &look(2, 1440.0, 290.0), None, |timeline, layout| {
        let current = layout.marks.hits.iter().find(|hit| hit.target == Target::Step(140)).unwrap();
        assert!(current.label.contains("pick on CPU 2"), "{}", current.label);
        let (top, _) = timeline.plan.decisions.unwrap();
        assert!(current.rect.y >= top);
        let lane = layout.labels.hits.iter().find(|hit| hit.target == Target::Lane(2)).unwrap();
        assert_eq!(lane.label, "CPU 2: 7 runnable");
        let brush = layout.marks.hits.iter().any(|hit| hit.target == Target::Named(strip::BRUSH));
        assert!(brush);
    });
}

#[test]
fn the_future_is_never_shown() {
    let run = run::desktop();
    let now = run.moment.now;
    with(&run, &look(2, 1440.0, 290.0), Some(now), |timeline, layout| {
        let x = timeline.scale().x(now);
        let fills = layout.bars.marks.iter().filter(|mark| {
            let rect = bounds(mark);
            let in_lanes = rect.y > timeline.plan.ruler && rect.y < timeline.plan.bottom;
            let ground = matches!(mark.fill, schedscope_ui::scene::Ink::Idle);
            in_lanes && !ground && matches!(mark.shape, Shape::Rect(..) | Shape::Text(..))
        });
        for mark in fills {
            assert!(bounds(mark).right() <= x + 1.0, "{mark:?}");
        }
        for hit in layout.marks.hits.iter().filter(|hit| matches!(hit.target, Target::Step(_))) {
            assert!(hit.rect.centre().x <= x + 1.0, "{}", hit.label);
        }
        let lane = timeline.plan.lane(2).unwrap();
        assert!(timeline.at(Point::new(x + 50.0, lane.y + 5.0)).is_none());
        assert_eq!(words(&layout.marks, "veil/text"), Some("hidden until you step"));
        let segments = timeline::segments(timeline, 10_000);
        assert!(!segments.is_empty());
    });
}

#[test]
fn nothing_but_the_playhead_changes_with_the_time() {
    let run = run::desktop();
    let plain = look(2, 1440.0, 290.0);
    with(&run, &plain, None, |timeline, layout| {
        let mut later = run.moment.clone();
        later.now += 1_000_000;
        let roster = Roster { moment: &later, ..timeline.roster };
        let moved = Timeline { roster, ..*timeline };
        assert_eq!(&timeline::layout(&moved), layout);
        assert_ne!(
            timeline::playhead(timeline, run.moment.now),
            timeline::playhead(timeline, later.now)
        );
    });
}

#[test]
fn children_that_are_started_later_have_their_names() {
    let mut run = run::quad();
    let child = &mut run.window.lanes[1].bars[3];
    child.task = 40;
    let at = *child;
    run.window.tasks.push((40, 6, 2));
    with(&run, &look(1, 1440.0, 190.0), None, |timeline, _| {
        assert_eq!(timeline.label(40).as_deref(), Some("G2"));
        assert_eq!(timeline.name(40), "gcc 2");
        assert!(timeline.belongs(40, Some(6)) && !timeline.belongs(40, Some(5)));
        assert!(timeline.label(41).is_none());
        let segments = timeline::segments(timeline, 10_000);
        assert!(segments.iter().any(|segment| segment.task == "gcc 2"), "{at:?}");
    });
}

#[test]
fn arrows_of_the_current_step_are_accent() {
    let run = run::desktop();
    with(&run, &look(2, 1440.0, 290.0), None, |_, layout| {
        let ink = |key: &str| {
            let mark = layout.marks.marks.iter().find(|mark| mark.key == key);
            mark.unwrap_or_else(|| panic!("{key}")).stroke.unwrap().ink
        };
        assert_eq!(ink("arrow/140/3/2"), schedscope_ui::scene::Ink::Accent);
        assert_eq!(ink("arrow/90/3/5"), schedscope_ui::scene::Ink::TextFaint);
    });
}

/// So many cases, and no file of failures: a failing one prints its input.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn zoom_and_pan_never_leave_the_run(
        end in 0u64..1 << 40,
        from in 0u64..1 << 40,
        length in 0u64..1 << 40,
        moves in prop::collection::vec((0.001f64..1000.0, any::<u64>(), any::<i64>()), 1..12),
    ) {
        let mut stretch = Stretch::new(from % (end + 1), (from % (end + 1)).saturating_add(length));
        for (factor, at, by) in moves {
            let before = stretch.zoomed(factor, at % (end + 1), end);
            prop_assert!(before.to <= end.max(2_000) && before.length() >= 2_000, "{before:?}");
            stretch = before.panned(by >> 20, end);
            prop_assert_eq!(stretch.length(), before.length());
            let followed = stretch.following(at % (end + 1), end);
            prop_assert!(followed.contains(at % (end + 1)), "{followed:?} at {}", at % (end + 1));
        }
    }
}

proptest! {
    #![proptest_config(cases(120))]

    #[test]
    fn legible_at_any_size(
        which in 0usize..4,
        width in 720.0f32..2000.0,
        height in 150.0f32..420.0,
        present in any::<bool>(),
        at in 74_000_000u64..98_000_000,
    ) {
        let run = match which {
            0 => run::quad(),
            1 => run::desktop(),
            2 => run::server(16),
            _ => run::server(80),
        };
        let look = Look { present, ..look(run.focus, width, height) };
        let floor = if present { 20.0 } else { 12.0 };
        with(&run, &look, None, |timeline, layout| {
            let what = format!("run {which}, {width} × {height}, present {present}");
            sound(&layout.labels, floor, &format!("labels: {what}"));
            sound(&layout.bars, floor, &format!("bars: {what}"));
            sound(&layout.marks, floor, &format!("marks: {what}"));
            sound(&timeline::playhead(timeline, at), floor, &format!("playhead: {what}"));
        });
    }
}

/// The same lanes, the clock of each going up and down.
fn clocked(mut run: Run) -> Run {
    for lane in &mut run.window.lanes {
        let clock = (0..26u64).map(|i| (73_000_000 + i * 1_000_000, 900_000 + 100_000 * i as u32));
        lane.clock = clock.collect();
    }
    run
}

#[test]
fn bars_are_as_high_as_the_clock_is_fast() {
    let (run, slow) = (run::desktop(), clocked(run::desktop()));
    let bars = |run: &Run| {
        let mut areas = Vec::new();
        let look = look(2, 1440.0, 290.0);
        let plan = plan(run, look.height, look.present);
        let lanes: Vec<f32> =
            plan.lanes.iter().filter(|l| l.height >= 5.0).map(|l| l.y + l.height).collect();
        let cell = std::cell::RefCell::new(&mut areas);
        with(run, &look, None, |_, layout| {
            for mark in &layout.bars.marks {
                if let Shape::Rect(rect, _) = &mark.shape
                    && matches!(mark.fill, schedscope_ui::scene::Ink::Task { .. })
                    && lanes.contains(&rect.bottom())
                {
                    cell.borrow_mut().push(rect.w * rect.h);
                }
            }
        });
        areas.iter().sum::<f32>()
    };
    let (full, part) = (bars(&run), bars(&slow));
    assert!(full > 0.0 && part < full * 0.95 && part > full * 0.3, "{part} of {full}");
}

#[test]
fn two_kernels_lie_one_above_the_other_on_one_axis() {
    for run in [run::quad(), run::desktop(), run::server(16)] {
        let look = look(run.focus, 1440.0, 420.0);
        let plan = timeline::lane_plan(&Wish {
            machine: &run.loaded.machine,
            focus: run.focus,
            roles: &[],
            tasks: &[],
            searched: None,
            height: look.height,
            present: false,
            decisions: true,
            overview: true,
            beside: Some(["Linux 6.12, EEVDF", "Linux 4.19, CFS"]),
        });
        let second = plan.beside.as_deref().expect("two run");
        assert_eq!(second.cpus(), plan.cpus());
        let last = plan.lanes.iter().map(|lane| lane.y + lane.height).fold(0.0, f32::max);
        assert!(second.lanes.iter().all(|lane| lane.y > last));
        assert!(second.bottom <= plan.overview.expect("there is room").0);
        // One CPU differs in the middle, for five columns.
        let (bin, from) = (run.window.bin, run.window.from);
        let mut apart = vec![0; ((run.window.to - from) / bin) as usize];
        let first = apart.len() / 2;
        apart[first..first + 5].fill(bin);
        let other = Window { apart, apart_until: run.window.to, ..run.window.clone() };
        let timeline = Timeline {
            plan: &plan,
            window: &run.window,
            beside: Some(&other),
            stretch: Stretch::new(74_000_000, 98_000_000),
            labels: 280.0,
            roster: Roster { loaded: &run.loaded, moment: &run.moment },
            look: &look,
            hide_after: None,
        };
        let layout = timeline::layout(&timeline);
        for scene in [&layout.labels, &layout.marks] {
            sound(scene, 12.0, "two kernels");
        }
        let named = |mark: &schedscope_ui::scene::Mark| match &mark.shape {
            Shape::Text(_, words, _) => words.contains("Linux 4.19"),
            _ => false,
        };
        assert!(layout.labels.marks.iter().any(named));
        // The band is drawn where they differ, and says so.
        let (y, height) = second.band.expect("two run");
        let scale = timeline.scale();
        let start = from + first as u64 * bin;
        let on_band = |mark: &&schedscope_ui::scene::Mark| match mark.shape {
            Shape::Rect(rect, _) => {
                mark.fill == Ink::TextFaint && (y..y + height).contains(&rect.y)
            }
            _ => false,
        };
        let drawn: Vec<_> = layout.bars.marks.iter().filter(on_band).collect();
        assert_eq!(drawn.len(), 1, "{drawn:?}");
        let label = |time| {
            let place = timeline.at(Point::new(scale.x(time), y + height / 2.0));
            place.expect("the band").label
        };
        let cpus = run.loaded.machine.cpus.len();
        assert!(label(start + bin / 2).starts_with(&format!("1 of {cpus} CPUs differ")));
        assert!(label(start - 3 * bin).starts_with("both kernels run the same"));
        let hit = layout.labels.hits.iter().find(|hit| hit.label.starts_with("Next difference"));
        let spoken = &hit.expect("it is said").label;
        assert!(spoken.contains("the kernels differ in"), "{spoken}");
        // Pointing at the second kernel's lane finds what ran there.
        let lane = &second.lanes[0];
        let found = timeline.at(Point::new(900.0, lane.y + lane.height / 2.0)).expect("a lane");
        assert_eq!(found.cpu, Some(lane.cpu));
    }
}

#[test]
fn clicks_snap_to_marks_and_fit_bars() {
    let run = run::desktop();
    let look = look(2, 1440.0, 290.0);
    with(&run, &look, None, |timeline, _| {
        let scale = timeline.scale();
        let seen = timeline.window.decisions.iter();
        let mark =
            seen.filter(|m| m.cpu == 2 && scale.stretch.contains(m.at)).nth(3).expect("many");
        let (top, height) = timeline.plan.decisions.expect("there is a strip");
        let beside = Point::new(scale.x(mark.at) + 2.0, top + height / 2.0);
        let found = timeline.mark_near(beside).expect("it is near");
        let at = timeline.window.decisions.iter().find(|m| m.step == found).expect("a mark").at;
        assert!((scale.x(at) - beside.x).abs() <= 2.1);
        assert_eq!(timeline.mark_near(Point::new(beside.x, top - 3.0)), None);
        let lane = &timeline.plan.lanes[0];
        let bars =
            &timeline.window.lanes.iter().find(|l| l.cpu == lane.cpu).expect("asked for").bars;
        let bar = bars.iter().find(|b| b.from > 80_000_000).expect("many");
        let middle = scale.x(bar.from.midpoint(bar.to));
        let fit = timeline.fit(Point::new(middle, lane.y + lane.height / 2.0)).expect("a bar");
        assert!(
            fit.from <= bar.from && fit.to >= bar.to && fit.length() <= 2 * (bar.to - bar.from)
        );
        let rows = timeline::segments(timeline, 10);
        assert_eq!(rows.len(), 10);
        assert!(rows.iter().all(|row| row.clock.is_empty() && row.cpu.starts_with("CPU ")));
    });
}
