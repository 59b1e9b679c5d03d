//! A line lexer: which bytes of a line are comment or string, with the state that runs over line ends.
//!
//! It is no parser. Where a language is ambiguous (a division or a regular expression?) it errs so that the error ends
//! with the line.

use crate::language::{Extra, Language, Lexicon};

/// What a part of a line is when it is not code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Comment,
    /// A string, character or regular expression, with its marks.
    Literal,
}

/// A part of a line, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) part: Part,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Code,
    Comment {
        depth: u32,
    },
    Literal {
        close: Close,
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
enum Close {
    Mark(&'static str),
    /// Rust: a quote and this many hashes.
    Hashes(usize),
}

/// Lexes the lines of one file in order.
#[derive(Debug)]
pub(crate) struct Lexer {
    lexicon: &'static Lexicon,
    state: State,
    heredoc: Option<String>,
}

impl Lexer {
    pub(crate) fn new(language: Language) -> Self {
        Self {
            lexicon: language.lexicon(),
            state: State::Code,
            heredoc: None,
        }
    }

    /// A lexer that starts inside a block comment, for a hunk that does.
    pub(crate) fn inside_comment(language: Language) -> Self {
        Self {
            state: State::Comment { depth: 1 },
            ..Self::new(language)
        }
    }

    /// Appends the parts of the next line that are not code, in order.
    pub(crate) fn line(&mut self, text: &str, spans: &mut Vec<Span>) {
        let mut at = 0;
        while at < text.len() {
            let (end, part) = match &self.state {
                State::Code => match self.code(text, at) {
                    Some(start) => {
                        at = start;
                        self.open(text, at)
                    }
                    None => break,
                },
                State::Comment { .. } => (self.comment(text, at), Some(Part::Comment)),
                State::Literal { .. } => (self.literal(text, at), Some(Part::Literal)),
                State::Template { .. } => (self.template(text, at), Some(Part::Literal)),
                State::Heredoc { end } => {
                    if text.trim() == end {
                        self.state = State::Code;
                    }
                    (text.len(), Some(Part::Literal))
                }
            };
            if let Some(part) = part {
                push(
                    spans,
                    Span {
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
        if let State::Literal {
            multiline: false, ..
        } = self.state
        {
            let slashes = text.bytes().rev().take_while(|&b| b == b'\\').count();
            if slashes % 2 == 0 {
                self.state = State::Code;
            }
        }
        if let Some(end) = self.heredoc.take() {
            self.state = State::Heredoc { end };
        }
    }

    /// The next place from `at` on where something that is not code may begin.
    fn code(&self, text: &str, at: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        (at..bytes.len()).find(|&i| match bytes[i] {
            b'"' | b'\'' | b'`' | b'/' | b'#' | b'-' | b';' | b'<' => true,
            b'r' => self.lexicon.extra == Extra::Rust,
            _ => false,
        })
    }

    /// What begins at `at`: its end on this line, and what it is; no part for code.
    fn open(&mut self, text: &str, at: usize) -> (usize, Option<Part>) {
        let rest = &text[at..];
        if let Some((open, _)) = self.lexicon.block
            && rest.starts_with(open)
        {
            self.state = State::Comment { depth: 1 };
            return (at + open.len(), Some(Part::Comment));
        }
        if (!self.lexicon.at_word || follows(text, at, b";&|"))
            && self.lexicon.line.iter().any(|mark| rest.starts_with(mark))
        {
            return (text.len(), Some(Part::Comment));
        }
        match self.lexicon.extra {
            Extra::Rust => {
                if let Some(found) = self.open_rust(text, at) {
                    return found;
                }
            }
            Extra::Script => {
                if let Some(found) = self.open_script(text, at) {
                    return found;
                }
            }
            Extra::Heredoc => self.note_heredoc(text, at),
            Extra::None => {}
        }
        // A quote in the middle of a plain YAML scalar is an apostrophe; in a shell word it is a quote.
        let quote_counts = !self.lexicon.at_word
            || self.lexicon.extra == Extra::Heredoc
            || follows(text, at, b"([{,:=");
        let digits = rest.starts_with('\'') && between_digits(text, at);
        match self
            .lexicon
            .quotes
            .iter()
            .find(|q| rest.starts_with(q.open))
        {
            Some(q) if quote_counts && !digits => {
                self.state = State::Literal {
                    close: Close::Mark(q.close),
                    escapes: q.escapes,
                    multiline: q.multiline,
                };
                (at + q.open.len(), Some(Part::Literal))
            }
            _ => (at + 1, None),
        }
    }

    fn open_rust(&mut self, text: &str, at: usize) -> Option<(usize, Option<Part>)> {
        let rest = &text.as_bytes()[at..];
        if rest[0] == b'r' {
            let hashes = rest[1..].iter().take_while(|&&b| b == b'#').count();
            let before = text[..at].trim_end_matches(['b', 'c']);
            let raw = rest.get(1 + hashes) == Some(&b'"') && !before.ends_with(is_word);
            if !raw {
                return Some((at + 1, None));
            }
            self.state = State::Literal {
                close: Close::Hashes(hashes),
                escapes: false,
                multiline: true,
            };
            return Some((at + hashes + 2, Some(Part::Literal)));
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
            return Some(close.map_or((at + 1, None), |n| (at + 4 + n, Some(Part::Literal))));
        }
        match chars.next() {
            Some((n, '\'')) => Some((at + 2 + n, Some(Part::Literal))),
            _ => Some((at + 1, None)),
        }
    }

    fn open_script(&mut self, text: &str, at: usize) -> Option<(usize, Option<Part>)> {
        match text.as_bytes()[at] {
            b'`' => {
                self.state = State::Template { stack: vec![b'`'] };
                Some((at + 1, Some(Part::Literal)))
            }
            b'/' => regex_end(text, at).map(|end| (end, Some(Part::Literal))),
            _ => None,
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

    fn comment(&mut self, text: &str, mut at: usize) -> usize {
        let (State::Comment { depth }, Some((open, close))) = (&mut self.state, self.lexicon.block)
        else {
            return text.len();
        };
        while at < text.len() {
            let rest = &text.as_bytes()[at..];
            if rest.starts_with(close.as_bytes()) {
                at += close.len();
                *depth -= 1;
                if *depth == 0 {
                    self.state = State::Code;
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

    fn literal(&mut self, text: &str, mut at: usize) -> usize {
        let State::Literal { close, escapes, .. } = &self.state else {
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
                Close::Mark(mark) => rest.starts_with(mark.as_bytes()).then_some(mark.len()),
                Close::Hashes(n) => {
                    let hashes = rest[1..].iter().take_while(|&&b| b == b'#').count();
                    (rest[0] == b'"' && hashes >= *n).then_some(n + 1)
                }
            };
            if let Some(len) = len {
                self.state = State::Code;
                return at + len;
            }
            at += 1;
        }
        text.len()
    }

    fn template(&mut self, text: &str, mut at: usize) -> usize {
        let State::Template { stack } = &mut self.state else {
            return text.len();
        };
        let bytes = text.as_bytes();
        while at < bytes.len() {
            match (stack.last(), bytes[at]) {
                (_, b'\\') => at += 1,
                (Some(b'`'), b'`') | (Some(b'{'), b'}') => {
                    stack.pop();
                    if stack.is_empty() {
                        self.state = State::Code;
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

fn push(spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut() {
        Some(last) if last.end == span.start && last.part == span.part => last.end = span.end,
        _ => spans.push(span),
    }
}

/// Whether a character can stand in an identifier.
pub(crate) fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Whether white space, one of `marks`, or nothing stands before `at`.
fn follows(text: &str, at: usize, marks: &[u8]) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with comments as `c` and literals as `s`.
    fn show(language: Language, text: &str) -> String {
        let mut lexer = Lexer::new(language);
        let lines = text.lines().map(|line| {
            let mut spans = Vec::new();
            lexer.line(line, &mut spans);
            let mut bytes = line.as_bytes().to_vec();
            for span in spans {
                bytes[span.start..span.end].fill(if span.part == Part::Comment {
                    b'c'
                } else {
                    b's'
                });
            }
            String::from_utf8(bytes).unwrap()
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn rust_knows_lifetimes_raw_strings_and_nested_comments() {
        assert_eq!(
            show(Language::Rust, "fn f<'a>(c: &'a str) { 'x' }"),
            "fn f<'a>(c: &'a str) { sss }"
        );
        assert_eq!(
            show(Language::Rust, r##"let s = r#"a"b"# + x; // t"##),
            "let s = ssssssss + x; cccc"
        );
        assert_eq!(
            show(Language::Rust, r"m('\n', '\u{200b}', 'ä')"),
            "m(ssss, ssssssssss, ssss)"
        );
        assert_eq!(
            show(Language::Rust, "/* a /* b */\nc */ d"),
            "cccccccccccc\ncccc d"
        );
        assert_eq!(
            show(Language::Rust, "let s = \"a\n  // b\";\nc"),
            "let s = ss\nsssssss;\nc"
        );
    }

    #[test]
    fn python_docstrings_run_over_lines() {
        let text = "def f():\n    \"\"\"Don't\n    # no\n    \"\"\"\n    x = 'a#b'  # c";
        let want = "def f():\n    ssssssss\nssssssss\nsssssss\n    x = sssss  ccc";
        assert_eq!(show(Language::Python, text), want);
    }

    #[test]
    fn script_knows_templates_and_regular_expressions() {
        assert_eq!(
            show(Language::Script, "a = `x ${b(`y`)} '` + c"),
            "a = sssssssssssssss + c"
        );
        assert_eq!(
            show(Language::Script, "s.replace(/[/'\"]/g, d) / 2"),
            "s.replace(sssssssg, d) / 2"
        );
        assert_eq!(
            show(Language::Script, "x = a / b; // c'"),
            "x = a / b; ccccc"
        );
    }

    #[test]
    fn yaml_and_shell_marks_count_at_the_start_of_a_word() {
        assert_eq!(show(Language::Yaml, "it's: a#b # c"), "it's: a#b ccc");
        assert_eq!(show(Language::Yaml, "a: 'b # c'"), "a: sssssss");
        assert_eq!(
            show(Language::Shell, "echo ${#x} \"# a\" # b"),
            "echo ${#x} sssss ccc"
        );
        assert_eq!(
            show(Language::Shell, "cat <<'EOF' > f\ndon't\nEOF\nls"),
            "cat <<sssss > f\nsssss\nsss\nls"
        );
    }

    #[test]
    fn an_unclosed_quote_ends_with_its_line_where_the_language_says_so() {
        assert_eq!(
            show(Language::C, "a = \"x\nb = 1'000;"),
            "a = ss\nb = 1'000;"
        );
        assert_eq!(
            show(Language::Script, "a = \"x\\\ny\" + b"),
            "a = sss\nss + b"
        );
    }

    #[test]
    fn any_bytes_are_survived() {
        for language in [
            Language::Rust,
            Language::Script,
            Language::Shell,
            Language::Python,
        ] {
            for text in [
                "'",
                "'\\",
                "r#",
                "r",
                "`${",
                "/",
                "<<",
                "\"\\",
                "'ä",
                "ä'ä'\\ä'",
                "<<-'Ä",
            ] {
                show(language, text);
            }
        }
    }
}
