//! Which changed files a judge has seen whole by looking them up: they count as seen, wherever its brief ended.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::{Event, FileChange, Packet, RepoPath, SeenLines, ToolCall};

/// Says in an answer's usage which changed files were seen, the lines of the brief among them. What the event itself says
/// of it is not believed.
pub(super) fn add_looked_up(packet: &Packet, of_brief: &[SeenLines], event: &mut Event) {
    let usage = match event {
        Event::Answered { usage, .. } => usage.as_mut(),
        Event::Failed { failure, .. } => failure.usage.as_deref_mut(),
        _ => None,
    };
    if let Some(usage) = usage {
        usage.looked_up = seen_files(packet, of_brief, &usage.tool_calls);
    }
}

/// The changed files of which lines were looked up, and whose every changed line was shown, then or in the brief.
fn seen_files(packet: &Packet, of_brief: &[SeenLines], calls: &[ToolCall]) -> BTreeSet<RepoPath> {
    let looked_up = || calls.iter().flat_map(|call| &call.seen);
    let paths: BTreeSet<&RepoPath> = looked_up().map(|seen| &seen.path).collect();
    let mut shown: BTreeMap<&RepoPath, Vec<&SeenLines>> = BTreeMap::new();
    for seen in looked_up().chain(of_brief) {
        shown.entry(&seen.path).or_default().push(seen);
    }
    let files = packet
        .files
        .iter()
        .filter(|file| paths.contains(&file.path));
    let files = files.filter_map(|file| {
        let shown = shown.get(&file.path)?;
        let is_shown = |line: u32| shown.iter().any(|s| (s.first..=s.last).contains(&line));
        let lines = changed_lines(file);
        (!lines.is_empty() && lines.into_iter().all(is_shown)).then(|| file.path.clone())
    });
    files.collect()
}

/// The numbers of a file's changed lines, as a look-up shows them.
fn changed_lines(file: &FileChange) -> BTreeSet<u32> {
    let hunks = file.hunks.iter();
    let lines = hunks.flat_map(|hunk| hunk.lines_as_looked_up(file.status));
    lines.filter_map(|(_, number)| number).collect()
}

#[cfg(test)]
mod tests {
    use council_protocol::Hunk;
    use council_protocol::change::{FileKind, FileStatus};

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

    proptest::proptest! {
        #![proptest_config(crate::council::testing::config())]

        /// A file is seen if the brief and the look-ups show all of its lines together, and not for a line less; without any
        /// look-up the brief alone says what it shows.
        #[test]
        fn brief_and_look_ups_are_counted_together(
            total in 1u32..40,
            of_brief in proptest::collection::vec((1u32..40, 1u32..40), 0..4),
            looked_up in proptest::collection::vec((1u32..40, 1u32..40), 0..4),
        ) {
            let body = "+x\n".repeat(total as usize);
            let change = file(FileStatus::Added, hunk((0, 0), (1, total), &body));
            let packet = Packet { files: vec![change], ..crate::session::tests::matter::packet() };
            let seen = |lines: &[(u32, u32)]| -> Vec<SeenLines> {
                let seen = lines.iter().map(|&(first, last)| SeenLines { path: "a.rs".into(), first, last });
                seen.collect()
            };
            let call = ToolCall { seen: seen(&looked_up), ..ToolCall::default() };
            let found = seen_files(&packet, &seen(&of_brief), &[call]);
            let is_in = |line: u32| of_brief.iter().chain(&looked_up).any(|&(first, last)| first <= line && line <= last);
            let expected = !looked_up.is_empty() && (1..=total).all(is_in);
            proptest::prop_assert_eq!(!found.is_empty(), expected);
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
