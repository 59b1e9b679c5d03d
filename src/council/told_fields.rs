//! What an answer that votes PASS says in fields whose words no reader of the report would see.

use serde_json::Value;

use super::answer_fields::{CONSENTS, asks, is_bare_pass, is_known, is_of_first_round};
use super::own_words::{has_uncleared_place, says_nothing, sentences};
use super::plain_words::excerpt;
use super::plain_words::{names_fault, names_line};

/// What an answer of round 1 says beside a PASS where no reader of the report would see it: words in fields of no known name,
/// and sentences of its summary that name a fault. Advice stands in the report. Later answers speak of what others hold.
pub(super) fn told_texts(value: &Value) -> Vec<String> {
    if !is_bare_pass(value) || !is_of_first_round(value) {
        return Vec::new();
    }
    let mut told = Vec::new();
    for (name, inner) in value.as_object().into_iter().flatten() {
        match inner {
            Value::String(text) if ["restatement", "key_insight"].contains(&name.as_str()) => {
                let faults = text
                    .lines()
                    .flat_map(sentences)
                    .filter(|said| names_fault(said));
                told.extend(faults.map(|said| format!("{name}: {}", excerpt(&said))));
            }
            _ if is_known(name) => {}
            _ => tell_texts(name, inner, &mut told),
        }
    }
    told
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
