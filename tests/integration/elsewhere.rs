//! What somebody else left in a repository: a `.git` that came from elsewhere (T29), and notes of other people.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use sha2::{Digest as _, Sha256};

use crate::harness::Repo;
use crate::memory::conflicted;
use crate::verdict_notes::{key, stored_verdict};

fn copy(from: &Path, to: &Path) {
    let done = Command::new("cp")
        .arg("-a")
        .arg(from)
        .arg(to)
        .status()
        .unwrap();
    assert!(done.success());
}

/// The same repository, `.git` and all, at another user's desk.
fn unpacked(archive: &Repo) -> Repo {
    let desk = Repo::home();
    fs::remove_dir(desk.path()).unwrap();
    copy(&archive.path(), &desk.path());
    desk
}

#[test]
fn t29_a_git_directory_from_elsewhere_brings_no_verdict_and_no_dismissal() {
    let theirs = conflicted();
    theirs.council(["review", "HEAD"]).ends(1);
    theirs
        .council(["dismiss", "F1", "--because", "all is well"])
        .ends(0);
    theirs
        .council(["review", "HEAD"])
        .prints("reused: ")
        .prints("dismissed: F1");
    let mine = unpacked(&theirs);
    mine.council(["cache"])
        .ends(0)
        .prints("0 verdicts, ")
        .prints("1 more are ignored: you did not write them");
    let run = mine.council(["review", "HEAD"]).ends(1);
    assert!(!run.stdout.contains("reused: "), "{}", run.stdout);
    assert!(!run.stdout.contains("dismissed: "), "{}", run.stdout);
    run.prints("1 dismissal from elsewhere is not counted");
    // What was judged here is known here.
    mine.council(["review", "HEAD"]).ends(1).prints("reused: ");
    mine.council(["dismiss", "F1", "--because", "now it is"])
        .ends(0);
    mine.council(["review", "HEAD"]).prints("dismissed: F1");
    // At the place that it was made, too, and wherever its user takes it.
    theirs.council(["review", "HEAD"]).prints("reused: ");
    let key = mine.in_home(".local/state/git-council/seal.key");
    assert_eq!(fs::read(key).unwrap().len(), 32);
}

#[test]
fn t29_a_hook_believes_no_verdict_that_came_with_the_git_directory() {
    let theirs = conflicted();
    theirs.council(["review", "HEAD~1..HEAD"]).ends(1);
    let hook = |repo: &Repo| {
        let id = |name| repo.git(["rev-parse", name]);
        let line = format!(
            "refs/heads/main {} refs/heads/main {}\n",
            id("HEAD"),
            id("HEAD~1")
        );
        repo.council_reading(
            line.as_bytes(),
            &["-v", "hook", "run", "pre-push", "origin", "url"],
        )
        .ends(0)
    };
    hook(&theirs).tells("(reused)");
    let told = hook(&unpacked(&theirs)).tells("FAIL").stderr;
    assert!(!told.contains("(reused)"), "{told}");
}

#[test]
fn t29_a_run_that_somebody_else_left_is_not_resumed() {
    let theirs = conflicted();
    let mark = theirs.in_home("mark");
    // What a command line can do: name a command.
    let command = format!("agents.ruff.command=[\"touch\", \"{}\"]", mark.display());
    theirs
        .council(["review", "HEAD", "--config", &command])
        .ends(1);
    let runs = theirs.path().join(".git/council/runs");
    let run = fs::read_dir(&runs).unwrap().next().unwrap().unwrap().path();
    fs::remove_file(run.join("report.json")).unwrap();
    let mine = unpacked(&theirs);
    mine.council(["resume"])
        .ends(2)
        .tells("you did not start it");
    // A command line of one's own for another run, or another command line.
    theirs.council(["resume"]).ends(1);
    fs::remove_file(run.join("report.json")).unwrap();
    let request = fs::read_to_string(run.join("request.json")).unwrap();
    fs::write(run.join("request.json"), request.replace("touch", "rm")).unwrap();
    theirs
        .council(["resume"])
        .ends(2)
        .tells("you did not start it");
    assert!(!mark.exists());
}

#[test]
fn t29_a_report_that_somebody_else_left_is_waited_for_in_vain() {
    let theirs = conflicted();
    theirs.council(["review", "HEAD"]).ends(1);
    let runs = theirs.path().join(".git/council/runs");
    let run = fs::read_dir(&runs).unwrap().next().unwrap().unwrap();
    let name = run.file_name().into_string().unwrap();
    theirs.council(["wait", &name]).ends(1).prints("FAIL");
    let mine = unpacked(&theirs);
    mine.council(["wait", &name])
        .ends(3)
        .tells("was not written by your account");
    mine.council(["show", &name]).ends(0).prints("FAIL");
    // A report that was written over is nobody's either.
    let report = run.path().join("report.json");
    let text = fs::read_to_string(&report).unwrap();
    fs::write(&report, text + "\n").unwrap();
    theirs.council(["wait", &name]).ends(3);
}

