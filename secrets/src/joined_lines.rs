//! A list, a table or a call that is broken over lines, read as if it stood in one: what formatters and pretty printers
//! break changes no value's name.

use std::ops::Range;

use crate::assigned::MAX_NEAR;
use crate::line_signs::{LineSigns, Sign};
use crate::matcher::{PLACEHOLDER, SecretMatch, SecretShape};
use crate::near_lines::{NearLines, goes_on};
use crate::open_name::{field_of, is_value_field, without_comment};
use crate::table::SecretTable;
use crate::value::MIN_VALUE;

/// A longer line is no element of a list that somebody wrote.
const MAX_LINE: usize = 400;

/// The elements above that a value is read with: an option stands beside its value, a password behind host and user.
const MAX_ELEMENTS: usize = 6;

/// The deepest block whose lines are read with what opened it.
const MAX_FRAMES: usize = 64;

/// What opened the list that goes on in the next line.
#[derive(Debug, Clone, Default)]
pub(crate) struct JoinedLines {
    frames: Vec<ListFrame>,
    near: NearLines,
}

/// How a list ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FrameEnd {
    /// With that many brackets.
    Bracket(usize),
    /// Where no line stands deeper than its key: `args:`.
    Key(usize),
    /// Where no line stands deeper than its dash: `- name: x`.
    Dash(usize),
    /// With the next heading: `[jwt]`.
    Section,
}

/// One list whose end has not come yet.
#[derive(Debug, Clone)]
struct ListFrame {
    opener: String,
    end: FrameEnd,
    elements: Vec<String>,
    /// The name that a field `name` or `key` of it has: `value` is its value.
    named: Option<String>,
    /// Whether it is a list or a table, and no block of code.
    is_list: bool,
    /// Whether a keyword stands in it: in any other one nothing is looked for.
    is_due: bool,
}

/// A line as it would stand in one line with the others: what is put before the slice of it and behind.
#[derive(Debug)]
struct FlowElement {
    before: String,
    slice: Range<usize>,
    behind: &'static str,
}

impl JoinedLines {
    /// Reads the next line: what of it is a secret by what stands above.
    pub(crate) fn read_line(
        &mut self,
        line: &str,
        signs: &LineSigns,
    ) -> Vec<(Range<usize>, SecretShape)> {
        if line.len() > MAX_LINE {
            self.frames.iter_mut().for_each(ListFrame::forget_elements);
            self.near = NearLines::default();
            return Vec::new();
        }
        let text = without_comment(line);
        let text = text.trim_end();
        let start = text.len() - text.trim_start().len();
        if start == text.len() {
            return Vec::new();
        }
        self.leave_blocks(start, &text[start..]);
        let (closing, opening) = open_brackets(text);
        let is_due = signs.has(Sign::Keyword);
        let found = self
            .frames
            .last()
            .filter(|frame| frame.is_list && (frame.is_due || is_due));
        let mut found = found
            .map(|frame| frame.secrets_of(text, start))
            .unwrap_or_default();
        found.extend(self.near.read_line(text, signs));
        self.add_element(text, start, is_due, closing > 0 || opening.is_some());
        self.close_brackets(closing);
        self.enter(text, start, opening, is_due);
        found
    }

    /// Leaves the blocks that a line of this depth ends.
    fn leave_blocks(&mut self, indent: usize, text: &str) {
        let is_item = text.starts_with("- ");
        let is_ended = |frame: &ListFrame| match frame.end {
            FrameEnd::Key(outer) => indent < outer || (indent == outer && !is_item),
            FrameEnd::Dash(outer) => indent <= outer,
            FrameEnd::Bracket(_) | FrameEnd::Section => false,
        };
        while self.frames.last().is_some_and(is_ended) {
            self.frames.pop();
        }
    }

