//! What earlier commits changed together with files; `git log` is the oracle.

use super::*;
use crate::testing::Repo;
use crate::{ChangeRequest, TargetSpec, read_change};

fn history(repo: &Repo) -> CommitHistory {
    let change = read_change(&ChangeRequest {
        dir: repo.path().to_path_buf(),
        spec: TargetSpec::parse("main~1..main"),
        pathspecs: Vec::new(),
        env: Repo::env(&[]),
    });
    change.unwrap().earlier_history().unwrap()
}

const WIDE: TogetherBounds<'_> = TogetherBounds {
    commits: 1_000,
    each: usize::MAX,
    files: 20,
    is_over: &|| false,
};

fn told(repo: &Repo, paths: &[&str], bounds: &TogetherBounds<'_>) -> Vec<Vec<String>> {
    let paths: Vec<&[u8]> = paths.iter().map(|path| path.as_bytes()).collect();
    let text = |path: &Vec<u8>| String::from_utf8(path.clone()).unwrap();
    let commits = history(repo).changed_together(&paths, bounds);
    commits
        .iter()
        .map(|paths| paths.iter().map(text).collect())
        .collect()
}

fn commit(repo: &Repo, files: &[String], round: usize) {
    for path in files {
        let file = repo.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, format!("{path} {round}\n")).unwrap();
    }
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-q", "--allow-empty", "-m", &round.to_string()]);
}

/// Thirty commits and a merge of a few of some files, drawn by lot.
fn repository() -> Repo {
    let repo = Repo::new();
    let mut state = 11_u32;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize % below
    };
    let names = [
        "a.rs",
        "b.rs",
        "src/a.rs",
        "src/b/c.rs",
        "src/b/d.rs",
        "docs/e.md",
    ];
    for round in 0..30 {
        if round == 15 {
            repo.git(&["checkout", "-q", "-b", "side"]);
        }
        if round == 18 {
            repo.git(&["checkout", "-q", "main"]);
            repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
        }
        let files: Vec<String> = (0..=draw(3))
            .map(|_| names[draw(names.len())].to_owned())
            .collect();
        commit(&repo, &files, round);
    }
    commit(&repo, &["a.rs".to_owned()], 99);
    repo
}

#[test]
fn commits_are_those_that_git_log_names() {
    let repo = repository();
    for paths in [
        &["a.rs"][..],
        &["src/b/c.rs"],
        &["docs/e.md", "src/a.rs"],
        &["none.rs"],
    ] {
        let mut wanted = vec!["log", "--first-parent", "--format=%H", "main~1", "--"];
        wanted.extend(paths);
        let ids = repo.git(&wanted);
        let mut expected = Vec::new();
        for id in ids.lines() {
            let parent = format!("{id}~1");
            // The root has nothing before it, and says nothing.
            let parents = repo.git(&["rev-list", "--parents", "-n", "1", id]);
            if parents.split_whitespace().count() > 1 {
                let diff = repo.git(&["diff", "--name-only", "--no-renames", &parent, id]);
                expected.push(diff.lines().map(str::to_owned).collect::<Vec<_>>());
            }
        }
        assert_eq!(told(&repo, paths, &WIDE), expected, "{paths:?}");
    }
}

#[test]
fn every_bound_ends_the_walk() {
    let repo = repository();
    let whole = told(&repo, &["a.rs"], &WIDE);
    let few = told(&repo, &["a.rs"], &TogetherBounds { each: 2, ..WIDE });
    assert_eq!(few, whole[..2]);
    assert!(told(&repo, &["a.rs"], &TogetherBounds { commits: 0, ..WIDE }).is_empty());
    let single = told(&repo, &["a.rs"], &TogetherBounds { files: 1, ..WIDE });
    assert!(single.iter().all(|paths| paths.len() == 1) && single.len() < whole.len());
    let over = TogetherBounds {
        is_over: &|| true,
        ..WIDE
    };
    assert!(told(&repo, &["a.rs"], &over).is_empty());
}

/// Time ends a walk inside of a commit, too: one that touches very many files is not read to its end.
#[test]
fn time_ends_inside_of_a_large_commit() {
    let repo = Repo::new();
    let many: Vec<String> = (0..300).map(|n| format!("f{n}/0")).collect();
    commit(&repo, &many, 0);
    commit(&repo, &many, 1);
    commit(&repo, &["x".to_owned()], 2);
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let is_over = || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= 10;
    let bounds = TogetherBounds {
        files: 1_000,
        is_over: &is_over,
        ..WIDE
    };
    assert!(told(&repo, &["f0/0"], &bounds).is_empty());
    let asked = asked.load(std::sync::atomic::Ordering::Relaxed);
    assert!((10..=13).contains(&asked), "{asked}");
}
