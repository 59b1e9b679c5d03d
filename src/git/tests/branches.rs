//! No argument: the current branch against its upstream, else the default branch.

use council_protocol::packet::TargetKind;

use crate::testing::{Repo, only};
use crate::{GitError, TargetSpec, UnmergedRange, branch_sources, read_change};

fn origin() -> Repo {
    let origin = Repo::new();
    origin.write("a.txt", "one\n").commit("first");
    origin
}

/// A clone with one commit more on the branch `topic`.
fn with_topic(origin: &Repo) -> Repo {
    let repo = Repo::clone_of(origin, &[]);
    repo.git(&["checkout", "-q", "-b", "topic"]);
    repo.write("b.txt", "b\n").commit("on the topic");
    repo
}

#[test]
fn ahead_of_its_upstream() {
    let repo = Repo::clone_of(&origin(), &[]);
    repo.write("b.txt", "b\n").commit("ahead");
    let change = repo.read(TargetSpec::Default);
    assert_eq!(only(&change).path, "b.txt".into());
    assert_eq!(change.target.kind, TargetKind::Branch);
    assert_eq!(change.target.label, "origin/main...main");
    assert_eq!(change.framing.title, "main");
    assert!(
        change
            .trusted_tree()
            .unwrap()
            .origin()
            .starts_with("origin/main (")
    );
}

#[test]
fn level_with_its_upstream_there_is_nothing_and_the_reason_is_told() {
    let repo = Repo::clone_of(&origin(), &[]);
    let change = repo.read(TargetSpec::Default);
    assert_eq!(
        change.nothing.as_deref(),
        Some("main has no commits that are not in origin/main")
    );
}

#[test]
fn where_only_uncommitted_work_differs_its_command_is_named() {
    let repo = Repo::clone_of(&origin(), &[]);
    repo.write("new.txt", "work\n");
    let change = repo.read(TargetSpec::Default);
    let why = change.nothing.unwrap();
    assert!(why.ends_with("git council review --worktree"), "{why}");
}

#[test]
fn without_an_upstream_the_default_branch() {
    let repo = with_topic(&origin());
    let change = repo.read(TargetSpec::Default);
    assert_eq!(only(&change).path, "b.txt".into());
    assert_eq!(change.target.label, "origin/main...topic");
}

#[test]
fn a_branch_that_was_pushed_is_compared_with_the_default_branch() {
    let origin = origin();
    let repo = with_topic(&origin);
    repo.git(&["push", "-q", "-u", "origin", "topic"]);
    let change = repo.read(TargetSpec::Default);
    assert_eq!(only(&change).path, "b.txt".into());
    let note = "level with its upstream origin/topic: compared with origin/main";
    assert_eq!(change.notes, [note]);
    // With one more commit there is again something that the upstream lacks.
    repo.write("c.txt", "c\n").commit("more");
    assert_eq!(only(&repo.read(TargetSpec::Default)).path, "c.txt".into());
}

/// What the remote has of the same branch may come from anybody who may push a branch.
#[test]
fn a_branch_is_judged_by_what_the_default_branch_says() {
    let origin = origin();
    let repo = with_topic(&origin);
    let theirs = repo.write("council.toml", "[hook]\n").commit("theirs");
    repo.git(&["push", "-q", "-u", "origin", "topic"]);
    let tip = repo.write("c.txt", "c\n").commit("mine");
    let pushed = |remote: Option<&str>| {
        TargetSpec::Unmerged(UnmergedRange {
            from: theirs.clone(),
            to: tip.clone(),
            remote: remote.map(str::to_owned),
        })
    };
    let address = Some("https://example.com/x.git");
    for spec in [
        TargetSpec::Default,
        pushed(Some("origin")),
        pushed(address),
        pushed(None),
    ] {
        let change = repo.read(spec);
        assert_eq!(only(&change).path, "c.txt".into());
        let trusted = change.trusted_tree().unwrap();
        assert!(
            trusted.origin().starts_with("origin/main ("),
            "{}",
            trusted.origin()
        );
        assert_eq!(trusted.read_file("council.toml").unwrap(), None);
    }
    // Somebody's own words are obeyed: a range that is named has the base that it names.
    let change = repo.read(TargetSpec::parse("origin/topic..HEAD"));
    let named = change.trusted_tree().unwrap().read_file("council.toml");
    assert!(named.unwrap().is_some());
    // Where no default branch is known, what the remote has of the branch may be as unmerged as what is pushed.
    repo.git(&["remote", "set-head", "origin", "--delete"]);
    repo.git(&["update-ref", "-d", "refs/remotes/origin/main"]);
    let change = repo.read(pushed(Some("origin")));
    assert!(change.trusted_tree().is_none());
    let told = "git remote set-head origin";
    let is_told = change.notes.iter().any(|note| note.contains(told));
    assert!(is_told, "{:?}", change.notes);
}

