//! What stands around a change is a part of what was judged there: a PASS is not one over a helper that has changed since.

use serde_json::json;

use super::remembered::{let_judges_say, seat_judges};
use super::stage::Stage;

const ARGS: [&str; 5] = ["review", "--pr", "1", "--publish", "comment,check"];

const HELPER: &str = "def clean(s):\n    return s.replace(\"'\", \"''\")\n";
const LOST: &str = "def clean(s):\n    return s\n";

/// A function of the change, which calls the helper.
fn user(value: &str) -> String {
    format!("from helper import clean\n\n\ndef find(db, name):\n    return {value}\n")
}

/// A pull request over code that a helper makes safe, which judges let pass.
fn passed() -> Stage {
    let stage = Stage::new();
    seat_judges(&stage);
    let_judges_say(&stage, "PASS", "");
    stage.land(&[("helper.py", HELPER), ("user.py", &user("None"))]);
    stage.propose(
        1,
        &[(
            "user.py",
            &user("db.execute(\"= '\" + clean(name) + \"'\")"),
        )],
    );
    stage.council(&ARGS).ends(0).prints("PASS");
    stage
}

/// However small the push is that comes with a rebase: nobody has read the unchanged file beside what it calls now.
#[test]
fn an_unchanged_file_is_judged_again_on_another_base() {
    let stage = passed();
    stage.add(1, &[("other.py", "one = 1\n")]);
    stage.council(&ARGS).ends(0).prints("unchanged since");
    stage.land(&[("helper.py", LOST)]);
    for args in [
        ["checkout", "--quiet", "topic-1"],
        ["rebase", "--quiet", "main"],
    ] {
        stage.repo.git(args);
    }
    stage.add(1, &[("other.py", "one = 2\n")]);
    let told = stage.council(&ARGS).ends(0).prints("PASS");
    assert!(!told.stdout.contains("unchanged since"), "{}", told.stdout);
    stage.requests();
}

/// An entry of a merge queue stands on what was merged before it.
#[test]
fn a_queues_entry_is_judged_where_what_it_calls_has_changed() {
    for (landed, is_recognised) in [
        (("helper.py", LOST), "false"),
        (("else.py", "one = 1\n"), "true"),
    ] {
        let stage = passed();
        stage.land(&[landed]);
        let base = stage.repo.git(["rev-parse", "main"]);
        stage.repo.git(["checkout", "--quiet", "--detach", "main"]);
        stage
            .repo
            .git(["merge", "--quiet", "--no-ff", "-m", "Merge #1", "topic-1"]);
        let queued = stage.repo.git(["rev-parse", "HEAD"]);
        let name = format!("refs/heads/gh-readonly-queue/main/pr-1-{base}");
        let update = format!("+{queued}:{name}");
        stage.repo.git(["push", "--quiet", "origin", &update]);
        stage.repo.git(["checkout", "--quiet", "main"]);
        let payload = json!({ "action": "checks_requested", "merge_group": {
            "head_sha": queued, "base_sha": base, "head_ref": name } });
        let entry = stage.event("merge_group", &payload);
        let args = ["review", "--event", "--publish", "check,outputs"];
        stage.job(&args, &entry).ends(0);
        assert_eq!(stage.outputs()["recognised"], is_recognised, "{landed:?}");
        stage.requests();
    }
}
