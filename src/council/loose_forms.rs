//! Values of an answer in other forms than the one that is asked for, where nobody can doubt what they mean.

use council_protocol::answer::Response;
use council_protocol::{Vote, json as protocol_json};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::answer_fields::LISTS;
use super::consent::plain_vote;
use super::loose_places::straighten_place;
use super::plain_words::excerpt;

/// Fields that hold whole numbers.
const NUMBERS: [&str; 4] = ["schema_version", "round", "line", "end_line"];

/// The key for evidence that cannot be read: what no form reads is told like every other key that nobody reads.
const UNREAD_EVIDENCE: &str = "unread_evidence";

/// So sure is HIGH, so sure is MEDIUM, where a number says how sure a judge is.
const SURE: (f64, f64) = (0.8, 0.5);

/// Puts values into the form that is read: `"line": "5"`, `"ref": ["CWE-369"]`, `"verdict": "**FAIL**"`, `"confidence": 0.9`.
pub(super) fn straighten(answer: &mut Value) {
    straighten_numbers(answer);
    let Some(fields) = answer.as_object_mut() else {
        return;
    };
    if let Some(Value::String(verdict)) = fields.get_mut("verdict")
        && verdict.chars().any(char::is_alphabetic)
        && let Some(vote) = plain_vote(verdict)
    {
        *verdict = vote.as_str().to_owned();
    }
    if let Some(confidence) = fields.get_mut("confidence")
        && let Some(share) = confidence.as_f64()
    {
        let share = if share > 1.0 { share / 100.0 } else { share };
        *confidence = match share {
            share if share >= SURE.0 => "HIGH",
            share if share >= SURE.1 => "MEDIUM",
            _ => "LOW",
        }
        .into();
    }
    if let Some(Value::Object(change)) = fields.get_mut("change") {
        straighten_evidence(change);
    }
    for list in LISTS {
        for item in items_of(fields, list) {
            match item.get_mut("finding") {
                Some(Value::Object(finding)) => straighten_place(finding),
                _ => straighten_place(item),
            }
            if list == "independent_findings" {
                wrap_finding(item);
            }
            straighten_item(item);
            if let Some(Value::Object(finding)) = item.get_mut("finding") {
                straighten_item(finding);
            }
        }
    }
    for list in ["responses", "withdrawn"] {
        items_of(fields, list).for_each(straighten_item);
    }
}

fn items_of<'a>(
    fields: &'a mut Map<String, Value>,
    list: &str,
) -> impl Iterator<Item = &'a mut Map<String, Value>> {
    let items = fields.get_mut(list).and_then(Value::as_array_mut);
    items.into_iter().flatten().filter_map(Value::as_object_mut)
}

/// `"5"` in the place of a number, however deep.
fn straighten_numbers(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(straighten_numbers),
        Value::Object(fields) => {
            for (name, inner) in fields {
                let digits = inner
                    .as_str()
                    .filter(|_| NUMBERS.contains(&name.as_str()))
                    .and_then(|text| text.trim().parse::<u32>().ok());
                match digits {
                    Some(number) => *inner = number.into(),
                    None => straighten_numbers(inner),
                }
            }
        }
        _ => {}
    }
}

/// An independent finding that stands in its list as it is: nobody had it.
fn wrap_finding(item: &mut Map<String, Value>) {
    if !item.contains_key("finding") && item.contains_key("location") {
        let tag = item.remove("tag").unwrap_or_else(|| "new".into());
        let finding = Value::Object(std::mem::take(item));
        item.insert("tag".to_owned(), tag);
        item.insert("finding".to_owned(), finding);
    }
    item.entry("tag").or_insert_with(|| "new".into());
}

fn straighten_item(item: &mut Map<String, Value>) {
    if let Some(Value::Array(references)) = item.get_mut("ref") {
        let texts: Vec<&str> = references.iter().filter_map(Value::as_str).collect();
        let joined = texts.join(", ");
        item.insert("ref".to_owned(), joined.into());
    }
    if let Some(Value::Object(place)) = item.get_mut("location") {
        straighten_end(place);
    }
    straighten_evidence(item);
}

