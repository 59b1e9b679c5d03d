//! What a file can be.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use council_protocol::RepoPath;
use council_protocol::change::{FileKind, FileStatus, Side, TreeEntry};

use crate::testing::{Repo, only, unified};
use crate::{ReviewedChange, TargetSpec, read_change};

/// A repository in which the last commit turns `old` into `new`.
fn changed(old: &[u8], new: &[u8]) -> (Repo, ReviewedChange) {
    let repo = Repo::new();
    repo.write("file", old).commit("old");
    repo.write("file", new).commit("new");
    let change = repo.parse("HEAD");
    (repo, change)
}

fn same_as_git(repo: &Repo, change: &ReviewedChange) {
    let args = [
        "-c",
        "core.quotePath=false",
        "diff",
        "-M",
        "--abbrev=10",
        "HEAD~",
        "HEAD",
    ];
    assert_eq!(unified(change).trim_end_matches('\n'), repo.git(&args));
}

#[test]
fn a_change_of_mode() {
    let repo = Repo::new();
    repo.write("run", "x\n").commit("old");
    repo.git(&["update-index", "--chmod=+x", "run"]);
    repo.git(&["commit", "-q", "-m", "new"]);
    let change = repo.parse("HEAD");
    let file = only(&change);
    assert_eq!((file.old_mode, file.new_mode), (0o100644, 0o100755));
    assert_eq!((file.status, file.hunks.len()), (FileStatus::Modified, 0));
    same_as_git(&repo, &change);
}

#[test]
fn a_symbolic_link_shows_its_target() {
    let repo = Repo::new();
    repo.write("x", "x\n").commit("old");
    repo.link("link", "/etc/passwd").commit("new");
    let change = repo.parse("HEAD");
    let file = only(&change);
    assert_eq!((file.kind, file.new_mode), (FileKind::Symlink, 0o120000));
    assert_eq!(
        file.hunks[0].body,
        "+/etc/passwd\n\\ No newline at end of file\n"
    );
    let read = change
        .blobs
        .read(Side::New, &"link".into())
        .unwrap()
        .unwrap();
    assert_eq!(&*read, b"/etc/passwd");
    same_as_git(&repo, &change);
}

#[test]
fn a_file_that_becomes_a_link_is_replaced_whole() {
    let repo = Repo::new();
    repo.write("x", "one\ntwo\n").commit("old");
    repo.remove("x").link("x", "one").commit("new");
    let change = repo.parse("HEAD");
    let file = only(&change);
    assert_eq!(
        (file.status, file.kind),
        (FileStatus::TypeChanged, FileKind::Symlink)
    );
    same_as_git(&repo, &change);
}

#[test]
fn a_submodule_shows_its_commits() {
    let (library, repo) = (Repo::new(), Repo::new());
    let one = library.write("lib", "1\n").commit("one");
    let two = library.write("lib", "2\n").commit("two");
    let bump = |id: &str| {
        repo.git(&[
            "update-index",
            "--add",
            "--cacheinfo",
            &format!("160000,{id},vendored"),
        ]);
        repo.git(&["commit", "-q", "-m", id]);
    };
    bump(&one);
    bump(&two);
    let change = repo.parse("HEAD");
    let file = only(&change);
    assert_eq!(file.kind, FileKind::Submodule);
    let expected = format!("-Subproject commit {one}\n+Subproject commit {two}\n");
    assert_eq!(file.hunks[0].body, expected);
    same_as_git(&repo, &change);
}

#[test]
fn a_pointer_of_lfs_is_labelled() {
    let pointer = |n: u8| {
        let digest = format!("{n}").repeat(64);
        format!("version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {n}\n")
    };
    let (repo, change) = changed(pointer(1).as_bytes(), pointer(2).as_bytes());
    assert_eq!(only(&change).kind, FileKind::LfsPointer);
    same_as_git(&repo, &change);
}

#[test]
fn binary_content_has_no_hunks() {
    let (repo, change) = changed(b"\0\x01", b"\0\x02\x03");
    let file = only(&change);
    assert_eq!((file.kind, file.hunks.len()), (FileKind::Binary, 0));
    assert_eq!((file.old_size, file.new_size), (Some(2), Some(3)));
    same_as_git(&repo, &change);
}

#[test]
fn text_that_was_binary_is_shown_whole() {
    let (_repo, change) = changed(b"\0\x01", b"fn main() {}\n");
    let file = only(&change);
    assert_eq!(file.kind, FileKind::Text);
    assert_eq!(file.hunks[0].body, "+fn main() {}\n");
}

