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
