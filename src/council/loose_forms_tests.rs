use council_protocol::{Answer, RoundNumber, Severity, Vote};
use proptest::prelude::*;
use serde_json::json;

use super::super::extract::{ExpectedEcho, ReadReply, read_reply};
use super::super::unseen_words::Speaker;
use super::*;

fn read(raw: &str, round: RoundNumber) -> ReadReply {
    let echo = ExpectedEcho {
        round,
        key: "k",
        judge: "judge-1",
        others: &[],
        is_foreign: &|_| false,
    };
    read_reply(raw, echo, Speaker::Model).unwrap_or_else(|failure| panic!("{failure}: {raw}"))
}

fn critical() -> Value {
    json!({
        "severity": "critical", "category": "bug", "description": "Division by zero.",
        "location": {"path": "a.py", "line": 5}, "quote": "total = x / 0",
    })
}

fn answer(round: u8) -> Value {
    json!({
        "schema_version": 1, "round": round, "key": "k", "verdict": "FAIL", "confidence": "HIGH", "key_insight": "i",
        "findings": [critical()],
    })
}

fn first(raw: &str) -> Answer {
    read(raw, RoundNumber::FIRST).answer
}

proptest! {
    /// A whole answer with its key is read, whatever stands around it and however its values are written.
    #[test]
    fn a_whole_answer_is_read_in_every_form(
        fence in prop::sample::select(vec![None, Some(""), Some("json"), Some("jsonc"), Some("javascript"), Some("JSON5"), Some("text")]),
        words in prop::sample::select(vec!["", "Here is my answer:\n\n"]),
        in_list in any::<bool>(), comma in any::<bool>(), texts in any::<bool>(),
        confidence in prop::sample::select(vec![json!("HIGH"), json!("high"), json!(0.9), json!(95)]),
        verdict in prop::sample::select(vec!["FAIL", "**FAIL**", "fail.", "Rejected"]),
        reference in prop::sample::select(vec![json!("CWE-369"), json!(["CWE-369"])]),
    ) {
        let mut given = answer(1);
        given["confidence"] = confidence;
        given["verdict"] = verdict.into();
        given["findings"][0]["ref"] = reference;
        if texts {
            given["findings"][0]["location"]["line"] = "5".into();
            given["round"] = "1".into();
        }
        let mut text = given.to_string();
        if comma {
            text.insert(text.len() - 1, ',');
        }
        if in_list {
            text = format!("[{text}]");
        }
        let text = match fence {
            Some(name) => format!("{words}```{name}\n{text}\n```"),
            None => text,
        };
        let read = first(&text);
        prop_assert_eq!(read.verdict, Vote::Fail);
        prop_assert_eq!(read.findings.len(), 1);
        prop_assert_eq!(read.findings[0].severity, Severity::Critical);
        prop_assert_eq!(read.findings[0].location.line, 5);
        prop_assert_eq!(read.findings[0].reference.as_deref(), Some("CWE-369"));
    }

    /// A place is one wherever its parts stand and however they are joined, in every list of findings.
    #[test]
    fn a_place_is_read_in_every_form(
        place in prop::sample::select(vec![
            json!({"location": {"path": "src/a.py", "line": 5}}),
            json!({"location": {"file": "src/a.py", "line": "5"}}),
            json!({"location": {"path": "src/a.py:5"}}),
            json!({"location": {"path": "src/a.py"}, "line": 5}),
            json!({"location": {"path": "src/a.py", "lines": [5]}}),
            json!({"location": "src/a.py:5"}),
            json!({"location": "`src/a.py:5`"}),
            json!({"location": "src/a.py:5:9"}),
            json!({"location": "src/a.py#L5"}),
            json!({"location": "src/a.py, line 5"}),
            json!({"location": "src/a.py (line 5)"}),
            json!({"location": "src/a.py", "line": 5}),
            json!({"path": "src/a.py", "line": 5}),
            json!({"file": "src/a.py", "line": "5"}),
            json!({"file": "src/a.py", "line": "L5"}),
            json!({"file": "src/a.py:5"}),
        ]),
        end in prop::option::of(6u32..9),
        list in prop::sample::select(vec!["findings", "issues", "problems", "independent_findings"]),
        wrapped in any::<bool>(),
    ) {
        let mut finding = critical();
        let fields = finding.as_object_mut().unwrap();
        fields.remove("location");
        fields.extend(place.as_object().unwrap().clone());
        let is_whole = place["location"]["line"].is_u64();
        if let Some(end) = end.filter(|_| is_whole) {
            fields["location"]["end_line"] = end.into();
        } else if let Some(end) = end {
            fields.insert("end_line".to_owned(), end.into());
        }
        let is_wrapped = wrapped && list == "independent_findings";
        let item = if is_wrapped { json!({"tag": "new", "finding": finding}) } else { finding };
        let mut given = answer(1);
        given["findings"] = json!([]);
        given[list] = json!([item]);
        let read = first(&given.to_string());
        prop_assert_eq!(read.findings.len(), 1, "{}", given);
        let at = &read.findings[0].location;
        let told = (at.path.display().to_string(), at.line, at.end_line);
        prop_assert_eq!(told, ("src/a.py".to_owned(), 5, end), "{}", given);
    }

    /// A range in one text says both of its ends.
    #[test]
    fn a_range_is_read_in_every_form(first_line in 1u32..99, more in 1u32..9, form in 0usize..5) {
        let last = first_line + more;
        let place = match form {
            0 => json!({"location": format!("a.py:{first_line}-{last}")}),
            1 => json!({"location": format!("a.py#L{first_line}-L{last}")}),
            2 => json!({"file": "a.py", "line": format!("{first_line}–{last}")}),
            3 => json!({"path": "a.py", "lines": [first_line, last]}),
            _ => json!({"location": {"path": "a.py", "line": format!("{first_line}-{last}")}}),
        };
        let mut finding = critical();
        let fields = finding.as_object_mut().unwrap();
        fields.remove("location");
        fields.extend(place.as_object().unwrap().clone());
        let mut given = answer(1);
        given["findings"] = json!([finding]);
        let at = first(&given.to_string()).findings.remove(0).location;
        prop_assert_eq!((at.line, at.end_line), (first_line, Some(last)), "{}", given);
    }

    /// An agreement with evidence is one in every spelling.
    #[test]
    fn an_agreement_is_read_in_every_form(
        stance in prop::sample::select(vec![
            "agreed", "concur", "true positive", "I agree", "AGREE!", "correct", "accepted", "reproduced", "**Agreed**",
        ]),
        evidence in prop::sample::select(vec![
            json!({"path": "a.py", "line": 5, "quote": "total = x / 0"}),
            json!([{"path": "a.py", "line": 5, "quote": "total = x / 0"}]),
            json!("a.py:5: total = x / 0"),
            json!({"path": "a.py", "line": "5", "quote": "total = x / 0"}),
            json!({"file": "a.py", "line": 5, "code": "total = x / 0"}),
            json!({"path": "a.py", "quote": "total = x / 0"}),
        ]),
    ) {
        let mut given = answer(2);
        given["findings"] = json!([]);
        given["responses"] = json!([{"to": "A1", "stance": stance, "reasoning": "r", "evidence": evidence}]);
        let read = read(&given.to_string(), RoundNumber::SECOND);
        prop_assert!(read.dropped.is_empty(), "{:?}", read.dropped);
        let response = &read.answer.responses[0];
        prop_assert_eq!(response.stance, council_protocol::answer::Stance::Agreed);
        prop_assert_eq!(response.evidence.as_ref().map(|e| e.quote.as_str()), Some("total = x / 0"));
    }
}

