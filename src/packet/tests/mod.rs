//! What the room's tests are made of; below it what is shown, what is left out, and that the numbers stay right.

mod context;
mod coverage;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use council_protocol::Side;
use council_protocol::change::{BlobError, FileKind, FileStatus, NoBlobs};
use council_protocol::packet::TargetKind;
use council_protocol::{Hunk, LineKind, RepoPath};

use super::*;

/// A modified text file without hunks.
pub(crate) fn file(path: &str) -> FileChange {
    FileChange {
        path: path.into(),
        old_path: None,
        status: FileStatus::Modified,
        kind: FileKind::Text,
        old_mode: 0o100_644,
        new_mode: 0o100_644,
        old_id: Some("a".repeat(40)),
        new_id: Some("b".repeat(40)),
        old_size: None,
        new_size: None,
        similarity: None,
        moved_from: None,
        lossy: false,
        hunks: Vec::new(),
    }
}

/// One after another.
pub(crate) fn in_turn(
    files: &mut [FileChange],
    look: &(dyn Fn(&mut FileChange) -> ReadFile + Sync),
) -> Vec<ReadFile> {
    files.iter_mut().map(look).collect()
}

/// A packet whose files are read one after another.
pub(crate) fn build_packet(
    material: PacketMaterial,
    fill: &(dyn Fn(&mut FileChange) -> Result<(), String> + Sync),
    blobs: &dyn BlobSource,
    bounds: &ContextBounds,
) -> Packet {
    let files = FileReaders {
        fill,
        check: &|_| Ok(true),
        blobs,
        each: in_turn,
    };
    super::build_packet(material, &files, bounds)
}

pub(crate) fn material(files: Vec<FileChange>) -> PacketMaterial {
    let target = Target {
        kind: TargetKind::Branch,
        label: "main...secret-branch".to_owned(),
        slug: "secret-branch".to_owned(),
        base: Some("1".repeat(40)),
        head: Some("2".repeat(40)),
        only: Vec::new(),
    };
    PacketMaterial {
        target,
        files,
        framing: Framing::default(),
        instructions: Vec::new(),
        ignore: IgnoreGlobs::default(),
        opaque_lowers: false,
    }
}

/// One line of a change: kept, removed or added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Keep,
    Remove,
    Add,
}

/// Both sides of a file that was edited by `ops`, and its hunks with `around` lines of context, as git makes them.
pub(crate) struct Edited {
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) hunks: Vec<Hunk>,
    pub(crate) newline_at_end: bool,
}

pub(crate) fn edit(lines: &[(Op, String)], around: usize, newline_at_end: bool) -> Edited {
    let changed: Vec<bool> = lines.iter().map(|(op, _)| *op != Op::Keep).collect();
    let shown: Vec<bool> = (0..lines.len())
        .map(|i| {
            let from = i.saturating_sub(around);
            let to = (i + around + 1).min(lines.len());
            changed[from..to].contains(&true)
        })
        .collect();
    let last = |side: Op| {
        lines
            .iter()
            .rposition(|(op, _)| *op == Op::Keep || *op == side)
    };
    let (last_old, last_new) = (last(Op::Remove), last(Op::Add));
    // A line that ends one side only is not the same on both: a diff would not show it as kept.
    let kept = |at: Option<usize>| at.is_some_and(|i| lines[i].0 == Op::Keep);
    let newline_at_end =
        newline_at_end || (last_old != last_new && (kept(last_old) || kept(last_new)));
    let (mut old, mut new, mut hunks) = (String::new(), String::new(), Vec::<Hunk>::new());
    let (mut old_no, mut new_no) = (1, 1);
    for (i, (op, text)) in lines.iter().enumerate() {
        let (on_old, on_new) = (*op != Op::Add, *op != Op::Remove);
        let bare =
            !newline_at_end && ((on_old && last_old == Some(i)) || (on_new && last_new == Some(i)));
        if shown[i] {
            if i == 0 || !shown[i - 1] {
                hunks.push(Hunk {
                    old_start: old_no,
                    old_lines: 0,
                    new_start: new_no,
                    new_lines: 0,
                    section: String::new(),
                    body: String::new(),
                });
            }
            let hunk = hunks.last_mut().unwrap();
            hunk.old_lines += u32::from(on_old);
            hunk.new_lines += u32::from(on_new);
            let marker = [" ", "-", "+"][*op as usize];
            let end = if bare {
                "\n\\ No newline at end of file"
            } else {
                ""
            };
            writeln!(hunk.body, "{marker}{text}{end}").unwrap();
        }
        for (on, side, at_end) in [
            (on_old, &mut old, last_old == Some(i)),
            (on_new, &mut new, last_new == Some(i)),
        ] {
            if on {
                side.push_str(text);
                side.push_str(if at_end && !newline_at_end { "" } else { "\n" });
            }
        }
        old_no += u32::from(on_old);
        new_no += u32::from(on_new);
    }
    for hunk in &mut hunks {
        hunk.old_start -= u32::from(hunk.old_lines == 0);
        hunk.new_start -= u32::from(hunk.new_lines == 0);
    }
    Edited {
        old,
        new,
        hunks,
        newline_at_end,
    }
}

/// The two sides of files.
#[derive(Default)]
pub(crate) struct MapBlobs(pub(crate) BTreeMap<(Side, RepoPath), Vec<u8>>);

impl BlobSource for MapBlobs {
    fn read(&self, side: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
        Ok(self
            .0
            .get(&(side, path.clone()))
            .map(|bytes| bytes.as_slice().into()))
    }
}
