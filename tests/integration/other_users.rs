//! What other users of the machine, and other judges, may read and change of a review.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::harness::Repo;
use crate::programs::{answer, with_judge};

/// Every file and folder below one, itself included, that somebody else may read or change.
fn open_to_others(folder: &Path) -> Vec<(PathBuf, u32)> {
    let found = fs::symlink_metadata(folder).unwrap();
    let mut open = Vec::new();
    if !found.is_symlink() && found.permissions().mode() & 0o077 != 0 {
        open.push((folder.to_path_buf(), found.permissions().mode()));
    }
    if found.is_dir() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            open.extend(open_to_others(&entry.path()));
        }
    }
    open
}

/// The folders in which the program keeps what people did not ask for by name.
fn kept_folders(repo: &Repo) -> Vec<PathBuf> {
    let places = [
        repo.path().join(".git/council"),
        repo.in_home(".local/state/git-council"),
        repo.in_home("matrix"),
        repo.in_home("bundle.json"),
    ];
    places.into_iter().filter(|place| place.exists()).collect()
}

/// Code under review lies in folders of the judges, and the folder of the system is everybody's.
#[test]
fn no_other_user_reads_what_a_judge_is_given() {
    let repo = Repo::with_base();
    repo.write(
        "src/deep/more.rs",
        "/// One more.\npub const MORE: u32 = 1;\n",
    );
    repo.commit("More");
    let seen = repo.in_home("seen");
    let script = format!(
        "umask 0; cat >/dev/null; (find \"$COUNCIL_ROOM\" \"$COUNCIL_FOLDER\" \"$HOME\" -perm /077; echo looked at; \
         find \"$COUNCIL_ROOM\" -name more.rs) >'{}'",
        seen.display()
    );
    let config =
        format!("[agents.helper]\ndriver = 'command'\ncommand = ['/bin/sh', '-c', {script:?}]\n");
    repo.write_home(".config/git-council/config.toml", &config);
    repo.council(["review", "HEAD", "--config", "review.judges=1"]);
    let seen = fs::read_to_string(seen).unwrap();
    let (open, file) = seen.split_once("looked at\n").unwrap();
    assert_eq!(open, "", "everybody can read this");
    assert!(file.ends_with("/src/deep/more.rs\n"), "{seen}");
}

/// A file of the worktree may be its owner's alone, and the umask of most systems lets everybody read.
#[test]
fn no_command_leaves_a_file_that_another_user_reads() {
    let repo = with_judge(&answer("PASS", ""), "");
    let (matrix, bundle) = (repo.in_home("matrix"), repo.in_home("bundle.json"));
    let (matrix, bundle) = (matrix.to_str().unwrap(), bundle.to_str().unwrap());
    let report = repo.in_home("report.md");
    repo.write("private.txt", "salary: 91234\n");
    let commands: [&[&str]; 14] = [
        &[
            "review",
            "HEAD",
            "--format",
            "markdown",
            "-o",
            report.to_str().unwrap(),
        ],
        &["review", "--worktree"],
        &["review", "HEAD", "--backend", "background", "--fresh"],
        &["review", "HEAD", "--agents", "builtin", "--fresh"],
        &["replay"],
        &["replay", "--bundle", bundle, "--answers", "--prompts"],
        &["show"],
        &["brainstorm", "Shall we?"],
        &["log"],
        &["plan", "--run", matrix, "HEAD"],
        &["conclude", "--run", matrix],
        &["hook", "install"],
        &["hook", "run", "post-commit"],
        &["gc"],
    ];
    for command in commands {
        let run = repo.council_with(&[], command);
        for folder in kept_folders(&repo) {
            let open = open_to_others(&folder);
            assert!(open.is_empty(), "{command:?}: {open:?}\n{}", run.stderr);
        }
    }
    let made = kept_folders(&repo);
    assert_eq!(made.len(), 4, "each of them was made: {made:?}");
    let plain = repo.in_home("plain");
    fs::write(&plain, "").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(
        mode(&report),
        mode(&plain),
        "what people ask for by name is as their umask says"
    );
}

/// One program that rewrites what it was given, while others read: their answers are about the change.
#[test]
fn no_program_changes_what_another_one_reads() {
    let forges = "for f in \"$COUNCIL_PACKET\" \"$COUNCIL_FOLDER\"/*.* \"$COUNCIL_FOLDER\"/blobs/*; do\n\
                  echo forged >\"$f\"; done; touch '@MARKS/forged'";
    let reads = "while ! [ -e '@MARKS/forged' ]; do sleep 0.1; done\n\
                 cat \"$COUNCIL_FOLDER\"/*.* \"$COUNCIL_FOLDER\"/blobs/* >'@MARKS/seen'";
    let script = format!(
        "if mkdir '@MARKS/first' 2>/dev/null; then {forges}; else {reads}; fi\n{}",
        answer("PASS", "")
    );
    let repo = with_judge(&script, "");
    repo.council(["review", "HEAD"]).ends(0).prints("PASS");
    let seen = fs::read_to_string(repo.in_home("marks/seen")).unwrap();
    assert!(
        !seen.contains("forged") && seen.contains("pub const MORE"),
        "{seen}"
    );
}

/// What configuration leaves out is shown to no program, by name or by content, on either side.
#[test]
fn no_program_is_given_a_file_that_is_left_out() {
    let script = format!(
        "cat \"$COUNCIL_FOLDER\"/*.* \"$COUNCIL_FOLDER\"/blobs/* >>'@MARKS/seen'\n{}",
        answer("PASS", "")
    );
    let repo = with_judge(&script, "[review]\nignore = ['priv/']\n");
    repo.write("priv/a.rs", "/// BEFOREWORD\npub const A: u32 = 1;\n");
    repo.commit("Private");
    repo.write("priv/a.rs", "/// AFTERWORD\npub const A: u32 = 2;\n");
    repo.write("src/more.rs", "/// Two more.\npub const MORE: u32 = 2;\n");
    repo.commit("Change");
    repo.council(["review", "HEAD"]).ends(0);
    let seen = fs::read_to_string(repo.in_home("marks/seen")).unwrap();
    assert!(
        seen.contains("Two more") && seen.contains("One more"),
        "{seen}"
    );
    assert!(
        !seen.contains("BEFOREWORD") && !seen.contains("AFTERWORD"),
        "{seen}"
    );
}
