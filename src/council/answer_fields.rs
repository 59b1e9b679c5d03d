//! What an answer says outside of the fields that are read for it: a finding under another name, a second vote, words that
//! stop the change beside a PASS. Nobody would see it, so the answer is sent back.

use council_protocol::Vote;
use council_protocol::answer::BallotVote;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::consent::vote_line;
use super::own_words::{says_nothing, sentences};
use super::plain_words::{Words, names_problem, objects, stops};
use super::told_fields::{check_places_of_texts, concludes_against};
use super::unread_keys::check_findings_keys;

/// The fields that are read, with the other names that a list of findings may have.
const FIELDS: [&str; 33] = [
    "analysis",
    "answers",
    "arguments",
    "ballot",
    "challenges",
    "change",
    "confidence",
    "contention",
    "document",
    "explore",
    "files_unread",
    "finding",
    "findings",
    "independent_findings",
    "issues",
    "judge",
    "key",
    "key_insight",
    "messages",
    "no_challenge",
    "position",
    "problems",
    "question",
    "recommendation",
    "reproductions",
    "responses",
    "restatement",
    "round",
    "schema_version",
    "steel_man",
    "unplaced",
    "verdict",
    "withdrawn",
];

/// The lists of findings that are read.
pub(super) const LISTS: [&str; 5] = [
    "findings",
    "issues",
    "problems",
    "finding",
    "independent_findings",
];

/// Looks for what nobody would read.
///
/// # Errors
///
/// What is wrong, beginning with the field's name.
pub(super) fn check_fields(value: &Value) -> Result<(), String> {
    let fields: Vec<(&str, &Value)> = value
        .as_object()
        .into_iter()
        .flat_map(|fields| fields.iter().map(|(name, inner)| (name.as_str(), inner)))
        .collect();
    check_spelling(&fields)?;
    check_objections(value)
}

/// Looks for what stands against the change where nobody reads it.
///
/// # Errors
///
/// What it is, beginning with the field's name.
pub(super) fn check_objections(value: &Value) -> Result<(), String> {
    let fields: Vec<(&str, &Value)> = value
        .as_object()
        .into_iter()
        .flat_map(|fields| fields.iter().map(|(name, inner)| (name.as_str(), inner)))
        .collect();
    check_places(&fields)?;
    check_votes(value, &fields)?;
    check_texts(value)
}

/// Fields in words that say what the judge itself holds.
const OWN_WORDS: [&str; 5] = [
    "/position",
    "/restatement",
    "/key_insight",
    "/no_challenge",
    "/ballot/remaining_concern",
];

/// Words of a judge's own that stop the change beside a PASS. Later ones may tell what others hold, so that there only a
/// plain vote counts.
fn check_texts(value: &Value) -> Result<(), String> {
    if !is_bare_pass(value) {
        return Ok(());
    }
    let thoughts = value.get("analysis").and_then(Value::as_str);
    if thoughts.is_some_and(concludes_against) {
        return Err(
            "analysis: it ends with a vote against the change, but `verdict` is PASS; give one vote".to_owned(),
        );
    }
    let is_first = is_of_first_round(value);
    for field in OWN_WORDS {
        let text = value.pointer(field).and_then(Value::as_str);
        let votes = |text: &str| {
            let mut said = text.lines().flat_map(sentences);
            said.any(|said| vote_line(&said).is_some_and(|vote| vote > Vote::Pass))
        };
        if text.is_some_and(|text| stops(text) || votes(text) || is_first && names_problem(text)) {
            let name = field.trim_start_matches('/').replace('/', ".");
            return Err(format!(
                "{name}: it objects, but `verdict` is PASS and no finding says so; say it in `verdict` and `findings`"
            ));
        }
    }
    Ok(())
}

/// Whether an answer votes PASS and lists no finding.
pub(super) fn is_bare_pass(value: &Value) -> bool {
    let verdict = value.get("verdict").and_then(Value::as_str);
    let is_listed = LISTS.iter().any(|list| {
        let list = value.get(*list).and_then(Value::as_array);
        list.is_some_and(|list| !list.is_empty())
    });
    verdict.and_then(parse_vote) == Some(Vote::Pass) && !is_listed
}

pub(super) fn is_of_first_round(value: &Value) -> bool {
    value.get("round").and_then(Value::as_u64) == Some(1)
}

pub(super) fn is_known(name: &str) -> bool {
    FIELDS.contains(&name)
}

/// A field that is one of ours but for its case would be passed over, and what it says with it.
fn check_spelling(fields: &[(&str, &Value)]) -> Result<(), String> {
    for (name, _) in fields {
        let plain = name.to_lowercase().replace(['-', ' '], "_");
        let meant = FIELDS
            .iter()
            .find(|field| **field == plain && plain != *name);
        if let Some(meant) = meant {
            return Err(format!("{name}: there is no such field; it is `{meant}`"));
        }
    }
    Ok(())
}

