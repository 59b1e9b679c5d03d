//! The JSON format: read back, checked, versioned.

use serde_json::Value;

use super::super::markdown::{self, MarkdownOptions};
use super::super::{
    DisplayOptions, FailOn, GatePolicy, Report, agent, checkstyle, exit, gitlab, json, junit,
    rdjson, sarif, terminal,
};
use super::samples;
use crate::council::outcome::{FindingLevel, Verdict, VerdictReason};
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
        "the report says PASS, but a finding in it weighs more: git-council did not write it like this"
    );
    assert!(pass(&samples::warn(), "WARN").contains("a finding in it weighs more"));
    assert!(pass(&samples::inconclusive(), "INCONCLUSIVE").contains("too few judges counted"));
    assert!(pass(&samples::interrupted(), "INCONCLUSIVE").contains("the run was cut short"));
    assert!(pass(&samples::skipped(), "SKIPPED").contains("too few judges counted"));
    let counted = forged(&samples::inconclusive(), "\"counted\": 1", "\"counted\": 3").unwrap_err();
    assert!(counted.contains("counts other judges"), "{counted}");
}

/// Reports of every verdict, with and without findings, by findings and by votes.
fn endings() -> Vec<(String, Report)> {
    let mut all: Vec<(String, Report)> = Vec::new();
    for (name, report) in samples::all() {
        all.push((name.to_owned(), report.clone()));
        for (verdict, reason) in [
            (Verdict::Fail, VerdictReason::Votes),
            (Verdict::Warn, VerdictReason::Votes),
            (Verdict::Warn, VerdictReason::VerdictWithoutFinding),
            (Verdict::Inconclusive, VerdictReason::VerdictWithoutFinding),
            (Verdict::Warn, VerdictReason::StandingObjection),
            (Verdict::Inconclusive, VerdictReason::StandingObjection),
            (Verdict::Inconclusive, VerdictReason::BelowQuorum),
        ] {
            let mut by_votes = report.clone();
            (by_votes.outcome.verdict, by_votes.outcome.reason) = (verdict, reason);
            all.push((format!("{name}, {verdict:?} {reason:?}"), by_votes.clone()));
            by_votes.outcome.findings.clear();
            all.push((format!("{name}, {verdict:?} {reason:?}, bare"), by_votes));
        }
    }
    all
}

/// Whether a format of findings says that the run fails.
fn tells_failure(report: &Report, gate: GatePolicy) -> [(&'static str, bool); 6] {
    let value = |text: String| serde_json::from_str::<Value>(&text).unwrap();
    let has = |list: &Value, key: &str, word: &str| {
        let mut items = list.as_array().unwrap().iter();
        items.any(|item| item[key] == word && item["suppressions"].is_null())
    };
    let run = value(sarif::render(report, gate))["runs"][0].clone();
    let unsuccessful = run["invocations"][0]["executionSuccessful"] == false;
    let junit = junit::render(report, gate);
    let suites = junit
        .lines()
        .find(|line| line.contains("<testsuites"))
        .unwrap();
    let suites = suites
        .split("<testsuites")
        .nth(1)
        .unwrap()
        .split('>')
        .next()
        .unwrap();
    let issues = value(gitlab::render(report, gate));
    let diagnostics = value(rdjson::render(report, gate))["diagnostics"].clone();
    let agent = agent::render(report, gate);
    [
        (
            "sarif",
            has(&run["results"], "level", "error") || unsuccessful,
        ),
        ("junit", !suites.contains("failures=\"0\" errors=\"0\"")),
        (
            "checkstyle",
            checkstyle::render(report, gate).contains("severity=\"error\""),
        ),
        ("gitlab", has(&issues, "severity", "blocker")),
        ("rdjson", has(&diagnostics, "severity", "ERROR")),
        ("agent", !agent.lines().next().unwrap().ends_with("exit 0")),
    ]
}

/// No format can show a better result than the exit code, whatever the verdict rests on.
#[test]
fn where_the_run_fails_every_format_has_an_entry_that_says_so() {
    for (name, report) in endings() {
        for fail_on in [FailOn::Fail, FailOn::Warn] {
            let gate = GatePolicy {
                fail_on,
                ..GatePolicy::default()
            };
            let fails = report.bottom_line(gate).exit_code != exit::OK;
            for (format, tells) in tells_failure(&report, gate) {
                assert!(tells || !fails, "{format} is green: {name}, {fail_on:?}");
            }
            let passes = report.outcome.verdict == Verdict::Pass;
            let bare = report.outcome.findings.is_empty();
            for (format, tells) in tells_failure(&report, gate) {
                assert!(!(tells && passes && bare), "{format} is red: {name}");
            }
        }
    }
}

/// The parts of JUnit's XML that are called so, each with what is in it.
fn elements<'x>(xml: &'x str, name: &str) -> Vec<&'x str> {
    let (open, close) = (format!("<{name} "), format!("</{name}>"));
    let parts = xml.split(open.as_str()).skip(1);
    parts
        .map(|part| part.split(close.as_str()).next().unwrap_or(part))
        .collect()
}

