//! A key called `key`, of which the table that it stands in says whose it is: `'stripe' => ['key' => "…"]`. Alone the
//! word says nothing.

use std::ops::Range;

use crate::assigned::{LETTERS, name_around, near_before};

/// The keys `key` of a line, each with the name of the table that it stands in.
pub(crate) fn nested_keys(line: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let words = LETTERS
        .iter()
        .flat_map(|finder| finder.for_text(line).find_iter(line))
        .filter(|word| line[word.range()].eq_ignore_ascii_case("key"));
    let keys = words.map(|word| name_around(line, word.range()));
    let keys = keys.filter(|name| line[name.clone()].eq_ignore_ascii_case("key"));
    keys.filter_map(|name| Some((table_around(line, name.start)?, name)))
        .collect()
}

/// The name of the table whose bracket is open at a place.
fn table_around(line: &str, at: usize) -> Option<Range<usize>> {
    let before = near_before(line, at);
    let mut depth = 0_usize;
    let is_open = |byte: u8| match byte {
        b')' | b']' | b'}' => {
            depth += 1;
            false
        }
        b'(' | b'[' | b'{' if depth > 0 => {
            depth -= 1;
            false
        }
        _ => b"([{".contains(&byte),
    };
    let open = before.bytes().rposition(is_open)?;
    let head = before[..open].trim_end();
    let head = head
        .strip_suffix("=>")
        .or_else(|| head.strip_suffix([':', '=']))?;
    let head = head.trim_end().trim_end_matches(['"', '\'', '`']);
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let name = &head[head.trim_end_matches(is_name).len()..];
    let end = at - before.len() + head.len();
    (!name.is_empty()).then(|| end - name.len()..end)
}
