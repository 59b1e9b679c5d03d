//! Agreements in their closed forms: a label, what it speaks of, and a reason, from the first word to the last.

use super::point_ref::PointId;
use super::wording::{is_ornament, skip_words, split_raw_label};
use crate::council::plain_words::Words;
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
