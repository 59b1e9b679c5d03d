//! Whether a change holds the very lines to which an earlier review objected. Commits say little about it: they are squashed,
//! amended, or sent with others on top.

use std::ops::RangeInclusive;

use council_protocol::coverage::FileCoverage;
use council_protocol::{CoverageState, FileChange, LineKind, Proof, RepoPath, Severity};

use crate::council::outcome::{FindingLevel, JudgedFinding};
use crate::report::Report;
use crate::text::{CodeLetters, stands_still, telling_lines};

/// A shorter quote stands in many lines: it names those that consist of it (`n=0`), where it has a letter or digit at all.
const MIN_QUOTE_CHARS: usize = 4;

/// A line that is looked for in every file says at least so much: a shorter one may stand anywhere.
const MIN_MOVED_CHARS: usize = 8;

/// How many lines on either side of a quote tell one place of a line from another.
const NEAR_LINES: usize = 3;

/// The text of a file as a review saw it; none: it cannot be had any more.
pub(crate) type ReviewedText<'a> = &'a dyn Fn(&Report, &RepoPath) -> Option<String>;

/// The files of a change, and what tells whether a line in them is the one that a review saw or just looks like it.
#[derive(Clone, Copy)]
pub(crate) struct ChangedFiles<'a> {
    pub(crate) files: &'a [FileChange],
    pub(crate) reviewed: ReviewedText<'a>,
}

impl<'a> ChangedFiles<'a> {
    /// Files alone: each line that looks like a reviewed one is taken for it.
    #[cfg(test)]
    pub(crate) fn alone(files: &'a [FileChange]) -> Self {
        Self {
            files,
            reviewed: &|_, _| None,
        }
    }

    fn at(&self, path: &RepoPath) -> Option<&'a FileChange> {
        let is_it = |file: &&FileChange| file.path == *path || file.path_before() == path;
        self.files.iter().find(is_it)
    }
}

/// Whether all that is quoted by one of the findings that made a review object stands in the hunks of the same file, or was
/// moved to another one: a new name mends nothing.
pub(crate) fn holds_objected_lines(standing: &Report, change: &ChangedFiles<'_>) -> bool {
    let has_all = has_all_files(standing, change);
    objecting(standing).into_iter().any(|found| {
        let file = change.at(&found.finding.location.path);
        let is_here = file.is_some_and(|file| {
            has_quote(file, found, has_all) && !is_mended(standing, found, file, change)
                || is_still_missing(standing, found, file, change)
        });
        is_here || is_moved(standing, found, change)
    })
}

/// Whether the lines between which removed ones stood are still next to each other, though the diff removes none such: it pairs
/// them with the same lines of another function.
fn is_still_missing(
    standing: &Report,
    found: &JudgedFinding,
    file: &FileChange,
    change: &ChangedFiles<'_>,
) -> bool {
    let Some(beside) = lines_beside_removed(standing, found, change) else {
        return false;
    };
    let lines = file.hunks.iter().flat_map(|hunk| hunk.lines());
    let lines = lines.filter(|line| line.kind != LineKind::Removed && is_telling(line.text));
    let lines: Vec<String> = lines.map(|line| without_blanks(line.text)).collect();
    lines.windows(2).any(|pair| pair == beside)
}

/// The lines above and below the place of removed ones, as a review saw it, without blanks.
fn lines_beside_removed(
    standing: &Report,
    found: &JudgedFinding,
    change: &ChangedFiles<'_>,
) -> Option<[String; 2]> {
    let mut proofs = found.members.iter().map(|member| &member.proof);
    let next = proofs.find_map(|proof| match proof {
        Proof::Removed { line, .. } => Some(*line as usize),
        _ => None,
    })?;
    let text = (change.reviewed)(standing, &found.finding.location.path)?;
    let lines: Vec<&str> = text.lines().collect();
    let (above, below) = lines.split_at_checked(next.checked_sub(1)?)?;
    let above = above.iter().rfind(|line| is_telling(line))?;
    let below = below.iter().find(|line| is_telling(line))?;
    Some([without_blanks(above), without_blanks(below)])
}

/// Whether the line in question is gone from its file: one that looks like it stands there, and none of the lines that stood
/// around it.
fn is_mended(
    standing: &Report,
    found: &JudgedFinding,
    file: &FileChange,
    change: &ChangedFiles<'_>,
) -> bool {
    !is_about_removed(found)
        && lines_around(standing, found, change).is_some_and(|around| {
            let kept = most_kept(file, found, &around);
            !around.is_empty() && kept == 0
        })
}

/// The lines that a review saw around a quote, without blanks; none: they cannot be had any more.
fn lines_around(
    standing: &Report,
    found: &JudgedFinding,
    change: &ChangedFiles<'_>,
) -> Option<Vec<String>> {
    let place = &found.finding.location;
    let text = (change.reviewed)(standing, &place.path)?;
    let at = (place.line as usize).checked_sub(1)?;
    let behind = at + found.finding.quote.trim().lines().count().max(1);
    let near = at.saturating_sub(NEAR_LINES)..behind + NEAR_LINES;
    let lines = text
        .lines()
        .enumerate()
        .filter(|(index, _)| near.contains(index) && !(at..behind).contains(index));
    let lines = lines.map(|(_, line)| without_blanks(line));
    Some(lines.filter(|line| is_telling(line)).collect())
}

