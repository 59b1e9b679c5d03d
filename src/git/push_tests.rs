use super::*;
use crate::testing::Repo;

const ZERO: &str = "0000000000000000000000000000000000000000";

#[test]
fn lines_are_read_from_the_right() {
    let id = "a".repeat(40);
    let line = format!("HEAD@{{1 day ago}} {id} refs/heads/main {ZERO}\n");
    let updates = RefUpdate::parse_all(&line).unwrap();
    assert_eq!(updates[0].local_ref, "HEAD@{1 day ago}");
    assert_eq!(
        (updates[0].is_deletion(), is_zero(&updates[0].remote)),
        (false, true)
    );
    let wide = format!(
        "(delete) {} refs/heads/x {}",
        "0".repeat(64),
        "b".repeat(64)
    );
    assert!(RefUpdate::parse_all(&wide).unwrap()[0].is_deletion());
    assert_eq!(RefUpdate::parse_all("\n\n").unwrap(), []);
    for bad in ["x", "a b c d", &format!("a {id} b c")] {
        assert_eq!(RefUpdate::parse_all(bad), Err(bad.to_owned()));
    }
}

fn update(local: &str, remote: &str) -> RefUpdate {
    RefUpdate {
        local_ref: "HEAD".into(),
        local: local.into(),
        remote_ref: "refs/heads/x".into(),
        remote: remote.into(),
    }
}

fn pushed(repo: &Repo, local: &str, remote: &str) -> PushedRange {
    pushed_ranges(
        repo.path(),
        &GitEnvironment::default(),
        "origin",
        &[update(local, remote)],
    )
    .unwrap()
    .remove(0)
}

fn since(from: &str, to: &str) -> PushedRange {
    PushedRange::Range {
        from: from.into(),
        to: to.into(),
        note: None,
    }
}

fn cloned() -> (Repo, Repo, String) {
    let origin = Repo::new();
    origin.write("a", "1\n").commit("one");
    let base = origin.write("a", "2\n").commit("two");
    let repo = Repo::clone_of(&origin, &[]);
    (origin, repo, base)
}

#[test]
fn what_the_remote_has_is_the_base() {
    let (_origin, repo, base) = cloned();
    let tip = repo.write("a", "3\n").commit("three");
    assert_eq!(pushed(&repo, &tip, &base), since(&base, &tip));
    assert_eq!(pushed(&repo, &base, &tip), PushedRange::Nothing);
}

#[test]
fn a_force_push_is_reviewed_since_the_histories_parted() {
    let (_origin, repo, base) = cloned();
    let theirs = repo.write("a", "3\n").commit("three");
    repo.git(&["reset", "-q", "--hard", &base]);
    let ours = repo.write("a", "4\n").commit("four");
    let PushedRange::Range { from, to, note } = pushed(&repo, &ours, &theirs) else {
        panic!("nothing is pushed")
    };
    assert_eq!((from, to), (base, ours));
    assert!(note.unwrap().contains("force-push"));
}

#[test]
fn a_new_ref_is_compared_with_the_remotes_head() {
    let (_origin, repo, base) = cloned();
    assert_eq!(pushed(&repo, &base, ZERO), PushedRange::Nothing);
    let tip = repo.write("b", "1\n").commit("three");
    assert_eq!(pushed(&repo, &tip, ZERO), since(&base, &tip));
    // An id that nobody here knows says nothing.
    assert_eq!(pushed(&repo, &tip, &"ab".repeat(20)), since(&base, &tip));
    repo.git(&["remote", "set-head", "origin", "--delete"]);
    assert_eq!(pushed(&repo, &tip, ZERO), since(&base, &tip));
}

/// Law: whatever symbolic refs stand among a remote's, a push sends what it sent without them.
#[test]
fn a_symbolic_ref_says_nothing_of_the_remote() {
    let (_origin, repo, base) = cloned();
    repo.git(&["checkout", "-q", "-b", "f"]);
    let tip = repo.write("b", "1\n").commit("three");
    repo.git(&["tag", "x"]);
    for name in ["HEAD", "y", "a/b"] {
        let name = format!("refs/remotes/origin/{name}");
        let link = "refs/remotes/origin/link";
        for target in ["refs/heads/f", "refs/tags/x", link] {
            repo.git(&["symbolic-ref", link, "refs/heads/f"]);
            repo.git(&["symbolic-ref", &name, target]);
            assert_eq!(
                pushed(&repo, &tip, ZERO),
                since(&base, &tip),
                "{name} {target}"
            );
        }
        repo.git(&["symbolic-ref", "-d", &name]);
    }
}

