//! What a closing says of the debate itself. Everything else that stands in it is a remark, as in every other section.

use super::plain_forms::{agrees_plainly, is_plain};
use super::point_ref::PointId;
use super::wording::parse_vote;
use crate::council::plain_words::Words;
use council_protocol::Vote;

/// Words of a summary, none of which says anything of the change.
const SUMMARY: [&str; 62] = [
    "a",
    "agent",
    "agree",
    "agreed",
    "all",
    "and",
    "are",
    "as",
    "b",
    "both",
    "by",
    "closed",
    "closing",
    "concluded",
    "consensus",
    "debate",
    "disagreement",
    "disagreements",
    "done",
    "duel",
    "end",
    "ended",
    "ends",
    "every",
    "final",
    "findings",
    "follows",
    "has",
    "have",
    "here",
    "in",
    "is",
    "issues",
    "limit",
    "no",
    "none",
    "of",
    "on",
    "open",
    "outcome",
    "over",
    "pass",
    "point",
    "points",
    "reached",
    "remain",
    "remaining",
    "resolved",
    "result",
    "round",
    "rounds",
    "settled",
    "side",
    "sides",
    "summary",
    "the",
    "this",
    "verdict",
    "violation",
    "was",
    "we",
    "withdrawn",
];

/// Whether a text only says how the debate ended.
pub(super) fn sums_up(text: &str) -> bool {
    if parse_vote(text).is_some_and(|(vote, _)| vote != Vote::Pass) {
        return false;
    }
    let is_word = |word: &String| {
        let is_number = word.bytes().all(|b| b.is_ascii_digit());
        let id = PointId::parse(&word.to_uppercase());
        is_number || id.is_some() || SUMMARY.contains(&word.as_str()) || word == "timeout"
    };
    let mut sentences = text.split(['.', '!', ';', '\n']);
    tells_of_lateness(text)
        || sentences.all(|sentence| {
            let sentence = sentence.trim();
            let words = Words::of(sentence);
            words.0.iter().all(is_word) || is_plain(sentence) || agrees_plainly(sentence)
        })
}

/// Whether a line says that a side is late.
pub(super) fn tells_of_lateness(line: &str) -> bool {
    const PHRASES: [&str; 7] = [
        "timed out",
        "timeout",
        "time-out",
        "time out",
        "no response",
        "no reply",
        "did not respond",
    ];
    let lower = line.to_lowercase();
    PHRASES.iter().any(|phrase| lower.contains(phrase))
}
