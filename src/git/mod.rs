//! Git: what is under review, read from objects and nothing else.
//!
//! No checkout, no filter, no textconv, no external diff, no hook, no fetch, and none of the reviewed side's
//! attributes. Trees are walked and renames found by our own code over libgit2's object database; libgit2 compares
//! the two texts of a file. [`read`] makes a [`Change`]; [`Change::fill`] adds the hunks of one file.

#![allow(dead_code, reason = "the patch reader and the runner follow")]

mod base;
mod change;
mod commit;
mod config;
mod content;
mod env;
mod error;
mod id;
mod objects;
mod open;
mod place;
mod recognition;
mod rename;
mod sides;
mod similarity;
mod store;
mod target;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tree;
mod trusted;

use std::path::PathBuf;
use std::sync::Arc;

pub use change::Change;
pub use config::{ConfigOrigin, ConfigValue, config_values};
pub use env::Environment;
pub use error::GitError;
pub use place::Place;
pub use recognition::recognition_key;
pub use target::TargetSpec;
pub use trusted::TrustedTree;

use change::Source;
use objects::Objects;
use sides::Sides;
use trusted::CommitTree;

/// What to read.
#[derive(Debug, Clone)]
pub struct Request {
    /// Where to look for the repository (`-C DIR`, else the current directory).
    pub dir: PathBuf,
    /// What is asked for.
    pub spec: TargetSpec,
    /// git's pathspecs, relative to `dir`; none for everything.
    pub pathspecs: Vec<String>,
    /// What the process's environment says about git.
    pub env: Environment,
}

/// Reads a change: which files it touches, and where their contents are.
///
/// # Errors
///
/// One named kind for each way in which a target cannot be told ([`GitError`]); never an empty change instead.
pub fn read(request: &Request) -> Result<Change, GitError> {
    let store = open::open(&request.dir, &request.env)?;
    let place = Place::of(&request.dir, &store);
    let objects = Arc::new(Objects::new(store));
    if let TargetSpec::Worktree | TargetSpec::Patch(..) = request.spec {
        return Err(GitError::Unsupported {
            feature: "worktrees and patches follow".to_owned(),
        });
    }
    let resolved = target::resolve(&objects, &request.spec)?;
    let trusted = resolved.trusted.map(|(root, origin)| CommitTree {
        objects: objects.clone(),
        root,
        origin,
    });
    let sides = Sides {
        objects,
        old: resolved.old,
        new: resolved.new,
        unreadable: Default::default(),
    };
    let (files, note) = change::files(&sides)?;
    let sides = Arc::new(sides);
    Ok(Change {
        target: resolved.target,
        nothing: files.is_empty().then_some(resolved.equal),
        files,
        framing: resolved.framing,
        notes: resolved.notes.into_iter().chain(note).collect(),
        blobs: sides.clone(),
        place,
        source: Source::Sides(sides),
        trusted,
    })
}
