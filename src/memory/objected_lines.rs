//! Whether a change holds the very lines to which an earlier review objected. Commits say little about it: they are squashed,
//! amended, or sent with others on top.

use council_protocol::{FileChange, LineKind, Proof, RepoPath, Severity};

use crate::council::outcome::{FindingLevel, JudgedFinding};
use crate::report::Report;

/// A shorter quote stands in many lines: it names those that consist of it (`n=0`), where it has a letter or digit at all.
const MIN_QUOTE_CHARS: usize = 4;

/// Whether all that is quoted by one of the findings that made a review object stands in the hunks of the same file.
pub(super) fn holds_objected_lines(standing: &Report, files: &[FileChange]) -> bool {
    let findings = &standing.outcome.findings;
    let fails = |found: &&JudgedFinding| found.level == Some(FindingLevel::Fail);
    let is_critical = |found: &&JudgedFinding| {
        found.level.is_some() && found.finding.severity == Severity::Critical
    };
    let has_all = has_all_files(standing, files);
    let holds = |found: &JudgedFinding| {
        let file = file_at(files, &found.finding.location.path);
        file.is_some_and(|file| has_quote(file, found, has_all))
    };
    match findings.iter().any(|found| fails(&found)) {
        true => findings.iter().filter(fails).any(holds),
        // Where a judge objected and too few answered, nothing has come to FAIL.
        false => findings.iter().filter(is_critical).any(holds),
    }
}

/// Whether a change has every file that a review has looked at.
pub(super) fn has_all_files(standing: &Report, files: &[FileChange]) -> bool {
    let mut covered = standing.outcome.coverage.files.iter();
    covered.all(|file| file_at(files, &file.path).is_some())
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
    let mut members = found.members.iter();
    let is_removed = members.any(|member| matches!(member.proof, Proof::Removed { .. }));
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

/// Whoever quotes a line, or formats it anew, may set its blanks otherwise.
fn without_blanks(line: &str) -> String {
    line.chars().filter(|c| !c.is_whitespace()).collect()
}

#[cfg(test)]
#[path = "objected_lines_tests.rs"]
mod tests;
