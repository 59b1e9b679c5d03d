//! What a push is about to send (githooks(5), pre-push): which ranges of it the remote lacks.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::default_branch::head_of_remote;
use super::env::GitEnvironment;
use super::error::GitError;
use super::id::ObjectId;
use super::object_store::ObjectKind;
use super::objects::ObjectReader;
use super::open;
use super::repository::OpenRepository;
use super::tree;
use super::tree_item::{ItemSort, LocatedItem};

/// How many new commits are walked to find where they begin. A longer history is compared with nothing, so that all of
/// what it comes to is reviewed.
pub(crate) const MAX_PUSHED_COMMITS: usize = 10_000;

/// How many new commits of notes are looked at. What brings more is reviewed like a branch.
const MAX_NOTES_COMMITS: usize = 1_000;

/// How much is shown of a line that is none of git's, in characters.
const MAX_SHOWN_CHARS: usize = 200;

/// One line of what `git push` tells its hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefUpdate {
    /// Whatever was typed: a ref, `HEAD~`, an id; `(delete)` for a deletion. Untrusted text.
    pub local_ref: String,
    /// The id that is sent; all zeros for a deletion.
    pub local: String,
    /// The ref at the remote. Untrusted text.
    pub remote_ref: String,
    /// What the remote has there; all zeros when nothing.
    pub remote: String,
}

impl RefUpdate {
    /// Reads lines of `<local ref> SP <local id> SP <remote ref> SP <remote id>`; what was typed may hold spaces.
    ///
    /// # Errors
    ///
    /// The first line that is not one.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, String> {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines
            .map(|line| {
                Self::parse(line).ok_or_else(|| line.chars().take(MAX_SHOWN_CHARS).collect())
            })
            .collect()
    }

    fn parse(line: &str) -> Option<Self> {
        let mut parts = line.rsplitn(4, ' ');
        let (remote, remote_ref, local, local_ref) =
            (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let is_id = |text: &str| {
            matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit())
        };
        (is_id(local) && is_id(remote)).then(|| Self {
            local_ref: local_ref.to_owned(),
            local: local.to_owned(),
            remote_ref: remote_ref.to_owned(),
            remote: remote.to_owned(),
        })
    }

    /// Whether a ref is deleted: then there is nothing to review.
    pub fn is_deletion(&self) -> bool {
        is_zero(&self.local)
    }

    /// Whether both names are of notes. A branch that is pushed to a name of notes is a branch.
    pub fn is_named_as_notes(&self) -> bool {
        let is_named = |name: &str| name.starts_with("refs/notes/");
        is_named(&self.remote_ref) && is_named(&self.local_ref)
    }
}

/// No id, in either length.
pub(crate) fn is_zero(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|b| b == b'0')
}

/// What of one update is reviewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushedRange {
    /// Commits that the remote lacks.
    Range {
        /// The base: a commit, or the empty tree.
        from: String,
        to: String,
        /// What the reader should know about the choice.
        note: Option<String>,
    },
    /// The remote has it all.
    Nothing,
    /// Notes, which hold no code, since what the remote has of them.
    Notes {
        /// The commit that the remote has, or the empty tree.
        from: String,
        to: String,
    },
    /// Not a commit; what it is.
    NoCommit(&'static str),
}

/// Decides, for each update that is no deletion, what of it is new to `remote`.
///
/// # Errors
///
/// As opening the repository, and histories that cannot be read.
pub fn pushed_ranges(
    dir: &Path,
    env: &GitEnvironment,
    remote: &str,
    updates: &[RefUpdate],
) -> Result<Vec<PushedRange>, GitError> {
    let objects = ObjectReader::new(open::open_repository(dir, env)?);
    let push = PushContext {
        known: known_to_remote(&objects.store, remote)?,
        objects: &objects,
        remote,
    };
    // Many refs may lead to one commit.
    let mut ranges: HashMap<(&str, &str, bool), PushedRange> = HashMap::new();
    let mut pushed = Vec::with_capacity(updates.len());
    for update in updates {
        let is_notes = update.is_named_as_notes();
        let key = (update.local.as_str(), update.remote.as_str(), is_notes);
        let range = match ranges.get(&key) {
            Some(known) => known.clone(),
            None => push.range_of_update(update)?,
        };
        ranges.insert(key, range.clone());
        pushed.push(range);
    }
    Ok(pushed)
}

