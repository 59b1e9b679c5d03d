//! One changed file and its hunks, as git objects show it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RepoPath;
use crate::added::{AddedText, visit_added_lines};

/// Which side of the change is meant.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Before the change.
    Old,
    /// After the change: what is under review.
    New,
}

/// What happened to a file.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum FileStatus {
    /// New in this change.
    Added,
    /// Content or mode changed.
    Modified,
    /// The file was removed.
    Deleted,
    /// Moved, perhaps edited.
    Renamed,
    /// From one kind of entry to another (file, symlink, submodule).
    TypeChanged,
}

/// What a file is, by its mode and content on the reviewed side (on the old side when deleted).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum FileKind {
    /// Text: UTF-8, UTF-16, another encoding that the file declares, or text with a few stray bytes. Its hunks are UTF-8.
    Text,
    /// Anything else; it has no hunks.
    Binary,
    /// A symbolic link; its hunks show the target.
    Symlink,
    /// A submodule; its hunks show `Subproject commit <id>`.
    Submodule,
    /// A pointer of git-lfs; its hunks show the pointer.
    LfsPointer,
}

/// One changed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileChange {
    /// Path on the reviewed side; on the old side when deleted.
    pub path: RepoPath,
    /// Path on the old side, when it was another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<RepoPath>,
    /// What happened to the file.
    pub status: FileStatus,
    /// What it is.
    pub kind: FileKind,
    /// File mode before (octal digits of git, e.g. 0o100644), 0 when it did not exist.
    pub old_mode: u32,
    /// File mode after, 0 when it no longer exists.
    pub new_mode: u32,
    /// Object id before as hex; none when it did not exist or is not an object (patch).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_id: Option<String>,
    /// Object id after as hex; none when it no longer exists or is not known. For a file of the worktree, the id that
    /// its content would have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_id: Option<String>,
    /// Size in bytes before, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_size: Option<u64>,
    /// Size in bytes after, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_size: Option<u64>,
    /// How alike the two sides of a rename are, in percent as git counts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<u8>,
    /// From where a file was moved that counts as added, because nobody has read it as what it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<RepoPath>,
    /// Whether text of either side had bytes that are not UTF-8, shown as U+FFFD.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lossy: bool,
    /// The hunks in order; empty for binary files, pure renames, mode changes and files that were skipped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<Hunk>,
}

impl FileChange {
    /// Number of added and of removed lines.
    pub fn counts(&self) -> (usize, usize) {
        let lines = self.hunks.iter().flat_map(|hunk| hunk.body.split('\n'));
        let mut counts = (0, 0);
        for line in lines {
            match line.as_bytes().first() {
                Some(b'+') => counts.0 += 1,
                Some(b'-') => counts.1 += 1,
                _ => {}
            }
        }
        counts
    }

    /// The path on the old side.
    pub fn path_before(&self) -> &RepoPath {
        self.old_path.as_ref().unwrap_or(&self.path)
    }
}

/// One hunk of a unified diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hunk {
    /// First line on the old side, from 1; 0 when the old side is empty.
    pub old_start: u32,
    /// Lines on the old side.
    pub old_lines: u32,
    /// First line on the new side, from 1; 0 when the new side is empty.
    pub new_start: u32,
    /// Lines on the new side.
    pub new_lines: u32,
    /// What stands behind the second `@@`: the enclosing function as git finds it. May be empty.
    pub section: String,
    /// The lines as in a unified diff, each with its marker (space, `+`, `-`) and ended by `\n`. A last line without
    /// newline is followed by `\ No newline at end of file`. A carriage return stays where it is.
    pub body: String,
}

/// What a line of a hunk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineKind {
    /// On both sides.
    Context,
    /// On the new side only.
    Added,
    /// On the old side only.
    Removed,
}

/// One line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// What it is.
    pub kind: LineKind,
    /// Line number on the old side, from 1; none for an added line.
    pub old_no: Option<u32>,
    /// Line number on the new side, from 1; none for a removed line.
    pub new_no: Option<u32>,
    /// The text without marker and newline (a carriage return is kept).
    pub text: &'a str,
    /// Whether the file ends here without a newline.
    pub no_newline: bool,
}

impl Hunk {
    /// The lines in order, each changed one with the number under which a look-up of the reviewed file shows it: a removed
    /// line stands before the next one that stays; in a deleted file it has the number that it had.
    pub fn lines_as_looked_up(
        &self,
        status: FileStatus,
    ) -> impl Iterator<Item = (Line<'_>, Option<u32>)> {
        let mut next = if self.new_lines == 0 {
            self.new_start.saturating_add(1)
        } else {
            self.new_start
        };
        self.lines().map(move |line| {
            if let Some(number) = line.new_no {
                next = number.saturating_add(1);
            }
            let number = match line.kind {
                LineKind::Added => line.new_no,
                LineKind::Removed if status == FileStatus::Deleted => line.old_no,
                LineKind::Removed => Some(next.max(1)),
                LineKind::Context => None,
            };
            (line, number)
        })
    }

