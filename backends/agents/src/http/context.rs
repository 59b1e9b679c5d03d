//! Whether a model was shown the whole prompt: some servers cut what their context window does not hold, and answer.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Mutex, PoisonError};

use council_protocol::message::Usage;
use council_protocol::tokens::min_tokens;
use council_protocol::{Failure, FailureKind};

/// A smaller prompt fits any window; a template's overhead would blur the comparison.
const MIN_TOKENS: u64 = 256;

/// No tokenizer makes more tokens than this of a text: two letters, or one byte of another script, are a token at least.
fn max_tokens(text: &str) -> u64 {
    let plain = text.bytes().filter(u8::is_ascii).count() as u64;
    plain.div_ceil(2) + (text.len() as u64 - plain)
}

/// The smallest context window that a server is run with.
const MIN_WINDOW: u64 = 2_000;

/// Whether servers are run with windows of exactly so many tokens: a small multiple of a power of two, or of a thousand of
/// them. A whole prompt has such a number in two of a thousand cases at most, and a judge that is lost is told; a part of a
/// change that nobody was shown is not.
fn is_usual_window(tokens: u64) -> bool {
    let odd_part = |number: u64| number >> number.trailing_zeros().min(63);
    let is_binary = odd_part(tokens) <= 7;
    let is_decimal = tokens.is_multiple_of(1_000) && odd_part(tokens / 1_000) <= 5;
    tokens >= MIN_WINDOW && (is_binary || is_decimal)
}

/// Whether a server may cut a prompt in silence: these answer one that is too long with an error.
fn may_cut(host: &str) -> bool {
    let never = [
        "api.anthropic.com",
        "api.openai.com",
        "generativelanguage.googleapis.com",
    ];
    !never.contains(&host)
}

/// What servers said that they have read of the prompts of a run, by the brief that these begin with: which prompt it was, and
/// what was read of it. Models of one machine share its window. Prompts with other briefs (the parts of a large change) may
/// be the same number by chance.
#[derive(Debug, Default)]
pub(super) struct WindowReports(Mutex<HashMap<u64, Vec<(u64, u64)>>>);

impl WindowReports {
    /// Keeps a report; true: it is the very number that was read of another prompt.
    fn repeats_another(&self, brief: &str, prompt: u64, read: u64) -> bool {
        let mut hasher = DefaultHasher::new();
        brief.hash(&mut hasher);
        let mut reports = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let earlier = reports.entry(hasher.finish()).or_default();
        let is_other = |before: &(u64, u64)| before.1 == read && before.0 != prompt;
        let repeats = earlier.iter().any(is_other);
        earlier.push((prompt, read));
        repeats
    }
}

/// What a server's count says of the prompt that it was sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PromptCount {
    /// Nothing speaks against it that the model was shown all of it.
    Whole,
    /// The model cannot have been shown all of it.
    Cut(Failure),
    /// It is one of the numbers that a server reports which has cut a prompt. A whole prompt may have it by chance: this is
    /// the failure that it is unless the server is found to read more than that.
    Doubtful { read: u64, failure: Failure },
}

/// Where a prompt was sent.
#[derive(Clone, Copy)]
pub(super) struct PromptPlace<'a> {
    pub(super) host: &'a str,
    /// What the prompt begins with, and shares with those of other judges.
    pub(super) brief: &'a str,
    pub(super) reports: &'a WindowReports,
}

