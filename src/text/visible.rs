//! What cannot be seen is made visible.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthChar as _;

/// The most marks without a width that may stand on one character; more would paint over their surroundings.
const MAX_MARKS: u8 = 4;

/// Whether a character has no business in text that people read: controls, line and paragraph separators, direction
/// marks, zero-width and tag characters, fillers that look like nothing, private use and noncharacters.
///
/// Variation selectors count as hidden here; behind an emoji one is let through (U+FE0E, U+FE0F).
pub(crate) fn is_hidden(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    matches!(u32::from(c),
        0x80..=0x9F
        | 0x00AD | 0x034F | 0x061C | 0x070F | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0x2800 | 0x3164
        | 0xE000..=0xF8FF | 0xFDD0..=0xFDEF | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB
        | 0x13430..=0x1345F | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A
        | 0xE0000..=0xE0FFF | 0xF0000..=0x10FFFF)
        || u32::from(c) & 0xFFFE == 0xFFFE
}

/// Prose on one line.
pub(super) fn visible_line(text: &str) -> String {
    let mut out = VisibleText::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.text.is_empty() {
            out.push(' ');
        }
        word.chars().for_each(|c| out.push(c));
    }
    no_command(out.text)
}

/// A name: its spaces stay.
pub(super) fn visible_name(text: &str) -> String {
    no_command(make_visible(text))
}

/// One line of code, without its end.
pub(super) fn code_line(line: &str) -> String {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let mut out = VisibleText::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '\t' => (0..4 - out.columns % 4).for_each(|_| out.push(' ')),
            _ => out.push(c),
        }
    }
    no_bracket(out.text)
}

/// One line of code whose tabs stay, for a fence.
pub(super) fn fenced_line(line: &str) -> String {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let parts: Vec<String> = line.split('\t').map(make_visible).collect();
    parts.join("\t")
}

/// Everything hidden made visible, nothing else changed.
fn make_visible(text: &str) -> String {
    let mut out = VisibleText::with_capacity(text.len());
    text.chars().for_each(|c| out.push(c));
    out.text
}

/// Defuses what a CI runner would take for a command: `::name::` at the start of a line, and
/// [`no_bracket`]'s anywhere.
pub(super) fn no_command(text: String) -> String {
    let text = no_bracket(text);
    if text.trim_start().starts_with("::") {
        text.replacen("::", "\\u{3A}:", 1)
    } else {
        text
    }
}

/// Defuses `##[command]`, `##vso[…]` and their like, which runners find anywhere in a line.
fn no_bracket(text: String) -> String {
    if !text.contains("##") {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '[' && opens_command(&out) {
            out.push_str("\\u{5B}")
        } else {
            out.push(c)
        }
    }
    out
}

/// Whether a bracket behind `before` would open a command.
fn opens_command(before: &str) -> bool {
    before
        .trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '.')
        .ends_with("##")
}

/// JSON text that is safe to look at: what is hidden, back-ticks and log commands stand in it as `\u` escapes. A reader
/// gets the same value, and a Markdown fence around it cannot be closed from inside.
pub(crate) fn json_safe(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    let is_special = |c: char| c == '`' || c == '[' || (is_hidden(c) && c != '\n');
    while let Some((at, c)) = rest.char_indices().find(|&(_, c)| is_special(c)) {
        out.push_str(&rest[..at]);
        rest = &rest[at + c.len_utf8()..];
        if c == '[' && !opens_command(&out) {
            out.push(c);
            continue;
        }
        let mut units = [0; 2];
        for unit in c.encode_utf16(&mut units) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out.push_str(rest);
    out
}

/// Text under construction, with what must be known of its end.
struct VisibleText {
    text: String,
    last: Option<char>,
    marks: u8,
    columns: usize,
}

impl VisibleText {
    fn with_capacity(bytes: usize) -> Self {
        Self {
            text: String::with_capacity(bytes),
            last: None,
            marks: MAX_MARKS,
            columns: 0,
        }
    }

    fn push(&mut self, c: char) {
        if matches!(c, '!'..='~') {
            // Nearly everything there is.
            (self.marks, self.last) = (0, Some(c));
            self.columns += 1;
            return self.text.push(c);
        }
        let presented =
            matches!(c, '\u{FE0E}' | '\u{FE0F}') && self.last.is_some_and(takes_presentation);
        let columns = c.width().unwrap_or(0);
        let piled = columns == 0 && self.marks >= MAX_MARKS;
        if (is_hidden(c) || piled) && !presented {
            return self.push_escaped(c);
        }
        self.marks = match columns {
            0 => self.marks.saturating_add(1),
            _ if c.is_whitespace() => MAX_MARKS,
            _ => 0,
        };
        self.columns += columns;
        self.last = Some(c);
        self.text.push(c);
    }

    fn push_escaped(&mut self, c: char) {
        let start = self.text.len();
        let _ = write!(self.text, "\\u{{{:X}}}", u32::from(c));
        self.columns += self.text.len() - start;
        self.marks = MAX_MARKS;
        self.last = None;
    }
}

/// Whether a character has an emoji or text presentation to choose: blocks of symbols, not single assignments.
fn takes_presentation(c: char) -> bool {
    matches!(c, '#' | '*' | '0'..='9' | '©' | '®')
        || matches!(u32::from(c), 0x203C..=0x27BF | 0x2900..=0x2BFF | 0x3030..=0x3299 | 0x1F000..=0x1FAFF)
}