    fn add_element(&mut self, text: &str, start: usize, is_due: bool, is_bracket: bool) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        // Most lines stand in a block of code: no copy is made of them.
        let is_block = !matches!(frame.end, FrameEnd::Bracket(_));
        if !frame.is_list || is_bracket || text.ends_with(';') || !(is_block || text.ends_with(','))
        {
            frame.forget_elements();
            return;
        }
        frame.named = name_of_field(text).or_else(|| frame.named.take());
        frame.is_due |= is_due;
        let element = frame.flow_element(text, start).whole(text);
        frame.elements.push(element);
        if frame.elements.len() > MAX_ELEMENTS {
            frame.elements.remove(0);
        }
    }

    fn close_brackets(&mut self, mut closing: usize) {
        while closing > 0
            && let Some(frame) = self.frames.last_mut()
        {
            match &mut frame.end {
                FrameEnd::Bracket(open) if *open > closing => {
                    *open -= closing;
                    return;
                }
                FrameEnd::Bracket(open) => closing -= *open,
                _ => {}
            }
            self.frames.pop();
        }
    }

    /// Enters the list that a line opens.
    fn enter(&mut self, text: &str, start: usize, opening: Option<(usize, usize)>, is_due: bool) {
        let inner = &text[start..];
        let is_outer = !self
            .frames
            .iter()
            .any(|frame| matches!(frame.end, FrameEnd::Bracket(_)));
        let frame = |opener: String, end, is_list| ListFrame {
            named: name_of_field(&opener),
            opener,
            end,
            elements: Vec::new(),
            is_list,
            is_due,
        };
        let new = if let Some((at, count)) = opening {
            let is_list = !text[at..].starts_with('{') || is_table(text[start..at].trim_end());
            let is_list = is_list && !is_declaration(inner);
            Some(frame(inner.to_owned(), FrameEnd::Bracket(count), is_list))
        } else if !is_outer {
            None
        } else if let Some(name) = heading_of(inner) {
            self.frames.clear();
            Some(frame(format!("{name}:"), FrameEnd::Section, true))
        } else if let Some(key) = key_of_block(inner) {
            let start = start + inner.len() - inner.trim_start_matches("- ").len();
            Some(frame(format!("\"{key}\":"), FrameEnd::Key(start), true))
        } else {
            let item = inner
                .strip_prefix("- ")
                .filter(|item| field_of(item).is_some());
            item.map(|item| {
                let at = text.len() - item.len();
                let first = mapped(text, at).map_or(String::new(), |first| first.whole(text));
                ListFrame {
                    elements: vec![first],
                    named: name_of_field(item),
                    ..frame(String::new(), FrameEnd::Dash(start), true)
                }
            })
        };
        if self.frames.len() < MAX_FRAMES {
            self.frames.extend(new);
        }
    }
}

impl ListFrame {
    fn forget_elements(&mut self) {
        self.elements.clear();
        self.named = None;
    }

    /// A line of this list as it would stand in one line.
    fn flow_element(&self, text: &str, start: usize) -> FlowElement {
        let as_is = || FlowElement {
            before: String::new(),
            slice: start..text.len(),
            behind: "",
        };
        if matches!(self.end, FrameEnd::Bracket(_)) {
            return as_is();
        }
        match text[start..].strip_prefix("- ") {
            Some(item) => quoted(text, text.len() - item.trim_start().len(), String::new()),
            None => mapped(text, start).unwrap_or_else(as_is),
        }
    }

    /// What stands before a line where the whole list stands in one line, and where the line is all that its name gets.
    fn heads(&self, text: &str, element: &FlowElement) -> Vec<String> {
        let opener = self.opener.as_str();
        let is_bracket = matches!(self.end, FrameEnd::Bracket(_));
        let is_item = text.trim_start().starts_with("- ");
        let open = match (is_bracket, is_item) {
            (true, _) => "",
            (_, true) => " [",
            (_, false) => " {",
        };
        let joint = if is_bracket { " " } else { ", " };
        let listed: String = self
            .elements
            .iter()
            .map(|one| format!("{one}{joint}"))
            .collect();
        let mut heads = vec![format!("{opener}{open}{listed}{}", element.before)];
        let sole = opener
            .strip_suffix('[')
            .filter(|head| head.trim_end().ends_with([':', '>']));
        let sole = sole.or_else(|| Some(opener).filter(|_| is_item));
        heads.extend(sole.map(|head| format!("{} {}", head.trim_end(), element.before)));
        heads
    }

    /// The secrets of a line by what stands above it.
    fn secrets_of(&self, text: &str, start: usize) -> Vec<(Range<usize>, SecretShape)> {
        let mut found = Vec::new();
        if !may_hold_value(&text[start..]) {
            return found;
        }
        let element = self.flow_element(text, start);
        for head in self.heads(text, &element) {
            found.extend(secrets_behind(&head, text, &element));
        }
        let named = self.named.as_ref().zip(field_of(text));
        if let Some((name, field)) = named.filter(|(_, field)| is_value_field(&field.key)) {
            let value = FlowElement {
                before: "\"".to_owned(),
                slice: field.value,
                behind: "\"",
            };
            found.extend(secrets_behind(&format!("\"{name}\": \""), text, &value));
        }
        found
    }
}

impl FlowElement {
    fn whole(&self, text: &str) -> String {
        format!(
            "{}{}{}",
            self.before,
            &text[self.slice.clone()],
            self.behind
        )
    }
}

/// Whether a word of a text may be a secret by its signs. Most elements of lists are none: without this look the text
/// of this repository took 1.7 times as long.
fn may_hold_value(text: &str) -> bool {
    let is_end = |c: char| c.is_whitespace() || "\"'`,;()[]{}".contains(c);
    let is_value = |word: &str| {
        let has = |class: fn(&u8) -> bool| word.bytes().any(|b| class(&b));
        let is_mixed = has(|b| b.is_ascii_digit() || b"!@$%^&*+/=~?#".contains(b));
        let is_cased = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
        word.len() >= MIN_VALUE && has(u8::is_ascii_alphabetic) && (is_mixed || is_cased)
    };
    text.split(is_end).any(is_value)
}

