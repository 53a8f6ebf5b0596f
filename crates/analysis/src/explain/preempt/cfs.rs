//! The test of CFS: is the woken task behind the running one, and by more than the granularity
//! (`wakeup_preempt_entity()`, R2.8.7)? With latency-nice, "behind" begins at an offset (R3.2.6).

use schedscope_sim::fair::evidence::{EntityEvidence, PreemptEvidence};
use schedscope_sim::fair::reason::Preempt;

use super::super::{Check, Cx, Mark};
use super::{Facts, curr_name};
use crate::words;

/// The figures of a test.
struct Figures {
    /// By how much the running task's vruntime is larger, ns of virtual time.
    ahead: i64,
    /// By how much it must be.
    granularity: i64,
    /// From where on it counts as ahead, under latency-nice.
    offset: Option<i64>,
    /// The most that `granularity` can be, under latency-nice.
    limit: Option<i64>,
}

impl Figures {
    fn of(
        figures: Option<&PreemptEvidence>,
        rows: Option<(EntityEvidence, EntityEvidence)>,
    ) -> Option<Figures> {
        let (running, woken) = rows?;
        let figures = figures?;
        Some(Figures {
            ahead: running.vruntime.since(woken.vruntime),
            granularity: figures.granularity?,
            offset: figures.latency_offset,
            limit: figures.latency_limit,
        })
    }
}

/// The outcome with its numbers.
pub(super) fn sentence(
    cx: &Cx<'_>,
    facts: &Facts,
    figures: Option<&PreemptEvidence>,
    rows: Option<(EntityEvidence, EntityEvidence)>,
) -> String {
    let (woken, curr) = (cx.name(facts.woken), curr_name(cx, facts));
    let Some(figures) = Figures::of(figures, rows) else {
        return match facts.verdict {
            Preempt::FarBehind => format!("{woken} is far enough behind {curr}."),
            _ => format!("{woken} is not far enough behind {curr}."),
        };
    };
    let by = words::time(figures.ahead.unsigned_abs());
    let needed = words::signed_span(figures.granularity);
    let behind = match figures.ahead {
        0 => format!("The vruntime of {woken} is that of {curr}"),
        1.. => format!("The vruntime of {woken} is {by} behind that of {curr}"),
        _ => format!("The vruntime of {woken} is {by} ahead of that of {curr}"),
    };
    let latency = figures.offset.map_or_else(String::new, |offset| {
        format!(" with the latency offset of {} between them", words::signed_time(offset))
    });
    // A negative offset: it may even be ahead.
    if let (Some(offset), ..=-1) = (figures.offset, figures.granularity) {
        let by = words::time(figures.granularity.unsigned_abs());
        let offset = words::signed_time(offset);
        let rule =
            format!("with the latency offset of {offset} it is enough to be less than {by} ahead");
        return match facts.verdict {
            Preempt::FarBehind => format!("{behind}; {rule}."),
            _ => format!("{behind}, which is too far: {rule}."),
        };
    }
    match facts.verdict {
        Preempt::FarBehind => format!("{behind}: more than {needed}{latency}."),
        Preempt::NearBehind => format!("{behind}, and must be more than {needed}{latency}."),
        _ if figures.offset.is_some() => format!("{behind}: not enough{latency}."),
        _ => format!("{behind}: it is not behind."),
    }
}

/// The checks with their numbers.
pub(super) fn checks(
    cx: &Cx<'_>,
    facts: &Facts,
    figures: Option<&PreemptEvidence>,
    rows: Option<(EntityEvidence, EntityEvidence)>,
    checks: &mut Vec<Check>,
) {
    let (Some(test), Some((running, other))) = (Figures::of(figures, rows), rows) else { return };
    let (woken, curr) = (cx.name(facts.woken), curr_name(cx, facts));
    let tasks = vec![facts.woken, running.task];
    let behind = facts.verdict != Preempt::NotBehind;
    let difference = words::signed_time(test.ahead);
    let of = format!("The vruntime of {curr} less that of {woken} is {difference}");
    checks.push(match test.offset {
        None => Check {
            title: format!("Is {woken} behind {curr}?"),
            result: if behind { "yes" } else { "no" }.to_owned(),
            sentence: format!("{of}."),
            kernel: "vdiff = curr->vruntime - se->vruntime; vdiff <= 0".to_owned(),
            ..Check::default()
        },
        Some(offset) => Check {
            title: format!("Is {woken} behind {curr}, by their latency-nice?"),
            result: if behind { "yes" } else { "no" }.to_owned(),
            sentence: format!(
                "{of}; the offsets are {} of {woken} and {} of {curr}, which makes {}. Below that it \
                 does not count as behind.",
                words::signed_time(other.latency_offset),
                words::signed_time(running.latency_offset),
                words::signed_time(offset)
            ),
            kernel: "vdiff < wakeup_latency_gran(curr, se)".to_owned(),
            ..Check::default()
        },
    });
    if behind {
        let far = facts.verdict == Preempt::FarBehind;
        let base = words::time(cx.setup.kernel.cfs.wakeup_granularity.0);
        let mut sentence = format!(
            "{difference} against {}: the wakeup granularity of {base} at weight {} of {woken}",
            words::signed_span(test.granularity),
            words::count(u64::from(other.weight))
        );
        if let (Some(offset), Some(limit)) = (test.offset, test.limit) {
            sentence.push_str(&format!(
                ", with the offset of {}, and never more than {}",
                words::signed_time(offset),
                words::time(limit.unsigned_abs())
            ));
        }
        checks.push(Check {
            title: "By more than the wakeup granularity?".to_owned(),
            result: if far { "yes" } else { "no" }.to_owned(),
            sentence: format!("{sentence}."),
            limit: figures.map(|figures| {
                running.vruntime.plus(-test.granularity).since(figures.queue.average)
            }),
            kernel: match test.offset {
                None => "vdiff > wakeup_gran(se)",
                Some(_) => "vdiff > min(offset + wakeup_gran(se), limit)",
            }
            .to_owned(),
            ..Check::default()
        });
    }
    for check in checks.iter_mut().rev().take(if behind { 2 } else { 1 }) {
        check.mark = if check.result == "yes" { Mark::Yes } else { Mark::No };
        check.tasks.clone_from(&tasks);
    }
}
