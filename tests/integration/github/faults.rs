//! What goes wrong on the other side has a name, and the verdict stays what it is.

use std::fs;

use super::stage::{CONFLICT, Stage};
use super::state::{Fault, FaultKind};

fn fault(stage: &Stage, method: &'static str, path: &'static str, kind: FaultKind, times: u32) {
    stage.hub.state().faults.push_back(Fault {
        method,
        path,
        kind,
        times,
    });
}

fn refuse(status: u16, headers: Vec<(&'static str, String)>, message: &'static str) -> FaultKind {
    FaultKind::Refuse(status, headers, message)
}

fn proposed() -> Stage {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    stage
}

#[test]
fn a_missing_permission_names_its_line_and_gives_way_to_the_summary() {
    let stage = proposed();
    stage
        .hub
        .state()
        .denied
        .extend(["pull-requests: write", "checks: write"]);
    let run = stage
        .job(&["review", "--pr", "1", "--publish", "comment,check"], &[])
        .ends(1);
    let run = run
        .tells("pull-requests: write")
        .tells("checks: write")
        .tells("::error file=src/a.rs");
    assert!(!run.stderr.contains("ghs_"));
    assert!(
        fs::read_to_string(stage.file("summary.md"))
            .unwrap()
            .contains("# FAIL")
    );
    // A status stands in for the check.
    let state = stage.hub.state();
    assert_eq!(state.statuses[0].1["state"], "failure");
    assert_eq!(state.violations, Vec::<String>::new());
}

#[test]
fn each_surface_names_the_line_that_it_lacks() {
    for (surface, denied, line) in [
        ("comment", "pull-requests: write", "`pull-requests: write`"),
        ("review", "pull-requests: write", "`pull-requests: write`"),
        ("check", "checks: write", "`checks: write`"),
        ("check", "checks: read", "`checks: read`"),
        ("status", "statuses: write", "`statuses: write`"),
    ] {
        let stage = proposed();
        stage.hub.state().denied.insert(denied);
        let args = ["review", "--pr", "1", "--publish", surface];
        // The verdict is what it was, and is shown in the job.
        stage
            .job(&args, &[])
            .ends(1)
            .tells(surface)
            .tells(&format!("add {line} to the job's `permissions:`"));
        let summary = fs::read_to_string(stage.file("summary.md")).unwrap();
        assert!(summary.contains("# FAIL"), "{surface}");
        stage.requests();
    }
}

/// However many surfaces are denied, the job's summary and its log show the report once.
#[test]
fn what_makes_up_for_several_surfaces_stands_there_once() {
    let surfaces = ["comment", "check", "review"];
    for chosen in 1..1 << surfaces.len() {
        let chosen = (0..surfaces.len()).filter(|at| chosen >> at & 1 == 1);
        let publish = chosen.map(|at| surfaces[at]).collect::<Vec<_>>().join(",");
        let stage = proposed();
        let denied = ["pull-requests: write", "checks: write"];
        stage.hub.state().denied.extend(denied);
        let args = ["review", "--pr", "1", "--publish", &publish];
        let run = stage.job(&args, &[]).ends(1);
        let summary = fs::read_to_string(stage.file("summary.md")).unwrap();
        assert_eq!(summary.matches("# FAIL").count(), 1, "{publish}");
        let told = run.stderr.lines();
        let mut told: Vec<&str> = told.filter(|line| line.starts_with("::error ")).collect();
        let all = told.len();
        told.sort_unstable();
        told.dedup();
        assert_eq!((told.len(), all), (2, 2), "{publish}");
        stage.requests();
    }
}

/// Where GitHub takes no comment beside a line or a file, the log says so, and nobody is told to reply in a conversation.
#[test]
fn a_report_without_conversations_sends_nobody_to_one() {
    let stage = proposed();
    for path in ["/pulls/1/reviews", "/pulls/1/comments"] {
        fault(&stage, "POST", path, refuse(422, vec![], "no"), 9);
    }
    stage
        .council(&["review", "--pr", "1", "--publish", "review,comment"])
        .ends(1)
        .tells("GitHub refused 2 of 2 comments beside lines");
    let report = stage.reports(1).remove(0).body;
    assert!(!report.contains("in the conversation"), "{report}");
    assert!(report.contains("Next step: fix the 2 findings"), "{report}");
    stage.requests();
}

#[test]
fn what_can_be_shown_nowhere_ends_with_4() {
    let stage = Stage::new();
    stage.propose(1, &[("docs/a.md", "A sentence.\n")]);
    stage.hub.state().denied.insert("pull-requests: write");
    stage
        .council(&["review", "--pr", "1", "--publish", "comment"])
        .ends(4)
        .prints("PASS");
}

#[test]
fn a_token_that_is_not_accepted_says_so() {
    let stage = proposed();
    fault(
        &stage,
        "POST",
        "/graphql",
        refuse(401, vec![], "Bad credentials"),
        1,
    );
    stage
        .council(&["review", "--pr", "1"])
        .ends(3)
        .tells("the token is not accepted")
        .tells("GITHUB_TOKEN");
}

#[test]
fn there_is_no_such_pull_request() {
    let stage = proposed();
    stage
        .council(&["review", "--pr", "9"])
        .ends(3)
        .tells("pull request #9: not found");
}

#[test]
fn limits_are_waited_for_as_the_forge_says_and_not_longer_than_there_is_patience() {
    let stage = proposed();
    let after = |seconds: &str| vec![("retry-after", seconds.to_owned())];
    fault(
        &stage,
        "POST",
        "/issues/1/comments",
        refuse(403, after("1"), "You have exceeded a secondary rate limit"),
        1,
    );
    stage
        .council(&["review", "--pr", "1", "--publish", "comment"])
        .ends(1);
    assert_eq!(stage.reports(1).len(), 1);
    fault(
        &stage,
        "POST",
        "/graphql",
        refuse(429, after("3600"), "Too many requests"),
        1,
    );
    stage
        .council(&["review", "--pr", "1"])
        .ends(3)
        .tells("the rate limit ends in 3600 s");
}

#[test]
fn reads_are_tried_again() {
    let stage = proposed();
    fault(
        &stage,
        "GET",
        "/issues/1/comments",
        refuse(502, vec![], "Server Error"),
        1,
    );
    stage
        .council(&["review", "--pr", "1", "--publish", "comment"])
        .ends(1);
    assert_eq!(stage.reports(1).len(), 1);
}

#[test]
fn a_review_that_is_refused_is_posted_comment_by_comment() {
    let stage = proposed();
    fault(
        &stage,
        "POST",
        "/pulls/1/reviews",
        refuse(422, vec![], "line must be part of the diff"),
        1,
    );
    stage
        .council(&["review", "--pr", "1", "--publish", "review"])
        .ends(1);
    {
        let state = stage.hub.state();
        assert!(state.reviews.is_empty() && !state.threads.is_empty());
        assert!(state.threads[0].place.get("subject_type").is_none());
    }
    let stage = proposed();
    fault(
        &stage,
        "POST",
        "/pulls/1/reviews",
        refuse(422, vec![], "no"),
        1,
    );
    fault(
        &stage,
        "POST",
        "/pulls/1/comments",
        refuse(422, vec![], "no"),
        1,
    );
    stage
        .council(&["review", "--pr", "1", "--publish", "review"])
        .ends(1);
    assert_eq!(stage.hub.state().threads[0].place["subject_type"], "file");
    stage.requests();
}

#[test]
fn t24_a_redirect_takes_the_token_nowhere() {
    let stage = proposed();
    let elsewhere = super::server::FakeGitHub::start();
    let to = vec![("location", format!("{}/graphql", elsewhere.url()))];
    fault(&stage, "POST", "/graphql", refuse(307, to, "Moved"), 3);
    stage
        .council(&["review", "--pr", "1"])
        .ends(3)
        .tells("status 307");
    assert!(elsewhere.state().asked.is_empty());
    // And no layer of a repository names a server.
    stage
        .repo
        .write("council.toml", "[github]\napi = \"http://evil.example\"\n");
    stage
        .council(&["review", "HEAD"])
        .ends(0)
        .prints("unknown key `github`");
    assert!(elsewhere.state().asked.is_empty());
}
