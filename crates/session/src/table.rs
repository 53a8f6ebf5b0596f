//! A moment worked out as Markdown: what was decided, check by check, with the figures.

use core::fmt::Write;

use schedscope_analysis::words;
use schedscope_sim::units::TaskId;

use crate::names::Names;
use crate::update::{Moment, PickPicture, Picture};

/// The decisions of a step as Markdown, with a table of checks and one of the queue for each.
pub(crate) fn markdown(moment: &Moment, names: &Names) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "## Event {} at {}\n\n{}\n",
        words::count(moment.step),
        words::exact(moment.now as i64),
        moment.event
    );
    for decision in &moment.decisions {
        let _ = writeln!(out, "### {}\n\n{}\n", cell(&decision.heading), cell(&decision.sentence));
        out.push_str("| check | result | why |\n| --- | --- | --- |\n");
        for check in &decision.checks {
            let _ = writeln!(
                out,
                "| {} | {} | {} |",
                cell(&check.title),
                cell(&check.result),
                cell(&check.sentence)
            );
        }
        out.push('\n');
        if let Picture::Pick(picture) = &decision.picture {
            queue(&mut out, picture.at(usize::MAX), names);
        }
    }
    out
}

fn queue(out: &mut String, picture: &PickPicture, names: &Names) {
    if picture.rows.is_empty() {
        return;
    }
    out.push_str("| task | weight | vruntime | lag | slice | deadline | eligible |\n");
    out.push_str("| --- | --- | --- | --- | --- | --- | --- |\n");
    for row in picture.rows.iter().filter(|row| !row.gone) {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} |",
            names.name(TaskId(row.task)),
            words::count(u64::from(row.weight)),
            words::from_v(row.vruntime),
            words::signed_time(row.lag),
            words::time(row.slice),
            words::from_v(row.deadline),
            if row.eligible { "yes" } else { "no" }
        );
    }
    out.push('\n');
}

/// Text that fits into a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