/// A finding in a field that nobody reads would be lost, and the vote beside it may be PASS.
fn check_places(fields: &[(&str, &Value)]) -> Result<(), String> {
    for (name, inner) in fields {
        let is_lost = if LISTS.contains(name) {
            let items = inner.as_array().into_iter().flatten();
            let items = items.map(|item| item.get("finding").unwrap_or(item));
            let parts = items.flat_map(|item| item.as_object().into_iter().flatten());
            parts.map(|(_, part)| part).any(holds_finding)
        } else if is_known(name) {
            holds_finding(inner)
        } else {
            holds_finding(inner) || holds_problem(inner)
        };
        if !is_known(name) && holds_stance(inner) {
            return Err(format!(
                "{name}: there is no such field; what you say of others' findings belongs into `responses`"
            ));
        }
        if is_lost {
            return Err(format!(
                "{name}: a finding stands in it, where nobody reads one; put it into `findings`"
            ));
        }
    }
    Ok(())
}

/// Whether a value says something of a finding that others have.
fn holds_stance(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.contains_key("stance") || fields.values().any(holds_stance),
        Value::Array(items) => items.iter().any(holds_stance),
        _ => false,
    }
}

/// Fields that say where a problem is.
pub(super) const PLACES: [&str; 5] = ["location", "path", "file", "line", "lines"];

/// Fields that say what a problem is.
pub(super) const TEXTS: [&str; 7] = [
    "description",
    "message",
    "title",
    "text",
    "body",
    "comment",
    "problem",
];

fn has_any(fields: &Map<String, Value>, names: &[&str]) -> bool {
    names.iter().any(|name| fields.contains_key(*name))
}

/// Whether a finding stands somewhere in a value.
fn holds_finding(value: &Value) -> bool {
    match value {
        Value::Object(fields) => {
            let is_weighed = fields.get("severity").is_some_and(Value::is_string);
            let is_finding = is_weighed && (has_any(fields, &PLACES) || has_any(fields, &TEXTS));
            is_finding || fields.values().any(holds_finding)
        }
        Value::Array(items) => items.iter().any(holds_finding),
        _ => false,
    }
}

/// Whether a field of no known name tells of a problem: what has a place and words, however its weight is called, and words
/// that name something grave.
fn holds_problem(value: &Value) -> bool {
    match value {
        Value::Object(fields) => {
            let is_finding = has_any(fields, &PLACES) && has_any(fields, &TEXTS);
            is_finding || fields.values().any(holds_problem)
        }
        Value::Array(items) => items.iter().any(holds_problem),
        Value::String(text) => objects(text) || names_problem(text),
        _ => false,
    }
}

/// How words begin that are a vote against the change.
const AGAINST: [&str; 10] = [
    "fail",
    "failed",
    "reject",
    "rejected",
    "block",
    "blocked",
    "nack",
    "do not proceed",
    "not proceed",
    "reconsider",
];

/// Two votes in one answer: nobody can know which is meant, and the milder one must not be.
fn check_votes(value: &Value, fields: &[(&str, &Value)]) -> Result<(), String> {
    let word = |value: &Value| value.as_str().and_then(parse_vote);
    let Some(verdict) = value.get("verdict").and_then(word) else {
        return Ok(());
    };
    check_findings_keys(value, verdict)?;
    let moved = value.pointer("/change/to").and_then(word);
    // A final ballot is the vote that counts.
    let ballot = value.pointer("/ballot/vote");
    let ballot = ballot.and_then(|vote| BallotVote::deserialize(vote).ok());
    let given = ballot.map_or(verdict, BallotVote::vote).max(verdict);
    if let Some(moved) = moved.filter(|moved| *moved > given) {
        let (moved, verdict) = (moved.as_str(), verdict.as_str());
        return Err(format!(
            "change.to: {moved}, but `verdict` is {verdict}; give one vote"
        ));
    }
    let mut unread = fields.iter().filter(|(name, _)| !is_known(name));
    if let Some((name, _)) = unread.find(|(name, inner)| votes_against(name, inner, verdict)) {
        return Err(format!(
            "{name}: it objects, but `verdict` is {}; give one vote, in `verdict`",
            verdict.as_str()
        ));
    }
    let advice = value.get("recommendation").and_then(Value::as_str);
    let advice = advice.filter(|text| {
        let is_against = ["reject", "nack", "revert"]
            .iter()
            .any(|w| Words::of(text).starts_with(w));
        let mut said = text.lines().flat_map(sentences);
        let votes = said.any(|said| vote_line(&said).is_some_and(|vote| vote > Vote::Pass));
        is_against || votes || stops(text) || names_problem(text)
    });
    if advice.is_some() && verdict == Vote::Pass {
        return Err(
            "recommendation: it stops the change, but `verdict` is PASS; give one vote".to_owned(),
        );
    }
    check_places_of_texts(value, fields)
}

fn parse_vote(word: &str) -> Option<Vote> {
    let votes = [Vote::Pass, Vote::Warn, Vote::Fail];
    votes
        .into_iter()
        .find(|vote| vote.as_str().eq_ignore_ascii_case(word.trim()))
}

/// Parts of names of fields that ask whether the change goes in.
pub(super) const CONSENTS: [&str; 7] = [
    "approve", "merge", "pass", "proceed", "safe", "accept", "lgtm",
];

