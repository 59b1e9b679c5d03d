//! Both sides of a patch, where the repository around it has the files that it is of: judges see whole functions,
//! callers and history then. Nothing is believed of an `index` line but what the hunks confirm.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use council_protocol::change::{FileChange, FileKind, FileStatus};
use council_protocol::{Hunk, LineKind, RepoPath};

use super::diff::sides::{ChangeSides, SideListing};
use super::id::ObjectId;
use super::limits::{MAX_BLOB, MAX_UNPACKED};
use super::object_store::ObjectKind;
use super::objects::ObjectReader;
use super::patch::{PackedFile, ParsedPatch};
use super::tree;
use super::tree_item::{LocatedItem, TreeItem};

/// A patch that was applied, in memory alone.
pub(super) struct AppliedPatch {
    /// The files as both sides have them, without hunks.
    pub(super) files: Vec<FileChange>,
    /// Contents that are no objects.
    pub(super) own: HashMap<ObjectId, Arc<[u8]>>,
    /// Whether every file before the change is the one of HEAD.
    pub(super) is_of_head: bool,
    old: Vec<LocatedItem>,
    new: Vec<LocatedItem>,
}

impl AppliedPatch {
    pub(super) fn sides(&mut self, objects: Arc<ObjectReader>) -> ChangeSides {
        ChangeSides {
            objects,
            old: SideListing::Entries(std::mem::take(&mut self.old)),
            new: SideListing::Entries(std::mem::take(&mut self.new)),
            unreadable: HashMap::new(),
        }
    }
}

const OTHER_FILE: &str = "it becomes another file than its `index` line says";

/// Why a file of a patch is not that of the repository around it.
#[derive(Debug)]
pub(super) struct PatchMisfit {
    pub(super) path: String,
    pub(super) cause: &'static str,
}

/// Applies a patch to the tree of HEAD, or to the objects that its `index` lines name: all of it, or nothing.
pub(super) fn apply_patch(
    objects: &ObjectReader,
    head: ObjectId,
    parsed: &ParsedPatch,
) -> Result<AppliedPatch, PatchMisfit> {
    let misfit = |path: &RepoPath, cause| PatchMisfit {
        path: path.display().into_owned(),
        cause,
    };
    let listed = tree::list_tree(objects, head)
        .map_err(|_| misfit(&RepoPath::default(), "the tree of HEAD cannot be read"))?;
    let listed: BTreeMap<Vec<u8>, TreeItem> = listed.into_iter().collect();
    let (mut old, mut new) = (listed.clone(), listed.clone());
    let mut applier = PatchApplier {
        objects,
        listed: &listed,
        parsed,
        own: HashMap::new(),
        room: MAX_UNPACKED,
    };
    let mut applied = Vec::with_capacity(parsed.files.len());
    for file in &parsed.files {
        let (before, after) = applier
            .apply_file(file)
            .map_err(|cause| misfit(&file.path, cause))?;
        applied.push((file, before, after));
    }
    // What is gone first: two files may change places.
    for (file, ..) in &applied {
        old.remove(file.path.as_bytes());
        new.remove(file.path.as_bytes());
        if file.status == FileStatus::Renamed {
            new.remove(file.path_before().as_bytes());
        }
    }
    for (file, before, after) in &applied {
        let before = before.map(|item| (file.path_before().as_bytes().to_vec(), item));
        let after = after.map(|item| (file.path.as_bytes().to_vec(), item));
        old.extend(before);
        new.extend(after);
    }
    let files: Vec<FileChange> = applied
        .into_iter()
        .map(|(file, before, after)| applied_file(file, before, after))
        .collect();
    if let Some(file) = files.iter().find(|file| is_below_a_file(&new, &file.path)) {
        return Err(misfit(&file.path, "a folder of its path is a file"));
    }
    let is_of_head = old == listed;
    Ok(AppliedPatch {
        files,
        own: applier.own,
        is_of_head,
        old: old.into_iter().collect(),
        new: new.into_iter().collect(),
    })
}

fn is_below_a_file(side: &BTreeMap<Vec<u8>, TreeItem>, path: &RepoPath) -> bool {
    let path = path.as_bytes();
    let mut slashes = (0..path.len()).filter(|&at| path[at] == b'/');
    side.contains_key(path) && slashes.any(|at| side.contains_key(&path[..at]))
}

