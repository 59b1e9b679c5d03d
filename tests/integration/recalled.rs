//! A verdict that was given again is the last report: what `show`, `wait`, `explain` and `dismiss` mean after it.

use serde_json::Value;

use crate::harness::Run;
use crate::recognised::{CONFLICT, with};

/// The run that made a verdict goes before the verdict does. What was shown last is what `show`, `wait` and `dismiss` mean.
#[test]
fn a_reused_verdict_without_a_run_is_the_last_report() {
    let repo = with("notes.py", "<<<<<<< HEAD\n");
    repo.council(["review", "HEAD", "-q"]).ends(1);
    let first = repo.git(["rev-parse", "HEAD"]);
    repo.write("run.py", "import os\nos.system('ls ' + x)\n");
    repo.commit("Another change");
    repo.council(["review", "HEAD", "-q"]).ends(0);
    repo.council(["gc", "--keep", "1"]).ends(0);
    repo.council(["review", &first]).ends(1).prints("reused: ");
    repo.council(["explain", "F1"]).ends(0).prints("notes.py:1");
    let shown = repo.council(["show"]).ends(0).prints("notes.py:1");
    shown.tells("not about HEAD");
    repo.council(["dismiss", "F1", "--because", "as it says"])
        .ends(0)
        .prints("notes.py:1");
    // Where there is no run at all, there is a report all the same.
    repo.council(["gc", "--keep", "0"]).ends(0);
    repo.git(["checkout", "--quiet", &first]);
    repo.council(["review", "HEAD", "-q"]).ends(0);
    repo.council(["show"]).ends(0).prints("1 dismissed");
    repo.council(["wait"]).ends(0).prints("1 dismissed");
}

/// The id of the first finding that was dismissed would be one of another report.
#[test]
fn a_reused_verdict_without_a_run_is_the_report_that_every_command_means() {
    let repo = with("notes.md", CONFLICT);
    repo.write("other.md", CONFLICT);
    repo.commit("Another");
    repo.council(["review", "HEAD~1"]).ends(1);
    repo.council(["review", "HEAD"]).ends(1);
    repo.council(["gc", "--keep", "1"]).ends(0);
    repo.council(["review", "HEAD~1"])
        .ends(1)
        .prints("reused: ")
        .prints("notes.md");
    repo.council(["show"]).ends(0).prints("notes.md:1");
    repo.council(["explain", "F1"])
        .ends(0)
        .prints("at notes.md:1");
    repo.council(["dismiss", "F1", "--because", "as the report says"])
        .ends(0)
        .prints("notes.md:1");
    repo.council(["review", "HEAD"]).ends(1);
    // Without any run, too.
    repo.council(["gc", "--keep", "0"]).ends(0);
    repo.council(["review", "HEAD", "-q"]).ends(1);
    repo.council(["show", "-q"]).ends(0).prints("FAIL");
    repo.council(["wait", "-q"]).ends(1).prints("FAIL");
}

/// A dismissal makes a verdict of the past another one, and no new run.
#[test]
fn after_a_dismissal_wait_and_show_give_the_verdict_that_was_given() {
    let repo = with("notes.md", CONFLICT);
    repo.council(["review", "HEAD", "-q"]).ends(1);
    for id in ["F1", "F2"] {
        repo.council(["dismiss", id, "--because", "an example"])
            .ends(0);
    }
    repo.council(["explain", "F1"])
        .ends(0)
        .prints("dismissed since");
    repo.council(["review", "HEAD", "-q"]).ends(0);
    repo.council(["wait", "-q"]).ends(0).prints("PASS");
    repo.council(["show", "-q"]).ends(0).prints("PASS");
    // `json` takes out what differs between runs, names among it.
    let parsed = |run: Run| serde_json::from_str::<Value>(&run.stdout).unwrap();
    let name = parsed(repo.council(["log", "--json"]))[0]["name"].clone();
    let name = name.as_str().unwrap();
    repo.council(["show", name, "-q"]).ends(0).prints("FAIL");
    repo.council(["show", "-q"]).ends(0).prints("PASS");
    // A run that ended since is the last verdict.
    repo.council(["review", "HEAD", "--fresh", "--detach"])
        .ends(0);
    repo.council(["wait"]);
    let after = parsed(repo.council(["show", "--json"]));
    assert_ne!(after["receipt"]["run"]["name"], name);
}

