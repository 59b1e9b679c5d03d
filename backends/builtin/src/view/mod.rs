//! A change as rules see it: files with their language and role, lines with what is comment or string, and what stands
//! around them.

mod file;
mod line;
mod statement;
mod syntax;

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hasher};
use std::sync::OnceLock;

use council_protocol::change::FileKind;
use council_protocol::{BlobSource, FileChange, LineKind, Packet};

pub(crate) use file::FileView;
#[cfg(test)]
pub(crate) use file::searched_lines;
pub(crate) use line::{ApartSpans, LineView, MAX_QUOTE_CHARS, clip_end, clip_start, indent};

/// The whole change.
pub(crate) struct ChangeView<'a> {
    pub(crate) files: Vec<FileView<'a>>,
    pub(crate) blobs: &'a dyn BlobSource,
    lines: usize,
    /// Files whose hunks do not hold all that the change adds.
    withheld: HashSet<usize>,
    /// Those of them that configuration leaves out: nobody but the rules reads them.
    left_out: HashSet<usize>,
    removed: OnceLock<HashSet<u64>>,
}

impl<'a> ChangeView<'a> {
    pub(crate) fn new(packet: &'a Packet, blobs: &'a dyn BlobSource) -> Self {
        let files = packet.files.iter().enumerate();
        let files = files.map(|(i, f)| FileView::new(i, f, blobs)).collect();
        let mut withheld: HashSet<usize> =
            packet.withheld_files().map(|(index, _)| index).collect();
        // Bytes that are no text have no hunks, whatever a packet's coverage says of them.
        let binary = packet.files.iter().enumerate();
        withheld.extend(
            binary
                .filter(|(_, file)| file.kind == FileKind::Binary)
                .map(|(index, _)| index),
        );
        let covered = packet.coverage.files.iter().enumerate();
        let left_out = covered
            .filter(|(_, file)| file.state.is_left_out_by_user())
            .map(|(index, _)| index)
            .collect();
        Self {
            left_out,
            ..Self::of_views(files, blobs, withheld)
        }
    }

    /// One file as the whole change.
    pub(crate) fn of_file(file: &'a FileChange, blobs: &'a dyn BlobSource) -> Self {
        let files = vec![FileView::new(0, file, blobs)];
        Self::of_views(files, blobs, HashSet::new())
    }

    /// Whether the hunks of a file do not hold all that the change adds.
    pub(crate) fn is_withheld(&self, index: usize) -> bool {
        self.withheld.contains(&index)
    }

    /// Whether configuration leaves a file out, so that nobody but the rules reads it.
    pub(crate) fn is_left_out(&self, index: usize) -> bool {
        self.left_out.contains(&index)
    }

    fn of_views(
        files: Vec<FileView<'a>>,
        blobs: &'a dyn BlobSource,
        withheld: HashSet<usize>,
    ) -> Self {
        let lines = files.iter().map(|file| file.lines.len()).sum();
        Self {
            files,
            blobs,
            lines,
            withheld,
            left_out: HashSet::new(),
            removed: OnceLock::new(),
        }
    }

    /// How many lines its hunks have.
    pub(crate) fn line_count(&self) -> usize {
        self.lines
    }

    /// Whether the change removes the same line, white space aside, somewhere: then it was moved.
    pub(crate) fn removes_line(&self, text: &str) -> bool {
        let removed = self.removed.get_or_init(|| self.removed_lines());
        // A line may be of many megabytes.
        !removed.is_empty() && removed.contains(&line_fingerprint(text))
    }

    fn removed_lines(&self) -> HashSet<u64> {
        let lines = self.files.iter().flat_map(|file| &file.lines);
        lines
            .filter(|l| l.kind == LineKind::Removed)
            .map(|l| line_fingerprint(l.text))
            .collect()
    }
}

/// A number for a line, white space and the kind of its quotes aside.
fn line_fingerprint(text: &str) -> u64 {
    let mut kept = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        kept.push(if c == '\'' { '"' } else { c });
    }
    let mut hasher = DefaultHasher::new();
    hasher.write(kept.as_bytes());
    hasher.finish()
}
