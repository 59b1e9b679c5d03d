//! Where a result is said to stand, and what that place is.

use proptest::prelude::*;

use super::unread::printed;
use super::*;

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

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// However a tool writes the path of a changed file, its error is a finding there: with detours, doubled slashes, from the
    /// root of the machine or back into the workspace.
    #[test]
    fn every_spelling_of_a_path_is_that_of_its_file(
        before in prop::sample::select(vec![
            "", "./", ".//", "src/../", "./src/../", "a/b/../../", "/tmp/room/", "//tmp//room//", "/tmp/room/src/../",
            "/tmp/x/../room/", "../room/", "./../room/./", "file:///tmp/room/", "file:///tmp/room/src/../",
        ]),
        between in prop::sample::select(vec!["/", "//", "/./", "/../src/", "/x/../"]),
        is_windows in any::<bool>(),
    ) {
        let path = format!("{before}src{between}a b.py");
        let path = if is_windows && !path.contains(':') { path.replace('/', "\\") } else { path };
        let diagnostic = json!({ "message": "shell", "severity": "ERROR",
            "location": { "path": path, "range": { "start": { "line": 3, "column": 1 } } } });
        let mut at = result(&path, 3);
        at["level"] = "error".into();
        let answers = [
            read(OutputFormat::Rdjson, &json!({ "diagnostics": [diagnostic] })).unwrap(),
            read(OutputFormat::Sarif, &sarif(json!([at]))).unwrap(),
            printed(&format!("{path}:3:1: error: shell\n")).unwrap(),
        ];
        for answer in answers {
            let found: Vec<String> = answer.findings.iter().map(|f| f.location.path.display().into_owned()).collect();
            prop_assert!(answer.verdict > Vote::Pass, "{} {:?}", path, answer);
            prop_assert_eq!(found, ["src/a b.py"], "{}", path);
        }
    }
}
