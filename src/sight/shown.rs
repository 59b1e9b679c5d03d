//! What a brief shows already, so that no line stands in it twice.

use std::collections::{HashMap, HashSet};

use council_protocol::RepoPath;

/// Lines of files that are shown already, the change's own hunks among them.
#[derive(Default)]
pub(super) struct ShownLines(HashMap<RepoPath, HashSet<u32>>);

impl ShownLines {
    pub(super) fn add(&mut self, path: &RepoPath, lines: impl IntoIterator<Item = u32>) {
        self.0.entry(path.clone()).or_default().extend(lines);
    }

    /// The first and the last of these lines that are not shown; none: all are.
    pub(super) fn missing(&self, path: &RepoPath, start: u32, end: u32) -> Option<(u32, u32)> {
        let shown = self.0.get(path);
        let is_missing = |line: &u32| shown.is_none_or(|shown| !shown.contains(line));
        let first = (start..=end).find(is_missing)?;
        let last = (start..=end).rev().find(is_missing)?;
        Some((first, last))
    }

    /// The next run of lines that are not shown.
    pub(super) fn next_gap(&self, path: &RepoPath, from: u32, last: u32) -> Option<(u32, u32)> {
        let (start, _) = self.missing(path, from, last)?;
        let shown = self.0.get(path);
        let is_shown = |line: &u32| shown.is_some_and(|shown| shown.contains(line));
        let end = (start..=last).find(is_shown).map_or(last, |line| line - 1);
        Some((start, end))
    }
}

/// `line 3`, `lines 3-5, 9`.
pub(super) fn describe_lines(lines: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &line in lines {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == line => *end = line,
            _ => runs.push((line, line)),
        }
    }
    let more = if runs.len() > 6 { ", …" } else { "" };
    let shown: Vec<String> = runs
        .iter()
        .take(6)
        .map(|(start, end)| {
            if start == end {
                start.to_string()
            } else {
                format!("{start}-{end}")
            }
        })
        .collect();
    let noun = if lines.len() == 1 { "line" } else { "lines" };
    format!("{noun} {}{more}", shown.join(", "))
}
