//! Bounds on what is read.

/// The most files of one change: what is held of each of them in memory is bounded by it (about 5 KiB each). Built-in judges
/// see all of them; the brief of a model shows what fits, and its coverage says so.
pub(super) const MAX_FILES: usize = 100_000;

/// The most bytes of one file that are shown, or compared line by line. A larger file is a gap in the coverage; rules for
/// secrets read it all the same.
pub(super) const MAX_SHOWN: usize = 4 << 20;

/// The largest patch that is read, in bytes.
pub const MAX_PATCH: usize = 32 << 20;

/// The most bytes of binary files that are unpacked from one patch, all of them together.
pub(super) const MAX_UNPACKED: usize = 256 << 20;

/// The largest blob that is read. A larger file is an error, and so lowers the coverage; it is never silently skipped.
pub(super) const MAX_BLOB: usize = 64 << 20;
