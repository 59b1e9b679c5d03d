//! What a comparison of two texts finds, in bytes.

use std::ops::Range;

/// Lines that one text has in the place of lines of the other; counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::git) struct ChangedLines {
    pub(in crate::git) old: Range<usize>,
    pub(in crate::git) new: Range<usize>,
}

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
