//! What a function gives back that is named after a secret: `getPassword() { return "…" }`, in its line or in those below.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::argument::kind_at_end;
use crate::assigned::{literal_of, near_before, near_behind};
use crate::calls::{is_called, is_noun};
use crate::dialect::compile_pattern;
use crate::literal::joined_literals;
use crate::named::{NameKind, kind_of_name};
use crate::value::is_chosen_value;
use crate::words::words_of_name;

/// The head of a function.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FunctionHead {
    /// Where its body begins.
    body: usize,
    /// Whether its last expression is what it gives back.
    is_bare: bool,
}

/// How a function gives its value back, where its body stands in the lines below. None: it is no such function.
pub(crate) fn opens_function(line: &str, name: &Range<usize>) -> Option<bool> {
    let head = head_of_function(line, name)?;
    let is_open = line[head.body..]
        .trim_matches(['{', '(', ' ', '\t'])
        .is_empty();
    is_open.then_some(head.is_bare)
}

/// The parts of what a function gives back that stands in one line.
pub(crate) fn returned_in_line(line: &str, name: &Range<usize>) -> Option<Vec<Range<usize>>> {
    let head = head_of_function(line, name)?;
    let at = head.body + line[head.body..].len()
        - line[head.body..]
            .trim_start_matches(['{', '(', ' ', '\t'])
            .len();
    returned_at(line, at, head.is_bare)
}

/// The parts of what a line of a body gives back.
pub(crate) fn returned_value(line: &str, is_bare: bool) -> Option<Vec<Range<usize>>> {
    let at = line.len() - line.trim_start().len();
    let is_end = |parts: &Vec<Range<usize>>| {
        let end = parts.last().map_or(0, |last| last.end);
        !line[end..].trim_end().ends_with([',', '{'])
    };
    returned_at(line, at, is_bare).filter(is_end)
}

/// `return "…"`, and `"…"` by itself.
fn returned_at(line: &str, at: usize, is_bare: bool) -> Option<Vec<Range<usize>>> {
    let text = &line[at..];
    let value = text
        .strip_prefix("return")
        .filter(|text| text.starts_with([' ', '(']));
    let value = value
        .or_else(|| Some(text).filter(|text| is_bare && text.starts_with(['"', '\'', '`'])))?;
    let found = joined_literals(line, line.len() - value.len(), literal_of)
        .into_iter()
        .next()?;
    let is_due = found.may_be_secret(line) && is_chosen_value(&found.text(line));
    let is_code = found.parts.iter().any(|part| is_called(line, part));
    (is_due && !is_code).then_some(found.parts)
}

/// The head of a function that is named after a secret, and is no call.
fn head_of_function(line: &str, name: &Range<usize>) -> Option<FunctionHead> {
    let before = near_before(line, name.start);
    let is_declared = before.trim_end().len() < before.len() || before.is_empty();
    let text = &line[name.clone()];
    if !is_declared || is_control(before) || !gives_secret(text) {
        return None;
    }
    let has = |word: &str| before.split([' ', '\t']).any(|one| one == word);
    let behind = near_behind(line, name.end);
    if has("def") && behind.trim().is_empty() {
        return Some(FunctionHead {
            body: line.len(),
            is_bare: true,
        });
    }
    let found = HEAD.as_ref()?.captures(behind)?;
    let group = |name: &str| found.name(name).map(|group| group.as_str());
    let (is_assigned, sign) = (
        group("assigned").is_some(),
        group("sign").unwrap_or_default(),
    );
    let is_end = found.get(0)?.end() == behind.len();
    let is_typed = before.trim_start().contains(' ');
    let is_head = match sign.as_bytes() {
        [] => is_end && is_typed && !is_assigned,
        [b':'] => has("def"),
        [b'='] => has("fun") || has("def"),
        [b'=', b'>', ..] => is_assigned || is_typed,
        _ => true,
    };
    let is_bare = sign.starts_with('=')
        || ["fn", "fun", "func"].iter().any(|word| has(word))
        || (has("def") && sign != ":");
    let body = name.end + found.get(0)?.end();
    is_head.then_some(FunctionHead { body, is_bare })
}

/// Behind the name of a function: what makes it one, what it is given, its type, and the sign before its body.
static HEAD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile_pattern(concat!(
        r#"^(?P<assigned>[ \t]*[:=][ \t]*(?:async[ \t]+)?(?:function[ \t]*[A-Za-z_]*[ \t]*)?)?"#,
        r#"\([^()"'`]{0,160}\)(?:[ \t]*\([A-Za-z0-9_.*, \[\]]{1,80}\)|[ \t]*(?:->|:)?[ \t]*[&*A-Za-z_\[][A-Za-z0-9_<>\[\]&'*.?,| ]{0,60}?)?[ \t]*"#,
        r#"(?P<sign>=>|[={:]|$)[ \t]*"#
    ))
    .ok()
});

/// Whether what stands before a name makes it a call in a condition, or an object of a class.
fn is_control(before: &str) -> bool {
    const WORDS: [&str; 16] = [
        "if", "while", "for", "switch", "match", "else", "elif", "unless", "until", "case",
        "catch", "with", "when", "new", "return", "await",
    ];
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    before
        .split(|c| !is_word(c))
        .any(|word| WORDS.contains(&word))
}

/// Whether a function of this name gives a secret back: it is called so, or gets, loads or makes one.
fn gives_secret(name: &str) -> bool {
    const VERBS: [&str; 13] = [
        "get", "fetch", "load", "read", "default", "provide", "resolve", "retrieve", "current",
        "make", "create", "self", "the",
    ];
    let words = words_of_name(name);
    let heads = &words[..words.len().saturating_sub(1)];
    let is_due = heads.first().is_none_or(|first| {
        VERBS.contains(&first.as_str())
            || is_noun(first)
            || kind_of_name(&heads.join("_")).is_some()
    });
    let is_secret = |kind| matches!(kind, NameKind::Secret | NameKind::Perhaps);
    is_due && kind_at_end(name).is_some_and(is_secret)
}
