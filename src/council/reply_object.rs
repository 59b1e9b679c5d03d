//! Where a reply has its object: the whole reply, its last fenced `json` block, else the last block of another fence that
//! holds one, or the last object that begins a line.

use council_protocol::{Failure, FailureKind};
use serde::de::IgnoredAny;

/// The part of a reply that is read: its object; none: it has none.
pub fn object_of(raw: &str) -> Option<&str> {
    find_object(raw).ok()
}

/// The text that claims to be the object: one that stands alone, the last fenced one, or the last bare one that begins a
/// line. Models that think aloud write words before it; what it has to echo tells it from one that is quoted.
pub(super) fn find_object(raw: &str) -> Result<&str, Failure> {
    let text = raw.trim();
    if text.is_empty() {
        return Err(Failure::new(FailureKind::Empty, "the reply is empty"));
    }
    if text.starts_with('{') {
        // A draft before the answer would be taken for it, and what follows one for words. One that cannot be read, or in
        // whose line more stands, is told where it is wrong.
        let is_whole = match first_value(text) {
            FirstValue::Whole(end) => {
                text[end..].is_empty() || text[end..].starts_with(['\r', '\n'])
            }
            FirstValue::CutOff | FirstValue::Unreadable => false,
        };
        return Ok(last_bare_object(text).filter(|_| is_whole).unwrap_or(text));
    }
    if let Some(item) = only_item(text) {
        return Ok(item);
    }
    let detail = "no JSON object, and no block fenced as `json`";
    let blocks = fenced_blocks(raw)?;
    let is_object = |block: &&FencedBlock| only_item(block.inside).is_some();
    let last = blocks.iter().rfind(|block| block.is_json);
    let last = last.or_else(|| blocks.iter().rfind(is_object));
    let last = last.map(|block| only_item(block.inside).unwrap_or(block.inside));
    // What else stands in a fence is shown, and not said.
    let mut open_text = outside_fences(text).into_iter().rev();
    let last = last.or_else(|| open_text.find_map(last_bare_object));
    last.ok_or_else(|| Failure::new(FailureKind::Prose, detail))
}

/// The object that is all of a text, or the only item of the list that is.
fn only_item(text: &str) -> Option<&str> {
    let list = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let object = list.unwrap_or(text).trim();
    let object = object.strip_suffix(',').unwrap_or(object).trim_end();
    let is_one = object.starts_with('{')
        && match first_value(object) {
            FirstValue::Whole(end) => end == object.len(),
            // It may have a comma too many.
            FirstValue::Unreadable => object.ends_with('}'),
            FirstValue::CutOff => false,
        };
    is_one.then_some(object)
}

/// So many lines of a reply are tried as the beginning of its object.
const MAX_BEGINNINGS: usize = 32;

/// The last JSON object that begins a line of a text, with words around it or none. One that breaks off is the last.
fn last_bare_object(text: &str) -> Option<&str> {
    let (mut found, mut at) = (None, 0);
    for _ in 0..MAX_BEGINNINGS {
        let Some(start) = object_start(text, at) else {
            break;
        };
        match first_value(&text[start..]) {
            FirstValue::Whole(length) => {
                at = start + length;
                found = Some(&text[start..at]);
            }
            FirstValue::CutOff => return Some(&text[start..]),
            FirstValue::Unreadable => at = start + 1,
        }
    }
    found
}

/// A text without the objects that begin a line of it: a draft before the answer is none of the words around it.
pub(super) fn words_outside_objects(text: &str) -> String {
    let (mut words, mut at) = (String::new(), 0);
    for _ in 0..MAX_BEGINNINGS {
        let Some(start) = object_start(text, at) else {
            break;
        };
        words.push_str(&text[at..start]);
        at = start
            + match first_value(&text[start..]) {
                FirstValue::Whole(length) => length,
                FirstValue::CutOff | FirstValue::Unreadable => 1,
            };
    }
    words.push_str(&text[at..]);
    words
}

