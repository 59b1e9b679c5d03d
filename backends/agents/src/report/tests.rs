use std::sync::Arc;

use council_protocol::change::{BlobError, FileKind, Hunk};
use council_protocol::seat::ToolRules;
use council_protocol::{Answer, Coverage, RoundNumber, Task, Turn, TurnId, Vote};
use serde_json::{Value, json};

use super::sink::MAX_KEPT;
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
        only: Vec::new(),
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

pub(super) fn read(format: OutputFormat, report: &Value) -> Result<Answer, Failure> {
    read_over(&Blobs, format, report)
}

fn read_over(
    blobs: &dyn BlobSource,
    format: OutputFormat,
    report: &Value,
) -> Result<Answer, Failure> {
    let turn = Turn {
        id: TurnId(1),
        round: RoundNumber::FIRST,
        key: "k".to_owned(),
        task: Task::Review,
        prompt: String::new(),
        timeout_ms: 1,
        spend: None,
    };
    let packet = packet();
    let subject = ReportSubject {
        packet: &packet,
        blobs,
        room: Path::new("/tmp/room"),
        config: &[],
    };
    let mut sink = HitSink::new(&subject, Side::New);
    read_report(format, report.to_string().as_bytes(), &mut sink)?;
    let rules = ToolRules {
        max_severity: Severity::Critical,
        ..ToolRules::default()
    };
    Ok(sink.into_answer(&rules, &turn, ""))
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
        result("src/a b.py", 2)
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
pub(super) fn sarif_run(extra: &Value) -> Value {
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
    assert_eq!(answer.verdict, Vote::Fail);
    let insight = &answer.key_insight;
    assert!(
        insight.starts_with("2 results cannot be placed, the worst: The build broke."),
        "{insight}"
    );
}

/// A place of a result, as SARIF has it.
pub(super) fn place_at(uri: &str, line: u32) -> Value {
    json!({ "physicalLocation": { "artifactLocation": { "uri": uri }, "region": { "startLine": line } } })
}

pub(super) fn error_at(places: &[Value]) -> Value {
    json!({ "ruleId": "R1", "level": "error", "message": { "text": "bad" }, "locations": places })
}

fn answer_of(run: &Value) -> Answer {
    read(OutputFormat::Sarif, &sarif_run(run)).unwrap()
}

#[test]
fn any_of_a_results_places_counts() {
    let places = [
        place_at("README", 1),
        place_at("src/a b.py", 1),
        place_at("src/a b.py", 3),
    ];
    let answer = answer_of(&json!({ "results": [error_at(&places)] }));
    assert_eq!((answer.verdict, answer.findings.len()), (Vote::Fail, 1));
    assert_eq!(answer.findings[0].location.line, 3);
}

#[test]
fn an_error_whose_place_is_not_there_is_told_and_never_green() {
    for place in [
        place_at("file:///elsewhere/src/a b.py", 3),
        place_at("C:/elsewhere/src/a b.py", 3),
        place_at("src/a b.py", 99),
    ] {
        let answer = answer_of(&json!({ "results": [error_at(std::slice::from_ref(&place))] }));
        assert_eq!(answer.verdict, Vote::Fail, "{place}");
        assert!(answer.key_insight.contains("cannot be placed"), "{place}");
    }
    let elsewhere = [
        place_at("/usr/lib/python/os.py", 3),
        place_at("src/a b.py", 1),
    ];
    for place in elsewhere {
        let answer = answer_of(&json!({ "results": [error_at(&[place])] }));
        assert_eq!(answer.verdict, Vote::Pass, "what the change did not touch");
    }
}

#[test]
fn a_changed_file_that_the_tool_could_not_parse_is_told_and_never_green() {
    let told = |level: &str, uri: &str| {
        let notification = json!({ "level": level, "message": { "text": "cannot parse it" },
            "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri } } }] });
        let invocation =
            json!({ "executionSuccessful": true, "toolExecutionNotifications": [notification] });
        answer_of(&json!({ "invocations": [invocation], "results": [] }))
    };
    let answer = told("error", "src/a b.py");
    assert_eq!(answer.verdict, Vote::Fail);
    assert!(answer.key_insight.contains("cannot parse it"));
    assert_eq!(told("error", "src/other.py").verdict, Vote::Pass);
    assert_eq!(told("warning", "src/a b.py").verdict, Vote::Pass);
}

#[test]
fn an_error_in_what_configures_the_tool_is_told_apart() {
    let misled = |text: &str| {
        let packet = packet();
        let config = ["tsconfig.json".to_owned()];
        let subject = ReportSubject {
            packet: &packet,
            blobs: &Blobs,
            room: Path::new("/tmp/room"),
            config: &config,
        };
        let mut sink = HitSink::new(&subject, Side::New);
        read_report(OutputFormat::Lines, text.as_bytes(), &mut sink).unwrap();
        sink.misled().map(str::to_owned)
    };
    let told = misled("tsconfig.json(1,24): error TS5023: Unknown compiler option 'x'.\n").unwrap();
    assert!(
        told.starts_with("tsconfig.json: ") && told.contains("Unknown compiler option"),
        "{told}"
    );
    assert!(misled("/tmp/room/app/tsconfig.json(1,24): error TS5023: x\n").is_some());
    assert_eq!(misled("src/a.ts(1,24): error TS2304: x\n"), None);
    assert_eq!(misled("tsconfig.json(1,24): warning TS1: x\n"), None);
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

/// A turn of a review.
fn turn() -> Turn {
    Turn {
        id: TurnId(1),
        round: RoundNumber::FIRST,
        key: "k".to_owned(),
        task: Task::Review,
        prompt: String::new(),
        timeout_ms: 1,
        spend: None,
    }
}

fn sink_of<'a>(subject: &'a ReportSubject<'a>, side: Side, report: &Value) -> HitSink<'a> {
    let mut sink = HitSink::new(subject, side);
    read_report(
        OutputFormat::Sarif,
        report.to_string().as_bytes(),
        &mut sink,
    )
    .unwrap();
    sink
}

#[test]
fn a_tools_error_counts_no_more_than_it_may() {
    let packet = packet();
    let subject = ReportSubject {
        packet: &packet,
        blobs: &Blobs,
        room: Path::new("/tmp/room"),
        config: &[],
    };
    let answer = |rules: &ToolRules| {
        let sink = sink_of(
            &subject,
            Side::New,
            &sarif(json!([result("src/a b.py", 3)])),
        );
        let answer = sink.into_answer(rules, &turn(), "");
        (answer.verdict, answer.findings[0].severity)
    };
    assert_eq!(
        answer(&ToolRules::default()),
        (Vote::Warn, Severity::Significant)
    );
    let serious = |prefix: &str| ToolRules {
        serious_rules: vec![prefix.to_owned()],
        ..ToolRules::default()
    };
    assert_eq!(
        answer(&serious("py.security")),
        (Vote::Warn, Severity::Significant)
    );
    assert_eq!(answer(&serious("py.style")), (Vote::Pass, Severity::Minor));
}

#[test]
fn what_the_base_has_too_is_not_new() {
    let packet = packet();
    let subject = ReportSubject {
        packet: &packet,
        blobs: &BothSides,
        room: Path::new("/tmp/room"),
        config: &[],
    };
    let mut sink = sink_of(
        &subject,
        Side::New,
        &sarif(json!([result("src/a b.py", 3)])),
    );
    // The base has the same line elsewhere: it was moved.
    sink.drop_known(sink_of(
        &subject,
        Side::Old,
        &sarif(json!([result("src/a b.py", 1)])),
    ));
    assert!(
        sink.into_answer(&ToolRules::default(), &turn(), "")
            .findings
            .is_empty()
    );
    let mut sink = sink_of(
        &subject,
        Side::New,
        &sarif(json!([result("src/a b.py", 3)])),
    );
    sink.drop_known(sink_of(
        &subject,
        Side::Old,
        &sarif(json!([result("src/a b.py", 2)])),
    ));
    assert_eq!(
        sink.into_answer(&ToolRules::default(), &turn(), "")
            .findings
            .len(),
        1
    );
}

/// The old side has `eval(input)` in its first line.
struct BothSides;

impl BlobSource for BothSides {
    fn read(&self, side: Side, _: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
        let text = if side == Side::New {
            NEW
        } else {
            "  eval(input)\ntwo\nfour\n"
        };
        Ok(Some(text.as_bytes().into()))
    }
}

#[test]
fn a_report_beyond_every_limit_keeps_what_stands_on_changed_lines() {
    let mut many: Vec<Value> = (0..60_000)
        .map(|n| result(&format!("vendor/{n}.py"), 3))
        .collect();
    many.push(result("src/a b.py", 3));
    let report = sarif(json!(many));
    assert!(report.to_string().len() > 8 << 20);
    let answer = read(OutputFormat::Sarif, &report).unwrap();
    assert_eq!(answer.findings.len(), 1);
    assert!(
        answer.key_insight.contains("60000 elsewhere"),
        "{}",
        answer.key_insight
    );
}

/// However many results stand on lines that were there before, or fill the room: one on a changed line is told.
#[test]
fn no_number_of_results_hides_one_on_a_changed_line() {
    let vote = |many: Vec<Value>| {
        let answer = read(OutputFormat::Sarif, &sarif(json!(many))).unwrap();
        (answer.verdict, answer.findings.len(), answer.key_insight)
    };
    for count in [10, MAX_KEPT - 1, MAX_KEPT, 2 * MAX_KEPT] {
        for line in [1, 2, 4] {
            let mut many = vec![result("src/a b.py", line); count];
            many.push(result("src/a b.py", 3));
            let (verdict, findings, told) = vote(many);
            assert_eq!(
                (verdict, findings),
                (Vote::Fail, 1),
                "{count} on {line}: {told}"
            );
        }
    }
    // Where there is no room for all that is on changed lines, that is no PASS.
    let mut many = vec![result("src/a b.py", 3); MAX_KEPT + 1];
    for result in &mut many {
        result["level"] = json!("note");
    }
    many.push(result("src/a b.py", 3));
    let (verdict, _, told) = vote(many);
    assert!(
        verdict > Vote::Pass && told.contains("were not read"),
        "{told}"
    );
}

/// A folder is no file of the tree: what a tool says of it has no place, and an error is never green.
#[test]
fn an_error_about_a_folder_is_never_green() {
    let room = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(room.path().join("src")).unwrap();
    std::fs::write(room.path().join("src/a b.py"), NEW).unwrap();
    struct Files;
    impl BlobSource for Files {
        fn read(&self, side: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
            match path.display().as_ref() {
                "src/a b.py" => Blobs.read(side, path),
                "src" | "" => Err(BlobError {
                    path: path.clone(),
                    cause: "a folder".to_owned(),
                }),
                _ => Ok(None),
            }
        }
    }
    let packet = packet();
    let subject = ReportSubject {
        packet: &packet,
        blobs: &Files,
        room: room.path(),
        config: &[],
    };
    let absolute = format!("{}/src", room.path().display());
    for place in [
        ".",
        "./",
        "/",
        "src",
        "src/",
        "src/.",
        "..",
        "nope.py",
        "src/a%20b.py/",
        &absolute,
    ] {
        let report = sarif(
            json!([{ "ruleId": "no-licence", "level": "error", "message": { "text": "No licence" },
            "locations": [{ "physicalLocation": { "artifactLocation": { "uri": place } } }] }]),
        );
        let answer =
            sink_of(&subject, Side::New, &report).into_answer(&ToolRules::default(), &turn(), "");
        assert!(answer.verdict > Vote::Pass, "{place}: {answer:?}");
    }
}

#[test]
fn rules_may_stand_behind_the_results() {
    let text = r#"{"runs":[{"results":[{"ruleId":"r","message":{"text":"m"},"locations":[{"physicalLocation":
        {"artifactLocation":{"uri":"src/a b.py"},"region":{"startLine":3}}}]}],"tool":{"driver":{"name":"t",
        "rules":[{"id":"r","defaultConfiguration":{"level":"note"}}]}}}],"version":"2.1.0"}"#;
    let answer = read(OutputFormat::Sarif, &serde_json::from_str(text).unwrap()).unwrap();
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

