//! SIGKILL during every write: what is left is what was there before or what was meant, and the next command goes on.
//!
//! Where `strace` may trace, the program is killed at each of its writing system calls in turn; elsewhere at points of
//! time that are spread over its run.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::Repo;
use crate::memory::{conflicted, suggested};

/// Every call by which a file becomes another.
const WRITES: [&str; 10] = [
    "write",
    "rename",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "mkdir",
    "fsync",
    "fdatasync",
    "fchmod",
];

/// More calls of a kind than any of these commands makes.
const MOST: usize = 200;

/// At how many points of time a run is killed where nothing can be traced.
const POINTS: u32 = 16;

/// Runs a command again and again, each time killed a step later, until it ends by itself. `check` looks after each.
fn kill_at_every_step(repo: &Repo, args: &[&str], mut check: impl FnMut(&str)) {
    if !can_trace() {
        #[expect(
            clippy::print_stderr,
            reason = "a test that does less than its best says so"
        )]
        let () = eprintln!("strace may not trace here: killed at {POINTS} points of time instead");
        return kill_over_time(repo, args, check);
    }
    let mut kills = 0;
    for call in WRITES {
        for step in 1..=MOST {
            assert!(step < MOST, "{args:?} did not end by itself");
            let mut traced = Command::new("strace");
            traced.args(["-qq", "--signal=none", "-o", "/dev/null"]);
            traced.arg(format!("--trace={call}"));
            traced.arg(format!("--inject={call}:signal=SIGKILL:when={step}"));
            let killed = run(repo, traced, args);
            check(&format!("{args:?} at its {call} no. {step}"));
            if !killed {
                break;
            }
            kills += 1;
        }
    }
    assert!(kills > 1, "{args:?} was killed {kills} times only");
}

/// The same by the clock.
fn kill_over_time(repo: &Repo, args: &[&str], mut check: impl FnMut(&str)) {
    let mut span = Duration::from_millis(400);
    for point in 0..=POINTS {
        let began = Instant::now();
        let mut child = start(repo.program(&repo.path()), args);
        if point == 0 {
            child.wait().unwrap();
            span = began.elapsed();
        } else {
            std::thread::sleep(span * (point - 1) / POINTS);
            child.kill().unwrap();
            child.wait().unwrap();
        }
        check(&format!("{args:?} at {point} of {POINTS}"));
    }
}

/// Whether it was killed.
fn run(repo: &Repo, mut tracer: Command, args: &[&str]) -> bool {
    let program = repo.program(&repo.path());
    tracer.arg(program.get_program()).args(args);
    tracer.env_clear().current_dir(repo.path());
    for (name, value) in program.get_envs() {
        tracer.env(name, value.unwrap());
    }
    let mut child = start(tracer, &[]);
    // strace ends as what it traced did.
    !child.wait().unwrap().success()
}

fn start(mut command: Command, args: &[&str]) -> std::process::Child {
    command.args(args).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

fn can_trace() -> bool {
    let mut strace = Command::new("strace");
    strace.args([
        "-qq",
        "-o",
        "/dev/null",
        "--inject=write:signal=SIGKILL:when=1",
        "sh",
        "-c",
        "echo x",
    ]);
    strace.stdout(Stdio::null()).stderr(Stdio::null());
    strace
        .status()
        .is_ok_and(|status| !status.success() && status.code() != Some(1))
}

fn hook(repo: &Repo) -> PathBuf {
    let hook = repo.path().join(".git/hooks/pre-push");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\nexit 0\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o751)).unwrap();
    hook
}

fn names(dir: &Path) -> Vec<String> {
    let names = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| !name.ends_with(".sample"));
    names.sort();
    names
}

#[test]
fn a_hook_is_the_earlier_one_or_ours_whenever_an_installation_is_killed() {
    let repo = Repo::with_base();
    let hook = hook(&repo);
    let theirs = fs::read(&hook).unwrap();
    let ours = repo
        .council(["hook", "install", "--print"])
        .stdout
        .into_bytes();
    kill_at_every_step(&repo, &["hook", "install"], |at| {
        let there = fs::read(&hook).unwrap();
        assert!(there == theirs || there == ours, "{at}");
        // Either goes on from there: another installation, or the way back.
        repo.council(["hook", "install"]).ends(0);
        assert_eq!(fs::read(&hook).unwrap(), ours, "{at}");
        repo.council(["hook", "uninstall"]).ends(0);
        assert_eq!(fs::read(&hook).unwrap(), theirs, "{at}");
        assert_eq!(
            fs::metadata(&hook).unwrap().permissions().mode() & 0o777,
            0o751
        );
        assert_eq!(names(hook.parent().unwrap()), ["pre-push"], "{at}");
    });
}