/// What is no commit, or was made on another one, says nothing of HEAD; and neither does an older verdict that the last one
/// has overtaken.
#[test]
fn wait_answers_for_no_commit_that_nobody_reviewed() {
    let repo = with("notes.md", CONFLICT);
    repo.council(["review", "HEAD", "-q"]).ends(1);
    repo.write("fine.md", "One line.\n");
    repo.council(["review", "--worktree", "-q"]).ends(0);
    repo.council(["wait", "-q"]).ends(0).prints("PASS");
    repo.council(["review", "HEAD", "-q"]).ends(1);
    repo.write("other.md", CONFLICT);
    repo.commit("Unread");
    // The last verdict is of the commit before, the last run of changes on it.
    repo.council(["wait"]).ends(3).tells("not about HEAD");
    repo.write("more.md", "One line.\n");
    repo.council(["review", "--worktree", "-q"]).ends(0);
    // A branch that has no commit yet is none that somebody has reviewed.
    repo.git(["checkout", "--quiet", "--orphan", "empty"]);
    let waited = repo.council(["wait"]).ends(3);
    waited.tells("not about HEAD, which has no commit yet");
    repo.git(["checkout", "--quiet", "main"]);
    repo.commit("Unread, too");
    repo.council(["wait"]).ends(3).tells("about changes on");
    repo.council(["show", "-q"]).ends(0);
    let patch = repo.git(["diff", "HEAD~1"]);
    repo.write("change.diff", patch + "\n");
    repo.council(["review", "--patch", "change.diff", "-q"])
        .ends(0);
    repo.council(["wait"]).ends(3).tells("about a patch");
}

/// Who takes a dismissal back sees no green from before.
#[test]
fn a_dismissal_that_is_taken_back_leaves_no_green_verdict() {
    let repo = with("notes.py", "<<<<<<< HEAD\n");
    repo.council(["review", "HEAD", "-q"]).ends(1);
    let undo = ["dismiss", "F1", "--undo"];
    repo.council(undo).ends(2).tells("nothing to take back");
    repo.council(["dismiss", "F1", "--because", "an example"])
        .ends(0);
    // Its findings are shown: a headline alone would leave `F1` to the report before.
    repo.council(["review", "HEAD"]).ends(0);
    repo.council(["wait", "-q"]).ends(0);
    repo.council(["explain", "F1"]).prints("does not count");
    repo.council(undo).ends(0).prints("counts again");
    let explained = repo.council(["explain", "F1"]).ends(0);
    assert!(!explained.stdout.contains("does not count"));
    explained.prints("counts again");
    repo.council(undo).ends(2).tells("nothing to take back");
    repo.council(["wait"]).ends(3).tells("counts again");
    repo.council(["show"])
        .ends(0)
        .tells("counts again since this report was made");
    repo.council(["review", "HEAD", "-q"]).ends(1);
    repo.council(["wait", "-q"]).ends(1);
}

/// Each report that prints `git council dismiss F1` is the one that this command then means.
#[test]
fn what_a_replay_showed_is_what_dismiss_means() {
    let repo = with("first.py", "<<<<<<< HEAD\n");
    repo.council(["review", "HEAD", "-q"]).ends(1);
    let parsed = |run: Run| serde_json::from_str::<Value>(&run.stdout).unwrap();
    let name = parsed(repo.council(["log", "--json"]))[0]["name"].clone();
    repo.write("second.py", "<<<<<<< HEAD\n");
    repo.commit("Another");
    repo.council(["review", "HEAD", "-q"]).ends(1);
    repo.council(["replay", name.as_str().unwrap()])
        .ends(1)
        .prints("first.py:1");
    repo.council(["dismiss", "F1", "--because", "as it says"])
        .ends(0)
        .prints("first.py:1");
    repo.council(["review", "HEAD", "-q"]).ends(1);
}
