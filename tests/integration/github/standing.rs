//! What stands against a change is told again for the very same change, wherever it is asked about: on its page, here,
//! and under another commit's name.

use std::fs;

use super::remembered::{FINDING, OPENS, failed_over, let_judges_say, seat_judges};
use super::stage::Stage;
use crate::harness::Run;
use crate::programs::answer;

const PUBLISHED: [&str; 5] = ["review", "--pr", "1", "--publish", "comment,check"];

fn proposed() -> Stage {
    let stage = Stage::new();
    seat_judges(&stage);
    stage.propose(1, &[("src/a.py", OPENS)]);
    stage
}

/// The same change as another commit.
fn amend(stage: &Stage) {
    let repo = &stage.repo;
    repo.git(["checkout", "--quiet", "topic-1"]);
    repo.git(["commit", "--quiet", "--amend", "-m", "In other words"]);
    repo.git([
        "push",
        "--quiet",
        "--force",
        "origin",
        "HEAD:refs/pull/1/head",
    ]);
    let head = repo.git(["rev-parse", "HEAD"]);
    repo.git(["checkout", "--quiet", "main"]);
    stage.hub.state().pulls.get_mut(&1).unwrap().head = head;
}

fn conclusion(stage: &Stage) -> String {
    let checks = stage.hub.state().checks.clone();
    let last = checks.last().unwrap();
    last["conclusion"].as_str().unwrap_or_default().to_owned()
}

/// Votes without a finding, and a problem whose quote is nowhere: the same change is not passed by running the job
/// again, nor by another message, until somebody wants it judged anew.
#[test]
fn the_same_change_again_is_never_milder() {
    let unfound = FINDING.replace("x = open(p)", "nothing_like(it)");
    for (verdict, findings) in [("WARN", ""), ("FAIL", ""), ("FAIL", unfound.as_str())] {
        let stage = proposed();
        let_judges_say(&stage, verdict, findings);
        let code = stage.council(&PUBLISHED).code;
        let first = conclusion(&stage);
        assert_ne!(first, "success", "{verdict} {findings}");
        let_judges_say(&stage, "PASS", "");
        for is_amended in [false, true, true] {
            if is_amended {
                amend(&stage);
            }
            let again = stage.council(&PUBLISHED);
            assert_eq!(
                again.code, code,
                "{verdict} {findings} {is_amended}: {}",
                again.stdout
            );
            assert_eq!(
                conclusion(&stage),
                first,
                "{verdict} {findings} {is_amended}"
            );
        }
        stage
            .council(&[&PUBLISHED[..], &["--fresh"]].concat())
            .ends(0);
        assert_eq!(conclusion(&stage), "success");
        stage.requests();
    }
}

/// Where a change is reviewed.
#[derive(Debug, Clone, Copy)]
enum Place {
    Here,
    Page,
}

fn review(stage: &Stage, place: Place, more: &[&str]) -> Run {
    match place {
        Place::Here => stage.council(&[&["review", "main...topic-1"], more].concat()),
        Place::Page => stage.council(&[&PUBLISHED[..], more].concat()),
    }
}

/// Whichever way a change was passed first and objected to later: neither way passes it before somebody has it judged
/// anew.
#[test]
fn what_was_said_last_of_a_change_is_said_here_and_on_its_page() {
    for (first, last) in [
        (Place::Here, Place::Here),
        (Place::Here, Place::Page),
        (Place::Page, Place::Here),
        (Place::Page, Place::Page),
    ] {
        for (verdict, findings) in [("PASS", ""), ("WARN", ""), ("FAIL", ""), ("FAIL", FINDING)] {
            let stage = proposed();
            let_judges_say(&stage, "PASS", "");
            review(&stage, first, &[]).ends(0);
            let_judges_say(&stage, verdict, findings);
            let code = review(&stage, last, &["--fresh"]).code;
            let_judges_say(&stage, "PASS", "");
            for place in [Place::Page, Place::Here] {
                let told = review(&stage, place, &[]);
                let what = format!("{first:?} {last:?} {verdict} {findings} {place:?}");
                assert_eq!(told.code, code, "{what}: {}", told.stdout);
            }
            if code != 0 {
                assert_ne!(
                    conclusion(&stage),
                    "success",
                    "{first:?} {last:?} {verdict}"
                );
            }
            stage.requests();
        }
    }
}

/// Judges with a script each, in this order.
fn seat_scripts(stage: &Stage, scripts: &[(&str, &str)]) {
    let mut config = String::new();
    let names: Vec<String> = scripts
        .iter()
        .map(|(name, _)| format!("'{name}'"))
        .collect();
    for (name, script) in scripts {
        let path = stage.file(&format!("{name}.sh"));
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        let path = path.to_str().unwrap();
        config +=
            &format!("[agents.{name}]\ndriver = 'command'\ncommand = ['/bin/sh', '{path}']\n");
    }
    let config = format!(
        "{config}[review]\ndebate = 'off'\nagents = [{}]\n",
        names.join(", ")
    );
    stage
        .repo
        .write_home(".config/git-council/config.toml", &config);
}

