//! The two sides that a target means.

use std::collections::HashMap;
use std::sync::Arc;

use council_protocol::RepoPath;
use council_protocol::packet::{Target, TargetKind};
use council_protocol::task::{CommitInfo, Framing};

use super::base::{self, Head};
use super::error::GitError;
use super::id::Id;
use super::objects::{ObjectKind, Objects};
use super::pathspec::Pathspecs;
use super::sides::Listing;
use super::target::{self, Proposal, TargetSpec, target};
use super::worktree;

/// The two sides of a target, and what is to be known about it.
pub(super) struct Resolved {
    pub(super) target: Target,
    pub(super) old: Listing,
    pub(super) new: Listing,
    /// The trusted tree and what to call it.
    pub(super) trusted: Option<(Id, String)>,
    pub(super) framing: Framing,
    /// Whose commits belong to the framing: those of the second that the first lacks. Reading them takes its time.
    pub(super) between: Option<(Id, Id)>,
    pub(super) notes: Vec<String>,
    /// What to say when the sides are equal.
    pub(super) equal: String,
    /// Contents that are no objects yet.
    pub(super) own: HashMap<Id, Arc<[u8]>>,
    /// Files that are there and cannot be read.
    pub(super) unreadable: HashMap<RepoPath, GitError>,
}

impl Resolved {
    fn new(target: Target, old: Option<&Rev>, new: Listing, equal: String) -> Self {
        Self {
            target,
            trusted: old.map(|rev| (rev.tree, origin(rev))),
            old: old.map_or(Listing::Nothing, |rev| Listing::Tree(rev.tree)),
            new,
            framing: Framing::default(),
            between: None,
            notes: Vec::new(),
            equal,
            own: HashMap::new(),
            unreadable: HashMap::new(),
        }
    }
}

/// A revision that was found.
pub(super) struct Rev {
    pub(super) name: String,
    pub(super) commit: Option<Id>,
    pub(super) tree: Id,
}

impl Rev {
    fn id(&self) -> Id {
        self.commit.unwrap_or(self.tree)
    }
}

/// At most this many commits of a target are told to judges in R2.
const MAX_COMMITS: usize = 100;

/// Finds the two sides of a target. `specs` limit what of a worktree is read at all.
pub(super) fn resolve(
    objects: &Objects,
    spec: &TargetSpec,
    specs: &Pathspecs,
) -> Result<Resolved, GitError> {
    match spec {
        TargetSpec::Range {
            from,
            to,
            symmetric,
        } => {
            let (from, to) = (rev(objects, from)?, rev(objects, to)?);
            match symmetric {
                false => Ok(range(&from, &to)),
                true => since_merge_base(objects, &from, &to, TargetKind::Range),
            }
        }
        TargetSpec::Commit(rev) => commit(objects, rev),
        TargetSpec::Staged => staged(objects),
        TargetSpec::Worktree => worktree(objects, specs),
        TargetSpec::Proposal(proposal) => proposed(objects, proposal),
        TargetSpec::Default
        | TargetSpec::Patch(..)
        | TargetSpec::Document(..)
        | TargetSpec::Topic(..) => branch(objects),
    }
}

/// A tip since it left its base; judged by what the trusted commit says, wherever the tip was branched off.
fn proposed(objects: &Objects, proposal: &Proposal) -> Result<Resolved, GitError> {
    let (base, head) = (rev(objects, &proposal.base)?, rev(objects, &proposal.head)?);
    let trusted = rev(objects, &proposal.trusted)?;
    let trusted = Rev {
        name: proposal.trusted_name.clone(),
        ..trusted
    };
    let mut resolved = since_merge_base(objects, &base, &head, TargetKind::PullRequest)?;
    resolved.target.slug = target::slug(&proposal.label);
    resolved.target.label = proposal.label.clone();
    resolved.trusted = Some((trusted.tree, origin(&trusted)));
    resolved.framing.title = proposal.title.clone();
    resolved.framing.body = proposal.body.clone();
    Ok(resolved)
}

/// The index against HEAD; on an unborn branch against nothing.
fn staged(objects: &Objects) -> Result<Resolved, GitError> {
    if objects.store.workdir.is_none() {
        return Err(GitError::NeedsWorktree { target: "--staged" });
    }
    let head = head(objects)?;
    let base = head.as_ref().and_then(|head| head.commit);
    let target = target(TargetKind::Staged, "staged".to_owned(), base, None);
    let new = Listing::Entries(objects.store.index()?);
    Ok(Resolved::new(
        target,
        head.as_ref(),
        new,
        "nothing is staged".to_owned(),
    ))
}

/// The files of the worktree against HEAD; on an unborn branch against nothing.
fn worktree(objects: &Objects, specs: &Pathspecs) -> Result<Resolved, GitError> {
    let Some(workdir) = &objects.store.workdir else {
        return Err(GitError::NeedsWorktree {
            target: "--worktree",
        });
    };
    let head = head(objects)?;
    let base = head.as_ref().and_then(|head| head.commit);
    let target = target(TargetKind::Worktree, "worktree".to_owned(), base, None);
    let snapshot = worktree::snapshot(objects, workdir, specs)?;
    let equal = "the worktree is as HEAD has it, and nothing is untracked".to_owned();
    let new = Listing::Entries(snapshot.entries);
    Ok(Resolved {
        own: snapshot.own,
        unreadable: snapshot.unreadable,
        notes: snapshot.notes,
        ..Resolved::new(target, head.as_ref(), new, equal)
    })
}

/// The commit that HEAD stands on; none on an unborn branch.
fn head(objects: &Objects) -> Result<Option<Rev>, GitError> {
    match objects.store.head()? {
        Head::Unborn(_) => Ok(None),
        Head::Branch(_, commit) | Head::Detached(commit) => {
            at_commit(objects, "HEAD", commit).map(Some)
        }
    }
}

