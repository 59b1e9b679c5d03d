//! The names in code: what a line calls, mentions and spells out as a key.

pub(super) use super::common_words::{is_common, is_common_method};
use council_syntax::language::Language;
use council_syntax::lexer::{LexSpan, Lexer, SpanKind};

/// How a word stands on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum WordUse {
    /// Brackets follow: a call, or the head of a function.
    Called,
    /// It is written as types or constants are.
    Named,
    /// A dot or an arrow stands before it.
    Member,
    /// Any other name.
    Plain,
    /// A whole string that could be the key of a setting.
    Key,
}

/// A word of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CodeWord<'t> {
    pub(super) text: &'t str,
    pub(super) how: WordUse,
}

/// The words of every line of a file, comments left out.
pub(super) fn words_by_line(language: Language, text: &str) -> Vec<Vec<CodeWord<'_>>> {
    let mut lexer = Lexer::new(language);
    let mut spans = Vec::new();
    let all_text = is_settings(language);
    text.lines()
        .map(|line| {
            spans.clear();
            lexer.lex_line(line, &mut spans);
            words_of_line(line, &spans, all_text)
        })
        .collect()
}

/// Whether a file holds settings: its keys are names, whether or not they are quoted.
pub(super) fn is_settings(language: Language) -> bool {
    matches!(
        language,
        Language::Yaml
            | Language::Toml
            | Language::Json
            | Language::Ini
            | Language::Docker
            | Language::Make
    )
}

fn words_of_line<'t>(line: &'t str, spans: &[LexSpan], all_text: bool) -> Vec<CodeWord<'t>> {
    let mut words = Vec::new();
    let mut at = 0;
    for span in spans {
        read_words(line, at..span.start.max(at), &mut words);
        let inside = line.get(span.start..span.end).unwrap_or_default();
        match span.part {
            SpanKind::Literal if all_text => read_words(line, span.start..span.end, &mut words),
            SpanKind::Literal => words.extend(key_of_literal(inside)),
            SpanKind::Comment => {}
        }
        at = span.end.max(at);
    }
    read_words(line, at..line.len(), &mut words);
    words
}

/// The text of a string that could be a key: one word, perhaps with dots and dashes.
fn key_of_literal(literal: &str) -> Option<CodeWord<'_>> {
    const MAX_KEY: usize = 60;
    let text = literal.trim_start_matches(|c: char| c.is_ascii_alphabetic() && c.is_lowercase());
    let text = text.trim_matches(['"', '\'', '`']);
    let fits = (3..=MAX_KEY).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':' | b'/'));
    fits.then_some(CodeWord {
        text,
        how: WordUse::Key,
    })
}

fn read_words<'t>(line: &'t str, range: std::ops::Range<usize>, words: &mut Vec<CodeWord<'t>>) {
    let Some(code) = line.get(range.clone()) else {
        return;
    };
    let bytes = line.as_bytes();
    let mut at = 0;
    while let Some(start) = code[at..].find(is_name_start).map(|found| found + at) {
        let end = code[start..]
            .find(|c| !is_name(c))
            .map_or(code.len(), |found| found + start);
        let (from, to) = (range.start + start, range.start + end);
        let in_number = from > 0 && bytes[from - 1].is_ascii_digit();
        if !in_number {
            words.push(CodeWord {
                text: &code[start..end],
                how: word_use(bytes, from, to),
            });
        }
        at = end;
    }
}

fn word_use(line: &[u8], from: usize, to: usize) -> WordUse {
    let word = &line[from..to];
    let behind = line[to..].iter().find(|b| **b != b' ');
    let before = &line[..from];
    let member = before.ends_with(b".") || before.ends_with(b"->") || before.ends_with(b"::");
    if behind == Some(&b'(') || line[to..].starts_with(b"!(") {
        WordUse::Called
    } else if word.first().is_some_and(u8::is_ascii_uppercase) && word.len() > 2 {
        WordUse::Named
    } else if member {
        WordUse::Member
    } else {
        WordUse::Plain
    }
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || (!c.is_ascii() && c.is_alphabetic())
}

pub(super) fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || (!c.is_ascii() && c.is_alphanumeric())
}
