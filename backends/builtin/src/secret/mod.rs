//! What tells a secret from a placeholder, and how to quote a line without showing one.

mod assigned;
mod token;
mod url;

use std::collections::BTreeMap;
use std::ops::Range;

pub(crate) use assigned::find_assigned;
pub(crate) use token::find_token;
pub(crate) use url::find_in_url;

/// Shannon entropy in bits per character: about 4 and more for random letters and digits, 3 and less for words.
pub(crate) fn shannon_entropy(text: &str) -> f64 {
    let mut counts: BTreeMap<char, f64> = BTreeMap::new();
    for c in text.chars() {
        *counts.entry(c).or_default() += 1.0;
    }
    let total: f64 = counts.values().sum();
    -counts
        .values()
        .map(|n| n / total * (n / total).log2())
        .sum::<f64>()
}

/// Whether a value stands for a secret rather than being one: an example, a template, a counting sequence.
pub(crate) fn is_placeholder(value: &str) -> bool {
    const WORDS: [&str; 19] = [
        "example",
        "placeholder",
        "changeme",
        "change_me",
        "change-me",
        "your",
        "xxxx",
        "****",
        "....",
        "dummy",
        "fake",
        "sample",
        "redacted",
        "insert",
        "replace",
        "todo",
        "notreal",
        "secret_key_here",
        "abcdefgh",
    ];
    const SEQUENCES: [&str; 5] = ["1234567", "7654321", "0000000", "aaaaaa", "deadbeef"];
    const TEMPLATES: [&str; 7] = ["${", "{{", "$(", "%(", "<", "#{", "{}"];
    let lower = value.to_ascii_lowercase();
    WORDS
        .iter()
        .chain(&SEQUENCES)
        .chain(&TEMPLATES)
        .any(|mark| lower.contains(mark))
}

/// Text of a line that proves where a secret stands without showing it: what is before it, else what is after it, else
/// its first characters.
pub(crate) fn quote_around<'t>(line: &'t str, secret: &Range<usize>) -> &'t str {
    // A quote shorter than this proves nothing (`council_protocol::evidence::SHORTEST_QUOTE`).
    let enough = |text: &str| text.split_whitespace().map(str::len).sum::<usize>() >= 4;
    let (before, after) = (&line[..secret.start], &line[secret.end..]);
    if enough(before) {
        before
    } else if enough(after) && find_secret(after).is_none() {
        after
    } else {
        let shown = line[secret.start..]
            .char_indices()
            .nth(4)
            .map_or(secret.end, |(n, _)| secret.start + n);
        &line[secret.start..shown]
    }
}

/// Where the first secret of a text stands, if there is one.
pub(crate) fn find_secret(text: &str) -> Option<Range<usize>> {
    if !may_hold_one(text) {
        return None;
    }
    let places = [
        find_token(text).map(|(_, at)| at),
        find_assigned(text, false).map(|(_, at)| at),
        find_in_url(text).map(|(_, at)| at),
    ];
    places.into_iter().flatten().min_by_key(|at| at.start)
}

/// Whether it is worth looking: a password in a URL, or a long word with a digit in it.
fn may_hold_one(text: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || "_-+/=.".contains(c);
    let long = |w: &str| w.len() >= 12 && w.bytes().any(|b| b.is_ascii_digit());
    text.contains('@') || text.split(|c| !word(c)).any(long)
}

/// A quote of one line without the secret that it may hold.
pub(crate) fn without_secret(quote: &str) -> &str {
    find_secret(quote).map_or(quote, |secret| quote_around(quote, &secret).trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_text_has_more_entropy_than_words() {
        assert!(shannon_entropy("Zk3pQ9vXw2LmT7rB8sYc") > 4.0);
        assert!(shannon_entropy("passwordpassword") < 3.1);
        assert!(shannon_entropy("aaaa") < 0.1);
    }

    #[test]
    fn a_secret_is_not_in_its_quote() {
        let line = "token = \"s3cr3tvalue\"";
        assert_eq!(quote_around(line, &(9..20)), "token = \"");
        assert_eq!(quote_around("s3cr3tvalue", &(0..11)), "s3cr");
        assert_eq!(quote_around("\"s3cr3tvalue\": true", &(1..12)), "\": true");
    }

    #[test]
    fn placeholders_are_known() {
        for value in [
            "AKIAIOSFODNN7EXAMPLE",
            "${TOKEN}",
            "your-token-here",
            "ghp_xxxxxxxxxxxx",
            "<token>",
        ] {
            assert!(is_placeholder(value), "{value}");
        }
        assert!(!is_placeholder("Zk3pQ9vXw2LmT7rB8sYc"));
    }
}
