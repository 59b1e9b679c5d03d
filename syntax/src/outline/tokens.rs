//! The words and marks of a file's code: no comments, no text of literals.

use crate::language::Language;
use crate::lexer::{LexSpan, Lexer, SpanKind, is_word};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind<'t> {
    Word(&'t str),
    Mark(u8),
    /// `=>` or `->`.
    Arrow,
    Literal,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'t> {
    pub(super) kind: TokenKind<'t>,
    /// Counted from 1.
    pub(super) line: usize,
    /// Whether nothing stands before it on its line.
    pub(super) opens_line: bool,
}

impl<'t> Token<'t> {
    pub(super) fn word(&self) -> Option<&'t str> {
        match self.kind {
            TokenKind::Word(word) => Some(word),
            _ => None,
        }
    }

    pub(super) fn is(&self, mark: u8) -> bool {
        self.kind == TokenKind::Mark(mark)
    }
}

/// What a preprocessor line does to the code around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Branch {
    /// `#if`
    Open,
    /// `#else`, `#elif`: another text for the same place.
    Other,
    /// `#endif`
    Close,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Piece<'t> {
    Token(Token<'t>),
    Branch(Branch),
}

/// Reads a whole file.
pub(super) fn read(language: Language, text: &str) -> Vec<Piece<'_>> {
    let mut lexer = Lexer::new(language);
    let mut pieces = Vec::new();
    let mut spans = Vec::new();
    // A directive of C goes on behind a backslash; its text is no code of the place where it stands.
    let mut directive = false;
    let mut disabled = Disabled::default();
    for (index, line) in text.lines().enumerate() {
        spans.clear();
        lexer.lex_line(line, &mut spans);
        if language == Language::C && (directive || starts_directive(line, &spans)) {
            if !directive && let Some(branch) = branch_of(line) {
                disabled.take(line, branch);
                pieces.push(Piece::Branch(branch));
            }
            directive = line.trim_end().ends_with('\\');
            continue;
        }
        if disabled.is_here() {
            continue;
        }
        read_line(line, index + 1, &spans, &mut pieces);
    }
    pieces
}

/// Code between `#if 0` and its other branch or its end: no compiler reads it, and its brackets need not match.
#[derive(Debug, Default)]
struct Disabled {
    /// For each open `#if`, whether what stands here is read by nobody.
    branches: Vec<bool>,
    /// How many of them nobody reads.
    unread: usize,
}

impl Disabled {
    fn take(&mut self, line: &str, branch: Branch) {
        match branch {
            Branch::Open => {
                let mut words = line.split_whitespace().skip_while(|word| *word == "#");
                let opens = matches!(words.next(), Some("#if" | "if"));
                let is_unread = opens && words.next() == Some("0");
                self.branches.push(is_unread);
                self.unread += usize::from(is_unread);
            }
            Branch::Other => {
                if let Some(last) = self.branches.last_mut() {
                    self.unread -= usize::from(std::mem::take(last));
                }
            }
            Branch::Close => {
                let last = self.branches.pop().unwrap_or(false);
                self.unread -= usize::from(last);
            }
        }
    }

    fn is_here(&self) -> bool {
        self.unread > 0
    }
}

fn starts_directive(line: &str, spans: &[LexSpan]) -> bool {
    let start = line.len() - line.trim_start().len();
    line.trim_start().starts_with('#') && spans.iter().all(|span| span.start > start)
}

fn branch_of(line: &str) -> Option<Branch> {
    let word = line.trim_start().trim_start_matches('#').trim_start();
    if word.starts_with("if") {
        Some(Branch::Open)
    } else if word.starts_with("el") {
        Some(Branch::Other)
    } else {
        word.starts_with("endif").then_some(Branch::Close)
    }
}

fn read_line<'t>(line: &'t str, number: usize, spans: &[LexSpan], pieces: &mut Vec<Piece<'t>>) {
    let mut opens_line = true;
    let mut push = |kind| {
        pieces.push(Piece::Token(Token {
            kind,
            line: number,
            opens_line: std::mem::take(&mut opens_line),
        }));
    };
    let mut at = 0;
    for span in spans {
        read_code(&line[at..span.start.max(at)], &mut push);
        if span.part == SpanKind::Literal {
            push(TokenKind::Literal);
        }
        at = span.end.max(at);
    }
    read_code(line.get(at..).unwrap_or_default(), &mut push);
}

fn is_name(c: char) -> bool {
    is_word(c) || c == '$'
}

/// How long the name is that a text begins with, in bytes. Nearly all of them are ASCII, and every byte of every
/// changed file comes through here.
fn name_length(text: &str) -> usize {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    let plain = text.bytes().take_while(|byte| is_plain(byte)).count();
    match text.as_bytes().get(plain) {
        Some(byte) if !byte.is_ascii() => {
            let rest = &text[plain..];
            plain + rest.find(|c| !is_name(c)).unwrap_or(rest.len())
        }
        _ => plain,
    }
}

fn read_code<'t>(code: &'t str, push: &mut impl FnMut(TokenKind<'t>)) {
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let length = if is_name(first) {
            let length = name_length(rest);
            push(TokenKind::Word(&rest[..length]));
            length
        } else if let [b'=' | b'-', b'>', ..] = rest.as_bytes() {
            push(TokenKind::Arrow);
            2
        } else {
            if first.is_ascii() && !first.is_ascii_whitespace() {
                push(TokenKind::Mark(first as u8));
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_where_no_sign_of_a_name_stands_in_whatever_alphabet() {
        let slow = |text: &str| text.find(|c| !is_name(c)).unwrap_or(text.len());
        for text in [
            "abc",
            "a_1$b c",
            "größe=1",
            "a€",
            "名前 x",
            "x名y-",
            "é",
            "$",
            "a.b",
            "_",
            "ab\u{301}c",
        ] {
            assert_eq!(name_length(text), slow(text), "{text}");
        }
    }
}
