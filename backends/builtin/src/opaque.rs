//! Files that no hunk shows: bytes that are no text, and text that comes from a folder nobody reads.

use std::collections::HashSet;

use council_protocol::change::FileKind;
use council_protocol::{AddedText, BlobSource, FileChange, Hunk, Side};

use crate::role::{FileRole, sample_folder};
use crate::view::FileView;

/// The shortest run of printable bytes that may hold a secret.
const MIN_RUN_BYTES: usize = 16;

/// A part of what the change adds to a file, as a file of which all lines are new.
pub(crate) struct AddedPart {
    pub(crate) file: FileChange,
    /// Whether its lines are lines of a text, which a finding can quote.
    pub(crate) is_text: bool,
}

impl AddedPart {
    /// The line in which it begins, from 1.
    pub(crate) fn first_line(&self) -> u32 {
        self.file.hunks.first().map_or(0, |hunk| hunk.new_start)
    }

    /// The line in which it ends: the next part may begin within the same one.
    pub(crate) fn last_line(&self) -> u32 {
        let lines = self.file.hunks.first().map_or(0, |hunk| hunk.new_lines);
        (self.first_line() + lines).saturating_sub(1)
    }
}

/// Hands over what the change adds to a file, whatever the packet shows of it, part by part: whole lines of text, the
/// printable runs of anything else. What cannot be read is a gap in the coverage, so nobody is told here.
pub(crate) fn visit_added_parts(
    file: &FileView<'_>,
    blobs: &dyn BlobSource,
    look: &mut dyn FnMut(&AddedPart),
) {
    if !file.exists() {
        return;
    }
    let known = old_runs(file, blobs);
    let _ = blobs.visit_added(file.change, &mut |added: AddedText<'_>| {
        let odd = |c: char| c == '\u{fffd}' || (c.is_control() && !matches!(c, '\t' | '\n' | '\r'));
        let is_text = file.change.kind != FileKind::Binary && !added.text.contains(odd);
        let lines: Vec<&str> = if is_text {
            added.text.split_terminator('\n').collect()
        } else {
            runs_of(added.text.as_bytes())
                .into_iter()
                .filter(|run| !known.contains(*run))
                .collect()
        };
        if !lines.is_empty() {
            let first = if is_text { added.first_line } else { 1 };
            let file = all_added(file.change, first, &lines);
            look(&AddedPart { file, is_text });
        }
    });
}

/// The runs of a binary file before the change: one of its lines may differ by a byte and hold what it held before.
fn old_runs(file: &FileView<'_>, blobs: &dyn BlobSource) -> HashSet<String> {
    if file.change.kind != FileKind::Binary || file.change.old_mode == 0 {
        return HashSet::new();
    }
    let bytes = blobs.read(Side::Old, file.change.path_before());
    let bytes = bytes.ok().flatten().unwrap_or_default();
    let runs = runs_of(&bytes).into_iter();
    runs.map(str::to_owned).collect()
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
    Some(all_added(file.change, 1, &lines))
}

/// A file that is moved out of a folder of tests or examples: a key that was made for them is one of the program's now.
pub(crate) fn moved_from_samples(file: &FileView<'_>) -> Option<FileChange> {
    let old = file.change.old_path.as_ref()?;
    let was_sample = sample_folder(&old.display()).is_some();
    if !was_sample || sample_folder(&file.path).is_some() || !file.is_text() {
        return None;
    }
    let lines: Vec<&str> = file.text_after()?.split_terminator('\n').collect();
    Some(all_added(file.change, 1, &lines))
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
fn all_added(change: &FileChange, first: u32, lines: &[&str]) -> FileChange {
    let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let hunk = Hunk {
        old_start: 0,
        old_lines: 0,
        new_start: first,
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
