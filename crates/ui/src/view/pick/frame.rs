//! Where things go in the pick picture: label column, plot, number columns, beam, lanes, axis.
//!
//! Text is dropped, never shrunk: columns go before names, names before the plot gets too narrow;
//! the beam goes when lanes would get too flat, and then the picture grows downwards and scrolls.

use super::plan::Plan;
use super::rule::Rule;
use crate::format;
use crate::scene::Ink;
use crate::view::pen::{chip_width_from, number, plain, width};
use crate::view::{Look, Roster};
use schedscope_session::update::PickRow;

/// A column of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// Load weight.
    Weight,
    /// Virtual lag.
    Lag,
    /// Virtual deadline relative to V.
    Deadline,
    /// In CFS, the share of the period.
    Share,
    /// In CFS, vruntime relative to `min_vruntime`.
    Vruntime,
}

impl Column {
    /// What stands above it.
    #[must_use]
    pub fn title(self, alone: bool) -> &'static str {
        match self {
            Column::Weight => "weight",
            Column::Lag => "lag, ms",
            Column::Deadline if alone => "deadline",
            Column::Deadline => "deadline, ms",
            Column::Share => "share, ms",
            Column::Vruntime if alone => "vruntime",
            Column::Vruntime => "vruntime, ms",
        }
    }

    /// What stands in it.
    #[must_use]
    pub fn value(self, row: &PickRow) -> String {
        match self {
            Column::Weight => row.weight.to_string(),
            Column::Lag => format::signed_ms(row.lag),
            Column::Deadline => format::signed_ms(row.deadline),
            Column::Share => format::slice_ms(row.slice),
            Column::Vruntime => format::signed_ms(row.vruntime),
        }
    }
}

/// The measures of a picture.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Frame {
    /// Width of all.
    pub width: f32,
    /// Height of all.
    pub height: f32,
    /// Font size.
    pub font: f32,
    /// Font size of names.
    pub name_font: f32,
    /// Height of chips.
    pub chip: f32,
    /// Width of the chips.
    pub chip_width: f32,
    /// The algorithm.
    pub rule: Rule,
    /// Whether names are written.
    pub names: bool,
    /// Where the plot starts.
    pub left: f32,
    /// Where the plot ends.
    pub right: f32,
    /// Columns and their right edges.
    pub columns: Vec<(Column, f32)>,
    /// Height of the beam, 0 without.
    pub beam: f32,
    /// Top of the first lane.
    pub top: f32,
    /// Height of a lane.
    pub lane: f32,
    /// Bottom of the last lane.
    pub bottom: f32,
}

/// All columns, the first to go first.
const fn columns_of(rule: Rule) -> [Column; 3] {
    match rule {
        Rule::Eevdf => [Column::Weight, Column::Lag, Column::Deadline],
        Rule::Cfs => [Column::Weight, Column::Share, Column::Vruntime],
    }
}

impl Frame {
    /// The measures for a plan in the room there is.
    #[must_use]
    pub(super) fn of(plan: &Plan, roster: &Roster, look: &Look, beam_wanted: bool) -> Frame {
        let font = if look.present { 20.0 } else { 12.0 };
        let name_font = if look.present { 22.0 } else { 14.0 };
        let (least, best) = match (look.present, look.coarse) {
            (true, _) => (36.0, 51.0),
            (_, true) => (28.0, 44.0),
            _ => (24.0, 36.0),
        };
        let lines = plan.lines().max(1) as f32;
        // A little less air rather than a scroll bar.
        let tight = look.height < lines * least + if look.present { 84.0 } else { 58.0 };
        let (head, axis) = match (look.present, tight) {
            (true, false) => (40.0, 44.0),
            (true, true) => (34.0, 36.0),
            (false, false) => (28.0, 30.0),
            (false, true) => (22.0, 26.0),
        };
        let room = look.height - head - axis;
        let comfortable = least + 1.0;
        let beam = [92.0, 68.0]
            .map(|h| if look.present { h * 1.4 } else { h })
            .into_iter()
            .find(|h| beam_wanted && look.width >= 480.0 && (room - h) / lines >= comfortable)
            .unwrap_or(0.0);
        let lane = ((room - beam) / lines).floor().clamp(least, best);
        let chip: f32 = if look.present {
            36.0
        } else if look.coarse {
            27.0
        } else {
            20.0
        };
        let chip = chip.min(lane - 4.0);
        let mut frame = Frame {
            width: look.width,
            height: 0.0,
            font,
            name_font,
            chip,
            chip_width: chip,
            rule: plan.rule,
            names: true,
            left: 0.0,
            right: 0.0,
            columns: Vec::new(),
            beam,
            top: beam + head,
            lane,
            bottom: beam + head + lines * lane,
        };
        frame.height = frame.bottom + axis;
        frame.set_across(plan, roster, look);
        frame
    }

