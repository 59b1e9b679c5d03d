//! Placeholders that a line holds already. What one names is the kind of what stood there, and no name of what follows.

use std::borrow::Cow;

use crate::matcher::PLACEHOLDER;
use crate::table::SecretTable;

/// The line with signs of no meaning in the place of the kinds that its placeholders name; as long as before.
pub(crate) fn without_kinds<'l>(line: &'l str, own: &[&SecretTable]) -> Cow<'l, str> {
    if !line.contains(PLACEHOLDER) {
        return Cow::Borrowed(line);
    }
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(PLACEHOLDER) {
        let (before, kind) = rest.split_at(at + PLACEHOLDER.len());
        out.push_str(before);
        let end = kind.find(']').filter(|end| is_kind(&kind[..*end], own));
        let (kind, behind) = kind.split_at(end.unwrap_or(0));
        let is_sign = |c: char| c.is_ascii_alphanumeric();
        out.extend(kind.chars().map(|c| if is_sign(c) { 'x' } else { c }));
        rest = behind;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Whether it is a kind: a token that somebody wrote in such brackets is none.
fn is_kind(text: &str, own: &[&SecretTable]) -> bool {
    let is_words = |b: u8| b.is_ascii_lowercase() || b == b'-' || b == b' ';
    let mut tables = own.iter().copied().chain([SecretTable::built_in()]);
    text.bytes().all(is_words)
        || tables.any(|table| table.rules.iter().any(|rule| rule.id == *text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Redactor;

    fn shown(path: &str, text: &str) -> String {
        Redactor::default().redact_source(Some(path), text).text
    }

    /// What every redaction may write, whatever rules there are.
    fn kinds() -> Vec<String> {
        let rules = SecretTable::built_in().rules.iter();
        let fixed = [
            "secret",
            "value",
            "base64",
            "private-key",
            "line of a secret file",
        ];
        rules
            .map(|rule| rule.id.to_string())
            .chain(fixed.map(str::to_owned))
            .collect()
    }

    #[test]
    fn the_kind_of_a_placeholder_is_no_name() {
        for kind in kinds() {
            for text in [
                format!("[redacted: {kind}]=\"x\""),
                format!("[redacted: {kind}]: \"Zk9LmPq3Rt7xW2vB\""),
                format!("f([redacted: {kind}], \"Zk9LmPq3Rt7xW2vB\")"),
            ] {
                assert_eq!(shown("a.py", &text), text);
            }
        }
    }

    #[test]
    fn a_token_in_such_brackets_is_hidden() {
        let token = ["gh", "p_Zk3pQ9vXw2LmT7rB8sYcZk3pQ9vXw2LmT7rB"].concat();
        let shown = shown("a.py", &format!("x = [redacted: {token}]"));
        assert!(!shown.contains(&token), "{shown}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

        /// Law: whichever kind a placeholder names, the same is hidden around it.
        #[test]
        fn whatever_a_placeholder_names_the_same_is_hidden(
            parts in proptest::collection::vec(
                prop_oneof![
                    3 => Just("[redacted: §]".to_owned()),
                    1 => "[=:, \"'(){}]{1,3}",
                    1 => Just("password".to_owned()),
                    1 => "[A-Z][a-z][0-9][A-Z][a-z]{2}[0-9]{2}[A-Za-z]{8}",
                    1 => "[ -~]{1,6}",
                    1 => Just("\n".to_owned()),
                ],
                1..9,
            ),
            kind in proptest::sample::select(kinds()),
        ) {
            let text = parts.concat();
            let plain = shown("a.py", &text.replace('§', "secret"));
            let other = shown("a.py", &text.replace('§', &kind));
            let named = plain.replace("[redacted: secret]", &format!("[redacted: {kind}]"));
            let other = other.replace("[redacted: secret]", &format!("[redacted: {kind}]"));
            prop_assert_eq!(named, other);
        }
    }
}