/// No test that passes stands in the file of a run that fails, none says a result in its name, and the numbers are true.
#[test]
fn junit_has_no_green_test_of_a_red_run() {
    for (name, report) in endings() {
        for fail_on in [FailOn::Fail, FailOn::Warn] {
            let gate = GatePolicy {
                fail_on,
                ..GatePolicy::default()
            };
            let xml = junit::render(&report, gate);
            let cases = elements(&xml, "testcase");
            let is_green = |case: &&&str| !case.contains("<failure ") && !case.contains("<error ");
            let green = cases.iter().filter(is_green).count();
            let fails = report.bottom_line(gate).exit_code != exit::OK;
            assert!(!cases.is_empty(), "{name}: no test");
            assert!(green == 0 || !fails, "{name}, {fail_on:?}: {xml}");
            let bare = cases
                .iter()
                .filter(|case| case.starts_with("classname=\"git-council\""));
            for case in bare {
                assert!(case.contains(" name=\"verdict\""), "{name}: {case}");
            }
            let of_all = format!("<testsuites name=\"git-council\" tests=\"{}\"", cases.len());
            assert!(xml.contains(&of_all), "{name}: {xml}");
        }
    }
}

/// A WARN that rests on none of its findings is no empty report: its reason is nowhere else on a forge.
#[test]
fn a_warning_by_none_of_its_findings_is_an_entry_of_every_format() {
    for (name, report) in endings() {
        let weighs = report
            .outcome
            .findings
            .iter()
            .any(|f| f.level > Some(FindingLevel::Note));
        let gate = GatePolicy::default();
        // A run that was cut short fails, and says so as an error.
        let fails = report.bottom_line(gate).exit_code != exit::OK;
        if report.outcome.verdict != Verdict::Warn || weighs || fails {
            continue;
        }
        for (text, word) in [
            (sarif::render(&report, gate), "\"level\": \"warning\""),
            (gitlab::render(&report, gate), "\"severity\": \"major\""),
            (rdjson::render(&report, gate), "\"severity\": \"WARNING\""),
            (checkstyle::render(&report, gate), "severity=\"warning\""),
            (junit::render(&report, gate), "<failure type=\"WARN\""),
        ] {
            assert!(text.contains(word), "{name}: {text}");
        }
    }
}

/// A vote alone says nothing to whoever has to mend it.
#[test]
fn a_verdict_by_votes_says_why_each_judge_objects() {
    let mut report = samples::fail();
    report.outcome.reason = VerdictReason::Votes;
    report.outcome.findings.clear();
    let gate = GatePolicy::default();
    let (plain, options) = (DisplayOptions::default(), MarkdownOptions::default());
    for text in [
        terminal::render(&report, plain, &[]),
        markdown::render(&report, options),
        agent::render(&report, gate),
        junit::render(&report, gate),
        checkstyle::render(&report, gate),
        gitlab::render(&report, gate),
        rdjson::render(&report, gate),
        sarif::render(&report, gate),
    ] {
        let why = "votes FAIL: User input reaches the database as a statement";
        assert!(text.contains(why), "{text}");
    }
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
    for (name, report) in endings() {
        let log: Value =
            serde_json::from_str(&sarif::render(&report, GatePolicy::default())).unwrap();
        assert_eq!(errors(&schema, &log), Vec::<String>::new(), "{name}");
        let results = log["runs"][0]["results"].as_array().unwrap();
        for result in results {
            let prints = result["partialFingerprints"].as_object().unwrap();
            let (_, print) = prints.iter().next().unwrap();
            assert!(print.as_str().is_some_and(|p| p.len() >= 16), "{name}");
        }
    }
    // The schema forbids what it does not know.
    let mut log: Value =
        serde_json::from_str(&sarif::render(&samples::fail(), GatePolicy::default())).unwrap();
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
        let result: Value =
            serde_json::from_str(&rdjson::render(&report, GatePolicy::default())).unwrap();
        assert_eq!(errors(&schema, &result), Vec::<String>::new(), "{name}");
        let counted = report
            .outcome
            .findings
            .iter()
            .filter(|f| f.level.is_some())
            .count();
        let by_none = report.outcome.verdict == Verdict::Inconclusive;
        assert_eq!(
            result["diagnostics"].as_array().unwrap().len(),
            counted + usize::from(by_none),
            "{name}: the verdict has an entry where no finding fails the run"
        );
    }
}

