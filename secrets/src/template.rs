//! Places that are filled in later: `{name}`, `${name}`, `<name>`, `%s`. A sign by itself is none: generators draw them all.

use crate::beside_name::{count_changes, is_scattered};
use crate::value::{MIN_DRAWN, MIN_VALUE};
use crate::words::{has_form_of_words, reads_like_words};

/// The most bytes between the brackets of a place.
const MAX_INSIDE: usize = 160;

/// What stands between brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// What is filled in.
    Name,
    /// What is run: whoever hid it would hide code.
    Code,
}

/// A place, and where it ends.
type Place = (Inside, usize);

/// Whether a value is filled in later: it holds code, or names with nothing drawn around them.
pub(crate) fn is_template(value: &str) -> bool {
    // Most values have none of these signs.
    if !value.contains(['{', '<', '(', '%', '$']) {
        return false;
    }
    if is_enclosed(value) {
        return true;
    }
    let (mut at, mut kept, mut rest) = (0, 0, String::new());
    while let Some(open) = value[at..].find(['{', '<', '$', '#', '%', '@', '\\']) {
        let start = at + open;
        match place_at(value, start) {
            Some((Inside::Code, _)) => return true,
            Some((Inside::Name, end)) => {
                rest.push_str(&value[kept..start]);
                (at, kept) = (end, end);
            }
            None => at = start + 1,
        }
    }
    rest.push_str(&value[kept..]);
    rest.len() < value.len() && !is_drawn_rest(&rest)
}

/// Whether what stands around names is a secret by itself.
fn is_drawn_rest(rest: &str) -> bool {
    let has = |class: fn(&u8) -> bool| rest.bytes().any(|b| class(&b));
    let is_long = rest.len() >= MIN_DRAWN || (rest.len() >= MIN_VALUE && is_scattered(rest));
    is_long
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && !rest.contains("://")
        && !reads_like_words(rest)
}

/// `$PASSWORD`, `$user->password`: what is drawn may begin with that sign, too.
pub(crate) fn is_variable(value: &str) -> bool {
    let name = value.strip_prefix('$').map(|rest| (rest, is_name(rest)));
    name.is_some_and(|(rest, is_name)| is_name || !is_drawn_rest(rest))
}

/// `{"a":1}`, `<your token>`, `{{`, or an element whose first attribute is in quotes: all of it stands between brackets.
fn is_enclosed(value: &str) -> bool {
    let inner = value.strip_prefix('{');
    let inner = inner.and_then(|inner| inner.strip_suffix('}'));
    let tag = value.strip_prefix('<');
    let closed = tag.and_then(|tag| tag.strip_suffix('>'));
    let is_head = |tag: &str| {
        let end = tag.find([' ', '=', '/']).unwrap_or(0);
        end > 0 && is_name(&tag[..end])
    };
    let is_table = |inner: &str| inner.contains(['"', '\'', ':', ',']);
    inner
        .or(closed)
        .is_some_and(|inner| is_table(inner) || !is_drawn_rest(inner))
        || tag.is_some_and(is_head)
        || (value.starts_with("{{") || value.starts_with("${")) && !is_drawn_rest(&value[2..])
}

/// The place that begins there.
fn place_at(value: &str, start: usize) -> Option<Place> {
    let text = &value[start..value.floor_char_boundary(start + MAX_INSIDE)];
    if text.starts_with("%s") {
        return Some((Inside::Name, start + 2));
    }
    let head = text.find(['{', '<', '('])?;
    let is_open = matches!(
        &text[..=head],
        "{" | "<" | "${" | "#{" | "%{" | "@{" | "$(" | "%(" | "\\("
    );
    let end = is_open.then(|| closing(&text[head..]))??;
    let inside = &text[head + 1..head + end];
    let kind = match &text[head..=head] {
        _ if is_count(&value[..start], inside) => Inside::Code,
        "(" if !text.starts_with('%') => Inside::Code,
        "<" if is_code_tag(inside) => Inside::Code,
        "<" if inside.is_empty() => return None,
        _ => kind_of(inside)?,
    };
    Some((kind, start + head + end + 1))
}

/// Where the bracket closes that a text begins with.
fn closing(text: &str) -> Option<usize> {
    let (open, close) = match text.as_bytes()[0] {
        b'{' => (b'{', b'}'),
        b'<' => (b'<', b'>'),
        _ => (b'(', b')'),
    };
    let mut depth = 0_usize;
    text.bytes().position(|byte| {
        depth += usize::from(byte == open);
        depth -= usize::from(byte == close);
        depth == 0
    })
}

/// `<%= x %>`, `<?php x ?>`, but not the `<?>` that a generator draws.
fn is_code_tag(inside: &str) -> bool {
    let is_of = |sign: char| {
        inside
            .strip_prefix(sign)
            .is_some_and(|code| code.len() > 1 && code.ends_with(sign))
    };
    is_of('%') || is_of('?')
}

/// `[A-Z]{8,}`: how often a class of a pattern comes.
fn is_count(before: &str, inside: &str) -> bool {
    let is_number = inside.bytes().all(|b| b.is_ascii_digit() || b == b',');
    let is_class = [('[', ']'), ('(', ')')]
        .iter()
        .any(|(open, close)| before.ends_with(*close) && before.contains(*open));
    !inside.is_empty() && is_number && is_class
}

/// `run(x)`, `lookup('a')|e`: a function of a name that somebody has thought of, and its arguments.
fn is_call(name: &str, behind: &str) -> bool {
    const MIN_NAME: usize = 3;
    let mut words = name.split(|c: char| !c.is_ascii_alphabetic());
    let has_word = words.any(|word| word.len() >= MIN_NAME && has_form_of_words(word));
    let is_closed = behind.starts_with('(') && closing(behind).is_some();
    has_word && is_closed && is_name(name)
}

/// What stands between brackets, if it is neither drawn nor of signs alone.
fn kind_of(inside: &str) -> Option<Inside> {
    let text = inside.trim_matches(|c: char| c.is_whitespace() || "{}%=".contains(c));
    let head = text.trim_start_matches(['$', '@', '!', '#', '/']);
    let end = head.find(|c: char| !(c.is_ascii_alphanumeric() || "_.$-".contains(c)));
    let (name, behind) = head.split_at(end.unwrap_or(head.len()));
    let is_text = text.contains(char::is_whitespace);
    // `{x:02}`, `{x!r}`, `{x|e}`, `${x?}`, `{x[0]}`.
    let is_format = |c: char| ":!|?,=+[/*".contains(c);
    match is_name(name) {
        _ if is_text || is_call(name, behind) => Some(Inside::Code),
        true if behind.is_empty() || behind.starts_with(is_format) => Some(Inside::Name),
        false if inside.is_empty() => Some(Inside::Name),
        _ => None,
    }
}

/// Whether a text is a name, of words or of a number.
pub(crate) fn is_name(text: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_alphanumeric() || "_.:?$>-".contains(c);
    let mut words = text.split(|c: char| !c.is_ascii_alphabetic());
    // `s3_key2` has digits among its letters, a drawn value changes between them again and again.
    let is_mixed = count_changes(text) > 2
        && text
            .trim_end_matches(|c: char| c.is_ascii_digit())
            .contains(|c: char| c.is_ascii_digit());
    !text.is_empty()
        && !is_mixed
        && text.chars().all(is_sign)
        && words.all(|word| word.is_empty() || has_form_of_words(word) || reads_like_words(word))
}
