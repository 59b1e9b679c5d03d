//! What a vote says in words of its own: what approves, what has not decided, and what says more than that.

use council_protocol::Vote;

use super::plain_words::{NEGATIONS, Words};

/// How words for a vote begin, the least clear last; those of ballots are votes as well.
const VOTES: [(&str, Vote); 10] = [
    ("pass", Vote::Pass),
    ("warn", Vote::Warn),
    ("fail", Vote::Fail),
    ("do not proceed", Vote::Fail),
    ("do_not_proceed", Vote::Fail),
    ("reconsider", Vote::Fail),
    ("reject", Vote::Fail),
    ("block", Vote::Fail),
    ("proceed with", Vote::Warn),
    ("proceed_with", Vote::Warn),
];

pub(super) fn vote_of(word: impl AsRef<str>) -> Option<Vote> {
    let word = word.as_ref().trim().to_ascii_lowercase();
    let known = VOTES.iter().find(|(begin, _)| word.starts_with(begin));
    known.map(|(_, vote)| *vote)
}

/// Words of a vote that lets a change in, where it is none of the three.
const APPROVING: &[&str] = &[
    "approve", "approved", "approves", "accept", "accepted", "ok", "okay", "lgtm", "good", "fine",
    "merge", "proceed", "yes", "ship", "clean", "safe", "none", "allow", "allowed", "green",
    "passed", "success",
];

/// Words of whoever has not decided: no vote at all.
pub(super) const UNDECIDED: &[&str] = &[
    "maybe",
    "perhaps",
    "unsure",
    "undecided",
    "unknown",
    "unclear",
    "abstain",
    "abstained",
    "pending",
    "todo",
    "tbd",
];

/// What a vote says, whatever its words: what approves nothing is an objection that nobody could read.
pub(super) fn read_vote(word: &str) -> Option<Vote> {
    let words = Words::of(word);
    if words.0.is_empty()
        || words
            .0
            .iter()
            .all(|word| UNDECIDED.contains(&word.as_str()))
    {
        return None;
    }
    let approves = words.has_any(APPROVING) && !words.has_any(NEGATIONS);
    Some(vote_of(word).unwrap_or(if approves { Vote::Pass } else { Vote::Fail }))
}

/// Every word of a plain consent.
pub(super) const CONSENT_WORDS: &[&str] = &[
    "lgtm",
    "looks",
    "look",
    "good",
    "fine",
    "ok",
    "okay",
    "approve",
    "approved",
    "approves",
    "accept",
    "accepted",
    "ship",
    "merge",
    "it",
    "to",
    "safe",
    "all",
    "vote",
    "verdict",
    "pass",
    "is",
    "i",
    "my",
    "me",
    "we",
    "this",
    "that",
    "the",
    "a",
    "change",
    "changes",
    "code",
    "diff",
    "patch",
    "everything",
    "and",
    "here",
    "with",
    "for",
    "from",
    "now",
    "very",
    "well",
    "done",
    "nice",
    "great",
    "thanks",
    "thank",
    "you",
    "yes",
    "have",
    "found",
    "see",
    "would",
    "can",
    "be",
    "merged",
    "review",
    "reviewed",
    "files",
    "judge",
    "as",
    "in",
    "go",
    "ready",
];

/// Whether a vote says nothing but that the change goes in: "PASS if a.py:5 is fixed" says more.
pub(super) fn is_bare_vote(word: &str) -> bool {
    let is_known = |word: &String| {
        let word = word.as_str();
        CONSENT_WORDS.contains(&word) || APPROVING.contains(&word) || word == "passes"
    };
    let words = Words::of(word);
    !words.has_any(&["with"]) && words.0.iter().all(is_known)
}
