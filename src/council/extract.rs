//! From a raw reply to an answer. An object that breaks off is never completed.

use council_protocol::answer::NO_CAUSE;
use council_protocol::{ANSWER_VERSION, Answer, Failure, FailureKind, RoundNumber, json};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::answer_fields;
use super::loose_ballot::plain_ballot;
use super::loose_proofs::straighten_tests;
use super::lost_answer::says_fail;
use super::plain_words::{names_problem, remarks_fault, stops};
use super::reply_object::{find_object, json_blocks, words_outside_objects};
use super::slips::straighten_slips;

/// The largest reply that is read, in bytes; more is a failure of the kind `oversized`.
pub const MAX_ANSWER_BYTES: usize = 4 << 20;

/// What an answer must echo, and for whom it may not speak.
#[derive(Clone, Copy)]
pub struct ExpectedEcho<'a> {
    /// The round of the turn.
    pub round: RoundNumber,
    /// The one-time key of the turn.
    pub key: &'a str,
    /// The judge whose turn it is.
    pub judge: &'a str,
    /// The other judges of the council.
    pub others: &'a [&'a str],
    /// Whether a key was given to another judge.
    pub is_foreign: &'a dyn Fn(&str) -> bool,
}

/// What is checked before the rest is read.
#[derive(Deserialize)]
struct AnswerHead {
    schema_version: Option<Value>,
    round: Option<Value>,
    key: Option<Value>,
    judge: Option<Value>,
}

/// Reads the answer in `raw`.
///
/// # Errors
/// One kind per way of failing: `empty`, `prose`, `truncated`, `malformed` (with the field), `wrong-round`, `wrong-key`,
/// `oversized`, and `violation` for an answer in the name of another judge.
pub fn extract_answer(raw: &str, expected: ExpectedEcho<'_>) -> Result<Answer, Failure> {
    // Tools of some platforms write a byte order mark before everything.
    let raw = raw.trim_start_matches('\u{feff}');
    if raw.len() > MAX_ANSWER_BYTES {
        let detail = format!(
            "the reply has {} bytes; at most {MAX_ANSWER_BYTES} are read",
            raw.len()
        );
        return Err(Failure::new(FailureKind::Oversized, detail));
    }
    check_single_answer(raw, expected.key)?;
    let object = find_object(raw)?;
    let mut value = parse_object(object)?;
    let carried = count_answers(&value, expected.key);
    if carried > 1 {
        return Err(several_answers(carried));
    }
    if value.get("findings").is_some_and(Value::is_null) {
        let detail = "findings: null; an empty list says that there are none";
        return Err(malformed_failure(detail.to_owned()));
    }
    strip_nulls(&mut value);
    straighten_slips(&mut value);
    check_echo(&value, expected)?;
    answer_fields::check_fields(&value).map_err(malformed_failure)?;
    check_last_words(raw, object, &value)?;
    fall_back(&mut value, expected.round);
    straighten_tests(&mut value);
    let answer: Answer = serde_path_to_error::deserialize(value)
        .map_err(|e| malformed_failure(format!("{}: {}", e.path(), e.inner())))?;
    Ok(fill_defaults(answer))
}

/// Two answers that both carry the key: nobody can know which one is meant, so none counts. A draft, or an example from
/// the task, has no key.
fn check_single_answer(raw: &str, key: &str) -> Result<(), Failure> {
    // One may also stand in prose, behind a quote mark, or in a fence of another name.
    let carried = count_keys(raw, key);
    if carried > 1 {
        return Err(several_answers(carried));
    }
    let carries_key = |block: &&str| {
        let value = parse_object(block).ok();
        value.is_some_and(|value| value.get("key").and_then(Value::as_str) == Some(key))
    };
    match json_blocks(raw)?.into_iter().filter(carries_key).count() {
        0 | 1 => Ok(()),
        count => Err(several_answers(count)),
    }
}

/// So much behind an answer is read, in bytes.
const MAX_LAST_WORDS: usize = 64 << 10;

