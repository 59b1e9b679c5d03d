//! Verdicts as git notes: who writes them, whose count, and what they lead to.

use std::fs;

use crate::harness::Repo;
use crate::memory::{CONFLICT, conflicted};

#[test]
fn a_verdict_is_a_note_on_the_reviewed_commit() {
    let repo = conflicted();
    repo.council(["review", "HEAD"]).ends(1);
    let note = repo.git(["notes", "--ref=council", "show", "HEAD"]);
    let [verdict, places, pointer] = note.lines().collect::<Vec<_>>()[..] else {
        panic!("{note}");
    };
    assert!(verdict.starts_with("FAIL (rules only): "), "{note}");
    assert!(
        places.starts_with("findings: notes.md:1 critical"),
        "{note}"
    );
    assert!(pointer.len() < 200, "{note}");
    let log = repo.git(["log", "-1", "--notes=council"]);
    assert!(
        log.contains("FAIL (rules only)") && log.len() < 1_000,
        "{log}"
    );
    let line = stored_verdict(&repo);
    assert_eq!(
        (&line["v"], &line["type"], &line["verdict"]),
        (&1.into(), &"verdict-report".into(), &"FAIL".into())
    );
    assert_eq!(line["head"], repo.git(["rev-parse", "HEAD"]));
    assert_eq!(line["base"], repo.git(["rev-parse", "HEAD~1"]));
    for digest in ["patch_id", "config", "council", "key"] {
        assert_eq!(line[digest].as_str().unwrap().len(), 64, "{digest}");
    }
    let before = noted(&repo);
    repo.git(["config", "--global", "council.notes.write", "false"]);
    repo.write("b.md", CONFLICT);
    repo.commit("Another");
    repo.council(["review", "HEAD"]).ends(1);
    assert_eq!(noted(&repo), before);
    // In CI nothing is written, and a cache is nobody's word.
    repo.git(["config", "--global", "council.notes.write", "true"]);
    let ci = repo
        .council_with(&[("CI", "true")], &["review", "HEAD"])
        .ends(1);
    assert!(!ci.stdout.contains("recognised"), "{}", ci.stdout);
    assert_eq!(noted(&repo), before);
}

/// How many objects have notes.
fn noted(repo: &Repo) -> usize {
    let refs = repo.git(["for-each-ref", "refs/notes"]);
    match refs.is_empty() {
        true => 0,
        false => repo.git(["notes", "--ref=council", "list"]).lines().count(),
    }
}

