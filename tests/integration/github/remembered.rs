//! What a review left open on a pull request counts in whatever is published there next, whoever does it and however.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::stage::Stage;
use crate::programs::answer;

/// Code that two judges find a critical problem in.
pub(super) const OPENS: &str = "x = open(p)\n";
pub(super) const FINDING: &str = r#"{"severity": "critical", "category": "leak", "description": "The file is never closed.",
 "location": {"path": "src/a.py", "line": 1}, "quote": "x = open(p)", "why": "w", "fix": "f"}"#;

/// Judges say this from now on.
pub(super) fn let_judges_say(stage: &Stage, verdict: &str, findings: &str) {
    write_judges(stage, &answer(verdict, findings));
}

/// A judge that is at work goes on by the script that it began with.
pub(super) fn write_judges(stage: &Stage, script: &str) {
    let written = stage.file("judge.new");
    fs::write(&written, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::rename(written, stage.file("judge.sh")).unwrap();
}

/// A pull request that two judges have failed, on its page.
pub(super) fn failed_over(files: &[(&str, &str)], finding: &str) -> Stage {
    let stage = Stage::new();
    failed_on(stage, files, finding)
}

fn failed_on(stage: Stage, files: &[(&str, &str)], finding: &str) -> Stage {
    seat_judges(&stage);
    stage.propose(1, files);
    let_judges_say(&stage, "FAIL", finding);
    stage.council(&PUBLISHED).ends(1).prints("FAIL");
    let_judges_say(&stage, "PASS", "");
    stage
}

pub(super) fn seat_judges(stage: &Stage) {
    let judge = stage.file("judge.sh");
    let judge = judge.to_str().unwrap();
    let config = format!("[agents.helper]\ndriver = 'command'\ncommand = ['/bin/sh', '{judge}']\n");
    stage
        .repo
        .write_home(".config/git-council/config.toml", &config);
}

const PUBLISHED: [&str; 5] = ["review", "--pr", "1", "--publish", "comment,check"];
const POSTED: [&str; 5] = ["publish", "--pr", "1", "--publish", "comment,check"];

/// The page says FAIL and names the finding, and no check is green.
fn still_fails(stage: &Stage) {
    let body = stage.reports(1)[0].body.clone();
    assert!(
        body.contains("# FAIL") && body.contains("never closed"),
        "{body}"
    );
    let checks = stage.hub.state().checks.clone();
    let is_green = |check: &Value| check["conclusion"] == "success";
    assert!(!checks.iter().any(is_green), "{checks:?}");
}

/// A run that looked at what is open is published as it is; one that did not is refused, unless that is what was asked for.
#[test]
fn a_run_that_is_published_later_forgets_nothing() {
    let stage = failed_over(&[("src/a.py", OPENS)], FINDING);
    // The same commit again, by a review that knows nothing of the page.
    let range = "main...topic-1";
    stage.council(&["review", range, "--fresh"]).ends(0);
    let refused = stage.council(&POSTED);
    assert_ne!(refused.code, 0);
    refused.tells("was made without what the last review of #1 left open (1 of its findings; FAIL");
    still_fails(&stage);
    // The next one, by a review of the request that is only shown, and by one that is shown in a check alone.
    stage.add(1, &[("src/b.py", "y = 2\n")]);
    stage
        .council(&["review", "--pr", "1"])
        .ends(1)
        .prints("FAIL");
    stage.council(&POSTED).ends(1);
    still_fails(&stage);
    stage.add(1, &[("src/b.py", "y = 3\n")]);
    stage
        .council(&["review", "--pr", "1", "--publish", "check"])
        .ends(1);
    still_fails(&stage);
    stage.council(&["review", range, "--fresh"]).ends(0);
    assert_ne!(stage.council(&POSTED).code, 0);
    still_fails(&stage);
    // Whoever means it may.
    stage.council(&[&POSTED[..], &["--full"]].concat()).ends(0);
    assert!(stage.reports(1)[0].body.contains("# PASS"));
    stage.requests();
}

/// Where the page cannot be read, nobody can say that nothing is open there, and nothing is posted.
#[test]
fn a_page_that_cannot_be_read_is_no_empty_page() {
    use super::state::{Fault, FaultKind};
    let stage = failed_over(&[("src/a.py", OPENS)], FINDING);
    stage.add(1, &[("src/b.py", "y = 2\n")]);
    stage.hub.state().faults.push_back(Fault {
        method: "GET",
        path: "/issues/1/comments",
        kind: FaultKind::Refuse(502, Vec::new(), "Bad gateway"),
        times: 99,
    });
    assert_ne!(stage.council(&PUBLISHED).code, 0);
    still_fails(&stage);
}

/// The report of an unprivileged job over one more commit: what stands on the page counts in it, and in the next review.
#[test]
fn a_claim_over_another_commit_ends_no_finding() {
    let stage = failed_over(&[("src/a.py", OPENS)], FINDING);
    let head = stage.add(1, &[("src/b.py", "y = 2\n")]);
    let report = stage.file("report.json");
    let range = format!("main...{head}");
    stage.council(&[
        "review",
        &range,
        "--agents",
        "builtin",
        "--json",
        "-o",
        report.to_str().unwrap(),
    ]);
    let ended = json!({ "action": "completed", "workflow_run": {
        "event": "pull_request", "head_sha": head, "head_branch": "topic-1",
        "head_repository": { "owner": { "login": "octo" } } } });
    let args = [
        "publish",
        "--report",
        report.to_str().unwrap(),
        "--event",
        "--publish",
        "comment,check",
    ];
    let event = stage.event("workflow_run", &ended);
    stage.job(&args, &event).ends(1);
    still_fails(&stage);
    assert!(stage.reports(1)[0].body.contains("unprivileged job"));
    // Said twice it is the same, and a review of the same commit takes its place.
    stage.job(&args, &event).ends(1);
    stage.council(&PUBLISHED).ends(1).prints("FAIL");
    still_fails(&stage);
    assert!(!stage.reports(1)[0].body.contains("unprivileged job"));
    stage.requests();
}

/// The guard that a change removes is missing for as long as the change removes it.
#[test]
fn what_a_change_removes_stays_a_finding_whatever_else_it_does_to_the_file() {
    let stage = Stage::new();
    stage
        .repo
        .write("src/a.py", "def f(x):\n    check(x)\n    return x\n");
    stage.repo.commit("Base");
    stage.repo.git(["push", "--quiet", "origin", "main"]);
    let finding = FINDING
        .replace("\"line\": 1", "\"line\": 2")
        .replace("x = open(p)", "    check(x)");
    let stage = failed_on(
        stage,
        &[("src/a.py", "def f(x):\n    return x\n")],
        &finding,
    );
    stage.add(1, &[("src/a.py", "def f(x):\n    return x\n# a comment\n")]);
    stage.council(&PUBLISHED).ends(1).prints("FAIL");
    still_fails(&stage);
    stage.add(
        1,
        &[(
            "src/a.py",
            "def f(x):\n    check(x)\n    return x\n# a comment\n",
        )],
    );
    stage.council(&PUBLISHED).ends(0);
    assert!(stage.reports(1)[0].body.contains("resolved: `src/a.py"));
    stage.requests();
}

/// However often the lines beside a problem are edited, and in whatever words the judges tell it: it is one finding, at the line
/// where it stands now.
#[test]
fn one_problem_stays_one_finding_at_its_place() {
    let stage = failed_over(&[("src/a.py", "x = open(p)\ny = 1\n")], FINDING);
    let texts = [
        "x = open(p)\ny = 2\n",
        "import os\n\nx = open(p)\ny = 3\n",
        "import os\n\nif p:\n    x = open( p )\n    y = 4\n",
    ];
    for (at, text) in texts.iter().enumerate() {
        let line = text
            .lines()
            .position(|line| line.contains("open("))
            .unwrap()
            + 1;
        let quote = text.lines().nth(line - 1).unwrap();
        let again = FINDING
            .replace("\"line\": 1", &format!("\"line\": {line}"))
            .replace("x = open(p)", quote)
            .replace(
                "The file is never closed.",
                &format!("Nobody says never closed in {at} words."),
            );
        for raised in [again.as_str(), ""] {
            let_judges_say(
                &stage,
                if raised.is_empty() { "PASS" } else { "FAIL" },
                raised,
            );
            stage.add(1, &[("src/a.py", &format!("{text}# {}\n", raised.len()))]);
            stage.council(&PUBLISHED).ends(1).prints("FAIL: 1 critical");
            let body = stage.reports(1)[0].body.clone();
            assert!(body.contains(&format!("src/a.py:{line}`")), "{body}");
            still_fails(&stage);
        }
    }
    // The change is taken back: what is left of it has no problem.
    stage.add(1, &[("src/b.py", "y = 2\n")]);
    stage.remove(1, "src/a.py");
    stage.council(&PUBLISHED).ends(0);
    stage.requests();
}

/// Whoever deletes the report on the page takes what was open with it: everything is reviewed again, which is told, and no
/// conversation about what was open is closed as if it were fixed.
#[test]
fn a_report_that_was_deleted_is_missed() {
    let stage = Stage::new();
    let stage = failed_on(stage, &[("src/a.py", OPENS)], FINDING);
    let shown = ["review", "--pr", "1", "--publish", "comment,check,review"];
    let_judges_say(&stage, "FAIL", FINDING);
    stage.council(&[&shown[..], &["--full"]].concat()).ends(1);
    assert_eq!(stage.hub.state().threads.len(), 1);
    stage.hub.state().comments.clear();
    let_judges_say(&stage, "PASS", "");
    stage.add(1, &[("src/b.py", "y = 2\n")]);
    stage
        .council(&shown)
        .prints("comment is gone, and with it what the last review left open; 1 conversation");
    assert!(!stage.hub.state().threads[0].resolved);
    stage.requests();
}

/// A finding is looked for as its evidence was: in whatever form its judge has quoted the code, and with what it was shown in
/// a secret's place.
#[test]
fn a_quote_in_any_form_is_found_again() {
    let token = ["ghp_", "kX93mVq0ZtLwB7dRfYs2HnPj5CgUaE81oTiM"].concat();
    let call = format!("connect(p, tls=False, token=\"{token}\")");
    for (code, quote) in [
        ("x = open(p)", "+x = open(p)"),
        ("x = open(p)", "1 + x = open(p)"),
        // The judge is a shell script.
        ("x = open(p)", "\\`x = open(p)\\`"),
        (
            call.as_str(),
            r#"connect(p, tls=False, token=\"[redacted: github-token]\")"#,
        ),
    ] {
        let finding = FINDING.replace("x = open(p)", quote);
        let stage = failed_over(&[("src/a.py", &format!("{code}\n"))], &finding);
        stage.add(1, &[("src/a.py", &format!("{code}\n# One more line.\n"))]);
        stage.council(&PUBLISHED).ends(1).prints("FAIL");
        still_fails(&stage);
    }
}

/// What nobody looks at this time is not resolved by that: neither outside of the part that is reviewed, nor by a tool that
/// fails.
#[test]
fn what_nobody_looks_at_stands() {
    let stage = failed_over(&[("src/a.py", OPENS)], FINDING);
    stage.add(1, &[("src/b.py", "y = 2\n")]);
    let part = [&PUBLISHED[..], &["--", "src/b.py"]].concat();
    stage.council(&part);
    still_fails(&stage);
    // Moved and judged by rules alone: the rule finds it there, and it is one finding.
    let stage = Stage::new();
    stage.propose(1, &[("src/a.rs", super::stage::CONFLICT)]);
    stage.council(&PUBLISHED).ends(1);
    stage.add(1, &[("src/z.rs", super::stage::CONFLICT)]);
    stage.remove(1, "src/a.rs");
    stage.council(&PUBLISHED).ends(1);
    let body = stage.reports(1)[0].body.clone();
    assert!(
        body.contains("still open** since") && !body.contains("resolved, "),
        "{body}"
    );
    stage.requests();
}

/// Two reviews of one commit at once: whichever is done last, the FAIL of one of them stays, and so it does on the next commit.
#[test]
fn the_worse_of_two_verdicts_about_one_commit_stays() {
    for surfaces in ["comment,check", "comment", "check"] {
        let args = ["review", "--pr", "1", "--publish", surfaces];
        let stage = Stage::new();
        seat_judges(&stage);
        stage.propose(1, &[("src/a.py", OPENS)]);
        let (started, go) = (stage.file("started"), stage.file("go"));
        let wait = format!(
            "touch '{}'; while [ ! -e '{}' ]; do sleep 0.1; done",
            started.display(),
            go.display()
        );
        write_judges(&stage, &format!("{wait}\n{}", answer("PASS", "")));
        let slow = stage.command(&args).stdout(Stdio::piped()).spawn().unwrap();
        while !started.exists() {
            thread::sleep(Duration::from_millis(50));
        }
        let_judges_say(&stage, "FAIL", FINDING);
        stage.council(&args).ends(1);
        fs::write(&go, "").unwrap();
        let slow = slow.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&slow.stdout);
        assert!(said.contains("another review of"), "{surfaces}: {said}");
        let checks = stage.hub.state().checks.clone();
        let is_green = |check: &Value| check["conclusion"] == "success";
        assert!(!checks.iter().any(is_green), "{surfaces}: {checks:?}");
        if surfaces.contains("comment") {
            assert_eq!(slow.status.code(), Some(1), "{surfaces}: {said}");
            still_fails(&stage);
            let_judges_say(&stage, "PASS", "");
            stage.add(1, &[("src/b.py", "y = 2\n")]);
            stage.council(&args).ends(1);
            still_fails(&stage);
        }
        stage.requests();
    }
}

