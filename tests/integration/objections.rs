//! What a review objected to holds a gate for as long as it is pushed, in whatever commits.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use crate::harness::Run;
use crate::hook::Desk;
use crate::programs::{answer, scripted_agent};

pub(crate) const FAULT: &str = "total = sum / count";

/// A gate, one judge that answers as it is told, and a commit that it fails.
pub(crate) fn failed_desk() -> Desk {
    let desk = Desk::new().installed();
    let agents = format!(
        "[agents.helper]\ndriver = 'command'\ncommand = [{:?}]\n[review]\nagents = ['helper']\njudges = 1\nquorum = 1\n",
        desk.repo.in_home("judge.sh")
    );
    desk.repo
        .write_home(".config/git-council/config.toml", &agents);
    desk.gate();
    let finding = format!(
        r#"{{"severity": "critical", "category": "arithmetic", "description": "It divides by zero.",
 "location": {{"path": "mean.py", "line": 2}}, "quote": "{FAULT}", "why": "w", "fix": "f"}}"#
    );
    say(&desk, "FAIL", &finding);
    desk.repo.write(
        "mean.py",
        format!("def mean(sum, count):\n    {FAULT}\n    return total\n"),
    );
    desk.repo.commit("Mean");
    desk.repo.council(["review", "HEAD"]).ends(1).prints("FAIL");
    say(&desk, "PASS", "");
    desk
}

pub(crate) fn say(desk: &Desk, verdict: &str, findings: &str) {
    let judge = desk.repo.in_home("judge.sh");
    fs::write(&judge, answer(verdict, findings)).unwrap();
    fs::set_permissions(&judge, fs::Permissions::from_mode(0o755)).unwrap();
}

fn push(desk: &Desk) -> Run {
    desk.push(&["origin", "HEAD:refs/heads/topic"])
}

/// Commits something beside what was reviewed.
fn commit_more(desk: &Desk, name: &str) {
    desk.repo.write(name, "More.\n");
    desk.repo.commit(name);
}

/// A law: whatever becomes of its commits, a line that a review failed is not pushed before such judges have read it again.
#[test]
fn a_failed_line_is_held_in_whatever_commits_it_is_pushed() {
    type Rewrite<'a> = (&'a str, &'a dyn Fn(&Desk));
    let rewrites: [Rewrite<'_>; 4] = [
        ("a commit on top", &|desk| commit_more(desk, "top.md")),
        ("squashed with another", &|desk| {
            commit_more(desk, "top.md");
            desk.repo.git(["reset", "--quiet", "--soft", "HEAD~2"]);
            desk.repo.commit("Both");
        }),
        ("amended elsewhere", &|desk| {
            desk.repo.write("other.md", "Other.\n");
            desk.repo.git(["add", "."]);
            desk.repo.git(["commit", "--quiet", "--amend", "--no-edit"]);
        }),
        ("on another branch", &|desk| {
            let commit = desk.repo.git(["rev-parse", "HEAD"]);
            desk.repo
                .git(["checkout", "--quiet", "-b", "side", "HEAD~1"]);
            commit_more(desk, "side.md");
            desk.repo.git(["cherry-pick", commit.trim()]);
        }),
    ];
    for (what, rewrite) in rewrites {
        let desk = failed_desk();
        rewrite(&desk);
        push(&desk)
            .ends(1)
            .tells("FAIL")
            .tells("the push is blocked");
        // Who reads all that is pushed takes it back.
        desk.repo.council(["review", "origin/main..HEAD"]).ends(0);
        let run = push(&desk);
        assert_eq!(run.code, 0, "{what}: {}", run.stderr);
    }
}

