//! Reviews that begin in the background after a commit, by the real git.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use crate::captures::{Place, command_at};
use crate::hook::{CONFLICT, Desk};

#[test]
fn a_commit_is_reviewed_in_the_background_and_the_push_finds_its_verdict() {
    let desk = Desk::new();
    desk.repo
        .git(["config", "--global", "council.background.load", "10000"]);
    desk.repo
        .git(["config", "--global", "council.background.battery", "true"]);
    desk.repo
        .council(["hook", "install", "--post-commit"])
        .ends(0);
    desk.repo.write("notes.md", CONFLICT);
    desk.git(&[], &["add", "."]).ends(0);
    desk.git(&[], &["commit", "--quiet", "--message", "Conflict"])
        .ends(0);
    desk.repo
        .council(["wait", "--timeout", "60s"])
        .ends(1)
        .prints("notes.md:1");
    desk.gate();
    let run = desk.push(&["origin", "main"]).ends(1);
    run.tells("(reused)").tells("git council show");
}

/// A law: whatever happens in one worktree, the commit of another has its own review, and its own last report; also where
/// both are made at once, and while a review goes on.
#[test]
fn each_worktree_has_the_review_of_its_own_commit() {
    let desk = Desk::new();
    for (key, value) in [("load", "10000"), ("battery", "true")] {
        let key = format!("council.background.{key}");
        desk.repo.git(["config", "--global", &key, value]);
    }
    desk.repo
        .council(["hook", "install", "--post-commit"])
        .ends(0);
    let tree = |n: usize| desk.repo.in_home(&format!("tree-{n}"));
    for n in 0..3 {
        let (branch, tree) = (format!("side-{n}"), tree(n));
        let add = [
            "worktree",
            "add",
            "--quiet",
            "-b",
            &branch,
            tree.to_str().unwrap(),
        ];
        desk.repo.git(add);
    }
    // In a hook git names the repository and the index: each commit under its own variables, all of them at once.
    let commits = (0..3).map(|n| {
        let bad = if n == 1 { CONFLICT } else { "fine\n" };
        fs::write(tree(n).join(format!("file-{n}.md")), bad).unwrap();
        let (at, words) = (tree(n), format!("commit-{n}"));
        let at = at.to_str().unwrap();
        desk.git(&[], &["-C", at, "add", "."]).ends(0);
        desk.git_command(&[], &["-C", at, "commit", "--quiet", "--message", &words])
    });
    let started: Vec<_> = commits.map(|mut commit| commit.spawn().unwrap()).collect();
    for mut commit in started {
        assert!(commit.wait().unwrap().success());
    }
    for n in 0..3 {
        let wait = ["wait", "--timeout", "100s", "--json"];
        let run = desk.repo.council_in(&tree(n), &wait, &[]);
        let told: serde_json::Value = serde_json::from_str(&run.stdout)
            .unwrap_or_else(|error| panic!("{n}: {error}: {}{}", run.stdout, run.stderr));
        let head = desk.repo.git_in(&tree(n), &["rev-parse", "HEAD"]);
        assert_eq!(told["target"]["head"], head.trim(), "{n}");
        assert_eq!(run.code, i32::from(n == 1), "{n}: {}", run.stdout);
    }
}

