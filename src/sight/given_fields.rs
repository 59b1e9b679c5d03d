//! Fields that get their value where a value of their type is made: in Python a field's default is what `__init__` sets,
//! in Go and Rust what stands in `Config { … }`, in C what an `init` function sets.

use std::collections::{BTreeMap, BTreeSet};

use council_syntax::language::Language;
use council_syntax::outline::FunctionSpan;

use super::definitions::DefinitionKind;
use super::own_fields::FieldOwners;
use super::read_side::ReadSide;
use super::value_types::type_of_word;
use super::words::{self, is_name};

/// The values that fields are given, by field and type.
type GivenValues = BTreeMap<(String, String), BTreeSet<String>>;

/// The fields that a change gives another value than before, or none.
pub(super) fn regiven_fields(before: &ReadSide<'_>, now: &ReadSide<'_>) -> FieldOwners {
    let given = given_values(now);
    let mut found = FieldOwners::new();
    for (key, values) in given_values(before) {
        if given.get(&key) != Some(&values) {
            found.entry(key.0).or_default().insert(key.1);
        }
    }
    found
}

/// The methods that do nothing but tell one of these fields: `getRetries()`, `retries()`, each with its types.
pub(super) fn telling_methods(now: &ReadSide<'_>, fields: &FieldOwners) -> FieldOwners {
    const MAX_LINES: usize = 5;
    let outline = &now.outline;
    let mut found = FieldOwners::new();
    let short = outline.functions.iter();
    for span in short.filter(|one| !one.name.is_empty() && one.end - one.head < MAX_LINES) {
        let Some(owner) = outline.owner_of(now.text, span) else {
            continue;
        };
        let is_told = |(field, owners): (&String, &BTreeSet<String>)| {
            owners.contains(&owner) && is_called_after(&span.name, field)
        };
        if fields.iter().any(is_told) {
            found.entry(span.name.clone()).or_default().insert(owner);
        }
    }
    found
}

/// Whether a method has the name of a field, `get` or `is` before it.
fn is_called_after(method: &str, field: &str) -> bool {
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let (method, field) = (plain(method), plain(field));
    let mut told = ["", "get", "is"].iter();
    told.any(|begin| method.strip_prefix(begin) == Some(field.as_str()))
}

fn given_values(side: &ReadSide<'_>) -> GivenValues {
    let mut found = GivenValues::new();
    for &line in &side.lines {
        let around = side.outline.functions_around(line);
        let Some(span) = around.max_by_key(|span| span.head) else {
            continue;
        };
        let given = match side.outline.language() {
            Language::Go | Language::Rust => listed_fields(side, line, span),
            Language::C => set_through_parameter(side, line, span)
                .into_iter()
                .collect(),
            _ => set_in_constructor(side, line, span).into_iter().collect(),
        };
        for (field, owner, value) in given {
            let value: String = value.split_whitespace().collect();
            found.entry((field, owner)).or_default().insert(value);
        }
    }
    found
}

/// A field, its type, and the value that it is given.
type GivenField<'t> = (String, String, &'t str);

/// `self.backoff = 0.5`, `this.retries = 3;`, `@limit = 3` where the type is made.
fn set_in_constructor<'s>(
    side: &'s ReadSide<'_>,
    line: u32,
    span: &FunctionSpan,
) -> Option<GivenField<'s>> {
    const OWN: [&str; 5] = ["self.", "this.", "this->", "$this->", "@"];
    let owner = side.outline.owner_of(side.text, span)?;
    if !words::is_constructor(&span.name, &owner) && span.name != "init" {
        return None;
    }
    let code = side.outline.without_comment(line).trim_start();
    let target = OWN.iter().find_map(|own| code.strip_prefix(own))?;
    let (field, value) = assigned(target)?;
    Some((field.to_owned(), owner, value))
}