/// The branches and tags that lead to commits which `remote` lacks, as updates of refs of the same name.
///
/// # Errors
///
/// As opening the repository, and histories that cannot be read.
pub fn unsent_refs(
    dir: &Path,
    env: &GitEnvironment,
    remote: &str,
) -> Result<Vec<RefUpdate>, GitError> {
    let objects = ObjectReader::new(open::open_repository(dir, env)?);
    let store = &objects.store;
    let known = known_to_remote(store, remote)?;
    let mut unsent = Vec::new();
    for prefix in ["refs/heads/", "refs/tags/"] {
        for (name, tip) in store.refs_below(prefix)? {
            if store.walk_commits(tip, &known, 1)?.is_empty() {
                continue;
            }
            let local = tip.to_hex();
            unsent.push(RefUpdate {
                local_ref: name.clone(),
                remote_ref: name,
                remote: "0".repeat(local.len()),
                local,
            });
        }
    }
    Ok(unsent)
}

struct PushContext<'a> {
    objects: &'a ObjectReader,
    remote: &'a str,
    /// The commits that the refs of the remote lead to.
    known: Vec<ObjectId>,
}

impl PushContext<'_> {
    fn range_of_update(&self, update: &RefUpdate) -> Result<PushedRange, GitError> {
        let store = &self.objects.store;
        let tip = match store.resolve_name(&update.local)? {
            Some((commit, ObjectKind::Commit)) => commit,
            Some((_, ObjectKind::Blob)) => {
                return Ok(PushedRange::NoCommit("the content of a file"));
            }
            Some(_) => return Ok(PushedRange::NoCommit("a tree")),
            None => return Ok(PushedRange::NoCommit("no commit of this repository")),
        };
        let there = if is_zero(&update.remote) {
            None
        } else {
            store.resolve_name(&update.remote).ok().flatten()
        };
        let remote = there.and_then(|(id, kind)| (kind == ObjectKind::Commit).then_some(id));
        if update.is_named_as_notes() && self.brings_only_notes(remote, tip)? {
            let nothing = store.format.empty_tree();
            return Ok(PushedRange::Notes {
                from: remote.unwrap_or(nothing).to_hex(),
                to: tip.to_hex(),
            });
        }
        match there {
            Some((remote, ObjectKind::Commit)) => self.since_remote(remote, tip),
            _ => self.range_of_new_ref(tip),
        }
    }

    /// Whether every commit that the remote lacks holds notes: a parent of one that does may be code, and goes along.
    fn brings_only_notes(&self, remote: Option<ObjectId>, tip: ObjectId) -> Result<bool, GitError> {
        let mut known = self.known.clone();
        known.extend(remote);
        let new = self
            .objects
            .store
            .walk_commits(tip, &known, MAX_NOTES_COMMITS + 1)?;
        if new.len() > MAX_NOTES_COMMITS {
            return Ok(false);
        }
        for commit in new {
            if !self.holds_notes(commit)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a commit's tree is one of notes: files named by the ids of objects, fanned out or not. The name of a ref
    /// alone says nothing of what it leads to.
    fn holds_notes(&self, tip: ObjectId) -> Result<bool, GitError> {
        let tree = self.objects.commit(tip)?.tree;
        let is_note = |(path, item): &LocatedItem| {
            let digits: Vec<u8> = path.iter().copied().filter(|&b| b != b'/').collect();
            let is_id = matches!(digits.len(), 40 | 64) && digits.iter().all(u8::is_ascii_hexdigit);
            is_id && item.sort() == ItemSort::File
        };
        Ok(tree::list_tree(self.objects, tree)?.iter().all(is_note))
    }

    /// The remote has a commit that we have too.
    fn since_remote(&self, remote: ObjectId, tip: ObjectId) -> Result<PushedRange, GitError> {
        let base = self.objects.store.merge_base(remote, tip)?;
        Ok(match base {
            Some(base) if base == tip => PushedRange::Nothing,
            Some(base) if base == remote => pushed_range(base, tip, None),
            Some(base) => pushed_range(
                base,
                tip,
                Some("a force-push: since the two histories parted".into()),
            ),
            None => return self.range_of_new_ref(tip),
        })
    }

    /// A new ref, or one at whose place the remote has what we do not know: the commits that no ref of the remote holds.
    fn range_of_new_ref(&self, tip: ObjectId) -> Result<PushedRange, GitError> {
        let store = &self.objects.store;
        let new = store.walk_commits(tip, &self.known, MAX_PUSHED_COMMITS + 1)?;
        let Some(oldest) = new.last().copied() else {
            return Ok(PushedRange::Nothing);
        };
        let head = head_of_remote(self.objects, self.remote).map(|(_, commit)| commit);
        if let Some(base) = head
            .map(|head| store.merge_base(head, tip))
            .transpose()?
            .flatten()
        {
            return Ok(pushed_range(base, tip, None));
        }
        if new.len() > MAX_PUSHED_COMMITS {
            Ok(pushed_range(store.format.empty_tree(), tip, None))
        } else {
            self.since_parent(oldest, tip)
        }
    }

    /// Since the parent of the oldest commit that is new; a root commit is compared with nothing.
    fn since_parent(&self, oldest: ObjectId, tip: ObjectId) -> Result<PushedRange, GitError> {
        let parent = self.objects.commit(oldest)?.parents.first().copied();
        let nothing = self.objects.store.format.empty_tree();
        Ok(pushed_range(parent.unwrap_or(nothing), tip, None))
    }
}

/// The commits that the refs of a remote lead to, as far as they are known here.
pub(super) fn known_to_remote(
    store: &OpenRepository,
    remote: &str,
) -> Result<Vec<ObjectId>, GitError> {
    let mut names = store.remote_names();
    // A push to a URL is one to the remotes that have it. What others have says nothing: it may be a private mirror.
    if !names.iter().any(|name| name == remote) {
        names.retain(|name| has_address(store, name, remote));
    } else {
        names = vec![remote.to_owned()];
    }
    let mut known = Vec::new();
    for name in names {
        let own = format!("refs/remotes/{name}/");
        // One that names another of them adds nothing, and one that leads elsewhere, such as to the very branch that is
        // pushed, says nothing of the remote.
        let symbolic: HashSet<String> = store.symbolic_refs_below(&own)?.into_iter().collect();
        let refs = store.refs_below(&own)?.into_iter();
        let refs = refs.filter(|(name, _)| !symbolic.contains(name));
        known.extend(refs.map(|(_, id)| id));
    }
    Ok(known)
}

fn has_address(store: &OpenRepository, name: &str, url: &str) -> bool {
    let plain = |url: &str| {
        url.trim_end_matches('/')
            .trim_end_matches(".git")
            .to_owned()
    };
    let keys = ["url", "pushurl"].map(|key| format!("remote.{name}.{key}"));
    let mut addresses = keys.iter().filter_map(|key| store.config_value(key));
    addresses.any(|address| plain(&address) == plain(url))
}

fn pushed_range(from: ObjectId, to: ObjectId, note: Option<String>) -> PushedRange {
    PushedRange::Range {
        from: from.to_hex(),
        to: to.to_hex(),
        note,
    }
}

#[cfg(test)]
mod tests {
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
}
