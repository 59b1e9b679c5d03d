//! Which lines of a reviewed file the change adds, and which line of the file before it each other one was.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use council_protocol::{FileChange, Hunk, LineKind, RepoPath};
use serde::{Deserialize, Serialize};

/// How many hexadecimal digits of an object's id are kept: a comment has little room.
const DIGITS: usize = 8;

/// Whether quoted code came with the change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum LineOrigin {
    /// The change adds it.
    Added,
    /// It was this line of this object before the change.
    Old { object: String, line: u32 },
}

/// The lines of a file as the change leaves them.
pub(super) struct ChangedLines<'a> {
    pub(super) change: Option<&'a FileChange>,
    added: BTreeSet<u32>,
    /// Whether nobody knows which of them are added.
    pub(super) are_unknown: bool,
}

impl<'a> ChangedLines<'a> {
    /// Of a file under this path; `is_listed`: it is one of those that are changed.
    pub(super) fn of(path: &RepoPath, changes: &'a [FileChange], is_listed: bool) -> Self {
        let change = changes.iter().find(|change| change.path == *path);
        let hunks = change.iter().flat_map(|change| &change.hunks);
        let lines = hunks.flat_map(Hunk::lines);
        let added = lines.filter(|line| line.kind == LineKind::Added);
        let has_no_hunks = |change: &FileChange| {
            change.hunks.is_empty() && (change.old_id.is_none() || change.old_id != change.new_id)
        };
        Self {
            change,
            added: added.filter_map(|line| line.new_no).collect(),
            are_unknown: change.map_or(is_listed, has_no_hunks),
        }
    }

    /// Whether the change adds one of these lines, or may do so.
    pub(super) fn adds(&self, lines: &RangeInclusive<u32>) -> bool {
        self.are_unknown || self.added.range(lines.clone()).next().is_some()
    }

    /// Whether the change adds any line, or may do so.
    pub(super) fn adds_any(&self) -> bool {
        self.are_unknown || !self.added.is_empty()
    }

    /// The path under which the file stood before the change.
    pub(super) fn path_before(&self) -> Option<&RepoPath> {
        self.change.map(FileChange::path_before)
    }

    /// Where these lines come from, as far as that is known.
    pub(super) fn origin_of(&self, lines: &RangeInclusive<u32>) -> Option<LineOrigin> {
        let change = self.change.filter(|_| !self.are_unknown)?;
        if self.adds(lines) {
            return Some(LineOrigin::Added);
        }
        Some(LineOrigin::Old {
            object: self.object_before()?,
            line: line_before(&change.hunks, *lines.start()),
        })
    }

    /// The file before the change, by the beginning of its id.
    pub(super) fn object_before(&self) -> Option<String> {
        let id = self.change?.old_id.as_deref()?;
        Some(id.get(..DIGITS).unwrap_or(id).to_owned())
    }
}

/// The number that a line had before the change, which leaves it as it was.
fn line_before(hunks: &[Hunk], line: u32) -> u32 {
    let mut shifted = line;
    for hunk in hunks {
        // The start of no lines is the line before them.
        let next = |start: u32, lines: u32| start.saturating_add(lines.max(1));
        let (old, new) = (
            next(hunk.old_start, hunk.old_lines),
            next(hunk.new_start, hunk.new_lines),
        );
        if line >= new {
            shifted = (line - new).saturating_add(old);
            continue;
        }
        let mut lines = hunk.lines().filter(|it| it.kind == LineKind::Context);
        return lines
            .find(|it| it.new_no == Some(line))
            .and_then(|it| it.old_no)
            .unwrap_or(shifted);
    }
    shifted
}
