//! JSON that people may read.

use serde::Serialize;

/// A value as JSON with two spaces a level, byte for byte as `serde_json::to_string_pretty` writes it.
///
/// serde_json compiles a type once for each of its two printers, and reports are large types: so there is one printer, and
/// its text is indented.
pub(crate) fn pretty_json(value: &(impl Serialize + ?Sized)) -> serde_json::Result<String> {
    serde_json::to_string(value).map(|compact| indent_json(&compact))
}

/// Indents JSON that has no blanks outside of its strings.
fn indent_json(compact: &str) -> String {
    let mut text = String::with_capacity(compact.len() * 2);
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    let mut chars = compact.chars().peekable();
    while let Some(c) = chars.next() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            text.push(c);
            continue;
        }
        match c {
            '{' | '[' => {
                text.push(c);
                if let Some(close) = chars.next_if(|next| matches!(next, '}' | ']')) {
                    text.push(close);
                } else {
                    depth += 1;
                    break_line(&mut text, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                break_line(&mut text, depth);
                text.push(c);
            }
            ',' => {
                text.push(c);
                break_line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            _ => {
                in_string = c == '"';
                text.push(c);
            }
        }
    }
    text
}

fn break_line(text: &mut String, depth: usize) {
    text.push('\n');
    text.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod laws {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::pretty_json;

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            r#"[\\"{}\[\],: a\n\u{1}é]{0,8}"#.prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            let entry = (r#"[\\"{}:,a]{0,4}"#, inner.clone());
            prop_oneof![
                prop::collection::vec(inner, 0..4).prop_map(Value::from),
                prop::collection::vec(entry, 0..4)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_value_is_written_as_serde_json_does(value in any_value()) {
            let own = pretty_json(&value).unwrap();
            prop_assert_eq!(own, serde_json::to_string_pretty(&value).unwrap());
        }
    }

    #[test]
    fn braces_in_strings_are_text() {
        let value = json!({"a\"{": ["[", {}, [], "\\"]});
        assert_eq!(
            pretty_json(&value).unwrap(),
            "{\n  \"a\\\"{\": [\n    \"[\",\n    {},\n    [],\n    \"\\\\\"\n  ]\n}"
        );
    }
}
