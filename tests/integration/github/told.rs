//! What programs read of a review of a pull request: its document, its events, and what it refuses to begin.

use std::fs;

use serde_json::Value;

use super::stage::{CONFLICT, Stage};

/// Whatever is said to the job beside it, standard output is the document that was asked for and nothing else.
#[test]
fn no_command_of_the_job_stands_in_a_document() {
    for (publish, denied) in [
        ("comment,annotations", None),
        ("check", Some("checks: write")),
    ] {
        let stage = Stage::new();
        stage.propose(1, &[("src/a.rs", CONFLICT)]);
        stage.hub.state().denied.extend(denied);
        for format in [
            "json",
            "sarif",
            "gitlab",
            "rdjson",
            "junit",
            "checkstyle",
            "agent",
        ] {
            let args = [
                "review",
                "--pr",
                "1",
                "--publish",
                publish,
                "--format",
                format,
            ];
            let run = stage.job(&args, &[]).ends(1).tells("::error file=src/a.rs");
            assert!(!run.stdout.contains("::error"), "{format}: {}", run.stdout);
            if ["json", "sarif", "gitlab", "rdjson"].contains(&format) {
                serde_json::from_str::<Value>(&run.stdout).unwrap();
            }
        }
        stage.requests();
    }
}

/// The last event says how the program ends, also where nobody was asked, and where the report could not be published.
#[test]
fn the_events_of_a_pull_request_end_with_its_exit_code() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    let events = stage.file("events.ndjson");
    let args = [
        "review",
        "--pr",
        "1",
        "--publish",
        "comment,check",
        "--events",
    ];
    let args = [&args[..], &[events.to_str().unwrap()]].concat();
    let last = || -> Value {
        let text = fs::read_to_string(&events).unwrap();
        serde_json::from_str(text.lines().last().unwrap_or("null")).unwrap()
    };
    for reused in [false, true] {
        let run = stage.council(&args).ends(1);
        let told = last();
        assert_eq!(told["event"], "finished", "{told}");
        assert_eq!(told["exit_code"], run.code, "{told}");
        assert_eq!(told["reused"], reused, "{told}");
    }
    stage.add(1, &[("src/a.rs", &format!("{CONFLICT}// more\n"))]);
    let denied = ["pull-requests: write", "checks: write"];
    stage.hub.state().denied.extend(denied);
    let run = stage.council(&args);
    assert_eq!(last()["exit_code"], run.code, "{}", last());
}

/// The verdict of a part does not stand on the whole: neither in a check nor anywhere else on the page.
#[test]
fn a_review_of_part_of_a_pull_request_stays_in_its_job() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT), ("docs/a.md", "Hello.\n")]);
    for surface in ["comment", "check", "review", "status"] {
        let publish = format!("summary,{surface}");
        let part = ["review", "--pr", "1", "--publish", &publish, "--", "docs"];
        stage
            .job(&part, &[])
            .ends(2)
            .tells("cannot be published as");
    }
    assert!(stage.hub.state().checks.is_empty() && stage.reports(1).is_empty());
    let in_job = ["review", "--pr", "1", "--publish", "summary", "--", "docs"];
    stage.job(&in_job, &[]).ends(0).prints("part of the change");
}

#[test]
fn what_is_published_is_not_reviewed_in_the_background() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    for more in [&["--publish", "check"][..], &[]] {
        let args = [&["review", "--pr", "1", "--detach"][..], more].concat();
        stage
            .council(&args)
            .ends(2)
            .tells("--detach works without --pr");
    }
    assert_eq!(stage.requests(), 0);
}
