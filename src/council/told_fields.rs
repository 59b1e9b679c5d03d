//! What an answer that votes PASS says in fields whose words no reader of the report would see.

use council_protocol::{Answer, Vote};
use serde_json::{Map, Value};

use super::answer_fields::{CONSENTS, asks, is_bare_pass, is_known, is_of_first_round};
use super::consent::{APPROVALS, vote_line};
use super::own_words::{has_uncleared_place, read_own_words, says_nothing, sentences};
use super::plain_words::excerpt;
use super::plain_words::{Words, names_fault, names_line, names_problem, objects, stops};
use super::stances::takes_stand;

/// The fields in which a judge says in words what it holds.
pub(super) const POSITIONS: [&str; 6] = [
    "arguments",
    "key_insight",
    "no_challenge",
    "position",
    "recommendation",
    "restatement",
];

/// What an answer says beside a PASS where no reader of the report would see it: words in fields of no known name, and
/// sentences of its position that name a fault or take a stand.
pub(super) fn told_texts(value: &Value) -> Vec<String> {
    if !is_bare_pass(value) {
        return Vec::new();
    }
    let is_first = is_of_first_round(value);
    let mut told = Vec::new();
    let tell_position = |name: &str, text: &str| -> Vec<String> {
        let stands = text.lines().flat_map(sentences).filter(|said| {
            let is_told = names_fault(said) || takes_stand(said) || is_against(said);
            is_told && (is_first || !is_of_others(said))
        });
        let told = stands.map(|said| format!("{name}: {}", excerpt(&said)));
        told.collect()
    };
    for (name, inner) in value.as_object().into_iter().flatten() {
        match inner {
            Value::String(text) if POSITIONS.contains(&name.as_str()) => {
                told.extend(tell_position(name, text));
            }
            Value::Array(items) if POSITIONS.contains(&name.as_str()) => {
                let texts = items.iter().filter_map(Value::as_str);
                told.extend(texts.flat_map(|text| tell_position(name, text)));
            }
            Value::String(text) if name == "analysis" => {
                told.extend(
                    read_own_words(text)
                        .against
                        .map(|said| format!("{name}: {said}")),
                );
            }
            Value::Object(ballot) if name == "ballot" => {
                told.extend(told_of_ballot(ballot));
                tell_stops(name, inner, is_first, &mut told);
            }
            // A document may be about anything, where one is asked for; where none is, `read_unasked_document` reads it.
            _ if name == "document" => {}
            // In a later round it is the best case against what the judge holds, as it was asked to give it.
            _ if name == "steel_man" && !is_first => {}
            _ if is_known(name) => tell_stops(name, inner, is_first, &mut told),
            _ => tell_texts(name, inner, &mut told),
        }
    }
    told
}

/// Reads the document of an answer that was asked for none: nobody would see it. What it says is returned.
///
/// # Errors
///
/// It objects, but the answer votes PASS and lists no finding.
pub(super) fn read_unasked_document(answer: &Answer) -> Result<Vec<String>, String> {
    let Some(text) = answer.document.as_deref() else {
        return Ok(Vec::new());
    };
    let is_listed = !answer.findings.is_empty() || !answer.independent_findings.is_empty();
    if answer.verdict == Vote::Pass && !is_listed && document_objects(text) {
        return Err(
            "document: it objects, but `verdict` is PASS and no finding says so; say it in `verdict` and `findings`. \
             This turn asks for no document"
                .to_owned(),
        );
    }
    let said = text.lines().flat_map(sentences);
    let said = said.filter(|said| !says_nothing(said));
    let told = said.map(|said| format!("document: {}", excerpt(&said)));
    Ok(told.take(MAX_DOCUMENT_SENTENCES).collect())
}

/// The most sentences that are told of a document which nobody asked for.
const MAX_DOCUMENT_SENTENCES: usize = 8;

/// Whether the document of an answer that votes PASS objects to the change.
pub(super) fn objects_in_document(value: &Value) -> bool {
    let text = value.get("document").and_then(Value::as_str);
    is_bare_pass(value) && text.is_some_and(document_objects)
}

fn document_objects(text: &str) -> bool {
    let mut said = text.lines().flat_map(sentences);
    objects(text)
        || names_problem(text)
        || said.any(|said| vote_line(&said).is_some_and(|vote| vote > Vote::Pass))
}