/// A tree of the changed file and one beside it.
struct TwoFiles;

impl BlobSource for TwoFiles {
    fn read(&self, side: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
        let is_there = ["src/a b.py", "src/b.py"].contains(&&*path.display());
        Ok((side == Side::New && is_there).then(|| NEW.as_bytes().into()))
    }
}

#[test]
fn a_problem_that_an_earlier_run_found_and_this_one_did_not_is_none() {
    for (state, findings) in [("absent", 0), ("new", 1), ("unchanged", 1), ("updated", 1)] {
        let mut result = result("src/a b.py", 3);
        result["baselineState"] = json!(state);
        let answer = read(OutputFormat::Sarif, &sarif(json!([result]))).unwrap();
        assert_eq!(answer.findings.len(), findings, "{state}");
    }
}

/// Where a bracket is open, parsers complain behind the last line.
#[test]
fn an_error_behind_the_last_line_is_told_and_never_green() {
    let at = |line: u32| {
        let report = sarif(json!([result("src/a b.py", line)]));
        read(OutputFormat::Sarif, &report).unwrap()
    };
    // The last line, the fourth, is none that the change brought.
    assert_eq!(at(4).verdict, Vote::Pass);
    for line in [5, 6, 500] {
        let answer = at(line);
        assert_eq!(
            (answer.verdict, answer.findings.len()),
            (Vote::Fail, 0),
            "{line}"
        );
        assert!(
            answer.key_insight.contains("Do not."),
            "{}",
            answer.key_insight
        );
    }
}

