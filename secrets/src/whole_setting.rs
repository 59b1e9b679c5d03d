//! A setting that is a line of its own: whatever signs its value has belong to it, since nothing quotes them.

use crate::open_name::without_comment;
use crate::reference::{is_bare_call, is_written};
use crate::value::is_drawn_value;

/// What would end a value elsewhere.
const SIGNS: &[char] = &[
    '"', '\'', '`', '(', ')', '{', '}', '[', ']', ',', ';', '<', '>',
];

/// What stands in code and in markup, and in hardly any value.
const CODE: [&str; 9] = ["()", "=>", "->", "::", "==", "&&", "${", "$(", "</"];

/// The value behind the sign of a setting that stands alone in its line, if it has a sign that would end it elsewhere.
/// `before` stands before the name, `rest` behind the sign.
pub(crate) fn value_of_setting<'l>(
    before: &str,
    rest: &'l str,
    is_joined: bool,
) -> Option<&'l str> {
    let whole = without_comment(rest).trim_end();
    let text = without_last_quote(whole.trim_end_matches([',', ';', '\\']));
    let is_code = || CODE.iter().any(|sign| text.contains(sign));
    let is_value = text.contains(SIGNS)
        && is_alone(before)
        && !text.contains(char::is_whitespace)
        && begins_value(text, is_joined)
        && !is_code()
        && !is_bare_call(whole)
        && !is_list(text)
        && is_drawn_value(text);
    is_value.then_some(text)
}

/// Whether nothing stands before a name but what a line of settings has there.
fn is_alone(before: &str) -> bool {
    let text = before.trim_start_matches(['#', ';', '/', ' ', '\t']);
    ["", "- ", "export "].contains(&text)
}

/// The end of a literal that began in a line above is no part of a value.
fn without_last_quote(text: &str) -> &str {
    let last = text.chars().next_back().filter(|c| "\"'`".contains(*c));
    let is_single = |quote: &char| text.matches(*quote).count() == 1;
    last.filter(is_single)
        .map_or(text, |quote| &text[..text.len() - quote.len_utf8()])
}

/// Whether a value may begin so: with a bracket only where it is never closed, and no list or table begins there.
fn begins_value(text: &str, is_joined: bool) -> bool {
    let first = text.chars().next();
    let is_plain = first.is_some_and(|c| c.is_ascii_alphanumeric() || "!+~^?/.".contains(c));
    let count = |signs: [char; 3]| text.matches(signs).count();
    let is_broken = || count(['(', '[', '{']) != count([')', ']', '}']) && !text.contains(',');
    let is_bracket = first.is_some_and(|c| "()[]{}<>;,".contains(c));
    is_plain || (is_joined && is_bracket && is_broken())
}

/// Whether a text is names or numbers, one behind the other.
fn is_list(text: &str) -> bool {
    let mut parts = text.split([',', ';']).filter(|part| !part.is_empty());
    text.contains([',', ';']) && parts.all(is_written)
}
