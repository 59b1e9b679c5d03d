//! A drawn value in a line below a name that says secret, where the statement or the element goes on: whatever joins the
//! two, and however their language breaks lines.

use std::ops::Range;

use crate::beside_name::{drawn_beside_names, has_name};
use crate::joined_lines::is_declaration;
use crate::line_signs::{LineSigns, Sign};
use crate::matcher::{PLACEHOLDER, SecretShape};
use crate::open_name::{field_of, is_value_field};

/// How many lines below a name its value may stand.
const MAX_BELOW: usize = 2;

/// How many lines the attributes of an element may be broken over.
const MAX_TAG: usize = 8;

/// The most bytes that are kept of the lines above: a value farther from its name is not beside it.
const MAX_KEPT: usize = 160;

/// The end of the lines above, while a name of a secret stands in it and its statement goes on.
#[derive(Debug, Clone, Default)]
pub(crate) struct NearLines {
    text: String,
    age: usize,
    /// How many more lines may belong to the tag of an element that one above began.
    tag_lines: usize,
}

impl NearLines {
    /// Reads the next line, without its comment: what of it stands beside a name in the lines above.
    pub(crate) fn read_line(
        &mut self,
        line: &str,
        signs: &LineSigns,
    ) -> Vec<(Range<usize>, SecretShape)> {
        self.read_tag(line);
        let may_begin = signs.has(Sign::Beside) && (self.tag_lines > 0 || goes_on(line));
        if self.text.is_empty() && !may_begin {
            return Vec::new();
        }
        // What stands beside a name of its own is found without the lines above.
        let is_named = signs.has(Sign::Beside) && has_name(line);
        let mut found = Vec::new();
        if !self.text.is_empty() && !is_named && !has_other_key(line) {
            found = self.values_in(line);
        }
        self.keep(line, is_named);
        found
    }

    /// Whether the tag of an element goes on in the next line: its attributes may stand in a line each.
    fn read_tag(&mut self, line: &str) {
        self.tag_lines = match line.contains(['<', '>']) {
            true if is_tag_open(line) => MAX_TAG,
            true => 0,
            false => self.tag_lines.saturating_sub(1),
        };
    }

    fn values_in(&self, line: &str) -> Vec<(Range<usize>, SecretShape)> {
        let start = self.text.len();
        let joined = format!("{}{line}", self.text);
        let below = drawn_beside_names(&joined).into_iter();
        let below = below.filter(|(value, _)| value.start >= start);
        let found = below.map(|(value, _)| {
            let shape = SecretShape::BareValue.within(&joined[..value.start]);
            (value.start - start..value.end - start, shape)
        });
        found
            .filter(|(value, _)| !line[value.clone()].contains(PLACEHOLDER))
            .collect()
    }

    fn keep(&mut self, line: &str, is_named: bool) {
        self.age = if is_named { 0 } else { self.age + 1 };
        let is_kept = is_named || (!self.text.is_empty() && self.age < MAX_BELOW);
        if !is_kept || is_declaration(line.trim_start()) {
            self.text.clear();
            return;
        }
        let text = line.trim();
        self.text
            .push_str(&text[text.ceil_char_boundary(text.len().saturating_sub(MAX_KEPT))..]);
        // An element is open where one of the lines above began it.
        if self.tag_lines == 0 && !goes_on(&self.text) {
            self.text.clear();
            return;
        }
        let kept = self.text.trim_end_matches('\\').len();
        self.text.truncate(kept);
        self.text.push(' ');
        let far = self.text.len().saturating_sub(MAX_KEPT);
        self.text.drain(..self.text.ceil_char_boundary(far));
    }
}

/// Whether the statement, the element or the list of a line goes on in the next one.
pub(crate) fn goes_on(line: &str) -> bool {
    let text = line.trim_end();
    text.ends_with(['\\', ',', '(', '[', '=']) || text.ends_with("<-") || is_tag_open(text)
}

/// Whether a line begins a tag that it does not end.
fn is_tag_open(text: &str) -> bool {
    let tag = text.rfind('<').map(|at| &text[at + 1..]);
    let is_tag = |tag: &str| tag.starts_with(|c: char| c.is_ascii_alphabetic());
    tag.is_some_and(|tag| is_tag(tag) && !tag.contains('>'))
}

/// Whether a line has a key that is not the one of a value: `id: …`, `--file …`, but not `value="…"`.
fn has_other_key(line: &str) -> bool {
    let text = without_namespace(line.trim_start());
    let is_option = text.starts_with('-') && !text.starts_with("- ");
    is_option || field_of(text).is_some_and(|field| !is_value_field(&field.key))
}

/// An attribute without the namespace before its name: `android:value="…"`.
fn without_namespace(text: &str) -> &str {
    let is_name = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric());
    let local = text.split_once(':').filter(|(space, local)| {
        is_name(space) && local.split_once('=').is_some_and(|(name, _)| is_name(name))
    });
    local.map_or(text, |(_, local)| local)
}