#[test]
fn tags_are_peeled_and_trees_are_no_commits() {
    let (_origin, repo, base) = cloned();
    let tip = repo.write("b", "1\n").commit("three");
    repo.git(&["tag", "-a", "-m", "v1", "v1"]);
    let tag = repo.git(&["rev-parse", "v1"]);
    assert_ne!(tag, tip);
    assert_eq!(pushed(&repo, &tag, ZERO), since(&base, &tip));
    let tree = repo.git(&["rev-parse", "HEAD^{tree}"]);
    assert_eq!(pushed(&repo, &tree, ZERO), PushedRange::NoCommit("a tree"));
    repo.git(&["tag", "-m", "a key", "content", "HEAD:b"]);
    let tag = repo.git(&["rev-parse", "content"]);
    let content = PushedRange::NoCommit("the content of a file");
    assert_eq!(pushed(&repo, &tag, ZERO), content);
}

#[test]
fn a_branch_pushed_to_a_name_of_notes_is_a_branch() {
    let named = |local: &str, remote: &str| {
        let update = RefUpdate {
            local_ref: local.into(),
            remote_ref: remote.into(),
            ..update(ZERO, ZERO)
        };
        update.is_named_as_notes()
    };
    assert!(named("refs/notes/council", "refs/notes/council"));
    assert!(!named("HEAD", "refs/notes/x") && !named("refs/heads/x", "refs/notes/x"));
}

#[test]
fn code_under_a_name_of_notes_is_no_note() {
    let (_origin, repo, base) = cloned();
    let tip = repo.write("b", "1\n").commit("three");
    repo.git(&["notes", "add", "-m", "A note.", &tip]);
    let notes = repo.git(&["rev-parse", "refs/notes/commits"]);
    let pushed = |local: &str| {
        let update = RefUpdate {
            local_ref: "refs/notes/x".into(),
            remote_ref: "refs/notes/x".into(),
            ..update(local, ZERO)
        };
        let env = GitEnvironment::default();
        pushed_ranges(repo.path(), &env, "origin", &[update])
            .unwrap()
            .remove(0)
    };
    let nothing = ObjectId::EMPTY_TREE.to_hex();
    assert_eq!(
        pushed(&notes),
        PushedRange::Notes {
            from: nothing,
            to: notes.clone()
        }
    );
    assert_eq!(pushed(&tip), since(&base, &tip));
    // A commit of notes whose parent is code brings the code along.
    let tree = repo.git(&["rev-parse", &format!("{notes}^{{tree}}")]);
    let carrier = repo.git(&["commit-tree", "-m", "n", "-p", &tip, &tree]);
    assert_eq!(pushed(&carrier), since(&base, &carrier));
}

#[test]
fn what_another_remote_has_is_new_to_an_address() {
    let (origin, repo, base) = cloned();
    let tip = repo.write("b", "1\n").commit("three");
    let env = GitEnvironment::default();
    let to = |address: &str| {
        let updates = [update(&tip, ZERO)];
        pushed_ranges(repo.path(), &env, address, &updates)
            .unwrap()
            .remove(0)
    };
    let nothing = ObjectId::EMPTY_TREE.to_hex();
    assert_eq!(to("https://example.com/public.git"), since(&nothing, &tip));
    let own = repo.git(&["config", "remote.origin.url"]);
    assert_eq!(to(&own), since(&base, &tip));
    drop(origin);
}

#[test]
fn a_first_push_begins_at_nothing_however_long_its_history_is() {
    let repo = Repo::new();
    let first = repo.write("a", "1\n").commit("one");
    assert_eq!(
        pushed(&repo, &first, ZERO),
        since(&ObjectId::EMPTY_TREE.to_hex(), &first)
    );
    let tree = repo.git(&["rev-parse", "HEAD^{tree}"]);
    let mut tip = first;
    for n in 0..120 {
        tip = repo.git(&["commit-tree", "-m", &n.to_string(), "-p", &tip, &tree]);
    }
    assert_eq!(
        pushed(&repo, &tip, ZERO),
        since(&ObjectId::EMPTY_TREE.to_hex(), &tip)
    );
}
