//! What can have become of a commit between a push and the job that it started; and each event from its payload to its ending.

use serde_json::json;

use super::stage::{CONFLICT, Stage};
use crate::harness::Run;

const COMMENT: [&str; 4] = ["review", "--event", "--publish", "comment"];
const CHECK: [&str; 4] = ["review", "--event", "--publish", "check"];

#[test]
fn a_history_that_was_rewritten_between_two_runs_is_reviewed_as_it_stands() {
    let stage = Stage::new();
    let first = stage.propose(1, &[("src/a.rs", CONFLICT), ("src/b.rs", "fn b() {}\n")]);
    let args = ["review", "--pr", "1", "--publish", "comment,check"];
    stage.council(&args).ends(1);
    // Another history without the fault, pushed by force; the old commit is on no branch any more.
    let second = stage.propose(1, &[("src/b.rs", "fn b() {}\n")]);
    assert_ne!(first, second);
    stage.council(&args).ends(0);
    let [report] = &stage.reports(1)[..] else {
        panic!()
    };
    assert!(report.body.contains(&second) && !report.body.contains("- still open"));
    assert!(
        report.body.contains("resolved: `src/a.rs:"),
        "{}",
        report.body
    );
    let state = stage.hub.state();
    let of = |head: &str| state.checks.iter().find(|check| check["head_sha"] == head);
    assert_eq!(of(&first).unwrap()["conclusion"], "failure");
    assert_eq!(of(&second).unwrap()["conclusion"], "success");
}

/// A required job that such an event starts stands for the tip afterwards: it must not end green over a change that nobody
/// reviewed, and a verdict is not bought twice.
#[test]
fn an_event_that_changes_no_code_repeats_the_verdict_of_the_tip() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    let args = ["review", "--event", "--publish", "comment,check,outputs"];
    let event = |action: &str| {
        let mut payload = stage.pull_payload(1);
        payload["action"] = action.into();
        stage.event("pull_request", &payload)
    };
    // Whichever event comes first: it is reviewed.
    stage.job(&args, &event("labeled")).ends(1);
    for action in [
        "labeled",
        "unlabeled",
        "assigned",
        "unassigned",
        "milestoned",
        "demilestoned",
        "edited",
        "locked",
        "unlocked",
        "review_requested",
        "ready_for_review",
        "converted_to_draft",
        "auto_merge_enabled",
        "enqueued",
        "dequeued",
        "reopened",
        "anything_new",
    ] {
        let run = stage.job(&args, &event(action));
        assert_eq!(run.code, 1, "{action}: {}{}", run.stdout, run.stderr);
        assert_eq!(stage.outputs()["verdict"], "fail", "{action}");
        assert_eq!(stage.outputs()["recognised"], "true", "{action}");
    }
    let state = stage.hub.state();
    assert!(
        state
            .checks
            .iter()
            .all(|check| check["conclusion"] == "failure")
    );
}

/// The same where the verdict is milder than FAIL, or none at all.
#[test]
fn an_event_that_changes_no_code_repeats_a_warning_and_a_review_without_result() {
    let key = ["BEGIN", "END"].map(|word| format!("-----{word} PRIVATE {}-----\n", "KEY"));
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKjMzEf\n".repeat(6);
    let warned = format!("{}{body}{}", key[0], key[1]);
    let too_large = "0123456789abcdef 0123456789abcdef\n".repeat(200_000);
    let cases = [
        ("tests/server.pem", warned, "warn", 1, "failure"),
        ("data.txt", too_large, "inconclusive", 3, "action_required"),
    ];
    for (path, text, verdict, code, ending) in cases {
        let stage = Stage::new();
        stage.propose(1, &[(path, &text)]);
        // As the forge does with a diff that is large.
        stage.hub.state().pulls.get_mut(&1).unwrap().files.clear();
        let mut args = vec!["review", "--event", "--publish", "comment,check,outputs"];
        args.extend(["--fail-on", "warn"]);
        for action in ["synchronize", "labeled", "edited", "anything_new"] {
            let mut payload = stage.pull_payload(1);
            payload["action"] = action.into();
            let run = stage.job(&args, &stage.event("pull_request", &payload));
            assert_eq!(run.code, code, "{action}: {}{}", run.stdout, run.stderr);
            assert_eq!(stage.outputs()["verdict"], verdict, "{action}");
        }
        let state = stage.hub.state();
        let is_ended = |check: &serde_json::Value| check["conclusion"] == ending;
        assert!(state.checks.iter().all(is_ended), "{:?}", state.checks);
    }
}

