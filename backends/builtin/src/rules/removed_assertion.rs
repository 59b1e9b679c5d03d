//! `removed-assertion`: a test that stays and no longer checks what it did.

use council_protocol::LineKind;
use council_protocol::change::Line;

use super::deleted_test::{is_announced, is_production, removes_code};
use super::prelude::*;
use crate::tests_of::tests_of;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "removed-assertion",
        perspective: TESTS,
        category: "weak-tests",
        severity: Minor,
        summary: "an assertion that is removed while its test and the code stay",
        why: "The test still passes and is still counted, but what the assertion held may break from now on; one that \
              fails is often removed with the change that broke it.",
        fix: "Keep the assertion and mend it, or say in the change why what it held no longer holds.",
        examples: &[],
    },
    scope: RuleScope::Everywhere,
    guards: Guarded::Code,
    languages: &[],
    claims: &["removed assertion", "assertion removed", "weakened test"],
    check: RuleCheck::Change(check_change),
};

/// Changed lines from which on a change rewrites so much that assertions come and go with it.
const MAX_LINES: usize = 400;

pattern!(
    ASSERTION,
    r"(?x)^\s*(?:await\s+)?(?: assert\b[^=]*$ | assert\b.*[=(!<>] | assert\w*[!(.] | self\.assert\w+\( | assert\.\w+\(
    | expect(?:\(|\.\w+\() | require\.\w+\(t\b | (?:debug_)?assert(?:_eq|_ne)?!\( | t\.(?:Error|Fatal)f?\( )"
);
pattern!(
    /// Where a test or its helper begins.
    DECLARED,
    r"^\s*(?:export\s+|pub\s+|async\s+|static\s+|public\s+|private\s+)*(?:fn|def|func|function|fun|void|class)\s|^\s*(?:it|test|describe)\b.*\("
);
pattern!(NAME, r"[A-Za-z_]\w{3,}");

fn check_change(change: &ChangeView<'_>, hits: &mut HitList) {
    let touched = change
        .files
        .iter()
        .any(|file| is_production(file) && file.added_lines().any(|line| !line.in_test()));
    if !touched
        || change.line_count() > MAX_LINES
        || removes_code(change)
        || is_announced(change)
        || change.files.iter().any(adds_assertions)
    {
        return;
    }
    for file in change.files.iter().filter(|file| file.exists()) {
        if let Some(gone) = removed_assertion(file).filter(|line| !is_orphan(change, line.text)) {
            let told = format!("The assertion `{}` is removed.", short(gone.text));
            hits.push(file.removed_hit(gone, told));
        }
    }
}

/// The first assertion that goes, where neither a test nor a helper goes with it.
fn removed_assertion<'f, 'a>(file: &'f FileView<'a>) -> Option<&'f Line<'a>> {
    let gone = || file.removed_lines();
    if gone().any(|line| DECLARED.is_match(line.text)) || !tests_of(file, gone()).is_empty() {
        return None;
    }
    let text = file.text_after().unwrap_or_default();
    let stays = |line: &Line<'_>| text.contains(line.text.trim());
    let places = file.lines.iter().enumerate();
    let mut found = places.filter(|(at, line)| {
        line.kind == LineKind::Removed
            && ASSERTION.is_match(line.text)
            && in_test(file, *at)
            && !stays(line)
    });
    found.next().map(|(_, line)| line)
}

/// Whether a removed line stood in a test: the next line that stays does.
fn in_test(file: &FileView<'_>, at: usize) -> bool {
    let next = file.lines[at..].iter().find_map(|line| line.new_no);
    file.language.is_code() && next.is_some_and(|number| file.in_test(number))
}

fn adds_assertions(file: &FileView<'_>) -> bool {
    let new_test = file.role == FileRole::Test
        && file
            .added_lines()
            .any(|line| DECLARED.is_match(line.text()));
    new_test
        || file
            .added_lines()
            .any(|line| line.in_test() && line.text().to_ascii_lowercase().contains("assert"))
        || file
            .added_lines()
            .any(|line| line.in_test() && ASSERTION.is_match(line.text()))
}

/// Whether what an assertion is about goes with it: a name in it stands on a removed line of production code.
fn is_orphan(change: &ChangeView<'_>, assertion: &str) -> bool {
    const COMMON: [&str; 12] = [
        "assert", "self", "true", "false", "none", "null", "equal", "expect", "result", "error",
        "response", "this",
    ];
    let names = NAME.find_iter(assertion).map(|name| name.as_str());
    let telling: Vec<&str> = names
        .filter(|name| {
            let name = name.to_ascii_lowercase();
            !COMMON.contains(&name.as_str()) && !name.starts_with("assert")
        })
        .collect();
    let production = change.files.iter().filter(|file| is_production(file));
    let mut gone = production.flat_map(FileView::removed_lines);
    gone.any(|line| telling.iter().any(|name| line.text.contains(name)))
}

fn short(text: &str) -> String {
    const MAX_CHARS: usize = 80;
    let text = text.trim().replace('`', "'");
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
