//! A file as a brief shows it: each line behind its number and the marker of the change, secrets taken out.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use council_protocol::{FileChange, LineKind, RepoPath, SeenLines};
use council_secrets::Redactor;
use regex::Regex;

use crate::prompt::{MAX_EDITED_LINE, redact_source, truncate_bytes};
use crate::text::mark_hidden;

/// The most bytes that are shown of one line, as in a brief; of a line that the change edits, or that is asked for
/// alone, it is [`MAX_EDITED_LINE`].
const MAX_LINE_BYTES: usize = 2_000;

/// Bytes for the words about removed lines that did not fit, and about the rest of a long line.
const CUT_NOTE_BYTES: usize = 200;

/// The lines of a file.
pub(super) struct FileView {
    lines: Vec<String>,
    added: HashSet<u32>,
    /// Lines that the change removes, by the line before which they stood.
    removed: BTreeMap<u32, Vec<String>>,
    is_deleted: bool,
}

/// How many bytes of one line are shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineRoom {
    /// Of a line that the change edits.
    edited: usize,
    other: usize,
}

impl LineRoom {
    /// In a result of many places.
    pub(super) const SHORT: Self = Self {
        edited: MAX_LINE_BYTES,
        other: MAX_LINE_BYTES,
    };

    /// Where a file is read, by so many bytes of a result.
    pub(super) fn of_reading((from, to): (u32, u32), max_bytes: usize) -> Self {
        let room = max_bytes.saturating_sub(CUT_NOTE_BYTES);
        let edited = room.clamp(MAX_LINE_BYTES, MAX_EDITED_LINE);
        let other = if from == to { edited } else { MAX_LINE_BYTES };
        Self { edited, other }
    }
}

/// What of a file was written.
#[derive(Debug, Default)]
pub(super) struct ShownLines {
    /// Lines that are shown whole, in runs.
    runs: Vec<(u32, u32)>,
    /// The first line that did not fit.
    pub(super) next: u32,
}

impl ShownLines {
    fn add_line(&mut self, line: u32) {
        match self.runs.last_mut() {
            Some((_, last)) if *last + 1 == line => *last = line,
            _ => self.runs.push((line, line)),
        }
    }

    pub(super) fn into_seen(self, path: &RepoPath) -> Vec<SeenLines> {
        let seen = |(first, last)| SeenLines {
            path: path.clone(),
            first,
            last,
        };
        self.runs.into_iter().map(seen).collect()
    }
}

impl FileView {
    /// A file of the reviewed side, with what `change` does to it.
    pub(super) fn of_file(
        path: &RepoPath,
        text: &str,
        change: Option<&FileChange>,
        redactor: &Redactor,
    ) -> Self {
        let mut view = Self::plain(path, text, redactor);
        if let Some(change) = change {
            view.mark_change(path, change, redactor);
        }
        view
    }

    /// A file that the change deletes: every line is removed, and has the number that it had.
    pub(super) fn of_deleted(path: &RepoPath, text: &str, redactor: &Redactor) -> Self {
        Self {
            is_deleted: true,
            ..Self::plain(path, text, redactor)
        }
    }

    fn plain(path: &RepoPath, text: &str, redactor: &Redactor) -> Self {
        // Redacted whole: a line may be part of a key that begins far above it.
        let (shown, _) = redact_source(redactor, Some(path), text);
        Self {
            lines: shown.lines().map(str::to_owned).collect(),
            added: HashSet::new(),
            removed: BTreeMap::new(),
            is_deleted: false,
        }
    }

    fn mark_change(&mut self, path: &RepoPath, change: &FileChange, redactor: &Redactor) {
        for hunk in &change.hunks {
            let name = path.display();
            let mut redacted = redactor.lines(Some(&name));
            let mut next = hunk.new_start.max(1);
            for line in hunk.lines() {
                let text = redacted.redact_line(line.text).text;
                if let Some(number) = line.new_no {
                    next = number.saturating_add(1);
                }
                match (line.kind, line.new_no) {
                    (LineKind::Added, Some(number)) => drop(self.added.insert(number)),
                    (LineKind::Removed, _) => {
                        let removed = self.removed.entry(next).or_default();
                        removed.push(mark_hidden(text).trim_end_matches('\r').to_owned());
                    }
                    _ => {}
                }
            }
        }
    }

