//! The views: each turns a model and a look into a [`Scene`](crate::scene::Scene).

pub mod axis;
pub mod beam;
pub mod groups;
pub mod lens;
pub mod machine;
pub mod metrics;
pub mod pen;
pub mod pick;
pub mod placement;
pub mod strip;
pub mod timeline;
pub mod tree;

use schedscope_session::update::{Loaded, Moment, RowView};

/// How a view is to be laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Width there is, px.
    pub width: f32,
    /// Height there is, px.
    pub height: f32,
    /// Present mode: 20 px floor, bigger marks.
    pub present: bool,
    /// Touch: bigger targets.
    pub coarse: bool,
    /// The CPU in focus.
    pub focus_cpu: u16,
    /// The selected row of the task list.
    pub selected: Option<u16>,
    /// The row under the pointer; all its marks light up.
    pub hover: Option<u16>,
    /// Which decision of the moment is being looked at.
    pub decision: usize,
    /// Which of its checks is the current one; later ones have not happened yet.
    pub check: usize,
    /// How many probes of the current check have been made; `usize::MAX` is all of them.
    pub probe: usize,
    /// Where a dragged card is, if one is.
    pub drag: Option<Drag>,
    /// Machine view: busy share per LLC instead of the tasks.
    pub load: bool,
    /// Machine view: an LLC that is drawn large below the machine.
    pub lens: Option<u16>,
}

impl Look {
    /// A look of this size with nothing selected and every check of the first decision made.
    #[must_use]
    pub fn new(width: f32, height: f32) -> Look {
        Look {
            width,
            height,
            present: false,
            coarse: false,
            focus_cpu: 0,
            selected: None,
            hover: None,
            decision: 0,
            check: usize::MAX,
            probe: usize::MAX,
            drag: None,
            load: false,
            lens: None,
        }
    }
}

/// A card that is being carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drag {
    /// Its row.
    pub row: u16,
    /// The CPU under it.
    pub over: Option<u16>,
    /// Whether dropping pins.
    pub pin: bool,
}

/// Who is who: rows of the task list by task number.
#[derive(Clone, Copy, Debug)]
pub struct Roster<'a> {
    /// What was loaded.
    pub loaded: &'a Loaded,
    /// The moment shown.
    pub moment: &'a Moment,
}

impl<'a> Roster<'a> {
    /// The row of a task.
    #[must_use]
    pub fn row(&self, task: u32) -> Option<&'a RowView> {
        let row = self.moment.tasks.get(task as usize)?.row;
        self.loaded.rows.get(usize::from(row))
    }

    /// The number of a task's row.
    #[must_use]
    pub fn row_number(&self, task: u32) -> Option<u16> {
        self.moment.tasks.get(task as usize).map(|task| task.row)
    }

    /// The group of tasks whose entity this is, by its place in the list; `None` for a task.
    ///
    /// Those of all CPUs have numbers just below 2^32, by CPU and then by group.
    #[must_use]
    pub fn group(&self, entity: u32) -> Option<usize> {
        let groups = self.loaded.groups.len() as u32;
        let all = groups * self.loaded.machine.cpus.len() as u32;
        let nth = entity.wrapping_add(all + 1);
        (entity >> 31 == 1 && nth < all).then(|| (nth % groups) as usize)
    }

    /// The label on a task's chip: its letter, numbered where the row has several ("J41"); on that
    /// of a group the beginning of its name.
    #[must_use]
    pub fn label(&self, task: u32) -> String {
        if let Some(group) = self.group(task) {
            return self.loaded.groups[group].name.chars().take(6).collect();
        }
        let Some(row) = self.row(task) else { return format!("#{task}") };
        let instance = self.moment.tasks[task as usize].instance;
        if numbered(row, instance) {
            format!("{}{instance}", row.letter)
        } else {
            row.letter.clone()
        }
    }

    /// The name of a task for sentences ("editor", "make 41"), or of a group ("group batch").
    #[must_use]
    pub fn name(&self, task: u32) -> String {
        if let Some(group) = self.group(task) {
            return format!("group {}", self.loaded.groups[group].name);
        }
        let Some(row) = self.row(task) else { return format!("task {task}") };
        let instance = self.moment.tasks[task as usize].instance;
        if numbered(row, instance) { format!("{} {instance}", row.name) } else { row.name.clone() }
    }
}

/// Whether a task carries its number: as in the session's sentences.
fn numbered(row: &RowView, instance: u32) -> bool {
    row.numbered || row.count > 1 || instance > 1
}
