//! A line as whoever reads it in the end has it: Markdown, HTML, JSON and URLs write some signs of a token in another way,
//! and some signs that are written are never seen.

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
    /// For each byte of `text`, and its end: where that stands in the line.
    places: Vec<usize>,
}

impl PlainSpelling {
    /// None: the line has no other spelling.
    pub(crate) fn of(line: &str) -> Option<Self> {
        let marks = MARKS.as_ref()?;
        let mut plain = Self {
            text: String::new(),
            places: Vec::new(),
        };
        let mut end = 0;
        for found in marks.find_iter(line) {
            plain.push(&line[end..found.start()], end);
            let (_, sign) = SPELLINGS[found.pattern().as_usize()];
            plain.text.push_str(sign);
            plain.places.extend(sign.bytes().map(|_| found.start()));
            end = found.end();
        }
        if end == 0 {
            return None;
        }
        plain.push(&line[end..], end);
        plain.places.push(line.len());
        Some(plain)
    }

    fn push(&mut self, text: &str, at: usize) {
        self.text.push_str(text);
        self.places.extend(at..at + text.len());
    }

    /// Where a part of the text stands in the line.
    pub(crate) fn place_of(&self, part: &std::ops::Range<usize>) -> std::ops::Range<usize> {
        self.places[part.start]..self.places[part.end]
    }
}
