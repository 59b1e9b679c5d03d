//! A quote of several lines whose lines stand apart by now, or of which some are others.
//!
//! Whoever quotes a block means its lines: a comment between them mends nothing, and neither does a new name in a line of which
//! the finding says nothing.

use std::ops::RangeInclusive;

use council_protocol::{FileChange, Finding, Hunk, LineKind};

use super::quote_place::numbers_of;
use crate::text::{CodeLetters, stands_still, telling_lines};

/// How far apart two quoted lines may stand, in lines: what is further away is another place.
pub(super) const MAX_APART: u32 = 30;

/// The most places of one line that are looked at, the nearest first.
const MAX_PLACES: usize = 40;

/// The fewest letters of a part of a line by which it is known.
const MIN_PART: usize = 8;

/// A finding whose quote stands nowhere as it is, in its file.
pub(super) struct ScatteredQuote<'a> {
    pub(super) code: &'a CodeLetters,
    pub(super) finding: &'a Finding,
    /// What the change does to the file, where the quote may hold lines that it removes.
    pub(super) change: Option<&'a FileChange>,
    /// Whether all of its lines have to stand: some of them may stand in many files.
    pub(super) needs_all: bool,
}

/// Lines of a quote in a file, by their numbers in the quote.
#[derive(Default)]
struct StandingLines {
    found: Vec<usize>,
    at: Option<RangeInclusive<u32>>,
}

