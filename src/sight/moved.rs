//! Files that the change moves or deletes, and the names by which others mean them: what still imports, includes or
//! renders the old path is what breaks.

use std::collections::BTreeSet;

use council_protocol::change::FileStatus;
use council_protocol::{FileChange, RepoPath};
use council_syntax::language::Language;

use super::candidates::{NameReason, WantedName};
use super::hints;
use crate::prompt::is_test_path;

/// A file that is no longer where it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MovedFile {
    /// Where it was.
    pub(super) before: String,
    /// Where the brief tells about it.
    pub(super) now: RepoPath,
    is_deleted: bool,
    /// Whether the name is no path but a part of one, which means the file in an import only.
    in_imports: bool,
}

impl MovedFile {
    pub(super) fn describe(&self) -> String {
        let what = if self.is_deleted { "deletes" } else { "moves" };
        format!("`{}`, which the change {what}", self.before)
    }

    /// Whether a line that has the name means this file.
    pub(super) fn is_named_by(&self, path: &RepoPath, code: &str) -> bool {
        hints::imports_file(&path.display(), code, &self.before).unwrap_or(!self.in_imports)
    }
}

/// How others name a file that the change moves or deletes.
pub(super) fn moved_names(file: &FileChange) -> Vec<WantedName> {
    let before = file.path_before();
    let path = before.display();
    let is_deleted = match file.status {
        FileStatus::Renamed if file.path.as_bytes() != before.as_bytes() => false,
        FileStatus::Deleted => true,
        _ => return Vec::new(),
    };
    if is_test_path(&path) {
        return Vec::new();
    }
    let stays = folder_of(&path) == folder_of(&file.path.display()) && !is_deleted;
    let is_package = Language::from_path(&path) == Language::Go;
    if stays && is_package {
        // Go imports folders.
        return Vec::new();
    }
    let name = |(text, in_imports): (String, bool)| WantedName {
        moved: vec![MovedFile {
            before: path.clone().into_owned(),
            now: file.path.clone(),
            is_deleted,
            in_imports,
        }],
        // What it means beside the file is for others to say.
        uses: false,
        is_bare: true,
        is_local: true,
        is_key_alone: true,
        is_built: true,
        ..WantedName::new(&text, NameReason::Removed)
    };
    names_of_file(&path).into_iter().map(name).collect()
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// `lib/pool.py` → `pool.py`, `lib/pool`, `lib.pool`; in imports also `pool`, of a folder's main file the folder's name.
fn names_of_file(path: &str) -> BTreeSet<(String, bool)> {
    // Every folder has one of these; whoever means it names the folder.
    const OF_FOLDER: [&str; 5] = ["index", "__init__", "mod", "main", "lib"];
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let Some((stem, _)) = file.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) else {
        return BTreeSet::new();
    };
    let parent = folder.rsplit('/').next().unwrap_or_default();
    let mut names = BTreeSet::new();
    if Language::from_path(path) == Language::Go || OF_FOLDER.contains(&stem) {
        names.insert((parent.to_owned(), true));
    } else {
        names.insert((file.to_owned(), false));
        names.insert((stem.to_owned(), true));
        if !parent.is_empty() {
            names.insert((format!("{parent}/{stem}"), false));
            names.insert((format!("{parent}.{stem}"), false));
        }
    }
    names.retain(|(name, _)| !name.is_empty());
    names
}
