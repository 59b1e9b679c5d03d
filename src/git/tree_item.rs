//! Entries of a tree or an index.

use super::id::ObjectId;

/// Mode and id of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TreeItem {
    pub(super) mode: u32,
    pub(super) id: ObjectId,
}

/// An entry and where it is.
pub(super) type LocatedItem = (Vec<u8>, TreeItem);

/// What sort of entry a mode makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemSort {
    File,
    Symlink,
    Submodule,
    Tree,
}

impl TreeItem {
    /// An entry with its mode as git normalises it.
    pub(super) fn new(mode: u32, id: ObjectId) -> Self {
        Self {
            mode: canonical_mode(mode),
            id,
        }
    }

    pub(super) fn is_executable(self) -> bool {
        self.mode == 0o100755
    }

    pub(super) fn sort(self) -> ItemSort {
        match self.mode {
            0o040000 => ItemSort::Tree,
            0o120000 => ItemSort::Symlink,
            0o160000 => ItemSort::Submodule,
            _ => ItemSort::File,
        }
    }
}

/// Old repositories hold modes such as 0o100664, which git reads as the nearest that it writes today.
fn canonical_mode(mode: u32) -> u32 {
    match mode & 0o170000 {
        0o100000 if mode & 0o100 != 0 => 0o100755,
        0o100000 => 0o100644,
        0o120000 => 0o120000,
        0o040000 => 0o040000,
        _ => 0o160000,
    }
}

/// One path on which two sides differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawChange {
    pub(super) path: Vec<u8>,
    pub(super) old: Option<TreeItem>,
    pub(super) new: Option<TreeItem>,
}
