//! What merges bring; `git rev-list` is the oracle.

use proptest::prelude::*;

use crate::testing::Repo;
use crate::{MainLineCommit, MainLineLimits, walk_main_line};

fn walk(repo: &Repo, commits: usize) -> Vec<MainLineCommit> {
    let mut seen = Vec::new();
    let limits = MainLineLimits { commits, since: 0 };
    let env = Repo::env(&[]);
    walk_main_line(repo.path(), &env, "HEAD", limits, &mut |commit| {
        seen.push(commit)
    })
    .unwrap();
    seen
}

/// Two histories that grow and merge each other by chance, one commit a second.
fn grow(repo: &Repo, steps: &[u8]) {
    repo.write("start", "").commit("start");
    repo.git(&["branch", "topic"]);
    for (number, step) in (1_u64..).zip(steps) {
        let at = format!("@{} +0000", 1_700_000_000 + number);
        let other = match repo.git(&["branch", "--show-current"]).trim() {
            "topic" => "-",
            _ => "topic",
        };
        let message = format!("step {number}");
        let step: &[&str] = match step % 4 {
            0 => &["checkout", "-q", other],
            1 => &["merge", "-q", "--no-ff", "-m", &message, other],
            _ => &["commit", "-q", "--allow-empty", "-m", &message],
        };
        let status = repo.command(step).env("GIT_COMMITTER_DATE", at).status();
        assert!(status.unwrap().success(), "{step:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// However branches were merged into each other, and however late the walk begins.
    #[test]
    fn a_merge_brings_what_git_says(
        steps in prop::collection::vec(any::<u8>(), 1..24), commits in 1_usize..24,
    ) {
        let repo = Repo::new();
        grow(&repo, &steps);
        for commit in walk(&repo, commits) {
            let range = format!("{}..{}", commit.parent, commit.id);
            let told = repo.git(&["rev-list", &range]);
            let mut expected: Vec<&str> = told.lines().filter(|id| *id != commit.id).collect();
            let mut brought: Vec<&str> = commit.brought.iter().map(|brought| &*brought.id).collect();
            expected.sort_unstable();
            brought.sort_unstable();
            prop_assert_eq!(brought, expected, "{:?}", steps);
        }
    }
}

/// A part of what a merge brought would be taken for the whole.
#[test]
fn a_branch_that_is_not_here_whole_brings_nothing() {
    let whole = Repo::new();
    whole.write("a", "1").commit("start");
    whole.git(&["checkout", "-q", "-b", "topic"]);
    for number in 0..3 {
        whole.write("b", number.to_string()).commit("on topic");
    }
    whole.git(&["checkout", "-q", "-"]);
    whole.write("a", "2").commit("beside");
    whole.git(&["merge", "-q", "--no-ff", "-m", "merge", "topic"]);
    let brought = |repo: &Repo| walk(repo, 9).last().map(|merge| merge.brought.len());
    assert_eq!(brought(&whole), Some(3));
    let shallow = Repo::clone_of(&whole, &["--depth=3"]);
    assert_eq!(brought(&shallow), Some(0));
}
