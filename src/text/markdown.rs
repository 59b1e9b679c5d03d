//! Untrusted text in GitHub's Markdown: it reads as it was written and does nothing.
//!
//! What GitHub acts upon after rendering (mentions, references, bare links) escapes no other way than in a code span:
//! a backslash or an entity is gone by then. Everything else is escaped character by character.

use std::fmt::Write as _;

use super::visible;

/// Languages of fenced blocks that GitHub does not show but draws, or offers to apply.
const ACTIVE: [&str; 6] = [
    "suggestion",
    "mermaid",
    "math",
    "geojson",
    "topojson",
    "stl",
];

/// Where inline text is to stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InlinePlace {
    /// In a paragraph, list item or heading.
    Text,
    /// In a table's cell.
    Cell,
}

/// Inline prose on one line.
pub(super) fn inline_prose(text: &str, place: InlinePlace) -> String {
    let text = visible::visible_line(text);
    let mut out = InlineMarkdown {
        text: String::with_capacity(text.len() + 16),
        place,
    };
    let mut rest = text.as_str();
    while let Some((before, span, after)) = next_span(rest) {
        out.push_words(before);
        out.push_code(span);
        rest = after;
    }
    out.push_words(rest);
    out.text
}

/// A code span on one line.
pub(super) fn code_span(text: &str, place: InlinePlace) -> String {
    let mut out = InlineMarkdown {
        text: String::new(),
        place,
    };
    out.push_code(&visible::visible_name(text));
    out.text
}

/// A fenced block of at most `max_lines` lines.
pub(super) fn fenced_block(text: &str, info: &str, max_lines: usize) -> String {
    let mut lines: Vec<String> = text.lines().take(max_lines).map(fenced_line).collect();
    let left = text.lines().count().saturating_sub(max_lines);
    if left > 0 {
        let noun = if left == 1 { "line" } else { "lines" };
        lines.push(format!("… {left} more {noun}"));
    }
    let marks = "`".repeat(
        lines
            .iter()
            .map(|l| longest_run(l))
            .max()
            .unwrap_or(0)
            .max(2)
            + 1,
    );
    let plain = |c: &char| c.is_ascii_alphanumeric() || "+-_".contains(*c);
    let info: String = info.chars().filter(plain).collect();
    let info = if ACTIVE.contains(&info.to_ascii_lowercase().as_str()) {
        ""
    } else {
        &info
    };
    format!("{marks}{info}\n{}\n{marks}\n", lines.join("\n"))
}

/// A line inside a fence. Bots that read the raw body take `/word` at the start of a line for a command.
fn fenced_line(line: &str) -> String {
    let line = visible::no_command(visible::fenced_line(line));
    if is_slash_command(&line) {
        format!(" {line}")
    } else {
        line
    }
}

fn is_slash_command(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next() == Some('/') && chars.next().is_some_and(char::is_alphabetic)
}

/// The first code span of prose: what stands before it, its content, what stands behind it.
fn next_span(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(open) = text[from..].find('`').map(|i| i + from) {
        let marks = backtick_run(&text[open..]);
        let body = open + marks;
        if let Some(close) = closing_run(&text[body..], marks) {
            let content = text[body..body + close].trim();
            if !content.is_empty() {
                return Some((&text[..open], content, &text[body + close + marks..]));
            }
        }
        from = body;
    }
    None
}

/// Where a run of exactly `marks` back-ticks starts.
fn closing_run(text: &str, marks: usize) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = text[from..].find('`').map(|i| i + from) {
        let found = backtick_run(&text[at..]);
        if found == marks {
            return Some(at);
        }
        from = at + found;
    }
    None
}

