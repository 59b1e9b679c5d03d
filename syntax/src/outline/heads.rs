//! What stands before a `{`: the head of a function, of a type, or of something else.

use super::tokens::{Token, TokenKind};
use crate::language::Language;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Head {
    Function {
        name: String,
        /// The first line of the statement, attributes and modifiers included.
        start: usize,
        line: usize,
    },
    /// A class, an interface, an object: what holds methods.
    Type { name: String },
}

/// Whether the braces of a language can be read.
pub(super) fn knows(language: Language) -> bool {
    use Language::{
        C, CSharp, Dart, Go, Java, Kotlin, Php, PowerShell, Rust, Scala, Script, Shell, Swift,
    };
    matches!(
        language,
        C | CSharp
            | Dart
            | Go
            | Java
            | Kotlin
            | Php
            | PowerShell
            | Rust
            | Scala
            | Script
            | Shell
            | Swift
    )
}

/// Words that are followed by brackets and a block and name no function.
const CONTROL: &[&str] = &[
    "if",
    "else",
    "for",
    "foreach",
    "while",
    "switch",
    "catch",
    "try",
    "synchronized",
    "using",
    "lock",
    "fixed",
    "return",
    "new",
    "throw",
    "do",
    "assert",
    "sizeof",
    "case",
];

/// Words that make a type.
const TYPES: &[&str] = &[
    "class",
    "interface",
    "enum",
    "struct",
    "union",
    "record",
    "trait",
    "object",
    "namespace",
    "module",
    "impl",
    "mod",
    "extension",
    "protocol",
    "package",
];

/// Words before the name of a method of a script.
const MODIFIERS: &[&str] = &[
    "async",
    "static",
    "get",
    "set",
    "public",
    "private",
    "protected",
    "readonly",
    "override",
    "abstract",
    "export",
    "default",
    "declare",
    "accessor",
];

