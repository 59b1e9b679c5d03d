//! The value that a name gets without quotes, and where it ends.

use std::ops::Range;

use crate::assigned::{Joint, near_before, near_behind};
use crate::literal::key_at_head;
use crate::open_name::without_comment;
use crate::value::is_phrase;
use crate::whole_setting::value_of_setting;

/// A value without quotes: all that is left of the line, or a word where words follow each other.
pub(crate) fn bare_value(
    line: &str,
    name: &Range<usize>,
    at: usize,
    joint: Joint,
) -> Option<Range<usize>> {
    let rest = near_behind(line, at);
    let before = near_before(line, name.start).trim_start();
    let is_inner = !before.is_empty();
    let is_apart = line[..at].ends_with([' ', '\t']);
    if joint == Joint::Sign && is_apart && before.trim_start_matches("- ").is_empty() {
        let text = without_comment(rest).trim_end();
        if text.contains(' ') && is_phrase(text) {
            return Some(at..at + text.len());
        }
    }
    let is_joined = line[..at].ends_with('=');
    if joint == Joint::Sign
        && let Some(value) = value_of_setting(before, rest, is_joined)
    {
        return Some(at..at + value.len());
    }
    let end = end_of_bare(rest, is_inner, is_apart);
    let (value, behind) = rest.split_at(end);
    let is_end = |c: char| "\"' \t\r\\},;".contains(c) || (c == ')' && before.contains('('));
    let behind_is_end = behind.trim_start_matches(is_end).is_empty();
    let is_comment = behind.starts_with([' ', '\t']) && behind.trim_start().starts_with(['#', ';']);
    let is_variable = line[name.clone()]
        .bytes()
        .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    // `Key=DB_PASSWORD,Value=x`, and a word of a command: `deploy DBPassword=x env=prod`.
    let is_paired = line[name.end..at].starts_with(',');
    let is_setting = is_joined
        && (is_variable
            || is_paired
            || before.ends_with([' ', '\t'])
            || before.is_empty()
            || before.ends_with([';', '"', '\'', '?', '&'])
            || is_setting_list(before));
    let is_among = is_setting
        && (behind.is_empty() || behind.starts_with([' ', '\t', '"', '\'', ';', ',', '&']));
    // `{name: root, password: x, type: y}`
    let is_of_flow = before.contains('{') && begins_entry(behind);
    let is_ours = match joint {
        Joint::Sign => {
            let is_within = is_of_flow || ends_text(before, behind);
            behind_is_end || is_comment || is_among || is_within
        }
        Joint::Blank => {
            ["env", "setx", "arg", "set"].contains(&before.trim_end().to_ascii_lowercase().as_str())
        }
        Joint::Call | Joint::Pair | Joint::Or => false,
    };
    let is_value =
        !value.is_empty() && !value.starts_with(['#', '$', '-', '=', '|', '>', '&', '*', '%']);
    (is_ours && is_value).then(|| at..at + value.len())
}

/// Whether what holds a setting ends behind its value: code in backticks, or a comment.
fn ends_text(before: &str, behind: &str) -> bool {
    const COMMENTS: [(&str, &str); 4] = [
        ("<!--", "-->"),
        ("/*", "*/"),
        ("{#", "#}"),
        ("<%--", "--%>"),
    ];
    let is_code = behind.starts_with('`') && before.matches('`').count() % 2 == 1;
    let behind = behind.trim_start();
    let is_comment =
        |(open, close): &(&str, &str)| behind.starts_with(close) && before.contains(open);
    is_code || COMMENTS.iter().any(is_comment)
}

/// Whether the next entry of a mapping begins a text: `, port: 1`.
fn begins_entry(text: &str) -> bool {
    let entry = text.strip_prefix(',').map(str::trim_start);
    entry.and_then(key_at_head).is_some()
}

/// Whether a text ends in settings with a comma behind each: `-o username=backup,`.
fn is_setting_list(before: &str) -> bool {
    let word = before.rsplit([' ', '\t', '"', '\'']).next();
    let settings = word.and_then(|word| word.strip_suffix(','));
    settings.is_some_and(|settings| settings.contains('=') && !settings.contains('('))
}

/// Where a value without quotes ends that begins a text. A blank with a backslash before it belongs to it, and so do a
/// semicolon and a comma in settings that have no blank behind them.
fn end_of_bare(text: &str, is_inner: bool, is_apart: bool) -> usize {
    let is_within = |at: usize, c: char| {
        let is_escaped = c == ' ' && text[..at].ends_with('\\');
        let goes_on =
            text[at + c.len_utf8()..].starts_with(|next: char| next.is_ascii_alphanumeric());
        let is_joined = text[at + c.len_utf8()..].starts_with(|next: char| !next.is_whitespace());
        let is_of_setting = match c {
            ';' => is_apart && goes_on,
            ',' => !is_apart && is_joined,
            _ => false,
        };
        is_escaped && goes_on || !is_inner && is_of_setting
    };
    let is_end = |(at, c): &(usize, char)| {
        let is_sign =
            c.is_whitespace() || "\"'`(){}[],;<>".contains(*c) || (is_inner && "&|".contains(*c));
        is_sign && !is_within(*at, *c)
    };
    text.char_indices()
        .find(is_end)
        .map_or(text.len(), |(at, _)| at)
}