/// How many of these lines stand around the quote in a file, at the place where most of them do.
fn most_kept(file: &FileChange, found: &JudgedFinding, around: &[String]) -> usize {
    let lines = file.hunks.iter().flat_map(|hunk| hunk.lines());
    let lines: Vec<&str> = lines
        .filter(|line| line.kind != LineKind::Removed)
        .map(|line| line.text)
        .collect();
    let bare: Vec<String> = lines.iter().map(|line| without_blanks(line)).collect();
    let quote: Vec<String> = found.finding.quote.lines().map(without_blanks).collect();
    // A line that is quoted as removed stands nowhere.
    let is_mark = |line: &&String| is_telling(line) && !line.starts_with('-');
    let first = quote.iter().find(is_mark);
    let first = first.or_else(|| quote.iter().find(|line| is_telling(line)));
    let places = (0..bare.len()).filter(|&at| first.is_some_and(|first| bare[at].contains(first)));
    let as_quoted = places.map(|at| (at, at + quote.len()));
    let code = CodeLetters::of(lines.iter().copied());
    let wrapped = code.places_of(&found.finding.quote).into_iter();
    let wrapped = wrapped.map(|place| (*place.start(), place.end() + 1));
    let kept = |(first, end): (usize, usize)| {
        let last = (end + NEAR_LINES).min(bare.len());
        let near = &bare[first.saturating_sub(NEAR_LINES)..last];
        around.iter().filter(|line| near.contains(line)).count()
    };
    as_quoted.chain(wrapped).map(kept).max().unwrap_or(0)
}

/// Whether a line says anything that tells it from others: braces do not.
fn is_telling(line: &str) -> bool {
    line.contains(char::is_alphanumeric)
}

/// The findings that made a review object.
fn objecting(standing: &Report) -> Vec<&JudgedFinding> {
    let findings = standing.outcome.findings.iter();
    let fails = |found: &&JudgedFinding| found.level == Some(FindingLevel::Fail);
    let is_critical = |found: &&JudgedFinding| {
        found.level.is_some() && found.finding.severity == Severity::Critical
    };
    let failing: Vec<_> = findings.clone().filter(fails).collect();
    match failing.is_empty() {
        false => failing,
        // Where a judge objected and too few answered, nothing has come to FAIL.
        true => findings.filter(is_critical).collect(),
    }
}

/// The other files of the change that add all that a finding quotes.
fn files_adding<'s>(
    found: &'s JudgedFinding,
    change: &'s ChangedFiles<'_>,
) -> impl Iterator<Item = &'s FileChange> {
    let quote = without_blanks(&found.finding.quote);
    let path = &found.finding.location.path;
    let is_named = quote.chars().count() >= MIN_MOVED_CHARS && !is_about_removed(found);
    let others = change.files.iter().filter(move |file| file.path != *path);
    others.filter(move |file| is_named && has_quote(file, found, false))
}

/// Whether another file of the change adds all that a finding quotes, with most of what stood around it: everyday lines
/// (`return None`) stand anywhere.
fn is_moved(standing: &Report, found: &JudgedFinding, change: &ChangedFiles<'_>) -> bool {
    let mut adding = files_adding(found, change).peekable();
    if adding.peek().is_none() {
        return false;
    }
    let around = lines_around(standing, found, change).unwrap_or_default();
    adding.any(|file| most_kept(file, found, &around) * 2 >= around.len())
}

/// Whether a change has every file that a review has looked at, be it under a new name.
pub(super) fn has_all_files(standing: &Report, change: &ChangedFiles<'_>) -> bool {
    let objecting = objecting(standing);
    let is_renamed = |path: &RepoPath| {
        let mut found = objecting
            .iter()
            .filter(|f| f.finding.location.path == *path);
        let first = found.next();
        let is_moved = |f: &&&JudgedFinding| is_moved(standing, f, change);
        first.as_ref().is_some_and(is_moved) && found.all(|f| is_moved(&f))
    };
    let mut covered = standing.outcome.coverage.files.iter();
    covered.all(|file| change.at(&file.path).is_some() || is_renamed(&file.path))
}

/// Whether one of the lines to which somebody objected stands as it stood, and nothing around it has changed, be it in a file
/// of another name.
pub(super) fn holds_objected_unchanged(standing: &Report, change: &ChangedFiles<'_>) -> bool {
    objecting(standing).into_iter().any(|found| {
        let around =
            std::cell::LazyCell::new(|| lines_around(standing, found, change).unwrap_or_default());
        let is_kept = |file: &FileChange| most_kept(file, found, &around) == around.len();
        let own = change.at(&found.finding.location.path);
        own.is_some_and(|file| has_quote(file, found, true) && is_kept(file))
            || files_adding(found, change).any(is_kept)
    })
}

