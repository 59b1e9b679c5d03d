//! A line as whoever reads it in the end has it: Markdown, HTML, JSON and URLs write some signs of a token in another way,
//! and some signs that are written are never seen.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// What is written, and what it stands for.
const SPELLINGS: [(&str, &str); 24] = [
    ("\\_", "_"),
    ("\\-", "-"),
    ("&#95;", "_"),
    ("&#45;", "-"),
    ("&#x5f;", "_"),
    ("&#x2d;", "-"),
    ("&lowbar;", "_"),
    ("%5f", "_"),
    ("%2d", "-"),
    ("\\u005f", "_"),
    ("\\u002d", "-"),
    ("\\x5f", "_"),
    ("\\x2d", "-"),
    ("=5f", "_"),
    ("&shy;", ""),
    ("&#8203;", ""),
    ("<wbr>", ""),
    ("<wbr/>", ""),
    ("\u{ad}", ""),
    ("\u{200b}", ""),
    ("\u{200c}", ""),
    ("\u{200d}", ""),
    ("\u{2060}", ""),
    ("\u{feff}", ""),
];

static MARKS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let mut builder = AhoCorasick::builder();
    let marks = SPELLINGS.iter().map(|(mark, _)| mark);
    builder.ascii_case_insensitive(true).build(marks).ok()
});

/// A line in its plain spelling.
pub(crate) struct PlainSpelling {
    pub(crate) text: String,
    /// Where a piece of `text` begins, and where in the line; a line may be of many megabytes.
    pieces: Vec<(usize, usize)>,
}

impl PlainSpelling {
    /// None: the line has no other spelling.
    pub(crate) fn of(line: &str) -> Option<Self> {
        let mut marks = MARKS.as_ref()?.find_iter(line).peekable();
        marks.peek()?;
        let mut plain = Self {
            text: String::with_capacity(line.len()),
            pieces: Vec::new(),
        };
        let mut end = 0;
        for found in marks {
            plain.push(&line[end..found.start()], end);
            let (_, sign) = SPELLINGS[found.pattern().as_usize()];
            plain.push(sign, found.start());
            end = found.end();
        }
        plain.push(&line[end..], end);
        Some(plain)
    }

    fn push(&mut self, text: &str, at: usize) {
        if !text.is_empty() {
            self.pieces.push((self.text.len(), at));
            self.text.push_str(text);
        }
    }

    /// Where a part of the text stands in the line.
    pub(crate) fn place_of(&self, part: &Range<usize>) -> Range<usize> {
        let place = |at: usize| {
            let next = self.pieces.partition_point(|(start, _)| *start <= at);
            let (start, place) = self.pieces[next.saturating_sub(1)];
            place + (at - start)
        };
        match part.end.checked_sub(1).filter(|last| *last >= part.start) {
            // What is written for the last sign may be longer than it.
            Some(last) => {
                let next = self.pieces.partition_point(|(start, _)| *start <= last);
                let is_last_of_piece = self
                    .pieces
                    .get(next)
                    .is_none_or(|(start, _)| *start == part.end);
                let next_place = self.pieces.get(next).map(|(_, place)| *place);
                let end = next_place.filter(|_| is_last_of_piece);
                place(part.start)..end.unwrap_or_else(|| place(last) + 1)
            }
            None => place(part.start)..place(part.start),
        }
    }
}
