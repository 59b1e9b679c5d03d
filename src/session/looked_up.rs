//! Which changed files a judge has seen whole by looking them up: they count as seen, wherever its brief ended.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::message::Usage;
use council_protocol::{Event, FileChange, JudgeId, Packet, RepoPath, SeenLines, SeenPart};

/// What judges looked up in the turns that their conversations still hold. It is kept for one process and one backend:
/// whoever goes on elsewhere may begin afresh.
#[derive(Debug, Default)]
pub(super) struct LookUpRecord(BTreeMap<JudgeId, Conversation>);

#[derive(Debug)]
struct Conversation {
    reader: Reader,
    lines: Vec<SeenLines>,
}

/// Who answers. A model that stands in for another, and one that is asked again without tools, is shown no earlier
/// result.
#[derive(Debug, PartialEq, Eq)]
struct Reader {
    model: Option<String>,
    passed_over: Vec<String>,
    without_tools: Option<String>,
}

impl Reader {
    fn of(usage: &Usage) -> Self {
        Self {
            model: usage.model.clone(),
            passed_over: usage.passed_over.clone(),
            without_tools: usage.without_tools.clone(),
        }
    }
}

impl LookUpRecord {
    /// Says in the usage of an event which changed files were seen, the lines of the brief among them, and those of
    /// earlier turns where the judge keeps its conversation. What the event itself says of it is not believed.
    pub(super) fn add_to(
        &mut self,
        packet: &Packet,
        of_brief: &[SeenLines],
        keeps_context: bool,
        event: &mut Event,
    ) {
        match event {
            Event::Answered { judge, usage, .. } => {
                let earlier = self.0.remove(judge).filter(|_| keeps_context);
                let Some(usage) = usage else {
                    // Nothing was looked up, and nothing says that somebody else answered.
                    self.0
                        .extend(earlier.map(|earlier| (judge.clone(), earlier)));
                    return;
                };
                let reader = Reader::of(usage);
                let earlier = earlier.filter(|earlier| earlier.reader == reader);
                let mut lines = earlier.map_or_else(Vec::new, |earlier| earlier.lines);
                lines.extend(lines_of(usage));
                (usage.looked_up, usage.looked_up_in_part) = seen_files(packet, of_brief, &lines);
                self.0.insert(judge.clone(), Conversation { reader, lines });
            }
            Event::Failed { judge, failure, .. } => {
                self.0.remove(judge);
                if let Some(usage) = failure.usage.as_deref_mut() {
                    let lines: Vec<SeenLines> = lines_of(usage).collect();
                    (usage.looked_up, usage.looked_up_in_part) =
                        seen_files(packet, of_brief, &lines);
                }
            }
            _ => {}
        }
    }
}

fn lines_of(usage: &Usage) -> impl Iterator<Item = SeenLines> + '_ {
    let calls = usage.tool_calls.iter();
    calls.flat_map(|call| call.seen.iter().cloned())
}

/// The changed files of which lines were looked up: those whose every changed line was shown, then or in the brief, and how
/// many lines of the others were.
fn seen_files(
    packet: &Packet,
    of_brief: &[SeenLines],
    looked_up: &[SeenLines],
) -> (BTreeSet<RepoPath>, BTreeMap<RepoPath, SeenPart>) {
    let paths: BTreeSet<&RepoPath> = looked_up.iter().map(|seen| &seen.path).collect();
    let mut shown: BTreeMap<&RepoPath, Vec<&SeenLines>> = BTreeMap::new();
    for seen in looked_up.iter().chain(of_brief) {
        shown.entry(&seen.path).or_default().push(seen);
    }
    let (mut whole, mut parts) = (BTreeSet::new(), BTreeMap::new());
    for file in &packet.files {
        let Some(shown) = shown.get(&file.path).filter(|_| paths.contains(&file.path)) else {
            continue;
        };
        let is_shown = |line: &u32| shown.iter().any(|s| (s.first..=s.last).contains(line));
        let lines = changed_lines(file);
        let count = |lines: usize| u32::try_from(lines).unwrap_or(u32::MAX);
        let seen = lines.iter().filter(|line| is_shown(line)).count();
        if !lines.is_empty() && seen == lines.len() {
            whole.insert(file.path.clone());
        } else if seen > 0 {
            let part = SeenPart {
                shown: count(seen),
                total: count(lines.len()),
            };
            parts.insert(file.path.clone(), part);
        }
    }
    (whole, parts)
}

