//! Odd states of a repository: each ends in a way that has a name, and none passes for a review.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::harness::Repo;

/// The state of every file that the report's coverage lists, by path.
fn coverage(repo: &Repo, args: &[&str]) -> Vec<(String, String)> {
    let args: Vec<&str> = ["review", "--json"].iter().chain(args).copied().collect();
    let run = repo.council_with(&[], &args);
    let report: serde_json::Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:?}"));
    let files = report["coverage"]["files"].as_array().unwrap();
    let text = |value: &serde_json::Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    files
        .iter()
        .map(|file| (text(&file["path"]), text(&file["state"]["state"])))
        .collect()
}

fn reviewed(paths: &[&str]) -> Vec<(String, String)> {
    in_state(paths, "reviewed")
}

fn opaque(paths: &[&str]) -> Vec<(String, String)> {
    in_state(paths, "opaque")
}

fn in_state(paths: &[&str], state: &str) -> Vec<(String, String)> {
    let pair = |path: &&str| ((*path).to_owned(), state.to_owned());
    paths.iter().map(pair).collect()
}

#[test]
fn an_unborn_branch_has_staged_files_but_no_history() {
    let repo = Repo::new();
    repo.council(["review"])
        .ends(2)
        .tells("branch main has no commit yet");
    repo.council(["review", "HEAD"]).ends(2);
    repo.write("a.txt", "a\n");
    repo.git(["add", "a.txt"]);
    assert_eq!(coverage(&repo, &["--staged"]), reviewed(&["a.txt"]));
    assert_eq!(coverage(&repo, &["--worktree"]), reviewed(&["a.txt"]));
}

#[test]
fn a_root_commit_and_a_merge_are_reviewed() {
    let repo = Repo::with_base();
    repo.council(["review", "HEAD"]).ends(0);
    repo.git(["switch", "--quiet", "--create", "side"]);
    repo.write("side.txt", "s\n");
    repo.commit("Side");
    repo.git(["switch", "--quiet", "main"]);
    repo.write("main.txt", "m\n");
    repo.commit("Main");
    repo.git(["merge", "--quiet", "--no-edit", "side"]);
    assert_eq!(coverage(&repo, &["HEAD"]), reviewed(&["side.txt"]));
    repo.council(["review", "HEAD"])
        .ends(0)
        .prints("first parent");
}

#[test]
fn a_detached_head_is_compared_with_the_default_branch() {
    let repo = Repo::with_base();
    repo.git(["switch", "--quiet", "--detach"]);
    repo.write("more.txt", "m\n");
    repo.commit("More");
    assert_eq!(coverage(&repo, &[]), reviewed(&["more.txt"]));
}

#[test]
fn histories_without_a_common_commit() {
    let repo = Repo::with_base();
    repo.git(["switch", "--quiet", "--orphan", "other"]);
    repo.write("other.txt", "o\n");
    repo.commit("Other");
    repo.council(["review", "main...other"])
        .ends(2)
        .tells("have no common ancestor")
        .tells("main..other");
    repo.council(["review", "main..other"]).ends(0);
}

#[test]
fn a_shallow_clone_says_how_to_get_the_base() {
    let repo = Repo::with_base();
    for n in 0..3 {
        repo.write("n.txt", format!("{n}\n"));
        repo.commit("Next");
    }
    let clone = repo.in_home("clone");
    let url = format!("file://{}", repo.path().display());
    repo.git_in(
        &repo.path(),
        &[
            "clone",
            "--quiet",
            "--depth=1",
            &url,
            clone.to_str().unwrap(),
        ],
    );
    repo.council_in(&clone, &["review", "HEAD"], &[])
        .ends(2)
        .tells("shallow")
        .tells("git fetch --unshallow");
    repo.council_in(&clone, &["review", "HEAD~1..HEAD"], &[])
        .ends(2)
        .tells("shallow");
}

