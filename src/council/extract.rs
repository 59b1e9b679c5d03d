//! From a raw reply to an answer. An object that breaks off is never completed.

use council_protocol::answer::NO_CAUSE;
use council_protocol::{ANSWER_VERSION, Answer, Failure, FailureKind, RoundNumber, json};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::answer_fields;
use super::drafts::draft_objects;
use super::loose_ballot::plain_ballot;
use super::loose_forms::{drop_unreadable, parse_loosely, straighten};
use super::loose_proofs::straighten_tests;
use super::lost_answer::{MAX_ANSWER_BYTES, says_fail};
use super::own_words::{OwnWords, read_own_words};
use super::plain_words::{names_problem, remarks_fault, stops};
use super::reply_object::{find_object, json_blocks, words_outside_objects};
use super::told_fields::{read_unasked_document, told_texts};
use super::unread_keys::told_keys;
use super::unseen_words::{Speaker, UnseenWords};

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

/// An answer, and what stood in its reply beside it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ReadReply {
    pub(super) answer: Answer,
    /// Entries of it that cannot be read, each in a sentence.
    pub(super) dropped: Vec<String>,
    /// Words beside a PASS that are no plain consent.
    pub(super) beside: Vec<String>,
    /// Words beside a PASS by which its judge was not shown the whole change.
    pub(super) unseen: Option<UnseenWords>,
}

/// Reads the answer in `raw`.
///
/// # Errors
/// As [`read_reply`].
pub fn extract_answer(raw: &str, expected: ExpectedEcho<'_>) -> Result<Answer, Failure> {
    let reply = read_reply(raw, expected, Speaker::Model)?;
    read_unasked_document(&reply.answer).map_err(malformed_failure)?;
    Ok(reply.answer)
}

/// Reads the answer in `raw`, and the words beside it.
///
/// # Errors
/// One kind per way of failing: `empty`, `prose`, `truncated`, `malformed` (with the field), `wrong-round`, `wrong-key`,
/// `oversized`, and `violation` for an answer in the name of another judge.
pub(super) fn read_reply(
    raw: &str,
    expected: ExpectedEcho<'_>,
    speaker: Speaker,
) -> Result<ReadReply, Failure> {
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
    straighten(&mut value);
    check_echo(&value, expected)?;
    answer_fields::check_fields(&value).map_err(malformed_failure)?;
    let mut beside = check_words_beside(raw, object, &value)?;
    beside.extend(told_texts(&value));
    beside.extend(told_keys(&value));
    let is_model = speaker == Speaker::Model;
    let unseen = is_model.then(|| UnseenWords::in_answer(&value, &words_around(raw, object)));
    fall_back(&mut value, expected.round);
    straighten_tests(&mut value);
    let dropped = drop_unreadable(&mut value);
    let answer: Answer = serde_path_to_error::deserialize(value)
        .map_err(|e| malformed_failure(format!("{}: {}", e.path(), e.inner())))?;
    Ok(ReadReply {
        answer: fill_defaults(answer),
        dropped,
        beside,
        unseen: unseen.flatten(),
    })
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

/// What stands in front of an answer's object, from the end of its thoughts on.
fn before_object<'r>(raw: &'r str, object: &str) -> &'r str {
    let start = raw.rfind(object).unwrap_or(raw.len());
    let before = raw[..start].rsplit("</think>").next().unwrap_or_default();
    let from = before.len().saturating_sub(MAX_LAST_WORDS);
    &before[before.ceil_char_boundary(from)..]
}

/// Whether a JSON value in front of an answer's object objects to the change. The same answer once more says nothing more.
pub(super) fn follows_objection(raw: &str, object: &str) -> bool {
    draft_objects(&before_object(raw, object).replace(object, " "))
}

/// The words around an answer's object: those before it, and those behind it.
fn words_around<'r>(raw: &'r str, object: &str) -> (String, &'r str) {
    let start = raw.rfind(object).unwrap_or(raw.len());
    let last_words = &raw[(start + object.len()).min(raw.len())..];
    let last_words = &last_words[..last_words.floor_char_boundary(MAX_LAST_WORDS)];
    (
        words_outside_objects(before_object(raw, object)),
        last_words,
    )
}

/// What the words around an answer's object say, read as the words of its judge.
pub(super) fn own_words_around(raw: &str, object: &str) -> OwnWords {
    let (before, behind) = words_around(raw, object);
    read_own_words(&format!("{before}\n{behind}"))
}

/// Whether the words around an answer's object stop the change: they vote against it, or name a problem with its place.
pub(super) fn is_contradicted(raw: &str, object: &str) -> bool {
    let (before, behind) = words_around(raw, object);
    let stands_against = |words: &str| stops(words) || names_problem(words) || remarks_fault(words);
    says_fail(behind)
        || stands_against(&before)
        || stands_against(behind)
        || own_words_around(raw, object).against.is_some()
}

/// Words around an answer that stop the change are no part of it, and the vote in it may be PASS. Those that name a place and
/// do not clear it may be a finding; later rounds speak of others' findings. What is told of the rest is returned.
fn check_words_beside(raw: &str, object: &str, value: &Value) -> Result<Vec<String>, Failure> {
    let verdict = value.get("verdict").and_then(Value::as_str);
    if verdict == Some("FAIL") {
        return Ok(Vec::new());
    }
    if is_contradicted(raw, object) {
        return Err(malformed_failure(
            "the words beside the answer object to the change; say in `verdict` and `findings` what counts".to_owned(),
        ));
    }
    if !answer_fields::is_bare_pass(value) {
        return Ok(Vec::new());
    }
    if follows_objection(raw, object) {
        return Err(malformed_failure(
            "a JSON value in front of the answer votes against the change or holds a finding; say in `verdict` and \
             `findings` what counts"
                .to_owned(),
        ));
    }
    let words = own_words_around(raw, object);
    match words.place {
        Some(place) if value.get("round").and_then(Value::as_u64) == Some(1) => {
            Err(malformed_failure(format!(
                "the words beside the answer name a place and do not say that it is fine: {place}. If it is a finding, put it \
                 into `findings`; if not, send the answer without it"
            )))
        }
        _ => Ok(words.told),
    }
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
    let value = parse_loosely(text).map_err(|error| match error.classify() {
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

pub(super) fn malformed_failure(detail: String) -> Failure {
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
        let bare = stance.trim_matches(|c: char| !c.is_alphanumeric());
        let plain = bare.to_lowercase().replace([' ', '-'], "_");
        let plain = plain
            .strip_prefix("i_")
            .map_or(plain.clone(), str::to_owned);
        *stance = match plain.as_str() {
            "agree" | "agrees" | "concur" | "concurs" | "confirmed" | "confirm" | "confirms"
            | "valid" | "support" | "supported" | "supports" | "yes" | "true" | "correct"
            | "accept" | "accepted" | "true_positive" | "reproduced" | "upheld" => {
                "agreed".to_owned()
            }
            "disagree" | "disagrees" | "refuted" | "refute" | "refutes" | "invalid"
            | "rejected" | "no" | "false" | "false_positive" | "not_reproduced" | "disputed" => {
                "disagreed".to_owned()
            }
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

#[cfg(test)]
#[path = "extract_vote_tests.rs"]
mod vote_tests;
