//! Files that no hunk shows: bytes that are no text, and text that comes from a folder nobody reads.

use std::collections::HashSet;

use council_protocol::change::{FileKind, FileStatus};
use council_protocol::{BlobSource, FileChange, Hunk, Side};

use crate::role::FileRole;
use crate::view::FileView;

/// The largest file whose bytes are searched.
const MAX_OPAQUE_BYTES: usize = 16 << 20;
/// The shortest run of printable bytes that may hold a secret.
const MIN_RUN_BYTES: usize = 16;

/// The printable runs of a binary file that were not in it before, as lines of a new file; none where there are none.
pub(crate) fn printable_runs(file: &FileView<'_>, blobs: &dyn BlobSource) -> Option<FileChange> {
    if file.change.kind != FileKind::Binary || !file.exists() {
        return None;
    }
    let read = |side, path| blobs.read(side, path).ok().flatten();
    let bytes = read(Side::New, &file.change.path)?;
    if bytes.len() > MAX_OPAQUE_BYTES {
        return None;
    }
    let old = match file.change.status {
        FileStatus::Added => None,
        _ => read(Side::Old, file.change.path_before()),
    };
    let known: HashSet<&str> = old
        .as_deref()
        .map(runs_of)
        .unwrap_or_default()
        .into_iter()
        .collect();
    let lines: Vec<&str> = runs_of(&bytes)
        .into_iter()
        .filter(|run| !known.contains(run))
        .collect();
    (!lines.is_empty()).then(|| all_added(file.change, &lines))
}

/// A file that is moved out of a folder of other people's code: from now on it is this project's, and all of it is new
/// here.
pub(crate) fn moved_in(file: &FileView<'_>) -> Option<FileChange> {
    let old = file.change.old_path.as_ref()?;
    let was = FileRole::from_path(&old.display(), file.language);
    if was != FileRole::Foreign || file.role == FileRole::Foreign || !file.is_text() {
        return None;
    }
    let lines: Vec<&str> = file.text_after()?.split_terminator('\n').collect();
    Some(all_added(file.change, &lines))
}

fn runs_of(bytes: &[u8]) -> Vec<&str> {
    let printable = |b: &u8| matches!(b, b' '..=b'~' | b'\t');
    bytes
        .split(|b| !printable(b))
        .filter(|run| run.len() >= MIN_RUN_BYTES)
        .filter_map(|run| std::str::from_utf8(run).ok())
        .collect()
}

/// The same file as one that the change adds with these lines.
fn all_added(change: &FileChange, lines: &[&str]) -> FileChange {
    let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let hunk = Hunk {
        old_start: 0,
        old_lines: 0,
        new_start: 1,
        new_lines: count,
        section: String::new(),
        body: lines.iter().map(|line| format!("+{line}\n")).collect(),
    };
    FileChange {
        kind: FileKind::Text,
        hunks: vec![hunk],
        ..change.clone()
    }
}
