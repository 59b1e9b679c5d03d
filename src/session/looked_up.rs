//! Which changed files a judge has seen whole by looking them up: they count as seen, wherever its brief ended.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::change::FileStatus;
use council_protocol::{Event, FileChange, LineKind, Packet, RepoPath, SeenLines, ToolCall};

/// Says in an answer's usage which changed files were seen. What the event itself says of it is not believed.
pub(super) fn add_looked_up(packet: &Packet, event: &mut Event) {
    let usage = match event {
        Event::Answered { usage, .. } => usage.as_mut(),
        Event::Failed { failure, .. } => failure.usage.as_deref_mut(),
        _ => None,
    };
    if let Some(usage) = usage {
        usage.looked_up = seen_files(packet, &usage.tool_calls);
    }
}

/// The changed files whose every changed line is among those that were shown.
fn seen_files(packet: &Packet, calls: &[ToolCall]) -> BTreeSet<RepoPath> {
    let mut shown: BTreeMap<&RepoPath, Vec<&SeenLines>> = BTreeMap::new();
    for seen in calls.iter().flat_map(|call| &call.seen) {
        shown.entry(&seen.path).or_default().push(seen);
    }
    let files = packet.files.iter().filter_map(|file| {
        let shown = shown.get(&file.path)?;
        let is_shown = |line: u32| shown.iter().any(|s| (s.first..=s.last).contains(&line));
        let lines = changed_lines(file);
        (!lines.is_empty() && lines.into_iter().all(is_shown)).then(|| file.path.clone())
    });
    files.collect()
}

/// The numbers of a file's changed lines, as a look-up shows them: a removed line stands before the next one that
/// stays; in a deleted file it has the number that it had.
fn changed_lines(file: &FileChange) -> BTreeSet<u32> {
    let mut lines = BTreeSet::new();
    for hunk in &file.hunks {
        let mut next = if hunk.new_lines == 0 {
            hunk.new_start.saturating_add(1)
        } else {
            hunk.new_start
        };
        for line in hunk.lines() {
            if let Some(number) = line.new_no {
                next = number.saturating_add(1);
            }
            match line.kind {
                LineKind::Added => lines.extend(line.new_no),
                LineKind::Removed if file.status == FileStatus::Deleted => {
                    lines.extend(line.old_no)
                }
                LineKind::Removed => drop(lines.insert(next.max(1))),
                LineKind::Context => {}
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use council_protocol::Hunk;
    use council_protocol::change::FileKind;

    use super::*;

    fn file(status: FileStatus, hunk: Hunk) -> FileChange {
        FileChange {
            path: "a.rs".into(),
            old_path: None,
            status,
            kind: FileKind::Text,
            old_mode: 0o100_644,
            new_mode: 0o100_644,
            old_id: None,
            new_id: None,
            old_size: None,
            new_size: None,
            similarity: None,
            lossy: false,
            hunks: vec![hunk],
        }
    }

    fn hunk(old: (u32, u32), new: (u32, u32), body: &str) -> Hunk {
        Hunk {
            old_start: old.0,
            old_lines: old.1,
            new_start: new.0,
            new_lines: new.1,
            section: String::new(),
            body: body.into(),
        }
    }

    #[test]
    fn a_removed_line_is_seen_with_the_line_behind_it() {
        let change = hunk((3, 3), (3, 3), " a\n-b\n+B\n c\n");
        let lines = changed_lines(&file(FileStatus::Modified, change));
        assert_eq!(lines, BTreeSet::from([4]));
        let removed = hunk((3, 2), (2, 0), "-a\n-b\n");
        let lines = changed_lines(&file(FileStatus::Modified, removed.clone()));
        assert_eq!(lines, BTreeSet::from([3]), "they stood before line 3");
        let lines = changed_lines(&file(FileStatus::Deleted, removed));
        assert_eq!(lines, BTreeSet::from([3, 4]));
    }
}