/// Like the sums that anybody can work out: each line's over the sum of the one before and itself.
fn with_new_sums(journal: &str, change: impl Fn(&str) -> String) -> String {
    let mut before = String::new();
    let mut changed = String::new();
    for line in journal.lines() {
        let body = change(&line[..line.rfind(",\"sum\":").unwrap()]);
        let digest = Sha256::digest(format!("{before}{body}"));
        before = hex::encode(&digest[..8]);
        writeln!(changed, "{body},\"sum\":\"{before}\"}}").unwrap();
    }
    changed
}

#[test]
fn t29_an_answer_that_was_changed_in_the_journal_is_not_gone_on_with() {
    let repo = conflicted();
    repo.council(["review", "HEAD"]).ends(1);
    let runs = repo.path().join(".git/council/runs");
    let run = fs::read_dir(&runs).unwrap().next().unwrap().unwrap().path();
    let journal = fs::read_to_string(run.join("journal.jsonl")).unwrap();
    assert_eq!(with_new_sums(&journal, str::to_owned), journal);
    fs::remove_file(run.join("report.json")).unwrap();
    let milder = |line: &str| line.replace("FAIL", "PASS").replace("critical", "minor");
    let without_seal = |line: &str| line[..line.rfind(",\"seal\":").unwrap()].to_owned();
    for change in [&milder as &dyn Fn(&str) -> String, &without_seal] {
        fs::write(run.join("journal.jsonl"), with_new_sums(&journal, change)).unwrap();
        repo.council(["resume"])
            .ends(2)
            .tells("its journal does not bear your key's seal");
        assert!(!run.join("report.json").exists());
    }
    fs::write(run.join("journal.jsonl"), &journal).unwrap();
    repo.council(["resume"]).ends(1).prints("FAIL");
}

#[test]
fn t29_a_report_that_somebody_else_left_is_not_published() {
    let theirs = conflicted();
    theirs.council(["review", "HEAD"]).ends(1);
    let runs = theirs.path().join(".git/council/runs");
    let run = fs::read_dir(&runs).unwrap().next().unwrap().unwrap();
    let report = run.path().join("report.json");
    let text = fs::read_to_string(&report).unwrap();
    fs::write(&report, text + "\n").unwrap();
    theirs
        .council(["publish", "--pr", "1", "--publish", "check"])
        .ends(2)
        .tells("was not written by your account")
        .tells("--report");
}

/// A clone of the repository and of its notes, at another user's desk.
fn clone(of: &Repo) -> Repo {
    let clone = Repo::home();
    let from = of.path().to_str().unwrap().to_owned();
    clone.git(["clone", "--quiet", &from, "."]);
    fetch(&clone);
    clone
}

fn fetch(clone: &Repo) {
    clone.git([
        "fetch",
        "--quiet",
        "origin",
        "+refs/notes/council:refs/notes/council",
    ]);
}

#[test]
fn notes_of_others_are_listed_and_shown_with_who_says_so() {
    let ann = conflicted();
    ann.council(["review", "HEAD"]).ends(1);
    // One's own run is listed once.
    assert_eq!(ann.council(["log"]).stdout.lines().count(), 1);
    let zoe = clone(&ann);
    let head = ann.git(["rev-parse", "HEAD"]);
    let log = zoe.council(["log"]).ends(0);
    log.prints(&format!("a note on {}", &head[..12]))
        .prints("FAIL")
        .prints("(not trusted: it is not signed)");
    for name in ["HEAD", &head, &head[..8]] {
        zoe.council(["show", name])
            .ends(0)
            .prints("says FAIL (not trusted: it is not signed)")
            .prints("notes.md");
    }
    zoe.council(["show", "HEAD~1"]).ends(2).tells("no run yet");
    let json = zoe.council(["show", "HEAD", "--json"]).ends(0).stdout;
    let told: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&told["counts"], &told["why"]),
        (&false.into(), &"it is not signed".into())
    );
    assert_eq!(told["verdict"]["verdict"], "FAIL");
}

