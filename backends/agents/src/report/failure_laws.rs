//! A tool that says in any of SARIF's ways that it failed has answered nothing; one that says no such thing has.

use council_protocol::{Answer, Failure, FailureKind};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::tests::{error_at, place_at, read, sarif_run};
use super::*;

/// What a tool says last.
const WORDS: &str = "rules.yml: no such rule";

fn error(places: &[Value]) -> Value {
    json!({ "level": "error", "message": { "text": WORDS }, "locations": places })
}

/// Each way of saying that a run failed: a field of the invocation, and whether it stands for itself beside
/// `executionSuccessful: true`.
fn failures() -> Vec<(&'static str, Value, bool)> {
    let nowhere = json!([error(&[])]);
    let without_file = json!([error(&[
        json!({ "logicalLocations": [{ "name": "main" }] })
    ])]);
    let elsewhere = json!([error(&[place_at(".semgrep.yml", 1)])]);
    vec![
        ("executionSuccessful", json!(false), true),
        ("exitSignalName", json!("SIGKILL"), true),
        ("exitSignalNumber", json!(9), true),
        ("processStartFailureMessage", json!(WORDS), true),
        ("toolExecutionNotifications", nowhere.clone(), true),
        ("toolExecutionNotifications", without_file, true),
        ("toolConfigurationNotifications", nowhere, true),
        ("toolConfigurationNotifications", elsewhere, true),
        ("exitCode", json!(2), false),
    ]
}

/// What a run may say beside, and still have succeeded.
fn harmless() -> Vec<(&'static str, Value)> {
    let note = |level: &str| json!([{ "level": level, "message": { "text": "by the way" } }]);
    vec![
        ("exitCode", json!(1)),
        ("exitSignalName", Value::Null),
        ("exitCodeDescription", json!("findings")),
        ("toolExecutionNotifications", note("warning")),
        ("toolConfigurationNotifications", note("note")),
        (
            "toolExecutionNotifications",
            json!([{ "message": { "text": "by the way" } }]),
        ),
        (
            "toolExecutionNotifications",
            json!([error(&[place_at("other.py", 1)])]),
        ),
    ]
}

fn results(found: bool) -> Value {
    let places = [place_at("src/a b.py", 3)];
    if found {
        json!([error_at(&places)])
    } else {
        json!([])
    }
}

fn answer(run: &Value) -> Result<Answer, Failure> {
    read(OutputFormat::Sarif, &sarif_run(run))
}

proptest! {
    #[test]
    fn whoever_says_that_he_failed_abstains(
        way in 0..failures().len(),
        beside in proptest::collection::vec(0..harmless().len(), 0..3),
        found in any::<bool>(),
        says_success in any::<bool>(),
        behind in any::<bool>(),
    ) {
        let (field, value, alone) = failures().swap_remove(way);
        let mut failed = json!({});
        for one in beside {
            let (field, value) = harmless().swap_remove(one);
            failed[field] = value;
        }
        if says_success && alone {
            failed["executionSuccessful"] = true.into();
        }
        failed[field] = value.clone();
        let good = json!({ "executionSuccessful": true });
        let invocations = if behind { json!([good, failed]) } else { json!([failed, good]) };
        let told = answer(&json!({ "invocations": invocations, "results": results(found) }));
        let failure = told.expect_err("an answer of a run that failed");
        prop_assert_eq!(failure.kind, FailureKind::Provider);
        let has_words = value.to_string().contains(WORDS);
        prop_assert!(!has_words || failure.detail.contains(WORDS), "{}", failure.detail);
    }

    #[test]
    fn what_is_no_failure_changes_no_answer(
        beside in proptest::collection::vec(0..harmless().len(), 0..4),
        found in any::<bool>(),
    ) {
        let mut invocation = json!({ "executionSuccessful": true });
        for one in beside {
            let (field, value) = harmless().swap_remove(one);
            invocation[field] = value;
        }
        let plain = answer(&json!({ "results": results(found) }));
        let told = answer(&json!({ "invocations": [invocation], "results": results(found) }));
        prop_assert_eq!(told, plain);
    }
}

#[test]
fn a_run_without_results_says_why() {
    let notification = json!([error(&[])]);
    for invocation in [
        json!({ "executionSuccessful": false, "toolExecutionNotifications": notification }),
        json!({ "executionSuccessful": true, "toolExecutionNotifications": notification }),
        json!({ "executionSuccessful": false, "exitCodeDescription": WORDS }),
    ] {
        for results in [Value::Null, json!([])] {
            let failure = answer(&json!({ "invocations": [invocation], "results": results }));
            let detail = failure.unwrap_err().detail;
            assert!(
                detail.ends_with(&format!("did not succeed: {WORDS}")),
                "{detail}"
            );
        }
    }
}
