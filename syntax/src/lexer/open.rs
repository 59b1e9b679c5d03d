//! What begins at a place of a line: a comment, a literal, or code.

use super::{ClosingMark, Lexer, LexerState, SpanKind, is_word};
use crate::language::{ExtraSyntax, Language};

impl Lexer {
    /// What begins at `at`: its end on this line, and what it is; no part for code.
    pub(super) fn open_span(&mut self, text: &str, at: usize) -> (usize, Option<SpanKind>) {
        let rest = &text[at..];
        if let Some(end) = self.step_in_hole(rest.as_bytes()[0], at) {
            return (end, Some(SpanKind::Literal));
        }
        if self.language == Language::Php && rest.starts_with("?>") {
            self.in_markup = true;
            return (at + 2, None);
        }
        if let Some((open, close)) = self.lexicon.block
            && rest.starts_with(open)
        {
            if self.language == Language::Script && self.is_text_of_tags(text, at, close) {
                return (at + open.len(), None);
            }
            self.state = LexerState::Comment { depth: 1 };
            return (at + open.len(), Some(SpanKind::Comment));
        }
        if (!self.lexicon.at_word || at_word_start(text, at, b";&|"))
            && self.lexicon.line.iter().any(|mark| rest.starts_with(mark))
            && !(self.language == Language::Script && is_slashes_of_text(text, at))
        {
            let end = comment_end(text, at);
            let tag = rest.find("?>").filter(|_| self.language == Language::Php);
            let end = tag.map_or(end, |tag| end.min(at + tag));
            return (end, Some(SpanKind::Comment));
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
            ExtraSyntax::Heredoc => {
                if self.language == Language::Ruby
                    && let Some(found) = open_ruby(text, at)
                {
                    return found;
                }
                self.note_heredoc(text, at);
            }
            ExtraSyntax::Nowdoc => self.note_nowdoc(text, at),
            ExtraSyntax::None => {}
        }
        if rest.starts_with('"')
            && let Some((end, close)) = match self.language {
                Language::C => open_raw_string(text, at),
                Language::CSharp => open_raw_quotes(text, at),
                _ => None,
            }
        {
            self.state = LexerState::Literal {
                close: ClosingMark::Text(close),
                escapes: false,
                multiline: true,
                hole: hole_of(self.language, "\"", &text[..at]),
            };
            return (end, Some(SpanKind::Literal));
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
                    hole: hole_of(self.language, q.open, &text[..at]),
                };
                (at + q.open.len(), Some(SpanKind::Literal))
            }
            _ => (at + 1, None),
        }
    }

    /// JavaScript: whether `/*` that is not closed on its line is text between tags, as in `image/*`, `*/*` or `src/**/*`.
    /// Taken for a comment, it would hide what follows.
    fn is_text_of_tags(&self, text: &str, at: usize, close: &str) -> bool {
        let (before, behind) = (&text[..at], &text[at + 2..]);
        if behind.contains(close) {
            return false;
        }
        let code = before.trim_end();
        let is_glued = before.ends_with(|c| is_word(c) || "*.@~-".contains(c));
        let behind_tag = code.ends_with('>') && !code.ends_with("=>");
        let in_element = behind.contains("</") && !code.is_empty() && !code.ends_with('{');
        is_glued || behind_tag || in_element || self.in_text_of_tags && !before.contains('{')
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
                hole: None,
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
            b'`' if may_be_template(text, at) => {
                self.state = LexerState::Literal {
                    close: ClosingMark::Mark("`"),
                    escapes: true,
                    multiline: true,
                    hole: Some("${"),
                };
                Some((at + 1, Some(SpanKind::Literal)))
            }
            b'/' => regex_end(Language::Script, text, at).map(|end| (end, Some(SpanKind::Literal))),
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

/// Ruby: a regular expression, or a quote that `?` makes a letter.
fn open_ruby(text: &str, at: usize) -> Option<(usize, Option<SpanKind>)> {
    match text.as_bytes()[at] {
        b'/' => regex_end(Language::Ruby, text, at).map(|end| (end, Some(SpanKind::Literal))),
        b'"' | b'\'' => {
            let before = text[..at].strip_suffix('?')?;
            let is_letter = before.is_empty() || before.ends_with([' ', '(', '[', ',', '=']);
            let is_whole = !text[at + 1..].starts_with(|c: char| is_word(c) || c == ' ');
            (is_letter && is_whole).then_some((at + 1, None))
        }
        _ => None,
    }
}

/// JavaScript: whether `//` is text between tags: in an address, or between the words of an element.
fn is_slashes_of_text(text: &str, at: usize) -> bool {
    let (before, behind) = (&text[..at], &text[at + 2..]);
    let scheme = before.strip_suffix(':');
    let is_address =
        scheme.is_some_and(|scheme| scheme.ends_with(is_word)) && behind.starts_with(is_word);
    let words = before.rsplit('>').next().unwrap_or_default();
    let in_element = is_tag(before.trim_start())
        && before.contains('>')
        && !words.trim().is_empty()
        && behind.contains("</");
    is_address || in_element
}

/// JavaScript: whether text between tags follows a line that begins with a tag. Code follows `<script>` of Vue and Svelte.
pub(super) fn opens_text(line: &str) -> bool {
    is_tag(line) && line.ends_with('>') && !line.starts_with("<script")
}

/// JavaScript: whether a line between tags may be text, and the line behind it, too.
pub(super) fn is_prose(line: &str) -> bool {
    !line.starts_with(['<', '{', '}', '(', ')', ']', '@']) && !line.ends_with([';', '{', '('])
}

/// Whether a tag begins there, as no statement does.
fn is_tag(text: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphabetic() || matches!(c, '>' | '/');
    text.strip_prefix('<')
        .is_some_and(|rest| rest.starts_with(is_name))
}

/// Where a comment ends that runs to the end of its line. Python, JavaScript, Java and others end a line at a carriage
/// return alone, some at U+2028 and U+2029; nobody who reads the difference sees that.
fn comment_end(text: &str, at: usize) -> usize {
    let ends = |(place, sign): &(usize, char)| match sign {
        '\r' => !text[*place..].trim_end_matches('\r').is_empty(),
        sign => matches!(sign, '\u{2028}' | '\u{2029}'),
    };
    let mut signs = text[at..]
        .char_indices()
        .map(|(place, sign)| (at + place, sign));
    signs.find(ends).map_or(text.len(), |(place, _)| place)
}

/// What begins an expression in a literal of that quote; none: all of it is text.
fn hole_of(language: Language, quote: &str, before: &str) -> Option<&'static str> {
    let word_start = before.trim_end_matches(is_word).len();
    let prefix = &before[word_start..];
    let is_format = prefix.len() <= 2 && prefix.bytes().all(|b| b"rRfFtT".contains(&b));
    match language {
        Language::Python => (is_format && prefix.contains(['f', 'F', 't', 'T'])).then_some("{"),
        Language::CSharp => {
            let marked = before.ends_with('$') || before.ends_with("$@") || before.ends_with("@$");
            marked.then_some("{")
        }
        Language::Ruby => (quote == "\"").then_some("#{"),
        Language::Kotlin | Language::Dart => quote.starts_with('"').then_some("${"),
        Language::Scala => prefix.starts_with(char::is_alphabetic).then_some("${"),
        _ => None,
    }
}

