//! Laws of all formats: no result is lost, moved or believed to be about another file.

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
