//! The main line, commit by commit; `git log -p` is the oracle.

use super::*;
use crate::testing::Repo;

fn read(repo: &Repo, commits: usize) -> (MainLineWalk, Vec<MainLineCommit>) {
    let mut seen = Vec::new();
    let limits = MainLineLimits { commits, since: 0 };
    let walked = walk_main_line(
        repo.path(),
        &Repo::env(&[]),
        "HEAD",
        limits,
        &mut |commit| {
            seen.push(commit);
        },
    );
    (walked.unwrap(), seen)
}

fn walk(repo: &Repo, commits: usize) -> Vec<MainLineCommit> {
    let (walked, seen) = read(repo, commits);
    let whole = MainLineWalk {
        commits: seen.len(),
        ..MainLineWalk::default()
    };
    assert_eq!(walked, whole);
    seen
}

/// Every hunk as `git diff -U0` heads it.
fn told_by_git(repo: &Repo, commit: &MainLineCommit) -> Vec<String> {
    let text = repo.git(&["diff", "-U0", "-M", &commit.parent, &commit.id]);
    let heads = text.lines().filter(|line| line.starts_with("@@ "));
    heads
        .map(|line| line.split(" @@").next().unwrap().to_owned())
        .collect()
}

fn told_by_us(commit: &MainLineCommit) -> Vec<String> {
    let side = |start: u32, count: usize| match count {
        0 => format!("{},0", start - 1),
        1 => start.to_string(),
        _ => format!("{start},{count}"),
    };
    let spans = commit.files.iter().filter_map(|file| file.spans.as_ref());
    spans
        .flatten()
        .map(|span| {
            let old = side(span.old_start, span.removed.len());
            format!("@@ -{old} +{}", side(span.new_start, span.added.len()))
        })
        .collect()
}

#[test]
fn spans_are_those_of_git() {
    let repo = Repo::new();
    let lines = |skip: usize, with: &str| {
        let lines = (1..=40).filter(|line| line % skip != 0);
        lines
            .map(|line| format!("line {line}{with}\n"))
            .collect::<String>()
    };
    repo.write("a.txt", lines(41, ""))
        .write("b.txt", "one\n")
        .commit("start");
    repo.write("a.txt", lines(7, "")).commit("some lines go");
    repo.write("a.txt", format!("first\n{}last\n", lines(7, "")))
        .commit("ends");
    repo.remove("a.txt")
        .write("c.txt", lines(5, ""))
        .commit("moved and changed");
    repo.write("b.txt", "")
        .write("d.txt", "new\nfile")
        .commit("emptied");
    let seen = walk(&repo, 99);
    let subjects: Vec<&str> = seen.iter().map(|commit| commit.message.trim()).collect();
    assert_eq!(
        subjects,
        ["some lines go", "ends", "moved and changed", "emptied"]
    );
    for commit in &seen {
        assert_eq!(
            told_by_us(commit),
            told_by_git(&repo, commit),
            "{}",
            commit.message
        );
    }
    assert_eq!(seen[2].files[0].old_path.as_deref(), Some(&b"a.txt"[..]));
    assert_eq!(walk(&repo, 2).len(), 2);
}

#[test]
fn a_merge_is_what_it_brought_and_binary_files_have_no_lines() {
    let repo = Repo::new();
    repo.write("a.txt", "one\n").commit("start");
    repo.git(&["checkout", "-q", "-b", "topic"]);
    repo.write("b.txt", "two\n").commit("in the branch");
    repo.git(&["checkout", "-q", "-"]);
    repo.write("c.bin", b"\0\x01").commit("binary");
    repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "topic"]);
    let seen = walk(&repo, 99);
    let subjects: Vec<&str> = seen.iter().map(|commit| commit.message.trim()).collect();
    assert_eq!(subjects, ["binary", "merge"]);
    assert_eq!(seen[0].files[0].spans, None);
    let merged = &seen[1].files;
    assert_eq!(
        (merged.len(), merged[0].path.as_slice()),
        (1, &b"b.txt"[..])
    );
}

/// What is not here costs itself alone, and is told.
#[test]
fn a_missing_text_and_a_cut_history_are_told() {
    let repo = Repo::new();
    for (number, text) in (0..).zip(["one\n", "two\n", "three\n", "four\n"]) {
        repo.write("a.txt", text)
            .write("b.txt", format!("b {text}"));
        repo.commit(&format!("commit {number}"));
    }
    let gone = repo.git(&["rev-parse", "HEAD~1:a.txt"]);
    let (folder, name) = gone.trim().split_at(2);
    std::fs::remove_file(repo.path().join(".git/objects").join(folder).join(name)).unwrap();
    let (walked, seen) = read(&repo, 99);
    // It is missing on two sides; the file beside it is compared all the same.
    assert_eq!(
        (walked.commits, walked.unread, walked.is_cut),
        (3, 2, false)
    );
    let lines = |path: &[u8]| {
        let files = seen.iter().flat_map(|commit| &commit.files);
        let of_path = files.filter(|file| file.path == path);
        of_path.filter(|file| file.spans.is_some()).count()
    };
    assert_eq!((lines(b"a.txt"), lines(b"b.txt")), (1, 3));
    let whole = Repo::new();
    for text in ["one\n", "two\n", "three\n"] {
        whole.write("a.txt", text).commit(text);
    }
    let shallow = Repo::clone_of(&whole, &["--depth", "2", "--no-local"]);
    let (walked, seen) = read(&shallow, 99);
    assert_eq!((walked.is_cut, seen.len()), (true, 1));
}

#[test]
fn an_altered_commit_has_the_contents_that_it_is_given() {
    use crate::{AlteredCommit, TargetSpec};
    let repo = Repo::new();
    repo.write("a/b.txt", "one\n")
        .write("a.txt", "one\n")
        .write("c.txt", "one\n")
        .commit("start");
    let id = repo
        .write("a/b.txt", "two\n")
        .write("a.txt", "two\n")
        .write("c.txt", "two\n")
        .commit("all");
    let files = vec![
        (b"a.txt".to_vec(), Some(b"three\n".to_vec())),
        (b"a/b.txt".to_vec(), Some(b"one\n".to_vec())),
        (b"c.txt".to_vec(), None),
    ];
    let altered = |files| {
        TargetSpec::Altered(AlteredCommit {
            commit: id.clone(),
            files,
        })
    };
    let change = repo.read(altered(files));
    let told = crate::testing::unified(&change);
    assert!(
        told.contains("+three") && !told.contains("a/b.txt") && told.contains("-one"),
        "{told}"
    );
    assert!(!told.contains("+two"), "{told}");
    // What is not there cannot be replaced.
    repo.refused(altered(vec![(b"gone.txt".to_vec(), None)]));
}