/// Each clone counts its runs of a day: of two clones, the report of the one is not the other's because of its name.
#[test]
fn an_older_report_of_another_clone_takes_no_place_by_its_name() {
    let stage = Stage::new();
    seat_judges(&stage);
    stage.propose(1, &[("src/a.py", "x = open(p)\n")]);
    let_judges_say(&stage, "PASS", "");
    stage.council(&["review", "--pr", "1"]).ends(0);
    let (own, kept) = (stage.repo.path().join(".git/council"), stage.file("kept"));
    fs::rename(&own, &kept).unwrap();
    let finding = r#"{"severity": "critical", "category": "bug", "description": "The file is never closed.",
 "location": {"path": "src/a.py", "line": 1}, "quote": "x = open(p)", "why": "w", "fix": "f"}"#;
    let_judges_say(&stage, "FAIL", finding);
    stage.council(&PUBLISHED).ends(1);
    fs::remove_dir_all(&own).unwrap();
    fs::rename(&kept, &own).unwrap();
    stage.council(&POSTED).ends(3).tells("nothing is posted");
    let body = stage.reports(1)[0].body.clone();
    assert!(body.contains("# FAIL"), "{body}");
}

/// Whoever names an older run means it, and is told what it passes over; a later review that answers that is silence.
#[test]
fn a_named_run_is_published_with_a_word_on_a_later_one_that_ended_worse() {
    let stage = Stage::new();
    seat_judges(&stage);
    stage.propose(1, &[("src/a.py", OPENS)]);
    let review = |verdict: &str, finding: &str, code: i32| {
        let_judges_say(&stage, verdict, finding);
        let args = ["review", "--pr", "1", "--fresh", "--json", "-o", "r.json"];
        stage.council(&args).ends(code);
        let report = fs::read_to_string(stage.repo.path().join("r.json")).unwrap();
        fs::remove_file(stage.repo.path().join("r.json")).unwrap();
        let report: Value = serde_json::from_str(&report).unwrap();
        report["receipt"]["run"]["name"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let publish = |run: &str| {
        let args = ["publish", run, "--pr", "1", "--publish", "comment"];
        stage.council(&args)
    };
    let passed = review("PASS", "", 0);
    let told = "a later run of the same change ended worse: ";
    assert!(!publish(&passed).ends(0).stderr.contains(told));
    let failed = review("FAIL", FINDING, 1);
    let says = format!("{told}{failed} says FAIL: 1 critical");
    publish(&passed).ends(0).tells(&says);
    review("PASS", "", 0);
    assert!(!publish(&passed).ends(0).stderr.contains(told));
}
