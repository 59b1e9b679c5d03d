//! A tool's plain lines as a whole: whether words in which no line reports a place say that nothing was found.
//!
//! Summaries differ from tool to tool, so their words are read by what they count: `0 errors`, `no issues found`. Whoever says
//! something else, in a format that is not ours, has not said that all is well.

use council_protocol::{Failure, Severity};

use super::unread_words::{named_paths, says_file_unread, says_unread};
use super::{HitSink, ToolHit, lines, malformed_report};

/// The most characters of a tool's words in a failure.
const MAX_WORDS: usize = 200;

/// What tools count.
const COUNTED: &[&str] = &[
    "error",
    "errors",
    "warning",
    "warnings",
    "problem",
    "problems",
    "issue",
    "issues",
    "violation",
    "violations",
    "finding",
    "findings",
    "failure",
    "failures",
    "failed",
    "offense",
    "offenses",
    "offence",
    "offences",
    "defect",
    "defects",
    "vulnerability",
    "vulnerabilities",
    "diagnostic",
    "diagnostics",
    "mistake",
    "mistakes",
    "leak",
    "leaks",
    "fixes",
    "informations",
    "hint",
    "hints",
];

/// Words that count nothing.
const ZEROS: &[&str] = &["0", "no", "zero", "without", "none"];

/// So many words before what is counted its number may stand: `no critical or significant issues`.
const COUNT_REACH: usize = 4;

/// Phrases that say that nothing was found.
const CLEAN: &[&str] = &[
    "all checks passed",
    "all checks have passed",
    "all good",
    "all clear",
    "looks good",
    "success",
    "all files pass",
    "all matched files use",
    "already formatted",
    "left unchanged",
    "audit done",
    "syntax ok",
    "rated at 10 00 10",
    "nothing found",
    "found nothing",
];

/// Whole lines that say so.
const CLEAN_LINES: &[&str] = &["ok", "0", "clean", "pass", "passed", "all passed"];

/// Phrases that say the contrary.
const UNCLEAN: &[&str] = &[
    "not ok",
    "fail",
    "fails",
    "has been rated at",
    "skipped",
    "ignored",
    "no files",
];

/// Phrases that say that a file was not looked at, whatever else a line says.
const NOT_LOOKED: &[&str] = &[
    "0 source files",
    "in 0 files",
    "checked 0 files",
    "0 files checked",
    "scanned 0 files",
    "0 files scanned",
    "0 files analyzed",
    "0 files inspected",
    "be parsed",
    "not parsed",
    "could not parse",
    "cannot parse",
    "failed to parse",
    "unable to parse",
    "not checked",
    "not linted",
    "skipping",
    "excluded",
    "excluding",
];

/// How a summary begins of what was reported line by line: a compiler that gives up has looked.
const SUMMARIES: [&str; 5] = [
    "error: aborting due to",
    "error: could not compile",
    "error: build failed",
    "error: command failed",
    "error: process",
];

/// What a line says that reports no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineSense {
    /// Nothing: no word stands in it, or it explains another line.
    Silent,
    /// That nothing was found.
    Clean,
    /// That something was found, or left out.
    Unclean,
    /// Something else, such as how far the tool is.
    Other,
}

/// What is known of a tool's lines while they are read.
#[derive(Default)]
pub(super) struct PlainOutput {
    hits: usize,
    /// The first line that says that the tool broke down.
    complaint: Option<String>,
    is_clean: bool,
    /// The last line that says that something was found, and in no form that is read.
    unclean: Option<String>,
    /// The last line that says something else.
    other: Option<String>,
    /// The first lines that say that a file was not read.
    unread: Vec<String>,
}

/// The most lines about files that were not read.
const MAX_UNREAD: usize = 8;

impl PlainOutput {
    /// Reads a line; what it reports is handed to `sink`.
    pub(super) fn read_line(&mut self, line: &str, sink: &mut HitSink<'_>) {
        let line = lines::without_colours(line);
        if let Some(hit) = lines::parse_line(&line) {
            self.hits += 1;
            return sink.offer(hit);
        }
        if self.complaint.is_none() && lines::is_breakdown(&line) {
            self.complaint = Some(line.into_owned());
            return;
        }
        let names_file = || named_paths(&line).next().is_some();
        let is_unread = says_file_unread(&line) || says_unread(&line) && names_file();
        if is_unread && !lines::names_place(&line) && self.unread.len() < MAX_UNREAD {
            self.unread.push(line.clone().into_owned());
        }
        match sense_of(&line) {
            LineSense::Silent => {}
            LineSense::Clean => self.is_clean = true,
            LineSense::Unclean => self.unclean = Some(line.into_owned()),
            LineSense::Other => self.other = Some(line.into_owned()),
        }
    }

