//! A ballot in one of the forms that models give it, as the form that is read.

use council_protocol::Vote;
use council_protocol::answer::BallotVote;
use serde::Deserialize;
use serde_json::Value;

use super::consent::plain_vote;
use super::plain_words::Words;

/// Fields of a ballot that are read.
const BALLOT_FIELDS: [&str; 5] = [
    "vote",
    "strongest_point",
    "concession",
    "remaining_concern",
    "conditions",
];

/// Beginnings of other names for conditions.
const CONDITION_NAMES: [&str; 5] = [
    "condition",
    "prerequisite",
    "caveat",
    "requirement",
    "provided",
];

/// A condition is one in whatever form and under whatever name it stands; a vote that says more than PROCEED has one.
pub(super) fn plain_ballot(value: &mut Value) {
    let Some(fields) = value.as_object_mut() else {
        return;
    };
    if !fields.get("ballot").is_some_and(Value::is_object) {
        return;
    }
    let is_condition = |name: &str| {
        let name = name.to_lowercase();
        CONDITION_NAMES.iter().any(|begin| name.starts_with(begin))
    };
    let beside: Vec<String> = fields
        .keys()
        .filter(|name| is_condition(name))
        .cloned()
        .collect();
    let mut conditions = Vec::new();
    for name in beside {
        conditions.extend(fields.remove(&name).iter().flat_map(texts_in));
    }
    let Some(Value::Object(ballot)) = fields.get_mut("ballot") else {
        return;
    };
    // What an answer says of itself may stand in its ballot, too.
    ballot.retain(|name, value| !is_of_answer(name, value));
    let more =
        |name: &&String| name.as_str() == "conditions" || !BALLOT_FIELDS.contains(&name.as_str());
    let names: Vec<String> = ballot.keys().filter(more).cloned().collect();
    for name in names {
        conditions.extend(ballot.remove(&name).iter().flat_map(texts_in));
    }
    if let Some(Value::String(vote)) = ballot.get_mut("vote") {
        let is_known = BallotVote::deserialize(&Value::String(vote.clone())).is_ok();
        let plain = plain_vote(vote).filter(|_| !is_known);
        if let Some(plain) = plain {
            *vote = match plain {
                Vote::Pass => "PROCEED",
                Vote::Warn => "PROCEED_WITH_CONDITIONS",
                Vote::Fail => "DO_NOT_PROCEED",
            }
            .to_owned();
        } else if !is_known && names_conditions(vote) {
            *vote = "PROCEED_WITH_CONDITIONS".to_owned();
        }
    }
    // Whoever has nothing to say there says nothing: that must not cost the conditions.
    for name in ["strongest_point", "concession", "remaining_concern"] {
        ballot.entry(name).or_insert_with(|| "".into());
    }
    conditions.retain(|text| !says_none(text));
    let conditions = conditions.into_iter().map(Value::String).collect();
    ballot.insert("conditions".to_owned(), Value::Array(conditions));
}

/// Whether a vote says no more than that it has conditions: what else is said in it ("PROCEED once a.py:5 is fixed") is an
/// objection in words of its own, and is asked again.
fn names_conditions(vote: &str) -> bool {
    const WORDS: &[&str] = &[
        "proceed",
        "conditional",
        "conditionally",
        "with",
        "the",
        "these",
        "following",
        "condition",
        "conditions",
        "listed",
        "below",
    ];
    let words = Words::of(vote);
    vote.to_lowercase().contains("condition") && words.consists_of(WORDS)
}

/// Whether a field is one that belongs beside the ballot, and says no more than it says there: one word.
fn is_of_answer(name: &str, value: &Value) -> bool {
    const FIELDS: [&str; 4] = ["confidence", "key", "round", "schema_version"];
    let is_word = match value {
        Value::String(text) => !text.trim().contains(char::is_whitespace),
        Value::Number(_) | Value::Null => true,
        _ => false,
    };
    FIELDS.contains(&name) && is_word
}

/// Words of whoever says that there is no condition.
const NONE: &[&str] = &[
    "none",
    "no",
    "nothing",
    "condition",
    "conditions",
    "n",
    "a",
    "na",
];

/// Whether a text names no condition: "None", "No conditions."
fn says_none(text: &str) -> bool {
    Words::of(text).consists_of(NONE)
}

/// Every text in a value; what is no text, as it is written.
fn texts_in(value: &Value) -> Vec<String> {
    match value {
        Value::Null | Value::Bool(false) => Vec::new(),
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(texts_in).collect(),
        Value::Object(fields) => fields.values().flat_map(texts_in).collect(),
        other => vec![other.to_string()],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_an_answer_says_of_itself_is_no_condition() {
        let conditions = |name: &str, value: Value| {
            let mut answer = json!({"ballot": {"vote": "PROCEED"}});
            answer["ballot"][name] = value;
            plain_ballot(&mut answer);
            answer["ballot"]["conditions"].as_array().unwrap().len()
        };
        assert_eq!(conditions("confidence", json!("HIGH")), 0);
        assert_eq!(conditions("confidence", json!(0.9)), 0);
        assert_eq!(conditions("round", json!(2)), 0);
        assert_eq!(
            conditions("confidence", json!("HIGH once a.py:5 is fixed")),
            1
        );
        assert_eq!(conditions("conditions", json!("HIGH")), 1);
        assert_eq!(conditions("blocker", json!("a.py:5")), 1);
    }
}
