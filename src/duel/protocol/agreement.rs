//! Agreements in their closed forms: a label, what it speaks of, and a reason, from the first word to the last.

use super::point_ref::PointId;
use super::wording::{REFUSALS, is_ornament, skip_words, split_raw_label};
use crate::council::plain_words::{NEGATIONS, Words};
use council_protocol::answer::Stance;

/// What an agreement speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AgreedScope {
    /// It says nothing of that, or names it.
    Point,
    /// Everything that is open.
    All,
}

/// An agreement in one of the closed forms, and its reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlainAgreement<'t> {
    pub(super) scope: AgreedScope,
    pub(super) reason: &'t str,
}

const ALL_SCOPES: &[&str] = &[
    "on all points",
    "with all points",
    "to all points",
    "on every point",
    "with every point",
    "on both points",
    "with both points",
    "on all of them",
    "with all of them",
    "with all of it",
    "with all of this",
    "on everything",
    "with everything",
    "to everything",
    "on the rest",
    "with the rest",
    "on both",
    "with both",
    "on all",
];

const POINT_SCOPES: &[&str] = &[
    "with the other agent",
    "with this finding",
    "with that finding",
    "with the finding",
    "with this point",
    "with that point",
    "with the point",
    "with agent a",
    "with agent b",
    "on this point",
    "on that point",
    "with you",
    "with this",
    "with that",
    "with it",
    "on this",
    "on that",
    "on it",
    "to this",
    "to that",
    "to it",
    "in full",
    "as well",
    "completely",
    "entirely",
    "totally",
    "fully",
    "here",
    "now",
    "too",
    "again",
    "then",
    "indeed",
];

/// Reads an agreement that is one from its label to its end: the label, what it speaks of, and a reason behind a mark or
/// "because".
pub(super) fn plain_agreement(text: &str) -> Option<PlainAgreement<'_>> {
    let (label, after) = split_raw_label(text)?;
    if label != Stance::Agreed {
        return None;
    }
    let (scope, rest) = split_scope(after);
    let rest = rest.trim_start();
    let is_marked = rest.starts_with(is_ornament);
    let is_reason = ["because", "since", "thanks", "thank"]
        .iter()
        .any(|word| Words::of(rest).starts_with(word));
    let is_whole = rest.is_empty() || is_marked || is_reason;
    let reason = rest.trim_start_matches(is_ornament);
    is_whole.then_some(PlainAgreement { scope, reason })
}

/// What an agreement speaks of, and what follows that.
fn split_scope(after: &str) -> (AgreedScope, &str) {
    let bare = after.trim_start_matches(['*', '_', '`', ' ']);
    let words = Words::of(bare);
    let named = |list: &[&str]| {
        let phrase = list.iter().find(|phrase| words.starts_with(phrase))?;
        // The words stand one behind the other, with no mark between them.
        let rest = skip_words(bare, phrase.split(' ').count());
        let taken = &bare[..bare.len() - rest.len()];
        taken
            .chars()
            .all(|c| c.is_alphanumeric() || c == ' ')
            .then_some(rest)
    };
    if let Some(rest) = named(ALL_SCOPES) {
        return (AgreedScope::All, rest);
    }
    if let Some(rest) = named(POINT_SCOPES) {
        return (AgreedScope::Point, rest);
    }
    (AgreedScope::Point, skip_named(bare).unwrap_or(after))
}

/// The text behind names of points: "with A1, A2 and A3".
fn skip_named(text: &str) -> Option<&str> {
    let links = [
        "with ", "on ", "to ", "about ", "for ", "point ", "points ", "both ",
    ];
    let mut rest = text;
    while let Some(after) = links.iter().find_map(|link| rest.strip_prefix(link)) {
        rest = after;
    }
    let mut behind = None;
    loop {
        let bare = rest.trim_start_matches(['*', '_', '`', ' ', ',', '(', '[']);
        let end = bare
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(bare.len());
        match &bare[..end] {
            "and" if behind.is_some() => rest = &bare[end..],
            name if PointId::parse(name).is_some() => {
                rest = &bare[end..];
                behind = Some(rest);
            }
            _ => return behind,
        }
    }
}

