//! What stands before a `{`: the head of a function, of a type, or of something else.

use super::tokens::{Token, TokenKind};
use super::{keywords, members, script};
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
pub(super) const TYPES: &[&str] = &[
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

/// Where a `{` stands.
#[derive(Debug)]
pub(super) struct Place<'h> {
    /// The heads around it, outermost first.
    pub(super) holders: Vec<&'h Head>,
    /// Whether no bracket is open around it.
    pub(super) is_outermost: bool,
    /// Whether it stands directly in a type or an object, where members stand and no statements.
    pub(super) among_members: bool,
}

impl Place<'_> {
    /// Whether it stands in a function with a name: what has none in there belongs to it.
    pub(super) fn in_function(&self) -> bool {
        let is_function =
            |head: &&Head| matches!(head, Head::Function { name, .. } if !name.is_empty());
        self.holders.iter().any(is_function)
    }

    /// The name of the innermost type.
    pub(super) fn type_name(&self) -> Option<&str> {
        self.holders.iter().rev().find_map(|head| match head {
            Head::Type { name } => Some(name.as_str()),
            Head::Function { .. } => None,
        })
    }
}

/// Reads the tokens of a statement up to its `{`.
pub(super) fn read(language: Language, tokens: &[Token<'_>], place: &Place<'_>) -> Option<Head> {
    let function = match language {
        Language::Rust => keywords::rust(tokens, place),
        Language::Kotlin => keywords::kotlin(tokens, place),
        Language::Scala => keyword(tokens, &["def"]),
        Language::Php => keywords::php(tokens, place),
        Language::PowerShell => keyword(tokens, &["function", "filter"]),
        Language::Swift => keywords::swift(tokens, place),
        Language::Go => keywords::go(tokens, place),
        Language::Shell => shell(tokens),
        Language::Script => script::function(tokens, place.among_members),
        Language::C if !place.in_function() => members::c(tokens),
        Language::Java | Language::CSharp | Language::Dart => {
            members::member(language, tokens, place)
        }
        _ => None,
    };
    let at = |index: usize| tokens[index].line;
    if let Some((name, index)) = method_of_c(language, tokens, place) {
        let line = at(index);
        return Some(Head::Function {
            name,
            start: line,
            line,
        });
    }
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

/// A method of Objective-C, before which no semicolon need stand.
fn method_of_c(
    language: Language,
    tokens: &[Token<'_>],
    place: &Place<'_>,
) -> Option<(String, usize)> {
    let may_be = language == Language::C && !place.in_function();
    may_be.then(|| members::objective_c(tokens)).flatten()
}

/// Whether the braces that open here belong to a head, so that the statement goes on behind them.
pub(super) fn goes_on_after_braces(language: Language, tokens: &[Token<'_>]) -> bool {
    let [.., last] = tokens else {
        return false;
    };
    match language {
        Language::Script => script::expects_type(tokens),
        // `func f() interface{} {`, `map[string]struct{}`
        Language::Go => {
            last.word()
                .is_some_and(|word| word == "interface" || word == "struct")
                && tokens[0].word().is_some_and(|word| word != "type")
        }
        // `A() : x{1} {`
        Language::C => (last.word().is_some() || last.is(b'>')) && members::initializes(tokens),
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
pub(super) fn keyword(tokens: &[Token<'_>], keywords: &[&str]) -> Option<(String, usize)> {
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

/// `name() {`, `name() (` and `function name {`.
pub(super) fn shell(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let start = (0..tokens.len()).rev().find(|&i| tokens[i].opens_line)?;
    match &tokens[start..] {
        [head, name, ..] if head.word() == Some("function") => {
            Some((name.word()?.to_owned(), start))
        }
        // A name may hold marks that are no word: `git-sync() {`.
        [head, .., open, close] if open.is(b'(') && close.is(b')') => {
            // `list=()` is an empty array.
            let is_array = tokens[tokens.len() - 3].is(b'=');
            Some((head.word().filter(|_| !is_array)?.to_owned(), start))
        }
        _ => None,
    }
}

/// The bracket that closes the one at `open`.
pub(super) fn closing(tokens: &[Token<'_>], open: usize) -> Option<usize> {
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
pub(super) fn opening(tokens: &[Token<'_>], close: usize, marks: (u8, u8)) -> Option<usize> {
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
pub(super) fn groups(tokens: &[Token<'_>]) -> Vec<(Option<usize>, usize, usize)> {
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

pub(super) fn is_control(token: &Token<'_>) -> bool {
    token.word().is_some_and(|word| CONTROL.contains(&word))
}

pub(super) fn type_name(tokens: &[Token<'_>]) -> Option<String> {
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
