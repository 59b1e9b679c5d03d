//! `deleted-test`: tests that go while the code stays.

use std::collections::BTreeSet;

use council_protocol::LineKind;
use council_protocol::change::Line;

use super::prelude::*;
use crate::tests_of::{parametrised_tests, tests_of, words_of_test};

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "deleted-test",
        perspective: TESTS,
        category: "removed-tests",
        severity: Significant,
        summary: "tests that are removed while the code stays",
        why: "What they held may break from now on without anybody noticing; a test that fails is often removed with \
              the change that broke it.\n\
              It is a note where the change rewrites tests and no code, or where the tests lie in a folder of known \
              failures (`failing`, `quarantine`, …).",
        fix: "Keep the test and mend it, or say in the change why what it held no longer holds.",
        examples: &[],
    },
    scope: RuleScope::Everywhere,
    guards: Guarded::Code,
    languages: &[],
    claims: &[
        "deleted test",
        "removed test",
        "test removed",
        "removes test",
    ],
    check: RuleCheck::Change(check_change),
};

/// Changed lines from which on a change rewrites so much that tests come and go with it.
const MAX_LINES: usize = 400;

pattern!(
    /// The change says itself that something goes, where its readers look for it.
    ANNOUNCED,
    r"(?i)\b(?:remov|drop|delet|deprecat|no longer|discontinu)"
);

fn check_change(change: &ChangeView<'_>, hits: &mut HitList) {
    if change.line_count() > MAX_LINES {
        return;
    }
    let added: BTreeSet<String> = change
        .files
        .iter()
        .flat_map(|file| {
            tests_of(
                file,
                file.lines
                    .iter()
                    .filter(|line| line.kind == LineKind::Added),
            )
        })
        .map(|(name, _)| name)
        .collect();
    let gone: Vec<(&FileView<'_>, Vec<(String, &Line<'_>)>)> = change
        .files
        .iter()
        .map(|file| {
            let mut tests = tests_of(file, file.removed_lines());
            // What is renamed to a case of a table or put under a condition still stands in the file.
            let merged = merged_tests(file);
            tests.retain(|(name, _)| {
                !added.contains(name)
                    && !added.iter().any(|new| is_longer_name(name, new))
                    && !merged.iter().any(|words| is_merged_into(name, words))
                    && !file
                        .text_after()
                        .is_some_and(|text| text.contains(name.as_str()))
            });
            (file, tests)
        })
        .filter(|(_, tests)| !tests.is_empty())
        .collect();
    let lost: usize = gone.iter().map(|(_, tests)| tests.len()).sum();
    let names: BTreeSet<&String> = gone
        .iter()
        .flat_map(|(_, tests)| tests.iter().map(|(name, _)| name))
        .collect();
    let fresh = added
        .len()
        .saturating_sub(names.iter().filter(|name| added.contains(**name)).count());
    if lost <= fresh || removes_code(change) || rewrites_tests(change) || is_announced(change) {
        return;
    }
    let removed: Vec<&str> = change
        .files
        .iter()
        .filter(|f| is_production(f))
        .flat_map(|f| f.removed_lines().map(|line| line.text))
        .collect();
    let touched = change
        .files
        .iter()
        .any(|file| is_production(file) && !file.lines.is_empty());
    // Tidying up among tests is less suspicious than a test that goes with a change of code, or alone.
    let tidies = change
        .files
        .iter()
        .any(|file| file.role == FileRole::Test && file.added_lines().next().is_some());
    for (file, tests) in &gone {
        // A test of something that the change takes away or rewrites goes with it.
        let orphans = tests
            .iter()
            .all(|(name, _)| removed.iter().any(|line| is_subject(name, line)));
        if !(touched && orphans) {
            let suspicious = (touched || !tidies) && !lies_among_failures(&file.path);
            report(file, tests, suspicious, hits);
        }
    }
}

