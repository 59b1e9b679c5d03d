//! Revisions by name, and what a branch is compared with when nobody says.

use super::error::GitError;
use super::id::ObjectId;
use super::object_store::{ConfigLevel, HeadPosition, ObjectKind};
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

/// A chosen base.
pub(super) struct ChosenBase {
    /// The whole name of the ref.
    pub(super) name: String,
    pub(super) commit: ObjectId,
    /// What to tell the reader about the choice.
    pub(super) note: Option<String>,
}

/// A ref's name without `refs/heads/` or `refs/remotes/`.
pub(super) fn short_ref_name(name: &str) -> &str {
    let prefixes = ["refs/heads/", "refs/remotes/", "refs/"];
    prefixes
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(name)
}

/// The upstream, else the default branch. A branch that is level with its upstream, because it was pushed, is compared
/// with the default branch.
pub(super) fn choose_base(
    objects: &ObjectReader,
    head: &HeadPosition,
) -> Result<ChosenBase, GitError> {
    let store = &objects.store;
    let (branch, tip) = match head {
        HeadPosition::Branch(branch, tip) => (Some(branch.as_str()), Some(*tip)),
        HeadPosition::Detached(tip) => (None, Some(*tip)),
        HeadPosition::Unborn(_) => (None, None),
    };
    let upstream = branch.and_then(|branch| store.upstream_of(branch));
    let default = default_branch(objects).filter(|(name, _)| Some(name.as_str()) != branch);
    let as_base = |(name, commit): (String, ObjectId), note| ChosenBase { name, commit, note };
    match (upstream, default) {
        (Some(name), default) => match (store.commit_of(&name), default) {
            (Some(commit), Some(default))
                if is_behind(objects, tip, commit)? && default.0 != name =>
            {
                let note = format!(
                    "level with its upstream {}: compared with {}",
                    short_ref_name(&name),
                    short_ref_name(&default.0)
                );
                Ok(as_base(default, Some(note)))
            }
            (Some(commit), _) => Ok(ChosenBase {
                name,
                commit,
                note: None,
            }),
            (None, Some(default)) => {
                let note = format!(
                    "the upstream {} is gone: compared with {}",
                    short_ref_name(&name),
                    short_ref_name(&default.0)
                );
                Ok(as_base(default, Some(note)))
            }
            (None, None) => {
                let why = format!("its upstream {} is gone", short_ref_name(&name));
                Err(no_base(objects, head, why))
            }
        },
        (None, Some(default)) => Ok(as_base(default, None)),
        (None, None) => {
            let why = explain_missing_base(objects, branch);
            Err(no_base(objects, head, why))
        }
    }
}

fn explain_missing_base(objects: &ObjectReader, branch: Option<&str>) -> String {
    match (branch, default_branch(objects)) {
        (Some(_), Some(_)) => "it is the default branch and has no upstream".to_owned(),
        (Some(_), None) => {
            "it has no upstream, and there is no default branch (main, master, origin/HEAD)"
                .to_owned()
        }
        (None, _) => "there is no default branch (main, master, origin/HEAD)".to_owned(),
    }
}

fn no_base(objects: &ObjectReader, head: &HeadPosition, why: String) -> GitError {
    let hints = base_hints(objects, head);
    let head = match head {
        HeadPosition::Branch(branch, _) => format!("branch {}", short_ref_name(branch)),
        HeadPosition::Detached(tip) => format!("HEAD (detached at {})", tip.short_hex()),
        HeadPosition::Unborn(branch) => format!("branch {branch}"),
    };
    GitError::NoBase { head, why, hints }
}

