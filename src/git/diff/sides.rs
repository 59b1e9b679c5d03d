//! The two sides of a change as sources of files.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use council_protocol::change::{
    BlobError, BlobSource, EntryKind, FileChange, FileKind, FileStatus, Side, TreeEntry,
};
use council_protocol::{Hunk, RepoPath};

use crate::git::error::GitError;
use crate::git::id::ObjectId;
use crate::git::objects::ObjectReader;
use crate::git::tree_item::{ItemSort, LocatedItem, RawChange, TreeItem};
use crate::git::{content, tree};

/// One side: what is where.
pub(in crate::git) enum SideListing {
    /// Nothing at all: before a root commit.
    Nothing,
    /// A tree of the object database.
    Tree(ObjectId),
    /// Entries in path order: the index, or the worktree.
    Entries(Vec<LocatedItem>),
}

/// Both sides, over the objects that hold their contents.
pub(in crate::git) struct ChangeSides {
    pub(in crate::git) objects: Arc<ObjectReader>,
    pub(in crate::git) old: SideListing,
    pub(in crate::git) new: SideListing,
    /// Files of the worktree that are there and cannot be read.
    pub(in crate::git) unreadable: HashMap<RepoPath, GitError>,
}

impl ChangeSides {
    /// The paths on which the sides differ, in path order.
    pub(in crate::git) fn compare_sides(&self) -> Result<Vec<RawChange>, GitError> {
        let mut raws = match (&self.old, &self.new) {
            (SideListing::Nothing, SideListing::Nothing) => Vec::new(),
            (SideListing::Entries(_), _) | (_, SideListing::Entries(_)) => tree::merge_listings(
                &self.side_entries(&self.old)?,
                &self.side_entries(&self.new)?,
            ),
            (old, new) => tree::compare_trees(&self.objects, tree_root(old), tree_root(new))?,
        };
        raws.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(raws)
    }

    fn side_entries<'a>(&self, side: &'a SideListing) -> Result<Cow<'a, [LocatedItem]>, GitError> {
        match side {
            SideListing::Nothing => Ok(Cow::Borrowed(&[])),
            SideListing::Tree(root) => tree::list_tree(&self.objects, *root).map(Cow::Owned),
            SideListing::Entries(entries) => Ok(Cow::Borrowed(entries)),
        }
    }

    fn find_entry(&self, side: Side, path: &RepoPath) -> Result<Option<TreeItem>, GitError> {
        match if side == Side::Old {
            &self.old
        } else {
            &self.new
        } {
            SideListing::Nothing => Ok(None),
            SideListing::Tree(root) => tree::find_in_tree(&self.objects, *root, path.as_bytes()),
            SideListing::Entries(entries) => {
                let at = entries.binary_search_by(|(name, _)| name.as_slice().cmp(path.as_bytes()));
                Ok(at.ok().map(|at| entries[at].1))
            }
        }
    }

    /// The text of an entry as a diff shows it.
    fn entry_text(&self, entry: TreeItem) -> Result<Arc<[u8]>, GitError> {
        match entry.sort() {
            ItemSort::Submodule => Ok(format!("Subproject commit {}\n", entry.id)
                .into_bytes()
                .into()),
            _ => self.objects.blob(entry.id),
        }
    }

    /// Reads both sides of a file: its kind, its sizes, its hunks.
    pub(in crate::git) fn fill_file(&self, file: &mut FileChange) -> Result<(), GitError> {
        if let Some(error) = self.unreadable.get(&file.path) {
            return Err(error.clone());
        }
        let (old, new) = (
            parse_entry(file.old_mode, file.old_id.as_deref()),
            parse_entry(file.new_mode, file.new_id.as_deref()),
        );
        let read = |entry: Option<TreeItem>| entry.map(|entry| self.entry_text(entry)).transpose();
        let after = read(new)?;
        let before = if old.map(|old| old.id) == new.map(|new| new.id) {
            after.clone()
        } else {
            read(old)?
        };
        let size = |entry: Option<TreeItem>, text: &Option<Arc<[u8]>>| {
            entry
                .filter(|entry| entry.sort() != ItemSort::Submodule)
                .and(text.as_ref())
                .map(|text| text.len() as u64)
        };
        (file.old_size, file.new_size) = (size(old, &before), size(new, &after));
        let reviewed = after.as_deref().or(before.as_deref()).unwrap_or_default();
        file.kind = file_kind(new.or(old), reviewed);
        let same = before.as_deref() == after.as_deref();
        (file.hunks, file.lossy) = match file.kind {
            FileKind::Binary => (Vec::new(), false),
            _ if same && file.status != FileStatus::TypeChanged => (Vec::new(), false),
            _ => hunks_by_status(
                file.status,
                old.map_or(&[][..], |old| shown_old_text(old, &before)),
                after.as_deref(),
            )?,
        };
        Ok(())
    }
}

/// What was binary before and is text now is shown whole: nothing hides behind an old side that has no lines.
fn shown_old_text(old: TreeItem, text: &Option<Arc<[u8]>>) -> &[u8] {
    let text = text.as_deref().unwrap_or_default();
    if old.sort() == ItemSort::File && content::is_binary(text) {
        &[]
    } else {
        text
    }
}

fn hunks_by_status(
    status: FileStatus,
    old: &[u8],
    new: Option<&[u8]>,
) -> Result<(Vec<Hunk>, bool), GitError> {
    let new = new.unwrap_or_default();
    if status == FileStatus::TypeChanged {
        Ok(content::replaced_hunks(old, new))
    } else {
        content::text_hunks(old, new)
    }
}

fn file_kind(entry: Option<TreeItem>, text: &[u8]) -> FileKind {
    match entry.map(TreeItem::sort) {
        Some(ItemSort::Symlink) => FileKind::Symlink,
        Some(ItemSort::Submodule) => FileKind::Submodule,
        _ if content::is_binary(text) => FileKind::Binary,
        _ if content::is_lfs_pointer(text) => FileKind::LfsPointer,
        _ => FileKind::Text,
    }
}

fn parse_entry(mode: u32, id: Option<&str>) -> Option<TreeItem> {
    (mode != 0)
        .then(|| id.and_then(ObjectId::from_hex))
        .flatten()
        .map(|id| TreeItem { mode, id })
}

fn tree_root(side: &SideListing) -> Option<ObjectId> {
    match side {
        SideListing::Tree(root) => Some(*root),
        _ => None,
    }
}

impl BlobSource for ChangeSides {
    fn read(&self, side: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
        let found = self
            .find_entry(side, path)
            .and_then(|entry| entry.map(|entry| self.entry_text(entry)).transpose());
        found.map_err(|error| BlobError {
            path: path.clone(),
            cause: error.to_string(),
        })
    }

    fn entries(&self, side: Side) -> Result<Option<Vec<TreeEntry>>, BlobError> {
        let listing = match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        };
        let entries = self.side_entries(listing).map_err(|error| BlobError {
            path: RepoPath::default(),
            cause: error.to_string(),
        })?;
        let located = entries.iter().map(|(path, entry)| TreeEntry {
            path: RepoPath::new(path.clone()),
            kind: match entry.sort() {
                ItemSort::Symlink => EntryKind::Symlink,
                ItemSort::Submodule => EntryKind::Submodule,
                ItemSort::File | ItemSort::Tree => EntryKind::File,
            },
        });
        Ok(Some(located.collect()))
    }
}
