//! What a search works on, and how far it may go.

use std::sync::Arc;
use std::time::{Duration, Instant};

use council_protocol::RepoPath;
use council_secrets::Redactor;

use super::messages::shown_message;
use crate::git::{
    CommitHistory, CommitWords, HistoryFindings, PathFilter, ReviewedChange, ReviewedTree,
};

/// How much one search may read.
#[derive(Debug, Clone, Copy)]
pub struct SearchLimits {
    /// The most files that are opened.
    pub files: usize,
    /// The most bytes of them.
    pub bytes: usize,
    /// The most commits that are looked at. The commit that brought a line is often thousands of others back.
    pub commits: usize,
    /// The most of them that are read for what changes together: what went together long ago need not today.
    pub together: usize,
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
            commits: 3_000,
            together: 300,
            until: Instant::now() + time,
        }
    }

    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }
}

/// The tree and the history around a change.
pub struct Sight {
    pub(super) tree: ReviewedTree,
    pub(super) history: Option<CommitHistory>,
    /// Takes secrets out of what commits say.
    pub(super) redactor: Redactor,
}

impl Sight {
    /// Around a change; none: nothing but a patch or a text is known.
    pub fn around(change: &ReviewedChange) -> Option<Self> {
        Some(Self {
            tree: change.reviewed_tree()?,
            history: change.earlier_history(),
            redactor: Redactor::default(),
        })
    }
}

impl Sight {
    /// The same, with what takes secrets out of what commits say.
    #[must_use]
    pub(crate) fn redacting(self, redactor: Redactor) -> Self {
        Self { redactor, ..self }
    }

    /// The message of a commit that these findings name, as it may be shown.
    pub(super) fn shown_message(&self, findings: &HistoryFindings, commit: &CommitWords) -> String {
        let history = self.history.as_ref();
        let message =
            history.map(|history| shown_message(history, findings, commit, &self.redactor));
        message.unwrap_or_default()
    }

    /// The same without files that whoever reads it may not see.
    #[must_use]
    pub(crate) fn hiding(self, hidden: PathFilter) -> Self {
        Self {
            tree: self.tree.hiding(hidden),
            ..self
        }
    }
}

/// The text of a file; none where it is no text or cannot be read.
pub(super) fn read_file(tree: &ReviewedTree, path: &RepoPath) -> Option<Arc<str>> {
    let file = tree.find_file(path.as_bytes()).ok().flatten()?;
    let bytes = tree.read_text(&file).ok().flatten()?;
    Some(String::from_utf8_lossy(&bytes).into())
}
