//! Renames, with `git diff -M` as the oracle.

use std::collections::BTreeSet;

use council_protocol::FileChange;
use council_protocol::change::FileStatus;

use crate::testing::{Repo, only, unified};
use crate::{ReviewedChange, TargetSpec};

/// A file of `lines` lines, of which every `every`-th differs by `salt`.
fn text(seed: usize, lines: usize, salt: &str, every: usize) -> String {
    let line = |n: usize| match (n + 1) % every {
        0 => format!("line {n} of {seed} {salt}\n"),
        _ => format!("line {n} of {seed}\n"),
    };
    (0..lines).map(line).collect()
}

/// Old content and new name: which of several equal files was renamed is a matter of taste.
type Renames = BTreeSet<(String, String)>;

fn ours(change: &ReviewedChange) -> Renames {
    let renamed = change
        .files
        .iter()
        .filter(|file| file.status == FileStatus::Renamed);
    let pair = |f: &FileChange| (f.old_id.clone().unwrap(), f.path.display().into_owned());
    renamed.map(pair).collect()
}

fn gits(repo: &Repo) -> Renames {
    let listed = repo.git(&[
        "diff",
        "-M",
        "-l1000",
        "--raw",
        "--no-abbrev",
        "HEAD~",
        "HEAD",
    ]);
    // `:100644 100644 <old id> <new id> R100<tab>old<tab>new`
    let fields = listed
        .lines()
        .map(|line| line.split([' ', '\t']).collect::<Vec<_>>());
    let renames = fields.filter(|fields| fields[4].starts_with('R'));
    renames
        .map(|fields| (fields[2].to_owned(), fields[6].to_owned()))
        .collect()
}

#[test]
fn an_edited_rename_is_shown_as_git_shows_it() {
    let repo = Repo::new();
    repo.write("old/name.txt", text(1, 40, "", 50))
        .commit("old");
    repo.remove("old/name.txt")
        .write("new/other.txt", text(1, 40, "edited", 10))
        .commit("new");
    let change = repo.parse("HEAD");
    let file = only(&change);
    assert_eq!(file.old_path, Some("old/name.txt".into()));
    let theirs = repo.git(&["diff", "-M", "--abbrev=10", "HEAD~", "HEAD"]);
    assert_eq!(unified(&change).trim_end(), theirs);
}

#[test]
fn pure_renames_of_files_links_and_empty_files() {
    let repo = Repo::new();
    repo.write("a", "same\n")
        .write("empty", "")
        .link("link", "a")
        .commit("old");
    repo.git(&["mv", "a", "b"]);
    repo.git(&["mv", "empty", "void"]);
    repo.git(&["mv", "link", "tie"]);
    repo.commit("new");
    let change = repo.parse("HEAD");
    assert_eq!(ours(&change), gits(&repo));
    assert_eq!(ours(&change).len(), 3);
    assert!(change.files.iter().all(|file| file.similarity == Some(100)));
    assert_eq!(
        unified(&change).trim_end(),
        repo.git(&["diff", "-M", "HEAD~", "HEAD"])
    );
}

#[test]
fn many_renames_of_every_sort_are_those_that_git_finds() {
    let repo = Repo::new();
    for n in 0..120 {
        repo.write(&format!("old/d{}/f{n}.txt", n % 7), text(n, 30, "", 99));
        repo.write(&format!("old/same/{n}/mod.rs"), text(n / 3, 25, "", 99));
        repo.write(&format!("old/edited/{n}.rs"), text(n, 50, "", 99));
    }
    repo.write("old/binary", [0, 1, 2, 3, 4].repeat(100))
        .commit("old");
    std::fs::remove_dir_all(repo.path().join("old")).unwrap();
    for n in 0..120 {
        repo.write(&format!("new/e{}/f{n}.txt", n % 5), text(n, 30, "", 99));
        repo.write(
            &format!("new/same/x{n}/mod.rs"),
            text(n / 3, 25, "changed", 5 + n % 8),
        );
        repo.write(
            &format!("new/edited/renamed-{n}.rs"),
            text(n, 50, "changed", 2 + n % 9),
        );
    }
    repo.write("new/data", [0, 1, 2, 3, 4].repeat(101))
        .commit("new");
    let (ours, gits) = (ours(&repo.parse("HEAD")), gits(&repo));
    assert!(gits.len() > 300, "{}", gits.len());
    let missed: Vec<_> = gits.difference(&ours).collect();
    assert!(
        missed.len() * 100 <= gits.len() * 3,
        "{} of {}: {missed:?}",
        missed.len(),
        gits.len()
    );
}

#[test]
fn a_file_less_than_half_alike_is_no_rename() {
    let repo = Repo::new();
    repo.write("a.txt", text(1, 20, "", 99)).commit("old");
    repo.remove("a.txt")
        .write("b.txt", text(2, 20, "", 99))
        .commit("new");
    assert_eq!(ours(&repo.parse("HEAD")), Renames::new());
    assert_eq!(gits(&repo), Renames::new());
}

#[test]
fn too_many_candidates_are_left_and_it_is_said() {
    let repo = Repo::new();
    for n in 0..1010 {
        repo.write(&format!("old/{n}"), format!("{n}\n"));
    }
    repo.write("old/exact", "exact\n").commit("old");
    std::fs::remove_dir_all(repo.path().join("old")).unwrap();
    for n in 0..1010 {
        repo.write(&format!("new/x{n}"), format!("x{n}\n"));
    }
    repo.write("new/moved", "exact\n").commit("new");
    let change = repo.parse("HEAD");
    assert_eq!(ours(&change), gits(&repo));
    assert_eq!(ours(&change).len(), 1);
    assert!(
        change.notes[0].starts_with("1010 removed and 1010 added files"),
        "{:?}",
        change.notes
    );
}

#[test]
fn renames_into_the_index_and_the_worktree() {
    let repo = Repo::new();
    repo.write("old.txt", text(1, 20, "", 99)).commit("old");
    repo.git(&["mv", "old.txt", "new.txt"]);
    for spec in [TargetSpec::Staged, TargetSpec::Worktree] {
        assert_eq!(only(&repo.read(spec)).old_path, Some("old.txt".into()));
    }
    repo.write("new.txt", text(1, 20, "edited", 10));
    assert_eq!(
        only(&repo.read(TargetSpec::Worktree)).status,
        FileStatus::Renamed
    );
}