/// Whether a backtick that is not closed on its line may begin a template: not in text between tags, where it stands behind
/// a word and a blank.
fn may_be_template(text: &str, at: usize) -> bool {
    const WORDS: [&str; 14] = [
        "return", "case", "typeof", "in", "of", "await", "yield", "throw", "default", "else",
        "new", "void", "delete", "do",
    ];
    let (before, behind) = (&text[..at], &text[at + 1..]);
    let trimmed = before.trim_end();
    let word = trimmed.rsplit(|c| !is_word(c)).next().unwrap_or_default();
    let tag_end = trimmed.ends_with('>') && !trimmed.ends_with("=>");
    let after_word = !word.is_empty() && trimmed.len() < before.len() && !WORDS.contains(&word);
    let prose_end = trimmed.ends_with(['.', ';']) && trimmed.len() < before.len();
    behind.contains('`') || !(tag_end || after_word || prose_end)
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
fn regex_end(language: Language, text: &str, at: usize) -> Option<usize> {
    if !may_begin_value(language, text[..at].trim_end()) {
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

/// Whether a value may stand behind this code, so that a slash does not divide.
fn may_begin_value(language: Language, before: &str) -> bool {
    const WORDS: [&str; 14] = [
        "return", "typeof", "case", "in", "of", "when", "if", "unless", "elsif", "and", "or",
        "not", "while", "until",
    ];
    const SCRIPT_WORDS: [&str; 11] = [
        "await",
        "yield",
        "throw",
        "delete",
        "void",
        "new",
        "instanceof",
        "else",
        "do",
        "default",
        "extends",
    ];
    let is_value = |text: &str| {
        text.trim_end()
            .ends_with(|c| is_word(c) || ")]".contains(c))
    };
    let is_script = language == Language::Script;
    let without = |marks: &[&str]| marks.iter().find_map(|mark| before.strip_suffix(mark));
    if is_script {
        // `done++ / total`, and `size! / 2` of TypeScript.
        if without(&["++", "--", "!"]).is_some_and(is_value) {
            return false;
        }
        if let Some(inside) = before.strip_suffix(')') {
            return is_head(inside);
        }
    }
    let word = before.rsplit(|c| !is_word(c)).next().unwrap_or_default();
    let is_member = before[..before.len() - word.len()].ends_with('.');
    let is_keyword = WORDS.contains(&word) || is_script && SCRIPT_WORDS.contains(&word);
    let is_operator = before.is_empty() || before.ends_with(|c| "(,=:[!&|?{};+*%~^<>".contains(c));
    is_operator || (is_keyword && !is_member)
}

/// Whether code up to a closing bracket ends the head of a statement: `if (a`.
fn is_head(inside: &str) -> bool {
    let mut depth = 0_usize;
    let open = inside.char_indices().rev().find(|(_, sign)| {
        match sign {
            ')' => depth += 1,
            '(' if depth == 0 => return true,
            '(' => depth -= 1,
            _ => {}
        }
        false
    });
    let before = open.map_or("", |(at, _)| inside[..at].trim_end());
    let word = before.rsplit(|c| !is_word(c)).next().unwrap_or_default();
    let is_member = before[..before.len() - word.len()].ends_with('.');
    matches!(word, "if" | "while" | "for" | "with") && !is_member
}

/// C#: the same for three quotes or more, and for `@"`, in which a backslash is a sign as any other.
fn open_raw_quotes(text: &str, at: usize) -> Option<(usize, String)> {
    let quotes = text[at..].bytes().take_while(|&b| b == b'"').count();
    let is_verbatim = text[..at].ends_with('@') || text[..at].ends_with("@$");
    match quotes {
        1 if is_verbatim => Some((at + 1, "\"".to_owned())),
        3.. if !is_verbatim => Some((at + quotes, "\"".repeat(quotes))),
        _ => None,
    }
}

/// C++: where the text of a raw string begins, and what ends it: `R"x(` and `)x"`.
fn open_raw_string(text: &str, at: usize) -> Option<(usize, String)> {
    const MAX_DELIMITER: usize = 16;
    let before = text[..at].strip_suffix('R')?;
    let prefix = before.rsplit(|c| !is_word(c)).next().unwrap_or_default();
    let (delimiter, _) = text[at + 1..].split_once('(')?;
    let is_plain = |c: char| !c.is_whitespace() && !"()\\\"".contains(c);
    let is_raw = matches!(prefix, "" | "u8" | "u" | "U" | "L")
        && delimiter.len() <= MAX_DELIMITER
        && delimiter.chars().all(is_plain);
    is_raw.then(|| (at + delimiter.len() + 2, format!("){delimiter}\"")))
}
