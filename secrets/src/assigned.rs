//! The literal that a name gets, however a language writes it: see `value.rs` for the principle.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::argument::literals_beside;
use crate::bare_value::bare_value;
use crate::beside_name::open_call;
use crate::calls::{is_called, is_conversion, is_lookup, is_pair_call, takes_password};
use crate::dialect::compile_pattern;
use crate::element::element_texts;
use crate::given_pair::given_value;
use crate::literal::{
    JoinedLiteral, Literal, joined_literals, key_at_head, literal_at, paired_literals,
};
use crate::matcher::{PLACEHOLDER, SecretShape};
use crate::name_words::letters_of_names;
use crate::named::kind_of_name;
use crate::nested_key::nested_keys;
use crate::public_value::is_of_public_value;
use crate::returned_value::returned_in_line;
use crate::steps::looked_at;
use crate::value::{MIN_DRAWN, is_drawn_value, is_secret_value};
use crate::word_finder::WordFinder;

/// The kind of what is found, and of the row of the table that speaks of it.
pub(crate) const KIND: &str = "secret";

/// The most bytes that are read for one name: the time must grow with the length of a line, not with its square.
pub(crate) const MAX_NEAR: usize = 512;

/// A value and the name that gets it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AssignedValue {
    pub(crate) value: Range<usize>,
    pub(crate) name: Range<usize>,
    pub(crate) shape: SecretShape,
    /// The whole value, of which this may be a part.
    pub(crate) text: String,
}

/// What the names of secrets get in a line, where it is secret.
pub(crate) fn assigned_secrets(line: &str) -> Vec<AssignedValue> {
    let mut found: Vec<AssignedValue> = Vec::new();
    for name in names_of(line) {
        let (values, shape) = values_of_name(line, &name);
        for parts in values {
            push_secret(
                &mut found,
                line,
                &parts,
                (&name, &line[name.clone()]),
                shape,
            );
        }
        push_literals(&mut found, line, &name);
    }
    for (parent, name) in nested_keys(line) {
        let says = format!("{}.{}", &line[parent.clone()], &line[name.clone()]);
        // Without a kind, any value would count: that is for places made for a secret.
        let is_secret = kind_of_name(&says).is_some();
        let (values, shape) = values_of_name(line, &name);
        for parts in values.into_iter().filter(|_| is_secret) {
            push_secret(&mut found, line, &parts, (&parent, &says), shape);
        }
    }
    for (name, value) in paired_literals(line).into_iter().chain(element_texts(line)) {
        if kind_of_name(&line[name.clone()]).is_some() {
            let name = (&name, &line[name.clone()]);
            push_secret(&mut found, line, &[value], name, SecretShape::QuotedValue);
        }
    }
    found
}

/// The literals that stand beside a name in a call, or that a function of the name gives back.
fn push_literals(found: &mut Vec<AssignedValue>, line: &str, name: &Range<usize>) {
    let mut push = |parts: &[Range<usize>], name: &Range<usize>, says: &str| {
        push_secret(found, line, parts, (name, says), SecretShape::QuotedValue);
    };
    let (values, own) = literals_beside(line, name).unwrap_or_default();
    for value in &values {
        push(std::slice::from_ref(value), &own, &line[own.clone()]);
    }
    if let Some((value, says)) = given_value(line, name) {
        push(&[value], name, &says);
    }
    if let Some(parts) = returned_in_line(line, name) {
        push(&parts, name, &line[name.clone()]);
    }
}

/// The parts of a value, if they are a secret together.
fn push_secret(
    found: &mut Vec<AssignedValue>,
    line: &str,
    parts: &[Range<usize>],
    (name, says): (&Range<usize>, &str),
    shape: SecretShape,
) {
    const MOST_BEFORE: usize = 16;
    let Some(first) = parts.first() else {
        return;
    };
    let text: String = parts.iter().map(|part| &line[part.clone()]).collect();
    let is_known = found.iter().rev().take(MOST_BEFORE).any(|old| {
        let mut parts = parts.iter();
        parts.any(|part| old.value.start < part.end && part.start < old.value.end)
    });
    let is_secret = || is_secret_value(&text, near_before(line, first.start), says);
    let is_shown = || parts.len() == 1 && is_of_public_value(line, first);
    if is_known || text.contains(PLACEHOLDER) || !is_secret() || is_shown() {
        return;
    }
    found.extend(parts.iter().map(|part| AssignedValue {
        value: part.clone(),
        name: name.clone(),
        shape,
        text: text.clone(),
    }));
}

pub(crate) static LETTERS: LazyLock<Option<WordFinder>> =
    LazyLock::new(|| WordFinder::new(letters_of_names()).ok());

