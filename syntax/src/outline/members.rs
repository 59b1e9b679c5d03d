//! Heads that no keyword opens: definitions of C, members of Java, C# and Dart.

use super::heads::{Head, Place, closing, groups, is_control, opening};
use super::tokens::{Token, TokenKind};
use crate::language::Language;

/// A definition of C: brackets behind a name, nothing assigned.
pub(super) fn c(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let first = tokens.first()?;
    if first.word() == Some("typedef") {
        return None;
    }
    if is_assigned(tokens) {
        return lambda(tokens);
    }
    if let Some(operator) = outside(tokens, "operator") {
        return Some(("operator".to_owned(), operator));
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

/// Objective-C: `- (int)name:(int)a with:(id)b {`, with the mark that it begins with.
pub(super) fn objective_c(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let is_begin = |&i: &usize| tokens[i].opens_line && (tokens[i].is(b'-') || tokens[i].is(b'+'));
    let start = (0..tokens.len()).rev().find(is_begin)?;
    tokens.get(start + 1).filter(|token| token.is(b'('))?;
    let close = closing(tokens, start + 1)?;
    Some((tokens.get(close + 1)?.word()?.to_owned(), start))
}

/// C++: `auto name = [](int x) {`.
fn lambda(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let (before, ..) = groups(tokens).pop()?;
    let captures = before.filter(|&before| tokens[before].is(b']'))?;
    let equals = opening(tokens, captures, (b'[', b']'))?.checked_sub(1)?;
    let name = tokens[equals].is(b'=').then(|| equals.checked_sub(1))??;
    Some((tokens[name].word()?.to_owned(), name))
}

/// C++: whether the initializers of a constructor stand before the braces: `A() : x{1}, y{2} {`.
pub(super) fn initializes(tokens: &[Token<'_>]) -> bool {
    let opens = |i: &usize| {
        let before = &tokens[i - 1];
        tokens[*i].is(b':')
            && (before.is(b')') || before.word() == Some("noexcept"))
            && !tokens.get(i + 1).is_some_and(|token| token.is(b':'))
    };
    let Some(colon) = (1..tokens.len()).find(opens) else {
        return false;
    };
    // A ternary and a label have no initializers.
    !tokens[..colon]
        .iter()
        .any(|token| token.is(b'?') || token.word() == Some("case"))
}

/// The head of a definition in C's old style, `int f(a, b) int a; char *b; {`: `tokens` are all before the `{`.
pub(super) fn old_style(tokens: &[Token<'_>]) -> Option<Head> {
    const MOST: usize = 200;
    let declares = |token: &Token<'_>| match token.kind {
        TokenKind::Word(_) => !is_control(token),
        TokenKind::Mark(mark) => matches!(mark, b';' | b'*' | b',' | b'[' | b']'),
        TokenKind::Literal => true,
        TokenKind::Arrow => false,
    };
    let from = tokens.len().saturating_sub(MOST);
    let close = (from..tokens.len())
        .rev()
        .find(|&i| !declares(&tokens[i]))?;
    if !tokens[close].is(b')') || !tokens.get(close + 1)?.opens_line {
        return None;
    }
    let open = opening(tokens, close, (b'(', b')')).filter(|open| open + 1 < close)?;
    let are_names = tokens[open + 1..close]
        .iter()
        .all(|token| token.word().is_some() || token.is(b','));
    let name = open.checked_sub(1)?;
    let word = tokens[name]
        .word()
        .filter(|_| are_names && !is_control(&tokens[name]))?;
    let typed = |i: &usize| tokens[*i].word().is_some() || tokens[*i].is(b'*');
    let start = (0..name).rev().take_while(typed).last().unwrap_or(name);
    Some(Head::Function {
        name: word.to_owned(),
        start: tokens[start].line,
        line: tokens[name].line,
    })
}

/// Where a word stands outside of round brackets.
fn outside(tokens: &[Token<'_>], word: &str) -> Option<usize> {
    let mut depth = 0_usize;
    tokens.iter().position(|token| {
        match token.kind {
            TokenKind::Mark(b'(') => depth += 1,
            TokenKind::Mark(b')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && token.word() == Some(word)
    })
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
pub(super) fn member(
    language: Language,
    tokens: &[Token<'_>],
    place: &Place<'_>,
) -> Option<(String, usize)> {
    if !place.in_function()
        && let Some(found) = without_brackets(language, tokens, place)
    {
        return Some(found);
    }
    let tokens = match language {
        Language::CSharp => without_clauses(tokens),
        _ => tokens,
    };
    let forbidden = [
        "new",
        "return",
        "throw",
        "record",
        "class",
        "interface",
        "enum",
        "struct",
    ];
    if is_assigned(tokens) || forbidden.iter().any(|word| outside(tokens, word).is_some()) {
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
        // Java: `int f()[]`
        Some(None) => tokens[close + 1].is(b'['),
    };
    if !ends || is_control(&tokens[index]) {
        return None;
    }
    let qualified = match language {
        Language::CSharp => qualified_start(tokens, index),
        _ => index,
    };
    let typed = qualified.checked_sub(1).is_some_and(|before| {
        let is_type = tokens[before].word().is_some()
            || [b'>', b']', b'?', b'*']
                .iter()
                .any(|mark| tokens[before].is(*mark))
            || is_tuple(language, tokens, before);
        is_type && !is_annotation_end(tokens, before)
    });
    let constructs = place.type_name() == Some(name);
    (typed || constructs || language == Language::Dart).then(|| (name.to_owned(), index))
}

/// A head of C# without what may follow its parameters: `where T : class`, `: base(x)`.
fn without_clauses<'a, 't>(tokens: &'a [Token<'t>]) -> &'a [Token<'t>] {
    let is_clause = |index: &usize| {
        let closes = tokens[index - 1].is(b')') || tokens[index - 1].is(b'>');
        closes && tokens[*index].word() == Some("where")
            || tokens[index - 1].is(b')') && tokens[*index].is(b':')
    };
    let outermost = groups(tokens);
    let is_outside = |index: &usize| {
        !outermost
            .iter()
            .any(|(_, open, close)| (*open..*close).contains(index))
    };
    let end = (1..tokens.len()).find(|index| is_clause(index) && is_outside(index));
    &tokens[..end.unwrap_or(tokens.len())]
}

/// Where a name begins that names its interface, too: `IFoo<T>.F`.
fn qualified_start(tokens: &[Token<'_>], name: usize) -> usize {
    let mut start = name;
    while start > 1 && tokens[start - 1].is(b'.') {
        let part = match tokens[start - 2].is(b'>') {
            true => opening(tokens, start - 2, (b'<', b'>')).and_then(|open| open.checked_sub(1)),
            false => Some(start - 2),
        };
        match part.filter(|part| tokens[*part].word().is_some()) {
            Some(part) => start = part,
            None => break,
        }
    }
    start
}

/// Whether the type of C# that ends here is a tuple: `(int A, string B) F()`.
fn is_tuple(language: Language, tokens: &[Token<'_>], close: usize) -> bool {
    let open = (language == Language::CSharp && tokens[close].is(b')'))
        .then(|| opening(tokens, close, (b'(', b')')))
        .flatten();
    let Some(open) = open else {
        return false;
    };
    let holds_several = tokens[open..close].iter().any(|token| token.is(b','));
    holds_several
        && !open
            .checked_sub(1)
            .is_some_and(|before| is_control(&tokens[before]))
}

/// Outside of functions: a lambda that a field holds, a block that initializes a class, an accessor, an operator.
fn without_brackets(
    language: Language,
    tokens: &[Token<'_>],
    place: &Place<'_>,
) -> Option<(String, usize)> {
    let last = tokens.len().checked_sub(1)?;
    let word = tokens[last].word();
    let found = match language {
        _ if tokens[last].kind == TokenKind::Arrow => {
            let equals = tokens.iter().position(|token| token.is(b'='));
            let name = equals.and_then(|equals| equals.checked_sub(1));
            return Some(
                match name.and_then(|name| Some((name, tokens[name].word()?))) {
                    Some((name, word)) => (word.to_owned(), name),
                    None => (String::new(), last),
                },
            );
        }
        // `static {`; `public P {`, the short constructor of a record
        Language::Java if place.among_members => {
            let is_plain = !is_assigned(tokens) && tokens.iter().all(|token| !token.is(b','));
            let constructs = word.is_some() && word == place.type_name();
            word == Some("static") || constructs && is_plain && !makes_type(tokens)
        }
        Language::CSharp if matches!(word, Some("get" | "set" | "init" | "add" | "remove")) => {
            return Some((String::new(), last));
        }
        Language::CSharp => {
            let operator = outside(tokens, "operator")?;
            return Some(("operator".to_owned(), operator));
        }
        // `int get name {`
        Language::Dart => {
            let getter = outside(tokens, "get")?;
            let name = tokens.get(getter + 1)?.word()?;
            return Some((name.to_owned(), getter + 1));
        }
        _ => false,
    };
    found.then(|| (word.unwrap_or_default().to_owned(), last))
}

fn makes_type(tokens: &[Token<'_>]) -> bool {
    let words = ["class", "interface", "enum", "record"];
    words.iter().any(|word| outside(tokens, word).is_some())
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
