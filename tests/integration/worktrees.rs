//! Several worktrees of one repository, and changes that went on after they were reviewed: no report answers for another
//! change than the one that lies here.

use std::path::PathBuf;

use super::harness::{PRIVATE_KEY, Repo, Run, side_by_side};
use super::programs::{answer, with_judge};

/// A second worktree beside the first, each with a finding of its own.
fn two_worktrees() -> (Repo, PathBuf) {
    let repo = Repo::with_base();
    let other = repo.in_home("other");
    let place = other.to_str().unwrap().to_owned();
    repo.git(["worktree", "add", "--quiet", "-b", "other", &place]);
    repo.write("first.pem", PRIVATE_KEY);
    std::fs::write(other.join("second.pem"), PRIVATE_KEY).unwrap();
    (repo, other)
}

#[test]
fn each_worktree_means_its_own_last_report() {
    let (repo, other) = two_worktrees();
    let elsewhere = |args: &[&str]| repo.council_in(&other, args, &[]);
    repo.council(["review", "--worktree"]).ends(1);
    // It has none yet, whatever the first has.
    for args in [&["show"][..], &["wait"], &["explain", "F1"]] {
        let run = elsewhere(args);
        assert!(!run.stdout.contains("first.pem"), "{args:?}: {run:?}");
        assert_ne!(run.code, 0, "{args:?}: {run:?}");
    }
    elsewhere(&["show"]).ends(2).tells("git council log");
    elsewhere(&["review", "--worktree"]).ends(1);
    let speaks_of_first = |run: Run| {
        assert!(run.stdout.contains("first.pem"), "{run:?}");
        assert!(!run.stdout.contains("second.pem"), "{run:?}");
        run
    };
    for args in [&["show"][..], &["wait"], &["explain", "F1"]] {
        speaks_of_first(repo.council_with(&[], args));
        let theirs = elsewhere(args).prints("second.pem");
        assert!(!theirs.stdout.contains("first.pem"), "{args:?}: {theirs:?}");
    }
    speaks_of_first(repo.council(["dismiss", "F1", "--because", "an example"])).ends(0);
}

/// Runs are the repository's: `log` lists them all, and a name or a fingerprint means the same everywhere.
#[test]
fn another_worktree_s_run_is_found_by_its_name() {
    let (repo, other) = two_worktrees();
    let review = repo
        .council_in(&other, &["review", "--worktree", "--json"], &[])
        .ends(1);
    let report: serde_json::Value = serde_json::from_str(&review.stdout).unwrap();
    let run = report["receipt"]["run"]["name"].as_str().unwrap();
    let fingerprint = report["outcome"]["findings"][0]["fingerprint"]
        .as_str()
        .or(report["findings"][0]["fingerprint"].as_str())
        .unwrap();
    repo.council(["log"]).ends(0).prints(run);
    repo.council(["show", run]).ends(0).prints("second.pem");
    repo.council(["explain", fingerprint])
        .ends(0)
        .prints("second.pem");
    repo.git(["worktree", "remove", "--force", other.to_str().unwrap()]);
    repo.council(["show", run]).ends(0).prints("second.pem");
}

/// A change that was edited after its PASS has no verdict; the same change again has it again.
#[test]
fn a_verdict_over_uncommitted_changes_is_of_those_changes_alone() {
    let reviews: [&[&str]; 3] = [
        &["review", "--worktree"],
        &["review", "--staged"],
        &["review", "--worktree", "--", "src"],
    ];
    for review in reviews {
        let repo = Repo::with_base();
        let stage = || review.contains(&"--staged").then(|| repo.git(["add", "."]));
        repo.write("src/notes.txt", "fine\n");
        stage();
        repo.council_with(&[], review).ends(0);
        let first = repo.council(["show", "-q"]).ends(0);
        assert_eq!(first.stderr, "", "{review:?}");
        repo.council(["wait"]).ends(0);
        repo.write("src/notes.txt", PRIVATE_KEY);
        stage();
        repo.council(["show"]).ends(0).tells("not about what is");
        repo.council(["show", "-q"])
            .ends(0)
            .tells("not about what is");
        let waited = repo.council(["wait"]).ends(3).tells("not about what is");
        assert_eq!(waited.stdout, "", "{review:?}");
        repo.write("src/notes.txt", "fine\n");
        stage();
        repo.council(["wait"]).ends(0);
    }
}

