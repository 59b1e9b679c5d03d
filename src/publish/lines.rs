//! Which lines stand in the diff: the only ones beside which a comment may stand.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use council_protocol::change::{FileStatus, Hunk};
use council_protocol::{FileChange, LineKind, Location, RepoPath};

/// The hunks of a change, file by file. Files whose path is not UTF-8 are not in it: no API names them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiffLines(BTreeMap<String, FileLines>);

/// The lines of one file that stand in the diff.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct FileLines {
    /// Those of the new side.
    shown: Vec<RangeInclusive<u32>>,
    /// Those that the change removes, as they were numbered before it.
    removed: Vec<RangeInclusive<u32>>,
    /// Whether no line of it is left.
    is_emptied: bool,
}

impl DiffLines {
    /// The lines of a change that was read.
    pub fn of_files<'a>(files: impl IntoIterator<Item = &'a FileChange>) -> Self {
        let mut lines = Self::default();
        for file in files {
            let Ok(path) = std::str::from_utf8(file.path.as_bytes()) else {
                continue;
            };
            let hunks = file.hunks.iter().flat_map(shown_by_forge).collect();
            let shown = FileLines {
                shown: merged(hunks),
                removed: merged(file.hunks.iter().flat_map(removed_lines).collect()),
                is_emptied: file.status == FileStatus::Deleted,
            };
            lines.0.insert(path.to_owned(), shown);
        }
        lines
    }

    /// Adds a file as a forge shows it: the text from the first `@@` on.
    pub fn add_patch(&mut self, path: &str, patch: &str) {
        let hunks = patch.lines().filter_map(new_side);
        let shown = FileLines {
            shown: hunks.collect(),
            removed: merged(removed_in(patch)),
            is_emptied: is_emptied(patch),
        };
        self.0.insert(path.to_owned(), shown);
    }

    /// The lines of a place that stand in one hunk of the new side: a judge may name a whole function of which the last
    /// lines are in the diff. None: none of them is.
    pub fn shown_part(&self, location: &Location) -> Option<Location> {
        let path = std::str::from_utf8(location.path.as_bytes()).ok()?;
        let (first, last) = (location.line, location.end_line.unwrap_or(location.line));
        let named = Some(first..=last).filter(|_| first > 0 && first <= last)?;
        let meets = |hunk: &&RangeInclusive<u32>| {
            hunk.start() <= named.end() && named.start() <= hunk.end()
        };
        let hunk = self.0.get(path)?.shown.iter().find(meets)?;
        let (from, to) = (first.max(*hunk.start()), last.min(*hunk.end()));
        Some(Location {
            path: location.path.clone(),
            line: from,
            end_line: location.end_line.map(|_| to),
        })
    }

    /// The first of `many` removed lines from one on that stand in the diff in a row; none: none of them does.
    pub(super) fn removed_part(
        &self,
        path: &RepoPath,
        first: u32,
        many: u32,
    ) -> Option<RangeInclusive<u32>> {
        let path = std::str::from_utf8(path.as_bytes()).ok()?;
        let last = first.saturating_add(many.saturating_sub(1));
        let meets = |lines: &&RangeInclusive<u32>| *lines.start() <= last && first <= *lines.end();
        let lines = self.0.get(path)?.removed.iter().find(meets)?;
        Some(first.max(*lines.start())..=last.min(*lines.end()))
    }

    /// Whether every line of a place stands in one hunk of the new side.
    pub fn has_location(&self, location: &Location) -> bool {
        self.shown_part(location)
            .is_some_and(|part| part == *location)
    }

    /// Whether the change leaves no line of a file.
    pub(super) fn is_emptied(&self, location: &Location) -> bool {
        let file = std::str::from_utf8(location.path.as_bytes()).map(|path| self.0.get(path));
        file.is_ok_and(|file| file.is_some_and(|file| file.is_emptied))
    }

    /// Whether a file is in the diff at all.
    pub fn has_file(&self, location: &Location) -> bool {
        std::str::from_utf8(location.path.as_bytes()).is_ok_and(|path| self.0.contains_key(path))
    }
}

/// Lines of a change around an edit that a forge shows as its context.
const CONTEXT: u32 = 3;