/// Whether a text of many lines has the letters of such a name in one of them.
pub(crate) fn may_hold_name(text: &str) -> bool {
    LETTERS
        .as_ref()
        .is_some_and(|letters| letters.for_text(text).is_match(text))
}

/// The names of secrets in a line.
pub(crate) fn names_of(line: &str) -> impl Iterator<Item = Range<usize>> {
    let found = LETTERS
        .iter()
        .flat_map(move |finder| finder.for_text(line).find_iter(looked_at(line)));
    let mut end = 0;
    found.filter_map(move |word| {
        // Of several words of one name the first one stands for it.
        if word.start() < end {
            return None;
        }
        let name = name_around(line, word.range());
        end = name.end;
        // What stands for a secret names its kind, and gets nothing.
        if line[..name.start].ends_with(PLACEHOLDER) || is_end_of_type(line, &name) {
            return None;
        }
        kind_of_name(&line[name.clone()])?;
        Some(name)
    })
}

/// Whether a name is the end of a type's path in quotes: `"AWS::IAM::AccessKey": "…"` is a table of types.
fn is_end_of_type(line: &str, name: &Range<usize>) -> bool {
    let before = near_before(line, name.start);
    if !before.ends_with("::") {
        return false;
    }
    let is_path = |c: char| c.is_ascii_alphanumeric() || c == ':';
    let path = before.trim_end_matches(is_path);
    path.ends_with(['"', '\''])
        && line[name.end..].starts_with(['"', '\''])
        && before.len() > path.len() + 2
}

/// The whole name that holds a word, an option's dashes left out; `API key` is one, too.
pub(crate) fn name_around(line: &str, word: Range<usize>) -> Range<usize> {
    let bytes = line.as_bytes();
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || b"_.-".contains(b);
    let before = bytes[..word.start].iter().rev().take_while(is_name).count();
    let behind = bytes[word.end..].iter().take_while(is_name).count();
    let mut start = word.start - before;
    let text = line[start..word.end + behind].trim_end_matches(['.', '-']);
    let end = start + text.len();
    const HEADS: [&str; 6] = [
        "api ", "access ", "private ", "secret ", "master ", "basic ",
    ];
    if text.eq_ignore_ascii_case("key") || text.eq_ignore_ascii_case("auth") {
        let is_head = |head: &&&str| {
            let from = start
                .checked_sub(head.len())
                .and_then(|from| line.get(from..start));
            from.is_some_and(|before| before.eq_ignore_ascii_case(head))
        };
        start -= HEADS.iter().find(is_head).map_or(0, |head| head.len());
    }
    let dashes = line[start..end].len() - line[start..end].trim_start_matches(['-', '.']).len();
    start + dashes..end
}

/// The end of what stands before a place.
pub(crate) fn near_before(line: &str, at: usize) -> &str {
    looked_at(&line[line.ceil_char_boundary(at.saturating_sub(MAX_NEAR))..at])
}

/// The head of what stands at a place and behind it.
pub(crate) fn near_behind(line: &str, at: usize) -> &str {
    looked_at(&line[at..line.floor_char_boundary(at + MAX_NEAR)])
}

/// What joins a name to the value behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joint {
    /// `=`, `:`, `=>`, with or without a type.
    Sign,
    /// A blank: `ENV NAME value`, `#define NAME "value"`.
    Blank,
    /// The bracket of a call that is named so: `password("…")`.
    Call,
    /// The comma of a call that is given a name and its value: `setattr(x, "password", "…")`.
    Pair,
    /// What is taken where nothing has the name: `ENV['PASSWORD'] || "…"`.
    Or,
}

/// The values that a name gets, each in its parts: one, or those of a list.
fn values_of_name(line: &str, name: &Range<usize>) -> (Vec<Vec<Range<usize>>>, SecretShape) {
    let Some((at, joint)) = behind_joint(line, name) else {
        return (Vec::new(), SecretShape::QuotedValue);
    };
    let mut quoted = joined_literals(line, at, literal_of);
    // Side by side, a name and a literal may be two words of a sentence, or a call and what it loads.
    let is_beside = |value: &JoinedLiteral| {
        let is_code = value
            .parts
            .iter()
            .any(|part| line[..part.start].ends_with('`'));
        !is_code && is_drawn_value(&value.text(line))
    };
    match joint {
        Joint::Blank => {
            let takes = takes_password(&line[name.clone()]);
            quoted.retain(|value| takes && is_beside(value));
        }
        Joint::Pair | Joint::Or => {
            quoted.truncate(1);
            quoted.retain(|value| value.text(line).len() >= MIN_DRAWN && is_beside(value));
        }
        Joint::Sign | Joint::Call => {}
    }
    if quoted.is_empty() {
        let bare = bare_value(line, name, at, joint);
        return (
            bare.into_iter().map(|value| vec![value]).collect(),
            SecretShape::BareValue,
        );
    }
    quoted.retain(|value| {
        value.may_be_secret(line) && !value.parts.iter().any(|part| is_called(line, part))
    });
    let values = quoted.into_iter().map(|value| value.parts);
    (values.collect(), SecretShape::QuotedValue)
}

