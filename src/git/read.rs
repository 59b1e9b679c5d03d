//! From a request to a change.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use council_protocol::FileChange;

use super::change::{self, HunkSource, ReviewedChange};
use super::default_branch::default_branch;
use super::diff::sides::ChangeSides;
use super::document;
use super::env::GitEnvironment;
use super::error::GitError;
use super::id::ObjectId;
use super::limits::MAX_FILES;
use super::objects::ObjectReader;
use super::open;
use super::pathspec::{LimitedFiles, PathspecList};
use super::repository::OpenRepository;
use super::repository_paths::RepositoryPaths;
use super::request::{ChangeRequest, worktree_prefix};
use super::resolve::{self, ResolvedTarget};
use super::revision;
use super::target::{self, TargetSpec};
use super::trusted::{CommitTree, TrustedTree};

/// Reads a change: which files it touches, and where their contents are.
///
/// # Errors
///
/// One named kind for each way in which a target cannot be told ([`GitError`]); never an empty
/// change instead.
pub fn read_change(request: &ChangeRequest) -> Result<ReviewedChange, GitError> {
    match &request.spec {
        TargetSpec::Patch(bytes, label) => return change::change_from_patch(request, bytes, label),
        TargetSpec::Document(bytes, label) => {
            return Ok(document::document_change(request, bytes, label));
        }
        TargetSpec::Topic(question) => return Ok(document::topic_change(request, question)),
        _ => {}
    }
    let store = open::open_repository(&request.dir, &request.env)?;
    match read_from(store, request) {
        // A sparse index is seen only when it is read.
        Err(GitError::Unsupported { feature }) => read_from(
            open::by_command(&request.dir, &request.env, &feature)?,
            request,
        ),
        other => other,
    }
}

/// Reads a change from one source.
pub(super) fn read_from(
    store: OpenRepository,
    request: &ChangeRequest,
) -> Result<ReviewedChange, GitError> {
    let place = RepositoryPaths::of_store(&request.dir, &store);
    let named = store.named.clone();
    let prefix = worktree_prefix(&request.dir, &store);
    let specs = PathspecList::parse(&request.pathspecs, &prefix, store.workdir.as_deref())?;
    let mut objects = ObjectReader::new(store);
    let resolved = resolve::resolve_target(&objects, &request.spec, &specs)?;
    let ResolvedTarget {
        mut target,
        old,
        new,
        trusted,
        mut framing,
        between,
        mut notes,
        equal,
        own,
        unreadable,
        closed,
    } = resolved;
    objects.add_contents(own);
    let objects = Arc::new(objects);
    let sides = ChangeSides {
        objects: objects.clone(),
        old,
        new,
        unreadable,
    };
    let (files, commits) = thread::scope(|scope| {
        let objects = &objects;
        let commits = between
            .map(|(base, tip)| scope.spawn(move || resolve::commits_between(objects, base, tip)));
        let files = change::list_changed_files(&sides);
        let commits =
            commits.map(|commits| commits.join().unwrap_or_else(|panic| resume_unwind(panic)));
        (files, commits)
    });
    if let Some(commits) = commits {
        framing.commits = commits?;
    }
    let (mut files, note) = files?;
    let is_worktree = matches!(request.spec, TargetSpec::Worktree);
    if files.is_empty() && is_worktree && !request.pathspecs.is_empty() {
        files = list_whole_worktree(&objects)?;
    }
    let LimitedFiles {
        files,
        left_out,
        mut nothing,
    } = specs.limit_files(files, &closed, equal)?;
    notes.extend(target::narrow_target(
        &mut target,
        &request.pathspecs,
        &left_out,
    ));
    if let Some(why) = &mut nothing
        && matches!(request.spec, TargetSpec::Default)
        && has_uncommitted(&objects)
    {
        // Who asks for a review of work that is not committed yet must not take silence for an answer.
        why.push_str("; to review what is not committed: git council review --worktree");
    }
    if files.len() > MAX_FILES {
        return Err(GitError::TooManyFiles { count: files.len() });
    }
    notes.extend(note);
    let sides = Arc::new(sides);
    Ok(ReviewedChange {
        target,
        files,
        framing,
        nothing,
        notes,
        blobs: sides.clone(),
        place,
        git_source: named,
        excluded: specs.into_excluded(),
        source: HunkSource::Sides(sides),
        trusted: trusted.map(|(root, origin)| CommitTree {
            objects,
            root,
            origin,
        }),
    })
}

/// Where the current branch lies, and what it is judged by: its base's trusted side, and without a base what it has
/// committed, as its worktree is.
pub struct BranchSources {
    pub place: RepositoryPaths,
    pub trusted: Option<Box<dyn TrustedTree>>,
}

/// What the current branch is judged by. Its files are not compared: a long branch takes seconds.
///
/// # Errors
///
/// As opening the repository.
pub fn branch_sources(dir: &Path, env: &GitEnvironment) -> Result<BranchSources, GitError> {
    let store = open::open_repository(dir, env)?;
    let place = RepositoryPaths::of_store(dir, &store);
    let objects = Arc::new(ObjectReader::new(store));
    let all = PathspecList::parse(&[], "", None)?;
    let side = match resolve::resolve_target(&objects, &TargetSpec::Default, &all) {
        Ok(resolved) => resolved.trusted,
        Err(_) => revision::head_tree(&objects),
    };
    let trusted = side.map(|(root, origin)| -> Box<dyn TrustedTree> {
        Box::new(CommitTree {
            objects,
            root,
            origin,
        })
    });
    Ok(BranchSources { place, trusted })
}