/// The lines of a hunk that a forge has in its diff: the hunks of a packet show whole functions, and a comment beside a
/// line that is only there is refused.
fn shown_by_forge(hunk: &Hunk) -> Vec<RangeInclusive<u32>> {
    let Some(whole) = line_range(hunk.new_start, hunk.new_lines) else {
        return Vec::new();
    };
    let (first, last) = whole.into_inner();
    let mut next = first;
    let mut shown = Vec::new();
    for line in hunk.lines() {
        let at = line.new_no.unwrap_or(next);
        match line.kind {
            LineKind::Added => shown.push((at, at)),
            // Between the line before it and the one behind it.
            LineKind::Removed => shown.push((at, at.saturating_sub(1))),
            LineKind::Context => {}
        }
        next = line.new_no.map_or(next, |number| number.saturating_add(1));
    }
    let around = shown.into_iter().map(|(from, to)| {
        from.saturating_sub(CONTEXT).max(first)..=to.saturating_add(CONTEXT).min(last)
    });
    around.filter(|range| !range.is_empty()).collect()
}

/// The lines that a hunk removes, by their numbers before it.
fn removed_lines(hunk: &Hunk) -> Vec<RangeInclusive<u32>> {
    let removed = hunk.lines().filter(|line| line.kind == LineKind::Removed);
    let numbers = removed.filter_map(|line| line.old_no);
    numbers.map(|number| number..=number).collect()
}

/// The same of the text that a forge shows.
fn removed_in(patch: &str) -> Vec<RangeInclusive<u32>> {
    let mut removed = Vec::new();
    // The number of the next line of the old side, and how many the hunk still has: a line of code may look like a header.
    let (mut next, mut old_left, mut new_left) = (0_u32, 0_u32, 0_u32);
    for line in patch.lines() {
        if old_left == 0 && new_left == 0 {
            if let Some(((start, old), (_, new))) = hunk_header(line) {
                (next, old_left, new_left) = (start, old, new);
            }
            continue;
        }
        let (is_old, is_new) = match line.as_bytes().first() {
            Some(b'-') => (true, false),
            Some(b'+') => (false, true),
            // Not a line of the file, but a word about its end.
            Some(b'\\') => continue,
            _ => (true, true),
        };
        if is_old && !is_new {
            removed.push(next..=next);
        }
        next = next.saturating_add(u32::from(is_old));
        old_left = old_left.saturating_sub(u32::from(is_old));
        new_left = new_left.saturating_sub(u32::from(is_new));
    }
    removed
}

/// Ranges in order, those that touch as one.
fn merged(mut ranges: Vec<RangeInclusive<u32>>) -> Vec<RangeInclusive<u32>> {
    ranges.sort_by_key(|range| *range.start());
    let mut merged: Vec<RangeInclusive<u32>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(before) if *range.start() <= before.end().saturating_add(1) => {
                *before = *before.start()..=(*before.end()).max(*range.end());
            }
            _ => merged.push(range),
        }
    }
    merged
}

fn line_range(start: u32, lines: u32) -> Option<RangeInclusive<u32>> {
    (lines > 0).then(|| start..=start.saturating_add(lines - 1))
}

/// Whether the one hunk of a patch leaves nothing, as it does where the file is deleted.
fn is_emptied(patch: &str) -> bool {
    let mut headers = patch.lines().filter(|line| line.starts_with("@@ -"));
    let first = headers.next();
    first.is_some_and(|header| header.contains(" +0,0 @@")) && headers.next().is_none()
}

/// The new side of a hunk's header, `@@ -1,2 +3,4 @@`.
fn new_side(line: &str) -> Option<RangeInclusive<u32>> {
    let (_, (start, lines)) = hunk_header(line)?;
    line_range(start, lines)
}