/// An end before its line says nothing: who has to fill in every field writes 0.
fn straighten_end(place: &mut Map<String, Value>) {
    let number = |name| place.get(name).and_then(Value::as_i64);
    if number("end_line").is_some_and(|end| number("line").is_none_or(|line| end < line)) {
        place.remove("end_line");
    }
}

/// Evidence in a list of one or more (the first counts), as a text (`a.py:5: total = x / 0`), or without its line, which the
/// quote then says.
fn straighten_evidence(item: &mut Map<String, Value>) {
    let Some(evidence) = item.get_mut("evidence") else {
        return;
    };
    let mut unread = Vec::new();
    if let Value::Array(several) = evidence {
        unread.extend(several.drain(1.min(several.len())..));
        *evidence = several.pop().unwrap_or(Value::Null);
    }
    if let Value::String(text) = evidence {
        let parsed = parse_evidence(text);
        unread.extend(parsed.is_none().then(|| Value::from(text.as_str())));
        *evidence = parsed.unwrap_or(Value::Null);
    }
    if let Value::Object(fields) = evidence {
        for (other, name) in [("file", "path"), ("code", "quote"), ("text", "quote")] {
            if !fields.contains_key(name)
                && let Some(value) = fields.remove(other)
            {
                fields.insert(name.to_owned(), value);
            }
        }
        if fields.contains_key("path") && fields.contains_key("quote") {
            fields.entry("line").or_insert_with(|| 1.into());
        }
    }
    if evidence.is_null() {
        item.remove("evidence");
    }
    if !unread.is_empty() {
        item.insert(UNREAD_EVIDENCE.to_owned(), unread.into());
    }
}

/// `a.py:5: total = x / 0`
fn parse_evidence(text: &str) -> Option<Value> {
    let (place, quote) = text.split_once(": ").or_else(|| text.split_once(" — "))?;
    let (path, line) = place.trim().trim_matches('`').rsplit_once(':')?;
    let line: u32 = line.trim_start_matches('L').parse().ok()?;
    let quote = quote.trim().trim_matches('`');
    (!quote.is_empty()).then(|| json!({"path": path, "line": line, "quote": quote}))
}

/// Takes out the responses that cannot be read, so that one of them does not cost the answer; each is told. A finding that
/// cannot be read is none of these: without it nobody knows what its judge holds.
pub(super) fn drop_unreadable(answer: &mut Value) -> Vec<String> {
    let mut dropped = Vec::new();
    let Some(Value::Array(responses)) = answer.get_mut("responses") else {
        return dropped;
    };
    let mut at = 0;
    responses.retain(|response| {
        let problem = Response::deserialize(response).err();
        let problem = problem.map(|error| {
            let said = excerpt(&response.to_string());
            format!("responses[{at}] cannot be read ({error}): {said}")
        });
        at += 1;
        let is_kept = problem.is_none();
        dropped.extend(problem);
        is_kept
    });
    dropped
}

/// JSON, be it with a comma too many, or with comments in an answer that votes WARN or FAIL: beside a PASS they may be what
/// stands against the change.
pub(super) fn parse_loosely(text: &str) -> Result<Value, serde_json::Error> {
    let without_comments = || {
        let plain = protocol_json::without_trailing_commas(&without_comments(text));
        let value = protocol_json::parse_unique(&plain).ok()?;
        let verdict = value.get("verdict").and_then(Value::as_str);
        let vote = verdict.and_then(plain_vote)?;
        (vote > Vote::Pass).then_some(value)
    };
    protocol_json::parse_unique(text).or_else(|error| {
        let plain = protocol_json::parse_unique(&protocol_json::without_trailing_commas(text)).ok();
        plain.or_else(without_comments).ok_or(error)
    })
}

/// A JSON text without the comments in it: `// …` and `/* … */`.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '/']) {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let end = match found {
            _ if found.starts_with('"') => {
                let end = end_of_text(found);
                out.push_str(&found[..end]);
                end
            }
            _ if found.starts_with("//") => found.find('\n').unwrap_or(found.len()),
            _ if found.starts_with("/*") => found.find("*/").map_or(found.len(), |at| at + 2),
            _ => {
                out.push('/');
                1
            }
        };
        rest = &found[end..];
    }
    out.push_str(rest);
    out
}

/// Where a JSON string ends that this text begins with.
fn end_of_text(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
#[path = "loose_forms_tests.rs"]
mod tests;
