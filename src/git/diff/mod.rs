//! What differs between two sides: paths, renames, lines.

mod assemble;
mod line_names;
pub(super) mod raw_hunk;
pub(super) mod rename;
pub(super) mod sides;
pub(super) mod similarity;
pub(super) mod window;
