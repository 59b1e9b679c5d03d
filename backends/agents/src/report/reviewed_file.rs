//! A file under review, as results are held against it: whether the change brought a line, and what to quote of it.

use std::collections::BTreeSet;

use council_protocol::answer::NO_CAUSE;
use council_protocol::change::LineKind;
use council_protocol::{FileChange, Finding, Location, RepoPath, Severity};

use super::ToolHit;

/// The most lines of a quote.
const MAX_QUOTE_LINES: u32 = 5;

/// A file under review, as hits are held against it.
pub(super) struct ReviewedFile<'a> {
    pub(super) path: &'a RepoPath,
    pub(super) added: BTreeSet<u32>,
    /// The reviewed side; empty where it cannot be read.
    pub(super) lines: Vec<String>,
}

impl ReviewedFile<'_> {
    /// Whether these lines hold one that the change brought; line 0 is the file as a whole.
    pub(super) fn touches(&self, line: u32, end_line: u32) -> bool {
        let last = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
        let line = if self.is_behind(line) { last } else { line };
        line == 0 || self.added.range(line..=end_line.max(line)).next().is_some()
    }

    /// Whether a line is behind the last one of what is known of the file.
    pub(super) fn is_behind(&self, line: u32) -> bool {
        !self.lines.is_empty() && line as usize > self.lines.len()
    }

    /// A line without the white space around it; empty where there is none.
    pub(super) fn line_text(&self, line: u32) -> &str {
        let index = (line as usize).checked_sub(1);
        index
            .and_then(|index| self.lines.get(index))
            .map_or("", |line| line.trim())
    }

    pub(super) fn finding_of(&self, hit: &ToolHit, severity: Severity) -> Finding {
        let (line, end) = (hit.line, hit.end_line.unwrap_or(hit.line).max(hit.line));
        let (line, end, quote) = match self.said_lines(line, end) {
            Some((line, end)) => (line, end, self.quote_of(line, end)),
            None => (0, 0, String::new()),
        };
        Finding {
            severity,
            category: category_of(hit.rule.as_deref()),
            rule: hit.rule.clone(),
            description: hit.message.clone(),
            location: Location {
                path: self.path.clone(),
                line,
                end_line: (end > line).then_some(end),
            },
            quote,
            why: NO_CAUSE.to_owned(),
            fix: String::new(),
            suggestion: hit.suggestion.clone(),
            reference: hit.page.clone(),
        }
    }

    /// The lines of a hit that can be quoted, without blank ones at their ends: a blank line quotes nothing. Where all are
    /// blank, or behind the end, they begin at the last line with text before them, or else are the first behind them.
    /// None: the file as a whole, or one that has no text.
    fn said_lines(&self, line: u32, end: u32) -> Option<(u32, u32)> {
        let has_text = |line: &u32| !self.line_text(*line).is_empty();
        let count = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
        let (line, end) = (line.min(count), end.min(count));
        if line == 0 {
            return None;
        }
        match (line..=end).find(has_text) {
            Some(first) => {
                let last = (first..=end).rev().find(has_text).unwrap_or(first);
                Some((first, last))
            }
            None => {
                let before = (1..line).rev().find(has_text).map(|first| (first, end));
                before.or_else(|| {
                    let after = (end..=count).find(has_text)?;
                    Some((after, after))
                })
            }
        }
    }

    /// What stands on these lines, from 1, as far as it is worth quoting.
    fn quote_of(&self, line: u32, end: u32) -> String {
        let from = line as usize - 1;
        let to = end.min(line.saturating_add(MAX_QUOTE_LINES - 1)) as usize;
        let lines = self.lines.get(from..to).unwrap_or_default();
        lines.join("\n").trim_end().to_owned()
    }
}

/// The lines of a file, on the reviewed side, that the change added or altered.
pub(super) fn added_lines(file: &FileChange) -> BTreeSet<u32> {
    let lines = file.hunks.iter().flat_map(|hunk| hunk.lines());
    lines
        .filter(|line| line.kind == LineKind::Added)
        .filter_map(|line| line.new_no)
        .collect()
}

/// The part of a rule's name that says what it is about: `python.lang.security.eval` → `eval`.
fn category_of(rule: Option<&str>) -> String {
    let last = |rule: &str| {
        rule.rsplit(['.', '/', ':'])
            .next()
            .unwrap_or(rule)
            .to_owned()
    };
    rule.map(last).unwrap_or_default()
}