/// A file of the patch as both sides have it: its hunks are made anew.
fn applied_file(file: &FileChange, old: Option<TreeItem>, new: Option<TreeItem>) -> FileChange {
    let kind = match file.kind {
        kind @ (FileKind::Symlink | FileKind::Submodule) => kind,
        _ => FileKind::Text,
    };
    FileChange {
        kind,
        old_mode: old.map_or(0, |item| item.mode),
        new_mode: new.map_or(0, |item| item.mode),
        old_id: old.map(|item| item.id.to_hex()),
        new_id: new.map(|item| item.id.to_hex()),
        old_size: None,
        new_size: None,
        moved_from: None,
        lossy: false,
        hunks: Vec::new(),
        ..file.clone()
    }
}

struct PatchApplier<'a> {
    objects: &'a ObjectReader,
    /// The files of HEAD.
    listed: &'a BTreeMap<Vec<u8>, TreeItem>,
    parsed: &'a ParsedPatch,
    own: HashMap<ObjectId, Arc<[u8]>>,
    /// Bytes that may still be made.
    room: usize,
}

impl PatchApplier<'_> {
    /// What a file is before the change and after it.
    fn apply_file(
        &mut self,
        file: &FileChange,
    ) -> Result<(Option<TreeItem>, Option<TreeItem>), &'static str> {
        if file.status == FileStatus::TypeChanged {
            return Err("it becomes a file of another kind");
        }
        if file.kind == FileKind::Submodule {
            return apply_submodule(file).ok_or("its commits are not told");
        }
        if file.old_mode == 0 {
            let made = self.content_after(file, &[])?;
            if !self.is_as_told(file, None, &made) {
                return Err(OTHER_FILE);
            }
            return Ok((None, self.store(file, file.new_mode, &made)?));
        }
        let mut cause = "HEAD has no such file, and what its `index` line names is not here";
        for before in self.candidates(file) {
            let Ok(bytes) = self.objects.blob(before.id) else {
                continue;
            };
            match self.content_after(file, &bytes) {
                Ok(made) if !self.is_as_told(file, Some(before.id), &made) => cause = OTHER_FILE,
                Ok(made) => {
                    let mode = if file.new_mode == file.old_mode {
                        before.mode
                    } else {
                        file.new_mode
                    };
                    let mode = if file.new_mode == 0 { 0 } else { mode };
                    return Ok((Some(before), self.store(file, mode, &made)?));
                }
                Err(why) => cause = why,
            }
        }
        Err(cause)
    }

    /// What a file may have been before: what its `index` line names, or what HEAD has.
    fn candidates(&self, file: &FileChange) -> Vec<TreeItem> {
        let in_head = self.listed.get(file.path_before().as_bytes()).copied();
        let mode = in_head.map_or(file.old_mode, |item| item.mode);
        let named = self.parsed.ids.get(&file.path).map(|(old, _)| old);
        let named = named.and_then(|digits| self.find_blob(digits));
        let named = named.map(|id| TreeItem::new(mode, id));
        let mut candidates: Vec<TreeItem> = named.into_iter().chain(in_head).collect();
        candidates.dedup();
        candidates
    }

    fn find_blob(&self, digits: &str) -> Option<ObjectId> {
        if digits.bytes().all(|digit| digit == b'0') {
            return None;
        }
        let found = self.objects.store.resolve_name(digits).ok()??;
        let is_it = found.1 == ObjectKind::Blob && found.0.to_hex().starts_with(digits);
        is_it.then_some(found.0)
    }

    /// Whether a file becomes what its `index` line says. Of another file than the line is about it says nothing.
    fn is_as_told(&self, file: &FileChange, before: Option<ObjectId>, made: &[u8]) -> bool {
        let Some((old, new)) = self.parsed.ids.get(&file.path) else {
            return true;
        };
        let is_it = before.is_none_or(|before| before.to_hex().starts_with(old.as_str()));
        if !is_it || file.new_mode == 0 {
            return true;
        }
        let id = self.objects.store.blob_id(made);
        id.is_ok_and(|id| id.to_hex().starts_with(new.as_str()))
    }

    /// The content of a file after the change.
    fn content_after(&self, file: &FileChange, before: &[u8]) -> Result<Vec<u8>, &'static str> {
        if file.kind == FileKind::Binary {
            return self.binary_after(file, before);
        }
        if file.lossy {
            return Err("it is no text in UTF-8");
        }
        let text = std::str::from_utf8(before).map_err(|_| "it is no text in UTF-8")?;
        let made =
            apply_hunks(text, &file.hunks).ok_or("the lines around the change are others")?;
        if file.new_mode == 0 && !made.is_empty() {
            return Err("more of it would be left than nothing");
        }
        Ok(made.into_bytes())
    }

    fn binary_after(&self, file: &FileChange, before: &[u8]) -> Result<Vec<u8>, &'static str> {
        if file.new_mode == 0 {
            return Ok(Vec::new());
        }
        if let Some(packed) = self.parsed.packed.get(&file.path) {
            return self.unpack(packed, before);
        }
        let named = self.parsed.ids.get(&file.path);
        let named = named.and_then(|(_, new)| self.find_blob(new));
        let blob = named.and_then(|id| self.objects.blob(id).ok());
        blob.map(|blob| blob.to_vec())
            .ok_or("the patch does not hold what it becomes")
    }

    fn unpack(&self, packed: &PackedFile, before: &[u8]) -> Result<Vec<u8>, &'static str> {
        let unpacked = packed.unpack(self.room, || Some(before.into()));
        unpacked
            .map(|file| file.new.to_vec())
            .map_err(|_| "what it becomes cannot be unpacked")
    }

    /// Keeps what a file becomes; none: it is deleted.
    fn store(
        &mut self,
        file: &FileChange,
        mode: u32,
        made: &[u8],
    ) -> Result<Option<TreeItem>, &'static str> {
        if file.new_mode == 0 {
            return Ok(None);
        }
        let room = self.room.checked_sub(made.len());
        self.room = room
            .filter(|_| made.len() <= MAX_BLOB)
            .ok_or("what it becomes is too large")?;
        let id = self.objects.store.blob_id(made);
        let id = id.map_err(|_| "its id cannot be computed")?;
        self.own.entry(id).or_insert_with(|| made.into());
        Ok(Some(TreeItem::new(mode, id)))
    }
}

