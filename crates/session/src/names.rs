//! Whose task is whose: the row of each task, its number there, and what people call it.

use schedscope_scenario::document::{self, Edit, Start};
use schedscope_scenario::program::Op;
use schedscope_scenario::{Document, Face};
use schedscope_sim::state::State;
use schedscope_sim::units::TaskId;

use crate::update::Row;

/// Rows, instances and names of all tasks that came to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    /// How each row looks.
    pub(crate) faces: Vec<Face>,
    /// The names of the groups of tasks.
    pub(crate) groups: Vec<String>,
    /// The number of CPUs: with that of the groups it tells whose entity an id is.
    cpus: usize,
    /// Of each spec of the setup.
    spec_rows: Vec<Row>,
    spec_instances: Vec<u32>,
    /// Rows whose tasks always carry their number.
    numbered: Vec<bool>,
    /// Row and 1-based number of each task.
    tasks: Vec<(Row, u32)>,
    /// How many tasks each row has had.
    count: Vec<u32>,
}

impl Names {
    pub(crate) fn new(
        document: &Document,
        faces: Vec<Face>,
        spec_rows: Vec<Row>,
        spec_instances: Vec<u32>,
        cpus: usize,
    ) -> Names {
        let numbered = document.rows.iter().map(|row| several(document, row)).collect();
        let count = vec![0; faces.len()];
        let groups = document.groups.iter().map(|group| group.name.clone()).collect();
        let tasks = Vec::new();
        Names { faces, groups, cpus, spec_rows, spec_instances, numbered, tasks, count }
    }

    /// Takes note of the tasks that are new in this state.
    pub(crate) fn follow(&mut self, state: &State) {
        for task in &state.tasks[self.tasks.len()..] {
            let row = self.spec_rows[task.spec.0 as usize];
            let count = &mut self.count[usize::from(row)];
            *count += 1;
            self.tasks.push((row, *count));
        }
    }

    /// Forgets the tasks that are not in this state.
    pub(crate) fn truncate(&mut self, state: &State) {
        for (row, _) in self.tasks.drain(state.tasks.len().min(self.tasks.len())..) {
            self.count[usize::from(row)] -= 1;
        }
        self.follow(state);
    }

    /// The row of a task; that of the first row for one that is not known.
    pub(crate) fn row(&self, task: TaskId) -> Row {
        self.tasks.get(task.index()).map_or(0, |&(row, _)| row)
    }

    /// The 1-based number of a task in its row.
    pub(crate) fn instance(&self, task: TaskId) -> u32 {
        self.tasks.get(task.index()).map_or(0, |&(_, instance)| instance)
    }

    /// The tasks of a row that have come to be.
    pub(crate) fn tasks_of(&self, row: Row) -> impl Iterator<Item = TaskId> + '_ {
        let all = self.tasks.iter().enumerate();
        all.filter(move |(_, (of, _))| *of == row).map(|(i, _)| TaskId(i as u32))
    }

    /// How many tasks have come to be.
    pub(crate) fn tasks(&self) -> usize {
        self.tasks.len()
    }

    /// Rows of all tasks, by task.
    pub(crate) fn rows(&self) -> Vec<Row> {
        self.tasks.iter().map(|&(row, _)| row).collect()
    }

    /// The group whose entity this is.
    pub(crate) fn group(&self, entity: TaskId) -> Option<usize> {
        let group = TaskId::group_behind(entity, self.groups.len(), self.cpus)?;
        Some(group.index())
    }

    /// What people call a task, `D`, `J41`, or by its entity a group.
    pub(crate) fn name(&self, task: TaskId) -> String {
        if let Some(group) = self.group(task) {
            return self.groups[group].clone();
        }
        let Some(&(row, instance)) = self.tasks.get(task.index()) else {
            return format!("task {task}");
        };
        let letter = self.letter(row);
        if instance > 1 || self.numbered(row) { format!("{letter}{instance}") } else { letter }
    }

    /// Whether the tasks of a row carry their number from the first on.
    pub(crate) fn numbered(&self, row: Row) -> bool {
        self.numbered.get(usize::from(row)) == Some(&true)
    }

    /// The letter of a row.
    pub(crate) fn letter(&self, row: Row) -> String {
        self.faces.get(usize::from(row)).map_or_else(|| "?".to_owned(), |face| face.letter.clone())
    }

    /// What people call a spec's row: its letter.
    pub(crate) fn spec_name(&self, spec: u32) -> String {
        let row = self.spec_rows.get(spec as usize).copied();
        row.map_or_else(|| "?".to_owned(), |row| self.letter(row))
    }

    /// The name a row has in the document.
    pub(crate) fn row_name(&self, row: Row) -> Option<&str> {
        self.faces.get(usize::from(row)).map(|face| face.name.as_str())
    }

    /// The number of a spec among those of its row, from 1.
    pub(crate) fn spec_instance(&self, spec: u32) -> u32 {
        self.spec_instances.get(spec as usize).copied().unwrap_or(1)
    }
}

/// Whether a row has, or will have, more than one task: it says so, its tasks are forked by others,
/// or it is started more than once during the run.
fn several(document: &Document, row: &document::Row) -> bool {
    let forks = |op: &Op| matches!(op, Op::Fork(child) if child.name == row.name);
    let forked = || document.rows.iter().any(|other| other.program.ops.iter().any(forks));
    let this = |name: &String| *name == row.name;
    let spawns =
        |input: &&document::Input| matches!(&input.edit, Edit::Spawn(name, _) if this(name));
    row.count > 1
        || row.start == Start::Fork
            && (forked() || document.inputs.iter().filter(spawns).count() > 1)
}
