//! A value in the line below its name, as Kubernetes and Compose write the variables of an environment, and as formatters
//! break a long line.

use std::ops::Range;

use crate::matcher::PLACEHOLDER;
use crate::named::{NameKind, kind_of_name};
use crate::plausible::{is_description, is_literal, is_mixed_literal, is_secret_name};
use crate::value::is_secret_value;

/// Where the secret of a line stands that is the `value` of the name in the line above it.
pub fn value_below_name(above: &str, line: &str) -> Option<Range<usize>> {
    if let Some(value) = block_value(above, line).or_else(|| opened_value(above, line)) {
        return Some(value);
    }
    let value = value_range(line, "value")?;
    let text = &line[value.clone()];
    let name = value_range(above, "name").or_else(|| value_range(above, "key"))?;
    let name = &above[name];
    let is_value = match kind_of_name(name)? {
        // Nobody writes down what such a variable holds unless it is that.
        NameKind::Secret => text.len() >= 6 && is_literal(text),
        NameKind::Perhaps if name.to_ascii_uppercase().ends_with("TOKEN") => {
            text.len() >= 6 && is_literal(text)
        }
        _ => is_secret_value(text, "", name),
    };
    (is_value && !text.contains(PLACEHOLDER)).then_some(value)
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

/// Whether a line of a text may name what stands in the line below it, so that other lines must not come between them.
pub(crate) fn may_name_below(text: &str) -> bool {
    text.lines().any(|line| opened_name(line).is_some())
}

/// The literal in the line below `password = (`, `"password":` or `PASSWORD = \\`, and the default of a variable.
fn opened_value(above: &str, line: &str) -> Option<Range<usize>> {
    let name = opened_name(above)?;
    let text = line.trim_start();
    let text = match is_variable_head(above) {
        true => text
            .strip_prefix("default")?
            .trim_start()
            .strip_prefix('=')?
            .trim_start(),
        false => text,
    };
    let quoted = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let quote = quoted.chars().next().filter(|c| "\"'`".contains(*c))?;
    let (value, rest) = quoted[1..].split_once(quote)?;
    let is_alone = rest
        .chars()
        .all(|c| c.is_whitespace() || ",;)}]+\\".contains(c));
    let is_word = value.len() >= 6 && !value.contains(char::is_whitespace);
    let is_value = is_word && is_secret_value(value, "\"", name) && !value.contains(PLACEHOLDER);
    let start = line.len() - quoted.len() + 1;
    let is_short_prefix = text.len() - quoted.len() <= 2;
    (is_alone && is_value && is_short_prefix).then(|| start..start + value.len())
}

/// The secret that a line names and whose value it leaves to the next.
fn opened_name(line: &str) -> Option<&str> {
    let open = line.trim_end();
    // Nearly all lines are done with here.
    open.ends_with(['(', '=', ':', '\\', '{']).then_some(())?;
    if is_variable_head(line) {
        let name = open.split('"').nth(1)?;
        return kind_of_name(name).map(|_| name);
    }
    let open = open.trim_end_matches('\\').trim_end();
    let open = open.strip_suffix('(').unwrap_or(open).trim_end();
    let named = open
        .strip_suffix('=')
        .map(|named| named.trim_end_matches(':'));
    let named = match named {
        // `password: str =`
        Some(named) => named.split_once(':').map_or(named, |(name, _)| name),
        None => open.strip_suffix(':')?,
    };
    let named = named.trim_end().trim_end_matches(['"', '\'', ']', '`']);
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let name = named.rsplit(|c| !is_name(c)).next()?;
    kind_of_name(name)
        .is_some_and(|kind| kind != NameKind::Described)
        .then_some(name)
}

/// Whether a line begins a variable of Terraform, the default of which stands some lines below.
pub(crate) fn is_variable_head(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("variable \"") && line.ends_with('{')
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
            ("password = (", "    \"Xk39fjQp\"", "Xk39fjQp"),
            ("    \"password\":", "        \"Yk39fjQp\",", "Yk39fjQp"),
            ("PASSWORD = \\", "    'Bk39fjQp'", "Bk39fjQp"),
            ("const dbPassword: string =", "  `Bk39fjQp`;", "Bk39fjQp"),
            ("self.db_pwd: str = (", "    b\"Bk39fjQp\" + \\", "Bk39fjQp"),
            ("- name: DB_PASSWORD", "  value: hunter2ab", "hunter2ab"),
            ("  - name: \"API_KEY\"", "    value: \"a b c d\"", "a b c d"),
            (
                "{ \"name\": \"SECRET_KEY\",",
                "  \"value\": \"word-of-mine\" }",
                "word-of-mine",
            ),
            ("  password: |", "    hunter2ab", "hunter2ab"),
            ("  \"api_key\": >-", "    Zk9LmPassw0rd9", "Zk9LmPassw0rd9"),
            ("- name: DB_PWD", "  value: x7k2m9q4w1", "x7k2m9q4w1"),
            (
                "variable \"db_password\" {",
                "  default = \"Xk39fjQp\"",
                "Xk39fjQp",
            ),
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
            ("def password(", "    \"Xk39fjQp\""),
            ("password_file = (", "    \"Xk39fjQp\""),
            ("password = (", "    get(\"Xk39fjQp\")"),
            ("password = (", "    \"ask the user 2\""),
            ("if password:", "    log(\"Xk39fjQp\")"),
        ] {
            assert_eq!(value_below_name(above, line), None, "{above} {line}");
        }
    }
}
