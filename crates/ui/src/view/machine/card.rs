//! A CPU as a card: a cell filled with what runs, its number, its label, and what waits.

use schedscope_session::update::{Cpu, Task};

use super::cell::Cells;
use crate::geometry::Rect;
use crate::scene::{Anchor, Ink, TextStyle};
use crate::text;
use crate::view::pen::{Pen, plain, stroke};

impl Cells<'_> {
    /// Number and label on a cell that is filled with what runs.
    pub(super) fn card(&self, pen: &mut Pen, cpu: Cpu, rect: Rect) {
        let prefix = self.prefix;
        let small = self.small_text();
        let curr = self.view(cpu).and_then(|view| view.curr);
        let (fill, edge, over) = match curr {
            Some(task) => {
                let ink = self.task_ink(cpu, task);
                (ink.fill, self.edge(task, ink), ink.text)
            }
            None => {
                let (fill, edge) = self.idle_ink(cpu);
                (fill, stroke(edge, 1.0), Ink::TextFaint)
            }
        };
        pen.rect(format!("{prefix}cpu/{cpu}/cell"), rect, 3.0, fill, edge);
        let mono = TextStyle { mono: true, ..plain(small, over) };
        let pad = self.card_pad(rect);
        let line = rect.y + small * 0.84 + 1.0;
        let key = format!("{prefix}cpu/{cpu}/number");
        let bare = self.quiet.contains(&cpu) && self.label_from(rect) > rect.right() - 2.0 * small;
        if !bare {
            pen.text_if_fits(key, (rect.x + pad, rect.right()), line, &cpu.to_string(), mono);
        }
        let weight = if curr.is_some() { 600 } else { 400 };
        let style = plain(small, over).weight(weight);
        let beside = self.beside(rect);
        let labels = match curr {
            _ if self.quiet.contains(&cpu) => Vec::new(),
            Some(task) => self.labels(task),
            // Many times the same word says nothing that the quiet fill does not.
            None if beside || self.geometry.cells.len() <= 16 => vec!["idle".to_owned()],
            None => Vec::new(),
        };
        let (at, y, style) = if beside {
            ((self.label_from(rect), rect.right() - pad), line, style.anchor(Anchor::End))
        } else {
            ((rect.x + pad, rect.right() - 1.0), line + small * 1.25, style)
        };
        let key = format!("{prefix}cpu/{cpu}/label");
        _ = labels.iter().any(|label| pen.text_if_fits(key.clone(), at, y, label, style));
        self.card_queue(pen, cpu, rect);
    }

    fn card_pad(&self, rect: Rect) -> f32 {
        ((rect.w - 1.85 * self.small_text()) / 2.0).clamp(2.0, 5.0)
    }

    /// Where a label beside the longest number begins.
    fn label_from(&self, rect: Rect) -> f32 {
        let mono = TextStyle { mono: true, ..plain(self.small_text(), Ink::Text) };
        let longest = if self.geometry.cells.len() > 1000 { "0000" } else { "000" };
        rect.x + self.card_pad(rect) + text::width(longest, mono) + 4.0
    }

    /// Whether the label stands beside the number, or else below it.
    fn beside(&self, rect: Rect) -> bool {
        let style = plain(self.small_text(), Ink::Text).weight(600);
        text::width("J00", style) <= rect.right() - self.card_pad(rect) - self.label_from(rect)
    }

    /// Where number and label of a card end.
    pub(crate) fn card_top(&self, rect: Rect) -> f32 {
        let lines = if self.beside(rect) { 1.67 } else { 2.85 };
        rect.y + lines * self.small_text()
    }

    /// Where everything on a card ends: texts, role tags, chips.
    pub(crate) fn card_end(&self, cpu: Cpu, rect: Rect) -> f32 {
        let tags = self.tags.get(&cpu).copied().unwrap_or(0);
        let lines = if self.tight(cpu, rect) || self.waiting(cpu).is_empty() {
            tags + usize::from(!self.waiting(cpu).is_empty())
        } else {
            tags.max(1)
        };
        self.card_top(rect) + lines as f32 * self.tag_pitch()
    }

    /// Width of a chip on a card.
    fn card_chip(&self) -> f32 {
        self.small_text() * if self.foot > 0.0 { 1.0 } else { 1.5 } + 4.0
    }

    /// Role tags have the left of the lines below the texts; where chips do not fit beside them,
    /// chips go below.
    fn tight(&self, cpu: Cpu, rect: Rect) -> bool {
        self.tags.contains_key(&cpu) && rect.w < 4.0 * self.small_text() + self.card_chip() + 8.0
    }

    /// What waits on a card: chips with letters where there is a line for them, squares if not.
    fn card_queue(&self, pen: &mut Pen, cpu: Cpu, rect: Rect) {
        let prefix = self.prefix;
        let waiting = self.waiting(cpu);
        let small = self.small_text();
        let tags = self.tags.get(&cpu).copied().unwrap_or(0);
        let (high, wide) = (small + 4.0, self.card_chip());
        let tight = self.tight(cpu, rect);
        let below = if tight { tags as f32 * self.tag_pitch() } else { 0.0 };
        let top = self.card_top(rect) + below;
        if rect.bottom() - self.foot - top >= high - if self.foot > 0.0 { 1.0 } else { -1.5 } {
            let left = if tags > 0 && !tight { 4.0 * small } else { 0.0 };
            // Whole labels where all of them have room: "B2" is not "B21".
            let bold = plain(small, Ink::Text).weight(650);
            let label = |&task: &Task| text::width(&self.roster.label(task), bold) + 6.0;
            let whole = waiting.iter().take(8).map(label).fold(wide, f32::max);
            let fits = waiting.len() as f32 * (whole + 2.0) <= rect.w - left - 6.0;
            let wide = if fits { whole } else { wide };
            let room = ((rect.w - left - 6.0) / (wide + 2.0)).floor().max(0.0) as usize;
            let chips = if waiting.len() > room { room.saturating_sub(1) } else { waiting.len() };
            for (i, &task) in waiting.iter().take(chips).enumerate() {
                let x = rect.right() - 4.0 - (chips - i) as f32 * (wide + 2.0) + 2.0;
                self.chip(pen, cpu, task, Rect::new(x, top, wide, high));
            }
            if waiting.len() > chips {
                let more = format!("+{}", waiting.len() - chips);
                let style = plain(small, self.over(cpu)).anchor(Anchor::End);
                let to = rect.right() - 4.0 - chips as f32 * (wide + 2.0);
                let key = format!("{prefix}cpu/{cpu}/more");
                let at = (rect.x + 1.0 + left, to);
                pen.text_if_fits(key, at, top + high / 2.0, &more, style);
            }
        } else if self.foot > 0.0 {
            // At the foot, left of where a scan may set out, if nothing else is there.
            let y = rect.bottom() - high - 4.0;
            let free = tight && rect.w >= 4.0 * small && top <= y;
            if let (Some(&task), true) = (waiting.first(), free) {
                self.chip(pen, cpu, task, Rect::new(rect.x + 4.0, y, high, high));
            }
        } else {
            let side = (small * 0.7).round();
            let y = rect.bottom() - side - 3.0;
            let room = ((rect.w - 6.0) / (side + 2.0)).floor().max(0.0) as usize;
            for (i, &task) in waiting.iter().take(room).enumerate() {
                if y < self.card_top(rect) {
                    break;
                }
                let ink = self.task_ink(cpu, task);
                let at = Rect::new(rect.x + 4.0 + i as f32 * (side + 2.0), y, side, side);
                let key = format!("{prefix}task/{task}");
                pen.rect(key, at, 1.0, ink.fill, stroke(Ink::Halo, 1.0));
            }
        }
    }
}
