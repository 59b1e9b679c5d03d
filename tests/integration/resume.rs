//! A run that was cut off goes on: nobody who has answered is asked again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::Repo;
use crate::programs::{answer, with_judge};

/// The first judge to come answers at once; the others hang as long as they are told to.
fn one_answers() -> Repo {
    let hangs = "echo asked >> \"@MARKS/asked\"\n\
                 if ! mkdir \"@MARKS/first\" 2>/dev/null && [ -e \"@MARKS/hang\" ]; then\n\
                 echo $$ > \"@MARKS/hanging\"; sleep 60; fi\n\
                 if [ -e \"@MARKS/slow\" ]; then sleep 4; fi\n";
    let repo = with_judge(&(hangs.to_owned() + &answer("PASS", "")), "");
    fs::write(mark(&repo, "hang"), "").unwrap();
    repo
}

fn mark(repo: &Repo, name: &str) -> PathBuf {
    repo.in_home("marks").join(name)
}

fn asked(repo: &Repo) -> usize {
    fs::read_to_string(mark(repo, "asked"))
        .unwrap()
        .lines()
        .count()
}

fn folder(repo: &Repo) -> PathBuf {
    let runs = repo.path().join(".git/council/runs");
    let mut runs = fs::read_dir(runs).unwrap();
    runs.next().unwrap().unwrap().path()
}