/// A fork with a `council.toml` on its default branch and one commit more on `feature`.
fn fork_with_rules(origin: &Repo) -> Repo {
    let fork = Repo::clone_of(origin, &[]);
    fork.write("council.toml", "[rules]\n").commit("rules");
    fork.git(&["checkout", "-q", "-b", "feature"]);
    fork.write("b.txt", "b\n").commit("work");
    fork
}

/// Whose `council.toml` is obeyed: nobody's is an empty name.
fn judged_by(repo: &Repo, spec: TargetSpec) -> (String, bool) {
    let change = repo.read(spec);
    let tree = change.trusted_tree();
    let file = tree.and_then(|tree| tree.read_file("council.toml").unwrap());
    let name = tree.map(|tree| tree.origin()).unwrap_or_default();
    (name.split(' ').next().unwrap().to_owned(), file.is_some())
}

/// Law: wherever a base comes from, what a second remote says is never obeyed, unless the user names that remote.
#[test]
fn the_default_branch_of_a_fork_judges_nothing() {
    let origin = origin();
    let fork = fork_with_rules(&origin);
    let repo = Repo::clone_of(&origin, &[]);
    repo.git(&["remote", "add", "a-fork", fork.path().to_str().unwrap()]);
    repo.git(&["fetch", "-q", "a-fork"]);
    repo.git(&["remote", "set-head", "a-fork", "main"]);
    repo.git(&["checkout", "-q", "-b", "feature", "a-fork/feature"]);
    let tip = repo.write("c.txt", "c\n").commit("mine");
    let from = repo.git(&["rev-parse", "a-fork/feature"]).trim().to_owned();
    let specs = || {
        let pushed = ["a-fork", "origin", "https://example.com/x.git"].map(|remote| {
            TargetSpec::Unmerged(UnmergedRange {
                from: from.clone(),
                to: tip.clone(),
                remote: Some(remote.to_owned()),
            })
        });
        pushed.into_iter().chain([TargetSpec::Default])
    };
    for spec in specs() {
        assert_eq!(judged_by(&repo, spec), ("origin/main".to_owned(), false));
    }
    // `.git/config` names nobody to be trusted.
    repo.git(&["config", "checkout.defaultRemote", "a-fork"]);
    for spec in specs() {
        assert_eq!(judged_by(&repo, spec), ("origin/main".to_owned(), false));
    }
    // Several equals, and no branch here that could be the default: nobody's, and the reader is told.
    repo.git(&["remote", "rename", "origin", "other"]);
    repo.git(&["branch", "-q", "-D", "main"]);
    for spec in specs().take(1).chain([TargetSpec::Default]) {
        let change = repo.read(spec.clone());
        assert!(
            change
                .notes
                .iter()
                .any(|note| note.contains("checkout.defaultRemote"))
        );
        assert_eq!(judged_by(&repo, spec), (String::new(), false));
    }
}

/// A remote's HEAD that leads out of its own refs, to a fork's or to the very branch that is pushed, is as good as none.
#[test]
fn a_head_of_a_remote_that_leads_elsewhere_is_none() {
    let origin = origin();
    let fork = fork_with_rules(&origin);
    let repo = Repo::clone_of(&origin, &[]);
    repo.git(&["remote", "add", "fork", fork.path().to_str().unwrap()]);
    repo.git(&["fetch", "-q", "fork"]);
    repo.git(&["checkout", "-q", "-b", "feature", "fork/feature"]);
    let tip = repo.write("c.txt", "c\n").commit("mine");
    let from = repo.git(&["rev-parse", "origin/main"]).trim().to_owned();
    for elsewhere in [
        "refs/remotes/fork/main",
        "refs/heads/feature",
        "refs/remotes/fork/feature",
    ] {
        repo.git(&["symbolic-ref", "refs/remotes/origin/HEAD", elsewhere]);
        let pushed = TargetSpec::Unmerged(UnmergedRange {
            from: from.clone(),
            to: tip.clone(),
            remote: Some("origin".to_owned()),
        });
        for spec in [pushed, TargetSpec::Default] {
            assert_eq!(
                judged_by(&repo, spec),
                ("origin/main".to_owned(), false),
                "{elsewhere}"
            );
        }
    }
}

