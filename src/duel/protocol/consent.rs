//! What speaks for a change in the words that people and models use, and what speaks against it beside that.
//!
//! Consent is bare: whoever approves under a condition, or names a defect beside the vote, has not approved. A doubt that is
//! misread costs a round, a consent that is misread costs the verdict.

use crate::council::consent::{APPROVALS, CONDITIONS, REASSURING, RESERVATIONS, RETRACTIONS};
use crate::council::plain_words::{HARMLESS, NEGATIONS, TERMS, Words};

/// Whether a section that names no vote and answers nothing still says that it found nothing.
pub(crate) fn is_approval(text: &str) -> bool {
    Words::of(text).has_any(APPROVALS)
}

/// Words that name something wrong with code.
const DEFECTS: &[&str] = &[
    "bug",
    "bugs",
    "buggy",
    "crash",
    "crashes",
    "crashed",
    "crashing",
    "fails",
    "failing",
    "failure",
    "breaks",
    "broken",
    "breakage",
    "error",
    "errors",
    "raises",
    "throws",
    "panics",
    "panic",
    "exception",
    "segfault",
    "segfaults",
    "injection",
    "leak",
    "leaks",
    "leaked",
    "leaking",
    "deletes",
    "destroys",
    "corrupts",
    "corruption",
    "loses",
    "lost",
    "race",
    "races",
    "deadlock",
    "deadlocks",
    "hangs",
    "overflow",
    "overflows",
    "underflow",
    "wrong",
    "incorrect",
    "incorrectly",
    "missing",
    "forgets",
    "forgot",
    "insecure",
    "unsafe",
    "exploit",
    "exploitable",
    "backdoor",
    "traversal",
    "xss",
    "csrf",
    "ssrf",
    "rce",
    "defect",
    "defects",
    "flaw",
    "flaws",
    "mistake",
    "mistakes",
    "regression",
    "regresses",
    "unchecked",
    "unhandled",
    "unescaped",
    "unvalidated",
    "uninitialised",
    "uninitialized",
    "undefined",
    "dangling",
    "use after free",
    "off by one",
    "by zero",
    "infinite loop",
    "infinite recursion",
    "never returns",
    "never ends",
    "never terminates",
    "does not return",
    "doesn't return",
    "does not terminate",
    "doesn't terminate",
    "never closed",
    "not closed",
    "never released",
    "not released",
    "never freed",
    "not checked",
    "never checked",
    "not handled",
    "not escaped",
    "not validated",
    "not thread safe",
    "does not work",
    "doesn't work",
    "does not compile",
    "doesn't compile",
    "not work",
    "ignores",
    "swallows",
    "problem",
    "problems",
    "issue",
    "issues",
    "hole",
    "holes",
    "typo",
];

/// Terms of the trade with such a word in them, and what mends one.
const NEUTRAL: &[&str] = &[
    "error handling",
    "error path",
    "error paths",
    "error message",
    "error messages",
    "error case",
    "error cases",
    "exception handling",
    "exception type",
    "race detector",
    "failure case",
    "failure cases",
    "adds missing",
    "adds the missing",
    "adds a missing",
    "added missing",
    "added the missing",
    "undefined behaviour sanitizer",
];

/// Those of [`DEFECTS`] in which the negation is the defect.
fn is_negated(phrase: &str) -> bool {
    phrase
        .split(' ')
        .any(|word| NEGATIONS.contains(&word) || word == "does")
}

/// What may stand beside an approval or a retraction that leaves it whole.
const PLAIN: &[&str] = &[
    "i",
    "it",
    "we",
    "see",
    "have",
    "found",
    "find",
    "there",
    "are",
    "is",
    "to",
    "me",
    "now",
    "from",
    "my",
    "side",
    "with",
    "this",
    "the",
    "change",
    "all",
    "any",
    "more",
    "left",
    "thanks",
    "thank",
    "you",
    "ok",
    "okay",
    "so",
    "then",
    "here",
    "yes",
    "well",
    "good",
    "and",
    "that",
    "as",
    "a",
    "whole",
    "of",
    "mine",
    "back",
    "take",
    "withdraw",
    "withdrawn",
    "objection",
    "objections",
    "looks",
];

/// Whether a sentence of a text approves the whole change, or takes an objection back, and says nothing else: "No issues
/// in README" speaks of a part, "I never said no issues" of nothing.
pub(crate) fn retracts(text: &str) -> bool {
    let is_whole = |sentence: &str| {
        let words = Words::of(sentence);
        let says = words.has_any(APPROVALS) || words.has_any(RETRACTIONS);
        // "No further issues": none beside those that were named.
        let is_relative = words.has_any(&["further", "more", "other", "additional", "new", "else"])
            && !words.has_any(&["objection", "objections"]);
        let is_quoted = sentence.contains(['"', '“', '”', '?', '`', '«', '»', '„']);
        let rest = words.without(APPROVALS).without(RETRACTIONS);
        says && !is_quoted
            && !is_relative
            && rest.0.iter().all(|word| PLAIN.contains(&word.as_str()))
    };
    let ended = text.split_inclusive(['\n', '!', '?', ';', '.']);
    ended.map(str::trim).any(is_whole)
}

/// Whether an approval is one under a condition, or of the rest only: "LGTM, but …", "approved once …".
pub(crate) fn is_reserved(text: &str) -> bool {
    let mut sentences = sentences(text);
    sentences.any(|sentence| {
        let words = Words::of(sentence).without_ended();
        is_approval(sentence) && (words.has_any(RESERVATIONS) || words.has_any(CONDITIONS))
    })
}

/// Whether the reason of a vote for a change takes that back.
pub(crate) fn takes_back(reason: &str) -> bool {
    let words = Words::of(reason).without_ended();
    let conditions = ["but", "only", "if", "except", "after", "see", "nicht ohne"];
    names_a_defect(reason)
        || conditions.iter().any(|word| words.starts_with(word))
        || words.has_any(&[
            "only if",
            "but only",
            "i object",
            "object to",
            "not without",
            "conditional",
            "conditionally",
            "provided",
            "once",
            "unless",
            "subject to",
        ])
}

/// Whether a text that speaks for a change names something that is wrong with it.
pub(crate) fn names_a_defect(text: &str) -> bool {
    sentences(text).any(|sentence| {
        let words = Words::of(sentence)
            .without_ended()
            .without(TERMS)
            .without(NEUTRAL);
        let (negative, plain): (Vec<&str>, Vec<&str>) =
            DEFECTS.iter().partition(|phrase| is_negated(phrase));
        let is_harmless = |word: &String| {
            let word = word.as_str();
            NEGATIONS.contains(&word) || HARMLESS.contains(&word) || REASSURING.contains(&word)
        };
        words.has_any(&negative) || words.has_any(&plain) && !words.0.iter().any(is_harmless)
    })
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '!', '?', ';'])
        .flat_map(|line| line.split(". "))
}

/// Sentences of a text that say something of a place, and nothing that clears it. `names_place` finds places.
pub(crate) fn speaks_of_a_place(text: &str, names_place: impl Fn(&str) -> bool) -> bool {
    sentences(text).any(|sentence| {
        let words = Words::of(sentence).without_ended();
        let has_word = |list: &[&str]| words.0.iter().any(|word| list.contains(&word.as_str()));
        let clears = is_approval(sentence) || has_word(REASSURING) && !has_word(NEGATIONS);
        names_place(sentence) && (!clears || has_word(RESERVATIONS))
    })
}

#[cfg(test)]
#[path = "consent_tests.rs"]
mod tests;
