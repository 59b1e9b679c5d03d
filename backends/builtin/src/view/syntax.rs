//! What of a file is comment, string or test, line by line; made only for files in which a rule has a question.

use std::ops::Range;

use council_protocol::Hunk;

use super::FileView;
use crate::lexer::{LexSpan, Lexer, SpanKind};
use crate::regions::TestRegions;

/// What of a file is comment, string or test.
#[derive(Debug, Default)]
pub(crate) struct FileSyntax {
    /// In order of their numbers: all lines of the file, or those of the hunks.
    lines: Vec<LexedLine>,
    spans: Vec<LexSpan>,
}

#[derive(Debug)]
struct LexedLine {
    number: u32,
    spans: Range<usize>,
    test: bool,
    /// Where the line stands in the whole text; empty when that is unknown.
    place: Range<usize>,
}

impl FileSyntax {
    /// Lexes the whole text where it can be read and fits the hunks, else each hunk by itself.
    pub(super) fn from_file(file: &FileView<'_>) -> Self {
        match file.text_after().filter(|text| fits_hunks(file, text)) {
            Some(text) => Self::from_text(file, text),
            None => Self::from_hunks(file),
        }
    }

    fn from_text(file: &FileView<'_>, text: &str) -> Self {
        let mut syntax = Self::default();
        let (mut lexer, mut regions) = (Lexer::new(file.language), TestRegions::new(file.language));
        let mut start = 0;
        for (number, line) in (1..).zip(text.split_terminator('\n')) {
            let place = start..start + line.len();
            start = place.end + 1;
            syntax.add_line(number, line, place, &mut lexer, &mut regions);
        }
        syntax
    }

    fn from_hunks(file: &FileView<'_>) -> Self {
        let mut syntax = Self::default();
        for hunk in &file.change.hunks {
            let mut lexer = if starts_in_comment(file, hunk) {
                Lexer::inside_comment(file.language)
            } else {
                Lexer::new(file.language)
            };
            let mut regions = TestRegions::from_section(file.language, &hunk.section);
            for line in hunk.lines() {
                if let Some(number) = line.new_no {
                    syntax.add_line(number, line.text, 0..0, &mut lexer, &mut regions);
                }
            }
        }
        syntax
    }

    fn add_line(
        &mut self,
        number: u32,
        text: &str,
        place: Range<usize>,
        lexer: &mut Lexer,
        regions: &mut TestRegions,
    ) {
        let first = self.spans.len();
        lexer.lex_line(text, &mut self.spans);
        let spans = first..self.spans.len();
        let test = regions.advance_line(&blank_spans(text, &self.spans[spans.clone()], |_| true));
        self.lines.push(LexedLine {
            number,
            spans,
            test,
            place,
        });
    }

    fn find_line(&self, number: u32) -> Option<&LexedLine> {
        let at = self
            .lines
            .binary_search_by_key(&number, |line| line.number)
            .ok()?;
        Some(&self.lines[at])
    }

    /// The parts of a line that are not code.
    pub(crate) fn spans(&self, number: u32) -> &[LexSpan] {
        self.find_line(number)
            .map_or(&[], |line| &self.spans[line.spans.clone()])
    }

    /// Whether a line stands in a test.
    pub(crate) fn in_test(&self, number: u32) -> bool {
        self.find_line(number).is_some_and(|line| line.test)
    }

    /// A line of the whole text.
    pub(super) fn line_slice<'t>(&self, text: &'t str, number: u32) -> Option<&'t str> {
        let place = self.find_line(number)?.place.clone();
        text.get(place)
            .filter(|_| self.lines.first().is_some_and(|line| line.number == 1))
    }
}

/// Whether the text is the one that the hunks were made from.
fn fits_hunks(file: &FileView<'_>, text: &str) -> bool {
    let mut rest = (1u32..).zip(text.split_terminator('\n'));
    let mut new_side = file
        .lines
        .iter()
        .filter_map(|l| l.new_no.map(|number| (number, l.text)));
    new_side.all(|(number, wanted)| {
        rest.find(|(at, _)| *at == number)
            .is_some_and(|(_, found)| found == wanted)
    })
}

/// Whether the first mark of a block comment in a hunk is one that closes it.
fn starts_in_comment(file: &FileView<'_>, hunk: &Hunk) -> bool {
    let Some((open, close)) = file.language.lexicon().block else {
        return false;
    };
    for line in hunk.lines().filter(|line| line.new_no.is_some()) {
        match (line.text.find(open), line.text.find(close)) {
            (Some(_), None) => return false,
            (Some(opened), Some(closed)) => return closed < opened,
            (None, Some(_)) => return true,
            (None, None) => {}
        }
    }
    false
}

/// The text with the chosen parts replaced by spaces, byte for byte; the marks of literals stay.
pub(super) fn blank_spans(
    text: &str,
    spans: &[LexSpan],
    choose: impl Fn(SpanKind) -> bool,
) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for span in spans.iter().filter(|span| choose(span.part)) {
        let Some(part) = bytes.get_mut(span.start..span.end) else {
            continue;
        };
        let mark = |b: Option<&u8>| b.copied().filter(|b| matches!(b, b'"' | b'\'' | b'`'));
        let (first, last) = (mark(part.first()), mark(part.last()));
        part.fill(b' ');
        if span.part == SpanKind::Literal {
            for (at, mark) in [(0, first), (part.len() - 1, last)] {
                if let Some(mark) = mark {
                    part[at] = mark;
                }
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}
