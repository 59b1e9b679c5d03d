//! A named pipe in the place of a file: whoever opens one waits for somebody else, so it is refused at once. What is open
//! already (`-`, `/dev/stdout`, a shell's `<(…)` and `>(…)`) is used as it is.

use std::process::Command;

use crate::harness::{Repo, Run};

const PROGRAM: &str = env!("CARGO_BIN_EXE_git-council");

/// Commands that write to the file FILE.
const OUTPUTS: [&str; 7] = [
    "review HEAD --sarif FILE",
    "review HEAD --html FILE",
    "review HEAD --json -o FILE",
    "review HEAD --events FILE",
    "show -o FILE",
    "replay --bundle FILE",
    "demo --at-once --html FILE",
];

/// Commands that read the file FILE.
const INPUTS: [&str; 4] = [
    "review --patch FILE",
    "review --file FILE",
    "review HEAD --perspectives-file FILE",
    "publish --report FILE --pr 1 --repo o/n",
];

fn reviewed() -> Repo {
    let repo = Repo::with_base();
    repo.write("src/more.rs", "pub fn more() {}\n");
    repo.commit("More");
    repo.council(["review", "HEAD", "-q"]).ends(0);
    repo
}

/// A command in a shell, which is ended when it waits for somebody.
fn told(repo: &Repo, script: &str) -> Run {
    let mut command = repo.shell(&format!("exec timeout -k 1 60 {script}"));
    Run::of(command.output().unwrap())
}

/// Law: whatever is read or written, a named pipe is an error that names it, before anything is reviewed.
#[test]
fn a_named_pipe_is_refused_at_once_wherever_a_file_is_named() {
    let repo = reviewed();
    let pipe = repo.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    for line in OUTPUTS.iter().chain(&INPUTS) {
        let args = line.replace("FILE", "pipe");
        let run = told(&repo, &format!("{PROGRAM} {args}"));
        assert!(
            [2, 4].contains(&run.code),
            "{line}: {} {}",
            run.code,
            run.stderr
        );
        assert!(
            run.stderr.contains("pipe: it is a named pipe"),
            "{line}: {}",
            run.stderr
        );
        assert!(!run.stdout.contains("PASS"), "{line}: {}", run.stdout);
    }
}

/// Law: what a shell has opened is written, whether it is a pipe, a file or a terminal, and read.
#[test]
fn what_a_shell_has_opened_is_used_as_it_is() {
    let repo = reviewed();
    for line in OUTPUTS {
        let out = line.replace("FILE", "/dev/stdout");
        told(&repo, &format!("{PROGRAM} {out} | cat > piped")).ends(0);
        let written = std::fs::read_to_string(repo.path().join("piped")).unwrap();
        assert!(!written.is_empty(), "{line}");
    }
    let patch = "git diff HEAD~1 HEAD";
    for script in [
        format!("bash -c '{PROGRAM} review --patch <({patch})'"),
        format!("bash -c '{PROGRAM} review --patch /dev/stdin < <({patch})'"),
        format!("bash -c '{patch} | {PROGRAM} review --patch -'"),
    ] {
        let run = told(&repo, &script);
        assert!([0, 3].contains(&run.code), "{script}: {}", run.stderr);
        assert!(
            !run.stderr.contains("cannot read"),
            "{script}: {}",
            run.stderr
        );
    }
}
