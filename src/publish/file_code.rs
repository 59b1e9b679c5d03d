//! The code of a file on one side of the change, by its functions and by the lines beside each place. A diff pairs lines that
//! are alike, wherever they stand; what stands where, before the change and now, does not depend on that.

use council_protocol::RepoPath;

use super::lines_apart::without_blanks;
use super::quote_place::{FileFunctions, first_line};
use crate::text::{CodeLetters, CodePlace};

pub(super) struct FileCode {
    pub(super) letters: CodeLetters,
    pub(super) functions: FileFunctions,
    /// The lines that say something, without blanks, by their numbers.
    telling: Vec<(u32, String)>,
}

/// How many lines on either side of a place tell it from others that look alike.
const NEAR_LINES: usize = 3;

impl FileCode {
    pub(super) fn of(path: &RepoPath, text: String) -> Self {
        let lines = (1..).zip(text.lines());
        let telling = lines.filter(|(_, line)| line.contains(char::is_alphanumeric));
        Self {
            telling: telling
                .map(|(number, line)| (number, without_blanks(line)))
                .collect(),
            letters: CodeLetters::of(text.lines()),
            functions: FileFunctions::of(path, text),
        }
    }

    /// The lines that say something above and below a place of so many lines, the nearest first.
    fn lines_near(&self, first: u32, lines: u32) -> [Vec<&str>; 2] {
        let (above, rest) = self
            .telling
            .split_at(self.telling.partition_point(|(number, _)| *number < first));
        let below = rest.iter().filter(|(number, _)| *number >= first + lines);
        [
            above
                .iter()
                .rev()
                .take(NEAR_LINES)
                .map(|(_, line)| line.as_str())
                .collect(),
            below
                .take(NEAR_LINES)
                .map(|(_, line)| line.as_str())
                .collect(),
        ]
    }

    /// Whether a quote stands there between the same lines as here.
    pub(super) fn stands_alike_in(&self, there: &Self, quote: &str, line: u32) -> bool {
        let lines = u32::try_from(quote.trim().lines().count().max(1)).unwrap_or(1);
        let own = self.lines_near(line, lines);
        let places = there.letters.quoted_at(quote);
        let mut places = places.iter().map(first_line);
        places.any(|place| there.lines_near(place, lines) == own)
    }

    /// Whether the lines above and below a line stand next to each other there, more often than here.
    pub(super) fn is_missing_between(&self, there: &Self, line: u32) -> bool {
        let [above, below] = self.lines_near(line, 1);
        let (Some(above), Some(below)) = (above.first(), below.first()) else {
            return false;
        };
        let count = |file: &Self| {
            let pairs = file.telling.windows(2);
            pairs
                .filter(|pair| pair[0].1 == *above && pair[1].1 == *below)
                .count()
        };
        count(there) > count(self)
    }

    /// Whether more of a quote stands here than there in the function of a line; none stands outside of functions.
    pub(super) fn has_more_in_function(&self, there: &Self, quote: &str, line: u32) -> bool {
        let name = self.functions.name_at(line);
        name.is_some_and(|name| self.count_in(&name, quote) > there.count_in(&name, quote))
    }

    /// The line nearest to this one at which a quote begins.
    pub(super) fn nearest_to(&self, quote: &str, line: u32) -> Option<u32> {
        let places = self.letters.quoted_at(quote);
        let lines = places.iter().map(first_line);
        lines.min_by_key(|there| there.abs_diff(line))
    }

    /// Whether a function has this name, as a digest.
    pub(super) fn has_function(&self, name: &str) -> bool {
        let mut lines = 1..=self.letters.line_count();
        lines.any(|line| self.functions.name_at(line).as_deref() == Some(name))
    }

    fn count_in(&self, function: &str, quote: &str) -> usize {
        let places = self.letters.quoted_at(quote);
        let within = |place: &&CodePlace<'_>| {
            self.functions.name_at(first_line(place)).as_deref() == Some(function)
        };
        places.iter().filter(within).count()
    }
}