#[test]
fn a_signed_note_counts_where_its_signer_is_trusted_and_its_digest_is_the_change_s() {
    let ann = conflicted();
    let Some(key) = key(&ann) else {
        eprintln!("skipped, because ssh-keygen makes no key here");
        return;
    };
    ann.council(["review", "HEAD"]).ends(1);
    let zoe = clone(&ann);
    zoe.council(["show", "HEAD"])
        .ends(0)
        .prints("(not trusted: its signer is not listed in council.trustedNotes)");
    let entry = format!("{key} ann ann@example.com");
    zoe.git(["config", "--global", "council.trustedNotes", &entry]);
    zoe.council(["log"])
        .ends(0)
        .prints(&format!("(signed by ann ann@example.com ({key}))"));
    zoe.council(["show", "HEAD"]).ends(0).prints(&format!(
        "says FAIL (signed by ann ann@example.com ({key}) and trusted here)"
    ));
    // In CI nobody's word counts before it is known whose change it is.
    zoe.council_with(&[("CI", "1")], &["log"])
        .ends(0)
        .prints("not trusted: ");
    // The line of one commit on another is about nothing there.
    let base = zoe.git(["rev-parse", "HEAD~1"]);
    zoe.git(["notes", "--ref=council", "copy", "HEAD", &base]);
    zoe.council(["show", &base])
        .ends(0)
        .prints("not trusted: it is about another commit");
    // A line that was changed is not what was signed.
    let note = zoe.git(["notes", "--ref=council", "show", "HEAD"]);
    let changed = note.replacen("\"verdict-at\"", "\"verdict-at\" ", 1);
    zoe.git([
        "notes",
        "--ref=council",
        "add",
        "--force",
        "-m",
        &changed,
        "HEAD",
    ]);
    zoe.council(["show", "HEAD"])
        .ends(0)
        .prints("not trusted: its signature is not one of its text");
    // A verdict that is not the one that was signed is none.
    let greener = whole_line(&ann).replacen("\"verdict\":\"FAIL\"", "\"verdict\":\"PASS\"", 1);
    let pointer = note.lines().find(|line| line.starts_with('{')).unwrap();
    let pointer: serde_json::Value = serde_json::from_str(pointer).unwrap();
    let object = pointer["note"].as_str().unwrap().to_owned();
    put_note(&zoe, &greener, &object);
    put_note(&zoe, &note, "HEAD");
    zoe.council(["show", "HEAD"]).ends(2).tells("no run yet");
    put_note(&zoe, &greener, "HEAD");
    zoe.council(["show", "HEAD"])
        .ends(0)
        .prints("not trusted: its verdict does not follow from its report");
}

/// The verdict on HEAD as one whole line, as earlier versions wrote it and this one reads it.
fn whole_line(repo: &Repo) -> String {
    let mut line = stored_verdict(repo);
    line["type"] = "verdict".into();
    line.to_string()
}

fn put_note(repo: &Repo, text: &str, object: &str) {
    repo.git([
        "notes",
        "--ref=council",
        "add",
        "--force",
        "-m",
        text,
        object,
    ]);
}

#[test]
fn what_a_note_claims_of_a_change_is_compared_with_the_change() {
    let ann = conflicted();
    ann.council(["review", "HEAD"]).ends(1);
    let note = whole_line(&ann);
    let line = stored_verdict(&ann);
    let other = note.replace(line["patch_id"].as_str().unwrap(), &"0".repeat(64));
    let zoe = clone(&ann);
    zoe.git([
        "notes",
        "--ref=council",
        "add",
        "--force",
        "-m",
        &other,
        "HEAD",
    ]);
    zoe.council(["show", "HEAD"])
        .ends(0)
        .prints("not trusted: its digest does not match its change");
    let elsewhere = note.replace(line["base"].as_str().unwrap(), &"1".repeat(40));
    zoe.git([
        "notes",
        "--ref=council",
        "add",
        "--force",
        "-m",
        &elsewhere,
        "HEAD",
    ]);
    zoe.council(["show", "HEAD"])
        .ends(0)
        .prints("not trusted: its change cannot be read");
}

#[test]
fn t18_a_note_speaks_to_no_terminal() {
    let ann = conflicted();
    ann.council(["review", "HEAD"]).ends(1);
    let mut line: serde_json::Value = serde_json::from_str(&whole_line(&ann)).unwrap();
    for place in [
        "/headline",
        "/run",
        "/made",
        "/report/receipt/run/name",
        "/report/receipt/run/started",
        "/report/target/label",
        "/report/findings/0/finding/description",
        "/report/findings/0/finding/location/path",
        "/report/judges/0/key_insight",
    ] {
        if let Some(text) = line.pointer_mut(place) {
            *text = format!(
                "{}\u{1b}]0;x\u{7}\u{202e}",
                text.as_str().unwrap_or_default()
            )
            .into();
        }
    }
    let zoe = clone(&ann);
    zoe.git([
        "notes",
        "--ref=council",
        "add",
        "--force",
        "-m",
        &line.to_string(),
        "HEAD",
    ]);
    for format in [
        "story",
        "terminal",
        "markdown",
        "html",
        "json",
        "sarif",
        "rdjson",
        "agent",
        "junit",
        "checkstyle",
        "gitlab",
    ] {
        let shown = zoe
            .council(["show", "HEAD", "--format", format])
            .ends(0)
            .stdout;
        let has_verdict = !["checkstyle", "gitlab"].contains(&format);
        assert!(!has_verdict || shown.contains("FAIL"), "{format}: {shown}");
        assert!(
            !shown.contains(['\u{1b}', '\u{7}', '\u{202e}']),
            "{format}: {shown}"
        );
    }
    let log = zoe.council(["log"]).ends(0).stdout;
    assert!(!log.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{log}");
}