/// Whether the words around an answer's object stop the change. Those before it are how it was thought of: only a plain vote
/// or a problem with its place counts in them.
pub(super) fn is_contradicted(raw: &str, object: &str) -> bool {
    let start = raw.rfind(object).unwrap_or(raw.len());
    let first_words = raw[..start].rsplit("</think>").next().unwrap_or_default();
    let from = first_words.len().saturating_sub(MAX_LAST_WORDS);
    let first_words = &first_words[first_words.ceil_char_boundary(from)..];
    let first_words = words_outside_objects(first_words);
    let last_words = &raw[(start + object.len()).min(raw.len())..];
    let last_words = &last_words[..last_words.floor_char_boundary(MAX_LAST_WORDS)];
    let stands_against = |words: &str| stops(words) || names_problem(words) || remarks_fault(words);
    says_fail(last_words) || stands_against(&first_words) || stands_against(last_words)
}

/// Words around an answer that stop the change are no part of it, and the vote in it may be PASS.
fn check_last_words(raw: &str, object: &str, value: &Value) -> Result<(), Failure> {
    let is_fail = value.get("verdict").and_then(Value::as_str) == Some("FAIL");
    if is_fail || !is_contradicted(raw, object) {
        return Ok(());
    }
    Err(malformed_failure(
        "the words beside the answer object to the change; say in `verdict` and `findings` what counts".to_owned(),
    ))
}

fn several_answers(count: usize) -> Failure {
    malformed_failure(format!(
        "the reply holds {count} answers with the key of this turn; give one"
    ))
}

/// How many objects of a reply carry the key: one may stand in a field of another that nobody reads.
fn count_answers(value: &Value, key: &str) -> usize {
    let own = usize::from(value.get("key").and_then(Value::as_str) == Some(key));
    let inner: usize = match value {
        Value::Array(items) => items.iter().map(|item| count_answers(item, key)).sum(),
        Value::Object(fields) => fields.values().map(|item| count_answers(item, key)).sum(),
        // A whole answer as a text. One that only quotes what it was asked names the key in other words.
        Value::String(text) => usize::from(count_keys(text, key) > 0 && text.contains("verdict")),
        _ => 0,
    };
    own + inner
}

/// How often a reply gives the field `key` this value, wherever in it. What a text of an answer quotes has a backslash
/// before its quotes, and is none.
fn count_keys(raw: &str, key: &str) -> usize {
    let value = |rest: &str| -> Option<bool> {
        let rest = rest.trim_start().strip_prefix(':')?;
        let rest = rest.trim_start().strip_prefix('"')?;
        Some(rest.strip_prefix(key)?.starts_with('"'))
    };
    let fields = raw.match_indices("\"key\"");
    let fields = fields.filter(|(at, _)| !raw[..*at].ends_with('\\'));
    fields
        .filter(|(at, name)| value(&raw[at + name.len()..]) == Some(true))
        .count()
}

fn parse_object(text: &str) -> Result<Value, Failure> {
    if !json::fits_in_memory(text.as_bytes(), json::MESSAGE) {
        return Err(malformed_failure("the answer holds too many values".into()));
    }
    let value = json::parse_unique(text).map_err(|error| match error.classify() {
        serde_json::error::Category::Eof => Failure::new(
            FailureKind::Truncated,
            format!("the answer breaks off: {error}"),
        ),
        _ => malformed_failure(error.to_string()),
    })?;
    if value.is_object() {
        Ok(value)
    } else {
        Err(malformed_failure(
            "the answer is not one JSON object".into(),
        ))
    }
}

fn malformed_failure(detail: String) -> Failure {
    Failure::new(FailureKind::Malformed, detail)
}

/// Removes entries that are null: strict structured output writes them for every optional field.
fn strip_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, v| !v.is_null());
            fields.values_mut().for_each(strip_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(strip_nulls),
        _ => {}
    }
}

