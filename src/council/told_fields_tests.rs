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

/// The names on the way to each text of an answer, as its schema has them; `0` is the item of a list.
fn text_fields(schema: &Value, at: &Value, way: &[String], found: &mut Vec<Vec<String>>) {
    let step = |name: &str| [way, &[name.to_owned()]].concat();
    if let Some(name) = at["$ref"].as_str() {
        let named = &schema["$defs"][name.trim_start_matches("#/$defs/")];
        return text_fields(schema, named, way, found);
    }
    for inner in at["anyOf"].as_array().into_iter().flatten() {
        text_fields(schema, inner, way, found);
    }
    for (name, inner) in at["properties"].as_object().into_iter().flatten() {
        text_fields(schema, inner, &step(name), found);
    }
    if at["items"].is_object() {
        text_fields(schema, &at["items"], &step("0"), found);
    }
    let kinds = json!([at["type"]]).to_string();
    if kinds.contains("\"string\"") && at["enum"].is_null() {
        found.push(way.to_vec());
    }
}

fn nest(way: &[String], said: &str) -> Value {
    way.iter()
        .rev()
        .fold(json!(said), |inner, name| match name.as_str() {
            "0" => json!([inner]),
            name => json!({ name: inner }),
        })
}

/// Fields that say who, where or which turn, and the lists of findings, beside which a PASS is not bare.
const NO_WORDS: [&str; 3] = ["key", "findings", "independent_findings"];

/// No text of an answer, however deep it stands, can hold an objection beside a PASS in silence: it is sent back or told.
#[test]
fn an_objection_in_no_text_field_of_the_schema_is_silent() {
    let schema = schemars::schema_for!(Answer).to_value();
    let mut ways = Vec::new();
    text_fields(&schema, &schema, &[], &mut ways);
    ways.retain(|way| !NO_WORDS.contains(&way[0].as_str()));
    assert!(ways.len() > 25, "{ways:?}");
    let words = [
        "# Review\n\nCritical: a.py:4 is a command injection. Do not merge.\n\nVote: FAIL",
        "It adds two numbers. I vote FAIL.",
        "Verdict: FAIL",
        "The tests pass.\n\nThis must not go in.",
    ];
    for (way, round, said) in each_case(&ways, &words) {
        // In a later round a judge is asked for the best case against what it holds.
        if way[0] == "steel_man" && round > 1 {
            continue;
        }
        let mut answer = nest(way, said);
        answer["verdict"] = "PASS".into();
        answer["round"] = round.into();
        let is_sent_back = check_fields(&answer).is_err() || objects_in_document(&answer);
        assert!(is_sent_back || !told_texts(&answer).is_empty(), "{answer}");
    }
}

fn each_case<'a>(
    ways: &'a [Vec<String>],
    words: &'a [&'a str],
) -> impl Iterator<Item = (&'a Vec<String>, u64, &'a str)> {
    let rounds = ways.iter().flat_map(|way| [(way, 1), (way, 2)]);
    rounds.flat_map(|(way, round)| words.iter().map(move |said| (way, round, *said)))
}

/// A document that nobody asked for is read like words beside the answer; where a stage asks for one, it may be about anything.
#[test]
fn a_document_that_nobody_asked_for_is_sent_back_or_told() {
    let read = |said: &str, vote: Vote| {
        let mut answer = Answer::new(1, "k", vote);
        answer.document = Some(said.to_owned());
        read_unasked_document(&answer)
    };
    let objection = "# Review\n\nCritical: a.py:4 is a command injection. Do not merge.";
    assert!(read(objection, Vote::Pass).is_err());
    assert!(!read(objection, Vote::Fail).unwrap().is_empty());
    let told = read("I looked at three files. LGTM.", Vote::Pass).unwrap();
    assert_eq!(told, ["document: I looked at three files."]);
    assert!(read("LGTM.", Vote::Pass).unwrap().is_empty());
}
