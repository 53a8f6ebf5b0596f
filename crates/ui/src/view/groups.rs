//! Groups of CPUs compared, as the slow path of a fork or the balancer sees them.
//!
//! One strip a sched domain, from the widest down; across are its groups in CPU order. The measure
//! that decided is printed bold, and its bars share a scale, so the group chosen can be read off.
//! What was chosen opens, as a tinted wedge, into the groups of the level below, and at the end
//! into the CPU.

use schedscope_session::order;
use schedscope_session::update::{
    Decision, DecisionKind, GroupLevel, GroupView, GroupsPicture, Picture,
};

use super::machine::is_over;
use super::pen::{Pen, TaskInk, plain, stroke};
use super::{Look, Roster};
use crate::format;
use crate::geometry::{Point, Rect};
use crate::scene::{Anchor, Ink, Scene, Target};
use crate::text;

/// What the groups of a level are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The kind alone: one has spare capacity and another is overloaded.
    Kind,
    /// Utilisation, where as many CPUs are idle.
    Util,
    /// Idle CPUs: most is idlest.
    Idle,
    /// Load: least is idlest, most is busiest.
    Load,
    /// Runnable tasks.
    Running,
}

/// A wedge between a group and what it opens into.
const WEDGE: f32 = 14.0;

/// The groups of a fork placement or of a balance pass, up to the check looked at.
#[must_use]
pub fn layout(decision: &Decision, roster: Roster, look: &Look) -> Scene {
    let Picture::Groups(picture) = &decision.picture else {
        return Scene::new(look.width, 0.0);
    };
    let view =
        View { decision, picture, roster, look, size: if look.present { 20.0 } else { 12.0 } };
    view.draw()
}

/// What decided a level. The kernel compares kinds first; among groups that have spare capacity a
/// fork looks at idle CPUs, then at utilisation, and the balancer at tasks; otherwise load decides.
#[must_use]
pub fn measure(level: &GroupLevel, kind: DecisionKind) -> Measure {
    let chosen = level.groups.iter().find(|group| group.chosen);
    let local = level.groups.iter().find(|group| group.local);
    let Some(decisive) = chosen.or(local) else { return Measure::Load };
    let others = || level.groups.iter().filter(|group| group.span != decisive.span);
    if others().next().is_some() && others().all(|group| group.kind != decisive.kind) {
        return Measure::Kind;
    }
    match (kind, decisive.kind.as_str()) {
        (DecisionKind::Balance, "has_spare") => Measure::Running,
        (DecisionKind::Balance, _) => Measure::Load,
        (_, "has_spare")
            if others().all(|group| group.idle_cpus == decisive.idle_cpus)
                && others().any(|group| group.util != decisive.util) =>
        {
            Measure::Util
        }
        (_, "has_spare") => Measure::Idle,
        _ => Measure::Load,
    }
}

/// How many CPUs a list with ranges names.
#[must_use]
pub fn count(span: &str) -> u32 {
    span.split(',')
        .map(|part| match part.trim().split_once('-') {
            Some((from, to)) => match (from.parse::<u32>(), to.parse::<u32>()) {
                (Ok(from), Ok(to)) if to >= from => to - from + 1,
                _ => 0,
            },
            None => u32::from(part.trim().parse::<u32>().is_ok()),
        })
        .sum()
}

/// The first CPU of a list.
fn first(span: &str) -> u32 {
    let digits = span.find(|c: char| !c.is_ascii_digit()).map_or(span, |end| &span[..end]);
    digits.parse().unwrap_or(u32::MAX)
}

impl Measure {
    fn of(self, group: &GroupView) -> u64 {
        match self {
            Measure::Idle => u64::from(group.idle_cpus),
            Measure::Load | Measure::Kind => group.load,
            Measure::Util => group.util,
            Measure::Running => u64::from(group.nr_running),
        }
    }

    fn words(self, group: &GroupView) -> [String; 3] {
        let number = self.of(group);
        let counted = format::count(number);
        match self {
            Measure::Kind => {
                let kind = group.kind.replace('_', " ");
                [kind.clone(), kind.clone(), kind]
            }
            Measure::Idle => {
                let of = count(&group.span);
                [format!("{number} of {of} idle"), format!("{number} idle"), counted]
            }
            Measure::Load => [format!("load {counted}"), counted.clone(), counted],
            Measure::Util => [format!("util {counted}"), counted.clone(), counted],
            Measure::Running => [format!("{number} running"), counted.clone(), counted],
        }
    }