/// A law: a dismissal holds a gate open as long as the code around the finding is what was dismissed, and no longer.
#[test]
fn a_dismissal_holds_the_gate_open_as_long_as_the_code_around_it_stays() {
    let around = |before: &str, signature: &str, after: &str| {
        format!("def mean({signature}):\n{before}    {FAULT}\n{after}    return total\n")
    };
    let plain = || around("", "sum, count", "");
    let far = || format!("{}\n\ndef other():\n    return 1\n", plain());
    let edits = [
        ("nothing", plain(), 0),
        ("a function far below", far(), 0),
        (
            "a line above",
            around("    count = read()\n", "sum, count", ""),
            1,
        ),
        (
            "a line below",
            around("", "sum, count", "    total = total or 0\n"),
            1,
        ),
        ("the signature", around("", "sum, count=0", ""), 1),
    ];
    for (what, text, code) in edits {
        let desk = failed_desk();
        desk.repo
            .council(["dismiss", "F1", "--because", "count is never 0"])
            .ends(0);
        desk.repo.write("mean.py", text);
        desk.repo.write("top.md", "More.\n");
        desk.repo.commit("More");
        let run = push(&desk);
        assert_eq!(run.code, code, "{what}: {}", run.stderr);
    }
}

/// An objection that was dismissed hides no other one.
#[test]
fn a_dismissed_objection_hides_no_other() {
    let desk = failed_desk();
    let finding = r#"{"severity": "critical", "category": "secrets", "description": "It deletes all data.",
 "location": {"path": "wipe.py", "line": 1}, "quote": "drop_all_tables()", "why": "w", "fix": "f"}"#;
    say(&desk, "FAIL", finding);
    desk.repo.write("wipe.py", "drop_all_tables()\n");
    desk.repo.commit("Wipe");
    desk.repo.council(["review", "HEAD"]).ends(1);
    desk.repo
        .council(["dismiss", "F1", "--because", "it is meant to"])
        .ends(0);
    say(&desk, "PASS", "");
    push(&desk).ends(1).tells("the push is blocked");
}

/// Whoever mends the line is not held, and neither is a change that has nothing to do with it.
#[test]
fn a_line_that_is_mended_holds_nothing() {
    let desk = failed_desk();
    desk.repo.write(
        "mean.py",
        "def mean(sum, count):\n    return sum / count if count else 0\n",
    );
    desk.repo.commit("Mend");
    push(&desk).ends(0);
    let desk = failed_desk();
    desk.push(&["--no-verify", "origin", "HEAD:main"]).ends(0);
    desk.repo.git(["fetch", "--quiet", "origin"]);
    desk.repo.write(
        "mean.py",
        "def mean(sum, count):\n    return sum / count if count else 0\n",
    );
    desk.repo.commit("Mend what was pushed");
    push(&desk).ends(0);
}

/// A law: a gate that was tried once answers the same the next time, be its own judges models that say otherwise by now.
#[test]
fn a_gate_takes_no_objection_back_by_itself() {
    for models in ["false", "true"] {
        let desk = failed_desk();
        desk.repo.git(["config", "council.hook.models", models]);
        // The change as a whole is another one than the commit that was failed.
        commit_more(&desk, "top.md");
        for _ in 0..3 {
            push(&desk).ends(1).tells("the push is blocked");
        }
        desk.repo.council(["review", "origin/main..HEAD"]).ends(0);
        push(&desk).ends(0);
    }
}

/// What fails where it is reviewed fails where it is pushed, be it a WARN.
#[test]
fn what_failed_by_its_own_fail_on_is_held() {
    let desk = failed_desk();
    let minor = format!(
        r#"{{"severity": "significant", "category": "arithmetic", "description": "It may divide by zero.",
 "location": {{"path": "mean.py", "line": 2}}, "quote": "{FAULT}", "why": "w", "fix": "f"}}"#
    );
    say(&desk, "WARN", &minor);
    let review = |more: &[&str]| {
        let args = [&["review", "origin/main..HEAD", "--fresh"], more].concat();
        desk.repo.council_with(&[], &args)
    };
    review(&[]).ends(0).prints("WARN");
    push(&desk).ends(0);
    desk.repo.write("more.md", "More.\n");
    desk.repo.commit("More");
    review(&["--fail-on", "warn"]).ends(1);
    desk.push(&["origin", "HEAD:refs/heads/strict"])
        .ends(1)
        .tells("WARN")
        .tells("the push is blocked");
}