/// The end of a request says nothing of its tip, which another request may have: law over how it ends, whether its tip was
/// reviewed before, and what its branch was merged into meanwhile.
#[test]
fn the_end_of_a_request_repeats_the_verdict_of_its_tip() {
    for is_merged in [false, true] {
        for is_known in [false, true] {
            let stage = Stage::new();
            stage.propose(1, &[("src/a.rs", CONFLICT)]);
            let first = stage.hub.state().pulls[&1].clone();
            stage.hub.state().pulls.insert(2, first);
            stage.publish_ref("refs/pull/1/head", "refs/pull/2/head");
            let event = |number: u64, action: &str| {
                let mut payload = stage.pull_payload(number);
                payload["action"] = action.into();
                stage.event("pull_request", &payload)
            };
            let args = ["review", "--event", "--publish", "comment,check,outputs"];
            if is_known {
                stage.job(&args, &event(2, "opened")).ends(1);
            }
            if is_merged {
                stage.publish_ref("refs/pull/2/head", "refs/heads/main");
            }
            stage.hub.state().pulls.get_mut(&2).unwrap().state = "closed";
            let run = stage.job(&args, &event(2, "closed"));
            assert_eq!(
                run.code, 1,
                "{is_merged} {is_known}: {}{}",
                run.stdout, run.stderr
            );
            assert_eq!(stage.outputs()["verdict"], "fail");
            let plan = ["plan", "--event", "--run", "run", "--matrix", "judges"];
            let plan = stage.job(&plan, &event(2, "closed")).ends(0);
            assert!(plan.stdout.starts_with("judges=[{"), "{}", plan.stdout);
        }
    }
}

/// The request may end while its job waits for a machine.
#[test]
fn a_request_that_is_closed_before_its_job_begins_is_reviewed() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    let event = stage.event("pull_request", &stage.pull_payload(1));
    stage.hub.state().pulls.get_mut(&1).unwrap().state = "closed";
    stage.job(&CHECK, &event).ends(1);
    // Whoever asks by hand has no check on the tip.
    let by_hand = stage.event("workflow_dispatch", &json!({ "inputs": { "pr": "1" } }));
    stage.job(&CHECK, &by_hand).ends(0).tells("is closed");
}

#[test]
fn a_pushed_commit_that_is_gone_is_named_as_replaced() {
    let stage = Stage::new();
    let gone = "f".repeat(40);
    let payload =
        json!({ "before": stage.repo.git(["rev-parse", "main"]), "after": gone, "deleted": false });
    let run = stage.job(&CHECK, &stage.event("push", &payload));
    assert_eq!(run.code, 3, "{}", run.stderr);
    run.tells("ffffffffffff");
    assert!(stage.hub.state().checks.is_empty());
}

#[test]
fn a_manual_run_names_its_pull_request() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    let event = |inputs| stage.event("workflow_dispatch", &json!({ "inputs": inputs }));
    stage.job(&COMMENT, &event(json!({ "pr": "1" }))).ends(1);
    assert_eq!(stage.reports(1).len(), 1);
    stage
        .job(&COMMENT, &event(json!({})))
        .ends(2)
        .tells("input `pr`");
    stage
        .job(&COMMENT, &event(json!({ "pr": "9" })))
        .ends(3)
        .tells("#9");
}

/// The privileged event: configuration and code of the default branch, the stranger's commits as data.
#[test]
fn pull_request_target_reviews_a_fork_and_checks_nothing_out() {
    let stage = Stage::new();
    let head = stage.propose(
        1,
        &[
            ("src/a.rs", CONFLICT),
            ("council.toml", "[review]\nignore = [\"**\"]\n"),
        ],
    );
    stage.hub.state().pulls.get_mut(&1).unwrap().fork = true;
    let main = stage.repo.git(["rev-parse", "HEAD"]);
    let event = stage.event("pull_request_target", &stage.pull_payload(1));
    stage.job(&COMMENT, &event).ends(1).prints("council.toml");
    assert!(stage.reports(1)[0].body.contains(&head));
    assert_eq!(stage.repo.git(["rev-parse", "HEAD"]), main);
    assert_eq!(stage.repo.git(["status", "--porcelain"]), "");
    assert!(!stage.repo.path().join("src/a.rs").exists());
}

#[test]
fn a_pushed_branch_is_reviewed_since_its_last_push_and_a_new_one_since_the_default_branch() {
    let stage = Stage::new();
    let base = stage.repo.git(["rev-parse", "main"]);
    let head = stage.propose(1, &[("src/a.rs", CONFLICT)]);
    let later = stage.add(1, &[("src/b.rs", "fn b() {}\n")]);
    let push = |before: &str, after: &str| {
        let payload = json!({ "before": before, "after": after, "deleted": false });
        stage.job(&CHECK, &stage.event("push", &payload))
    };
    push(&base, &head).ends(1);
    // Only the last commit: what was there before it is not its fault.
    push(&head, &later).ends(0);
    push(&"0".repeat(40), &head).ends(1);
    // Nothing was there before the push that brings the default branch: all of it is new.
    let main = stage.repo.git(["rev-parse", "main"]);
    push(&"0".repeat(40), &main).ends(0).prints("SKIPPED");
    let payload = json!({ "before": "0".repeat(40), "after": main, "ref": "refs/heads/main",
        "repository": { "default_branch": "main" } });
    let import = stage.job(&CHECK, &stage.event("push", &payload)).ends(0);
    assert!(!import.stdout.contains("SKIPPED"), "{}", import.stdout);
    let gone = json!({ "before": head, "after": "0".repeat(40), "deleted": true });
    stage
        .job(&CHECK, &stage.event("push", &gone))
        .ends(0)
        .tells("nothing is reviewed: the branch was deleted");
}