/// `c->buf = malloc(64);` in a function that is called like one that makes or readies a value.
fn set_through_parameter<'s>(
    side: &'s ReadSide<'_>,
    line: u32,
    span: &FunctionSpan,
) -> Option<GivenField<'s>> {
    const MAKING: [&str; 7] = ["init", "new", "create", "alloc", "open", "setup", "make"];
    let name = span.name.to_lowercase();
    if !MAKING.iter().any(|word| name.contains(word)) {
        return None;
    }
    let code = side.outline.without_comment(line).trim_start();
    let (holder, target) = code.split_once("->").or_else(|| code.split_once('.'))?;
    let (field, value) = assigned(target)?;
    let is_word = !holder.is_empty() && holder.chars().all(is_name);
    let typed = type_of_word(&side.outline, side.text, line, holder).filter(|_| is_word)?;
    Some((field.to_owned(), typed.to_owned(), value))
}

/// The name that a text begins with, and what it is set to.
fn assigned(code: &str) -> Option<(&str, &str)> {
    let end = code.find(|c| !is_name(c))?;
    let behind = code[end..].trim_start();
    // `self.seen: dict = {}`
    let set = match behind.strip_prefix(':') {
        Some(typed) => typed.split_once('=').map(|(_, value)| value),
        None => behind.strip_prefix('='),
    };
    let value = set.filter(|value| end > 0 && !value.starts_with(['=', '>']))?;
    Some((&code[..end], value))
}

/// The fields that a line gives to a value of a type of the file: `Config{Addr: a, Workers: 4}`.
fn listed_fields<'s>(
    side: &'s ReadSide<'_>,
    line: u32,
    span: &FunctionSpan,
) -> Vec<GivenField<'s>> {
    let code = side.outline.without_comment(line);
    let places = code.match_indices(':').map(|(at, _)| at);
    let fields = places.filter_map(|at| {
        let field = code[..at].rsplit(|c| !is_name(c)).next()?;
        let before = code[..at - field.len()].trim_end();
        let is_listed = before.is_empty() || before.ends_with(['{', ',']);
        let is_path = code[at + 1..].starts_with([':', '=']);
        let typed = (is_listed && !is_path && !field.is_empty())
            .then(|| listed_type(side, line, at, span))
            .flatten()?;
        Some((field.to_owned(), typed, value_of(&code[at + 1..])))
    });
    fields.collect()
}

/// What stands before the next comma, or before the bracket that closes the list.
fn value_of(code: &str) -> &str {
    let mut depth = 0_usize;
    let end = code.find(|c| match c {
        '(' | '[' | '{' => {
            depth += 1;
            false
        }
        ')' | ']' | '}' if depth > 0 => {
            depth -= 1;
            false
        }
        c => depth == 0 && ",)]}".contains(c),
    });
    &code[..end.unwrap_or(code.len())]
}

/// The type before the brace in which a place stands, where the file defines it.
fn listed_type(side: &ReadSide<'_>, line: u32, at: usize, span: &FunctionSpan) -> Option<String> {
    let (outline, mut depth) = (&side.outline, 0_usize);
    let first = u32::try_from(span.head).ok()?;
    for number in (first..=line).rev() {
        let code = outline.without_comment(number);
        let code = if number == line { &code[..at] } else { code };
        for (place, sign) in code.char_indices().rev() {
            match sign {
                ')' | ']' | '}' => depth += 1,
                '(' | '[' | '{' if depth > 0 => depth -= 1,
                '{' => {
                    let typed = code[..place].trim_end().rsplit(|c| !is_name(c)).next()?;
                    let own = (typed == "Self").then(|| outline.owner_of(side.text, span));
                    let named = || is_type(side, typed).then(|| typed.to_owned());
                    return own.flatten().or_else(named);
                }
                '(' | '[' => return None,
                _ => {}
            }
        }
    }
    None
}

fn is_type(side: &ReadSide<'_>, name: &str) -> bool {
    let mut types = side.outline.definitions.iter();
    types.any(|one| one.kind == DefinitionKind::Type && one.name == name)
}