/// The JSON values that begin a line of a text.
pub(super) fn values_in(text: &str) -> Vec<&str> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(start) = value_start(text, at).filter(|_| found.len() < MAX_VALUES) {
        at = match first_value(&text[start..]) {
            FirstValue::Whole(length) => {
                found.push(&text[start..start + length]);
                start + length
            }
            FirstValue::CutOff | FirstValue::Unreadable => start + 1,
        };
    }
    found
}

/// So many values in front of an answer are read.
const MAX_VALUES: usize = 256;

/// Where the next line begins with an object or a list.
fn value_start(text: &str, from: usize) -> Option<usize> {
    let mut begins = text[from..]
        .match_indices(['{', '['])
        .map(|(at, _)| from + at);
    begins.find(|at| {
        let before = text[..*at].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with(['\n', '>'])
    })
}

/// Where the next line begins with an object, or the thoughts before one end.
fn object_start(text: &str, from: usize) -> Option<usize> {
    let braces = text[from..].match_indices('{').map(|(at, _)| from + at);
    let mut braces = braces.filter(|at| {
        let before = text[..*at].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with(['\n', '>'])
    });
    braces.next()
}

/// What a text begins with.
enum FirstValue {
    /// A JSON value of so many bytes.
    Whole(usize),
    /// One that breaks off.
    CutOff,
    Unreadable,
}

fn first_value(text: &str) -> FirstValue {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => FirstValue::Whole(values.byte_offset()),
        Some(Err(error)) if error.is_eof() => FirstValue::CutOff,
        _ => FirstValue::Unreadable,
    }
}

/// The insides of the blocks that are fenced as `json`.
pub(super) fn json_blocks(text: &str) -> Result<Vec<&str>, Failure> {
    let blocks = fenced_blocks(text)?.into_iter();
    Ok(blocks
        .filter(|block| block.is_json)
        .map(|block| block.inside)
        .collect())
}

struct FencedBlock<'t> {
    is_json: bool,
    inside: &'t str,
}

/// The blocks of a text that are fenced (CommonMark fences: a longer fence may hold shorter ones).
fn fenced_blocks(text: &str) -> Result<Vec<FencedBlock<'_>>, Failure> {
    let mut found = Vec::new();
    let mut open: Option<(&str, bool, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let next = at + line.len();
        match (open, parse_fence(line)) {
            (None, Some((mark, info))) => {
                let name = info.split_whitespace().next().unwrap_or_default();
                open = Some((mark, name.eq_ignore_ascii_case("json"), next));
            }
            (Some((opening, is_json, start)), Some((mark, ""))) if mark.starts_with(opening) => {
                let inside = text[start..at].trim();
                found.push(FencedBlock { is_json, inside });
                open = None;
            }
            _ => {}
        }
        at = next;
    }
    match open {
        Some((_, true, _)) => Err(Failure::new(
            FailureKind::Truncated,
            "the last `json` block is not closed",
        )),
        _ => Ok(found),
    }
}

/// The parts of a text that stand in no fence.
fn outside_fences(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut open: Option<&str> = None;
    let (mut start, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        let next = at + line.len();
        match (open, parse_fence(line)) {
            (None, Some((mark, _))) => {
                parts.push(&text[start..at]);
                open = Some(mark);
            }
            (Some(opening), Some((mark, ""))) if mark.starts_with(opening) => {
                open = None;
                start = next;
            }
            _ => {}
        }
        at = next;
    }
    if open.is_none() {
        parts.push(&text[start..]);
    }
    parts
}

/// The mark and the info string of a line that opens or closes a fence.
fn parse_fence(line: &str) -> Option<(&str, &str)> {
    let text = line.trim_end();
    let inner = text.trim_start_matches(' ');
    let mark = inner.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = inner.chars().take_while(|&c| c == mark).count();
    let shallow = text.len() - inner.len() < 4;
    (length >= 3 && shallow).then(|| (&inner[..length], inner[length..].trim()))
}