/// Version, voice, round, key: in this order, each its own failure.
fn check_echo(value: &Value, expected: ExpectedEcho<'_>) -> Result<(), Failure> {
    let head = AnswerHead::deserialize(value).map_err(|e| malformed_failure(e.to_string()))?;
    if head.schema_version != Some(Value::from(ANSWER_VERSION)) {
        let given = show_value(head.schema_version.as_ref());
        return Err(malformed_failure(format!(
            "schema_version: {given}; this program reads {ANSWER_VERSION}"
        )));
    }
    let key = head.key.as_ref().and_then(Value::as_str);
    if key.is_some_and(expected.is_foreign) {
        let detail = "key: it was given to another judge; a judge speaks for itself only";
        return Err(Failure::new(FailureKind::Violation, detail));
    }
    let voice = head.judge.as_ref().and_then(Value::as_str);
    if let Some(other) = voice.filter(|v| *v != expected.judge && expected.others.contains(v)) {
        let detail = format!("the answer speaks for {other}; a judge speaks for itself only");
        return Err(Failure::new(FailureKind::Violation, detail));
    }
    if head.round != Some(Value::from(expected.round.0)) {
        let detail = format!(
            "round: {}; this turn is of round {}",
            show_value(head.round.as_ref()),
            expected.round
        );
        return Err(Failure::new(FailureKind::WrongRound, detail));
    }
    if key != Some(expected.key) {
        let detail = "key: not the one-time key of this turn; echo the key that the turn gives";
        return Err(Failure::new(FailureKind::WrongKey, detail));
    }
    Ok(())
}

fn show_value(value: Option<&Value>) -> String {
    value.map_or_else(|| "missing".to_owned(), Value::to_string)
}

/// The parent's name of a field that we call otherwise: `recommendation` of a finding is its `fix`.
fn fall_back(value: &mut Value, round: RoundNumber) {
    if round == 1 {
        take_early_findings(value);
    }
    join_lists(value);
    plain_ballot(value);
    set_case(value, "verdict", str::to_uppercase);
    set_case(value, "confidence", str::to_uppercase);
    for response in array_field(value, "responses") {
        plain_stance(response);
        if let Some(Value::String(to)) = response.get_mut("to") {
            *to = plain_id(to);
        }
    }
    for finding in array_field(value, "findings") {
        set_case(finding, "severity", str::to_lowercase);
    }
    for raised in array_field(value, "independent_findings") {
        if let Some(finding) = raised.get_mut("finding") {
            set_case(finding, "severity", str::to_lowercase);
        }
    }
    let fix = |finding: &mut Map<String, Value>| {
        let missing = finding
            .get("fix")
            .and_then(Value::as_str)
            .is_none_or(str::is_empty);
        if let Some(given) = finding.remove("recommendation").filter(|_| missing) {
            finding.insert("fix".into(), given);
        }
    };
    for finding in array_field(value, "findings")
        .iter_mut()
        .filter_map(Value::as_object_mut)
    {
        fix(finding);
    }
    for raised in array_field(value, "independent_findings") {
        if let Some(finding) = raised.get_mut("finding").and_then(Value::as_object_mut) {
            fix(finding);
        }
    }
}

/// In round 1 nothing was shown yet: what a judge reports there as independent is simply its findings.
fn take_early_findings(value: &mut Value) {
    let Some(fields) = value.as_object_mut() else {
        return;
    };
    // What is no list, serde refuses.
    if !fields
        .get("independent_findings")
        .is_some_and(Value::is_array)
    {
        return;
    }
    let Some(Value::Array(raised)) = fields.remove("independent_findings") else {
        return;
    };
    let found = raised.into_iter().filter_map(|mut item| {
        let tag = item.get("tag").and_then(Value::as_str).unwrap_or_default();
        let absent = tag == "not_reproduced";
        let found = item.get_mut("finding").map(Value::take);
        // Without its tag it is a finding as well.
        Some(found.unwrap_or(item)).filter(|_| !absent)
    });
    let found: Vec<Value> = found.collect();
    let findings = fields
        .entry("findings")
        .or_insert_with(|| Value::Array(Vec::new()));
    if let Some(findings) = findings.as_array_mut() {
        findings.extend(found);
    }
}