    /// The lines in order, numbered.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let (mut old, mut new) = (self.old_start, self.new_start);
        let mut rest = self.body.split_terminator('\n').peekable();
        std::iter::from_fn(move || {
            let raw = rest.next()?;
            let no_newline = rest.next_if(|next| next.starts_with('\\')).is_some();
            let text = raw.get(1..).unwrap_or_default();
            let (kind, old_no, new_no) = match raw.as_bytes().first() {
                Some(b'+') => (LineKind::Added, None, Some(new)),
                Some(b'-') => (LineKind::Removed, Some(old), None),
                _ => (LineKind::Context, Some(old), Some(new)),
            };
            old = old.saturating_add(u32::from(old_no.is_some()));
            new = new.saturating_add(u32::from(new_no.is_some()));
            Some(Line {
                kind,
                old_no,
                new_no,
                text,
                no_newline,
            })
        })
    }

    /// The header line, `@@ -1,2 +3,4 @@ section`, without newline.
    pub fn header(&self) -> String {
        let side = |start: u32, lines: u32| match lines {
            1 => start.to_string(),
            _ => format!("{start},{lines}"),
        };
        let old = side(self.old_start, self.old_lines);
        let new = side(self.new_start, self.new_lines);
        match self.section.as_str() {
            "" => format!("@@ -{old} +{new} @@"),
            section => format!("@@ -{old} +{new} @@ {section}"),
        }
    }
}

/// Reads files of the two sides: git in process, the run's `blobs/` folder in workers and matrix jobs.
pub trait BlobSource: Send + Sync {
    /// The whole content of `path` on `side`; `None` when there is no such file, or when the source has none at all
    /// (a bare `--patch`).
    fn read(&self, side: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError>;

    /// Hands every line that the change adds to `file` to `visit`, whatever the packet shows of the file: judges without
    /// a model search these lines for secrets also where a file is skipped, opaque or too large to be shown (see
    /// [`Packet::withheld_files`](crate::Packet::withheld_files)).
    fn visit_added(
        &self,
        file: &FileChange,
        visit: &mut dyn FnMut(AddedText<'_>),
    ) -> Result<(), BlobError> {
        let read = |side, mode, path| match mode {
            0 => Ok(None),
            _ => self.read(side, path),
        };
        let Some(new) = read(Side::New, file.new_mode, &file.path)? else {
            return Ok(());
        };
        let old = read(Side::Old, file.old_mode, file.path_before())?;
        visit_added_lines(old.as_deref().unwrap_or_default(), &new, visit);
        Ok(())
    }

    /// Every file of a side, in path order; `None` when the source cannot list them.
    fn entries(&self, _side: Side) -> Result<Option<Vec<TreeEntry>>, BlobError> {
        Ok(None)
    }

    /// What earlier commits usually changed together with a file of this change, and this change does not: the most often
    /// first. Empty where no history is known.
    fn companions(&self) -> Vec<Companion> {
        Vec::new()
    }

    /// The files of the reviewed side in which one of these words stands; `None` when not all of them could be read, or the
    /// source cannot search.
    fn files_naming(&self, _names: &[&str]) -> Option<Vec<RepoPath>> {
        None
    }

    /// Whether there are blobs at all; without them a quote is searched in the patch's new lines.
    fn has_blobs(&self) -> bool {
        true
    }
}

/// A file that earlier commits changed together with another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Companion {
    /// Where it stands.
    pub path: RepoPath,
    /// The file that it changes with, as it was called before the change.
    pub with: RepoPath,
    /// In how many of the commits that changed that file.
    pub together: usize,
    /// How many commits changed that file, as far as they count.
    pub of: usize,
}

/// One file of a tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeEntry {
    /// Where it stands.
    pub path: RepoPath,
    /// What it is.
    pub kind: EntryKind,
    /// Whether it is a file that may be started as a program.
    pub is_executable: bool,
}

/// What an entry of a tree is, by its mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryKind {
    /// An ordinary file.
    File,
    /// A symbolic link.
    Symlink,
    /// A commit of another repository.
    Submodule,
}

/// Why a blob could not be read.
#[derive(Debug, Clone, thiserror::Error)]
#[error("cannot read {path:?}: {cause}")]
pub struct BlobError {
    /// The path that was asked for.
    pub path: RepoPath,
    /// What the store said.
    pub cause: String,
}

/// A source without blobs (a patch read from a file).
#[derive(Debug, Clone, Copy, Default)]
pub struct NoBlobs;

impl BlobSource for NoBlobs {
    fn read(&self, _: Side, _: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
        Ok(None)
    }

    fn has_blobs(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_on_their_own_sides() {
        let hunk = Hunk {
            old_start: 3,
            old_lines: 2,
            new_start: 3,
            new_lines: 2,
            section: "fn main()".into(),
            body: " a\n-b\n+B\r\n\\ No newline at end of file\n".into(),
        };
        let lines: Vec<_> = hunk
            .lines()
            .map(|l| (l.old_no, l.new_no, l.text, l.no_newline))
            .collect();
        assert_eq!(
            lines,
            [
                (Some(3), Some(3), "a", false),
                (Some(4), None, "b", false),
                (None, Some(4), "B\r", true)
            ]
        );
        assert_eq!(hunk.header(), "@@ -3,2 +3,2 @@ fn main()");
    }
}