    pub(super) fn is_deleted(&self) -> bool {
        self.is_deleted
    }

    /// Whether there is nothing to show, of what the change removes neither.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.removed.is_empty()
    }

    pub(super) fn last_line(&self) -> u32 {
        u32::try_from(self.lines.len()).unwrap_or(u32::MAX).max(1)
    }

    /// A line, from 1, without number and marker.
    pub(super) fn line(&self, number: u32) -> Option<&str> {
        let index = (number as usize).checked_sub(1)?;
        self.lines.get(index).map(String::as_str)
    }

    /// Writes lines until `max_bytes` of `out` are reached, of each as much as there is room for.
    pub(super) fn write_lines(
        &self,
        out: &mut String,
        (from, to): (u32, u32),
        max_bytes: usize,
        most: LineRoom,
    ) -> ShownLines {
        let width = to.checked_ilog10().unwrap_or(0) as usize + 1;
        let mut shown = ShownLines {
            next: from,
            ..ShownLines::default()
        };
        // What is removed at the end of a file stands before a line that there is not; it counts as that line.
        let end = if to == self.last_line() {
            to.saturating_add(1)
        } else {
            to
        };
        for number in from..=end {
            let start = out.len();
            let is_whole = self.write_line(out, number, width, most);
            if out.len() > max_bytes {
                out.truncate(start);
                if number == from {
                    // Else the line could never be read: whoever asks for it again is told the same.
                    self.write_cut_line(out, number, width, max_bytes);
                    shown.next = number.saturating_add(1);
                }
                return shown;
            }
            if is_whole && (number <= to || self.removed.contains_key(&number)) {
                shown.add_line(number);
            }
            shown.next = number.saturating_add(1);
        }
        shown
    }

    /// Writes the part of a long line that a pattern matches first; false: the match is shown with the line's begin.
    pub(super) fn write_far_match(&self, out: &mut String, number: u32, regex: &Regex) -> bool {
        let text = self.line(number).unwrap_or_default();
        let found = regex.find(text).map(|found| found.range());
        let Some(found) = found.filter(|found| found.end > MAX_LINE_BYTES) else {
            return false;
        };
        let start = text.floor_char_boundary(found.start.saturating_sub(MAX_LINE_BYTES / 4));
        let before = format!("[{start} bytes of this line are not shown] ");
        let rest = format!("{before}{}", truncate_bytes(&text[start..], MAX_LINE_BYTES));
        let missing = text.len() - start - (rest.len() - before.len());
        let marker = self.marker_of(number);
        // Writing to a string cannot fail.
        let _ = write!(out, "{number} {marker}{rest}");
        if missing > 0 {
            let _ = write!(out, " [{missing} more bytes of this line are not shown]");
        }
        out.push('\n');
        true
    }

    fn marker_of(&self, number: u32) -> char {
        match self.added.contains(&number) {
            _ if self.is_deleted => '-',
            true => '+',
            false => ' ',
        }
    }

    /// Writes a line with those that were removed before it; returns whether all of it is shown.
    fn write_line(&self, out: &mut String, number: u32, width: usize, most: LineRoom) -> bool {
        let mut is_whole = true;
        for removed in self.removed.get(&number).into_iter().flatten() {
            is_whole &= write_text(out, ("", width), '-', removed, most.edited);
        }
        let Some(text) = self.line(number) else {
            return is_whole;
        };
        let marker = self.marker_of(number);
        let most = match marker {
            ' ' => most.other,
            _ => most.edited,
        };
        is_whole & write_text(out, (&number.to_string(), width), marker, text, most)
    }
}

