//! Machines, disks and processes that fail: what the user sees, how the program ends, what is kept. `docs/reliability.md` lists
//! every fault with its test.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::harness::{Repo, Run};
use crate::programs::{answer, with_judge};

/// Runs the program where no file may grow beyond so many blocks of 512 bytes.
fn with_full_disk(repo: &Repo, blocks: u32, args: &[&str]) -> Run {
    let program = repo.program(&repo.path());
    let line = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg(line)
        .arg(program.get_program())
        .args(args);
    shell.current_dir(repo.path()).env_clear();
    for (name, value) in program.get_envs() {
        if let Some(value) = value {
            shell.env(name, value);
        }
    }
    Run::of(shell.output().unwrap())
}

fn changed() -> Repo {
    let repo = Repo::with_base();
    repo.write("src/more.rs", "/// One more.\npub const MORE: u32 = 1;\n");
    repo.commit("More");
    repo
}

fn runs(repo: &Repo) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(repo.path().join(".git/council/runs")).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn a_full_disk_takes_the_record_of_a_free_run_and_not_its_verdict() {
    let repo = changed();
    with_full_disk(&repo, 1, &["review", "HEAD"])
        .ends(0)
        .prints("PASS");
}

#[test]
fn a_full_disk_stops_a_run_that_is_paid_for_and_it_goes_on_when_there_is_room() {
    let repo = with_judge(&answer("PASS", ""), "");
    // The answers are longer than what the journal may grow to.
    let long = format!("echo '{}'\n", "x".repeat(40_000));
    let program = repo.in_home("helper.sh");
    let script = fs::read_to_string(&program).unwrap();
    fs::write(
        &program,
        script.replacen("#!/bin/sh\n", &format!("#!/bin/sh\n{long}"), 1),
    )
    .unwrap();
    with_full_disk(&repo, 64, &["review", "HEAD"])
        .ends(3)
        .tells("journal.jsonl");
    fs::write(&program, script).unwrap();
    repo.council(["resume"]).ends(0).prints("PASS");
}

#[test]
fn a_git_directory_that_cannot_be_written_is_told_and_the_review_is_held() {
    let repo = changed();
    fs::write(repo.path().join(".git/council"), "in the way").unwrap();
    repo.council(["review", "HEAD"])
        .ends(0)
        .prints("PASS")
        .tells("the run cannot be stored");
    let paid = with_judge(&answer("PASS", ""), "");
    fs::write(paid.path().join(".git/council"), "in the way").unwrap();
    paid.council(["review", "HEAD"]).ends(3).tells("in the way");
}

#[test]
fn a_journal_that_was_changed_is_not_believed() {
    let repo = changed();
    repo.council(["review", "HEAD"]).ends(0);
    let journal = runs(&repo)[0].join("journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, text.replacen("\"started\"", "\"sTarted\"", 1)).unwrap();
    repo.council(["replay"])
        .ends(3)
        .tells("of the journal is damaged");
}

#[test]
fn a_plan_that_was_changed_is_not_believed() {
    let repo = changed();
    repo.council(["review", "HEAD"]).ends(0);
    let plan = runs(&repo)[0].join("plan.json");
    let text = fs::read_to_string(&plan).unwrap();
    fs::write(&plan, text.replacen("\"quorum\":2", "\"quorum\":0", 1)).unwrap();
    repo.council(["replay"])
        .ends(3)
        .tells("plan.json does not match the journal");
}

#[test]
fn a_judge_that_is_killed_abstains() {
    let repo = with_judge("kill -9 $$", "");
    repo.council(["review", "HEAD"])
        .ends(3)
        .prints("INCONCLUSIVE");
    let story = repo.council(["show"]).ends(0);
    story.prints("signal 9");
}

#[test]
fn a_worker_that_is_killed_abstains() {
    // The judge takes its own worker along: guard and worker are its ancestors.
    let kills = format!(
        "if mkdir \"@MARKS/first\" 2>/dev/null; then\n\
         guard=$PPID; worker=$(awk '{{print $4}}' /proc/$guard/stat); kill -9 $worker; sleep 30; fi\n{}",
        answer("PASS", "")
    );
    let repo = with_judge(&kills, "");
    repo.council(["review", "HEAD", "--backend", "background"])
        .ends(3)
        .prints("INCONCLUSIVE");
}

#[test]
fn a_clock_that_is_set_back_changes_names_and_no_deadline() {
    // Deadlines are counted by a clock that never goes back; the calendar only names a run.
    for file in [
        "src/session/run.rs",
        "src/session/drive.rs",
        "src/session/hear.rs",
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let text = fs::read_to_string(path).unwrap();
        assert!(
            !text.contains("SystemTime") && !text.contains("jiff"),
            "{file}"
        );
    }
}

/// Every fault of the page has a test of that name.
#[test]
fn every_fault_of_the_page_has_its_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/reliability.md")).unwrap();
    let mut rows = 0;
    let is_fault = |line: &&str| line.starts_with("| ") && line.contains("::");
    for row in page.lines().filter(is_fault) {
        let place = row.rsplit('`').nth(1).unwrap_or_default();
        let (file, test) = place.split_once("::").unwrap_or_else(|| panic!("{row}"));
        let text = fs::read_to_string(root.join(file)).unwrap_or_else(|_| panic!("{file}"));
        assert!(
            text.contains(&format!("fn {test}(")),
            "{place} is not there"
        );
        rows += 1;
    }
    assert!(rows >= 20, "{rows} rows");
}
