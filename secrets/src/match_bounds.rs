//! What of a line belongs to a secret that was found in it: its head, its end, its name, and whether it is a piece of
//! something longer.

use std::ops::Range;

use regex::Captures;

use crate::plausible::looks_random;

/// Where the word goes on that the last token of a line stands in: many tokens may stand in one, and each of them would
/// look for its end again.
#[derive(Debug, Default)]
pub(crate) struct WordTail(Range<usize>);

impl WordTail {
    /// Where the word ends that goes on at `from`.
    fn end_from(&mut self, line: &str, from: usize) -> usize {
        if !self.0.contains(&from) {
            let is_tail = |b: &u8| b.is_ascii_alphanumeric() || b"_-".contains(b);
            let after = &line.as_bytes()[from..];
            self.0 = from..from + after.iter().take_while(|b| is_tail(b)).count();
        }
        self.0.end.max(from)
    }
}

/// A secret with what of its match belongs to the same word: nothing is left of a token, not even how all of its kind
/// begin.
pub(crate) fn whole_token(
    line: &str,
    whole: &Range<usize>,
    secret: Range<usize>,
    tail: &mut WordTail,
) -> Range<usize> {
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || b"_-.".contains(b);
    let before = &line.as_bytes()[whole.start..secret.start];
    // The dashes around `BEGIN PRIVATE KEY` are no part of the key.
    let left = match before.ends_with(b"--") {
        true => 0,
        false => before.iter().rev().take_while(|b| is_word(b)).count(),
    };
    let end = if line.as_bytes()[secret.end..].starts_with(b"--") {
        secret.end
    } else {
        tail.end_from(line, secret.end)
    };
    secret.start - left..end
}

/// The name before a value, with what stands of it before the word that says secret; or the host behind a password.
pub(crate) fn label_of(found: &Captures<'_>, line: &str) -> Option<Range<usize>> {
    if let Some(host) = found.name("host") {
        return Some(host.range());
    }
    let name = found.name("name")?;
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || b"_.-".contains(b);
    let before = &line.as_bytes()[..name.start()];
    let more = before.iter().rev().take_while(|b| is_word(b)).count();
    Some(name.start() - more..name.end())
}

/// Whether a token is a piece of something longer in base64: an image, a font, a hash. Where nothing but four letters
/// within it gives a token of its kind away, it stands alone.
pub(crate) fn is_of_blob(
    line: &str,
    whole: &Range<usize>,
    secret: &Range<usize>,
    stands_alone: bool,
) -> bool {
    let is_standard = |b: u8| b.is_ascii_alphanumeric() || b"+/".contains(&b);
    let is_of_url = |b: u8| b.is_ascii_alphanumeric() || b"-_".contains(&b);
    let (before, behind) = (&line[..whole.start], &line[secret.end..]);
    if stands_alone {
        let before = &line[..secret.start];
        return before.bytes().next_back().is_some_and(is_standard)
            || behind.bytes().next().is_some_and(is_standard);
    }
    let token = &line[whole.clone()];
    let is_among = |is_sign: &dyn Fn(u8) -> bool| {
        token.bytes().all(is_sign)
            && (is_drawn_end(before.bytes().rev(), is_sign)
                || is_drawn_end(behind.bytes(), is_sign))
    };
    is_among(&is_standard) || is_among(&is_of_url)
}

/// Whether what stands on one side of a token goes on like it, at some length.
fn is_drawn_end(side: impl Iterator<Item = u8>, is_sign: &dyn Fn(u8) -> bool) -> bool {
    const NEAR: usize = 64;
    const MIN_BLOB: usize = 24;
    let run: String = side
        .take(NEAR)
        .take_while(|b| is_sign(*b))
        .map(char::from)
        .collect();
    run.len() >= MIN_BLOB && looks_random(&run)
}

#[cfg(test)]
mod laws {
    use proptest::prelude::*;

    use super::*;
    use crate::glue::{is_within, join_ranges};

    /// What is meant by the end of a word and by a place within one of many words, as slow as it can be said.
    fn plain_end(line: &str, from: usize) -> usize {
        let is_tail = |b: &&u8| b.is_ascii_alphanumeric() || b"_-".contains(b);
        from + line.as_bytes()[from..].iter().take_while(is_tail).count()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_end_of_a_word_is_the_same_wherever_it_was_looked_for_before(
            line in "[a_. -]{0,40}", mut from in prop::collection::vec(0_usize..41, 1..8),
        ) {
            from.sort_unstable();
            let mut tail = WordTail::default();
            for at in from.into_iter().filter(|&at| at <= line.len()) {
                prop_assert_eq!(tail.end_from(&line, at), plain_end(&line, at));
            }
        }

        #[test]
        fn a_place_is_within_ranges_as_within_one_of_them(
            ranges in prop::collection::vec((0_usize..30, 1_usize..6), 0..8), at in 0_usize..40,
        ) {
            let ranges: Vec<_> = ranges.into_iter().map(|(start, length)| start..start + length).collect();
            prop_assert_eq!(is_within(&join_ranges(&ranges), at), ranges.iter().any(|range| range.contains(&at)));
        }
    }
}