/// Commands that work in this repository as it is, where nothing tells what to compare with.
fn base_hints(objects: &ObjectReader, head: &HeadPosition) -> Vec<String> {
    let store = &objects.store;
    let own = match head {
        HeadPosition::Branch(branch, _) => Some(branch.as_str()),
        HeadPosition::Detached(_) | HeadPosition::Unborn(_) => None,
    };
    let below = |prefix: &str| store.refs_below(prefix).unwrap_or_default().into_iter();
    let branches = below("refs/heads/").chain(below("refs/remotes/"));
    let mut others = branches.map(|(name, _)| name).filter(|name| {
        Some(name.as_str()) != own && !name.ends_with("/HEAD") && is_plain_name(name)
    });
    let mut hints = vec![
        "name what to review: git council review HEAD (the last commit), --staged or --worktree"
            .to_owned(),
    ];
    if let Some(other) = others.next() {
        hints.push(format!(
            "or compare with another branch: git council review {}...HEAD",
            short_ref_name(&other)
        ));
    }
    let own = own.map(short_ref_name).filter(|own| is_plain_name(own));
    let remote = store.remote_names().into_iter().next();
    if let Some((own, remote)) = own.zip(remote.filter(|remote| is_plain_name(remote))) {
        hints.push(format!(
            "or give the branch an upstream: git push --set-upstream {remote} {own}"
        ));
    }
    hints
}

/// Whether a name can stand in a command as it is.
fn is_plain_name(name: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"._/-".contains(&b);
    !name.is_empty() && !name.starts_with('-') && name.bytes().all(is_plain)
}

/// Whether `tip` has nothing that `upstream` lacks.
fn is_behind(
    objects: &ObjectReader,
    tip: Option<ObjectId>,
    upstream: ObjectId,
) -> Result<bool, GitError> {
    match tip {
        Some(tip) => Ok(objects.store.merge_base(tip, upstream)? == Some(tip)),
        None => Ok(false),
    }
}

/// What a change is compared with by default: the default branch of a remote (the trusted one first), else of this
/// repository. Only a comparison: whose configuration is obeyed is said by [`trusted_default`].
pub(super) fn default_branch(objects: &ObjectReader) -> Option<(String, ObjectId)> {
    let trusted = trusted_remote(objects);
    let mut remotes = objects.store.remote_names();
    remotes.sort_by_key(|name| (Some(name) != trusted.as_ref(), name.clone()));
    let mut heads = remotes
        .iter()
        .filter_map(|remote| head_of_remote(objects, remote));
    let mut named = remotes.iter().filter_map(|remote| {
        let prefix = format!("refs/remotes/{remote}/");
        usual_default(objects, &prefix)
    });
    heads
        .next()
        .or_else(|| named.next())
        .or_else(|| usual_default(objects, "refs/heads/"))
}

/// The ref that a remote's HEAD names: its default branch for certain. One that leads out of the remote's own refs, to a
/// fork's or to the very branch that is pushed, names nothing.
pub(super) fn head_of_remote(objects: &ObjectReader, remote: &str) -> Option<(String, ObjectId)> {
    let own = format!("refs/remotes/{remote}/");
    let target = objects.store.symbolic_target(&format!("{own}HEAD"))?;
    let is_own =
        |name: &String| name.starts_with(&own) && objects.store.symbolic_target(name).is_none();
    let name = Some(target).filter(is_own)?;
    let commit = objects.store.commit_of(&name)?;
    Some((name, commit))
}

/// main, master or `init.defaultBranch` below a prefix: a guess.
fn usual_default(objects: &ObjectReader, prefix: &str) -> Option<(String, ObjectId)> {
    let store = &objects.store;
    let configured = store.config_value("init.defaultBranch");
    let names = ["main", "master"].into_iter().chain(configured.as_deref());
    let mut names = names.map(|name| format!("{prefix}{name}"));
    names.find_map(|name| store.commit_of(&name).map(|commit| (name, commit)))
}

