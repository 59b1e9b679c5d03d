//! A value in the line below its name, as Kubernetes and Compose write the variables of an environment.

use std::ops::Range;

use crate::matcher::PLACEHOLDER;
use crate::plausible::{is_description, is_literal, is_mixed_literal, is_secret_name};

/// Where the secret of a line stands that is the `value` of the name in the line above it.
pub fn value_below_name(above: &str, line: &str) -> Option<Range<usize>> {
    if let Some(value) = block_value(above, line) {
        return Some(value);
    }
    let value = value_range(line, "value")?;
    let text = &line[value.clone()];
    let name = value_range(above, "name").or_else(|| value_range(above, "key"))?;
    let name = &above[name];
    let is_value = text.len() >= 6 && is_literal(text) && !text.contains(PLACEHOLDER);
    let is_named = is_secret_name(name) || name.to_ascii_uppercase().ends_with("TOKEN");
    (is_value && is_named && !is_description(name)).then_some(value)
}

/// The word in the line below `password: |`, as YAML writes a text of its own lines.
fn block_value(above: &str, line: &str) -> Option<Range<usize>> {
    let (name, mark) = above.split_once(':')?;
    let name = name
        .trim_start_matches([' ', '\t', '-'])
        .trim_matches(['"', '\'']);
    let is_block = matches!(mark.trim(), "|" | "|-" | "|+" | ">" | ">-" | ">+");
    let indent = |text: &str| text.len() - text.trim_start().len();
    let text = line.trim();
    let is_word = text.len() >= 6 && !text.contains([' ', '\t', ':', '`', '"']);
    let is_value = is_word && is_mixed_literal(text) && !text.contains(PLACEHOLDER);
    let is_named = is_block && is_secret_name(name) && !is_description(name);
    let start = indent(line);
    (is_named && is_value && start > indent(above)).then(|| start..start + text.len())
}

/// What stands behind `key:` in a line, without its quotes.
fn value_range(line: &str, key: &str) -> Option<Range<usize>> {
    let text = line.trim_start_matches([' ', '\t', '-', '{', '"']);
    let rest = text.strip_prefix(key)?.trim_start_matches('"');
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let rest = rest.trim_start_matches(['"', '\'']);
    let start = line.len() - rest.len();
    let end = rest.trim_end_matches(|c: char| c.is_whitespace() || "\"',}".contains(c));
    (!end.is_empty()).then(|| start..start + end.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_belongs_to_the_name_above_it() {
        for (above, line, value) in [
            ("- name: DB_PASSWORD", "  value: hunter2ab", "hunter2ab"),
            ("  - name: \"API_KEY\"", "    value: \"a b c d\"", "a b c d"),
            (
                "{ \"name\": \"SECRET_KEY\",",
                "  \"value\": \"word-of-mine\" }",
                "word-of-mine",
            ),
            ("  password: |", "    hunter2ab", "hunter2ab"),
            ("  \"api_key\": >-", "    Zk9LmPassw0rd9", "Zk9LmPassw0rd9"),
        ] {
            let found = value_below_name(above, line).map(|range| &line[range]);
            assert_eq!(found, Some(value), "{above} {line}");
        }
        for (above, line) in [
            ("- name: DB_HOST", "  value: hunter2ab"),
            ("- name: DB_PASSWORD", "  valueFrom:"),
            ("- name: DB_PASSWORD", "  value: $(SECRET)"),
            ("- name: SECRET_NAME", "  value: postgres-login"),
            ("- name: DB_PASSWORD", "  value: \"\""),
            ("  password: |", "  hunter2ab"),
            ("password_hint: |", "  hunter2ab"),
            ("secret: |", "  a word of it"),
        ] {
            assert_eq!(value_below_name(above, line), None, "{above} {line}");
        }
    }
}