/// Findings under their other names are findings: an empty list beside another one says nothing.
fn join_lists(value: &mut Value) {
    let Some(fields) = value.as_object_mut() else {
        return;
    };
    for name in ["issues", "problems", "finding"] {
        if !fields.get(name).is_some_and(Value::is_array) {
            continue;
        }
        let Some(Value::Array(more)) = fields.remove(name) else {
            continue;
        };
        let list = fields
            .entry("findings")
            .or_insert_with(|| Value::Array(Vec::new()));
        if let Some(list) = list.as_array_mut() {
            list.extend(more);
        }
    }
}

/// `Agreed`, `agree`, `partially agreed`, `confirmed`: the word of a stance, however it is written.
fn plain_stance(response: &mut Value) {
    if let Some(Value::String(stance)) = response.get_mut("stance") {
        let plain = stance.trim().to_lowercase().replace([' ', '-'], "_");
        *stance = match plain.as_str() {
            "agree" | "agrees" | "confirmed" | "confirm" | "confirms" | "valid" | "support"
            | "supported" | "supports" | "yes" | "true" | "correct" | "concur" | "concurs"
            | "accept" | "accepted" | "accepts" | "true_positive" | "i_agree" | "fully_agreed"
            | "fully_agree" | "strongly_agree" => "agreed".to_owned(),
            "disagree" | "disagrees" | "refuted" | "refute" | "refutes" | "invalid"
            | "rejected" | "no" | "false" | "false_positive" | "i_disagree" | "incorrect"
            | "strongly_disagree" => "disagreed".to_owned(),
            "partially_agree" | "partial" | "partly_agreed" => "partially_agreed".to_owned(),
            _ => plain,
        };
    }
}

/// `#A1`, `**A1**`, `Finding A1` and `A1: its words` mean A1. What is no id (a judge's role) stays as it is.
fn plain_id(to: &str) -> String {
    let before_words = to.split_once(':').map_or(to, |(id, _)| id).trim();
    let (named, last) = match before_words.rsplit_once(char::is_whitespace) {
        Some((named, last)) => (named.trim().to_lowercase(), last),
        None => (String::new(), before_words),
    };
    let bare = last.trim_matches(|c: char| !c.is_alphanumeric());
    let digits = bare.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let letters = bare.len() - digits.len();
    let is_id = letters <= 3 && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if is_id && ["", "finding", "id"].contains(&named.as_str()) {
        bare.to_owned()
    } else {
        to.to_owned()
    }
}

/// Fixed words may be written in any case.
fn set_case(value: &mut Value, field: &str, case: fn(&str) -> String) {
    if let Some(Value::String(word)) = value.get_mut(field) {
        *word = case(word);
    }
}

fn array_field<'a>(value: &'a mut Value, field: &str) -> &'a mut [Value] {
    value
        .get_mut(field)
        .and_then(Value::as_array_mut)
        .map_or(&mut [], Vec::as_mut_slice)
}

/// Fills what may be missing: a finding without a cause is still a finding. An empty text is none: structured output has to
/// write something.
fn fill_defaults(mut answer: Answer) -> Answer {
    let texts = [
        &mut answer.restatement,
        &mut answer.steel_man,
        &mut answer.no_challenge,
        &mut answer.position,
        &mut answer.document,
    ];
    for text in texts {
        text.take_if(|text| text.trim().is_empty());
    }
    let later = answer
        .independent_findings
        .iter_mut()
        .map(|i| &mut i.finding);
    for finding in answer.findings.iter_mut().chain(later) {
        if finding.why.is_empty() {
            finding.why = NO_CAUSE.into();
        }
        if finding.reference.as_ref().is_none_or(String::is_empty) {
            let place = &finding.location;
            finding.reference = Some(format!("{}:{}", place.path.display(), place.line));
        }
    }
    answer
}

#[cfg(test)]
#[path = "extract_tests.rs"]
mod tests;
