//! What is read of a file, whatever its bytes: shown, named as opaque, or a gap.

use council_protocol::change::FileKind;
use council_protocol::{FileChange, Side};

use crate::testing::{Repo, only};
use crate::{GitError, ReviewedChange, TargetSpec};

pub(super) const SECRET: &str = "AKIAQ3EGZ7VKLT5WXYNB";

fn added_file(path: &str, bytes: &[u8]) -> (Repo, ReviewedChange) {
    let repo = Repo::new();
    repo.write("other", "x\n").commit("first");
    repo.write(path, bytes).commit("second");
    let change = repo.parse("HEAD");
    (repo, change)
}

/// Where the secret is handed to judges without a model.
pub(super) fn found_in(change: &ReviewedChange, file: &FileChange) -> bool {
    let mut found = false;
    let visit = &mut |added: council_protocol::AddedText<'_>| found |= added.text.contains(SECRET);
    change.blobs.visit_added(file, visit).unwrap();
    found
}

#[test]
fn one_nul_does_not_carry_a_key_through() {
    let script = format!("#!/bin/sh\n# \0\nexport KEY={SECRET}\n");
    for path in ["deploy.sh", "deploy"] {
        let (_repo, change) = added_file(path, script.as_bytes());
        let file = only(&change);
        assert_eq!((file.kind, file.lossy), (FileKind::Text, true));
        assert!(file.hunks[0].body.contains(SECRET), "{:?}", file.hunks);
    }
}

#[test]
fn wide_text_is_shown_and_quoted_as_text() {
    let wide: Vec<u8> = format!("one\nkey = {SECRET}\n")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let (_repo, change) = added_file("a.txt", &wide);
    let file = only(&change);
    assert!(file.hunks[0].body.contains(&format!("+key = {SECRET}\n")));
    assert_eq!(file.new_size, Some(wide.len() as u64));
    let text = change.blobs.read(Side::New, &file.path).unwrap().unwrap();
    assert_eq!(&*text, format!("one\nkey = {SECRET}\n").as_bytes());
}

#[test]
fn bytes_under_a_name_that_promises_text_are_refused_with_the_next_step() {
    let (_repo, change) = added_file("run.py", &[0, 1, 2, 0, 3, 255, 0, 7]);
    let error = change.fill_hunks(&mut change.files[0].clone()).unwrap_err();
    assert!(matches!(error, GitError::NoText { .. }), "{error}");
    assert!(
        error.with_hint().contains("; store it as UTF-8"),
        "{}",
        error.with_hint()
    );
}

#[test]
fn opaque_bytes_are_handed_to_judges_without_a_model() {
    let mut bytes = vec![0, 1, 2, 255, 0, 200];
    bytes.extend(SECRET.bytes().flat_map(|b| [b, 0]));
    bytes.extend([0; 64]);
    let (_repo, change) = added_file("firmware.bin", &bytes);
    let file = only(&change);
    assert_eq!((file.kind, file.hunks.len()), (FileKind::Binary, 0));
    assert!(found_in(&change, &file));
}

#[test]
fn a_patch_hands_over_what_it_adds() {
    let repo = Repo::new();
    let patch = format!("--- a/vendor/x\n+++ b/vendor/x\n@@ -1 +1,2 @@\n a\n+{SECRET}\n");
    let change = repo.read(TargetSpec::Patch(patch.into_bytes(), "p".into()));
    assert!(found_in(&change, &change.files[0].clone()));
}

#[test]
fn a_large_file_is_a_gap_with_a_hint_and_is_searched_all_the_same() {
    let line = "0123456789abcdef 0123456789abcdef\n".repeat(200_000);
    let text = format!("{line}{SECRET}\n");
    let (_repo, change) = added_file("data.txt", text.as_bytes());
    let mut file = change.files[0].clone();
    let error = change.fill_hunks(&mut file).unwrap_err();
    assert!(
        error.with_hint().contains("-- PATHSPEC"),
        "{}",
        error.with_hint()
    );
    assert!(file.hunks.is_empty() && found_in(&change, &file));
}

#[test]
fn an_object_that_is_not_what_its_name_says_is_damaged() {
    let repo = Repo::new();
    repo.write("a", "one\n").commit("first");
    repo.write("a", "two\n").commit("second");
    let id = |text: &[u8]| repo.pipe(&["hash-object", "-w", "--stdin"], text);
    let (real, other) = (id(b"two\n"), id(b"evil\n"));
    let path = |id: &str| {
        repo.path()
            .join(format!(".git/objects/{}/{}", &id[..2], &id[2..]))
    };
    std::fs::remove_file(path(&real)).unwrap();
    std::fs::copy(path(&other), path(&real)).unwrap();
    is_damaged_for_both_sources(&repo);
}

