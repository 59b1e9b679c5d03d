use super::*;
use crate::testing::Repo;

fn runner(repo: &Repo) -> GitRunner {
    let env = Repo::env(&[("PATH", std::env::var("PATH").unwrap().as_str())]);
    GitRunner::new(&repo.path().join(".git"), &env).unwrap()
}

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("a.txt", "one\n").commit("first");
    repo
}

/// A directory with a program called `git`.
fn impostor(script: &str) -> (Repo, GitEnvironment) {
    use std::os::unix::fs::PermissionsExt;
    let dir = Repo::outside();
    dir.write("git", format!("#!/bin/sh\n{script}\n"));
    let file = dir.path().join("git");
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let env = Repo::env(&[("PATH", dir.path().to_str().unwrap())]);
    (dir, env)
}

#[test]
fn objects_are_read_through_a_pipe() {
    let repo = repo();
    let id = repo.git(&["rev-parse", "HEAD:a.txt"]);
    let said = runner(&repo)
        .run_command(PlumbingCommand::CatFile, &["--batch"], &[], id.as_bytes())
        .unwrap();
    assert_eq!(said, format!("{id} blob 4\none\n\n").into_bytes());
}

#[test]
fn an_operand_cannot_become_an_option() {
    let error = runner(&repo()).run_command(
        PlumbingCommand::RevList,
        &[],
        &[OsStr::new("--output=/tmp/x"), OsStr::new("HEAD")],
        b"",
    );
    assert!(matches!(error, Err(RunError::Operand { .. })));
}

#[test]
fn a_failure_says_what_git_said() {
    let error = runner(&repo()).run_command(
        PlumbingCommand::RevParse,
        &["--verify"],
        &[OsStr::new("x")],
        b"",
    );
    let Err(RunError::Failed {
        stderr,
        code: Some(128),
        ..
    }) = error
    else {
        panic!("{error:?}")
    };
    assert!(
        stderr.contains("fatal: Needed a single revision"),
        "{stderr}"
    );
}

#[test]
fn a_flood_is_capped() {
    let (dir, env) = impostor("while :; do echo flood flood flood flood; done");
    let mut runner = GitRunner::new(dir.path(), &env).unwrap();
    runner.cap = 10_000;
    let error = runner
        .run_command(PlumbingCommand::RevList, &[], &[], b"")
        .unwrap_err();
    assert_eq!(
        error,
        RunError::TooMuch {
            command: "rev-list",
            cap: 10_000
        }
    );
}

#[test]
fn a_command_that_hangs_is_ended() {
    let (dir, env) = impostor("exec /bin/sleep 100");
    let mut runner = GitRunner::new(dir.path(), &env).unwrap();
    runner.deadline = Duration::from_millis(50);
    let begin = Instant::now();
    let error = runner
        .run_command(PlumbingCommand::RevList, &[], &[], b"")
        .unwrap_err();
    assert!(matches!(error, RunError::Deadline { .. }), "{error}");
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn the_environment_is_cleared() {
    let (dir, env) = impostor("/usr/bin/env");
    let said = GitRunner::new(dir.path(), &env)
        .unwrap()
        .run_command(PlumbingCommand::RevList, &[], &[], b"")
        .unwrap();
    let said = String::from_utf8(said).unwrap();
    let known = |line: &&str| {
        let shell = ["PWD=", "SHLVL=", "_=", "OLDPWD="]
            .iter()
            .any(|name| line.starts_with(name));
        shell
            || line.starts_with("GIT_DIR=")
            || FIXED.iter().any(|(n, v)| **line == format!("{n}={v}"))
    };
    let unknown: Vec<_> = said.lines().filter(|line| !known(line)).collect();
    assert_eq!(unknown, Vec::<&str>::new());
}

#[test]
fn git_is_looked_for_in_absolute_directories_only() {
    let env = Repo::env(&[("PATH", ".:bin:/nowhere")]);
    assert_eq!(
        GitRunner::new(Path::new("/"), &env).unwrap_err(),
        RunError::NoGit
    );
}
