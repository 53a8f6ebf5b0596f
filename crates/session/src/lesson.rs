//! A text as a document: scenario TOML, a lesson, or the machine of another computer.

use schedscope_scenario::document::MachineChoice;
use schedscope_scenario::{Document, Text, read_any};

use crate::edit::fit;
use crate::run::problems;
use crate::update::Problem;

/// Reads either. A machine takes the place of that of `current`, or of an empty document's.
pub(crate) fn document(
    text: &str,
    current: Option<&Document>,
) -> Result<(Document, Vec<Problem>), Vec<Problem>> {
    match read_any(text).map_err(problems)? {
        Text::Scenario(document) => Ok((document, Vec::new())),
        Text::Lesson(lesson) => Ok((lesson.own_document(), Vec::new())),
        Text::Machine(found) => {
            let mut document = current.cloned().unwrap_or_default();
            document.machine = MachineChoice::Cpus(found.table);
            let mut notes = found.notes;
            notes.extend(
                fit(&mut document, &found.topology.all())
                    .into_iter()
                    .map(|note| format!("{note}.")),
            );
            let note = |sentence| Problem { place: "machine".to_owned(), sentence, line: None };
            Ok((document, notes.into_iter().map(note).collect()))
        }
    }
}