impl FileView {
    /// Writes a line with as many of those that were removed before it as there is room for.
    fn write_cut_line(&self, out: &mut String, number: u32, width: usize, max_bytes: usize) {
        let removed = self.removed.get(&number).map_or(&[][..], Vec::as_slice);
        let room = max_bytes.saturating_sub(MAX_LINE_BYTES + CUT_NOTE_BYTES);
        let mut left = removed.len();
        for line in removed {
            let start = out.len();
            write_text(out, ("", width), '-', line, MAX_LINE_BYTES);
            if out.len() > room {
                out.truncate(start);
                break;
            }
            left -= 1;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "[{left} more of the lines that the change removes here did not fit, and no call shows them]"
        );
        if let Some(text) = self.line(number) {
            let marker = if self.added.contains(&number) {
                '+'
            } else {
                ' '
            };
            let number = number.to_string();
            write_text(out, (&number, width), marker, text, MAX_LINE_BYTES);
        }
    }
}

fn write_text(
    out: &mut String,
    (number, width): (&str, usize),
    marker: char,
    line: &str,
    most: usize,
) -> bool {
    let text = truncate_bytes(line, most);
    // Writing to a string cannot fail.
    let _ = write!(out, "{number:>width$} {marker}{text}");
    let missing = line.len() - text.len();
    if missing > 0 {
        let _ = write!(out, " [{missing} more bytes of this line are not shown]");
    }
    out.push('\n');
    missing == 0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A file of some lines, with so many removed before each.
    fn view(removed: &[usize]) -> FileView {
        let before = |(at, many): (usize, &usize)| {
            let lines = (0..*many).map(|n| format!("removed {n} before {at} {}", "x".repeat(60)));
            (at as u32 + 1, lines.collect::<Vec<_>>())
        };
        FileView {
            lines: (0..removed.len()).map(|n| format!("line {n}")).collect(),
            added: HashSet::new(),
            removed: removed
                .iter()
                .enumerate()
                .map(before)
                .filter(|(_, lines)| !lines.is_empty())
                .collect(),
            is_deleted: false,
        }
    }

    proptest! {
        /// Law: wherever in a line a match stands, it is shown, and what is said to be missing is.
        #[test]
        fn a_match_is_shown_wherever_it_stands(before in 0usize..6_000, behind in 0usize..6_000) {
            let line = format!("{}needle{}", "é".repeat(before / 2), "x".repeat(behind));
            let view = FileView { lines: vec![line.clone()], ..view(&[0]) };
            let regex = Regex::new("needle").unwrap();
            let mut out = String::new();
            if !view.write_far_match(&mut out, 1, &regex) {
                view.write_lines(&mut out, (1, 1), 100_000, LineRoom::SHORT);
            }
            prop_assert!(out.contains("needle"), "{}", out);
            prop_assert!(out.len() < MAX_LINE_BYTES + CUT_NOTE_BYTES, "{}", out.len());
            let missing: usize = regex::Regex::new(r"\[(\d+) (?:more )?bytes").unwrap()
                .captures_iter(&out)
                .map(|found| found[1].parse::<usize>().unwrap())
                .sum();
            let letters = out.matches('é').count() * 2 + out.matches("needle").count() * 6;
            let xs = out.matches('x').count();
            prop_assert_eq!(letters + xs + missing, line.len());
        }

        /// Whoever asks for what did not fit is shown more each time, until every line of the file was shown.
        #[test]
        fn what_did_not_fit_can_be_asked_for(
            removed in prop::collection::vec(prop_oneof![4 => 0usize..3, 1 => 0usize..400], 1..30),
            max_bytes in 3_000usize..20_000,
        ) {
            let view = view(&removed);
            let (mut from, last, mut all) = (1, view.last_line(), String::new());
            while from <= last {
                let mut out = String::new();
                let room = LineRoom::of_reading((from, last), max_bytes);
                let shown = view.write_lines(&mut out, (from, last), max_bytes, room);
                prop_assert!(shown.next > from, "{from} is asked for again: {out}");
                prop_assert!(out.len() <= max_bytes, "{} of {max_bytes}", out.len());
                // What was left out lowers the coverage: its line is not seen.
                let is_seen = |n: u32| shown.runs.iter().any(|(first, last)| (*first..=*last).contains(&n));
                let seen = (from..shown.next.min(last + 1)).all(is_seen);
                prop_assert_eq!(out.contains("did not fit"), !seen);
                from = shown.next;
                all += &out;
            }
            for n in 0..removed.len() {
                let text = format!("line {n}");
                prop_assert!(all.lines().any(|line| line.ends_with(&text)), "{text}");
            }
        }
    }
}