/// The text of every note.
pub(crate) fn all_notes(repo: &Repo) -> String {
    if noted(repo) == 0 {
        return String::new();
    }
    let list = repo.git(["notes", "--ref=council", "list"]);
    let texts = list.lines().map(|line| {
        let (blob, _) = line.split_once(' ').unwrap();
        repo.git(["cat-file", "blob", blob])
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The whole verdict that the note on HEAD leads to.
pub(crate) fn stored_verdict(repo: &Repo) -> serde_json::Value {
    let note = repo.git(["notes", "--ref=council", "show", "HEAD"]);
    let pointer = note.lines().find(|line| line.starts_with('{')).unwrap();
    let pointer: serde_json::Value = serde_json::from_str(pointer).unwrap();
    let object = pointer["note"].as_str().unwrap().to_owned();
    serde_json::from_str(&repo.git(["notes", "--ref=council", "show", &object])).unwrap()
}

/// Nobody's history gets notes unless somebody asks for them, or the hook is there that reads them.
#[test]
fn no_note_is_written_unless_it_is_asked_for_or_the_hook_is_installed() {
    let repo = conflicted();
    repo.git(["config", "--global", "--unset", "council.notes.write"]);
    repo.council(["review", "HEAD"]).ends(1);
    repo.council(["dismiss", "F1", "--because", "an example"])
        .ends(0);
    assert_eq!(noted(&repo), 0);
    repo.council(["hook", "install"]).ends(0);
    repo.council(["review", "HEAD", "--fresh"]);
    assert_eq!(noted(&repo), 2);
    repo.council(["show", "HEAD"]).ends(0).prints("(yours)");
}

/// Anybody who may write notes can copy one.
#[test]
fn a_note_that_was_copied_from_another_commit_is_nobody_s() {
    let repo = conflicted();
    repo.council(["review", "HEAD"]).ends(1);
    repo.write("fine.txt", "fine\n");
    repo.commit("Fine");
    repo.council(["review", "HEAD"]).ends(0);
    repo.council(["show", "HEAD"]).ends(0).prints("(yours)");
    let note = repo.git(["notes", "--ref=council", "list", "HEAD"]);
    let copy = [
        "notes",
        "--ref=council",
        "add",
        "-f",
        "-C",
        note.trim(),
        "HEAD~1",
    ];
    repo.git(copy);
    let run = repo.council(["show", "HEAD~1"]).ends(0);
    let run = run.prints("not trusted: it is about another commit");
    assert!(!run.stdout.contains("(yours)"), "{}", run.stdout);
}

/// A key of ssh for a repository's user; none where there is no ssh.
pub(crate) fn key(repo: &Repo) -> Option<String> {
    let file = repo.in_home("key");
    let made = std::process::Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg(&file)
        .status();
    made.ok().filter(|status| status.success())?;
    repo.git(["config", "--global", "gpg.format", "ssh"]);
    repo.git([
        "config",
        "--global",
        "user.signingKey",
        file.to_str().unwrap(),
    ]);
    repo.git(["config", "--global", "council.notes.sign", "true"]);
    let print = std::process::Command::new("ssh-keygen")
        .args(["-l", "-f"])
        .arg(&file)
        .output()
        .unwrap();
    let print = String::from_utf8(print.stdout).unwrap();
    print.split_whitespace().nth(1).map(str::to_owned)
}

#[test]
fn a_note_from_elsewhere_counts_when_its_signer_is_listed() {
    let one = conflicted();
    let Some(key) = key(&one) else {
        eprintln!("skipped, because ssh-keygen makes no key here");
        return;
    };
    one.council(["review", "HEAD"]).ends(1);
    let two = Repo::home();
    let from = one.path().to_str().unwrap().to_owned();
    two.git(["clone", "--quiet", &from, "."]);
    two.git([
        "fetch",
        "--quiet",
        "origin",
        "refs/notes/council:refs/notes/council",
    ]);
    two.council(["review", "HEAD", "--no-save"])
        .ends(1)
        .prints("it is not trusted");
    two.council(["cache", "clear"]).ends(0);
    two.git([
        "config",
        "--global",
        "council.trustedNotes",
        &format!("{key} ann ann@example.com"),
    ]);
    two.council(["review", "HEAD"])
        .ends(1)
        .prints("a note signed by")
        .prints("SHA256:");
    // Not by the repository's own word.
    two.git(["config", "--global", "--unset", "council.trustedNotes"]);
    two.git(["config", "council.trustedNotes", &key]);
    let run = two.council(["review", "HEAD", "--fresh"]).ends(1);
    let run = run
        .prints("`notes.trusted`")
        .prints("is ignored: no repository may set it");
    assert!(!run.stdout.contains("a note signed by"), "{}", run.stdout);
    two.git(["config", "--unset", "council.trustedNotes"]);
    two.git([
        "config",
        "--global",
        "council.trustedNotes",
        &format!("{key} ann ann@example.com"),
    ]);
    // In CI nobody signs for their own change.
    let job = |actor: &str| {
        two.council_with(
            &[("CI", "1"), ("GITHUB_ACTOR", actor)],
            &["review", "HEAD~1..HEAD"],
        )
    };
    job("zoe").ends(1).prints("reused: ");
    job("ann").ends(1).prints("it is not trusted");
}

/// Each review of a commit leaves a note: what several say of it is one line.
#[test]
fn what_many_untrusted_notes_say_is_told_once() {
    let repo = conflicted();
    for _ in 0..3 {
        repo.council(["review", "HEAD", "--fresh"]).ends(1);
    }
    // Somebody else's program knows nothing of this user's verdicts.
    fs::remove_dir_all(repo.path().join(".git/council")).unwrap();
    let run = repo.council(["review", "HEAD"]).ends(1);
    let told = format!("{}{}", run.stdout, run.stderr);
    assert_eq!(told.matches("not trusted").count(), 1, "{told}");
}

#[test]
fn git_s_own_rules_are_followed() {
    let repo = conflicted();
    repo.write(
        "src/lib.rs",
        "/// Adds.\npub fn add(a: u32, b: u32) -> u32 {\n    a.saturating_add(b)\n}\n",
    );
    repo.commit("Clean");
    let at = repo.path().join("src");
    let run = repo
        .council_in(
            &at,
            &["-C", "..", "review", "HEAD~2..HEAD", "--", "src"],
            &[],
        )
        .ends(0);
    run.prints("PASS");
    // The index of `git commit -a` is a temporary one.
    let other = repo.in_home("index");
    fs::copy(repo.path().join(".git/index"), &other).unwrap();
    repo.write("staged.md", CONFLICT);
    let mut add = repo.git_command(&["add", "staged.md"]);
    assert!(
        add.env("GIT_INDEX_FILE", &other)
            .status()
            .unwrap()
            .success()
    );
    repo.council(["review", "--staged"])
        .ends(0)
        .prints("SKIPPED");
    let vars = [("GIT_INDEX_FILE", other.to_str().unwrap())];
    repo.council_with(&vars, &["review", "--staged"])
        .ends(1)
        .prints("staged.md:1");
    repo.council(["-h"]).ends(0).prints("hook");
    repo.council(["man"]).ends(0).prints(".TH ");
    for (shell, word) in [
        ("bash", "_git_council"),
        ("zsh", "#compdef"),
        ("fish", "complete -c git-council"),
    ] {
        repo.council(["completions", shell]).ends(0).prints(word);
    }
    repo.council(["completions", "csh"]).ends(2);
}