/// Columns are exclusive at the end: one line ends where the next one begins.
#[test]
fn a_range_that_ends_where_a_line_begins_does_not_hold_that_line() {
    let range = |from: u32, to: u32| json!({ "start": { "line": from, "column": 1 }, "end": { "line": to, "column": 1 } });
    let answer = |range: &Value| {
        let report = json!({ "diagnostics": [{ "message": "m", "severity": "ERROR",
            "location": { "path": "src/a b.py", "range": range },
            "suggestions": [{ "range": range, "text": "safe(input)\n" }] }] });
        read(OutputFormat::Rdjson, &report).unwrap()
    };
    assert_eq!(answer(&range(2, 3)).findings, [], "line 2 did not change");
    let found = &answer(&range(3, 4)).findings[0];
    assert_eq!((found.location.line, found.location.end_line), (3, None));
    assert_eq!(found.suggestion.as_deref(), Some("safe(input)"));
    let mut sarif_result = result("src/a b.py", 2);
    sarif_result["locations"][0]["physicalLocation"]["region"] =
        json!({ "startLine": 2, "startColumn": 1, "endLine": 3, "endColumn": 1 });
    let answer = read(OutputFormat::Sarif, &sarif(json!([sarif_result]))).unwrap();
    assert_eq!(answer.findings, []);
}