/// The verdict of a part of a commit is never the verdict of the commit: not for `wait`, not in its note, not in `show`.
#[test]
fn a_part_of_a_commit_does_not_speak_for_all_of_it() {
    for pathspec in ["docs", ":!key.pem", ":(glob)**/*.md"] {
        let repo = Repo::with_base();
        repo.write("key.pem", PRIVATE_KEY);
        repo.write("docs/notes.md", "# Fine\n");
        repo.commit("Both");
        let review = [
            "review",
            "HEAD",
            "--config",
            "notes.write=true",
            "--",
            pathspec,
        ];
        let run = repo.council(review).ends(0);
        let told = run.stdout.clone() + &run.stderr;
        for words in ["part of the change", pathspec, "leave out key.pem"] {
            assert!(told.contains(words), "{words}: {told}");
        }
        assert_eq!(repo.git(["notes", "--ref=council", "list"]).trim(), "");
        repo.council(["wait"]).ends(3).tells("a part of the change");
        repo.council(["show"]).ends(0).tells("a part of the change");
        repo.council(["log"]).ends(0).prints("part of the change");
        let whole = ["review", "HEAD", "--config", "notes.write=true"];
        repo.council(whole).ends(1);
        repo.council(["wait"]).ends(1);
        assert!(repo.git(["notes", "--ref=council", "list"]).contains(' '));
        repo.council(review).ends(0);
        // What was said of the commit before stays what is said of it.
        repo.council(["show", "HEAD"]).ends(0).prints("key.pem");
        // A part that leaves nothing out is the whole.
        repo.council(["review", "HEAD", "--", "docs", "key.pem"])
            .ends(1);
        repo.council(["wait"]).ends(1);
    }
}

/// What scripts take for the verdict of the code is neither that of a plan nor that of a commit which HEAD has left behind.
#[test]
fn wait_answers_for_what_head_is_when_it_answers() {
    let slow = format!("sleep 2\n{}", answer("PASS", ""));
    let repo = with_judge(&slow, "");
    repo.write("plan.md", "# Plan\n\nMove.\n");
    repo.council(["review", "--file", "plan.md"]);
    let waited = repo.council(["wait"]).ends(3).tells("not about HEAD");
    assert_eq!(waited.stdout, "");
    repo.council(["review", "HEAD", "--detach"]).ends(0);
    repo.write("src/late.rs", "// Late.\n");
    repo.commit("Late");
    let waited = repo.council(["wait"]).ends(3).tells("not about HEAD");
    assert_eq!(waited.stdout, "");
    repo.council(["review", "HEAD~1", "--detach", "--fresh"])
        .ends(0);
    // Whoever names another commit means it, and is told so.
    let waited = repo.council(["wait"]).ends(0).prints("PASS");
    waited.tells("not about HEAD");
}

/// Law: whatever name leads a review to what lies here, its verdict is none of what lies here later.
#[test]
fn no_running_review_of_what_was_here_answers_for_what_is() {
    let slow = format!("sleep 2\n{}", answer("PASS", ""));
    let targets: [&[&str]; 4] = [&[], &["@"], &["main..@"], &["main...HEAD"]];
    side_by_side(&targets, 2, |target| {
        let repo = with_judge(&slow, "");
        repo.git(["checkout", "--quiet", "-b", "side"]);
        repo.write("src/side.rs", "// Aside.\n");
        repo.commit("Aside");
        let review = [&["review", "--detach"], *target].concat();
        repo.council_with(&[], &review).ends(0);
        repo.write("src/late.rs", "// Late.\n");
        repo.commit("Late");
        for _ in ["while it runs", "when it has ended"] {
            let waited = repo.council(["wait"]).ends(3).tells("not about HEAD");
            assert_eq!(waited.stdout, "", "{target:?}");
        }
    });
}

