//! A dismissal on the pull request is heard however the next review of it is made: here, in the jobs of a matrix, or in a job
//! without rights.

use serde_json::json;

use super::conversations::{answers, say};
use super::matrix::{judge, turns_of};
use super::stage::{CONFLICT, Stage};

const SURFACES: [&str; 2] = ["--publish", "comment,check,review"];

/// How a review is made and published.
#[derive(Debug, Clone, Copy)]
enum ReviewWay {
    Here,
    Matrix,
    Claim,
}

fn review(way: ReviewWay, nth: usize, stage: &Stage, head: &str) {
    let pull = ["--pr", "1"];
    match way {
        ReviewWay::Here => {
            stage.job(&[&["review"], &pull[..], &SURFACES].concat(), &[]);
        }
        ReviewWay::Matrix => {
            let run = format!("run-{nth}");
            let plan = ["plan", "--run", &run, "--matrix", "judges"];
            let said = stage.council(&[&plan[..], &pull].concat()).ends(0).stdout;
            for turn in turns_of(&said) {
                judge(&stage.repo, &stage.repo.path(), &run, &turn);
            }
            stage.council(&[&["conclude", "--run", &run], &pull[..], &SURFACES].concat());
        }
        ReviewWay::Claim => {
            let file = stage.file("report.json");
            let range = format!("main...{head}");
            let fresh = ["--fresh", "--json", "-o", file.to_str().unwrap()];
            stage.council(&[&["review", &range], &fresh[..]].concat());
            let ended = json!({ "action": "completed", "workflow_run": {
                "event": "pull_request", "head_sha": head, "head_branch": "topic-1",
                "head_repository": { "owner": { "login": "octo" } } } });
            let publish = ["publish", "--report", file.to_str().unwrap(), "--event"];
            let event = stage.event("workflow_run", &ended);
            stage.job(&[&publish[..], &SURFACES].concat(), &event);
        }
    }
}

fn conclusion(stage: &Stage) -> String {
    let state = stage.hub.state();
    let last = state.checks.last().unwrap();
    last["conclusion"].as_str().unwrap().to_owned()
}

/// Law: whoever may write dismisses a finding by a reply, is answered once, and the next review of any kind heeds it; taken back,
/// it counts again.
#[test]
fn a_reply_is_heard_however_the_review_is_made() {
    for way in [ReviewWay::Here, ReviewWay::Matrix, ReviewWay::Claim] {
        let stage = Stage::new();
        let head = stage.propose(1, &[("src/a.rs", CONFLICT)]);
        stage
            .hub
            .state()
            .permissions
            .insert("alice".into(), "write");
        review(way, 0, &stage, &head);
        assert_eq!(conclusion(&stage), "failure", "{way:?}");
        say(&stage, "alice", "/council dismiss as wrong because fixture");
        let threads = stage.hub.state().threads.len();
        for nth in 1..3 {
            review(way, nth, &stage, &head);
            assert!(
                ["success", "neutral"].contains(&&*conclusion(&stage)),
                "{way:?}"
            );
            let answered = answers(&stage);
            assert_eq!(answered.len(), threads, "{way:?}: {answered:?}");
            assert!(
                answered.iter().all(|line| line.starts_with("Dismissed by")),
                "{answered:?}"
            );
            assert!(stage.reports(1)[0].body.contains("fixture"), "{way:?}");
        }
        say(&stage, "alice", "/council undo");
        review(way, 3, &stage, &head);
        assert_eq!(conclusion(&stage), "failure", "{way:?}");
        stage.requests();
    }
}
