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
    for (index, line) in text.lines().enumerate() {
        spans.clear();
        lexer.lex_line(line, &mut spans);
        if language == Language::C && (directive || starts_directive(line, &spans)) {
            if !directive && let Some(branch) = branch_of(line) {
                pieces.push(Piece::Branch(branch));
            }
            directive = line.trim_end().ends_with('\\');
            continue;
        }
        read_line(line, index + 1, &spans, &mut pieces);
    }
    pieces
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

fn read_code<'t>(code: &'t str, push: &mut impl FnMut(TokenKind<'t>)) {
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let is_name = |c: char| is_word(c) || c == '$';
        let length = if is_name(first) {
            let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            push(TokenKind::Word(&rest[..length]));
            length
        } else if rest.starts_with("=>") || rest.starts_with("->") {
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
