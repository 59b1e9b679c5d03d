//! A finding about a line that the change removes: it is talked about beside that line, and nowhere else.

use super::remembered::{failed_over, let_judges_say};
use super::stage::Stage;

const ARGS: [&str; 5] = ["review", "--pr", "1", "--publish", "comment,check,review"];

const CHECKED: &str = "a.checked_add(b).unwrap_or(u32::MAX)";

const FINDING: &str = r#"{"severity": "critical", "category": "bug", "description": "The sum may overflow now.",
 "location": {"path": "src/lib.rs", "line": 3}, "quote": "    a.saturating_add(b)", "why": "w", "fix": "f"}"#;

/// A pull request that takes a line away which two judges want to keep.
fn failed() -> Stage {
    let code = "/// Adds two numbers.\npub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n";
    let stage = failed_over(&[("src/lib.rs", code)], FINDING);
    let_judges_say(&stage, "FAIL", FINDING);
    stage
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_removed_line_has_its_comment_on_its_own_side_and_no_annotation() {
    let stage = failed();
    let run = stage.council(&[&ARGS[..], &["--full"]].concat()).ends(1);
    let told = flat(&run.stdout);
    let reply = "reply `/council dismiss because …` in the conversation about it";
    assert!(told.contains(reply), "{told}");
    {
        let state = stage.hub.state();
        let places: Vec<_> = state.threads.iter().map(|thread| &thread.place).collect();
        assert_eq!(places.len(), 1, "{places:?}");
        assert_eq!(
            (places[0]["side"].as_str(), places[0]["line"].as_u64()),
            (Some("LEFT"), Some(3))
        );
        for check in &state.checks {
            let notes = check["output"]["annotations"].as_array();
            assert!(notes.is_none_or(Vec::is_empty), "{check}");
        }
    }
    // Nothing is posted where nothing was asked for, and nothing is said to be there.
    let other = failed();
    let run = other
        .council(&["review", "--pr", "1", "--publish", "comment", "--full"])
        .ends(1);
    let told = flat(&run.stdout);
    assert!(
        told.contains("to its comment (`--publish review` posts one)"),
        "{told}"
    );
    assert!(other.hub.state().threads.is_empty());
    stage.requests();
    other.requests();
}

/// Who has mended it in another way is told what clears it, and it does: at a terminal, and as a comment of the pull
/// request.
#[test]
fn what_nobody_mentions_again_is_cleared_by_a_review_of_everything() {
    for by_comment in [false, true] {
        let stage = failed();
        stage.council(&[&ARGS[..], &["--full"]].concat()).ends(1);
        let guarded = format!(
            "/// Adds two numbers.\npub fn add(a: u32, b: u32) -> u32 {{\n    {CHECKED}\n}}\n"
        );
        stage.add(1, &[("src/lib.rs", &guarded)]);
        let_judges_say(&stage, "PASS", "");
        let run = stage.council(&ARGS).ends(1);
        let told = flat(&run.stdout);
        assert!(
            told.contains("`git council review --pr 1 --full` has the whole change judged again"),
            "{told}"
        );
        let report = flat(&stage.reports(1)[0].body);
        assert!(
            report.contains("the comment `/council review full` has the whole change judged again"),
            "{report}"
        );
        match by_comment {
            false => stage.council(&[&ARGS[..], &["--full"]].concat()).ends(0),
            true => {
                stage
                    .hub
                    .state()
                    .permissions
                    .insert("alice".into(), "write");
                let asked = serde_json::json!({
                    "action": "created", "issue": { "number": 1, "pull_request": {} },
                    "comment": { "body": "/council review full", "user": { "login": "alice", "type": "User" } },
                });
                let event = stage.event("issue_comment", &asked);
                let args = ["review", "--event", "--publish", "comment,check,review"];
                stage.job(&args, &event).ends(0)
            }
        };
        let report = stage.reports(1)[0].body.clone();
        assert!(report.contains("# PASS"), "{report}");
        assert!(
            stage
                .hub
                .state()
                .threads
                .iter()
                .all(|thread| thread.resolved)
        );
        stage.requests();
    }
}
