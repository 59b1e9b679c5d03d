//! Secrets by their value: what was taken out of the change is taken out of every answer that repeats it.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::matcher::PLACEHOLDER;
use crate::redactor::SecretSpan;

/// The most bytes of values that are kept: a change that is one heap of secrets must not fill the memory.
const MAX_BYTES: usize = 1 << 20;

/// Bytes of a piece of a token that give it away: 48 bits and more of what was drawn.
const PIECE: usize = 8;

/// Shorter values count only as words of their own.
const MIN_ANYWHERE: usize = 12;

/// Values that were found to be secret.
#[derive(Debug, Default)]
pub(crate) struct KnownValues {
    /// Value → kind. Sorted, so that the same change makes the same redactor.
    whole: BTreeMap<String, String>,
    /// Pieces of what was drawn at random → kind.
    pieces: HashMap<[u8; PIECE], String>,
    bytes: usize,
    finder: Option<AhoCorasick>,
}

impl KnownValues {
    /// Keeps the value of a span of `line`.
    pub(crate) fn insert(&mut self, line: &str, span: &SecretSpan<'_>) {
        let is_edge = |c: char| c.is_whitespace() || "\"'`,;".contains(c);
        let whole = line[span.range.clone()].trim_matches(is_edge);
        if self.bytes + whole.len() > MAX_BYTES || !is_specific(whole, span.is_guess) {
            return;
        }
        self.bytes += whole.len();
        let kind = span.kind.to_owned();
        if let Some(random) = &span.random {
            let random = line[random.clone()].as_bytes();
            for piece in random.windows(PIECE) {
                let piece = piece.try_into().unwrap_or_default();
                self.pieces.entry(piece).or_insert_with(|| kind.clone());
            }
        }
        for form in written_forms(whole) {
            self.whole.entry(form).or_insert_with(|| kind.clone());
        }
    }

    /// Prepares the search; call it when all values are there.
    pub(crate) fn build(&mut self) {
        let finder = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(self.whole.keys());
        // Bounded above: it cannot be too large.
        self.finder = finder.ok().filter(|_| !self.whole.is_empty());
    }

    /// Where a line repeats a value, or a piece of one.
    pub(crate) fn find<'k>(&'k self, line: &str, spans: &mut Vec<SecretSpan<'k>>) {
        if self.finder.is_none() {
            return;
        }
        let shown = placeholders(line);
        let mut push = |kind: &'k str, range: Range<usize>| {
            let overlaps =
                |other: &Range<usize>| other.start < range.end && range.start < other.end;
            if !shown.iter().any(overlaps) {
                spans.push(SecretSpan::of_known(kind, range));
            }
        };
        let kinds: Vec<&String> = self.whole.values().collect();
        for found in self.finder.iter().flat_map(|finder| finder.find_iter(line)) {
            let range = found.range();
            if range.len() >= MIN_ANYWHERE || is_word(line, &range) {
                push(kinds[found.pattern().as_usize()], range);
            }
        }
        for (at, piece) in line.as_bytes().windows(PIECE).enumerate() {
            let key: [u8; PIECE] = piece.try_into().unwrap_or_default();
            if let Some(kind) = self.pieces.get(&key) {
                push(kind, whole_word(line, at..at + PIECE));
            }
        }
    }
}

/// A value as it is written, as JSON writes it, and without the escapes of a URL.
fn written_forms(value: &str) -> Vec<String> {
    let mut forms = vec![value.to_owned()];
    let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
    let decoded = percent_encoding::percent_decode_str(value).decode_utf8_lossy();
    for form in [escaped, decoded.into_owned()] {
        if form.len() >= 4 && !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}

/// Whether a value can only be this secret. What was hidden for the name of its file alone may be any word.
fn is_specific(value: &str, is_guess: bool) -> bool {
    let has = |class: fn(char) -> bool| value.chars().any(class);
    let is_mixed = has(char::is_alphabetic)
        && (has(|c| c.is_ascii_digit()) || has(|c| c.is_ascii_punctuation()));
    let is_common = crate::plausible::is_common_password(value) || value.contains(PLACEHOLDER);
    if is_guess {
        value.len() >= 6 && is_mixed && !is_common
    } else {
        value.len() >= 4 && !is_common
    }
}

fn is_word(line: &str, range: &Range<usize>) -> bool {
    let outer = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    outer(line[..range.start].chars().next_back()) && outer(line[range.end..].chars().next())
}

/// A piece with what stands around it in the same word.
fn whole_word(line: &str, piece: Range<usize>) -> Range<usize> {
    let is_word = |b: &&u8| b.is_ascii_alphanumeric() || b"_-".contains(b);
    let (before, after) = (
        &line.as_bytes()[..piece.start],
        &line.as_bytes()[piece.end..],
    );
    // A dot joins the parts of a token; at its end it closes a sentence.
    let is_joined = |b: &&u8| **b == b'.' || is_word(b);
    let left = before.iter().rev().take_while(is_joined).count();
    let right = after.iter().take_while(is_word).count();
    piece.start - left..piece.end + right
}

/// What stands for secrets in a line already.
fn placeholders(line: &str) -> Vec<Range<usize>> {
    let starts = line.match_indices(PLACEHOLDER);
    let range = |(at, _): (usize, &str)| {
        let end = line[at..].find(']').map_or(line.len(), |end| at + end + 1);
        at..end
    };
    starts.map(range).collect()
}
