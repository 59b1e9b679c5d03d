//! Literals beside the name of a secret among what a call is given: `strcmp(password, "…")`, `password.equals("…")`,
//! `"…".equals(password)`. Whatever the call is named, it compares the one with the other, or makes it so.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::assigned::{literals_of, near_before};
use crate::beside_name::last_word;
use crate::calls::is_conversion;
use crate::dialect::compile_pattern;
use crate::literal::key_at_head;
use crate::named::{NameKind, kind_of_name};
use crate::steps::looked_at;
use crate::value::{MIN_DRAWN, is_drawn_value};
use crate::words::words_of_name;

/// The most bytes that are read of one call.
const MAX_CALL: usize = 512;

/// The most brackets around a name that are looked through: `f([]byte(password), …)`.
const MAX_DEPTH: usize = 4;

/// The fewest signs of a value beside a name that others have as well: `token`.
const MIN_PERHAPS: usize = 16;

/// The drawn literals that stand beside a name in a call, in the order of the line, and the secret's own name: that of
/// `password.equals` is `password`.
pub(crate) fn literals_beside(
    line: &str,
    name: &Range<usize>,
) -> Option<(Vec<Range<usize>>, Range<usize>)> {
    let (own, kind) = own_name(line, name)?;
    let least = match kind {
        NameKind::Secret => MIN_DRAWN,
        NameKind::Perhaps | NameKind::Key => MIN_PERHAPS,
        NameKind::Described => return None,
    };
    let mut found = literals_of_method(line, name);
    found.extend(literals_of_call(line, name));
    let is_value = |place: &Range<usize>| {
        let value = &line[place.clone()];
        value.len() >= least && is_drawn_value(value) && !is_message(value)
    };
    found.retain(is_value);
    Some((found, own))
}

/// Whether a literal is bytes that are written as escapes, or words around the places of what is printed: `Unknown-%d`.
fn is_message(value: &str) -> bool {
    static PLACE: LazyLock<Option<Regex>> =
        LazyLock::new(|| compile_pattern(r"%[-+#0-9.]*[hljztL]{0,2}[A-Za-z]").ok());
    let is_format = |place: &Regex| {
        let rest = place.replace_all(value, "");
        rest.len() < value.len() && !rest.bytes().any(|b| b.is_ascii_digit())
    };
    value.starts_with('\\') || PLACE.as_ref().is_some_and(is_format)
}

/// The part of a name that is a secret's, and what it says: all of it, or what it is a method of.
fn own_name(line: &str, name: &Range<usize>) -> Option<(Range<usize>, NameKind)> {
    let text = &line[name.clone()];
    let owner = text.rsplit_once('.').map(|(owner, _)| owner);
    let mut names = [Some(text), owner].into_iter().flatten();
    names.find_map(|own| Some((name.start..name.start + own.len(), kind_at_end(own)?)))
}

/// What a name says of its value if its last word says so: `user.password`, but not `passwordService`.
pub(crate) fn kind_at_end(name: &str) -> Option<NameKind> {
    let last = name.rsplit('.').next().unwrap_or(name);
    let words = words_of_name(last);
    let word = words.last()?;
    let is_end = kind_of_name(word).is_some() || word.starts_with("key");
    kind_of_name(last).filter(|_| is_end)
}

/// What a method of the name is given: `password.equals("…")`, `get("password") == …`, `expect(password).toBe("…")`.
fn literals_of_method(line: &str, name: &Range<usize>) -> Vec<Range<usize>> {
    static METHOD: LazyLock<Option<Regex>> = LazyLock::new(|| {
        compile_pattern(concat!(
            r#"^(?:["']?[)\]]){0,3}"#,
            r"(?:\(\)|(?:\?\.|!{0,2}\.|->)[A-Za-z_][A-Za-z0-9_]*[!?]?){0,6}\("
        ))
        .ok()
    });
    let behind = looked_at(&line[name.end..line.floor_char_boundary(name.end + MAX_CALL)]);
    let Some(found) = METHOD.as_ref().and_then(|method| method.find(behind)) else {
        return Vec::new();
    };
    // `password("…")` is a call that is named so.
    let has_method = found.as_str().contains(['.', '>'])
        || line[name.clone()]
            .rsplit_once('.')
            .is_some_and(|(owner, method)| {
                kind_at_end(owner).is_some() && kind_of_name(method).is_none()
            });
    let texts = arguments_at(line, name.end + found.end());
    let texts = texts.into_iter().filter(|_| has_method);
    texts.flat_map(|text| literals_at(line, &text)).collect()
}