/// The secrets of an element that it has behind this head and not by itself.
fn secrets_behind(
    head: &str,
    text: &str,
    element: &FlowElement,
) -> Vec<(Range<usize>, SecretShape)> {
    let slice = &text[element.slice.clone()];
    let head = &head[head.ceil_char_boundary(head.len().saturating_sub(2 * MAX_NEAR))..];
    let table = SecretTable::built_in();
    let named = |found: &SecretMatch<'_>| found.shape != SecretShape::Token;
    let joined = format!("{head}{slice}{}", element.behind);
    let found = table.find_written(&joined).into_iter().filter(named);
    let found: Vec<_> = found
        .filter(|found| {
            found.span.start >= head.len() && found.span.end <= head.len() + slice.len()
        })
        .collect();
    if found.is_empty() {
        return Vec::new();
    }
    // What its own key says was read without these quotes already.
    let alone = table.find_written(&element.whole(text));
    let before = element.before.len();
    let is_news = |found: &SecretMatch<'_>| {
        let place = found.span.start - head.len() + before..found.span.end - head.len() + before;
        !alone
            .iter()
            .any(|old| old.span.start < place.end && place.start < old.span.end)
    };
    let news = found.into_iter().filter(is_news);
    let at = element.slice.start;
    let news = news.map(|found| {
        (
            found.span.start - head.len() + at..found.span.end - head.len() + at,
            found.shape,
        )
    });
    news.filter(|(place, _)| !text[place.clone()].contains(PLACEHOLDER))
        .collect()
}

/// A value of a block between quotes, as a list in one line has it.
fn quoted(text: &str, at: usize, before: String) -> FlowElement {
    let slice = at..text.len();
    match text[at..].contains(['"', '\'', '`']) {
        true => FlowElement {
            before,
            slice,
            behind: "",
        },
        false => FlowElement {
            before: before + "\"",
            slice,
            behind: "\"",
        },
    }
}

/// A key of a block and its value: `key: value`, `key = "value"`.
fn mapped(text: &str, start: usize) -> Option<FlowElement> {
    let inner = &text[start..];
    let is_key = |c: char| c.is_ascii_alphanumeric() || "_.-\"'".contains(c);
    let end = inner.find(|c| !is_key(c))?;
    let (key, rest) = inner.split_at(end);
    let value = rest.trim_start().strip_prefix([':', '='])?.trim_start();
    let key = key.trim_matches(['"', '\'']);
    let is_pair = !key.is_empty() && !value.is_empty() && !value.starts_with([':', '=']);
    is_pair.then(|| quoted(text, text.len() - value.len(), format!("\"{key}\": ")))
}

/// `[jwt]`
fn heading_of(text: &str) -> Option<&str> {
    let name = text.strip_prefix('[')?.strip_suffix(']')?;
    is_key(name).then_some(name)
}

/// `args:`, also as the first key of an item.
fn key_of_block(text: &str) -> Option<&str> {
    let text = text.trim_start_matches("- ");
    let key = text.strip_suffix(':')?.trim_matches(['"', '\'']);
    is_key(key).then_some(key)
}

fn is_key(text: &str) -> bool {
    let is_sign = |b: u8| b.is_ascii_alphanumeric() || b"_.-".contains(&b);
    !text.is_empty() && text.bytes().all(is_sign)
}

/// What `name: X` or `"key": "X"` names.
fn name_of_field(text: &str) -> Option<String> {
    let field = field_of(text)?;
    let is_named = ["name", "key"].contains(&field.key.as_str());
    let name = text.get(field.value)?;
    (is_named && is_key(name)).then(|| name.to_owned())
}

/// Whether a brace behind this text opens a table: behind any other text it opens a block of code.
fn is_table(before: &str) -> bool {
    let is_arrow = before.ends_with("\" =>") || before.ends_with("' =>");
    before.is_empty() || is_arrow || before.ends_with([':', '=', '(', '[', ','])
}

/// Whether a line declares a function: what stands in its brackets are names and types.
pub(crate) fn is_declaration(text: &str) -> bool {
    let words = text.split([' ', '(']).take(3);
    words
        .into_iter()
        .any(|word| ["def", "fn", "func", "function", "fun"].contains(&word))
}

/// How many brackets a line closes that it does not open; the last one that it leaves open, and how many it does.
fn open_brackets(text: &str) -> (usize, Option<(usize, usize)>) {
    let (mut closing, mut open) = (0, Vec::new());
    let mut quote = None;
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some(_), b'\\') => is_escaped = true,
            (Some(sign), _) if sign == byte => quote = None,
            // An apostrophe of a word quotes nothing.
            (None, b'"' | b'\'' | b'`') if text[at + 1..].contains(char::from(byte)) => {
                quote = Some(byte)
            }
            (None, b'(' | b'[' | b'{') => open.push(at),
            (None, b')' | b']' | b'}') if open.pop().is_none() => closing += 1,
            _ => {}
        }
    }
    let last = open.last().map(|at| (*at, open.len()));
    (closing, last)
}

/// Whether a line of a text may open such a list, so that other lines must not come between its own.
pub(crate) fn may_open_list(text: &str) -> bool {
    let opens = |line: &str| {
        let line = line.trim_end();
        let item = line.trim_start_matches(['+', '-', ' ', '\t']);
        line.ends_with(['{', ':', ']']) || goes_on(line) || item.starts_with("name:")
    };
    LineSigns::of(text).has(Sign::Keyword) && text.lines().any(opens)
}
