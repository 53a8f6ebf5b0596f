//! One CPU's cell, at each detail.

use std::collections::{BTreeMap, BTreeSet};

use schedscope_session::update::{Cpu, CpuView, Task, TaskState};

use super::geometry::MachineGeometry;
use super::metrics::{Detail, QueueCell};
use crate::format;
use crate::geometry::Rect;
use crate::scene::{Anchor, Dash, Ink};
use crate::text;
use crate::view::pen::{Pen, TaskInk, dashed, plain, stroke};
use crate::view::{Look, Roster};

/// The clock at which a frequency bar is full, kHz.
const FULL_CLOCK: f32 = 5_500_000.0;

/// All that a cell's look depends on.
#[derive(Clone, Debug)]
pub struct Cells<'a> {
    /// Where the cells are.
    pub geometry: &'a MachineGeometry,
    /// Who is who.
    pub roster: Roster<'a>,
    /// The CPUs as they stood; see [`super::stage`].
    pub cpus: &'a [CpuView],
    /// What is selected and pointed at.
    pub look: &'a Look,
    /// CPUs whose number is in accent: they have been examined.
    pub examined: BTreeSet<Cpu>,
    /// CPUs that are drawn as empty outlines: the task may not go there.
    pub faded: BTreeSet<Cpu>,
    /// Height at the foot of each cell kept free of queues.
    pub foot: f32,
    /// Lines of role tags below the queues of some CPUs.
    pub tags: BTreeMap<Cpu, usize>,
    /// CPUs whose label gives way to a mark.
    pub quiet: BTreeSet<Cpu>,
    /// What the keys of the marks begin with, where a CPU is drawn a second time.
    pub prefix: &'static str,
}

