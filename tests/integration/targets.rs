//! Each form of a target, as a user would type it.

use crate::harness::{PRIVATE_KEY, Repo};

/// A repository whose branch `feature` adds a key to what `main` has.
fn with_key() -> Repo {
    let repo = Repo::with_base();
    repo.git(["switch", "--quiet", "--create", "feature"]);
    repo.write("deploy/key.pem", PRIVATE_KEY);
    repo.commit("Add a key");
    repo
}

#[test]
fn the_branch_is_what_is_meant_when_nothing_is_said() {
    with_key()
        .council(["review"])
        .ends(1)
        .prints("deploy/key.pem:1")
        .prints("main...feature");
}

#[test]
fn ranges_and_commits() {
    let repo = with_key();
    for target in ["main..HEAD", "main...feature", "HEAD", "feature"] {
        repo.council(["review", target])
            .ends(1)
            .prints("deploy/key.pem:1");
    }
    repo.council(["review", "HEAD..HEAD"])
        .ends(0)
        .prints("SKIPPED");
    repo.council(["review", "main"]).ends(0).prints("PASS");
}

#[test]
fn what_is_staged_and_what_is_not() {
    let repo = Repo::with_base();
    repo.write("staged.pem", PRIVATE_KEY);
    repo.git(["add", "staged.pem"]);
    repo.write("untracked.pem", PRIVATE_KEY);
    let staged = repo
        .council(["review", "--staged"])
        .ends(1)
        .prints("staged.pem:1");
    assert!(!staged.stdout.contains("untracked.pem"));
    repo.council(["review", "--cached"]).ends(1);
    repo.council(["review", "--worktree"])
        .ends(1)
        .prints("staged.pem:1")
        .prints("untracked.pem:1");
}

#[test]
fn the_index_of_the_environment_is_the_one_that_counts() {
    let repo = Repo::with_base();
    repo.write("key.pem", PRIVATE_KEY);
    let index = repo.in_home("index");
    let mut add = repo.git_command(&["add", "key.pem"]);
    assert!(
        add.env("GIT_INDEX_FILE", &index)
            .status()
            .unwrap()
            .success()
    );
    let vars = [("GIT_INDEX_FILE", index.to_str().unwrap())];
    repo.council_with(&vars, &["review", "--staged"])
        .ends(1)
        .prints("key.pem:1");
    repo.council(["review", "--staged"])
        .ends(0)
        .prints("SKIPPED");
}

#[test]
fn a_patch_from_a_file_and_from_standard_input() {
    let repo = with_key();
    let patch = repo.git(["diff", "main", "feature"]) + "\n";
    repo.write("change.patch", &patch);
    repo.council(["review", "--patch", "change.patch"])
        .ends(1)
        .prints("deploy/key.pem:1");
    repo.council_reading(patch.as_bytes(), &["review", "--patch", "-"])
        .ends(1)
        .prints("deploy/key.pem:1");
    repo.council_reading(b"no patch at all\n", &["review", "--patch", "-"])
        .ends(2)
        .tells("standard input");
    for args in [
        &["review", "--patch", "-"][..],
        &["review", "--patch", "-", "--fail-on", "warn"],
    ] {
        repo.council_reading(b"", args)
            .ends(2)
            .tells("the patch is empty");
    }
    repo.council(["review", "--patch", "nowhere.patch"])
        .ends(2)
        .tells("cannot read the patch nowhere.patch");
}

#[test]
fn a_pathspec_that_matches_no_change_is_an_error_for_every_target() {
    let repo = with_key();
    repo.write("staged.txt", "x\n");
    repo.git(["add", "staged.txt"]);
    repo.write("untracked.txt", "x\n");
    for target in ["--staged", "--worktree", "main..feature", "HEAD"] {
        repo.council(["review", target, "--", "nowhere.txt"])
            .ends(2)
            .tells("no changed file matches the pathspecs");
    }
}

#[test]
fn what_git_overlooks_in_the_worktree_is_a_gap_that_the_headline_names() {
    let repo = with_key();
    repo.write("a.txt", "1\n");
    repo.commit("A file");
    repo.git(["update-index", "--skip-worktree", "a.txt"]);
    repo.write("a.txt", "2\n");
    let told = repo.council(["review", "--worktree"]).ends(3);
    let words = told.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("INCONCLUSIVE") && words.contains("skip-worktree"),
        "{words}"
    );
    repo.council(["review", "--worktree", "--", ":!a.txt"])
        .ends(0)
        .prints("SKIPPED");
}

