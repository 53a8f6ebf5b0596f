//! `schedscope explain`: what was decided in a step, check by check.

use std::io::{self, Write};
use std::path::Path;

use schedscope_analysis::words;
use schedscope_session::update::{Check, Decision, Mark, Moment, PickPicture, Picture};
use schedscope_session::{Command, Goto, Session, Update};

use crate::args::At;
use crate::{load, told};

/// Explains a step.
pub(crate) fn explain(
    file: &Path,
    at: At,
    check: Option<usize>,
    markdown: bool,
) -> Result<(), String> {
    let (mut session, _) = load(file)?;
    let goto = match at {
        At::Step(step) => Goto::Step(step),
        At::Time(time) => Goto::Time(time),
    };
    let moment = match session.handle(Command::Show { goto, focus: 0 }) {
        Update::Moment(moment) => *moment,
        Update::Rejected(problems) => return Err(told(file, &problems)),
        other => return Err(format!("unexpected answer {other:?}")),
    };
    if let At::Step(step) = at
        && moment.step < step
    {
        return Err(format!(
            "{}: the run ends at event {}; there is no event {step}",
            file.display(),
            moment.step
        ));
    }
    if markdown {
        let table = session.worked_table(moment.step).map_err(|found| told(file, &found))?;
        print!("{table}");
        return Ok(());
    }
    if let Some(k) = check {
        let last = moment.decisions.iter().map(|d| d.checks.len()).sum::<usize>();
        if k == 0 || k > last {
            return Err(format!("event {} has {last} checks; there is no check {k}", moment.step));
        }
    }
    let _ = print(&session, &moment, check);
    Ok(())
}

/// Prints what was decided at a moment.
pub(crate) fn print(session: &Session, moment: &Moment, only: Option<usize>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "event {} of {} at {}\n{}",
        words::count(moment.step),
        words::count(moment.steps),
        words::exact(moment.now as i64),
        moment.event
    )?;
    let mut number = 0;
    for decision in &moment.decisions {
        if only.is_none() {
            head(&mut out, decision)?;
        }
        for check in &decision.checks {
            number += 1;
            match only {
                Some(k) if k == number => whole(&mut out, number, check)?,
                Some(_) => {}
                None => line(&mut out, number, check)?,
            }
        }
        if only.is_none()
            && let Picture::Pick(picture) = &decision.picture
        {
            queue(&mut out, session, picture.at(usize::MAX))?;
            for level in &picture.inside {
                queue(&mut out, session, level)?;
            }
        }
    }
    Ok(())
}

fn head(out: &mut impl Write, decision: &Decision) -> io::Result<()> {
    writeln!(
        out,
        "\n{:?} on CPU {} ({})\n  {}. {}",
        decision.kind, decision.cpu, decision.cause, decision.heading, decision.sentence
    )
}

fn glyph(check: &Check) -> char {
    match check.mark {
        _ if check.skipped => '·',
        Mark::Plain => ' ',
        Mark::Busy => '■',
        Mark::Idle => '○',
        Mark::Chosen => '●',
        Mark::Kept => '◌',
        Mark::No => '✗',
        Mark::Yes => '✓',
    }
}

fn line(out: &mut impl Write, number: usize, check: &Check) -> io::Result<()> {
    writeln!(out, "  {number:>3} {} {}  → {}", glyph(check), check.title, check.result)
}

fn whole(out: &mut impl Write, number: usize, check: &Check) -> io::Result<()> {
    writeln!(
        out,
        "check {number}: {}\n  {}\n  {}\n  {}",
        check.title, check.result, check.sentence, check.kernel
    )?;
    for probe in &check.probes {
        let answer = if probe.idle { "yes" } else { "no" };
        writeln!(out, "    {:<10} CPU {:<4} {answer}", probe.code, probe.cpu)?;
    }
    Ok(())
}

fn queue(out: &mut impl Write, session: &Session, picture: &PickPicture) -> io::Result<()> {
    if picture.rows.is_empty() {
        return Ok(());
    }
    if !picture.title.is_empty() {
        writeln!(out, "      {}", picture.title)?;
    }
    writeln!(
        out,
        "      V = {}, load {}, tree by {}, keeps {}",
        words::exact(picture.v),
        words::count(picture.load),
        picture.tree_key,
        picture.tree_kept
    )?;
    writeln!(
        out,
        "      {:<6} {:>7} {:>16} {:>12} {:>10} {:>16}",
        "task", "weight", "vruntime", "lag", "slice", "deadline"
    )?;
    for row in picture.rows.iter().filter(|row| !row.gone) {
        let mut marks = Vec::new();
        if row.curr {
            marks.push("running");
        }
        if row.eligible {
            marks.push("eligible");
        }
        if row.delayed {
            marks.push("delayed");
        }
        if row.protected {
            marks.push("protected");
        }
        if picture.chosen == Some(row.task) {
            marks.push("chosen");
        }
        writeln!(
            out,
            "      {:<6} {:>7} {:>16} {:>12} {:>10} {:>16}  {}",
            session.task_name(row.task),
            row.weight,
            words::from_v(row.vruntime),
            words::signed_time(row.lag),
            words::time(row.slice),
            words::from_v(row.deadline),
            marks.join(", ")
        )?;
    }
    Ok(())
}
