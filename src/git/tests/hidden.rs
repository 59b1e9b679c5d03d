//! What git does not look at in a worktree is shown, or is named as a gap; it is never passed over.

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt as _;

use council_protocol::change::FileChange;

use crate::read::read_from;
use crate::repository::OpenRepository;
use crate::testing::{Repo, is_bound_by_permissions};
use crate::{GitError, ReviewedChange, TargetSpec, read_change};

/// What a file holds that must not be passed over.
const HIDDEN: &str = "hidden = 1\n";

/// What hides it, by a name for messages.
type Hide = (&'static str, fn(&Repo));

fn chmod(repo: &Repo, path: &str, mode: u32) {
    set_permissions(repo.path().join(path), Permissions::from_mode(mode)).unwrap();
}

/// Ways to hide something; all but the closed ones bind root, too.
const OVERLOOKED: [Hide; 8] = [
    ("skip-worktree", |repo| {
        repo.git(&["update-index", "--skip-worktree", "src/a.py"]);
        repo.write("src/a.py", HIDDEN);
    }),
    ("assume-unchanged", |repo| {
        repo.git(&["update-index", "--assume-unchanged", "src/a.py"]);
        repo.write("src/a.py", HIDDEN);
    }),
    ("assume-unchanged, and gone", |repo| {
        repo.git(&["update-index", "--assume-unchanged", "src/a.py"]);
        repo.remove("src/a.py");
    }),
    ("skip-worktree, and of another mode", |repo| {
        repo.git(&["update-index", "--skip-worktree", "src/a.py"]);
        chmod(repo, "src/a.py", 0o755);
    }),
    ("staged, then marked", |repo| {
        repo.write("src/a.py", "staged = 1\n");
        repo.git(&["add", "src/a.py"]);
        repo.git(&["update-index", "--assume-unchanged", "src/a.py"]);
        repo.write("src/a.py", HIDDEN);
    }),
    ("a .git that is empty", |repo| {
        repo.write("src/new/x.py", HIDDEN);
        std::fs::create_dir(repo.path().join("src/new/.git")).unwrap();
    }),
    ("a .git that leads nowhere", |repo| {
        repo.write("src/new/x.py", HIDDEN)
            .write("src/new/.git", "gitdir: ../nowhere\n");
    }),
    ("a .git among tracked files", |repo| {
        std::fs::create_dir(repo.path().join("src/.git")).unwrap();
        repo.write("src/a.py", HIDDEN);
    }),
];

const CLOSED: [Hide; 6] = [
    ("a folder that is closed", |repo| {
        repo.write("src/new/x.py", HIDDEN);
        chmod(repo, "src/new", 0);
    }),
    ("a folder whose names are seen", |repo| {
        repo.write("src/new/x.py", HIDDEN);
        chmod(repo, "src/new", 0o444);
    }),
    ("a folder deep inside", |repo| {
        repo.write("src/new/deep/x.py", HIDDEN);
        chmod(repo, "src/new/deep", 0);
    }),
    ("a folder of tracked files", |repo| {
        repo.write("src/a.py", HIDDEN);
        chmod(repo, "src", 0);
    }),
    ("a file that is closed", |repo| {
        repo.write("src/x.py", HIDDEN);
        chmod(repo, "src/x.py", 0);
    }),
    ("a tracked file that is closed", |repo| {
        repo.write("src/a.py", HIDDEN);
        chmod(repo, "src/a.py", 0);
    }),
];

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write(".gitignore", "/out/\n*.log\n")
        .write("src/a.py", "a = 1\n")
        .write("other/b.py", "b = 1\n");
    repo.commit("first");
    repo
}

/// Both sources of a change.
fn readings(repo: &Repo, specs: &[&str]) -> Vec<Result<ReviewedChange, GitError>> {
    let mut request = repo.request(TargetSpec::Worktree);
    let path = std::env::var("PATH").unwrap();
    request.env = Repo::env(&[
        ("PATH", &path),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ]);
    request.pathspecs = specs.iter().map(ToString::to_string).collect();
    let command = OpenRepository::by_command(&request.dir, &request.env, "a test asks").unwrap();
    vec![read_change(&request), read_from(command, &request)]
}

/// Whether a file is a gap, or shows what is hidden.
fn is_told(change: &ReviewedChange, file: &FileChange) -> bool {
    let mut file = file.clone();
    match change.fill_hunks(&mut file) {
        Err(_) => true,
        Ok(()) => file
            .hunks
            .iter()
            .any(|hunk| hunk.body.contains("hidden = 1")),
    }
}

fn opened(repo: &Repo) {
    for path in ["src", "src/new", "src/new/deep"] {
        if repo.path().join(path).symlink_metadata().is_ok() {
            chmod(repo, path, 0o755);
        }
    }
}

fn hold_it(kinds: &[Hide]) {
    for (name, hide) in kinds {
        let repo = repo();
        hide(&repo);
        for specs in [
            &[][..],
            &["src"],
            &["src/*.py", "src/new/deep/x.py"],
            &[":!other"],
        ] {
            for (source, change) in readings(&repo, specs).into_iter().enumerate() {
                let case = format!("{name}, {specs:?}, source {source}");
                let change = change.unwrap_or_else(|error| panic!("{case}: {error}"));
                let told = change.files.iter().any(|file| is_told(&change, file));
                assert!(
                    told && change.nothing.is_none(),
                    "{case}: {:?}",
                    change.files
                );
            }
        }
        // What is left out on purpose is no gap.
        for change in readings(&repo, &["other"]) {
            assert!(
                matches!(change, Err(GitError::NothingMatches { .. })),
                "{name}"
            );
        }
        repo.write("other/b.py", "b = 2\n");
        for change in readings(&repo, &[":!src"]) {
            let change = change.unwrap();
            assert_eq!(change.files.len(), 1, "{name}: {:?}", change.files);
            assert!(
                change.fill_hunks(&mut change.files[0].clone()).is_ok(),
                "{name}"
            );
        }
        opened(&repo);
    }
}

#[test]
fn what_git_is_told_to_overlook_is_a_gap() {
    hold_it(&OVERLOOKED);
}

#[test]
fn what_cannot_be_opened_is_a_gap() {
    if is_bound_by_permissions(concat!(module_path!(), "::what_cannot_be_opened_is_a_gap")) {
        hold_it(&CLOSED);
    }
}

#[test]
fn what_is_ignored_or_as_it_was_is_no_gap() {
    let repo = repo();
    repo.write("out/deep/x.py", HIDDEN)
        .write("src/x.log", HIDDEN);
    std::fs::create_dir(repo.path().join("out/.git")).unwrap();
    repo.git(&["update-index", "--assume-unchanged", "src/a.py"]);
    repo.git(&["update-index", "--skip-worktree", "other/b.py"]);
    // A file of a checkout with other ends of lines is what it was.
    repo.write("src/a.py", "a = 1\r\n");
    for change in readings(&repo, &[]) {
        assert!(change.unwrap().nothing.is_some());
    }
}
