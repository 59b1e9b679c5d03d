//! What starts a job, by the payloads that GitHub itself documents.

use std::fs;

use serde_json::{Value, json};

use git_council::inside::publish::{Trigger, WorkflowEvent};

use super::stage::{CONFLICT, Stage};

const FIXTURES: &str = include_str!("../fixtures/github/events.json");

fn fixture(name: &str) -> Value {
    let all: Value = serde_json::from_str(FIXTURES).unwrap();
    all["events"][name].clone()
}

fn occasion(name: &str, payload: &Value) -> Trigger {
    WorkflowEvent { name, payload }.find_trigger().unwrap()
}

#[test]
fn the_documented_payloads_are_understood() {
    let payload = fixture("pull_request");
    for name in ["pull_request", "pull_request_target"] {
        let Trigger::Pull(pull) = occasion(name, &payload) else {
            panic!()
        };
        assert_eq!((pull.number, pull.base_ref.as_str()), (2, "master"));
        assert_eq!(
            pull.head,
            payload["pull_request"]["head"]["sha"].as_str().unwrap()
        );
    }
    let Trigger::Queue { head, base, .. } = occasion("merge_group", &fixture("merge_group")) else {
        panic!()
    };
    assert!(head.len() == 40 && base.len() == 40);
    assert!(matches!(
        occasion("push", &fixture("push")),
        Trigger::Push { .. } | Trigger::Nothing { .. }
    ));
    assert!(matches!(
        occasion("issue_comment", &fixture("issue_comment")),
        Trigger::Nothing { .. }
    ));
    assert!(matches!(
        occasion("workflow_run", &fixture("workflow_run")),
        Trigger::Nothing { .. }
    ));
    let mut run = fixture("workflow_run");
    run["workflow_run"]["event"] = "pull_request".into();
    run["workflow_run"]["head_branch"] = "topic".into();
    assert!(matches!(
        occasion("workflow_run", &run),
        Trigger::Finished { .. }
    ));
    let mut dispatch = fixture("workflow_dispatch");
    dispatch["inputs"] = json!({ "pr": "12" });
    assert_eq!(
        occasion("workflow_dispatch", &dispatch),
        Trigger::Number(12)
    );
    assert!(
        WorkflowEvent {
            name: "fork",
            payload: &json!({})
        }
        .find_trigger()
        .is_err()
    );
}

/// A required job that starts on such an event would end green, and GitHub would take it for the verdict of the tip, also
/// for another request with the same one.
#[test]
fn whatever_befalls_a_request_repeats_the_verdict_of_its_tip() {
    let mut payload = fixture("pull_request");
    for state in ["open", "closed"] {
        payload["pull_request"]["state"] = state.into();
        for action in [
            "labeled",
            "unlabeled",
            "assigned",
            "milestoned",
            "edited",
            "closed",
        ] {
            payload["action"] = action.into();
            for name in ["pull_request", "pull_request_target"] {
                let trigger = occasion(name, &payload);
                assert!(
                    matches!(trigger, Trigger::Pull(_)),
                    "{name} {action} {state}"
                );
            }
        }
    }
}

fn comment(body: &str, kind: &str) -> Value {
    json!({ "action": "created", "issue": { "number": 1, "pull_request": {} },
        "comment": { "body": body, "user": { "login": "alice", "type": kind } } })
}

#[test]
fn a_command_is_the_first_line_and_nothing_else() {
    for (body, commit) in [
        ("/council", None),
        ("/council review\nplease", None),
        ("/council 0123abcd", Some("0123abcd")),
    ] {
        let Trigger::Command {
            commit: found,
            number: 1,
            ..
        } = occasion("issue_comment", &comment(body, "User"))
        else {
            panic!("{body}")
        };
        assert_eq!(found.as_deref(), commit);
    }
    for (body, is_full) in [
        ("/council review", false),
        ("/council review full", true),
        ("/council review full 0123abcd", true),
    ] {
        let occasion = occasion("issue_comment", &comment(body, "User"));
        let Trigger::Command { full, .. } = occasion else {
            panic!("{body}")
        };
        assert_eq!(full, is_full, "{body}");
    }
    for body in [
        "please\n/council",
        "/councils",
        "/council --backend x",
        "> /council",
        "/council $(id)",
        "/council review full please",
        "/council full",
    ] {
        assert!(
            matches!(
                occasion("issue_comment", &comment(body, "User")),
                Trigger::Nothing { .. }
            ),
            "{body}"
        );
    }
}

