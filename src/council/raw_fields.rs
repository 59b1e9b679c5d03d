//! The fields of a text that cannot be read as JSON: found by their names.

/// Characters between a field's name and its value, where it is no JSON: `**Verdict**: FAIL`, `'verdict': 'FAIL'`.
const MAX_BETWEEN: usize = 8;

/// What follows a name in a text that is no JSON, a few words at most.
pub(super) fn loose_values<'a>(raw: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    let starts = raw.char_indices().map(|(at, _)| at);
    starts.filter_map(move |at| {
        let head = raw.as_bytes().get(at..at + name.len())?;
        if !head.eq_ignore_ascii_case(name.as_bytes()) {
            return None;
        }
        let rest = raw.get(at + name.len()..)?;
        let word = rest.find(char::is_alphanumeric)?;
        let between = &rest[..word];
        let is_assigned = between.contains([':', '=', '*', '-']) || between.trim().is_empty();
        let plain = between.len() <= MAX_BETWEEN && !between.contains(['\\', '\n']);
        let end = rest[word..]
            .char_indices()
            .find(|(_, c)| !(c.is_alphanumeric() || " _".contains(*c)));
        let end = end.map_or(rest.len(), |(end, _)| word + end);
        (plain && is_assigned).then(|| &rest[word..end])
    })
}

/// The texts that the field `name` has, each with where it stands. A text that breaks off is given as far as it goes.
pub(super) fn values_of<'a>(
    raw: &'a str,
    name: &'a str,
) -> impl Iterator<Item = (usize, String)> + 'a {
    fields_of(raw, name).filter_map(|(at, value)| Some((at, text_of(value)?)))
}

/// The text that a value is, as far as it goes; none: it is no text.
pub(super) fn text_of(value: &str) -> Option<String> {
    let text = value.strip_prefix('"')?;
    let end = text_end(text).unwrap_or(text.len());
    let quoted = format!("\"{}\"", &text[..end]);
    let plain = serde_json::from_slice(quoted.as_bytes());
    Some(plain.unwrap_or_else(|_| text[..end].to_owned()))
}

/// The first number of a field `line`.
pub(super) fn number_of(raw: &str) -> Option<u32> {
    fields_of(raw, "line").find_map(|(_, value)| {
        let value = value.trim_start_matches('"');
        let digits = value.find(|c: char| !c.is_ascii_digit());
        value[..digits.unwrap_or(value.len())].parse().ok()
    })
}

/// Each field of a name: where it stands, and what follows its colon.
fn fields_of<'a>(raw: &'a str, name: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    raw.match_indices(name).filter_map(move |(at, _)| {
        let before = raw[..at].strip_suffix('"')?;
        let rest = raw[at + name.len()..].strip_prefix('"')?;
        let value = rest.trim_start().strip_prefix(':')?;
        (!before.ends_with('\\')).then(|| (at, value.trim_start()))
    })
}

/// Where a JSON text ends, behind its opening mark.
fn text_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends.then_some(at)
    })
}
