use std::sync::Arc;

use council_protocol::change::{BlobError, FileKind, Hunk};
use council_protocol::packet::{PACKET_VERSION, Target, TargetKind};
use council_protocol::{Coverage, Task, TurnId};
use serde_json::{Value, json};

use super::*;

const NEW: &str = "one\ntwo\neval(input)\nfour\n";

struct Blobs;

impl BlobSource for Blobs {
    fn read(&self, side: Side, _: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
        Ok((side == Side::New).then(|| NEW.as_bytes().into()))
    }
}

/// A change that added line 3 of `src/a b.py`.
fn packet() -> Packet {
    let hunk = Hunk {
        old_start: 1,
        old_lines: 3,
        new_start: 1,
        new_lines: 4,
        section: String::new(),
        body: " one\n two\n+eval(input)\n four\n".to_owned(),
    };
    let file = FileChange {
        path: "src/a b.py".into(),
        old_path: None,
        status: FileStatus::Modified,
        kind: FileKind::Text,
        old_mode: 0o100_644,
        new_mode: 0o100_644,
        old_id: None,
        new_id: None,
        old_size: None,
        new_size: None,
        lossy: false,
        similarity: None,
        hunks: vec![hunk],
    };
    let target = Target {
        kind: TargetKind::Commit,
        label: String::new(),
        slug: String::new(),
        base: None,
        head: None,
    };
    Packet {
        version: PACKET_VERSION,
        target,
        files: vec![file],
        instructions: Vec::new(),
        coverage: Coverage::default(),
        framing: Default::default(),
    }
}

fn read(format: OutputFormat, report: &Value) -> Result<Answer, Failure> {
    let turn = Turn {
        id: TurnId(1),
        round: 1,
        key: "k".to_owned(),
        task: Task::Review,
        prompt: String::new(),
        timeout_ms: 1,
        spend: None,
    };
    let packet = packet();
    let subject = ReportSubject {
        packet: &packet,
        blobs: &Blobs,
        room: Path::new("/tmp/room"),
    };
    answer_from_report(format, &report.to_string(), &subject, &turn).map(Option::unwrap)
}

fn sarif(results: Value) -> Value {
    json!({ "version": "2.1.0", "runs": [{
        "tool": { "driver": { "name": "semgrep", "rules": [
            { "id": "py.security.eval", "helpUri": "https://example.com/eval", "defaultConfiguration": { "level": "error" } },
        ] } },
        "invocations": [{ "executionSuccessful": true }],
        "results": results,
    }] })
}