/// The literals of an expression, within brackets and conversions alone.
pub(crate) fn literals_of(line: &str, at: usize) -> Vec<Range<usize>> {
    let found = joined_literals(line, at, literal_of).into_iter();
    found.flat_map(|found| found.parts).collect()
}

/// Where the text begins that an equals sign or a colon joins to a name.
pub(crate) fn behind_sign(line: &str, name: &Range<usize>) -> Option<usize> {
    let (at, joint) = behind_joint(line, name)?;
    (joint == Joint::Sign).then_some(at)
}

/// Where the text begins that a name is joined to, and how.
fn behind_joint(line: &str, name: &Range<usize>) -> Option<(usize, Joint)> {
    static JOINT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        // Behind the name: its quotes and brackets, its type, the sign; or the value of a pair, or of a variable.
        compile_pattern(concat!(
            r#"^(?:\\?["'`\]*]){0,4}[?!]?(?:\[[0-9]*\])?(?:"#,
            r#"(?:[ \t]*:[ \t]*|[ \t]+)"#,
            r#"(?:[&*A-Za-z_][&*A-Za-z0-9_<>\[\]'?.:| ]{0,40}?|\{[a-z; ]{0,20}\})[ \t]*(?::=|=)|"#,
            r#"[ \t]*(?::=|=>|->|===?|!==?|[?|+:]{0,2}=|:)|"#,
            r#"[ \t]*,[ \t]*["']?(?:[Pp]arameter)?[Vv]alue["']?[ \t]*[:=]|"#,
            r#"[ \t]*\{[^{}]{0,200}\bdefault[ \t]*="#,
            r#")(?:\*{1,2}[ \t])?[ \t]*"#
        ))
        .ok()
    });
    let rest = near_behind(line, name.end);
    if let Some(found) = JOINT.as_ref()?.find(rest) {
        // `a::b` is a path, `x ? a : b` no key.
        let is_path = rest[found.end()..].starts_with(':') || begins_attribute(rest);
        return (!is_path).then_some((name.end + found.end(), Joint::Sign));
    }
    if let Some(value) = value_instead(rest) {
        return Some((name.end + rest.len() - value.len(), Joint::Or));
    }
    let closed = rest.trim_start_matches(['"', '\'', '*', '`']);
    let is_taken = || takes_password(&line[name.clone()]);
    if closed.len() == rest.len() && rest.starts_with('(') {
        return is_taken().then_some((name.end + 1, Joint::Call));
    }
    if let Some(value) = paired_value(&line[..name.start], closed) {
        return Some((name.end + rest.len() - value.len(), Joint::Pair));
    }
    let text = closed.trim_start_matches([' ', '\t']);
    let is_apart = text.len() < closed.len();
    is_apart.then_some((name.end + rest.len() - text.len(), Joint::Blank))
}

/// Whether a name ends a literal behind which another attribute begins, which no secret is given in:
/// `type="password" placeholder="…"`.
fn begins_attribute(behind: &str) -> bool {
    const ATTRIBUTES: [&str; 16] = [
        "placeholder",
        "authorities",
        "roles",
        "class",
        "id",
        "title",
        "label",
        "alt",
        "integrity",
        "href",
        "src",
        "autocomplete",
        "pattern",
        "type",
        "rel",
        "form",
    ];
    let closed = behind.trim_start_matches(['"', '\'']);
    let attribute = closed.trim_start_matches([' ', '\t']);
    let name = attribute.split_once('=').map(|(name, _)| name);
    closed.len() < behind.len()
        && attribute.len() < closed.len()
        && name.is_some_and(|name| ATTRIBUTES.contains(&name))
}

/// What stands behind a name that is looked up, and behind the sign that says what is taken instead.
fn value_instead(behind: &str) -> Option<&str> {
    static OR: LazyLock<Option<Regex>> = LazyLock::new(|| {
        compile_pattern(concat!(
            r#"^(?:\\?["'`])?[)\]]{0,2}[ \t]*(?:\|\||\?\?|\?:|\bor\b)[ \t]*"#,
            r#"(["'`].*)$"#
        ))
        .ok()
    });
    let found = OR.as_ref()?.captures(behind)?.get(1)?;
    Some(found.as_str())
}

