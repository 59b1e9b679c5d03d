//! The closed forms in which a side speaks for a change.
//!
//! There are endless ways to object and few to agree. So nothing here looks for objections: a text is plain if each sentence
//! of it is one of these forms from its first word to its last, and everything else is a remark, beside which no vote is a
//! bare PASS.

use std::borrow::Cow;

use super::agreement::{AgreedScope, is_hidden, plain_agreement};
use super::claims::find_location;
use super::consent::{APPROVALS, REASSURING, RETRACTIONS, names_a_defect};
use super::point_ref::PointId;
use crate::council::plain_words::{Words, has_refusing_mark, objects};

/// Whole statements that say nothing against a change, beside the approvals.
const NOTHING_SAID: &[&str] = &[
    "nothing to add",
    "nothing more to add",
    "nothing else",
    "no further points",
    "no more points",
    "no further findings",
    "no more findings",
    "no answer to",
    "nothing from me",
    "approve",
    "no blocking issues",
    "no critical issues",
    "no significant issues",
    "no critical or significant issues",
    "this side names no finding whose quote holds",
    "tests pass",
    "the tests pass",
    "all tests pass",
];

/// What may stand beside one of those that leaves it whole.
const BESIDE: &[&str] = &[
    "i",
    "we",
    "it",
    "this",
    "that",
    "the",
    "a",
    "there",
    "is",
    "are",
    "was",
    "to",
    "me",
    "my",
    "mine",
    "from",
    "side",
    "with",
    "in",
    "of",
    "at",
    "on",
    "and",
    "so",
    "then",
    "here",
    "now",
    "yes",
    "ok",
    "okay",
    "thanks",
    "thank",
    "you",
    "see",
    "have",
    "had",
    "find",
    "found",
    "change",
    "diff",
    "patch",
    "code",
    "whole",
    "all",
    "any",
    "more",
    "left",
    "as",
    "well",
    "take",
    "back",
    "withdraw",
    "looks",
    "objection",
    "objections",
    "point",
    "points",
    "open",
];

/// Words of somebody who is polite, and has said nothing.
const COURTESY: &[&str] = &[
    "yes",
    "ok",
    "okay",
    "right",
    "thanks",
    "thank",
    "you",
    "noted",
    "understood",
    "i",
    "see",
    "good",
    "fine",
    "great",
    "for",
    "the",
    "your",
    "review",
    "response",
    "reply",
    "answer",
    "all",
    "and",
    "very",
    "much",
    "so",
    "well",
    "then",
    "now",
    "here",
    "are",
    "you're",
    "indeed",
    "fair",
    "enough",
    "true",
    "correct",
    "exactly",
    "point",
];

/// The verbs of a receipt, behind "I" or "we".
const RECEIPTS: &[&str] = &[
    "read", "looked", "reviewed", "checked", "seen", "verified", "went",
];

/// What else may stand in a receipt.
const READ_THINGS: &[&str] = &[
    "i",
    "we",
    "have",
    "now",
    "also",
    "it",
    "this",
    "that",
    "the",
    "whole",
    "change",
    "diff",
    "patch",
    "commit",
    "file",
    "files",
    "code",
    "opening",
    "response",
    "at",
    "through",
    "over",
    "all",
    "of",
    "everything",
    "again",
    "twice",
    "here",
    "and",
    "line",
    "lines",
    "to",
    "from",
    "in",
    "your",
    "point",
    "points",
    "carefully",
    "every",
];

/// Words that call a change good.
const GOOD: &[&str] = &[
    "good", "fine", "correct", "ok", "okay", "right", "great", "nice", "well", "safe", "sound",
];

/// Of what they say so.
const GOOD_SUBJECTS: &[&str] = &[
    "it",
    "this",
    "that",
    "all",
    "everything",
    "the",
    "a",
    "whole",
    "change",
    "diff",
    "patch",
    "code",
    "is",
    "are",
    "looks",
    "to",
    "me",
    "now",
    "here",
    "and",
    "very",
    "tested",
];

/// What may stand beside a place that a side clears: "`a.py:3` is guarded".
const CLEARING: &[&str] = &[
    "i", "it", "this", "that", "the", "is", "are", "was", "at", "in", "to", "of", "and", "now",
    "line", "lines", "all", "there", "here", "place", "call",
];

/// Whether a text says nothing against the change, from its first word to its last.
pub(super) fn is_plain(text: &str) -> bool {
    if is_hidden(text)
        || text.contains(['?', '"', '“', '”', '«', '»', '„'])
        || has_refusing_mark(text)
    {
        return false;
    }
    let is_name =
        |word: &str| PointId::parse(word.trim_matches(|c: char| !c.is_alphanumeric())).is_some();
    let is_place = |word: &&str| find_location(word).is_some();
    let has_place = text.split_whitespace().any(|word| is_place(&word));
    let words = text.split_whitespace();
    let kept: Vec<Cow<'_, str>> = words
        .filter(|word| !is_place(word) && !is_name(word))
        .map(with_file_named)
        .collect();
    let kept = kept.join(" ");
    if kept.contains('`') {
        return false;
    }
    let mut pieces = kept.split(['.', '!', ';', ':', ',', '(', ')', '|', '—', '–', '\n']);
    pieces.all(|piece| is_plain_piece(&Words::of(piece), has_place))
}

