//! JSON values that stand in front of an answer: a draft, or findings in a block of their own. What they say against the
//! change the answer behind them has to say, or nobody reads it.

use serde_json::Value;

use council_protocol::Vote;

use super::consent::plain_vote;
use super::reply_object::values_in;
use super::said_vote::vote_of;
use super::told_fields::concludes_against;

/// Whether a value in a text votes against the change, or is a finding.
pub(super) fn draft_objects(text: &str) -> bool {
    let values = values_in(text).into_iter();
    let mut values =
        values.filter_map(|value| serde_json::from_slice::<Value>(value.as_bytes()).ok());
    values.any(|value| objects(&value))
}

/// Fields that hold a vote.
const VOTES: [&str; 5] = ["verdict", "vote", "decision", "final_verdict", "result"];

/// Fields that hold a judge's thoughts or words.
const WORDS: [&str; 4] = ["analysis", "reasoning", "text", "summary"];

/// Fields of a place.
const PLACES: [&str; 5] = ["location", "path", "file", "line", "quote"];

fn objects(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(objects),
        Value::Object(fields) => {
            let has = |name: &str| fields.get(name).is_some_and(|inner| !inner.is_null());
            let is_finding =
                fields.get("severity").is_some_and(Value::is_string) && PLACES.into_iter().any(has);
            is_finding
                || fields.iter().any(|(name, inner)| match inner.as_str() {
                    Some(said) if VOTES.contains(&name.as_str()) => is_against(said),
                    Some(said) => WORDS.contains(&name.as_str()) && concludes_against(said),
                    None => objects(inner),
                })
        }
        _ => false,
    }
}

/// A list of choices (`PASS | WARN | FAIL`) is no vote.
fn is_against(said: &str) -> bool {
    plain_vote(said)
        .or_else(|| vote_of(said))
        .is_some_and(|vote| vote > Vote::Pass)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn drafts_that_say_nothing_against_the_change_say_nothing() {
        for text in [
            "A draft:\n{\"verdict\": \"PASS\", \"findings\": []}\n",
            "{\"verdict\": \"PASS | WARN | FAIL\", \"findings\": []}",
            "{\"type\": \"assistant\", \"text\": \"I read a.py.\"}\n{\"type\": \"error\", \"message\": \"failed to read\"}",
            "```json\n[\"a.py\", \"b.py\"]\n```",
            "if (x) {\n  return {};\n}",
        ] {
            assert!(!draft_objects(text), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever an objection is called, however deep it stands and in whatever fence: it is heard.
        #[test]
        fn an_objection_in_front_is_heard(
            said in prop::sample::select(vec![
                r#"{"verdict": "FAIL", "findings": []}"#, r#"{"verdict":"WARN"}"#, r#"{"decision": "block"}"#,
                r#"{"severity": "critical", "path": "a.py", "line": 5}"#,
                r#"{"analysis": "Line 5 divides by zero, so I vote FAIL."}"#, r#"{"vote": "REJECT"}"#,
                r#"{"type": "assistant", "text": "I vote FAIL."}"#,
            ]),
            depth in 0usize..3,
            in_list in any::<bool>(),
            (open, close) in prop::sample::select(vec![("", ""), ("```json\n", "\n```"), ("```\n", "\n```"), ("~~~json5\n", "\n~~~")]),
            before in prop::sample::select(vec!["", "Findings:\n", "{\"type\": \"start\"}\n", "I read it.\n\n"]),
        ) {
            let mut value = said.to_owned();
            for level in 0..depth {
                value = match (level + usize::from(in_list)) % 2 {
                    0 => format!("{{\"inner\": {value}}}"),
                    _ => format!("[{value}]"),
                };
            }
            let text = format!("{before}{open}{value}{close}\n\nOn reflection:\n");
            prop_assert!(draft_objects(&text), "{}", text);
        }
    }
}
