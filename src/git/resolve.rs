//! The two sides that a target means.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use council_protocol::RepoPath;
use council_protocol::packet::{Target, TargetKind};
use council_protocol::task::{CommitInfo, Framing};

use super::chosen_base::choose_base;
use super::default_branch::{self, TrustedDefault};
use super::diff::sides::SideListing;
use super::error::GitError;
use super::id::ObjectId;
use super::object_store::HeadPosition;
use super::objects::ObjectReader;
use super::pathspec::PathspecList;
use super::revision::{
    self, ResolvedRevision, at_commit, describe_origin, head_revision, resolve_revision,
};
use super::target::{self, AlteredCommit, Proposal, TargetSpec, UnmergedRange, make_target};
use super::tree;
use super::worktree;

/// The two sides of a target, and what is to be known about it.
pub(super) struct ResolvedTarget {
    pub(super) target: Target,
    pub(super) old: SideListing,
    pub(super) new: SideListing,
    /// The trusted tree and what to call it.
    pub(super) trusted: Option<(ObjectId, String)>,
    pub(super) framing: Framing,
    /// Whose commits belong to the framing: those of the second that the first lacks. Reading them takes its time.
    pub(super) between: Option<(ObjectId, ObjectId)>,
    pub(super) notes: Vec<String>,
    /// What to say when the sides are equal.
    pub(super) equal: String,
    /// Contents that are no objects yet.
    pub(super) own: HashMap<ObjectId, Arc<[u8]>>,
    /// Files that are there and cannot be read.
    pub(super) unreadable: HashMap<RepoPath, GitError>,
    /// Folders of the worktree whose files nobody knows.
    pub(super) closed: BTreeSet<RepoPath>,
}

impl ResolvedTarget {
    fn new(
        target: Target,
        old: Option<&ResolvedRevision>,
        new: SideListing,
        equal: String,
    ) -> Self {
        Self {
            target,
            trusted: old.map(|rev| (rev.tree, describe_origin(rev))),
            old: old.map_or(SideListing::Nothing, |rev| SideListing::Tree(rev.tree)),
            new,
            framing: Framing::default(),
            between: None,
            notes: Vec::new(),
            equal,
            own: HashMap::new(),
            unreadable: HashMap::new(),
            closed: BTreeSet::new(),
        }
    }

    /// Has what the trusted default branch says in place of what the base says; `remote` is the base's. Tells who judges
    /// now.
    fn judge_by_default(
        &mut self,
        objects: &ObjectReader,
        remote: Option<&str>,
        is_ours: impl Fn(&str) -> bool,
    ) -> Result<JudgedBy, GitError> {
        match revision::trusted_default_tree(objects, remote, is_ours)? {
            TrustedDefault::Branch(default) => self.trusted = Some(default),
            TrustedDefault::Base => return Ok(JudgedBy::Base),
            TrustedDefault::Nobody(note) => {
                self.trusted = None;
                self.notes.push(note);
            }
        }
        Ok(JudgedBy::Default)
    }
}

/// Whose configuration judges a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JudgedBy {
    /// What the change is compared with.
    Base,
    /// The default branch, or nobody.
    Default,
}

/// At most this many commits of a target are told to judges in R2.
const MAX_COMMITS: usize = 100;

/// Finds the two sides of a target. `specs` limit what of a worktree is read at all.
pub(super) fn resolve_target(
    objects: &ObjectReader,
    spec: &TargetSpec,
    specs: &PathspecList,
) -> Result<ResolvedTarget, GitError> {
    match spec {
        TargetSpec::Range {
            from,
            to,
            symmetric,
        } => {
            let (from, to) = (
                resolve_revision(objects, from)?,
                resolve_revision(objects, to)?,
            );
            if *symmetric {
                since_merge_base(objects, &from, &to, TargetKind::Range)
            } else {
                Ok(resolve_range(&from, &to))
            }
        }
        // `HEAD^!` is git's own word for this commit alone.
        TargetSpec::Commit(rev) => resolve_commit(objects, rev.strip_suffix("^!").unwrap_or(rev)),
        TargetSpec::Altered(altered) => resolve_altered(objects, altered),
        TargetSpec::Unmerged(range) => resolve_unmerged(objects, range),
        TargetSpec::Staged => resolve_staged(objects),
        TargetSpec::Worktree => resolve_worktree(objects, specs),
        TargetSpec::Proposal(proposal) => resolve_proposal(objects, proposal),
        TargetSpec::Default
        | TargetSpec::Patch(..)
        | TargetSpec::Document(..)
        | TargetSpec::Topic(..) => resolve_branch(objects),
    }
}

