//! Words that are looked for in every line, in either case.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError};

/// Bytes from which on building the quick automaton is worth its milliseconds, in many lines or in one.
const MIN_BYTES_FOR_DFA: usize = 320 << 10;

/// The most bytes of words in it: it takes some hundred bytes of memory for each of them.
const MAX_DFA_WORDS: usize = 16 << 10;

/// Finds some words: first by an automaton that is built quickly, and by one that runs quickly once much was read.
// Left to itself the library builds the quick one for every list of up to 100 words: half of the instructions of a review
// of one line were spent on that.
#[derive(Debug)]
pub struct WordFinder {
    words: Vec<String>,
    small: AhoCorasick,
    /// Four times as quick; none: there are more words than it has room for.
    quick: OnceLock<Option<AhoCorasick>>,
    /// How many bytes were read before there was a quick one.
    bytes: AtomicUsize,
}

impl WordFinder {
    /// A match tells a word by its place in `words`.
    ///
    /// # Errors
    /// More words than an automaton has room for.
    pub fn new<W: Into<String>>(words: impl IntoIterator<Item = W>) -> Result<Self, BuildError> {
        let words: Vec<String> = words.into_iter().map(Into::into).collect();
        Ok(Self {
            small: build_automaton(&words, AhoCorasickKind::ContiguousNFA)?,
            words,
            quick: OnceLock::new(),
            bytes: AtomicUsize::new(0),
        })
    }

    /// What it finds.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }

    /// What finds the words in this text, which is going to be read.
    pub fn for_text(&self, text: &str) -> &AhoCorasick {
        if let Some(quick) = self.quick.get() {
            return quick.as_ref().unwrap_or(&self.small);
        }
        if self.bytes.fetch_add(text.len() + 1, Ordering::Relaxed) < MIN_BYTES_FOR_DFA {
            return &self.small;
        }
        let quick = self.quick.get_or_init(|| self.build_quick());
        quick.as_ref().unwrap_or(&self.small)
    }

    /// Whether the quick automaton was built.
    pub fn is_quick(&self) -> bool {
        self.quick.get().is_some_and(Option::is_some)
    }

    fn build_quick(&self) -> Option<AhoCorasick> {
        let bytes: usize = self.words.iter().map(String::len).sum();
        (bytes <= MAX_DFA_WORDS)
            .then(|| build_automaton(&self.words, AhoCorasickKind::DFA).ok())
            .flatten()
    }
}

fn build_automaton(words: &[String], kind: AhoCorasickKind) -> Result<AhoCorasick, BuildError> {
    AhoCorasick::builder()
        .kind(Some(kind))
        .ascii_case_insensitive(true)
        .build(words)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found_by(automaton: &AhoCorasick, text: &str) -> Vec<(usize, usize, usize)> {
        automaton
            .find_iter(text)
            .chain(automaton.find_overlapping_iter(text))
            .map(|found| (found.pattern().as_usize(), found.start(), found.end()))
            .collect()
    }

    #[test]
    fn the_quick_automaton_is_built_once_much_was_read() {
        let finder = WordFinder::new(["token", "secret"]).unwrap();
        let line = "a secret token";
        assert_eq!(finder.for_text(line).kind(), AhoCorasickKind::ContiguousNFA);
        let _ = finder.for_text(&"x".repeat(MIN_BYTES_FOR_DFA));
        assert_eq!(finder.for_text(line).kind(), AhoCorasickKind::DFA);
    }

    #[test]
    fn more_words_than_the_quick_automaton_has_room_for_are_found_all_the_same() {
        let words: Vec<String> = (0..MAX_DFA_WORDS).map(|n| format!("w{n}")).collect();
        let finder = WordFinder::new(words).unwrap();
        let _ = finder.for_text(&"x".repeat(MIN_BYTES_FOR_DFA));
        let found = finder.for_text("w77").kind();
        assert_eq!(found, AhoCorasickKind::ContiguousNFA);
    }

    proptest! {
        /// Law: how much was read before changes nothing of what is found.
        #[test]
        fn both_automata_find_the_same(
            words in prop::collection::vec("[abAB]{1,3}", 1..8),
            text in "[abABxé]{0,40}",
        ) {
            let finder = WordFinder::new(&words).unwrap();
            let first = found_by(finder.for_text(&text), &text);
            let _ = finder.for_text(&"x".repeat(MIN_BYTES_FOR_DFA));
            prop_assert_eq!(first, found_by(finder.for_text(&text), &text));
        }
    }
}
