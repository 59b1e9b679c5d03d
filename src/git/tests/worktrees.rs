//! The index and the worktree.

use council_protocol::change::{FileKind, FileStatus, Side};
use sha2::{Digest, Sha256};

use crate::testing::{Repo, filled, only};
use crate::{GitEnvironment, GitError, RepositoryPaths, ReviewedChange, TargetSpec, read_change};

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write(".gitignore", "*.log\n/out/\n")
        .write("a.txt", "one\ntwo\n")
        .write("b.txt", "b\n");
    repo.commit("first");
    repo
}

fn found(change: &ReviewedChange) -> Vec<(String, FileStatus)> {
    change
        .files
        .iter()
        .map(|file| (file.path.display().into_owned(), file.status))
        .collect()
}

#[test]
fn staged_is_the_index_and_not_the_worktree() {
    let repo = repo();
    repo.write("a.txt", "one\nstaged\n")
        .write("new.txt", "new\n");
    repo.git(&["add", "a.txt", "new.txt"]);
    repo.write("a.txt", "one\nstaged\nand more\n")
        .write("other.txt", "other\n");
    let change = repo.read(TargetSpec::Staged);
    let expected = [
        ("a.txt".into(), FileStatus::Modified),
        ("new.txt".into(), FileStatus::Added),
    ];
    assert_eq!(found(&change), expected);
    assert_eq!(filled(&change)[0].hunks[0].body, " one\n-two\n+staged\n");
    let read = |path: &str| change.blobs.read(Side::New, &path.into()).unwrap();
    assert_eq!(&*read("a.txt").unwrap(), b"one\nstaged\n");
    assert_eq!(&*read("b.txt").unwrap(), b"b\n");
    assert!(read("other.txt").is_none());
    assert!(
        change
            .trusted_tree()
            .unwrap()
            .origin()
            .starts_with("HEAD (")
    );
}

#[test]
fn nothing_staged_and_a_clean_worktree_say_so() {
    let repo = repo();
    assert_eq!(
        repo.read(TargetSpec::Staged).nothing.as_deref(),
        Some("nothing is staged")
    );
    let clean = "the worktree has no changes and no untracked files";
    assert_eq!(
        repo.read(TargetSpec::Worktree).nothing.as_deref(),
        Some(clean)
    );
    // A file that was only touched has not changed.
    repo.write("a.txt", "one\ntwo\n");
    assert_eq!(
        repo.read(TargetSpec::Worktree).nothing.as_deref(),
        Some(clean)
    );
}

/// A commit takes what is staged, and a review of the worktree has read something else.
#[test]
fn what_is_staged_otherwise_than_it_lies_there_is_named() {
    let repo = repo();
    let told = |repo: &Repo| repo.read(TargetSpec::Worktree).notes.concat();
    repo.write("n.py", "token\n");
    repo.git(&["add", "n.py"]);
    repo.write("a.txt", "edited\n");
    assert_eq!(told(&repo), "");
    repo.write("n.py", "mended\n");
    assert!(told(&repo).starts_with("n.py: staged, and in the worktree otherwise"));
    std::fs::remove_file(repo.path().join("n.py")).unwrap();
    assert!(told(&repo).starts_with("n.py: staged"));
    repo.git(&["add", "-A"]);
    assert_eq!(told(&repo), "");
}

#[test]
fn a_file_that_is_only_announced_is_not_staged() {
    let repo = repo();
    repo.write("soon.txt", "soon\n");
    repo.git(&["add", "-N", "soon.txt"]);
    assert!(repo.read(TargetSpec::Staged).nothing.is_some());
    let change = repo.read(TargetSpec::Worktree);
    assert_eq!(found(&change), [("soon.txt".into(), FileStatus::Added)]);
    assert_eq!(only(&change).hunks[0].body, "+soon\n");
}

