//! The closed forms in which a side speaks for a change: [`consent`] has them. Everything else is a remark, beside which no
//! vote is a bare PASS.

use super::agreement::{AgreedScope, plain_agreement};
use super::claim_place::find_location;
use super::consent::names_a_defect;
use super::point_ref::PointId;
use crate::council::consent::{self, is_hidden};
use crate::council::plain_words::{Words, objects};

/// Whether a text says nothing against the change, from its first word to its last. The names of points say nothing.
pub(in crate::duel) fn is_plain(text: &str) -> bool {
    let is_name =
        |word: &&str| PointId::parse(word.trim_matches(|c: char| !c.is_alphanumeric())).is_some();
    let lines = text.split('\n');
    let unnamed = lines.map(|line| {
        let words = line.split_whitespace().filter(|word| !is_name(word));
        words.collect::<Vec<_>>().join(" ")
    });
    let unnamed = unnamed.collect::<Vec<_>>().join("\n");
    consent::is_plain(&unnamed, |word| find_location(word).is_some())
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

/// How a side takes points back, `#` for their names.
const RETRACTING: [&str; 12] = [
    "i take # back",
    "i take back #",
    "i withdraw #",
    "i retract #",
    "i drop #",
    "i give up #",
    "# is withdrawn",
    "# withdrawn",
    "# is taken back",
    "# are withdrawn",
    "withdrawn #",
    "# retracted",
];

/// The same where nothing else stands beside it.
const YIELDING: [&str; 7] = [
    "you are right about #",
    "you are right on #",
    "i agree with you on #",
    "i agree with you about #",
    "# was wrong",
    "# was a mistake",
    "# was my mistake",
];

/// What may stand beside these: it says the same again.
const AGAIN: [&str; 9] = [
    "i give it up",
    "i take it back",
    "i withdraw it",
    "i retract it",
    "i drop it",
    "agreed",
    "you are right",
    "agreed on all points",
    "agreed on both points",
];

/// The points that a side takes back in so many words: "I take B1 back", "B1 is withdrawn", "You are right about B1. I give it
/// up."
pub(super) fn taken_back(text: &str) -> Vec<PointId> {
    if is_hidden(text) {
        return Vec::new();
    }
    let end = text
        .find([':', '—', '–', ';', '!', '\n', '.'])
        .unwrap_or(text.len());
    let (form, reason) = text.split_at(end);
    let (shape, ids) = shape_of(form);
    let rest = Words::of(reason).without(OWN_MISTAKES);
    let keeps = rest.has_any(HOLDING) || names_a_defect(&rest.0.join(" ")) || objects(reason);
    // "B1 — I take it back."
    let said = rest.0.join(" ");
    let is_named = shape == "#" && said.starts_with("i ") && AGAIN.contains(&said.as_str());
    if is_named || RETRACTING.contains(&shape.as_str()) && !keeps {
        return ids;
    }
    yielded(text).unwrap_or_default()
}

/// The points that a text gives up which says that from its first word to its last; none: it says anything else.
fn yielded(text: &str) -> Option<Vec<PointId>> {
    if text.contains(['?', '"', '“', '„', '«', '`']) {
        return None;
    }
    let mut yielded = Vec::new();
    let sentences = text.split([':', '—', '–', ';', '!', '\n', '.']);
    for (shape, ids) in sentences
        .map(shape_of)
        .filter(|(shape, _)| !shape.is_empty())
    {
        let known = [&RETRACTING[..], &YIELDING[..], &AGAIN[..]];
        if !known.iter().any(|forms| forms.contains(&shape.as_str())) {
            return None;
        }
        yielded.extend(ids);
    }
    Some(yielded)
}

/// The words of a sentence in small letters, with `#` for names of points that stand together, and these names.
fn shape_of(sentence: &str) -> (String, Vec<PointId>) {
    let words = sentence.split(|c: char| !c.is_alphanumeric());
    let (mut ids, mut shape) = (Vec::new(), Vec::new());
    for word in words.filter(|word| !word.is_empty()) {
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
    (shape.join(" "), ids)
}

#[cfg(test)]
#[path = "plain_forms_tests.rs"]
mod tests;
