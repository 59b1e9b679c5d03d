//! Which earlier commits brought lines of a file, and what they say of themselves: why a line that is removed was
//! there. Nothing of the change under review is told here, whose author's words wait for round 2.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Instant;

use council_agents::tools::{LineRange, QueryBounds};
use council_protocol::change::FileStatus;
use council_protocol::{FileChange, LineKind, RepoPath, Side};

use super::result_text::ResultText;
use super::{CodeLookup, Found};
use crate::git::{CommitHistory, HistoryBounds, HistoryFindings, WantedLines};
use crate::prompt::{redact_source, show_path, truncate_bytes};
use crate::sight::shown_message;

/// The most commits that are looked at.
const MAX_COMMITS: usize = 5_000;

/// The most lines that are followed.
const MAX_LINES: usize = 400;

/// The most bytes of a commit's message.
const MAX_MESSAGE_BYTES: usize = 1_500;

impl CodeLookup {
    /// Who brought lines. They are numbered as on the reviewed side; removed lines belong to where they stood.
    pub(super) fn tell_history(
        &self,
        asked: &str,
        lines: LineRange,
        bounds: &QueryBounds,
    ) -> Result<Found, String> {
        let history = self
            .history
            .as_ref()
            .ok_or("there is no history before this change")?;
        let path = self.find_file(asked)?;
        let change = self.find_change(&path);
        if change.is_some_and(|change| change.status == FileStatus::Added) {
            return Err("the change adds this file: it has no history".to_owned());
        }
        let before = change.map_or(&path, FileChange::path_before);
        let old = self.read_text(Side::Old, before)?;
        let mut wanted = self.lines_before(&path, before, change, lines, &old)?;
        let all = wanted.len();
        wanted.truncate(MAX_LINES);
        let wanted = WantedLines {
            path: before.as_bytes().to_vec(),
            lines: wanted,
        };
        let is_over = || Instant::now() >= bounds.until;
        let walked = HistoryBounds {
            commits: MAX_COMMITS,
            together: 0,
            is_over: &is_over,
        };
        let findings = history.walk_back(std::slice::from_ref(&wanted), &walked);
        // As a whole: what a line holds may be a secret by another line.
        let (shown, _) = redact_source(&self.redactor, Some(before), &old);
        let old_lines = OldLines {
            text: shown.lines().collect(),
            removed: change.map(removed_lines).unwrap_or_default(),
        };
        Ok(self.show_findings(&path, (history, &findings), &old_lines, all, bounds))
    }

    /// The numbers that the lines of a range had before the change, with those of lines that it removes there.
    fn lines_before(
        &self,
        path: &RepoPath,
        before: &RepoPath,
        change: Option<&FileChange>,
        lines: LineRange,
        old: &str,
    ) -> Result<Vec<u32>, String> {
        let from = lines.from.unwrap_or(1);
        let kept = change.filter(|change| change.status != FileStatus::Deleted);
        let text = match kept {
            Some(_) => self.read_text(Side::New, path)?,
            None => old.to_owned(),
        };
        let last = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        // What is removed at the end of a file stands before a line that there is not.
        if from > last.max(1) || last == 0 && old.is_empty() {
            return Err(format!("the file has {last} lines"));
        }
        let to = lines.to.unwrap_or(last).min(last).max(from);
        let wanted = match kept {
            Some(change) => kept_before(change, from, to),
            None => (from..=to).collect(),
        };
        if wanted.is_empty() {
            return Err(format!(
                "lines {from}-{to} of {} are new: none of them was in {}",
                show_path(path, &self.redactor),
                show_path(before, &self.redactor)
            ));
        }
        Ok(wanted)
    }

