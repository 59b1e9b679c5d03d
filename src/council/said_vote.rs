//! What the field of a vote says in a reply that is no answer.

use council_protocol::Vote;

use super::consent::plain_vote;
use super::plain_words::EXCERPT_CHARS;
use super::plain_words::Words;
use super::raw_fields::values_of;

/// How words for a vote begin, where a few of them stand together: `verdict: FAIL because …`.
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

/// What the words in the field of a vote come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SaidVote {
    Plain(Vote),
    /// No vote at all.
    Undecided,
    /// Neither: a condition, a reservation, words that nobody knows.
    Unclear,
}

/// Reads the field of a vote. Consent is a whole word of a closed list; an objection may say more.
pub(super) fn read_vote(word: &str) -> SaidVote {
    if let Some(vote) = plain_vote(word) {
        return SaidVote::Plain(vote);
    }
    let words = Words::of(word);
    if word.trim().is_empty() || !words.0.is_empty() && words.consists_of(UNDECIDED) {
        return SaidVote::Undecided;
    }
    let objection = vote_of(word).filter(|vote| *vote > Vote::Pass);
    objection.map_or(SaidVote::Unclear, SaidVote::Plain)
}

/// The fields that hold votes; a ballot's vote stands in one of its own.
pub(super) const VOTE_FIELDS: [&str; 2] = ["verdict", "vote"];

/// A vote of a reply that is no plain one, as it is written. Whoever has not decided in a final ballot has not consented.
pub(super) fn unclear_vote(raw: &str) -> Option<(String, SaidVote)> {
    VOTE_FIELDS.iter().find_map(|name| {
        let mut said = values_of(raw, name).map(|(_, word)| (read_vote(&word), word));
        let (read, word) = said.find(|(read, _)| match read {
            SaidVote::Plain(_) => false,
            SaidVote::Undecided => *name == "vote",
            SaidVote::Unclear => true,
        })?;
        let flat = word.split_whitespace().collect::<Vec<_>>().join(" ");
        let shown: String = flat.chars().take(EXCERPT_CHARS).collect();
        Some((format!("{name} `{shown}`"), read))
    })
}
