//! Columns of a terminal: how wide text is, cutting it and wrapping it. Only for text that has passed the gate.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar as _;

/// What stands where text was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Ellipsis {
    /// `…`, one column.
    #[default]
    Unicode,
    /// `...`, three columns.
    Ascii,
}

impl Ellipsis {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Unicode => "…",
            Self::Ascii => "...",
        }
    }
}

/// Columns that text takes: an upper bound where terminals differ.
pub(crate) fn display_width(text: &str) -> usize {
    text.chars().map(char_columns).sum()
}

/// A selector of emoji presentation makes a narrow symbol wide.
fn char_columns(c: char) -> usize {
    if c == '\u{FE0F}' {
        1
    } else {
        c.width().unwrap_or(0)
    }
}

/// Text cut to at most `columns` columns, with an ellipsis where something is missing.
pub(crate) fn fit_columns(text: &str, max: usize, ellipsis: Ellipsis) -> String {
    if display_width(text) <= max {
        return text.to_owned();
    }
    let room = max.saturating_sub(display_width(ellipsis.as_str()));
    let mut out = text[..prefix_bytes(text, room)].trim_end().to_owned();
    if max >= display_width(ellipsis.as_str()) {
        out.push_str(ellipsis.as_str());
    }
    out
}

/// The end of a text in at most `max` columns, behind an ellipsis where something is missing.
pub(crate) fn fit_end(text: &str, max: usize, ellipsis: Ellipsis) -> String {
    if display_width(text) <= max {
        return text.to_owned();
    }
    let Some(room) = max.checked_sub(display_width(ellipsis.as_str())) else {
        return String::new();
    };
    let mut at = text.len();
    for (start, _) in text.char_indices().rev() {
        if display_width(&text[start..]) > room {
            break;
        }
        at = start;
    }
    format!("{}{}", ellipsis.as_str(), &text[at..])
}

/// Bytes of the longest prefix of at most `max` columns.
fn prefix_bytes(text: &str, max: usize) -> usize {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += char_columns(c);
        if used > max {
            return at;
        }
    }
    text.len()
}

/// Text broken at spaces into lines of at most `max` columns (at least 8), the first one of at most `first`; a longer
/// word is cut. No line starts with what a GitHub runner would take for a command. Never empty.
pub(crate) fn wrap_columns(text: &str, first: usize, max: usize) -> Vec<String> {
    let max = max.max(8);
    let mut lines = vec![String::new()];
    let mut room = first.min(max);
    for word in text.split(' ').filter(|w| !w.is_empty()) {
        let used = lines.last().map_or(0, |line| display_width(line));
        if used > 0 && used + 1 + display_width(word) <= room {
            push_to_last(&mut lines, " ");
            push_to_last(&mut lines, word);
            continue;
        }
        let word = no_command(word);
        if used > 0 || (lines.len() == 1 && display_width(&word) > room) {
            lines.push(String::new());
            room = max;
        }
        cut_word(&mut lines, &word, room);
        room = if lines.len() > 1 { max } else { room };
    }
    lines
}

/// Lines, each ended by a line break, and broken at spaces where it is wider than a terminal of so many columns; what is
/// broken off stands below its line, behind the same indent and two columns more. None: there is no terminal.
pub(crate) fn wrap_lines(text: &str, columns: Option<usize>) -> String {
    let columns = columns.unwrap_or(usize::MAX);
    let mut out = String::new();
    for line in text.lines() {
        if display_width(line) <= columns {
            // As it is, with its gaps between columns.
            out.push_str(line);
            out.push('\n');
            continue;
        }
        let words = line.trim_start();
        let indent = line.len() - words.len();
        let room = columns.saturating_sub(indent);
        let lines = wrap_columns(words, room, room.saturating_sub(2));
        let below = format!("\n{}", " ".repeat(indent + 2));
        out.push_str(&" ".repeat(indent));
        out.push_str(&lines.join(&below));
        out.push('\n');
    }
    out
}

fn push_to_last(lines: &mut [String], text: &str) {
    if let Some(last) = lines.last_mut() {
        last.push_str(text);
    }
}

/// Appends a word, as whole lines as long as it is too long for one.
fn cut_word(lines: &mut Vec<String>, word: &str, max: usize) {
    let mut rest = word;
    while display_width(rest) > max {
        let mut at = prefix_bytes(rest, max);
        if rest[at..].starts_with("::") {
            at = rest[..at]
                .char_indices()
                .next_back()
                .map_or(at, |(before, _)| before);
        }
        let (head, tail) = rest.split_at(at);
        push_to_last(lines, head);
        lines.push(String::new());
        rest = tail;
    }
    push_to_last(lines, rest);
}

fn no_command(word: &str) -> Cow<'_, str> {
    if word.starts_with("::") {
        Cow::Owned(word.replacen("::", "\\u{3A}:", 1))
    } else {
        Cow::Borrowed(word)
    }
}

/// The first `max` characters of text, with an ellipsis where something is missing.
pub(crate) fn clip_chars(text: &str, max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max) {
        None => Cow::Borrowed(text),
        Some((at, _)) => Cow::Owned(format!("{}…", text[..at].trim_end())),
    }
}