/// Other programs put a suggestion into a file with a click.
#[test]
fn rdjson_offers_no_suggestion_that_would_put_a_placeholder_into_a_file() {
    let offered = |suggestion: &str| {
        let mut report = samples::fail();
        for found in &mut report.outcome.findings {
            found.finding.suggestion = Some(suggestion.to_owned());
        }
        rdjson::render(&report, GatePolicy::default()).contains("\"suggestions\"")
    };
    assert!(offered("connect(password, timeout=3)"));
    assert!(!offered("connect(\"[redacted: secret]\", timeout=3)"));
}

#[test]
fn lines_for_agents_have_the_documented_form() {
    for (name, report) in samples::all() {
        let text = agent::render(&report, GatePolicy::default());
        let mut lines = text.lines();
        let first: Vec<&str> = lines.next().unwrap().split('\t').collect();
        let exit = report.bottom_line(GatePolicy::default()).exit_code;
        let verdict = report.outcome.verdict.as_str();
        assert_eq!(
            first,
            ["git-council 1", verdict, &format!("exit {exit}")],
            "{name}"
        );
        for line in lines {
            let fields: Vec<&str> = line.split('\t').collect();
            let many = match fields[0] {
                "summary" | "more" | "told" => 2,
                "also" | "why" | "fix" | "unread" => 3,
                "finding" | "note" => 6,
                other => panic!("{name}: {other}"),
            };
            assert_eq!(fields.len(), many, "{name}: {line}");
            assert!(line.chars().count() < 1_000, "{name}: {line}");
        }
    }
}

/// An agent edits the file that a line names: no two names look alike there, and what is written out keeps the bound.
#[test]
fn lines_for_agents_name_one_file_and_keep_their_bound() {
    let mut seen = std::collections::BTreeSet::new();
    let long = "x\u{200b}".repeat(400);
    for path in [
        "new line.py",
        "new\nline.py",
        "new\tline.py",
        "new\u{202e}line.py",
        &long,
    ] {
        let mut report = samples::fail();
        for found in &mut report.outcome.findings {
            found.finding.location.path = path.into();
            found.finding.description = long.clone();
            found.finding.why = format!("{}.", "w".repeat(299));
        }
        let text = agent::render(&report, GatePolicy::default());
        for field in text.lines().flat_map(|line| line.split('\t')) {
            assert!(field.chars().count() <= 300, "{field}");
        }
        let finding = text.lines().find(|line| line.starts_with("finding"));
        let place = finding.unwrap().split('\t').nth(4).unwrap().to_owned();
        assert!(
            seen.insert(place),
            "{path:?} looks like another file:\n{text}"
        );
    }
}

/// What nobody read as a whole is told to agents as it is to people.
#[test]
fn lines_for_agents_name_every_file_that_nobody_read() {
    use council_protocol::coverage::{CoverageState, FileCoverage};
    let mut report = samples::fail();
    let states = [
        CoverageState::Opaque {
            what: "binary".into(),
            lowers: false,
        },
        CoverageState::Opaque {
            what: "binary".into(),
            lowers: true,
        },
        CoverageState::Skipped {
            reason: "ignored".into(),
        },
        CoverageState::Unreadable {
            reason: "gone".into(),
        },
        CoverageState::Reviewed,
    ];
    report.outcome.coverage.files = states
        .into_iter()
        .enumerate()
        .map(|(n, state)| FileCoverage {
            path: format!("file-{n}").as_str().into(),
            state,
        })
        .collect();
    let text = agent::render(&report, GatePolicy::default());
    let unread = text.lines().filter(|line| line.starts_with("unread\t"));
    let named: Vec<&str> = unread.filter_map(|line| line.split('\t').nth(1)).collect();
    assert_eq!(named.len(), 4, "{text}");
    assert!(!named.contains(&"file-4"), "{text}");
}