/// Whether a later review of these files left out one to which somebody objected, or, where nobody named one, one that was
/// read then: who skipped it has nothing to say of it.
pub(super) fn leaves_out_objected(
    standing: &Report,
    later: &Report,
    change: &ChangedFiles<'_>,
) -> bool {
    let named = objecting(standing).into_iter();
    let mut paths: Vec<&RepoPath> = named.map(|found| &found.finding.location.path).collect();
    if paths.is_empty() {
        let read = standing.outcome.coverage.files.iter();
        let read = read.filter(|file| !is_skipped(&file.state));
        paths.extend(read.map(|file| &file.path));
    }
    let is_meant = |file: &FileCoverage| {
        let is_it = |path: &&RepoPath| {
            **path == file.path || change.at(path).is_some_and(|now| now.path == file.path)
        };
        paths.iter().any(is_it)
    };
    let mut covered = later.outcome.coverage.files.iter();
    covered.any(|file| is_skipped(&file.state) && is_meant(file))
}

fn is_skipped(state: &CoverageState) -> bool {
    matches!(state, CoverageState::Skipped { .. })
}

/// Whether every quoted line is one that the change adds; removes, where the finding is about removed lines; or only leaves
/// where it is, if the change has all that was reviewed. Whoever mends a line that was pushed all the same removes it, and
/// is not to be stopped by what was said of it.
fn has_quote(file: &FileChange, found: &JudgedFinding, may_be_context: bool) -> bool {
    let quote = &found.finding.quote;
    if !quote.contains(char::is_alphanumeric) {
        return false;
    }
    let is_short = without_blanks(quote).chars().count() < MIN_QUOTE_CHARS;
    let is_removed = is_about_removed(found);
    let is_meant = |kind: LineKind| match kind {
        LineKind::Added => !is_removed,
        LineKind::Removed => is_removed,
        LineKind::Context => !is_removed && may_be_context,
    };
    let lines = file.hunks.iter().flat_map(|hunk| hunk.lines());
    let lines: Vec<String> = lines
        .filter(|line| is_meant(line.kind))
        .map(|line| without_blanks(line.text))
        .collect();
    if !is_short && stands_wrapped(file, quote, is_removed, &is_meant) {
        return true;
    }
    if still_removes(file, quote) {
        return true;
    }
    // Of a block it is about some lines; a new name in another one mends nothing.
    let said = format!("{} {}", found.finding.description, found.finding.why);
    let is_it = |line: &String, wanted: &str| match is_short {
        true => line == wanted,
        false => line.contains(wanted),
    };
    stands_still(quote, &said, |wanted| {
        let wanted = without_blanks(wanted);
        lines.iter().any(|line| is_it(line, &wanted))
    })
}

/// Whether a change removes all lines that a quoted piece of the diff shows as removed.
fn still_removes(file: &FileChange, quote: &str) -> bool {
    let lines = file.hunks.iter().flat_map(|hunk| hunk.lines());
    let removed = lines.filter(|line| line.kind == LineKind::Removed);
    let removed: Vec<String> = removed.map(|line| without_blanks(line.text)).collect();
    let shown = telling_lines(quote).into_iter();
    let mut shown = shown.filter_map(|line| line.strip_prefix('-')).peekable();
    let is_removed = |line: &str| {
        let line = without_blanks(line);
        removed.iter().any(|removed| removed.contains(&line))
    };
    shown.peek().is_some() && shown.all(is_removed)
}

/// Whether a quote stands in the lines of one side, however a formatter has broken them, and all that it says on meant ones.
fn stands_wrapped(
    file: &FileChange,
    quote: &str,
    is_removed: bool,
    is_meant: &dyn Fn(LineKind) -> bool,
) -> bool {
    let other = match is_removed {
        true => LineKind::Added,
        false => LineKind::Removed,
    };
    file.hunks.iter().any(|hunk| {
        let lines: Vec<_> = hunk.lines().filter(|line| line.kind != other).collect();
        let code = CodeLetters::of(lines.iter().map(|line| line.text));
        let is_whole = |place: RangeInclusive<usize>| {
            let mut lines = lines[place].iter().filter(|line| is_telling(line.text));
            lines.all(|line| is_meant(line.kind))
        };
        code.places_of(quote).into_iter().any(is_whole)
    })
}

fn is_about_removed(found: &JudgedFinding) -> bool {
    let mut members = found.members.iter();
    members.any(|member| matches!(member.proof, Proof::Removed { .. }))
}

/// The longest word of each quote that made a review object: where none of them stands, no line in question does.
pub(super) fn objected_words(standing: &Report) -> Vec<String> {
    let words = objecting(standing).into_iter().filter_map(|found| {
        let words = found.finding.quote.split_whitespace();
        words.max_by_key(|word| word.len()).map(str::to_owned)
    });
    words.collect()
}

/// Whoever quotes a line, or formats it anew, may set its blanks otherwise.
fn without_blanks(line: &str) -> String {
    line.chars().filter(|c| !c.is_whitespace()).collect()
}

#[cfg(test)]
#[path = "objected_lines_tests.rs"]
mod tests;
