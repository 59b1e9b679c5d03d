//! The two sides of a change as sources of files.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use council_protocol::change::{
    BlobError, BlobSource, EntryKind, FileChange, FileKind, FileStatus, Side, TreeEntry,
};
use council_protocol::{Hunk, RepoPath};

use crate::decode::{claims_text, decode_text};
use crate::error::GitError;
use crate::id::ObjectId;
use crate::limits::MAX_SHOWN;
use crate::objects::ObjectReader;
use crate::tree_item::{ItemSort, LocatedItem, RawChange, TreeItem};
use crate::{content, tree};

/// One side: what is where.
pub(crate) enum SideListing {
    /// Nothing at all: before a root commit.
    Nothing,
    /// A tree of the object database.
    Tree(ObjectId),
    /// Entries in path order: the index, or the worktree.
    Entries(Vec<LocatedItem>),
}

/// Both sides, over the objects that hold their contents.
pub(crate) struct ChangeSides {
    pub(crate) objects: Arc<ObjectReader>,
    pub(crate) old: SideListing,
    pub(crate) new: SideListing,
    /// Files of the worktree that are there and cannot be read.
    pub(crate) unreadable: HashMap<RepoPath, GitError>,
}

impl ChangeSides {
    /// The paths on which the sides differ, in path order.
    pub(crate) fn compare_sides(&self) -> Result<Vec<RawChange>, GitError> {
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

    /// What one side holds.
    pub(crate) fn listing(&self, side: Side) -> &SideListing {
        match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        }
    }

    pub(crate) fn find_entry(
        &self,
        side: Side,
        path: &RepoPath,
    ) -> Result<Option<TreeItem>, GitError> {
        match self.listing(side) {
            SideListing::Nothing => Ok(None),
            SideListing::Tree(root) => tree::find_in_tree(&self.objects, *root, path.as_bytes()),
            SideListing::Entries(entries) => {
                let at = entries.binary_search_by(|(name, _)| name.as_slice().cmp(path.as_bytes()));
                Ok(at.ok().map(|at| entries[at].1))
            }
        }
    }

    /// The text of an entry, as a diff shows it; none: it is no file of text.
    pub(crate) fn text_of(&self, entry: TreeItem) -> Result<Option<Arc<[u8]>>, GitError> {
        if entry.sort() != ItemSort::File {
            return Ok(None);
        }
        let text = self.side_text(entry)?;
        Ok(text.is_text.then_some(text.bytes))
    }

    /// An entry as a diff shows it.
    fn side_text(&self, entry: TreeItem) -> Result<SideText, GitError> {
        let stored = match entry.sort() {
            ItemSort::Submodule => format!("Subproject commit {}\n", entry.id)
                .into_bytes()
                .into(),
            _ => self.objects.blob(entry.id)?,
        };
        let size = stored.len() as u64;
        let (decoded, is_text) = match decode_text(&stored) {
            _ if entry.sort() != ItemSort::File => (None, true),
            Some(Cow::Borrowed(_)) => (None, true),
            Some(Cow::Owned(text)) => (Some(text), true),
            None => (None, false),
        };
        Ok(SideText {
            converted: decoded.is_some(),
            bytes: decoded.map_or(stored, Arc::from),
            size: (entry.sort() != ItemSort::Submodule).then_some(size),
            is_text,
        })
    }

    /// Reads both sides of a file: its kind, its sizes, its hunks.
    pub(crate) fn fill_file(&self, file: &mut FileChange) -> Result<(), GitError> {
        if let Some(error) = self.unreadable.get(&file.path) {
            return Err(error.clone());
        }
        let (old, new) = (
            parse_entry(file.old_mode, file.old_id.as_deref()),
            parse_entry(file.new_mode, file.new_id.as_deref()),
        );
        let read = |entry: Option<TreeItem>| entry.map(|entry| self.side_text(entry)).transpose();
        let after = read(new)?;
        let unchanged = old.map(|old| old.id) == new.map(|new| new.id);
        let before = if unchanged { after.clone() } else { read(old)? };
        let size = |text: &Option<SideText>| text.as_ref().and_then(|text| text.size);
        (file.old_size, file.new_size) = (size(&before), size(&after));
        file.kind = file_kind(new.or(old), after.as_ref().or(before.as_ref()));
        if let Some(after) = after.as_ref().filter(|after| !after.is_text && !unchanged) {
            // What was text before has not become data by bytes behind its end.
            let was_text = before
                .as_ref()
                .is_some_and(|before| before.is_text && !before.bytes.is_empty());
            refuse_hidden_text(file, &after.bytes, was_text)?;
        }
        let lines = |text: &Option<SideText>| {
            let text = text.as_ref().filter(|text| text.is_text);
            text.map(|text| text.bytes.clone()).unwrap_or_default()
        };
        let (old_lines, new_lines) = (lines(&before), lines(&after));
        let same = old_lines == new_lines && file.status != FileStatus::TypeChanged;
        (file.hunks, file.lossy) = match file.kind {
            FileKind::Binary => (Vec::new(), false),
            _ if same => (Vec::new(), false),
            _ => hunks_by_status(file, &old_lines, &new_lines)?,
        };
        let converted = [&before, &after]
            .into_iter()
            .flatten()
            .any(|text| text.converted);
        file.lossy |= converted && file.kind != FileKind::Binary;
        Ok(())
    }

