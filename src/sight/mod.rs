//! Sight: what a reviewer would open beside the change, found in the tree's own objects.
//!
//! Definitions, uses, the commits that brought lines, and the files that usually change together. Nothing is checked out
//! and no command runs. Every search begins near the change and ends at a bound of files, bytes and time; a result that
//! a bound cut short says so.

mod candidates;
mod common_words;
mod definitions;
mod gather;
mod hints;
mod nearest;
mod origins;
mod relation;
mod search;
mod shown;
#[cfg(test)]
pub(crate) mod tests;
mod words;

use std::sync::Arc;
use std::time::{Duration, Instant};

use council_protocol::RepoPath;

use crate::git::{CommitHistory, ReviewedChange, ReviewedTree};
pub(crate) use gather::GatheredContext;
pub use gather::gather_context;
pub(crate) use search::{NamePlaces, places_of_name};

/// How much one search may read.
#[derive(Debug, Clone, Copy)]
pub struct SearchLimits {
    /// The most files that are opened.
    pub files: usize,
    /// The most bytes of them.
    pub bytes: usize,
    /// The most commits that are looked at.
    pub commits: usize,
    /// When the search ends, however far it is.
    pub until: Instant,
}

impl SearchLimits {
    /// The bounds of one search that may take `time`. Files and bytes end it first on an ordinary machine, so that the same
    /// tree gives the same result.
    pub fn within(time: Duration) -> Self {
        Self {
            files: 1_000,
            bytes: 8 << 20,
            commits: 300,
            until: Instant::now() + time,
        }
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }
}

/// A file that usually changes together with others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Companion {
    pub path: RepoPath,
    /// The file that it changes with.
    pub with: RepoPath,
    /// In how many of the commits that changed that file.
    pub together: usize,
    /// How many commits changed that file.
    pub of: usize,
}

/// The tree and the history around a change.
pub struct Sight {
    tree: ReviewedTree,
    history: Option<CommitHistory>,
}

impl Sight {
    /// Around a change; none: nothing but a patch or a text is known.
    pub fn around(change: &ReviewedChange) -> Option<Self> {
        Some(Self {
            tree: change.reviewed_tree()?,
            history: change.earlier_history(),
        })
    }
}

fn read_file(tree: &ReviewedTree, path: &RepoPath) -> Option<Arc<str>> {
    let file = tree.find_file(path.as_bytes()).ok().flatten()?;
    let bytes = tree.read_text(&file).ok().flatten()?;
    Some(String::from_utf8_lossy(&bytes).into())
}
