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
#[path = "push_tests.rs"]
mod tests;