#[test]
fn a_merge_that_is_not_resolved_is_named() {
    let repo = repo();
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.write("a.txt", "side\n").commit("side");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("a.txt", "main\n").commit("main");
    assert!(
        !repo
            .command(&["merge", "-q", "side"])
            .output()
            .unwrap()
            .status
            .success()
    );
    for spec in [TargetSpec::Staged, TargetSpec::Worktree] {
        let error = repo.refused(spec);
        assert_eq!(
            error.to_string(),
            "a.txt has an unresolved merge conflict in the index"
        );
    }
}

#[test]
fn the_index_may_be_another_file() {
    let repo = repo();
    let index = repo.path().join("other-index");
    repo.write("new.txt", "new\n");
    let mut add = repo.command(&["add", "new.txt", "a.txt", "b.txt", ".gitignore"]);
    assert!(
        add.env("GIT_INDEX_FILE", &index)
            .output()
            .unwrap()
            .status
            .success()
    );
    let mut request = repo.request(TargetSpec::Staged);
    request.env = Repo::env(&[("GIT_INDEX_FILE", index.to_str().unwrap())]);
    let change = read_change(&request).unwrap();
    assert_eq!(found(&change), [("new.txt".into(), FileStatus::Added)]);
}

#[test]
fn the_worktree_holds_staged_unstaged_and_untracked_changes() {
    let repo = repo();
    repo.write("staged.txt", "staged\n");
    repo.git(&["add", "staged.txt"]);
    repo.write("a.txt", "one\n2\n")
        .remove("b.txt")
        .write("new/deep/file.txt", "new\n");
    repo.write("debug.log", "noise\n").write("out/x", "noise\n");
    let change = repo.read(TargetSpec::Worktree);
    let expected = [
        ("a.txt".into(), FileStatus::Modified),
        ("b.txt".into(), FileStatus::Deleted),
        ("new/deep/file.txt".into(), FileStatus::Added),
        ("staged.txt".into(), FileStatus::Added),
    ];
    assert_eq!(found(&change), expected);
    assert_eq!(filled(&change)[0].hunks[0].body, " one\n-two\n+2\n");
}

#[test]
fn our_own_files_are_left_out_until_they_are_tracked() {
    let repo = repo();
    repo.write(".agents/council/report.md", "x\n")
        .write("DEBATE.md", "x\n");
    let left = repo.read(TargetSpec::Worktree);
    assert!(left.nothing.is_some());
    let note = ".agents/council/report.md and 1 more: untracked files in the places of git-council's own are left out; git \
                add them to review them";
    assert_eq!(left.notes, [note]);
    repo.git(&["add", "DEBATE.md"]);
    let change = repo.read(TargetSpec::Worktree);
    assert_eq!(found(&change), [("DEBATE.md".into(), FileStatus::Added)]);
}

#[test]
fn a_snapshot_does_not_move_with_the_worktree() {
    let repo = repo();
    repo.write("a.txt", "one\nreviewed\n");
    let change = repo.read(TargetSpec::Worktree);
    repo.write("a.txt", "edited while judges think\n");
    assert_eq!(only(&change).hunks[0].body, " one\n-two\n+reviewed\n");
    let read = change
        .blobs
        .read(Side::New, &"a.txt".into())
        .unwrap()
        .unwrap();
    assert_eq!(&*read, b"one\nreviewed\n");
}

#[test]
fn links_are_read_as_links_and_never_followed() {
    let (repo, secret) = (repo(), Repo::outside());
    secret.write("key", "secret\n");
    repo.link("leak", secret.path().join("key").to_str().unwrap());
    repo.link("dir", secret.path().to_str().unwrap());
    let change = repo.read(TargetSpec::Worktree);
    for file in filled(&change) {
        assert_eq!(file.kind, FileKind::Symlink, "{:?}", file.path);
        assert!(!file.hunks[0].body.contains("secret"));
    }
    assert!(
        change
            .blobs
            .read(Side::New, &"dir/key".into())
            .unwrap()
            .is_none()
    );
    // A directory with tracked files that becomes a link: its files are gone, and nothing is read behind it.
    repo.remove("leak")
        .remove("dir")
        .write("sub/key", "mine\n")
        .commit("sub");
    repo.remove("sub/key");
    std::fs::remove_dir(repo.path().join("sub")).unwrap();
    repo.link("sub", secret.path().to_str().unwrap());
    let change = repo.read(TargetSpec::Worktree);
    let expected = [
        ("sub".into(), FileStatus::Added),
        ("sub/key".into(), FileStatus::Deleted),
    ];
    assert_eq!(found(&change), expected);
}

