mod formats;
mod laws;
mod limits;
mod places;
mod unread;

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
        moved_from: None,
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
    Ok(sink.into_answer(&rules, &turn(), ""))
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
    assert_eq!(told("warning", "src/a b.py").verdict, Vote::Warn);
    assert_eq!(told("warning", "src/other.py").verdict, Vote::Pass);
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
fn rules_may_stand_behind_the_results() {
    let text = r#"{"runs":[{"results":[{"ruleId":"r","message":{"text":"m"},"locations":[{"physicalLocation":
        {"artifactLocation":{"uri":"src/a b.py"},"region":{"startLine":3}}}]}],"tool":{"driver":{"name":"t",
        "rules":[{"id":"r","defaultConfiguration":{"level":"note"}}]}}}],"version":"2.1.0"}"#;
    let answer = read(OutputFormat::Sarif, &serde_json::from_str(text).unwrap()).unwrap();
    assert_eq!(answer.findings[0].severity, Severity::Minor);
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
