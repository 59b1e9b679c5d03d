//! Tokens that nothing but their shape gives away, and no word that could be searched for: those of Discord's bots. They
//! are the bot's number in base64, a few signs for the time, and a signature, with dots between.

use std::ops::Range;

use crate::encoded_key::decode_base64;

/// The kind of the row in the table that speaks of them.
pub(crate) const KIND: &str = "discord-token";

/// Signs of a number of 17 to 20 digits in base64.
const NUMBER: std::ops::RangeInclusive<usize> = 23..=27;

/// The shortest run of signs that may hold such a token.
pub(crate) const MIN_RUN: usize = *NUMBER.start();

/// Signs for the time at which the token was made.
const TIME: std::ops::RangeInclusive<usize> = 6..=7;

/// Signs of the signature; no more than so many are looked at.
const SIGNATURE: std::ops::RangeInclusive<usize> = 27..=48;

/// Where such tokens stand in a line.
pub(crate) fn bare_tokens(line: &str) -> impl Iterator<Item = Range<usize>> {
    let dots = memchr::memchr_iter(b'.', line.as_bytes());
    dots.filter_map(|dot| token_around(line.as_bytes(), dot))
}

/// Whether a line holds such a token.
pub fn holds_bare_token(line: &str) -> bool {
    bare_tokens(line).next().is_some()
}

/// The token whose first dot this is.
fn token_around(line: &[u8], dot: usize) -> Option<Range<usize>> {
    let time = run_at(&line[dot + 1..], *TIME.end());
    let signed_from = dot + 1 + time + 1;
    if !TIME.contains(&time) || line.get(signed_from - 1) != Some(&b'.') {
        return None;
    }
    let signature = run_at(&line[signed_from..], *SIGNATURE.end());
    let before = line[..dot].iter().rev().take(*NUMBER.end());
    let signs = before.take_while(|b| is_sign(**b)).count();
    let is_number = |digits: &[u8]| {
        let digits = decode_base64(digits);
        (17..=20).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit)
    };
    // What stands before it may seem to go on in it: the end of an escape, an underscore.
    let mut lengths = NUMBER.rev().filter(|length| *length <= signs);
    let number = lengths.find(|length| is_number(&line[dot - length..dot]))?;
    let is_signed = SIGNATURE.contains(&signature);
    is_signed.then_some(dot - number..signed_from + signature)
}

/// How many signs of such a token follow each other, as far as somebody looks.
fn run_at(text: &[u8], most: usize) -> usize {
    text.iter()
        .take(most + 1)
        .take_while(|b| is_sign(**b))
        .count()
}

fn is_sign(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_".contains(&byte)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::encoded_key::tests::encode;
    use crate::{Redactor, SecretTable};

    proptest! {
        /// Whatever stands around it, a bot's token is found from its first sign to its last one, and hidden.
        #[test]
        fn the_token_of_a_bot_is_found_without_any_word(
            number in "[1-9][0-9]{16,19}", time in "G[A-Za-z0-9_-]{5}", signature in "[A-Za-z0-9_-]{27,38}",
            before in "([ \"'=(,:_-]{0,6}|bot|%22|\\\\u0022|\\\\n|1)", behind in "[ \"'),;]{0,6}",
        ) {
            let number = encode(number.as_bytes());
            let token = format!("{}.{time}.{signature}", number.trim_end_matches('='));
            let line = format!("{before}{token}{behind}");
            prop_assert_eq!(bare_tokens(&line).collect::<Vec<_>>(), vec![before.len()..before.len() + token.len()]);
            let shown = Redactor::default().redact_source(None, &line).text;
            prop_assert!(!shown.contains(&signature) && !shown.contains(&number[..8]), "{}", shown);
            let found = SecretTable::built_in().find_secrets(&line);
            prop_assert!(found.iter().any(|found| found.kind == KIND && found.is_provider));
        }

        /// The same signs about anything but a number are none.
        #[test]
        fn other_words_with_dots_are_none(
            text in "[a-zA-Z]{17,19}", time in "[A-Za-z0-9_-]{6}", signature in "[A-Za-z0-9_-]{27,38}",
        ) {
            let text = encode(text.as_bytes());
            let line = format!("{}.{time}.{signature}", text.trim_end_matches('='));
            prop_assert!(!holds_bare_token(&line));
        }

        #[test]
        fn any_line_is_read(line in "[A-Za-z0-9._é-]{0,90}") {
            for found in bare_tokens(&line) {
                prop_assert!(line.is_char_boundary(found.start) && line.is_char_boundary(found.end));
            }
        }
    }
}