/// The one remote whose default branch says how changes are judged: what the user's `checkout.defaultRemote` names, else
/// `origin`, else the only one. Any other may be the fork of whoever wrote the change.
fn trusted_remote(objects: &ObjectReader) -> Option<String> {
    let remotes = objects.store.remote_names();
    let asked = objects
        .store
        .config_matching(r"^checkout\.defaultremote$")
        .unwrap_or_default();
    // `.git/config` may have come with a download.
    let mut asked = asked
        .into_iter()
        .rev()
        .filter(|entry| entry.level != ConfigLevel::Repository);
    let asked = asked.next().map(|entry| entry.value);
    let named = asked.into_iter().chain(["origin".to_owned()]);
    let only = || (remotes.len() == 1).then(|| remotes[0].clone());
    let mut named = named.filter(|name| remotes.contains(name));
    named.next().or_else(only)
}

/// Whose configuration judges a change that may be as unmerged as its base.
pub(super) enum TrustedDefault {
    /// A default branch.
    Branch(String, ObjectId),
    /// None is known, but the base belongs to the trusted remote or to this repository.
    Base,
    /// Nobody's: the base may be a stranger's. What to tell the reader.
    Nobody(String),
}

/// The default branch by which a change is judged: that of the trusted remote, as it was fetched, else one of this
/// repository that `is_ours` allows. `remote` is the one that the base belongs to, if any.
pub(super) fn trusted_default(
    objects: &ObjectReader,
    remote: Option<&str>,
    is_ours: impl Fn(&str) -> bool,
) -> TrustedDefault {
    let Some(trusted) = trusted_remote(objects) else {
        return default_without_remote(objects, remote, is_ours);
    };
    let guess = usual_default(objects, &format!("refs/remotes/{trusted}/"));
    let default = head_of_remote(objects, &trusted)
        .or_else(|| {
            guess
                .clone()
                .filter(|(name, _)| is_here(objects, &trusted, name))
        })
        .or_else(|| usual_default(objects, "refs/heads/").filter(|(name, _)| is_ours(name)));
    match default {
        Some((name, commit)) => TrustedDefault::Branch(name, commit),
        None if guess.is_none() && remote.is_none_or(|remote| remote == trusted) => {
            TrustedDefault::Base
        }
        None => TrustedDefault::Nobody(unknown_default(&trusted)),
    }
}

/// What is told where no default branch says how a change is judged.
pub(super) fn unknown_default(remote: &str) -> String {
    format!(
        "no council.toml is obeyed: the default branch of {remote} is not known (git remote set-head {remote} \
         --auto asks for it)"
    )
}

/// Where several remotes are equals, none of them is trusted; where there is none, the base is this repository's own.
fn default_without_remote(
    objects: &ObjectReader,
    remote: Option<&str>,
    is_ours: impl Fn(&str) -> bool,
) -> TrustedDefault {
    match usual_default(objects, "refs/heads/").filter(|(name, _)| is_ours(name)) {
        Some((name, commit)) => TrustedDefault::Branch(name, commit),
        None if remote.is_none() || objects.store.remote_names().is_empty() => TrustedDefault::Base,
        None => TrustedDefault::Nobody(
            "no council.toml is obeyed: no remote is the trusted one (git config --global checkout.defaultRemote NAME)"
                .to_owned(),
        ),
    }
}

/// Whether a branch of a remote has one of the same name here. Where the remote's HEAD is not known, `main` is a guess, and
/// whoever may push a branch may call it so.
fn is_here(objects: &ObjectReader, remote: &str, name: &str) -> bool {
    let short = name.strip_prefix(&format!("refs/remotes/{remote}/"));
    short.is_some_and(|short| {
        objects
            .store
            .commit_of(&format!("refs/heads/{short}"))
            .is_some()
    })
}

/// The remote that a ref was fetched from.
pub(super) fn remote_of_ref(objects: &ObjectReader, name: &str) -> Option<String> {
    let remotes = objects.store.remote_names().into_iter();
    let mut its = remotes.filter(|remote| name.starts_with(&format!("refs/remotes/{remote}/")));
    its.next()
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
