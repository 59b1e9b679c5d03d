//! Limits that a shell sets (`ulimit`): each ends a review in an error that names it, and none by a signal or a panic.

use std::fs;
use std::process::Command;

use crate::harness::{Repo, Run};

/// The program as a shell runs it under a limit of its own.
fn limited(repo: &Repo, limit: &str) -> Run {
    let program = repo.program(&repo.path());
    let mut shell = Command::new("sh");
    let script = format!("ulimit {limit}; exec \"$0\" review HEAD");
    shell.args(["-c", &script]).arg(program.get_program());
    shell.env_clear().current_dir(repo.path());
    for (name, value) in program.get_envs() {
        shell.env(name, value.unwrap());
    }
    Run::of(shell.output().unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn limits_of_the_process_end_in_an_error_that_names_them() {
    let repo = Repo::with_base();
    repo.write("a.rs", "fn a() {}\n");
    repo.commit("Add a");
    for files in [6, 7] {
        limited(&repo, &format!("-n {files}"))
            .ends(3)
            .tells("ulimit -n");
    }
    limited(&repo, "-n 8")
        .ends(3)
        .tells("the limit on open files is 8")
        .tells("ulimit -n");
    // A debug build maps 78 MB of itself alone: below that nothing begins.
    for kilobytes in [120_000, 200_000, 500_000] {
        limited(&repo, &format!("-v {kilobytes}"))
            .ends(3)
            .tells(&format!(
                "the limit on bytes of memory is {}",
                kilobytes * 1024
            ));
    }
    for kilobytes in [5_000, 10_000, 200_000] {
        limited(&repo, &format!("-d {kilobytes}"))
            .ends(3)
            .tells("the limit on bytes of data is")
            .tells("ulimit -d");
    }
    for stack in [100, 200, 1000] {
        limited(&repo, &format!("-s {stack}"))
            .ends(3)
            .tells("the limit on bytes of stack is")
            .tells("ulimit -s");
    }
    limited(&repo, "-s 1024").ends(0);
    limited(&repo, "-f 1").tells("File too large");
    limited(&repo, "-n 64").ends(0);
}

/// Just above what is refused at once a review ends in a verdict or in an error: by no signal, and in no panic.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_that_is_just_enough_to_begin_ends_a_review_by_no_signal() {
    let repo = Repo::with_base();
    let limits = (32..=48)
        .step_by(2)
        .map(|files| format!("-n {files}"))
        .chain([590_000, 600_000, 800_000].map(|kilobytes| format!("-v {kilobytes}")))
        .chain([262_144, 400_000].map(|kilobytes| format!("-d {kilobytes}")));
    let limits: Vec<String> = limits.collect();
    for (name, text) in [
        ("a.rs", "fn a() {}\n".to_owned()),
        ("b.txt", "let b = 1;\n".repeat(8 << 20 >> 3)),
    ] {
        repo.write(name, text);
        repo.commit("Add a file");
        for limit in &limits {
            let run = limited(&repo, limit);
            let is_ended = (0..=4).contains(&run.code) && !run.stderr.contains("panicked");
            assert!(is_ended, "{name} {limit} {run:?}");
        }
    }
}

/// Whatever is written when a file may not grow: the program says so, and no signal ends it. Its output goes into a file.
#[test]
fn a_limit_on_the_size_of_files_is_an_error_from_the_first_word_on() {
    let repo = Repo::with_base();
    repo.write("a.rs", "fn a() {}\n".repeat(1000));
    repo.commit("Add a");
    let out = repo.in_home("out");
    let commands = [
        "--version",
        "--help",
        "help --all",
        "review --help",
        "review --no-such-flag",
        "review HEAD --json",
        "config",
        "doctor",
        "demo",
        "explain provider-token",
        "schema report",
    ];
    for (command, blocks) in commands.iter().flat_map(|c| [(c, 0), (c, 1)]) {
        let program = repo.program(&repo.path());
        let script = format!("ulimit -c 0; ulimit -f {blocks}; exec \"$0\" {command} >\"$1\"");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).arg(program.get_program());
        shell.arg(&out).env_clear().current_dir(repo.path());
        shell.envs(program.get_envs().filter_map(|(k, v)| Some((k, v?))));
        let run = Run::of(shell.output().unwrap());
        assert!(run.code <= 4, "{command} {blocks} {run:?}");
        let is_cut = fs::metadata(&out).unwrap().len() == blocks * 512;
        if is_cut && !command.ends_with("no-such-flag") {
            run.ends(4)
                .tells("cannot write to standard output: File too large");
        }
    }
}
