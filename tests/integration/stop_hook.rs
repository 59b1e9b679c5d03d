//! The Stop hook of the plugin for Claude Code: it offers a review, and is never in the way.

use serde_json::Value;

use crate::harness::Repo;
use crate::inside::unmended;

/// Claude Code's Stop hook as the plugin ships it: what it prints when the agent says that it is done.
fn stop_hook(repo: &Repo, told: &str) -> Option<Value> {
    let hooks = include_str!("../../clients/claude/hooks/hooks.json");
    let hooks: Value = serde_json::from_str(hooks).unwrap();
    let command = hooks["hooks"]["Stop"][0]["hooks"][0]["command"].as_str();
    let mut words = command.unwrap().split(' ');
    assert_eq!(words.next(), Some("git-council"));
    let words: Vec<&str> = words.collect();
    let said = repo.council_reading(told.as_bytes(), &words);
    assert_eq!((said.code, &*said.stderr), (0, ""), "it is in the way");
    (!said.stdout.is_empty()).then(|| serde_json::from_str(&said.stdout).unwrap())
}

#[test]
fn the_stop_hook_offers_a_review_of_a_change_without_a_verdict() {
    let done = r#"{"session_id": "1", "hook_event_name": "Stop", "stop_hook_active": false}"#;
    let repo = unmended();
    let said = stop_hook(&repo, done).unwrap();
    let words = said["systemMessage"].as_str().unwrap();
    assert!(
        words.contains("no verdict") && words.contains("/git-council:council"),
        "{said}"
    );
    // It offers, and neither keeps the agent from ending nor decides for it.
    assert_eq!(said.as_object().unwrap().len(), 1, "{said}");
    // The agent goes on because of a hook: it has been offered already.
    let active = done.replace("false", "true");
    assert_eq!(stop_hook(&repo, &active), None);
    repo.council(["review", "--worktree"]).ends(1);
    assert_eq!(
        stop_hook(&repo, done),
        None,
        "it has a verdict, and that is FAIL"
    );
    repo.write("notes.md", "ours and theirs\n");
    assert!(stop_hook(&repo, done).is_some(), "it was changed since");
    repo.council(["review", "--worktree"]).ends(0);
    assert_eq!(stop_hook(&repo, done), None);
}

/// A hook that fails would be in the way of the work.
#[test]
fn the_stop_hook_is_silent_where_there_is_nothing_to_offer() {
    let unchanged = Repo::with_base();
    for told in ["{}", "", "no JSON", "[1]"] {
        assert_eq!(stop_hook(&unchanged, told), None, "{told}");
        assert!(stop_hook(&unmended(), told).is_some(), "{told}");
    }
    let nowhere = Repo::home();
    assert_eq!(stop_hook(&nowhere, "{}"), None);
    let broken = unmended();
    broken.write_home(".config/git-council/config.toml", "no [toml");
    assert_eq!(stop_hook(&broken, "{}"), None);
}