/// What the call is given of which the name is an argument, and what it is a method of.
fn literals_of_call(line: &str, name: &Range<usize>) -> Vec<Range<usize>> {
    let Some((open, callee)) = call_around(line, name) else {
        return Vec::new();
    };
    let texts = arguments_at(line, open + 1);
    let is_own = |text: &Range<usize>| text.start <= name.start && name.end <= text.end;
    let is_bare = |text: &Range<usize>| is_own(text) && is_bare_name(&line[text.clone()]);
    if !texts.iter().any(is_bare) {
        return Vec::new();
    }
    let others = texts.iter().filter(|text| !is_own(text));
    let mut found: Vec<_> = others.flat_map(|text| literals_at(line, text)).collect();
    found.extend(literal_before(line, callee));
    found
}

/// Where the bracket opens of the call that is given a name, and where the call's own name begins. Conversions and
/// look-ups are looked through: `[]byte(password)`, `get("password")`.
fn call_around(line: &str, name: &Range<usize>) -> Option<(usize, usize)> {
    let before = near_before(line, name.start);
    let offset = name.start - before.len();
    let mut depth = 0_usize;
    let mut opened = 0_usize;
    for (at, byte) in before.bytes().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' if depth > 0 => depth -= 1,
            b'(' => {
                opened += 1;
                let callee = last_word(&before[..at]);
                let is_lookup = before[at + 1..].trim_start() == "\"" || &before[at + 1..] == "'";
                if !is_conversion(callee) && !is_lookup {
                    let start = offset + at - callee.len();
                    return (!callee.is_empty()).then_some((offset + at, start));
                }
                if opened == MAX_DEPTH {
                    return None;
                }
            }
            b';' | b'{' | b'}' => return None,
            _ => {}
        }
    }
    None
}

/// Whether an argument is nothing but what has a name: `$password`, `req.body.password`, `get("password")`.
fn is_bare_name(text: &str) -> bool {
    let text = text.trim();
    let text = key_at_head(text).map_or(text, |(_, value)| value);
    let is_sign = |c: char| c.is_ascii_alphanumeric() || "_$@&*.:?!->()[]\"'".contains(c);
    // What stands in quotes by itself is a text.
    text.chars().all(is_sign) && !text.starts_with(['"', '\''])
}

/// The literals that an argument is.
fn literals_at(line: &str, text: &Range<usize>) -> Vec<Range<usize>> {
    let inner = line[text.clone()].trim_start();
    let inner = key_at_head(inner).map_or(inner, |(_, value)| value);
    let at = inner.as_ptr() as usize - line.as_ptr() as usize;
    let mut found = literals_of(line, at);
    found.retain(|literal| literal.end <= text.end);
    found
}

/// The literal that a call is a method of, whose name begins at a place: `"…".equals(`.
fn literal_before(line: &str, callee: usize) -> Option<Range<usize>> {
    let before = near_before(line, callee);
    let is_method = line[callee..].starts_with(['.', '?', '-']);
    let quote = before.chars().next_back().filter(|c| "\"'`".contains(*c));
    let quote = quote.filter(|_| is_method)?;
    let inner = before.strip_suffix(quote)?;
    let start = inner.rfind(quote)? + 1;
    let offset = callee - before.len();
    Some(offset + start..offset + inner.len())
}

/// The arguments of a call whose bracket opens before a place, each with the blanks around it.
fn arguments_at(line: &str, start: usize) -> Vec<Range<usize>> {
    let text = looked_at(&line[start..line.floor_char_boundary(start + MAX_CALL)]);
    let (mut depth, mut begin) = (0_usize, start);
    let (mut quote, mut is_escaped) = (None, false);
    let mut found = Vec::new();
    for (at, c) in text.char_indices() {
        let at = start + at;
        match (quote, c) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(open), _) if open == c => quote = None,
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') if depth > 0 => depth -= 1,
            (None, ',') if depth == 0 => {
                found.push(begin..at);
                begin = at + 1;
            }
            (None, ')' | ']' | '}') => {
                found.push(begin..at);
                break;
            }
            _ => {}
        }
    }
    found
}