/// Jobs of a matrix on one's own machine fail a change like any other review.
#[test]
fn a_gate_hears_what_a_matrix_concluded() {
    let desk = failed_desk();
    desk.repo.write(
        "late.py",
        format!("def late(sum, count):\n    {FAULT}\n    return total\n"),
    );
    desk.repo.commit("Late");
    desk.repo
        .council(["review", "origin/main..HEAD", "--fresh"])
        .ends(0);
    push(&desk).ends(0);
    desk.repo.write(
        "more.py",
        format!("def more(sum, count):\n    {FAULT}\n    return total\n"),
    );
    desk.repo.commit("More");
    let finding = format!(
        r#"{{"severity": "critical", "category": "arithmetic", "description": "It divides by zero.",
 "location": {{"path": "more.py", "line": 2}}, "quote": "{FAULT}", "why": "w", "fix": "f"}}"#
    );
    say(&desk, "FAIL", &finding);
    desk.repo.council(["plan", "HEAD", "--run", "jobs"]).ends(0);
    desk.repo
        .council([
            "judge", "--run", "jobs", "--judge", "judge-1", "--turn", "1",
        ])
        .ends(0);
    desk.repo.council(["conclude", "--run", "jobs"]).ends(1);
    push(&desk)
        .ends(1)
        .tells("FAIL")
        .tells("more.py:2")
        .tells("the push is blocked");
}

/// What was cut off was not judged: it is told as an objection, with what is objected.
#[test]
fn an_interrupted_review_that_holds_a_gate_is_told_as_an_objection() {
    let desk = failed_desk();
    desk.repo
        .council(["review", "origin/main..HEAD", "--fresh"])
        .ends(0);
    let objects = answer("FAIL", "").replace("It is small.", "It divides by what may be zero.");
    let agents = [
        ("first", objects.as_str()),
        ("second", "cat >/dev/null; sleep 60"),
    ];
    let agents = agents.map(|(name, script)| scripted_agent(&desk.repo, name, script));
    let more = "[review]\nagents = ['first', 'second']\ndebate = 'off'\n";
    desk.repo
        .write_home(".config/git-council/config.toml", &(agents.concat() + more));
    let mut review = desk.repo.program(&desk.repo.path());
    let mut review = review
        .args(["review", "origin/main..HEAD", "--fresh"])
        .spawn()
        .unwrap();
    let has_answered = || {
        let runs = fs::read_dir(desk.repo.path().join(".git/council/runs"))
            .into_iter()
            .flatten()
            .flatten();
        let mut journals =
            runs.filter_map(|run| fs::read_to_string(run.path().join("journal.jsonl")).ok());
        journals.any(|journal| journal.contains("what may be zero"))
    };
    let began = Instant::now();
    while !has_answered() {
        assert!(began.elapsed().as_secs() < 60, "nobody answers");
        std::thread::sleep(Duration::from_millis(20));
    }
    let signalled = std::process::Command::new("kill")
        .args(["-s", "INT", &review.id().to_string()])
        .status();
    assert!(signalled.unwrap().success());
    review.wait().unwrap();
    let run = push(&desk)
        .ends(1)
        .tells("the push is blocked")
        .tells("It divides by what may be zero.");
    assert!(
        !run.stderr.contains("(reused)") && !run.stderr.contains("judged before"),
        "{}",
        run.stderr
    );
}

