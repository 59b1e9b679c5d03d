//! The index and the worktree as `git` tells them.

use crate::error::GitError;
use crate::git_cli::GitCliStore;
use crate::git_cli::runner::{PlumbingCommand, RunError};
use crate::id::ObjectId;
use crate::object_store::{
    ASSUME_UNCHANGED, HeadPosition, ObjectStore as _, SKIP_WORKTREE, TouchedPath,
};
use crate::path_bytes::bytes_to_path;
use crate::tree_item::{LocatedItem, TreeItem};

/// Bit of an entry's flags, as `ls-files --debug` prints them (git:read-cache-ll.h).
const INTENT_TO_ADD: u32 = 1 << 29;
const SKIPPED: u32 = 1 << 30;
const ASSUMED: u32 = 0x8000;

/// Below this age a file's time says nothing: the file may have been written in the same moment as the index.
const RACY_SECONDS: i64 = 24 * 3600;

/// The entries of the index in path order; a sparse one is expanded.
pub(crate) fn index_entries(command: &GitCliStore) -> Result<Vec<LocatedItem>, GitError> {
    let mut found = Vec::new();
    for told in read_index(command)?.iter().map(OwnedIndexEntry::as_entry) {
        if told.stage != 0 {
            return Err(GitError::Unmerged {
                path: String::from_utf8_lossy(told.path).into_owned(),
            });
        }
        if told.flags & INTENT_TO_ADD == 0 {
            found.push((told.path.to_vec(), TreeItem::new(told.mode, told.id)));
        }
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(found)
}

/// All entries as they are told.
fn read_index(command: &GitCliStore) -> Result<Vec<OwnedIndexEntry>, GitError> {
    let options = ["--stage", "--debug", "-z"];
    let said = command
        .runner
        .run_command(PlumbingCommand::LsFiles, &options, &[], &[])?;
    let mut rest = said.as_slice();
    let mut found = Vec::new();
    while !rest.is_empty() {
        let (told, after) = parse_entry(rest).ok_or_else(|| GitError::Damaged {
            what: "the index".to_owned(),
            cause: "git tells it in a form that is not known".to_owned(),
        })?;
        rest = after;
        found.push(OwnedIndexEntry(
            told.path.to_vec(),
            IndexEntry { path: &[], ..told },
        ));
    }
    Ok(found)
}

/// An entry with its path.
struct OwnedIndexEntry(Vec<u8>, IndexEntry<'static>);

impl OwnedIndexEntry {
    fn as_entry(&self) -> IndexEntry<'_> {
        IndexEntry {
            path: &self.0,
            ..self.1
        }
    }
}

/// One entry as it is told.
#[derive(Debug, Clone, Copy, PartialEq)]
struct IndexEntry<'a> {
    mode: u32,
    id: ObjectId,
    stage: u32,
    path: &'a [u8],
    flags: u32,
    /// When the file was last changed, in seconds, and how many bytes it has, as far as 32 bits hold them.
    seconds: i64,
    size: u32,
}

impl IndexEntry<'_> {
    /// Whether the file may be another one than the index knows.
    fn may_differ(&self, file: &std::path::Path) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let Ok(meta) = file.symlink_metadata() else {
            return true;
        };
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let now = now.map_or(0, |now| i64::try_from(now.as_secs()).unwrap_or(i64::MAX));
        // A file as young as the last look at it may have changed since: what it holds is compared.
        let young = now.saturating_sub(meta.mtime()) < RACY_SECONDS;
        let executable = meta.mode() & 0o100 != 0;
        let sort = match self.mode {
            0o120000 => meta.is_symlink(),
            mode => meta.is_file() && executable == (mode & 0o100 != 0),
        };
        young || !sort || meta.mtime() != self.seconds || meta.size() as u32 != self.size
    }
}

/// `<mode> SP <id> SP <stage> TAB <path> NUL`, then five indented lines of which the last one ends in the flags.
fn parse_entry(bytes: &[u8]) -> Option<(IndexEntry<'_>, &[u8])> {
    let end = bytes.iter().position(|&b| b == 0)?;
    let (entry, mut rest) = (&bytes[..end], &bytes[end + 1..]);
    let tab = entry.iter().position(|&b| b == b'\t')?;
    let head = std::str::from_utf8(&entry[..tab]).ok()?;
    let words: Vec<&str> = head.split(' ').collect();
    let [mode, id, stage] = words.as_slice() else {
        return None;
    };
    let (mut flags, mut seconds, mut size) = (None, None, None);
    while rest.starts_with(b"  ") {
        let end = rest.iter().position(|&b| b == b'\n')?;
        let line = std::str::from_utf8(&rest[..end]).ok()?;
        flags = line.split("flags: ").nth(1).or(flags);
        let number = |name: &str| {
            line.trim_start()
                .strip_prefix(name)?
                .split([':', '\t'])
                .next()
        };
        seconds = number("mtime: ").or(seconds);
        size = number("size: ").or(size);
        rest = &rest[end + 1..];
    }
    let told = IndexEntry {
        mode: u32::from_str_radix(mode, 8).ok()?,
        id: ObjectId::from_hex(id)?,
        stage: stage.parse().ok()?,
        path: &entry[tab + 1..],
        flags: u32::from_str_radix(flags?, 16).ok()?,
        seconds: seconds?.parse().ok()?,
        size: size?.parse().ok()?,
    };
    Some((told, rest))
}