#[test]
fn modes_of_the_worktree() {
    use std::os::unix::fs::PermissionsExt;
    let repo = repo();
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(repo.path().join("a.txt"), executable).unwrap();
    let file = only(&repo.read(TargetSpec::Worktree));
    assert_eq!((file.old_mode, file.new_mode), (0o100644, 0o100755));
    repo.git(&["config", "core.fileMode", "false"]);
    assert!(repo.read(TargetSpec::Worktree).nothing.is_some());
}

#[test]
fn line_endings_of_a_checkout_are_not_a_change() {
    let repo = repo();
    repo.git(&["config", "core.autocrlf", "true"]);
    repo.write("a.txt", "one\r\nTWO\r\n")
        .write("b.txt", "b\r\n");
    let file = only(&repo.read(TargetSpec::Worktree));
    assert_eq!(file.hunks[0].body, " one\n-two\n+TWO\n");
    repo.git(&["config", "core.autocrlf", "false"]);
    assert_eq!(repo.read(TargetSpec::Worktree).files.len(), 2);
}

#[test]
fn a_large_file_of_lfs_is_compared_by_its_pointer() {
    let pointer = |content: &str| {
        let digest: String = Sha256::digest(content)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let size = content.len();
        format!("version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {size}\n")
    };
    let repo = Repo::new();
    repo.write("large.bin", pointer("content"))
        .commit("pointer");
    repo.write("large.bin", "content");
    assert!(repo.read(TargetSpec::Worktree).nothing.is_some());
    repo.write("large.bin", "changed");
    let file = only(&repo.read(TargetSpec::Worktree));
    assert_eq!(file.kind, FileKind::LfsPointer);
    let line = pointer("changed").lines().nth(1).unwrap().to_owned();
    assert!(file.hunks[0].body.contains(&format!("+{line}\n")));
}

#[test]
fn repositories_inside_the_worktree_are_named_and_left_out() {
    let repo = repo();
    let inner = repo.inside("inner");
    inner.git(&["init", "-q", "-b", "main"]);
    inner.write("x", "x\n").commit("inner");
    let change = repo.read(TargetSpec::Worktree);
    assert!(change.nothing.is_some());
    assert_eq!(
        change.notes,
        ["inner is a repository of its own and is left out"]
    );
}

