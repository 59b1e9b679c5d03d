//! A hunk in bytes, as libgit2 compares texts.

/// A hunk in bytes.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::git) struct RawHunk {
    /// First line and number of lines on the old side.
    pub(in crate::git) old: (u32, u32),
    /// The same on the new side.
    pub(in crate::git) new: (u32, u32),
    /// What stands behind the second `@@`.
    pub(in crate::git) section: Vec<u8>,
    /// The lines with their markers.
    pub(in crate::git) body: Vec<u8>,
}