#[test]
fn a_patch_needs_no_repository() {
    let patch = with_key().git(["diff", "main", "feature"]) + "\n";
    let home = Repo::home();
    home.council_reading(patch.as_bytes(), &["review", "--patch", "-"])
        .ends(1)
        .prints("deploy/key.pem:1");
    assert_eq!(
        std::fs::read_dir(home.path()).unwrap().count(),
        0,
        "nothing is left behind"
    );
}

#[test]
fn pathspecs_narrow_and_directories_are_relative() {
    let repo = with_key();
    repo.write("src/more.rs", "pub const MORE: u32 = 1;\n");
    repo.commit("More");
    repo.council(["review", "--", "src"]).ends(0);
    repo.council(["review", "--", ":!deploy"]).ends(0);
    repo.council(["review", "--", "deploy"])
        .ends(1)
        .prints("deploy/key.pem:1");
    repo.council(["-C", "deploy", "review", "--", "."])
        .ends(1)
        .prints("deploy/key.pem:1");
    repo.council(["review", "--", "nowhere"])
        .ends(2)
        .tells("no changed file matches the pathspecs");
}

#[test]
fn targets_exclude_each_other() {
    let repo = Repo::with_base();
    for args in [
        ["review", "HEAD", "--staged"],
        ["review", "--staged", "--worktree"],
        ["review", "--worktree", "--patch=-"],
    ] {
        repo.council(args).ends(2).tells("cannot be used with");
    }
}

#[test]
fn a_target_that_is_none_ends_with_two_and_says_what_may_be_meant() {
    let repo = Repo::with_base();
    repo.council(["review", "src/lib.rs"])
        .ends(2)
        .tells("is not a commit, branch or tag")
        .tells("-- src/lib.rs");
    repo.council(["review", "nowhere..HEAD"])
        .ends(2)
        .tells("nowhere");
    repo.council(["review", "#12"])
        .ends(2)
        .tells("git fetch origin pull/N/head");
    repo.council(["review"])
        .ends(2)
        .tells("nothing to compare branch main with");
    Repo::home()
        .council(["review"])
        .ends(2)
        .tells("is not inside a git repository");
}

/// A job that is about no commit fails: green, it would pass whatever comes next.
#[test]
fn a_job_of_a_service_never_reviews_nothing_and_passes() {
    let repo = Repo::with_base();
    repo.git(["checkout", "--quiet", "-b", "feature"]);
    repo.write("a.md", "one\n");
    let head = repo.commit("One");
    repo.git(["update-ref", "refs/remotes/origin/main", &head]);
    let job = |vars: &[(&str, &str)]| {
        let vars = [
            &[("GITLAB_CI", "true"), ("CI_COMMIT_SHA", head.as_str())],
            vars,
        ]
        .concat();
        repo.council_with(&vars, &["review", "--ci", "--no-save"])
    };
    let schedule = [("CI_DEFAULT_BRANCH", "main")];
    job(&schedule).ends(2).tells("about no commit");
    let rebuilt = [("CI_COMMIT_BEFORE_SHA", head.as_str())];
    job(&rebuilt).ends(2).tells("about no commit");
    // The tip before a forced push is in no clone.
    repo.git(["update-ref", "refs/remotes/origin/main", "HEAD~"]);
    let forced = [
        (
            "CI_COMMIT_BEFORE_SHA",
            "1111111111111111111111111111111111111111",
        ),
        ("CI_DEFAULT_BRANCH", "main"),
    ];
    job(&forced).ends(0).prints("PASS");
}

/// The README's third command, typed in a young repository.
#[test]
fn a_history_that_is_too_short_is_told_from_a_file() {
    let repo = Repo::with_base();
    let run = repo.council(["review", "HEAD~30..HEAD"]).ends(2);
    let count = "git rev-list --count HEAD";
    assert!(run.stderr.contains(count), "{}", run.stderr);
    assert!(!run.stderr.contains("two dashes"), "{}", run.stderr);
}
