//! The two sides of a change as sources of files.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use council_protocol::change::{
    BlobError, BlobSource, EntryKind, FileChange, FileKind, FileStatus, Side, TreeEntry,
};
use council_protocol::{Hunk, RepoPath};

use super::content;
use super::error::GitError;
use super::id::Id;
use super::objects::Objects;
use super::tree::{self, Entry, Located, Raw, Sort};

/// One side: what is where.
pub(super) enum Listing {
    /// Nothing at all: before a root commit.
    Nothing,
    /// A tree of the object database.
    Tree(Id),
    /// Entries in path order: the index, or the worktree.
    Entries(Vec<Located>),
}

/// Both sides, over the objects that hold their contents.
pub(super) struct Sides {
    pub(super) objects: Arc<Objects>,
    pub(super) old: Listing,
    pub(super) new: Listing,
    /// Files of the worktree that are there and cannot be read.
    pub(super) unreadable: HashMap<RepoPath, GitError>,
}

impl Sides {
    /// The paths on which the sides differ, in path order.
    pub(super) fn compare(&self) -> Result<Vec<Raw>, GitError> {
        let mut raws = match (&self.old, &self.new) {
            (Listing::Nothing, Listing::Nothing) => Vec::new(),
            (Listing::Entries(_), _) | (_, Listing::Entries(_)) => {
                tree::merge(&self.entries(&self.old)?, &self.entries(&self.new)?)
            }
            (old, new) => tree::compare(&self.objects, root(old), root(new))?,
        };
        raws.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(raws)
    }

    fn entries<'a>(&self, side: &'a Listing) -> Result<Cow<'a, [Located]>, GitError> {
        match side {
            Listing::Nothing => Ok(Cow::Borrowed(&[])),
            Listing::Tree(root) => tree::list(&self.objects, *root).map(Cow::Owned),
            Listing::Entries(entries) => Ok(Cow::Borrowed(entries)),
        }
    }

    fn find(&self, side: Side, path: &RepoPath) -> Result<Option<Entry>, GitError> {
        match if side == Side::Old {
            &self.old
        } else {
            &self.new
        } {
            Listing::Nothing => Ok(None),
            Listing::Tree(root) => tree::find(&self.objects, *root, path.as_bytes()),
            Listing::Entries(entries) => {
                let at = entries.binary_search_by(|(name, _)| name.as_slice().cmp(path.as_bytes()));
                Ok(at.ok().map(|at| entries[at].1))
            }
        }
    }

    /// The text of an entry as a diff shows it.
    fn text(&self, entry: Entry) -> Result<Arc<[u8]>, GitError> {
        match entry.sort() {
            Sort::Submodule => Ok(format!("Subproject commit {}\n", entry.id)
                .into_bytes()
                .into()),
            _ => self.objects.blob(entry.id),
        }
    }

    /// Reads both sides of a file: its kind, its sizes, its hunks.
    pub(super) fn fill(&self, file: &mut FileChange) -> Result<(), GitError> {
        if let Some(error) = self.unreadable.get(&file.path) {
            return Err(error.clone());
        }
        let (old, new) = (
            entry(file.old_mode, file.old_id.as_deref()),
            entry(file.new_mode, file.new_id.as_deref()),
        );
        let read = |entry: Option<Entry>| entry.map(|entry| self.text(entry)).transpose();
        let after = read(new)?;
        let before = if old.map(|old| old.id) == new.map(|new| new.id) {
            after.clone()
        } else {
            read(old)?
        };
        let size = |entry: Option<Entry>, text: &Option<Arc<[u8]>>| {
            entry
                .filter(|entry| entry.sort() != Sort::Submodule)
                .and(text.as_ref())
                .map(|text| text.len() as u64)
        };
        (file.old_size, file.new_size) = (size(old, &before), size(new, &after));
        let reviewed = after.as_deref().or(before.as_deref()).unwrap_or_default();
        file.kind = kind(new.or(old), reviewed);
        let same = before.as_deref() == after.as_deref();
        (file.hunks, file.lossy) = match file.kind {
            FileKind::Binary => (Vec::new(), false),
            _ if same && file.status != FileStatus::TypeChanged => (Vec::new(), false),
            _ => text_hunks(
                file.status,
                old.map_or(&[][..], |old| shown(old, &before)),
                after.as_deref(),
            )?,
        };
        Ok(())
    }
}

/// What was binary before and is text now is shown whole: nothing hides behind an old side that has no lines.
fn shown(old: Entry, text: &Option<Arc<[u8]>>) -> &[u8] {
    let text = text.as_deref().unwrap_or_default();
    if old.sort() == Sort::File && content::is_binary(text) {
        &[]
    } else {
        text
    }
}

fn text_hunks(
    status: FileStatus,
    old: &[u8],
    new: Option<&[u8]>,
) -> Result<(Vec<Hunk>, bool), GitError> {
    let new = new.unwrap_or_default();
    if status == FileStatus::TypeChanged {
        Ok(content::replaced(old, new))
    } else {
        content::hunks(old, new)
    }
}

fn kind(entry: Option<Entry>, text: &[u8]) -> FileKind {
    match entry.map(Entry::sort) {
        Some(Sort::Symlink) => FileKind::Symlink,
        Some(Sort::Submodule) => FileKind::Submodule,
        _ if content::is_binary(text) => FileKind::Binary,
        _ if content::is_lfs_pointer(text) => FileKind::LfsPointer,
        _ => FileKind::Text,
    }
}

fn entry(mode: u32, id: Option<&str>) -> Option<Entry> {
    (mode != 0)
        .then(|| id.and_then(Id::from_hex))
        .flatten()
        .map(|id| Entry { mode, id })
}

fn root(side: &Listing) -> Option<Id> {
    match side {
        Listing::Tree(root) => Some(*root),
        _ => None,
    }
}

impl BlobSource for Sides {
    fn read(&self, side: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
        let found = self
            .find(side, path)
            .and_then(|entry| entry.map(|entry| self.text(entry)).transpose());
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
        let entries = self.entries(listing).map_err(|error| BlobError {
            path: RepoPath::default(),
            cause: error.to_string(),
        })?;
        let located = entries.iter().map(|(path, entry)| TreeEntry {
            path: RepoPath::new(path.clone()),
            kind: match entry.sort() {
                Sort::Symlink => EntryKind::Symlink,
                Sort::Submodule => EntryKind::Submodule,
                Sort::File | Sort::Tree => EntryKind::File,
            },
        });
        Ok(Some(located.collect()))
    }
}
