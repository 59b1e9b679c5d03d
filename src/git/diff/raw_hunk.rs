//! What a comparison of two texts finds, in bytes.

use std::ops::Range;

/// Lines that one text has in the place of lines of the other; counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChangedLines {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// A hunk in bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RawHunk {
    /// First line and number of lines on the old side.
    pub(crate) old: (u32, u32),
    /// The same on the new side.
    pub(crate) new: (u32, u32),
    /// What stands behind the second `@@`.
    pub(crate) section: Vec<u8>,
    /// The lines with their markers.
    pub(crate) body: Vec<u8>,
}