/// An answer to a prompt of which the model has read less than was sent is none. A server that cuts a prompt reports what
/// its window holds: less than the prompt makes, a usual window, or the same number for different prompts.
pub(super) fn check_context<'t>(
    place: PromptPlace<'_>,
    sent: impl Iterator<Item = &'t str>,
    usage: &Usage,
) -> PromptCount {
    let host = place.host;
    // No prompt has no tokens: a server that says so has not counted.
    let Some(read) = usage.all_input_tokens().filter(|&read| read > 0) else {
        return PromptCount::Whole;
    };
    let (mut least, mut most) = (0, 0);
    let mut prompt = DefaultHasher::new();
    for text in sent {
        least += min_tokens(text);
        most += max_tokens(text);
        text.hash(&mut prompt);
    }
    if least < MIN_TOKENS {
        return PromptCount::Whole;
    }
    let failure = |mut detail: String| {
        add_advice(&mut detail, least.max(read / 2));
        Failure::new(FailureKind::ContextCut, detail)
    };
    if read < least {
        return PromptCount::Cut(failure(format!(
            "the server at {host} has read {read} tokens of a prompt of at least {least}: the model was shown only a part. "
        )));
    }
    if read >= most || !may_cut(host) {
        return PromptCount::Whole;
    }
    let repeats = place
        .reports
        .repeats_another(place.brief, prompt.finish(), read);
    let detail = if is_usual_window(read) {
        format!(
            "the server at {host} has read exactly {read} tokens, the size of a context window, of a prompt of at least \
             {least}: the model was most likely shown only a part. "
        )
    } else if repeats {
        format!(
            "the server at {host} has read exactly {read} tokens of different prompts, this one of at least {least}: the \
             model was most likely shown only a part. "
        )
    } else {
        return PromptCount::Whole;
    };
    PromptCount::Doubtful {
        read,
        failure: failure(detail),
    }
}

/// A server that has read as much as its window holds has most likely cut the prompt, and has no room for an answer if not.
pub(super) fn full_window(host: &str, read: u64, window: u64) -> Failure {
    let mut detail = format!(
        "the server at {host} has read {read} tokens and runs the model with a context window of {window}, which is full: \
         the model was most likely shown only a part. "
    );
    add_advice(&mut detail, window);
    Failure::new(FailureKind::ContextCut, detail)
}

fn add_advice(detail: &mut String, least: u64) {
    // Writing to a string cannot fail.
    let _ = write!(
        detail,
        "Enlarge its context window (Ollama: OLLAMA_CONTEXT_LENGTH={}, or `num_ctx` of the model), or lower `limits.context`, \
         by which no line of the change is lost, or `limits.brief`",
        // What is counted here is the least that any tokenizer makes of it: real ones make up to twice as much, and the
        // answer needs room as well.
        (least * 3).next_power_of_two()
    );
}

