//! A line lexer: which bytes of a line are comment or string, with the state that runs over line ends.
//!
//! It is no parser. Where a language is ambiguous (a division or a regular expression?) it errs so that the error ends
//! with the line.

mod open;
#[cfg(test)]
mod tests;

use open::{is_prose, opens_text};

use crate::language::{ExtraSyntax, Language, Lexicon};

/// What a part of a line is when it is not code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    Comment,
    /// A string, character or regular expression, with its marks.
    Literal,
}

/// A part of a line, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LexSpan {
    pub start: usize,
    pub end: usize,
    pub part: SpanKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum LexerState {
    Code,
    Comment {
        depth: u32,
    },
    Literal {
        close: ClosingMark,
        escapes: bool,
        multiline: bool,
        /// What begins an expression inside of it.
        hole: Option<&'static str>,
    },
    /// Python: how the value of an expression in a string is written, up to the brace that ends it.
    Format,
    Heredoc {
        end: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ClosingMark {
    Mark(&'static str),
    /// Rust: a quote and this many hashes.
    Hashes(usize),
    /// C++: what a raw string itself has chosen.
    Text(String),
}

/// An expression inside of a literal: it is code, up to the brace that ends it.
#[derive(Debug)]
struct LiteralHole {
    /// Brackets that are open in it.
    depth: usize,
    /// What goes on behind it.
    outer: LexerState,
    /// Whether a colon ends the expression.
    has_format: bool,
}

/// Lexes the lines of one file in order.
#[derive(Debug)]
pub struct Lexer {
    language: Language,
    lexicon: &'static Lexicon,
    state: LexerState,
    holes: Vec<LiteralHole>,
    heredoc: Option<String>,
    /// PHP: outside of its tags.
    in_markup: bool,
    /// JavaScript: the line before was a tag, or text behind one.
    in_text_of_tags: bool,
}

/// Deeper expressions in literals in expressions are text.
const MAX_HOLES: usize = 64;

impl Lexer {
    pub fn new(language: Language) -> Self {
        Self {
            language,
            lexicon: language.lexicon(),
            state: LexerState::Code,
            holes: Vec::new(),
            heredoc: None,
            in_markup: false,
            in_text_of_tags: false,
        }
    }

    /// A lexer that starts inside a block comment, for a hunk that does.
    pub fn inside_comment(language: Language) -> Self {
        Self {
            state: LexerState::Comment { depth: 1 },
            ..Self::new(language)
        }
    }

    /// Whether the next line begins inside of a literal.
    pub fn is_in_literal(&self) -> bool {
        matches!(
            self.state,
            LexerState::Literal { .. } | LexerState::Heredoc { .. }
        )
    }

    /// Appends the parts of the next line that are not code, in order.
    pub fn lex_line(&mut self, text: &str, spans: &mut Vec<LexSpan>) {
        let mut at = 0;
        self.in_markup |= self.begins_markup(text);
        while at < text.len() {
            let (end, part) = match &self.state {
                LexerState::Code if self.in_markup => match text[at..].find("<?") {
                    Some(open) => {
                        self.in_markup = false;
                        (at + open + 2, None)
                    }
                    None => break,
                },
                LexerState::Code => match self.next_mark(text, at) {
                    Some(start) => {
                        at = start;
                        self.open_span(text, at)
                    }
                    None => break,
                },
                LexerState::Comment { .. } => (self.lex_comment(text, at), Some(SpanKind::Comment)),
                LexerState::Literal { .. } => (self.lex_literal(text, at), Some(SpanKind::Literal)),
                LexerState::Format => (self.lex_format(text, at), Some(SpanKind::Literal)),
                LexerState::Heredoc { end } => {
                    let here = self.lexicon.extra == ExtraSyntax::Nowdoc;
                    if text.trim() == end || (here && closes_nowdoc(text, end)) {
                        self.state = LexerState::Code;
                    }
                    (text.len(), Some(SpanKind::Literal))
                }
            };
            if let Some(part) = part {
                push_span(
                    spans,
                    LexSpan {
                        start: at,
                        end,
                        part,
                    },
                );
            }
            at = end.max(at + 1);
        }
        self.end_line(text);
    }

    /// PHP: whether a line begins with a tag of HTML, as no statement does.
    fn begins_markup(&self, text: &str) -> bool {
        let text = text.trim_start();
        let is_tag = |c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!');
        let is_code = self.state == LexerState::Code && self.language == Language::Php;
        is_code
            && text
                .strip_prefix('<')
                .is_some_and(|rest| rest.starts_with(is_tag))
    }

    fn end_line(&mut self, text: &str) {
        if let LexerState::Literal {
            multiline: false, ..
        } = self.state
        {
            let slashes = text.bytes().rev().take_while(|&b| b == b'\\').count();
            if slashes % 2 == 0 {
                self.state = LexerState::Code;
            }
        }
        // What holds an expression ends with the line, and the expression with it.
        let is_short = |hole: &LiteralHole| {
            matches!(
                hole.outer,
                LexerState::Literal {
                    multiline: false,
                    ..
                }
            )
        };
        if let Some(at) = self.holes.iter().position(is_short) {
            self.holes.truncate(at);
            self.state = LexerState::Code;
        }
        if let Some(end) = self.heredoc.take() {
            self.state = LexerState::Heredoc { end };
        }
        let line = text.trim();
        if self.language == Language::Script && !line.is_empty() {
            self.in_text_of_tags = self.state == LexerState::Code
                && (opens_text(line) || self.in_text_of_tags && is_prose(line));
        }
    }

    /// The next place from `at` on where something that is not code may begin.
    fn next_mark(&self, text: &str, at: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        (at..bytes.len()).find(|&i| match bytes[i] {
            b'"' | b'\'' | b'`' | b'/' | b'#' | b'-' | b';' | b'<' => true,
            b'r' => self.lexicon.extra == ExtraSyntax::Rust,
            b'?' => self.lexicon.extra == ExtraSyntax::Nowdoc,
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b':' => !self.holes.is_empty(),
            _ => false,
        })
    }

    fn lex_comment(&mut self, text: &str, mut at: usize) -> usize {
        let (LexerState::Comment { depth }, Some((open, close))) =
            (&mut self.state, self.lexicon.block)
        else {
            return text.len();
        };
        while at < text.len() {
            let rest = &text.as_bytes()[at..];
            if rest.starts_with(close.as_bytes()) {
                at += close.len();
                *depth -= 1;
                if *depth == 0 {
                    self.state = LexerState::Code;
                    return at;
                }
            } else if self.lexicon.nested && rest.starts_with(open.as_bytes()) {
                at += open.len();
                *depth += 1;
            } else {
                at += 1;
            }
        }
        text.len()
    }

    fn lex_literal(&mut self, text: &str, mut at: usize) -> usize {
        let LexerState::Literal {
            close,
            escapes,
            hole,
            ..
        } = &self.state
        else {
            return text.len();
        };
        let bytes = text.as_bytes();
        let hole = hole.filter(|_| self.holes.len() < MAX_HOLES);
        while at < bytes.len() {
            let rest = &bytes[at..];
            if *escapes && rest[0] == b'\\' {
                at += 2;
                continue;
            }
            if let Some(open) = hole.filter(|open| rest.starts_with(open.as_bytes())) {
                // A brace alone is written twice.
                if open == "{" && rest.starts_with(b"{{") {
                    at += 2;
                    continue;
                }
                self.open_hole(open == "{");
                return at + open.len();
            }
            let len = match close {
                ClosingMark::Mark(mark) => rest.starts_with(mark.as_bytes()).then_some(mark.len()),
                ClosingMark::Text(mark) => rest.starts_with(mark.as_bytes()).then_some(mark.len()),
                ClosingMark::Hashes(n) => {
                    let hashes = rest[1..].iter().take_while(|&&b| b == b'#').count();
                    (rest[0] == b'"' && hashes >= *n).then_some(n + 1)
                }
            };
            if let Some(len) = len {
                self.state = LexerState::Code;
                return at + len;
            }
            at += 1;
        }
        text.len()
    }

    fn open_hole(&mut self, has_format: bool) {
        let outer = std::mem::replace(&mut self.state, LexerState::Code);
        self.holes.push(LiteralHole {
            depth: 0,
            outer,
            has_format,
        });
    }

    /// What a bracket, or a colon, means in an expression inside of a literal: its end on this line, where it is none of the
    /// expression's own.
    fn step_in_hole(&mut self, mark: u8, at: usize) -> Option<usize> {
        let hole = self.holes.last_mut()?;
        match mark {
            b'(' | b'[' | b'{' => hole.depth += 1,
            b'}' if hole.depth == 0 => {
                self.state = self.holes.pop()?.outer;
                return Some(at + 1);
            }
            b')' | b']' | b'}' => hole.depth = hole.depth.saturating_sub(1),
            b':' if hole.depth == 0 && hole.has_format => {
                self.state = LexerState::Format;
                return Some(at + 1);
            }
            _ => {}
        }
        None
    }

    /// `{width:>{n}}`: a format may hold expressions again.
    fn lex_format(&mut self, text: &str, mut at: usize) -> usize {
        let bytes = text.as_bytes();
        while at < bytes.len() {
            match bytes[at] {
                b'{' if self.holes.len() < MAX_HOLES => {
                    self.open_hole(true);
                    return at + 1;
                }
                b'}' => {
                    let hole = self.holes.pop();
                    self.state = hole.map_or(LexerState::Code, |hole| hole.outer);
                    return at + 1;
                }
                _ => at += 1,
            }
        }
        text.len()
    }
}

/// Whether a line of PHP begins with the word that ends a here-document; the statement goes on behind it.
fn closes_nowdoc(text: &str, end: &str) -> bool {
    let rest = text.trim_start().strip_prefix(end);
    rest.is_some_and(|rest| !rest.starts_with(is_word))
}

fn push_span(spans: &mut Vec<LexSpan>, span: LexSpan) {
    match spans.last_mut() {
        Some(last) if last.end == span.start && last.part == span.part => last.end = span.end,
        _ => spans.push(span),
    }
}

/// Whether a character can stand in an identifier.
pub fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}
