//! What a change left out, told by a judge without a model.

use crate::git::testing::Repo;
use crate::git::{ChangeRequest, ReviewedChange, TargetSpec, read_change};
use crate::sight::open_eyes;
use crate::sight::tests::corpus::write_commit;

/// `together` commits of two files, `alone` of the first, and then the change.
fn repository(together: usize, alone: usize, change: &[&str]) -> Repo {
    let repo = Repo::new();
    let mut stream = String::new();
    let mut write = |round: usize, paths: &[&str]| {
        let files = paths
            .iter()
            .map(|path| ((*path).to_owned(), format!("{path} {round}\n")));
        write_commit(&mut stream, "a commit", &files.collect::<Vec<_>>());
    };
    write(0, &["schema.sql", "model.py", "other.py"]);
    for round in 1..=alone {
        write(round, &["schema.sql"]);
    }
    for round in 1..=together {
        write(alone + round, &["schema.sql", "model.py"]);
    }
    write(999, change);
    repo.pipe(&["fast-import", "--quiet"], stream.as_bytes());
    repo
}

fn seeing(repo: &Repo, is_whole: bool) -> ReviewedChange {
    let mut change = read_change(&ChangeRequest {
        dir: repo.path().to_path_buf(),
        spec: TargetSpec::parse("main~1..main"),
        pathspecs: Vec::new(),
        env: Repo::env(&[]),
    })
    .unwrap();
    open_eyes(&mut change, is_whole);
    change
}

fn told(repo: &Repo) -> Vec<(String, usize, usize)> {
    let found = seeing(repo, true).blobs.companions().into_iter();
    found
        .map(|one| (one.path.display().into_owned(), one.together, one.of))
        .collect()
}

#[test]
fn a_file_that_nearly_always_changed_along_is_told() {
    let model = |together, of| vec![("model.py".to_owned(), together, of)];
    assert_eq!(told(&repository(5, 0, &["schema.sql"])), model(5, 5));
    assert_eq!(
        told(&repository(18, 2, &["schema.sql", "other.py"])),
        model(18, 20)
    );
    // Only the newest twenty count.
    assert_eq!(told(&repository(18, 9, &["schema.sql"])), model(18, 20));
}

#[test]
fn nothing_is_told_of_what_changes_along_now_and_then_or_is_there() {
    for (together, alone, change) in [
        (4, 0, &["schema.sql"][..]),
        (17, 3, &["schema.sql"]),
        (20, 0, &["schema.sql", "model.py"]),
        (20, 0, &["other.py"]),
    ] {
        assert_eq!(
            told(&repository(together, alone, change)),
            [],
            "{together} {alone} {change:?}"
        );
    }
    let many: Vec<String> = (0..20).map(|n| format!("new{n}")).collect();
    let mut many: Vec<&str> = many.iter().map(String::as_str).collect();
    many.push("schema.sql");
    assert_eq!(told(&repository(20, 0, &many)), []);
}

#[test]
fn of_a_part_of_a_change_nothing_is_told() {
    let repo = repository(20, 0, &["schema.sql"]);
    assert_eq!(seeing(&repo, false).blobs.companions(), []);
}

#[test]
fn files_are_found_by_whole_words() {
    let repo = repository(5, 0, &["schema.sql"]);
    let change = seeing(&repo, true);
    let found = |names: &[&str]| {
        let paths = change.blobs.files_naming(names).unwrap();
        let mut paths: Vec<String> = paths
            .iter()
            .map(|path| path.display().into_owned())
            .collect();
        paths.sort();
        paths
    };
    assert_eq!(found(&["model"]), ["model.py"]);
    assert_eq!(found(&["model", "other"]), ["model.py", "other.py"]);
    assert!(found(&["mod"]).is_empty());
}