/// The first line and the count of lines of both sides of a hunk, from its header.
fn hunk_header(line: &str) -> Option<((u32, u32), (u32, u32))> {
    let (header, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = header.split_once(" +")?;
    let side = |text: &str| {
        let (start, lines) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, lines.parse().ok()?))
    };
    Some((side(old)?, side(new)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str, line: u32, end_line: Option<u32>) -> Location {
        Location {
            path: path.into(),
            line,
            end_line,
        }
    }

    #[test]
    fn a_place_is_in_the_diff_only_within_one_hunk() {
        let mut lines = DiffLines::default();
        lines.add_patch(
            "a.rs",
            "@@ -1,3 +1,4 @@ fn a\n+@@ -9 +90 @@\n@@ -20 +21,2 @@\n-x\n@@ -40,2 +0,0 @@",
        );
        assert!(
            lines.has_location(&at("a.rs", 1, None)) && lines.has_location(&at("a.rs", 2, Some(4)))
        );
        assert!(lines.has_location(&at("a.rs", 22, Some(22))));
        for (line, end) in [
            (0, None),
            (5, None),
            (4, Some(21)),
            (3, Some(2)),
            (90, None),
            (40, None),
        ] {
            assert!(
                !lines.has_location(&at("a.rs", line, end)),
                "{line} {end:?}"
            );
        }
        assert!(!lines.has_location(&at("b.rs", 1, None)) && lines.has_file(&at("a.rs", 0, None)));
    }

    #[test]
    fn of_a_range_the_lines_that_are_in_the_diff_are_shown() {
        let mut lines = DiffLines::default();
        lines.add_patch("a.rs", "@@ -1,3 +10,4 @@\n@@ -40 +40,3 @@");
        for (line, end, part) in [
            (6, Some(12), Some((10, Some(12)))),
            (12, Some(60), Some((12, Some(13)))),
            (11, None, Some((11, None))),
            (14, Some(39), None),
            (9, None, None),
        ] {
            let shown = lines.shown_part(&at("a.rs", line, end));
            assert_eq!(
                shown,
                part.map(|(line, end)| at("a.rs", line, end)),
                "{line} {end:?}"
            );
        }
    }

    /// A comment beside a removed line is refused where the diff does not remove that line.
    #[test]
    fn removed_lines_are_known_by_their_numbers_before_the_change() {
        let patch = "@@ -3,4 +3,2 @@ fn a\n x\n-@@ -90 +90 @@\n-b\n y\n\\ No newline at end of file\n@@ -9 +7,0 @@\n-z";
        let mut of_forge = DiffLines::default();
        of_forge.add_patch("a.rs", patch);
        let hunk = |old_start, old_lines, new_lines, body: &str| Hunk {
            old_start,
            old_lines,
            new_start: old_start,
            new_lines,
            section: String::new(),
            body: body.into(),
        };
        let hunks = [hunk(3, 4, 2, " x\n-a\n-b\n y\n"), hunk(9, 1, 0, "-z\n")];
        let of_packet = FileLines {
            removed: merged(hunks.iter().flat_map(removed_lines).collect()),
            ..FileLines::default()
        };
        assert_eq!(of_forge.0["a.rs"].removed, of_packet.removed);
        let part = |first, many| of_forge.removed_part(&"a.rs".into(), first, many);
        assert_eq!(part(4, 1), Some(4..=4));
        assert_eq!(part(5, 9), Some(5..=5), "as far as they are in a row");
        assert_eq!((part(3, 1), part(6, 1)), (None, None), "these stay");
        assert_eq!(part(9, 1), Some(9..=9));
        assert_eq!(of_forge.removed_part(&"b.rs".into(), 4, 1), None);
    }

    /// A packet shows whole functions, a forge three lines around each edit.
    #[test]
    fn only_lines_that_a_forge_shows_are_in_the_diff() {
        let hunk = Hunk {
            old_start: 1,
            old_lines: 21,
            new_start: 1,
            new_lines: 21,
            section: String::new(),
            body: format!(
                "{}-old\n+new\n{}-gone\n+here\n",
                " x\n".repeat(9),
                " y\n".repeat(10)
            ),
        };
        let ranges = merged(shown_by_forge(&hunk));
        assert_eq!(ranges, [7..=13, 18..=21]);
        let removed = Hunk {
            new_lines: 10,
            body: format!("{}-old\n{}", " x\n".repeat(5), " y\n".repeat(5)),
            ..hunk
        };
        assert_eq!(merged(shown_by_forge(&removed)), [3..=8]);
    }
}
