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
    let detail = "no JSON object, and no block fenced as `json`";
    let last = json_blocks(raw)?.pop();
    let is_object =
        |block: &&str| matches!(first_value(block), FirstValue::Whole(end) if end == block.len());
    let loose = || {
        let blocks = fenced_blocks(raw, &LOOSE_FENCES).unwrap_or_default();
        blocks
            .into_iter()
            .rfind(|block| block.starts_with('{') && is_object(block))
    };
    let last = last.or_else(loose);
    // What else stands in a fence is shown, and not said.
    let has_fence = text.contains("```") || text.contains("~~~");
    let last = last.or_else(|| last_bare_object(text).filter(|_| !has_fence));
    last.ok_or_else(|| Failure::new(FailureKind::Prose, detail))
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

/// Names of fences in which models write an answer as well; it counts where no block is fenced as `json`.
const LOOSE_FENCES: [&str; 5] = ["", "jsonc", "json5", "javascript", "js"];

/// The insides of the blocks that are fenced as `json`.
pub(super) fn json_blocks(text: &str) -> Result<Vec<&str>, Failure> {
    fenced_blocks(text, &["json"])
}

/// The insides of the blocks that are fenced as one of these (CommonMark fences: a longer fence may hold shorter ones).
fn fenced_blocks<'a>(text: &'a str, names: &[&str]) -> Result<Vec<&'a str>, Failure> {
    let mut found = Vec::new();
    let mut open: Option<(&str, bool, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let next = at + line.len();
        match (open, parse_fence(line)) {
            (None, Some((mark, info))) => {
                let name = info.split_whitespace().next().unwrap_or_default();
                let is_meant = names.iter().any(|known| name.eq_ignore_ascii_case(known));
                open = Some((mark, is_meant, next));
            }
            (Some((opening, is_meant, start)), Some((mark, ""))) if mark.starts_with(opening) => {
                if is_meant {
                    found.push(text[start..at].trim());
                }
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

/// The mark and the info string of a line that opens or closes a fence.
fn parse_fence(line: &str) -> Option<(&str, &str)> {
    let text = line.trim_end();
    let inner = text.trim_start_matches(' ');
    let mark = inner.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = inner.chars().take_while(|&c| c == mark).count();
    let shallow = text.len() - inner.len() < 4;
    (length >= 3 && shallow).then(|| (&inner[..length], inner[length..].trim()))
}
