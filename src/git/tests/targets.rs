//! Commits and ranges.

use council_protocol::change::{FileStatus, Side};
use council_protocol::packet::TargetKind;

use crate::testing::{Repo, filled, only, unified};
use crate::{GitError, RepositoryPaths, TargetSpec, read_change, recognition_key, tree_at};

/// Two commits, the second of which changes `a.txt`.
fn two_commits() -> Repo {
    let repo = Repo::new();
    repo.write("a.txt", "one\ntwo\n").commit("first");
    repo.write("a.txt", "one\nTWO\n");
    repo.commit("second: more\n\nBecause.");
    repo
}

#[test]
fn a_commit_is_compared_with_its_first_parent() {
    let repo = two_commits();
    let change = repo.parse("HEAD");
    let file = only(&change);
    assert_eq!(file.status, FileStatus::Modified);
    assert_eq!((file.old_size, file.new_size), (Some(8), Some(8)));
    assert_eq!(file.hunks[0].body, " one\n-two\n+TWO\n");
    let told = &change.framing.commits[0];
    assert_eq!(told.author, "A U Thor <author@example.com>");
    assert_eq!(told.message, "second: more\n\nBecause.\n");
    let theirs = repo.git(&["diff", "-M", "--abbrev=10", "HEAD~", "HEAD"]);
    assert_eq!(unified(&change).trim_end(), theirs);
    let trusted = change.trusted_tree().unwrap();
    assert_eq!(trusted.read_file("a.txt").unwrap().unwrap(), b"one\ntwo\n");
    assert_eq!(trusted.read_file("b.txt").unwrap(), None);
    let base = repo.git(&["rev-parse", "HEAD~"]);
    assert_eq!(trusted.origin(), base[..10]);
    assert_eq!(change.target.base, Some(base));
    assert_eq!(
        (change.target.kind, change.target.slug.as_str()),
        (TargetKind::Commit, "head")
    );
}

#[test]
fn a_root_commit_is_all_new_and_says_so() {
    let repo = two_commits();
    let change = repo.parse("HEAD~");
    assert_eq!(only(&change).status, FileStatus::Added);
    assert_eq!(
        change.notes,
        ["HEAD~ is a root commit: all of its files are new"]
    );
    assert!(change.trusted_tree().is_none() && change.target.base.is_none());
}

#[test]
fn a_merge_is_compared_with_its_first_parent_and_says_so() {
    let repo = two_commits();
    repo.git(&["checkout", "-q", "-b", "side", "HEAD~"]);
    repo.write("side.txt", "side\n").commit("side");
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["merge", "-q", "--no-ff", "side", "-m", "merged"]);
    let change = repo.parse("HEAD");
    assert_eq!(only(&change).path, "side.txt".into());
    assert_eq!(
        change.notes,
        ["HEAD is a merge: compared with its first parent"]
    );
}

/// Whoever names a branch means all of it: what is read of it is said.
#[test]
fn a_branch_named_as_a_commit_says_that_the_rest_of_it_is_not_read() {
    let repo = two_commits();
    repo.git(&["checkout", "-q", "-b", "topic"]);
    repo.write("one.txt", "one\n").commit("first of the topic");
    // One commit is the whole branch.
    assert!(repo.parse("topic").notes.is_empty());
    repo.write("two.txt", "two\n").commit("second of the topic");
    let told = repo.parse("topic").notes;
    let note = "only the last commit of topic is read: for the whole branch name `main...topic`";
    assert_eq!(told, [note]);
    for named in ["HEAD", "main", "topic~", "main...topic"] {
        assert!(repo.parse(named).notes.is_empty(), "{named}");
    }
}

#[test]
fn two_dots_compare_ends_and_three_compare_with_the_merge_base() {
    let repo = two_commits();
    repo.git(&["checkout", "-q", "-b", "topic", "HEAD~"]);
    repo.write("new.txt", "new\n").commit("on the topic");
    let ends = repo.parse("main..topic");
    let paths: Vec<_> = ends.files.iter().map(|file| file.path.display()).collect();
    assert_eq!(paths, ["a.txt", "new.txt"]);
    assert_eq!(ends.target.slug, "main-topic");
    let since = repo.parse("main...topic");
    assert_eq!(only(&since).path, "new.txt".into());
    assert_eq!(
        since.target.base,
        Some(repo.git(&["merge-base", "main", "topic"]))
    );
    let messages: Vec<_> = since
        .framing
        .commits
        .iter()
        .map(|c| c.message.trim_end())
        .collect();
    assert_eq!(messages, ["on the topic"]);
    // The rules are those of the base as it is today, not as it was when the topic left it.
    let trusted = since.trusted_tree().unwrap();
    assert_eq!(trusted.read_file("a.txt").unwrap().unwrap(), b"one\nTWO\n");
    assert!(
        trusted.origin().starts_with("main ("),
        "{}",
        trusted.origin()
    );
}