/// `file` for the name of a file that was read, as its reader writes it: `a.py`.
fn with_file_named(word: &str) -> Cow<'_, str> {
    let marked = word.trim_end_matches([',', '.', ';', ':']);
    let name = marked
        .strip_prefix('`')
        .and_then(|name| name.strip_suffix('`'));
    let is_path = |c: char| c.is_ascii_alphanumeric() || "./_-".contains(c);
    let is_file = name
        .and_then(|name| name.rsplit_once('.'))
        .is_some_and(|(stem, ending)| {
            !stem.is_empty() && stem.chars().all(is_path) && (1..=4).contains(&ending.len())
        });
    if is_file {
        Cow::Owned(format!("file{}", &word[marked.len()..]))
    } else {
        Cow::Borrowed(word)
    }
}

fn is_plain_piece(words: &Words, has_place: bool) -> bool {
    let only = |lists: &[&[&str]]| {
        let known = |word: &String| lists.iter().any(|list| list.contains(&word.as_str()));
        words.0.iter().all(known)
    };
    let has = |list: &[&str]| words.0.iter().any(|word| list.contains(&word.as_str()));
    let rest = words
        .clone()
        .without(NOTHING_SAID)
        .without(APPROVALS)
        .without(RETRACTIONS);
    let is_beside = rest.0.iter().all(|word| BESIDE.contains(&word.as_str()));
    let first = words.0.first().map(String::as_str);
    let begins_with_reader =
        first.is_some_and(|word| ["i", "we"].contains(&word) || RECEIPTS.contains(&word));
    only(&[COURTESY])
        || rest.0.len() < words.0.len() && is_beside
        || begins_with_reader && has(RECEIPTS) && only(&[RECEIPTS, READ_THINGS])
        || has(GOOD) && only(&[GOOD, GOOD_SUBJECTS])
        || has_place && only(&[CLEARING, REASSURING])
}

/// Whether a statement agrees, and its reason says nothing against the change.
pub(super) fn agrees_plainly(statement: &str) -> bool {
    plain_agreement(statement).is_some_and(|agreed| is_plain(agreed.reason))
}

/// Words of somebody who keeps what is theirs.
const HOLDING: &[&str] = &[
    "stand", "stands", "stay", "stays", "hold", "holds", "keep", "keeps", "remain", "remains",
    "maintain", "insist", "myself", "mine", "still", "nothing", "none", "nobody", "style", "yet",
];

/// What a side says of its own mistake, in which the word for it names no defect of the change.
const OWN_MISTAKES: &[&str] = &[
    "i was wrong",
    "was wrong",
    "i am wrong",
    "my mistake",
    "my error",
    "mistaken",
    "not a bug",
    "not a problem",
    "not an issue",
    "no bug",
    "no problem",
    "no issue",
    "false positive",
    "false alarm",
];

/// Whether a statement gives up a point of its own side: nothing in it keeps the point, and it names no defect.
pub(super) fn gives_up(statement: &str) -> bool {
    let Some(agreed) = plain_agreement(statement) else {
        return false;
    };
    let reason = Words::of(agreed.reason);
    let rest = reason.clone().without(OWN_MISTAKES).0.join(" ");
    let keeps = reason.has_any(HOLDING) || names_a_defect(&rest) || objects(agreed.reason);
    is_plain(agreed.reason) || agreed.scope == AgreedScope::Point && !keeps
}

/// The points that a side takes back in so many words: "I take B1 back", "B1 is withdrawn".
pub(super) fn taken_back(text: &str) -> Vec<PointId> {
    const FORMS: [&[&str]; 12] = [
        &["i", "take", "#", "back"],
        &["i", "take", "back", "#"],
        &["i", "withdraw", "#"],
        &["i", "retract", "#"],
        &["i", "drop", "#"],
        &["i", "give", "up", "#"],
        &["#", "is", "withdrawn"],
        &["#", "withdrawn"],
        &["#", "is", "taken", "back"],
        &["#", "are", "withdrawn"],
        &["withdrawn", "#"],
        &["#", "retracted"],
    ];
    let end = text
        .find([':', '—', '–', ';', '!', '\n', '.'])
        .unwrap_or(text.len());
    let (form, reason) = text.split_at(end);
    let words = form
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let (mut ids, mut shape) = (Vec::new(), Vec::new());
    for word in words {
        match PointId::parse(word) {
            Some(id) => {
                ids.push(id);
                if shape.last().is_none_or(|last| last != "#") {
                    shape.push("#".to_owned());
                }
            }
            None if word == "and" && !ids.is_empty() => {}
            None => shape.push(word.to_lowercase()),
        }
    }
    let is_form = FORMS
        .iter()
        .any(|known| shape.iter().map(String::as_str).eq(known.iter().copied()));
    let rest = Words::of(reason).without(OWN_MISTAKES);
    let keeps = rest.has_any(HOLDING) || names_a_defect(&rest.0.join(" ")) || objects(reason);
    if is_form && !keeps && !is_hidden(text) {
        ids
    } else {
        Vec::new()
    }
}

#[cfg(test)]
#[path = "plain_forms_tests.rs"]
mod tests;
