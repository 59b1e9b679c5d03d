//! The scripts of the Action, which are tested by scripts of their own.

use std::process::Command;

use crate::harness::Run;

#[track_caller]
fn passes(script: &str) {
    let mut command = Command::new("bash");
    command.arg(format!(
        "{}/tests/action/{script}",
        env!("CARGO_MANIFEST_DIR")
    ));
    Run::of_command(command).ends(0).prints("ok");
}

#[test]
fn a_shallow_clone_is_deepened_to_the_merge_base_and_obeys_nothing_of_the_checkout() {
    passes("deepen.sh");
}

#[test]
fn no_council_of_a_job_hands_out_what_another_one_has_written() {
    passes("review.sh");
}

/// pre-commit shows nothing of a hook that ends with 0, so that a FAIL would read "Passed" where the hook only advises.
#[test]
fn every_entry_for_pre_commit_shows_what_the_hook_says() {
    let files = [
        "docs/install.md",
        ".pre-commit-hooks.yaml",
        "src/run/hook/managers.rs",
    ];
    for file in files {
        let text =
            std::fs::read_to_string(format!("{}/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let count = |words: &str| text.matches(words).count();
        let entries = count("always_run: true");
        assert!(entries > 0, "{file} has no entry any more");
        assert_eq!(count("verbose: true"), entries, "{file}");
    }
}
