//! Revisions by name: what a name means, and how revisions are related.

use super::default_branch::{TrustedDefault, default_branch, trusted_default};
use super::error::GitError;
use super::id::ObjectId;
use super::object_store::{HeadPosition, ObjectKind};
use super::objects::ObjectReader;

/// A revision that was found.
pub(super) struct ResolvedRevision {
    pub(super) name: String,
    pub(super) commit: Option<ObjectId>,
    pub(super) tree: ObjectId,
}

impl ResolvedRevision {
    pub(super) fn id(&self) -> ObjectId {
        self.commit.unwrap_or(self.tree)
    }
}

/// The commit that HEAD stands on; none on an unborn branch.
pub(super) fn head_revision(objects: &ObjectReader) -> Result<Option<ResolvedRevision>, GitError> {
    match objects.store.read_head()? {
        HeadPosition::Unborn(_) => Ok(None),
        HeadPosition::Branch(_, commit) | HeadPosition::Detached(commit) => {
            at_commit(objects, "HEAD", commit).map(Some)
        }
    }
}

/// The trusted tree of a patch: HEAD, where there is a repository with one.
pub(super) fn head_tree(objects: &ObjectReader) -> Option<(ObjectId, String)> {
    head_revision(objects)
        .ok()
        .flatten()
        .map(|head| (head.tree, describe_origin(&head)))
}

/// The tree of a revision and what to call it.
pub(super) fn resolve_tree(
    objects: &ObjectReader,
    name: &str,
) -> Result<(ObjectId, String), GitError> {
    resolve_revision(objects, name).map(|rev| (rev.tree, describe_origin(&rev)))
}

/// Finds a revision.
pub(super) fn resolve_revision(
    objects: &ObjectReader,
    name: &str,
) -> Result<ResolvedRevision, GitError> {
    let empty = objects.store.format.empty_tree();
    if name == empty.to_hex() {
        return Ok(ResolvedRevision {
            name: name.to_owned(),
            commit: None,
            tree: empty,
        });
    }
    refuse_ambiguous(objects, name)?;
    match objects.store.resolve_name(name)? {
        Some((commit, ObjectKind::Commit)) => at_commit(objects, name, commit),
        Some((id, ObjectKind::Blob)) => Err(GitError::FileContent {
            rev: name.to_owned(),
            id: id.to_hex(),
        }),
        Some((tree, _)) => Ok(ResolvedRevision {
            name: name.to_owned(),
            commit: None,
            tree,
        }),
        None if objects.store.shallow && name.contains(['~', '^']) => Err(GitError::Shallow {
            what: format!("{name:?}"),
        }),
        None => Err(unknown_revision(objects, name)?),
    }
}

/// A name of several refs that do not lead to the same object, or of a ref that looks like a short id, is no name: tags
/// come with every fetch, git prefers them, and the base also says whose configuration is obeyed.
fn refuse_ambiguous(objects: &ObjectReader, revision: &str) -> Result<(), GitError> {
    let end = revision
        .find(['~', '^', ':'])
        .into_iter()
        .chain(revision.find("@{"))
        .min()
        .unwrap_or(revision.len());
    let name = &revision[..end];
    if matches!(name, "" | "@" | "HEAD") || name.starts_with("refs/") || is_whole_id(objects, name)
    {
        return Ok(());
    }
    let places = ["", "tags/", "heads/", "remotes/"].map(|place| format!("refs/{place}{name}"));
    let head_of_remote = format!("refs/remotes/{name}/HEAD");
    let places: Vec<String> = places.into_iter().chain([head_of_remote]).collect();
    let found = objects.store.refs_named(&places)?;
    let mut meanings: Vec<String> = Vec::new();
    if found.iter().any(|(_, id)| *id != found[0].1) {
        meanings.extend(found.iter().map(|(name, _)| name.clone()));
        meanings.sort();
    }
    let is_short = (4..).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_hexdigit());
    let elsewhere = |(_, id): &(String, ObjectId)| !id.to_hex().starts_with(&name.to_lowercase());
    if is_short && found.iter().any(elsewhere) && objects.store.may_abbreviate(name) {
        meanings = found.iter().map(|(name, _)| name.clone()).collect();
        meanings.push("a short id".to_owned());
    }
    if meanings.is_empty() {
        return Ok(());
    }
    Err(GitError::BadRevision {
        rev: revision.to_owned(),
        cause: format!("it could be {}", meanings.join(" or ")),
    })
}

/// Whether git takes it for an id, whatever refs are called so.
fn is_whole_id(objects: &ObjectReader, name: &str) -> bool {
    name.len() == objects.store.format.empty_tree().to_hex().len()
        && name.bytes().all(|b| b.is_ascii_hexdigit())
}

/// In a repository without a commit, `HEAD` is no mistake of whoever typed it: there is nothing yet that it could name.
fn unknown_revision(objects: &ObjectReader, name: &str) -> Result<GitError, GitError> {
    let is_head = name.split(['~', '^']).next() == Some("HEAD");
    Ok(match objects.store.read_head()? {
        HeadPosition::Unborn(branch) if is_head => GitError::Unborn { branch },
        _ => GitError::UnknownRevision {
            rev: name.to_owned(),
            fetch: fetch_hint(objects, name),
        },
    })
}

/// So many hexadecimal digits are an id, and no branch.
const MIN_ID_DIGITS: usize = 12;

