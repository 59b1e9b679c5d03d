//! The worktree as a side of a change: a snapshot, so that what is reviewed does not move while judges think.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use council_protocol::RepoPath;
use sha2::{Digest, Sha256};

use super::content;
use super::error::GitError;
use super::id::ObjectId;
use super::limits::MAX_BLOB;
use super::object_store::TouchedPath;
use super::objects::ObjectReader;
use super::path_bytes::{bytes_to_path, path_to_bytes};
use super::pathspec::PathspecList;
use super::tree_item::{ItemSort, LocatedItem, TreeItem};

/// The most that the changed files of a worktree may hold together, in bytes.
const MAX_TOTAL: usize = 256 << 20;

/// What a snapshot holds.
pub(super) struct WorktreeSnapshot {
    /// The index, with the worktree's files in the place of its own.
    pub(super) entries: Vec<LocatedItem>,
    /// Contents that are no objects yet.
    pub(super) own: HashMap<ObjectId, Arc<[u8]>>,
    /// Files that are there and cannot be read.
    pub(super) unreadable: HashMap<RepoPath, GitError>,
    /// Folders whose files nobody knows.
    pub(super) closed: BTreeSet<RepoPath>,
    /// Tracked files that are not as the index has them.
    pub(super) edited: Vec<Vec<u8>>,
    pub(super) notes: Vec<String>,
}

/// Takes a snapshot of the worktree at `workdir`. No filter is run; line endings are converted only as `core.autocrlf`
/// says, and a file of git-lfs is compared by its pointer.
pub(super) fn take_snapshot(
    objects: &ObjectReader,
    workdir: &Path,
    specs: &PathspecList,
) -> Result<WorktreeSnapshot, GitError> {
    let index: BTreeMap<_, _> = objects.store.index_entries()?.into_iter().collect();
    let mut reader = WorktreeReader::new(objects, workdir);
    let (mut unknown, mut ours) = (Vec::new(), Vec::new());
    reader.find_closed_folders(&index, &mut Vec::new(), &mut unknown)?;
    let touched = objects.store.changed_in_worktree()?;
    let mut entries = index;
    let mut edited = Vec::new();
    for TouchedPath {
        path,
        tracked,
        submodule,
        overlooked,
    } in touched
    {
        if !tracked && is_ours(&path) {
            let name = String::from_utf8_lossy(&path).into_owned();
            ours.push(name);
            continue;
        }
        if let Some(dir) = path.strip_suffix(b"/") {
            let name = String::from_utf8_lossy(dir).into_owned();
            if is_repository(&workdir.join(bytes_to_path(dir))) {
                let note = format!("{name} {INNER_REPOSITORY}");
                let is_meant = specs.matches(&RepoPath::new(path.as_slice()));
                reader.notes.extend(is_meant.then_some(note));
            } else {
                unknown.push((dir.to_vec(), GitError::NoRepository { path: name }));
            }
            continue;
        }
        if !specs.matches(&RepoPath::new(path.as_slice())) {
            continue;
        }
        let known = entries.get(&path).copied();
        if submodule.is_some_and(|commit| known.is_some_and(|known| known.id == commit)) {
            // It stands where the index says, and yet it differs: files in it do.
            let name = String::from_utf8_lossy(&path);
            reader.notes.push(format!("{name} {EDITED_INSIDE}"));
        }
        let found = match submodule {
            Some(commit) if tracked => Some(TreeItem {
                mode: 0o160000,
                id: commit,
            }),
            _ => reader.read_entry(&path, known),
        };
        if let Some(mark) = overlooked {
            if reader.is_as_known(found, known) {
                continue;
            }
            let error = GitError::Overlooked {
                path: String::from_utf8_lossy(&path).into_owned(),
                mark,
            };
            reader
                .unreadable
                .insert(RepoPath::new(path.as_slice()), error);
            entries.insert(path, UNKNOWN);
            continue;
        }
        if known.is_some() && found != known {
            edited.push(path.clone());
        }
        match found {
            Some(entry) => drop(entries.insert(path, entry)),
            None => drop(entries.remove(&path)),
        }
    }
    ours.sort();
    if let [first, more @ ..] = &ours[..] {
        let more = match more.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        reader.notes.push(format!(
            "{first}{more}: untracked files in the places of git-council's own are left out; git add them to review them"
        ));
    }
    let mut closed = BTreeSet::new();
    for (folder, error) in unknown {
        let path = RepoPath::new(folder.as_slice());
        if specs.may_match_below(&path) {
            reader.unreadable.insert(path.clone(), error);
            entries.insert(folder, UNKNOWN);
            closed.insert(path);
        }
    }
    let WorktreeReader {
        own,
        unreadable,
        notes,
        ..
    } = reader;
    Ok(WorktreeSnapshot {
        entries: entries.into_iter().collect(),
        own,
        unreadable,
        closed,
        edited,
        notes,
    })
}

