//! What begins at a place of a line: a comment, a literal, or code.

use super::{ClosingMark, Lexer, LexerState, SpanKind, is_word};
use crate::language::ExtraSyntax;

impl Lexer {
    /// What begins at `at`: its end on this line, and what it is; no part for code.
    pub(super) fn open_span(&mut self, text: &str, at: usize) -> (usize, Option<SpanKind>) {
        let rest = &text[at..];
        if let Some((open, _)) = self.lexicon.block
            && rest.starts_with(open)
        {
            self.state = LexerState::Comment { depth: 1 };
            return (at + open.len(), Some(SpanKind::Comment));
        }
        if (!self.lexicon.at_word || at_word_start(text, at, b";&|"))
            && self.lexicon.line.iter().any(|mark| rest.starts_with(mark))
        {
            return (text.len(), Some(SpanKind::Comment));
        }
        match self.lexicon.extra {
            ExtraSyntax::Rust => {
                if let Some(found) = self.open_rust(text, at) {
                    return found;
                }
            }
            ExtraSyntax::Script => {
                if let Some(found) = self.open_script(text, at) {
                    return found;
                }
            }
            ExtraSyntax::Heredoc => self.note_heredoc(text, at),
            ExtraSyntax::Nowdoc => self.note_nowdoc(text, at),
            ExtraSyntax::None => {}
        }
        // A quote in the middle of a plain YAML scalar is an apostrophe; in a shell word it is a quote.
        let quote_counts = !self.lexicon.at_word
            || self.lexicon.extra == ExtraSyntax::Heredoc
            || at_word_start(text, at, b"([{,:=");
        let digits = rest.starts_with('\'') && between_digits(text, at);
        match self
            .lexicon
            .quotes
            .iter()
            .find(|q| rest.starts_with(q.open))
        {
            Some(q) if quote_counts && !digits => {
                self.state = LexerState::Literal {
                    close: ClosingMark::Mark(q.close),
                    escapes: q.escapes,
                    multiline: q.multiline,
                };
                (at + q.open.len(), Some(SpanKind::Literal))
            }
            _ => (at + 1, None),
        }
    }

    fn open_rust(&mut self, text: &str, at: usize) -> Option<(usize, Option<SpanKind>)> {
        let rest = &text.as_bytes()[at..];
        if rest[0] == b'r' {
            let hashes = rest[1..].iter().take_while(|&&b| b == b'#').count();
            let before = text[..at].trim_end_matches(['b', 'c']);
            let raw = rest.get(1 + hashes) == Some(&b'"') && !before.ends_with(is_word);
            if !raw {
                return Some((at + 1, None));
            }
            self.state = LexerState::Literal {
                close: ClosingMark::Hashes(hashes),
                escapes: false,
                multiline: true,
            };
            return Some((at + hashes + 2, Some(SpanKind::Literal)));
        }
        if rest[0] != b'\'' {
            return None;
        }
        let mut chars = text[at + 1..].char_indices();
        let (_, first) = chars.next()?;
        if first == '\\' {
            let close = text
                .get(at + 3..)
                .and_then(|t| t.find('\''))
                .filter(|&n| n < 12);
            return Some(close.map_or((at + 1, None), |n| (at + 4 + n, Some(SpanKind::Literal))));
        }
        match chars.next() {
            Some((n, '\'')) => Some((at + 2 + n, Some(SpanKind::Literal))),
            _ => Some((at + 1, None)),
        }
    }

    fn open_script(&mut self, text: &str, at: usize) -> Option<(usize, Option<SpanKind>)> {
        match text.as_bytes()[at] {
            b'`' => {
                self.state = LexerState::Template { stack: vec![b'`'] };
                Some((at + 1, Some(SpanKind::Literal)))
            }
            b'/' => regex_end(text, at).map(|end| (end, Some(SpanKind::Literal))),
            _ => None,
        }
    }

    /// PHP: `<<<WORD`, `<<<'WORD'`, `<<<"WORD"`.
    fn note_nowdoc(&mut self, text: &str, at: usize) {
        let Some(rest) = text[at..].strip_prefix("<<<") else {
            return;
        };
        let word = rest.trim_start_matches([' ', '\'', '"']);
        let end: String = word.chars().take_while(|&c| is_word(c)).collect();
        if end.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            self.heredoc = Some(end);
        }
    }

    fn note_heredoc(&mut self, text: &str, at: usize) {
        let Some(rest) = text[at..].strip_prefix("<<") else {
            return;
        };
        let shift = text[..at].contains("((");
        if rest.starts_with('<') || text[..at].ends_with('<') || shift {
            return;
        }
        // Shell allows a space before the word; in Ruby that is an append.
        let rest = if self.lexicon.at_word {
            rest.trim_start_matches(' ')
        } else {
            rest
        };
        let word = rest
            .trim_start_matches(['-', '~'])
            .trim_start_matches(['\'', '"', '\\']);
        let end: String = word.chars().take_while(|&c| is_word(c)).collect();
        let shape = end.starts_with(|c: char| c.is_ascii_uppercase() || c == '_');
        if shape {
            self.heredoc = Some(end);
        }
    }
}

/// Whether white space, one of `marks`, or nothing stands before `at`.
fn at_word_start(text: &str, at: usize, marks: &[u8]) -> bool {
    text.as_bytes()[..at]
        .last()
        .is_none_or(|b| b.is_ascii_whitespace() || marks.contains(b))
}

/// C++ and others write 1'000.
fn between_digits(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let digit = |b: Option<&u8>| b.is_some_and(u8::is_ascii_hexdigit);
    at > 0 && bytes[at - 1].is_ascii_digit() && digit(bytes.get(at + 1))
}

/// The end of a regular expression that begins with the slash at `at`, if one does.
fn regex_end(text: &str, at: usize) -> Option<usize> {
    let before = text[..at].trim_end();
    let word = before.rsplit(|c| !is_word(c)).next().unwrap_or_default();
    let operator = before.is_empty() || before.ends_with(|c| "(,=:[!&|?{};+*%~^<>".contains(c));
    if !operator && !matches!(word, "return" | "typeof" | "case" | "in" | "of") {
        return None;
    }
    let (mut class, mut escaped) = (false, false);
    for (n, b) in text.bytes().enumerate().skip(at + 1) {
        match b {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'[' => class = true,
            b']' => class = false,
            b'/' if !class => return Some(n + 1),
            _ => {}
        }
    }
    None
}