/// The words of those tests that the change adds to a file and that run once for each of several values.
fn merged_tests(file: &FileView<'_>) -> Vec<Vec<String>> {
    let kept = |line: &&Line<'_>| line.kind != LineKind::Removed;
    let lines: Vec<&Line<'_>> = file.lines.iter().filter(kept).collect();
    let is_new = |name: &String| {
        let mut added = file
            .lines
            .iter()
            .filter(|line| line.kind == LineKind::Added);
        added.any(|line| line.text.contains(name.as_str()))
    };
    let tests = parametrised_tests(file, &lines).into_iter().filter(is_new);
    tests.map(|name| words_of_test(&name)).collect()
}

/// Whether a test may be a case of one that has these words: all of them are in its name.
fn is_merged_into(name: &str, words: &[String]) -> bool {
    let own = words_of_test(name);
    !words.is_empty() && words.iter().all(|word| own.contains(word))
}

/// Whether the new name is the old one with something behind it: `testFind`, `testFind4229`.
fn is_longer_name(old: &str, new: &str) -> bool {
    let rest = new.strip_prefix(old);
    rest.is_some_and(|rest| rest.starts_with(|c: char| !c.is_lowercase()))
}

/// Folders of tests that are known to fail: no run counts them, and what goes from there held nothing.
const KNOWN_FAILURES: [&str; 11] = [
    "broken",
    "expectedfailures",
    "failing",
    "knownfailing",
    "knownfailures",
    "quarantine",
    "quarantined",
    "tofix",
    "wip",
    "xfail",
    "xfails",
];

fn lies_among_failures(path: &str) -> bool {
    let plain = |folder: &str| folder.replace(['_', '-'], "").to_ascii_lowercase();
    let mut folders = path
        .rsplit_once('/')
        .map_or("", |(folders, _)| folders)
        .split('/');
    folders.any(|folder| KNOWN_FAILURES.contains(&plain(folder).as_str()))
}

/// Whether as much test code comes as goes: then tests were rewritten, as into a table of cases.
fn rewrites_tests(change: &ChangeView<'_>) -> bool {
    let tests = || {
        change
            .files
            .iter()
            .filter(|file| file.role == FileRole::Test)
    };
    let added: usize = tests().map(|file| file.added_lines().count()).sum();
    let removed: usize = tests().map(|file| file.removed_lines().count()).sum();
    added * 5 >= removed * 4
}

/// Whether a line is about what a test is named for.
fn is_subject(test: &str, line: &str) -> bool {
    let words: Vec<&str> = test
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| w.len() > 2 && *w != "test")
        .collect();
    let shared = words.iter().filter(|word| line.contains(**word)).count();
    shared > 0 && shared >= words.len().min(2)
}

fn report(
    file: &FileView<'_>,
    tests: &[(String, &Line<'_>)],
    suspicious: bool,
    hits: &mut HitList,
) {
    let names: Vec<_> = tests
        .iter()
        .take(3)
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    let more = tests.len().saturating_sub(names.len());
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let what = if tests.len() == 1 {
        "The test is removed"
    } else {
        "Tests are removed"
    };
    let described = format!("{what}: {}{rest}.", names.join(", "));
    let hit = match tests.first() {
        Some((_, line)) if file.exists() => file.removed_hit(line, described),
        _ => file.file_hit(described),
    };
    hits.push(if suspicious {
        hit
    } else {
        hit.with_severity(Minor)
    });
}

pub(super) fn is_production(file: &FileView<'_>) -> bool {
    file.role == FileRole::Production && file.language.is_code()
}

/// Whether a page of prose, such as a changelog, says that something is removed.
pub(super) fn is_announced(change: &ChangeView<'_>) -> bool {
    let prose = change
        .files
        .iter()
        .filter(|file| file.language == Language::Prose);
    prose
        .flat_map(|file| file.added_lines())
        .any(|line| ANNOUNCED.is_match(line.text()))
}

/// Whether the change takes production code away, so that its tests have nothing left to hold.
pub(super) fn removes_code(change: &ChangeView<'_>) -> bool {
    let (mut added, mut removed) = (0, 0);
    for file in change.files.iter().filter(|file| is_production(file)) {
        if !file.exists() {
            return true;
        }
        for line in &file.lines {
            let test = line.new_no.is_some_and(|number| file.in_test(number));
            match line.kind {
                LineKind::Added if !test => added += 1,
                LineKind::Removed => removed += 1,
                _ => {}
            }
        }
    }
    removed > added
}