/// The numbers of a file's changed lines, as a look-up shows them: removed lines may share one.
fn changed_lines(file: &FileChange) -> Vec<u32> {
    let hunks = file.hunks.iter();
    let lines = hunks.flat_map(|hunk| hunk.lines_as_looked_up(file.status));
    lines.filter_map(|(_, number)| number).collect()
}

#[cfg(test)]
mod tests {
    use council_protocol::change::{FileKind, FileStatus};
    use council_protocol::{Failure, FailureKind, Hunk, ToolCall};

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
            moved_from: None,
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
            let (found, parts) = seen_files(&packet, &seen(&of_brief), &seen(&looked_up));
            let is_in = |line: u32| of_brief.iter().chain(&looked_up).any(|&(first, last)| first <= line && line <= last);
            let expected = !looked_up.is_empty() && (1..=total).all(is_in);
            proptest::prop_assert_eq!(!found.is_empty(), expected);
            let count = (1..=total).filter(|&line| is_in(line)).count();
            let expected = (!expected && count > 0 && !looked_up.is_empty())
                .then_some(SeenPart { shown: count as u32, total });
            proptest::prop_assert_eq!(parts.into_values().next(), expected);
        }

        /// The turns of a conversation are counted together, until a turn fails or somebody else answers; without a
        /// conversation each turn stands by itself.
        #[test]
        fn the_turns_of_a_conversation_are_counted_together(
            turns in proptest::collection::vec((1u32..9, 1u32..9, 0u8..6), 1..6), keeps_context: bool,
        ) {
            let change = file(FileStatus::Added, hunk((0, 0), (1, 8), &"+x\n".repeat(8)));
            let packet = Packet { files: vec![change], ..crate::session::tests::matter::packet() };
            let mut record = LookUpRecord::default();
            let (mut held, mut reader) = (BTreeSet::new(), 0);
            for (first, last, kind) in turns {
                let fails = kind == 0;
                let by = if kind == 1 { reader + 1 } else { reader };
                if !keeps_context || fails || by != reader {
                    held.clear();
                }
                reader = by;
                held.extend(first..=last);
                let mut event = event(fails, by, SeenLines { path: "a.rs".into(), first, last });
                record.add_to(&packet, &[], keeps_context, &mut event);
                let expected = (1..=8).all(|line| held.contains(&line));
                proptest::prop_assert_eq!(!looked_up(&event).is_empty(), expected);
                if fails {
                    held.clear();
                }
            }
        }
    }

    /// An answer or a failure of a model of that number, which was shown these lines.
    fn event(fails: bool, model: u32, seen: SeenLines) -> Event {
        let call = ToolCall {
            seen: vec![seen],
            ..ToolCall::default()
        };
        let usage = Usage {
            model: Some(format!("m{model}")),
            tool_calls: vec![call],
            ..Usage::default()
        };
        if fails {
            let failure = Failure::new(FailureKind::Died, "so it goes").with_usage(Some(usage));
            return Event::Failed {
                judge: "judge-1".into(),
                turn: None,
                failure,
            };
        }
        Event::Answered {
            judge: "judge-1".into(),
            turn: council_protocol::TurnId(1),
            raw: String::new(),
            usage: Some(usage),
        }
    }

    fn looked_up(event: &Event) -> BTreeSet<RepoPath> {
        let usage = match event {
            Event::Answered { usage, .. } => usage.as_ref(),
            Event::Failed { failure, .. } => failure.usage.as_deref(),
            _ => None,
        };
        usage.map_or_else(BTreeSet::new, |usage| usage.looked_up.clone())
    }

    #[test]
    fn a_removed_line_is_seen_with_the_line_behind_it() {
        let change = hunk((3, 3), (3, 3), " a\n-b\n+B\n c\n");
        let lines = changed_lines(&file(FileStatus::Modified, change));
        assert_eq!(lines, [4, 4], "removed and added");
        let removed = hunk((3, 2), (2, 0), "-a\n-b\n");
        let lines = changed_lines(&file(FileStatus::Modified, removed.clone()));
        assert_eq!(lines, [3, 3], "they stood before line 3");
        let lines = changed_lines(&file(FileStatus::Deleted, removed));
        assert_eq!(lines, [3, 4]);
    }
}
