//! Whole councils whose judges say more, or in another form, than the form asks for: nothing that objects is lost.

use council_fake_models::{FakeModels, Reply, Rule};
use serde_json::{Value, json};

use crate::models::{KEY, finding, repo};

/// Three judges, of which `fake-gemini` says these things in turn and the last one from then on; the others pass.
fn reviewed(rules: Vec<Rule>, more: &[&str]) -> Value {
    let models = FakeModels::start(rules).unwrap();
    let repo = repo(&models, "");
    let args = [&["review", "HEAD", "--json", "--deep"], more].concat();
    let run = repo.council_with(&[KEY], &args);
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stderr))
}

fn says(reply: Reply) -> Rule {
    Rule::on(reply).model("fake-gemini")
}

const PASS: &str = r#"{"schema_version": 1, "round": {{round}}, "key": "{{key}}", "verdict": "PASS", "confidence": "HIGH",
 "key_insight": "It is small.", "findings": [], "recommendation": "Merge it."}"#;

/// A law: whoever votes PASS in the form, and objects in words beside it, has not passed, wherever the words stand.
#[test]
fn a_pass_with_an_objection_beside_it_is_none() {
    for words in [
        "I vote FAIL: src/more.rs:2 is a critical bug.",
        "Do not merge this.",
        "One thing: `pub const MORE: u32 = 1;` crashes on every call.",
    ] {
        let insight = PASS.replace("It is small.", words);
        let restated = PASS.replace(
            "\"findings\"",
            &format!("\"restatement\": \"{words}\", \"findings\""),
        );
        for text in [
            format!("{words}\n\n```json\n{PASS}\n```"),
            format!("```json\n{PASS}\n```\n\n{words}"),
            format!("{PASS}\n\n{words}"),
            insight,
            restated,
        ] {
            let report = reviewed(vec![says(Reply::text(text.clone()))], &["--debate=off"]);
            assert_eq!(report["verdict"], "WARN", "{text}: {report}");
            let told = report["notes"].to_string();
            assert!(told.contains(&words[..12]), "{text}: {told}");
        }
    }
}

/// A law: nothing of a judge's own beside a PASS is silent, and what votes, finds or names a place is no PASS.
#[test]
fn words_beside_a_pass_are_no_pass_or_are_told() {
    for (words, verdict) in [
        ("Verdict: FAIL", "WARN"),
        ("**FAIL**", "WARN"),
        ("Changes requested.", "WARN"),
        ("**Severity: High** The name misleads.", "WARN"),
        ("One problem: src/more.rs:2.", "WARN"),
        ("Die Konstante in src/more.rs:2 ist falsch.", "WARN"),
        ("Die Funktion stürzt ab.", "PASS"),
        ("There is a bug in it.", "WARN"),
    ] {
        for text in [
            format!("{words}\n\n```json\n{PASS}\n```"),
            format!("{PASS}\n\n{words}"),
        ] {
            let report = reviewed(vec![says(Reply::text(text.clone()))], &["--debate=off"]);
            assert_eq!(report["verdict"], verdict, "{text}: {report}");
            let told = report["notes"].to_string();
            assert!(told.contains(&words[..8]), "{text}: {told}");
        }
    }
    let announced = format!("I reviewed the change. Here is my answer:\n\n```json\n{PASS}\n```");
    let report = reviewed(vec![says(Reply::text(announced))], &["--debate=off"]);
    assert_eq!(report["verdict"], "PASS", "{report}");
    assert!(!report["notes"].to_string().contains("beside a PASS"));
}

/// A law: a vote with an addition is no consent, and its words are told.
#[test]
fn a_vote_with_a_condition_is_no_pass() {
    for vote in [
        "PASS if src/more.rs:2 is fixed",
        "LGTM except src/more.rs",
        "PASS?",
        "PASS/FAIL",
        "PASS with conditions",
        "bestanden, wenn es korrigiert wird",
    ] {
        let text = PASS.replace("\"PASS\"", &format!("\"{vote}\""));
        let report = reviewed(vec![says(Reply::text(text))], &["--debate=off"]);
        assert_eq!(report["verdict"], "WARN", "{vote}: {report}");
        let told = report["notes"].to_string();
        assert!(told.contains(vote), "{vote}: {told}");
    }
}

/// A law: a finding in an answer that is sent back for its form is not forgotten when the answer in its place passes.
#[test]
fn a_finding_that_is_sent_back_for_its_form_bars_a_pass() {
    let odd = |severity: Value| {
        let mut finding = finding();
        finding["severity"] = severity;
        Reply::vote("PASS").with("findings", json!([finding]))
    };
    for first in [
        odd(json!("major")),
        odd(json!("error")),
        odd(Value::Null),
        Reply::vote("PASS").with("findings", json!("critical: src/more.rs:2 misleads")),
        Reply::vote("PASS").with(
            "notes",
            json!(["src/more.rs:2: critical: the name misleads"]),
        ),
        Reply::vote("PASS").with("summary", json!("FAIL. The name misleads.")),
        Reply::vote("PASS").with("mergeable", json!(false)),
    ] {
        let report = reviewed(vec![says(first.clone()).times(1)], &["--debate=off"]);
        assert_eq!(report["verdict"], "WARN", "{first:?}: {report}");
    }
}

/// A law: a confirmation is one in whatever word, and under whatever id that names the one finding.
#[test]
fn a_confirmation_counts_in_its_own_words() {
    let evidence = json!({"path": "src/more.rs", "line": 1, "quote": "/// One more."});
    for (to, stance) in [
        ("F1", "agreed"),
        ("#1", "confirmed"),
        ("finding 1", "Confirm"),
        ("F1", "valid"),
        ("1", "support"),
        ("Issue #1", "yes"),
    ] {
        let response =
            json!([{"to": to, "stance": stance, "reasoning": "I looked.", "evidence": evidence}]);
        let confirms = |model: &str| Rule {
            skip: 1,
            ..Rule::on(Reply::vote("PASS").with("responses", response.clone())).model(model)
        };
        let found = says(Reply::finding("FAIL", finding())).times(1);
        let holds = says(Reply::vote("FAIL"));
        let rules = vec![
            found,
            holds,
            confirms("fake-anthropic"),
            confirms("fake-responses"),
        ];
        let report = reviewed(rules, &["--debate"]);
        assert_eq!(
            report["findings"][0]["disposition"], "confirmed",
            "{to} {stance}: {report}"
        );
        assert_eq!(report["verdict"], "FAIL", "{to} {stance}");
    }
}
