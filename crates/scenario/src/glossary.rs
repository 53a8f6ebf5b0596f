//! The glossary of `docs/glossary.md`, for tooltips.

use std::sync::OnceLock;

const TEXT: &str = include_str!("../../../docs/glossary.md");

struct Entry {
    term: &'static str,
    also: Vec<&'static str>,
    text: &'static str,
}

fn entries() -> impl Iterator<Item = Entry> {
    TEXT.split("\n## ").skip(1).map(|section| {
        let (term, body) = section.split_once('\n').unwrap_or((section, ""));
        let body = body.trim();
        let (also, text) = match body.strip_prefix("Also: ") {
            Some(rest) => rest.split_once("\n\n").unwrap_or((rest, "")),
            None => ("", body),
        };
        let also = also.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        Entry { term: term.trim(), also, text: text.trim() }
    })
}

/// The terms with their explanations (Markdown, one or two sentences), in alphabetical order of
/// their letters.
#[must_use]
pub fn glossary() -> &'static [(&'static str, &'static str)] {
    static TERMS: OnceLock<Vec<(&str, &str)>> = OnceLock::new();
    TERMS.get_or_init(|| entries().map(|entry| (entry.term, entry.text)).collect())
}

/// The term and the explanation of a word, in any of its spellings: "LLC", "sd_llc", "vlag",
/// "select_idle_sibling()".
#[must_use]
pub fn explain(word: &str) -> Option<(&'static str, &'static str)> {
    static WORDS: OnceLock<Vec<(String, usize)>> = OnceLock::new();
    let words = WORDS.get_or_init(|| {
        let mut words = Vec::new();
        for (at, entry) in entries().enumerate() {
            words.extend([entry.term].iter().chain(&entry.also).map(|word| (plain(word), at)));
        }
        schedscope_sim::order::sort(&mut words);
        words
    });
    let word = plain(word);
    let found = words.binary_search_by(|(known, _)| known.cmp(&word)).ok()?;
    glossary().get(words[found].1).copied()
}

/// Lower case, without the brackets of a function.
fn plain(word: &str) -> String {
    word.trim().trim_end_matches("()").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_in_order_and_explained() {
        let terms = glossary();
        assert!(terms.len() > 60);
        let letters = |term: &str| -> String {
            term.to_ascii_lowercase().chars().filter(char::is_ascii_alphanumeric).collect()
        };
        assert!(terms.is_sorted_by_key(|(term, _)| letters(term)), "{terms:#?}");
        for (term, text) in terms {
            assert!(!text.is_empty() && text.ends_with('.'), "{term}");
            let words = text.split_whitespace().count();
            assert!(words <= 60, "{term} has {words} words");
        }
    }

    #[test]
    fn no_word_has_two_explanations() {
        let mut seen = std::collections::BTreeMap::new();
        for entry in entries() {
            for word in entry.also.iter().chain([&entry.term]) {
                if let Some(other) = seen.insert(plain(word), entry.term) {
                    panic!("{word} is in {other} and in {}", entry.term);
                }
            }
        }
    }

    #[test]
    fn words_are_found_in_every_spelling() {
        let term = |word| explain(word).map(|(term, _)| term);
        assert_eq!(term("sd_llc"), Some("LLC"));
        assert_eq!(term("Select_idle_sibling()"), Some("select_idle_sibling"));
        assert_eq!(term("vlag"), Some("lag"));
        assert_eq!(term("wolf"), None);
    }
}
