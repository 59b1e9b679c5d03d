//! Which secrets a reader is not shown: one that stands at several places is one secret.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// What stands in the place of a secret, up to its kind.
const PLACEHOLDER: &str = "[redacted: ";

/// The kind of a line of a private key.
const KEY_LINE: &str = "private-key";

/// The values that were replaced, each of them once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct HiddenValues {
    values: BTreeSet<u64>,
    /// Whether the line before was one of a private key: what follows it is the same secret.
    is_in_key: bool,
}

impl HiddenValues {
    /// Of a text as it is and as it is shown, line by line.
    pub(super) fn of_text(text: &str, shown: &str) -> Self {
        let mut found = Self::default();
        for (line, shown) in text.lines().zip(shown.lines()) {
            found.add_line(line, shown);
        }
        found
    }

    /// Adds what is replaced in a line of a text, after the line above it.
    pub(super) fn add_line(&mut self, line: &str, shown: &str) {
        let is_of_key = line != shown && shown.contains(KEY_LINE);
        let is_same = is_of_key && std::mem::replace(&mut self.is_in_key, is_of_key);
        self.is_in_key = is_of_key;
        if line == shown || is_same {
            return;
        }
        for value in replaced_parts(line, shown) {
            let mut hasher = DefaultHasher::new();
            value.hash(&mut hasher);
            self.values.insert(hasher.finish());
        }
    }

    /// Adds those of another text.
    pub(crate) fn extend(&mut self, other: &Self) {
        self.values.extend(&other.values);
        self.is_in_key = false;
    }

    /// How many secrets they are.
    pub(crate) fn count(&self) -> usize {
        self.values.len()
    }
}

/// The parts of a line for which placeholders stand; all of it where that cannot be told.
fn replaced_parts<'l>(line: &'l str, shown: &str) -> Vec<&'l str> {
    let mut pieces = shown.split(PLACEHOLDER);
    let first = pieces.next().unwrap_or_default();
    let kept = pieces.map(|piece| piece.split_once(']').map_or("", |(_, rest)| rest));
    let kept: Vec<&str> = kept.collect();
    let Some(mut rest) = line.strip_prefix(first) else {
        return vec![line];
    };
    let mut parts = Vec::new();
    for (at, piece) in kept.iter().enumerate() {
        let is_last = at + 1 == kept.len();
        let end = match (is_last, piece.is_empty()) {
            (true, _) if rest.ends_with(piece) => Some(rest.len() - piece.len()),
            (false, false) => rest.find(piece),
            _ => None,
        };
        let Some(end) = end else {
            parts.push(rest);
            break;
        };
        parts.push(&rest[..end]);
        rest = &rest[end + piece.len()..];
    }
    // One that stood there as a placeholder already is no secret of this text.
    parts.retain(|part| !part.starts_with(PLACEHOLDER));
    parts
}

#[cfg(test)]
mod tests {
    use council_secrets::Redactor;
    use proptest::prelude::*;

    use super::*;

    fn count(text: &str) -> usize {
        let shown = Redactor::default().redact_source(Some("a.py"), text).text;
        HiddenValues::of_text(text, &shown).count()
    }

    fn token(seed: &str) -> String {
        format!("ghp_{}", seed.repeat(9))
    }

    #[test]
    fn a_value_counts_once_wherever_it_stands() {
        let (one, other) = (token("a1B2"), token("z9Y8"));
        assert_eq!(count("x = 1\n"), 0);
        assert_eq!(count(&format!("a = '{one}'\nb = '{one}'  # {one}\n")), 1);
        assert_eq!(count(&format!("f('{one}', '{other}')\n")), 2);
        let key = [
            "-----BEGIN ",
            "PRIVATE KEY-----\n",
            &"MIIEvQIBADANBgkq\n".repeat(9),
        ]
        .concat();
        let key = format!("{key}-----END {}", "PRIVATE KEY-----\n");
        assert_eq!(count(&key), 1, "a key of many lines is one secret");
    }

    proptest! {
        #[test]
        fn the_count_is_that_of_the_values_and_not_of_their_places(
            places in proptest::collection::vec(0..4usize, 0..12),
        ) {
            let tokens = ["a1B2", "z9Y8", "Qw3e", "T7r6"].map(token);
            let line = |at: &usize| format!("call('{}')\n", tokens[*at]);
            let text: String = places.iter().map(line).collect();
            let distinct: BTreeSet<_> = places.iter().collect();
            prop_assert_eq!(count(&text), distinct.len());
        }
    }
}
