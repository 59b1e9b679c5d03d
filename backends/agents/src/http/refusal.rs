//! What the body of a refusal says.

use serde_json::Value;

/// Fields in which servers send back what they were sent: all of its parameters are named there.
const ECHOES: [&str; 3] = ["input", "request", "request_body"];

/// The words in the body of an error, in whichever form, with the parameter that it is about.
pub(super) fn error_message(body: &str) -> String {
    let value: Value = serde_json::from_slice(body.as_bytes()).unwrap_or_default();
    let error = if value.is_array() {
        &value[0]["error"]
    } else {
        &value["error"]
    };
    let said = error["message"]
        .as_str()
        .or(error.as_str())
        .or(value["message"].as_str());
    let Some(said) = said else {
        return without_echoes(value).unwrap_or_else(|| body.to_owned());
    };
    let about = error["param"].as_str().or(value["param"].as_str());
    match about.filter(|about| !about.is_empty() && !said.contains(about)) {
        // It stands in front, where a long message is not cut.
        Some(about) => format!("`{about}`: {said}"),
        None => said.to_owned(),
    }
}

/// A body of another form without what was sent; none: it is no object, or says nothing else.
fn without_echoes(mut value: Value) -> Option<String> {
    drop_echoes(&mut value);
    let is_telling = value.as_object().is_some_and(|fields| !fields.is_empty());
    is_telling.then(|| value.to_string())
}

fn drop_echoes(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|key, _| !ECHOES.contains(&key.as_str()));
            fields.values_mut().for_each(drop_echoes);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_echoes),
        _ => {}
    }
}

/// All that a body says, names of fields among it, without what was sent and without addresses: `docs/streaming` is no
/// word about a stream.
pub(super) fn body_words(body: &str) -> String {
    let Ok(value) = serde_json::from_slice::<Value>(body.as_bytes()) else {
        return without_addresses(body);
    };
    let mut words = String::new();
    collect_words(&value, &mut words);
    words
}

fn collect_words(value: &Value, words: &mut String) {
    match value {
        // Gateways pass on what their provider said as text.
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            words.push_str(&body_words(text));
        }
        Value::String(text) => {
            words.push_str(&without_addresses(text));
            words.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| collect_words(item, words)),
        Value::Object(fields) => {
            let told = fields
                .iter()
                .filter(|(key, _)| !ECHOES.contains(&key.as_str()));
            for (key, value) in told {
                words.push_str(key);
                words.push('\n');
                collect_words(value, words);
            }
        }
        _ => {}
    }
}

/// A text without its addresses.
pub(super) fn without_addresses(text: &str) -> String {
    let words = text.split_whitespace();
    let plain: Vec<&str> = words.filter(|word| !word.contains("://")).collect();
    plain.join(" ")
}
