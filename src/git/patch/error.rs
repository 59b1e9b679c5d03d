//! What is wrong with a patch.

use crate::limits::{MAX_FILES, MAX_PATCH};

/// Why a patch cannot be read. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatchError {
    /// Nothing at all: a command that failed prints that, too.
    #[error("the patch is empty")]
    Empty,
    /// Text without a change.
    #[error("no change found in {bytes} bytes")]
    NoChange {
        /// How many there were.
        bytes: usize,
    },
    /// Larger than can be read.
    #[error("the patch has {bytes} bytes, but at most {MAX_PATCH} can be read")]
    TooLarge {
        /// How large it is.
        bytes: usize,
    },
    /// Too many files for one review.
    #[error("the patch has more than {MAX_FILES} files")]
    TooManyFiles,
    /// The patch ends inside a hunk, a header or a binary file.
    #[error("line {line}: the patch ends here, in the middle of {what}")]
    Truncated {
        /// The last line.
        line: usize,
        /// In the middle of what.
        what: &'static str,
    },
    /// A hunk's lines do not add up to what its header says.
    #[error("line {line}: the hunk has {found} lines than its header says")]
    Count {
        /// The first line that does not fit.
        line: usize,
        /// `more` or `fewer`.
        found: &'static str,
    },
    /// A line that can be no part of what surrounds it.
    #[error("line {line}: {what} is malformed")]
    Malformed {
        line: usize,
        /// What it should be.
        what: &'static str,
    },
    /// Hunks of a file that overlap or go backwards.
    #[error("line {line}: the hunk does not come after the one before it")]
    Disorder {
        /// The hunk's header.
        line: usize,
    },
    /// A hunk that belongs to no file.
    #[error("line {line}: a hunk without the name of its file")]
    Stray {
        /// The hunk's header.
        line: usize,
    },
    /// A mail whose text is not written as it is meant.
    #[error("line {line}: the mail is encoded, so these are not the lines that git would apply")]
    Encoded { line: usize },
    /// A merge against several parents.
    #[error("line {line}: a combined diff of a merge")]
    Combined { line: usize },
    /// A file that one side lacks and the patch does not show.
    #[error("line {line}: a file is only on one side, and the patch does not show it")]
    OnlyIn { line: usize },
    /// Another format of diff.
    #[error("line {line}: the diff is not a unified one")]
    NotUnified { line: usize },
    /// A change that only some programs apply.
    #[error("line {line}: an indented change, which `patch` applies and git takes for words")]
    Indented { line: usize },
    /// A name that cannot be a file of a repository.
    #[error("line {line}: {path:?} is no path inside a repository")]
    Path {
        line: usize,
        /// The name. Untrusted text.
        path: String,
    },
    /// Several changes to one file: a series of patches.
    #[error("{path} is changed more than once")]
    Twice {
        /// The file. Untrusted text.
        path: String,
    },
}

impl PatchError {
    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Empty => {
                "check the command that makes it: `git diff` prints nothing when it fails (no such base, a shallow clone)"
            }
            Self::NoChange { .. } | Self::NotUnified { .. } | Self::Stray { .. } => {
                "make it with git diff, git format-patch or diff -u"
            }
            Self::Indented { .. } => {
                "take the indentation away, or take the text out: what is reviewed must be all that is applied"
            }
            Self::TooLarge { .. } | Self::TooManyFiles => {
                "review it in parts: git diff BASE...HEAD -- PATH"
            }
            Self::Combined { .. } => "compare a merge with one parent: git diff MERGE^1 MERGE",
            Self::Encoded { .. } => {
                "decode it first: git mailinfo message changes < MAIL, and review `changes`"
            }
            Self::OnlyIn { .. } => "make it with diff -ruN, so that files of one side are shown",
            Self::Twice { .. } => "make one patch of the whole series: git diff BASE..HEAD",
            Self::Path { .. } => {
                "make it in the top directory of the repository, with relative paths"
            }
            Self::Truncated { .. }
            | Self::Count { .. }
            | Self::Malformed { .. }
            | Self::Disorder { .. } => "make it again: it was cut or edited after it was made",
        }
    }
}
