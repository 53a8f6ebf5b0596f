//! From the state to what the views of `schedscope-ui` are given.

use crate::ctx::Ctx;
use schedscope_session::update::{PickRow, Picture};
use schedscope_ui::action::Load;
use schedscope_ui::scene::Scene;
use schedscope_ui::state::{AppState, Mode, Tab};
use schedscope_ui::view::axis::AxisMemory;
use schedscope_ui::view::{Drag, Look, Roster, groups, metrics, pick, tree};

/// Who is who, if there is anybody.
#[must_use]
pub fn roster(state: &AppState) -> Option<Roster<'_>> {
    Some(Roster { loaded: state.doc.as_ref()?, moment: state.moment.as_ref()? })
}

/// How a view of this size is to be laid out now.
#[must_use]
pub fn look(ctx: &Ctx, width: f32, height: f32) -> Look {
    let drag = ctx.carry.as_ref().map(|carry| {
        let row = match carry.load {
            Load::Row(row) => row,
            // A pattern has no row yet: the CPU is lit all the same.
            Load::Pattern(_) => u16::MAX,
        };
        Drag { row, over: carry.over, pin: carry.pin }
    });
    Look {
        present: ctx.mode == Mode::Present,
        coarse: ctx.viewport.coarse,
        focus_cpu: ctx.focus,
        selected: ctx.selected,
        hover: ctx.hover,
        decision: ctx.cursor.decision,
        check: ctx.cursor.check,
        probe: ctx.cursor.probe,
        drag,
        lens: ctx.lens,
        load: ctx.load,
        ..Look::new(width, height)
    }
}

/// The picture of the decision panel: a pick, a tree, groups; the queue as it stands if nothing
/// was decided. Placements are drawn on the machine.
#[must_use]
pub fn decision_scene(
    ctx: &Ctx,
    axis: &mut AxisMemory,
    open: bool,
    width: f32,
    height: f32,
) -> Option<Scene> {
    let roster = roster(ctx)?;
    let look = look(ctx, width, height);
    let decision = ctx.decision();
    let checks = decision.map(|d| d.checks.as_slice());
    if let Some(scene) = supposed_scene(ctx, axis, open, &look) {
        return Some(scene);
    }
    match ctx.tab {
        Tab::Pick | Tab::Tree => {
            let (picture, checks) = match decision.map(|d| &d.picture) {
                Some(Picture::Pick(picture)) => (picture, checks),
                _ => (roster.moment.queue.as_ref()?, None),
            };
            if ctx.tab == Tab::Tree {
                return Some(tree::layout(picture, checks, &roster, &look));
            }
            // The axis is frozen while one steps inside a decision.
            let domain = Some(axis.domain(ctx.cursor.step, ctx.cursor.decision, picture));
            let extra = pick::Extra { checks, domain, open, ..pick::Extra::default() };
            Some(pick::layout_with(picture, &extra, &roster, &look))
        }
        Tab::Metrics => {
            let second = ctx.beside.as_ref();
            let pair = second.and_then(|second| {
                let kernels = [&*roster.loaded.kernel.preset, &*second.with];
                Some(metrics::Pair { metrics: second.metrics.as_deref()?, kernels })
            });
            Some(metrics::layout_pair(ctx.metrics.as_ref()?, pair, &roster, &look))
        }
        Tab::Placement => match decision.map(|d| &d.picture) {
            Some(Picture::Groups(_)) => Some(groups::layout(decision?, roster, &look)),
            _ => None,
        },
        Tab::Machine | Tab::Tasks => None,
    }
}

/// A pick as it would be with the value that is being chosen, with the bar of before dashed.
fn supposed_scene(ctx: &Ctx, axis: &mut AxisMemory, open: bool, look: &Look) -> Option<Scene> {
    let (decision, moment) = (ctx.supposed_decision()?, ctx.what_if.as_ref()?);
    let (Picture::Pick(now), Picture::Pick(then)) = (&ctx.decision()?.picture, &decision.picture)
    else {
        return None;
    };
    let roster = Roster { loaded: ctx.doc.as_ref()?, moment };
    let look = Look { check: usize::MAX, ..look.clone() };
    let checks = Some(decision.checks.as_slice());
    match ctx.tab {
        Tab::Pick => {
            let changed = |row: &&PickRow| {
                ctx.selected.is_some() && roster.row_number(row.task) == ctx.selected
            };
            let what_if = now.at(usize::MAX).rows.iter().find(changed).copied();
            let domain = Some(axis.domain(ctx.cursor.step, ctx.cursor.decision, now));
            let extra = pick::Extra { checks, domain, open, what_if, ..pick::Extra::default() };
            Some(pick::layout_with(then, &extra, &roster, &look))
        }
        Tab::Tree => Some(tree::layout(then, checks, &roster, &look)),
        _ => None,
    }
}

/// The picture of the tab, for a file.
#[must_use]
pub fn export_scene(ctx: &Ctx, width: f32, height: f32) -> Option<Scene> {
    if ctx.tab != Tab::Placement
        && let Some(scene) = decision_scene(ctx, &mut AxisMemory::default(), true, width, height)
    {
        return Some(scene);
    }
    machine_layout(ctx, width, height).map(schedscope_ui::view::machine::MachineLayout::merged)
}

/// The machine at this size.
#[must_use]
pub fn machine_layout(
    ctx: &Ctx,
    width: f32,
    height: f32,
) -> Option<schedscope_ui::view::machine::MachineLayout> {
    use schedscope_ui::view::machine::{self, MachineGeometry, Room};
    let roster = roster(ctx)?;
    let look = look(ctx, width, height);
    let machine = &roster.loaded.machine;
    let geometry = MachineGeometry::new(machine, Room::of(&look, roster));
    Some(machine::draw(&geometry, machine, roster.moment, roster, &look))
}

/// What a file's picture is of.
#[must_use]
pub fn export_title(ctx: &Ctx) -> String {
    let Some(doc) = &ctx.doc else { return String::new() };
    format!(
        "{}, {}, seed {}, t = {} ms, schedscope {}",
        doc.title,
        doc.kernel.name,
        doc.seed,
        schedscope_ui::format::absolute(ctx.now()),
        env!("CARGO_PKG_VERSION")
    )
}