#[test]
fn a_superseded_review_ends_and_the_latest_commit_has_its_verdict() {
    let desk = Desk::new();
    let judge = desk.repo.in_home("slow.sh");
    fs::write(&judge, "#!/bin/sh\nexec sleep 600\n").unwrap();
    fs::set_permissions(&judge, PermissionsExt::from_mode(0o755)).unwrap();
    let slow = format!(
        "[agents.slow]\ndriver = 'command'\ncommand = [{judge:?}]\n[background]\nload = 10000\nbattery = true\n"
    );
    desk.repo
        .write_home(".config/git-council/config.toml", &slow);
    desk.repo
        .git(["config", "--global", "council.review.agents", "slow"]);
    desk.repo
        .council(["hook", "install", "--post-commit"])
        .ends(0);
    let commit = |name: &str| {
        desk.repo.write(name, "x\n");
        desk.git(&[], &["add", "."]).ends(0);
        desk.git(&[], &["commit", "--quiet", "--message", name])
            .ends(0);
    };
    commit("one.txt");
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !desk.repo.council(["status"]).stdout.contains("council-") {
        assert!(std::time::Instant::now() < end, "no review began");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    desk.repo
        .git(["config", "--global", "council.review.agents", "builtin"]);
    commit("two.txt");
    desk.repo
        .council(["wait", "--timeout", "100s"])
        .ends(0)
        .prints("PASS");
    let log = desk.repo.council(["log"]).stdout;
    assert!(log.contains("interrupted"), "{log}");
}

/// A law: however fast commits follow each other, also where there is nothing to compare the branch with, no commit is left
/// out of the review of the last one.
#[test]
fn each_of_several_fast_commits_is_reviewed() {
    let desk = Desk::new();
    desk.repo.git(["remote", "remove", "origin"]);
    desk.repo
        .council(["hook", "install", "--post-commit"])
        .ends(0);
    for n in 0..4 {
        desk.repo.write(&format!("file-{n}.md"), CONFLICT);
        desk.git(&[], &["add", "."]).ends(0);
        desk.git(&[], &["commit", "--quiet", "--message", "One more"])
            .ends(0);
    }
    // A review may end before the next commit is made: each has a report of its own.
    let runs = desk.repo.path().join(".git/council/runs");
    let reviewed = || -> String {
        let runs = fs::read_dir(&runs).into_iter().flatten();
        let reports = runs.map(|run| run.unwrap().path().join("report.json"));
        reports
            .filter_map(|report| fs::read_to_string(report).ok())
            .collect()
    };
    let is_whole = |said: &str| (0..4).all(|n| said.contains(&format!("file-{n}.md")));
    let end = std::time::Instant::now() + std::time::Duration::from_secs(100);
    while !is_whole(&reviewed()) {
        assert!(std::time::Instant::now() < end, "{}", reviewed());
        desk.repo.council(["wait", "--timeout", "60s"]);
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

/// A judge that is not built in, and runs `first` before it answers PASS; its review waits for a load of `load` percent.
fn desk_with_judge(first: impl Fn(&Desk) -> String, load: u32) -> Desk {
    let desk = Desk::new();
    let judge = desk.repo.in_home("judge.sh");
    let answer = r#"{"schema_version":1,"round":1,"key":"@KEY@","confidence":"HIGH","key_insight":"i","verdict":"PASS","findings":[]}"#;
    let script = format!(
        "#!/bin/sh\ncat >/dev/null; {}\nsed \"s/@KEY@/$COUNCIL_KEY/\" <<'END'\n{answer}\nEND\n",
        first(&desk)
    );
    fs::write(&judge, script).unwrap();
    fs::set_permissions(&judge, PermissionsExt::from_mode(0o755)).unwrap();
    let config = format!(
        "[agents.one]\ndriver = 'command'\ncommand = [{judge:?}]\n[review]\nagents = ['one']\njudges = 1\nquorum = 1\n\
         [background]\nload = {load}\nbattery = true\n"
    );
    desk.repo
        .write_home(".config/git-council/config.toml", &config);
    desk.repo
        .council(["hook", "install", "--post-commit"])
        .ends(0);
    desk
}

/// No machine is quiet enough.
fn waiting_desk() -> Desk {
    desk_with_judge(|_| ":".to_owned(), 1)
}

fn commit_and_wait_until(desk: &Desk, name: &str, told: &str) {
    desk.repo.write(name, "x\n");
    desk.git(&[], &["add", "."]).ends(0);
    desk.git(&[], &["commit", "--quiet", "--message", name])
        .ends(0);
    until(desk, "status", told);
}

fn until(desk: &Desk, command: &str, told: &str) {
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    loop {
        let said = desk.repo.council([command]).stdout;
        if said.contains(told) {
            return;
        }
        assert!(std::time::Instant::now() < end, "{told}: {said}");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn whoever_needs_the_verdict_ends_the_waiting_for_a_quiet_machine() {
    let desk = waiting_desk();
    commit_and_wait_until(&desk, "one.txt", "is waiting: the load is");
    // A program that asks is told so, too.
    let json = desk.repo.council(["status", "--json"]).ends(0).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let why = json[0]["waiting"].as_str().unwrap_or_default();
    assert!(why.starts_with("the load is"), "{json}");
    desk.repo
        .council(["wait", "--timeout", "100s"])
        .ends(0)
        .prints("PASS");
    // So does a push, which goes on without the models.
    let runs = || {
        desk.repo
            .council(["log"])
            .stdout
            .matches("council-")
            .count()
    };
    let before = runs();
    commit_and_wait_until(&desk, "two.txt", "is waiting: the load is");
    desk.push(&["origin", "main"]).ends(0);
    until(&desk, "status", "no review is running");
    assert!(runs() > before);
}

#[test]
fn a_configuration_that_cannot_be_read_leaves_no_commit_waiting() {
    let desk = waiting_desk();
    commit_and_wait_until(&desk, "one.txt", "is waiting: the load is");
    desk.repo.council(["wait", "--timeout", "100s"]).ends(0);
    desk.repo.write("council.toml", "x = 1\n");
    commit_and_wait_until(&desk, "two.txt", "no review is running");
    // What was said of the commit before is not said of this one.
    desk.repo
        .council(["wait", "--timeout", "100s"])
        .ends(3)
        .tells("not about HEAD");
    until(&desk, "log", "council-");
}

/// A judge that answers once a file is there, so that a review goes on for as long as a test wants.
fn held_desk() -> (Desk, PathBuf) {
    let gate = |desk: &Desk| desk.repo.in_home("answer");
    let desk = desk_with_judge(
        |desk| format!("until [ -e {:?} ]; do sleep 0.1; done", gate(desk)),
        10_000,
    );
    let gate = gate(&desk);
    (desk, gate)
}

/// Whoever waits for a review of a commit sees its judges, and is not told that nothing was running.
#[test]
fn waiting_shows_what_the_judges_of_a_commit_do() {
    let (desk, gate) = held_desk();
    commit_and_wait_until(&desk, "one.md", "thinking");
    let mut wait = desk.repo.program(&desk.repo.path());
    wait.args(["wait", "--timeout", "60s"]);
    let terminal = Place::Terminal { columns: 80 };
    let mut waiting = command_at(terminal, &wait).spawn().unwrap();
    let mut screen = waiting.stdout.take().unwrap();
    let mut shown = String::new();
    let mut part = [0; 4096];
    // The judge answers once it is seen at work.
    while !shown.contains("thinking") {
        match screen.read(&mut part).unwrap() {
            0 => break,
            read => shown.push_str(&String::from_utf8_lossy(&part[..read])),
        }
    }
    assert!(shown.contains("thinking"), "{shown}");
    fs::write(gate, "").unwrap();
    screen.read_to_string(&mut shown).unwrap();
    assert!(waiting.wait().unwrap().success(), "{shown}");
    assert!(!shown.contains("nothing is running"), "{shown}");
}

/// The commits of all runs, with their verdicts.
fn reviewed_commits(desk: &Desk) -> Vec<(String, String)> {
    let log = desk.repo.council(["log", "--json"]).ends(0).stdout;
    let log: serde_json::Value = serde_json::from_str(&log).unwrap();
    let word = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let runs = log.as_array().unwrap().iter();
    let mut commits: Vec<(String, String)> = runs
        .map(|run| (word(&run["commit"]), word(&run["verdict"])))
        .collect();
    commits.sort();
    commits
}

/// A law: a commit on another branch takes no review away, neither the one that goes on nor one that has not begun; and what
/// is reviewed is the commit, wherever HEAD has gone meanwhile.
#[test]
fn a_commit_on_another_branch_ends_no_review() {
    let (desk, gate) = held_desk();
    let commit = |branch: &str, name: &str, text: &str| {
        desk.git(&[], &["checkout", "--quiet", "-B", branch, "origin/main"])
            .ends(0);
        desk.repo.write(name, text);
        desk.git(&[], &["add", "."]).ends(0);
        desk.git(&[], &["commit", "--quiet", "--message", name])
            .ends(0);
        desk.repo.git(["rev-parse", "HEAD"]).trim().to_owned()
    };
    let bad = commit("a", "bad.md", CONFLICT);
    until(&desk, "status", "council-");
    let worse = commit("b", "worse.md", CONFLICT);
    let good = commit("c", "good.md", "fine\n");
    fs::write(gate, "").unwrap();
    desk.repo
        .council(["wait", "--timeout", "100s"])
        .ends(0)
        .prints("PASS");
    let mut expected = [(bad, "FAIL"), (worse, "FAIL"), (good, "PASS")]
        .map(|(head, verdict)| (head, verdict.to_owned()));
    expected.sort();
    assert_eq!(reviewed_commits(&desk), expected);
}

/// An amended commit covers the one in whose place it is: that one's review ends.
#[test]
fn an_amended_commit_ends_the_review_of_the_one_before() {
    let (desk, gate) = held_desk();
    commit_and_wait_until(&desk, "one.md", "council-");
    desk.repo.write("one.md", "y\n");
    desk.git(&[], &["commit", "--quiet", "--amend", "--all", "--no-edit"])
        .ends(0);
    until(&desk, "log", "interrupted");
    fs::write(gate, "").unwrap();
    desk.repo.council(["wait", "--timeout", "100s"]).ends(0);
}

/// The processes that were started in the background for a repository.
fn processes_of(repository: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let names = processes.filter_map(|process| process.file_name().into_string().ok());
    let is_ours = |id: &String| {
        let words = fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
        words.contains(&format!("\0-C\0{repository}\0"))
    };
    names.filter(is_ours).collect()
}

/// A review whose process is gone is told, and begun again by whoever needs it.
#[test]
fn a_request_outlives_the_process_that_was_to_hold_it() {
    let (desk, gate) = held_desk();
    commit_and_wait_until(&desk, "one.md", "council-");
    let path = desk.repo.path();
    for process in processes_of(path.to_str().unwrap()) {
        let mut kill = Command::new("kill");
        kill.args(["-KILL", &process]).status().unwrap();
    }
    fs::write(gate, "").unwrap();
    until(&desk, "status", "was given up: its process has ended");
    let run = desk.repo.council(["wait", "--timeout", "100s"]).ends(0);
    run.tells("its process has ended").prints("PASS");
}
