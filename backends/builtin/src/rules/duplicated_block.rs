//! `duplicated-block`: the same lines added twice by one change.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use council_protocol::change::FileStatus;

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "duplicated-block",
        perspective: MAINTAINABILITY,
        category: "duplication",
        severity: Minor,
        summary: "a block of code that the change adds twice",
        why: "The next fix will reach only one of the two copies.",
        fix: "Move it into a function, and call that twice.",
        examples: &[],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[],
    claims: &["duplicat", "copy-paste", "copied", "repeated code"],
    check: RuleCheck::Change(check_change),
};

/// Lines in a row, blank ones and lone brackets aside.
const MIN_BLOCK_LINES: usize = 20;

fn check_change(change: &ChangeView<'_>, hits: &mut HitList) {
    let mut seen: HashMap<u64, Vec<LineView<'_, '_>>> = HashMap::new();
    for file in change.files.iter().filter(|f| is_grown_code(f)) {
        for run in added_runs(file) {
            let lines: Vec<u64> = run.iter().map(|line| number_of(line.text())).collect();
            let mut copying = false;
            for (at, window) in lines.windows(MIN_BLOCK_LINES).enumerate() {
                let here = &run[at..at + MIN_BLOCK_LINES];
                let key = window.iter().fold(0, |sum: u64, n| sum.rotate_left(5) ^ n);
                let copied = match seen.get(&key) {
                    Some(there) => same_lines(here, there),
                    None => seen.insert(key, here.to_vec()).is_some(),
                };
                let elsewhere = copied && !is_laid_beside(file, seen[&key][0].file);
                if elsewhere && !copying && is_code(here) {
                    report_copy(here, &seen[&key], hits);
                }
                copying = copied;
            }
        }
    }
}

/// Whether both are new files of one name: a file that is meant to stand in several folders.
fn is_laid_beside(here: &FileView<'_>, there: &FileView<'_>) -> bool {
    let is_new = |file: &FileView<'_>| file.change.status == FileStatus::Added;
    here.index != there.index
        && here.file_name() == there.file_name()
        && is_new(here)
        && is_new(there)
}

fn report_copy(here: &[LineView<'_, '_>], there: &[LineView<'_, '_>], hits: &mut HitList) {
    let (first, last) = (here[0], here[MIN_BLOCK_LINES - 1]);
    let place = format!("{}:{}", there[0].file.path, there[0].number());
    let described = format!("At least {MIN_BLOCK_LINES} of these lines are repeated at {place}.");
    hits.push(first.lines_hit(last.number(), described));
}

/// Added lines that say something, in runs without a break.
fn added_runs<'f, 'a>(file: &'f FileView<'a>) -> Vec<Vec<LineView<'f, 'a>>> {
    let mut runs: Vec<Vec<LineView<'f, 'a>>> = Vec::new();
    let mut last = None;
    for line in file.added_lines() {
        if last != line.number().checked_sub(1) {
            runs.push(Vec::new());
        }
        last = Some(line.number());
        if let Some(run) = runs.last_mut().filter(|_| says_something(line.text())) {
            run.push(line);
        }
    }
    runs
}

fn same_lines(here: &[LineView<'_, '_>], there: &[LineView<'_, '_>]) -> bool {
    here.iter()
        .zip(there)
        .all(|(a, b)| a.text().trim() == b.text().trim())
}

fn number_of(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.trim().hash(&mut hasher);
    hasher.finish()
}

/// Whether a file of production code grows by a block: what is only written anew was there twice before.
fn is_grown_code(file: &FileView<'_>) -> bool {
    let code = file.role == FileRole::Production && file.language.is_code() && file.is_text();
    code && file.added_lines().count() >= file.removed_lines().count() + MIN_BLOCK_LINES
}

/// Whether the lines are code, not a text inside a literal or comment, and not a test.
fn is_code(window: &[LineView<'_, '_>]) -> bool {
    let code = window
        .iter()
        .filter(|line| line.code().chars().any(char::is_alphanumeric))
        .count();
    // The frame of a table repeats with every row: `Row {`, again and again.
    let distinct: HashSet<&str> = window.iter().map(|line| line.text().trim()).collect();
    distinct.len() * 2 > window.len()
        && code * 4 > window.len() * 3
        && window.iter().all(|line| !line.in_test())
}

/// Whether a line says something: no blank, no lone bracket, no comment, no import, no row of a table.
fn says_something(text: &str) -> bool {
    let text = text.trim();
    let words = text.bytes().filter(u8::is_ascii_alphabetic).take(4).count();
    let other = [
        "//",
        "#",
        "*",
        "/*",
        "import ",
        "use ",
        "from ",
        "using ",
        "namespace ",
        "package ",
    ]
    .iter()
    .any(|mark| text.starts_with(mark));
    words > 3 && !other && !text.ends_with(',')
}