/// Length of the run of back-ticks at the start.
fn backtick_run(text: &str) -> usize {
    text.bytes().take_while(|&b| b == b'`').count()
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Inline Markdown under construction.
struct InlineMarkdown {
    text: String,
    place: InlinePlace,
}

impl InlineMarkdown {
    /// Appends a code span that its content cannot close.
    fn push_code(&mut self, content: &str) {
        if content.is_empty() {
            return;
        }
        // Where cells are told apart nobody knows of code spans, and a backslash before a pipe is ambiguous.
        if self.place == InlinePlace::Cell && content.contains('|') {
            return self.code_element(content);
        }
        if self.text.ends_with('`') {
            self.text.push(' ');
        }
        let marks = "`".repeat(longest_run(content) + 1);
        let pad = if content.starts_with([' ', '`']) || content.ends_with([' ', '`']) {
            " "
        } else {
            ""
        };
        for part in [&marks, pad, content, pad, &marks] {
            self.text.push_str(part);
        }
    }

    /// Appends a code element, every mark that could mean something as an entity.
    fn code_element(&mut self, content: &str) {
        self.text.push_str("<code>");
        for c in content.chars() {
            if c.is_ascii_punctuation() && !"/-=+(){},;%?'\"".contains(c) {
                let _ = write!(self.text, "&#{};", u32::from(c));
            } else {
                self.text.push(c);
            }
        }
        self.text.push_str("</code>");
    }

    /// Appends prose without code spans.
    fn push_words(&mut self, text: &str) {
        for (i, word) in text.split(' ').enumerate() {
            if i > 0 {
                self.text.push(' ');
            }
            match active_part(word, self.text.is_empty()) {
                Some((before, active, after)) => {
                    self.push_escaped(before);
                    self.push_code(active);
                    self.push_escaped(after);
                }
                None => self.push_escaped(word),
            }
        }
    }

    /// Appends text with everything escaped that Markdown, HTML, or GitHub's mathematics would act upon.
    fn push_escaped(&mut self, text: &str) {
        if text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b", ".contains(&b))
        {
            return self.text.push_str(text);
        }
        let mut before = None;
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            self.escaped_char(before, c, chars.peek().copied());
            before = Some(c);
        }
    }

    fn escaped_char(&mut self, before: Option<char>, c: char, next: Option<char>) {
        let out = &mut self.text;
        match c {
            '<' => out.push_str("&lt;"),
            '`' => out.push_str("&#96;"),
            '&' if next.is_some_and(|n| n == '#' || n.is_alphanumeric()) => out.push_str("&amp;"),
            '\\' | '*' | '[' | '~' | '|' | '$' => out.extend(['\\', c]),
            '_' if !(is_inner(before) && is_inner(next)) => out.push_str("\\_"),
            '#' | '>' | '+' | '-' | '=' | ':' if out.is_empty() => out.extend(['\\', c]),
            '.' | ')' if is_number(out) && next.is_none_or(|n| n == ' ') => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
}

/// The part of a word that GitHub or a bot would act upon, with what stands before and behind it.
fn active_part(word: &str, first: bool) -> Option<(&str, &str, &str)> {
    let acts = is_active(word) || (first && is_slash_command(word));
    if !acts {
        return None;
    }
    let start = word.len() - word.trim_start_matches(OPENERS).len();
    let core = word[start..].trim_end_matches(CLOSERS);
    match core {
        "" => Some(("", word, "")),
        core => Some((&word[..start], core, &word[start + core.len()..])),
    }
}

/// Punctuation that is left outside when a word becomes a code span.
const OPENERS: [char; 7] = ['(', '[', '{', '"', '\'', '*', ','];
const CLOSERS: [char; 12] = [')', ']', '}', '"', '\'', '*', ',', '.', ';', ':', '!', '?'];

/// Whether GitHub would make a link, a mention or a reference of it, or close an issue by it.
fn is_active(word: &str) -> bool {
    // Each of these has one of them; most words have none.
    if !word.bytes().any(|b| b"@:.#-".contains(&b)) {
        return false;
    }
    let lower = word.to_ascii_lowercase();
    word.contains('@')
        || lower.contains("://")
        || lower.contains("www.")
        || lower.contains("mailto:")
        || lower.contains("xmpp:")
        || has_number_after(&lower, "#")
        || has_number_after(&lower, "gh-")
}

fn has_number_after(text: &str, mark: &str) -> bool {
    text.match_indices(mark)
        .any(|(at, _)| text[at + mark.len()..].starts_with(|c: char| c.is_ascii_digit()))
}

/// Inside a word an underscore is no emphasis.
fn is_inner(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// Whether a dot or parenthesis would make an item of a numbered list.
fn is_number(out: &str) -> bool {
    !out.is_empty() && out.len() <= 9 && out.bytes().all(|b| b.is_ascii_digit())
}