/// A tip since it left its base; judged by what the trusted commit says, wherever the tip was branched off.
fn resolve_proposal(
    objects: &ObjectReader,
    proposal: &Proposal,
) -> Result<ResolvedTarget, GitError> {
    let (base, head) = (
        resolve_revision(objects, &proposal.base)?,
        resolve_revision(objects, &proposal.head)?,
    );
    let trusted = resolve_revision(objects, &proposal.trusted)?;
    let trusted = ResolvedRevision {
        name: proposal.trusted_name.clone(),
        ..trusted
    };
    let mut resolved = match base.commit {
        Some(_) => since_merge_base(objects, &base, &head, TargetKind::PullRequest)?,
        // Nothing was there before: all of it is new.
        None => resolve_range(&base, &head),
    };
    resolved.target.kind = TargetKind::PullRequest;
    resolved.target.slug = target::make_slug(&proposal.label);
    resolved.target.label = proposal.label.clone();
    resolved.trusted = Some((trusted.tree, describe_origin(&trusted)));
    resolved.framing.title = proposal.title.clone();
    resolved.framing.body = proposal.body.clone();
    Ok(resolved)
}

/// The index against HEAD; on an unborn branch against nothing.
fn resolve_staged(objects: &ObjectReader) -> Result<ResolvedTarget, GitError> {
    if objects.store.workdir.is_none() {
        return Err(GitError::NeedsWorktree { target: "--staged" });
    }
    let head = head_revision(objects)?;
    let base = head.as_ref().and_then(|head| head.commit);
    let target = make_target(TargetKind::Staged, "staged".to_owned(), base, None);
    let entries = objects.store.index_entries()?;
    let index = objects.store.git_dir.join("index");
    if entries.is_empty() && base.is_some() && index.symlink_metadata().is_err() {
        return Err(GitError::Damaged {
            what: "the index".to_owned(),
            cause: "there is none, so every file counts as deleted (git reset makes one of HEAD)"
                .to_owned(),
        });
    }
    let new = SideListing::Entries(entries);
    Ok(ResolvedTarget::new(
        target,
        head.as_ref(),
        new,
        "nothing is staged".to_owned(),
    ))
}

/// The files of the worktree against HEAD; on an unborn branch against nothing.
fn resolve_worktree(
    objects: &ObjectReader,
    specs: &PathspecList,
) -> Result<ResolvedTarget, GitError> {
    let Some(workdir) = &objects.store.workdir else {
        return Err(GitError::NeedsWorktree {
            target: "--worktree",
        });
    };
    let head = head_revision(objects)?;
    let base = head.as_ref().and_then(|head| head.commit);
    let target = make_target(TargetKind::Worktree, "worktree".to_owned(), base, None);
    let mut snapshot = worktree::take_snapshot(objects, workdir, specs)?;
    let staged = staged_otherwise(objects, head.as_ref(), &snapshot.edited)?;
    snapshot.notes.extend(staged);
    let equal = "the worktree has no changes and no untracked files".to_owned();
    let new = SideListing::Entries(snapshot.entries);
    Ok(ResolvedTarget {
        own: snapshot.own,
        unreadable: snapshot.unreadable,
        closed: snapshot.closed,
        notes: snapshot.notes,
        ..ResolvedTarget::new(target, head.as_ref(), new, equal)
    })
}