fn result(uri: &str, line: u32) -> Value {
    json!({ "ruleId": "py.security.eval", "message": { "text": "Do not." },
        "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri }, "region": { "startLine": line } } }] })
}

#[test]
fn a_sarif_result_on_a_changed_line_is_a_finding_with_a_quote() {
    for uri in [
        "src/a%20b.py",
        "./src/a b.py",
        "file:///tmp/room/src/a%20b.py",
        "/tmp/room/src/a b.py",
    ] {
        let answer = read(OutputFormat::Sarif, &sarif(json!([result(uri, 3)]))).unwrap();
        assert_eq!(
            (answer.verdict, answer.key.as_str()),
            (Vote::Fail, "k"),
            "{uri}"
        );
        let finding = &answer.findings[0];
        assert_eq!(
            (finding.severity, finding.quote.as_str()),
            (Severity::Critical, "eval(input)")
        );
        assert_eq!(finding.category, "eval");
        assert_eq!(
            finding.reference.as_deref(),
            Some("https://example.com/eval")
        );
    }
}

#[test]
fn what_the_change_did_not_touch_is_counted_and_not_a_finding() {
    let results = json!([
        result("src/a b.py", 1),
        result("other.py", 3),
        result("src/a b.py", 99)
    ]);
    let answer = read(OutputFormat::Sarif, &sarif(results)).unwrap();
    assert_eq!((answer.verdict, answer.findings.len()), (Vote::Pass, 0));
    assert!(
        answer.key_insight.contains("3 elsewhere"),
        "{}",
        answer.key_insight
    );
}

/// One run of a tool without rules of its own but `R1`, whose level is `error`.
fn sarif_run(extra: &Value) -> Value {
    let rule = json!({ "id": "R1", "defaultConfiguration": { "level": "error" },
        "messageStrings": { "m": { "text": "Injection by {0}" } } });
    let mut run = json!({ "tool": { "driver": { "name": "x", "rules": [rule] } } });
    for (key, value) in extra.as_object().unwrap() {
        run[key] = value.clone();
    }
    json!({ "version": "2.1.0", "runs": [run] })
}

#[test]
fn what_sarif_lets_a_tool_say_by_number_or_by_name_is_the_same_finding() {
    let at = |artifact: Value| json!([{ "physicalLocation": { "artifactLocation": artifact, "region": { "startLine": 3 } } }]);
    let named = |artifact: Value| json!({ "ruleId": "R1", "level": "error", "message": { "text": "bad" }, "locations": at(artifact) });
    let plain = json!({ "uri": "src/a b.py" });
    let mut rejected = named(plain.clone());
    rejected["suppressions"] = json!([{ "kind": "external", "status": "rejected" }]);
    let forms = [
        json!({ "artifacts": [{ "location": { "uri": "src/a b.py" } }], "results": [named(json!({ "index": 0 }))] }),
        json!({ "originalUriBaseIds": { "SRC": { "uri": "src/" } },
            "results": [named(json!({ "uri": "a b.py", "uriBaseId": "SRC" }))] }),
        json!({ "originalUriBaseIds": { "SRC": { "uri": "src/", "uriBaseId": "ROOT" }, "ROOT": { "uri": "file:///tmp/room/" } },
            "results": [named(json!({ "uri": "a b.py", "uriBaseId": "SRC" }))] }),
        json!({ "results": [{ "ruleIndex": 0, "message": { "id": "m", "arguments": ["eval"] }, "locations": at(plain.clone()) }] }),
        json!({ "results": [{ "rule": { "index": 0 }, "message": { "id": "m" }, "locations": at(plain) }] }),
        json!({ "results": [named(json!({ "uri": "src\\a b.py" }))] }),
        json!({ "results": [rejected] }),
    ];
    for form in forms {
        let answer = read(OutputFormat::Sarif, &sarif_run(&form)).unwrap();
        assert_eq!(answer.verdict, Vote::Fail, "{form}");
        assert_eq!(answer.findings.len(), 1, "{form}");
        assert!(!answer.findings[0].description.is_empty(), "{form}");
    }
    let ring = json!({ "originalUriBaseIds": { "A": { "uri": "x/", "uriBaseId": "B" }, "B": { "uri": "y/", "uriBaseId": "A" } },
        "results": [named(json!({ "uri": "a b.py", "uriBaseId": "A" }))] });
    let answer = read(OutputFormat::Sarif, &sarif_run(&ring)).unwrap();
    assert!(answer.findings.is_empty(), "a ring of folders ends");
}

#[test]
fn an_error_without_a_place_is_told_and_never_green() {
    let result =
        json!({ "ruleId": "R1", "level": "error", "message": { "text": "The build broke." } });
    let answer = read(
        OutputFormat::Sarif,
        &sarif_run(&json!({ "results": [result.clone(), result] })),
    )
    .unwrap();
    assert_eq!(answer.verdict, Vote::Warn);
    let insight = &answer.key_insight;
    assert!(
        insight.starts_with("2 results name no file, the worst: The build broke."),
        "{insight}"
    );
}

#[test]
fn suppressed_and_passed_results_are_none() {
    let mut suppressed = result("src/a b.py", 3);
    suppressed["suppressions"] = json!([{ "kind": "inSource" }]);
    let mut passed = result("src/a b.py", 3);
    passed["kind"] = "pass".into();
    let answer = read(OutputFormat::Sarif, &sarif(json!([suppressed, passed]))).unwrap();
    assert_eq!(answer.findings.len(), 0);
}

#[test]
fn a_tool_that_failed_has_not_passed_anything() {
    let mut failed = sarif(json!([]));
    failed["runs"][0]["invocations"][0]["executionSuccessful"] = false.into();
    let kind = |report: &Value| read(OutputFormat::Sarif, report).unwrap_err().kind;
    assert_eq!(kind(&failed), FailureKind::Provider);
    failed["runs"][0]["invocations"] = json!([]);
    failed["runs"][0]["results"] = Value::Null;
    assert_eq!(kind(&failed), FailureKind::Provider);
    assert_eq!(
        kind(&json!({ "version": "2.1.0", "runs": [] })),
        FailureKind::Malformed
    );
    assert_eq!(
        kind(&json!({ "version": "2.0.0", "runs": [] })),
        FailureKind::Malformed
    );
    assert_eq!(kind(&json!({ "results": [] })), FailureKind::Malformed);
}

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