/// What is said of a repository in the worktree that is no submodule.
const INNER_REPOSITORY: &str = "is a repository of its own and is left out";

/// What is said of a submodule in which something is not committed.
const EDITED_INSIDE: &str = "is a submodule in which something is not committed, and that was not reviewed: run `git \
                             council review --worktree` in it";

/// Whether a note is about work in another repository that lies in the worktree.
pub fn is_of_inner_repository(note: &str) -> bool {
    [INNER_REPOSITORY, EDITED_INSIDE]
        .iter()
        .any(|end| note.ends_with(end))
}

/// What stands for something that is there and is not read.
const UNKNOWN: TreeItem = TreeItem {
    mode: 0o100644,
    id: ObjectId::NONE,
};

/// Whether a folder is a repository, as git takes it: with less in its `.git`, git takes its files for ours.
fn is_repository(folder: &Path) -> bool {
    let git = folder.join(".git");
    let has_head = |dir: &Path| dir.join("HEAD").symlink_metadata().is_ok();
    if git.is_dir() {
        return has_head(&git) && git.join("objects").is_dir() && git.join("refs").is_dir();
    }
    let named = read_bounded(&git).unwrap_or_default();
    let named = named.strip_prefix(b"gitdir: ").unwrap_or_default();
    !named.is_empty() && has_head(&folder.join(bytes_to_path(named.trim_ascii_end())))
}

/// Our own output, where it is not a part of the project.
fn is_ours(path: &[u8]) -> bool {
    path.starts_with(b".agents/council/") || path == b"DEBATE.md"
}

struct WorktreeReader<'a> {
    objects: &'a ObjectReader,
    workdir: &'a Path,
    autocrlf: bool,
    executable: bool,
    symlinks: bool,
    total: usize,
    own: HashMap<ObjectId, Arc<[u8]>>,
    unreadable: HashMap<RepoPath, GitError>,
    notes: Vec<String>,
}

impl<'a> WorktreeReader<'a> {
    fn new(objects: &'a ObjectReader, workdir: &'a Path) -> Self {
        let setting = |name: &str| {
            objects
                .store
                .config_value(name)
                .map(|value| value.to_ascii_lowercase())
        };
        let off =
            |name: &str| matches!(setting(name).as_deref(), Some("false" | "no" | "off" | "0"));
        Self {
            objects,
            workdir,
            autocrlf: matches!(
                setting("core.autocrlf").as_deref(),
                Some("true" | "yes" | "on" | "1" | "input")
            ),
            executable: !off("core.fileMode"),
            symlinks: !off("core.symlinks"),
            total: 0,
            own: HashMap::new(),
            unreadable: HashMap::new(),
            notes: Vec::new(),
        }
    }