#[test]
fn a_submodule_counts_by_the_commit_that_it_stands_at() {
    let library = Repo::new();
    let one = library.write("lib", "1\n").commit("one");
    let repo = repo();
    let url = format!("file://{}", library.path().display());
    repo.git(&["submodule", "--quiet", "add", &url, "vendored"]);
    repo.git(&["commit", "-q", "-m", "submodule"]);
    assert!(repo.read(TargetSpec::Worktree).nothing.is_some());
    let inside = repo.inside("vendored");
    let dirt = |repo: &Repo| {
        let change = repo.read(TargetSpec::Worktree);
        assert!(change.nothing.is_some(), "dirt inside is not a change");
        change.notes.concat()
    };
    assert_eq!(dirt(&repo), "");
    let told = "vendored is a submodule in which something is not committed";
    inside.write("more", "untracked\n");
    assert!(dirt(&repo).starts_with(told));
    inside.git(&["add", "more"]);
    assert!(dirt(&repo).starts_with(told), "staged");
    inside.git(&["rm", "-q", "-f", "more"]);
    assert_eq!(dirt(&repo), "");
    inside.write("lib", "dirty\n");
    assert!(dirt(&repo).starts_with(told));
    // What ignores it may have come with the change.
    for rule in ["submodule.vendored.ignore", "diff.ignoreSubmodules"] {
        for ignored in ["all", "dirty", "untracked"] {
            repo.git(&["config", rule, ignored]);
            assert!(dirt(&repo).starts_with(told), "{rule} {ignored}");
        }
        repo.git(&["config", "--unset", rule]);
    }
    repo.git(&[
        "config",
        "-f",
        ".gitmodules",
        "submodule.vendored.ignore",
        "all",
    ]);
    repo.git(&["commit", "-q", "-a", "-m", "ignore"]);
    assert!(dirt(&repo).starts_with(told), ".gitmodules");
    let two = inside.commit("two");
    let body = only(&repo.read(TargetSpec::Worktree)).hunks.remove(0).body;
    assert_eq!(
        body,
        format!("-Subproject commit {one}\n+Subproject commit {two}\n")
    );
}

#[test]
fn a_sparse_checkout_does_not_look_like_a_deletion() {
    let repo = repo();
    repo.write("in/x", "x\n")
        .write("out-of/y", "y\n")
        .commit("more");
    repo.git(&["sparse-checkout", "set", "--no-cone", "/in/"]);
    assert!(!repo.path().join("a.txt").exists());
    assert!(repo.read(TargetSpec::Worktree).nothing.is_some());
}

#[test]
fn pathspecs_keep_the_rest_of_the_worktree_unread() {
    let repo = repo();
    repo.write("a.txt", "A\n")
        .write("b.txt", "B\n")
        .write("c.txt", "C\n");
    let mut request = repo.request(TargetSpec::Worktree);
    request.pathspecs = vec!["a.txt".into(), "c.txt".into()];
    let change = read_change(&request).unwrap();
    let expected = [
        ("a.txt".into(), FileStatus::Modified),
        ("c.txt".into(), FileStatus::Added),
    ];
    assert_eq!(found(&change), expected);
}

#[test]
fn a_pathspec_that_matches_nothing_is_no_clean_worktree() {
    let repo = repo();
    let with = |spec: &str| {
        let mut request = repo.request(TargetSpec::Worktree);
        request.pathspecs = vec![spec.into()];
        read_change(&request)
    };
    // Where nothing has changed, no name is misspelt.
    assert!(with("nowhere.txt").unwrap().nothing.is_some());
    repo.write("a.txt", "A\n").write("c.txt", "C\n");
    for spec in ["nowhere.txt", "b.txt", "*.rs"] {
        let error = with(spec).err().unwrap();
        assert!(
            matches!(error, GitError::NothingMatches { changed: 2 }),
            "{error}"
        );
    }
    let excluded = with(":!*.txt").unwrap();
    let why = "none of the 2 changed files matches the pathspecs";
    assert_eq!(excluded.nothing.as_deref(), Some(why));
}

#[test]
fn a_file_that_cannot_be_read_stays_in_the_change() {
    let repo = repo();
    let large = std::fs::File::create(repo.path().join("huge.bin")).unwrap();
    large.set_len(100 << 20).unwrap();
    let change = repo.read(TargetSpec::Worktree);
    assert_eq!(found(&change), [("huge.bin".into(), FileStatus::Added)]);
    let error = change.fill_hunks(&mut change.files[0].clone()).unwrap_err();
    assert!(matches!(error, GitError::TooLarge { .. }), "{error}");
}

#[test]
fn an_index_that_is_gone_is_no_staged_deletion_of_everything() {
    let repo = Repo::new();
    repo.write("a.txt", "one\n");
    assert!(repo.read(TargetSpec::Staged).nothing.is_some());
    repo.commit("first");
    std::fs::remove_file(repo.path().join(".git/index")).unwrap();
    let error = repo.refused(TargetSpec::Staged);
    assert!(matches!(error, GitError::Damaged { .. }), "{error}");
    // Somebody may mean it.
    repo.git(&["read-tree", "--empty"]);
    assert_eq!(repo.read(TargetSpec::Staged).files.len(), 1);
}