#[test]
fn t16_only_people_who_may_write_can_ask_and_the_forge_says_who_may() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    let args = ["review", "--event", "--publish", "comment"];
    for (kind, permission, reviewed) in [
        ("Bot", Some("write"), 0),
        ("User", None, 0),
        ("User", Some("read"), 0),
        ("User", Some("write"), 1),
    ] {
        {
            let mut state = stage.hub.state();
            state.permissions.clear();
            state
                .permissions
                .extend(permission.map(|permission| ("alice".to_owned(), permission)));
        }
        // What the payload says of the author counts for nothing.
        let mut payload = comment("/council", kind);
        payload["comment"]["author_association"] = "OWNER".into();
        stage.job(&args, &stage.event("issue_comment", &payload));
        assert_eq!(stage.reports(1).len(), reviewed, "{kind} {permission:?}");
    }
}

#[test]
fn t15_a_command_is_about_the_commit_that_it_names() {
    let stage = Stage::new();
    let meant = stage.propose(1, &[("src/a.rs", CONFLICT)]);
    stage
        .hub
        .state()
        .permissions
        .insert("alice".into(), "admin");
    stage.add(1, &[("src/b.rs", "fn b() {}\n")]);
    let event = stage.event(
        "issue_comment",
        &comment(&format!("/council {meant}"), "User"),
    );
    stage
        .job(&["review", "--event", "--publish", "comment"], &event)
        .ends(3)
        .tells("has changed: ");
    assert_eq!(stage.reports(1).len(), 0);
}

#[test]
fn an_event_s_pull_request_is_reviewed_against_the_tip_of_its_branch_however_stale_the_payload_is()
{
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    let mut payload = stage.pull_payload(1);
    payload["pull_request"]["base"]["sha"] = "0123456789012345678901234567890123456789".into();
    stage
        .job(
            &["review", "--event", "--publish", "comment"],
            &stage.event("pull_request", &payload),
        )
        .ends(1);
    assert_eq!(stage.reports(1).len(), 1);
}

#[test]
fn t14_a_head_that_moved_before_the_job_began_is_not_reviewed() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    let payload = stage.pull_payload(1);
    stage.add(1, &[("src/b.rs", "fn b() {}\n")]);
    stage
        .job(
            &["review", "--event", "--publish", "comment,check"],
            &stage.event("pull_request", &payload),
        )
        .ends(3);
    assert!(stage.reports(1).is_empty() && stage.hub.state().checks.is_empty());
}

#[test]
fn t14_a_head_that_moves_during_the_run_ends_the_check_as_cancelled_and_posts_nothing() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    // After the requests before the judges sit: pull request with its checks, comments, the check that begins.
    stage.hub.state().moves = Some((3, 1, "f".repeat(40)));
    stage
        .job(
            &["review", "--pr", "1", "--publish", "comment,check,review"],
            &[],
        )
        .ends(3)
        .tells("has changed: ");
    let state = stage.hub.state();
    assert_eq!(state.checks.len(), 1);
    assert_eq!(
        (&state.checks[0]["status"], &state.checks[0]["conclusion"]),
        (&"completed".into(), &"cancelled".into())
    );
    assert!(state.comments.is_empty() && state.reviews.is_empty());
}

#[test]
fn new_commits_review_what_changed_and_carry_the_rest() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT), ("src/b.rs", "fn b() {}\n")]);
    let args = ["review", "--pr", "1", "--publish", "comment"];
    stage.council(&args).ends(1);
    // The finding stands in a file that did not change: it stays, and the verdict with it.
    stage.add(1, &[("src/b.rs", "fn b() {\n    let _ = 1;\n}\n")]);
    stage.council(&args).ends(1).prints("unchanged since");
    let body = stage.reports(1)[0].body.clone();
    assert!(
        body.contains("still open") && body.contains("# FAIL"),
        "{body}"
    );
    // And it is gone when it is mended.
    stage.add(1, &[("src/a.rs", "fn a() {\n    one();\n}\n")]);
    stage.council(&args);
    let body = stage.reports(1)[0].body.clone();
    assert!(body.contains("resolved: `src/a.rs:"), "{body}");
    stage.requests();
}