/// Where the remote's HEAD is not known, a branch that anybody may have called `main` judges nothing.
#[test]
fn a_guessed_default_branch_counts_only_if_it_is_here_too() {
    let origin = origin();
    origin.git(&["branch", "-q", "-m", "develop"]);
    let repo = Repo::clone_of(&origin, &[]);
    origin.git(&["checkout", "-q", "-b", "main"]);
    origin
        .write("council.toml", "[rules]\n")
        .commit("not merged");
    repo.git(&["fetch", "-q"]);
    repo.git(&["remote", "set-head", "origin", "--delete"]);
    repo.git(&["checkout", "-q", "-b", "topic"]);
    repo.write("b.txt", "b\n").commit("mine");
    assert_eq!(
        judged_by(&repo, TargetSpec::Default),
        (String::new(), false)
    );
    let change = repo.read(TargetSpec::Default);
    let told =
        "the default branch of origin is not known (git remote set-head origin --auto asks for it)";
    assert!(
        change.notes.iter().any(|note| note.ends_with(told)),
        "{:?}",
        change.notes
    );
    repo.git(&["branch", "-q", "main", "origin/main"]);
    assert_eq!(
        judged_by(&repo, TargetSpec::Default),
        ("origin/main".to_owned(), true)
    );
}

#[test]
fn an_upstream_that_is_gone_gives_way_to_the_default_branch() {
    let origin = origin();
    let repo = with_topic(&origin);
    repo.git(&["push", "-q", "-u", "origin", "topic"]);
    repo.git(&["update-ref", "-d", "refs/remotes/origin/topic"]);
    let change = repo.read(TargetSpec::Default);
    assert_eq!(
        change.notes,
        ["the upstream origin/topic is gone: compared with origin/main"]
    );
    assert_eq!(only(&change).path, "b.txt".into());
}

#[test]
fn the_default_branch_itself_without_an_upstream() {
    let repo = origin();
    let error = repo.refused(TargetSpec::Default);
    let expected =
        "nothing to compare branch main with: it is the default branch and has no upstream";
    assert_eq!(error.to_string(), expected);
    assert!(error.hints()[0].contains("--worktree"));
}

#[test]
fn the_name_of_the_default_branch_may_be_configured() {
    let repo = origin();
    repo.git(&["branch", "-m", "trunk"]);
    repo.git(&["checkout", "-q", "-b", "topic"]);
    repo.write("b.txt", "b\n").commit("on the topic");
    let error = repo.refused(TargetSpec::Default);
    assert!(
        error.to_string().contains("there is no default branch"),
        "{error}"
    );
    repo.git(&["config", "init.defaultBranch", "trunk"]);
    assert_eq!(repo.read(TargetSpec::Default).target.label, "trunk...topic");
}

/// Law: where nothing can be compared, every command that is named as the next step works in that repository.
#[test]
fn what_is_named_in_place_of_a_missing_base_works() {
    let bare = |prepare: &dyn Fn(&Repo)| {
        let repo = origin();
        repo.git(&["branch", "-m", "trunk"]);
        prepare(&repo);
        repo
    };
    let repos = [
        bare(&|_| {}),
        bare(&|repo| drop(repo.git(&["branch", "older"]))),
        bare(&|repo| drop(repo.git(&["checkout", "-q", "--detach"]))),
        bare(&|repo| {
            repo.git(&["branch", "-q", "with'quote"]);
            repo.git(&["remote", "add", "upstream", "/nowhere"]);
        }),
    ];
    for repo in repos {
        let error = repo.refused(TargetSpec::Default);
        let hints = error.hints();
        let commands = hints
            .iter()
            .filter_map(|hint| hint.split("git council review ").nth(1));
        let specs: Vec<&str> = commands
            .filter_map(|words| words.split_whitespace().next())
            .collect();
        assert_eq!(specs[0], "HEAD", "{hints:?}");
        for spec in specs {
            repo.read(TargetSpec::parse(spec));
        }
        let told = hints.join("\n");
        let remotes = repo.git(&["remote"]);
        assert_eq!(
            told.contains("--set-upstream upstream trunk"),
            remotes.contains("upstream"),
            "{told}"
        );
        assert!(
            !told.contains("origin/main") && !told.contains('\''),
            "{told}"
        );
    }
}

#[test]
fn a_branch_that_may_be_elsewhere_is_told_how_to_fetch() {
    let repo = with_topic(&origin());
    for (name, command) in [
        (
            "origin/nowhere",
            "git fetch origin nowhere:refs/remotes/origin/nowhere, then name origin/nowhere",
        ),
        (
            "nowhere",
            "git fetch origin nowhere:refs/remotes/origin/nowhere, then name origin/nowhere",
        ),
    ] {
        let told = repo.refused(TargetSpec::parse(name)).hints().join("\n");
        assert!(told.contains(command), "{told}");
    }
}

#[test]
fn a_detached_head_is_compared_with_the_default_branch() {
    let repo = with_topic(&origin());
    repo.git(&["checkout", "-q", "--detach"]);
    let change = repo.read(TargetSpec::Default);
    assert_eq!(change.target.label, "origin/main...HEAD");
    assert_eq!(change.framing.title, "");
    assert_eq!(only(&change).path, "b.txt".into());
}