/// The commits of a submodule, which its hunk names.
fn apply_submodule(file: &FileChange) -> Option<(Option<TreeItem>, Option<TreeItem>)> {
    let commit = |mode: u32, kind: LineKind| {
        if mode == 0 {
            return Some(None);
        }
        let mut lines = file.hunks.iter().flat_map(Hunk::lines);
        let line = lines.find(|line| line.kind == kind)?;
        let id = line.text.strip_prefix("Subproject commit ")?;
        Some(Some(TreeItem::new(mode, ObjectId::from_hex(id.trim())?)))
    };
    Some((
        commit(file.old_mode, LineKind::Removed)?,
        commit(file.new_mode, LineKind::Added)?,
    ))
}

/// A text after these hunks; none: its lines are not those of the hunks.
fn apply_hunks(before: &str, hunks: &[Hunk]) -> Option<String> {
    let lines: Vec<&str> = before.split_inclusive('\n').collect();
    let mut next = 0;
    let mut after = String::with_capacity(before.len());
    for hunk in hunks {
        let start = hunk.old_start as usize - usize::from(hunk.old_lines > 0);
        after.extend(lines.get(next..start)?.iter().copied());
        next = start;
        for line in hunk.lines() {
            if line.old_no.is_some() {
                let known = *lines.get(next)?;
                let (text, has_end) = match known.strip_suffix('\n') {
                    Some(text) => (text, true),
                    None => (known, false),
                };
                if text != line.text || has_end == line.no_newline {
                    return None;
                }
                next += 1;
            }
            if line.new_no.is_some() {
                after.push_str(line.text);
                after.push_str(if line.no_newline { "" } else { "\n" });
            }
        }
    }
    after.extend(lines.get(next..)?.iter().copied());
    Some(after)
}

impl From<PatchMisfit> for String {
    fn from(misfit: PatchMisfit) -> Self {
        let PatchMisfit { path, cause } = misfit;
        format!("the patch is not of the files of this repository: {path}: {cause}")
    }
}
