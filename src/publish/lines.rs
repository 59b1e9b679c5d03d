//! Which lines of the new side stand in the diff: the only ones beside which a comment may stand.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use council_protocol::{FileChange, Location};

/// The hunks of a change on its new side, file by file. Files whose path is not UTF-8 are not in it: no API names them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiffLines(BTreeMap<String, Vec<RangeInclusive<u32>>>);

impl DiffLines {
    /// The lines of a change that was read.
    pub fn of_files<'a>(files: impl IntoIterator<Item = &'a FileChange>) -> Self {
        let mut lines = Self::default();
        for file in files {
            let Ok(path) = std::str::from_utf8(file.path.as_bytes()) else {
                continue;
            };
            let hunks = file
                .hunks
                .iter()
                .filter_map(|hunk| line_range(hunk.new_start, hunk.new_lines));
            lines.0.insert(path.to_owned(), hunks.collect());
        }
        lines
    }

    /// Adds a file as a forge shows it: the text from the first `@@` on.
    pub fn add_patch(&mut self, path: &str, patch: &str) {
        let hunks = patch.lines().filter_map(new_side);
        self.0.insert(path.to_owned(), hunks.collect());
    }

    /// Whether every line of a place stands in one hunk of the new side.
    pub fn has_location(&self, location: &Location) -> bool {
        let Ok(path) = std::str::from_utf8(location.path.as_bytes()) else {
            return false;
        };
        let end = location.end_line.unwrap_or(location.line);
        let inside =
            |hunk: &RangeInclusive<u32>| hunk.contains(&location.line) && hunk.contains(&end);
        location.line > 0
            && end >= location.line
            && self
                .0
                .get(path)
                .is_some_and(|hunks| hunks.iter().any(inside))
    }

    /// Whether a file is in the diff at all.
    pub fn has_file(&self, location: &Location) -> bool {
        std::str::from_utf8(location.path.as_bytes()).is_ok_and(|path| self.0.contains_key(path))
    }
}

fn line_range(start: u32, lines: u32) -> Option<RangeInclusive<u32>> {
    (lines > 0).then(|| start..=start.saturating_add(lines - 1))
}

/// The new side of a hunk's header, `@@ -1,2 +3,4 @@`.
fn new_side(line: &str) -> Option<RangeInclusive<u32>> {
    let (header, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (_, new) = header.split_once(" +")?;
    let (start, lines) = new.split_once(',').unwrap_or((new, "1"));
    line_range(start.parse().ok()?, lines.parse().ok()?)
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
}