/// The most files that are named.
const MAX_STAGED: usize = 3;

/// What is told of files that are staged, and lie in the worktree otherwise by now: a commit would take what nobody reviewed.
fn staged_otherwise(
    objects: &ObjectReader,
    head: Option<&ResolvedRevision>,
    edited: &[Vec<u8>],
) -> Result<Option<String>, GitError> {
    if edited.is_empty() {
        return Ok(None);
    }
    let index: HashMap<_, _> = objects.store.index_entries()?.into_iter().collect();
    let mut staged = Vec::new();
    for path in edited {
        let before = match head {
            Some(head) => tree::find_in_tree(objects, head.tree, path)?,
            None => None,
        };
        if index.get(path).copied() != before {
            staged.push(String::from_utf8_lossy(path).into_owned());
        }
    }
    let more = staged.len().saturating_sub(MAX_STAGED);
    let mut named = staged
        .iter()
        .take(MAX_STAGED)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if more > 0 {
        named = format!("{named} and {more} more");
    }
    Ok((!staged.is_empty()).then(|| {
        format!("{named}: staged, and in the worktree otherwise by now; what is staged was not reviewed (--staged does)")
    }))
}

fn resolve_range(from: &ResolvedRevision, to: &ResolvedRevision) -> ResolvedTarget {
    let label = format!(
        "{}..{}",
        target::short_revision(&from.name),
        target::short_revision(&to.name)
    );
    let target = make_target(TargetKind::Range, label, Some(from.id()), Some(to.id()));
    let equal = format!(
        "there is no difference between {} and {}",
        from.name, to.name
    );
    ResolvedTarget {
        between: from.commit.zip(to.commit),
        ..ResolvedTarget::new(target, Some(from), SideListing::Tree(to.tree), equal)
    }
}

/// A range whose base may be as unmerged as its tip: what the base says is obeyed only where there is no remote that could
/// have a default branch.
fn resolve_unmerged(
    objects: &ObjectReader,
    range: &UnmergedRange,
) -> Result<ResolvedTarget, GitError> {
    let (from, to) = (
        resolve_revision(objects, &range.from)?,
        resolve_revision(objects, &range.to)?,
    );
    let mut resolved = resolve_range(&from, &to);
    // What is pushed may be the default branch itself.
    let judge = resolved.judge_by_default(objects, range.remote.as_deref(), |_| false)?;
    if let (JudgedBy::Base, Some(remote)) = (judge, objects.store.remote_names().first()) {
        resolved.trusted = None;
        resolved.notes.push(default_branch::unknown_default(remote));
    }
    Ok(resolved)
}

fn since_merge_base(
    objects: &ObjectReader,
    from: &ResolvedRevision,
    to: &ResolvedRevision,
    kind: TargetKind,
) -> Result<ResolvedTarget, GitError> {
    let base = revision::merge_base(objects, from, to)?;
    let base = at_commit(objects, &from.name, base)?;
    let label = format!(
        "{}...{}",
        target::short_revision(&from.name),
        target::short_revision(&to.name)
    );
    let equal = if base.commit == to.commit {
        format!("{} has no commits that are not in {}", to.name, from.name)
    } else {
        format!(
            "the commits of {} change no file since they left {}",
            to.name, from.name
        )
    };
    let target = make_target(kind, label, base.commit, to.commit);
    Ok(ResolvedTarget {
        trusted: Some((from.tree, describe_origin(from))),
        between: base.commit.zip(to.commit),
        ..ResolvedTarget::new(target, Some(&base), SideListing::Tree(to.tree), equal)
    })
}

