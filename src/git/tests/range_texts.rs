//! Values of commits that neither side of a range holds any more.

use crate::testing::Repo;
use crate::{ChangeRequest, TargetSpec, read_change};

fn texts(repo: &Repo, range: &str) -> Option<Vec<String>> {
    let change = read_change(&ChangeRequest {
        dir: repo.path().to_path_buf(),
        spec: TargetSpec::parse(range),
        pathspecs: Vec::new(),
        env: Repo::env(&[]),
    });
    let texts = change.unwrap().range_texts()?;
    assert!(!texts.is_cut);
    let read = texts.read().into_iter();
    let told = read.map(|(path, text)| {
        let (path, text) = (
            String::from_utf8_lossy(&path),
            String::from_utf8_lossy(&text),
        );
        format!("{path}: {}", text.trim())
    });
    Some(told.collect())
}

#[test]
fn what_a_commit_of_the_range_adds_and_a_later_one_takes_back_is_read() {
    let repo = Repo::new();
    let base = repo.write("a", "one\n").commit("base");
    repo.write("a", "two\n").commit("add");
    repo.write("b", "three\n").commit("more");
    let tip = repo
        .write("a", "four\n")
        .write("b", "five\n")
        .commit("take back");
    let found = texts(&repo, &format!("{base}..{tip}")).unwrap();
    assert_eq!(found, ["a: four", "b: five", "b: three", "a: two"]);
}

/// Both sides of one commit are the change itself.
#[test]
fn a_range_of_one_commit_needs_no_look() {
    let repo = Repo::new();
    let base = repo.write("a", "one\n").commit("base");
    let tip = repo.write("a", "two\n").commit("one");
    assert_eq!(texts(&repo, &format!("{base}..{tip}")), None);
}
