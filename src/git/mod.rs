//! Git: what is under review, read from objects and nothing else.
//!
//! No checkout, no filter, no textconv, no external diff, no hook, no fetch, and none of the
//! reviewed side's attributes. Trees are walked and renames found by our own code over libgit2's
//! object database; libgit2 compares the two texts of a file. [`read`] makes a [`Change`];
//! [`Change::fill`] adds the hunks of one file.

mod base;
mod change;
mod command;
mod commit;
mod config;
mod content;
mod env;
mod error;
pub mod fetch;
mod id;
mod notes;
mod objects;
mod open;
mod parallel;
pub mod patch;
mod pathspec;
mod place;
mod push;
mod recognition;
mod rename;
mod resolve;
pub mod runner;
mod sides;
mod signature;
mod similarity;
mod source;
mod store;
mod target;
mod text;
mod textdiff;
mod tree;
mod trusted;
mod user;
mod worktree;

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

pub use change::ReviewedChange;
pub use config::{ConfigOrigin, ConfigValue, config_values};
pub use env::{GitEnvironment, is_local};
pub use error::GitError;
pub use notes::{CouncilNotes, NOTES_REF, add_line};
pub use parallel::map_parallel;
pub use place::RepositoryPaths;
pub use push::{MAX_PUSHED_COMMITS, PushedRange, RefUpdate, is_zero, pushed_ranges};
pub use recognition::recognition_key;
pub use signature::{NoteSignature, SignError, sign_text, signing_key};
pub use target::{Proposal, TargetSpec};
pub use trusted::TrustedTree;
pub use user::UserGit;

use change::HunkSource;
use objects::ObjectReader;
use pathspec::PathspecList;
use resolve::ResolvedTarget;
use sides::ChangeSides;
use source::OpenRepository;
use trusted::CommitTree;

/// The most files of one change: what is held of each of them in memory is bounded by it.
pub const MAX_FILES: usize = 15_000;

/// What to read.
#[derive(Debug, Clone)]
pub struct ChangeRequest {
    /// Where to look for the repository (`-C DIR`, else the current directory).
    pub dir: PathBuf,
    /// What is asked for.
    pub spec: TargetSpec,
    /// git's pathspecs, relative to `dir`; none for everything.
    pub pathspecs: Vec<String>,
    /// What the process's environment says about git.
    pub env: GitEnvironment,
}

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
            return Ok(text::document_change(request, bytes, label));
        }
        TargetSpec::Topic(question) => return Ok(text::topic_change(request, question)),
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
fn read_from(store: OpenRepository, request: &ChangeRequest) -> Result<ReviewedChange, GitError> {
    let place = RepositoryPaths::of_store(&request.dir, &store);
    let named = store.named.clone();
    let specs = PathspecList::parse(&request.pathspecs, &worktree_prefix(&request.dir, &store))?;
    let mut objects = ObjectReader::new(store);
    let resolved = resolve::resolve_target(&objects, &request.spec, &specs)?;
    let ResolvedTarget {
        target,
        old,
        new,
        trusted,
        mut framing,
        between,
        mut notes,
        equal,
        own,
        unreadable,
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
    let (files, note) = files?;
    let (files, nothing) = specs.limit_files(files, equal);
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
        source: HunkSource::Sides(sides),
        trusted: trusted.map(|(root, origin)| CommitTree {
            objects,
            root,
            origin,
        }),
    })
}

/// Files of a commit, by any name of it: in CI, configuration is read from the tip of the default
/// branch and not from where a branch left it (threat T1).
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
    let (root, origin) = resolve::resolve_tree(&objects, rev)?;
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
    let found = resolve::resolve_revision(&objects, rev)?;
    let commit = found.commit.ok_or_else(|| GitError::BadRevision {
        rev: rev.to_owned(),
        cause: "it is a tree, not a commit".to_owned(),
    })?;
    Ok(commit.to_hex())
}

/// Where `dir` lies in the worktree, `/`-separated; empty for its top and outside of it.
fn worktree_prefix(dir: &Path, store: &OpenRepository) -> String {
    let real = |path: &Path| path.canonicalize().ok();
    let inside = store.workdir.as_deref().and_then(real).zip(real(dir));
    let inside = inside.and_then(|(top, dir)| dir.strip_prefix(top).ok().map(Path::to_owned));
    let parts = inside
        .iter()
        .flat_map(|path| path.iter().map(|part| part.to_string_lossy()));
    parts.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests;