fn resolve_commit(objects: &ObjectReader, name: &str) -> Result<ResolvedTarget, GitError> {
    let head = resolve_revision(objects, name)?;
    let Some(id) = head.commit else {
        return Err(GitError::Tree {
            rev: name.to_owned(),
            id: head.tree.to_hex(),
        });
    };
    let commit = objects.commit(id)?;
    let first = commit
        .parents
        .first()
        .map(|&parent| revision::parent_revision(objects, id, parent));
    let parent = first.transpose()?;
    let mut notes = match commit.parents.len() {
        0 => vec![format!("{name} is a root commit: all of its files are new")],
        1 => Vec::new(),
        _ => vec![format!("{name} is a merge: compared with its first parent")],
    };
    notes.extend(revision::unread_commits_note(objects, name, id));
    let base = parent.as_ref().and_then(|parent| parent.commit);
    let target = make_target(TargetKind::Commit, name.to_owned(), base, Some(id));
    let title = commit.subject().to_owned();
    let new = SideListing::Tree(head.tree);
    Ok(ResolvedTarget {
        framing: Framing {
            title,
            body: String::new(),
            commits: vec![commit.into_info(id)],
        },
        notes,
        ..ResolvedTarget::new(
            target,
            parent.as_ref(),
            new,
            format!("{name} changes no file"),
        )
    })
}

/// A commit with other contents: a side of entries, whose contents lie beside the objects.
fn resolve_altered(
    objects: &ObjectReader,
    altered: &AlteredCommit,
) -> Result<ResolvedTarget, GitError> {
    let mut resolved = resolve_commit(objects, &altered.commit)?;
    let SideListing::Tree(root) = resolved.new else {
        return Ok(resolved);
    };
    let mut entries = tree::list_tree(objects, root)?;
    for (path, content) in &altered.files {
        let at = entries.binary_search_by(|(name, _)| name.cmp(path));
        match (at, content) {
            (Ok(at), Some(content)) => {
                let id = objects.store.blob_id(content)?;
                entries[at].1.id = id;
                resolved.own.insert(id, content.as_slice().into());
            }
            (Ok(at), None) => drop(entries.remove(at)),
            (Err(_), _) => {
                return Err(GitError::UnknownRevision {
                    rev: format!("{}:{}", altered.commit, String::from_utf8_lossy(path)),
                    fetch: None,
                });
            }
        }
    }
    resolved.new = SideListing::Entries(entries);
    // No commit has this content: nothing is remembered of it under one.
    resolved.target.head = None;
    Ok(resolved)
}

fn resolve_branch(objects: &ObjectReader) -> Result<ResolvedTarget, GitError> {
    let head = objects.store.read_head()?;
    let (name, tip) = match &head {
        HeadPosition::Unborn(branch) => {
            return Err(GitError::Unborn {
                branch: branch.clone(),
            });
        }
        HeadPosition::Branch(branch, tip) => (revision::short_ref_name(branch), *tip),
        HeadPosition::Detached(tip) => ("HEAD", *tip),
    };
    let base = choose_base(objects, &head)?;
    let from = at_commit(objects, revision::short_ref_name(&base.name), base.commit)?;
    let to = at_commit(objects, name, tip)?;
    let mut resolved = since_merge_base(objects, &from, &to, TargetKind::Branch)?;
    // The upstream may be a branch that nobody has merged.
    let own = match &head {
        HeadPosition::Branch(branch, _) => Some(branch.as_str()),
        _ => None,
    };
    let remote = default_branch::remote_of_ref(objects, &base.name);
    resolved.judge_by_default(objects, remote.as_deref(), |name| Some(name) != own)?;
    if let HeadPosition::Branch(..) = head {
        resolved.framing.title = name.to_owned();
    }
    resolved.notes.extend(base.note);
    Ok(resolved)
}

/// The commits that the tip has and the base lacks, oldest first.
pub(super) fn commits_between(
    objects: &ObjectReader,
    base: ObjectId,
    tip: ObjectId,
) -> Result<Vec<CommitInfo>, GitError> {
    let mut ids = objects.store.walk_commits(tip, &[base], MAX_COMMITS)?;
    ids.reverse();
    let commits = ids
        .into_iter()
        .map(|id| Ok(objects.commit(id)?.into_info(id)));
    commits.collect()
}