    /// The other figures, for the second line.
    fn rest(self, group: &GroupView) -> [String; 2] {
        let kind = group.kind.replace('_', " ");
        let idle = format!("{} of {} idle", group.idle_cpus, count(&group.span));
        let load = format!("load {}", format::count(group.load));
        let figure = match self {
            Measure::Idle => load,
            Measure::Kind | Measure::Load | Measure::Running | Measure::Util => idle,
        };
        if self == Measure::Kind || kind.is_empty() {
            let running = format!("{} running", group.nr_running);
            [format!("{running}, {figure}"), running]
        } else {
            [format!("{kind}, {figure}"), kind]
        }
    }
}

struct View<'a> {
    decision: &'a Decision,
    picture: &'a GroupsPicture,
    roster: Roster<'a>,
    look: &'a Look,
    size: f32,
}

impl View<'_> {
    fn fork(&self) -> bool {
        self.decision.kind != DecisionKind::Balance
    }

    fn over(&self) -> bool {
        is_over(self.decision, self.look.check)
    }

    /// How many levels are known: one a check, all once the last check is made.
    fn known(&self) -> usize {
        let levels = self.picture.levels.len();
        if self.over() { levels } else { self.look.check.saturating_add(1).min(levels) }
    }

    fn beside(&self) -> bool {
        self.look.width >= 40.0 * self.size
    }

    fn draw(&self) -> Scene {
        let levels = self.picture.levels.len().max(1) as f32;
        let title = if self.beside() { 0.0 } else { self.size * 1.5 };
        let end = self.end_height();
        let room = self.look.height - end - 4.0;
        let strip = ((room - (levels - 1.0) * WEDGE) / levels - title)
            .clamp(3.8 * self.size, 6.4 * self.size);
        let height = levels * (strip + title) + (levels - 1.0) * WEDGE + end + 4.0;
        let mut pen = Pen::new(self.look.width, height);
        let mut y = 2.0;
        let mut from: Option<Rect> = None;
        for (i, level) in self.picture.levels.iter().enumerate() {
            let left = if self.beside() { 8.5 * self.size } else { 1.0 };
            let field = Rect::new(left, y + title, self.look.width - left - 1.0, strip);
            if i < self.known() {
                if let Some(above) = from.take() {
                    wedge(&mut pen, i, above, field, title);
                }
                self.title(&mut pen, i, level, y, field);
                from = self.level(&mut pen, i, level, field);
            }
            y += title + strip + WEDGE;
        }
        if self.fork() {
            self.landing(&mut pen, from, y);
        } else {
            self.moved(&mut pen, y);
        }
        pen.done()
    }

    fn end_height(&self) -> f32 {
        2.8 * self.size + WEDGE
    }

    /// Name of the domain and how many groups it has.
    fn title(&self, pen: &mut Pen, i: usize, level: &GroupLevel, y: f32, field: Rect) {
        let name = plain(self.size, Ink::Text).weight(600);
        let about = plain(self.size, Ink::TextFaint);
        let n = level.groups.len();
        let groups = if n == 1 { "1 group".to_owned() } else { format!("{n} groups") };
        if self.beside() {
            let middle = field.centre().y;
            let room = (1.0, field.x - 8.0);
            let apart = 0.75 * self.size;
            pen.text_if_fits(format!("level/{i}/name"), room, middle - apart, &level.domain, name);
            pen.text_if_fits(format!("level/{i}/about"), room, middle + apart, &groups, about);
        } else {
            let middle = y + self.size * 0.75;
            pen.text(format!("level/{i}/name"), 1.0, middle, level.domain.clone(), name);
            let from = 1.0 + text::width(&level.domain, name) + 8.0;
            let room = (from, self.look.width);
            pen.text_if_fits(format!("level/{i}/about"), room, middle, &groups, about);
        }
    }

    /// The groups of a level side by side; gives the rectangle of the chosen one.
    fn level(&self, pen: &mut Pen, i: usize, level: &GroupLevel, field: Rect) -> Option<Rect> {
        let n = level.groups.len().max(1) as f32;
        let gap = if field.w / n > 60.0 {
            8.0
        } else if field.w / n > 14.0 {
            3.0
        } else {
            1.0
        };
        let wide = (field.w - (n - 1.0) * gap) / n;
        let measure = measure(level, self.decision.kind);
        let most = level.groups.iter().map(|group| measure.of(group)).max().unwrap_or(0).max(1);
        let most = match measure {
            // A full bar is all CPUs of the largest group.
            Measure::Idle => {
                u64::from(level.groups.iter().map(|g| count(&g.span)).max().unwrap_or(1)).max(1)
            }
            Measure::Kind | Measure::Load | Measure::Util | Measure::Running => most,
        };
        let mut chosen = None;
        // The kernel's order begins with the local group; the picture's is that of the machine.
        let mut groups: Vec<&GroupView> = level.groups.iter().collect();
        order::sort_by_key(&mut groups, |group| first(&group.span));
        for (j, group) in groups.into_iter().enumerate() {
            let rect = Rect::new(field.x + j as f32 * (wide + gap), field.y, wide, field.h);
            let share = measure.of(group) as f32 / most as f32;
            self.group(pen, &format!("level/{i}/group/{j}"), group, rect, measure, share);
            if group.chosen {
                chosen = Some(rect);
            }
        }
        chosen
    }

    fn group(
        &self,
        pen: &mut Pen,
        key: &str,
        group: &GroupView,
        rect: Rect,
        measure: Measure,
        share: f32,
    ) {
        let size = self.size;
        let edge = if group.chosen {
            stroke(Ink::Accent, if self.look.present { 5.0 } else { 3.0 })
        } else if group.local {
            stroke(Ink::TextSoft, 1.5)
        } else {
            stroke(Ink::LineStrong, 1.0)
        };
        let inner = if group.chosen { rect.inset(1.5) } else { rect.inset(0.5) };
        pen.rect(key, inner, 4.0, Ink::Plot, edge);
        self.bar(pen, key, group, rect, share);
        let (from, to) = (rect.x + 0.6 * size, rect.right() - 0.6 * size);
        if to - from < 1.5 * size {
            self.tell(pen, group, rect);
            return;
        }
        // First line: the measure that decides; then the span and the roles, as far as they fit.
        let bold = plain(size, if group.chosen { Ink::Accent } else { Ink::Text }).weight(600);
        let first = rect.y + size * 1.05;
        let role = self.role(group);
        let role_style = plain(size, Ink::TextSoft).anchor(Anchor::End);
        for words in measure.words(group) {
            if pen.text_if_fits(format!("{key}/measure"), (from, to), first, &words, bold) {
                let free = from + text::width(&words, bold) + 0.8 * size;
                pen.text_if_fits(format!("{key}/role"), (free, to), first, role, role_style);
                break;
            }
        }
        let faint = plain(size, Ink::TextFaint);
        let last = rect.bottom() - size * 0.95;
        let span = format!("CPU {}", group.span);
        let span = if count(&group.span) > 1 { span.replacen("CPU", "CPUs", 1) } else { span };
        // Cut after a whole range, never inside a number.
        let head = group.span.split(',').next().unwrap_or_default();
        _ = [span, group.span.clone(), format!("CPUs {head}, …"), format!("{head}, …")]
            .iter()
            .any(|span| pen.text_if_fits(format!("{key}/span"), (from, to), last, span, faint));
        if rect.h >= 5.6 * size {
            let middle = rect.bottom() - size * 2.3;
            let lines = measure.rest(group);
            _ = lines.iter().any(|line| {
                pen.text_if_fits(format!("{key}/rest"), (from, to), middle, line, faint)
            });
        }
        self.tell(pen, group, rect);
    }

    /// The bar of the measure: idle CPUs as room in a track, load and tasks as a filled length.
    fn bar(&self, pen: &mut Pen, key: &str, group: &GroupView, rect: Rect, share: f32) {
        let size = self.size;
        let fill = if group.chosen { Ink::Accent } else { Ink::Axis };
        let narrow = rect.w < 2.7 * size;
        let (track, part) = if narrow {
            let track = rect.inset(if rect.w > 8.0 { 3.0 } else { 1.5 });
            let high = track.h * share;
            (track, Rect::new(track.x, track.bottom() - high, track.w, high))
        } else {
            let y = rect.y + size * 1.95;
            let track = Rect::new(rect.x + 0.6 * size, y, rect.w - 1.2 * size, 0.5 * size);
            (track, Rect { w: track.w * share, ..track })
        };
        pen.rect(format!("{key}/track"), track, 1.0, Ink::Idle, stroke(Ink::IdleEdge, 1.0));
        if share > 0.0 {
            pen.fill(format!("{key}/bar"), part, fill);
        }
    }

    fn role(&self, group: &GroupView) -> &'static str {
        match (group.local, group.chosen, self.fork()) {
            (true, true, true) => "local, stays",
            (true, true, false) => "local, busiest",
            (true, false, _) => "local",
            (false, true, true) => "chosen",
            (false, true, false) => "busiest",
            (false, false, _) => "",
        }
    }

    /// What a tooltip says of a group.
    fn tell(&self, pen: &mut Pen, group: &GroupView, rect: Rect) {
        let role = self.role(group);
        let label = format!(
            "CPUs {}: {}, {} running, {} idle, load {}, util {}{}{role}",
            group.span,
            group.kind,
            group.nr_running,
            group.idle_cpus,
            group.load,
            group.util,
            if role.is_empty() { "" } else { ", " },
        );
        pen.hit(rect, Target::Named("group"), label);
    }

    /// Where a new task starts.
    fn landing(&self, pen: &mut Pen, from: Option<Rect>, y: f32) {
        let (Some(cpu), true) = (self.picture.chosen, self.over()) else { return };
        let size = self.size;
        let words = format!("starts on CPU {cpu}");
        let style = plain(size, Ink::Text).weight(600);
        let task = self.decision.task;
        let label = task.map(|task| self.roster.label(task)).unwrap_or_default();
        let chip = 1.8 * size;
        let chip_w = if task.is_some() { chip.max(text::width(&label, style) + 8.0) } else { 0.0 };
        let wide = text::width(&words, style) + chip_w + 2.6 * size;
        let left = if self.beside() { 8.5 * size } else { 3.0 };
        let x = from
            .map_or(left, |rect| rect.centre().x - wide / 2.0)
            .clamp(left, (self.look.width - wide - 5.0).max(left));
        let rect = Rect::new(x + 1.0, y, wide, 2.6 * size);
        if let Some(above) = from {
            wedge(pen, usize::MAX, above, rect, 0.0);
        }
        let width = if self.look.present { 6.0 } else { 3.5 };
        pen.rect("landing", rect, 4.0, Ink::Plot, stroke(Ink::Accent, width));
        let middle = rect.centre().y;
        if let Some(task) = task {
            let ink = TaskInk::of(&self.roster, task);
            let at = Rect::new(rect.x + 0.6 * size, middle - chip / 2.0, chip_w, chip);
            pen.rect(format!("task/{task}"), at, 3.0, ink.fill, stroke(ink.edge, 1.0));
            let letter = plain(size, ink.text).weight(650).anchor(Anchor::Middle);
            let at = at.centre();
            pen.text(format!("task/{task}/letter"), at.x, at.y, label, letter);
        }
        pen.text("landing/words", rect.x + 1.2 * size + chip_w, middle, words, style);
        pen.hit(rect, Target::Cpu(cpu), format!("CPU {cpu}"));
    }

    /// What a balance pass moved.
    fn moved(&self, pen: &mut Pen, y: f32) {
        if !self.over() {
            return;
        }
        let size = self.size;
        let left = if self.beside() { 8.5 * size } else { 1.0 };
        let style = plain(size, Ink::Text).weight(600);
        let middle = y + 1.3 * size;
        let to = self.picture.this_cpu;
        let words = match (self.picture.moved.len(), self.picture.chosen) {
            (0, _) => vec!["nothing moves".to_owned()],
            (_, Some(from)) => vec![format!("CPU {to} pulls from CPU {from}:"), "pulls".to_owned()],
            (_, None) => vec![format!("CPU {to} pulls"), "pulls".to_owned()],
        };
        // The words leave room for at least one task.
        let room = (left, self.look.width - 8.0 * size);
        let put =
            |pen: &mut Pen, words: &String| pen.text_if_fits("moved", room, middle, words, style);
        let said = words.iter().find(|words| put(pen, words));
        let mut x = left + said.map_or(0.0, |words| text::width(words, style) + 10.0);
        for (i, &task) in self.picture.moved.iter().enumerate() {
            let label = self.roster.label(task);
            let ink = TaskInk::of(&self.roster, task);
            let letter = plain(size, ink.text).weight(650).anchor(Anchor::Middle);
            let wide = (1.6 * size).max(text::width(&label, letter) + 8.0);
            if x + wide + 3.0 * size > self.look.width {
                let more = format!("+{}", self.picture.moved.len() - i);
                let soft = plain(size, Ink::TextSoft);
                pen.text_if_fits("moved/more", (x, self.look.width), middle, &more, soft);
                break;
            }
            let at = Rect::new(x, middle - 0.8 * size, wide, 1.6 * size);
            pen.rect(format!("task/{task}"), at, 3.0, ink.fill, stroke(ink.edge, 1.0));
            pen.text(format!("task/{task}/letter"), at.centre().x, middle, label, letter);
            pen.hit(at, Target::Task(task), self.roster.name(task));
            x += wide + 4.0;
        }
    }
}

/// The chosen group opens into the level below.
fn wedge(pen: &mut Pen, i: usize, above: Rect, below: Rect, title: f32) {
    let (top, bottom) = (above.bottom() + 1.5, below.y - 1.0);
    let points = vec![
        Point::new(above.x, top),
        Point::new(above.right(), top),
        Point::new(below.right(), bottom - title),
        Point::new(below.right(), bottom),
        Point::new(below.x, bottom),
        Point::new(below.x, bottom - title),
    ];
    let key = if i == usize::MAX { "wedge/end".to_owned() } else { format!("wedge/{i}") };
    pen.polygon(key, points, Ink::AccentTint, None);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_counted() {
        let found = ["0-63,128-191", "7", "", "0-3,9,12-13"].map(count);
        assert_eq!(found, [128, 1, 0, 7]);
        assert_eq!(["15,143", "8-9", ""].map(first), [15, 8, u32::MAX]);
    }
}