#[test]
fn an_independent_finding_without_its_tag_is_new() {
    for item in [critical(), json!({"finding": critical()})] {
        let mut given = answer(2);
        given["findings"] = json!([]);
        given["independent_findings"] = json!([item]);
        let read = read(&given.to_string(), RoundNumber::SECOND).answer;
        assert_eq!(read.independent_findings.len(), 1);
    }
}

#[test]
fn a_response_that_cannot_be_read_costs_itself_alone() {
    let mut given = answer(2);
    given["responses"] = json!([
        {"to": "A1", "stance": "agreed", "reasoning": "r"},
        {"to": "A2", "stance": "purple", "reasoning": "r"},
    ]);
    let read = read(&given.to_string(), RoundNumber::SECOND);
    assert_eq!(read.answer.responses.len(), 1);
    assert_eq!(read.answer.findings.len(), 1);
    assert!(read.dropped[0].contains("purple"), "{:?}", read.dropped);
}

proptest! {
    /// An end before its line says nothing, in whatever form and list it stands; every other one is kept.
    #[test]
    fn an_end_before_its_line_says_nothing(
        line in 1u32..40,
        end in 0u32..40,
        as_text in any::<bool>(),
        later in any::<bool>(),
    ) {
        let number = |number: u32| match as_text {
            true => json!(number.to_string()),
            false => json!(number),
        };
        let mut found = critical();
        found["location"]["line"] = number(line);
        found["location"]["end_line"] = number(end);
        let round = if later { RoundNumber::SECOND } else { RoundNumber::FIRST };
        let mut given = answer(u8::from(later) + 1);
        match later {
            true => given["independent_findings"] = json!([{"tag": "new", "finding": found}]),
            false => given["findings"] = json!([found]),
        }
        let read = read(&given.to_string(), round).answer;
        let place = match later {
            true => &read.independent_findings[0].finding.location,
            false => &read.findings[0].location,
        };
        let kept = (end >= line).then_some(end);
        prop_assert_eq!((place.line, place.end_line), (line, kept));
    }
}
