//! The JSON format: read back, checked, versioned.

use serde_json::Value;

use super::super::{GatePolicy, Report, json, rdjson, sarif};
use super::samples;
use crate::text;
use serde_json::json as json_of;

#[test]
fn json_is_read_back_and_hides_nothing() {
    for (name, report) in samples::all() {
        let text = json::render(&report, GatePolicy::default());
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
        let value = serde_json::from_str(&json::render(&report, GatePolicy::default())).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|e| e.to_string())
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
    }
}

#[test]
fn json_of_another_version_is_refused() {
    let text = json::render(&samples::pass(), GatePolicy::default())
        .replace("\"schema_version\": 1", "\"schema_version\": 2");
    let error = json::parse(&text).unwrap_err().to_string();
    assert!(error.contains("schema version 2"), "{error}");
}

#[test]
fn t21_a_report_that_is_greener_than_its_content_is_refused() {
    let forged = |report: &Report, from: &str, to: &str| {
        let text = json::render(report, GatePolicy::default());
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

/// The errors of a value against a schema.
fn errors(schema: &Value, value: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(schema).unwrap();
    let errors = validator.iter_errors(value);
    errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

#[test]
fn sarif_follows_its_schema_and_every_result_has_a_fingerprint() {
    let schema: Value = serde_json::from_str(include_str!("fixtures/sarif-2.1.0.json")).unwrap();
    for (name, report) in samples::all() {
        let log: Value = serde_json::from_str(&sarif::render(&report)).unwrap();
        assert_eq!(errors(&schema, &log), Vec::<String>::new(), "{name}");
        let results = log["runs"][0]["results"].as_array().unwrap();
        for result in results {
            let prints = result["partialFingerprints"].as_object().unwrap();
            let (_, print) = prints.iter().next().unwrap();
            assert!(print.as_str().is_some_and(|p| p.len() >= 16), "{name}");
        }
    }
    // The schema forbids what it does not know.
    let mut log: Value = serde_json::from_str(&sarif::render(&samples::fail())).unwrap();
    log["runs"][0]["results"][0]["levle"] = "error".into();
    log["runs"][0]["results"][1]["level"] = "fatal".into();
    assert_eq!(errors(&schema, &log).len(), 2);
}

/// reviewdog's `DiagnosticResult` has no required fields and forbids none; this is stricter, so that nothing is misspelt.
#[test]
fn rdjson_is_what_reviewdog_reads() {
    let closed = |properties: Value, required: Value| json_of!({ "type": "object", "additionalProperties": false, "properties": properties, "required": required });
    let text = || json_of!({ "type": "string" });
    let severity = || json_of!({ "enum": ["ERROR", "WARNING", "INFO"] });
    let number = || json_of!({ "type": "integer", "minimum": 1 });
    let position = || {
        closed(
            json_of!({ "line": number(), "column": number() }),
            json_of!(["line"]),
        )
    };
    let range = || {
        closed(
            json_of!({ "start": position(), "end": position() }),
            json_of!(["start"]),
        )
    };
    let diagnostic = closed(
        json_of!({
            "message": text(), "severity": severity(),
            "location": closed(json_of!({ "path": text(), "range": range() }), json_of!(["path"])),
            "code": closed(json_of!({ "value": text(), "url": text() }), json_of!(["value"])),
            "suggestions": { "type": "array", "items":
                closed(json_of!({ "range": range(), "text": text() }), json_of!(["range", "text"])) },
        }),
        json_of!(["message", "location", "severity"]),
    );
    let schema = closed(
        json_of!({
            "source": closed(json_of!({ "name": text(), "url": text() }), json_of!(["name"])),
            "severity": severity(),
            "diagnostics": { "type": "array", "items": diagnostic },
        }),
        json_of!(["source", "diagnostics"]),
    );
    for (name, report) in samples::all() {
        let result: Value = serde_json::from_str(&rdjson::render(&report)).unwrap();
        assert_eq!(errors(&schema, &result), Vec::<String>::new(), "{name}");
        let counted = report
            .outcome
            .findings
            .iter()
            .filter(|f| f.level.is_some())
            .count();
        assert_eq!(
            result["diagnostics"].as_array().unwrap().len(),
            counted,
            "{name}"
        );
    }
}
