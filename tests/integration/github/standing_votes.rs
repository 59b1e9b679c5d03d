//! What judges voted over a finding stands as long as the finding is open: a push that does not touch it makes nothing milder.

use std::fs;

use super::never_milder::run_matrix;
use super::stage::Stage;
use crate::harness::Run;
use crate::programs::{answer, scripted_agent};

const CODE: &str = "x = open(p)\n\n\n\n\n\n\n\ny = rate(d)\n";
const MENDED: &str = "with open(p) as x:\n    y = rate(d, 1)\n";
const SURFACES: &str = "comment,check";

fn finding(line: usize, quote: &str, words: &str) -> String {
    format!(
        r#"{{"severity": "significant", "category": "bug", "description": "{words}",
 "location": {{"path": "src/a.py", "line": {line}}}, "quote": "{quote}", "why": "w", "fix": "f"}}"#
    )
}

fn leak() -> String {
    finding(1, "x = open(p)", "The file is never closed.")
}

fn rate() -> String {
    finding(9, "y = rate(d)", "The rate is zero on holidays.")
}

/// What each of the judges says from now on.
fn let_say(stage: &Stage, judges: &[(&str, &str, &str)], review: &str) {
    let scripts = judges
        .iter()
        .map(|(name, vote, findings)| (*name, answer(vote, findings)));
    seat_scripts(stage, &scripts.collect::<Vec<_>>(), review);
}

/// Seats judges that run these scripts.
pub(super) fn seat_scripts(stage: &Stage, judges: &[(&str, String)], review: &str) {
    let names: Vec<&str> = judges.iter().map(|(name, _)| *name).collect();
    let agents = judges
        .iter()
        .map(|(name, script)| scripted_agent(&stage.repo, name, script));
    let agents: String = agents.collect();
    let config = format!("[review]\nagents = {names:?}\n{review}\n{agents}");
    stage
        .repo
        .write_home(".config/git-council/config.toml", &config);
}

fn review(stage: &Stage, is_matrix: bool, surfaces: &str) -> Run {
    match is_matrix {
        true => {
            let concluded = run_matrix(stage, &[]);
            // Its folder is no part of the next push.
            fs::remove_dir_all(stage.repo.path().join("run")).unwrap();
            concluded
        }
        false => stage.council(&["review", "--pr", "1", "--publish", surfaces]),
    }
}

const SILENT: [(&str, &str, &str); 2] = [("ash", "PASS", ""), ("elm", "PASS", "")];

/// Push after push, as jobs of a matrix or with a comment alone, whatever the commits are called, until the lines are mended.
#[test]
fn votes_stand_over_open_findings_until_these_are_mended() {
    for (is_matrix, surfaces) in [(false, SURFACES), (true, SURFACES), (false, "comment")] {
        let stage = Stage::new();
        stage.propose(1, &[("src/a.py", CODE)]);
        let (leak, rate) = (leak(), rate());
        let_say(
            &stage,
            &[("ash", "FAIL", &leak), ("elm", "FAIL", &rate)],
            "",
        );
        review(&stage, is_matrix, surfaces).ends(3);
        let_say(&stage, &SILENT, "");
        for nth in 0..2 {
            stage.add(1, &[("notes.md", &format!("Note {nth}.\n"))]);
            let next = review(&stage, is_matrix, surfaces).ends(3);
            next.prints("votes over findings that are still open stand, 2 FAIL");
        }
        // The same in one commit.
        stage.propose(1, &[("src/a.py", CODE), ("notes.md", "Note.\n")]);
        review(&stage, is_matrix, surfaces).ends(3);
        stage.add(1, &[("src/a.py", MENDED)]);
        review(&stage, is_matrix, surfaces).ends(0).prints("PASS");
    }
}

/// A gate that a single WARN stops stays shut, and opens to whoever dismisses what it was about.
#[test]
fn a_strict_gate_stays_shut_until_the_finding_is_dismissed() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.py", CODE)]);
    let strict = "consensus = 'strict'\nfail-on = 'warn'";
    let leak = leak();
    let_say(
        &stage,
        &[("ash", "WARN", &leak), ("elm", "PASS", "")],
        strict,
    );
    review(&stage, false, SURFACES).ends(1).prints("WARN");
    let_say(&stage, &SILENT, strict);
    stage.add(1, &[("notes.md", "Note.\n")]);
    let next = review(&stage, false, SURFACES).ends(1);
    next.prints("stand, 1 WARN")
        .prints("(ash) voted WARN over F1");
    let because = ["dismiss", "F1", "--because", "the process ends there"];
    stage.council(&because).ends(0);
    review(&stage, false, SURFACES).ends(0).prints("PASS");
    stage.add(1, &[("notes.md", "Another note.\n")]);
    review(&stage, false, SURFACES).ends(0).prints("PASS");
}

/// What failed and is mended holds up nobody: each way to review tells it as resolved, whatever the finding weighed.
#[test]
fn what_is_mended_is_told_as_resolved_by_every_way_to_review() {
    for is_matrix in [false, true] {
        for severity in ["critical", "significant"] {
            let stage = Stage::new();
            stage.propose(1, &[("src/a.py", CODE)]);
            let leak = leak().replace("significant", severity);
            let_say(
                &stage,
                &[("ash", "FAIL", &leak), ("elm", "FAIL", &leak)],
                "",
            );
            assert_ne!(review(&stage, is_matrix, SURFACES).code, 0);
            let_say(&stage, &SILENT, "");
            stage.add(1, &[("src/a.py", MENDED)]);
            review(&stage, is_matrix, SURFACES).ends(0).prints("PASS");
            let told = &stage.reports(1)[0].body;
            assert!(
                told.contains("1 resolved"),
                "{is_matrix} {severity}: {told}"
            );
        }
    }
}

/// Code that is taken out and put back brings the votes over it back, though nobody speaks of it again and however it was
/// reviewed meanwhile.
#[test]
fn votes_come_back_with_the_code_that_they_were_about() {
    for (severity, ways) in [
        ("critical", [false; 3]),
        ("critical", [false, true, false]),
        ("critical", [true; 3]),
        ("significant", [false; 3]),
        ("significant", [true, true, false]),
        ("minor", [false; 3]),
    ] {
        let stage = Stage::new();
        stage.propose(1, &[("src/a.py", CODE)]);
        let rate = rate()
            .replace("significant", severity)
            .replace("y = rate(d)", "y = rate_of_days(d)");
        let code = CODE.replace("y = rate(d)", "y = rate_of_days(d)");
        stage.add(1, &[("src/a.py", &code)]);
        let strict = "consensus = 'strict'\nfail-on = 'warn'";
        let_say(
            &stage,
            &[("ash", "WARN", &rate), ("elm", "PASS", "")],
            strict,
        );
        let first = review(&stage, ways[0], SURFACES);
        let_say(&stage, &SILENT, strict);
        stage.add(1, &[("src/a.py", MENDED)]);
        review(&stage, ways[1], SURFACES).ends(0).prints("PASS");
        // What nobody speaks of outlives a push that is about something else.
        stage.add(1, &[("notes.md", "Note.\n")]);
        review(&stage, ways[1], SURFACES).ends(0).prints("PASS");
        stage.add(1, &[("src/a.py", &code)]);
        review(&stage, ways[2], SURFACES).ends(first.code);
        assert_eq!(first.code, 1, "{severity} {ways:?}");
    }
}