/// A prompt that goes on where the last one of `before` tokens ended, with at least `grown` more, has more tokens than that:
/// a server that drops the oldest messages reports what its window holds.
pub(super) fn check_growth(host: &str, before: u64, read: u64, grown: u64) -> Result<(), Failure> {
    if read > before || grown < MIN_TOKENS || !may_cut(host) {
        return Ok(());
    }
    let mut detail = format!(
        "the server at {host} has read {read} tokens of a prompt that is at least {grown} longer than the one before it, \
         of which it read {before}: the model was shown only a part. "
    );
    add_advice(&mut detail, before + grown);
    Err(Failure::new(FailureKind::ContextCut, detail))
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;

    /// How GPT, Llama and Qwen split a text before they look for tokens in its parts.
    fn parts_of(text: &str) -> u64 {
        static PATTERN: LazyLock<regex::Regex> = LazyLock::new(|| {
            let parts = concat!(
                r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}+| ?[^\s\p{L}\p{N}]+[\r\n/]*",
                r"|\s*[\r\n]+|\s+"
            );
            regex::Regex::new(parts).unwrap()
        });
        PATTERN.find_iter(text).count() as u64
    }

    /// The check of a prompt that is the first one of its run.
    fn check_context<'t>(
        host: &str,
        sent: impl Iterator<Item = &'t str>,
        usage: &Usage,
    ) -> Result<(), Failure> {
        let reports = WindowReports::default();
        outcome(super::check_context(place(host, &reports), sent, usage))
    }

    /// What comes of a prompt whose server cannot be asked.
    fn outcome(count: PromptCount) -> Result<(), Failure> {
        match count {
            PromptCount::Whole => Ok(()),
            PromptCount::Cut(failure) | PromptCount::Doubtful { failure, .. } => Err(failure),
        }
    }

    fn place<'a>(host: &'a str, reports: &'a WindowReports) -> PromptPlace<'a> {
        PromptPlace {
            host,
            brief: "",
            reports,
        }
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
            chars in proptest::collection::vec(prop::sample::select("abé\u{301}क\u{94d}09(){};./=\"' \t\r\n".chars().collect::<Vec<_>>()), 0..90),
        ) {
            let text: String = chars.into_iter().collect();
            let sent = || std::iter::repeat_n(text.as_str(), 20);
            let read: u64 = sent().map(parts_of).sum();
            let usage = counted(read + u64::from(is_usual_window(read)), 0);
            prop_assert_eq!(check_context("h", sent(), &usage), Ok(()));
        }

        /// However a text is split, as many parts as are counted here are there.
        #[test]
        fn no_text_has_fewer_parts_than_are_counted(text in "[a-zé0-9(){};./=\"' \t\n]{0,80}|\\PC{0,80}") {
            prop_assert!(min_tokens(&text) <= parts_of(&text), "{:?}: {} {}", text, min_tokens(&text), parts_of(&text));
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// A law: whatever number a window has, a server that fills it with two prompts is seen, however near their sizes
        /// are, and one that counts each of them is not; nor is one that is sent the same twice.
        #[test]
        fn one_number_for_two_prompts_is_a_cut(lines in 2_000..4_000_u64, more in 1..40_u64, share in 93..100_u64) {
            let text = |lines: u64| "some ordinary words here\n".repeat(lines as usize);
            let (one, two) = (text(lines), text(lines + more));
            let window = parts_of(&one) * (100 + share) / 200;
            prop_assume!(!is_usual_window(window) && window > min_tokens(&two));
            let reports = WindowReports::default();
            let check = |text: &str, read| {
                outcome(super::check_context(place("h", &reports), [text].into_iter(), &counted(read, 0)))
            };
            prop_assert_eq!(check(&one, window), Ok(()));
            prop_assert_eq!(check(&one, window), Ok(()));
            prop_assert!(check(&two, window).is_err());
            // Two parts of a large change may be one number by chance.
            let part = PromptPlace { brief: "another part", ..place("h", &reports) };
            let read = counted(window, 0);
            prop_assert_eq!(super::check_context(part, [&*two].into_iter(), &read), PromptCount::Whole);
            let reports = WindowReports::default();
            let check = |text: &str| {
                let read = parts_of(text);
                let read = counted(read + u64::from(is_usual_window(read)), 0);
                outcome(super::check_context(place("h", &reports), [text].into_iter(), &read))
            };
            prop_assert_eq!(check(&one), Ok(()));
            prop_assert_eq!(check(&two), Ok(()));
        }

        /// A server that reports exactly a usual window has cut the prompt, however close it came to hold all of it.
        #[test]
        fn a_report_of_exactly_a_window_is_a_cut(odd in 0..4_u64, power in 11..15_u32) {
            let window: u64 = (2 * odd + 1) << power;
            let text = "some words\n".repeat(window as usize / 5);
            let check = |read| check_context("h", [text.as_str()].into_iter(), &counted(read, 0));
            prop_assert!(check(window).is_err());
            prop_assert_eq!(check(window + 1), Ok(()));
            // These never cut, and a text of half the size cannot have filled the window.
            for host in ["api.anthropic.com", "api.openai.com", "generativelanguage.googleapis.com"] {
                prop_assert_eq!(check_context(host, [text.as_str()].into_iter(), &counted(window, 0)), Ok(()));
            }
            let short = &text[..window as usize];
            prop_assert_eq!(check_context("h", [short].into_iter(), &counted(window, 0)), Ok(()));
        }
    }
}