/// What a ballot concedes, or is still worried about, that names a fault. What stops the change is told of all of it.
fn told_of_ballot(ballot: &Map<String, Value>) -> impl Iterator<Item = String> {
    ["concession", "remaining_concern"]
        .into_iter()
        .flat_map(|name| {
            let text = ballot.get(name).and_then(Value::as_str).unwrap_or_default();
            let faults = text
                .lines()
                .flat_map(sentences)
                .filter(|said| names_fault(said) && !is_against(said));
            let told = faults.map(|said| format!("{name}: {}", excerpt(&said)));
            told.collect::<Vec<_>>()
        })
}

/// Whether thoughts end with a vote against the change: what they come to is the vote, and the form has another one.
pub(super) fn concludes_against(analysis: &str) -> bool {
    let last = analysis.lines().flat_map(sentences).next_back();
    last.is_some_and(|said| {
        let votes = vote_line(&said).is_some_and(|vote| vote > Vote::Pass);
        votes || stops(&said) && !Words::of(&said).has_any(APPROVALS)
    })
}

/// Words of a sentence about what other judges hold.
const OTHERS: [&str; 15] = [
    "judge", "judges", "judge's", "peer", "peers", "peer's", "others", "finding", "findings",
    "claim", "claims", "claimed", "reported", "their", "they",
];

/// Whether a sentence of a later round is about what other judges hold: their own words stand in the report.
fn is_of_others(said: &str) -> bool {
    let words = Words::of(said);
    let is_id = |word: &String| {
        let digits = word.strip_prefix(|c: char| c.is_ascii_lowercase());
        digits.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    words.has_any(&OTHERS) || words.0.iter().any(is_id)
}

/// Whether a sentence stops the change, or votes against it.
fn is_against(said: &str) -> bool {
    stops(said) || vote_line(said).is_some_and(|vote| vote > Vote::Pass)
}

/// Every sentence of a field that stops the change, or votes against it. In a later round those about others' words stand in
/// the report.
fn tell_stops(name: &str, value: &Value, is_first: bool, told: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let against = text.lines().flat_map(sentences);
            let against = against.filter(|said| is_against(said));
            let against = against.filter(|said| is_first || !is_of_others(said));
            told.extend(against.map(|said| format!("{name}: {}", excerpt(&said))));
        }
        Value::Array(items) => {
            let items = items.iter();
            items.for_each(|item| tell_stops(name, item, is_first, told));
        }
        Value::Object(fields) => fields
            .values()
            .for_each(|item| tell_stops(name, item, is_first, told)),
        _ => {}
    }
}

/// Every text of a field that is no plain consent, and every yes or no.
fn tell_texts(name: &str, value: &Value, told: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let mut said = text.lines().flat_map(sentences);
            if said.any(|said| !says_nothing(&said)) {
                told.push(format!("{name}: {}", excerpt(text)));
            }
        }
        Value::Bool(answer) if !answer || !asks(name, &CONSENTS) => {
            told.push(format!("{name}: {answer}"));
        }
        Value::Array(items) => items.iter().for_each(|item| tell_texts(name, item, told)),
        Value::Object(fields) => {
            let mut fields = fields.iter();
            fields
                .by_ref()
                .for_each(|(name, inner)| tell_texts(name, inner, told));
        }
        _ => {}
    }
}

/// Advice, and words of no known field, that name a line beside a PASS and do not say that it is fine.
pub(super) fn check_places_of_texts(
    value: &Value,
    fields: &[(&str, &Value)],
) -> Result<(), String> {
    if !is_bare_pass(value) || !is_of_first_round(value) {
        return Ok(());
    }
    let is_read = |name: &str| !is_known(name) || name == "recommendation";
    let uncleared = |text: &str| {
        let mut said = text.lines().flat_map(sentences);
        said.any(|said| names_line(&said) && has_uncleared_place(&said))
    };
    for (name, inner) in fields.iter().filter(|(name, _)| is_read(name)) {
        if inner.as_str().is_some_and(uncleared) {
            return Err(format!(
                "{name}: it names a line and does not say that it is fine, but `verdict` is PASS; put it into `findings`"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "told_fields_tests.rs"]
mod tests;