/// How to get what may be a branch of a remote; none where there is no remote.
fn fetch_hint(objects: &ObjectReader, name: &str) -> Option<String> {
    let is_id = name.len() >= MIN_ID_DIGITS && name.bytes().all(|b| b.is_ascii_hexdigit());
    if is_id {
        return Some("if the clone is shallow: git fetch --unshallow".to_owned());
    }
    let name = name.strip_prefix("refs/remotes/").unwrap_or(name);
    let remotes = objects.store.remote_names();
    let of_remote = |remote: &String| {
        let branch = name.strip_prefix(remote.as_str())?.strip_prefix('/')?;
        Some((remote.clone(), branch))
    };
    let named = remotes.iter().find_map(of_remote);
    let first = || Some((remotes.first()?.clone(), name));
    let (remote, branch) = named.or_else(first)?;
    let is_plain = is_plain_name(&remote) && is_plain_name(branch);
    is_plain.then(|| {
        // A clone of a CI job may be told to keep no branch but its own: the place is named.
        let fetch = format!("git fetch {remote} {branch}:refs/remotes/{remote}/{branch}");
        format!("if it is a branch of {remote}: {fetch}, then name {remote}/{branch}")
    })
}

/// Whether a name can stand in a command as it is.
pub(super) fn is_plain_name(name: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"._/-".contains(&b);
    !name.is_empty() && !name.starts_with('-') && name.bytes().all(is_plain)
}

pub(super) fn at_commit(
    objects: &ObjectReader,
    name: &str,
    commit: ObjectId,
) -> Result<ResolvedRevision, GitError> {
    let tree = objects.commit(commit)?.tree;
    Ok(ResolvedRevision {
        name: name.to_owned(),
        commit: Some(commit),
        tree,
    })
}

/// A ref and a short id, for people.
pub(super) fn describe_origin(rev: &ResolvedRevision) -> String {
    match rev.commit {
        Some(commit) if commit.to_hex().starts_with(&rev.name) => commit.short_hex(),
        Some(commit) => {
            let name = rev.name.strip_prefix("refs/remotes/").unwrap_or(&rev.name);
            format!("{name} ({})", commit.short_hex())
        }
        None => format!("tree {}", rev.tree.short_hex()),
    }
}

/// What [`trusted_default`] finds, with the tree of the default branch and what to call it.
pub(super) fn trusted_default_tree(
    objects: &ObjectReader,
    remote: Option<&str>,
    is_ours: impl Fn(&str) -> bool,
) -> Result<TrustedDefault<(ObjectId, String)>, GitError> {
    Ok(match trusted_default(objects, remote, is_ours) {
        TrustedDefault::Branch((name, commit)) => {
            let default = at_commit(objects, short_ref_name(&name), commit)?;
            TrustedDefault::Branch((default.tree, describe_origin(&default)))
        }
        TrustedDefault::Base => TrustedDefault::Base,
        TrustedDefault::Nobody(note) => TrustedDefault::Nobody(note),
    })
}

/// A ref's name without `refs/heads/` or `refs/remotes/`.
pub(super) fn short_ref_name(name: &str) -> &str {
    let prefixes = ["refs/heads/", "refs/remotes/", "refs/"];
    prefixes
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(name)
}

/// What is told of a branch that was named as a commit: people mean the whole of it, and only its last commit is read. None:
/// it is no branch, or has no other commit of its own.
pub(super) fn unread_commits_note(
    objects: &ObjectReader,
    name: &str,
    tip: ObjectId,
) -> Option<String> {
    let prefixes = ["refs/heads/", "refs/remotes/"];
    prefixes.iter().find_map(|prefix| {
        let full_name = format!("{prefix}{name}");
        objects.store.commit_of(&full_name)
    })?;
    let (default, trunk) = default_branch(objects)?;
    let base = objects.store.merge_base(tip, trunk).ok()??;
    let own = objects.store.walk_commits(tip, &[base], 2).ok()?;
    (own.len() > 1).then(|| {
        let default = short_ref_name(&default);
        format!(
            "only the last commit of {name} is read: for the whole branch name `{default}...{name}`"
        )
    })
}

/// The merge base of two revisions.
pub(super) fn merge_base(
    objects: &ObjectReader,
    from: &ResolvedRevision,
    to: &ResolvedRevision,
) -> Result<ObjectId, GitError> {
    let commit = |rev: &ResolvedRevision| {
        rev.commit.ok_or_else(|| GitError::Tree {
            rev: rev.name.clone(),
            id: rev.tree.to_hex(),
        })
    };
    match objects.store.merge_base(commit(from)?, commit(to)?)? {
        Some(base) => Ok(base),
        None if objects.store.shallow => Err(GitError::Shallow {
            what: format!("the merge base of {} and {}", from.name, to.name),
        }),
        None => Err(GitError::NoCommonAncestor {
            old: from.name.clone(),
            new: to.name.clone(),
        }),
    }
}

/// The parent of a commit. A shallow boundary has parents that are not there: it must not pass for a root commit.
pub(super) fn parent_revision(
    objects: &ObjectReader,
    child: ObjectId,
    parent: ObjectId,
) -> Result<ResolvedRevision, GitError> {
    match objects.commit(parent) {
        Ok(commit) => Ok(ResolvedRevision {
            name: parent.short_hex(),
            commit: Some(parent),
            tree: commit.tree,
        }),
        Err(GitError::MissingObject { .. }) if objects.store.shallow => Err(GitError::Shallow {
            what: format!("the parent of {}", child.short_hex()),
        }),
        Err(error) => Err(error),
    }
}
