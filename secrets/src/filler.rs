//! What tells a token that nobody drew: an example of a page, a row of the same sign, a counting row.
//!
//! A bound on entropy does not: one of 120 ids of AWS has so many letters twice that it falls below that of a sentence.
//! Whatever is let go here must be so unlikely among drawn signs that no real token is ever taken for it.

use std::sync::LazyLock;

use crate::plausible::shannon_entropy;
use crate::word_finder::WordFinder;

/// Words that no drawn token holds by accident: each sign of a token is one of 16 and more.
const WORDS: [&str; 16] = [
    "example",
    "placeholder",
    "changeme",
    "change_me",
    "change-me",
    "sample",
    "redacted",
    "insert",
    "replace",
    "notreal",
    "secret_key_here",
    "abcdefgh",
    "deadbeef",
    "${",
    "{{",
    "$(",
];

/// Words that a long token may hold by accident: they count as a part of their own, or at the head of a text without a
/// digit.
const SHORT_WORDS: [&str; 5] = ["your", "dummy", "fake", "todo", "xxxx"];

/// Whether letters are in lower case, in upper case or with a capital: drawn ones are of both cases at random.
pub(crate) fn has_one_case(part: &str) -> bool {
    let rest = part.get(1..).unwrap_or_default();
    let has_lower = part.bytes().any(|b| b.is_ascii_lowercase());
    !has_lower || !rest.bytes().any(|b| b.is_ascii_uppercase())
}

/// Whether a token's random part was written rather than drawn.
pub(crate) fn is_filler(random: &str) -> bool {
    static MARKS: LazyLock<Option<WordFinder>> =
        LazyLock::new(|| WordFinder::new(WORDS.iter().copied()).ok());
    let mut marks = MARKS
        .iter()
        .flat_map(|marks| marks.for_text(random).find_iter(random));
    marks.any(|mark| has_one_case(&random[mark.range()]))
        || has_short_word(random)
        || has_regular_run(random.as_bytes())
        || is_repeated(random.as_bytes())
        || shannon_entropy(random) <= 2.0
}

fn has_short_word(random: &str) -> bool {
    let is_short = |part: &str| {
        let mut words = SHORT_WORDS.iter();
        words.any(|word| part.eq_ignore_ascii_case(word) && has_one_case(part))
    };
    let is_head = |word: &&str| {
        let head = random.get(..word.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(word) && has_one_case(head))
    };
    let has_digit = random.bytes().any(|b| b.is_ascii_digit());
    random.split(['-', '_', '.']).any(is_short) || (!has_digit && SHORT_WORDS.iter().any(is_head))
}

/// Whether a good part of a text is the same sign again and again, or counts up or down: `00000000`, `12345678`.
fn has_regular_run(signs: &[u8]) -> bool {
    const MIN_RUN: usize = 8;
    const MIN_SHARE: usize = 6;
    let least = MIN_RUN.max(signs.len() / MIN_SHARE);
    let steps: Vec<i16> = signs
        .windows(2)
        .map(|pair| i16::from(pair[1]) - i16::from(pair[0]))
        .collect();
    let mut runs = steps.chunk_by(|a, b| a == b);
    runs.any(|run| run[0].abs() <= 1 && run.len() + 1 >= least)
}

/// Whether a text is one part written three times and more, perhaps cut at its end.
fn is_repeated(signs: &[u8]) -> bool {
    (1..=signs.len() / 3).any(|period| signs[period..] == signs[..signs.len() - period])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_pages_show_is_filler() {
        for text in [
            "IOSFODNN7EXAMPLE",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "00000000000000000000",
            "1234567890abcdefghijklmnopqrstuvwxyz",
            "0123456789abcdef0123456789abcdef",
            "foobarfoobarfoobarfoobar",
            "yourtokengoeshere",
            "your-token-here",
            "api03-FAKE-abcdeg-1a2b3c",
            "1111-2222-3333-xxxx",
        ] {
            assert!(is_filler(text), "{text}");
        }
        assert!(!is_filler("YHMIUMM6WCWHHP6W") && !is_filler("a0TODOb9Zk3pQ9vXw2LmT7rB8sYc"));
    }

    proptest! {
        /// Whatever is drawn is no filler, however often a sign of it comes again.
        #[test]
        fn what_is_drawn_is_no_filler(
            id in "[A-Z2-7]{16}", hex in "[0-9a-f]{32}", long in "[A-Za-z0-9]{36,64}", word in "[A-Za-z0-9_-]{40}",
        ) {
            for text in [id, hex, long, word] {
                prop_assert!(!is_filler(&text), "{text}");
            }
        }
    }
}
