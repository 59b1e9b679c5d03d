//! The formats that are not SARIF, and what SARIF may keep elsewhere than in a result.

use super::*;

#[test]
fn rdjson_is_read_with_its_suggestions() {
    let range = json!({ "start": { "line": 3 }, "end": { "line": 3 } });
    let diagnostic = json!({ "message": "Do not.", "severity": "ERROR", "code": { "value": "S1", "url": "https://example.com/S1" },
        "location": { "path": "src/a b.py", "range": range }, "suggestions": [{ "range": range, "text": "parse(input)" }] });
    let report = json!({ "source": { "name": "lint" }, "diagnostics": [diagnostic] });
    let answer = read(OutputFormat::Rdjson, &report).unwrap();
    assert_eq!(
        answer.findings[0].suggestion.as_deref(),
        Some("parse(input)")
    );
    assert_eq!(answer.findings[0].rule.as_deref(), Some("S1"));
    let partial = json!({ "start": { "line": 3, "column": 2 } });
    let diagnostic = json!({ "message": "m", "severity": 3, "location": { "path": "src/a b.py", "range": partial },
        "suggestions": [{ "range": partial, "text": "x" }] });
    let answer = read(
        OutputFormat::Rdjson,
        &json!({ "diagnostics": [diagnostic] }),
    )
    .unwrap();
    assert_eq!(
        answer.findings[0].suggestion, None,
        "it is for a part of the line"
    );
    assert_eq!(answer.findings[0].severity, Severity::Minor);
}

#[test]
fn a_file_that_bandit_did_not_read_is_told_and_never_green() {
    let report = |errors: Value, results: Value| {
        let report = json!({ "errors": errors, "results": results, "metrics": {} });
        read(OutputFormat::Bandit, &report).unwrap()
    };
    let found = json!([{ "filename": "././src/a b.py", "line_number": 3, "issue_text": "eval", "issue_severity": "MEDIUM",
        "test_id": "B307", "more_info": "https://example.com/B307" }]);
    let answer = report(json!([]), found);
    assert_eq!((answer.verdict, answer.findings.len()), (Vote::Warn, 1));
    assert_eq!(answer.findings[0].rule.as_deref(), Some("B307"));
    // A statement of several lines, of which the change altered another one.
    let found = json!([{ "filename": "././src/a b.py", "line_number": 2, "line_range": [1, 2, 3], "issue_text": "eval",
        "issue_severity": "HIGH", "test_id": "B307" }]);
    assert_eq!(report(json!([]), found).verdict, Vote::Fail);
    let unread = |path: &str| json!([{ "filename": path, "reason": "syntax error" }]);
    let answer = report(unread("././src/a b.py"), json!([]));
    assert_eq!(answer.verdict, Vote::Fail);
    assert!(
        answer.key_insight.contains("syntax error"),
        "{}",
        answer.key_insight
    );
    assert_eq!(report(unread("./other.py"), json!([])).verdict, Vote::Pass);
    let none = read(OutputFormat::Bandit, &json!({ "results": [] }));
    assert_eq!(none.unwrap_err().kind, FailureKind::Malformed);
}

/// A report that counts more than it lists says that something is wrong, and not what.
#[test]
fn eslint_that_lists_fewer_errors_than_it_counts_is_not_read() {
    let file = |counted: u8| {
        json!([{"filePath": "a.js", "errorCount": counted, "messages": [
            {"ruleId": "x", "severity": 2, "message": "m", "line": 1}
        ]}])
    };
    for counted in 0..4 {
        let answer = read(OutputFormat::Eslint, &file(counted));
        assert_eq!(answer.is_ok(), counted <= 1, "{counted}");
    }
}

#[test]
fn eslint_and_cargo_are_read_as_they_write() {
    let eslint = json!([{ "filePath": "/tmp/room/src/a b.py", "messages": [
        { "ruleId": "no-eval", "severity": 2, "message": "eval is evil.", "line": 3, "column": 1 },
    ] }]);
    let answer = read(OutputFormat::Eslint, &eslint).unwrap();
    assert_eq!(
        answer.verdict,
        Vote::Fail,
        "`max-severity` is critical here"
    );
    assert_eq!(answer.findings[0].rule.as_deref(), Some("no-eval"));
    let packet = packet();
    let subject = ReportSubject {
        packet: &packet,
        blobs: &Blobs,
        room: Path::new("/tmp/room"),
        config: &[],
    };
    let lines = r#"{"reason":"compiler-message","message":{"message":"m","level":"warning","code":{"code":"clippy::x"},
"spans":[{"file_name":"src/a b.py","line_start":3,"line_end":3,"is_primary":true}]}}"#.replace('\n', "");
    let read = |text: String| {
        let mut sink = HitSink::new(&subject, Side::New);
        read_report(OutputFormat::Cargo, text.as_bytes(), &mut sink).map(|()| sink.kept.len())
    };
    let finished = r#"{"reason":"build-finished","success":true}"#;
    assert_eq!(read(format!("{lines}\n{finished}\n")), Ok(1));
    let failed = finished.replace("true", "false");
    assert_eq!(
        read(format!("{lines}\n{failed}\n")).unwrap_err().kind,
        FailureKind::Provider
    );
    assert_eq!(read(lines).unwrap_err().kind, FailureKind::Truncated);
}

/// A run may have made its rules graver, or milder, than they are by themselves; what a result says of itself counts first.
#[test]
fn the_level_that_a_run_gave_its_rule_counts() {
    let severity = |own: Option<&str>, descriptor: Value, levels: &[&str]| {
        let over =
            |level: &&str| json!({ "descriptor": descriptor, "configuration": { "level": level } });
        let overrides: Vec<Value> = levels.iter().map(over).collect();
        let mut found = error_at(&[place_at("src/a b.py", 3)]);
        found["level"] = own.into();
        let run = json!({ "results": [found],
            "invocations": [{ "executionSuccessful": true, "ruleConfigurationOverrides": overrides }] });
        let answer = read(OutputFormat::Sarif, &sarif_run(&run)).unwrap();
        answer.findings[0].severity
    };
    for descriptor in [
        json!({ "id": "R1" }),
        json!({ "index": 0 }),
        json!({ "id": "R1", "index": 0 }),
    ] {
        let level = |own, levels: &[&str]| severity(own, descriptor.clone(), levels);
        assert_eq!(level(None, &[]), Severity::Critical);
        assert_eq!(level(None, &["note"]), Severity::Minor);
        assert_eq!(level(None, &["note", "error"]), Severity::Critical);
        assert_eq!(level(None, &["warning", "note"]), Severity::Significant);
        assert_eq!(level(Some("error"), &["note"]), Severity::Critical);
        assert_eq!(level(Some("note"), &["error"]), Severity::Minor);
    }
    let other = json!({ "id": "R2" });
    assert_eq!(severity(None, other, &["note"]), Severity::Critical);
}

/// Parts of a run that stand beside it are not read, and what is not read is no PASS.
#[test]
fn a_log_with_parts_of_its_runs_elsewhere_is_no_answer() {
    let log = |apart: Value| {
        let mut log = sarif_run(&json!({ "results": [] }));
        log["inlineExternalProperties"] = apart;
        read(OutputFormat::Sarif, &log)
    };
    let results = json!([{ "results": [error_at(&[place_at("src/a b.py", 3)])] }]);
    let failure = log(results).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Malformed);
    assert!(
        failure.detail.contains("inlineExternalProperties"),
        "{failure}"
    );
    for none in [json!([]), Value::Null] {
        assert_eq!(log(none).unwrap().verdict, Vote::Pass);
    }
}