/// Whatever tells of a run whose only failing finding is carried over says what the pull request is told: its folder, the
/// log, the files for people, the note on the commit, a replay, and whoever publishes it again.
#[test]
fn everything_that_tells_of_a_run_counts_what_is_carried_over() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT), ("src/b.rs", "fn b() {}\n")]);
    stage
        .repo
        .git(["config", "--global", "council.notes.write", "true"]);
    let args = ["review", "--pr", "1", "--publish", "comment,check"];
    stage.council(&args).ends(1);
    let head = stage.add(1, &[("src/b.rs", "fn b() {\n    let _ = 1;\n}\n")]);
    let events = stage.file("events.ndjson");
    let told = [&args[..], &["--json", "--events", events.to_str().unwrap()]].concat();
    let review = stage.council(&told).ends(1);
    let shown: Value = serde_json::from_str(&review.stdout).unwrap();
    let headline = shown["headline"].as_str().unwrap().to_owned();
    assert!(headline.starts_with("FAIL"), "{headline}");
    stage
        .council(&["show", "--format", "json"])
        .prints(&headline);
    stage
        .council(&["show", "--format", "agent"])
        .prints("FAIL\texit 1");
    stage.council(&["replay"]).ends(1).prints("FAIL");
    stage.council(&["log", "-n", "1"]).prints("FAIL");
    stage
        .council(&["log", "-n", "1", "--json"])
        .prints(&headline);
    let folder = stage.repo.path().join(".agents/council");
    for file in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        assert!(!text.contains("verdict: PASS"), "{text}");
    }
    let note = stage.repo.git(["notes", "--ref=council", "show", &head]);
    assert!(note.starts_with(&headline), "{note}");
    let events = fs::read_to_string(events).unwrap();
    assert!(!events.contains("\"PASS\",\"reason"), "{events}");
    stage
        .council(&["publish", "--pr", "1", "--publish", "comment,check"])
        .ends(1);
    assert!(stage.reports(1)[0].body.contains(&format!("# {headline}")));
    let checks = stage.hub.state().checks.clone();
    assert!(
        checks.iter().all(|check| check["conclusion"] != "success"),
        "{checks:?}"
    );
    assert_eq!(checks.len(), 2, "one for each commit: {checks:?}");
    // And the next push builds on what was published.
    stage.add(1, &[("src/b.rs", "fn b() {\n    let _ = 2;\n}\n")]);
    stage.council(&args).ends(1);
    assert!(stage.reports(1)[0].body.contains(" still open** since "));
    stage.requests();
}

#[test]
fn t13_an_edited_report_is_not_believed() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    let args = ["review", "--pr", "1", "--publish", "comment"];
    stage.council(&args).ends(1);
    for comment in &mut stage.hub.state().comments {
        comment.body = comment.body.replace("FAIL", "PASS");
    }
    let run = stage.council(&args).ends(1);
    assert!(!run.stdout.contains("reused"), "{}", run.stdout);
    // Nor is it passed over in silence: judges may miss this time what it knew.
    run.prints("comment was edited");
    assert!(stage.reports(1)[0].body.contains("# FAIL"));
}

#[test]
fn who_asks_for_a_fresh_review_is_given_one() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    let args = ["review", "--pr", "1", "--publish", "comment"];
    stage.council(&args).ends(1);
    stage.council(&args).ends(1).prints("reused: ");
    let run = stage.council(&[&args[..], &["--fresh"]].concat()).ends(1);
    assert!(!run.stdout.contains("reused"), "{}", run.stdout);
    // Who asks for a review without what is there already is told what is left behind.
    let run = stage.council(&[&args[..], &["--full"]].concat()).ends(1);
    run.prints("carries nothing over: the review of")
        .prints("said FAIL");
}
