//! Exactly one report, whatever happens.

use super::stage::{CONFLICT, Stage};
use super::state::{Comment, Fault, FaultKind};

const PUBLISH: [&str; 5] = ["publish", "--pr", "1", "--publish", "comment"];

/// A pull request that was reviewed and is not yet published.
fn reviewed() -> Stage {
    let stage = Stage::new();
    let head = stage.propose(1, &[("src/a.rs", CONFLICT)]);
    stage
        .council(&["review", &format!("main...{head}")])
        .ends(1);
    stage
}

fn stranger(stage: &Stage, body: String) {
    let mut state = stage.hub.state();
    let id = state.id();
    let comment = Comment {
        id,
        issue: 1,
        login: "mallory".into(),
        is_bot: false,
        body,
        updated: 0,
    };
    state.comments.insert(0, comment);
}

#[test]
fn twenty_runs_leave_one_report() {
    let stage = reviewed();
    for _ in 0..20 {
        stage.council(&PUBLISH).ends(1);
    }
    assert_eq!(stage.reports(1).len(), 1);
    stage.requests();
    // A second run plans nothing.
    stage
        .council(&["publish", "--pr", "1", "--publish", "comment", "--dry-run"])
        .ends(1)
        .prints("nothing to do");
    let state = stage.hub.state();
    assert!(
        state
            .asked
            .iter()
            .all(|asked| asked.method != "PATCH" && asked.method != "DELETE"),
        "{:?}",
        state.asked
    );
}

#[test]
fn two_runs_at_once_leave_one_report() {
    let stage = reviewed();
    let start = |_| stage.command(&PUBLISH).spawn().unwrap();
    let runs: Vec<_> = (0..2).map(start).collect();
    for mut run in runs {
        run.wait().unwrap();
    }
    assert_eq!(stage.reports(1).len(), 1);
    stage.council(&PUBLISH).ends(1);
    assert_eq!(stage.reports(1).len(), 1);
    stage.requests();
}

#[test]
fn two_reports_of_a_race_that_was_lost_become_one() {
    let stage = reviewed();
    stage.council(&PUBLISH).ends(1);
    let mut second = stage.reports(1)[0].clone();
    {
        let mut state = stage.hub.state();
        second.id = state.id();
        state.comments.push(second);
    }
    stage.council(&PUBLISH).ends(1);
    assert_eq!(stage.reports(1).len(), 1);
}

#[test]
fn a_creation_whose_reply_was_lost_is_not_repeated() {
    for kind in [FaultKind::DoneAnd502, FaultKind::DoneAndGone] {
        let stage = reviewed();
        stage.hub.state().faults.push_back(Fault {
            method: "POST",
            path: "/issues/1/comments",
            kind,
            times: 1,
        });
        stage.council(&PUBLISH).ends(1);
        assert_eq!(stage.reports(1).len(), 1);
        stage.requests();
    }
}

/// The process dies when the report is made and the check is not concluded.
#[test]
fn a_crash_between_two_surfaces_leaves_one_report_and_one_check_for_the_next_run() {
    let stage = reviewed();
    stage.hub.state().faults.push_back(Fault {
        method: "POST",
        path: "/issues/1/comments",
        kind: FaultKind::DoneAndSilent,
        times: 1,
    });
    let args = ["review", "--pr", "1", "--publish", "comment,check"];
    let mut run = stage.command(&args).spawn().unwrap();
    for _ in 0..600 {
        if !stage.reports(1).is_empty() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    assert_eq!(stage.reports(1).len(), 1);
    stage.council(&args).ends(1);
    assert_eq!(stage.reports(1).len(), 1);
    let state = stage.hub.state();
    assert!(
        state
            .checks
            .iter()
            .all(|check| check["status"] == "completed")
    );
}

#[test]
fn a_crash_while_the_council_sits_leaves_a_check_that_the_next_run_concludes() {
    let stage = reviewed();
    stage.hub.state().faults.push_back(Fault {
        method: "POST",
        path: "/check-runs",
        kind: FaultKind::DoneAndSilent,
        times: 1,
    });
    let args = ["review", "--pr", "1", "--publish", "check"];
    let mut run = stage.command(&args).spawn().unwrap();
    for _ in 0..600 {
        if !stage.hub.state().checks.is_empty() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    assert_eq!(stage.hub.state().checks[0]["status"], "in_progress");
    stage.council(&args).ends(1);
    let state = stage.hub.state();
    assert_eq!(state.checks.len(), 1);
    assert_eq!(state.checks[0]["conclusion"], "failure");
}

#[test]
fn t12_a_comment_of_somebody_else_with_our_marker_is_neither_edited_nor_read() {
    let stage = reviewed();
    stage.council(&PUBLISH).ends(1);
    let forged = stage.reports(1)[0].body.replace("FAIL", "PASS");
    stage.hub.state().comments.clear();
    stranger(&stage, forged.clone());
    stage.council(&PUBLISH).ends(1);
    let reports = stage.reports(1);
    assert_eq!(reports.len(), 1);
    assert!(reports[0].body.contains("# FAIL"));
    let state = stage.hub.state();
    assert!(
        state
            .comments
            .iter()
            .any(|comment| comment.login == "mallory" && comment.body == forged)
    );
}

#[test]
fn the_report_is_found_behind_hundreds_of_comments() {
    let stage = reviewed();
    stage.others_say(1, 230);
    stage.council(&PUBLISH).ends(1);
    stage.council(&PUBLISH).ends(1);
    assert_eq!(stage.reports(1).len(), 1);
    stage.requests();
}
