//! The band between the lanes of two kernels: where a CPU has another task in the one than in the
//! other, as high as the CPU time that differs.

use super::Timeline;
use super::bars::{NO_KEY, clipped};
use crate::format;
use crate::geometry::Rect;
use crate::scene::Ink;
use crate::view::pen::Pen;

/// What can be pointed at: the name of the kernel below the band.
pub const DIFFERENCE: &str = "timeline.difference";

/// How much of the band a column fills at least, and in how many levels.
const LEAST: f32 = 0.4;
const LEVELS: u64 = 12;

/// Draws the band of the second run's lanes.
pub(super) fn band(pen: &mut Pen, timeline: &Timeline) {
    let (Some((y, height)), window) = (timeline.plan.band, timeline.window) else { return };
    let scale = timeline.scale();
    pen.fill(NO_KEY, Rect::new(scale.left, y, scale.right - scale.left, height), Ink::Idle);
    // On its own scale, as one CPU of 640 would not be seen.
    let most = window.apart.iter().copied().max().unwrap_or(0).max(window.bin);
    let level = |ns: u64| (u128::from(ns) * u128::from(LEVELS)).div_ceil(u128::from(most));
    let mut at = window.from;
    for same in window.apart.chunk_by(|a, b| level(*a) == level(*b)) {
        let to = at + same.len() as u64 * window.bin;
        let share = level(same[0]) as f32 / LEVELS as f32;
        if share > 0.0
            && let Some((x0, x1)) = clipped(timeline, at, to)
        {
            let high = height * (LEAST + (1.0 - LEAST) * share);
            let rect = Rect::new(x0, y + height - high, (x1 - x0).max(1.0), high);
            pen.fill(NO_KEY, rect, Ink::TextFaint);
        }
        at = to;
    }
}

/// What the band says of a time.
pub(super) fn at(timeline: &Timeline, time: u64) -> String {
    let window = timeline.window;
    let bin = time.saturating_sub(window.from) / window.bin.max(1);
    let ns = window.apart.get(bin as usize).copied();
    let at = format!("{} ms", format::absolute(time));
    match ns.filter(|_| time < window.apart_until) {
        None => format!("not simulated yet, {at}"),
        Some(0) => format!("both kernels run the same, {at}"),
        Some(ns) => format!("{} of {} CPUs differ, {at}", tenths(ns, window.bin), cpus(timeline)),
    }
}

/// What the band says of the stretch in view.
pub(super) fn in_view(timeline: &Timeline) -> String {
    let (window, stretch) = (timeline.window, timeline.scale().stretch);
    let start = |bin: usize| window.from + bin as u64 * window.bin;
    let bins = window.apart.iter().enumerate();
    let seen = bins.filter(|(bin, _)| start(bin + 1) > stretch.from && start(*bin) < stretch.to);
    let hidden = timeline.hide_after.unwrap_or(u64::MAX);
    let (mut ns, mut differ, mut all) = (0, 0u64, 0u64);
    for (_, apart) in seen.filter(|(bin, _)| start(*bin) < window.apart_until.min(hidden)) {
        (ns, differ, all) = (ns + apart, differ + u64::from(*apart > 0), all + 1);
    }
    if differ == 0 {
        return "In view both kernels run the same".to_owned();
    }
    let [part, whole] = [differ, all].map(|bins| format::duration(bins * window.bin));
    format!(
        "In view the kernels differ in {part} of {whole}, on average on {} of {} CPUs",
        tenths(ns, all * window.bin),
        cpus(timeline)
    )
}

fn cpus(timeline: &Timeline) -> usize {
    timeline.roster.loaded.machine.cpus.len()
}

/// How many CPUs that is on average: "1.3", at least "0.1".
fn tenths(ns: u64, of: u64) -> String {
    let tenths = (ns * 10).div_ceil(of.max(1));
    match tenths % 10 {
        0 => format!("{}", tenths / 10),
        part => format!("{}.{part}", tenths / 10),
    }
}
