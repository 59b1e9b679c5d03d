//! Whether a change holds the very lines to which an earlier review objected. Commits say little about it: they are squashed,
//! amended, or sent with others on top.

use council_protocol::{FileChange, LineKind, Proof, RepoPath, Severity};

use crate::council::outcome::{FindingLevel, JudgedFinding};
use crate::report::Report;

/// A shorter quote stands in many lines: it names those that consist of it (`n=0`), where it has a letter or digit at all.
const MIN_QUOTE_CHARS: usize = 4;

/// A line that is looked for in every file says at least so much: a shorter one may stand anywhere.
const MIN_MOVED_CHARS: usize = 8;

/// Whether all that is quoted by one of the findings that made a review object stands in the hunks of the same file, or was
/// moved to another one: a new name mends nothing.
pub(super) fn holds_objected_lines(standing: &Report, files: &[FileChange]) -> bool {
    let has_all = has_all_files(standing, files);
    objecting(standing).into_iter().any(|found| {
        let file = file_at(files, &found.finding.location.path);
        file.is_some_and(|file| has_quote(file, found, has_all)) || is_moved(found, files)
    })
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

/// Whether another file of the change adds all that a finding quotes.
fn is_moved(found: &JudgedFinding, files: &[FileChange]) -> bool {
    let quote = without_blanks(&found.finding.quote);
    let path = &found.finding.location.path;
    let mut others = files.iter().filter(|file| file.path != *path);
    let is_named = quote.chars().count() >= MIN_MOVED_CHARS && !is_about_removed(found);
    is_named && others.any(|file| has_quote(file, found, false))
}

/// Whether a change has every file that a review has looked at, be it under a new name.
pub(super) fn has_all_files(standing: &Report, files: &[FileChange]) -> bool {
    let objecting = objecting(standing);
    let is_renamed = |path: &RepoPath| {
        let mut found = objecting
            .iter()
            .filter(|f| f.finding.location.path == *path);
        let first = found.next();
        first.is_some_and(|f| is_moved(f, files)) && found.all(|f| is_moved(f, files))
    };
    let mut covered = standing.outcome.coverage.files.iter();
    covered.all(|file| file_at(files, &file.path).is_some() || is_renamed(&file.path))
}

fn file_at<'f>(files: &'f [FileChange], path: &RepoPath) -> Option<&'f FileChange> {
    let is_it = |file: &&FileChange| file.path == *path || file.path_before() == path;
    files.iter().find(is_it)
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
    let mut wanted = quote.lines().map(without_blanks);
    let is_it = |line: &String, wanted: &str| match is_short {
        true => line == wanted,
        false => line.contains(wanted),
    };
    wanted.all(|wanted| lines.iter().any(|line| is_it(line, &wanted)))
}

fn is_about_removed(found: &JudgedFinding) -> bool {
    let mut members = found.members.iter();
    members.any(|member| matches!(member.proof, Proof::Removed { .. }))
}

/// Whoever quotes a line, or formats it anew, may set its blanks otherwise.
fn without_blanks(line: &str) -> String {
    line.chars().filter(|c| !c.is_whitespace()).collect()
}

#[cfg(test)]
#[path = "objected_lines_tests.rs"]
mod tests;
