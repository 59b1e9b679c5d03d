//! The lines of a file, lexed once for all that is read from them: lexing is most of what reading a file costs.

use council_syntax::language::Language;
use council_syntax::lexer::{LexSpan, Lexer, SpanKind};

/// The lines of a text with their comments and strings.
pub(super) struct LexedLines<'t> {
    pub(super) lines: Vec<&'t str>,
    spans: Vec<LexSpan>,
    /// Where the spans of each line end.
    ends: Vec<usize>,
}

impl<'t> LexedLines<'t> {
    pub(super) fn of(language: Language, text: &'t str) -> Self {
        let mut lexer = Lexer::new(language);
        let lines: Vec<&str> = text.lines().collect();
        let (mut spans, mut of_line) = (Vec::new(), Vec::new());
        let mut ends = Vec::with_capacity(lines.len());
        for line in &lines {
            // Spans that touch are joined: those of the line before are not to be among them.
            of_line.clear();
            lexer.lex_line(line, &mut of_line);
            spans.append(&mut of_line);
            ends.push(spans.len());
        }
        Self { lines, spans, ends }
    }

    /// Each line with its spans.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'t str, &[LexSpan])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let spans = starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.spans[start..end]);
        self.lines.iter().copied().zip(spans)
    }

    /// The lines with comments and strings blanked out.
    pub(super) fn masked(&self) -> Vec<String> {
        self.iter()
            .map(|(line, spans)| blank(line, spans.iter()))
            .collect()
    }

    /// The lines with comments blanked out.
    pub(super) fn without_comments(&self) -> Vec<String> {
        let is_comment = |span: &&LexSpan| span.part == SpanKind::Comment;
        let lines = self.iter();
        lines
            .map(|(line, spans)| blank(line, spans.iter().filter(is_comment)))
            .collect()
    }
}

/// A line with blanks in the place of these spans.
fn blank<'s>(line: &str, spans: impl Iterator<Item = &'s LexSpan>) -> String {
    let mut spans = spans.peekable();
    if spans.peek().is_none() {
        return line.to_owned();
    }
    let mut bytes = line.as_bytes().to_vec();
    for span in spans {
        let end = span.end.min(bytes.len());
        bytes[span.start.min(end)..end].fill(b' ');
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