/// A rule's finding at sixty places is sixty findings that count: the file names each.
#[test]
fn markdown_names_every_place_of_a_finding() {
    let mut report = samples::fail();
    let first = report.outcome.findings[0].clone();
    for n in 0..60 {
        let mut same = first.clone();
        same.id = format!("F{}", 100 + n);
        same.finding.location.path = format!("place-{n}.py").as_str().into();
        report.outcome.findings.push(same);
    }
    let text = markdown::render(&report, markdown::MarkdownOptions::default());
    for n in 0..60 {
        assert!(
            text.contains(&format!("place-{n}.py")),
            "place-{n}:\n{text}"
        );
    }
}

/// GitLab's documentation of "Code Quality report format": these fields, these words, nothing else is read.
#[test]
fn gitlab_gets_what_it_documents() {
    let schema = json_of!({ "type": "array", "items": {
        "type": "object", "additionalProperties": false,
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": { "type": "string", "minLength": 1 },
            "check_name": { "type": "string", "minLength": 1 },
            "fingerprint": { "type": "string", "minLength": 16 },
            "severity": { "enum": ["info", "minor", "major", "critical", "blocker"] },
            "location": { "type": "object", "additionalProperties": false, "required": ["path", "lines"], "properties": {
                "path": { "type": "string", "pattern": "^[^./].*" },
                "lines": { "type": "object", "required": ["begin"], "properties": { "begin": { "minimum": 1 }, "end": { "minimum": 1 } } },
            } },
        },
    } });
    for (name, report) in samples::all() {
        let issues: Value =
            serde_json::from_str(&gitlab::render(&report, GatePolicy::default())).unwrap();
        assert_eq!(errors(&schema, &issues), Vec::<String>::new(), "{name}");
    }
}

/// What GitHub's page about SARIF support lists for a rule, so that an alert has a title, a help text and a severity.
#[test]
fn every_sarif_rule_has_what_code_scanning_shows() {
    for (name, report) in samples::all() {
        let log: Value =
            serde_json::from_str(&sarif::render(&report, GatePolicy::default())).unwrap();
        for rule in log["runs"][0]["tool"]["driver"]["rules"]
            .as_array()
            .unwrap()
        {
            for pointer in [
                "/name",
                "/shortDescription/text",
                "/fullDescription/text",
                "/help/text",
                "/help/markdown",
            ] {
                let text = rule
                    .pointer(pointer)
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                assert!(
                    !text.is_empty() && text.chars().count() < 4_000,
                    "{name}: {pointer} of {rule}"
                );
            }
            let uri = rule["helpUri"].as_str().unwrap();
            assert!(
                uri.starts_with("https://") && uri.contains("/docs/"),
                "{name}: {uri}"
            );
            let properties = &rule["properties"];
            let words = |key: &str| properties[key].as_str().unwrap().to_owned();
            assert!(
                ["high", "medium"].contains(&words("precision").as_str()),
                "{name}"
            );
            assert!(
                ["error", "warning", "recommendation"]
                    .contains(&words("problem.severity").as_str()),
                "{name}"
            );
        }
    }
    for rule in council_builtin::rules() {
        let finding: council_protocol::Finding = serde_json::from_value(json_of!({
            "severity": "minor", "rule": rule.id, "description": "d", "location": { "path": "a", "line": 1 }, "why": "w",
        })).unwrap();
        let told = crate::report::sarif_rule::rule_descriptor(rule.id, &finding, "0.1.0");
        assert_eq!(
            told["help"]["markdown"]
                .as_str()
                .unwrap()
                .matches("```")
                .count()
                % 2,
            0,
            "{}",
            rule.id
        );
    }
}
