//! `code-without-test`: a good deal of new code, and no test that changes with it.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "code-without-test",
        perspective: TESTS,
        category: "missing-tests",
        severity: Minor,
        summary: "new code without a test that changes with it",
        why: "Nothing will notice when the next change breaks what this one adds.",
        fix: "Add a test of the new behaviour, or say where it is already tested.",
        examples: &[],
    },
    scope: RuleScope::Production,
    languages: &[],
    claims: &[
        "without test",
        "no test",
        "untested",
        "missing test",
        "test coverage",
    ],
    check: RuleCheck::Change(check_change),
};

/// Lines of new code, net of removed ones, from which on a test is missed.
const ENOUGH: usize = 30;

fn check_change(change: &ChangeView<'_>, hits: &mut HitList) {
    let tested =
        |file: &FileView<'_>| file.role == FileRole::Test && file.added_lines().next().is_some();
    if change.files.iter().any(tested) {
        return;
    }
    let files: Vec<&FileView<'_>> = change
        .files
        .iter()
        .filter(|file| wants_tests(file))
        .collect();
    // Counting lines as they stand is cheap; what is string or comment is asked only of changes that are large enough.
    if files
        .iter()
        .map(|file| net_code(change, file, |_| true))
        .sum::<usize>()
        < ENOUGH
    {
        return;
    }
    let code = |line: &LineView<'_, '_>| is_code(&line.code());
    let nets: Vec<usize> = files
        .iter()
        .map(|file| net_code(change, file, code))
        .collect();
    let total: usize = nets.iter().sum();
    let inline = |file: &&FileView<'_>| file.added_lines().any(|line| line.in_test());
    if total < ENOUGH || files.iter().any(inline) {
        return;
    }
    let Some((_, most)) = nets.iter().zip(&files).max_by_key(|(net, _)| **net) else {
        return;
    };
    let declares = most
        .added_lines()
        .find(|line| DECLARES.is_match(&line.code()));
    if let Some(line) = declares.or_else(|| most.added_lines().find(|line| is_code(&line.code()))) {
        hits.push(line.line_hit(format!(
            "The change adds about {total} lines of code, and no test changes with it."
        )));
    }
}

pattern!(
    DECLARES,
    r"\b(?:fn|def|func|function|class|struct|enum|interface|impl)\s+\w|=>\s*\{|\)\s*\{\s*$"
);

fn wants_tests(file: &FileView<'_>) -> bool {
    const APART: [&str; 12] = [
        "scripts/",
        "script/",
        "tools/",
        "ci/",
        ".github/",
        "xtask/",
        "migrations/",
        "hack/",
        "contrib/",
        "bin/",
        "etc/",
        "locale/",
    ];
    const NAMES: [&str; 6] = [
        "build.rs",
        "setup.py",
        "conf.py",
        "noxfile.py",
        "manage.py",
        "Package.swift",
    ];
    let apart = APART
        .iter()
        .any(|folder| file.path.starts_with(folder) || file.path.contains(&format!("/{folder}")));
    let config = NAMES.contains(&file.file_name())
        || file.file_name().contains(".config.")
        || file.file_name().ends_with(".d.ts");
    file.role == FileRole::Production
        && file.language.is_code()
        && file.is_text()
        && !apart
        && !config
}

/// Added lines of code, moved ones aside, less removed ones.
fn net_code(
    change: &ChangeView<'_>,
    file: &FileView<'_>,
    also: impl Fn(&LineView<'_, '_>) -> bool,
) -> usize {
    let new = |line: &LineView<'_, '_>| {
        is_code(line.text()) && !change.removes_line(line.text()) && also(line)
    };
    let added = file.added_lines().filter(new).count();
    added.saturating_sub(
        file.removed_lines()
            .filter(|line| is_code(line.text))
            .count(),
    )
}

/// Whether a line does something: no comment, no import, no lone bracket.
fn is_code(text: &str) -> bool {
    const NOT: [&str; 12] = [
        "//", "#", "/*", "*", "use ", "import ", "from ", "package ", "mod ", "pub mod ",
        "pub use ", "\"\"\"",
    ];
    let text = text.trim();
    text.chars().filter(|c| c.is_alphanumeric()).count() > 2
        && !NOT.iter().any(|mark| text.starts_with(mark))
}