/// The only file of the last commit cannot be read, neither by libgit2 nor by git itself.
fn is_damaged_for_both_sources(repo: &Repo) {
    let damaged = |change: &ReviewedChange| {
        let error = change.fill_hunks(&mut change.files[0].clone()).unwrap_err();
        assert!(matches!(error, GitError::Damaged { .. }), "{error}");
    };
    damaged(&repo.parse("HEAD"));
    let request = repo.request(TargetSpec::parse("HEAD"));
    let path = std::env::var("PATH").unwrap();
    let env = Repo::env(&[("PATH", &path), ("HOME", "/nonexistent")]);
    let store = crate::repository::OpenRepository::by_command(repo.path(), &env, "a test");
    damaged(&crate::read::read_from(store.unwrap(), &request).unwrap());
}

/// The same in a pack: its index leads one name to the bytes of another.
#[test]
fn an_object_of_a_pack_that_is_not_what_its_name_says_is_damaged() {
    let repo = Repo::new();
    repo.write("b", "evil\n")
        .write("a", "one\n")
        .commit("first");
    repo.write("a", "two\n").commit("second");
    repo.git(&["repack", "-a", "-d", "-q"]);
    assert_eq!(repo.git(&["cat-file", "-p", "HEAD:a"]), "two");
    let [real, other] = ["HEAD:a", "HEAD:b"].map(|name| repo.git(&["rev-parse", name]));
    let folder = std::fs::read_dir(repo.path().join(".git/objects/pack")).unwrap();
    let mut files = folder.map(|entry| entry.unwrap().path());
    let index = files.find(|file| file.extension().is_some_and(|end| end == "idx"));
    swap_in_index(&index.unwrap(), &real, &other);
    assert_eq!(repo.git(&["cat-file", "-p", "HEAD:a"]), "evil");
    is_damaged_for_both_sources(&repo);
}

/// Swaps the places of two objects in the index of a pack (version 2): a header of 8 bytes, 256 counts, the names, a
/// checksum of each, the place of each.
fn swap_in_index(file: &std::path::Path, one: &str, other: &str) {
    let mut bytes = std::fs::read(file).unwrap();
    let names = 8 + 256 * 4;
    let count = u32::from_be_bytes(bytes[names - 4..names].try_into().unwrap()) as usize;
    let place = |id: &str| {
        let id = hex::decode(id).unwrap();
        let of = |n: usize| &bytes[names + n * 20..names + n * 20 + 20];
        let number = (0..count).find(|&n| of(n) == id).unwrap();
        names + count * 24 + number * 4
    };
    let (a, b) = (place(one), place(other));
    (0..4).for_each(|byte| bytes.swap(a + byte, b + byte));
    std::fs::remove_file(file).unwrap();
    std::fs::write(file, bytes).unwrap();
}

/// One of two entries of a name is reviewed, and the other may be checked out.
#[test]
fn a_tree_whose_entries_git_would_not_write_is_damaged() {
    let repo = Repo::new();
    repo.write("a.py", "good = 1\n").write("d/x.py", "x\n");
    repo.commit("first");
    let id = |text: &[u8]| repo.pipe(&["hash-object", "-w", "--stdin"], text);
    let (good, evil) = (id(b"good = 1\n"), id(b"evil = 1\n"));
    let tree = |entries: &[(&str, &str, &str)]| {
        let mut bytes = Vec::new();
        for (mode, name, id) in entries {
            bytes.extend(format!("{mode} {name}\0").bytes());
            bytes.extend(hex::decode(id).unwrap());
        }
        let args = ["hash-object", "-t", "tree", "-w", "--stdin", "--literally"];
        repo.pipe(&args, &bytes)
    };
    let (file, folder) = ("100644", "40000");
    let (one, two) = (tree(&[(file, "x", &good)]), tree(&[(file, "x", &evil)]));
    for (root, said) in [
        (
            tree(&[(file, "a.py", &good), (file, "a.py", &evil)]),
            "it lists `a.py` twice",
        ),
        (
            tree(&[(folder, "d", &one), (folder, "d", &two)]),
            "it lists `d` twice",
        ),
        (
            tree(&[
                (file, "d", &good),
                (file, "d.py", &good),
                (folder, "d", &two),
            ]),
            "it lists `d` twice",
        ),
        (
            tree(&[(file, "b.py", &good), (file, "a.py", &evil)]),
            "`a.py` is out of order",
        ),
        (
            tree(&[(
                folder,
                "d",
                &tree(&[(file, "y", &good), (file, "x", &evil)]),
            )]),
            "out of order",
        ),
        (tree(&[(folder, "..", &two)]), "`..` is no name"),
    ] {
        let commit = repo.pipe(&["commit-tree", "-p", "HEAD", "-m", "x", &root], b"");
        let error = repo.refused(TargetSpec::parse(&commit)).to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn the_content_of_a_file_is_no_revision() {
    let repo = Repo::new();
    repo.write("a", "one\n").commit("first");
    let error = repo.refused(TargetSpec::parse("HEAD:a"));
    assert!(error.to_string().contains("content of a file"), "{error}");
}