/// Parts of names of fields that ask whether it must not.
const VETOES: [&str; 6] = [
    "block",
    "reject",
    "veto",
    "must_fix",
    "request_changes",
    "critical",
];

pub(super) fn asks(name: &str, words: &[&str]) -> bool {
    let name = name.to_lowercase();
    words.iter().any(|word| name.contains(word))
}

/// Whether a field that nobody reads says something worse than the vote.
pub(super) fn votes_against(name: &str, value: &Value, verdict: Vote) -> bool {
    match value {
        Value::String(text) => {
            let words = Words::of(text);
            let is_worse = parse_vote(text).is_some_and(|vote| vote > verdict);
            let is_against =
                verdict < Vote::Fail && AGAINST.iter().any(|word| words.starts_with(word));
            let small = text.trim().to_lowercase();
            let is_no = ["no", "false"].contains(&small.as_str());
            let is_vetoed = asks(name, &VETOES) && !says_nothing(text) && !is_no && small != "none";
            is_worse
                || is_against
                || verdict < Vote::Fail && (is_vetoed || is_no && asks(name, &CONSENTS))
        }
        Value::Bool(false) => verdict < Vote::Fail && asks(name, &CONSENTS),
        Value::Bool(true) => verdict < Vote::Fail && asks(name, &VETOES),
        Value::Number(count) => {
            let counts = ["critical", "blocking", "blocker"];
            verdict < Vote::Fail && count.as_f64() > Some(0.0) && asks(name, &counts)
        }
        Value::Array(items) => items.iter().any(|item| votes_against(name, item, verdict)),
        Value::Object(fields) => {
            let mut fields = fields.iter();
            fields.any(|(name, inner)| votes_against(name, inner, verdict))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use council_protocol::Answer;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn every_field_of_an_answer_is_known_by_its_name() {
        let schema = schemars::schema_for!(Answer).to_value();
        let fields = schema["properties"].as_object().unwrap();
        let unknown: Vec<&String> = fields.keys().filter(|name| !is_known(name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    #[test]
    fn what_says_nothing_against_the_change_may_stand_anywhere() {
        for (name, value) in [
            ("files_reviewed", json!(["a.py", "b.py"])),
            (
                "metadata",
                json!({"model": "x", "tokens": 12, "failed_calls": 0}),
            ),
            ("summary", json!("It adds two numbers.")),
            ("approved", json!(true)),
            ("status", json!("done")),
            (
                "recommendation",
                json!("Merge it. Do not wait for the style."),
            ),
            ("recommendation", json!("Reconsider the name one day.")),
            ("change", json!({"from": "WARN", "to": "PASS"})),
        ] {
            let answer = json!({"verdict": "PASS", name: value});
            assert_eq!(check_fields(&answer), Ok(()), "{answer}");
        }
    }

    /// An objection somewhere in an answer, in a field that nobody reads.
    fn objection() -> impl Strategy<Value = Value> {
        let place = prop_oneof![
            Just(json!({"path": "a.py", "line": 5})),
            Just(json!({"file": "a.py"})),
            Just(json!({"location": "a.py:5"})),
            Just(json!({"line": 5}))
        ];
        let named = (place, prop::sample::select(TEXTS.to_vec())).prop_map(|(mut place, text)| {
            place[text] = json!("division by zero");
            place
        });
        let vote = prop::sample::select(vec![
            "FAIL",
            "fail",
            "REJECT",
            "Rejected: it divides by zero",
            "BLOCK",
            "DO_NOT_PROCEED",
            "do not proceed",
            "NACK",
            "CRITICAL: it divides by zero",
            "must not go in",
        ]);
        prop_oneof![named, vote.prop_map(|vote| json!(vote))]
    }

    proptest! {
        /// Nothing that stands against the change is passed over, whatever its field is called, however deep it stands.
        #[test]
        fn an_objection_in_a_field_that_nobody_reads_is_sent_back(
            said in objection(),
            name in "(bugs|comments|review|final_verdict|vote|decision|outcome|x)",
            depth in 0usize..3,
            in_list in any::<bool>(),
        ) {
            let mut value = said;
            for level in 0..depth {
                value = match (level + usize::from(in_list)) % 2 {
                    0 => json!({"value": value}),
                    _ => json!([value]),
                };
            }
            let answer = json!({"verdict": "PASS", "findings": [], name: value});
            prop_assert!(check_fields(&answer).is_err(), "{}", answer);
        }

        /// A move that ends elsewhere than at the vote is sent back where it is the stricter of the two.
        #[test]
        fn a_move_to_a_worse_vote_than_that_of_the_answer_is_sent_back(
            from in prop::sample::select(vec!["PASS", "WARN", "FAIL"]),
            to in prop::sample::select(vec![Vote::Pass, Vote::Warn, Vote::Fail]),
            verdict in prop::sample::select(vec![Vote::Pass, Vote::Warn, Vote::Fail]),
        ) {
            let answer = json!({"verdict": verdict.as_str(), "change": {"from": from, "to": to.as_str()}});
            prop_assert_eq!(check_fields(&answer).is_err(), to > verdict, "{}", answer);
        }
    }
}