/// A checkout from elsewhere, and folders of the user's that its `.git` may name: beside it, around it, another repository.
fn download() -> (Repo, [Repo; 2], [std::path::PathBuf; 3]) {
    let (user, project) = (Repo::outside(), Repo::new());
    user.write("diary.txt", "nobody may read this\n");
    project.write("a.txt", "a\n").commit("first");
    let checkout = user.inside("downloads/checkout");
    checkout.git(&["init", "-q", "--template=", "-b", "main"]);
    checkout.write("src/a.txt", "a\n").commit("first");
    let beside = user.inside("letters").at;
    let named = [beside, user.path().to_owned(), project.path().to_owned()];
    (checkout, [user, project], named)
}

#[test]
fn no_configuration_of_a_repository_leads_a_review_into_another_folder() {
    for way in ["config", "include", "worktree"] {
        let (checkout, _kept, folders) = download();
        for folder in folders {
            let folder = folder.to_str().unwrap();
            match way {
                "config" => checkout.git(&["config", "core.worktree", folder]),
                "include" => {
                    let lines = format!("[core]\n\tworktree = {folder}\n");
                    checkout.write(".git/more", lines);
                    checkout.git(&["config", "include.path", "more"])
                }
                _ => {
                    checkout.git(&["config", "extensions.worktreeConfig", "true"]);
                    checkout.git(&["config", "--worktree", "core.worktree", folder])
                }
            };
            for place in ["", "src", ".git"] {
                let dir = checkout.path().join(place);
                let found = RepositoryPaths::discover(&dir, &GitEnvironment::default());
                let stays = match &found {
                    Err(GitError::ForeignWorktree { .. }) => true,
                    // Whoever does not know the key stays where it stands, and git has no worktree there.
                    Ok(paths) if way == "worktree" => {
                        let top = paths
                            .workdir
                            .as_deref()
                            .map(|top| top.canonicalize().unwrap());
                        top.is_none_or(|top| top == checkout.path())
                    }
                    _ => false,
                };
                assert!(stays, "{way}, {folder} from {}: {found:?}", dir.display());
            }
        }
    }
}

#[test]
fn a_worktree_of_its_own_is_read_wherever_the_git_directory_lies() {
    let (checkout, [user, _project], folders) = download();
    let top_from = |dir: &std::path::Path, env: &GitEnvironment| {
        let paths = RepositoryPaths::discover(dir, env).unwrap();
        paths.workdir.unwrap().canonicalize().unwrap()
    };
    let top = |dir: &std::path::Path| top_from(dir, &GitEnvironment::default());
    let (own, src) = (checkout.path(), checkout.path().join("src"));
    for dir in [own, &src, &own.join(".git")] {
        assert_eq!(top(dir), own);
    }
    // A submodule's configuration names its worktree.
    let url = folders[2].to_str().unwrap();
    checkout.git(&["submodule", "add", "-q", url, "library"]);
    let library = own.join("library");
    for dir in [&library, &own.join(".git/modules/library")] {
        assert_eq!(top(dir), library);
    }
    let apart = user.inside("apart");
    apart.git(&[
        "init",
        "-q",
        "--template=",
        "--separate-git-dir",
        "../elsewhere.git",
    ]);
    assert_eq!(top(&apart.at), apart.at);
    // A part of the checkout is no other folder, and what the user names is the user's choice.
    checkout.git(&["config", "core.worktree", "../src"]);
    assert_eq!(top(&src), src);
    let named = Repo::env(&[("GIT_WORK_TREE", folders[0].to_str().unwrap())]);
    assert_eq!(top_from(own, &named), folders[0]);
}