#[test]
fn an_entry_of_a_merge_queue_has_a_check_and_no_comment() {
    let stage = Stage::new();
    let base = stage.repo.git(["rev-parse", "main"]);
    let head = stage.propose(1, &[("src/a.rs", CONFLICT)]);
    let group = |action: &str| {
        json!({ "action": action, "merge_group": { "head_sha": head, "base_sha": base,
            "head_ref": format!("refs/heads/gh-readonly-queue/main/pr-1-{base}") } })
    };
    let args = ["review", "--event", "--publish", "check,comment"];
    let event = stage.event("merge_group", &group("checks_requested"));
    stage.job(&args, &event).ends(1).prints("#1");
    let event = stage.event("merge_group", &group("destroyed"));
    stage
        .job(&args, &event)
        .ends(0)
        .tells("the merge group is gone");
    let state = stage.hub.state();
    assert_eq!(state.checks.len(), 1);
    assert_eq!(state.checks[0]["conclusion"], "failure");
    assert!(state.comments.is_empty());
}

#[test]
fn a_dry_run_of_a_pull_request_asks_nobody_and_writes_nothing() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    let args = [
        "review",
        "--pr",
        "1",
        "--dry-run",
        "--publish",
        "comment,check",
    ];
    stage.council(&args).ends(2).tells("--dry-run");
    assert!(stage.reports(1).is_empty() && stage.hub.state().checks.is_empty());
}

/// The queue makes a commit of its own; the change is the one that was judged.
#[test]
fn the_merge_queue_recognises_what_the_request_bought() {
    let stage = Stage::new();
    let base = stage.repo.git(["rev-parse", "main"]);
    let head = stage.propose(1, &[("src/a.rs", CONFLICT)]);
    let pull = stage.event("pull_request", &stage.pull_payload(1));
    let bought = ["review", "--event", "--publish", "comment,check"];
    stage.job(&bought, &pull).ends(1);
    let entry = |tree: &str| {
        let tree = format!("{tree}^{{tree}}");
        let queued = stage
            .repo
            .git(["commit-tree", "-m", "Merge #1", "-p", &base, &tree]);
        let name = format!("refs/heads/gh-readonly-queue/main/pr-1-{base}");
        let update = format!("+{queued}:{name}");
        stage.repo.git(["push", "--quiet", "origin", &update]);
        let payload = json!({ "action": "checks_requested", "merge_group": {
            "head_sha": queued, "base_sha": base, "head_ref": name } });
        stage.event("merge_group", &payload)
    };
    let args = ["review", "--event", "--publish", "check,outputs"];
    stage.job(&args, &entry(&head)).ends(1);
    assert_eq!(stage.outputs()["recognised"], "true");
    assert_eq!(stage.outputs()["verdict"], "fail");
    // With anything else in it, it is another change.
    stage
        .repo
        .write("src/more.rs", "/// More.\npub fn more() {}\n");
    stage.repo.write("src/a.rs", CONFLICT);
    let other = stage.repo.commit("Another");
    stage.job(&args, &entry(&other)).ends(1);
    assert_eq!(stage.outputs()["recognised"], "false");
    let state = stage.hub.state();
    let queued = state
        .checks
        .iter()
        .filter(|check| check["head_sha"] != head.as_str());
    assert!(
        queued.clone().count() == 2 && queued.clone().all(|check| check["conclusion"] == "failure")
    );
}

/// The program in a clone that has the tip of the default branch and nothing before it.
fn in_shallow_clone(stage: &Stage, args: &[&str]) -> Run {
    let clone = stage.file("shallow");
    let remote = format!("file://{}", stage.file("octo/project.git").display());
    let to = clone.to_str().unwrap();
    stage
        .repo
        .git(["clone", "--quiet", "--depth=1", &remote, to]);
    let mut command = stage.command(args);
    command.current_dir(&clone);
    Run::of_command(command)
}

#[test]
fn a_shallow_clone_is_enough_where_it_has_the_merge_base() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    in_shallow_clone(&stage, &["review", "--pr", "1"])
        .ends(1)
        .prints("src/a.rs");
}

#[test]
fn a_shallow_clone_without_the_merge_base_says_what_to_do() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    // The default branch has moved on since.
    stage
        .repo
        .write("src/c.rs", "/// Three.\npub const C: u32 = 3;\n");
    stage.repo.commit("Move on");
    stage.repo.git(["push", "--quiet", "origin", "main"]);
    in_shallow_clone(&stage, &["review", "--pr", "1", "--publish", "comment"])
        .ends(2)
        .tells("fetch-depth: 0");
    assert!(stage.reports(1).is_empty());
}
