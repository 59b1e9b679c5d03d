//! What tools say that did not read a file, or whose words nobody understands: never a clean report.

use proptest::prelude::*;

use super::*;

/// The answer to a run with these notifications, in one of the two lists of an invocation.
fn told(list: &str, notifications: Value) -> Answer {
    let mut invocation = json!({ "executionSuccessful": true });
    invocation[list] = notifications;
    answer_of(&json!({ "invocations": [invocation], "results": [] }))
}

const EXECUTION: &str = "toolExecutionNotifications";
const CONFIGURATION: &str = "toolConfigurationNotifications";

fn place(uri: &str) -> Value {
    json!([{ "physicalLocation": { "artifactLocation": { "uri": uri } } }])
}

fn notification(level: &str, about: &str, text: &str) -> Value {
    json!({ "level": level, "descriptor": { "id": about }, "message": { "text": text } })
}

/// What semgrep, CodeQL and ESLint's SARIF say of a file that they did not read.
#[test]
fn a_notification_of_a_file_that_was_not_read_warns_at_any_level() {
    let semgrep = "Syntax error at line src/a b.py:3:\n `eval(input` was unexpected";
    for level in ["warning", "error", "note", "none"] {
        let mut one = notification(level, "Syntax error", semgrep);
        one["locations"] = place("src/a%20b.py");
        let answer = told(EXECUTION, json!([one]));
        assert!(answer.verdict > Vote::Pass, "{level}");
        assert!(answer.unplaced > Some(Vote::Pass), "{level}");
        assert!(answer.key_insight.contains("did not read"), "{level}");
        assert_eq!(
            answer.files_unread,
            vec![packet().files[0].path.clone()],
            "{level}"
        );
    }
    let mut codeql = notification(
        "warning",
        "py/diagnostics/extraction-warnings",
        "Unusual encoding.",
    );
    codeql["locations"] = place("src/a%20b.py");
    assert_eq!(told(EXECUTION, json!([codeql])).verdict, Vote::Warn);
    let ignored = "File ignored because of a matching ignore pattern. Use \"--no-ignore\" to disable file ignore settings.";
    let mut eslint = notification("warning", "ESL0999", ignored);
    eslint["locations"] = place("file:///tmp/room/src/a%20b.py");
    let answer = told(CONFIGURATION, json!([eslint]));
    assert_eq!(answer.verdict, Vote::Warn);
    assert!(
        answer.key_insight.contains("File ignored"),
        "{}",
        answer.key_insight
    );
}

/// semgrep names the file in its words alone, and often with the level `warning`.
#[test]
fn a_file_that_stands_only_in_the_words_of_a_notification_is_found() {
    let mut packet = packet();
    packet.files[0].path = "src/a.py".into();
    packet.files.push(packet.files[0].clone());
    packet.files[1].path = "src/b.py".into();
    let answer = |text: &str| {
        let report = sarif_run(
            &json!({ "results": [], "invocations": [{ "executionSuccessful": true,
            EXECUTION: [notification("warning", "Syntax error", text)] }] }),
        );
        let subject = ReportSubject {
            packet: &packet,
            blobs: &Blobs,
            room: Path::new("/tmp/room"),
            config: &[],
        };
        let mut sink = HitSink::new(&subject, Side::New);
        read_report(
            OutputFormat::Sarif,
            report.to_string().as_bytes(),
            &mut sink,
        )
        .unwrap();
        sink.into_answer(&ToolRules::default(), &turn(), "")
    };
    let verdict = |text: &str| answer(text).verdict;
    assert_eq!(
        verdict("Syntax error at line src/a.py:3:\n `eval(` was unexpected"),
        Vote::Warn
    );
    assert_eq!(
        verdict("Syntax error at line /tmp/room/src/a.py:3"),
        Vote::Warn
    );
    assert_eq!(verdict("One file could not be parsed"), Vote::Warn);
    let unread = |text: &str| -> Vec<String> {
        let paths = answer(text).files_unread;
        paths
            .iter()
            .map(|path| path.display().into_owned())
            .collect()
    };
    assert_eq!(unread("Syntax error at line src/b.py:3"), ["src/b.py"]);
    assert_eq!(
        unread("One file could not be parsed"),
        ["src/a.py", "src/b.py"],
        "it may be any of them"
    );
    assert!(unread("Syntax error at line vendor/other.js:3").is_empty());
    assert_eq!(
        verdict("Syntax error at line vendor/other.js:3"),
        Vote::Pass,
        "of another file"
    );
}

/// ESLint's JSON says it as a warning of no rule, in no line.
#[test]
fn a_file_that_eslint_ignores_is_not_read_and_a_useless_comment_is() {
    let read = |message: Value| {
        let report =
            json!([{ "filePath": "/tmp/room/src/a b.py", "errorCount": 0, "messages": [message] }]);
        super::read(OutputFormat::Eslint, &report).unwrap()
    };
    let ignored = "File ignored because no matching configuration was supplied.";
    let answer = read(
        json!({ "ruleId": null, "fatal": false, "severity": 1, "message": ignored, "nodeType": null }),
    );
    assert_eq!((answer.verdict, answer.findings.len()), (Vote::Warn, 0));
    assert!(
        answer.key_insight.contains(ignored),
        "{}",
        answer.key_insight
    );
    let useless = "Unused eslint-disable directive (no problems were reported from 'no-eval').";
    let answer =
        read(json!({ "ruleId": null, "severity": 1, "message": useless, "line": 3, "column": 1 }));
    assert_eq!((answer.verdict, answer.findings.len()), (Vote::Pass, 1));
}