/// Who is told to have other judges look at a critical problem, or to have a second round, is not told the same verdict again:
/// what they say counts with what is open. The same question again asks nobody.
#[test]
fn a_stricter_question_is_asked_and_counts_with_what_is_open() {
    let (finds, passes) = (answer("FAIL", FINDING), answer("PASS", ""));
    for more in [&[][..], &["--debate"]] {
        let stage = proposed();
        seat_scripts(&stage, &[("ash", &finds), ("birch", &passes)]);
        stage
            .council(&PUBLISHED)
            .ends(0)
            .prints("WARN: 1 critical (unconfirmed)");
        fs::write(stage.file("birch.sh"), format!("#!/bin/sh\n{finds}\n")).unwrap();
        stage
            .council(&PUBLISHED)
            .ends(0)
            .prints("WARN: 1 critical (unconfirmed)");
        if more.is_empty() {
            seat_scripts(
                &stage,
                &[("ash", &passes), ("birch", &passes), ("cedar", &finds)],
            );
        }
        stage
            .council(&[&PUBLISHED[..], more].concat())
            .ends(1)
            .prints("FAIL: 1 critical");
        assert_eq!(conclusion(&stage), "failure", "{more:?}");
        stage.requests();
    }
    let stage = proposed();
    seat_scripts(&stage, &[("ash", &finds), ("birch", &passes)]);
    stage.council(&PUBLISHED).ends(0);
    seat_scripts(
        &stage,
        &[("ash", &passes), ("birch", &passes), ("cedar", &passes)],
    );
    let asked = stage.council(&PUBLISHED);
    asked.ends(0).prints("WARN: 1 critical (unconfirmed)");
    stage.requests();
}

/// What failed here before the request had a page is told there, and what its page left open stays there.
#[test]
fn an_objection_of_this_machine_forgets_nothing_of_the_page() {
    let stage = proposed();
    let_judges_say(&stage, "FAIL", FINDING);
    review(&stage, Place::Here, &[]).ends(1);
    let_judges_say(&stage, "PASS", "");
    review(&stage, Place::Page, &[])
        .ends(1)
        .prints("FAIL: 1 critical");
    let other = FINDING
        .replace("never closed", "never written")
        .replace("leak", "loss");
    let_judges_say(&stage, "FAIL", &other);
    review(&stage, Place::Here, &["--fresh"]).ends(1);
    let_judges_say(&stage, "PASS", "");
    review(&stage, Place::Page, &[]).ends(1);
    let body = stage.reports(1)[0].body.clone();
    assert!(body.contains("never closed"), "{body}");
    stage.requests();
}

/// A line that is mended by adding to it is another line, and so is one that is a comment now; a formatter's is the
/// same.
#[test]
fn a_line_that_something_was_added_to_is_resolved() {
    for (text, code) in [
        ("x = open(p) if p else None\n", 0),
        ("with closing(p): x = open(p)\n", 0),
        ("# x = open(p)\n", 0),
        ("if p:\n    x = open(\n        p,\n    )  # really\n", 1),
        ("x = (\n    open(p)\n)\n", 1),
    ] {
        let stage = failed_over(&[("src/a.py", OPENS)], FINDING);
        stage.add(1, &[("src/a.py", text)]);
        stage.council(&PUBLISHED).ends(code);
        let told = if code == 0 {
            "1 resolved"
        } else {
            "1 still open"
        };
        let body = stage.reports(1)[0].body.clone();
        assert!(body.contains(told), "{text}: {body}");
        stage.requests();
    }
}

/// Code that goes into a file that was there is in the change as it was before; what is mended is not.
#[test]
fn code_that_moves_into_an_old_file_takes_its_finding_along() {
    let stage = Stage::new();
    seat_judges(&stage);
    stage.land(&[("src/old.py", "def old(p):\n    x = open(p)\n    return x\n")]);
    stage.propose(1, &[("src/a.py", OPENS)]);
    let_judges_say(&stage, "FAIL", FINDING);
    stage.council(&PUBLISHED).ends(1);
    let_judges_say(&stage, "PASS", "");
    stage.remove(1, "src/a.py");
    let moved = format!("def old(p):\n    x = open(p)\n    return x\n\n\n{OPENS}");
    stage.add(1, &[("src/old.py", &moved)]);
    stage.council(&PUBLISHED).ends(1);
    let body = stage.reports(1)[0].body.clone();
    assert!(
        body.contains("1 still open") && body.contains("src/old.py:6"),
        "{body}"
    );
    // The line that reads alike is the target branch's.
    let mended = moved.replace(&format!("\n\n\n{OPENS}"), "\n\n\nx = read(p)\n");
    stage.add(1, &[("src/old.py", &mended)]);
    stage.council(&PUBLISHED).ends(0);
    assert!(stage.reports(1)[0].body.contains("1 resolved"));
    stage.requests();
}

/// A branch that is pushed again over its mend fails with the finding that it had, and the next push as well.
#[test]
fn what_was_resolved_comes_back_with_its_code() {
    let bad = "x = open(path_of(user), mode)\n";
    let finding = FINDING.replace("x = open(p)", bad.trim());
    let stage = failed_over(&[("src/a.py", bad)], &finding);
    stage.add(1, &[("src/a.py", "x = read(user)\n")]);
    stage.council(&PUBLISHED).ends(0);
    // With another file, so that it is no change that is known.
    stage.add(1, &[("src/a.py", bad), ("src/m.py", "m = 1\n")]);
    let back = stage.council(&PUBLISHED).ends(1);
    assert!(back.stdout.contains("never closed"), "{}", back.stdout);
    assert!(stage.reports(1)[0].body.contains("1 came back"));
    stage.add(1, &[("src/n.py", "n = 1\n")]);
    stage.council(&PUBLISHED).ends(1);
    assert!(stage.reports(1)[0].body.contains("1 still open"));
    stage.requests();
}

/// An end before its line is nothing: the finding has its conversation beside the line.
#[test]
fn a_finding_whose_last_line_is_0_has_its_conversation() {
    let finding = FINDING.replace("\"line\": 1", "\"line\": 1, \"end_line\": 0");
    let stage = proposed();
    let_judges_say(&stage, "FAIL", &finding);
    let surfaces = ["review", "--pr", "1", "--publish", "comment,check,review"];
    stage.council(&surfaces).ends(1);
    assert_eq!(stage.hub.state().threads.len(), 1);
    stage.requests();
}