/// The trusted tree of a patch: HEAD, where there is a repository with one.
pub(super) fn head_tree(objects: &Objects) -> Option<(Id, String)> {
    head(objects)
        .ok()
        .flatten()
        .map(|head| (head.tree, origin(&head)))
}

/// The tree of a revision and what to call it.
pub(super) fn tree_of(objects: &Objects, name: &str) -> Result<(Id, String), GitError> {
    rev(objects, name).map(|rev| (rev.tree, origin(&rev)))
}

/// Finds a revision.
pub(super) fn rev(objects: &Objects, name: &str) -> Result<Rev, GitError> {
    let empty = objects.store.format.empty_tree();
    if name == empty.hex() {
        return Ok(Rev {
            name: name.to_owned(),
            commit: None,
            tree: empty,
        });
    }
    match objects.store.resolve(name)? {
        Some((commit, ObjectKind::Commit)) => at_commit(objects, name, commit),
        Some((tree, _)) => Ok(Rev {
            name: name.to_owned(),
            commit: None,
            tree,
        }),
        None if objects.store.shallow && name.contains(['~', '^']) => Err(GitError::Shallow {
            what: format!("{name:?}"),
        }),
        None => Err(GitError::UnknownRevision {
            rev: name.to_owned(),
        }),
    }
}

fn at_commit(objects: &Objects, name: &str, commit: Id) -> Result<Rev, GitError> {
    let tree = objects.commit(commit)?.tree;
    Ok(Rev {
        name: name.to_owned(),
        commit: Some(commit),
        tree,
    })
}

fn range(from: &Rev, to: &Rev) -> Resolved {
    let label = format!("{}..{}", target::short(&from.name), target::short(&to.name));
    let target = target(TargetKind::Range, label, Some(from.id()), Some(to.id()));
    let equal = format!("{} and {} hold the same files", from.name, to.name);
    Resolved {
        between: from.commit.zip(to.commit),
        ..Resolved::new(target, Some(from), Listing::Tree(to.tree), equal)
    }
}

fn since_merge_base(
    objects: &Objects,
    from: &Rev,
    to: &Rev,
    kind: TargetKind,
) -> Result<Resolved, GitError> {
    let base = base::merge_base(objects, from, to)?;
    let base = at_commit(objects, &from.name, base)?;
    let label = format!(
        "{}...{}",
        target::short(&from.name),
        target::short(&to.name)
    );
    let equal = match base.commit == to.commit {
        true => format!("{} has no commit that {} lacks", to.name, from.name),
        false => format!(
            "the commits of {} change no file since they left {}",
            to.name, from.name
        ),
    };
    let target = target(kind, label, base.commit, to.commit);
    Ok(Resolved {
        trusted: Some((from.tree, origin(from))),
        between: base.commit.zip(to.commit),
        ..Resolved::new(target, Some(&base), Listing::Tree(to.tree), equal)
    })
}

fn commit(objects: &Objects, name: &str) -> Result<Resolved, GitError> {
    let head = rev(objects, name)?;
    let Some(id) = head.commit else {
        let cause = "it is a tree, not a commit".to_owned();
        return Err(GitError::BadRevision {
            rev: name.to_owned(),
            cause,
        });
    };
    let commit = objects.commit(id)?;
    let first = commit
        .parents
        .first()
        .map(|&parent| base::parent(objects, id, parent));
    let parent = first.transpose()?;
    let notes = match commit.parents.len() {
        0 => vec![format!("{name} is a root commit: all of its files are new")],
        1 => Vec::new(),
        _ => vec![format!("{name} is a merge: compared with its first parent")],
    };
    let base = parent.as_ref().and_then(|parent| parent.commit);
    let target = target(TargetKind::Commit, name.to_owned(), base, Some(id));
    let title = commit.subject().to_owned();
    let new = Listing::Tree(head.tree);
    Ok(Resolved {
        framing: Framing {
            title,
            body: String::new(),
            commits: vec![commit.info(id)],
        },
        notes,
        ..Resolved::new(
            target,
            parent.as_ref(),
            new,
            format!("{name} changes no file"),
        )
    })
}

fn branch(objects: &Objects) -> Result<Resolved, GitError> {
    let head = objects.store.head()?;
    let (name, tip) = match &head {
        Head::Unborn(branch) => {
            return Err(GitError::Unborn {
                branch: branch.clone(),
            });
        }
        Head::Branch(branch, tip) => (base::short(branch), *tip),
        Head::Detached(tip) => ("HEAD", *tip),
    };
    let base = base::choose(objects, &head)?;
    let from = at_commit(objects, base::short(&base.name), base.commit)?;
    let to = at_commit(objects, name, tip)?;
    let mut resolved = since_merge_base(objects, &from, &to, TargetKind::Branch)?;
    if let Head::Branch(..) = head {
        resolved.framing.title = name.to_owned();
    }
    resolved.notes.extend(base.note);
    Ok(resolved)
}

/// A ref and a short id, for people.
fn origin(rev: &Rev) -> String {
    match rev.commit {
        Some(commit) if commit.hex().starts_with(&rev.name) => commit.short(),
        Some(commit) => format!("{} ({})", rev.name, commit.short()),
        None => format!("tree {}", rev.tree.short()),
    }
}

/// The commits that the tip has and the base lacks, oldest first.
pub(super) fn commits(objects: &Objects, base: Id, tip: Id) -> Result<Vec<CommitInfo>, GitError> {
    let mut ids = objects.store.walk(tip, &[base], MAX_COMMITS)?;
    ids.reverse();
    let commits = ids.into_iter().map(|id| Ok(objects.commit(id)?.info(id)));
    commits.collect()
}