    /// The folders below `folder` that cannot be opened. Neither git nor its library says more of them than a warning.
    fn find_closed_folders(
        &self,
        index: &BTreeMap<Vec<u8>, TreeItem>,
        folder: &mut Vec<u8>,
        closed: &mut Vec<(Vec<u8>, GitError)>,
    ) -> Result<(), GitError> {
        let path = self.workdir.join(bytes_to_path(folder));
        let listed = fs::read_dir(&path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let listed = match listed {
            Ok(listed) => listed,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => {
                let cause = error.to_string();
                closed.push((folder.clone(), GitError::Unreadable { path, cause }));
                return Ok(());
            }
        };
        // Git's library would wait for a pipe in the place of these.
        for name in [".gitignore", ".gitattributes"] {
            let path = path.join(name);
            if fs::metadata(&path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
                let cause = "it is no file".to_owned();
                return Err(GitError::Unreadable { path, cause });
            }
        }
        let folders = listed
            .iter()
            .filter(|entry| entry.file_type().is_ok_and(|sort| sort.is_dir()))
            .map(|entry| path_to_bytes(Path::new(&entry.file_name())).into_owned())
            .filter(|name| !name.eq_ignore_ascii_case(b".git"));
        let length = folder.len();
        for name in folders {
            if length > 0 {
                folder.push(b'/');
            }
            folder.extend(name);
            if self.is_walked(index, folder)? {
                self.find_closed_folders(index, folder, closed)?;
            }
            folder.truncate(length);
        }
        Ok(())
    }

    /// Whether files in a folder can be a part of this worktree's changes.
    fn is_walked(
        &self,
        index: &BTreeMap<Vec<u8>, TreeItem>,
        folder: &[u8],
    ) -> Result<bool, GitError> {
        let entry = index.get(folder);
        if entry.is_some_and(|entry| entry.sort() == ItemSort::Submodule) {
            return Ok(false);
        }
        let below = [folder, b"/"].concat();
        let mut tracked = index.range(below.clone()..);
        if tracked
            .next()
            .is_some_and(|(path, _)| path.starts_with(&below))
        {
            return Ok(true);
        }
        if is_ours(&below) || is_repository(&self.workdir.join(bytes_to_path(folder))) {
            return Ok(false);
        }
        Ok(!self.objects.store.is_ignored(folder)?)
    }

    /// Whether what was found is what the index knows, but for line endings.
    fn is_as_known(&self, found: Option<TreeItem>, known: Option<TreeItem>) -> bool {
        let (Some(found), Some(known)) = (found, known) else {
            return found == known;
        };
        let plain = |bytes: &[u8]| {
            bytes
                .iter()
                .copied()
                .filter(|&b| b != b'\r')
                .collect::<Vec<_>>()
        };
        let same_text = || {
            let stored = self.objects.blob(known.id).ok()?;
            Some(plain(self.own.get(&found.id)?) == plain(&stored))
        };
        found == known || found.mode == known.mode && same_text().unwrap_or(false)
    }

    /// What lies at a path; none when nothing does that git would keep.
    fn read_entry(&mut self, path: &[u8], known: Option<TreeItem>) -> Option<TreeItem> {
        let file = self.workdir.join(bytes_to_path(path));
        match self.read_path(&file, path, known) {
            Ok(found) => found,
            Err(error) => {
                self.unreadable.insert(RepoPath::new(path), error);
                Some(TreeItem {
                    mode: known.map_or(0o100644, |entry| entry.mode),
                    id: ObjectId::NONE,
                })
            }
        }
    }

    fn read_path(
        &mut self,
        file: &Path,
        path: &[u8],
        known: Option<TreeItem>,
    ) -> Result<Option<TreeItem>, GitError> {
        let unreadable = |cause: std::io::Error| GitError::Unreadable {
            path: file.to_owned(),
            cause: cause.to_string(),
        };
        if self.is_beyond_a_link(path) {
            return Ok(None);
        }
        let meta = match fs::symlink_metadata(file) {
            Ok(meta) => meta,
            Err(e)
                if matches!(
                    e.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
                ) =>
            {
                return Ok(None);
            }
            Err(e) => return Err(unreadable(e)),
        };
        if meta.is_symlink() {
            let target = fs::read_link(file).map_err(unreadable)?;
            return self
                .keep_content(0o120000, path_to_bytes(&target).into_owned())
                .map(Some);
        }
        if !meta.is_file() {
            return Ok(None);
        }
        let mode = self.file_mode(&meta, known);
        if let Some(pointer) = self
            .lfs_pointer(file, known, meta.len())
            .transpose()
            .map_err(unreadable)?
        {
            return self.keep_content(mode, pointer).map(Some);
        }
        if meta.len() > MAX_BLOB as u64 {
            return Err(too_large(path, meta.len(), MAX_BLOB));
        }
        let bytes = read_bounded(file).map_err(unreadable)?;
        self.keep_content(mode, self.as_stored(bytes, known)?)
            .map(Some)
    }

    /// Whether a directory on the way is a symbolic link: what lies behind it is not a part of this worktree.
    fn is_beyond_a_link(&self, path: &[u8]) -> bool {
        let slashes = (0..path.len()).filter(|&at| path[at] == b'/');
        slashes
            .map(|at| self.workdir.join(bytes_to_path(&path[..at])))
            .any(|dir| dir.is_symlink())
    }

    fn file_mode(&self, meta: &fs::Metadata, known: Option<TreeItem>) -> u32 {
        match known {
            Some(entry) if entry.sort() == ItemSort::Symlink && !self.symlinks => entry.mode,
            Some(entry) if entry.sort() == ItemSort::File && !self.executable => entry.mode,
            _ if self.executable && is_executable(meta) => 0o100755,
            _ => 0o100644,
        }
    }

    /// The pointer of a large file, where the index holds a pointer and the worktree the file.
    fn lfs_pointer(
        &self,
        file: &Path,
        known: Option<TreeItem>,
        size: u64,
    ) -> Option<std::io::Result<Vec<u8>>> {
        let stored = self
            .objects
            .blob(known?.id)
            .ok()
            .filter(|stored| content::is_lfs_pointer(stored))?;
        let made = fs::File::open(file)
            .and_then(sha256_of_file)
            .map(|(digest, begins)| {
                let pointer = format!(
                    "version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {size}\n"
                );
                // A pointer that was checked out as it is stays one.
                if content::is_lfs_pointer(&begins) {
                    begins
                } else {
                    pointer.into_bytes()
                }
            });
        // Pointers may hold more keys than the three; one that names the same file has not changed.
        let same = |pointer: &[u8]| {
            let oid = |text: &[u8]| {
                String::from_utf8_lossy(text)
                    .lines()
                    .find(|line| line.starts_with("oid "))
                    .map(str::to_owned)
            };
            oid(pointer) == oid(&stored)
        };
        Some(made.map(|pointer| {
            if same(&pointer) {
                stored.to_vec()
            } else {
                pointer
            }
        }))
    }

    /// With `core.autocrlf`, git stores text with plain newlines unless it was stored otherwise before.
    fn as_stored(&self, bytes: Vec<u8>, known: Option<TreeItem>) -> Result<Vec<u8>, GitError> {
        let has_cr = |bytes: &[u8]| bytes.windows(2).any(|pair| pair == b"\r\n");
        if !self.autocrlf || content::is_binary(&bytes) || !has_cr(&bytes) {
            return Ok(bytes);
        }
        let known = known.filter(|entry| entry.sort() == ItemSort::File);
        let stored = known.map(|known| self.objects.blob(known.id)).transpose()?;
        if stored.is_some_and(|stored| has_cr(&stored)) {
            return Ok(bytes);
        }
        let mut plain = Vec::with_capacity(bytes.len());
        for (at, &byte) in bytes.iter().enumerate() {
            if byte != b'\r' || bytes.get(at + 1) != Some(&b'\n') {
                plain.push(byte);
            }
        }
        Ok(plain)
    }

    fn keep_content(&mut self, mode: u32, bytes: Vec<u8>) -> Result<TreeItem, GitError> {
        let id = self.objects.store.blob_id(&bytes)?;
        self.total += bytes.len();
        if self.total > MAX_TOTAL {
            return Err(too_large(
                b"the worktree's changed files",
                self.total as u64,
                MAX_TOTAL,
            ));
        }
        self.own.entry(id).or_insert_with(|| bytes.into());
        Ok(TreeItem { mode, id })
    }
}

fn too_large(what: &[u8], size: u64, limit: usize) -> GitError {
    let what = String::from_utf8_lossy(what).into_owned();
    GitError::TooLarge {
        what,
        size: format!("{size} bytes"),
        limit: format!("{limit} bytes"),
    }
}

/// Reads a file that may grow while it is read.
fn read_bounded(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(file)?
        .take(MAX_BLOB as u64)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The SHA-256 of a file of any size, and its first bytes.
fn sha256_of_file(mut file: fs::File) -> std::io::Result<(String, Vec<u8>)> {
    let (mut digest, mut begins, mut buffer) = (Sha256::new(), Vec::new(), vec![0; 64 << 10]);
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok((hex::encode(digest.finalize()), begins));
        }
        digest.update(&buffer[..read]);
        if begins.len() < 2048 {
            begins.extend_from_slice(&buffer[..read.min(2048)]);
        }
    }
}

#[cfg(unix)]
fn is_executable(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}
