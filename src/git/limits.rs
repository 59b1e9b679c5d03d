//! Bounds on what is read.

/// The most files of one change: what is held of each of them in memory is bounded by it.
pub const MAX_FILES: usize = 15_000;

/// The largest patch that is read, in bytes.
pub const MAX_PATCH: usize = 32 << 20;

/// The largest blob that is read. A larger file is an error, and so lowers the coverage; it is never silently skipped.
pub(super) const MAX_BLOB: usize = 64 << 20;
