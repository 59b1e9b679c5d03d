//! Columns of a terminal: how wide text is, cutting it and wrapping it. Only for text that has passed the gate.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar as _;

/// What stands where text was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ellipsis {
    /// `…`, one column.
    #[default]
    Unicode,
    /// `...`, three columns.
    Ascii,
}

impl Ellipsis {
    /// The text.
    pub fn text(self) -> &'static str {
        match self {
            Self::Unicode => "…",
            Self::Ascii => "...",
        }
    }
}

/// Columns that text takes: an upper bound where terminals differ.
pub fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// A selector of emoji presentation makes a narrow symbol wide.
fn columns(c: char) -> usize {
    if c == '\u{FE0F}' {
        1
    } else {
        c.width().unwrap_or(0)
    }
}

/// Text cut to at most `columns` columns, with an ellipsis where something is missing.
pub fn fit(text: &str, max: usize, ellipsis: Ellipsis) -> String {
    if width(text) <= max {
        return text.to_owned();
    }
    let room = max.saturating_sub(width(ellipsis.text()));
    let mut out = text[..prefix(text, room)].trim_end().to_owned();
    if max >= width(ellipsis.text()) {
        out.push_str(ellipsis.text());
    }
    out
}

/// Bytes of the longest prefix of at most `max` columns.
fn prefix(text: &str, max: usize) -> usize {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += columns(c);
        if used > max {
            return at;
        }
    }
    text.len()
}

/// Text broken at spaces into lines of at most `max` columns (at least 8); a longer word is cut. No line starts with
/// what a GitHub runner would take for a command. Never empty.
pub fn wrap(text: &str, max: usize) -> Vec<String> {
    let max = max.max(8);
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ').filter(|w| !w.is_empty()) {
        if used > 0 && used + 1 + width(word) <= max {
            used += 1 + width(word);
            push(&mut lines, " ");
            push(&mut lines, word);
            continue;
        }
        if used > 0 {
            lines.push(String::new());
        }
        let word = no_command(word);
        let rest = cut_word(&mut lines, &word, max);
        used = width(rest);
        push(&mut lines, rest);
    }
    lines
}

fn push(lines: &mut [String], text: &str) {
    if let Some(last) = lines.last_mut() {
        last.push_str(text);
    }
}

/// Fills whole lines from a word that is too long for one and returns what is left.
fn cut_word<'a>(lines: &mut Vec<String>, word: &'a str, max: usize) -> &'a str {
    let mut rest = word;
    while width(rest) > max {
        let mut at = prefix(rest, max);
        if rest[at..].starts_with("::") {
            at = rest[..at]
                .char_indices()
                .next_back()
                .map_or(at, |(before, _)| before);
        }
        let (head, tail) = rest.split_at(at);
        push(lines, head);
        lines.push(String::new());
        rest = tail;
    }
    rest
}

fn no_command(word: &str) -> Cow<'_, str> {
    if word.starts_with("::") {
        Cow::Owned(word.replacen("::", "\\u{3A}:", 1))
    } else {
        Cow::Borrowed(word)
    }
}