/// `F1` is the number of a finding of this branch: one of another branch must not be gone under a reason for that one.
#[test]
fn a_number_of_another_branch_s_report_dismisses_nothing() {
    let repo = Repo::with_base();
    repo.git(["checkout", "--quiet", "-b", "a"]);
    repo.write("first.pem", PRIVATE_KEY);
    repo.commit("Add the first");
    repo.council(["review", "HEAD"]).ends(1);
    repo.git(["checkout", "--quiet", "-b", "b", "HEAD~1"]);
    repo.write("second.pem", PRIVATE_KEY);
    repo.commit("Add the second");
    repo.council(["review", "HEAD"]).ends(1);
    repo.git(["checkout", "--quiet", "a"]);
    let dismiss = |id: &str| repo.council(["dismiss", id, "--because", "an example"]);
    let refused = dismiss("F1").ends(2).tells("not about HEAD");
    let named = refused.stderr.split("git council dismiss ").nth(1);
    let fingerprint = named.and_then(|rest| rest.split(' ').next()).unwrap();
    repo.council(["explain", "F1"])
        .ends(0)
        .tells("not about HEAD");
    // Nothing was dismissed, and whoever means that one can say so.
    repo.git(["checkout", "--quiet", "b"]);
    let run = repo.council(["review", "HEAD"]).ends(1);
    assert!(!run.stdout.contains("dismissed"), "{run:?}");
    repo.git(["checkout", "--quiet", "a"]);
    dismiss(fingerprint).ends(0).prints("second.pem");
    // A commit on top is no other branch: the report is still this one's, and that is said.
    repo.council(["review", "HEAD"]).ends(1);
    repo.write("note.md", "A note.\n");
    repo.commit("Add a note");
    dismiss("F1")
        .ends(0)
        .prints("first.pem")
        .tells("not about HEAD");
}

/// Whoever applied a fix and reviews the commit again is told that nobody looked at the fix; programs, jobs and hooks
/// are not.
#[test]
fn what_is_not_committed_is_told_beside_a_review_of_commits() {
    let repo = Repo::with_base();
    repo.write("a.py", "x = 1\n");
    repo.commit("Add");
    let note = "uncommitted changes, which were not reviewed: git council review --worktree";
    let told = |vars: &[(&str, &str)], args: &[&str]| {
        let run = repo.council_with(vars, &[&["review"], args].concat());
        (run.stderr.contains(note), run.stderr)
    };
    assert!(!told(&[], &["HEAD"]).0, "nothing is changed");
    repo.write("new.py", "y = 1\n");
    assert!(!told(&[], &["HEAD"]).0, "nobody tracks it");
    repo.write("a.py", "x = 2\n");
    let (is_told, stderr) = told(&[], &["HEAD"]);
    assert!(is_told && stderr.contains("note: a.py has"), "{stderr}");
    repo.git(["add", "new.py"]);
    let (_, stderr) = told(&[], &["HEAD"]);
    assert!(stderr.contains("note: a.py, new.py have"), "{stderr}");
    for (vars, args) in [
        (&[][..], &["HEAD", "--json"][..]),
        (&[], &["HEAD", "--format", "sarif"]),
        (&[], &["HEAD", "--quiet"]),
        (&[], &["HEAD", "--", "src"]),
        (&[], &["HEAD~1"]),
        (&[], &["--worktree"]),
        (&[], &["--staged"]),
        (&[("CI", "true")], &["HEAD"]),
        (&[("GIT_INDEX_FILE", ".git/index")], &["HEAD"]),
    ] {
        let (is_told, stderr) = told(vars, args);
        assert!(!is_told, "{vars:?} {args:?}: {stderr}");
    }
}

/// A number that the report shown last does not have, and another one does: the finding is named, and how it is meant.
#[test]
fn a_number_of_another_report_is_named() {
    let quiet: [&[&str]; 2] = [
        &["review", "--worktree", "--quiet"],
        &["review", "HEAD", "--quiet"],
    ];
    for last in [None, Some(quiet[0]), Some(quiet[1])] {
        let repo = Repo::with_base();
        repo.write("key.pem", PRIVATE_KEY);
        repo.council(["review", "--worktree"]).ends(1);
        repo.council(["review", "HEAD"]).ends(0);
        if let Some(last) = last {
            repo.council_with(&[], last);
        }
        for command in ["explain", "apply"] {
            let refused = repo.council([command, "F1"]).ends(2);
            let refused = refused.tells("has no finding \"F1\"").tells("key.pem");
            let fingerprint = refused.stderr.rsplit("use its fingerprint: ").next();
            repo.council(["explain", fingerprint.unwrap().trim()])
                .ends(0)
                .prints("key.pem");
        }
        repo.council(["explain", "F9"])
            .ends(2)
            .tells("no report has a finding");
    }
}