#[test]
fn revisions_may_be_tags_trees_and_the_empty_tree() {
    let repo = two_commits();
    repo.git(&["tag", "-a", "v1", "-m", "one", "HEAD~"]);
    assert_eq!(repo.parse("v1..HEAD").files.len(), 1);
    assert_eq!(repo.parse("v1^{tree}..HEAD^{tree}").files.len(), 1);
    let whole = repo.parse("4b825dc642cb6eb9a060e54bf8d69288fbee4904..HEAD");
    assert_eq!(whole.files[0].status, FileStatus::Added);
    assert!(matches!(
        repo.refused(TargetSpec::parse("HEAD^{tree}")),
        GitError::Tree { .. }
    ));
}

#[test]
fn equal_ends_say_that_there_is_nothing() {
    let repo = two_commits();
    let change = repo.parse("HEAD..main");
    assert_eq!(
        change.nothing.as_deref(),
        Some("there is no difference between HEAD and main")
    );
    repo.commit("empty");
    assert_eq!(
        repo.parse("HEAD").nothing.as_deref(),
        Some("HEAD changes no file")
    );
    assert_eq!(repo.parse("HEAD~").nothing, None);
}

#[test]
fn a_revision_that_is_not_there_is_named() {
    let repo = two_commits();
    let error = repo.refused(TargetSpec::parse("src/main.rs"));
    assert_eq!(
        error.to_string(),
        "\"src/main.rs\" is not a commit, branch or tag of this repository"
    );
    assert_eq!(
        error.hints(),
        [""; 0],
        "what else may be meant, the command knows"
    );
    assert!(matches!(
        repo.refused(TargetSpec::parse("main..nowhere")),
        GitError::UnknownRevision { .. }
    ));
    assert!(matches!(
        repo.refused(TargetSpec::parse("HEAD~9")),
        GitError::UnknownRevision { .. }
    ));
}

#[test]
fn histories_without_a_common_commit() {
    let repo = two_commits();
    repo.git(&["checkout", "-q", "--orphan", "other"]);
    repo.write("b.txt", "b\n").commit("unrelated");
    let error = repo.refused(TargetSpec::parse("main...other"));
    assert_eq!(error.to_string(), "main and other have no common ancestor");
    assert!(error.hints()[0].contains("main..other"));
    assert_eq!(repo.parse("main..other").files.len(), 1);
}

#[test]
fn a_bare_repository_has_commits_and_nothing_else() {
    let bare = Repo::clone_of(&two_commits(), &["--bare"]);
    let change = bare.parse("HEAD");
    assert_eq!(only(&change).hunks.len(), 1);
    assert!(change.place.is_bare());
    assert_eq!(change.place.council_dir(), bare.path().join("council"));
    for (spec, name) in [
        (TargetSpec::Staged, "--staged"),
        (TargetSpec::Worktree, "--worktree"),
    ] {
        let expected = format!("{name} needs a worktree, but this repository is bare");
        assert_eq!(bare.refused(spec).to_string(), expected);
    }
}

#[test]
fn a_linked_worktree_has_its_own_head_and_shares_the_runs() {
    let repo = two_commits();
    repo.git(&["worktree", "add", "-q", "-b", "linked", "wt"]);
    let linked = repo.inside("wt");
    linked
        .write("b.txt", "b\n")
        .commit("in the linked worktree");
    let change = linked.parse("HEAD");
    assert_eq!(only(&change).path, "b.txt".into());
    assert_eq!(
        change.place.council_dir(),
        linked.path().join(".agents/council")
    );
    assert_eq!(
        change.place.runs_dir(),
        repo.path().join(".git/council/runs")
    );
    assert!(linked.read(TargetSpec::Worktree).nothing.is_some());
}