impl ScatteredQuote<'_> {
    /// The same, of which all lines have to stand.
    pub(super) fn needing_all(self) -> Self {
        Self {
            needs_all: true,
            ..self
        }
    }

    /// The line at which the quoted lines begin that still stand, in lines that count, if those stand which the finding is
    /// about.
    pub(super) fn line(&self, counts: &dyn Fn(&RangeInclusive<u32>) -> bool) -> Option<u32> {
        let quoted = telling_lines(&self.finding.quote);
        if self.finding.rule.is_some() {
            return None;
        }
        let standing = self.standing_lines(&quoted);
        if self.needs_all && standing.found.len() < quoted.len() {
            return None;
        }
        let at = standing.at.clone().filter(counts);
        match self.marked_lines(&quoted, &standing) {
            // What was quoted as removed and is back is mended.
            Some(marked) if !marked.iter().all(|line| self.removes(line)) => None,
            Some(marked) => at
                .map(|at| *at.start())
                .or_else(|| self.line_behind(marked.first()?)),
            None if quoted.is_empty() || self.finding.quote.trim().lines().count() < 2 => None,
            None => self.is_kept(&quoted, &standing).then_some(*at?.start()),
        }
    }

    /// The quoted lines that the diff shows as removed, if the quote is a piece of it. A list item has such a mark as well, and
    /// stands there with it.
    fn marked_lines(&self, quoted: &[&str], standing: &StandingLines) -> Option<Vec<String>> {
        self.change?;
        let is_gone = |nth: &usize| !standing.found.contains(nth);
        let marked = (0..quoted.len()).filter(is_gone);
        let marked = marked.filter_map(|nth| quoted[nth].strip_prefix('-'));
        let marked: Vec<String> = marked.map(without_blanks).collect();
        (!marked.is_empty()).then_some(marked)
    }

    /// Whether the change removes a line of a quote, which may be cut.
    fn removes(&self, line: &str) -> bool {
        let mut removed = self.removed_lines().into_iter();
        removed.any(|removed| removed.contains(line))
    }

    /// The line behind the place where a line stood that the change removes.
    fn line_behind(&self, line: &str) -> Option<u32> {
        let hunks = self.change.iter().flat_map(|change| &change.hunks);
        for hunk in hunks {
            let mut next = hunk.new_start.max(1);
            for shown in hunk.lines() {
                if shown.kind == LineKind::Removed && without_blanks(shown.text).contains(line) {
                    return Some(next);
                }
                next = shown.new_no.map_or(next, |number| number.saturating_add(1));
            }
        }
        None
    }

    /// Whether those lines still stand that the finding is about.
    fn is_kept(&self, quoted: &[&str], standing: &StandingLines) -> bool {
        let removed = self.removed_lines();
        let is_missing = |nth: &usize| !standing.found.contains(nth);
        let (gone, edited): (Vec<usize>, Vec<usize>) = (0..quoted.len())
            .filter(is_missing)
            .partition(|nth| removed.contains(&without_blanks(without_mark(quoted[*nth]))));
        let finding = self.finding;
        let said = [&finding.description, &finding.why]
            .map(String::as_str)
            .join(" ");
        let is_edited = |line: &str| edited.iter().any(|nth| quoted[*nth] == line);
        !gone.is_empty() || stands_still(&finding.quote, &said, |line| !is_edited(line))
    }

    /// Whether the lines that the quote shows as removed all stand in the file again: the code alone, without their marks, is
    /// no proof of it.
    pub(super) fn is_put_back(&self) -> bool {
        let quoted = telling_lines(&self.finding.quote);
        let standing = self.standing_lines(&quoted);
        let stands = |line: &String| {
            let places = self.code.quoted_at(line);
            places
                .iter()
                .any(|place| place.begins_line && place.ends_line)
        };
        let marked = self.marked_lines(&quoted, &standing);
        marked.is_some_and(|marked| {
            marked
                .iter()
                .all(|line| stands(line) && !self.removes(line))
        })
    }

    fn removed_lines(&self) -> Vec<String> {
        let hunks = self.change.iter().flat_map(|change| &change.hunks);
        let lines = hunks.flat_map(Hunk::lines);
        let removed = lines.filter(|line| line.kind == LineKind::Removed);
        removed.map(|line| without_blanks(line.text)).collect()
    }

    /// The most of the quoted lines that stand below each other near one place, and of equals those nearest to where they
    /// stood.
    fn standing_lines(&self, quoted: &[&str]) -> StandingLines {
        let last = quoted.len().saturating_sub(1);
        let places = quoted.iter().enumerate();
        let places: Vec<_> = places
            // One line that says something, with a bracket beside it, is meant as a whole.
            .map(|(nth, line)| self.places_of(line, last > 0 && (nth == 0 || nth == last)))
            .collect();
        let mut best = StandingLines::default();
        for first in 0..quoted.len() {
            for place in &places[first] {
                let chain = chain_from(first, place, &places);
                if chain.found.len() > best.found.len() {
                    best = chain;
                }
            }
        }
        best
    }

    /// Where a line stands as a whole, nearest first; of the first and the last one a part may be quoted.
    fn places_of(&self, line: &str, is_edge: bool) -> Vec<RangeInclusive<u32>> {
        let may_be_part = is_edge && without_blanks(line).chars().count() >= MIN_PART;
        let mut places = self.code.quoted_at(line);
        if places.is_empty() {
            places = self.code.quoted_at(line.strip_prefix('+').unwrap_or(line));
        }
        let whole = places
            .iter()
            .filter(|place| may_be_part || place.begins_line && place.ends_line);
        let mut numbers: Vec<_> = whole.map(numbers_of).collect();
        numbers.sort_by_key(|at| at.start().abs_diff(self.finding.location.line));
        numbers.truncate(MAX_PLACES);
        numbers
    }
}

/// The quoted lines from one on that stand below each other, each as near as it can.
fn chain_from(
    first: usize,
    place: &RangeInclusive<u32>,
    places: &[Vec<RangeInclusive<u32>>],
) -> StandingLines {
    let (mut found, mut end) = (vec![first], *place.end());
    for (nth, places) in places.iter().enumerate().skip(first + 1) {
        let below = places
            .iter()
            .filter(|at| *at.start() > end && *at.start() - end <= MAX_APART);
        if let Some(next) = below.min_by_key(|at| *at.start()) {
            found.push(nth);
            end = *next.end();
        }
    }
    StandingLines {
        found,
        at: Some(*place.start()..=end),
    }
}

/// A line of a diff without its mark, if it has one: a judge may quote it as it was shown.
fn without_mark(line: &str) -> &str {
    line.strip_prefix(['-', '+']).unwrap_or(line)
}

pub(super) fn without_blanks(line: &str) -> String {
    line.chars().filter(|c| !c.is_whitespace()).collect()
}