    /// How many bytes the reviewed side of a file has, told without reading it; none: it has none, or nobody can tell.
    pub(crate) fn stored_size(&self, file: &FileChange) -> Option<u64> {
        let entry = parse_entry(file.new_mode, file.new_id.as_deref())?;
        let is_blob = entry.sort() != ItemSort::Submodule;
        let size = is_blob.then(|| self.objects.store.object_size(entry.id).ok())??;
        size.map(|size| size as u64)
    }

    /// Whether the reviewed side of a file could be read.
    pub(crate) fn check_content(&self, file: &FileChange) -> Result<(), GitError> {
        if let Some(error) = self.unreadable.get(&file.path) {
            return Err(error.clone());
        }
        match parse_entry(file.new_mode, file.new_id.as_deref()) {
            Some(entry) if entry.sort() != ItemSort::Submodule => self.objects.check_blob(entry.id),
            _ => Ok(()),
        }
    }
}

/// One side of a file. What was binary before and is text now is shown whole: nothing hides behind an old side that has
/// no lines.
#[derive(Clone)]
struct SideText {
    /// Text in UTF-8 as far as it is known how to make it, or the bytes of what is no text.
    bytes: Arc<[u8]>,
    /// Bytes as they are stored; none for a submodule.
    size: Option<u64>,
    is_text: bool,
    converted: bool,
}

/// A script that no tool shows as text is a place to hide in.
fn refuse_hidden_text(file: &FileChange, bytes: &[u8], was_text: bool) -> Result<(), GitError> {
    if was_text || claims_text(file.path.as_bytes(), bytes) {
        Err(GitError::NoText {
            path: file.path.display().into_owned(),
        })
    } else {
        Ok(())
    }
}

fn hunks_by_status(
    file: &FileChange,
    old: &[u8],
    new: &[u8],
) -> Result<(Vec<Hunk>, bool), GitError> {
    let replaced = file.status == FileStatus::TypeChanged;
    let whole = if replaced || old.is_empty() || new.is_empty() {
        old.len() + new.len()
    } else {
        0
    };
    if whole > MAX_SHOWN {
        return Err(GitError::TooLarge {
            what: file.path.display().into_owned(),
            size: format!("{whole} bytes of changed lines"),
            limit: format!("{MAX_SHOWN} bytes"),
        });
    }
    if replaced {
        Ok(content::replaced_hunks(old, new))
    } else {
        content::text_hunks(old, new)
    }
}

fn file_kind(entry: Option<TreeItem>, text: Option<&SideText>) -> FileKind {
    match entry.map(TreeItem::sort) {
        Some(ItemSort::Symlink) => FileKind::Symlink,
        Some(ItemSort::Submodule) => FileKind::Submodule,
        _ if text.is_some_and(|text| !text.is_text) => FileKind::Binary,
        _ if text.is_some_and(|text| content::is_lfs_pointer(&text.bytes)) => FileKind::LfsPointer,
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
            .and_then(|entry| entry.map(|entry| self.side_text(entry)).transpose());
        found
            .map(|text| text.map(|text| text.bytes))
            .map_err(|error| BlobError {
                path: path.clone(),
                cause: error.to_string(),
            })
    }

    fn entries(&self, side: Side) -> Result<Option<Vec<TreeEntry>>, BlobError> {
        let entries = self
            .side_entries(self.listing(side))
            .map_err(|error| BlobError {
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
            is_executable: entry.is_executable(),
        });
        Ok(Some(located.collect()))
    }
}