/// What a call is given behind a name, and behind the letter that stands for it.
fn paired_value<'l>(before: &str, behind: &'l str) -> Option<&'l str> {
    let value = behind.trim_start().strip_prefix(',')?.trim_start();
    let short = value
        .get(..3)
        .filter(|text| text.ends_with(['"', '\'']) && text.starts_with(['"', '\'']));
    let value = match short {
        Some(_) => value[3..].trim_start().strip_prefix(',')?.trim_start(),
        None => value,
    };
    let before = near_before(before, before.len());
    let (callee, _) = open_call(before)?;
    is_pair_call(callee).then_some(value)
}

/// The first of them.
pub(crate) fn literal_of(text: &str) -> Option<Literal<'_>> {
    const MAX_DEPTH: usize = 6;
    let mut text = text;
    for _ in 0..MAX_DEPTH {
        if let Some(found) = literal_at(text.trim_start()) {
            return Some(found);
        }
        let inner = text.trim_start_matches([' ', '\t', '&', '*', '(', '[', '{', ']']);
        let is_table = text.len() > inner.len() && text.trim_start().starts_with(['{', '(']);
        let entry = key_at_head(inner).filter(|_| is_table);
        text = without_join(without_tag(entry.map_or(inner, |(_, value)| value)));
        if let Some(found) = literal_at(text) {
            return Some(found);
        }
        let is_word = |c: char| c.is_ascii_alphanumeric() || "_.:$?!".contains(c);
        let end = text.find(|c| !is_word(c)).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        let rest = rest.strip_prefix("[]").unwrap_or(rest);
        let inner = rest.trim_start_matches([' ', '\t']);
        text = if is_conversion(word) {
            inner.strip_prefix('=').unwrap_or(inner)
        } else {
            // What is taken where nothing is set.
            let of_lookup = is_lookup(word).then(|| default_of(inner)).flatten();
            of_lookup
                .or_else(|| declared_default(text))
                .or_else(|| alternative_of(text))?
        };
    }
    None
}

/// `"".join([…])`: what is joined.
fn without_join(text: &str) -> &str {
    let joined = text
        .strip_prefix("''.join(")
        .or_else(|| text.strip_prefix("\"\".join("));
    joined.map_or(text, |text| text.trim_start_matches(['[', '(', ' ']))
}

/// `Field(default="…")`, `z.string().default("…")`: what a declaration takes where nothing is given.
fn declared_default(text: &str) -> Option<&str> {
    static DEFAULT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        compile_pattern(concat!(
            r#"^[A-Za-z_$][A-Za-z0-9_.]{0,60}\([^"'`;]{0,120}?"#,
            r#"(?:\b(?i:default(?:_?value)?)[ \t]*[=:]|\.default\()[ \t]*"#
        ))
        .ok()
    });
    let end = DEFAULT.as_ref()?.find(text)?.end();
    Some(&text[end..])
}

/// `!vault "…"`: a tag of YAML.
fn without_tag(text: &str) -> &str {
    let Some(tag) = text.strip_prefix('!') else {
        return text;
    };
    let end = tag.find(|c: char| !(c.is_ascii_alphanumeric() || "!:/_-".contains(c)));
    end.map_or(text, |end| tag[end..].trim_start())
}

/// What stands behind the name that is looked up: `("PW", "…")`, `["PW"] || "…"`, `.PW ?? "…"`, `("PW") { "…" }`.
fn default_of(text: &str) -> Option<&str> {
    static DEFAULT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        compile_pattern(concat!(
            r#"^(?:[(\[][ \t]*["'][A-Za-z0-9_.-]+["'][ \t]*(?:,|[)\]][ \t]*(?:or|\|\||\?\?|\?:|\{))|(?:\|\||\?\?|or\b))"#,
            r#"[ \t]*(?:default[ \t]*=[ \t]*)?"#
        ))
        .ok()
    });
    DEFAULT
        .as_ref()?
        .find(text)
        .map(|found| &text[found.end()..])
}

/// What stands behind `||`, `or`, `else`, or what a condition chooses of, outside of all calls.
fn alternative_of(text: &str) -> Option<&str> {
    const NEAR: usize = 300;
    static OR: LazyLock<Option<Regex>> = LazyLock::new(|| {
        // A condition may hold literals of its own.
        compile_pattern(concat!(
            r#"^(?::|if\b(?:[^;"'`]|"[^"]*"|'[^']*')*?[){]|(?:[^;"'`,]|"[^"]*"|'[^']*')*?"#,
            r#"(?:\|\||\?\?|\?:|&&|\b(?:or|and|else)\b|(?:^|\s)\?(?:\s[^;"'`,]{0,200}?\s:)?))[ \t]*["'`]"#
        ))
        .ok()
    });
    let near = looked_at(&text[..text.floor_char_boundary(NEAR)]);
    let end = OR.as_ref()?.find(near)?.end() - 1;
    let count = |sign: char| text[..end].matches(sign).count();
    (count('(') == count(')')).then_some(&text[end..])
}
