//! Keys of findings and other parts of an answer that nobody reads. What they say would be lost, and a part that is minor by
//! its `severity` may be what blocks the change by another key.

use council_protocol::Vote;
use serde_json::{Map, Value};

use super::answer_fields::{LISTS, PLACES, votes_against};
use super::own_words::says_nothing;
use super::plain_words::{Words, excerpt};

/// Keys of a finding that are read, with other names for its place and its advice, and those that name it or say how sure
/// its judge is.
const FINDING: &[&str] = &[
    "severity",
    "category",
    "rule",
    "description",
    "location",
    "quote",
    "why",
    "fix",
    "suggestion",
    "ref",
    "end_line",
    "recommendation",
    "finding",
    "tag",
    "id",
    "confidence",
];

/// The other parts of an answer with keys of their own, and which of these are read.
const PARTS: [(&str, &[&str]); 8] = [
    ("responses", &["to", "stance", "reasoning", "evidence"]),
    ("withdrawn", &["finding", "evidence"]),
    ("change", &["from", "to", "evidence"]),
    ("challenges", &["to", "claim", "question"]),
    ("answers", &["challenge", "response"]),
    ("messages", &["to", "text"]),
    ("question", &["to", "text"]),
    (
        "ballot",
        &[
            "vote",
            "strongest_point",
            "concession",
            "remaining_concern",
            "conditions",
        ],
    ),
];

/// Parts of names of keys that say how grave a finding is.
const WEIGHTS: [&str; 7] = [
    "priority", "impact", "severity", "level", "risk", "urgency", "weight",
];

/// What such a key says of a finding that stops the change.
const STOPPING: [&str; 8] = [
    "critical",
    "blocker",
    "blocking",
    "p0",
    "severe",
    "showstopper",
    "urgent",
    "catastrophic",
];

/// A finding that is minor by its `severity`, and blocks the change by a key that nobody reads.
///
/// # Errors
///
/// What is wrong, beginning with the key's place.
pub(super) fn check_findings_keys(value: &Value, verdict: Vote) -> Result<(), String> {
    for (place, finding) in findings_of(value) {
        let severity = finding.get("severity").and_then(Value::as_str);
        if !severity.is_some_and(|word| word.trim().eq_ignore_ascii_case("minor")) {
            continue;
        }
        let mut keys = unread_keys(finding, FINDING);
        if let Some((name, _)) = keys.find(|(name, inner)| blocks(name, inner, verdict)) {
            return Err(format!(
                "{place}.{name}: it stops the change, but the finding is minor and `verdict` is {}; say it in `severity` and \
                 `verdict`",
                verdict.as_str()
            ));
        }
    }
    Ok(())
}

/// What stands in keys that nobody reads, one text for each finding below `critical` and for each other part.
pub(super) fn told_keys(value: &Value) -> Vec<String> {
    let is_fail = |vote: &str| vote.trim().eq_ignore_ascii_case("FAIL");
    if value
        .get("verdict")
        .and_then(Value::as_str)
        .is_some_and(is_fail)
    {
        return Vec::new();
    }
    let is_critical = |part: &Map<String, Value>| {
        let severity = part.get("severity").and_then(Value::as_str);
        severity.is_some_and(|word| word.trim().eq_ignore_ascii_case("critical"))
    };
    let findings = findings_of(value).filter(|(_, finding)| !is_critical(finding));
    let findings = findings.map(|(place, finding)| (place, finding, FINDING));
    findings
        .chain(parts_of(value))
        .filter_map(|(place, part, known)| told_part(&place, part, known))
        .collect()
}

/// The keys of a part that nobody reads, with what they say.
fn told_part(place: &str, part: &Map<String, Value>, known: &[&str]) -> Option<String> {
    let keys = unread_keys(part, known).filter(|(_, inner)| says_something(inner));
    let said = keys.map(|(name, inner)| match inner {
        Value::String(text) => format!("{name}: {}", excerpt(text)),
        inner => format!("{name}: {}", excerpt(&inner.to_string())),
    });
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| format!("{place}: {}", said.join(", ")))
}

fn says_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !says_nothing(text),
        Value::Array(items) => items.iter().any(says_something),
        Value::Object(fields) => fields.values().any(says_something),
        Value::Bool(_) | Value::Number(_) => true,
    }
}

/// Whether a key says that what it belongs to stops the change.
fn blocks(name: &str, value: &Value, verdict: Vote) -> bool {
    let lower = name.to_lowercase();
    let weighs = WEIGHTS.iter().any(|word| lower.contains(word));
    let is_stopping = |text: &str| {
        let words = Words::of(text);
        !words.0.is_empty() && words.consists_of(&STOPPING)
    };
    votes_against(name, value, verdict)
        || verdict < Vote::Fail && weighs && value.as_str().is_some_and(is_stopping)
}

fn unread_keys<'v>(
    part: &'v Map<String, Value>,
    known: &'v [&'v str],
) -> impl Iterator<Item = (&'v str, &'v Value)> {
    let keys = part.iter().map(|(name, inner)| (name.as_str(), inner));
    keys.filter(|(name, _)| !known.contains(name) && !PLACES.contains(name))
}