    /// Chooses names and columns.
    fn set_across(&mut self, plan: &Plan, roster: &Roster, look: &Look) {
        for row in &plan.measured {
            self.chip_width =
                self.chip_width.max(chip_width_from(&roster.label(row.task), self.chip, self.font));
        }
        let scale = if look.present { 1.7 } else { 1.0 };
        let all = columns_of(plan.rule);
        let most: &[Column] = if look.present { &all[1..] } else { &all };
        let layouts = [
            (most, true, 280.0),
            (&all[1..], true, 180.0),
            (&all[2..], true, 170.0),
            (&all[2..], false, 130.0),
            (&all[3..], false, 0.0),
        ];
        for (columns, names, wanted) in layouts {
            self.names = names;
            self.left = self.label_width(plan, roster, names).ceil();
            self.set_columns(columns, plan);
            if self.right - self.left >= wanted * scale {
                return;
            }
        }
        self.right = self.right.max(self.left + 60.0);
    }

    fn label_width(&self, plan: &Plan, roster: &Roster, names: bool) -> f32 {
        let bare = 8.0 + self.chip_width + 8.0;
        if !names {
            return bare + 2.0;
        }
        let least = bare + if self.font > 14.0 { 150.0 } else { 88.0 };
        let most = least.max(self.width * 0.3);
        let style = plain(self.name_font, Ink::Text);
        let rows = plan.measured.iter().map(|row| {
            let name = width(&roster.name(row.task), style);
            let tag = tag(row).map_or(0.0, |tag| width(tag, plain(self.font, Ink::Text)) + 8.0);
            bare + name + tag + 10.0
        });
        let widest = rows.fold(least, f32::max);
        let summary = if plan.folds {
            8.0 + self.font + 6.0 + width(&plan.summary(), plain(self.font, Ink::Text)) + 10.0
        } else {
            0.0
        };
        widest.min(most).max(summary)
    }

    fn set_columns(&mut self, columns: &[Column], plan: &Plan) {
        let alone = columns.len() == 1;
        let gap = if self.font > 14.0 { 28.0 } else { 16.0 };
        let mut at = self.width;
        let mut placed = Vec::new();
        for column in columns.iter().rev() {
            placed.push((*column, at));
            let title = width(column.title(alone), plain(self.font, Ink::Text));
            let values = plan
                .measured
                .iter()
                .map(|row| width(&column.value(row), number(self.font, Ink::Text).weight(650)));
            at -= values.fold(title, f32::max).ceil() + gap;
        }
        placed.reverse();
        self.columns = placed;
        // Room for a flag or an open arrow at the very end.
        let arrow = self.lane * 0.22 + 3.0;
        self.right =
            if columns.is_empty() { at - arrow } else { at + gap - (arrow + 3.0).max(12.0) };
    }

    /// Middle of a line.
    #[must_use]
    pub(super) fn middle(&self, line: usize) -> f32 {
        self.top + (line as f32 + 0.5) * self.lane
    }

    /// Height of request bars.
    #[must_use]
    pub(super) fn bar(&self) -> f32 {
        (self.lane * 0.44).round().min(24.0)
    }

    /// Whether this is the present mode or a very large picture.
    #[must_use]
    pub(super) fn large(&self) -> bool {
        self.font > 14.0
    }
}

/// What is said of a task beside its name.
#[must_use]
pub(super) fn tag(row: &PickRow) -> Option<&'static str> {
    if row.gone {
        return Some("left");
    }
    match (row.curr, row.delayed) {
        (true, true) => Some("curr, asleep"),
        (true, false) => Some("curr"),
        (false, true) => Some("asleep"),
        (false, false) => None,
    }
}