/// Words with which somebody who agrees says that there is nothing to agree to.
const DENIALS: &[&str] = &[
    "false positive",
    "false alarm",
    "nonsense",
    "bogus",
    "unfounded",
    "groundless",
    "harmless",
    "by design",
    "intended",
    "overstated",
    "exaggerated",
    "misread",
    "imaginary",
];

/// What somebody denies with "no", "not a" or "never".
const DENIED: &[&str] = &[
    "bug", "bugs", "problem", "problems", "issue", "issues", "defect", "defects", "flaw", "error",
    "fault", "risk", "concern", "real", "valid", "wrong", "matter", "harm", "danger",
];

/// Marks at which a clause ends: a negation reaches no further.
const CLAUSE_ENDS: [char; 11] = ['.', '!', '?', ';', ',', ':', '(', ')', '—', '–', '\n'];

/// So many words before a denial can turn it round: "by no means intended", "not just a false alarm".
const TURNING_REACH: usize = 3;

/// Words that turn round the denial behind them.
const TURNING: &[&str] = &[
    "not", "no", "never", "cannot", "can't", "isn't", "aren't", "wasn't", "weren't", "hardly",
    "neither", "nor", "nobody", "nothing", "none", "anything", "far", "without",
];

/// Behind a refusal these name a third party: whoever disagrees with the author agrees with the point.
const THIRD_PARTIES: &[&str] = &[
    "author",
    "author's",
    "authors",
    "developer",
    "developer's",
    "committer",
    "commit",
    "comment",
    "docstring",
    "documentation",
    "description",
    "message",
    "merging",
    "merge",
];

/// So many words behind a refusal name whom it is about.
const PARTY_REACH: usize = 4;

/// Whether a reason refuses the point itself, and not what somebody else said.
pub(super) fn refuses_point(reason: &str) -> bool {
    says(reason, REFUSALS, |_, behind| {
        let mut named = behind.iter().take(PARTY_REACH);
        !named.any(|word| THIRD_PARTIES.contains(&word.as_str()))
    })
}

/// Whether a reason denies the point in words that no negation turns round: "This is not a false positive" holds it.
fn calls_it_nothing(reason: &str) -> bool {
    says(reason, DENIALS, |before, _| {
        let mut near = before.iter().rev().take(TURNING_REACH);
        !near.any(|word| TURNING.contains(&word.as_str()))
    })
}

/// Whether one of these phrases stands in a clause of a text, where the words of the clause before and behind it fit.
fn says(text: &str, phrases: &[&str], fits: impl Fn(&[String], &[String]) -> bool) -> bool {
    text.split(CLAUSE_ENDS).any(|clause| {
        let words = Words::of(clause).without_ended();
        phrases.iter().any(|phrase| {
            let length = phrase.split(' ').count();
            let mut starts = (0..words.0.len()).filter(|at| words.stands_at(*at, phrase));
            starts.any(|at| fits(&words.0[..at], &words.0[at + length..]))
        })
    })
}

/// Whether the reason of an agreement denies the point: "Agreed: this is not a bug".
pub(super) fn denies(reason: &str) -> bool {
    let words = Words::of(reason).without_ended();
    let is_no = |word: &String| {
        let word = word.as_str();
        NEGATIONS.contains(&word)
            || ["nobody", "none", "nothing", "isn't", "aren't", "wasn't"].contains(&word)
    };
    let nos = words.0.iter().enumerate().filter(|(_, word)| is_no(word));
    let is_denied = |at: usize| {
        let next = words.0[at + 1..].iter().take(3);
        next.clone().any(|word| DENIED.contains(&word.as_str()))
    };
    let is_bare = words.0.iter().all(is_no) && !words.0.is_empty();
    is_bare || calls_it_nothing(reason) || nos.into_iter().any(|(at, _)| is_denied(at))
}