#[test]
fn a_detached_head_without_any_branch() {
    let repo = origin();
    repo.git(&["checkout", "-q", "--detach"]);
    repo.git(&["branch", "-D", "main"]);
    let error = repo.refused(TargetSpec::Default).to_string();
    assert!(
        error.starts_with("nothing to compare HEAD (detached at "),
        "{error}"
    );
}

#[test]
fn an_unborn_branch() {
    let repo = Repo::new();
    let error = repo.refused(TargetSpec::Default);
    assert_eq!(error.to_string(), "branch main has no commit yet");
    assert!(matches!(
        repo.refused(TargetSpec::parse("HEAD")),
        GitError::Unborn { .. }
    ));
    assert!(matches!(
        repo.refused(TargetSpec::parse("topic")),
        GitError::UnknownRevision { .. }
    ));
    assert!(repo.read(TargetSpec::Staged).nothing.is_some());
    repo.write("a.txt", "a\n");
    let change = repo.read(TargetSpec::Worktree);
    assert_eq!(only(&change).path, "a.txt".into());
    assert!(change.trusted_tree().is_none());
}

#[test]
fn a_shallow_clone_never_passes_for_a_whole_history() {
    let origin = origin();
    origin.write("a.txt", "two\n").commit("second");
    origin.git(&["checkout", "-q", "-b", "topic"]);
    origin.write("a.txt", "three\n").commit("third");
    origin.git(&["checkout", "-q", "main"]);
    origin.write("b.txt", "b\n").commit("main moves");
    let repo = Repo::clone_of(&origin, &["--depth=1", "--no-single-branch"]);
    repo.git(&["checkout", "-q", "topic"]);
    for spec in [
        TargetSpec::parse("HEAD"),
        TargetSpec::parse("HEAD~1..HEAD"),
        TargetSpec::parse("origin/main...HEAD"),
        TargetSpec::Default,
    ] {
        let error = repo.refused(spec.clone());
        assert!(
            matches!(error, GitError::Shallow { .. }),
            "{spec:?}: {error}"
        );
        assert!(error.hints()[0].contains("fetch-depth: 0"));
    }
    // What is there can be compared.
    assert_eq!(repo.parse("origin/main..HEAD").files.len(), 2);
}

/// What a command is configured by is found without a comparison, and is what a review of the branch would obey.
#[test]
fn a_branch_has_the_sources_of_its_change() {
    let origin = origin();
    let ahead = Repo::clone_of(&origin, &[]);
    ahead.write("b.txt", "b\n").commit("ahead");
    let level = Repo::clone_of(&origin, &[]);
    let topic = with_topic(&origin);
    let detached = with_topic(&origin);
    detached.git(&["checkout", "-q", "--detach"]);
    let (alone, unborn) = (Repo::new(), Repo::new());
    alone.write("a.txt", "a\n").commit("no base");
    for repo in [&ahead, &level, &topic, &detached, &alone, &unborn] {
        let request = repo.request(TargetSpec::Default);
        let sources = branch_sources(&request.dir, &request.env).unwrap();
        let read = |spec| read_change(&repo.request(spec)).ok();
        let change = read(TargetSpec::Default);
        let change = change.or_else(|| read(TargetSpec::Topic(String::new())));
        let trusted = change.as_ref().and_then(|change| change.trusted_tree());
        assert_eq!(
            sources.trusted.map(|tree| tree.origin()),
            trusted.map(|tree| tree.origin())
        );
        assert_eq!(sources.place.workdir, change.unwrap().place.workdir);
    }
}

/// Law: what was pushed before judges no later push, also where the clone of a job has no branch but its own, so that nobody
/// knows the default one.
#[test]
fn an_earlier_push_judges_none_where_the_default_branch_is_not_known() {
    let origin = origin();
    origin.git(&["checkout", "-q", "-b", "develop"]);
    let from = origin
        .write("council.toml", "[rules]\n")
        .commit("not merged");
    origin.write("b.txt", "b\n").commit("more");
    let repo = Repo::new();
    repo.git(&["remote", "add", "origin", origin.path().to_str().unwrap()]);
    let refs = "+refs/heads/develop:refs/remotes/origin/develop";
    repo.git(&["fetch", "-q", "origin", refs]);
    repo.git(&["checkout", "-q", "--detach", "origin/develop"]);
    for remote in [None, Some("origin".to_owned())] {
        let pushed = || {
            TargetSpec::Unmerged(UnmergedRange {
                from: from.clone(),
                to: "HEAD".to_owned(),
                remote: remote.clone(),
            })
        };
        assert_eq!(judged_by(&repo, pushed()), (String::new(), false));
        let notes = repo.read(pushed()).notes;
        assert!(notes.iter().any(|note| note.contains("set-head origin")));
    }
}
