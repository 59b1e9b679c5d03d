use proptest::prelude::*;
use serde_json::json;

use super::super::answer_fields::check_fields;
use super::*;

fn answer(round: u64, field: &str, said: &str) -> Value {
    json!({"verdict": "PASS", "round": round, "findings": [], field: said})
}

fn is_silent(answer: &Value) -> bool {
    check_fields(answer).is_ok() && told_texts(answer).is_empty()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// An objection beside a PASS is sent back or told, in every field that says what a judge holds and in every round.
    #[test]
    fn no_objection_beside_a_pass_is_silent(
        said in prop::sample::select(vec![
            "Auth is bypassed when the token is empty.", "a.py:5 divides by zero on every call", "There is an RCE.",
            "Fix the crash in f first.", "SQL injection through q.", "Data loss is possible.", "Please add a check for zero.",
            "The change needs changes before it can go in.", "I would not let this in.", "This is a regression.",
            "Hardcoded credentials are committed.", "I have reservations.", "It is premature.",
        ]),
        field in prop::sample::select(POSITIONS.to_vec()),
        round in 1u64..4,
        before in prop::sample::select(vec!["", "It adds two numbers. ", "LGTM. ", "No issues found.\n"]),
        behind in prop::sample::select(vec!["", " The tests pass.", "\nI approve."]),
    ) {
        let answer = answer(round, field, &format!("{before}{said}{behind}"));
        prop_assert!(!is_silent(&answer), "{}", answer);
    }

    /// Thoughts that end with a vote against the change are no PASS.
    #[test]
    fn thoughts_that_end_against_the_change_are_sent_back(
        said in prop::sample::select(vec![
            "Line 5 divides by zero, so I vote FAIL.", "I vote FAIL. Do not merge.", "Verdict: FAIL", "**FAIL**", "NACK.",
        ]),
        before in prop::sample::select(vec!["", "The loop is bounded. ", "It adds two numbers.\n\n"]),
        round in 1u64..3,
    ) {
        let answer = answer(round, "analysis", &format!("{before}{said}"));
        prop_assert!(check_fields(&answer).is_err(), "{}", answer);
    }
}

/// A fault in a ballot is told, in whichever of its fields; what is conceded without one is not.
#[test]
fn a_fault_that_a_ballot_concedes_is_told() {
    for name in ["concession", "remaining_concern"] {
        let ballot = |said: &str| {
            let ballot = json!({"vote": "PROCEED", "strongest_point": "s", name: said});
            json!({"verdict": "PASS", "round": 3, "findings": [], "ballot": ballot})
        };
        let told = told_texts(&ballot("a.py:5 divides by zero on every call"));
        assert_eq!(
            told,
            [format!("{name}: a.py:5 divides by zero on every call")]
        );
        assert!(told_texts(&ballot("The other side is right about the names.")).is_empty());
    }
}

#[test]
fn thoughts_about_votes_that_end_with_none_are_thoughts() {
    for said in [
        "Would this be a FAIL? Line 5 divides by n, and n is checked in line 3.",
        "Critical: none",
        "I looked for what should not go in, and found nothing.",
        "One may say: do not merge. But the guard in line 3 covers it. PASS",
    ] {
        assert!(is_silent(&answer(1, "analysis", said)), "{said}");
    }
    let found = answer(1, "analysis", "critical: a.py:5 divides by zero");
    assert!(!told_texts(&found).is_empty());
}

#[test]
fn what_is_said_of_others_findings_in_a_later_round_stands_in_the_report() {
    for said in [
        "Judge B claims an overflow, and the bound in line 3 refutes it.",
        "A1 says that the loop crashes; it is guarded.",
    ] {
        assert!(is_silent(&answer(2, "key_insight", said)), "{said}");
    }
}