impl<'a> Cells<'a> {
    /// The cells of a plain machine.
    #[must_use]
    pub fn new(
        geometry: &'a MachineGeometry,
        roster: Roster<'a>,
        cpus: &'a [CpuView],
        look: &'a Look,
    ) -> Cells<'a> {
        Cells {
            geometry,
            roster,
            cpus,
            look,
            examined: BTreeSet::new(),
            faded: BTreeSet::new(),
            foot: 0.0,
            tags: BTreeMap::new(),
            quiet: BTreeSet::new(),
            prefix: "",
        }
    }

    /// Draws a CPU's cell; all its marks lie within [`MachineGeometry::dirty`].
    pub fn draw(&self, pen: &mut Pen, cpu: Cpu) {
        let Some(&rect) = self.geometry.cells.get(usize::from(cpu)) else { return };
        match self.geometry.detail {
            Detail::Queue => self.queue(pen, cpu, rect),
            Detail::Card => self.card(pen, cpu, rect),
            Detail::Task => self.task(pen, cpu, rect),
            Detail::Cell | Detail::Mass => self.small(pen, cpu, rect),
        }
    }

    pub(super) fn view(&self, cpu: Cpu) -> Option<&CpuView> {
        self.cpus.get(usize::from(cpu))
    }

    /// Height at the foot of a cell kept free of its queue, its tags included.
    fn foot(&self, cpu: Cpu) -> f32 {
        let lines = self.tags.get(&cpu).copied().unwrap_or(0);
        self.foot + lines as f32 * self.tag_pitch()
    }

    /// From one line of role tags to the next.
    pub(crate) fn tag_pitch(&self) -> f32 {
        self.small_text() + 6.0
    }

    pub(super) fn waiting(&self, cpu: Cpu) -> &[Task] {
        self.view(cpu).map_or(&[], |view| &view.waiting)
    }

    /// Ink of a CPU number.
    fn number_ink(&self, cpu: Cpu, over: Ink) -> (Ink, u16) {
        if self.examined.contains(&cpu) { (Ink::Accent, 700) } else { (over, 400) }
    }

    /// Whether a task belongs to the row under the pointer or the selected one.
    fn lit(&self, task: Task) -> Option<f32> {
        let row = self.roster.moment.tasks.get(task as usize)?.row;
        if self.look.hover == Some(row) {
            Some(2.0)
        } else if self.look.selected == Some(row) {
            Some(1.5)
        } else {
            None
        }
    }

    /// What a task's rectangle is outlined with.
    pub(super) fn edge(&self, task: Task, ink: TaskInk) -> crate::scene::Stroke {
        self.lit(task).map_or(stroke(ink.edge, 1.0), |width| stroke(Ink::Text, width))
    }

    /// Whether a task sleeps but is still queued.
    fn delayed(&self, task: Task) -> bool {
        let task = self.roster.moment.tasks.get(task as usize);
        task.is_some_and(|task| task.state == TaskState::Delayed)
    }

    /// How a task is drawn on a CPU: where the task looked at may not go, without its colour.
    pub(super) fn task_ink(&self, cpu: Cpu, task: Task) -> TaskInk {
        if self.faded.contains(&cpu) {
            TaskInk {
                fill: Ink::Background,
                edge: Ink::LineStrong,
                text: Ink::TextFaint,
                ..TaskInk::grey()
            }
        } else {
            TaskInk::of(&self.roster, task)
        }
    }

    /// How an idle CPU is drawn.
    pub(super) fn idle_ink(&self, cpu: Cpu) -> (Ink, Ink) {
        let faded = self.faded.contains(&cpu);
        if faded { (Ink::Background, Ink::Line) } else { (Ink::Idle, Ink::IdleEdge) }
    }

    /// What may stand for a task, the best first: "J41", "J".
    pub(super) fn labels(&self, task: Task) -> Vec<String> {
        let row = self.roster.row(task).map(|row| row.letter.clone());
        core::iter::once(self.roster.label(task)).chain(row).collect()
    }

    pub(super) fn small_text(&self) -> f32 {
        self.geometry.small()
    }

    fn queue(&self, pen: &mut Pen, cpu: Cpu, rect: Rect) {
        let prefix = self.prefix;
        let parts = QueueCell::new(self.geometry.present);
        let small = self.small_text();
        let view = self.view(cpu);
        let curr = view.and_then(|view| view.curr);
        let (ink, weight) = self.number_ink(cpu, Ink::TextFaint);
        let mono = crate::scene::TextStyle { mono: true, ..plain(small, ink).weight(weight) };
        let line = rect.y + parts.top / 2.0;
        let number = cpu.to_string();
        pen.text(format!("{prefix}cpu/{cpu}/number"), rect.x + 2.0, line, number.clone(), mono);
        // The clock of an idle CPU says nothing yet.
        let khz = view.filter(|view| view.curr.is_some()).map_or(0, |view| view.khz);
        if khz > 0 {
            let ghz = format::ghz(khz);
            let style = plain(small, Ink::TextFaint);
            let style = crate::scene::TextStyle { mono: true, anchor: Anchor::End, ..style };
            let from = rect.x + 2.0 + text::width(&number, mono) + 6.0;
            if rect.w >= 54.0 {
                let key = format!("{prefix}cpu/{cpu}/ghz");
                let room = (from, rect.right() - 2.0);
                _ = [format!("{ghz} GHz"), ghz]
                    .iter()
                    .any(|words| pen.text_if_fits(key.clone(), room, line, words, style));
            }
        }
        let block = self.block(rect);
        match curr {
            Some(task) => {
                let ink = self.task_ink(cpu, task);
                // The task's own key: it moves here from where it waited.
                let key = format!("{prefix}task/{task}");
                pen.rect(key, block, 2.0, ink.fill, self.edge(task, ink));
                let label = self.roster.label(task);
                let full = if self.geometry.present { 28.0 } else { 17.0 };
                let steps = [full, full * 0.82, small];
                let style = steps
                    .map(|size| plain(size, ink.text).weight(600).anchor(Anchor::Middle))
                    .into_iter()
                    .find(|&style| text::width(&label, style) <= block.w - 4.0);
                if let Some(style) = style {
                    let at = block.centre();
                    pen.text(format!("{prefix}task/{task}/letter"), at.x, at.y, label, style);
                }
            }
            None => {
                let key = format!("{prefix}cpu/{cpu}/idle");
                let (fill, edge) = self.idle_ink(cpu);
                pen.rect(key, block, 2.0, fill, stroke(edge, 1.0));
                let style = plain(small, Ink::TextFaint).anchor(Anchor::Middle);
                let key = format!("{prefix}cpu/{cpu}/label");
                let middle = block.centre().y;
                pen.text_if_fits(key, (block.x + 1.0, block.right() - 1.0), middle, "idle", style);
            }
        }
        if khz > 0 {
            let share = (khz as f32 / FULL_CLOCK).min(1.0);
            let bar = Rect::new(block.x, block.bottom() + 1.5, block.w * share, 2.0);
            pen.fill(format!("{prefix}cpu/{cpu}/clock"), bar, Ink::TextSoft);
        }
        self.stack(pen, cpu, rect, block.bottom() + 6.0);
    }

    /// The block of what runs, in a cell of [`Detail::Queue`].
    pub(crate) fn block(&self, rect: Rect) -> Rect {
        let parts = QueueCell::new(self.geometry.present);
        let height = (rect.h * 0.25).clamp(parts.block.0, parts.block.1);
        Rect::new(rect.x + 0.5, rect.y + parts.top, rect.w - 1.0, height)
    }

    /// Where the queue of a cell of [`Detail::Queue`] ends.
    pub(crate) fn stack_end(&self, cpu: Cpu, rect: Rect) -> f32 {
        let top = self.block(rect).bottom() + 6.0;
        let (columns, rows) = self.stack_grid(cpu, rect, top);
        let rows = self.waiting(cpu).len().div_ceil(columns).min(rows);
        top + rows as f32 * QueueCell::new(self.geometry.present).pitch()
    }

    /// Columns and rows of the queue: one below the other while there is room, then side by side.
    fn stack_grid(&self, cpu: Cpu, rect: Rect, top: f32) -> (usize, usize) {
        let pitch = QueueCell::new(self.geometry.present).pitch();
        let rows = ((rect.bottom() - self.foot(cpu) - top) / pitch).floor().max(0.0) as usize;
        let most = ((rect.w + 1.0) / (2.0 * self.small_text() + 2.0)).floor().max(1.0) as usize;
        let needed = self.waiting(cpu).len().div_ceil(rows.max(1)).max(1);
        (needed.min(most), rows)
    }

    fn stack(&self, pen: &mut Pen, cpu: Cpu, rect: Rect, top: f32) {
        let prefix = self.prefix;
        let parts = QueueCell::new(self.geometry.present);
        let waiting = self.waiting(cpu);
        let (columns, rows) = self.stack_grid(cpu, rect, top);
        let slots = columns * rows;
        let chips = if waiting.len() > slots { slots.saturating_sub(1) } else { waiting.len() };
        let wide = (rect.w + 1.0) / columns as f32 - 2.0;
        let slot = |i: usize| {
            let (column, row) = ((i % columns) as f32, (i / columns) as f32);
            let (x, y) = (rect.x + 0.5 + column * (wide + 2.0), top + row * parts.pitch());
            Rect::new(x, y, wide, parts.chip)
        };
        for (i, &task) in waiting.iter().take(chips).enumerate() {
            self.chip(pen, cpu, task, slot(i));
        }
        if waiting.len() > chips && slots > 0 {
            let more = format!("+{}", waiting.len() - chips);
            let style = plain(self.small_text(), Ink::TextSoft).anchor(Anchor::Middle);
            let at = slot(chips);
            let key = format!("{prefix}cpu/{cpu}/more");
            pen.text_if_fits(key, (at.x, at.right()), at.centre().y, &more, style);
        }
    }

    pub(super) fn chip(&self, pen: &mut Pen, cpu: Cpu, task: Task, rect: Rect) {
        let prefix = self.prefix;
        let key = format!("{prefix}task/{task}");
        let ink = self.task_ink(cpu, task);
        // Asleep but still queued: a dashed outline.
        let (fill, edge, letter) = if self.delayed(task) {
            (Ink::Background, dashed(ink.edge, 1.5, Dash::Dashed), Ink::Text)
        } else {
            (ink.fill, stroke(ink.edge, 1.0), ink.text)
        };
        let edge = self.lit(task).map_or(edge, |width| stroke(Ink::Text, width));
        pen.rect(key.clone(), rect, 3.0, fill, edge);
        let style = plain(self.small_text(), letter).weight(650).anchor(Anchor::Middle);
        let at = (rect.x + 1.0, rect.right() - 1.0);
        let middle = rect.centre().y;
        _ = self
            .labels(task)
            .iter()
            .any(|label| pen.text_if_fits(format!("{key}/letter"), at, middle, label, style));
    }

    /// Ink of texts on a card.
    pub(crate) fn over(&self, cpu: Cpu) -> Ink {
        self.view(cpu)
            .and_then(|view| view.curr)
            .map_or(Ink::TextFaint, |task| self.task_ink(cpu, task).text)
    }

    fn task(&self, pen: &mut Pen, cpu: Cpu, rect: Rect) {
        let prefix = self.prefix;
        let curr = self.view(cpu).and_then(|view| view.curr);
        let key = format!("{prefix}cpu/{cpu}/cell");
        match curr {
            Some(task) => {
                let ink = self.task_ink(cpu, task);
                pen.rect(key, rect, 2.0, ink.fill, self.edge(task, ink));
                let style = plain(self.small_text(), ink.text).weight(600).anchor(Anchor::Middle);
                let key = format!("{prefix}cpu/{cpu}/label");
                let lift = if self.waiting(cpu).is_empty() { 0.0 } else { -1.5 };
                let middle = rect.centre().y + lift;
                let at = (rect.x + 0.5, rect.right() - 0.5);
                // The background stays calm where its labels do not fit.
                let labels = self.labels(task);
                let count = match (self.quiet.contains(&cpu), ink.muted) {
                    (true, _) => 0,
                    (false, true) => 1,
                    (false, false) => labels.len(),
                };
                let labels = &labels[..count];
                _ = labels
                    .iter()
                    .any(|label| pen.text_if_fits(key.clone(), at, middle, label, style));
            }
            None => {
                let (fill, edge) = self.idle_ink(cpu);
                pen.rect(key, rect, 2.0, fill, stroke(edge, 1.0));
            }
        }
        self.ticks(pen, cpu, rect, self.over(cpu));
    }

    fn small(&self, pen: &mut Pen, cpu: Cpu, rect: Rect) {
        let prefix = self.prefix;
        let curr = self.view(cpu).and_then(|view| view.curr);
        let mass = self.geometry.detail == Detail::Mass;
        let radius = if mass { 0.0 } else { 1.5 };
        let key = format!("{prefix}cpu/{cpu}/cell");
        let hair = if mass { 0.5 } else { 1.0 };
        match curr {
            Some(task) => {
                let ink = self.task_ink(cpu, task);
                // No letter fits: a task with a colour also has an ink outline.
                let edge = match (ink.muted, self.lit(task)) {
                    (true, None) => stroke(ink.edge, hair),
                    _ => stroke(Ink::Text, if mass { 1.0 } else { 1.75 }),
                };
                pen.rect(key, rect, radius, ink.fill, edge);
            }
            None => {
                let (fill, edge) = self.idle_ink(cpu);
                pen.rect(key, rect, radius, fill, stroke(edge, hair));
            }
        }
        if !mass {
            self.ticks(pen, cpu, rect, self.over(cpu));
        }
    }

    /// Up to three ticks for what waits.
    fn ticks(&self, pen: &mut Pen, cpu: Cpu, rect: Rect, ink: Ink) {
        let prefix = self.prefix;
        let side = if rect.w >= 22.0 { 3.0 } else { 2.5 };
        for i in 0..self.waiting(cpu).len().min(3) {
            let x = rect.x + 2.5 + i as f32 * (side + 1.0);
            let tick = Rect::new(x, rect.bottom() - side - 2.0, side, side);
            pen.fill(format!("{prefix}cpu/{cpu}/tick/{i}"), tick, ink);
        }
    }
}