/// A judge that failed the change is heard, though the run was killed before it could say so; whoever reviews again, or
/// resumes, takes it back or repeats it.
#[test]
fn a_gate_hears_a_run_that_was_killed_after_an_objection() {
    let desk = failed_desk();
    desk.repo.write(
        "mean.py",
        format!("def mean(sum, count):\n    # The mean.\n    {FAULT}\n    return total\n"),
    );
    desk.repo.commit("Say what it is");
    desk.repo
        .council(["review", "origin/main..HEAD", "--fresh"])
        .ends(0);
    desk.repo.write(
        "late.py",
        format!("def late(sum, count):\n    {FAULT}\n    return total\n"),
    );
    desk.repo.commit("Late");
    let judges = |first: &str, second: &str| {
        let agents = [("first", first), ("second", second)];
        let agents = agents.map(|(name, script)| scripted_agent(&desk.repo, name, script));
        let more = "[review]\nagents = ['first', 'second']\ndebate = 'off'\n";
        desk.repo
            .write_home(".config/git-council/config.toml", &(agents.concat() + more));
    };
    let finding = format!(
        r#"{{"severity": "critical", "category": "arithmetic", "description": "It divides by zero.",
 "location": {{"path": "late.py", "line": 2}}, "quote": "{FAULT}", "why": "w", "fix": "f"}}"#
    );
    judges(&answer("FAIL", &finding), "cat >/dev/null; sleep 60");
    let mut review = desk.repo.program(&desk.repo.path());
    let mut review = review
        .args(["review", "origin/main..HEAD"])
        .spawn()
        .unwrap();
    let is_proven = || {
        let runs = fs::read_dir(desk.repo.path().join(".git/council/runs"))
            .into_iter()
            .flatten()
            .flatten();
        let mut journals =
            runs.filter_map(|run| fs::read_to_string(run.path().join("journal.jsonl")).ok());
        journals.any(|journal| journal.contains("\"proved\"") && !journal.contains("\"ended\""))
    };
    let began = Instant::now();
    while !is_proven() {
        assert!(began.elapsed().as_secs() < 60, "nobody answers");
        std::thread::sleep(Duration::from_millis(20));
    }
    review.kill().unwrap();
    review.wait().unwrap();
    push(&desk).ends(1).tells("the push is blocked");
    // As of a review that ended: no other commit frees the line.
    commit_more(&desk, "top.md");
    push(&desk).ends(1).tells("the push is blocked");
    desk.repo
        .git(["commit", "--quiet", "--amend", "-m", "Top again"]);
    push(&desk).ends(1).tells("the push is blocked");
    judges(&answer("PASS", ""), &answer("PASS", ""));
    desk.repo
        .council(["review", "origin/main..HEAD", "--fresh"])
        .ends(0);
    commit_more(&desk, "more.md");
    push(&desk).ends(0);
}

/// Law: what keeps an objection from being heard is told by the push that it would have held.
#[test]
fn an_objection_that_cannot_be_read_is_told() {
    type Damage = fn(&Desk);
    let damages: [(&str, Damage); 4] = [
        ("the key is gone", |desk| {
            fs::remove_file(key_of(desk)).unwrap()
        }),
        ("the key is another one", |desk| {
            fs::write(key_of(desk), [7; 32]).unwrap()
        }),
        ("the key is broken", |desk| {
            fs::write(key_of(desk), "x").unwrap()
        }),
        ("the objection is cut", |desk| {
            let standing = desk.repo.path().join(".git/council/standing");
            for file in fs::read_dir(standing).unwrap() {
                fs::write(file.unwrap().path(), "").unwrap();
            }
        }),
    ];
    for (what, damage) in damages {
        let desk = failed_desk();
        desk.repo.council(["gc", "--keep", "0"]);
        desk.repo.council(["cache", "clear"]);
        let held = push(&desk).ends(1);
        assert!(!held.stderr.contains("nobody heard it"), "{}", held.stderr);
        damage(&desk);
        let told = push(&desk).stderr;
        assert!(
            told.contains("an objection to code of this repository"),
            "{what}: {told}"
        );
    }
}

fn key_of(desk: &Desk) -> std::path::PathBuf {
    desk.repo.in_home(".local/state/git-council/seal.key")
}