    fn show_findings(
        &self,
        path: &RepoPath,
        (history, findings): (&CommitHistory, &HistoryFindings),
        old_lines: &OldLines<'_>,
        asked: usize,
        bounds: &QueryBounds,
    ) -> Found {
        let mut out = ResultText::within(bounds);
        out.push_line(&format!(
            "=== {}: who brought these lines, numbered as before the change",
            show_path(path, &self.redactor)
        ));
        for (index, commit) in findings.commits.iter().enumerate() {
            let origins = findings
                .origins
                .iter()
                .filter(|origin| origin.commit == index);
            let lines: Vec<u32> = origins.flat_map(|origin| origin.lines.clone()).collect();
            if lines.is_empty() {
                continue;
            }
            let id = commit.id.get(..12).unwrap_or(&commit.id);
            out.push_line(&format!("commit {id} brought {}", runs_in_words(&lines)));
            for &line in lines.iter().take(3) {
                let text = old_lines.text.get((line as usize).saturating_sub(1));
                let text = text.unwrap_or(&"");
                let text = self.redactor.redact_quote(&path.display(), text).text;
                let marker = if old_lines.removed.contains(&line) {
                    '-'
                } else {
                    ' '
                };
                out.push_line(&format!("{line} {marker}{}", truncate_bytes(&text, 200)));
            }
            // Behind a gutter, so that no line of a message can pose as anything else.
            let message = shown_message(history, findings, commit, &self.redactor);
            let message = truncate_bytes(&message, MAX_MESSAGE_BYTES);
            for line in message.trim().lines() {
                out.push_line(&format!("    | {line}"));
            }
        }
        let note = match (findings.commits.is_empty(), findings.is_cut) {
            (_, true) if findings.is_shallow => {
                "this clone is shallow: the commits that brought the other lines are not in it"
            }
            (true, true) => "time or commits ran out before the lines were found",
            (true, false) => "no earlier commit is known for these lines",
            (false, true) => "time or commits ran out: older lines are not told",
            (false, false) => "",
        };
        let unfollowed = match asked {
            0..=MAX_LINES => String::new(),
            _ => format!(
                "only the first {MAX_LINES} of {asked} lines were followed: ask for the others with `from` and `to`"
            ),
        };
        let mut notes = vec![note, &unfollowed];
        notes.retain(|note| !note.is_empty());
        out.finish(&notes.join("; "))
    }
}

/// A file before the change, without its secrets.
struct OldLines<'t> {
    text: Vec<&'t str>,
    /// Those that the change removes: they alone have its marker.
    removed: BTreeSet<u32>,
}

fn removed_lines(change: &FileChange) -> BTreeSet<u32> {
    let lines = change.hunks.iter().flat_map(|hunk| hunk.lines());
    let removed = lines.filter(|line| line.kind == LineKind::Removed);
    removed.filter_map(|line| line.old_no).collect()
}

/// The old numbers of the lines from `from` to `to` of the reviewed side, and of lines removed among them.
fn kept_before(change: &FileChange, from: u32, to: u32) -> Vec<u32> {
    let mut wanted = Vec::new();
    // The next lines of both sides, and the last line of the range that was looked at.
    let (mut old, mut new) = (1_u32, 1_u32);
    let is_meant = |new: u32| (from..=to).contains(&new);
    let mut keep = |old: u32, is_meant: bool| {
        if is_meant {
            wanted.push(old);
        }
    };
    for hunk in &change.hunks {
        let first = if hunk.new_lines == 0 {
            hunk.new_start + 1
        } else {
            hunk.new_start
        };
        while new < first {
            keep(old, is_meant(new));
            (old, new) = (old + 1, new + 1);
        }
        for line in hunk.lines() {
            match line.kind {
                LineKind::Context => {
                    keep(old, is_meant(new));
                    (old, new) = (old + 1, new + 1);
                }
                // It stood between the line before and the next one: whoever asks for either means it.
                LineKind::Removed => {
                    keep(old, is_meant(new) || is_meant(new.saturating_sub(1)));
                    old += 1;
                }
                LineKind::Added => new += 1,
            }
        }
    }
    while new <= to {
        keep(old, is_meant(new));
        (old, new) = (old + 1, new + 1);
    }
    wanted
}

/// `line 4`, `lines 4-9, 12`.
fn runs_in_words(lines: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &line in lines {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == line => *last = line,
            _ => runs.push((line, line)),
        }
    }
    let mut words = String::from(if lines.len() == 1 { "line " } else { "lines " });
    for (at, (first, last)) in runs.into_iter().enumerate() {
        let comma = if at == 0 { "" } else { ", " };
        let _ = if first == last {
            write!(words, "{comma}{first}")
        } else {
            write!(words, "{comma}{first}-{last}")
        };
    }
    words
}
