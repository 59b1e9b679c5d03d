//! Whether a model was shown the whole prompt: some servers cut what their context window does not hold, and answer.

use std::fmt::Write as _;

use council_protocol::message::Usage;
use council_protocol::{Failure, FailureKind};

/// A smaller prompt fits any window; a template's overhead would blur the comparison.
const MIN_TOKENS: u64 = 256;

/// At least so many tokens does any tokenizer in use make of a text: each splits where letters, digits and marks meet, but
/// may take one mark to the letters behind it. Chinese, Japanese and Korean are written without blanks: no tokenizer in use
/// makes less than two tokens of five of their characters. Some join more now and then, so a quarter is given away.
pub(super) fn min_tokens(text: &str) -> u64 {
    let (mut runs, mut last, mut length) = (0_u64, CharClass::Blank, 0);
    let mut unspaced = 0_u64;
    for c in text.chars() {
        unspaced += u64::from(is_unspaced(c));
        let class = CharClass::of(c);
        let is_joined = (last, length, class) == (CharClass::Mark, 1, CharClass::Letter);
        if class != last {
            runs += u64::from(class != CharClass::Blank && !is_joined);
            length = 0;
        }
        length += 1;
        last = class;
    }
    let least = runs.max(unspaced * 2 / 5);
    least - least / 4
}

/// Whether a character is of a script in which words are not set apart.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{20000}'..='\u{3ffff}')
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CharClass {
    Blank,
    Letter,
    Digit,
    Mark,
}

impl CharClass {
    fn of(c: char) -> Self {
        match c {
            _ if c.is_whitespace() => Self::Blank,
            _ if c.is_alphabetic() => Self::Letter,
            _ if c.is_numeric() => Self::Digit,
            _ => Self::Mark,
        }
    }
}

/// An answer to a prompt of which the model has read far less than was sent is none.
pub(super) fn check_context<'t>(
    host: &str,
    sent: impl Iterator<Item = &'t str>,
    usage: &Usage,
) -> Result<(), Failure> {
    // No prompt has no tokens: a server that says so has not counted.
    let Some(read) = usage.all_input_tokens().filter(|&read| read > 0) else {
        return Ok(());
    };
    let least: u64 = sent.map(min_tokens).sum();
    if least < MIN_TOKENS || read >= least {
        return Ok(());
    }
    let mut detail = format!(
        "the server at {host} has read {read} tokens of a prompt of at least {least}: the model was shown only a part. "
    );
    let _ = write!(
        detail,
        "Enlarge its context window (Ollama: OLLAMA_CONTEXT_LENGTH={}, or `num_ctx` of the model), or lower `limits.brief`",
        // What is counted here is the least that any tokenizer makes of it: real ones make up to three times as much.
        (least * 4).next_power_of_two()
    );
    Err(Failure::new(FailureKind::ContextCut, detail))
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;

    /// How GPT, Llama and Qwen split a text before they look for tokens in its parts; blanks left out.
    fn parts_of(text: &str) -> u64 {
        static PATTERN: LazyLock<regex::Regex> = LazyLock::new(|| {
            let parts = r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*";
            regex::Regex::new(parts).unwrap()
        });
        PATTERN.find_iter(text).count() as u64
    }

    fn counted(tokens: u64, cached: u64) -> Usage {
        Usage {
            input_tokens: Some(tokens),
            cached_tokens: Some(cached),
            ..Usage::default()
        }
    }

    #[test]
    fn a_cut_prompt_is_told_from_a_whole_one() {
        let brief = "fn main() { let total = compute_total(42, items); }\n".repeat(400);
        let check = |usage: &Usage| check_context("localhost", [brief.as_str()].into_iter(), usage);
        let failure = check(&counted(2_048, 0)).unwrap_err();
        assert_eq!(failure.kind, FailureKind::ContextCut);
        assert!(
            failure.detail.contains("OLLAMA_CONTEXT_LENGTH="),
            "{failure}"
        );
        // A real tokenizer makes 6,400 or so of it, wherever they are read from.
        assert_eq!(check(&counted(6_400, 0)), Ok(()));
        assert_eq!(check(&counted(400, 6_000)), Ok(()));
        assert_eq!(check(&Usage::default()), Ok(()), "nobody counted");
        assert_eq!(check(&counted(0, 0)), Ok(()), "nobody counted");
        assert_eq!(
            check_context("h", ["short"].into_iter(), &counted(0, 0)),
            Ok(())
        );
    }

    /// 60,000 characters without a blank are not read as 16,384 tokens.
    #[test]
    fn a_cut_prompt_is_seen_in_scripts_without_blanks() {
        let text: String = (0..60_000_u32)
            .filter_map(|n| char::from_u32(0x4e00 + n % 20_000))
            .collect();
        let check = |read| check_context("h", [text.as_str()].into_iter(), &counted(read, 0));
        assert!(check(16_384).is_err());
        // Half a token for a character is less than any tokenizer in use makes of prose.
        assert_eq!(check(30_000), Ok(()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        /// Whatever is sent whole is never taken for cut.
        #[test]
        fn a_whole_prompt_is_never_taken_for_a_cut_one(
            chars in proptest::collection::vec(prop::sample::select("abé09(){};.=\"' \t\n".chars().collect::<Vec<_>>()), 0..90),
        ) {
            let text: String = chars.into_iter().collect();
            let sent = || std::iter::repeat_n(text.as_str(), 20);
            let usage = counted(sent().map(parts_of).sum(), 0);
            prop_assert_eq!(check_context("h", sent(), &usage), Ok(()));
        }

        /// A window of half of a prompt of ordinary words is always seen.
        #[test]
        fn half_of_a_prompt_is_always_taken_for_cut(length in 1..9_usize, words in 400..500_u64) {
            let word = "a".repeat(length) + " ";
            let sent = || std::iter::repeat_n(word.as_str(), words as usize);
            prop_assert!(check_context("h", sent(), &counted(words / 2, 0)).is_err());
            prop_assert!(check_context("h", sent(), &counted(0, words / 2)).is_err());
            prop_assert!(check_context("h", sent(), &counted(0, 0)).is_ok());
        }
    }
}
