//! What was asked for and could not be written is an error with a name, whichever output it is. The verdict stays.

use std::process::{Command, Stdio};

use crate::harness::{Repo, Run};

/// A change without a finding, so that nothing but an output can end the program with another code than 0.
fn with_change() -> Repo {
    let repo = Repo::with_base();
    repo.write("notes.txt", "One line.\n");
    repo.commit("A note");
    repo
}

/// Every option that writes somewhere, with what its error calls the place.
const OPTIONS: [&[&str]; 5] = [
    &["--events", "/dev/full"],
    &["--output", "/dev/full"],
    &["--output", "/dev/full", "--format", "json"],
    &["--sarif", "/dev/full"],
    &["--html", "/dev/full"],
];

fn command(repo: &Repo, args: &[&str]) -> Command {
    let mut command = repo.program(&repo.path());
    command.args(["review", "HEAD"]).args(args);
    command
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_named_and_the_verdict_stays() {
    let repo = with_change();
    for option in OPTIONS {
        for more in [&["--fresh"][..], &["--no-save"], &["--quiet"]] {
            let run = repo.council_with(&[], &[&["review", "HEAD"], option, more].concat());
            let run = run
                .ends(4)
                .tells("cannot write")
                .tells("/dev/full")
                .tells("No space left");
            assert!(
                run.stdout.contains("PASS") || option.len() > 2,
                "{option:?}: {}",
                run.stdout
            );
        }
    }
    // What is worse than an output that is missing is told first.
    repo.write(
        "key.txt",
        format!("ghp_{}\n", "a1B2c3D4e5F6g7H8i9J0".repeat(2)),
    );
    repo.commit("A key");
    for option in OPTIONS {
        repo.council_with(&[], &[&["review", "HEAD"], option].concat())
            .ends(1)
            .tells("/dev/full");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn standard_output_that_takes_nothing_is_named_as_well() {
    let repo = with_change();
    for args in [&["--events", "-"][..], &["--json"], &[]] {
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let mut command = command(&repo, args);
        command.stdout(full).stderr(Stdio::piped());
        Run::of(command.output().unwrap())
            .ends(4)
            .tells("cannot write")
            .tells("standard output");
    }
}

/// A reader of events that went away has not seen the end.
#[test]
fn events_whose_reader_went_away_are_lost() {
    let repo = with_change();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = command(&repo, &["--events", "-"]);
    command.stdout(writer).stderr(Stdio::piped());
    let run = Run::of(command.output().unwrap());
    let run = run
        .ends(4)
        .tells("cannot write the events to standard output");
    assert!(
        run.stderr.contains("PASS"),
        "the report is there: {}",
        run.stderr
    );
}
