//! Which commit brought each line, kept up to date from commit to commit: one walk answers every later question of blame.

use std::collections::{BTreeSet, HashMap};

use crate::git::{ChangedLines, LineSpan};

/// A line as a commit of the walk brought it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct BroughtLine {
    /// The commit's number in the walk.
    pub(super) commit: u32,
    /// The file's number in that commit.
    pub(super) file: u32,
    /// The line's number in that commit.
    pub(super) line: u32,
}

/// Of each line of a file the commit that brought it; none: it is older than the walk.
type FileOrigins = Vec<Option<BroughtLine>>;

/// The lines of every file that the walk has seen change.
#[derive(Debug, Default)]
pub(super) struct LineOrigins {
    files: HashMap<Vec<u8>, FileOrigins>,
}

impl LineOrigins {
    /// Where the lines came from that a file loses: for each span the origins of its removed lines, in order.
    pub(super) fn removed_origins(&self, file: &ChangedLines) -> Vec<Vec<Option<BroughtLine>>> {
        let known = file.old_path.as_ref().and_then(|path| self.files.get(path));
        let spans = file.spans.as_deref().unwrap_or_default();
        let of_span = |span: &LineSpan| {
            let lines = (span.old_start as usize..).take(span.removed.len());
            lines
                .map(|line| known.and_then(|known| known.get(line - 1).copied().flatten()))
                .collect()
        };
        spans.iter().map(of_span).collect()
    }

    /// The commits that brought the lines beside those that a file gains where it loses none, up to so many lines away.
    pub(super) fn neighbours(&self, file: &ChangedLines, lines: usize) -> BTreeSet<u32> {
        let known = file.old_path.as_ref().and_then(|path| self.files.get(path));
        let spans = file.spans.as_deref().unwrap_or_default().iter();
        let gains = spans.filter(|span| span.removed.is_empty() && !span.added.is_empty());
        let beside = gains.flat_map(|span| {
            let behind = span.old_start as usize - 1;
            behind.saturating_sub(lines)..behind + lines
        });
        beside
            .filter_map(|line| Some(known?.get(line).copied().flatten()?.commit))
            .collect()
    }

    /// Takes note of what a commit did. Every file is taken out before one is put back: files may change places.
    pub(super) fn apply_commit(&mut self, commit: u32, files: &[ChangedLines]) {
        let sources = files.iter().map(|file| file.old_path.as_ref());
        let before: Vec<FileOrigins> = sources
            .map(|path| {
                path.and_then(|path| self.files.remove(path))
                    .unwrap_or_default()
            })
            .collect();
        for ((at, file), before) in (0_u32..).zip(files).zip(before) {
            if let (false, Some(spans)) = (file.is_removed, &file.spans) {
                let after = splice_origins(&before, spans, (commit, at));
                self.files.insert(file.path.clone(), after);
            }
        }
    }
}

/// The origins after a commit: lines beyond what is known are older than the walk, and need no entry behind the last that
/// is known.
fn splice_origins(
    before: &[Option<BroughtLine>],
    spans: &[LineSpan],
    (commit, file): (u32, u32),
) -> FileOrigins {
    let mut after = FileOrigins::with_capacity(before.len());
    let mut next_old = 1_usize;
    let copy = |after: &mut FileOrigins, from: usize, to: usize| {
        after.extend((from..to).map(|line| before.get(line - 1).copied().flatten()));
    };
    for span in spans {
        copy(&mut after, next_old, span.old_start as usize);
        next_old = span.old_start as usize + span.removed.len();
        let lines = (span.new_start..).take(span.added.len());
        after.extend(lines.map(|line| Some(BroughtLine { commit, file, line })));
    }
    copy(&mut after, next_old, (before.len() + 1).max(next_old));
    after
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file(spans: Vec<LineSpan>) -> ChangedLines {
        ChangedLines {
            path: b"a".to_vec(),
            old_path: Some(b"a".to_vec()),
            is_removed: false,
            spans: Some(spans),
            texts: None,
        }
    }

    fn span(old_start: u32, removed: usize, new_start: u32, added: usize) -> LineSpan {
        LineSpan {
            old_start,
            new_start,
            removed: vec![String::new(); removed],
            added: vec![String::new(); added],
        }
    }

    #[test]
    fn a_renamed_file_keeps_its_origins_and_a_removed_one_loses_them() {
        let mut origins = LineOrigins::default();
        origins.apply_commit(0, &[file(vec![span(3, 0, 3, 1)])]);
        let moved = ChangedLines {
            path: b"b".to_vec(),
            ..file(Vec::new())
        };
        origins.apply_commit(1, &[moved]);
        let lost = |name: &[u8]| ChangedLines {
            path: name.to_vec(),
            old_path: Some(name.to_vec()),
            ..file(vec![span(3, 1, 3, 0)])
        };
        let brought = Some(BroughtLine {
            commit: 0,
            file: 0,
            line: 3,
        });
        assert_eq!(origins.removed_origins(&lost(b"b")), [vec![brought]]);
        assert_eq!(origins.removed_origins(&lost(b"a")), [vec![None]]);
        origins.apply_commit(
            2,
            &[ChangedLines {
                is_removed: true,
                ..lost(b"b")
            }],
        );
        assert_eq!(origins.removed_origins(&lost(b"b")), [vec![None]]);
    }

    #[test]
    fn files_that_change_places_keep_their_own_origins() {
        let mut origins = LineOrigins::default();
        let named = |path: &[u8], old: &[u8]| ChangedLines {
            path: path.to_vec(),
            old_path: Some(old.to_vec()),
            ..file(Vec::new())
        };
        let start = ["a", "b"].map(|name| ChangedLines {
            spans: Some(vec![span(1, 0, 1, 1)]),
            ..named(name.as_bytes(), name.as_bytes())
        });
        origins.apply_commit(0, &start);
        origins.apply_commit(1, &[named(b"a", b"b"), named(b"b", b"a")]);
        let lost = ChangedLines {
            spans: Some(vec![span(1, 1, 1, 0)]),
            ..named(b"a", b"a")
        };
        let brought = Some(BroughtLine {
            commit: 0,
            file: 1,
            line: 1,
        });
        assert_eq!(origins.removed_origins(&lost), [vec![brought]]);
    }

    /// Edits of a file: where, how many lines go, how many come.
    fn edits() -> impl Strategy<Value = Vec<(usize, usize, usize)>> {
        prop::collection::vec((0_usize..30, 0_usize..5, 0_usize..5), 0..12)
    }

    proptest! {
        /// The oracle keeps the lines themselves, each with its origin.
        #[test]
        fn every_line_keeps_its_origin_through_edits(edits in edits()) {
            let mut lines: Vec<Option<BroughtLine>> = vec![None; 20];
            let mut origins = LineOrigins::default();
            for (commit, (at, removed, added)) in edits.into_iter().enumerate() {
                let commit = u32::try_from(commit).unwrap();
                let at = at.min(lines.len());
                let removed = removed.min(lines.len() - at);
                let start = u32::try_from(at + 1).unwrap();
                let change = file(vec![span(start, removed, start, added)]);
                let expected: Vec<_> = lines[at..at + removed].to_vec();
                prop_assert_eq!(origins.removed_origins(&change), vec![expected]);
                origins.apply_commit(commit, &[change]);
                let new = (start..).take(added).map(|line| Some(BroughtLine { commit, file: 0, line }));
                lines.splice(at..at + removed, new);
            }
        }
    }
}
