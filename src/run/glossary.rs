//! The words of this program, as `docs/glossary.md` explains them.

/// The page itself: what it says and what the program says cannot differ.
const PAGE: &str = include_str!("../../docs/glossary.md");

/// A word and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GlossaryEntry {
    pub(crate) word: &'static str,
    pub(crate) meaning: &'static str,
}

/// Every entry, in the order of the page.
pub(crate) fn glossary_entries() -> impl Iterator<Item = GlossaryEntry> {
    PAGE.lines().filter_map(parse_row)
}

/// What a word means; it may be written in capitals or in the plural.
pub(crate) fn explain_word(word: &str) -> Option<GlossaryEntry> {
    let word = word.trim().to_lowercase();
    let singular = word.strip_suffix('s').unwrap_or(&word);
    glossary_entries().find(|entry| entry.word == word || entry.word == singular)
}

/// A row of a table; the head and the line below it are none.
fn parse_row(line: &'static str) -> Option<GlossaryEntry> {
    let row = line.strip_prefix("| ")?.strip_suffix(" |")?;
    let (word, meaning) = row.split_once(" | ")?;
    (word != "word").then_some(GlossaryEntry { word, meaning })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::council::outcome::{Verdict, VerdictReason};

    #[test]
    fn every_row_is_an_entry_of_its_own() {
        let rows = PAGE.lines().filter(|line| line.starts_with("| "));
        let heads = PAGE
            .lines()
            .filter(|line| line.starts_with("| word "))
            .count();
        let words: BTreeSet<&str> = glossary_entries().map(|entry| entry.word).collect();
        assert_eq!(words.len(), rows.count() - heads);
        assert!(words.len() > 40, "{words:?}");
    }

    #[test]
    fn a_word_is_found_however_it_is_written() {
        for entry in glossary_entries() {
            for written in [
                entry.word.to_owned(),
                entry.word.to_uppercase(),
                format!("{}s", entry.word),
                format!(" {} ", entry.word),
            ] {
                assert_eq!(explain_word(&written), Some(entry), "{written}");
            }
        }
        assert_eq!(explain_word("no such word"), None);
    }

    /// What a gate shows to somebody who has never seen this program is what they ask for first.
    #[test]
    fn every_verdict_and_every_reason_is_a_word() {
        let named = |schema: schemars::Schema| -> Vec<String> {
            let schema = schema.to_value();
            let one_of = schema["oneOf"].as_array().cloned().unwrap_or_default();
            let constants = one_of.iter().filter_map(|one| one["const"].as_str());
            let plain = schema["enum"].as_array().cloned().unwrap_or_default();
            let plain = plain.iter().filter_map(|word| word.as_str());
            constants.chain(plain).map(str::to_owned).collect()
        };
        let words = [
            named(schemars::schema_for!(Verdict)),
            named(schemars::schema_for!(VerdictReason)),
        ];
        assert!(words.iter().all(|words| words.len() >= 5), "{words:?}");
        for word in words.concat() {
            assert!(explain_word(&word).is_some(), "{word}");
        }
    }

    /// A meaning that a reader must look up again helps nobody: it is a sentence or two, and names no part of the code.
    #[test]
    fn every_meaning_is_short_and_plain() {
        for GlossaryEntry { word, meaning } in glossary_entries() {
            assert!(meaning.ends_with('.'), "{word}: {meaning}");
            assert!(meaning.len() <= 250, "{word}: {} characters", meaning.len());
            assert!(
                !meaning.contains("::") && !meaning.contains("[`"),
                "{word}: {meaning}"
            );
            assert_eq!(
                council_builtin::explain_rule(word).map(|rule| rule.id),
                None,
                "{word}"
            );
        }
    }
}