#[test]
fn carriage_returns_and_a_missing_newline_are_kept() {
    let (repo, change) = changed(b"one\r\ntwo\r\nthree", b"one\r\n2\r\nthree\r\n");
    let body = &only(&change).hunks[0].body;
    assert!(
        body.contains("-two\r\n") && body.contains("+2\r\n"),
        "{body:?}"
    );
    assert!(
        body.contains("-three\n\\ No newline at end of file\n"),
        "{body:?}"
    );
    same_as_git(&repo, &change);
}

#[test]
fn a_change_of_line_endings_is_seen() {
    let (repo, change) = changed(b"one\ntwo\n", b"one\r\ntwo\r\n");
    assert_eq!(only(&change).counts(), (2, 2));
    same_as_git(&repo, &change);
}

#[test]
fn bytes_that_are_not_utf8() {
    let (_repo, change) = changed(b"caf\xe9\n", b"caf\xe8\n");
    let file = only(&change);
    assert!(file.lossy);
    assert_eq!(file.hunks[0].body, "-caf\u{fffd}\n+caf\u{fffd}\n");
}

#[test]
fn a_path_that_is_not_utf8() {
    let repo = Repo::new();
    let name = OsStr::from_bytes(b"caf\xe9 \"x\".txt");
    std::fs::write(repo.path().join(name), "x\n").unwrap();
    repo.commit("odd name");
    let change = repo.parse("HEAD");
    let path = RepoPath::new(name.as_bytes());
    assert_eq!(only(&change).path, path);
    assert!(change.blobs.read(Side::New, &path).unwrap().is_some());
    let expected = "diff --git \"a/caf\\351 \\\"x\\\".txt\" \"b/caf\\351 \\\"x\\\".txt\"\n";
    assert!(
        unified(&change).starts_with(expected),
        "{}",
        unified(&change)
    );
    let untracked = OsStr::from_bytes(b"\xff\xfe");
    std::fs::write(repo.path().join(untracked), "y\n").unwrap();
    let change = repo.read(TargetSpec::Worktree);
    assert_eq!(only(&change).path, RepoPath::new(b"\xff\xfe".to_vec()));
}

#[test]
fn an_empty_file() {
    let repo = Repo::new();
    repo.write("x", "x\n").commit("old");
    repo.write("empty", "").commit("new");
    let change = repo.parse("HEAD");
    assert_eq!(
        (only(&change).hunks.len(), only(&change).new_size),
        (0, Some(0))
    );
    same_as_git(&repo, &change);
}

#[test]
fn a_directory_that_becomes_a_file() {
    let repo = Repo::new();
    repo.write("x/a", "a\n")
        .write("x.y", "")
        .write("x0", "")
        .commit("old");
    repo.remove("x/a");
    std::fs::remove_dir(repo.path().join("x")).unwrap();
    repo.write("x", "x\n").commit("new");
    let change = repo.parse("HEAD");
    let found: Vec<_> = change
        .files
        .iter()
        .map(|f| (f.path.display(), f.status))
        .collect();
    assert_eq!(
        found,
        [
            ("x".into(), FileStatus::Added),
            ("x/a".into(), FileStatus::Deleted)
        ]
    );
}

#[test]
fn a_blob_over_the_bound_is_an_error_and_not_an_omission() {
    let repo = Repo::new();
    repo.write("big", vec![b'x'; 65 << 20]).commit("big");
    let change = read_change(&repo.request(TargetSpec::parse("HEAD"))).unwrap();
    let mut file = change.files[0].clone();
    let error = change.fill_hunks(&mut file).unwrap_err().to_string();
    assert!(error.contains("too large to review"), "{error}");
}

#[test]
fn a_side_lists_its_whole_tree() {
    let repo = Repo::new();
    repo.write("a/b.txt", "b\n")
        .write("same", "s\n")
        .commit("old");
    repo.link("link", "same")
        .remove("a/b.txt")
        .write("c", "c\n");
    repo.git(&["add", "--all"]);
    let id = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("160000,{id},module"),
    ]);
    repo.git(&["commit", "-q", "-m", "new"]);
    let change = repo.parse("HEAD");
    let listed = |side| {
        let entries = change.blobs.entries(side).unwrap().unwrap();
        let shown = |entry: &TreeEntry| format!("{} {:?}", entry.path.display(), entry.kind);
        entries.iter().map(shown).collect::<Vec<_>>()
    };
    assert_eq!(listed(Side::Old), ["a/b.txt File", "same File"]);
    assert_eq!(
        listed(Side::New),
        ["c File", "link Symlink", "module Submodule", "same File"]
    );
}