#[test]
fn no_repository_is_named_as_such() {
    let place = Repo::outside();
    let error = place.refused(TargetSpec::Default);
    assert!(matches!(error, GitError::NotARepository { .. }), "{error}");
    let outside = RepositoryPaths::outside_repository(place.path());
    assert_eq!(
        outside.runs_dir(),
        place.path().join(".agents/council/runs")
    );
}

#[test]
fn pathspecs_limit_the_change_from_where_one_stands() {
    let repo = Repo::new();
    repo.write("src/a.rs", "a\n")
        .write("docs/b.md", "b\n")
        .write("c.txt", "c\n")
        .commit("first");
    repo.write("src/a.rs", "A\n")
        .write("docs/b.md", "B\n")
        .write("c.txt", "C\n")
        .commit("second");
    let paths = |repo: &Repo, specs: &[&str]| {
        let mut request = repo.request(TargetSpec::parse("HEAD"));
        request.pathspecs = specs.iter().map(ToString::to_string).collect();
        let change = read_change(&request).unwrap();
        let paths = change
            .files
            .iter()
            .map(|file| file.path.display().into_owned());
        (paths.collect::<Vec<_>>(), change.nothing)
    };
    assert_eq!(paths(&repo, &["src", "c.txt"]).0, ["c.txt", "src/a.rs"]);
    assert_eq!(paths(&repo, &[":!docs"]).0, ["c.txt", "src/a.rs"]);
    assert_eq!(paths(&repo.inside("src"), &["."]).0, ["src/a.rs"]);
    assert_eq!(paths(&repo.inside("src"), &["../*.txt"]).0, ["c.txt"]);
    let none = "none of the 3 changed files matches the pathspecs";
    assert_eq!(
        paths(&repo, &["src", ":!src"]),
        (vec![], Some(none.to_owned())),
        "an exclusion did it"
    );
    let mut request = repo.request(TargetSpec::parse("HEAD"));
    request.pathspecs = vec!["nowhere".into()];
    let error = read_change(&request).err().unwrap();
    assert!(
        matches!(error, GitError::NothingMatches { changed: 3 }),
        "a misspelt name is no empty change: {error}"
    );
}

#[test]
fn both_sides_can_be_read_from_any_thread() {
    let repo = Repo::new();
    repo.write("a.txt", "old\n")
        .write("same.txt", "same\n")
        .commit("first");
    repo.write("a.txt", "new\n").commit("second");
    let change = repo.parse("HEAD");
    let read = |side, path: &str| {
        let found = change.blobs.read(side, &path.into()).unwrap();
        found.map(|bytes| String::from_utf8(bytes.to_vec()).unwrap())
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                assert_eq!(read(Side::Old, "a.txt").as_deref(), Some("old\n"));
                assert_eq!(read(Side::New, "a.txt").as_deref(), Some("new\n"));
                assert_eq!(read(Side::New, "same.txt").as_deref(), Some("same\n"));
                assert_eq!(read(Side::New, "nowhere/else"), None);
            });
        }
    });
}

#[test]
fn instructions_follow_links_inside_the_trusted_tree_only() {
    let repo = Repo::new();
    repo.write("AGENTS.md", "be kind\n")
        .link("CLAUDE.md", "AGENTS.md")
        .link("loop", "loop");
    repo.link("out", "../../etc/passwd").commit("first");
    let tree = tree_at(repo.path(), &Default::default(), "main").unwrap();
    assert_eq!(tree.read_file("CLAUDE.md").unwrap().unwrap(), b"be kind\n");
    assert_eq!(tree.read_file("loop").unwrap(), None);
    assert_eq!(tree.read_file("out").unwrap(), None);
    assert!(tree.origin().starts_with("main ("));
}

