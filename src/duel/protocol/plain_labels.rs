//! Agreements with the other side's points in other words than the label's, put into the label's: "A1 — Confirmed".
//! Who says that of a point of its own holds it.

use super::DuelRole;
use super::blocks::{BlockShape, TextBlock};
use super::leading_refs::split_refs;
use super::point_ref::PointId;
use super::point_severity::severity_alone;
use super::wording::{is_ornament, skip_words, split_raw_label};
use crate::council::plain_words::Words;
use council_protocol::Severity;

/// What somebody says of a point who agrees with it, where nothing else stands in that clause.
const CONFIRMING: [&str; 20] = [
    "i can confirm",
    "can confirm",
    "i confirm",
    "is confirmed",
    "confirmed",
    "is correct",
    "that is correct",
    "that's correct",
    "correct",
    "is valid",
    "valid",
    "is true",
    "true",
    "is right",
    "you are right",
    "you're right",
    "right",
    "yes",
    "true positive",
    "reproduced",
];

/// Writes each statement about points of the other side with the label that it means.
pub(super) fn use_plain_labels(blocks: &mut [TextBlock<'_>], author: Option<DuelRole>) {
    let is_theirs = |ids: &[PointId]| {
        author.is_some() && !ids.is_empty() && ids.iter().all(|id| Some(id.role) != author)
    };
    let mut is_below_theirs = false;
    for block in blocks {
        let (refs, rest) = split_refs(block);
        let is_meant = is_theirs(&refs.ids) || refs.ids.is_empty() && is_below_theirs;
        if matches!(block.shape, BlockShape::Heading(_)) {
            is_below_theirs = is_theirs(&refs.ids);
        }
        if is_meant && let Some(head) = with_plain_label(&block.head, rest) {
            block.head = head;
        }
    }
}

/// A line with the label that it means, if it has another one behind its names.
fn with_plain_label(head: &str, rest: &str) -> Option<String> {
    let names = head.strip_suffix(rest)?;
    let (weight, said) = split_weight(rest);
    let labelled = split_raw_label(said).filter(|_| said.len() < rest.len());
    let labelled = labelled.and_then(|(_, behind)| Some((said.strip_suffix(behind)?, behind)));
    let (label, behind) = labelled.or_else(|| Some(("Agreed", split_confirmation(said)?)))?;
    Some([names, label, &weight, behind].concat())
}

/// The weight of a point between its name and a label, and what follows it: "A1 (critical): Agreed". Only a milder one than
/// the worst may take something from the agreement.
fn split_weight(rest: &str) -> (String, &str) {
    let inner = rest.strip_prefix(['(', '[']);
    let parts = inner.and_then(|inner| inner.split_once([')', ']']));
    let weighed = parts.and_then(|(weight, said)| Some((weight, said, severity_alone(weight)?)));
    match weighed {
        Some((weight, said, severity)) => {
            let kept = match severity {
                Severity::Critical => String::new(),
                _ => format!(" ({weight})"),
            };
            (kept, said.trim_start_matches(is_ornament))
        }
        None => (String::new(), rest),
    }
}

/// What stands behind a confirmation, in a clause of its own.
fn split_confirmation(said: &str) -> Option<&str> {
    // A cross, a question or a quotation in front of it is no ornament.
    let bare = said.trim_start_matches(['*', '_', '`', ' ', '✅', '✔', '☑']);
    let words = Words::of(bare);
    let is_bare = bare.starts_with(char::is_alphanumeric);
    let mut known = CONFIRMING.iter().filter(|_| is_bare);
    let phrase = known.find(|phrase| words.starts_with(phrase))?;
    let behind = skip_words(bare, phrase.split(' ').count());
    let next = behind.trim_start_matches(['*', '_', '`', ' ']);
    let is_clause = next.is_empty()
        || next.starts_with(['.', ',', ':', ';', '!', '—', '–', '|', '(', ')', '✅']);
    (is_clause || next.starts_with("- ")).then_some(behind)
}