    /// Whether the tool has looked, and its words were understood. Beside lines that report something it may say that it broke
    /// down, or did not read a file: that is handed to `sink`.
    ///
    /// # Errors
    /// `malformed` where it only says that it broke down, or words that say neither where something is nor that nothing is.
    pub(super) fn finish(self, sink: &mut HitSink<'_>) -> Result<(), Failure> {
        if self.hits > 0 {
            let is_summary = |line: &String| {
                let line = line.trim().to_lowercase();
                SUMMARIES.iter().any(|begin| line.starts_with(begin))
            };
            let broken = self.complaint.filter(|line| !is_summary(line));
            let broken =
                broken.map(|line| format!("it broke down, and more may be not read: {line}"));
            let told = broken.into_iter().chain(self.unread);
            told.for_each(|line| sink.offer_trouble(trouble_of(&line)));
            return Ok(());
        }
        if let Some(line) = self.complaint {
            let detail = format!("no line of it reports a place, and one says: {line}");
            return Err(malformed_report(detail));
        }
        match self.unclean.or(self.other.filter(|_| !self.is_clean)) {
            None => Ok(()),
            Some(line) => {
                let words: String = line.trim().chars().take(MAX_WORDS).collect();
                Err(malformed_report(format!(
                    "no line of it reports a place (`path:line: message`), and none says that nothing was found; its last \
                     words: {words}. Let it print one line for each problem, and nothing else"
                )))
            }
        }
    }
}

/// What a line tells that is about no place.
fn trouble_of(line: &str) -> ToolHit {
    ToolHit {
        severity: Severity::Significant,
        rule: None,
        message: line.trim().chars().take(MAX_WORDS).collect(),
        path: String::new(),
        line: 0,
        end_line: None,
        suggestion: None,
        page: None,
    }
}

fn sense_of(line: &str) -> LineSense {
    let lower = line.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let spaced = format!(" {} ", words.join(" "));
    let has = |phrases: &[&str]| {
        let stands = |phrase: &&str| spaced.contains(&format!(" {phrase} "));
        phrases.iter().any(stands)
    };
    if words.is_empty() || lines::names_place(line) {
        return LineSense::Silent;
    }
    let mut counts = (0..words.len()).filter(|at| COUNTED.contains(&words[*at]));
    let is_counting = counts.clone().next().is_some();
    if !counts.all(|at| is_zero_of(&words, at)) {
        return LineSense::Unclean;
    }
    match () {
        () if has(NOT_LOOKED) => LineSense::Unclean,
        () if has(CLEAN) || CLEAN_LINES.contains(&spaced.trim()) => LineSense::Clean,
        () if has(UNCLEAN) => LineSense::Unclean,
        () if is_counting => LineSense::Clean,
        () => LineSense::Other,
    }
}

/// Whether the number of what is counted in that place is none: `0 errors`, `errors: 0`.
fn is_zero_of(words: &[&str], at: usize) -> bool {
    let is_number = |word: &&&str| word.parse::<u64>().is_ok() || ZEROS.contains(*word);
    let before = &words[at.saturating_sub(COUNT_REACH)..at];
    let number = before.iter().rev().find(is_number);
    let behind = words.get(at + 1..).unwrap_or_default();
    // `error(s)`
    let behind = behind.strip_prefix(&["s"]).unwrap_or(behind);
    let number = number.or_else(|| behind.first().filter(|word| is_number(word)));
    number.is_some_and(|word| ZEROS.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_of_known_tools_say_that_nothing_was_found() {
        for line in [
            "All checks passed!",
            "Success: no issues found in 1 source file",
            "0",
            "Your code has been rated at 10.00/10 (previous run: 9.00/10, +1.00)",
            "✖ 0 problems (0 errors, 0 warnings)",
            "0 problems",
            "Found 0 errors. Watching for file changes.",
            "Found 0 errors",
            "0 issues.",
            "0 errors, 0 warnings, 0 informations",
            "1 file inspected, no offenses detected",
            "Summary: 0 error(s)",
            "Errors: 0, Warnings: 0",
            "No syntax errors detected in a.php",
            "Checked 1 file in 5ms. No fixes applied.",
            "All matched files use Prettier code style!",
            "Done linting! Found 0 violations, 0 serious in 1 file.",
            "No issues identified.",
            "OK",
        ] {
            assert_eq!(sense_of(line), LineSense::Clean, "{line}");
        }
    }

    #[test]
    fn whatever_counts_something_is_no_clean_report() {
        for line in [
            "✖ 2 problems (0 errors, 2 warnings)",
            "Found 3 issues in src/a.py",
            "  2:9  warning  eval can be harmful           no-eval",
            "Your code has been rated at 8.33/10",
            "0 errors, 2 warnings",
            "Found 1 error.",
            "Errors: 3",
            "1 passed, 1 failed",
            "1 file was skipped",
            "No files were checked",
            "Success: no issues found in 0 source files",
            "0 problems (1 file could not be parsed)",
            "0 issues. Warning: a.py excluded",
            "Skipping a.py",
            "Checked 0 files, 0 errors",
        ] {
            assert_eq!(sense_of(line), LineSense::Unclean, "{line}");
        }
        for line in ["Checking a.py ...", "/home/ci/src/a.js", "Linting 3 files"] {
            assert_eq!(sense_of(line), LineSense::Other, "{line}");
        }
        for line in ["", "-----", "************", "m.py:7: note: See the docs"] {
            assert_eq!(sense_of(line), LineSense::Silent, "{line}");
        }
    }
}