#[test]
fn the_key_knows_a_rebased_change_and_no_other() {
    let key = |change: &crate::ReviewedChange| recognition_key(change, &filled(change));
    let repo = Repo::new();
    let base = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    repo.write("a.txt", base)
        .write("run.sh", "x\n")
        .commit("base");
    repo.git(&["checkout", "-q", "-b", "topic"]);
    repo.write("a.txt", base.replace('6', "six"))
        .commit("topic");
    let before = key(&repo.parse("HEAD"));
    assert_eq!(before.len(), 64);
    repo.git(&["checkout", "-q", "main"]);
    repo.write("a.txt", format!("0\n{base}"))
        .commit("main moved");
    repo.git(&["cherry-pick", "topic"]);
    assert_eq!(
        key(&repo.parse("HEAD")),
        before,
        "line numbers do not count"
    );
    repo.write("a.txt", format!("0\n{}", base.replace('6', "six ")));
    repo.git(&["commit", "-q", "-a", "--amend", "-m", "white space"]);
    assert_ne!(key(&repo.parse("HEAD")), before, "white space counts");
    repo.write("bin", b"\0one").commit("binary");
    let one = key(&repo.parse("HEAD"));
    repo.write("bin", b"\0two");
    repo.git(&["commit", "-q", "-a", "--amend", "-m", "binary"]);
    assert_ne!(key(&repo.parse("HEAD")), one, "binary content counts");
    let unfilled = repo.parse("HEAD~");
    let (left, other) = (&unfilled.files, &repo.parse("HEAD~2").files);
    let bare = |files| recognition_key(&unfilled, files);
    assert_ne!(
        bare(left),
        bare(other),
        "content counts that nobody was shown"
    );
    repo.git(&["update-index", "--chmod=+x", "run.sh"]);
    repo.git(&["commit", "-q", "-m", "executable"]);
    let executable = key(&repo.parse("HEAD"));
    repo.git(&["update-index", "--chmod=-x", "run.sh"]);
    repo.git(&["commit", "-q", "-m", "not executable"]);
    assert_ne!(key(&repo.parse("HEAD")), executable, "modes count");
}

#[test]
fn git_dir_of_the_environment_is_the_repository() {
    let (repo, other) = (two_commits(), Repo::new());
    let mut request = other.request(TargetSpec::parse("HEAD"));
    request.env = Repo::env(&[("GIT_DIR", repo.path().join(".git").to_str().unwrap())]);
    assert_eq!(read_change(&request).unwrap().files.len(), 1);
}

#[test]
fn a_tree_that_explodes_is_bounded() {
    let repo = two_commits();
    let blob = repo.git(&["rev-parse", "HEAD:a.txt"]);
    let mut entry = format!("100644 blob {blob}");
    for _ in 0..8 {
        let lines: String = (0..10).map(|n| format!("{entry}\td{n}\n")).collect();
        let tree = repo.pipe(&["mktree"], lines.as_bytes());
        entry = format!("040000 tree {tree}");
    }
    let tree = entry.rsplit(' ').next().unwrap();
    let error = repo.refused(TargetSpec::parse(&format!("HEAD..{tree}")));
    assert!(matches!(error, GitError::TooLarge { .. }), "{error}");
}

/// A judge's thread has two megabytes of stack, and a push must not die of a tree.
#[test]
fn a_deep_tree_is_walked_on_a_small_stack_and_a_deeper_one_is_named() {
    let repo = two_commits();
    let blob = repo.git(&["rev-parse", "HEAD:a.txt"]);
    let tree_of = |depth: usize| {
        let path = format!("{}f.txt", "d/".repeat(depth));
        let entry = format!("100644 {blob}\t{path}\n");
        repo.pipe(&["update-index", "--index-info"], entry.as_bytes());
        let tree = repo.git(&["write-tree"]);
        repo.git(&["reset", "-q"]);
        tree
    };
    let read = |depth: usize| {
        let spec = TargetSpec::parse(&format!("HEAD^{{tree}}..{}", tree_of(depth)));
        std::thread::scope(|scope| {
            let small = std::thread::Builder::new().stack_size(192 << 10);
            let read = small.spawn_scoped(scope, || {
                let change = repo.try_read(spec)?;
                let listed = change.blobs.entries(Side::New).unwrap().unwrap();
                Ok::<_, GitError>((change.files.len(), listed.len()))
            });
            read.unwrap().join().unwrap()
        })
    };
    for depth in [1, 300, 600, 1200, 1900] {
        assert_eq!(read(depth).unwrap(), (1, 2), "{depth} folders");
    }
    let error = read(2_100).unwrap_err();
    assert!(matches!(error, GitError::TooLarge { .. }), "{error}");
}

#[test]
fn a_damaged_tree_is_an_error() {
    let repo = two_commits();
    let tree = repo.pipe(
        &["hash-object", "--literally", "-t", "tree", "-w", "--stdin"],
        b"100644 a.txt\0too short",
    );
    let commit = repo.git(&["commit-tree", "-m", "damaged", &tree]);
    let error = repo.refused(TargetSpec::parse(&format!("HEAD..{commit}")));
    assert!(matches!(error, GitError::Damaged { .. }), "{error}");
}