/// CodeQL keeps its rules in packs, and refers to them by number.
#[test]
fn a_rule_of_an_extension_has_its_own_level() {
    let level = |rule: Value| {
        let mut result = result("src/a b.py", 3);
        result.as_object_mut().unwrap().remove("ruleId");
        result["rule"] = rule;
        let mut log = sarif(json!([result]));
        log["runs"][0]["tool"]["extensions"] = json!([
            { "name": "one", "rules": [{ "id": "R", "defaultConfiguration": { "level": "note" } }] },
            { "name": "two", "rules": [{ "id": "R", "defaultConfiguration": { "level": "error" } }] },
        ]);
        read(OutputFormat::Sarif, &log).unwrap().findings[0].severity
    };
    let by_number =
        |extension: usize| json!({ "index": 0, "toolComponent": { "index": extension } });
    assert_eq!(level(by_number(0)), Severity::Minor);
    assert_eq!(level(by_number(1)), Severity::Critical);
    let by_name = json!({ "id": "R/sub", "index": 0, "toolComponent": { "name": "two" } });
    assert_eq!(level(by_name), Severity::Critical);
}

#[test]
fn a_level_that_sarif_does_not_know_is_not_the_mildest() {
    for (level, severity) in [
        ("ERROR", Severity::Critical),
        ("fatal", Severity::Significant),
        ("none", Severity::Minor),
    ] {
        let mut result = result("src/a b.py", 3);
        result["level"] = json!(level);
        let answer = read(OutputFormat::Sarif, &sarif(json!([result]))).unwrap();
        assert_eq!(answer.findings[0].severity, severity, "{level}");
    }
}

mod laws {
    use proptest::prelude::*;

    use super::*;