/// Paths on which the worktree may differ from the index. git's own comparison may run the filters that a repository
/// configures, to be sure of files whose times say nothing; so times and sizes are compared here, and what they leave
/// open counts as different.
pub(crate) fn changed_paths(command: &GitCliStore) -> Result<Vec<TouchedPath>, GitError> {
    let Some(top) = &command.workdir else {
        return Ok(Vec::new());
    };
    let mut touched = Vec::new();
    for told in read_index(command)?.iter().map(OwnedIndexEntry::as_entry) {
        let submodule = told.mode == 0o160000;
        let file = top.join(bytes_to_path(told.path));
        let overlooked = match told.flags & (SKIPPED | ASSUMED) {
            0 => None,
            _ if submodule => None,
            flags if flags & SKIPPED != 0 => Some(SKIP_WORKTREE),
            _ => Some(ASSUME_UNCHANGED),
        };
        if overlooked == Some(SKIP_WORKTREE) && file.symlink_metadata().is_err() {
            continue;
        }
        let at = submodule
            .then(|| opened_submodule(command, told.path))
            .flatten();
        let commit = at.as_ref().and_then(commit_of);
        let differs = if submodule {
            let is_edited = |store| changed_paths(store).is_ok_and(|touched| !touched.is_empty());
            commit.is_some_and(|commit| commit != told.id) || at.as_ref().is_some_and(is_edited)
        } else {
            overlooked.is_some() || told.may_differ(&file)
        };
        if differs {
            touched.push(TouchedPath {
                path: told.path.to_vec(),
                tracked: true,
                submodule: commit,
                overlooked,
            });
        }
    }
    let runner = command.runner.in_worktree(top);
    let others = ["--others", "--exclude-standard", "-z"];
    let said = runner.run_command(PlumbingCommand::LsFiles, &others, &[], &[])?;
    let others = said.split(|&b| b == 0).filter(|path| !path.is_empty());
    touched.extend(others.map(|path| TouchedPath {
        path: path.to_vec(),
        tracked: false,
        submodule: None,
        overlooked: None,
    }));
    Ok(touched)
}

/// Whether git's rules leave out a folder in which nothing is tracked.
pub(crate) fn is_ignored(command: &GitCliStore, folder: &[u8]) -> Result<bool, GitError> {
    let Some(top) = &command.workdir else {
        return Ok(false);
    };
    let runner = command.runner.in_worktree(top);
    let named = [folder, b"\0"].concat();
    let said = runner.run_command(
        PlumbingCommand::CheckIgnore,
        &["--stdin", "-z"],
        &[],
        &named,
    );
    match said {
        Ok(_) => Ok(true),
        Err(RunError::Failed { code: Some(1), .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// A submodule of the worktree; none: it was never checked out.
fn opened_submodule(command: &GitCliStore, path: &[u8]) -> Option<GitCliStore> {
    let dir = command.workdir.as_ref()?.join(bytes_to_path(path));
    // The variables that name this repository do not name that one.
    let env = command.user.environment().for_other_repository();
    Some(GitCliStore::open(&dir, &env).ok()?.0)
}

/// The commit that a submodule stands at.
fn commit_of(submodule: &GitCliStore) -> Option<ObjectId> {
    match submodule.read_head().ok()? {
        HeadPosition::Branch(_, commit) | HeadPosition::Detached(commit) => Some(commit),
        HeadPosition::Unborn(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_with_its_flags() {
        let id = "a".repeat(64);
        let debug = "  ctime: 1:2\n  mtime: 1:2\n  dev: 1\tino: 2\n  uid: 0\tgid: 0\n  size: 3\tflags: 20004000\n";
        let text = format!("100755 {id} 0\ta b\tc\0{debug}100644 {id} 2\tx\0{debug}");
        let (told, rest) = parse_entry(text.as_bytes()).unwrap();
        assert_eq!(
            (told.mode, told.stage, told.path),
            (0o100755, 0, &b"a b\tc"[..])
        );
        assert_ne!(told.flags & INTENT_TO_ADD, 0);
        assert_eq!((told.seconds, told.size), (1, 3));
        let (told, rest) = parse_entry(rest).unwrap();
        assert_eq!((told.stage, told.path, rest), (2, &b"x"[..], &b""[..]));
        assert_eq!(parse_entry(b"nonsense\0"), None);
    }
}
