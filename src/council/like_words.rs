//! Whether two sentences say much the same, by the words that carry them.

use std::collections::BTreeSet;

/// Words too common to mean anything.
pub(super) const STOP: [&str; 30] = [
    "the", "and", "for", "that", "this", "with", "from", "not", "are", "was", "has", "have", "can",
    "could", "will", "would", "should", "may", "might", "when", "which", "into", "its", "but",
    "without", "there", "here", "been", "being", "than",
];

/// The words that carry a description, lower case, without their commonest endings.
pub(super) fn description_words(text: &str) -> BTreeSet<String> {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase);
    words
        .filter(|w| w.chars().count() > 2 && !STOP.contains(&w.as_str()))
        .map(|w| stem_word(&w).to_owned())
        .collect()
}

/// Words of languages that stand in many lines and name nothing.
const KEYWORDS: [&str; 24] = [
    "if", "else", "for", "while", "return", "in", "let", "const", "var", "def", "fn", "func",
    "function", "new", "self", "this", "int", "str", "string", "none", "null", "true", "false",
    "the",
];

/// What a text names: its words, numbers and keywords left out.
pub(super) fn names_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let words = words.map(str::to_lowercase);
    let is_name = |word: &String| {
        word.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && !KEYWORDS.contains(&word.as_str())
            && !STOP.contains(&word.as_str())
    };
    words.filter(is_name).collect()
}

/// Whether two sentences say much the same.
pub(super) fn is_alike(a: &str, b: &str) -> bool {
    let (a, b) = (description_words(a), description_words(b));
    let smaller = a.len().min(b.len());
    smaller > 0 && a.intersection(&b).count() * 100 >= smaller * 60
}

fn stem_word(word: &str) -> &str {
    let stems = ["ing", "ed", "es", "s"]
        .iter()
        .filter_map(|end| word.strip_suffix(end));
    stems
        .into_iter()
        .find(|stem| stem.chars().count() > 3)
        .unwrap_or(word)
}