/// Reads the tokens of a statement up to its `{`. `holders` are the heads around it, outermost first.
pub(super) fn read(
    language: Language,
    tokens: &[Token<'_>],
    holders: &[&Head],
    outermost: bool,
) -> Option<Head> {
    let function = match language {
        Language::Rust => keyword(tokens, &["fn"]),
        Language::Kotlin => keyword(tokens, &["fun"]),
        Language::Scala => keyword(tokens, &["def"]),
        Language::Php => keyword(tokens, &["function"]),
        Language::PowerShell => keyword(tokens, &["function", "filter"]),
        Language::Swift => keyword(tokens, &["func"]).or_else(|| swift_initializer(tokens)),
        Language::Go if outermost => go(tokens),
        Language::Shell => shell(tokens),
        Language::Script => script(tokens),
        Language::C
            if !holders
                .iter()
                .any(|head| matches!(head, Head::Function { .. })) =>
        {
            c(tokens)
        }
        Language::Java | Language::CSharp | Language::Dart => member(language, tokens, holders),
        _ => None,
    };
    let at = |index: usize| tokens[index].line;
    if let Some((name, index)) = function {
        let start = start_of(language, tokens, index);
        return Some(Head::Function {
            name,
            start: at(start),
            line: at(index),
        });
    }
    type_name(tokens).map(|name| Head::Type { name })
}

/// Whether the braces that open here are a type in a head, so that the statement goes on behind them.
pub(super) fn goes_on_after_braces(language: Language, tokens: &[Token<'_>]) -> bool {
    let [.., before, last] = tokens else {
        return false;
    };
    match language {
        // `f(): {a: string} {`, but not `case f(): {`.
        Language::Script => {
            last.is(b':') && before.is(b')') && tokens[0].word().is_none_or(|word| word != "case")
                || last.is(b'<')
                || (last.is(b'|') || last.is(b'&')) && tokens.iter().any(|token| token.is(b':'))
        }
        // `func f() interface{} {`, `map[string]struct{}`
        Language::Go => {
            last.word()
                .is_some_and(|word| word == "interface" || word == "struct")
                && tokens[0].word().is_some_and(|word| word != "type")
        }
        _ => false,
    }
}

/// Where a function's statement begins: with its modifiers, but not with what a missing semicolon left before them.
fn start_of(language: Language, tokens: &[Token<'_>], head: usize) -> usize {
    let semicolons = !matches!(
        language,
        Language::Go
            | Language::Script
            | Language::Kotlin
            | Language::Swift
            | Language::Scala
            | Language::Shell
            | Language::PowerShell
    );
    if semicolons {
        return 0;
    }
    let mut start = (0..=head)
        .rev()
        .find(|&i| tokens[i].opens_line)
        .unwrap_or(0);
    // Decorators and annotations stand on lines of their own.
    while start > 0 {
        let Some(above) = (0..start).rev().find(|&i| tokens[i].opens_line) else {
            break;
        };
        if !tokens[above].is(b'@') {
            break;
        }
        start = above;
    }
    start
}

/// The first `keyword NAME` of a head.
fn keyword(tokens: &[Token<'_>], keywords: &[&str]) -> Option<(String, usize)> {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Mark(b'(' | b'[') => depth += 1,
            TokenKind::Mark(b')' | b']') => depth = depth.saturating_sub(1),
            TokenKind::Word(word) if depth == 0 && keywords.contains(&word) => {
                // Kotlin has `fun <T> T.name(`, PHP `function &name(`: the name stands before the brackets.
                let open = (index + 1..tokens.len())
                    .find(|&i| tokens[i].is(b'('))
                    .unwrap_or(tokens.len());
                let name = tokens[index + 1..open].iter().find_map(Token::word)?;
                let last = match tokens.get(open.wrapping_sub(1)).and_then(Token::word) {
                    Some(last) if open < tokens.len() => last,
                    _ => name,
                };
                return Some((last.to_owned(), index));
            }
            _ => {}
        }
    }
    None
}

fn swift_initializer(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let is_one = |token: &Token<'_>| {
        token
            .word()
            .is_some_and(|word| matches!(word, "init" | "deinit"))
    };
    let index = tokens.iter().position(is_one)?;
    Some((tokens[index].word()?.to_owned(), index))
}

/// `func` begins a line outside of everything; its receiver stands before its name.
fn go(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let index = tokens
        .iter()
        .rposition(|token| token.opens_line && token.word() == Some("func"))?;
    let mut next = index + 1;
    if tokens.get(next)?.is(b'(') {
        next = closing(tokens, next)? + 1;
    }
    Some((tokens.get(next)?.word()?.to_owned(), index))
}

fn shell(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let start = (0..tokens.len()).rev().find(|&i| tokens[i].opens_line)?;
    match &tokens[start..] {
        [head, name, ..] if head.word() == Some("function") => {
            Some((name.word()?.to_owned(), start))
        }
        // A name may hold marks that are no word: `git-sync() {`.
        [head, .., open, close] if open.is(b'(') && close.is(b')') => {
            Some((head.word()?.to_owned(), start))
        }
        _ => None,
    }
}

/// The bracket that closes the one at `open`.
fn closing(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            TokenKind::Mark(b'(') => depth += 1,
            TokenKind::Mark(b')') => {
                depth -= 1;
                if depth == 0 {
                    return Some(index);
                }
            }
            _ => {}
        }
    }
    None
}

/// The bracket that opens what closes at `close`, and the same for `<>`.
fn opening(tokens: &[Token<'_>], close: usize, marks: (u8, u8)) -> Option<usize> {
    let mut depth = 0_usize;
    for index in (0..=close).rev() {
        if tokens[index].is(marks.1) {
            depth += 1;
        } else if tokens[index].is(marks.0) {
            depth -= 1;
            if depth == 0 {
                return Some(index);
            }
        }
    }
    None
}

/// Every bracket outside of other brackets, with the index of what stands before it (generics passed over).
fn groups(tokens: &[Token<'_>]) -> Vec<(Option<usize>, usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at].is(b'(') {
            let Some(close) = closing(tokens, at) else {
                break;
            };
            let mut before = at.checked_sub(1);
            if before.is_some_and(|before| tokens[before].is(b'>')) {
                before = before
                    .and_then(|close| opening(tokens, close, (b'<', b'>')))
                    .and_then(|open| open.checked_sub(1));
            }
            found.push((before, at, close));
            at = close;
        }
        at += 1;
    }
    found
}

fn is_control(token: &Token<'_>) -> bool {
    token.word().is_some_and(|word| CONTROL.contains(&word))
}

fn script(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    if tokens
        .last()
        .is_some_and(|last| last.kind == TokenKind::Arrow)
    {
        return arrow(tokens);
    }
    let keyword = |token: &Token<'_>| token.word() == Some("function");
    if let Some(index) = tokens.iter().rposition(keyword)
        && let Some(open) = (index..tokens.len()).find(|&i| tokens[i].is(b'('))
        // Without semicolons the statement before a block is read as its head, too.
        && let Some(close) = closing(tokens, open)
        && tokens.get(close + 1).is_none_or(|token| token.is(b':'))
    {
        let name = tokens[index + 1..open].iter().find_map(Token::word);
        let name = name.map(str::to_owned);
        return Some((name.unwrap_or_else(|| assigned_name(tokens, index)), index));
    }
    method(tokens)
}

/// `(…) => {`, also with a type between: `(…): T => {`.
fn arrow(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let end = tokens.len() - 1;
    let first = groups(tokens)
        .into_iter()
        .map(|(_, open, _)| open)
        .next_back();
    let head = first.unwrap_or(end.saturating_sub(1));
    let head = match head.checked_sub(1) {
        Some(before) if tokens[before].word() == Some("async") => before,
        _ => head,
    };
    Some((assigned_name(tokens, head), head))
}

/// `name = …`, `name: T = …` and `name: …` before a function without a name.
fn assigned_name(tokens: &[Token<'_>], index: usize) -> String {
    let mark = tokens[..index]
        .iter()
        .rposition(|token| token.is(b'=') || token.is(b':'));
    let Some(mark) = mark else {
        return String::new();
    };
    let start = tokens[..mark]
        .iter()
        .rposition(|token| token.is(b'='))
        .map_or(0, |at| at + 1);
    let line = (start..mark)
        .rev()
        .find(|&i| tokens[i].opens_line)
        .unwrap_or(start);
    let before = &tokens[line.max(start)..mark];
    let before = before
        .split(|token| token.is(b':'))
        .next()
        .unwrap_or(before);
    before
        .iter()
        .rev()
        .find_map(Token::word)
        .unwrap_or_default()
        .to_owned()
}

/// `name(…) {` and `name(…): T {` of a class or an object.
fn method(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    for (before, open, close) in groups(tokens) {
        let Some(index) = before.or_else(|| open.checked_sub(1)) else {
            continue;
        };
        let name = match tokens[index].kind {
            TokenKind::Word(word) if !is_control(&tokens[index]) => word,
            TokenKind::Literal | TokenKind::Mark(b']') => "",
            _ => continue,
        };
        let behind = tokens.get(close + 1);
        if behind.is_some_and(|token| !token.is(b':')) || !begins_member(tokens, index) {
            continue;
        }
        return Some((name.to_owned(), index));
    }
    None
}

/// Whether only modifiers stand between a name and the beginning of its line or statement.
fn begins_member(tokens: &[Token<'_>], name: usize) -> bool {
    let mut at = if tokens[name].is(b']') {
        match opening(tokens, name, (b'[', b']')) {
            Some(open) => open,
            None => return false,
        }
    } else {
        name
    };
    loop {
        if at == 0 || tokens[at].opens_line {
            return true;
        }
        at -= 1;
        let passes = tokens[at].is(b'*')
            || tokens[at].is(b'#')
            || tokens[at]
                .word()
                .is_some_and(|word| MODIFIERS.contains(&word));
        if !passes {
            return false;
        }
    }
}

/// A definition of C: brackets behind a name, nothing assigned.
fn c(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let first = tokens.first()?;
    if first.word() == Some("typedef") || is_assigned(tokens) {
        return None;
    }
    for (before, _, close) in groups(tokens) {
        let name = before.map(|before| (before, &tokens[before]));
        let Some((index, word)) = name.and_then(|(index, token)| Some((index, token.word()?)))
        else {
            continue;
        };
        let attribute = word.starts_with("__attribute")
            || matches!(word, "__declspec" | "alignas" | "_Alignas" | "asm");
        // `MACRO(int) name(…) {`: another name with brackets follows.
        let is_type = tokens
            .get(close + 1)
            .and_then(Token::word)
            .is_some_and(|next| {
                !next.starts_with("__")
                    && groups(&tokens[close + 1..])
                        .first()
                        .is_some_and(|group| group.0.is_some())
                    && next.chars().any(|c| c.is_lowercase())
                    && !matches!(next, "const" | "noexcept" | "override" | "final" | "throw")
            });
        if attribute || is_type || is_control(&tokens[index]) {
            continue;
        }
        return Some((word.to_owned(), index));
    }
    None
}

/// An `=` outside of brackets. (`operator==` and defaults of parameters are not.)
fn is_assigned(tokens: &[Token<'_>]) -> bool {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Mark(b'(' | b'[') => depth += 1,
            TokenKind::Mark(b')' | b']') => depth = depth.saturating_sub(1),
            TokenKind::Mark(b'=') if depth == 0 => {
                let operator =
                    tokens[..index].iter().rev().find_map(Token::word) == Some("operator");
                if !operator {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// A method or a constructor: modifiers or a type, a name, brackets, perhaps `throws`.
fn member(language: Language, tokens: &[Token<'_>], holders: &[&Head]) -> Option<(String, usize)> {
    let outside = |word: &str| {
        let mut depth = 0_usize;
        tokens.iter().any(|token| {
            match token.kind {
                TokenKind::Mark(b'(') => depth += 1,
                TokenKind::Mark(b')') => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && token.word() == Some(word)
        })
    };
    if is_assigned(tokens)
        || [
            "new",
            "return",
            "throw",
            "record",
            "class",
            "interface",
            "enum",
        ]
        .iter()
        .any(|word| outside(word))
    {
        return None;
    }
    if tokens.last()?.kind == TokenKind::Arrow {
        return None;
    }
    let (before, _, close) = groups(tokens).into_iter().rfind(|(before, ..)| {
        // Annotations have brackets too.
        before.is_none_or(|before| !is_annotation(tokens, before))
    })?;
    let index = before?;
    let name = tokens[index].word()?;
    let behind = tokens.get(close + 1).map(Token::word);
    let suffix = ["throws", "where", "async", "default", "sync"];
    let ends = match behind {
        None => true,
        Some(Some(word)) => suffix.contains(&word),
        // C#: `: base(…)`; Java: `int f()[]`
        Some(None) => {
            language == Language::CSharp && tokens[close + 1].is(b':') || tokens[close + 1].is(b'[')
        }
    };
    if !ends || is_control(&tokens[index]) {
        return None;
    }
    let holder = holders.iter().rev().find_map(|head| match head {
        Head::Type { name } => Some(name.as_str()),
        Head::Function { .. } => None,
    });
    let typed = index > 0
        && (tokens[index - 1].word().is_some()
            || tokens[index - 1].is(b'>')
            || tokens[index - 1].is(b']')
            || tokens[index - 1].is(b'?'))
        && !is_annotation_end(tokens, index - 1);
    (typed || holder == Some(name) || language == Language::Dart).then(|| (name.to_owned(), index))
}

/// Whether the name at `index` is that of an annotation: `@Name`, `@a.b.Name`.
fn is_annotation(tokens: &[Token<'_>], index: usize) -> bool {
    let mut at = index;
    loop {
        match at.checked_sub(1) {
            Some(before) if tokens[before].is(b'@') => return true,
            Some(before) if tokens[before].is(b'.') && before > 0 => at = before - 1,
            _ => return false,
        }
    }
}

/// Whether what ends at `index` is an annotation, so that no type stands before the next name.
fn is_annotation_end(tokens: &[Token<'_>], index: usize) -> bool {
    let name = if tokens[index].is(b')') {
        opening(tokens, index, (b'(', b')')).and_then(|open| open.checked_sub(1))
    } else {
        Some(index)
    };
    name.is_some_and(|name| is_annotation(tokens, name))
}

fn type_name(tokens: &[Token<'_>]) -> Option<String> {
    let makes_type = |token: &Token<'_>| token.word().is_some_and(|word| TYPES.contains(&word));
    // `@Adapter(Money.class) class Price`: what stands in brackets is another type.
    let mut depth = 0_usize;
    let outside = tokens.iter().position(|token| {
        match token.kind {
            TokenKind::Mark(b'(') => depth += 1,
            TokenKind::Mark(b')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && makes_type(token)
    });
    let index = outside.or_else(|| tokens.iter().position(makes_type))?;
    let name = tokens[index + 1..].iter().find_map(Token::word);
    Some(name.unwrap_or_default().to_owned())
}
