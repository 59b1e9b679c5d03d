//! A ballot in one of the forms that models give it, as the form that is read.

use council_protocol::Vote;
use council_protocol::answer::BallotVote;
use serde::Deserialize;
use serde_json::Value;

use super::consent::plain_vote;
use super::plain_words::{VOTE_WORDS, Words};

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
        } else if let Some(strict) = strict_beginning(vote).filter(|_| !is_known) {
            // What it says besides is told where its conditions are.
            conditions.push(format!("it votes `{}`", vote.trim()));
            *vote = strict.to_owned();
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

/// Beginnings of votes against, whatever follows: "DO NOT PROCEED until a.py:5 is fixed" is as strict as without it.
const STRICT: [(&str, &str); 9] = [
    ("do not proceed", "DO_NOT_PROCEED"),
    ("don't proceed", "DO_NOT_PROCEED"),
    ("dont proceed", "DO_NOT_PROCEED"),
    ("do not merge", "DO_NOT_PROCEED"),
    ("don't merge", "DO_NOT_PROCEED"),
    ("do not approve", "DO_NOT_PROCEED"),
    ("don't approve", "DO_NOT_PROCEED"),
    ("reject", "DO_NOT_PROCEED"),
    ("reconsider", "RECONSIDER"),
];

/// The printed ballot against that a vote with more words begins with.
fn strict_beginning(vote: &str) -> Option<&'static str> {
    let mut words = Words::of(vote);
    let names = words.0.iter();
    let named = names.take_while(|word| VOTE_WORDS.contains(&word.as_str()));
    words.0.drain(..named.count());
    let begun = STRICT.iter().find(|(begin, _)| words.starts_with(begin));
    begun.map(|(_, strict)| *strict)
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
    use proptest::prelude::*;
    use proptest::sample::select;
    use serde_json::json;

    use super::*;

    /// The ballot that a vote in these words is read as; none: it is asked again.
    fn read(vote: &str) -> (Option<BallotVote>, Vec<String>) {
        let mut answer = json!({"ballot": {"vote": vote}});
        plain_ballot(&mut answer);
        let conditions = texts_in(&answer["ballot"]["conditions"]);
        (
            BallotVote::deserialize(&answer["ballot"]["vote"]).ok(),
            conditions,
        )
    }

    const BEHIND: [&str; 14] = [
        "until users.py:8 is fixed",
        "UNTIL FIXED",
        "unless the query is bound",
        "without a fix",
        "if users.py:8 stays",
        "— fix users.py:8 first",
        ", then PROCEED",
        "(proceed once it is bound)",
        "with these conditions",
        "but the rest is fine",
        ": no objections otherwise",
        "; approve later",
        "as it stands",
        "bis users.py:8 behoben ist",
    ];

    proptest! {
        /// A law: a ballot with words behind it is never milder than its plain beginning, and its words are told.
        #[test]
        fn words_behind_a_ballot_never_make_it_milder(
            (plain, begin) in select(&[
                (BallotVote::DoNotProceed, "DO NOT PROCEED"), (BallotVote::DoNotProceed, "Do not proceed,"),
                (BallotVote::DoNotProceed, "DO_NOT_PROCEED"), (BallotVote::DoNotProceed, "**Don't proceed**"),
                (BallotVote::DoNotProceed, "My vote: DO NOT PROCEED"), (BallotVote::DoNotProceed, "Do not merge"),
                (BallotVote::Reconsider, "RECONSIDER"), (BallotVote::Reconsider, "Verdict: Reconsider"),
            ][..]),
            behind in select(&BEHIND[..]), other in select(&BEHIND[..]), is_long in any::<bool>(),
        ) {
            let other = if is_long { other } else { "" };
            let vote = format!("{begin} {behind} {other}");
            let (ballot, told) = read(&vote);
            prop_assert_eq!(ballot, Some(plain), "{}", &vote);
            prop_assert!(told.iter().any(|text| text.contains(vote.trim())), "{:?}", told);
        }

        /// The same of one for the change: what stands behind it is an objection, and no consent.
        #[test]
        fn words_behind_a_consent_are_no_consent(
            begin in select(&["PROCEED", "Proceed,", "My vote: PROCEED", "APPROVE", "LGTM"][..]),
            behind in select(&BEHIND[..]),
        ) {
            let vote = format!("{begin} {behind}");
            prop_assert_ne!(read(&vote).0, Some(BallotVote::Proceed), "{}", &vote);
        }
    }

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