/// The result of a tool that prints lines.
pub(super) fn printed(text: &str) -> Result<Answer, Failure> {
    let packet = packet();
    let subject = ReportSubject {
        packet: &packet,
        blobs: &Blobs,
        room: Path::new("/tmp/room"),
        config: &[],
    };
    let mut sink = HitSink::new(&subject, Side::New);
    read_report(OutputFormat::Lines, text.as_bytes(), &mut sink)?;
    Ok(sink.into_answer(&ToolRules::default(), &turn(), ""))
}

#[test]
fn words_that_report_no_place_are_no_clean_report_unless_they_say_so() {
    let stylish = "\n/home/ci/src/a.js\n  2:9  warning  eval can be harmful  no-eval\n\n\u{2716} 1 problem (0 errors, 1 warning)\n\n";
    for text in [
        stylish,
        "Found 3 issues in src/a.py\n",
        "Checking src/a.py ...\n",
        "[{\"a\": 1}]\n",
    ] {
        let failure = printed(text).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Malformed, "{text}");
        let last = text.trim().lines().next_back().unwrap();
        assert!(failure.detail.contains(last), "{failure}");
    }
    for text in [
        "",
        "\n\n",
        "All checks passed!\n",
        "Checking src/a.py ...\nSuccess: no issues found in 1 source file\n",
        "m.py:7: note: By default the bodies of untyped functions are not checked\nSuccess: no issues found in 1 source file\n",
        "\n--------------------------------------------------------------------\nYour code has been rated at 10.00/10\n",
    ] {
        assert_eq!(printed(text).unwrap().verdict, Vote::Pass, "{text}");
    }
    assert!(
        printed("src/a b.py:3:1: E1 bad\nFound 1 error.\n").is_ok(),
        "a place is reported"
    );
}

proptest! {
    /// A tool that reports something, and says beside it that it broke down or left a file unread, has not passed the change.
    #[test]
    fn a_line_about_another_file_hides_no_breakdown(
        hits in prop::collection::vec(prop::sample::select(vec![
            "README.md:1:1: warning: x", "src/other.py:3:1: E1 bad", "m.py:7: note: See the docs",
        ]), 0..3),
        broken in prop::sample::select(vec![
            "Traceback (most recent call last):\n  File \"lint.py\", line 3, in check\nValueError: x",
            "error: could not parse it", "lint: No such file or directory", "panic: index out of range",
            "1 file could not be parsed",
        ]),
        is_first: bool,
    ) {
        let hits: String = hits.iter().map(|hit| format!("{hit}\n")).collect();
        let text = if is_first { format!("{broken}\n{hits}") } else { format!("{hits}{broken}\n") };
        let verdict = printed(&text).map(|answer| answer.verdict);
        prop_assert!(verdict.is_err() || verdict == Ok(Vote::Warn), "{:?} {}", verdict, text);
        // A summary of what was reported is none.
        let whole = format!("{hits}error: aborting due to 1 previous error\n");
        let verdict = printed(&whole).map(|answer| answer.verdict);
        prop_assert!(verdict.is_err() || verdict == Ok(Vote::Pass), "{:?} {}", verdict, whole);
    }

    /// However a tool counts what it found, its count is no clean report; a count of nothing is.
    #[test]
    fn a_count_is_clean_if_and_only_if_it_is_zero(
        count in 0u32..5,
        what in prop::sample::select(vec!["error", "warnings", "problem(s)", "issues", "violations"]),
        form in 0usize..4,
        around in prop::sample::select(vec!["", "Checking a.py\n", "-----\n"]),
    ) {
        let line = match form {
            0 => format!("Found {count} {what}."),
            1 => format!("{count} {what}"),
            2 => format!("2 files checked, {count} {what} found"),
            _ => format!("{what}: {count}"),
        };
        prop_assume!(!line.starts_with("error"));
        let is_clean = printed(&format!("{around}{line}\n")).is_ok();
        prop_assert_eq!(is_clean, count == 0, "{}", line);
    }

    /// What a tool says of its rules, or of files of no change, changes no answer.
    #[test]
    fn notes_that_name_no_changed_file_change_nothing(
        level in prop::sample::select(vec!["note", "warning", "none"]),
        list in prop::sample::select(vec![EXECUTION, CONFIGURATION]),
        text in prop::sample::select(vec![
            "Skipped rule a.b.c: it needs a login",
            "Rule a.b.c is deprecated",
            "A new version is available",
            "Low analysis quality: 3 of 40 calls could be resolved",
            "other.py: ignored",
            "Scanned 3 files, skipped 0 files",
        ]),
    ) {
        let answer = told(list, json!([notification(level, "x", text)]));
        prop_assert_eq!(answer.verdict, Vote::Pass);
        prop_assert_eq!(answer.unplaced, None);
        prop_assert!(answer.files_unread.is_empty());
    }
}