    /// Where a file's added lines begin with blank ones, end with them or are all blank.
    fn texts() -> impl Strategy<Value = Vec<&'static str>> {
        let line = prop_oneof![
            Just(""),
            Just("   "),
            Just("\t"),
            Just("x = 1"),
            Just("  y()")
        ];
        prop::collection::vec(line, 1..8)
    }

    proptest! {
        /// Whatever stands on the lines that a tool names, its result is a finding whose quote is there, and no further off
        /// than blank lines are.
        #[test]
        fn a_result_on_any_line_of_a_file_is_a_finding_that_quotes_it(
            lines in texts(), at in 0u32..10, more in 0u32..4,
        ) {
            let path = RepoPath::from("a.py");
            let count = u32::try_from(lines.len()).unwrap();
            let file = ReviewedFile {
                path: &path,
                added: (1..=count).collect(),
                lines: lines.iter().map(|&line| line.to_owned()).collect(),
            };
            let hit = ToolHit {
                severity: Severity::Critical,
                rule: None,
                message: "m".to_owned(),
                path: "a.py".to_owned(),
                line: at,
                end_line: Some(at + more),
                suggestion: None,
                page: None,
            };
            let found = file.finding_of(&hit, hit.severity);
            let (line, end) = (found.location.line, found.location.end_line);
            if line == 0 {
                prop_assert!(at == 0 || lines.iter().all(|line| line.trim().is_empty()));
                prop_assert_eq!(found.quote, "");
                return Ok(());
            }
            let end = end.unwrap_or(line);
            let there = lines[line as usize - 1..(end.min(count)) as usize].join("\n");
            prop_assert!(there.starts_with(&found.quote), "{} in {}", found.quote, there);
            prop_assert_eq!(found.quote.lines().next(), Some(lines[line as usize - 1]));
            prop_assert!(!lines[line as usize - 1].trim().is_empty());
            let between = if at.min(count) < line { at.max(1)..line } else { end + 1..at.min(count) };
            let has_text = |line: u32| !lines[line as usize - 1].trim().is_empty();
            prop_assert!(between.into_iter().all(|line| !has_text(line)), "{line} for {at}");
        }

        /// Only SARIF writes URIs.
        #[test]
        fn a_name_with_a_percent_sign_is_no_other_file(name in "[a-z%0-9]{1,6}\\.py") {
            for (format, report) in [
                (OutputFormat::Eslint, json!([{ "filePath": name, "messages": [
                    { "severity": 2, "message": "m", "line": 1 }] }]).to_string()),
                (OutputFormat::Lines, format!("{name}:1:1: error: m")),
                (OutputFormat::Rdjson, json!({ "diagnostics": [{ "message": "m", "location": {
                    "path": name, "range": { "start": { "line": 1 } } } }] }).to_string()),
            ] {
                let mut packet = packet();
                packet.files[0].path = RepoPath::from(name.as_str());
                packet.files[0].hunks[0].body = "+eval(input)\n".to_owned();
                packet.files[0].hunks[0].new_start = 1;
                let subject = ReportSubject {
                    packet: &packet,
                    blobs: &Blobs,
                    room: Path::new("/tmp/room"),
                    config: &[],
                };
                let mut sink = HitSink::new(&subject, Side::New);
                read_report(format, report.as_bytes(), &mut sink).unwrap();
                prop_assert_eq!(sink.kept.len(), 1, "{:?} {}", format, name);
            }
        }

        /// An error in a file that is not there may be about the change: its place and its words are told.
        #[test]
        fn an_error_in_no_file_of_the_tree_is_never_green(
            uri in "[ab]{1,2}(/[ab]{1,2}){0,2}(\\.py)?", line in 1u32..9,
        ) {
            let report = sarif(json!([result(&uri, line)]));
            let answer = read_over(&TwoFiles, OutputFormat::Sarif, &report).unwrap();
            let told = answer.key_insight.contains(&format!("{uri}:{line}: Do not."));
            prop_assert!(answer.verdict == Vote::Fail && told, "{uri}: {}", answer.key_insight);
            for out in [format!("../r/{uri}/a%20b.py"), format!("..\\r\\{uri}\\a%20b.py")] {
                let report = sarif(json!([result(&out, line)]));
                let answer = read_over(&TwoFiles, OutputFormat::Sarif, &report).unwrap();
                prop_assert_eq!(answer.verdict, Vote::Fail, "{}", out);
            }
            for same in [".//src/a%20b.py", "src/./a%20b.py", "./src//a%20b.py"] {
                let report = sarif(json!([result(same, 3)]));
                let answer = read_over(&TwoFiles, OutputFormat::Sarif, &report).unwrap();
                prop_assert_eq!(answer.findings.len(), 1, "{}", same);
            }
            for there in ["src/b.py", "src%2Fb.py", "/tmp/room/src/b.py"] {
                let report = sarif(json!([result(there, line)]));
                let answer = read_over(&TwoFiles, OutputFormat::Sarif, &report).unwrap();
                prop_assert_eq!(answer.verdict, Vote::Pass, "{}", there);
            }
        }
    }
}