/// Every finding of an answer, with the name of its place. One that is wrapped has keys around it, too.
fn findings_of(value: &Value) -> impl Iterator<Item = (String, &Map<String, Value>)> {
    LISTS.into_iter().flat_map(move |list| {
        let items = value.get(list).and_then(Value::as_array);
        let items = items.into_iter().flatten().enumerate();
        items.flat_map(move |(at, item)| {
            let around = item.as_object();
            let inner = item.get("finding").and_then(Value::as_object);
            let both = around.into_iter().chain(inner);
            both.map(move |finding| (format!("{list}[{at}]"), finding))
        })
    })
}

type KeyedPart<'v> = (String, &'v Map<String, Value>, &'static [&'static str]);

/// Every other part of an answer that has keys.
fn parts_of(value: &Value) -> impl Iterator<Item = KeyedPart<'_>> {
    PARTS.into_iter().flat_map(move |(name, known)| {
        let inner = value.get(name);
        let one = inner.and_then(Value::as_object);
        let one = one.map(|part| (name.to_owned(), part, known));
        let items = inner.and_then(Value::as_array).into_iter().flatten();
        let items = items.enumerate().filter_map(move |(at, item)| {
            Some((format!("{name}[{at}]"), item.as_object()?, known))
        });
        one.into_iter().chain(items)
    })
}

#[cfg(test)]
mod tests {
    use council_protocol::Answer;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn answer(severity: &str, name: &str, said: &Value) -> Value {
        let finding = json!({
            "severity": severity, "description": "Shell.", "location": {"path": "a.py", "line": 4}, "quote": "os.system(x)",
            name: said,
        });
        json!({"verdict": "PASS", "round": 1, "findings": [finding]})
    }

    /// A key that says that a minor finding stops the change is an objection, as it is beside the vote.
    #[test]
    fn a_minor_finding_that_blocks_by_another_key_is_sent_back() {
        for (name, said) in [
            ("priority", json!("P0")),
            ("impact", json!("Critical")),
            ("blocking", json!(true)),
            ("is_blocker", json!(true)),
            ("must_fix", json!(true)),
            ("vote", json!("FAIL")),
            ("safe_to_merge", json!(false)),
            ("true_severity", json!("critical")),
        ] {
            for wrapped in [false, true] {
                let mut answer = answer("Minor", name, &said);
                if wrapped {
                    let inner = answer["findings"][0].take();
                    answer["independent_findings"] = json!([{"tag": "new", "finding": inner}]);
                    answer["findings"] = json!([]);
                }
                assert!(
                    check_findings_keys(&answer, Vote::Pass).is_err(),
                    "{answer}"
                );
                assert_eq!(check_findings_keys(&answer, Vote::Fail), Ok(()), "{answer}");
            }
        }
        for (name, said) in [
            ("priority", json!("low")),
            ("impact", json!("Not critical")),
            ("blocking", json!(false)),
            ("cwe", json!("CWE-78")),
        ] {
            let answer = answer("minor", name, &said);
            assert_eq!(check_findings_keys(&answer, Vote::Pass), Ok(()), "{answer}");
        }
        let graver = answer("significant", "blocking", &json!(true));
        assert_eq!(check_findings_keys(&graver, Vote::Pass), Ok(()));
        assert_eq!(told_keys(&graver), ["findings[0]: blocking: true"]);
    }

    /// The keys that are read are those of the schema: a new one is not told as unread.
    #[test]
    fn the_keys_of_each_part_are_those_of_the_schema() {
        let schema = schemars::schema_for!(Answer).to_value();
        let keys = |name: &str| -> Vec<String> {
            let fields = schema["$defs"][name]["properties"].as_object().unwrap();
            fields.keys().cloned().collect()
        };
        let known = PARTS.into_iter().map(|(_, known)| known).chain([FINDING]);
        let names = [
            "Response",
            "Withdrawal",
            "Change",
            "Challenge",
            "ChallengeAnswer",
            "PeerMessage",
            "Question",
            "Ballot",
            "Finding",
        ];
        for (known, name) in known.zip(names) {
            for key in keys(name) {
                assert!(known.contains(&key.as_str()), "{name}.{key}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever a key is called that nobody reads, and wherever it stands, what it says is told.
        #[test]
        fn no_key_of_a_part_is_lost(
            name in "[a-z]{3,8}_x",
            said in prop_oneof![
                Just(json!("It divides by zero.")), Just(json!(7)), Just(json!(true)), Just(json!(["P0"])),
                Just(json!({"level": "P0"})),
            ],
            part in prop::sample::select(vec!["findings", "independent_findings", "responses", "withdrawn", "change", "ballot"]),
            severity in prop::sample::select(vec!["minor", "significant"]),
        ) {
            let item = json!({"severity": severity, name.clone(): said});
            let is_one = ["change", "ballot"].contains(&part);
            let inner = if is_one { item } else { json!([item]) };
            let answer = json!({"verdict": "PASS", "round": 2, part: inner});
            let told = told_keys(&answer).join("\n");
            prop_assert!(told.contains(&name), "{} {}", answer, told);
        }
    }
}
