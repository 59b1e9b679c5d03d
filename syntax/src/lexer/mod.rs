//! A line lexer: which bytes of a line are comment or string, with the state that runs over line ends.
//!
//! It is no parser. Where a language is ambiguous (a division or a regular expression?) it errs so that the error ends
//! with the line.

mod open;
#[cfg(test)]
mod tests;

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
    },
    /// JavaScript: `` ` `` while in the text of a template, `{` while in an expression inside it.
    Template {
        stack: Vec<u8>,
    },
    Heredoc {
        end: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ClosingMark {
    Mark(&'static str),
    /// Rust: a quote and this many hashes.
    Hashes(usize),
}

/// Lexes the lines of one file in order.
#[derive(Debug)]
pub struct Lexer {
    lexicon: &'static Lexicon,
    state: LexerState,
    heredoc: Option<String>,
}

impl Lexer {
    pub fn new(language: Language) -> Self {
        Self {
            lexicon: language.lexicon(),
            state: LexerState::Code,
            heredoc: None,
        }
    }

    /// A lexer that starts inside a block comment, for a hunk that does.
    pub fn inside_comment(language: Language) -> Self {
        Self {
            state: LexerState::Comment { depth: 1 },
            ..Self::new(language)
        }
    }

    /// Appends the parts of the next line that are not code, in order.
    pub fn lex_line(&mut self, text: &str, spans: &mut Vec<LexSpan>) {
        let mut at = 0;
        while at < text.len() {
            let (end, part) = match &self.state {
                LexerState::Code => match self.next_mark(text, at) {
                    Some(start) => {
                        at = start;
                        self.open_span(text, at)
                    }
                    None => break,
                },
                LexerState::Comment { .. } => (self.lex_comment(text, at), Some(SpanKind::Comment)),
                LexerState::Literal { .. } => (self.lex_literal(text, at), Some(SpanKind::Literal)),
                LexerState::Template { .. } => {
                    (self.lex_template(text, at), Some(SpanKind::Literal))
                }
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
        if let Some(end) = self.heredoc.take() {
            self.state = LexerState::Heredoc { end };
        }
    }

    /// The next place from `at` on where something that is not code may begin.
    fn next_mark(&self, text: &str, at: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        (at..bytes.len()).find(|&i| match bytes[i] {
            b'"' | b'\'' | b'`' | b'/' | b'#' | b'-' | b';' | b'<' => true,
            b'r' => self.lexicon.extra == ExtraSyntax::Rust,
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
        let LexerState::Literal { close, escapes, .. } = &self.state else {
            return text.len();
        };
        let bytes = text.as_bytes();
        while at < bytes.len() {
            let rest = &bytes[at..];
            if *escapes && rest[0] == b'\\' {
                at += 2;
                continue;
            }
            let len = match close {
                ClosingMark::Mark(mark) => rest.starts_with(mark.as_bytes()).then_some(mark.len()),
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

    fn lex_template(&mut self, text: &str, mut at: usize) -> usize {
        let LexerState::Template { stack } = &mut self.state else {
            return text.len();
        };
        let bytes = text.as_bytes();
        while at < bytes.len() {
            match (stack.last(), bytes[at]) {
                (_, b'\\') => at += 1,
                (Some(b'`'), b'`') | (Some(b'{'), b'}') => {
                    stack.pop();
                    if stack.is_empty() {
                        self.state = LexerState::Code;
                        return at + 1;
                    }
                }
                (Some(b'`'), b'$') if bytes.get(at + 1) == Some(&b'{') => {
                    stack.push(b'{');
                    at += 1;
                }
                (Some(b'{'), mark @ (b'`' | b'{')) => stack.push(mark),
                _ => {}
            }
            at += 1;
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
