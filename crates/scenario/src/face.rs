//! How a row of the task list looks: letter, hue, texture (design board, section 5).

use crate::document::Row;
use serde::{Deserialize, Serialize};

/// The letters in their order: without O, which reads as 0, and V, the virtual time.
pub const LETTERS: [char; 24] = [
    'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L', 'M', 'N', 'P', 'Q', 'R', 'S', 'T',
    'U', 'W', 'X', 'Y', 'Z',
];
/// A row with more tasks than this is muted, unless it says otherwise.
pub const COLOURED_MAX: u32 = 8;

/// The numbers of the palette: eight hues solid, then hatched, then dotted.
pub const COLOURS: std::ops::RangeInclusive<u8> = 1..=24;

/// How a row looks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Face {
    /// Its name in the document.
    pub name: String,
    /// One letter, or two from the 25th row on.
    pub letter: String,
    /// 0 … 7.
    pub hue: u8,
    /// 0 solid, 1 hatched, 2 dotted.
    pub texture: u8,
    /// How many tasks it has.
    pub count: u32,
    /// Grey: part of the background.
    pub muted: bool,
}

/// The faces of the rows. A row gets the letter it asks for, else the one it is called by, else the
/// next that is free.
#[must_use]
pub fn faces(rows: &[Row]) -> Vec<Face> {
    let mut letters: Vec<Option<String>> = rows.iter().map(|row| row.letter.clone()).collect();
    for (at, row) in rows.iter().enumerate() {
        let called = letters[at].is_none() && is_letter(&row.name);
        if called && !letters.contains(&Some(row.name.clone())) {
            letters[at] = Some(row.name.clone());
        }
    }
    let taken: std::collections::BTreeSet<String> =
        schedscope_sim::order::tree(letters.iter().flatten().cloned());
    let mut free = all_letters().filter(|letter| !taken.contains(letter));
    rows.iter()
        .zip(letters)
        .map(|(row, letter)| {
            let letter = letter.or_else(|| free.next()).unwrap_or_else(|| "ZZ".to_string());
            let (hue, texture) = match row.colour {
                Some(colour) => look_of(colour.saturating_sub(1)),
                None => look(&letter),
            };
            let many = row.count > COLOURED_MAX || letter.chars().count() > 1;
            Face {
                name: row.name.clone(),
                hue,
                texture,
                count: row.count,
                muted: row.muted.unwrap_or(many),
                letter,
            }
        })
        .collect()
}

/// Whether the text is a letter, or two, that a row can have.
#[must_use]
pub fn is_letter(text: &str) -> bool {
    matches!(text.chars().count(), 1 | 2) && text.chars().all(|c| LETTERS.contains(&c))
}

fn all_letters() -> impl Iterator<Item = String> {
    let two = |first: char| LETTERS.iter().map(move |second| format!("{first}{second}"));
    LETTERS.iter().map(char::to_string).chain(LETTERS.iter().flat_map(move |&first| two(first)))
}

/// Hue and texture of a letter: the last letter gives the hue; two letters are dotted.
fn look(letter: &str) -> (u8, u8) {
    let last = letter.chars().next_back();
    let at = LETTERS.iter().position(|&known| Some(known) == last).unwrap_or(0) as u8;
    let (hue, texture) = look_of(at);
    (hue, if letter.chars().count() > 1 { 2 } else { texture })
}

/// Hue and texture of a place in the palette, from 0.
fn look_of(at: u8) -> (u8, u8) {
    (at % 8, at / 8 % 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, letter: Option<&str>, count: u32) -> Row {
        Row { name: name.into(), letter: letter.map(Into::into), count, ..Row::default() }
    }

    #[track_caller]
    fn check(rows: &[Row], expect: &str) {
        let line = |face: &Face| {
            let muted = if face.muted { "m" } else { "" };
            format!("{}{}{}{muted}", face.letter, face.hue, face.texture)
        };
        assert_eq!(faces(rows).iter().map(line).collect::<Vec<_>>().join(" "), expect);
    }

    #[test]
    fn letters_by_wish_name_and_turn() {
        let rows =
            [row("b", None, 1), row("x", Some("A"), 8), row("C", None, 9), row("d", None, 1)];
        check(&rows, "B10 A00 C20m D30");
        check(&[row("B", None, 1), row("a", None, 1), row("c", None, 1)], "B10 A00 C20");
    }

    #[test]
    fn colours_by_wish() {
        let coloured = |colour| Row { colour: Some(colour), ..row("x", None, 1) };
        check(&[coloured(1), coloured(8), coloured(9), coloured(24)], "A00 B70 C01 D72");
    }

    #[test]
    fn many_rows() {
        let rows: Vec<Row> = (0..27).map(|n| row(&format!("t{n}"), None, 1)).collect();
        check(
            &rows,
            "A00 B10 C20 D30 E40 F50 G60 H70 I01 J11 K21 L31 M41 N51 P61 Q71 R02 S12 T22 U32 W42 \
             X52 Y62 Z72 AA02m AB12m AC22m",
        );
    }
}
