//! The reviewed tree, folder by folder: a search near a change reads a few folders, not a list of 60,000 files.

use std::sync::Arc;

use council_protocol::change::Side;
use council_protocol::{BlobSource, RepoPath};

use super::diff::sides::{ChangeSides, SideListing};
use super::error::GitError;
use super::id::ObjectId;
use super::tree;
use super::tree_item::{ItemSort, LocatedItem, TreeItem};

/// Whether a path is hidden from whoever looks.
pub type PathFilter = Arc<dyn Fn(&RepoPath) -> bool + Send + Sync>;

/// The files of the reviewed side.
#[derive(Clone)]
pub struct ReviewedTree {
    sides: Arc<ChangeSides>,
    hidden: Option<PathFilter>,
}

/// A folder of the reviewed side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFolder {
    /// Its path without a slash at the end; empty for the top.
    pub path: Vec<u8>,
    /// The tree that it is; none where the side is a listing of paths.
    tree: Option<ObjectId>,
}

/// A file of the reviewed side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileItem {
    /// Its path from the top.
    pub path: Vec<u8>,
    entry: TreeItem,
}

/// What lies in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderItem {
    /// An ordinary file; links and submodules are left out.
    File(FileItem),
    Folder(TreeFolder),
}

impl ReviewedTree {
    pub(super) fn of_sides(sides: Arc<ChangeSides>) -> Self {
        Self {
            sides,
            hidden: None,
        }
    }

    /// The same tree without files that nobody may see.
    #[must_use]
    pub fn hiding(self, hidden: PathFilter) -> Self {
        Self {
            hidden: Some(hidden),
            ..self
        }
    }

    fn hides(&self, path: &[u8]) -> bool {
        let hides = |hidden: &PathFilter| hidden(&RepoPath::new(path.to_vec()));
        self.hidden.as_ref().is_some_and(hides)
    }

    /// A folder by its path; none: there is no such folder.
    ///
    /// # Errors
    /// Trees that are missing or damaged.
    pub fn open_folder(&self, path: &[u8]) -> Result<Option<TreeFolder>, GitError> {
        let tree = match self.sides.listing(Side::New) {
            SideListing::Nothing => return Ok(None),
            SideListing::Tree(root) => {
                match tree::find_subtree(&self.sides.objects, *root, path)? {
                    Some(tree) => Some(tree),
                    None => return Ok(None),
                }
            }
            SideListing::Entries(entries) => {
                if entries_below(entries, path).is_empty() {
                    return Ok(None);
                }
                None
            }
        };
        let path = path.to_vec();
        Ok(Some(TreeFolder { path, tree }))
    }

    /// What lies in a folder, by name.
    ///
    /// # Errors
    /// Trees that are missing or damaged.
    pub fn list_folder(&self, folder: &TreeFolder) -> Result<Vec<FolderItem>, GitError> {
        let mut items = self.list_all(folder)?;
        items.retain(|item| match item {
            FolderItem::File(file) => !self.hides(&file.path),
            FolderItem::Folder(_) => true,
        });
        Ok(items)
    }

    fn list_all(&self, folder: &TreeFolder) -> Result<Vec<FolderItem>, GitError> {
        match (folder.tree, self.sides.listing(Side::New)) {
            (Some(tree), _) => {
                let items = tree::read_items(&self.sides.objects, tree)?;
                let items = items.into_iter();
                Ok(items
                    .filter_map(|(name, entry)| located_item(&folder.path, &name, entry))
                    .collect())
            }
            (None, SideListing::Entries(entries)) => Ok(listed_items(entries, &folder.path)),
            (None, _) => Ok(Vec::new()),
        }
    }

    /// A file by its path; none: there is none, or it is a link or a submodule.
    ///
    /// # Errors
    /// Trees that are missing or damaged.
    pub fn find_file(&self, path: &[u8]) -> Result<Option<FileItem>, GitError> {
        let entry = self
            .sides
            .find_entry(Side::New, &RepoPath::new(path.to_vec()))?;
        let entry = entry.filter(|entry| entry.sort() == ItemSort::File && !self.hides(path));
        Ok(entry.map(|entry| FileItem {
            path: path.to_vec(),
            entry,
        }))
    }

    /// The text of a file, in UTF-8 as far as it is known how to make it; none: it is binary.
    ///
    /// # Errors
    /// Objects that are missing, damaged or too large.
    pub fn read_text(&self, file: &FileItem) -> Result<Option<Arc<[u8]>>, GitError> {
        self.sides.text_of(file.entry)
    }

    /// The text of a file before the change; none: there was none.
    pub fn read_before(&self, path: &RepoPath) -> Option<Arc<[u8]>> {
        let is_shown = !self.hides(path.as_bytes());
        let text = is_shown.then(|| self.sides.read(Side::Old, path).ok());
        text.flatten().flatten()
    }
}

fn join_path(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if folder.is_empty() {
        name.to_vec()
    } else {
        [folder, b"/", name].concat()
    }
}

fn located_item(folder: &[u8], name: &[u8], entry: TreeItem) -> Option<FolderItem> {
    let path = join_path(folder, name);
    match entry.sort() {
        ItemSort::File => Some(FolderItem::File(FileItem { path, entry })),
        ItemSort::Tree => Some(FolderItem::Folder(TreeFolder {
            path,
            tree: Some(entry.id),
        })),
        ItemSort::Symlink | ItemSort::Submodule => None,
    }
}

/// The part of a listing in path order that lies below a folder.
fn entries_below<'e>(entries: &'e [LocatedItem], folder: &[u8]) -> &'e [LocatedItem] {
    if folder.is_empty() {
        return entries;
    }
    let prefix = [folder, b"/"].concat();
    let start = entries.partition_point(|(path, _)| *path < prefix);
    let count = entries[start..].partition_point(|(path, _)| path.starts_with(&prefix));
    &entries[start..start + count]
}

/// What of a listing lies in a folder.
fn listed_items(entries: &[LocatedItem], folder: &[u8]) -> Vec<FolderItem> {
    let mut rest = entries_below(entries, folder);
    let depth = match folder.len() {
        0 => 0,
        length => length + 1,
    };
    let mut items = Vec::new();
    while let Some((path, entry)) = rest.first() {
        let name = &path[depth..];
        match name.iter().position(|&b| b == b'/') {
            None => {
                items.extend(located_item(folder, name, *entry));
                rest = &rest[1..];
            }
            Some(end) => {
                let inner = path[..depth + end].to_vec();
                rest = &rest[entries_below(rest, &inner).len().max(1)..];
                items.push(FolderItem::Folder(TreeFolder {
                    path: inner,
                    tree: None,
                }));
            }
        }
    }
    items
}
