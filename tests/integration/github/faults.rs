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
        .prints("::error file=src/a.rs");
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
fn a_finding_that_was_answered_is_not_raised_again_and_what_is_gone_is_resolved() {
    let stage = proposed();
    let args = ["review", "--pr", "1", "--publish", "review", "--full"];
    stage.council(&args).ends(1);
    let first = stage.hub.state().threads.len();
    for thread in &mut stage.hub.state().threads {
        thread.comments = 2;
    }
    stage.council(&args).ends(1);
    assert_eq!(stage.hub.state().threads.len(), first);
    stage.add(1, &[("src/a.rs", "fn a() {\n    one();\n}\n")]);
    stage.council(&args);
    assert!(
        stage
            .hub
            .state()
            .threads
            .iter()
            .all(|thread| thread.resolved),
        "{:?}",
        stage.hub.state().threads
    );
    stage.requests();
}

#[test]
fn a_run_that_breaks_down_leaves_no_check_in_progress() {
    let stage = proposed();
    let run = stage.job(
        &[
            "review",
            "--pr",
            "1",
            "--publish",
            "check",
            "--backend",
            "teams",
            "--agents",
            "nobody",
        ],
        &[],
    );
    assert_ne!(run.code, 0);
    let state = stage.hub.state();
    assert!(
        state
            .checks
            .iter()
            .all(|check| check["status"] == "completed"),
        "{:?}",
        state.checks
    );
}

#[test]
fn the_deadline_of_the_run_is_a_conclusion_of_its_own() {
    let stage = proposed();
    stage.repo.write_home(
        ".config/git-council/config.toml",
        "[agents.slow]\ndriver = \"command\"\ncommand = [\"/bin/sleep\", \"60\"]\n",
    );
    let args = [
        "review",
        "--pr",
        "1",
        "--publish",
        "check",
        "--agents",
        "slow",
        "--timeout",
        "1s",
        "--config",
        "timeouts.shutdown=1s",
    ];
    stage.job(&args, &[]).ends(3);
    assert_eq!(stage.hub.state().checks[0]["conclusion"], "timed_out");
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
    stage.council(&["review", "HEAD"]).ends(2);
}
