//! A side of a changed file with what was read of it, for those who compare the two.

use council_protocol::RepoPath;

use super::search::FileOutline;

/// One side of a changed file, read.
pub(super) struct ReadSide<'f> {
    pub(super) path: &'f RepoPath,
    pub(super) text: &'f str,
    /// The edited lines that are code.
    pub(super) lines: Vec<u32>,
    /// How many more of them a bound leaves out.
    pub(super) unread: usize,
    pub(super) outline: FileOutline<'f>,
}
