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
    "fatal",
    "fatals",
    "critical",
    "criticals",
    "blocker",
    "blockers",
    "exception",
    "exceptions",
    "crash",
    "crashes",
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

/// Words by which a line takes back what it says before them.
const EXCEPTIONS: &[&str] = &[
    "but", "except", "however", "although", "though", "unless", "aber", "außer",
];

/// What a tool says of itself, or of a file, that it did not get through.
const BROKEN: &[&str] = &[
    "broken",
    "crashed",
    "aborted",
    "killed",
    "incomplete",
    "partial",
    "partially",
    "unreadable",
    "corrupt",
    "interrupted",
    "skipped",
    "skipping",
    "ignored",
    "ignoring",
    "unable",
    "cannot",
    "couldn't",
    "not",
];

/// What a summary numbers beside what it counts: how much was looked at, and how long that took.
const LOOKED_AT: &[&str] = &[
    "file",
    "files",
    "source",
    "sources",
    "module",
    "modules",
    "package",
    "packages",
    "crate",
    "crates",
    "line",
    "lines",
    "test",
    "tests",
    "check",
    "checks",
    "rule",
    "rules",
    "commit",
    "commits",
    "function",
    "functions",
    "class",
    "classes",
    "target",
    "targets",
    "project",
    "projects",
    "folder",
    "folders",
    "directory",
    "directories",
    "document",
    "documents",
    "resource",
    "resources",
    "item",
    "items",
    "dependencies",
    "advisories",
    "workflow",
    "workflows",
    "script",
    "scripts",
    "template",
    "templates",
    "statement",
    "statements",
    "operation",
    "operations",
    "image",
    "images",
    "page",
    "pages",
    "passed",
    "ok",
    "done",
    "checked",
    "scanned",
    "analyzed",
    "analysed",
    "inspected",
    "audited",
    "total",
    "ms",
    "s",
    "sec",
    "secs",
    "second",
    "seconds",
    "minute",
    "minutes",
    "bytes",
    "kb",
    "mb",
    "gb",
    "of",
    "out",
    "in",
    "with",
    "and",
    "changed",
    "python",
    "javascript",
    "typescript",
    "yaml",
    "json",
    "html",
    "css",
    "shell",
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
    let clean_unless_taken_back = || match is_taken_back(line, &words) {
        true => LineSense::Unclean,
        false => LineSense::Clean,
    };
    match () {
        () if has(NOT_LOOKED) => LineSense::Unclean,
        () if has(CLEAN) || CLEAN_LINES.contains(&spaced.trim()) => clean_unless_taken_back(),
        () if has(UNCLEAN) => LineSense::Unclean,
        () if is_counting => clean_unless_taken_back(),
        () => LineSense::Other,
    }
}

/// Whether a line says more than that nothing was found: with an exception, of what was left out or broke down, or with a
/// number of something that is none of what was looked at.
fn is_taken_back(line: &str, words: &[&str]) -> bool {
    words.iter().any(|word| EXCEPTIONS.contains(word))
        || statements(line).iter().any(|said| breaks(said))
        || numbers_others(line)
}

/// What a line says, one statement after the other. A colon before a number ends none: `skipped: 0`.
fn statements(line: &str) -> Vec<String> {
    let line = [" - ", " – ", " — "]
        .iter()
        .fold(line.to_owned(), |line, dash| line.replace(dash, "; "));
    let mut said = vec![String::new()];
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        let is_counting = || {
            let mut behind = rest.clone().skip_while(|c| c.is_whitespace());
            behind.next().is_some_and(|c| c.is_ascii_digit())
        };
        match c {
            ',' | ';' | '(' | ')' | '!' | '.' => said.push(String::new()),
            ':' if !is_counting() => said.push(String::new()),
            c => said.last_mut().into_iter().for_each(|last| last.push(c)),
        }
    }
    said
}

/// Whether a statement says that something was left out, or broke down, and not how often it did not: `0 files skipped`.
fn breaks(said: &str) -> bool {
    let lower = said.to_lowercase();
    let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '\''));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let is_zeroed = |at: usize| {
        let near = &words[at.saturating_sub(2)..(at + 2).min(words.len())];
        near.iter().any(|word| ZEROS.contains(word))
    };
    let mut words = words.iter().enumerate();
    words.any(|(at, word)| BROKEN.contains(word) && !is_zeroed(at))
}

/// Whether a line numbers something that is none of what was looked at: `3 of them`, `(2 odd)`. A part of a time or a
/// version is no number, and what tools count is looked at elsewhere.
fn numbers_others(line: &str) -> bool {
    let plain = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.to_lowercase()
    };
    let words: Vec<String> = line.split_whitespace().map(plain).collect();
    let words: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !word.is_empty())
        .collect();
    words.windows(2).any(|pair| {
        let is_some = pair[0].parse::<u64>().is_ok_and(|number| number > 0);
        let first = pair[1]
            .split(|c: char| !c.is_alphanumeric())
            .next()
            .unwrap_or_default();
        let is_number = first.starts_with(|c: char| c.is_ascii_digit());
        is_some && !is_number && !LOOKED_AT.contains(&first) && !COUNTED.contains(&first)
    })
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
            "3:04PM INF no leaks found",
            "INFO 14 commits scanned, no leaks found",
            "All files pass, 0 skipped, 0 ignored",
            "No issues found in 12 source files (checked 40 modules in 3 s)",
            "0 fatal, 0 critical, 0 crashed",
        ] {
            assert_eq!(sense_of(line), LineSense::Clean, "{line}");
        }
    }

    /// A sentence that finds nothing and says more beside is no clean report.
    #[test]
    fn a_clean_summary_that_takes_something_back_is_none() {
        let summaries = [
            "No problems found",
            "0 errors, 0 warnings",
            "0 problems",
            "Found 0 errors",
            "All checks passed!",
            "OK, no issues",
            "Success: no issues found in 1 source file",
        ];
        let more = [
            ", but a.py was not read",
            ", 3 criticals",
            ": a.py is broken",
            " (1 crashed)",
            " (a.py skipped)",
            " (but 2 fatal)",
            ", 2 odd",
            ". a.py could not be read",
            "; a.py ignored",
            " except in a.py",
            ", 1 critical",
            " (a.py: incomplete)",
            ", however 1 file is unreadable",
            ". Partially scanned.",
            ", 7 blockers",
            " - cannot open a.py",
        ];
        for (said, more) in summaries
            .iter()
            .flat_map(|said| more.map(|more| (said, more)))
        {
            let line = format!("{said}{more}");
            assert_eq!(sense_of(&line), LineSense::Unclean, "{line}");
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