/// A review of which one judge has answered and one hangs.
fn begun(repo: &Repo, args: &[&str]) -> Child {
    let mut command = repo.program(&repo.path());
    command.arg("review").args(args);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let child = child.unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    let heard = || {
        let journal = fs::read_to_string(folder(repo).join("journal.jsonl")).unwrap_or_default();
        journal.contains("\"answered\"")
    };
    while !(mark(repo, "hanging").exists() && heard()) {
        assert!(Instant::now() < until, "the judges did not come so far");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

/// SIGKILL: nothing is tidied up.
fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn after_sigkill_only_who_had_not_answered_is_asked_again() {
    let repo = one_answers();
    let child = begun(&repo, &["HEAD"]);
    let holder = format!("process {} holds it", child.id());
    let name = folder(&repo)
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    repo.council(["resume", &name]).ends(3).tells(&holder);
    repo.council(["show"]).ends(2).tells("is still running");
    kill(child);
    for command in ["show", "publish"] {
        repo.council([command]).ends(2).tells("git council resume");
    }
    repo.council(["status"])
        .ends(0)
        .prints("git council resume");
    fs::remove_file(mark(&repo, "hang")).unwrap();
    assert_eq!(asked(&repo), 2);
    repo.council(["resume"]).ends(0).prints("PASS");
    assert_eq!(asked(&repo), 3);
    repo.council(["replay", &name]).ends(0).prints("PASS");
    repo.council(["resume", &name])
        .ends(2)
        .tells("is complete: every judge answered");
}

/// Whoever is told to end may be gone before its report is written: the word to end is no answer of the council.
#[test]
fn after_an_interrupt_without_a_report_the_first_resume_goes_on() {
    let repo = one_answers();
    let mut child = begun(&repo, &["HEAD"]);
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let folder = folder(&repo);
    fs::remove_file(folder.join("report.json")).unwrap();
    fs::remove_file(mark(&repo, "hang")).unwrap();
    repo.council(["resume"]).ends(0).prints("PASS");
    assert_eq!(asked(&repo), 3);
}

#[test]
fn a_torn_line_and_a_branch_that_moved_on_are_no_obstacle() {
    let repo = one_answers();
    kill(begun(&repo, &["HEAD"]));
    let journal = folder(&repo).join("journal.jsonl");
    let mut bytes = fs::read(&journal).unwrap();
    bytes.extend(b"{\"at\":20,\"input\":\"answ");
    fs::write(&journal, bytes).unwrap();
    fs::remove_file(mark(&repo, "hang")).unwrap();
    repo.write("src/other.rs", "/// Another.\npub const OTHER: u32 = 2;\n");
    repo.commit("Other");
    repo.council(["resume"]).ends(0).prints("PASS");
    assert_eq!(asked(&repo), 3);
    let text = fs::read_to_string(&journal).unwrap();
    assert!(
        text.lines()
            .all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok())
    );
}

#[test]
fn what_was_reviewed_must_still_be_there() {
    let repo = one_answers();
    repo.write("src/more.rs", "/// Two more.\npub const MORE: u32 = 2;\n");
    repo.git(["add", "--all"]);
    kill(begun(&repo, &["--staged"]));
    repo.write("src/more.rs", "/// Three more.\npub const MORE: u32 = 3;\n");
    repo.git(["add", "--all"]);
    repo.council(["resume"])
        .ends(2)
        .tells("has changed or is gone");
}

#[test]
fn a_judge_that_was_lost_is_asked_again_in_a_run_that_is_over() {
    let repo = one_answers();
    let run = repo.council(["review", "HEAD", "--r1-timeout", "2s"]);
    run.ends(3).prints("INCONCLUSIVE");
    fs::remove_file(mark(&repo, "hang")).unwrap();
    let name = folder(&repo)
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    repo.council(["resume", &name]).ends(0).prints("PASS");
    assert_eq!(asked(&repo), 3);
}

/// Whatever a report's own words offer, `resume` without a name takes; a complete run that is newer is no obstacle.
#[test]
fn what_a_report_offers_to_resume_is_taken_without_its_name() {
    for limits in [["--r1-timeout", "2s"], ["--timeout", "2s"]] {
        for newer in [false, true] {
            let repo = one_answers();
            let mut words = vec!["review", "HEAD"];
            words.extend(limits);
            let told = repo.council_with(&[], &words).ends(3);
            told.prints("git council resume council-");
            fs::remove_file(mark(&repo, "hang")).unwrap();
            let before = asked(&repo);
            if newer {
                repo.council(["review", "HEAD", "--fresh"]).ends(0);
            }
            let between = asked(&repo) - before;
            repo.council(["resume"]).ends(0).prints("PASS");
            assert_eq!(asked(&repo), before + between + 1, "{limits:?} {newer}");
            let told = repo.council(["resume"]).ends(2);
            let told = told.tells("is complete: every judge answered");
            assert_eq!(
                told.stderr.matches("is complete").count(),
                1 + usize::from(newer)
            );
        }
    }
}

/// What came over standard input is gone: no report offers to go on with it, and no older run is shadowed by it.
#[test]
fn a_run_over_standard_input_is_neither_offered_nor_taken() {
    let repo = one_answers();
    let patch = repo.git(["show", "HEAD"]) + "\n";
    let words = ["review", "--patch", "-", "--r1-timeout", "2s"];
    let told = repo.council_reading(patch.as_bytes(), &words).ends(3);
    assert!(
        !told.stdout.contains("git council resume"),
        "{}",
        told.stdout
    );
    repo.council(["resume"])
        .ends(2)
        .tells("came over standard input and is gone");
}

#[test]
fn whom_no_resume_asks_again_is_named_where_it_gave_no_answer() {
    let vote = answer("PASS", "");
    let wrong = ["true", "echo 'I have no idea.'", "echo '{\"verdict\":'"];
    for wrong in wrong {
        let turns =
            format!("if mkdir \"@MARKS/first\" 2>/dev/null; then {vote}\nelse {wrong}; fi\n");
        let repo = with_judge(&turns, "");
        repo.council(["review", "HEAD"]).ends(3);
        let run = folder(&repo);
        let name = run.file_name().unwrap().to_str().unwrap();
        repo.council(["resume", name])
            .ends(2)
            .tells(" gave no answer that counts")
            .tells("git council review --fresh");
    }
}

#[test]
fn a_run_whose_time_is_over_goes_on_as_status_says() {
    let repo = one_answers();
    repo.council(["review", "HEAD", "--timeout", "2s"]).ends(3);
    let name = folder(&repo)
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    let status = repo.council(["status"]);
    status
        .ends(0)
        .prints("ran out of time")
        .prints(&format!("git council resume {name}"));
    fs::remove_file(mark(&repo, "hang")).unwrap();
    repo.council(["resume", &name]).ends(0).prints("PASS");
    assert_eq!(asked(&repo), 3);
    repo.council(["status"])
        .ends(0)
        .prints("no review is running");
}

/// The first call's short time is no sentence for life: whoever resumes may give more, and is told so.
#[test]
fn whoever_resumes_a_run_may_give_it_more_time() {
    for more in [
        &["--timeout", "60s"][..],
        &["--config", "timeouts.run=60s"][..],
    ] {
        let repo = one_answers();
        let name = || {
            folder(&repo)
                .file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        };
        let run = repo.council(["review", "HEAD", "--timeout", "2s"]);
        run.ends(3)
            .prints(&format!("git council resume {} --timeout TIME", name()));
        // The others now need longer than the first call allowed them.
        fs::remove_file(mark(&repo, "hang")).unwrap();
        fs::write(mark(&repo, "slow"), "").unwrap();
        let resume = |more: &[&str]| {
            let name = name();
            let mut words = vec!["resume", &name];
            words.extend(more);
            repo.council_with(&[], &words)
        };
        resume(&[])
            .ends(3)
            .prints("INCONCLUSIVE")
            .prints("its time of 2 s was over");
        resume(more).ends(0).prints("PASS");
        // What was decided with more time is computed again with it.
        repo.council(["replay", &name()]).ends(0).prints("PASS");
    }
}

/// `fixtures/run-v1` was written by this program before journals had sums: version 1 of the format.
#[test]
fn a_run_of_the_first_format_is_told_and_computed_again() {
    let repo = Repo::with_base();
    let name = "council-20261122-head";
    let run = repo.path().join(".git/council/runs").join(name);
    fs::create_dir_all(&run).unwrap();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/integration/fixtures/run-v1");
    for entry in fs::read_dir(&fixture).unwrap() {
        let file = entry.unwrap().path();
        fs::copy(&file, run.join(file.file_name().unwrap())).unwrap();
    }
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let before = read(&fs::read_to_string(fixture.join("report.json")).unwrap());
    let again = read(&repo.council(["replay", name, "--json"]).ends(0).stdout);
    assert_eq!(again["verdict"], "WARN");
    for key in ["verdict", "target"] {
        assert_eq!(again[key], before[key], "{key}");
    }
    // Rules held each other's findings then and do not now; what they found and what it weighs is the same.
    let weighed = |report: &Value| -> Vec<[Value; 3]> {
        let findings = report["findings"].as_array().unwrap();
        let parts = |f: &Value| ["fingerprint", "level", "finding"].map(|key| f[key].clone());
        findings.iter().map(parts).collect()
    };
    assert_eq!(weighed(&again), weighed(&before));
    repo.council(["show", name]).ends(0).prints("a.py:4");
}

#[test]
fn a_refusal_leaves_no_run() {
    let repo = with_judge(&answer("PASS", ""), "");
    repo.council(["review", "HEAD", "--backend", "nowhere"])
        .ends(2);
    let runs = repo.path().join(".git/council/runs");
    assert_eq!(fs::read_dir(runs).unwrap().count(), 0);
}

#[test]
fn a_run_without_a_journal_shadows_none_with_answers_that_were_paid_for() {
    let repo = one_answers();
    kill(begun(&repo, &["HEAD"]));
    fs::remove_file(mark(&repo, "hang")).unwrap();
    let empty = repo.path().join(".git/council/runs/council-29991231-zzz");
    fs::create_dir_all(&empty).unwrap();
    fs::write(empty.join("packet.json"), "{}").unwrap();
    repo.council(["resume"]).ends(0).prints("PASS");
    // Nothing is left that could be resumed, and what holds the newest is said.
    repo.council(["resume"])
        .ends(2)
        .tells("council-29991231-zzz cannot be resumed");
}

/// What is dismissed when the report is made does not count, and what is not does: a run may have been cut off in between.
#[test]
fn a_resumed_run_counts_the_dismissals_of_today() {
    const FINDING: &str = r#"{"severity": "critical", "category": "naming", "description": "The name says nothing.",
 "location": {"path": "src/more.rs", "line": 2}, "quote": "pub const MORE: u32 = 1;", "why": "w", "fix": "f"}"#;
    for taken_back in [true, false] {
        let repo = one_answers();
        let program = repo.in_home("helper.sh");
        let script = fs::read_to_string(&program).unwrap();
        let fails = script.replace("\"PASS\"", "\"FAIL\"");
        fs::write(
            &program,
            fails.replace("\"findings\": []", &format!("\"findings\": [{FINDING}]")),
        )
        .unwrap();
        fs::remove_file(mark(&repo, "hang")).unwrap();
        repo.council(["review", "HEAD"]).ends(1);
        if taken_back {
            repo.council(["dismiss", "F1", "--because", "an example"])
                .ends(0);
        }
        fs::write(mark(&repo, "hang"), "").unwrap();
        fs::remove_dir_all(mark(&repo, "first")).unwrap();
        let _ = fs::remove_file(mark(&repo, "hanging"));
        let runs = repo.path().join(".git/council/runs");
        let before = fs::read_dir(&runs).unwrap().next().unwrap().unwrap().path();
        fs::rename(&before, repo.in_home("before")).unwrap();
        let child = begun(&repo, &["HEAD", "--fresh"]);
        kill(child);
        fs::remove_file(mark(&repo, "hang")).unwrap();
        if taken_back {
            repo.council(["dismiss", "F1", "--undo"]).ends(0);
            repo.council(["resume"]).ends(1).prints("FAIL");
        } else {
            repo.council(["dismiss", "F1", "--because", "an example"])
                .ends(0);
            let run = repo.council(["resume"]).ends(0);
            run.prints("PASS").prints("dismissed");
        }
    }
}