/// Whether the worktree differs from HEAD; a worktree that cannot be read has nothing to tell here.
fn has_uncommitted(objects: &Arc<ObjectReader>) -> bool {
    list_whole_worktree(objects).is_ok_and(|files| !files.is_empty())
}

/// All that differs in the worktree, where nothing does that the pathspecs mean: a misspelt name is not a clean worktree.
fn list_whole_worktree(objects: &Arc<ObjectReader>) -> Result<Vec<FileChange>, GitError> {
    let all = PathspecList::parse(&[], "", None)?;
    let resolved = resolve::resolve_target(objects, &TargetSpec::Worktree, &all)?;
    change::list_changed_paths(&ChangeSides {
        objects: objects.clone(),
        old: resolved.old,
        new: resolved.new,
        unreadable: resolved.unreadable,
    })
}

/// Files of a commit, by any name of it: in CI, configuration is read from the tip of the default branch and not from
/// where a branch left it, so that an old fork point brings no old rules.
///
/// # Errors
///
/// As [`read`], for the repository and the revision.
pub fn tree_at(
    dir: &Path,
    env: &GitEnvironment,
    rev: &str,
) -> Result<Box<dyn TrustedTree>, GitError> {
    let objects = Arc::new(ObjectReader::new(open::open_repository(dir, env)?));
    let (root, origin) = revision::resolve_tree(&objects, rev)?;
    Ok(Box::new(CommitTree {
        objects,
        root,
        origin,
    }))
}

/// The commit that a revision means, as hex.
///
/// # Errors
///
/// As [`read`], for the repository and the revision; and a revision that is no commit.
pub fn commit_at(dir: &Path, env: &GitEnvironment, rev: &str) -> Result<String, GitError> {
    let objects = ObjectReader::new(open::open_repository(dir, env)?);
    let found = revision::resolve_revision(&objects, rev)?;
    let commit = found.commit.ok_or_else(|| GitError::Tree {
        rev: rev.to_owned(),
        id: found.tree.to_hex(),
    })?;
    Ok(commit.to_hex())
}

/// Whether a comparison of `base` with `head` has all commits in it that `head` adds to `tip`.
///
/// # Errors
///
/// As [`commit_at`], for each of the three; and where they have no common ancestor here.
pub fn leaves_nothing_out(
    dir: &Path,
    env: &GitEnvironment,
    base: &str,
    tip: &str,
    head: &str,
) -> Result<bool, GitError> {
    let objects = ObjectReader::new(open::open_repository(dir, env)?);
    let at = |rev: &str| revision::resolve_revision(&objects, rev);
    let (base, tip, head) = (at(base)?, at(tip)?, at(head)?);
    let begin = revision::merge_base(&objects, &tip, &head)?;
    let own = revision::merge_base(&objects, &base, &head)?;
    Ok(objects.store.merge_base(own, begin)? == Some(own))
}

/// The default branch that a change is compared with, in short (`origin/main`); none: nothing tells.
///
/// # Errors
///
/// As opening the repository.
pub fn default_branch_name(dir: &Path, env: &GitEnvironment) -> Result<Option<String>, GitError> {
    let objects = ObjectReader::new(open::open_repository(dir, env)?);
    let name = default_branch(&objects).map(|(name, _)| name);
    Ok(name.map(|name| revision::short_ref_name(&name).to_owned()))
}

/// Whether HEAD is a commit or holds it in its history.
///
/// # Errors
///
/// As [`commit_at`], and a history that cannot be read.
pub fn head_holds(dir: &Path, env: &GitEnvironment, commit: &str) -> Result<bool, GitError> {
    let objects = ObjectReader::new(open::open_repository(dir, env)?);
    let head = revision::resolve_revision(&objects, "HEAD")?.commit;
    let (Some(head), Some(commit)) = (head, ObjectId::from_hex(commit)) else {
        return Ok(false);
    };
    Ok(objects.store.merge_base(commit, head)? == Some(commit))
}

/// Whether HEAD or a branch of this repository is a commit or holds it in its history.
///
/// # Errors
///
/// As [`commit_at`], and a history that cannot be read.
pub fn is_on_branch(dir: &Path, env: &GitEnvironment, commit: &str) -> Result<bool, GitError> {
    let objects = ObjectReader::new(open::open_repository(dir, env)?);
    let Some(commit) = ObjectId::from_hex(commit) else {
        return Ok(false);
    };
    let branches = objects.store.refs_below("refs/heads/")?;
    let mut tips: Vec<ObjectId> = branches.into_iter().map(|(_, tip)| tip).collect();
    // An unborn HEAD holds nothing.
    let head = revision::resolve_revision(&objects, "HEAD");
    tips.extend(head.ok().and_then(|head| head.commit));
    if tips.contains(&commit) {
        return Ok(true);
    }
    for tip in tips {
        if objects.store.merge_base(commit, tip)? == Some(commit) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The first line of each commit's message, where the commit is here. Untrusted text.
pub fn commit_subjects(
    dir: &Path,
    env: &GitEnvironment,
    commits: &[String],
) -> BTreeMap<String, String> {
    let Ok(repository) = open::open_repository(dir, env) else {
        return BTreeMap::new();
    };
    let objects = ObjectReader::new(repository);
    let subject = |hex: &String| {
        let id = ObjectId::from_hex(hex)?;
        let commit = objects.commit(id).ok()?;
        Some((hex.clone(), commit.subject().to_owned()))
    };
    commits.iter().filter_map(subject).collect()
}