#[test]
fn a_bare_repository_is_reviewed_and_keeps_its_files_to_itself() {
    let repo = Repo::with_base();
    let bare = repo.in_home("bare.git");
    repo.git_in(
        &repo.path(),
        &["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()],
    );
    repo.council_in(&bare, &["review", "HEAD"], &[])
        .ends(0)
        .prints("PASS");
    repo.council_in(&bare, &["review", "--staged"], &[])
        .ends(2)
        .tells("needs a worktree");
    repo.council_in(&bare, &["review", "--worktree"], &[])
        .ends(2)
        .tells("needs a worktree");
    assert!(!bare.join(".agents").exists());
}

#[test]
fn a_linked_worktree_has_its_own_branch() {
    let repo = Repo::with_base();
    let linked = repo.in_home("linked");
    repo.git_in(
        &repo.path(),
        &[
            "worktree",
            "add",
            "--quiet",
            "-b",
            "topic",
            linked.to_str().unwrap(),
        ],
    );
    std::fs::write(linked.join("topic.txt"), "t\n").unwrap();
    repo.git_in(&linked, &["add", "--all"]);
    repo.git_in(&linked, &["commit", "--quiet", "--message", "Topic"]);
    repo.council_in(&linked, &["review"], &[])
        .ends(0)
        .prints("main...topic");
    assert!(linked.join(".agents/council").is_dir() && !repo.path().join(".agents").exists());
}

#[test]
fn a_conflict_in_the_index_is_told() {
    let repo = Repo::with_base();
    repo.git(["switch", "--quiet", "--create", "side"]);
    repo.write("README.md", "# Side\n");
    repo.commit("Side");
    repo.git(["switch", "--quiet", "main"]);
    repo.write("README.md", "# Main\n");
    repo.commit("Main");
    assert!(
        !repo
            .git_command(&["merge", "--quiet", "side"])
            .output()
            .unwrap()
            .status
            .success()
    );
    repo.council(["review", "--staged"])
        .ends(2)
        .tells("README.md has an unresolved merge conflict");
}

#[test]
fn links_modes_and_renames_are_reviewed() {
    let repo = Repo::with_base();
    symlink("README.md", repo.path().join("link")).unwrap();
    std::fs::set_permissions(
        repo.path().join("src/lib.rs"),
        PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    repo.git(["mv", "tests/add.rs", "tests/sum.rs"]);
    repo.commit("Odd changes");
    let mut expected = opaque(&["link"]);
    expected.extend(reviewed(&["src/lib.rs", "tests/sum.rs"]));
    assert_eq!(coverage(&repo, &["HEAD"]), expected);
}

#[test]
fn a_submodule_and_an_lfs_pointer_are_shown_as_what_they_are() {
    let repo = Repo::with_base();
    let id = repo.git(["rev-parse", "HEAD"]);
    repo.git([
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("160000,{id},module"),
    ]);
    repo.write(
        "big.bin",
        format!(
            "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12345\n",
            "a".repeat(64)
        ),
    );
    repo.git(["add", "big.bin"]);
    repo.git(["commit", "--quiet", "--message", "Links to elsewhere"]);
    assert_eq!(coverage(&repo, &["HEAD"]), opaque(&["big.bin", "module"]));
}

#[test]
fn odd_bytes_are_reviewed() {
    let repo = Repo::with_base();
    repo.write("binary.dat", b"\0\x01\x02\x03");
    repo.write("crlf.txt", "one\r\ntwo\r\n");
    repo.write("latin1.txt", b"caf\xe9\n");
    repo.write("unended.txt", "no newline");
    repo.commit("Odd bytes");
    let mut expected = opaque(&["binary.dat"]);
    expected.extend(reviewed(&["crlf.txt", "latin1.txt", "unended.txt"]));
    assert_eq!(coverage(&repo, &["HEAD"]), expected);
}

#[test]
fn a_name_that_is_not_text_is_percent_encoded_and_cannot_steer_the_terminal() {
    let repo = Repo::with_base();
    let odd = std::ffi::OsStr::from_bytes(b"b\xff\x1b[2J.txt");
    std::fs::write(repo.path().join(odd), "TODO\n").unwrap();
    repo.commit("Odd name");
    let run = repo.council(["review", "HEAD"]);
    assert!(!run.stdout.contains('\u{1b}'), "{:?}", run.stdout);
    let json = repo.council(["review", "HEAD", "--json"]).stdout;
    assert!(json.contains("b%FF") && !json.contains('\u{1b}'), "{json}");
}

#[test]
fn nothing_to_review_is_skipped_with_a_reason() {
    let repo = Repo::with_base();
    repo.council(["review", "--staged"])
        .ends(0)
        .prints("SKIPPED")
        .prints("nothing is staged");
    repo.git(["switch", "--quiet", "--create", "same"]);
    repo.council(["review"])
        .ends(0)
        .prints("SKIPPED")
        .prints("has no commits that are not in main");
    repo.write("Cargo.lock", "# lock\n");
    repo.write("package.json", "{}\n");
    repo.git(["add", "Cargo.lock"]);
    repo.git(["commit", "--quiet", "--message", "Lock"]);
    repo.council(["review", "HEAD"])
        .ends(0)
        .prints("SKIPPED")
        .prints("Cargo.lock");
}