#[test]
fn a_hook_is_the_earlier_one_or_ours_whenever_its_removal_is_killed() {
    let repo = Repo::with_base();
    let hook = hook(&repo);
    let theirs = fs::read(&hook).unwrap();
    repo.council(["hook", "install"]).ends(0);
    let ours = fs::read(&hook).unwrap();
    kill_at_every_step(&repo, &["hook", "uninstall"], |at| {
        let there = fs::read(&hook).unwrap();
        assert!(there == theirs || there == ours, "{at}");
        repo.council(["hook", "uninstall"]).ends(0);
        assert_eq!(fs::read(&hook).unwrap(), theirs, "{at}");
        assert_eq!(names(hook.parent().unwrap()), ["pre-push"], "{at}");
        repo.council(["hook", "install"]).ends(0);
    });
}

#[test]
fn a_suggestion_is_in_the_worktree_or_not_whenever_its_application_is_killed() {
    let (repo, file) = suggested();
    let before = fs::read(&file).unwrap();
    repo.council(["apply", "F1"]).ends(0);
    let after = fs::read(&file).unwrap();
    assert_ne!(before, after);
    fs::write(&file, &before).unwrap();
    kill_at_every_step(&repo, &["apply", "F1"], |at| {
        let there = fs::read(&file).unwrap();
        assert!(there == before || there == after, "{at}");
        // Nothing else lies in the worktree.
        let status = repo.git(["status", "--porcelain"]);
        assert!(
            matches!(status.as_str(), "" | "M src/more.rs" | " M src/more.rs"),
            "{at}: {status}"
        );
        fs::write(&file, &before).unwrap();
        repo.council(["apply", "F1"]).ends(0);
        assert_eq!(fs::read(&file).unwrap(), after, "{at}");
        fs::write(&file, &before).unwrap();
    });
}

/// The lines of the note on the empty tree, once nobody writes it any more.
fn note(repo: &Repo) -> String {
    let lock = repo.path().join(".git/refs/notes/council.lock");
    let end = Instant::now() + Duration::from_secs(10);
    while lock.exists() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
    let tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    let mut show = repo.git_command(&["notes", "--ref=council", "show", tree]);
    String::from_utf8(show.output().unwrap().stdout).unwrap()
}

fn are_whole(lines: &str, at: &str) {
    for line in lines.lines() {
        let line: serde_json::Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{at}: {error}: {line}"));
        assert_eq!(line["type"], "dismissal", "{at}");
    }
}

#[test]
fn a_dismissal_is_said_or_not_whenever_it_is_killed() {
    let repo = conflicted();
    repo.council(["review", "HEAD"]).ends(1);
    let journal = repo.path().join(".git/council/dismissals.jsonl");
    let mut most = 0;
    kill_at_every_step(&repo, &["dismiss", "F1", "--because", "an example"], |at| {
        let text = fs::read_to_string(&journal).unwrap_or_default();
        are_whole(&text, at);
        assert!(text.is_empty() || text.ends_with('\n'), "{at}");
        are_whole(&note(&repo), at);
        let lines = text.lines().count();
        assert!(lines == most || lines == most + 1, "{at}");
        most = lines;
    });
    assert!(most > 0);
    are_whole(&note(&repo), "the end");
    repo.council(["review", "HEAD"]).prints("dismissed: F1");
}

#[test]
fn a_verdict_is_kept_and_noted_whole_or_not_at_all_whenever_a_review_is_killed() {
    let repo = conflicted();
    let head = repo.git(["rev-parse", "HEAD"]);
    kill_over_time(&repo, &["review", "HEAD", "--fresh"], |at| {
        let verdicts = repo.path().join(".git/council/verdicts");
        for entry in fs::read_dir(&verdicts).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == "json") {
                let text = fs::read(&path).unwrap();
                serde_json::from_slice::<serde_json::Value>(&text)
                    .unwrap_or_else(|error| panic!("{at}: {error}"));
            }
        }
        let mut show = repo.git_command(&["notes", "--ref=council", "show", &head]);
        let note = String::from_utf8(show.output().unwrap().stdout).unwrap();
        // Two lines are for people; the machine's one is whole, or there is no note.
        let ours: Vec<&str> = note.lines().filter(|line| line.starts_with('{')).collect();
        assert_eq!(ours.is_empty(), note.trim().is_empty(), "{at}: {note}");
        for line in ours {
            serde_json::from_str::<serde_json::Value>(line)
                .unwrap_or_else(|error| panic!("{at}: {error}"));
        }
        repo.council(["cache"]).ends(0);
    });
    repo.council(["review", "HEAD"]).ends(1);
}
