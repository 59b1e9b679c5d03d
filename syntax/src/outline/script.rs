//! Heads of JavaScript and TypeScript: functions, methods, arrows, and the types that stand in them.

use super::heads::{closing, groups, is_control, opening};
use super::tokens::{Token, TokenKind};

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

/// A function, a method or an arrow before a `{`.
pub(super) fn function(tokens: &[Token<'_>], among_members: bool) -> Option<(String, usize)> {
    if tokens
        .last()
        .is_some_and(|last| last.kind == TokenKind::Arrow)
    {
        return arrow(tokens);
    }
    let keyword = |token: &Token<'_>| token.word() == Some("function");
    if let Some(index) = tokens.iter().rposition(keyword)
        && let Some(open) = parameters(tokens, index)
        // Without semicolons the statement before a block is read as its head, too.
        && let Some(close) = closing(tokens, open)
        && tokens.get(close + 1).is_none_or(|token| token.is(b':'))
    {
        let name = tokens[index + 1..open].iter().find_map(Token::word);
        let name = name.map(str::to_owned);
        return Some((name.unwrap_or_else(|| assigned_name(tokens, index)), index));
    }
    method(tokens, among_members)
}

/// The bracket of a function's parameters: its type parameters may hold brackets of their own.
fn parameters(tokens: &[Token<'_>], function: usize) -> Option<usize> {
    let mut angles = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(function) {
        match token.kind {
            TokenKind::Mark(b'<') => angles += 1,
            TokenKind::Mark(b'>') => angles = angles.saturating_sub(1),
            TokenKind::Mark(b'(') if angles == 0 => return Some(index),
            _ => {}
        }
    }
    None
}

/// Whether braces that open here are a type in a head, not the body: `f(): Map<string, {a: number}> {`.
pub(super) fn expects_type(tokens: &[Token<'_>]) -> bool {
    let [.., before, last] = tokens else {
        return false;
    };
    let is_annotated = || tokens.iter().any(|token| token.is(b':'));
    let wants = || in_angles(tokens) || return_type(tokens).is_some();
    match last.kind {
        TokenKind::Mark(b'<') => true,
        // `f(): {a: string} {`, but not `case f(): {`
        TokenKind::Mark(b':') if before.is(b')') => tokens[0].word() != Some("case"),
        TokenKind::Mark(b'|' | b'&') => is_annotated() || wants(),
        TokenKind::Mark(b',' | b'=') => in_angles(tokens),
        TokenKind::Mark(b':' | b'?') => wants(),
        TokenKind::Word("extends" | "is" | "keyof" | "readonly" | "asserts") => wants(),
        TokenKind::Arrow => returns_function(tokens),
        _ => false,
    }
}

/// Whether a comma here stands in the type that a method returns: `a(): Either<Error, {n: 1}> {`.
pub(super) fn is_in_type(tokens: &[Token<'_>]) -> bool {
    return_type(tokens).is_some_and(|colon| in_angles(&tokens[colon..]))
}

/// `a(): () => {n: 1} {`: the arrow belongs to the type.
fn returns_function(tokens: &[Token<'_>]) -> bool {
    let end = tokens.len() - 1;
    let before = end.checked_sub(1).filter(|&close| tokens[close].is(b')'));
    let open = before.and_then(|close| opening(tokens, close, (b'(', b')')));
    let Some(open) = open.filter(|&open| open > 1) else {
        return false;
    };
    tokens[open - 1].is(b':') && return_type(&tokens[..open]) == Some(open - 1)
}

/// The colon before the type that a function returns, if a function's parameters stand before it.
fn return_type(tokens: &[Token<'_>]) -> Option<usize> {
    let colon = (1..tokens.len())
        .rev()
        .find(|&i| tokens[i].is(b':') && tokens[i - 1].is(b')'))?;
    let is_head = function(&tokens[..colon], true).is_some();
    is_head.then_some(colon)
}

/// Whether a `<` of types is still open. A comparison in the statement before, where no semicolon ends it, is none.
fn in_angles(tokens: &[Token<'_>]) -> bool {
    let (mut closed, mut depth) = (0_usize, 0_usize);
    for token in tokens.iter().rev() {
        match token.kind {
            TokenKind::Mark(b')' | b']' | b'}') => depth += 1,
            TokenKind::Mark(b'(' | b'[' | b'{') => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            TokenKind::Mark(b'>') => closed += 1,
            TokenKind::Mark(b'<') if closed == 0 => return true,
            TokenKind::Mark(b'<') => closed -= 1,
            TokenKind::Word(
                "const" | "let" | "var" | "return" | "function" | "class" | "import" | "export",
            ) => return false,
            _ if is_control(token) => return false,
            _ => {}
        }
    }
    false
}

/// Whether the braces behind a statement hold members: a class, or an object, in which no statement can stand.
pub(super) fn holds_members(tokens: &[Token<'_>], before: Option<&Token<'_>>) -> bool {
    let is_class = tokens
        .iter()
        .rposition(|token| token.word() == Some("class"));
    if let Some(class) = is_class
        && !tokens[class..]
            .iter()
            .any(|token| is_control(token) || token.kind == TokenKind::Arrow)
    {
        return true;
    }
    let is_label = tokens
        .first()
        .is_some_and(|token| matches!(token.word(), Some("case" | "default")));
    before.is_some_and(|token| match token.kind {
        TokenKind::Mark(b'=' | b'(' | b'[' | b',' | b'?') => true,
        TokenKind::Mark(b':') => !is_label,
        TokenKind::Word(word) => matches!(word, "return" | "default"),
        _ => false,
    })
}

/// `(…) => {`, also with a type between: `(…): T => {`.
pub(super) fn arrow(tokens: &[Token<'_>]) -> Option<(String, usize)> {
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
///
/// Among members, a word that opens a statement elsewhere is a name: `catch(…) {`, `return(…) {`.
fn method(tokens: &[Token<'_>], among_members: bool) -> Option<(String, usize)> {
    if let Some(last) = tokens.len().checked_sub(1)
        && among_members
        && tokens[last].word() == Some("static")
    {
        return Some(("static".to_owned(), last));
    }
    for (before, open, close) in groups(tokens) {
        let Some(mut index) = before.or_else(|| open.checked_sub(1)) else {
            continue;
        };
        if among_members && index > 0 && (tokens[index].is(b'?') || tokens[index].is(b'!')) {
            index -= 1;
        }
        let name = match tokens[index].kind {
            TokenKind::Word(word) if among_members || !is_control(&tokens[index]) => word,
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
        if let Some(decorator) = decorator(tokens, at) {
            at = decorator;
            continue;
        }
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

/// The `@` of the decorator that ends at `at`: `@Input() set name(…) {`.
fn decorator(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let mut name = at;
    if tokens[at].is(b')') {
        name = opening(tokens, at, (b'(', b')'))?.checked_sub(1)?;
    }
    loop {
        tokens[name].word()?;
        let before = name.checked_sub(1)?;
        if tokens[before].is(b'@') {
            return Some(before);
        }
        if !tokens[before].is(b'.') {
            return None;
        }
        name = before.checked_sub(1)?;
    }
}
