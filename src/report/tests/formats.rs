//! The JSON format: read back, checked, versioned.

use super::super::{Gate, Report, json};
use super::samples;
use crate::text;

#[test]
fn json_is_read_back_and_hides_nothing() {
    for (name, report) in samples::all() {
        let text = json::render(&report, Gate::default());
        assert!(
            !text.chars().any(|c| c != '\n' && text::is_hidden(c)),
            "{name}"
        );
        let again: Report = json::parse(&text).unwrap();
        assert_eq!(again, report, "{name}");
    }
}

#[test]
fn json_follows_its_schema() {
    let schema = json::schema().to_value();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (name, report) in samples::all() {
        let value = serde_json::from_str(&json::render(&report, Gate::default())).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|e| e.to_string())
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
    }
}

#[test]
fn json_of_another_version_is_refused() {
    let text = json::render(&samples::pass(), Gate::default())
        .replace("\"schema_version\": 1", "\"schema_version\": 2");
    let error = json::parse(&text).unwrap_err().to_string();
    assert!(error.contains("schema version 2"), "{error}");
}

#[test]
fn t21_a_report_that_is_greener_than_its_content_is_refused() {
    let forged = |report: &Report, from: &str, to: &str| {
        let text = json::render(report, Gate::default());
        assert!(text.contains(from), "{from}");
        json::parse(&text.replace(from, to)).map_err(|e| e.to_string())
    };
    let pass = |report: &Report, word: &str| {
        forged(
            report,
            &format!("\"verdict\": \"{word}\",\n  \"reason\""),
            "\"verdict\": \"PASS\",\n  \"reason\"",
        )
        .unwrap_err()
    };
    assert_eq!(
        pass(&samples::fail(), "FAIL"),
        "the report says PASS, but a finding in it weighs more: it was not written by git-council as it stands"
    );
    assert!(pass(&samples::warn(), "WARN").contains("a finding in it weighs more"));
    assert!(pass(&samples::inconclusive(), "INCONCLUSIVE").contains("too few judges counted"));
    assert!(pass(&samples::interrupted(), "INCONCLUSIVE").contains("the run was cut short"));
    assert!(pass(&samples::skipped(), "SKIPPED").contains("too few judges counted"));
    let counted = forged(&samples::inconclusive(), "\"counted\": 1", "\"counted\": 3").unwrap_err();
    assert!(counted.contains("counts other judges"), "{counted}");
}
