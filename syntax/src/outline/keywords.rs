//! Heads that a keyword opens, and the few beside them: closures that a field holds, accessors, initializers.

use super::heads::{Place, TYPES, closing, keyword};
use super::tokens::{Token, TokenKind};

type Found = Option<(String, usize)>;

/// `fn`, `macro_rules!`, and outside of functions a closure: `static X: LazyLock<T> = LazyLock::new(|| {`.
pub(super) fn rust(tokens: &[Token<'_>], place: &Place<'_>) -> Found {
    let closure = || {
        let last = tokens.len().checked_sub(1)?;
        (!place.in_function() && tokens[last].is(b'|')).then(|| (String::new(), last))
    };
    let rules = || {
        let at = tokens
            .iter()
            .position(|token| token.word() == Some("macro_rules"))?;
        let name = tokens
            .get(at + 1)
            .filter(|mark| mark.is(b'!'))
            .and(tokens.get(at + 2))?;
        Some((name.word()?.to_owned(), at))
    };
    keyword(tokens, &["fn"]).or_else(rules).or_else(closure)
}

/// `function name`, and outside of functions one without a name: `$app->get('/', function ($request) {`.
pub(super) fn php(tokens: &[Token<'_>], place: &Place<'_>) -> Found {
    let closure = || {
        let index = last_outside(tokens, &["function"])?;
        let opens = tokens[index + 1..].iter().find(|token| !token.is(b'&'))?;
        (!place.in_function() && opens.is(b'(')).then(|| (String::new(), index))
    };
    keyword(tokens, &["function"]).or_else(closure)
}

/// `fun`, and among members `init`, `constructor` and accessors; properties that a block computes or holds.
pub(super) fn kotlin(tokens: &[Token<'_>], place: &Place<'_>) -> Found {
    let member = || {
        let last = tokens.len().checked_sub(1)?;
        if tokens[last].word() == Some("init") {
            return Some(("init".to_owned(), last));
        }
        let index = last_outside(tokens, &["constructor", "get", "set"])?;
        let line = line_start(tokens, index);
        let is_member = tokens.get(index + 1)?.is(b'(') && !makes_type(&tokens[line..]);
        is_member.then(|| (tokens[index].word().unwrap_or_default().to_owned(), index))
    };
    let found = keyword(tokens, &["fun"]);
    let found = found.or_else(|| place.among_members.then(member).flatten());
    found.or_else(|| property(tokens, place, &["val", "var"]))
}

/// `func`, `init`, `deinit`, and outside of functions properties and subscripts that a block computes.
pub(super) fn swift(tokens: &[Token<'_>], place: &Place<'_>) -> Found {
    let found = keyword(tokens, &["func"]).or_else(|| swift_initializer(tokens));
    let found = found.or_else(|| property(tokens, place, &["var", "subscript"]));
    // `let x: T = {` holds a closure; no other constant has a block.
    let closure = || {
        let holds = tokens.last()?.is(b'=');
        holds.then(|| property(tokens, place, &["let"])).flatten()
    };
    found.or_else(closure)
}

fn swift_initializer(tokens: &[Token<'_>]) -> Found {
    let is_one = |token: &Token<'_>| {
        token
            .word()
            .is_some_and(|word| matches!(word, "init" | "deinit"))
    };
    let index = tokens.iter().position(is_one)?;
    Some((tokens[index].word()?.to_owned(), index))
}

/// `func` begins a line outside of everything; its receiver stands before its name.
pub(super) fn go(tokens: &[Token<'_>], place: &Place<'_>) -> Found {
    let declared = || {
        let index = tokens
            .iter()
            .rposition(|token| token.opens_line && token.word() == Some("func"))?;
        let mut next = index + 1;
        if tokens.get(next)?.is(b'(') {
            next = closing(tokens, next)? + 1;
        }
        Some((tokens.get(next)?.word()?.to_owned(), index))
    };
    let found = place.is_outermost.then(declared).flatten();
    found.or_else(|| (!place.in_function()).then(|| go_literal(tokens)).flatten())
}

/// `var handler = func(…) {` and `RunE: func(…) error {`: a function that a variable or a field holds.
fn go_literal(tokens: &[Token<'_>]) -> Found {
    let mut index = last_outside(tokens, &["func"])?;
    // `func() func() error {`: the last is a type that the first returns.
    while index > 0
        && tokens[index - 1].is(b')')
        && let Some(before) = last_outside(&tokens[..index], &["func"])
    {
        index = before;
    }
    let open = index + 1;
    if !tokens.get(open)?.is(b'(') {
        return None;
    }
    // A type of a function ends with its line: what follows it is another statement.
    let close = closing(tokens, open)?;
    let mut depth = 0_usize;
    for token in &tokens[close + 1..] {
        match token.kind {
            TokenKind::Mark(b'(' | b'[' | b'{') => depth += 1,
            TokenKind::Mark(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            TokenKind::Mark(b'=' | b':' | b',') if depth == 0 => return None,
            _ if depth == 0 && token.opens_line => return None,
            _ => {}
        }
    }
    let assigns = |token: &Token<'_>| !(token.is(b'=') || token.is(b':'));
    let held = tokens[..index].iter().rposition(assigns);
    let name = held.filter(|&name| name + 1 < index);
    let name = name.and_then(|name| tokens[name].word());
    Some((name.unwrap_or_default().to_owned(), index))
}

/// `val name by lazy {`, `var name: T {`: outside of functions, what the block computes bears the property's name.
fn property(tokens: &[Token<'_>], place: &Place<'_>, openers: &[&str]) -> Found {
    if place.in_function() {
        return None;
    }
    let index = last_outside(tokens, openers)?;
    if makes_type(&tokens[index..]) {
        return None;
    }
    let name = match tokens[index].word()? {
        word @ "subscript" => word,
        _ => tokens[index + 1..].iter().find_map(Token::word)?,
    };
    Some((name.to_owned(), index))
}

fn makes_type(tokens: &[Token<'_>]) -> bool {
    let is_one = |token: &Token<'_>| token.word().is_some_and(|word| TYPES.contains(&word));
    tokens.iter().any(is_one)
}

/// The first token of the line that holds `index`.
fn line_start(tokens: &[Token<'_>], index: usize) -> usize {
    let opens = (0..=index).rev().find(|&i| tokens[i].opens_line);
    opens.unwrap_or(0)
}

/// The last of some words that stands outside of brackets.
fn last_outside(tokens: &[Token<'_>], words: &[&str]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut found = None;
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Mark(b'(' | b'[') => depth += 1,
            TokenKind::Mark(b')' | b']') => depth = depth.saturating_sub(1),
            TokenKind::Word(word) if depth == 0 && words.contains(&word) => found = Some(index),
            _ => {}
        }
    }
    found
}
